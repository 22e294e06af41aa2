//! The command-line tool: wiring, exit codes, progress. Everything it knows how to do is in the library crates.

mod arguments;
mod assumed;
mod check;
mod collector;
mod confirm;
mod ctest;
mod diff;
mod explain;
mod explore;
mod failure;
mod git;
mod history;
mod impact;
mod journal;
mod loaded;
mod merge;
mod minimize;
mod origin;
mod outputs;
mod progress;
mod ranges;
mod replay;
mod restored;
mod resume;
mod run;
mod seeds;
mod settings;
mod show;
mod signature;
mod sink;
mod suite;
mod update;
mod verify;
mod versions;

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use clap::Parser;

use arguments::{Arguments, Color, Command, RangesCommand};

fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_env_filter(tracing_subscriber::EnvFilter::from_env("UPSHOT_LOG"))
        .init();
    std::panic::set_hook(Box::new(note_panic));
    let words: Vec<String> = match std::env::args_os().map(std::ffi::OsString::into_string).collect() {
        Ok(words) => words,
        Err(word) => {
            eprintln!("upshot: the argument {} is not UTF-8", word.display());
            return ExitCode::from(2);
        }
    };
    let arguments = Arguments::parse_from(arguments::with_clang_flags(words.into_iter()));
    // What explores keeps what it has found; the rest has nothing to keep.
    let explores = matches!(
        arguments.command,
        Command::Run(_)
            | Command::Replay(_)
            | Command::Explore(_)
            | Command::Suite(_)
            | Command::Ranges(_)
            | Command::Update(_)
            | Command::Verify(_)
            | Command::Check(_)
            | Command::Signature(_)
            | Command::Explain(_)
            | Command::Minimize(_)
    );
    let interrupt = interrupt_flag(explores);
    let result = match &arguments.command {
        Command::Run(arguments) => run::run(arguments, &interrupt),
        Command::Show(arguments) => show::show(arguments),
        Command::Replay(arguments) => replay::replay(arguments, &interrupt),
        Command::Diff(arguments) => diff::diff(arguments),
        Command::Impact(arguments) => impact::impact(arguments),
        Command::Explore(arguments) => explore::explore(arguments, &interrupt),
        Command::Suite(command) => suite::suite(command, &interrupt),
        Command::Ranges(RangesCommand::Split(arguments)) => ranges::split(arguments, &interrupt),
        Command::Update(arguments) => update::update(arguments, &interrupt),
        Command::Verify(arguments) => verify::verify(arguments, &interrupt),
        Command::Explain(arguments) => explain::explain(arguments, &interrupt),
        Command::Minimize(arguments) => minimize::minimize(arguments, &interrupt),
        Command::Signature(arguments) => signature::signature(arguments, &interrupt),
        Command::Check(arguments) => check::check(arguments, &interrupt),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            if let Some(diagnostics) = &failure.diagnostics {
                eprint!("{diagnostics}");
            }
            eprintln!("upshot: {}", failure.message);
            if let Some(hint) = &failure.hint {
                eprintln!("        {hint}");
            }
            ExitCode::from(2)
        }
    }
}

/// Set by Ctrl-C or a request to terminate. The second one ends the process at once; so does the first, where nobody looks at the flag.
fn interrupt_flag(is_heeded: bool) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = flag.clone();
    let _ = ctrlc::set_handler(move || {
        if set.swap(true, Relaxed) || !is_heeded {
            std::process::exit(130);
        }
    });
    flag
}

/// A panic of ours is caught where it happens and becomes a path that ended as unsupported; its text goes to the log.
/// But a write to a closed pipe, as in `upshot … | head`, ends the process quietly.
fn note_panic(info: &std::panic::PanicHookInfo<'_>) {
    let text = info.payload().downcast_ref::<String>().map_or("", String::as_str);
    if text.contains("Broken pipe") {
        std::process::exit(0);
    }
    tracing::error!("internal error: {info}");
}

/// Whether to colour what goes to stdout.
fn style(color: Color) -> upshot_report::Style {
    let colored = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
    };
    if colored { upshot_report::Style::Colored } else { upshot_report::Style::Plain }
}
