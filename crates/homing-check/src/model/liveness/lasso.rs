//! A lasso is executed again, claim and all, before it is reported.

use std::ops::ControlFlow;

use homing_core::{Cost, Fork, PartialLetter, Path, State, StopToken, TransitionSystem, ViolationKind};
use homing_engine::{Executed, Interpreter, ReplayError, RunStep, StepIndex};
use homing_ir::print::Printer;
use homing_ir::{Lengths, unread_globals};
use homing_ltl::{Claim, ClaimMove, ClaimTarget};
use homing_report::{Entry, Trail};

use super::super::counterexample::{Counterexample, Cycle, LeftOut, LengthUnit, Share};
use super::super::final_state;
use super::super::play::{BreakReason, Broken, Ending, play};
use super::super::reordered::{Order, entries, reorder};
use super::super::story::Narrator;
use super::decide::{Action, ModelProduct};
use super::task::{Liveness, LivenessTask};

/// The most statements of a cycle of the original that is put together from several of a reduced copy.
const MOST_STATEMENTS: usize = 1000;

/// Why a run could not be confirmed.
pub(super) enum Unconfirmed {
    /// The time was over before it was executed again.
    Stopped,
    /// The cycle of the reduced copy is none of the original: variables that only feed themselves differ after each round. The
    /// original is searched then.
    Open,
    /// The cycle closes only if hidden variables are left out of the state, and the model reads them: it may be none.
    Hidden,
    /// The second execution differs: a bug in homing.
    Differs(String),
}

impl From<String> for Unconfirmed {
    fn from(what: String) -> Self {
        Unconfirmed::Differs(what)
    }
}

/// A run of the model with what the claim does.
struct Observed {
    /// The steps of the model.
    steps: Vec<RunStep>,
    /// How many of them come before the cycle; none if the run is finite.
    stem: Option<usize>,
    /// The moves of the claim: before which step of the model each is made, and which move of which state it is.
    moves: Vec<ClaimStep>,
    /// How many moves of the claim come before the cycle.
    stem_moves: usize,
}

/// A move of the claim.
#[derive(Clone, Copy, Debug)]
struct ClaimStep {
    before: usize,
    state: u16,
    number: usize,
}

impl Observed {
    /// Unrolls the cycle until the state of the original is the same before and after it. After so few rounds it is, unless variables
    /// that are never read count them: then these are left aside, and if that is not enough there is one round in the stem.
    fn close(&mut self, original: &Interpreter<'_>) {
        let Some(stem) = self.stem else { return };
        let round = self.steps[stem..].iter().flat_map(all).count();
        if round == 0 {
            return;
        }
        let period = |rounds: usize, unread: &[bool]| self.period(original, rounds, unread);
        let few = || period(2, &[]).or_else(|| period(MOST_STATEMENTS / round, &[]));
        let (before, rounds) = few().or_else(|| period(2, &unread_globals(original.model()))).unwrap_or((1, 1));
        self.unroll(before, rounds);
    }

    /// How many rounds come before those that repeat, and how many these are, among so many rounds; `unread` globals are left aside.
    fn period(&self, original: &Interpreter<'_>, rounds: usize, unread: &[bool]) -> Option<(usize, usize)> {
        let stem = self.stem?;
        let before = self.steps[..stem].iter().flat_map(all).count();
        let round = self.steps[stem..].iter().flat_map(all).count();
        let mut run: Vec<Executed> = self.steps.iter().flat_map(all).collect();
        (1..rounds).for_each(|_| run.extend_from_within(before..before + round));
        let trail = Trail { entries: entries(original, &run), ..Trail::default() };
        let compared = |state: &State| original.without_globals(state, unread);
        let mut states: Vec<Box<State>> = if before == 0 { vec![compared(&original.initial())] } else { Vec::new() };
        let played = play(original, &trail, |player, step| {
            let length = step.number + step.statements().len() - 1;
            if length >= before && (length - before).is_multiple_of(round) {
                states.push(compared(player.state()));
            }
        });
        played.ok()?;
        (1..states.len()).find_map(|end| {
            let start = states[..end].iter().rposition(|state| *state == states[end])?;
            Some((start, end - start))
        })
    }

