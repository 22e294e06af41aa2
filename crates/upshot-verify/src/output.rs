//! What went to a stream, compared piece by piece.
//!
//! Pieces of a known length are single bytes; a printf conversion of a symbolic value is one piece of unknown length. Where both versions have the same pieces in the
//! same places, equal values give equal text. The reverse holds only where a conversion is one-to-one and nothing else could make up for it: there the difference
//! is exact, elsewhere it is left open.

use std::collections::BTreeSet;

use upshot_exec::{Output, Piece};
use upshot_expr::{TermId, Terms};

use crate::observe::{Comparison, Doubt};

#[derive(Clone, Debug, PartialEq)]
enum Unit {
    Byte(TermId),
    /// Of unknown length: how, and of what.
    Text(String, Vec<TermId>),
}

pub(crate) fn compare(terms: &mut Terms, old: &[Output], new: &[Output]) -> Comparison {
    let mut found = Comparison::default();
    let streams: BTreeSet<u32> = old.iter().chain(new).map(|output| output.stream).collect();
    for stream in streams {
        let what = match stream {
            1 => "stdout".to_string(),
            2 => "stderr".to_string(),
            other => format!("descriptor {other}"),
        };
        let (a, b) = (units(terms, old, stream), units(terms, new, stream));
        compare_stream(terms, &what, &a, &b, &mut found);
    }
    found
}

fn units(terms: &mut Terms, outputs: &[Output], stream: u32) -> Vec<Unit> {
    let mut units = Vec::new();
    for output in outputs.iter().filter(|output| output.stream == stream) {
        match &output.piece {
            Piece::Bytes(bytes) => {
                units.extend(bytes.iter().map(|&byte| Unit::Byte(terms.constant(8, u128::from(byte)))));
            }
            Piece::Byte(term) => units.push(Unit::Byte(*term)),
            Piece::Text { conversion, bytes } => units.push(Unit::Text(conversion.clone(), bytes.clone())),
            Piece::Formatted { conversion, value } if conversion == "%c" => {
                units.push(Unit::Byte(terms.trunc(*value, 8)))
            }
            Piece::Formatted { conversion, value } => units.push(Unit::Text(conversion.clone(), vec![*value])),
        }
    }
    units
}

fn compare_stream(terms: &mut Terms, what: &str, old: &[Unit], new: &[Unit], found: &mut Comparison) {
    let always = terms.bool(true);
    let is_plain = |units: &[Unit]| units.iter().all(|unit| matches!(unit, Unit::Byte(_)));
    if old.len() != new.len() && is_plain(old) && is_plain(new) {
        found.exact.push(Doubt { what: what.to_string(), condition: always, values: None });
        return;
    }
    let Some(parted) = parts(terms, old, new) else {
        found.open.push(Doubt {
            what: format!("what goes to {what} is put together in another way"),
            condition: always,
            values: None,
        });
        return;
    };
    let texts = parted.iter().filter(|part| part.is_text).count();
    for part in parted {
        // Two pieces of unknown length may differ and still make up the same text.
        let is_exact = if part.is_text { part.is_one_to_one && texts == 1 && is_alone(old, new) } else { texts == 0 };
        let what = if is_exact { what.to_string() } else { format!("numbers that go to {what} differ") };
        let doubt = Doubt { what, condition: part.condition, values: None };
        if is_exact { found.exact.push(doubt) } else { found.open.push(doubt) }
    }
}

struct Part {
    condition: TermId,
    is_text: bool,
    is_one_to_one: bool,
}

/// Where two streams of the same make may differ; `None` if they are not of the same make.
fn parts(terms: &mut Terms, old: &[Unit], new: &[Unit]) -> Option<Vec<Part>> {
    if old.len() != new.len() {
        return None;
    }
    let mut parts = Vec::new();
    for (a, b) in old.iter().zip(new) {
        match (a, b) {
            (Unit::Byte(a), Unit::Byte(b)) => {
                if a != b {
                    parts.push(Part { condition: terms.ne(*a, *b), is_text: false, is_one_to_one: true });
                }
            }
            (Unit::Text(how, a), Unit::Text(other, b)) if how == other && a.len() == b.len() => {
                let mut condition = terms.bool(false);
                for (&a, &b) in a.iter().zip(b) {
                    if terms.width(a) != terms.width(b) {
                        return None;
                    }
                    let differs = terms.ne(a, b);
                    condition = terms.or(condition, differs);
                }
                if !terms.is_false(condition) {
                    parts.push(Part {
                        condition,
                        is_text: true,
                        is_one_to_one: a.len() == 1 && is_one_to_one(how, terms.width(a[0])),
                    });
                }
            }
            _ => return None,
        }
    }
    Some(parts)
}

/// Whether at most one piece is not the same in both.
fn is_alone(old: &[Unit], new: &[Unit]) -> bool {
    old.iter().zip(new).filter(|(a, b)| a != b).count() == 1
}

/// Whether different numbers always give different text: plain integers, printed in full.
fn is_one_to_one(conversion: &str, width: u8) -> bool {
    let letter = conversion.chars().last();
    let is_long = conversion.contains(['l', 'j', 'z', 't']);
    let is_cut = conversion.contains('h') || conversion.contains('.');
    matches!(letter, Some('d' | 'i' | 'u' | 'x' | 'X' | 'o')) && !is_cut && (is_long || width <= 32)
}
