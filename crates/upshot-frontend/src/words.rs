//! Splits a line into words as a POSIX shell does, but nothing in it stands for anything else.

/// Quotes and backslashes keep what they quote.
pub fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\'' | '"' => quoted(c, &mut rest, word.get_or_insert_default())?,
            '\\' => match rest.next() {
                // A line that goes on.
                Some('\n') => {}
                Some(kept) => word.get_or_insert_default().push(kept),
                None => return Err("a backslash has nothing after it".to_string()),
            },
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// What comes until the quote is closed. Between double quotes a backslash is one, unless what follows would mean something there.
fn quoted(open: char, rest: &mut impl Iterator<Item = char>, word: &mut String) -> Result<(), String> {
    let missing = || "a quote is not closed".to_string();
    loop {
        match rest.next().ok_or_else(missing)? {
            c if c == open => return Ok(()),
            '\\' if open == '"' => match rest.next().ok_or_else(missing)? {
                '\n' => {}
                c @ ('"' | '\\' | '$' | '`') => word.push(c),
                c => word.extend(['\\', c]),
            },
            c => word.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn as_a_shell_does() {
        let cases: [(&str, &[&str]); 6] = [
            ("  a  b\tc\n", &["a", "b", "c"]),
            (r#"-DS=\"x\" '-DT="y z"' ''"#, &[r#"-DS="x""#, r#"-DT="y z""#, ""]),
            (r#""a \" \\ \n"b\ c"#, &[r#"a " \ \nb c"#]),
            (r"'a\'b", &[r"a\b"]),
            ("a\\\nb \"c\\\nd\"", &["ab", "cd"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(
                words(text).as_deref(),
                Ok(&expected.iter().map(ToString::to_string).collect::<Vec<_>>()[..]),
                "{text}"
            );
        }
        for text in ["'a", "\"a\\\"", "a\\"] {
            assert!(words(text).is_err(), "{text}");
        }
    }
}
