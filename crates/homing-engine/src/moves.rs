//! The moves of a state, in SPIN's order, and their execution.
//!
//! A move is one statement of one process, or the two statements of a rendezvous.

use homing_ir::{Action, Side, Statement, StatementId, Transition};

use crate::coverage::{Coverage, Trial};
use crate::effect::Effect;
use crate::eval::{Offer, View};
use crate::execute::{Breach, Executor};
use crate::fault::Fault;
use crate::stubborn::EnabledMove;

/// A transition of a process, by its index in the location of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub pid: u8,
    pub transition: u32,
}

/// What can be executed in a state.
#[derive(Clone, Debug)]
pub enum Move {
    Step(Choice),
    /// A rendezvous: sender and receiver.
    Handshake(Choice, Choice),
    /// Edges of a network that are taken together: the sender's, and those of the receivers in the order of their pids.
    Signal(Choice, Vec<Choice>),
    /// Evaluating whether the statement is executable is a run-time error.
    Fault(u8, StatementId, Fault),
}

impl Move {
    /// The choice of its statement with this number; none if the move is a run-time error.
    pub fn choice(&self, at: usize) -> Option<Choice> {
        match (self, at) {
            (Move::Step(choice), _) | (Move::Handshake(choice, _), 0) | (Move::Handshake(_, choice), _) => {
                Some(*choice)
            }
            (Move::Signal(sender, receivers), at) => Some(at.checked_sub(1).map_or(*sender, |at| receivers[at])),
            (Move::Fault(..), _) => None,
        }
    }

    /// The move as one that a [stubborn set](crate::stubborn) may have; none if it is a run-time error or of a network.
    pub fn as_enabled(&self) -> Option<EnabledMove> {
        let (sender, receiver) = match self {
            Move::Step(choice) => (choice, None),
            Move::Handshake(sender, receiver) => (sender, Some((receiver.pid, receiver.transition))),
            Move::Signal(..) | Move::Fault(..) => return None,
        };
        Some(EnabledMove { pid: sender.pid, transition: sender.transition, receiver })
    }

    /// The processes that move: one, or the sender and then those that receive.
    pub fn pids(&self) -> impl Iterator<Item = u8> + '_ {
        let (first, second, others): (u8, Option<u8>, &[Choice]) = match self {
            Move::Step(choice) => (choice.pid, None, &[]),
            Move::Handshake(sender, receiver) => (sender.pid, Some(receiver.pid), &[]),
            Move::Signal(sender, receivers) => (sender.pid, None, receivers),
            Move::Fault(pid, ..) => (*pid, None, &[]),
        };
        std::iter::once(first).chain(second).chain(others.iter().map(|receiver| receiver.pid))
    }
}

