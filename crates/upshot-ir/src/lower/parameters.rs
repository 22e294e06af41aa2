//! Which LLVM arguments carry which C parameter.
//!
//! The calling convention takes C parameters apart: a struct may travel as two integers, as a vector, or as a pointer to a
//! copy; a hidden pointer may come first. Order is kept, so the LLVM arguments are cut into consecutive runs. Where a
//! run ends is told by what the function does with its arguments: unoptimised code stores each into the variable's alloca,
//! optimised code has a `#dbg_value`. Where neither says anything the C types' sizes decide, and if even these do not add
//! up, each LLVM argument is a parameter of its own, without a type.

use super::Context;
use super::function::AllocaPlace;
use crate::capi::{DebugRecord, Instruction, Metadata, Opcode, Value};
use crate::debug::{CType, CTypeId};
use crate::layout::Leaf;
use crate::program::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// An LLVM argument.
struct Carrier<'m> {
    value: Value<'m>,
    leaves: Rc<[Leaf]>,
    size: u64,
    by_value: Option<(u64, u32)>,
    /// The C parameter it is a part of, and where in it, if the code says so.
    owner: Option<(usize, u64)>,
}

/// A C parameter.
struct Declared {
    name: String,
    ty: CTypeId,
    size: u64,
}

impl<'m> Context<'m> {
    /// The parameters of a function with a body.
    pub(super) fn parameters(&mut self, raw: Value<'m>, records: &[DebugRecord<'m>]) -> Vec<Parameter> {
        let mut carriers = self.carriers(raw);
        let Some(subprogram) = raw.subprogram() else { return anonymous(&carriers) };
        let declared = self.declared(subprogram, records, carriers.len());
        let homes: FxHashMap<Value<'m>, Metadata<'m>> = records
            .iter()
            .filter(|record| record.is_declare && !record.inlined)
            .filter_map(|record| Some((record.value?, record.variable)))
            .collect();
        for carrier in &mut carriers {
            carrier.owner = self.owner(carrier.value, &homes, records);
        }
        self.distribute(&carriers, declared).unwrap_or_else(|| anonymous(&carriers))
    }

    fn carriers(&mut self, raw: Value<'m>) -> Vec<Carrier<'m>> {
        let hidden = usize::from(self.struct_return(raw).is_some());
        let mut carriers = Vec::new();
        for (position, value) in raw.parameters().into_iter().enumerate().skip(hidden) {
            let ty = self.layouts.id(value.ty());
            let layout = self.layouts.get(ty);
            let (size, leaves) = (layout.size, layout.leaves.clone().unwrap_or_default());
            let by_value = raw.attribute(Some(position as u32), "byval").and_then(|(_, ty)| ty).map(|ty| {
                let ty = self.layouts.id(ty);
                let align = raw.attribute(Some(position as u32), "align").map_or(0, |(align, _)| align as u32);
                (self.layouts.get(ty).size, align.max(self.layouts.get(ty).align))
            });
            let size = by_value.map_or(size, |(size, _)| size);
            carriers.push(Carrier { value, leaves, size, by_value, owner: None });
        }
        carriers
    }

    /// The size of what a hidden first pointer returns.
    pub(super) fn struct_return(&mut self, raw: Value<'m>) -> Option<u64> {
        let (_, ty) = raw.attribute(Some(0), "sret")?;
        let ty = self.layouts.id(ty?);
        Some(self.layouts.get(ty).size)
    }

    /// Names and types of the C parameters. The variables know both; the function's type fills the gaps.
    fn declared(&mut self, subprogram: Metadata<'m>, records: &[DebugRecord<'m>], carriers: usize) -> Vec<Declared> {
        let (_, types) = self.debug.subprogram_signature(subprogram);
        let mut variables: Vec<Option<Metadata<'m>>> = vec![None; types.len()];
        // Parameters are declared first, and a definition in the old style has them in its variables only. Their
        // number is read from text, which is slow: so not more of them than can matter.
        let own = records.iter().filter(|record| !record.inlined).map(|record| record.variable);
        let retained = self.debug.retained_variables(subprogram);
        for variable in own.take(2 * types.len().max(carriers)).chain(retained) {
            let Some(position) = self.debug.argument_number(variable) else { continue };
            if position >= variables.len() && position < carriers {
                variables.resize(position + 1, None);
            }
            if let Some(place) = variables.get_mut(position) {
                place.get_or_insert(variable);
            }
        }
        let mut declared = Vec::with_capacity(variables.len());
        for (position, variable) in variables.into_iter().enumerate() {
            let name = variable.map(|v| self.debug.variable_name(v)).filter(|name| !name.is_empty());
            let node = variable.and_then(|v| self.debug.variable_type(v)).or(types.get(position).copied());
            let ty = self.debug.types.id(node);
            let size = self.debug.types.size(ty);
            declared.push(Declared { name: name.unwrap_or_else(|| format!("arg{position}")), ty, size });
        }
        declared
    }

    /// Cuts the carriers into runs. `None` if they cannot be what the C types say.
    fn distribute(&self, carriers: &[Carrier<'m>], declared: Vec<Declared>) -> Option<Vec<Parameter>> {
        let mut parameters = Vec::with_capacity(declared.len());
        let mut rest = carriers;
        for (number, Declared { name, ty, size }) in declared.into_iter().enumerate() {
            let mut parameter = Parameter { name, ty: Some(ty), size, scalars: Vec::new(), by_value: None };
            let mut covered = 0;
            while let Some((carrier, others)) = rest.split_first() {
                let offset = match carrier.owner {
                    Some((owner, offset)) if owner == number => offset,
                    Some(_) => break,
                    None if covered >= size => break,
                    None if !self.plausible(carrier, ty) => return None,
                    None => covered.next_multiple_of(8),
                };
                let place = |leaf: &Leaf| ((offset + leaf.offset) as u32, leaf.scalar);
                parameter.scalars.extend(carrier.leaves.iter().map(place));
                parameter.by_value = carrier.by_value;
                covered = offset + carrier.size;
                rest = others;
            }
            let needed = |(offset, scalar): &(u32, Scalar)| u64::from(offset + scalar.store_size());
            let needed = parameter.scalars.iter().map(needed).max().unwrap_or(0);
            if parameter.by_value.is_none() && needed > size {
                // Promoted by a caller that has no prototype: the bytes are those of the wider type.
                parameter.ty = None;
                parameter.size = needed;
            }
            parameters.push(parameter);
        }
        rest.is_empty().then_some(parameters)
    }

    /// Whether an argument could be (the start of) a value of that C type.
    fn plausible(&self, carrier: &Carrier<'m>, ty: CTypeId) -> bool {
        if carrier.by_value.is_some() {
            return matches!(self.debug.types.resolved(ty), CType::Record { .. });
        }
        let first = carrier.leaves.first().map(|leaf| leaf.scalar);
        match self.debug.types.resolved(ty) {
            CType::Pointer { .. } => first == Some(Scalar::Pointer),
            CType::Int { .. } | CType::Enum { .. } => matches!(first, Some(Scalar::Int(_))),
            CType::Float { .. } => matches!(first, Some(Scalar::Float(_))),
            _ => true,
        }
    }
}

