//! From `--output` to what is looked at: outputs by name, and a program that stops where variables are looked at.

use upshot_exec::Watch;
use upshot_ir::{FuncId, GlobalId, InstId, Program};
use upshot_slice::{Output, Variable, Variables};

use crate::failure::Failure;

/// What to look at.
pub struct Outputs {
    pub wanted: Vec<Output>,
    /// As the user calls them.
    pub names: Vec<String>,
    pub variables: Variables,
    /// With marks where variables are looked at.
    pub program: Program,
    pub watch: Watch,
}

/// Finds the outputs of these names; all that can be observed where there are none.
pub fn resolve(program: &Program, entry: FuncId, is_main: bool, names: &[String]) -> Result<Outputs, Failure> {
    let mut resolver = Resolver { program, variables: Variables::default(), places: Vec::new() };
    let mut wanted = Vec::new();
    let mut shown = names.to_vec();
    if names.is_empty() {
        let (outputs, words) = defaults(program, is_main);
        wanted = outputs;
        shown = words;
    }
    for name in names {
        wanted.push(resolver.output(name, entry)?);
    }
    let Resolver { variables, places, .. } = resolver;
    let marks = variables.by_mark.len();
    let marked = upshot_ir::with_marks(program, |function, inst| {
        places.iter().position(|place| *place == (function, inst)).map(|mark| mark as u32)
    });
    let watch = Watch {
        counts: vec![false; marks],
        pauses: vec![true; marks],
        always: vec![true; program.functions.len()],
        ..Watch::default()
    };
    Ok(Outputs { wanted, names: shown, variables, program: marked, watch })
}

/// All that can be observed from outside.
fn defaults(program: &Program, is_main: bool) -> (Vec<Output>, Vec<String>) {
    let mut outputs = vec![Output::Returned, Output::Stdout, Output::Stderr, Output::Calls];
    let mut names: Vec<&str> = vec!["RETURN", "stdout", "stderr", "calls"];
    if !is_main {
        outputs.push(Output::Memory);
        outputs.extend(globals(program).map(Output::Global));
        names.extend(["memory", "all globals"]);
    }
    (outputs, names.into_iter().map(str::to_string).collect())
}

/// The globals that a program of the user's can change.
fn globals(program: &Program) -> impl Iterator<Item = GlobalId> + '_ {
    let all = (0..).map(GlobalId).zip(&program.globals);
    all.filter(|(_, global)| !global.is_constant && !global.is_runtime && global.size > 0).map(|(id, _)| id)
}

struct Resolver<'p> {
    program: &'p Program,
    variables: Variables,
    /// By mark: before which instruction it stands.
    places: Vec<(FuncId, InstId)>,
}

impl Resolver<'_> {
    fn output(&mut self, name: &str, entry: FuncId) -> Result<Output, Failure> {
        match name {
            "RETURN" | "return" => {
                let function = self.program.function(entry);
                if function.results.is_empty() && function.struct_return.is_none() {
                    return Err(Failure::new(format!("{} returns nothing", function.source_name)).hint(self.list()));
                }
                Ok(Output::Returned)
            }
            "memory" => Ok(Output::Memory),
            "stdout" => Ok(Output::Stdout),
            "stderr" => Ok(Output::Stderr),
            "calls" => Ok(Output::Calls),
            _ => match name.rsplit_once(':') {
                Some((place, variable)) => self.variable(name, place, variable),
                None => self
                    .global(name)
                    .map(Output::Global)
                    .ok_or_else(|| Failure::new(format!("there is no output {name}")).hint(self.list())),
            },
        }
    }

    fn global(&self, name: &str) -> Option<GlobalId> {
        globals(self.program).find(|id| self.program.global(*id).source_name == name)
    }

    fn list(&self) -> String {
        let mut names: Vec<String> =
            ["RETURN", "memory", "stdout", "stderr", "calls"].into_iter().map(str::to_string).collect();
        let all: Vec<&str> = globals(self.program).map(|id| self.program.global(id).source_name.as_str()).collect();
        names.extend(all.iter().take(12).map(|name| name.to_string()));
        let more = if all.len() > 12 { ", …" } else { "" };
        format!("there are {}{more}, and LINE:VAR for a variable before a line", names.join(", "))
    }

    /// `LINE:VAR` or `FILE:LINE:VAR`.
    fn variable(&mut self, name: &str, place: &str, variable: &str) -> Result<Output, Failure> {
        let (file, line) = match place.rsplit_once(':') {
            Some((file, line)) => (Some(file), line),
            None => (None, place),
        };
        let Ok(line) = line.parse::<u32>() else {
            return Err(Failure::new(format!("{name}: {line} is no line number")).hint(self.list()));
        };
        let number = self.variables.names.len() as u32;
        let mut has_code = false;
        let mut known: Vec<String> = Vec::new();
        for (id, function) in (0..).map(FuncId).zip(&self.program.functions) {
            if function.is_runtime {
                continue;
            }
            let starts = line_starts(self.program, id, file, line);
            if starts.is_empty() {
                continue;
            }
            has_code = true;
            let local = function
                .locals
                .iter()
                .filter(|local| local.name == variable && (local.slot.is_some() || local.alloca.is_some()))
                .filter(|local| local.location.line <= line)
                .max_by_key(|local| local.location.line);
            known.extend(function.locals.iter().map(|local| local.name.clone()));
            let watched = match local {
                Some(local) => {
                    let size = local.ty.map_or(4, |ty| self.program.types.size(ty));
                    Variable::Local(local.clone(), size)
                }
                None => match self.global(variable) {
                    Some(global) => Variable::Global(global),
                    None => continue,
                },
            };
            if let Variable::Local(_, size) = watched
                && size > 16
            {
                return Err(Failure::new(format!("{name}: {variable} is not a number")));
            }
            for start in starts {
                self.places.push((id, start));
                self.variables.by_mark.push(watched.clone());
                self.variables.output.push(number);
            }
        }
        if !self.variables.output.contains(&number) {
            if !has_code {
                return Err(Failure::new(format!("{name}: there is no code on line {line}")));
            }
            known.sort();
            known.dedup();
            let failure = Failure::new(format!("{name}: there is no variable {variable} at line {line}"));
            return Err(failure.hint(format!("there are {}", known.join(", "))));
        }
        self.variables.names.push(name.to_string());
        Ok(Output::Variable(number))
    }
}

/// The instructions with which a line begins, in each block that has it.
fn line_starts(program: &Program, id: FuncId, file: Option<&str>, line: u32) -> Vec<InstId> {
    let function = program.function(id);
    let is_there = |inst: &upshot_ir::Inst| {
        inst.location.line == line
            && file.is_none_or(|wanted| {
                program.files.get(inst.location.file as usize).is_some_and(|name| name.ends_with(wanted))
            })
    };
    let mut starts = Vec::new();
    for block in &function.blocks {
        let mut was_there = false;
        for inst in (block.first_inst.0..=block.last_inst.0).map(InstId) {
            let there = is_there(&function.insts[inst.index()]);
            let has_ops = !function.insts[inst.index()].ops.is_empty();
            if there && !was_there && has_ops {
                starts.push(inst);
                was_there = true;
            }
            if !there && has_ops {
                was_there = false;
            }
        }
    }
    starts
}
