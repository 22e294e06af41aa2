//! Floating-point folding against the machine: a C program, compiled by clang without optimisation, computes the same on the
//! same bits.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use upshot_expr::fold;
use upshot_expr::{FloatBinOp, FloatFormat, FloatPredicate, FloatUnOp};

use FloatFormat::{F16, F32, F64, F128, X87};

/// An operation of the C program, by its number there.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Bin(FloatBinOp, u8),
    Un(FloatUnOp, u8),
    Fma,
    /// Mask of [`FloatPredicate`].
    Compare(u8, u8),
    IsNan,
    Cast(FloatFormat, u8),
    ToInt(bool, u8, u8),
    FromInt(bool, u8, u8),
}

use Operation::*;

const ARITHMETIC: [Operation; 4] =
    [Bin(FloatBinOp::Add, 0), Bin(FloatBinOp::Sub, 1), Bin(FloatBinOp::Mul, 2), Bin(FloatBinOp::Div, 3)];
const LIBRARY: [Operation; 8] = [
    Bin(FloatBinOp::Rem, 4),
    Un(FloatUnOp::Sqrt, 7),
    Un(FloatUnOp::Floor, 8),
    Un(FloatUnOp::Ceil, 9),
    Un(FloatUnOp::Trunc, 10),
    Un(FloatUnOp::RoundEven, 11),
    Un(FloatUnOp::Round, 12),
    Fma,
];
const RELATIONS: [Operation; 4] = [Compare(1, 14), Compare(4, 15), Compare(5, 16), IsNan];
const TO_INTEGERS: [Operation; 6] = [
    ToInt(true, 32, 24),
    ToInt(true, 64, 25),
    ToInt(false, 32, 26),
    ToInt(false, 64, 27),
    ToInt(true, 128, 28),
    ToInt(false, 128, 29),
];
const FROM_INTEGERS: [Operation; 7] = [
    FromInt(true, 8, 30),
    FromInt(true, 32, 31),
    FromInt(true, 64, 32),
    FromInt(false, 32, 33),
    FromInt(false, 64, 34),
    FromInt(true, 128, 35),
    FromInt(false, 128, 36),
];

impl Operation {
    fn number(self) -> u8 {
        match self {
            Bin(_, number) | Un(_, number) | Compare(_, number) | Cast(_, number) => number,
            ToInt(_, _, number) | FromInt(_, _, number) => number,
            Fma => 13,
            IsNan => 17,
        }
    }

    fn operands(self) -> usize {
        match self {
            Bin(..) | Compare(..) => 2,
            Fma => 3,
            _ => 1,
        }
    }

    fn folded(self, format: FloatFormat, [a, b, c]: [u128; 3]) -> u128 {
        match self {
            Bin(op, _) => fold::float_bin(op, format, a, b),
            Un(op, _) => fold::float_un(op, format, a),
            Fma => fold::float_fma(format, a, b, c),
            Compare(mask, _) => fold::float_compare(FloatPredicate(mask), format, a, b).into(),
            IsNan => fold::float_is_nan(format, a).into(),
            Cast(to, _) => fold::float_cast(format, to, a),
            ToInt(signed, width, _) => fold::float_to_int(format, signed, width, a),
            FromInt(signed, width, _) => fold::int_to_float(signed, format, width, a & fold::mask(width)),
        }
    }

    fn result_width(self, format: FloatFormat) -> u8 {
        match self {
            Bin(..) | Un(..) | Fma | FromInt(..) => format.width(),
            Compare(..) | IsNan => 8,
            Cast(to, _) => to.width(),
            ToInt(_, width, _) => width,
        }
    }

    /// C leaves a conversion to an integer that does not fit undefined; the machine's answer is only fixed for the signed
    /// ones that have an instruction.
    fn is_defined(self, format: FloatFormat, [a, b, c]: [u128; 3]) -> bool {
        let accepted = |bits: u128| (bits >> 64 & 0x7fff == 0) != (bits >> 63 & 1 == 1);
        match self {
            ToInt(signed, width, _) => {
                let has_instruction = signed && width <= 64 && matches!(format, F32 | F64);
                let fits = |value: u128| {
                    let (lowest, sign) = (1u128 << (width - 1), a >> (format.width() - 1) != 0);
                    value != lowest && (signed || !sign)
                };
                has_instruction || fits(fold::float_to_int(format, signed, width, a))
            }
            // The library does these on the bits, and knows nothing of encodings that the machine never makes.
            Un(FloatUnOp::Round, _) | Cast(F128, _) if format == X87 => accepted(a),
            Fma if format == X87 => accepted(a) && accepted(b) && accepted(c),
            _ => true,
        }
    }
}

