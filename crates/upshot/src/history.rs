//! `upshot update --history REV1..REV2`: a suite follows its program along the commits of a git repository.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use upshot_report::{HistoryReport, HistoryStep, StepResult};
use upshot_suite::OutDir;

use crate::arguments::{Format, Update};
use crate::failure::Failure;
use crate::git::{Commit, Repository};
use crate::suite::Suite;
use crate::update;

/// Runs the command; the exit code.
pub fn history(arguments: &Update, revisions: &str, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    let Some((from, to)) = revisions.split_once("..").filter(|(from, to)| !from.is_empty() && !to.starts_with('.'))
    else {
        return Err(Failure::new(format!("--history {revisions}: give two revisions, as in v1.0..HEAD")));
    };
    let repository = Repository::here()?;
    let (from, to) = (repository.commit(from)?, repository.commit(if to.is_empty() { "HEAD" } else { to })?);
    let suite = Suite::read(&arguments.suite)?;
    let Some(program) = suite.run.as_ref().and_then(|run| run.program.as_ref()) else {
        let message = format!("{}: the suite does not say which program it is of", arguments.suite.display());
        return Err(Failure::new(message).hint("make one with `upshot suite create`"));
    };
    let files = program.inputs.iter().map(|file| repository.inside(Path::new(file))).collect::<Result<Vec<_>, _>>()?;
    let commits = repository.commits(&from, &to, &files)?;
    let flags = suite.run.as_ref().map(update::recorded_flags).unwrap_or_default();
    let target = update::target(arguments)?;
    // What is there must be ours to replace, before anything else is done.
    drop(OutDir::claim(&target, arguments.force)?);
    let work =
        tempfile::Builder::new().prefix(".upshot-history-").tempdir_in(folder_of(&target)).map_err(Failure::new)?;
    let mut walk = Walk {
        arguments,
        repository: &repository,
        files,
        flags,
        folder: work.path(),
        interrupt,
        good: (from, arguments.suite.clone()),
        steps: Vec::new(),
    };
    walk.check_out(&walk.good.0)?;
    for commit in commits {
        if !walk.step(commit)? {
            break;
        }
    }
    let Walk { good: (commit, last), steps, .. } = walk;
    let mut report = HistoryReport { revisions: revisions.to_string(), steps, ..HistoryReport::default() };
    if last != arguments.suite {
        let put = || {
            upshot_suite::exchange(&last, &target)?;
            if arguments.in_place { upshot_suite::exchange(&target, &arguments.suite) } else { Ok(()) }
        };
        put().map_err(Failure::new)?;
        report.out = Some(if arguments.in_place { &arguments.suite } else { &target }.display().to_string());
        report.of = commit.short().to_string();
    } else {
        std::fs::remove_dir_all(&target).map_err(Failure::new)?;
    }
    tell(arguments, &report)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn tell(arguments: &Update, report: &HistoryReport) -> Result<u8, Failure> {
    if let Some(plot) = &arguments.plot {
        let svg = upshot_report::history_svg(report);
        upshot_suite::write_atomic(plot, svg.as_bytes()).map_err(Failure::new)?;
    }
    match arguments.output.format {
        Format::Json => println!("{}", upshot_report::history_json(report)),
        Format::Text => print!("{}", upshot_report::history_text(report, crate::style(arguments.output.color))),
    }
    let updates = || report.steps.iter().filter_map(StepResult::of);
    Ok(match () {
        () if updates().any(|update| update.interrupted) => 130,
        () if updates().next_back().is_some_and(|update| update.errors > 0) => 1,
        () if report.is_complete() => 0,
        () => 3,
    })
}

/// On the way from commit to commit.
struct Walk<'a> {
    arguments: &'a Update,
    repository: &'a Repository,
    files: Vec<PathBuf>,
    flags: Vec<String>,
    folder: &'a Path,
    interrupt: &'a Arc<AtomicBool>,
    /// The last commit with a suite, and that.
    good: (Commit, PathBuf),
    steps: Vec<HistoryStep>,
}

impl Walk<'_> {
    fn tree(&self, commit: &Commit) -> PathBuf {
        self.folder.join(&commit.id)
    }

    fn check_out(&self, commit: &Commit) -> Result<(), Failure> {
        self.repository.check_out(commit, &self.tree(commit))
    }

    /// Brings the suite to the next commit; false to stop there. A commit that cannot be built is passed over.
    fn step(&mut self, commit: Commit) -> Result<bool, Failure> {
        self.check_out(&commit)?;
        let suite = self.folder.join(format!("suite-{}", commit.id));
        let mut update = self.arguments.clone();
        let trees = [self.tree(&self.good.0), self.tree(&commit)];
        update.versions.files = Some(trees.clone().map(|tree| self.files.iter().map(|file| tree.join(file)).collect()));
        let [old, new] = trees;
        (update.versions.old, update.versions.new) = (old, new);
        update.versions.clang_flags = self.flags.iter().chain(&self.arguments.versions.clang_flags).cloned().collect();
        (update.suite, update.out) = (self.good.1.clone(), suite.clone());
        (update.in_place, update.history) = (false, None);
        let result = update::bring(&update, self.interrupt);
        let (id, subject) = (commit.short().to_string(), commit.subject.clone());
        let (result, whole) = match result {
            Ok(report) => {
                let whole = report.whole;
                (StepResult::Updated(Box::new(report)), whole)
            }
            Err(failure) => {
                let tree = format!("{}/", self.tree(&commit).display());
                (StepResult::Failed(failure.message.replace(&tree, "")), true)
            }
        };
        let is_good = whole && matches!(result, StepResult::Updated(_));
        self.steps.push(HistoryStep { commit: id, subject, result });
        if is_good {
            let before = std::mem::replace(&mut self.good, (commit, suite));
            std::fs::remove_dir_all(self.tree(&before.0)).map_err(Failure::new)?;
            if before.1 != self.arguments.suite {
                std::fs::remove_dir_all(&before.1).map_err(Failure::new)?;
            }
        }
        Ok(whole)
    }
}
