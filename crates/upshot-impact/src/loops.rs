//! Which loops certainly end: those that count.
//!
//! What follows a loop that may run for ever depends on it like on a branch, so it pays to know the loops that do not. One is recognised by a test that
//! leaves it, of a local counter against a constant or a local that the loop does not write, where every round
//! moves the counter by one constant step towards the bound and cannot jump over it.

use upshot_ir::{Adjacency, BinOp, Const, Function, IntPredicate, Op, Operand, Reg};

/// The edges that close a cycle, as a depth-first search from the entry meets them. Every cycle has one.
pub(crate) fn retreating(jumps: &Adjacency) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    // 0: not seen, 1: on the stack, 2: done
    let mut state = vec![0u8; jumps.len()];
    let mut stack = vec![(0u32, 0usize)];
    if let Some(first) = state.first_mut() {
        *first = 1;
    } else {
        return found;
    }
    while let Some((node, next)) = stack.last_mut() {
        match jumps[*node as usize].get(*next) {
            Some(&to) => {
                *next += 1;
                match state[to as usize] {
                    0 => {
                        state[to as usize] = 1;
                        stack.push((to, 0));
                    }
                    1 => found.push((*node, to)),
                    _ => {}
                }
            }
            None => {
                state[*node as usize] = 2;
                stack.pop();
            }
        }
    }
    found
}

/// Whether the loop that the edge `from` → `to` closes certainly ends.
pub(crate) fn ends(function: &Function, jumps: &Adjacency, from: u32, to: u32) -> bool {
    let members = natural_loop(jumps, from, to);
    // Only a test that each round passes bounds the rounds: in the first block of the loop, or in the last.
    [to, from].into_iter().any(|block| counts(function, &members, jumps, block, from, to))
}

/// The blocks that reach `from` without passing `to`, the head.
fn natural_loop(jumps: &Adjacency, from: u32, to: u32) -> Vec<bool> {
    let predecessors = upshot_ir::reversed(jumps);
    let mut member = vec![false; jumps.len()];
    member[to as usize] = true;
    let mut stack = vec![from];
    while let Some(node) = stack.pop() {
        if !std::mem::replace(&mut member[node as usize], true) {
            stack.extend(&predecessors[node as usize]);
        }
    }
    member
}

fn counts(function: &Function, members: &[bool], jumps: &Adjacency, block: u32, latch: u32, head: u32) -> bool {
    let body = &function.blocks[block as usize];
    let Some(Op::Branch { cond, edges }) = function.ops.get(body.end as usize - 1) else { return false };
    let stays = (members[edges.0.target.index()], members[edges.1.target.index()]);
    let when = match stays {
        (true, false) => true,
        (false, true) => false,
        _ => return false,
    };
    let ops = &function.ops[body.start as usize..body.end as usize];
    let Some(test) = cond.as_reg().and_then(|reg| comparison(ops, reg)) else { return false };
    let pred = if when { test.pred } else { negated(test.pred) };
    [(pred, test.a, test.b), (swapped(pred), test.b, test.a)].into_iter().any(|(pred, counter, bound)| {
        let Some(slot) = loaded_slot(ops, counter) else { return false };
        let Some(bound) = limit(function, members, ops, bound) else { return false };
        let Some(step) = step(function, members, jumps, slot, test.width, latch, head) else { return false };
        cannot_miss(pred, step, bound, test.width)
    })
}

struct Test {
    pred: IntPredicate,
    width: u8,
    a: Operand,
    b: Operand,
}

fn writer(ops: &[Op], reg: Reg) -> Option<&Op> {
    ops.iter().rev().find(|op| upshot_ir::accesses(op).0.contains(&reg))
}

fn comparison(ops: &[Op], reg: Reg) -> Option<Test> {
    match writer(ops, reg)? {
        Op::Cmp { pred, width, a, b, .. } => Some(Test { pred: *pred, width: *width, a: *a, b: *b }),
        _ => None,
    }
}

fn loaded_slot(ops: &[Op], operand: Operand) -> Option<Reg> {
    match writer(ops, operand.as_reg()?)? {
        Op::SlotLoad { slot, .. } => Some(*slot),
        _ => None,
    }
}

#[derive(Clone, Copy)]
enum Limit {
    Constant(u128),
    /// The same in every round.
    Fixed,
}

fn limit(function: &Function, members: &[bool], ops: &[Op], operand: Operand) -> Option<Limit> {
    if let Some(index) = operand.as_constant() {
        return match function.constants.get(index)? {
            Const::Int { value, .. } => Some(Limit::Constant(*value)),
            _ => None,
        };
    }
    let slot = loaded_slot(ops, operand)?;
    let written = writes(function, members, slot).next().is_some();
    (!written).then_some(Limit::Fixed)
}

/// The operations in the loop that write a slot, with their block.
fn writes<'f>(function: &'f Function, members: &'f [bool], slot: Reg) -> impl Iterator<Item = (u32, usize)> + 'f {
    let inside = (0..).zip(&function.blocks).filter(|(number, _)| members[*number as usize]);
    inside.flat_map(move |(number, block)| {
        let ops = block.start as usize..block.end as usize;
        ops.filter(move |&op| upshot_ir::accesses(&function.ops[op]).0.contains(&slot)).map(move |op| (number, op))
    })
}

