//! The states of a small model as a dot graph: a node for each state, an edge for each step, and where errors are.

use std::collections::BTreeSet;

use homing_core::{Description, ProcessDescription, SourcePlace, Valued, Violation, ViolationKind};

use crate::StoryStep;
use crate::dot::{Attributes, Dot};
use crate::style;

/// A state, by its number, with the steps out of it.
#[derive(Clone, Debug)]
pub struct DrawnState {
    pub number: u32,
    pub description: Description,
    pub steps: Vec<DrawnStep>,
}

/// A step out of a state.
#[derive(Clone, Debug)]
pub struct DrawnStep {
    /// The first of its statements; those beyond [`DrawnStep::MOST`] are not shown anywhere.
    pub statements: Vec<StoryStep>,
    /// How many statements it has.
    pub length: usize,
    pub target: EdgeTarget,
}

impl DrawnStep {
    /// How many statements of a step are worth keeping.
    pub const MOST: usize = 40;
}

/// Where a step leads.
#[derive(Clone, Debug)]
pub enum EdgeTarget {
    State(u32),
    Error(Violation),
    /// Nobody followed it so far.
    CutOff,
}

/// A path through the states that is to be seen at once.
#[derive(Clone, Debug, Default)]
pub struct Highlight {
    /// The numbers of its states, in order.
    pub states: Vec<u32>,
    /// The error that it ends in.
    pub error: Option<Violation>,
}

/// The drawing of a state space, state by state. What is drawn can be [taken away](StateSpace::take) in between.
#[derive(Debug)]
pub struct StateSpace {
    dot: Dot,
    /// The states of the highlighted path.
    on_path: BTreeSet<u32>,
    /// Its steps.
    hops: BTreeSet<(u32, u32)>,
    /// Where it ends, and in which error.
    fails: Option<(u32, Violation)>,
    initial: Description,
    /// A state is in the row behind the first state that was drawn with a step to it.
    rows: Vec<Option<u32>>,
    /// Drawn so far: the same error at the same place is one node.
    errors: Vec<Violation>,
    cut_off: bool,
}

impl StateSpace {
    /// Begins the drawing. State 0 is the initial one; others are described by what differs from it.
    pub fn begin(initial: Description, highlight: Highlight) -> Self {
        let dot = begin("s0");
        let Highlight { states, error } = highlight;
        StateSpace {
            dot,
            on_path: states.iter().copied().collect(),
            hops: states.windows(2).map(|pair| (pair[0], pair[1])).collect(),
            fails: states.last().copied().zip(error),
            initial,
            rows: vec![Some(0)],
            errors: Vec::new(),
            cut_off: false,
        }
    }

    pub fn draw(&mut self, state: &DrawnState) {
        self.draw_state(state);
        for step in &state.steps {
            if end_state(step).is_none() {
                self.draw_step(state.number, step);
            }
        }
    }

    /// What was drawn since the last time.
    pub fn take(&mut self) -> String {
        self.dot.take()
    }

    /// The rest of the drawing.
    pub fn end(mut self) -> String {
        for (at, violation) in self.errors.iter().enumerate() {
            self.dot.node(&format!("error{at}"), &error_node(violation));
        }
        if self.cut_off {
            let words = "not followed:\na run through an atomic sequence that is too long";
            self.dot.node("cut_off", &Attributes::new().text("label", words).word("style", "rounded,dashed"));
        }
        self.dot.end();
        self.dot.take()
    }

    fn draw_state(&mut self, state: &DrawnState) {
        let failed = state.steps.iter().find_map(end_state);
        let mut lines: Vec<String> = failed.iter().map(|violation| violation.message.clone()).collect();
        let all = whole(&state.description);
        let tooltip = format!("state {}\n{}", state.number, all.join("\n"));
        lines.extend(if state.number == 0 { all } else { self.difference(&state.description) });
        let lines = style::first_lines(&lines, lines.len(), style::MOST_LINES);
        let mut node = Attributes::new().titled("label", &state.number.to_string(), &lines).text("tooltip", &tooltip);
        if state.steps.is_empty() {
            node = node.word("peripheries", "2");
        }
        if self.on_path.contains(&state.number) {
            node = style::highlighted_node(node);
        }
        if failed.is_some() {
            node = style::error(node);
        }
        self.dot.node(&format!("s{}", state.number), &node);
    }

