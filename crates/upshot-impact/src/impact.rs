//! The result: which instructions are impacted, each with the rule and the place that brought it in.

use crate::Phase;
use crate::graph::{Node, NodeKind};
use crate::marks::{Level, Marks, Why};
use crate::points_to::ObjectKind;
use crate::side::Side;
use crate::sources::Propagation;
use rustc_hash::FxHashMap;
use upshot_ir::{FuncId, GlobalId, InstId, Op, Program, Reg};

/// Which of the two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Version {
    Old,
    New,
}

impl Version {
    pub fn other(self) -> Self {
        match self {
            Version::Old => Version::New,
            Version::New => Version::Old,
        }
    }
}

/// The rules of TOSEM'14 Fig. 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// Added, removed, or different.
    Changed,
    /// Rule (1): control dependence.
    Control,
    /// Rule (2): data dependence.
    Data,
    /// Rule (3): an impacted instruction is control dependent on it.
    BackwardControl,
    /// Rule (4): its definition reaches an impacted use.
    ReachingDefinition,
}

impl Rule {
    /// The rule's number in the paper; 0 for the change itself.
    pub fn number(self) -> u32 {
        self as u32
    }
}

/// An instruction of one of the versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    pub version: Version,
    pub function: FuncId,
    pub inst: InstId,
}

/// What carries impact from one instruction to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Carrier {
    /// The value that one computes and the other uses, or a decision.
    Value,
    /// A local of the function.
    Slot(Reg),
    Global(GlobalId),
    /// A local in memory, by the instruction that makes it.
    Local(FuncId, InstId),
    /// Memory of the heap, from the call that allocates it.
    Heap(FuncId, InstId),
    /// Memory that belongs to the inputs, to several objects, or to none that has a name.
    Memory,
    /// A parameter, by the register it arrives in.
    Parameter(FuncId, u32),
    /// What a function returns.
    Returned(FuncId),
    /// That, or whether, a function is called.
    Called(FuncId),
    /// Whether the path goes on after the instruction.
    Ending,
    /// The way through the code is another one.
    Flow,
}

/// Why an instruction is impacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    pub rule: Rule,
    /// The impacted instruction that it depends on (or that depends on it, in rules 3 and 4). None: it is a change itself, or
    /// the initial contents of `carrier` are.
    pub from: Option<Site>,
    pub carrier: Carrier,
    /// When it was added: the rules are applied in rounds, one rule to its fixed point in each.
    pub round: u32,
    /// Why `from` is impacted in the way that matters here, as a position in [`Impact::steps`]: that it runs, or what it leaves in memory, may have
    /// another reason than the value it computes.
    next: Option<u32>,
}

/// An edge of the call graph that carries impact into the callee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallImpact {
    pub caller: FuncId,
    pub inst: InstId,
    pub callee: FuncId,
}

/// The impacted instructions of both versions.
#[derive(Clone, Debug, Default)]
pub struct Impact {
    /// By function and instruction of the new version.
    pub new: Vec<Vec<Option<Reason>>>,
    /// By function and instruction of the old version.
    pub old: Vec<Vec<Option<Reason>>>,
    /// The calls of the new version that bring impact into their callee. A function that is impacted through no call but these is not impacted in other calls.
    pub calls: Vec<CallImpact>,
    /// Functions of the new version, by id, with impact that does not come in by a call: a change, or what a callee or memory has brought.
    pub own: Vec<bool>,
    /// Reasons of what impacted instructions come from.
    steps: Vec<(Site, Reason)>,
    /// The impacted instructions of the new version in the order in which the rules added them.
    pub order: Vec<(FuncId, InstId)>,
    pub phases: Vec<Phase>,
}

impl Impact {
    pub(crate) fn nothing(old: &Program, new: &Program) -> Self {
        let none = |program: &Program| program.functions.iter().map(|f| vec![None; f.insts.len()]).collect();
        Impact { new: none(new), old: none(old), own: vec![false; new.functions.len()], ..Impact::default() }
    }

    pub fn is_empty(&self) -> bool {
        !self.new.iter().chain(&self.old).flatten().any(Option::is_some)
    }

    pub fn reason(&self, site: Site) -> Option<&Reason> {
        let table = match site.version {
            Version::Old => &self.old,
            Version::New => &self.new,
        };
        table.get(site.function.index())?.get(site.inst.index())?.as_ref()
    }

    pub fn is_impacted(&self, function: FuncId, inst: InstId) -> bool {
        self.reason(Site { version: Version::New, function, inst }).is_some()
    }

