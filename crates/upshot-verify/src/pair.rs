//! Two executors, one for each version, that share their terms.

use upshot_exec::{Machine, State, Unshared};

pub(crate) struct Pair<'p> {
    /// Holds the terms, except while the other one runs.
    pub old: Machine<'p>,
    pub new: Machine<'p>,
}

impl<'p> Pair<'p> {
    /// Lends the terms to the executor of the new version.
    pub fn with_new<R>(&mut self, run: impl FnOnce(&mut Machine<'p>) -> R) -> R {
        std::mem::swap(&mut self.old.terms, &mut self.new.terms);
        let result = run(&mut self.new);
        std::mem::swap(&mut self.old.terms, &mut self.new.terms);
        result
    }

    /// Gives both states the same memory behind input pointers: what one of them has looked at exists in the other as well.
    pub fn level(&mut self, old: &mut State, new: &mut State) -> Result<(), Unshared> {
        self.old.adopt(old, new)?;
        self.with_new(|machine| machine.adopt(new, old))
    }
}
