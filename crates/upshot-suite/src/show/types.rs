//! What C type an input object has, by its name.

use upshot_ir::{CType, CTypeId, DebugTypes, Function, Program};

use crate::ktest::Object;

/// The type of an object; of one element, for memory behind a pointer.
pub(super) fn of_object(program: &Program, entry: Option<&str>, object: &Object) -> Option<CTypeId> {
    let entry = entry.and_then(|name| program.function_named(name)).map(|id| program.function(id));
    if !object.name.starts_with('*') {
        return variable(program, entry, &object.name, Some(object.bytes.len()));
    }
    let mut parser = Parser { program, entry, rest: &object.name };
    let ty = parser.unary()?;
    // Memory of an incomplete type is bytes.
    (parser.rest.is_empty() && program.types.size(ty) > 0).then_some(ty)
}

/// Reads C expressions as objects are named by: a name or `(*…)`, then any of `->member`, `.member`, `[index]`; `*` before.
struct Parser<'a> {
    program: &'a Program,
    entry: Option<&'a Function>,
    rest: &'a str,
}

impl Parser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        let tail = self.rest.strip_prefix(token);
        self.rest = tail.unwrap_or(self.rest);
        tail.is_some()
    }

    fn name(&mut self) -> &str {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (name, tail) = self.rest.split_at(end);
        self.rest = tail;
        name
    }

    fn unary(&mut self) -> Option<CTypeId> {
        let stars = self.rest.bytes().take_while(|b| *b == b'*').count();
        self.rest = &self.rest[stars..];
        let ty = self.postfix()?;
        (0..stars).try_fold(ty, |ty, _| target(&self.program.types, ty))
    }

    fn postfix(&mut self) -> Option<CTypeId> {
        let types = &self.program.types;
        let mut parentheses = 0;
        // Not recursive, since a damaged name could go any depth.
        while self.rest.starts_with("(*") {
            self.rest = &self.rest[2..];
            parentheses += 1;
        }
        let (program, entry) = (self.program, self.entry);
        let mut ty = variable(program, entry, self.name(), None)?;
        loop {
            if self.eat("->") {
                ty = member(types, target(types, ty)?, self.name())?;
            } else if self.eat(".") {
                ty = member(types, ty, self.name())?;
            } else if self.eat("[") {
                self.name();
                self.eat("]").then_some(())?;
                ty = target(types, ty)?;
            } else if parentheses > 0 && self.eat(")") {
                parentheses -= 1;
                ty = target(types, ty)?;
            } else {
                return (parentheses == 0).then_some(ty);
            }
        }
    }
}

/// A parameter of the entry, a global, or a local. Of several locals of that name, all must have the same type.
fn variable(program: &Program, entry: Option<&Function>, name: &str, size: Option<usize>) -> Option<CTypeId> {
    if let Some(parameter) = entry.and_then(|f| f.parameters.iter().find(|p| p.name == name)) {
        return parameter.ty;
    }
    let global = program.globals.iter().find(|g| !g.is_runtime && g.source_name == name);
    if let Some(ty) = global.and_then(|g| g.ty) {
        return Some(ty);
    }
    let fits = |ty: &CTypeId| size.is_none_or(|size| program.types.size(*ty) == size as u64);
    let locals = program.functions.iter().filter(|f| !f.is_runtime).flat_map(|f| &f.locals);
    let mut candidates = locals.filter(|l| l.name == name).filter_map(|l| l.ty).filter(fits);
    let first = candidates.next()?;
    let same = |ty: CTypeId| ty == first || program.types.name(ty) == program.types.name(first);
    candidates.all(same).then_some(first)
}

/// What a pointer points to, or an array consists of.
fn target(types: &DebugTypes, ty: CTypeId) -> Option<CTypeId> {
    match types.get(types.resolve(ty)) {
        CType::Pointer { target } => Some(*target),
        CType::Array { element, .. } => Some(*element),
        _ => None,
    }
}

/// A member by name, also one of a nameless member.
fn member(types: &DebugTypes, ty: CTypeId, name: &str) -> Option<CTypeId> {
    let CType::Record { members, .. } = types.get(types.resolve(ty)) else { return None };
    let named = members.iter().find(|m| m.name == name).map(|m| m.ty);
    named.or_else(|| members.iter().filter(|m| m.name.is_empty()).find_map(|m| member(types, m.ty, name)))
}
