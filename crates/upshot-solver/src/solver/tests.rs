//! The whole stack: against a bare Z3, with each layer off in turn, after any history, and under every limit.

use std::sync::atomic::Ordering;
use std::time::Duration;

use proptest::prelude::*;
use upshot_expr::{BinOp, FloatBinOp, FloatFormat, FloatPredicate, FloatUnOp, IntPredicate};

use super::*;
use crate::options::Layers;
use crate::random_terms::{Generator, Shape};

const INTEGERS: Shape = Shape { bytes: 4, widest: 64, floats: false, arrays: true, widest_product: 9 };

fn solver(options: Options) -> Solver {
    Solver::new(options).expect("Z3")
}

/// A walk along a random path: each condition is asked about, then it or its negation, whichever the model says, is added.
fn walk(generator: &mut Generator, solver: &mut Solver, steps: usize, depth: u32) -> Vec<bool> {
    let (mut path, mut model) = (PathCondition::new(), Assignment::new());
    let mut answers = Vec::new();
    for _ in 0..steps {
        let condition = generator.term(1, depth);
        let terms = &mut generator.terms;
        let negation = terms.not(condition);
        let (holds, other) =
            if model.eval_bool(terms, condition) { (condition, negation) } else { (negation, condition) };
        match solver.check(terms, &path, &model, other) {
            Answer::Sat(changed) => {
                assert!(path.iter().chain([other]).all(|constraint| changed.eval_bool(terms, constraint)));
                answers.push(true);
                // Every second time, go the other way.
                if answers.len() % 2 == 0 {
                    path.push(terms, other);
                    model = changed;
                    continue;
                }
            }
            Answer::Unsat => answers.push(false),
            Answer::Unknown(reason) => panic!("{reason}"),
        }
        path.push(terms, holds);
    }
    let input = solver.canonical(&mut generator.terms, &path, &[]).expect("the model satisfies the path");
    assert!(path.iter().all(|constraint| input.eval_bool(&generator.terms, constraint)));
    answers
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_layer_agrees_with_z3(seed: u64, depth in 1u32..4) {
        let mut generator = Generator::new(seed, INTEGERS);
        let mut solver = solver(Options { cross_check: true, ..Options::default() });
        walk(&mut generator, &mut solver, 6, depth);
        prop_assert_eq!(solver.statistics().disagreements, 0);
    }

    #[test]
    fn floats_agree_with_z3(seed: u64) {
        let shape = Shape { bytes: 4, widest: 32, floats: true, arrays: false, widest_product: 9 };
        let mut generator = Generator::new(seed, shape);
        let options = Options { cross_check: true, timeout: Some(Duration::from_secs(20)), ..Options::default() };
        let mut solver = solver(options);
        let mut path = PathCondition::new();
        let condition = generator.term(1, 2);
        path.push(&mut generator.terms, condition);
        let _ = solver.check(&mut generator.terms, &PathCondition::new(), &Assignment::new(), condition);
        let _ = solver.canonical(&mut generator.terms, &path, &[]);
        prop_assert_eq!(solver.statistics().disagreements, 0);
    }

    #[test]
    fn an_answer_does_not_depend_on_the_layers_in_use(seed: u64, depth in 1u32..4) {
        let mut all = None;
        // Without Z3, what the SAT solver declines has no answer.
        for layer in Layer::ALL.into_iter().filter(|&layer| layer != Layer::Smt) {
            let options = Options { layers: Layers::all().without(layer), ..Options::default() };
            let answers = walk(&mut Generator::new(seed, INTEGERS), &mut solver(options), 5, depth);
            // The models found differ, so only the answers up to the first step that went the other way must agree.
            let first = answers[..2].to_vec();
            prop_assert_eq!(all.get_or_insert(first.clone()), &first, "without {}", layer.name());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// The same path in another arena, after other questions, by a solver that was used before: the same bytes.
    #[test]
    fn canonical_inputs_depend_on_the_path_alone(seed: u64, depth in 1u32..4) {
        let path_of = |generator: &mut Generator, start: &Assignment| {
            let mut path = PathCondition::new();
            for _ in 0..5 {
                let condition = generator.term(1, depth);
                let holds = start.eval_bool(&generator.terms, condition);
                let constraint = if holds { condition } else { generator.terms.not(condition) };
                path.push(&mut generator.terms, constraint);
            }
            path
        };
        let mut first = Generator::new(seed, INTEGERS);
        let start = first.assignment();
        let path = path_of(&mut first, &start);
        let expected = solver(Options::default()).canonical(&mut first.terms, &path, &[]).expect("an input");

        let mut second = Generator::new(seed, INTEGERS);
        let bytes = second.assignment().bytes(second.symbol, 4);
        let mut used = solver(Options::default());
        let mut noise = second.noise(seed ^ 1);
        walk(&mut noise, &mut used, 4, 2);
        let mut second = second.in_arena_of(noise);
        let mut start = Assignment::new();
        for (offset, byte) in (0..).zip(bytes) {
            start.set(second.symbol, offset, byte);
        }
        let path = path_of(&mut second, &start);
        let found = used.canonical(&mut second.terms, &path, &[]).expect("an input");
        prop_assert_eq!(expected.bytes(first.symbol, 4), found.bytes(second.symbol, 4));
    }
}

/// Bytes of a 32-bit number.
fn word(terms: &mut Terms, name: &str, bytes: u32) -> TermId {
    let symbol = terms.symbol(name, bytes);
    let first = terms.byte(symbol, 0);
    (1..bytes).fold(first, |low, offset| {
        let byte = terms.byte(symbol, offset);
        terms.concat(byte, low)
    })
}

/// Two numbers whose product is a large one with two prime factors: nobody finds them soon.
fn factoring(terms: &mut Terms) -> TermId {
    let (a, b) = (word(terms, "a", 8), word(terms, "b", 8));
    let (a, b) = (terms.zext(a, 128), terms.zext(b, 128));
    let product = terms.mul(a, b);
    let wanted = terms.constant(128, 0x9e37_79b9_7f4a_7c55 * 0xb504_f333_f9de_6497);
    let equal = terms.eq(product, wanted);
    let one = terms.constant(128, 1);
    let (proper_a, proper_b) = (terms.compare(IntPredicate::Ugt, a, one), terms.compare(IntPredicate::Ugt, b, one));
    let proper = terms.and(proper_a, proper_b);
    terms.and(equal, proper)
}

fn ask(options: Options) -> Answer {
    let mut terms = Terms::new();
    let condition = factoring(&mut terms);
    solver(options).check(&mut terms, &PathCondition::new(), &Assignment::new(), condition)
}

#[test]
fn a_time_limit_ends_a_question() {
    for layers in [Layers::all(), Layers::bare()] {
        let options = Options { timeout: Some(Duration::from_millis(300)), layers, ..Options::default() };
        assert!(matches!(ask(options), Answer::Unknown(UnknownReason::TimedOut)));
    }
    let options = Options { deadline: Some(Instant::now() + Duration::from_millis(300)), ..Options::default() };
    assert!(matches!(ask(options), Answer::Unknown(UnknownReason::TimedOut)));
}

#[test]
fn an_interrupt_ends_a_question() {
    let options = Options::default();
    let interrupt = options.interrupt.clone();
    let watcher = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        interrupt.store(true, Ordering::Relaxed);
    });
    assert!(matches!(ask(options), Answer::Unknown(UnknownReason::Interrupted)));
    watcher.join().expect("the watcher ends");
}

