//! Mathematical functions that have no exact definition in terms: computed when concrete, unsupported when symbolic.

use upshot_expr::fold;
use upshot_ir::{FloatBinOp, FloatFormat, FloatPredicate, FloatUnOp, MathFunction, Scalar};

use super::{CallSite, Model, Reply, libm};
use crate::machine::{Machine, Stop};
use crate::state::State;
use crate::value::Value;

/// The error of a function outside of its domain.
const EDOM: u128 = 33;
const LESS: FloatPredicate = FloatPredicate(4);

pub(super) fn find(name: &str) -> Option<Model> {
    match name {
        "sqrt" | "sqrtf" | "sqrtl" => Some(square_root),
        "fegetround" => Some(rounding_mode),
        "fesetround" => Some(set_rounding_mode),
        _ => libm::is_known(name).then_some(call as Model),
    }
}

fn call(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let name = machine.program().function(site.function).name.clone();
    let mut arguments = Vec::new();
    for index in 0..site.arguments.len() {
        let value = site.argument(machine, state, index)?;
        let Some(bits) = value.as_concrete(site.width(index)) else {
            return Err(machine.unsupported(state, format!("{name} of a symbolic value")));
        };
        arguments.push(bits);
    }
    let Some(outcome) = libm::call(&name, &arguments) else {
        return Err(machine.unsupported(state, format!("{name} with other arguments than it has in C")));
    };
    if let (Some(place), 1..) = (machine.errno(), outcome.errno) {
        machine.store(state, place, Scalar::Int(32), Value::int(outcome.errno as u64))?;
    }
    Ok(Reply::Values(outcome.results.into_iter().map(Value::wide).collect()))
}

/// The one that is exact: also for symbolic values.
fn square_root(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let Some(&Scalar::Float(format)) = site.scalars.first() else {
        return Err(machine.unsupported(state, "sqrt with other arguments than it has in C"));
    };
    let value = site.argument(machine, state, 0)?.to_term(&mut machine.terms, format.width());
    let root = machine.terms.float_un(FloatUnOp::Sqrt, format, value);
    if let Some(place) = machine.errno() {
        let old = machine.load(state, place, Scalar::Int(32))?.to_term(&mut machine.terms, 32);
        let zero = machine.terms.constant(format.width(), 0);
        let negative = machine.terms.float_compare(LESS, format, value, zero);
        let domain = machine.terms.constant(32, EDOM);
        let new = machine.terms.ite(negative, domain, old);
        let new = Value::of(&machine.terms, new);
        machine.store(state, place, Scalar::Int(32), new)?;
    }
    Ok(Reply::Value(Value::of(&machine.terms, root)))
}

/// Rounding is to nearest (`FE_TONEAREST`, 0), always.
fn rounding_mode(_: &mut Machine<'_>, _: &mut State, _: &CallSite<'_>) -> Result<Reply, Stop> {
    Ok(Reply::Value(Value::ZERO))
}

fn set_rounding_mode(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    match site.argument(machine, state, 0)?.as_concrete(32) {
        Some(0) => Ok(Reply::Value(Value::ZERO)),
        _ => Err(machine.unsupported(state, "floats rounded otherwise than to nearest (fesetround)")),
    }
}

impl Machine<'_> {
    /// Where the program keeps `errno`, if it ever looks at it.
    pub(crate) fn errno(&self) -> Option<Value> {
        let index = self.program().globals.iter().position(|global| global.name == "__upshot_errno")?;
        Some(Value::int(self.image.globals[index]))
    }
}

