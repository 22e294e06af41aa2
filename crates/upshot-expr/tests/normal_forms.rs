//! Terms that mean the same and are built differently have the same id.

use upshot_expr::*;

/// `int x, y, z; unsigned char a, b, c;` with a few conveniences that make the tests readable.
struct Builder {
    terms: Terms,
}

impl Builder {
    fn new() -> Builder {
        Builder { terms: Terms::new() }
    }

    /// An input integer of some bytes.
    fn input(&mut self, name: &str, size: u32) -> TermId {
        let symbol = self.terms.symbol(name, size);
        let bytes: Vec<TermId> = (0..size).map(|offset| self.terms.byte(symbol, offset)).collect();
        bytes.into_iter().reduce(|low, high| self.terms.concat(high, low)).unwrap()
    }

    fn number(&mut self, like: TermId, value: i128) -> TermId {
        self.terms.constant(self.terms.width(like), value as u128)
    }

    fn plus(&mut self, a: TermId, value: i128) -> TermId {
        let value = self.number(a, value);
        self.terms.add(a, value)
    }

    fn times(&mut self, a: TermId, value: i128) -> TermId {
        let value = self.number(a, value);
        self.terms.mul(a, value)
    }

    fn bin(&mut self, op: BinOp, a: TermId, value: i128) -> TermId {
        let value = self.number(a, value);
        self.terms.bin(op, a, value)
    }

    fn cmp(&mut self, predicate: IntPredicate, a: TermId, value: i128) -> TermId {
        let value = self.number(a, value);
        self.terms.compare(predicate, a, value)
    }

    #[track_caller]
    fn same(&self, a: TermId, b: TermId) {
        assert_eq!(a, b, "{} and {}", self.terms.display(a), self.terms.display(b));
    }

    #[track_caller]
    fn is(&self, term: TermId, value: u128) {
        assert_eq!(self.terms.as_const(term), Some(value), "{}", self.terms.display(term));
    }
}

use BinOp::*;
use IntPredicate::*;

#[test]
fn sums_do_not_depend_on_how_they_were_built() {
    let mut b = Builder::new();
    let (x, y, z) = (b.input("x", 4), b.input("y", 4), b.input("z", 4));
    let left = b.terms.add(x, y);
    let left = b.terms.add(left, z);
    let right = b.terms.add(z, x);
    let right = b.terms.add(y, right);
    b.same(left, right);
    let difference = b.terms.sub(left, y);
    let expected = b.terms.add(x, z);
    b.same(difference, expected);
    let (one, two) = (b.plus(x, 1), b.plus(x, 2));
    let next = b.plus(one, 1);
    b.same(next, two);
    let back = b.plus(one, -1);
    b.same(back, x);
    let (double, triple) = (b.times(x, 2), b.times(x, 3));
    let sum = b.terms.add(double, x);
    b.same(sum, triple);
    let shifted = b.bin(Shl, x, 1);
    b.same(shifted, double);
    let negative = b.terms.neg(x);
    let complement = b.terms.not(x);
    let complement = b.plus(complement, 1);
    b.same(negative, complement);
    let zero = b.terms.add(negative, x);
    b.is(zero, 0);
}

/// Dividing and multiplying back, at every width, signed and not, by anything.
#[test]
fn quotients_and_remainders_are_put_together() {
    for (quotient, remainder) in [(UDiv, URem), (SDiv, SRem)] {
        for bytes in [1, 2, 4, 8, 16] {
            let mut b = Builder::new();
            let (x, y, z) = (b.input("x", bytes), b.input("y", bytes), b.input("z", bytes));
            let (scaled, ten, odd) = (b.times(y, 6), b.number(x, 10), b.number(x, -7));
            let sum = b.terms.add(x, z);
            for (x, y) in [(x, y), (x, scaled), (x, ten), (x, odd), (sum, y), (sum, ten)] {
                let (whole, rest) = (b.terms.bin(quotient, x, y), b.terms.bin(remainder, x, y));
                let product = b.terms.mul(y, whole);
                let (back, other) = (b.terms.add(product, rest), b.terms.add(rest, product));
                b.same(back, x);
                b.same(other, x);
                let left = b.terms.sub(x, product);
                b.same(left, rest);
                let (without_rest, other) = (b.terms.sub(x, rest), b.terms.add(left, z));
                let equal = b.terms.eq(without_rest, product);
                b.is(equal, 1);
                let expected = b.terms.add(rest, z);
                b.same(other, expected);
            }
        }
    }
    // Operands that are known to be small are divided as such.
    let mut b = Builder::new();
    let (x, y) = (b.input("x", 1), b.input("y", 1));
    let (x, y) = (b.terms.zext(x, 32), b.terms.zext(y, 32));
    for y in [y, b.number(x, 10)] {
        let (whole, rest) = (b.terms.bin(SDiv, x, y), b.terms.bin(SRem, x, y));
        let product = b.terms.mul(whole, y);
        let back = b.terms.add(product, rest);
        b.same(back, x);
    }
}

