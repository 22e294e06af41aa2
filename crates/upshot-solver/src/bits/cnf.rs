//! Gates as clauses. Only the gates that a question depends on are put into the SAT solver: the solver decides every variable
//! it has, so gates of other questions would cost time in each.

use super::gates::{Bit, Gate, Gates};
use super::mutation::{clause, rule};
use super::sat::{Literal, SatSolver};

/// Which gates the SAT solver knows.
#[derive(Debug, Default)]
pub(crate) struct Cnf {
    /// For each gate its variable plus one, or zero.
    variables: Vec<u32>,
    /// Gates with a variable.
    emitted: Vec<u32>,
    /// For each gate, the last question that depended on it.
    marks: Vec<u32>,
    question: u32,
    /// The gates that the current question depends on, operands first.
    cone: Vec<u32>,
    pending: Vec<u32>,
}

impl Cnf {
    /// Forgets all gates: the SAT solver was reset.
    pub(crate) fn reset(&mut self) {
        for gate in self.emitted.drain(..) {
            self.variables[gate as usize] = 0;
        }
    }

    /// Forgets all gates, and the graph too.
    pub(crate) fn clear(&mut self) {
        *self = Cnf::default();
    }

    /// Finds the gates that `roots` depend on; how many there are, and how many of them the solver does not know.
    pub(crate) fn find_cone(&mut self, gates: &Gates, roots: &[Bit]) -> (usize, usize) {
        self.variables.resize(gates.len(), 0);
        self.marks.resize(gates.len(), 0);
        self.question += 1;
        self.cone.clear();
        for root in roots {
            self.visit(gates, root.gate() as u32);
        }
        let unknown = self.cone.iter().filter(|&&gate| self.variables[gate as usize] == 0).count();
        (self.cone.len(), unknown)
    }

    fn visit(&mut self, gates: &Gates, root: u32) {
        self.pending.push(root);
        while let Some(&gate) = self.pending.last() {
            if self.marks[gate as usize] == self.question {
                self.pending.pop();
                continue;
            }
            let before = self.pending.len();
            for_operands(gates, gate, |operand| {
                if self.marks[operand.gate()] != self.question {
                    self.pending.push(operand.gate() as u32);
                }
            });
            if self.pending.len() == before {
                self.pending.pop();
                self.marks[gate as usize] = self.question;
                self.cone.push(gate);
            } else {
                // The first operand on top.
                self.pending[before..].reverse();
            }
        }
    }

    /// Puts the gates found last into the solver. With `inputs_first`, inputs get the lowest numbers, and so are decided first.
    pub(crate) fn emit_cone(&mut self, gates: &Gates, sat: &mut dyn SatSolver, inputs_first: bool) {
        let cone = std::mem::take(&mut self.cone);
        if inputs_first {
            for &gate in cone.iter().filter(|&&gate| gates.gate(gate as usize) == Gate::Input) {
                self.variable(gate, sat);
            }
        }
        for &gate in &cone {
            if self.variables[gate as usize] == 0 {
                self.variable(gate, sat);
                self.emit(gates, gate, sat);
            }
        }
        self.cone = cone;
    }

    fn variable(&mut self, gate: u32, sat: &mut dyn SatSolver) {
        self.variables[gate as usize] = sat.new_variable() + 1;
        self.emitted.push(gate);
    }

    /// The literal of a bit that is in the solver.
    pub(crate) fn literal(&self, bit: Bit) -> Literal {
        Literal { variable: self.variables[bit.gate()] - 1, negated: bit.is_negated() }
    }

    /// The value of a bit in the solver's model; `None` if the solver does not know the bit.
    pub(crate) fn value(&self, bit: Bit, sat: &dyn SatSolver) -> Option<bool> {
        if let Some(value) = bit.as_constant() {
            return Some(value);
        }
        let known = self.marks.get(bit.gate()) == Some(&self.question) && self.variables[bit.gate()] != 0;
        known.then(|| sat.value(self.variables[bit.gate()] - 1) != bit.is_negated())
    }

    /// The clauses that make a gate's variable its function.
    fn emit(&self, gates: &Gates, gate: u32, sat: &mut dyn SatSolver) {
        let g = Literal { variable: self.variables[gate as usize] - 1, negated: false };
        let not = |literal: Literal| Literal { negated: !literal.negated, ..literal };
        match gates.gate(gate as usize) {
            Gate::True => sat.add_clause(&[g]),
            Gate::Input => {}
            Gate::And(a, b) => self.emit_and(g, &[a, b], sat),
            Gate::AndAll { start, count } => self.emit_and(g, gates.run(start, count), sat),
            Gate::Xor(a, b) => {
                let (a, b) = (self.literal(a), self.literal(b));
                sat.add_clause(&clause("clause-xor-neither", [not(g), a, b]));
                sat.add_clause(&clause("clause-xor-both", [not(g), not(a), not(b)]));
                sat.add_clause(&clause("clause-xor-first", [g, not(a), b]));
                sat.add_clause(&clause("clause-xor-second", [g, a, not(b)]));
            }
            Gate::Xor3(a, b, c) => {
                let operands = [self.literal(a), self.literal(b), self.literal(c)];
                for case in 0..8u32 {
                    // Forbids these values of the operands together with the wrong parity.
                    let literal = |position: usize| {
                        let operand = operands[position];
                        Literal { negated: operand.negated != (case >> position & 1 == 1), ..operand }
                    };
                    let sum = Literal { negated: case.count_ones() % 2 == 0, ..g };
                    sat.add_clause(&clause("clause-xor3", [sum, literal(0), literal(1), literal(2)]));
                }
            }
            Gate::Majority(a, b, c) => {
                let (a, b, c) = (self.literal(a), self.literal(b), self.literal(c));
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    sat.add_clause(&clause("clause-majority-true", [g, not(x), not(y)]));
                    sat.add_clause(&clause("clause-majority-false", [not(g), x, y]));
                }
            }
            Gate::Choose(c, a, b) => {
                let (c, a, b) = (self.literal(c), self.literal(a), self.literal(b));
                sat.add_clause(&clause("clause-choose-first-false", [not(g), not(c), a]));
                sat.add_clause(&clause("clause-choose-first-true", [g, not(c), not(a)]));
                sat.add_clause(&clause("clause-choose-second-false", [not(g), c, b]));
                sat.add_clause(&clause("clause-choose-second-true", [g, c, not(b)]));
                // Not needed, but they decide the gate before its condition is known.
                sat.add_clause(&clause("clause-choose-both-false", [not(g), a, b]));
                sat.add_clause(&clause("clause-choose-both-true", [g, not(a), not(b)]));
            }
        }
    }

    fn emit_and(&self, g: Literal, operands: &[Bit], sat: &mut dyn SatSolver) {
        let negated = |literal: Literal| Literal { negated: !literal.negated, ..literal };
        let mut all = vec![g];
        for &operand in operands {
            let operand = self.literal(operand);
            sat.add_clause(&clause("clause-and-operand", [negated(g), operand]));
            all.push(clause("clause-and-all", [negated(operand)])[0]);
        }
        sat.add_clause(&all);
    }
}

