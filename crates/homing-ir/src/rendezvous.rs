//! Which sends and receives can be halves of a rendezvous, and where a process can notice that no receiver waits.
//!
//! A receive over a rendezvous channel does nothing by itself, but that a process stands in front of one can be seen: a send
//! over the channel is executable. A process that reaches a receive early (see [`crate::absorb`]) adds behaviour that the
//! model has anyway, only later. It *loses* behaviour where something happens because no receiver waits yet. That is
//! - an `else` beside the send,
//! - what gives way to the send of an escape (`unless`),
//! - a send that a process reaches inside an atomic sequence: without a receiver it loses control there, and others run in
//!   between.
//!
//! `timeout` and invalid end states are not among them: an absorbed statement is executed before either is looked at.
//! A rendezvous send inside a `d_step` is a run-time error whether a receiver waits or not.

use homing_core::Condition;

use crate::{
    AccessSets, Action, Automaton, Expr, InitValue, Location, Model, Scope, Side, Synchronisation, Transition, VarId,
    listened_channels,
};

/// The rendezvous channels of a model.
#[derive(Clone, Debug)]
pub struct Rendezvous {
    exists: bool,
    /// By global: what channels the variable holds, if it is a channel or an array of channels that never changes.
    fixed: Vec<Option<Fixed>>,
}

/// What a variable holds whose channels never change. Two such variables never hold the same channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fixed {
    Buffered,
    /// All of them, or some.
    Rendezvous,
}

/// The rendezvous channels over which a process can notice that no receiver waits.
#[derive(Clone, Debug)]
pub enum Missed {
    /// Those that these global variables hold, by variable.
    Fixed(Vec<bool>),
    /// Perhaps all.
    Any,
}

impl Rendezvous {
    /// The rendezvous channels of a model.
    pub fn in_model(model: &Model, accesses: &AccessSets) -> Self {
        let mut fixed = vec![None; model.globals.len()];
        let mut created = vec![0; model.globals.len()];
        for init in &model.inits {
            let (var, InitValue::Channel(shape)) = (init.var.index(), &init.value) else { continue };
            created[var] += init.cells.len();
            let is_buffered = model.shape(*shape).capacity > 0 && fixed[var] != Some(Fixed::Rendezvous);
            fixed[var] = Some(if is_buffered { Fixed::Buffered } else { Fixed::Rendezvous });
        }
        for (var, global) in model.globals.iter().enumerate() {
            if created[var] != global.cells() {
                fixed[var] = None;
            }
        }
        for (fixed, is_written) in fixed.iter_mut().zip(accesses.written_globals()) {
            if is_written {
                *fixed = None;
            }
        }
        Rendezvous { exists: model.shapes.iter().any(|shape| shape.capacity == 0), fixed }
    }

    /// Whether the model has rendezvous channels.
    pub fn exists(&self) -> bool {
        self.exists
    }

    /// The variable that the expression reads its channel from, if the channels it holds never change.
    fn fixed(&self, channel: &Expr) -> Option<(VarId, Fixed)> {
        let Expr::Var(var) = channel else { return None };
        let fixed = if var.scope == Scope::Global { self.fixed[var.var.index()] } else { None };
        fixed.map(|fixed| (var.var, fixed))
    }

    /// Whether the expression can mean a rendezvous channel.
    fn may_be(&self, channel: &Expr) -> bool {
        self.exists && !matches!(self.fixed(channel), Some((_, Fixed::Buffered)))
    }

    /// Whether the action can be the sender's side of a rendezvous.
    pub fn may_send(&self, action: &Action) -> bool {
        self.sent_channel(action).is_some()
    }

