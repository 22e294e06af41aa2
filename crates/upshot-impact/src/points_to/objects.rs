//! What pointers can point to: abstract objects, and places inside them.
//!
//! One abstract object stands for all the concrete ones that a line of the program makes, so writing to it overwrites it for sure only if there is
//! but one at a time. A place is an object with a constant offset, or anywhere in it. Input objects (what pointers of the
//! caller lead to) are told apart by their C type, as the executor does when it makes them up.

use rustc_hash::FxHashMap;
use upshot_ir::{CTypeId, FuncId, GlobalId, InstId};

/// Index into [`Objects`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectId(pub(crate) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ObjectKind {
    Global(GlobalId),
    /// All constants without addresses in them that both versions share, string literals above all.
    Literals,
    Function(FuncId),
    /// What an alloca makes.
    Stack(FuncId, InstId),
    /// What an allocating call makes.
    Heap(FuncId, InstId),
    /// The callee's copy of a struct passed by value, by the number of its register.
    ByValue(FuncId, u32),
    /// The arguments after the named ones.
    Variadic(FuncId),
    /// What input pointers to this type lead to.
    Input(Option<CTypeId>),
    /// What is outside of the program: streams, and the history of calls of unknown functions.
    World,
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) kind: ObjectKind,
    /// Bytes, where known.
    pub(crate) size: Option<u64>,
    /// Offsets are not told apart.
    blurred: bool,
    /// Offsets given out so far; at [`MOST_OFFSETS`] further ones become "anywhere".
    offsets: u32,
}

/// How many constant offsets of one object are told apart.
const MOST_OFFSETS: u32 = 256;
/// Where the size is not known, offsets beyond this are "anywhere".
const FARTHEST: u64 = 1 << 16;

/// An object with a constant offset; `None`: anywhere in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) object: ObjectId,
    pub(crate) offset: Option<u32>,
}

/// All objects and places, numbered.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    objects: Vec<Object>,
    by_kind: FxHashMap<ObjectKind, ObjectId>,
    places: Vec<Place>,
    by_place: FxHashMap<Place, u32>,
}

impl Objects {
    pub(crate) fn object(&mut self, kind: ObjectKind, size: Option<u64>) -> ObjectId {
        *self.by_kind.entry(kind).or_insert_with(|| {
            let blurred = matches!(kind, ObjectKind::Literals | ObjectKind::Variadic(_) | ObjectKind::World);
            self.objects.push(Object { kind, size, blurred, offsets: 0 });
            ObjectId(self.objects.len() as u32 - 1)
        })
    }

    /// From now on all places of the object are "anywhere".
    pub(crate) fn blur(&mut self, object: ObjectId) {
        self.objects[object.0 as usize].blurred = true;
    }

    pub(crate) fn find(&self, kind: ObjectKind) -> Option<ObjectId> {
        self.by_kind.get(&kind).copied()
    }

    pub(crate) fn get(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.objects.len()
    }

    /// The number of the place at `offset` from the start of an object; of "anywhere" where it is outside.
    pub(crate) fn place(&mut self, object: ObjectId, offset: Option<i64>) -> u32 {
        let Object { kind, size, offsets, blurred } = self.objects[object.0 as usize];
        let within = |offset: &i64| u64::try_from(*offset).is_ok_and(|at| at <= size.unwrap_or(FARTHEST));
        let mut offset = offset.filter(within).filter(|_| !blurred).and_then(|offset| u32::try_from(offset).ok());
        if matches!(kind, ObjectKind::Function(_)) {
            offset = Some(0);
        }
        if let Some(&known) = self.by_place.get(&Place { object, offset }) {
            return known;
        }
        if offset.is_some() {
            if offsets >= MOST_OFFSETS {
                return self.place(object, None);
            }
            self.objects[object.0 as usize].offsets += 1;
        }
        let place = Place { object, offset };
        self.places.push(place);
        let number = self.places.len() as u32 - 1;
        self.by_place.insert(place, number);
        number
    }

    pub(crate) fn at(&self, place: u32) -> Place {
        self.places[place as usize]
    }
}
