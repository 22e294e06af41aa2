//! What a path computes: outputs as terms over the inputs, and what each depends on.

use rustc_hash::FxHashMap;
use upshot_exec::{Cell, Content, Machine, Owner, PathEnd, Piece, PointerTarget, State};
use upshot_expr::TermId;
use upshot_ir::{CType, CTypeId, DebugTypes, FuncId, GlobalId, InstId, Program};

use crate::graph::Node;
use crate::run::Run;
use crate::walk::Walked;

/// Something to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// What the entry returns, or the exit code.
    Returned,
    Global(GlobalId),
    /// Memory behind the entry's pointers.
    Memory,
    Stdout,
    Stderr,
    /// Calls of functions that are not known.
    Calls,
    /// A variable each time before a line is run, the last time counting; by its mark, see [`Variables`].
    Variable(u32),
}

/// A variable that is looked at.
#[derive(Clone, Debug)]
pub enum Variable {
    /// With its size in bytes.
    Local(upshot_ir::Local, u64),
    Global(GlobalId),
}

/// The variables to look at, by mark: the program has [marks](upshot_ir::with_marks) that pause where they are.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    pub names: Vec<String>,
    pub by_mark: Vec<Variable>,
    /// The output that each mark is of.
    pub output: Vec<u32>,
}

/// A scalar of the output.
#[derive(Clone, Debug)]
pub struct Observed {
    pub name: String,
    /// Over the inputs; `None` for what is no number.
    pub term: Option<TermId>,
    /// In C.
    pub text: String,
    /// What is made up of several numbers: how, and of which.
    pub parts: Option<(String, Vec<TermId>)>,
    /// It is what it was at the start.
    pub is_unchanged: bool,
}

/// More objects than these are not looked into.
const MOST_OBJECTS: usize = 256;
const MOST_LEAVES: usize = 4096;
const LONGEST: usize = 400;

/// A term in C, cut off where it says nothing any more.
pub(crate) fn text(machine: &Machine<'_>, term: TermId) -> String {
    let text = machine.terms.display(term).to_string();
    if text.len() <= LONGEST {
        return text;
    }
    let cut = (0..=LONGEST).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    format!("{} …", &text[..cut])
}

/// Some bytes of an object as one number.
pub(crate) fn word(machine: &mut Machine<'_>, state: &State, base: u64, offset: u64, size: u64) -> Option<TermId> {
    let content = machine.content(state, base)?;
    let start = base.checked_sub(content.base)? + offset;
    joined(machine, &content, start, size)
}

fn joined(machine: &mut Machine<'_>, content: &Content, offset: u64, size: u64) -> Option<TermId> {
    let cells = content.cells.get(offset as usize..(offset + size) as usize)?;
    let mut whole = None;
    for cell in cells.iter().take(16) {
        let Cell::Byte(byte) = *cell else { return None };
        whole = Some(match whole {
            Some(low) => machine.terms.concat(byte, low),
            None => byte,
        });
    }
    whole
}

/// Gathers the outputs of one path.
pub(crate) struct Observer<'r, 'm, 'p> {
    pub machine: &'m mut Machine<'p>,
    pub run: &'r Run,
    /// `None` where all that happened counts.
    pub walked: Option<&'r mut Walked>,
    /// What globals hold at the start.
    pub initial: &'r FxHashMap<u64, Content>,
    pub observed: Vec<Observed>,
    pub criteria: Vec<Node>,
    seen: Vec<u64>,
}

impl<'r, 'm, 'p> Observer<'r, 'm, 'p> {
    pub fn new(
        machine: &'m mut Machine<'p>,
        run: &'r Run,
        walked: Option<&'r mut Walked>,
        initial: &'r FxHashMap<u64, Content>,
    ) -> Self {
        let seen = Vec::new();
        Observer { machine, run, walked, initial, observed: Vec::new(), criteria: Vec::new(), seen }
    }

    pub fn observe(&mut self, outputs: &[Output], variables: &Variables) {
        let has_failed = matches!(self.run.end, PathEnd::Error(_));
        for output in outputs {
            match output {
                Output::Returned => self.returned(),
                Output::Global(global) if !has_failed => self.global(*global),
                Output::Memory if !has_failed => self.memory(),
                Output::Global(_) | Output::Memory => {}
                Output::Stdout => self.stream(1, "stdout"),
                Output::Stderr => self.stream(2, "stderr"),
                Output::Calls => self.calls(),
                Output::Variable(number) => self.variable(*number, variables),
            }
        }
    }

    fn found(&mut self, name: String, term: Option<TermId>) {
        self.found_as(name, term, false);
    }

