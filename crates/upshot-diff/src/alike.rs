//! Whether two instructions do the same thing, their operands' values aside.
//!
//! Opcode, types, flags, predicates and constants must be equal, constants that are addresses through the maps between globals and functions. What is left
//! to [`consistent`](crate::consistent) is which registers they work on, as that depends on what else is matched.

use upshot_ir::{BlockId, Const, FuncId, InstId, Op, Operand, Reg, edges};

use crate::anatomy::Anatomy;
use crate::body::Body;
use crate::data::Data;
use crate::pairing::Pairs;
use crate::parameters::Parameters;

/// What both versions have in common outside of function bodies.
pub(crate) struct Common<'a> {
    pub(crate) functions: &'a Pairs,
    pub(crate) data: &'a Data<'a>,
}

impl Common<'_> {
    pub(crate) fn same_function(&self, old: FuncId, new: FuncId) -> bool {
        self.functions.are_joined(old.index(), new.index())
    }

    pub(crate) fn same_constant(&self, old: &Const, new: &Const) -> bool {
        self.data.same_constant(self.functions, old, new)
    }
}

/// A pair of bodies whose instructions are compared.
pub(crate) struct Comparison<'a> {
    pub(crate) old: &'a Body<'a>,
    pub(crate) new: &'a Body<'a>,
    pub(crate) common: &'a Common<'a>,
    pub(crate) parameters: Parameters,
}

/// The operations of an instruction, in parts.
pub(crate) fn operations<'a>(body: &Body<'a>, inst: InstId) -> &'a [Op] {
    let ops = &body.function.insts[inst.index()].ops;
    &body.function.ops[ops.start as usize..ops.end as usize]
}

impl Comparison<'_> {
    /// Whether the two do the same thing, given the same operand values.
    pub(crate) fn alike(&self, old: InstId, new: InstId) -> bool {
        let (a, b) = (&self.old.function.insts[old.index()], &self.new.function.insts[new.index()]);
        let (x, y) = (operations(self.old, old), operations(self.new, new));
        a.opcode == b.opcode
            && a.result.len() == b.result.len()
            && x.len() == y.len()
            && x.iter().zip(y).all(|(x, y)| self.operations_alike(x, y))
    }

    /// Whether their edges lead to blocks of the same numbers.
    pub(crate) fn same_targets(&self, old: InstId, new: InstId) -> bool {
        let targets = |body: &Body<'_>, inst: InstId| -> Vec<BlockId> {
            operations(body, inst).iter().flat_map(edges).map(|edge| edge.target).collect()
        };
        targets(self.old, old) == targets(self.new, new)
    }

    fn operations_alike(&self, old: &Op, new: &Op) -> bool {
        let (a, b) = (Anatomy::of(old), Anatomy::of(new));
        let callees = match (a.callee, b.callee) {
            (Some(a), Some(b)) => self.common.same_function(a, b),
            (None, None) => true,
            _ => false,
        };
        let words = |program: &upshot_ir::Program, what: Option<u32>| {
            what.map(|what| program.unsupported.get(what as usize).cloned().unwrap_or_default())
        };
        callees
            && a.shape == b.shape
            && words(self.old.program, a.unsupported) == words(self.new.program, b.unsupported)
            && a.edges.len() == b.edges.len()
            && a.reads.len() == b.reads.len()
            && (ends_in_failed_assertion(self.old, &a)
                || a.reads.iter().zip(&b.reads).all(|(a, b)| self.constants_alike(*a, *b)))
    }

    /// Both are registers, or the same constant.
    fn constants_alike(&self, old: Operand, new: Operand) -> bool {
        match (old.as_constant(), new.as_constant()) {
            (Some(a), Some(b)) => {
                self.common.same_constant(&self.old.function.constants[a], &self.new.function.constants[b])
            }
            (None, None) => true,
            _ => false,
        }
    }
}

/// A failed assertion ends the run whatever it is told, and how a run ends is its kind, not its message. So the text and the line of an
/// assertion are not compared: else a comment above it would change the function.
pub(crate) fn ends_in_failed_assertion(body: &Body<'_>, anatomy: &Anatomy) -> bool {
    anatomy.callee.is_some_and(|callee| body.program.function(callee).name == "__assert_fail")
}

/// The position of the operation and of its result that wrote `register` earlier in the same instruction, if one did.
pub(crate) fn written_within(before: &[Anatomy], register: Reg) -> Option<(usize, usize)> {
    before.iter().enumerate().rev().find_map(|(number, anatomy)| {
        anatomy.writes.iter().position(|&written| written == register).map(|part| (number, part))
    })
}
