//! Random statements.

use crate::Options;
use crate::expressions::Expressions;
use crate::random::Random;
use crate::scope::Scope;
use crate::tree::{Case, Expr, Jump, LoopKind, Statement};

/// What the statements around allow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Around {
    pub(crate) in_loop: bool,
    pub(crate) in_switch: bool,
    /// Whether a return has a pointer to give.
    pub(crate) returns_pointer: bool,
}

pub(crate) struct Statements<'a> {
    pub(crate) options: &'a Options,
    pub(crate) scope: &'a mut Scope,
}

impl Statements<'_> {
    fn expressions(&self) -> Expressions<'_> {
        Expressions { options: self.options, scope: self.scope }
    }

    pub(crate) fn list(&mut self, random: &mut Random, depth: usize, around: Around) -> Vec<Statement> {
        let count = 1 + random.below(self.options.size.max(1));
        (0..count).map(|_| self.statement(random, depth, around)).collect()
    }

    fn statement(&mut self, random: &mut Random, depth: usize, around: Around) -> Statement {
        if depth == 0 || random.chance(45) {
            return self.simple(random, around);
        }
        let features = self.options.features;
        match random.below(8) {
            0..=2 => {
                let condition = self.expressions().condition(random, 2);
                let then = self.list(random, depth - 1, around);
                let otherwise = if random.chance(50) { self.list(random, depth - 1, around) } else { Vec::new() };
                Statement::If(condition, then, otherwise)
            }
            3 if features.switches => self.switch(random, depth - 1, around),
            4..=5 if features.loops && !self.scope.counters.is_empty() => self.loops(random, depth - 1, around),
            6 if features.dead_code && random.chance(30) => {
                let body = (0..1 + random.below(2)).map(|_| self.assignment(random, 0)).collect();
                Statement::Dead(body, random.chance(50))
            }
            _ => self.simple(random, around),
        }
    }

    fn switch(&mut self, random: &mut Random, depth: usize, around: Around) -> Statement {
        let value = Expr::Masked(Box::new(self.expressions().variable(random, 1)), 7);
        let around = Around { in_switch: true, ..around };
        let mut cases = Vec::new();
        let mut next = random.below(2) as i64;
        for _ in 0..1 + random.below(3) {
            let body = self.list(random, depth, around);
            cases.push(Case { value: next, body, falls_through: random.chance(30) });
            next += 1 + random.below(2) as i64;
        }
        let default = random.chance(60).then(|| self.list(random, depth, around));
        Statement::Switch(value, cases, default)
    }

    fn loops(&mut self, random: &mut Random, depth: usize, around: Around) -> Statement {
        let Some(counter) = self.scope.counters.pop() else { return self.simple(random, around) };
        let mut kinds = vec![LoopKind::For, LoopKind::For, LoopKind::While, LoopKind::DoWhile];
        if self.options.features.jumps {
            kinds.push(LoopKind::Goto);
        }
        let kind = random.pick(&kinds);
        let bound = match random.chance(60) {
            true => Expr::Constant(1 + random.below(4) as i64),
            false => Expr::Masked(Box::new(self.expressions().variable(random, 1)), 3),
        };
        let also = random.chance(25).then(|| self.expressions().condition(random, 1));
        // A jump back is no loop to `break` and `continue`.
        let inside = Around { in_loop: true, in_switch: false, ..around };
        let body = self.list(random, depth, if kind == LoopKind::Goto { around } else { inside });
        Statement::Loop { kind, counter, bound, inclusive: false, also, body }
    }

    /// A statement without others inside.
    pub(crate) fn simple(&mut self, random: &mut Random, around: Around) -> Statement {
        let features = self.options.features;
        match random.below(12) {
            0 if features.jumps => self.jump(random, around),
            1 if features.calls => {
                let call = self.expressions().call(random, 1);
                if matches!(call, Expr::Call(..) | Expr::CallElement(..)) {
                    return Statement::Evaluate(call);
                }
                self.assignment(random, 2)
            }
            2..=3 if features.pointers => self.pointing(random),
            4 if features.structs && self.scope.structs.len() > 1 => {
                let (to, from) = (random.pick(&self.scope.structs), random.pick(&self.scope.structs));
                Statement::Assign(Expr::Plain(to), "=", Expr::Plain(from))
            }
            5 if !self.scope.function_pointers.is_empty() => {
                let plain = self.scope.functions(crate::tree::Signature::Plain);
                let pointer = random.pick(&self.scope.function_pointers);
                let value = match random.chance(40) {
                    true => Expr::Choice(
                        Box::new(self.expressions().condition(random, 1)),
                        Box::new(Expr::Plain(random.pick(&plain))),
                        Box::new(Expr::Plain(random.pick(&plain))),
                    ),
                    false => Expr::Plain(random.pick(&plain)),
                };
                Statement::Assign(Expr::Plain(pointer), "=", value)
            }
            _ => self.assignment(random, 2),
        }
    }

    /// An assignment of an integer.
    pub(crate) fn assignment(&mut self, random: &mut Random, depth: usize) -> Statement {
        let writable: Vec<_> = self.scope.arrays.iter().filter(|(_, _, writable)| *writable).cloned().collect();
        let target = if !writable.is_empty() && random.chance(25) {
            let (name, mask, _) = random.pick(&writable);
            Expr::Element(name, Box::new(self.expressions().index(random)), mask)
        } else {
            Expr::Plain(random.pick(&self.scope.writable))
        };
        let operator = random.pick(&["=", "=", "=", "+=", "-=", "^="]);
        Statement::Assign(target, operator, self.expressions().value(random, depth))
    }

    /// Makes a pointer point elsewhere.
    fn pointing(&mut self, random: &mut Random) -> Statement {
        let structs = &self.scope.struct_pointers;
        if !structs.is_empty() && random.chance(25) {
            let target = Expr::Plain(random.pick(structs));
            return Statement::Assign(target, "=", Expr::Plain(random.pick(&self.scope.struct_addresses)));
        }
        if self.scope.pointers.is_empty() {
            return self.assignment(random, 2);
        }
        let (pointer, is_global) = random.pick(&self.scope.pointers);
        let address = |random: &mut Random| match is_global {
            true => Expr::Plain(random.pick(&self.scope.lasting_addresses)),
            false => self.expressions().address(random, 1),
        };
        let value = match random.chance(30) {
            true => {
                let condition = self.expressions().condition(random, 1);
                Expr::Choice(Box::new(condition), Box::new(address(random)), Box::new(address(random)))
            }
            false => address(random),
        };
        Statement::Assign(Expr::Plain(pointer), "=", value)
    }

    fn jump(&mut self, random: &mut Random, around: Around) -> Statement {
        let condition = self.expressions().condition(random, 2);
        let mut jumps = vec![Jump::Out];
        if !around.returns_pointer {
            jumps.push(Jump::Return(self.expressions().value(random, 1)));
        }
        if around.in_loop || around.in_switch {
            jumps.extend([Jump::Break, Jump::Break]);
        }
        if around.in_loop {
            jumps.extend([Jump::Continue, Jump::Continue]);
        }
        if self.options.traps {
            jumps.push(Jump::Trap);
        }
        Statement::Jump(condition, random.pick(&jumps))
    }
}
