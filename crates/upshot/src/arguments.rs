//! The command line: raw flags, parsed by clap, with clang's own flags picked out first.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Tells people who change C code what the change does.
#[derive(Debug, Parser)]
#[command(name = "upshot", version, about, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Explore every path of a C program: find errors, write a test for each path.
    Run(Box<Run>),
    /// Print tests readably.
    Show(Show),
    /// Run tests natively, and compare with what was recorded.
    Replay(Replay),
    /// Compare two versions: which functions, globals and types differ, and in which lines.
    Diff(Diff),
    /// The lines and instructions that a change may influence, each with the reason.
    Impact(Impact),
    /// Explore the paths of the new version that a change affects, and no others; a test for each.
    Explore(Box<Explore>),
    /// For which inputs do two versions do the same, and for which not: proved, or shown by an input.
    Verify(Box<Verify>),
    /// All the ways in which the output is computed: for which inputs, as which expression of them, with a test for each.
    Signature(Box<Signature>),
    /// Why a test does something else in the new version: the few lines that may be the cause, each with an input near the test for which all is well.
    Explain(Box<Explain>),
    /// Keep one test for each way in which the output is computed, and say by which test each of the others is represented.
    Minimize(Box<Minimize>),
    /// Everything about a change on one page: each changed function verified, worst first.
    Check(Box<Check>),
    /// Make a suite of tests that can follow its program; show it, check it natively, join parts of one.
    #[command(subcommand)]
    Suite(SuiteCommand),
    /// Cut all paths of a program into ranges that can be explored apart from each other.
    #[command(subcommand)]
    Ranges(RangesCommand),
    /// Bring a suite up to date: the tests of the old version that still stand for a path of the new one are kept, and only what they leave open is explored.
    Update(Box<Update>),
}

#[derive(Debug, Subcommand)]
pub enum SuiteCommand {
    /// Explore every path, and write the tests with all that `update` needs to know.
    Create(Box<SuiteCreate>),
    /// What is in a suite.
    Show(SuiteShow),
    /// Run every test natively and compare with the record.
    Check(SuiteCheck),
    /// Join what runs of single ranges have found.
    Merge(SuiteMerge),
}

#[derive(Debug, Subcommand)]
pub enum RangesCommand {
    /// Write files with ranges of paths: together they are all paths, and no path is in two of them.
    Split(Box<RangesSplit>),
}

#[derive(Debug, Clone, Args)]
pub struct RangesSplit {
    #[command(flatten)]
    pub program: ProgramArguments,
    /// How many ranges.
    #[arg(short = 'n', long = "count", value_name = "K", value_parser = clap::value_parser!(u16).range(1..))]
    pub count: u16,
    /// Folder for the files.
    #[arg(long, value_name = "DIR", default_value = "upshot-ranges")]
    pub out: PathBuf,
    /// A test for every error path, not only for the first of its kind and place.
    #[arg(long)]
    pub all_errors: bool,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub checks: Checks,
    #[command(flatten)]
    pub solver: SolverArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Clone, Args)]
pub struct SuiteMerge {
    /// The folders that `upshot run --range` wrote.
    #[arg(required = true, value_name = "DIR")]
    pub parts: Vec<PathBuf>,
    /// Folder for the whole suite.
    #[arg(long, value_name = "DIR")]
    pub suite: PathBuf,
    /// Take the folder even if it holds something else.
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Clone, Args)]
pub struct SuiteCreate {
    #[command(flatten)]
    pub program: ProgramArguments,
    /// Folder for the suite.
    #[arg(long, value_name = "DIR")]
    pub suite: PathBuf,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub checks: Checks,
    #[command(flatten)]
    pub solver: SolverArguments,
    #[command(flatten)]
    pub output: OutputArguments,
    #[command(flatten)]
    pub seeds: SeedArguments,
    /// Take the folder even if it holds something else.
    #[arg(long)]
    pub force: bool,
    /// Go on with what an earlier such command did not get to the end of: it was killed or interrupted, or a limit or a full disk stopped it.
    #[arg(long)]
    pub resume: bool,
    /// A test for every error path, not only for the first of its kind and place.
    #[arg(long)]
    pub all_errors: bool,
    /// Workers. Default: all cores.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
}

