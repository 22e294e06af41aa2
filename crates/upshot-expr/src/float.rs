//! Floating-point terms. What is an operation on bits (negation, absolute value, copying a sign) or a choice (minimum and
//! maximum, saturating conversion) is built from those; only real arithmetic and the comparisons have nodes.

use crate::Terms;
use crate::fold;
use crate::node::{Node, TermId};
use crate::ops::{FloatBinOp, FloatFormat, FloatPredicate, FloatUnOp, IntPredicate};

impl Terms {
    pub fn float_bin(&mut self, op: FloatBinOp, format: FloatFormat, a: TermId, b: TermId) -> TermId {
        if let Some((left, right)) = self.constants(a, b) {
            return self.constant(format.width(), fold::float_bin(op, format, left, right));
        }
        match op {
            FloatBinOp::Add | FloatBinOp::Sub | FloatBinOp::Mul | FloatBinOp::Div | FloatBinOp::Rem => {
                self.intern(Node::FloatBin(op, format, a, b), format.width())
            }
            FloatBinOp::MinNum => {
                let wins = self.float_less(format, b, a);
                self.number_or_other(format, a, b, wins)
            }
            FloatBinOp::MaxNum => {
                let wins = self.float_less(format, a, b);
                self.number_or_other(format, a, b, wins)
            }
            FloatBinOp::Minimum | FloatBinOp::Maximum => self.float_extreme(op, format, a, b),
            FloatBinOp::CopySign => {
                let magnitude = self.trunc(a, format.width() - 1);
                let sign = self.extract(b, format.width() - 1, 1);
                self.concat(sign, magnitude)
            }
        }
    }

    /// The values of two constants, where they may be folded.
    fn constants(&self, a: TermId, b: TermId) -> Option<(u128, u128)> {
        if self.simplify { self.as_const(a).zip(self.as_const(b)) } else { None }
    }

    fn number_or_other(&mut self, format: FloatFormat, a: TermId, b: TermId, b_wins: TermId) -> TermId {
        let nan = self.float_is_nan(format, a);
        let other = self.or(nan, b_wins);
        self.ite(other, b, a)
    }

    fn float_extreme(&mut self, op: FloatBinOp, format: FloatFormat, a: TermId, b: TermId) -> TermId {
        let minimum = op == FloatBinOp::Minimum;
        let (below, above) = (self.float_less(format, a, b), self.float_less(format, b, a));
        let (first, second) = if minimum { (below, above) } else { (above, below) };
        // Equal numbers differ at most in the sign of a zero.
        let equal = if minimum { self.or(a, b) } else { self.and(a, b) };
        let number = self.ite(second, b, equal);
        let number = self.ite(first, a, number);
        let (left, right) = (self.quieted(format, a), self.quieted(format, b));
        let (a_nan, b_nan) = (self.float_is_nan(format, a), self.float_is_nan(format, b));
        let number = self.ite(b_nan, right, number);
        self.ite(a_nan, left, number)
    }

    /// A NaN made quiet; for x87 also what the CPU does not accept, replaced by the default NaN.
    fn quieted(&mut self, format: FloatFormat, nan: TermId) -> TermId {
        let width = format.width();
        let bit = self.constant(width, 1 << (format.fraction_bits() - 1));
        let quiet = self.or(nan, bit);
        if format != FloatFormat::X87 {
            return quiet;
        }
        let accepted = self.extract(nan, 63, 1);
        let default = self.constant(width, format.default_nan());
        self.ite(accepted, quiet, default)
    }

    pub fn float_un(&mut self, op: FloatUnOp, format: FloatFormat, a: TermId) -> TermId {
        let width = format.width();
        match op {
            FloatUnOp::Neg => {
                let sign = self.extract(a, width - 1, 1);
                let flipped = self.not(sign);
                let magnitude = self.trunc(a, width - 1);
                self.concat(flipped, magnitude)
            }
            FloatUnOp::Abs => {
                let magnitude = self.trunc(a, width - 1);
                self.zext(magnitude, width)
            }
            _ => match self.as_const(a) {
                Some(value) if self.simplify => self.constant(width, fold::float_un(op, format, value)),
                _ => self.intern(Node::FloatUn(op, format, a), width),
            },
        }
    }

