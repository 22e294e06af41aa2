//! Random terms of every operator and width, for property tests. All is decided by one seed, so a failure is its seed.

use upshot_expr::{
    ArrayId, ArrayNode, Assignment, BinOp, FloatBinOp, FloatFormat, FloatPredicate, FloatUnOp, IntPredicate, SymbolId,
    TermId, Terms, fold,
};

/// A small generator of numbers whose quality is enough to pick operators.
#[derive(Clone, Debug)]
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Numbers {
        Numbers(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ value >> 31
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    /// A value that is often at an edge.
    pub(crate) fn value(&mut self, width: u8) -> u128 {
        let all = fold::mask(width);
        let value = match self.below(8) {
            0 => 0,
            1 => 1,
            2 => all,
            3 => 1 << self.below(u64::from(width)),
            4 => (1u128 << self.below(u64::from(width))).wrapping_sub(1),
            5 => u128::from(self.below(20)),
            6 => all.wrapping_sub(u128::from(self.below(20))),
            _ => self.wide(),
        };
        value & all
    }
}

const WIDTHS: [u8; 22] = [1, 1, 2, 3, 4, 5, 7, 8, 8, 9, 12, 15, 16, 17, 24, 31, 32, 32, 33, 64, 65, 128];

const OPERATORS: [BinOp; 13] = [
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

const PREDICATES: [IntPredicate; 10] = [
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

const FORMATS: [FloatFormat; 6] =
    [FloatFormat::F16, FloatFormat::BF16, FloatFormat::F32, FloatFormat::F64, FloatFormat::X87, FloatFormat::F128];

/// What the terms may contain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) bytes: u32,
    pub(crate) widest: u8,
    pub(crate) floats: bool,
    pub(crate) arrays: bool,
    /// Width from which on multiplication and division do not occur.
    pub(crate) widest_product: u8,
}

/// Terms at one input.
pub(crate) struct Points {
    /// That the input is this one.
    pub(crate) inputs: Vec<TermId>,
    /// That each term has the value that evaluating it gives.
    pub(crate) all_equal: TermId,
    /// That one of them has another.
    pub(crate) some_differ: TermId,
}

pub(crate) struct Generator {
    pub(crate) terms: Terms,
    pub(crate) numbers: Numbers,
    pub(crate) symbol: SymbolId,
    shape: Shape,
    simplifies: bool,
    made: Vec<TermId>,
}

impl Generator {
    /// Every second seed builds terms without simplifying them, so that all operators survive.
    pub(crate) fn new(seed: u64, shape: Shape) -> Generator {
        let simplifies = seed.is_multiple_of(2);
        let mut terms = if simplifies { Terms::new() } else { Terms::without_simplifier() };
        let symbol = terms.symbol("input", shape.bytes);
        Generator { terms, numbers: Numbers::new(seed), symbol, shape, simplifies, made: Vec::new() }
    }

    /// A generator of other terms over the same input.
    pub(crate) fn noise(&self, seed: u64) -> Generator {
        let mut noise = Generator::new(seed, self.shape);
        noise.terms = if self.simplifies { Terms::new() } else { Terms::without_simplifier() };
        noise.symbol = noise.terms.symbol("other", self.shape.bytes);
        noise
    }

    /// This generator, going on in the arena of another.
    pub(crate) fn in_arena_of(mut self, other: Generator) -> Generator {
        self.terms = other.terms;
        self.symbol = self.terms.symbol("input", self.shape.bytes);
        self
    }

    pub(crate) fn assignment(&mut self) -> Assignment {
        let mut assignment = Assignment::new();
        for offset in 0..self.shape.bytes {
            assignment.set(self.symbol, offset, self.numbers.value(8) as u8);
        }
        assignment
    }

    /// Mostly one that is common or at an edge, but any may come.
    pub(crate) fn width(&mut self) -> u8 {
        match self.numbers.below(4) {
            0 => 1 + self.numbers.below(u64::from(self.shape.widest)) as u8,
            _ => self.numbers.pick(&WIDTHS).min(self.shape.widest),
        }
    }

    /// Every operator of the term language but floats, applied to operands of one width, evaluated at one input.
    pub(crate) fn every_operator(&mut self, width: u8) -> Points {
        let (a, b) = (self.term(width, 1), self.term(width, 1));
        let condition = self.term(1, 1);
        let mut made: Vec<TermId> = OPERATORS.iter().map(|&op| self.terms.bin(op, a, b)).collect();
        made.extend(PREDICATES.iter().map(|&predicate| self.terms.compare(predicate, a, b)));
        made.extend([self.terms.not(a), self.terms.ite(condition, a, b), self.read(1)]);
        let low = self.numbers.below(u64::from(width)) as u8;
        made.push(self.terms.extract(a, low, width - low));
        let wide = width + self.numbers.below(u64::from(128 - width) + 1) as u8;
        made.extend([self.terms.zext(a, wide), self.terms.sext(b, wide)]);
        if wide > width {
            let above = self.term(wide - width, 0);
            made.push(self.terms.concat(above, a));
        }
        self.points_of(&made)
    }

    /// `count` terms, evaluated at one input.
    pub(crate) fn points(&mut self, count: usize, depth: u32) -> Points {
        let mut made = Vec::new();
        for _ in 0..count {
            let width = self.width();
            made.push(self.term(width, depth));
        }
        self.points_of(&made)
    }

    fn points_of(&mut self, made: &[TermId]) -> Points {
        let input = self.assignment();
        let mut all_equal = self.terms.bool(true);
        for &term in made {
            let value = input.eval(&self.terms, term);
            let expected = self.terms.constant(self.terms.width(term), value);
            let equal = self.terms.eq(term, expected);
            all_equal = self.terms.and(all_equal, equal);
        }
        let bytes = (0..self.shape.bytes).map(|offset| {
            let byte = self.terms.byte(self.symbol, offset);
            let value = self.terms.constant(8, u128::from(input.byte(self.symbol, offset)));
            self.terms.eq(byte, value)
        });
        let inputs = bytes.collect();
        Points { inputs, all_equal, some_differ: self.terms.not(all_equal) }
    }

    pub(crate) fn term(&mut self, width: u8, depth: u32) -> TermId {
        if self.numbers.below(4) == 0 {
            let again = self.numbers.below(self.made.len() as u64 + 1) as usize;
            if let Some(&term) = self.made.get(again)
                && self.terms.width(term) == width
            {
                return term;
            }
        }
        let term = if depth == 0 { self.leaf(width) } else { self.inner(width, depth - 1) };
        debug_assert_eq!(self.terms.width(term), width);
        self.made.push(term);
        term
    }

    fn leaf(&mut self, width: u8) -> TermId {
        if self.numbers.below(3) == 0 {
            let value = self.numbers.value(width);
            return self.terms.constant(width, value);
        }
        let mut term = self.byte();
        while self.terms.width(term) < width && self.terms.width(term) <= 120 {
            let byte = self.byte();
            term = self.terms.concat(byte, term);
        }
        self.terms.trunc(term, width)
    }

    fn byte(&mut self) -> TermId {
        let offset = self.numbers.below(u64::from(self.shape.bytes)) as u32;
        self.terms.byte(self.symbol, offset)
    }

    fn inner(&mut self, width: u8, depth: u32) -> TermId {
        match self.numbers.below(12) {
            0 if width == 1 => self.comparison(depth),
            1..=3 if width == 1 => self.comparison(depth),
            0 => {
                let a = self.term(width, depth);
                self.terms.not(a)
            }
            1 => {
                let condition = self.term(1, depth);
                let (a, b) = (self.term(width, depth), self.term(width, depth));
                self.terms.ite(condition, a, b)
            }
            2 => {
                let from = width + self.numbers.below(u64::from(self.shape.widest.max(width) - width) + 1) as u8;
                let low = self.numbers.below(u64::from(from - width) + 1) as u8;
                let a = self.term(from, depth);
                self.terms.extract(a, low, width)
            }
            3 if width > 1 => {
                let low = 1 + self.numbers.below(u64::from(width) - 1) as u8;
                let (high, low) = (self.term(width - low, depth), self.term(low, depth));
                self.terms.concat(high, low)
            }
            4 if width > 1 => {
                let from = 1 + self.numbers.below(u64::from(width)) as u8;
                let a = self.term(from, depth);
                if self.numbers.below(2) == 0 { self.terms.zext(a, width) } else { self.terms.sext(a, width) }
            }
            5 if self.shape.arrays && width == 8 => self.read(depth),
            6 | 7 if self.shape.floats => self.float(width, depth),
            _ => self.arithmetic(width, depth),
        }
    }

    fn arithmetic(&mut self, width: u8, depth: u32) -> TermId {
        let mut op = self.numbers.pick(&OPERATORS);
        while width >= self.shape.widest_product
            && matches!(op, BinOp::Mul | BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem)
        {
            op = self.numbers.pick(&OPERATORS);
        }
        let (a, b) = (self.term(width, depth), self.term(width, depth));
        self.terms.bin(op, a, b)
    }

    fn comparison(&mut self, depth: u32) -> TermId {
        let width = self.width();
        let predicate = self.numbers.pick(&PREDICATES);
        let (a, b) = (self.term(width, depth), self.term(width, depth));
        self.terms.compare(predicate, a, b)
    }

    fn read(&mut self, depth: u32) -> TermId {
        let mut array = self.array(depth);
        let stores = if self.numbers.below(16) == 0 { 30 } else { self.numbers.below(4) };
        for _ in 0..stores {
            let (index, value) = (self.index(depth), self.term(8, depth));
            array = self.terms.array(ArrayNode::Store { array, index, value });
        }
        let index = self.index(depth);
        self.terms.read(array, index)
    }

    fn array(&mut self, depth: u32) -> ArrayId {
        let length = 1 + self.numbers.below(12);
        let node = match self.numbers.below(3) {
            0 => ArrayNode::Bytes((0..length).map(|_| self.numbers.next() as u8).collect()),
            1 => ArrayNode::Table((0..length).map(|_| self.term(8, depth.min(1))).collect()),
            _ => ArrayNode::Symbol { symbol: self.symbol, size: self.shape.bytes },
        };
        self.terms.array(node)
    }

    fn index(&mut self, depth: u32) -> TermId {
        let narrow = self.term(4, depth);
        if self.numbers.below(8) == 0 { self.term(64, depth) } else { self.terms.zext(narrow, 64) }
    }

    fn float(&mut self, width: u8, depth: u32) -> TermId {
        let formats: Vec<FloatFormat> =
            FORMATS.into_iter().filter(|format| format.width() <= self.shape.widest).collect();
        let format = self.numbers.pick(&formats);
        if width == 1 {
            let (a, b) = (self.number(format, depth), self.number(format, depth));
            let predicate = FloatPredicate(self.numbers.below(16) as u8);
            return self.terms.float_compare(predicate, format, a, b);
        }
        match formats.iter().copied().find(|format| format.width() == width) {
            Some(format) => self.float_operation(format, &formats, depth),
            None => {
                let a = self.number(format, depth);
                let signed = self.numbers.below(2) == 0;
                self.terms.float_to_int(format, signed, width, a)
            }
        }
    }

    fn float_operation(&mut self, format: FloatFormat, formats: &[FloatFormat], depth: u32) -> TermId {
        const BINARY: [FloatBinOp; 5] =
            [FloatBinOp::Add, FloatBinOp::Sub, FloatBinOp::Mul, FloatBinOp::Div, FloatBinOp::Minimum];
        const UNARY: [FloatUnOp; 7] = [
            FloatUnOp::Sqrt,
            FloatUnOp::Floor,
            FloatUnOp::Ceil,
            FloatUnOp::Trunc,
            FloatUnOp::RoundEven,
            FloatUnOp::Round,
            FloatUnOp::Neg,
        ];
        let a = self.number(format, depth);
        match self.numbers.below(6) {
            0 | 1 => {
                let b = self.number(format, depth);
                let narrow = matches!(format, FloatFormat::F16 | FloatFormat::BF16 | FloatFormat::F32);
                let remainder = narrow && self.numbers.below(5) == 0;
                let op = if remainder { FloatBinOp::Rem } else { self.numbers.pick(&BINARY) };
                self.terms.float_bin(op, format, a, b)
            }
            2 => {
                let op = self.numbers.pick(&UNARY);
                self.terms.float_un(op, format, a)
            }
            3 => {
                let (b, c) = (self.number(format, depth), self.number(format, depth));
                self.terms.float_fma(format, a, b, c)
            }
            4 => {
                let from = self.numbers.pick(formats);
                let a = self.number(from, depth);
                self.terms.float_cast(from, format, a)
            }
            _ => {
                let width = self.width();
                let integer = self.term(width, depth);
                let signed = self.numbers.below(2) == 0;
                self.terms.int_to_float(signed, format, integer)
            }
        }
    }

    /// Bits that are often a special number.
    fn number(&mut self, format: FloatFormat, depth: u32) -> TermId {
        let width = format.width();
        if self.numbers.below(3) != 0 {
            return self.term(width, depth);
        }
        let half = 1u128 << (width - 1);
        let double = [0.0f64, 1.0, 1.5, -2.5, 3e9, f64::INFINITY, f64::NAN, 1e-310, 0.1];
        let value = match self.numbers.below(3) {
            0 => {
                let bits = u128::from(self.numbers.pick(&double).to_bits());
                fold::float_cast(FloatFormat::F64, format, bits)
            }
            1 => fold::int_to_float(true, format, 64, u128::from(self.numbers.next())),
            _ => self.numbers.value(width) | if self.numbers.below(2) == 0 { half } else { 0 },
        };
        self.terms.constant(width, value)
    }
}
