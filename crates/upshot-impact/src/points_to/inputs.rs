//! Input objects: what pointers that come from outside lead to, one object per C type.
//!
//! As the executor makes them up: a pointer of unknown origin is null, or the start of an object of the type it points to, which another
//! pointer to the same type may lead to as well. It does not lead to a global of the program.

use upshot_ir::{CType, CTypeId, DebugTypes};

/// The pointers inside a value of a type, as (offset, type pointed to); the same for "any offset" where there are many.
pub(super) fn pointers_in(types: &DebugTypes, ty: CTypeId) -> Vec<(Option<u32>, CTypeId)> {
    let mut found = Vec::new();
    collect(types, ty, Some(0), 0, &mut found);
    found
}

/// How deep arrays and records are looked into.
const DEEPEST: u32 = 16;
/// Elements of an array beyond this share one place.
const MOST_ELEMENTS: u64 = 16;

fn collect(types: &DebugTypes, ty: CTypeId, at: Option<u32>, depth: u32, found: &mut Vec<(Option<u32>, CTypeId)>) {
    if depth > DEEPEST {
        return;
    }
    let ty = types.resolve(ty);
    match types.get(ty) {
        CType::Pointer { target } => found.push((at, types.resolve(*target))),
        CType::Record { members, .. } => {
            for member in members {
                let offset = at.and_then(|at| at.checked_add(u32::try_from(member.bit_offset / 8).ok()?));
                collect(types, member.ty, offset, depth + 1, found);
            }
        }
        CType::Array { element, count } => match (at, count) {
            (Some(at), Some(count)) if *count <= MOST_ELEMENTS => {
                let size = types.size(*element);
                for index in 0..*count {
                    let offset = u32::try_from(index * size).ok().and_then(|offset| at.checked_add(offset));
                    collect(types, *element, offset, depth + 1, found);
                }
            }
            _ => collect(types, *element, None, depth + 1, found),
        },
        _ => {}
    }
}