#[test]
fn products_do_not_depend_on_how_they_were_built() {
    let mut b = Builder::new();
    let (x, y, z) = (b.input("x", 4), b.input("y", 4), b.input("z", 4));
    let left = b.terms.mul(x, y);
    let left = b.terms.mul(left, z);
    let right = b.terms.mul(z, x);
    let right = b.terms.mul(y, right);
    b.same(left, right);
    // x * (y + 1) is x * y + x.
    let next = b.plus(y, 1);
    let left = b.terms.mul(x, next);
    let product = b.terms.mul(x, y);
    let right = b.terms.add(product, x);
    b.same(left, right);
    // Not expanded, but seen to be equal: (x + y) * (x - y) == x * x - y * y.
    let (sum, difference) = (b.terms.add(x, y), b.terms.sub(x, y));
    let left = b.terms.mul(sum, difference);
    let (xx, yy) = (b.terms.mul(x, x), b.terms.mul(y, y));
    let right = b.terms.sub(xx, yy);
    let equal = b.terms.eq(left, right);
    b.is(equal, 1);
    let less = b.terms.ult(left, right);
    b.is(less, 0);
    // 10 * (x + 3) == 10 * x + 30.
    let left = b.plus(x, 3);
    let left = b.times(left, 10);
    let right = b.times(x, 10);
    let right = b.plus(right, 30);
    let equal = b.terms.eq(left, right);
    b.is(equal, 1);
}

#[test]
fn equations_are_solved() {
    let mut b = Builder::new();
    let (x, y) = (b.input("x", 4), b.input("y", 4));
    let sum = b.plus(x, 3);
    let (equation, solved) = (b.cmp(Eq, sum, 7), b.cmp(Eq, x, 4));
    b.same(equation, solved);
    let triple = b.times(x, 3);
    let equation = b.cmp(Eq, triple, 12);
    b.same(equation, solved);
    let double = b.times(x, 2);
    let odd = b.cmp(Eq, double, 5);
    b.is(odd, 0);
    let opposite = b.terms.not(x);
    let equation = b.cmp(Eq, opposite, -5);
    b.same(equation, solved);
    // x - y == 0, y + 1 == x + 1.
    let difference = b.terms.sub(x, y);
    let (equation, equal) = (b.cmp(Eq, difference, 0), b.terms.eq(y, x));
    b.same(equation, equal);
    let (left, right) = (b.plus(y, 1), b.plus(x, 1));
    let equation = b.terms.eq(left, right);
    b.same(equation, equal);
    let (left, right) = (b.plus(x, 1), b.plus(x, 2));
    let equation = b.terms.eq(left, right);
    b.is(equation, 0);
    let masked = b.terms.xor(x, y);
    let equation = b.cmp(Eq, masked, 0);
    b.same(equation, equal);
}

#[test]
fn orders_do_not_move_constants() {
    let mut b = Builder::new();
    let x = b.input("x", 4);
    let sum = b.plus(x, 3);
    let (moved, kept) = (b.cmp(Ult, x, 4), b.cmp(Ult, sum, 7));
    assert_ne!(moved, kept);
}

#[test]
fn orders_move_constants_where_nothing_wraps() {
    let mut b = Builder::new();
    let (i, c) = (b.input("i", 4), b.input("c", 1));
    // &array[i] < &array[10], for an unsigned index.
    let index = b.terms.zext(i, 64);
    let offset = b.times(index, 4);
    let address = b.plus(offset, 0x1000);
    let (inside, direct) = (b.cmp(Ult, address, 0x1028), b.cmp(Ult, i, 10));
    b.same(inside, direct);
    let (partly, direct) = (b.cmp(Ult, address, 0x1026), b.cmp(Ult, i, 10));
    b.same(partly, direct);
    // c - '0' < 10, 100 - c > 3 and 3 * c <= 200, for a char.
    let character = b.terms.sext(c, 32);
    let digit = b.plus(character, -48);
    let (small, direct) = (b.cmp(Slt, digit, 10), b.cmp(Slt, c, 58));
    b.same(small, direct);
    let hundred = b.number(character, 100);
    let rest = b.terms.sub(hundred, character);
    let (positive, direct) = (b.cmp(Sgt, rest, 3), b.cmp(Slt, c, 97));
    b.same(positive, direct);
    let triple = b.times(character, 3);
    let (limited, direct) = (b.cmp(Sle, triple, 200), b.cmp(Sle, c, 66));
    b.same(limited, direct);
    let (negative, direct) = (b.cmp(Slt, triple, -200), b.cmp(Slt, c, -66));
    b.same(negative, direct);
}

