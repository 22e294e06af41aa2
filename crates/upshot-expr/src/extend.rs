//! Extension with zeros or with the sign, and change of width in general.

use crate::Terms;
use crate::fold::{mask, sign_extend};
use crate::node::{Node, TermId};

impl Terms {
    pub fn zext(&mut self, term: TermId, width: u8) -> TermId {
        let inner = self.width(term);
        debug_assert!(width >= inner && width <= 128, "an extension does not shrink");
        if inner == width {
            return term;
        }
        match self.attempt(|terms| terms.simplified_zext(term, width)) {
            Some(term) => term,
            None => self.finish(Node::ZExt(term), width),
        }
    }

    fn simplified_zext(&mut self, term: TermId, width: u8) -> Option<TermId> {
        if let Some(value) = self.as_const(term) {
            return Some(self.constant(width, value));
        }
        match self.node(term) {
            Node::ZExt(inner) => Some(self.zext(inner, width)),
            Node::Ite(condition, a, b) if self.as_const(a).is_some() && self.as_const(b).is_some() => {
                let (a, b) = (self.zext(a, width), self.zext(b, width));
                Some(self.ite(condition, a, b))
            }
            Node::SExt(bit) if self.width(bit) == 1 => {
                let (set, clear) = (self.constant(width, mask(self.width(term))), self.constant(width, 0));
                Some(self.ite(bit, set, clear))
            }
            Node::Extract { term: whole, low } => self.restored(whole, low, self.width(term), width),
            _ => None,
        }
    }

    /// Bits of a term above which it has none: the term itself, or more of it.
    fn restored(&mut self, whole: TermId, low: u8, taken: u8, width: u8) -> Option<TermId> {
        let available = self.width(whole) - low;
        let more = available.min(width);
        let cleared = self.facts(whole).significant_bits() <= low + taken;
        if !cleared || more == taken {
            return None;
        }
        let larger = self.extract(whole, low, more);
        Some(self.zext(larger, width))
    }

    pub fn sext(&mut self, term: TermId, width: u8) -> TermId {
        let inner = self.width(term);
        debug_assert!(width >= inner && width <= 128, "an extension does not shrink");
        if inner == width {
            return term;
        }
        match self.attempt(|terms| terms.simplified_sext(term, width)) {
            Some(term) => term,
            None => self.finish(Node::SExt(term), width),
        }
    }

    fn simplified_sext(&mut self, term: TermId, width: u8) -> Option<TermId> {
        let inner = self.width(term);
        if let Some(value) = self.as_const(term) {
            return Some(self.constant(width, sign_extend(value, inner, width)));
        }
        if self.facts(term).sign(inner) == Some(false) {
            return Some(self.zext(term, width));
        }
        match self.node(term) {
            Node::SExt(innermost) => Some(self.sext(innermost, width)),
            Node::Ite(condition, a, b) if self.as_const(a).is_some() && self.as_const(b).is_some() => {
                let (a, b) = (self.sext(a, width), self.sext(b, width));
                Some(self.ite(condition, a, b))
            }
            _ => None,
        }
    }

    /// Truncates or extends to a width.
    pub fn resize(&mut self, term: TermId, width: u8, signed: bool) -> TermId {
        if width <= self.width(term) {
            self.trunc(term, width)
        } else if signed {
            self.sext(term, width)
        } else {
            self.zext(term, width)
        }
    }
}
