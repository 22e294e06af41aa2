//! Memory as a set of variables: every object is cut into cells, and every access is to some of them.
//!
//! The bytes that the program reads and writes as scalars at constant offsets are the cells of an object; overlapping ones are one cell, so two different cells never share a byte. One more cell takes
//! what is accessed at unknown offsets only. Objects of the heap and of the input have a cell for whether they are still there. A write *overwrites* if it can only be to
//! one place of one object that exists once, and covers its cell.
//!
//! Where each write goes is followed through the control flow (and across calls, by what each function may read and write) for all cells up to a
//! budget, the cheapest objects first. The cells beyond it, those that half of a large program shares, are *loose*: every write of them reaches every read.

use crate::calls::{CallGraph, CallInst};
use crate::points_to::{ObjectId, ObjectKind, PointsTo, Set, SetId};
use rustc_hash::FxHashMap;
use upshot_ir::{Const, FuncId, Function, InstId, Intrinsic, Op, Operand, Program};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CellId(pub(crate) u32);

/// Which bytes from the place pointed to are accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Extent {
    /// A scalar: makes a cell.
    Scalar(u32),
    /// A run of bytes: as many cells as there are.
    Block(u32),
    Anywhere,
    /// Whether the object is there.
    Existence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    set: SetId,
    offset: u32,
    extent: Extent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessKind {
    Read,
    Write,
    /// Reads only whether the path goes on.
    Check,
}

/// What an instruction does to memory by itself, callees with a body apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) inst: InstId,
    pub(crate) kind: AccessKind,
    pub(crate) class: u32,
}

/// The cells of all accesses of one shape.
#[derive(Clone, Debug, Default)]
pub(crate) struct Class {
    pub(crate) cells: Vec<CellId>,
    pub(crate) overwrites: bool,
}

#[derive(Debug, Default)]
struct ObjectCells {
    /// Sorted, disjoint.
    ranges: Vec<(u32, u32, CellId)>,
    rest: Option<CellId>,
    existence: Option<CellId>,
}

pub(crate) struct Memory {
    /// The object of each cell.
    pub(crate) object: Vec<ObjectId>,
    /// Beyond the budget: every write reaches every read.
    pub(crate) loose: Vec<bool>,
    pub(crate) classes: Vec<Class>,
    /// The accesses of each function, by instruction.
    pub(crate) accesses: Vec<Vec<Access>>,
    /// What a call of each function may write and read, of the cells that are not loose and that its callers can see.
    pub(crate) writes: Vec<Set>,
    pub(crate) reads: Vec<Set>,
    by_object: Vec<ObjectCells>,
    /// By cell: the one that stands for it.
    merged: Vec<CellId>,
}

/// An access to more loose cells than this makes one of them.
const MOST_LOOSE: usize = 64;
/// How many (cell, call) pairs are followed through the control flow.
const BUDGET: u64 = 3_000_000;

impl Memory {
    pub(crate) fn new(program: &Program, points_to: &PointsTo, calls: &CallGraph) -> Self {
        let mut collector = Collector { points_to, keys: Vec::new(), numbers: FxHashMap::default() };
        let accesses: Vec<Vec<Access>> = (0..)
            .map(FuncId)
            .zip(&program.functions)
            .map(|(id, function)| collector.function(id, function, &calls.calls[id.index()]))
            .collect();
        let keys = collector.keys;
        let mut memory = Memory {
            object: Vec::new(),
            loose: Vec::new(),
            classes: Vec::new(),
            accesses,
            writes: Vec::new(),
            reads: Vec::new(),
            merged: Vec::new(),
            by_object: (0..points_to.objects.len()).map(|_| ObjectCells::default()).collect(),
        };
        memory.make_cells(points_to, &keys);
        memory.classes = keys.iter().map(|key| memory.class(points_to, calls, *key)).collect();
        memory.choose(points_to, calls);
        memory.summarise(points_to, calls);
        memory
    }

    fn cell(&mut self, object: ObjectId) -> CellId {
        self.object.push(object);
        CellId(self.object.len() as u32 - 1)
    }

