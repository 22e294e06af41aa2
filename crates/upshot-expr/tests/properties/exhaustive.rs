//! Everything there is at a width of three bits: every operator with every constant on either side, around every other one,
//! compared with every constant; and every pair of comparisons joined by logic. Checked for every input.

use upshot_expr::*;

use crate::recipe::{BIN_OPS, PREDICATES};

const WIDTH: u8 = 3;

/// The same terms in an arena that simplifies and in one that does not.
struct Twins {
    simple: Terms,
    plain: Terms,
    inputs: Vec<(Assignment, Assignment)>,
}

type Twin = (TermId, TermId);

impl Twins {
    fn new() -> Twins {
        let (mut simple, mut plain) = (Terms::new(), Terms::without_simplifier());
        let (left, right) = (simple.symbol("x", 1), plain.symbol("x", 1));
        let inputs = (0..1 << WIDTH)
            .map(|value| {
                let (mut a, mut b) = (Assignment::new(), Assignment::new());
                a.set(left, 0, value);
                b.set(right, 0, value);
                (a, b)
            })
            .collect();
        Twins { simple, plain, inputs }
    }

    fn both(&mut self, build: impl Fn(&mut Terms, TermId) -> TermId, twin: Twin) -> Twin {
        (build(&mut self.simple, twin.0), build(&mut self.plain, twin.1))
    }

    /// The lowest three bits of the input.
    fn variable(&mut self) -> Twin {
        let make = |terms: &mut Terms| {
            let symbol = terms.symbol("x", 1);
            let byte = terms.byte(symbol, 0);
            terms.trunc(byte, WIDTH)
        };
        (make(&mut self.simple), make(&mut self.plain))
    }

    #[track_caller]
    fn check(&self, twin: Twin) {
        assert_eq!(self.simple.width(twin.0), self.plain.width(twin.1));
        for (value, (a, b)) in self.inputs.iter().enumerate() {
            assert_eq!(
                a.eval(&self.simple, twin.0),
                b.eval(&self.plain, twin.1),
                "x = {value}: {} for {}",
                self.simple.display(twin.0),
                self.plain.display(twin.1)
            );
        }
    }

    /// The term inside every operator with every constant, and every other way to make one term of one.
    fn around(&mut self, twin: Twin, visit: &mut dyn FnMut(&mut Twins, Twin)) {
        let width = self.simple.width(twin.0);
        for op in BIN_OPS {
            for value in 0..1u128 << WIDTH {
                // Also constants above the three bits, where the width allows them.
                for value in [value, value << (width - WIDTH)] {
                    let left = self.both(|terms, term| with_constant(terms, op, term, value, false), twin);
                    visit(self, left);
                    let right = self.both(|terms, term| with_constant(terms, op, term, value, true), twin);
                    visit(self, right);
                    if width == WIDTH {
                        break;
                    }
                }
            }
            let itself = self.both(|terms, term| terms.bin(op, term, term), twin);
            visit(self, itself);
        }
        let unary: [fn(&mut Terms, TermId) -> TermId; 8] = [
            |terms, term| terms.not(term),
            |terms, term| terms.neg(term),
            |terms, term| terms.zext(term, 5),
            |terms, term| terms.sext(term, 5),
            |terms, term| {
                let low = terms.constant(2, 2);
                terms.concat(term, low)
            },
            |terms, term| {
                let high = terms.constant(2, 1);
                terms.concat(high, term)
            },
            |terms, term| {
                let low = terms.trunc(term, WIDTH - 1);
                terms.sext(low, 5)
            },
            |terms, term| {
                let high = terms.extract(term, 1, WIDTH - 1);
                terms.zext(high, 5)
            },
        ];
        for build in unary {
            if width == WIDTH {
                let made = self.both(build, twin);
                visit(self, made);
            }
        }
    }

    /// The term compared with every constant.
    fn comparisons(&mut self, twin: Twin) -> Vec<Twin> {
        let width = self.simple.width(twin.0);
        let mut made = Vec::new();
        for predicate in PREDICATES {
            for value in 0..1u128 << width {
                let build = |terms: &mut Terms, term| {
                    let value = terms.constant(width, value);
                    terms.compare(predicate, term, value)
                };
                made.push(self.both(build, twin));
            }
        }
        made
    }
}

fn with_constant(terms: &mut Terms, op: BinOp, term: TermId, value: u128, first: bool) -> TermId {
    let value = terms.constant(terms.width(term), value);
    if first { terms.bin(op, value, term) } else { terms.bin(op, term, value) }
}

#[test]
fn operators_around_operators() {
    let mut twins = Twins::new();
    let variable = twins.variable();
    twins.around(variable, &mut |twins, inner| {
        twins.check(inner);
        twins.around(inner, &mut |twins, outer| twins.check(outer));
    });
}

#[test]
fn comparisons_of_operators() {
    let mut twins = Twins::new();
    let variable = twins.variable();
    twins.around(variable, &mut |twins, inner| {
        for comparison in twins.comparisons(inner) {
            twins.check(comparison);
        }
        // And with the variable itself, on either side.
        if twins.simple.width(inner.0) == WIDTH {
            for predicate in PREDICATES {
                let pair = (
                    twins.simple.compare(predicate, inner.0, variable.0),
                    twins.plain.compare(predicate, inner.1, variable.1),
                );
                twins.check(pair);
                let pair = (
                    twins.simple.compare(predicate, variable.0, inner.0),
                    twins.plain.compare(predicate, variable.1, inner.1),
                );
                twins.check(pair);
            }
        }
    });
}