    /// Whether also the hidden variables of the searched model are the same before and after the cycle.
    fn closes_exactly(&self, searched: &Interpreter<'_>) -> bool {
        let initial = searched.initial();
        let state_at = |step: usize| if step == 0 { &*initial } else { &*self.steps[step - 1].state };
        self.stem.is_none_or(|stem| state_at(stem) == state_at(self.steps.len()))
    }

    /// The same run with so many rounds of the cycle in the stem, and so many as the cycle.
    fn unroll(&mut self, before: usize, rounds: usize) {
        let Some(stem) = self.stem else { return };
        let (steps, moves) = (self.steps.len(), self.moves.len());
        for again in 1..before + rounds {
            self.steps.extend_from_within(stem..steps);
            for at in self.stem_moves..moves {
                let shift = again * (steps - stem);
                self.moves.push(ClaimStep { before: self.moves[at].before + shift, ..self.moves[at] });
            }
        }
        self.stem = Some(stem + before * (steps - stem));
        self.stem_moves += before * (moves - self.stem_moves);
    }

    /// How many statements the run takes if what the claim does is left aside, in case they are fewer: a step that comes at the end
    /// of the stem and of the cycle is part of the cycle alone, and of equal rounds one is enough.
    fn folded(&self, searched: &Interpreter<'_>) -> Option<usize> {
        let (stem, steps, initial) = (self.stem?, &self.steps, searched.initial());
        let before = |step: usize| if step == 0 { &*initial } else { &*steps[step - 1].state };
        let is_same = |a: usize, b: usize| {
            steps[a].statements == steps[b].statements && steps[a].state == steps[b].state && before(a) == before(b)
        };
        let mut rolled = 0;
        while rolled < stem && stem + rolled < steps.len() && is_same(stem - 1 - rolled, steps.len() - 1 - rolled) {
            rolled += 1;
        }
        let (start, end) = (stem - rolled, steps.len() - rolled);
        let rounds = end - start;
        let is_period = |period: &usize| {
            rounds.is_multiple_of(*period) && (start..end - period).all(|step| is_same(step, step + period))
        };
        let period = (1..=rounds).find(is_period).unwrap_or(rounds);
        let count = |steps: &[RunStep]| steps.iter().flat_map(all).count();
        let folded = count(&steps[..start + period]);
        (folded < count(steps)).then_some(folded)
    }

    /// What is reported about the cycle.
    fn cycle(&self, searched: &Interpreter<'_>) -> Option<Cycle> {
        let stem = self.stem?;
        let initial = searched.initial();
        let state_at = |step: usize| if step == 0 { &*initial } else { &*self.steps[step - 1].state };
        let states: Vec<&State> = (stem..self.steps.len().max(stem + 1)).map(state_at).collect();
        let model = searched.model();
        let mut can = [0usize; 256];
        let mut moves = [false; 256];
        for state in &states {
            let mut enabled = [false; 256];
            searched.for_each_step_with(state, |step, _| {
                step.movers.first().into_iter().for_each(|&pid| enabled[usize::from(pid)] = true);
                ControlFlow::Continue(())
            });
            enabled.iter().zip(&mut can).for_each(|(enabled, can)| *can += usize::from(*enabled));
        }
        self.steps[stem..].iter().flat_map(all).for_each(|executed| moves[usize::from(executed.pid)] = true);
        let processes = searched.description(states[0]).processes;
        let left_out = processes.into_iter().enumerate().filter(|(pid, _)| !moves[*pid]);
        let left_out = left_out
            .map(|(pid, process)| LeftOut { process: process.process, can_move: Share::of(can[pid], states.len()) });
        let holding = |state: &&State| searched.letter(state).unwrap_or_else(|partial| partial.holds);
        let letters: Vec<u64> = states.iter().map(holding).collect();
        let propositions = model.propositions.iter().enumerate().map(|(number, proposition)| {
            let holds = letters.iter().filter(|letter| *letter >> number & 1 == 1).count();
            (Printer { model, proctype: None }.source(proposition), Share::of(holds, letters.len()))
        });
        let folded = self.folded(searched);
        Some(Cycle {
            start: 0,
            folded,
            left_out: left_out.collect(),
            propositions: propositions.collect(),
            unread: Vec::new(),
        })
    }
}