impl<'a> View<'a> {
    /// The transitions of the process at its location.
    pub fn transitions(self) -> &'a [Transition] {
        let automaton = &self.model.proctype(self.proctype()).automaton;
        &automaton.location(self.work.location(self.layout, self.pid)).transitions
    }

    pub fn statement(self, id: StatementId) -> &'a Statement {
        self.model.proctype(self.proctype()).automaton.statement(id)
    }

    /// Adds the moves of the process: its transitions in order, `else` only if nothing before it was executable, and
    /// after an escape that was executable only transitions of the same escape.
    pub fn collect_moves(self, coverage: &Coverage, moves: &mut Vec<Move>) {
        match self.may_run() {
            Ok(true) => {}
            Ok(false) => return,
            Err(fault) => {
                if let Some(first) = self.transitions().first() {
                    moves.push(Move::Fault(self.pid as u8, first.statement, fault));
                }
                return;
            }
        }
        let proctype = self.proctype();
        let mut moved = false;
        let mut escape = 0;
        for (at, transition) in self.transitions().iter().enumerate() {
            if escape > 0 && escape != transition.escape {
                break;
            }
            let statement = self.statement(transition.statement);
            let choice = Choice { pid: self.pid as u8, transition: at as u32 };
            coverage.record_tried(proctype, transition.statement, &statement.action, Trial::Alone);
            if let Some(signal) = statement.action.signal() {
                if let Err(fault) = self.collect_signals(choice, &statement.action, signal, moves) {
                    moves.push(Move::Fault(self.pid as u8, transition.statement, fault));
                }
                continue; // networks have neither `else` nor escapes
            }
            let executable = match &statement.action {
                action if action.is_else() => Ok(!moved),
                action => match self.rendezvous(action) {
                    Ok(None) => self.is_executable(action),
                    Ok(Some(channel)) => {
                        if moved && self.model.proctype(proctype).deterministic {
                            // SPIN does not ask first whether there is a receiver
                            moves.push(Move::Fault(self.pid as u8, transition.statement, Fault::Nondeterminism));
                        }
                        match self.collect_handshakes(choice, action, channel, coverage, moves) {
                            // SPIN forgets the escape it was in when there is no receiver.
                            Ok(false) => {
                                escape = 0;
                                Ok(false)
                            }
                            Ok(true) => {
                                moved = true;
                                escape = transition.escape;
                                continue;
                            }
                            Err(fault) => Err(fault),
                        }
                    }
                    Err(fault) => Err(fault),
                },
            };
            match executable {
                Ok(true) => {
                    if moved && self.model.proctype(proctype).deterministic {
                        moves.push(Move::Fault(self.pid as u8, transition.statement, Fault::Nondeterminism));
                    }
                    moves.push(Move::Step(choice));
                    moved = true;
                    escape = transition.escape;
                }
                Ok(false) => {}
                Err(fault) => moves.push(Move::Fault(self.pid as u8, transition.statement, fault)),
            }
        }
    }

    /// Adds a move for each receive that matches the message of a rendezvous, the youngest process first. Returns whether
    /// there was one.
    pub fn collect_handshakes(
        self,
        sender: Choice,
        send: &Action,
        channel: i32,
        coverage: &Coverage,
        moves: &mut Vec<Move>,
    ) -> Result<bool, Fault> {
        let offer = self.offer_of(send, channel)?;
        let before = moves.len();
        for receiver in (0..self.work.processes.len()).rev() {
            if receiver == self.pid {
                continue;
            }
            let view = View { pid: receiver, offer: Some(&offer), ..self };
            if !view.may_run()? {
                continue;
            }
            let mut escape = 0;
            for (at, transition) in view.transitions().iter().enumerate() {
                if escape > 0 && escape != transition.escape {
                    break;
                }
                let statement = view.statement(transition.statement);
                coverage.record_tried(view.proctype(), transition.statement, &statement.action, Trial::WithOffer);
                if view.is_executable(&statement.action)? {
                    let receiver = Choice { pid: receiver as u8, transition: at as u32 };
                    moves.push(Move::Handshake(sender, receiver));
                    escape = transition.escape;
                }
            }
        }
        Ok(moves.len() > before)
    }

    /// The message that a rendezvous send offers, cut to the width of the fields.
    pub fn offer_of(self, send: &Action, channel: i32) -> Result<Offer, Fault> {
        let mut offer = Offer::default();
        self.put_offer(send, channel, &mut offer)?;
        Ok(offer)
    }

    /// Writes the message that a rendezvous send offers into `offer`, whose buffer is used again.
    pub fn put_offer(self, send: &Action, channel: i32, offer: &mut Offer) -> Result<(), Fault> {
        let Some(Side::Send(args)) = send.synchronisation().map(|one| one.side) else {
            unreachable!("a rendezvous begins with a send")
        };
        let fields = &self.channel(channel)?.1.fields;
        if args.len() != fields.len() {
            return Err(Fault::WrongFieldCount { given: args.len(), fields: fields.len() });
        }
        offer.channel = channel;
        offer.message.clear();
        for (arg, field) in args.iter().zip(fields) {
            offer.message.push(field.cell.truncate(self.eval(arg)?));
        }
        Ok(())
    }
}

/// Which process has control after a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlAfter {
    /// Any process may move.
    Released,
    /// This process continues alone: the move ended inside an atomic sequence.
    Atomic(usize),
    /// This process continues at once: its next statement was absorbed.
    Absorbed(usize),
}