#[test]
fn comparisons_are_oriented() {
    let mut b = Builder::new();
    let x = b.input("x", 4);
    let (less, at_most, greater) = (b.cmp(Slt, x, 10), b.cmp(Sle, x, 9), b.cmp(Sge, x, 10));
    b.same(less, at_most);
    let opposite = b.terms.not(less);
    b.same(greater, opposite);
    let (below_one, zero) = (b.cmp(Ult, x, 1), b.cmp(Eq, x, 0));
    b.same(below_one, zero);
    let (above, different) = (b.cmp(Ugt, x, 0), b.cmp(Ne, x, 0));
    b.same(above, different);
    let never = b.cmp(Ult, x, 0);
    b.is(never, 0);
}

#[test]
fn comparisons_are_narrowed() {
    let mut b = Builder::new();
    let (x, y) = (b.input("a", 1), b.input("b", 1));
    let (wide, other) = (b.terms.zext(x, 32), b.terms.zext(y, 32));
    for (predicate, narrow) in [(Slt, Ult), (Ult, Ult), (Eq, Eq), (Sge, Uge)] {
        let (left, right) = (b.terms.compare(predicate, wide, other), b.terms.compare(narrow, x, y));
        b.same(left, right);
        let (left, right) = (b.cmp(predicate, wide, 57), b.cmp(narrow, x, 57));
        b.same(left, right);
    }
    let always = b.cmp(Slt, wide, 256);
    b.is(always, 1);
    let never = b.cmp(Eq, wide, 300);
    b.is(never, 0);
    let signed = b.terms.sext(x, 32);
    let (left, right) = (b.cmp(Slt, signed, 48), b.cmp(Slt, x, 48));
    b.same(left, right);
    let always = b.cmp(Sge, signed, -128);
    b.is(always, 1);
    // The sign bit, however it is taken.
    let x = b.input("x", 4);
    let (negative, shifted) = (b.cmp(Slt, x, 0), b.bin(LShr, x, 31));
    let bit = b.cmp(Ne, shifted, 0);
    b.same(negative, bit);
}

#[test]
fn truth_values_survive_c() {
    let mut b = Builder::new();
    let x = b.input("x", 4);
    let condition = b.cmp(Slt, x, 10);
    // int t = x < 10; if (t != 0), if (!t)
    let extended = b.terms.zext(condition, 32);
    let (tested, refused) = (b.cmp(Ne, extended, 0), b.cmp(Eq, extended, 0));
    b.same(tested, condition);
    let opposite = b.terms.not(condition);
    b.same(refused, opposite);
    // A _Bool in memory.
    let stored = b.terms.zext(condition, 8);
    let loaded = b.terms.trunc(stored, 1);
    b.same(loaded, condition);
    // t ? 5 : 3 compared with 5.
    let (five, three) = (b.number(x, 5), b.number(x, 3));
    let choice = b.terms.ite(condition, five, three);
    let (is_five, is_four) = (b.cmp(Eq, choice, 5), b.cmp(Eq, choice, 4));
    b.same(is_five, condition);
    b.is(is_four, 0);
    let sum = b.plus(choice, 1);
    let (six, four) = (b.number(x, 6), b.number(x, 4));
    let expected = b.terms.ite(condition, six, four);
    b.same(sum, expected);
}

#[test]
fn bytes_of_a_term_are_put_together() {
    let mut b = Builder::new();
    let (x, y, c) = (b.input("x", 4), b.input("y", 4), b.input("c", 1));
    let wide = b.terms.sext(c, 32);
    let condition = b.cmp(Slt, x, 3);
    let (seven, thousand) = (b.number(x, 7), b.number(x, 1000));
    let terms = [
        b.terms.mul(x, y),
        b.plus(wide, 1),
        b.terms.add(x, y),
        b.bin(Xor, x, 0x00ff_00aa),
        b.bin(Shl, x, 3),
        b.bin(Shl, wide, 5),
        b.terms.not(x),
        b.terms.zext(condition, 32),
        b.terms.ite(condition, seven, thousand),
        b.terms.ite(condition, x, y),
        b.terms.bin(UDiv, x, y),
        b.bin(URem, x, 10),
        wide,
    ];
    for term in terms {
        let bytes: Vec<TermId> = (0..4).map(|position| b.terms.extract(term, position * 8, 8)).collect();
        let upwards = bytes.iter().copied().reduce(|low, high| b.terms.concat(high, low)).unwrap();
        b.same(upwards, term);
        let downwards = bytes.iter().rev().copied().reduce(|high, low| b.terms.concat(high, low)).unwrap();
        b.same(downwards, term);
    }
}

