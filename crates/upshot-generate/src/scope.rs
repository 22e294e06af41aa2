//! What a function can name at the point where something is made.

use crate::tree::Signature;

/// Names, by what can be done with them. All of them are initialised wherever they are visible.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scope {
    /// Of integer type, to be read: `a`, `s.x`, `*p`.
    pub(crate) readable: Vec<String>,
    /// To be assigned.
    pub(crate) writable: Vec<String>,
    /// Arrays of int with the mask of their indices, and whether they can be written.
    pub(crate) arrays: Vec<(String, u32, bool)>,
    /// Expressions for addresses of ints that live as long as the function does: `&a`, `p`, `&s.y`.
    pub(crate) addresses: Vec<String>,
    /// Those of globals, which global pointers may hold.
    pub(crate) lasting_addresses: Vec<String>,
    /// Pointers to int that can be assigned, and whether they are global.
    pub(crate) pointers: Vec<(String, bool)>,
    pub(crate) structs: Vec<String>,
    /// Expressions for addresses of structs.
    pub(crate) struct_addresses: Vec<String>,
    pub(crate) struct_pointers: Vec<String>,
    pub(crate) function_pointers: Vec<String>,
    /// Tables of functions of two ints, with the mask.
    pub(crate) function_tables: Vec<(String, u32)>,
    /// Functions that can be called.
    pub(crate) callees: Vec<(String, Signature)>,
    /// In a recursive function: its own name.
    pub(crate) itself: Option<String>,
    /// Loop counters that are declared but not in use.
    pub(crate) counters: Vec<String>,
}

impl Scope {
    /// Adds a struct, or what a pointer to one leads to.
    pub(crate) fn add_fields(&mut self, prefix: &str) {
        for field in ["x", "y"] {
            self.readable.push(format!("{prefix}{field}"));
            self.writable.push(format!("{prefix}{field}"));
        }
        self.arrays.push((format!("{prefix}z"), 1, true));
    }

    pub(crate) fn functions(&self, signature: Signature) -> Vec<String> {
        self.callees.iter().filter(|(_, of)| *of == signature).map(|(name, _)| name.clone()).collect()
    }
}
