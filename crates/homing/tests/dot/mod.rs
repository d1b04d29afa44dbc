//! Reads the part of the dot language that homing writes, and nothing else: what is read here, Graphviz reads.

use std::collections::BTreeMap;

pub type Attributes = BTreeMap<String, String>;

/// A graph, with its texts unescaped: a line ends in `\n` or `\l` as it was written, but with a newline.
#[derive(Debug, Default)]
pub struct Graph {
    pub nodes: BTreeMap<String, Attributes>,
    pub edges: Vec<(String, String, Attributes)>,
    /// The labels of the clusters.
    pub clusters: Vec<String>,
    /// The attributes of the graph itself.
    pub own: Attributes,
}

/// The graph.
///
/// # Panics
/// If the text is not in the language, a node is declared twice, or an edge ends at a node that is not.
#[track_caller]
pub fn parse(text: &str) -> Graph {
    let mut reader = Reader { text, at: 0 };
    let mut graph = Graph::default();
    reader.expect("digraph");
    reader.word();
    reader.expect("{");
    statements(&mut reader, &mut graph, None);
    assert_eq!(reader.rest(), "", "text after the graph");
    for (from, to, _) in &graph.edges {
        assert!(graph.nodes.contains_key(from) && graph.nodes.contains_key(to), "{from} -> {to} in\n{text}");
    }
    graph
}

/// Statements up to and with the closing brace, of the graph or of a cluster.
fn statements(reader: &mut Reader<'_>, graph: &mut Graph, cluster: Option<&str>) {
    while !reader.accept("}") {
        let word = reader.word();
        match (word.as_str(), cluster) {
            ("subgraph", None) => {
                let name = reader.word();
                assert!(name.starts_with("cluster_"), "{name}");
                reader.expect("{");
                statements(reader, graph, Some(&name));
                continue;
            }
            ("graph", None) => graph.own = attributes(reader).expect("attributes after `graph`"),
            ("graph", Some(_)) => {
                graph.clusters.push(attributes(reader).expect("attributes after `graph`")["label"].clone());
            }
            ("node" | "edge", None) => assert!(attributes(reader).is_some(), "attributes after `{word}`"),
            ("node" | "edge" | "digraph" | "subgraph" | "strict", _) => panic!("{word} cannot stand here"),
            (from, _) if reader.accept("->") => {
                let to = reader.word();
                let attributes = attributes(reader).unwrap_or_default();
                graph.edges.push((from.to_owned(), to, attributes));
            }
            (name, _) => {
                let attributes = attributes(reader).unwrap_or_default();
                assert!(graph.nodes.insert(name.to_owned(), attributes).is_none(), "{name} twice");
            }
        }
        reader.expect(";");
    }
}

fn attributes(reader: &mut Reader<'_>) -> Option<Attributes> {
    if !reader.accept("[") {
        return None;
    }
    let mut attributes = Attributes::new();
    loop {
        let name = reader.word();
        reader.expect("=");
        let value = reader.string();
        assert!(attributes.insert(name.clone(), value).is_none(), "{name} twice");
        if reader.accept("]") {
            return Some(attributes);
        }
        reader.expect(",");
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&mut self) -> &'t str {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest
    }

    fn accept(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn expect(&mut self, token: &str) {
        assert!(self.accept(token), "no {token:?} at {:.80}", self.rest());
    }

    fn word(&mut self) -> String {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        assert!(end > 0 && !rest.starts_with(|c: char| c.is_ascii_digit()), "no word at {rest:.80}");
        self.at += end;
        rest[..end].to_owned()
    }

    fn string(&mut self) -> String {
        self.expect("\"");
        let mut value = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return value;
                }
                '\\' => match chars.next() {
                    Some((_, c @ ('"' | '\\'))) => value.push(c),
                    Some((_, 'n' | 'l')) => value.push('\n'),
                    other => panic!("the escape {other:?} is not used"),
                },
                c => {
                    assert!(!c.is_control(), "{c:?} in a string");
                    value.push(c);
                }
            }
        }
        panic!("a string without an end")
    }
}
