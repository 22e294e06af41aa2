//! Programs with marks in them: operations that do nothing but tell whoever runs the program that it has come by.
//!
//! A mark stands before the operations of the instruction it is about. What is not marked costs nothing, since the marked program is another program.

use crate::program::{FuncId, Function, InstId, Op, Program};

/// The program with `mark(f, i)` before instruction `i` of function `f`, where there is one. Instructions, blocks and registers keep their numbers.
pub fn with_marks(program: &Program, mark: impl Fn(FuncId, InstId) -> Option<u32>) -> Program {
    let mut marked = program.clone();
    for (id, function) in (0..).map(FuncId).zip(&mut marked.functions) {
        let marks: Vec<Option<u32>> = (0..function.insts.len() as u32).map(|inst| mark(id, InstId(inst))).collect();
        if marks.iter().any(Option::is_some) {
            insert(function, &marks);
        }
    }
    marked
}

fn insert(function: &mut Function, marks: &[Option<u32>]) {
    let old = std::mem::take(&mut function.ops);
    let old_inst = std::mem::take(&mut function.op_inst);
    let mut source = old.into_iter().zip(old_inst).peekable();
    for block in &mut function.blocks {
        block.start = function.ops.len() as u32;
        for number in block.first_inst.0..=block.last_inst.0 {
            let inst = &mut function.insts[number as usize];
            let first = function.ops.len() as u32;
            if let Some(mark) = marks[number as usize] {
                function.ops.push(Op::Mark { mark });
                function.op_inst.push(InstId(number));
            }
            while let Some((op, at)) = source.next_if(|(_, at)| at.0 == number) {
                function.ops.push(op);
                function.op_inst.push(at);
            }
            inst.ops = first..function.ops.len() as u32;
        }
        block.end = function.ops.len() as u32;
    }
}
