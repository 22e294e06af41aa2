//! How terms read.

use upshot_expr::*;

struct Inputs {
    terms: Terms,
    x: TermId,
    y: TermId,
    buf: Vec<TermId>,
}

/// `int x, y; char buf[8];`
fn inputs() -> Inputs {
    let mut terms = Terms::new();
    let mut whole = |name: &str, size: u32| -> (TermId, Vec<TermId>) {
        let symbol = terms.symbol(name, size);
        let bytes: Vec<TermId> = (0..size).map(|offset| terms.byte(symbol, offset)).collect();
        (bytes.iter().copied().reduce(|low, high| terms.concat(high, low)).unwrap(), bytes)
    };
    let ((x, _), (y, _), (_, buf)) = (whole("x", 4), whole("y", 4), whole("buf", 8));
    Inputs { terms, x, y, buf }
}

#[track_caller]
fn check(terms: &Terms, term: TermId, expected: &str) {
    assert_eq!(terms.display(term).to_string(), expected);
}

#[test]
fn comparisons() {
    let Inputs { mut terms, x, y, buf } = inputs();
    let ten = terms.constant(32, 10);
    let less = terms.slt(x, ten);
    check(&terms, less, "(int)x < 10");
    let not_less = terms.not(less);
    check(&terms, not_less, "(int)x >= 10");
    let minus_five = terms.constant(32, -5i128 as u128);
    let below = terms.slt(x, minus_five);
    check(&terms, below, "(int)x < -5");
    let unsigned = terms.ult(x, ten);
    check(&terms, unsigned, "x < 10u");
    let (five, limit) = (terms.constant(8, 5), terms.constant(8, 10));
    let sum = terms.add(buf[3], five);
    let condition = terms.ult(sum, limit);
    check(&terms, condition, "(buf[3] + 5) < 10u");
    let equal = terms.eq(x, y);
    let both = terms.and(less, equal);
    let text = terms.display(both).to_string();
    assert!(text == "(int)x < 10 && x == y" || text == "x == y && (int)x < 10" || text.contains("y == x"), "{text}");
    let minus_one = terms.constant(32, u128::MAX);
    let equal = terms.eq(x, minus_one);
    check(&terms, equal, "x == -1");
}

#[test]
fn promotions_and_casts() {
    let Inputs { mut terms, x, buf, .. } = inputs();
    let wide = terms.zext(buf[0], 32);
    let digit = terms.constant(32, 48);
    let value = terms.sub(wide, digit);
    check(&terms, value, "buf[0] - 48");
    let signed = terms.sext(buf[1], 32);
    let value = terms.sub(signed, digit);
    check(&terms, value, "(signed char)buf[1] - 48");
    let long = terms.sext(x, 64);
    check(&terms, long, "(int)x");
    let sum = terms.add(buf[0], buf[1]);
    let wide = terms.zext(sum, 32);
    check(&terms, wide, "(unsigned char)(buf[0] + buf[1])");
    let sum = terms.add(x, digit);
    let low = terms.trunc(sum, 8);
    let text = terms.display(low).to_string();
    assert!(text.contains("x"), "{text}");
}

#[test]
fn parts_of_inputs() {
    let Inputs { mut terms, x, buf, .. } = inputs();
    let middle = terms.concat(buf[4], buf[3]);
    check(&terms, middle, "buf[3..5]");
    check(&terms, x, "x");
    let low = terms.extract(x, 8, 8);
    check(&terms, low, "x[1]");
    let three = terms.constant(32, 3);
    let scaled = terms.mul(x, three);
    check(&terms, scaled, "x * 3");
    let symbol = terms.symbol("buf", 8);
    let array = terms.array(ArrayNode::Symbol { symbol, size: 8 });
    let index = terms.sext(x, 64);
    let read = terms.read(array, index);
    check(&terms, read, "buf[(int)x]");
}

#[test]
fn floats_and_choices() {
    let Inputs { mut terms, x, y, .. } = inputs();
    let half = terms.constant(32, u128::from(0.5f32.to_bits()));
    let sum = terms.float_bin(FloatBinOp::Add, FloatFormat::F32, x, half);
    check(&terms, sum, "x +. 0.5f");
    let root = terms.float_un(FloatUnOp::Sqrt, FloatFormat::F32, sum);
    check(&terms, root, "sqrt((x +. 0.5f))");
    let zero = terms.constant(32, 0);
    let negative = terms.slt(x, zero);
    let choice = terms.ite(negative, y, zero);
    check(&terms, choice, "((int)x < 0) ? y : 0");
}

#[test]
fn long_terms_are_cut_off() {
    let Inputs { mut terms, x, y, .. } = inputs();
    let mut term = x;
    for _ in 0..5000 {
        let product = terms.mul(term, y);
        term = terms.xor(product, x);
    }
    let text = terms.display(term).to_string();
    assert!(text.len() < 3000 && text.contains('…'), "{}", text.len());
}
