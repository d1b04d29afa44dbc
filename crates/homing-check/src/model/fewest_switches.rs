//! Of all shortest paths to an error, one with the fewest process switches.

use homing_core::{Stats, StopToken, Violation};
use homing_engine::Interpreter;
use homing_ir::Lengths;
use homing_search::fewest_switches::{self, Wanted};

use super::counterexample::Counterexample;
use super::decide::{Unconfirmed, confirm};
use super::reordered::Reordered;
use super::search_task::SearchTask;

/// Steps that this search may generate: some hundredths of a second.
const UNNOTICED: u64 = 1 << 16;

/// Replaces a path that is proved shortest by one of the same length, to an error of the same kind, with fewer process
/// switches. Gives up after [`UNNOTICED`] steps. Returns what it took.
pub(super) fn minimize_switches(
    task: &SearchTask,
    found: &mut Counterexample,
    stop: &StopToken,
) -> Result<Stats, String> {
    let Reordered { switches, switches_as_found, .. } = found.shown;
    if !found.shortest || switches == 0 {
        return Ok(Stats::default());
    }
    let interpreter = match Interpreter::new(task.measured()) {
        Ok(interpreter) if interpreter.hidden_prefix() == 0 => interpreter.stopped_by(stop.clone()),
        _ => return Ok(Stats::default()),
    };
    let kind = found.violation.kind;
    let wanted = Wanted { length: found.length, below: switches as u32, steps: UNNOTICED };
    let is_error = |violation: &Violation| violation.kind == kind && task.safety.is_refuted_by(kind);
    let (path, stats) = fewest_switches::search(&interpreter, is_error, wanted);
    if let Some(path) = path {
        match confirm(path, (&interpreter, Lengths::Exact), task, stop) {
            Ok(fewer) => *found = fewer,
            Err(Unconfirmed::Stopped | Unconfirmed::CutOff) => return Ok(stats),
            Err(Unconfirmed::Differs(what)) => return Err(what),
        }
        found.shown.switches_as_found = switches_as_found;
    }
    Ok(stats)
}
