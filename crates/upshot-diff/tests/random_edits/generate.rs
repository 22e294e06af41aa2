//! Small C functions with branches, loops, jumps, arrays, pointers, calls and globals, and edits of them.

use crate::random::Random;

/// What an edit does to the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Text only.
    None,
    /// The code must be told as changed.
    Certain,
    /// It depends: two equal statements may have changed places.
    Possible,
}

/// A function in two versions.
pub struct Pair {
    pub name: String,
    pub old: String,
    pub new: String,
    pub effect: Effect,
    pub edits: Vec<&'static str>,
}

#[derive(Clone, Debug, PartialEq)]
enum Statement {
    /// A whole statement without any other inside.
    Simple(String),
    If(String, Vec<Statement>, Vec<Statement>),
    While(String, Vec<Statement>),
    Switch(String, Vec<Vec<Statement>>),
}

const LOCALS: [&str; 4] = ["a", "b", "c", "d"];

/// All functions, with what they use.
pub fn file<'a>(functions: impl Iterator<Item = &'a str>) -> String {
    let head = "int g; int h = 3; int table[8]; struct s { int x, y; long z; } object;\nint callee(int, int);\n";
    head.to_string() + &functions.collect::<Vec<_>>().join("\n")
}

pub fn pair(random: &mut Random, number: usize) -> Pair {
    let name = format!("f{number}");
    let mut counter = 0;
    let old = body(random, 3, false, &mut counter);
    let mut new = old.clone();
    let (mut effect, mut edits) = (Effect::None, Vec::new());
    let mut style = Style::default();
    for _ in 0..1 + random.below(3) {
        let (done, edit) = if random.chance(30) { restyle(random, &mut style) } else { edit(random, &mut new) };
        // Two edits may undo each other, so only a single one is certain to be seen.
        effect = match (effect, done) {
            (effect, Effect::None) => effect,
            (Effect::None, done) => done,
            _ => Effect::Possible,
        };
        edits.push(edit);
    }
    if effect != Effect::None && new == old {
        effect = Effect::None;
    }
    Pair { old: render(&name, &old, &Style::default()), new: render(&name, &new, &style), name, effect, edits }
}

fn expression(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.chance(30) {
        return match random.below(7) {
            0 => "g".to_string(),
            1 => random.below(20).to_string(),
            2 => format!("table[{} & 7]", random.pick(&LOCALS)),
            3 => "object.y".to_string(),
            4 => "p".to_string(),
            _ => random.pick(&LOCALS).to_string(),
        };
    }
    let (x, y) = (expression(random, depth - 1), expression(random, depth - 1));
    match random.below(8) {
        0 => format!("callee({x}, {y})"),
        1 => format!("({x} && {y})"),
        2 => format!("({x} ? {y} : h)"),
        _ => format!("({x} {} {y})", random.pick(&["+", "-", "*", "^", "<", "=="])),
    }
}

/// What clang cannot know, so that it emits the code on both sides.
fn condition(random: &mut Random) -> String {
    format!("p != {}", expression(random, 2))
}

fn simple(random: &mut Random, in_loop: bool) -> Statement {
    let value = expression(random, 2);
    Statement::Simple(match random.below(12) {
        0 => format!("g = {value};"),
        1 => format!("table[{} & 7] = {value};", random.pick(&LOCALS)),
        2 => format!("object.{} = {value};", random.pick(&["x", "y", "z"])),
        3 => format!("callee({value}, h);"),
        4 => format!("*q += {value};"),
        5 if in_loop => format!("if (p == {value}) {}", random.pick(&["break;", "continue;"])),
        6 => format!("if (p == {value}) return g;"),
        7 => format!("array[{} & 3] += 1;", random.pick(&LOCALS)),
        _ => format!("{} = {value};", random.pick(&LOCALS)),
    })
}

fn body(random: &mut Random, depth: usize, in_loop: bool, counter: &mut usize) -> Vec<Statement> {
    (0..1 + random.below(4)).map(|_| statement(random, depth, in_loop, counter)).collect()
}

fn statement(random: &mut Random, depth: usize, in_loop: bool, counter: &mut usize) -> Statement {
    *counter += 1;
    if depth == 0 || random.chance(55) {
        return simple(random, in_loop);
    }
    match random.below(5) {
        0 | 1 => {
            let otherwise = if random.chance(50) { body(random, depth - 1, in_loop, counter) } else { Vec::new() };
            Statement::If(condition(random), body(random, depth - 1, in_loop, counter), otherwise)
        }
        2 => {
            let cases = (0..1 + random.below(3)).map(|_| body(random, depth - 1, in_loop, counter)).collect();
            Statement::Switch(condition(random), cases)
        }
        _ => Statement::While(condition(random), body(random, depth - 1, true, counter)),
    }
}

/// How a function is written down.
#[derive(Default)]
struct Style {
    renamed: bool,
    comments: bool,
    dense: bool,
    declarations_reversed: bool,
}

fn restyle(random: &mut Random, style: &mut Style) -> (Effect, &'static str) {
    let (part, name) = match random.below(4) {
        0 => (&mut style.renamed, "rename locals"),
        1 => (&mut style.comments, "comment"),
        2 => (&mut style.dense, "reformat"),
        _ => (&mut style.declarations_reversed, "reorder declarations"),
    };
    *part = true;
    (Effect::None, name)
}

