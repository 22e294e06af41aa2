//! As much of the bitcode container as error messages need: whether a file is cut short, and which LLVM wrote it.
//! LLVM's reader tells neither reliably: it stops at the first thing that does not fit, and not every message names the
//! producer.

/// The outermost impression a file makes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outer {
    Whole,
    Truncated,
    Foreign,
}

const SIGNATURE: u32 = 0xDEC0_4342;
const WRAPPER: u32 = 0x0B17_C0DE;
const IDENTIFICATION_BLOCK: u64 = 13;
const ENTER_BLOCK: u64 = 1;
const DEFINE_ABBREVIATION: u64 = 2;
const FIRST_ABBREVIATION: u64 = 4;

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}

/// The bitcode itself, without the wrapper that some systems put around it.
fn unwrapped(bytes: &[u8]) -> Result<&[u8], Outer> {
    match word(bytes, 0) {
        Some(SIGNATURE) => Ok(bytes),
        Some(WRAPPER) => {
            let (offset, size) = word(bytes, 8).zip(word(bytes, 12)).ok_or(Outer::Truncated)?;
            bytes.get(offset as usize..offset as usize + size as usize).ok_or(Outer::Truncated)
        }
        _ => Err(Outer::Foreign),
    }
}

/// Walks the blocks at the top level, each of which says how long it is: enough to tell a file that was cut short from
/// one that never was bitcode.
pub(crate) fn outer_structure(bytes: &[u8]) -> Outer {
    let body = match unwrapped(bytes) {
        Ok(body) => body,
        Err(outer) => return outer,
    };
    let mut at = 4;
    let mut blocks = 0;
    while at < body.len() {
        // A block opens with the code 1 in two bits, its kind and code width; its length in words follows, aligned.
        let (Some(head), Some(length)) = (word(body, at), word(body, at + 4)) else { return Outer::Truncated };
        if u64::from(head & 3) != ENTER_BLOCK {
            // Padding after the last block is allowed; anything else is left to LLVM's reader to name.
            break;
        }
        at += 8 + 4 * length as usize;
        blocks += 1;
    }
    if at > body.len() || blocks == 0 { Outer::Truncated } else { Outer::Whole }
}

/// Who wrote the file (`LLVM19.1.7`), from the identification block that comes first.
pub(crate) fn producer(bytes: &[u8]) -> Option<String> {
    let mut bits = Bits { bytes: unwrapped(bytes).ok()?, at: 32 };
    if bits.fixed(2)? != ENTER_BLOCK || bits.variable(8)? != IDENTIFICATION_BLOCK {
        return None;
    }
    let width = bits.variable(4)?;
    bits.at = bits.at.next_multiple_of(32) + 32;
    // The string is the first record, and an abbreviation made for it comes before: literal code, array of one kind.
    if bits.fixed(width)? != DEFINE_ABBREVIATION || bits.variable(5)? != 3 {
        return None;
    }
    let literal = (bits.fixed(1)?, bits.variable(8)?);
    let array = (bits.fixed(1)?, bits.fixed(3)?);
    if literal != (1, 1) || array != (0, 3) || bits.fixed(1)? != 0 {
        return None;
    }
    let letters = match bits.fixed(3)? {
        1 => Letters::Fixed(bits.variable(5)?),
        4 => Letters::Six,
        _ => return None,
    };
    if bits.fixed(width)? != FIRST_ABBREVIATION {
        return None;
    }
    let length = bits.variable(6)?;
    (length < 256).then_some(())?;
    (0..length).map(|_| bits.letter(&letters)).collect()
}

/// How the characters of a string are written.
enum Letters {
    Fixed(u64),
    Six,
}

struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn fixed(&mut self, width: u64) -> Option<u64> {
        let mut value = 0;
        for bit in 0..width.min(32) {
            let byte = self.bytes.get(self.at / 8)?;
            value |= u64::from(byte >> (self.at % 8) & 1) << bit;
            self.at += 1;
        }
        Some(value)
    }

    /// A number in chunks, whose top bits say whether another one follows.
    fn variable(&mut self, width: u64) -> Option<u64> {
        let (mut value, mut shift) = (0, 0);
        let more = 1 << (width - 1);
        loop {
            let chunk = self.fixed(width)?;
            value |= (chunk & (more - 1)) << shift;
            shift += width - 1;
            if chunk & more == 0 || shift > 32 {
                return Some(value);
            }
        }
    }

    fn letter(&mut self, letters: &Letters) -> Option<char> {
        const SIX: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
        match letters {
            Letters::Fixed(width) => char::from_u32(self.fixed(*width)? as u32),
            Letters::Six => Some(char::from(SIX[self.fixed(6)? as usize])),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blocks_that_reach_past_the_end_are_a_cut() {
        let mut file = SIGNATURE.to_le_bytes().to_vec();
        assert_eq!(outer_structure(&file), Outer::Truncated);
        file.extend(0x0000_0C35u32.to_le_bytes());
        file.extend(2u32.to_le_bytes());
        file.extend([0; 8]);
        assert_eq!(outer_structure(&file), Outer::Whole);
        for cut in 4..file.len() {
            assert_eq!(outer_structure(&file[..cut]), Outer::Truncated, "cut at {cut}");
        }
        assert_eq!(outer_structure(b"int main(void)"), Outer::Foreign);
        assert_eq!(outer_structure(b"BC"), Outer::Foreign);
    }

    #[test]
    fn the_runtimes_own_bitcode_names_its_producer() {
        let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/upshot-runtime.bc"));
        assert_eq!(outer_structure(bytes), Outer::Whole);
        assert!(producer(bytes).is_some_and(|name| name.starts_with("LLVM19.")), "{:?}", producer(bytes));
    }

    proptest! {
        #[test]
        fn any_bytes_are_looked_at_without_harm(mut bytes in proptest::collection::vec(any::<u8>(), 0..200), wrap: bool) {
            if bytes.len() >= 4 {
                bytes[..4].copy_from_slice(&if wrap { WRAPPER } else { SIGNATURE }.to_le_bytes());
            }
            outer_structure(&bytes);
            producer(&bytes);
        }
    }
}
