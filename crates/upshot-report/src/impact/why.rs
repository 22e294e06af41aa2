//! Why a line is impacted, in words: the rule and the edge that brought it in, back to the changed line.

use upshot_impact::{Carrier, Reason, Rule, Site, Version};
use upshot_ir::{Function, InstId, Location, Program};

use super::ImpactReport;

/// One step from a line to the one that it is impacted by.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) site: Site,
    pub(super) reason: Reason,
}

/// From a line's instruction to the change. Steps that stay on one line are left out, and code that has no line (where a function takes its parameters) is passed over.
pub(super) fn steps(report: &ImpactReport<'_>, site: Site) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    // Where the step at hand began, if what lies between has no line.
    let mut start: Option<Site> = None;
    for (site, reason) in report.impact.chain(site) {
        let begin = start.take().unwrap_or(site);
        let goes_nowhere = reason.from.is_some_and(|from| location(report, from).line == 0);
        let stays = reason.from.is_some_and(|from| place(report, from) == place(report, begin));
        if goes_nowhere || stays {
            start = goes_nowhere.then_some(begin);
        } else {
            steps.push(Step { site: begin, reason });
        }
    }
    steps
}

/// `reads PedalCmd written at line 17 (rule 2) <- line 12 changed`. In full, every step between is told.
pub(super) fn sentence(report: &ImpactReport<'_>, steps: &[Step], in_full: bool) -> String {
    let Some((first, rest)) = steps.split_first() else { return String::new() };
    let mut parts = vec![words(report, first, first.site)];
    let told = |step: &Step| {
        let line = reference(report, step.site, first.site);
        format!("{line} {}", words(report, step, first.site))
    };
    match rest {
        rest if in_full => parts.extend(rest.iter().map(told)),
        [] => {}
        [last] => parts.push(told(last)),
        [.., last] => parts.extend(["…".to_string(), told(last)]),
    }
    parts.join(" <- ")
}

/// What one step says: `reads x written at line 3 (rule 2)`.
pub(super) fn words(report: &ImpactReport<'_>, step: &Step, home: Site) -> String {
    let Reason { rule, from, carrier, .. } = step.reason;
    let line = from.map(|from| reference(report, from, home));
    let text = match (rule, &line) {
        (Rule::Changed, _) => {
            let is_gone = step.site.version == Version::Old && home.version == Version::New;
            return if is_gone { "removed or changed" } else { "changed" }.to_string();
        }
        (Rule::Control, _) => control(report, step, line.as_deref()),
        (Rule::Data, _) => data(report, step, line.as_deref()),
        (Rule::BackwardControl, Some(line)) => format!("decides whether {line} runs"),
        (Rule::BackwardControl, None) => "decides what runs".to_string(),
        (Rule::ReachingDefinition, line) => {
            let what = name_of(report, step.site, carrier).unwrap_or_else(|| "a value".to_string());
            line.as_ref().map_or(format!("defines {what}"), |line| format!("defines what {line} reads"))
        }
    };
    format!("{text} (rule {})", rule.number())
}

fn control(report: &ImpactReport<'_>, step: &Step, line: Option<&str>) -> String {
    let at = line.map_or(String::new(), |line| format!(" at {line}"));
    match step.reason.carrier {
        Carrier::Ending => format!("runs only if the path goes on{}", at.replace(" at ", " after ")),
        Carrier::Flow => "is reached in another way than before".to_string(),
        Carrier::Called(function) => {
            let name = &program(report, step.site.version).function(function).source_name;
            format!("runs when {name} is called{at}")
        }
        _ => line.map_or("runs under another condition".to_string(), |line| format!("runs as {line} decides")),
    }
}

fn data(report: &ImpactReport<'_>, step: &Step, line: Option<&str>) -> String {
    let written = line.map_or(String::new(), |line| format!(" written at {line}"));
    let name = name_of(report, step.site, step.reason.carrier);
    match (step.reason.carrier, name) {
        (Carrier::Global(_), Some(name)) if line.is_none() => format!("reads {name}, whose initial value changed"),
        (Carrier::Slot(_) | Carrier::Global(_) | Carrier::Local(..), Some(name)) => format!("reads {name}{written}"),
        (Carrier::Heap(..), _) => format!("reads allocated memory{written}"),
        (Carrier::Memory, _) => format!("reads memory{written}"),
        (Carrier::Parameter(..), Some(name)) => {
            let from = line.map_or(String::new(), |line| format!(" from {line}"));
            format!("gets {name}{from}")
        }
        (Carrier::Returned(_), Some(name)) => {
            let at = line.map_or(String::new(), |line| format!(" ({line})"));
            format!("uses what {name} returns{at}")
        }
        _ => line.map_or("uses a changed value".to_string(), |line| format!("uses the value of {line}")),
    }
}

/// The C name of what carries impact, where it has one.
fn name_of(report: &ImpactReport<'_>, site: Site, carrier: Carrier) -> Option<String> {
    let program = program(report, site.version);
    let function = program.function(site.function);
    match carrier {
        Carrier::Slot(slot) => {
            let local = function.locals.iter().find(|local| local.slot == Some(slot))?;
            Some(local.name.clone())
        }
        Carrier::Global(global) => program.globals.get(global.index()).map(|global| global.source_name.clone()),
        Carrier::Local(id, inst) => local_at(program.functions.get(id.index())?, inst),
        Carrier::Parameter(id, register) => parameter_at(program.functions.get(id.index())?, register),
        Carrier::Returned(id) | Carrier::Called(id) => Some(program.functions.get(id.index())?.source_name.clone()),
        _ => None,
    }
}

fn local_at(function: &Function, inst: InstId) -> Option<String> {
    function.locals.iter().find(|local| local.alloca == Some(inst)).map(|local| local.name.clone())
}

/// The C parameter that a register belongs to: a struct may take several.
fn parameter_at(function: &Function, register: u32) -> Option<String> {
    let mut next = u32::from(function.struct_return.is_some());
    for parameter in &function.parameters {
        next += parameter.scalars.len() as u32;
        if register < next {
            return Some(parameter.name.clone());
        }
    }
    None
}

/// `line 12`; with the file where that is another one than the reader looks at, and the version where it is the old one.
fn reference(report: &ImpactReport<'_>, site: Site, home: Site) -> String {
    let (_, _, line) = place(report, site);
    if line == 0 {
        let name = &program(report, site.version).function(site.function).source_name;
        return format!("code of {name} without a line");
    }
    let old = if site.version == Version::Old { "old " } else { "" };
    let name = |site: Site| {
        let location = location(report, site);
        let side = if site.version == Version::Old { &report.diff.old } else { &report.diff.new };
        (side.place(location).unwrap_or_default().to_string(), side.file(location).to_string())
    };
    let ((here, _), (there, file)) = (name(home), name(site));
    if here == there { format!("{old}line {line}") } else { format!("{old}{file}:{line}") }
}

fn place(report: &ImpactReport<'_>, site: Site) -> (Version, u32, u32) {
    let location = location(report, site);
    (site.version, location.file, location.line)
}

fn location(report: &ImpactReport<'_>, site: Site) -> Location {
    let function = program(report, site.version).function(site.function);
    function.insts.get(site.inst.index()).map(|inst| inst.location).unwrap_or_default()
}

fn program<'a>(report: &ImpactReport<'a>, version: Version) -> &'a Program {
    match version {
        Version::Old => report.diff.old.program(),
        Version::New => report.diff.new.program(),
    }
}
