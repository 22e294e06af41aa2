//! `--resume`: an exploration leaves a journal in its folder while it goes on, and whoever comes after it does what is left.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use upshot_exec::Image;
use upshot_explore::{Checkpoint, Config, Event, Keep, PathRecord, Range, Sink, Summary, Work};
use upshot_suite::{JOURNAL_FILE, Journal, Lines, OutDir, RUN_FILE, Run, WriteError};

use crate::failure::Failure;
use crate::sink::Writer;

/// For people.
pub const HOW: &str = "to go on from here: the same command with --resume";

/// The schema's name and version.
const JOURNAL_SCHEMA: &str = "upshot.journal/1";

/// What decides which paths there are and what their tests are, by name: whoever goes on must have the same.
pub type Identity = BTreeMap<String, String>;

/// A line of the journal.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Entry<'a> {
    Head {
        schema: String,
        of: Identity,
    },
    Begin {
        ordered: bool,
        max_paths: Option<u64>,
        ranges: Vec<Range>,
    },
    Event(Cow<'a, Event>),
    /// Since the beginning of this one.
    Seconds(f64),
}

/// What is asked for.
pub struct Wanted {
    pub resume: bool,
    pub force: bool,
    pub identity: Identity,
    /// Ranges yield their paths in path order.
    pub ordered: bool,
    pub max_paths: Option<u64>,
    /// Where there is nothing to go on from.
    pub ranges: Vec<Range>,
}

/// The journal of an exploration, and where it is written.
pub struct Session {
    journal: Journal,
    started: Instant,
    told: Instant,
    /// By those that this one goes on from.
    pub seconds_before: f64,
    /// Why the journal could not be written.
    failure: Option<WriteError>,
}

/// The folder for what is found, the journal, and what is to be done.
pub fn open(folder: &Path, wanted: Wanted) -> Result<(OutDir, Session, Work), Failure> {
    if wanted.resume
        && let Some(known) = Known::read(folder, &wanted)?
    {
        let out = OutDir::go_on(folder)?;
        let journal = Journal::go_on(&folder.join(JOURNAL_FILE), known.length).map_err(Failure::new)?;
        let work = known.checkpoint.work();
        let session = Session::begin(journal, &wanted, work.ranges.clone(), known.seconds)?;
        return Ok((out, session, work));
    }
    let out = OutDir::claim(folder, wanted.force)?;
    let mut journal = Journal::go_on(&folder.join(JOURNAL_FILE), 0).map_err(Failure::new)?;
    add(&mut journal, &Entry::Head { schema: JOURNAL_SCHEMA.to_string(), of: wanted.identity.clone() });
    let session = Session::begin(journal, &wanted, wanted.ranges.clone(), 0.0)?;
    Ok((out, session, Work::on(wanted.ranges)))
}

fn add(journal: &mut Journal, entry: &Entry<'_>) {
    journal.add(&serde_json::to_vec(entry).expect("an entry has no map with keys that are not strings"));
}

/// What a journal says.
pub struct Known {
    pub identity: Identity,
    pub checkpoint: Checkpoint,
    /// What it was about in the beginning.
    pub whole: Vec<Range>,
    length: u64,
    pub seconds: f64,
}

impl Known {
    /// What is known of the very exploration that is wanted; `None` where nothing was begun.
    fn read(folder: &Path, wanted: &Wanted) -> Result<Option<Known>, Failure> {
        let Some(known) = Known::of(folder, wanted.max_paths)? else { return Ok(None) };
        let different = different(&known.identity, &wanted.identity);
        if !different.is_empty() {
            let what = different.join(", ");
            let message = format!("{}: what was begun there is not this: not the same {what}", folder.display());
            return Err(Failure::new(message)
                .hint("give the same program and flags as then; or leave --resume out, to start over"));
        }
        Ok(Some(known))
    }

    /// What the journal in a folder says; `None` where there is none. `most`: a limit that what is known has to keep to.
    pub fn of(folder: &Path, most: Option<u64>) -> Result<Option<Known>, Failure> {
        let path = folder.join(JOURNAL_FILE);
        let problem = |what: &dyn std::fmt::Display| Failure::new(format!("{}: {what}", path.display()));
        let lines = Lines::read(&path).map_err(|error| problem(&error))?;
        let mut known = Known {
            identity: Identity::new(),
            checkpoint: Checkpoint::default(),
            whole: Vec::new(),
            length: lines.length,
            seconds: 0.0,
        };
        let (mut is_begun, mut all_limited, mut now) = (false, true, 0.0);
        for (number, line) in lines.iter().enumerate() {
            let entry = serde_json::from_slice(line)
                .map_err(|error| problem(&format_args!("line {} is none of a journal: {error}", number + 1)))?;
            match entry {
                Entry::Head { schema, of } if schema == JOURNAL_SCHEMA => known.identity = of,
                Entry::Head { schema, .. } => {
                    return Err(problem(&format_args!("has schema {schema:?}; {JOURNAL_SCHEMA:?} expected")));
                }
                Entry::Begin { ordered, max_paths, ranges } => {
                    if !std::mem::replace(&mut is_begun, true) {
                        known.whole = ranges.clone();
                    }
                    all_limited &= max_paths.is_some();
                    known.seconds += std::mem::take(&mut now);
                    known.checkpoint.begin(ordered, ranges);
                }
                Entry::Event(event) => known.checkpoint.note(event.into_owned()),
                Entry::Seconds(seconds) => now = seconds,
            }
        }
        known.seconds += now;
        let found = known.checkpoint.found() as u64;
        if let Some(most) = most.filter(|most| is_begun && (!all_limited || found > *most)) {
            let message = format!(
                "{}: --max-paths {most} cannot be kept: what was begun there has gone further, or elsewhere",
                path.display()
            );
            return Err(Failure::new(message).hint("leave --max-paths out, or leave --resume out, to start over"));
        }
        Ok(is_begun.then_some(known))
    }
}