#[test]
fn a_budget_of_conflicts_ends_a_question() {
    let options = Options { conflicts: Some(100), ..Options::default() };
    assert!(matches!(ask(options), Answer::Unknown(UnknownReason::GaveUp(_))));
}

#[test]
fn a_canonical_input_is_bounded_too() {
    let mut terms = Terms::new();
    let mut path = PathCondition::new();
    let condition = factoring(&mut terms);
    path.push(&mut terms, condition);
    let options = Options { timeout: Some(Duration::from_millis(200)), ..Options::default() };
    let answer = solver(options).canonical(&mut terms, &path, &[]);
    assert_eq!(answer.map(|_| ()), Err(UnknownReason::TimedOut));
}

#[test]
fn preferences_are_met_in_order_where_they_can_be() {
    let mut terms = Terms::new();
    let symbol = terms.symbol("x", 1);
    let byte = terms.byte(symbol, 0);
    let mut is = |predicate, value| {
        let value = terms.constant(8, value);
        terms.compare(predicate, byte, value)
    };
    let below = is(IntPredicate::Ult, 50);
    let (impossible, printable, letter) =
        (is(IntPredicate::Eq, 77), is(IntPredicate::Uge, 32), is(IntPredicate::Ult, 20));
    let mut path = PathCondition::new();
    path.push(&mut terms, below);
    let mut solver = solver(Options::default());
    let plain = solver.canonical(&mut terms, &path, &[]).expect("an input");
    assert_eq!(plain.byte(symbol, 0), 0);
    let preferred = solver.canonical(&mut terms, &path, &[impossible, printable, letter]).expect("an input");
    assert_eq!(preferred.byte(symbol, 0), 32);
}

