//! Both versions from one cut to the next, on terms: first the old one, every way it can go, then for each of those the new one, which must do the same.

use std::rc::Rc;
use std::time::Instant;

use upshot_expr::{Assignment, BinOp, TermId, Terms};
use upshot_ir::{BlockId, Const, ConstOp, Edge, FuncId, Op, Operand, Program, Reg, Scalar};
use upshot_solver::{Answer, PathCondition, Solver};

use super::NoProof;
use super::meaning::{Event, Histories, History, Names};
use super::relation::{Known, Relation, Slot};

/// Pairs of ways, and operations on one, beyond which nobody tries.
const MOST_WAYS: usize = 400;
const MOST_OPERATIONS: usize = 20_000;
pub(super) const DEEPEST: usize = 6;

/// A value that nobody knows.
pub(super) fn unknown(terms: &mut Terms, name: &str, width: u8) -> TermId {
    let size = u32::from(width).div_ceil(8);
    let symbol = terms.symbol(name, size);
    let mut term = terms.byte(symbol, 0);
    for offset in 1..size {
        let byte = terms.byte(symbol, offset);
        term = terms.concat(byte, term);
    }
    terms.trunc(term, width)
}

/// Where a segment ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum End {
    Cut(usize),
    Returned(Vec<(TermId, Option<TermId>)>),
    Unreachable,
}

/// Both versions at the same end.
pub(super) struct Arrival {
    pub end: End,
    pub old: Vec<(Slot, u8)>,
    pub new: Vec<(Slot, u8)>,
}

#[derive(Clone)]
pub(super) struct Frame {
    pub(super) function: FuncId,
    pub(super) pc: u32,
    pub(super) registers: Vec<(Slot, u8)>,
    /// Where the caller wants the results.
    pub(super) dst: Reg,
}

/// One version somewhere in a segment.
#[derive(Clone)]
pub(super) struct Way {
    pub(super) frames: Vec<Frame>,
    pub(super) condition: PathCondition,
    pub(super) model: Rc<Assignment>,
    /// What was done since the cut, and what had been done then.
    pub(super) done: Rc<Vec<Event>>,
    pub(super) history: History,
    pub(super) objects: u32,
    pub(super) operations: usize,
}

/// Both versions at the start of a segment.
pub(super) struct Begin {
    ways: [Way; 2],
}

pub(super) struct Runner<'a> {
    pub(super) terms: &'a mut Terms,
    pub(super) solver: &'a mut Solver,
    pub(super) programs: [&'a Program; 2],
    pub(super) names: &'a Names,
    pub(super) histories: Histories,
    pub(super) deadline: Instant,
    /// It is about the functions that are compared, not about what they call.
    pub(super) is_entry: bool,
}

