//! What really differs between two versions, found by running both natively on every input of a small domain.
//!
//! Many pairs are compiled, compared and run as one program of each version, since most of the time would go to starting clang otherwise. Pairs share no name, so nothing
//! of one can reach another.

// Tests and the precision example each use a part of it.
#![allow(dead_code)]

mod instrument;
pub mod native;

use std::collections::BTreeMap;
use std::path::Path;
use upshot_diff::{Changes, Sources, Version, diff};
use upshot_generate::{Features, Options, Pair, pair};
use upshot_impact::{Impact, Scope, analyse, analyse_if_nothing_fails};
use upshot_ir::{FuncId, InstId, Program};

/// Pairs that are compiled together.
pub const PAIRS_AT_ONCE: u64 = 48;

/// Pairs that are made alike.
pub struct Kind {
    first: u64,
    pub options: Options,
}

impl Kind {
    /// The seeds of a batch.
    pub fn seeds(&self, batch: u64) -> std::ops::Range<u64> {
        let first = self.first + batch * PAIRS_AT_ONCE;
        first..first + PAIRS_AT_ONCE
    }
}

/// Several kinds, since with everything in them programs are large and most of each is impacted.
pub fn kinds() -> Vec<(&'static str, Kind)> {
    let plain = Options::default();
    let small = Options { size: 3, depth: 1, helpers: 2, edits: 1, ..Options::default() };
    let local = Features { globals: false, calls: false, function_pointers: false, recursion: false, ..Features::ALL };
    let straight = Features { loops: false, jumps: false, switches: false, ..Features::ALL };
    let straight = Options { features: straight, depth: 0, size: 8, ..Options::default() };
    let kind = |first: u64, options: &Options| Kind { first: first << 32, options: options.clone() };
    vec![
        ("everything", kind(0, &plain)),
        ("with traps", kind(1, &Options { traps: true, ..plain.clone() })),
        ("small, one edit", kind(2, &small)),
        ("one function", kind(3, &Options { features: local, ..plain })),
        ("straight line", kind(4, &straight)),
    ]
}

/// An instruction of one of the versions.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    pub pair: usize,
    pub function: FuncId,
    pub inst: InstId,
    /// Its number in the other version, if it is matched.
    pub partner: Option<usize>,
}

/// One version of all pairs.
pub struct Side {
    pub program: Program,
    bitcode: Vec<u8>,
    /// Those of a pair one after another.
    pub sites: Vec<Site>,
    /// By function: the number of its first instruction.
    first: BTreeMap<FuncId, usize>,
}

/// Many pairs at once.
pub struct Batch {
    pub seeds: Vec<u64>,
    /// Some runs trap.
    pub traps: bool,
    pub pairs: Vec<Pair>,
    pub changes: Changes,
    /// The old version and the new one.
    pub sides: [Side; 2],
    pub inter: Impact,
    /// Where nothing fails: the same without what is impacted for that reason, which else hides what the other rules miss.
    pub unfailing: Impact,
    pub intra: Impact,
}

/// What the runs have shown.
#[derive(Debug, Default)]
pub struct Observed {
    /// By version and instruction: the first input on which it differed from its counterpart, or ran without having one.
    pub differs: [BTreeMap<usize, usize>; 2],
    /// Pairs whose instructions outside the impact set ran in another order, each with an input.
    pub disordered: Vec<(usize, usize)>,
    /// The new version's instructions that ran at all.
    pub ran: Vec<usize>,
    pub runs: u64,
    pub trapped: u64,
}

impl Batch {
    pub fn new(seeds: std::ops::Range<u64>, options: &Options, folder: &Path) -> Self {
        let seeds: Vec<u64> = seeds.collect();
        let make = |(number, seed)| pair(seed, &Options { tag: format!("_{number}"), ..options.clone() });
        let pairs: Vec<Pair> = seeds.iter().copied().enumerate().map(make).collect();
        let text = |version: fn(&Pair) -> &str| pairs.iter().map(version).collect::<String>();
        let mut old = Side::new(folder, "old.c", &text(|pair| &pair.old), pairs.len());
        let mut new = Side::new(folder, "new.c", &text(|pair| &pair.new), pairs.len());
        let (old_text, new_text) = (Sources::read(&old.program), Sources::read(&new.program));
        let changes = diff(
            Version { program: &old.program, sources: &old_text },
            Version { program: &new.program, sources: &new_text },
        );
        find_partners(&changes, &mut old, &mut new);
        let analyse = |scope| analyse(&old.program, &new.program, &changes, scope);
        let (inter, intra) = (analyse(Scope::Inter), analyse(Scope::Intra));
        let unfailing = analyse_if_nothing_fails(&old.program, &new.program, &changes, Scope::Inter);
        Batch { seeds, traps: options.traps, pairs, changes, sides: [old, new], inter, unfailing, intra }
    }

    pub fn is_impacted(&self, impact: &Impact, side: usize, site: usize) -> bool {
        let Site { function, inst, .. } = self.sides[side].sites[site];
        let table = if side == 0 { &impact.old } else { &impact.new };
        table[function.index()][inst.index()].is_some()
    }

    /// What must hold all that differs.
    pub fn claimed(&self) -> &Impact {
        if self.traps { &self.inter } else { &self.unfailing }
    }

