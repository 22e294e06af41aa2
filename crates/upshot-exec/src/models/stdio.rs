//! Output: what the program prints is recorded, as bytes where it is concrete and as terms where it is not.
//!
//! Printing never forks and never ends a path; a conversion of a symbolic value is kept as such and printed for the values of a test.

use std::rc::Rc;

use upshot_ir::{FloatFormat, IntPredicate, Scalar};

use super::format::{Conversion, Count};
use super::{CallSite, Model, Reply};
use crate::access::Offset;
use crate::error::ErrorKind;
use crate::machine::{Machine, Stop};
use crate::memory::{Byte, stream_at};
use crate::recording::Event;
use crate::state::{Output, Piece, State};
use crate::value::Value;

pub(super) const TABLE: &[(&str, Model)] = &[
    ("printf", printf),
    ("__printf_chk", printf_checked),
    ("fprintf", fprintf),
    ("__fprintf_chk", fprintf_checked),
    ("dprintf", dprintf),
    ("vprintf", vprintf),
    ("vfprintf", vfprintf),
    ("puts", puts),
    ("putchar", putchar),
    ("putchar_unlocked", putchar),
    ("fputs", fputs),
    ("fputc", fputc),
    ("putc", fputc),
    ("_IO_putc", fputc),
    ("fwrite", fwrite),
    ("write", write),
    ("fflush", fflush),
    ("setvbuf", zero_of_stream),
    ("setbuf", setbuf),
    ("fclose", zero_of_stream),
    ("getchar", getchar),
    ("getchar_unlocked", getchar),
    ("getc", fgetc),
    ("fgetc", fgetc),
    ("_IO_getc", fgetc),
    ("fread", fread),
    ("fgets", fgets),
    ("feof", feof),
    ("ferror", zero_of_stream),
];

const END_OF_FILE: Value = Value::int(u32::MAX as u64);

/// Where variadic arguments come from: the call itself, or a `va_list` in memory.
enum Source<'a> {
    Call { site: &'a CallSite<'a>, first: usize, next: usize },
    List { integers: u64, vectors: u64, overflow: u64, save: u64 },
}

/// What needs nothing done to a standard stream, and cannot fail.
fn zero_of_stream(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    stream(machine, state, site, 0)?;
    Ok(Reply::Value(Value::ZERO))
}

/// Null stands for all streams.
fn fflush(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let pointer = site.argument(machine, state, 0)?;
    if machine.settle(state, pointer)?.as_concrete(64) == Some(0) {
        return Ok(Reply::Value(Value::ZERO));
    }
    zero_of_stream(machine, state, site)
}

fn setbuf(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    stream(machine, state, site, 0)?;
    Ok(Reply::Nothing)
}

/// Standard input is empty, but that is only known once something was to be read.
fn feof(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let stream = stream(machine, state, site, 0)?;
    Ok(Reply::Value(Value::bool(stream == 0 && state.input_ended)))
}

/// A stream that is read from.
fn input(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>, index: usize) -> Result<(), Stop> {
    match stream(machine, state, site, index)? {
        0 => {
            state.input_ended = true;
            Ok(())
        }
        _ => Err(machine.unsupported(state, "reading from stdout or stderr")),
    }
}

fn fgets(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    input(machine, state, site, 2)?;
    Ok(Reply::Value(Value::ZERO))
}

fn fread(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let (size, count) = (site.argument(machine, state, 1)?, site.argument(machine, state, 2)?);
    if !size.both_concrete(count) {
        return Err(machine.unsupported(state, "reading a symbolic number of bytes"));
    }
    if size.low() == 0 || count.low() == 0 {
        stream(machine, state, site, 3)?;
    } else {
        input(machine, state, site, 3)?;
    }
    Ok(Reply::Value(Value::ZERO))
}

fn fgetc(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    input(machine, state, site, 0)?;
    Ok(Reply::Value(END_OF_FILE))
}

fn getchar(_: &mut Machine<'_>, state: &mut State, _: &CallSite<'_>) -> Result<Reply, Stop> {
    state.input_ended = true;
    Ok(Reply::Value(END_OF_FILE))
}

fn printf(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    print(machine, state, 1, site, 0)
}

fn printf_checked(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    print(machine, state, 1, site, 1)
}

fn fprintf(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let stream = stream(machine, state, site, 0)?;
    print(machine, state, stream, site, 1)
}

fn fprintf_checked(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let stream = stream(machine, state, site, 0)?;
    print(machine, state, stream, site, 2)
}

