//! What is different in a global's contents, in words.

use upshot_ir::{CType, CTypeId, Global, Program};

/// More elements than this are counted, not listed.
const MOST_LISTED: usize = 4;

/// In what two globals that are not the same differ, a line each.
pub(super) fn differences(old: &Program, a: &Global, new: &Program, b: &Global) -> Vec<String> {
    let mut details = Vec::new();
    let declared = |program: &Program, global: &Global| global.ty.map(|ty| program.types.name(ty));
    let (before, after) = (declared(old, a), declared(new, b));
    if let (Some(before), Some(after)) = (&before, &after)
        && before != after
    {
        details.push(format!("type `{before}` is now `{after}`"));
    }
    if a.size != b.size {
        details.push(format!("size {} is now {}", a.size, b.size));
    }
    for (holds, held, what) in
        [(a.is_constant, b.is_constant, "read-only"), (a.is_thread_local, b.is_thread_local, "thread-local")]
    {
        if holds != held {
            details.push(format!("{} {what}", if held { "is now" } else { "is no longer" }));
        }
    }
    match (&a.initializer, &b.initializer) {
        (None, Some(_)) => details.push("is now defined here".to_string()),
        (Some(_), None) => details.push("is no longer defined here".to_string()),
        (Some(x), Some(y)) if a.size == b.size => {
            details.extend(contents(new, b.ty, &x.bytes, &y.bytes));
            if x.bytes == y.bytes {
                details.push("holds other addresses".to_string());
            }
        }
        _ => {}
    }
    details
}

/// Which elements differ, where the type has elements that are numbers; else which bytes.
fn contents(program: &Program, ty: Option<CTypeId>, x: &[u8], y: &[u8]) -> Option<String> {
    let element = ty.and_then(|ty| scalar(program, ty));
    let (size, signed, is_array) = element.unwrap_or((1, false, true));
    let chunks = x.chunks(size).zip(y.chunks(size)).enumerate();
    let differing: Vec<(usize, &[u8], &[u8])> =
        chunks.filter(|(_, (x, y))| x != y).map(|(at, (x, y))| (at, x, y)).collect();
    if differing.is_empty() {
        return None;
    }
    if element.is_none() {
        let first = differing[0].0;
        return Some(format!("{} bytes of its contents differ, the first at offset {first}", differing.len()));
    }
    let shown = |bytes: &[u8]| number(bytes, signed).to_string();
    let listed: Vec<String> = differing
        .iter()
        .take(MOST_LISTED)
        .map(|(at, x, y)| {
            let index = if is_array { format!("[{at}] = ") } else { String::new() };
            format!("{index}{} is now {}", shown(x), shown(y))
        })
        .collect();
    let more = differing.len().saturating_sub(MOST_LISTED);
    let more = if more == 0 { String::new() } else { format!(", and {more} more elements") };
    Some(listed.join(", ") + &more)
}

/// Size and sign of the integers that a type is made of, and whether there are several.
fn scalar(program: &Program, ty: CTypeId) -> Option<(usize, bool, bool)> {
    match program.types.get(program.types.resolve(ty)) {
        CType::Int { size, signed, .. } | CType::Enum { size, signed, .. } if (1..=8).contains(size) => {
            Some((*size as usize, *signed, false))
        }
        CType::Array { element, .. } => scalar(program, *element).map(|(size, signed, _)| (size, signed, true)),
        _ => None,
    }
}

fn number(bytes: &[u8], signed: bool) -> i128 {
    let value = bytes.iter().rev().fold(0i128, |value, byte| value << 8 | i128::from(*byte));
    let bits = 8 * bytes.len();
    if signed && bits > 0 && value >> (bits - 1) & 1 == 1 { value - (1 << bits) } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_sign() {
        assert_eq!(number(&[0xff, 0xff], true), -1);
        assert_eq!(number(&[0xff, 0xff], false), 65535);
        assert_eq!(number(&[1, 2], true), 513);
    }
}
