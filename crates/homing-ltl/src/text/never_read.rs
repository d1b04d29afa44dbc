//! Reads never claims in the form that `spin -f` and homing write: labelled `do` or `if` with options that end in a
//! `goto`.

use std::collections::HashMap;

use super::{Named, ReadError};
use crate::automaton::{Automaton, Edge};
use crate::formula::{Formula, Node, Unary};
use crate::letters::Letters;
use crate::parse::parse_with;

/// Reads a never claim. A label that begins with `accept` makes its state accepting; the end of the claim accepts every
/// word, as does the failing assertion that `spin -f` writes.
pub fn read_never(text: &str) -> Result<Named, ReadError> {
    let tokens = tokens(text)?;
    let mut reader = Reader { tokens: &tokens, at: 0, names: Vec::new(), states: Vec::new(), labels: HashMap::new() };
    reader.read_claim()?;
    reader.finish()
}

struct Token<'a> {
    text: &'a str,
    line: usize,
}

/// Words, numbers and symbols, without comments.
fn tokens(text: &str) -> Result<Vec<Token<'_>>, ReadError> {
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if rest.starts_with("/*") {
            let open = || ReadError { line, message: "a comment that begins here is not closed".to_owned() };
            rest.find("*/").ok_or_else(open)? + 2
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let symbol = if rest.starts_with("::") || rest.starts_with("->") { 2 } else { first.len_utf8() };
            let length = if word > 0 { word } else { symbol };
            tokens.push(Token { text: &rest[..length], line });
            length
        };
        line += rest[..length].matches('\n').count();
        at += length;
    }
    Ok(tokens)
}

/// A state of the claim.
#[derive(Default)]
struct State {
    is_accepting: bool,
    /// The claim ends here.
    is_end: bool,
    /// The guard of each option and the label that it goes to; `None` for the end of the claim.
    options: Vec<(Formula, Option<(String, usize)>)>,
}

struct Reader<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    names: Vec<String>,
    states: Vec<State>,
    labels: HashMap<String, usize>,
}

