//! Random edits of a program: one function per kind, which says whether it found something to do.

use crate::Options;
use crate::expressions::Expressions;
use crate::random::Random;
use crate::render::Style;
use crate::scope::Scope;
use crate::statements::{Around, Statements};
use crate::tree::{Expr, Function, Jump, Operator, Shape, Signature, Statement, Tree, visit_expressions, visit_lists};
use crate::types::IntType;

/// A kind of edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edit {
    /// Nothing at all.
    Nothing,
    Comment,
    Reformat,
    /// Locals, parameters and labels.
    RenameLocals,
    RenameFunctions,
    /// A declaration that nothing uses.
    Declare,
    ChangeConstant,
    ChangeRelation,
    ChangeArithmetic,
    Delete,
    Duplicate,
    Swap,
    Insert,
    MoveIntoBranch,
    /// A statement comes under a condition.
    Guard,
    ExchangeSides,
    /// A `break`, `continue`, `goto` or `return` becomes another one, or a case falls through where it did not.
    ChangeJump,
    ChangeCallee,
    /// What is passed to a function.
    ChangeArgument,
    /// Of a global, or of a local that is static.
    ChangeInitialiser,
    /// Of a local.
    ChangeType,
    /// Where a pointer points to.
    ChangeAddress,
    ChangeResult,
    /// In code that never runs, nor is it emitted.
    ChangeOmitted,
    /// In code that is emitted but can not be reached.
    ChangeUnreachable,
}

impl Edit {
    pub const ALL: [Edit; 25] = {
        use Edit::*;
        [
            Nothing,
            Comment,
            Reformat,
            RenameLocals,
            RenameFunctions,
            Declare,
            ChangeConstant,
            ChangeRelation,
            ChangeArithmetic,
            Delete,
            Duplicate,
            Swap,
            Insert,
            MoveIntoBranch,
            Guard,
            ExchangeSides,
            ChangeJump,
            ChangeCallee,
            ChangeArgument,
            ChangeInitialiser,
            ChangeType,
            ChangeAddress,
            ChangeResult,
            ChangeOmitted,
            ChangeUnreachable,
        ]
    };

    /// Those that change no instruction.
    pub const TEXT_ONLY: [Edit; 7] = {
        use Edit::*;
        [Nothing, Comment, Reformat, RenameLocals, RenameFunctions, Declare, ChangeOmitted]
    };
}

/// What the edits of a pair do to the code, taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Text only.
    None,
    /// Only code that can not be reached differs.
    Unreachable,
    /// It depends: two equal statements may have changed places, or one edit undone another.
    Possible,
    /// Instructions that can be reached differ.
    Certain,
}

/// Edits a program, and says what was done.
pub(crate) fn apply(random: &mut Random, options: &Options, tree: &mut Tree, style: &mut Style) -> (Vec<Edit>, Effect) {
    let before = tree.clone();
    let wanted = 1 + random.below(options.edits.max(1));
    let (mut done, mut effect) = (Vec::new(), Effect::None);
    let mut tries = 0;
    while done.len() < wanted && !options.kinds.is_empty() && tries < 60 {
        tries += 1;
        let kind = random.pick(&options.kinds);
        let mut editor = Editor { random: &mut *random, options, tree: &mut *tree, style: &mut *style };
        let Some(result) = editor.edit(kind) else { continue };
        done.push(kind);
        effect = match (effect, result) {
            (Effect::None, other) | (other, Effect::None) => other,
            (Effect::Unreachable, Effect::Unreachable) => Effect::Unreachable,
            _ => Effect::Possible,
        };
    }
    if effect != Effect::None && before == *tree {
        effect = Effect::None;
    }
    // A function and its static local that have both got another name may well be taken for new ones.
    let statics = tree.functions.iter().any(|function| function.locals.iter().any(|local| local.is_static));
    if effect < Effect::Possible && statics && style.renamed && style.functions_renamed {
        effect = Effect::Possible;
    }
    (done, effect)
}

struct Editor<'a> {
    random: &'a mut Random,
    options: &'a Options,
    tree: &'a mut Tree,
    style: &'a mut Style,
}

/// What an edit of a list of statements needs to know.
struct Place<'a> {
    random: &'a mut Random,
    options: &'a Options,
    scope: &'a mut Scope,
    signature: Signature,
    list: &'a mut Vec<Statement>,
    /// Where in the list.
    at: usize,
}

