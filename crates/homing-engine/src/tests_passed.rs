//! The conditions that a move was executable because of, and whether they hold still.

use homing_ir::{Action, Automaton, Expr, ProctypeId, StatementId};

use crate::data_flow::Source;
use crate::eval::View;
use crate::interpreter::Executed;
use crate::player::{Enabled, Player};

/// A test that a process passed when it executed a statement.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// The statement, with its process.
    pub executed: Executed,
    conditions: Conditions,
}

/// The conditions of a test.
#[derive(Clone, Copy, Debug)]
enum Conditions {
    /// The statement is a condition, or an edge that has one.
    Own,
    /// A guard of a `d_step`.
    Guard(usize),
    /// Of an `else`: none of the conditions among so many statements that come before it at this location.
    NoneOf { location: u32, before: u32 },
}

impl Test {
    /// Its conditions held; false for an `else`, whose alternatives did not hold.
    pub fn held(&self) -> bool {
        !matches!(self.conditions, Conditions::NoneOf { .. })
    }

    fn conditions<'m>(&self, automaton: &'m Automaton) -> Vec<&'m Expr> {
        let action = |statement: StatementId| &automaton.statement(statement).action;
        match (self.conditions, action(self.executed.statement)) {
            (Conditions::Own, Action::Edge(edge)) => edge.guard.iter().collect(),
            (Conditions::Own, own) => condition(own).into_iter().collect(),
            (Conditions::Guard(at), Action::DStep(block)) => condition(&block.guards[at]).into_iter().collect(),
            (Conditions::Guard(_), _) => Vec::new(),
            (Conditions::NoneOf { location, before }, _) => {
                let others = &automaton.location(location).transitions[..before as usize];
                others.iter().filter_map(|other| condition(action(other.statement))).collect()
            }
        }
    }
}

fn condition(action: &Action) -> Option<&Expr> {
    match action {
        Action::Condition(guard) => Some(guard),
        _ => None,
    }
}

impl Player<'_, '_> {
    /// What the last move was executable because of: for each statement of it, what its guard reads. To be called before the
    /// next move.
    pub fn guard_sources(&self, taken: &Enabled) -> Vec<Vec<Source>> {
        let sources = |at: usize| {
            let view = self.view_before(taken, at);
            let mut found = Vec::new();
            for condition in self.tested(taken, at).conditions(self.automaton(taken.statements[at].proctype)) {
                view.add_sources(condition, &mut found);
            }
            found
        };
        (0..taken.statements.len()).map(sources).collect()
    }

    /// The test that the process of a statement of the last move passed; `None` if there is none, or if its value can change without
    /// any process that writes what it reads.
    pub fn test(&self, taken: &Enabled, at: usize) -> Option<Test> {
        let test = self.tested(taken, at);
        let conditions = test.conditions(self.automaton(test.executed.proctype));
        let mut depends_on_moves = false;
        for condition in &conditions {
            condition.walk(&mut |part| {
                depends_on_moves |= matches!(part, Expr::Timeout | Expr::NonProgress | Expr::Enabled(_));
            });
        }
        (!conditions.is_empty() && !depends_on_moves).then_some(test)
    }

    /// Whether a process would pass a test again.
    pub fn would_pass(&self, test: &Test) -> bool {
        let view = self.view(test.executed.pid as usize, false);
        let passes = |condition: &Expr| view.eval(condition).is_ok_and(|value| (value != 0) == test.held());
        test.conditions(self.automaton(test.executed.proctype)).into_iter().all(passes)
    }

    /// The conditions of a test, as written.
    pub fn texts_of(&self, test: &Test) -> Vec<String> {
        let view = self.view(test.executed.pid as usize, false);
        let conditions = test.conditions(self.automaton(test.executed.proctype));
        conditions.into_iter().map(|condition| view.printer().source(condition)).collect()
    }

    fn automaton(&self, proctype: ProctypeId) -> &Automaton {
        &self.engine.model.proctype(proctype).automaton
    }

    fn view_before(&self, taken: &Enabled, at: usize) -> View<'_> {
        View { work: &self.before, ..self.view(taken.statements[at].pid as usize, taken.is_timeout()) }
    }

    /// What a statement of the last move tests, if it tests anything.
    fn tested(&self, taken: &Enabled, at: usize) -> Test {
        let view = self.view_before(taken, at);
        let executed = taken.statements[at];
        let conditions = match &self.engine.statement(executed).action {
            Action::DStep(block) => {
                let holds = |guard: &Action| view.is_executable(guard).unwrap_or(false);
                block.guards.iter().position(holds).map_or(Conditions::Own, Conditions::Guard)
            }
            Action::Else => {
                let before = taken.what().choice(at).map_or(0, |choice| choice.transition);
                let location = self.before.location(&self.engine.layout, executed.pid as usize);
                Conditions::NoneOf { location, before }
            }
            _ => Conditions::Own,
        };
        Test { executed, conditions }
    }
}
