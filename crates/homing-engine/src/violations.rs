//! The violations that the interpreter reports: of states, and of statements.

use homing_core::{Cost, PartialLetter, SourcePlace, State, Violation, ViolationKind};
use homing_ir::print::Printer;
use homing_ir::{Invariant, Place, ProctypeId};

use crate::Interpreter;
use crate::eval::{CLAIM, OBSERVER, View};
use crate::execute::Breach;
use crate::fault::Fault;
use crate::interpreter::Executed;
use crate::working_state::WorkingState;

impl Interpreter<'_> {
    /// The cost of an invalid end state: absorbed statements of all processes have to be executed before no process can move.
    pub(crate) fn pending(&self, work: &WorkingState) -> Cost {
        (0..work.processes.len()).map(|pid| self.location(work, pid).pending).sum()
    }

    /// The violation of a state in which no process can move; `None` if it is a valid end state.
    pub(crate) fn invalid_end(&self, work: &WorkingState) -> Option<Violation> {
        let stuck = (0..work.processes.len()).find(|&pid| !self.location(work, pid).labels.end);
        if let Some(pid) = stuck {
            let place = self.location(work, pid).place;
            return Some(Violation {
                kind: ViolationKind::InvalidEndState,
                message: if self.model.features.network {
                    "deadlock: no step is possible".to_owned()
                } else {
                    "invalid end state: no process can move".to_owned()
                },
                place: Some(self.source_place(place)),
                process: Some(self.process_name(work, pid)),
            });
        }
        let monitor = self.model.monitor.as_ref()?;
        let completed = work.processes.is_empty() || monitor.automaton.location(work.monitor(&self.layout)).labels.end;
        (!completed).then(|| Violation {
            kind: ViolationKind::InvalidEndState,
            message: "invalid end state: the trace is not completed".to_owned(),
            place: None,
            process: None,
        })
    }

    /// The violation of a state in which an invariant does not hold or cannot be evaluated.
    pub(crate) fn broken_invariant(&self, work: &WorkingState) -> Option<Violation> {
        let view = self.observing(work);
        self.model.invariants.iter().find_map(|invariant| self.breach_of(view, invariant))
    }

    /// The violations of these invariants in a state, which need not be those of the model. Of a network the propositions of the model
    /// say whether a deadlock is asked for.
    pub fn breaches_of(&self, state: &State, invariants: &[Invariant]) -> Vec<Option<Violation>> {
        let mut work = WorkingState::default();
        work.load(&self.layout, state);
        let view = self.observing(&work);
        invariants.iter().map(|invariant| self.breach_of(view, invariant)).collect()
    }

    /// A state as invariants see it.
    fn observing<'w>(&'w self, work: &'w WorkingState) -> View<'w> {
        let timeout = self.is_asked_deadlock(work);
        View { model: self.model, layout: &self.layout, work, pid: OBSERVER, timeout, offer: None, asked: 0 }
    }

    /// The violation of an invariant that does not hold or cannot be evaluated.
    fn breach_of(&self, view: View<'_>, invariant: &Invariant) -> Option<Violation> {
        let (kind, message) = match view.eval(&invariant.expr) {
            Ok(0) if self.model.features.network => (ViolationKind::Invariant, format!("decides {}", invariant.text)),
            Ok(0) => (ViolationKind::Invariant, format!("invariant violated: {}", invariant.text)),
            Ok(_) => return None,
            Err(fault) => (
                ViolationKind::RuntimeError,
                format!(
                    "{fault} (in {} {})",
                    if self.model.features.network { "the query" } else { "the invariant" },
                    invariant.text
                ),
            ),
        };
        Some(Violation { kind, message, place: None, process: None })
    }

    /// The propositions that hold in a state, a bit for each, and the run-time errors of those that have no value.
    pub(crate) fn letter_of(&self, work: &WorkingState) -> Result<u64, PartialLetter> {
        let can_move = |pid| !self.moves_of(work, pid, false).is_empty();
        let timeout = match self.model.features.network {
            true => self.is_asked_deadlock(work),
            false => self.model.observes_timeout() && !(0..work.processes.len()).any(can_move),
        };
        let view = View { model: self.model, layout: &self.layout, work, pid: CLAIM, timeout, offer: None, asked: 0 };
        let mut letter = PartialLetter { holds: 0, faults: Vec::new() };
        for (number, expr) in (0..).zip(&self.model.propositions) {
            match view.eval(expr) {
                Ok(value) => letter.holds |= u64::from(value != 0) << number,
                Err(fault) => {
                    let text = Printer { model: self.model, proctype: None }.expr(expr);
                    let message = format!("{fault} (in the proposition {text})");
                    let violation =
                        Violation { kind: ViolationKind::RuntimeError, message, place: None, process: None };
                    letter.faults.push((number, violation));
                }
            }
        }
        if letter.faults.is_empty() { Ok(letter.holds) } else { Err(letter) }
    }

    /// A place with the name of its file.
    pub fn source_place(&self, place: Place) -> SourcePlace {
        SourcePlace { file: self.model.sources[place.file as usize].clone(), line: place.line }
    }

    /// The name of a process, such as `Phil(2)`; of a network that of its own process type.
    pub(crate) fn process_name(&self, work: &WorkingState, pid: usize) -> String {
        self.name_of(work.processes[pid].proctype, pid)
    }

    pub(crate) fn name_of(&self, proctype: ProctypeId, pid: usize) -> String {
        let name = &self.model.proctype(proctype).name;
        if self.model.features.network { name.clone() } else { format!("{name}({pid})") }
    }

    /// The violation of a breach by a statement.
    pub(crate) fn breach(&self, breach: Breach, by: Executed) -> Violation {
        let message = match breach {
            Breach::Assertion(condition) => {
                let printer = Printer { model: self.model, proctype: Some(by.proctype) };
                format!("assertion violated: {}", printer.source(&condition))
            }
            Breach::Trace { message, .. } => message.to_owned(),
        };
        self.violation(ViolationKind::Assertion, message, by)
    }

    /// The violation of a run-time error of a statement.
    pub(crate) fn fault(&self, fault: &Fault, by: Executed) -> Violation {
        self.violation(ViolationKind::RuntimeError, fault.to_string(), by)
    }

    fn violation(&self, kind: ViolationKind, message: String, by: Executed) -> Violation {
        let proctype = self.model.proctype(by.proctype);
        Violation {
            kind,
            message,
            place: Some(self.source_place(proctype.automaton.statement(by.statement).place)),
            process: Some(self.name_of(by.proctype, by.pid.into())),
        }
    }
}