    /// The lines in which a state differs from the initial one.
    fn difference(&self, description: &Description) -> Vec<String> {
        let differing = |values: &[Valued], before: &[Valued]| -> Vec<Valued> {
            let values = values.iter().enumerate();
            values.filter(|(at, value)| before.get(*at) != Some(value)).map(|(_, value)| value.clone()).collect()
        };
        let globals = differing(&description.globals, &self.initial.globals);
        let mut lines: Vec<String> = globals.iter().map(Valued::to_string).collect();
        for (pid, standing) in description.processes.iter().enumerate() {
            let before = self.initial.processes.get(pid).filter(|before| before.process == standing.process);
            let locals = differing(&standing.locals, before.map_or(&[], |before| &before.locals));
            if before.is_none_or(|before| before.location != standing.location) || !locals.is_empty() {
                lines.push(in_line(standing, &locals));
            }
        }
        let ended = self.initial.processes.iter().skip(description.processes.len());
        lines.extend(ended.map(|standing| format!("{} has ended", standing.process)));
        lines
    }

    fn draw_step(&mut self, from: u32, step: &DrawnStep) {
        let target = match &step.target {
            EdgeTarget::State(to) => format!("s{to}"),
            EdgeTarget::Error(violation) => format!("error{}", self.error_number(violation)),
            EdgeTarget::CutOff => {
                self.cut_off = true;
                "cut_off".to_owned()
            }
        };
        let lines = style::first_lines(&statement_lines(step), step.length, MOST_STATEMENTS);
        let mut edge = style::beside(&lines).text("tooltip", &tooltip(step));
        match step.target {
            // A way back must not pull states out of their rows: dot would break the circle where it likes.
            EdgeTarget::State(to) if self.leads_back(from, to) => {
                edge = edge.word("constraint", "false").word("color", style::FAINT);
            }
            EdgeTarget::Error(_) => edge = edge.word("color", style::ERROR).word("fontcolor", style::ERROR),
            EdgeTarget::State(_) | EdgeTarget::CutOff => {}
        }
        if self.is_highlighted(from, &step.target) {
            edge = style::highlighted(edge);
        }
        self.dot.edge(&format!("s{from}"), &target, &edge);
    }

    /// Whether the step leads back to an earlier row.
    fn leads_back(&mut self, from: u32, to: u32) -> bool {
        let (from, to) = (from as usize, to as usize);
        if from.max(to) >= self.rows.len() {
            self.rows.resize(from.max(to) + 1, None);
        }
        let row = self.rows[from].unwrap_or(0);
        *self.rows[to].get_or_insert(row + 1) < row
    }

    fn is_highlighted(&self, from: u32, target: &EdgeTarget) -> bool {
        match target {
            EdgeTarget::State(to) => self.hops.contains(&(from, *to)),
            EdgeTarget::Error(violation) => {
                self.fails.as_ref().is_some_and(|(last, error)| *last == from && error == violation)
            }
            EdgeTarget::CutOff => false,
        }
    }

    fn error_number(&mut self, violation: &Violation) -> usize {
        self.errors.iter().position(|known| known == violation).unwrap_or_else(|| {
            self.errors.push(violation.clone());
            self.errors.len() - 1
        })
    }
}

/// The state space of a model whose initial state cannot be computed: there is only the error.
pub fn failed_start(violation: &Violation) -> String {
    let mut dot = begin("error0");
    dot.node("error0", &error_node(violation));
    dot.end();
    dot.take()
}

/// Begins a graph with an arrow to the node where all starts.
fn begin(first: &str) -> Dot {
    let graph = Attributes::new().word("fontname", style::FONT).word("nodesep", "0.35");
    let node = style::node().word("shape", "box").word("margin", "0.1,0.06");
    let mut dot = Dot::begin("states", &graph, &node, &style::edge());
    dot.node("start", &style::point("0.06").text("tooltip", "the start"));
    dot.edge("start", first, &Attributes::new());
    dot
}

/// Statements of a step in its label.
const MOST_STATEMENTS: usize = 6;

/// The error of a state in which nothing moves: it is shown as a step, but no step is taken.
fn end_state(step: &DrawnStep) -> Option<&Violation> {
    match &step.target {
        EdgeTarget::Error(violation) if violation.kind == ViolationKind::InvalidEndState => Some(violation),
        _ => None,
    }
}

