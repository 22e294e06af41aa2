//! Soundness by brute force: whatever really differs between two versions is in the impact set.
//!
//! Random pairs of programs are run natively on every input of a small domain, with every instruction telling what it computes. An instruction that is in both versions and computes
//! something else, or runs more or less often, must be impacted in both; so must one that is in one version only and runs. And the instructions outside
//! the impact set must run in the same order, with the same values.

mod executor;
mod oracle;

use oracle::{Batch, Kind, Observed};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use upshot_generate::Effect;

const INPUTS: usize = 400;
/// Batches, by kind, in which something was missed once.
const ONCE_MISSED: [(usize, u64); 2] = [(0, 17), (1, 24)];

/// What is missing from the impact sets, by pair.
fn misses(batch: &Batch, observed: &Observed, folder: &Path) -> Vec<String> {
    let mut missed: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for side in 0..2 {
        for (&site, &input) in &observed.differs[side] {
            if !batch.is_impacted(batch.claimed(), side, site) {
                let pair = batch.sides[side].sites[site].pair;
                missed.entry(pair).or_default().push(told(batch, side, site, input, folder));
            }
        }
    }
    for &(pair, input) in &observed.disordered {
        missed.entry(pair).or_default().push(another_order(batch, pair, input, folder));
    }
    missed.into_iter().map(|(pair, list)| format!("{}\n{}", batch.show(pair), list.join("\n"))).collect()
}

/// For people: what an instruction computed in both versions.
fn told(batch: &Batch, side: usize, site: usize, input: usize, folder: &Path) -> String {
    let it = batch.sides[side].sites[site];
    let values = upshot_generate::inputs(&batch.pairs[it.pair].parameters, INPUTS)[input].clone();
    let traces = batch.trace(it.pair, INPUTS, input, folder);
    let computed = |version: usize| -> Vec<&str> {
        let site = if version == side { Some(site) } else { it.partner };
        traces[version].iter().filter(|(at, _)| Some(*at) == site).map(|(_, value)| value.as_str()).collect()
    };
    format!(
        "{}\n  on {values:?}: {:?} in the old version, {:?} in the new",
        batch.describe(side, site),
        computed(0),
        computed(1)
    )
}

/// For people: where the instructions outside the impact sets part.
fn another_order(batch: &Batch, pair: usize, input: usize, folder: &Path) -> String {
    let traces = batch.trace(pair, INPUTS, input, folder);
    let quiet = |side: usize| -> Vec<usize> {
        let sites = traces[side].iter().map(|(site, _)| *site);
        sites.filter(|&site| batch.is_quiet(side, site)).collect()
    };
    let (old, new) = (quiet(0), quiet(1));
    let same = old.iter().zip(&new).take_while(|(old, new)| batch.sides[1].sites[**new].partner == Some(**old)).count();
    let next =
        |side: usize, list: &[usize]| list.get(same).map_or("nothing".to_string(), |&site| batch.describe(side, site));
    format!("after {same} in the same order on input {input}:\n  {}\n  {}", next(0, &old), next(1, &new))
}

/// Batches of every kind on all processors: what `work` makes of each.
fn batches<T: Send>(range: RangeInclusive<u64>, work: impl Fn(&Batch, &Path) -> T + Sync) -> Vec<T> {
    let kinds = oracle::kinds();
    let mut jobs: Vec<(&Kind, u64)> =
        kinds.iter().flat_map(|(_, kind)| range.clone().map(move |batch| (kind, batch))).collect();
    jobs.extend(ONCE_MISSED.iter().map(|(kind, batch)| (&kinds[*kind].1, *batch)));
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || {
        let folder = tempfile::tempdir().unwrap();
        while let Some((kind, number)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let batch = Batch::new(kind.seeds(*number), &kind.options, folder.path());
            let result = work(&batch, folder.path());
            results.lock().unwrap().push(result);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(worker))));
    results.into_inner().unwrap()
}

/// What one batch has shown.
struct Shown {
    missed: Vec<String>,
    /// What brought in the instructions that differ, and how many each.
    carried: BTreeMap<String, usize>,
    runs: u64,
    trapped: u64,
}

