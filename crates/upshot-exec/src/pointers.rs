//! Inputs from types: the entry's parameters, and what its pointers point to, made when the program first looks.
//!
//! Lazy initialisation, as in the DiSE papers: an input pointer is an unknown number until it is followed or compared with
//! another pointer. Then it is null, or a new object, or an object of its type that an earlier input pointer led to, in this order.
//! Each is a decision like any other, with `pointer == address` as its condition, so a pointer
//! that was tested against null before is not decided twice.

use std::convert::Infallible;
use std::rc::Rc;

use upshot_expr::{TermId, Var};
use upshot_ir::{CType, CTypeId, FuncId, IntKind, Parameter, Program};

use crate::error::ErrorKind;
use crate::machine::{Fork, Machine, Stop};
use crate::memory::{self, Byte, ByteOf, Owner, lazy_index, lazy_provenance};
use crate::state::{InputKind, InputPointer, PointerTarget, State};
use crate::value::Value;

/// What the program is started with.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// Make the entry's parameters symbolic (else they are `argc`, `argv` as for a plain run).
    pub symbolic_parameters: bool,
    /// Globals to make symbolic.
    pub symbolic_globals: Vec<upshot_ir::GlobalId>,
    /// Places for parameters, by name, with their sizes, in order: those of both versions where two are compared. A parameter that is not in it follows after them.
    pub parameter_places: Vec<(String, u64)>,
    /// Functions with the entry's parameters that must return true for an input to count.
    pub assumptions: Vec<FuncId>,
}

/// The most memory that an input pointer leads to, in bytes.
const LARGEST_POINTEE: u64 = 1 << 26;

impl<'p> Machine<'p> {
    /// A state at the start of `entry`.
    pub fn start(&mut self, entry: FuncId, start: &Start) -> Result<State, String> {
        let mut state = self.blank_state(entry);
        for &global in &start.symbolic_globals {
            self.symbolic_global(&mut state, global);
        }
        let function = self.program().function(entry);
        let arguments = if start.symbolic_parameters {
            self.symbolic_arguments(&mut state, entry, &start.parameter_places)?
        } else {
            self.plain_arguments(&mut state, entry)
        };
        let count = arguments.len().min(function.registers as usize);
        state.frame.registers[..count].copy_from_slice(&arguments[..count]);
        let mut pending = vec![state.frame.clone()];
        for &assumption in start.assumptions.iter().rev() {
            let mut frame = self.new_frame(assumption, 0);
            let count = arguments.len().min(frame.registers.len());
            frame.registers[..count].copy_from_slice(&arguments[..count]);
            pending.push(frame);
        }
        for &constructor in self.program().constructors.iter().rev() {
            pending.push(self.new_frame(constructor, 0));
        }
        if let Some(first) = pending.pop() {
            state.frame = first;
        }
        Rc::make_mut(&mut state.ending).pending = pending;
        Rc::make_mut(&mut state.ending).assumptions = start.assumptions.clone();
        Ok(state)
    }

    /// `argc`, `argv` and `envp` of a program called without arguments.
    fn plain_arguments(&mut self, state: &mut State, entry: FuncId) -> Vec<Value> {
        let function = self.program().function(entry);
        let mut values = Vec::new();
        if function.parameters.is_empty() {
            return values;
        }
        let mut fixed = |size: u64, bytes: &[u8]| {
            state.memory.allocate(size, 16, Owner::Input).map_or(0, |object| {
                object.write_bytes(0, bytes);
                object.base
            })
        };
        let name = fixed(7, b"upshot\0");
        let environment = fixed(8, &[0; 8]);
        let mut list = name.to_le_bytes().to_vec();
        list.extend([0; 8]);
        let list = fixed(16, &list);
        values.extend([Value::int(1), Value::int(list), Value::int(environment)]);
        values.truncate(function.parameters.len());
        values
    }

    fn symbolic_arguments(
        &mut self,
        state: &mut State,
        entry: FuncId,
        places: &[(String, u64)],
    ) -> Result<Vec<Value>, String> {
        let program = self.program();
        let function = program.function(entry);
        let mut values = Vec::new();
        if let Some(size) = function.struct_return {
            let object = state.memory.allocate(size, 16, Owner::Input).ok_or("the returned struct is too large")?;
            let address = object.base;
            values.push(Value::int(address));
            state.struct_return = Some(address);
        }
        let mut taken = Vec::new();
        for (name, size) in places {
            let object = state.memory.allocate(room(*size), 16, Owner::Input);
            taken.push((name.as_str(), object.ok_or_else(|| format!("parameter {name} is too large"))?.base));
        }
        for parameter in &function.parameters {
            let place = taken.iter().find(|(name, _)| *name == parameter.name).map(|(_, base)| *base);
            self.symbolic_parameter(state, parameter, place, &mut values)?;
        }
        Ok(values)
    }