    /// The cells of one object.
    pub(crate) fn cells_of(&self, object: ObjectId) -> impl Iterator<Item = CellId> + '_ {
        let cells = &self.by_object[object.0 as usize];
        let all = cells.ranges.iter().map(|(_, _, cell)| *cell).chain(cells.rest);
        all.map(|cell| self.merged[cell.0 as usize])
    }

    fn make_cells(&mut self, points_to: &PointsTo, keys: &[Key]) {
        let mut ranges: Vec<Vec<(u32, u32)>> = vec![Vec::new(); points_to.objects.len()];
        let mut blocks: Vec<Vec<(u32, u32)>> = vec![Vec::new(); points_to.objects.len()];
        let mut blurred = vec![false; points_to.objects.len()];
        for key in keys {
            for place in points_to.places(key.set) {
                let at = place.object.0 as usize;
                let kind = points_to.objects.get(place.object).kind;
                if matches!(kind, ObjectKind::Function(_) | ObjectKind::Literals) {
                    continue;
                }
                match (place.offset.and_then(|offset| offset.checked_add(key.offset)), key.extent) {
                    (Some(low), Extent::Scalar(size)) => ranges[at].push((low, low.saturating_add(size.max(1)))),
                    (Some(low), Extent::Block(size)) => blocks[at].push((low, low.saturating_add(size.max(1)))),
                    (_, Extent::Existence) => {
                        if matches!(kind, ObjectKind::Heap(..) | ObjectKind::Input(_)) {
                            let cell = self.by_object[at].existence;
                            self.by_object[at].existence = cell.or_else(|| Some(self.cell(place.object)));
                        }
                    }
                    _ => blurred[at] = true,
                }
            }
        }
        for (number, (scalars, blocks)) in ranges.into_iter().zip(blocks).enumerate() {
            let object = ObjectId(number as u32);
            let mut places = merge_overlapping(scalars);
            places.extend(gaps(&places, &blocks));
            places.sort_unstable();
            for (low, high) in places {
                let cell = self.cell(object);
                self.by_object[number].ranges.push((low, high, cell));
            }
            if blurred[number] {
                self.by_object[number].rest = Some(self.cell(object));
            }
        }
    }

    fn class(&self, points_to: &PointsTo, calls: &CallGraph, key: Key) -> Class {
        let mut class = Class::default();
        let mut places = 0;
        for place in points_to.places(key.set) {
            places += 1;
            let cells = &self.by_object[place.object.0 as usize];
            if key.extent == Extent::Existence {
                class.cells.extend(cells.existence);
                continue;
            }
            let start = place.offset.and_then(|offset| offset.checked_add(key.offset));
            let (Some(low), Extent::Scalar(size) | Extent::Block(size)) = (start, key.extent) else {
                class.cells.extend(cells.ranges.iter().map(|(_, _, cell)| *cell).chain(cells.rest));
                continue;
            };
            let high = low.saturating_add(size.max(1));
            let first = cells.ranges.partition_point(|range| range.1 <= low);
            let touched = cells.ranges[first..].iter().take_while(|range| range.0 < high);
            let covered = touched.clone().all(|range| low <= range.0 && range.1 <= high);
            class.cells.extend(touched.map(|(_, _, cell)| *cell));
            class.overwrites = covered && exists_once(points_to, calls, place.object);
        }
        class.overwrites &= places == 1;
        class.cells.sort_unstable();
        class.cells.dedup();
        class
    }

    /// A set for each class, of what its cells are mapped to.
    fn per_class(&self, of: impl Fn(CellId) -> Option<u32>) -> Vec<Set> {
        let gather = |class: &Class| {
            let mut set = Set::default();
            class.cells.iter().filter_map(|&cell| of(cell)).for_each(|number| {
                set.insert(number);
            });
            set
        };
        self.classes.iter().map(gather).collect()
    }

    /// The union of the sets of the classes that a function accesses in a certain way.
    fn touched(&self, function: FuncId, of_class: &[Set], wanted: fn(AccessKind) -> bool) -> Set {
        let accesses = self.accesses[function.index()].iter().filter(|access| wanted(access.kind));
        let mut classes: Vec<u32> = accesses.map(|access| access.class).collect();
        classes.sort_unstable();
        classes.dedup();
        let mut set = Set::default();
        for class in classes {
            set.union(&of_class[class as usize]);
        }
        set
    }

    /// Loose cells that one access may touch by the dozen become one: whoever reads some of them reads them all.
    fn merge_loose(&mut self) {
        let mut parent: Vec<u32> = (0..self.object.len() as u32).collect();
        fn root(parent: &mut [u32], mut cell: u32) -> u32 {
            while parent[cell as usize] != cell {
                parent[cell as usize] = parent[parent[cell as usize] as usize];
                cell = parent[cell as usize];
            }
            cell
        }
        for class in &self.classes {
            let loose = class.cells.iter().filter(|cell| self.loose[cell.0 as usize]);
            if loose.clone().count() > MOST_LOOSE {
                let mut loose = loose.map(|cell| cell.0);
                let first = loose.next().map(|cell| root(&mut parent, cell)).unwrap_or(0);
                for cell in loose {
                    let other = root(&mut parent, cell);
                    parent[other as usize] = first;
                }
            }
        }
        for cell in 0..parent.len() as u32 {
            root(&mut parent, cell);
        }
        self.merged = (0..parent.len() as u32).map(|cell| CellId(root(&mut parent, cell))).collect();
        for class in &mut self.classes {
            for cell in &mut class.cells {
                *cell = self.merged[cell.0 as usize];
            }
            class.cells.sort_unstable();
            class.cells.dedup();
        }
    }

    /// Decides which objects are followed: by how many calls they would have to be carried across, the fewest first.
    fn choose(&mut self, points_to: &PointsTo, calls: &CallGraph) {
        let objects_of = self.per_class(|cell| Some(self.object[cell.0 as usize].0));
        let touched = closure(calls, |function| self.touched(function, &objects_of, |_| true));
        let mut cost = vec![0u64; points_to.objects.len()];
        for (number, set) in touched.iter().enumerate() {
            let weight = 1 + calls.calls[number].len() as u64;
            set.iter().for_each(|object| cost[object as usize] += weight);
        }
        let mut order: Vec<(u64, usize)> = Vec::new();
        for (number, cost) in cost.into_iter().enumerate() {
            order.push((cost * (self.by_object[number].ranges.len() as u64 + 1), number));
        }
        order.sort_unstable();
        let mut followed = vec![false; points_to.objects.len()];
        let mut spent = 0;
        for (cost, number) in order {
            spent += cost;
            let kind = points_to.objects.get(ObjectId(number as u32)).kind;
            followed[number] = spent <= BUDGET && !matches!(kind, ObjectKind::Variadic(_) | ObjectKind::ByValue(..));
        }
        self.loose = self.object.iter().map(|object| !followed[object.0 as usize]).collect();
        self.merge_loose();
        let loose = self.loose.iter().filter(|loose| **loose).count();
        tracing::debug!(cells = self.object.len(), loose, classes = self.classes.len(), "memory");
    }

    fn summarise(&mut self, points_to: &PointsTo, calls: &CallGraph) {
        let followed = self.per_class(|cell| Some(cell.0).filter(|&cell| !self.loose[cell as usize]));
        let of_kind = |wanted: fn(AccessKind) -> bool| {
            let own = |function: FuncId| self.touched(function, &followed, wanted);
            let gone = |function: FuncId, cell: u32| {
                let kind = points_to.objects.get(self.object[cell as usize]).kind;
                matches!(kind, ObjectKind::Stack(owner, _) if owner == function) && !calls.recursive[function.index()]
            };
            closure_without(calls, own, gone)
        };
        let writes = of_kind(|kind| kind == AccessKind::Write);
        let reads = of_kind(|kind| kind != AccessKind::Write);
        self.writes = writes;
        self.reads = reads;
    }
}

