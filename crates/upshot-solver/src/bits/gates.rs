//! A graph of gates over bits. Every gate is built through a constructor that folds constants, recognises equal and opposite
//! inputs and finds a gate that exists already, so that what reaches the SAT solver is small. The graph outlives the SAT
//! solver: after a reset of the solver, only the gates that the next question needs are put into it again.

use rustc_hash::FxHashMap;

use super::mutation::rule;

/// A bit: a gate of the graph, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Bit(u32);

impl Bit {
    pub(crate) const TRUE: Bit = Bit(0);
    pub(crate) const FALSE: Bit = Bit(1);

    pub(crate) fn constant(value: bool) -> Bit {
        if value { Bit::TRUE } else { Bit::FALSE }
    }

    fn positive(gate: usize) -> Bit {
        Bit((gate as u32) << 1)
    }

    /// The gate, without the sign.
    pub(crate) fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) fn as_constant(self) -> Option<bool> {
        match self {
            Bit::TRUE => Some(true),
            Bit::FALSE => Some(false),
            _ => None,
        }
    }

    /// Negated if `negate`.
    pub(crate) fn negated_if(self, negate: bool) -> Bit {
        Bit(self.0 ^ u32::from(negate))
    }

    fn without_sign(self) -> Bit {
        Bit(self.0 & !1)
    }
}

impl std::ops::Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

/// What a gate computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Gate {
    /// The constant; only gate 0.
    True,
    Input,
    And(Bit, Bit),
    /// The conjunction of a run of [`Gates::operands`].
    AndAll {
        start: u32,
        count: u32,
    },
    Xor(Bit, Bit),
    /// The sum bit of a full adder.
    Xor3(Bit, Bit, Bit),
    /// The carry of a full adder.
    Majority(Bit, Bit, Bit),
    /// The second if the first, else the third.
    Choose(Bit, Bit, Bit),
}

#[derive(Debug)]
pub(crate) struct Gates {
    gates: Vec<Gate>,
    /// Operands of gates with many.
    operands: Vec<Bit>,
    index: FxHashMap<Gate, Bit>,
    wide_index: FxHashMap<Box<[Bit]>, Bit>,
}

impl Default for Gates {
    fn default() -> Gates {
        Gates {
            gates: vec![Gate::True],
            operands: Vec::new(),
            index: FxHashMap::default(),
            wide_index: FxHashMap::default(),
        }
    }
}

impl Gates {
    pub(crate) fn clear(&mut self) {
        self.gates.truncate(1);
        self.operands.clear();
        self.index.clear();
        self.wide_index.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.gates.len()
    }

    pub(crate) fn gate(&self, gate: usize) -> Gate {
        self.gates[gate]
    }

    /// The operands of [`Gate::AndAll`].
    pub(crate) fn run(&self, start: u32, count: u32) -> &[Bit] {
        &self.operands[start as usize..(start + count) as usize]
    }

    /// A bit that nothing decides.
    pub(crate) fn input(&mut self) -> Bit {
        self.gates.push(Gate::Input);
        Bit::positive(self.gates.len() - 1)
    }

    fn made(&mut self, gate: Gate) -> Bit {
        let next = Bit::positive(self.gates.len());
        let bit = *self.index.entry(gate).or_insert(next);
        if bit == next {
            self.gates.push(gate);
        }
        bit
    }

