//! What a caller may choose, and how a question is bounded. Budgets are counted in conflicts by default, because an answer
//! must not depend on the speed of the machine; the clock only matters where a time limit was asked for.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::answer::UnknownReason;
use crate::statistics::Layer;

/// How a [`Solver`](crate::Solver) works.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// For each question.
    pub timeout: Option<Duration>,
    /// Conflicts that each question may cost before it ends as unknown. `None`: as many as it takes.
    pub conflicts: Option<u64>,
    /// Set from anywhere to end the question under way, and all later ones, as [`UnknownReason::Interrupted`].
    pub interrupt: Arc<AtomicBool>,
    /// For all questions together.
    pub deadline: Option<Instant>,
    /// A folder for what reaches Z3, one SMT-LIB file per question.
    pub log_queries: Option<PathBuf>,
    /// Compare every answer of every layer with a Z3 that has never seen anything else.
    pub cross_check: bool,
    pub layers: Layers,
}

/// Which layers are in use. All are, by default. Without Z3, a question that no other layer decides ends as unknown. The inputs that
/// are written for paths do not depend on this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layers(u16);

impl Default for Layers {
    fn default() -> Layers {
        Layers::all()
    }
}

impl Layers {
    pub fn all() -> Layers {
        Layers(u16::MAX)
    }

    /// Z3 alone, with a model that is checked.
    pub fn bare() -> Layers {
        Layers(0).with(Layer::Smt)
    }

    #[must_use]
    pub fn with(self, layer: Layer) -> Layers {
        Layers(self.0 | 1 << layer as u16)
    }

    #[must_use]
    pub fn without(self, layer: Layer) -> Layers {
        Layers(self.0 & !(1 << layer as u16))
    }

    pub fn has(self, layer: Layer) -> bool {
        self.0 & 1 << layer as u16 != 0
    }
}

/// The bounds of one question, fixed when it is asked.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    interrupt: Arc<AtomicBool>,
    until: Option<Instant>,
    pub(crate) conflicts: Option<u64>,
}

impl Limits {
    pub(crate) fn start(options: &Options) -> Limits {
        let own = options.timeout.map(|timeout| Instant::now() + timeout);
        let until = match (own, options.deadline) {
            (Some(own), Some(deadline)) => Some(own.min(deadline)),
            (own, deadline) => own.or(deadline),
        };
        Limits { interrupt: options.interrupt.clone(), until, conflicts: options.conflicts }
    }

    /// Why the question must end now, if it must.
    pub(crate) fn exceeded(&self) -> Option<UnknownReason> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Some(UnknownReason::Interrupted);
        }
        self.until.is_some_and(|until| Instant::now() >= until).then_some(UnknownReason::TimedOut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_switch_one_by_one() {
        let layers = Layers::all().without(Layer::Intervals);
        assert!(!layers.has(Layer::Intervals) && layers.has(Layer::Bits));
        assert!(layers.with(Layer::Intervals).has(Layer::Intervals));
        assert!(Layers::bare().has(Layer::Smt) && !Layers::bare().has(Layer::Model));
    }

    #[test]
    fn limits_report_why() {
        let options = Options { timeout: Some(Duration::ZERO), ..Options::default() };
        assert_eq!(Limits::start(&options).exceeded(), Some(UnknownReason::TimedOut));
        options.interrupt.store(true, Ordering::Relaxed);
        assert_eq!(Limits::start(&options).exceeded(), Some(UnknownReason::Interrupted));
        assert_eq!(Limits::start(&Options::default()).exceeded(), None);
    }
}
