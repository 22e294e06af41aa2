//! `upshot impact`: what a change may influence, for people and for programs.

mod json;
mod lines;
mod text;
mod why;

use std::time::Duration;

use upshot_diff::{FunctionMatch, Status};
use upshot_impact::{Impact, Scope};
use upshot_ir::FuncId;

pub use json::impact_json;
pub use text::impact_text;

use crate::diff::DiffReport;

/// All that is reported of an impact analysis.
#[derive(Clone, Debug)]
pub struct ImpactReport<'a> {
    pub diff: DiffReport<'a>,
    pub impact: &'a Impact,
    pub scope: Scope,
    /// Only this function, by its name in the source.
    pub only: Option<&'a str>,
    /// What took how long.
    pub phases: &'a [(&'static str, Duration)],
}

/// What became of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Touched {
    Differs(Status),
    Impacted,
    Not,
}

impl Touched {
    fn name(self) -> &'static str {
        match self {
            Touched::Differs(status) => status.name(),
            Touched::Impacted => "impacted",
            Touched::Not => "unchanged",
        }
    }
}

impl<'a> ImpactReport<'a> {
    /// The functions that are reported, in the order of the new version, those that are gone last.
    fn functions(&self) -> impl Iterator<Item = &'a FunctionMatch> {
        let (diff, only) = (self.diff.clone(), self.only);
        self.diff.functions().filter(move |function| {
            let (f, g) = diff.function(function);
            let named = |name: &str| [f, g].into_iter().flatten().any(|f| f.source_name == name || f.name == name);
            only.is_none_or(named)
        })
    }

    fn touched(&self, function: &FunctionMatch) -> Touched {
        if function.status.differs() {
            return Touched::Differs(function.status);
        }
        let is_impacted = |id: Option<FuncId>, table: &[Vec<_>]| {
            id.is_some_and(|id| table[id.index()].iter().any(|reason: &Option<upshot_impact::Reason>| reason.is_some()))
        };
        if is_impacted(function.new, &self.impact.new) || is_impacted(function.old, &self.impact.old) {
            Touched::Impacted
        } else {
            Touched::Not
        }
    }

    /// Impacted instructions of the new version, and all of them.
    fn instructions(&self, function: &FunctionMatch) -> (usize, usize) {
        let Some(id) = function.new else { return (0, 0) };
        let reasons = &self.impact.new[id.index()];
        (reasons.iter().flatten().count(), reasons.len())
    }
}
