//! Results as text.

use std::fmt::Write;

use homing_check::model::{Confirmation, ErrorGroup, EstimateUse, FirstError, PropertyResult, Run, Unreached};
use homing_check::{Reason, Verdict};

use crate::console::Paint;
use crate::counterexample_text;
use crate::quantity::show_memory;
use crate::{repeats, undecided};

/// What is said of a query `E<> p` without a witness.
pub const NO_WITNESS: &str = "no reachable state satisfies it";

/// How much is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Verdict,
    Usual,
    Everything,
}

/// One result, followed by an empty line unless only the verdict is printed.
pub fn result(result: &PropertyResult, detail: Detail, paint: Paint) -> String {
    let mut text = verdict_line(result, paint);
    if detail == Detail::Verdict {
        return text;
    }
    // the line of the verdict says why a property is not decided
    let is_refused =
        matches!(result.verdict, Verdict::Unknown(Reason::Unsupported | Reason::Invalid | Reason::UnsuitedSearch));
    for warning in result.warnings.iter().filter(|_| !is_refused) {
        let _ = writeln!(text, "  {} {warning}", paint.yellow("warning:"));
    }
    if let Some(counterexample) = &result.counterexample {
        counterexample_text::put(&mut text, counterexample, detail, paint);
    }
    if let Some(groups) = result.run.as_ref().and_then(|run| run.violations.as_ref()).filter(|groups| groups.len() > 1)
    {
        let _ = writeln!(text, "\n  errors by kind and place:");
        groups.iter().for_each(|group| group_part(&mut text, result, group));
    }
    if let Some(run) = &result.run {
        let _ = writeln!(text, "\n  {}", paint.faint(&figures(run)));
        if detail == Detail::Everything {
            let _ = writeln!(text, "  {}", paint.faint(reductions(run)));
        }
        if let Some(confirmation) = result.confirmation {
            let _ = writeln!(text, "  {}", paint.faint(&confirmed(confirmation)));
        }
        if let Some(unreached) = &run.unreached {
            unreached_part(&mut text, unreached);
        }
    }
    text.push('\n');
    text
}

fn confirmed(confirmation: Confirmation) -> String {
    match confirmation {
        Confirmation::Agreed { by, states, seconds } => {
            let by = if by == "bfs" { "a breadth-first search" } else { "the reference explorer" };
            let states = counted(states, "state");
            format!("confirmed without reductions by {by}: {states}, {seconds:.3} s")
        }
        Confirmation::Contradicted => "found without reductions: the search with reductions missed it".to_owned(),
        Confirmation::Unfinished => "not confirmed: the search without reductions hit a limit".to_owned(),
    }
}

fn reductions(run: &Run) -> &'static str {
    if run.reduced {
        "reduced: statements that no other process can observe are merged; dead and unread variables are not stored"
    } else {
        "no reductions"
    }
}

fn verdict_line(result: &PropertyResult, paint: Paint) -> String {
    let property = &result.property;
    match (result.verdict, &result.counterexample) {
        (Verdict::Holds, None) => format!("{property}: {}\n", paint.green("HOLDS")),
        (Verdict::Holds, Some(witness)) => {
            format!("{property}: {}  {}\n", paint.green("HOLDS"), witness.violation.message)
        }
        (Verdict::Violated, None) => {
            format!("{property}: {}  {NO_WITNESS}\n", paint.red("VIOLATED"))
        }
        (Verdict::Violated, counterexample) => {
            let message = counterexample.as_ref().map(|found| found.violation.to_string()).unwrap_or_default();
            let count = match result.run.as_ref().map_or(1, |run| run.errors) {
                0 | 1 => String::new(),
                more => format!(" ({more} errors in all)"),
            };
            format!("{property}: {}  {message}{count}\n", paint.red("VIOLATED"))
        }
        (Verdict::Unknown(reason), _) => {
            format!("{property}: {}  {}\n", paint.yellow("UNKNOWN"), undecided::explain(result, reason))
        }
    }
}

/// One line for the errors of one kind at one place.
fn group_part(text: &mut String, result: &PropertyResult, group: &ErrorGroup) {
    let violation = &group.violation;
    let place = violation.place.as_ref().map(|place| format!("  {place}")).unwrap_or_default();
    let found = if group.is_reported { &result.counterexample } else { &group.counterexample };
    let length = match found {
        Some(found) => {
            let shortest = if found.shortest { ", shortest" } else { "" };
            format!("{}{shortest}", counted(u64::from(found.length), found.unit.word()))
        }
        None => "no path within the limits".to_owned(),
    };
    let _ = writeln!(text, "    {}{place}  ({length})", violation.message);
}

