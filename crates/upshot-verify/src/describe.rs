//! Partitions in plain values: conditions in C, what the versions do, the input.

use upshot_exec::{Machine, PathEnd, State};
use upshot_explore::{Target, Test};
use upshot_expr::{Assignment, TermId, Terms};

use crate::partition::Shown;
use crate::search::pointer_facts;

/// Text longer than this says nothing to anybody.
const LONGEST: usize = 400;

pub(crate) fn term(terms: &Terms, term: TermId) -> String {
    let text = terms.display(term).to_string();
    if text.len() <= LONGEST {
        return text;
    }
    let cut = (0..=LONGEST).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    format!("{} …", &text[..cut])
}

/// What input pointers are, then these conditions, each once.
pub(crate) fn conditions(terms: &Terms, state: &State, data: &[TermId]) -> Vec<String> {
    let mut texts = pointer_facts(state);
    let wanted = data.iter().filter(|&&condition| !terms.is_true(condition));
    texts.extend(wanted.map(|&condition| terms.display(condition).to_string()));
    let mut seen = std::collections::HashSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    texts
}

pub(crate) fn shown(
    machine: &mut Machine<'_>,
    state: &State,
    end: Option<&PathEnd>,
    values: &Assignment,
    effects: Vec<(String, String, u128)>,
) -> Shown {
    let silent = PathEnd::Silent;
    let end = end.unwrap_or(&silent);
    let unknown = upshot_explore::unknown_symbols(state);
    let returned_term = match end {
        PathEnd::Returned(results) => results.first().filter(|value| !value.is_unwritten()).and_then(|value| {
            let width = machine.result_scalars(state).first()?.width();
            let whole = value.to_term(&mut machine.terms, width);
            Some(term(&machine.terms, whole))
        }),
        _ => None,
    };
    Shown {
        end: upshot_explore::end_of(machine, end, Some(values)),
        returned_term,
        returned: upshot_explore::returned_of(machine, state, end, values, &unknown),
        stdout: upshot_explore::output_of(machine, state, values, 1),
        stderr: upshot_explore::output_of(machine, state, values, 2),
        effects,
        marks: state.sequence().marks().collect(),
    }
}

/// An input for both versions: what only the old one asked for is added.
pub(crate) fn union(mut new: Test, old: &Test) -> Test {
    let mut places = Vec::new();
    for object in &old.objects {
        let known = new.objects.iter().position(|other| other.name == object.name);
        places.push(known.unwrap_or_else(|| {
            new.objects.push(upshot_explore::TestObject { ty: None, ..object.clone() });
            new.objects.len() - 1
        }) as u32);
    }
    for pointer in &old.pointers {
        let object = places[pointer.object as usize];
        if new.pointers.iter().any(|other| (other.object, other.offset) == (object, pointer.offset)) {
            continue;
        }
        let target = match pointer.target {
            Target::Object(index) => Target::Object(places[index as usize]),
            other => other,
        };
        new.pointers.push(upshot_explore::TestPointer { object, offset: pointer.offset, target });
    }
    new
}
