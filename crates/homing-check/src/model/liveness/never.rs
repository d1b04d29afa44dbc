//! Never claims as automata that a product runs.

use homing_core::{Condition, SourcePlace, Violation, ViolationKind};
use homing_ir::print::Printer;
use homing_ir::{Action, Automaton, BinaryOp, Expr, Model, StatementId, UnaryOp};
use homing_ltl::{Claim, ClaimMove, ClaimTarget, Letters};

/// Why a never claim is not decided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClaimError {
    /// It has a statement that changes the state, which a claim must not.
    #[error("{place}: a claim observes and changes nothing; `{text}` cannot be part of one")]
    Effect {
        /// Where it is.
        place: SourcePlace,
        /// The statement.
        text: String,
    },
    /// A formula that has no automaton.
    #[error(transparent)]
    Translation(#[from] homing_ltl::TranslationError),
    /// The automaton of a formula is too large.
    #[error(transparent)]
    TooManyStates(#[from] homing_ltl::TooManyStates),
    /// It has more propositions, or states, than can be handled.
    #[error("the claim is too large: it has {0}")]
    TooLarge(String),
}

/// A never claim that a product can run, with the statements that its moves are made of.
#[derive(Clone, Debug)]
pub(super) struct Never {
    pub claim: Claim,
    pub failures: Vec<Violation>,
    /// By state, in the order of its moves.
    pub statements: Vec<Vec<Vec<StatementId>>>,
}

/// The most statements of an atomic sequence of a claim.
const MOST_ATOMIC: usize = 64;

/// A move while it is put together.
#[derive(Clone)]
struct Partial {
    at: u32,
    guards: Vec<(Expr, bool)>,
    statements: Vec<StatementId>,
    atomic: bool,
    fails: Option<u16>,
}

impl Never {
    /// Reads a claim of the model, which gets its propositions.
    pub fn of(model: &mut Model, number: usize) -> Result<Self, ClaimError> {
        let automaton = model.claims[number].automaton.clone();
        let mut failures = Vec::new();
        let mut found = Vec::new();
        for at in 0..automaton.locations.len() as u32 {
            found.push(moves(model, &automaton, at, &mut failures)?);
        }
        let is_end = |at: u32| at == 0 || at == automaton.end || automaton.location(at).labels.end;
        if is_end(automaton.start) && !Condition::CycleClaimEnd.is_off() {
            // it has ended before it reads anything
            let end = Partial { at: 0, guards: Vec::new(), statements: Vec::new(), atomic: false, fails: None };
            found[automaton.start as usize] = vec![end];
        }
        let guards = found.iter().flatten().flat_map(|option| option.guards.iter().map(|(guard, _)| guard));
        for guard in guards.cloned().collect::<Vec<_>>() {
            propose(model, &guard);
        }
        let propositions = model.propositions.len();
        if propositions >= Letters::MOST_PROPOSITIONS {
            return Err(ClaimError::TooLarge(format!("{propositions} conditions")));
        }
        u16::try_from(found.len()).map_err(|_| ClaimError::TooLarge(format!("{} states", found.len())))?;
        let claim_moves = found.iter().enumerate().map(|(at, options)| {
            let accepting = automaton.locations[at].labels.accept;
            let moves = options.iter().map(|option| ClaimMove {
                letters: option
                    .guards
                    .iter()
                    .fold(Letters::all(propositions), |all, guard| all.and(&letters_of(model, guard))),
                acceptance: u32::from(accepting),
                target: match option.fails {
                    Some(failure) => ClaimTarget::Failure(failure),
                    None if is_end(option.at) => ClaimTarget::End,
                    None => ClaimTarget::State(option.at as u16),
                },
            });
            moves.collect()
        });
        let mut claim = Claim::new(automaton.start as u16, 1, propositions, claim_moves.collect());
        claim.evaluated = found.iter().map(|options| evaluated(model, options)).collect();
        claim.accepting = automaton.locations.iter().map(|location| location.labels.accept).collect();
        if model.has_label(|labels| labels.accept) {
            claim = claim.with_labels();
        }
        let non_progress = model.propositions.iter().position(|proposition| *proposition == Expr::NonProgress);
        claim.non_progress = non_progress.map(|bit| bit as u32);
        let statements = found.into_iter().map(|options| options.into_iter().map(|option| option.statements).collect());
        Ok(Never { claim, failures, statements: statements.collect() })
    }
}

/// The moves out of a location, in order. An atomic sequence is one move: all its guards are evaluated in the same state.
fn moves(
    model: &Model,
    automaton: &Automaton,
    at: u32,
    failures: &mut Vec<Violation>,
) -> Result<Vec<Partial>, ClaimError> {
    let start = Partial { at, guards: Vec::new(), statements: Vec::new(), atomic: true, fails: None };
    let (mut open, mut done) = (vec![start], Vec::new());
    while let Some(partial) = open.pop() {
        if !partial.atomic || partial.fails.is_some() || partial.at == 0 {
            done.push(partial);
            continue;
        }
        if partial.statements.len() > MOST_ATOMIC {
            return Err(ClaimError::TooLarge("an atomic sequence that does not end".to_owned()));
        }
        let mut next = Vec::new();
        let mut conditions: Vec<Expr> = Vec::new();
        let mut always = false;
        for transition in &automaton.location(partial.at).transitions {
            let statement = automaton.statement(transition.statement);
            let mut option = Partial { at: transition.target, atomic: transition.atomic, ..partial.clone() };
            option.statements.push(transition.statement);
            match &statement.action {
                Action::Condition(guard) => {
                    conditions.push(guard.clone());
                    option.guards.push((guard.clone(), true));
                }
                Action::Else if always => continue,
                Action::Else => option.guards.extend(conditions.iter().map(|guard| (guard.clone(), false))),
                Action::Assert(condition) => {
                    always = true;
                    let mut failure = option.clone();
                    failure.guards.push((condition.clone(), false));
                    failure.fails = Some(failures.len() as u16);
                    failures.push(violation(model, condition, statement.place));
                    next.push(failure);
                    option.guards.push((condition.clone(), true));
                }
                Action::Skip(_) | Action::Print { .. } | Action::PrintMtype(_) | Action::End => always = true,
                action => {
                    let text = Printer { model, proctype: None }.action(action);
                    return Err(ClaimError::Effect { place: place(model, statement.place), text });
                }
            }
            next.push(option);
        }
        open.extend(next.into_iter().rev());
    }
    Ok(done)
}

/// The conditions that are evaluated on the way to moves with several guards: each guard where those before it hold.
fn evaluated(model: &Model, options: &[Partial]) -> Vec<Letters> {
    let mut evaluated = Vec::new();
    for option in options.iter().filter(|option| option.guards.len() > 1) {
        let mut so_far = Letters::all(model.propositions.len());
        for guard in &option.guards {
            so_far = so_far.and(&letters_of(model, guard));
            if !evaluated.contains(&so_far) {
                evaluated.push(so_far.clone());
            }
        }
    }
    evaluated
}

fn place(model: &Model, place: homing_ir::Place) -> SourcePlace {
    SourcePlace { file: model.sources[place.file as usize].clone(), line: place.line }
}

fn violation(model: &Model, condition: &Expr, at: homing_ir::Place) -> Violation {
    let message = format!("assertion violated: {}", Printer { model, proctype: None }.source(condition));
    let place = Some(place(model, at));
    Violation { kind: ViolationKind::Assertion, message, place, process: None }
}

/// Whether an expression is read as a formula over its parts: `np_` has another value where nothing moves, so that it is a
/// proposition of its own.
fn is_split(expr: &Expr) -> bool {
    let mut mentions = false;
    expr.walk(&mut |part| mentions |= matches!(part, Expr::NonProgress));
    mentions && matches!(expr, Expr::Unary(UnaryOp::Not, _) | Expr::Binary(BinaryOp::And | BinaryOp::Or, ..))
}

/// Adds the propositions of a condition to the model.
fn propose(model: &mut Model, expr: &Expr) {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match expr {
            Expr::Const { .. } => {}
            Expr::Unary(_, operand) if is_split(expr) => open.push(operand),
            Expr::Binary(_, left, right) if is_split(expr) => open.extend([&**left, &**right]),
            _ => {
                model.add_proposition(expr);
            }
        }
    }
}

/// The letters with which a guard is passed: its condition holds, or does not.
fn letters_of(model: &Model, (guard, holds): &(Expr, bool)) -> Letters {
    let letters = letters(model, guard);
    if *holds { letters } else { letters.not() }
}

/// The letters with which a condition holds.
fn letters(model: &Model, expr: &Expr) -> Letters {
    let propositions = model.propositions.len();
    match expr {
        Expr::Const { value: 0, .. } => Letters::empty(propositions),
        Expr::Const { .. } => Letters::all(propositions),
        Expr::Unary(_, operand) if is_split(expr) => letters(model, operand).not(),
        Expr::Binary(BinaryOp::And, left, right) if is_split(expr) => letters(model, left).and(&letters(model, right)),
        Expr::Binary(_, left, right) if is_split(expr) => letters(model, left).or(&letters(model, right)),
        _ => {
            let number = model.propositions.iter().position(|known| known == expr);
            Letters::proposition(propositions, number.expect("all propositions were added"))
        }
    }
}
