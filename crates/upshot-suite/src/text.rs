//! Bytes and decisions as text, for the record: short, readable, and exactly reversible.

/// Bytes as text: printable ASCII, newline and tab as they are, the backslash doubled, everything else as `\xNN`.
pub fn escape_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b'\\' => text.push_str("\\\\"),
            b' '..=b'~' | b'\n' | b'\t' => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text
}

/// The inverse of [`escape_bytes`]; `None` for what it never writes.
pub fn unescape_bytes(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    loop {
        match rest {
            [] => return Some(bytes),
            [b'\\', b'\\', tail @ ..] => {
                bytes.push(b'\\');
                rest = tail;
            }
            [b'\\', b'x', high, low, tail @ ..] => {
                let digit = |d: u8| char::from(d).to_digit(16).map(|d| d as u8);
                bytes.push(digit(*high)? << 4 | digit(*low)?);
                rest = tail;
            }
            [b'\\', ..] => return None,
            [byte, tail @ ..] if byte.is_ascii() => {
                bytes.push(*byte);
                rest = tail;
            }
            _ => return None,
        }
    }
}

/// Bytes as pairs of hexadecimal digits.
pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The inverse of [`to_hex`].
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(text.get(i..i + 2)?, 16).ok()).collect()
}

/// The shortest run of equal decisions that is worth counting.
const RUN: usize = 5;

/// A path's decisions: one digit each, `(N)` from 10 on; `d*N;` stands for N times the decision `d`.
///
/// Nearly all decisions are 0 or 1, and loops make long runs of one of them; so this is short, and a person can read off it
/// where two paths part.
pub fn encode_decisions(decisions: &[u32]) -> String {
    let mut text = String::new();
    for run in decisions.chunk_by(|a, b| a == b) {
        let one = if run[0] < 10 { run[0].to_string() } else { format!("({})", run[0]) };
        if run.len() < RUN {
            text.push_str(&one.repeat(run.len()));
        } else {
            text.push_str(&format!("{one}*{};", run.len()));
        }
    }
    text
}

/// The inverse of [`encode_decisions`]; `None` if the text is none, or stands for more than `limit` decisions (since a
/// few characters can stand for billions).
pub fn decode_decisions(text: &str, limit: usize) -> Option<Vec<u32>> {
    let mut decisions = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let decision = if first == '(' {
            let (inside, tail) = rest[1..].split_once(')')?;
            rest = tail;
            number(inside)?
        } else {
            rest = rest.get(1..)?;
            first.to_digit(10)?
        };
        let mut times = 1;
        if let Some(tail) = rest.strip_prefix('*') {
            let (inside, tail) = tail.split_once(';')?;
            rest = tail;
            times = number(inside)? as usize;
        }
        if times > limit.saturating_sub(decisions.len()) {
            return None;
        }
        decisions.extend(std::iter::repeat_n(decision, times));
    }
    Some(decisions)
}

fn number(digits: &str) -> Option<u32> {
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decisions_are_short() {
        assert_eq!(encode_decisions(&[]), "");
        assert_eq!(encode_decisions(&[0, 1, 1, 0]), "0110");
        assert_eq!(encode_decisions(&[1, 1, 1, 1, 1, 1, 0, 12, 12]), "1*6;0(12)(12)");
        assert_eq!(decode_decisions("1*4000000000;", 1000), None);
        assert_eq!(decode_decisions("x", 10), None);
        assert_eq!(decode_decisions("(+1)", 10), None);
        assert_eq!(decode_decisions("é", 10), None);
    }

    #[test]
    fn hex_is_checked() {
        assert_eq!(from_hex("00ff"), Some(vec![0, 255]));
        assert_eq!(from_hex("0"), None);
        assert_eq!(from_hex("+1"), None);
        assert_eq!(from_hex("é0"), None);
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            prop_assert_eq!(unescape_bytes(&escape_bytes(&bytes)), Some(bytes.clone()));
            prop_assert_eq!(from_hex(&to_hex(&bytes)), Some(bytes));
        }

        #[test]
        fn decisions_come_back(runs in proptest::collection::vec((0u32..14, 1usize..20), 0..12)) {
            let decisions: Vec<u32> = runs.iter().flat_map(|&(d, n)| std::iter::repeat_n(d, n)).collect();
            prop_assert_eq!(decode_decisions(&encode_decisions(&decisions), 1000), Some(decisions));
        }

        #[test]
        fn any_text_is_safe(text in "\\PC{0,20}") {
            let _ = unescape_bytes(&text);
            let _ = decode_decisions(&text, 1000);
            let _ = from_hex(&text);
        }
    }
}