    fn symbolic_parameter(
        &mut self,
        state: &mut State,
        parameter: &Parameter,
        place: Option<u64>,
        values: &mut Vec<Value>,
    ) -> Result<(), String> {
        let size = parameter.size.max(1);
        let too_large = || format!("parameter {} is too large", parameter.name);
        let room = room(size);
        let base = match place {
            Some(base) => base,
            None => state.memory.allocate(room, 16, Owner::Input).ok_or_else(too_large)?.base,
        };
        let symbol = self.add_input(state, &parameter.name, size as u32, InputKind::Given, parameter.ty);
        let input = state.inputs.len() - 1;
        if let Some(object) = state.memory.find_mut(base) {
            object.write_bytes(0, &vec![0; room as usize]);
            object.set_symbolic(&mut self.terms, 0, size, symbol);
        }
        if let Some(ty) = parameter.ty {
            self.shape(state, Shape { base, offset: 0, ty, name: parameter.name.clone(), input, depth: 0 });
        }
        if parameter.by_value.is_some() {
            values.push(Value::int(base));
            return Ok(());
        }
        for &(offset, scalar) in &parameter.scalars {
            let pointer = Value::int(base + u64::from(offset));
            match self.load(state, pointer, scalar) {
                Ok(value) => values.push(value),
                Err(_) => return Err(format!("parameter {} cannot be passed", parameter.name)),
            }
        }
        Ok(())
    }

    fn symbolic_global(&mut self, state: &mut State, id: upshot_ir::GlobalId) {
        let global = self.program().global(id);
        let base = self.image.globals[id.index()];
        let symbol = self.add_input(state, &global.source_name, global.size as u32, InputKind::Given, global.ty);
        let input = state.inputs.len() - 1;
        let Some(object) = state.memory.find_mut(base) else { return };
        object.set_symbolic(&mut self.terms, 0, global.size, symbol);
        if let Some(ty) = global.ty {
            self.shape(state, Shape { base, offset: 0, ty, name: global.source_name.clone(), input, depth: 0 });
        }
    }

    /// Turns the pointers inside freshly made symbolic bytes into input pointers, and makes `_Bool`s 0 or 1.
    fn shape(&mut self, state: &mut State, shape: Shape) {
        let program: &Program = self.program();
        match program.types.get(program.types.resolve(shape.ty)) {
            CType::Int { kind: IntKind::Bool, .. } => {
                let Some(object) = state.memory.find_mut(shape.base) else { return };
                let byte = object.byte_term(&mut self.terms, shape.offset);
                let bit = self.terms.trunc(byte, 1);
                let term = self.terms.zext(bit, 8);
                object.set_byte(shape.offset, Byte::Term(ByteOf { term, index: 0, provenance: 0 }));
            }
            CType::Pointer { target } => self.input_pointer(state, *target, shape),
            CType::Record { members, union, .. } => {
                for member in members {
                    if member.bit_width.is_some() {
                        continue;
                    }
                    let offset = shape.offset + member.bit_offset / 8;
                    let name = match member.name.as_str() {
                        "" => shape.name.clone(),
                        field => field_name(&shape.name, field),
                    };
                    self.shape(state, Shape { offset, ty: member.ty, name, ..shape.clone() });
                    if *union {
                        break; // the members overlap: the first one says what the bytes are
                    }
                }
            }
            CType::Array { element, count } => {
                let size = program.types.size(*element);
                if !holds_pointers(program, *element, 0) {
                    return;
                }
                for index in 0..count.unwrap_or(0) {
                    let name = format!("{}[{index}]", shape.name);
                    self.shape(
                        state,
                        Shape { offset: shape.offset + index * size, ty: *element, name, ..shape.clone() },
                    );
                }
            }
            _ => {}
        }
    }

