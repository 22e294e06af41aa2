//! What is known of a path once it has ended: plain values, with no term or state in them, so that they can leave the worker.

use std::collections::HashSet;

use upshot_exec::{
    ErrorKind, InputKind, Machine, PathEnd, Piece, PointerTarget, Sequence, State, Trace, Value, Visited,
};
use upshot_expr::{Assignment, Sources, SymbolId, TermId};
use upshot_ir::{CTypeId, Location};

use crate::path::Path;

/// One object of a test.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TestObject {
    pub name: String,
    pub bytes: Vec<u8>,
    /// The C type, where it is known; of one element, for memory behind a pointer.
    pub ty: Option<CTypeId>,
}

/// A pointer inside a test object: where it is and what it points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TestPointer {
    pub object: u32,
    pub offset: u32,
    pub target: Target,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Target {
    Null,
    /// The start of object number so-and-so.
    Object(u32),
    /// A function that is not known.
    Function,
}

/// A concrete input.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Test {
    pub objects: Vec<TestObject>,
    pub pointers: Vec<TestPointer>,
}

/// A frame of an error's stack, in source terms.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Frame {
    pub function: String,
    pub location: Location,
}

/// How the path ended.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum End {
    Returned(Option<u128>),
    Exited(Option<u128>),
    Error {
        kind: ErrorKind,
        message: String,
        function: String,
        location: Location,
        stack: Vec<Frame>,
        null_input: Option<String>,
    },
    Bound(upshot_exec::Bound),
    Unsupported {
        what: String,
        location: Location,
    },
    Unknown {
        why: String,
        location: Location,
    },
    Silent,
}

impl End {
    /// The word that counts use.
    pub fn word(&self) -> &'static str {
        match self {
            End::Returned(_) | End::Exited(_) => "finished",
            End::Error { .. } => "error",
            End::Bound(_) => "bound",
            End::Unsupported { .. } => "unsupported",
            End::Unknown { .. } => "unknown",
            End::Silent => "silent",
        }
    }

    /// Errors of the same kind at the same place are one finding.
    pub fn place(&self) -> Option<(ErrorKind, Location, String)> {
        match self {
            End::Error { kind, location, function, null_input, .. } => {
                let place = Location { column: 0, ..*location };
                let function = if location.is_known() { "" } else { function };
                // A null argument is the caller's doing: it must not hide what else is wrong at the place.
                Some((*kind, place, format!("{function} {}", null_input.as_deref().unwrap_or_default())))
            }
            _ => None,
        }
    }
}

/// How a path runs through impacted code.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Affected {
    /// Stands for the impacted instructions that it executes, in order, repeats included, and for an error that ends it there.
    pub sequence: u128,
    /// How many they are.
    pub length: u64,
    /// Which, by mark.
    pub marks: Vec<u32>,
    /// The path condition in C, as far as impacted code could still be reached.
    pub condition: Vec<String>,
}

/// A path that has ended.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct PathRecord {
    pub path: Path,
    pub end: End,
    /// `None` where the path gets no test.
    pub test: Option<Test>,
    /// The number under which the test was [kept](crate::Keep) by whoever found it just now.
    #[serde(skip)]
    pub kept: Option<u64>,
    /// What went to stdout and stderr for the test's values. `None` without a test.
    pub stdout: Option<Vec<u8>>,
    pub stderr: Option<Vec<u8>>,
    pub trace: Trace,
    /// Instructions from the start of the program.
    pub instructions: u64,
    /// What the entry returned: the bytes of its scalars one after the other, or of the struct it returned through memory. `None` for
    /// bytes that no test controls.
    pub returned: Option<Vec<Option<u8>>>,
    /// What a directed search has found on it.
    pub affected: Option<Affected>,
    /// What the program told the one who runs it.
    pub remarks: Vec<String>,
    /// Something on the path may depend on memory that was never written, on where objects lie, or on another value that no test controls.
    pub uncontrolled: bool,
    /// With the values of the test, it does.
    pub uncontrolled_test: bool,
    /// The blocks it has been in.
    pub visited: Visited,
    /// Questions that were asked about other sides of its decisions, by the first path that came by them.
    pub asked: u64,
    /// The test is that of a [known path](crate::KnownPath).
    pub seed: Option<SeedUse>,
}

/// The use of a known test.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SeedUse {
    /// The position of its path.
    pub number: usize,
    /// Inputs that it does not have, or has in another size.
    pub misfits: Vec<String>,
}

/// The impacted instructions that a path came by. Where the last one failed, that is part of it: an impacted instruction that fails is not one that does not.
pub(crate) fn sequence_of(machine: &Machine<'_>, state: &State, end: &End) -> Sequence {
    let mut sequence = state.sequence().clone();
    if let End::Error { kind, location, .. } = end
        && machine.at_mark(state)
    {
        let name = kind.name().bytes().fold(0u128, |hash, byte| hash << 8 | u128::from(byte));
        sequence.mix(name << 32 | u128::from(location.line));
    }
    sequence
}

