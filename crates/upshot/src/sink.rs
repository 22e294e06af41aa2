//! Turns paths into files and records, as they come.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use upshot_exec::Visited;
use upshot_explore::{End, Keep, PathRecord, Sink, Target, Test};
use upshot_ir::{Location, Program};
use upshot_suite::{
    EndKind, ErrorRecord, Ktest, OutDir, OutDirError, Pending, StackFrame, StackPart, UnsupportedRecord,
};

/// Writes tests, and gathers what run.json will say.
pub struct Writer<'a> {
    program: &'a Program,
    /// Where tests go; `None` when none are wanted.
    out: Option<&'a OutDir>,
    entry: Option<&'a str>,
    all_errors: bool,
    /// Tests that were found out of order, and are safe on disk.
    pending: HashMap<u64, Pending>,
    places: BTreeSet<(upshot_exec::ErrorKind, Location, String)>,
    pub run: upshot_suite::Run,
    /// Parameters whose being null is behind errors, with how many places.
    pub null_inputs: Vec<(String, Vec<usize>)>,
    /// The inputs of each error of the run, on one line.
    pub inputs: Vec<String>,
    reported: BTreeSet<(upshot_exec::ErrorKind, Location, String)>,
    covers: HashMap<Visited, u32>,
    /// Tests from elsewhere, by the number that a [`SeedUse`](upshot_explore::SeedUse) has: they are written as they are.
    pub originals: &'a [Option<&'a Ktest>],
    /// Their files by number, where these may become the tests of this run.
    pub files: BTreeMap<usize, std::path::PathBuf>,
    pub failure: Option<OutDirError>,
}

impl<'a> Writer<'a> {
    pub fn new(program: &'a Program, out: Option<&'a OutDir>, entry: Option<&'a str>, all_errors: bool) -> Self {
        Writer {
            program,
            out,
            entry,
            all_errors,
            pending: HashMap::new(),
            places: BTreeSet::new(),
            run: upshot_suite::Run::default(),
            null_inputs: Vec::new(),
            inputs: Vec::new(),
            reported: BTreeSet::new(),
            covers: HashMap::new(),
            originals: &[],
            files: BTreeMap::new(),
            failure: None,
        }
    }

    fn file(&self, location: Location) -> String {
        if location.is_known() {
            self.program.files.get(location.file as usize).cloned().unwrap_or_default()
        } else {
            String::new()
        }
    }

    /// Gives the test its number and final name.
    fn write_test(&mut self, record: &PathRecord) -> Result<Option<String>, OutDirError> {
        let pending = record.kept.map(|kept| self.pending.remove(&kept).unwrap_or(Pending::kept(kept)));
        let (Some(out), Some(test)) = (self.out, &record.test) else { return Ok(None) };
        if let Some(place) = record.end.place()
            && !self.places.insert(place)
            && !self.all_errors
        {
            // Not the first of its kind at this place.
            if let Some(pending) = pending {
                out.discard(pending)?;
            }
            return Ok(None);
        }
        self.run.tests += 1;
        let number = self.run.tests;
        let name = match pending {
            Some(pending) => out.settle(pending, number)?,
            None if self.original_file(record).is_some_and(|file| out.adopt_test(number, file)) => {
                OutDir::test_name(number)
            }
            None => out.write_test(number, &self.ktest(record, test))?,
        };
        if let End::Error { kind, message, stack, .. } = &record.end {
            let text = self.error_text(*kind, message, stack, test);
            out.write_error(number, kind.name(), &text)?;
        }
        Ok(Some(name))
    }

    /// The test as it is written.
    fn ktest(&self, record: &PathRecord, test: &Test) -> Ktest {
        let original = fitting_seed(record).and_then(|number| *self.originals.get(number)?);
        original.cloned().unwrap_or_else(|| ktest(test, self.entry))
    }

    fn original_file(&self, record: &PathRecord) -> Option<&std::path::PathBuf> {
        self.files.get(&fitting_seed(record)?)
    }

    /// The number of what a path covers.
    fn cover(&mut self, visited: &Visited) -> u32 {
        if let Some(&number) = self.covers.get(visited) {
            return number;
        }
        let manifest = self.run.suite.get_or_insert_default();
        let number = manifest.covers.len() as u32;
        let by_function = visited.by_function(self.program).into_iter().map(|(function, blocks)| {
            let blocks: Vec<u32> = blocks.into_iter().map(|block| block.0).collect();
            (self.program.function(function).name.clone(), upshot_suite::encode_numbers(&blocks))
        });
        manifest.covers.push(by_function.collect());
        self.covers.insert(visited.clone(), number);
        number
    }

