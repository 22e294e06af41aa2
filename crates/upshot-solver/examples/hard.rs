//! Questions that are known to be hard for one solver or another, with the time that the stack and a bare Z3 take.
//! `cargo run --release --example hard [-- NAME…]`

use std::time::{Duration, Instant};

use upshot_expr::{ArrayNode, Assignment, BinOp, IntPredicate, TermId, Terms};
use upshot_solver::{Answer, Layer, Layers, Options, PathCondition, Solver};

/// A number of so many bytes.
fn word(terms: &mut Terms, name: &str, bytes: u32) -> TermId {
    let symbol = terms.symbol(name, bytes);
    let first = terms.byte(symbol, 0);
    (1..bytes).fold(first, |low, offset| {
        let byte = terms.byte(symbol, offset);
        terms.concat(byte, low)
    })
}

/// The hash of `text` is that of `wanted`.
fn fnv(terms: &mut Terms, wanted: &[u8]) -> TermId {
    let hash = |bytes: &[u8]| {
        bytes.iter().fold(0x811c_9dc5u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    };
    let symbol = terms.symbol("text", wanted.len() as u32);
    let mut term = terms.constant(32, 0x811c_9dc5);
    for offset in 0..wanted.len() as u32 {
        let byte = terms.byte(symbol, offset);
        let wide = terms.zext(byte, 32);
        let mixed = terms.xor(term, wide);
        let prime = terms.constant(32, 0x0100_0193);
        term = terms.mul(mixed, prime);
    }
    let wanted = terms.constant(32, u128::from(hash(wanted)));
    terms.eq(term, wanted)
}

fn factor(terms: &mut Terms) -> TermId {
    let (a, b) = (word(terms, "a", 2), word(terms, "b", 2));
    let (a, b) = (terms.zext(a, 32), terms.zext(b, 32));
    let product = terms.mul(a, b);
    let wanted = terms.constant(32, 64_033 * 58_243);
    terms.eq(product, wanted)
}

/// x * (y + 1) differs from x * y + x.
fn distribute(terms: &mut Terms, width: u8) -> TermId {
    let bytes = u32::from(width).div_ceil(8);
    let (x, y) = (word(terms, "x", bytes), word(terms, "y", bytes));
    let one = terms.constant(width, 1);
    let next = terms.add(y, one);
    let (left, product) = (terms.mul(x, next), terms.mul(x, y));
    let right = terms.add(product, x);
    let equal = terms.eq(left, right);
    terms.not(equal)
}

fn divide(terms: &mut Terms) -> TermId {
    let (x, y) = (word(terms, "x", 16), word(terms, "y", 16));
    let quotient = terms.bin(BinOp::UDiv, x, y);
    let wanted = terms.constant(128, 0x1234_5678_9abc_def0_1234);
    let equal = terms.eq(quotient, wanted);
    let thousand = terms.constant(128, 1000);
    let large = terms.compare(IntPredicate::Ugt, y, thousand);
    terms.and(equal, large)
}

fn sbox(terms: &mut Terms) -> TermId {
    let mut table: Vec<u8> = (0..=255).collect();
    let mut state = 12345u32;
    for position in (1..256).rev() {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12345);
        table.swap(position, (state >> 16) as usize % (position + 1));
    }
    let array = terms.array(ArrayNode::Bytes(table.into()));
    let symbol = terms.symbol("s", 2);
    let (a, b) = (terms.byte(symbol, 0), terms.byte(symbol, 1));
    let index = terms.zext(a, 64);
    let first = terms.read(array, index);
    let mixed = terms.xor(first, b);
    let index = terms.zext(mixed, 64);
    let second = terms.read(array, index);
    let wanted = terms.constant(8, 0x5a);
    let hit = terms.eq(second, wanted);
    let sum = terms.add(a, b);
    let (index, seven) = (terms.zext(sum, 64), terms.constant(8, 0x77));
    let third = terms.read(array, index);
    let also = terms.eq(third, seven);
    terms.and(hit, also)
}

fn compare_memory(terms: &mut Terms) -> TermId {
    let symbol = terms.symbol("m", 64);
    let mut difference = terms.constant(32, 0);
    for offset in (0..64).rev() {
        let byte = terms.byte(symbol, offset);
        let wanted = terms.constant(8, u128::from(offset * 37 % 251));
        let same = terms.eq(byte, wanted);
        let (wide, wide_wanted) = (terms.zext(byte, 32), terms.zext(wanted, 32));
        let here = terms.sub(wide, wide_wanted);
        difference = terms.ite(same, difference, here);
    }
    let zero = terms.constant(32, 0);
    terms.eq(difference, zero)
}

type Make = fn(&mut Terms) -> TermId;

const QUESTIONS: [(&str, Make, bool); 10] = [
    ("fnv-4", |terms| fnv(terms, b"klee"), true),
    ("fnv-6", |terms| fnv(terms, b"upshot"), true),
    ("factor-16x16", factor, true),
    ("distribute-8", |terms| distribute(terms, 8), false),
    ("distribute-16", |terms| distribute(terms, 16), false),
    ("distribute-32", |terms| distribute(terms, 32), false),
    ("divide-128", divide, true),
    ("s-box twice", sbox, true),
    ("memcmp-64", compare_memory, true),
    ("distribute-64", |terms| distribute(terms, 64), false),
];

fn ask(make: Make, simplify: bool, layers: Layers, expected: bool) -> (Duration, &'static str) {
    let mut terms = if simplify { Terms::new() } else { Terms::without_simplifier() };
    let condition = make(&mut terms);
    let options = Options { layers, timeout: Some(Duration::from_secs(60)), ..Options::default() };
    let mut solver = Solver::new(options).expect("Z3");
    let start = Instant::now();
    let answer = solver.check(&mut terms, &PathCondition::new(), &Assignment::new(), condition);
    let time = start.elapsed();
    match answer {
        Answer::Sat(_) => assert!(expected, "satisfiable"),
        Answer::Unsat => assert!(!expected, "not satisfiable"),
        Answer::Unknown(_) => return (time, "none in time"),
    }
    let answered = |layer: &Layer| solver.statistics().layer(*layer).answered > 0;
    (time, Layer::ALL.into_iter().find(answered).map_or("", Layer::name))
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    println!("{:>15} {:>12} {:>13} {:>12} {:>16}", "", "stack", "by", "Z3", "stack, raw terms");
    for (name, make, expected) in QUESTIONS {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| name.contains(wanted.as_str())) {
            continue;
        }
        let (stack, layer) = ask(make, true, Layers::all(), expected);
        let (raw, raw_layer) = ask(make, false, Layers::all(), expected);
        let (z3, _) = ask(make, true, Layers::bare(), expected);
        println!("{name:>15} {stack:>12.3?} {layer:>13} {z3:>12.3?} {raw:>16.3?} {raw_layer}");
    }
}
