//! The automata of a model's processes as a dot graph: a cluster for each, a node for each location, an edge for each
//! transition.

use std::collections::BTreeSet;

use homing_ir::print::Printer;
use homing_ir::{Action, Automaton, Labels, Location, Model, Place, ProctypeId, Transition};

use crate::block;
use crate::dot::{Attributes, Dot, cut};
use crate::style;

/// Identifies an automaton of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutomatonId {
    Proctype(ProctypeId),
    /// By index into [`Model::claims`].
    Claim(usize),
    /// The `trace` or `notrace`.
    Trace,
}

impl AutomatonId {
    /// All automata of a model.
    pub fn all(model: &Model) -> Vec<AutomatonId> {
        let proctypes = (0..model.proctypes.len() as u32).map(|at| AutomatonId::Proctype(ProctypeId(at)));
        let claims = (0..model.claims.len()).map(AutomatonId::Claim);
        proctypes.chain(claims).chain(model.monitor.as_ref().map(|_| AutomatonId::Trace)).collect()
    }

    /// The name that it has in the model; `init` and `trace` have no others than these words.
    pub fn name(self, model: &Model) -> &str {
        match self {
            AutomatonId::Proctype(id) => match model.proctype(id).name.as_str() {
                ":init:" => "init",
                name => name,
            },
            AutomatonId::Claim(at) => &model.claims[at].name,
            AutomatonId::Trace if model.monitor.as_ref().is_some_and(|monitor| monitor.negated) => "notrace",
            AutomatonId::Trace => "trace",
        }
    }

    fn title(self, model: &Model) -> String {
        let name = self.name(model);
        match self {
            AutomatonId::Proctype(_) if model.features.network => format!("process {name}"),
            AutomatonId::Proctype(_) if name == "init" => name.to_owned(),
            AutomatonId::Proctype(id) => match model.start.iter().filter(|start| start.proctype == id).count() {
                0 => format!("proctype {name}"),
                1 => format!("active proctype {name}"),
                count => format!("active [{count}] proctype {name}"),
            },
            AutomatonId::Claim(_) => format!("never claim {name}"),
            AutomatonId::Trace => name.to_owned(),
        }
    }

    fn automaton(self, model: &Model) -> &Automaton {
        match self {
            AutomatonId::Proctype(id) => &model.proctype(id).automaton,
            AutomatonId::Claim(at) => &model.claims[at].automaton,
            AutomatonId::Trace => &model.monitor.as_ref().expect("a part of the model").automaton,
        }
    }

    fn proctype(self) -> Option<ProctypeId> {
        match self {
            AutomatonId::Proctype(id) => Some(id),
            AutomatonId::Claim(_) | AutomatonId::Trace => None,
        }
    }
}

/// Draws automata. Statements with these numbers of a trail file ([`homing_ir::Statement::id`]) are highlighted, with the
/// locations they lead from and to.
///
/// Locations that cannot be reached from the start are left out: they are numbers that SPIN does not use, or dead code.
///
/// # Panics
/// If the model has no such automaton.
pub fn automata(model: &Model, ids: &[AutomatonId], highlighted: &BTreeSet<u32>) -> String {
    let marks: Vec<&str> = MARKS
        .iter()
        .filter(|(has, _)| ids.iter().any(|id| transitions(id.automaton(model)).any(has)))
        .map(|(_, words)| *words)
        .collect();
    let graph = Attributes::new().word("fontname", style::FONT).word("fontsize", "11");
    let graph = if marks.is_empty() { graph } else { graph.text("label", &marks.join("; ")) };
    let node = style::node().word("shape", "box").word("margin", "0.1,0.04");
    let mut dot = Dot::begin("automata", &graph, &node, &style::edge());
    for (number, &id) in ids.iter().enumerate() {
        let (automaton, printer) = (id.automaton(model), Printer { model, proctype: id.proctype() });
        Cluster { model, number, id, automaton, printer, highlighted }.draw(&mut dot);
    }
    dot.end();
    dot.take()
}

