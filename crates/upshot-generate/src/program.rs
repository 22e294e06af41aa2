//! A random file: globals, functions that call each other, and the entry.

use crate::functions::function;
use crate::random::Random;
use crate::scope::Scope;
use crate::tree::{Declaration, Expr, Shape, Signature, Tree, visit_expressions};
use crate::types::{IntType, Parameter};
use crate::{Features, Options};

/// A global variable of ints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    pub name: String,
    /// How many ints it holds.
    pub length: usize,
    pub is_static: bool,
}

/// The globals of a program that hold ints; pointers are left out.
pub(crate) fn globals(tree: &Tree) -> Vec<Global> {
    let ints = tree.globals.iter().filter(|global| !global.is_constant).filter_map(|global| {
        let length = match &global.shape {
            Shape::Int(IntType::Int, _) => 1,
            Shape::Array(values) => values.len(),
            Shape::Struct(values) => values.len(),
            _ => return None,
        };
        Some(Global { name: global.name.clone(), length, is_static: global.is_static })
    });
    ints.collect()
}

/// A program, and the parameters of its entry.
pub(crate) fn grow(random: &mut Random, options: &Options) -> (Tree, Vec<Parameter>) {
    let tag = options.tag.clone();
    let mut scope = Scope::default();
    let mut tree = Tree { tag: tag.clone(), globals: Vec::new(), functions: Vec::new(), extra: Vec::new() };
    if options.features.globals {
        add_globals(random, options, &mut scope, &mut tree.globals);
    }
    if options.features.calls {
        for number in 0..1 + random.below(options.helpers.max(1)) {
            let signature = signature(random, &options.features, &scope);
            let name = format!("h{number}{tag}");
            tree.functions.push(function(random, options, &scope, name.clone(), signature, &[]));
            scope.callees.push((name, signature));
        }
    }
    let plain = scope.functions(Signature::Plain);
    if options.features.function_pointers && options.features.globals && !plain.is_empty() && random.chance(40) {
        let name = format!("actions{tag}");
        let list = vec![random.pick(&plain), random.pick(&plain)];
        scope.function_tables.push((name.clone(), 1));
        let is_constant = random.chance(50);
        tree.globals.push(Declaration { name, shape: Shape::Functions(list), is_static: true, is_constant });
    }
    let count = 1 + random.below(options.parameters.max(1));
    let parameters: Vec<Parameter> = (0..count)
        .map(|number| {
            let name = ["u", "v", "w"].get(number).map_or(format!("w{number}"), ToString::to_string);
            Parameter { name, int_type: random.pick(&options.parameter_types) }
        })
        .collect();
    tree.functions.push(function(random, options, &scope, format!("f{tag}"), Signature::Entry, &parameters));
    show_unused(&mut tree);
    (tree, parameters)
}

/// A static function that nothing uses is not emitted, and edits in it would be none.
fn show_unused(tree: &mut Tree) {
    let mut used: Vec<String> = Vec::new();
    for global in &tree.globals {
        if let Shape::Functions(names) = &global.shape {
            used.extend(names.iter().cloned());
        }
    }
    for function in tree.functions.iter_mut().rev() {
        function.is_static &= used.contains(&function.name);
        for local in &function.locals {
            if let Shape::Function(name) = &local.shape {
                used.push(name.clone());
            }
        }
        let mut note = |expr: &mut Expr| match expr {
            Expr::Call(name, _) | Expr::Plain(name) if !used.contains(name) => used.push(name.clone()),
            _ => {}
        };
        visit_expressions(&mut function.body, &mut note);
        function.result.visit(&mut note);
    }
}

fn signature(random: &mut Random, features: &Features, scope: &Scope) -> Signature {
    let mut kinds = vec![Signature::Plain; 3];
    // So that there are two to choose from.
    if scope.functions(Signature::Plain).len() == 1 {
        kinds.push(Signature::Plain);
    }
    if features.pointers {
        kinds.extend([Signature::ByPointer, Signature::ByPointer, Signature::Select]);
    }
    if features.recursion {
        kinds.push(Signature::Recursive);
    }
    if features.structs {
        kinds.push(Signature::ByValue);
    }
    if features.structs && features.pointers {
        kinds.push(Signature::ByStructPointer);
    }
    random.pick(&kinds)
}

fn add_globals(random: &mut Random, options: &Options, scope: &mut Scope, globals: &mut Vec<Declaration>) {
    let (tag, features) = (&options.tag, options.features);
    let mut add = |name: &str, shape: Shape, is_static: bool, is_constant: bool| {
        let name = format!("{name}{tag}");
        globals.push(Declaration { name: name.clone(), shape, is_static, is_constant });
        name
    };
    for number in 0..2 {
        let name =
            add(&format!("g{number}"), Shape::Int(IntType::Int, random.below(6) as i64), random.chance(30), false);
        scope.readable.push(name.clone());
        scope.writable.push(name.clone());
        if features.pointers {
            scope.addresses.push(format!("&{name}"));
            scope.lasting_addresses.push(format!("&{name}"));
        }
    }
    if features.arrays {
        let values = |random: &mut Random, length| (0..length).map(|_| random.below(20) as i64).collect();
        let list: Vec<i64> = values(random, 4);
        let name = add("table", Shape::Array(list), random.chance(50), false);
        scope.arrays.push((name.clone(), 3, true));
        if features.pointers {
            scope.lasting_addresses.push(format!("&{name}[2]"));
        }
        if random.chance(50) {
            let list: Vec<i64> = values(random, 8);
            scope.arrays.push((add("fixed", Shape::Array(list), true, true), 7, false));
        }
    }
    if features.structs && random.chance(50) {
        let name = add("object", Shape::Struct(std::array::from_fn(|_| random.below(9) as i64)), false, false);
        scope.add_fields(&format!("{name}."));
        scope.structs.push(name.clone());
        scope.struct_addresses.push(format!("&{name}"));
        if features.pointers {
            scope.lasting_addresses.push(format!("&{name}.x"));
        }
    }
    if features.pointers && random.chance(50) {
        let target = random.pick(&scope.lasting_addresses);
        let name = add("gp", Shape::Pointer(target), random.chance(50), false);
        scope.readable.push(format!("*{name}"));
        scope.writable.push(format!("*{name}"));
        scope.addresses.push(name.clone());
        scope.pointers.push((name, true));
    }
}
