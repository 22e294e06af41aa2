//! Three constructors of floats that the safe crate lacks: from bits, and from signed and unsigned integers. They are sound
//! because every argument is a live object of the one context that they share, which is asserted, and because
//! the result is wrapped, and so counted, before anything else happens.
#![allow(unsafe_code)]

use z3::Sort;
use z3::ast::{Ast, BV, Float, RoundingMode};

/// The float with these bits.
pub(super) fn float_from_bits(bits: &BV, sort: &Sort) -> Option<Float> {
    let context = bits.get_ctx();
    // SAFETY: see the module's documentation; `sort` is a float sort, and Z3 reports a wrong width by `None`.
    unsafe {
        let float = z3_sys::Z3_mk_fpa_to_fp_bv(context.get_z3_context(), bits.get_z3_ast(), sort.get_z3_sort())?;
        Some(Float::wrap(context, float))
    }
}

/// The float nearest to this integer.
pub(super) fn float_from_integer(mode: &RoundingMode, integer: &BV, signed: bool, sort: &Sort) -> Option<Float> {
    let context = integer.get_ctx();
    assert_eq!(context, mode.get_ctx(), "objects of one context");
    let (raw, mode, value, sort) =
        (context.get_z3_context(), mode.get_z3_ast(), integer.get_z3_ast(), sort.get_z3_sort());
    // SAFETY: see the module's documentation.
    unsafe {
        let float = if signed {
            z3_sys::Z3_mk_fpa_to_fp_signed(raw, mode, value, sort)?
        } else {
            z3_sys::Z3_mk_fpa_to_fp_unsigned(raw, mode, value, sort)?
        };
        Some(Float::wrap(context, float))
    }
}
