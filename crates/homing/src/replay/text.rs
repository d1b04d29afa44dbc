//! A replay as lines of text.

use std::fmt::Write;

use homing_check::model::{Ending, LengthUnit, Played, PlayedStep, Witness};
use homing_engine::{Change, MoveDescription};

use super::Replay;
use crate::ending::ending;
use crate::error::Error;
use crate::lines::Lines;
use crate::text::counted;

/// Long replays are printed in pieces of about this many bytes.
const PIECE: usize = 1 << 20;

impl Replay<'_, '_> {
    /// Prints the steps, the cause of the error, and the last state.
    pub(super) fn text(&self) -> Result<Ending, Error> {
        let lines = Lines::new(self.playback, &self.shown.statements, self.console.look);
        let mut text = String::new();
        if !self.follow.all() && self.is_shown(1) {
            for valued in self.follow.among(&self.playback.initial_values()) {
                let _ = writeln!(text, "{valued}");
            }
        }
        let mut witness = self.playback.witness(self.formula.as_ref());
        let mut printed = Ok(());
        let played = self.playback.play(&self.shown.trail, |player, step| {
            witness.see(player, &step);
            if (0..step.statements().len()).any(|at| self.is_shown(step.shown_number(at))) {
                self.put(&lines, &mut text, &step, &player.describe_move(step.happened));
            }
            if text.len() > PIECE && printed.is_ok() {
                printed = self.console.result(&std::mem::take(&mut text));
            }
        });
        printed?;
        let played = played.map_err(|broken| Error::Bug(format!("a trail does not replay twice: {broken}")))?;
        if !self.args.quiet && self.follow.all() {
            text.push_str(&self.console.look.fitted(&self.end(&played, witness)));
        }
        self.console.result(&text)?;
        Ok(played.ending)
    }

    fn put(&self, lines: &Lines<'_, '_>, text: &mut String, step: &PlayedStep<'_>, described: &MoveDescription) {
        let changes: Vec<&Change> = described.changes.iter().filter(|change| self.follow.has(change)).collect();
        let changes_only = self.args.diff || !self.follow.all();
        if changes_only && changes.is_empty() {
            return;
        }
        lines.put(text, step, &changes, |number| self.is_shown(number));
        if !changes_only {
            lines.put_notes(text, step, described);
        }
    }

    fn end(&self, played: &Played<'_, '_>, witness: Witness) -> String {
        let statements = counted(played.length as u64, LengthUnit::of(self.playback.model()).word());
        let switches = counted(self.shown.switches as u64, "context switch");
        let mut after = format!("{statements}, {switches}");
        if self.shown.switches < self.shown.switches_as_found {
            let _ = write!(after, " ({} in the trail)", self.shown.switches_as_found);
        }
        let why = witness.why(&played.player, &played.ending);
        ending(played.last_lines(), &played.ending, &after, &why, self.console.paint)
    }
}
