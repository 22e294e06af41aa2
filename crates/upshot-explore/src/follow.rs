//! Running a test through the executor: which path does it take, and how does that end? Nothing is solved, only checked.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use upshot_exec::{Bound, Image, Machine, PathEnd, Pause, State, Trace};

use crate::config::Config;
use crate::known::Follower;
use crate::path::Path;
use crate::record::{self, End, Target, Test};

/// A test from outside: objects by name, and where pointers among them lead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seed {
    pub objects: Vec<(String, Vec<u8>)>,
    pub pointers: Vec<SeedPointer>,
    /// Where the seed is not made of objects: the bytes of the inputs, one after the other.
    pub plain: Option<Vec<u8>>,
}

impl From<&Test> for Seed {
    fn from(test: &Test) -> Self {
        let name =
            |object: u32| test.objects.get(object as usize).map(|object| object.name.clone()).unwrap_or_default();
        let pointers = test.pointers.iter().map(|pointer| SeedPointer {
            holder: name(pointer.object),
            offset: pointer.offset,
            target: match pointer.target {
                Target::Null => SeedTarget::Null,
                Target::Object(object) => SeedTarget::Object(name(object)),
                Target::Function => SeedTarget::Function,
            },
        });
        let objects = test.objects.iter().map(|object| (object.name.clone(), object.bytes.clone()));
        Seed { objects: objects.collect(), pointers: pointers.collect(), plain: None }
    }
}

/// A pointer in a seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedPointer {
    /// The name of the object that holds it, and where in it.
    pub holder: String,
    pub offset: u32,
    pub target: SeedTarget,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeedTarget {
    Null,
    /// The start of the object of this name.
    Object(String),
    Function,
}

/// Where a seed has led.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The sides it took. Whether they were forced is not known, since nobody asked.
    pub path: Path,
    pub end: End,
    pub trace: Trace,
    /// The marks that it came by: a hash over them, an error included, as in [`Affected`](crate::Affected); and how many.
    pub sequence: u128,
    pub length: u64,
    pub marks: Vec<u32>,
    /// What the program asked for and the seed does not have, or has in another size. It was taken to be zero.
    pub misfits: Vec<String>,
    /// What the entry returned, as in [`PathRecord`](crate::PathRecord).
    pub returned: Option<Vec<Option<u8>>>,
    pub stdout: Vec<u8>,
}

/// Runs a seed from the entry to the end of its path.
pub fn follow(image: &Image<'_>, config: &Config, seed: &Seed) -> Result<Followed, String> {
    let mut machine = Machine::new(image, config.exec.clone());
    let mut state = machine.start(config.entry, &config.start)?;
    let mut run = Follower::new(0, Arc::new(seed.clone()));
    let mut path = Path::default();
    let end = loop {
        run.take_in(&state);
        match machine.run(&mut state) {
            Pause::Yield if config.interrupt.load(std::sync::atomic::Ordering::Relaxed) => {
                break PathEnd::Bound(Bound::Time);
            }
            Pause::Yield | Pause::Mark(_) => {}
            Pause::Ended(end) => break end,
            Pause::Assume(condition) => {
                run.take_in(&state);
                let holds = run.values.eval_bool(&machine.terms, condition);
                machine.answer(&mut state, u32::from(!holds));
            }
            Pause::Fork(fork) => {
                run.take_in(&state);
                let (side, _) = run.side(&machine, &state, &fork);
                path.push(side, false);
                machine.answer(&mut state, side);
            }
        }
    };
    run.take_in(&state);
    Ok(followed(run, &mut machine, &state, end, path))
}

fn followed(run: Follower, machine: &mut Machine<'_>, state: &State, end: PathEnd, path: Path) -> Followed {
    let plain = record::end_of(machine, &end, Some(&run.values));
    let returned = record::returned_of(machine, state, &end, &run.values, &record::unknown_symbols(state));
    let sequence = record::sequence_of(machine, state, &plain);
    Followed {
        path,
        trace: state.trace(),
        sequence: sequence.hash,
        length: sequence.length,
        marks: sequence.marks().collect(),
        returned,
        stdout: record::output_of(machine, state, &run.values, 1),
        misfits: run.misfits,
        end: plain,
    }
}

/// Where each sequence leads among some seeds: the first that takes it.
pub fn by_sequence(followed: &[Followed]) -> FxHashMap<u128, usize> {
    let mut map = FxHashMap::default();
    for (number, followed) in followed.iter().enumerate().filter(|(_, followed)| followed.length > 0) {
        map.entry(followed.sequence).or_insert(number);
    }
    map
}
