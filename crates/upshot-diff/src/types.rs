//! Named C types that are not the same in both versions.
//!
//! A type by itself does nothing: where it matters, the instructions differ. It is told here because it is *why* they do. Types are the same
//! if they have the same members of the same types at the same places; pointers are followed by name only, which also ends cycles.

use std::collections::{BTreeMap, BTreeSet};

use upshot_ir::{CType, CTypeId, DebugTypes, Member, Program};

use crate::changes::{Status, TypeChange, TypeKind};

type Named = BTreeMap<(TypeKind, String), CTypeId>;

/// All differences between the named types, by kind and name.
pub(crate) fn type_changes(old: &Program, new: &Program) -> Vec<TypeChange> {
    let (of_old, of_new) = (named(old), named(new));
    let (old, new) = (&old.types, &new.types);
    let mut changes = Vec::new();
    for ((kind, name), &id) in &of_new {
        let change = |status, details| TypeChange { kind: *kind, name: name.clone(), status, details };
        match of_old.get(&(*kind, name.clone())) {
            None => changes.push(change(Status::Added, Vec::new())),
            Some(&counterpart) => {
                let details = differences(old, counterpart, new, id);
                if !details.is_empty() {
                    changes.push(change(Status::Changed, details));
                }
            }
        }
    }
    for (kind, name) in of_old.keys().filter(|key| !of_new.contains_key(key)) {
        let (kind, name) = (*kind, name.clone());
        changes.push(TypeChange { kind, name, status: Status::Removed, details: Vec::new() });
    }
    changes.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
    changes
}

/// The first of each name that the user's own code uses; a program of several files may hold the same type several times.
fn named(program: &Program) -> Named {
    let mut named = Named::new();
    for id in used(program) {
        let (kind, name) = match program.types.get(id) {
            CType::Record { name, union: false, .. } => (TypeKind::Struct, name),
            CType::Record { name, union: true, .. } => (TypeKind::Union, name),
            CType::Enum { name, .. } => (TypeKind::Enum, name),
            CType::Typedef { name, .. } => (TypeKind::Typedef, name),
            _ => continue,
        };
        if !name.is_empty() {
            named.entry((kind, name.clone())).or_insert(id);
        }
    }
    named
}

/// The types of the user's functions and globals, and what they are made of.
fn used(program: &Program) -> BTreeSet<CTypeId> {
    let mut work: Vec<CTypeId> =
        program.globals.iter().filter(|global| !global.is_runtime).filter_map(|global| global.ty).collect();
    for function in program.functions.iter().filter(|function| !function.is_runtime) {
        work.extend(function.return_type);
        work.extend(function.parameters.iter().filter_map(|parameter| parameter.ty));
        work.extend(function.locals.iter().filter_map(|local| local.ty));
    }
    let mut used = BTreeSet::new();
    while let Some(id) = work.pop() {
        if !used.insert(id) {
            continue;
        }
        match program.types.get(id) {
            CType::Pointer { target } | CType::Typedef { target, .. } | CType::Qualified { target, .. } => {
                work.push(*target);
            }
            CType::Array { element, .. } => work.push(*element),
            CType::Record { members, .. } => work.extend(members.iter().map(|member| member.ty)),
            CType::Function { result, parameters, .. } => work.extend(result.iter().chain(parameters)),
            CType::Void | CType::Int { .. } | CType::Float { .. } | CType::Enum { .. } | CType::Opaque { .. } => {}
        }
    }
    used
}

/// What is different, a line each; nothing if they are the same.
fn differences(old: &DebugTypes, a: CTypeId, new: &DebugTypes, b: CTypeId) -> Vec<String> {
    match (old.get(a), new.get(b)) {
        (CType::Record { members: x, size: s, .. }, CType::Record { members: y, size: t, .. }) => {
            let mut details = member_differences(old, x, new, y);
            if s != t {
                details.push(format!("size {s} is now {t}"));
            }
            details
        }
        (CType::Enum { values: x, size: s, .. }, CType::Enum { values: y, size: t, .. }) => {
            let mut details = value_differences(x, y);
            if s != t {
                details.push(format!("size {s} is now {t}"));
            }
            details
        }
        (CType::Typedef { target: x, .. }, CType::Typedef { target: y, .. }) => target_differences(old, *x, new, *y),
        _ => vec!["it is another kind of type".to_string()],
    }
}

/// What a typedef stands for. A nameless struct or enum has only this name, so its members are told here.
fn target_differences(old: &DebugTypes, a: CTypeId, new: &DebugTypes, b: CTypeId) -> Vec<String> {
    let nameless = |ty: &CType| matches!(ty, CType::Record { name, .. } | CType::Enum { name, .. } if name.is_empty());
    if nameless(old.get(a)) && nameless(new.get(b)) {
        return differences(old, a, new, b);
    }
    if same(old, a, new, b) { Vec::new() } else { vec![format!("`{}` is now `{}`", old.name(a), new.name(b))] }
}

fn member_differences(old: &DebugTypes, x: &[Member], new: &DebugTypes, y: &[Member]) -> Vec<String> {
    let mut details = Vec::new();
    let shown = |name: &str| if name.is_empty() { "(nameless)".to_string() } else { format!("`{name}`") };
    let place = |member: &Member| match (member.bit_offset % 8, member.bit_width) {
        (_, Some(width)) => format!("bit {} (width {width})", member.bit_offset),
        (0, None) => format!("offset {}", member.bit_offset / 8),
        (_, None) => format!("bit {}", member.bit_offset),
    };
    for member in x.iter().filter(|member| !y.iter().any(|other| other.name == member.name)) {
        details.push(format!("{} removed", shown(&member.name)));
    }
    for member in y {
        let Some(counterpart) = x.iter().find(|other| other.name == member.name) else {
            details.push(format!("{} added at {}", shown(&member.name), place(member)));
            continue;
        };
        if !same(old, counterpart.ty, new, member.ty) {
            let (before, after) = (old.name(counterpart.ty), new.name(member.ty));
            details.push(if before == after {
                format!("{}: the type `{after}` changed", shown(&member.name))
            } else {
                format!("{}: type `{before}` is now `{after}`", shown(&member.name))
            });
        }
        if place(counterpart) != place(member) {
            details.push(format!("{}: {} is now {}", shown(&member.name), place(counterpart), place(member)));
        }
    }
    details
}

fn value_differences(x: &[(String, i128)], y: &[(String, i128)]) -> Vec<String> {
    let mut details = Vec::new();
    for (name, value) in x.iter().filter(|(name, _)| !y.iter().any(|(other, _)| other == name)) {
        details.push(format!("`{name}` (was {value}) removed"));
    }
    for (name, value) in y {
        match x.iter().find(|(other, _)| other == name) {
            None => details.push(format!("`{name}` = {value} added")),
            Some((_, before)) if before != value => details.push(format!("`{name}` = {before} is now {value}")),
            Some(_) => {}
        }
    }
    details
}

/// Whether they are laid out the same and written the same. Nameless records are looked into, named ones are compared under their own name.
fn same(old: &DebugTypes, a: CTypeId, new: &DebugTypes, b: CTypeId) -> bool {
    match (old.get(a), new.get(b)) {
        (CType::Record { name: p, .. }, CType::Record { name: q, .. })
        | (CType::Enum { name: p, .. }, CType::Enum { name: q, .. })
            if p.is_empty() && q.is_empty() =>
        {
            differences(old, a, new, b).is_empty()
        }
        _ => old.name(a) == new.name(b) && old.size(a) == new.size(b),
    }
}
