//! A question as plain data: the terms below some constraints, numbered in the order in which a walk from the constraints
//! meets them. It holds no reference to the arena it came from and no arena's numbers, so the same question from two workers
//! is the same problem, a solver that has seen nothing else answers it in the same way, and it may cross threads.

use rustc_hash::FxHashMap;
use upshot_expr::{ArrayId, ArrayNode, Node, TermId, Terms, Var};

/// The content of an array; terms and arrays are numbers of the [`Problem`].
#[derive(Clone, Debug)]
pub(crate) enum ProblemArray {
    Bytes(Vec<u8>),
    Table(Vec<TermId>),
    /// The input bytes `first..first + size` of [`Problem::object`] number `object`.
    Object {
        object: u32,
        size: u32,
    },
    Store {
        array: ArrayId,
        index: TermId,
        value: TermId,
    },
}

/// Constraints to satisfy together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Problem {
    /// Operands come before what uses them. Ids in a node are positions here (see [`TermId::index`]), a
    /// [`Node::WideConst`] points into `wide`, and the symbol of a [`Node::Byte`] is the number of an object.
    pub(crate) nodes: Vec<Node>,
    pub(crate) widths: Vec<u8>,
    pub(crate) wide: Vec<u128>,
    pub(crate) arrays: Vec<ProblemArray>,
    pub(crate) constraints: Vec<TermId>,
    /// The input bytes that occur, in the order of their first occurrence. The symbol is the arena's own.
    pub(crate) variables: Vec<Var>,
    /// For each of `variables`, the object's number.
    pub(crate) objects: Vec<u32>,
}

impl Problem {
    pub(crate) fn new(terms: &Terms, constraints: impl IntoIterator<Item = TermId>) -> Problem {
        let mut builder = Builder::of(terms);
        for constraint in constraints {
            let number = builder.add(constraint);
            builder.problem.constraints.push(number);
        }
        builder.problem
    }

    pub(crate) fn width(&self, term: TermId) -> u8 {
        self.widths[term.index()]
    }

    pub(crate) fn array(&self, array: ArrayId) -> &ProblemArray {
        &self.arrays[array.0 as usize]
    }

