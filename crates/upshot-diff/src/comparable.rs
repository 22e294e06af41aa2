//! Whether two programs can be two versions of one.

use upshot_ir::{Function, Program};

use crate::changes::Changes;

/// Why comparing makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Incomparable {
    #[error("the versions are compiled for different targets: {old} and {new}")]
    Target { old: String, new: String },
    #[error("the versions are compiled with different data layouts: {old} and {new}")]
    Layout { old: String, new: String },
    #[error("the {which} version defines no function")]
    NoFunction { which: &'static str },
    #[error("the versions have no function in common (old: {}; new: {})", list(old), list(new))]
    NothingInCommon { old: Vec<String>, new: Vec<String> },
}

/// Refuses, before any comparison, what cannot be two versions of one program.
pub fn check_comparable(old: &Program, new: &Program) -> Result<(), Incomparable> {
    if old.target_triple != new.target_triple {
        return Err(Incomparable::Target { old: old.target_triple.clone(), new: new.target_triple.clone() });
    }
    if old.data_layout != new.data_layout {
        return Err(Incomparable::Layout { old: old.data_layout.clone(), new: new.data_layout.clone() });
    }
    for (program, which) in [(old, "old"), (new, "new")] {
        if !program.functions.iter().any(is_own) {
            return Err(Incomparable::NoFunction { which });
        }
    }
    Ok(())
}

impl Changes {
    /// Refuses a comparison in which no function of the user's was found in both versions, under whatever name.
    pub fn check_common(&self, old: &Program, new: &Program) -> Result<(), Incomparable> {
        let is_common = self.functions.iter().any(|function| match (function.old, function.new) {
            (Some(o), Some(n)) => is_own(old.function(o)) && is_own(new.function(n)),
            _ => false,
        });
        if is_common { Ok(()) } else { Err(Incomparable::NothingInCommon { old: names(old), new: names(new) }) }
    }
}

fn is_own(function: &Function) -> bool {
    !function.is_declaration && !function.is_runtime
}

fn names(program: &Program) -> Vec<String> {
    program.functions.iter().filter(|f| is_own(f)).map(|f| f.source_name.clone()).collect()
}

fn list(names: &[String]) -> String {
    const MOST: usize = 4;
    let more = if names.len() > MOST { ", …" } else { "" };
    names.iter().take(MOST).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ") + more
}
