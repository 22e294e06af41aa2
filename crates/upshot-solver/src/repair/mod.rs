//! An input made to fit. Starting from an input that satisfies most constraints, the first that fails is made true by
//! changing one operand on the way down to an input byte, as one solves an equation by hand; then the next. This finds an input for most
//! conditions that can hold, at the price of a few evaluations, and says nothing about those that cannot.

mod float;
mod linear;

use rustc_hash::FxHashMap;
use upshot_expr::fold::{self, mask, sign_extend, signed};
use upshot_expr::{ArrayNode, Assignment, BinOp, Node, TermId, Terms, Var};

use crate::interval::{Facts, Range};

/// Which side of a comparison is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Preference {
    RaiseGreater,
    LowerLesser,
}

/// Repairs tried at most, beyond one for each constraint.
const STEPS: usize = 8;

/// Values of an operand that are tried one by one.
const TRIALS: u128 = 64;

/// Constraints beyond which evaluating all of them after each repair costs more than it saves.
const CONSTRAINTS: usize = 256;

/// A term and the value that it shall have.
type Goal = (TermId, u128);

/// An input that satisfies all constraints, if one is found on the way from `start`. `facts` follow from the constraints.
pub(crate) fn repaired(terms: &Terms, constraints: &[TermId], facts: &Facts, start: &Assignment) -> Option<Assignment> {
    if constraints.len() > CONSTRAINTS {
        return None;
    }
    let ranges = facts.byte_ranges(terms);
    let from = |start: &Assignment, preference| attempt(terms, constraints, facts, &ranges, start, preference);
    let direct = from(start, Preference::RaiseGreater).or_else(|| from(start, Preference::LowerLesser));
    direct.or_else(|| {
        float::special_goals(terms, constraints).into_iter().find_map(|(term, target)| {
            let inversion = Inversion { terms, input: start, facts, preference: Preference::RaiseGreater };
            let mut special = start.clone();
            for (var, value) in inversion.changes_for(term, target)? {
                special.set(var.symbol, var.offset, value);
            }
            from(&special, Preference::RaiseGreater)
        })
    })
}

fn attempt(
    terms: &Terms,
    constraints: &[TermId],
    facts: &Facts,
    ranges: &FxHashMap<Var, Range>,
    start: &Assignment,
    preference: Preference,
) -> Option<Assignment> {
    let mut input = start.clone();
    for _ in 0..STEPS + constraints.len() {
        let Some(&broken) = constraints.iter().find(|&&constraint| !input.eval_bool(terms, constraint)) else {
            return Some(input);
        };
        let changes = Inversion { terms, input: &input, facts, preference }.changes(broken)?;
        let useful = changes.iter().any(|&(var, value)| input.byte(var.symbol, var.offset) != value);
        let allowed = |var, value| ranges.get(&var).is_none_or(|range| range.contains(u128::from(value)));
        if !useful || !changes.iter().all(|&(var, value)| allowed(var, value)) {
            return None;
        }
        for (var, value) in changes {
            input.set(var.symbol, var.offset, value);
        }
    }
    None
}

/// Goals pushed down from a constraint to input bytes.
struct Inversion<'a> {
    terms: &'a Terms,
    input: &'a Assignment,
    facts: &'a Facts,
    preference: Preference,
}

