//! Queries: `E<> p` and `A[] p`; others are refused by name.

use super::{Parsed, Parser};
use crate::ast::{Document, PathQuantifier, Query, RefusedQuery};
use crate::diagnostic::{Diagnostic, Severity};
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

impl Parser<'_> {
    /// Adds the queries of a text, one after the other, each on a new line.
    pub fn queries(&mut self, document: &mut Document) {
        while !self.is_at_end() {
            let (at, start) = (self.at, self.span());
            match self.query() {
                Ok(query) => document.queries.push(query),
                Err(_) => self.skip_query(at),
            }
            if let Some(reason) = self.refused.take() {
                document.refused.push(RefusedQuery { span: self.span_from(start), reason });
            }
        }
    }

    fn query(&mut self) -> Parsed<Query> {
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
        if !self.is_at_end() && !self.token().newline_before {
            return self.unexpected("the end of the query");
        }
        Ok(Query { quantifier, span: start.to(formula.span), formula })
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

    /// Skips to the next line, but not past the token after `at`.
    fn skip_query(&mut self, at: usize) {
        if self.at == at {
            self.advance();
        }
        while !self.is_at_end() && !self.token().newline_before {
            self.advance();
        }
    }
}