/// Inputs from elsewhere. They save questions, and prove nothing infeasible.
#[derive(Debug, Clone, Default, Args)]
pub struct SeedArguments {
    /// A folder of .ktest files, from whatever made them. Repeatable.
    #[arg(long, value_name = "DIR")]
    pub seeds: Vec<PathBuf>,
    /// A file with the bytes of the inputs, one after the other; or a folder of such files. Repeatable.
    #[arg(long, value_name = "FILE")]
    pub seed_bytes: Vec<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub struct SuiteShow {
    /// The suite.
    #[arg(value_name = "DIR")]
    pub suite: PathBuf,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Clone, Args)]
pub struct SuiteCheck {
    /// The suite.
    #[arg(value_name = "DIR")]
    pub suite: PathBuf,
    /// Seconds for each test.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "10")]
    pub timeout: std::time::Duration,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// Stands for a version that was left out.
pub const NO_VERSION: &str = "-";

/// The versions may be left out, where there is a history.
fn optional_version(argument: clap::Arg) -> clap::Arg {
    if argument.get_id() != "old" && argument.get_id() != "new" {
        return argument;
    }
    argument.required(false).default_value(NO_VERSION).hide_default_value(true)
}

#[derive(Debug, Clone, Args)]
#[command(mut_args(optional_version))]
pub struct Update {
    #[command(flatten)]
    pub versions: VersionArguments,
    /// The suite of the old version.
    #[arg(long, value_name = "DIR")]
    pub suite: PathBuf,
    /// Start in this function. Default: as the suite says.
    #[arg(long, value_name = "FUNC")]
    pub entry: Option<String>,
    /// Only inputs for which this C expression holds. Default: as the suite says.
    #[arg(long, value_name = "EXPR")]
    pub assume: Vec<String>,
    /// Folder for the suite of the new version.
    #[arg(long, value_name = "DIR", default_value = "upshot-out", conflicts_with = "in_place")]
    pub out: PathBuf,
    /// Put the new suite in the place of the old one, at once, when it is whole.
    #[arg(long)]
    pub in_place: bool,
    /// Instead of OLD and NEW: follow the program from one revision of a git repository to another, along every commit that touches it.
    #[arg(long, value_name = "REV1..REV2", conflicts_with_all = ["old", "new", "resume"])]
    pub history: Option<String>,
    /// With --history: draw what each commit cost, as SVG.
    #[arg(long, value_name = "FILE", requires = "history")]
    pub plot: Option<PathBuf>,
    /// Take the output folder even if it holds something else.
    #[arg(long)]
    pub force: bool,
    /// Go on with what an earlier such command did not get to the end of: it was killed or interrupted, or a limit or a full disk stopped it.
    #[arg(long)]
    pub resume: bool,
    #[command(flatten)]
    pub seeds: SeedArguments,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub checks: Checks,
    #[command(flatten)]
    pub solver: SolverArguments,
    #[command(flatten)]
    pub output: OutputArguments,
    /// Workers. Default: all cores.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
}

/// What to load, the same in every command.
#[derive(Debug, Clone, Args)]
pub struct ProgramArguments {
    /// C files (compiled and linked for you), or .bc or .ll files; a directory, for the C files that its compile_commands.json lists (or that of its build/), each with its own flags, else for all in it; or a git revision (REV, or REV:path for a part of it).
    #[arg(required = true, value_name = "PROGRAM")]
    pub program: Vec<PathBuf>,
    /// Start in this function, with its parameters (and what they point to) symbolic, instead of main.
    #[arg(long, value_name = "FUNC")]
    pub entry: Option<String>,
    /// A flag for clang. -D, -I, -U, -std=, -O, -f, -m, -W and -isystem can be given as they are.
    #[arg(long = "clang-flag", value_name = "FLAG", allow_hyphen_values = true)]
    pub clang_flags: Vec<String>,
    /// Only inputs for which this C expression over the entry's parameters and globals holds. Repeatable.
    #[arg(long, value_name = "EXPR")]
    pub assume: Vec<String>,
}

/// Two versions to compare, the same in every command that does.
#[derive(Debug, Clone, Args)]
pub struct VersionArguments {
    /// The version before: a .c, .bc or .ll file; a directory, for the C files that its compile_commands.json lists (or that of its build/), each with its own flags, else for all in it; or a git revision (REV, or REV:path for a part of it).
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// The version after, likewise.
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
    /// The files of each, where these are not all that lie there.
    #[arg(skip)]
    pub files: Option<[Vec<PathBuf>; 2]>,
    /// A flag for clang, for both versions. -D, -I, -U, -std=, -O, -f, -m, -W and -isystem can be given as they are.
    #[arg(long = "clang-flag", value_name = "FLAG", allow_hyphen_values = true)]
    pub clang_flags: Vec<String>,
    /// Flags for clang, for the old version only, in one argument: --old-flags '-DN=4 -I include'.
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub old_flags: Vec<String>,
    /// Flags for clang, for the new version only.
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub new_flags: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Search {
    Dfs,
    Bfs,
    Random,
    Coverage,
}

/// How results are shown.
#[derive(Debug, Clone, Args)]
pub struct OutputArguments {
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    #[arg(long, value_enum, default_value = "auto")]
    pub color: Color,
    /// Print the verdict only.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print more: how questions were answered, where time went.
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

impl OutputArguments {
    /// How much a report says.
    pub fn detail(&self) -> upshot_report::Detail {
        detail(self.quiet, self.verbose)
    }
}

#[derive(Debug, Clone, Args)]
pub struct Run {
    #[command(flatten)]
    pub program: ProgramArguments,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub checks: Checks,
    #[command(flatten)]
    pub solver: SolverArguments,
    #[command(flatten)]
    pub output: OutputArguments,
    /// Folder for the tests and run.json.
    #[arg(long, value_name = "DIR", default_value = "upshot-out")]
    pub out: PathBuf,
    /// Take the output folder even if it holds something else.
    #[arg(long)]
    pub force: bool,
    /// Go on with what an earlier such command did not get to the end of: it was killed or interrupted, or a limit or a full disk stopped it.
    #[arg(long, conflicts_with = "no_tests")]
    pub resume: bool,
    /// Only this range of paths: a file that `upshot ranges split` wrote for this program and these flags. `upshot suite merge` joins the results.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["no_tests", "max_paths"])]
    pub range: Option<PathBuf>,
    /// Which states to run first. What is found in the end is the same.
    #[arg(long, value_enum, default_value = "dfs")]
    pub search: Search,
    /// For the random and coverage searches.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// A test for every error path, not only for the first of its kind and place.
    #[arg(long)]
    pub all_errors: bool,
    /// Write nothing: no tests, no run.json.
    #[arg(long)]
    pub no_tests: bool,
    #[command(flatten)]
    pub seeds: SeedArguments,
    /// Workers. Default: all cores.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
}

pub const DEFAULT_MAX_ALLOC: u64 = 4096;
pub const DEFAULT_ARRAY_LEN: u64 = 4;
pub const DEFAULT_POINTER_DEPTH: u32 = 3;

/// Limits of the search; a result that hit one is not complete.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Bounds")]
pub struct Bounds {
    /// Decisions on symbolic data per path.
    #[arg(long, value_name = "N")]
    pub max_depth: Option<usize>,
    /// The first N paths, in path order.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_paths: Option<u64>,
    /// Instructions per path.
    #[arg(long, value_name = "N")]
    pub max_instructions: Option<u64>,
    /// Seconds for everything.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<std::time::Duration>,
    /// Memory of the whole process, in megabytes.
    #[arg(long, value_name = "MB")]
    pub max_memory: Option<u64>,
    /// Largest allocation of symbolic size, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_MAX_ALLOC)]
    pub max_alloc: u64,
    /// Elements behind an input pointer; characters of an input string.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_ARRAY_LEN, value_parser = clap::value_parser!(u64).range(1..))]
    pub array_len: u64,
    /// How many input pointers may lead to new objects, one behind the other; after that they are null.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_POINTER_DEPTH)]
    pub pointer_depth: u32,
}

/// What counts as an error, or as an input.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Semantics")]
pub struct Checks {
    /// Signed overflow is an error (default: it wraps).
    #[arg(long)]
    pub check_overflow: bool,
    /// Reading what was never written is an error (default: it is an unknown value).
    #[arg(long)]
    pub check_uninit: bool,
    /// malloc may return null.
    #[arg(long)]
    pub malloc_fail: bool,
    /// With --entry: the globals that the entry can reach start symbolic too.
    #[arg(long)]
    pub symbolic_globals: bool,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Solver")]
pub struct SolverArguments {
    /// Milliseconds per question; past that the answer is unknown.
    #[arg(long, value_name = "MS")]
    pub solver_timeout: Option<u64>,
    /// Write what reaches Z3 to this folder, as SMT-LIB.
    #[arg(long, value_name = "DIR")]
    pub log_queries: Option<PathBuf>,
    /// Compare every answer with a fresh Z3 (slow; for finding bugs in Upshot).
    #[arg(long)]
    pub check_solver: bool,
    /// Switch a layer of the solver off. Repeatable.
    #[arg(long, value_name = "LAYER", value_parser = layer)]
    pub without_layer: Vec<upshot_solver::Layer>,
}

#[derive(Debug, Clone, Args)]
pub struct Show {
    /// .ktest files.
    #[arg(required = true, value_name = "TEST")]
    pub tests: Vec<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Clone, Args)]
pub struct Replay {
    /// The program (.c, .bc or .ll files), then the tests (.ktest files).
    #[arg(required = true, value_name = "PROGRAM|TEST")]
    pub files: Vec<PathBuf>,
    /// The function the tests are for, when they were made with --entry. Default: as run.json beside the tests says.
    #[arg(long, value_name = "FUNC")]
    pub entry: Option<String>,
    /// A flag for clang. -D, -I, -U, -std=, -O, -f, -m, -W and -isystem can be given as they are.
    #[arg(long = "clang-flag", value_name = "FLAG", allow_hyphen_values = true)]
    pub clang_flags: Vec<String>,
    /// Fail if a native run does not go and end as run.json beside the test says.
    #[arg(long)]
    pub check: bool,
    /// Seconds for each test.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "10")]
    pub timeout: std::time::Duration,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Clone, Args)]
pub struct Diff {
    #[command(flatten)]
    pub versions: VersionArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Clone, Args)]
pub struct Impact {
    #[command(flatten)]
    pub versions: VersionArguments,
    /// Report this function only.
    #[arg(long, value_name = "F")]
    pub function: Option<String>,
    /// Each changed procedure by itself (intra), or through calls, globals and memory into others (inter).
    #[arg(long, value_enum, default_value = "inter")]
    pub scope: Scope,
    /// Write the new version's bitcode, with !upshot.impact on every impacted instruction.
    #[arg(long, value_name = "FILE")]
    pub emit_bc: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Clone, Args)]
