//! The whole module: ids for functions and globals, then initializers and bodies.

use super::Context;
use super::function::{Misaligned, lower_body};
use crate::capi::{self, DebugRecord, Linkage};
use crate::layout::{Shape, TypeId};
use crate::program::*;

/// No global is larger: its bytes are held in memory.
const LARGEST_GLOBAL: u64 = 1 << 32;

/// Why a module that LLVM accepts cannot become a program.
#[derive(Debug)]
pub(crate) enum Refused {
    Misaligned(Misaligned),
    TooLarge { name: String, size: u64 },
}

impl From<Misaligned> for Refused {
    fn from(reason: Misaligned) -> Self {
        Refused::Misaligned(reason)
    }
}

pub(crate) fn lower_module(module: &capi::Module, source: &llvm_ir::Module) -> Result<Program, Refused> {
    let mut context = Context::new(module);
    let functions = module.functions();
    let (special, globals): (Vec<_>, Vec<_>) =
        module.globals().into_iter().partition(|global| global.name().starts_with("llvm."));
    context.functions = functions.iter().zip(0..).map(|(&f, id)| (f, FuncId(id))).collect();
    context.globals = globals.iter().zip(0..).map(|(&g, id)| (g, GlobalId(id))).collect();

    let mut program =
        Program { target_triple: module.triple(), data_layout: module.data_layout(), ..Program::default() };
    for &global in &globals {
        program.globals.push(context.global(global)?);
    }
    let defined = functions.iter().filter(|f| !f.is_declaration()).count();
    if defined != source.functions.len() {
        return Err(Misaligned("functions counted twice differ".to_string()).into());
    }
    let mut sources = source.functions.iter();
    let records = module.debug_records();
    for (&raw, records) in functions.iter().zip(&records) {
        let body = if raw.is_declaration() { None } else { sources.next() };
        program.functions.push(context.function(raw, body, records)?);
    }
    for global in special {
        match global.name().as_str() {
            "llvm.global_ctors" => program.constructors = context.startup_functions(global),
            "llvm.global_dtors" => {
                program.destructors = context.startup_functions(global);
                // The last to come up is the first to go down.
                program.destructors.reverse();
            }
            _ => {}
        }
    }
    program.globals.extend(context.scratch.take().map(|_| scratch_global()));
    program.has_debug_info = functions.iter().any(|f| !f.is_declaration() && f.subprogram().is_some());
    program.unsupported = context.unsupported;
    (program.files, program.types) = context.debug.finish();
    Ok(program)
}

impl<'m> Context<'m> {
    /// An object that switched-off lanes may touch. It is made when one first needs it.
    pub(super) fn scratch(&mut self) -> GlobalId {
        *self.scratch.get_or_insert(GlobalId(self.globals.len() as u32))
    }

    fn global(&mut self, raw: capi::Value<'m>) -> Result<Global, Refused> {
        let name = raw.name();
        let ty = raw.value_type().map(|ty| self.layouts.id(ty));
        let (size, natural) = ty.map_or((0, 1), |ty| {
            let layout = self.layouts.get(ty);
            (layout.size, layout.align)
        });
        if size > LARGEST_GLOBAL {
            return Err(Refused::TooLarge { name, size });
        }
        // An initializer that cannot be read leaves the contents unknown, as of a global defined elsewhere.
        let initializer = raw.initializer().and_then(|value| self.initializer(value, size).ok());
        let info = self.debug.global(raw);
        Ok(Global {
            source_name: if info.name.is_empty() { name.clone() } else { info.name },
            name,
            location: info.location,
            size,
            align: if raw.alignment() == 0 { natural } else { raw.alignment() },
            is_constant: raw.is_constant_global(),
            is_local: is_local(raw),
            is_thread_local: raw.is_thread_local(),
            initializer,
            ty: info.ty,
            is_runtime: info.is_runtime,
        })
    }

