//! The lines that a person would call changed.
//!
//! Those are the lines of instructions that have no counterpart doing the same thing, and of jumps that lead elsewhere. Clang's own jumps from the end of one statement to
//! the next one belong to no statement, so they tell nothing; a local's line is where it is declared.

use rustc_hash::{FxHashMap, FxHashSet};
use upshot_ir::{FileId, Function, InstId, Location, Op, Reg};

use crate::anatomy::Anatomy;
use crate::body::is_local;
use crate::sources::Sources;

type Line = (FileId, u32);

/// The lines of what has no counterpart, sorted.
pub(crate) fn changed_lines(
    function: &Function,
    side: &[Option<u32>],
    retargeted: &[InstId],
    sources: &Sources,
) -> Vec<Line> {
    let mut lines: FxHashSet<Line> = retargeted.iter().filter_map(|jump| line(function, *jump)).collect();
    // By line: whether all of its instructions are jumps.
    let mut only_jumps: FxHashMap<Line, bool> = FxHashMap::default();
    for inst in (0..function.insts.len() as u32).map(InstId) {
        if let Some(line) = line(function, inst) {
            *only_jumps.entry(line).or_insert(true) &= is_jump(function, inst);
        }
    }
    let locals = Locals::new(function);
    for inst in (0..function.insts.len() as u32).map(InstId).filter(|inst| side[inst.index()].is_none()) {
        if is_local(function, &function.insts[inst.index()]) {
            lines.extend(locals.used.contains(&inst).then(|| declared(function, inst)).flatten());
            continue;
        }
        let Some(line) = line(function, inst) else {
            // A parameter goes into its local without any line.
            lines.extend(locals.mentioned(function, inst).filter_map(|local| declared(function, local)));
            continue;
        };
        let is_statement =
            || only_jumps.get(&line) == Some(&true) && sources.line(line.0, line.1).is_none_or(has_words);
        if !is_jump(function, inst) || is_statement() {
            lines.insert(line);
        }
    }
    let mut lines: Vec<Line> = lines.into_iter().collect();
    lines.sort_unstable();
    lines
}

fn known(location: Location) -> Option<Line> {
    location.is_known().then_some((location.file_id(), location.line))
}

fn line(function: &Function, inst: InstId) -> Option<Line> {
    known(function.insts[inst.index()].location)
}

fn is_jump(function: &Function, inst: InstId) -> bool {
    let ops = &function.insts[inst.index()].ops;
    matches!(function.ops[ops.start as usize..ops.end as usize], [Op::Jump(_)])
}

/// Whether there is more than braces and `else` on a line: a `break`, say.
fn has_words(text: &str) -> bool {
    let code = text.split("//").next().unwrap_or_default();
    let code = code.split("/*").next().unwrap_or_default();
    code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| !word.is_empty() && word != "else")
}

/// The locals of a function, by the instructions that make them.
struct Locals {
    makers: FxHashMap<Reg, InstId>,
    /// Those that anything else mentions.
    used: FxHashSet<InstId>,
}

impl Locals {
    fn new(function: &Function) -> Self {
        let made = function.insts.iter().enumerate().filter(|(_, inst)| is_local(function, inst));
        let makers: FxHashMap<Reg, InstId> = made
            .flat_map(|(at, inst)| inst.result.clone().map(move |register| (Reg(register), InstId(at as u32))))
            .collect();
        let mut locals = Locals { makers, used: FxHashSet::default() };
        for inst in (0..function.insts.len() as u32).map(InstId) {
            let mentioned: Vec<InstId> = locals.mentioned(function, inst).collect();
            locals.used.extend(mentioned);
        }
        locals
    }

    /// The locals that an instruction reads, writes or takes the address of, its own result aside.
    fn mentioned(&self, function: &Function, inst: InstId) -> impl Iterator<Item = InstId> {
        let ops = &function.insts[inst.index()].ops;
        let mentioned = function.ops[ops.start as usize..ops.end as usize].iter().flat_map(|op| {
            let Anatomy { reads, slots, writes, .. } = Anatomy::of(op);
            reads.into_iter().filter_map(|operand| operand.as_reg()).chain(slots).chain(writes)
        });
        mentioned.filter_map(|register| self.makers.get(&register).copied()).filter(move |&maker| maker != inst)
    }
}

/// The line where a local is declared.
fn declared(function: &Function, inst: InstId) -> Option<Line> {
    let result = &function.insts[inst.index()].result;
    let is_it = |local: &&upshot_ir::Local| {
        local.alloca == Some(inst) || local.slot.is_some_and(|slot| result.contains(&slot.0))
    };
    function.locals.iter().find(is_it).and_then(|local| known(local.location))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_no_words() {
        assert!(!has_words("    } // the end"));
        assert!(!has_words("  } else {"));
        assert!(has_words("        break;"));
        assert!(has_words("    goto out; /* leave */"));
    }
}
