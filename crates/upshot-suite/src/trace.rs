//! The branch trace: which way every branch in the user's own code went, folded into one number.
//!
//! Executor and native replay each compute it while they run, and equal traces mean that both took the same path, however
//! the path ended. An *event* is a conditional branch, switch or computed goto being executed; it is made of three
//! things that are the same on both sides because both run the same bitcode: the function's linkage name, the block's
//! position in that function, and the position of the successor taken, all in LLVM's order. (For a `br`, successor 0 is
//! the true side; for a `switch`, 0 is the default and 1, 2, … the cases in order, of which the first that leads to the
//! block jumped to counts, since an executor takes cases with the same block as one; for an `indirectbr`, the first listed
//! destination that is that block.) Selects and unconditional jumps are no events.
//!
//! The fold depends on the order of the events, so a run that takes the same branches in another order differs too.

use serde::{Deserialize, Serialize};

/// Where the fold starts.
pub const TRACE_START: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;
const PER_BLOCK: u64 = 0x9E37_79B9_7F4A_7C15;
const PER_SUCCESSOR: u64 = 0xC2B2_AE3D_27D4_EB4F;

/// FNV-1a over the bytes of a function's linkage name.
pub const fn function_name_hash(name: &[u8]) -> u64 {
    let mut hash = TRACE_START;
    let mut i = 0;
    while i < name.len() {
        hash = (hash ^ name[i] as u64).wrapping_mul(PRIME);
        i += 1;
    }
    hash
}

/// The event "block `block` of this function was left towards its successor `successor`".
pub const fn trace_event(function_name_hash: u64, block: u32, successor: u32) -> u64 {
    function_name_hash
        .wrapping_add((block as u64).wrapping_mul(PER_BLOCK))
        .wrapping_add((successor as u64).wrapping_mul(PER_SUCCESSOR))
}

/// The trace `hash` and then `event`.
pub const fn trace_step(hash: u64, event: u64) -> u64 {
    (hash ^ event).wrapping_mul(PRIME)
}

/// How many events there were, and what they fold to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    pub branches: u64,
    #[serde(with = "hexadecimal")]
    pub hash: u64,
}

impl Default for Trace {
    fn default() -> Self {
        Trace { branches: 0, hash: TRACE_START }
    }
}

impl Trace {
    /// Adds one event.
    pub fn push(&mut self, event: u64) {
        self.branches += 1;
        self.hash = trace_step(self.hash, event);
    }
}

/// JSON numbers lose bits past 2^53 in many readers, so the hash is written as 16 hexadecimal digits.
mod hexadecimal {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(value: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&format!("{value:016x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        let text = String::deserialize(from)?;
        if text.len() != 16 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(D::Error::custom("a trace hash is 16 hexadecimal digits"));
        }
        u64::from_str_radix(&text, 16).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_hash_is_fnv_1a() {
        assert_eq!(function_name_hash(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(function_name_hash(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(function_name_hash(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn order_and_every_part_of_an_event_count() {
        let name = function_name_hash(b"f");
        let (a, b) = (trace_event(name, 1, 0), trace_event(name, 0, 1));
        assert_ne!(a, b);
        assert_ne!(a, trace_event(function_name_hash(b"g"), 1, 0));
        assert_ne!(trace_step(trace_step(TRACE_START, a), b), trace_step(trace_step(TRACE_START, b), a));
    }

    #[test]
    fn json_keeps_all_bits() {
        let trace = Trace { branches: 3, hash: 0xffff_ffff_0000_0001 };
        let text = serde_json::to_string(&trace).unwrap();
        assert_eq!(text, r#"{"branches":3,"hash":"ffffffff00000001"}"#);
        assert_eq!(serde_json::from_str::<Trace>(&text).unwrap(), trace);
        assert!(serde_json::from_str::<Trace>(r#"{"branches":3,"hash":"+fffffff00000001"}"#).is_err());
    }
}