    pub fn float_fma(&mut self, format: FloatFormat, a: TermId, b: TermId, c: TermId) -> TermId {
        if let (Some((left, right)), Some(addend)) = (self.constants(a, b), self.as_const(c)) {
            return self.constant(format.width(), fold::float_fma(format, left, right, addend));
        }
        self.intern(Node::FloatFma(format, a, b, c), format.width())
    }

    /// One of LLVM's sixteen predicates.
    pub fn float_compare(&mut self, predicate: FloatPredicate, format: FloatFormat, a: TermId, b: TermId) -> TermId {
        if let Some((left, right)) = self.constants(a, b) {
            return self.bool(fold::float_compare(predicate, format, left, right));
        }
        let mask = predicate.0 & 15;
        if mask >= 8 {
            let opposite = self.float_compare(FloatPredicate(15 - mask), format, a, b);
            return self.not(opposite);
        }
        match mask {
            0 => self.bool(false),
            1 => self.float_equal(format, a, b),
            2 => self.float_less(format, b, a),
            3 => self.float_less_equal(format, b, a),
            4 => self.float_less(format, a, b),
            5 => self.float_less_equal(format, a, b),
            6 => {
                let (below, above) = (self.float_less(format, a, b), self.float_less(format, b, a));
                self.or(below, above)
            }
            _ => {
                let (a_nan, b_nan) = (self.float_is_nan(format, a), self.float_is_nan(format, b));
                let unordered = self.or(a_nan, b_nan);
                self.not(unordered)
            }
        }
    }

    fn float_equal(&mut self, format: FloatFormat, a: TermId, b: TermId) -> TermId {
        if let Some(decided) = self.attempt(|terms| terms.simplified_relation(IntPredicate::Eq, format, a, b)) {
            return decided;
        }
        let (a, b) = if self.simplify { self.ordered(a, b) } else { (a, b) };
        self.intern(Node::FloatEq(format, a, b), 1)
    }

    fn float_less(&mut self, format: FloatFormat, a: TermId, b: TermId) -> TermId {
        match self.attempt(|terms| terms.simplified_relation(IntPredicate::Slt, format, a, b)) {
            Some(decided) => decided,
            None => self.intern(Node::FloatLt(format, a, b), 1),
        }
    }

    fn float_less_equal(&mut self, format: FloatFormat, a: TermId, b: TermId) -> TermId {
        match self.attempt(|terms| terms.simplified_relation(IntPredicate::Sle, format, a, b)) {
            Some(decided) => decided,
            None => self.intern(Node::FloatLe(format, a, b), 1),
        }
    }

    /// Comparisons that need no floats: with a NaN, of a term with itself, of converted integers, and of widened floats. (Bits
    /// that were made as another format say nothing.)
    fn simplified_relation(
        &mut self,
        relation: IntPredicate,
        format: FloatFormat,
        a: TermId,
        b: TermId,
    ) -> Option<TermId> {
        let is_nan = |terms: &Terms, term| terms.as_const(term).is_some_and(|bits| fold::float_is_nan(format, bits));
        if is_nan(self, a) || is_nan(self, b) {
            return Some(self.bool(false));
        }
        if a == b {
            if relation == IntPredicate::Slt {
                return Some(self.bool(false));
            }
            let nan = self.float_is_nan(format, a);
            return Some(self.not(nan));
        }
        match (self.node(a), self.node(b)) {
            (Node::IntToFloat { signed, term: x, to }, Node::IntToFloat { signed: other, term: y, to: other_to })
                if to == format
                    && other_to == format
                    && self.is_exact(x, signed, format)
                    && self.is_exact(y, other, format) =>
            {
                let width = self.width(x).max(self.width(y)) + 1;
                if width > 128 {
                    return None;
                }
                let (x, y) = (self.resize(x, width, signed), self.resize(y, width, other));
                Some(self.compare(relation, x, y))
            }
            (Node::FloatCast { from, term: x, to }, Node::FloatCast { from: other, term: y, to: other_to })
                if to == format && other_to == format && from == other && from.fits_in(format) =>
            {
                Some(match relation {
                    IntPredicate::Eq => self.float_equal(from, x, y),
                    IntPredicate::Slt => self.float_less(from, x, y),
                    _ => self.float_less_equal(from, x, y),
                })
            }
            _ => None,
        }
    }

