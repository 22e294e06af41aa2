//! How many bytes a pointer parameter certainly leads to.
//!
//! A function whose address nobody takes is called from where its calls are, and only from there. Where each of them hands over the address of a variable, the callee's accesses within
//! the smallest of these cannot fail. Copies of structs and room for returned ones are there in any case.

use upshot_ir::{Callee, Const, FuncId, Function, Op, Operand, Program, Reg};

use crate::ends::{Definitions, Ends, Failures};

/// The bytes behind a parameter, and whether any of them must not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) size: u64,
    pub(crate) constant: bool,
}

impl Extent {
    const NONE: Extent = Extent { size: 0, constant: true };
    const ALL: Extent = Extent { size: u64::MAX, constant: false };

    fn meet(self, other: Extent) -> Extent {
        Extent { size: self.size.min(other.size), constant: self.constant || other.constant }
    }
}

/// By function, for the registers of its parameters.
#[derive(Debug, Default)]
pub(crate) struct Extents(Vec<Vec<Extent>>);

impl Extents {
    /// `entry` is called from outside.
    pub(crate) fn new(program: &Program, entry: FuncId) -> Self {
        let open = from_anywhere(program, entry);
        let own: Vec<Vec<Option<Extent>>> = program.functions.iter().map(by_declaration).collect();
        let start = |(number, own): (usize, &Vec<Option<Extent>>)| {
            let unknown = if open[number] { Extent::NONE } else { Extent::ALL };
            own.iter().map(|known| known.unwrap_or(unknown)).collect()
        };
        let mut extents = Extents(own.iter().enumerate().map(start).collect());
        // From above: what holds for all calls so far is taken for true until one says otherwise.
        while extents.lower(program, &own) {}
        extents
    }

    pub(crate) fn of(&self, function: FuncId) -> &[Extent] {
        self.0.get(function.index()).map_or(&[], |extents| extents)
    }

    fn lower(&mut self, program: &Program, own: &[Vec<Option<Extent>>]) -> bool {
        let mut changed = false;
        for (id, function) in (0..).map(FuncId).zip(&program.functions) {
            let calls = function.ops.iter().filter_map(|op| match op {
                Op::Call(call) => Some(call),
                _ => None,
            });
            let definitions = Definitions::with_extents(function, self.of(id));
            let mut lowered: Vec<(FuncId, usize, Extent)> = Vec::new();
            let ends = Ends { program, function, definitions: &definitions, failures: Failures::Possible };
            for call in calls {
                let Callee::Direct(callee) = call.callee else { continue };
                for (register, argument) in call.args.iter().enumerate() {
                    let Some(known) = self.of(callee).get(register).copied() else { continue };
                    if own[callee.index()][register].is_some() || known == Extent::NONE {
                        continue;
                    }
                    let given = ends.extent(argument.value).unwrap_or(Extent::NONE);
                    lowered.push((callee, register, known.meet(given)));
                }
            }
            for (callee, register, extent) in lowered {
                let slot = &mut self.0[callee.index()][register];
                let met = slot.meet(extent);
                changed |= met != *slot;
                *slot = met;
            }
        }
        changed
    }
}

/// What the declaration alone says: by register.
fn by_declaration(function: &Function) -> Vec<Option<Extent>> {
    let mut extents = Vec::new();
    if let Some(size) = function.struct_return {
        extents.push(Some(Extent { size, constant: false }));
    }
    for parameter in &function.parameters {
        match parameter.by_value {
            Some((size, _)) => extents.push(Some(Extent { size, constant: false })),
            None => extents.extend(parameter.scalars.iter().map(|_| None)),
        }
    }
    extents
}

/// Functions that others than the calls in the program may enter.
fn from_anywhere(program: &Program, entry: FuncId) -> Vec<bool> {
    let mut open = vec![false; program.functions.len()];
    let mut take = |id: FuncId| open[id.index()] = true;
    take(entry);
    program.constructors.iter().chain(&program.destructors).copied().for_each(&mut take);
    let constants = program.functions.iter().flat_map(|function| &function.constants);
    let relocations = program.globals.iter().filter_map(|global| global.initializer.as_ref());
    let relocations = relocations.flat_map(|initializer| initializer.relocations.iter().map(|(_, _, value)| value));
    let mut work: Vec<&Const> = constants.chain(relocations).collect();
    while let Some(constant) = work.pop() {
        match constant {
            Const::Function(id) | Const::Block(id, _) => take(*id),
            Const::Expr { args, .. } => work.extend(args),
            _ => {}
        }
    }
    open
}

impl Ends<'_> {
    /// The bytes from an address on that are certainly there.
    fn extent(&self, pointer: Operand) -> Option<Extent> {
        let base = self.base(pointer, crate::ends::DEEPEST)?;
        let left = i128::from(base.size).checked_sub(base.high)?;
        (base.low >= 0 && left > 0)
            .then_some(Extent { size: u64::try_from(left).unwrap_or(u64::MAX), constant: base.constant })
    }
}

impl Definitions {
    /// As [`Definitions::new`], and what is behind the parameters.
    pub(crate) fn with_extents(function: &Function, extents: &[Extent]) -> Self {
        let mut definitions = Definitions::new(function);
        definitions.parameters = (0..extents.len() as u32).map(Reg).zip(extents.iter().copied()).collect();
        definitions
    }
}