    /// Lets go of a path that is of no interest after all.
    pub fn discard(&mut self, record: &PathRecord) -> bool {
        let pending = record.kept.map(|kept| self.pending.remove(&kept).unwrap_or(Pending::kept(kept)));
        if let (Some(out), Some(pending)) = (self.out, pending)
            && let Err(error) = out.discard(pending)
        {
            self.failure = Some(error);
        }
        self.failure.is_none()
    }

    /// Records a path whose test exists elsewhere.
    pub fn without_test(&mut self, record: PathRecord) -> bool {
        self.discard(&record);
        self.settled(PathRecord { test: None, kept: None, ..record })
    }

    fn error_text(
        &self,
        kind: upshot_exec::ErrorKind,
        message: &str,
        stack: &[upshot_explore::Frame],
        test: &Test,
    ) -> String {
        let mut text = format!("Error: {message}\nKind: {}\n", kind.name());
        if let Some(frame) = stack.first() {
            let _ = writeln!(text, "File: {}\nLine: {}", self.file(frame.location), frame.location.line);
        }
        text += "Stack:\n";
        for (index, frame) in stack.iter().enumerate() {
            let _ = match upshot_suite::stack_part(index, stack.len()) {
                StackPart::Shown => {
                    writeln!(text, "  #{index} in {} at {}", frame.function, self.program.describe(frame.location))
                }
                StackPart::LeftOut(count) => writeln!(text, "  … {count} more frames"),
                StackPart::Within => Ok(()),
            };
        }
        text += "Inputs:\n";
        let shown = upshot_suite::show(&ktest(test, self.entry), Some(self.program), self.entry);
        for line in upshot_suite::render("", &shown).lines().skip(1) {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    fn note_error(&mut self, record: &PathRecord, test: Option<String>) {
        let End::Error { kind, message, function, location, stack, null_input } = &record.end else { return };
        let frames = stack
            .iter()
            .map(|frame| StackFrame {
                function: frame.function.clone(),
                file: self.file(frame.location),
                line: frame.location.line,
            })
            .collect();
        let error = ErrorRecord {
            kind: kind.name().to_string(),
            file: self.file(*location),
            line: location.line,
            function: function.clone(),
            message: message.clone(),
            test,
            stack: frames,
        };
        let first = record.end.place().is_none_or(|place| self.reported.insert(place));
        if !first && !self.all_errors {
            return;
        }
        if let Some(name) = null_input {
            let index = self.run.errors.len();
            match self.null_inputs.iter_mut().find(|(other, _)| other == name) {
                Some((_, errors)) => errors.push(index),
                None => self.null_inputs.push((name.clone(), vec![index])),
            }
        }
        let shown = record
            .test
            .as_ref()
            .map(|test| upshot_suite::show(&ktest(test, self.entry), Some(self.program), self.entry));
        self.inputs.push(shown.map(|shown| upshot_suite::inline(&shown)).unwrap_or_default());
        self.run.errors.push(error);
    }

    fn note_unsupported(&mut self, what: &str, location: Location) {
        let record = UnsupportedRecord { what: what.to_string(), file: self.file(location), line: location.line };
        if !self.run.unsupported.contains(&record) {
            self.run.unsupported.push(record);
        }
    }

    fn record(&mut self, record: &PathRecord, test: Option<String>) -> upshot_suite::PathRecord {
        let covers = self.cover(&record.visited);
        let written = record.test.as_ref().filter(|_| test.is_some());
        let sum = written.map(|test| upshot_suite::checksum(&self.ktest(record, test).to_bytes()));
        let location = match &record.end {
            End::Error { location, .. } | End::Unsupported { location, .. } | End::Unknown { location, .. } => {
                *location
            }
            _ => Location::default(),
        };
        let (error, message) = match &record.end {
            End::Error { kind, message, .. } => (Some(kind.name().to_string()), Some(message.clone())),
            End::Unsupported { what, .. } => (None, Some(what.clone())),
            End::Unknown { why, .. } => (None, Some(why.clone())),
            End::Bound(bound) => (None, Some(bound.flag().to_string())),
            _ => (None, None),
        };
        let is_main = self.entry.is_none();
        let exit = match &record.end {
            End::Exited(code) => code.map(|code| code as u32 as i32),
            End::Returned(code) if is_main => Some(code.map_or(0, |code| code as u32 as i32)),
            _ => None,
        };
        // What depends on memory that was never written, or on where objects lie, is anyone's guess natively.
        let uncertain = is_uncertain(record, test.is_some());
        let certain = !uncertain;
        // Without a test there are no values to speak of, even if a worker had some before it was known whether the test is wanted.
        let has_values = certain && test.is_some();
        upshot_suite::PathRecord {
            test,
            end: upshot_suite::PathEnd {
                kind: end_kind(&record.end),
                error,
                message,
                file: location.is_known().then(|| self.file(location)),
                line: location.is_known().then_some(location.line),
                function: match &record.end {
                    End::Error { function, .. } => Some(function.clone()),
                    _ => None,
                },
                null_input: match &record.end {
                    End::Error { null_input, .. } => null_input.clone(),
                    _ => None,
                },
            },
            path: upshot_suite::encode_decisions(&record.path.sides()),
            exit: exit.filter(|_| has_values),
            returned: match &record.returned {
                Some(bytes) if !is_main && has_values => Some(upshot_suite::HexBytes(bytes.clone())),
                _ => None,
            },
            stdout: record.stdout.clone().filter(|_| has_values).map(upshot_suite::Text),
            remarks: record.remarks.clone(),
            uncertain,
            trace: certain.then_some(upshot_suite::Trace { branches: record.trace.branches, hash: record.trace.hash }),
            uncontrolled: record.uncontrolled && !uncertain,
            covers: Some(covers),
            sum,
        }
    }
}

/// The number of the known test that is the path's own.
fn fitting_seed(record: &PathRecord) -> Option<usize> {
    record.seed.as_ref().filter(|seed| seed.misfits.is_empty()).map(|seed| seed.number)
}

pub fn ktest(test: &Test, entry: Option<&str>) -> Ktest {
    let mut objects: Vec<upshot_suite::Object> = test
        .objects
        .iter()
        .map(|object| upshot_suite::Object { name: object.name.clone(), bytes: object.bytes.clone() })
        .collect();
    if entry.is_some() {
        let mut bytes = Vec::new();
        for pointer in &test.pointers {
            let target = match pointer.target {
                Target::Null => 0,
                Target::Object(index) => index + 1,
                Target::Function => u32::MAX,
            };
            for field in [pointer.object, pointer.offset, target, 0] {
                bytes.extend(field.to_le_bytes());
            }
        }
        objects.push(upshot_suite::Object { name: "upshot.pointers".to_string(), bytes });
    }
    Ktest { args: vec!["upshot".to_string()], objects, ..Ktest::default() }
}

/// Whether natively the path may go another way. Only with the values of the test that was written is that known exactly; a worker may have had values
/// for a path that gets no test, and must not let that show.
fn is_uncertain(record: &PathRecord, has_test: bool) -> bool {
    if has_test { record.uncontrolled_test } else { record.uncontrolled }
}

pub fn end_kind(end: &End) -> EndKind {
    match end {
        End::Returned(_) | End::Exited(_) => EndKind::Finished,
        End::Error { .. } => EndKind::Error,
        End::Bound(_) => EndKind::Bound,
        End::Unsupported { .. } => EndKind::Unsupported,
        End::Unknown { .. } => EndKind::Unknown,
        End::Silent => EndKind::Silent,
    }
}

/// Writes tests where they are found.
pub struct Keeper<'a> {
    pub out: Option<&'a OutDir>,
    pub entry: Option<&'a str>,
}

impl Keep for Keeper<'_> {
    fn keep(&self, test: &Test) -> Option<u64> {
        // If it fails, the writer tries again, and says why it fails.
        self.out.and_then(|out| out.keep(&ktest(test, self.entry)).ok())
    }
}

impl Sink for Writer<'_> {
    fn found(&mut self, record: &PathRecord) {
        let (Some(out), Some(kept)) = (self.out, record.kept) else { return };
        let mut pending = Pending::kept(kept);
        if let Err(error) = out.secure(&mut pending) {
            self.failure = Some(error);
        }
        self.pending.insert(kept, pending);
    }

    fn settled(&mut self, record: PathRecord) -> bool {
        self.run.paths.add(end_kind(&record.end));
        let test = match self.write_test(&record) {
            Ok(test) => test,
            Err(error) => {
                self.failure = Some(error);
                None
            }
        };
        if let End::Unsupported { what, location } = &record.end {
            self.note_unsupported(what, *location);
        }
        self.note_error(&record, test.clone());
        let record = self.record(&record, test);
        self.run.uncertain += u64::from(record.uncertain);
        self.run.records.push(record);
        self.failure.is_none()
    }
}
