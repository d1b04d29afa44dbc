//! Syntactic classes of formulas.

use super::{Arena, Id, Nnf, Side};

/// What is known of a formula from its syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Holds of a word if it holds of one of its suffixes (a pure eventuality; Etessami & Holzmann 2000, §4).
    pub eventual: bool,
    /// Holds of all suffixes of a word that it holds of (a purely universal formula).
    pub universal: bool,
    /// Has an `F`, `U` or `M`: a promise that must be kept.
    pub has_promise: bool,
}

impl Facts {
    /// Holds of a word iff it holds of its suffixes.
    pub fn is_eventual_and_universal(self) -> bool {
        self.eventual && self.universal
    }

    pub(super) fn of(node: &Nnf, arena: &Arena) -> Self {
        let of = |id: &Id| arena.facts(*id);
        let eventual = |id: &Id| of(id).eventual;
        let universal = |id: &Id| of(id).universal;
        let (is_eventual, is_universal) = match node {
            Nnf::Letters(letters) => {
                let is_constant = letters.is_all() || letters.is_empty();
                (is_constant, is_constant)
            }
            Nnf::And(operands) | Nnf::Or(operands) => (operands.iter().all(eventual), operands.iter().all(universal)),
            Nnf::Next(a) => (eventual(a), universal(a)),
            Nnf::Eventually(a) => (true, universal(a)),
            Nnf::Always(a) => (eventual(a), true),
            Nnf::Until(a, b) => (eventual(b), universal(a) && universal(b)),
            Nnf::Release(a, b) => (eventual(a) && eventual(b), universal(b)),
            Nnf::WeakUntil(a, b) => (eventual(a) && eventual(b), universal(a) && universal(b)),
            Nnf::StrongRelease(a, b) => (eventual(a) && eventual(b), universal(a) && universal(b)),
        };
        let is_promise = matches!(node, Nnf::Eventually(_) | Nnf::Until(..) | Nnf::StrongRelease(..));
        let has_promise = is_promise || node.operands_of().any(|id| of(&id).has_promise);
        Facts { eventual: is_eventual, universal: is_universal, has_promise }
    }
}

impl Arena {
    /// Whether a node is eventual, or universal from the dual side.
    pub(super) fn is_eventual(&self, id: Id, side: Side) -> bool {
        match side {
            Side::Plain => self.facts(id).eventual,
            Side::Dual => self.facts(id).universal,
        }
    }

    /// Whether a node is universal, or eventual from the dual side.
    pub(super) fn is_universal(&self, id: Id, side: Side) -> bool {
        self.is_eventual(id, Self::other(side))
    }
}
