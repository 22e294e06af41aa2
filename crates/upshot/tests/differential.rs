//! The oracle is the real processor: concrete programs print in the executor what they print natively.
//!
//! `tests/differential/*.c` cover the instructions, intrinsics and library functions one topic at a time, at three
//! levels of optimisation, because each level has its own instructions. `UPSHOT_ONLY=name` runs the files whose name
//! contains that.

mod oracle;

use std::path::{Path, PathBuf};
use std::time::Duration;

const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

fn programs(folder: &Path) -> Vec<PathBuf> {
    let only = std::env::var("UPSHOT_ONLY").unwrap_or_default();
    let entries = std::fs::read_dir(folder).expect("the folder of programs can be read");
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "c"))
        .filter(|path| path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(&only)))
        .collect();
    files.sort();
    files
}

fn compare_all(files: &[PathBuf], compare: impl Fn(&Path, &str) -> Result<(), String> + Sync) {
    assert!(!files.is_empty(), "no programs found");
    let jobs: Vec<(&Path, &str)> = files.iter().flat_map(|file| LEVELS.map(|level| (file.as_path(), level))).collect();
    let failures = oracle::failures(&jobs, |(file, level)| {
        compare(file, level).inspect_err(|why| println!("{} {level}: {why}", file.display()))
    });
    let report: Vec<String> = failures
        .iter()
        .map(|(index, why)| {
            let (file, level) = jobs[*index];
            format!("{} {level}: {why}", file.file_name().unwrap_or_default().to_string_lossy())
        })
        .collect();
    assert!(report.is_empty(), "{} of {} runs differ:\n{}", report.len(), jobs.len(), report.join("\n"));
}

#[test]
fn programs_print_what_they_print_natively() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/differential");
    compare_all(&programs(&folder), |file, level| oracle::compare(file, &[level]));
}

/// Any other collection of programs: `UPSHOT_PROGRAMS=DIR`. What does not compile, end or live natively is left out.
#[test]
#[ignore = "needs a folder of programs"]
fn programs_of_a_folder_print_what_they_print_natively() {
    let folder = std::env::var_os("UPSHOT_PROGRAMS").expect("UPSHOT_PROGRAMS names a folder");
    let left_out = std::sync::atomic::AtomicUsize::new(0);
    compare_all(&programs(Path::new(&folder)), |file, level| {
        let flags = ["-w", level];
        let Ok(Some(native)) = oracle::native(file, &flags, Duration::from_secs(2)) else {
            left_out.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            return Ok(());
        };
        match oracle::executed(file, &flags) {
            Ok(executed) => oracle::difference(&executed, &native).map_or(Ok(()), Err),
            Err(trouble) => Err(trouble.to_string()),
        }
    });
    println!("{} runs left out", left_out.into_inner());
}
