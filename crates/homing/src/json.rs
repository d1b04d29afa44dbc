//! The JSON document of `homing check`, as `docs/json.md` specifies it. A field that does not apply is null, never
//! absent.

use homing_check::Verdict;
use homing_check::model::{Confirmation, Counterexample, ErrorGroup, FirstError, PropertyResult, Reordered, Run};
use homing_core::Violation;
use homing_heuristics::Preparation;
use serde::Serialize;

use crate::formats::{ModelReport, Outcome};
use crate::problem::Problem;
use crate::repeats::RepeatsEntry;

/// The document of one model, or an array with one for each of several.
pub fn document(reports: &[ModelReport]) -> String {
    let documents: Vec<Document<'_>> = reports.iter().map(Document::new).collect();
    let text = match &documents[..] {
        [document] => serde_json::to_string_pretty(document),
        all => serde_json::to_string_pretty(all),
    };
    let mut text = text.expect("the document has string keys and finite numbers");
    text.push('\n');
    text
}

#[derive(Serialize)]
struct Document<'a> {
    homing: &'static str,
    model: &'a str,
    warnings: &'a [Problem],
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<ResultEntry<'a>>>,
    /// The errors of a model that was refused, instead of results.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics: Option<&'a [Problem]>,
}

impl<'a> Document<'a> {
    fn new(report: &'a ModelReport) -> Self {
        let (results, diagnostics) = match &report.outcome {
            Outcome::Results { results, .. } => (Some(results.iter().map(ResultEntry::new).collect()), None),
            Outcome::Refused(problems) => (None, Some(&problems[..])),
        };
        let ModelReport { name, warnings, .. } = report;
        Document { homing: env!("CARGO_PKG_VERSION"), model: name, warnings, results, diagnostics }
    }
}

#[derive(Serialize)]
struct ResultEntry<'a> {
    property: &'a str,
    verdict: &'static str,
    reason: Option<&'static str>,
    warnings: &'a [String],
    confirmed: Option<bool>,
    error: Option<ErrorEntry<'a>>,
    /// Of a query: a run-time error that is reachable, and does not decide it.
    runtime_error: Option<ErrorEntry<'a>>,
    errors: Option<u64>,
    /// The errors by kind and place, with --all-errors.
    violations: Option<Vec<GroupEntry<'a>>>,
    trail: Option<TrailEntry>,
    search: Option<SearchEntry>,
    stats: Option<StatsEntry>,
    unreached: Option<Vec<UnreachedEntry<'a>>>,
}

#[derive(Serialize)]
struct ErrorEntry<'a> {
    kind: &'static str,
    message: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    process: Option<&'a str>,
    /// The cause in one sentence.
    summary: Option<&'a str>,
}

/// The errors of one kind at one place.
#[derive(Serialize)]
struct GroupEntry<'a> {
    #[serde(flatten)]
    error: ErrorEntry<'a>,
    /// A path to one of them; null if none was found within the limits.
    trail: Option<TrailEntry>,
}

#[derive(Serialize)]
struct TrailEntry {
    file: Option<String>,
    length: u32,
    moves: usize,
    /// Process switches in the order in which the trail is shown; the file keeps the order of the search.
    switches: usize,
    switches_as_found: usize,
    cycle_start: Option<u32>,
    /// Of a lasso with a never claim whose run takes fewer statements without the moves of the claim: how many.
    folded_length: Option<u32>,
    shortest: bool,
    /// No path is shorter than this, if that is known of one that is not proved shortest.
    lower_bound: Option<u32>,
}

#[derive(Serialize)]
struct SearchEntry {
    algorithm: &'static str,
    heuristic: Option<&'static str>,
    abstraction: Option<AbstractionEntry>,
    store: &'static str,
    por: bool,
    /// Why it was not used, if there is a reason.
    por_off: Option<String>,
    threads: usize,
    engine: &'static str,
    seed: Option<u64>,
    lossless: bool,
    repeats: Option<RepeatsEntry>,
}

/// What preparing an abstraction took.
#[derive(Serialize)]
struct AbstractionEntry {
    bound: u32,
    factors: u32,
    labels: u32,
    products: u32,
    classes: u64,
    untracked: Vec<String>,
    complete: bool,
    seconds: f64,
}

