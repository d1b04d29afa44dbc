//! A run executed one move at a time, for replay, simulation and charts.
//!
//! The steps of the [`Interpreter`] go from one stored state to the next; here every statement of an atomic sequence is a
//! move of its own. Which process may move follows the same rules: a process inside an atomic sequence continues alone as
//! long as it can, and `timeout` holds when no process can move otherwise.

use homing_core::{State, TransitionSystem, Violation};
use homing_ir::{Action, Expr, StatementId, UnaryOp, VarId};

use crate::Interpreter;
use crate::data_flow::{Part, Source};
use crate::effect::Effect;
use crate::eval::{OBSERVER, View};
use crate::execute::{Breach, Executor};
use crate::fault::Fault;
use crate::interpreter::Executed;
use crate::moves::{Choice, ControlAfter, Move};
use crate::working_state::WorkingState;

/// A move that is enabled in the present state.
#[derive(Clone, Debug)]
pub struct Enabled {
    what: Move,
    timeout: bool,
    /// The statement, or the send and the receive of a rendezvous.
    pub statements: Vec<Executed>,
    /// It is a violation that it is enabled, because its process is deterministic and can execute another statement, too.
    is_choice: bool,
}

/// The result of a move.
#[derive(Clone, Debug)]
pub struct MoveResult {
    /// The statements executed, a failing one included.
    pub statements: Vec<Executed>,
    pub effects: Vec<Effect>,
    /// The violations, each with the number of statements up to it.
    pub violations: Vec<(usize, Violation)>,
    /// The run ends here: executing the statement is a run-time error.
    pub failed: bool,
}

/// A point of a run to return to.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    state: Box<State>,
    alone: Option<usize>,
}

/// A run that is being executed.
pub struct Player<'e, 'm> {
    pub(crate) engine: &'e Interpreter<'m>,
    pub(crate) work: WorkingState,
    /// The state before the last statement.
    pub(crate) before: WorkingState,
    /// The process inside an atomic sequence, if the last statement left one there.
    alone: Option<usize>,
}

impl<'e, 'm> Player<'e, 'm> {
    /// A run that is at the initial state.
    pub fn new(engine: &'e Interpreter<'m>) -> Self {
        let mut work = WorkingState::default();
        work.load(&engine.layout, &engine.initial());
        Player { engine, before: work.clone(), work, alone: None }
    }

    pub fn engine(&self) -> &'e Interpreter<'m> {
        self.engine
    }

