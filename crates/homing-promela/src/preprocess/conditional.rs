//! `#if` and the other conditionals.

use super::Preprocessor;
use super::condition::evaluate;
use super::lexer::{Kind, PpToken};
use super::macros::macro_name;
use super::reader::ReadFor;
use super::symbol::Symbol;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::Punct;

/// An `#if`, `#ifdef` or `#ifndef` whose `#endif` has not been read yet.
pub(super) struct Conditional {
    opened: Span,
    state: State,
    /// The `#else`, once it has been read.
    otherwise: Option<Span>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No condition held so far.
    Waiting,
    /// The text here is read.
    Active,
    /// Another branch was read, or the whole conditional is in text that is skipped.
    Done,
}

impl Conditional {
    pub fn is_active(&self) -> bool {
        self.state == State::Active
    }

    /// The error if the file ends before the conditional.
    pub fn unclosed(&self) -> Diagnostic {
        Diagnostic::error(self.opened, "this conditional is not closed")
            .label("there is no `#endif` up to the end of the file")
    }
}

impl Preprocessor<'_> {
    /// `#if`, `#ifdef` or `#ifndef`, by its `name`.
    pub(super) fn open_conditional(&mut self, name: &str, place: Span) {
        let state = if self.is_skipping() {
            self.rest_of_line();
            State::Done
        } else {
            let holds = match name {
                "if" => self.condition_holds(name, place),
                _ => self.is_defined(name, place).map(|defined| defined == (name == "ifdef")),
            };
            match holds {
                Some(true) => State::Active,
                Some(false) => State::Waiting,
                None => State::Done, // the condition is wrong: neither branch is what its author meant
            }
        };
        if let Some(reader) = self.readers.last_mut() {
            reader.conditionals.push(Conditional { opened: place, state, otherwise: None });
        }
    }

    /// `#elif`
    pub(super) fn next_condition(&mut self, place: Span) {
        let Some(state) = self.branch("elif", place) else { return };
        let state = match state {
            State::Waiting => match self.condition_holds("elif", place) {
                Some(true) => State::Active,
                Some(false) => State::Waiting,
                None => State::Done,
            },
            State::Active | State::Done => {
                self.rest_of_line();
                State::Done
            }
        };
        if let Some(conditional) = self.innermost() {
            conditional.state = state;
        }
    }

    /// `#else`
    pub(super) fn otherwise(&mut self, place: Span) {
        self.expect_line_end("else");
        if self.branch("else", place).is_some()
            && let Some(conditional) = self.innermost()
        {
            conditional.otherwise = Some(place);
            conditional.state = if conditional.state == State::Waiting { State::Active } else { State::Done };
        }
    }

    /// `#endif`
    pub(super) fn close_conditional(&mut self, place: Span) {
        self.expect_line_end("endif");
        if self.readers.last_mut().is_some_and(|reader| reader.conditionals.pop().is_none()) {
            self.report_no_if("endif", place);
        }
    }

    /// Checks that another branch may start here; returns the state of the conditional before it.
    fn branch(&mut self, name: &str, place: Span) -> Option<State> {
        let Some(conditional) = self.innermost() else {
            self.report_no_if(name, place);
            self.rest_of_line();
            return None;
        };
        let state = conditional.state;
        if let Some(otherwise) = conditional.otherwise {
            let error = Diagnostic::error(place, format!("`#{name}` after the `#else` of the same conditional"))
                .note(otherwise, "the `#else` is here")
                .note(conditional.opened, "the conditional starts here");
            conditional.state = State::Done;
            self.report(error);
            self.rest_of_line();
            return None;
        }
        Some(state)
    }

    fn report_no_if(&mut self, name: &str, place: Span) {
        self.report(Diagnostic::error(place, format!("`#{name}` without an `#if` before it in this file")));
    }

    fn innermost(&mut self) -> Option<&mut Conditional> {
        self.readers.last_mut()?.conditionals.last_mut()
    }

    pub(super) fn is_skipping(&self) -> bool {
        self.readers.last().is_some_and(|reader| reader.is_skipping())
    }

    /// Whether the macro that the line names is defined; `None` after an error.
    fn is_defined(&mut self, directive: &str, place: Span) -> Option<bool> {
        let token = self.next_on_line();
        match macro_name(token.as_ref(), directive, place) {
            Ok(name) => {
                self.expect_line_end(directive);
                Some(self.macros.ask(name))
            }
            Err(error) => {
                self.report(error);
                self.rest_of_line();
                None
            }
        }
    }

    /// Whether the expression on the line is not 0; `None` after an error.
    fn condition_holds(&mut self, directive: &str, place: Span) -> Option<bool> {
        let line = self.rest_of_line();
        if line.is_empty() {
            self.report(Diagnostic::error(place, format!("`#{directive}` without a condition")));
            return None;
        }
        let errors = self.diagnostics.error_count();
        let mut expression = Vec::with_capacity(line.len());
        self.within_list(line, |this| {
            while let Some(token) = this.pull(ReadFor::Text) {
                if token.kind == Kind::Name(Symbol::DEFINED) {
                    let value = this.defined_operator(token);
                    expression.push(value);
                } else if let Some(token) = this.expand(token) {
                    expression.push(token);
                }
            }
        });
        if self.diagnostics.error_count() > errors {
            return None;
        }
        match evaluate(&expression, place, &self.symbols) {
            Ok(holds) => Some(holds),
            Err(error) => {
                self.report(error);
                None
            }
        }
    }

    /// Reads `X` or `(X)` after `defined`, and returns the number that replaces all of it.
    fn defined_operator(&mut self, operator: PpToken) -> PpToken {
        let mut token = self.pull(ReadFor::Text);
        let open = token.filter(|token| token.is(Punct::OpenParen));
        if open.is_some() {
            token = self.pull(ReadFor::Text);
        }
        let name = match token {
            Some(PpToken { kind: Kind::Name(name), .. }) => Some(name),
            _ => None,
        };
        if name.is_none() && !self.is_stopped() {
            let place = token.map_or(operator.span, |token| token.span);
            self.report(Diagnostic::error(place, "`defined` wants the name of a macro").help("write `defined(NAME)`"));
        } else if let Some(open) = open
            && !self.pull(ReadFor::Text).is_some_and(|close| close.is(Punct::CloseParen))
        {
            self.report(Diagnostic::error(open.span, "the `(` after `defined` is not closed"));
        }
        let value = name.is_some_and(|name| self.macros.ask(name));
        PpToken { kind: Kind::Number(self.symbols.intern(if value { "1" } else { "0" })), ..operator }
    }
}
