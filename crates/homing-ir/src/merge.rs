//! Statement merging: the chains of statements that SPIN executes as one step.
//!
//! Which statements join is a matter of the source (its labels, atomic sequences and escapes), so lowering decides it, and
//! each statement carries the answer. A statement always absorbs the same ones, wherever its transition was copied to.

use crate::{Automaton, StatementId, Transition};

/// How a statement joins others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merging {
    /// What follows is executed in the same step, as far as it can be absorbed.
    pub absorbs: bool,
    /// It can be executed in the same step as the one before it.
    pub absorbable: bool,
    /// The location behind it. Merging does not know yet that a jump out of an atomic sequence ends it, so this can be a
    /// join that [`Transition::target`] has passed.
    pub target: u32,
}

/// A statement executed in the same step as the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absorbed {
    /// The statement.
    pub statement: StatementId,
    /// The location it leads to.
    pub target: u32,
    /// As in [`Transition::atomic`].
    pub atomic: bool,
}

impl Automaton {
    /// What SPIN executes at once behind `statement`, in order.
    pub fn absorbed(&self, statement: StatementId) -> impl Iterator<Item = Absorbed> {
        let merging = self.statement(statement).merging;
        let start = if merging.absorbs { merging.target } else { 0 };
        // A chain cannot close: what a jump leads to has a label, and a loop has a head.
        std::iter::successors(self.absorbed_at(start), |before| self.absorbed_at(before.target))
    }

    /// The transition as SPIN has it with merging: it leads to the end of its chain.
    pub fn merged(&self, transition: Transition) -> Transition {
        let merging = self.statement(transition.statement).merging;
        match self.absorbed(transition.statement).last() {
            Some(Absorbed { target, atomic, .. }) => Transition { target, atomic, ..transition },
            None if merging.absorbs => Transition { target: merging.target, ..transition },
            None => transition,
        }
    }

    pub(crate) fn absorbed_at(&self, location: u32) -> Option<Absorbed> {
        let [transition] = self.locations.get(location as usize)?.transitions[..] else { return None };
        let statement = self.statement(transition.statement);
        // In a location with another number the statement is the first of a selection or block, which ends a chain.
        let absorbable = statement.state == location && statement.merging.absorbable;
        absorbable.then_some(Absorbed {
            statement: transition.statement,
            target: statement.merging.target,
            atomic: transition.atomic,
        })
    }
}