/// By function: which instruction may write which bytes of which object by itself; `None`: any of them, or whether it is there.
pub(crate) fn writes(program: &Program, points_to: &PointsTo, calls: &CallGraph) -> Vec<Vec<WriteTo>> {
    let mut collector = Collector { points_to, keys: Vec::new(), numbers: FxHashMap::default() };
    let mut found = Vec::new();
    for (id, function) in (0..).map(FuncId).zip(&program.functions) {
        let accesses = collector.function(id, function, &calls.calls[id.index()]);
        let mut list = Vec::new();
        for access in accesses.into_iter().filter(|access| access.kind == AccessKind::Write) {
            let key = collector.keys[access.class as usize];
            for place in points_to.places(key.set) {
                let start = place.offset.and_then(|offset| offset.checked_add(key.offset));
                let bytes = match (start, key.extent) {
                    (Some(low), Extent::Scalar(size) | Extent::Block(size)) => Some((low, low.saturating_add(size))),
                    _ => None,
                };
                list.push((access.inst, place.object, bytes));
            }
        }
        found.push(list);
    }
    found
}

type WriteTo = (InstId, ObjectId, Option<(u32, u32)>);

fn merge_overlapping(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    let mut merged: Vec<(u32, u32)> = Vec::new();
    for (low, high) in ranges {
        match merged.last_mut() {
            Some(last) if low < last.1 => last.1 = last.1.max(high),
            _ => merged.push((low, high)),
        }
    }
    merged
}

