//! What observes the runs of a model and says which are errors: the automaton of a negated formula, a never claim, or the
//! labels of processes. Read from the model by itself, not by the code that homing's searches use.

use homing_ir::{Action, Automaton, Expr, Formula, Model, TemporalBinary, TemporalUnary};
use homing_ltl::{Binary, Letters, Unary};

use super::models::Kind;

/// The most statements of an atomic sequence of a claim.
const MOST_ATOMIC: usize = 20;

/// The most propositions of a claim.
const MOST_PROPOSITIONS: usize = 40;

/// An automaton that moves once before each step of the program, by the letter of the state.
#[derive(Debug)]
pub struct Observer {
    pub initial: usize,
    /// By state.
    pub moves: Vec<Vec<Move>>,
    /// The number of acceptance sets.
    pub sets: u32,
    /// Where a process stands at an accept label, every move is in the one acceptance set.
    pub counts_labels: bool,
    /// The proposition `np_`, which does not hold where nothing moves.
    pub non_progress: Option<u32>,
}

#[derive(Clone, Debug)]
pub struct Move {
    guard: Guard,
    /// The acceptance sets that it is in.
    pub marks: u32,
    pub target: MoveTarget,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveTarget {
    State(usize),
    /// The run so far is an error, however it goes on.
    Error,
}

/// When a move can be made.
#[derive(Clone, Debug)]
enum Guard {
    Letters(Letters),
    /// Propositions with their values.
    All(Vec<(u32, bool)>),
}

impl Move {
    pub fn can_be_made(&self, letter: u64) -> bool {
        match &self.guard {
            Guard::Letters(letters) => letters.contains(letter),
            Guard::All(values) => values.iter().all(|&(bit, value)| (letter >> bit & 1 == 1) == value),
        }
    }
}

impl Observer {
    /// The observer of a property. The model gets the propositions that it reads, and loses its claims and formulas. None
    /// if the model has no such property, or one that is not judged.
    pub fn of_model(model: &mut Model, kind: Kind) -> Option<Observer> {
        let claim = model.claims.pop();
        model.claims.clear();
        let formula = std::mem::take(&mut model.formulas).into_iter().next();
        match kind {
            Kind::Never => Observer::of_claim(model, &claim?.automaton),
            Kind::Ltl => Observer::of_formula(model, &formula?.formula),
            Kind::Accept => {
                let stay = Move { guard: Guard::All(Vec::new()), marks: 0, target: MoveTarget::State(0) };
                let moves = vec![vec![stay]];
                Some(Observer { initial: 0, moves, sets: 1, counts_labels: true, non_progress: None })
            }
            Kind::Progress => Some(Observer::of_progress(model)),
        }
    }

    /// At some time it guesses that there is no progress any more.
    fn of_progress(model: &mut Model) -> Observer {
        let bit = model.add_proposition(&Expr::NonProgress);
        let none = |marks| Move { guard: Guard::All(vec![(bit, true)]), marks, target: MoveTarget::State(1) };
        let wait = Move { guard: Guard::All(Vec::new()), marks: 0, target: MoveTarget::State(0) };
        let moves = vec![vec![none(0), wait], vec![none(1)]];
        Observer { initial: 0, moves, sets: 1, counts_labels: false, non_progress: Some(bit) }
    }

    /// The automaton that `homing ltl` prints for the negation of the formula. A run that comes to where every word is
    /// accepted is an error already.
    fn of_formula(model: &mut Model, formula: &Formula) -> Option<Observer> {
        let negation = homing_ltl::Formula::unary(Unary::Not, numbered(model, formula));
        let automaton = homing_ltl::translate(&negation).ok()?;
        let accepts_all = accepting_all(&automaton);
        let read = |edge: &homing_ltl::Edge| {
            let target = if accepts_all[edge.target] { MoveTarget::Error } else { MoveTarget::State(edge.target) };
            Move { guard: Guard::Letters(edge.letters.clone()), marks: edge.marks, target }
        };
        let moves = automaton.states.iter().map(|edges| edges.iter().map(read).collect()).collect();
        let (initial, sets) = (automaton.initial, automaton.sets);
        Some(Observer { initial, moves, sets, counts_labels: false, non_progress: None })
    }

    /// Observers whose lassos are those of the runs, for lengths: of a formula and of progress; `None` if they are too large.
    pub fn tight(model: &mut Model, kind: Kind) -> Option<Vec<Observer>> {
        model.claims.clear();
        let formula = std::mem::take(&mut model.formulas).into_iter().next();
        let claims: Vec<homing_ltl::Claim> = match kind {
            Kind::Never | Kind::Accept => Vec::new(),
            Kind::Ltl => {
                let negation = homing_ltl::Formula::unary(Unary::Not, numbered(model, &formula?.formula));
                homing_ltl::tight_claims(&negation)?
            }
            Kind::Progress => {
                model.add_proposition(&Expr::NonProgress);
                homing_ltl::Claim::tight_of_non_progress().into()
            }
        };
        let read = |option: &homing_ltl::ClaimMove| {
            let target = match option.target {
                homing_ltl::ClaimTarget::State(target) => MoveTarget::State(target.into()),
                homing_ltl::ClaimTarget::End | homing_ltl::ClaimTarget::Failure(_) => MoveTarget::Error,
            };
            Move { guard: Guard::Letters(option.letters.clone()), marks: option.acceptance, target }
        };
        let observer = |claim: &homing_ltl::Claim| Observer {
            initial: claim.initial.into(),
            moves: claim.moves.iter().map(|options| options.iter().map(read).collect()).collect(),
            sets: claim.sets,
            counts_labels: claim.counts_labels,
            non_progress: claim.non_progress,
        };
        Some(claims.iter().map(observer).collect())
    }

