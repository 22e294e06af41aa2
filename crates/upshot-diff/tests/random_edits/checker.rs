//! Whether a map between two functions holds.

use std::collections::HashMap;

use upshot_diff::{Changes, FunctionMatch};
use upshot_ir::{Const, Function, InstId, Op, Program, edges};

/// Everything that is promised of a match.
pub fn check(changes: &Changes, found: &FunctionMatch, old: &Program, new: &Program) -> Result<(), String> {
    let (Some(a), Some(b)) = (found.old, found.new) else { return Ok(()) };
    let (f, g) = (old.function(a), new.function(b));
    one_to_one(found)?;
    in_order(found, f)?;
    let names = Names::new(changes, old, new);
    let (of_old, of_new) = (Reader::new(f, true, &names), Reader::new(g, false, &names));
    for (i, j) in pairs(found) {
        let (x, y) = (of_old.instruction(i, &found.to_new)?, of_new.instruction(j, &[])?);
        if x != y {
            return Err(format!("instructions {} and {} are matched, but are\n{x}\n{y}", i.0, j.0));
        }
    }
    let free = free_of_changes(found, f, g);
    (0..32).try_for_each(|walk| same_walk(found, f, g, &free, walk))
}

fn pairs(found: &FunctionMatch) -> impl Iterator<Item = (InstId, InstId)> {
    found.to_new.iter().enumerate().filter_map(|(i, j)| Some((InstId(i as u32), (*j)?)))
}

fn one_to_one(found: &FunctionMatch) -> Result<(), String> {
    for (i, j) in pairs(found) {
        if found.to_old[j.index()] != Some(i) {
            return Err(format!("{} leads to {}, which does not lead back", i.0, j.0));
        }
    }
    let count = |side: &[Option<InstId>]| side.iter().flatten().count();
    if count(&found.to_new) == count(&found.to_old) { Ok(()) } else { Err("the two maps differ in size".to_string()) }
}

/// All but locals, which have no order, come in the same order.
fn in_order(found: &FunctionMatch, f: &Function) -> Result<(), String> {
    let mut last = None;
    for (i, j) in pairs(found).filter(|(i, _)| f.insts[i.index()].opcode != "alloca") {
        if last >= Some(j) {
            return Err(format!("instruction {} is out of order", i.0));
        }
        last = Some(j);
    }
    Ok(())
}

/// Names for functions and globals that are the same in both versions for what is matched.
struct Names {
    functions: [HashMap<u32, String>; 2],
    globals: [HashMap<u32, String>; 2],
}

impl Names {
    fn new(changes: &Changes, old: &Program, new: &Program) -> Self {
        let mut names = Names { functions: Default::default(), globals: Default::default() };
        for (number, function) in changes.functions.iter().enumerate() {
            function.old.map(|id| names.functions[0].insert(id.0, format!("function {number}")));
            function.new.map(|id| names.functions[1].insert(id.0, format!("function {number}")));
        }
        for (number, global) in changes.globals.iter().enumerate() {
            let name = |program: &Program, id: upshot_ir::GlobalId| match &program.global(id).initializer {
                Some(initializer) if global.nameless => format!("{:?}", initializer.bytes),
                _ => format!("global {number}"),
            };
            global.old.map(|id| names.globals[0].insert(id.0, name(old, id)));
            global.new.map(|id| names.globals[1].insert(id.0, name(new, id)));
        }
        names
    }
}

/// Reads a function's operations as text in which registers have the names of what made them.
struct Reader<'a> {
    function: &'a Function,
    side: usize,
    names: &'a Names,
    /// By register: the instruction whose result it is, and which part.
    makers: HashMap<u32, (InstId, u32)>,
}

impl<'a> Reader<'a> {
    fn new(function: &'a Function, is_old: bool, names: &'a Names) -> Self {
        let makers = function.insts.iter().enumerate().flat_map(|(at, inst)| {
            inst.result.clone().zip(0..).map(move |(register, part)| (register, (InstId(at as u32), part)))
        });
        Reader { function, side: usize::from(!is_old), names, makers: makers.collect() }
    }

