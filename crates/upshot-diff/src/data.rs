//! Globals: which is which, and whether they hold the same at the start.
//!
//! Those with a name are paired by it. String literals and the constants that clang makes for initialisers have none (their numbers shift whenever one is
//! inserted), so they are what they hold: two of them are the same object if their bytes are equal, and the addresses in them lead to the same things.

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

use upshot_ir::{Const, Global, GlobalId, Initializer, Program};

use crate::changes::{GlobalMatch, Status};
use crate::pairing::{Named, Pairs, pair_by_name};

/// Nameless constants that hold addresses of others, deeper than this, are compared by name of nothing: as different.
const DEEPEST: u32 = 16;

pub(crate) struct Data<'a> {
    old: &'a Program,
    new: &'a Program,
    pub(crate) pairs: Pairs,
    renamed: Vec<GlobalId>,
}

impl<'a> Data<'a> {
    pub(crate) fn pair(old: &'a Program, new: &'a Program) -> Self {
        let named = |program: &'a Program, other: &'a Program| -> Vec<_> {
            let names: FxHashSet<&str> = other.functions.iter().map(|function| function.name.as_str()).collect();
            program.globals.iter().map(|global| name(program, global, &names)).collect()
        };
        let (of_old, of_new) = (named(old, new), named(new, old));
        Data { old, new, pairs: pair_by_name(&of_old, &of_new), renamed: Vec::new() }
    }

    /// Whether an address of the one in the old version means what an address of the other does in the new one.
    fn same_object_at(&self, functions: &Pairs, old: GlobalId, new: GlobalId, depth: u32) -> bool {
        let (a, b) = (self.old.global(old), self.new.global(new));
        if is_nameless(a) || is_nameless(b) {
            return is_nameless(a)
                && is_nameless(b)
                && depth > 0
                && same_storage(a, b)
                && self.same_contents(functions, a, b, depth - 1);
        }
        self.pairs.are_joined(old.index(), new.index()) && same_storage(a, b)
    }

    fn same_contents(&self, functions: &Pairs, old: &Global, new: &Global, depth: u32) -> bool {
        let (Some(a), Some(b)) = (&old.initializer, &new.initializer) else {
            return old.initializer.is_none() && new.initializer.is_none();
        };
        let same = |a: &(u64, u8, Const), b: &(u64, u8, Const)| {
            (a.0, a.1) == (b.0, b.1) && self.same_constant_at(functions, &a.2, &b.2, depth)
        };
        a.bytes == b.bytes
            && a.relocations.len() == b.relocations.len()
            && a.relocations.iter().zip(&b.relocations).all(|(a, b)| same(a, b))
    }

    pub(crate) fn same_constant(&self, functions: &Pairs, old: &Const, new: &Const) -> bool {
        self.same_constant_at(functions, old, new, DEEPEST)
    }

    fn same_constant_at(&self, functions: &Pairs, old: &Const, new: &Const, depth: u32) -> bool {
        match (old, new) {
            (Const::Global { global: a, offset: x }, Const::Global { global: b, offset: y }) => {
                x == y && self.same_object_at(functions, *a, *b, depth)
            }
            (Const::Function(a), Const::Function(b)) => functions.are_joined(a.index(), b.index()),
            // Only computed gotos use these, and where they lead is compared as edges.
            (Const::Block(a, _), Const::Block(b, _)) => functions.are_joined(a.index(), b.index()),
            (Const::Expr { op: p, width: v, args: a }, Const::Expr { op: q, width: w, args: b }) => {
                let same = |(a, b)| self.same_constant_at(functions, a, b, depth);
                p == q && v == w && a.len() == b.len() && a.iter().zip(b).all(same)
            }
            _ => old == new,
        }
    }

