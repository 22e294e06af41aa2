//! Random terms. A recipe is a list of steps; each makes one term from earlier ones. The same recipe can be followed in
//! different arenas, since it names its operands by position.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use upshot_expr::*;

pub const SYMBOLS: [(&str, u32); 3] = [("x", 4), ("y", 4), ("flags", 1)];

#[derive(Clone, Debug)]
pub struct Step {
    pub kind: u8,
    pub a: u8,
    pub b: u8,
    pub c: u8,
    pub width: u8,
    pub value: u128,
}

/// The same cases in every run; `PROPTEST_CASES` asks for that many others.
pub fn config(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let rng_seed = if asked.is_some() { RngSeed::Random } else { RngSeed::Fixed(0x7570_7368_6f74) };
    ProptestConfig { cases: asked.unwrap_or(cases), failure_persistence: None, rng_seed, ..ProptestConfig::default() }
}

fn value() -> impl Strategy<Value = u128> {
    prop_oneof![
        4 => 0u128..12,
        2 => (0u128..6).prop_map(|below| u128::MAX - below),
        2 => (0u32..128).prop_map(|bit| 1 << bit),
        1 => (0u32..128).prop_map(|bit| (1 << bit) - 1),
        1 => (0u32..128, 0u32..128).prop_map(|(low, high)| (u128::MAX << low) & (u128::MAX >> high)),
        1 => (0u32..128).prop_map(|bit| (1u128 << bit).wrapping_add(0x35)),
        1 => any::<u128>(),
        1 => 0u128..256,
    ]
}

fn width() -> impl Strategy<Value = u8> {
    prop_oneof![4 => Just(8u8), 3 => Just(32u8), 2 => Just(1u8), 2 => Just(16u8), 2 => Just(64u8), 1 => Just(128u8), 3 => 1u8..=128]
}

pub fn step(kinds: std::ops::Range<u8>) -> impl Strategy<Value = Step> {
    // Operands are mostly recent ones: deep terms find more than wide ones.
    let operand = || prop_oneof![3 => 0u8..4, 1 => 0u8..12];
    (kinds, operand(), operand(), operand(), width(), value()).prop_map(|(kind, a, b, c, width, value)| Step {
        kind,
        a,
        b,
        c,
        width,
        value,
    })
}

pub const INTEGER_KINDS: std::ops::Range<u8> = 0..48;
pub const ALL_KINDS: std::ops::Range<u8> = 0..62;

pub const BIN_OPS: [BinOp; 13] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::UDiv,
    BinOp::SDiv,
    BinOp::URem,
    BinOp::SRem,
    BinOp::Shl,
    BinOp::LShr,
    BinOp::AShr,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
];

pub const PREDICATES: [IntPredicate; 10] = [
    IntPredicate::Eq,
    IntPredicate::Ne,
    IntPredicate::Ult,
    IntPredicate::Ule,
    IntPredicate::Ugt,
    IntPredicate::Uge,
    IntPredicate::Slt,
    IntPredicate::Sle,
    IntPredicate::Sgt,
    IntPredicate::Sge,
];

pub const FORMATS: [FloatFormat; 6] =
    [FloatFormat::F16, FloatFormat::BF16, FloatFormat::F32, FloatFormat::F64, FloatFormat::X87, FloatFormat::F128];

pub const FLOAT_BIN_OPS: [FloatBinOp; 10] = [
    FloatBinOp::Add,
    FloatBinOp::Sub,
    FloatBinOp::Mul,
    FloatBinOp::Div,
    FloatBinOp::Rem,
    FloatBinOp::MinNum,
    FloatBinOp::MaxNum,
    FloatBinOp::Minimum,
    FloatBinOp::Maximum,
    FloatBinOp::CopySign,
];

pub const FLOAT_UN_OPS: [FloatUnOp; 8] = [
    FloatUnOp::Neg,
    FloatUnOp::Abs,
    FloatUnOp::Sqrt,
    FloatUnOp::Floor,
    FloatUnOp::Ceil,
    FloatUnOp::Trunc,
    FloatUnOp::RoundEven,
    FloatUnOp::Round,
];