impl Reader<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("the end of the file", |token| token.text)
    }

    fn line(&self) -> usize {
        let token = self.tokens.get(self.at).or(self.tokens.last());
        token.map_or(1, |token| token.line)
    }

    fn error<T>(&self, message: String) -> Result<T, ReadError> {
        Err(ReadError { line: self.line(), message })
    }

    fn take(&mut self, text: &str) -> bool {
        let is_next = self.peek() == text;
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, text: &str) -> Result<(), ReadError> {
        if self.take(text) { Ok(()) } else { self.error(format!("expected `{text}`, found `{}`", self.peek())) }
    }

    /// Takes a name.
    fn name(&mut self, expected: &str) -> Result<String, ReadError> {
        let text = self.peek().to_owned();
        if self.at < self.tokens.len() && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            self.at += 1;
            return Ok(text);
        }
        self.error(format!("expected {expected}, found `{text}`"))
    }

    fn read_claim(&mut self) -> Result<(), ReadError> {
        self.expect("never")?;
        if self.peek() != "{" {
            self.name("a name or `{`")?;
        }
        self.expect("{")?;
        while !self.take("}") {
            if self.take(";") {
                continue;
            }
            let state = self.read_labels()?;
            self.states.push(state);
            self.read_statement()?;
        }
        if self.at < self.tokens.len() {
            return self.error(format!("expected the end of the file after the claim, found `{}`", self.peek()));
        }
        Ok(())
    }

    /// The labels of a state that is read next.
    fn read_labels(&mut self) -> Result<State, ReadError> {
        let mut state = State::default();
        while self.tokens.get(self.at + 1).is_some_and(|token| token.text == ":") {
            let label = self.name("a label")?;
            self.expect(":")?;
            state.is_accepting |= label.starts_with("accept");
            if self.labels.insert(label.clone(), self.states.len()).is_some() {
                return self.error(format!("the label `{label}` is defined twice"));
            }
        }
        Ok(state)
    }

    fn state(&mut self) -> &mut State {
        self.states.last_mut().expect("a state was begun")
    }

    fn read_statement(&mut self) -> Result<(), ReadError> {
        if self.take("}") {
            // a label at the end of the claim
            self.at -= 1;
            self.state().is_end = true;
        } else if self.take("skip") {
            self.take(";");
            if self.peek() != "}" {
                return self.error("`skip` is supported only at the end of the claim".to_owned());
            }
            self.state().is_end = true;
        } else if self.take("false") || self.take("0") {
            // blocks: no edge
        } else if self.take("do") {
            self.read_options("od")?;
        } else if self.take("if") {
            self.read_options("fi")?;
        } else {
            return self.error(format!("expected `do`, `if`, `skip` or `false`, found `{}`", self.peek()));
        }
        Ok(())
    }

    fn read_options(&mut self, end: &str) -> Result<(), ReadError> {
        while !self.take(end) {
            self.expect("::")?;
            let is_atomic = self.take("atomic");
            if is_atomic {
                self.expect("{")?;
            }
            let guard = self.read_guard()?;
            self.expect("->")?;
            let target = if self.take("goto") {
                let line = self.line();
                Some((self.name("a label")?, line))
            } else if self.take("assert") {
                self.read_guard()?;
                None
            } else {
                return self.error(format!("expected `goto` or `assert`, found `{}`", self.peek()));
            };
            self.take(";");
            if is_atomic {
                self.expect("}")?;
            }
            self.state().options.push((guard, target));
        }
        Ok(())
    }

    /// Reads an expression up to `->`, or to the end of its parentheses.
    fn read_guard(&mut self) -> Result<Formula, ReadError> {
        let line = self.line();
        let (mut depth, mut text) = (0_usize, String::new());
        while let Some(token) = self.tokens.get(self.at) {
            match token.text {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                "->" | "::" | "od" | "fi" | "}" | ";" if depth == 0 => break,
                _ => {}
            }
            // symbols of several characters were split: they are joined again without blanks
            let is_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
            if is_word(text.chars().last()) && is_word(token.text.chars().next()) {
                text.push(' ');
            }
            text.push_str(token.text);
            self.at += 1;
        }
        let error = |message: String| ReadError { line, message };
        let (formula, _) = parse_with(&text, &mut self.names).map_err(|wrong| error(format!("{wrong} in `{text}`")))?;
        if formula.is_boolean() { Ok(formula) } else { Err(error(format!("`{text}` has a temporal operator"))) }
    }

    fn finish(self) -> Result<Named, ReadError> {
        let propositions = self.names.len();
        let end = self.states.len();
        let mut states = Vec::with_capacity(end + 1);
        for state in &self.states {
            let marks = u32::from(state.is_accepting || state.is_end);
            let mut edges = Vec::new();
            if state.is_end {
                edges.push(Edge { letters: Letters::all(propositions), marks, target: end });
            }
            for (guard, target) in &state.options {
                let target = match target {
                    None => end,
                    Some((label, line)) => *self
                        .labels
                        .get(label)
                        .ok_or_else(|| ReadError { line: *line, message: format!("there is no label `{label}`") })?,
                };
                let letters = letters(guard, propositions);
                if !letters.is_empty() {
                    edges.push(Edge { letters, marks, target });
                }
            }
            states.push(edges);
        }
        states.push(vec![Edge { letters: Letters::all(propositions), marks: 1, target: end }]);
        let automaton = Automaton { propositions, sets: 1, initial: 0, states };
        Ok(Named { automaton, names: self.names })
    }
}