fn for_operands(gates: &Gates, gate: u32, mut each: impl FnMut(Bit)) {
    match gates.gate(gate as usize) {
        Gate::True | Gate::Input => {}
        Gate::And(a, b) | Gate::Xor(a, b) => [a, b].into_iter().for_each(each),
        Gate::AndAll { start, count } => gates.run(start, count).iter().for_each(|&bit| each(bit)),
        Gate::Xor3(a, b, c) | Gate::Majority(a, b, c) | Gate::Choose(a, b, c) => [a, b, c].into_iter().for_each(each),
    }
}

/// Adds `bit` to what must hold: the operands of a conjunction rather than the conjunction, so that it needs no gate.
pub(crate) fn require(gates: &Gates, bit: Bit, roots: &mut Vec<Bit>) {
    let mut pending = vec![bit];
    while let Some(bit) = pending.pop() {
        match gates.gate(bit.gate()) {
            Gate::And(a, b) if !bit.is_negated() => pending.extend([b, a]),
            Gate::AndAll { start, count } if !bit.is_negated() => pending.extend(gates.run(start, count).iter().rev()),
            Gate::True if !bit.is_negated() => {}
            _ => roots.push(rule("require", bit)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::sat::{Batsat, SatAnswer};
    use crate::options::{Limits, Options};

    type Make = fn(&mut Gates, [Bit; 3]) -> Bit;
    type Function = fn(bool, bool, bool) -> bool;

    /// Each gate, as clauses, takes exactly the values of its function.
    #[test]
    fn clauses_say_what_the_gate_computes() {
        let cases: [(Make, Function); 6] = [
            (|gates, [a, b, _]| gates.and(a, b), |a, b, _| a && b),
            (|gates, bits| gates.and_all(&bits), |a, b, c| a && b && c),
            (|gates, [a, b, _]| gates.xor(a, b), |a, b, _| a != b),
            (|gates, [a, b, c]| gates.xor3(a, b, c), |a, b, c| a ^ b ^ c),
            (|gates, [a, b, c]| gates.majority(a, b, c), |a, b, c| if a { b || c } else { b && c }),
            (|gates, [a, b, c]| gates.choose(a, b, c), |a, b, c| if a { b } else { c }),
        ];
        let limits = Limits::start(&Options::default());
        for (make, function) in cases {
            let (mut gates, mut sat, mut cnf) = (Gates::default(), Batsat::default(), Cnf::default());
            let inputs = [gates.input(), gates.input(), gates.input()];
            let gate = make(&mut gates, [inputs[0], !inputs[1], inputs[2]]);
            cnf.find_cone(&gates, &[gate, inputs[0], inputs[1], inputs[2]]);
            cnf.emit_cone(&gates, &mut sat, true);
            for case in 0..16u32 {
                let values = [case & 1 == 1, case & 2 == 2, case & 4 == 4];
                let mut assumptions: Vec<Literal> =
                    inputs.iter().zip(values).map(|(&bit, value)| cnf.literal(bit.negated_if(!value))).collect();
                assumptions.push(cnf.literal(gate.negated_if(case & 8 == 0)));
                let expected = function(values[0], !values[1], values[2]) == (case & 8 == 8);
                let answer = sat.solve(&assumptions, 1000, &limits);
                assert_eq!(answer, if expected { SatAnswer::Sat } else { SatAnswer::Unsat });
            }
        }
    }

    #[test]
    fn a_conjunction_is_required_piece_by_piece() {
        let mut gates = Gates::default();
        let inputs: Vec<Bit> = (0..5).map(|_| gates.input()).collect();
        let some = gates.and(inputs[0], inputs[1]);
        let all = gates.and_all(&[some, inputs[2], !inputs[3]]);
        let mut roots = Vec::new();
        require(&gates, all, &mut roots);
        roots.sort_unstable();
        assert_eq!(roots, [inputs[0], inputs[1], inputs[2], !inputs[3]]);
        roots.clear();
        require(&gates, !all, &mut roots);
        assert_eq!(roots, [!all]);
    }
}
