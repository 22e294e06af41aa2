//! Whoever goes on with an exploration that was killed ends with what one leaves that was never interrupted, byte for byte; and so do parts that are joined.
//!
//! `UPSHOT_KILLS=N` kills each command N times, by default a few.

mod parts;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// A thousand paths, with an error that several of them meet.
const PROGRAM: &str = "#include <assert.h>
int klee_int(const char *);
int main(void) {
  int bits = klee_int(\"bits\"), count = 0;
  for (int i = 0; i < 9; i++)
    if (bits >> i & 1)
      count += i;
  if (bits > 1000)
    return 7;
  assert(count != 17);
  return count > 20 ? 2 : 0;
}
";

/// Small and quick to decide, for a random moment.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

struct Shop {
    folder: tempfile::TempDir,
}

impl Shop {
    fn new() -> Self {
        let shop = Shop { folder: tempfile::tempdir().unwrap() };
        std::fs::write(shop.path("old.c"), PROGRAM).unwrap();
        std::fs::write(shop.path("new.c"), PROGRAM.replace("count != 17", "count != 19 && bits != 3")).unwrap();
        shop
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_upshot"));
        command.current_dir(self.folder.path()).args(words.split_whitespace());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs to the end, with one of these exit codes.
    #[track_caller]
    fn ends(&self, words: &str, codes: &[i32]) -> String {
        let output = self.command(words).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code().is_some_and(|code| codes.contains(&code)), "{words}: {:?} {said}", output.status);
        said
    }

    /// Everything in a folder, but for what may differ from run to run.
    fn contents(&self, name: &str) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(self.path(name)).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            let mut bytes = std::fs::read(entry.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
            if name == "run.json" {
                let mut run: Value = serde_json::from_slice(&bytes).unwrap();
                for figure in ["time", "queries", "effort"] {
                    run.as_object_mut().unwrap().remove(figure);
                }
                bytes = run.to_string().into_bytes();
            }
            files.insert(name, bytes);
        }
        files
    }

    /// Kills a command when its journal has grown by so much; false if it ended before that.
    fn killed(&self, words: &str, growth: u64) -> bool {
        let journal = self.path("part/journal");
        let size = || std::fs::metadata(&journal).map_or(0, |data| data.len());
        let before = size();
        let mut child: Child = self.command(words).spawn().unwrap();
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                assert!(matches!(status.code(), Some(0 | 1 | 3)), "{words}: {status:?}");
                return false;
            }
            if size() > before + growth {
                child.kill().unwrap();
                child.wait().unwrap();
                return true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[track_caller]
    fn same(&self, why: &str) {
        let (whole, part) = (self.contents("whole"), self.contents("part"));
        assert!(whole.len() > 2, "{why}");
        for (name, bytes) in &whole {
            let other = part.get(name).unwrap_or_else(|| panic!("{why}: {name} is missing"));
            assert!(bytes == other, "{why}: {name} differs: {}", first_difference(bytes, other));
        }
        assert_eq!(whole.len(), part.len(), "{why}");
    }

    /// Kills a command again and again, each time at another moment, and lets it go on in one of several ways.
    fn check(&self, command: &str, folder: &str, ways: &[&str], seed: u64) {
        let kills = std::env::var("UPSHOT_KILLS").map_or(3, |count| count.parse().unwrap());
        let mut random = Random(seed);
        self.ends(&format!("{command} {folder} whole -j1"), &[0, 1, 3]);
        let mut left = kills;
        while left > 0 {
            let _ = std::fs::remove_dir_all(self.path("part"));
            let mut ways_taken = Vec::new();
            loop {
                let way = ways[random.below(ways.len() as u64) as usize];
                ways_taken.push(way);
                let words = format!("{command} {folder} part {way} --resume");
                if left == 0 || !self.killed(&words, 200 + random.below(120_000)) {
                    self.ends(&words, &[0, 1, 3]);
                    break;
                }
                left -= 1;
            }
            self.same(&format!("{command}: {ways_taken:?}"));
        }
    }
}

fn first_difference(a: &[u8], b: &[u8]) -> String {
    let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
    let around =
        |bytes: &[u8]| String::from_utf8_lossy(&bytes[at.saturating_sub(60)..bytes.len().min(at + 60)]).into_owned();
    format!("…{}… and …{}…", around(a), around(b))
}

#[test]
fn a_run_that_was_killed() {
    let shop = Shop::new();
    shop.check("run old.c", "--out", &["-j1", "-j2", "-j3"], 1);
    shop.check("run old.c --all-errors", "--out", &["-j2", "-j2 --search random", "-j1 --search bfs", "-j1"], 2);
}

#[test]
fn a_suite_and_its_update_that_were_killed() {
    let shop = Shop::new();
    shop.check("suite create old.c", "--suite", &["-j1", "-j2"], 3);
    std::fs::rename(shop.path("whole"), shop.path("suite")).unwrap();
    shop.check("update old.c new.c --suite suite", "--out", &["-j1", "-j2"], 4);
}

#[test]
fn an_exploration_of_a_change_that_was_killed() {
    let shop = Shop::new();
    shop.check("explore old.c new.c", "--out", &["-j1", "-j2"], 5);
    shop.check("explore old.c new.c --prune off", "--out", &["-j1", "-j2"], 6);
}

#[test]
fn interrupted_stopped_by_a_limit_and_done() {
    let shop = Shop::new();
    shop.ends("run old.c --out whole", &[1]);
    // In path order, a few more each time.
    for most in [3, 40, 100] {
        let said = shop.ends(&format!("run old.c --out part --resume --max-paths {most}"), &[1, 3]);
        assert!(said.contains(&format!(" {most} paths")) && said.contains("--resume"), "{said}");
    }
    let said = shop.ends("run old.c --out part --resume --max-paths 50", &[2]);
    assert!(said.contains("--max-paths 50 cannot be kept"), "{said}");
    let journal = std::fs::read(shop.path("part/journal")).unwrap();
    shop.ends("run old.c --out part --resume", &[1]);
    shop.same("after limits");
    let said = shop.ends("run old.c --out part --resume", &[1]);
    assert!(said.contains("nothing was left to do"), "{said}");
    shop.same("when it was done");
    // What is not the same is not gone on with, and nothing is lost.
    std::fs::write(shop.path("part/journal"), &journal).unwrap();
    let refused = |words: &str, why: &str| {
        let said = shop.ends(words, &[2]);
        assert!(said.contains(why), "{said}");
        assert_eq!(std::fs::read(shop.path("part/journal")).unwrap(), journal);
    };
    refused("run new.c --out part --resume", "not the same program");
    refused("run old.c --out part --resume --max-alloc 5", "not the same bounds");
    refused("run old.c --out part --resume --all-errors", "not the same bounds");
    refused("run old.c --out part --resume --no-tests", "--no-tests");
    // A journal that was cut anywhere, or damaged, says less, and nothing wrong.
    let mut random = Random(7);
    for _ in 0..3 {
        let mut damaged = journal[..random.below(journal.len() as u64) as usize].to_vec();
        if let Some(middle) = damaged.get_mut(random.below(journal.len() as u64) as usize) {
            *middle ^= 1;
        }
        std::fs::write(shop.path("part/journal"), &damaged).unwrap();
        shop.ends("run old.c --out part --resume -j2", &[1]);
        shop.same("with a damaged journal");
    }
}

/// On a file system that is too small, and that grows then. Where nobody may mount one, files must not get longer than so much.
#[test]
fn a_full_disk() {
    let shop = Shop::new();
    shop.ends("suite create old.c --suite whole", &[1]);
    let tool = env!("CARGO_BIN_EXE_upshot");
    let mounts = |script: &str| {
        let mut command = Command::new("unshare");
        command.current_dir(shop.folder.path()).args(["-rm", "sh", "-c", script]);
        command.output().ok().filter(|output| output.status.success() || output.stderr.is_empty())
    };
    let may_mount = mounts("mkdir -p small && mount -t tmpfs none small").is_some_and(|output| output.status.success());
    for size in [40, 500] {
        let _ = std::fs::remove_dir_all(shop.path("part"));
        let (before, after, copy) = match may_mount {
            true => (
                format!("mount -t tmpfs -o size={size}k none small"),
                "mount -o remount,size=100m small".to_string(),
                "cp -r small/part part",
            ),
            false => (
                format!("mkdir -p small; trap '' XFSZ; ulimit -S -f {size}"),
                "ulimit -S -f unlimited".to_string(),
                "mv small/part part",
            ),
        };
        let create = format!("{tool} suite create old.c --suite small/part --resume");
        let script = format!(
            "{before} || exit 90\n{create} -j2 2>said\ntest $? = 2 || exit 91\ngrep -q 'upshot: cannot write' said && grep -q -e --resume said || exit 92\n\
             test -e small/part/run.json && exit 93\n{after}\n{create} >/dev/null\ntest $? = 1 || exit 94\n{copy}"
        );
        let output = match may_mount {
            true => Command::new("unshare").current_dir(shop.folder.path()).args(["-rm", "sh", "-c", &script]).output(),
            false => Command::new("sh").current_dir(shop.folder.path()).args(["-c", &script]).output(),
        };
        let output = output.unwrap();
        let said = std::fs::read_to_string(shop.path("said")).unwrap_or_default();
        assert!(
            output.status.success(),
            "{size}: {:?} {said} {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        shop.same(&format!("{size} kilobytes"));
    }
}
