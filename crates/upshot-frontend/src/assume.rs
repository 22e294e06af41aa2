//! `--assume EXPR` as C. Each expression becomes the body of a function with the entry's own parameters, appended to
//! the file that defines the entry, so that it means there what the user would mean by it: same types, macros and
//! globals, static ones too. Clang's syntax tree gives the parameters; `__typeof__(T) name` spells each of them,
//! however T looks.

use serde::Deserialize;

use crate::clang::{Compiler, Source};
use crate::error::FrontendError;

/// The file name under which clang's messages and the debug info speak of the expressions.
const PLACE: &str = "--assume";

/// Warnings about the wrapping function, which the user did not write; those about the expression stay.
const OUR_WARNINGS: [&str; 6] = [
    "-Wmissing-prototypes",
    "-Wmissing-declarations",
    "-Wunused-parameter",
    "-Wunused-function",
    "-Wreserved-identifier",
    "-Wunknown-warning-option",
];

#[derive(Deserialize)]
struct Declaration {
    kind: String,
    name: Option<String>,
    #[serde(default)]
    inner: Vec<Part>,
}

/// A parameter, or the body. Anything deeper is skipped, which also keeps the reader from recursing with the code.
#[derive(Deserialize)]
struct Part {
    kind: String,
    name: Option<String>,
    #[serde(rename = "type")]
    type_name: Option<TypeName>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TypeName {
    qual_type: String,
}

/// A parameter as the user spelled it.
struct Parameter {
    name: String,
    type_name: String,
}

pub(crate) fn function_name(index: usize) -> String {
    format!("__upshot_assume_{index}")
}

/// The C text that defines one function per expression.
pub(crate) fn functions(
    compiler: &Compiler<'_>,
    source: &Source<'_>,
    entry: &str,
    expressions: &[String],
) -> Result<String, FrontendError> {
    let parameters = parameters(compiler, source, entry)?;
    let mut list = String::new();
    for parameter in &parameters {
        if parameter.type_name.contains("(unnamed ") || parameter.type_name.contains("(anonymous ") {
            return Err(FrontendError::AssumeUnnamedType {
                entry: entry.into(),
                parameter: parameter.name.clone(),
                type_name: parameter.type_name.clone(),
            });
        }
        let separator = if list.is_empty() { "" } else { ", " };
        list += &format!("{separator}__typeof__({}) {}", parameter.type_name, parameter.name);
    }
    if list.is_empty() {
        list += "void";
    }
    let mut text = String::from("#pragma clang diagnostic push\n");
    for warning in OUR_WARNINGS {
        text += &format!("#pragma clang diagnostic ignored \"{warning}\"\n");
    }
    for (index, expression) in expressions.iter().enumerate() {
        let expression = expression.replace(['\n', '\r'], " ");
        let line = index + 1;
        let name = function_name(index);
        // One line number for all of it, since an error in the expression may only show after its end.
        let place = format!("#line {line} \"{PLACE}\"\n");
        text += &format!("{place}_Bool {name}({list}) {{ return (\n{place}{expression}\n{place}); }}\n");
    }
    text += "#pragma clang diagnostic pop\n";
    Ok(text)
}

/// Says which expression clang objected to, where it is one of them and not the file itself.
pub(crate) fn blame(error: FrontendError, entry: &str, expressions: &[String]) -> FrontendError {
    let FrontendError::Compile { path, diagnostics } = error else { return error };
    let first = diagnostics.lines().find(|line| line.contains(" error: "));
    let place = first.and_then(|line| line.strip_prefix(PLACE)).and_then(|rest| rest.strip_prefix(':'));
    let number = place.and_then(|rest| rest.split(':').next()).and_then(|digits| digits.parse::<usize>().ok());
    let blamed = number.and_then(|number| expressions.get(number.checked_sub(1)?).or(expressions.last()));
    match blamed {
        Some(expression) => FrontendError::Assume { entry: entry.into(), expression: expression.clone(), diagnostics },
        None => FrontendError::Compile { path, diagnostics },
    }
}

fn parameters(compiler: &Compiler<'_>, source: &Source<'_>, entry: &str) -> Result<Vec<Parameter>, FrontendError> {
    let ran = compiler.declarations(source, entry)?;
    if !ran.success {
        return Err(FrontendError::Compile { path: source.path.to_path_buf(), diagnostics: ran.diagnostics });
    }
    let unreadable =
        |error| FrontendError::Internal(format!("clang's syntax tree of {}: {error}", source.path.display()));
    let mut found = None;
    for declaration in serde_json::Deserializer::from_slice(&ran.stdout).into_iter::<Declaration>() {
        let declaration = declaration.map_err(unreadable)?;
        let has_body = declaration.inner.iter().any(|part| part.kind == "CompoundStmt");
        if declaration.kind == "FunctionDecl" && declaration.name.as_deref() == Some(entry) && has_body {
            found = Some(declaration);
        }
    }
    let Some(declaration) = found else {
        return Err(FrontendError::Internal(format!("clang's syntax tree has no body of {entry}")));
    };
    let parts = declaration.inner.into_iter().filter(|part| part.kind == "ParmVarDecl").enumerate();
    Ok(parts
        .filter_map(|(index, part)| {
            let name = part.name.unwrap_or_else(|| format!("__upshot_unnamed_{index}"));
            part.type_name.map(|type_name| Parameter { name, type_name: type_name.qual_type })
        })
        .collect())
}
