//! What two runs on the same input can be told apart by (DESIGN, "Observable output"), compared as terms.
//!
//! Both runs share one term arena and one address space, so most comparisons end with two equal term ids. What is left becomes the *difference condition* of the ICSE'13
//! paper (Def. 4): exactly where it holds, the outputs differ. Memory is walked from the globals, the objects behind input pointers, and the returned value. Objects
//! that the versions have made themselves are matched with each other on the way, since where they lie is nobody's business.

use rustc_hash::FxHashMap;
use upshot_exec::{Cell, Content, Owner, PathEnd, PointerTarget, State, Value};
use upshot_expr::{FloatFormat, Node, TermId};
use upshot_ir::{GlobalId, Scalar};

use crate::output;
use crate::pair::Pair;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observe {
    pub returned: bool,
    pub globals: bool,
    pub memory: bool,
    pub output: bool,
    pub calls: bool,
}

impl Default for Observe {
    fn default() -> Self {
        Observe { returned: true, globals: true, memory: true, output: true, calls: true }
    }
}

/// One thing that may differ.
#[derive(Clone, Debug)]
pub(crate) struct Doubt {
    pub what: String,
    /// Where.
    pub condition: TermId,
    /// What it is in the old and in the new version, where that is one number each.
    pub values: Option<(TermId, TermId)>,
}

/// Two ended runs, compared.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// Where one of these holds, the runs differ.
    pub exact: Vec<Doubt>,
    /// Where one of these holds, it is not known whether they do.
    pub open: Vec<Doubt>,
    /// All that was compared as terms, the same ones too.
    pub compared: Vec<(TermId, TermId)>,
}

/// The two ends of a pair of paths.
pub(crate) struct Ends<'a> {
    pub old: &'a State,
    pub new: &'a State,
    pub old_end: &'a PathEnd,
    pub new_end: &'a PathEnd,
    /// The globals that both versions have.
    pub globals: &'a [(GlobalId, GlobalId)],
}

pub(crate) fn compare(pair: &mut Pair<'_>, ends: &Ends<'_>, observe: Observe) -> Comparison {
    let mut walk = Walk {
        pair,
        old: ends.old,
        new: ends.new,
        found: Comparison::default(),
        matched: [FxHashMap::default(), FxHashMap::default()],
        work: Vec::new(),
    };
    walk.layout();
    let is_error = match (ends.old_end, ends.new_end) {
        (PathEnd::Returned(old), PathEnd::Returned(new)) => {
            if observe.returned {
                walk.returned(old, new);
            }
            false
        }
        (PathEnd::Exited(old), PathEnd::Exited(new)) => {
            walk.value("exit code", *old, *new, 32);
            false
        }
        (PathEnd::Error(old), PathEnd::Error(new)) => {
            if old.kind != new.kind {
                walk.always("how it ends");
            }
            true
        }
        _ => {
            walk.always("how it ends");
            true
        }
    };
    if observe.output {
        walk.streams();
    }
    if observe.calls {
        walk.calls();
    }
    if !is_error {
        if observe.globals {
            walk.globals(ends.globals);
        }
        if observe.memory {
            walk.inputs();
        }
        walk.reached();
    }
    walk.found
}

struct Walk<'w, 'p> {
    pair: &'w mut Pair<'p>,
    old: &'w State,
    new: &'w State,
    found: Comparison,
    /// Objects that are taken for each other: from old to new, and back.
    matched: [FxHashMap<u64, u64>; 2],
    /// Objects whose contents are still to be compared.
    work: Vec<(String, u64, u64)>,
}

/// What an address points to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The same in both versions, at the same address.
    Fixed,
    /// A global that cannot be written: only what it holds counts.
    Constant,
    Made,
    Gone,
}

impl Walk<'_, '_> {
    fn differ(&mut self, what: &str, condition: TermId, values: Option<(TermId, TermId)>) {
        if !self.pair.old.terms.is_false(condition) {
            self.found.exact.push(Doubt { what: what.to_string(), condition, values });
        }
    }

    fn always(&mut self, what: &str) {
        let condition = self.pair.old.terms.bool(true);
        self.differ(what, condition, None);
    }

    fn unsure(&mut self, what: impl Into<String>, condition: Option<TermId>) {
        let condition = condition.unwrap_or_else(|| self.pair.old.terms.bool(true));
        if !self.pair.old.terms.is_false(condition) {
            self.found.open.push(Doubt { what: what.into(), condition, values: None });
        }
    }

