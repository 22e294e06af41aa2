//! Prints the lowered form of a bitcode file: `cargo run -p upshot-ir --example dump -- FILE.bc [FUNCTION]`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: dump FILE.bc [FUNCTION]")?;
    let program = upshot_ir::load(&std::fs::read(path)?)?;
    for defect in upshot_ir::validate(&program) {
        eprintln!("{defect:?}");
    }
    match arguments.next() {
        Some(name) => {
            let id = program.function_named(&name).ok_or("no such function")?;
            print!("{}", program.dump_function(program.function(id)));
        }
        None => print!("{}", program.dump()),
    }
    Ok(())
}