pub struct Explore {
    #[command(flatten)]
    pub versions: VersionArguments,
    /// Start in this function, with its parameters (and what they point to) symbolic. Default: main; where there is none, each
    /// function that the change touches and that no other such function calls.
    #[arg(long, value_name = "FUNC")]
    pub entry: Option<String>,
    /// Only inputs for which this C expression over the entry's parameters and globals holds. Repeatable.
    #[arg(long, value_name = "EXPR")]
    pub assume: Vec<String>,
    /// What to leave out: sound keeps one path for every sequence of impacted instructions; paper is the algorithm of the DiSE papers,
    /// which may lose some; off explores everything.
    #[arg(long, value_enum, default_value = "sound")]
    pub prune: Prune,
    /// Which side of a decision to take first. With --prune sound the result does not depend on it.
    #[arg(long, value_enum, default_value = "default")]
    pub order: Order,
    /// For the random order.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Tests of the old version: those that take an affected path are selected, and only what they miss is added.
    #[arg(long, value_name = "DIR")]
    pub suite: Option<PathBuf>,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub checks: Checks,
    #[command(flatten)]
    pub solver: SolverArguments,
    #[command(flatten)]
    pub output: OutputArguments,
    /// Folder for the tests.
    #[arg(long, value_name = "DIR", default_value = "upshot-out")]
    pub out: PathBuf,
    /// Take the output folder even if it holds something else.
    #[arg(long)]
    pub force: bool,
    /// Go on with what an earlier such command did not get to the end of: it was killed or interrupted, or a limit or a full disk stopped it.
    #[arg(long)]
    pub resume: bool,
    /// Workers. Default: all cores.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
}

