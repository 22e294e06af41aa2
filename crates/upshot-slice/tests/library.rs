//! The slices of a path that was run elsewhere, as upshot-verify would ask for them.

use upshot_exec::{Image, Machine, Options, Pause, Start};
use upshot_expr::Assignment;
use upshot_impact::{Checks, Effects};
use upshot_slice::Code;

const PROGRAM: &str = "int noise;\n\
    int f(int x, int y, int z) {\n    int a, b = 2;\n    if (x - y > 0)\n        a = x;\n    else\n        a = y;\n\
    if (x + y > 10)\n        b = a;\n    if (z > 3)\n        noise = 1;\n    return b;\n}\n";

#[test]
fn slices_of_a_path_that_somebody_else_has_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("main.c");
    std::fs::write(&file, PROGRAM).unwrap();
    let request = upshot_frontend::Request { inputs: vec![file], entry: Some("f".into()), ..Default::default() };
    let built = upshot_frontend::build(&request).unwrap_or_else(|error| panic!("{error}"));
    let program = upshot_ir::load_trusted(&built.linked).unwrap();
    let entry = program.function_named("f").unwrap();
    let image = Image::new(&program);
    let effects = Effects::new(&program, entry, Checks::default());
    let code = Code::new(&program, &effects);
    // All inputs zero: neither x + y > 10, nor x - y > 0, nor z > 3; then an input with x + y > 10.
    for (x, expected, lines) in [(0u8, vec![1], vec![3, 8, 12]), (11, vec![1, 0], vec![4, 5, 8, 9, 12])] {
        let mut machine = Machine::new(&image, Options::default());
        let start = Start { symbolic_parameters: true, ..Start::default() };
        let mut state = machine.start(entry, &start).unwrap();
        state.record();
        let mut values = Assignment::new();
        values.set(state.inputs()[0].symbol, 0, x);
        loop {
            match machine.run(&mut state) {
                Pause::Fork(fork) => {
                    let holds = |&choice: &_| values.eval_bool(&machine.terms, choice);
                    let side = fork.choices.iter().position(holds).unwrap();
                    machine.answer(&mut state, side as u32);
                }
                Pause::Ended(_) => break,
                _ => {}
            }
        }
        let mut slices = code.slices(&machine, &state, entry).unwrap();
        assert_eq!(slices.decisions(), 3);
        let returned = slices.returned().to_vec();
        let relevant = slices.relevant(&returned);
        assert_eq!(slices.reordered(&relevant), expected);
        let noise = program.globals.iter().position(|global| global.source_name == "noise").unwrap();
        let noise = slices.object(machine.global_address(upshot_ir::GlobalId(noise as u32)));
        assert_eq!(slices.relevant(&noise), [2]);
        let mut found: Vec<u32> = slices
            .instructions(&returned)
            .into_iter()
            .map(|(function, inst)| program.function(function).insts[inst.index()].location.line)
            .collect();
        found.sort_unstable();
        found.dedup();
        // The variable `b` is computed in these, the test of z and what it guards is not.
        assert!(
            lines.iter().all(|line| found.contains(line)) && !found.contains(&10) && !found.contains(&11),
            "{found:?}"
        );
        let indices: Vec<u64> = (0..3).map(|number| slices.index(number)).collect();
        assert!(indices[0] != indices[1] && indices[1] != indices[2]);
    }
}