impl Executor<'_> {
    /// Executes a move and sets the locations of its processes. On an error, the statement that failed.
    pub fn perform(&mut self, choice: &Move, coverage: &Coverage) -> Result<ControlAfter, (StatementId, Fault)> {
        match choice {
            Move::Step(choice) => self.step(*choice, coverage),
            Move::Handshake(sender, receiver) => self.handshake(*sender, *receiver, coverage),
            Move::Signal(sender, receivers) => {
                self.note_signals(*sender, receivers);
                self.note(|_| Effect::Taken(0));
                let control = self.step(*sender, coverage)?;
                for (number, receiver) in (1..).zip(receivers) {
                    self.note(|_| Effect::Taken(number));
                    self.step(*receiver, coverage)?;
                }
                Ok(control)
            }
            Move::Fault(pid, statement, fault) => {
                self.pid = *pid as usize;
                Err((*statement, fault.clone()))
            }
        }
    }

    /// Records with which processes a signal is taken, if effects are wanted.
    fn note_signals(&mut self, sender: Choice, receivers: &[Choice]) {
        if self.log.is_none() {
            return;
        }
        self.pid = sender.pid as usize;
        let view = self.view();
        let statement = view.transitions()[sender.transition as usize].statement;
        let signal = view.statement(statement).action.signal();
        let channel = signal.and_then(|signal| view.eval(&signal.channel).ok()).unwrap_or_default();
        receivers.iter().for_each(|receiver| self.note(|_| Effect::Signalled { channel, to: receiver.pid }));
    }

    fn step(&mut self, choice: Choice, coverage: &Coverage) -> Result<ControlAfter, (StatementId, Fault)> {
        self.pid = choice.pid as usize;
        let model = self.model;
        let view = self.view();
        let transition = view.transitions()[choice.transition as usize];
        let proctype = view.proctype();
        let location = self.work.location(self.layout, self.pid);
        let statement = model.proctype(proctype).automaton.statement(transition.statement);
        coverage.record_executed(proctype, location, &transition, &statement.action);
        let ends = matches!(statement.action, Action::End);
        let pid = self.pid;
        self.execute(&statement.action).map_err(|fault| (transition.statement, fault))?;
        self.pid = pid;
        if !ends && transition.target > 0 {
            self.work.set_location(self.layout, pid, transition.target);
            self.reset(model.proctype(proctype).automaton.resets(&transition));
        }
        self.work.set_last(self.layout, pid);
        Ok(match transition {
            Transition { atomic: true, .. } => ControlAfter::Atomic(pid),
            Transition { merged: true, .. } => ControlAfter::Absorbed(pid),
            _ => ControlAfter::Released,
        })
    }

    fn handshake(
        &mut self,
        sender: Choice,
        receiver: Choice,
        coverage: &Coverage,
    ) -> Result<ControlAfter, (StatementId, Fault)> {
        self.pid = sender.pid as usize;
        let model = self.model;
        let view = self.view();
        let transition = view.transitions()[sender.transition as usize];
        let proctype = view.proctype();
        let statement = model.proctype(proctype).automaton.statement(transition.statement);
        let fail = |fault| (transition.statement, fault);
        let channel = view.rendezvous(&statement.action).map_err(fail)?.expect("a rendezvous was chosen");
        let offer = view.offer_of(&statement.action, channel).map_err(fail)?;
        let location = self.work.location(self.layout, self.pid);
        coverage.record_executed(proctype, location, &transition, &statement.action);
        self.follow_send(channel, &offer.message).map_err(fail)?;
        self.breaches.iter_mut().for_each(Breach::mark_early);
        self.note(|executor| Effect::Handed {
            channel,
            to: receiver.pid,
            message: offer.message.clone(),
            from: match &statement.action {
                Action::Send { args, .. } => executor.sources_of(args),
                _ => Vec::new(),
            },
        });
        self.work.set_location(self.layout, self.pid, transition.target);
        self.reset(model.proctype(proctype).automaton.resets(&transition));

        let mut other = Executor {
            model,
            layout: self.layout,
            work: self.work,
            pid: receiver.pid as usize,
            timeout: false,
            offer: Some(&offer),
            breaches: self.breaches,
            log: self.log.as_deref_mut(),
            stop: self.stop,
        };
        let done = other.step(receiver, coverage);
        self.pid = receiver.pid as usize;
        done
    }
}