impl<'a> Runner<'a> {
    pub fn new(
        terms: &'a mut Terms,
        solver: &'a mut Solver,
        programs: [&'a Program; 2],
        names: &'a Names,
        deadline: Instant,
        is_entry: bool,
    ) -> Self {
        Runner { terms, solver, programs, names, histories: Histories::default(), deadline, is_entry }
    }

    /// At the start of both functions, with the same arguments.
    pub fn at_entry(&mut self, functions: [FuncId; 2]) -> Begin {
        let ways = [0, 1].map(|side| {
            let body = self.programs[side].function(functions[side]);
            let mut registers = vec![(Slot::Unwritten, 0); body.registers as usize];
            let scalars = body.parameters.iter().flat_map(|parameter| &parameter.scalars);
            for (number, (_, scalar)) in scalars.enumerate() {
                let term = unknown(self.terms, &format!("argument {number}"), scalar.width());
                registers[number] = (Slot::Known(Known::of(term, scalar.width())), scalar.width());
            }
            self.way(side, functions[side], BlockId(0), registers, 0)
        });
        Begin { ways }
    }

    /// At a cut, in any two states of the relation.
    pub fn at_cut(&mut self, functions: [FuncId; 2], blocks: [BlockId; 2], cut: usize, relation: &Relation) -> Begin {
        let [old, new] = relation.states(self.terms, cut);
        let event = Event::new(format!("anything up to cut {cut}"), Vec::new(), Vec::new());
        let history = self.histories.after(0, &event);
        let old = self.way(0, functions[0], blocks[0], old, history);
        let new = self.way(1, functions[1], blocks[1], new, history);
        Begin { ways: [old, new] }
    }

    fn way(&self, side: usize, function: FuncId, block: BlockId, registers: Vec<(Slot, u8)>, history: History) -> Way {
        let pc = self.programs[side].function(function).blocks[block.index()].start;
        Way {
            frames: vec![Frame { function, pc, registers, dst: Reg(0) }],
            condition: PathCondition::new(),
            model: Rc::new(Assignment::new()),
            done: Rc::default(),
            history,
            objects: 0,
            operations: 0,
        }
    }

    /// Runs both to their ends; an error where they do not do the same.
    pub fn run(&mut self, begin: Begin, cuts: &[Vec<BlockId>; 2]) -> Result<Vec<Arrival>, NoProof> {
        let [old, new] = begin.ways;
        let mut arrivals = Vec::new();
        let mut ways = 0;
        for (left, end) in self.ends(0, old, cuts, None)? {
            let start = Way { condition: left.condition.clone(), model: left.model.clone(), ..new.clone() };
            for (right, other) in self.ends(1, start, cuts, Some(&left))? {
                ways += 1;
                if ways > MOST_WAYS {
                    return Err(NoProof::new("too many ways"));
                }
                if right.done.len() != left.done.len() {
                    return Err(NoProof::new("the new version does less"));
                }
                self.same_end(&right, &end, &other)?;
                let old = left.frames[0].registers.clone();
                let new = self.in_words_of(&left, &right);
                arrivals.push(Arrival { end: end.clone(), old, new });
            }
        }
        Ok(arrivals)
    }

    /// The registers of the new version; locals that hold the same as their namesakes in the old one, if in other terms, are told in the old one's.
    fn in_words_of(&mut self, old: &Way, new: &Way) -> Vec<(Slot, u8)> {
        let bodies =
            [self.programs[0].function(old.frames[0].function), self.programs[1].function(new.frames[0].function)];
        let mut registers = new.frames[0].registers.clone();
        for local in &bodies[1].locals {
            let namesake = bodies[0].locals.iter().find(|other| other.name == local.name);
            let (Some(here), Some(there)) = (local.slot, namesake.and_then(|other| other.slot)) else { continue };
            let (own, other) = (registers[here.index()], old.frames[0].registers[there.index()]);
            if let (Slot::Known(a), Slot::Known(b)) = (own.0, other.0)
                && own.1 == other.1
                && a.term != b.term
                && a.homes_agree(b, own.1)
                && self.is_same(new, a.term, b.term)
            {
                registers[here.index()] = other;
            }
        }
        registers
    }

    fn same_end(&mut self, way: &Way, old: &End, new: &End) -> Result<(), NoProof> {
        match (old, new) {
            (End::Returned(a), End::Returned(b)) if a.len() == b.len() => {
                for (&(x, home_x), &(y, home_y)) in a.iter().zip(b) {
                    if home_x != home_y || !self.is_same(way, x, y) {
                        return Err(NoProof::new("what is returned may differ"));
                    }
                }
                Ok(())
            }
            _ if old == new => Ok(()),
            _ => Err(NoProof::new("they go on in other ways")),
        }
    }

    /// Whether two terms are equal wherever this way leads.
    pub(super) fn is_same(&mut self, way: &Way, a: TermId, b: TermId) -> bool {
        if a == b {
            return true;
        }
        if self.terms.width(a) != self.terms.width(b) {
            return false;
        }
        let differ = self.terms.ne(a, b);
        !self.may_hold(way, differ)
    }

    pub(super) fn may_hold(&mut self, way: &Way, condition: TermId) -> bool {
        if self.terms.is_false(condition) {
            return false;
        }
        !matches!(self.solver.check(self.terms, &way.condition, &way.model, condition), Answer::Unsat)
    }

    /// Every way that a version can go, to its end. `guide`: what the other version did, which this one has to do too.
    fn ends(
        &mut self,
        side: usize,
        start: Way,
        cuts: &[Vec<BlockId>; 2],
        guide: Option<&Way>,
    ) -> Result<Vec<(Way, End)>, NoProof> {
        let mut work = vec![start];
        let mut ends = Vec::new();
        while let Some(mut way) = work.pop() {
            if ends.len() + work.len() > MOST_WAYS {
                return Err(NoProof::new("too many ways"));
            }
            if Instant::now() >= self.deadline {
                return Err(NoProof::new("no more time"));
            }
            loop {
                match self.step(side, &mut way, cuts, guide)? {
                    Step::On => {}
                    Step::End(end) => {
                        ends.push((way, end));
                        break;
                    }
                    Step::Ways(sides) => {
                        work.extend(self.take(side, &way, sides, cuts, &mut ends)?);
                        break;
                    }
                }
            }
        }
        Ok(ends)
    }

    /// The sides of a branch that exist.
    fn take(
        &mut self,
        side: usize,
        way: &Way,
        sides: Vec<(TermId, &Edge)>,
        cuts: &[Vec<BlockId>; 2],
        ends: &mut Vec<(Way, End)>,
    ) -> Result<Vec<Way>, NoProof> {
        let mut taken = Vec::new();
        for (condition, edge) in sides {
            if self.terms.is_false(condition) {
                continue;
            }
            let mut next = way.clone();
            if !self.terms.is_true(condition) {
                match self.solver.check(self.terms, &way.condition, &way.model, condition) {
                    Answer::Sat(model) => next.model = Rc::new(model),
                    Answer::Unsat => continue,
                    Answer::Unknown(why) => return Err(NoProof::new(why.to_string())),
                }
                next.condition.push(self.terms, condition);
            }
            match self.jump(side, &mut next, edge, cuts)? {
                Some(end) => ends.push((next, end)),
                None => taken.push(next),
            }
        }
        Ok(taken)
    }

    /// Goes along an edge; the end, if it leads to a cut.
    fn jump(
        &mut self,
        side: usize,
        way: &mut Way,
        edge: &Edge,
        cuts: &[Vec<BlockId>; 2],
    ) -> Result<Option<End>, NoProof> {
        let mut moved = Vec::with_capacity(edge.moves.len());
        for &(dst, src) in &edge.moves {
            moved.push((dst, self.slot(side, way, src)?));
        }
        let is_outermost = way.frames.len() == 1;
        let frame = way.frames.last_mut().ok_or_else(|| NoProof::new("no frame"))?;
        let body = self.programs[side].function(frame.function);
        for (dst, slot) in moved {
            frame.registers[dst.index()] = slot;
        }
        let is_back = body.blocks[edge.target.index()].start <= frame.pc;
        frame.pc = body.blocks[edge.target.index()].start;
        if is_outermost {
            return Ok(cuts[side].iter().position(|&head| head == edge.target).map(End::Cut));
        }
        if is_back {
            return Err(NoProof::new("a loop in a function that only one version has"));
        }
        Ok(None)
    }

    fn step<'s>(
        &mut self,
        side: usize,
        way: &mut Way,
        cuts: &[Vec<BlockId>; 2],
        guide: Option<&Way>,
    ) -> Result<Step<'s>, NoProof>
    where
        'a: 's,
    {
        way.operations += 1;
        if way.operations > MOST_OPERATIONS {
            return Err(NoProof::new("too many operations"));
        }
        let frame = way.frames.last().ok_or_else(|| NoProof::new("no frame"))?;
        let body = self.programs[side].function(frame.function);
        let op = &body.ops[frame.pc as usize];
        match op {
            Op::Jump(edge) => Ok(self.jump(side, way, edge, cuts)?.map_or(Step::On, Step::End)),
            Op::Branch { cond, edges } => {
                let yes = self.value(side, way, *cond, 1)?.term;
                let no = self.terms.not(yes);
                Ok(Step::Ways(vec![(yes, &edges.0), (no, &edges.1)]))
            }
            Op::Switch(switch) => {
                let value = self.value(side, way, switch.value, switch.width)?.term;
                let mut sides = Vec::new();
                let mut rest = self.terms.bool(true);
                for (case, edge) in &switch.cases {
                    let case = self.terms.constant(switch.width, *case);
                    let hit = self.terms.eq(value, case);
                    sides.push((hit, edge));
                    let miss = self.terms.not(hit);
                    rest = self.terms.and(rest, miss);
                }
                sides.push((rest, &switch.default));
                Ok(Step::Ways(sides))
            }
            Op::Return { values } => self.give_back(side, way, values, &body.results),
            Op::Unreachable => Ok(Step::End(End::Unreachable)),
            Op::Call(call) => {
                self.call(side, way, call, guide)?;
                Ok(Step::On)
            }
            other => {
                self.compute(side, way, other, guide)?;
                if let Some(frame) = way.frames.last_mut() {
                    frame.pc += 1;
                }
                Ok(Step::On)
            }
        }
    }

