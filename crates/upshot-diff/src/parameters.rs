//! Which parameter of the old version is which of the new one.
//!
//! A caller passes values by position. So where the two versions take the same shapes, position decides and names mean nothing. Where they do not,
//! every call has changed as well, and a parameter that kept its name and its shape is taken for the same.

use upshot_ir::{Function, Parameter, Scalar};

/// By position of the scalar in the old version's registers: its position in the new one's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parameters {
    to_new: Vec<Option<u32>>,
}

impl Parameters {
    pub(crate) fn pair(old: &Function, new: &Function) -> Self {
        let (a, b) = (shape(old), shape(new));
        if a == b {
            return Parameters { to_new: (0..a.len() as u32).map(Some).collect() };
        }
        let mut to_new = vec![None; a.len()];
        if old.struct_return.is_some() && old.struct_return == new.struct_return {
            to_new[0] = Some(0);
        }
        for (parameter, first) in positions(old) {
            let same = |other: &Parameter| {
                other.name == parameter.name
                    && other.scalars == parameter.scalars
                    && other.by_value == parameter.by_value
            };
            let Some((_, counterpart)) = positions(new).find(|(other, _)| same(other)) else { continue };
            for part in 0..parameter.scalars.len() {
                to_new[first + part] = Some((counterpart + part) as u32);
            }
        }
        Parameters { to_new }
    }

    pub(crate) fn to_new(&self, old: u32) -> Option<u32> {
        self.to_new.get(old as usize).copied().flatten()
    }
}

/// One scalar of what a function takes, the hidden pointer to its result among them.
type Piece = (Scalar, Option<(u64, u32)>, Option<u64>);

fn shape(function: &Function) -> Vec<Piece> {
    let hidden = function.struct_return.map(|size| (Scalar::Pointer, None, Some(size)));
    let pieces =
        function.parameters.iter().flat_map(|p| p.scalars.iter().map(|(_, scalar)| (*scalar, p.by_value, None)));
    hidden.into_iter().chain(pieces).collect()
}

/// Whether callers of both pass and get the same shapes.
pub(crate) fn same_interface(old: &Function, new: &Function) -> bool {
    shape(old) == shape(new) && old.results == new.results && old.is_variadic == new.is_variadic
}

/// The parameters, each with the position of its first scalar.
fn positions(function: &Function) -> impl Iterator<Item = (&Parameter, usize)> {
    let hidden = usize::from(function.struct_return.is_some());
    function.parameters.iter().scan(hidden, |next, parameter| {
        let first = *next;
        *next += parameter.scalars.len();
        Some((parameter, first))
    })
}