    /// The operations of an instruction, without where they jump to. `to_new` translates makers; empty where they need none.
    fn instruction(&self, inst: InstId, to_new: &[Option<InstId>]) -> Result<String, String> {
        let inst = &self.function.insts[inst.index()];
        let mut text = inst.opcode.to_string();
        let mut temporaries = Vec::new();
        for op in &self.function.ops[inst.ops.start as usize..inst.ops.end as usize] {
            let raw = match op {
                Op::Jump(_) => "jump".to_string(),
                Op::Branch { cond, .. } => format!("branch {cond:?}"),
                Op::Switch(switch) => {
                    let cases: Vec<u128> = switch.cases.iter().map(|(value, _)| *value).collect();
                    format!("switch {:?} {cases:?}", switch.value)
                }
                other => format!("{other:?}"),
            };
            text += "\n";
            text += &self.translated(&raw, inst.result.clone(), to_new, &mut temporaries)?;
        }
        Ok(text)
    }

    /// The text with every `Reg(n)`, `Operand(n)` and `FuncId(n)` replaced.
    fn translated(
        &self,
        raw: &str,
        own: std::ops::Range<u32>,
        to_new: &[Option<InstId>],
        temporaries: &mut Vec<u32>,
    ) -> Result<String, String> {
        let mut text = String::new();
        let mut rest = raw;
        while let Some((at, word)) =
            ["Reg(", "Operand(", "FuncId("].iter().filter_map(|word| Some((rest.find(word)?, *word))).min()
        {
            let (before, after) = rest.split_at(at);
            text += before;
            let after = &after[word.len()..];
            let end = after.find(')').ok_or("text of another form")?;
            let number: u32 = after[..end].parse().map_err(|_| "text of another form")?;
            rest = &after[end + 1..];
            text += &match word {
                "FuncId(" => self.names.functions[self.side].get(&number).cloned().unwrap_or_default(),
                "Operand(" if number >> 31 == 1 => {
                    self.constant(&self.function.constants[(number & !(1 << 31)) as usize])
                }
                _ => self.register(number, &own, to_new, temporaries)?,
            };
        }
        Ok(text + rest)
    }

    fn register(
        &self,
        register: u32,
        own: &std::ops::Range<u32>,
        to_new: &[Option<InstId>],
        temporaries: &mut Vec<u32>,
    ) -> Result<String, String> {
        if own.contains(&register) {
            return Ok(format!("own {}", register - own.start));
        }
        match self.makers.get(&register) {
            Some((maker, part)) if to_new.is_empty() => Ok(format!("value {} {part}", maker.0)),
            Some((maker, part)) => match to_new[maker.index()] {
                Some(counterpart) => Ok(format!("value {} {part}", counterpart.0)),
                None => Err(format!("an operand made by {}, which is not matched", maker.0)),
            },
            None if (register as usize) < self.function.parameters.len() => Ok(format!("parameter {register}")),
            None => {
                let position = temporaries.iter().position(|&other| other == register).unwrap_or_else(|| {
                    temporaries.push(register);
                    temporaries.len() - 1
                });
                Ok(format!("temporary {position}"))
            }
        }
    }

    fn constant(&self, constant: &Const) -> String {
        match constant {
            Const::Global { global, offset } => {
                format!("{} + {offset}", self.names.globals[self.side].get(&global.0).cloned().unwrap_or_default())
            }
            Const::Function(function) => self.names.functions[self.side].get(&function.0).cloned().unwrap_or_default(),
            other => format!("{other:?}"),
        }
    }
}

/// Walks both functions with the same decisions at matched branches. As long as no branch without a counterpart is met in either, the matched instructions
/// that are met must be the same, save those that hang on such a branch in either version: impact follows control dependence to them.
fn same_walk(found: &FunctionMatch, f: &Function, g: &Function, free: &[bool], walk: u64) -> Result<(), String> {
    let of_old = walked(f, walk, free, |inst| found.to_new[inst.index()]);
    let of_new = walked(g, walk, free, |inst| found.to_old[inst.index()].map(|_| inst));
    let common = of_old.1.min(of_new.1);
    let (a, b) = (&of_old.0[..common.min(of_old.0.len())], &of_new.0[..common.min(of_new.0.len())]);
    if a == b { Ok(()) } else { Err(format!("walk {walk} goes through {a:?} and {b:?}")) }
}

