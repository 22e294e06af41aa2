//! How long it takes to build and to evaluate terms such as common C loops make. `cargo run --release --example speed`
//! prints nanoseconds per call; there is no pass or fail.

use std::time::Instant;

use upshot_expr::{Assignment, BinOp, TermId, Terms};

/// What one workload makes: its last terms, and how many calls it took.
struct Made {
    roots: Vec<TermId>,
    calls: u64,
}

fn constant(terms: &mut Terms, width: u8, value: u128) -> TermId {
    terms.constant(width, value)
}

/// `value = value * 10 + (s[i] - '0')`, with the comparisons that find a digit.
fn decimal(terms: &mut Terms, length: u32) -> Made {
    let symbol = terms.symbol("s", length);
    let mut value = constant(terms, 32, 0);
    let (mut roots, mut calls) = (Vec::new(), 0);
    for offset in 0..length {
        let byte = terms.byte(symbol, offset);
        let character = terms.sext(byte, 32);
        let (zero, nine, ten) = (constant(terms, 32, 48), constant(terms, 32, 57), constant(terms, 32, 10));
        roots.push(terms.slt(character, zero));
        roots.push(terms.slt(nine, character));
        let digit = terms.sub(character, zero);
        let scaled = terms.mul(value, ten);
        value = terms.add(scaled, digit);
        let limit = constant(terms, 32, 1000);
        roots.push(terms.slt(value, limit));
        calls += 8;
    }
    roots.push(value);
    Made { roots, calls }
}

/// A bitwise CRC: shifts, masks and exclusive or.
fn checksum(terms: &mut Terms, length: u32) -> Made {
    let symbol = terms.symbol("data", length);
    let mut crc = constant(terms, 32, 0xffff_ffff);
    let polynomial = constant(terms, 32, 0xedb8_8320);
    let one = constant(terms, 32, 1);
    let mut calls = 0;
    for offset in 0..length {
        let byte = terms.byte(symbol, offset);
        let byte = terms.zext(byte, 32);
        crc = terms.xor(crc, byte);
        for _ in 0..8 {
            let bit = terms.and(crc, one);
            let all = terms.neg(bit);
            let masked = terms.and(polynomial, all);
            let shifted = terms.bin(BinOp::LShr, crc, one);
            crc = terms.xor(shifted, masked);
            calls += 5;
        }
        calls += 2;
    }
    Made { roots: vec![crc], calls }
}

/// FNV-1a: a product per byte.
fn hash(terms: &mut Terms, length: u32) -> Made {
    let symbol = terms.symbol("data", length);
    let mut state = constant(terms, 32, 0x811c_9dc5);
    let prime = constant(terms, 32, 16_777_619);
    for offset in 0..length {
        let byte = terms.byte(symbol, offset);
        let byte = terms.zext(byte, 32);
        state = terms.xor(state, byte);
        state = terms.mul(state, prime);
    }
    Made { roots: vec![state], calls: u64::from(length) * 3 }
}

/// Sums, comparisons and choices over whole integers.
fn sorting(terms: &mut Terms, count: u32) -> Made {
    let mut items: Vec<TermId> = (0..count)
        .map(|number| {
            let symbol = terms.symbol(&format!("item{number}"), 4);
            let bytes: Vec<TermId> = (0..4).map(|offset| terms.byte(symbol, offset)).collect();
            bytes.into_iter().reduce(|low, high| terms.concat(high, low)).unwrap_or_else(|| terms.constant(32, 0))
        })
        .collect();
    let mut calls = u64::from(count) * 7;
    for last in (1..items.len()).rev() {
        for position in 0..last {
            let (a, b) = (items[position], items[position + 1]);
            let swap = terms.slt(b, a);
            items[position] = terms.ite(swap, b, a);
            items[position + 1] = terms.ite(swap, a, b);
            calls += 3;
        }
    }
    Made { roots: items, calls }
}

fn measure(name: &str, build: impl Fn(&mut Terms) -> Made) {
    let mut terms = Terms::new();
    let start = Instant::now();
    let made = build(&mut terms);
    let first = start.elapsed();
    let start = Instant::now();
    build(&mut terms);
    let again = start.elapsed();
    let mut total = 0u128;
    let start = Instant::now();
    let rounds = 20;
    for round in 0..rounds {
        let mut input = Assignment::new();
        let symbol = terms.symbol("data", 1);
        input.set(symbol, 0, round);
        for &root in &made.roots {
            total = total.wrapping_add(input.eval(&terms, root));
        }
    }
    let evaluated = start.elapsed() / u32::from(rounds);
    let per = |time: std::time::Duration, count: u64| time.as_nanos() as f64 / count as f64;
    println!(
        "{name:10} {:8} calls {:8} terms   new {:6.1} ns/call   again {:6.1} ns/call   evaluate {:6.1} ns/term   ({total:x})",
        made.calls,
        terms.len(),
        per(first, made.calls),
        per(again, made.calls),
        per(evaluated, terms.len() as u64),
    );
}

fn main() {
    measure("decimal", |terms| decimal(terms, 20_000));
    measure("checksum", |terms| checksum(terms, 3_000));
    measure("hash", |terms| hash(terms, 50_000));
    measure("sorting", |terms| sorting(terms, 300));
}
