//! The operators of the term language. `upshot-ir` uses the same ones for the scalar operations of a program, so that a
//! program's operation and the term it computes never need translating.

/// Floating-point formats of LLVM on x86-64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FloatFormat {
    /// IEEE half, `_Float16`
    F16,
    /// `__bf16`
    BF16,
    F32,
    F64,
    /// x87 double-extended, `long double`
    X87,
    /// IEEE quad, `__float128`
    F128,
}

impl FloatFormat {
    /// Width in bits.
    pub fn width(self) -> u8 {
        match self {
            FloatFormat::F16 | FloatFormat::BF16 => 16,
            FloatFormat::F32 => 32,
            FloatFormat::F64 => 64,
            FloatFormat::X87 => 80,
            FloatFormat::F128 => 128,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

/// Comparison of integers or pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntPredicate {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatBinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    /// llvm.minnum, llvm.maxnum, llvm.minimum, llvm.maximum, llvm.copysign
    MinNum,
    MaxNum,
    Minimum,
    Maximum,
    CopySign,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatUnOp {
    Neg,
    Abs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    /// Round to nearest, ties to even (rint, nearbyint, roundeven).
    RoundEven,
    /// Round half away from zero.
    Round,
}

/// LLVM's sixteen float predicates, as a mask: 1 = equal, 2 = greater, 4 = less, 8 = unordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatPredicate(pub u8);
