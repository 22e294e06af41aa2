//! Calls and intrinsics: not interpreted, but for functions that only one version has.

use upshot_ir::{Callee, FuncId, Intrinsic, Operand, Reg};

use super::NoProof;
use super::meaning::Event;
use super::relation::{Known, Slot};
use super::segment::{DEEPEST, Frame, Runner, Way, unknown};

impl Runner<'_> {
    pub(super) fn intrinsic(
        &mut self,
        side: usize,
        way: &mut Way,
        (which, width, dst): (Intrinsic, u8, Reg),
        args: &[Operand],
        guide: Option<&Way>,
    ) -> Result<(), NoProof> {
        use Intrinsic as I;
        let (mut values, mut homes) = (Vec::new(), Vec::new());
        let is_memory = matches!(which, I::MemCpy | I::MemMove | I::MemSet);
        let widths: Vec<u8> = match which {
            I::MemCpy | I::MemMove => vec![64, 64, width],
            I::MemSet => vec![64, 8, width],
            I::AddOverflow { .. } | I::SubOverflow { .. } | I::MulOverflow { .. } => vec![width; 2],
            I::AddSat { .. } | I::SubSat { .. } => vec![width; 2],
            I::SMin | I::SMax | I::UMin | I::UMax => vec![width; 2],
            I::FunnelShl | I::FunnelShr => vec![width; 3],
            I::ByteSwap | I::BitReverse | I::CountOnes | I::LeadingZeros | I::TrailingZeros | I::Abs => vec![width],
            _ => return Err(NoProof::new("an intrinsic that is not known here")),
        };
        for (&operand, &width) in args.iter().zip(&widths) {
            let known = self.value(side, way, operand, width)?;
            values.push(known.term);
            homes.extend(known.homes(width));
        }
        if is_memory {
            return self.happen(way, Event::new(format!("{which:?} {width}"), values, homes), guide);
        }
        let ids: Vec<String> = values.iter().map(|value| value.raw().to_string()).collect();
        let result = |what: &str| format!("{which:?} {width} {} {what}", ids.join(" "));
        let term = unknown(self.terms, &result("result"), width);
        self.set(way, dst, Known { term, home: None }, width);
        if matches!(which, I::AddOverflow { .. } | I::SubOverflow { .. } | I::MulOverflow { .. }) {
            let term = unknown(self.terms, &result("overflow"), 1);
            self.set(way, Reg(dst.0 + 1), Known { term, home: None }, 1);
        }
        Ok(())
    }

    pub(super) fn call(
        &mut self,
        side: usize,
        way: &mut Way,
        call: &upshot_ir::Call,
        guide: Option<&Way>,
    ) -> Result<(), NoProof> {
        let (mut values, mut homes) = (Vec::new(), Vec::new());
        let mut what = String::from("call");
        match &call.callee {
            Callee::Direct(callee) => match self.names.function(side, *callee) {
                // How a run ends counts, not at which line.
                Some(_) if self.is_failed_assertion(side, *callee) => {
                    return self.happen(way, Event::new("a failed assertion", Vec::new(), Vec::new()), guide).map(
                        |()| {
                            way.frames.last_mut().into_iter().for_each(|frame| frame.pc += 1);
                        },
                    );
                }
                Some(name) => what = format!("call {name}"),
                None => return self.enter(side, way, *callee, call),
            },
            Callee::Indirect(target) => {
                let target = self.value(side, way, *target, 64)?;
                values.push(target.term);
            }
        }
        for argument in &call.args {
            let known = self.value(side, way, argument.value, argument.scalar.width())?;
            values.push(known.term);
            homes.extend(known.homes(argument.scalar.width()));
            what.push_str(&format!(" {:?} {:?}", argument.scalar, argument.by_value));
        }
        self.happen(way, Event::new(what, values, homes), guide)?;
        for (number, scalar) in call.results.iter().enumerate() {
            let name = format!("result {number} of {}", way.history);
            let term = unknown(self.terms, &name, scalar.width());
            self.set(way, Reg(call.dst.0 + number as u32), Known::of(term, scalar.width()), scalar.width());
        }
        if let Some(frame) = way.frames.last_mut() {
            frame.pc += 1;
        }
        Ok(())
    }

    pub(super) fn is_failed_assertion(&self, side: usize, callee: FuncId) -> bool {
        let body = self.programs[side].function(callee);
        body.is_declaration && body.no_return && body.name == "__assert_fail"
    }

    /// A function that only one version has is part of its caller.
    pub(super) fn enter(
        &mut self,
        side: usize,
        way: &mut Way,
        callee: FuncId,
        call: &upshot_ir::Call,
    ) -> Result<(), NoProof> {
        let body = self.programs[side].function(callee);
        let is_plain = !body.is_declaration && !body.is_variadic && body.struct_return.is_none();
        if !is_plain || call.args.iter().any(|argument| argument.by_value.is_some()) || way.frames.len() > DEEPEST {
            return Err(NoProof::new(format!("{}: only one version has it", body.source_name)));
        }
        let mut registers = vec![(Slot::Unwritten, 0); body.registers as usize];
        for (number, argument) in call.args.iter().enumerate() {
            let width = argument.scalar.width();
            registers[number] = (Slot::Known(self.value(side, way, argument.value, width)?), width);
        }
        let pc = body.blocks[0].start;
        way.frames.push(Frame { function: callee, pc, registers, dst: call.dst });
        Ok(())
    }
}