    /// A never claim: an error if it ends or an assertion of it fails, or if it is at an accept label for ever.
    fn of_claim(model: &mut Model, claim: &Automaton) -> Option<Observer> {
        let ends = |at: u32| at == 0 || at == claim.end || claim.location(at).labels.end;
        let mut moves = vec![Vec::new()]; // places are numbered from 1
        for at in 1..claim.locations.len() as u32 {
            let marks = u32::from(claim.location(at).labels.accept);
            let mut found = Vec::new();
            for (values, target) in sequences(model, claim, at)? {
                let target = match target {
                    Some(at) if !ends(at) => MoveTarget::State(at as usize),
                    _ => MoveTarget::Error,
                };
                found.push(Move { guard: Guard::All(values), marks, target });
            }
            moves.push(found);
        }
        if ends(claim.start) {
            let error = Move { guard: Guard::All(Vec::new()), marks: 0, target: MoveTarget::Error };
            moves[claim.start as usize] = vec![error];
        }
        let non_progress = model.propositions.iter().position(|known| *known == Expr::NonProgress);
        let (initial, non_progress) = (claim.start as usize, non_progress.map(|bit| bit as u32));
        Some(Observer { initial, moves, sets: 1, counts_labels: true, non_progress })
    }
}

/// The values of propositions with which a move of a claim is made, and where it leads; nowhere if an assertion fails.
type Sequence = (Vec<(u32, bool)>, Option<u32>);

/// The moves out of a place of a claim; an atomic sequence is one. None if it has statements that are not judged.
fn sequences(model: &mut Model, claim: &Automaton, at: u32) -> Option<Vec<Sequence>> {
    let (mut open, mut done): (Vec<(Sequence, usize)>, _) = (vec![((Vec::new(), Some(at)), 0)], Vec::new());
    while let Some(((values, target), length)) = open.pop() {
        let at = target.filter(|_| length <= MOST_ATOMIC && model.propositions.len() < MOST_PROPOSITIONS)?;
        let (mut others, mut always) = (Vec::new(), false);
        for transition in &claim.location(at).transitions {
            let mut next = values.clone();
            match &claim.statement(transition.statement).action {
                Action::Condition(guard) => {
                    let bit = proposition(model, guard)?;
                    next.push((bit, true));
                    others.push((bit, false));
                }
                Action::Else if always => continue,
                Action::Else => next.extend(&others),
                Action::Assert(condition) => {
                    let bit = proposition(model, condition)?;
                    let failing = values.iter().copied().chain([(bit, false)]).collect();
                    done.push((failing, None));
                    next.push((bit, true));
                    always = true;
                }
                Action::Skip(_) | Action::End => always = true,
                _ => return None,
            }
            let sequence = (next, Some(transition.target));
            if transition.atomic && transition.target != 0 {
                open.push((sequence, length + 1));
            } else {
                done.push(sequence);
            }
        }
    }
    Some(done)
}

/// The number of a condition. `np_` is read only by itself: its value depends on more than the state.
fn proposition(model: &mut Model, condition: &Expr) -> Option<u32> {
    let mut mentions = false;
    condition.walk(&mut |part| mentions |= matches!(part, Expr::NonProgress | Expr::Timeout));
    (!mentions || *condition == Expr::NonProgress).then(|| model.add_proposition(condition))
}

/// The formula over numbered propositions, which the model gets. Formulas of the models here are small.
fn numbered(model: &mut Model, formula: &Formula) -> homing_ltl::Formula {
    match formula {
        Formula::Proposition(Expr::Const { value: 0, .. }) => homing_ltl::Formula::falsity(),
        Formula::Proposition(Expr::Const { .. }) => homing_ltl::Formula::truth(),
        Formula::Proposition(expr) => homing_ltl::Formula::proposition(model.add_proposition(expr)),
        Formula::Unary(op, operand) => {
            let op = match op {
                TemporalUnary::Not => Unary::Not,
                TemporalUnary::Next => Unary::Next,
                TemporalUnary::Always => Unary::Always,
                TemporalUnary::Eventually => Unary::Eventually,
            };
            homing_ltl::Formula::unary(op, numbered(model, operand))
        }
        Formula::Binary(op, left, right) => {
            let op = match op {
                TemporalBinary::And => Binary::And,
                TemporalBinary::Or => Binary::Or,
                TemporalBinary::Implies => Binary::Implies,
                TemporalBinary::Equivalent => Binary::Equivalent,
                TemporalBinary::Until => Binary::Until,
                TemporalBinary::WeakUntil => Binary::WeakUntil,
                TemporalBinary::Release => Binary::Release,
            };
            let left = numbered(model, left);
            homing_ltl::Formula::binary(op, left, numbered(model, right))
        }
    }
}

/// By state of an automaton: whether every word has a run from there all of whose edges are in all acceptance sets.
fn accepting_all(automaton: &homing_ltl::Automaton) -> Vec<bool> {
    let mut holds = vec![true; automaton.states.len()];
    loop {
        let fails = |state: usize| {
            let good = |edge: &&homing_ltl::Edge| edge.marks == automaton.all_marks() && holds[edge.target];
            let edges: Vec<_> = automaton.states[state].iter().filter(good).collect();
            (0..1u64 << automaton.propositions).any(|letter| !edges.iter().any(|edge| edge.letters.contains(letter)))
        };
        let Some(state) = (0..holds.len()).find(|&state| holds[state] && fails(state)) else { return holds };
        holds[state] = false;
    }
}
