//! From the record of a path, as `run.json` has it, back to the path itself: what was found once is not found again.

use std::collections::HashMap;

use upshot_exec::{ErrorKind, Visited};
use upshot_explore::{Decision, End, Frame, Path, PathRecord, Target, Test, TestObject, TestPointer};
use upshot_ir::{BlockId, FuncId, Location, Program};
use upshot_suite::{EndKind, ErrorRecord, Ktest};

use crate::seeds::POINTERS;

/// Turns records into paths of a program.
pub struct Restorer<'a> {
    /// By position among the covers of the manifest.
    covers: Vec<Option<Visited>>,
    /// Is the record about a whole program, so that what the entry returned is its exit code?
    is_main: bool,
    /// By test.
    errors: HashMap<&'a str, &'a ErrorRecord>,
}

impl<'a> Restorer<'a> {
    pub fn new(program: &'a Program, run: &'a upshot_suite::Run) -> Self {
        let functions = (0..).map(FuncId).zip(&program.functions);
        let functions: HashMap<&str, FuncId> =
            functions.filter(|(_, f)| !f.is_declaration).map(|(id, function)| (&*function.name, id)).collect();
        let covers = run.suite.iter().flat_map(|manifest| &manifest.covers);
        let covers =
            covers.map(|cover| blocks(program, &functions, cover)).map(|blocks| Some(Visited::of(program, blocks?)));
        Restorer {
            covers: covers.collect(),
            is_main: run.program.as_ref().is_none_or(|program| program.entry.is_none()),
            errors: run.errors.iter().filter_map(|error| Some((error.test.as_deref()?, error))).collect(),
        }
    }

    /// The blocks that a path covers; `None` where the record does not say, or speaks of another program.
    pub fn covered(&self, record: &upshot_suite::PathRecord) -> Option<&Visited> {
        self.covers.get(record.covers? as usize)?.as_ref()
    }

    /// The path, with the sides it took; `None` if the record is not one of this program. `moved`: where a line of the record is in the program.
    pub fn path(
        &self,
        record: &upshot_suite::PathRecord,
        sides: &[u32],
        test: Option<&Ktest>,
        moved: &dyn Fn(&str, u32) -> Option<Location>,
    ) -> Option<PathRecord> {
        let location = match (&record.end.file, record.end.line) {
            (Some(file), Some(line)) => moved(file, line)?,
            _ => Location::default(),
        };
        let returned = record.returned.as_ref().map(|bytes| bytes.0.clone());
        let code = record.exit.map(|code| u128::from(code as u32));
        let message = record.end.message.clone().unwrap_or_default();
        let end = match record.end.kind {
            EndKind::Finished if self.is_main || code.is_some() => End::Exited(code),
            EndKind::Finished => End::Returned(None),
            EndKind::Error => {
                let stack = match record.test.as_deref().and_then(|test| self.errors.get(test)) {
                    Some(error) => error
                        .stack
                        .iter()
                        .map(|frame| {
                            let location = match frame.line {
                                0 => Location::default(),
                                line => moved(&frame.file, line)?,
                            };
                            Some(Frame { function: frame.function.clone(), location })
                        })
                        .collect::<Option<Vec<_>>>()?,
                    None => Vec::new(),
                };
                End::Error {
                    kind: ErrorKind::from_name(record.end.error.as_deref()?)?,
                    message,
                    function: record.end.function.clone()?,
                    location,
                    stack,
                    null_input: record.end.null_input.clone(),
                }
            }
            EndKind::Bound => End::Bound(upshot_exec::Bound::from_flag(&message)?),
            EndKind::Unsupported => End::Unsupported { what: message, location },
            EndKind::Unknown => End::Unknown { why: message, location },
            EndKind::Silent => End::Silent,
        };
        let trace = record.trace.map(|trace| upshot_exec::Trace { branches: trace.branches, hash: trace.hash });
        Some(PathRecord {
            path: Path(sides.iter().map(|&side| Decision { side, forced: false }).collect()),
            end,
            test: test.map(Self::test),
            kept: None,
            stdout: record.stdout.as_ref().map(|text| text.0.clone()),
            stderr: None,
            trace: trace.unwrap_or_default(),
            instructions: 0,
            returned,
            affected: None,
            remarks: record.remarks.clone(),
            uncontrolled: record.uncertain || record.uncontrolled,
            uncontrolled_test: record.uncertain,
            visited: self.covered(record)?.clone(),
            asked: 0,
            seed: None,
        })
    }

    fn test(test: &Ktest) -> Test {
        let mut restored = Test::default();
        for object in test.objects.iter().filter(|object| object.name != POINTERS) {
            let (name, bytes) = (object.name.clone(), object.bytes.clone());
            restored.objects.push(TestObject { name, bytes, ty: None });
        }
        let table = test.objects.iter().find(|object| object.name == POINTERS);
        for entry in table.into_iter().flat_map(|object| object.bytes.chunks_exact(16)) {
            let field = |at: usize| u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]]);
            let target = match field(8) {
                0 => Target::Null,
                u32::MAX => Target::Function,
                number => Target::Object(number - 1),
            };
            restored.pointers.push(TestPointer { object: field(0), offset: field(4), target });
        }
        restored
    }
}

/// The blocks of a cover in the order of the program.
fn blocks(
    program: &Program,
    functions: &HashMap<&str, FuncId>,
    cover: &std::collections::BTreeMap<String, String>,
) -> Option<Vec<(FuncId, BlockId)>> {
    let mut blocks = Vec::new();
    for (name, numbers) in cover {
        let function = *functions.get(name.as_str())?;
        let most = program.function(function).blocks.len() as u32;
        let numbers = upshot_suite::decode_numbers(numbers, most)?;
        blocks.extend(numbers.into_iter().map(|block| (function, BlockId(block))));
    }
    blocks.sort_unstable();
    Some(blocks)
}