/// What a comparison of two versions looks at, and how.
#[derive(Debug, Clone, Args)]
pub struct Comparing {
    /// Only inputs for which this C expression over the entry's parameters and globals holds. Repeatable. In check it is for those of the
    /// functions that have such parameters and globals.
    #[arg(long, value_name = "EXPR")]
    pub assume: Vec<String>,
    /// Tests of the old version (the folder of a run of it, or of suite create): paths that they take are compared first. The result is the same.
    /// In check it is for the function that it was made for, or holds a folder for each function.
    #[arg(long, value_name = "DIR")]
    pub suite: Option<PathBuf>,
    /// What counts as output. Default: all of it.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    pub observe: Vec<Observable>,
    /// Whether null is a value for the entry's pointer parameters.
    #[arg(long, value_enum, default_value = "yes")]
    pub null_args: YesNo,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub checks: Checks,
    #[command(flatten)]
    pub solver: SolverArguments,
    #[command(flatten)]
    pub output: OutputArguments,
    /// Folder for the tests.
    #[arg(long, value_name = "DIR", default_value = "upshot-out")]
    pub out: PathBuf,
    /// Take the output folder even if it holds something else.
    #[arg(long)]
    pub force: bool,
    /// For every partition that is proved equal, write an SMT-LIB file here that is unsatisfiable if that is so, and a script (check.sh) that has
    /// another solver (cvc5) check them all. Partitions are proved one by one then: steps that need no path have no such file and are left out.
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    pub certify: Option<PathBuf>,
    /// Leave out a step that can save work. Repeatable.
    #[arg(long, value_enum, value_name = "STEP")]
    pub without: Vec<Step>,
    /// Go on from what an earlier run has settled in the output folder, however it ended. Versions and flags must be the same; limits of the search may differ.
    #[arg(long)]
    pub resume: bool,
    /// Workers. Default: all cores. The result does not depend on it.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
}

