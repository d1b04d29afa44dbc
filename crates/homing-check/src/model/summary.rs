//! The sentence that a cause begins with. It says what was executed, and guesses nothing.

use homing_core::Violation;
use homing_engine::{Player, Waiting};

use super::cause::{Cause, CauseKind, Writer};
use super::counterexample::Share;
use super::cycle::Observation;
use super::data_flow::DataFlow;
use super::deadlock::{Deadlock, Wait};

/// How many values a sentence names.
const MOST_VALUES: usize = 3;

/// How many processes a sentence names.
const MOST_PROCESSES: usize = 4;

/// What failed: a condition of a statement, or of a state.
pub(super) enum Failed<'a> {
    /// An assertion of the last statement.
    Assertion,
    /// The last statement cannot be executed.
    Fault(&'a Violation),
    /// A condition that has to hold in every state, or one that a query asks for.
    Condition { text: String, value: String },
    /// A formula after which no continuation satisfies it.
    Formula,
}

/// The sentence for a run that ends in an error; `causes` are the parts of the condition that failed.
pub(super) fn of_failure(
    flow: &DataFlow,
    player: &Player<'_, '_>,
    failed: &Failed<'_>,
    causes: &[Cause],
) -> Option<String> {
    let last = (!flow.statements.is_empty()).then(|| Writer::of(flow, player, flow.statements.len()));
    if let Some(lost) = lost(causes) {
        return Some(lost);
    }
    let values = values(causes);
    if values.is_empty() && !matches!(failed, Failed::Condition { .. }) {
        return None; // the message says as much
    }
    let values =
        |word: &str| if values.is_empty() { String::new() } else { format!("{word} {}", values.join(" and ")) };
    Some(match (failed, &last) {
        (Failed::Assertion, Some(Writer { step, process, statement })) => {
            format!("{process} executed {statement} at step {step}{}.", values(", but"))
        }
        (Failed::Fault(violation), Some(Writer { step, process, statement })) => {
            format!("{process} executed {statement} at step {step}: {}{}.", violation.message, values(", where"))
        }
        (Failed::Condition { text, value }, Some(Writer { step, process, statement })) => {
            let at = format!("{text} is {value} after step {step}, {process}: {statement}");
            format!("{at}{}.", values(", where"))
        }
        (Failed::Condition { text, value }, None) => {
            format!("{text} is {value} in the initial state{}.", values(", where"))
        }
        (Failed::Formula, Some(Writer { step, process, statement })) => {
            let at = format!("After step {step}, {process}: {statement}, no continuation satisfies the formula");
            format!("{at}{}.", values(", because"))
        }
        (Failed::Formula, None) => format!("No run satisfies the formula{}.", values(", because")),
        (Failed::Assertion | Failed::Fault(_), None) => return None,
    })
}

/// The sentence for an update that was overwritten by a process that had not read it.
fn lost(causes: &[Cause]) -> Option<String> {
    causes.iter().find_map(|cause| {
        let Cause { kind, text, writer, causes, .. } = cause;
        let written = || causes.iter().rfind(|inside| inside.kind == CauseKind::Write)?.writer.as_ref();
        let update = causes.iter().find(|inside| inside.kind == CauseKind::Lost);
        match (kind, update.zip(writer.as_ref().or_else(written))) {
            (CauseKind::Expression, _) => lost(causes),
            (CauseKind::Variable, Some((Cause { value: Some(value), writer: Some(by), .. }, last))) => Some(format!(
                "{} set {text} = {value} at step {}, and {} overwrote that at step {} without having read it.",
                by.process, by.step, last.process, last.step
            )),
            _ => None,
        }
    })
}

/// The values that decide a condition, each with the statement that wrote it.
fn values(causes: &[Cause]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open: Vec<&Cause> = causes.iter().rev().collect();
    while let Some(cause) = open.pop() {
        let last = || cause.causes.iter().rfind(|inside| inside.kind == CauseKind::Write);
        let writer = cause.writer.as_ref().or_else(|| last().and_then(|write| write.writer.as_ref()));
        match (cause.kind, &cause.value) {
            (CauseKind::Expression, _) => open.extend(cause.causes.iter().rev()),
            (CauseKind::Variable | CauseKind::Location, Some(value)) => {
                let since = match writer {
                    Some(Writer { step, process, statement }) => format!(" since step {step} ({process}: {statement})"),
                    None => " from the start".to_owned(),
                };
                let is = if cause.kind == CauseKind::Variable { "=" } else { "is" };
                let value = format!("{} {is} {value}{since}", cause.text);
                if !found.contains(&value) {
                    found.push(value);
                }
            }
            _ => {}
        }
    }
    found.truncate(MOST_VALUES);
    found
}

