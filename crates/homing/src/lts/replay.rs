//! `homing replay` on a labelled transition system: finds a run with the labels of a trail.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use homing_lts::{Edge, LabelText, Lts, Pattern};
use serde::Serialize;

use super::run::{self, RunStep};
use super::trail::{self, ReadTrail, StepEntry};
use super::{load, refuse};
use crate::bounded::{self, MOST_OF_TRAIL};
use crate::cli::ReplayArgs;
use crate::console::{Console, Look};
use crate::error::{Error, MissingMacros};
use crate::exit::Exit;
use crate::text::counted;

/// A trail that is no run of the system.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("step {step}: {reason}")]
pub struct Misfit {
    pub step: usize,
    pub reason: String,
}

/// Replays a trail.
pub fn replay(args: &ReplayArgs, console: &Console) -> Result<Exit, Error> {
    refuse::reading(&args.model.reading)?;
    refuse::first(&[
        (args.chart.is_some(), "--chart"),
        (args.diff, "--diff"),
        (!args.values.is_empty(), "--values"),
        (args.as_found, "--as-found"),
    ])?;
    let path = args.trail.clone().unwrap_or_else(|| crate::trail::beside(&args.model.path));
    let read = read(&path)?;
    let lts = load::load(&args.model)?;
    let misfit = |misfit| Error::LtsMisfit { path: path.clone(), misfit };
    let steps = follow(&lts, &read).map_err(misfit)?;
    let error = error(&lts, &steps, &read).map_err(misfit)?;
    let text = if args.json {
        document(args, &path, &lts, &steps, error.as_deref())
    } else {
        text(args, &lts, &steps, error.as_deref(), console.look)
    };
    console.result(&text)?;
    match error {
        Some(_) => Ok(Exit::Violated),
        None if read.unfinished => Ok(Exit::Holds),
        None => Err(Error::Unfinished { path, step: steps.len(), macros: MissingMacros::default() }),
    }
}

fn read(path: &Path) -> Result<ReadTrail, Error> {
    let bytes = bounded::file(path, MOST_OF_TRAIL).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => crate::trail::no_trail(path),
        _ => Error::Unreadable { path: path.to_owned(), source },
    })?;
    trail::parse(&bytes).map_err(|error| Error::Trail { path: path.to_owned(), error })
}

/// A run with the labels of the trail. Several steps of a state can have the same label, so all states that the labels can lead
/// to are kept, each with the first step that leads there; a run to a state without steps is preferred.
pub fn follow(lts: &Lts, trail: &ReadTrail) -> Result<Vec<RunStep>, Misfit> {
    let mut levels: Vec<HashMap<u32, RunStep>> = Vec::with_capacity(trail.labels.len());
    for (at, label) in trail.labels.iter().enumerate() {
        let is_next = |edge: &Edge| {
            let text = lts.labels().text(edge.label);
            match &trail.states {
                None => text == &label[..],
                Some(states) => states[at] == edge.target && String::from_utf8_lossy(text).as_bytes() == &label[..],
            }
        };
        let mut sources: Vec<u32> = match levels.last() {
            Some(level) => level.keys().copied().collect(),
            None => vec![lts.initial()],
        };
        sources.sort_unstable();
        let mut level = HashMap::new();
        for &from in &sources {
            for edge in lts.edges(from).filter(is_next) {
                level.entry(edge.target).or_insert(RunStep { from, edge });
            }
        }
        if level.is_empty() {
            let reason = format!("{} is not possible in state {}", LabelText(label), sources[0]);
            return Err(Misfit { step: at + 1, reason });
        }
        levels.push(level);
    }
    let Some(last) = levels.last() else { return Ok(Vec::new()) };
    let best = last.keys().copied().min_by_key(|&state| (lts.edges(state).len() > 0, state));
    let mut state = best.expect("a level has states");
    let mut steps = Vec::with_capacity(levels.len());
    for level in levels.iter().rev() {
        let step = level[&state];
        steps.push(step);
        state = step.from;
    }
    steps.reverse();
    Ok(steps)
}