impl Inversion<'_> {
    fn changes(&self, constraint: TermId) -> Option<Vec<(Var, u8)>> {
        self.changes_for(constraint, 1)
    }

    /// Bytes that give the term this value.
    fn changes_for(&self, term: TermId, target: u128) -> Option<Vec<(Var, u8)>> {
        let mut changes = Vec::new();
        let mut goals = vec![(term, target)];
        while let Some((term, target)) = goals.pop() {
            match self.terms.node(term) {
                _ if self.value(term) == target => {}
                Node::Byte { symbol, offset } => changes.push((Var { symbol, offset }, target as u8)),
                _ => self.push_down(term, target, &mut goals)?,
            }
        }
        Some(changes)
    }

    fn value(&self, term: TermId) -> u128 {
        self.input.eval(self.terms, term)
    }

    fn is_constant(&self, term: TermId) -> bool {
        self.terms.as_const(term).is_some()
    }

    /// What operands must be for the term to be `target`; `None` if that is not easily said.
    fn push_down(&self, term: TermId, target: u128, goals: &mut Vec<Goal>) -> Option<()> {
        let width = self.terms.width(term);
        match self.terms.node(term) {
            Node::Not(a) => goals.push((a, !target & mask(width))),
            Node::Eq(a, b) => goals.push(self.equality(a, b, target != 0)?),
            Node::Ult(a, b) => goals.push(self.comparison(a, b, target != 0, unsigned_key)?),
            Node::Ule(a, b) => goals.push(self.comparison(b, a, target == 0, unsigned_key)?),
            Node::Slt(a, b) => goals.push(self.comparison(a, b, target != 0, signed_key)?),
            Node::Sle(a, b) => goals.push(self.comparison(b, a, target == 0, signed_key)?),
            Node::Ite(condition, a, b) => goals.push((if self.value(condition) != 0 { a } else { b }, target)),
            Node::ZExt(a) => goals.push((target <= mask(self.terms.width(a))).then_some((a, target))?),
            Node::SExt(a) => {
                let narrow = self.terms.width(a);
                let low = target & mask(narrow);
                goals.push((sign_extend(low, narrow, width) == target).then_some((a, low))?);
            }
            Node::Extract { term: a, low } => {
                goals.push((a, self.value(a) & !(mask(width) << low) | target << low));
            }
            Node::Concat(high, low) => {
                let lower = self.terms.width(low);
                goals.extend([(high, target >> lower), (low, target & mask(lower))]);
            }
            Node::Bin(op, a, b) if width == 1 => self.logic(op, a, b, target != 0, goals)?,
            Node::Bin(op, a, b) => match linear::distribute(self, term, target) {
                Some(found) => goals.extend(found),
                None => goals.extend(self.arithmetic(op, a, b, width, target)?),
            },
            Node::Read { array, index } => goals.push(self.read(array, index, target)?),
            _ => goals.push(float::push_down(self, term, target)?),
        }
        Some(())
    }

    fn equality(&self, a: TermId, b: TermId, equal: bool) -> Option<Goal> {
        let (left, right) = (self.value(a), self.value(b));
        if equal {
            // The smaller follows the larger, unless it cannot.
            let follows =
                if self.is_constant(a) || (left > right && !self.is_constant(b)) { (b, left) } else { (a, right) };
            return Some(follows);
        }
        let changed = if self.is_constant(a) { b } else { a };
        Some((changed, if left < mask(self.terms.width(a)) { left + 1 } else { left - 1 }))
    }

    /// `a < b` if `less`, else `b <= a`, in the order of `key`.
    fn comparison(&self, a: TermId, b: TermId, less: bool, key: fn(u128, u8) -> u128) -> Option<Goal> {
        let width = self.terms.width(a);
        // The key is its own inverse.
        let (left, right) = (key(self.value(a), width), key(self.value(b), width));
        let goal = |term: TermId, target: Option<u128>| {
            let target = target.filter(|&target| target <= mask(width) && !self.is_constant(term))?;
            Some((term, key(target, width)))
        };
        let (raised, lowered) = if less {
            (goal(b, left.checked_add(1)), goal(a, right.checked_sub(1)))
        } else {
            (goal(a, Some(right)), goal(b, Some(left)))
        };
        match self.preference {
            Preference::RaiseGreater => raised.or(lowered),
            Preference::LowerLesser => lowered.or(raised),
        }
    }

    fn logic(&self, op: BinOp, a: TermId, b: TermId, target: bool, goals: &mut Vec<Goal>) -> Option<()> {
        let one = |a| (a, u128::from(target));
        match (op, target) {
            (BinOp::And, true) | (BinOp::Or, false) => goals.extend([one(a), one(b)]),
            (BinOp::And | BinOp::Or, _) => {
                let first =
                    !self.is_constant(a) && (self.preference == Preference::RaiseGreater || self.is_constant(b));
                goals.push(one(if first { a } else { b }));
            }
            (BinOp::Xor, _) => {
                let (changed, other) = if self.is_constant(a) { (b, a) } else { (a, b) };
                goals.push((changed, u128::from(target) ^ self.value(other)));
            }
            _ => return None,
        }
        Some(())
    }

    fn arithmetic(&self, op: BinOp, a: TermId, b: TermId, width: u8, target: u128) -> Option<Vec<Goal>> {
        let (left, right) = (self.value(a), self.value(b));
        let all = mask(width);
        let constant = self.is_constant(b);
        let goal = match op {
            BinOp::Add if !self.is_constant(a) => (a, target.wrapping_sub(right) & all),
            BinOp::Add => (b, target.wrapping_sub(left) & all),
            BinOp::Sub if !self.is_constant(a) => (a, target.wrapping_add(right) & all),
            BinOp::Sub => (b, left.wrapping_sub(target) & all),
            BinOp::Xor if !self.is_constant(a) => (a, target ^ right),
            BinOp::Xor => (b, target ^ left),
            BinOp::Mul if self.is_constant(a) => (b, factor(target, left, width)?),
            BinOp::Mul if constant => (a, factor(target, right, width)?),
            BinOp::And if constant => (target & !right == 0).then_some((a, left & !right | target))?,
            BinOp::Or if constant => (target & right == right).then_some((a, left & right | target & !right))?,
            BinOp::URem if constant && target < right => {
                (a, (left - left % right).checked_add(target).filter(|&value| value <= all)?)
            }
            BinOp::Shl if constant && right < u128::from(width) => (a, target >> right),
            BinOp::LShr if constant && right < u128::from(width) => {
                (target <= all >> right).then_some((a, target << right | left & mask(right as u8)))?
            }
            BinOp::Mul | BinOp::UDiv | BinOp::SDiv => return self.by_trial(op, a, b, width, target),
            _ => return None,
        };
        Some(vec![goal])
    }

    /// Tries the values of the second operand, if they are few; the first operand follows.
    fn by_trial(&self, op: BinOp, a: TermId, b: TermId, width: u8, target: u128) -> Option<Vec<Goal>> {
        let (left, right) = (self.facts.range(self.terms, a), self.facts.range(self.terms, b));
        let few = right.high - right.low < TRIALS && right.low <= right.high;
        let values = if few { right.low..=right.high } else { self.value(b)..=self.value(b) };
        let fitting = |value: u128| {
            let other = match op {
                BinOp::Mul => factor(target, value, width)?,
                _ => target.wrapping_mul(value) & mask(width),
            };
            let found = left.contains(other) && fold::bin(op, width, other, value) == target;
            found.then(|| vec![(a, other), (b, value)])
        };
        values.into_iter().find_map(fitting)
    }

    fn read(&self, array: upshot_expr::ArrayId, index: TermId, target: u128) -> Option<Goal> {
        match self.terms.array_node(array) {
            ArrayNode::Bytes(bytes) => {
                let position = bytes.iter().position(|&byte| u128::from(byte) == target)?;
                Some((index, position as u128))
            }
            ArrayNode::Table(table) => {
                let position = usize::try_from(self.value(index)).ok()?;
                Some((*table.get(position)?, target))
            }
            _ => None,
        }
    }
}

