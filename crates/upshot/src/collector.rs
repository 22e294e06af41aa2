//! Takes partitions as they are found: has differences confirmed natively, writes their tests, and keeps all that is settled in the journal.
//!
//! Partitions come in any order, and in another one with other workers. So their tests have preliminary numbers, and get those they keep when all are known.

use std::path::{Path, PathBuf};

use upshot_explore::End;
use upshot_report::{Behaviour, PartitionKind, PartitionReport};
use upshot_suite::OutDir;
use upshot_verify::{Change, Inside, Kind, Partition, Place, Prepared, Proof, Shown, Sink};

use crate::arguments::Until;
use crate::confirm::{self, Confirmer};
use crate::ctest;
use crate::failure::Failure;
use crate::journal::{Entry, Journal};
use crate::sink::ktest;

/// Has another solver look at the obligations beside it.
const CHECK: &str = r#"#!/bin/sh
# Each file here says that an input of one partition makes a difference. A solver that calls them all unsatisfiable agrees that there is none.
# Another solver, or other flags: SOLVER="z3 -smt2" sh check.sh
cd "$(dirname "$0")" || exit 2
failed=0
for file in partition*.smt2; do
  [ -e "$file" ] || continue
  answer=$(${SOLVER:-cvc5 --quiet} "$file" 2>&1 | tail -n 1)
  [ "$answer" = unsat ] || { echo "$file: $answer"; failed=1; }
done
[ $failed = 0 ] && echo "all proved"
exit $failed
"#;

pub struct Collector<'a> {
    pub prepared: &'a Prepared,
    pub confirmer: Confirmer,
    pub entry: Option<String>,
    pub out: &'a OutDir,
    pub until: Until,
    /// The C files of both versions, and flags, where each is one file.
    pub sources: Option<([PathBuf; 2], Vec<String>)>,
    pub journal: Journal,
    pub entries: Vec<Entry>,
    /// Those of the place at hand.
    pub current: Vec<Entry>,
    pub failure: Option<Failure>,
}

impl Sink for Collector<'_> {
    fn found(&mut self, partition: Partition, _: &Inside<'_>) -> bool {
        let mut entry = Entry {
            place: partition.place.clone(),
            report: self.plain(&partition),
            share_error: partition.share.1,
            test: None,
            c_test: None,
            obligation: partition.obligation.clone(),
            has_pointers: partition.test.as_ref().is_some_and(|test| !test.pointers.is_empty()),
        };
        let kind = entry.report.kind;
        let wants_run = kind.is_difference() || kind == PartitionKind::Open && !partition.what.is_empty();
        let mut example = None;
        if wants_run {
            example = self.run(&partition, &mut entry);
        }
        let stops = kind.is_difference() && self.until == Until::FirstDifference;
        self.current.push(entry);
        self.current.extend(example);
        !stops && self.failure.is_none()
    }

    fn done(&mut self, place: &Place) -> bool {
        let entries = std::mem::take(&mut self.current);
        // What is open may be settled by another run.
        let written = match entries.iter().any(|entry| entry.report.kind == PartitionKind::Open) {
            true => Ok(()),
            false => self.journal.add(place, &entries),
        };
        let number = self.entries.len();
        self.entries.extend(entries);
        let written = written.and_then(|()| (number..self.entries.len()).try_for_each(|at| self.write(at, at)));
        if let Err(failure) = written {
            self.failure.get_or_insert(failure);
        }
        self.failure.is_none()
    }
}