impl Session {
    fn begin(mut journal: Journal, wanted: &Wanted, ranges: Vec<Range>, seconds_before: f64) -> Result<Self, Failure> {
        add(&mut journal, &Entry::Begin { ordered: wanted.ordered, max_paths: wanted.max_paths, ranges });
        journal.write().map_err(Failure::new)?;
        let now = Instant::now();
        Ok(Session { journal, started: now, told: now, seconds_before, failure: None })
    }

    pub fn note(&mut self, events: &[Event]) -> bool {
        for event in events {
            add(&mut self.journal, &Entry::Event(Cow::Borrowed(event)));
        }
        if self.told.elapsed() > Duration::from_secs(1) {
            self.told = Instant::now();
            add(&mut self.journal, &Entry::Seconds(self.started.elapsed().as_secs_f64()));
        }
        // After a line that was not written whole no other must follow.
        if self.failure.is_none() {
            self.failure = self.journal.write().err();
        }
        self.failure.is_none()
    }

    /// Writes what is left to write, and the record.
    pub fn finish(self, writer: &mut Writer<'_>, out: &OutDir, exhausted: bool) -> Result<Finished, Failure> {
        if let Some(error) = self.failure {
            return Err(kept(error));
        }
        if let Some(error) = writer.failure.take() {
            return Err(kept(error));
        }
        out.sweep().map_err(kept)?;
        out.write_run(&writer.run).map_err(kept)?;
        Ok(Finished(exhausted.then_some(self.journal)))
    }
}

/// An exploration that is written, with its journal where nothing is left to do.
#[must_use]
pub struct Finished(Option<Journal>);

impl Finished {
    /// Nobody will want to go on from here any more: the journal goes, unless something is left to do.
    pub fn forget(self) -> Result<(), Failure> {
        self.0.map_or(Ok(()), |journal| journal.remove().map_err(Failure::new))
    }
}

/// What to do about something that could not be written.
fn kept(error: impl std::fmt::Display) -> Failure {
    Failure::new(error).hint("what was found so far is kept: when there is room, give the same command with --resume")
}

/// The record in the folder, if it is the complete one of this very exploration.
pub fn complete(folder: &Path, identity: &Identity) -> Result<Option<Run>, Failure> {
    let file = folder.join(RUN_FILE);
    if folder.join(JOURNAL_FILE).exists() || !file.exists() {
        return Ok(None);
    }
    let run = Run::read(&file).map_err(Failure::new)?;
    let of = run.suite.as_ref().and_then(|manifest| manifest.identity.as_ref());
    if of != Some(&fingerprint(identity)) {
        let message = format!("{}: there is nothing to go on with, but the result of something else", folder.display());
        return Err(Failure::new(message).hint("leave --resume out, to start over"));
    }
    Ok(run.complete.then_some(run))
}

/// In what two of them differ.
pub fn different<'a>(one: &'a Identity, other: &'a Identity) -> Vec<&'a str> {
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    names.into_iter().filter(|name| one.get(*name) != other.get(*name)).map(String::as_str).collect()
}

/// What stands for all of it.
pub fn fingerprint(identity: &Identity) -> String {
    upshot_suite::checksum(format!("{identity:?}").as_bytes())
}

/// Explores what is left to do, and notes what happens.
pub fn explore(
    image: &Image<'_>,
    config: &Config,
    work: Work,
    keep: &dyn Keep,
    sink: &mut dyn Sink,
    session: Option<&mut Session>,
) -> Result<Summary, Failure> {
    let explored = match session {
        Some(session) => upshot_explore::go_on(image, config, work, keep, &mut Noted { session, sink }),
        None => upshot_explore::go_on(image, config, work, keep, sink),
    };
    explored.map_err(Failure::new)
}

/// A sink whose events are noted.
struct Noted<'a> {
    session: &'a mut Session,
    sink: &'a mut dyn Sink,
}

impl Sink for Noted<'_> {
    fn noted(&mut self, events: &[Event]) -> bool {
        self.session.note(events)
    }

    fn found(&mut self, record: &PathRecord) {
        self.sink.found(record);
    }

    fn settled(&mut self, record: PathRecord) -> bool {
        self.sink.settled(record)
    }
}
