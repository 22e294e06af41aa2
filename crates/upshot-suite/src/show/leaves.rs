//! The scalars of an object, each with its C expression and its value as C would write it.

use upshot_ir::{CType, CTypeId, DebugTypes, IntKind, member_path};

use super::{Pointers, ShownValue};
use crate::ktest::Ktest;

/// Of an array no more elements than this are shown.
const MOST_ELEMENTS: u64 = 256;
/// No value needs more; arrays of arrays could have more.
const MOST_VALUES: usize = 4096;

pub(super) struct Leaves<'a> {
    pub(super) test: &'a Ktest,
    pub(super) pointers: &'a Pointers,
    /// Which object of the test.
    pub(super) object: usize,
    pub(super) bytes: &'a [u8],
}

impl Leaves<'_> {
    /// The leaves of an object whose type, or whose elements' type, is known.
    pub(super) fn typed(&self, types: &DebugTypes, ty: CTypeId, name: &str) -> Vec<ShownValue> {
        let mut values = Vec::new();
        let Some(pointer) = name.strip_prefix('*') else {
            self.add(types, ty, 0, name.to_string(), &mut values);
            return values;
        };
        let size = types.size(ty).max(1);
        let count = self.bytes.len() as u64 / size;
        if is_char(types, ty) {
            values.push(leaf(pointer.to_string(), None, quoted(self.bytes), 0));
        } else if count == 1 {
            let path = if types.is_record(ty) { format!("{pointer}->") } else { name.to_string() };
            self.add(types, ty, 0, path, &mut values);
        } else {
            for i in 0..count.min(MOST_ELEMENTS) {
                let path =
                    if i == 0 && types.is_record(ty) { format!("{pointer}->") } else { format!("{pointer}[{i}]") };
                self.add(types, ty, i * size, path, &mut values);
            }
            note_rest(count, pointer, &mut values);
        }
        values
    }

    /// The object as a number, text or nothing but bytes.
    pub(super) fn untyped(&self, name: &str) -> Vec<ShownValue> {
        let value = match self.bytes.len() {
            0 => return Vec::new(),
            1 | 2 | 4 | 8 | 16 => integer(self.bytes, true),
            _ if is_text(self.bytes) => quoted(self.bytes),
            _ => return Vec::new(),
        };
        vec![leaf(name.to_string(), None, value, 0)]
    }

    fn add(&self, types: &DebugTypes, ty: CTypeId, offset: u64, path: String, values: &mut Vec<ShownValue>) {
        if values.len() >= MOST_VALUES {
            return;
        }
        let resolved = types.resolve(ty);
        let size = types.size(resolved);
        let bytes = self.slice(offset, size);
        let mut push = |value: String| values.push(leaf(path.clone(), Some(types.name(ty)), value, offset));
        match types.get(resolved) {
            CType::Int { signed, kind, .. } => push(number(bytes, *signed, *kind)),
            CType::Float { size, name } => push(float(bytes, *size, name)),
            CType::Enum { signed, values: names, .. } => push(enumerator(bytes, *signed, names)),
            CType::Pointer { .. } => push(self.pointer(offset, bytes)),
            CType::Array { element, count } => self.array(types, *element, *count, offset, path, values),
            CType::Record { members, .. } => {
                for member in members {
                    let path = member_path(&path, &member.name);
                    match member.bit_width {
                        Some(width) => {
                            let value = self.bit_field(types, member.ty, offset * 8 + member.bit_offset, width);
                            let ty = format!("{}:{width}", types.name(member.ty));
                            values.push(leaf(path, Some(ty), value, offset + member.bit_offset / 8));
                        }
                        None => self.add(types, member.ty, offset + member.bit_offset / 8, path, values),
                    }
                }
            }
            _ => {}
        }
    }

    fn array(
        &self,
        types: &DebugTypes,
        element: CTypeId,
        count: Option<u64>,
        offset: u64,
        path: String,
        values: &mut Vec<ShownValue>,
    ) {
        let size = types.size(element).max(1);
        // A flexible array fills the rest of the object.
        let count = count.unwrap_or((self.bytes.len() as u64).saturating_sub(offset) / size);
        if is_char(types, element) {
            let name = types.name(element);
            values.push(leaf(path, Some(format!("{name} [{count}]")), quoted(self.slice(offset, count)), offset));
            return;
        }
        for i in 0..count.min(MOST_ELEMENTS) {
            self.add(types, element, offset + i * size, format!("{path}[{i}]"), values);
        }
        note_rest(count, &path, values);
    }

    fn pointer(&self, offset: u64, bytes: &[u8]) -> String {
        let known = self.pointers.describe(self.test, self.object, offset as usize);
        known.unwrap_or_else(|| if bytes.iter().all(|b| *b == 0) { "NULL".to_string() } else { hexadecimal(bytes) })
    }

    fn bit_field(&self, types: &DebugTypes, ty: CTypeId, start: u64, width: u32) -> String {
        let bit = |i: u64| self.bytes.get((i / 8) as usize).is_some_and(|b| b >> (i % 8) & 1 != 0);
        let raw = (0..u64::from(width.min(64))).fold(0i128, |v, i| v | i128::from(bit(start + i)) << i);
        let signed =
            matches!(types.get(types.resolve(ty)), CType::Int { signed: true, .. } | CType::Enum { signed: true, .. });
        let is_negative = signed && width > 0 && raw >> (width - 1) & 1 != 0;
        (if is_negative { raw - (1i128 << width) } else { raw }).to_string()
    }

    /// The bytes there, as far as the object reaches.
    fn slice(&self, offset: u64, size: u64) -> &[u8] {
        let length = self.bytes.len() as u64;
        &self.bytes[offset.min(length) as usize..offset.saturating_add(size).min(length) as usize]
    }
}