    fn input_pointer(&mut self, state: &mut State, target: CTypeId, shape: Shape) {
        let symbol = state.inputs[shape.input].symbol;
        let at = shape.offset as u32;
        let term = self.symbol_term(symbol, at, 8);
        let index = state.pointers.len();
        Rc::make_mut(&mut state.pointers).push(InputPointer {
            name: shape.name,
            term,
            holder: shape.input,
            offset: at,
            target,
            depth: shape.depth,
            resolved: None,
        });
        let Some(object) = state.memory.find_mut(shape.base) else { return };
        for byte in 0..8 {
            let byte_of = ByteOf { term, index: byte, provenance: lazy_provenance(index) };
            object.set_byte(shape.offset + u64::from(byte), Byte::Term(byte_of));
        }
    }

    /// The value with an input pointer in it replaced by the address that it was found to have.
    pub(crate) fn settled(&mut self, state: &State, value: Value) -> Value {
        let Some(index) = lazy_index(value.provenance()) else { return value };
        let pointer = &state.pointers[index];
        let address = match pointer.resolved {
            None => return value,
            Some(PointerTarget::Null) => 0,
            Some(PointerTarget::Object { address, .. } | PointerTarget::Function { address }) => address,
        };
        let Some(term) = value.as_term() else { return value };
        let step = self.terms.sub(term, pointer.term);
        let address_term = self.terms.constant(64, u128::from(address));
        let sum = self.terms.add(step, address_term);
        Value::of(&self.terms, sum).with_provenance(address)
    }

    /// Decides what an input pointer is, if that is still open.
    pub(crate) fn settle(&mut self, state: &mut State, value: Value) -> Result<Value, Stop> {
        let Some(index) = lazy_index(value.provenance()) else { return Ok(value) };
        if state.pointers[index].resolved.is_none() {
            match self.resolve(state, index)? {}
        }
        Ok(self.settled(state, value))
    }

    /// Decides what the input pointers are that this address was computed from.
    pub(crate) fn settle_address(&mut self, state: &mut State, address: TermId) -> Result<(), Stop> {
        self.settle_mentioned(state, address, |_, _, _| true)
    }

    /// Decides what the input pointers are that a condition is about. One that asks no more than whether a pointer is null leaves it open; so
    /// does a look into an array of bytes among which there are pointers, see [`Machine::note_read`].
    pub(crate) fn settle_condition(&mut self, state: &mut State, condition: TermId) -> Result<(), Stop> {
        self.settle_mentioned(state, condition, |machine, pointer, bytes| {
            !machine.is_null_test(pointer, condition) && machine.terms.mentions_outside_arrays(condition, bytes)
        })
    }

    /// Decides what the input pointers are whose bytes the term mentions and of which `matters` holds, given the pointer's own
    /// term and its bytes.
    fn settle_mentioned(
        &mut self,
        state: &mut State,
        term: TermId,
        matters: impl Fn(&mut Self, TermId, &dyn Fn(Var) -> bool) -> bool,
    ) -> Result<(), Stop> {
        if state.pointers.iter().all(|pointer| pointer.resolved.is_some()) {
            return Ok(());
        }
        let mentioned = self.terms.support(term);
        for index in 0..state.pointers.len() {
            let pointer = &state.pointers[index];
            let holder = state.inputs[pointer.holder].symbol;
            let bytes = pointer.offset..pointer.offset + 8;
            let is_of_pointer = |byte: Var| byte.symbol == holder && bytes.contains(&byte.offset);
            if pointer.resolved.is_none()
                && mentioned.iter().any(|&byte| is_of_pointer(byte))
                && matters(self, pointer.term, &is_of_pointer)
            {
                match self.resolve(state, index)? {}
            }
        }
        Ok(())
    }

    fn is_null_test(&mut self, pointer: TermId, condition: TermId) -> bool {
        let null = self.terms.constant(64, 0);
        let is_null = self.terms.eq(pointer, null);
        condition == is_null || condition == self.terms.not(is_null)
    }

    /// As [`Machine::settle`], for a pointer that is about to be followed: null is an error that names the input.
    pub(crate) fn dereferenced(&mut self, state: &mut State, value: Value) -> Result<Value, Stop> {
        let Some(index) = lazy_index(value.provenance()) else { return Ok(value) };
        let value = self.settle(state, value)?;
        if state.pointers[index].resolved == Some(PointerTarget::Null) {
            let name = state.pointers[index].name.clone();
            let message = format!("null pointer dereference: {name} is null");
            return Err(self.error_from(state, ErrorKind::Ptr, message, Some(name)));
        }
        Ok(value)
    }

