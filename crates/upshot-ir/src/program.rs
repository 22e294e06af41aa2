//! The program as the rest of Upshot sees it: flat tables of scalar operations over numbered registers.
//!
//! Clang's instructions are lowered once, at load time. Every first-class value is split into *scalars* (an integer of up
//! to 128 bits, a float, or a pointer), one register each: a `<4 x i32>` takes four consecutive registers, a
//! `{i64, i1}` two. So whatever runs or analyses a program meets scalars only, and one LLVM instruction may become several [`Op`]s, all
//! of which carry the same [`InstId`]. A local whose address does not escape is a register too (a *slot*), written
//! by [`Op::Move`] and read by [`Op::SlotLoad`]; no LLVM pass runs before, because passes hide bugs.
//!
//! Values are kept zero-extended in their register; widths are on the operations.

use crate::debug::{CTypeId, DebugTypes};
pub use upshot_expr::{BinOp, FloatBinOp, FloatFormat, FloatPredicate, FloatUnOp, IntPredicate};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);
        impl $name {
            /// The position in the table that this id points into.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(/// A function, defined or only declared: index into [`Program::functions`].
    FuncId);
id!(/// A global variable: index into [`Program::globals`].
    GlobalId);
id!(/// A basic block: index into [`Function::blocks`].
    BlockId);
id!(/// An LLVM instruction as clang emitted it: index into [`Function::insts`]. Debug intrinsics are not counted.
    InstId);
id!(/// A register of a function's frame.
    Reg);
id!(/// A source file: index into [`Program::files`].
    FileId);

/// What an operation reads: a register, or an entry of the function's constant pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand(u32);

impl Operand {
    const CONSTANT: u32 = 1 << 31;

    /// The operand that reads `reg`.
    pub fn reg(reg: Reg) -> Self {
        debug_assert!(reg.0 & Self::CONSTANT == 0);
        Operand(reg.0)
    }

    /// The operand that reads entry `index` of [`Function::constants`].
    pub fn constant(index: usize) -> Self {
        Operand(index as u32 | Self::CONSTANT)
    }

    /// The register, if it is one.
    #[inline]
    pub fn as_reg(self) -> Option<Reg> {
        (self.0 & Self::CONSTANT == 0).then_some(Reg(self.0))
    }

    /// The index into [`Function::constants`], if it is one.
    #[inline]
    pub fn as_constant(self) -> Option<usize> {
        (self.0 & Self::CONSTANT != 0).then_some((self.0 & !Self::CONSTANT) as usize)
    }
}

/// A constant. Everything but addresses is known at load time; addresses when the executor has laid out memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Const {
    /// An integer or the bits of a float, zero-extended.
    Int { width: u8, value: u128 },
    /// The address of a global (a thread-local one too), plus an offset.
    Global { global: GlobalId, offset: i64 },
    /// The address of a function.
    Function(FuncId),
    /// `blockaddress(f, b)`.
    Block(FuncId, BlockId),
    /// `undef` or `poison`, of this width.
    Undef { width: u8 },
    /// An address computation that clang left to the linker, such as `ptrtoint(&a) - ptrtoint(&b)`.
    Expr { op: ConstOp, width: u8, args: Vec<Const> },
}

/// What a [`Const::Expr`] computes, at the expression's width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstOp {
    Bin(BinOp),
    Cmp(IntPredicate),
    /// Of the first (narrower) argument.
    ZExt,
    /// Of the first argument, whose width is given.
    SExt {
        from: u8,
    },
    Trunc,
    /// condition, then, else
    Select,
}

/// The shape of one scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// An integer of 1 to 128 bits.
    Int(u8),
    Float(FloatFormat),
    /// 64 bits.
    Pointer,
}

impl Scalar {
    /// Width of the value in bits.
    pub fn width(self) -> u8 {
        match self {
            Scalar::Int(width) => width,
            Scalar::Float(format) => format.width(),
            Scalar::Pointer => 64,
        }
    }

    /// How many bytes a load or store of it touches (10 for `x86_fp80`).
    pub fn store_size(self) -> u32 {
        u32::from(self.width()).div_ceil(8)
    }
}

/// What the source or the compiler promised about an operation (`nsw`, `nuw`, `exact`); behaviour is always to wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(pub u8);

impl Flags {
    pub const NSW: u8 = 1;
    pub const NUW: u8 = 2;
    pub const EXACT: u8 = 4;

    pub fn nsw(self) -> bool {
        self.0 & Self::NSW != 0
    }
    pub fn nuw(self) -> bool {
        self.0 & Self::NUW != 0
    }
}

