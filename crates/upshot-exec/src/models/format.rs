//! printf's conversions on concrete values, byte for byte as glibc prints them.

use upshot_expr::{FloatFormat, fold};

/// A conversion specification: `%[flags][width][.precision][length]letter`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Conversion {
    /// `%2$d`: the number of its argument, from 1.
    pub position: Option<usize>,
    pub left: bool,
    pub plus: bool,
    pub space: bool,
    pub alternate: bool,
    pub zero: bool,
    pub width: Count,
    pub precision: Option<Count>,
    /// `hh`, `h`, `l`, `ll`, `j`, `z`, `t`, `L` or nothing.
    pub length: String,
    pub letter: u8,
}

/// A number in a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    Given(usize),
    /// `*`: an argument.
    Argument,
}

impl Default for Count {
    fn default() -> Self {
        Count::Given(0)
    }
}

impl Conversion {
    /// Reads a conversion from the text after a `%`; also how long it is. `None` if it is cut off.
    pub fn parse(text: &[u8]) -> Option<(Conversion, usize)> {
        let mut conversion = Conversion::default();
        let mut at = 0;
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 && text.get(digits) == Some(&b'$') {
            conversion.position = std::str::from_utf8(&text[..digits]).ok().and_then(|number| number.parse().ok());
            at = digits + 1;
        }
        loop {
            match *text.get(at)? {
                b'-' => conversion.left = true,
                b'+' => conversion.plus = true,
                b' ' => conversion.space = true,
                b'#' => conversion.alternate = true,
                b'0' => conversion.zero = true,
                b'\'' => {}
                _ => break,
            }
            at += 1;
        }
        let count = |at: &mut usize| {
            if text.get(*at) == Some(&b'*') {
                *at += 1;
                return Count::Argument;
            }
            let mut number = 0usize;
            while let Some(digit @ b'0'..=b'9') = text.get(*at) {
                number = (number * 10 + usize::from(digit - b'0')).min(1 << 20);
                *at += 1;
            }
            Count::Given(number)
        };
        conversion.width = count(&mut at);
        if text.get(at) == Some(&b'.') {
            at += 1;
            conversion.precision = Some(count(&mut at));
        }
        while let Some(&letter @ (b'h' | b'l' | b'j' | b'z' | b't' | b'L' | b'q')) = text.get(at) {
            conversion.length.push(char::from(letter));
            at += 1;
        }
        conversion.letter = *text.get(at)?;
        Some((conversion, at + 1))
    }

    /// As text again, with the counts filled in.
    pub fn text(&self) -> String {
        let mut text = String::from("%");
        for (set, flag) in
            [(self.left, '-'), (self.plus, '+'), (self.space, ' '), (self.alternate, '#'), (self.zero, '0')]
        {
            if set {
                text.push(flag);
            }
        }
        if let Count::Given(width @ 1..) = self.width {
            text += &width.to_string();
        }
        if let Some(Count::Given(precision)) = self.precision {
            text += &format!(".{precision}");
        }
        text += &self.length;
        text.push(char::from(self.letter));
        text
    }

    fn precision(&self) -> Option<usize> {
        match self.precision {
            Some(Count::Given(precision)) => Some(precision),
            _ => None,
        }
    }

    /// How many bits of an integer argument count.
    pub fn integer_width(&self) -> u8 {
        match self.length.as_str() {
            "hh" => 8,
            "h" => 16,
            "l" | "ll" | "j" | "z" | "t" | "q" | "L" => 64,
            _ => 32,
        }
    }

    /// Puts `body` behind `sign`, filled to the width.
    fn pad(&self, sign: &[u8], body: &[u8], zeros_allowed: bool) -> Vec<u8> {
        let Count::Given(width) = self.width else { return [sign, body].concat() };
        let fill = width.saturating_sub(sign.len() + body.len());
        if self.left {
            [sign, body, &vec![b' '; fill]].concat()
        } else if self.zero && zeros_allowed {
            [sign, &vec![b'0'; fill], body].concat()
        } else {
            [&vec![b' '; fill], sign, body].concat()
        }
    }

