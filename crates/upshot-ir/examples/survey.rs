//! Loads many bitcode files and prints what is not supported in them, most frequent first:
//! `cargo run --release -p upshot-ir --example survey -- FILES…`.

use std::collections::BTreeMap;
use std::time::Instant;
use upshot_ir::Op;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut reasons: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let (mut instructions, mut operations) = (0, 0);
    let start = Instant::now();
    for path in std::env::args().skip(1) {
        let program = match upshot_ir::load(&std::fs::read(&path)?) {
            Ok(program) => program,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        for defect in upshot_ir::validate(&program) {
            println!("{path}: {defect:?}");
        }
        for function in &program.functions {
            let untyped = function.parameters.iter().any(|parameter| parameter.ty.is_none());
            if function.return_type.is_some() && untyped {
                println!("{path}: {} has parameters without a C type", function.name);
            }
            instructions += function.insts.len();
            operations += function.ops.len();
            for op in &function.ops {
                if let Op::Unsupported { what } = op {
                    let entry = reasons.entry(program.unsupported[*what as usize].clone()).or_default();
                    *entry = (entry.0 + 1, format!("{path} {}", function.name));
                }
            }
        }
    }
    println!("{instructions} instructions, {operations} operations, {:?}", start.elapsed());
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (reason, (count, place)) in reasons {
        println!("{count:6} {reason} ({place})");
    }
    Ok(())
}