/// What blocks touch between the scalars, cut wherever a block begins or ends. `scalars` are sorted and disjoint.
fn gaps(scalars: &[(u32, u32)], blocks: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut cuts: Vec<u32> = scalars.iter().chain(blocks).flat_map(|&(low, high)| [low, high]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let covered = merge_overlapping(blocks.to_vec());
    let inside = |list: &[(u32, u32)], at: u32| {
        let next = list.partition_point(|range| range.1 <= at);
        list.get(next).is_some_and(|range| range.0 <= at)
    };
    let pieces = cuts.windows(2).map(|pair| (pair[0], pair[1]));
    pieces.filter(|&(low, _)| inside(&covered, low) && !inside(scalars, low)).collect()
}

/// Whether at most one such object exists at a time.
fn exists_once(points_to: &PointsTo, calls: &CallGraph, object: ObjectId) -> bool {
    match points_to.objects.get(object).kind {
        ObjectKind::Global(_) => true,
        ObjectKind::Stack(function, _) => !calls.recursive[function.index()],
        _ => false,
    }
}

/// What each function touches, by itself and through what it calls.
pub(crate) fn closure(calls: &CallGraph, own: impl Fn(FuncId) -> Set) -> Vec<Set> {
    closure_without(calls, own, |_, _| false)
}

/// [`closure`] where some of it does not concern the callers of a function.
fn closure_without(calls: &CallGraph, own: impl Fn(FuncId) -> Set, gone: impl Fn(FuncId, u32) -> bool) -> Vec<Set> {
    let mut of_component = vec![Set::default(); calls.components as usize];
    for id in calls.bottom_up() {
        let mine = calls.component[id.index()] as usize;
        let mut set = own(id);
        for body in calls.calls[id.index()].iter().flat_map(|call| &call.bodies) {
            let theirs = calls.component[body.index()] as usize;
            if theirs != mine {
                set.union(&of_component[theirs]);
            }
        }
        let mut kept = Set::default();
        set.iter().filter(|&number| !gone(id, number)).for_each(|number| {
            kept.insert(number);
        });
        of_component[mine].union(&kept);
    }
    calls.component.iter().map(|&number| of_component[number as usize].clone()).collect()
}

/// Finds the accesses of every function.
struct Collector<'a> {
    points_to: &'a PointsTo,
    keys: Vec<Key>,
    numbers: FxHashMap<Key, u32>,
}

impl Collector<'_> {
    fn key(&mut self, key: Key) -> u32 {
        *self.numbers.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.keys.len() as u32 - 1
        })
    }

    fn function(&mut self, id: FuncId, function: &Function, calls: &[CallInst]) -> Vec<Access> {
        let mut found = Vec::new();
        for (op, operation) in function.ops.iter().enumerate() {
            let mut site = Site { collector: self, id, function, op, found: &mut found };
            match operation {
                Op::Load { ptr, disp, scalar, .. } => {
                    site.memory(AccessKind::Read, *ptr, *disp, Extent::Scalar(scalar.store_size()));
                }
                Op::Store { ptr, disp, scalar, .. } => {
                    site.memory(AccessKind::Write, *ptr, *disp, Extent::Scalar(scalar.store_size()));
                }
                Op::AtomicRmw { ptr, scalar, .. } | Op::CompareExchange { ptr, scalar, .. } => {
                    site.memory(AccessKind::Read, *ptr, 0, Extent::Scalar(scalar.store_size()));
                    site.memory(AccessKind::Write, *ptr, 0, Extent::Scalar(scalar.store_size()));
                }
                Op::Intrinsic { which, args, .. } => site.intrinsic(*which, args),
                Op::Call(_) => {
                    let inst = function.op_inst[op];
                    if let Ok(at) = calls.binary_search_by_key(&inst, |call| call.inst) {
                        site.call(&calls[at]);
                    }
                }
                _ => {}
            }
        }
        found
    }
}

struct Site<'c, 'a, 'f> {
    collector: &'c mut Collector<'a>,
    id: FuncId,
    function: &'f Function,
    op: usize,
    found: &'c mut Vec<Access>,
}

