//! Questions that are known to be hard for one solver or another, with the CPU time that the stack and a bare Z3 take. Each is asked with
//! several constants; the slowest counts, because a solver is easily lucky once. What the two answer is compared.
//! `cargo run --release -p upshot-solver --example hard [-- NAME…]`

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

/// A text has the hash of another.
fn fnv(terms: &mut Terms, wanted: &[u8]) -> TermId {
    let mix = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    fnv_to(terms, wanted.len() as u32, wanted.iter().fold(0x811c_9dc5, mix))
}

/// A text has a given hash.
fn fnv_to(terms: &mut Terms, length: u32, wanted: u32) -> TermId {
    let symbol = terms.symbol("text", length);
    let mut term = terms.constant(32, 0x811c_9dc5);
    for offset in 0..length {
        let byte = terms.byte(symbol, offset);
        let wide = terms.zext(byte, 32);
        let mixed = terms.xor(term, wide);
        let prime = terms.constant(32, 0x0100_0193);
        term = terms.mul(mixed, prime);
    }
    let wanted = terms.constant(32, u128::from(wanted));
    terms.eq(term, wanted)
}

fn factor(terms: &mut Terms, product: u32) -> TermId {
    let (a, b) = (word(terms, "a", 2), word(terms, "b", 2));
    let (a, b) = (terms.zext(a, 32), terms.zext(b, 32));
    let wanted = terms.constant(32, product.into());
    let product = terms.mul(a, b);
    terms.eq(product, wanted)
}

/// x * (y + k) differs from x * y + k * x.
fn distribute(terms: &mut Terms, width: u8, summand: i8) -> TermId {
    let bytes = u32::from(width).div_ceil(8);
    let (x, y) = (word(terms, "x", bytes), word(terms, "y", bytes));
    let summand = terms.constant(width, i128::from(summand) as u128);
    let next = terms.add(y, summand);
    let (left, product, scaled) = (terms.mul(x, next), terms.mul(x, y), terms.mul(summand, x));
    let right = terms.add(product, scaled);
    terms.compare(IntPredicate::Ne, left, right)
}

/// x * y + z * x differs from (y + z) * x.
fn collect(terms: &mut Terms, width: u8) -> TermId {
    let bytes = u32::from(width).div_ceil(8);
    let (x, y, z) = (word(terms, "x", bytes), word(terms, "y", bytes), word(terms, "z", bytes));
    let (first, second, sum) = (terms.mul(x, y), terms.mul(z, x), terms.add(y, z));
    let (left, right) = (terms.add(first, second), terms.mul(sum, x));
    terms.compare(IntPredicate::Ne, left, right)
}

/// A quotient or remainder has a given value, for a divisor that is not small.
fn divide(terms: &mut Terms, op: BinOp, wanted: u128) -> TermId {
    let (x, y) = (word(terms, "x", 16), word(terms, "y", 16));
    let result = terms.bin(op, x, y);
    let wanted = terms.constant(128, wanted);
    let equal = terms.eq(result, wanted);
    let thousand = terms.constant(128, 1000);
    let large = terms.compare(IntPredicate::Ugt, y, thousand);
    terms.and(equal, large)
}

/// (x / y) * y + x % y differs from x.
fn divide_back(terms: &mut Terms, width: u8) -> TermId {
    let bytes = u32::from(width).div_ceil(8);
    let (x, y) = (word(terms, "x", bytes), word(terms, "y", bytes));
    let (quotient, remainder) = (terms.bin(BinOp::UDiv, x, y), terms.bin(BinOp::URem, x, y));
    let product = terms.mul(quotient, y);
    let sum = terms.add(product, remainder);
    terms.compare(IntPredicate::Ne, sum, x)
}

/// Bytes mixed through a permutation, one after the other, give a value; and so does their sum.
fn sbox(terms: &mut Terms, rounds: u32, variant: usize) -> TermId {
    let mut table: Vec<u8> = (0..=255).collect();
    let mut state = 12345 + variant as u32;
    for position in (1..256).rev() {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12345);
        table.swap(position, (state >> 16) as usize % (position + 1));
    }
    let array = terms.array(ArrayNode::Bytes(table.into()));
    let symbol = terms.symbol("s", rounds);
    let (mut mixed, mut sum) = (terms.constant(8, 0x3c), terms.constant(8, 0));
    for offset in 0..rounds {
        let byte = terms.byte(symbol, offset);
        let index = terms.xor(mixed, byte);
        let index = terms.zext(index, 64);
        mixed = terms.read(array, index);
        sum = terms.add(sum, byte);
    }
    let index = terms.zext(sum, 64);
    let of_sum = terms.read(array, index);
    let (wanted, also) = (terms.constant(8, 0x5a), terms.constant(8, 0x77));
    let (hit, also) = (terms.eq(mixed, wanted), terms.eq(of_sum, also));
    terms.and(hit, also)
}

/// memcmp is zero, against a constant or against another input.
fn compare_memory(terms: &mut Terms, two: bool, variant: usize) -> TermId {
    let (symbol, other) = (terms.symbol("m", 64), terms.symbol("n", 64));
    let mut difference = terms.constant(32, 0);
    for offset in (0..64).rev() {
        let byte = terms.byte(symbol, offset);
        let fixed = terms.constant(8, u128::from((offset + variant as u32) * 37 % 251));
        let wanted = if two { terms.byte(other, offset) } else { fixed };
        let same = terms.eq(byte, wanted);
        let (wide, wide_wanted) = (terms.zext(byte, 32), terms.zext(wanted, 32));
        let here = terms.sub(wide, wide_wanted);
        difference = terms.ite(same, difference, here);
    }
    let zero = terms.constant(32, 0);
    let same = terms.eq(difference, zero);
    // That there is something to find out when both are zeros.
    let (last, seven) = (terms.byte(symbol, 63), terms.constant(8, 7));
    let last = if two { terms.eq(last, seven) } else { terms.bool(true) };
    terms.and(same, last)
}