type ListEdit = fn(&mut Place<'_>) -> Option<Effect>;

impl Editor<'_> {
    /// `None`: there is nothing to edit so.
    fn edit(&mut self, kind: Edit) -> Option<Effect> {
        match kind {
            Edit::Nothing => Some(Effect::None),
            Edit::Comment => self.restyle(|style| &mut style.comments),
            Edit::Reformat => self.restyle(|style| &mut style.dense),
            Edit::RenameLocals => self.restyle(|style| &mut style.renamed),
            Edit::RenameFunctions => self.restyle(|style| &mut style.functions_renamed),
            Edit::Declare => self.declare(),
            Edit::ChangeConstant => self.change_constant(),
            Edit::ChangeRelation => self.change_relation(),
            Edit::ChangeArithmetic => self.change_arithmetic(),
            Edit::Delete => self.in_list(2, delete),
            Edit::Duplicate => self.in_list(1, duplicate),
            Edit::Swap => self.in_list(2, swap),
            Edit::Insert => self.in_list(1, insert),
            Edit::MoveIntoBranch => self.in_list(2, move_into_branch),
            Edit::Guard => self.in_list(1, guard),
            Edit::ExchangeSides => self.in_list(1, exchange_sides),
            Edit::ChangeJump => self.in_list(1, change_jump),
            Edit::ChangeCallee => self.change_callee(),
            Edit::ChangeArgument => self.change_argument(),
            Edit::ChangeInitialiser => self.change_initialiser(),
            Edit::ChangeType => self.change_type(),
            Edit::ChangeAddress => self.change_address(),
            Edit::ChangeResult => self.change_result(),
            Edit::ChangeOmitted => self.change_dead(false, Effect::None),
            Edit::ChangeUnreachable => self.change_dead(true, Effect::Unreachable),
        }
    }

    fn restyle(&mut self, part: impl Fn(&mut Style) -> &mut bool) -> Option<Effect> {
        let part = part(self.style);
        (!std::mem::replace(part, true)).then_some(Effect::None)
    }

    fn declare(&mut self) -> Option<Effect> {
        let (tag, number) = (&self.tree.tag, self.tree.extra.len());
        let text = match self.random.below(4) {
            0 => format!("int unused{number}{tag}(int);"),
            1 => format!("typedef short unused{number}{tag};"),
            2 => format!("enum unused{number}{tag} {{ first{number}{tag}, last{number}{tag} = 7 }};"),
            _ => format!("struct unused{number}{tag} {{ int x; long y; }};"),
        };
        self.tree.extra.push(text);
        Some(Effect::None)
    }

    /// A function to edit: mostly the entry.
    fn function(&mut self) -> (&mut Random, &mut Function) {
        let count = self.tree.functions.len();
        let at = if self.random.chance(50) { count - 1 } else { self.random.below(count) };
        (self.random, &mut self.tree.functions[at])
    }

    /// Changes an expression of a function that `change` can do something with.
    fn in_expression(
        &mut self,
        effect: Effect,
        change: impl Fn(&mut Random, &Scope, &mut Expr) -> bool,
    ) -> Option<Effect> {
        let (random, function) = self.function();
        let Function { body, result, scope, .. } = function;
        let mut count = 0;
        let mut visit = |found: &mut dyn FnMut(&mut Expr)| {
            visit_expressions(body, found);
            result.visit(found);
        };
        visit(&mut |_| count += 1);
        let (first, mut number, mut done) = (random.below(count), 0, false);
        // From the one chosen on, the first that can be changed.
        visit(&mut |expr| {
            if number >= first && !done {
                done = change(random, scope, expr);
            }
            number += 1;
        });
        done.then_some(effect)
    }

    fn change_constant(&mut self) -> Option<Effect> {
        self.in_expression(Effect::Certain, |random, _, expr| match expr {
            Expr::Constant(value) => {
                // By an odd number, so that no mask hides it.
                *value += random.pick(&[1, -1, 1, -1, 3, 7]);
                true
            }
            _ => false,
        })
    }

    fn change_relation(&mut self) -> Option<Effect> {
        if self.random.chance(15) {
            return self.in_list(1, |place| match &mut place.list[place.at] {
                Statement::Loop { inclusive, .. } => {
                    *inclusive = !*inclusive;
                    Some(Effect::Certain)
                }
                _ => None,
            });
        }
        self.in_expression(Effect::Certain, |random, _, expr| match expr {
            Expr::Binary(operator @ (Operator::Both | Operator::Either), ..) => {
                *operator = if *operator == Operator::Both { Operator::Either } else { Operator::Both };
                true
            }
            Expr::Binary(operator, ..) if Operator::RELATIONS.contains(operator) => {
                *operator = other_than(random, &Operator::RELATIONS, operator);
                true
            }
            _ => false,
        })
    }

    fn change_arithmetic(&mut self) -> Option<Effect> {
        self.in_expression(Effect::Certain, |random, _, expr| match expr {
            Expr::Binary(operator, ..) if Operator::ARITHMETIC.contains(operator) => {
                *operator = other_than(random, &Operator::ARITHMETIC, operator);
                true
            }
            Expr::Binary(operator @ (Operator::RawDiv | Operator::RawRem), ..) => {
                *operator = other_than(random, &[Operator::RawDiv, Operator::RawRem, Operator::Div], operator);
                true
            }
            _ => false,
        })
    }

    fn change_callee(&mut self) -> Option<Effect> {
        self.in_expression(Effect::Certain, |random, scope, expr| {
            let (Expr::Call(name, _) | Expr::Plain(name)) = expr else { return false };
            let plain = scope.functions(Signature::Plain);
            if plain.len() < 2 || !plain.contains(name) {
                return false;
            }
            *name = other_than(random, &plain, name);
            true
        })
    }

    fn change_argument(&mut self) -> Option<Effect> {
        let options = self.options;
        self.in_expression(Effect::Possible, |random, scope, expr| {
            let (Expr::Call(name, arguments) | Expr::CallElement(name, _, _, arguments)) = expr else { return false };
            let by_value = scope.functions(Signature::ByValue);
            match arguments.last_mut() {
                Some(last) if !by_value.contains(name) => {
                    *last = Expressions { options, scope }.value(random, 1);
                    true
                }
                _ => false,
            }
        })
    }

    fn change_address(&mut self) -> Option<Effect> {
        self.in_expression(Effect::Possible, |random, scope, expr| {
            let Expr::Plain(text) = expr else { return false };
            let (lasting, known) = (&scope.lasting_addresses, &scope.addresses);
            if !text.starts_with('&') || !(lasting.contains(text) || known.contains(text)) {
                return false;
            }
            *text = random.pick(if lasting.contains(text) { lasting } else { known });
            true
        })
    }

    fn change_initialiser(&mut self) -> Option<Effect> {
        let locals = self.random.chance(30);
        let declarations = match locals {
            true => &mut self.tree.functions.last_mut()?.locals,
            false => &mut self.tree.globals,
        };
        if declarations.is_empty() {
            return None;
        }
        let at = self.random.below(declarations.len());
        match &mut declarations[at].shape {
            Shape::Int(_, value) => *value += 1 + self.random.below(3) as i64,
            Shape::Array(values) => {
                let at = self.random.below(values.len());
                values[at] += 1 + self.random.below(3) as i64;
            }
            Shape::Struct(values) => values[self.random.below(4)] += 1,
            Shape::Functions(names) if names[0] != names[1] => names.swap(0, 1),
            Shape::Functions(_) => return None,
            Shape::Pointer(_) | Shape::StructPointer(_) | Shape::PointerPointer(_) | Shape::Function(_) => return None,
        }
        Some(Effect::Possible)
    }

    fn change_type(&mut self) -> Option<Effect> {
        let (random, function) = self.function();
        let mut narrow = function.locals.iter_mut().filter(|local| matches!(local.name.as_str(), "c" | "d"));
        let Shape::Int(int_type, _) = &mut narrow.next()?.shape else { return None };
        // An int may have its address taken.
        if *int_type == IntType::Int {
            return None;
        }
        let types = [IntType::Unsigned, IntType::Short, IntType::SignedChar, IntType::UnsignedChar, IntType::Long];
        *int_type = other_than(random, &types, int_type);
        Some(Effect::Possible)
    }

    fn change_result(&mut self) -> Option<Effect> {
        let options = self.options;
        let (random, function) = self.function();
        if function.signature == Signature::Select {
            let Expr::Choice(_, left, right) = &mut function.result else { return None };
            std::mem::swap(left, right);
            return Some(Effect::Possible);
        }
        let added = Expressions { options, scope: &function.scope }.value(random, 1);
        let operator = random.pick(&[Operator::Add, Operator::Sub, Operator::Xor]);
        let result = std::mem::replace(&mut function.result, Expr::Constant(0));
        function.result = Expr::binary(operator, result, added);
        Some(Effect::Certain)
    }

    /// Adds to code that never runs, with or without a label in it.
    fn change_dead(&mut self, labelled: bool, effect: Effect) -> Option<Effect> {
        let options = self.options;
        let (random, function) = self.function();
        let mut changed = false;
        let Function { body, scope, .. } = function;
        visit_lists(body, &mut |list| {
            for statement in list {
                if let Statement::Dead(inner, with) = statement
                    && *with == labelled
                    && !changed
                {
                    inner.push(Statements { options, scope }.assignment(random, 0));
                    changed = true;
                }
            }
        });
        changed.then_some(effect)
    }

    /// Edits a list of at least so many statements, at one of them.
    fn in_list(&mut self, least: usize, edit: ListEdit) -> Option<Effect> {
        let options = self.options;
        let (random, function) = self.function();
        let Function { body, scope, signature, .. } = function;
        let mut count = 0;
        visit_lists(body, &mut |list| count += usize::from(list.len() >= least));
        if count == 0 {
            return None;
        }
        let (chosen, mut number, mut effect) = (random.below(count), 0, None);
        visit_lists(body, &mut |list| {
            if list.len() < least || effect.is_some() {
                return;
            }
            if number == chosen {
                let at = random.below(list.len());
                effect = edit(&mut Place { random, options, scope, signature: *signature, list, at });
            }
            number += 1;
        });
        effect
    }
}

