//! Operator-precedence parsing with explicit stacks (Dijkstra 1961, the shunting yard): a formula may be nested deeply.

use std::ops::Range;

use super::ParseError;
use super::token::{Kind, Token, normalised};
use crate::formula::{Binary, Formula, Unary};
use crate::letters::Letters;

/// The table of precedences.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Precedence {
    /// That of inline `ltl` blocks.
    Inline,
    /// That of `spin -f`: `U` and `V` bind tighter than all Boolean operators, which have one level.
    CommandLine,
}

/// Between the precedences of operators of formulas and those of prefix operators.
const COMPARISON: u8 = 5;
const PREFIX: u8 = 20;

impl Precedence {
    fn of(self, operator: Binary) -> u8 {
        match (operator, self) {
            (Binary::Until | Binary::WeakUntil | Binary::Release, _) => 4,
            (_, Precedence::CommandLine) | (Binary::Implies | Binary::Equivalent, _) => 1,
            (Binary::Or, _) => 2,
            (Binary::And, _) => 3,
        }
    }
}

fn arithmetic_precedence(operator: &str) -> u8 {
    match operator {
        "^" => COMPARISON,
        "==" | "!=" => COMPARISON + 1,
        "<" | ">" | "<=" | ">=" => COMPARISON + 2,
        "<<" | ">>" => COMPARISON + 3,
        "+" | "-" => COMPARISON + 4,
        _ => COMPARISON + 5,
    }
}

/// A formula whose propositions are still ranges of tokens.
pub struct Draft<'a> {
    formula: Formula,
    propositions: Vec<Range<usize>>,
    text: &'a str,
    tokens: &'a [Token],
}

/// An operand that was read.
struct Operand {
    /// Its tokens.
    tokens: Range<usize>,
    /// The formula, with propositions numbered in the draft; `None` for an expression that may still become part of a
    /// larger one.
    formula: Option<Formula>,
    /// A temporal operator in it.
    temporal: Option<usize>,
}

/// An operator whose right operand is still being read, or an open parenthesis.
#[derive(Clone, Copy)]
enum Pending {
    Parenthesis,
    Prefix(Unary),
    /// `-` or `~` before an operand.
    Sign,
    Infix(Binary),
    Arithmetic,
}

pub struct Yard<'a> {
    text: &'a str,
    tokens: &'a [Token],
    precedence: Precedence,
    at: usize,
    operands: Vec<Operand>,
    /// With the token of each operator.
    operators: Vec<(Pending, usize)>,
    propositions: Vec<Range<usize>>,
}

impl<'a> Yard<'a> {
    pub fn new(text: &'a str, tokens: &'a [Token], precedence: Precedence) -> Self {
        let (operands, operators, propositions) = (Vec::new(), Vec::new(), Vec::new());
        Yard { text, tokens, precedence, at: 0, operands, operators, propositions }
    }

