//! From a pair of ended paths to differential partitions (ICSE'13, Def. 5): where both outputs agree, where they do not, and where that is not known.

use std::rc::Rc;

use upshot_exec::{PathEnd, State};
use upshot_explore::{End, Test};
use upshot_expr::{Assignment, Node as Operation, SymbolId, TermId, Terms, Var};
use upshot_solver::{Answer, PathCondition};

use crate::describe;
use crate::observe::{self, Comparison, Doubt, Ends};
use crate::place::Place;
use crate::search::{Fact, Node, Search};

/// Conditions of a partition beyond which nobody looks for superfluous ones.
const MOST_CONDITIONS: usize = 8;

/// How an equality was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Both outputs are the same terms.
    Identity,
    Solver,
    /// No changed code can be met any more.
    Impact,
    /// Loops and calls in step, from any state to the next.
    Induction,
}

/// What kind of difference it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The new version ends in an error where the old one did not.
    Regression,
    /// The other way round.
    Fix,
    Output,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Equal(Proof),
    Different(Change),
    /// Not known, and why.
    Open(String),
}

/// What one version does in a partition.
#[derive(Clone, Debug)]
pub struct Shown {
    /// For the example input.
    pub end: End,
    /// The returned value over the inputs, in C.
    pub returned_term: Option<String>,
    /// Its bytes for the example; `None` for those that no test controls.
    pub returned: Option<Vec<Option<u8>>>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// What else differs: its name, over the inputs, and for the example.
    pub effects: Vec<(String, String, u128)>,
    /// Marks that the path has come by.
    pub marks: Vec<u32>,
}

/// A set of inputs, and what holds for all of them.
#[derive(Clone, Debug)]
pub struct Partition {
    pub kind: Kind,
    /// Which inputs: all that satisfy these, in C.
    pub condition: Vec<String>,
    /// One of them.
    pub test: Option<Test>,
    pub old: Option<Shown>,
    pub new: Option<Shown>,
    /// What is different for the example.
    pub what: Vec<String>,
    /// The example takes values that no test controls (memory never written, and the like).
    pub uncontrolled: bool,
    /// The share of all inputs, and the error of that figure. Not a number where nobody had the time to find out.
    pub share: (f64, f64),
    /// Where it lies: the decisions that lead to it, and which of the parts there it is.
    pub place: (Place, u32),
    /// Where equality was proved, and that was asked for: what is unsatisfiable then, as SMT-LIB; or why it cannot be written.
    pub obligation: Option<Result<String, String>>,
    /// It is open only because the search was ended.
    pub cut_short: bool,
    /// The condition, and the inputs that it may speak of.
    pub(crate) formula: Vec<TermId>,
    pub(crate) symbols: Vec<(String, SymbolId)>,
}

/// The inputs of a pair of states.
fn symbols(node: &Node) -> Vec<(String, SymbolId)> {
    let inputs = node.old.inputs().iter().chain(node.new.iter().flat_map(|state| state.inputs()));
    inputs.map(|input| (input.name.clone(), input.symbol)).collect()
}

