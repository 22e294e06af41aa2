//! What hangs on a branch: the code between it and its immediate post-dominator, and what that code could define.
//!
//! A branch instance controls what runs until its post-dominator is reached (the dynamic region of execution indexing). When the region is left, every register and
//! every byte that its code defines on *some* way is potentially dependent on the branch (FSE'11, Def. 3), whichever way was taken.
//!
//! Post-dominators are those of the ways that return. Ways that never do (they exit, fail or loop for ever) do not make all that follows depend on a branch;
//! instead the branch is marked as one that may end the path, and so decides whether there is any output.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;
use upshot_impact::Effects;
use upshot_ir::{BlockId, Callee, Dominators, FuncId, Function, Op, Operand, Program, Reg};

/// What hangs on a branch.
#[derive(Debug, Default)]
pub(crate) struct Region {
    /// Where all ways meet again; `None`: where the function returns.
    pub join: Option<BlockId>,
    /// Some way may fail, exit or run for ever.
    pub may_end: bool,
    /// Registers that the code may write and that are read elsewhere.
    pub registers: Vec<Reg>,
    /// Memory that it may write: numbers of [`Effects`].
    pub writes: Vec<u32>,
    /// Probes that it may come by.
    pub probes: Vec<u32>,
}

/// The operands of a function's operations.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    pub written: Vec<Reg>,
    pub read: Vec<Operand>,
}

/// A function as slicing sees it.
#[derive(Debug)]
pub(crate) struct Body {
    pub accesses: Vec<Accesses>,
    /// By block: what hangs on its end, where it has more than one edge.
    pub regions: Vec<Option<Region>>,
}

/// All functions of a program, each looked at when it is first entered.
pub(crate) struct Bodies<'p> {
    program: &'p Program,
    effects: &'p Effects,
    bodies: Vec<OnceCell<Body>>,
    /// By function: the probes that a call of it may come by.
    probes: Vec<Vec<u32>>,
}

impl<'p> Bodies<'p> {
    pub(crate) fn new(program: &'p Program, effects: &'p Effects) -> Self {
        let bodies = program.functions.iter().map(|_| OnceCell::new()).collect();
        Bodies { program, effects, bodies, probes: probes(program) }
    }

    pub(crate) fn effects(&self) -> &'p Effects {
        self.effects
    }

    pub(crate) fn body(&self, id: FuncId) -> &Body {
        self.bodies[id.index()].get_or_init(|| self.look_at(id))
    }

    fn look_at(&self, id: FuncId) -> Body {
        let function = self.program.function(id);
        let accesses = function.ops.iter().map(|op| {
            let (written, read) = upshot_ir::accesses(op);
            Accesses { written, read }
        });
        let accesses: Vec<Accesses> = accesses.collect();
        let flow = Flow::new(function);
        let across = read_elsewhere(function, &accesses);
        let regions = (0..function.blocks.len() as u32).map(|block| {
            let last = function.blocks[block as usize].end as usize - 1;
            let branches = upshot_ir::edges(&function.ops[last]).len() > 1;
            branches.then(|| self.region(id, &flow, BlockId(block), &accesses, &across))
        });
        Body { regions: regions.collect(), accesses }
    }

    fn region(&self, id: FuncId, flow: &Flow, branch: BlockId, accesses: &[Accesses], across: &[bool]) -> Region {
        let function = self.program.function(id);
        let join = flow.join(branch);
        let inside = flow.between(branch, join);
        let mut region = Region { join, ..Region::default() };
        let mut registers = Vec::new();
        let last = |block: BlockId| &function.ops[function.blocks[block.index()].end as usize - 1];
        for block in (0..function.blocks.len() as u32).map(BlockId) {
            let is_inside = inside[block.index()];
            if is_inside || block == branch {
                let moves = upshot_ir::edges(last(block)).into_iter().flat_map(|edge| &edge.moves);
                registers.extend(moves.map(|(reg, _)| *reg));
            }
            if !is_inside {
                continue;
            }
            let effects = self.effects.block(id, block);
            region.may_end |= effects.may_end;
            region.writes.extend(&effects.writes);
            let ops = function.blocks[block.index()].start..function.blocks[block.index()].end;
            for op in ops {
                registers.extend(accesses[op as usize].written.iter().filter(|reg| across[reg.index()]));
                self.add_probes(&function.ops[op as usize], &mut region.probes);
            }
        }
        let is_endless = |&(from, to): &(BlockId, BlockId)| inside[from.index()] && inside[to.index()];
        region.may_end |= self.effects.endless(id).iter().any(is_endless);
        registers.sort_unstable();
        registers.dedup();
        region.registers = registers;
        region.writes.sort_unstable();
        region.writes.dedup();
        region.probes.sort_unstable();
        region.probes.dedup();
        region
    }

    fn add_probes(&self, op: &Op, found: &mut Vec<u32>) {
        match op {
            Op::Mark { mark } => found.push(*mark),
            Op::Call(call) => match call.callee {
                Callee::Direct(callee) => found.extend(&self.probes[callee.index()]),
                Callee::Indirect(_) => found.extend(self.probes.iter().flatten()),
            },
            _ => {}
        }
    }
}

