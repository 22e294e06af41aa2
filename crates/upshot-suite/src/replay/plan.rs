//! What a native build needs to know of a program, copied out of it so that builds can be made later and on any thread.

use std::collections::HashSet;

use upshot_ir::{FuncId, Parameter, Program};

use super::ReplayError;
use super::shape::ObjectShape;

/// What is the user's, where to start, and what can be set before the start.
#[derive(Debug)]
pub(super) struct Plan {
    /// Linkage names of the functions that are the user's own code.
    pub(super) user: HashSet<String>,
    /// `None`: at `main`.
    pub(super) entry: Option<Entry>,
    pub(super) globals: Vec<PlannedGlobal>,
    /// Types, globals and the entry's parameters, without any code.
    pub(super) outline: Program,
}

/// The `--entry` function.
#[derive(Debug)]
pub(super) struct Entry {
    /// Linkage name.
    pub(super) function: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) struct_return: Option<u64>,
    /// What the C object that it returns looks like, where that is known.
    pub(super) returns: Option<ObjectShape>,
}

/// A variable that a test may set.
#[derive(Debug)]
pub(super) struct PlannedGlobal {
    /// Linkage name.
    pub(super) name: String,
    pub(super) source_name: String,
    pub(super) size: u64,
}

impl Plan {
    pub(super) fn new(program: &Program, entry: Option<&str>) -> Result<Plan, ReplayError> {
        let user = program.functions.iter().filter(|f| !f.is_declaration && !f.is_runtime);
        let globals = program.globals.iter().filter(|g| !g.is_constant && !g.is_runtime && !g.is_thread_local);
        let entry = entry.map(|name| {
            let id = program.function_named(name).ok_or_else(|| ReplayError::NoEntry { name: name.to_string() })?;
            Ok::<_, ReplayError>((id, Entry::new(program, id)))
        });
        let entry = entry.transpose()?;
        let outline = entry.as_ref().map(|(id, _)| outline(program, *id)).unwrap_or_default();
        Ok(Plan {
            outline,
            user: user.map(|f| f.name.clone()).collect(),
            entry: entry.map(|(_, entry)| entry),
            globals: globals
                .map(|g| PlannedGlobal { name: g.name.clone(), source_name: g.source_name.clone(), size: g.size })
                .collect(),
        })
    }
}

impl Entry {
    fn new(program: &Program, id: FuncId) -> Entry {
        let function = program.function(id);
        Entry {
            function: function.name.clone(),
            parameters: function.parameters.clone(),
            struct_return: function.struct_return,
            returns: function.return_type.map(|ty| ObjectShape::of(&program.types, ty)),
        }
    }
}

/// What names and types of inputs follow from.
fn outline(program: &Program, entry: FuncId) -> Program {
    let mut function = program.function(entry).clone();
    function.ops.clear();
    function.op_inst.clear();
    function.insts.clear();
    function.blocks.clear();
    function.constants.clear();
    let mut globals = program.globals.clone();
    globals.iter_mut().for_each(|g| g.initializer = None);
    Program { functions: vec![function], globals, types: program.types.clone(), ..Program::default() }
}