    /// A path that depends on where objects lie says nothing about other places.
    fn layout(&mut self) {
        let what = "the result may depend on where objects lie in memory";
        if self.old.unspecified() || self.new.unspecified() {
            self.unsure(what, None);
        }
        let conditions = [self.old.unspecified_conditions(), self.new.unspecified_conditions()].concat();
        for condition in conditions {
            self.unsure(what, Some(condition));
        }
    }

    fn returned(&mut self, old: &[Value], new: &[Value]) {
        let struct_old = self.pair.old.returned_struct(self.old);
        let struct_new = self.pair.with_new(|machine| machine.returned_struct(self.new));
        if let (Some(old), Some(new)) = (&struct_old, &struct_new) {
            if old.len() != new.len() {
                return self.unsure("the returned struct has another size", None);
            }
            for (a, b) in old.iter().zip(new) {
                match (a, b) {
                    (Some(a), Some(b)) => self.terms_differ("return value", *a, *b),
                    (None, None) => {}
                    // Padding, as a rule: nobody who reads members can tell.
                    _ => self.unsure("one version leaves bytes of the returned struct unwritten", None),
                }
            }
            return;
        }
        let scalars_old = self.pair.old.result_scalars(self.old);
        let scalars_new = self.pair.new.result_scalars(self.new);
        if scalars_old.is_empty() != scalars_new.is_empty() || struct_old.is_some() != struct_new.is_some() {
            return self.unsure("one version returns something that the other does not", None);
        }
        if scalars_old.len() != scalars_new.len() {
            return self.unsure("the versions return values of different types", None);
        }
        for (index, (&a, &b)) in old.iter().zip(new).enumerate() {
            match (scalars_old[index], scalars_new[index]) {
                (Scalar::Float(format), y) if Scalar::Float(format) == y => self.floats("return value", a, b, format),
                (x, y) if x == y => self.value("return value", a, b, x.width()),
                _ => self.unsure("the versions return values of different types", None),
            }
        }
    }

    /// Two numbers; which of the many that are none it is does not count.
    fn floats(&mut self, what: &str, a: Value, b: Value, format: FloatFormat) {
        if a.is_unwritten() || b.is_unwritten() {
            return self.value(what, a, b, format.width());
        }
        let terms = &mut self.pair.old.terms;
        let (a, b) = (a.to_term(terms, format.width()), b.to_term(terms, format.width()));
        if a != b {
            let (nan_a, nan_b) = (terms.float_is_nan(format, a), terms.float_is_nan(format, b));
            let both = terms.and(nan_a, nan_b);
            let (ne, number) = (terms.ne(a, b), terms.not(both));
            let condition = terms.and(ne, number);
            self.differ(what, condition, Some((a, b)));
        }
    }

    fn terms_differ(&mut self, what: &str, a: TermId, b: TermId) {
        self.found.compared.push((a, b));
        if a != b {
            let condition = self.pair.old.terms.ne(a, b);
            self.differ(what, condition, Some((a, b)));
        }
    }

    fn value(&mut self, what: &str, a: Value, b: Value, width: u8) {
        if a.is_unwritten() || b.is_unwritten() {
            if a.is_unwritten() != b.is_unwritten() {
                self.unsure(format!("{what}: one version never gave it a value"), None);
            }
            return;
        }
        if width == 64 {
            let address = |value: Value| value.as_concrete(64).map(|number| number as u64);
            if let (Some(x), Some(y)) = (address(a), address(b))
                && self.pair.old.is_address(self.old, x)
                && self.pair.new.is_address(self.new, y)
            {
                return self.pointers(what, x, y);
            }
            if a.provenance() != 0 || b.provenance() != 0 {
                let (x, y) = (a.to_term(&mut self.pair.old.terms, 64), b.to_term(&mut self.pair.old.terms, 64));
                let home = |value: Value, number: Option<u64>| {
                    number.filter(|_| value.is_concrete()).unwrap_or(value.provenance())
                };
                return self.symbolic_pointers(what, (x, home(a, address(a))), (y, home(b, address(b))));
            }
        }
        let (x, y) = (a.to_term(&mut self.pair.old.terms, width), b.to_term(&mut self.pair.old.terms, width));
        self.check_addresses_in(what, x, y);
        self.terms_differ(what, x, y);
    }

