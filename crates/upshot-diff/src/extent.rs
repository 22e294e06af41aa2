//! Which lines a function takes up.

use upshot_ir::{FileId, Function, Program};

use crate::Version;
use crate::changes::FunctionMatch;
use crate::sources::Sources;

/// The lines from a function's first to its last, in the file it is defined in; `None` without debug information.
pub(crate) fn extent(function: &Function) -> Option<(FileId, std::ops::RangeInclusive<u32>)> {
    let first = function.location;
    let own = function.insts.iter().filter(|inst| inst.location.file == first.file).map(|inst| inst.location.line);
    let last = own.max().unwrap_or(0);
    first.is_known().then_some((first.file_id(), first.line..=last.max(first.line)))
}

/// The text of those lines that can be read, white space at their ends and between words made one.
pub(crate) fn text(function: &Function, sources: &Sources) -> Vec<(u32, String)> {
    let Some((file, lines)) = extent(function) else { return Vec::new() };
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    lines.filter_map(|line| Some((line, words(sources.line(file, line)?)))).collect()
}

impl FunctionMatch {
    /// Whether it is the user's own function, defined in at least one of the versions.
    pub fn is_own(&self, old: &Program, new: &Program) -> bool {
        let sides = [self.old.map(|id| old.function(id)), self.new.map(|id| new.function(id))];
        sides.into_iter().flatten().any(|function| !function.is_declaration && !function.is_runtime)
    }

    /// Whether a person who reads both versions sees a difference, be it one of layout only.
    pub fn text_differs(&self, old: Version<'_>, new: Version<'_>) -> bool {
        let (Some(a), Some(b)) = (self.old, self.new) else { return true };
        let lines = |version: Version<'_>, id| -> Vec<String> {
            let function = version.program.function(id);
            let Some((file, lines)) = extent(function) else { return Vec::new() };
            lines.filter_map(|line| Some(version.sources.line(file, line)?.trim_end().to_string())).collect()
        };
        lines(old, a) != lines(new, b)
    }
}