fn error_node(violation: &Violation) -> Attributes {
    let place = violation.place.as_ref().map(SourcePlace::to_string);
    let process = violation.process.as_ref().map(|process| format!("in {process}"));
    let whereabouts: Vec<String> = place.into_iter().chain(process).collect();
    let words = format!("{}\n{}", violation.message, whereabouts.join(" "));
    style::error(Attributes::new().text("label", &words).text("tooltip", &words)).word("shape", "octagon")
}

fn whole(description: &Description) -> Vec<String> {
    let processes = description.processes.iter().map(|standing| in_line(standing, &standing.locals));
    description.globals.iter().map(Valued::to_string).chain(processes).collect()
}

fn in_line(standing: &ProcessDescription, locals: &[Valued]) -> String {
    let ProcessDescription { process, place: SourcePlace { line, .. }, location, .. } = standing;
    let locals: String = locals.iter().map(|local| format!(", {local}")).collect();
    format!("{process} at {location} (line {line}){locals}")
}

/// The statements, with the process where it is another than in the line before.
fn statement_lines(step: &DrawnStep) -> Vec<String> {
    let mut lines = Vec::new();
    let mut before = None;
    for StoryStep { process, statement, .. } in &step.statements {
        lines.push(match before {
            Some(same) if same == process => format!("  {statement}"),
            _ => format!("{process}: {statement}"),
        });
        before = Some(process);
    }
    lines
}

