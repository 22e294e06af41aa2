//! What the debug information says: places in the source, variables, C types.
//!
//! The positions of a node's operands are those of LLVM 19, which the whole workspace is pinned to.

mod fields;
mod files;
mod types;

pub(crate) use files::is_runtime_file;

use crate::capi::{Instruction, Metadata, MetadataKind, Module, Value};
use crate::debug::DebugTypes;
use crate::program::{InlinedAt, Location};
use files::Files;
use rustc_hash::FxHashMap;
use types::Types;

const VARIABLE_NAME: usize = 1;
const VARIABLE_TYPE: usize = 3;
const SUBPROGRAM_NAME: usize = 2;
const SUBPROGRAM_TYPE: usize = 4;
const SUBPROGRAM_UNIT: usize = 5;
const SUBPROGRAM_RETAINED: usize = 7;

/// Where an instruction comes from.
#[derive(Clone, Default)]
pub(crate) struct Origin {
    pub(crate) location: Location,
    /// The function that the location is in, if it was inlined into another.
    pub(crate) inlined_function: Option<Box<str>>,
    pub(crate) inlined_at: Box<[InlinedAt]>,
}

/// What a global variable's debug information says.
#[derive(Default)]
pub(crate) struct GlobalInfo {
    pub(crate) name: String,
    pub(crate) ty: Option<crate::debug::CTypeId>,
    pub(crate) location: Location,
    pub(crate) is_runtime: bool,
}

/// Debug information of a module, read on demand and remembered.
pub(crate) struct DebugInfo<'m> {
    module: &'m Module,
    files: Files<'m>,
    pub(crate) types: Types<'m>,
    origins: FxHashMap<Metadata<'m>, Origin>,
    optimized_units: FxHashMap<Metadata<'m>, bool>,
}

impl<'m> DebugInfo<'m> {
    pub(crate) fn new(module: &'m Module) -> Self {
        DebugInfo {
            module,
            files: Files::default(),
            types: Types::new(module),
            origins: FxHashMap::default(),
            optimized_units: FxHashMap::default(),
        }
    }

    /// The files by number, and the types.
    pub(crate) fn finish(self) -> (Vec<String>, DebugTypes) {
        (self.files.into_names(), self.types.finish())
    }

    fn operand(&self, node: Metadata<'m>, position: usize) -> Option<Metadata<'m>> {
        node.operands(self.module).get(position).copied().flatten()
    }

    fn operand_string(&self, node: Metadata<'m>, position: usize) -> String {
        self.operand(node, position).and_then(|name| name.string(self.module)).unwrap_or_default()
    }
}

/// Places.
impl<'m> DebugInfo<'m> {
    pub(crate) fn origin(&mut self, instruction: Instruction<'m>) -> Origin {
        let Some(node) = instruction.debug_location() else { return Origin::default() };
        if let Some(known) = self.origins.get(&node) {
            return known.clone();
        }
        let (location, mut outer) = self.place(node);
        let inlined_function = outer.map(|_| self.function_name(node).into());
        let mut chain = Vec::new();
        while let Some(node) = outer {
            let (location, next) = self.place(node);
            chain.push(InlinedAt { function: self.function_name(node).into(), location });
            outer = next;
        }
        let origin = Origin { location, inlined_function, inlined_at: chain.into_boxed_slice() };
        self.origins.insert(node, origin.clone());
        origin
    }

    fn place(&mut self, node: Metadata<'m>) -> (Location, Option<Metadata<'m>>) {
        let Some((line, column, scope, inlined_at)) = node.location() else { return (Location::default(), None) };
        let Some(file) = scope.and_then(|scope| scope.scope_file()) else { return (Location::default(), inlined_at) };
        (Location { file: self.files.id(file), line, column }, inlined_at)
    }

    /// The name of the function that a location is in.
    fn function_name(&self, node: Metadata<'m>) -> String {
        let mut scope = node.location().and_then(|(_, _, scope, _)| scope);
        while let Some(at) = scope {
            if at.is_subprogram() {
                return self.subprogram_name(at);
            }
            // Lexical blocks of both kinds: file, scope.
            scope = self.operand(at, 1);
        }
        String::new()
    }
}

/// Functions.
impl<'m> DebugInfo<'m> {
    /// The name in the source.
    pub(crate) fn subprogram_name(&self, subprogram: Metadata<'m>) -> String {
        self.operand_string(subprogram, SUBPROGRAM_NAME)
    }

