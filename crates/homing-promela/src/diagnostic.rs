//! Errors and warnings, with their places in the model.

use crate::source::{FileId, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
}

/// A further place that explains the message.
#[derive(Clone, Debug)]
pub struct Note {
    pub span: Option<Span>,
    pub text: String,
}

/// One message: what is wrong, where, and what to do about it.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The kind of message, for programs: the stage that reports it unless it has a [code](Diagnostic::code) of its own.
    pub code: &'static str,
    pub severity: Severity,
    /// The error in one sentence without a full stop.
    pub message: String,
    /// `None` if it concerns the whole model.
    pub span: Option<Span>,
    /// The text under the caret; may be empty.
    pub label: Box<str>,
    pub notes: Vec<Note>,
    /// What the author of the model can do.
    pub help: Option<Box<str>>,
}

impl Diagnostic {
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code: "",
            severity: Severity::Error,
            message: message.into(),
            span: Some(span),
            label: Box::default(),
            notes: Vec::new(),
            help: None,
        }
    }

    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// An error of the model as a whole.
    pub fn global(message: impl Into<String>) -> Self {
        Diagnostic {
            code: "",
            severity: Severity::Error,
            message: message.into(),
            span: None,
            label: Box::default(),
            notes: Vec::new(),
            help: None,
        }
    }

    pub fn code(mut self, code: &'static str) -> Self {
        self.code = code;
        self
    }

    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into().into();
        self
    }

    pub fn note(mut self, span: Span, text: impl Into<String>) -> Self {
        self.notes.push(Note { span: Some(span), text: text.into() });
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into().into());
        self
    }

    /// Whether `other` is the same message for the same text; the expansions that led there may differ.
    fn repeats(&self, other: &Diagnostic) -> bool {
        let range = |span: Span| (span.file, span.start, span.end);
        self.span.is_some() && self.span.map(range) == other.span.map(range) && self.message == other.message
    }
}

/// The messages for one model. Errors beyond [`Diagnostics::MOST_ERRORS`] are counted, not kept. A repeated message is
/// dropped: a mistake in an inline is one mistake, however often the inline is called.
#[derive(Debug, Default)]
pub struct Diagnostics {
    messages: Vec<Diagnostic>,
    /// The code of messages that have none of their own.
    stage: &'static str,
    errors: usize,
    warnings: usize,
}

impl Diagnostics {
    pub const MOST_ERRORS: usize = 20;
    pub const MOST_WARNINGS: usize = 50;

    /// Begins a stage, whose name is the code of its messages.
    pub fn begin(&mut self, stage: &'static str) {
        self.stage = stage;
    }

    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        if diagnostic.code.is_empty() {
            diagnostic.code = self.stage;
        }
        if self.messages.iter().any(|known| known.repeats(&diagnostic)) {
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

    /// Begins a part whose messages may be treated apart. Returns what was said before, for [`Diagnostics::end_part`].
    pub fn begin_part(&mut self) -> Diagnostics {
        let stage = self.stage;
        std::mem::replace(self, Diagnostics { stage, ..Diagnostics::default() })
    }

    /// Ends a part: goes on with what was said before it, and returns its messages.
    pub fn end_part(&mut self, before: Diagnostics) -> Diagnostics {
        std::mem::replace(self, before)
    }

    /// Adds the messages of a part.
    pub fn append(&mut self, part: Diagnostics) {
        part.messages.into_iter().for_each(|message| self.push(message));
    }

    /// The errors, as far as they are kept.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.messages.iter().filter(|message| message.severity == Severity::Error)
    }

    /// Sorts the messages by their places; those about the whole model come last.
    pub fn sort(&mut self) {
        self.messages.sort_by_key(|message| match message.span {
            Some(span) => (0, span.file, span.start),
            None => (1, FileId(0), 0),
        });
    }

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

    pub fn messages(&self) -> &[Diagnostic] {
        &self.messages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::ExpansionId;

    fn at(start: u32) -> Span {
        Span { file: FileId(0), start, end: start + 1, via: ExpansionId::NONE }
    }

    #[test]
    fn a_message_is_not_repeated_for_the_same_text() {
        let mut diagnostics = Diagnostics::default();
        diagnostics.push(Diagnostic::error(at(3), "wrong"));
        diagnostics.push(Diagnostic::error(Span { via: ExpansionId(7), ..at(3) }, "wrong"));
        diagnostics.push(Diagnostic::error(at(3), "also wrong"));
        diagnostics.push(Diagnostic::error(at(4), "wrong"));
        assert_eq!((diagnostics.error_count(), diagnostics.messages().len()), (3, 3));
    }

    #[test]
    fn errors_beyond_the_limit_are_counted_only() {
        let mut diagnostics = Diagnostics::default();
        diagnostics.push(Diagnostic::warning(at(0), "dubious"));
        assert!(!diagnostics.has_errors());
        for start in 0..100 {
            assert_eq!(diagnostics.is_full(), start as usize >= Diagnostics::MOST_ERRORS);
            diagnostics.push(Diagnostic::error(at(start), "wrong"));
        }
        assert_eq!(diagnostics.error_count(), 100);
        assert_eq!(diagnostics.messages().len(), Diagnostics::MOST_ERRORS + 1, "with the warning");
    }

    #[test]
    fn messages_are_sorted_by_place() {
        let mut diagnostics = Diagnostics::default();
        diagnostics.push(Diagnostic::global("no process"));
        diagnostics.push(Diagnostic::error(at(9), "second"));
        diagnostics.push(Diagnostic::error(at(2), "first"));
        diagnostics.sort();
        let messages: Vec<&str> = diagnostics.messages().iter().map(|message| message.message.as_str()).collect();
        assert_eq!(messages, ["first", "second", "no process"]);
    }
}