fn delete(place: &mut Place<'_>) -> Option<Effect> {
    place.list.remove(place.at);
    Some(Effect::Possible)
}

fn duplicate(place: &mut Place<'_>) -> Option<Effect> {
    let copy = place.list[place.at].clone();
    place.list.insert(place.at, copy);
    Some(Effect::Possible)
}

fn swap(place: &mut Place<'_>) -> Option<Effect> {
    let other = place.random.below(place.list.len());
    place.list.swap(place.at, other);
    (place.at != other).then_some(Effect::Possible)
}

fn insert(place: &mut Place<'_>) -> Option<Effect> {
    let around = Around { returns_pointer: place.signature == Signature::Select, ..Around::default() };
    let added = Statements { options: place.options, scope: place.scope }.simple(place.random, around);
    place.list.insert(place.at, added);
    Some(Effect::Certain)
}

fn move_into_branch(place: &mut Place<'_>) -> Option<Effect> {
    let is_branch = |statement: &Statement| matches!(statement, Statement::If(..));
    if !place.list.iter().enumerate().any(|(number, statement)| number != place.at && is_branch(statement)) {
        return None;
    }
    let moved = place.list.remove(place.at);
    if let Some(Statement::If(_, then, _)) = place.list.iter_mut().find(|statement| is_branch(statement)) {
        let to = place.random.below(then.len() + 1);
        then.insert(to, moved);
    }
    Some(Effect::Possible)
}

