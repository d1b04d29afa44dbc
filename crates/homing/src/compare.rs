//! `homing compare`: several searches on one model, side by side, as in the tables of the papers.

use std::time::Instant;

use homing_check::model::{LengthUnit, PropertyResult};
use homing_check::repeat::OnSuccess;
use homing_check::{OnError, PartialOrder, Reason, Sought, Verdict};
use serde::Serialize;

use crate::cli::{CompareArgs, Heuristic, Search};
use crate::console::{Console, When};
use crate::decide::{self, Method, Session, Task};
use crate::error::Error;
use crate::exit::Exit;
use crate::output::Output;
use crate::quantity::show_memory;
use crate::repeats::{self, RepeatsEntry};
use crate::{input, interrupt, lts, option_conflict, result};

pub fn run(args: &CompareArgs, console: &Console) -> Result<Exit, Error> {
    option_conflict::refuse_idle_seed(&args.options, searches(args, Sought::Error))?;
    let interrupt = interrupt::listen();
    let session = Session::new(&args.options, &args.model.path, console, &interrupt);
    let (mut rows, mut samples, mut verdicts) = (Vec::new(), Vec::new(), Vec::new());
    let decided = |method, result: PropertyResult| {
        rows.push(Row::new(&result, method));
        if let Some((run, repeated)) = result.run.as_ref().and_then(|run| Some((run, run.repeated.as_ref()?))) {
            samples.push((repeats::method_name(run), repeated.sample.clone()));
        }
        verdicts.push(result.verdict);
        !interrupt.happened()
    };
    let property = if lts::is_lts(&args.model.path, args.model.reading.input) {
        lts::compare(args, &session, methods(args, Sought::Error), console, decided)?
    } else {
        compare_model(args, &session, console, decided)?
    };
    let model = args.model.path.display().to_string();
    if let Some(file) = &args.plot {
        let svg = repeats::plot(format!("{model}: {property}"), &samples);
        let mut output = Output::open(Some(file), &args.model.path)?;
        let _ = output.write(&svg)?;
        output.finish()?;
    }
    let border = if args.markdown { Border::Markdown } else { Border::None };
    let text = match args.json {
        true => Document { homing: env!("CARGO_PKG_VERSION"), model, property, runs: rows }.json(),
        false if !samples.is_empty() => {
            let rows = samples.iter().map(|(name, sample)| repeats::cells(name, sample));
            let cells: Vec<_> = std::iter::once(repeats::COLUMNS.map(str::to_owned)).chain(rows).collect();
            grid(&cells, 1, border)
        }
        false => table(&rows, border),
    };
    console.result(&text)?;
    Ok(result::exit(verdicts.into_iter(), interrupt.happened()))
}

/// Runs the searches on a model of processes; `decided` is given the result of each, and says whether to go on. Returns the name of
/// the property.
fn compare_model(
    args: &CompareArgs,
    session: &Session<'_>,
    console: &Console,
    mut decided: impl FnMut(Method, PropertyResult) -> bool,
) -> Result<String, Error> {
    let loaded = input::load(&args.model, args.quiet, std::slice::from_ref(&args.property), console)?;
    let properties = input::properties(std::slice::from_ref(&args.property), &loaded)?;
    let property = properties.first().expect("one was picked");
    let task = decide::task(&loaded, &args.model.reading, &args.options, property)?;
    if !matches!(task, Task::Liveness(_)) {
        option_conflict::refuse_idle_fairness(args.options.fairness, &[property.name()])?;
    }
    let suits = |method: &Method| session.suits(&property.name(), &task, *method);
    let mut methods = methods(args, task.sought());
    if args.search.is_empty() {
        methods.retain(|method| suits(method).is_ok());
    }
    methods.iter().try_for_each(suits)?;
    for method in methods {
        let deadline = args.options.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let result = session.decide(&label(method), &task, method, deadline)?;
        if !decided(method, result) {
            break;
        }
    }
    Ok(property.name())
}