    fn found_as(&mut self, name: String, term: Option<TermId>, is_unchanged: bool) {
        let text = match term {
            Some(_) if is_unchanged => String::new(),
            Some(term) => text(self.machine, term),
            None => "not computed".to_string(),
        };
        self.observed.push(Observed { name, term, text, parts: None, is_unchanged });
    }

    fn depends_on(&mut self, nodes: impl IntoIterator<Item = Node>) {
        self.criteria.extend(nodes);
    }

    fn returned(&mut self) {
        let nodes = self.walked.as_ref().map_or(Vec::new(), |walked| walked.returned.clone());
        self.depends_on(nodes);
        let program = self.machine.program();
        let function = program.function(self.run.state.positions().last().map_or(FuncId(0), |at| at.0));
        match &self.run.end {
            PathEnd::Returned(values) => {
                if let Some(bytes) = self.machine.returned_struct(&self.run.state) {
                    return self.returned_struct(&bytes);
                }
                let widths: Vec<u8> =
                    self.machine.result_scalars(&self.run.state).iter().map(|scalar| scalar.width()).collect();
                let many = widths.len() > 1;
                for (number, (value, width)) in values.iter().zip(widths).enumerate() {
                    let name = if many { format!("return[{number}]") } else { "return".to_string() };
                    let term = (!value.is_unwritten()).then(|| value.to_term(&mut self.machine.terms, width));
                    self.found(name, term);
                }
            }
            PathEnd::Exited(code) => {
                let term = code.to_term(&mut self.machine.terms, 32);
                self.found("exit code".to_string(), Some(term));
            }
            _ if function.results.is_empty() => {}
            _ => self.found("return".to_string(), None),
        }
    }

    fn returned_struct(&mut self, bytes: &[Option<TermId>]) {
        let cells = bytes.iter().map(|byte| byte.map_or(Cell::Unwritten, Cell::Byte)).collect();
        let content =
            Content { base: 0, owner: Owner::Input, symbolic_size: None, read_only: false, cells, leads: Vec::new() };
        if let Some(walked) = self.walked.as_deref_mut()
            && let Some(at) = self.machine.returned_struct_address(&self.run.state)
        {
            let nodes = walked.cells.all(at);
            self.criteria.extend(nodes);
        }
        self.leaves("return".to_string(), None, &content, None);
    }

    fn global(&mut self, id: GlobalId) {
        let base = self.machine.global_address(id);
        let program = self.machine.program();
        let global = program.global(id);
        self.object(base, global.source_name.clone(), global.ty);
    }

    fn memory(&mut self) {
        let state = &self.run.state;
        let mut objects = Vec::new();
        for pointer in state.pointers() {
            if let Some(PointerTarget::Object { input, address }) = pointer.resolved {
                objects.push((address, state.inputs()[input].name.clone(), state.inputs()[input].ty));
            }
        }
        for (address, name, ty) in objects {
            self.object(address, name, ty);
        }
    }

    /// All of an object, and what it leads to.
    fn object(&mut self, base: u64, name: String, ty: Option<CTypeId>) {
        if self.seen.contains(&base) || self.seen.len() >= MOST_OBJECTS {
            return;
        }
        self.seen.push(base);
        let Some(content) = self.machine.content(&self.run.state, base) else { return };
        let nodes = self.walked.as_deref_mut().map_or(Vec::new(), |walked| walked.cells.all(content.base));
        self.depends_on(nodes);
        let before = self.before(&content);
        self.leaves(name, ty, &content, before.as_deref());
    }

    /// What the object held at the start, where it was there.
    fn before(&mut self, content: &Content) -> Option<Vec<Cell>> {
        if let Some(initial) = self.initial.get(&content.base) {
            return Some(initial.cells.clone());
        }
        let state = &self.run.state;
        let input = state.pointers().iter().find_map(|pointer| match pointer.resolved {
            Some(PointerTarget::Object { input, address }) if address == content.base => Some(input),
            _ => None,
        })?;
        let (symbol, size) = (state.inputs()[input].symbol, state.inputs()[input].size);
        Some((0..size).map(|offset| Cell::Byte(self.machine.terms.byte(symbol, offset))).collect())
    }