fn clang() -> PathBuf {
    let fixed = Path::new("/usr/lib/llvm-19/bin/clang");
    if fixed.exists() { fixed.to_path_buf() } else { PathBuf::from("clang-19") }
}

/// The C program, compiled once for all tests of this file.
fn compiled() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let binary = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native-float");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native/float.c");
        let mut command = Command::new(clang());
        let status = command.args(["-O0", "-std=gnu17", "-w", "-o"]).arg(&binary).arg(source).arg("-lm").status();
        assert!(status.expect("clang 19 runs (scripts/setup installs it)").success());
        binary
    })
}

type Question = (FloatFormat, Operation, [u128; 3]);

/// What the machine computes.
fn answers(questions: &[Question]) -> Vec<u128> {
    let mut child = Command::new(compiled()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut bytes = Vec::new();
    for (format, operation, operands) in questions {
        bytes.extend([*format as u8, operation.number()]);
        bytes.extend(operands.iter().flat_map(|operand| operand.to_le_bytes()));
    }
    let writer = std::thread::spawn(move || input.write_all(&bytes));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    output.stdout.chunks(16).map(|chunk| u128::from_le_bytes(chunk.try_into().unwrap())).collect()
}

/// Zeros, infinities, NaNs, the ends of the ranges, and for x87 what only x87 has.
fn specials(format: FloatFormat) -> Vec<u128> {
    let width = format.width();
    let fraction = match format {
        F16 => 10,
        F32 => 23,
        F64 => 52,
        F128 => 112,
        _ => 63,
    };
    let largest_exponent = fold::mask(width - 1 - fraction - u8::from(format == X87));
    let bias = largest_exponent / 2;
    let encode = |exponent: u128, integer: u128, part: u128| match format {
        X87 => exponent << 64 | integer << 63 | part,
        _ => exponent << fraction | part,
    };
    let (top, all) = (1 << (fraction - 1), fold::mask(fraction));
    let mut positive = vec![
        encode(0, 0, 0),
        encode(0, 0, 1),
        encode(0, 0, all),
        encode(1, 1, 0),
        encode(bias - 1, 1, 0),
        encode(bias, 1, 0),
        encode(bias, 1, 1),
        encode(bias, 1, top),
        encode(bias + 1, 1, top),
        encode(bias + 7, 1, all),
        encode(largest_exponent - 1, 1, all),
        encode(largest_exponent, 1, 0),
        encode(largest_exponent, 1, top),
        encode(largest_exponent, 1, top | 5),
        encode(largest_exponent, 1, 3),
        encode(largest_exponent, 1, all),
    ];
    for bits in [24, 31, 32, 53, 63, 64, 113, 127].into_iter().filter(|&bits| bias + bits < largest_exponent) {
        positive.extend([encode(bias + bits, 1, 0), encode(bias + bits - 1, 1, all), encode(bias + bits, 1, 1)]);
    }
    if format == X87 {
        // A pseudo-denormal, an unnormal, a pseudo-infinity and a pseudo-NaN.
        positive.extend([
            encode(0, 1, 9),
            encode(bias, 0, 9),
            encode(largest_exponent, 0, 0),
            encode(largest_exponent, 0, 9),
        ]);
    }
    positive.iter().flat_map(|&bits| [bits, bits | 1 << (width - 1)]).collect()
}

/// Numbers that look random but are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 ^ self.0 >> 29
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.next() as usize % from.len()]
    }

    /// Any bits; for x87 mostly ones that it accepts. Half of the time with an exponent close to that of one.
    fn bits(&mut self, format: FloatFormat) -> u128 {
        let mut bits = (u128::from(self.next()) << 64 | u128::from(self.next())) & fold::mask(format.width());
        if format == X87 && !self.next().is_multiple_of(16) {
            bits |= 1 << 63;
        }
        if self.next().is_multiple_of(2) {
            let one = fold::int_to_float(false, format, 8, 1);
            let significand = if format == X87 { 64 } else { one.trailing_zeros() as u8 };
            let keep = fold::mask(significand) | 1 << (format.width() - 1);
            let nearby = (one & !fold::mask(significand)) ^ (u128::from(self.next() % 8) << significand);
            bits = (bits & keep) | (nearby & !keep);
        }
        bits
    }
}

