//! Random functions: their locals, what they see, and their bodies.

use crate::Options;
use crate::expressions::Expressions;
use crate::random::Random;
use crate::scope::Scope;
use crate::statements::{Around, Statements};
use crate::tree::{Declaration, Expr, Function, Operator, Shape, Signature};
use crate::types::{IntType, Parameter};

/// A function of a signature, over what the file offers.
pub(crate) fn function(
    random: &mut Random,
    options: &Options,
    outside: &Scope,
    name: String,
    signature: Signature,
    parameters: &[Parameter],
) -> Function {
    let mut options = options.clone();
    if signature != Signature::Entry {
        options.size = options.size.min(3);
        options.depth = options.depth.min(2);
    }
    if signature == Signature::Recursive {
        // It calls itself a few times in each round; no need for loops around that.
        options.features.loops = false;
        options.depth = 1;
    }
    let options = &options;
    let mut scope = outside.clone();
    let parameters = add_parameters(&mut scope, options, &name, signature, parameters);
    let locals = add_locals(random, options, &mut scope, signature);
    if scope.structs.is_empty() {
        // There is nothing to call them with.
        scope.callees.retain(|(_, of)| !matches!(of, Signature::ByValue | Signature::ByStructPointer));
    }
    let around = Around { returns_pointer: signature == Signature::Select, ..Around::default() };
    let mut statements = Statements { options, scope: &mut scope };
    let mut body = statements.list(random, options.depth, around);
    if signature == Signature::Entry {
        body.extend(statements.list(random, options.depth, around));
    }
    let result = result(random, options, &scope, signature, &locals);
    let is_static = signature != Signature::Entry && random.chance(60);
    // Edits make no loops: they would need counters of their own.
    scope.counters.clear();
    Function { name, signature, is_static, parameters, locals, body, result, scope }
}

fn add_parameters(
    scope: &mut Scope,
    options: &Options,
    name: &str,
    signature: Signature,
    parameters: &[Parameter],
) -> Vec<String> {
    let mut int = |name: &str, writable: bool| {
        scope.readable.push(name.to_string());
        if writable {
            scope.writable.push(name.to_string());
        }
        format!("int {name}")
    };
    match signature {
        Signature::Entry => {
            for parameter in parameters {
                // Often: what a program does should depend on its inputs.
                scope.readable.extend(std::iter::repeat_n(parameter.name.clone(), 8));
                if parameter.int_type != IntType::Bool {
                    scope.writable.push(parameter.name.clone());
                }
            }
            parameters.iter().map(|it| format!("{} {}", it.int_type.c_name(), it.name)).collect()
        }
        Signature::Plain => vec![int("u", true), int("v", true)],
        Signature::Recursive => {
            let list = vec![int("n", false), int("v", true)];
            scope.itself = Some(name.to_string());
            list
        }
        Signature::ByPointer => {
            let second = int("v", true);
            add_pointee(scope, "t");
            vec!["int *t".to_string(), second]
        }
        Signature::Select => {
            let last = int("v", true);
            add_pointee(scope, "t");
            add_pointee(scope, "w");
            scope.pointers.extend([("t".to_string(), false), ("w".to_string(), false)]);
            vec!["int *t".to_string(), "int *w".to_string(), last]
        }
        Signature::ByValue => {
            scope.add_fields("s.");
            scope.structs.push("s".to_string());
            scope.struct_addresses.push("&s".to_string());
            vec![format!("struct S{} s", options.tag)]
        }
        Signature::ByStructPointer => {
            let second = int("v", true);
            scope.add_fields("t->");
            scope.struct_addresses.push("t".to_string());
            scope.structs.push("*t".to_string());
            vec![format!("struct S{} *t", options.tag), second]
        }
    }
}

fn add_pointee(scope: &mut Scope, pointer: &str) {
    scope.readable.push(format!("*{pointer}"));
    scope.writable.push(format!("*{pointer}"));
    scope.addresses.push(pointer.to_string());
}

fn declaration(name: &str, shape: Shape) -> Declaration {
    Declaration { name: name.to_string(), shape, is_static: false, is_constant: false }
}