type Mark = (fn(&Transition) -> bool, &'static str);

/// The marks of transitions; each is explained if it occurs.
const MARKS: [Mark; 2] = [
    (|transition| transition.atomic, "bold: the process continues alone (atomic)"),
    (|transition| transition.escape != 0, "dashed: goes first if it can (unless)"),
];

fn transitions(automaton: &Automaton) -> impl Iterator<Item = &Transition> {
    reachable(automaton).into_iter().flat_map(|at| &automaton.location(at).transitions)
}

/// The locations that can be reached from the start, without 0, the end of the process.
fn reachable(automaton: &Automaton) -> BTreeSet<u32> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![automaton.start];
    while let Some(at) = waiting.pop() {
        if at != 0 && (at as usize) < automaton.locations.len() && reached.insert(at) {
            waiting.extend(automaton.location(at).transitions.iter().map(|transition| transition.target));
        }
    }
    reached
}

/// The drawing of one automaton.
struct Cluster<'a> {
    model: &'a Model,
    number: usize,
    id: AutomatonId,
    automaton: &'a Automaton,
    printer: Printer<'a>,
    highlighted: &'a BTreeSet<u32>,
}

impl Cluster<'_> {
    fn draw(&self, dot: &mut Dot) {
        let frame = Attributes::new().text("label", &self.id.title(self.model)).word("fontsize", "13");
        dot.begin_cluster(self.number, &frame.word("color", style::FAINT).word("labeljust", "l"));
        let reached = reachable(self.automaton);
        if !reached.is_empty() {
            let start = self.name("start");
            dot.node(&start, &style::point("0.06").text("tooltip", "the start"));
            dot.edge(&start, &self.name(&self.automaton.start.to_string()), &Attributes::new());
        }
        let on_path = self.on_path(&reached);
        for &at in &reached {
            dot.node(&self.name(&at.to_string()), &self.location(at, on_path.contains(&at)));
        }
        if reached.iter().any(|&at| self.automaton.location(at).transitions.iter().any(|way| way.target == 0)) {
            dot.node(&self.name("0"), &style::point("0.12").text("tooltip", "the end"));
        }
        for &at in &reached {
            let (loops, others): (Vec<&Transition>, Vec<&Transition>) = self
                .automaton
                .location(at)
                .transitions
                .iter()
                .partition(|transition| self.model.features.network && transition.target == at);
            let from = self.name(&at.to_string());
            for transition in others {
                dot.edge(&from, &self.name(&transition.target.to_string()), &self.transition(at, transition));
            }
            // several would lie over each other
            for of_a_kind in loops.chunk_by(|one, other| self.is_highlighted(one) == self.is_highlighted(other)) {
                dot.edge(&from, &from, &self.self_loops(at, of_a_kind));
            }
        }
        dot.end();
    }

    /// The name of a node, unique among all clusters.
    fn name(&self, inner: &str) -> String {
        format!("a{}_{inner}", self.number)
    }

    fn is_highlighted(&self, transition: &Transition) -> bool {
        self.highlighted.contains(&self.automaton.trail_id(transition.statement))
    }

    fn on_path(&self, reached: &BTreeSet<u32>) -> BTreeSet<u32> {
        let ways =
            reached.iter().flat_map(|&at| self.automaton.location(at).transitions.iter().map(move |way| (at, way)));
        ways.filter(|(_, way)| self.is_highlighted(way)).flat_map(|(at, way)| [at, way.target]).collect()
    }

    fn location(&self, at: u32, on_path: bool) -> Attributes {
        let Location { labels, place, name, committed, .. } = self.automaton.location(at);
        let is_last = at == self.automaton.end;
        let words = if is_last { labels_in_words(Labels { end: false, ..*labels }) } else { labels_in_words(*labels) };
        let mut text = match name {
            Some(name) => name.to_string(),
            None => format!("{at}\nline {}", place.line),
        };
        if *committed {
            text += "\ncommitted";
        }
        if !words.is_empty() {
            text += &format!("\n{}", words.join(", "));
        }
        let mut node = Attributes::new().text("label", &text).text("tooltip", &self.place(*place));
        if labels.end || is_last {
            node = node.word("peripheries", "2");
        }
        let fill = if labels.danger {
            Some(style::DANGER)
        } else if labels.accept {
            Some(style::ACCEPT)
        } else if labels.progress {
            Some(style::PROGRESS)
        } else {
            None
        };
        if let Some(fill) = fill {
            node = node.word("fillcolor", fill);
        }
        if on_path { style::highlighted(node) } else { node }
    }

    /// The labels of an edge of a network, without the locations, which are its ends.
    fn labels(&self, at: u32, transition: &Transition) -> String {
        let text = self.printer.statement(transition.statement);
        let name = |at: u32| self.automaton.location(at).name.as_deref().unwrap_or_default();
        let ends = format!("{} -> {}", name(at), name(transition.target));
        text.strip_prefix(&ends).map_or(text.clone(), |rest| rest.trim_start_matches(": ").to_owned())
    }

    /// The edges of a network that lead back to their location, as one.
    fn self_loops(&self, at: u32, loops: &[&Transition]) -> Attributes {
        let labels: Vec<String> = loops.iter().map(|one| self.labels(at, one)).collect();
        let shown = style::first_lines(&labels, labels.len(), style::MOST_LINES);
        let tooltip = |one: &&Transition| self.tooltip(one, &self.printer.statement(one.statement));
        let tooltips: Vec<String> = loops.iter().map(tooltip).collect();
        let edge = style::beside(&shown).text("tooltip", &tooltips.join("\n"));
        if loops.iter().any(|one| self.is_highlighted(one)) { style::highlighted(edge) } else { edge }
    }

    fn tooltip(&self, transition: &Transition, text: &str) -> String {
        format!("{}: {text}", self.place(self.automaton.statement(transition.statement).place))
    }

    fn transition(&self, at: u32, transition: &Transition) -> Attributes {
        let statement = self.automaton.statement(transition.statement);
        let text = match &statement.action {
            Action::Edge(_) => self.labels(at, transition),
            Action::Skip(text) if &**text == ".(goto)" => String::new(), // where branches join: no statement of the user
            _ if self.id.proctype().is_some() => self.printer.statement(transition.statement),
            action => self.printer.source_action(action),
        };
        let tooltip = self.tooltip(transition, &text);
        let tooltip = tooltip.trim_end_matches(": ");
        let edge = match &statement.action {
            Action::DStep(block) => {
                let inside = block::list(block, self.printer);
                let shown = style::first_lines(&inside, inside.len(), style::MOST_LINES);
                let indented = shown.iter().map(|line| format!("  {line}"));
                let lines: Vec<String> =
                    ["d_step {".to_owned()].into_iter().chain(indented).chain(["}".to_owned()]).collect();
                style::beside(&lines)
            }
            _ if text.is_empty() => Attributes::new(),
            _ => style::beside(&[cut(&text, style::WIDTH)]),
        };
        let mut edge = edge.text("tooltip", tooltip);
        if transition.escape != 0 {
            edge = edge.word("style", "dashed");
        }
        if transition.atomic {
            edge = edge.word("penwidth", "2.5");
        }
        if self.is_highlighted(transition) { style::highlighted(edge) } else { edge }
    }

    fn place(&self, place: Place) -> String {
        let file = self.model.sources.get(place.file as usize).map_or("", String::as_str);
        format!("{file}:{}", place.line)
    }
}