fn questions(format: FloatFormat, operations: &[Operation], count: usize) -> Vec<Question> {
    let specials = specials(format);
    let mut random = Random(0x5eed ^ format as u64);
    let mut questions = Vec::new();
    for &operation in operations {
        match operation.operands() {
            1 => questions.extend(specials.iter().map(|&a| (format, operation, [a, 0, 0]))),
            2 => {
                let pairs = specials.iter().flat_map(|&a| specials.iter().map(move |&b| [a, b, 0]));
                questions.extend(pairs.map(|operands| (format, operation, operands)));
            }
            _ => {
                for _ in 0..4 * count {
                    let operands = [random.pick(&specials), random.pick(&specials), random.pick(&specials)];
                    questions.push((format, operation, operands));
                }
            }
        }
        for _ in 0..count {
            let mut operands = [random.bits(format), random.bits(format), random.bits(format)];
            if let FromInt(_, width, _) = operation {
                let bits = u128::from(random.next()) << 64 | u128::from(random.next());
                operands[0] = bits >> (random.next() % 128) & fold::mask(width);
            }
            if random.next().is_multiple_of(4) {
                operands[1] = random.pick(&specials);
            }
            questions.push((format, operation, operands));
        }
    }
    questions.retain(|(format, operation, operands)| operation.is_defined(*format, *operands));
    questions
}

fn check(format: FloatFormat, operations: &[&[Operation]], same: impl Fn(&Question, u128, u128) -> bool) {
    let questions = questions(format, &operations.concat(), 2000);
    let answers = answers(&questions);
    assert_eq!(answers.len(), questions.len());
    let mut wrong = Vec::new();
    for (question, answer) in questions.iter().zip(answers) {
        let (format, operation, operands) = question;
        let wanted = answer & fold::mask(operation.result_width(*format));
        let folded = operation.folded(*format, *operands);
        if folded != wanted && !same(question, folded, wanted) {
            wrong.push(format!("{format:?} {operation:?} {operands:x?}: {folded:x}, not {wanted:x}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        questions.len(),
        wrong[..wrong.len().min(30)].join("\n")
    );
}

fn exactly(_: &Question, _: u128, _: u128) -> bool {
    false
}

/// Software formats: the library, not the machine, picks the NaN.
fn up_to_nan(question: &Question, folded: u128, wanted: u128) -> bool {
    let format = match question.1 {
        Cast(to, _) => to,
        _ => question.0,
    };
    fold::float_is_nan(format, folded) && fold::float_is_nan(format, wanted)
}

#[test]
fn float_is_what_the_machine_computes() {
    let casts = [Cast(F16, 18), Cast(F64, 20), Cast(X87, 21), Cast(F128, 22)];
    check(F32, &[&ARITHMETIC, &LIBRARY, &RELATIONS, &TO_INTEGERS, &FROM_INTEGERS, &casts], exactly);
}

#[test]
fn double_is_what_the_machine_computes() {
    let casts = [Cast(F16, 18), Cast(F32, 19), Cast(X87, 21), Cast(F128, 22)];
    check(F64, &[&ARITHMETIC, &LIBRARY, &RELATIONS, &TO_INTEGERS, &FROM_INTEGERS, &casts], exactly);
}

#[test]
fn long_double_is_what_the_machine_computes() {
    let casts = [Cast(F32, 19), Cast(F64, 20), Cast(F128, 22)];
    check(X87, &[&ARITHMETIC, &LIBRARY, &RELATIONS, &TO_INTEGERS, &FROM_INTEGERS, &casts], exactly);
}

#[test]
fn half_is_what_compiled_code_computes() {
    let casts = [Cast(F32, 19), Cast(F64, 20), ToInt(true, 32, 24), ToInt(true, 64, 25)];
    check(F16, &[&ARITHMETIC, &RELATIONS, &casts, &[FromInt(true, 32, 31), FromInt(false, 32, 33)]], exactly);
}

#[test]
fn quad_is_what_compiled_code_computes() {
    let casts = [Cast(F32, 19), Cast(F64, 20), Cast(X87, 21)];
    check(F128, &[&ARITHMETIC, &RELATIONS, &TO_INTEGERS, &FROM_INTEGERS, &casts], up_to_nan);
}
