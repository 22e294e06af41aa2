//! Bitwise operators, of any width; on one bit they are logic, and [`crate::logic`] adds what holds of comparisons.
//!
//! A mask moves bits: `x & 0xff` is the low byte of `x`, extended. Operators on extended terms are done at the narrow width.
//! Two terms that have no bit in common are put side by side. What is left is kept as a chain of operands in the structural
//! order, without repetitions.

use crate::Terms;
use crate::facts::bit_length;
use crate::fold::{mask, sign_extend};
use crate::node::{Node, TermId};
use crate::ops::BinOp;

/// The longest chain of one operator that is kept in normal form.
const MOST_OPERANDS: usize = 8;
const MOST_VISITS: u8 = 24;

impl Terms {
    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.bin(BinOp::And, a, b)
    }

    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        self.bin(BinOp::Or, a, b)
    }

    pub fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        self.bin(BinOp::Xor, a, b)
    }

    pub fn not(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        match self.attempt(|terms| terms.simplified_not(a)) {
            Some(term) => term,
            None => self.finish(Node::Not(a), width),
        }
    }

    fn simplified_not(&mut self, a: TermId) -> Option<TermId> {
        let width = self.width(a);
        if let Some(value) = self.as_const(a) {
            return Some(self.constant(width, !value));
        }
        match self.node(a) {
            Node::Not(inner) => Some(inner),
            Node::Ite(condition, x, y) => {
                let (x, y) = (self.as_const(x)?, self.as_const(y)?);
                let (x, y) = (self.constant(width, !x), self.constant(width, !y));
                Some(self.ite(condition, x, y))
            }
            // -a - 1: a sum, like the one it is made from.
            Node::Bin(BinOp::Add | BinOp::Sub, ..) | Node::ZExt(_) | Node::SExt(_) => {
                if !matches!(self.node(a), Node::Bin(..)) && self.width_inside(a) != 1 {
                    return None;
                }
                let mut sum = self.linear_scaled(a, mask(width)).ok()?;
                sum.add_constant(mask(width));
                Some(self.sum_term(sum))
            }
            _ => None,
        }
    }

    /// The width of what an extension extends.
    fn width_inside(&self, term: TermId) -> u8 {
        match self.node(term) {
            Node::ZExt(inner) | Node::SExt(inner) => self.width(inner),
            _ => self.width(term),
        }
    }

    /// Whether one term is the other with each bit flipped.
    pub(crate) fn complementary(&self, a: TermId, b: TermId) -> bool {
        self.node(a) == Node::Not(b) || self.node(b) == Node::Not(a)
    }

    pub(crate) fn bitwise(&mut self, op: BinOp, a: TermId, b: TermId) -> TermId {
        let (a, b) = self.ordered(a, b);
        if let Some(term) = self.bitwise_identity(op, a, b) {
            return term;
        }
        if self.width(a) > 1 {
            let narrower = match self.as_const(b) {
                Some(value) => self.bitwise_constant(op, a, value),
                None => self.bitwise_narrowed(op, a, b).or_else(|| self.side_by_side(op, a, b)),
            };
            if let Some(term) = narrower {
                return term;
            }
        } else if let Some(term) = self.joined_comparisons(op, a, b) {
            return term;
        }
        self.chain(op, a, b)
    }

    /// What holds whatever the operands are made of.
    fn bitwise_identity(&mut self, op: BinOp, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        let (zero, ones) = (self.is_zero(b), self.is_ones(b));
        match op {
            BinOp::And if ones || a == b => return Some(a),
            BinOp::And if zero => return Some(b),
            BinOp::Or if zero || a == b => return Some(a),
            BinOp::Or if ones => return Some(b),
            BinOp::Xor if zero => return Some(a),
            BinOp::Xor if ones => return Some(self.not(a)),
            BinOp::Xor if a == b => return Some(self.constant(width, 0)),
            _ => {}
        }
        if self.complementary(a, b) {
            let value = if op == BinOp::And { 0 } else { mask(width) };
            return Some(self.constant(width, value));
        }
        match (op, self.node(a), self.node(b)) {
            (BinOp::Xor, Node::Not(x), Node::Not(y)) => Some(self.xor(x, y)),
            (BinOp::Xor, Node::Not(x), _) => {
                let rest = self.xor(x, b);
                Some(self.not(rest))
            }
            (BinOp::Xor, _, Node::Not(y)) => {
                let rest = self.xor(a, y);
                Some(self.not(rest))
            }
            (BinOp::And, Node::Not(x), Node::Not(y)) => {
                let either = self.or(x, y);
                Some(self.not(either))
            }
            (BinOp::Or, Node::Not(x), Node::Not(y)) => {
                let both = self.and(x, y);
                Some(self.not(both))
            }
            (BinOp::And, ..) => self.absorbed(op, BinOp::Or, a, b).or_else(|| self.absorbed(op, BinOp::Or, b, a)),
            (BinOp::Or, ..) => self.absorbed(op, BinOp::And, a, b).or_else(|| self.absorbed(op, BinOp::And, b, a)),
            _ => None,
        }
    }

    /// `a & (a | b)` is `a`; `a & (~a | b)` and `a & ~(a & ~b)` are `a & b`; and the same with the operators exchanged.
    fn absorbed(&mut self, op: BinOp, dual: BinOp, a: TermId, b: TermId) -> Option<TermId> {
        if let Node::Not(negated) = self.node(b)
            && let Node::Bin(inner, x, y) = self.node(negated)
            && inner == op
        {
            if a == x || a == y {
                let rest = self.not(if a == x { y } else { x });
                return Some(self.bin(op, a, rest));
            }
            return (self.complementary(a, x) || self.complementary(a, y)).then_some(a);
        }
        let Node::Bin(inner, x, y) = self.node(b) else { return None };
        if inner != dual {
            return None;
        }
        if a == x || a == y {
            return Some(a);
        }
        if self.complementary(a, x) {
            return Some(self.bin(op, a, y));
        }
        if self.complementary(a, y) {
            return Some(self.bin(op, a, x));
        }
        None
    }

    fn bitwise_constant(&mut self, op: BinOp, a: TermId, value: u128) -> Option<TermId> {
        let width = self.width(a);
        let facts = self.facts(a);
        match op {
            BinOp::And if value & !facts.zeros == mask(width) & !facts.zeros => return Some(a),
            BinOp::And => {
                let kept = value & !facts.zeros;
                if kept != value {
                    let kept = self.constant(width, kept);
                    return Some(self.and(a, kept));
                }
                if let Some(term) = self.masked_run(a, value) {
                    return Some(term);
                }
            }
            BinOp::Or if value & !facts.ones == 0 => return Some(a),
            _ => {}
        }
        if let Some((condition, x, y)) = self.choice(a) {
            let value = self.constant(width, value);
            let (x, y) = (self.bin(op, x, value), self.bin(op, y, value));
            return Some(self.ite(condition, x, y));
        }
        self.constant_by_parts(op, a, value)
    }

    /// `a & mask` for a mask of neighbouring bits: those bits, moved to where they were.
    fn masked_run(&mut self, a: TermId, value: u128) -> Option<TermId> {
        let width = self.width(a);
        let low = value.trailing_zeros() as u8;
        let count = value.count_ones() as u8;
        if bit_length(value) != low + count {
            return None;
        }
        let mut bits = self.extract(a, low, count);
        if low > 0 {
            let zeros = self.constant(low, 0);
            bits = self.concat(bits, zeros);
        }
        Some(self.zext(bits, width))
    }

    /// A constant and a term of parts: part by part, where that makes one of the parts trivial.
    fn constant_by_parts(&mut self, op: BinOp, a: TermId, value: u128) -> Option<TermId> {
        let width = self.width(a);
        let (high, low) = match self.node(a) {
            Node::Concat(high, low) => (Some(high), low),
            Node::ZExt(low) => (None, low),
            Node::SExt(inner) => {
                let narrow = self.width(inner);
                if sign_extend(value & mask(narrow), narrow, width) != value {
                    return None;
                }
                let value = self.constant(narrow, value);
                let result = self.bin(op, inner, value);
                return Some(self.sext(result, width));
            }
            _ => return None,
        };
        let split = self.width(low);
        let (upper, lower) = (value >> split, value & mask(split));
        let trivial = |part: u128, width: u8| part == 0 || part == mask(width);
        let constant_part = high.is_none_or(|high| self.as_const(high).is_some()) || self.as_const(low).is_some();
        if !constant_part && !trivial(upper, width - split) && !trivial(lower, split) {
            return None;
        }
        let high = match high {
            Some(high) => high,
            None => self.constant(width - split, 0),
        };
        let (upper, lower) = (self.constant(width - split, upper), self.constant(split, lower));
        let (high, low) = (self.bin(op, high, upper), self.bin(op, low, lower));
        Some(self.concat(high, low))
    }

    /// Operators on extended terms, at the narrow width.
    fn bitwise_narrowed(&mut self, op: BinOp, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        match (self.node(a), self.node(b)) {
            (Node::SExt(x), Node::SExt(y)) if self.width(x) == self.width(y) => {
                let result = self.bin(op, x, y);
                Some(self.sext(result, width))
            }
            (Node::ZExt(x), Node::ZExt(y)) => {
                let (x_width, y_width) = (self.width(x), self.width(y));
                let narrow = if op == BinOp::And { x_width.min(y_width) } else { x_width.max(y_width) };
                let (x, y) = (self.resize(x, narrow, false), self.resize(y, narrow, false));
                let result = self.bin(op, x, y);
                Some(self.zext(result, width))
            }
            (Node::ZExt(x), _) if op == BinOp::And => self.and_extended(x, b, width),
            (_, Node::ZExt(y)) if op == BinOp::And => self.and_extended(y, a, width),
            (Node::Concat(high, low), Node::Concat(other_high, other_low)) => {
                let parts = [high, low, other_high, other_low];
                let constant_part = parts.iter().any(|&part| self.as_const(part).is_some());
                if self.width(low) != self.width(other_low) || !constant_part {
                    return None;
                }
                let (high, low) = (self.bin(op, high, other_high), self.bin(op, low, other_low));
                Some(self.concat(high, low))
            }
            _ => None,
        }
    }

    fn and_extended(&mut self, narrow: TermId, other: TermId, width: u8) -> Option<TermId> {
        let other = self.trunc(other, self.width(narrow));
        let result = self.and(narrow, other);
        Some(self.zext(result, width))
    }

    /// Terms that have no bit in common, one above the other.
    fn side_by_side(&mut self, op: BinOp, a: TermId, b: TermId) -> Option<TermId> {
        if op == BinOp::And {
            return None;
        }
        let width = self.width(a);
        for (upper, lower) in [(a, b), (b, a)] {
            let split = self.facts(upper).trailing_zeros().min(width - 1);
            if split > 0 && bit_length(mask(width) & !self.facts(lower).zeros) <= split {
                let high = self.extract(upper, split, width - split);
                let low = self.trunc(lower, split);
                return Some(self.concat(high, low));
            }
        }
        None
    }

    /// A chain of operands in the structural order.
    fn chain(&mut self, op: BinOp, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        let mut operands = Operands { list: [a; MOST_OPERANDS], count: 0, constant: None, visits: 0 };
        if !(self.operands(op, a, &mut operands) && self.operands(op, b, &mut operands)) {
            return self.finish(Node::Bin(op, a, b), width);
        }
        let count = operands.count;
        let list = &mut operands.list[..count];
        list.sort_unstable_by(|&left, &right| self.order(left, right));
        for (position, &operand) in list.iter().enumerate() {
            if list[position + 1..].iter().any(|&other| self.complementary(operand, other)) && op != BinOp::Xor {
                return self.constant(width, if op == BinOp::And { 0 } else { mask(width) });
            }
        }
        if let &[first, second, ref rest @ ..] = &*list
            && (first, second) != (a, b)
        {
            // Operands that meet here for the first time may have more in common; then the order of the others is another.
            let joined = self.bin(op, first, second);
            if self.node(joined) != Node::Bin(op, first, second) {
                let constant = operands.constant.map(|value| self.constant(width, value));
                return rest.iter().copied().chain(constant).fold(joined, |before, next| self.bin(op, before, next));
            }
        }
        let chain = list.iter().copied().reduce(|before, next| self.finish(Node::Bin(op, before, next), width));
        let (chain, constant) = match (chain, operands.constant) {
            (None, constant) => return self.constant(width, constant.unwrap_or(0)),
            (Some(chain), None) => return chain,
            (Some(chain), Some(value)) => (chain, self.constant(width, value)),
        };
        // Constants that met may now be a mask, or nothing.
        if (chain, constant) == (a, b) {
            self.finish(Node::Bin(op, a, b), width)
        } else {
            self.bin(op, chain, constant)
        }
    }

    /// Adds the operands of a chain to a list, each once (or for `Xor`, not if it was there). False if there are too many.
    fn operands(&self, op: BinOp, term: TermId, found: &mut Operands) -> bool {
        found.visits += 1;
        if found.visits > MOST_VISITS {
            return false;
        }
        if let Some(value) = self.as_const(term) {
            let width = self.width(term);
            found.constant = Some(found.constant.map_or(value, |known| crate::fold::bin(op, width, known, value)));
            return true;
        }
        if let Node::Bin(inner, a, b) = self.node(term)
            && inner == op
        {
            return self.operands(op, a, found) && self.operands(op, b, found);
        }
        match found.list[..found.count].iter().position(|&known| known == term) {
            Some(position) if op == BinOp::Xor => {
                found.list.copy_within(position + 1..found.count, position);
                found.count -= 1;
            }
            Some(_) => {}
            None if found.count == MOST_OPERANDS => return false,
            None => {
                found.list[found.count] = term;
                found.count += 1;
            }
        }
        true
    }
}

struct Operands {
    list: [TermId; MOST_OPERANDS],
    count: usize,
    constant: Option<u128>,
    /// How many terms were looked at: a chain that is not in normal form can be deeper than the stack.
    visits: u8,
}
