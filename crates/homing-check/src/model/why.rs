//! The cause of an error: the parts of the condition that failed with their last writers, or what each process waits
//! for.

use std::collections::HashMap;

use homing_core::{Violation, ViolationKind};
use homing_engine::{CellRef, Effect, Executed, Interpreter, Player, Subexpression, Waiting};

use super::play::PlayedStep;

/// The cause of an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Why {
    /// The condition that failed and its parts.
    pub parts: Vec<WhyPart>,
    /// What each process waits for, if no process can move.
    pub waiting: Vec<Waiting>,
}

/// A part of a condition that failed, or the whole condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhyPart {
    /// Its text.
    pub text: String,
    /// Its value at the end of the run.
    pub value: String,
    /// The last write of the variable; `None` if the part is no variable, or has its initial value.
    pub writer: Option<Writer>,
    /// The part is a variable.
    pub is_variable: bool,
}

/// The statement that wrote a variable last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writer {
    /// Its number in the run, from 1.
    pub step: usize,
    /// The process that executed it.
    pub process: String,
    /// Its text.
    pub statement: String,
}

/// Collects the last writer of each variable while a run is played.
#[derive(Default)]
pub struct Witness {
    writers: HashMap<CellRef, (usize, Executed)>,
    /// The parts of the last assertion that failed.
    failed: Vec<Subexpression>,
}

impl Witness {
    /// Takes note of a step of the run.
    pub fn see(&mut self, step: &PlayedStep<'_>) {
        self.failed.clear();
        // of a rendezvous the receive writes
        let Some(&by) = step.statements().last() else { return };
        let number = step.number + step.statements().len() - 1;
        for effect in &step.happened.effects {
            match effect {
                Effect::Wrote { target, .. } => {
                    self.writers.insert(*target, (number, by));
                }
                Effect::Ended(pid) => self.writers.retain(|cell, _| cell.owner != Some(*pid)),
                Effect::Failed(parts) => self.failed.clone_from(parts),
                _ => {}
            }
        }
    }

    /// The cause of the error; `player` is at the end of the run.
    pub fn why(self, player: &Player<'_, '_>, error: Option<&Violation>) -> Why {
        let engine = player.engine();
        let (waiting, parts) = match error.map(|error| error.kind) {
            Some(ViolationKind::InvalidEndState) => (player.waiting(), Vec::new()),
            Some(ViolationKind::Invariant) => (Vec::new(), player.invariant_subexpressions()),
            _ => (Vec::new(), self.failed.clone()),
        };
        let part = |part: &Subexpression| WhyPart {
            text: part.text.clone(),
            value: part.value.clone(),
            writer: part.cell.and_then(|cell| self.writers.get(&cell)).map(|last| writer(engine, *last)),
            is_variable: part.cell.is_some(),
        };
        Why { parts: parts.iter().map(part).collect(), waiting }
    }
}

fn writer(engine: &Interpreter<'_>, (step, by): (usize, Executed)) -> Writer {
    Writer { step, process: engine.actor(by), statement: engine.statement_text(by) }
}

impl Why {
    /// The cause as lines of text.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for part in &self.parts {
            let WhyPart { text, value, writer, is_variable } = part;
            lines.push(match writer {
                Some(Writer { step, process, statement }) => {
                    format!("{text} = {value}  (step {step}, {process}: {statement})")
                }
                None if *is_variable => format!("{text} = {value}  (initial value)"),
                None => format!("{text} is {value}"),
            });
        }
        for Waiting { process, place, may_end, statements, .. } in &self.waiting {
            if *may_end && statements.iter().all(|blocked| blocked.text == "-end-") {
                lines.push(format!("{process} has reached its end"));
                continue;
            }
            let may_end = if *may_end { " (a valid end state)" } else { "" };
            lines.push(format!("{process} waits at {place}{may_end}"));
            lines.extend(statements.iter().map(|blocked| format!("  {}  {}", blocked.text, blocked.reason)));
        }
        lines
    }
}
