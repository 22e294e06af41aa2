//! What recording costs: one path of a program (all inputs zero), plain and with its events written down, and how long the walk along them takes.
//!
//! `cargo run --release -p upshot-slice --example overhead -- FILE.c [ENTRY]`

use std::time::{Duration, Instant};

use upshot_exec::{Image, Machine, Options, Pause, Start};
use upshot_expr::Assignment;
use upshot_impact::{Checks, Effects};
use upshot_slice::{Code, Config, Output, Slicer, Variables};

/// Runs are repeated until they have taken this long.
const LONG_ENOUGH: Duration = Duration::from_millis(1500);

fn path(image: &Image<'_>, config: &Config, records: bool) -> (u64, usize) {
    let mut machine = Machine::new(image, Options::default());
    let mut state = machine.start(config.entry, &config.start).expect("the entry can be started");
    if records {
        state.record();
    }
    let zeros = Assignment::new();
    loop {
        match machine.run(&mut state) {
            Pause::Yield | Pause::Mark(_) => {}
            Pause::Ended(_) => break,
            Pause::Assume(condition) => {
                let holds = zeros.eval_bool(&machine.terms, condition);
                machine.answer(&mut state, u32::from(!holds));
            }
            Pause::Fork(fork) => {
                let side = fork.choices.iter().position(|&choice| zeros.eval_bool(&machine.terms, choice));
                machine.answer(&mut state, side.unwrap_or(0) as u32);
            }
        }
    }
    (machine.path_instructions(&state), state.recording().map_or(0, |recording| recording.events().len()))
}

fn seconds(mut work: impl FnMut()) -> f64 {
    let (started, mut count) = (Instant::now(), 0);
    while started.elapsed() < LONG_ENOUGH || count < 3 {
        work();
        count += 1;
    }
    started.elapsed().as_secs_f64() / f64::from(count)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("a C file");
    let entry = arguments.next();
    let request = upshot_frontend::Request {
        inputs: vec![file.clone().into()],
        flags: vec!["-w".into()],
        entry: entry.clone(),
        ..Default::default()
    };
    let built = upshot_frontend::build(&request).unwrap_or_else(|error| panic!("{error}"));
    let program = upshot_ir::load_trusted(&built.linked).expect("the bitcode is good");
    let id = program.function_named(entry.as_deref().unwrap_or("main")).expect("the entry is there");
    let image = Image::new(&program);
    let start = Start { symbolic_parameters: entry.is_some(), ..Start::default() };
    let config = Config { start, outputs: vec![Output::Returned], ..Config::new(id) };
    let (instructions, _) = path(&image, &config, false);
    let (_, events) = path(&image, &config, true);
    let plain = seconds(|| _ = path(&image, &config, false));
    let recorded = seconds(|| _ = path(&image, &config, true));
    let effects = Effects::new(&program, id, Checks::default());
    let code = Code::new(&program, &effects);
    let variables = Variables::default();
    let mut slicer = Slicer::new(&image, &config, &variables, &code).expect("the solver starts");
    let sliced = seconds(|| drop(slicer.slice(upshot_explore::Seed::default())));
    println!(
        "| {file} | {instructions} | {events} | {:.3} | {:.3} | {:.2} | {:.3} |",
        1e3 * plain,
        1e3 * recorded,
        recorded / plain,
        1e3 * sliced
    );
}
