//! Tokens to the syntax tree, by recursive descent.
//!
//! A parser reads one text: an `.xta` file, or the contents of one element of an `.xml` file. An error is reported where
//! it is found; the parser continues after the next `;` or `}`, so that one reading shows all errors of a file.

mod declaration;
mod expression;
mod process;
mod query;
mod statement;

pub use query::Separation;

use std::sync::Arc;

use crate::ast::Ident;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::Span;
use crate::token::{Punct, Token, TokenKind};

/// An error that was reported.
#[derive(Clone, Copy, Debug)]
pub struct Reported;

pub type Parsed<T> = Result<T, Reported>;

/// How deep expressions, statements and types may be nested. A chain of operators counts as one level each, since its
/// tree is that deep: what walks over trees is recursive.
pub const MOST_LEVELS: u32 = 1000;

/// Words that cannot be names.
const KEYWORDS: &[&str] = &[
    "after_update",
    "and",
    "assign",
    "before_update",
    "bool",
    "branchpoint",
    "broadcast",
    "chan",
    "clock",
    "commit",
    "const",
    "deadlock",
    "do",
    "double",
    "else",
    "exists",
    "false",
    "for",
    "forall",
    "guard",
    "if",
    "imply",
    "init",
    "int",
    "meta",
    "not",
    "or",
    "process",
    "return",
    "scalar",
    "select",
    "state",
    "string",
    "struct",
    "sync",
    "system",
    "trans",
    "true",
    "typedef",
    "urgent",
    "void",
    "while",
    "xor",
];

pub struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    levels: u32,
    /// Why the last query is not supported.
    refused: Option<String>,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Parser<'a> {
    /// A parser for tokens that end with [`TokenKind::End`].
    pub fn new(tokens: Vec<Token>, diagnostics: &'a mut Diagnostics) -> Self {
        Parser { tokens, at: 0, levels: 0, diagnostics, refused: None }
    }

    fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn ahead(&self, distance: usize) -> &TokenKind {
        &self.tokens[(self.at + distance).min(self.tokens.len() - 1)].kind
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// From `start` to the token before this one.
    fn span_from(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    pub fn is_at_end(&self) -> bool {
        self.token().kind == TokenKind::End
    }

    fn is(&self, punct: Punct) -> bool {
        self.token().kind == TokenKind::Punct(punct)
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let is_here = self.is(punct);
        if is_here {
            self.advance();
        }
        is_here
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(&self.token().kind, TokenKind::Name(name) if **name == *word)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is_here = self.is_word(word);
        if is_here {
            self.advance();
        }
        is_here
    }

    fn word(&self) -> Option<&str> {
        match &self.token().kind {
            TokenKind::Name(name) => Some(name),
            _ => None,
        }
    }

    fn expect(&mut self, punct: Punct, after: &str) -> Parsed<()> {
        if self.eat(punct) {
            return Ok(());
        }
        self.unexpected(&format!("`{}` {after}", punct.text()))
    }

    fn ident(&mut self, what: &str) -> Parsed<Ident> {
        let span = self.span();
        match &self.token().kind {
            TokenKind::Name(name) if !KEYWORDS.contains(&&**name) => {
                let name = Arc::clone(name);
                self.advance();
                Ok(Ident { name, span })
            }
            TokenKind::Name(name) => {
                let message = format!("expected {what}, found the keyword `{name}`");
                self.fail(Diagnostic::error(span, message))
            }
            _ => self.unexpected(what),
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        self.diagnostics.push(diagnostic);
        Err(Reported)
    }

    fn unexpected<T>(&mut self, expected: &str) -> Parsed<T> {
        let token = self.token();
        let diagnostic = match &token.kind {
            TokenKind::Double => Diagnostic::unsupported(token.span, "numbers with a fraction"),
            TokenKind::Str => Diagnostic::unsupported(token.span, "strings"),
            TokenKind::TooLarge => Diagnostic::error(token.span, "the number does not fit 32 bits"),
            TokenKind::OpenComment => Diagnostic::error(token.span, "the comment is not closed"),
            kind => Diagnostic::error(token.span, format!("expected {expected}, found {kind}")),
        };
        self.fail(diagnostic)
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.deepen(1)?;
        let parsed = parse(self);
        self.levels -= 1;
        parsed
    }

    /// Counts further levels; those of a chain of operators are given back by its caller.
    fn deepen(&mut self, levels: u32) -> Parsed<()> {
        if self.levels + levels > MOST_LEVELS {
            let message = format!("the text is nested deeper than {MOST_LEVELS} levels");
            return self
                .fail(Diagnostic::error(self.span(), message).help("name parts of it: a function, or a constant"));
        }
        self.levels += levels;
        Ok(())
    }

    /// Skips the rest of a declaration or statement: past the next `;` or block that is not inside brackets, up to a `}`
    /// that closes what is around.
    fn skip_item(&mut self) {
        let mut open = 0u32;
        let start = self.at;
        loop {
            match self.token().kind {
                TokenKind::End => return,
                TokenKind::Punct(Punct::Semicolon) if open == 0 => {
                    self.advance();
                    return;
                }
                TokenKind::Punct(Punct::OpenBrace | Punct::OpenParen | Punct::OpenBracket) => open += 1,
                TokenKind::Punct(Punct::CloseBrace) if open == 0 => return,
                TokenKind::Punct(Punct::CloseBrace) => {
                    open -= 1;
                    if open == 0 && self.at > start {
                        self.advance();
                        self.eat(Punct::Semicolon);
                        return;
                    }
                }
                TokenKind::Punct(Punct::CloseParen | Punct::CloseBracket) => open = open.saturating_sub(1),
                // Where the next item surely begins, a bracket was forgotten.
                TokenKind::Name(ref name) if self.at > start && matches!(&**name, "process" | "system" | "typedef") => {
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// Items separated by commas.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(Punct::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Checks that the text ends here.
    pub fn expect_end(&mut self, after: &str) -> Parsed<()> {
        if self.is_at_end() { Ok(()) } else { self.unexpected(&format!("the end of {after}")) }
    }
}
