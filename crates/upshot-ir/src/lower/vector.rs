//! Lanes and fields moved about: element and value insertion and extraction, shuffles.

use super::function::FunctionLowering;
use super::{Lowered, Unsupported};
use crate::program::*;
use llvm_ir::Constant;
use llvm_ir::instruction as ir;

impl<'a, 'm> FunctionLowering<'_, 'a, 'm> {
    pub(super) fn extract_element(&mut self, i: &'a ir::ExtractElement) -> Lowered<()> {
        let vector = self.value(&i.vector, 0)?;
        let (index, scalar) = self.scalar(&i.index, 1)?;
        let width = self.leaves(vector.ty)?[0].scalar.width();
        let element = match self.known(index) {
            Some(lane) => match vector.parts.get(lane as usize) {
                Some(&lane) => lane,
                None => self.constant(Const::Undef { width }),
            },
            None => {
                // The last lane stands for every index past it too, which is poison anyway.
                let mut chosen = vector.parts[vector.parts.len() - 1];
                for (lane, &part) in vector.parts.iter().enumerate().rev().skip(1) {
                    let number = self.int(scalar.width(), lane as u128);
                    let here = self.compare(IntPredicate::Eq, scalar.width(), index, number);
                    chosen = self.choose(width, here, part, chosen);
                }
                chosen
            }
        };
        self.move_to_result(&[element])
    }

    pub(super) fn insert_element(&mut self, i: &'a ir::InsertElement) -> Lowered<()> {
        let mut vector = self.value(&i.vector, 0)?;
        let (element, of) = self.scalar(&i.element, 1)?;
        let (index, scalar) = self.scalar(&i.index, 2)?;
        match self.known(index) {
            Some(lane) => {
                if let Some(place) = vector.parts.get_mut(lane as usize) {
                    *place = element;
                }
            }
            None => {
                for (lane, part) in vector.parts.iter_mut().enumerate() {
                    let number = self.int(scalar.width(), lane as u128);
                    let here = self.compare(IntPredicate::Eq, scalar.width(), index, number);
                    *part = self.choose(of.width(), here, element, *part);
                }
            }
        }
        self.move_to_result(&vector.parts)
    }

    pub(super) fn shuffle_vector(&mut self, i: &'a ir::ShuffleVector) -> Lowered<()> {
        let mut lanes = self.value(&i.operand0, 0)?.parts;
        lanes.extend(self.value(&i.operand1, 1)?.parts);
        let Constant::Vector(mask) = i.mask.as_ref() else {
            return Err(Unsupported("a shuffle without a mask".to_string()));
        };
        let width = self.result_lanes()?.first().map_or(0, |(_, scalar)| scalar.width());
        let mut shuffled = Vec::with_capacity(mask.len());
        for choice in mask {
            shuffled.push(match choice.as_ref() {
                Constant::Int { value, .. } => {
                    let lane = lanes.get(*value as usize);
                    *lane.ok_or_else(|| Unsupported("a shuffle of a lane that is not there".to_string()))?
                }
                _ => self.constant(Const::Undef { width }),
            });
        }
        self.move_to_result(&shuffled)
    }

    pub(super) fn extract_value(&mut self, i: &'a ir::ExtractValue) -> Lowered<()> {
        let aggregate = self.any_value(&i.aggregate, 0)?;
        let range = self.context.layouts.leaf_range(aggregate.ty, &i.indices).ok_or_else(no_such_part)?;
        self.move_to_result(aggregate.parts.get(range).ok_or_else(no_such_part)?)
    }

    pub(super) fn insert_value(&mut self, i: &'a ir::InsertValue) -> Lowered<()> {
        let mut aggregate = self.any_value(&i.aggregate, 0)?;
        let element = self.any_value(&i.element, 1)?;
        let range = self.context.layouts.leaf_range(aggregate.ty, &i.indices).ok_or_else(no_such_part)?;
        let place = aggregate.parts.get_mut(range).ok_or_else(no_such_part)?;
        if place.len() != element.parts.len() {
            return Err(no_such_part());
        }
        place.copy_from_slice(&element.parts);
        self.move_to_result(&aggregate.parts)
    }
}

fn no_such_part() -> Unsupported {
    Unsupported("a part that the value does not have".to_string())
}