/// Declares locals, each with an initialiser that names only what is declared before it.
fn add_locals(random: &mut Random, options: &Options, scope: &mut Scope, signature: Signature) -> Vec<Declaration> {
    let mut locals = Vec::new();
    let features = options.features;
    let is_entry = signature == Signature::Entry;
    for name in ["a", "b", "c", "d"].into_iter().take(if is_entry { 4 } else { 2 }) {
        let types = [IntType::Int, IntType::Unsigned, IntType::Short, IntType::SignedChar, IntType::Long];
        let int_type = if matches!(name, "a" | "b") { IntType::Int } else { random.pick(&types) };
        let mut local = declaration(name, Shape::Int(int_type, random.below(10) as i64));
        local.is_static = features.static_locals && name == "b" && random.chance(20);
        scope.readable.push(name.to_string());
        scope.writable.push(name.to_string());
        // What a function returns a pointer to must live on.
        if int_type == IntType::Int && features.pointers && signature != Signature::Select {
            scope.addresses.push(format!("&{name}"));
        }
        locals.push(local);
    }
    if signature == Signature::Select {
        return locals;
    }
    if features.loops {
        for number in 0..if is_entry { 3 } else { 1 } {
            let name = format!("i{number}");
            scope.readable.push(name.clone());
            scope.counters.push(name.clone());
            locals.push(declaration(&name, Shape::Int(IntType::Int, 0)));
        }
    }
    if features.arrays && random.chance(if is_entry { 80 } else { 30 }) {
        let length = random.pick(&[2, 4, 8]);
        locals.push(declaration("array", Shape::Array((0..length).map(|_| random.below(10) as i64).collect())));
        scope.arrays.push(("array".to_string(), length - 1, true));
    }
    add_structs(random, options, scope, signature, &mut locals);
    add_pointers(random, options, scope, signature, &mut locals);
    let plain = scope.functions(Signature::Plain);
    if features.function_pointers && !plain.is_empty() && random.chance(40) {
        locals.push(declaration("action", Shape::Function(random.pick(&plain))));
        scope.function_pointers.push("action".to_string());
    }
    locals
}

fn add_structs(
    random: &mut Random,
    options: &Options,
    scope: &mut Scope,
    signature: Signature,
    locals: &mut Vec<Declaration>,
) {
    // The entry always has one, or functions that take structs could not be called.
    if !options.features.structs || signature == Signature::ByValue {
        return;
    }
    if signature == Signature::Entry || random.chance(25) {
        let values = std::array::from_fn(|_| random.below(10) as i64);
        locals.push(declaration("s", Shape::Struct(values)));
        scope.add_fields("s.");
        scope.structs.push("s".to_string());
        scope.struct_addresses.push("&s".to_string());
        if options.features.pointers {
            scope.addresses.extend(["&s.x".to_string(), "&s.y".to_string()]);
        }
    }
    if options.features.pointers && !scope.struct_addresses.is_empty() && random.chance(40) {
        locals.push(declaration("r", Shape::StructPointer(random.pick(&scope.struct_addresses))));
        scope.add_fields("r->");
        scope.struct_pointers.push("r".to_string());
        scope.structs.push("*r".to_string());
    }
}

fn add_pointers(
    random: &mut Random,
    options: &Options,
    scope: &mut Scope,
    signature: Signature,
    locals: &mut Vec<Declaration>,
) {
    let wanted = signature == Signature::Entry || random.chance(40);
    if !options.features.pointers || scope.addresses.is_empty() || !wanted {
        return;
    }
    for name in ["p", "q"].into_iter().take(1 + random.below(2)) {
        locals.push(declaration(name, Shape::Pointer(random.pick(&scope.addresses))));
        add_pointee(scope, name);
        scope.pointers.push((name.to_string(), false));
    }
    if random.chance(25) {
        locals.push(declaration("pp", Shape::PointerPointer("&p".to_string())));
        scope.readable.push("**pp".to_string());
        scope.writable.push("**pp".to_string());
        scope.pointers.push(("*pp".to_string(), false));
    }
}

/// What is returned: in the entry something of everything.
fn result(random: &mut Random, options: &Options, scope: &Scope, signature: Signature, locals: &[Declaration]) -> Expr {
    let expressions = Expressions { options, scope };
    if signature == Signature::Select {
        let pointer = |name: &str| Box::new(Expr::plain(name));
        return Expr::Choice(Box::new(expressions.condition(random, 1)), pointer("t"), pointer("w"));
    }
    if signature != Signature::Entry {
        return expressions.variable(random, 2);
    }
    let mut sum = Expr::plain("a");
    for (local, factor) in locals.iter().skip(1).zip(2..) {
        let part = match &local.shape {
            Shape::Int(..) => Expr::plain(&local.name),
            Shape::Array(values) => {
                Expr::Element(local.name.clone(), Box::new(Expr::Constant(1)), values.len() as u32 - 1)
            }
            Shape::Struct(_) => Expr::plain("s.y"),
            _ => continue,
        };
        if random.chance(70) {
            let part = Expr::binary(Operator::Mul, part, Expr::Constant(factor));
            sum = Expr::binary(Operator::Add, sum, part);
        }
    }
    sum
}