/// Scalar intrinsics and memory intrinsics with their results in consecutive registers from `dst`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intrinsic {
    /// (dst, src, n): args 0..3, the length of width `width`. Also memcpy.inline.
    MemCpy,
    MemMove,
    /// (dst, byte, n)
    MemSet,
    /// a, b -> result, overflow bit
    AddOverflow {
        signed: bool,
    },
    SubOverflow {
        signed: bool,
    },
    MulOverflow {
        signed: bool,
    },
    AddSat {
        signed: bool,
    },
    SubSat {
        signed: bool,
    },
    ShlSat {
        signed: bool,
    },
    ByteSwap,
    BitReverse,
    CountOnes,
    /// leading zeros; defined (= width) for zero
    LeadingZeros,
    TrailingZeros,
    /// (value, whether it must not be zero): what comes of a zero is not specified then.
    NotZero,
    /// a, b, amount
    FunnelShl,
    FunnelShr,
    Abs,
    SMin,
    SMax,
    UMin,
    UMax,
    /// condition: the path may assume it (llvm.assume)
    Assume,
    /// -> address token; and its inverse. Dynamic allocas since the save are freed.
    StackSave,
    StackRestore,
    /// va_list pointer
    VaStart,
    VaEnd,
    /// (dst, src)
    VaCopy,
    /// (pointer, min) -> size. `min` is a constant.
    ObjectSize,
    Trap,
    DebugTrap,
    /// -> 0
    ReturnAddress,
    /// -> 0
    FrameAddress,
    /// Number of cycles, a time: fresh unknown.
    ReadCycleCounter,
    /// x87 / SSE rounding mode, as FLT_ROUNDS.
    GetRounding,
    /// Resets a slot or memory object to "not written": llvm.lifetime.start on memory (args: pointer, size).
    LifetimeStart,
    LifetimeEnd,
    /// setjmp-family: (buffer) -> 0, or the value given to longjmp
    SetJmp,
    /// (buffer, value)
    LongJmp,
    /// float: a, b, c -> a*b+c rounded once (llvm.fma); llvm.fmuladd is lowered to a Mul and an Add.
    Fma(FloatFormat),
    /// float: x, i32 exponent -> x * 2^exponent
    Ldexp(FloatFormat),
    /// float: class test of llvm.is.fpclass, mask in a constant second argument
    IsFpClass(FloatFormat),
    /// A mathematical function of one or two float arguments (sin, pow, …), by its C name without suffix.
    Math(MathFunction, FloatFormat),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MathFunction {
    Sin,
    Cos,
    Tan,
    Exp,
    Exp2,
    Exp10,
    Log,
    Log2,
    Log10,
    Pow,
    Powi,
}

/// An argument of a call. Aggregates are flattened, so one LLVM argument may be several of these.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    pub value: Operand,
    pub scalar: Scalar,
    /// The pointer is to a copy (`byval`) of this many bytes, at this alignment, made by the callee.
    pub by_value: Option<(u64, u32)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    Direct(FuncId),
    Indirect(Operand),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub callee: Callee,
    pub args: Vec<Argument>,
    /// First of the consecutive registers that take the results.
    pub dst: Reg,
    pub results: Vec<Scalar>,
    /// How many of `args` belong to LLVM's fixed parameters (all, where the callee's type is not variadic).
    pub fixed: u32,
}

/// A jump: the phi moves to make *in parallel*, then the block to go to.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    pub target: BlockId,
    pub moves: Vec<(Reg, Operand)>,
}

/// `base + disp + sext(index) * scale`, in 64 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offset {
    pub dst: Reg,
    pub base: Operand,
    pub index: Operand,
    /// Width of the index before sign extension to 64 bits.
    pub index_width: u8,
    pub scale: i64,
    pub disp: i64,
}

