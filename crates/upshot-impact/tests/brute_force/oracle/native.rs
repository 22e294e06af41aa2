//! Both versions of all pairs in one native program, which runs and compares them.

use super::instrument::{Plan, instrument};
use super::{Batch, Observed, pair_of};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use upshot_ir::GlobalId;

const RECORD: &str = include_str!("record.c");
const COMPARE: &str = include_str!("compare.c");
const PLAIN: &str = include_str!("plain.c");

/// What `tables.c` and the runtime share.
const TABLES: &str = "\
#pragma once
#include <stdint.h>
struct named { const char *base; uint64_t size; uint32_t id; };
struct version {
    uint32_t first, last;
    void (*call)(const long *);
    char *state_start, *state_end, *saved;
    const struct named *objects;
    unsigned object_count;
};
struct pair { struct version versions[2]; const long *inputs; unsigned input_count, parameter_count; };
extern const unsigned PAIRS, SITES;
extern struct pair pairs[];
";

pub struct Harness {
    program: PathBuf,
    sites: PathBuf,
}

impl Harness {
    pub fn build(batch: &Batch, inputs: usize, folder: &Path) -> Self {
        std::fs::write(folder.join("tables.h"), TABLES).unwrap();
        std::fs::write(folder.join("tables.c"), tables(batch, inputs, &[0, 1])).unwrap();
        let sites = folder.join("sites");
        std::fs::write(&sites, site_table(batch)).unwrap();
        for number in 0..2 {
            rewrite(batch, number, &folder.join(format!("{number}.bc")));
        }
        let runtime = runtime(folder);
        let program = folder.join("program");
        let files = [folder.join("0.bc"), folder.join("1.bc"), folder.join("tables.c"), runtime];
        clang(folder, &["-O0", "-w", "-o"], &[program.clone()].into_iter().chain(files).collect::<Vec<_>>());
        Harness { program, sites }
    }

