//! Names that mean the same in both versions: of functions, globals and literals, and of what nobody knows.

use std::collections::HashMap;

use upshot_diff::Changes;
use upshot_expr::TermId;
use upshot_ir::{FuncId, GlobalId, Program};

/// By side and id: the name of the thing in both versions.
#[derive(Clone, Debug)]
pub(super) struct Names {
    functions: [Vec<Option<String>>; 2],
    globals: [Vec<Option<String>>; 2],
}

impl Names {
    pub fn new(old: &Program, new: &Program, changes: &Changes) -> Names {
        let empty = |programs: [usize; 2]| programs.map(|count| vec![None; count]);
        let mut functions = empty([old.functions.len(), new.functions.len()]);
        let mut globals = empty([old.globals.len(), new.globals.len()]);
        for (number, pair) in changes.functions.iter().enumerate() {
            if let (Some(a), Some(b)) = (pair.old, pair.new) {
                let name = format!("function {number} {}", old.function(a).name);
                functions[0][a.index()] = Some(name.clone());
                functions[1][b.index()] = Some(name);
            }
        }
        for (number, pair) in changes.globals.iter().enumerate().filter(|(_, pair)| !pair.nameless) {
            if let (Some(a), Some(b)) = (pair.old, pair.new) {
                let name = format!("global {number} {}", old.global(a).name);
                globals[0][a.index()] = Some(name.clone());
                globals[1][b.index()] = Some(name);
            }
        }
        // A literal is what it holds.
        for (side, program) in [old, new].into_iter().enumerate() {
            for (index, global) in program.globals.iter().enumerate() {
                let Some(data) = global.initializer.as_ref().filter(|_| global.is_constant) else { continue };
                if globals[side][index].is_none() && data.relocations.is_empty() {
                    globals[side][index] = Some(format!("literal {} {:?}", global.size, data.bytes));
                }
            }
        }
        Names { functions, globals }
    }

    pub fn function(&self, side: usize, id: FuncId) -> Option<&str> {
        self.functions[side][id.index()].as_deref()
    }

    pub fn global(&self, side: usize, id: GlobalId) -> Option<&str> {
        self.globals[side][id.index()].as_deref()
    }
}

/// Something done that another can tell, or that may end the run: what, and with which values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Event {
    pub what: String,
    pub values: Vec<TermId>,
    /// What pointers among them were derived from. Nothing less than the same term will do here.
    pub homes: Vec<TermId>,
}

impl Event {
    pub fn new(what: impl Into<String>, values: Vec<TermId>, homes: Vec<TermId>) -> Self {
        Event { what: what.into(), values, homes }
    }
}

/// What was done before, and last: equal numbers mean equal histories, and so equal memory.
pub(super) type History = usize;

#[derive(Debug, Default)]
pub(super) struct Histories {
    numbers: HashMap<(History, Event), History>,
    last: Vec<Option<(History, Event)>>,
}

impl Histories {
    pub fn after(&mut self, before: History, event: &Event) -> History {
        if self.last.is_empty() {
            self.last.push(None);
        }
        let last = &mut self.last;
        *self.numbers.entry((before, event.clone())).or_insert_with(|| {
            last.push(Some((before, event.clone())));
            last.len() - 1
        })
    }

    /// What was done last, and the history before it.
    pub fn last(&self, history: History) -> Option<&(History, Event)> {
        self.last.get(history)?.as_ref()
    }
}