    fn give_back<'s>(
        &mut self,
        side: usize,
        way: &mut Way,
        values: &[Operand],
        results: &[Scalar],
    ) -> Result<Step<'s>, NoProof> {
        let mut given = Vec::new();
        for (&value, scalar) in values.iter().zip(results) {
            given.push((self.value(side, way, value, scalar.width())?, *scalar));
        }
        if way.frames.len() > 1 {
            let done = way.frames.pop();
            let (Some(done), Some(caller)) = (done, way.frames.last_mut()) else {
                return Err(NoProof::new("no frame"));
            };
            for (number, (known, scalar)) in given.into_iter().enumerate() {
                caller.registers[done.dst.index() + number] = (Slot::Known(known), scalar.width());
            }
            caller.pc += 1;
            return Ok(Step::On);
        }
        // Nobody follows a number that the entry returns; callers of others may.
        let is_entry = self.is_entry;
        let counts = |scalar: Scalar| scalar == Scalar::Pointer || !is_entry;
        let home = |(known, scalar): (Known, Scalar)| {
            (known.term, known.homes(scalar.width()).first().copied().filter(|_| counts(scalar)))
        };
        Ok(Step::End(End::Returned(given.into_iter().map(home).collect())))
    }

    // ---- values ----

    fn slot(&mut self, side: usize, way: &Way, operand: Operand) -> Result<(Slot, u8), NoProof> {
        let frame = way.frames.last().ok_or_else(|| NoProof::new("no frame"))?;
        if let Some(reg) = operand.as_reg() {
            return Ok(frame.registers[reg.index()]);
        }
        let body = self.programs[side].function(frame.function);
        let constant = operand.as_constant().map(|index| &body.constants[index]);
        let known = self.constant(side, constant.ok_or_else(|| NoProof::new("no operand"))?)?;
        Ok((Slot::Known(known), self.terms.width(known.term)))
    }

    pub(super) fn value(&mut self, side: usize, way: &Way, operand: Operand, width: u8) -> Result<Known, NoProof> {
        match self.slot(side, way, operand)? {
            (Slot::Known(known), _) => {
                let has = self.terms.width(known.term);
                let term = match has.cmp(&width) {
                    std::cmp::Ordering::Equal => known.term,
                    std::cmp::Ordering::Greater => self.terms.trunc(known.term, width),
                    std::cmp::Ordering::Less => self.terms.zext(known.term, width),
                };
                Ok(Known { term, ..known })
            }
            _ => Err(NoProof::new("a value that may never have been written")),
        }
    }

    fn constant(&mut self, side: usize, constant: &Const) -> Result<Known, NoProof> {
        let plain = |term| Ok(Known { term, home: None });
        match constant {
            Const::Int { width, value } => plain(self.terms.constant(*width, *value)),
            Const::Undef { width } => plain(self.terms.constant(*width, 0)),
            Const::Function(id) => {
                let name = self.names.function(side, *id).ok_or_else(|| NoProof::new("a function of one version"))?;
                plain(unknown(self.terms, name, 64))
            }
            Const::Global { global, offset } => {
                let name = self.names.global(side, *global).ok_or_else(|| NoProof::new("a global of one version"))?;
                let base = unknown(self.terms, name, 64);
                let offset = self.terms.constant(64, u128::from(*offset as u64));
                Ok(Known { term: self.terms.add(base, offset), home: Some(base) })
            }
            Const::Block(..) => Err(NoProof::new("the address of a label")),
            Const::Expr { op, width, args } => {
                let mut terms = Vec::new();
                for argument in args {
                    terms.push(self.constant(side, argument)?.term);
                }
                plain(match *op {
                    ConstOp::Bin(op) => self.terms.bin(op, terms[0], terms[1]),
                    ConstOp::Cmp(pred) => self.terms.compare(pred, terms[0], terms[1]),
                    ConstOp::ZExt => self.terms.zext(terms[0], *width),
                    ConstOp::SExt { .. } => self.terms.sext(terms[0], *width),
                    ConstOp::Trunc => self.terms.trunc(terms[0], *width),
                    ConstOp::Select => self.terms.ite(terms[0], terms[1], terms[2]),
                })
            }
        }
    }

    pub(super) fn set(&self, way: &mut Way, dst: Reg, known: Known, width: u8) {
        if let Some(frame) = way.frames.last_mut() {
            frame.registers[dst.index()] = (Slot::Known(known), width);
        }
    }

    // ---- operations ----

    fn compute(&mut self, side: usize, way: &mut Way, op: &Op, guide: Option<&Way>) -> Result<(), NoProof> {
        let get = |runner: &mut Self, operand: &Operand, width: u8| runner.value(side, way, *operand, width);
        let (dst, term, home) = match op {
            Op::Mark { .. } => return Ok(()),
            Op::Move { dst, src } => {
                let slot = self.slot(side, way, *src)?;
                if let Some(frame) = way.frames.last_mut() {
                    frame.registers[dst.index()] = slot;
                }
                return Ok(());
            }
            Op::SlotReset { slot } => {
                if let Some(frame) = way.frames.last_mut() {
                    frame.registers[slot.index()] = (Slot::Unwritten, 0);
                }
                return Ok(());
            }
            Op::SlotLoad { dst, slot, width } => {
                let known = get(self, &Operand::reg(*slot), *width)?;
                (*dst, known.term, known.home)
            }
            Op::Bin { op, width, dst, a, b, .. } => {
                let (a, b) = (get(self, a, *width)?, get(self, b, *width)?);
                self.check_faults(way, *op, *width, [a.term, b.term], guide)?;
                let home = match (op, a.home, b.home) {
                    (BinOp::Add | BinOp::Or | BinOp::And, home, None)
                    | (BinOp::Add | BinOp::Or | BinOp::And, None, home) => home,
                    (BinOp::Sub, home, None) => home,
                    _ => None,
                };
                (*dst, self.terms.bin(*op, a.term, b.term), home)
            }
            Op::Cmp { pred, width, dst, a, b } => {
                let (a, b) = (get(self, a, *width)?, get(self, b, *width)?);
                (*dst, self.terms.compare(*pred, a.term, b.term), None)
            }
            Op::ZExt { from, to, dst, a } => {
                let a = get(self, a, *from)?;
                (*dst, self.terms.zext(a.term, *to), None)
            }
            Op::SExt { from, to, dst, a } => {
                let a = get(self, a, *from)?;
                (*dst, self.terms.sext(a.term, *to), None)
            }
            Op::Trunc { from, to, dst, a } => {
                let a = get(self, a, *from)?;
                (*dst, self.terms.trunc(a.term, *to), None)
            }
            Op::FloatBin { op, format, dst, a, b } => {
                let (a, b) = (get(self, a, format.width())?, get(self, b, format.width())?);
                (*dst, self.terms.float_bin(*op, *format, a.term, b.term), None)
            }
            Op::FloatUn { op, format, dst, a } => {
                let a = get(self, a, format.width())?;
                (*dst, self.terms.float_un(*op, *format, a.term), None)
            }
            Op::FloatCmp { pred, format, dst, a, b } => {
                let (a, b) = (get(self, a, format.width())?, get(self, b, format.width())?);
                (*dst, self.terms.float_compare(*pred, *format, a.term, b.term), None)
            }
            Op::FloatCast { from, to, dst, a } => {
                let a = get(self, a, from.width())?;
                (*dst, self.terms.float_cast(*from, *to, a.term), None)
            }
            Op::IntToFloat { from, signed, to, dst, a } => {
                let a = get(self, a, *from)?;
                (*dst, self.terms.int_to_float(*signed, *to, a.term), None)
            }
            Op::Select { width, dst, cond, a, b } => {
                let cond = get(self, cond, 1)?.term;
                let (a, b) = (get(self, a, *width)?, get(self, b, *width)?);
                if a.home != b.home && *width == 64 {
                    return Err(NoProof::new("a choice between pointers"));
                }
                (*dst, self.terms.ite(cond, a.term, b.term), a.home)
            }
            Op::Displace { dst, base, disp } => {
                let base = get(self, base, 64)?;
                let disp = self.terms.constant(64, u128::from(*disp as u64));
                (*dst, self.terms.add(base.term, disp), base.home.or(Some(base.term)))
            }
            Op::Offset(offset) => {
                let base = get(self, &offset.base, 64)?;
                let index = get(self, &offset.index, offset.index_width)?.term;
                let index = self.terms.resize(index, 64, true);
                let scale = self.terms.constant(64, u128::from(offset.scale as u64));
                let step = self.terms.mul(index, scale);
                let disp = self.terms.constant(64, u128::from(offset.disp as u64));
                let sum = self.terms.add(base.term, disp);
                (offset.dst, self.terms.add(sum, step), base.home.or(Some(base.term)))
            }
            Op::Alloca { dst, size, count, count_width, .. } => {
                let count = get(self, count, *count_width)?.term;
                let Some(count) = self.terms.as_const(count) else { return Err(NoProof::new("an array of any size")) };
                let name = format!("object {} of {size} * {count}", way.objects);
                way.objects += 1;
                let term = unknown(self.terms, &name, 64);
                let event = Event::new(name, Vec::new(), Vec::new());
                self.happen(way, event, guide)?;
                (*dst, term, Some(term))
            }
            Op::Load { dst, ptr, disp, scalar } => {
                let (address, home) = self.address(side, way, *ptr, *disp)?;
                self.access(way, "read", (address, home), scalar.store_size(), guide)?;
                let known = self.load(way, address, *scalar);
                self.set(way, *dst, known, scalar.width());
                return Ok(());
            }
            Op::Store { value, ptr, disp, scalar } => {
                let value = get(self, value, scalar.width())?;
                let (address, home) = self.address(side, way, *ptr, *disp)?;
                self.access(way, "write", (address, home), scalar.store_size(), guide)?;
                let what = format!("store {scalar:?}");
                let homes = value.homes(scalar.width());
                return self.happen(way, Event::new(what, vec![address, value.term], homes), guide);
            }
            Op::Intrinsic { which, width, dst, args } => {
                return self.intrinsic(side, way, (*which, *width, *dst), args, guide);
            }
            _ => return Err(NoProof::new("an operation that is not known here")),
        };
        let width = self.terms.width(term);
        self.set(way, dst, Known { term, home }, width);
        Ok(())
    }

    fn address(&mut self, side: usize, way: &Way, ptr: Operand, disp: u32) -> Result<(TermId, TermId), NoProof> {
        let base = self.value(side, way, ptr, 64)?;
        let disp = self.terms.constant(64, u128::from(disp));
        Ok((self.terms.add(base.term, disp), base.home.unwrap_or(base.term)))
    }
}

enum Step<'s> {
    On,
    End(End),
    Ways(Vec<(TermId, &'s Edge)>),
}