#[test]
fn what_reaches_z3_is_written_down() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut terms = Terms::new();
    let x = word(&mut terms, "x", 4);
    let two = terms.constant(32, u128::from(2f32.to_bits()));
    let condition = terms.float_compare(FloatPredicate(2), FloatFormat::F32, x, two);
    let log_queries = Some(folder.path().join("queries"));
    let options = Options { log_queries, layers: Layers::bare(), ..Options::default() };
    let answer = solver(options).check(&mut terms, &PathCondition::new(), &Assignment::new(), condition);
    assert!(answer.is_sat());
    let files: Vec<_> = std::fs::read_dir(folder.path().join("queries")).expect("the folder").collect();
    assert_eq!(files.len(), 1);
    let text = std::fs::read_to_string(files[0].as_ref().expect("a file").path()).expect("text");
    assert!(text.contains("(check-sat)"));
    let replayed = z3::Solver::new();
    replayed.from_string(text);
    assert_eq!(replayed.check(), z3::SatResult::Sat);
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let options = Options { log_queries: Some(file.path().join("queries")), ..Options::default() };
    assert!(matches!(Solver::new(options), Err(SolverError::LogFolder { .. })));
}

#[test]
fn deep_terms_do_not_overflow_the_stack() {
    let mut terms = Terms::without_simplifier();
    let symbol = terms.symbol("x", 2);
    let (a, b) = (terms.byte(symbol, 0), terms.byte(symbol, 1));
    let mut term = a;
    for _ in 0..30_000 {
        term = terms.bin(BinOp::Xor, term, b);
        term = terms.not(term);
    }
    let wanted = terms.constant(8, 77);
    let condition = terms.eq(term, wanted);
    let mut solver = solver(Options::default());
    let answer = solver.check(&mut terms, &PathCondition::new(), &Assignment::new(), condition);
    assert!(answer.is_sat());
    let mut path = PathCondition::new();
    path.push(&mut terms, condition);
    assert!(solver.canonical(&mut terms, &path, &[]).is_ok());
}

#[test]
fn questions_and_answers_are_counted() {
    let mut terms = Terms::new();
    let symbol = terms.symbol("x", 1);
    let byte = terms.byte(symbol, 0);
    let ten = terms.constant(8, 10);
    let condition = terms.compare(IntPredicate::Ugt, byte, ten);
    let mut solver = solver(Options::default());
    assert!(solver.check(&mut terms, &PathCondition::new(), &Assignment::new(), condition).is_sat());
    assert_eq!(solver.statistics().asked, 1);
    assert_eq!(solver.statistics().solved, 0);
    assert_eq!(solver.statistics().layer(Layer::Intervals).answered, 1);
}

#[test]
fn without_z3_what_no_other_layer_decides_is_unknown() {
    let mut terms = Terms::new();
    let x = word(&mut terms, "x", 4);
    let one = terms.constant(32, u128::from(1f32.to_bits()));
    let root = terms.float_un(FloatUnOp::Sqrt, FloatFormat::F32, x);
    let sum = terms.float_bin(FloatBinOp::Add, FloatFormat::F32, root, x);
    let condition = terms.float_compare(FloatPredicate(1), FloatFormat::F32, sum, one);
    for (layers, known) in [(Layers::all(), true), (Layers::all().without(Layer::Smt), false)] {
        // The ways to find an input by luck are off too.
        let options = Options { layers: layers.without(Layer::Repair).without(Layer::Intervals), ..Options::default() };
        let mut solver = solver(options);
        let answer = solver.check(&mut terms, &PathCondition::new(), &Assignment::new(), condition);
        assert_eq!(!matches!(answer, Answer::Unknown(_)), known);
        assert_eq!(solver.statistics().layer(Layer::Smt).asked, u64::from(known));
        assert_eq!(solver.statistics().unknown, u64::from(!known));
    }
}