impl AbstractionEntry {
    fn new(preparation: &Preparation) -> Self {
        let Preparation { bound, factors, labels, products, classes, ref untracked, is_cut, seconds } = *preparation;
        let (untracked, complete) = (untracked.clone(), !is_cut);
        AbstractionEntry { bound, factors, labels, products, classes, untracked, complete, seconds }
    }
}

#[derive(Serialize)]
struct StatsEntry {
    states: u64,
    expanded: u64,
    matched: u64,
    transitions: u64,
    atomic_steps: u64,
    reopened: u64,
    peak_states: u64,
    max_depth: u32,
    /// No run of so many statements leads to an error.
    proved_within: Option<u32>,
    state_bytes: usize,
    /// The bytes of the store per state, including what states share.
    stored_bytes_per_state: Option<f64>,
    expected_coverage: Option<f64>,
    seconds: f64,
    compile_seconds: Option<f64>,
    memory_bytes: u64,
    states_per_second: Option<f64>,
    first_error: Option<FirstErrorEntry>,
    fewest_switches: Option<FewestSwitchesEntry>,
}

/// The part of the figures up to the first error.
#[derive(Serialize)]
struct FirstErrorEntry {
    states: u64,
    expanded: u64,
    transitions: u64,
    seconds: f64,
    memory_bytes: u64,
}

/// The part of the figures for a path with fewer process switches.
#[derive(Serialize)]
struct FewestSwitchesEntry {
    states: u64,
    expanded: u64,
    transitions: u64,
}

#[derive(Serialize)]
struct UnreachedEntry<'a> {
    proctype: &'a str,
    file: &'a str,
    line: u32,
    state: u32,
    text: &'a str,
    written: Option<&'a str>,
}

impl<'a> ResultEntry<'a> {
    fn new(result: &'a PropertyResult) -> Self {
        let reason = match result.verdict {
            Verdict::Unknown(reason) => Some(reason.name()),
            Verdict::Holds | Verdict::Violated => None,
        };
        let run = result.run.as_ref();
        ResultEntry {
            property: &result.property,
            verdict: result.verdict.name(),
            reason,
            warnings: &result.warnings,
            confirmed: confirmed(result),
            // a query that holds with a witness has a trail and no error
            error: result.counterexample.as_ref().filter(|_| result.verdict != Verdict::Holds).map(ErrorEntry::of),
            runtime_error: result.runtime_error.as_ref().map(|beside| ErrorEntry::new(&beside.violation)),
            errors: run.map(|run| run.errors),
            violations: run.and_then(|run| run.violations.as_ref()).map(|groups| {
                let entry = |group: &'a ErrorGroup| {
                    let found = if group.is_reported { &result.counterexample } else { &group.counterexample };
                    let summary = found.as_ref().and_then(|found| found.why.summary.as_deref());
                    let error = ErrorEntry { summary, ..ErrorEntry::new(&group.violation) };
                    GroupEntry { error, trail: found.as_ref().map(TrailEntry::new) }
                };
                groups.iter().map(entry).collect()
            }),
            trail: result.counterexample.as_ref().map(TrailEntry::new),
            search: run.map(SearchEntry::new),
            stats: run.map(StatsEntry::new),
            unreached: run.and_then(|run| run.unreached.as_ref()).map(|unreached| {
                let entry = |statement: &'a homing_check::model::Unreached| UnreachedEntry {
                    proctype: &statement.proctype,
                    file: &statement.file,
                    line: statement.line,
                    state: statement.state,
                    text: &statement.text,
                    written: statement.written.as_deref(),
                };
                unreached.iter().map(entry).collect()
            }),
        }
    }
}

/// Whether a verdict `holds` was proved twice; for other verdicts whether a shortest length was, null if that was not asked. False if
/// the second proof found the error, or a shorter path.
fn confirmed(result: &PropertyResult) -> Option<bool> {
    match (result.verdict, result.confirmation) {
        (Verdict::Holds, confirmation) => Some(matches!(confirmation, Some(Confirmation::Agreed { .. }))),
        (_, Some(Confirmation::Agreed { .. })) => Some(true),
        (_, Some(Confirmation::Contradicted | Confirmation::Shorter)) => Some(false),
        _ => None,
    }
}

