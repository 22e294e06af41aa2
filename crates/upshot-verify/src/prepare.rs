//! Two versions made ready to be run side by side: one address space, one set of inputs, and marks before what has changed.
//!
//! Inputs are shared by name. Where a parameter or global has another name in the new version, the program that runs is a copy in which it has the old one.

use std::collections::BTreeSet;
use std::sync::Arc;

use upshot_diff::{Changes, FunctionMatch, Status};
use upshot_exec::{Image, Pairing, Start, Watch};
use upshot_ir::{CTypeId, FuncId, GlobalId, InstId, Program};

use crate::ahead::Ahead;
use crate::induction::Induction;

/// How both versions begin.
#[derive(Clone, Debug, Default)]
pub struct Beginning {
    /// The entry's parameters are made from their types, and the globals it can reach are unknown.
    pub symbolic: bool,
    /// Globals have their initial values all the same.
    pub fixed_globals: bool,
    /// Functions that must return true, of the old and the new version.
    pub assumptions: [Vec<FuncId>; 2],
}

/// Both versions.
pub struct Prepared {
    /// Old and new, with marks.
    pub programs: [Program; 2],
    pairings: [Pairing; 2],
    watches: [Watch; 2],
    /// By mark: where it is.
    pub places: [Vec<(FuncId, InstId)>; 2],
    pub entries: [FuncId; 2],
    pub starts: [Start; 2],
    /// The globals that both versions have.
    pub globals: Vec<(GlobalId, GlobalId)>,
    /// Where nothing that has changed can be met any more.
    pub ahead: Option<Arc<Ahead>>,
    /// What a proof by induction needs to know.
    pub induction: Option<Arc<Induction>>,
    /// Functions that the entries can get to whose results are not the same in every run.
    pub varying: Vec<String>,
    /// What a reader has to know about how the versions were matched.
    pub notes: Vec<String>,
}

impl Prepared {
    pub fn new(
        old: &Program,
        new: &Program,
        changes: &Changes,
        entries: [FuncId; 2],
        beginning: &Beginning,
    ) -> Prepared {
        let mut notes = Vec::new();
        let globals: Vec<(GlobalId, GlobalId)> =
            changes.globals.iter().filter_map(|global| Some((global.old?, global.new?))).collect();
        let functions: Vec<(FuncId, FuncId)> =
            changes.functions.iter().filter_map(|function| Some((function.old?, function.new?))).collect();
        let pairings = Pairing::of(old, new, &globals, &functions);
        let (old_program, old_watch, old_places) =
            marked(old, changes, |function| (function.old, &function.changed_lines.old));
        let (mut new_program, new_watch, new_places) =
            marked(new, changes, |function| (function.new, &function.changed_lines.new));
        for &(a, b) in &globals {
            new_program.globals[b.index()].source_name = old.global(a).source_name.clone();
        }
        let mut old_program = old_program;
        let varying = varying([&old_program, &new_program], entries);
        for name in &varying {
            notes.push(format!(
                "what {name}() gives is not the same in every run: both versions are taken to see the same"
            ));
        }
        let mut starts = [Start::default(), Start::default()];
        if beginning.symbolic {
            // What was drawn before the entry is called is not known, so neither is what comes next.
            for program in [&mut old_program, &mut new_program] {
                forget_random_numbers(program);
            }
            rename_parameters(&old_program, &mut new_program, entries, &mut notes);
            if !beginning.fixed_globals {
                let roots = [0, 1].map(|side| [&[entries[side]], &beginning.assumptions[side][..]].concat());
                share_globals([old, new], changes, &roots, &mut starts, &mut notes);
            }
            let places = parameter_places([&old_program, &new_program], entries);
            for start in &mut starts {
                start.symbolic_parameters = true;
                start.parameter_places = places.clone();
            }
        }
        let ahead = Ahead::new(&old_program, &new_program, changes, entries).map(Arc::new);
        let induction = Induction::new(&old_program, &new_program, changes, entries).map(Arc::new);
        let [of_old, of_new] = &beginning.assumptions;
        starts[0].assumptions = of_old.clone();
        starts[1].assumptions = of_new.clone();
        Prepared {
            programs: [old_program, new_program],
            pairings,
            watches: [old_watch, new_watch],
            places: [old_places, new_places],
            entries,
            starts,
            globals,
            ahead,
            induction,
            varying,
            notes,
        }
    }

