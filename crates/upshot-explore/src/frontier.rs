//! Which state is run next.

use std::collections::VecDeque;

use crate::config::Search;
use crate::random::Random;
use crate::worker::Node;

/// The states of one worker that wait for their turn.
pub(crate) struct Frontier {
    search: Search,
    nodes: VecDeque<Node>,
    random: Random,
}

impl Frontier {
    pub fn new(search: Search, seed: u64) -> Self {
        Frontier { search, nodes: VecDeque::new(), random: Random::new(seed) }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds the other sides of a decision, in path order.
    pub fn push_all(&mut self, siblings: Vec<Node>) {
        self.nodes.extend(siblings.into_iter().rev());
    }

    /// The state to run next. `is_new` says whether a state is at code that was never executed.
    pub fn pop(&mut self, is_new: impl Fn(&Node) -> bool) -> Option<Node> {
        match self.search {
            Search::DepthFirst => self.nodes.pop_back(),
            Search::BreadthFirst => self.nodes.pop_front(),
            Search::Random => {
                let index = self.random.below(self.nodes.len());
                self.nodes.swap_remove_back(index)
            }
            Search::Coverage => match self.nodes.iter().rposition(is_new) {
                Some(index) => self.nodes.remove(index),
                None => {
                    let index = self.random.below(self.nodes.len());
                    self.nodes.swap_remove_back(index)
                }
            },
        }
    }

    /// A state to give away: the one that was split off earliest has the most below it.
    pub fn give(&mut self) -> Option<Node> {
        if self.nodes.is_empty() { None } else { self.nodes.pop_front() }
    }

    /// All that waits, in path order.
    pub fn drain(&mut self) -> Vec<Node> {
        let mut nodes: Vec<Node> = self.nodes.drain(..).collect();
        nodes.sort_by(|a, b| a.path.cmp(&b.path));
        nodes
    }

    /// Whether the other sides of a decision should be considered before going on with the first.
    pub fn interleaves(&self) -> bool {
        self.search != Search::DepthFirst
    }
}
