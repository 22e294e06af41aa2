//! `.ktest` files: one test, as KLEE's tools know it.
//!
//! The file is a sequence of big-endian 32-bit numbers and byte strings: a magic word, the format's version, the
//! program's arguments, two numbers about symbolic arguments (since version 2), then the input objects by name. Reading
//! trusts nothing: every length is held against what is left of the file before anything is allocated, so that a damaged file costs
//! an error message and no more.

use std::fs;
use std::path::{Path, PathBuf};

/// The version this crate writes, and the newest it reads.
pub const KTEST_VERSION: u32 = 3;
const MAGIC: &[u8; 5] = b"KTEST";
/// What files began with before version 2.
const OLD_MAGIC: &[u8; 5] = b"BOUT\n";

/// One input: the bytes of a symbolic object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Object {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// A test: the bytes of every input, in the order in which the program asks for them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ktest {
    /// The program's arguments, its name first.
    pub args: Vec<String>,
    /// How many symbolic arguments there were, and how long each could be (KLEE's `--sym-argvs`; mostly 0).
    pub sym_argvs: u32,
    pub sym_argv_len: u32,
    pub objects: Vec<Object>,
}

/// Why bytes are no `.ktest`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KtestError {
    #[error("not a .ktest file (it does not begin with KTEST)")]
    Magic,
    #[error(".ktest version {0} is newer than {KTEST_VERSION}, the newest that is known")]
    Version(u32),
    #[error("cut off at byte {offset}: {needed} more bytes of {what} expected, {left} left")]
    Truncated { what: &'static str, offset: usize, needed: u64, left: u64 },
    #[error("the {what} at byte {offset} is not UTF-8")]
    Text { what: &'static str, offset: usize },
    #[error("{count} bytes after the last object, at byte {offset}")]
    TrailingBytes { offset: usize, count: usize },
}

/// Why a `.ktest` file could not be had.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("cannot read {}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}: {source}", path.display())]
    Format { path: PathBuf, source: KtestError },
}

impl Ktest {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Ktest, ReadError> {
        let bytes = fs::read(path).map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
        Ktest::from_bytes(&bytes).map_err(|source| ReadError::Format { path: path.to_owned(), source })
    }

    /// Reads versions 1 to 3.
    pub fn from_bytes(bytes: &[u8]) -> Result<Ktest, KtestError> {
        let mut reader = Reader { bytes, offset: 0 };
        let magic = reader.take(5, "magic").map_err(|_| KtestError::Magic)?;
        if magic != MAGIC && magic != OLD_MAGIC {
            return Err(KtestError::Magic);
        }
        let version = reader.number("version")?;
        if version > KTEST_VERSION {
            return Err(KtestError::Version(version));
        }
        let args = reader.list("argument", 4, |reader| reader.text("argument"))?;
        let (sym_argvs, sym_argv_len) =
            if version >= 2 { (reader.number("symArgvs")?, reader.number("symArgvLen")?) } else { (0, 0) };
        let objects = reader.list("object", 8, |reader| {
            let name = reader.text("object name")?;
            let size = reader.number("object size")?;
            Ok(Object { name, bytes: reader.take(u64::from(size), "object bytes")?.to_vec() })
        })?;
        match bytes.len() - reader.offset {
            0 => Ok(Ktest { args, sym_argvs, sym_argv_len, objects }),
            count => Err(KtestError::TrailingBytes { offset: reader.offset, count }),
        }
    }

    /// The file's contents, version 3. Texts and objects of 4 GiB or more cannot be told in this format; they are cut.
    pub fn to_bytes(&self) -> Vec<u8> {
        let size = self.objects.iter().map(|o| 8 + o.name.len() + o.bytes.len()).sum::<usize>()
            + self.args.iter().map(|a| 4 + a.len()).sum::<usize>();
        let mut out = Vec::with_capacity(25 + size);
        out.extend_from_slice(MAGIC);
        number(&mut out, KTEST_VERSION);
        number(&mut out, self.args.len() as u32);
        for arg in &self.args {
            string(&mut out, arg.as_bytes());
        }
        number(&mut out, self.sym_argvs);
        number(&mut out, self.sym_argv_len);
        number(&mut out, self.objects.len() as u32);
        for object in &self.objects {
            string(&mut out, object.name.as_bytes());
            string(&mut out, &object.bytes);
        }
        out
    }

    /// The first object of that name.
    pub fn object(&self, name: &str) -> Option<&Object> {
        self.objects.iter().find(|o| o.name == name)
    }
}

fn number(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_be_bytes());
}

fn string(out: &mut Vec<u8>, bytes: &[u8]) {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    number(out, length);
    out.extend_from_slice(&bytes[..length as usize]);
}

struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: u64, what: &'static str) -> Result<&'a [u8], KtestError> {
        let left = (self.bytes.len() - self.offset) as u64;
        if count > left {
            return Err(KtestError::Truncated { what, offset: self.offset, needed: count, left });
        }
        let taken = &self.bytes[self.offset..self.offset + count as usize];
        self.offset += count as usize;
        Ok(taken)
    }

    fn number(&mut self, what: &'static str) -> Result<u32, KtestError> {
        let bytes = self.take(4, what)?;
        Ok(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn text(&mut self, what: &'static str) -> Result<String, KtestError> {
        let length = self.number(what)?;
        let offset = self.offset;
        let bytes = self.take(u64::from(length), what)?;
        String::from_utf8(bytes.to_vec()).map_err(|_| KtestError::Text { what, offset })
    }

    /// A count, then that many items of at least `minimum` bytes each: a count that cannot be true fails at once.
    fn list<T>(
        &mut self,
        what: &'static str,
        minimum: u64,
        mut item: impl FnMut(&mut Self) -> Result<T, KtestError>,
    ) -> Result<Vec<T>, KtestError> {
        let count = u64::from(self.number(what)?);
        let left = (self.bytes.len() - self.offset) as u64;
        if count * minimum > left {
            return Err(KtestError::Truncated { what, offset: self.offset, needed: count * minimum, left });
        }
        (0..count).map(|_| item(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Ktest {
        Ktest {
            args: vec!["prog.bc".into()],
            objects: vec![
                Object { name: "a".into(), bytes: vec![1, 2, 3, 4] },
                Object { name: "empty".into(), bytes: vec![] },
            ],
            ..Ktest::default()
        }
    }

    #[test]
    fn layout_is_klees_version_3() {
        let mut expected = b"KTEST".to_vec();
        for part in [
            &[0, 0, 0, 3][..],
            &[0, 0, 0, 1],
            &[0, 0, 0, 7],
            b"prog.bc",
            &[0, 0, 0, 0],
            &[0, 0, 0, 0],
            &[0, 0, 0, 2],
            &[0, 0, 0, 1],
            b"a",
            &[0, 0, 0, 4],
            &[1, 2, 3, 4],
            &[0, 0, 0, 5],
            b"empty",
            &[0, 0, 0, 0],
        ] {
            expected.extend_from_slice(part);
        }
        assert_eq!(sample().to_bytes(), expected);
    }

    #[test]
    fn reads_versions_1_and_2() {
        let v1 = b"BOUT\n\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\x01x\0\0\0\x01\x07";
        let test = Ktest::from_bytes(v1).unwrap();
        assert_eq!(test.objects, [Object { name: "x".into(), bytes: vec![7] }]);
        let v2 = b"KTEST\0\0\0\x02\0\0\0\0\0\0\0\x05\0\0\0\x06\0\0\0\0";
        let test = Ktest::from_bytes(v2).unwrap();
        assert_eq!((test.sym_argvs, test.sym_argv_len), (5, 6));
    }

    #[test]
    fn damage_is_told_apart() {
        assert_eq!(Ktest::from_bytes(b""), Err(KtestError::Magic));
        assert_eq!(Ktest::from_bytes(b"KTES"), Err(KtestError::Magic));
        assert_eq!(Ktest::from_bytes(b"KTEST\0\0\0\x04"), Err(KtestError::Version(4)));
        let huge = b"KTEST\0\0\0\x03\xff\xff\xff\xff";
        assert!(matches!(Ktest::from_bytes(huge), Err(KtestError::Truncated { what: "argument", .. })));
        let mut longer = sample().to_bytes();
        longer.push(0);
        assert!(matches!(Ktest::from_bytes(&longer), Err(KtestError::TrailingBytes { count: 1, .. })));
        let not_text = b"KTEST\0\0\0\x03\0\0\0\x01\0\0\0\x01\xff\0\0\0\0\0\0\0\0\0\0\0\0";
        assert!(matches!(Ktest::from_bytes(not_text), Err(KtestError::Text { .. })));
    }

    #[test]
    fn every_truncation_is_an_error() {
        let whole = sample().to_bytes();
        for end in 0..whole.len() {
            assert!(Ktest::from_bytes(&whole[..end]).is_err(), "{end}");
        }
    }

    fn any_test() -> impl Strategy<Value = Ktest> {
        let object = ("\\PC{0,12}", proptest::collection::vec(any::<u8>(), 0..40))
            .prop_map(|(name, bytes)| Object { name, bytes });
        (
            proptest::collection::vec("\\PC{0,9}", 0..4),
            any::<u32>(),
            any::<u32>(),
            proptest::collection::vec(object, 0..6),
        )
            .prop_map(|(args, sym_argvs, sym_argv_len, objects)| Ktest {
                args,
                sym_argvs,
                sym_argv_len,
                objects,
            })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(test in any_test()) {
            prop_assert_eq!(Ktest::from_bytes(&test.to_bytes()), Ok(test));
        }

        /// Whatever is read without an error is exactly what its own bytes say: no second reading of the same file.
        #[test]
        fn garbage_never_panics(
            test in any_test(),
            edits in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..6),
            cut in any::<proptest::sample::Index>(),
        ) {
            let mut bytes = test.to_bytes();
            for (at, value) in edits {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            let cut = cut.index(bytes.len() + 1);
            for bytes in [&bytes[..], &bytes[..cut]] {
                if let Ok(read) = Ktest::from_bytes(bytes) {
                    prop_assert_eq!(Ktest::from_bytes(&read.to_bytes()), Ok(read));
                }
            }
        }

        #[test]
        fn noise_never_panics(noise in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Ktest::from_bytes(&noise);
            let mut with_magic = b"KTEST\0\0\0\x03".to_vec();
            with_magic.extend_from_slice(&noise);
            let _ = Ktest::from_bytes(&with_magic);
        }
    }
}
