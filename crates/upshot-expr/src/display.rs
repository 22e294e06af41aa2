//! Terms as text that a C programmer can read: `x < 10`, `p->length + 5`. It is a rendering for people, not a notation to be
//! read back: an extension is a cast or nothing, bytes that make up an input object are its name, and what gets too long or
//! too deep ends in an ellipsis. Operators on floats carry a dot, `x +. y`, since terms have no types to tell them by.
//!
//! A comparison says how it reads its operands where C would read them otherwise: `(int)n < 10` for an unsigned n. How C reads them follows from
//! what was said of the inputs ([`Terms::name_parts`]); of an input without a type, each signed reading is a cast.

use std::fmt::{self, Write};

use crate::Terms;
use crate::fold::{mask, signed};
use crate::naming::PartReading;
use crate::node::{ArrayId, ArrayNode, Node, SymbolId, TermId};
use crate::ops::{BinOp, FloatBinOp, FloatFormat, FloatUnOp};

/// Where the text is cut off.
const MOST_CHARACTERS: usize = 2000;
const MOST_NESTING: u32 = 60;

/// A term that can be printed; see [`Terms::display`].
struct Displayed<'a> {
    terms: &'a Terms,
    term: TermId,
}

impl Terms {
    /// The term in a C-like notation, cut off where it gets long.
    pub fn display(&self, term: TermId) -> impl fmt::Display + '_ {
        Displayed { terms: self, term }
    }
}

impl fmt::Display for Displayed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer { terms: self.terms, text: String::new(), nesting: 0 };
        // The only error is that the text has become too long.
        let _ = printer.term(self.term, Place::Alone);
        f.write_str(&printer.text)
    }
}

/// Where a term stands, which decides on parentheses and on how a constant is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing around it that could bind to it.
    Alone,
    /// An operand of a sum: products and sums need no parentheses.
    Sum,
    /// An operand of `&&` or `||`: comparisons need no parentheses.
    Logic,
    /// An operand of anything else.
    Operand,
}

/// How a number is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Negative if it is close below zero.
    Near,
    Unsigned,
    Signed,
}

/// How C reads a term as it is written here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Signed,
    Unsigned,
    /// Its value is the same either way: a small constant, an unsigned char.
    Either,
}

struct Printer<'a> {
    terms: &'a Terms,
    text: String,
    nesting: u32,
}

impl Write for Printer<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.text.len() + text.len() > MOST_CHARACTERS {
            self.text.push('…');
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

impl Printer<'_> {
    fn term(&mut self, term: TermId, place: Place) -> fmt::Result {
        if self.nesting == MOST_NESTING {
            return self.write_str("…");
        }
        self.nesting += 1;
        let result = self.nested(term, place);
        self.nesting -= 1;
        result
    }