    /// A term with addresses of heap objects in it means something else in the other version, whose objects lie elsewhere.
    fn check_addresses_in(&mut self, what: &str, x: TermId, y: TermId) {
        let made = |found: Vec<u64>, state: &State, machine: &upshot_exec::Machine<'_>| {
            found.into_iter().any(|address| machine.owner(state, address).is_none_or(|owner| owner == Owner::Heap))
        };
        let old = self.pair.old.addresses_in(self.old, x);
        let in_old = made(old, self.old, &self.pair.old);
        let in_new = {
            let state = self.new;
            self.pair.with_new(|machine| made(machine.addresses_in(state, y), state, machine))
        };
        if in_old || in_new {
            self.unsure(format!("{what}: computed from addresses"), None);
        }
    }

    /// Two pointers of which at least one has a symbolic offset: into the same object, at the same offset?
    fn symbolic_pointers(&mut self, what: &str, (x, home_x): (TermId, u64), (y, home_y): (TermId, u64)) {
        if home_x == home_y && (x == y || self.kind(false, home_x) == Kind::Fixed) {
            return self.terms_differ(what, x, y);
        }
        let base = |machine: &mut upshot_exec::Machine<'_>, state: &State, home: u64| {
            machine.content(state, home).map(|content| content.base)
        };
        let base_x = base(&mut self.pair.old, self.old, home_x);
        let new = self.new;
        let base_y = self.pair.with_new(|machine| base(machine, new, home_y));
        let (Some(base_x), Some(base_y)) = (base_x, base_y) else {
            // An input pointer that nobody followed, against one that is settled: numbers decide.
            return match self.kind(false, home_x) == Kind::Made || self.kind(true, home_y) == Kind::Made {
                true => self.unsure(format!("{what}: pointers that cannot be compared"), None),
                false => self.terms_differ(what, x, y),
            };
        };
        self.pointers(what, base_x, base_y);
        let terms = &mut self.pair.old.terms;
        let (at_x, at_y) = (terms.constant(64, u128::from(base_x)), terms.constant(64, u128::from(base_y)));
        let (offset_x, offset_y) = (terms.sub(x, at_x), terms.sub(y, at_y));
        self.terms_differ(what, offset_x, offset_y);
    }

    fn kind(&mut self, is_new: bool, address: u64) -> Kind {
        let (machine, state) = if is_new { (&self.pair.new, self.new) } else { (&self.pair.old, self.old) };
        match machine.owner(state, address) {
            Some(Owner::Global(id)) if machine.program().global(id).is_constant => Kind::Constant,
            Some(Owner::Heap | Owner::Stack(_)) => Kind::Made,
            Some(Owner::Global(_) | Owner::Input) => Kind::Fixed,
            None if machine.is_gone(state, address) => Kind::Gone,
            None => Kind::Fixed,
        }
    }

    fn pointers(&mut self, what: &str, x: u64, y: u64) {
        match (self.kind(false, x), self.kind(true, y)) {
            (Kind::Fixed, Kind::Fixed) => {
                if x != y {
                    self.always(what);
                }
            }
            (Kind::Constant, Kind::Constant) | (Kind::Made, Kind::Made) => {
                let old = self.pair.old.content(self.old, x);
                let new_state = self.new;
                let new = self.pair.with_new(|machine| machine.content(new_state, y));
                let (Some(old), Some(new)) = (old, new) else { return self.unsure(what, None) };
                if x.wrapping_sub(old.base) != y.wrapping_sub(new.base) {
                    return self.always(what);
                }
                self.take_for_each_other(what, &old, &new);
            }
            (Kind::Gone, Kind::Gone) => {
                if self.matched[0].get(&x).is_some_and(|&other| other != y)
                    || self.matched[1].get(&y).is_some_and(|&other| other != x)
                {
                    self.unsure(format!("{what}: a pointer to memory that is gone"), None);
                }
                self.matched[0].insert(x, y);
                self.matched[1].insert(y, x);
            }
            (Kind::Gone, _) | (_, Kind::Gone) => {
                self.unsure(format!("{what}: a pointer to memory that is gone in one version"), None);
            }
            _ => self.always(what),
        }
    }

    fn take_for_each_other(&mut self, what: &str, old: &Content, new: &Content) {
        let known = (self.matched[0].get(&old.base).copied(), self.matched[1].get(&new.base).copied());
        match known {
            (Some(a), Some(b)) if (a, b) == (new.base, old.base) => {}
            (None, None) => {
                self.matched[0].insert(old.base, new.base);
                self.matched[1].insert(new.base, old.base);
                self.work.push((format!("memory behind {what}"), old.base, new.base));
            }
            // The compiler may merge equal constants, or not.
            _ if old.read_only && new.read_only => {
                self.work.push((format!("memory behind {what}"), old.base, new.base));
            }
            _ => self.always(what),
        }
    }

    fn globals(&mut self, globals: &[(GlobalId, GlobalId)]) {
        for &(old, new) in globals {
            if !self.pair.old.is_observable(old) && !self.pair.new.is_observable(new) {
                continue;
            }
            let name = self.pair.old.program().global(old).source_name.clone();
            let (x, y) = (self.pair.old.global_address(old), self.pair.new.global_address(new));
            if x == 0 || y == 0 {
                self.unsure(format!("the global {name} is too large"), None);
            } else if x != y {
                self.unsure(format!("the global {name} has another size"), None);
            } else {
                self.work.push((name, x, y));
            }
        }
    }

    /// The objects behind input pointers; both states have the same ones, see `Pair::level`.
    fn inputs(&mut self) {
        let mut seen = Vec::new();
        for pointer in self.new.pointers() {
            if let Some(PointerTarget::Object { input, address }) = pointer.resolved
                && !seen.contains(&address)
            {
                seen.push(address);
                self.work.push((self.new.inputs()[input].name.clone(), address, address));
            }
        }
    }

    fn reached(&mut self) {
        let mut done = rustc_hash::FxHashSet::default();
        while let Some((what, x, y)) = self.work.pop() {
            if !done.insert((x, y)) {
                continue;
            }
            let old = self.pair.old.content(self.old, x);
            let new_state = self.new;
            let new = self.pair.with_new(|machine| machine.content(new_state, y));
            match (old, new) {
                (Some(old), Some(new)) => self.contents(&what, &old, &new),
                (None, None) => {}
                _ => self.always(&format!("whether {what} is freed")),
            }
        }
    }

    fn contents(&mut self, what: &str, old: &Content, new: &Content) {
        if old.cells.len() != new.cells.len() || old.symbolic_size != new.symbolic_size {
            return self.unsure(format!("{what} has another size"), None);
        }
        let mut at = 0;
        while at < old.cells.len() {
            if at.is_multiple_of(8) && at + 8 <= old.cells.len() && self.words(what, old, new, at) {
                at += 8;
                continue;
            }
            at += self.cells_at(what, old, new, at);
        }
    }

    /// Compares what is at an offset, as one number of the smallest aligned size around the bytes that are not the same term; how many bytes that were.
    fn cells_at(&mut self, what: &str, old: &Content, new: &Content, at: usize) -> usize {
        if old.cells[at] == new.cells[at] {
            return 1;
        }
        let most = old.cells.len();
        let ends = |size: usize| {
            (!old.cells.len().is_multiple_of(size) || at + size >= most) || {
                old.cells.get(at + size) == new.cells.get(at + size)
            }
        };
        let fits = |size: &usize| at.is_multiple_of(*size) && at + size <= most && (*size == 8 || ends(*size));
        let size = [1, 2, 4, 8].into_iter().find(fits).unwrap_or(1);
        let all = size == 1
            || old.cells[at..at + size]
                .iter()
                .chain(&new.cells[at..at + size])
                .all(|cell| matches!(cell, Cell::Byte(_)));
        if !all {
            self.cells(what, old.cells[at], new.cells[at]);
            return 1;
        }
        match (self.word(&old.cells[at..at + size]), self.word(&new.cells[at..at + size])) {
            (Some(a), Some(b)) => self.terms_differ(what, a, b),
            _ => self.cells(what, old.cells[at], new.cells[at]),
        }
        size
    }

    fn word(&mut self, cells: &[Cell]) -> Option<TermId> {
        let mut whole = None;
        for cell in cells {
            let Cell::Byte(byte) = *cell else { return None };
            whole = Some(whole.map_or(byte, |low| self.pair.old.terms.concat(byte, low)));
        }
        whole
    }

    /// Compares 8 bytes as a pointer, if they are one in both versions.
    fn words(&mut self, what: &str, old: &Content, new: &Content, at: usize) -> bool {
        if old.cells[at..at + 8] == new.cells[at..at + 8] && old.leads.is_empty() && new.leads.is_empty() {
            // The same bytes; still a pointer to something that may have changed.
            let Some(word) = old.concrete_word(&self.pair.old, at as u64) else { return true };
            if !self.pair.old.is_address(self.old, word) || !self.pair.new.is_address(self.new, word) {
                return true;
            }
        }
        let terms = &self.pair.old;
        let words = (old.concrete_word(terms, at as u64), new.concrete_word(terms, at as u64));
        if let (Some(x), Some(y)) = words {
            let are_addresses = self.pair.old.is_address(self.old, x) && self.pair.new.is_address(self.new, y);
            if are_addresses {
                self.pointers(what, x, y);
            }
            return are_addresses;
        }
        let lead = |content: &Content| content.leads.iter().find(|lead| lead.0 == at as u64).map(|lead| lead.1);
        let (home_x, home_y) = (lead(old).or(words.0), lead(new).or(words.1));
        if lead(old).is_none() && lead(new).is_none() {
            return false;
        }
        let (Some(home_x), Some(home_y)) = (home_x, home_y) else { return false };
        let (Some(x), Some(y)) = (self.word(&old.cells[at..at + 8]), self.word(&new.cells[at..at + 8])) else {
            return false;
        };
        self.symbolic_pointers(what, (x, home_x), (y, home_y));
        true
    }

    fn cells(&mut self, what: &str, old: Cell, new: Cell) {
        match (old, new) {
            (Cell::Byte(a), Cell::Byte(b)) if a == b => {}
            (Cell::Byte(a), Cell::Byte(b)) => self.terms_differ(what, a, b),
            (Cell::Unwritten, Cell::Unwritten) => {}
            (Cell::Byte(byte), Cell::Unwritten) if self.is_unknown(byte, self.old) => {}
            (Cell::Unwritten, Cell::Byte(byte)) if self.is_unknown(byte, self.new) => {}
            _ => self.unsure(format!("one version never writes {what}"), None),
        }
    }

    /// Whether a byte is just what a never-written byte reads as.
    fn is_unknown(&self, byte: TermId, state: &State) -> bool {
        let Node::Byte { symbol, .. } = self.pair.old.terms.node(byte) else { return false };
        state.inputs().iter().any(|input| input.symbol == symbol && input.kind == upshot_exec::InputKind::Unknown)
    }

    fn streams(&mut self) {
        let compared = output::compare(&mut self.pair.old.terms, self.old.output(), self.new.output());
        for doubt in compared.exact {
            self.differ(&doubt.what, doubt.condition, doubt.values);
        }
        for doubt in compared.open {
            self.unsure(doubt.what, Some(doubt.condition));
        }
    }

    fn calls(&mut self) {
        let (old, new) = (self.old.external_calls(), self.new.external_calls());
        let names =
            |calls: &[upshot_exec::ExternalCall]| calls.iter().map(|call| call.name.clone()).collect::<Vec<_>>();
        if names(old) != names(new) {
            return self.always("which unknown functions are called");
        }
        for (number, (a, b)) in old.iter().zip(new).enumerate() {
            let what = format!("what {} is called with (call {})", a.name, number + 1);
            if a.arguments.len() != b.arguments.len() {
                self.always(&what);
                continue;
            }
            for (&(x, width), &(y, other)) in a.arguments.iter().zip(&b.arguments) {
                if width == other { self.value(&what, x, y, width) } else { self.always(&what) }
            }
            self.seen(&format!("memory that {} could see differs (call {})", a.name, number + 1), &a.seen, &b.seen);
        }
    }

    /// What an unknown function could read. If that differs, so may what it does; whether it does nobody knows.
    fn seen(&mut self, what: &str, old: &[Content], new: &[Content]) {
        let bases = |contents: &[Content]| contents.iter().map(|content| content.base).collect::<Vec<_>>();
        if bases(old) != bases(new) {
            return self.unsure(what, None);
        }
        for (a, b) in old.iter().zip(new) {
            if a.cells.len() != b.cells.len() || a.symbolic_size != b.symbolic_size {
                self.unsure(what, None);
                continue;
            }
            for (&x, &y) in a.cells.iter().zip(&b.cells) {
                match (x, y) {
                    (Cell::Byte(x), Cell::Byte(y)) => {
                        let condition = self.pair.old.terms.ne(x, y);
                        self.unsure(what, Some(condition));
                    }
                    (Cell::Unwritten, Cell::Unwritten) => {}
                    _ => self.unsure(what, None),
                }
            }
        }
    }
}
