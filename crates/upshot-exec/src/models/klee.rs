//! KLEE's intrinsics, so that a KLEE harness runs unchanged.

use std::rc::Rc;

use upshot_expr::TermId;
use upshot_ir::{IntPredicate, Scalar};

use super::{CallSite, Model, Reply};
use crate::access::Offset;
use crate::error::{ErrorKind, PathEnd};
use crate::machine::{Machine, Stop};
use crate::state::{InputKind, State};
use crate::value::Value;

pub(super) const TABLE: &[(&str, Model)] = &[
    ("klee_make_symbolic", make_symbolic),
    ("klee_assume", assume),
    ("klee_range", range),
    ("klee_int", int),
    ("klee_prefer_cex", prefer),
    ("klee_posix_prefer_cex", prefer),
    ("klee_silent_exit", silent_exit),
    ("klee_abort", abort),
    ("klee_report_error", report_error),
    ("klee_is_symbolic", is_symbolic),
    ("klee_is_replay", is_replay),
    ("klee_get_errno", get_errno),
    ("klee_get_valuef", identity),
    ("klee_get_valued", identity),
    ("klee_get_valuel", identity),
    ("klee_get_valuell", identity),
    ("klee_get_value_i32", identity),
    ("klee_get_value_i64", identity),
    ("klee_get_obj_size", object_size),
    ("klee_choose", choose),
    ("klee_print_expr", print_expr),
    ("klee_print_range", print_expr),
    ("klee_warning", warning),
    ("klee_warning_once", warning),
    ("klee_mark_global", nothing),
    ("klee_set_forking", nothing),
    ("klee_open_merge", nothing),
    ("klee_close_merge", nothing),
    ("klee_merge", nothing),
    ("klee_stack_trace", nothing),
    ("klee_check_memory_access", check_access),
    ("klee_define_fixed_object", fixed_object),
    ("klee_alias_function", alias_function),
];

fn make_symbolic(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let pointer = site.argument(machine, state, 0)?;
    let size = site.argument(machine, state, 1)?;
    let name = site.argument(machine, state, 2)?;
    let name = machine.c_string(state, name).filter(|name| !name.is_empty()).unwrap_or_else(|| "unnamed".to_string());
    let Some(size) = size.as_concrete(64) else {
        return Err(machine.unsupported(state, "klee_make_symbolic with a symbolic size"));
    };
    let size = u64::try_from(size).unwrap_or(u64::MAX);
    if size == 0 {
        return Ok(Reply::Nothing);
    }
    let place = machine.place(state, pointer, size, true)?;
    let Offset::Known(offset) = place.offset else {
        return Err(machine.unsupported(state, "klee_make_symbolic at a symbolic offset"));
    };
    let symbol = machine.add_input(state, &name, size as u32, InputKind::Given, None);
    if let Some(object) = state.memory.find_mut(place.base) {
        object.set_symbolic(&mut machine.terms, offset, size, symbol);
    }
    Ok(Reply::Nothing)
}

fn truth(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>, index: usize) -> Result<TermId, Stop> {
    let value = site.argument(machine, state, index)?;
    let width = site.width(index);
    let value = value.to_term(&mut machine.terms, width);
    let zero = machine.terms.constant(width, 0);
    Ok(machine.terms.compare(IntPredicate::Ne, value, zero))
}

fn assume(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let condition = truth(machine, state, site, 0)?;
    if machine.assume(state, condition)? {
        return Ok(Reply::Nothing);
    }
    Err(machine.error(state, ErrorKind::User, "invalid klee_assume call: it can never hold here"))
}

fn fresh(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>, name: usize) -> Result<TermId, Stop> {
    let name = site.argument(machine, state, name)?;
    let name = machine.c_string(state, name).filter(|name| !name.is_empty()).unwrap_or_else(|| "unnamed".to_string());
    let symbol = machine.add_input(state, &name, 4, InputKind::Given, None);
    Ok(machine.symbol_term(symbol, 0, 4))
}

fn int(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let term = fresh(machine, state, site, 0)?;
    Ok(Reply::Value(Value::of(&machine.terms, term)))
}

fn range(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let (low, high) = (site.argument(machine, state, 0)?, site.argument(machine, state, 1)?);
    let (low, high) = (low.to_term(&mut machine.terms, 32), high.to_term(&mut machine.terms, 32));
    // The assumption comes first, over an input that is added for good only once it is made.
    let inputs = state.inputs.clone();
    let term = fresh(machine, state, site, 2)?;
    let above = machine.terms.compare(IntPredicate::Sle, low, term);
    let below = machine.terms.compare(IntPredicate::Slt, term, high);
    let within = machine.terms.and(above, below);
    match machine.assume(state, within) {
        Ok(true) => Ok(Reply::Value(Value::of(&machine.terms, term))),
        Ok(false) => Err(machine.error(state, ErrorKind::User, "invalid klee_range call: the range is empty")),
        Err(stop) => {
            state.inputs = inputs;
            Err(stop)
        }
    }
}

