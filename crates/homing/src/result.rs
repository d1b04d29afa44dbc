//! The results of properties.

use homing_check::{Reason, Search, StoreUse, Verdict};
use homing_core::{Cost, Stats, Violation};
use homing_engine::CutRun;

use crate::confirm::Confirmation;
use crate::counterexample::Counterexample;
use crate::exit::Exit;

/// A statement that no run reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    pub proctype: String,
    pub file: String,
    pub line: u32,
    /// SPIN's number of the control state before it.
    pub state: u32,
    pub text: String,
}

/// An estimate that directed a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EstimateUse {
    /// The name in the JSON output.
    pub name: &'static str,
    /// The estimate of the initial state; `None` if it claims that no error is reachable.
    pub at_start: Option<Cost>,
}

/// The figures of a search.
#[derive(Debug)]
pub struct Run {
    pub algorithm: Search,
    /// The estimate that directed the search.
    pub estimate: Option<EstimateUse>,
    /// A reduced copy of the model was searched.
    pub reduced: bool,
    pub errors: u64,
    /// The distinct violations, with `--all-errors`.
    pub violations: Option<Vec<Violation>>,
    pub stats: Stats,
    pub atomic_steps: u64,
    /// None if nothing was compiled.
    pub compile_seconds: Option<f64>,
    pub threads: usize,
    pub store_use: StoreUse,
    pub seconds: f64,
    /// Known only when every reachable state was expanded.
    pub unreached: Option<Vec<Unreached>>,
    /// A step that was too long to be followed.
    pub cut: Option<CutRun>,
}

impl Run {
    /// None when the time was too short to be measured.
    pub fn states_per_second(&self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.stats.states as f64 / self.seconds)
    }
}

/// The result of one property.
#[derive(Debug)]
pub struct PropertyResult {
    pub property: String,
    pub verdict: Verdict,
    pub counterexample: Option<Counterexample>,
    /// How a second proof of `holds` ended; none if there was no second proof.
    pub confirmation: Option<Confirmation>,
    /// None when nothing was searched.
    pub run: Option<Run>,
}

impl PropertyResult {
    /// The result of a property that was not searched.
    pub fn unknown(property: String, reason: Reason) -> Self {
        let verdict = Verdict::Unknown(reason);
        PropertyResult { property, verdict, counterexample: None, confirmation: None, run: None }
    }
}

/// The exit code of the results: a violation outweighs an unknown verdict, an interrupt outweighs both.
pub fn exit(verdicts: impl Iterator<Item = Verdict>, interrupted: bool) -> Exit {
    if interrupted {
        return Exit::Interrupted;
    }
    let mut exit = Exit::Holds;
    for verdict in verdicts {
        match verdict {
            Verdict::Violated => return Exit::Violated,
            Verdict::Unknown(_) => exit = Exit::Undecided,
            Verdict::Holds => {}
        }
    }
    exit
}

#[cfg(test)]
mod tests {
    use homing_core::{Limit, Stop};

    use super::*;

    #[test]
    fn a_violation_outweighs_what_is_undecided() {
        let unknown = Verdict::Unknown(Reason::Stopped(Stop::Limit(Limit::Memory)));
        for (verdicts, expected) in [
            (vec![Verdict::Holds, Verdict::Holds], Exit::Holds),
            (vec![Verdict::Holds, unknown], Exit::Undecided),
            (vec![unknown, Verdict::Violated], Exit::Violated),
            (vec![Verdict::Violated, unknown, Verdict::Holds], Exit::Violated),
        ] {
            assert_eq!(exit(verdicts.iter().copied(), false), expected);
            assert_eq!(exit(verdicts.into_iter(), true), Exit::Interrupted);
        }
    }
}
