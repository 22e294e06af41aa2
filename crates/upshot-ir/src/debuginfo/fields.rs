//! Fields of a metadata node as LLVM writes it: `!DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)`.

/// The text of a field that is not a string.
pub(super) fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = text.split_once('(')?.1;
    loop {
        rest = rest.trim_start_matches([' ', ',']);
        let (label, value) = rest.split_once(": ")?;
        let end = value_end(value);
        if label == name {
            return Some(value[..end].trim());
        }
        rest = &value[end..];
    }
}

/// Where a field's value ends: at a comma or the closing parenthesis outside of any string or nested parentheses.
fn value_end(value: &str) -> usize {
    let (mut quoted, mut depth) = (false, 0u32);
    for (position, byte) in value.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'(' => depth += 1,
            b')' if depth > 0 => depth -= 1,
            b',' | b')' if depth == 0 => return position,
            _ => {}
        }
    }
    value.len()
}

/// Bit offset and size of the fragment that a `DIExpression` describes; `None` for one that does more than that.
pub(super) fn fragment(text: &str) -> Option<Option<(u64, u64)>> {
    let inner = text.split_once('(')?.1.trim_end().strip_suffix(')')?;
    if inner.is_empty() {
        return Some(None);
    }
    let parts: Vec<&str> = inner.split(", ").collect();
    match parts.as_slice() {
        ["DW_OP_LLVM_fragment", offset, size] => Some(Some((offset.parse().ok()?, size.parse().ok()?))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_past_strings_and_nested_lists() {
        let text = r#"!DILocalVariable(name: "a, arg: 9)", arg: 2, scope: <0x1>, file: <0x2>, line: 5, type: f(1, 2))"#;
        assert_eq!(field(text, "arg"), Some("2"));
        assert_eq!(field(text, "line"), Some("5"));
        assert_eq!(field(text, "type"), Some("f(1, 2)"));
        assert_eq!(field(text, "flags"), None);
        assert_eq!(field("nothing", "arg"), None);
    }

    #[test]
    fn fragments_are_told_from_other_expressions() {
        assert_eq!(fragment("!DIExpression()"), Some(None));
        assert_eq!(fragment("!DIExpression(DW_OP_LLVM_fragment, 64, 32)"), Some(Some((64, 32))));
        assert_eq!(fragment("!DIExpression(DW_OP_deref)"), None);
    }
}
