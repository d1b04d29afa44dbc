//! A trail in homing's JSON format, with the effects of each step.

use homing_check::model::{Playback, PlayedStep};
use homing_engine::{Executed, Player};
use homing_report::{StoryStep, Trail};

use crate::trail::{Document, Header, StepEntry};

/// The JSON trail of a run that was played before.
pub fn recorded(playback: &Playback<'_>, header: Header, trail: &Trail) -> Document {
    let mut steps = Vec::with_capacity(trail.entries.len());
    let played = playback.play(trail, |player, step| steps.extend(entries(playback, player, &step)));
    debug_assert!(played.is_ok(), "the trail was played before");
    Document::new(header, playback.initial_values(), steps)
}

/// The trail entries of a step. The changes of a rendezvous are in the entry of its receive.
pub fn entries(playback: &Playback<'_>, player: &Player<'_, '_>, step: &PlayedStep<'_>) -> Vec<StepEntry> {
    let entry = |(at, executed): (usize, &Executed)| {
        let StoryStep { process, place, statement } = playback.story_step(*executed, &playback.model().sources);
        StepEntry {
            step: step.number + at,
            pid: executed.pid,
            id: playback.trail_id(*executed),
            process,
            file: place.file,
            line: place.line,
            statement,
            ..StepEntry::default()
        }
    };
    let mut entries: Vec<StepEntry> = step.statements().iter().enumerate().map(entry).collect();
    if let Some(last) = entries.pop() {
        entries.push(last.with(&player.describe_move(step.happened)));
    }
    entries
}