/// The marks that each function may come by, callees included.
fn probes(program: &Program) -> Vec<Vec<u32>> {
    let mut found: Vec<Vec<u32>> = program
        .functions
        .iter()
        .map(|function| {
            let mark = |op: &Op| match op {
                Op::Mark { mark } => Some(*mark),
                _ => None,
            };
            function.ops.iter().filter_map(mark).collect()
        })
        .collect();
    if found.iter().all(Vec::is_empty) {
        return found;
    }
    let all: Vec<u32> = found.iter().flatten().copied().collect();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (number, function) in program.functions.iter().enumerate() {
            let mut mine = found[number].clone();
            for op in &function.ops {
                match op {
                    Op::Call(call) => match call.callee {
                        Callee::Direct(callee) => mine.extend(&found[callee.index()]),
                        Callee::Indirect(_) => mine.extend(&all),
                    },
                    _ => continue,
                }
            }
            mine.sort_unstable();
            mine.dedup();
            changed |= mine.len() > found[number].len();
            found[number] = mine;
        }
    }
    found
}

/// Registers that are read in another block than the one that writes them, or written in more than one, or read before they are written. The others
/// hold nothing once their block is left.
fn read_elsewhere(function: &Function, accesses: &[Accesses]) -> Vec<bool> {
    let mut across = vec![false; function.registers as usize];
    let mut writer: FxHashMap<Reg, u32> = FxHashMap::default();
    for (number, block) in (0..).zip(&function.blocks) {
        for op in block.start..block.end {
            for &reg in &accesses[op as usize].written {
                across[reg.index()] |= *writer.entry(reg).or_insert(number) != number;
            }
            for (reg, _) in upshot_ir::edges(&function.ops[op as usize]).into_iter().flat_map(|edge| &edge.moves) {
                across[reg.index()] = true;
            }
        }
    }
    for (number, block) in (0..).zip(&function.blocks) {
        let mut written: Vec<Reg> = Vec::new();
        for op in block.start..block.end {
            let operands = accesses[op as usize].read.iter().copied();
            let edges = upshot_ir::edges(&function.ops[op as usize]);
            let moved = edges.into_iter().flat_map(|edge| edge.moves.iter().map(|(_, operand)| *operand));
            for reg in operands.chain(moved).filter_map(Operand::as_reg) {
                let is_own = writer.get(&reg) == Some(&number) && written.contains(&reg);
                across[reg.index()] |= !is_own;
            }
            written.extend(&accesses[op as usize].written);
        }
    }
    across
}

/// The control flow of a function, and its post-dominators.
struct Flow {
    successors: Vec<Vec<u32>>,
    post: Dominators,
    exit: u32,
}

impl Flow {
    fn new(function: &Function) -> Self {
        let count = function.blocks.len();
        let exit = count as u32;
        let successors: Vec<Vec<u32>> = (0..count as u32)
            .map(|block| upshot_ir::successors(function, BlockId(block)).into_iter().map(|to| to.0).collect())
            .collect();
        let mut with_exit = successors.clone();
        with_exit.push(Vec::new());
        for (number, block) in function.blocks.iter().enumerate() {
            if matches!(function.ops[block.end as usize - 1], Op::Return { .. }) {
                with_exit[number].push(exit);
            }
        }
        // What does not reach the exit is not in the tree.
        let post = Dominators::new(&upshot_ir::reversed(&with_exit), exit);
        Flow { successors, post, exit }
    }

    fn join(&self, branch: BlockId) -> Option<BlockId> {
        self.post.immediate(branch.0).filter(|&join| join != self.exit).map(BlockId)
    }

    /// The blocks that can run after the branch and before the join.
    fn between(&self, branch: BlockId, join: Option<BlockId>) -> Vec<bool> {
        let mut inside = vec![false; self.successors.len()];
        let mut work = self.successors[branch.index()].clone();
        while let Some(block) = work.pop() {
            if Some(BlockId(block)) == join || std::mem::replace(&mut inside[block as usize], true) {
                continue;
            }
            work.extend(&self.successors[block as usize]);
        }
        inside
    }
}
