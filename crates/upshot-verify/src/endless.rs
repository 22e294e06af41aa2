//! Runs that never end: a state comes back, and nothing was decided in between.
//!
//! What follows from a state is always the same, so a state that was there before is there again and again. States are compared with one that was put by, which is replaced after
//! twice as many as the last (Brent), so a loop of any length is found, at the price of one comparison each time.

use std::rc::Rc;

use upshot_exec::{Owner, State, View};
use upshot_ir::{FuncId, Program, Reg};

/// A state that was put by.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    kept: Option<Rc<State>>,
    /// States until it is replaced, and how many those were last time.
    left: u64,
    span: u64,
}

/// Every register and every object.
struct All<'p>(&'p Program);

impl View for All<'_> {
    fn registers(&self, function: FuncId, _: u32, _: bool) -> Rc<[Reg]> {
        (0..self.0.function(function).registers).map(Reg).collect()
    }

    fn object(&self, _: Owner) -> bool {
        true
    }
}

impl Watched {
    /// Whether the state was there before. Nothing may have been decided since the last one that was shown.
    pub fn is_back(&mut self, program: &Program, state: &State) -> bool {
        let said = |state: &State| (state.output().len(), state.external_calls().len(), state.inputs().len());
        if let Some(kept) = &self.kept
            && said(kept) == said(state)
            && kept.goes_on_like(state, &All(program))
        {
            return true;
        }
        if self.left == 0 {
            self.span = (self.span * 2).max(1);
            self.left = self.span;
            self.kept = Some(Rc::new(state.clone()));
        }
        self.left -= 1;
        false
    }

    /// Something was decided.
    pub fn forget(&mut self) {
        *self = Watched::default();
    }
}
