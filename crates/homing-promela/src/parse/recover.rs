//! Error recovery: one mistake should give one message, and the next mistake should be found as well.

use super::{Parsed, Parser, Reported, keyword};
use crate::token::{Punct, TokenKind};

/// Where parsing continues inside a body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// The end of the step.
    StepEnd,
    /// The next option of the selection, or its end.
    Option,
}

impl Parser<'_> {
    /// Skips to the end of a step, at the same depth of braces and selections. Fails if the body ends before.
    pub(super) fn skip_step(&mut self, reported: Reported) -> Parsed<()> {
        self.skip(Until::StepEnd, reported)
    }

    /// Skips to an option or the end of the selection, at the same depth.
    pub(super) fn skip_to_option(&mut self, reported: Reported) -> Parsed<()> {
        self.skip(Until::Option, reported)
    }

    fn skip(&mut self, until: Until, reported: Reported) -> Parsed<()> {
        self.stream.parentheses = 0;
        let mut depth = 0u32;
        loop {
            match self.peek() {
                TokenKind::End => return Err(reported),
                _ if self.diagnostics.is_full() => return Err(reported),
                TokenKind::Punct(Punct::Semicolon | Punct::Arrow) if depth == 0 && until == Until::StepEnd => {
                    return Ok(());
                }
                TokenKind::Punct(Punct::ColonColon | Punct::CloseBrace) if depth == 0 => return Ok(()),
                TokenKind::Punct(Punct::OpenBrace) => depth += 1,
                TokenKind::Punct(Punct::CloseBrace) => depth -= 1,
                TokenKind::Name(word) => match &*word {
                    "if" | "do" => depth += 1,
                    "fi" | "od" if depth == 0 => return Ok(()),
                    "fi" | "od" => depth -= 1,
                    word if keyword::begins_unit(word) => return Err(reported),
                    _ => {}
                },
                _ => {}
            }
            self.advance();
            self.stream.parentheses = 0;
        }
    }

    /// Skips the head of a statement up to the `{` of its body. Fails if there is none before the step ends.
    pub(super) fn skip_head(&mut self, reported: Reported) -> Parsed<()> {
        let mut lines = 0;
        loop {
            match self.peek() {
                TokenKind::Punct(Punct::OpenBrace) => {
                    self.stream.parentheses = 0;
                    return Ok(());
                }
                TokenKind::Punct(Punct::CloseBrace | Punct::ColonColon) | TokenKind::End => return Err(reported),
                TokenKind::Punct(Punct::Semicolon) if lines == 3 => return Err(reported),
                TokenKind::Punct(Punct::Semicolon) => lines += 1, // `for (i = 0; i < n; i++)` has two
                TokenKind::Name(word) if matches!(&*word, "fi" | "od") || keyword::begins_unit(&word) => {
                    return Err(reported);
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// Continues after an error outside of bodies: after the unit it is in, or with the next word that can only begin
    /// one. `start` is the number of tokens taken before the unit.
    pub(super) fn skip_unit(&mut self, start: usize) {
        let mut parentheses = std::mem::take(&mut self.stream.parentheses);
        self.stream.in_sequence = false;
        self.nesting = 0;
        self.unless = 0;
        self.open_braces.clear();
        self.open_selections.clear();
        // what is no unit at all has no end either
        let known = self.tokens_taken > start;
        if !known {
            self.advance();
        }
        let mut braces = 0u32;
        loop {
            match self.peek() {
                TokenKind::End => return,
                TokenKind::Name(word) if keyword::begins_unit(&word) => return,
                TokenKind::Punct(punct) => match punct {
                    Punct::OpenBrace => braces += 1,
                    Punct::CloseBrace if known && braces <= 1 => {
                        self.advance();
                        return;
                    }
                    Punct::CloseBrace => braces = braces.saturating_sub(1),
                    Punct::OpenParen => parentheses += 1,
                    Punct::CloseParen => parentheses = parentheses.saturating_sub(1),
                    Punct::Semicolon if known && braces == 0 && parentheses == 0 => return,
                    _ => {}
                },
                _ => {}
            }
            self.advance();
        }
    }
}
