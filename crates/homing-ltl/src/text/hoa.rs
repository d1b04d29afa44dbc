//! Automata in the Hanoi Omega-Automata format, version 1 (Babiak et al. 2015).

use super::{accepting_states, dot};
use crate::automaton::{Automaton, Edge};
use crate::letters::{Cube, Letters};

impl Automaton {
    /// The automaton in the HOA format, with accepting states if it has them, otherwise with marks on edges.
    pub fn to_hoa<S: AsRef<str>>(&self, names: &[S], title: &str) -> String {
        let accepting = accepting_states(self);
        let mut text = format!("HOA: v1\nname: {}\ntool: \"homing\"\n", quoted(title));
        text += &format!("States: {}\nStart: {}\nAP: {}", self.states.len(), self.initial, self.propositions);
        for name in &names[..self.propositions] {
            text += &format!(" {}", quoted(name.as_ref()));
        }
        text += &format!("\n{}", acceptance(self.sets));
        text += "properties: trans-labels explicit-labels";
        text += if accepting.is_some() { " state-acc" } else { " trans-acc" };
        if self.is_deterministic() {
            text += " deterministic";
        }
        if self.is_complete() {
            text += " complete";
        }
        text += "\n--BODY--\n";
        for (state, edges) in self.states.iter().enumerate() {
            let is_accepting = accepting.as_ref().is_some_and(|accepting| accepting[state]);
            text += &format!("State: {state}{}\n", if is_accepting { " {0}" } else { "" });
            for edge in edges {
                text += &format!("[{}] {}", label(&edge.letters), edge.target);
                text += &if accepting.is_none() && edge.marks != 0 { marks(edge) } else { String::new() };
                text += "\n";
            }
        }
        text + "--END--\n"
    }

    /// Whether each state has an edge for each letter.
    pub fn is_complete(&self) -> bool {
        let read = |edges: &Vec<Edge>| {
            edges.iter().fold(Letters::empty(self.propositions), |all, edge| all.or(&edge.letters)).is_all()
        };
        self.states.iter().all(read)
    }
}

fn acceptance(sets: u32) -> String {
    let name = match sets {
        0 => "all".to_owned(),
        1 => "Buchi".to_owned(),
        _ => format!("generalized-Buchi {sets}"),
    };
    let condition = match sets {
        0 => "t".to_owned(),
        _ => (0..sets).map(|set| format!("Inf({set})")).collect::<Vec<_>>().join("&"),
    };
    format!("acc-name: {name}\nAcceptance: {sets} {condition}\n")
}

fn marks(edge: &Edge) -> String {
    format!(" {{{}}}", dot::marks(edge, " "))
}

fn label(letters: &Letters) -> String {
    let literal = |(index, value): (usize, bool)| if value { index.to_string() } else { format!("!{index}") };
    let cube = |cube: &Cube| match cube.literals().map(literal).collect::<Vec<_>>().join("&") {
        empty if empty.is_empty() => "t".to_owned(),
        cube => cube,
    };
    let cubes: Vec<String> = letters.prime_implicants().iter().map(cube).collect();
    if cubes.is_empty() { "f".to_owned() } else { cubes.join(" | ") }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use crate::{parse, translate, translate_to_buchi};

    #[test]
    fn an_automaton_in_full() {
        let parsed = parse("<> [] (p || q)").expect("a formula");
        let text = translate_to_buchi(&parsed.formula).expect("small").to_hoa(&parsed.names, "<>[](p || \"q\")");
        let expected = "HOA: v1\nname: \"<>[](p || \\\"q\\\")\"\ntool: \"homing\"\nStates: 2\nStart: 0\n\
                        AP: 2 \"p\" \"q\"\n\
                        acc-name: Buchi\nAcceptance: 1 Inf(0)\nproperties: trans-labels explicit-labels state-acc\n\
                        --BODY--\nState: 0\n[t] 0\n[0 | 1] 1\nState: 1 {0}\n[0 | 1] 1\n--END--\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn marks_on_edges() {
        let parsed = parse("[]<>p && []<>q").expect("a formula");
        let text = translate(&parsed.formula).expect("small").to_hoa(&parsed.names, "");
        let parts = ["generalized-Buchi 2", "2 Inf(0)&Inf(1)", "trans-acc deterministic complete", "[0&1] 0 {0 1}"];
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        let text = translate(&parse("[] p").expect("a formula").formula).expect("small").to_hoa(&["p"], "");
        assert!(text.contains("acc-name: all\nAcceptance: 0 t\n"), "{text}");
    }
}
