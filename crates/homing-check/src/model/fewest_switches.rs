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

/// States that this search may expand after any other: some milliseconds.
const FEW: u64 = 1 << 11;

/// The states that this search may expand after a search with these figures: a quarter to a half of those that it has expanded. A
/// power of two, as the last few expansions of several threads differ from run to run.
fn affordable(spent: Stats) -> u64 {
    (spent.expanded.next_power_of_two() / 4).max(FEW)
}

/// Replaces a path that is proved shortest by one of the same length, to an error of the same kind, with fewer process
/// switches. Gives up when it takes much in comparison with what was `spent` on finding it, or after [`UNNOTICED`] steps. Returns what it
/// took; `None` if nothing was searched.
pub(super) fn minimize_switches(
    task: &SearchTask,
    found: &mut Counterexample,
    spent: Stats,
    stop: &StopToken,
) -> Result<Option<Stats>, String> {
    let Reordered { switches, switches_as_found, .. } = found.shown;
    if !found.shortest || switches == 0 {
        return Ok(None);
    }
    let interpreter = match Interpreter::new(task.measured()) {
        Ok(interpreter) if interpreter.hidden_prefix() == 0 => interpreter.stopped_by(stop.clone()),
        _ => return Ok(None),
    };
    let kind = found.violation.kind;
    let wanted =
        Wanted { length: found.length, below: switches as u32, steps: UNNOTICED, expansions: affordable(spent) };
    let is_error = |violation: &Violation| violation.kind == kind && task.safety.is_refuted_by(kind);
    let (path, stats) = fewest_switches::search(&interpreter, is_error, wanted);
    if let Some(path) = path {
        match confirm(path, (&interpreter, Lengths::Exact), task, stop) {
            Ok(fewer) => *found = fewer,
            Err(Unconfirmed::Stopped | Unconfirmed::CutOff) => return Ok(Some(stats)),
            Err(Unconfirmed::Differs(what)) => return Err(what),
        }
        found.shown.switches_as_found = switches_as_found;
    }
    Ok(Some(stats))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_affordable_grows_with_what_was_spent() {
        let most = |expanded| affordable(Stats { expanded, ..Stats::default() });
        assert_eq!([0, 1000, 8192].map(most), [FEW; 3]);
        assert_eq!(most(20_000), 8192);
        for expanded in [10_000, 123_456, 1 << 30] {
            assert!((expanded / 4..=expanded / 2).contains(&most(expanded)), "{expanded}");
        }
    }
}
