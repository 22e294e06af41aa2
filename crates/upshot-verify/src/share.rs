//! How large a partition is: the share of all inputs, uniform over the bits of the scalars, per shape.
//!
//! A condition falls into parts that have no input byte in common; the share is the product of theirs. A part over at most two bytes is counted, a larger one sampled.

use rustc_hash::FxHashMap;
use upshot_expr::{Assignment, TermId, Terms, Var};

const SAMPLES: u32 = 2000;

/// The share, and its standard error. Tests of pointers against null are decisions about the shape: either side counts the same.
pub(crate) fn of(
    terms: &mut Terms,
    conditions: &[TermId],
    weight: f64,
    is_of_pointer: impl Fn(Var) -> bool,
) -> (f64, f64) {
    let mut share = weight;
    let mut variance = 0.0;
    for (vars, conditions) in parts(terms, conditions) {
        if vars.iter().any(|&var| is_of_pointer(var)) {
            share *= 0.5;
            continue;
        }
        let (part, error) = part(terms, &vars, &conditions);
        // Relative errors add up in squares.
        variance += if part > 0.0 { (error / part).powi(2) } else { 0.0 };
        share *= part;
        if share == 0.0 {
            return (0.0, weight * error);
        }
    }
    (share, share * variance.sqrt())
}

/// The conditions, by groups that share input bytes.
fn parts(terms: &mut Terms, conditions: &[TermId]) -> Vec<(Vec<Var>, Vec<TermId>)> {
    let mut groups: Vec<(Vec<Var>, Vec<TermId>)> = Vec::new();
    let mut home: FxHashMap<Var, usize> = FxHashMap::default();
    for &term in conditions {
        let support = terms.support(term);
        let mut into: Option<usize> = None;
        for var in support.iter() {
            match (home.get(var).copied(), into) {
                (None, _) => {}
                (Some(group), None) => into = Some(group),
                (Some(group), Some(target)) if group != target => {
                    let (vars, conditions) = std::mem::take(&mut groups[group]);
                    for &var in &vars {
                        home.insert(var, target);
                    }
                    groups[target].0.extend(vars);
                    groups[target].1.extend(conditions);
                }
                _ => {}
            }
        }
        let target = into.unwrap_or_else(|| {
            groups.push(Default::default());
            groups.len() - 1
        });
        for &var in support.iter() {
            if home.insert(var, target).is_none() {
                groups[target].0.push(var);
            }
        }
        groups[target].1.push(term);
    }
    groups.retain(|(_, conditions)| !conditions.is_empty());
    // By name: the samples, and so the figure, must not depend on what else the worker has met.
    let key = |var: &Var| (terms.symbol_name(var.symbol).to_string(), var.offset);
    groups.iter_mut().for_each(|(vars, _)| vars.sort_by_cached_key(key));
    groups.sort_by_cached_key(|(vars, _)| vars.first().map(key));
    groups
}

fn part(terms: &Terms, vars: &[Var], conditions: &[TermId]) -> (f64, f64) {
    let holds = |values: &Assignment| conditions.iter().all(|&condition| values.eval_bool(terms, condition));
    let mut values = Assignment::new();
    if vars.len() <= 2 {
        let all = 1u32 << (8 * vars.len());
        let mut count = 0u32;
        for number in 0..all {
            for (index, var) in vars.iter().enumerate() {
                values.set(var.symbol, var.offset, (number >> (8 * index)) as u8);
            }
            count += u32::from(holds(&values));
        }
        return (f64::from(count) / f64::from(all), 0.0);
    }
    let mut random = 0x9E37_79B9_7F4A_7C15u64;
    let mut count = 0u32;
    for _ in 0..SAMPLES {
        for var in vars {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            values.set(var.symbol, var.offset, (random >> 32) as u8);
        }
        count += u32::from(holds(&values));
    }
    let share = f64::from(count) / f64::from(SAMPLES);
    // Where no sample or every sample holds, the truth is within about 3 / n.
    let error = (share * (1.0 - share) / f64::from(SAMPLES)).sqrt().max(1.0 / f64::from(SAMPLES));
    (share, error)
}