    /// The scalars of an object that are not what they were.
    fn leaves(&mut self, name: String, ty: Option<CTypeId>, content: &Content, before: Option<&[Cell]>) {
        let program = self.machine.program();
        let size = content.cells.len() as u64;
        let leaves = match ty {
            Some(ty) => typed(&program.types, ty, &name, size),
            None => plain(&name, size),
        };
        for leaf in leaves {
            let range = leaf.offset as usize..(leaf.offset + leaf.size) as usize;
            let Some(cells) = content.cells.get(range.clone()) else { continue };
            let is_unchanged = before.is_some_and(|before| before.get(range) == Some(cells));
            if leaf.is_pointer
                && let Some(target) = content.concrete_word(self.machine, leaf.offset)
            {
                self.pointer(&leaf, target, is_unchanged);
                continue;
            }
            let term = joined(self.machine, content, leaf.offset, leaf.size);
            if term.is_some() || leaf.is_named && !is_unchanged {
                self.found_as(leaf.name, term, is_unchanged);
            }
        }
    }

    fn pointer(&mut self, leaf: &Leaf, target: u64, is_unchanged: bool) {
        if target != 0 && self.machine.owner(&self.run.state, target).is_some() {
            self.object(target, format!("*{}", leaf.name), leaf.target);
        }
        let term = self.machine.terms.constant(64, u128::from(target));
        let text = match target {
            0 => "NULL".to_string(),
            _ => self.describe(target),
        };
        let name = leaf.name.clone();
        self.observed.push(Observed { name, term: Some(term), text, parts: None, is_unchanged });
    }

    /// What an address is, in words.
    fn describe(&self, target: u64) -> String {
        let program: &Program = self.machine.program();
        match self.machine.owner(&self.run.state, target) {
            Some(Owner::Global(global)) => format!("&{}", program.global(global).source_name),
            Some(Owner::Heap) => "a new object".to_string(),
            Some(Owner::Input) => {
                let found = self.run.state.pointers().iter().find(|pointer| {
                    matches!(pointer.resolved, Some(PointerTarget::Object { address, .. }) if address == target)
                });
                found.map_or("an input object".to_string(), |pointer| pointer.name.clone())
            }
            Some(Owner::Stack(_)) => "a local variable".to_string(),
            None => format!("{target:#x}"),
        }
    }

    fn stream(&mut self, stream: u32, name: &str) {
        let streams = self.walked.as_ref().map(|walked| walked.streams);
        self.depends_on(streams);
        let (mut text, mut shape, mut parts) = (String::new(), String::new(), Vec::new());
        for output in self.run.state.output().iter().filter(|output| output.stream == stream) {
            let (how, values) = match &output.piece {
                Piece::Bytes(bytes) => {
                    let plain = escaped(bytes);
                    text.push_str(&plain);
                    shape.push_str(&plain);
                    continue;
                }
                Piece::Byte(term) => ("(char)".to_string(), vec![*term]),
                Piece::Formatted { conversion, value } => (format!("{conversion}: "), vec![*value]),
                Piece::Text { conversion, bytes } => (format!("{conversion}: "), bytes.clone()),
            };
            let shown: Vec<String> = values.iter().map(|&value| self::text(self.machine, value)).collect();
            text.push_str(&format!("{{{how}{}}}", shown.join(", ")));
            shape.push_str(&format!("{{{how}{}}}", values.len()));
            parts.extend(values);
        }
        let is_unchanged = text.is_empty();
        let (name, text) = (name.to_string(), format!("\"{text}\""));
        self.observed.push(Observed { name, term: None, text, parts: Some((shape, parts)), is_unchanged });
    }

    fn calls(&mut self) {
        let world = self.walked.as_ref().map(|walked| walked.world);
        self.depends_on(world);
        let calls = self.run.state.external_calls().to_vec();
        for (number, call) in calls.into_iter().enumerate() {
            let mut parts = Vec::new();
            for (value, width) in call.arguments {
                parts.push(value.to_term(&mut self.machine.terms, width));
            }
            let arguments: Vec<String> = parts.iter().map(|&term| text(self.machine, term)).collect();
            let text = format!("{}({})", call.name, arguments.join(", "));
            let parts = Some((format!("{}/{}", call.name, parts.len()), parts));
            let name = format!("call {}", number + 1);
            self.observed.push(Observed { name, term: None, text, parts, is_unchanged: false });
        }
    }

