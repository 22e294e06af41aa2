//! What a suite says of itself beyond its tests: from which code it was made, within which bounds, what its paths cover, and what is still to be done.
//!
//! It is part of `run.json`, so the folder of every run is a suite.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::record::HexBytes;
use crate::text::{decode_decisions, encode_decisions};

/// The version of this part; a reader refuses a newer one.
pub const SUITE_VERSION: u32 = 1;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub version: u32,
    pub bounds: Bounds,
    /// By linkage name: a number that stands for the function's code; and one for all globals.
    pub functions: BTreeMap<String, String>,
    /// The names of the files, which the program may mention.
    #[serde(default)]
    pub names: Vec<String>,
    /// What paths cover: by function the numbers of its blocks, as in `0-3,5`. Each set once.
    #[serde(default)]
    pub covers: Vec<BTreeMap<String, String>>,
    /// Ranges of paths that were not explored.
    #[serde(default)]
    pub open: Vec<RangeRecord>,
    /// Stands for the program's code, the entry, the bounds and whatever else decides what is found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// The part of all paths that this is; `None`: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<RangeRecord>,
}

/// What decides which paths there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_paths: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_instructions: Option<u64>,
    pub max_alloc: u64,
    pub array_len: u64,
    pub pointer_depth: u32,
    pub check_overflow: bool,
    pub check_uninit: bool,
    pub malloc_fail: bool,
    pub symbolic_globals: bool,
    pub all_errors: bool,
}

/// A range of paths: those that begin with some decisions, from one path on and up to another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeRecord {
    pub prefix: PathText,
    /// An input that takes the prefix.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub witness: Vec<WitnessRecord>,
    /// The first path that may be in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<PathText>,
    /// Where the first path itself is not in it any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after: bool,
    /// The first path that is not in it any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<PathText>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WitnessRecord {
    pub name: String,
    pub size: u32,
    pub bytes: HexBytes,
}

/// A path or the beginning of one: the sides it takes, and of each decision whether it was forced, both by [`encode_decisions`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PathText {
    pub sides: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub forced: String,
}

/// More decisions than any path has.
const MOST_DECISIONS: usize = 1 << 26;

impl PathText {
    pub fn new(decisions: impl Iterator<Item = (u32, bool)>) -> Self {
        let (sides, forced): (Vec<u32>, Vec<u32>) = decisions.map(|(side, forced)| (side, u32::from(forced))).unzip();
        PathText { sides: encode_decisions(&sides), forced: encode_decisions(&forced) }
    }

    /// Sides and whether they were forced; `None` if the text stands for no path.
    pub fn decisions(&self) -> Option<Vec<(u32, bool)>> {
        let sides = decode_decisions(&self.sides, MOST_DECISIONS)?;
        let forced = decode_decisions(&self.forced, MOST_DECISIONS)?;
        (sides.len() == forced.len()).then(|| sides.into_iter().zip(forced).map(|(s, f)| (s, f != 0)).collect())
    }
}

/// `0-3,5` of numbers in ascending order.
pub fn encode_numbers(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        [one] => one.to_string(),
        run => format!("{}-{}", run[0], run[run.len() - 1]),
    });
    runs.collect::<Vec<_>>().join(",")
}

/// The inverse; `None` if the text is no such list, or has a number from `limit` on.
pub fn decode_numbers(text: &str, limit: u32) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        if last >= limit {
            return None;
        }
        numbers.extend(first..=last);
    }
    Some(numbers)
}

/// A checksum of a file's bytes (FNV-1a).
pub fn checksum(bytes: &[u8]) -> String {
    let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, fold))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_paths_come_back() {
        for numbers in [&[][..], &[3], &[0, 1, 2, 5, 7, 8], &[9, 10]] {
            assert_eq!(decode_numbers(&encode_numbers(numbers), 11).unwrap(), numbers);
        }
        assert_eq!(encode_numbers(&[0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
        assert!(decode_numbers("0-4000000000", 100).is_none() && decode_numbers("x", 9).is_none());
        let decisions = [(0, false), (12, true), (1, true)];
        let text = PathText::new(decisions.into_iter());
        assert_eq!(text.decisions().unwrap(), decisions);
        assert!(PathText { sides: "01".into(), forced: "0".into() }.decisions().is_none());
    }
}