/// LLVM's intrinsics for the same functions; they leave `errno` alone.
pub(crate) fn function(
    machine: &mut Machine<'_>,
    state: &mut State,
    function: MathFunction,
    format: FloatFormat,
    arguments: &[Value],
) -> Result<Value, Stop> {
    let name = match function {
        MathFunction::Sin => "sin",
        MathFunction::Cos => "cos",
        MathFunction::Tan => "tan",
        MathFunction::Exp => "exp",
        MathFunction::Exp2 => "exp2",
        MathFunction::Exp10 => "exp10",
        MathFunction::Log => "log",
        MathFunction::Log2 => "log2",
        MathFunction::Log10 => "log10",
        MathFunction::Pow => "pow",
        MathFunction::Powi => return power(machine, state, format, arguments),
    };
    let name = match format {
        FloatFormat::F64 => name.to_string(),
        FloatFormat::F32 => format!("{name}f"),
        _ => return Err(machine.unsupported(state, format!("{name} on this type"))),
    };
    let bits: Option<Vec<u128>> = arguments.iter().map(|value| value.as_concrete(format.width())).collect();
    let Some(bits) = bits else {
        return Err(machine.unsupported(state, format!("{name} of a symbolic value")));
    };
    match libm::call(&name, &bits).and_then(|outcome| outcome.results.first().copied()) {
        Some(bits) => Ok(Value::wide(bits)),
        None => Err(machine.unsupported(state, format!("{name} with other arguments than it has in C"))),
    }
}

/// A whole power by squaring, with the roundings in the order in which the compiler's library makes them.
fn power(
    machine: &mut Machine<'_>,
    state: &mut State,
    format: FloatFormat,
    arguments: &[Value],
) -> Result<Value, Stop> {
    let (Some(base), Some(exponent)) = (arguments.first(), arguments.get(1).and_then(|value| value.as_concrete(32)))
    else {
        return Err(machine.unsupported(state, "a power with a symbolic exponent"));
    };
    let exponent = exponent as u32 as i32;
    let one = fold::int_to_float(false, format, 32, 1);
    let one = machine.terms.constant(format.width(), one);
    let mut square = base.to_term(&mut machine.terms, format.width());
    let mut rest = exponent.unsigned_abs();
    let mut result = if rest & 1 != 0 { square } else { one };
    while rest > 1 {
        rest >>= 1;
        square = machine.terms.float_bin(FloatBinOp::Mul, format, square, square);
        if rest & 1 != 0 {
            result = machine.terms.float_bin(FloatBinOp::Mul, format, result, square);
        }
    }
    if exponent < 0 {
        result = machine.terms.float_bin(FloatBinOp::Div, format, one, result);
    }
    Ok(Value::of(&machine.terms, result))
}

/// `x * 2^exponent`, rounded once.
pub(crate) fn ldexp(
    machine: &mut Machine<'_>,
    state: &mut State,
    format: FloatFormat,
    value: Value,
    exponent: Value,
) -> Result<Value, Stop> {
    let (Some(bits), Some(exponent)) = (value.as_concrete(format.width()), exponent.as_concrete(32)) else {
        return Err(machine.unsupported(state, "ldexp of a symbolic value"));
    };
    let exponent = exponent as u32 as i32;
    match format {
        FloatFormat::F64 => Ok(Value::int(scale(f64::from_bits(bits as u64), exponent).to_bits())),
        // Double has room for every float and a few more exponents; one rounding happens at the end.
        FloatFormat::F32 => {
            let wide = scale(f64::from(f32::from_bits(bits as u32)), exponent.clamp(-400, 400));
            Ok(Value::int(u64::from((wide as f32).to_bits())))
        }
        _ => Err(machine.unsupported(state, "ldexp on this type")),
    }
}

fn scale(mut value: f64, mut exponent: i32) -> f64 {
    // Steps that stay exact until the last one.
    while exponent > 1000 {
        value *= 2f64.powi(1000);
        exponent -= 1000;
        if !value.is_finite() || value == 0.0 {
            return value;
        }
    }
    if exponent < -1000 {
        // Down in one exact step as far as the value stays normal, then once more.
        let room = ((value.to_bits() >> 52 & 0x7ff) as i32 - 1).clamp(0, 1000);
        value *= 2f64.powi(-room);
        exponent += room;
        if exponent < -1074 {
            return value * 0.0;
        }
        return if exponent < -1022 {
            value * 2f64.powi(-1000) * 2f64.powi(exponent + 1000)
        } else {
            value * 2f64.powi(exponent)
        };
    }
    value * 2f64.powi(exponent)
}
