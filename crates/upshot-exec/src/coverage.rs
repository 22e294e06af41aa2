//! Coverage in source terms: lines and branches of the user's own code.

use std::collections::BTreeSet;

use upshot_ir::{BlockId, FuncId, Function, InstId, Op, Program};

/// What has been executed, over all paths of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(from = "Listed", into = "Listed")]
pub struct Coverage {
    /// Per block, over all functions: whether it was left at its end.
    pub(crate) blocks: Vec<bool>,
    /// Instructions of blocks that paths ended in.
    pub(crate) partial: BTreeSet<(FuncId, InstId)>,
    /// Per block the successors taken, by bit; from the 64th on they share one.
    pub(crate) edges: Vec<u64>,
}

/// How many of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    pub covered: u64,
    pub total: u64,
}

/// The same as lists, since most of a program's blocks are in its library.
#[derive(serde::Serialize, serde::Deserialize)]
struct Listed {
    blocks: Vec<usize>,
    partial: Vec<(u32, u32)>,
    edges: Vec<(usize, u64)>,
}

impl From<Coverage> for Listed {
    fn from(coverage: Coverage) -> Self {
        Listed {
            blocks: coverage.blocks.iter().enumerate().filter(|(_, left)| **left).map(|(block, _)| block).collect(),
            partial: coverage.partial.iter().map(|(function, inst)| (function.0, inst.0)).collect(),
            edges: coverage.edges.iter().copied().enumerate().filter(|(_, bits)| *bits != 0).collect(),
        }
    }
}

impl From<Listed> for Coverage {
    fn from(listed: Listed) -> Self {
        let blocks = listed.blocks.iter().copied().chain(listed.edges.iter().map(|(block, _)| *block));
        let mut coverage = Coverage::new(blocks.max().map_or(0, |most| most + 1));
        listed.blocks.iter().for_each(|&block| coverage.blocks[block] = true);
        listed.edges.iter().for_each(|&(block, bits)| coverage.edges[block] = bits);
        coverage.partial = listed.partial.into_iter().map(|(f, inst)| (FuncId(f), InstId(inst))).collect();
        coverage
    }
}

impl Coverage {
    pub(crate) fn new(blocks: usize) -> Self {
        Coverage { blocks: vec![false; blocks], partial: BTreeSet::new(), edges: vec![0; blocks] }
    }

    /// Adds what another machine has executed.
    pub fn merge(&mut self, other: &Coverage) {
        self.blocks.resize(self.blocks.len().max(other.blocks.len()), false);
        self.edges.resize(self.edges.len().max(other.edges.len()), 0);
        for (mine, theirs) in self.blocks.iter_mut().zip(&other.blocks) {
            *mine |= theirs;
        }
        for (mine, theirs) in self.edges.iter_mut().zip(&other.edges) {
            *mine |= theirs;
        }
        self.partial.extend(&other.partial);
    }

    /// Lines and branch directions, over the functions that `counts` picks.
    pub fn figures(&self, program: &Program, counts: impl Fn(&Function) -> bool) -> (Covered, Covered) {
        let mut lines = BTreeSet::new();
        let mut covered_lines = BTreeSet::new();
        let mut branches = Covered::default();
        let mut first = 0;
        for (index, function) in program.functions.iter().enumerate() {
            let base = first;
            first += function.blocks.len();
            if function.is_declaration || !counts(function) {
                continue;
            }
            for (number, inst) in function.insts.iter().enumerate() {
                if !inst.location.is_known() {
                    continue;
                }
                let line = (inst.location.file, inst.location.line);
                lines.insert(line);
                let whole = self.blocks.get(base + inst.block.index()).copied().unwrap_or(false);
                if whole || self.partial.contains(&(FuncId(index as u32), InstId(number as u32))) {
                    covered_lines.insert(line);
                }
            }
            for block in 0..function.blocks.len() {
                let directions = directions(function, BlockId(block as u32));
                branches.total += directions;
                let taken = self.edges.get(base + block).copied().unwrap_or(0);
                branches.covered += u64::from(taken.count_ones()).min(directions);
            }
        }
        (Covered { covered: covered_lines.len() as u64, total: lines.len() as u64 }, branches)
    }
}

/// How many ways out of a block there are to tell apart; none where there is no choice.
fn directions(function: &Function, block: BlockId) -> u64 {
    let Some(last) = function.blocks[block.index()].end.checked_sub(1) else { return 0 };
    match &function.ops[last as usize] {
        Op::Branch { .. } => 2,
        Op::Switch(switch) => {
            let targets: BTreeSet<BlockId> =
                switch.cases.iter().map(|(_, edge)| edge.target).chain([switch.default.target]).collect();
            targets.len() as u64
        }
        Op::IndirectJump { edges, .. } => edges.len() as u64,
        _ => 0,
    }
}