impl Search<'_> {
    /// Inputs about which nothing is known.
    pub(crate) fn open(&mut self, node: &Node, why: &str) -> Partition {
        self.without_example(node, Kind::Open(why.to_string()))
    }

    /// All inputs that come this way, of which none is singled out.
    pub(crate) fn without_example(&mut self, node: &Node, kind: Kind) -> Partition {
        // When the search is being ended, nothing that takes time is done for what is left.
        let is_ending = self.stopping().is_some();
        let condition = self.conditions(node, &[], Some(&*node.model).filter(|_| !is_ending));
        let share = if is_ending { (f64::NAN, 0.0) } else { self.share(node, &[]) };
        Partition {
            kind,
            condition,
            test: None,
            old: None,
            new: None,
            what: Vec::new(),
            uncontrolled: false,
            share,
            place: Default::default(),
            cut_short: false,
            obligation: None,
            formula: node.condition.iter().collect(),
            symbols: symbols(node),
        }
    }

    /// Both versions have ended.
    pub(crate) fn partitions(&mut self, mut node: Node, new_end: &PathEnd) -> Vec<Partition> {
        let (Some(mut new), Some(old_end)) = (node.new.take(), node.old_end.clone()) else { return Vec::new() };
        let leveled = self.pair.level(&mut node.old, &mut new);
        let clash = name_clash(&node.old, &new);
        node.new = Some(new.clone());
        if let Err(error) = leveled {
            return vec![self.open(&node, &error.to_string())];
        }
        if let Some(name) = clash {
            return vec![self.open(&node, &format!("the input {name} has another size in the other version"))];
        }
        let globals = &self.config.globals;
        let ends = Ends { old: &node.old, new: &new, old_end: &old_end, new_end, globals };
        let compared = observe::compare(&mut self.pair, &ends, self.config.observe);
        if compared.exact.is_empty() && compared.open.is_empty() {
            let model = node.model.clone();
            let mut part = self.part(&node, new_end, Kind::Equal(Proof::Identity), &[], model, &compared);
            part.obligation = self.obligation(&node, &[], &compared);
            return vec![part];
        }
        let mut parts = self.split(&node, new_end, &compared);
        let is_split = parts.len() > 1;
        for part in parts.iter_mut().filter(|part| matches!(part.kind, Kind::Equal(_))) {
            // Where all inputs are in one part, the difference condition is not assumed away.
            let own: Vec<TermId> = part.formula.iter().copied().skip(node.condition.iter().count()).collect();
            part.obligation = self.obligation(&node, if is_split { &own } else { &[] }, &compared);
        }
        parts
    }

    /// Three parts: equal, different, not known.
    fn split(&mut self, node: &Node, new_end: &PathEnd, compared: &Comparison) -> Vec<Partition> {
        let exact = self.any(&compared.exact);
        let open = self.any(&compared.open);
        let terms = &mut self.pair.old.terms;
        let (same, sure) = (terms.not(exact), terms.not(open));
        let change = match (node.old_end.as_deref(), new_end) {
            (Some(PathEnd::Error(_)), PathEnd::Error(_)) => Change::Output,
            (_, PathEnd::Error(_)) => Change::Regression,
            (Some(PathEnd::Error(_)), _) => Change::Fix,
            _ => Change::Output,
        };
        let why = compared.open.first().map_or(String::new(), |doubt| doubt.what.clone());
        // Where it is not known, an input for which the outputs as computed differ is the better example.
        let parts: [(Kind, &[TermId]); 4] = [
            (Kind::Different(change), &[exact, sure]),
            (Kind::Equal(Proof::Solver), &[same, sure]),
            (Kind::Open(why.clone()), &[open, exact]),
            (Kind::Open(why), &[open, same]),
        ];
        let mut found = Vec::new();
        for (kind, extra) in parts {
            match self.witness(node, extra) {
                Ok(Some(model)) => found.push(self.part(node, new_end, kind, extra, model, compared)),
                Ok(None) => {}
                Err(why) => {
                    let mut partition = self.open(node, &why);
                    partition.condition = self.conditions(node, extra, None);
                    partition.formula.extend(extra);
                    found.push(partition);
                }
            }
        }
        found
    }

    /// That an input of the partition makes a difference.
    fn obligation(&mut self, node: &Node, own: &[TermId], compared: &Comparison) -> Option<Result<String, String>> {
        if !self.config.certify {
            return None;
        }
        let (exact, open) = (self.any(&compared.exact), self.any(&compared.open));
        let terms = &mut self.pair.old.terms;
        let mut differs = terms.or(exact, open);
        for &(a, b) in &compared.compared {
            if terms.width(a) == terms.width(b) {
                let other = terms.ne(a, b);
                differs = terms.or(differs, other);
            }
        }
        Some(upshot_solver::smt_lib(terms, node.condition.iter().chain(own.iter().copied()).chain([differs])))
    }

    fn any(&mut self, doubts: &[Doubt]) -> TermId {
        let terms = &mut self.pair.old.terms;
        let mut any = terms.bool(false);
        for doubt in doubts {
            any = terms.or(any, doubt.condition);
        }
        any
    }

    /// An input of the partition for which all of these hold as well.
    fn witness(&mut self, node: &Node, extra: &[TermId]) -> Result<Option<Rc<Assignment>>, String> {
        let terms = &mut self.pair.old.terms;
        let mut all = terms.bool(true);
        for &condition in extra {
            all = terms.and(all, condition);
        }
        if terms.is_false(all) {
            return Ok(None);
        }
        self.totals.asked += 1;
        match self.solver.check(&mut self.pair.old.terms, &node.condition, &node.model, all) {
            Answer::Sat(model) => Ok(Some(Rc::new(model))),
            Answer::Unsat => Ok(None),
            Answer::Unknown(why) => Err(why.to_string()),
        }
    }

    fn part(
        &mut self,
        node: &Node,
        new_end: &PathEnd,
        kind: Kind,
        extra: &[TermId],
        model: Rc<Assignment>,
        compared: &Comparison,
    ) -> Partition {
        let mut condition = node.condition.clone();
        for &term in extra {
            condition.push(&mut self.pair.old.terms, term);
        }
        let preferences = node.old.preferences().to_vec();
        let found = self.solver.canonical(&mut self.pair.old.terms, &condition, &preferences);
        let values = found.unwrap_or_else(|_| (*model).clone());
        let is_open = matches!(kind, Kind::Open(_));
        let doubts = compared.exact.iter().chain(compared.open.iter().filter(|_| is_open));
        let holds = |doubt: &&Doubt| values.eval_bool(&self.pair.old.terms, doubt.condition);
        let differing: Vec<Doubt> = doubts.filter(holds).cloned().collect();
        let mut what: Vec<String> = differing.iter().map(|doubt| doubt.what.clone()).collect();
        what.dedup();
        let (old, new) = self.shown(node, new_end, &values, &differing);
        Partition {
            condition: self.conditions(node, extra, Some(&values)),
            test: Some(self.test(node, &values)),
            uncontrolled: self.is_uncontrolled(node, &values, &differing),
            old: Some(old),
            new: Some(new),
            what,
            share: self.share(node, extra),
            place: Default::default(),
            cut_short: false,
            obligation: None,
            kind,
            formula: node.condition.iter().chain(extra.iter().copied()).collect(),
            symbols: symbols(node),
        }
    }

    /// Whether what differs draws on something that no test controls.
    fn is_uncontrolled(&self, node: &Node, values: &Assignment, differing: &[Doubt]) -> bool {
        let terms = &self.pair.old.terms;
        let mut unknown = upshot_explore::unknown_symbols(&node.old);
        unknown.extend(node.new.iter().flat_map(upshot_explore::unknown_symbols));
        let draws =
            |term: TermId| values.draws_on(terms, term, upshot_expr::Sources::All, |var| unknown.contains(&var.symbol));
        !unknown.is_empty()
            && (node.condition.iter().any(draws) || differing.iter().any(|doubt| draws(doubt.condition)))
    }

    fn shown(&mut self, node: &Node, new_end: &PathEnd, values: &Assignment, differing: &[Doubt]) -> (Shown, Shown) {
        let named = |doubt: &&Doubt| doubt.what != "return value";
        let numbers: Vec<&Doubt> = differing.iter().filter(|doubt| doubt.values.is_some()).filter(named).collect();
        let mut effects = (Vec::new(), Vec::new());
        for doubt in numbers {
            let Some((old, new)) = doubt.values else { continue };
            let terms = &self.pair.old.terms;
            effects.0.push((doubt.what.clone(), describe::term(terms, old), values.eval(terms, old)));
            effects.1.push((doubt.what.clone(), describe::term(terms, new), values.eval(terms, new)));
        }
        let old_end = node.old_end.clone();
        let old = describe::shown(&mut self.pair.old, &node.old, old_end.as_deref(), values, effects.0);
        let new = match &node.new {
            Some(state) => {
                self.pair.with_new(|machine| describe::shown(machine, state, Some(new_end), values, effects.1))
            }
            None => old.clone(),
        };
        (old, new)
    }

    /// The input, with all that either version asked for.
    fn test(&mut self, node: &Node, values: &Assignment) -> Test {
        let old = upshot_explore::test_of(&self.pair.old, &node.old, values);
        let Some(state) = &node.new else { return old };
        let new = self.pair.with_new(|machine| upshot_explore::test_of(machine, state, values));
        describe::union(new, &old)
    }

    fn conditions(&mut self, node: &Node, extra: &[TermId], inside: Option<&Assignment>) -> Vec<String> {
        let data = node.facts.iter().filter_map(|fact| match fact {
            Fact::Data(condition) => Some(*condition),
            Fact::Pointer => None,
        });
        let data: Vec<TermId> = data.chain(extra.iter().copied()).collect();
        let data = match inside {
            Some(values) if data.iter().all(|&condition| values.eval_bool(&self.pair.old.terms, condition)) => {
                self.needed(data, values)
            }
            _ => data,
        };
        describe::conditions(&self.pair.old.terms, node.new.as_ref().unwrap_or(&node.old), &data)
    }

    /// The conditions without those that follow from the others, where they are few. `values` satisfies them all.
    fn needed(&mut self, conditions: Vec<TermId>, values: &Assignment) -> Vec<TermId> {
        let conditions = without_settled(&mut self.pair.old.terms, conditions);
        if conditions.len() > MOST_CONDITIONS {
            return conditions;
        }
        let mut needed = conditions;
        let mut at = 0;
        while at < needed.len() {
            let mut others = PathCondition::default();
            let terms = &mut self.pair.old.terms;
            for (_, &other) in needed.iter().enumerate().filter(|(number, _)| *number != at) {
                others.push(terms, other);
            }
            let not = terms.not(needed[at]);
            match self.solver.check(terms, &others, values, not) {
                Answer::Unsat => drop(needed.remove(at)),
                _ => at += 1,
            }
        }
        needed
    }

    /// The share of all inputs that a partition is.
    fn share(&mut self, node: &Node, extra: &[TermId]) -> (f64, f64) {
        let data = node.facts.iter().filter_map(|fact| match fact {
            Fact::Data(condition) => Some(*condition),
            Fact::Pointer => None,
        });
        let conditions: Vec<TermId> = data.chain(extra.iter().copied()).collect();
        let state = node.new.as_ref().unwrap_or(&node.old);
        let is_of_pointer = |var: Var| {
            state.pointers().iter().any(|pointer| {
                state.inputs()[pointer.holder].symbol == var.symbol
                    && (pointer.offset..pointer.offset + 8).contains(&var.offset)
            })
        };
        crate::share::of(&mut self.pair.old.terms, &conditions, node.weight, is_of_pointer)
    }
}