fn dprintf(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let descriptor = descriptor(machine, state, site, 0)?;
    print(machine, state, descriptor, site, 1)
}

fn vprintf(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    print_list(machine, state, 1, site, 0)
}

fn vfprintf(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let stream = stream(machine, state, site, 0)?;
    print_list(machine, state, stream, site, 1)
}

/// Which stream a `FILE *` argument is.
fn stream(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>, index: usize) -> Result<u32, Stop> {
    let pointer = site.argument(machine, state, index)?;
    let pointer = machine.dereferenced(state, pointer)?;
    if pointer.as_concrete(64) == Some(0) {
        return Err(machine.error(state, ErrorKind::Ptr, "a null pointer is given as a stream"));
    }
    match pointer.as_concrete(64).and_then(|address| stream_at(address as u64)) {
        Some(stream) => Ok(stream),
        None => Err(machine.unsupported(state, "a file that is not one of the standard streams")),
    }
}

fn descriptor(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>, index: usize) -> Result<u32, Stop> {
    let value = site.argument(machine, state, index)?;
    match value.as_concrete(32) {
        Some(descriptor @ 1..=2) => Ok(descriptor as u32),
        _ => Err(machine.unsupported(state, "output to a descriptor that is not 1 or 2")),
    }
}

fn print(
    machine: &mut Machine<'_>,
    state: &mut State,
    stream: u32,
    site: &CallSite<'_>,
    format: usize,
) -> Result<Reply, Stop> {
    let text = site.argument(machine, state, format)?;
    let source = Source::Call { site, first: format + 1, next: format + 1 };
    let rendered = render(machine, state, text, source)?;
    emit_and_count(machine, state, stream, rendered)
}

fn print_list(
    machine: &mut Machine<'_>,
    state: &mut State,
    stream: u32,
    site: &CallSite<'_>,
    format: usize,
) -> Result<Reply, Stop> {
    let text = site.argument(machine, state, format)?;
    let list = site.argument(machine, state, format + 1)?;
    let mut field = |machine: &mut Machine<'_>, offset, scalar: Scalar| {
        let pointer = machine.displaced(list, offset);
        let value = machine.load(state, pointer, scalar)?;
        match value.as_concrete(scalar.width()) {
            Some(value) => Ok(value as u64),
            None => Err(machine.unsupported(state, "a va_list that is symbolic")),
        }
    };
    let source = Source::List {
        integers: field(machine, 0, Scalar::Int(32))?,
        vectors: field(machine, 4, Scalar::Int(32))?,
        overflow: field(machine, 8, Scalar::Int(64))?,
        save: field(machine, 16, Scalar::Int(64))?,
    };
    let rendered = render(machine, state, text, source)?;
    emit_and_count(machine, state, stream, rendered)
}

/// What a format and its arguments come to.
#[derive(Default)]
struct Rendered {
    pieces: Vec<Piece>,
    /// `%n`: where to put how much was printed by then, the size of that, and how many pieces come before it.
    counts: Vec<(Value, Scalar, usize)>,
}

impl Source<'_> {
    /// The argument with this number, from 1, is next.
    fn turn_to(&mut self, machine: &mut Machine<'_>, state: &mut State, position: usize) -> Result<(), Stop> {
        match self {
            Source::Call { first, next, .. } if position > 0 => {
                *next = *first + position - 1;
                Ok(())
            }
            _ => Err(machine.unsupported(state, "printf with numbered arguments in a va_list")),
        }
    }

    /// The next argument, of this kind.
    fn next(&mut self, machine: &mut Machine<'_>, state: &mut State, scalar: Scalar) -> Result<Value, Stop> {
        match self {
            Source::Call { site, next, .. } => {
                let index = *next;
                *next += 1;
                if index >= site.arguments.len() {
                    return Err(machine.error(
                        state,
                        ErrorKind::Model,
                        "printf with fewer arguments than its format asks for",
                    ));
                }
                site.argument(machine, state, index)
            }
            Source::List { integers, vectors, overflow, save } => {
                let address = match scalar {
                    Scalar::Float(FloatFormat::X87) => {
                        let start = overflow.div_ceil(16) * 16;
                        *overflow = start + 16;
                        start
                    }
                    Scalar::Float(_) if *vectors < 176 => {
                        *vectors += 16;
                        *save + *vectors - 16
                    }
                    Scalar::Int(_) | Scalar::Pointer if *integers < 48 => {
                        *integers += 8;
                        *save + *integers - 8
                    }
                    _ => {
                        *overflow += 8;
                        *overflow - 8
                    }
                };
                machine.load(state, Value::int(address), scalar)
            }
        }
    }
}