/// By how much each round moves the counter: one write in the loop, of itself plus a constant, that every round passes.
fn step(
    function: &Function,
    members: &[bool],
    jumps: &Adjacency,
    slot: Reg,
    width: u8,
    latch: u32,
    head: u32,
) -> Option<i128> {
    let mut found = writes(function, members, slot);
    let (block, op) = found.next()?;
    if found.next().is_some() || !once_a_round(members, jumps, block, latch, head) {
        return None;
    }
    let Op::Move { src, .. } = &function.ops[op] else { return None };
    let before = &function.ops[function.blocks[block as usize].start as usize..op];
    let Op::Bin { op, width: moved, a, b, .. } = writer(before, src.as_reg()?)? else { return None };
    let constant = match function.constants.get(b.as_constant()?)? {
        Const::Int { value, .. } => signed(*value, *moved),
        _ => return None,
    };
    if *moved != width || loaded_slot(before, *a)? != slot {
        return None;
    }
    match op {
        BinOp::Add => Some(constant),
        BinOp::Sub => Some(-constant),
        _ => None,
    }
}

/// Whether the head gets to the latch through the block only, and the block not back to itself but through the head.
fn once_a_round(members: &[bool], jumps: &Adjacency, block: u32, latch: u32, head: u32) -> bool {
    let every = block == latch || block == head || !reaches(members, jumps, &[head], latch, block);
    let again: Vec<u32> = jumps[block as usize].iter().copied().filter(|&to| to != head).collect();
    every && !reaches(members, jumps, &again, block, head)
}

/// Whether there is a way inside the loop from one of `starts` to `goal` that does not pass `without`.
fn reaches(members: &[bool], jumps: &Adjacency, starts: &[u32], goal: u32, without: u32) -> bool {
    let mut seen = vec![false; jumps.len()];
    let mut stack = starts.to_vec();
    while let Some(node) = stack.pop() {
        if node == without || !members[node as usize] || std::mem::replace(&mut seen[node as usize], true) {
            continue;
        }
        if node == goal {
            return true;
        }
        stack.extend(&jumps[node as usize]);
    }
    false
}

/// Whether counting by `step` while `counter pred bound` holds gets to where it does not, whatever it starts from.
fn cannot_miss(pred: IntPredicate, step: i128, bound: Limit, width: u8) -> bool {
    let (least_signed, most_signed) = (-(1i128 << (width - 1).min(126)), (1i128 << (width - 1).min(126)) - 1);
    let most = if width >= 127 { i128::MAX } else { (1i128 << width) - 1 };
    // The last value for which the test holds must not be so close to the end of the numbers that a step wraps round.
    let room = |last: i128, low: i128, high: i128| last + step <= high && last + step >= low;
    let known = |is_signed: bool| match bound {
        Limit::Constant(value) if is_signed => Some(signed(value, width)),
        Limit::Constant(value) => i128::try_from(value).ok(),
        Limit::Fixed => None,
    };
    match pred {
        IntPredicate::Slt if step > 0 => {
            step == 1 || known(true).is_some_and(|b| room(b - 1, least_signed, most_signed))
        }
        IntPredicate::Sle if step > 0 => known(true).is_some_and(|b| room(b, least_signed, most_signed)),
        IntPredicate::Sgt if step < 0 => {
            step == -1 || known(true).is_some_and(|b| room(b + 1, least_signed, most_signed))
        }
        IntPredicate::Sge if step < 0 => known(true).is_some_and(|b| room(b, least_signed, most_signed)),
        IntPredicate::Ult if step > 0 => step == 1 || known(false).is_some_and(|b| room(b - 1, 0, most)),
        IntPredicate::Ule if step > 0 => known(false).is_some_and(|b| room(b, 0, most)),
        IntPredicate::Ugt if step < 0 => step == -1 || known(false).is_some_and(|b| room(b + 1, 0, most)),
        IntPredicate::Uge if step < 0 => known(false).is_some_and(|b| room(b, 0, most)),
        IntPredicate::Ne => step == 1 || step == -1,
        _ => false,
    }
}

fn signed(value: u128, width: u8) -> i128 {
    let unused = 128 - u32::from(width.clamp(1, 128));
    ((value << unused) as i128) >> unused
}

fn negated(pred: IntPredicate) -> IntPredicate {
    use IntPredicate::*;
    match pred {
        Eq => Ne,
        Ne => Eq,
        Ult => Uge,
        Ule => Ugt,
        Ugt => Ule,
        Uge => Ult,
        Slt => Sge,
        Sle => Sgt,
        Sgt => Sle,
        Sge => Slt,
    }
}

fn swapped(pred: IntPredicate) -> IntPredicate {
    use IntPredicate::*;
    match pred {
        Eq => Eq,
        Ne => Ne,
        Ult => Ugt,
        Ule => Uge,
        Ugt => Ult,
        Uge => Ule,
        Slt => Sgt,
        Sle => Sge,
        Sgt => Slt,
        Sge => Sle,
    }
}
