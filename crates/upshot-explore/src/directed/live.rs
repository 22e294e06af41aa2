//! Which registers matter at a place: those that an instruction on which impacted code depends may still read there.
//!
//! Ordinary liveness, with only the relevant instructions counted as uses. A definition that a use depends on is relevant itself, so what is not live here can differ without any impacted instruction noticing.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use upshot_exec::{Owner, View};
use upshot_ir::{FuncId, Function, Op, Program, Reg};

use super::Guide;

/// By block, by register: whether it is live at the block's start.
type Starts = Rc<Vec<Vec<bool>>>;

/// An operation, and whether it is a call under way.
type PlaceInCode = (FuncId, u32, bool);

/// A state as impacted code sees it.
pub(crate) struct Window<'a> {
    program: &'a Program,
    guide: &'a Guide,
    blocks: RefCell<FxHashMap<FuncId, Starts>>,
    places: RefCell<FxHashMap<PlaceInCode, Rc<[Reg]>>>,
}

impl<'a> Window<'a> {
    pub(crate) fn new(program: &'a Program, guide: &'a Guide) -> Self {
        Window { program, guide, blocks: RefCell::default(), places: RefCell::default() }
    }

    fn is_use(&self, id: FuncId, function: &Function, op: usize) -> bool {
        let inst = function.op_inst[op];
        self.guide.direction.relevant[id.index()].get(inst.index()).copied().unwrap_or(true)
    }

    /// Takes the live registers after an operation to those before it.
    fn before(&self, id: FuncId, function: &Function, op: usize, live: &mut [bool]) {
        let (written, read) = upshot_ir::accesses(&function.ops[op]);
        for reg in written {
            if let Some(entry) = live.get_mut(reg.index()) {
                *entry = false;
            }
        }
        if self.is_use(id, function, op) {
            for reg in read.into_iter().filter_map(upshot_ir::Operand::as_reg) {
                live[reg.index()] = true;
            }
        }
    }

    /// The live registers at the end of a block, given those at the starts of all.
    fn at_end(function: &Function, terminator: &Op, starts: &[Vec<bool>]) -> Vec<bool> {
        let mut live = vec![false; function.registers as usize];
        for edge in upshot_ir::edges(terminator) {
            let mut there = starts[edge.target.index()].clone();
            let sources: Vec<_> =
                edge.moves.iter().filter(|(dst, _)| there[dst.index()]).map(|(_, src)| *src).collect();
            for (dst, _) in &edge.moves {
                there[dst.index()] = false;
            }
            for reg in sources.into_iter().filter_map(upshot_ir::Operand::as_reg) {
                there[reg.index()] = true;
            }
            live.iter_mut().zip(there).for_each(|(mine, theirs)| *mine |= theirs);
        }
        live
    }

    fn starts(&self, id: FuncId) -> Starts {
        if let Some(known) = self.blocks.borrow().get(&id) {
            return known.clone();
        }
        let function = self.program.function(id);
        let mut starts = vec![vec![false; function.registers as usize]; function.blocks.len()];
        loop {
            let mut grown = false;
            for (number, block) in function.blocks.iter().enumerate().rev() {
                let mut live = Self::at_end(function, &function.ops[block.end as usize - 1], &starts);
                for op in (block.start..block.end).rev() {
                    self.before(id, function, op as usize, &mut live);
                }
                if live != starts[number] {
                    starts[number] = live;
                    grown = true;
                }
            }
            if !grown {
                break;
            }
        }
        let starts = Rc::new(starts);
        self.blocks.borrow_mut().insert(id, starts.clone());
        starts
    }

    fn compute(&self, id: FuncId, pc: u32, in_call: bool) -> Rc<[Reg]> {
        let function = self.program.function(id);
        let Some(block) = function.blocks.iter().find(|block| (block.start..block.end).contains(&pc)) else {
            return Rc::from([]);
        };
        let starts = self.starts(id);
        let mut live = Self::at_end(function, &function.ops[block.end as usize - 1], &starts);
        for op in (pc + u32::from(in_call)..block.end).rev() {
            self.before(id, function, op as usize, &mut live);
        }
        if in_call {
            for reg in upshot_ir::accesses(&function.ops[pc as usize]).0 {
                live[reg.index()] = false;
            }
        }
        live.iter().enumerate().filter(|(_, live)| **live).map(|(reg, _)| Reg(reg as u32)).collect()
    }
}

impl View for Window<'_> {
    fn registers(&self, function: FuncId, pc: u32, in_call: bool) -> Rc<[Reg]> {
        let key = (function, pc, in_call);
        if let Some(known) = self.places.borrow().get(&key) {
            return known.clone();
        }
        let registers = self.compute(function, pc, in_call);
        self.places.borrow_mut().insert(key, registers.clone());
        registers
    }

    fn object(&self, owner: Owner) -> bool {
        self.guide.reads(owner)
    }
}