/// Builds the question with the constants of a variant.
type Make = fn(&mut Terms, usize) -> TermId;

/// Variants of each question.
const VARIANTS: usize = 5;

const QUESTIONS: [(&str, Make); 18] = [
    ("fnv-4", |terms, variant| fnv(terms, &WORDS[variant].as_bytes()[..4])),
    ("fnv-4, any value", |terms, variant| fnv_to(terms, 4, VALUES[variant])),
    ("fnv-6", |terms, variant| fnv(terms, WORDS[variant].as_bytes())),
    ("fnv-6, any value", |terms, variant| fnv_to(terms, 6, VALUES[variant])),
    ("factor 16 x 16", |terms, variant| factor(terms, PRODUCTS[variant])),
    ("x(y + 1), 8 bits", |terms, variant| distribute(terms, 8, ONES[variant])),
    ("x(y + 1), 16 bits", |terms, variant| distribute(terms, 16, ONES[variant])),
    ("x(y + 1), 32 bits", |terms, variant| distribute(terms, 32, ONES[variant])),
    ("x(y + 1), 64 bits", |terms, variant| distribute(terms, 64, ONES[variant])),
    ("xy + xz, 32 bits", |terms, _| collect(terms, 32)),
    ("divide 128", |terms, variant| divide(terms, BinOp::UDiv, u128::from(VALUES[variant]) << 45)),
    ("remainder 128", |terms, variant| divide(terms, BinOp::URem, VALUES[variant].into())),
    ("(x / y) y + x % y, 32", |terms, _| divide_back(terms, 32)),
    ("(x / y) y + x % y, 128", |terms, _| divide_back(terms, 128)),
    ("s-box twice", |terms, variant| sbox(terms, 2, variant)),
    ("s-box thrice", |terms, variant| sbox(terms, 3, variant)),
    ("memcmp-64", |terms, variant| compare_memory(terms, false, variant)),
    ("memcmp-64, two buffers", |terms, variant| compare_memory(terms, true, variant)),
];

const WORDS: [&str; VARIANTS] = ["kleene", "upshot", "change", "\0\0\0\0\0\0", "zzzzzz"];
const VALUES: [u32; VARIANTS] = [0x5a5a_1234, 0xdead_beef, 1, 0xffff_ffff, 0x8000_0001];
const PRODUCTS: [u32; VARIANTS] =
    [64_033 * 58_243, 65_521 * 65_519, 3 * 5 * 17 * 257 * 65_521, 4_294_967_291, 46_337 * 46_337];
const ONES: [i8; VARIANTS] = [1, -1, 7, 100, -128];

/// CPU time of this thread, where the system tells; else the time of day.
fn now(start: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let used = told.and_then(|text| text.split(' ').next()?.parse().ok());
    used.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// The time, the layer that answered, and the answer: yes, no, or none.
fn ask(make: Make, variant: usize, layers: Layers) -> (Duration, &'static str, Option<bool>) {
    let mut terms = Terms::new();
    let condition = make(&mut terms, variant);
    let options = Options { layers, timeout: Some(Duration::from_secs(30)), ..Options::default() };
    let mut solver = Solver::new(options).expect("Z3");
    let origin = Instant::now();
    let start = now(origin);
    let answer = solver.check(&mut terms, &PathCondition::new(), &Assignment::new(), condition);
    let time = now(origin).saturating_sub(start);
    let found = match answer {
        Answer::Sat(_) => Some(true),
        Answer::Unsat => Some(false),
        Answer::Unknown(_) => None,
    };
    let answered = |layer: &Layer| solver.statistics().layer(*layer).answered > 0;
    (time, Layer::ALL.into_iter().find(answered).map_or("", Layer::name), found)
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    println!("| question | stack, slowest of {VARIANTS}, ms | by | Z3 on the same, ms | within a second or twice Z3 |");
    println!("|---|--:|---|--:|---|");
    for (name, make) in QUESTIONS {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| name.contains(wanted.as_str())) {
            continue;
        }
        let mut slowest = (Duration::ZERO, "", Duration::ZERO, true);
        let mut all_met = true;
        for variant in 0..VARIANTS {
            let (stack, layer, found) = ask(make, variant, Layers::all());
            let (z3, _, expected) = ask(make, variant, Layers::bare());
            assert!(found.is_none() || expected.is_none() || found == expected, "{name}, variant {variant}");
            let met = found.is_some() && (stack <= Duration::from_secs(1) || stack <= 2 * z3);
            all_met &= met;
            if stack >= slowest.0 {
                slowest = (stack, layer, z3, found.is_some());
            }
        }
        let (stack, layer, z3, known) = slowest;
        let layer = if known { layer } else { "no answer" };
        let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
        let met = if all_met { "yes" } else { "no" };
        println!("| {name} | {:.1} | {layer} | {:.1} | {met} |", milliseconds(stack), milliseconds(z3));
    }
}