    /// Whether every value of this integer is a float of the format.
    fn is_exact(&self, integer: TermId, signed: bool, format: FloatFormat) -> bool {
        self.width(integer) - u8::from(signed) <= format.fraction_bits() + 1
            && i32::from(self.width(integer)) <= format.bias()
    }

    pub fn float_is_nan(&mut self, format: FloatFormat, a: TermId) -> TermId {
        let known = self.attempt(|terms| match (terms.as_const(a), terms.node(a)) {
            (Some(value), _) => Some(terms.bool(fold::float_is_nan(format, value))),
            (None, Node::IntToFloat { to, .. }) if to == format => Some(terms.bool(false)),
            (None, Node::FloatCast { from, to, term }) if to == format => Some(terms.float_is_nan(from, term)),
            _ => None,
        });
        match known {
            Some(term) => term,
            None => self.intern(Node::FloatIsNan(format, a), 1),
        }
    }

    pub fn float_cast(&mut self, from: FloatFormat, to: FloatFormat, term: TermId) -> TermId {
        if from == to {
            return term;
        }
        match self.as_const(term) {
            Some(value) if self.simplify => self.constant(to.width(), fold::float_cast(from, to, value)),
            _ => self.intern(Node::FloatCast { from, to, term }, to.width()),
        }
    }

    pub fn float_to_int(&mut self, from: FloatFormat, signed: bool, width: u8, term: TermId) -> TermId {
        let known = self.attempt(|terms| match (terms.as_const(term), terms.node(term)) {
            (Some(value), _) => Some(terms.constant(width, fold::float_to_int(from, signed, width, value))),
            (None, Node::IntToFloat { signed: source, term, to }) if to == from => {
                let fits = terms.width(term) + u8::from(signed && !source) <= width && (signed || !source);
                (fits && terms.is_exact(term, source, from)).then(|| terms.resize(term, width, source))
            }
            _ => None,
        });
        match known {
            Some(term) => term,
            None => self.intern(Node::FloatToInt { from, signed, term }, width),
        }
    }

    /// llvm.fptosi.sat and llvm.fptoui.sat: what does not fit gives the nearest integer that does, a NaN zero.
    pub fn float_to_int_sat(&mut self, from: FloatFormat, signed: bool, width: u8, term: TermId) -> TermId {
        if let Some(value) = self.as_const(term).filter(|_| self.simplify) {
            return self.constant(width, fold::float_to_int_sat(from, signed, width, value));
        }
        let limit = from.power_of_two(i32::from(width) - i32::from(signed));
        let (largest, smallest) = match signed {
            true => (fold::mask(width) >> 1, 1 << (width - 1)),
            false => (fold::mask(width), 0),
        };
        let lower = if signed { limit | from.sign_mask() } else { 0 };
        let (upper, lower) = (self.constant(from.width(), limit), self.constant(from.width(), lower));
        let (largest, smallest) = (self.constant(width, largest), self.constant(width, smallest));
        let zero = self.constant(width, 0);
        let nan = self.float_is_nan(from, term);
        let (above, below) = (self.float_less_equal(from, upper, term), self.float_less(from, term, lower));
        let inside = self.float_to_int(from, signed, width, term);
        let result = self.ite(above, largest, inside);
        let result = self.ite(below, smallest, result);
        self.ite(nan, zero, result)
    }

    pub fn int_to_float(&mut self, signed: bool, to: FloatFormat, term: TermId) -> TermId {
        match self.as_const(term) {
            Some(value) if self.simplify => {
                self.constant(to.width(), fold::int_to_float(signed, to, self.width(term), value))
            }
            _ => self.intern(Node::IntToFloat { signed, to, term }, to.width()),
        }
    }
}