    pub fn state(&self) -> &State {
        &self.work.bytes
    }

    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { state: self.work.bytes.as_slice().into(), alone: self.alone }
    }

    pub fn return_to(&mut self, checkpoint: &Checkpoint) {
        self.work.load(&self.engine.layout, &checkpoint.state);
        self.before.copy_from(&self.work);
        self.alone = checkpoint.alone;
    }

    /// Whether the run is at that point again. Hidden variables do not distinguish states.
    pub fn is_at(&self, checkpoint: &Checkpoint) -> bool {
        let hidden = self.engine.hidden_prefix();
        checkpoint.state[hidden..] == self.work.bytes[hidden..]
    }

    /// The globals that differ from that point; `None` if something else does. Hidden variables do not distinguish states.
    pub fn differing_globals(&self, checkpoint: &Checkpoint) -> Option<Vec<VarId>> {
        let (layout, model) = (&self.engine.layout, self.engine.model);
        let mut other = checkpoint.state.clone();
        let mut differing = Vec::new();
        for (at, (slot, var)) in
            layout.globals.iter().zip(&model.globals).enumerate().filter(|(_, (_, var))| !var.hidden)
        {
            let bytes = slot.offset as usize..slot.offset as usize + var.cells() * slot.cell.width();
            let here = self.work.bytes.get(bytes.clone())?;
            if other.get(bytes.clone())? != here {
                other[bytes].copy_from_slice(here);
                differing.push(VarId(at as u32));
            }
        }
        let hidden = self.engine.hidden_prefix();
        (other[hidden..] == self.work.bytes[hidden..]).then_some(differing)
    }

    /// How many processes there are.
    pub fn processes(&self) -> usize {
        self.work.processes.len()
    }

    pub fn process_name(&self, pid: usize) -> String {
        self.engine.process_name(&self.work, pid)
    }

    /// The location of a process: SPIN's number of its control state.
    pub fn location(&self, pid: usize) -> u32 {
        self.work.location(&self.engine.layout, pid)
    }

    /// The process inside an atomic sequence that continues alone; `None` if it cannot move.
    pub fn alone(&self) -> Option<usize> {
        self.alone.filter(|&pid| !self.moves_of(pid, false).is_empty())
    }

    /// Whether the last statement was inside an atomic sequence, so that its process continues if it can.
    pub fn is_inside(&self) -> bool {
        self.alone.is_some()
    }

    /// The enabled moves, in SPIN's order: the youngest process first.
    pub fn enabled(&self) -> Vec<Enabled> {
        if let Some(pid) = self.alone {
            let moves = self.moves_of(pid, false);
            if !moves.is_empty() {
                return self.offered(moves, false);
            }
        }
        if self.engine.model.features.network {
            return self.offered(self.engine.network_moves(&self.work), false);
        }
        let all = |timeout| -> Vec<Move> {
            (0..self.processes()).rev().flat_map(|pid| self.moves_of(pid, timeout)).collect()
        };
        let moves = all(false);
        if moves.is_empty() && self.engine.model.features.timeout {
            return self.offered(all(true), true);
        }
        self.offered(moves, false)
    }

    /// The enabled moves of a process; none while another process is inside an atomic sequence.
    pub fn enabled_of(&self, pid: usize) -> Vec<Enabled> {
        if self.alone().is_some_and(|alone| alone != pid) {
            return Vec::new();
        }
        let moves = self.moves_of(pid, false);
        let depends_on_others = self.engine.model.features.timeout || self.engine.model.features.network;
        if !moves.is_empty() && !self.engine.model.features.network || !depends_on_others {
            return self.offered(moves, false);
        }
        self.enabled().into_iter().filter(|enabled| usize::from(enabled.statements[0].pid) == pid).collect()
    }

    /// The violation of the present state, if it is an invalid end state.
    pub fn invalid_end(&self) -> Option<Violation> {
        if self.enabled().is_empty() { self.engine.invalid_end(&self.work) } else { None }
    }

    /// The violation of the present state, if it violates an invariant.
    pub fn broken_invariant(&self) -> Option<Violation> {
        self.engine.broken_invariant(&self.work)
    }

    /// The invariants of the model that do not hold, with their values. Of a query of a network its condition: that `E<> p` has a witness is because `p` holds, and `not p` is not in the text.
    pub fn broken_invariant_parts(&self) -> Vec<Part> {
        let view = self.view(OBSERVER, self.engine.is_asked_deadlock(&self.work));
        let broken = |expr: &&Expr| view.eval(expr).map_or(true, |value| value == 0);
        self.engine
            .model
            .invariants
            .iter()
            .map(|invariant| &invariant.expr)
            .filter(broken)
            .map(|expr| match expr {
                Expr::Unary(UnaryOp::Not, condition) if self.engine.model.features.network => view.part(condition),
                _ => view.part(expr),
            })
            .collect()
    }

    /// What the last move was executable because of: for each statement of it, what its guard reads. To be called before the
    /// next move.
    pub fn guard_sources(&self, taken: &Enabled) -> Vec<Vec<Source>> {
        let sources = |(at, executed): (usize, &Executed)| {
            let view = View { work: &self.before, ..self.view(executed.pid as usize, taken.timeout) };
            let mut found = Vec::new();
            match &self.engine.statement(*executed).action {
                Action::Condition(guard) => view.add_sources(guard, &mut found),
                Action::Edge(edge) => edge.guard.iter().for_each(|guard| view.add_sources(guard, &mut found)),
                Action::DStep(block) => {
                    let holds = |guard: &&Action| view.is_executable(guard).unwrap_or(false);
                    if let Some(Action::Condition(guard)) = block.guards.iter().find(holds) {
                        view.add_sources(guard, &mut found);
                    }
                }
                Action::Else => self.alternatives(taken, at, view).for_each(|action| {
                    if let Action::Condition(guard) = action {
                        view.add_sources(guard, &mut found);
                    }
                }),
                _ => {}
            }
            found
        };
        taken.statements.iter().enumerate().map(sources).collect()
    }

    /// The statements that come before the one taken at its location.
    fn alternatives<'v>(&self, taken: &Enabled, at: usize, view: View<'v>) -> impl Iterator<Item = &'v Action> {
        let before = taken.what.choice(at).map_or(0, |choice| choice.transition);
        view.transitions()[..before as usize].iter().map(move |other| &view.statement(other.statement).action)
    }

    /// Whether a claim may execute the statement now; false if that cannot be evaluated.
    pub fn claim_may(&self, action: &Action) -> bool {
        self.view(0, self.is_blocked()).is_executable(action).unwrap_or(false)
    }

    /// The text of the value of an expression over globals.
    pub fn value(&self, expr: &Expr) -> Result<String, String> {
        let view = self.view(0, false);
        view.eval(expr).map(|value| view.value_of(expr, value)).map_err(|fault| fault.to_string())
    }

    /// Whether an expression over globals holds; false if it cannot be evaluated.
    pub fn holds(&self, condition: &Expr) -> bool {
        self.view(0, self.is_blocked()).eval(condition).is_ok_and(|value| value != 0)
    }

    /// Whether no process can move, unless because of that: the value of `timeout`.
    fn is_blocked(&self) -> bool {
        (0..self.processes()).all(|pid| self.moves_of(pid, false).is_empty())
    }

    /// Executes a move.
    pub fn take(&mut self, enabled: &Enabled) -> MoveResult {
        let engine = self.engine;
        self.before.copy_from(&self.work);
        let mut effects = Vec::new();
        let mut breaches = Vec::new();
        let mut executor =
            Executor { log: Some(&mut effects), ..engine.executor(&mut self.work, &mut breaches, enabled.timeout) };
        let done = executor.perform(&enabled.what, &engine.coverage);
        let failed = executor.pid;
        let (first, last) = (enabled.statements[0], enabled.statements[enabled.statements.len() - 1]);
        let mut violations: Vec<(usize, Violation)> = Vec::new();
        if enabled.is_choice && enabled.fault().is_none() {
            violations.push((1, engine.fault(&Fault::Nondeterminism, first)));
        }
        for breach in breaches {
            let early = matches!(breach, Breach::Trace { early: true, .. });
            let (count, by) = if early { (1, first) } else { (enabled.statements.len(), last) };
            violations.push((count, engine.breach(breach, by)));
        }
        let done = done.and_then(|control| {
            let met = engine.meets_invariants(&self.work).map(|_| control);
            met.map_err(|fault| (last.statement, fault))
        });
        match &done {
            Ok(ControlAfter::Atomic(pid)) => self.alone = Some(*pid),
            Ok(ControlAfter::Released | ControlAfter::Absorbed(_)) => self.alone = None,
            Err((statement, fault)) => {
                if *fault == Fault::TooLong {
                    engine.cut_d_step(self.work.processes[failed].proctype, *statement);
                }
                let is_failing = |by: &&Executed| usize::from(by.pid) == failed;
                let by = *enabled.statements.iter().find(is_failing).unwrap_or(&last);
                if !matches!(effects.last(), Some(Effect::Failed(_))) {
                    let part = self.view(failed, enabled.timeout).faulty_part_of(&engine.statement(by).action);
                    effects.extend(part.map(Effect::Failed));
                }
                violations.push((enabled.statements.len(), engine.fault(fault, by)));
            }
        }
        MoveResult { statements: enabled.statements.clone(), effects, violations, failed: done.is_err() }
    }

    pub(crate) fn view(&self, pid: usize, timeout: bool) -> View<'_> {
        let engine = self.engine;
        View { model: engine.model, layout: &engine.layout, work: &self.work, pid, timeout, offer: None, asked: 0 }
    }

    fn moves_of(&self, pid: usize, timeout: bool) -> Vec<Move> {
        let mut moves = Vec::new();
        if pid < self.processes() {
            self.view(pid, timeout).collect_moves(&self.engine.coverage, &mut moves);
        }
        moves
    }

    /// Moves with their statements. Unlike in a search, the choice of a deterministic process is no move of its own if the statement can
    /// be executed: the run goes on, as in pan.
    fn offered(&self, moves: Vec<Move>, timeout: bool) -> Vec<Enabled> {
        let mut offered: Vec<Enabled> = Vec::new();
        for what in moves {
            let statements = match &what {
                Move::Step(choice) => vec![self.choice(*choice)],
                Move::Handshake(sender, receiver) => vec![self.choice(*sender), self.choice(*receiver)],
                Move::Signal(sender, receivers) => {
                    std::iter::once(sender).chain(receivers).map(|choice| self.choice(*choice)).collect()
                }
                Move::Fault(pid, statement, _) => vec![self.executed(*pid, *statement)],
            };
            let before = offered.last().filter(|before| before.statements[0] == statements[0]);
            let is_choice = before.is_some_and(|before| before.is_choice);
            if before.is_some_and(|before| matches!(before.what, Move::Fault(_, _, Fault::Nondeterminism))) {
                offered.pop();
            }
            let is_choice = is_choice || matches!(what, Move::Fault(_, _, Fault::Nondeterminism));
            offered.push(Enabled { what, timeout, statements, is_choice });
        }
        offered
    }

    fn choice(&self, choice: Choice) -> Executed {
        let transitions = self.view(choice.pid as usize, false).transitions();
        self.executed(choice.pid, transitions[choice.transition as usize].statement)
    }

    fn executed(&self, pid: u8, statement: StatementId) -> Executed {
        Executed { pid, proctype: self.work.processes[pid as usize].proctype, statement }
    }
}

impl Enabled {
    /// The process that moves; of a rendezvous, the sender.
    pub fn pid(&self) -> u8 {
        self.statements[0].pid
    }

    /// The run-time error that executing the move is, if evaluating whether it is enabled was one.
    pub fn fault(&self) -> Option<String> {
        match &self.what {
            Move::Fault(_, _, fault) => Some(fault.to_string()),
            _ => None,
        }
    }

    pub(crate) fn what(&self) -> &Move {
        &self.what
    }

    pub(crate) fn is_timeout(&self) -> bool {
        self.timeout
    }
}
