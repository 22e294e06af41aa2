//! Which results in a test belong to which function pointer.
//!
//! A function of which nothing is known returns what the test says: objects named after the pointer, `p->compare()#0`. The runtime
//! knows no C names inside objects, so each such pointer is told where its first result is, unless the test says so already.

use upshot_ir::Program;

use crate::ktest::{Ktest, Object};
use crate::show::{POINTERS, TO_FUNCTION, show};

/// The test with that filled in.
pub(super) fn with_results(test: &Ktest, program: &Program, entry: &str) -> Ktest {
    let mut test = test.clone();
    let Some(list) = test.objects.iter().rposition(|o| o.name == POINTERS) else { return test };
    let word =
        |bytes: &[u8], i: usize| bytes.get(i..i + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes);
    let is_open = |pointer: &[u8]| word(pointer, 8) == TO_FUNCTION && word(pointer, 12) == 0;
    if !test.objects[list].bytes.chunks_exact(16).any(is_open) {
        return test;
    }
    let shown = show(&test, Some(program), Some(entry));
    let mut bytes = std::mem::take(&mut test.objects[list].bytes);
    for pointer in bytes.chunks_exact_mut(16).filter(|p| is_open(p)) {
        let (holder, offset) = (word(pointer, 0) as usize, u64::from(word(pointer, 4)));
        // The list itself, which is not shown, comes last.
        let value = shown.get(holder).and_then(|s| s.values.iter().find(|v| v.offset == offset));
        let first = value.and_then(|value| first_result(&test.objects, &value.path)).unwrap_or(0);
        pointer[12..16].copy_from_slice(&first.to_le_bytes());
    }
    test.objects[list].bytes = bytes;
    test
}

/// The number of the first result of the function that an expression points to, plus one.
fn first_result(objects: &[Object], path: &str) -> Option<u32> {
    let dereferenced = path.strip_prefix('*').or_else(|| path.strip_suffix("[0]")).map(|p| format!("(*{p})"));
    let names = [Some(path.to_string()), dereferenced];
    names.iter().flatten().find_map(|name| {
        let prefix = format!("{name}()#");
        objects.iter().position(|o| o.name.starts_with(&prefix)).map(|i| i as u32 + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_go_by_the_pointers_name() {
        let named = |name: &str| Object { name: name.to_string(), bytes: vec![] };
        let objects = ["f", "f()#0", "p->g()#1", "(*h)()#2", "f()#3"].map(named);
        let first = |path| first_result(&objects, path);
        assert_eq!([first("f"), first("p->g"), first("*h"), first("h[0]")], [Some(2), Some(3), Some(4), Some(4)]);
        assert_eq!([first("g"), first("h"), first("h[1]")], [None, None, None]);
    }
}
