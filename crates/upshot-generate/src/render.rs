//! A program as C text, in one of several styles that all mean the same.

use crate::tree::{Declaration, Expr, Function, Jump, LoopKind, Operator, Shape, Signature, Statement, Tree};
use std::fmt::Write;

/// How a program is written down.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Style {
    /// Locals, parameters and labels have other names.
    pub(crate) renamed: bool,
    /// The helpers have other names.
    pub(crate) functions_renamed: bool,
    pub(crate) comments: bool,
    /// A statement's parts on one line.
    pub(crate) dense: bool,
}

pub(crate) fn render(tree: &Tree, style: &Style) -> String {
    let mut text = format!("struct S{} {{ int x, y, z[2]; }};\n", tree.tag);
    for extra in &tree.extra {
        let _ = writeln!(text, "{extra}");
    }
    for global in tree.globals.iter().filter(|global| !matches!(global.shape, Shape::Functions(_))) {
        let _ = writeln!(text, "{}", declaration(global, &tree.tag));
    }
    let (entry, helpers) = tree.functions.split_last().expect("there is an entry");
    let mut functions: String = helpers.iter().map(|it| function(it, &tree.tag, style)).collect();
    for global in tree.globals.iter().filter(|global| matches!(global.shape, Shape::Functions(_))) {
        let _ = writeln!(functions, "{}", declaration(global, &tree.tag));
    }
    functions += &function(entry, &tree.tag, style);
    text += &functions;
    if style.functions_renamed {
        for number in 0..helpers.len() {
            text = rename(&text, &[(format!("h{number}{}", tree.tag), format!("other{number}{}", tree.tag))]);
        }
    }
    text
}

fn declaration(it: &Declaration, tag: &str) -> String {
    let list = |values: &[i64]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let name = &it.name;
    let constant = if it.is_constant { "const " } else { "" };
    let text = match &it.shape {
        Shape::Int(int_type, value) => format!("{} {name} = {value};", int_type.c_name()),
        Shape::Array(values) => format!("{constant}int {name}[{}] = {{{}}};", values.len(), list(values)),
        Shape::Struct([x, y, z, zz]) => format!("struct S{tag} {name} = {{{x}, {y}, {{{z}, {zz}}}}};"),
        Shape::Pointer(target) => format!("int *{name} = {target};"),
        Shape::StructPointer(target) => format!("struct S{tag} *{name} = {target};"),
        Shape::PointerPointer(target) => format!("int **{name} = {target};"),
        Shape::Function(target) => format!("int (*{name})(int, int) = {target};"),
        Shape::Functions(targets) => {
            format!("int (*{constant}{name}[{}])(int, int) = {{{}}};", targets.len(), targets.join(", "))
        }
    };
    format!("{}{text}", if it.is_static { "static " } else { "" })
}

fn function(it: &Function, tag: &str, style: &Style) -> String {
    let returned = if it.signature == Signature::Select { "int *" } else { "int " };
    let prefix = if it.is_static { "static " } else { "" };
    let mut text = format!("{prefix}{returned}{}({}) {{\n", it.name, it.parameters.join(", "));
    for local in &it.locals {
        let _ = writeln!(text, "    {}", declaration(local, tag));
    }
    if it.signature == Signature::Recursive {
        text += "    if (n <= 0) return v;\n";
    }
    let mut writer = Writer { text, style, labels: 0, jumps_out: false };
    writer.block(&it.body, 1);
    let Writer { mut text, jumps_out, .. } = writer;
    if jumps_out {
        text += "out:\n";
    }
    let _ = writeln!(text, "    return {};\n}}", expression(&it.result));
    if style.renamed { rename(&text, &other_names()) } else { text }
}

/// Names that are taken over by others, and new ones.
fn other_names() -> Vec<(String, String)> {
    const NAMES: [(&str, &str); 14] = [
        ("a", "b"),
        ("b", "first"),
        ("c", "a"),
        ("d", "delta"),
        ("array", "list"),
        ("p", "q"),
        ("q", "pointer"),
        ("i0", "i1"),
        ("i1", "i0"),
        ("s", "record"),
        ("u", "input"),
        ("v", "u"),
        ("out", "done"),
        ("action", "what"),
    ];
    NAMES.map(|(from, to)| (from.to_string(), to.to_string())).to_vec()
}

/// Replaces whole words, all at once.
fn rename(text: &str, names: &[(String, String)]) -> String {
    let mut result = String::new();
    let mut word = String::new();
    for c in text.chars().chain(['\0']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        let other = names.iter().find(|(from, _)| *from == word).map_or(&word, |(_, to)| to);
        result += other;
        word.clear();
        if c != '\0' {
            result.push(c);
        }
    }
    result
}

