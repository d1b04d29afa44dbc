//! What is wrong with a model, or dubious in it, told with its place.

use crate::source::{FileId, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
}

/// A second place that belongs to the story.
#[derive(Clone, Debug)]
pub struct Note {
    pub span: Option<Span>,
    pub text: String,
}

/// One message: what is wrong, where, and what to do about it.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
    /// None when the whole model is at fault.
    pub span: Option<Span>,
    /// What stands under the caret; empty for none.
    pub label: String,
    pub notes: Vec<Note>,
    /// What the author of the model can do.
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span: Some(span),
            label: String::new(),
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
            severity: Severity::Error,
            message: message.into(),
            span: None,
            label: String::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub fn note(mut self, span: Span, text: impl Into<String>) -> Self {
        self.notes.push(Note { span: Some(span), text: text.into() });
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Whether `other` says the same of the same text; the way that led there may differ.
    fn repeats(&self, other: &Diagnostic) -> bool {
        let range = |span: Span| (span.file, span.start, span.end);
        self.span.is_some() && self.span.map(range) == other.span.map(range) && self.message == other.message
    }
}

/// The messages of one run over a model. Errors beyond [`Diagnostics::MOST_ERRORS`] are counted, not kept: nobody reads
/// the ten-thousandth. Nor does anybody read a message again that stands there already: a mistake in an inline is made
/// once, however often the inline is called.
#[derive(Debug, Default)]
pub struct Diagnostics {
    messages: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Diagnostics {
    pub const MOST_ERRORS: usize = 20;
    pub const MOST_WARNINGS: usize = 50;

    pub fn push(&mut self, diagnostic: Diagnostic) {
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

    /// Puts the messages into the order of their places; those about the whole model come last.
    pub fn sort(&mut self) {
        self.messages.sort_by_key(|message| match message.span {
            Some(span) => (0, span.file, span.start),
            None => (1, FileId(0), 0),
        });
    }

    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether so many errors were met that going on helps nobody.
    pub fn is_full(&self) -> bool {
        self.errors >= Self::MOST_ERRORS
    }

    /// How many errors there were, also those not kept.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    pub fn messages(&self) -> &[Diagnostic] {
        &self.messages
    }
}
