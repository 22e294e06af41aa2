//! Which blocks of two versions run in step: an execution that is in one goes on, block by block and with the same values, in its counterpart.
//!
//! A block is in step if its instructions are the counterparts of those of one block of the other version, all of them and in the same order, and if each
//! of its edges leads to a pair of blocks that belong together, or out of step in both versions. By induction over its length an execution of the old version
//! that stays in such blocks is, from start to end, one of the new version too: the same decisions on the same terms, the same results. That needs no impact
//! analysis: what a change may influence matters only to executions that have met it.

use rustc_hash::FxHashMap;
use upshot_ir::{BlockId, Callee, Const, FuncId, Function, GlobalId, InstId, Location, Op, Program, accesses, edges};

use crate::changes::{Changes, FunctionMatch, Status};

/// The blocks in step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lockstep {
    /// By function and block of the old version: the counterpart.
    pub to_new: Vec<Vec<Option<(FuncId, BlockId)>>>,
    /// By function and block of the new version: whether it has one.
    pub new: Vec<Vec<bool>>,
    /// Where a line of the old version is in the new one; lines that are in several places are left out.
    pub lines: FxHashMap<(u32, u32), (u32, u32)>,
}

impl Lockstep {
    pub fn new(old: &Program, new: &Program, changes: &Changes) -> Self {
        let blocks = |program: &Program| program.functions.iter().map(|f| f.blocks.len()).collect::<Vec<_>>();
        let mut lockstep = Lockstep {
            to_new: blocks(old).into_iter().map(|count| vec![None; count]).collect(),
            new: blocks(new).into_iter().map(|count| vec![false; count]).collect(),
            lines: FxHashMap::default(),
        };
        let suspects = Suspects::new(old, new, changes);
        for pair in &changes.functions {
            let (Some(old_id), Some(new_id)) = (pair.old, pair.new) else { continue };
            let bodies = Bodies { old: old.function(old_id), new: new.function(new_id), pair, suspects: &suspects };
            let partners = bodies.partners();
            for (block, partner) in partners.into_iter().enumerate() {
                let Some(partner) = partner else { continue };
                lockstep.to_new[old_id.index()][block] = Some((new_id, partner));
                lockstep.new[new_id.index()][partner.index()] = true;
            }
        }
        lockstep.lines = lockstep.line_map(old, new, changes);
        lockstep
    }

    /// Whether all is in step that either version can execute.
    pub fn is_whole(&self) -> bool {
        self.to_new.iter().flatten().all(Option::is_some) && self.new.iter().flatten().all(|&in_step| in_step)
    }

    fn line_map(&self, old: &Program, new: &Program, changes: &Changes) -> FxHashMap<(u32, u32), (u32, u32)> {
        let mut lines: FxHashMap<(u32, u32), Option<(u32, u32)>> = FxHashMap::default();
        let line = |location: Location| (location.file, location.line);
        for pair in &changes.functions {
            let (Some(old_id), Some(new_id)) = (pair.old, pair.new) else { continue };
            let (before, after) = (old.function(old_id), new.function(new_id));
            for (inst, partner) in before.insts.iter().zip(&pair.to_new) {
                let Some(partner) = partner.filter(|_| inst.location.is_known()) else { continue };
                let moved = line(after.insts[partner.index()].location);
                let entry = lines.entry(line(inst.location)).or_insert(Some(moved));
                if *entry != Some(moved) {
                    *entry = None;
                }
            }
        }
        lines.into_iter().filter_map(|(from, to)| Some((from, to?))).collect()
    }
}

/// What makes an instruction another one although it looks the same.
struct Suspects<'a> {
    /// Functions of the old version that have a body in one version only.
    functions: Vec<FuncId>,
    /// Globals of the old version whose contents, or those of a global that they point to, differ.
    globals: Vec<bool>,
    old: &'a Program,
}

impl<'a> Suspects<'a> {
    fn new(old: &'a Program, new: &Program, changes: &Changes) -> Self {
        let lacks_body = |pair: &FunctionMatch| match (pair.old, pair.new) {
            (Some(a), Some(b)) => old.function(a).is_declaration != new.function(b).is_declaration,
            _ => true,
        };
        let functions = changes.functions.iter().filter(|pair| lacks_body(pair)).filter_map(|pair| pair.old).collect();
        let mut globals = vec![false; old.globals.len()];
        for pair in &changes.globals {
            if let Some(id) = pair.old {
                globals[id.index()] = pair.status != Status::Unchanged && !pair.nameless;
            }
        }
        loop {
            let more: Vec<usize> = (0..globals.len())
                .filter(|&index| !globals[index])
                .filter(|&index| {
                    let relocations = old.globals[index].initializer.iter().flat_map(|init| &init.relocations);
                    relocations.into_iter().any(|(_, _, value)| mentions(value, &|global| globals[global.index()]))
                })
                .collect();
            if more.is_empty() {
                return Suspects { functions, globals, old };
            }
            more.into_iter().for_each(|index| globals[index] = true);
        }
    }

