//! Reads automata in the Hanoi Omega-Automata format, version 1.
//!
//! Supported are Büchi, generalised Büchi and `t` acceptance, on states or edges, labels on states or edges or
//! implicit, and aliases. An automaton with several initial states gets a new one that has the edges of all.

mod header;
mod label;
mod scan;

use super::{Named, ReadError};
use crate::automaton::{Automaton, Edge};
use crate::letters::Letters;
use header::Header;
use scan::{Kind, Scanner};

/// The largest number of states that is read.
const MOST_STATES: usize = 1_000_000;

/// Reads an automaton in the HOA format.
pub fn read_hoa(text: &str) -> Result<Named, ReadError> {
    let mut scanner = Scanner::new(text)?;
    let header = Header::read(&mut scanner)?;
    let mut body = Body { states: vec![Vec::new(); header.states], header };
    body.read(&mut scanner)?;
    Ok(body.finish())
}

struct Body {
    header: Header,
    states: Vec<Vec<Edge>>,
}

impl Body {
    fn read(&mut self, scanner: &mut Scanner) -> Result<(), ReadError> {
        loop {
            let token = scanner.next("`State:` or `--END--`")?;
            match &token.kind {
                Kind::Marker("--END--") => return Ok(()),
                Kind::Header("State") => self.read_state(scanner)?,
                _ => return Err(token.unexpected("`State:` or `--END--`")),
            }
        }
    }

    fn read_state(&mut self, scanner: &mut Scanner) -> Result<(), ReadError> {
        let state_label = self.read_label(scanner)?;
        let state = self.read_state_number(scanner)?;
        scanner.take_if(|kind| matches!(kind, Kind::Text(_)));
        let state_marks = self.read_marks(scanner)?;
        let mut implicit = 0;
        while scanner.peek().is_some_and(|token| matches!(token.kind, Kind::Symbol('[') | Kind::Number(_))) {
            let line = scanner.line();
            let own = self.read_label(scanner)?;
            let target = self.read_state_number(scanner)?;
            if scanner.take_if(|kind| *kind == Kind::Symbol('&')).is_some() {
                return Err(ReadError { line, message: "universal branching is not supported".to_owned() });
            }
            let marks = state_marks | self.read_marks(scanner)?;
            let letters = match (own, &state_label) {
                (Some(own), _) => own,
                (None, Some(label)) => label.clone(),
                (None, None) => {
                    implicit += 1;
                    self.implicit_label(implicit - 1, line)?
                }
            };
            if !letters.is_empty() {
                self.states[state].push(Edge { letters, marks: self.header.marks(marks), target });
            }
        }
        Ok(())
    }

    /// The label of the i-th edge of a state without labels: the letter i.
    fn implicit_label(&self, letter: u64, line: usize) -> Result<Letters, ReadError> {
        let propositions = self.header.names.len();
        if propositions < 64 && letter >> propositions != 0 {
            let message = "a state without labels has more edges than there are letters".to_owned();
            return Err(ReadError { line, message });
        }
        let literal = |letters: Letters, index: usize| {
            let proposition = Letters::proposition(propositions, index);
            if letter >> index & 1 == 1 { letters.and(&proposition) } else { letters.and_not(&proposition) }
        };
        Ok((0..propositions).fold(Letters::all(propositions), literal))
    }

    fn read_label(&self, scanner: &mut Scanner) -> Result<Option<Letters>, ReadError> {
        if scanner.take_if(|kind| *kind == Kind::Symbol('[')).is_none() {
            return Ok(None);
        }
        let letters = label::read(scanner, self.header.names.len(), &self.header.aliases)?;
        scanner.expect(']')?;
        Ok(Some(letters))
    }

    fn read_state_number(&mut self, scanner: &mut Scanner) -> Result<usize, ReadError> {
        let line = scanner.line();
        let number = scanner.number("the number of a state")?;
        if number >= MOST_STATES {
            return Err(ReadError { line, message: format!("the number {number} of a state is too large") });
        }
        if number >= self.states.len() {
            if self.header.has_states {
                let message = format!("there is no state {number}; the header declares {}", self.states.len());
                return Err(ReadError { line, message });
            }
            self.states.resize(number + 1, Vec::new());
        }
        Ok(number)
    }

    /// The acceptance sets in braces; none without braces.
    fn read_marks(&self, scanner: &mut Scanner) -> Result<u64, ReadError> {
        let mut marks = 0;
        if scanner.take_if(|kind| *kind == Kind::Symbol('{')).is_some() {
            while scanner.take_if(|kind| *kind == Kind::Symbol('}')).is_none() {
                let line = scanner.line();
                let set = scanner.number("the number of an acceptance set")?;
                if set >= self.header.sets {
                    return Err(ReadError { line, message: format!("there is no acceptance set {set}") });
                }
                marks |= 1 << set;
            }
        }
        Ok(marks)
    }