#[test]
fn logic_of_comparisons() {
    let mut twins = Twins::new();
    let variable = twins.variable();
    let comparisons = twins.comparisons(variable);
    for &(a, plain_a) in &comparisons {
        for &(b, plain_b) in &comparisons {
            for op in [BinOp::And, BinOp::Or, BinOp::Xor] {
                let joined = (twins.simple.bin(op, a, b), twins.plain.bin(op, plain_a, plain_b));
                twins.check(joined);
            }
        }
        for value in 0..1u128 << WIDTH {
            for swapped in [false, true] {
                let choose = |terms: &mut Terms, condition, term| {
                    let value = terms.constant(WIDTH, value);
                    if swapped { terms.ite(condition, value, term) } else { terms.ite(condition, term, value) }
                };
                let chosen = (choose(&mut twins.simple, a, variable.0), choose(&mut twins.plain, plain_a, variable.1));
                twins.check(chosen);
            }
        }
    }
}

/// Two variables of two bits: every operator of both, around every other, and comparisons of what that gives.
#[test]
fn operators_of_two_variables() {
    let (mut simple, mut plain) = (Terms::new(), Terms::without_simplifier());
    let leaves = |terms: &mut Terms| -> Vec<TermId> {
        let symbol = terms.symbol("x", 1);
        let byte = terms.byte(symbol, 0);
        let mut leaves = vec![terms.extract(byte, 0, 2), terms.extract(byte, 4, 2)];
        leaves.extend((0..4).map(|value| terms.constant(2, value)));
        leaves
    };
    let (left, right) = (leaves(&mut simple), leaves(&mut plain));
    let inputs: Vec<u8> = (0..16).map(|value| (value & 3) | (value & 12) << 2).collect();
    let mut twins = Twins { simple, plain, inputs: Vec::new() };
    let symbols = (twins.simple.symbol("x", 1), twins.plain.symbol("x", 1));
    for value in inputs {
        let (mut a, mut b) = (Assignment::new(), Assignment::new());
        a.set(symbols.0, 0, value);
        b.set(symbols.1, 0, value);
        twins.inputs.push((a, b));
    }
    let leaves: Vec<Twin> = left.into_iter().zip(right).collect();
    let mut terms = leaves.clone();
    for op in BIN_OPS {
        for &(a, plain_a) in &leaves {
            for &(b, plain_b) in &leaves {
                terms.push((twins.simple.bin(op, a, b), twins.plain.bin(op, plain_a, plain_b)));
            }
        }
    }
    for (position, &(a, plain_a)) in terms.iter().enumerate() {
        twins.check((a, plain_a));
        for &(b, plain_b) in &leaves {
            for op in BIN_OPS {
                let (first, second) = (twins.simple.bin(op, a, b), twins.simple.bin(op, b, a));
                let plain = (twins.plain.bin(op, plain_a, plain_b), twins.plain.bin(op, plain_b, plain_a));
                twins.check((first, plain.0));
                twins.check((second, plain.1));
            }
        }
        for &(b, plain_b) in terms.iter().skip(position % 5).step_by(5) {
            for predicate in [IntPredicate::Eq, IntPredicate::Ult, IntPredicate::Slt] {
                let comparison = twins.simple.compare(predicate, a, b);
                let plain = twins.plain.compare(predicate, plain_a, plain_b);
                twins.check((comparison, plain));
            }
        }
    }
}

/// Sums of multiples of a dividend, of its remainder, and of its quotient times the divisor: all of them, of two variables and with
/// each constant as the divisor, as they are and extended.
#[test]
fn quotients_and_remainders_in_sums() {
    let mut twins = Twins { inputs: Vec::new(), ..Twins::new() };
    let symbols = (twins.simple.symbol("x", 1), twins.plain.symbol("x", 1));
    for value in 0..1 << (2 * WIDTH) {
        let (mut a, mut b) = (Assignment::new(), Assignment::new());
        a.set(symbols.0, 0, value);
        b.set(symbols.1, 0, value);
        twins.inputs.push((a, b));
    }
    for divisor in 0..=1u128 << WIDTH {
        for (width, signed) in [(WIDTH, false), (5, false), (5, true)] {
            for (quotient, remainder) in [(BinOp::UDiv, BinOp::URem), (BinOp::SDiv, BinOp::SRem)] {
                for factors in 0..5u128.pow(3) {
                    let build = |terms: &mut Terms| {
                        let symbol = terms.symbol("x", 1);
                        let byte = terms.byte(symbol, 0);
                        let (x, y) = (terms.extract(byte, 0, WIDTH), terms.extract(byte, WIDTH, WIDTH));
                        let y = if divisor == 1 << WIDTH { y } else { terms.constant(WIDTH, divisor) };
                        let (whole, rest) = (terms.bin(quotient, x, y), terms.bin(remainder, x, y));
                        let [x, y, whole, rest] = [x, y, whole, rest].map(|term| terms.resize(term, width, signed));
                        let product = terms.mul(whole, y);
                        let parts = [(x, 1), (rest, 5), (product, 25)].map(|(term, place)| {
                            let factor = terms.constant(width, (factors / place % 5).wrapping_sub(2));
                            terms.mul(term, factor)
                        });
                        let sum = terms.add(parts[2], parts[0]);
                        terms.add(parts[1], sum)
                    };
                    let twin = (build(&mut twins.simple), build(&mut twins.plain));
                    twins.check(twin);
                }
            }
        }
    }
}
