//! How long the phases take on two versions of a program: `measure old.c new.c`.

use std::path::PathBuf;
use std::time::Instant;
use upshot_diff::{Sources, Version, diff};
use upshot_impact::{Scope, analyse};
use upshot_ir::Program;

fn load(file: PathBuf) -> Result<Program, Box<dyn std::error::Error>> {
    let since = Instant::now();
    let request = upshot_frontend::Request { inputs: vec![file], ..Default::default() };
    let built = upshot_frontend::build(&request)?;
    let compiled = since.elapsed();
    let program = upshot_ir::load_trusted(&built.linked)?;
    println!(
        "{:>8.2} s compiling, {:.2} s loading",
        compiled.as_secs_f64(),
        (since.elapsed() - compiled).as_secs_f64()
    );
    Ok(program)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt().with_env_filter("upshot_impact=debug").init();
    let mut files = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(old), Some(new)) = (files.next(), files.next()) else { return Err("two files, please".into()) };
    let (old, new) = (load(old)?, load(new)?);
    let since = Instant::now();
    let (old_text, new_text) = (Sources::read(&old), Sources::read(&new));
    let changes = diff(Version { program: &old, sources: &old_text }, Version { program: &new, sources: &new_text });
    println!("{:>8.2} s diff", since.elapsed().as_secs_f64());
    let impact = analyse(&old, &new, &changes, Scope::Inter);
    for phase in &impact.phases {
        println!("{:>8.2} s {}", phase.time.as_secs_f64(), phase.name);
    }
    println!("{:>8.2} s diff and impact", since.elapsed().as_secs_f64());
    let impacted = impact.new.iter().flatten().filter(|reason| reason.is_some()).count();
    let all: usize = new.functions.iter().map(|function| function.insts.len()).sum();
    println!("{impacted} of {all} instructions impacted");
    Ok(())
}
