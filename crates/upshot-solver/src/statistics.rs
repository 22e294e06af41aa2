//! Counts: how many questions were asked, which layer answered them, and in what time. They are the measure of each layer's
//! worth, so every layer reports here, whether it answered or not.

use std::time::Duration;

/// The layers, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// The condition is a constant, or the path says it, or its opposite, in so many words.
    Simplify,
    /// The state's own model satisfies it.
    Model,
    /// Only the parts of the path that share an input byte with the condition count.
    Independence,
    /// The same set of constraints was solved before; or a subset was unsatisfiable; or a model of the condition fits.
    Cache,
    /// One of the last models found elsewhere fits.
    RecentModels,
    /// Ranges of values that follow from the path decide it.
    Intervals,
    /// The state's model, changed step by step until it fits.
    Repair,
    /// Bits to SAT.
    Bits,
    /// Z3.
    Smt,
}

impl Layer {
    pub const ALL: [Layer; 9] = [
        Layer::Simplify,
        Layer::Model,
        Layer::Independence,
        Layer::Cache,
        Layer::RecentModels,
        Layer::Intervals,
        Layer::Repair,
        Layer::Bits,
        Layer::Smt,
    ];

    /// As in reports and flags.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Simplify => "simplify",
            Layer::Model => "model",
            Layer::Independence => "independence",
            Layer::Cache => "cache",
            Layer::RecentModels => "recent-models",
            Layer::Intervals => "intervals",
            Layer::Repair => "repair",
            Layer::Bits => "bits",
            Layer::Smt => "smt",
        }
    }

    pub fn from_name(name: &str) -> Option<Layer> {
        Layer::ALL.into_iter().find(|layer| layer.name() == name)
    }
}

/// What one layer did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayerStatistics {
    /// Questions that reached it.
    pub asked: u64,
    /// Questions that it answered.
    pub answered: u64,
    /// Time spent in it, whether it answered or not.
    pub time: Duration,
}

/// What a solver did so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Questions put by [`Solver::check`](crate::Solver::check).
    pub asked: u64,
    /// Those that reached SAT or Z3.
    pub solved: u64,
    /// Those without an answer.
    pub unknown: u64,
    layers: [LayerStatistics; Layer::ALL.len()],
    /// Parts of paths for which [`Solver::canonical`](crate::Solver::canonical) was asked, and those that were not cached.
    pub canonical_parts: u64,
    pub canonical_solved: u64,
    pub canonical_time: Duration,
    /// Answers that were compared with a fresh Z3.
    pub cross_checked: u64,
    /// Answers that a cross-check, or the evaluation of a model, found to be wrong. Anything but zero is a bug of ours.
    pub disagreements: u64,
}

impl Statistics {
    pub fn layer(&self, layer: Layer) -> &LayerStatistics {
        &self.layers[layer as usize]
    }

    /// Time in all layers and in finding canonical inputs.
    pub fn time(&self) -> Duration {
        self.layers.iter().map(|layer| layer.time).sum::<Duration>() + self.canonical_time
    }

    pub(crate) fn record(&mut self, layer: Layer, time: Duration, answered: bool) {
        let entry = &mut self.layers[layer as usize];
        entry.asked += 1;
        entry.answered += u64::from(answered);
        entry.time += time;
    }

    /// The sum of two, for reports over several workers.
    pub fn add(&mut self, other: &Statistics) {
        self.asked += other.asked;
        self.solved += other.solved;
        self.unknown += other.unknown;
        for (mine, theirs) in self.layers.iter_mut().zip(&other.layers) {
            mine.asked += theirs.asked;
            mine.answered += theirs.answered;
            mine.time += theirs.time;
        }
        self.canonical_parts += other.canonical_parts;
        self.canonical_solved += other.canonical_solved;
        self.canonical_time += other.canonical_time;
        self.cross_checked += other.cross_checked;
        self.disagreements += other.disagreements;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_keep_their_own_counts_and_add_up() {
        let mut one = Statistics { asked: 2, ..Statistics::default() };
        one.record(Layer::Cache, Duration::from_micros(3), true);
        one.record(Layer::Cache, Duration::from_micros(4), false);
        let mut sum = one.clone();
        sum.add(&one);
        assert_eq!(sum.asked, 4);
        assert_eq!(sum.layer(Layer::Cache).asked, 4);
        assert_eq!(sum.layer(Layer::Cache).answered, 2);
        assert_eq!(sum.time(), Duration::from_micros(14));
    }

    #[test]
    fn names_round_trip() {
        for layer in Layer::ALL {
            assert_eq!(Layer::from_name(layer.name()), Some(layer));
        }
        assert_eq!(Layer::from_name("stp"), None);
    }
}
