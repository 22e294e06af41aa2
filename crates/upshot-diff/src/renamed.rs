//! Functions that have another name in the new version, but the same body.
//!
//! Only functions that no name could pair are looked at. Those that call each other may all have been renamed at once, so candidates of one shape are
//! taken for pairs first, and those that turn out to differ are taken apart again until the rest agrees.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

use upshot_ir::{FuncId, Function, Program};

use crate::alike::{Common, Comparison};
use crate::body::Body;
use crate::data::Data;
use crate::matching::identical;
use crate::pairing::Pairs;
use crate::parameters::{Parameters, same_interface};

/// More functions of one shape than this are not tried each against each.
const MOST_OF_ONE_SHAPE: usize = 32;

/// Pairs what is left over and has the same body.
pub(crate) fn pair_renamed(old: &Program, new: &Program, functions: &mut Pairs, data: &Data<'_>) {
    let candidates = candidates(old, new, functions);
    let search = Search { old, new, data };
    search.together(functions, &candidates);
    for (ours, theirs) in &candidates {
        for &a in ours.iter().take(MOST_OF_ONE_SHAPE) {
            for &b in theirs.iter().take(MOST_OF_ONE_SHAPE) {
                let mut attempt = functions.clone();
                if attempt.join(a, b) && search.same_body(&attempt, a, b) {
                    *functions = attempt;
                    break;
                }
            }
        }
    }
}

struct Search<'a> {
    old: &'a Program,
    new: &'a Program,
    data: &'a Data<'a>,
}

impl Search<'_> {
    /// Takes those of one shape for pairs, in order, all at once.
    fn together(&self, functions: &mut Pairs, candidates: &[(Vec<usize>, Vec<usize>)]) {
        let mut assumed: Vec<(usize, usize)> =
            candidates.iter().flat_map(|(ours, theirs)| ours.iter().copied().zip(theirs.iter().copied())).collect();
        let named = functions.clone();
        loop {
            let mut attempt = named.clone();
            for &(a, b) in &assumed {
                attempt.join(a, b);
            }
            let before = assumed.len();
            assumed.retain(|&(a, b)| self.same_body(&attempt, a, b));
            if assumed.len() == before {
                *functions = attempt;
                return;
            }
        }
    }

    fn same_body(&self, functions: &Pairs, old: usize, new: usize) -> bool {
        let (a, b) = (FuncId(old as u32), FuncId(new as u32));
        let (f, g) = (self.old.function(a), self.new.function(b));
        let (body_of_old, body_of_new) = (Body::new(self.old, a), Body::new(self.new, b));
        let common = Common { functions, data: self.data };
        let parameters = Parameters::pair(f, g);
        let comparison = Comparison { old: &body_of_old, new: &body_of_new, common: &common, parameters };
        same_interface(f, g) && identical(&comparison).is_some()
    }
}

/// The functions without a counterpart that have a body, grouped by shape; those of either version in order.
fn candidates(old: &Program, new: &Program, functions: &Pairs) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut groups: FxHashMap<u64, (Vec<usize>, Vec<usize>)> = FxHashMap::default();
    let eligible = |function: &Function| !function.is_declaration && !function.is_runtime;
    for at in functions.free_old().into_iter().filter(|&at| eligible(&old.functions[at])) {
        groups.entry(shape(&old.functions[at])).or_default().0.push(at);
    }
    for at in functions.free_new().into_iter().filter(|&at| eligible(&new.functions[at])) {
        groups.entry(shape(&new.functions[at])).or_default().1.push(at);
    }
    let mut groups: Vec<_> =
        groups.into_values().filter(|(ours, theirs)| !ours.is_empty() && !theirs.is_empty()).collect();
    groups.sort_unstable();
    groups
}

/// Equal for equal bodies.
fn shape(function: &Function) -> u64 {
    let mut hasher = FxHasher::default();
    function.results.hash(&mut hasher);
    for inst in &function.insts {
        (inst.opcode, inst.block, inst.ops.len()).hash(&mut hasher);
    }
    hasher.finish()
}
