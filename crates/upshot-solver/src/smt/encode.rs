//! A [`Problem`] in Z3's terms. Terms of one bit are Booleans, since nearly all of them are comparisons. Constant tables
//! become trees of choices over the bits of the index (as chains of stores they are a thousand times slower); input objects that
//! are read at an unknown index become SMT arrays, whose bytes are selected from them.

use rustc_hash::{FxHashMap, FxHashSet};
use upshot_expr::{ArrayId, BinOp, Node, SymbolId, TermId};
use z3::Sort;
use z3::ast::{Array, BV, Bool};

use super::float::{self, FloatTerm, Number, Relation};
use super::problem::{Problem, ProblemArray};

/// Something that there is no encoding for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gap(pub(super) &'static str);

/// Stores on top of a table, up to which a read becomes a chain of comparisons.
const STORES_COMPARED: usize = 24;

/// Entries of a table of terms, up to which a read becomes a tree of choices.
const TABLE_CHOSEN: usize = 256;

#[derive(Clone)]
enum Value {
    Bits(BV),
    Truth(Bool),
}

/// The constraints, with the input bytes they speak about.
pub(super) struct Encoded {
    pub(super) constraints: Vec<Bool>,
    /// In the order of [`Problem::variables`].
    pub(super) variables: Vec<BV>,
}

pub(super) fn constant(width: u32, value: u128) -> BV {
    match u64::try_from(value) {
        Ok(value) => BV::from_u64(value, width),
        Err(_) => BV::from_u64((value >> 64) as u64, width - 64).concat(BV::from_u64(value as u64, 64)),
    }
}

pub(super) fn encode(problem: &Problem) -> Result<Encoded, Gap> {
    let mut encoder = Encoder::new(problem);
    for (position, &node) in problem.nodes.iter().enumerate() {
        let value = encoder.value(node, u32::from(problem.widths[position]))?;
        encoder.values.push(value);
    }
    let mut constraints = std::mem::take(&mut encoder.side_conditions);
    constraints.extend(problem.constraints.iter().map(|&term| encoder.truth(term)));
    let variables = problem.variables.iter().zip(&problem.objects);
    let variables = variables.map(|(var, &object)| encoder.byte(SymbolId(object), var.offset)).collect();
    Ok(Encoded { constraints, variables })
}

struct Encoder<'a> {
    problem: &'a Problem,
    values: Vec<Value>,
    /// The numbers that float operations gave, by position of the operation.
    numbers: FxHashMap<usize, Number>,
    /// Objects that are read at an unknown index.
    arrays_of_objects: FxHashMap<u32, Array>,
    arrays: FxHashMap<ArrayId, Array>,
    side_conditions: Vec<Bool>,
}

