//! Results as text.

use std::fmt::Write;

use homing_check::Verdict;
use homing_check::model::{
    Confirmation, Counterexample, Cycle, ErrorGroup, EstimateUse, LeftOut, PropertyResult, Run, Share, Unreached,
};
use homing_ir::Model;

use crate::console::Paint;
use crate::quantity::show_memory;
use crate::undecided;

/// How much is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Verdict,
    Usual,
    Everything,
}

/// The middle of longer paths is left out without `--verbose`.
const MOST_STEPS: usize = 200;

/// One result, followed by an empty line unless only the verdict is printed.
pub fn result(result: &PropertyResult, model: &Model, detail: Detail, paint: Paint) -> String {
    let mut text = verdict_line(result, paint);
    if detail == Detail::Verdict {
        return text;
    }
    if let Some(counterexample) = &result.counterexample {
        let most = (detail == Detail::Usual).then_some(MOST_STEPS);
        counterexample_part(&mut text, counterexample, model, most, paint);
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
            format!("confirmed without reductions by {by}: {states} states, {seconds:.3} s")
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
        (Verdict::Holds, _) => format!("{property}: {}\n", paint.green("HOLDS")),
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

fn counterexample_part(text: &mut String, found: &Counterexample, model: &Model, most: Option<usize>, paint: Paint) {
    let violation = &found.violation;
    let place = violation.place.as_ref().map(|place| format!("at {place}"));
    let process = violation.process.as_ref().map(|process| format!("in {process}"));
    let at: Vec<String> = place.into_iter().chain(process).collect();
    if !at.is_empty() {
        let _ = writeln!(text, "  {}", at.join(" "));
    }
    let shortest = match (found.shortest, &found.cycle) {
        (false, _) => "",
        (true, Some(Cycle { folded: Some(_), .. })) => "; no lasso of the product with the claim is shorter",
        (true, _) => "; no path to an error is shorter",
    };
    let statements = |count: usize| counted(count as u64, "statement");
    let length = match &found.cycle {
        None => format!("after {} in {}", statements(found.length as usize), counted(found.moves as u64, "move")),
        Some(Cycle { start, .. }) if *start == found.length as usize => {
            format!("after {}, when nothing moves any more", statements(*start))
        }
        Some(Cycle { start, .. }) => {
            format!("after {}, by a cycle of {}", statements(*start), statements(found.length as usize - start))
        }
    };
    let _ = writeln!(text, "  {length}{shortest}");
    if let Some(folded) = found.cycle.as_ref().and_then(|cycle| cycle.folded) {
        let _ = writeln!(text, "  without what the claim does, the same run takes {}", statements(folded));
    }
    if !found.shown.statements.is_empty() || found.cycle.is_some() {
        text.push('\n');
        indent(text, found.story(model, most).lines());
        if most.is_some_and(|most| most < found.shown.statements.len()) {
            let _ = writeln!(text, "  {}", paint.faint("(--verbose shows all steps)"));
        }
    }
    found.cycle.iter().for_each(|cycle| cycle_part(text, cycle, found.length as usize));
    let why = found.why.lines();
    if !why.is_empty() {
        text.push_str("\n  why:\n");
        indent(text, why.iter().map(String::as_str));
    }
    if !found.last.is_empty() {
        text.push_str("\n  the state at the end:\n");
        indent(text, found.last.iter().map(String::as_str));
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
            format!("{}{shortest}", counted(u64::from(found.length), "statement"))
        }
        None => "no path within the limits".to_owned(),
    };
    let _ = writeln!(text, "    {}{place}  ({length})", violation.message);
}

/// What holds in a cycle, and who does not move in it.
fn cycle_part(text: &mut String, cycle: &Cycle, length: usize) {
    let left_out = if cycle.start == length { &[][..] } else { &cycle.left_out };
    if !cycle.propositions.is_empty() || !left_out.is_empty() {
        text.push_str("\n  in the cycle:\n");
    }
    for (proposition, share) in &cycle.propositions {
        let holds = match share {
            Share::All => "always holds",
            Share::Some => "holds sometimes",
            Share::None => "never holds",
        };
        let _ = writeln!(text, "    {proposition}  {holds}");
    }
    for LeftOut { process, can_move } in left_out {
        let excluded = match can_move {
            Share::All => "does not move though it always can: --fairness weak excludes this cycle",
            Share::Some => "does not move though it sometimes can: --fairness strong excludes this cycle",
            Share::None => "cannot move",
        };
        let _ = writeln!(text, "    {process}  {excluded}");
    }
}

fn indent<'a>(text: &mut String, lines: impl Iterator<Item = &'a str>) {
    for line in lines {
        let _ = writeln!(text, "    {line}");
    }
}