/// Turns a format and its arguments into pieces.
fn render(machine: &mut Machine<'_>, state: &mut State, text: Value, mut source: Source<'_>) -> Result<Rendered, Stop> {
    if let Some(base) = text.as_concrete(64).and_then(|at| state.memory.find(at as u64)).map(|object| object.base) {
        state.touched(false, base, 0, 0);
    }
    let Some(format) = machine.bytes_of_string(state, text) else {
        return Err(machine.unsupported(state, "printf with a symbolic format"));
    };
    let mut rendered = Rendered::default();
    let mut at = 0;
    while at < format.len() {
        let plain = format[at..].iter().position(|&byte| byte == b'%').unwrap_or(format.len() - at);
        if plain > 0 {
            rendered.pieces.push(Piece::Bytes(format[at..at + plain].to_vec()));
            at += plain;
            continue;
        }
        let Some((mut conversion, length)) = Conversion::parse(&format[at + 1..]) else { break };
        at += 1 + length;
        for count in [Some(&mut conversion.width), conversion.precision.as_mut()].into_iter().flatten() {
            if *count == Count::Argument {
                let value = source.next(machine, state, Scalar::Int(32))?;
                let Some(value) = value.as_concrete(32) else {
                    return Err(machine.unsupported(state, "printf with a symbolic width or precision"));
                };
                *count = Count::Given(value as u32 as i32 as isize as usize);
            }
        }
        normalize(&mut conversion);
        if let Some(position) = conversion.position {
            source.turn_to(machine, state, position)?;
        }
        if conversion.letter == b'n' {
            let pointer = source.next(machine, state, Scalar::Pointer)?;
            rendered.counts.push((pointer, Scalar::Int(conversion.integer_width()), rendered.pieces.len()));
        } else {
            rendered.pieces.push(piece(machine, state, &conversion, &mut source)?);
        }
    }
    Ok(rendered)
}

/// Negative `*` arguments: a negative width means left-justified, a negative precision none.
fn normalize(conversion: &mut Conversion) {
    if let Count::Given(width) = conversion.width
        && (width as isize) < 0
    {
        conversion.left = true;
        conversion.width = Count::Given((width as isize).unsigned_abs());
    }
    if let Some(Count::Given(precision)) = conversion.precision
        && (precision as isize) < 0
    {
        conversion.precision = None;
    }
}

fn piece(
    machine: &mut Machine<'_>,
    state: &mut State,
    conversion: &Conversion,
    source: &mut Source<'_>,
) -> Result<Piece, Stop> {
    let scalar = match conversion.letter {
        b'%' => return Ok(Piece::Bytes(vec![b'%'])),
        b'c' | b's' if conversion.length == "l" => {
            return Err(machine.unsupported(state, "printf of wide characters"));
        }
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'b' | b'B' => match conversion.length.as_str() {
            "" | "h" | "hh" => Scalar::Int(32),
            _ => Scalar::Int(64),
        },
        b'c' => Scalar::Int(32),
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' if conversion.length == "L" => {
            Scalar::Float(FloatFormat::X87)
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => Scalar::Float(FloatFormat::F64),
        b's' => {
            let pointer = source.next(machine, state, Scalar::Pointer)?;
            let pointer = machine.settle(state, pointer)?;
            if pointer.as_concrete(64) == Some(0) {
                return Ok(Piece::Bytes(conversion.string(b"(null)")));
            }
            let most = match conversion.precision {
                Some(Count::Given(most)) => Some(most as u64),
                _ => None,
            };
            let bytes = machine.string_bytes(state, pointer, most)?;
            return Ok(text_piece(machine, conversion, bytes));
        }
        b'p' => Scalar::Pointer,
        b'm' => {
            let text = error_text(machine, state)?;
            return Ok(Piece::Bytes(conversion.string(text.as_bytes())));
        }

        other => {
            return Err(machine.unsupported(state, format!("printf conversion %{}", char::from(other))));
        }
    };
    let value = source.next(machine, state, scalar)?;
    let value = machine.settle(state, value)?;
    state.note_truncation(scalar.width(), value);
    Ok(match value.as_term() {
        None => Piece::Bytes(conversion.scalar(value.bits(scalar.width()), scalar.width())),
        Some(value) => Piece::Formatted { conversion: conversion.text(), value },
    })
}

