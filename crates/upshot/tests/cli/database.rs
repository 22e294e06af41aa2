//! Programs that are compiled by their compilation database, and programs named by a directory or a git revision.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::Workshop;

/// Needs all of its flags: a quoted text, a header that is included by a flag, a folder of headers, no `REMOVED`.
const FIRST: &str = "#ifdef REMOVED\n#error removed\n#endif\nint twice(int x);\n\
    int f(int x) { return x > LIMIT ? twice(x) + FORCED : NAME[1]; }\n";
const SECOND: &str = "#include <factor.h>\nint twice(int x) { return x * FACTOR + (char)-1 / 64; }\n";

impl Workshop {
    fn folder(&self, name: &str) {
        std::fs::create_dir_all(self.path().join(name)).expect("a folder can be made");
    }

    /// A program of two files in a folder, with a file that would not compile, and what its database lists.
    fn program(&self, name: &str) -> Vec<Value> {
        for folder in ["src", "include", "build"] {
            self.folder(&format!("{name}/{folder}"));
        }
        self.file(&format!("{name}/src/first.c"), FIRST);
        self.file(&format!("{name}/src/second.c"), SECOND);
        self.file(&format!("{name}/src/unlisted.c"), "#error not listed\n");
        self.file(&format!("{name}/include/factor.h"), "#define FACTOR 2\n");
        self.file(&format!("{name}/include/forced.h"), "#define FORCED 7\n");
        let directory = self.path().join(name).join("build").display().to_string();
        let command = "/usr/bin/ccache cc -DLIMIT=10 \"-DREMOVED\" -UREMOVED -DNAME=\\\"ab\\\" -include ../include/forced.h \
                       -O3 -g -fPIC -Werror -MD -MF first.d -Wl,-lm -o first.o -c ../src/first.c";
        let arguments =
            ["cc", "-isystem", "../include", "-funsigned-char", "-flto", "-o", "second.o", "-c", "../src/second.c"];
        vec![
            json!({"directory": directory, "file": "../src/first.c", "command": command}),
            json!({"directory": directory, "file": "../src/second.c", "arguments": arguments}),
        ]
    }

    fn database(&self, folder: &str, entries: &[Value]) {
        self.file(&format!("{folder}/compile_commands.json"), Value::from(entries).to_string());
    }

    fn git(&self, folder: &str, arguments: &[&str]) {
        let identity = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"];
        let done = Command::new("git").current_dir(self.path().join(folder)).args(identity).args(arguments).output();
        assert!(done.is_ok_and(|done| done.status.success()), "{arguments:?}");
    }
}

fn recorded(suite: &Path) -> Value {
    let text = std::fs::read_to_string(suite.join("run.json")).expect("there is a record");
    serde_json::from_str::<Value>(&text).expect("json")["program"].clone()
}

