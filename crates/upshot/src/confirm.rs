//! A difference is confirmed when both versions, compiled and run on the input, really do different things.

use upshot_explore::End;
use upshot_ir::Program;
use upshot_suite::{BuildKind, EndKind, Ktest, NativeEnd, NativeRun, PathEnd, Replayer, RunOptions};

use crate::sink::end_kind;

/// Both versions, to be run natively.
pub struct Confirmer {
    replayers: Result<[Replayer; 2], String>,
}

/// How long a run that is known never to end is waited for.
const ENDLESS: std::time::Duration = std::time::Duration::from_secs(2);

/// What two native runs have shown.
pub struct Confirmation {
    pub confirmed: bool,
    pub note: Option<String>,
}

impl Confirmer {
    pub fn new(bitcode: [&[u8]; 2], programs: [&Program; 2], entry: Option<&str>) -> Self {
        let make = |side: usize| Replayer::new(bitcode[side], programs[side], entry).map_err(|error| error.to_string());
        let replayers = make(0).and_then(|old| Ok([old, make(1)?]));
        Confirmer { replayers }
    }

    /// Runs an input on both versions.
    pub fn confirm(&self, test: &Ktest, ends: [&End; 2]) -> Confirmation {
        let replayers = match &self.replayers {
            Ok(replayers) => replayers,
            Err(why) => return Confirmation { confirmed: false, note: Some(why.clone()) },
        };
        let is_endless =
            ends.iter().any(|end| matches!(end, End::Error { kind, .. } if *kind == upshot_exec::ErrorKind::Endless));
        let mut runs = Vec::new();
        for (replayer, end) in replayers.iter().zip(ends) {
            let mut options = RunOptions { memory: true, ..RunOptions::default() };
            if is_endless {
                options.limits.time = ENDLESS;
            }
            match replayer.run(test, build_for(end), &options) {
                Ok(run) => runs.push(run),
                Err(error) => return Confirmation { confirmed: false, note: Some(error.to_string()) },
            }
        }
        let unusable = runs.iter().find(|run| {
            matches!(run.end, NativeEnd::BadTest { .. } | NativeEnd::Undefined { .. } | NativeEnd::AssumeFailed)
        });
        if let Some(run) = unusable {
            return Confirmation { confirmed: false, note: Some(format!("natively {}", run.end)) };
        }
        let confirmed = differ(&runs[0], &runs[1]);
        let note = (!confirmed).then(|| format!("natively both versions do the same ({})", runs[0].end));
        Confirmation { confirmed, note }
    }
}

fn build_for(end: &End) -> BuildKind {
    let error = match end {
        End::Error { kind, .. } => Some(kind.name().to_string()),
        _ => None,
    };
    BuildKind::for_end(&PathEnd { kind: end_kind(end), error, ..PathEnd::default() })
}

/// Whether two runs can be told apart: by how they end, by what they return or print, or by what they leave in memory.
fn differ(old: &NativeRun, new: &NativeRun) -> bool {
    let is_plain = |end: &NativeEnd| matches!(end, NativeEnd::Returned { .. } | NativeEnd::Exited { .. });
    if is_plain(&old.end) && is_plain(&new.end) {
        let memory = match (&old.memory, &new.memory) {
            (Some(old), Some(new)) => old != new,
            _ => false,
        };
        return old.end != new.end
            || old.returned != new.returned
            || old.stdout != new.stdout
            || old.stderr != new.stderr
            || memory;
    }
    if is_plain(&old.end) != is_plain(&new.end) {
        return true;
    }
    let word = |end: &NativeEnd| end.to_string();
    word(&old.end) != word(&new.end) || old.stdout != new.stdout
}

/// Whether an end is one that a native run can show.
pub fn is_an_end(end: &End) -> bool {
    matches!(end_kind(end), EndKind::Finished | EndKind::Error)
}