fn edit(random: &mut Random, statements: &mut Vec<Statement>) -> (Effect, &'static str) {
    // Go down into a random list.
    let at = random.below(statements.len());
    if random.chance(60) {
        let inner = match &mut statements[at] {
            Statement::If(_, then, _) => Some(then),
            Statement::While(_, body) => Some(body),
            Statement::Switch(_, cases) => cases.first_mut(),
            Statement::Simple(_) => None,
        };
        if let Some(inner) = inner.filter(|inner| !inner.is_empty()) {
            return edit(random, inner);
        }
    }
    match random.below(8) {
        0 => {
            let copy = statements[at].clone();
            statements.insert(at, copy);
            (Effect::Possible, "duplicate")
        }
        1 if statements.len() > 1 => {
            statements.remove(at);
            (Effect::Possible, "remove")
        }
        2 if statements.len() > 1 => {
            let other = random.below(statements.len());
            statements.swap(at, other);
            (Effect::Possible, "swap")
        }
        3 => {
            let inner = statements.remove(at);
            statements.insert(at, Statement::If(condition(random), vec![inner], Vec::new()));
            (Effect::Certain, "guard")
        }
        4 => {
            statements.insert(at, Statement::Simple("g += 41;".to_string()));
            (Effect::Certain, "insert")
        }
        5 => {
            if let Statement::If(_, then, otherwise) = &mut statements[at] {
                std::mem::swap(then, otherwise);
            }
            (Effect::Possible, "exchange sides")
        }
        6 => {
            let moved = statements.remove(at);
            let depth = statements.len();
            match statements.iter_mut().find(|statement| matches!(statement, Statement::If(..))) {
                Some(Statement::If(_, then, _)) => then.insert(0, moved),
                _ => statements.insert(at.min(depth), moved),
            }
            (Effect::Possible, "move into branch")
        }
        _ => {
            match &mut statements[at] {
                Statement::Simple(text) => *text = format!("h = 99; {text}"),
                Statement::If(condition, ..) | Statement::While(condition, _) | Statement::Switch(condition, _) => {
                    *condition = format!("{condition} + 55");
                }
            }
            (Effect::Certain, "change")
        }
    }
}

fn render(name: &str, statements: &[Statement], style: &Style) -> String {
    let mut text = format!("int {name}(int p, int *q) {{\n");
    let mut declared: Vec<String> =
        LOCALS.iter().zip(1..).map(|(local, value)| format!("int {local} = {value};")).collect();
    if style.comments {
        text += "    /* locals */\n";
    }
    // Their initialisers run in order, so only the declarations can change places.
    if style.declarations_reversed {
        let names: Vec<&str> = LOCALS.iter().rev().copied().collect();
        text += &format!("    int array[4]; int {};\n", names.join(", "));
        declared = LOCALS.iter().zip(1..).map(|(local, value)| format!("{local} = {value};")).collect();
    } else {
        declared.push("int array[4];".to_string());
    }
    for line in declared {
        text += &format!("    {line}\n");
    }
    block(statements, 1, style, &mut text);
    text += "    return a + b + c + d + array[0];\n}\n";
    if style.renamed {
        text = rename(&text);
    }
    text
}

fn block(statements: &[Statement], depth: usize, style: &Style, text: &mut String) {
    let indent = if style.dense { " ".to_string() } else { "    ".repeat(depth) };
    let end = if style.dense { " " } else { "\n" };
    for statement in statements {
        if style.comments {
            *text += &format!("{indent}/* next */{end}");
        }
        match statement {
            Statement::Simple(code) => *text += &format!("{indent}{code}{end}"),
            Statement::If(condition, then, otherwise) => {
                *text += &format!("{indent}if ({condition}) {{{end}");
                block(then, depth + 1, style, text);
                if !otherwise.is_empty() {
                    *text += &format!("{indent}}} else {{{end}");
                    block(otherwise, depth + 1, style, text);
                }
                *text += &format!("{indent}}}{end}");
            }
            Statement::While(condition, body) => {
                *text += &format!("{indent}while ({condition}) {{{end}");
                block(body, depth + 1, style, text);
                *text += &format!("{indent}}}{end}");
            }
            Statement::Switch(value, cases) => {
                *text += &format!("{indent}switch ({value}) {{{end}");
                for (number, case) in cases.iter().enumerate() {
                    *text += &format!("{indent}case {number}:;{end}");
                    block(case, depth + 1, style, text);
                }
                *text += &format!("{indent}}}{end}");
            }
        }
    }
    if style.dense {
        text.push('\n');
    }
}

/// Gives every local another name.
fn rename(text: &str) -> String {
    let mut result = String::new();
    let mut word = String::new();
    for c in text.chars().chain(['\0']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        match word.as_str() {
            "a" => result += "b",
            "b" => result += "first",
            "c" => result += "a",
            "d" => result += "delta",
            "array" => result += "list",
            other => result += other,
        }
        word.clear();
        if c != '\0' {
            result.push(c);
        }
    }
    result
}
