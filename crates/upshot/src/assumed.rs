//! What `--assume` means where several functions are looked at: an assumption restricts those that it can be compiled for, in both versions.

use upshot_diff::Changes;
use upshot_ir::FuncId;

use crate::arguments::{Check, Comparing};
use crate::explore::no_entry;
use crate::failure::Failure;
use crate::settings::extra_flags;
use crate::versions::{self, Versions, Wanted};

/// What is assumed for one function.
#[derive(Clone, Debug, Default)]
pub struct Assumed {
    expressions: Vec<String>,
    /// What does not apply.
    pub notes: Vec<String>,
}

/// The versions with what is assumed for one function compiled into them.
pub struct Under {
    pub versions: Versions,
    pub changes: Changes,
    pub entries: [FuncId; 2],
    pub comparing: Comparing,
}

/// What is assumed for each of some functions, by their old and new names. An assumption that applies to none is refused.
pub fn sort_out(arguments: &Check, functions: &[[String; 2]]) -> Result<Vec<Assumed>, Failure> {
    let assumptions = &arguments.comparing.assume;
    let mut assumed = vec![Assumed::default(); functions.len()];
    if assumptions.is_empty() || functions.is_empty() {
        return Ok(assumed);
    }
    let extra = extra_flags(&arguments.comparing.checks);
    let names: Vec<String> = functions.iter().map(|[_, new]| new.clone()).collect();
    let [old, new] = versions::assumptions_that_fit(&arguments.versions, assumptions, &names, &extra)?;
    let mut first: Vec<Option<Failure>> = assumptions.iter().map(|_| None).collect();
    for ((assumed, names), (old, new)) in assumed.iter_mut().zip(functions).zip(old.into_iter().zip(new)) {
        for (number, (old, new)) in old.into_iter().zip(new).enumerate() {
            let expression = &assumptions[number];
            match is_one_name(names).and(old).and(new) {
                Ok(()) => assumed.expressions.push(expression.clone()),
                Err(why) => {
                    let said = format!("--assume '{expression}': ");
                    let reason = why.message.strip_prefix(&said).unwrap_or(&why.message);
                    assumed.notes.push(format!("{expression} is not assumed here: {reason}"));
                    first[number].get_or_insert(why);
                }
            }
        }
    }
    for (expression, why) in assumptions.iter().zip(first) {
        let applies = assumed.iter().any(|assumed| assumed.expressions.contains(expression));
        if let Some(why) = why.filter(|_| !applies) {
            let message =
                format!("--assume '{expression}' applies to none of the functions that changed ({})", names.join(", "));
            return Err(if names.len() == 1 { why } else { Failure { message, ..why } });
        }
    }
    Ok(assumed)
}

/// Assumptions are compiled for a function by its name.
fn is_one_name([old, new]: &[String; 2]) -> Result<(), Failure> {
    if old == new { Ok(()) } else { Err(Failure::new(format!("{old} has another name in the new version, {new}"))) }
}

impl Assumed {
    /// `None` if nothing is assumed.
    pub fn load(&self, arguments: &Check, name: &str) -> Result<Option<Under>, Failure> {
        if self.expressions.is_empty() {
            return Ok(None);
        }
        let wanted = Wanted { entry: Some(name.to_string()), assumptions: self.expressions.clone(), again: true };
        let comparing = Comparing { assume: self.expressions.clone(), ..arguments.comparing.clone() };
        let versions = versions::load_for(&arguments.versions, &wanted, &extra_flags(&comparing.checks))?;
        let changes = versions.compare()?;
        let [old, new] = [&versions.old, &versions.new]
            .map(|version| version.program.function_named(name).ok_or_else(|| no_entry(name, version)));
        Ok(Some(Under { entries: [old?, new?], versions, changes, comparing }))
    }
}
