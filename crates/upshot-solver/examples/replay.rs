//! Replays the constraints that an executor would collect on small C programs, without an executor: each program is written by
//! hand over terms, and explored depth first, with one question per branch and one canonical input per path. Prints what each layer
//! did. `cargo run --release --example replay -- atoi 8 [--without LAYER]…`

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::time::Instant;

use upshot_expr::{ArrayNode, Assignment, BinOp, IntPredicate, SymbolId, TermId, Terms};
use upshot_solver::{Answer, Layer, Options, PathCondition, Solver};

/// A path that was found possible, and not followed yet.
struct Open {
    decisions: Vec<bool>,
    path: PathCondition,
    model: Assignment,
}

struct Explorer {
    terms: Terms,
    solver: Solver,
    open: Vec<Open>,
    current: Open,
    position: usize,
    paths: u64,
    branches: u64,
    /// A sum over all paths, since their order depends on the models found.
    inputs: u64,
}

type Program = fn(&mut Explorer, u32);

impl Explorer {
    fn run(&mut self, program: Program, size: u32) {
        self.open.push(Open { decisions: Vec::new(), path: PathCondition::new(), model: Assignment::new() });
        while let Some(next) = self.open.pop() {
            self.current = next;
            self.position = 0;
            program(self, size);
            self.paths += 1;
            let input = self.solver.canonical(&mut self.terms, &self.current.path, &[]).expect("a path has an input");
            let mut hash = DefaultHasher::new();
            self.current.decisions.hash(&mut hash);
            input.symbols().for_each(|(symbol, bytes)| (symbol, bytes).hash(&mut hash));
            self.inputs = self.inputs.wrapping_add(hash.finish());
        }
    }

    /// Which way to go. The other way is kept for later if it is possible.
    fn branch(&mut self, condition: TermId) -> bool {
        if let Some(value) = self.terms.as_const(condition) {
            return value != 0;
        }
        self.position += 1;
        if let Some(&decided) = self.current.decisions.get(self.position - 1) {
            return decided;
        }
        self.branches += 1;
        let taken = self.current.model.eval_bool(&self.terms, condition);
        let negation = self.terms.not(condition);
        let (chosen, other) = if taken { (condition, negation) } else { (negation, condition) };
        match self.solver.check(&mut self.terms, &self.current.path, &self.current.model, other) {
            Answer::Sat(model) => {
                let mut path = self.current.path.clone();
                path.push(&mut self.terms, other);
                let mut decisions = self.current.decisions.clone();
                decisions.push(!taken);
                self.open.push(Open { decisions, path, model });
            }
            Answer::Unsat => {}
            Answer::Unknown(reason) => panic!("{reason}"),
        }
        self.current.path.push(&mut self.terms, chosen);
        self.current.decisions.push(taken);
        taken
    }

    fn compare(&mut self, predicate: IntPredicate, a: TermId, b: u128) -> bool {
        let b = self.terms.constant(self.terms.width(a), b);
        let condition = self.terms.compare(predicate, a, b);
        self.branch(condition)
    }

    fn int(&mut self, value: i32) -> TermId {
        self.terms.constant(32, value as u32 as u128)
    }

    /// `(int)c` for a character that is signed, compared as C does.
    fn character(&mut self, text: SymbolId, length: u32, at: u32) -> TermId {
        let byte = if at < length { self.terms.byte(text, at) } else { self.terms.constant(8, 0) };
        self.terms.sext(byte, 32)
    }

    fn is(&mut self, character: TermId, value: u8) -> bool {
        self.compare(IntPredicate::Eq, character, u128::from(value))
    }
}

fn digit_value(run: &mut Explorer, c: TermId) -> TermId {
    let ranges = [(b'0', b'9', 0), (b'a', b'f', 10), (b'A', b'F', 10)];
    for (first, last, value) in ranges {
        if run.compare(IntPredicate::Sge, c, u128::from(first)) && run.compare(IntPredicate::Sle, c, u128::from(last)) {
            let first = run.int(i32::from(first));
            let digit = run.terms.sub(c, first);
            let value = run.int(value);
            return run.terms.add(digit, value);
        }
    }
    run.int(-1)
}