    /// What runs.
    pub fn images(&self) -> [Image<'_>; 2] {
        let image = |side: usize| {
            Image::placed(&self.programs[side], self.pairings[side].clone()).with_watch(self.watches[side].clone())
        };
        [image(0), image(1)]
    }

    /// The changed lines that marks are on, as file and line.
    pub fn lines(&self, side: usize, marks: &[u32]) -> Vec<(String, u32)> {
        let program = &self.programs[side];
        let mut lines = BTreeSet::new();
        for &mark in marks {
            let (function, inst) = self.places[side][mark as usize];
            let location = program.function(function).insts[inst.index()].location;
            let file = program.files.get(location.file as usize).cloned().unwrap_or_default();
            lines.insert((file, location.line));
        }
        lines.into_iter().collect()
    }
}

/// Functions whose results are not the same in every run, even with the same arguments and the same memory.
const VARYING: [&str; 15] = [
    "time",
    "clock",
    "clock_gettime",
    "gettimeofday",
    "times",
    "rand",
    "random",
    "drand48",
    "lrand48",
    "mrand48",
    "arc4random",
    "getrandom",
    "getpid",
    "getppid",
    "gettid",
];

/// Those that an entry can get to.
fn varying(programs: [&Program; 2], entries: [FuncId; 2]) -> Vec<String> {
    let mut names = BTreeSet::new();
    for (program, entry) in programs.into_iter().zip(entries) {
        let reached = crate::induction::reachable(program, entry);
        let functions = program.functions.iter().zip(reached).filter(|(_, reached)| *reached);
        names.extend(
            functions.map(|(function, _)| function.name.clone()).filter(|name| VARYING.contains(&name.as_str())),
        );
    }
    names.into_iter().collect()
}

/// Makes random numbers the results of functions that are not known.
fn forget_random_numbers(program: &mut Program) {
    let generators = program.functions.iter_mut().filter(|function| function.is_runtime);
    for function in generators.filter(|function| VARYING.contains(&function.name.as_str())) {
        function.is_declaration = true;
    }
}

type Lines<'c> = (Option<FuncId>, &'c Vec<(upshot_ir::FileId, u32)>);

/// A version with a mark before every instruction on a changed line.
fn marked<'c>(
    program: &Program,
    changes: &'c Changes,
    lines_of: impl Fn(&'c FunctionMatch) -> Lines<'c>,
) -> (Program, Watch, Vec<(FuncId, InstId)>) {
    let mut numbers: Vec<Vec<Option<u32>>> = program.functions.iter().map(|f| vec![None; f.insts.len()]).collect();
    let mut places = Vec::new();
    for (id, lines) in changes.functions.iter().map(lines_of) {
        let Some(id) = id.filter(|_| !lines.is_empty()) else { continue };
        for (index, inst) in program.function(id).insts.iter().enumerate() {
            if lines.contains(&(inst.location.file_id(), inst.location.line)) {
                numbers[id.index()][index] = Some(places.len() as u32);
                places.push((id, InstId(index as u32)));
            }
        }
    }
    let with_marks = upshot_ir::with_marks(program, |function, inst| numbers[function.index()][inst.index()]);
    let watch = Watch {
        counts: vec![true; places.len()],
        pauses: vec![false; places.len()],
        always: vec![true; program.functions.len()],
        ..Watch::default()
    };
    (with_marks, watch, places)
}