    /// Pairs globals that are left over where one in each version, and only one, has this type and these contents. Static locals
    /// are told apart by their functions, too.
    pub(crate) fn pair_renamed(&mut self, functions: &Pairs) {
        let keyed = |program: &'a Program, free: Vec<usize>, owners: FxHashMap<&str, Option<u32>>| {
            let mut keys: FxHashMap<_, Vec<usize>> = FxHashMap::default();
            for at in free {
                let global = &program.globals[at];
                let ty = global.ty.map(|ty| program.types.name(ty));
                if let Some(ty) = ty.filter(|_| !is_nameless(global) && !global.is_runtime) {
                    let owner = owners.get(owner(global)).copied();
                    keys.entry((ty, global.size, global.is_constant, owner)).or_default().push(at);
                }
            }
            keys
        };
        // Functions by the name that static locals have them by; those of both versions as the new one's.
        let owners_in_old = self.old.functions.iter().zip(&functions.to_new).map(|(it, new)| (it.name.as_str(), *new));
        let in_both = |(at, old): (u32, &Option<u32>)| old.map(|_| at);
        let owners_in_new = self.new.functions.iter().zip((0..).zip(&functions.to_old));
        let owners_in_new = owners_in_new.map(|(it, place)| (it.name.as_str(), in_both(place)));
        let old = keyed(self.old, self.pairs.free_old(), owners_in_old.collect());
        let new = keyed(self.new, self.pairs.free_new(), owners_in_new.collect());
        for (key, ours) in &old {
            let Some(theirs) = new.get(key) else { continue };
            let same = |a: usize, b: usize| {
                let (a, b) = (&self.old.globals[a], &self.new.globals[b]);
                same_storage(a, b) && self.same_contents(functions, a, b, DEEPEST)
            };
            let alone = |at: usize| theirs.iter().filter(|other| same(at, **other)).count() == 1;
            let found: Vec<(usize, usize)> = ours
                .iter()
                .filter(|at| alone(**at))
                .filter_map(|&at| theirs.iter().find(|other| same(at, **other)).map(|&other| (at, other)))
                .collect();
            for &(at, other) in &found {
                if found.iter().filter(|(_, counterpart)| *counterpart == other).count() == 1 {
                    self.pairs.join(at, other);
                    self.renamed.push(GlobalId(other as u32));
                }
            }
        }
    }

    /// The matches of all globals, as the result tells them.
    pub(crate) fn finish(mut self, functions: &Pairs) -> Vec<GlobalMatch> {
        self.pair_nameless(functions);
        let id = |at: usize| GlobalId(at as u32);
        let mut matches = Vec::new();
        for (at, global) in self.new.globals.iter().enumerate() {
            let old = self.pairs.to_old[at].map(GlobalId);
            let same = |old: GlobalId| {
                let old = self.old.global(old);
                same_storage(old, global) && self.same_contents(functions, old, global, DEEPEST)
            };
            let status = match old {
                None => Status::Added,
                Some(old) if same(old) => Status::Unchanged,
                Some(_) => Status::Changed,
            };
            let renamed = self.renamed.contains(&id(at));
            matches.push(GlobalMatch { old, new: Some(id(at)), status, renamed, nameless: is_nameless(global) });
        }
        for at in self.pairs.free_old() {
            let nameless = is_nameless(&self.old.globals[at]);
            matches.push(GlobalMatch {
                old: Some(id(at)),
                new: None,
                status: Status::Removed,
                renamed: false,
                nameless,
            });
        }
        matches
    }

    /// Pairs nameless constants that hold the same, in order.
    fn pair_nameless(&mut self, functions: &Pairs) {
        let mut by_bytes: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        for at in self.pairs.free_new().into_iter().rev() {
            if let Some(initializer) = nameless_contents(&self.new.globals[at]) {
                by_bytes.entry(hash(initializer)).or_default().push(at);
            }
        }
        for at in self.pairs.free_old() {
            let Some(initializer) = nameless_contents(&self.old.globals[at]) else { continue };
            let Some(candidates) = by_bytes.get_mut(&hash(initializer)) else { continue };
            let (old, new) = (self.old, self.new);
            let same = |other: &usize| {
                let (a, b) = (&old.globals[at], &new.globals[*other]);
                same_storage(a, b) && self.same_contents(functions, a, b, DEEPEST)
            };
            if let Some(position) = candidates.iter().rposition(same) {
                let other = candidates.remove(position);
                self.pairs.join(at, other);
            }
        }
    }
}

fn hash(initializer: &Initializer) -> u64 {
    let mut hasher = FxHasher::default();
    initializer.bytes.hash(&mut hasher);
    initializer.relocations.len().hash(&mut hasher);
    hasher.finish()
}

fn nameless_contents(global: &Global) -> Option<&Initializer> {
    global.initializer.as_ref().filter(|_| is_nameless(global))
}

/// Whether it is a constant that nobody named. What clang calls it cannot be written in C.
pub(crate) fn is_nameless(global: &Global) -> bool {
    global.is_local && global.is_constant && global.source_name == global.name && global.name.contains('.')
}

/// Whether accesses that are fine in the one are fine in the other, whatever they hold.
fn same_storage(old: &Global, new: &Global) -> bool {
    let kind =
        |global: &Global| (global.size, global.is_constant, global.is_thread_local, global.initializer.is_some());
    kind(old) == kind(new)
}

/// The function that a static local belongs to; empty for others. A static local is `function.name`, perhaps with a number after it.
fn owner(global: &Global) -> &str {
    let owner = if global.is_local { global.name.split_once('.').map_or("", |(owner, _)| owner) } else { "" };
    if owner == global.source_name { "" } else { owner }
}

fn name<'a>(program: &'a Program, global: &'a Global, functions: &FxHashSet<&str>) -> Option<Named<'a>> {
    if is_nameless(global) {
        return None;
    }
    Some(Named {
        linkage: (!global.is_local).then_some(global.name.as_str()),
        source: &global.source_name,
        owner: owner(global),
        owner_gone: !owner(global).is_empty() && !functions.contains(owner(global)),
        file: program.files.get(global.location.file as usize).map_or("", String::as_str),
    })
}