fn atoi(run: &mut Explorer, n: u32) {
    let text = run.terms.symbol("buf", n + 1);
    let (mut at, mut negative, mut base, mut any) = (0, false, 10, false);
    let mut value = run.int(0);
    loop {
        let c = run.character(text, n, at);
        if !run.is(c, b' ') {
            break;
        }
        at += 1;
    }
    let c = run.character(text, n, at);
    if run.is(c, b'+') {
        at += 1;
    } else if run.is(c, b'-') {
        negative = true;
        at += 1;
    }
    let c = run.character(text, n, at);
    if run.is(c, b'0') {
        any = true;
        at += 1;
        let c = run.character(text, n, at);
        if run.is(c, b'x') || run.is(c, b'X') {
            (base, any) = (16, false);
            at += 1;
        } else {
            base = 8;
        }
    }
    loop {
        let c = run.character(text, n, at);
        if run.is(c, 0) {
            break;
        }
        let d = digit_value(run, c);
        if run.compare(IntPredicate::Slt, d, 0) || run.compare(IntPredicate::Sge, d, base) {
            return;
        }
        let (limit, base_term) = (run.int(30000), run.terms.constant(32, base));
        let room = run.terms.sub(limit, d);
        let most = run.terms.bin(BinOp::SDiv, room, base_term);
        let too_large = run.terms.compare(IntPredicate::Sgt, value, most);
        if run.branch(too_large) {
            return;
        }
        let scaled = run.terms.mul(value, base_term);
        value = run.terms.add(scaled, d);
        any = true;
        at += 1;
    }
    if !any {
        return;
    }
    let v = if negative { run.terms.neg(value) } else { value };
    if run.compare(IntPredicate::Eq, v, 1234) || run.compare(IntPredicate::Slt, v, 0) {
        return;
    }
    run.compare(IntPredicate::Sgt, v, 255);
}

fn bubble(run: &mut Explorer, n: u32) {
    let symbol = run.terms.symbol("a", 4 * n);
    let mut numbers: Vec<TermId> = (0..n)
        .map(|number| {
            let bytes: Vec<TermId> = (0..4).map(|byte| run.terms.byte(symbol, 4 * number + byte)).collect();
            bytes[1..].iter().fold(bytes[0], |low, &high| run.terms.concat(high, low))
        })
        .collect();
    let n = n as usize;
    for i in 0..n - 1 {
        for j in 0..n - 1 - i {
            let greater = run.terms.compare(IntPredicate::Sgt, numbers[j], numbers[j + 1]);
            if run.branch(greater) {
                numbers.swap(j, j + 1);
            }
        }
    }
    for i in 0..n - 1 {
        let sorted = run.terms.compare(IntPredicate::Sle, numbers[i], numbers[i + 1]);
        assert!(run.branch(sorted));
    }
}

fn bits(run: &mut Explorer, n: u32) {
    let symbol = run.terms.symbol("s", n);
    let mut result = 0u32;
    for i in 0..n {
        let byte = run.terms.byte(symbol, i);
        let wide = run.terms.zext(byte, 32);
        if run.compare(IntPredicate::Sgt, wide, 100) {
            result |= 1 << i;
        }
    }
    let _ = result == 5;
}

