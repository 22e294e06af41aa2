//! `upshot suite merge`: joins what runs of single ranges have found to the suite that one run of everything leaves.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use upshot_exec::Image;
use upshot_explore::{Config, Edge, Ends, Event, Range, Work};
use upshot_suite::{RUN_FILE, Run};

use crate::arguments::{ProgramArguments, SuiteMerge};
use crate::failure::Failure;
use crate::loaded::{self, Loaded};
use crate::ranges;
use crate::resume::{self, Identity, Known};
use crate::run::{self, Described};
use crate::settings::identity;
use crate::sink::Writer;

/// What one run has found.
struct Part {
    folder: PathBuf,
    known: Known,
    ends: Ends,
}

/// Runs the command; the exit code.
pub fn merge(arguments: &SuiteMerge, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    let started = Instant::now();
    let mut parts = arguments.parts.iter().map(|folder| Part::read(folder)).collect::<Result<Vec<_>, _>>()?;
    let of = common_identity(&mut parts)?;
    let described = describe(&parts)?;
    let loaded = load(&described, &of)?;
    let (work, seconds) = join(parts)?;
    let left = work.ranges.clone();
    let wanted = resume::Wanted {
        resume: false,
        force: arguments.force,
        identity: of.clone(),
        ordered: true,
        max_paths: None,
        ranges: left.clone(),
    };
    let (out, mut session, _) = resume::open(&arguments.suite, wanted)?;
    if !left.is_empty() {
        // Whoever does the rest has to know all this.
        session.note(&events(&work));
    }
    let mut writer =
        Writer::new(&loaded.program, Some(&out), described.program.entry.as_deref(), described.bounds.all_errors);
    let image = Image::new(&loaded.program);
    let config = Config { interrupt: interrupt.clone(), ..Config::new(loaded.entry) };
    let done = Work { ranges: Vec::new(), ..work };
    let mut summary = upshot_explore::go_on(&image, &config, done, &(), &mut writer).map_err(Failure::new)?;
    summary.exhausted = left.is_empty();
    summary.open = left;
    let total = seconds + started.elapsed().as_secs_f64();
    run::complete_record(&mut writer.run, &described, &loaded, &summary, (total, seconds));
    writer.run.suite.get_or_insert_default().identity = Some(resume::fingerprint(&of));
    session.finish(&mut writer, &out, summary.exhausted)?.forget()?;
    let notes = upshot_report::Notes {
        null_inputs: std::mem::take(&mut writer.null_inputs),
        inputs: std::mem::take(&mut writer.inputs),
        entry: described.program.entry.clone(),
        out: Some(arguments.suite.display().to_string()),
        limits: summary.open.iter().map(|range| format!("nobody has explored {}", extent(range))).collect(),
        met_symbolic: summary.met_symbolic,
        ..Default::default()
    };
    run::print(&arguments.output, &writer.run, &notes);
    if !summary.exhausted {
        eprintln!(
            "upshot: to explore the rest: `upshot run` with the same program and flags, --out {} and --resume",
            arguments.suite.display()
        );
    }
    Ok(run::exit_code(&writer.run, &summary))
}

impl Part {
    fn read(folder: &Path) -> Result<Part, Failure> {
        let known = Known::of(folder, None)?;
        let Some(known) = known.filter(|known| known.identity.contains_key(ranges::PART)) else {
            let message = format!("{}: the folder holds no part of a suite", folder.display());
            return Err(Failure::new(message).hint("parts are what `upshot run --range FILE --out DIR` writes"));
        };
        let ends = known.whole.first().map(|range| range.ends.clone()).unwrap_or_default();
        Ok(Part { folder: folder.to_owned(), ends, known })
    }
}

/// What all parts are about; refused where they are not of one program.
fn common_identity(parts: &mut [Part]) -> Result<Identity, Failure> {
    for part in parts.iter_mut() {
        part.known.identity.remove(ranges::PART);
    }
    for pair in parts.windows(2) {
        let different = resume::different(&pair[0].known.identity, &pair[1].known.identity);
        if !different.is_empty() {
            let (one, other) = (pair[0].folder.display(), pair[1].folder.display());
            let what = different.join(", ");
            return Err(Failure::new(format!("{one} and {other} are no parts of one suite: not the same {what}")));
        }
    }
    Ok(parts[0].known.identity.clone())
}