    /// Number of bytes.
    pub(crate) fn array_len(&self, mut array: ArrayId) -> u64 {
        loop {
            match self.array(array) {
                ProblemArray::Bytes(bytes) => return bytes.len() as u64,
                ProblemArray::Table(table) => return table.len() as u64,
                ProblemArray::Object { size, .. } => return u64::from(*size),
                ProblemArray::Store { array: below, .. } => array = *below,
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Item {
    Term(TermId),
    Array(ArrayId),
}

struct Builder<'a> {
    terms: &'a Terms,
    problem: Problem,
    of_terms: FxHashMap<TermId, TermId>,
    of_arrays: FxHashMap<ArrayId, ArrayId>,
    objects: FxHashMap<upshot_expr::SymbolId, u32>,
    seen: FxHashMap<Var, ()>,
    pending: Vec<Item>,
}

impl<'a> Builder<'a> {
    fn of(terms: &'a Terms) -> Builder<'a> {
        Builder {
            terms,
            problem: Problem::default(),
            of_terms: FxHashMap::default(),
            of_arrays: FxHashMap::default(),
            objects: FxHashMap::default(),
            seen: FxHashMap::default(),
            pending: Vec::new(),
        }
    }

    fn add(&mut self, term: TermId) -> TermId {
        self.pending.push(Item::Term(term));
        while let Some(&item) = self.pending.last() {
            let before = self.pending.len();
            self.request_operands(item);
            if self.pending.len() == before {
                self.pending.pop();
                match item {
                    Item::Term(term) => self.finish_term(term),
                    Item::Array(array) => self.finish_array(array),
                }
            }
        }
        self.of_terms[&term]
    }

    /// Puts what the item needs, and is not there yet, on the stack; the first operand on top.
    fn request_operands(&mut self, item: Item) {
        let first = self.pending.len();
        match item {
            Item::Term(term) if self.of_terms.contains_key(&term) => {}
            Item::Array(array) if self.of_arrays.contains_key(&array) => {}
            Item::Term(term) => {
                let node = self.terms.node(term);
                if let Node::Read { array, .. } = node {
                    self.request(Item::Array(array));
                }
                for operand in node.operands() {
                    self.request(Item::Term(operand));
                }
            }
            Item::Array(array) => match self.terms.array_node(array) {
                ArrayNode::Bytes(_) | ArrayNode::Symbol { .. } => {}
                ArrayNode::Table(table) => {
                    for &term in table.iter() {
                        self.request(Item::Term(term));
                    }
                }
                &ArrayNode::Store { array, index, value } => {
                    self.request(Item::Array(array));
                    self.request(Item::Term(index));
                    self.request(Item::Term(value));
                }
            },
        }
        self.pending[first..].reverse();
    }

    fn request(&mut self, item: Item) {
        let known = match item {
            Item::Term(term) => self.of_terms.contains_key(&term),
            Item::Array(array) => self.of_arrays.contains_key(&array),
        };
        if !known {
            self.pending.push(item);
        }
    }

    fn finish_term(&mut self, term: TermId) {
        if self.of_terms.contains_key(&term) {
            return;
        }
        let node = self.renumbered(term);
        self.problem.nodes.push(node);
        self.problem.widths.push(self.terms.width(term));
        if let Some(number) = TermId::from_raw(self.problem.nodes.len() as u32) {
            self.of_terms.insert(term, number);
        }
    }

    fn renumbered(&mut self, term: TermId) -> Node {
        let node = self.terms.node(term);
        let new = |operand: TermId| self.of_terms[&operand];
        match node {
            Node::Const(_) => node,
            Node::WideConst(_) => {
                self.problem.wide.push(self.terms.as_const(term).unwrap_or_default());
                Node::WideConst(self.problem.wide.len() as u32 - 1)
            }
            Node::Byte { symbol, offset } => {
                let object = self.object(symbol);
                self.mention(Var { symbol, offset }, object);
                Node::Byte { symbol: upshot_expr::SymbolId(object), offset }
            }
            Node::Read { array, index } => Node::Read { array: self.of_arrays[&array], index: new(index) },
            Node::Not(a) => Node::Not(new(a)),
            Node::Bin(op, a, b) => Node::Bin(op, new(a), new(b)),
            Node::Eq(a, b) => Node::Eq(new(a), new(b)),
            Node::Ult(a, b) => Node::Ult(new(a), new(b)),
            Node::Ule(a, b) => Node::Ule(new(a), new(b)),
            Node::Slt(a, b) => Node::Slt(new(a), new(b)),
            Node::Sle(a, b) => Node::Sle(new(a), new(b)),
            Node::Ite(a, b, c) => Node::Ite(new(a), new(b), new(c)),
            Node::Extract { term, low } => Node::Extract { term: new(term), low },
            Node::Concat(a, b) => Node::Concat(new(a), new(b)),
            Node::ZExt(a) => Node::ZExt(new(a)),
            Node::SExt(a) => Node::SExt(new(a)),
            Node::FloatBin(op, format, a, b) => Node::FloatBin(op, format, new(a), new(b)),
            Node::FloatUn(op, format, a) => Node::FloatUn(op, format, new(a)),
            Node::FloatFma(format, a, b, c) => Node::FloatFma(format, new(a), new(b), new(c)),
            Node::FloatEq(format, a, b) => Node::FloatEq(format, new(a), new(b)),
            Node::FloatLt(format, a, b) => Node::FloatLt(format, new(a), new(b)),
            Node::FloatLe(format, a, b) => Node::FloatLe(format, new(a), new(b)),
            Node::FloatIsNan(format, a) => Node::FloatIsNan(format, new(a)),
            Node::FloatCast { from, to, term } => Node::FloatCast { from, to, term: new(term) },
            Node::FloatToInt { from, signed, term } => Node::FloatToInt { from, signed, term: new(term) },
            Node::IntToFloat { signed, to, term } => Node::IntToFloat { signed, to, term: new(term) },
        }
    }

    fn object(&mut self, symbol: upshot_expr::SymbolId) -> u32 {
        let next = self.objects.len() as u32;
        *self.objects.entry(symbol).or_insert(next)
    }

    fn mention(&mut self, var: Var, object: u32) {
        if self.seen.insert(var, ()).is_none() {
            self.problem.variables.push(var);
            self.problem.objects.push(object);
        }
    }

    fn finish_array(&mut self, array: ArrayId) {
        if self.of_arrays.contains_key(&array) {
            return;
        }
        let new = |operand: &TermId| self.of_terms[operand];
        let content = match self.terms.array_node(array) {
            ArrayNode::Bytes(bytes) => ProblemArray::Bytes(bytes.to_vec()),
            ArrayNode::Table(table) => ProblemArray::Table(table.iter().map(new).collect()),
            &ArrayNode::Symbol { symbol, size } => {
                let object = self.object(symbol);
                for offset in 0..size {
                    self.mention(Var { symbol, offset }, object);
                }
                ProblemArray::Object { object, size }
            }
            ArrayNode::Store { array, index, value } => {
                ProblemArray::Store { array: self.of_arrays[array], index: new(index), value: new(value) }
            }
        };
        self.of_arrays.insert(array, ArrayId(self.problem.arrays.len() as u32));
        self.problem.arrays.push(content);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A constraint on two bytes, after `noise` other terms were made.
    fn question(noise: u128) -> Problem {
        let mut terms = Terms::new();
        let other = terms.symbol("other", 1);
        let symbol = terms.symbol("x", 2);
        for value in 0..noise {
            let byte = terms.byte(other, 0);
            let value = terms.constant(8, value);
            terms.add(byte, value);
        }
        let (a, b) = (terms.byte(symbol, 0), terms.byte(symbol, 1));
        let sum = terms.add(a, b);
        let seven = terms.constant(8, 7);
        let constraint = terms.eq(sum, seven);
        Problem::new(&terms, [constraint])
    }

    #[test]
    fn a_problem_does_not_depend_on_the_arena() {
        let (one, other) = (question(0), question(30));
        assert_eq!(one.nodes, other.nodes);
        assert_eq!(one.objects, other.objects);
        assert_eq!(one.constraints, other.constraints);
    }

    #[test]
    fn deep_terms_do_not_recurse() {
        let mut terms = Terms::without_simplifier();
        let symbol = terms.symbol("x", 1);
        let byte = terms.byte(symbol, 0);
        let mut term = byte;
        for _ in 0..200_000 {
            term = terms.bin(upshot_expr::BinOp::Xor, term, byte);
            term = terms.not(term);
        }
        let zero = terms.constant(8, 0);
        let constraint = terms.eq(term, zero);
        assert_eq!(Problem::new(&terms, [constraint]).nodes.len(), 400_003);
    }
}