fn crc(run: &mut Explorer, n: u32) {
    let mut table = [0u32; 256];
    for (start, entry) in table.iter_mut().enumerate() {
        *entry = (0..8).fold(start as u32, |r, _| if r & 1 == 1 { r >> 1 ^ 0xEDB8_8320 } else { r >> 1 });
    }
    let image: Vec<u8> = table.iter().flat_map(|entry| entry.to_le_bytes()).collect();
    let array = run.terms.array(ArrayNode::Bytes(image.into()));
    let symbol = run.terms.symbol("s", n);
    let ones = run.terms.constant(32, 0xFFFF_FFFF);
    let (mut r, mut wanted) = (ones, 0xFFFF_FFFFu32);
    for i in 0..n {
        let byte = run.terms.byte(symbol, i);
        let wide = run.terms.zext(byte, 32);
        let mixed = run.terms.xor(r, wide);
        let low = run.terms.trunc(mixed, 8);
        let index = run.terms.zext(low, 64);
        let four = run.terms.constant(64, 4);
        let offset = run.terms.mul(index, four);
        let mut entry = run.terms.read(array, offset);
        for byte in 1..4 {
            let by = run.terms.constant(64, byte);
            let at = run.terms.add(offset, by);
            let high = run.terms.read(array, at);
            entry = run.terms.concat(high, entry);
        }
        let eight = run.terms.constant(32, 8);
        let shifted = run.terms.bin(BinOp::LShr, r, eight);
        r = run.terms.xor(entry, shifted);
        wanted = table[((wanted ^ u32::from(b"klee"[i as usize])) & 0xFF) as usize] ^ wanted >> 8;
    }
    let r = run.terms.not(r);
    if run.compare(IntPredicate::Eq, r, u128::from(!wanted)) {
        return;
    }
    let one = run.terms.constant(32, 1);
    let odd = run.terms.and(r, one);
    run.compare(IntPredicate::Ne, odd, 0);
}

/// A recursive-descent evaluator over `n` bytes.
struct Evaluator {
    text: SymbolId,
    length: u32,
    at: u32,
    error: u32,
}

impl Evaluator {
    fn here(&self, run: &mut Explorer) -> TermId {
        run.character(self.text, self.length, self.at)
    }

    fn is_digit(&self, run: &mut Explorer) -> bool {
        let c = self.here(run);
        run.compare(IntPredicate::Sge, c, u128::from(b'0')) && run.compare(IntPredicate::Sle, c, u128::from(b'9'))
    }

    fn factor(&mut self, run: &mut Explorer) -> TermId {
        let zero = run.int(0);
        if self.is_digit(run) {
            let mut value = zero;
            while self.is_digit(run) {
                let (c, ten, first) = (self.here(run), run.int(10), run.int(i32::from(b'0')));
                let scaled = run.terms.mul(value, ten);
                let digit = run.terms.sub(c, first);
                value = run.terms.add(scaled, digit);
                self.at += 1;
            }
            return value;
        }
        let c = self.here(run);
        if run.is(c, b'(') {
            self.at += 1;
            let value = self.expression(run);
            if self.error != 0 {
                return zero;
            }
            let c = self.here(run);
            if !run.is(c, b')') {
                self.error = 1;
                return zero;
            }
            self.at += 1;
            return value;
        }
        if run.is(c, b'-') {
            self.at += 1;
            let value = self.factor(run);
            return run.terms.neg(value);
        }
        self.error = 1;
        zero
    }

    /// Which of two operators is here, if any: true for the first.
    fn operator(&mut self, run: &mut Explorer, first: u8, second: u8) -> Option<bool> {
        if self.error != 0 {
            return None;
        }
        let c = self.here(run);
        if !run.is(c, first) && !run.is(c, second) {
            return None;
        }
        self.at += 1;
        Some(run.is(c, first))
    }

    fn term(&mut self, run: &mut Explorer) -> TermId {
        let zero = run.int(0);
        let mut value = self.factor(run);
        while let Some(times) = self.operator(run, b'*', b'/') {
            let other = self.factor(run);
            if self.error != 0 {
                return zero;
            }
            if times {
                value = run.terms.mul(value, other);
            } else {
                if run.compare(IntPredicate::Eq, other, 0) {
                    self.error = 2;
                    return zero;
                }
                // The executor also asks whether the division overflows.
                let (least, minus_one) = (run.int(i32::MIN), run.int(-1));
                let overflow = (run.terms.eq(value, least), run.terms.eq(other, minus_one));
                let overflow = run.terms.and(overflow.0, overflow.1);
                assert!(!run.branch(overflow));
                value = run.terms.bin(BinOp::SDiv, value, other);
            }
        }
        value
    }

