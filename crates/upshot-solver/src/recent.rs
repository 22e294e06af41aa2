//! The models found last, tried on the next question. Questions come in bursts about neighbouring paths, so an input that was found
//! for one often fits another; and a model remembers the values of terms, so trying it again is cheap.

use std::collections::VecDeque;

use upshot_expr::Assignment;

use crate::query::{Query, Verdict};

/// Models kept. More find little more, and each costs an evaluation per question.
const KEPT: usize = 8;

#[derive(Debug, Default)]
pub(crate) struct RecentModels {
    models: VecDeque<Assignment>,
}

impl RecentModels {
    pub(crate) fn answer(&mut self, query: &Query) -> Option<Verdict> {
        let position = self.models.iter().position(|model| query.is_satisfied_by(model))?;
        let model = self.models.remove(position)?;
        let bytes = query.vars().map(|var| (var, model.byte(var.symbol, var.offset)));
        let answer = Verdict::Sat(query.changed_model(bytes));
        self.models.push_front(model);
        Some(answer)
    }

    pub(crate) fn learn(&mut self, verdict: &Verdict) {
        if let Verdict::Sat(model) = verdict {
            self.models.truncate(KEPT - 1);
            self.models.push_front(model.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use upshot_expr::{IntPredicate, Terms};

    use super::*;
    use crate::path::PathCondition;

    #[test]
    fn a_model_that_fits_changes_only_what_the_question_is_about() {
        let mut terms = Terms::new();
        let symbol = terms.symbol("x", 2);
        let byte = terms.byte(symbol, 0);
        let seven = terms.constant(8, 7);
        let (condition, path) = (terms.compare(IntPredicate::Ugt, byte, seven), PathCondition::new());
        let (model, mut found) = (Assignment::new(), Assignment::new());
        found.set(symbol, 0, 9);
        found.set(symbol, 1, 9);
        let mut recent = RecentModels::default();
        let query = Query::new(&mut terms, &path, &model, condition, true);
        assert!(recent.answer(&query).is_none());
        recent.learn(&Verdict::Sat(found));
        match recent.answer(&query) {
            Some(Verdict::Sat(input)) => assert_eq!((input.byte(symbol, 0), input.byte(symbol, 1)), (9, 0)),
            other => panic!("{other:?}"),
        }
    }
}