/// Follows a recipe; the terms it makes, in order.
pub struct Kitchen<'a> {
    pub terms: &'a mut Terms,
    pub made: Vec<TermId>,
    arrays: Vec<ArrayId>,
}

pub fn cook(terms: &mut Terms, steps: &[Step]) -> Vec<TermId> {
    let mut made = Vec::new();
    for (name, size) in SYMBOLS {
        let symbol = terms.symbol(name, size);
        let bytes: Vec<TermId> = (0..size).map(|offset| terms.byte(symbol, offset)).collect();
        let whole = bytes.iter().copied().reduce(|low, high| terms.concat(high, low)).unwrap();
        made.extend([bytes[0], whole]);
    }
    let mut kitchen = Kitchen { terms, made, arrays: Vec::new() };
    let bytes: Vec<u8> = (0..40).map(|position| (position * 3) ^ 8).collect();
    let bytes = kitchen.terms.array(ArrayNode::Bytes(bytes.into()));
    let symbol = kitchen.terms.symbol("y", 4);
    let symbol = kitchen.terms.array(ArrayNode::Symbol { symbol, size: 4 });
    kitchen.arrays = vec![bytes, symbol];
    for step in steps {
        let term = kitchen.follow(step);
        kitchen.made.push(term);
    }
    kitchen.made
}

