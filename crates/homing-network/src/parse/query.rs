//! Queries: `E<> p` and `A[] p`; others are refused by name.

use super::{Parsed, Parser};
use crate::ast::{Document, PathQuantifier, Query, Refusal, RefusedQuery};
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;
use crate::token::{Punct, TokenKind};

/// Words that begin queries of other kinds.
const OTHER_KINDS: &[&str] = &[
    "Pr",
    "E",
    "simulate",
    "sup",
    "inf",
    "bounds",
    "control",
    "control_t",
    "strategy",
    "minE",
    "maxE",
    "minPr",
    "maxPr",
    "scenario",
    "sat",
    "loadStrategy",
    "saveStrategy",
    "refinement",
    "specification",
    "consistency",
    "implementation",
];

/// How the queries of a text are separated, which decides where the one after a faulty one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separation {
    /// Each begins on a new line, as in a `.q` file.
    Lines,
    /// The text is one query, as in an `.xml` file.
    Whole,
}

impl Parser<'_> {
    /// Adds the queries of a text. One that is faulty or not supported is reported, and those after it are read all the same. The
    /// messages about a faulty one are warnings unless it must be right (`strict`).
    pub fn queries(&mut self, document: &mut Document, separation: Separation, strict: bool) {
        while !self.is_at_end() {
            let (at, start, mark) = (self.at, self.span(), self.diagnostics.mark());
            let number = document.next_number();
            match self.query(number) {
                Ok(query) => document.queries.push(query),
                Err(_) => {
                    self.skip_query(at, separation);
                    let span = self.span_from(start);
                    document.refused.extend(self.refusal(mark, strict, (number, span)));
                }
            }
        }
    }

    /// The query that could not be read, unless it must be right.
    fn refusal(&mut self, mark: usize, strict: bool, (number, span): (u32, Span)) -> Option<RefusedQuery> {
        if let Some(reason) = self.refused.take() {
            return Some(RefusedQuery { number, span, refusal: Refusal::Unsupported, reason });
        }
        if strict {
            return None;
        }
        let (refusal, reason) = self.diagnostics.demote_query_since(mark);
        Some(RefusedQuery { number, span, refusal, reason })
    }

    fn query(&mut self, number: u32) -> Parsed<Query> {
        let start = self.span();
        let kind = |parser: &Self, distance| match parser.ahead(distance) {
            TokenKind::Punct(punct) => Some(*punct),
            _ => None,
        };
        let quantifier = match (self.word(), kind(self, 1), kind(self, 2)) {
            (Some("E"), Some(Punct::Less), Some(Punct::Greater)) => PathQuantifier::Possibly,
            (Some("A"), Some(Punct::OpenBracket), Some(Punct::CloseBracket)) => PathQuantifier::Invariantly,
            (Some("A"), Some(Punct::Less), Some(Punct::Greater)) => return self.refuse_query("`A<>`"),
            (Some("E"), Some(Punct::OpenBracket), Some(Punct::CloseBracket)) => return self.refuse_query("`E[]`"),
            (Some("A" | "E"), Some(Punct::OpenBracket), _) => return self.refuse_query("bounded (`A[…]`, `E[…]`)"),
            (Some(word), _, _) if word != "E" && OTHER_KINDS.contains(&word) => {
                let construct = format!("`{word}`");
                return self.refuse_query(&construct);
            }
            _ => return self.other_query(),
        };
        for _ in 0..3 {
            self.advance();
        }
        self.levels = 0;
        let formula = self.expression()?;
        if self.is(Punct::LeadsTo) {
            return self.refuse_query("`-->`");
        }
        self.eat(Punct::Semicolon);
        if self.is_word("under") {
            return self.refuse_query("`under`");
        }
        if !self.is_at_end() && !self.token().newline_before {
            return self.unexpected("the end of the query");
        }
        Ok(Query { number, quantifier, span: start.to(formula.span), formula })
    }

    /// A formula without a quantifier: `p --> q`, or a mistake.
    fn other_query(&mut self) -> Parsed<Query> {
        let start = self.span();
        self.levels = 0;
        self.expression()?;
        if self.is(Punct::LeadsTo) {
            return self.refuse_query("`-->`");
        }
        let help = "write `E<> p` for a state that can be reached, `A[] p` for what holds in all states";
        self.fail(Diagnostic::error(self.span_from(start), "a query begins with `E<>` or `A[]`").help(help))
    }

    fn refuse_query<T>(&mut self, kind: &str) -> Parsed<T> {
        let refusal = Diagnostic::unsupported(self.span(), format!("{kind} queries"));
        self.refused = Some(refusal.message.clone());
        // a warning: the other queries are decided
        let warning = Diagnostic { severity: Severity::Warning, ..refusal };
        self.fail(warning.help("supported are `E<> p` and `A[] p`"))
    }

    /// Skips to the next query, past the token at `at`: to a line that begins as a query does, even if the faulty one was read on there,
    /// or to the line after the fault.
    fn skip_query(&mut self, at: usize, separation: Separation) {
        let fault = std::mem::replace(&mut self.at, at);
        self.advance();
        while !self.is_at_end() {
            let begins = self.at >= fault || self.begins_query();
            if separation == Separation::Lines && self.token().newline_before && begins {
                break;
            }
            self.advance();
        }
    }

    /// Whether the tokens are those that a query begins with.
    fn begins_query(&self) -> bool {
        let is_bracket = |distance| matches!(self.ahead(distance), TokenKind::Punct(Punct::Less | Punct::OpenBracket));
        match self.word() {
            Some("A" | "E") => is_bracket(1),
            Some(word) => OTHER_KINDS.contains(&word),
            None => false,
        }
    }
}
