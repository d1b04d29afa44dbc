//! Automata in Graphviz's dot language.

use std::fmt::Write;

use super::{accepting_states, guard};
use crate::automaton::{Automaton, Edge};

impl Automaton {
    /// The automaton as a graph. A double circle is an accepting state; where marks are on edges, an edge shows its
    /// guard and the acceptance sets that it is in.
    pub fn to_dot<S: AsRef<str>>(&self, names: &[S], title: &str) -> String {
        let accepting = accepting_states(self);
        let mut text = format!("digraph automaton {{\n  graph [label={}, rankdir=\"LR\"];\n", quoted(title));
        text += "  node [shape=\"circle\"];\n  start [shape=\"point\", label=\"\"];\n";
        for state in 0..self.states.len() {
            let is_accepting = accepting.as_ref().is_some_and(|accepting| accepting[state]);
            let shape = if is_accepting { ", shape=\"doublecircle\"" } else { "" };
            text += &format!("  s{state} [label=\"{state}\"{shape}];\n");
        }
        text += &format!("  start -> s{};\n", self.initial);
        for (state, edges) in self.states.iter().enumerate() {
            for edge in edges {
                let mut label = guard(&edge.letters, names);
                if accepting.is_none() && edge.marks != 0 {
                    let _ = write!(label, "\n{{{}}}", marks(edge, ","));
                }
                text += &format!("  s{state} -> s{} [label={}];\n", edge.target, quoted(&label));
            }
        }
        text + "}\n"
    }
}

/// The numbers of the acceptance sets of an edge.
pub(super) fn marks(edge: &Edge, separator: &str) -> String {
    let sets = (0..Automaton::MOST_SETS).filter(|set| edge.marks >> set & 1 == 1);
    sets.map(|set| set.to_string()).collect::<Vec<_>>().join(separator)
}

/// A string of the dot language.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use crate::{parse, translate, translate_to_buchi};

    #[test]
    fn states_and_edges() {
        let parsed = parse("<> [] (x == 1)").expect("a formula");
        let text = translate_to_buchi(&parsed.formula).expect("small").to_dot(&parsed.names, "a \"title\"");
        for part in [
            "digraph automaton {\n  graph [label=\"a \\\"title\\\"\", rankdir=\"LR\"];\n",
            "  start -> s0;\n",
            "  s1 [label=\"1\", shape=\"doublecircle\"];\n",
            "  s0 -> s0 [label=\"true\"];\n",
            "  s0 -> s1 [label=\"(x == 1)\"];\n",
            "  s1 -> s1 [label=\"(x == 1)\"];\n}\n",
        ] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
        let parsed = parse("[]<>p && []<>q").expect("a formula");
        let text = translate(&parsed.formula).expect("small").to_dot(&parsed.names, "");
        assert!(text.contains("s0 -> s0 [label=\"p && q\\n{0,1}\"];"), "{text}");
    }
}