    fn variable(&mut self, number: u32, variables: &Variables) {
        let marks: Vec<u32> =
            (0..variables.output.len() as u32).filter(|&mark| variables.output[mark as usize] == number).collect();
        let nodes: Vec<Node> = match &self.walked {
            Some(walked) => marks.iter().filter_map(|mark| walked.probes.get(mark).copied()).collect(),
            None => Vec::new(),
        };
        self.depends_on(nodes);
        let last = self.run.variables.iter().rev().find(|(mark, _)| marks.contains(mark));
        let term = last.and_then(|(_, value)| *value);
        self.found(variables.names[number as usize].clone(), term);
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes {
        match byte {
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            b'"' | b'\\' | b'{' => text.extend(['\\', byte as char]),
            b' '..=b'~' => text.push(byte as char),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text
}

/// A scalar of an object.
struct Leaf {
    name: String,
    offset: u64,
    size: u64,
    is_pointer: bool,
    target: Option<CTypeId>,
    /// A thing of its own, not one of many bytes.
    is_named: bool,
}

/// The scalars of an object that holds elements of a type.
fn typed(types: &DebugTypes, ty: CTypeId, name: &str, size: u64) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    let element = types.size(ty).max(1);
    let count = size / element;
    match name.strip_prefix('*') {
        Some(pointer) if count == 1 && is_record(types, ty) => {
            add(types, ty, format!("{pointer}->"), 0, &mut leaves);
        }
        Some(pointer) => {
            for number in 0..count {
                add(types, ty, format!("{pointer}[{number}]"), number * element, &mut leaves);
            }
        }
        None => add(types, ty, name.to_string(), 0, &mut leaves),
    }
    leaves
}

fn plain(name: &str, size: u64) -> Vec<Leaf> {
    let leaf =
        |name: String, offset, size| Leaf { name, offset, size, is_pointer: false, target: None, is_named: false };
    if matches!(size, 1 | 2 | 4 | 8) {
        return vec![leaf(name.to_string(), 0, size)];
    }
    let base = name.strip_prefix('*').unwrap_or(name);
    (0..size.min(MOST_LEAVES as u64)).map(|at| leaf(format!("((char *){base})[{at}]"), at, 1)).collect()
}

fn is_record(types: &DebugTypes, ty: CTypeId) -> bool {
    matches!(types.get(types.resolve(ty)), CType::Record { .. })
}

fn add(types: &DebugTypes, ty: CTypeId, name: String, offset: u64, leaves: &mut Vec<Leaf>) {
    if leaves.len() >= MOST_LEAVES {
        return;
    }
    let resolved = types.resolve(ty);
    match types.get(resolved) {
        CType::Record { members, .. } => {
            for member in members {
                let path = match (name.strip_suffix("->"), member.name.as_str()) {
                    (_, "") => name.clone(),
                    (Some(pointer), field) => format!("{pointer}->{field}"),
                    (None, field) => format!("{name}.{field}"),
                };
                add(types, member.ty, path, offset + member.bit_offset / 8, leaves);
            }
        }
        CType::Array { element, count } => {
            let size = types.size(*element).max(1);
            for number in 0..count.unwrap_or(0) {
                add(types, *element, format!("{name}[{number}]"), offset + number * size, leaves);
            }
        }
        CType::Pointer { target } => {
            leaves.push(Leaf { name, offset, size: 8, is_pointer: true, target: Some(*target), is_named: true })
        }
        _ => {
            let size = types.size(resolved);
            if size > 0 {
                leaves.push(Leaf { name, offset, size, is_pointer: false, target: None, is_named: true });
            }
        }
    }
}

/// How the parts of inputs are called in C: `*p[4..8]` is `p->b`.
pub(crate) struct Names(Vec<(String, String)>);

impl Names {
    pub(crate) fn of(machine: &Machine<'_>, state: &State) -> Self {
        let types = &machine.program().types;
        let mut names = Vec::new();
        for input in state.inputs() {
            let Some(ty) = input.ty else { continue };
            for leaf in typed(types, ty, &input.name, u64::from(input.size)) {
                let (from, to) = (leaf.offset, leaf.offset + leaf.size);
                let of_bytes = match leaf.size {
                    1 => format!("{}[{from}]", input.name),
                    _ => format!("{}[{from}..{to}]", input.name),
                };
                if of_bytes != leaf.name {
                    names.push((of_bytes, leaf.name));
                }
            }
        }
        Names(names)
    }

    pub(crate) fn apply(&self, text: &str) -> String {
        let mut text = text.to_string();
        if text.contains('[') {
            for (of_bytes, name) in &self.0 {
                if text.contains(of_bytes.as_str()) {
                    text = text.replace(of_bytes.as_str(), name);
                }
            }
        }
        text
    }
}

/// Lines, from instructions.
pub(crate) fn lines(program: &Program, instructions: &[(FuncId, InstId)]) -> Vec<(String, u32)> {
    let mut lines = std::collections::BTreeSet::new();
    for &(function, inst) in instructions {
        let function = program.function(function);
        let location = function.insts[inst.index()].location;
        if location.is_known() && !function.is_runtime {
            let file = program.files.get(location.file as usize).cloned().unwrap_or_default();
            lines.insert((file, location.line));
        }
    }
    lines.into_iter().collect()
}
