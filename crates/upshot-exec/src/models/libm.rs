//! The mathematical functions of the system, called on concrete values.
//!
//! They round, and no two libraries round alike; so the only answer that a native run will give as well is the answer of
//! the library that such a run is linked with. They are looked up in that library while running, because what this
//! program was linked with may be others of the same names: Rust brings some of its own. Complex division is the compiler's
//! library's, for the same reason.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};

/// What a function gave.
pub(super) struct Outcome {
    /// The bits of each scalar.
    pub results: Vec<u128>,
    /// What it left in `errno`; 0 if it did not touch it.
    pub errno: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Pair<T>(T, T);

/// The arguments and results of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Double,
    Single,
    TwoDoubles,
    TwoSingles,
    ComplexDouble,
    ComplexSingle,
}

/// Of a double; with an `f` behind the name, of a float.
const UNARY: &[&str] = &[
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "exp2",
    "exp10", "expm1", "log", "log2", "log10", "log1p", "logb", "cbrt", "erf", "erfc", "lgamma", "tgamma", "j0", "j1",
    "y0", "y1",
];
const BINARY: &[&str] = &["pow", "atan2", "hypot", "remainder", "drem"];

fn shape(name: &str) -> Option<Shape> {
    let single = name.strip_suffix('f').unwrap_or_default();
    Some(match name {
        "__muldc3" | "__divdc3" => Shape::ComplexDouble,
        "__mulsc3" | "__divsc3" => Shape::ComplexSingle,
        _ if UNARY.contains(&name) => Shape::Double,
        _ if BINARY.contains(&name) => Shape::TwoDoubles,
        _ if UNARY.contains(&single) => Shape::Single,
        _ if BINARY.contains(&single) => Shape::TwoSingles,
        _ => return None,
    })
}

pub(super) fn is_known(name: &str) -> bool {
    shape(name).is_some()
}

/// Calls a function on the bits of its arguments. `None` if the system does not have it, or it takes others.
pub(super) fn call(name: &str, arguments: &[u128]) -> Option<Outcome> {
    let shape = shape(name)?;
    let library =
        if matches!(shape, Shape::ComplexDouble | Shape::ComplexSingle) { c"libgcc_s.so.1" } else { c"libm.so.6" };
    let function = symbol(library, name)?;
    let double = |index: usize| arguments.get(index).map(|&bits| f64::from_bits(bits as u64));
    let single = |index: usize| arguments.get(index).map(|&bits| f32::from_bits(bits as u32));
    set_errno(0);
    // SAFETY: `function` is the C function of that name, and `shape` says how C declares it; it computes and sets errno, no more.
    let results = unsafe {
        match shape {
            Shape::Double => {
                let function: extern "C" fn(f64) -> f64 = std::mem::transmute(function);
                vec![of_double(function(double(0)?))]
            }
            Shape::Single => {
                let function: extern "C" fn(f32) -> f32 = std::mem::transmute(function);
                vec![of_single(function(single(0)?))]
            }
            Shape::TwoDoubles => {
                let function: extern "C" fn(f64, f64) -> f64 = std::mem::transmute(function);
                vec![of_double(function(double(0)?, double(1)?))]
            }
            Shape::TwoSingles => {
                let function: extern "C" fn(f32, f32) -> f32 = std::mem::transmute(function);
                vec![of_single(function(single(0)?, single(1)?))]
            }
            Shape::ComplexDouble => {
                let function: extern "C" fn(f64, f64, f64, f64) -> Pair<f64> = std::mem::transmute(function);
                let Pair(real, imaginary) = function(double(0)?, double(1)?, double(2)?, double(3)?);
                vec![of_double(real), of_double(imaginary)]
            }
            Shape::ComplexSingle => {
                let function: extern "C" fn(f32, f32, f32, f32) -> Pair<f32> = std::mem::transmute(function);
                let Pair(real, imaginary) = function(single(0)?, single(1)?, single(2)?, single(3)?);
                vec![of_single(real), of_single(imaginary)]
            }
        }
    };
    Some(Outcome { results, errno: errno() })
}

fn of_double(value: f64) -> u128 {
    u128::from(value.to_bits())
}

fn of_single(value: f32) -> u128 {
    u128::from(value.to_bits())
}

// SAFETY: as <dlfcn.h> and <errno.h> have them.
unsafe extern "C" {
    fn dlopen(name: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    safe fn __errno_location() -> *mut c_int;
}

fn symbol(library: &CStr, name: &str) -> Option<*mut c_void> {
    const NOW: c_int = 2;
    let name = CString::new(name).ok()?;
    // SAFETY: both names end in NUL. The library stays open, so what is found in it stays too.
    let found = unsafe {
        let library = dlopen(library.as_ptr(), NOW);
        if library.is_null() {
            return None;
        }
        dlsym(library, name.as_ptr())
    };
    (!found.is_null()).then_some(found)
}

fn errno() -> i32 {
    // SAFETY: points to this thread's errno for as long as the thread lives.
    unsafe { *__errno_location() }
}

fn set_errno(value: i32) {
    // SAFETY: as above.
    unsafe { *__errno_location() = value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(name: &str, arguments: &[f64]) -> (Vec<f64>, i32) {
        let bits: Vec<u128> = arguments.iter().map(|value| u128::from(value.to_bits())).collect();
        let outcome = call(name, &bits).expect("the system has it");
        (outcome.results.iter().map(|&bits| f64::from_bits(bits as u64)).collect(), outcome.errno)
    }

    #[test]
    fn functions_compute_and_report_errors() {
        assert_eq!(double("pow", &[2.0, 10.0]), (vec![1024.0], 0));
        assert_eq!(double("__divdc3", &[4.0, 2.0, 2.0, 0.0]), (vec![2.0, 1.0], 0));
        let (results, errno) = double("log", &[-1.0]);
        assert!(results[0].is_nan() && errno == 33);
    }

    #[test]
    fn names_say_what_functions_take() {
        assert_eq!(shape("erf"), Some(Shape::Double));
        assert_eq!(shape("erff"), Some(Shape::Single));
        assert_eq!(shape("powf"), Some(Shape::TwoSingles));
        assert_eq!(shape("sinl"), None);
        assert_eq!(shape("f"), None);
    }

    #[test]
    fn every_function_is_there() {
        for name in UNARY.iter().chain(BINARY) {
            for name in [name.to_string(), format!("{name}f")] {
                assert!(symbol(c"libm.so.6", &name).is_some(), "{name}");
            }
        }
    }

    #[test]
    fn complex_floats_come_back_in_one_register() {
        let bits = |value: f32| u128::from(value.to_bits());
        let outcome = call("__divsc3", &[bits(1.0), bits(2.0), bits(0.5), bits(0.0)]).expect("the system has it");
        assert_eq!(outcome.results, [bits(2.0), bits(4.0)]);
    }
}
