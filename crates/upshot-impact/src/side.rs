//! One version of the program with all that is known of it: the dependence graph and what it was built from.

use crate::build::{Facts, build};
use crate::calls::CallGraph;
use crate::ends::Failures;
use crate::flow::Flow;
use crate::graph::{Graph, Node, NodeKind};
use crate::memory::Memory;
use crate::points_to::PointsTo;
use crate::{Phase, Scope};
use std::time::Instant;
use upshot_ir::{FuncId, InstId, Program};

pub(crate) struct Side<'a> {
    pub(crate) program: &'a Program,
    pub(crate) points_to: PointsTo,
    pub(crate) calls: CallGraph,
    pub(crate) memory: Memory,
    pub(crate) flows: Vec<Flow>,
    pub(crate) graph: Graph,
    pub(crate) phases: Vec<Phase>,
}

impl<'a> Side<'a> {
    /// `separate[g]`: constants that are not the same in both versions.
    pub(crate) fn new(program: &'a Program, separate: &[bool], scope: Scope, failures: Failures) -> Self {
        let mut clock = Clock { since: Instant::now(), phases: Vec::new() };
        let points_to = PointsTo::new(program, separate);
        clock.lap("points-to");
        let calls = CallGraph::new(program, &points_to, failures);
        clock.lap("call graph");
        let memory = Memory::new(program, &points_to, &calls);
        clock.lap("mod/ref");
        let flows: Vec<Flow> = (0..)
            .map(FuncId)
            .zip(&program.functions)
            .map(|(id, function)| {
                let may_end = |inst| calls.call(id, inst).is_some_and(|call| calls.call_may_end(call));
                Flow::new(program, function, failures, &may_end)
            })
            .collect();
        clock.lap("control dependence");
        let facts = Facts { program, points_to: &points_to, calls: &calls, memory: &memory, flows: &flows, scope };
        let graph = build(&facts);
        clock.lap("data dependence");
        tracing::debug!(nodes = graph.kinds.len(), edges = graph.edge_count(), "dependence graph");
        Side { program, points_to, calls, memory, flows, graph, phases: clock.phases }
    }

    pub(crate) fn is_reachable(&self, function: FuncId, inst: InstId) -> bool {
        self.flows[function.index()].is_reachable(inst)
    }

    /// The node for whether an instruction runs.
    pub(crate) fn runs(&self, function: FuncId, inst: InstId) -> Node {
        self.graph.find(NodeKind::Runs(function, inst)).unwrap_or_else(|| self.graph.inst(function, inst))
    }
}

struct Clock {
    since: Instant,
    phases: Vec<Phase>,
}

impl Clock {
    fn lap(&mut self, name: &'static str) {
        self.phases.push(Phase { name, time: self.since.elapsed() });
        self.since = Instant::now();
    }
}