/// One scalar operation. Kept small: the interpreter walks an array of these.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A copy: of a value between registers, or into a slot. Bitcasts, ptrtoint i64, freeze, extractvalue, … become these.
    Move {
        dst: Reg,
        src: Operand,
    },
    /// Read of a promoted local, which may not have been written yet. `width` in bits.
    SlotLoad {
        dst: Reg,
        slot: Reg,
        width: u8,
    },
    /// The slot is not written (start of a lifetime).
    SlotReset {
        slot: Reg,
    },
    Bin {
        op: BinOp,
        width: u8,
        flags: Flags,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Cmp {
        pred: IntPredicate,
        width: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    ZExt {
        from: u8,
        to: u8,
        dst: Reg,
        a: Operand,
    },
    SExt {
        from: u8,
        to: u8,
        dst: Reg,
        a: Operand,
    },
    Trunc {
        from: u8,
        to: u8,
        dst: Reg,
        a: Operand,
    },
    FloatBin {
        op: FloatBinOp,
        format: FloatFormat,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    FloatUn {
        op: FloatUnOp,
        format: FloatFormat,
        dst: Reg,
        a: Operand,
    },
    FloatCmp {
        pred: FloatPredicate,
        format: FloatFormat,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    /// fpext and fptrunc
    FloatCast {
        from: FloatFormat,
        to: FloatFormat,
        dst: Reg,
        a: Operand,
    },
    /// fptosi, fptoui; `saturating` for llvm.fptosi.sat
    FloatToInt {
        from: FloatFormat,
        to: u8,
        signed: bool,
        saturating: bool,
        dst: Reg,
        a: Operand,
    },
    IntToFloat {
        from: u8,
        signed: bool,
        to: FloatFormat,
        dst: Reg,
        a: Operand,
    },
    Select {
        width: u8,
        dst: Reg,
        cond: Operand,
        a: Operand,
        b: Operand,
    },
    /// Address arithmetic, at constant displacement: one for a GEP with constant indices only.
    Displace {
        dst: Reg,
        base: Operand,
        disp: i64,
    },
    /// Address arithmetic with one variable index; a GEP with several becomes a chain.
    Offset(Box<Offset>),
    /// A stack object of `count` elements of `size` bytes. The local variable it holds, where known.
    Alloca {
        dst: Reg,
        size: u64,
        count: Operand,
        count_width: u8,
        align: u32,
    },
    Load {
        dst: Reg,
        ptr: Operand,
        disp: u32,
        scalar: Scalar,
    },
    Store {
        value: Operand,
        ptr: Operand,
        disp: u32,
        scalar: Scalar,
    },
    /// `dst` gets the old value. The operation is given by name since it is rare: see [`AtomicOp`].
    AtomicRmw {
        op: AtomicOp,
        scalar: Scalar,
        dst: Reg,
        ptr: Operand,
        value: Operand,
    },
    /// `dst` gets the old value, the next register 1 if it was equal and has been replaced.
    CompareExchange {
        scalar: Scalar,
        dst: Reg,
        ptr: Operand,
        expected: Operand,
        replacement: Operand,
    },
    Intrinsic {
        which: Intrinsic,
        width: u8,
        dst: Reg,
        args: Box<[Operand]>,
    },
    Call(Box<Call>),
    /// asm volatile("") and other barriers are dropped; any other inline assembly is `Unsupported`.
    Jump(Box<Edge>),
    Branch {
        cond: Operand,
        edges: Box<(Edge, Edge)>,
    },
    Switch(Box<Switch>),
    /// Computed goto: jumps to the edge whose block has this address.
    IndirectJump {
        address: Operand,
        edges: Box<[Edge]>,
    },
    Return {
        values: Box<[Operand]>,
    },
    Unreachable,
    /// Does nothing; see [`with_marks`](crate::with_marks).
    Mark {
        mark: u32,
    },
    /// The path ends here as `unsupported`; index into [`Program::unsupported`].
    Unsupported {
        what: u32,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    pub value: Operand,
    pub width: u8,
    /// In source order. Several cases may share a target.
    pub cases: Vec<(u128, Edge)>,
    pub default: Edge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    SMax,
    SMin,
    UMax,
    UMin,
    FAdd,
    FSub,
}

/// A basic block: a run of operations, the last of which is a terminator.
#[derive(Clone, Debug)]
pub struct Block {
    /// The range of [`Function::ops`].
    pub start: u32,
    pub end: u32,
    /// The range of instructions it holds, terminator included; their number is what "instructions" counts.
    pub first_inst: InstId,
    pub last_inst: InstId,
    /// LLVM's name of the block, or its number.
    pub name: Box<str>,
}

/// Where in the source something is. Line 0: not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Location {
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

impl Location {
    pub fn is_known(self) -> bool {
        self.line != 0
    }
    pub fn file_id(self) -> FileId {
        FileId(self.file)
    }
}

/// An LLVM instruction.
#[derive(Clone, Debug)]
pub struct Inst {
    pub location: Location,
    /// Where `inlined_at` is not empty: the name of the function that `location` is in.
    pub inlined_function: Option<Box<str>>,
    /// For code that clang or LLVM inlined: what it was inlined into, innermost first. Mostly empty.
    pub inlined_at: Box<[InlinedAt]>,
    pub block: BlockId,
    /// Its operations; may be empty (a `#dbg`-like no-op, a promoted alloca).
    pub ops: std::ops::Range<u32>,
    /// The registers that hold its value: several for a vector or an aggregate, of a phi those that the edges write, of a
    /// promoted alloca its slot, none for void. Any other register that its operations write is a temporary of its own.
    pub result: std::ops::Range<u32>,
    /// LLVM's opcode name, such as `getelementptr`.
    pub opcode: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlinedAt {
    /// Name of the function that the location is in.
    pub function: Box<str>,
    pub location: Location,
}

/// A C parameter, and where its bytes are among LLVM's scalars.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The C name; `arg0` … where there is no debug information.
    pub name: String,
    /// The C type; `None` without debug information.
    pub ty: Option<CTypeId>,
    /// Bytes of the C object.
    pub size: u64,
    /// The flattened scalars of the LLVM parameters that carry it, each with its byte offset within the C object.
    /// A `byval` parameter is one `Pointer` scalar with `by_value` set: the pointer to a copy of the object.
    pub scalars: Vec<(u32, Scalar)>,
    pub by_value: Option<(u64, u32)>,
}

/// A local variable with debug information (parameters too).
#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    pub ty: Option<CTypeId>,
    /// Its slot, if it was promoted; else `None`, and `alloca` says which instruction makes its object.
    pub slot: Option<Reg>,
    pub alloca: Option<InstId>,
    pub location: Location,
}

#[derive(Clone, Debug)]
pub struct Function {
    /// LLVM's name (linkage name).
    pub name: String,
    /// The name in the source, where debug information has one (`helper` for a static `helper.1`).
    pub source_name: String,
    /// Where it is defined. Unknown for declarations and without debug information.
    pub location: Location,
    /// No body here.
    pub is_declaration: bool,
    /// `static`
    pub is_local: bool,
    pub is_variadic: bool,
    pub no_return: bool,
    /// Part of the embedded C runtime, not of the user's program.
    pub is_runtime: bool,
    /// The C parameters. Their scalars, flattened in order, arrive in registers 0, 1, …; an `sret` pointer comes first where there is one.
    pub parameters: Vec<Parameter>,
    /// The hidden pointer through which a struct is returned: its size. It is register 0 then.
    pub struct_return: Option<u64>,
    /// What it returns, flattened; empty for void.
    pub results: Vec<Scalar>,
    /// C return type.
    pub return_type: Option<CTypeId>,
    /// How many registers a frame has. The parameters' come first.
    pub registers: u32,
    pub constants: Vec<Const>,
    pub ops: Vec<Op>,
    /// The instruction of each operation, parallel to `ops`.
    pub op_inst: Vec<InstId>,
    pub blocks: Vec<Block>,
    pub insts: Vec<Inst>,
    pub locals: Vec<Local>,
}

/// The initial bytes of a global: plain data, and addresses to be filled in once memory is laid out.
#[derive(Clone, Debug, Default)]
pub struct Initializer {
    pub bytes: Vec<u8>,
    /// (offset, width in bits, value), for every scalar that is not plain data.
    pub relocations: Vec<(u64, u8, Const)>,
}

#[derive(Clone, Debug)]
pub struct Global {
    pub name: String,
    /// The name in the source where debug information has it.
    pub source_name: String,
    pub location: Location,
    pub size: u64,
    pub align: u32,
    pub is_constant: bool,
    pub is_local: bool,
    pub is_thread_local: bool,
    /// `extern` without a definition: contents unknown.
    pub initializer: Option<Initializer>,
    pub ty: Option<CTypeId>,
    /// Part of the embedded C runtime.
    pub is_runtime: bool,
}

/// A linked program, lowered.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub functions: Vec<Function>,
    pub globals: Vec<Global>,
    /// Source files by [`FileId`], as clang named them (directory joined where relative).
    pub files: Vec<String>,
    pub types: DebugTypes,
    /// What [`Op::Unsupported`] refers to, in words.
    pub unsupported: Vec<String>,
    /// Functions to run before and after main (`llvm.global_ctors` / `dtors`), in order.
    pub constructors: Vec<FuncId>,
    pub destructors: Vec<FuncId>,
    pub target_triple: String,
    pub data_layout: String,
    /// Whether any function has debug information.
    pub has_debug_info: bool,
}

impl Program {
    /// The function of that name: a linkage name first, then a source name.
    pub fn function_named(&self, name: &str) -> Option<FuncId> {
        let by = |field: fn(&Function) -> &str| {
            self.functions.iter().position(|f| field(f) == name && !f.is_declaration).map(|i| FuncId(i as u32))
        };
        by(|f| &f.name).or_else(|| by(|f| &f.source_name))
    }

    pub fn function(&self, id: FuncId) -> &Function {
        &self.functions[id.index()]
    }

    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.index()]
    }

    /// `file:line` for people.
    pub fn describe(&self, location: Location) -> String {
        match self.files.get(location.file as usize) {
            Some(file) if location.is_known() => format!("{file}:{}", location.line),
            _ => "unknown location".to_string(),
        }
    }
}