fn tooltip(step: &DrawnStep) -> String {
    let mut lines: Vec<String> = (step.statements.iter())
        .map(|StoryStep { process, place, statement }| format!("{process} {place}  {statement}"))
        .collect();
    if step.length > lines.len() {
        lines.push(format!("… {} more", step.length - lines.len()));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn valued(text: &str) -> Valued {
        let (name, value) = text.split_once(" = ").expect("a name and a value");
        Valued { name: name.to_owned(), value: value.to_owned() }
    }

    fn at(location: u32, locals: &[&str]) -> ProcessDescription {
        let place = SourcePlace { file: "m.pml".to_owned(), line: 10 + location };
        let locals = locals.iter().map(|local| valued(local)).collect();
        ProcessDescription { process: "P(0)".to_owned(), place, location, locals }
    }

    fn description(globals: &[&str], processes: &[ProcessDescription]) -> Description {
        let globals = globals.iter().map(|global| valued(global)).collect();
        Description { globals, processes: processes.to_vec() }
    }

    fn step(statements: &[&str], target: EdgeTarget) -> DrawnStep {
        let story = |statement: &&str| StoryStep {
            process: "P(0)".to_owned(),
            place: SourcePlace { file: "m.pml".to_owned(), line: 7 },
            statement: (*statement).to_owned(),
        };
        DrawnStep { statements: statements.iter().map(story).collect(), length: statements.len(), target }
    }

    fn violation(kind: ViolationKind, message: &str) -> Violation {
        Violation { kind, message: message.to_owned(), place: None, process: Some("P(0)".to_owned()) }
    }

    fn drawn(highlight: Highlight, states: &[DrawnState]) -> String {
        let mut drawing = StateSpace::begin(states[0].description.clone(), highlight);
        let mut text = String::new();
        for state in states {
            drawing.draw(state);
            text += &drawing.take();
        }
        text + &drawing.end()
    }

    /// 0 goes to 1 and back, fails on the way to 2, where it is stuck; 1 ends.
    fn small() -> Vec<DrawnState> {
        let fails = violation(ViolationKind::Assertion, "assertion violated: \"x\"");
        let stuck = violation(ViolationKind::InvalidEndState, "invalid end state");
        let state = |number, description, steps| DrawnState { number, description, steps };
        vec![
            state(
                0,
                description(&["x = 0", "y = 0"], &[at(1, &["i = 0", "j = 0"])]),
                vec![
                    step(&["x = 1"], EdgeTarget::State(1)),
                    step(&["y = 1", "assert(x)"], EdgeTarget::Error(fails.clone())),
                    step(&["y = 1", "assert(x)", "j = 3"], EdgeTarget::State(2)),
                ],
            ),
            state(
                1,
                description(&["x = 1", "y = 0"], &[]),
                vec![
                    step(&["x = 0"], EdgeTarget::State(0)),
                    step(&["x = 2"], EdgeTarget::Error(fails)),
                    step(&[], EdgeTarget::CutOff),
                ],
            ),
            state(
                2,
                description(&["x = 0", "y = 1"], &[at(4, &["i = 0", "j = 3"])]),
                vec![step(&[], EdgeTarget::Error(stuck))],
            ),
            state(3, description(&["x = 0", "y = 0"], &[at(1, &["i = 0", "j = 0"])]), vec![]),
        ]
    }

    #[track_caller]
    fn line<'d>(drawn: &'d str, head: &str) -> &'d str {
        let start = format!("  {head} [");
        drawn.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no {head} in\n{drawn}"))
    }

    #[test]
    fn states_tell_what_differs_from_the_first() {
        let drawn = drawn(Highlight::default(), &small());
        let label = |node| line(&drawn, node).split("\", tooltip=").next().unwrap_or_default().to_owned();
        assert_eq!(label("s0"), r#"  s0 [label="0\nx = 0\ly = 0\lP(0) at 1 (line 11), i = 0, j = 0\l"#);
        assert_eq!(label("s1"), r#"  s1 [label="1\nx = 1\lP(0) has ended\l"#);
        assert_eq!(label("s2"), r#"  s2 [label="2\ninvalid end state\ly = 1\lP(0) at 4 (line 14), j = 3\l"#);
        assert_eq!(label("s3"), r#"  s3 [label="3\n"#);
        assert!(line(&drawn, "s1").contains(r#"tooltip="state 1\nx = 1\ny = 0""#), "{drawn}");
    }

    #[test]
    fn ends_and_errors_are_seen() {
        let drawn = drawn(Highlight::default(), &small());
        assert!(line(&drawn, "s2").contains(style::ERROR) && !line(&drawn, "s2").contains("peripheries"), "{drawn}");
        assert!(line(&drawn, "s3").contains("peripheries") && !line(&drawn, "s3").contains(style::ERROR), "{drawn}");
        assert!(line(&drawn, "s0 -> error0").contains(r#"label=" P(0): y = 1 \l   assert(x) \l""#), "{drawn}");
        assert!(line(&drawn, "s1 -> error0").contains(style::ERROR), "the same error is one node");
        assert!(line(&drawn, "error0").contains(r#"label="assertion violated: \"x\"\nin P(0)""#), "{drawn}");
        assert!(!drawn.contains("error1") && !drawn.contains("s2 ->"), "{drawn}");
        assert!(line(&drawn, "s1 -> cut_off").contains("label") && line(&drawn, "cut_off").contains("dashed"));
        assert!(line(&drawn, "s1 -> s0").contains("constraint=\"false\""), "{drawn}");
        assert!(!line(&drawn, "s0 -> s1").contains("constraint"), "{drawn}");
    }

    #[test]
    fn a_path_is_highlighted_up_to_its_error() {
        let heads = |highlight| -> Vec<String> {
            let drawn = drawn(highlight, &small());
            let bold = drawn.lines().filter(|line| line.contains("penwidth=\"3\""));
            bold.filter_map(|line| line.trim().split(" [").next().map(str::to_owned)).collect()
        };
        let error = Some(violation(ViolationKind::Assertion, "assertion violated: \"x\""));
        assert_eq!(heads(Highlight { states: vec![0, 1], error }), ["s0", "s0 -> s1", "s1", "s1 -> error0"]);
        let states = vec![0, 1, 0, 2];
        assert_eq!(heads(Highlight { states, error: None }), ["s0", "s0 -> s1", "s0 -> s2", "s1", "s1 -> s0", "s2"]);
        assert_eq!(heads(Highlight::default()), [""; 0]);
    }

    #[test]
    fn long_steps_are_cut() {
        let mut long = step(&["x = 1"; DrawnStep::MOST], EdgeTarget::State(0));
        long.length = 1_000_000;
        let description = description(&[], &[]);
        let drawn = drawn(Highlight::default(), &[DrawnState { number: 0, description, steps: vec![long] }]);
        let edge = line(&drawn, "s0 -> s0");
        assert!(edge.contains("… 999994 more") && edge.contains("… 999960 more"), "{edge}");
    }

    #[test]
    fn a_model_that_does_not_start_is_only_its_error() {
        let drawn = failed_start(&violation(ViolationKind::RuntimeError, "division by zero"));
        assert!(drawn.contains("start -> error0;") && line(&drawn, "error0").contains("division by zero"), "{drawn}");
    }
}
