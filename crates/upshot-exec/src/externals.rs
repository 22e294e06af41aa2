//! Functions that are not known, taken as functions of what they can see.
//!
//! Under [`Externals::Uninterpreted`] a call returns unknown values, and leaves unknown values in all the memory that it could write: what its arguments, the globals that other
//! files see, and pointers handed out earlier lead to. The unknowns are named by the running number of the call, so the same call in another version of the program gives the
//! same ones. That is right as long as both versions make the same calls with the same arguments and the same memory behind them, which is why all of that is
//! recorded and compared: where it differs, the versions differ.

use std::rc::Rc;

use upshot_ir::{Call, FuncId, GlobalId, Reg};

use crate::machine::{Machine, Stop};
use crate::memory::lazy_index;
use crate::observe::{Cell, Content, ExternalCall};
use crate::state::{InputKind, State};
use crate::value::Value;

/// What becomes of a call of a function that has no body and no model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Externals {
    /// The path ends, as unsupported.
    #[default]
    Stop,
    /// Its result, and what it writes, is a function of the call history and what it can see.
    Uninterpreted,
}

impl Machine<'_> {
    /// A call of a declared function.
    pub(crate) fn call_external(
        &mut self,
        state: &mut State,
        function: FuncId,
        call: &Call,
        arguments: &[Value],
    ) -> Result<(), Stop> {
        let name = self.program().function(function).name.clone();
        let results = self.uninterpreted(state, &name, call, arguments)?;
        self.take_results(state, call, results);
        Ok(())
    }

    /// A call through an input pointer to a function.
    pub(crate) fn unknown_call(
        &mut self,
        state: &mut State,
        name: &str,
        call: &Call,
        arguments: &[Value],
    ) -> Result<(), Stop> {
        let results = match self.options.externals {
            Externals::Stop => self.results_of(state, name, call),
            Externals::Uninterpreted => {
                let mut given = Vec::with_capacity(arguments.len());
                for (argument, value) in call.args.iter().zip(arguments) {
                    given.push(self.written(state, *value, argument.scalar.width())?);
                }
                self.uninterpreted(state, name, call, &given)?
            }
        };
        self.take_results(state, call, results);
        Ok(())
    }

    fn take_results(&mut self, state: &mut State, call: &Call, results: Vec<Value>) {
        for (index, value) in results.into_iter().enumerate() {
            self.set(state, Reg(call.dst.0 + index as u32), value);
        }
        state.frame.pc += 1;
    }

    fn results_of(&mut self, state: &mut State, name: &str, call: &Call) -> Vec<Value> {
        let number = state.unknown_calls;
        state.unknown_calls += 1;
        let mut results = Vec::new();
        for scalar in &call.results {
            let size = scalar.store_size();
            let symbol = self.add_input(state, &format!("{name}()#{number}"), size, InputKind::Given, None);
            let term = self.symbol_term(symbol, 0, size);
            let term = self.terms.trunc(term, scalar.width());
            results.push(Value::of(&self.terms, term));
        }
        results
    }

    fn uninterpreted(
        &mut self,
        state: &mut State,
        name: &str,
        call: &Call,
        arguments: &[Value],
    ) -> Result<Vec<Value>, Stop> {
        let mut settled = Vec::with_capacity(arguments.len());
        for &argument in arguments {
            settled.push(self.settle(state, argument)?);
        }
        let seen = self.visible(state, &settled)?;
        let widths = call.args.iter().map(|argument| argument.scalar.width());
        let record =
            ExternalCall { name: name.to_string(), arguments: settled.into_iter().zip(widths).collect(), seen };
        let number = state.unknown_calls;
        for (position, content) in record.seen.iter().enumerate().filter(|(_, content)| !content.read_only) {
            let size = content.cells.len() as u32;
            let label = format!("memory {position} after {name}()#{number}");
            let symbol = self.add_input(state, &label, size, InputKind::External, None);
            if let Some(object) = state.memory.find_mut(content.base).filter(|_| size > 0) {
                object.set_symbolic(&mut self.terms, 0, u64::from(size), symbol);
                state.touched(true, content.base, 0, u64::from(size));
            }
        }
        Rc::make_mut(&mut state.calls).push(record);
        Ok(self.results_of(state, name, call))
    }

    /// What a function from outside can see: input pointers in it are followed first, since it may follow them.
    fn visible(&mut self, state: &mut State, arguments: &[Value]) -> Result<Rc<Vec<Content>>, Stop> {
        let mut work: Vec<u64> = Vec::new();
        for &argument in arguments {
            work.extend(self.led_to(state, argument));
        }
        let shared = |(index, global): (usize, &upshot_ir::Global)| {
            let is_seen = !global.is_local && !global.is_runtime && !global.is_constant;
            is_seen.then_some(self.image.globals[index])
        };
        work.extend(self.program().globals.iter().enumerate().filter_map(shared));
        if let Some(last) = state.calls.last() {
            work.extend(last.seen.iter().map(|content| content.base));
        }
        work.reverse();
        let mut seen: Vec<Content> = Vec::new();
        while let Some(address) = work.pop() {
            let Some(object) = state.memory.find(address) else { continue };
            if seen.iter().any(|content| content.base == object.base) {
                continue;
            }
            for offset in object.input_pointers() {
                let term = match state.memory.find(address).map(|object| object.byte(&mut self.terms, offset)) {
                    Some(crate::memory::Byte::Term(byte)) => byte,
                    _ => continue,
                };
                if lazy_index(term.provenance).is_some() {
                    let value = Value::of(&self.terms, term.term).with_provenance(term.provenance);
                    let value = self.settle(state, value)?;
                    work.extend(self.led_to(state, value));
                }
            }
            let Some(content) = self.content(state, address) else { continue };
            let mut next = self.leads_of(state, &content);
            next.reverse();
            work.extend(next);
            seen.push(content);
        }
        Ok(Rc::new(seen))
    }

    /// Where a value leads, if it is a pointer.
    fn led_to(&self, state: &State, value: Value) -> Vec<u64> {
        match value.as_term() {
            Some(_) if value.provenance() != 0 => vec![value.provenance()],
            Some(term) => self.addresses_in(state, term),
            None => vec![value.low()].into_iter().filter(|&number| self.is_address(state, number)).collect(),
        }
    }

    /// The addresses that an object holds.
    pub fn leads_of(&self, state: &State, content: &Content) -> Vec<u64> {
        let mut leads: Vec<u64> = content.leads.iter().map(|&(_, address)| address).collect();
        for offset in (0..content.cells.len() as u64).step_by(8) {
            match content.concrete_word(self, offset) {
                Some(word) if self.is_address(state, word) => leads.push(word),
                Some(_) => {}
                None => {
                    let end = content.cells.len().min(offset as usize + 8);
                    for cell in &content.cells[offset as usize..end] {
                        if let Cell::Byte(term) = cell
                            && self.terms.as_const(*term).is_none()
                        {
                            leads.extend(self.addresses_in(state, *term));
                        }
                    }
                }
            }
        }
        leads.dedup();
        leads
    }

    /// Whether a global is one that both versions of a program may compare.
    pub fn is_observable(&self, global: GlobalId) -> bool {
        let global = self.program().global(global);
        !global.is_runtime && !global.is_constant && global.size > 0
    }
}