fn figures(run: &Run) -> String {
    let stats = &run.stats;
    let rate = run.states_per_second().map(|rate| format!(" ({rate:.0} states/s)")).unwrap_or_default();
    let mut text = format!(
        "{}{}{}{}: {}, {} ({} matched), depth {}, {:.3} s{rate}, {}",
        run.algorithm.name(),
        randomness(run),
        if stats.reduced > 0 { " with partial-order reduction" } else { "" },
        run.estimate
            .as_ref()
            .map(|estimate| format!(" with heuristic {}", estimate_text(estimate)))
            .unwrap_or_default(),
        states_text(run),
        counted(stats.transitions(), "transition"),
        stats.matched,
        stats.max_depth,
        run.seconds,
        show_memory(stats.memory)
    );
    if let Some(FirstError { stats: first, seconds }) = run.first_error
        && (first.expanded < stats.expanded || run.seconds > 2.0 * seconds + 0.01)
    {
        let _ = write!(text, "; first error after {}, {seconds:.3} s", counted(first.states, "state"));
    }
    if let Some(repeated) = &run.repeated {
        let _ = write!(text, "; {}", repeats::text(repeated));
    }
    if let Some(coverage) = run.store_use.expected_coverage {
        let _ = write!(text, ", expected coverage {:.4} %", coverage * 100.0);
    }
    text
}

/// The width of a search that has one, the store if it keeps states at random, and the seed.
fn randomness(run: &Run) -> String {
    let width = run.algorithm.width().map(|width| format!(" of width {width}")).unwrap_or_default();
    let is_random = run.store_use.is_random;
    let store = if is_random { format!(" with store {}", run.store_use.store) } else { String::new() };
    width + &store + &run.seed.map(|seed| format!(" (seed {seed})")).unwrap_or_default()
}

/// The number of states; where they are stored at random, how many were known at a time, and how often one was expanded.
fn states_text(run: &Run) -> String {
    let stats = &run.stats;
    let states = counted(stats.states, "state");
    if !run.store_use.is_random {
        return states;
    }
    format!("{states} stored, {} at most, {}", stats.peak_states, counted(stats.expanded, "expansion"))
}

/// The name of an estimate and its initial value, to be compared with the length of the path.
fn estimate_text(EstimateUse { name, at_start, abstraction }: &EstimateUse) -> String {
    let prepared = abstraction.as_ref().map_or(String::new(), |one| {
        let cut = if one.is_cut { ", stopped early" } else { "" };
        format!(
            ", {} and {} prepared in {:.3} s{cut}",
            counted(one.factors.into(), "factor"),
            counted(one.labels.into(), "label"),
            one.seconds
        )
    });
    match at_start {
        Some(distance) => format!("{name} (initial estimate {distance}{prepared})"),
        None => format!("{name} (initial estimate: no error is reachable{prepared})"),
    }
}

fn unreached_part(text: &mut String, unreached: &[Unreached]) {
    let mut proctype = None;
    for statement in unreached {
        if proctype != Some(&statement.proctype) {
            proctype = Some(&statement.proctype);
            let name = match statement.proctype.as_str() {
                ":init:" => "init".to_owned(),
                name => format!("proctype {name}"),
            };
            let _ = writeln!(text, "  unreached in {name}");
        }
        let Unreached { file, line, state, text: words, .. } = statement;
        let _ = writeln!(text, "    {file}:{line}, state {state}, \"{words}\"");
    }
}

/// A number with its noun.
pub fn counted(count: u64, what: &str) -> String {
    let ending = if what.ends_with("ch") { "es" } else { "s" };
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}{ending}") }
}

#[cfg(test)]
mod tests {
    use homing_check::{Search, StoreUse};
    use homing_core::{Limit, SourcePlace, Stats, Stop, Violation, ViolationKind};
    use homing_report::{Story, StoryLine, StoryStep};

    use super::*;
    use homing_check::model::Counterexample;

