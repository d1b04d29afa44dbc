//! What is wrong with a model, or dubious in it, told with its place.

use crate::source::Span;

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
}

/// The messages of one run over a model. Errors beyond [`Diagnostics::MOST_ERRORS`] are counted, not kept: nobody reads
/// the ten-thousandth.
#[derive(Debug, Default)]
pub struct Diagnostics {
    messages: Vec<Diagnostic>,
    errors: usize,
}

impl Diagnostics {
    pub const MOST_ERRORS: usize = 20;

    pub fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
            if self.errors > Self::MOST_ERRORS {
                return;
            }
        }
        self.messages.push(diagnostic);
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
