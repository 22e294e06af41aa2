//! The scalars in an object, each as the C expression that names it: `p->next`, `grid[2][3].x`.

use crate::debug::{CType, CTypeId, DebugTypes, IntKind};

/// A scalar in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub path: String,
    /// In bytes.
    pub offset: u64,
    /// Behind typedefs and qualifiers.
    pub ty: CTypeId,
}

/// No object needs more; arrays of arrays could have more.
const MOST_PLACES: usize = 512;

impl DebugTypes {
    /// The scalars of an object of so many bytes, bit-fields left out. `name` is an expression for it; one that begins with `*` stands for
    /// what a pointer points to, one element of the type or more.
    pub fn places(&self, ty: CTypeId, name: &str, size: u64) -> Vec<Place> {
        let mut places = Vec::new();
        let Some(pointer) = name.strip_prefix('*') else {
            self.add(ty, 0, name.to_string(), &mut places);
            return places;
        };
        let element = self.size(ty).max(1);
        let is_text = matches!(self.get(self.resolve(ty)), CType::Int { kind: IntKind::Char, .. });
        for index in 0..(size / element).min(MOST_PLACES as u64) {
            let path = match index {
                0 if self.is_record(ty) => format!("{pointer}->"),
                0 if element == size && !is_text => name.to_string(),
                _ => format!("{pointer}[{index}]"),
            };
            self.add(ty, index * element, path, &mut places);
        }
        places
    }

    pub fn is_record(&self, ty: CTypeId) -> bool {
        matches!(self.get(self.resolve(ty)), CType::Record { .. })
    }

    fn add(&self, ty: CTypeId, offset: u64, path: String, places: &mut Vec<Place>) {
        let ty = self.resolve(ty);
        match self.get(ty) {
            _ if places.len() >= MOST_PLACES => {}
            CType::Int { .. } | CType::Float { .. } | CType::Enum { .. } | CType::Pointer { .. } => {
                places.push(Place { path, offset, ty });
            }
            CType::Array { element, count } => {
                for index in 0..count.unwrap_or(0).min(MOST_PLACES as u64) {
                    self.add(*element, offset + index * self.size(*element), format!("{path}[{index}]"), places);
                }
            }
            CType::Record { members, .. } => {
                for member in members.iter().filter(|member| member.bit_width.is_none()) {
                    self.add(member.ty, offset + member.bit_offset / 8, member_path(&path, &member.name), places);
                }
            }
            _ => {}
        }
    }
}

/// The member of what `path` names; of what it leads to, where it ends in an arrow.
pub fn member_path(path: &str, member: &str) -> String {
    match (path.strip_suffix("->"), member) {
        (_, "") => path.to_string(),
        (Some(_), member) => format!("{path}{member}"),
        (None, member) => format!("{path}.{member}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debug::Member;

    #[test]
    fn scalars_are_named_as_c_names_them() {
        let int = CType::Int { name: "int".into(), size: 4, signed: true, kind: IntKind::Signed };
        let char = CType::Int { name: "char".into(), size: 1, signed: true, kind: IntKind::Char };
        let member =
            |name: &str, ty, bit_offset| Member { name: name.into(), ty: CTypeId(ty), bit_offset, bit_width: None };
        let members = vec![member("x", 0, 0), member("tag", 2, 32)];
        let record = CType::Record { name: "s".into(), union: false, size: 8, members };
        let array = CType::Array { element: CTypeId(1), count: Some(2) };
        let types = DebugTypes { types: vec![int, char, array, record] };
        let paths = |ty, name: &str, size| -> Vec<(String, u64)> {
            types.places(CTypeId(ty), name, size).into_iter().map(|place| (place.path, place.offset)).collect()
        };
        let expect = |list: &[(&str, u64)]| -> Vec<(String, u64)> {
            list.iter().map(|(path, offset)| (path.to_string(), *offset)).collect()
        };
        assert_eq!(paths(3, "s", 8), expect(&[("s.x", 0), ("s.tag[0]", 4), ("s.tag[1]", 5)]));
        assert_eq!(paths(3, "*p", 8), expect(&[("p->x", 0), ("p->tag[0]", 4), ("p->tag[1]", 5)]));
        assert_eq!(paths(3, "*p", 16)[3], ("p[1].x".to_string(), 8));
        assert_eq!(paths(0, "*p", 4), expect(&[("*p", 0)]));
        assert_eq!(paths(0, "*p", 8), expect(&[("p[0]", 0), ("p[1]", 4)]));
        assert_eq!(paths(1, "*text", 2), expect(&[("text[0]", 0), ("text[1]", 1)]));
    }
}
