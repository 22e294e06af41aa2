//! Bad usage and bad input: one clear line, exit code 2.

use std::fmt;

/// What could not be done, in a line; what clang said about it, as it said it; and what to do.
#[derive(Debug)]
pub struct Failure {
    pub message: String,
    pub diagnostics: Option<String>,
    pub hint: Option<String>,
}

impl Failure {
    pub fn new(message: impl fmt::Display) -> Self {
        Failure { message: message.to_string(), diagnostics: None, hint: None }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same in other words, what clang said too.
    pub fn map(self, told: impl Fn(&str) -> String) -> Self {
        let Failure { message, diagnostics, hint } = self;
        Failure { message: told(&message), diagnostics: diagnostics.map(|said| told(&said)), hint }
    }
}

impl From<upshot_frontend::FrontendError> for Failure {
    fn from(error: upshot_frontend::FrontendError) -> Self {
        let mut failure = Failure::new(&error);
        failure.diagnostics = error.diagnostics().map(str::to_string);
        if let upshot_frontend::FrontendError::NoSuchEntry { entry, defined } = &error {
            failure.hint = suggestion(entry, defined);
        }
        failure
    }
}

impl From<upshot_suite::OutDirError> for Failure {
    fn from(error: upshot_suite::OutDirError) -> Self {
        Failure::new(error)
    }
}

/// The nearest names, for a name that does not exist.
pub fn suggestion(name: &str, defined: &[String]) -> Option<String> {
    let near = defined
        .iter()
        .map(|other| (strsim::damerau_levenshtein(name, other), other))
        .filter(|(distance, other)| *distance <= 1 + name.len().max(other.len()) / 3)
        .min();
    match near {
        Some((_, nearest)) => Some(format!("did you mean `{nearest}`?")),
        None if defined.is_empty() => None,
        None => {
            let most = defined.iter().take(8).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let more = if defined.len() > 8 { ", …" } else { "" };
            Some(format!("there are {most}{more}"))
        }
    }
}
