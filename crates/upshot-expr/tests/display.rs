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

/// `int i; unsigned n; char c; unsigned char u;`, each an input of its own, and `struct { int x; short y; } *p;`
#[test]
fn inputs_with_types() {
    let mut terms = Terms::new();
    let mut whole = |name: &str, size: u32, parts: &[(u32, u32, &str, PartReading)]| -> (TermId, Vec<TermId>) {
        let symbol = terms.symbol(name, size);
        terms.name_parts(symbol, || {
            let part = |&(offset, size, name, reading): &(u32, u32, &str, PartReading)| Part {
                offset,
                size,
                name: name.to_string(),
                reading,
            };
            parts.iter().map(part).collect()
        });
        let bytes: Vec<TermId> = (0..size).map(|offset| terms.byte(symbol, offset)).collect();
        (bytes.iter().copied().reduce(|low, high| terms.concat(high, low)).unwrap(), bytes)
    };
    let (i, _) = whole("i", 4, &[(0, 4, "i", PartReading::Signed)]);
    let (n, _) = whole("n", 4, &[(0, 4, "n", PartReading::Unsigned)]);
    let (c, _) = whole("c", 1, &[(0, 1, "c", PartReading::Character { signed: true })]);
    let (u, _) = whole("u", 1, &[(0, 1, "u", PartReading::Unsigned)]);
    let fields = [(0, 4, "p->x", PartReading::Signed), (4, 2, "p->y", PartReading::Signed)];
    let (pointer, _) = whole("q", 8, &[(0, 8, "q", PartReading::Pointer)]);
    let (_, record) = whole("*p", 8, &fields);
    let [ten, zero, minus_one] = [10, 0, u128::MAX].map(|value| terms.constant(32, value));
    let mut expect = |make: &dyn Fn(&mut Terms) -> TermId, expected: &str| {
        let term = make(&mut terms);
        check(&terms, term, expected);
    };
    expect(&|terms| terms.slt(i, ten), "i < 10");
    expect(&|terms| terms.slt(i, zero), "i < 0");
    expect(&|terms| terms.ult(i, ten), "(unsigned)i < 10u");
    expect(&|terms| terms.slt(n, ten), "(int)n < 10");
    expect(&|terms| terms.ult(n, ten), "n < 10");
    expect(&|terms| terms.eq(i, minus_one), "i == -1");
    expect(&|terms| terms.eq(n, minus_one), "n == 0xffffffff");
    let promoted = |terms: &mut Terms| (terms.sext(c, 32), terms.zext(u, 32));
    let letter = |terms: &mut Terms| terms.constant(8, u128::from(b'a'));
    expect(
        &|terms| {
            let a = letter(terms);
            terms.eq(c, a)
        },
        "c == 'a'",
    );
    expect(
        &|terms| {
            let after_nine = terms.constant(8, u128::from(b'9') + 1);
            terms.slt(c, after_nine)
        },
        "c <= '9'",
    );
    expect(
        &|terms| {
            let (c, _) = promoted(terms);
            terms.slt(c, i)
        },
        "c < i",
    );
    expect(
        &|terms| {
            let (_, u) = promoted(terms);
            let sum = terms.add(u, i);
            terms.slt(sum, ten)
        },
        "(u + i) < 10",
    );
    // In C the sum is unsigned, and so is the comparison.
    expect(
        &|terms| {
            let sum = terms.add(n, i);
            terms.slt(sum, ten)
        },
        "(int)(n + i) < 10",
    );
    // C computes with ints here, this does not.
    expect(
        &|terms| {
            let (one, five) = (terms.constant(8, 1), terms.constant(8, 5));
            let sum = terms.add(c, one);
            terms.slt(sum, five)
        },
        "(signed char)(c + 1) < 5",
    );
    expect(&|terms| terms.bin(BinOp::UDiv, i, ten), "(unsigned)i / 10");
    expect(&|terms| terms.bin(BinOp::SDiv, i, ten), "i / 10");
    let null = terms.constant(64, 0);
    let is_null = terms.eq(pointer, null);
    check(&terms, is_null, "q == NULL");
    let x = record[..4].iter().copied().reduce(|low, high| terms.concat(high, low)).unwrap();
    let y = terms.concat(record[5], record[4]);
    let y = terms.sext(y, 32);
    let less = terms.slt(x, y);
    check(&terms, less, "p->x < p->y");
}
