//! Automata as never claims of SPIN.

use super::guard;
use crate::automaton::{Automaton, Edge};

impl Automaton {
    /// The automaton as a never claim, degeneralised if necessary. The states are named as `spin -f` does: `T0_init` or
    /// `accept_init`, then `T0_S1` or `accept_S1` and so on; a state that accepts every word is `accept_all`, where the
    /// claim ends. `title` is a comment.
    pub fn to_never<S: AsRef<str>>(&self, names: &[S], title: &str) -> String {
        let owned;
        let automaton = match super::accepting_states(self) {
            Some(_) => self,
            None => {
                owned = self.degeneralised();
                &owned
            }
        };
        let labels: Vec<String> = (0..automaton.states.len()).map(|state| label(automaton, state)).collect();
        let order = std::iter::once(automaton.initial)
            .chain((0..automaton.states.len()).filter(|&state| state != automaton.initial));
        // the claim ends after `accept_all`, so that it comes last; all such states are one
        let (last, others): (Vec<usize>, Vec<usize>) = order.partition(|&state| accepts_all(automaton, state));
        let comment = title.replace("*/", "* /");
        let mut text = format!("never {{\t/* {comment} */\n");
        for state in others {
            text += &format!("{}:\n", labels[state]);
            text += &statements(&automaton.states[state], &labels, names);
        }
        if let Some(&state) = last.first() {
            text += &format!("{}:\n\tskip\n", labels[state]);
        }
        text + "}\n"
    }
}

fn statements<S: AsRef<str>>(edges: &[Edge], labels: &[String], names: &[S]) -> String {
    if edges.is_empty() {
        return "\tfalse;\n".to_owned();
    }
    let option = |edge: &Edge| format!("\t:: ({}) -> goto {}\n", guard(&edge.letters, names), labels[edge.target]);
    format!("\tdo\n{}\tod;\n", edges.iter().map(option).collect::<String>())
}

/// Whether a state accepts every word by a loop.
fn accepts_all(automaton: &Automaton, state: usize) -> bool {
    let is_loop = |edge: &Edge| edge.target == state && edge.letters.is_all();
    automaton.is_accepting(state) && automaton.states[state].iter().any(is_loop)
}

fn label(automaton: &Automaton, state: usize) -> String {
    if accepts_all(automaton, state) {
        return "accept_all".to_owned();
    }
    let kind = if automaton.is_accepting(state) { "accept" } else { "T0" };
    if state == automaton.initial { format!("{kind}_init") } else { format!("{kind}_S{state}") }
}

#[cfg(test)]
mod tests {
    use crate::{parse, translate, translate_to_buchi};

    #[test]
    fn claims_in_full() {
        for (formula, expected) in [
            (
                "!([] (p -> <> (x == 1)))",
                "never {\t/* title * / */\nT0_init:\n\tdo\n\t:: (true) -> goto T0_init\n\t:: (p && !(x == 1)) -> goto \
                 accept_S1\n\tod;\naccept_S1:\n\tdo\n\t:: (!(x == 1)) -> goto accept_S1\n\tod;\n}\n",
            ),
            (
                "<> p",
                "never {\t/* title * / */\nT0_init:\n\tdo\n\t:: (!p) -> goto T0_init\n\t:: (p) -> goto \
                 accept_all\n\tod;\naccept_all:\n\tskip\n}\n",
            ),
            ("false", "never {\t/* title * / */\nT0_init:\n\tfalse;\n}\n"),
            ("true", "never {\t/* title * / */\naccept_all:\n\tskip\n}\n"),
        ] {
            let parsed = parse(formula).expect("a formula");
            let automaton = translate_to_buchi(&parsed.formula).expect("small");
            assert_eq!(automaton.to_never(&parsed.names, "title */"), expected, "{formula}");
        }
    }

    #[test]
    fn generalised_automata_are_degeneralised() {
        let parsed = parse("[]<>p && []<>q").expect("a formula");
        let claim = translate(&parsed.formula).expect("small").to_never(&parsed.names, "");
        assert!(claim.contains("accept_"), "{claim}");
    }
}