/// The values of a test, from an assignment that satisfies the path.
pub fn test_of(machine: &Machine<'_>, state: &State, assignment: &Assignment) -> Test {
    let mut test = Test::default();
    // Where each input went: what no test controls is left out.
    let mut positions = Vec::new();
    for input in state.inputs() {
        positions.push(test.objects.len() as u32);
        if input.kind == InputKind::Given {
            let bytes = assignment.bytes(input.symbol, input.size);
            test.objects.push(TestObject { name: input.name.clone(), bytes, ty: input.ty });
        }
    }
    for pointer in state.pointers() {
        let object = positions[pointer.holder];
        let target = match pointer.resolved {
            Some(PointerTarget::Null) => Target::Null,
            Some(PointerTarget::Function { .. }) => Target::Function,
            Some(PointerTarget::Object { input, .. }) => Target::Object(positions[input]),
            None if assignment.eval(&machine.terms, pointer.term) == 0 => Target::Null,
            None => unread_target(machine, &mut test, pointer),
        };
        let holder = &mut test.objects[object as usize].bytes;
        let at = pointer.offset as usize;
        holder[at..at + 8].fill(0);
        test.pointers.push(TestPointer { object, offset: pointer.offset, target });
    }
    test
}

/// A pointer that must not be null but was never followed: to an object whose content does not matter.
fn unread_target(machine: &Machine<'_>, test: &mut Test, pointer: &upshot_exec::InputPointer) -> Target {
    match machine.pointee_size(pointer.target) {
        None => Target::Function,
        Some(size) => {
            let name = format!("*{}", pointer.name);
            test.objects.push(TestObject { name, bytes: vec![0; size as usize], ty: Some(pointer.target) });
            Target::Object(test.objects.len() as u32 - 1)
        }
    }
}

/// What a stream received, for the values of an assignment.
pub fn output_of(machine: &Machine<'_>, state: &State, assignment: &Assignment, stream: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for output in state.output().iter().filter(|output| output.stream == stream) {
        match &output.piece {
            Piece::Bytes(plain) => bytes.extend(plain),
            Piece::Byte(term) => bytes.push(assignment.eval(&machine.terms, *term) as u8),
            Piece::Text { conversion, bytes: text } => {
                let text: Vec<u8> = text.iter().map(|&term| assignment.eval(&machine.terms, term) as u8).collect();
                bytes.extend(upshot_exec::format_text(conversion, &text));
            }
            Piece::Formatted { conversion, value } => {
                let width = machine.terms.width(*value);
                let value = assignment.eval(&machine.terms, *value);
                bytes.extend(upshot_exec::format_conversion(conversion, value, width));
            }
        }
    }
    bytes
}

/// What no test controls: memory never written, and the like.
pub fn unknown_symbols(state: &State) -> HashSet<SymbolId> {
    let unknown = state.inputs().iter().filter(|input| input.kind == InputKind::Unknown);
    unknown.map(|input| input.symbol).collect()
}

/// The bytes that the entry returned; `None` for those that depend on one of the `unknown` symbols, or were never written.
pub fn returned_of(
    machine: &mut Machine<'_>,
    state: &State,
    end: &PathEnd,
    assignment: &Assignment,
    unknown: &HashSet<SymbolId>,
) -> Option<Vec<Option<u8>>> {
    let PathEnd::Returned(values) = end else { return None };
    let bytes = match machine.returned_struct(state) {
        Some(bytes) => bytes,
        None => scalar_bytes(machine, state, values),
    };
    let known = |term: &TermId| {
        unknown.is_empty()
            || !assignment.draws_on(&machine.terms, *term, Sources::All, |var| unknown.contains(&var.symbol))
    };
    let value = |term: Option<TermId>| term.filter(known).map(|term| assignment.eval(&machine.terms, term) as u8);
    Some(bytes.into_iter().map(value).collect())
}

/// The bytes of scalars, one after the other, as terms.
fn scalar_bytes(machine: &mut Machine<'_>, state: &State, values: &[Value]) -> Vec<Option<TermId>> {
    let mut bytes = Vec::new();
    for (value, scalar) in values.iter().zip(machine.result_scalars(state)) {
        let size = scalar.store_size() as u8;
        if value.is_unwritten() {
            bytes.extend((0..size).map(|_| None));
            continue;
        }
        let terms = &mut machine.terms;
        let whole = value.to_term(terms, scalar.width());
        let whole = terms.zext(whole, 8 * size);
        bytes.extend((0..size).map(|byte| Some(terms.extract(whole, 8 * byte, 8))));
    }
    bytes
}

/// The end in plain values.
pub fn end_of(machine: &Machine<'_>, end: &PathEnd, assignment: Option<&Assignment>) -> End {
    let program = machine.program();
    let value_of = |value: &upshot_exec::Value| match value.as_term() {
        Some(term) => assignment.map(|assignment| assignment.eval(&machine.terms, term)),
        None if value.is_unwritten() => None,
        None => value.as_concrete(128),
    };
    match end {
        PathEnd::Returned(values) => End::Returned(values.first().and_then(value_of)),
        PathEnd::Exited(status) => End::Exited(value_of(status)),
        PathEnd::Error(error) => End::Error {
            kind: error.kind,
            message: error.message.clone(),
            function: program.function(error.function).source_name.clone(),
            location: error.location,
            stack: error
                .stack
                .iter()
                .map(|entry| Frame {
                    function: program.function(entry.function).source_name.clone(),
                    location: entry.location(program),
                })
                .collect(),
            null_input: error.null_input.clone(),
        },
        PathEnd::Bound(bound) => End::Bound(*bound),
        PathEnd::Unsupported { what, location } => End::Unsupported { what: what.clone(), location: *location },
        PathEnd::Unknown { why, location } => End::Unknown { why: why.clone(), location: *location },
        PathEnd::Silent | PathEnd::Infeasible => End::Silent,
    }
}