#[test]
fn each_file_is_compiled_as_it_is_listed() {
    let shop = Workshop::new();
    let listed = shop.program("p");
    let twice = listed[1].clone();
    let directory = shop.path().display().to_string();
    let other = json!({"directory": directory, "file": "p/x.cpp", "command": "c++ -c p/x.cpp"});
    for place in ["p/build", "p"] {
        shop.database(place, &[listed.clone(), vec![twice.clone(), other.clone()]].concat());
        let ended = shop.upshot(&["run", "p", "--entry", "f", "--force"]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(ended.stderr.contains("not C, and left out: p/x.cpp"), "{}", ended.stderr);
        let record = std::fs::read_to_string(shop.path().join("upshot-out/run.json")).expect("a record");
        let record: Value = serde_json::from_str(&record).expect("json");
        let returned: Vec<&Value> =
            record["records"].as_array().expect("records").iter().map(|one| &one["return"]).collect();
        assert_eq!(returned.len(), 2, "{record}");
        assert!(returned.contains(&&json!("62000000")), "'b' is what is no more than the limit: {returned:?}");
        let replayed = shop.upshot(&["suite", "check", "upshot-out"]);
        assert_eq!(replayed.code, Some(0), "the folder is recorded: {}{}", replayed.stdout, replayed.stderr);
    }
    // Flags of the command line come last.
    let ended = shop.upshot(&["run", "p", "--entry", "f", "-DREMOVED", "--no-tests"]);
    assert!(ended.code == Some(2) && ended.stderr.contains("removed"), "{}", ended.stderr);
}

#[test]
fn two_copies_differ_by_the_flags_of_one_file() {
    let shop = Workshop::new();
    let (old, mut new) = (shop.program("old"), shop.program("new"));
    shop.database("old", &old);
    shop.database("new/build", &new);
    let same = shop.upshot(&["diff", "old", "new"]);
    assert_eq!((same.code, same.stderr.as_str()), (Some(0), ""), "{}", same.stdout);
    new[1]["arguments"][3] = "-fsigned-char".into();
    shop.database("new/build", &new);
    let ended = shop.upshot(&["diff", "old", "new"]);
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("twice") && !ended.stdout.contains("changed f"), "{}", ended.stdout);
    // Paths may lead there through a link.
    std::os::unix::fs::symlink("new", shop.path().join("link")).expect("a link");
    let linked = Value::from(new).to_string().replace("/new/", "/link/");
    shop.file("new/build/compile_commands.json", linked);
    assert_eq!(shop.upshot(&["diff", "old", "new"]).stderr, "");
    // A database that was copied along speaks of the other files.
    shop.database("new/build", &old);
    assert!(shop.upshot(&["diff", "old", "new"]).stderr.contains("listed, but not in new"));
    // Of two entries for a file the first counts, and that is said if it matters.
    let mut again = old[1].clone();
    again["arguments"][3] = "-fsigned-char".into();
    shop.database("old", &[old, vec![again]].concat());
    assert!(shop.upshot(&["diff", "old", "old"]).stderr.contains("listed again with other flags"));
}

#[test]
fn databases_that_cannot_be_used() {
    let shop = Workshop::new();
    let listed = shop.program("p");
    let refused = |content: &str, words: &[&str]| {
        shop.file("p/compile_commands.json", content);
        for arguments in [&["run", "p", "--entry", "f"][..], &["diff", "p", "p"]] {
            let said = shop.refused(arguments);
            assert!(words.iter().all(|word| said.contains(word)), "{content}: {said}");
        }
        assert!(!shop.path().join("upshot-out").exists());
    };
    let one = |entry: Value| Value::from(vec![listed[0].clone(), entry]).to_string();
    let database = "p/compile_commands.json: ";
    refused("[{", &[database, "not a JSON compilation database"]);
    refused("", &[database, "not a JSON compilation database"]);
    refused("{\"directory\": 3}", &[database, "not a JSON compilation database"]);
    refused("[]", &[database, "no C file"]);
    let other = json!({"directory": "/", "file": "a.cpp", "command": "c++ a.cpp"});
    refused(&Value::from(vec![other]).to_string(), &[database, "no C file"]);
    let entry = |command: &str| json!({"directory": "src", "file": "second.c", "command": command});
    refused(&one(json!({"directory": "src", "file": "gone.c", "command": "cc gone.c"})), &[database, "p/src/gone.c"]);
    refused(&one(entry("cc -c 'second.c")), &[database, "second.c", "quote"]);
    refused(&one(entry("cc @flags -c second.c")), &[database, "second.c", "@flags"]);
    refused(&one(entry("cc second.c -I")), &[database, "-I has no value"]);
    refused(&one(json!({"directory": "src", "file": "second.c"})), &[database, "second.c", "neither arguments"]);
}

