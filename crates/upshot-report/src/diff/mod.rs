//! `upshot diff`: what is different between two versions, for people and for programs.

mod global;
mod json;
mod text;

use std::time::Duration;

use upshot_diff::{Changes, Fidelity, FunctionMatch, GlobalMatch, Version};
use upshot_ir::{FileId, Function, Global, Location, Program};

pub use json::diff_json;
pub use text::diff_text;

/// One version as a report needs it.
#[derive(Clone, Copy, Debug)]
pub struct DiffSide<'a> {
    /// As the user named it.
    pub name: &'a str,
    pub version: Version<'a>,
    /// By [`FileId`]: the file's name within the version, equal in both versions for what is one file.
    pub places: &'a [String],
}

/// All that is reported of a comparison.
#[derive(Clone, Debug)]
pub struct DiffReport<'a> {
    pub old: DiffSide<'a>,
    pub new: DiffSide<'a>,
    pub changes: &'a Changes,
    /// What took how long.
    pub phases: &'a [(&'static str, Duration)],
}

impl<'a> DiffSide<'a> {
    pub(crate) fn program(&self) -> &'a Program {
        self.version.program
    }

    pub(crate) fn place(&self, location: Location) -> Option<&'a str> {
        self.places.get(location.file as usize).filter(|_| location.is_known()).map(String::as_str)
    }

    pub(crate) fn file(&self, location: Location) -> &'a str {
        self.program().files.get(location.file as usize).filter(|_| location.is_known()).map_or("", String::as_str)
    }

    pub(crate) fn line(&self, file: FileId, line: u32) -> Option<&'a str> {
        self.version.sources.line(file, line)
    }
}

impl<'a> DiffReport<'a> {
    /// Whether anything that matters when the program runs is different.
    pub fn differs(&self) -> bool {
        self.functions().any(|function| function.status.differs())
            || self.globals().any(|global| global.status.differs())
    }

    /// Those of the user that have a body.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &'a FunctionMatch> {
        let (old, new) = (self.old.program(), self.new.program());
        self.changes.functions.iter().filter(move |function| function.is_own(old, new))
    }

    /// Those of the user that have a name and are defined in one of the versions.
    pub(crate) fn globals(&self) -> impl Iterator<Item = &'a GlobalMatch> {
        let sides = (self.old, self.new);
        self.changes.globals.iter().filter(move |global| {
            let defined = |global: &Global| !global.is_runtime && global.initializer.is_some();
            let (a, b) = of_global(sides, global);
            !global.nameless && a.into_iter().chain(b).any(defined)
        })
    }

    pub(crate) fn function(&self, function: &FunctionMatch) -> (Option<&'a Function>, Option<&'a Function>) {
        let (old, new) = (self.old.program(), self.new.program());
        (function.old.map(|id| old.function(id)), function.new.map(|id| new.function(id)))
    }

    pub(crate) fn global(&self, global: &GlobalMatch) -> (Option<&'a Global>, Option<&'a Global>) {
        of_global((self.old, self.new), global)
    }

    /// Whether both versions have it, in different files.
    fn moved(&self, old: Option<Location>, new: Option<Location>) -> bool {
        let place =
            |side: &DiffSide<'a>, location: Option<Location>| location.and_then(|location| side.place(location));
        match (place(&self.old, old), place(&self.new, new)) {
            (Some(a), Some(b)) => a != b,
            _ => false,
        }
    }

    pub(crate) fn matched_by(&self) -> &'static str {
        match self.changes.fidelity {
            Fidelity::Lines => "lines",
            Fidelity::Position => "position",
        }
    }

    /// Functions whose types have changed, with both declarations.
    pub fn changed_signatures(&self) -> Vec<(&'a str, (String, String))> {
        let named = |function: &'a FunctionMatch| {
            let (_, new) = self.function(function);
            Some((new?.source_name.as_str(), self.signatures(function)?))
        };
        self.functions().filter_map(named).collect()
    }

    /// How it is declared in both versions, where that differs.
    fn signatures(&self, function: &FunctionMatch) -> Option<(String, String)> {
        let (Some(f), Some(g)) = self.function(function) else { return None };
        if f.is_declaration || g.is_declaration {
            return None;
        }
        let types = |program: &Program, function: &Function| declared(program, function, false);
        let (old, new) = (self.old.program(), self.new.program());
        (types(old, f) != types(new, g)).then(|| (declared(old, f, true), declared(new, g, true)))
    }
}

fn of_global<'a>(
    (old, new): (DiffSide<'a>, DiffSide<'a>),
    global: &GlobalMatch,
) -> (Option<&'a Global>, Option<&'a Global>) {
    (global.old.map(|id| old.program().global(id)), global.new.map(|id| new.program().global(id)))
}

/// `int f(int n, ...)`, or without the names, which tells whether the types differ.
fn declared(program: &Program, function: &Function, named: bool) -> String {
    let result = function.return_type.map_or_else(|| "void".to_string(), |ty| program.types.name(ty));
    let mut parameters: Vec<String> = Vec::new();
    for parameter in &function.parameters {
        let ty = parameter.ty.map_or_else(|| "?".to_string(), |ty| program.types.name(ty));
        parameters.push(if named { format!("{ty} {}", parameter.name).replace("* ", "*") } else { ty });
    }
    if function.is_variadic {
        parameters.push("...".to_string());
    }
    if parameters.is_empty() {
        parameters.push("void".to_string());
    }
    let name = if named { function.source_name.as_str() } else { "" };
    format!("{result} {name}({})", parameters.join(", "))
}