#[test]
fn bits_that_move_are_recognised() {
    let mut b = Builder::new();
    let symbol = b.terms.symbol("buf", 4);
    let bytes: Vec<TermId> = (0..4).map(|offset| b.terms.byte(symbol, offset)).collect();
    // buf[0] | buf[1] << 8 | buf[2] << 16 | buf[3] << 24
    let mut word = b.terms.zext(bytes[0], 32);
    for (position, &byte) in bytes.iter().enumerate().skip(1) {
        let wide = b.terms.zext(byte, 32);
        let moved = b.bin(Shl, wide, 8 * position as i128);
        word = b.terms.or(word, moved);
    }
    let whole = b.input("buf", 4);
    b.same(word, whole);
    // A rotation and its inverse.
    let (left, right) = (b.bin(Shl, whole, 5), b.bin(LShr, whole, 27));
    let rotated = b.terms.or(left, right);
    let (left, right) = (b.bin(Shl, rotated, 27), b.bin(LShr, rotated, 5));
    let back = b.terms.or(left, right);
    b.same(back, whole);
    // (x & 0xff00) >> 8 is the second byte.
    let masked = b.bin(And, whole, 0xff00);
    let moved = b.bin(LShr, masked, 8);
    let expected = b.terms.zext(bytes[1], 32);
    b.same(moved, expected);
    // Flags one by one, or at once.
    let (eight, four, both) = (b.bin(And, whole, 8), b.bin(And, whole, 4), b.bin(And, whole, 12));
    let joined = b.terms.or(eight, four);
    b.same(joined, both);
    // Characters computed as int.
    let (p, q) = (b.terms.zext(bytes[0], 32), b.terms.sext(bytes[1], 32));
    let sum = b.terms.add(p, q);
    let narrow = b.terms.trunc(sum, 8);
    let expected = b.terms.add(bytes[0], bytes[1]);
    b.same(narrow, expected);
}

#[test]
fn division_by_powers_of_two_moves_bits() {
    let mut b = Builder::new();
    let (x, c) = (b.input("x", 4), b.input("c", 1));
    let (quotient, shifted) = (b.bin(UDiv, x, 8), b.bin(LShr, x, 3));
    b.same(quotient, shifted);
    let (rest, masked) = (b.bin(URem, x, 8), b.bin(And, x, 7));
    b.same(rest, masked);
    let wide = b.terms.zext(c, 32);
    let (quotient, narrow) = (b.bin(SDiv, wide, 10), b.bin(UDiv, c, 10));
    let narrow = b.terms.zext(narrow, 32);
    b.same(quotient, narrow);
    let rest = b.bin(SRem, wide, 10);
    let always = b.cmp(Ult, rest, 10);
    b.is(always, 1);
    let rest = b.bin(SRem, x, 2);
    let (even, low) = (b.cmp(Eq, rest, 0), b.terms.trunc(x, 1));
    let low = b.terms.not(low);
    b.same(even, low);
}

#[test]
fn logic_joins_comparisons() {
    let mut b = Builder::new();
    let x = b.input("x", 4);
    let (five, nine, three) = (b.cmp(Ult, x, 5), b.cmp(Ult, x, 9), b.cmp(Eq, x, 3));
    let both = b.terms.and(nine, five);
    b.same(both, five);
    let either = b.terms.or(five, nine);
    b.same(either, nine);
    let both = b.terms.and(three, five);
    b.same(both, three);
    let above = b.cmp(Ugt, x, 20);
    let none = b.terms.and(above, nine);
    b.is(none, 0);
    let not_five = b.terms.not(five);
    let either = b.terms.or(not_five, nine);
    b.is(either, 1);
    let (at_least, at_most) = (b.cmp(Sge, x, 7), b.cmp(Sle, x, 7));
    let (both, equal) = (b.terms.and(at_least, at_most), b.cmp(Eq, x, 7));
    b.same(both, equal);
    let different = b.terms.not(equal);
    let (below, at_most) = (b.cmp(Slt, x, 7), b.cmp(Sle, x, 7));
    let both = b.terms.and(at_most, different);
    b.same(both, below);
    let absorbed = b.terms.or(nine, equal);
    let absorbed = b.terms.and(nine, absorbed);
    b.same(absorbed, nine);
}