#[test]
fn a_revision_is_compiled_by_the_database_of_the_working_tree() {
    let shop = Workshop::new();
    let listed = shop.program("p");
    shop.git("p", &["init", "-q", "."]);
    shop.database("p/build", &listed);
    shop.file("p/.gitignore", "build\n");
    shop.git("p", &["add", "."]);
    shop.git("p", &["commit", "-qm", "first"]);
    shop.file("p/src/second.c", SECOND.replace("x * FACTOR", "x * FACTOR + 1"));
    let at = |arguments: &[&str]| crate::tool::end(shop.command(arguments).current_dir(shop.path().join("p")));
    let borrowed = at(&["diff", "HEAD", "."]);
    assert_eq!(borrowed.code, Some(1), "{}", borrowed.stderr);
    assert!(borrowed.stdout.contains("changed twice") && !borrowed.stdout.contains("changed f"), "{}", borrowed.stdout);
    assert!(
        borrowed.stderr.contains("compiled by") && !borrowed.stderr.contains("upshot-revision"),
        "{}",
        borrowed.stderr
    );
    shop.git("p", &["add", "-f", "."]);
    shop.git("p", &["commit", "-qm", "second"]);
    shop.file("p/src/second.c", "#error not this one\n");
    let held = at(&["suite", "create", "HEAD", "--entry", "f", "--suite", "../suite"]);
    assert_eq!((held.code, held.stderr.as_str()), (Some(0), ""), "{}", held.stdout);
    assert_eq!(recorded(&shop.path().join("suite"))["inputs"], json!(["."]));
    let part = ["run", "HEAD", "--entry", "f", "--out", "../part", "--max-paths", "1", "-q"];
    assert_eq!(at(&part).code, Some(3));
    let resumed = at(&[&part[..6], &["--resume", "-q"]].concat());
    assert_eq!(resumed.code, Some(0), "it lies elsewhere each time: {}", resumed.stderr);
    let one = at(&["run", "HEAD~1:src/second.c", "--entry", "twice", "-Iinclude", "--no-tests", "-q"]);
    assert_eq!(one.code, Some(0), "{}", one.stderr);
    let none = at(&["run", "HEAD:src/none.c", "--entry", "twice"]);
    assert!(none.code == Some(2) && none.stderr.contains("no src/none.c"), "{}", none.stderr);
}

#[test]
fn a_directory_without_a_database_is_all_its_files() {
    let shop = Workshop::new();
    shop.folder("old/include");
    shop.file("old/include/n.h", "#define N 3\n");
    shop.file("old/a.c", "int g(int x);\nint f(int x) { return g(x) ? M : 0; }\n");
    shop.file("old/b.c", "#include <n.h>\nint g(int x) { return x > N; }\n");
    let create = ["suite", "create", "old", "--entry", "f", "-I", "include", "-DM=5", "--suite", "suite"];
    let made = shop.upshot(&create);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let record = recorded(&shop.path().join("suite"));
    assert_eq!(record["inputs"], json!(["old/a.c", "old/b.c"]));
    assert_eq!(shop.upshot(&["suite", "check", "suite"]).code, Some(0));
    // The update takes the flags from the suite, and headers from where each version is.
    shop.folder("new/include");
    for file in ["a.c", "b.c"] {
        std::fs::copy(shop.path().join("old").join(file), shop.path().join("new").join(file)).expect("a copy");
    }
    shop.file("new/include/n.h", "#define N 300\n");
    let update = ["update", "old", "new", "--suite", "suite", "--out", "updated", "--format", "json"];
    let ended = shop.upshot(&update);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let report = ended.json().expect("json");
    assert_eq!(report["notes"][0], "clang's flags are those of the suite: -I include -DM=5", "{report}");
    assert_eq!(recorded(&shop.path().join("updated"))["flags"][2], "new/include");
    assert_ne!(report["paths"]["executed"], 0, "the header is another one: {report}");
    let given = [&update[..4], &["suite", "--out", "given", "-DM=6", "-I", "include", "--format", "json"]].concat();
    let report = shop.upshot(&given).json().expect("json");
    assert!(!report["notes"].to_string().contains("those of the suite"), "{report}");
}