    fn run(&self, arguments: &[String]) -> String {
        let output = Command::new(&self.program).arg(&self.sites).args(arguments).output().unwrap();
        assert!(output.status.success(), "{:?} {}", output.status, String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn observe(&self, batch: &Batch) -> Observed {
        let mut observed = Observed::default();
        let olds = batch.sides[0].sites.len();
        for line in self.run(&[]).lines() {
            let mut words = line.split(' ');
            let kind = words.next().unwrap_or_default();
            let numbers: Vec<usize> = words.map(|word| word.parse().unwrap()).collect();
            match (kind, &numbers[..]) {
                ("d", &[site, input]) if site < olds => {
                    observed.differs[0].insert(site, input);
                }
                ("d", &[site, input]) => {
                    observed.differs[1].insert(site - olds, input);
                    if let Some(partner) = batch.sides[1].sites[site - olds].partner {
                        observed.differs[0].insert(partner, input);
                    }
                }
                ("o", &[pair, input]) => observed.disordered.push((pair, input)),
                ("x", &[site]) => observed.ran.push(site - olds),
                ("s", &[_, runs, trapped]) => {
                    observed.runs += runs as u64;
                    observed.trapped += trapped as u64;
                }
                ("e", &[pair, input]) => panic!("input {input} does not end: {}", batch.show(pair)),
                _ => panic!("the runtime says {line}"),
            }
        }
        observed
    }

    /// Every instruction that ran on an input, in order, with a number that stands for what it computed: of the old version, and of the new one.
    pub fn trace(&self, batch: &Batch, pair: usize, input: usize) -> [Vec<(usize, String)>; 2] {
        let olds = batch.sides[0].sites.len();
        let mut traces = [Vec::new(), Vec::new()];
        for line in self.run(&[pair.to_string(), input.to_string()]).lines() {
            let Some((number, value)) = line.strip_prefix("t ").and_then(|line| line.split_once(' ')) else { continue };
            let number: usize = number.parse().unwrap();
            let (side, site) = if number < olds { (0, number) } else { (1, number - olds) };
            traces[side].push((site, value.to_string()));
        }
        traces
    }
}

fn clang(folder: &Path, arguments: &[&str], files: &[PathBuf]) {
    let clang = upshot_frontend::clang().unwrap();
    let output = Command::new(clang).args(arguments).args(files).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The compiled runtime, which is the same for all.
fn runtime(folder: &Path) -> PathBuf {
    static COMPILED: OnceLock<Vec<u8>> = OnceLock::new();
    let object = folder.join("runtime.o");
    let bytes = COMPILED.get_or_init(|| {
        let source = folder.join("runtime.c");
        std::fs::write(&source, [RECORD, COMPARE].concat()).unwrap();
        clang(folder, &["-c", "-O2", "-Wall", "-Werror", "-o"], &[object.clone(), source]);
        std::fs::read(&object).unwrap()
    });
    std::fs::write(&object, bytes).unwrap();
    object
}

/// One version alone, as bitcode and a C file with a `main` that runs it on a few inputs and prints a number for each.
pub fn plain(batch: &Batch, number: usize, inputs: usize, folder: &Path) -> [PathBuf; 2] {
    let (bitcode, source) = (folder.join(format!("plain{number}.bc")), folder.join(format!("plain{number}.c")));
    rewrite(batch, number, &bitcode);
    std::fs::write(folder.join("tables.h"), TABLES).unwrap();
    std::fs::write(&source, [RECORD, PLAIN, &tables(batch, inputs, &[number])].concat()).unwrap();
    [bitcode, source]
}

/// Compiles files for this machine and runs the program; what it prints.
pub fn output(files: &[PathBuf], folder: &Path) -> String {
    let program = folder.join("plain");
    clang(folder, &["-O1", "-fwrapv", "-w", "-o"], &[std::slice::from_ref(&program), files].concat());
    let output = Command::new(&program).output().unwrap();
    assert!(output.status.success(), "{:?}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

fn rewrite(batch: &Batch, number: usize, to: &Path) {
    let side = &batch.sides[number];
    let base = if number == 0 { 0 } else { batch.sides[0].sites.len() };
    let first = |name: &str| {
        let id = side.program.function_named(name)?;
        Some(((base + side.first.get(&id)?) as u32, side.program.function(id).insts.len()))
    };
    let writable = |name: &str| side.program.globals.iter().any(|global| global.name == name && !global.is_constant);
    let section = |name: &str| pair_of(name).filter(|_| writable(name)).map(|pair| format!("st{number}_{pair}"));
    instrument(&side.bitcode, &Plan { name: &|name| c_name(number, name), first: &first, section: &section }, to);
}

/// A name of its own for each version, which C can write.
fn c_name(number: usize, name: &str) -> String {
    format!("{}{}", ["o__", "n__"][number], name.replace('.', "_D_"))
}

/// Three numbers for each instruction of either version: its partner, a number for both, whether it is claimed not to be impacted.
fn site_table(batch: &Batch) -> Vec<u8> {
    let olds = batch.sides[0].sites.len();
    let mut table = Vec::new();
    for (number, side) in batch.sides.iter().enumerate() {
        for (at, site) in side.sites.iter().enumerate() {
            let own = if number == 0 { at } else { olds + at };
            let partner = site.partner.map(|partner| if number == 0 { olds + partner } else { partner });
            let common = if number == 0 { own } else { partner.unwrap_or(own) };
            let quiet = u32::from(batch.is_quiet(number, at));
            let partner = partner.map_or(u32::MAX, |partner| partner as u32);
            for word in [partner, common as u32, quiet] {
                table.extend(word.to_le_bytes());
            }
        }
    }
    table
}

/// The objects that have names: as declared and named in C, with their size and a number that both versions share.
fn objects(batch: &Batch, number: usize, pair: usize) -> Vec<(String, String, u64, usize)> {
    let program = &batch.sides[number].program;
    let mut list = Vec::new();
    for (at, found) in batch.changes.globals.iter().enumerate().filter(|(_, found)| !found.nameless) {
        let id: Option<GlobalId> = [found.old, found.new][number];
        if let Some(global) = id.map(|id| program.global(id)).filter(|global| pair_of(&global.name) == Some(pair)) {
            let name = c_name(number, &global.name);
            list.push((format!("extern char {name}[];"), name, global.size, at + 1));
        }
    }
    for (at, found) in batch.changes.functions.iter().enumerate() {
        let Some(function) = [found.old, found.new][number].map(|id| program.function(id)) else { continue };
        if !function.is_declaration && pair_of(&function.name) == Some(pair) {
            let name = c_name(number, &function.name);
            list.push((format!("int {name}();"), name, 0, (1 << 24) + at));
        }
    }
    list
}

/// The versions of all pairs that are to be run, with the inputs, as C.
fn tables(batch: &Batch, most: usize, versions: &[usize]) -> String {
    let count: usize = batch.sides.iter().map(|side| side.sites.len()).sum();
    let mut text = format!("#include \"tables.h\"\nconst unsigned PAIRS = {}, SITES = {count};\n", batch.pairs.len());
    let mut rows = String::new();
    for (pair, it) in batch.pairs.iter().enumerate() {
        let inputs = upshot_generate::inputs(&it.parameters, most);
        let values: Vec<String> = inputs.iter().flatten().map(|value| format!("{value}L")).collect();
        let _ = writeln!(text, "static const long inputs{pair}[] = {{{}}};", values.join(", "));
        let list: String =
            versions.iter().map(|&number| version(batch, pair, number, versions.len() > 1, &mut text)).collect();
        let _ = writeln!(rows, "{{{{{list}}}, inputs{pair}, {}, {}}},", inputs.len(), it.parameters.len());
    }
    let _ = writeln!(text, "struct pair pairs[] = {{\n{rows}}};");
    text
}

/// One version of a pair: its declarations go to `text`. Where it is to be restored before each run, the linker tells where its globals are.
fn version(batch: &Batch, pair: usize, number: usize, restored: bool, text: &mut String) -> String {
    let (it, side) = (&batch.pairs[pair], &batch.sides[number]);
    let types: Vec<&str> = it.parameters.iter().map(|parameter| parameter.int_type.c_name()).collect();
    let arguments: Vec<String> = (0..types.len()).map(|at| format!("input[{at}]")).collect();
    let entry = c_name(number, &it.entry);
    let _ = writeln!(text, "int {entry}({});", types.join(", "));
    let _ =
        writeln!(text, "static void call{number}_{pair}(const long *input) {{ {entry}({}); }}", arguments.join(", "));
    let mut named = String::new();
    let objects = objects(batch, number, pair);
    for (declaration, name, size, id) in &objects {
        if *name != entry {
            let _ = writeln!(text, "{declaration}");
        }
        let _ = write!(named, "{{(const char *){name}, {size}, {id}}}, ");
    }
    let _ = writeln!(text, "static const struct named objects{number}_{pair}[] = {{{named}}};");
    let mut state = "0, 0".to_string();
    if restored {
        state = format!("__start_st{number}_{pair}, __stop_st{number}_{pair}");
        let ends = state.replace(',', "[] __attribute__((weak)),");
        let _ = writeln!(text, "extern char {ends}[] __attribute__((weak));");
    }
    let base = if number == 0 { 0 } else { batch.sides[0].sites.len() };
    let first = side.sites.partition_point(|site| site.pair < pair) + base;
    let last = side.sites.partition_point(|site| site.pair <= pair) + base;
    format!("{{{first}, {last}, call{number}_{pair}, {state}, 0, objects{number}_{pair}, {}}}, ", objects.len())
}