fn leaf(path: String, ty: Option<String>, value: String, offset: u64) -> ShownValue {
    ShownValue { path, ty, value, offset }
}

fn note_rest(count: u64, path: &str, values: &mut Vec<ShownValue>) {
    if count > MOST_ELEMENTS {
        let value = format!("{} more", count - MOST_ELEMENTS);
        values.push(leaf(format!("{path}[{MOST_ELEMENTS}…]"), None, value, u64::MAX));
    }
}

fn is_char(types: &DebugTypes, ty: CTypeId) -> bool {
    matches!(types.get(types.resolve(ty)), CType::Int { kind: IntKind::Char, .. })
}

fn number(bytes: &[u8], signed: bool, kind: IntKind) -> String {
    match (kind, bytes) {
        (IntKind::Bool, [0]) => "false".to_string(),
        (IntKind::Bool, [1]) => "true".to_string(),
        (IntKind::Char, [byte]) if signed => format!("{} ({})", character(*byte), *byte as i8),
        (IntKind::Char, [byte]) => format!("{} ({byte})", character(*byte)),
        _ => integer(bytes, signed),
    }
}

/// Decimal, and hexadecimal where that says more.
fn integer(bytes: &[u8], signed: bool) -> String {
    if bytes.is_empty() || bytes.len() > 16 {
        return hexadecimal(bytes);
    }
    let raw = bytes.iter().rev().fold(0u128, |value, byte| value << 8 | u128::from(*byte));
    let unused = 128 - 8 * bytes.len() as u32;
    let decimal = if signed { ((raw << unused) as i128 >> unused).to_string() } else { raw.to_string() };
    if raw < 10 { decimal } else { format!("{decimal} (0x{raw:x})") }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().rev().map(|b| format!("{b:02x}")).collect();
    format!("0x{}", if digits.is_empty() { "?" } else { &digits })
}

fn float(bytes: &[u8], size: u32, name: &str) -> String {
    match (size, bytes) {
        (4, [a, b, c, d]) => format!("{:?}", f32::from_le_bytes([*a, *b, *c, *d])),
        (8, bytes) if bytes.len() == 8 => {
            bytes.first_chunk().map_or(String::new(), |b| format!("{:?}", f64::from_le_bytes(*b)))
        }
        (16, [mantissa @ .., _, _, _, _, _, _]) if name.contains("long double") && mantissa.len() == 10 => {
            extended(mantissa)
        }
        _ => hexadecimal(bytes),
    }
}

/// An x87 number, to the precision of a double.
fn extended(bytes: &[u8]) -> String {
    let mantissa = bytes.iter().take(8).rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
    let top = u16::from_le_bytes([bytes[8], bytes[9]]);
    let (negative, exponent) = (top >> 15 != 0, i32::from(top & 0x7fff));
    let sign = if negative { "-" } else { "" };
    match (exponent, mantissa << 1) {
        (0x7fff, 0) => format!("{sign}inf"),
        (0x7fff, _) => "NaN".to_string(),
        _ => {
            let value = mantissa as f64 * 2f64.powi(exponent - 16383 - 63);
            // Beyond a double's range only the digits are left.
            if value.is_finite() && (value != 0.0 || mantissa == 0) {
                format!("{sign}{value:?}")
            } else {
                format!("{sign}0x{mantissa:016x} * 2^{}", exponent - 16383 - 63)
            }
        }
    }
}

fn enumerator(bytes: &[u8], signed: bool, names: &[(String, i128)]) -> String {
    let text = integer(bytes, signed);
    let value = text.split(' ').next().and_then(|t| t.parse::<i128>().ok());
    match names.iter().find(|(_, v)| Some(*v) == value) {
        Some((name, value)) => format!("{name} ({value})"),
        None => text,
    }
}

/// A character as C writes it, in quotes.
fn character(byte: u8) -> String {
    match byte {
        b'\'' => "'\\''".to_string(),
        b'"' => "'\"'".to_string(),
        _ => format!("'{}'", escaped(byte)),
    }
}

/// A string as C writes it, with its NULs.
fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for (i, byte) in bytes.iter().enumerate() {
        let digit_follows = bytes.get(i + 1).is_some_and(u8::is_ascii_hexdigit);
        match *byte {
            0 if digit_follows => text.push_str("\\000"),
            byte @ (1..=31 | 127..) if digit_follows && escaped(byte).starts_with("\\x") => {
                text.push_str(&format!("\\{byte:03o}"));
            }
            b'"' => text.push_str("\\\""),
            byte => text.push_str(&escaped(byte)),
        }
    }
    text + "\""
}

fn escaped(byte: u8) -> String {
    match byte {
        0 => "\\0".to_string(),
        b'\n' => "\\n".to_string(),
        b'\t' => "\\t".to_string(),
        b'\r' => "\\r".to_string(),
        b'\\' => "\\\\".to_string(),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    }
}

fn is_text(bytes: &[u8]) -> bool {
    let text = bytes.iter().position(|b| *b == 0).map_or(bytes, |end| &bytes[..end]);
    !text.is_empty() && text.iter().all(|b| matches!(b, b' '..=b'~' | b'\n' | b'\t' | b'\r'))
}
