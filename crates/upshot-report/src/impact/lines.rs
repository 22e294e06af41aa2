//! From impacted instructions to lines: which lines of a function are touched, and which instruction speaks for each.

use std::collections::BTreeMap;

use upshot_diff::FunctionMatch;
use upshot_impact::{Rule, Site, Version};
use upshot_ir::{FileId, FuncId, InstId};

use super::ImpactReport;

/// A line, and the instruction on it that was found first.
pub(super) type Lines = BTreeMap<(FileId, u32), Site>;

/// The impacted lines of a function in one of the versions, changed ones included.
pub(super) fn impacted(report: &ImpactReport<'_>, function: &FunctionMatch, version: Version) -> Lines {
    let (id, program, table) = match version {
        Version::Old => (function.old, report.diff.old.program(), &report.impact.old),
        Version::New => (function.new, report.diff.new.program(), &report.impact.new),
    };
    let Some(id) = id else { return Lines::new() };
    let mut found: BTreeMap<(FileId, u32), (u32, Site)> = BTreeMap::new();
    let insts = program.function(id).insts.iter().zip(&table[id.index()]);
    for (number, (inst, reason)) in (0..).zip(insts) {
        let (Some(reason), true) = (reason, inst.location.is_known()) else { continue };
        let age = if reason.rule == Rule::Changed { 0 } else { 1 + reason.round };
        let candidate = (age, site(version, id, number));
        let line = found.entry((inst.location.file_id(), inst.location.line)).or_insert(candidate);
        *line = (*line).min(candidate);
    }
    found.into_iter().map(|(line, (_, site))| (line, site)).collect()
}

fn site(version: Version, function: FuncId, number: u32) -> Site {
    Site { version, function, inst: InstId(number) }
}
