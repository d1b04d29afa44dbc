//! Errors and warnings of a model for programs: with a code, and with the place as numbers.

use std::path::Path;

use homing_promela::diagnostic::{Diagnostic, Severity};
use homing_promela::source::{SourceMap, Span};
use serde::Serialize;

use crate::error::Error;

/// An error or a warning (`docs/json.md`). Lines and columns count from 1, columns in characters; the end is after the last
/// character.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub code: &'static str,
    pub severity: &'static str,
    pub message: String,
    pub file: Option<String>,
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub end_line: Option<usize>,
    pub end_column: Option<usize>,
    pub help: Option<String>,
}

impl Problem {
    /// A message of the front-end.
    pub fn new(diagnostic: &Diagnostic, sources: &SourceMap) -> Self {
        let place = diagnostic.span.map(|span| Range::new(span, sources));
        Problem {
            code: diagnostic.code,
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: diagnostic.message.clone(),
            file: diagnostic.span.map(|span| sources.file(span.file).name.clone()),
            line: place.as_ref().map(|place| place.start.0),
            column: place.as_ref().map(|place| place.start.1),
            end_line: place.as_ref().map(|place| place.end.0),
            end_column: place.as_ref().map(|place| place.end.1),
            help: diagnostic.help.clone().map(String::from),
        }
    }

    /// The same for a program that shows it in a file: what is wrong with the command line is shown at the model.
    pub fn in_file(&self, model: &str) -> Self {
        if self.file.as_deref().is_none_or(|file| !file.starts_with('<')) {
            return self.clone();
        }
        let file = Some(model.to_owned());
        Problem { file, line: None, column: None, end_line: None, end_column: None, ..self.clone() }
    }

    /// An error that ends the command, for the model in this file.
    pub fn of_error(error: &Error, model: &Path) -> Self {
        Problem {
            code: error.code(),
            severity: "error",
            message: error.to_string(),
            file: Some(model.display().to_string()),
            line: match error {
                Error::Lts { error, .. } => usize::try_from(error.line).ok(),
                _ => None,
            },
            column: None,
            end_line: None,
            end_column: None,
            help: None,
        }
    }
}

/// A span in lines and columns.
struct Range {
    start: (usize, usize),
    end: (usize, usize),
}

impl Range {
    fn new(span: Span, sources: &SourceMap) -> Self {
        let text = sources.file(span.file).text.as_str();
        let position = |offset: u32| {
            let offset = (offset as usize).min(text.len());
            let at = (0..=offset).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
            (1 + text[..at].matches('\n').count(), 1 + text[line_start..at].chars().count())
        };
        let start = position(span.start);
        Range { start, end: position(span.end).max(start) }
    }
}

#[cfg(test)]
mod tests {
    use homing_promela::source::{ExpansionId, FileId};

    use super::*;

    #[test]
    fn places_are_lines_and_columns() {
        let mut sources = SourceMap::default();
        sources.add_file("m.pml".to_owned(), "byte x;\n\u{e9}\u{e9} abc\nd".to_owned());
        let place = |start, end| {
            let span = Span { file: FileId(0), start, end, via: ExpansionId::NONE };
            let problem = Problem::new(&Diagnostic::warning(span, "dubious").code("here"), &sources);
            assert_eq!((problem.code, problem.severity, problem.file.as_deref()), ("here", "warning", Some("m.pml")));
            [problem.line, problem.column, problem.end_line, problem.end_column].map(Option::unwrap)
        };
        assert_eq!(place(5, 6), [1, 6, 1, 7]);
        assert_eq!(place(13, 18), [2, 4, 3, 2]);
        assert_eq!(place(99, 3), [3, 2, 3, 2]);
    }
}
