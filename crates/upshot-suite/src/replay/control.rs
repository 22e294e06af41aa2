//! The control page: what the parent tells a replayed program, and what the program leaves behind however it dies.
//!
//! The layout is that of `struct control` in `runtime/control.c`: a row of 64-bit words, then a text, then from
//! [`HEADER`] on the bytes of the result and the listed events.

use std::collections::HashMap;

use super::{RunOptions, TraceEvent};

const MAGIC: u64 = u64::from_le_bytes(*b"upshotrp");
const HEADER: usize = 4096;
const TEXT_CAPACITY: usize = 1024;
const EVENT: usize = 16;

/// Words, in order.
#[derive(Clone, Copy)]
enum Word {
    Magic,
    Wanted,
    Stop,
    StackLimit,
    MemoryLimit,
    OutputLimit,
    ReturnCapacity,
    EventCapacity,
    Started,
    Count,
    Hash,
    PrefixHash,
    PrefixReached,
    End,
    Fault,
    Returned,
    Value,
    ReturnSize,
    TextSize,
    /// Where the text begins.
    Text,
}

/// An end that the program wrote down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    None,
    Assume,
    Silent,
    Report,
    BadTest,
    Undefined,
    Stopped,
    Check,
    Sanitizer,
    Assert,
}

const MARKS: [Mark; 10] = [
    Mark::None,
    Mark::Assume,
    Mark::Silent,
    Mark::Report,
    Mark::BadTest,
    Mark::Undefined,
    Mark::Stopped,
    Mark::Check,
    Mark::Sanitizer,
    Mark::Assert,
];

/// What the page says after the run.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) started: bool,
    pub(super) count: u64,
    pub(super) hash: u64,
    pub(super) prefix_hash: Option<u64>,
    pub(super) mark: Mark,
    /// 0 for none; else as in the runtime.
    pub(super) fault: u64,
    /// What `main` returned.
    pub(super) returned: Option<i64>,
    pub(super) result: Option<Vec<u8>>,
    pub(super) text: String,
    pub(super) events: Vec<TraceEvent>,
}

/// The page as it is before the run.
pub(super) fn encode(options: &RunOptions, memory_limit: u64, result_size: usize) -> Vec<u8> {
    let return_capacity = (result_size + 64).next_multiple_of(16);
    let mut page = vec![0; HEADER + return_capacity + options.events * EVENT];
    let mut set = |word: Word, value: u64| page[word as usize * 8..][..8].copy_from_slice(&value.to_le_bytes());
    set(Word::Magic, MAGIC);
    set(Word::Wanted, options.prefix.unwrap_or(u64::MAX));
    set(Word::Stop, u64::from(options.stop_at_prefix));
    set(Word::StackLimit, options.limits.stack);
    set(Word::MemoryLimit, memory_limit);
    set(Word::OutputLimit, options.limits.output);
    set(Word::ReturnCapacity, return_capacity as u64);
    set(Word::EventCapacity, options.events as u64);
    page
}

/// What the program left. `None` if the page is not one, which only a program that scribbles over it can bring about.
pub(super) fn decode(page: &[u8], functions: &HashMap<u64, String>) -> Option<Outcome> {
    let bytes = |at: usize| page.get(at..at + 8).and_then(|b| <[u8; 8]>::try_from(b).ok());
    let word = |word: Word| bytes(word as usize * 8).map(u64::from_le_bytes);
    if word(Word::Magic)? != MAGIC {
        return None;
    }
    let result_size = usize::try_from(word(Word::ReturnSize)?).ok()?;
    let text_size = usize::try_from(word(Word::TextSize)?).ok()?.min(TEXT_CAPACITY);
    let capacity = usize::try_from(word(Word::ReturnCapacity)?).ok()?;
    let listed = word(Word::Count)?.min(word(Word::EventCapacity)?);
    let text = Word::Text as usize * 8;
    let events = HEADER.checked_add(capacity)?;
    let returned = word(Word::Returned)? != 0;
    Some(Outcome {
        started: word(Word::Started)? != 0,
        count: word(Word::Count)?,
        hash: word(Word::Hash)?,
        prefix_hash: (word(Word::PrefixReached)? != 0).then_some(word(Word::PrefixHash)?),
        mark: *MARKS.get(usize::try_from(word(Word::End)?).ok()?)?,
        fault: word(Word::Fault)?,
        returned: returned.then_some(word(Word::Value)? as i64),
        result: page.get(HEADER..HEADER.checked_add(result_size)?).map(<[u8]>::to_vec).filter(|_| returned),
        text: String::from_utf8_lossy(page.get(text..text + text_size)?).into_owned(),
        events: (0..usize::try_from(listed).ok()?)
            .map_while(|i| {
                let event = page.get(events + i * EVENT..)?.first_chunk::<EVENT>()?;
                let half = |at: usize| u32::from_le_bytes([event[at], event[at + 1], event[at + 2], event[at + 3]]);
                let function = u64::from(half(0)) | u64::from(half(4)) << 32;
                let name = functions.get(&function).cloned();
                Some(TraceEvent {
                    function: name.unwrap_or_else(|| format!("{function:016x}")),
                    block: half(8),
                    successor: half(12),
                })
            })
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_untouched_page_says_nothing_happened() {
        let page = encode(&RunOptions { events: 3, ..RunOptions::default() }, 0, 5);
        let outcome = decode(&page, &HashMap::new()).unwrap();
        assert!(!outcome.started && outcome.result.is_none() && outcome.events.is_empty());
        assert_eq!((outcome.mark, outcome.prefix_hash), (Mark::None, None));
    }

    #[test]
    fn the_runtime_has_the_same_words_in_the_same_order() {
        let source = include_str!("runtime/control.c");
        let fields = source.split("struct control {").nth(1).unwrap().split("};").next().unwrap();
        let names = fields.lines().map(str::trim).filter(|l| l.contains("int64_t "));
        let names: Vec<_> = names.map(|l| l.split_whitespace().nth(1).unwrap().trim_end_matches(';')).collect();
        let words = [
            ("magic", Word::Magic),
            ("wanted", Word::Wanted),
            ("stop", Word::Stop),
            ("stack_limit", Word::StackLimit),
            ("memory_limit", Word::MemoryLimit),
            ("output_limit", Word::OutputLimit),
            ("return_capacity", Word::ReturnCapacity),
            ("event_capacity", Word::EventCapacity),
            ("started", Word::Started),
            ("count", Word::Count),
            ("hash", Word::Hash),
            ("prefix_hash", Word::PrefixHash),
            ("prefix_reached", Word::PrefixReached),
            ("end", Word::End),
            ("fault", Word::Fault),
            ("returned", Word::Returned),
            ("value", Word::Value),
            ("return_size", Word::ReturnSize),
            ("text_size", Word::TextSize),
        ];
        assert_eq!(names, words.map(|(name, _)| name));
        assert!(words.iter().enumerate().all(|(i, (_, word))| *word as usize == i));
    }

    proptest! {
        /// A program may write anything anywhere, also here.
        #[test]
        fn a_scribbled_page_is_no_danger(words in proptest::collection::vec(any::<u64>(), 18)) {
            let mut page = encode(&RunOptions { events: 3, ..RunOptions::default() }, 0, 5);
            for (i, word) in words.iter().enumerate() {
                page[8 + i * 8..16 + i * 8].copy_from_slice(&word.to_le_bytes());
            }
            let _ = decode(&page, &HashMap::new());
        }
    }
}