fn guard(place: &mut Place<'_>) -> Option<Effect> {
    let condition = Expressions { options: place.options, scope: place.scope }.condition(place.random, 1);
    let guarded = place.list.remove(place.at);
    place.list.insert(place.at, Statement::If(condition, vec![guarded], Vec::new()));
    Some(Effect::Certain)
}

fn exchange_sides(place: &mut Place<'_>) -> Option<Effect> {
    let Statement::If(_, then, otherwise) = &mut place.list[place.at] else { return None };
    std::mem::swap(then, otherwise);
    Some(Effect::Possible)
}

fn change_jump(place: &mut Place<'_>) -> Option<Effect> {
    let random = &mut *place.random;
    match &mut place.list[place.at] {
        Statement::Jump(_, jump) => {
            *jump = match jump {
                // Where one can continue, one can break.
                Jump::Continue if random.chance(60) => Jump::Break,
                Jump::Out if place.signature != Signature::Select => {
                    Jump::Return(Expressions { options: place.options, scope: place.scope }.value(random, 1))
                }
                Jump::Out => return None,
                _ => Jump::Out,
            };
            Some(Effect::Possible)
        }
        Statement::Switch(_, cases, _) => {
            let case = random.pick_mut(cases);
            case.falls_through = !case.falls_through;
            Some(Effect::Possible)
        }
        _ => None,
    }
}

fn other_than<T: Clone + PartialEq>(random: &mut Random, items: &[T], not: &T) -> T {
    let others: Vec<T> = items.iter().filter(|item| *item != not).cloned().collect();
    if others.is_empty() { not.clone() } else { random.pick(&others) }
}