/// The searches that were asked for, or those that suit the property.
fn searches(args: &CompareArgs, sought: Sought) -> &[Search] {
    match sought {
        _ if !args.search.is_empty() => &args.search,
        Sought::Error | Sought::Prefix => &[Search::Dfs, Search::Bfs, Search::BestFirst, Search::AStar, Search::Ida],
        Sought::Cycle => &[Search::Ndfs, Search::Indfs, Search::AStarIndfs, Search::Scc],
    }
}

/// The searches in the order of the command line; directed searches once with each heuristic.
fn methods(args: &CompareArgs, sought: Sought) -> Vec<Method> {
    let method = |search, heuristic| Method {
        search,
        heuristic,
        errors: OnError::Stop,
        shortest: false,
        fewest_switches: false,
        confirm: When::Never,
        on_success: OnSuccess::Continue,
        // the figures of searches that are compared are about one and the same graph
        partial_order: if search == Search::Auto { PartialOrder::IfItPays } else { PartialOrder::Never },
    };
    let mut methods = Vec::new();
    for &search in searches(args, sought) {
        match search {
            Search::Dfs
            | Search::Bfs
            | Search::Stateless
            | Search::RandomWalk
            | Search::RandomDfs
            | Search::Highway
            | Search::HighwayExact
            | Search::Ndfs
            | Search::Indfs
            | Search::Scc => methods.push(method(search, Heuristic::Auto)),
            Search::Auto | Search::BestFirst | Search::AStar | Search::Ida | Search::AStarIndfs | Search::Beam => {
                methods.extend(args.heuristic.iter().map(|&heuristic| method(search, heuristic)));
            }
        }
    }
    methods
}

/// The name of a run in the line of progress.
fn label(method: Method) -> String {
    match method.heuristic {
        Heuristic::Auto => method.search.name().to_owned(),
        named => format!("{} {}", method.search.name(), named.name()),
    }
}

#[derive(Serialize)]
struct Document {
    homing: &'static str,
    model: String,
    property: String,
    runs: Vec<Row>,
}

impl Document {
    fn json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("the document has string keys and finite numbers");
        text.push('\n');
        text
    }
}

/// One run as a row of the table.
#[derive(Serialize)]
struct Row {
    search: &'static str,
    /// The heuristic that was used, also if the option was `auto`.
    heuristic: Option<&'static str>,
    verdict: &'static str,
    reason: Option<&'static str>,
    states: Option<u64>,
    /// The most states that were known at a time: more than those stored at the end if states are stored at random.
    peak_states: Option<u64>,
    expanded: Option<u64>,
    transitions: Option<u64>,
    reopened: Option<u64>,
    /// The length of the path to the error in statements.
    length: Option<u32>,
    /// The length as SPIN counts it with statement merging.
    merged_length: Option<usize>,
    shortest: Option<bool>,
    seconds: Option<f64>,
    memory_bytes: Option<u64>,
    /// Statistics, if the search was repeated.
    repeats: Option<RepeatsEntry>,
}

impl Row {
    fn new(result: &PropertyResult, method: Method) -> Self {
        let (run, found) = (result.run.as_ref(), result.counterexample.as_ref());
        let stats = run.map(|run| &run.stats);
        Row {
            search: method.search.name(),
            heuristic: run.and_then(|run| run.estimate.as_ref()).map(|estimate| estimate.name),
            verdict: result.verdict.name(),
            reason: match result.verdict {
                Verdict::Unknown(reason) => Some(Reason::name(reason)),
                Verdict::Holds | Verdict::Violated => None,
            },
            states: stats.map(|stats| stats.states),
            peak_states: stats.map(|stats| stats.peak_states),
            expanded: stats.map(|stats| stats.expanded),
            transitions: stats.map(|stats| stats.transitions()),
            reopened: stats.map(|stats| stats.reopened),
            length: found.map(|found| found.length),
            merged_length: found.filter(|found| found.unit == LengthUnit::Statements).map(|found| found.merged_length),
            shortest: found.map(|found| found.shortest),
            seconds: run.map(|run| run.seconds),
            memory_bytes: stats.map(|stats| stats.memory),
            repeats: run.and_then(|run| run.repeated.as_ref()).map(RepeatsEntry::new),
        }
    }

