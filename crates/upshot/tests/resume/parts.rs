//! All paths, cut into ranges that are explored apart from each other, and joined again.

use crate::Shop;

impl Shop {
    /// Cuts and explores; the folders of the parts.
    fn parts(&self, program: &str, count: usize, ways: &[&str]) -> Vec<String> {
        let _ = std::fs::remove_dir_all(self.path("ranges"));
        self.ends(&format!("ranges split {program} -n {count} --out ranges"), &[0]);
        let explore = |number: usize| {
            let (out, way) = (format!("ranges/part{number}"), ways[number % ways.len()]);
            let range = format!("ranges/range{number:04}.json");
            self.ends(&format!("run {program} --range {range} --out {out} {way}"), &[0, 1, 3]);
            out
        };
        (1..=count).map(explore).collect()
    }
}

#[test]
fn parts_are_joined_to_the_whole() {
    let shop = Shop::new();
    let entry = "int f(const char *s, int *p, unsigned n) {\n  if (n > 3)\n    return 1 / (s[0] - 'a');\n  if (p)\n    return *p > 3 ? 7 : s[n] == 'x';\n  return 0;\n}\n";
    std::fs::write(shop.path("entry.c"), entry).unwrap();
    let programs = [
        ("old.c", vec![1, 3]),
        ("old.c --all-errors", vec![2]),
        ("new.c --max-depth 6", vec![2]),
        // More parts than there are paths.
        ("entry.c --entry f", vec![2, 14]),
    ];
    for (program, counts) in programs {
        let _ = std::fs::remove_dir_all(shop.path("whole"));
        shop.ends(&format!("run {program} --out whole -j1"), &[0, 1, 3]);
        for count in counts {
            let mut parts = shop.parts(program, count, &["-j1", "-j2", "-j2 --search random"]);
            // In whatever order they come.
            parts.rotate_left(count / 2);
            let _ = std::fs::remove_dir_all(shop.path("part"));
            shop.ends(&format!("suite merge {} --suite part", parts.join(" ")), &[0, 1, 3]);
            shop.same(&format!("{program} in {count}"));
        }
    }
}

#[test]
fn what_is_missing_is_told_and_can_be_done_later() {
    let shop = Shop::new();
    shop.ends("run old.c --out whole -j1", &[1]);
    let parts = shop.parts("old.c", 4, &["-j1"]);
    let said = shop.ends(&format!("suite merge {} {} --suite part", parts[1], parts[3]), &[1, 3]);
    assert!(
        said.contains("not complete") && said.contains("nobody has explored") && said.contains("--resume"),
        "{said}"
    );
    shop.ends("run old.c --out part --resume -j2", &[1]);
    shop.same("two parts, and the rest");
    // A part that was killed goes on, too; one that is done stays as it is.
    let journal = std::fs::read(shop.path("ranges/part3/journal")).unwrap();
    std::fs::write(shop.path("ranges/part3/journal"), &journal[..journal.len() / 2]).unwrap();
    for number in [3, 4] {
        let out = format!("ranges/part{number}");
        shop.ends(&format!("run old.c --range ranges/range000{number}.json --out {out} --resume"), &[0, 1]);
    }
    shop.ends(&format!("suite merge {} --suite part", parts.join(" ")), &[1]);
    shop.same("a part that was cut");
    let refused = |words: &str, why: &str| {
        let said = shop.ends(words, &[2]);
        assert!(said.contains(why), "{said}");
    };
    refused("suite merge ranges/part1 ranges/part2 ranges/part1 --suite more", "in common");
    refused("suite merge ranges/part1 whole --suite more", "no part of a suite");
    refused("run new.c --range ranges/range0001.json --out more", "not the same program");
    refused("run old.c --range ranges/range0001.json --max-alloc 8 --out more", "not the same bounds");
    refused("run old.c --range old.c --out more", "no range");
    refused("run old.c --range none --out more", "none");
    refused("run old.c --range ranges/range0002.json --out ranges/part1 --resume", "not the same range");
    assert!(!shop.path("more").exists());
}