impl Collector<'_> {
    /// Writes the tests of what is known from an earlier run, which are not on disk any more.
    pub fn restore(&mut self) -> Result<(), Failure> {
        (0..self.entries.len()).try_for_each(|at| self.write(at, at))
    }

    /// All partitions in their order, each with the name of its test, which is on disk.
    pub fn finish(&mut self) -> Result<(), Failure> {
        self.entries.sort_by(|a, b| a.place.cmp(&b.place));
        self.out.remove_tests()?;
        let mut number = 0;
        for at in 0..self.entries.len() {
            self.write(at, number)?;
            number += usize::from(self.entries[at].test.is_some());
        }
        Ok(())
    }

    /// Writes the files of a partition, if it has any, under a number counted from zero.
    fn write(&mut self, at: usize, number: usize) -> Result<(), Failure> {
        let number = number as u64 + 1;
        let entry = &mut self.entries[at];
        let Some(test) = &entry.test else { return Ok(()) };
        entry.report.test = Some(format!("{}.ktest", self.out.write_test_bytes(number, test)?));
        if let Some(text) = &entry.c_test {
            entry.report.native_test = Some(self.out.write_c_test(number, text)?.display().to_string());
        }
        Ok(())
    }

    /// Writes the proof obligations of equal partitions, and what checks them.
    pub fn certify(&self, folder: &Path) -> Result<(), Failure> {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::new(format!("cannot create {}: {error}", folder.display())))?;
        let write = |name: &str, text: &str| {
            upshot_suite::write_atomic(&folder.join(name), text.as_bytes()).map_err(Failure::new)
        };
        for (index, entry) in self.entries.iter().enumerate() {
            let name = format!("partition{:06}.smt2", index + 1);
            let title = format!("; {}\n", entry.report.condition.join(" && ").replace('\n', " "));
            match &entry.obligation {
                Some(Ok(text)) => write(&name, &(title + text))?,
                Some(Err(why)) => {
                    return Err(Failure::new(format!("the proof of a partition cannot be written: {why}")));
                }
                None => {}
            }
        }
        write("check.sh", CHECK)
    }

    /// Runs the example on both versions. Where it is not known for a whole partition, that can still show a difference for the example: a partition of its own.
    fn run(&self, partition: &Partition, entry: &mut Entry) -> Option<Entry> {
        let (Some(test), Some(old), Some(new)) = (&partition.test, &partition.old, &partition.new) else { return None };
        let test = ktest(test, self.entry.as_deref());
        entry.test = Some(test.to_bytes());
        let report = &mut entry.report;
        let mut example = None;
        if confirm::is_an_end(&old.end) && confirm::is_an_end(&new.end) {
            let confirmation = self.confirmer.confirm(&test, [&old.end, &new.end]);
            if report.kind == PartitionKind::Open && confirmation.confirmed && !partition.uncontrolled {
                let condition = vec![format!("the input is {}", report.input)];
                let kind = PartitionKind::Different;
                example =
                    Some(PartitionReport { kind, condition, why: None, confirmed: true, share: 0.0, ..report.clone() });
            } else {
                report.confirmed = confirmation.confirmed;
                report.note = confirmation.note.filter(|_| report.kind != PartitionKind::Open);
            }
        }
        let draws_on =
            |name: &&String| test.objects.iter().any(|object| object.name.starts_with(&format!("{name}()#")));
        if let Some(name) = self.prepared.varying.iter().find(draws_on).filter(|_| !report.confirmed) {
            report.note = Some(format!("depends on what {name}() gives, which no test controls"));
        }
        if partition.uncontrolled {
            let why = "depends on memory that was never written, or another value that no test controls";
            report.note = Some(why.to_string());
        }
        if report.kind.is_difference() {
            entry.c_test = self.c_test(partition, &entry.report);
        }
        example.map(|report| Entry { report, share_error: 0.0, ..entry.clone() })
    }

    /// A C file that shows the difference by itself, where there can be one.
    fn c_test(&self, partition: &Partition, report: &PartitionReport) -> Option<String> {
        let (files, flags) = self.sources.as_ref()?;
        self.entry.as_ref()?;
        let [old, new] = &self.prepared.programs;
        let case = ctest::Case { programs: [old, new], entries: self.prepared.entries, files: files.clone(), flags };
        let outcome = |behaviour: &Option<Behaviour>| behaviour.as_ref().map_or(String::new(), |it| it.outcome.clone());
        let told = format!("{}\n * old: {}\n * new: {}", report.input, outcome(&report.old), outcome(&report.new));
        ctest::render(&case, partition.test.as_ref()?, &told)
    }

    fn plain(&self, partition: &Partition) -> PartitionReport {
        let (kind, why, by) = match &partition.kind {
            Kind::Equal(Proof::Identity) => (PartitionKind::Equal, None, Some("identity")),
            Kind::Equal(Proof::Impact) => (PartitionKind::Equal, None, Some("impact")),
            Kind::Equal(Proof::Induction) => (PartitionKind::Equal, None, Some("induction")),
            Kind::Equal(Proof::Solver) => (PartitionKind::Equal, None, Some("solver")),
            Kind::Different(Change::Regression) => (PartitionKind::Regression, None, None),
            Kind::Different(Change::Fix) => (PartitionKind::Fix, None, None),
            Kind::Different(Change::Output) => (PartitionKind::Different, None, None),
            Kind::Open(why) => (PartitionKind::Open, Some(why.clone()), None),
        };
        let program = &self.prepared.programs[1];
        let input = partition.test.as_ref().map_or(String::new(), |test| {
            let test = ktest(test, self.entry.as_deref());
            upshot_suite::inline(&upshot_suite::show(&test, Some(program), self.entry.as_deref()))
        });
        let mut changed_lines = Vec::new();
        for (side, shown) in [&partition.old, &partition.new].into_iter().enumerate() {
            if let Some(shown) = shown {
                changed_lines.extend(self.prepared.lines(side, &shown.marks));
            }
        }
        PartitionReport {
            kind,
            condition: partition.condition.clone(),
            test: None,
            native_test: None,
            input,
            old: partition.old.as_ref().map(|shown| self.behaviour(0, shown)),
            new: partition.new.as_ref().map(|shown| self.behaviour(1, shown)),
            what: partition.what.clone(),
            why,
            by,
            confirmed: false,
            note: None,
            changed_lines,
            share: partition.share.0,
        }
    }

    fn behaviour(&self, side: usize, shown: &Shown) -> Behaviour {
        Behaviour {
            outcome: self.outcome(side, shown),
            expression: shown.returned_term.clone(),
            stdout: upshot_suite::escape_bytes(&shown.stdout),
            stderr: upshot_suite::escape_bytes(&shown.stderr),
            effects: shown
                .effects
                .iter()
                .map(|(name, expression, value)| (name.clone(), expression.clone(), value.to_string()))
                .collect(),
        }
    }

    fn outcome(&self, side: usize, shown: &Shown) -> String {
        let program = &self.prepared.programs[side];
        match &shown.end {
            End::Returned(Some(value)) => format!("returns {}", self.signed(side, *value)),
            End::Returned(None) => "returns".to_string(),
            End::Exited(Some(code)) => format!("exits with {}", *code as i32),
            End::Exited(None) => "exits".to_string(),
            End::Error { kind, message, location, .. } => {
                let file = program.files.get(location.file as usize).map_or("", String::as_str);
                format!("{} error at {file}:{}: {message}", kind.name(), location.line)
            }
            other => other.word().to_string(),
        }
    }

    /// A returned number as its C type has it.
    fn signed(&self, side: usize, value: u128) -> String {
        let program = &self.prepared.programs[side];
        let function = program.function(self.prepared.entries[side]);
        let width = function.results.first().map_or(128, |scalar| scalar.width());
        let is_signed = function.return_type.is_some_and(|ty| {
            matches!(program.types.get(program.types.resolve(ty)), upshot_ir::CType::Int { signed: true, .. })
        });
        let ty = function.return_type.map(|ty| program.types.get(program.types.resolve(ty)));
        if matches!(ty, Some(upshot_ir::CType::Float { .. })) && matches!(width, 32 | 64) {
            return if width == 32 {
                f32::from_bits(value as u32).to_string()
            } else {
                f64::from_bits(value as u64).to_string()
            };
        }
        if is_signed && width < 128 && value >> (width - 1) & 1 == 1 {
            format!("{}", (value as i128) - (1i128 << width))
        } else {
            value.to_string()
        }
    }
}