fn choose(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let limit = site.argument(machine, state, 0)?;
    let limit = limit.to_term(&mut machine.terms, 64);
    let inputs = state.inputs.clone();
    let symbol = machine.add_input(state, "klee_choose", 8, InputKind::Given, None);
    let term = machine.symbol_term(symbol, 0, 8);
    let below = machine.terms.compare(IntPredicate::Ult, term, limit);
    match machine.assume(state, below) {
        Ok(true) => Ok(Reply::Value(Value::of(&machine.terms, term))),
        Ok(false) => Err(machine.error(state, ErrorKind::User, "klee_choose of nothing")),
        Err(stop) => {
            state.inputs = inputs;
            Err(stop)
        }
    }
}

fn prefer(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let condition = truth(machine, state, site, 1)?;
    Rc::make_mut(&mut state.preferences).push(condition);
    Ok(Reply::Nothing)
}

fn silent_exit(_: &mut Machine<'_>, _: &mut State, _: &CallSite<'_>) -> Result<Reply, Stop> {
    Err(Stop::End(PathEnd::Silent))
}

fn abort(machine: &mut Machine<'_>, state: &mut State, _: &CallSite<'_>) -> Result<Reply, Stop> {
    Err(machine.error(state, ErrorKind::Abort, "klee_abort() was called"))
}

/// (file, line, message, suffix)
fn report_error(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let message = site.argument(machine, state, 2)?;
    let message = machine.c_string(state, message).unwrap_or_else(|| "klee_report_error".to_string());
    Err(machine.error(state, ErrorKind::User, message))
}

fn is_symbolic(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let value = site.argument(machine, state, 0)?;
    // Natively nothing is.
    state.unspecified |= value.is_symbolic();
    Ok(Reply::Value(Value::bool(value.is_symbolic())))
}

fn is_replay(_: &mut Machine<'_>, state: &mut State, _: &CallSite<'_>) -> Result<Reply, Stop> {
    // Natively it is.
    state.unspecified = true;
    Ok(Reply::Value(Value::ZERO))
}

/// `errno` is a variable of the C runtime, if the program uses it at all.
fn get_errno(machine: &mut Machine<'_>, state: &mut State, _: &CallSite<'_>) -> Result<Reply, Stop> {
    let Some(global) = machine.program().globals.iter().position(|global| global.name == "__upshot_errno") else {
        return Ok(Reply::Value(Value::ZERO));
    };
    let pointer = Value::int(machine.image.globals[global]);
    Ok(Reply::Value(machine.load(state, pointer, Scalar::Int(32))?))
}

fn identity(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    // A value per path would lose the others; the symbolic value itself is as good for everything that only looks.
    Ok(Reply::Value(site.argument(machine, state, 0)?))
}

fn object_size(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let pointer = site.argument(machine, state, 0)?;
    let place = machine.place(state, pointer, 0, false)?;
    let (size, real) = state.memory.find(place.base).map_or((0, None), |object| (object.size, object.symbolic_size));
    Ok(Reply::Value(match real {
        Some(term) => Value::of(&machine.terms, term),
        None => Value::int(size),
    }))
}

fn check_access(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let pointer = site.argument(machine, state, 0)?;
    let size = site.argument(machine, state, 1)?;
    machine.check_extent(state, pointer, size, site.width(1))?;
    Ok(Reply::Nothing)
}

/// A remark of the program to the one who runs it.
fn remark(machine: &mut Machine<'_>, state: &mut State, text: String) {
    let place = machine.program().describe(machine.location(state));
    Rc::make_mut(&mut state.remarks).push(format!("{place}: {text}"));
}

/// (message, value)
fn print_expr(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let message = site.argument(machine, state, 0)?;
    let message = machine.c_string(state, message).unwrap_or_default();
    let value = site.argument(machine, state, 1)?;
    let term = value.to_term(&mut machine.terms, site.width(1));
    let text = format!("{message}: {}", machine.terms.display(term));
    remark(machine, state, text);
    Ok(Reply::Nothing)
}

fn warning(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let message = site.argument(machine, state, 0)?;
    let message = machine.c_string(state, message).unwrap_or_default();
    remark(machine, state, message);
    Ok(Reply::Nothing)
}

fn fixed_object(machine: &mut Machine<'_>, state: &mut State, _: &CallSite<'_>) -> Result<Reply, Stop> {
    Err(machine.unsupported(state, "klee_define_fixed_object: objects have no addresses of the program's choice"))
}

fn alias_function(machine: &mut Machine<'_>, state: &mut State, _: &CallSite<'_>) -> Result<Reply, Stop> {
    Err(machine.unsupported(state, "klee_alias_function"))
}

fn nothing(_: &mut Machine<'_>, _: &mut State, _: &CallSite<'_>) -> Result<Reply, Stop> {
    Ok(Reply::Nothing)
}
