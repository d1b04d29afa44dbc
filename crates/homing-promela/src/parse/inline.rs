//! Inlines: the body is kept as tokens, which replace each call, with the arguments instead of the parameters.

use std::collections::HashMap;

use super::stream::TokenStream;
use super::{Parsed, Parser};
use crate::ast::{Ident, Name, Stmt, VarRef};
use crate::diagnostic::Diagnostic;
use crate::source::{Expansion, ExpansionId, ExpansionKind, Span};
use crate::token::{Punct, Token, TokenKind};

pub(super) struct Inline {
    name: Name,
    /// The number of parameters, and the number of each by name.
    arity: usize,
    params: HashMap<Name, usize>,
    /// With its braces.
    body: Vec<Token>,
    span: Span,
}

/// The greatest number of tokens that all inline calls of a model may produce: a guard against inlines that call each
/// other twice, thirty levels deep. A megabyte of text has about 300,000.
const MAX_TOKENS: usize = 3_000_000;

impl Inline {
    /// The number of tokens that a call with these arguments produces.
    fn tokens_with(&self, args: &[Vec<Token>]) -> usize {
        let length = |token: &Token| match &token.kind {
            TokenKind::Name(name) => self.params.get(name).map_or(1, |&at| args[at].len()),
            _ => 1,
        };
        self.body.iter().map(length).fold(0, usize::saturating_add)
    }
}

impl Parser<'_> {
    pub(super) fn define_inline(&mut self) -> Parsed<()> {
        self.advance();
        let name = self.name("the name of the inline")?;
        self.expect(Punct::OpenParen)?;
        let mut params = Vec::new();
        if !self.at(Punct::CloseParen) {
            params.push(self.name("a parameter")?.name);
            while self.eat(Punct::Comma) {
                params.push(self.name("a parameter")?.name);
            }
        }
        // no token of the body may be peeked at: its tokens are taken as they are
        if !self.at(Punct::CloseParen) {
            return Err(self.unexpected("`,` or `)`"));
        }
        self.advance();
        let Some(body) = self.stream.take_braces() else {
            return Err(self.error(
                Diagnostic::error(name.span, format!("the body of inline `{}` is missing or never closed", name.name))
                    .help("write `inline name(parameters) { statements }`"),
            ));
        };
        if let Some(&earlier) = self.inlines.get(&name.name) {
            let there = self.bodies[earlier].span;
            self.diagnostics.push(
                Diagnostic::error(name.span, format!("inline `{}` is defined twice", name.name))
                    .note(there, "first defined here"),
            );
        }
        self.inlines.insert(name.name.clone(), self.bodies.len());
        let arity = params.len();
        let mut numbers = HashMap::new();
        for (at, param) in params.into_iter().enumerate() {
            numbers.entry(param).or_insert(at);
        }
        self.bodies.push(Inline { name: name.name, arity, params: numbers, body, span: name.span });
        Ok(())
    }

    /// Parses the arguments as expressions, as SPIN does before it substitutes them as text.
    fn check_arguments(&mut self, args: &[Vec<Token>]) -> Parsed<()> {
        for arg in args {
            let Some(last) = arg.last() else { continue };
            let mut tokens = arg.clone();
            tokens.push(Token { kind: TokenKind::End, span: last.span, newline_before: false });
            let outer = std::mem::replace(&mut self.stream, TokenStream::new(tokens));
            let read = self.plain_expression();
            let ended = self.peek() == TokenKind::End;
            self.stream = outer;
            read?;
            if !ended {
                return Err(self.error(
                    Diagnostic::error(arg[0].span.to(last.span), "an argument of an inline must be an expression")
                        .help("statements belong into the body of the inline"),
                ));
            }
        }
        Ok(())
    }

    /// Parses a call of an inline, whose name was just read: reads the arguments, pushes the body to the stream and
    /// parses it as a block.
    pub(super) fn call_inline(&mut self, name: &Ident, result: Option<VarRef>) -> Parsed<Stmt> {
        let index = self.inlines[&name.name];
        if !self.at(Punct::OpenParen) {
            return Err(self.unexpected("`(` and the arguments of the inline"));
        }
        self.stream.next();
        let Some(args) = self.stream.take_arguments() else {
            return Err(self.error(
                Diagnostic::error(name.span, format!("the arguments of the inline `{}` are not closed", name.name))
                    .label("there is no `)` to end this call"),
            ));
        };
        let call = name.span.to(self.stream.last_span);
        let inline = &self.bodies[index];
        if args.len() != inline.arity {
            let (given, wanted, there) = (args.len(), inline.arity, inline.span);
            let arguments = if wanted == 1 { "argument" } else { "arguments" };
            return Err(self.error(
                Diagnostic::error(call, format!("inline `{}` takes {wanted} {arguments}, not {given}", name.name))
                    .note(there, "defined here"),
            ));
        }
        if self.stream.open_inlines().any(|open| open == index) {
            let there = inline.span;
            return Err(self.error(
                Diagnostic::error(call, format!("inline `{}` calls itself", name.name))
                    .label("replacing this call would never end")
                    .note(there, "defined here")
                    .help("use a loop, or a process type"),
            ));
        }
        self.check_arguments(&args)?;
        let inline = &self.bodies[index];
        self.inlined_tokens = self.inlined_tokens.saturating_add(inline.tokens_with(&args));
        if self.inlined_tokens > MAX_TOKENS {
            let there = inline.span;
            let reported = self.error(
                Diagnostic::error(call, "the inlines of this model make it too large")
                    .label(format!("more than {MAX_TOKENS} tokens out of inlines with this one"))
                    .note(there, "defined here")
                    .help("look for inlines that call each other more than once: their text doubles each time"),
            );
            self.stream.end();
            return Err(reported);
        }
        let tokens = self.substitute(index, &args, call);
        self.stream.push_inline(index, tokens);
        self.return_targets.push(result);
        let body = self.nested(Self::basic_statement);
        self.return_targets.pop();
        body
    }

    fn substitute(&mut self, index: usize, args: &[Vec<Token>], call: Span) -> Vec<Token> {
        let inline = &self.bodies[index];
        let here = self.sources.add_expansion(Expansion {
            kind: ExpansionKind::Inline,
            name: inline.name.clone(),
            other: call,
            parent: ExpansionId::NONE,
        });
        // a macro used inside the body is then a macro inside the inline
        let mut inner: HashMap<ExpansionId, ExpansionId> = HashMap::new();
        let mut tokens = Vec::with_capacity(inline.body.len());
        for (at, token) in inline.body.iter().enumerate() {
            let via = match self.sources.expansion(token.span.via) {
                None => here,
                Some(expansion) => {
                    let expansion = Expansion { parent: here, ..expansion.clone() };
                    *inner.entry(token.span.via).or_insert_with(|| self.sources.add_expansion(expansion))
                }
            };
            let span = Span { via, ..token.span };
            let newline_before = token.newline_before && at > 0;
            let param = match &token.kind {
                TokenKind::Name(name) => inline.params.get(name),
                _ => None,
            };
            match param {
                Some(&param) => tokens.extend(args[param].iter().enumerate().map(|(i, arg)| Token {
                    kind: arg.kind.clone(),
                    span,
                    newline_before: newline_before && i == 0,
                })),
                None => tokens.push(Token { kind: token.kind.clone(), span, newline_before }),
            }
        }
        tokens
    }
}