/// Executes the run again: in the model that was searched by the interpreter, with the claim, and then in the original model.
pub(super) fn confirm(
    path: Path<Action>,
    product: &ModelProduct<'_>,
    task: &LivenessTask,
    stop: &StopToken,
) -> Result<Counterexample, Unconfirmed> {
    let patient = stop.patient();
    let searched = product.system().engine().interpreter().fork().stopped_by(patient.clone());
    let original = Interpreter::new(&task.model)
        .map_err(|violation| Unconfirmed::Differs(format!("it has no start: {violation}")))?
        .stopped_by(patient.clone());
    let original = if task.reduced.is_some() { original } else { searched.fork().stopped_by(patient.clone()) };
    if path.violation.kind == ViolationKind::RuntimeError
        && let Some(actions) = path.actions.iter().map(|action| action.step).collect::<Option<Vec<_>>>()
    {
        let path = Path { shortest: false, ..Path::finite(actions, path.length, path.violation) };
        let lengths = task.reduced.as_ref().map_or(Lengths::Exact, |reduced| reduced.lengths);
        let confirmed = Counterexample::confirmed(path, &searched, &original, lengths);
        return confirmed
            .map_err(|what| if patient.is_set() { Unconfirmed::Stopped } else { Unconfirmed::Differs(what) });
    }
    let differs = |what| if patient.is_set() { Unconfirmed::Stopped } else { Unconfirmed::Differs(what) };
    let mut observed = observe(&path, &searched, product.claim(), task).map_err(differs)?;
    if !task.model.hidden_but_read().is_empty() && !observed.closes_exactly(&searched) {
        return Err(Unconfirmed::Hidden);
    }
    observed.close(&original);
    let cycle = observed.cycle(&searched);
    let needed = observed.stem.is_none().then(|| searched.needed(&observed.steps));
    report(path, (observed, cycle), needed, &original, task).map_err(|error| match error {
        Unconfirmed::Differs(what) => differs(what),
        other => other,
    })
}