/// An input that both versions ask for, but of different sizes.
fn name_clash(old: &State, new: &State) -> Option<String> {
    let differs = |name: &str, symbol| new.inputs().iter().any(|other| other.name == name && other.symbol != symbol);
    old.inputs().iter().find(|input| differs(&input.name, input.symbol)).map(|input| input.name.clone())
}

/// The conditions without those over input bytes that an equality among them fixes: they hold where it does, since all of them hold for some input.
fn without_settled(terms: &mut Terms, mut conditions: Vec<TermId>) -> Vec<TermId> {
    let mut at = 0;
    while at < conditions.len() {
        let fixing = conditions[at];
        if let Operation::Eq(input, value) = terms.node(fixing)
            && terms.as_const(value).is_some()
            && is_input(terms, input)
        {
            let fixed = terms.support(input);
            conditions.retain(|&other| {
                other == fixing
                    || terms.support(other).is_empty()
                    || !terms.support(other).iter().all(|var| fixed.contains(var))
            });
            at = conditions.iter().position(|&condition| condition == fixing).unwrap_or(at);
        }
        at += 1;
    }
    conditions
}

/// Whether the term is bytes of the input, as they are.
fn is_input(terms: &Terms, term: TermId) -> bool {
    match terms.node(term) {
        Operation::Byte { .. } => true,
        Operation::Concat(high, low) => is_input(terms, high) && is_input(terms, low),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_equality_settles_is_not_told() {
        let mut terms = Terms::new();
        let (x, y) = (terms.symbol("x", 1), terms.symbol("y", 1));
        let (x, y) = (terms.byte(x, 0), terms.byte(y, 0));
        let [five, nine] = [5, 9].map(|value| terms.constant(8, value));
        let is_five = terms.eq(x, five);
        let [below, related, other] = [terms.ult(x, nine), terms.ult(x, y), terms.ult(y, nine)];
        let told = without_settled(&mut terms, vec![below, is_five, related, other]);
        assert_eq!(told, [is_five, related, other]);
    }
}