    fn run() -> Run {
        let stats = Stats { states: 3, matched: 1, max_depth: 2, memory: 2048, ..Stats::default() };
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
            atomic_steps: 0,
            compile_seconds: None,
            threads: 1,
            store_use: StoreUse { state_bytes: 8, ..StoreUse::none() },
            seconds: 0.5,
            unreached: None,
            cut: None,
        }
    }

    fn violated(statements: usize) -> PropertyResult {
        let place = SourcePlace { file: "m.pml".to_owned(), line: 7 };
        let line = |number: usize| StoryLine {
            first: number,
            last: number,
            step: StoryStep {
                process: "P(1)".to_owned(),
                place: place.clone(),
                statement: format!("x = {number}"),
                call: None,
            },
            key: number as u64,
            ..StoryLine::default()
        };
        let story = Story { lines: (1..=statements).map(line).collect(), length: statements, cycle_start: None };
        let violation = Violation {
            kind: ViolationKind::Assertion,
            message: "assertion violated (x < 3)".to_owned(),
            place: Some(SourcePlace { file: "m.pml".to_owned(), line: 8 }),
            process: Some("P(1)".to_owned()),
        };
        let counterexample = Counterexample {
            length: statements as u32,
            moves: 1,
            story,
            last: vec!["x = 2".to_owned(), "y = 0".to_owned()],
            last_changed: vec!["x = 2".to_owned()],
            ..Counterexample::at_the_start(violation)
        };
        PropertyResult {
            property: "safety".to_owned(),
            verdict: Verdict::Violated,
            counterexample: Some(counterexample),
            runtime_error: None,
            warnings: Vec::new(),
            confirmation: None,
            run: Some(run()),
        }
    }

    #[test]
    fn a_violation_is_printed_in_full() {
        let expected = "\
safety: VIOLATED  assertion violated (x < 3)
  at m.pml:8 in P(1)
  2 statements (1 move); shortest possible

    1  P(1)  m.pml:7  x = 1
    2  P(1)  m.pml:7  x = 2

  final state:
    x = 2

  bfs: 3 states, 4 transitions (1 matched), depth 2, 0.500 s (6 states/s), 2.0 KiB

";
        assert_eq!(result(&violated(2), Detail::Usual, Paint(false)), expected);
    }

    #[test]
    fn a_verdict_alone_is_one_line() {
        let line = result(&violated(2), Detail::Verdict, Paint(false));
        assert_eq!(line, "safety: VIOLATED  assertion violated (x < 3)\n");
        let colored = result(&violated(2), Detail::Verdict, Paint(true));
        assert!(colored.contains("\x1b[1;31mVIOLATED\x1b[0m"), "{colored}");
    }

    #[test]
    fn a_long_path_is_folded_unless_everything_is_asked_for() {
        let usual = result(&violated(1000), Detail::Usual, Paint(false));
        assert!(usual.contains("(970 steps left out)") && usual.contains("--verbose"), "{usual}");
        let everything = result(&violated(1000), Detail::Everything, Paint(false));
        assert!(!everything.contains("left out") && everything.contains("\n     537  P(1)"), "{everything}");
    }

    #[test]
    fn what_is_unknown_comes_with_a_reason_and_advice() {
        let limited = PropertyResult::unknown("safety".to_owned(), Reason::Stopped(Stop::Limit(Limit::Memory)));
        let text = result(&limited, Detail::Verdict, Paint(false));
        assert_eq!(text, "safety: UNKNOWN  the memory limit was reached: try a larger --memory\n");
    }

    #[test]
    fn unreached_statements_are_listed_as_spin_lists_them() {
        let statement = |proctype: &str, line, state| Unreached {
            proctype: proctype.to_owned(),
            file: "m.pml".to_owned(),
            line,
            state,
            text: "-end-".to_owned(),
        };
        let unreached = vec![statement("P", 4, 3), statement("P", 6, 7), statement(":init:", 9, 2)];
        let holds = PropertyResult {
            property: "safety".to_owned(),
            verdict: Verdict::Holds,
            counterexample: None,
            runtime_error: None,
            warnings: Vec::new(),
            confirmation: None,
            run: Some(Run { unreached: Some(unreached), ..run() }),
        };
        let text = result(&holds, Detail::Usual, Paint(false));
        let expected = "  unreached in proctype P\n    m.pml:4, state 3, \"-end-\"\n    m.pml:6, state 7, \"-end-\"\n  \
                        unreached in init\n    m.pml:9, state 2, \"-end-\"\n\n";
        assert!(text.starts_with("safety: HOLDS\n\n") && text.ends_with(expected), "{text}");
    }
}
