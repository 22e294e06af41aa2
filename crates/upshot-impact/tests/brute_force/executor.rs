//! The executor as a second witness: it runs the same instrumented programs, and every instruction must compute the same there as natively.

use crate::oracle::{self, Batch, native};
use std::path::{Path, PathBuf};
use upshot_exec::Image;
use upshot_explore::{Config, End, PathRecord, Sink};

/// Inputs per pair: the executor takes its time.
const INPUTS: usize = 9;

#[test]
fn the_executor_computes_what_the_processor_does() {
    let folder = tempfile::tempdir().unwrap();
    for (name, kind) in oracle::kinds().into_iter().filter(|(_, kind)| !kind.options.traps) {
        let batch = Batch::new(kind.seeds(0), &kind.options, folder.path());
        for side in 0..2 {
            let files = native::plain(&batch, side, INPUTS, folder.path());
            let (native, executed) = (native::output(&files, folder.path()), executed(&files));
            assert!(native.lines().count() >= 2 * batch.pairs.len());
            for (native, executed) in native.lines().zip(executed.lines()) {
                assert_eq!(native, executed, "{name}: pair and input, instructions run, what they folded to");
            }
            assert_eq!(native.len(), executed.len());
        }
    }
}

/// What a program prints that has one path.
fn executed(files: &[PathBuf]) -> String {
    let include = files[0].parent().unwrap_or(Path::new(".")).display().to_string();
    let flags = vec!["-w".into(), "-I".into(), include];
    let request = upshot_frontend::Request { inputs: files.to_vec(), flags, ..Default::default() };
    let built = match upshot_frontend::build(&request) {
        Ok(built) => built,
        Err(error) => panic!("{error}\n{:?}", error.diagnostics()),
    };
    let program = upshot_ir::load_trusted(&built.linked).unwrap();
    let image = Image::new(&program);
    let mut paths = Paths(Vec::new());
    let config = config(program.function_named("main").unwrap());
    upshot_explore::explore(&image, &config, Vec::new(), &(), &mut paths).unwrap();
    let [path] = &paths.0[..] else { panic!("{} paths, where there should be one", paths.0.len()) };
    assert!(matches!(path.end, End::Returned(Some(0))), "{:?}", path.end);
    String::from_utf8(path.stdout.clone().unwrap_or_default()).unwrap()
}

struct Paths(Vec<PathRecord>);

impl Sink for Paths {
    fn found(&mut self, _: &PathRecord) {}

    fn settled(&mut self, record: PathRecord) -> bool {
        self.0.push(record);
        self.0.len() < 2
    }
}

fn config(entry: upshot_ir::FuncId) -> Config {
    Config::new(entry)
}
