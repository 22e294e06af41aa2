//! The whole comparison: globals and functions are paired, then the bodies of each pair.

use upshot_ir::{FuncId, Function, InstId, Program};

use crate::Version;
use crate::alike::{Common, Comparison};
use crate::body::{Body, is_local};
use crate::candidates::candidates;
use crate::changed::changed_lines;
use crate::changes::{ChangedLines, Changes, Fidelity, FunctionMatch, Status};
use crate::control::Control;
use crate::data::Data;
use crate::locals::pair_locals;
use crate::pairing::{Named, Pairs, pair_by_name};
use crate::parameters::{Parameters, same_interface};
use crate::renamed::pair_renamed;
use crate::types::type_changes;

pub(crate) fn diff(old: Version<'_>, new: Version<'_>) -> Changes {
    let mut functions = pair_functions(old.program, new.program);
    let mut data = Data::pair(old.program, new.program);
    // A table of functions may have been renamed along with them, and they may use renamed globals.
    pair_renamed(old.program, new.program, &mut functions, &data);
    data.pair_renamed(&functions);
    pair_renamed(old.program, new.program, &mut functions, &data);
    let common = Common { functions: &functions, data: &data };
    let mut matches = Vec::new();
    for at in 0..new.program.functions.len() {
        let id = FuncId(at as u32);
        matches.push(match functions.to_old[at] {
            Some(counterpart) => compare(old, new, &common, FuncId(counterpart), id),
            None => alone(new, id, Status::Added),
        });
    }
    for at in functions.free_old() {
        matches.push(alone(old, FuncId(at as u32), Status::Removed));
    }
    let lines = old.program.has_debug_info && new.program.has_debug_info;
    let fidelity = if lines { Fidelity::Lines } else { Fidelity::Position };
    Changes {
        functions: matches,
        globals: data.finish(&functions),
        types: type_changes(old.program, new.program),
        fidelity,
    }
}

fn pair_functions(old: &Program, new: &Program) -> Pairs {
    let names_of_old: Vec<_> = old.functions.iter().map(|function| Some(name(old, function))).collect();
    let names_of_new: Vec<_> = new.functions.iter().map(|function| Some(name(new, function))).collect();
    pair_by_name(&names_of_old, &names_of_new)
}

fn name<'a>(program: &'a Program, function: &'a Function) -> Named<'a> {
    Named {
        linkage: (!function.is_local).then_some(function.name.as_str()),
        source: &function.source_name,
        owner: "",
        owner_gone: false,
        file: program.files.get(function.location.file as usize).map_or("", String::as_str),
    }
}

/// A function that only one version has.
fn alone(version: Version<'_>, id: FuncId, status: Status) -> FunctionMatch {
    let function = version.program.function(id);
    let lines = changed_lines(function, &vec![None; function.insts.len()], &[], version.sources);
    let unmatched = vec![None; function.insts.len()];
    let mut result = FunctionMatch {
        old: None,
        new: None,
        status,
        renamed: false,
        to_new: Vec::new(),
        to_old: Vec::new(),
        changed_lines: ChangedLines::default(),
    };
    if status == Status::Added {
        (result.new, result.to_old, result.changed_lines.new) = (Some(id), unmatched, lines);
    } else {
        (result.old, result.to_new, result.changed_lines.old) = (Some(id), unmatched, lines);
    }
    result
}

fn compare(old: Version<'_>, new: Version<'_>, common: &Common<'_>, of_old: FuncId, of_new: FuncId) -> FunctionMatch {
    let (f, g) = (old.program.function(of_old), new.program.function(of_new));
    let (a, b) = (Body::new(old.program, of_old), Body::new(new.program, of_new));
    let parameters = Parameters::pair(f, g);
    let comparison = Comparison { old: &a, new: &b, common, parameters };
    let (pairs, changed_lines) = match_bodies(&comparison, old, new);
    let differs = !same_interface(f, g) || has_unmatched(f, &pairs.to_new) || has_unmatched(g, &pairs.to_old);
    let status = match (f.is_declaration, g.is_declaration) {
        (true, false) => Status::Added,
        (false, true) => Status::Removed,
        (false, false) if differs => Status::Changed,
        _ => Status::Unchanged,
    };
    let insts = |side: &[Option<u32>]| side.iter().map(|inst| inst.map(InstId)).collect();
    FunctionMatch {
        old: Some(of_old),
        new: Some(of_new),
        status,
        renamed: f.source_name != g.source_name,
        to_new: insts(&pairs.to_new),
        to_old: insts(&pairs.to_old),
        changed_lines,
    }
}

/// The instructions that do the same thing in both bodies, and the lines of those that do not.
fn match_bodies(comparison: &Comparison<'_>, old: Version<'_>, new: Version<'_>) -> (Pairs, ChangedLines) {
    if let Some(identical) = identical(comparison) {
        return (identical, ChangedLines::default());
    }
    let mut pairs = candidates(comparison, old.sources, new.sources);
    comparison.keep_consistent(&mut pairs);
    let control = Control::new(comparison);
    let retargeted = control.drop_retargeted(&mut pairs);
    comparison.keep_consistent(&mut pairs);
    let lines = |pairs: &Pairs| ChangedLines {
        old: changed_lines(comparison.old.function, &pairs.to_new, &retargeted.old, old.sources),
        new: changed_lines(comparison.new.function, &pairs.to_old, &retargeted.new, new.sources),
    };
    let mut changed = lines(&pairs);
    while control.keep_controlled(&mut pairs) && comparison.keep_consistent(&mut pairs) {}
    if changed == ChangedLines::default() {
        changed = lines(&pairs);
    }
    (pairs, changed)
}

/// All instructions in pairs, if the bodies do the same thing one by one. Locals have no order, and one that nothing uses does not count.
pub(crate) fn identical(comparison: &Comparison<'_>) -> Option<Pairs> {
    let (old, new) = (comparison.old, comparison.new);
    let used = |body: &Body<'_>| -> Vec<InstId> {
        (0..body.len() as u32).map(InstId).filter(|&inst| !body.is_local(inst)).collect()
    };
    let (of_old, of_new) = (used(old), used(new));
    let side_by_side: Vec<(InstId, InstId)> = of_old.iter().copied().zip(of_new.iter().copied()).collect();
    let alike = |&(a, b): &(InstId, InstId)| comparison.alike(a, b) && comparison.same_targets(a, b);
    let same_shape = of_old.len() == of_new.len() && old.function.blocks.len() == new.function.blocks.len();
    if !same_shape || !side_by_side.iter().all(alike) {
        return None;
    }
    let mut pairs = pair_locals(comparison, &side_by_side);
    for (a, b) in side_by_side {
        pairs.join(a.index(), b.index());
    }
    let consistent = !comparison.keep_consistent(&mut pairs);
    consistent.then_some(pairs)
}

/// Whether anything that could matter has no counterpart. A local that nothing uses does not matter, and what uses one has none itself.
fn has_unmatched(function: &Function, side: &[Option<u32>]) -> bool {
    function.insts.iter().zip(side).any(|(inst, other)| other.is_none() && !is_local(function, inst))
}