    fn function(
        &mut self,
        raw: capi::Value<'m>,
        body: Option<&llvm_ir::Function>,
        records: &[DebugRecord<'m>],
    ) -> Result<Function, Refused> {
        let name = raw.name();
        let (result, variadic) = self.signature(raw);
        let results = result.and_then(|ty| self.layouts.get(ty).leaves.clone());
        let results = results.map_or_else(Vec::new, |leaves| leaves.iter().map(|leaf| leaf.scalar).collect());
        let subprogram = raw.subprogram();
        let source_name = subprogram.map(|s| self.debug.subprogram_name(s)).filter(|name| !name.is_empty());
        let return_type = subprogram.map(|s| {
            let (result, _) = self.debug.subprogram_signature(s);
            self.debug.types.id(result)
        });
        let mut function = Function {
            source_name: source_name.unwrap_or_else(|| name.clone()),
            name,
            location: subprogram.map(|s| self.debug.subprogram_location(s)).unwrap_or_default(),
            is_declaration: body.is_none(),
            is_local: is_local(raw),
            is_variadic: variadic,
            no_return: raw.attribute(None, "noreturn").is_some(),
            is_runtime: subprogram.is_some_and(|s| self.debug.is_runtime_function(s)),
            parameters: Vec::new(),
            struct_return: None,
            results,
            return_type,
            registers: 1,
            constants: Vec::new(),
            ops: Vec::new(),
            op_inst: Vec::new(),
            blocks: Vec::new(),
            insts: Vec::new(),
            locals: Vec::new(),
        };
        if let Some(source) = body {
            let known = match raw.attribute(None, "optnone") {
                Some(_) => Some(false),
                None => subprogram.and_then(|s| self.debug.is_optimized(s)),
            };
            let body = lower_body(self, source, raw, known)?;
            function.parameters = self.parameters(raw, records);
            function.locals = self.locals(records, &body.allocas);
            function.struct_return = self.struct_return(raw);
            function.registers = body.registers;
            function.constants = body.constants;
            function.ops = body.ops;
            function.op_inst = body.op_inst;
            function.blocks = body.blocks;
            function.insts = body.insts;
        }
        Ok(function)
    }

    fn signature(&mut self, raw: capi::Value<'m>) -> (Option<TypeId>, bool) {
        let ty = raw.value_type().map(|ty| self.layouts.id(ty));
        match ty.map(|ty| &self.layouts.get(ty).shape) {
            Some(Shape::Function { result, variadic, .. }) => (Some(*result), *variadic),
            _ => (None, false),
        }
    }

    /// The functions of `llvm.global_ctors` or `dtors`, by priority.
    fn startup_functions(&mut self, global: capi::Value<'m>) -> Vec<FuncId> {
        let mut entries = Vec::new();
        let Some(list) = global.initializer() else { return entries };
        let mut found: Vec<(u128, FuncId)> = Vec::new();
        for entry in (0..).map_while(|index| list.element(index)) {
            let priority = entry.element(0).and_then(|priority| priority.integer()).unwrap_or(65535);
            let function = entry.element(1).and_then(|function| self.constant(function).ok());
            if let Some([Const::Function(function)]) = function.as_ref().map(|(_, scalars)| scalars.as_slice()) {
                found.push((priority, *function));
            }
        }
        found.sort_by_key(|(priority, _)| *priority);
        entries.extend(found.into_iter().map(|(_, function)| function));
        entries
    }
}

fn is_local(raw: capi::Value<'_>) -> bool {
    matches!(raw.linkage(), Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage)
}

fn scratch_global() -> Global {
    Global {
        name: "upshot.scratch".to_string(),
        source_name: "upshot.scratch".to_string(),
        location: Location::default(),
        size: 16,
        align: 16,
        is_constant: false,
        is_local: true,
        is_thread_local: false,
        initializer: Some(Initializer { bytes: vec![0; 16], relocations: Vec::new() }),
        ty: None,
        is_runtime: true,
    }
}