    fn expression(&mut self, run: &mut Explorer) -> TermId {
        let mut value = self.term(run);
        while let Some(plus) = self.operator(run, b'+', b'-') {
            let other = self.term(run);
            if self.error != 0 {
                return run.int(0);
            }
            value = if plus { run.terms.add(value, other) } else { run.terms.sub(value, other) };
        }
        value
    }
}

fn expr(run: &mut Explorer, n: u32) {
    let text = run.terms.symbol("buf", n + 1);
    let mut evaluator = Evaluator { text, length: n, at: 0, error: 0 };
    let value = evaluator.expression(run);
    if evaluator.error == 0 {
        let c = evaluator.here(run);
        if !run.is(c, 0) {
            return;
        }
    }
    if evaluator.error != 0 || run.compare(IntPredicate::Eq, value, 42) {
        return;
    }
    run.compare(IntPredicate::Slt, value, 0);
}

/// Counts up to an unknown number: one part with a constraint per turn.
fn count(run: &mut Explorer, n: u32) {
    let symbol = run.terms.symbol("n", 4);
    let bytes: Vec<TermId> = (0..4).map(|byte| run.terms.byte(symbol, byte)).collect();
    let limit = bytes[1..].iter().fold(bytes[0], |low, &high| run.terms.concat(high, low));
    for i in 0..n {
        if !run.compare(IntPredicate::Sgt, limit, u128::from(i)) {
            return;
        }
    }
}

/// The length of an unknown string: one part per byte.
fn length(run: &mut Explorer, n: u32) {
    let symbol = run.terms.symbol("s", n);
    for i in 0..n {
        let byte = run.terms.byte(symbol, i);
        if run.compare(IntPredicate::Eq, byte, 0) {
            return;
        }
    }
}

const PROGRAMS: [(&str, Program); 7] = [
    ("atoi", atoi),
    ("bubble", bubble),
    ("bits", bits),
    ("crc", crc),
    ("expr", expr),
    ("count", count),
    ("length", length),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = "usage: replay atoi|bubble|bits|crc|expr|count|length SIZE [--without LAYER]... [--cross-check]";
    let (Some(name), Some(size)) = (arguments.first(), arguments.get(1).and_then(|size| size.parse().ok())) else {
        panic!("{usage}");
    };
    let program = PROGRAMS.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("{usage}")).1;
    let mut options = Options::default();
    let mut rest = arguments[2..].iter();
    while let Some(flag) = rest.next() {
        match flag.as_str() {
            "--cross-check" => options.cross_check = true,
            "--without" => {
                let layer = rest.next().and_then(|name| Layer::from_name(name)).unwrap_or_else(|| panic!("{usage}"));
                options.layers = options.layers.without(layer);
            }
            _ => panic!("{usage}"),
        }
    }
    let start = Instant::now();
    let mut explorer = Explorer {
        terms: Terms::new(),
        solver: Solver::new(options).expect("Z3"),
        open: Vec::new(),
        current: Open { decisions: Vec::new(), path: PathCondition::new(), model: Assignment::new() },
        position: 0,
        paths: 0,
        branches: 0,
        inputs: 0,
    };
    explorer.run(program, size);
    let statistics = explorer.solver.statistics();
    println!(
        "{name} {size}: {} paths, {} branches, {} terms, {:?} in all, {:?} in the solver; inputs {:016x}",
        explorer.paths,
        explorer.branches,
        explorer.terms.len(),
        start.elapsed(),
        statistics.time(),
        explorer.inputs
    );
    println!("asked {}, solved {}, disagreements {}", statistics.asked, statistics.solved, statistics.disagreements);
    for layer in Layer::ALL {
        let entry = statistics.layer(layer);
        println!("{:>14}: {:>7} asked {:>7} answered {:>10.3?}", layer.name(), entry.asked, entry.answered, entry.time);
    }
    println!(
        "{:>14}: {:>7} parts {:>7} solved   {:>10.3?}",
        "canonical", statistics.canonical_parts, statistics.canonical_solved, statistics.canonical_time
    );
}
