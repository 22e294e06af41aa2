//! C text to a replayer, and tests from values.
#![allow(dead_code)] // each test file uses a part

use upshot_frontend::{Request, build};
use upshot_ir::Program;
use upshot_suite::{BuildKind, Ktest, NativeEnd, NativeRun, Object, Replayer, RunOptions};

pub struct Case {
    pub replayer: Replayer,
    pub program: Program,
}

/// Compiles some files of C.
pub fn case_of(files: &[&str], flags: &[&str], entry: Option<&str>) -> Case {
    let folder = tempfile::tempdir().unwrap();
    let mut inputs = Vec::new();
    for (i, text) in files.iter().enumerate() {
        let path = folder.path().join(format!("file{i}.c"));
        std::fs::write(&path, text).unwrap();
        inputs.push(path);
    }
    let request = Request {
        inputs,
        flags: flags.iter().map(|f| f.to_string()).collect(),
        entry: entry.map(String::from),
        ..Request::default()
    };
    let built = build(&request).unwrap_or_else(|e| panic!("{e}\n{}", e.diagnostics().unwrap_or("")));
    let program = upshot_ir::load(&built.linked).unwrap();
    Case { replayer: Replayer::new(&built.user, &program, entry).unwrap(), program }
}

pub fn harness(text: &str) -> Case {
    case_of(&[text], &[], None)
}

pub fn entry(text: &str, function: &str) -> Case {
    case_of(&[text], &[], Some(function))
}

pub fn object(name: &str, bytes: &[u8]) -> Object {
    Object { name: name.to_string(), bytes: bytes.to_vec() }
}

pub fn ktest(objects: &[(&str, &[u8])]) -> Ktest {
    Ktest {
        args: vec!["program".to_string()],
        objects: objects.iter().map(|(name, bytes)| object(name, bytes)).collect(),
        ..Ktest::default()
    }
}

/// (holder, offset, target + 1 or 0, offset in the target), …
pub fn pointers(list: &[[u32; 4]]) -> Object {
    let bytes: Vec<u8> = list.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    object("upshot.pointers", &bytes)
}

impl Case {
    pub fn run(&self, kind: BuildKind, objects: &[(&str, &[u8])]) -> NativeRun {
        self.replayer.run(&ktest(objects), kind, &RunOptions::default()).unwrap()
    }

    pub fn run_test(&self, kind: BuildKind, test: &Ktest) -> NativeRun {
        self.replayer.run(test, kind, &RunOptions::default()).unwrap()
    }

    pub fn end(&self, kind: BuildKind, objects: &[(&str, &[u8])]) -> NativeEnd {
        self.run(kind, objects).end
    }
}

pub fn returned(value: i64) -> NativeEnd {
    NativeEnd::Returned { value }
}