/// What the code says about its arguments.
impl<'m> Context<'m> {
    /// The number of the C parameter that the argument belongs to, and its offset there.
    fn owner(
        &mut self,
        argument: Value<'m>,
        homes: &FxHashMap<Value<'m>, Metadata<'m>>,
        records: &[DebugRecord<'m>],
    ) -> Option<(usize, u64)> {
        let (variable, offset) = match homes.get(&argument) {
            Some(variable) => (*variable, 0),
            None => match self.stored_into(argument, homes) {
                Some(found) => found,
                None => self.named_value(argument, records)?,
            },
        };
        Some((self.debug.argument_number(variable)?, offset))
    }

    fn named_value(&self, argument: Value<'m>, records: &[DebugRecord<'m>]) -> Option<(Metadata<'m>, u64)> {
        let own = |record: &&DebugRecord<'m>| !record.is_declare && !record.inlined && record.at_entry;
        let record = records.iter().filter(own).find(|record| record.value == Some(argument))?;
        let fragment = self.debug.fragment(record.expression?)?;
        Some((record.variable, fragment.map_or(0, |(offset, _)| offset / 8)))
    }

    /// The variable whose memory the value is stored to, directly or by way of a temporary.
    fn stored_into(
        &mut self,
        value: Value<'m>,
        homes: &FxHashMap<Value<'m>, Metadata<'m>>,
    ) -> Option<(Metadata<'m>, u64)> {
        for user in value.users().filter_map(|user| user.as_instruction()) {
            match user.opcode() {
                // A bool is widened, an old-style parameter narrowed, before it is stored.
                Opcode::LLVMZExt | Opcode::LLVMTrunc | Opcode::LLVMFPTrunc => {
                    if let Some(found) = self.stored_into(user.value(), homes) {
                        return Some(found);
                    }
                }
                Opcode::LLVMStore if user.operand(0) == Some(value) => {
                    let (base, offset) = self.based(user.operand(1)?);
                    if let Some(variable) = homes.get(&base) {
                        return Some((*variable, offset));
                    }
                    if let Some((variable, start)) = self.copied_into(base, homes) {
                        return Some((variable, start + offset));
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The variable that a temporary's contents are copied to.
    fn copied_into(
        &mut self,
        temporary: Value<'m>,
        homes: &FxHashMap<Value<'m>, Metadata<'m>>,
    ) -> Option<(Metadata<'m>, u64)> {
        for user in temporary.users().filter_map(|user| user.as_instruction()) {
            let target = match user.opcode() {
                Opcode::LLVMLoad => {
                    let stores = user.value().users().filter_map(|user| user.as_instruction());
                    let mut stores = stores.filter(|store| store.opcode() == Opcode::LLVMStore);
                    stores.find_map(|store| store.operand(1))
                }
                Opcode::LLVMCall if is_copy_from(user, temporary) => user.operand(0),
                _ => None,
            };
            let Some(target) = target else { continue };
            let (base, offset) = self.based(target);
            if let Some(variable) = homes.get(&base) {
                return Some((*variable, offset));
            }
        }
        None
    }

    /// The address under constant offsets.
    fn based(&mut self, address: Value<'m>) -> (Value<'m>, u64) {
        let Some(gep) = address.as_instruction().filter(|i| i.opcode() == Opcode::LLVMGetElementPtr) else {
            return (address, 0);
        };
        match (gep.operand(0), self.constant_offset(gep)) {
            (Some(base), Some(offset)) => {
                let (root, more) = self.based(base);
                (root, more.wrapping_add(offset))
            }
            _ => (address, 0),
        }
    }

    fn constant_offset(&mut self, gep: Instruction<'m>) -> Option<u64> {
        let mut at = self.layouts.id(gep.value().gep_source_type()?);
        let mut offset = (gep.operand(1)?.integer()? as u64).wrapping_mul(self.layouts.get(at).size);
        for position in 2..gep.operand_count() {
            let (next, place) = self.layouts.step(at, gep.operand(position)?.integer()? as u64)?;
            offset = offset.wrapping_add(place);
            at = next;
        }
        Some(offset)
    }
}

fn is_copy_from(call: Instruction<'_>, source: Value<'_>) -> bool {
    call.operand(1) == Some(source)
        && call.called_value().and_then(|callee| callee.intrinsic_name()).is_some_and(|name| name == "llvm.memcpy")
}

fn anonymous(carriers: &[Carrier<'_>]) -> Vec<Parameter> {
    let make = |(position, carrier): (usize, &Carrier<'_>)| Parameter {
        name: format!("arg{position}"),
        ty: None,
        size: carrier.size,
        scalars: carrier.leaves.iter().map(|leaf| (leaf.offset as u32, leaf.scalar)).collect(),
        by_value: carrier.by_value,
    };
    carriers.iter().enumerate().map(make).collect()
}

impl<'m> Context<'m> {
    /// The variables that live in an alloca of the function.
    pub(super) fn locals(&mut self, records: &[DebugRecord<'m>], allocas: &[AllocaPlace<'m>]) -> Vec<Local> {
        let places: FxHashMap<Value<'m>, &AllocaPlace<'m>> = allocas.iter().map(|place| (place.value, place)).collect();
        let mut locals = Vec::new();
        let mut seen = FxHashSet::default();
        for record in records.iter().filter(|record| record.is_declare) {
            let Some(place) = record.value.and_then(|value| places.get(&value)) else { continue };
            if !seen.insert((record.variable, place.value)) {
                continue;
            }
            let node = self.debug.variable_type(record.variable);
            locals.push(Local {
                name: self.debug.variable_name(record.variable),
                ty: node.map(|node| self.debug.types.id(Some(node))),
                slot: place.slot,
                alloca: place.slot.is_none().then_some(place.inst),
                location: self.debug.variable_location(record.variable),
            });
        }
        locals
    }
}