    /// From an impacted instruction back to the change: each step's site with its reason.
    pub fn chain(&self, site: Site) -> Vec<(Site, Reason)> {
        let mut chain: Vec<(Site, Reason)> = Vec::new();
        let mut at = self.reason(site).map(|reason| (site, *reason));
        while let Some((site, reason)) = at {
            chain.push((site, reason));
            at = reason.next.and_then(|next| self.steps.get(next as usize)).copied();
        }
        chain
    }
}

/// Turns marks into reasons.
pub(crate) fn collect(propagation: &Propagation<'_>) -> Impact {
    let mut impact = Impact::nothing(propagation.old.program, propagation.new.program);
    let reader = Reader { propagation };
    let mut trail = Trail { reader: &reader, found: FxHashMap::default(), steps: Vec::new() };
    for version in [Version::Old, Version::New] {
        let (side, marks) = reader.version(version);
        for &node in &marks.order {
            let NodeKind::Inst(function, inst) = side.graph.kinds[node as usize] else { continue };
            let reason = trail.reason(version, node);
            let table = if version == Version::Old { &mut impact.old } else { &mut impact.new };
            table[function.index()][inst.index()] = Some(reason);
            if version == Version::New {
                impact.order.push((function, inst));
                impact.own[function.index()] |= marks.marks[node as usize].level == Level::Above;
            }
        }
    }
    impact.steps = trail.steps;
    let (side, marks) = reader.version(Version::New);
    for (site, entered) in side.graph.sites.iter().zip(&marks.entered) {
        if *entered {
            impact.calls.push(CallImpact { caller: site.caller, inst: site.inst, callee: site.callee });
        }
    }
    impact
}

/// Links each reason to that of the place it comes from. Every mark comes from an older one, so this ends.
struct Trail<'r, 'p, 'a> {
    reader: &'r Reader<'p, 'a>,
    found: FxHashMap<(Version, Node), u32>,
    steps: Vec<(Site, Reason)>,
}

impl Trail<'_, '_, '_> {
    fn reason(&mut self, version: Version, node: Node) -> Reason {
        let (mut reason, mut origin) = self.reader.reason(version, node);
        let first = self.steps.len() as u32;
        while let Some((version, node)) = origin {
            if let Some(&known) = self.found.get(&(version, node)) {
                self.link(first, &mut reason, known);
                break;
            }
            let number = self.steps.len() as u32;
            self.link(first, &mut reason, number);
            self.found.insert((version, node), number);
            let (step, next) = self.reader.reason(version, node);
            let Some(site) = self.reader.site(version, node) else { break };
            self.steps.push((site, step));
            origin = next;
        }
        reason
    }

    /// Makes `next` what follows the newest step since `first`, or the reason itself.
    fn link(&mut self, first: u32, reason: &mut Reason, next: u32) {
        match self.steps.get_mut(first as usize..).and_then(<[_]>::last_mut) {
            Some((_, newest)) => newest.next = Some(next),
            None => reason.next = Some(next),
        }
    }
}

/// A place that impact comes from: a node of a version.
type Origin = Option<(Version, Node)>;

struct Reader<'p, 'a> {
    propagation: &'p Propagation<'a>,
}

impl<'p, 'a> Reader<'p, 'a> {
    fn version(&self, version: Version) -> (&'a Side<'a>, &'p Marks) {
        match version {
            Version::Old => (self.propagation.old, &self.propagation.old_marks),
            Version::New => (self.propagation.new, &self.propagation.new_marks),
        }
    }

    fn site(&self, version: Version, node: Node) -> Option<Site> {
        let (side, _) = self.version(version);
        instruction(side.graph.kinds[node as usize]).map(|(function, inst)| Site { version, function, inst })
    }

    fn reason(&self, version: Version, node: Node) -> (Reason, Origin) {
        let (side, marks) = self.version(version);
        let mark = marks.marks[node as usize];
        let rule = match mark.why {
            Why::Source => Rule::Changed,
            Why::Flow | Why::Control => Rule::Control,
            Why::Data | Why::Through(_) => Rule::Data,
            Why::Backward => Rule::BackwardControl,
            Why::Reaching => Rule::ReachingDefinition,
            Why::Counterpart => return self.as_in_the_other(version, node),
        };
        let (origin, carrier) = match rule {
            Rule::Changed => (None, Carrier::Value),
            _ => self.origin(side, marks, version, node),
        };
        // What only an error check or a call adds between two instructions is still the rule of the last edge.
        (self.told(rule, origin, carrier, mark.round), origin)
    }