#[test]
fn chains_do_not_depend_on_how_they_were_built() {
    let mut b = Builder::new();
    let inputs: Vec<TermId> = ["p", "q", "r", "s"].into_iter().map(|name| b.input(name, 4)).collect();
    let bits: Vec<TermId> = inputs.iter().map(|&input| b.cmp(Slt, input, 5)).collect();
    for op in [And, Or, Xor] {
        for items in [&inputs, &bits] {
            let forwards = items.iter().copied().reduce(|left, right| b.terms.bin(op, left, right)).unwrap();
            let backwards = items.iter().rev().copied().reduce(|left, right| b.terms.bin(op, left, right)).unwrap();
            b.same(forwards, backwards);
            let (left, right) = (b.terms.bin(op, items[0], items[2]), b.terms.bin(op, items[3], items[1]));
            let pairs = b.terms.bin(op, left, right);
            b.same(pairs, forwards);
            let again = b.terms.bin(op, forwards, items[2]);
            match op {
                Xor => {
                    let without = b.terms.bin(op, items[0], items[1]);
                    let without = b.terms.bin(op, without, items[3]);
                    b.same(again, without);
                }
                _ => b.same(again, forwards),
            }
            let opposite = b.terms.not(items[1]);
            let settled = b.terms.bin(op, forwards, opposite);
            match op {
                And => b.is(settled, 0),
                Or => b.is(settled, fold::mask(b.terms.width(items[0]))),
                _ => {}
            }
        }
    }
}

#[test]
fn choices_are_simplified() {
    let mut b = Builder::new();
    let (x, y, z) = (b.input("x", 4), b.input("y", 4), b.input("z", 4));
    let (c, d) = (b.cmp(Slt, x, 3), b.cmp(Slt, y, 3));
    let inner = b.terms.ite(c, x, y);
    let outer = b.terms.ite(c, inner, z);
    let expected = b.terms.ite(c, x, z);
    b.same(outer, expected);
    let inner = b.terms.ite(d, x, y);
    let outer = b.terms.ite(c, x, inner);
    let either = b.terms.or(c, d);
    let expected = b.terms.ite(either, x, y);
    b.same(outer, expected);
    let seven = b.number(x, 7);
    let is_seven = b.terms.eq(x, seven);
    let no_choice = b.terms.ite(is_seven, seven, x);
    b.same(no_choice, x);
}

#[test]
fn reads_see_stores() {
    let mut b = Builder::new();
    let i = b.input("i", 8);
    let next = b.plus(i, 1);
    let (v, w) = (b.input("v", 1), b.input("w", 1));
    let base = b.terms.array(ArrayNode::Bytes((0..32).collect()));
    let first = b.terms.array(ArrayNode::Store { array: base, index: i, value: v });
    let second = b.terms.array(ArrayNode::Store { array: first, index: next, value: w });
    let read = b.terms.read(second, next);
    b.same(read, w);
    let read = b.terms.read(second, i);
    b.same(read, v);
    let again = b.terms.array(ArrayNode::Store { array: first, index: i, value: w });
    let direct = b.terms.array(ArrayNode::Store { array: base, index: i, value: w });
    assert_eq!(again, direct);
    let (five, hundred) = (b.number(i, 5), b.number(i, 100));
    let (inside, outside) = (b.terms.read(base, five), b.terms.read(base, hundred));
    b.is(inside, 5);
    b.is(outside, 0);
    let index = b.bin(And, i, 7);
    let small = b.terms.read(base, index);
    let always = b.cmp(Ult, small, 8);
    b.is(always, 1);
    let symbol = b.terms.symbol("v", 1);
    let entries = vec![b.terms.byte(symbol, 0)];
    let table = b.terms.array(ArrayNode::Table(entries.into()));
    let object = b.terms.array(ArrayNode::Symbol { symbol, size: 1 });
    assert_eq!(table, object);
}

#[test]
fn long_sums_stay_cheap() {
    let mut b = Builder::new();
    let symbol = b.terms.symbol("buf", 400);
    let mut sum = b.terms.constant(32, 0);
    for offset in 0..400 {
        let byte = b.terms.byte(symbol, offset);
        let byte = b.terms.zext(byte, 32);
        sum = b.terms.add(sum, byte);
        sum = b.plus(sum, 1);
    }
    assert!(b.terms.len() < 400 * 6, "{} terms", b.terms.len());
}
