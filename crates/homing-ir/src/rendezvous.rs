//! Which sends and receives can be halves of a rendezvous, and who can tell that nobody waits for one.

use crate::{Action, Automaton, Expr, InitValue, Location, Model, Scope, ShapeId, Transition, VarId};

/// The rendezvous channels of a model.
#[derive(Clone, Debug)]
pub struct Rendezvous {
    exists: bool,
    /// By global: a variable that always holds the same buffered channels.
    buffered: Vec<bool>,
}

impl Rendezvous {
    pub fn in_model(model: &Model) -> Self {
        let capacity = |shape: ShapeId| model.shape(shape).capacity;
        let mut buffered = vec![false; model.globals.len()];
        for init in &model.inits {
            let channels = matches!(init.value, InitValue::Channel(shape) if capacity(shape) > 0);
            let is_whole = init.cells.len() == model.globals[init.var.index()].cells();
            buffered[init.var.index()] = channels && is_whole;
        }
        for statement in model.proctypes.iter().flat_map(|proctype| &proctype.automaton.statements) {
            statement.action.for_each_target(&mut |target| {
                if target.scope == Scope::Global {
                    buffered[target.var.index()] = false;
                }
            });
        }
        Rendezvous { exists: model.shapes.iter().any(|shape| shape.capacity == 0), buffered }
    }

    /// Whether the expression can mean a rendezvous channel.
    fn may_be(&self, channel: &Expr) -> bool {
        let is_buffered = |var: VarId| self.buffered[var.index()];
        self.exists && !matches!(channel, Expr::Var(var) if var.scope == Scope::Global && is_buffered(var.var))
    }

    pub fn may_send(&self, action: &Action) -> bool {
        matches!(action, Action::Send { channel, .. } if self.may_be(channel))
    }

    fn may_receive(&self, action: &Action) -> bool {
        match action {
            Action::Receive { channel, .. } => self.may_be(channel),
            Action::DStep(block) => block.guards.iter().any(|guard| self.may_receive(guard)),
            _ => false,
        }
    }

    /// Whether a process that stands there can be the receiver.
    pub fn may_wait(&self, automaton: &Automaton, location: &Location) -> bool {
        location.transitions.iter().any(|transition| self.may_receive(action(automaton, transition)))
    }

    /// Whether some process can do something because nobody waits for its message: an `else` beside the send, or anything
    /// behind the send of an escape.
    pub fn is_missed(&self, model: &Model) -> bool {
        let is_else = |action: &Action| match action {
            Action::Else => true,
            Action::DStep(block) => block.guards.iter().any(|guard| matches!(guard, Action::Else)),
            _ => false,
        };
        let misses = |automaton: &Automaton, location: &Location| {
            let all = &location.transitions;
            let of_escape = |send: &Transition| send.escape > 0 && all.iter().any(|other| other.escape != send.escape);
            let has_else = all.iter().any(|transition| is_else(action(automaton, transition)));
            all.iter().any(|send| self.may_send(action(automaton, send)) && (has_else || of_escape(send)))
        };
        model.proctypes.iter().any(|proctype| {
            let automaton = &proctype.automaton;
            automaton.locations.iter().any(|location| misses(automaton, location))
        })
    }
}

fn action<'a>(automaton: &'a Automaton, transition: &Transition) -> &'a Action {
    &automaton.statement(transition.statement).action
}
