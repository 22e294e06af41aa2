//! Random small C programs in two versions, for tests that need many pairs and an oracle by brute force.
//!
//! A pair is a C file and the same file after random edits. Both versions are defined C for every input: indices are in bounds, loops and recursions
//! end after a few rounds, nothing is read before it is written, no pointer outlives what it points to; only with [`Options::traps`] do some inputs end the run by a division
//! by zero or a trap. The parameters of the entry are few and narrow, so all inputs of a small domain can be run. The same seed
//! and options give the same pair, for ever.
//!
//! ```
//! use upshot_generate::{Options, pair};
//! let pair = pair(7, &Options { tag: "_7".to_string(), ..Options::default() });
//! assert_eq!(pair.entry, "f_7");
//! println!("{:?}\n{}\n{}", pair.edits, pair.old, pair.new);
//! for input in upshot_generate::inputs(&pair.parameters, 100) {
//!     assert_eq!(input.len(), pair.parameters.len());
//! }
//! ```

mod edit;
mod expressions;
mod functions;
mod program;
mod random;
mod render;
mod scope;
mod statements;
mod tree;
mod types;

pub use edit::{Edit, Effect};
pub use program::Global;
pub use random::Random;
pub use types::{IntType, Parameter, inputs};

use render::{Style, render};

/// What programs may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    pub loops: bool,
    /// `break`, `continue`, `goto`, `return` in the middle.
    pub jumps: bool,
    pub switches: bool,
    pub arrays: bool,
    pub pointers: bool,
    pub structs: bool,
    pub globals: bool,
    pub static_locals: bool,
    pub calls: bool,
    /// Calls through pointers; only with `calls`.
    pub function_pointers: bool,
    /// Only with `calls`.
    pub recursion: bool,
    /// By divisors that are never 0.
    pub divisions: bool,
    /// Code that never runs.
    pub dead_code: bool,
}

impl Features {
    pub const ALL: Features = Features {
        loops: true,
        jumps: true,
        switches: true,
        arrays: true,
        pointers: true,
        structs: true,
        globals: true,
        static_locals: true,
        calls: true,
        function_pointers: true,
        recursion: true,
        divisions: true,
        dead_code: true,
    };

    /// Branches and arithmetic on locals.
    pub const NONE: Features = Features {
        loops: false,
        jumps: false,
        switches: false,
        arrays: false,
        pointers: false,
        structs: false,
        globals: false,
        static_locals: false,
        calls: false,
        function_pointers: false,
        recursion: false,
        divisions: false,
        dead_code: false,
    };
}

/// What pairs to make.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Put after all names that are seen outside of functions, so that many pairs fit into one file.
    pub tag: String,
    /// The most parameters of the entry; there is at least one.
    pub parameters: usize,
    /// What types they have.
    pub parameter_types: Vec<IntType>,
    /// Statements per list, at most.
    pub size: usize,
    /// How deep statements nest.
    pub depth: usize,
    /// The most functions besides the entry.
    pub helpers: usize,
    pub features: Features,
    /// Some inputs end the run: divisions by whatever there is, traps.
    pub traps: bool,
    /// The most edits of a pair; there is at least one.
    pub edits: usize,
    /// Which edits there may be. Where none of them can be done, the pair is identical.
    pub kinds: Vec<Edit>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            tag: String::new(),
            parameters: 2,
            parameter_types: vec![IntType::SignedChar, IntType::UnsignedChar, IntType::Bool],
            size: 4,
            depth: 2,
            helpers: 3,
            features: Features::ALL,
            traps: false,
            edits: 2,
            kinds: Edit::ALL.to_vec(),
        }
    }
}

/// A program in two versions, as two C files.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    pub old: String,
    pub new: String,
    /// The function to run. It returns an int.
    pub entry: String,
    pub parameters: Vec<Parameter>,
    /// What is left in memory after a run.
    pub globals: Vec<Global>,
    pub edits: Vec<Edit>,
    pub effect: Effect,
}

/// The pair of this seed.
pub fn pair(seed: u64, options: &Options) -> Pair {
    let mut random = Random::new(seed);
    let (old, parameters) = program::grow(&mut random, options);
    let mut new = old.clone();
    let mut style = Style::default();
    let (edits, effect) = edit::apply(&mut random, options, &mut new, &mut style);
    Pair {
        old: render(&old, &Style::default()),
        new: render(&new, &style),
        entry: format!("f{}", options.tag),
        parameters,
        globals: program::globals(&old),
        edits,
        effect,
    }
}
