//! Random expressions. No operator has constants only as operands, so clang folds none away.

use crate::Options;
use crate::random::Random;
use crate::scope::Scope;
use crate::tree::{Expr, Operator, Signature};

pub(crate) struct Expressions<'a> {
    pub(crate) options: &'a Options,
    pub(crate) scope: &'a Scope,
}

impl Expressions<'_> {
    /// One of integer type.
    pub(crate) fn value(&self, random: &mut Random, depth: usize) -> Expr {
        match random.below(10) {
            0 | 1 => constant(random),
            _ => self.variable(random, depth),
        }
    }

    /// One that is no constant.
    pub(crate) fn variable(&self, random: &mut Random, depth: usize) -> Expr {
        if depth == 0 || random.chance(35) {
            return self.leaf(random);
        }
        match random.below(20) {
            0..=2 if self.options.features.calls => self.call(random, depth - 1),
            3 => self.condition(random, depth - 1),
            4 => {
                let condition = Box::new(self.condition(random, depth - 1));
                let (left, right) = (self.value(random, depth - 1), self.value(random, depth - 1));
                Expr::Choice(condition, Box::new(left), Box::new(right))
            }
            5 => Expr::Unary(random.pick(&["-", "~", "!"]), Box::new(self.variable(random, depth - 1))),
            6 if self.options.features.divisions => self.division(random, depth - 1),
            _ => {
                let operator = random.pick(&Operator::ARITHMETIC[..8]);
                self.operation(random, operator, depth - 1)
            }
        }
    }

    fn operation(&self, random: &mut Random, operator: Operator, depth: usize) -> Expr {
        let variable = self.variable(random, depth);
        let value = self.value(random, depth);
        // A constant on the left of a shift or division is as good.
        if random.chance(20) {
            Expr::binary(operator, value, variable)
        } else {
            Expr::binary(operator, variable, value)
        }
    }

    fn division(&self, random: &mut Random, depth: usize) -> Expr {
        let divided = self.variable(random, depth);
        let operator = random.pick(&[Operator::Div, Operator::Rem]);
        if !self.options.traps || random.chance(50) {
            return Expr::binary(operator, divided, self.value(random, depth));
        }
        let raw = if operator == Operator::Div { Operator::RawDiv } else { Operator::RawRem };
        Expr::binary(raw, divided, self.variable(random, depth))
    }

    /// One that compares.
    pub(crate) fn condition(&self, random: &mut Random, depth: usize) -> Expr {
        if depth > 0 && random.chance(20) {
            let operator = random.pick(&[Operator::Both, Operator::Either]);
            return Expr::binary(operator, self.condition(random, depth - 1), self.condition(random, depth - 1));
        }
        let operator = random.pick(&Operator::RELATIONS);
        Expr::binary(operator, self.variable(random, depth), self.value(random, depth))
    }

    fn leaf(&self, random: &mut Random) -> Expr {
        if !self.scope.arrays.is_empty() && random.chance(20) {
            let (name, mask, _) = random.pick(&self.scope.arrays);
            return Expr::Element(name, Box::new(self.index(random)), mask);
        }
        Expr::Plain(random.pick(&self.scope.readable))
    }

    pub(crate) fn index(&self, random: &mut Random) -> Expr {
        if random.chance(40) {
            Expr::Constant(random.below(4) as i64)
        } else {
            Expr::Plain(random.pick(&self.scope.readable))
        }
    }

    /// The address of an int.
    pub(crate) fn address(&self, random: &mut Random, depth: usize) -> Expr {
        let select = self.scope.functions(Signature::Select);
        if !select.is_empty() && depth > 0 && random.chance(15) {
            let arguments = vec![self.address(random, 0), self.address(random, 0), self.condition(random, depth - 1)];
            return Expr::Call(random.pick(&select), arguments);
        }
        if !self.scope.arrays.is_empty() && random.chance(25) {
            let writable: Vec<_> = self.scope.arrays.iter().filter(|(_, _, writable)| *writable).collect();
            if !writable.is_empty() {
                let (name, mask, _) = random.pick(&writable).clone();
                return Expr::ElementAddress(name, Box::new(self.index(random)), mask);
            }
        }
        Expr::Plain(random.pick(&self.scope.addresses))
    }

    /// A call of integer type; a leaf where nothing can be called.
    pub(crate) fn call(&self, random: &mut Random, depth: usize) -> Expr {
        let plain = |random: &mut Random| vec![self.value(random, depth), self.value(random, depth)];
        if !self.scope.function_pointers.is_empty() && random.chance(20) {
            return Expr::Call(random.pick(&self.scope.function_pointers), plain(random));
        }
        if !self.scope.function_tables.is_empty() && random.chance(20) {
            let (name, mask) = random.pick(&self.scope.function_tables);
            return Expr::CallElement(name, Box::new(self.index(random)), mask, plain(random));
        }
        if let Some(itself) = self.scope.itself.as_ref().filter(|_| random.chance(60)) {
            return Expr::Call(itself.clone(), vec![Expr::plain("n - 1"), self.value(random, depth)]);
        }
        let known: Vec<_> = self.scope.callees.iter().filter(|(_, of)| *of != Signature::Select).collect();
        if known.is_empty() {
            return self.leaf(random);
        }
        let (name, signature) = random.pick(&known).clone();
        let arguments = match signature {
            Signature::Plain | Signature::Entry | Signature::Select => plain(random),
            Signature::ByPointer => vec![self.address(random, 0), self.value(random, depth)],
            Signature::Recursive => {
                let depth_allowed = Expr::Masked(Box::new(self.variable(random, depth)), 3);
                vec![depth_allowed, self.value(random, depth)]
            }
            Signature::ByValue => vec![Expr::Plain(random.pick(&self.scope.structs))],
            Signature::ByStructPointer => {
                vec![Expr::Plain(random.pick(&self.scope.struct_addresses)), self.value(random, depth)]
            }
        };
        Expr::Call(name, arguments)
    }
}

pub(crate) fn constant(random: &mut Random) -> Expr {
    Expr::Constant(match random.below(8) {
        0 => -(1 + random.below(5) as i64),
        1 => random.below(100) as i64,
        _ => random.below(9) as i64,
    })
}
