//! What the parts of an input are called, from its C type.

use upshot_expr::{Part, PartReading};
use upshot_ir::{CType, CTypeId, DebugTypes, IntKind};

pub(crate) fn parts(types: &DebugTypes, ty: CTypeId, name: &str, size: u32) -> Vec<Part> {
    let places = types.places(ty, name, u64::from(size));
    let part = |place: upshot_ir::Place| {
        Some(Part {
            offset: place.offset.try_into().ok()?,
            size: types.size(place.ty).try_into().ok()?,
            name: place.path,
            reading: reading(types.get(place.ty)),
        })
    };
    places.into_iter().filter_map(part).collect()
}

fn reading(ty: &CType) -> PartReading {
    match *ty {
        CType::Int { kind: IntKind::Char, signed, .. } => PartReading::Character { signed },
        CType::Int { signed: true, .. } | CType::Enum { signed: true, .. } => PartReading::Signed,
        CType::Int { .. } | CType::Enum { .. } => PartReading::Unsigned,
        CType::Pointer { .. } => PartReading::Pointer,
        _ => PartReading::Other,
    }
}
