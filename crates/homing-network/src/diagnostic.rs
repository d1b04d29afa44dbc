//! Errors and warnings, with their places in the model.

use crate::ast::Refusal;
use crate::source::{FileId, Span};

/// Whether a model with the message can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// It cannot.
    Error,
    /// It can.
    Warning,
}

/// A further place that explains the message.
#[derive(Clone, Debug)]
pub struct Note {
    /// The place.
    pub span: Span,
    /// What is there.
    pub text: String,
}

/// The warning about the rate of a location.
pub(crate) const RATE_IS_IGNORED: &str =
    "the exponential rate is ignored: it says how long a process stays, not which steps are possible";

/// One message: what is wrong, where, and what to do about it.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The kind of message, for programs: the stage that reports it, or `unsupported` for a construct that is refused.
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// The error in one sentence without a full stop.
    pub message: String,
    /// `None` if it concerns the whole model.
    pub span: Option<Span>,
    /// Further places.
    pub notes: Vec<Note>,
    /// What the author of the model can do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Diagnostic { span: Some(span), ..Diagnostic::global(message) }
    }

    /// A warning at a place.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// A construct of the language that homing does not support. `construct` is a noun in the plural.
    pub fn unsupported(span: Span, construct: impl std::fmt::Display) -> Self {
        Diagnostic { code: "unsupported", ..Diagnostic::error(span, format!("{construct} are not supported")) }
    }

    /// An error of the model as a whole.
    pub fn global(message: impl Into<String>) -> Self {
        Diagnostic {
            code: "",
            severity: Severity::Error,
            message: message.into(),
            span: None,
            notes: Vec::new(),
            help: None,
        }
    }

    /// Adds a further place.
    pub fn note(mut self, span: Span, text: impl Into<String>) -> Self {
        self.notes.push(Note { span, text: text.into() });
        self
    }

    /// Adds what the author of the model can do.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The messages for one model. Errors beyond [`Diagnostics::MOST_ERRORS`] are counted, not kept; a message that was
/// reported for the same place is dropped.
#[derive(Debug, Default)]
pub struct Diagnostics {
    messages: Vec<Diagnostic>,
    /// The code of messages that have none of their own.
    stage: &'static str,
    errors: usize,
    warnings: usize,
}

impl Diagnostics {
    /// The number of errors that are kept.
    pub const MOST_ERRORS: usize = 100;
    /// The number of warnings that are kept.
    pub const MOST_WARNINGS: usize = 50;

    /// Begins a stage, whose name is the code of its messages.
    pub fn begin(&mut self, stage: &'static str) {
        self.stage = stage;
    }

    /// Adds a message.
    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        if diagnostic.code.is_empty() {
            diagnostic.code = self.stage;
        }
        let is_known = |known: &Diagnostic| known.span == diagnostic.span && known.message == diagnostic.message;
        if self.messages.iter().any(is_known) {
            return;
        }
        let (number, most) = match diagnostic.severity {
            Severity::Error => (&mut self.errors, Self::MOST_ERRORS),
            Severity::Warning => (&mut self.warnings, Self::MOST_WARNINGS),
        };
        *number += 1;
        if *number <= most {
            self.messages.push(diagnostic);
        }
    }

    /// How many messages there are.
    pub fn mark(&self) -> usize {
        self.messages.len()
    }

    /// Makes warnings of the errors since `mark`: they concern a part without which the model can be checked. Returns the first of them.
    pub fn demote_since(&mut self, mark: usize) -> Option<&Diagnostic> {
        let mut first = None;
        for (at, message) in self.messages.iter_mut().enumerate().skip(mark) {
            if message.severity == Severity::Error {
                message.severity = Severity::Warning;
                self.errors -= 1;
                self.warnings += 1;
                first.get_or_insert(at);
            }
        }
        first.map(|at| &self.messages[at])
    }

    /// Makes warnings of the errors since `mark`, which are about a query: why it is not decided.
    pub(crate) fn demote_query_since(&mut self, mark: usize) -> (Refusal, String) {
        match self.demote_since(mark) {
            Some(first) if first.code == "unsupported" => (Refusal::Unsupported, first.message.clone()),
            Some(first) => (Refusal::Invalid, first.message.clone()),
            None => (Refusal::Invalid, "it has the same fault as another one at this place".to_owned()),
        }
    }

    /// Sorts the messages by their places; those about the whole model come last.
    pub fn sort(&mut self) {
        self.messages.sort_by_key(|message| match message.span {
            Some(span) => (0, span.file, span.start),
            None => (1, FileId(0), 0),
        });
    }

    /// Whether the model cannot be checked.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether there are so many errors that it is not worth to continue.
    pub fn is_full(&self) -> bool {
        self.errors >= Self::MOST_ERRORS
    }

    /// The number of errors, with those not kept.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// The messages that were kept.
    pub fn messages(&self) -> &[Diagnostic] {
        &self.messages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: u32) -> Span {
        Span { file: FileId(0), start, end: start + 1 }
    }

    #[test]
    fn a_message_is_not_repeated_for_the_same_place() {
        let mut diagnostics = Diagnostics::default();
        for (start, message) in [(3, "wrong"), (3, "wrong"), (3, "also wrong"), (4, "wrong")] {
            diagnostics.push(Diagnostic::error(at(start), message));
        }
        assert_eq!((diagnostics.error_count(), diagnostics.messages().len()), (3, 3));
    }

    #[test]
    fn messages_are_sorted_by_place_and_limited() {
        let mut diagnostics = Diagnostics::default();
        diagnostics.push(Diagnostic::global("no process"));
        for start in (0..2 * Diagnostics::MOST_ERRORS as u32).rev() {
            diagnostics.push(Diagnostic::error(at(start), "wrong"));
        }
        diagnostics.push(Diagnostic::warning(at(0), "dubious"));
        diagnostics.sort();
        assert!(diagnostics.is_full() && diagnostics.has_errors());
        assert_eq!(diagnostics.error_count(), 2 * Diagnostics::MOST_ERRORS + 1);
        assert_eq!(diagnostics.messages().len(), Diagnostics::MOST_ERRORS + 1, "with the warning");
        assert_eq!(diagnostics.messages()[0].message, "dubious");
        assert_eq!(diagnostics.messages().last().map(|last| last.span), Some(None));
    }
}
