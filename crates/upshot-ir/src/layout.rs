//! Types as the lowering needs them: how many scalars a value is made of, and where each lies in memory.
//!
//! A first-class value of any type is a list of *leaves*, in the order of its fields, elements or lanes; each leaf takes
//! one register. Sizes and offsets are LLVM's own, asked once per type.

use crate::capi::{Module, Type, TypeKind};
use crate::program::{FloatFormat, Scalar};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Index into [`Layouts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TypeId(u32);

/// One scalar of a value, and its byte offset in the value's memory form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    pub(crate) scalar: Scalar,
    pub(crate) offset: u64,
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Void,
    Scalar(Scalar),
    Vector {
        element: TypeId,
        count: u32,
    },
    Array {
        element: TypeId,
        count: u64,
    },
    Struct {
        fields: Rc<[(TypeId, u64)]>,
    },
    Function {
        result: TypeId,
        parameters: Rc<[TypeId]>,
        variadic: bool,
    },
    /// An integer of more than 128 bits: limbs of [`LIMB`] bits, the lowest first.
    Wide {
        bits: u32,
    },
    /// What no scalars can hold: opaque structs, tokens, …
    Other,
}

#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) shape: Shape,
    /// Bytes from one array element to the next.
    pub(crate) size: u64,
    pub(crate) align: u32,
    /// Bits of the value.
    pub(crate) bits: u64,
    /// `None` if the value cannot be split into scalars (or into too many of them).
    pub(crate) leaves: Option<Rc<[Leaf]>>,
    /// A vector whose elements are not whole bytes: in memory it is one integer, the first lane lowest.
    pub(crate) bit_packed: bool,
    /// There is an integer in it whose leaves are limbs, not values of their own.
    pub(crate) has_limbs: bool,
}

/// Bits of a limb of a wide integer.
pub(crate) const LIMB: u8 = 64;

/// Wider integers than this are not split.
const WIDEST: u32 = 4096;

/// More registers than this for one value: nothing clang makes of C.
const MOST_LEAVES: u64 = 4096;

/// The layouts of a module's types, by [`TypeId`].
pub(crate) struct Layouts<'m> {
    module: &'m Module,
    ids: FxHashMap<Type<'m>, TypeId>,
    table: Vec<(Layout, Type<'m>)>,
}

impl<'m> Layouts<'m> {
    pub(crate) fn new(module: &'m Module) -> Self {
        Layouts { module, ids: FxHashMap::default(), table: Vec::new() }
    }

    pub(crate) fn get(&self, id: TypeId) -> &Layout {
        &self.table[id.0 as usize].0
    }

    /// The type in LLVM's notation, for messages.
    pub(crate) fn describe(&self, id: TypeId) -> String {
        self.table[id.0 as usize].1.describe()
    }

    pub(crate) fn id(&mut self, ty: Type<'m>) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        // Pointers are opaque, so a type never contains itself.
        let layout = self.compute(ty);
        let id = TypeId(self.table.len() as u32);
        self.table.push((layout, ty));
        self.ids.insert(ty, id);
        id
    }

    fn compute(&mut self, ty: Type<'m>) -> Layout {
        let shape = self.shape(ty);
        let (size, align, bits) = match shape {
            Shape::Function { .. } | Shape::Void => (0, 1, 0),
            _ => ty.layout(self.module).unwrap_or((0, 1, 0)),
        };
        let bit_packed = matches!(shape, Shape::Vector { element, .. } if !self.get(element).bits.is_multiple_of(8));
        let has_limbs = match &shape {
            Shape::Wide { .. } => true,
            Shape::Vector { element, .. } | Shape::Array { element, .. } => self.get(*element).has_limbs,
            Shape::Struct { fields } => fields.iter().any(|(field, _)| self.get(*field).has_limbs),
            _ => false,
        };
        let mut layout = Layout { shape, size, align: align.max(1), bits, leaves: None, bit_packed, has_limbs };
        layout.leaves = self.leaves(&layout).map(Rc::from);
        layout
    }

    fn shape(&mut self, ty: Type<'m>) -> Shape {
        let float = |format| Shape::Scalar(Scalar::Float(format));
        match ty.kind() {
            TypeKind::Void => Shape::Void,
            TypeKind::Integer(width) if width <= 128 => Shape::Scalar(Scalar::Int(width as u8)),
            TypeKind::Half => float(FloatFormat::F16),
            TypeKind::BFloat => float(FloatFormat::BF16),
            TypeKind::Float => float(FloatFormat::F32),
            TypeKind::Double => float(FloatFormat::F64),
            TypeKind::X87 => float(FloatFormat::X87),
            TypeKind::Quad => float(FloatFormat::F128),
            TypeKind::Pointer => Shape::Scalar(Scalar::Pointer),
            TypeKind::Vector(element, count) => Shape::Vector { element: self.id(element), count },
            TypeKind::Array(element, count) => Shape::Array { element: self.id(element), count },
            TypeKind::Struct(fields) => {
                let place = |(i, field): (usize, &Type<'m>)| (self.id(*field), ty.field_offset(self.module, i as u32));
                Shape::Struct { fields: fields.iter().enumerate().map(place).collect() }
            }
            TypeKind::Function { result, parameters, variadic } => Shape::Function {
                result: self.id(result),
                parameters: parameters.into_iter().map(|p| self.id(p)).collect(),
                variadic,
            },
            TypeKind::Integer(bits) if bits <= WIDEST => Shape::Wide { bits },
            TypeKind::Integer(_) | TypeKind::Other => Shape::Other,
        }
    }

    fn leaves(&self, layout: &Layout) -> Option<Vec<Leaf>> {
        match &layout.shape {
            Shape::Void => Some(Vec::new()),
            Shape::Scalar(scalar) => Some(vec![Leaf { scalar: *scalar, offset: 0 }]),
            Shape::Wide { bits } => {
                let limb = u32::from(LIMB);
                let place = |start: u32| Leaf {
                    scalar: Scalar::Int((bits - start).min(limb) as u8),
                    offset: u64::from(start / 8),
                };
                Some((0..*bits).step_by(limb as usize).map(place).collect())
            }
            Shape::Vector { .. } if layout.has_limbs => None,
            Shape::Vector { element, count } => {
                // Lanes lie at their bit size: 10 bytes apart for x86_fp80, though an array has them 16 apart.
                let step = self.get(*element).bits / 8;
                self.repeat(*element, u64::from(*count), step)
            }
            Shape::Array { element, count } => {
                let inner = self.get(*element);
                if inner.bit_packed { None } else { self.repeat(*element, *count, inner.size) }
            }
            Shape::Struct { fields } => {
                let mut leaves = Vec::new();
                for &(field, offset) in fields.iter() {
                    let inner = self.get(field);
                    if inner.bit_packed {
                        return None;
                    }
                    leaves.extend(shifted(inner.leaves.as_ref()?, offset));
                    if leaves.len() as u64 > MOST_LEAVES {
                        return None;
                    }
                }
                Some(leaves)
            }
            Shape::Function { .. } | Shape::Other => None,
        }
    }

    fn repeat(&self, element: TypeId, count: u64, step: u64) -> Option<Vec<Leaf>> {
        let inner = self.get(element).leaves.as_ref()?;
        if (inner.len() as u64).checked_mul(count).is_none_or(|total| total > MOST_LEAVES) {
            return None;
        }
        Some((0..count).flat_map(|i| shifted(inner, i * step)).collect())
    }

    /// The element that an index selects, and its offset; for arrays and vectors any index will do.
    pub(crate) fn step(&self, aggregate: TypeId, index: u64) -> Option<(TypeId, u64)> {
        match &self.get(aggregate).shape {
            Shape::Struct { fields } => fields.get(index as usize).copied(),
            Shape::Array { element, .. } | Shape::Vector { element, .. } => {
                Some((*element, index.wrapping_mul(self.get(*element).size)))
            }
            _ => None,
        }
    }

    /// How many bits, if the type is an integer of more than 128.
    pub(crate) fn wide_bits(&self, ty: TypeId) -> Option<u32> {
        match self.get(ty).shape {
            Shape::Wide { bits } => Some(bits),
            _ => None,
        }
    }

    /// The range of leaves that a path of `extractvalue` indices selects.
    pub(crate) fn leaf_range(&self, aggregate: TypeId, path: &[u32]) -> Option<std::ops::Range<usize>> {
        let mut start = 0;
        let mut at = aggregate;
        for &index in path {
            match &self.get(at).shape {
                Shape::Struct { fields } => {
                    for (field, _) in fields.iter().take(index as usize) {
                        start += self.get(*field).leaves.as_ref()?.len();
                    }
                    at = fields.get(index as usize)?.0;
                }
                Shape::Array { element, count } if u64::from(index) < *count => {
                    at = *element;
                    start += index as usize * self.get(at).leaves.as_ref()?.len();
                }
                _ => return None,
            }
        }
        let length = self.get(at).leaves.as_ref()?.len();
        Some(start..start + length)
    }
}

fn shifted(leaves: &[Leaf], offset: u64) -> impl Iterator<Item = Leaf> + '_ {
    leaves.iter().map(move |leaf| Leaf { scalar: leaf.scalar, offset: leaf.offset + offset })
}