#[derive(Debug, Clone, Args)]
pub struct Verify {
    #[command(flatten)]
    pub versions: VersionArguments,
    /// Compare this function, with its parameters (and what they point to) and globals symbolic. Default: main; where there is none, the one function that
    /// the change touches and that no other such function calls.
    #[arg(long, value_name = "FUNC")]
    pub entry: Option<String>,
    /// Stop at the first difference (found by one worker, so that it is always the same one), or look at all inputs.
    #[arg(long, value_enum, default_value = "all")]
    pub until: Until,
    #[command(flatten)]
    pub comparing: Comparing,
}

#[derive(Debug, Clone, Args)]
pub struct Check {
    #[command(flatten)]
    pub versions: VersionArguments,
    #[command(flatten)]
    pub comparing: Comparing,
}

#[derive(Debug, Clone, Args)]
pub struct Signature {
    #[command(flatten)]
    pub program: ProgramArguments,
    /// What counts as output: RETURN, the name of a global, memory (behind the entry's pointers), stdout, stderr, calls (of unknown functions), or
    /// LINE:VAR, a variable each time before a line is run, the last time counting. Repeatable. Default: all but LINE:VAR; of main, what it returns and prints.
    #[arg(long = "output", value_name = "WHAT", value_delimiter = ',')]
    pub outputs: Vec<String>,
    /// Print a table.
    #[arg(long, conflicts_with = "format")]
    pub table: bool,
    /// Compare with this older version, case by case.
    #[arg(long, value_name = "OLD")]
    pub diff: Option<PathBuf>,
    /// Explore all paths as well, to say how many there are.
    #[arg(long)]
    pub count_paths: bool,
    /// Every branch counts, as in plain path exploration; for comparison.
    #[arg(long, conflicts_with = "count_paths")]
    pub whole_paths: bool,
    #[arg(long, value_enum, default_value = "text")]
    pub format: PageFormat,
    #[command(flatten)]
    pub appearance: Appearance,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub checks: Checks,
    #[command(flatten)]
    pub solver: SolverArguments,
    /// Folder for the tests.
    #[arg(long, value_name = "DIR", default_value = "upshot-out")]
    pub out: PathBuf,
    /// Take the output folder even if it holds something else.
    #[arg(long)]
    pub force: bool,
    /// Write no tests.
    #[arg(long)]
    pub no_tests: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Explain {
    #[command(flatten)]
    pub versions: VersionArguments,
    /// The test (.ktest). Default: one for which the versions differ is looked for.
    #[arg(long, value_name = "TEST")]
    pub test: Option<PathBuf>,
    /// The function that the test is for. Default: main.
    #[arg(long, value_name = "FUNC")]
    pub entry: Option<String>,
    /// Only inputs for which this C expression over the entry's parameters and globals holds. Repeatable.
    #[arg(long, value_name = "EXPR")]
    pub assume: Vec<String>,
    /// What counts as output: RETURN, the name of a global, memory, stdout, stderr, calls. Repeatable. Default: all of it.
    #[arg(long = "output", value_name = "WHAT", value_delimiter = ',')]
    pub outputs: Vec<String>,
    /// Compose whole path conditions instead of relevant-slice conditions; for comparison.
    #[arg(long)]
    pub path_conditions: bool,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub checks: Checks,
    #[command(flatten)]
    pub solver: SolverArguments,
    #[command(flatten)]
    pub shown: OutputArguments,
    /// Folder for the test that was found, and the inputs near it.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Take the output folder even if it holds something else.
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Minimize {
    /// C files, or .bc or .ll files. Default: as the suite says.
    #[arg(value_name = "PROGRAM")]
    pub program: Vec<PathBuf>,
    /// The folder with the tests. It is left as it is.
    #[arg(long, value_name = "DIR")]
    pub suite: PathBuf,
    /// The function that the tests are for. Default: as the suite says.
    #[arg(long, value_name = "FUNC")]
    pub entry: Option<String>,
    /// A flag for clang. -D, -I, -U, -std=, -O, -f, -m, -W and -isystem can be given as they are.
    #[arg(long = "clang-flag", value_name = "FLAG", allow_hyphen_values = true)]
    pub clang_flags: Vec<String>,
    /// What counts as output, as in signature.
    #[arg(long = "output", value_name = "WHAT", value_delimiter = ',')]
    pub outputs: Vec<String>,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub checks: Checks,
    #[command(flatten)]
    pub shown: OutputArguments,
    /// Folder for the tests that are kept.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Take the output folder even if it holds something else.
    #[arg(long)]
    pub force: bool,
}

fn detail(quiet: bool, verbose: u8) -> upshot_report::Detail {
    match (quiet, verbose) {
        (true, _) => upshot_report::Detail::Verdict,
        (_, 0) => upshot_report::Detail::Normal,
        _ => upshot_report::Detail::Verbose,
    }
}

/// How much is printed, and in which colours.
#[derive(Debug, Clone, Args)]
pub struct Appearance {
    #[arg(long, value_enum, default_value = "auto")]
    pub color: Color,
    /// Print the verdict only.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print more.
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

impl Appearance {
    /// How much a report says.
    pub fn detail(&self) -> upshot_report::Detail {
        detail(self.quiet, self.verbose)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PageFormat {
    Text,
    Json,
    Html,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Until {
    FirstDifference,
    All,
}

/// What can prove versions equal without looking at every path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Step {
    /// Where no changed code can be met any more, the rest is the same.
    Impact,
    /// Loops and calls of both versions, in step, from any state to the next.
    Induction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum YesNo {
    Yes,
    No,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Observable {
    Return,
    Globals,
    Memory,
    Output,
    Calls,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Prune {
    Sound,
    Paper,
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Order {
    Default,
    Random,
    Greedy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    Intra,
    Inter,
}

fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of seconds".to_string())?;
    std::time::Duration::try_from_secs_f64(number).map_err(|_| "not a number of seconds that can be waited".to_string())
}

fn layer(text: &str) -> Result<upshot_solver::Layer, String> {
    upshot_solver::Layer::from_name(text).ok_or_else(|| {
        let names: Vec<_> = upshot_solver::Layer::ALL.iter().map(|layer| layer.name()).collect();
        format!("no such layer; there are {}", names.join(", "))
    })
}

/// Clang's flags as people write them (`-DN=4`, `-I include`, `-std=c99`, `-O2`), turned into `--clang-flag=…`.
pub fn with_clang_flags(arguments: impl Iterator<Item = String>) -> Vec<String> {
    let mut result = Vec::new();
    let mut arguments = arguments.peekable();
    let mut options_ended = false;
    while let Some(argument) = arguments.next() {
        options_ended |= argument == "--";
        if !options_ended && matches!(argument.as_str(), "--clang-flag" | "--old-flags" | "--new-flags") {
            // Its value is for clang as it stands.
            let value = arguments.next();
            result.push(value.map_or(argument.clone(), |value| format!("{argument}={value}")));
            continue;
        }
        if options_ended || !is_clang_flag(&argument) {
            result.push(argument);
            continue;
        }
        let takes_value = matches!(argument.as_str(), "-D" | "-I" | "-U" | "-isystem" | "-include" | "-iquote");
        match arguments.peek() {
            Some(_) if takes_value => {
                result.push(format!("--clang-flag={argument}"));
                let value = arguments.next().unwrap_or_default();
                result.push(format!("--clang-flag={value}"));
            }
            _ => result.push(format!("--clang-flag={argument}")),
        }
    }
    result
}

fn is_clang_flag(argument: &str) -> bool {
    let Some(flag) = argument.strip_prefix('-') else { return false };
    let starts = |prefix: &str| flag.starts_with(prefix);
    starts("D")
        || starts("I")
        || starts("U")
        || starts("std=")
        || starts("isystem")
        || starts("iquote")
        || starts("include")
        || starts("O")
        || flag == "w"
        || (flag.len() > 1 && (starts("f") || starts("m") || starts("W") || starts("p")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn values_that_are_flags_are_left_alone() {
        let given = ["diff", "--old-flags", "-DN=4 -O2", "--clang-flag", "-fwrapv", "--new-flags=-DM", "a.c"];
        let turned = with_clang_flags(given.iter().map(ToString::to_string));
        assert_eq!(turned, ["diff", "--old-flags=-DN=4 -O2", "--clang-flag=-fwrapv", "--new-flags=-DM", "a.c"]);
    }

    #[test]
    fn clang_flags_are_picked_out() {
        let given = ["run", "-DN=4", "-I", "inc", "-O2", "-w", "-std=c99", "-j", "2", "-q", "a.c", "--max-depth", "3"];
        let turned = with_clang_flags(given.iter().map(ToString::to_string));
        assert_eq!(
            turned,
            [
                "run",
                "--clang-flag=-DN=4",
                "--clang-flag=-I",
                "--clang-flag=inc",
                "--clang-flag=-O2",
                "--clang-flag=-w",
                "--clang-flag=-std=c99",
                "-j",
                "2",
                "-q",
                "a.c",
                "--max-depth",
                "3"
            ]
        );
    }
}
