//! Pairs that run under the same conditions and in the same order.
//!
//! Two instructions that do the same thing are not the same if one runs on the other side of a branch, or at another time. Impact analysis follows control dependence
//! from what has changed (rule 1 of the DiSE papers), so it finds whatever hangs on an unmatched branch by itself. What it cannot find is a matched
//! instruction whose branches are all matched, but are not the same ones or not the same sides, and one that comes before another instead of after it.
//! Such pairs are dropped here. What is left has, as far as it does not hang on a change, the same control dependences and the same
//! order in both versions: the condition under which slices of two programs behave alike (Reps and Yang's slicing theorem).

use upshot_ir::{InstId, Op};

use crate::alike::{Comparison, operations};
use crate::body::Body;
use crate::flow::{Decision, Flow, terminator};
use crate::pairing::Pairs;

/// Both bodies' control flow, beside the bodies.
pub(crate) struct Control<'a> {
    old: Side<'a>,
    new: Side<'a>,
}

struct Side<'a> {
    body: &'a Body<'a>,
    flow: Flow,
}

/// Blocks that hang, directly or not, on a branch without a counterpart, in both versions.
struct Dirty {
    old: Vec<bool>,
    new: Vec<bool>,
}

/// Jumps that lead elsewhere, by the instructions of both versions.
#[derive(Debug, Default)]
pub(crate) struct Retargeted {
    pub(crate) old: Vec<InstId>,
    pub(crate) new: Vec<InstId>,
}

impl<'a> Control<'a> {
    pub(crate) fn new(comparison: &Comparison<'a>) -> Self {
        let side = |body: &'a Body<'a>| Side { body, flow: Flow::new(body) };
        Control { old: side(comparison.old), new: side(comparison.new) }
    }

    /// Drops pairs of jumps (`goto`, `break`, …) that lead to different instructions.
    pub(crate) fn drop_retargeted(&self, pairs: &mut Pairs) -> Retargeted {
        let mut retargeted = Retargeted::default();
        for block in 0..self.old.flow.targets.len() as u32 {
            let jump = terminator(self.old.body, block);
            let Some(other) = pairs.to_new[jump.index()].map(InstId) else { continue };
            if !matches!(operations(self.old.body, jump), [Op::Jump(_)]) {
                continue;
            }
            let led = self.old.first_matched(&pairs.to_new, self.old.flow.targets[block as usize][0]);
            let leads = self.new.first_matched(&pairs.to_old, self.new.target(other));
            let same = match (led, leads) {
                (Some(led), Some(leads)) => pairs.are_joined(led.index(), leads.index()),
                _ => true, // one of them meets a branch without a counterpart, or ends
            };
            if !same {
                drop_pair(pairs, jump.index());
                retargeted.old.push(jump);
                retargeted.new.push(other);
            }
        }
        retargeted
    }

    /// Drops pairs until those that do not hang on a change have the same controls and the same order. Whether any was dropped.
    pub(crate) fn keep_controlled(&self, pairs: &mut Pairs) -> bool {
        let mut any = false;
        loop {
            let dirty = self.dirty(pairs);
            let mut wrong = self.under_other_conditions(pairs, &dirty);
            if wrong.is_empty() {
                wrong = self.out_of_order(pairs, &dirty);
            }
            if wrong.is_empty() {
                return any;
            }
            wrong.into_iter().for_each(|old| drop_pair(pairs, old));
            any = true;
        }
    }

    fn dirty(&self, pairs: &Pairs) -> Dirty {
        let mut dirty = Dirty { old: vec![false; self.old.blocks()], new: vec![false; self.new.blocks()] };
        loop {
            let of_old = self.old.hanging(&self.new, &pairs.to_new, &dirty.old, &dirty.new);
            let of_new = self.new.hanging(&self.old, &pairs.to_old, &dirty.new, &of_old);
            let stable = of_old == dirty.old && of_new == dirty.new;
            dirty = Dirty { old: of_old, new: of_new };
            if stable {
                return dirty;
            }
        }
    }