    /// The channel of an action that can be the sender's side of a rendezvous.
    fn sent_channel<'a>(&self, action: &'a Action) -> Option<&'a Expr> {
        match action.synchronisation()? {
            Synchronisation { channel, side: Side::Send(_) } if self.may_be(channel) => Some(channel),
            _ => None,
        }
    }

    /// Whether a process that stands there can be the receiver of a message whose absence can be noticed.
    pub fn may_wait(&self, automaton: &Automaton, location: &Location, missed: &Missed) -> bool {
        listened_channels(automaton, location).any(|channel| {
            self.may_be(channel)
                && match (missed, self.fixed(channel)) {
                    (Missed::Any, _) => true,
                    (Missed::Fixed(vars), Some((var, _))) => vars[var.index()],
                    (Missed::Fixed(vars), None) => vars.contains(&true),
                }
        })
    }

    /// The channels over which a process can notice that no receiver waits.
    pub fn missed(&self, model: &Model) -> Missed {
        let mut missed = Missed::Fixed(vec![false; model.globals.len()]);
        if !self.exists {
            return missed;
        }
        for proctype in &model.proctypes {
            let automaton = &proctype.automaton;
            let is_inside = inside_atomic(automaton);
            for (at, location) in automaton.locations.iter().enumerate() {
                for send in &location.transitions {
                    if let Some(channel) = self.sent_channel(action(automaton, send))
                        && is_noticed(automaton, location, send, is_inside[at])
                    {
                        missed = missed.with(self.fixed(channel).map(|(var, _)| var));
                    }
                }
            }
        }
        missed
    }
}

impl Missed {
    fn with(self, var: Option<VarId>) -> Self {
        match (self, var) {
            (Missed::Fixed(mut vars), Some(var)) => {
                vars[var.index()] = true;
                Missed::Fixed(vars)
            }
            _ => Missed::Any,
        }
    }
}

/// Whether a process at the location can do something else because no receiver waits for the message of `send`.
fn is_noticed(automaton: &Automaton, location: &Location, send: &Transition, is_inside: bool) -> bool {
    let all = &location.transitions;
    let beside_else = all.iter().any(|transition| action(automaton, transition).is_else());
    let in_escape = send.escape > 0 && all.iter().any(|other| other.escape != send.escape);
    !Condition::AbsorbMissedByElse.is_met(!beside_else)
        || !Condition::AbsorbMissedByEscape.is_met(!in_escape)
        || !Condition::AbsorbMissedByAtomic.is_met(!is_inside)
}

/// By location: whether a process can reach it without giving up control.
fn inside_atomic(automaton: &Automaton) -> Vec<bool> {
    let mut is_inside = vec![false; automaton.locations.len()];
    for transition in automaton.locations.iter().flat_map(|location| &location.transitions) {
        is_inside[transition.target as usize] |= transition.atomic;
    }
    is_inside
}

fn action<'a>(automaton: &'a Automaton, transition: &Transition) -> &'a Action {
    &automaton.statement(transition.statement).action
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assign, receive, send, straight, value, var};

    /// Whether a process that stands at each location can be missed as a receiver.
    fn may_wait(model: &Model) -> Vec<bool> {
        let rendezvous = Rendezvous::in_model(model, &AccessSets::of(model));
        let missed = rendezvous.missed(model);
        let automaton = &model.proctypes[0].automaton;
        automaton.locations[1..].iter().map(|location| rendezvous.may_wait(automaton, location, &missed)).collect()
    }

    fn talking() -> Model {
        straight(vec![
            receive("r", Vec::new()),
            receive("c", Vec::new()),
            receive("k", Vec::new()),
            send("r", value("x")),
            Action::Else,
        ])
    }

    #[test]
    fn a_receiver_is_missed_where_the_sender_has_an_alternative() {
        assert_eq!(may_wait(&talking()), [false; 5], "no send has one");
        let mut beside_else = talking();
        let other = beside_else.proctypes[0].automaton.locations[5].transitions[0];
        beside_else.proctypes[0].automaton.locations[4].transitions.push(other);
        // `c` is buffered; `k` may hold any channel
        assert_eq!(may_wait(&beside_else), [true, false, true, false, false]);
        let mut inside = talking();
        inside.proctypes[0].automaton.locations[3].transitions[0].atomic = true;
        assert_eq!(may_wait(&inside), [true, false, true, false, false]);
        let mut written = inside.clone();
        written.proctypes[0].automaton.statements[4].action = assign(var("c"), value("r"));
        assert_eq!(may_wait(&written), [true, true, true, false, false], "`c` may be the rendezvous channel");
    }

    #[test]
    fn what_may_be_a_send() {
        let model = talking();
        let rendezvous = Rendezvous::in_model(&model, &AccessSets::of(&model));
        for (channel, may_send) in [("r", true), ("c", false), ("k", true)] {
            assert_eq!(rendezvous.may_send(&send(channel, value("x"))), may_send, "{channel}");
            assert!(!rendezvous.may_send(&receive(channel, Vec::new())));
        }
    }
}
