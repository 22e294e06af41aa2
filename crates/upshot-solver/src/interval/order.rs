//! Which terms lie below which others. Sorting and searching compare unknown values with each other, where ranges say nothing; but the
//! comparisons of a path form a graph, and a condition that closes a cycle in it cannot hold, unless all of the cycle are equal.

use upshot_expr::TermId;

/// How a comparison reads the bits of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Unsigned,
    Signed,
    /// An equality holds in both.
    Either,
}

impl Reading {
    fn covers(self, other: Reading) -> bool {
        self == other || self == Reading::Either || other == Reading::Either
    }
}

/// `lesser < greater` if strict, else `lesser <= greater`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) lesser: TermId,
    pub(crate) greater: TermId,
    pub(crate) strict: bool,
    pub(crate) reading: Reading,
}

/// Edges beyond which none are added: looking through them would cost more than it saves.
const MOST: usize = 256;

#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    edges: Vec<Edge>,
}

impl Order {
    pub(crate) fn extend(&mut self, other: &Order) {
        self.edges.extend_from_slice(&other.edges);
    }

    /// Adds an edge; false if it contradicts the others.
    pub(crate) fn add(&mut self, edge: Edge) -> bool {
        if edge.lesser == edge.greater {
            return !edge.strict;
        }
        if self.edges.contains(&edge) || self.edges.len() >= MOST {
            return true;
        }
        let readings: &[Reading] = match edge.reading {
            Reading::Either => &[Reading::Unsigned, Reading::Signed],
            Reading::Unsigned => &[Reading::Unsigned],
            Reading::Signed => &[Reading::Signed],
        };
        let possible = readings.iter().all(|&reading| !self.closes_cycle(edge, reading));
        self.edges.push(edge);
        possible
    }

    /// Whether the greater end is already known to be below the lesser one (or at most equal, if the edge is strict).
    fn closes_cycle(&self, edge: Edge, reading: Reading) -> bool {
        // What is reached, and whether by a strict step.
        let mut reached = vec![(edge.greater, edge.strict)];
        let mut next = 0;
        while let Some(&(term, strict)) = reached.get(next) {
            next += 1;
            for step in self.edges.iter().filter(|step| step.lesser == term && step.reading.covers(reading)) {
                let state = (step.greater, strict || step.strict);
                if state == (edge.lesser, true) {
                    return true;
                }
                if !reached.contains(&state) && !reached.contains(&(state.0, true)) {
                    reached.push(state);
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(raw: u32) -> TermId {
        TermId::from_raw(raw).expect("not zero")
    }

    fn edge(lesser: u32, greater: u32, strict: bool) -> Edge {
        Edge { lesser: term(lesser), greater: term(greater), strict, reading: Reading::Signed }
    }

    #[test]
    fn a_cycle_with_a_strict_step_is_a_contradiction() {
        let mut order = Order::default();
        assert!(order.add(edge(1, 2, false)));
        assert!(order.add(edge(2, 3, true)));
        assert!(order.clone().add(edge(1, 3, true)));
        assert!(!order.clone().add(edge(3, 1, false)));
        assert!(!order.clone().add(edge(3, 2, false)));
        assert!(order.add(edge(2, 1, false)));
        assert!(!order.add(edge(2, 1, true)));
    }

    #[test]
    fn signed_and_unsigned_comparisons_do_not_mix() {
        let mut order = Order::default();
        assert!(order.add(edge(1, 2, true)));
        assert!(order.clone().add(Edge { reading: Reading::Unsigned, ..edge(2, 1, true) }));
        assert!(!order.add(Edge { reading: Reading::Either, ..edge(2, 1, false) }));
    }
}
