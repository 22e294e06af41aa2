//! Which candidate pairs hold: those whose operands are pairs as well.
//!
//! All candidates are taken for true first, then those are dropped whose operands do not correspond, until none is left to drop. So the
//! result is the largest consistent part of the candidates, and values that depend on each other in a cycle (phis of a loop) do not stop each other from being
//! matched.

use upshot_ir::{InstId, Operand, Reg};

use crate::alike::{Comparison, ends_in_failed_assertion, operations, written_within};
use crate::anatomy::Anatomy;
use crate::body::{Body, Incoming, Origin};
use crate::pairing::Pairs;

impl Comparison<'_> {
    /// Drops every pair that does not hold. The pairs are of instructions that are [alike](Comparison::alike).
    pub(crate) fn keep_consistent(&self, pairs: &mut Pairs) -> bool {
        let mut any = false;
        loop {
            let mut dropped = false;
            for old in 0..pairs.to_new.len() {
                let Some(new) = pairs.to_new[old] else { continue };
                if !self.holds(pairs, InstId(old as u32), InstId(new)) {
                    pairs.to_new[old] = None;
                    pairs.to_old[new as usize] = None;
                    dropped = true;
                }
            }
            if !dropped {
                return any;
            }
            any = true;
        }
    }

    /// Whether the operands of a pair correspond, given the other pairs.
    fn holds(&self, pairs: &Pairs, old: InstId, new: InstId) -> bool {
        if self.old.is_slot(old) {
            return self.new.is_slot(new);
        }
        if self.old.function.insts[old.index()].opcode == "phi" {
            return self.phi_holds(pairs, old, new);
        }
        let (mut before_old, mut before_new): (Vec<Anatomy>, Vec<Anatomy>) = (Vec::new(), Vec::new());
        for (x, y) in operations(self.old, old).iter().zip(operations(self.new, new)) {
            let (a, b) = (Anatomy::of(x), Anatomy::of(y));
            let same_slots = a.slots.iter().zip(&b.slots).all(|(a, b)| self.same_variable(pairs, *a, *b));
            let same_targets = a.writes.iter().zip(&b.writes).all(|(a, b)| self.same_target(pairs, *a, *b));
            let same_reads = ends_in_failed_assertion(self.old, &a)
                || a.reads.iter().zip(&b.reads).all(|(&a, &b)| {
                    match (a.as_reg(), b.as_reg()) {
                        (Some(x), Some(y)) => match (written_within(&before_old, x), written_within(&before_new, y)) {
                            (None, None) => self.same_value(pairs, a, b),
                            (inside, other) => inside == other,
                        },
                        _ => true, // constants are compared by `alike`
                    }
                });
            // Of what is not supported the operands are not known. They are computed just before.
            let same_unsupported = a.unsupported.is_none() || self.after_a_pair(pairs, old, new);
            if !(same_slots && same_targets && same_reads && same_unsupported) {
                return false;
            }
            before_old.push(a);
            before_new.push(b);
        }
        true
    }

    /// Whether the two stand right behind a pair, or first in their blocks.
    fn after_a_pair(&self, pairs: &Pairs, old: InstId, new: InstId) -> bool {
        let is_first = |body: &Body<'_>, inst: InstId| {
            body.function.blocks[body.function.insts[inst.index()].block.index()].first_inst == inst
        };
        match (is_first(self.old, old), is_first(self.new, new)) {
            (true, true) => true,
            (false, false) => pairs.are_joined(old.index() - 1, new.index() - 1),
            _ => false,
        }
    }

    fn same_variable(&self, pairs: &Pairs, old: Reg, new: Reg) -> bool {
        match (self.old.origin(old), self.new.origin(new)) {
            (Origin::Slot(a), Origin::Slot(b)) => pairs.are_joined(a.index(), b.index()),
            _ => false,
        }
    }

    /// What is written is the same local, or no local in either version: then it is this instruction's own result.
    fn same_target(&self, pairs: &Pairs, old: Reg, new: Reg) -> bool {
        match (self.old.origin(old), self.new.origin(new)) {
            (Origin::Slot(_), _) | (_, Origin::Slot(_)) => self.same_variable(pairs, old, new),
            _ => true,
        }
    }

    fn same_value(&self, pairs: &Pairs, old: Operand, new: Operand) -> bool {
        let (Some(x), Some(y)) = (old.as_reg(), new.as_reg()) else { return false };
        match (self.old.origin(x), self.new.origin(y)) {
            (Origin::Parameter(a), Origin::Parameter(b)) => self.parameters.to_new(a) == Some(b),
            (Origin::Result(a, part), Origin::Result(b, other)) => {
                part == other && pairs.are_joined(a.index(), b.index())
            }
            _ => false,
        }
    }

    /// The same values must come along the same edges.
    fn phi_holds(&self, pairs: &Pairs, old: InstId, new: InstId) -> bool {
        let (a, b) = (self.old.incoming(old), self.new.incoming(new));
        let same_edge = |a: &Incoming, b: &Incoming| {
            a.edge == b.edge && a.part == b.part && pairs.are_joined(a.terminator.index(), b.terminator.index())
        };
        let same_value = |a: &Incoming, b: &Incoming| match (a.value.as_constant(), b.value.as_constant()) {
            (None, None) => self.same_value(pairs, a.value, b.value),
            (Some(x), Some(y)) => {
                self.common.same_constant(&self.old.function.constants[x], &self.new.function.constants[y])
            }
            _ => false,
        };
        a.len() == b.len() && a.iter().all(|a| b.iter().any(|b| same_edge(a, b) && same_value(a, b)))
    }
}
