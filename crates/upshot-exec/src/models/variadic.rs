//! `va_start` on x86-64: clang expands `va_arg` itself, so the register save area and the overflow area must be laid out as
//! the System V ABI says.

use upshot_ir::{FloatFormat, Operand, Scalar};

use crate::access::{Offset, Place};
use crate::machine::{Machine, Stop};
use crate::memory::{Byte, ByteOf, Owner};
use crate::state::{State, VariadicArgument};
use crate::value::Value;

const INTEGER_REGISTERS: u64 = 6;
const VECTOR_REGISTERS: u64 = 8;
/// Six integer registers of 8 bytes, then eight vector registers of 16.
const SAVE_AREA: u64 = INTEGER_REGISTERS * 8 + VECTOR_REGISTERS * 16;

impl Machine<'_> {
    pub(crate) fn start_variadic(&mut self, state: &mut State, list: Operand) -> Result<(), Stop> {
        let list = self.operand(state, list, 64)?;
        let place = self.place(state, list, 24, true)?;
        let (mut integers, mut vectors) = self.registers_taken(state);
        let (first_integer, first_vector) = (integers, vectors);
        let variadic = state.frame.variadic.clone();
        let mut save: Vec<(u64, VariadicArgument)> = Vec::new();
        let mut overflow: Vec<(u64, VariadicArgument)> = Vec::new();
        let mut top = 0u64;
        for argument in variadic {
            match class_of(&argument) {
                Class::Integer(count) if integers + count <= INTEGER_REGISTERS => {
                    save.push((integers * 8, argument));
                    integers += count;
                }
                Class::Vector if vectors < VECTOR_REGISTERS => {
                    save.push((INTEGER_REGISTERS * 8 + vectors * 16, argument));
                    vectors += 1;
                }
                _ => {
                    let (size, align) = argument.by_value.unwrap_or_else(|| {
                        let size = u64::from(argument.scalar.store_size());
                        (size, if size > 8 { 16 } else { 8 })
                    });
                    top = top.next_multiple_of(u64::from(align.max(8)));
                    overflow.push((top, argument));
                    top += size.next_multiple_of(8);
                }
            }
        }
        let owner = Owner::Stack(state.frame.function);
        let save_area = self.allocate(state, SAVE_AREA, 16, owner)?;
        let overflow_area = self.allocate(state, top.max(8), 16, owner)?;
        state.frame.objects.extend([save_area, overflow_area]);
        self.put(state, save_area, &save)?;
        self.put(state, overflow_area, &overflow)?;
        let mut header = Vec::new();
        header.extend(((first_integer * 8) as u32).to_le_bytes());
        header.extend(((INTEGER_REGISTERS * 8 + first_vector * 16) as u32).to_le_bytes());
        header.extend(overflow_area.to_le_bytes());
        header.extend(save_area.to_le_bytes());
        let header: Vec<Byte> = header.into_iter().map(Byte::Concrete).collect();
        self.write_run(state, place, &header);
        Ok(())
    }

    /// How many registers the named parameters use up.
    fn registers_taken(&self, state: &State) -> (u64, u64) {
        let function = self.program().function(state.frame.function);
        let mut integers = u64::from(function.struct_return.is_some());
        let mut vectors = 0;
        for parameter in &function.parameters {
            if parameter.by_value.is_some() {
                continue;
            }
            for (_, scalar) in &parameter.scalars {
                match scalar {
                    Scalar::Float(FloatFormat::X87) => {}
                    Scalar::Float(_) => vectors += 1,
                    Scalar::Int(width) => integers += u64::from(*width).div_ceil(64),
                    Scalar::Pointer => integers += 1,
                }
            }
        }
        (integers.min(INTEGER_REGISTERS), vectors.min(VECTOR_REGISTERS))
    }

    fn put(&mut self, state: &mut State, base: u64, arguments: &[(u64, VariadicArgument)]) -> Result<(), Stop> {
        for (offset, argument) in arguments {
            let bytes = match argument.by_value {
                Some((size, _)) => {
                    let place = self.place(state, argument.value, size, false)?;
                    self.read_run(state, place, size)
                }
                None => self.word(argument.value, argument.scalar),
            };
            self.write_run(state, Place { base, offset: Offset::Known(*offset) }, &bytes);
        }
        Ok(())
    }

    /// The bytes of a scalar. Registers hold whole words: what is narrower has been extended by the caller.
    fn word(&mut self, value: Value, scalar: Scalar) -> Vec<Byte> {
        let width = scalar.width();
        let length = scalar.store_size().max(8) as u8;
        match value.as_term() {
            None => value.bits(width).to_le_bytes()[..usize::from(length)].iter().map(|&b| Byte::Concrete(b)).collect(),
            Some(term) => {
                let whole = if width < length * 8 { self.terms.zext(term, length * 8) } else { term };
                let provenance = value.provenance();
                (0..length).map(|index| Byte::Term(ByteOf { term: whole, index, provenance })).collect()
            }
        }
    }
}

/// Where the ABI puts an argument if there is room.
enum Class {
    /// In so many integer registers.
    Integer(u64),
    Vector,
    Memory,
}

fn class_of(argument: &VariadicArgument) -> Class {
    match argument.scalar {
        _ if argument.by_value.is_some() => Class::Memory,
        Scalar::Float(FloatFormat::X87) => Class::Memory,
        Scalar::Float(_) => Class::Vector,
        Scalar::Int(width) => Class::Integer(u64::from(width).div_ceil(64)),
        Scalar::Pointer => Class::Integer(1),
    }
}