impl<'a> Encoder<'a> {
    fn new(problem: &'a Problem) -> Encoder<'a> {
        let objects: FxHashSet<u32> = problem
            .arrays
            .iter()
            .filter_map(|array| match array {
                ProblemArray::Object { object, .. } => Some(*object),
                _ => None,
            })
            .collect();
        let named = |object| (object, Array::new_const(format!("object{object}"), &index_sort(), &byte_sort()));
        Encoder {
            problem,
            values: Vec::with_capacity(problem.nodes.len()),
            numbers: FxHashMap::default(),
            arrays_of_objects: objects.into_iter().map(named).collect(),
            arrays: FxHashMap::default(),
            side_conditions: Vec::new(),
        }
    }

    fn bits(&self, term: TermId) -> BV {
        match &self.values[term.index()] {
            Value::Bits(bits) => bits.clone(),
            Value::Truth(truth) => truth.ite(&BV::from_u64(1, 1), &BV::from_u64(0, 1)),
        }
    }

    fn float(&self, term: TermId) -> FloatTerm {
        FloatTerm { bits: self.bits(term), number: self.numbers.get(&term.index()).cloned() }
    }

    /// The bits of a float, whose number is kept for the operations that use it.
    fn made_float(&mut self, float: FloatTerm) -> BV {
        if let Some(number) = float.number {
            self.numbers.insert(self.values.len(), number);
        }
        float.bits
    }

    fn truth(&self, term: TermId) -> Bool {
        match &self.values[term.index()] {
            Value::Truth(truth) => truth.clone(),
            Value::Bits(bits) => bits.eq(BV::from_u64(1, 1)),
        }
    }

    fn byte(&self, object: SymbolId, offset: u32) -> BV {
        match self.arrays_of_objects.get(&object.0) {
            Some(array) => select(array, &BV::from_u64(u64::from(offset), 64)),
            None => BV::new_const(format!("object{}_{offset}", object.0), 8),
        }
    }

    fn value(&mut self, node: Node, width: u32) -> Result<Value, Gap> {
        if let Some(truth) = self.truth_of(node, width)? {
            return Ok(Value::Truth(truth));
        }
        let bits = self.bits_of(node, width)?;
        Ok(if width == 1 { Value::Truth(bits.eq(BV::from_u64(1, 1))) } else { Value::Bits(bits) })
    }

    /// What is naturally a Boolean.
    fn truth_of(&mut self, node: Node, width: u32) -> Result<Option<Bool>, Gap> {
        Ok(Some(match node {
            Node::Eq(a, b) if self.problem.width(a) == 1 => self.truth(a).iff(self.truth(b)),
            Node::Eq(a, b) => self.bits(a).eq(self.bits(b)),
            Node::Ult(a, b) => self.bits(a).bvult(self.bits(b)),
            Node::Ule(a, b) => self.bits(a).bvule(self.bits(b)),
            Node::Slt(a, b) => self.bits(a).bvslt(self.bits(b)),
            Node::Sle(a, b) => self.bits(a).bvsle(self.bits(b)),
            Node::FloatEq(format, a, b) => float::compare(Relation::Equal, format, &self.float(a), &self.float(b))?,
            Node::FloatLt(format, a, b) => float::compare(Relation::Less, format, &self.float(a), &self.float(b))?,
            Node::FloatLe(format, a, b) => {
                float::compare(Relation::LessOrEqual, format, &self.float(a), &self.float(b))?
            }
            Node::FloatIsNan(format, a) => float::is_nan(format, &self.float(a)),
            _ if width != 1 => return Ok(None),
            Node::Const(value) => Bool::from_bool(value != 0),
            Node::Not(a) => self.truth(a).not(),
            Node::Bin(BinOp::And, a, b) => Bool::and(&[self.truth(a), self.truth(b)]),
            Node::Bin(BinOp::Or, a, b) => Bool::or(&[self.truth(a), self.truth(b)]),
            Node::Bin(BinOp::Xor | BinOp::Add | BinOp::Sub, a, b) => self.truth(a).xor(self.truth(b)),
            Node::Ite(condition, a, b) => self.truth(condition).ite(&self.truth(a), &self.truth(b)),
            _ => return Ok(None),
        }))
    }

    fn bits_of(&mut self, node: Node, width: u32) -> Result<BV, Gap> {
        Ok(match node {
            Node::Const(value) => constant(width, u128::from(value)),
            Node::WideConst(index) => constant(width, self.problem.wide[index as usize]),
            Node::Byte { symbol, offset } => self.byte(symbol, offset),
            Node::Read { array, index } => self.read(array, &self.bits(index)),
            Node::Not(a) => self.bits(a).bvnot(),
            Node::Bin(op, a, b) => arithmetic(op, &self.bits(a), &self.bits(b)),
            Node::Ite(condition, a, b) => self.truth(condition).ite(&self.bits(a), &self.bits(b)),
            Node::Extract { term, low } => self.bits(term).extract(u32::from(low) + width - 1, u32::from(low)),
            Node::Concat(high, low) => self.bits(high).concat(self.bits(low)),
            Node::ZExt(a) => self.bits(a).zero_ext(width - u32::from(self.problem.width(a))),
            Node::SExt(a) => self.bits(a).sign_ext(width - u32::from(self.problem.width(a))),
            Node::FloatBin(op, format, a, b) => {
                let made = float::binary(op, format, &self.float(a), &self.float(b))?;
                self.made_float(made)
            }
            Node::FloatUn(op, format, a) => {
                let made = float::unary(op, format, &self.float(a))?;
                self.made_float(made)
            }
            Node::FloatFma(format, a, b, c) => {
                let made = float::fused(format, &self.float(a), &self.float(b), &self.float(c))?;
                self.made_float(made)
            }
            Node::FloatCast { from, to, term } => {
                let made = float::cast(from, to, &self.float(term))?;
                self.made_float(made)
            }
            Node::FloatToInt { from, signed, term } => float::to_integer(from, signed, width, &self.float(term))?,
            Node::IntToFloat { signed, to, term } => {
                let made = float::from_integer(signed, to, &self.bits(term))?;
                self.made_float(made)
            }
            Node::Eq(..) | Node::Ult(..) | Node::Ule(..) | Node::Slt(..) | Node::Sle(..) => {
                return Err(Gap("a comparison wider than one bit"));
            }
            Node::FloatEq(..) | Node::FloatLt(..) | Node::FloatLe(..) | Node::FloatIsNan(..) => {
                return Err(Gap("a comparison wider than one bit"));
            }
        })
    }

    /// What was stored last under the index, else the byte of the base, else (beyond its end) zero.
    fn read(&mut self, array: ArrayId, index: &BV) -> BV {
        let mut stores = Vec::new();
        let mut base = array;
        while let ProblemArray::Store { array, index, value } = self.problem.array(base) {
            stores.push((*index, *value));
            base = *array;
        }
        let length = self.problem.array_len(base);
        let inside = index.bvult(BV::from_u64(length, 64));
        let large_table = matches!(self.problem.array(base), ProblemArray::Table(table) if table.len() > TABLE_CHOSEN);
        if stores.len() > STORES_COMPARED || large_table {
            let (whole, base) = (self.smt_array(array), self.smt_array(base));
            let nothing = select(&base, index).eq(BV::from_u64(0, 8));
            self.side_conditions.push(Bool::or(&[inside, nothing]));
            return select(&whole, index);
        }
        let byte = match self.problem.array(base) {
            ProblemArray::Bytes(bytes) => choose(index, bytes.len(), &|at| BV::from_u64(u64::from(bytes[at]), 8)),
            ProblemArray::Table(table) => choose(index, table.len(), &|at| self.bits(table[at])),
            ProblemArray::Object { object, .. } => select(&self.arrays_of_objects[object], index),
            ProblemArray::Store { .. } => BV::from_u64(0, 8),
        };
        let mut byte = inside.ite(&byte, &BV::from_u64(0, 8));
        for &(stored, value) in stores.iter().rev() {
            byte = self.bits(stored).eq(index).ite(&self.bits(value), &byte);
        }
        byte
    }

    /// The array in the theory of arrays. Stores are applied from the bottom up, so that a long chain does not recurse.
    fn smt_array(&mut self, array: ArrayId) -> Array {
        let mut chain = vec![array];
        let mut below = array;
        while let ProblemArray::Store { array, .. } = self.problem.array(below) {
            if self.arrays.contains_key(&below) {
                break;
            }
            below = *array;
            chain.push(below);
        }
        let mut result = None;
        for array in chain.into_iter().rev() {
            if !self.arrays.contains_key(&array) {
                let made = self.one_smt_array(array);
                self.arrays.insert(array, made);
            }
            result = self.arrays.get(&array).cloned();
        }
        result.unwrap_or_else(|| Array::new_const("nothing", &index_sort(), &byte_sort()))
    }

    /// An array whose base, if it has one, is there already.
    fn one_smt_array(&mut self, array: ArrayId) -> Array {
        let problem = self.problem;
        match problem.array(array) {
            ProblemArray::Store { array: below, index, value } => {
                let below = self.arrays[below].clone();
                below.store(&self.bits(*index), &self.bits(*value))
            }
            ProblemArray::Object { object, size } => {
                let content = (0..*size).map(|offset| self.byte(SymbolId(*object), offset)).collect();
                self.given_array(array, content)
            }
            ProblemArray::Bytes(bytes) => {
                let content = bytes.iter().map(|&byte| BV::from_u64(u64::from(byte), 8)).collect();
                self.given_array(array, content)
            }
            ProblemArray::Table(table) => {
                let content = table.iter().map(|&term| self.bits(term)).collect();
                self.given_array(array, content)
            }
        }
    }

    /// A free array of which each byte is then said: better than a chain of stores. Beyond its end it stays free; a read
    /// says what is there.
    fn given_array(&mut self, array: ArrayId, content: Vec<BV>) -> Array {
        let fresh = Array::new_const(format!("table{}", array.0), &index_sort(), &byte_sort());
        for (at, byte) in content.into_iter().enumerate() {
            self.side_conditions.push(select(&fresh, &BV::from_u64(at as u64, 64)).eq(byte));
        }
        fresh
    }
}

fn index_sort() -> Sort {
    Sort::bitvector(64)
}

fn byte_sort() -> Sort {
    Sort::bitvector(8)
}

fn select(array: &Array, index: &BV) -> BV {
    array.select(index).as_bv().unwrap_or_else(|| BV::from_u64(0, 8))
}

/// The entry at `index`, which is below `length`, by halving.
fn choose(index: &BV, length: usize, entry: &dyn Fn(usize) -> BV) -> BV {
    if length == 0 {
        return BV::from_u64(0, 8);
    }
    let mut level: Vec<BV> = (0..length).map(entry).collect();
    let mut bit = 0;
    while level.len() > 1 {
        let odd = index.extract(bit, bit).eq(BV::from_u64(1, 1));
        level = level
            .chunks(2)
            .map(|pair| match pair {
                [even, other] if even.ast_eq(other.clone()) => even.clone(),
                [even, other] => odd.ite(other, even),
                _ => pair[0].clone(),
            })
            .collect();
        bit += 1;
    }
    level.swap_remove(0)
}

fn arithmetic(op: BinOp, a: &BV, b: &BV) -> BV {
    match op {
        BinOp::Add => a.bvadd(b),
        BinOp::Sub => a.bvsub(b),
        BinOp::Mul => a.bvmul(b),
        BinOp::UDiv => a.bvudiv(b),
        BinOp::SDiv => a.bvsdiv(b),
        BinOp::URem => a.bvurem(b),
        BinOp::SRem => a.bvsrem(b),
        BinOp::Shl => a.bvshl(b),
        BinOp::LShr => a.bvlshr(b),
        BinOp::AShr => a.bvashr(b),
        BinOp::And => a.bvand(b),
        BinOp::Or => a.bvor(b),
        BinOp::Xor => a.bvxor(b),
    }
}
