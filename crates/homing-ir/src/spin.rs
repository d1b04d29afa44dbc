//! SPIN's own numbers, and the chains of statements that it merges: a side table of an automaton.
//!
//! A trail names statements by numbers, `pan -d` and the list of unreached statements name control states, and one line of a
//! trail stands for a whole chain of merged statements. None of that decides what a model means: no engine, search or
//! reduction asks for it. The Promela front end makes the table. That for networks enters the numbers of edges in trails, and merges
//! nothing. Where the table is empty, a statement has its own index as its number. Without states no statement is listed as unreached.
//!
//! Which statements join a chain is a matter of the source (its labels, atomic sequences and escapes), so lowering decides
//! it. A statement always absorbs the same ones, wherever its transition was copied to.

use crate::{Automaton, Place, StatementId, Transition};

/// What SPIN knows the statements and control states of an automaton by.
#[derive(Clone, Debug, Default)]
pub struct SpinNumbering {
    /// By [`StatementId`]; empty for a model that is not one of SPIN's.
    pub statements: Vec<SpinStatement>,
    /// Every control state of the source, for the list of unreached statements.
    pub states: Vec<ControlState>,
}

/// What SPIN knows a statement by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpinStatement {
    /// The number of its control state in `pan -d`, unique within the process type.
    pub state: u32,
    /// Its transition number in a trail file, unique within the model.
    pub id: u32,
    /// Which others SPIN executes in the same step.
    pub merging: Merging,
}

/// A control state as SPIN lists it when it was never reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlState {
    /// Its number, which is that of a location.
    pub state: u32,
    /// Where it is in the source.
    pub place: Place,
    /// The state was folded into a choice and need not be reached by itself.
    pub exempt: bool,
    /// Reached if this one was.
    pub maps_to: u32,
}

/// How a statement joins others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merging {
    /// What follows is executed in the same step, as far as it can be absorbed.
    pub absorbs: bool,
    /// It can be executed in the same step as the one before it.
    pub absorbable: bool,
    /// The location after it. Merging does not know yet that a jump out of an atomic sequence ends it, so this can be a
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

impl SpinNumbering {
    /// What SPIN knows a statement by.
    pub fn statement(&self, id: StatementId) -> Option<SpinStatement> {
        self.statements.get(id.index()).copied()
    }

    /// How SPIN merges a statement with others.
    pub fn merging(&self, id: StatementId) -> Merging {
        self.statement(id).map_or(Merging::default(), |statement| statement.merging)
    }
}

impl Automaton {
    /// The number by which a trail names a statement: SPIN's, or else its index.
    pub fn trail_id(&self, statement: StatementId) -> u32 {
        self.spin.statement(statement).map_or(statement.0, |statement| statement.id)
    }

    /// The numbers by which trails name its statements, by [`StatementId`].
    pub fn trail_ids(&self) -> impl Iterator<Item = u32> {
        (0..self.statements.len() as u32).map(|statement| self.trail_id(StatementId(statement)))
    }

    /// The statement that a trail names by a number.
    pub fn statement_in_trail(&self, id: u32) -> Option<StatementId> {
        self.trail_ids().position(|known| known == id).map(|at| StatementId(at as u32))
    }

    /// What SPIN executes at once after a statement, in order.
    pub fn absorbed(&self, statement: StatementId) -> impl Iterator<Item = Absorbed> {
        let merging = self.spin.merging(statement);
        let start = if merging.absorbs { merging.target } else { 0 };
        // A chain cannot close: what a jump leads to has a label, and a loop has a head.
        std::iter::successors(self.absorbed_at(start), |before| self.absorbed_at(before.target))
    }

    /// The transition as SPIN has it with merging: it leads to the end of its chain.
    pub fn merged(&self, transition: Transition) -> Transition {
        let merging = self.spin.merging(transition.statement);
        match self.absorbed(transition.statement).last() {
            Some(Absorbed { target, atomic, .. }) => Transition { target, atomic, ..transition },
            None if merging.absorbs => Transition { target: merging.target, ..transition },
            None => transition,
        }
    }

    pub(crate) fn absorbed_at(&self, location: u32) -> Option<Absorbed> {
        let [transition] = self.locations.get(location as usize)?.transitions[..] else { return None };
        let SpinStatement { state, merging, .. } = self.spin.statement(transition.statement)?;
        // In a location with another number the statement is the first of a selection or block, which ends a chain.
        (state == location && merging.absorbable).then_some(Absorbed {
            statement: transition.statement,
            target: merging.target,
            atomic: transition.atomic,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Action;
    use crate::testing::straight;

    fn skips(count: usize) -> Automaton {
        let actions = vec![Action::Skip("skip".into()); count];
        straight(actions).proctypes.remove(0).automaton
    }

    #[test]
    fn without_numbers_statements_are_numbered_by_themselves() {
        let automaton = skips(3);
        assert_eq!(automaton.trail_id(StatementId(2)), 2);
        assert_eq!(automaton.statement_in_trail(2), Some(StatementId(2)));
        assert_eq!(automaton.statement_in_trail(3), None);
        assert_eq!(automaton.absorbed(StatementId(0)).count(), 0);
        let transition = automaton.location(1).transitions[0];
        assert_eq!(automaton.merged(transition), transition);
    }

    #[test]
    fn a_chain_ends_where_a_statement_is_not_absorbable() {
        let mut automaton = skips(4);
        let statement = |number: u32, absorbable| SpinStatement {
            state: number,
            id: 10 + number,
            merging: Merging { absorbs: true, absorbable, target: number + 1 },
        };
        automaton.spin.statements =
            vec![statement(1, true), statement(2, true), statement(3, true), statement(4, false)];
        let absorbed: Vec<u32> = automaton.absorbed(StatementId(0)).map(|absorbed| absorbed.statement.0).collect();
        assert_eq!(absorbed, [1, 2]);
        assert_eq!(automaton.merged(automaton.location(1).transitions[0]).target, 4);
        assert_eq!(automaton.trail_id(StatementId(0)), 11);
        assert_eq!(automaton.statement_in_trail(13), Some(StatementId(2)));
    }
}
