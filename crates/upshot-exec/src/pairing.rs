//! One address space for two versions of a program.
//!
//! A global or function that both versions have gets the same address in both, whatever else was added or removed around it, so that a pointer to it is the same
//! number in both. What only one version has leaves a place free in the other.

use upshot_ir::{FuncId, GlobalId, Program};

/// Where the next global goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Of(GlobalId),
    /// A place that the other version fills.
    Left {
        size: u64,
        align: u64,
    },
}

/// How one version of a program lies in memory.
#[derive(Clone, Debug, Default)]
pub struct Pairing {
    pub(crate) places: Vec<Place>,
    pub(crate) numbers: Vec<u32>,
    pub(crate) number_count: u32,
}

impl Pairing {
    /// A program by itself.
    pub fn alone(program: &Program) -> Self {
        let count = program.functions.len() as u32;
        Pairing {
            places: (0..program.globals.len() as u32).map(|id| Place::Of(GlobalId(id))).collect(),
            numbers: (0..count).collect(),
            number_count: count,
        }
    }

    /// Two versions; which globals and functions of them are the same ones.
    pub fn of(
        old: &Program,
        new: &Program,
        globals: &[(GlobalId, GlobalId)],
        functions: &[(FuncId, FuncId)],
    ) -> [Pairing; 2] {
        let mut pairings = [Pairing::default(), Pairing::default()];
        let mut used = [vec![false; old.globals.len()], vec![false; new.globals.len()]];
        for &(a, b) in globals {
            let shape = |program: &Program, id: GlobalId| (program.global(id).size, program.global(id).align);
            if shape(old, a) == shape(new, b) && !used[0][a.index()] && !used[1][b.index()] {
                used[0][a.index()] = true;
                used[1][b.index()] = true;
                pairings[0].places.push(Place::Of(a));
                pairings[1].places.push(Place::Of(b));
            }
        }
        for (version, program) in [old, new].into_iter().enumerate() {
            for (index, global) in program.globals.iter().enumerate().filter(|(index, _)| !used[version][*index]) {
                let (size, align) = (global.size, u64::from(global.align));
                pairings[version].places.push(Place::Of(GlobalId(index as u32)));
                pairings[1 - version].places.push(Place::Left { size, align });
            }
        }
        number(old, new, functions, &mut pairings);
        pairings
    }
}

fn number(old: &Program, new: &Program, functions: &[(FuncId, FuncId)], pairings: &mut [Pairing; 2]) {
    let mut numbers = [vec![None; old.functions.len()], vec![None; new.functions.len()]];
    let mut next = 0;
    for &(a, b) in functions {
        if numbers[0][a.index()].is_none() && numbers[1][b.index()].is_none() {
            numbers[0][a.index()] = Some(next);
            numbers[1][b.index()] = Some(next);
            next += 1;
        }
    }
    for number in numbers.iter_mut().flatten().filter(|number| number.is_none()) {
        *number = Some(next);
        next += 1;
    }
    for (pairing, numbers) in pairings.iter_mut().zip(numbers) {
        pairing.numbers = numbers.into_iter().flatten().collect();
        pairing.number_count = next;
    }
}
