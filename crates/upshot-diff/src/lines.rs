//! The lines of a function in both versions, put side by side as text. White space does not count.

use rustc_hash::FxHashMap;
use upshot_ir::{Function, Location};

use crate::Version;
use crate::align::align;
use crate::changes::FunctionMatch;
use crate::extent::text;
use crate::sources::Sources;

/// Numbers for lines: equal for two lines that are the same line in both versions, 0 for a line that is in one version only.
#[derive(Debug, Default)]
pub(crate) struct LineClasses {
    old: FxHashMap<(u32, u32), u32>,
    new: FxHashMap<(u32, u32), u32>,
}

impl LineClasses {
    pub(crate) fn of_old(&self, location: Location) -> u32 {
        class(&self.old, location)
    }

    pub(crate) fn of_new(&self, location: Location) -> u32 {
        class(&self.new, location)
    }
}

fn class(classes: &FxHashMap<(u32, u32), u32>, location: Location) -> u32 {
    classes.get(&(location.file, location.line)).copied().unwrap_or(0)
}

/// Numbers the lines that two functions have in common.
pub(crate) fn line_classes(
    old: &Function,
    new: &Function,
    text_of_old: &Sources,
    text_of_new: &Sources,
) -> LineClasses {
    let mut classes = LineClasses::default();
    for (number, pair) in (1..).zip(merged(&text(old, text_of_old), &text(new, text_of_new))) {
        if let (Some(a), Some(b)) = pair {
            classes.old.insert((old.location.file, a), number);
            classes.new.insert((new.location.file, b), number);
        }
    }
    classes
}

/// All lines in the order a person reads a diff: those of one version only before what follows in both, the old version's first.
fn merged(old: &[(u32, String)], new: &[(u32, String)]) -> Vec<(Option<u32>, Option<u32>)> {
    let pairs = align(old.iter().map(|(_, text)| text), new.iter().map(|(_, text)| text));
    let mut lines = Vec::new();
    let (mut a, mut b) = (0, 0);
    for (x, y) in pairs.into_iter().chain([(old.len(), new.len())]) {
        lines.extend(old[a..x].iter().map(|(line, _)| (Some(*line), None)));
        lines.extend(new[b..y].iter().map(|(line, _)| (None, Some(*line))));
        if let (Some((line, _)), Some((other, _))) = (old.get(x), new.get(y)) {
            lines.push((Some(*line), Some(*other)));
        }
        (a, b) = (x + 1, y + 1);
    }
    lines
}

impl FunctionMatch {
    /// The function's lines in both versions (in the files where it is defined), as a diff shows them: those of one version before what follows in both.
    /// Empty where the text cannot be read.
    pub fn merged_lines(&self, old: Version<'_>, new: Version<'_>) -> Vec<(Option<u32>, Option<u32>)> {
        let lines = |version: Version<'_>, id: Option<upshot_ir::FuncId>| {
            id.map(|id| text(version.program.function(id), version.sources)).unwrap_or_default()
        };
        merged(&lines(old, self.old), &lines(new, self.new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(lines: &[&str]) -> Vec<(u32, String)> {
        (1..).zip(lines.iter().map(ToString::to_string)).collect()
    }

    #[test]
    fn what_was_comes_before_what_is() {
        let merged = merged(&numbered(&["a", "b", "c"]), &numbered(&["a", "x", "y", "c", "d"]));
        let expected = [
            (Some(1), Some(1)),
            (Some(2), None),
            (None, Some(2)),
            (None, Some(3)),
            (Some(3), Some(4)),
            (None, Some(5)),
        ];
        assert_eq!(merged, expected);
    }
}
