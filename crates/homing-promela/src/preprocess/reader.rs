//! A file being read: its tokens, and the conditionals that are open in it.

use std::rc::Rc;

use super::Preprocessor;
use super::conditional::Conditional;
use super::lexer::{Kind, Lexer, PpToken};
use super::text::CleanText;
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

pub(super) struct Reader {
    pub file: FileId,
    pub lexer: Lexer,
    /// A token that was peeked at.
    peeked: Option<PpToken>,
    /// The open conditionals, the innermost last.
    pub conditionals: Vec<Conditional>,
    /// The `#include` that led here.
    pub included_at: Option<Span>,
}

impl Reader {
    pub fn new(file: FileId, text: Rc<CleanText>, included_at: Option<Span>) -> Self {
        Reader { file, lexer: Lexer::new(file, text), peeked: None, conditionals: Vec::new(), included_at }
    }

    /// Whether the text here is skipped.
    pub fn is_skipping(&self) -> bool {
        self.conditionals.last().is_some_and(|conditional| !conditional.is_active())
    }
}

/// What tokens are read for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadFor {
    Text,
    /// The arguments of a macro call: they end with their file, and their lines are not printed.
    Arguments,
}

impl Preprocessor<'_> {
    /// The next token of the files, after executing the directives before it.
    pub(super) fn next_in_file(&mut self, purpose: ReadFor) -> Option<PpToken> {
        loop {
            let reader = self.readers.last_mut()?;
            let Some(token) = reader.peeked.take().or_else(|| reader.lexer.next(&mut self.symbols)) else {
                if purpose == ReadFor::Arguments {
                    return None;
                }
                self.close_file();
                continue;
            };
            if token.first && token.kind == Kind::Hash {
                self.obey_directive(token, purpose);
                continue;
            }
            if reader.is_skipping() {
                continue;
            }
            if token.first && purpose == ReadFor::Text {
                self.output.start_line(token.line);
            }
            return Some(token);
        }
    }

    /// The next token of the file, which may be the `#` of a directive.
    pub(super) fn peek_in_file(&mut self) -> Option<PpToken> {
        let reader = self.readers.last_mut()?;
        if reader.peeked.is_none() {
            reader.peeked = reader.lexer.next(&mut self.symbols);
        }
        reader.peeked
    }

    /// The rest of the line of a directive.
    pub(super) fn rest_of_line(&mut self) -> Vec<PpToken> {
        let mut line = Vec::new();
        while let Some(token) = self.next_on_line() {
            line.push(token);
        }
        line
    }

    pub(super) fn next_on_line(&mut self) -> Option<PpToken> {
        self.readers.last_mut()?.lexer.next_on_line(&mut self.symbols)
    }

    /// Returns to the including file, and reports what is not closed in this one.
    fn close_file(&mut self) {
        let Some(reader) = self.readers.pop() else { return };
        if let Some(comment) = reader.lexer.unclosed_comment() {
            self.report(
                Diagnostic::error(comment, "this comment is not closed")
                    .label("there is no `*/` up to the end of the file"),
            );
        }
        for conditional in reader.conditionals {
            if self.is_stopped() {
                return;
            }
            self.report(conditional.unclosed());
        }
    }
}
