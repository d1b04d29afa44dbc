//! Messages on the way ([LCL-87], as described in [ELL-04] §9): processes that wait for messages are blocked for ever
//! when no message is left and none will be sent.
//!
//! Counts the messages in channels, each of which has to be received, and for each process the sends that it has to
//! execute before it can wait for a message, or end. A guess: a message that is received may cause others to be sent,
//! and a deadlock may leave messages unreceived. Of rendezvous channels only the sends count.

use homing_core::{Cost, Estimate, Estimated, Guarantee, State};
use homing_engine::Reader;
use homing_ir::{Action, Automaton, Model};

use crate::distance::{Distances, to_locations_by};

pub struct Messages<'m> {
    reader: Reader<'m>,
    /// By process type and location: the least number of sends before a location where a process waits for a message.
    sends: Vec<Distances>,
}

impl<'m> Messages<'m> {
    pub fn new(model: &'m Model) -> Self {
        let sends = |automaton: &Automaton| {
            let waits = |at: &u32| *at == automaton.end || waits(automaton, *at);
            let targets: Vec<u32> = (0..automaton.locations.len() as u32).filter(waits).collect();
            to_locations_by(automaton, targets, |action| Cost::from(matches!(action, Action::Send { .. })))
        };
        let sends = model.proctypes.iter().map(|proctype| sends(&proctype.automaton)).collect();
        Messages { reader: Reader::new(model), sends }
    }
}

/// Whether a process at the location can only receive.
fn waits(automaton: &Automaton, at: u32) -> bool {
    let transitions = &automaton.location(at).transitions;
    let receives = |action: &Action| matches!(action, Action::Receive { .. });
    !transitions.is_empty()
        && transitions.iter().all(|transition| receives(&automaton.statement(transition.statement).action))
}

impl Estimate for Messages<'_> {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        self.reader.load(state);
        let ahead = |pid: usize| {
            let sends = &self.sends[self.reader.proctype(pid).index()];
            sends[self.reader.location(pid) as usize].unwrap_or(1)
        };
        let sends = (0..self.reader.processes()).map(ahead).sum::<Cost>();
        Some(Estimated::from(self.reader.messages() + sends))
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Guess
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at_start, model};

    #[test]
    fn counts_what_is_to_be_sent() {
        let text = "chan q = [2] of {byte}; byte x; active proctype P() { x = 1; q!1; q!2; q?x }
                    active proctype Q() { do :: q!3 od }";
        let model = model(text);
        assert_eq!(at_start(&model, Messages::new(&model)), Some(3));
    }
}