fn unsigned_key(value: u128, _: u8) -> u128 {
    value
}

/// Turns the order of signed numbers into that of unsigned ones.
fn signed_key(value: u128, width: u8) -> u128 {
    value ^ 1 << (width - 1)
}

/// A number that gives `product` when multiplied by `other`.
fn factor(product: u128, other: u128, width: u8) -> Option<u128> {
    if other != 0 && product.is_multiple_of(other) {
        return Some(product / other);
    }
    let (number, divisor) = (signed(product, width), signed(other, width));
    if divisor != 0 && divisor != -1 && number % divisor == 0 {
        return Some((number / divisor) as u128 & mask(width));
    }
    (other & 1 == 1).then(|| product.wrapping_mul(inverse(other)) & mask(width))
}

/// The inverse of an odd number modulo 2^128: each round doubles the bits that are right.
fn inverse(odd: u128) -> u128 {
    let mut inverse = odd;
    for _ in 0..7 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use upshot_expr::IntPredicate;

    use super::*;
    use crate::random_terms::{Generator, Shape};

    fn from_nothing(terms: &Terms, constraints: &[TermId]) -> Option<Assignment> {
        repaired(terms, constraints, &Facts::default(), &Assignment::new())
    }

    #[test]
    fn an_order_is_found() {
        let mut terms = Terms::new();
        let symbol = terms.symbol("a", 4);
        let bytes: Vec<TermId> = (0..4).map(|offset| terms.byte(symbol, offset)).collect();
        let below = [(3, 1), (1, 2), (2, 0)].map(|(a, b)| terms.compare(IntPredicate::Slt, bytes[a], bytes[b]));
        let input = from_nothing(&terms, &below).expect("an input");
        assert_eq!(input.bytes(symbol, 4), [3, 1, 2, 0]);
    }

    #[test]
    fn an_equation_is_solved_backwards() {
        let mut terms = Terms::new();
        let symbol = terms.symbol("x", 2);
        let (low, high) = (terms.byte(symbol, 0), terms.byte(symbol, 1));
        let word = terms.concat(high, low);
        let (ten, three) = (terms.constant(16, 10), terms.constant(16, 3));
        let scaled = terms.mul(word, ten);
        let sum = terms.add(scaled, three);
        let goal = terms.constant(16, 4323);
        let equation = terms.eq(sum, goal);
        let input = from_nothing(&terms, &[equation]).expect("an input");
        assert_eq!(input.bytes(symbol, 2), 432u16.to_le_bytes());
        let limit = terms.constant(8, 100);
        let small = terms.compare(IntPredicate::Ult, low, limit);
        let mut facts = Facts::default();
        facts.assume(&terms, small).expect("possible");
        assert!(repaired(&terms, &[equation], &facts, &Assignment::new()).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_found_fits(seed: u64, depth in 1u32..5) {
            let shape = Shape { bytes: 4, widest: 128, floats: true, arrays: true, widest_product: 129 };
            let mut generator = Generator::new(seed, shape);
            let constraints: Vec<TermId> = (0..3).map(|_| generator.term(1, depth)).collect();
            let start = generator.assignment();
            if let Some(input) = repaired(&generator.terms, &constraints, &Facts::default(), &start) {
                prop_assert!(constraints.iter().all(|&constraint| input.eval_bool(&generator.terms, constraint)));
            }
        }
    }
}
