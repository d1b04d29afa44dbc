//! A run that can be extended, undone and saved.

use std::path::Path;

use fastrand::Rng;
use homing_engine::{Checkpoint, Enabled, Executed, Interpreter, MoveResult, Player};
use homing_report::Trail;

use crate::error::Error;
use crate::play::Ending;
use crate::recorded::recorded;
use crate::reordered::entries;
use crate::trail::{Destination, ErrorEntry, Header};

/// A run with all its intermediate states.
pub struct Session<'e, 'm> {
    pub player: Player<'e, 'm>,
    /// All moves, including those that were undone and can be redone.
    past: Vec<Moment>,
    /// The number of moves that are not undone.
    at: usize,
    rng: Rng,
    start: Checkpoint,
}

/// A move and the state after it.
struct Moment {
    happened: MoveResult,
    after: Checkpoint,
    /// Statements executed up to that state.
    statements: usize,
}

/// What a saved trail states about its model.
pub struct Saved<'a> {
    pub model: &'a Path,
    pub hash: &'a str,
}

impl<'e, 'm> Session<'e, 'm> {
    pub fn new(engine: &'e Interpreter<'m>, seed: u64) -> Self {
        let player = Player::new(engine);
        let start = player.checkpoint();
        Session { player, past: Vec::new(), at: 0, rng: Rng::with_seed(seed), start }
    }

    /// The number of executed statements.
    pub fn length(&self) -> usize {
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

    pub fn enabled(&self) -> Vec<Enabled> {
        if self.has_failed() { Vec::new() } else { self.player.enabled() }
    }

    /// Takes a move. Undone moves are discarded.
    pub fn take(&mut self, enabled: &Enabled) -> MoveResult {
        let happened = self.player.take(enabled);
        let statements = self.length() + happened.statements.len();
        self.past.truncate(self.at);
        self.past.push(Moment { happened: happened.clone(), after: self.player.checkpoint(), statements });
        self.at += 1;
        happened
    }

    /// Takes a random move; `None` if none is enabled.
    pub fn random_step(&mut self) -> Option<(Enabled, MoveResult)> {
        let enabled = self.enabled();
        if enabled.is_empty() {
            return None;
        }
        let taken = enabled[self.rng.usize(..enabled.len())].clone();
        let happened = self.take(&taken);
        Some((taken, happened))
    }

    /// Goes to the state after the first `moves` moves, backward or forward, or after the last one that is known.
    pub fn jump(&mut self, moves: usize) {
        self.at = moves.min(self.past.len());
        let mark = if self.at == 0 { &self.start } else { &self.past[self.at - 1].after };
        self.player.return_to(mark);
    }

    pub fn ending(&self) -> Ending {
        let last = self.past[..self.at].last();
        let mut violations: Vec<_> =
            last.into_iter().flat_map(|moment| &moment.happened.violations).map(|(_, found)| found.clone()).collect();
        if !self.has_failed() {
            violations.extend(self.player.invalid_end());
        }
        if violations.is_empty() { Ending::Open } else { Ending::Violations(violations) }
    }

    pub fn statements(&self) -> impl Iterator<Item = Executed> {
        self.past[..self.at].iter().flat_map(|moment| moment.happened.statements.iter().copied())
    }

    /// Writes the run so far as a trail.
    pub fn save(&self, file: &Path, saved: &Saved<'_>) -> Result<(), Error> {
        let engine = self.player.engine();
        let statements: Vec<Executed> = self.statements().collect();
        let ending = self.ending();
        let unfinished = ending == Ending::Open;
        let trail = Trail { entries: entries(engine, &statements), unfinished, ..Trail::default() };
        let destination = Destination::new(Some(file), saved.model)?.expect("a file was named");
        let text = if destination.is_json() {
            let error = match &ending {
                Ending::Violations(all) => all.first().map(ErrorEntry::new),
                _ => None,
            };
            let model = saved.model.display().to_string();
            let header = Header { error, ..Header::new(model, saved.hash.to_owned(), statements.len()) };
            recorded(engine, header, &trail).to_text()
        } else {
            trail.to_text()
        };
        destination.write(file, &text).map_err(|source| Error::Unwritable { path: file.to_owned(), source })
    }
}
