//! Terms far deeper than the stack: loops that run long make them.

use upshot_expr::*;

const STEPS: u32 = 200_000;

struct Inputs {
    terms: Terms,
    x: TermId,
    y: TermId,
}

fn inputs() -> Inputs {
    let mut terms = Terms::new();
    let mut whole = |name: &str| {
        let symbol = terms.symbol(name, 4);
        let bytes: Vec<TermId> = (0..4).map(|offset| terms.byte(symbol, offset)).collect();
        bytes.into_iter().reduce(|low, high| terms.concat(high, low)).unwrap()
    };
    let (x, y) = (whole("x"), whole("y"));
    Inputs { terms, x, y }
}

/// Builds a chain, then does everything there is to do with its end.
fn check(inputs: Inputs, step: impl Fn(&mut Terms, TermId, TermId, TermId, u32) -> TermId) {
    let Inputs { mut terms, x, y } = inputs;
    let mut term = x;
    for number in 0..STEPS {
        term = step(&mut terms, term, x, y, number);
    }
    let mut input = Assignment::new();
    let symbol = terms.symbol("x", 4);
    input.set(symbol, 0, 3);
    let value = input.eval(&terms, term);
    assert_eq!(value, input.eval(&terms, term));
    assert!(terms.support(term).len() <= 8);
    assert!(terms.display(term).to_string().len() < 3000);
    let low = terms.extract(term, 3, 8);
    let condition = terms.eq(low, low);
    assert!(terms.is_true(condition));
    let zero = terms.constant(32, 0);
    let condition = terms.slt(term, zero);
    input.eval(&terms, condition);
    assert!(terms.order(term, x).is_gt());
}

#[test]
fn sums() {
    check(inputs(), |terms, term, _, y, number| {
        let factor = terms.constant(32, u128::from(number) | 1);
        let product = terms.xor(y, factor);
        terms.add(term, product)
    });
}

#[test]
fn products() {
    check(inputs(), |terms, term, _, y, number| {
        let factor = terms.constant(32, u128::from(number) | 1);
        let sum = terms.xor(y, factor);
        terms.mul(term, sum)
    });
}

#[test]
fn exclusive_or() {
    check(inputs(), |terms, term, x, _, number| {
        let number = terms.constant(32, u128::from(number));
        let product = terms.mul(x, number);
        terms.xor(term, product)
    });
}

#[test]
fn shift_registers() {
    check(inputs(), |terms, term, _, y, number| {
        let (one, tap) = (terms.constant(32, 1), terms.constant(32, 0x8020_0003 ^ u128::from(number)));
        let shifted = terms.bin(BinOp::Shl, term, one);
        let mixed = terms.xor(shifted, tap);
        if number.is_multiple_of(16) { terms.add(mixed, y) } else { mixed }
    });
}

#[test]
fn choices() {
    check(inputs(), |terms, term, x, y, number| {
        let limit = terms.constant(32, u128::from(number));
        let condition = terms.ult(y, limit);
        let other = terms.add(x, limit);
        terms.ite(condition, term, other)
    });
}

#[test]
fn comparisons() {
    check(inputs(), |terms, term, x, _, number| {
        let limit = terms.constant(32, u128::from(number) + 2);
        let condition = terms.eq(term, limit);
        let bit = terms.zext(condition, 32);
        terms.xor(x, bit)
    });
}

#[test]
fn stores() {
    let Inputs { mut terms, x, y } = inputs();
    let mut array = terms.array(ArrayNode::Bytes(vec![1; 16].into()));
    let (x, y) = (terms.zext(x, 64), terms.zext(y, 64));
    for number in 0..100_000u32 {
        let number = terms.constant(64, u128::from(number) * 2);
        let index = terms.mul(x, number);
        let value = terms.trunc(index, 8);
        array = terms.array(ArrayNode::Store { array, index, value });
    }
    let read = terms.read(array, y);
    let input = Assignment::new();
    assert_eq!(input.eval(&terms, read), 0);
    assert_eq!(terms.support(read).len(), 8);
}

#[test]
fn wide_sums_have_small_supports() {
    let mut terms = Terms::new();
    let symbol = terms.symbol("buffer", 20_000);
    let mut sum = terms.constant(32, 0);
    for offset in 0..20_000 {
        let byte = terms.byte(symbol, offset);
        let byte = terms.zext(byte, 32);
        sum = terms.add(sum, byte);
    }
    let support = terms.support(sum);
    assert_eq!(support.len(), 20_000);
    assert!(support.is_sorted());
}