/// What `%m` prints: the name of the error in `errno`.
fn error_text(machine: &mut Machine<'_>, state: &mut State) -> Result<String, Stop> {
    let number = match machine.errno() {
        None => 0,
        Some(place) => match machine.load(state, place, Scalar::Int(32))?.as_concrete(32) {
            Some(number) => number as u32 as i32,
            None => return Err(machine.unsupported(state, "printf conversion %m with a symbolic errno")),
        },
    };
    let text = std::io::Error::from_raw_os_error(number).to_string();
    Ok(text.split(" (os error").next().unwrap_or_default().to_string())
}

fn text_piece(machine: &mut Machine<'_>, conversion: &Conversion, bytes: Vec<Byte>) -> Piece {
    let concrete: Option<Vec<u8>> =
        bytes.iter().map(|byte| if let Byte::Concrete(value) = byte { Some(*value) } else { None }).collect();
    match concrete {
        Some(bytes) => Piece::Bytes(conversion.string(&bytes)),
        None => Piece::Text {
            conversion: conversion.text(),
            bytes: bytes.into_iter().map(|byte| machine.term_of(byte)).collect(),
        },
    }
}

/// Records the pieces; the result is how many bytes that is, unknown where a piece is symbolic.
fn emit_and_count(
    machine: &mut Machine<'_>,
    state: &mut State,
    stream: u32,
    rendered: Rendered,
) -> Result<Reply, Stop> {
    // Where a count goes may be a question, so the counts come before anything that cannot be repeated.
    for (pointer, scalar, before) in rendered.counts {
        let count = match rendered.pieces[..before].iter().try_fold(0, |sum, piece| Some(sum + length_of(piece)?)) {
            Some(count) => Value::int(count),
            None => return Err(machine.unsupported(state, "printf conversion %n after symbolic text")),
        };
        machine.store(state, pointer, scalar, count)?;
    }
    let mut length = Some(0u64);
    for piece in rendered.pieces {
        length = length.and_then(|length| Some(length + length_of(&piece)?));
        machine.emit(state, stream, piece);
    }
    let result = match length {
        Some(length) => Value::int(length),
        None => machine.unknown(state, "printf result", 32),
    };
    Ok(Reply::Value(result))
}

/// How many bytes a piece is; `None` where that depends on symbolic data.
fn length_of(piece: &Piece) -> Option<u64> {
    match piece {
        Piece::Bytes(bytes) => Some(bytes.len() as u64),
        Piece::Byte(_) => Some(1),
        Piece::Formatted { conversion, .. } if conversion == "%c" => Some(1),
        _ => None,
    }
}

fn puts(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    put_string(machine, state, site, 1, Some(b'\n'))
}

fn fputs(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let stream = stream(machine, state, site, 1)?;
    put_string(machine, state, site, stream, None)
}

fn put_string(
    machine: &mut Machine<'_>,
    state: &mut State,
    site: &CallSite<'_>,
    stream: u32,
    end: Option<u8>,
) -> Result<Reply, Stop> {
    let pointer = site.argument(machine, state, 0)?;
    let bytes = machine.string_bytes(state, pointer, None)?;
    let plain = Conversion { letter: b's', ..Conversion::default() };
    let piece = text_piece(machine, &plain, bytes);
    // glibc's puts tells the length, its fputs does not.
    let mut result = Value::int(1);
    if end.is_some() {
        result = match length_of(&piece) {
            Some(length) => Value::int(length + 1),
            None => machine.unknown(state, "puts result", 32),
        };
    }
    machine.emit(state, stream, piece);
    if let Some(end) = end {
        machine.emit(state, stream, Piece::Bytes(vec![end]));
    }
    Ok(Reply::Value(result))
}

fn put_byte(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>, stream: u32) -> Result<Reply, Stop> {
    let value = site.argument(machine, state, 0)?;
    let term = value.to_term(&mut machine.terms, 32);
    let byte = machine.terms.trunc(term, 8);
    let piece = match machine.terms.as_const(byte) {
        Some(byte) => Piece::Bytes(vec![byte as u8]),
        None => Piece::Byte(byte),
    };
    machine.emit(state, stream, piece);
    let result = machine.terms.zext(byte, 32);
    Ok(Reply::Value(Value::of(&machine.terms, result)))
}

fn putchar(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    put_byte(machine, state, site, 1)
}

fn fputc(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let stream = stream(machine, state, site, 1)?;
    put_byte(machine, state, site, stream)
}

