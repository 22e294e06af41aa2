//! The paper's example (ASE'14, Sec. 2): the middle of three numbers, two lines of which change. Three tests stay, three are new, in one range.

use serde_json::json as value;

use crate::{Bench, json, text, upshot};

/// Three paths where `low` holds, and three where it does not. The last of them returns `last`.
fn middle(low: &str, last: &str) -> String {
    format!(
        "int klee_int(const char *);
static int middle(int x, int y, int z) {{
  if ({low}) {{
    if (x < y) return y;
    if (x < z) return x;
    return z;
  }}
  if (x > y) return y;
  if (x > z) return x;
  return {last};
}}
int main(void) {{
  int x = klee_int(\"x\"), y = klee_int(\"y\"), z = klee_int(\"z\");
  return middle(x, y, z) & 127;
}}
"
    )
}

#[test]
fn the_middle_of_three() {
    let bench = Bench::new(&[]);
    let old = bench.write("old.c", &middle("y < z", "y"));
    let new = bench.write("new.c", &middle("y - 9 < z", "z"));
    bench.create(&old, "suite");
    let diff = json(&upshot(&["diff", text(&old), text(&new), "--format", "json"]));
    let mut functions = diff["functions"].as_array().unwrap().iter();
    let changed = &functions.find(|function| function["name"] == "middle").unwrap()["changed_lines"];
    assert_eq!((changed["old"].clone(), changed["new"].clone()), (value!([3, 10]), value!([3, 10])), "{diff}");
    let report = bench.update(&old, &new, "suite", &["-j2"]);
    // The old tests of the second half are close together, so all of them go the first way now, where others stand for the three paths.
    let figures = ["paths", "kept", "new", "dropped"].map(|figure| report[figure].as_u64().unwrap());
    assert_eq!(figures, [6, 3, 3, 3], "{report}");
    // Elsewhere at most a question was asked.
    let ranges: Vec<_> = report["range_list"].as_array().unwrap().iter().filter(|range| range["paths"] != 0).collect();
    let [range] = ranges[..] else { panic!("{report}") };
    assert_eq!(
        (&range["from"], &range["to"], &range["paths"]),
        (&value!("test000003"), &value!(null), &value!(3)),
        "{report}"
    );
    bench.compare("updated", &new, &report).unwrap();
    bench.check_natively("updated");
}

/// From the first version to the last, each update from the last one's result.
#[test]
fn a_chain_of_versions() {
    let bench = Bench::new(&[]);
    let edits: [(&str, &str); 9] = [
        ("b > 3", "b > 300"),
        ("a > 10", "a > 9"),
        ("x > 100", "x > 90 && x != 95"),
        ("return 100", "return 101"),
        ("assert(b != 7)", "assert(b != 7 || a == 50)"),
        ("  int a =", "  // nothing\n  int a ="),
        ("x < -100", "x <= -100"),
        ("b > 300 ?", "b > 3 ?"),
        ("return limit(a)", "return a == 12 ? 3 : limit(a)"),
    ];
    let mut program = crate::PROGRAM.to_string();
    let mut old = bench.write("v0.c", &program);
    bench.create(&old, "suite");
    for (number, (from, to)) in (1..).zip(edits) {
        assert!(program.contains(from));
        program = program.replace(from, to);
        let new = bench.write(&format!("v{number}.c"), &program);
        let report = bench.update(&old, &new, "suite", &["--in-place"]);
        assert_eq!(report["exact"], true, "v{number}: {report}");
        bench.compare("suite", &new, &report).unwrap_or_else(|why| panic!("v{number}: {why}"));
        old = new;
    }
    bench.check_natively("suite");
}