/// The matched instructions on a walk, by their new ids, and how many of them come before a branch without a counterpart.
fn walked(
    function: &Function,
    walk: u64,
    free: &[bool],
    matched: impl Fn(InstId) -> Option<InstId>,
) -> (Vec<InstId>, usize) {
    let mut seen = Vec::new();
    let mut visits: HashMap<InstId, u64> = HashMap::new();
    let mut block = 0;
    for _ in 0..200 {
        let place = &function.blocks[block];
        seen.extend(
            (place.first_inst.0..=place.last_inst.0)
                .filter_map(|inst| matched(InstId(inst)))
                .filter(|new| free[new.index()]),
        );
        let targets = targets(function, block);
        block = match (targets.as_slice(), matched(place.last_inst)) {
            ([], _) => return (seen, usize::MAX),
            ([only], _) => *only,
            (_, None) => break,
            (several, Some(branch)) => {
                let visit = visits.entry(branch).or_default();
                *visit += 1;
                let mixed = (u64::from(branch.0) * 31 + *visit * 17 + walk * 101).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                several[(mixed >> 33) as usize % several.len()]
            }
        };
    }
    let count = seen.len();
    (seen, count)
}

fn targets(function: &Function, block: usize) -> Vec<usize> {
    edges(&function.ops[function.blocks[block].end as usize - 1]).iter().map(|edge| edge.target.index()).collect()
}

/// By new instruction: whether it is matched, no local, and whether it runs hangs on matched branches only, in both versions.
fn free_of_changes(found: &FunctionMatch, f: &Function, g: &Function) -> Vec<bool> {
    let (hang_old, hang_new) = (hanging(f), hanging(g));
    let mut free: Vec<bool> =
        (0..).zip(&g.insts).map(|(at, inst)| found.to_old[at].is_some() && inst.opcode != "alloca").collect();
    loop {
        let is_free = |branch: InstId| free[branch.index()];
        let all_free = |new: usize| {
            let Some(old) = found.to_old[new] else { return false };
            let of_old = &hang_old[f.insts[old.index()].block.index()];
            let of_new = &hang_new[g.insts[new].block.index()];
            of_old.iter().all(|branch| found.to_new[branch.index()].is_some_and(is_free))
                && of_new.iter().all(|branch| is_free(*branch))
        };
        let next: Vec<bool> = (0..).zip(&free).map(|(new, &before)| before && all_free(new)).collect();
        if next == free {
            return free;
        }
        free = next;
    }
}

/// By block: the branches that lead to it but also past it, to the function's end.
fn hanging(function: &Function) -> Vec<Vec<InstId>> {
    let targets: Vec<Vec<usize>> = (0..function.blocks.len()).map(|block| targets(function, block)).collect();
    let mut sources = vec![Vec::new(); targets.len()];
    for (from, targets) in targets.iter().enumerate() {
        targets.iter().for_each(|&target| sources[target].push(from));
    }
    let ends: Vec<usize> = (0..targets.len()).filter(|&block| targets[block].is_empty()).collect();
    let of_block = |block: usize| {
        let leading = reached(&sources, vec![block], None);
        let passing = reached(&sources, ends.clone(), Some(block));
        let hangs = |targets: &[usize]| {
            let any = |seen: &[bool]| targets.iter().any(|&target| seen[target]);
            targets.len() > 1 && any(&leading) && any(&passing)
        };
        let branches = (0..targets.len()).filter(|&branch| hangs(&targets[branch]));
        branches.map(|branch| function.blocks[branch].last_inst).collect()
    };
    (0..targets.len()).map(of_block).collect()
}

/// What can be got to, without going through one node.
fn reached(next: &[Vec<usize>], from: Vec<usize>, without: Option<usize>) -> Vec<bool> {
    let (mut seen, mut pending) = (vec![false; next.len()], from);
    while let Some(node) = pending.pop() {
        if Some(node) != without && !std::mem::replace(&mut seen[node], true) {
            pending.extend(&next[node]);
        }
    }
    seen
}