/// The error at the end of a run, if there is one.
fn error(lts: &Lts, steps: &[RunStep], trail: &ReadTrail) -> Result<Option<String>, Misfit> {
    let misfit = |reason| Misfit { step: steps.len(), reason };
    if let Some(pattern) = &trail.action {
        let matches = Pattern::parse(pattern).map_err(|error| misfit(error.to_string()))?;
        let last = steps.last().map(|step| step.edge.label);
        return match last.filter(|&label| matches.matches(lts.labels().text(label))) {
            Some(label) => Ok(Some(format!("the action {} occurs", lts.labels().show(label)))),
            None => Err(misfit(format!("the last action does not match {pattern}"))),
        };
    }
    let state = steps.last().map_or(lts.initial(), |step| step.edge.target);
    let is_stuck = lts.edges(state).len() == 0;
    Ok(is_stuck.then(|| format!("deadlock: state {state} has no transitions")))
}

fn is_shown(args: &ReplayArgs, number: usize) -> bool {
    args.from.is_none_or(|from| number >= from) && args.to.is_none_or(|to| number <= to)
}

fn text(args: &ReplayArgs, lts: &Lts, steps: &[RunStep], error: Option<&str>, look: Look) -> String {
    let mut story = run::story(lts, steps);
    story.lines.retain(|line| is_shown(args, line.first));
    let mut text: String = story.text(look.width).iter().map(|line| format!("{}\n", line.text)).collect();
    if !args.quiet {
        let ending = error.unwrap_or("the run ends without an error");
        text.push_str(&format!("\n{ending}\n  after {}\n", counted(steps.len() as u64, "transition")));
    }
    text
}

#[derive(Serialize)]
struct Document {
    homing: &'static str,
    model: String,
    trail: PathBuf,
    /// How the run ends: violation or open.
    ending: &'static str,
    errors: Vec<String>,
    length: usize,
    initial: u32,
    steps: Vec<StepEntry>,
}

fn document(args: &ReplayArgs, path: &Path, lts: &Lts, steps: &[RunStep], error: Option<&str>) -> String {
    let document = Document {
        homing: env!("CARGO_PKG_VERSION"),
        model: args.model.path.display().to_string(),
        trail: path.to_owned(),
        ending: if error.is_some() { "violation" } else { "open" },
        errors: error.map(str::to_owned).into_iter().collect(),
        length: steps.len(),
        initial: lts.initial(),
        steps: trail::entries(lts, steps),
    };
    let mut text = serde_json::to_string_pretty(&document).expect("the document has string keys and finite numbers");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_found_although_the_first_choice_is_wrong() {
        let text = b"des (0,4,4)\n(0,\"a\",1)\n(0,\"a\",2)\n(1,\"c\",0)\n(2,\"b\",3)\n";
        let lts = homing_lts::read(&text[..]).expect("a system");
        let trail = |labels: &[&str]| ReadTrail {
            labels: labels.iter().map(|label| label.as_bytes().to_vec()).collect(),
            ..ReadTrail::default()
        };
        let targets = |trail: &ReadTrail| {
            follow(&lts, trail).map(|steps| steps.iter().map(|step| step.edge.target).collect::<Vec<_>>())
        };
        assert_eq!(targets(&trail(&["a", "b"])), Ok(vec![2, 3]));
        assert_eq!(targets(&trail(&["a", "c", "a"])), Ok(vec![1, 0, 1]));
        let misfit = targets(&trail(&["a", "x"])).expect_err("no run");
        assert_eq!((misfit.step, misfit.reason.as_str()), (2, "\"x\" is not possible in state 1"));
        let exact = ReadTrail { states: Some(vec![2]), ..trail(&["a"]) };
        assert_eq!(targets(&exact), Ok(vec![2]));
        assert!(targets(&ReadTrail { states: Some(vec![3]), ..trail(&["a"]) }).is_err());
    }
}