/// Executes the run in the model that was searched, and lets the claim read it.
fn observe(
    path: &Path<Action>,
    searched: &Interpreter<'_>,
    claim: &Claim,
    task: &LivenessTask,
) -> Result<Observed, String> {
    let taken = |actions: &[Action]| actions.iter().filter_map(|action| action.step).collect::<Vec<StepIndex>>();
    let mut actions = &path.actions[..];
    if path.cycle.is_none() {
        actions = &actions[..actions.len().saturating_sub(1)]; // the last one shows the violation
    }
    let steps = searched.replay_run(&taken(actions)).map_err(|ReplayError { step, reason }| {
        format!("the run to \"{}\" cannot be executed again: step {}: {reason}", path.violation, step + 1)
    })?;
    let stem = path.cycle.map(|cycle| taken(&actions[..cycle]).len());
    let initial = searched.initial();
    let state_at = |step: usize| if step == 0 { &*initial } else { &*steps[step - 1].state };
    let (mut at, mut step, mut moves, mut sets) = (claim.initial, 0, Vec::new(), 0);
    let mut word = Word::default();
    let mut start: Option<(u16, usize, usize)> = None;
    for (index, action) in actions.iter().enumerate() {
        if path.cycle == Some(index) {
            start = Some((at, step, moves.len()));
        }
        let state = state_at(step);
        let mut letter = word.read(searched, state, (claim, at))?;
        if action.step.is_none()
            && let Some(bit) = claim.non_progress
        {
            letter &= !(1 << bit);
        }
        let options = claim.moves[usize::from(at)].iter();
        let is_taken =
            |option: &ClaimMove| option.target == ClaimTarget::State(action.claim) && option.letters.contains(letter);
        let taken = options.enumerate().find(|(_, option)| is_taken(option));
        let Some((number, option)) = taken else {
            return Err(format!("the claim cannot move from {at} to {} before step {}", action.claim, step + 1));
        };
        if path.cycle.is_some_and(|cycle| index >= cycle) {
            let labelled = claim.counts_labels && searched.labels(state).accepting;
            sets |= option.acceptance | u32::from(labelled);
        }
        moves.push(ClaimStep { before: step, state: at, number });
        at = action.claim;
        step += usize::from(action.step.is_some());
    }
    let stem_moves = match start {
        Some((claim_at, first, before)) => {
            let all = ((1u64 << claim.sets) - 1) as u32;
            let hidden = searched.hidden_prefix();
            if claim_at != at || state_at(first)[hidden..] != state_at(step)[hidden..] {
                return Err("the cycle does not close when it is executed again".to_owned());
            }
            if sets != all {
                return Err("the cycle is not accepting when it is executed again".to_owned());
            }
            before
        }
        None if path.violation.kind == ViolationKind::RuntimeError => {
            let fails = |letter: PartialLetter| claim.fault(at, &letter) == Some(&path.violation);
            if !searched.letter(state_at(step)).is_err_and(fails) {
                return Err("the run-time error does not happen when the run is executed again".to_owned());
            }
            return Ok(Observed { stem, moves, stem_moves: 0, steps });
        }
        None => {
            let letter = word.read(searched, state_at(step), (claim, at))?;
            let ends = |option: &ClaimMove| !matches!(option.target, ClaimTarget::State(_));
            let last =
                claim.moves[usize::from(at)].iter().position(|option| ends(option) && option.letters.contains(letter));
            let number = last.ok_or("the claim does not end when the run is executed again")?;
            moves.push(ClaimStep { before: step, state: at, number });
            moves.len()
        }
    };
    if let Some(formula) = &task.formula {
        // a bad prefix is violated by every continuation, so by that which stays in its last state
        let start = path.cycle.unwrap_or(word.holds.len() - 1);
        if word.completions().into_iter().any(|word| homing_ltl::holds(formula, &word[..start], &word[start..])) {
            return Err("the run fulfils the formula when that is evaluated on it".to_owned());
        }
    }
    Ok(Observed { steps, stem, moves, stem_moves })
}

/// The letters of a run.
#[derive(Default)]
struct Word {
    holds: Vec<u64>,
    /// The propositions that have no value.
    undefined: Vec<u64>,
}

impl Word {
    /// Adds the letter of a state that the claim reads in one of its own states. No move of the claim depends on propositions without
    /// a value.
    fn read(&mut self, searched: &Interpreter<'_>, state: &State, (claim, at): (&Claim, u16)) -> Result<u64, String> {
        let (holds, undefined) = match searched.letter(state) {
            Ok(letter) => (letter, 0),
            Err(partial) => match claim.fault(at, &partial) {
                Some(violation) => return Err(violation.to_string()),
                None => (partial.holds, partial.undefined()),
            },
        };
        self.holds.push(holds);
        self.undefined.push(undefined);
        Ok(holds)
    }

    /// The word without, and with, the propositions that have no value.
    fn completions(&self) -> [Vec<u64>; 2] {
        let with = self.holds.iter().zip(&self.undefined).map(|(holds, undefined)| holds | undefined);
        [self.holds.clone(), with.collect()]
    }
}