    /// Decides what a pointer is. The operation at hand begins anew, since the state has changed.
    fn resolve(&mut self, state: &mut State, index: usize) -> Result<Infallible, Stop> {
        let pointer = state.pointers[index].clone();
        let program = self.program();
        let target_type = program.types.resolve(pointer.target);
        let mut targets = vec![PointerTarget::Null];
        let pointee = self.pointee(target_type);
        if matches!(program.types.get(target_type), CType::Function { .. }) {
            let number = self.image.number_count + index as u32;
            targets.push(PointerTarget::Function { address: memory::function_address(number) });
        } else {
            if pointer.depth < self.options.pointer_depth {
                let address = state.memory.next_address(pointee.size, 16, Owner::Input);
                let Some(address) = address.filter(|_| pointee.size <= LARGEST_POINTEE) else {
                    let what = format!(
                        "{} bytes behind {}, more than {LARGEST_POINTEE}; lower --array-len",
                        pointee.size, pointer.name
                    );
                    return Err(self.unsupported(state, what));
                };
                targets.push(PointerTarget::Object { input: state.inputs.len(), address });
            }
            for other in state.pointers.iter() {
                let same_type = program.types.resolve(other.target) == target_type;
                if let Some(target @ PointerTarget::Object { .. }) = other.resolved
                    && same_type
                    && !targets.contains(&target)
                {
                    targets.push(target);
                }
            }
        }
        // What no target matches cannot happen; the last one takes it, so that the sides cover all values.
        let mut choices = Vec::new();
        for target in &targets {
            let address = match target {
                PointerTarget::Null => 0,
                PointerTarget::Object { address, .. } | PointerTarget::Function { address } => *address,
            };
            let address = self.terms.constant(64, u128::from(address));
            choices.push(self.terms.eq(pointer.term, address));
        }
        let chosen = match self.pick(state, &choices) {
            Ok(side) => targets[side],
            Err(Stop::Fork(fork)) => return Err(Stop::Fork(Fork { pointer: Some((index, targets)), ..fork })),
            Err(stop) => return Err(stop),
        };
        if let PointerTarget::Object { input, .. } = chosen
            && input == state.inputs.len()
        {
            self.new_pointee(state, &pointer, target_type, pointee, None)?;
        }
        Rc::make_mut(&mut state.pointers)[index].resolved = Some(chosen);
        // When the operation runs again this question does not come up, and what was asked before it has only one answer left.
        state.answers.clear();
        state.cursor = 0;
        Err(Stop::Again)
    }

    /// What input pointers were found to be in a state of another version of the program is what they are in this one as well. Both states have made the same
    /// objects so far, in the same order.
    pub fn adopt(&mut self, state: &mut State, other: &State) -> Result<(), Unshared> {
        let settled = |pointers: &[InputPointer]| pointers.iter().filter(|pointer| pointer.resolved.is_some()).count();
        if settled(&state.pointers) == settled(&other.pointers) {
            return Ok(());
        }
        let mut order: Vec<(u64, &InputPointer)> =
            other.pointers.iter().map(|pointer| (made(pointer), pointer)).collect();
        order.sort_by_key(|(address, pointer)| (*address, pointer.depth));
        let mut again = true;
        while std::mem::take(&mut again) {
            for (_, theirs) in &order {
                let Some(target) = theirs.resolved else { continue };
                let here = |pointer: &InputPointer| pointer.term == theirs.term && pointer.resolved.is_none();
                let Some(index) = state.pointers.iter().position(here) else { continue };
                let target = match target {
                    PointerTarget::Object { input, address } => {
                        self.shared_object(state, index, other, input, address)?
                    }
                    other => other,
                };
                Rc::make_mut(&mut state.pointers)[index].resolved = Some(target);
                state.answers.clear();
                state.cursor = 0;
                again = true;
            }
        }
        Ok(())
    }

    /// The object that the other state has made for an input pointer, here.
    fn shared_object(
        &mut self,
        state: &mut State,
        index: usize,
        other: &State,
        input: usize,
        address: u64,
    ) -> Result<PointerTarget, Unshared> {
        let known = state.pointers.iter().find_map(|pointer| match pointer.resolved {
            Some(target @ PointerTarget::Object { address: at, .. }) if at == address => Some(target),
            _ => None,
        });
        if let Some(target) = known {
            return Ok(target);
        }
        let pointer = state.pointers[index].clone();
        let ty = self.program().types.resolve(pointer.target);
        let pointee = self.pointee(ty);
        let made = &other.inputs[input];
        let next = state.memory.next_address(pointee.size, 16, Owner::Input);
        if next != Some(address) || u64::from(made.size) != pointee.size {
            return Err(Unshared(pointer.name));
        }
        let position = state.inputs.len();
        let named = self.new_pointee(state, &pointer, ty, pointee, Some(&made.name));
        if named.is_err() || state.inputs[position].name != made.name {
            return Err(Unshared(pointer.name));
        }
        Ok(PointerTarget::Object { input: position, address })
    }

