//! The ends of blocks.

use super::function::FunctionLowering;
use super::{Lowered, Unsupported};
use crate::program::*;
use llvm_ir::Terminator;
use llvm_ir::terminator as ir;

impl<'a, 'm> FunctionLowering<'_, 'a, 'm> {
    pub(super) fn terminator(&mut self, terminator: &'a Terminator) -> Lowered<()> {
        match terminator {
            Terminator::Ret(i) => self.ret(i),
            Terminator::Br(i) => {
                let edge = self.edge(&i.dest)?;
                self.emit(Op::Jump(Box::new(edge)));
                Ok(())
            }
            Terminator::CondBr(i) => self.branch(i),
            Terminator::Switch(i) => self.switch(i),
            Terminator::IndirectBr(i) => self.indirect_branch(i),
            Terminator::Unreachable(_) => {
                self.emit(Op::Unreachable);
                Ok(())
            }
            Terminator::CallBr(_) => Err(self.assembly_goto()),
            Terminator::Invoke(_)
            | Terminator::Resume(_)
            | Terminator::CleanupRet(_)
            | Terminator::CatchRet(_)
            | Terminator::CatchSwitch(_) => Err(Unsupported("exception handling".to_string())),
        }
    }

    fn ret(&mut self, i: &'a ir::Ret) -> Lowered<()> {
        let values = match &i.return_operand {
            Some(operand) => self.any_value(operand, 0)?.parts,
            None => Vec::new(),
        };
        self.emit(Op::Return { values: values.into() });
        Ok(())
    }

    fn branch(&mut self, i: &'a ir::CondBr) -> Lowered<()> {
        let (cond, _) = self.scalar(&i.condition, 0)?;
        let edges = (self.edge(&i.true_dest)?, self.edge(&i.false_dest)?);
        self.emit(Op::Branch { cond, edges: Box::new(edges) });
        Ok(())
    }

    fn switch(&mut self, i: &'a ir::Switch) -> Lowered<()> {
        let (value, scalar) = self.scalar(&i.operand, 0)?;
        let default = self.edge(&i.default_dest)?;
        let mut cases = Vec::with_capacity(i.dests.len());
        for (number, (_, target)) in (0..).zip(&i.dests) {
            // LLVM's operands: value, default, then case value and target in turn. llvm-ir cuts wide cases.
            let case = self.raw_operand(2 + 2 * number)?.integer();
            let case = case.ok_or_else(|| Unsupported("a switch over a wide integer".to_string()))?;
            cases.push((case, self.edge(target)?));
        }
        self.emit(Op::Switch(Box::new(Switch { value, width: scalar.width(), cases, default })));
        Ok(())
    }

    fn indirect_branch(&mut self, i: &'a ir::IndirectBr) -> Lowered<()> {
        let (address, _) = self.scalar(&i.operand, 0)?;
        let mut edges: Vec<Edge> = Vec::with_capacity(i.possible_dests.len());
        for target in &i.possible_dests {
            let edge = self.edge(target)?;
            if edges.iter().all(|seen| seen.target != edge.target) {
                edges.push(edge);
            }
        }
        self.emit(Op::IndirectJump { address, edges: edges.into() });
        Ok(())
    }

    fn assembly_goto(&self) -> Unsupported {
        let text = self.raw.and_then(|raw| raw.called_value()).and_then(|callee| callee.inline_asm());
        Unsupported(format!("asm goto: {}", text.map(|(text, _)| text).unwrap_or_default()))
    }
}

pub(super) fn opcode_name(terminator: &Terminator) -> &'static str {
    match terminator {
        Terminator::Ret(_) => "ret",
        Terminator::Br(_) | Terminator::CondBr(_) => "br",
        Terminator::Switch(_) => "switch",
        Terminator::IndirectBr(_) => "indirectbr",
        Terminator::Invoke(_) => "invoke",
        Terminator::Resume(_) => "resume",
        Terminator::Unreachable(_) => "unreachable",
        Terminator::CleanupRet(_) => "cleanupret",
        Terminator::CatchRet(_) => "catchret",
        Terminator::CatchSwitch(_) => "catchswitch",
        Terminator::CallBr(_) => "callbr",
    }
}
