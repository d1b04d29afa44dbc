//! The judges of a model: the reference explorer for every model, SPIN for some.

use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use homing_engine::Findings;
use homing_engine::Reference;
use homing_ir::Model;
use homing_promela::preprocess::Options;

use super::comparison::{Difference, Question};
use super::themes::Theme;
use crate::spin::{Answer, ErrorKind, Spin};

/// Models with more nodes are skipped.
const MOST_NODES: u64 = 20_000;

/// The limit for themes with large models.
const MOST_NODES_OF_WIDE_MODELS: u64 = 150_000;

/// Models that take longer are skipped too: some nodes have many moves.
const PATIENCE: Duration = Duration::from_secs(5);

/// Reads a model as homing does.
pub fn read(text: &str) -> Option<Model> {
    homing_promela::read("model.pml", text.to_owned(), &Options::default()).model
}

/// The findings of the reference explorer; none if the model is too large, or has no initial state.
pub fn explore(model: &Model, theme: Theme) -> Option<Findings> {
    let most = if theme == Theme::Wide { MOST_NODES_OF_WIDE_MODELS } else { MOST_NODES };
    let start = Instant::now();
    let keep_going = || if start.elapsed() < PATIENCE { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let findings = Reference::new(model).ok()?.explore(most, keep_going);
    findings.complete.then_some(findings)
}

/// Where SPIN differs from the reference explorer; none if SPIN cannot judge the model.
///
/// Left out: models with priorities, which pan follows wrongly where a process has local variables; the number of states
/// with hidden variables; all but the verdict where a run-time error ends pan or makes it go on with arbitrary values.
pub fn ask_spin(spin: &Spin, text: &str, model: &Model, findings: &Findings) -> io::Result<Option<Vec<Difference>>> {
    if model.features.priorities {
        return Ok(None);
    }
    let hidden = model.globals.iter().any(|variable| variable.hidden);
    let mut differences = Vec::new();
    let mut compare = |what: &str, spin: String, own: String| {
        if spin != own {
            let (judge, homing) = (format!("SPIN {what} {spin}"), format!("reference {own}"));
            differences.push(Difference { question: Question::Judges, judge, homing });
        }
    };
    let violated = |errors: bool| if errors { "violated" } else { "holds" }.to_owned();
    let own = violated(!findings.violations.is_empty());
    match spin.ask_text(text)? {
        Answer::Refused(_) | Answer::TooBig(_) => return Ok(None),
        Answer::Crashed(_) => compare("verdict", violated(true), own),
        Answer::Searched(facts) => {
            compare("verdict", violated(facts.full.errors > 0), own);
            if !facts.counts_are_void() && !findings.failed && !hidden {
                compare("states", facts.full.stored.to_string(), findings.states.to_string());
                if let (Some(length), Some(shortest)) = (facts.shortest, findings.shortest())
                    && !facts.has_error(ErrorKind::Trace)
                {
                    compare("length", length.to_string(), shortest.to_string());
                }
            }
        }
    }
    Ok(Some(differences))
}