    /// `%s` of these bytes (without the NUL).
    pub fn string(&self, bytes: &[u8]) -> Vec<u8> {
        let shown = &bytes[..bytes.len().min(self.precision().unwrap_or(usize::MAX))];
        self.pad(b"", shown, false)
    }

    /// A conversion of a scalar of `width` bits.
    pub fn scalar(&self, bits: u128, width: u8) -> Vec<u8> {
        match self.letter {
            b'c' => self.pad(b"", &[bits as u8], false),
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'b' | b'B' => self.integer(bits),
            b'p' if bits == 0 => self.pad(b"", b"(nil)", false),
            b'p' => self.pad(b"", format!("{bits:#x}").as_bytes(), false),
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let format = if width == 80 { FloatFormat::X87 } else { FloatFormat::F64 };
                self.float(format, bits)
            }
            _ => Vec::new(),
        }
    }

    fn integer(&self, bits: u128) -> Vec<u8> {
        let width = self.integer_width();
        let bits = bits & fold::mask(width);
        let signed = matches!(self.letter, b'd' | b'i');
        let value = if signed { fold::sign_extend(bits, width, 128) as i128 } else { bits as i128 };
        let magnitude = value.unsigned_abs();
        let mut digits = match self.letter {
            b'x' => format!("{magnitude:x}"),
            b'X' => format!("{magnitude:X}"),
            b'o' => format!("{magnitude:o}"),
            b'b' | b'B' => format!("{magnitude:b}"),
            _ => magnitude.to_string(),
        };
        if let Some(precision) = self.precision() {
            if precision == 0 && magnitude == 0 {
                digits.clear();
            }
            while digits.len() < precision {
                digits.insert(0, '0');
            }
        }
        let mut sign = String::new();
        if signed {
            sign += self.sign(value < 0);
        }
        if self.alternate {
            match self.letter {
                b'o' if !digits.starts_with('0') => digits.insert(0, '0'),
                b'x' if magnitude != 0 => sign += "0x",
                b'X' if magnitude != 0 => sign += "0X",
                b'b' if magnitude != 0 => sign += "0b",
                b'B' if magnitude != 0 => sign += "0B",
                _ => {}
            }
        }
        self.pad(sign.as_bytes(), digits.as_bytes(), self.precision().is_none())
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    fn float(&self, format: FloatFormat, bits: u128) -> Vec<u8> {
        let parts = Parts::of(format, bits);
        let upper = self.letter.is_ascii_uppercase();
        let sign = self.sign(parts.negative);
        let mut body = match parts.class {
            Class::Infinite => return self.pad(sign.as_bytes(), if upper { b"INF" } else { b"inf" }, false),
            Class::NotANumber => return self.pad(sign.as_bytes(), if upper { b"NAN" } else { b"nan" }, false),
            Class::Finite => match self.letter.to_ascii_lowercase() {
                b'f' => self.fixed(&parts, self.precision().unwrap_or(6)),
                b'e' => self.scientific(&parts, self.precision().unwrap_or(6)),
                b'g' => self.general(&parts),
                _ => self.hexadecimal(&parts, format),
            },
        };
        let mut sign = sign.to_string();
        if let Some(rest) = body.strip_prefix("0x") {
            body = rest.to_string();
            sign += "0x";
        }
        if upper {
            body.make_ascii_uppercase();
            sign.make_ascii_uppercase();
        }
        self.pad(sign.as_bytes(), body.as_bytes(), true)
    }

    fn fixed(&self, parts: &Parts, precision: usize) -> String {
        let digits = parts.decimal(precision);
        let point = digits.len() - precision;
        let mut text = digits[..point].to_string();
        if precision > 0 || self.alternate {
            text.push('.');
            text += &digits[point..];
        }
        text
    }

    fn scientific(&self, parts: &Parts, precision: usize) -> String {
        let (digits, exponent) = parts.significant(precision + 1);
        let mut text = digits[..1].to_string();
        if precision > 0 || self.alternate {
            text.push('.');
            text += &digits[1..];
        }
        text + &format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
    }

    fn general(&self, parts: &Parts) -> String {
        let precision = self.precision().unwrap_or(6).max(1);
        let (_, exponent) = parts.significant(precision);
        let text = if exponent < -4 || exponent >= precision as i64 {
            self.scientific(parts, precision - 1)
        } else {
            self.fixed(parts, (precision as i64 - 1 - exponent) as usize)
        };
        if self.alternate || !text.contains('.') {
            return text;
        }
        let (mantissa, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
        mantissa.trim_end_matches('0').trim_end_matches('.').to_string() + exponent
    }

    fn hexadecimal(&self, parts: &Parts, format: FloatFormat) -> String {
        // glibc prints one leading digit and the fraction in whole hexadecimal digits.
        let (lead_bits, fraction_bits) = if format == FloatFormat::X87 { (4u32, 60u32) } else { (1, 52) };
        let mut mantissa = parts.mantissa;
        let mut exponent = parts.exponent + i64::from(fraction_bits);
        if mantissa == 0 {
            exponent = 0;
        } else if format != FloatFormat::X87 && mantissa >> 52 == 0 {
            exponent = -1022;
        }
        let _ = lead_bits;
        let mut digits = (fraction_bits / 4) as usize;
        if let Some(precision) = self.precision()
            && precision < digits
        {
            let drop = (digits - precision) as u32 * 4;
            let half = 1u128 << (drop - 1);
            let rest = mantissa & ((1 << drop) - 1);
            mantissa >>= drop;
            if rest > half || (rest == half && mantissa & 1 != 0) {
                mantissa += 1;
            }
            digits = precision;
        }
        let lead = mantissa >> (digits * 4);
        let fraction = if digits == 0 { 0 } else { mantissa & ((1 << (digits * 4)) - 1) };
        let mut text = if digits == 0 { String::new() } else { format!("{fraction:0digits$x}") };
        match self.precision() {
            None => text = text.trim_end_matches('0').to_string(),
            Some(precision) => text += &"0".repeat(precision.saturating_sub(digits)),
        }
        let point = if text.is_empty() && !self.alternate { "" } else { "." };
        format!("0x{lead:x}{point}{text}p{}{}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
    }
}

enum Class {
    Finite,
    Infinite,
    NotANumber,
}

/// A float as `mantissa * 2^exponent`.
struct Parts {
    negative: bool,
    class: Class,
    mantissa: u128,
    exponent: i64,
}

impl Parts {
    fn of(format: FloatFormat, bits: u128) -> Parts {
        if format == FloatFormat::X87 {
            let raw = (bits >> 64 & 0x7fff) as i64;
            let mantissa = bits & u128::from(u64::MAX);
            let class = match (raw, mantissa << 1 & u128::from(u64::MAX)) {
                (0x7fff, 0) => Class::Infinite,
                (0x7fff, _) => Class::NotANumber,
                _ => Class::Finite,
            };
            return Parts { negative: bits >> 79 & 1 != 0, class, mantissa, exponent: raw.max(1) - 16383 - 63 };
        }
        let raw = (bits >> 52 & 0x7ff) as i64;
        let fraction = bits & ((1 << 52) - 1);
        let class = match (raw, fraction) {
            (0x7ff, 0) => Class::Infinite,
            (0x7ff, _) => Class::NotANumber,
            _ => Class::Finite,
        };
        let mantissa = if raw == 0 { fraction } else { fraction | 1 << 52 };
        Parts { negative: bits >> 63 & 1 != 0, class, mantissa, exponent: raw.max(1) - 1075 }
    }

    /// All digits of the value times 10^places, rounded half to even; at least `places + 1` of them.
    fn decimal(&self, places: usize) -> String {
        let mut number = Big::from(self.mantissa);
        for _ in 0..places {
            number.multiply(10);
        }
        if self.exponent >= 0 {
            number.shift_left(self.exponent as usize);
        } else {
            number.shift_right_rounding((-self.exponent) as usize);
        }
        let digits = number.to_string();
        format!("{digits:0>width$}", width = places + 1)
    }

    /// The first `count` significant digits, rounded, and the decimal exponent of the first.
    fn significant(&self, count: usize) -> (String, i64) {
        if self.mantissa == 0 {
            return ("0".repeat(count), 0);
        }
        // All digits there are, exactly: a binary fraction with k places has k decimal places.
        let places = (-self.exponent).max(0) as usize;
        let all = self.decimal(places);
        let digits = all.trim_start_matches('0');
        let exponent = digits.len() as i64 - 1 - places as i64;
        round_digits(digits, count, exponent)
    }
}

fn round_digits(digits: &str, count: usize, exponent: i64) -> (String, i64) {
    let bytes = digits.as_bytes();
    if bytes.len() <= count {
        return (format!("{digits:0<count$}"), exponent);
    }
    let mut kept: Vec<u8> = bytes[..count].to_vec();
    let rest = &bytes[count..];
    let above = rest[0] > b'5' || (rest[0] == b'5' && rest[1..].iter().any(|&digit| digit != b'0'));
    let tie = rest[0] == b'5' && !above;
    let odd = kept.last().is_some_and(|digit| (digit - b'0') % 2 == 1);
    if above || (tie && odd) {
        for digit in kept.iter_mut().rev() {
            if *digit == b'9' {
                *digit = b'0';
            } else {
                *digit += 1;
                return (String::from_utf8_lossy(&kept).into_owned(), exponent);
            }
        }
        kept.insert(0, b'1');
        kept.pop();
        return (String::from_utf8_lossy(&kept).into_owned(), exponent + 1);
    }
    (String::from_utf8_lossy(&kept).into_owned(), exponent)
}

/// A natural number of any size, little-endian in 32-bit digits: just what exact decimal printing needs.
struct Big(Vec<u32>);

impl Big {
    fn from(mut value: u128) -> Big {
        let mut digits = Vec::new();
        while value != 0 {
            digits.push(value as u32);
            value >>= 32;
        }
        Big(digits)
    }

    fn multiply(&mut self, factor: u32) {
        let mut carry = 0u64;
        for digit in &mut self.0 {
            let product = u64::from(*digit) * u64::from(factor) + carry;
            *digit = product as u32;
            carry = product >> 32;
        }
        if carry != 0 {
            self.0.push(carry as u32);
        }
    }

    fn shift_left(&mut self, bits: usize) {
        for _ in 0..bits % 32 {
            self.multiply(2);
        }
        if !self.0.is_empty() {
            self.0.splice(0..0, std::iter::repeat_n(0, bits / 32));
        }
    }

    fn bit(&self, at: usize) -> bool {
        self.0.get(at / 32).is_some_and(|digit| digit >> (at % 32) & 1 != 0)
    }

    /// Halves `bits` times, rounding the result half to even.
    fn shift_right_rounding(&mut self, bits: usize) {
        if bits == 0 {
            return;
        }
        let half = self.bit(bits - 1);
        let more = (0..(bits - 1) / 32).any(|digit| self.0.get(digit).is_some_and(|&digit| digit != 0))
            || ((bits - 1) / 32 * 32..bits - 1).any(|at| self.bit(at));
        let words = (bits / 32).min(self.0.len());
        self.0.drain(..words);
        let rest = bits % 32;
        if rest != 0 {
            let mut carry = 0u32;
            for digit in self.0.iter_mut().rev() {
                let next = *digit << (32 - rest);
                *digit = *digit >> rest | carry;
                carry = next;
            }
        }
        let odd = self.bit(0);
        if half && (more || odd) {
            self.increment();
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn increment(&mut self) {
        for digit in &mut self.0 {
            let (sum, carry) = digit.overflowing_add(1);
            *digit = sum;
            if !carry {
                return;
            }
        }
        self.0.push(1);
    }

    fn divide(&mut self, divisor: u32) -> u32 {
        let mut rest = 0u64;
        for digit in self.0.iter_mut().rev() {
            let value = rest << 32 | u64::from(*digit);
            *digit = (value / u64::from(divisor)) as u32;
            rest = value % u64::from(divisor);
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        rest as u32
    }
}

impl std::fmt::Display for Big {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut rest = Big(self.0.clone());
        let mut groups = Vec::new();
        while !rest.0.is_empty() {
            groups.push(rest.divide(1_000_000_000));
        }
        match groups.pop() {
            None => f.write_str("0"),
            Some(first) => {
                write!(f, "{first}")?;
                groups.iter().rev().try_for_each(|group| write!(f, "{group:09}"))
            }
        }
    }
}

/// What a recorded conversion (`%5d`, `%.3f`, `%c`) prints for a value of `width` bits.
pub fn format_conversion(conversion: &str, bits: u128, width: u8) -> Vec<u8> {
    match Conversion::parse(conversion.as_bytes().get(1..).unwrap_or_default()) {
        Some((conversion, _)) => conversion.scalar(bits, width),
        None => Vec::new(),
    }
}

/// What a recorded string conversion prints for these bytes, which end at the first NUL.
pub fn format_text(conversion: &str, bytes: &[u8]) -> Vec<u8> {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    match Conversion::parse(conversion.as_bytes().get(1..).unwrap_or_default()) {
        Some((conversion, _)) => conversion.string(&bytes[..end]),
        None => bytes[..end].to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(conversion: &str, value: f64) -> String {
        String::from_utf8(format_conversion(conversion, u128::from(value.to_bits()), 64)).unwrap()
    }

    #[test]
    fn integers_as_c_prints_them() {
        let int = |conversion, value: i64| {
            String::from_utf8(format_conversion(conversion, u128::from(value as u64), 64)).unwrap()
        };
        assert_eq!(int("%d", -5), "-5");
        assert_eq!(int("%5d|", 42), "   42");
        assert_eq!(int("%-5d", 42), "42   ");
        assert_eq!(int("%05d", -42), "-0042");
        assert_eq!(int("%+d", 7), "+7");
        assert_eq!(int("%x", -1), "ffffffff");
        assert_eq!(int("%#lx", 255), "0xff");
        assert_eq!(int("%.3d", 5), "005");
        assert_eq!(int("%hhd", 200), "-56");
        assert_eq!(int("%llu", -1), "18446744073709551615");
        assert_eq!(int("%.0d", 0), "");
        assert_eq!(int("%p", 0), "(nil)");
    }

    #[test]
    fn floats_as_c_prints_them() {
        assert_eq!(double("%f", 1.5), "1.500000");
        assert_eq!(double("%.0f", 2.5), "2");
        assert_eq!(double("%.0f", 3.5), "4");
        assert_eq!(double("%e", 12345.678), "1.234568e+04");
        assert_eq!(double("%g", 0.0001), "0.0001");
        assert_eq!(double("%g", 0.00001), "1e-05");
        assert_eq!(double("%g", 1e6), "1e+06");
        assert_eq!(double("%g", 123456.0), "123456");
        assert_eq!(double("%.10g", 0.1), "0.1");
        assert_eq!(double("%.20f", 0.1), "0.10000000000000000555");
        assert_eq!(double("%a", 1.0), "0x1p+0");
        assert_eq!(double("%08.2f", -2.5625), "-0002.56");
        assert_eq!(double("%f", f64::INFINITY), "inf");
        assert_eq!(double("%.3e", 0.0), "0.000e+00");
        assert_eq!(double("%.2f", 1e300).len(), 304);
    }
}
