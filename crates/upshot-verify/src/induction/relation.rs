//! Which registers of two versions hold the same at a cut: a partition of the registers of both.

use std::collections::HashMap;

use upshot_expr::{TermId, Terms};
use upshot_ir::{BlockId, Function};

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    /// Nothing was written.
    Unwritten,
    /// Written on some ways and not on others, or of another width: not to be read.
    Unclear,
    Known(Known),
}

/// A value. `home`: what it was derived from by address arithmetic, which decides what object an access is to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Known {
    pub term: TermId,
    pub home: Option<TermId>,
}

impl Known {
    /// Where nothing is known of its origin, a pointer is one of its own.
    pub fn of(term: TermId, width: u8) -> Known {
        Known { term, home: (width == 64).then_some(term) }
    }

    /// Whether both are of one origin, where they can be pointers.
    pub fn homes_agree(self, other: Known, width: u8) -> bool {
        width != 64 || self.home == other.home
    }

    /// Its origin, where it can be a pointer.
    pub fn homes(self, width: u8) -> Vec<TermId> {
        if width == 64 { vec![self.home.unwrap_or(self.term)] } else { Vec::new() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Class {
    Unwritten,
    Unclear,
    Same(usize),
}

/// Classes of registers that always held the same.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    classes: [Vec<Class>; 2],
    /// By class: the last value, and whether it has always been this constant.
    values: Vec<(Known, u8, bool)>,
}

impl Relation {
    /// All that holds for one pair of states.
    pub fn of(old: &[(Slot, u8)], new: &[(Slot, u8)]) -> Relation {
        let mut numbers = HashMap::new();
        let mut values = Vec::new();
        let mut class = |&(slot, width): &(Slot, u8)| match slot {
            Slot::Unwritten => Class::Unwritten,
            Slot::Unclear => Class::Unclear,
            Slot::Known(known) => Class::Same(*numbers.entry(known).or_insert_with(|| {
                values.push((known, width, true));
                values.len() - 1
            })),
        };
        let classes = [old.iter().map(&mut class).collect(), new.iter().map(&mut class).collect()];
        Relation { classes, values }
    }

    /// Gives up what does not hold for these states; whether there was anything.
    pub fn weaken(&mut self, old: &[(Slot, u8)], new: &[(Slot, u8)]) -> bool {
        let before = (self.classes.clone(), self.values.iter().map(|value| value.2).collect::<Vec<_>>());
        let mut numbers: HashMap<(usize, Known), usize> = HashMap::new();
        let mut values = Vec::new();
        for (side, slots) in [old, new].into_iter().enumerate() {
            for (class, &(slot, width)) in self.classes[side].iter_mut().zip(slots) {
                *class = match (*class, slot) {
                    (Class::Unwritten, Slot::Unwritten) => Class::Unwritten,
                    (Class::Same(number), Slot::Known(known)) if self.values[number].1 == width => {
                        let (value, _, is_constant) = self.values[number];
                        Class::Same(*numbers.entry((number, known)).or_insert_with(|| {
                            values.push((known, width, is_constant && value == known));
                            values.len() - 1
                        }))
                    }
                    _ => Class::Unclear,
                };
            }
        }
        self.values = values;
        before != (self.classes.clone(), self.values.iter().map(|value| value.2).collect::<Vec<_>>())
    }

    /// Two states of which nothing is known but the relation: one new symbol for each class.
    pub fn states(&self, terms: &mut Terms, cut: usize) -> [Vec<(Slot, u8)>; 2] {
        let fresh = |(number, &(known, width, is_constant)): (usize, &(Known, u8, bool))| {
            if is_constant && terms.as_const(known.term).is_some() {
                return (Slot::Known(known), width);
            }
            let term = super::segment::unknown(terms, &format!("cut {cut}.{number}"), width);
            let home = (width == 64).then(|| super::segment::unknown(terms, &format!("home {cut}.{number}"), 64));
            (Slot::Known(Known { term, home }), width)
        };
        let values: Vec<(Slot, u8)> = self.values.iter().enumerate().map(fresh).collect();
        let slot = |class: &Class| match *class {
            Class::Unwritten => (Slot::Unwritten, 0),
            Class::Unclear => (Slot::Unclear, 0),
            Class::Same(number) => values[number],
        };
        [self.classes[0].iter().map(slot).collect(), self.classes[1].iter().map(slot).collect()]
    }
}

/// The blocks that some way leads back to, in the order in which they are first reached.
pub(super) fn loop_heads(body: &Function) -> Vec<BlockId> {
    let targets = |block: usize| {
        let last = body.blocks[block].end as usize - 1;
        upshot_ir::edges(&body.ops[last]).into_iter().map(|edge| edge.target.index()).collect::<Vec<_>>()
    };
    let mut state = vec![0u8; body.blocks.len()];
    let mut is_head = vec![false; body.blocks.len()];
    let mut order = Vec::new();
    let mut stack = vec![(0usize, targets(0), 0usize)];
    state[0] = 1;
    while let Some((block, next, at)) = stack.last_mut() {
        match next.get(*at).copied() {
            Some(target) => {
                *at += 1;
                match state[target] {
                    0 => {
                        state[target] = 1;
                        stack.push((target, targets(target), 0));
                    }
                    1 => is_head[target] = true,
                    _ => {}
                }
            }
            None => {
                state[*block] = 2;
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.into_iter().rev().filter(|&block| is_head[block]).map(|block| BlockId(block as u32)).collect()
}