    /// All pairs but locals, whose blocks hang on no change.
    fn clean<'p>(
        &self,
        pairs: &'p Pairs,
        dirty: &'p Dirty,
    ) -> impl Iterator<Item = (InstId, InstId)> + use<'p, '_, 'a> {
        pairs.to_new.iter().enumerate().filter_map(move |(old, new)| {
            let (old, new) = (InstId(old as u32), InstId((*new)?));
            let clean =
                !self.old.body.is_local(old) && !dirty.old[self.old.block(old)] && !dirty.new[self.new.block(new)];
            clean.then_some((old, new))
        })
    }

    /// The pairs whose controls are all matched, but are not each other's counterparts.
    fn under_other_conditions(&self, pairs: &Pairs, dirty: &Dirty) -> Vec<usize> {
        let translated = |controllers: &[Decision]| -> Vec<Decision> {
            let other = |from: u32| pairs.to_new[terminator(self.old.body, from).index()];
            let mut decisions: Vec<Decision> = controllers
                .iter()
                .filter_map(|&(from, edge)| Some((self.new.block(InstId(other(from)?)) as u32, edge)))
                .collect();
            decisions.sort_unstable();
            decisions
        };
        let by_block: Vec<Vec<Decision>> =
            self.old.flow.controllers.iter().map(|controllers| translated(controllers)).collect();
        self.clean(pairs, dirty)
            .filter(|&(old, new)| by_block[self.old.block(old)] != self.new.flow.controllers[self.new.block(new)])
            .map(|(old, _)| old.index())
            .collect()
    }

    /// The pairs that are certain to come next in one version, where another pair is in the other.
    fn out_of_order(&self, pairs: &Pairs, dirty: &Dirty) -> Vec<usize> {
        let (mut of_old, mut of_new) = (vec![false; self.old.body.len()], vec![false; self.new.body.len()]);
        for (old, new) in self.clean(pairs, dirty) {
            (of_old[old.index()], of_new[new.index()]) = (true, true);
        }
        let (next_of_old, next_of_new) = (self.old.certain_next(&of_old), self.new.certain_next(&of_new));
        let mut wrong = Vec::new();
        let mut compare = |a: Option<InstId>, b: Option<InstId>| {
            if a.and_then(|a| pairs.to_new[a.index()]).map(InstId) != b {
                wrong.extend(a.map(InstId::index));
                wrong.extend(b.and_then(|b| pairs.to_old[b.index()]).map(|old| old as usize));
            }
        };
        compare(next_of_old.first().copied().flatten(), next_of_new.first().copied().flatten());
        for (old, new) in self.clean(pairs, dirty) {
            let a = self.old.after(old, &of_old, &next_of_old);
            let b = self.new.after(new, &of_new, &next_of_new);
            a.into_iter().zip(b).for_each(|(a, b)| compare(a, b));
        }
        wrong.sort_unstable();
        wrong.dedup();
        wrong
    }
}

impl Side<'_> {
    fn blocks(&self) -> usize {
        self.flow.targets.len()
    }

    fn block(&self, inst: InstId) -> usize {
        self.body.function.insts[inst.index()].block.index()
    }

    /// Where a jump leads.
    fn target(&self, jump: InstId) -> u32 {
        self.flow.targets[self.block(jump)].first().copied().unwrap_or(0)
    }

    fn insts(&self, block: usize) -> std::ops::RangeInclusive<u32> {
        let block = &self.body.function.blocks[block];
        block.first_inst.0..=block.last_inst.0
    }

    /// The first instruction with a counterpart from the start of a block on; `None` if a branch without one comes first.
    fn first_matched(&self, side: &[Option<u32>], start: u32) -> Option<InstId> {
        let mut block = start;
        for _ in 0..self.blocks() {
            let found = self.insts(block as usize).find(|&inst| side[inst as usize].is_some());
            match (found, self.flow.targets[block as usize].as_slice()) {
                (Some(inst), _) => return Some(InstId(inst)),
                (None, [next]) => block = *next,
                (None, _) => return None,
            }
        }
        None
    }

    /// The blocks that hang on a branch without a counterpart, or on one that hangs on one in either version.
    fn hanging(&self, other: &Side<'_>, side: &[Option<u32>], dirty: &[bool], dirty_there: &[bool]) -> Vec<bool> {
        let is_dirty = |from: u32| {
            let counterpart = side[terminator(self.body, from).index()];
            dirty[from as usize] || counterpart.is_none_or(|inst| dirty_there[other.block(InstId(inst))])
        };
        let hangs = |controllers: &Vec<Decision>| controllers.iter().any(|&(from, _)| is_dirty(from));
        self.flow.controllers.iter().zip(dirty).map(|(controllers, &before)| before || hangs(controllers)).collect()
    }

    /// By block: the first of the chosen instructions that is certain to run once the block is entered.
    fn certain_next(&self, chosen: &[bool]) -> Vec<Option<InstId>> {
        let mut next = vec![None; self.blocks()];
        for &block in &self.flow.outward {
            let own = self.insts(block as usize).find(|&inst| chosen[inst as usize]).map(InstId);
            next[block as usize] =
                own.or_else(|| self.flow.certain_next(block).and_then(|following| next[following as usize]));
        }
        next
    }

    /// What is certain to run after an instruction, for each way out of it.
    fn after(&self, inst: InstId, chosen: &[bool], next: &[Option<InstId>]) -> Vec<Option<InstId>> {
        let block = self.block(inst);
        let last = *self.insts(block).end();
        if inst.0 == last {
            return self.flow.targets[block].iter().map(|&target| next[target as usize]).collect();
        }
        let own = (inst.0 + 1..=last).find(|&inst| chosen[inst as usize]).map(InstId);
        let following = || self.flow.certain_next(block as u32).and_then(|following| next[following as usize]);
        vec![own.or_else(following)]
    }
}

fn drop_pair(pairs: &mut Pairs, old: usize) {
    if let Some(new) = pairs.to_new[old].take() {
        pairs.to_old[new as usize] = None;
    }
}
