//! What holds and who moves in the cycle of a run: its last round is executed once more.

use homing_engine::{Executed, Player};
use homing_ir::print::Printer;
use homing_ir::{Expr, Formula};

use super::counterexample::{LeftOut, Share};
use super::progression::{self, Progression};

/// What is observed of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// The processes that do not move in it.
    pub left_out: Vec<LeftOut>,
    /// The propositions of the property, each with where in the cycle it holds.
    pub propositions: Vec<(String, Share)>,
    /// What the formula waits for, and what never comes.
    pub never_comes: Vec<String>,
}

/// The observation of a round.
struct Round<'e> {
    expected: &'e [Expr],
    /// States between steps.
    states: usize,
    /// By proposition, and by process: in how many of them it holds, and in how many it can move.
    holds: Vec<usize>,
    can_move: Vec<usize>,
    moves: Vec<bool>,
    awaited: Option<Vec<Formula>>,
}

/// Executes the statements of a cycle once more; `player` is at its start, or at its end, which is the same. Without statements nothing
/// moves any more.
pub(super) fn observe(player: &Player<'_, '_>, cycle: &[Executed], formula: Option<&Progression>) -> Observation {
    let model = player.engine().model();
    let propositions = formula.map_or(&model.propositions[..], Progression::propositions);
    let processes = player.processes();
    let mut round = Round {
        expected: propositions,
        states: 0,
        holds: vec![0; propositions.len()],
        can_move: vec![0; processes],
        moves: vec![false; processes],
        awaited: None,
    };
    let mut again = Player::new(player.engine());
    again.return_to(&player.checkpoint());
    let mut progression = formula.cloned();
    round.see(&again, progression.as_ref());
    let mut rest = cycle;
    while !rest.is_empty() {
        let is_next = |enabled: &homing_engine::Enabled| rest.starts_with(&enabled.statements);
        let Some(enabled) = again.enabled().into_iter().find(is_next) else { break };
        let happened = again.take(&enabled);
        rest = &rest[happened.statements.len()..];
        for executed in &happened.statements {
            if let Some(moves) = round.moves.get_mut(usize::from(executed.pid)) {
                *moves = true;
            }
        }
        if let Some(progression) = &mut progression {
            progression.see(&again);
        }
        if again.alone().is_none() && !rest.is_empty() {
            round.see(&again, progression.as_ref());
        }
    }
    let printer = Printer { model, proctype: None };
    let shares = propositions.iter().zip(&round.holds);
    let left_out = |pid: usize| LeftOut {
        process: player.process_name(pid),
        can_move: Share::of(round.can_move[pid], round.states),
        waits: waits(player, pid),
    };
    let never_comes = round.awaited.iter().flatten().map(|awaited| progression::text(player, awaited));
    Observation {
        left_out: (0..processes).filter(|pid| !round.moves[*pid]).map(left_out).collect(),
        propositions: shares.map(|(expr, holds)| (printer.source(expr), Share::of(*holds, round.states))).collect(),
        never_comes: never_comes.collect(),
    }
}

impl Round<'_> {
    fn see(&mut self, player: &Player<'_, '_>, progression: Option<&Progression>) {
        self.states += 1;
        for (expr, holds) in self.expected.iter().zip(&mut self.holds) {
            *holds += usize::from(player.holds(expr));
        }
        let mut enabled = vec![false; self.can_move.len()];
        for one in player.enabled() {
            if let Some(can) = enabled.get_mut(usize::from(one.pid())) {
                *can = true;
            }
        }
        enabled.iter().zip(&mut self.can_move).for_each(|(enabled, can)| *can += usize::from(*enabled));
        if let Some(progression) = progression {
            let awaited = progression.awaited();
            match &mut self.awaited {
                None => self.awaited = Some(awaited.into_iter().cloned().collect()),
                Some(always) => always.retain(|formula| awaited.contains(&formula)),
            }
        }
    }
}

/// What a process waits for, in the words of its statements.
fn waits(player: &Player<'_, '_>, pid: usize) -> Option<String> {
    let waiting = player.waiting().into_iter().nth(pid)?;
    let statements: Vec<String> =
        waiting.statements.iter().map(|blocked| format!("{}: {}", blocked.text, blocked.reason)).collect();
    (!statements.is_empty()).then(|| statements.join("; "))
}