    /// Where a function is defined.
    pub(crate) fn subprogram_location(&mut self, subprogram: Metadata<'m>) -> Location {
        let Some(file) = subprogram.scope_file() else { return Location::default() };
        Location { file: self.files.id(file), line: subprogram.subprogram_line(), column: 0 }
    }

    /// Whether it comes from the C runtime: by its own file, or by what was compiled.
    pub(crate) fn is_runtime_function(&self, subprogram: Metadata<'m>) -> bool {
        let unit = self.operand(subprogram, SUBPROGRAM_UNIT);
        [Some(subprogram), unit].into_iter().flatten().filter_map(Metadata::scope_file).any(is_runtime_file)
    }

    /// Whether the function's file was compiled with optimisation.
    pub(crate) fn is_optimized(&mut self, subprogram: Metadata<'m>) -> Option<bool> {
        let unit = self.operand(subprogram, SUBPROGRAM_UNIT)?;
        let module = self.module;
        let read = || fields::field(&unit.describe(module), "isOptimized") == Some("true");
        Some(*self.optimized_units.entry(unit).or_insert_with(read))
    }

    /// Result and parameter types of a function, as nodes; no result for void.
    pub(crate) fn subprogram_signature(&self, subprogram: Metadata<'m>) -> (Option<Metadata<'m>>, Vec<Metadata<'m>>) {
        let Some(ty) = self.operand(subprogram, SUBPROGRAM_TYPE) else { return (None, Vec::new()) };
        let (result, parameters, _) = self.types.signature(ty);
        (result, parameters)
    }

    /// The variables that optimised code keeps on the function itself, parameters among them.
    pub(crate) fn retained_variables(&self, subprogram: Metadata<'m>) -> Vec<Metadata<'m>> {
        let list = self.operand(subprogram, SUBPROGRAM_RETAINED);
        list.map(|list| list.operands(self.module)).unwrap_or_default().into_iter().flatten().collect()
    }
}

/// Variables.
impl<'m> DebugInfo<'m> {
    pub(crate) fn variable_name(&self, variable: Metadata<'m>) -> String {
        self.operand_string(variable, VARIABLE_NAME)
    }

    pub(crate) fn variable_type(&self, variable: Metadata<'m>) -> Option<Metadata<'m>> {
        self.operand(variable, VARIABLE_TYPE)
    }

    pub(crate) fn variable_location(&mut self, variable: Metadata<'m>) -> Location {
        match variable.variable_place() {
            Some((Some(file), _, line)) => Location { file: self.files.id(file), line, column: 0 },
            _ => Location::default(),
        }
    }

    /// The position of a parameter among its function's, from 0; `None` for other variables.
    pub(crate) fn argument_number(&self, variable: Metadata<'m>) -> Option<usize> {
        if !matches!(variable.kind(), MetadataKind::LLVMDILocalVariableMetadataKind) {
            return None;
        }
        let text = variable.describe(self.module);
        fields::field(&text, "arg")?.parse::<usize>().ok()?.checked_sub(1)
    }

    /// Bit offset and size that an expression selects (`Some(None)`: everything); `None` if it computes.
    pub(crate) fn fragment(&self, expression: Metadata<'m>) -> Option<Option<(u64, u64)>> {
        fields::fragment(&expression.describe(self.module))
    }

    pub(crate) fn global(&mut self, global: Value<'m>) -> GlobalInfo {
        let attached = global.global_debug_info(self.module);
        let Some(variable) = attached.into_iter().find_map(Metadata::described_global) else {
            return GlobalInfo::default();
        };
        let node = self.variable_type(variable);
        let (file, scope, _) = variable.variable_place().unwrap_or_default();
        // The scope is the compiled file, or the function that a static local is in.
        let unit = scope.filter(|scope| scope.is_subprogram()).and_then(|s| self.operand(s, SUBPROGRAM_UNIT));
        let places = [file, scope.and_then(Metadata::scope_file), unit.and_then(Metadata::scope_file)];
        GlobalInfo {
            name: self.variable_name(variable),
            ty: node.map(|node| self.types.id(Some(node))),
            location: self.variable_location(variable),
            is_runtime: places.into_iter().flatten().any(is_runtime_file),
        }
    }
}