impl Kitchen<'_> {
    /// An earlier term, counted from the end.
    fn pick(&self, position: u8) -> TermId {
        self.made[self.made.len() - 1 - position as usize % self.made.len()]
    }

    fn fit(&mut self, term: TermId, width: u8, signed: bool) -> TermId {
        self.terms.resize(term, width, signed)
    }

    /// Two operands of one width. The second is a constant for every other value.
    fn pair(&mut self, step: &Step) -> (TermId, TermId) {
        let a = self.pick(step.a);
        let width = self.terms.width(a);
        let b = if step.c.is_multiple_of(3) {
            self.terms.constant(width, step.value)
        } else {
            let b = self.pick(step.b);
            self.fit(b, width, step.c % 3 == 1)
        };
        if step.c % 4 == 3 { (b, a) } else { (a, b) }
    }

    fn follow(&mut self, step: &Step) -> TermId {
        let signed = step.c.is_multiple_of(2);
        match step.kind {
            0..=12 => {
                let (a, b) = self.pair(step);
                self.terms.bin(BIN_OPS[step.kind as usize], a, b)
            }
            13..=15 => {
                let (a, b) = self.pair(step);
                self.terms.bin([BinOp::Add, BinOp::Sub, BinOp::Mul][step.kind as usize - 13], a, b)
            }
            16..=25 => {
                let (a, b) = self.pair(step);
                self.terms.compare(PREDICATES[step.kind as usize - 16], a, b)
            }
            26 => {
                let a = self.pick(step.a);
                self.terms.not(a)
            }
            27 => {
                let a = self.pick(step.a);
                self.terms.neg(a)
            }
            28..=30 => {
                let (a, b) = self.pair(step);
                let condition = self.pick(step.width);
                let condition = self.fit(condition, 1, false);
                self.terms.ite(condition, a, b)
            }
            31..=34 => {
                let a = self.pick(step.a);
                let whole = self.terms.width(a);
                let low = (step.value % u128::from(whole)) as u8;
                let width = step.width.min(whole - low);
                self.terms.extract(a, low, width)
            }
            35..=37 => {
                let (a, b) = (self.pick(step.a), self.pick(step.b));
                let a = if self.terms.width(a) > 64 { self.terms.trunc(a, 64) } else { a };
                let b = if self.terms.width(b) > 64 { self.terms.trunc(b, 64) } else { b };
                self.terms.concat(a, b)
            }
            38..=40 => {
                let a = self.pick(step.a);
                self.fit(a, step.width, signed)
            }
            41 => self.terms.constant(step.width, step.value),
            42 | 43 => {
                let index = self.pick(step.a);
                let index = self.fit(index, 64, false);
                let array = self.arrays[step.b as usize % self.arrays.len()];
                self.terms.read(array, index)
            }
            44 => self.store(step),
            45 => self.table(step),
            46 | 47 => self.chain(step),
            _ => self.follow_float(step),
        }
    }

    fn store(&mut self, step: &Step) -> TermId {
        let array = self.arrays[step.c as usize % self.arrays.len()];
        let index = if step.c.is_multiple_of(2) {
            self.terms.constant(64, step.value % 48)
        } else {
            let index = self.pick(step.a);
            self.fit(index, 64, false)
        };
        let value = self.pick(step.b);
        let value = self.fit(value, 8, false);
        let stored = self.terms.array(ArrayNode::Store { array, index, value });
        self.arrays.push(stored);
        self.terms.read(stored, index)
    }

    /// A long chain of one operator over inputs and earlier terms.
    fn chain(&mut self, step: &Step) -> TermId {
        let op = [BinOp::Add, BinOp::Sub, BinOp::And, BinOp::Or, BinOp::Xor, BinOp::Mul][step.a as usize % 6];
        let width = step.width;
        let mut result = self.terms.constant(width, step.value);
        for position in 0..step.b + 3 {
            let operand = match position % 3 {
                0 => self.made[position as usize % self.made.len()],
                _ => self.pick(position / 2),
            };
            let mut operand = self.fit(operand, width, step.c.is_multiple_of(2));
            if step.c % 3 == 1 {
                let factor = self.terms.constant(width, u128::from(position) * 2 + 1);
                operand = self.terms.mul(operand, factor);
            }
            result = self.terms.bin(op, result, operand);
        }
        result
    }

    fn table(&mut self, step: &Step) -> TermId {
        let entries: Vec<TermId> = (0..step.width % 5 + 1)
            .map(|position| {
                let entry = self.pick(step.b.wrapping_add(position));
                self.fit(entry, 8, false)
            })
            .collect();
        let array = self.terms.array(ArrayNode::Table(entries.into()));
        self.arrays.push(array);
        let index = self.pick(step.a);
        let index = self.fit(index, 64, false);
        self.terms.read(array, index)
    }

    fn follow_float(&mut self, step: &Step) -> TermId {
        let format = FORMATS[step.width as usize % FORMATS.len()];
        let (a, b, c) = (self.pick(step.a), self.pick(step.b), self.pick(step.c));
        let a = self.fit(a, format.width(), true);
        let b = if step.c.is_multiple_of(3) {
            self.terms.constant(format.width(), step.value)
        } else {
            self.fit(b, format.width(), true)
        };
        let signed = step.value.is_multiple_of(2);
        match step.kind {
            48..=51 => self.terms.float_bin(FLOAT_BIN_OPS[(step.value % 10) as usize], format, a, b),
            52 | 53 => self.terms.float_un(FLOAT_UN_OPS[(step.value % 8) as usize], format, a),
            54 | 55 => self.terms.float_compare(FloatPredicate((step.value % 16) as u8), format, a, b),
            56 => self.terms.float_is_nan(format, a),
            57 => {
                let to = FORMATS[(step.value % 6) as usize];
                self.terms.float_cast(format, to, a)
            }
            58 => self.terms.float_to_int(format, signed, (step.value % 128 + 1) as u8, a),
            59 => self.terms.float_to_int_sat(format, signed, (step.value % 128 + 1) as u8, a),
            60 => self.terms.int_to_float(signed, format, c),
            _ => {
                let c = self.fit(c, format.width(), false);
                self.terms.float_fma(format, a, b, c)
            }
        }
    }
}

/// Input bytes: small numbers, extremes, digits, anything.
pub fn input() -> impl Strategy<Value = [u8; 9]> {
    let byte = prop_oneof![2 => 0u8..4, 1 => Just(255u8), 1 => Just(128u8), 1 => 48u8..58, 2 => any::<u8>()];
    proptest::array::uniform9(byte)
}

pub fn assignment(terms: &mut Terms, bytes: [u8; 9]) -> Assignment {
    let mut assignment = Assignment::new();
    let mut bytes = bytes.into_iter();
    for (name, size) in SYMBOLS {
        let symbol = terms.symbol(name, size);
        for offset in 0..size {
            assignment.set(symbol, offset, bytes.next().unwrap());
        }
    }
    assignment
}