    /// How large the memory behind a pointer is.
    fn pointee(&self, ty: CTypeId) -> Pointee {
        let program = self.program();
        let count = self.options.array_len.max(1);
        match program.types.get(ty) {
            CType::Int { kind: IntKind::Char, size: 1, .. } => {
                Pointee { element: 1, count, size: count.saturating_add(1), string: true }
            }
            _ => {
                let element = match program.types.size(ty) {
                    0 => 8, // void and types that are only declared
                    size => size,
                };
                Pointee { element, count, size: element.saturating_mul(count), string: false }
            }
        }
    }

    /// How much memory a pointer to this type would get; `None` for a function.
    pub fn pointee_size(&self, target: CTypeId) -> Option<u64> {
        let ty = self.program().types.resolve(target);
        match self.program().types.get(ty) {
            CType::Function { .. } => None,
            _ => Some(self.pointee(ty).size.min(LARGEST_POINTEE)),
        }
    }

    fn new_pointee(
        &mut self,
        state: &mut State,
        pointer: &InputPointer,
        ty: CTypeId,
        pointee: Pointee,
        name: Option<&str>,
    ) -> Result<(), Stop> {
        let address = self.allocate(state, pointee.size, 16, Owner::Input)?;
        let name = name.map_or_else(|| format!("*{}", pointer.name), str::to_string);
        let symbol = self.add_input(state, &name, pointee.size as u32, InputKind::Given, Some(ty));
        let input = state.inputs.len() - 1;
        let Some(object) = state.memory.find_mut(address) else { return Ok(()) };
        object.set_symbolic(&mut self.terms, 0, pointee.size, symbol);
        if pointee.string {
            object.write_bytes(pointee.count, &[0]);
        } else if holds_pointers(self.program(), ty, 0) {
            for index in 0..pointee.count {
                let name =
                    if index == 0 { format!("(*{})", pointer.name) } else { format!("{}[{index}]", pointer.name) };
                self.shape(
                    state,
                    Shape { base: address, offset: index * pointee.element, ty, name, input, depth: pointer.depth + 1 },
                );
            }
        }
        Ok(())
    }
}

/// Coerced structs are passed in whole registers, so a parameter's object is rounded up to those.
fn room(size: u64) -> u64 {
    size.max(1).div_ceil(8) * 8
}

/// Where the object lies that a pointer leads to: later ones are higher up in their class of size.
fn made(pointer: &InputPointer) -> u64 {
    match pointer.resolved {
        Some(PointerTarget::Object { address, .. }) => address,
        _ => 0,
    }
}

/// Why what an input pointer is in one version cannot be what it is in the other.
#[derive(Debug, thiserror::Error)]
#[error("the memory behind {0} is not the same in both versions")]
pub struct Unshared(String);

#[derive(Clone)]
struct Shape {
    base: u64,
    /// Within the object, which starts together with the input's bytes.
    offset: u64,
    ty: CTypeId,
    name: String,
    input: usize,
    depth: u32,
}

struct Pointee {
    element: u64,
    count: u64,
    size: u64,
    /// `char`: ends in a NUL of its own.
    string: bool,
}

/// `(*p).next` reads better as `p->next`.
fn field_name(owner: &str, field: &str) -> String {
    match owner.strip_prefix("(*").and_then(|rest| rest.strip_suffix(')')) {
        Some(pointer) => format!("{pointer}->{field}"),
        None => format!("{owner}.{field}"),
    }
}

/// Whether a value of the type has pointers or `_Bool`s in it.
fn holds_pointers(program: &Program, ty: CTypeId, depth: u32) -> bool {
    match program.types.get(program.types.resolve(ty)) {
        CType::Pointer { .. } | CType::Int { kind: IntKind::Bool, .. } => true,
        CType::Record { members, .. } if depth < 16 => members.iter().any(|m| holds_pointers(program, m.ty, depth + 1)),
        CType::Array { element, .. } if depth < 16 => holds_pointers(program, *element, depth + 1),
        _ => false,
    }
}
