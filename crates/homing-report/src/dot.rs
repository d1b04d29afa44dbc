//! The dot language of Graphviz, as far as the graphs of automata and states need it.
//!
//! Names of nodes are plain words made by the graphs themselves; all text of a model goes through [`Attributes::text`]
//! or [`Attributes::lines`], which escape every character that has a meaning in dot.

use std::fmt::Write;

/// A directed graph while it is written. What is written so far can be taken at any time, so that a large graph need
/// not be held as a whole.
#[derive(Debug)]
pub struct Dot {
    out: String,
    depth: usize,
}

impl Dot {
    /// Begins a graph. Every node and edge of it has these attributes unless it says otherwise.
    pub fn begin(name: &str, graph: &Attributes, node: &Attributes, edge: &Attributes) -> Dot {
        let mut dot = Dot { out: String::new(), depth: 0 };
        dot.open(&format!("digraph {name} {{"));
        for (what, attributes) in [("graph", graph), ("node", node), ("edge", edge)] {
            dot.default(what, attributes);
        }
        dot
    }

    pub fn begin_cluster(&mut self, number: usize, attributes: &Attributes) {
        self.open(&format!("subgraph cluster_{number} {{"));
        self.default("graph", attributes);
    }

    /// Ends the innermost cluster, or the graph.
    ///
    /// # Panics
    /// If there is none.
    pub fn end(&mut self) {
        self.depth = self.depth.checked_sub(1).expect("something was begun");
        self.line("}");
    }

    pub fn node(&mut self, name: &str, attributes: &Attributes) {
        self.line(&format!("{name}{attributes};"));
    }

    pub fn edge(&mut self, from: &str, to: &str, attributes: &Attributes) {
        self.line(&format!("{from} -> {to}{attributes};"));
    }

    /// Takes what was written since the last call.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    /// Writes the default attributes of graphs, nodes or edges. Without any, dot would not accept the word.
    fn default(&mut self, what: &str, attributes: &Attributes) {
        if !attributes.0.is_empty() {
            self.line(&format!("{what}{attributes};"));
        }
    }

    fn open(&mut self, line: &str) {
        self.line(line);
        self.depth += 1;
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.out, "{:indent$}{line}", "", indent = 2 * self.depth);
    }
}

/// The attributes of a node, an edge or a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes(Vec<(&'static str, String)>);

impl Attributes {
    pub fn new() -> Self {
        Attributes::default()
    }

    /// An attribute whose value is a word or number that dot knows, such as a shape or a colour.
    #[must_use]
    pub fn word(self, name: &'static str, value: &str) -> Self {
        self.with(name, format!("\"{value}\""))
    }

    /// An attribute whose value is any text; its lines are centred.
    #[must_use]
    pub fn text(self, name: &'static str, text: &str) -> Self {
        let lines: Vec<String> = text.lines().map(escaped).collect();
        self.with(name, format!("\"{}\"", lines.join("\\n")))
    }

    /// An attribute whose value is lines of any text, flush left, under a centred title.
    #[must_use]
    pub fn titled<L: AsRef<str>>(self, name: &'static str, title: &str, lines: &[L]) -> Self {
        self.with(name, format!("\"{}\\n{}\"", escaped(title), flush_left(lines)))
    }

    /// An attribute whose value is lines of any text, flush left.
    #[must_use]
    pub fn lines<L: AsRef<str>>(self, name: &'static str, lines: &[L]) -> Self {
        self.with(name, format!("\"{}\"", flush_left(lines)))
    }

    fn with(mut self, name: &'static str, value: String) -> Self {
        self.0.retain(|(known, _)| *known != name);
        self.0.push((name, value));
        self
    }
}

impl std::fmt::Display for Attributes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        let all: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        write!(f, " [{}]", all.join(", "))
    }
}

fn flush_left<L: AsRef<str>>(lines: &[L]) -> String {
    lines.iter().map(|line| escaped(line.as_ref()) + "\\l").collect()
}

/// Escapes the text so that dot shows just it: quotes, backslashes and what looks like an HTML entity lose their
/// meaning, and a control character becomes a blank.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '&' if is_entity(&text[at + 1..]) => out.push_str("&amp;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Whether an `&` before the text would make it an entity such as `&lt;` or `&#60;`.
fn is_entity(text: &str) -> bool {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '#');
    end.is_some_and(|end| end > 0 && text[end..].starts_with(';'))
}

/// The text, cut to `most` characters.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_means_anything_to_dot() {
        assert_eq!(escaped(r#"printf("a\n\"\\")"#), r#"printf(\"a\\n\\\"\\\\\")"#);
        assert_eq!(escaped(r"ends in \"), r"ends in \\");
        assert_eq!(escaped("(a&&b) a&b; &lt; &#60; &;"), "(a&&b) a&amp;b; &amp;lt; &amp;#60; &;");
        assert_eq!(escaped("tab\there\u{1}\u{e9}\u{4e2d}<b>{|}"), "tab here \u{e9}\u{4e2d}<b>{|}");
    }

    #[test]
    fn attributes_are_quoted_and_the_last_word_counts() {
        let attributes = Attributes::new().word("color", "red").text("label", "a\nb\"").word("color", "blue");
        assert_eq!(attributes.to_string(), r#" [label="a\nb\"", color="blue"]"#);
        assert_eq!(Attributes::new().lines("label", &["x", "y\\"]).to_string(), r#" [label="x\ly\\\l"]"#);
        assert_eq!(Attributes::new().titled("label", "7", &["x"]).to_string(), r#" [label="7\nx\l"]"#);
        assert_eq!(Attributes::new().to_string(), "");
    }

    #[test]
    fn a_graph_is_nested_and_can_be_taken_in_parts() {
        let none = Attributes::new();
        let mut dot = Dot::begin("g", &Attributes::new().word("rankdir", "LR"), &none, &none);
        dot.begin_cluster(0, &Attributes::new().text("label", "P"));
        dot.node("a", &none);
        dot.end();
        let first = dot.take();
        dot.edge("a", "a", &Attributes::new().text("label", "x"));
        dot.end();
        let second = "  a -> a [label=\"x\"];\n}\n";
        assert_eq!(dot.take(), second);
        assert_eq!(
            first,
            "digraph g {\n  graph [rankdir=\"LR\"];\n  subgraph cluster_0 {\n    graph [label=\"P\"];\n    \
             a;\n  }\n"
        );
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(
            (cut("abc", 3), cut("abcd", 3), cut("\u{e9}\u{e9}\u{e9}", 2)),
            ("abc".into(), "ab…".into(), "é…".into())
        );
    }
}
