//! Terms as words of bits. The ranges known of each term cut the words short: bits that a range fixes are constants, and an
//! operation computes only the bits that its result can need. Every fact used in this way is required explicitly, on bits
//! computed from the operands alone; so the formula is exact, and not merely implied by the path.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use upshot_expr::fold::mask;
use upshot_expr::{ArrayId, ArrayNode, BinOp, Node, SymbolId, TermId, Terms, Var};

use super::cnf::require;
use super::gates::{Bit, Gates};
use super::mutation::{count, rule};
use super::words::{self, Shift, Word};
use crate::interval::{Facts, Range};

/// Entries among which a read chooses, and stores that it looks through; beyond that, the theory of arrays is better.
const ENTRIES: u128 = 2048;
const STORES: usize = 64;
const FURTHEST: u128 = 1 << 16;

/// A term that this module has no encoding for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unsuitable;

/// A word that exists once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct WordId(u32);

/// Words by content.
#[derive(Debug, Default)]
struct Words {
    words: Vec<Rc<[Bit]>>,
    index: FxHashMap<Rc<[Bit]>, WordId>,
}

impl Words {
    fn intern(&mut self, word: &[Bit]) -> WordId {
        if let Some(&known) = self.index.get(word) {
            return known;
        }
        let word: Rc<[Bit]> = word.into();
        let id = WordId(self.words.len() as u32);
        self.words.push(word.clone());
        self.index.insert(word, id);
        id
    }

    fn get(&self, id: WordId) -> Rc<[Bit]> {
        self.words[id.0 as usize].clone()
    }
}

/// What a word was computed from. The range is that of the result, since it decides how many bits are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Recipe {
    term: TermId,
    operands: [Option<WordId>; 3],
    shape: Shape,
}

/// What a range says about the bits of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Shape {
    /// The bits from here on are those of `value`.
    fixed_from: u8,
    value: u128,
    /// The bits from here on are copies of the one below.
    sign_from: u8,
}

impl Shape {
    fn of(range: Range) -> Shape {
        let open = range.low ^ range.high;
        let fixed_from = (128 - open.leading_zeros()) as u8;
        Shape { fixed_from, value: range.low & !mask(fixed_from), sign_from: range.signed_bits() }
    }

    /// How many of the low bits must be computed.
    fn needed(self) -> usize {
        count("shape-needed", usize::from(self.fixed_from.min(self.sign_from).max(1)))
    }

    /// The word with what the range says in place.
    fn fit(self, mut word: Word) -> Word {
        let width = word.len();
        let sign_from = usize::from(self.sign_from);
        if sign_from < width {
            let sign = rule("shape-sign", word[sign_from - 1]);
            word[sign_from..].fill(sign);
        }
        for (position, bit) in word.iter_mut().enumerate().skip(usize::from(self.fixed_from)) {
            *bit = rule("shape-fixed", Bit::constant(self.value >> position & 1 == 1));
        }
        word
    }
}

/// Builds gates for terms, and remembers what it built.
#[derive(Debug, Default)]
pub(crate) struct Blaster {
    pub(crate) gates: Gates,
    words: Words,
    recipes: FxHashMap<Recipe, WordId>,
    inputs: FxHashMap<Var, WordId>,
}

/// A formula: bits that must hold, and the input bytes in it.
#[derive(Debug, Default)]
pub(crate) struct Formula {
    pub(crate) roots: Vec<Bit>,
    pub(crate) bytes: Vec<(Var, Rc<[Bit]>)>,
}

impl Blaster {
    pub(crate) fn clear(&mut self) {
        self.gates.clear();
        self.words = Words::default();
        self.recipes.clear();
        self.inputs.clear();
    }

    /// The formula that says that all constraints hold. `facts` follow from the constraints.
    pub(crate) fn formula(
        &mut self,
        terms: &Terms,
        facts: &Facts,
        constraints: impl IntoIterator<Item = TermId>,
    ) -> Result<Formula, Unsuitable> {
        let mut run = Run {
            blaster: self,
            terms,
            facts,
            word_of: FxHashMap::default(),
            byte_facts: facts.byte_ranges(terms),
            bytes: FxHashMap::default(),
            formula: Formula::default(),
        };
        for &term in facts.order() {
            run.require_fact(term)?;
        }
        for constraint in constraints {
            facts.range(terms, constraint);
            let word = run.word(constraint)?;
            run.require(word[0]);
        }
        Ok(run.formula)
    }