#[test]
fn what_differs_is_impacted() {
    // `UPSHOT_BATCHES=FROM-TO` for others than these.
    let range = std::env::var("UPSHOT_BATCHES").unwrap_or_else(|_| "0-9".to_string());
    let (from, to) = range.split_once('-').expect("FROM-TO");
    let range = from.parse().expect("a number")..=to.parse().expect("a number");
    let shown = batches(range, |batch, folder| {
        let observed = batch.observe(INPUTS, folder);
        let mut missed = misses(batch, &observed, folder);
        missed.extend(misses_within_functions(batch, &observed));
        missed.extend(impact_without_a_change(batch));
        Shown { missed, carried: carried(batch, &observed), runs: observed.runs, trapped: observed.trapped }
    });
    let sum = |part: fn(&Shown) -> u64| shown.iter().map(part).sum::<u64>();
    let (runs, trapped) = (sum(|it| it.runs), sum(|it| it.trapped));
    let pairs = shown.len() as u64 * oracle::PAIRS_AT_ONCE;
    let mut carried: BTreeMap<&str, usize> = BTreeMap::new();
    shown.iter().flat_map(|it| &it.carried).for_each(|(by, count)| *carried.entry(by).or_default() += count);
    println!("{pairs} pairs, {runs} runs, {trapped} of them trapped; instructions that differ: {carried:?}");
    let missed: Vec<&String> = shown.iter().flat_map(|it| &it.missed).collect();
    let first: Vec<&str> = missed.iter().take(3).map(|it| it.as_str()).collect();
    assert!(missed.is_empty(), "{} pairs with misses:\n{}", missed.len(), first.join("\n\n"));
    // Nothing is shown of a rule that nothing which differs needs.
    for by in ["Changed Value", "Control Value", "Control Flow", "Control Ending", "Control Called"] {
        assert!(carried.contains_key(by), "nothing differs by {by}");
    }
    for by in ["Value", "Slot", "Global", "Local", "Memory", "Parameter", "Returned"] {
        assert!(carried.contains_key(format!("Data {by}").as_str()), "nothing differs by data, {by}");
    }
    assert!(trapped > pairs);
}

/// The rules and carriers by which the instructions that differ are impacted: leaving one out would miss so many.
fn carried(batch: &Batch, observed: &Observed) -> BTreeMap<String, usize> {
    let mut carried = BTreeMap::new();
    for &site in observed.differs[1].keys() {
        let it = batch.sides[1].sites[site];
        let Some(reason) = batch.claimed().new[it.function.index()][it.inst.index()] else { continue };
        let carrier = format!("{:?}", reason.carrier);
        let carrier = carrier.split('(').next().unwrap_or_default();
        *carried.entry(format!("{:?} {carrier}", reason.rule)).or_default() += 1;
    }
    carried
}

/// Per procedure: what differs in the entry, where only the entry has changed.
fn misses_within_functions(batch: &Batch, observed: &Observed) -> Vec<String> {
    let only_entry: Vec<bool> = (0..batch.pairs.len()).map(|pair| batch.differs_only_in_entry(pair)).collect();
    let mut missed = Vec::new();
    for side in 0..2 {
        for (&site, &input) in &observed.differs[side] {
            let it = batch.sides[side].sites[site];
            let is_entry = batch.sides[side].program.function(it.function).name == batch.pairs[it.pair].entry;
            if only_entry[it.pair] && is_entry && !batch.is_impacted(&batch.intra, side, site) {
                let what = batch.describe(side, site);
                missed.push(format!("{}\nwithin the function, on input {input}: {what}", batch.show(it.pair)));
            }
        }
    }
    missed
}

/// Pairs in which only the text differs, or code that cannot be reached, and which are impacted all the same.
fn impact_without_a_change(batch: &Batch) -> Vec<String> {
    let mut wrong: BTreeMap<usize, String> = BTreeMap::new();
    for (side, of) in batch.sides.iter().enumerate() {
        for (number, site) in of.sites.iter().enumerate() {
            let unchanged = matches!(batch.pairs[site.pair].effect, Effect::None | Effect::Unreachable);
            for impact in [&batch.inter, &batch.intra].into_iter().filter(|_| unchanged) {
                let table = if side == 0 { &impact.old } else { &impact.new };
                let Some(reason) = table[site.function.index()][site.inst.index()] else { continue };
                let list = wrong.entry(site.pair).or_insert_with(|| batch.show(site.pair));
                *list += &format!("impacted, though unchanged: {}: {reason:?}\n", batch.describe(side, number));
            }
        }
    }
    wrong.into_values().collect()
}