/// The sentence for a run after which no process can move; `step` is its last one, if it does not end in an error.
pub(super) fn of_deadlock(deadlock: &Deadlock, step: Option<usize>) -> Option<String> {
    let begin = match step {
        None => "All processes wait: ".to_owned(),
        Some(0) => "Nothing ever moves: ".to_owned(),
        Some(step) => format!("After step {step} nothing moves any more: "),
    };
    if let [first, rest @ ..] = &deadlock.circle[..]
        && !rest.is_empty()
    {
        let names: Vec<&String> = deadlock.circle.iter().chain([first]).collect();
        let mut pairs: Vec<String> = names.windows(2).map(|pair| format!("{} for {}", pair[0], pair[1])).collect();
        if pairs.len() > MOST_PROCESSES {
            let last = pairs.pop().unwrap_or_default();
            pairs.truncate(MOST_PROCESSES - 2);
            pairs.push(format!("... and {last}"));
        }
        return Some(format!("{begin}{}, in a circle.", pairs.join(", ")));
    }
    let is_stuck = |wait: &&Wait| !wait.waiting.may_end || step.is_some();
    let mut waits: Vec<String> = deadlock.waits.iter().filter(is_stuck).filter_map(waits_for).collect();
    let more = waits.len().saturating_sub(MOST_PROCESSES - 1);
    if more > 1 {
        waits.truncate(MOST_PROCESSES - 1);
        waits.push(format!("{more} more processes wait"));
    }
    if waits.is_empty() {
        return step.map(|step| match step {
            0 => "Nothing ever moves: all processes have terminated.".to_owned(),
            step => format!("After step {step} nothing moves any more: all processes have terminated."),
        });
    }
    let begin = if step.is_none() { "No process can move: ".to_owned() } else { begin };
    Some(format!("{begin}{}.", waits.join("; ")))
}

/// What a process waits for, unless it has terminated.
fn waits_for(wait: &Wait) -> Option<String> {
    let waiting = &wait.waiting;
    if waiting.statements.is_empty() {
        let Waiting { process, place, .. } = waiting;
        return Some(format!("{process} waits at {place}, where every guard is constant and never true"));
    }
    let mut statements = waiting.statements.iter().zip(&wait.statements).filter(|(blocked, _)| blocked.text != "-end-");
    let (blocked, waits) = statements.next()?;
    let reason = waits.never.as_deref().unwrap_or(&blocked.reason);
    let others = statements.count();
    let others = match others {
        0 => String::new(),
        1 => " or one other statement".to_owned(),
        more => format!(" or {more} other statements"),
    };
    let place = &waiting.place;
    Some(format!("{} waits at {place} for {}{others} ({reason})", waiting.process, blocked.text))
}

/// The sentence for a run that ends in a cycle of these steps.
pub(super) fn of_cycle(observed: &Observation, (from, to): (usize, usize)) -> String {
    let mut sentence = match from == to {
        true => format!("Step {from} repeats forever"),
        false => format!("Steps {from} to {to} repeat forever"),
    };
    let never: Vec<&str> = match &observed.never_comes[..] {
        [] => {
            let never = observed.propositions.iter().filter(|(_, share)| *share == Share::None);
            never.map(|(text, _)| text.as_str()).collect()
        }
        awaited => awaited.iter().map(String::as_str).collect(),
    };
    match (&never[..], observed.never_comes.is_empty()) {
        ([], _) => {}
        (all, true) => sentence += &format!(", and {} never holds in them", all.join(" or ")),
        (all, false) => sentence += &format!(", and {}, which the formula waits for, never comes", all.join(" or ")),
    }
    let passed: Vec<&str> = observed
        .left_out
        .iter()
        .filter(|one| one.can_move != Share::None)
        .map(|one| one.process.as_str())
        .take(MOST_PROCESSES)
        .collect();
    if !passed.is_empty() {
        sentence += &format!("; {} could move and never does", passed.join(", "));
    }
    sentence + "."
}
