//! What becomes of a path that has ended: its test, and whether natively it must go the same way.

use std::sync::atomic::Ordering::Relaxed;

use upshot_exec::{PathEnd, State};
use upshot_expr::{Assignment, Sources, TermId};
use upshot_ir::CType;
use upshot_solver::PathCondition;

use crate::collect::Event;
use crate::record::{self, PathRecord};
use crate::worker::{Node, Worker};

/// The values of a path's test.
pub(crate) enum Values {
    /// To be found.
    Asked,
    Found(Assignment),
    /// The path is known to go without a test.
    NotWanted,
}

impl Worker<'_> {
    /// A path has ended: finds its test and reports it.
    pub(crate) fn finish(&mut self, node: Node, end: PathEnd) {
        self.finish_with(node, end, Values::Asked);
    }

    /// The same where something is known of the test's values.
    pub(crate) fn finish_with(&mut self, mut node: Node, end: PathEnd, values: Values) {
        if self.ends.excludes(node.at, &node.path) {
            return self.machine.abandon(&node.state);
        }
        let (values, seed) = match values {
            Values::Asked => self.known_values(&mut node),
            other => (other, None),
        };
        self.machine.abandon(&node.state);
        self.totals.instructions += self.machine.own_instructions(&node.state);
        self.totals.met_symbolic |= self.machine.met_symbolic(&node.state);
        if end == PathEnd::Infeasible {
            return;
        }
        let plain = record::end_of(&self.machine, &end, None);
        let mut record = PathRecord {
            instructions: self.machine.path_instructions(&node.state),
            trace: node.state.trace(),
            affected: None,
            uncontrolled: self.mentions_unknown(&node, &end),
            uncontrolled_test: false,
            remarks: node.state.remarks().to_vec(),
            path: node.path,
            end: plain,
            returned: None,
            test: None,
            kept: None,
            stdout: None,
            stderr: None,
            visited: self.machine.visited(&node.state),
            asked: node.asked,
            seed,
        };
        if self.directed.is_some() && !self.is_news(&node.state, &node.condition, &mut record) {
            return;
        }
        if !matches!(values, Values::NotWanted) && self.wants_test(&record) {
            let found = match values {
                Values::Found(values) => Ok(values),
                _ => self.solver.canonical(&mut self.machine.terms, &node.condition, node.state.preferences()),
            };
            match found {
                Ok(assignment) => {
                    record.test = Some(record::test_of(&self.machine, &node.state, &assignment));
                    record.stdout = Some(record::output_of(&self.machine, &node.state, &assignment, 1));
                    record.stderr = Some(record::output_of(&self.machine, &node.state, &assignment, 2));
                    record.end = record::end_of(&self.machine, &end, Some(&assignment));
                    record.uncontrolled_test = self.is_uncontrolled(&node.state, &node.condition, &end, &assignment);
                    record.returned = {
                        let unknown = record::unknown_symbols(&node.state);
                        record::returned_of(&mut self.machine, &node.state, &end, &assignment, &unknown)
                    };
                }
                Err(why) => {
                    let location = self.machine.location(&node.state);
                    record.end = record::End::Unknown { why: why.to_string(), location };
                }
            }
        }
        record.kept = record.test.as_ref().and_then(|test| self.keep.keep(test));
        self.ended += 1;
        self.config.progress.paths.fetch_add(1, Relaxed);
        self.config.progress.errors.fetch_add(u64::from(record.end.place().is_some()), Relaxed);
        let spent = self.spent();
        self.outbox.put(Event::Path(self.range, Box::new(record), spent));
        self.send_due();
    }

    /// Whether the path, its output or its exit code mentions something that no test controls. For paths without a test, and as the quick
    /// answer for those that have one.
    fn mentions_unknown(&mut self, node: &Node, end: &PathEnd) -> bool {
        let state = &node.state;
        if state.unspecified() || !state.unspecified_conditions().is_empty() || !state.followed_addresses().is_empty() {
            return true;
        }
        let unknown = record::unknown_symbols(state);
        if unknown.is_empty() {
            return false;
        }
        let watched = self.watched(state, &node.condition, end);
        let terms = &mut self.machine.terms;
        watched.into_iter().any(|term| terms.support(term).iter().any(|var| unknown.contains(&var.symbol)))
    }

    /// Whether for these inputs the path, its output or its exit code really depends on something that no test controls.
    fn is_uncontrolled(
        &self,
        state: &State,
        condition: &PathCondition,
        end: &PathEnd,
        assignment: &Assignment,
    ) -> bool {
        let terms = &self.machine.terms;
        if state.unspecified()
            || state.unspecified_conditions().iter().any(|&condition| assignment.eval_bool(terms, condition))
            || state.followed_addresses().iter().any(|&term| assignment.draws_on(terms, term, Sources::Made, |_| true))
        {
            return true;
        }
        let unknown = record::unknown_symbols(state);
        !unknown.is_empty()
            && self
                .watched(state, condition, end)
                .into_iter()
                .any(|term| assignment.draws_on(terms, term, Sources::All, |var| unknown.contains(&var.symbol)))
    }

    /// What a native run must have in common with the path. Of a struct that is returned, each byte is looked at by itself, since padding is
    /// seldom written.
    fn watched(&self, state: &State, condition: &PathCondition, end: &PathEnd) -> Vec<TermId> {
        let mut watched: Vec<TermId> = condition.iter().collect();
        watched.extend(state.output().iter().flat_map(|output| output.piece.terms()));
        match end {
            PathEnd::Returned(values) if !self.returns_struct() => {
                watched.extend(values.iter().filter_map(|value| value.as_term()));
            }
            PathEnd::Exited(status) => watched.extend(status.as_term()),
            _ => {}
        }
        watched
    }

    fn returns_struct(&self) -> bool {
        let program = self.machine.program();
        let ty = program.function(self.config.entry).return_type;
        ty.is_some_and(|ty| matches!(program.types.get(program.types.resolve(ty)), CType::Record { .. }))
    }

    /// Whether the path may get a test. For an error that this worker met before on a lesser path it is certain that it does not.
    fn wants_test(&mut self, record: &PathRecord) -> bool {
        if !self.config.tests || matches!(record.end, record::End::Silent | record::End::Unknown { .. }) {
            return false;
        }
        let Some(place) = record.end.place() else { return true };
        if self.config.all_errors {
            return true;
        }
        match self.errors.get_mut(&place) {
            Some(least) if *least < record.path => false,
            Some(least) => {
                *least = record.path.clone();
                true
            }
            None => {
                self.errors.insert(place, record.path.clone());
                true
            }
        }
    }
}
