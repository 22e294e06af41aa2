//! Ways out: exit, abort, failed assertions.

use std::rc::Rc;

use super::{CallSite, Model, Reply};
use crate::error::{ErrorKind, PathEnd};
use crate::machine::{Machine, Stop};
use crate::state::{Exit, State};
use crate::value::Value;

pub(super) const TABLE: &[(&str, Model)] = &[
    ("exit", exit),
    ("_exit", exit_at_once),
    ("_Exit", exit_at_once),
    ("quick_exit", exit_at_once),
    ("abort", abort),
    ("atexit", atexit),
    ("__assert_fail", assert_fail),
    ("__assert", assert_fail_short),
    ("__assert_rtn", assert_fail),
    ("__stack_chk_fail", stack_smashed),
    ("__chk_fail", stack_smashed),
    ("__upshot_unsupported", unsupported),
];

fn exit(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let status = site.argument(machine, state, 0)?;
    machine.wind_down(state, Exit::Exited(status))?;
    Ok(Reply::Entered)
}

fn exit_at_once(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let status = site.argument(machine, state, 0)?;
    Err(Stop::End(PathEnd::Exited(status)))
}

fn abort(machine: &mut Machine<'_>, state: &mut State, _: &CallSite<'_>) -> Result<Reply, Stop> {
    Err(machine.error(state, ErrorKind::Abort, "abort() was called"))
}

fn stack_smashed(machine: &mut Machine<'_>, state: &mut State, _: &CallSite<'_>) -> Result<Reply, Stop> {
    Err(machine.error(state, ErrorKind::Abort, "a buffer overrun was detected by the program"))
}

/// The C runtime has met something that it does not do.
fn unsupported(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let what = site.argument(machine, state, 0)?;
    let what = machine.c_string(state, what).unwrap_or_else(|| "a library function".to_string());
    Err(machine.unsupported(state, what))
}

fn atexit(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let handler = site.argument(machine, state, 0)?;
    let handler = machine.known_address(state, handler, "atexit")?;
    Rc::make_mut(&mut state.ending).handlers.push(handler);
    Ok(Reply::Value(Value::ZERO))
}

fn assert_fail(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let text = site.argument(machine, state, 0)?;
    let text = machine.c_string(state, text).unwrap_or_default();
    Err(machine.error(state, ErrorKind::Assert, format!("assertion failed: {text}")))
}

fn assert_fail_short(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    assert_fail(machine, state, site)
}

impl Machine<'_> {
    /// The text at a pointer, where both are concrete.
    pub(crate) fn c_string(&self, state: &State, pointer: Value) -> Option<String> {
        let address = pointer.as_concrete(64)? as u64;
        let object = state.memory.find(address)?;
        let start = address.checked_sub(object.base)?;
        let bytes = object.bytes().get(start as usize..)?;
        let length = bytes.iter().position(|&byte| byte == 0)?;
        if !object.is_concrete(start, length as u64 + 1) {
            return None;
        }
        Some(String::from_utf8_lossy(&bytes[..length]).into_owned())
    }
}
