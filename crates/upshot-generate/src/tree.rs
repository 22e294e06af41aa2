//! A small C program as a tree, so that edits know what they change.
//!
//! Whatever keeps a program defined and ending is not part of what edits reach: masks of indices, guards of divisors, loop counters, the
//! depth of a recursion. Names are plain words, which is what lets a renamed version be a matter of text.

use crate::scope::Scope;
use crate::types::IntType;

/// An operator of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    /// By the right operand's last three bits.
    Shl,
    Shr,
    /// By one of 1 to 8, made from the right operand.
    Div,
    Rem,
    /// By the right operand as it is.
    RawDiv,
    RawRem,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    Both,
    Either,
}

impl Operator {
    pub(crate) const ARITHMETIC: [Operator; 10] = {
        use Operator::*;
        [Add, Sub, Mul, And, Or, Xor, Shl, Shr, Div, Rem]
    };
    pub(crate) const RELATIONS: [Operator; 6] = {
        use Operator::*;
        [Lt, Le, Gt, Ge, Eq, Ne]
    };
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Constant(i64),
    /// Something of integer type that can be written as it is: `a`, `s.x`, `*p`, `t->y`.
    Plain(String),
    /// `name[index & mask]`.
    Element(String, Box<Expr>, u32),
    /// `value & mask`, where the mask keeps the program in bounds.
    Masked(Box<Expr>, u32),
    Unary(&'static str, Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Of a function by its name, or of a pointer.
    Call(String, Vec<Expr>),
    /// Through an element of a table of functions.
    CallElement(String, Box<Expr>, u32, Vec<Expr>),
    /// `&name[index & mask]`.
    ElementAddress(String, Box<Expr>, u32),
}

impl Expr {
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Expr::Plain(text.into())
    }

    pub(crate) fn binary(operator: Operator, left: Expr, right: Expr) -> Self {
        Expr::Binary(operator, Box::new(left), Box::new(right))
    }

    /// Calls back with this expression and all inside it.
    pub(crate) fn visit(&mut self, found: &mut dyn FnMut(&mut Expr)) {
        found(self);
        match self {
            Expr::Constant(_) | Expr::Plain(_) => {}
            Expr::Element(_, inner, _)
            | Expr::Masked(inner, _)
            | Expr::Unary(_, inner)
            | Expr::ElementAddress(_, inner, _) => inner.visit(found),
            Expr::Binary(_, left, right) => {
                left.visit(found);
                right.visit(found);
            }
            Expr::Choice(condition, left, right) => {
                condition.visit(found);
                left.visit(found);
                right.visit(found);
            }
            Expr::Call(_, arguments) => arguments.iter_mut().for_each(|argument| argument.visit(found)),
            Expr::CallElement(_, index, _, arguments) => {
                index.visit(found);
                arguments.iter_mut().for_each(|argument| argument.visit(found));
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoopKind {
    For,
    While,
    DoWhile,
    /// With a label and a jump back.
    Goto,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Jump {
    Break,
    Continue,
    /// To the end of the function.
    Out,
    Return(Expr),
    Trap,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) value: i64,
    pub(crate) body: Vec<Statement>,
    pub(crate) falls_through: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Statement {
    /// Target, operator (`=`, `+=`, …), value. Pointers and structs are assigned so, too.
    Assign(Expr, &'static str, Expr),
    Evaluate(Expr),
    If(Expr, Vec<Statement>, Vec<Statement>),
    Switch(Expr, Vec<Case>, Option<Vec<Statement>>),
    Loop {
        kind: LoopKind,
        counter: String,
        bound: Expr,
        /// One more time.
        inclusive: bool,
        also: Option<Expr>,
        body: Vec<Statement>,
    },
    /// Under a condition, so that what follows can be reached.
    Jump(Expr, Jump),
    /// Never runs. With a label in it clang emits it all the same.
    Dead(Vec<Statement>, bool),
}

/// What is declared in a function, or outside all.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Int(IntType, i64),
    Array(Vec<i64>),
    /// `struct S { int x, y, z[2]; }`.
    Struct([i64; 4]),
    /// To an int, by the text of its address.
    Pointer(String),
    StructPointer(String),
    /// To one of those.
    PointerPointer(String),
    /// To a function of two ints, by name.
    Function(String),
    Functions(Vec<String>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Declaration {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) is_static: bool,
    pub(crate) is_constant: bool,
}

/// What a function takes besides being one of these it returns an int.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signature {
    Entry,
    /// Two ints.
    Plain,
    /// A pointer to an int, and an int.
    ByPointer,
    /// How deep it may go, and an int.
    Recursive,
    /// Two pointers and an int; returns a pointer.
    Select,
    /// A struct by value.
    ByValue,
    /// A pointer to a struct, and an int.
    ByStructPointer,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) signature: Signature,
    pub(crate) is_static: bool,
    /// As text: the declarations of the parameters.
    pub(crate) parameters: Vec<String>,
    pub(crate) locals: Vec<Declaration>,
    pub(crate) body: Vec<Statement>,
    pub(crate) result: Expr,
    /// What its statements can name.
    pub(crate) scope: Scope,
}

/// A C file. Functions come before those that call them; the last one is the entry.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tree {
    /// After every name that is seen outside of functions.
    pub(crate) tag: String,
    pub(crate) globals: Vec<Declaration>,
    pub(crate) functions: Vec<Function>,
    /// Declarations that nothing uses.
    pub(crate) extra: Vec<String>,
}

/// Calls back with every list of statements, outer ones first.
pub(crate) fn visit_lists(list: &mut Vec<Statement>, found: &mut dyn FnMut(&mut Vec<Statement>)) {
    found(list);
    for statement in list {
        match statement {
            Statement::If(_, then, otherwise) => {
                visit_lists(then, found);
                visit_lists(otherwise, found);
            }
            Statement::Switch(_, cases, default) => {
                cases.iter_mut().for_each(|case| visit_lists(&mut case.body, found));
                default.iter_mut().for_each(|body| visit_lists(body, found));
            }
            Statement::Loop { body, .. } => visit_lists(body, found),
            Statement::Assign(..) | Statement::Evaluate(_) | Statement::Jump(..) | Statement::Dead(..) => {}
        }
    }
}

/// Calls back with every expression of the statements that may run.
pub(crate) fn visit_expressions(list: &mut Vec<Statement>, found: &mut dyn FnMut(&mut Expr)) {
    visit_lists(list, &mut |list| list.iter_mut().for_each(|statement| own_expressions(statement, found)));
}

fn own_expressions(statement: &mut Statement, found: &mut dyn FnMut(&mut Expr)) {
    match statement {
        Statement::Assign(target, _, value) => {
            target.visit(found);
            value.visit(found);
        }
        Statement::Evaluate(value) | Statement::If(value, ..) | Statement::Switch(value, ..) => value.visit(found),
        Statement::Loop { bound, also, .. } => {
            bound.visit(found);
            also.iter_mut().for_each(|condition| condition.visit(found));
        }
        Statement::Jump(condition, jump) => {
            condition.visit(found);
            if let Jump::Return(value) = jump {
                value.visit(found);
            }
        }
        Statement::Dead(..) => {}
    }
}