    fn finish(mut self) -> Named {
        let header = self.header;
        let last = header.starts.iter().max().map_or(0, |last| last + 1);
        if self.states.len() < last {
            self.states.resize(last, Vec::new());
        }
        let initial = match header.starts[..] {
            [single] => single,
            _ => {
                let edges = header.starts.iter().flat_map(|&start| self.states[start].clone()).collect();
                self.states.push(edges);
                self.states.len() - 1
            }
        };
        let propositions = header.names.len();
        let sets = header.required.as_ref().map_or(1, |required| required.len() as u32);
        let automaton = Automaton { propositions, sets, initial, states: self.states };
        Named { automaton, names: header.names }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Lasso;

    fn accepted(text: &str, cycle: &[u64]) -> bool {
        let read = read_hoa(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        read.automaton.accepts(&Lasso { stem: Vec::new(), cycle: cycle.to_vec() })
    }

    #[test]
    fn features_of_the_format() {
        let head = "HOA: v1 /* a /* nested */ comment */\ntool: \"x\" \"1\"\nproperties: a b-c\nAP: 2 \"p\" \"q\"\n";
        for (rest, words) in [
            // GF p, on edges, with aliases
            (
                "Alias: @x 0 & !1\nAlias: @y @x | 0\nStart: 0\nAcceptance: 1 Inf(0)\n--BODY--\n\
                 State: 0 \"name\"\n[@y] 0 {0}\n[!@y] 0\n--END--",
                [true, true, false],
            ),
            // accepting states, labels on states, no `States:`
            (
                "Start: 0\nAcceptance: 1 Inf(0)\n--BODY--\nState: [t] 0\n0 1\nState: [0] 1 {0}\n1\n--END--",
                [true, false, false],
            ),
            // implicit labels
            (
                "States: 1\nStart: 0\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n0\n0 {0}\n0\n0 {0}\n--END--",
                [true, true, false],
            ),
            // two sets, of which one is not required, and two initial states
            (
                "States: 2\nStart: 0\nStart: 1\nAcceptance: 2 (Inf(1))\n--BODY--\n\
                 State: 0\n[0] 0 {1}\nState: 1\n[1] 1 {0 1}\n--END--",
                [true, false, false],
            ),
            (
                "States: 1\nStart: 0\nAcceptance: 0 t\n--BODY--\nState: 0\n[(0 | 1) & !f] 0\n--END--",
                [true, false, false],
            ),
            ("States: 1\nStart: 0\nAcceptance: 0 f\n--BODY--\nState: 0\n[t] 0\n--END--", [false, false, false]),
        ] {
            let text = format!("{head}{rest}");
            let words = words.into_iter().zip([&[1][..], &[1, 0], &[0]]);
            words.for_each(|(expected, cycle)| assert_eq!(accepted(&text, cycle), expected, "{cycle:?} {text}"));
        }
    }

    #[test]
    fn errors_have_a_line() {
        let body = "--BODY--\nState: 0\n[t] 0\n--END--";
        for (text, line, words) in [
            ("HOA: v2\n".to_owned(), 1, "version"),
            ("digraph".to_owned(), 1, "HOA:"),
            ("HOA: v1\nStates: x\n".to_owned(), 2, "number"),
            (format!("HOA: v1\nStart: 0\nAcceptance: 1 Fin(0)\n{body}"), 3, "Büchi"),
            (format!("HOA: v1\nStart: 0\nAcceptance: 2 Inf(0) | Inf(1)\n{body}"), 3, "Büchi"),
            (format!("HOA: v1\nStart: 0\nFairness: x\nAcceptance: 0 t\n{body}"), 3, "Fairness"),
            (format!("HOA: v1\nStart: 0&1\nAcceptance: 0 t\n{body}"), 2, "alternating"),
            (format!("HOA: v1\nStart: 0\n{body}"), 3, "Acceptance"),
            ("HOA: v1\nStart: 0\nAcceptance: 0 t\n--BODY--\nState: 0\n[0] 0\n--END--".to_owned(), 6, "proposition 0"),
            ("HOA: v1\nStart: 0\nAcceptance: 0 t\n--BODY--\nState: 0\n[@a] 0\n--END--".to_owned(), 6, "alias"),
            ("HOA: v1\nStart: 0\nAcceptance: 0 t\n--BODY--\nState: 0\n[t] 0&1\n--END--".to_owned(), 6, "universal"),
            (
                "HOA: v1\nStates: 1\nStart: 0\nAcceptance: 0 t\n--BODY--\nState: 0\n[t] 3\n--END--".to_owned(),
                7,
                "state 3",
            ),
            ("HOA: v1\nStart: 0\nAcceptance: 0 t\n--BODY--\nState: 0\n[t] 0 {2}\n--END--".to_owned(), 6, "set 2"),
            ("HOA: v1\nStart: 0\nAcceptance: 0 t\n--BODY--\nState: 0".to_owned(), 5, "end of the file"),
            ("HOA: v1\nname: \"x\n".to_owned(), 2, "not closed"),
        ] {
            let error = read_hoa(&text).expect_err(&text);
            assert_eq!(error.line, line, "{error}\n{text}");
            assert!(error.message.contains(words), "{error}\n{text}");
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic() {
        let text = "HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"p\"\nAlias: @a 0\nAcceptance: 1 Inf(0)\n--BODY--\n\
                    State: 0 {0}\n\
                    [@a & !0 | t] 1\nState: 1\n0 1\n--END--";
        let mut rng = fastrand::Rng::with_seed(13);
        for _ in 0..20_000 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..rng.usize(1..4) {
                if bytes.is_empty() {
                    break;
                }
                let at = rng.usize(..bytes.len());
                match rng.u8(..3) {
                    0 => drop(bytes.remove(at)),
                    1 => bytes[at] = b"09[]{}()&|!@\" \nStI"[rng.usize(..18)],
                    _ => bytes.truncate(at + 1),
                }
            }
            let _ = read_hoa(&String::from_utf8_lossy(&bytes));
        }
    }
}