    fn nested(&mut self, term: TermId, place: Place) -> fmt::Result {
        if let Some(run) = self.input_bytes(term) {
            return self.write_str(&self.run_name(run));
        }
        let needs = match self.terms.node(term) {
            Node::Const(_) | Node::WideConst(_) | Node::Byte { .. } | Node::Read { .. } => false,
            Node::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) => place == Place::Operand || place == Place::Logic,
            Node::Eq(..) | Node::Ult(..) | Node::Ule(..) | Node::Slt(..) | Node::Sle(..) => {
                place == Place::Operand || place == Place::Sum
            }
            Node::FloatEq(..) | Node::FloatLt(..) | Node::FloatLe(..) => place == Place::Operand || place == Place::Sum,
            Node::Not(inner) if self.is_comparison(inner) => place == Place::Operand || place == Place::Sum,
            Node::Not(_) | Node::SExt(_) | Node::FloatCast { .. } => false,
            Node::FloatToInt { .. } | Node::IntToFloat { .. } => false,
            Node::FloatUn(..) | Node::FloatIsNan(..) | Node::FloatFma(..) => false,
            Node::ZExt(inner) => return self.extended(inner, place),
            Node::Extract { low, .. } if low == 0 && type_name(self.terms.width(term), false).is_some() => false,
            _ => place != Place::Alone,
        };
        if !needs {
            return self.bare(term);
        }
        self.write_str("(")?;
        self.bare(term)?;
        self.write_str(")")
    }

    fn is_comparison(&self, term: TermId) -> bool {
        matches!(self.terms.node(term), Node::Eq(..) | Node::Ult(..) | Node::Ule(..) | Node::Slt(..) | Node::Sle(..))
    }

    /// A term without parentheses around it.
    fn bare(&mut self, term: TermId) -> fmt::Result {
        let width = self.terms.width(term);
        match self.terms.node(term) {
            Node::Const(_) | Node::WideConst(_) => self.constant(term, Reading::Near),
            Node::Byte { symbol, offset } => {
                let name = self.byte_name(symbol, offset);
                self.write_str(&name)
            }
            Node::Read { array, index } => self.read(array, index),
            Node::Not(inner) => self.negated(inner),
            Node::Bin(op, a, b) => self.binary(op, a, b),
            Node::Eq(a, b) => self.comparison(a, "==", b, Reading::Near),
            Node::Ult(a, b) => self.comparison(a, "<", b, Reading::Unsigned),
            Node::Ule(a, b) => self.comparison(a, "<=", b, Reading::Unsigned),
            Node::Slt(a, b) => self.comparison(a, "<", b, Reading::Signed),
            Node::Sle(a, b) => self.comparison(a, "<=", b, Reading::Signed),
            Node::Ite(condition, a, b) => {
                self.term(condition, Place::Operand)?;
                self.infix(" ? ", a, Place::Operand)?;
                self.infix(" : ", b, Place::Operand)
            }
            Node::Extract { term: whole, low } => self.extracted(whole, low, width),
            Node::Concat(high, low) => {
                let count = self.terms.width(low);
                self.term(high, Place::Operand)?;
                write!(self, " << {count}")?;
                if self.terms.is_zero(low) { Ok(()) } else { self.infix(" | ", low, Place::Operand) }
            }
            Node::ZExt(inner) => self.extended(inner, Place::Operand),
            Node::SExt(inner) => self.side(inner, Reading::Signed, inner),
            node => self.float(node, width),
        }
    }

    fn infix(&mut self, operator: &str, term: TermId, place: Place) -> fmt::Result {
        self.write_str(operator)?;
        self.term(term, place)
    }

    /// `!(a == b)` as `a != b`, and so on.
    fn negated(&mut self, inner: TermId) -> fmt::Result {
        match self.terms.node(inner) {
            Node::Eq(a, b) => self.comparison(a, "!=", b, Reading::Near),
            Node::Ult(a, b) => self.comparison(a, ">=", b, Reading::Unsigned),
            Node::Ule(a, b) => self.comparison(a, ">", b, Reading::Unsigned),
            Node::Slt(a, b) => self.comparison(a, ">=", b, Reading::Signed),
            Node::Sle(a, b) => self.comparison(a, ">", b, Reading::Signed),
            _ if self.terms.width(inner) == 1 => self.infix("!", inner, Place::Operand),
            _ => self.infix("~", inner, Place::Operand),
        }
    }

    fn comparison(&mut self, a: TermId, operator: &str, b: TermId, reading: Reading) -> fmt::Result {
        if reading == Reading::Signed
            && self.terms.is_zero(b)
            && let Some(name) = self.integer_of_sign(a)
        {
            return write!(self, "{name} {operator} 0");
        }
        self.side(a, reading, b)?;
        if let Some((operator, letter)) = self.with_neighbour(a, operator, b) {
            return write!(self, " {operator} '{letter}'");
        }
        write!(self, " {operator} ")?;
        self.side(b, reading, a)
    }

    /// `c <= '9'` says more than `c < ':'`.
    fn with_neighbour(&self, a: TermId, operator: &str, b: TermId) -> Option<(&'static str, char)> {
        let value = u8::try_from(self.terms.as_const(b)?).ok()?;
        let operator = match operator {
            "<" => "<=",
            ">=" => ">",
            _ => return None,
        };
        let before = value.checked_sub(1)?;
        let says_more = before.is_ascii_alphanumeric() && !value.is_ascii_alphanumeric();
        (says_more && self.is_character(a)).then(|| (operator, char::from(before)))
    }

    /// The input integer whose highest byte this is: the sign of that byte is the sign of the integer.
    fn integer_of_sign(&self, term: TermId) -> Option<String> {
        let Node::Byte { symbol, offset } = self.terms.node(term) else { return None };
        let cast = |bytes: u32| type_name(u8::try_from(bytes.checked_mul(8)?).ok()?, true);
        if let Some(part) = self.terms.part_that_ends(symbol, offset) {
            let is_signed = part.reading == PartReading::Signed;
            return Some(if is_signed { part.name.clone() } else { format!("({}){}", cast(part.size)?, part.name) });
        }
        let size = self.terms.symbol_size(symbol);
        (size > 1 && offset + 1 == size).then_some(())?;
        Some(format!("({}){}", cast(size)?, self.terms.symbol_name(symbol)))
    }

    /// One side of an operation that reads its operands in this way; where C would not, with a cast.
    fn side(&mut self, term: TermId, reading: Reading, other: TermId) -> fmt::Result {
        if self.terms.as_const(term).is_some() {
            return self.constant_beside(term, reading, other);
        }
        let width = self.terms.width(term);
        match (reading, self.sign(term)) {
            (Reading::Signed, None | Some(Sign::Unsigned)) => self.cast(width, true, term),
            (Reading::Unsigned, Some(Sign::Signed)) => self.cast(width, false, term),
            _ => self.term(term, Place::Operand),
        }
    }

    /// A constant next to a term, as C would have it there.
    fn constant_beside(&mut self, constant: TermId, reading: Reading, other: TermId) -> fmt::Result {
        let Some(value) = self.terms.as_const(constant) else { return Ok(()) };
        let byte = value as u8;
        if self.is_character(other) && value == u128::from(byte) && (byte.is_ascii_graphic() || byte == b' ') {
            let escape = if matches!(byte, b'\'' | b'\\') { "\\" } else { "" };
            return write!(self, "'{escape}{}'", char::from(byte));
        }
        if value == 0 && self.part_reading(other) == Some(PartReading::Pointer) {
            return self.write_str("NULL");
        }
        match (reading, self.sign(other)) {
            (Reading::Unsigned | Reading::Near, Some(Sign::Unsigned | Sign::Either)) => {
                write!(self, "{}", Magnitude(value))
            }
            (Reading::Near, Some(Sign::Signed)) => self.constant(constant, Reading::Signed),
            _ => self.constant(constant, reading),
        }
    }

    /// Whether C has a character here.
    fn is_character(&self, term: TermId) -> bool {
        match self.terms.node(term) {
            Node::ZExt(inner) | Node::SExt(inner) => self.is_character(inner),
            _ => matches!(self.part_reading(term), Some(PartReading::Character { .. })),
        }
    }

    fn part_reading(&self, term: TermId) -> Option<PartReading> {
        let (symbol, first, last) = self.input_bytes(term)?;
        Some(self.terms.part(symbol, first, last + 1 - first)?.reading)
    }

    /// How C reads the term; `None` where that is not known, or where the term is narrower than C computes.
    fn sign(&self, term: TermId) -> Option<Sign> {
        self.sign_below(term, MOST_NESTING)
    }

    fn sign_below(&self, term: TermId, depth: u32) -> Option<Sign> {
        let depth = depth.checked_sub(1)?;
        let both = |a, b| Some(merged(self.sign_below(a, depth)?, self.sign_below(b, depth)?));
        if let Some(reading) = self.part_reading(term) {
            return match reading {
                PartReading::Signed | PartReading::Character { signed: true } => Some(Sign::Signed),
                PartReading::Unsigned | PartReading::Character { signed: false } => Some(Sign::Unsigned),
                PartReading::Pointer | PartReading::Other => None,
            };
        }
        let is_narrow = self.terms.width(term) < 32;
        match self.terms.node(term) {
            Node::Const(_) => Some(Sign::Either),
            Node::SExt(_) => Some(Sign::Signed),
            Node::ZExt(inner) if self.terms.width(inner) > 1 => self.sign_below(inner, depth).map(|_| Sign::Either),
            Node::Extract { low: 0, .. } => type_name(self.terms.width(term), false).map(|_| Sign::Unsigned),
            Node::Ite(_, a, b) => both(a, b),
            _ if is_narrow => None,
            Node::Not(inner) => self.sign_below(inner, depth),
            Node::Bin(BinOp::SDiv | BinOp::SRem | BinOp::AShr, ..) => Some(Sign::Signed),
            Node::Bin(BinOp::UDiv | BinOp::URem | BinOp::LShr, a, b) => match both(a, b)? {
                Sign::Either => Some(Sign::Either),
                _ => Some(Sign::Unsigned),
            },
            // What C computes from two numbers that are no unsigned ones is an int.
            Node::Bin(_, a, b) => match both(a, b)? {
                Sign::Unsigned => Some(Sign::Unsigned),
                _ => Some(Sign::Signed),
            },
            Node::FloatToInt { signed, .. } => Some(if signed { Sign::Signed } else { Sign::Unsigned }),
            _ => None,
        }
    }

    fn cast(&mut self, width: u8, signed: bool, mut term: TermId) -> fmt::Result {
        // One cast says as much as two to the same width.
        if let Node::Extract { term: whole, low: 0 } = self.terms.node(term)
            && self.input_bytes(term).is_none()
            && self.terms.width(term) == width
        {
            term = whole;
        }
        match type_name(width, signed) {
            Some(name) => write!(self, "({name})")?,
            None if signed => write!(self, "(i{width})")?,
            None => write!(self, "(u{width})")?,
        }
        self.term(term, Place::Operand)
    }

    /// An extension with zeros is what C does on its own, except that what is inside wraps at its own width.
    fn extended(&mut self, inner: TermId, place: Place) -> fmt::Result {
        let wraps = match self.terms.node(inner) {
            Node::Bin(op, ..) => matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl),
            Node::Not(_) | Node::SExt(_) => true,
            _ => self.sign(inner) == Some(Sign::Signed),
        };
        if wraps && self.terms.width(inner) > 1 {
            return self.cast(self.terms.width(inner), false, inner);
        }
        self.term(inner, place)
    }

    fn extracted(&mut self, whole: TermId, low: u8, width: u8) -> fmt::Result {
        if type_name(width, false).is_some() {
            if low == 0 {
                return self.cast(width, false, whole);
            }
            let name = type_name(width, false).unwrap_or_default();
            write!(self, "({name})(")?;
            self.term(whole, Place::Operand)?;
            return write!(self, " >> {low})");
        }
        self.term(whole, Place::Operand)?;
        if low > 0 {
            write!(self, " >> {low}")?;
        }
        if u32::from(low) + u32::from(width) < u32::from(self.terms.width(whole)) {
            write!(self, " & {:#x}", mask(width))?;
        }
        Ok(())
    }

    fn binary(&mut self, op: BinOp, a: TermId, b: TermId) -> fmt::Result {
        let logic = self.terms.width(a) == 1;
        let place = match op {
            BinOp::Add | BinOp::Sub => Place::Sum,
            BinOp::And | BinOp::Or if logic => Place::Logic,
            _ => Place::Operand,
        };
        if op == BinOp::Sub && self.terms.is_zero(a) {
            return self.infix("-", b, Place::Operand);
        }
        // Subtracting a constant reads better than adding its complement.
        if op == BinOp::Add
            && let Some(value) = self.terms.as_const(b)
            && signed_value(value, self.terms.width(b)) < 0
        {
            self.term(a, place)?;
            let magnitude = signed_value(value, self.terms.width(b)).unsigned_abs();
            return write!(self, " - {}", Magnitude(magnitude));
        }
        let symbol = match op {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::UDiv | BinOp::SDiv => "/",
            BinOp::URem | BinOp::SRem => "%",
            BinOp::Shl => "<<",
            BinOp::LShr | BinOp::AShr => ">>",
            BinOp::And if logic => "&&",
            BinOp::Or if logic => "||",
            BinOp::Xor if logic => "!=",
            BinOp::And => "&",
            BinOp::Or => "|",
            BinOp::Xor => "^",
        };
        let reading = match op {
            BinOp::SDiv | BinOp::SRem | BinOp::AShr => Reading::Signed,
            BinOp::UDiv | BinOp::URem | BinOp::LShr => Reading::Unsigned,
            _ => Reading::Near,
        };
        self.binary_side(op, logic, a, place, reading)?;
        write!(self, " {symbol} ")?;
        // `a - (b - c)` is not `a - b - c`.
        let right = if op == BinOp::Sub { Place::Operand } else { place };
        self.binary_side(op, logic, b, right, reading)
    }

    /// An operand; a chain of one logical operator needs no parentheses.
    fn binary_side(&mut self, op: BinOp, logic: bool, term: TermId, place: Place, reading: Reading) -> fmt::Result {
        if reading == Reading::Signed || self.sign(term) == Some(Sign::Signed) && reading == Reading::Unsigned {
            return self.side(term, reading, term);
        }
        match self.terms.node(term) {
            Node::Bin(inner, ..) if inner == op && (logic || is_bitwise(op)) => self.bare(term),
            _ => self.term(term, place),
        }
    }

    fn constant(&mut self, term: TermId, reading: Reading) -> fmt::Result {
        let width = self.terms.width(term);
        let Some(value) = self.terms.as_const(term) else { return Ok(()) };
        let negative = signed_value(value, width);
        match reading {
            _ if width == 1 => write!(self, "{value}"),
            Reading::Signed if negative < 0 => write!(self, "-{}", Magnitude(negative.unsigned_abs())),
            Reading::Near if (-4096..0).contains(&negative) => write!(self, "{negative}"),
            Reading::Unsigned => write!(self, "{}u", Magnitude(value)),
            _ => write!(self, "{}", Magnitude(value)),
        }
    }

    fn byte_name(&self, symbol: SymbolId, offset: u32) -> String {
        let name = self.terms.symbol_name(symbol);
        if self.terms.symbol_size(symbol) == 1 { name.to_string() } else { format!("{name}[{offset}]") }
    }

    /// Consecutive bytes of an input object, lowest first: the object, its first and its last byte.
    fn input_bytes(&self, term: TermId) -> Option<(SymbolId, u32, u32)> {
        let mut rest = term;
        let mut run: Option<(SymbolId, u32, u32)> = None;
        // From the highest byte down.
        loop {
            let (byte, below) = match self.terms.node(rest) {
                Node::Concat(high, low) => (high, Some(low)),
                Node::Byte { .. } => (rest, None),
                _ => return None,
            };
            let Node::Byte { symbol, offset } = self.terms.node(byte) else { return None };
            run = Some(match run {
                None => (symbol, offset, offset),
                Some((known, first, last)) if known == symbol && offset + 1 == first => (symbol, offset, last),
                Some(_) => return None,
            });
            match below {
                Some(below) => rest = below,
                None => return run,
            }
        }
    }

    /// The object, or a part of it.
    fn run_name(&self, (symbol, first, last): (SymbolId, u32, u32)) -> String {
        if let Some(part) = self.terms.part(symbol, first, last + 1 - first) {
            return part.name.clone();
        }
        if first == last {
            return self.byte_name(symbol, first);
        }
        let name = self.terms.symbol_name(symbol);
        if last + 1 - first == self.terms.symbol_size(symbol) {
            name.to_string()
        } else {
            format!("{name}[{first}..{}]", last + 1)
        }
    }

    fn read(&mut self, array: ArrayId, index: TermId) -> fmt::Result {
        let name = match self.terms.array_node(array) {
            ArrayNode::Symbol { symbol, .. } => self.terms.symbol_name(*symbol).to_string(),
            ArrayNode::Bytes(bytes) => {
                let shown: Vec<String> = bytes.iter().take(8).map(u8::to_string).collect();
                let more = if bytes.len() > shown.len() { ", …" } else { "" };
                format!("{{{}{more}}}", shown.join(", "))
            }
            ArrayNode::Table(_) => "table".to_string(),
            ArrayNode::Store { .. } => "memory".to_string(),
        };
        write!(self, "{name}[")?;
        self.term(index, Place::Alone)?;
        self.write_str("]")
    }

    fn float(&mut self, node: Node, width: u8) -> fmt::Result {
        match node {
            Node::FloatBin(op, format, a, b) => {
                let symbol = match op {
                    FloatBinOp::Add => "+.",
                    FloatBinOp::Sub => "-.",
                    FloatBinOp::Mul => "*.",
                    FloatBinOp::Div => "/.",
                    _ => "%.",
                };
                self.float_pair(format, a, symbol, b)
            }
            Node::FloatEq(format, a, b) => self.float_pair(format, a, "==.", b),
            Node::FloatLt(format, a, b) => self.float_pair(format, a, "<.", b),
            Node::FloatLe(format, a, b) => self.float_pair(format, a, "<=.", b),
            Node::FloatUn(op, format, a) => self.call(unary_name(op), format, &[a]),
            Node::FloatIsNan(format, a) => self.call("isnan", format, &[a]),
            Node::FloatFma(format, a, b, c) => self.call("fma", format, &[a, b, c]),
            Node::FloatCast { from, to, term } => {
                write!(self, "({})", float_name(to))?;
                self.float_operand(from, term)
            }
            Node::IntToFloat { signed, to, term } => {
                write!(self, "({})", float_name(to))?;
                self.cast(self.terms.width(term), signed, term)
            }
            Node::FloatToInt { from, signed, term } => {
                match type_name(width, signed) {
                    Some(name) => write!(self, "({name})")?,
                    None => write!(self, "({}{width})", if signed { 'i' } else { 'u' })?,
                }
                self.float_operand(from, term)
            }
            _ => Ok(()),
        }
    }

    fn float_pair(&mut self, format: FloatFormat, a: TermId, symbol: &str, b: TermId) -> fmt::Result {
        self.float_operand(format, a)?;
        write!(self, " {symbol} ")?;
        self.float_operand(format, b)
    }

    fn float_operand(&mut self, format: FloatFormat, term: TermId) -> fmt::Result {
        match (self.terms.as_const(term), format) {
            (Some(bits), FloatFormat::F64) => write!(self, "{:?}", f64::from_bits(bits as u64)),
            (Some(bits), FloatFormat::F32) => write!(self, "{:?}f", f32::from_bits(bits as u32)),
            (Some(bits), _) => write!(self, "{bits:#x}"),
            (None, _) => self.term(term, Place::Operand),
        }
    }

    fn call(&mut self, name: &str, format: FloatFormat, arguments: &[TermId]) -> fmt::Result {
        write!(self, "{name}(")?;
        for (position, &argument) in arguments.iter().enumerate() {
            if position > 0 {
                self.write_str(", ")?;
            }
            self.float_operand(format, argument)?;
        }
        self.write_str(")")
    }
}

