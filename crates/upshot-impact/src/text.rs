//! Printing that cannot fail: of a constant text, or by a constant format that takes plain numbers only.

use upshot_ir::{Call, Const, Function, GlobalId, Program};

/// Whether a call of the function of this name, which has no body, prints and goes on, whatever the numbers are.
pub(crate) fn prints_for_certain(program: &Program, function: &Function, call: &Call, name: &str) -> bool {
    let (text, rest) = match (name, call.args.len()) {
        ("printf", count) if count > 0 => (0, count - 1),
        ("puts", 1) => (0, 0),
        _ => return false,
    };
    let constant = call.args[text].value.as_constant().and_then(|index| function.constants.get(index));
    let Some(Const::Global { global, offset }) = constant else { return false };
    let Some(text) = literal(program, *global, *offset) else { return false };
    name == "puts" || conversions(text).is_some_and(|count| count <= rest)
}

/// The text at a place of a global that nobody can change, up to its end.
fn literal(program: &Program, global: GlobalId, offset: i64) -> Option<&[u8]> {
    let global = program.global(global);
    let initializer = global.initializer.as_ref().filter(|it| global.is_constant && it.relocations.is_empty())?;
    let text = initializer.bytes.get(usize::try_from(offset).ok()?..)?;
    let end = text.iter().position(|&byte| byte == 0)?;
    Some(&text[..end])
}

/// How many numbers a format takes; `None` if it takes anything but plain integers and characters.
fn conversions(format: &[u8]) -> Option<usize> {
    let mut count = 0;
    let mut rest = format.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        if rest.next_if_eq(&b'%').is_some() {
            continue;
        }
        while rest.next_if(|byte| b"-+ #0123456789.lhzjt".contains(byte)).is_some() {}
        rest.next_if(|byte| b"diuxXoc".contains(byte))?;
        count += 1;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        assert_eq!(conversions(b"plain\n"), Some(0));
        assert_eq!(conversions(b"100%% of %d, %5lu and %c"), Some(3));
        assert_eq!(conversions(b"%s"), None);
        assert_eq!(conversions(b"%*d"), None);
        assert_eq!(conversions(b"%n"), None);
        assert_eq!(conversions(b"%"), None);
    }
}
