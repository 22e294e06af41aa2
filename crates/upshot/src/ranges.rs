//! Ranges of paths in files: `upshot ranges split`, `upshot run --range`.

use std::path::Path as FilePath;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::json;
use upshot_exec::Image;
use upshot_explore::{Config, Edge, Path, Range};
use upshot_suite::{HexBytes, PathText, RangeRecord, WitnessRecord};

use crate::arguments::{Format, RangesSplit};
use crate::failure::Failure;
use crate::loaded;
use crate::resume::Identity;
use crate::settings::{Beginning, Settings, bounds_record, extra_flags, identity};

/// The schema's name and version.
const RANGE_SCHEMA: &str = "upshot.range/1";

/// The name of what tells the identity of a part from that of the whole.
pub const PART: &str = "range";

/// A range in a file.
#[derive(Serialize, Deserialize)]
struct RangeFile {
    schema: String,
    /// It is the one of this number of so many, counted from 1.
    number: usize,
    count: usize,
    /// What decides which paths there are.
    of: Identity,
    range: Range,
}

/// Runs `upshot ranges split`; the exit code.
pub fn split(arguments: &RangesSplit, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    let loaded = loaded::load(&arguments.program, &extra_flags(&arguments.checks))?;
    let image = Image::new(&loaded.program);
    let settings = Settings {
        bounds: &arguments.bounds,
        checks: &arguments.checks,
        solver: &arguments.solver,
        jobs: Some(1),
        interrupt,
        started: Instant::now(),
    };
    let beginning = Beginning {
        program: &loaded.program,
        entry: loaded.entry,
        symbolic: arguments.program.entry.is_some(),
        assumptions: &loaded.assumptions,
    };
    let config = Config { all_errors: arguments.all_errors, ..settings.config(&beginning) };
    let count = usize::from(arguments.count);
    let ranges = upshot_explore::split(&image, &config, count).map_err(Failure::new)?;
    if interrupt.load(Relaxed) {
        return Ok(130);
    }
    let bounds = bounds_record(&arguments.bounds, &arguments.checks, arguments.all_errors);
    let program = &arguments.program;
    let of =
        identity(&[("program", &loaded.built.linked[..])], program.entry.as_deref(), &program.assume, &bounds, &[]);
    let problem = |error: std::io::Error| Failure::new(format!("{}: {error}", arguments.out.display()));
    std::fs::create_dir_all(&arguments.out).map_err(problem)?;
    let mut list = Vec::new();
    for (number, range) in (1..).zip(ranges) {
        let (schema, of) = (RANGE_SCHEMA.to_string(), of.clone());
        let text = serde_json::to_string(&RangeFile { schema, number, count, of, range: range.clone() });
        let path = arguments.out.join(format!("range{number:04}.json"));
        upshot_suite::write_atomic(&path, text.map_err(Failure::new)?.as_bytes()).map_err(Failure::new)?;
        list.push((path.display().to_string(), range));
    }
    tell(arguments, &list);
    Ok(0)
}

fn tell(arguments: &RangesSplit, list: &[(String, Range)]) {
    let sides = |edge: &Option<Edge>| edge.as_ref().map(|edge| text(&edge.path).sides);
    match arguments.output.format {
        Format::Json => {
            let ranges = list.iter().map(|(file, range)| {
                let ends = &range.ends;
                json!({"file": file, "from": sides(&ends.from), "to": sides(&ends.to)})
            });
            let ranges: Vec<_> = ranges.collect();
            println!("{}", json!({"schema": "upshot.ranges/1", "complete": true, "ranges": ranges}));
        }
        Format::Text => {
            println!("{} ranges in {}", list.len(), arguments.out.display());
            for (file, range) in list.iter().filter(|_| !arguments.output.quiet) {
                let from =
                    sides(&range.ends.from).map_or("the first path".to_string(), |sides| format!("path {sides}"));
                let to = sides(&range.ends.to).map_or("the last".to_string(), |sides| format!("before {sides}"));
                println!("  {file}  from {from} to {to}");
            }
        }
    }
}

/// The range in a file, which must be one of the very exploration that is asked for.
pub fn read(file: &FilePath, identity: &Identity) -> Result<Range, Failure> {
    let problem = |what: &dyn std::fmt::Display| Failure::new(format!("{}: {what}", file.display()));
    let text = std::fs::read(file).map_err(|error| problem(&error))?;
    #[derive(Deserialize)]
    struct Schema {
        schema: String,
    }
    let no_range = |error: serde_json::Error| problem(&format_args!("no range of paths: {error}"));
    let Schema { schema } = serde_json::from_slice(&text).map_err(no_range)?;
    if schema != RANGE_SCHEMA {
        return Err(problem(&format_args!("has schema {schema:?}; {RANGE_SCHEMA:?} expected")));
    }
    let read: RangeFile = serde_json::from_slice(&text).map_err(no_range)?;
    let different = crate::resume::different(&read.of, identity);
    if !different.is_empty() {
        let message = format!("the range is one of something else: not the same {}", different.join(", "));
        return Err(problem(&message).hint("give the same program and flags as to `upshot ranges split`"));
    }
    Ok(read.range)
}

/// Makes the identity of a whole exploration that of one of its ranges.
pub fn narrow(identity: &mut Identity, range: &Range) {
    let text = serde_json::to_vec(range).unwrap_or_default();
    identity.insert(PART.to_string(), upshot_suite::checksum(&text));
}

/// A range as a manifest has it.
pub fn record(range: &Range) -> RangeRecord {
    let witness = range.witness.inputs.iter().map(|(name, size, bytes)| WitnessRecord {
        name: name.clone(),
        size: *size,
        bytes: HexBytes::from(&bytes[..]),
    });
    let end = |edge: &Option<Edge>| edge.as_ref().map(|edge| text(&edge.path));
    RangeRecord {
        prefix: text(&range.prefix),
        witness: witness.collect(),
        from: end(&range.ends.from),
        after: range.ends.after,
        to: end(&range.ends.to),
    }
}

fn text(path: &Path) -> PathText {
    PathText::new(path.0.iter().map(|decision| (decision.side, decision.forced)))
}
