//! A test as people read it: inputs by their C names, with types where they are known and values as C would write them.
//!
//! What an object is follows from its name: a parameter of the entry, a global, a local of that name and size that a
//! harness made symbolic, or memory behind one of these (`*p`, `*p->next`). An object of which nothing is known is
//! shown as a number if it has the size of one, and as text or bytes otherwise.

mod leaves;
mod types;

use std::fmt::Write as _;

use serde::Serialize;
use upshot_ir::Program;

use crate::ktest::{Ktest, Object};
use leaves::Leaves;

/// The object that lists the pointers of a test for an entry function.
pub(crate) const POINTERS: &str = "upshot.pointers";
/// The target that stands for a function of which only the results are known.
pub(crate) const TO_FUNCTION: u32 = u32::MAX;

/// One input object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shown {
    pub name: String,
    /// Bytes.
    pub size: usize,
    /// The C type, where it is known.
    #[serde(rename = "type")]
    pub ty: Option<String>,
    /// Its scalars and strings.
    pub values: Vec<ShownValue>,
    /// Hexadecimal.
    pub bytes: String,
}

/// A scalar, or a string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShownValue {
    /// As a C expression: `x`, `p->next->value`, `s[2]`.
    pub path: String,
    #[serde(rename = "type")]
    pub ty: Option<String>,
    pub value: String,
    /// Where in the object it is.
    #[serde(skip)]
    pub(crate) offset: u64,
}

/// Makes a test readable. `program` and `entry`, where they are at hand, tell the types.
pub fn show(test: &Ktest, program: Option<&Program>, entry: Option<&str>) -> Vec<Shown> {
    let pointers = Pointers::of(test);
    let objects = test.objects.iter().enumerate();
    objects
        .filter(|(_, object)| object.name != POINTERS || pointers.list.is_empty())
        .map(|(index, object)| {
            let ty = program.and_then(|program| types::of_object(program, entry, object).map(|ty| (program, ty)));
            let leaves = Leaves { test, pointers: &pointers, object: index, bytes: &object.bytes };
            Shown {
                name: object.name.clone(),
                size: object.bytes.len(),
                ty: ty.map(|(program, ty)| described(program, ty, object)),
                values: match ty {
                    Some((program, ty)) => leaves.typed(&program.types, ty, &object.name),
                    None => leaves.untyped(&object.name),
                },
                bytes: crate::text::to_hex(&object.bytes),
            }
        })
        .collect()
}

/// The type's name; for memory of several elements, with their number.
fn described(program: &Program, ty: upshot_ir::CTypeId, object: &Object) -> String {
    let size = program.types.size(ty) as usize;
    match object.bytes.len().checked_div(size) {
        Some(count) if object.name.starts_with('*') && count != 1 => {
            format!("{} [{count}]", program.types.name(ty))
        }
        _ => program.types.name(ty),
    }
}

/// The readable form, a line or more per object. `title` is the test's name.
pub fn render(title: &str, shown: &[Shown]) -> String {
    let mut text = format!("{title}\n");
    if shown.is_empty() {
        text.push_str("  no inputs\n");
    }
    for object in shown {
        let ty = object.ty.as_deref().map(|ty| format!(": {ty}")).unwrap_or_default();
        let bytes = grouped(&object.bytes);
        match object.values.as_slice() {
            [only] if only.path == object.name || object.name.strip_prefix('*') == Some(&only.path) => {
                let _ = writeln!(text, "  {}{ty} = {}", only.path, only.value);
            }
            values => {
                let _ = writeln!(text, "  {}{ty} ({} bytes)", object.name, object.size);
                for value in values {
                    let _ = writeln!(text, "    {} = {}", value.path, value.value);
                }
            }
        }
        if !bytes.is_empty() {
            let _ = writeln!(text, "    bytes {bytes}");
        }
    }
    text
}

/// The values alone, on one line: `text = "1h", workers = 0`. Pointers that lead to an object that is shown are left out.
pub fn inline(shown: &[Shown]) -> String {
    const MOST: usize = 12;
    let values: Vec<String> = shown
        .iter()
        .flat_map(|object| &object.values)
        .filter(|value| !value.value.starts_with("->"))
        .map(|value| format!("{} = {}", value.path, value.value))
        .collect();
    let more = if values.len() > MOST { format!(", … {} more", values.len() - MOST) } else { String::new() };
    values[..values.len().min(MOST)].join(", ") + &more
}

/// Pairs of digits, apart; long ones are cut.
fn grouped(hex: &str) -> String {
    const MOST: usize = 64;
    let pairs: Vec<&str> = (0..hex.len() / 2).take(MOST).map(|i| &hex[2 * i..2 * i + 2]).collect();
    let rest = hex.len() / 2 - pairs.len();
    let more = if rest > 0 { format!(" … {rest} more") } else { String::new() };
    pairs.join(" ") + &more
}

/// Where the pointers of a test lead.
#[derive(Debug, Default)]
struct Pointers {
    /// holder, offset in it, target + 1 or 0 or [`TO_FUNCTION`], offset in the target
    list: Vec<[u32; 4]>,
}

impl Pointers {
    fn of(test: &Ktest) -> Pointers {
        let Some(object) = test.objects.iter().rev().find(|o| o.name == POINTERS) else { return Pointers::default() };
        let entry = |bytes: &[u8]| {
            [0, 4, 8, 12].map(|i| u32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]))
        };
        Pointers { list: object.bytes.chunks_exact(16).map(entry).collect() }
    }

    /// What the pointer at this place is, in words.
    fn describe(&self, test: &Ktest, object: usize, offset: usize) -> Option<String> {
        let [_, _, target, inside] =
            self.list.iter().find(|[o, at, ..]| (*o as usize, *at as usize) == (object, offset))?;
        Some(match *target {
            0 => "NULL".to_string(),
            TO_FUNCTION => "a function".to_string(),
            target => {
                let name = test.objects.get(target as usize - 1).map_or("?", |o| o.name.as_str());
                match inside {
                    0 => format!("-> {name}"),
                    inside => format!("-> {name}, {inside} bytes in"),
                }
            }
        })
    }
}

#[cfg(test)]
mod tests;