/// The letters of a Boolean formula.
fn letters(formula: &Formula, propositions: usize) -> Letters {
    use crate::formula::Binary::{And, Equivalent, Implies, Or};
    let mut values: Vec<Letters> = Vec::new();
    for &node in formula.nodes() {
        let value = match node {
            Node::True => Letters::all(propositions),
            Node::False => Letters::empty(propositions),
            Node::Proposition(index) => Letters::proposition(propositions, index as usize),
            Node::Unary(operator) => {
                debug_assert_eq!(operator, Unary::Not, "the formula is Boolean");
                values.pop().expect("an operand for each operator").not()
            }
            Node::Binary(operator) => {
                let right = values.pop().expect("an operand for each operator");
                let left = values.pop().expect("an operand for each operator");
                match operator {
                    And => left.and(&right),
                    Or => left.or(&right),
                    Implies => left.not().or(&right),
                    Equivalent => left.and(&right).or(&left.or(&right).not()),
                    _ => unreachable!("the formula is Boolean"),
                }
            }
        };
        values.push(value);
    }
    values.pop().expect("the value of the formula")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Lasso;

    #[test]
    fn claims_of_spin() {
        let response = "never  {    /* !([](p -> <>q)) */\nT0_init:\n\tdo\n\t:: (! ((q)) && (p)) -> goto accept_S4\n\t\
                        :: (1) -> goto T0_init\n\tod;\naccept_S4:\n\tdo\n\t:: (! ((q))) -> goto accept_S4\n\tod;\n}\n";
        let read = read_never(response).expect("a claim");
        assert_eq!(read.names, ["q", "p"]);
        let accepts = |cycle: &[u64]| read.automaton.accepts(&Lasso { stem: vec![2], cycle: cycle.to_vec() });
        assert!(accepts(&[0]) && !accepts(&[1]) && accepts(&[2]) && !accepts(&[2, 1]));

        let reached = "never {\nT0_init: // first\n\tif\n\t:: atomic { (x == 1 && len(q) >= 2) -> assert(!(x == 1)) }\n\
                       \t:: (1) -> goto T0_init\n\tfi;\naccept_all:\n\tskip\n}\n";
        let read = read_never(reached).expect("a claim");
        assert_eq!(read.names, ["x == 1", "len(q) >= 2"]);
        let accepts = |cycle: &[u64]| read.automaton.accepts(&Lasso { stem: vec![0], cycle: cycle.to_vec() });
        assert!(accepts(&[3, 0]) && !accepts(&[1, 2]));
        assert!(read_never("never { T0_init: false; }").expect("a claim").automaton.is_empty());
    }

    #[test]
    fn errors_have_a_line() {
        for (text, line, words) in [
            ("proctype P() { skip }", 1, "expected `never`"),
            ("never {\nT0:\n\tdo\n\t:: (p) -> goto T1\n\tod\n}", 4, "no label `T1`"),
            ("never {\nT0:\n\tdo\n\t:: (p &&) -> goto T0\n\tod\n}", 4, "expected an operand"),
            ("never {\nT0:\n\tdo\n\t:: ([] p) -> goto T0\n\tod\n}", 4, "temporal operator"),
            ("never {\nT0:\n\tdo\n\t:: (p) -> x = 1\n\tod\n}", 4, "expected `goto`"),
            ("never {\nT0:\n\tskip;\nT1: false }", 4, "only at the end"),
            ("never {\nT0: false;\nT0: false }", 3, "defined twice"),
            ("never {\n/* open", 2, "not closed"),
            ("never {\nT0:\n\tdo\n", 3, "expected `::`"),
            ("never { T0: false }\ninit { skip }", 2, "end of the file after the claim"),
        ] {
            let error = read_never(text).expect_err(text);
            assert_eq!(error.line, line, "{error}\n{text}");
            assert!(error.message.contains(words), "{error}\n{text}");
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic() {
        let text = "never { T0: do :: (p && !q) -> goto T0 :: atomic { (q) -> assert(!(q)) } od; accept_all: skip }";
        let mut rng = fastrand::Rng::with_seed(14);
        for _ in 0..20_000 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..rng.usize(1..4) {
                if bytes.is_empty() {
                    break;
                }
                let at = rng.usize(..bytes.len());
                match rng.u8(..3) {
                    0 => drop(bytes.remove(at)),
                    1 => bytes[at] = b"(){}:;->&|! pq"[rng.usize(..14)],
                    _ => bytes.truncate(at + 1),
                }
            }
            let _ = read_never(&String::from_utf8_lossy(&bytes));
        }
    }
}
