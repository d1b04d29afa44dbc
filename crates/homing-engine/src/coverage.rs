//! Coverage: which control states were reached, as SPIN counts them.

use std::cell::Cell;

use homing_ir::print::Printer;
use homing_ir::{Action, Model, Place, Proctype, ProctypeId, StatementId, Transition};

/// A control state that no run reached, as SPIN lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    pub proctype: ProctypeId,
    pub place: Place,
    pub state: u32,
    pub text: String,
    /// As the user wrote it; none for the end of a process.
    pub written: Option<String>,
}

/// How a statement was tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Trial {
    /// By itself.
    Alone,
    /// While the message of a rendezvous is on offer.
    WithOffer,
}

/// The control states reached so far, by process type.
#[derive(Debug)]
pub struct Coverage {
    reached: Vec<Vec<Cell<bool>>>,
    /// By process type and statement: the number of its control state; 0, which is none, for other languages than Promela.
    states: Vec<Vec<u32>>,
    /// By process type: the start location.
    starts: Vec<u32>,
}

impl Coverage {
    pub fn new(model: &Model) -> Self {
        let locations = |proctype: &Proctype| vec![Cell::new(false); proctype.automaton.locations.len()];
        let states = |proctype: &Proctype| {
            let ids = (0..proctype.automaton.statements.len() as u32).map(StatementId);
            let spin = &proctype.automaton.spin;
            ids.map(|id| spin.statement(id).map_or(0, |statement| statement.state)).collect()
        };
        Coverage {
            reached: model.proctypes.iter().map(locations).collect(),
            states: model.proctypes.iter().map(states).collect(),
            starts: model.proctypes.iter().map(|proctype| proctype.automaton.start).collect(),
        }
    }

    /// Records that a process of the type was at the state.
    pub fn record_location(&self, proctype: ProctypeId, state: u32) {
        self.reached[proctype.index()][state as usize].set(true);
    }

    /// Records that it was evaluated whether a statement is executable: SPIN counts its state as reached even if it is not.
    /// While a message is on offer only receives are tried.
    pub fn record_tried(&self, proctype: ProctypeId, statement: StatementId, action: &Action, trial: Trial) {
        let counts = match action {
            Action::Skip(_) | Action::Else | Action::DStep(_) => false,
            Action::Receive { .. } => true,
            _ => trial == Trial::Alone,
        };
        if counts {
            self.record_location(proctype, self.states[proctype.index()][statement.index()]);
        }
    }

    /// Records that a statement was executed; a process that it creates is at its start.
    pub fn record_executed(&self, proctype: ProctypeId, from: u32, transition: &Transition, action: &Action) {
        if let Action::Run { proctype: new, .. } = action {
            self.record_location(*new, self.starts[new.index()]);
        }
        self.record_location(proctype, from);
        self.record_location(proctype, transition.target);
        self.record_location(proctype, self.states[proctype.index()][transition.statement.index()]);
    }

    /// Adds the coverage of another engine of the same model.
    pub fn absorb(&self, other: &Coverage) {
        for (reached, more) in self.reached.iter().flatten().zip(other.reached.iter().flatten()) {
            reached.set(reached.get() || more.get());
        }
    }

    /// The statements that were not reached, by process type and control state.
    pub fn unreached(&self, model: &Model) -> Vec<Unreached> {
        let mut list = Vec::new();
        for (at, proctype) in model.proctypes.iter().enumerate() {
            let id = ProctypeId(at as u32);
            let printer = Printer { model, proctype: Some(id) };
            let reached = |state: u32| self.reached[at][state as usize].get();
            for state in &proctype.automaton.spin.states {
                if state.exempt || reached(state.state) || (state.maps_to > 0 && reached(state.maps_to)) {
                    continue;
                }
                for transition in &proctype.automaton.location(state.state).transitions {
                    let action = &proctype.automaton.statement(transition.statement).action;
                    let text = printer.action(action);
                    if text == ".(goto)" || text.starts_with("goto :") {
                        break; // SPIN does not list states that begin with a jump
                    }
                    let written = !matches!(action, Action::End);
                    let written = written.then(|| printer.statement(transition.statement));
                    list.push(Unreached { proctype: id, place: state.place, state: state.state, text, written });
                }
            }
        }
        list
    }
}
