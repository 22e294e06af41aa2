//! Which function or global of the old version is which of the new one, by name and place.
//!
//! A name that the linker knows is enough. Static names may repeat, so among equal names the files whose paths have most in common at their end are
//! paired first; what is left over is paired across files, and static with external. Bodies are not looked at here.

use rustc_hash::FxHashMap;

/// What pairing knows of a function or global.
#[derive(Clone, Debug)]
pub(crate) struct Named<'a> {
    /// The name that the linker knows it by, where it knows it.
    pub(crate) linkage: Option<&'a str>,
    /// The name in the source.
    pub(crate) source: &'a str,
    /// The function that a static local belongs to; empty for others.
    pub(crate) owner: &'a str,
    /// The other version has no function of the owner's name.
    pub(crate) owner_gone: bool,
    pub(crate) file: &'a str,
}

/// A one-to-one map between two lists, by position.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    pub(crate) to_new: Vec<Option<u32>>,
    pub(crate) to_old: Vec<Option<u32>>,
}

impl Pairs {
    pub(crate) fn new(old: usize, new: usize) -> Self {
        Pairs { to_new: vec![None; old], to_old: vec![None; new] }
    }

    /// Whether both were still free, and are now a pair.
    pub(crate) fn join(&mut self, old: usize, new: usize) -> bool {
        let free = self.to_new[old].is_none() && self.to_old[new].is_none();
        if free {
            self.to_new[old] = Some(new as u32);
            self.to_old[new] = Some(old as u32);
        }
        free
    }

    pub(crate) fn are_joined(&self, old: usize, new: usize) -> bool {
        self.to_new.get(old).copied().flatten() == Some(new as u32)
    }

    pub(crate) fn free_old(&self) -> Vec<usize> {
        free(&self.to_new)
    }

    pub(crate) fn free_new(&self) -> Vec<usize> {
        free(&self.to_old)
    }
}

fn free(side: &[Option<u32>]) -> Vec<usize> {
    (0..side.len()).filter(|&position| side[position].is_none()).collect()
}

/// Pairs what has the same name; `None` is left alone.
pub(crate) fn pair_by_name(old: &[Option<Named<'_>>], new: &[Option<Named<'_>>]) -> Pairs {
    let mut pairs = Pairs::new(old.len(), new.len());
    let linked: FxHashMap<&str, usize> = present(new).filter_map(|(at, item)| Some((item.linkage?, at))).collect();
    for (at, item) in present(old) {
        if let Some(&counterpart) = item.linkage.and_then(|name| linked.get(name)) {
            pairs.join(at, counterpart);
        }
    }
    // Statics with statics first; a function that became static, or a static local whose function was renamed, after them.
    pair_groups(old, new, &mut pairs, |item| item.linkage.is_none().then_some((item.source, item.owner)));
    pair_groups(old, new, &mut pairs, |item| Some((item.source, item.owner)));
    pair_groups(old, new, &mut pairs, |item| item.owner_gone.then_some((item.source, "")));
    pairs
}

fn present<'i, 'a>(items: &'i [Option<Named<'a>>]) -> impl Iterator<Item = (usize, &'i Named<'a>)> {
    items.iter().enumerate().filter_map(|(at, item)| Some((at, item.as_ref()?)))
}

/// Pairs what is still free and has an equal key, nearest files first.
fn pair_groups<'a>(
    old: &[Option<Named<'a>>],
    new: &[Option<Named<'a>>],
    pairs: &mut Pairs,
    key: impl Fn(&Named<'a>) -> Option<(&'a str, &'a str)>,
) {
    let mut groups: FxHashMap<(&str, &str), Vec<usize>> = FxHashMap::default();
    for (at, item) in present(new).filter(|(at, _)| pairs.to_old[*at].is_none()) {
        if let Some(key) = key(item) {
            groups.entry(key).or_default().push(at);
        }
    }
    let mut candidates = Vec::new();
    for (at, item) in present(old).filter(|(at, _)| pairs.to_new[*at].is_none()) {
        for &other in key(item).and_then(|key| groups.get(&key)).into_iter().flatten() {
            let nearness = common_ending(item.file, new[other].as_ref().map_or("", |other| other.file));
            candidates.push((std::cmp::Reverse(nearness), at, other));
        }
    }
    candidates.sort_unstable();
    for (_, at, other) in candidates {
        pairs.join(at, other);
    }
}

/// How many components two paths share, counted from their ends.
fn common_ending(a: &str, b: &str) -> usize {
    a.rsplit('/').zip(b.rsplit('/')).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local<'a>(source: &'a str, file: &'a str) -> Option<Named<'a>> {
        Some(Named { linkage: None, source, owner: "", owner_gone: false, file })
    }

    fn external(source: &str) -> Option<Named<'_>> {
        Some(Named { linkage: Some(source), source, owner: "", owner_gone: false, file: "" })
    }

    #[test]
    fn statics_of_one_name_are_paired_by_file() {
        let old = [local("init", "old/a.c"), local("init", "old/b.c")];
        let new = [local("init", "new/b.c"), local("init", "new/a.c")];
        assert_eq!(pair_by_name(&old, &new).to_new, [Some(1), Some(0)]);
    }

    #[test]
    fn a_static_that_moved_is_found() {
        let old = [local("init", "old/a.c"), local("init", "old/b.c")];
        let new = [local("init", "new/b.c"), local("init", "new/c.c")];
        assert_eq!(pair_by_name(&old, &new).to_new, [Some(1), Some(0)]);
    }

    #[test]
    fn a_function_that_became_static_is_found() {
        assert_eq!(pair_by_name(&[external("f"), external("g")], &[local("f", "a.c")]).to_new, [Some(0), None]);
    }

    #[test]
    fn a_static_local_follows_its_function() {
        let of = |owner, owner_gone| Some(Named { linkage: None, source: "count", owner, owner_gone, file: "a.c" });
        let here = |owner| of(owner, false);
        assert_eq!(pair_by_name(&[here("f"), here("g")], &[here("g"), here("f")]).to_new, [Some(1), Some(0)]);
        assert_eq!(pair_by_name(&[of("f", true)], &[of("renamed", true)]).to_new, [Some(0)]);
        assert_eq!(pair_by_name(&[here("f")], &[here("g")]).to_new, [None]);
    }
}