impl<'a> ErrorEntry<'a> {
    fn of(found: &'a Counterexample) -> Self {
        ErrorEntry {
            file: found.place().map(|place| place.file.as_str()),
            line: found.place().map(|place| place.line),
            process: found.process(),
            summary: found.why.summary.as_deref(),
            ..ErrorEntry::new(&found.violation)
        }
    }

    fn new(violation: &'a Violation) -> Self {
        ErrorEntry {
            kind: violation.kind.name(),
            message: &violation.message,
            file: violation.place.as_ref().map(|place| place.file.as_str()),
            line: violation.place.as_ref().map(|place| place.line),
            process: violation.process.as_deref(),
            summary: None,
        }
    }
}

impl TrailEntry {
    fn new(counterexample: &Counterexample) -> Self {
        let &Counterexample { length, moves, shortest, at_least: lower_bound, .. } = counterexample;
        let file = counterexample.file.as_ref().map(|file| file.display().to_string());
        let Reordered { switches, switches_as_found, .. } = counterexample.shown;
        let cycle_start = counterexample.cycle.as_ref().map(|cycle| cycle.start as u32 + 1);
        let folded_length = counterexample.cycle.as_ref().and_then(|cycle| cycle.folded).map(|length| length as u32);
        TrailEntry {
            file,
            length,
            moves,
            switches,
            switches_as_found,
            cycle_start,
            folded_length,
            shortest,
            lower_bound,
        }
    }
}

impl SearchEntry {
    fn new(run: &Run) -> Self {
        SearchEntry {
            algorithm: run.algorithm.name(),
            heuristic: run.estimate.as_ref().map(|estimate| estimate.name),
            abstraction: run.estimate.as_ref().and_then(|one| one.abstraction.as_ref()).map(AbstractionEntry::new),
            store: run.store_use.store,
            por: run.stats.reduced > 0,
            por_off: run.not_reduced.map(|why| why.to_string()),
            threads: run.threads,
            engine: if run.compile_seconds.is_some() { "compiled" } else { "interpreted" },
            seed: run.seed,
            lossless: run.store_use.lossless,
            repeats: run.repeated.as_ref().map(RepeatsEntry::new),
        }
    }
}