    fn input(&mut self, var: Var) -> Rc<[Bit]> {
        if let Some(&known) = self.inputs.get(&var) {
            return self.words.get(known);
        }
        let word: Word = (0..8).map(|_| self.gates.input()).collect();
        let id = self.words.intern(&word);
        self.inputs.insert(var, id);
        word.into()
    }
}

/// One formula in the making.
struct Run<'a> {
    blaster: &'a mut Blaster,
    terms: &'a Terms,
    facts: &'a Facts,
    word_of: FxHashMap<TermId, WordId>,
    byte_facts: FxHashMap<Var, Range>,
    bytes: FxHashMap<Var, WordId>,
    formula: Formula,
}

impl Run<'_> {
    fn require(&mut self, bit: Bit) {
        require(&self.blaster.gates, bit, &mut self.formula.roots);
    }

    /// Requires that what is known of the term holds, as far as its operands do not say so.
    fn require_fact(&mut self, term: TermId) -> Result<(), Unsuitable> {
        let Some(known) = self.facts.known(term) else { return Ok(()) };
        let (word, said) = if let Node::Byte { symbol, offset } = self.terms.node(term) {
            (self.byte(Var { symbol, offset }), Range::full(8))
        } else {
            self.facts.range(self.terms, term);
            self.blast_operands(term)?;
            let said = self.facts.implied_by_operands(self.terms, term);
            (self.computed(term, said)?, said)
        };
        let width = self.terms.width(term);
        let gates = &mut self.blaster.gates;
        let mut broken = Vec::new();
        if known.low > said.low {
            broken.push(rule("fact-low", words::less(gates, &word, &words::constant(width, known.low))));
        }
        if known.high < said.high {
            broken.push(rule("fact-high", words::less(gates, &words::constant(width, known.high), &word)));
        }
        // If the sign is known, the unsigned bounds say it all.
        let half = 1u128 << (width - 1);
        if known.low < half && known.high >= half {
            if known.least > said.least {
                let below = words::signed_less(gates, &word, &words::constant(width, known.least as u128));
                broken.push(rule("fact-least", below));
            }
            if known.most < said.most {
                let above = words::signed_less(gates, &words::constant(width, known.most as u128), &word);
                broken.push(rule("fact-most", above));
            }
        }
        for bit in broken {
            self.require(!bit);
        }
        Ok(())
    }

    /// Makes the words that the term's own is made of. Which entries a read can reach is known once its index is.
    fn blast_operands(&mut self, term: TermId) -> Result<(), Unsuitable> {
        loop {
            let mut needed = self.needed_operands(term)?;
            needed.retain(|operand| !self.word_of.contains_key(operand));
            if needed.is_empty() {
                return Ok(());
            }
            for operand in needed {
                self.word(operand)?;
            }
        }
    }

    /// The word of a term, as it is used by others.
    fn word(&mut self, term: TermId) -> Result<Rc<[Bit]>, Unsuitable> {
        let mut pending = vec![term];
        while let Some(&next) = pending.last() {
            if self.word_of.contains_key(&next) {
                pending.pop();
                continue;
            }
            if let Some(word) = self.immediate(next) {
                let id = self.blaster.words.intern(&word);
                self.word_of.insert(next, id);
                pending.pop();
                continue;
            }
            let before = pending.len();
            let missing = self.needed_operands(next)?;
            pending.extend(missing.into_iter().filter(|operand| !self.word_of.contains_key(operand)).rev());
            if pending.len() == before {
                self.finish(next)?;
                pending.pop();
            }
        }
        Ok(self.blaster.words.get(self.word_of[&term]))
    }

    /// The word of a term that needs no operand.
    fn immediate(&mut self, term: TermId) -> Option<Word> {
        if let Node::Byte { symbol, offset } = self.terms.node(term) {
            return Some(self.byte(Var { symbol, offset }).to_vec());
        }
        let known = self.terms.as_const(term).or_else(|| self.facts.settled(self.terms, term)?.as_constant())?;
        Some(words::constant(self.terms.width(term), known))
    }

    fn finish(&mut self, term: TermId) -> Result<(), Unsuitable> {
        let said = self.facts.implied_by_operands(self.terms, term);
        let word = self.computed(term, said)?;
        let range = self.facts.derive(self.terms, term);
        let word = if range == said { word } else { Shape::of(range).fit(word.to_vec()).into() };
        let id = self.blaster.words.intern(&word);
        self.word_of.insert(term, id);
        Ok(())
    }

    /// An input byte, with the bits that are known of it in place.
    fn byte(&mut self, var: Var) -> Rc<[Bit]> {
        if let Some(&known) = self.bytes.get(&var) {
            return self.blaster.words.get(known);
        }
        let input = self.blaster.input(var);
        let word = match self.byte_facts.get(&var) {
            Some(&range) => Shape::of(range).fit(input.to_vec()),
            None => input.to_vec(),
        };
        let id = self.blaster.words.intern(&word);
        self.bytes.insert(var, id);
        let word = self.blaster.words.get(id);
        self.formula.bytes.push((var, word.clone()));
        word
    }

    /// The operands whose words the term's word is made of.
    fn needed_operands(&self, term: TermId) -> Result<Vec<TermId>, Unsuitable> {
        Ok(match self.terms.node(term) {
            Node::Ite(condition, a, b) => match self.range(condition).as_bool() {
                Some(true) => vec![a],
                Some(false) => vec![b],
                None => vec![condition, a, b],
            },
            Node::Read { array, index } => {
                let mut needed = vec![index];
                if self.facts.settled(self.terms, index).is_some() || self.word_of.contains_key(&index) {
                    self.read_operands(array, self.range(index), &mut needed)?;
                }
                needed
            }
            node if is_float(node) => return Err(Unsuitable),
            node => node.operands().collect(),
        })
    }

    /// The range of a term whose operands were looked at before.
    fn range(&self, term: TermId) -> Range {
        self.facts.settled(self.terms, term).unwrap_or_else(|| Range::full(self.terms.width(term)))
    }

    fn read_operands(&self, array: ArrayId, index: Range, needed: &mut Vec<TermId>) -> Result<(), Unsuitable> {
        let mut array = array;
        for _ in 0..=STORES {
            match self.terms.array_node(array) {
                ArrayNode::Store { array: below, index, value } => {
                    needed.extend([*index, *value]);
                    array = *below;
                }
                ArrayNode::Table(table) => {
                    let (first, last) = reach(index, table.len())?;
                    needed.extend_from_slice(&table[first..last]);
                    return Ok(());
                }
                ArrayNode::Bytes(bytes) => return reach(index, bytes.len()).map(|_| ()),
                ArrayNode::Symbol { size, .. } => return reach(index, *size as usize).map(|_| ()),
            }
        }
        Err(Unsuitable)
    }

    fn operand(&self, term: TermId) -> Rc<[Bit]> {
        self.blaster.words.get(self.word_of[&term])
    }

    /// The term's word from those of its operands; `said` is the range that follows from theirs.
    fn computed(&mut self, term: TermId, said: Range) -> Result<Rc<[Bit]>, Unsuitable> {
        let shape = Shape::of(said);
        let node = self.terms.node(term);
        if let Some(word) = self.passed_through(node)? {
            return Ok(shape.fit(word).into());
        }
        let mut operands = [None; 3];
        for (slot, operand) in operands.iter_mut().zip(node.operands()) {
            *slot = self.word_of.get(&operand).copied();
        }
        let recipe = Recipe { term, operands, shape };
        if let Some(&known) = self.blaster.recipes.get(&recipe) {
            return Ok(self.blaster.words.get(known));
        }
        let word = self.build(node, usize::from(said.width), shape.needed())?;
        let id = self.blaster.words.intern(&shape.fit(word));
        self.blaster.recipes.insert(recipe, id);
        Ok(self.blaster.words.get(id))
    }

    /// The word of a node that is not computed from the words of all its operands.
    fn passed_through(&mut self, node: Node) -> Result<Option<Word>, Unsuitable> {
        Ok(match node {
            Node::Read { array, index } => Some(self.read(array, index)?),
            Node::Ite(condition, a, b) => {
                let taken = self.range(condition).as_bool();
                taken.map(|first| self.operand(if first { a } else { b }).to_vec())
            }
            _ => None,
        })
    }

    fn build(&mut self, node: Node, width: usize, needed: usize) -> Result<Word, Unsuitable> {
        let of = |term: TermId| self.word_of.get(&term).map(|&id| self.blaster.words.get(id));
        let [a, b, c] = {
            let mut operands = node.operands().map(of);
            [(); 3].map(|()| operands.next().flatten())
        };
        let empty: Rc<[Bit]> = Rc::new([]);
        let (a, b, c) = (a.unwrap_or(empty.clone()), b.unwrap_or(empty.clone()), c.unwrap_or(empty));
        let gates = &mut self.blaster.gates;
        Ok(match node {
            Node::Not(_) => words::not(&a),
            Node::Bin(op, ..) => binary(gates, op, &a, &b, needed),
            Node::Eq(..) => vec![words::equal(gates, &a, &b)],
            Node::Ult(..) => vec![rule("compare-ult", words::less(gates, &a, &b))],
            Node::Ule(..) => vec![rule("compare-ule", !words::less(gates, &b, &a))],
            Node::Slt(..) => vec![rule("compare-slt", words::signed_less(gates, &a, &b))],
            Node::Sle(..) => vec![rule("compare-sle", !words::signed_less(gates, &b, &a))],
            Node::Ite(..) => words::choose(gates, rule("ite", a[0]), &b, &c),
            Node::Extract { low, .. } => a[usize::from(low)..usize::from(low) + width].to_vec(),
            Node::Concat(..) => b.iter().chain(a.iter()).copied().collect(),
            Node::ZExt(_) => words::zero_extended(&a, width),
            Node::SExt(_) => words::sign_extended(&a, width),
            _ => return Err(Unsuitable),
        })
    }

    fn read(&mut self, array: ArrayId, index: TermId) -> Result<Word, Unsuitable> {
        let mut stores = Vec::new();
        let mut base = array;
        while let &ArrayNode::Store { array: below, index, value } = self.terms.array_node(base) {
            stores.push((index, value));
            base = below;
        }
        let reachable = self.range(index);
        let index = self.operand(index);
        let zero = words::constant(8, 0);
        let entries = self.entries(base, reachable)?;
        let mut word = words::select(&mut self.blaster.gates, &entries, &index, &zero);
        for &(stored, value) in stores.iter().rev() {
            let (stored, value) = (self.operand(stored), self.operand(value));
            let hit = rule("store-hit", words::equal(&mut self.blaster.gates, &stored, &index));
            word = words::choose(&mut self.blaster.gates, hit, &value, &word);
        }
        Ok(word)
    }

    /// The bytes of an array without stores. Those that the index cannot reach may be anything, and are zero.
    fn entries(&mut self, array: ArrayId, index: Range) -> Result<Vec<Word>, Unsuitable> {
        let terms = self.terms;
        let length = terms.array_len(array) as usize;
        let (first, last) = reach(index, length)?;
        let mut entries = vec![words::constant(8, 0); last];
        for (position, entry) in entries.iter_mut().enumerate().skip(first) {
            *entry = match terms.array_node(array) {
                ArrayNode::Bytes(bytes) => words::constant(8, u128::from(bytes[position])),
                ArrayNode::Table(table) => self.operand(table[position]).to_vec(),
                &ArrayNode::Symbol { symbol, .. } => self.symbol_byte(symbol, position),
                ArrayNode::Store { .. } => return Err(Unsuitable),
            };
        }
        Ok(entries)
    }

    fn symbol_byte(&mut self, symbol: SymbolId, position: usize) -> Word {
        self.byte(Var { symbol, offset: position as u32 }).to_vec()
    }
}