    fn cells(&self) -> [String; COLUMNS.len()] {
        let count = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
        let mark = if self.shortest == Some(true) { "*" } else { "" };
        [
            self.search.to_owned(),
            self.heuristic.unwrap_or("-").to_owned(),
            self.reason.map_or(self.verdict.to_owned(), |reason| format!("{} ({reason})", self.verdict)),
            count(self.states),
            count(self.expanded),
            count(self.transitions),
            self.length.map_or("-".to_owned(), |length| format!("{length}{mark}")),
            count(self.merged_length.map(|length| length as u64)),
            self.seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.3}")),
            self.memory_bytes.map_or("-".to_owned(), show_memory),
        ]
    }
}

const COLUMNS: [&str; 10] =
    ["search", "heuristic", "verdict", "states", "expanded", "transitions", "length", "merged", "seconds", "memory"];

/// The number of leading columns that hold words; the others hold numbers.
const WORDS: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Border {
    None,
    Markdown,
}

fn table(rows: &[Row], border: Border) -> String {
    let cells: Vec<[String; COLUMNS.len()]> =
        std::iter::once(COLUMNS.map(str::to_owned)).chain(rows.iter().map(Row::cells)).collect();
    let mut text = grid(&cells, WORDS, border);
    let marked = rows.iter().any(|row| row.shortest == Some(true));
    if marked && border == Border::None {
        text.push_str("\n* shortest possible\n");
    }
    text
}

/// Rows in columns, the first row as their heads. The first `words` columns hold words, the others numbers.
fn grid<const N: usize>(cells: &[[String; N]], words: usize, border: Border) -> String {
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut text = String::new();
    for (at, row) in cells.iter().enumerate() {
        let padded = row.iter().enumerate().map(|(column, cell)| match column < words {
            true => format!("{cell:<width$}", width = widths[column]),
            false => format!("{cell:>width$}", width = widths[column]),
        });
        let padded: Vec<String> = padded.collect();
        match border {
            Border::None => text.push_str(padded.join("  ").trim_end()),
            Border::Markdown => text.push_str(&format!("| {} |", padded.join(" | "))),
        }
        text.push('\n');
        if at == 0 && border == Border::Markdown {
            let rule = |column: usize| if column < words { "---" } else { "--:" };
            text.push_str(&format!("|{}|\n", (0..N).map(rule).collect::<Vec<_>>().join("|")));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(search: &'static str, length: Option<u32>) -> Row {
        Row {
            search,
            heuristic: None,
            verdict: "violated",
            reason: None,
            states: Some(1234),
            peak_states: Some(1234),
            expanded: Some(7),
            transitions: Some(99_999),
            reopened: Some(0),
            length,
            merged_length: Some(3),
            shortest: length.map(|length| length < 10),
            seconds: Some(0.25),
            memory_bytes: Some(2048),
            repeats: None,
        }
    }

    #[test]
    fn rows_stand_in_columns() {
        let text = table(&[row("bfs", Some(9)), row("best-first", Some(120)), row("dfs", None)], Border::None);
        let expected = "\
search      heuristic  verdict   states  expanded  transitions  length  merged  seconds   memory
bfs         -          violated    1234         7        99999      9*       3    0.250  2.0 KiB
best-first  -          violated    1234         7        99999     120       3    0.250  2.0 KiB
dfs         -          violated    1234         7        99999       -       3    0.250  2.0 KiB

* shortest possible
";
        assert_eq!(text, expected);
        let markdown = table(&[row("bfs", None)], Border::Markdown);
        assert!(markdown.contains("\n|---|---|---|--:|--:|--:|--:|--:|--:|--:|\n| bfs    | -  "), "{markdown}");
    }
}
