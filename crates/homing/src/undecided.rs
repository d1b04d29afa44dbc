//! Explains verdicts that are unknown.

use homing_check::Reason;
use homing_check::model::PropertyResult;
use homing_core::{Limit, Stop};
use homing_engine::CutRun;

/// Why the verdict of a result is unknown, and what to try next.
pub fn explain(result: &PropertyResult, reason: Reason) -> String {
    // a step that was too long to be followed
    let cut = result.run.as_ref().and_then(|run| run.cut.as_ref());
    match reason {
        Reason::Hidden => {
            "the model reads hidden variables, which --plain leaves out of the state as SPIN does: no error was \
                           found, but one may be missed; try without --plain"
                .to_owned()
        }
        Reason::AtomicLabel => {
            "no error was found, but an accept label stands at the last statement of an atomic sequence, where no process is \
             ever seen: put the label in front of the sequence or after it"
                .to_owned()
        }
        Reason::Lossy => {
            "no error was found, but the store may have lost states: try --store tree, which loses none".to_owned()
        }
        Reason::Unsupported | Reason::Invalid | Reason::UnsuitedSearch => {
            result.warnings.first().cloned().unwrap_or_else(|| "the property is not supported".to_owned())
        }
        Reason::Stopped(stop) => match stop {
            Stop::Limit(Limit::Depth) => {
                "no error was found, but paths were cut off at --max-depth: try a larger one, or none"
            }
            Stop::Limit(Limit::States) | Stop::GivenUp => {
                "the limit on states was reached: try a larger --max-states, or none"
            }
            Stop::Limit(Limit::Memory) => "the memory limit was reached: try a larger --memory",
            Stop::Limit(Limit::Timeout) => "the time limit was reached: try a longer --timeout",
            Stop::Dropped => {
                "no error was found, but the search dropped states: try a larger --width, another --seed, or --search auto"
            }
            Stop::Interrupted | Stop::Superseded => "interrupted before the search finished",
            Stop::Limit(Limit::CutOff) => {
                let cause = cut.map_or("a step is too long to be followed".to_owned(), CutRun::to_string);
                return format!("no error was found, but the search is incomplete: {cause}");
            }
        }
        .to_owned(),
    }
}