    /// Whether neither it nor its counterpart is impacted. The rules that go back from what is impacted go by one version each, so they may differ in that.
    pub fn is_quiet(&self, side: usize, site: usize) -> bool {
        let partner = self.sides[side].sites[site].partner;
        !self.is_impacted(self.claimed(), side, site)
            && !partner.is_some_and(|partner| self.is_impacted(self.claimed(), 1 - side, partner))
    }

    /// Whether the entry of a pair has changed, and no other function or global.
    pub fn differs_only_in_entry(&self, pair: usize) -> bool {
        let [old, new] = [&self.sides[0].program, &self.sides[1].program];
        let belongs = |name: Option<&str>| name.is_some_and(|name| pair_of(name) == Some(pair));
        let functions = self.changes.functions.iter().all(|found| {
            let names = [found.old.map(|id| old.function(id)), found.new.map(|id| new.function(id))];
            let names = names.map(|function| function.map(|function| function.name.as_str()));
            let in_place = (0..).zip(&found.to_new).all(|(at, inst)| *inst == Some(InstId(at)));
            let is_entry = names[1] == Some(self.pairs[pair].entry.as_str());
            !names.into_iter().any(belongs) || is_entry || !found.status.differs() && in_place
        });
        let globals = self.changes.globals.iter().filter(|found| !found.nameless).all(|found| {
            let names = [found.old.map(|id| old.global(id)), found.new.map(|id| new.global(id))];
            let names = names.map(|global| global.map(|global| global.name.as_str()));
            !names.into_iter().any(belongs) || !found.status.differs()
        });
        functions && globals
    }

    /// Runs all pairs on at most so many inputs each.
    pub fn observe(&self, inputs: usize, folder: &Path) -> Observed {
        native::Harness::build(self, inputs, folder).observe(self)
    }

    /// What ran on an input, in order.
    pub fn trace(&self, pair: usize, inputs: usize, input: usize, folder: &Path) -> [Vec<(usize, String)>; 2] {
        native::Harness::build(self, inputs, folder).trace(self, pair, input)
    }

    /// For people: the instruction, and where it is.
    pub fn describe(&self, side: usize, site: usize) -> String {
        let Site { function, inst, .. } = self.sides[side].sites[site];
        let function = self.sides[side].program.function(function);
        let it = &function.insts[inst.index()];
        let ops: Vec<String> = it.ops.clone().map(|op| format!("{:?}", function.ops[op as usize])).collect();
        let version = ["old", "new"][side];
        format!("{version} {} {}, line {}: {} [{}]", function.name, inst.0, it.location.line, it.opcode, ops.join("; "))
    }

    /// For people: the two versions of a pair, the lines numbered as in its file.
    pub fn show(&self, pair: usize) -> String {
        let it = &self.pairs[pair];
        let lines = |version: fn(&Pair) -> &str| {
            let before: usize = self.pairs[..pair].iter().map(|other| version(other).lines().count()).sum();
            let lines = version(it).lines().zip(before + 1..);
            lines.map(|(line, number)| format!("{number:5} {line}\n")).collect::<String>()
        };
        let (old, new) = (lines(|pair| &pair.old), lines(|pair| &pair.new));
        format!("seed {}, {:?}\n{old}{new}", self.seeds[pair], it.edits)
    }
}

impl Side {
    fn new(folder: &Path, name: &str, text: &str, pairs: usize) -> Self {
        let file = folder.join(name);
        std::fs::write(&file, text).unwrap();
        let request = upshot_frontend::Request { inputs: vec![file], flags: vec!["-w".into()], ..Default::default() };
        let built = match upshot_frontend::build(&request) {
            Ok(built) => built,
            Err(error) => panic!("{error}\n{:?}", error.diagnostics()),
        };
        let program = upshot_ir::load_trusted(&built.linked).unwrap();
        let mut side = Side { program, bitcode: built.user, sites: Vec::new(), first: BTreeMap::new() };
        for pair in 0..pairs {
            side.add(pair);
        }
        side
    }

    fn add(&mut self, pair: usize) {
        for (id, function) in (0..).map(FuncId).zip(&self.program.functions) {
            if !function.is_declaration && !function.is_runtime && pair_of(&function.name) == Some(pair) {
                self.first.insert(id, self.sites.len());
                let insts = (0..function.insts.len() as u32).map(InstId);
                self.sites.extend(insts.map(|inst| Site { pair, function: id, inst, partner: None }));
            }
        }
    }

    pub fn site(&self, function: FuncId, inst: InstId) -> usize {
        self.first[&function] + inst.index()
    }
}

/// The pair that a name belongs to, by the number in it: `h0_12`, `f_12.count`.
fn pair_of(name: &str) -> Option<usize> {
    name.split('.').next()?.rsplit_once('_')?.1.parse().ok()
}

fn find_partners(changes: &Changes, old: &mut Side, new: &mut Side) {
    for found in &changes.functions {
        let (Some(a), Some(b)) = (found.old, found.new) else { continue };
        for (inst, partner) in (0..).map(InstId).zip(&found.to_new) {
            let Some(partner) = *partner else { continue };
            let (at, there) = (old.site(a, inst), new.site(b, partner));
            old.sites[at].partner = Some(there);
            new.sites[there].partner = Some(at);
        }
    }
}