/// How the program was built, by the record of any part that has one.
fn describe(parts: &[Part]) -> Result<Described, Failure> {
    let mut records = parts.iter().filter_map(|part| Run::read(&part.folder.join(RUN_FILE)).ok());
    let described = records.find_map(|run| Some(Described { program: run.program?, bounds: run.suite?.bounds }));
    described.ok_or_else(|| {
        Failure::new("none of the parts has a record (run.json)")
            .hint("go on with one of them: the same command with --resume")
    })
}

fn load(described: &Described, of: &Identity) -> Result<Loaded, Failure> {
    let recorded = &described.program;
    let program = ProgramArguments {
        program: recorded.inputs.iter().map(PathBuf::from).collect(),
        entry: recorded.entry.clone(),
        clang_flags: recorded.flags.clone(),
        assume: recorded.assumptions.clone(),
    };
    let loaded = loaded::load(&program, &[])?;
    let programs = [("program", &loaded.built.linked[..])];
    let here = identity(&programs, recorded.entry.as_deref(), &recorded.assumptions, &described.bounds, &[]);
    if here.get("program") == of.get("program") {
        return Ok(loaded);
    }
    let message = format!("{} is not what it was when the parts were explored", recorded.inputs.join(", "));
    Err(Failure::new(message).hint("join them where the program is as it was then"))
}

/// All that is known, and what is left: of the parts, and between them.
fn join(mut parts: Vec<Part>) -> Result<(Work, f64), Failure> {
    let path = |edge: &Option<Edge>| edge.as_ref().map(|edge| edge.path.clone());
    // An open end is the last one.
    let end = |edge: &Option<Edge>| (edge.is_none(), path(edge));
    parts.sort_by_key(|part| (path(&part.ends.from), end(&part.ends.to)));
    let (mut work, mut seconds) = (Work::default(), 0.0);
    // Where the part before ends.
    let mut reached = Some(None);
    let mut before = PathBuf::new();
    for part in parts {
        let Part { folder, known, ends } = part;
        let Some(from) = reached.filter(|from: &Option<Edge>| path(&ends.from) >= path(from)) else {
            let message = format!("{} and {} have paths in common", before.display(), folder.display());
            return Err(Failure::new(message).hint("give each part once, all of one `upshot ranges split`"));
        };
        if path(&ends.from) > path(&from) {
            work.ranges.push(between(from, ends.from));
        }
        seconds += known.seconds;
        let found = known.checkpoint.work();
        work.spent.add(&found.spent);
        work.coverage.merge(&found.coverage);
        work.done.extend(found.done);
        work.ranges.extend(found.ranges);
        // Behind an open end there is nothing.
        reached = ends.to.map(Some);
        before = folder;
    }
    if let Some(from) = reached {
        work.ranges.push(between(from, None));
    }
    Ok((work, seconds))
}

fn between(from: Option<Edge>, to: Option<Edge>) -> Range {
    Range { ends: Ends { from, after: false, to }, ..Range::default() }
}

/// What a journal says of paths that were found elsewhere.
fn events(work: &Work) -> Vec<Event> {
    let nowhere = u64::MAX;
    let mut events = vec![Event::Covered(Box::new(work.coverage.clone()))];
    let mut spent = work.spent;
    for record in &work.done {
        events.push(Event::Path(nowhere, Box::new(record.clone()), std::mem::take(&mut spent)));
    }
    events
}

fn extent(range: &Range) -> String {
    let name = |edge: &Option<Edge>, open: &str| match edge {
        Some(edge) => format!("path {}", upshot_suite::encode_decisions(&edge.path.sides())),
        None => open.to_string(),
    };
    let (from, to) = (name(&range.ends.from, "the first"), name(&range.ends.to, "the last"));
    format!("the paths from {from} to {to}")
}