    fn told(&self, rule: Rule, origin: Origin, carrier: Carrier, round: u32) -> Reason {
        let from = origin.and_then(|(version, node)| self.site(version, node));
        Reason { rule, from, carrier, round, next: None }
    }

    /// Mapped across: the reason is the counterpart's.
    fn as_in_the_other(&self, version: Version, node: Node) -> (Reason, Origin) {
        let (_, marks) = self.version(version);
        let mark = marks.marks[node as usize];
        let other = version.other();
        let (there, their_marks) = self.version(other);
        let theirs = their_marks.marks[mark.from as usize];
        if theirs.why == Why::Counterpart || !matches!(there.graph.kinds[mark.from as usize], NodeKind::Inst(..)) {
            let (origin, carrier) = self.origin(there, their_marks, other, mark.from);
            return (self.told(Rule::Control, origin, carrier, mark.round), origin);
        }
        let (reason, origin) = self.reason(other, mark.from);
        (Reason { round: mark.round, ..reason }, origin)
    }

    /// The node of another instruction that a mark comes from, past the nodes between, and what it came through.
    fn origin(&self, side: &Side<'_>, marks: &Marks, version: Version, node: Node) -> (Origin, Carrier) {
        let mut carrier = self.read_slot(side, node);
        let home = instruction(side.graph.kinds[node as usize]);
        let mut at = node;
        loop {
            let mark = marks.marks[at as usize];
            if mark.why == Why::Counterpart {
                let other = version.other();
                let (there, their_marks) = self.version(other);
                if instruction(there.graph.kinds[mark.from as usize]).is_none() {
                    return (None, carrier);
                }
                let same = instruction(side.graph.kinds[at as usize]) == home;
                if same && their_marks.marks[mark.from as usize].why != Why::Counterpart {
                    return self.origin(there, their_marks, other, mark.from);
                }
                return (Some((other, mark.from)), carrier);
            }
            if mark.why == Why::Flow {
                carrier = Carrier::Flow;
            }
            if mark.from == at {
                if let NodeKind::Initial(global) = side.graph.kinds[at as usize] {
                    carrier = Carrier::Global(global);
                }
                let itself = instruction(side.graph.kinds[at as usize]).filter(|site| Some(*site) != home);
                return (itself.map(|_| (version, at)), carrier);
            }
            at = mark.from;
            let kind = side.graph.kinds[at as usize];
            if instruction(kind).is_some_and(|site| Some(site) != home) {
                if carrier == Carrier::Value && matches!(kind, NodeKind::Ends(..)) {
                    carrier = Carrier::Ending;
                }
                return (Some((version, at)), carrier);
            }
            carrier = self.passing(side, kind, carrier);
        }
    }

    /// The local that an instruction reads.
    fn read_slot(&self, side: &Side<'_>, node: Node) -> Carrier {
        let NodeKind::Inst(function, inst) = side.graph.kinds[node as usize] else { return Carrier::Value };
        let function = side.program.function(function);
        let mut ops = function.insts[inst.index()].ops.clone().map(|op| &function.ops[op as usize]);
        match ops.next() {
            Some(Op::SlotLoad { slot, .. }) => Carrier::Slot(*slot),
            _ => Carrier::Value,
        }
    }

    fn passing(&self, side: &Side<'_>, kind: NodeKind, before: Carrier) -> Carrier {
        let cell = match kind {
            NodeKind::Parameter(function, register) => return Carrier::Parameter(function, register),
            NodeKind::Returned(function) => return Carrier::Returned(function),
            NodeKind::Called(function) => return Carrier::Called(function),
            NodeKind::Joined(_, Some(cell))
            | NodeKind::Before(_, cell)
            | NodeKind::After(_, cell)
            | NodeKind::Loose(cell) => cell,
            _ => return before,
        };
        match side.points_to.objects.get(side.memory.object[cell.0 as usize]).kind {
            ObjectKind::Global(global) => Carrier::Global(global),
            ObjectKind::Stack(function, inst) => Carrier::Local(function, inst),
            ObjectKind::Heap(function, inst) => Carrier::Heap(function, inst),
            _ => Carrier::Memory,
        }
    }
}

fn instruction(kind: NodeKind) -> Option<(FuncId, InstId)> {
    match kind {
        NodeKind::Inst(function, inst)
        | NodeKind::Runs(function, inst)
        | NodeKind::Ends(function, inst)
        | NodeKind::Result(function, inst)
        | NodeKind::Left(function, inst, _) => Some((function, inst)),
        _ => None,
    }
}
