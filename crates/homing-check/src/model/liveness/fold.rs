//! The lasso of a product as that of the run: what a claim does is left aside, the cycle begins as early as the statements of the run
//! repeat, and of equal rounds one is kept.

use homing_core::{State, TransitionSystem};
use homing_engine::{Executed, Interpreter};
use homing_ir::Reduced;
use homing_ltl::Formula;
use homing_report::Trail;

use super::super::play::{Ending, play};
use super::super::reordered::entries;

/// A run of the model without the values of dead locals, by moves.
struct Run {
    moves: Vec<Vec<Executed>>,
    /// Before the first move and after each: the state.
    states: Vec<Box<State>>,
    /// So many bytes of it do not distinguish states.
    hidden: usize,
    /// Whether that state is between steps, not inside an atomic sequence.
    is_between: Vec<bool>,
    /// How many moves come before the cycle.
    stem: usize,
}

/// The same infinite run with fewer statements before and in the cycle, if there are fewer: it is executed again, and the formula is
/// evaluated on it.
pub(super) fn folded(original: &Interpreter<'_>, lasso: &Trail, formula: Option<&Formula>) -> Option<Trail> {
    let forgetful = Reduced::without_dead_locals(original.model()).model;
    let run = Run::of(&Interpreter::new(&forgetful).ok()?, lasso)?;
    let period = run.period();
    let stem = run.start(period);
    let statements: Vec<Executed> = run.moves[..stem + period].iter().flatten().copied().collect();
    if statements.len() >= lasso.entries.len() {
        return None;
    }
    let start = run.moves[..stem].iter().map(Vec::len).sum();
    let trail = Trail { entries: entries(original, &statements), cycle_start: Some(start), ..lasso.clone() };
    let is_cycle = play(original, &trail, |_, _| ()).is_ok_and(|played| matches!(played.ending, Ending::Cycle { .. }));
    let violates = || formula.is_none_or(|formula| run.violates(original, formula, (stem, period)));
    (is_cycle && violates()).then_some(trail)
}

impl Run {
    fn of(original: &Interpreter<'_>, lasso: &Trail) -> Option<Self> {
        let (cycle_start, mut count, mut stem) = (lasso.cycle_start?, 0, 0);
        let mut moves: Vec<Vec<Executed>> = Vec::new();
        let mut states: Vec<Box<State>> = vec![original.initial()];
        let mut is_between = vec![true];
        play(original, lasso, |player, step| {
            stem += usize::from(count < cycle_start);
            count += step.statements().len();
            moves.push(step.statements().to_vec());
            states.push(player.state().into());
            is_between.push(player.alone().is_none());
        })
        .ok()?;
        let hidden = original.hidden_prefix();
        (stem < moves.len()).then_some(Run { moves, states, hidden, is_between, stem })
    }

    /// How many moves the shortest round takes of which the cycle is made.
    fn period(&self) -> usize {
        let (stem, end) = (self.stem, self.moves.len());
        let rounds = end - stem;
        let is_period = |period: &usize| {
            rounds.is_multiple_of(*period)
                && self.are_equal(stem, stem + period)
                && (stem..end - period).all(|at| self.is_same(at, at + period))
        };
        (1..rounds).find(is_period).unwrap_or(rounds)
    }

    /// The move from which on the run repeats rounds of this period.
    fn start(&self, period: usize) -> usize {
        let mut start = self.stem;
        while start > 0
            && self.moves[start - 1] == self.moves[start - 1 + period]
            && self.are_equal(start - 1, start - 1 + period)
        {
            start -= 1;
        }
        (start..=self.stem).find(|at| self.is_between[*at]).unwrap_or(self.stem)
    }

    fn is_same(&self, at: usize, other: usize) -> bool {
        self.moves[at] == self.moves[other] && self.are_equal(at + 1, other + 1)
    }

    fn are_equal(&self, at: usize, other: usize) -> bool {
        self.states[at][self.hidden..] == self.states[other][self.hidden..]
    }

    /// Whether the run, with this stem and period, violates the formula.
    fn violates(&self, original: &Interpreter<'_>, formula: &Formula, (stem, period): (usize, usize)) -> bool {
        let letters = |from: usize, to: usize| -> Option<Vec<u64>> {
            let between = (from..to).filter(|at| self.is_between[*at]);
            between.map(|at| original.letter(&self.states[at]).ok()).collect()
        };
        let (Some(before), Some(round)) = (letters(0, stem), letters(stem, stem + period)) else {
            return false;
        };
        !round.is_empty() && !homing_ltl::holds(formula, &before, &round)
    }
}
