//! The state space of a small model as a dot graph: a node for each state and each error, an edge for each step.

mod labels;

use std::collections::BTreeSet;

use homing_core::{Description, SourcePlace, Violation, ViolationKind};

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
    /// The number of its statements.
    pub length: usize,
    pub target: EdgeTarget,
}

impl DrawnStep {
    /// The number of statements of a step that are kept.
    pub const MOST: usize = 40;
}

/// Where a step leads.
#[derive(Clone, Debug)]
pub enum EdgeTarget {
    State(u32),
    Error(Violation),
    /// Not known: the step was too long to be followed.
    CutOff,
}

/// A path through the states that is highlighted.
#[derive(Clone, Debug, Default)]
pub struct Highlight {
    /// The numbers of its states, in order.
    pub states: Vec<u32>,
    /// The error that it ends in.
    pub error: Option<Violation>,
}

/// Draws a state space, state by state. What is drawn can be [taken](StateSpace::take) in between.
#[derive(Debug)]
pub struct StateSpace {
    dot: Dot,
    /// The states of the highlighted path.
    on_path: BTreeSet<u32>,
    /// The steps of the highlighted path.
    hops: BTreeSet<(u32, u32)>,
    /// The last state of the highlighted path, and the error there.
    fails: Option<(u32, Violation)>,
    initial: Description,
    /// By state: its row, the one after that of the first state drawn with a step to it.
    rows: Vec<Option<u32>>,
    /// The errors drawn so far; the same error at the same place is one node.
    errors: Vec<Violation>,
    cut_off: bool,
}

impl StateSpace {
    /// Begins the drawing. State 0 is the initial one; the others are described by how they differ from it.
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

    /// Takes what was drawn since the last call.
    pub fn take(&mut self) -> String {
        self.dot.take()
    }

    /// Ends the drawing and takes the rest.
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
        let all = labels::whole(&state.description);
        let tooltip = format!("state {}\n{}", state.number, all.join("\n"));
        lines.extend(if state.number == 0 { all } else { labels::difference(&state.description, &self.initial) });
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

    fn draw_step(&mut self, from: u32, step: &DrawnStep) {
        let target = match &step.target {
            EdgeTarget::State(to) => format!("s{to}"),
            EdgeTarget::Error(violation) => format!("error{}", self.error_number(violation)),
            EdgeTarget::CutOff => {
                self.cut_off = true;
                "cut_off".to_owned()
            }
        };
        let lines = style::first_lines(&labels::statements(step), step.length, MOST_STATEMENTS);
        let mut edge = style::beside(&lines).text("tooltip", &labels::tooltip(step));
        match step.target {
            // An edge to an earlier row must not move states to other rows: dot would break the cycle anywhere.
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

    /// Whether the step leads to an earlier row.
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

/// The graph of a model whose initial state cannot be computed: only the error.
pub fn failed_start(violation: &Violation) -> String {
    let mut dot = begin("error0");
    dot.node("error0", &error_node(violation));
    dot.end();
    dot.take()
}

/// Begins a graph with an arrow to its first node.
fn begin(first: &str) -> Dot {
    let graph = Attributes::new().word("fontname", style::FONT).word("nodesep", "0.35");
    let node = style::node().word("shape", "box").word("margin", "0.1,0.06");
    let mut dot = Dot::begin("states", &graph, &node, &style::edge());
    dot.node("start", &style::point("0.06").text("tooltip", "the start"));
    dot.edge("start", first, &Attributes::new());
    dot
}

/// The greatest number of statements in the label of a step.
const MOST_STATEMENTS: usize = 6;

/// The error of a state without successors: it is represented as a step, but no step is taken.
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

#[cfg(test)]
mod tests;