    /// Reads the whole text.
    pub fn read(mut self) -> Result<Draft<'a>, ParseError> {
        loop {
            self.read_operand()?;
            while self.closes_parenthesis()? {}
            let Some(token) = self.tokens.get(self.at) else { break };
            let pending = match token.kind {
                Kind::Infix(operator) => Pending::Infix(operator),
                Kind::Arithmetic | Kind::Minus => Pending::Arithmetic,
                _ => return Err(self.unexpected("an operator")),
            };
            self.reduce(self.precedence_of(pending, self.at))?;
            self.operators.push((pending, self.at));
            self.at += 1;
        }
        self.reduce(0)?;
        if !self.operators.is_empty() {
            return Err(self.unexpected("`)`"));
        }
        let operand = self.operands.pop().expect("the operand that was read");
        let formula = self.formula_of(operand)?;
        Ok(Draft { formula, propositions: self.propositions, text: self.text, tokens: self.tokens })
    }

    /// Reads prefix operators and parentheses up to an operand, and the operand.
    fn read_operand(&mut self) -> Result<(), ParseError> {
        loop {
            let Some(token) = self.tokens.get(self.at) else { return Err(self.unexpected("an operand")) };
            let pending = match token.kind {
                Kind::Prefix(operator) => Pending::Prefix(operator),
                Kind::Complement | Kind::Minus => Pending::Sign,
                Kind::Punctuation('(') => Pending::Parenthesis,
                Kind::Name | Kind::Number => break,
                _ => return Err(self.unexpected("an operand")),
            };
            self.operators.push((pending, self.at));
            self.at += 1;
        }
        let start = self.at;
        let is_name = self.tokens[start].kind == Kind::Name;
        self.at += 1;
        while is_name && self.read_suffix()? {}
        self.operands.push(Operand { tokens: start..self.at, formula: None, temporal: None });
        Ok(())
    }

    /// Reads an index, a field, arguments, a label or a question to a channel after a name.
    fn read_suffix(&mut self) -> Result<bool, ParseError> {
        let Some(token) = self.tokens.get(self.at) else { return Ok(false) };
        match token.kind {
            Kind::Punctuation('[' | '(') => self.read_brackets()?,
            Kind::Punctuation('.' | '@' | ':') => {
                self.at += 1;
                if self.tokens.get(self.at).is_none_or(|token| token.kind != Kind::Name) {
                    return Err(self.unexpected("a name"));
                }
                self.at += 1;
            }
            Kind::Punctuation('?') => {
                self.at += 1;
                if self.tokens.get(self.at).is_some_and(|token| token.is('?')) {
                    self.at += 1;
                }
                if self.tokens.get(self.at).is_none_or(|token| !token.is('[')) {
                    return Err(
                        self.unexpected("`[`: a proposition may ask for a message, as in `q?[m]`, but not receive one")
                    );
                }
                self.read_brackets()?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Reads a bracket and all up to the one that closes it.
    fn read_brackets(&mut self) -> Result<(), ParseError> {
        let mut open = Vec::new();
        loop {
            let Some(token) = self.tokens.get(self.at) else { return Err(self.unexpected("a closing bracket")) };
            match token.kind {
                Kind::Punctuation(bracket @ ('(' | '[')) => open.push(if bracket == '(' { ')' } else { ']' }),
                Kind::Punctuation(bracket @ (')' | ']')) if open.pop() != Some(bracket) => {
                    return Err(self.unexpected("another closing bracket"));
                }
                _ if token.is_temporal() => return Err(self.unexpected("an expression without temporal operators")),
                _ => {}
            }
            self.at += 1;
            if open.is_empty() {
                return Ok(());
            }
        }
    }

    /// Takes a closing parenthesis, if there is one.
    fn closes_parenthesis(&mut self) -> Result<bool, ParseError> {
        if self.tokens.get(self.at).is_none_or(|token| !token.is(')')) {
            return Ok(false);
        }
        self.reduce(0)?;
        let Some((_, start)) = self.operators.pop() else { return Err(self.unexpected("an operator")) };
        self.at += 1;
        let operand = self.operands.last_mut().expect("the operand in the parentheses");
        operand.tokens = start..self.at;
        Ok(true)
    }

    fn precedence_of(&self, pending: Pending, token: usize) -> u8 {
        match pending {
            Pending::Parenthesis => 0,
            Pending::Prefix(_) | Pending::Sign => PREFIX,
            Pending::Infix(operator) => self.precedence.of(operator),
            Pending::Arithmetic => arithmetic_precedence(&self.text[self.tokens[token].span.clone()]),
        }
    }

    /// Applies the operators up to the last open parenthesis that bind at least as tightly as `precedence`, and any if
    /// it is 0.
    fn reduce(&mut self, precedence: u8) -> Result<(), ParseError> {
        while let Some(&(pending, token)) = self.operators.last() {
            if matches!(pending, Pending::Parenthesis) || self.precedence_of(pending, token) < precedence {
                break;
            }
            self.operators.pop();
            let right = self.operands.pop().expect("an operand after each operator");
            let operand = match pending {
                Pending::Parenthesis => unreachable!("it ends the loop"),
                Pending::Prefix(operator) => self.prefixed(operator, token, right)?,
                Pending::Sign => self.expression(None, token, right)?,
                Pending::Arithmetic => {
                    let left = self.operands.pop().expect("an operand before each infix operator");
                    self.expression(Some(left), token, right)?
                }
                Pending::Infix(operator) => {
                    let left = self.operands.pop().expect("an operand before each infix operator");
                    let tokens = left.tokens.start..right.tokens.end;
                    let own = self.tokens[token].is_temporal().then_some(token);
                    let temporal = left.temporal.or(own).or(right.temporal);
                    let (left, right) = (self.formula_of(left)?, self.formula_of(right)?);
                    Operand { tokens, formula: Some(Formula::binary(operator, left, right)), temporal }
                }
            };
            self.operands.push(operand);
        }
        Ok(())
    }

    fn prefixed(&mut self, operator: Unary, token: usize, operand: Operand) -> Result<Operand, ParseError> {
        let tokens = token..operand.tokens.end;
        let own = self.tokens[token].is_temporal().then_some(token);
        let temporal = own.or(operand.temporal);
        let formula = Formula::unary(operator, self.formula_of(operand)?);
        Ok(Operand { tokens, formula: Some(formula), temporal })
    }

    /// An expression of a model, of which only the text is kept.
    fn expression(&self, left: Option<Operand>, token: usize, right: Operand) -> Result<Operand, ParseError> {
        let temporal = left.as_ref().and_then(|left| left.temporal).or(right.temporal);
        if let Some(temporal) = temporal {
            let word = |token: usize| self.text[self.tokens[token].span.clone()].to_owned();
            let span = self.tokens[temporal].span.clone();
            return Err(ParseError::TemporalOperand { operator: word(temporal), parent: word(token), span });
        }
        let start = left.map_or(token, |left| left.tokens.start);
        Ok(Operand { tokens: start..right.tokens.end, formula: None, temporal: None })
    }

    /// The formula of an operand. An expression becomes a proposition.
    fn formula_of(&mut self, operand: Operand) -> Result<Formula, ParseError> {
        if let Some(formula) = operand.formula {
            return Ok(formula);
        }
        let tokens = self.without_parentheses(operand.tokens);
        if let [token] = &self.tokens[tokens.clone()] {
            match (token.kind, &self.text[token.span.clone()]) {
                (Kind::Name, "true" | "skip") | (Kind::Number, "1") => return Ok(Formula::truth()),
                (Kind::Name, "false") | (Kind::Number, "0") => return Ok(Formula::falsity()),
                _ => {} // a number is wrong only if it stays an operand of the formula: see `numbered`
            }
        }
        self.propositions.push(tokens);
        Ok(Formula::proposition(self.propositions.len() as u32 - 1))
    }

    /// An expression without parentheses around all of it.
    fn without_parentheses(&self, mut tokens: Range<usize>) -> Range<usize> {
        while self.tokens[tokens.start].is('(') && self.closing(tokens.start) + 1 == tokens.end {
            tokens = tokens.start + 1..tokens.end - 1;
        }
        tokens
    }

    /// The token that closes the parenthesis at `start`.
    fn closing(&self, start: usize) -> usize {
        let mut depth = 0;
        for (at, token) in self.tokens.iter().enumerate().skip(start) {
            match token.kind {
                Kind::Punctuation('(') => depth += 1,
                Kind::Punctuation(')') if depth == 1 => return at,
                Kind::Punctuation(')') => depth -= 1,
                _ => {}
            }
        }
        unreachable!("the parentheses of an operand that was read are balanced")
    }

    fn unexpected(&self, expected: &'static str) -> ParseError {
        match self.tokens.get(self.at) {
            Some(token) => {
                let found = format!("`{}`", &self.text[token.span.clone()]);
                ParseError::Unexpected { expected, found, span: token.span.clone() }
            }
            None => {
                let end = self.text.trim_end().len();
                ParseError::Unexpected { expected, found: "the end of the formula".to_owned(), span: end..end }
            }
        }
    }
}

impl Draft<'_> {
    /// The formula with propositions numbered by their texts; new texts are appended to `names`.
    pub fn numbered(self, names: &mut Vec<String>) -> Result<Formula, ParseError> {
        let mut error = None;
        let (text, tokens, propositions) = (self.text, self.tokens, self.propositions);
        let formula = self.formula.renumbered(|index| {
            let tokens = &tokens[propositions[index as usize].clone()];
            let span = tokens[0].span.start..tokens[tokens.len() - 1].span.end;
            let name = normalised(text, tokens);
            if name.bytes().all(|byte| byte.is_ascii_digit()) {
                error.get_or_insert(ParseError::Number { found: name, span });
                return 0;
            }
            let number = names.iter().position(|known| *known == name).unwrap_or(names.len());
            if number == names.len() && number < Letters::MOST_PROPOSITIONS {
                names.push(name);
            } else if number == names.len() {
                error.get_or_insert(ParseError::TooManyPropositions { span });
            }
            number as u32
        });
        error.map_or(Ok(formula), Err)
    }
}