impl StatsEntry {
    fn new(run: &Run) -> Self {
        let stats = &run.stats;
        // the store is that of the search that decided, without those for a shorter path
        let stored = run.first_error.map_or(stats.states, |first| first.stats.states);
        StatsEntry {
            states: stats.states,
            expanded: stats.expanded,
            matched: stats.matched,
            transitions: stats.transitions(),
            atomic_steps: run.atomic_steps,
            reopened: stats.reopened,
            peak_states: stats.peak_states,
            max_depth: stats.max_depth,
            proved_within: run.proved_within().filter(|_| run.errors == 0),
            state_bytes: run.store_use.state_bytes,
            stored_bytes_per_state: (stored > 0).then(|| run.store_use.used as f64 / stored as f64),
            expected_coverage: run.store_use.expected_coverage,
            seconds: run.seconds,
            compile_seconds: run.compile_seconds,
            memory_bytes: stats.memory,
            states_per_second: run.states_per_second(),
            first_error: run.first_error.map(|FirstError { stats, seconds }| FirstErrorEntry {
                states: stats.states,
                expanded: stats.expanded,
                transitions: stats.transitions(),
                seconds,
                memory_bytes: stats.memory,
            }),
            fewest_switches: run.fewest_switches.map(|stats| FewestSwitchesEntry {
                states: stats.states,
                expanded: stats.expanded,
                transitions: stats.transitions(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use homing_check::{Reason, Search, StoreUse};
    use homing_core::{SourcePlace, Stats, ViolationKind};
    use serde_json::{Value, json};

    use super::*;
    use crate::exit::Exit;
    use homing_check::model::Unreached;

    fn entry(result: PropertyResult) -> Value {
        let outcome = Outcome::Results { model: Box::default(), results: vec![result] };
        let (name, options, warnings) = ("m.pml".to_owned(), String::new(), Vec::new());
        let report = ModelReport { name, options, outcome, warnings, exit: Exit::Holds };
        let document: Value = serde_json::from_str(&document(&[report])).expect("JSON");
        assert_eq!(document["homing"], env!("CARGO_PKG_VERSION"));
        assert_eq!(document["model"], "m.pml");
        document["results"][0].clone()
    }

    fn run() -> Run {
        let stats = Stats {
            states: 67,
            expanded: 17,
            matched: 6,
            revisited: 0,
            reopened: 0,
            peak_states: 67,
            reduced: 0,
            left_out: 0,
            max_depth: 34,
            clear_below: 0,
            contradictions: 0,
            memory: 812_345,
        };
        Run {
            algorithm: Search::Bfs,
            estimate: None,
            seed: None,
            repeated: None,
            reduced: true,
            not_reduced: None,
            errors: 1,
            violations: None,
            stats,
            first_error: None,
            fewest_switches: None,
            atomic_steps: 3,
            compile_seconds: Some(0.25),
            threads: 1,
            store_use: StoreUse { state_bytes: 120, used: 670, ..StoreUse::none() },
            seconds: 0.5,
            unreached: None,
            cut: None,
        }
    }

    #[test]
    fn a_violation() {
        let violation = Violation {
            kind: ViolationKind::InvalidEndState,
            message: "invalid end state".to_owned(),
            place: Some(SourcePlace { file: "m.pml".to_owned(), line: 12 }),
            process: Some("Phil(2)".to_owned()),
        };
        let counterexample = Counterexample {
            length: 34,
            moves: 17,
            file: Some("m.pml.trail".into()),
            ..Counterexample::at_the_start(violation)
        };
        let result = PropertyResult {
            property: "safety".to_owned(),
            verdict: Verdict::Violated,
            counterexample: Some(counterexample),
            runtime_error: None,
            warnings: Vec::new(),
            confirmation: None,
            run: Some(run()),
        };
        let expected = json!({
            "property": "safety", "verdict": "violated", "reason": null, "warnings": [], "confirmed": null,
            "error": { "kind": "invalid-end-state", "message": "invalid end state", "file": "m.pml", "line": 12,
                       "process": "Phil(2)", "summary": null },
            "runtime_error": null, "errors": 1, "violations": null,
            "trail": { "file": "m.pml.trail", "length": 34, "moves": 17, "switches": 0, "switches_as_found": 0, "cycle_start": null, "folded_length": null, "shortest": true,
                       "lower_bound": null },
            "search": { "algorithm": "bfs", "heuristic": null, "store": "exact", "por": false, "por_off": null, "threads": 1,
                        "engine": "compiled", "seed": null, "lossless": true, "repeats": null, "abstraction": null },
            "stats": { "states": 67, "expanded": 17, "matched": 6, "transitions": 73, "atomic_steps": 3, "reopened": 0,
                       "peak_states": 67, "max_depth": 34, "proved_within": null, "state_bytes": 120,
                       "stored_bytes_per_state": 10.0, "expected_coverage": null, "seconds": 0.5,
                       "compile_seconds": 0.25, "memory_bytes": 812_345, "states_per_second": 134.0,
                       "first_error": null, "fewest_switches": null },
            "unreached": null
        });
        assert_eq!(entry(result), expected);
    }

    #[test]
    fn what_does_not_apply_is_null() {
        let result = PropertyResult::unknown("p".to_owned(), Reason::Hidden);
        let expected = json!({
            "property": "p", "verdict": "unknown", "reason": "incomplete-search", "warnings": [], "confirmed": null, "error": null, "runtime_error": null, "errors": null,
            "violations": null, "trail": null, "search": null, "stats": null, "unreached": null
        });
        assert_eq!(entry(result), expected);
    }

    #[test]
    fn unreached_statements() {
        let statement = Unreached {
            proctype: "P".to_owned(),
            file: "m.pml".to_owned(),
            line: 3,
            state: 5,
            text: "x = (x+1)".to_owned(),
            written: Some("x++".to_owned()),
        };
        let result = PropertyResult {
            property: "safety".to_owned(),
            verdict: Verdict::Holds,
            counterexample: None,
            runtime_error: None,
            warnings: Vec::new(),
            confirmation: None,
            run: Some(Run { unreached: Some(vec![statement]), ..run() }),
        };
        let expected =
            json!([{ "proctype": "P", "file": "m.pml", "line": 3, "state": 5, "text": "x = (x+1)", "written": "x++" }]);
        assert_eq!(entry(result)["unreached"], expected);
    }
}