/// The entries that an index can reach, if they are not too many.
fn reach(index: Range, length: usize) -> Result<(usize, usize), Unsuitable> {
    let last = (length as u128).min(index.high.saturating_add(1));
    let first = index.low.min(last);
    if last - first > ENTRIES || last > FURTHEST { Err(Unsuitable) } else { Ok((first as usize, last as usize)) }
}

fn is_float(node: Node) -> bool {
    matches!(
        node,
        Node::FloatBin(..)
            | Node::FloatUn(..)
            | Node::FloatFma(..)
            | Node::FloatEq(..)
            | Node::FloatLt(..)
            | Node::FloatLe(..)
            | Node::FloatIsNan(..)
            | Node::FloatCast { .. }
            | Node::FloatToInt { .. }
            | Node::IntToFloat { .. }
    )
}

fn binary(gates: &mut Gates, op: BinOp, a: &[Bit], b: &[Bit], needed: usize) -> Word {
    match op {
        BinOp::Add => words::add(gates, a, b, needed),
        BinOp::Sub => words::subtract(gates, a, b, needed),
        BinOp::Mul => words::multiply(gates, a, b, needed),
        BinOp::UDiv => words::divide(gates, a, b).0,
        BinOp::URem => words::divide(gates, a, b).1,
        BinOp::SDiv => words::signed_divide(gates, a, b).0,
        BinOp::SRem => words::signed_divide(gates, a, b).1,
        BinOp::Shl => words::shift(gates, Shift::Left, a, b),
        BinOp::LShr => words::shift(gates, Shift::Right, a, b),
        BinOp::AShr => words::shift(gates, Shift::Arithmetic, a, b),
        BinOp::And => words::bitwise(a, b, |a, b| gates.and(a, b)),
        BinOp::Or => words::bitwise(a, b, |a, b| gates.or(a, b)),
        BinOp::Xor => words::bitwise(a, b, |a, b| gates.xor(a, b)),
    }
}
