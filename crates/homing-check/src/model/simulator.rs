//! A run that can be extended and undone.

use homing_core::{Purpose, Seed, Stream};
use homing_engine::{Checkpoint, Enabled, Executed, MoveResult, Player};
use homing_report::Trail;

use super::counterexample::LengthUnit;
use super::play::{Broken, Ending};
use super::playback::Playback;

/// A run with all its intermediate states.
pub struct Simulator<'e, 'm> {
    playback: &'e Playback<'m>,
    player: Player<'e, 'm>,
    /// All moves, including those that were undone and can be redone.
    past: Vec<Moment>,
    /// The number of moves that are not undone.
    at: usize,
    random: Stream,
    start: Checkpoint,
}

/// A move and the state after it.
struct Moment {
    happened: MoveResult,
    after: Checkpoint,
    /// Statements executed up to that state.
    statements: usize,
}

impl<'e, 'm> Simulator<'e, 'm> {
    pub(super) fn new(playback: &'e Playback<'m>, seed: u64) -> Self {
        let player = Player::new(&playback.engine);
        let start = player.checkpoint();
        Simulator {
            playback,
            player,
            past: Vec::new(),
            at: 0,
            random: Seed::of_run(seed, 0).stream(Purpose::Order),
            start,
        }
    }

    /// The model that the run is of.
    pub fn playback(&self) -> &'e Playback<'m> {
        self.playback
    }

    /// The player, at the current state.
    pub fn player(&self) -> &Player<'e, 'm> {
        &self.player
    }

    /// The values in the current state, as lines of text.
    pub fn values(&self) -> Vec<String> {
        self.playback.engine.describe(self.player.state())
    }

    /// The number of executed statements, or moves where these are counted.
    pub fn length(&self) -> usize {
        match self.unit() {
            LengthUnit::Statements => self.executed(),
            LengthUnit::Transitions => self.at,
        }
    }

    /// What the length counts.
    pub fn unit(&self) -> LengthUnit {
        LengthUnit::of(self.playback.model())
    }

    /// The number of executed statements.
    pub fn executed(&self) -> usize {
        self.past[..self.at].last().map_or(0, |moment| moment.statements)
    }

    /// The number of moves.
    pub fn moves(&self) -> usize {
        self.at
    }

    /// The number of moves, including those that were undone.
    pub fn known(&self) -> usize {
        self.past.len()
    }

    /// Whether the last statement failed: no move can follow.
    pub fn has_failed(&self) -> bool {
        self.at > 0 && self.past[self.at - 1].happened.failed
    }

    /// The enabled moves; none if the last statement failed.
    pub fn enabled(&self) -> Vec<Enabled> {
        if self.has_failed() { Vec::new() } else { self.player.enabled() }
    }

    /// Takes a move. Undone moves are discarded.
    pub fn take(&mut self, enabled: &Enabled) -> MoveResult {
        let happened = self.player.take(enabled);
        let statements = self.executed() + happened.statements.len();
        self.past.truncate(self.at);
        self.past.push(Moment { happened: happened.clone(), after: self.player.checkpoint(), statements });
        self.at += 1;
        happened
    }

    /// Takes the moves of a trail, and goes back to the state before the move of statement `from`.
    ///
    /// # Errors
    /// If the trail does not match the model.
    pub fn follow(&mut self, trail: &Trail, from: usize) -> Result<(), Broken> {
        let mut taken = Vec::new();
        self.playback.play(trail, |_, step| taken.push(step.taken.clone()))?;
        taken.iter().for_each(|enabled| _ = self.take(enabled));
        let before = self.past.iter().take_while(|moment| moment.statements < from).count();
        self.jump(before);
        Ok(())
    }

    /// Takes a random move; `None` if none is enabled.
    pub fn random_step(&mut self) -> Option<(Enabled, MoveResult)> {
        let enabled = self.enabled();
        if enabled.is_empty() {
            return None;
        }
        let taken = enabled[self.random.below(enabled.len() as u64) as usize].clone();
        let happened = self.take(&taken);
        Some((taken, happened))
    }

    /// Goes to the state after the first `moves` moves, backward or forward, or after the last one that is known.
    pub fn jump(&mut self, moves: usize) {
        self.at = moves.min(self.past.len());
        let mark = if self.at == 0 { &self.start } else { &self.past[self.at - 1].after };
        self.player.return_to(mark);
    }

    /// How the run ends if it ends here.
    pub fn ending(&self) -> Ending {
        let last = self.past[..self.at].last();
        let mut violations: Vec<_> =
            last.into_iter().flat_map(|moment| &moment.happened.violations).map(|(_, found)| found.clone()).collect();
        if !self.has_failed() {
            violations.extend(self.player.invalid_end());
        }
        if violations.is_empty() { Ending::Open } else { Ending::Violations(violations) }
    }

    /// The statements that were executed.
    pub fn statements(&self) -> impl Iterator<Item = Executed> {
        self.past[..self.at].iter().flat_map(|moment| moment.happened.statements.iter().copied())
    }

    /// The run so far as a trail.
    pub fn trail(&self) -> Trail {
        let statements: Vec<Executed> = self.statements().collect();
        let unfinished = self.ending() == Ending::Open;
        Trail { entries: self.playback.entries(&statements), unfinished, ..Trail::default() }
    }
}
