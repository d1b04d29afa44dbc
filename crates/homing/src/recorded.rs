//! A trail in homing's JSON format, with the effects of each step.

use homing_core::TransitionSystem;
use homing_engine::{Executed, Interpreter, Player};
use homing_report::Trail;

use crate::play::{PlayedStep, play};
use crate::trail::{Document, Header, StepEntry};

/// The JSON trail of a run that was played before.
pub fn recorded(engine: &Interpreter<'_>, header: Header, trail: &Trail) -> Document {
    let mut steps = Vec::with_capacity(trail.entries.len());
    let played = play(engine, trail, |player, step| steps.extend(entries(player, &step)));
    debug_assert!(played.is_ok(), "the trail was played before");
    Document::new(header, engine.description(&engine.initial()), steps)
}

/// The trail entries of a step. The changes of a rendezvous are in the entry of its receive.
pub fn entries(player: &Player<'_, '_>, step: &PlayedStep<'_>) -> Vec<StepEntry> {
    let engine = player.engine();
    let entry = |(at, executed): (usize, &Executed)| {
        let statement = engine.statement(*executed);
        StepEntry {
            step: step.number + at,
            pid: executed.pid,
            id: engine.trail_id(*executed),
            process: engine.actor(*executed),
            file: engine.model().sources[statement.place.file as usize].clone(),
            line: statement.place.line,
            statement: engine.statement_text(*executed),
            ..StepEntry::default()
        }
    };
    let mut entries: Vec<StepEntry> = step.statements().iter().enumerate().map(entry).collect();
    if let Some(last) = entries.pop() {
        entries.push(last.with(&player.describe_move(step.happened)));
    }
    entries
}