fn put_run(
    machine: &mut Machine<'_>,
    state: &mut State,
    pointer: Value,
    length: Value,
    stream: u32,
) -> Result<(), Stop> {
    let Some(length) = length.as_concrete(64) else {
        return Err(machine.unsupported(state, "writing a symbolic number of bytes"));
    };
    if length == 0 {
        return Ok(());
    }
    let length = u64::try_from(length).unwrap_or(u64::MAX);
    let place = machine.place(state, pointer, length, false)?;
    for byte in machine.read_run(state, place, length) {
        let piece = match byte {
            Byte::Concrete(value) => Piece::Bytes(vec![value]),
            other => Piece::Byte(machine.term_of(other)),
        };
        machine.emit(state, stream, piece);
    }
    Ok(())
}

fn fwrite(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let stream = stream(machine, state, site, 3)?;
    let (pointer, size, count) =
        (site.argument(machine, state, 0)?, site.argument(machine, state, 1)?, site.argument(machine, state, 2)?);
    let (a, b) = (size.to_term(&mut machine.terms, 64), count.to_term(&mut machine.terms, 64));
    let length = machine.terms.mul(a, b);
    let length = Value::of(&machine.terms, length);
    put_run(machine, state, pointer, length, stream)?;
    Ok(Reply::Value(if size.as_concrete(64) == Some(0) { Value::ZERO } else { count }))
}

fn write(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let descriptor = descriptor(machine, state, site, 0)?;
    let (pointer, length) = (site.argument(machine, state, 1)?, site.argument(machine, state, 2)?);
    put_run(machine, state, pointer, length, descriptor)?;
    Ok(Reply::Value(length))
}

impl Machine<'_> {
    pub(crate) fn emit(&mut self, state: &mut State, stream: u32, piece: Piece) {
        let pc = state.frame.pc;
        state.happened(Event::Output { pc, stream });
        let output = Rc::make_mut(&mut state.output);
        if let (Piece::Bytes(more), Some(Output { stream: last, piece: Piece::Bytes(bytes) })) =
            (&piece, output.last_mut())
            && *last == stream
        {
            bytes.extend(more);
            return;
        }
        output.push(Output { stream, piece });
    }

    fn bytes_of_string(&self, state: &State, pointer: Value) -> Option<Vec<u8>> {
        let address = pointer.as_concrete(64)? as u64;
        let object = state.memory.find(address)?;
        let start = address.checked_sub(object.base)?;
        let bytes = object.bytes().get(start as usize..)?;
        let length = bytes.iter().position(|&byte| byte == 0)?;
        object.is_concrete(start, length as u64 + 1).then(|| bytes[..length].to_vec())
    }

    /// The bytes from a pointer up to the first that is zero for certain, at most `most` of them. If the string need not end within
    /// its object, that is an error path.
    fn string_bytes(&mut self, state: &mut State, pointer: Value, most: Option<u64>) -> Result<Vec<Byte>, Stop> {
        if most == Some(0) {
            return Ok(Vec::new());
        }
        let place = self.place(state, pointer, 1, false)?;
        let size = state.memory.find(place.base).map_or(0, |object| object.size);
        let offset = match place.offset {
            Offset::Known(offset) => offset,
            // Past the end the array reads as zero, so the text ends there for printing; that it may end there is checked below.
            Offset::Symbolic(_) => 0,
        };
        let room = (size - offset).min(most.unwrap_or(u64::MAX));
        let bytes = self.read_run(state, place, room);
        if let (Some(end), Offset::Known(_)) = (bytes.iter().position(|&byte| byte == Byte::Concrete(0)), place.offset)
        {
            return Ok(bytes[..end].to_vec());
        }
        if Some(room) == most {
            return Ok(bytes);
        }
        let zero = self.terms.constant(8, 0);
        let mut ends = self.terms.bool(false);
        for (index, &byte) in bytes.iter().enumerate() {
            let byte = self.term_of(byte);
            let mut is_end = self.terms.compare(IntPredicate::Eq, byte, zero);
            if let Offset::Symbolic(start) = place.offset {
                let last = self.terms.constant(64, u128::from(size - 1 - index as u64));
                let within = self.terms.compare(IntPredicate::Ule, start, last);
                is_end = self.terms.and(is_end, within);
            }
            ends = self.terms.or(ends, is_end);
        }
        if self.decide(state, ends)? {
            return Ok(bytes);
        }
        Err(self.error(state, ErrorKind::Ptr, "out of bounds: a string without an end"))
    }
}
