//! A trail in homing's JSON format, with the effects of each step.

use homing_check::model::{Playback, PlayedStep, Why};
use homing_engine::{Executed, Player};
use homing_ir::Formula;
use homing_report::{StoryStep, Trail};

use crate::trail::{CallEntry, Document, Header, StepEntry};

/// The JSON trail of a run that was played before.
///
/// A formula that it violates explains which steps matter.
pub fn recorded(playback: &Playback<'_>, header: Header, trail: &Trail, formula: Option<&Formula>) -> Document {
    let mut steps = Vec::with_capacity(trail.entries.len());
    let mut witness = playback.witness(formula);
    let played = playback.play(trail, |player, step| {
        witness.see(player, &step);
        steps.extend(entries(playback, player, &step));
    });
    debug_assert!(played.is_ok(), "the trail was played before");
    if let Ok(played) = played {
        mark_needed(&mut steps, &witness.why(&played.player, &played.ending));
    }
    Document::new(header, playback.initial_values(), steps)
}

/// Marks the steps that the error depends on.
pub fn mark_needed(steps: &mut [StepEntry], why: &Why) {
    if !why.steps.is_empty() {
        steps.iter_mut().for_each(|entry| entry.needed = Some(why.steps.contains(&entry.step)));
    }
}

/// The trail entries of a step. The changes of a rendezvous are in the entry of its receive.
pub fn entries(playback: &Playback<'_>, player: &Player<'_, '_>, step: &PlayedStep<'_>) -> Vec<StepEntry> {
    let entry = |(at, executed): (usize, &Executed)| {
        let StoryStep { process, place, statement, call, .. } =
            playback.story_step(*executed, &playback.model().sources);
        StepEntry {
            step: step.number + at,
            pid: executed.pid,
            id: playback.trail_id(*executed),
            process,
            file: place.file,
            line: place.line,
            statement,
            call: call.map(|call| CallEntry { text: call.text, file: call.place.file, line: call.place.line }),
            ..StepEntry::default()
        }
    };
    let mut entries: Vec<StepEntry> = step.statements().iter().enumerate().map(entry).collect();
    if let Some(last) = entries.pop() {
        entries.push(last.with(&player.describe_move(step.happened)));
    }
    entries
}
