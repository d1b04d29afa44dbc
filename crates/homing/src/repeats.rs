//! Statistics of repeated runs: as a table, as JSON, and as a plot.

use homing_check::model::{PropertyResult, Run};
use homing_check::repeat::{Coverage, QUANTILES, Repeated, RunFigures, Sample};
use homing_check::{Reason, Verdict};
use homing_core::{End, Stop};
use homing_report::plot::{Curve, Plot};
use serde::Serialize;

/// What is reported of repeated runs. Quantiles count runs without an error as infinite (null).
#[derive(Serialize)]
pub struct RepeatsEntry {
    runs: u64,
    found: u64,
    success_rate: Option<f64>,
    /// Wilson's interval of 95 %.
    success_interval: Option<(f64, f64)>,
    /// The number of the run that is reported; `--seed` with its number repeats it.
    reported_run: Option<u64>,
    states_quantiles: [Option<u64>; QUANTILES.len()],
    length_quantiles: [Option<u64>; QUANTILES.len()],
    /// Of the runs that found an error only.
    mean_states_if_found: Option<f64>,
    mean_length_if_found: Option<f64>,
    expected_states_with_restarts: Option<f64>,
    /// How much the runs have seen, if there were several and none decided.
    coverage: Option<CoverageEntry>,
}

/// What the runs let one suppose of the states that they have not seen.
#[derive(Serialize)]
struct CoverageEntry {
    states_seen: f64,
    states_at_least: f64,
    seen_at_most: f64,
    next_visit_known: f64,
}

impl From<&Coverage> for CoverageEntry {
    fn from(coverage: &Coverage) -> Self {
        let &Coverage { states_seen, states_at_least, seen_at_most, next_visit_known } = coverage;
        CoverageEntry { states_seen, states_at_least, seen_at_most, next_visit_known }
    }
}

impl RepeatsEntry {
    pub fn new(Repeated { sample, run, proved, coverage }: &Repeated) -> Self {
        RepeatsEntry {
            runs: sample.len(),
            found: sample.successes(),
            success_rate: sample.success_rate(),
            success_interval: sample.success_interval().filter(|_| !proved),
            reported_run: *run,
            states_quantiles: QUANTILES.map(|share| sample.states_quantile(share)),
            length_quantiles: QUANTILES.map(|share| sample.length_quantile(share)),
            mean_states_if_found: sample.mean_states_if_found(),
            mean_length_if_found: sample.mean_length(),
            expected_states_with_restarts: sample.expected_states_with_restarts(),
            coverage: coverage.as_ref().map(CoverageEntry::from),
        }
    }
}

/// The figures of repeated runs for the text output of `check`.
pub fn text(Repeated { sample, run, proved, coverage }: &Repeated) -> String {
    let Some((low, high)) = sample.success_interval() else { return "no run was made".to_owned() };
    let runs = sample.len();
    match run {
        Some(run) if *proved => format!("run {run}, counted from 0, visited all states"),
        Some(run) if sample.successes() > 0 => format!("error found by run {run}, counted from 0, of {runs}"),
        _ => {
            let seen = coverage.as_ref().map(|coverage| format!("; {}", seen(coverage))).unwrap_or_default();
            let (low, high) = (probability(low), probability(high));
            format!("no error in {runs} runs: a run finds one with a probability of {low} to {high} (95 %){seen}")
        }
    }
}

/// A probability with two digits that are not zero.
fn probability(value: f64) -> String {
    let digits = if value > 0.0 && value < 0.1 { (1.0 - value.log10()).ceil() as usize } else { 2 };
    format!("{value:.digits$}")
}

/// How much the runs have seen. Some states are far less likely to be seen than others: so there may be many more, and no share of the
/// state space is named.
fn seen(Coverage { states_seen, states_at_least, seen_at_most, .. }: &Coverage) -> String {
    format!(
        "the runs expanded {states_seen:.0} different states; probably there are at least {states_at_least:.0}, so that at most {:.0} % \
         were seen",
        100.0 * seen_at_most
    )
}

pub const COLUMNS: [&str; 9] =
    ["method", "runs", "found", "rate (95 %)", "states: median", "90 %", "mean if found", "with restarts", "length"];

/// The runs of one method.
pub struct Runs {
    pub method: String,
    pub sample: Sample,
    /// The method is random and was repeated; else it does the same each time.
    pub is_repeated: bool,
}

impl Runs {
    /// The runs that led to a result; none if nothing was searched.
    pub fn of(result: &PropertyResult) -> Option<Self> {
        let run = result.run.as_ref()?;
        let method = method_name(run);
        if let Some(repeated) = &run.repeated {
            return Some(Runs { method, sample: repeated.sample.clone(), is_repeated: true });
        }
        let only = RunFigures {
            run: 0,
            expanded: run.first_error.map_or(run.stats, |first| first.stats).expanded,
            length: result.counterexample.as_ref().map(|found| found.length),
            end: match result.verdict {
                Verdict::Violated => End::Found,
                Verdict::Holds => End::Exhausted,
                Verdict::Unknown(Reason::Stopped(stop)) => End::Stopped(stop),
                Verdict::Unknown(_) => End::Stopped(Stop::GivenUp),
            },
        };
        Some(Runs { method, sample: Sample { runs: vec![only] }, is_repeated: false })
    }
}

/// A row of the table of `compare`.
pub fn cells(Runs { method, sample, is_repeated }: &Runs) -> [String; COLUMNS.len()] {
    let infinite = |quantile: Option<u64>| quantile.map_or("∞".to_owned(), |value| value.to_string());
    let mean = |mean: Option<f64>| mean.map_or("-".to_owned(), |value| format!("{value:.0}"));
    let rate = match (sample.success_rate(), sample.success_interval()) {
        (Some(rate), Some((low, high))) if *is_repeated => format!("{rate:.3} ({low:.3}-{high:.3})"),
        _ => "-".to_owned(),
    };
    [
        method.clone(),
        sample.len().to_string(),
        sample.successes().to_string(),
        rate,
        infinite(sample.states_quantile(0.5)),
        infinite(sample.states_quantile(0.9)),
        mean(sample.mean_states_if_found()),
        mean(sample.expected_states_with_restarts()),
        infinite(sample.length_quantile(0.5)),
    ]
}

/// The name of a method: the search, with its width and its estimate.
fn method_name(run: &Run) -> String {
    let width = run.algorithm.width().map(|width| format!(" {width}")).unwrap_or_default();
    let estimate = run.estimate.as_ref().map(|estimate| format!(" {}", estimate.name)).unwrap_or_default();
    let store = if run.store_use.is_random { format!(" {}", run.store_use.store) } else { String::new() };
    format!("{}{width}{estimate}{store}", run.algorithm.name())
}

/// The share of runs that found an error against the states that they expanded.
pub fn plot(title: String, runs: &[Runs]) -> String {
    let curve = |Runs { method, sample, is_repeated }: &Runs| Curve {
        name: method.clone(),
        corners: sample.cumulative(),
        known_until: sample.horizon(),
        band: sample.band().filter(|_| *is_repeated),
    };
    Plot { title, curves: runs.iter().map(curve).collect() }.svg()
}
