//! Running a test through the executor: which path does it take, and how does that end? Nothing is solved, only checked.

use rustc_hash::FxHashMap;
use upshot_exec::{Bound, Fork, Image, InputKind, Machine, PathEnd, Pause, PointerTarget, State, Trace};
use upshot_expr::{Assignment, SymbolId};

use crate::config::Config;
use crate::path::Path;
use crate::record::{self, End};

/// A test from outside: objects by name, and where pointers among them lead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seed {
    pub objects: Vec<(String, Vec<u8>)>,
    pub pointers: Vec<SeedPointer>,
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

/// Bytes of a pointer that is known not to be null, before it is decided where it leads.
const SOMEWHERE: u64 = 0x7fff_ffff_ffff_fff0;

/// Runs a seed from the entry to the end of its path.
pub fn follow(image: &Image<'_>, config: &Config, seed: &Seed) -> Result<Followed, String> {
    let mut machine = Machine::new(image, config.exec.clone());
    let mut state = machine.start(config.entry, &config.start)?;
    let mut run = Run { seed, values: Assignment::new(), inputs: 0, pointers: 0, misfits: Vec::new() };
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
                let side = run.side(&machine, &state, &fork);
                path.push(side, false);
                machine.answer(&mut state, side);
            }
        }
    };
    run.take_in(&state);
    Ok(run.followed(&mut machine, &state, end, path))
}

struct Run<'s> {
    seed: &'s Seed,
    values: Assignment,
    /// Inputs and pointers of the state that have their values.
    inputs: usize,
    pointers: usize,
    misfits: Vec<String>,
}

impl Run<'_> {
    /// Gives values to inputs that have come up.
    fn take_in(&mut self, state: &State) {
        for input in &state.inputs()[self.inputs..] {
            if input.kind != InputKind::Given {
                continue;
            }
            let Some((_, bytes)) = self.seed.objects.iter().find(|(name, _)| *name == input.name) else {
                self.misfits.push(input.name.clone());
                continue;
            };
            if bytes.len() != input.size as usize {
                self.misfits.push(input.name.clone());
            }
            for (offset, &byte) in (0..input.size).zip(bytes) {
                self.values.set(input.symbol, offset, byte);
            }
        }
        self.inputs = state.inputs().len();
        for pointer in &state.pointers()[self.pointers..] {
            let holder = &state.inputs()[pointer.holder];
            let is_null = matches!(self.target(&holder.name, pointer.offset), None | Some(SeedTarget::Null));
            self.set_address(holder.symbol, pointer.offset, if is_null { 0 } else { SOMEWHERE });
        }
        self.pointers = state.pointers().len();
    }

    fn target(&self, holder: &str, offset: u32) -> Option<&SeedTarget> {
        let here = |pointer: &&SeedPointer| pointer.holder == holder && pointer.offset == offset;
        self.seed.pointers.iter().find(here).map(|pointer| &pointer.target)
    }

    fn set_address(&mut self, holder: SymbolId, offset: u32, address: u64) {
        for (byte, value) in (0..).zip(address.to_le_bytes()) {
            self.values.set(holder, offset + byte, value);
        }
    }

    /// The side of a decision that the seed takes.
    fn side(&mut self, machine: &Machine<'_>, state: &State, fork: &Fork) -> u32 {
        let Some((number, targets)) = &fork.pointer else {
            let taken = fork.choices.iter().position(|&choice| self.values.eval_bool(&machine.terms, choice));
            return taken.unwrap_or(fork.choices.len() - 1) as u32;
        };
        let pointer = &state.pointers()[*number];
        let holder = &state.inputs()[pointer.holder];
        let made = |input: usize| state.inputs().get(input);
        let wanted = self.target(&holder.name, pointer.offset);
        let position = targets.iter().position(|target| match (wanted, target) {
            (None | Some(SeedTarget::Null), PointerTarget::Null) => true,
            (Some(SeedTarget::Function), PointerTarget::Function { .. }) => true,
            (Some(SeedTarget::Object(name)), PointerTarget::Object { input, .. }) => {
                made(*input).is_some_and(|input| input.name == *name)
            }
            _ => false,
        });
        // An object that is not there yet is a new one.
        let new = || {
            let is_new = |target: &PointerTarget| matches!(target, PointerTarget::Object { input, .. } if made(*input).is_none());
            targets.iter().position(is_new).filter(|_| matches!(wanted, Some(SeedTarget::Object(_))))
        };
        let side = position.or_else(new).unwrap_or_else(|| {
            self.misfits.push(pointer.name.clone());
            0
        });
        let address = match targets[side] {
            PointerTarget::Null => 0,
            PointerTarget::Object { address, .. } | PointerTarget::Function { address } => address,
        };
        self.set_address(holder.symbol, pointer.offset, address);
        side as u32
    }

    fn followed(self, machine: &mut Machine<'_>, state: &State, end: PathEnd, path: Path) -> Followed {
        let plain = record::end_of(machine, &end, Some(&self.values));
        let returned = record::returned_of(machine, state, &end, &self.values, &record::unknown_symbols(state));
        let sequence = record::sequence_of(machine, state, &plain);
        Followed {
            path,
            trace: state.trace(),
            sequence: sequence.hash,
            length: sequence.length,
            marks: sequence.marks().collect(),
            misfits: self.misfits,
            returned,
            stdout: record::output_of(machine, state, &self.values, 1),
            end: plain,
        }
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