fn labels_in_words(labels: Labels) -> Vec<&'static str> {
    let all =
        [(labels.end, "end"), (labels.accept, "accept"), (labels.progress, "progress"), (labels.danger, "danger")];
    all.into_iter().filter(|(has, _)| *has).map(|(_, word)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(text: &str) -> Model {
        let reading = homing_promela::read("m.pml", text.to_owned(), &homing_promela::preprocess::Options::default());
        reading.model.unwrap_or_else(|| panic!("{:?}", reading.diagnostics))
    }

    fn drawn(text: &str) -> String {
        let model = model(text);
        automata(&model, &AutomatonId::all(&model), &BTreeSet::new())
    }

    #[track_caller]
    fn has(drawn: &str, parts: &[&str]) {
        for part in parts {
            assert!(drawn.contains(part), "{part:?} is not in\n{drawn}");
        }
    }

    #[test]
    fn locations_transitions_start_and_end() {
        let drawn = drawn("byte x;\nactive proctype P() {\n\tx > 3;\n\tx = x + 1\n}\n");
        let expected = [
            "  subgraph cluster_0 {\n    graph [label=\"active proctype P\"",
            "    a0_start -> a0_1;",
            r#"    a0_1 [label="1\nline 3", tooltip="m.pml:3"];"#,
            r#"    a0_3 [label="3\nline 5", tooltip="m.pml:5", peripheries="2"];"#,
            r#"    a0_1 -> a0_2 [label=" x > 3 \l", tooltip="m.pml:3: x > 3"];"#,
            r#"    a0_2 -> a0_3 [label=" x = x + 1 \l", tooltip="m.pml:4: x = x + 1"];"#,
            r#"    a0_3 -> a0_0 [label=" -end- \l""#,
        ];
        has(&drawn, &expected);
        assert!(!drawn.contains("bold:") && !drawn.contains("dashed:"), "{drawn}");
    }

    #[test]
    fn labels_are_words_and_colours() {
        let text = "active proctype P() {\nend: progress: (false);\naccept_a: (false);\ndanger1: (false) }\n";
        let drawn = drawn(text);
        has(&drawn, &["line 2\\nend, progress\"", "line 3\\naccept\"", "line 4\\ndanger\""]);
        for colour in [style::PROGRESS, style::ACCEPT, style::DANGER] {
            assert_eq!(drawn.matches(&format!("fillcolor=\"{colour}\"")).count(), 1, "{drawn}");
        }
        assert_eq!(drawn.matches("peripheries").count(), 2, "the label and the end\n{drawn}");
    }

    #[test]
    fn marks_are_explained_where_they_occur() {
        let atomic = drawn("byte x; active proctype P() { atomic { x = 1; x = 2 } }\n");
        has(&atomic, &["label=\"bold: the process continues alone (atomic)\""]);
        assert_eq!(atomic.matches("penwidth").count(), 1, "the last statement gives control back\n{atomic}");
        let unless = drawn("byte x; active proctype P() { { x = 1; x = 2 } unless { x == 3 } }\n");
        has(&unless, &["label=\"dashed: goes first if it can (unless)\""]);
        assert_eq!(unless.matches("style=\"dashed\"").count(), 2, "{unless}");
    }

    #[test]
    fn a_d_step_shows_its_inside() {
        let drawn = drawn("byte x; active proctype P() { d_step { x > 0; x = 2 } }\n");
        has(&drawn, &[r#"label=" d_step { \l   x > 0 \l   x = 2 \l } \l""#]);
    }

    #[test]
    fn statements_are_the_users_and_joins_have_no_text() {
        let drawn = drawn(
            "byte known;\nactive proctype P() { do :: known++ :: known > 3 -> break od; if :: skip :: skip fi; known = 1 }\n",
        );
        has(&drawn, &[" known++ ", " known > 3 "]);
        for listing in ["goto", "(known", ":b"] {
            assert!(!drawn.contains(listing), "{listing:?} is in\n{drawn}");
        }
    }

    #[test]
    fn parts_have_names_and_titles() {
        let text = "mtype = { a }; chan c = [1] of { mtype };\nproctype P() { c!a }\nactive [2] proctype Q() { skip }\n\
                    init { run P() }\nnever { do :: true od }\nnotrace { c!a }\n";
        let model = model(text);
        let parts = AutomatonId::all(&model);
        let names: Vec<&str> = parts.iter().map(|part| part.name(&model)).collect();
        assert_eq!(names, ["P", "Q", "init", "never_0", "notrace"]);
        let drawn = automata(&model, &parts, &BTreeSet::new());
        for title in ["proctype P", "active [2] proctype Q", "init", "never claim never_0", "notrace"] {
            has(&drawn, &[&format!("graph [label=\"{title}\"")]);
        }
    }

    #[test]
    fn dead_code_and_skipped_numbers_are_left_out() {
        let drawn = drawn("byte x; active proctype P() {\nagain: x = 1;\ngoto again;\nx = 2 }\n");
        has(&drawn, &["a0_1 -> a0_1 "]);
        assert_eq!(drawn.matches("line ").count(), 1, "{drawn}");
    }

    #[test]
    fn statements_of_a_trail_are_highlighted_with_their_locations() {
        let model = model("byte x; active proctype P() { x = 1; x = 2; x = 3 }\nactive proctype Q() { x = 4 }\n");
        let automaton = &model.proctypes[0].automaton;
        let second = automaton.location(2).transitions[0].statement;
        let highlighted = BTreeSet::from([automaton.trail_id(second)]);
        let drawn = automata(&model, &AutomatonId::all(&model), &highlighted);
        let bold: Vec<&str> = drawn.lines().filter(|line| line.contains("penwidth=\"3\"")).map(str::trim).collect();
        let heads: Vec<&str> = bold.iter().filter_map(|line| line.split(" [").next()).collect();
        assert_eq!(heads, ["a0_2", "a0_3", "a0_2 -> a0_3"], "{drawn}");
    }
}