    pub(crate) fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            (Bit::TRUE, _) => rule("and-true", b),
            (Bit::FALSE, _) => rule("and-false", Bit::FALSE),
            _ if a == b => rule("and-equal", a),
            _ if a == !b => rule("and-opposite", Bit::FALSE),
            _ => rule("and-gate", self.made(Gate::And(a, b))),
        }
    }

    pub(crate) fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    /// The conjunction of all.
    pub(crate) fn and_all(&mut self, bits: &[Bit]) -> Bit {
        let mut operands: Vec<Bit> = bits.iter().copied().filter(|&bit| bit != Bit::TRUE).collect();
        operands.sort_unstable();
        operands.dedup();
        let contradictory = operands.windows(2).any(|pair| pair[0] == !pair[1]);
        if contradictory || operands.first() == Some(&Bit::FALSE) {
            return rule("and-all-false", Bit::FALSE);
        }
        match operands[..] {
            [] => rule("and-all-none", Bit::TRUE),
            [single] => rule("and-all-one", single),
            [a, b] => rule("and-all-two", self.made(Gate::And(a, b))),
            _ => rule("and-all-gate", self.made_wide(operands)),
        }
    }

    fn made_wide(&mut self, operands: Vec<Bit>) -> Bit {
        if let Some(&known) = self.wide_index.get(&operands[..]) {
            return known;
        }
        let (start, count) = (self.operands.len() as u32, operands.len() as u32);
        self.operands.extend_from_slice(&operands);
        self.gates.push(Gate::AndAll { start, count });
        let bit = Bit::positive(self.gates.len() - 1);
        self.wide_index.insert(operands.into(), bit);
        bit
    }

    pub(crate) fn or_all(&mut self, bits: &[Bit]) -> Bit {
        let negated: Vec<Bit> = bits.iter().map(|&bit| !bit).collect();
        !self.and_all(&negated)
    }

    pub(crate) fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        let negate = a.is_negated() != b.is_negated();
        let (a, b) = (a.without_sign(), b.without_sign());
        let (a, b) = (a.min(b), a.max(b));
        let bit = match a {
            Bit::TRUE => rule("xor-true", !b),
            _ if a == b => rule("xor-equal", Bit::FALSE),
            _ => rule("xor-gate", self.made(Gate::Xor(a, b))),
        };
        bit.negated_if(negate)
    }

    pub(crate) fn equal(&mut self, a: Bit, b: Bit) -> Bit {
        !self.xor(a, b)
    }

    /// The parity of three.
    pub(crate) fn xor3(&mut self, a: Bit, b: Bit, c: Bit) -> Bit {
        let negate = a.is_negated() ^ b.is_negated() ^ c.is_negated();
        let mut bits = [a.without_sign(), b.without_sign(), c.without_sign()];
        bits.sort_unstable();
        let [a, b, c] = bits;
        let bit = if a == b {
            rule("xor3-first-equal", c)
        } else if b == c {
            rule("xor3-last-equal", a)
        } else if a == Bit::TRUE {
            rule("xor3-true", !self.xor(b, c))
        } else {
            rule("xor3-gate", self.made(Gate::Xor3(a, b, c)))
        };
        bit.negated_if(negate)
    }

    /// Whether at least two of three hold.
    pub(crate) fn majority(&mut self, a: Bit, b: Bit, c: Bit) -> Bit {
        let mut bits = [a, b, c];
        bits.sort_unstable();
        let [a, b, c] = bits;
        match a {
            Bit::TRUE => return rule("majority-true", self.or(b, c)),
            Bit::FALSE => return rule("majority-false", self.and(b, c)),
            _ => {}
        }
        if a == b || b == c {
            return rule("majority-equal", b);
        }
        // After sorting, opposite bits are neighbours.
        if a == !b {
            return rule("majority-first-opposite", c);
        }
        if b == !c {
            return rule("majority-last-opposite", a);
        }
        let negate = bits.iter().filter(|bit| bit.is_negated()).count() >= 2;
        let [a, b, c] = bits.map(|bit| bit.negated_if(negate));
        rule("majority-gate", self.made(Gate::Majority(a, b, c)).negated_if(negate))
    }

    /// `a` if `condition`, else `b`.
    pub(crate) fn choose(&mut self, condition: Bit, a: Bit, b: Bit) -> Bit {
        let (condition, a, b) = if condition.is_negated() { (!condition, b, a) } else { (condition, a, b) };
        if condition == Bit::TRUE || a == b {
            return rule("choose-constant", a);
        }
        if a == !b {
            return rule("choose-opposite", self.equal(condition, a));
        }
        if a == Bit::TRUE || a == condition {
            return rule("choose-first-true", self.or(condition, b));
        }
        if a == Bit::FALSE || a == !condition {
            return rule("choose-first-false", self.and(!condition, b));
        }
        if b == Bit::TRUE || b == !condition {
            return rule("choose-second-true", self.or(!condition, a));
        }
        if b == Bit::FALSE || b == condition {
            return rule("choose-second-false", self.and(condition, a));
        }
        let negate = a.is_negated();
        let gate = self.made(Gate::Choose(condition, a.negated_if(negate), b.negated_if(negate)));
        rule("choose-gate", gate.negated_if(negate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a bit, given those of the inputs 1, 2, 3.
    fn value(gates: &Gates, bit: Bit, inputs: [bool; 3]) -> bool {
        let of = |bit| value(gates, bit, inputs);
        let plain = match gates.gate(bit.gate()) {
            Gate::True => true,
            Gate::Input => inputs[bit.gate() - 1],
            Gate::And(a, b) => of(a) && of(b),
            Gate::AndAll { start, count } => gates.run(start, count).iter().all(|&bit| of(bit)),
            Gate::Xor(a, b) => of(a) != of(b),
            Gate::Xor3(a, b, c) => of(a) ^ of(b) ^ of(c),
            Gate::Majority(a, b, c) => u8::from(of(a)) + u8::from(of(b)) + u8::from(of(c)) >= 2,
            Gate::Choose(a, b, c) => {
                if of(a) {
                    of(b)
                } else {
                    of(c)
                }
            }
        };
        plain != bit.is_negated()
    }

    #[test]
    fn every_gate_computes_its_function_whatever_its_operands() {
        let mut gates = Gates::default();
        let inputs: Vec<Bit> = (0..3).map(|_| gates.input()).collect();
        let mut operands = vec![Bit::TRUE, Bit::FALSE];
        operands.extend(inputs.iter().flat_map(|&bit| [bit, !bit]));
        for &a in &operands {
            for &b in &operands {
                for &c in &operands {
                    let made = [
                        gates.and(a, b),
                        gates.or(a, b),
                        gates.xor(a, b),
                        gates.and_all(&[a, b, c]),
                        gates.or_all(&[a, b, c]),
                        gates.xor3(a, b, c),
                        gates.majority(a, b, c),
                        gates.choose(a, b, c),
                    ];
                    for case in 0..8 {
                        let inputs = [case & 1 != 0, case & 2 != 0, case & 4 != 0];
                        let [x, y, z] = [a, b, c].map(|bit| value(&gates, bit, inputs));
                        let expected = [
                            x && y,
                            x || y,
                            x != y,
                            x && y && z,
                            x || y || z,
                            x ^ y ^ z,
                            if x { y || z } else { y && z },
                            if x { y } else { z },
                        ];
                        assert_eq!(
                            made.map(|bit| value(&gates, bit, inputs)),
                            expected,
                            "{a:?} {b:?} {c:?} {inputs:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn equal_gates_are_one() {
        let mut gates = Gates::default();
        let (a, b, c) = (gates.input(), gates.input(), gates.input());
        assert_eq!(gates.and(a, b), gates.and(b, a));
        assert_eq!(gates.xor(a, !b), !gates.xor(b, a));
        assert_eq!(gates.majority(!a, !b, !c), !gates.majority(c, b, a));
        assert_eq!(gates.choose(!a, b, c), gates.choose(a, c, b));
        assert_eq!(gates.and_all(&[a, b, c, a]), gates.and_all(&[c, b, a]));
    }
}