impl Site<'_, '_, '_> {
    fn add(&mut self, kind: AccessKind, set: SetId, offset: u32, extent: Extent) {
        let class = self.collector.key(Key { set, offset, extent });
        self.found.push(Access { inst: self.function.op_inst[self.op], kind, class });
    }

    /// An access through a pointer, which reads whether the object is there as well.
    fn memory(&mut self, kind: AccessKind, pointer: Operand, offset: u32, extent: Extent) {
        let set = self.collector.points_to.pointees(self.function, self.id, self.op, pointer);
        self.add(kind, set, offset, extent);
        self.add(AccessKind::Check, set, 0, Extent::Existence);
    }

    fn block(&self, length: Operand) -> Extent {
        let constant = length.as_constant().and_then(|index| self.function.constants.get(index));
        match constant {
            Some(Const::Int { value, .. }) => u32::try_from(*value).map_or(Extent::Anywhere, Extent::Block),
            _ => Extent::Anywhere,
        }
    }

    fn intrinsic(&mut self, which: Intrinsic, args: &[Operand]) {
        match (which, args) {
            (Intrinsic::MemCpy | Intrinsic::MemMove, [to, from, length]) => {
                let extent = self.block(*length);
                self.memory(AccessKind::Read, *from, 0, extent);
                self.memory(AccessKind::Write, *to, 0, extent);
            }
            (Intrinsic::MemSet, [to, _, length]) => {
                let extent = self.block(*length);
                self.memory(AccessKind::Write, *to, 0, extent);
            }
            (Intrinsic::VaStart | Intrinsic::VaEnd, [list]) => {
                self.memory(AccessKind::Write, *list, 0, Extent::Anywhere)
            }
            (Intrinsic::VaCopy, [to, from]) => {
                self.memory(AccessKind::Read, *from, 0, Extent::Anywhere);
                self.memory(AccessKind::Write, *to, 0, Extent::Anywhere);
            }
            (Intrinsic::SetJmp, [buffer]) => self.memory(AccessKind::Write, *buffer, 0, Extent::Anywhere),
            (Intrinsic::LongJmp, [buffer, ..]) => self.memory(AccessKind::Read, *buffer, 0, Extent::Anywhere),
            (Intrinsic::LifetimeStart | Intrinsic::LifetimeEnd, [pointer, ..]) => {
                self.memory(AccessKind::Write, *pointer, 0, Extent::Anywhere)
            }
            _ => {}
        }
    }

    fn call(&mut self, call: &CallInst) {
        let Some(operation) = call.call(self.function) else { return };
        for argument in &operation.args {
            if let Some((size, _)) = argument.by_value {
                let extent = u32::try_from(size).map_or(Extent::Anywhere, Extent::Block);
                self.memory(AccessKind::Read, argument.value, 0, extent);
            }
        }
        for effects in &call.externals {
            for (position, argument) in operation.args.iter().enumerate() {
                let bit = 1u8.checked_shl(position as u32).unwrap_or(1 << 7);
                if effects.reads & bit != 0 {
                    self.memory(AccessKind::Read, argument.value, 0, Extent::Anywhere);
                }
                if effects.writes & bit != 0 {
                    self.memory(AccessKind::Write, argument.value, 0, Extent::Anywhere);
                }
                if effects.frees == Some(position as u8) {
                    let pointees = self.collector.points_to.pointees(self.function, self.id, self.op, argument.value);
                    self.add(AccessKind::Check, pointees, 0, Extent::Existence);
                    self.add(AccessKind::Write, pointees, 0, Extent::Existence);
                }
            }
            if effects.unknown {
                let escaped = self.collector.points_to.escaped();
                self.add(AccessKind::Read, escaped, 0, Extent::Anywhere);
                self.add(AccessKind::Write, escaped, 0, Extent::Anywhere);
                self.add(AccessKind::Write, escaped, 0, Extent::Existence);
            }
            if effects.history {
                let world = self.collector.points_to.world();
                self.add(AccessKind::Read, world, 0, Extent::Anywhere);
                self.add(AccessKind::Write, world, 0, Extent::Anywhere);
            }
        }
        self.pass_memory(call);
    }

    /// Arguments after the named ones, and copies of structs, land in objects of the callee.
    fn pass_memory(&mut self, call: &CallInst) {
        for &body in &call.bodies {
            for &set in self.collector.points_to.passed(body) {
                self.add(AccessKind::Write, set, 0, Extent::Anywhere);
            }
        }
    }
}
