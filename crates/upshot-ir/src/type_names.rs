//! C types as a programmer would write them.

use crate::debug::{CType, CTypeId, DebugTypes};

/// Deeper types are cut short: only damaged debug information has them.
const DEEPEST: u32 = 32;

impl DebugTypes {
    /// The type in C's notation: `struct node *`, `int [4]`, `int (*)(const char *, ...)`.
    pub fn name(&self, id: CTypeId) -> String {
        self.declare(id, String::new(), DEEPEST)
    }

    /// A declaration of something whose own part (a name, a `*`, `[4]`) is `inner`.
    fn declare(&self, id: CTypeId, inner: String, depth: u32) -> String {
        if depth == 0 {
            return format!("…{inner}");
        }
        match self.get(id) {
            CType::Void => join("void", inner),
            CType::Int { name, .. } | CType::Float { name, .. } | CType::Typedef { name, .. } => join(name, inner),
            CType::Record { name, union, .. } => join(&tagged(if *union { "union" } else { "struct" }, name), inner),
            CType::Enum { name, .. } => join(&tagged("enum", name), inner),
            CType::Opaque { name } => join(&tagged("struct", name), inner),
            CType::Pointer { target } => {
                let wrapped = matches!(self.get(*target), CType::Array { .. } | CType::Function { .. });
                let inner = if wrapped { format!("(*{inner})") } else { format!("*{inner}") };
                self.declare(*target, inner, depth - 1)
            }
            CType::Array { element, count } => {
                let count = count.map(|count| count.to_string()).unwrap_or_default();
                self.declare(*element, format!("{inner}[{count}]"), depth - 1)
            }
            CType::Function { result, parameters, variadic } => {
                let mut list: Vec<String> =
                    parameters.iter().map(|p| self.declare(*p, String::new(), depth - 1)).collect();
                if *variadic {
                    list.push("...".to_string());
                }
                let inner = format!("{inner}({})", list.join(", "));
                match result {
                    Some(result) => self.declare(*result, inner, depth - 1),
                    None => join("void", inner),
                }
            }
            CType::Qualified { qualifier, target } => match self.get(*target) {
                // What is qualified is the pointer itself, so the word goes behind the star.
                CType::Pointer { .. } => {
                    let inner = if inner.is_empty() { qualifier.to_string() } else { format!("{qualifier} {inner}") };
                    self.declare(*target, inner, depth - 1)
                }
                _ => format!("{qualifier} {}", self.declare(*target, inner, depth - 1)),
            },
        }
    }
}

fn join(base: &str, inner: String) -> String {
    if inner.is_empty() { base.to_string() } else { format!("{base} {inner}") }
}

fn tagged(keyword: &str, name: &str) -> String {
    if name.is_empty() { format!("{keyword} {{…}}") } else { format!("{keyword} {name}") }
}
