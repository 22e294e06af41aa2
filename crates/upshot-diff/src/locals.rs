//! Which local of the old version is which of the new one.
//!
//! A local is what is done with it. Wherever two instructions have been put side by side, the locals they name are a vote that these are the same, and an equal name is worth
//! half a vote; the pairs with most votes win. Any one-to-one map would do as far as correctness goes: a bad one
//! only leaves more instructions unmatched.

use rustc_hash::FxHashMap;
use upshot_ir::InstId;

use crate::alike::{Comparison, operations};
use crate::anatomy::Anatomy;
use crate::body::{Body, Origin};
use crate::pairing::Pairs;

/// Pairs of the instructions that make locals.
pub(crate) fn pair_locals(comparison: &Comparison<'_>, side_by_side: &[(InstId, InstId)]) -> Pairs {
    let mut votes: FxHashMap<(InstId, InstId), u32> = FxHashMap::default();
    for &(old, new) in side_by_side {
        for pair in mentioned(comparison.old, old).into_iter().zip(mentioned(comparison.new, new)) {
            if let (Some(a), Some(b)) = pair {
                *votes.entry((a, b)).or_default() += 2;
            }
        }
    }
    let mut by_name: FxHashMap<&str, Vec<InstId>> = FxHashMap::default();
    for (name, local) in comparison.new.named_locals() {
        by_name.entry(name).or_default().push(local);
    }
    for (name, local) in comparison.old.named_locals() {
        for &other in by_name.get(name).into_iter().flatten() {
            *votes.entry((local, other)).or_default() += 1;
        }
    }
    let mut ranked: Vec<_> = votes.into_iter().map(|((a, b), count)| (std::cmp::Reverse(count), a, b)).collect();
    ranked.sort_unstable();
    let mut pairs = Pairs::new(comparison.old.len(), comparison.new.len());
    for (_, old, new) in ranked {
        if comparison.alike(old, new) {
            pairs.join(old.index(), new.index());
        }
    }
    pairs
}

/// For each place in an instruction where a local can stand, the local that does.
fn mentioned(body: &Body<'_>, inst: InstId) -> Vec<Option<InstId>> {
    let mut locals = Vec::new();
    for op in operations(body, inst) {
        let anatomy = Anatomy::of(op);
        let read = anatomy.reads.iter().map(|operand| operand.as_reg());
        let touched = anatomy.slots.iter().chain(&anatomy.writes).map(|register| Some(*register));
        for register in read.chain(touched) {
            locals.push(match register.map(|register| body.origin(register)) {
                Some(Origin::Slot(local)) => Some(local),
                Some(Origin::Result(local, _)) if body.is_local(local) && local != inst => Some(local),
                _ => None,
            });
        }
    }
    locals
}
