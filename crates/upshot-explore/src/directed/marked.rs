//! The new version with its impacted instructions marked, and the guide for an exploration of it.

use std::sync::Arc;

use upshot_exec::Watch;
use upshot_impact::{Direction, Impact, Table};
use upshot_ir::{Callee, FuncId, InstId, Op, Program};

use super::{Guide, Order, Paper, Prune};

/// A program to be explored in the light of a change.
pub struct Marked {
    pub program: Program,
    pub watch: Watch,
    pub guide: Arc<Guide>,
    /// By mark: where it is.
    pub places: Vec<(FuncId, InstId)>,
}

/// How to search: [`Prune`] without what it needs to know of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    Off,
    Sound,
    Paper(Order),
}

impl Marked {
    pub fn new(new: &Program, impact: &Impact, direction: Direction, manner: Manner) -> Self {
        let table: Table = impact.new.iter().map(|reasons| reasons.iter().map(Option::is_some).collect()).collect();
        let prune = match manner {
            Manner::Off => Prune::Off,
            Manner::Sound => Prune::Sound,
            Manner::Paper(order) => Prune::Paper(Box::new(Paper::new(new, order, &table, |_, op| callees(new, op)))),
        };
        let mut places = Vec::new();
        let mut watch = Watch {
            always: impact.own.clone(),
            calls: impact.calls.iter().map(|call| (call.caller, call.inst, call.callee)).collect(),
            ..Watch::default()
        };
        let mut nodes = Vec::new();
        let mut numbers: Vec<Vec<Option<u32>>> = new.functions.iter().map(|f| vec![None; f.insts.len()]).collect();
        // Impacted instructions first, so that a sequence of them is the same number however the search is done.
        for impacted in [true, false] {
            for (id, function) in (0..).map(FuncId).zip(&new.functions) {
                for inst in (0..function.insts.len() as u32).map(InstId) {
                    let node = match &prune {
                        Prune::Paper(paper) => paper.begins(id, inst),
                        _ => None,
                    };
                    if table[id.index()][inst.index()] == impacted && (impacted || node.is_some()) {
                        numbers[id.index()][inst.index()] = Some(places.len() as u32);
                        places.push((id, inst));
                        watch.counts.push(impacted);
                        watch.pauses.push(node.is_some());
                        nodes.push(node);
                    }
                }
            }
        }
        let program = upshot_ir::with_marks(new, |function, inst| numbers[function.index()][inst.index()]);
        let (always, calls) = (watch.always.clone(), watch.calls.clone());
        let guide = Arc::new(Guide { direction, prune, marked: table, numbers, always, calls, nodes });
        Marked { program, watch, guide, places }
    }
}

/// What an operation may call; through a pointer, any function that has a body.
fn callees(program: &Program, op: &Op) -> Vec<FuncId> {
    let Op::Call(call) = op else { return Vec::new() };
    match call.callee {
        Callee::Direct(callee) => vec![callee],
        Callee::Indirect(_) => {
            let has_body = |id: &FuncId| !program.function(*id).is_declaration;
            (0..program.functions.len() as u32).map(FuncId).filter(has_body).collect()
        }
    }
}
