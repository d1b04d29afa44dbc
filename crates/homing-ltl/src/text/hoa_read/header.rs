//! The header of a HOA file.

use std::collections::HashMap;

use super::scan::{Kind, Scanner, Token};
use super::{MOST_STATES, label};
use crate::automaton::Automaton;
use crate::letters::Letters;
use crate::text::ReadError;

/// What the header declares.
pub struct Header {
    pub states: usize,
    pub has_states: bool,
    pub starts: Vec<usize>,
    pub names: Vec<String>,
    pub aliases: HashMap<String, Letters>,
    /// The number of acceptance sets that marks may have.
    pub sets: usize,
    /// The sets that must be met infinitely often; `None` if no run is accepting.
    pub required: Option<Vec<usize>>,
}

impl Header {
    /// Reads up to `--BODY--`.
    pub fn read(scanner: &mut Scanner) -> Result<Self, ReadError> {
        let token = scanner.next("`HOA: v1`")?;
        if token.kind != Kind::Header("HOA") {
            return Err(token.unexpected("`HOA: v1`"));
        }
        let version = scanner.next("a version")?;
        if version.kind != Kind::Name("v1") {
            return Err(version.unexpected("the version v1"));
        }
        let mut header = Header {
            states: 0,
            has_states: false,
            starts: Vec::new(),
            names: Vec::new(),
            aliases: HashMap::new(),
            sets: 0,
            required: None,
        };
        let mut has_acceptance = false;
        loop {
            let token = scanner.next("`--BODY--`")?;
            match token.kind {
                Kind::Marker("--BODY--") => return header.checked(has_acceptance, token.line),
                Kind::Header(name) => {
                    has_acceptance |= name == "Acceptance";
                    header.read_item(name, &token, scanner)?;
                }
                _ => return Err(token.unexpected("a header or `--BODY--`")),
            }
        }
    }

    fn checked(mut self, has_acceptance: bool, line: usize) -> Result<Self, ReadError> {
        if !has_acceptance {
            return Err(ReadError { line, message: "the header has no `Acceptance:`".to_owned() });
        }
        if self.starts.is_empty() {
            // no initial state: no word is accepted
            self.starts.push(self.states);
            self.states += 1;
        }
        let last = self.starts.iter().max().copied().unwrap_or(0);
        if self.has_states && last >= self.states {
            return Err(ReadError { line, message: format!("there is no state {last} to start from") });
        }
        Ok(self)
    }

    fn read_item(&mut self, name: &str, token: &Token, scanner: &mut Scanner) -> Result<(), ReadError> {
        let error = |message: String| Err(ReadError { line: token.line, message });
        match name {
            "States" => {
                self.states = scanner.number("a number of states")?;
                self.has_states = true;
                if self.states > MOST_STATES {
                    return error(format!("{} states are too many", self.states));
                }
            }
            "Start" => {
                let start = scanner.number("the number of a state")?;
                if start >= MOST_STATES {
                    return error(format!("the number {start} of a state is too large"));
                }
                if scanner.take_if(|kind| *kind == Kind::Symbol('&')).is_some() {
                    return error("alternating automata are not supported".to_owned());
                }
                self.starts.push(start);
            }
            "AP" => self.read_propositions(scanner)?,
            "Alias" => {
                let alias = scanner.next("an alias")?;
                let Kind::Alias(name) = alias.kind else { return Err(alias.unexpected("an alias")) };
                let letters = label::read(scanner, self.names.len(), &self.aliases)?;
                self.aliases.insert(name.to_owned(), letters);
            }
            "Acceptance" => self.read_acceptance(scanner)?,
            _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                return error(format!("the header `{name}:` is not supported"));
            }
            _ => while scanner.take_if(|kind| !matches!(kind, Kind::Header(_) | Kind::Marker(_))).is_some() {},
        }
        Ok(())
    }

    fn read_propositions(&mut self, scanner: &mut Scanner) -> Result<(), ReadError> {
        let line = scanner.line();
        let count = scanner.number("a number of propositions")?;
        if count > Letters::MOST_PROPOSITIONS {
            let message = format!("{count} propositions; at most {} are supported", Letters::MOST_PROPOSITIONS);
            return Err(ReadError { line, message });
        }
        for _ in 0..count {
            let token = scanner.next("the name of a proposition")?;
            let Kind::Text(name) = token.kind else { return Err(token.unexpected("the name of a proposition")) };
            self.names.push(name);
        }
        Ok(())
    }

    /// Reads a conjunction of `Inf(i)`, with parentheses anywhere, or `t` or `f`.
    fn read_acceptance(&mut self, scanner: &mut Scanner) -> Result<(), ReadError> {
        let line = scanner.line();
        self.sets = scanner.number("a number of acceptance sets")?;
        if self.sets > Automaton::MOST_SETS as usize {
            let message = format!("{} acceptance sets; at most {} are supported", self.sets, Automaton::MOST_SETS);
            return Err(ReadError { line, message });
        }
        let unsupported = || ReadError {
            line,
            message: "only Büchi and generalised Büchi acceptance are supported: `t`, or a conjunction of `Inf(i)`"
                .to_owned(),
        };
        let mut required = Vec::new();
        let (mut is_false, mut depth) = (false, 0);
        while let Some(token) = scanner.take_if(|kind| !matches!(kind, Kind::Header(_) | Kind::Marker(_))) {
            match token.kind {
                Kind::Name("t") | Kind::Symbol('&') => {}
                Kind::Name("f") => is_false = true,
                Kind::Symbol('(') => depth += 1,
                Kind::Symbol(')') if depth > 0 => depth -= 1,
                Kind::Name("Inf") => {
                    scanner.expect('(')?;
                    if scanner.peek().is_some_and(|token| token.kind == Kind::Symbol('!')) {
                        return Err(unsupported());
                    }
                    let set = scanner.number("the number of an acceptance set")?;
                    scanner.expect(')')?;
                    if set >= self.sets {
                        return Err(ReadError { line, message: format!("there is no acceptance set {set}") });
                    }
                    required.push(set);
                }
                _ => return Err(unsupported()),
            }
        }
        required.sort_unstable();
        required.dedup();
        self.required = (!is_false).then_some(required);
        Ok(())
    }

    /// The marks of an edge: the sets that are required, numbered anew.
    pub fn marks(&self, read: u64) -> u32 {
        let required = self.required.as_deref().unwrap_or(&[]);
        required.iter().enumerate().fold(0, |marks, (to, from)| marks | ((read >> from & 1) as u32) << to)
    }
}