    fn has(&self, function: &Function, inst: InstId) -> bool {
        let ops = &function.insts[inst.index()].ops;
        function.ops[ops.start as usize..ops.end as usize].iter().any(|op| {
            let calls = match op {
                Op::Call(call) => match call.callee {
                    Callee::Direct(callee) => self.functions.contains(&callee),
                    Callee::Indirect(_) => self.functions.iter().any(|&id| !self.old.function(id).is_declaration),
                },
                _ => false,
            };
            let moved = edges(op).into_iter().flat_map(|edge| &edge.moves).map(|(_, from)| *from);
            let constants = accesses(op).1.into_iter().chain(moved).filter_map(|operand| operand.as_constant());
            let is_suspect = |global: GlobalId| self.globals[global.index()];
            calls || constants.into_iter().any(|constant| mentions(&function.constants[constant], &is_suspect))
        })
    }
}

fn mentions(constant: &Const, is_meant: &impl Fn(GlobalId) -> bool) -> bool {
    match constant {
        Const::Global { global, .. } => is_meant(*global),
        Const::Expr { args, .. } => args.iter().any(|arg| mentions(arg, is_meant)),
        Const::Int { .. } | Const::Function(_) | Const::Block(..) | Const::Undef { .. } => false,
    }
}

/// A function in both versions.
struct Bodies<'a> {
    old: &'a Function,
    new: &'a Function,
    pair: &'a FunctionMatch,
    suspects: &'a Suspects<'a>,
}

impl Bodies<'_> {
    /// By old block: its counterpart, where it is in step.
    fn partners(&self) -> Vec<Option<BlockId>> {
        let blocks = 0..self.old.blocks.len() as u32;
        let mut partners: Vec<Option<BlockId>> = blocks.map(|block| self.same_instructions(BlockId(block))).collect();
        loop {
            let mut taken = vec![false; self.new.blocks.len()];
            partners.iter().flatten().for_each(|partner| taken[partner.index()] = true);
            let meet = |old: BlockId, new: BlockId| match partners[old.index()] {
                Some(partner) => partner == new,
                None => !taken[new.index()],
            };
            let mut wrong: Vec<usize> = Vec::new();
            for (block, partner) in partners.iter().enumerate() {
                let Some(partner) = partner else { continue };
                let (from, to) = (targets(self.old, BlockId(block as u32)), targets(self.new, *partner));
                if from.len() != to.len() || !from.iter().zip(&to).all(|(&a, &b)| meet(a, b)) {
                    wrong.push(block);
                }
            }
            let entry = BlockId(0);
            if !partners.is_empty() && !self.new.blocks.is_empty() && !meet(entry, entry) {
                wrong.extend((0..partners.len()).filter(|&old| old == 0 || partners[old] == Some(entry)));
            }
            wrong.retain(|&block| partners[block].is_some());
            if wrong.is_empty() {
                return partners;
            }
            wrong.into_iter().for_each(|block| partners[block] = None);
        }
    }

    /// The block of the new version that has the counterparts of the block's instructions and nothing else. A local of either version makes no difference.
    fn same_instructions(&self, block: BlockId) -> Option<BlockId> {
        let own = instructions(self.old, block);
        let images: Option<Vec<InstId>> = own
            .iter()
            .map(|inst| self.pair.to_new[inst.index()].filter(|_| !self.suspects.has(self.old, *inst)))
            .collect();
        let images = images?;
        let partner = self.new.insts[images.first()?.index()].block;
        (instructions(self.new, partner) == images).then_some(partner)
    }
}

/// The instructions of a block but for those that only make a local.
fn instructions(function: &Function, block: BlockId) -> Vec<InstId> {
    let block = &function.blocks[block.index()];
    let all = (block.first_inst.0..=block.last_inst.0).map(InstId);
    all.filter(|inst| !is_local(function, *inst)).collect()
}

fn is_local(function: &Function, inst: InstId) -> bool {
    let inst = &function.insts[inst.index()];
    let ops = &function.ops[inst.ops.start as usize..inst.ops.end as usize];
    let is_plain = |op: &Op| matches!(op, Op::Alloca { count, .. } if count.as_constant().is_some());
    inst.opcode == "alloca" && ops.iter().all(is_plain)
}

fn targets(function: &Function, block: BlockId) -> Vec<BlockId> {
    let last = function.blocks[block.index()].end as usize - 1;
    edges(&function.ops[last]).into_iter().map(|edge| edge.target).collect()
}
