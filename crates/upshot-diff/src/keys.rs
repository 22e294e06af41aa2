//! A number for each instruction and statement, equal where they look alike.
//!
//! The diff algorithm wants elements that are equal or not, without context; so everything that is compared is hashed. What the hash misses or
//! confuses costs a match at worst, since pairs are checked exactly afterwards.

use rustc_hash::FxHasher;
use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use upshot_ir::{Const, FuncId, GlobalId, InstId, Operand, Reg};

use crate::alike::{Comparison, ends_in_failed_assertion, operations, written_within};
use crate::anatomy::Anatomy;
use crate::body::{Body, Origin};
use crate::data::is_nameless;
use crate::pairing::Pairs;

/// What tells one local from another.
#[derive(Clone, Copy)]
pub(crate) enum Identity<'a> {
    Names,
    /// Nothing does.
    Blind,
    /// Being a pair, by the instructions that make them.
    Paired(&'a Pairs),
}

/// A run of instructions at whose end no value is waiting to be used.
pub(crate) struct Statement {
    pub(crate) insts: Range<u32>,
    pub(crate) key: u64,
}

pub(crate) struct Keys {
    /// By instruction. Those that make locals all differ, so that they are never aligned.
    pub(crate) insts: Vec<u64>,
    /// In order, without those that make locals.
    pub(crate) statements: Vec<Statement>,
}

impl Keys {
    pub(crate) fn of_both(comparison: &Comparison<'_>, identity: Identity<'_>) -> (Self, Self) {
        let side = |is_old| Side { comparison, is_old, identity }.keys();
        (side(true), side(false))
    }
}

struct Side<'a> {
    comparison: &'a Comparison<'a>,
    is_old: bool,
    identity: Identity<'a>,
}

/// What stands for something that has no counterpart, so equals nothing on the other side.
#[derive(Hash)]
struct Alone(bool, u32);

impl Side<'_> {
    fn body(&self) -> &Body<'_> {
        if self.is_old { self.comparison.old } else { self.comparison.new }
    }

    fn keys(&self) -> Keys {
        let body = self.body();
        let insts: Vec<u64> = (0..body.len() as u32).map(|inst| self.instruction(InstId(inst))).collect();
        let statements = body.statements().into_iter().map(|range| {
            let mut hasher = FxHasher::default();
            for inst in range.clone() {
                insts[inst as usize].hash(&mut hasher);
                for used in body.used_results(InstId(inst)) {
                    // Where in the statement a value comes from; outside, only that it does.
                    used.0.checked_sub(range.start).hash(&mut hasher);
                }
            }
            Statement { insts: range, key: hasher.finish() }
        });
        Keys { statements: statements.collect(), insts }
    }

    fn instruction(&self, inst: InstId) -> u64 {
        let mut hasher = FxHasher::default();
        let body = self.body();
        if body.is_local(inst) {
            Alone(self.is_old, inst.0).hash(&mut hasher);
            return hasher.finish();
        }
        body.function.insts[inst.index()].opcode.hash(&mut hasher);
        let mut before: Vec<Anatomy> = Vec::new();
        for op in operations(body, inst) {
            let anatomy = Anatomy::of(op);
            let _ = write!(Text(&mut hasher), "{:?}", anatomy.shape);
            anatomy.edges.len().hash(&mut hasher);
            if let Some(callee) = anatomy.callee {
                self.function(callee, &mut hasher);
            }
            if let Some(what) = anatomy.unsupported {
                body.program.unsupported.get(what as usize).hash(&mut hasher);
            }
            for &slot in anatomy.slots.iter().chain(&anatomy.writes) {
                if let Origin::Slot(local) = body.origin(slot) {
                    self.local(local, &mut hasher);
                }
            }
            if !ends_in_failed_assertion(body, &anatomy) {
                for &read in &anatomy.reads {
                    self.operand(read, &before, &mut hasher);
                }
            }
            before.push(anatomy);
        }
        hasher.finish()
    }

    fn operand(&self, operand: Operand, before: &[Anatomy], hasher: &mut FxHasher) {
        let body = self.body();
        match (operand.as_reg(), operand.as_constant()) {
            (Some(register), _) => self.register(register, before, hasher),
            (_, Some(index)) => self.constant(&body.function.constants[index], hasher),
            _ => {}
        }
    }

    fn register(&self, register: Reg, before: &[Anatomy], hasher: &mut FxHasher) {
        if let Some(inside) = written_within(before, register) {
            return inside.hash(hasher);
        }
        match self.body().origin(register) {
            Origin::Parameter(position) if self.is_old => match self.comparison.parameters.to_new(position) {
                Some(counterpart) => counterpart.hash(hasher),
                None => Alone(true, position).hash(hasher),
            },
            Origin::Parameter(position) => position.hash(hasher),
            Origin::Result(inst, _) if self.body().is_local(inst) => self.local(inst, hasher),
            Origin::Result(_, part) => ("value", part).hash(hasher),
            Origin::Slot(_) | Origin::Temporary => {}
        }
    }

    fn local(&self, local: InstId, hasher: &mut FxHasher) {
        match self.identity {
            Identity::Names => self.body().local_name(local).hash(hasher),
            Identity::Blind => {}
            Identity::Paired(pairs) => self.paired(pairs, local.0, hasher),
        }
    }

    fn paired(&self, pairs: &Pairs, at: u32, hasher: &mut FxHasher) {
        let counterpart = if self.is_old { pairs.to_new[at as usize] } else { pairs.to_old[at as usize].map(|_| at) };
        match counterpart {
            Some(counterpart) => counterpart.hash(hasher),
            None => Alone(self.is_old, at).hash(hasher),
        }
    }

    fn function(&self, function: FuncId, hasher: &mut FxHasher) {
        self.paired(self.comparison.common.functions, function.0, hasher);
    }

    fn global(&self, global: GlobalId, hasher: &mut FxHasher) {
        let definition = self.body().program.global(global);
        match &definition.initializer {
            Some(initializer) if is_nameless(definition) => initializer.bytes.hash(hasher),
            _ => self.paired(&self.comparison.common.data.pairs, global.0, hasher),
        }
    }

    fn constant(&self, constant: &Const, hasher: &mut FxHasher) {
        match constant {
            Const::Int { width, value } => (width, value).hash(hasher),
            Const::Global { global, offset } => {
                offset.hash(hasher);
                self.global(*global, hasher);
            }
            Const::Function(function) | Const::Block(function, _) => self.function(*function, hasher),
            Const::Undef { width } => ("undef", width).hash(hasher),
            Const::Expr { op, width, args } => {
                (op, width).hash(hasher);
                args.iter().for_each(|arg| self.constant(arg, hasher));
            }
        }
    }
}

/// Hashes text as it is written.
struct Text<'a>(&'a mut FxHasher);

impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}