struct Writer<'a> {
    text: String,
    style: &'a Style,
    labels: usize,
    jumps_out: bool,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        if self.style.dense {
            self.text.push(' ');
            self.text += text;
        } else {
            let _ = writeln!(self.text, "{}{text}", "    ".repeat(depth));
        }
    }

    fn block(&mut self, list: &[Statement], depth: usize) {
        for statement in list {
            if self.style.comments {
                self.line(depth, "/* next */");
            }
            self.statement(statement, depth);
            if self.style.dense && depth == 1 {
                self.text.push('\n');
            }
        }
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        match statement {
            Statement::Assign(target, operator, value) => {
                self.line(depth, &format!("{} {operator} {};", expression(target), expression(value)));
            }
            Statement::Evaluate(value) => self.line(depth, &format!("{};", expression(value))),
            Statement::If(condition, then, otherwise) => {
                self.line(depth, &format!("if ({}) {{", expression(condition)));
                self.block(then, depth + 1);
                if !otherwise.is_empty() {
                    self.line(depth, "} else {");
                    self.block(otherwise, depth + 1);
                }
                self.line(depth, "}");
            }
            Statement::Switch(value, cases, default) => {
                self.line(depth, &format!("switch ({}) {{", expression(value)));
                for case in cases {
                    self.line(depth, &format!("case {}:;", case.value));
                    self.block(&case.body, depth + 1);
                    if !case.falls_through {
                        self.line(depth + 1, "break;");
                    }
                }
                if let Some(body) = default {
                    self.line(depth, "default:;");
                    self.block(body, depth + 1);
                }
                self.line(depth, "}");
            }
            Statement::Loop { .. } => self.repeat(statement, depth),
            Statement::Jump(condition, jump) => {
                let jump = match jump {
                    Jump::Break => "break;".to_string(),
                    Jump::Continue => "continue;".to_string(),
                    Jump::Out => {
                        self.jumps_out = true;
                        "goto out;".to_string()
                    }
                    Jump::Return(value) => format!("return {};", expression(value)),
                    Jump::Trap => "__builtin_trap();".to_string(),
                };
                self.line(depth, &format!("if ({}) {jump}", expression(condition)));
            }
            Statement::Dead(body, labelled) => {
                self.line(depth, "if (0) {");
                if *labelled {
                    self.labels += 1;
                    self.line(depth, &format!("never{}:;", self.labels));
                }
                self.block(body, depth + 1);
                self.line(depth, "}");
            }
        }
    }

    fn repeat(&mut self, statement: &Statement, depth: usize) {
        let Statement::Loop { kind, counter: i, bound, inclusive, also, body } = statement else { return };
        let less = if *inclusive { "<=" } else { "<" };
        let bound = expression(bound);
        let also = also.as_ref().map_or(String::new(), |condition| format!(" && {}", expression(condition)));
        match kind {
            LoopKind::For => self.line(depth, &format!("for ({i} = 0; {i} {less} {bound}{also}; {i}++) {{")),
            LoopKind::While => {
                self.line(depth, &format!("{i} = 0;"));
                self.line(depth, &format!("while ({i}++ {less} {bound}{also}) {{"));
            }
            LoopKind::DoWhile => {
                self.line(depth, &format!("{i} = 0;"));
                self.line(depth, "do {");
            }
            LoopKind::Goto => {
                self.labels += 1;
                self.line(depth, &format!("{i} = 0;"));
                self.line(depth, &format!("again{}: {{", self.labels));
            }
        }
        let label = self.labels;
        self.block(body, depth + 1);
        match kind {
            LoopKind::For | LoopKind::While => self.line(depth, "}"),
            LoopKind::DoWhile => self.line(depth, &format!("}} while (++{i} {less} {bound}{also});")),
            LoopKind::Goto => self.line(depth, &format!("}} if (++{i} {less} {bound}{also}) goto again{label};")),
        }
    }
}

fn expression(it: &Expr) -> String {
    let list = |arguments: &[Expr]| arguments.iter().map(expression).collect::<Vec<_>>().join(", ");
    match it {
        Expr::Constant(value) if *value < 0 => format!("({value})"),
        Expr::Constant(value) => value.to_string(),
        Expr::Plain(text) => text.clone(),
        Expr::Element(name, index, mask) => format!("{name}[{}]", masked(index, *mask)),
        Expr::Masked(value, mask) => format!("({})", masked(value, *mask)),
        Expr::Unary(operator, value) => format!("{operator}({})", expression(value)),
        Expr::Binary(operator, left, right) => binary(*operator, &expression(left), &expression(right)),
        Expr::Choice(condition, left, right) => {
            format!("({} ? {} : {})", expression(condition), expression(left), expression(right))
        }
        Expr::Call(name, arguments) => format!("{name}({})", list(arguments)),
        Expr::CallElement(name, index, mask, arguments) => {
            format!("{name}[{}]({})", masked(index, *mask), list(arguments))
        }
        Expr::ElementAddress(name, index, mask) => format!("&{name}[{}]", masked(index, *mask)),
    }
}

fn masked(value: &Expr, mask: u32) -> String {
    match value {
        Expr::Constant(value) => (value & i64::from(mask)).to_string(),
        other => format!("{} & {mask}", expression(other)),
    }
}

fn binary(operator: Operator, left: &str, right: &str) -> String {
    use Operator::*;
    let sign = match operator {
        Add => "+",
        Sub => "-",
        Mul => "*",
        And => "&",
        Or => "|",
        Xor => "^",
        Shl => return format!("({left} << ({right} & 7))"),
        Shr => return format!("({left} >> ({right} & 7))"),
        Div => return format!("({left} / (({right} & 7) + 1))"),
        Rem => return format!("({left} % (({right} & 7) + 1))"),
        RawDiv => "/",
        RawRem => "%",
        Lt => "<",
        Le => "<=",
        Gt => ">",
        Ge => ">=",
        Eq => "==",
        Ne => "!=",
        Both => "&&",
        Either => "||",
    };
    format!("({left} {sign} {right})")
}