fn merged(a: Sign, b: Sign) -> Sign {
    match (a, b) {
        (Sign::Unsigned, _) | (_, Sign::Unsigned) => Sign::Unsigned,
        (Sign::Signed, _) | (_, Sign::Signed) => Sign::Signed,
        _ => Sign::Either,
    }
}

fn is_bitwise(op: BinOp) -> bool {
    matches!(op, BinOp::And | BinOp::Or | BinOp::Xor)
}

fn signed_value(value: u128, width: u8) -> i128 {
    if width == 1 { value as i128 } else { signed(value, width) }
}

/// A number in decimal, or in hexadecimal where that is easier to read.
struct Magnitude(u128);

impl fmt::Display for Magnitude {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 1 << 24 { write!(f, "{}", self.0) } else { write!(f, "{:#x}", self.0) }
    }
}

fn type_name(width: u8, signed: bool) -> Option<&'static str> {
    Some(match (width, signed) {
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned",
        (64, true) => "long",
        (64, false) => "unsigned long",
        (128, true) => "__int128",
        (128, false) => "unsigned __int128",
        _ => return None,
    })
}

fn float_name(format: FloatFormat) -> &'static str {
    match format {
        FloatFormat::F16 => "_Float16",
        FloatFormat::BF16 => "__bf16",
        FloatFormat::F32 => "float",
        FloatFormat::F64 => "double",
        FloatFormat::X87 => "long double",
        FloatFormat::F128 => "__float128",
    }
}

fn unary_name(op: FloatUnOp) -> &'static str {
    match op {
        FloatUnOp::Neg => "-",
        FloatUnOp::Abs => "fabs",
        FloatUnOp::Sqrt => "sqrt",
        FloatUnOp::Floor => "floor",
        FloatUnOp::Ceil => "ceil",
        FloatUnOp::Trunc => "trunc",
        FloatUnOp::RoundEven => "rint",
        FloatUnOp::Round => "round",
    }
}
