//! What each byte of memory depends on.

use rustc_hash::FxHashMap;
use upshot_impact::{Target, Write};
use upshot_ir::GlobalId;

use crate::graph::{Graph, Node};

/// Objects beyond this size are one cell.
const LARGEST: u64 = 4096;

#[derive(Clone, Debug)]
struct Object {
    target: Target,
    /// One for each byte, or one for all.
    cells: Vec<Node>,
    is_whole: bool,
}

impl Object {
    fn new(target: Target, size: u64) -> Self {
        let is_whole = size > LARGEST;
        Object { target, cells: vec![Node::NONE; if is_whole { 1 } else { size as usize }], is_whole }
    }

    /// The cells of so many bytes from an offset on; all of them for length 0.
    fn range(&self, offset: u32, length: u32) -> std::ops::Range<usize> {
        let all = self.cells.len();
        if self.is_whole || length == 0 {
            return 0..all;
        }
        (offset as usize).min(all)..(offset as usize + length as usize).min(all)
    }
}

/// Memory.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    objects: FxHashMap<u64, Object>,
    /// The objects that one place of the program makes.
    by_target: FxHashMap<Target, Vec<u64>>,
    globals: FxHashMap<u64, (GlobalId, u64)>,
}

impl Cells {
    /// `globals`: where each lies, and its size.
    pub(crate) fn new(globals: impl Iterator<Item = (u64, GlobalId, u64)>) -> Self {
        let mut cells = Cells::default();
        for (base, global, size) in globals {
            cells.globals.insert(base, (global, size));
            cells.by_target.entry(Target::Global(global)).or_default().push(base);
        }
        cells
    }

    pub(crate) fn allocate(&mut self, base: u64, size: u64, target: Target) {
        self.objects.insert(base, Object::new(target, size));
        self.by_target.entry(target).or_default().push(base);
    }

    /// Objects of a frame that is left.
    pub(crate) fn forget(&mut self, bases: &[u64]) {
        for base in bases {
            let Some(object) = self.objects.get(base) else { continue };
            if let Some(list) = self.by_target.get_mut(&object.target)
                && let Some(at) = list.iter().rposition(|other| other == base)
            {
                list.swap_remove(at);
            }
        }
    }

    fn object(&mut self, base: u64, size: u64) -> &mut Object {
        let global = self.globals.get(&base).copied();
        if global.is_none() && !self.objects.contains_key(&base) {
            self.by_target.entry(Target::Input).or_default().push(base);
        }
        let object = self.objects.entry(base).or_insert_with(|| match global {
            Some((global, size)) => Object::new(Target::Global(global), size),
            None => Object::new(Target::Input, size),
        });
        if !object.is_whole && object.cells.len() < size as usize {
            object.cells.resize(size as usize, Node::NONE);
        }
        object
    }

    /// What some bytes depend on, into `found`.
    pub(crate) fn read(&mut self, base: u64, offset: u32, length: u32, found: &mut Vec<Node>) {
        let object = self.object(base, u64::from(offset) + u64::from(length));
        let range = object.range(offset, length);
        let mut last = Node::NONE;
        for &node in &object.cells[range] {
            if node != last {
                found.push(node);
                last = node;
            }
        }
    }

    /// Bytes are written; any of the object's for length 0, which leaves what they depended on as well.
    pub(crate) fn write(&mut self, base: u64, offset: u32, length: u32, node: Node, graph: &mut Graph, at: At) {
        let object = self.object(base, u64::from(offset) + u64::from(length));
        let range = object.range(offset, length);
        if length == 0 || object.is_whole {
            let mut known = (Node::NONE, node);
            for cell in &mut object.cells[range] {
                if known.0 != *cell {
                    known = (*cell, graph.node(at, &[*cell, node]));
                }
                *cell = known.1;
            }
        } else {
            object.cells[range].fill(node);
        }
    }

    /// A branch could have led to a write.
    pub(crate) fn weaken(&mut self, write: Write, branch: Node, graph: &mut Graph, at: At) {
        let Some(bases) = self.by_target.get(&write.target) else { return };
        for base in bases.clone() {
            let object = self.object(base, 0);
            let range = match write.bytes {
                Some((low, high)) if high > low => object.range(low, high - low),
                _ => object.range(0, 0),
            };
            let mut known: Option<(Node, Node)> = None;
            for cell in &mut object.cells[range] {
                let new = match known {
                    Some((old, new)) if old == *cell => new,
                    _ => graph.weakened(at, *cell, branch),
                };
                known = Some((*cell, new));
                *cell = new;
            }
        }
    }

    /// What all bytes of an object depend on.
    pub(crate) fn all(&mut self, base: u64) -> Vec<Node> {
        let mut found = Vec::new();
        self.read(base, 0, 0, &mut found);
        found
    }
}

pub(crate) type At = (upshot_ir::FuncId, upshot_ir::InstId);