fn figures(run: &Run) -> String {
    let stats = &run.stats;
    let rate = run.states_per_second().map(|rate| format!(" ({rate:.0} states/s)")).unwrap_or_default();
    let mut text = format!(
        "{}{}{}: {}, {} ({} matched), depth {}, {:.3} s{rate}, {}",
        run.algorithm.name(),
        if stats.reduced > 0 { " with partial-order reduction" } else { "" },
        run.estimate.map(|estimate| format!(" with heuristic {}", estimate_text(estimate))).unwrap_or_default(),
        counted(stats.states, "state"),
        counted(stats.transitions(), "transition"),
        stats.matched,
        stats.max_depth,
        run.seconds,
        show_memory(stats.memory)
    );
    if let Some(coverage) = run.store_use.expected_coverage {
        let _ = write!(text, ", expected coverage {:.4} %", coverage * 100.0);
    }
    text
}

/// The name of an estimate and its initial value, to be compared with the length of the path.
fn estimate_text(EstimateUse { name, at_start }: EstimateUse) -> String {
    match at_start {
        Some(distance) => format!("{name} (initial estimate {distance})"),
        None => format!("{name} (initial estimate: no error is reachable)"),
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
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use homing_check::{Reason, Search, StoreUse};
    use homing_core::{Limit, SourcePlace, Stats, Stop, Violation, ViolationKind};
    use homing_engine::Executed;
    use homing_ir::{Action, Automaton, Place, Proctype, ProctypeId, Statement, StatementId};

    use super::*;
    use homing_check::model::Reordered;

    fn model() -> Model {
        let action = Action::Skip("x = 3".into());
        let statement = Statement { action, place: Place { file: 0, line: 7 } };
        let proctype = Proctype {
            name: "P".to_owned(),
            locals: Vec::new(),
            params: 0,
            inits: Vec::new(),
            provided: None,
            deterministic: false,
            automaton: Automaton { statements: vec![statement], ..Automaton::default() },
            place: Place::default(),
        };
        Model { sources: vec!["m.pml".to_owned()], proctypes: vec![proctype], ..Model::default() }
    }

    fn run() -> Run {
        let stats = Stats { states: 3, matched: 1, max_depth: 2, memory: 2048, ..Stats::default() };
        Run {
            algorithm: Search::Bfs,
            estimate: None,
            reduced: true,
            errors: 1,
            violations: None,
            stats,
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
        let executed = Executed { pid: 1, proctype: ProctypeId(0), statement: StatementId(0) };
        let violation = Violation {
            kind: ViolationKind::Assertion,
            message: "assertion violated (x < 3)".to_owned(),
            place: Some(SourcePlace { file: "m.pml".to_owned(), line: 8 }),
            process: Some("P(1)".to_owned()),
        };
        let counterexample = Counterexample {
            length: statements as u32,
            moves: 1,
            shown: Reordered { statements: vec![executed; statements], ..Reordered::default() },
            last: vec!["x = 3".to_owned()],
            ..Counterexample::at_the_start(violation)
        };
        PropertyResult {
            property: "safety".to_owned(),
            verdict: Verdict::Violated,
            counterexample: Some(counterexample),
            confirmation: None,
            run: Some(run()),
        }
    }

    #[test]
    fn a_violation_is_printed_in_full() {
        let expected = "\
safety: VIOLATED  assertion violated (x < 3)
  at m.pml:8 in P(1)
  after 2 statements in 1 move; no path to an error is shorter

    1  P(1)  m.pml:7  x = 3
    2  P(1)  m.pml:7  x = 3

  the state at the end:
    x = 3

  bfs: 3 states, 4 transitions (1 matched), depth 2, 0.500 s (6 states/s), 2.0 KiB

";
        assert_eq!(result(&violated(2), &model(), Detail::Usual, Paint(false)), expected);
    }

    #[test]
    fn a_verdict_alone_is_one_line() {
        let line = result(&violated(2), &model(), Detail::Verdict, Paint(false));
        assert_eq!(line, "safety: VIOLATED  assertion violated (x < 3)\n");
        let colored = result(&violated(2), &model(), Detail::Verdict, Paint(true));
        assert!(colored.contains("\x1b[1;31mVIOLATED\x1b[0m"), "{colored}");
    }

    #[test]
    fn a_long_path_is_folded_unless_everything_is_asked_for() {
        let usual = result(&violated(1000), &model(), Detail::Usual, Paint(false));
        assert!(usual.contains("(800 steps left out)") && usual.contains("--verbose"), "{usual}");
        let everything = result(&violated(1000), &model(), Detail::Everything, Paint(false));
        assert!(!everything.contains("left out") && everything.contains("\n     537  P(1)"), "{everything}");
    }

    #[test]
    fn what_is_unknown_comes_with_a_reason_and_advice() {
        let limited = PropertyResult::unknown("safety".to_owned(), Reason::Stopped(Stop::Limit(Limit::Memory)));
        let text = result(&limited, &model(), Detail::Verdict, Paint(false));
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
            confirmation: None,
            run: Some(Run { unreached: Some(unreached), ..run() }),
        };
        let text = result(&holds, &model(), Detail::Usual, Paint(false));
        let expected = "  unreached in proctype P\n    m.pml:4, state 3, \"-end-\"\n    m.pml:6, state 7, \"-end-\"\n  \
                        unreached in init\n    m.pml:9, state 2, \"-end-\"\n\n";
        assert!(text.starts_with("safety: HOLDS\n\n") && text.ends_with(expected), "{text}");
    }
}