/// Executes the run in the original model and collects what is reported about it.
fn report(
    path: Path<Action>,
    (observed, cycle): (Observed, Option<Cycle>),
    needed: Option<Vec<Executed>>,
    original: &Interpreter<'_>,
    task: &LivenessTask,
) -> Result<Counterexample, Unconfirmed> {
    let statements = |steps: &[RunStep]| steps.iter().flat_map(all).collect::<Vec<Executed>>();
    let run = needed.unwrap_or_else(|| statements(&observed.steps));
    let cycle_start = observed.stem.map(|stem| statements(&observed.steps[..stem]).len());
    let cycle = cycle.zip(cycle_start).map(|(cycle, start)| Cycle { start, ..cycle });
    let formula = match &task.liveness {
        Liveness::Formula { text, .. } if cycle_start.is_none() => Some(text.clone()),
        _ => None,
    };
    let program = Trail { entries: entries(original, &run), cycle_start, formula, ..Trail::default() };
    let broken = |broken: Broken| match broken.reason {
        BreakReason::OpenCycle if task.reduced.is_some() => Unconfirmed::Open,
        _ => Unconfirmed::Differs(format!("its trail does not replay: {broken}")),
    };
    let shown = reorder(original, &program, Order::AsFound).map_err(broken)?;
    let mut narrator = Narrator::new(original.model(), run.len(), cycle_start);
    let played = play(original, &program, |player, step| narrator.see(player, &step)).map_err(broken)?;
    let unread = match &played.ending {
        Ending::Cycle { unread, .. } => unread.clone(),
        _ => Vec::new(),
    };
    let has_unread = !unread.is_empty();
    let cycle = cycle.map(|cycle| Cycle { unread, ..cycle });
    if cycle_start.is_some() && !matches!(played.ending, Ending::Cycle { .. }) {
        if task.reduced.is_some() {
            return Err(Unconfirmed::Open); // it ends in an assertion that fails, so that it was not found to be open before
        }
        return Err(format!("its trail ends in {:?}, not in a cycle", played.ending).into());
    }
    let trail = match task.liveness {
        Liveness::Never(_) => with_claim(&observed, original, task),
        _ => program,
    };
    Ok(Counterexample {
        unit: LengthUnit::Statements,
        length: run.len() as Cost,
        merged_length: run.len(),
        moves: observed.steps.len(),
        shortest: path.shortest && !has_unread && path.length as usize == run.len() && task.has_exact_lengths(),
        at_least: None,
        cycle,
        trail,
        shown,
        why: Default::default(),
        story: narrator.finish(&Default::default()),
        last: original.describe(played.player.state()),
        last_changed: final_state::changed(&original.description(&original.initial()), &played.last_values()),
        file: None,
        violation: path.violation,
        violated_by: None,
    })
}

/// All statements of a step.
fn all(step: &RunStep) -> impl Iterator<Item = Executed> {
    step.statements.iter().map(|(executed, _)| *executed)
}

/// The trail of a run with a never claim: the claim is process 0, and its moves have lines of their own.
fn with_claim(observed: &Observed, original: &Interpreter<'_>, task: &LivenessTask) -> Trail {
    let claim = &task.model.claims[0];
    let automaton = &claim.automaton;
    let mut lines = Vec::new();
    let mut cycle_start = None;
    let mut moves = observed.moves.iter().enumerate().peekable();
    for (step, taken) in observed.steps.iter().map(Some).chain([None]).enumerate() {
        while let Some((number, moved)) = moves.next_if(|(_, moved)| moved.before == step) {
            if observed.stem.is_some() && number == observed.stem_moves {
                cycle_start = Some(lines.len());
            }
            let statements = &task.statements[usize::from(moved.state)][moved.number];
            lines.extend(statements.iter().map(|&statement| Entry { pid: 0, id: automaton.trail_id(statement) }));
        }
        if let Some(taken) = taken {
            let shifted = |entry: Entry| Entry { pid: entry.pid + 1, ..entry };
            lines.extend(entries(original, &all(taken).collect::<Vec<_>>()).into_iter().map(shifted));
        }
    }
    Trail { entries: lines, claim: Some(claim.number as i32), cycle_start, ..Trail::default() }
}
