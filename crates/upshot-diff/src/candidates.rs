//! Which instruction may be which: a guess, which [`consistent`](crate::consistent) then checks.
//!
//! Instructions are put side by side in the order clang emitted them, whole statements first (a run of instructions at whose end no value is waiting to be
//! used), then what is left between them one by one. Text comes in as an anchor: a statement on a line that the line diff has matched is
//! only put beside the same line, which tells equal statements apart. Names of locals come in once, to find out which local is which; after that a
//! renamed local is as good as any.

use upshot_ir::InstId;

use crate::align::{align, gaps};
use crate::alike::Comparison;
use crate::keys::{Identity, Keys};
use crate::lines::{LineClasses, line_classes};
use crate::locals::pair_locals;
use crate::pairing::Pairs;
use crate::sources::Sources;

/// Pairs of instructions that are alike and in the same order on both sides, locals aside, which have no order.
pub(crate) fn candidates(comparison: &Comparison<'_>, old: &Sources, new: &Sources) -> Pairs {
    let classes = line_classes(comparison.old.function, comparison.new.function, old, new);
    let rough = side_by_side(comparison, &classes, &[Identity::Names, Identity::Blind]);
    let mut pairs = pair_locals(comparison, &rough);
    let locals = pairs.clone();
    for (old, new) in side_by_side(comparison, &classes, &[Identity::Paired(&locals)]) {
        if comparison.alike(old, new) {
            pairs.join(old.index(), new.index());
        }
    }
    pairs
}

/// One after the other: statements with their lines, statements without, single instructions. What locals are told apart
/// by may get weaker with each of the identities given.
fn side_by_side(
    comparison: &Comparison<'_>,
    classes: &LineClasses,
    identities: &[Identity<'_>],
) -> Vec<(InstId, InstId)> {
    let keys: Vec<(Keys, Keys)> = identities.iter().map(|identity| Keys::of_both(comparison, *identity)).collect();
    let Some((first, last)) = keys.first().zip(keys.last()) else { return Vec::new() };
    let (old, new) = (&first.0.statements, &first.1.statements);
    let on_line = |keys: &Keys, class: &dyn Fn(InstId) -> u32, at: usize| {
        let statement = &keys.statements[at];
        (statement.key, class(InstId(statement.insts.end - 1)))
    };
    let (class_of_old, class_of_new) = (
        |inst: InstId| classes.of_old(comparison.old.function.insts[inst.index()].location),
        |inst: InstId| classes.of_new(comparison.new.function.insts[inst.index()].location),
    );
    let mut statements = refine(
        Vec::new(),
        (old.len(), new.len()),
        |at| on_line(&first.0, &class_of_old, at),
        |at| on_line(&first.1, &class_of_new, at),
    );
    for (a, b) in &keys {
        let size = (old.len(), new.len());
        statements = refine(statements, size, |at| a.statements[at].key, |at| b.statements[at].key);
    }
    let mut insts = Vec::new();
    for (a, b) in statements {
        let (a, b) = (&old[a].insts, &new[b].insts);
        if a.len() == b.len() {
            insts.extend(a.clone().zip(b.clone()).map(|(a, b)| (a as usize, b as usize)));
        }
    }
    let size = (comparison.old.len(), comparison.new.len());
    let insts = refine(insts, size, |at| last.0.insts[at], |at| last.1.insts[at]);
    insts.into_iter().map(|(a, b)| (InstId(a as u32), InstId(b as u32))).collect()
}

/// The pairs, and what can be paired between them.
fn refine<K: std::hash::Hash + Eq>(
    pairs: Vec<(usize, usize)>,
    (old, new): (usize, usize),
    key_of_old: impl Fn(usize) -> K,
    key_of_new: impl Fn(usize) -> K,
) -> Vec<(usize, usize)> {
    let mut all = pairs.clone();
    for (a, b) in gaps(&pairs, old, new) {
        let found = align(a.clone().map(&key_of_old), b.clone().map(&key_of_new));
        all.extend(found.into_iter().map(|(x, y)| (a.start + x, b.start + y)));
    }
    all.sort_unstable();
    all
}