/// Where the types of all parameters are what they were, callers see no difference: partners are those in the same place, whatever they are called. In a changed
/// signature they are those of the same name; a parameter of the new version that has no partner of its name is taken for one of the old that is left over, if it has the same type: the first for the first.
fn rename_parameters(old: &Program, new: &mut Program, entries: [FuncId; 2], notes: &mut Vec<String>) {
    let of_old = &old.function(entries[0]).parameters;
    let of_new = &new.function(entries[1]).parameters;
    let has = |list: &[upshot_ir::Parameter], name: &str| list.iter().any(|parameter| parameter.name == name);
    let type_name = |program: &Program, ty: Option<CTypeId>| ty.map(|ty| program.types.name(ty));
    let types = |program: &Program, list: &[upshot_ir::Parameter]| -> Vec<_> {
        list.iter().map(|parameter| (parameter.size, type_name(program, parameter.ty))).collect()
    };
    if types(old, of_old) == types(new, of_new) {
        for (parameter, partner) in new.functions[entries[1].index()].parameters.iter_mut().zip(of_old) {
            if parameter.name != partner.name {
                notes.push(format!("the parameter {} is called {} in the new version", partner.name, parameter.name));
                parameter.name = partner.name.clone();
            }
        }
        return;
    }
    let mut left: Vec<_> = of_old.iter().filter(|parameter| !has(of_new, &parameter.name)).collect();
    let mut renamed = Vec::new();
    for (index, parameter) in of_new.iter().enumerate().filter(|(_, parameter)| !has(of_old, &parameter.name)) {
        let same_type = |other: &&upshot_ir::Parameter| {
            other.size == parameter.size && type_name(old, other.ty) == type_name(new, parameter.ty)
        };
        match left.iter().position(same_type) {
            Some(at) => {
                let partner = left.remove(at);
                notes.push(format!("the parameter {} is called {} in the new version", partner.name, parameter.name));
                renamed.push((index, partner.name.clone()));
            }
            None => notes.push(format!("the parameter {} is new: it may be anything", parameter.name)),
        }
    }
    for parameter in left {
        notes.push(format!("the parameter {} is gone: the old version's may be anything", parameter.name));
    }
    let function = &mut new.functions[entries[1].index()];
    for (index, name) in renamed {
        function.parameters[index].name = name;
    }
}

/// A place for each parameter of either version.
fn parameter_places(programs: [&Program; 2], entries: [FuncId; 2]) -> Vec<(String, u64)> {
    let mut places: Vec<(String, u64)> = Vec::new();
    for (program, entry) in programs.into_iter().zip(entries) {
        for parameter in &program.function(entry).parameters {
            match places.iter_mut().find(|(name, _)| *name == parameter.name) {
                Some(place) => place.1 = place.1.max(parameter.size),
                None => places.push((parameter.name.clone(), parameter.size)),
            }
        }
    }
    places
}

/// The globals that either entry or what is assumed for it (its roots) can reach start unknown, if both versions have them.
fn share_globals(
    [old, new]: [&Program; 2],
    changes: &Changes,
    roots: &[Vec<FuncId>; 2],
    starts: &mut [Start; 2],
    notes: &mut Vec<String>,
) {
    let reach = |program: &Program, roots: &[FuncId]| -> BTreeSet<GlobalId> {
        roots.iter().flat_map(|&root| upshot_exec::reachable_globals(program, root)).collect()
    };
    let reached = [reach(old, &roots[0]), reach(new, &roots[1])];
    for global in &changes.globals {
        let is_reached = [
            global.old.is_some_and(|id| reached[0].contains(&id)),
            global.new.is_some_and(|id| reached[1].contains(&id)),
        ];
        if !is_reached[0] && !is_reached[1] {
            continue;
        }
        match (global.old, global.new) {
            (Some(a), Some(b)) if old.global(a).size == new.global(b).size => {
                let unchanging = |program: &Program, id: GlobalId| {
                    let global = program.global(id);
                    global.is_constant || global.initializer.is_none()
                };
                if unchanging(old, a) || unchanging(new, b) {
                    continue;
                }
                starts[0].symbolic_globals.push(a);
                starts[1].symbolic_globals.push(b);
                if global.status == Status::Changed {
                    let name = &old.global(a).source_name;
                    notes.push(format!("the initial value of {name} has changed, but here it starts unknown"));
                }
            }
            (Some(a), Some(_)) => {
                notes.push(format!(
                    "the global {} has another size: it starts with its initial value",
                    old.global(a).source_name
                ));
            }
            (Some(id), None) => {
                notes.push(format!(
                    "only the old version has {}: it starts with its initial value",
                    old.global(id).source_name
                ));
            }
            (None, Some(id)) => {
                notes.push(format!(
                    "only the new version has {}: it starts with its initial value",
                    new.global(id).source_name
                ));
            }
            (None, None) => {}
        }
    }
}
