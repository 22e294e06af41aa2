//! The journal of a verification: each settled place is a line, written as soon as it is known, so that whatever ends the run leaves what was proved on disk, and
//! `--resume` does not look at it again.
//!
//! A line that was not written to its end is none. The first line says what the others are about: claims hold for these versions and these bounds, and for no
//! others.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use upshot_report::{Behaviour, PartitionKind, PartitionReport};
use upshot_verify::Place;

use crate::failure::Failure;

/// A partition, and all that is needed to write its files again.
#[derive(Clone, Debug)]
pub struct Entry {
    pub place: (Place, u32),
    pub report: PartitionReport,
    /// Standard error of its share.
    pub share_error: f64,
    /// The `.ktest` file, and the C file, that belong to it.
    pub test: Option<Vec<u8>>,
    pub c_test: Option<String>,
    /// Shape bounds matter.
    pub has_pointers: bool,
    /// The proof obligation, where one was asked for. It is not in the journal.
    pub obligation: Option<Result<String, String>>,
}

/// Lines that can be added to.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

const SCHEMA: &str = "upshot.journal/1";

/// What claims are about, as a number.
pub fn fingerprint(parts: &[&dyn AsRef<[u8]>]) -> String {
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    for part in parts {
        part.as_ref().hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

impl Journal {
    /// A new one in the folder; with `resume`, one that goes on from what is there. Also gives what was settled, with the places that had no partitions.
    pub fn open(folder: &Path, about: &str, resume: bool) -> Result<(Journal, Vec<Place>, Vec<Entry>), Failure> {
        let path = folder.join(upshot_suite::COMPARISON_FILE);
        let mut places = Vec::new();
        let mut entries = Vec::new();
        let mut lines = vec![json!({"schema": SCHEMA, "about": about}).to_string()];
        if resume && path.exists() {
            let bytes = std::fs::read(&path).map_err(|error| failed("read", &path, &error))?;
            let text = String::from_utf8_lossy(&bytes);
            let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
            for (number, line) in whole.lines().enumerate() {
                let damaged = || {
                    let place = format!("{}:{}", path.display(), number + 1);
                    Failure::new(format!("{place}: not a line of a journal")).hint("start over without --resume")
                };
                let value: Value = serde_json::from_str(line).map_err(|_| damaged())?;
                if number == 0 {
                    check_header(&value, about, &path)?;
                    continue;
                }
                let (place, found) = read_line(&value).ok_or_else(damaged)?;
                places.push(place);
                entries.extend(found);
                lines.push(line.to_string());
            }
        }
        let text = lines.join("\n") + "\n";
        upshot_suite::write_atomic(&path, text.as_bytes()).map_err(Failure::new)?;
        let file = File::options().append(true).open(&path).map_err(|error| failed("write", &path, &error))?;
        Ok((Journal { path, file }, places, entries))
    }

    /// A place is settled.
    pub fn add(&mut self, place: &Place, entries: &[Entry]) -> Result<(), Failure> {
        let parts: Vec<Value> = entries.iter().map(part_json).collect();
        let line = format!("{}\n", json!({"place": place.to_string(), "parts": parts}));
        self.file.write_all(line.as_bytes()).map_err(|error| failed("write", &self.path, &error))
    }
}

fn failed(action: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot {action} {}: {error}", path.display()))
}

fn check_header(value: &Value, about: &str, path: &Path) -> Result<(), Failure> {
    if value["schema"] != SCHEMA {
        return Err(Failure::new(format!("{}: not a journal of upshot verify", path.display())));
    }
    if value["about"] != about {
        return Err(Failure::new(format!("{} is about other versions, or other flags", path.display()))
            .hint("start over without --resume"));
    }
    Ok(())
}

fn part_json(entry: &Entry) -> Value {
    let test = entry.test.as_ref().map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    json!({
        "number": entry.place.1,
        "report": upshot_report::partition_json(&entry.report),
        "share_error": entry.share_error,
        "test": test,
        "c_test": entry.c_test,
        "has_pointers": entry.has_pointers,
    })
}

fn read_line(value: &Value) -> Option<(Place, Vec<Entry>)> {
    let place: Place = value["place"].as_str()?.parse().ok()?;
    let parts = value["parts"].as_array()?.iter();
    let entries: Option<Vec<Entry>> = parts.map(|part| read_part(&place, part)).collect();
    Some((place, entries?))
}

fn read_part(place: &Place, value: &Value) -> Option<Entry> {
    let test = match value["test"].as_str() {
        None => None,
        Some(text) => {
            let bytes = text.as_bytes().chunks(2);
            let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
            Some(bytes.map(byte).collect::<Option<Vec<u8>>>()?)
        }
    };
    Some(Entry {
        place: (place.clone(), u32::try_from(value["number"].as_u64()?).ok()?),
        report: read_report(&value["report"])?,
        share_error: value["share_error"].as_f64()?,
        test,
        c_test: value["c_test"].as_str().map(str::to_string),
        has_pointers: value["has_pointers"].as_bool()?,
        obligation: None,
    })
}

fn read_report(value: &Value) -> Option<PartitionReport> {
    let text = |name: &str| value[name].as_str().map(str::to_string);
    let lines = value["changed_lines"].as_array()?.iter();
    let line = |line: &Value| Some((line["file"].as_str()?.to_string(), u32::try_from(line["line"].as_u64()?).ok()?));
    Some(PartitionReport {
        kind: PartitionKind::from_name(value["kind"].as_str()?)?,
        condition: texts(&value["condition"])?,
        test: text("test"),
        input: text("input")?,
        native_test: text("native_test"),
        old: read_behaviour(&value["old"]),
        new: read_behaviour(&value["new"]),
        what: texts(&value["what"])?,
        why: text("why"),
        by: value["by"].as_str().and_then(|by| upshot_report::PROOFS.into_iter().find(|known| *known == by)),
        confirmed: value["confirmed"].as_bool()?,
        note: text("note"),
        changed_lines: lines.map(line).collect::<Option<_>>()?,
        share: value["share"].as_f64()?,
    })
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.as_str().map(str::to_string)).collect()
}

fn read_behaviour(value: &Value) -> Option<Behaviour> {
    let text = |value: &Value| value.as_str().map(str::to_string);
    let effect = |effect: &Value| Some((text(&effect["name"])?, text(&effect["expression"])?, text(&effect["value"])?));
    Some(Behaviour {
        outcome: text(&value["outcome"])?,
        expression: text(&value["expression"]),
        stdout: text(&value["stdout"])?,
        stderr: text(&value["stderr"])?,
        effects: value["effects"].as_array()?.iter().map(effect).collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: PartitionKind) -> Entry {
        let behaviour =
            Behaviour { outcome: "returns 3".into(), expression: Some("x + 1".into()), ..Default::default() };
        Entry {
            place: ("1:0,1".parse().unwrap(), 2),
            report: PartitionReport {
                kind,
                condition: vec!["x < 3".into()],
                test: Some("test000001.ktest".into()),
                input: "x = 1".into(),
                native_test: None,
                old: Some(behaviour.clone()),
                new: Some(Behaviour { effects: vec![("g".into(), "x".into(), "1".into())], ..behaviour }),
                what: vec!["return value".into()],
                why: None,
                by: Some("solver"),
                confirmed: true,
                note: None,
                changed_lines: vec![("f.c".into(), 3)],
                share: 0.25,
            },
            share_error: 0.5,
            test: Some(vec![0, 255]),
            c_test: Some("int main;".into()),
            has_pointers: true,
            obligation: None,
        }
    }

    #[test]
    fn what_is_settled_is_read_back_and_half_a_line_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (mut journal, places, _) = Journal::open(folder.path(), "a", false).unwrap();
        assert!(places.is_empty());
        let [one, other] = [entry(PartitionKind::Different), entry(PartitionKind::Equal)];
        journal.add(&one.place.0, &[one.clone(), other]).unwrap();
        journal.add(&"0:0,1".parse().unwrap(), &[]).unwrap();
        journal.file.write_all(b"{\"place\": \"1\"").unwrap();
        let (_, places, entries) = Journal::open(folder.path(), "a", true).unwrap();
        assert_eq!(places.iter().map(Place::to_string).collect::<Vec<_>>(), ["1:0,1", "0:0,1"]);
        assert_eq!(format!("{:?}", entries[0]), format!("{one:?}"));
        // What was dropped on reading does not come back.
        assert_eq!(Journal::open(folder.path(), "a", true).unwrap().1.len(), 2);
        let refused = Journal::open(folder.path(), "b", true).unwrap_err();
        assert!(refused.message.contains("other versions"), "{}", refused.message);
        assert!(Journal::open(folder.path(), "b", false).unwrap().1.is_empty());
    }
}
