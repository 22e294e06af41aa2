//! Ranges of paths in files.

use upshot_explore::{Path, Range};
use upshot_suite::{HexBytes, PathText, RangeRecord, WitnessRecord};

/// A range as a manifest has it.
pub fn record(range: &Range) -> RangeRecord {
    let witness = range.witness.inputs.iter().map(|(name, size, bytes)| WitnessRecord {
        name: name.clone(),
        size: *size,
        bytes: HexBytes::from(&bytes[..]),
    });
    RangeRecord { prefix: text(&range.prefix), witness: witness.collect(), ..RangeRecord::default() }
}

fn text(path: &Path) -> PathText {
    PathText::new(path.0.iter().map(|decision| (decision.side, decision.forced)))
}
