//! Renders diagnostics of a model: the place with its text, the expansion of macros and inlines, and the remedy.

use std::fmt;
use std::ops::Range;

use ariadne::{Cache, Color, Config, IndexType, Label, Report, ReportKind, Source};
use homing_promela::diagnostic::{Diagnostic, Diagnostics, Severity};
use homing_promela::source::{Expansion, ExpansionKind, FileId, SourceMap, Span};

use crate::console::Paint;

/// The most expansions shown for a place.
const MOST_EXPANSIONS: usize = 6;

/// The messages as text, in their order; warnings only if `warnings` is set.
pub fn render(diagnostics: &Diagnostics, sources: &SourceMap, warnings: bool, paint: Paint) -> String {
    let mut files = Files::new(sources);
    let mut text = Vec::new();
    let mut errors_shown = 0;
    for diagnostic in diagnostics.messages() {
        match diagnostic.severity {
            Severity::Error => errors_shown += 1,
            Severity::Warning if warnings => {}
            Severity::Warning => continue,
        }
        match diagnostic.span {
            Some(span) if !has_long_line(diagnostic, span, sources) => {
                // writing to a vector does not fail, and every file that a span names is in the map
                let _ = report(diagnostic, span, sources, paint).write(&mut files, &mut text);
            }
            _ => text.extend(plain(diagnostic, sources, paint).into_bytes()),
        }
    }
    let more = diagnostics.error_count() - errors_shown;
    if more > 0 {
        text.extend(format!("and {more} more errors\n").into_bytes());
    }
    if diagnostics.is_full() {
        text.extend(b"The rest was not read because there are too many errors. Is this a Promela model?\n");
    }
    String::from_utf8_lossy(&text).into_owned()
}

fn report<'a>(diagnostic: &Diagnostic, span: Span, sources: &SourceMap, paint: Paint) -> Report<'a, Spot> {
    let (kind, color) = match diagnostic.severity {
        Severity::Error => (ReportKind::Error, Color::Red),
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
    };
    let config = Config::default().with_color(paint.0).with_index_type(IndexType::Byte).with_tab_width(8);
    let mut report = Report::build(kind, spot(span, sources)).with_config(config).with_message(&diagnostic.message);
    // ariadne does not underline a label without text
    let words = if diagnostic.label.is_empty() { "here" } else { &diagnostic.label };
    let mut labels = vec![(span, words.to_owned(), color)];
    for (span, words) in expansions(span, sources) {
        labels.push((span, words, Color::Blue));
    }
    for note in &diagnostic.notes {
        match note.span {
            Some(span) => labels.push((span, note.text.clone(), Color::Cyan)),
            None => report.add_note(&note.text),
        }
    }
    // ariadne repeats the excerpt for labels out of order; the file with the error comes first
    labels.sort_by_key(|(at, ..)| (at.file != span.file, at.file, at.start));
    for (span, words, color) in labels {
        report.add_label(Label::new(spot(span, sources)).with_message(words).with_color(color));
    }
    if let Some(help) = &diagnostic.help {
        report.add_help(help);
    }
    report.finish()
}

/// The chain of macro and inline expansions that produced the text, innermost first.
fn expansions(span: Span, sources: &SourceMap) -> Vec<(Span, String)> {
    let first = sources.expansion(span.via);
    let steps = std::iter::successors(first, |step| sources.expansion(step.parent)).take(MOST_EXPANSIONS);
    let label = |step: &Expansion| match step.kind {
        ExpansionKind::Macro => (step.other, format!("macro `{}` is defined here", step.name)),
        ExpansionKind::Inline => (step.other, format!("inline `{}` is called here", step.name)),
    };
    steps.map(label).collect()
}

/// A message about the model as a whole, or about a place in a line too long to be shown.
fn plain(diagnostic: &Diagnostic, sources: &SourceMap, paint: Paint) -> String {
    let head = match diagnostic.severity {
        Severity::Error => paint.red("Error:"),
        Severity::Warning => paint.yellow("Warning:"),
    };
    let excerpt = diagnostic.span.map(|span| excerpt(span, &diagnostic.label, sources)).unwrap_or_default();
    let notes = diagnostic.notes.iter().map(|note| {
        let place = note.span.map(|span| format!(" ({})", place(span, sources))).unwrap_or_default();
        format!("  Note: {}{place}\n", note.text)
    });
    let help = diagnostic.help.iter().map(|help| format!("  Help: {help}\n"));
    format!("{head} {}\n{excerpt}{}", diagnostic.message, notes.chain(help).collect::<String>())
}

/// Longer lines are generated; only the text around the place is shown of them.
const LONG_LINE: usize = 400;
const AROUND: usize = 60;

/// Whether the message shows a line longer than [`LONG_LINE`].
fn has_long_line(diagnostic: &Diagnostic, span: Span, sources: &SourceMap) -> bool {
    let notes = diagnostic.notes.iter().filter_map(|note| note.span);
    let expansions = expansions(span, sources).into_iter().map(|(span, _)| span);
    let mut shown = std::iter::once(span).chain(notes).chain(expansions);
    shown.any(|span| line_of(span, sources).0.len() > LONG_LINE)
}

/// The line in which a span begins, and where in the line.
fn line_of(span: Span, sources: &SourceMap) -> (&str, usize) {
    let text = sources.file(span.file).text.as_str();
    let (_, range) = spot(span, sources);
    let at = (0..=range.start).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    (&text[start..end], at - start)
}

fn place(span: Span, sources: &SourceMap) -> String {
    let (line, at) = line_of(span, sources);
    let column = 1 + line[..at].chars().count();
    format!("{}:{}:{column}", sources.file(span.file).name, sources.line(span))
}

fn excerpt(span: Span, label: &str, sources: &SourceMap) -> String {
    let (line, at) = line_of(span, sources);
    let blank = |c: char| if c.is_whitespace() { ' ' } else { c };
    let before: Vec<char> = line[..at].chars().rev().take(AROUND).map(blank).collect();
    let after: String = line[at..].chars().take(AROUND).map(blank).collect();
    let margin = " ".repeat(before.len());
    let before: String = before.into_iter().rev().collect();
    format!("  at {}\n    ...{before}{after}...\n       {margin}^ {label}\n", place(span, sources))
}

/// A range of bytes of a file.
type Spot = (FileId, Range<usize>);

/// The range of a span, clipped to the file: rendering a message must not fail because of its place.
fn spot(span: Span, sources: &SourceMap) -> Spot {
    let length = sources.file(span.file).text.len();
    let start = (span.start as usize).min(length);
    (span.file, start..(span.end as usize).clamp(start, length))
}

struct Files<'a> {
    sources: Vec<(&'a str, Source<&'a str>)>,
}

impl<'a> Files<'a> {
    fn new(sources: &'a SourceMap) -> Self {
        let file =
            |file: &'a homing_promela::source::SourceFile| (file.name.as_str(), Source::from(file.text.as_str()));
        Files { sources: sources.files().map(file).collect() }
    }
}

impl<'a> Cache<FileId> for &mut Files<'a> {
    type Storage = &'a str;

    fn fetch(&mut self, id: &FileId) -> Result<&Source<&'a str>, impl fmt::Debug> {
        self.sources.get(id.0 as usize).map(|(_, source)| source).ok_or("a file that was never read")
    }

    fn display<'b>(&self, id: &'b FileId) -> Option<impl fmt::Display + 'b> {
        self.sources.get(id.0 as usize).map(|(name, _)| (*name).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use homing_promela::source::ExpansionId;

    use super::*;

    fn span(start: u32, end: u32, via: ExpansionId) -> Span {
        Span { file: FileId(0), start, end, via }
    }

    fn shown(diagnostics: Vec<Diagnostic>, sources: &SourceMap, warnings: bool) -> String {
        let mut all = Diagnostics::default();
        diagnostics.into_iter().for_each(|diagnostic| all.push(diagnostic));
        render(&all, sources, warnings, Paint(false))
    }

    #[test]
    fn a_message_has_its_place_its_text_and_the_remedy() {
        let mut sources = SourceMap::default();
        sources.add_file("m.pml".to_owned(), "#define X y\n\u{e9} init {\n\tX = 1\n}\n".to_owned());
        let via = sources.add_expansion(Expansion {
            kind: ExpansionKind::Macro,
            name: Arc::from("X"),
            other: span(8, 9, ExpansionId::NONE),
            parent: ExpansionId::NONE,
        });
        let error = Diagnostic::error(span(23, 24, via), "`y` is not declared")
            .label("not declared")
            .help("declare it with `byte y`");
        let text = shown(vec![error], &sources, true);
        for part in ["Error: `y` is not declared", "m.pml:3:", "X = 1", "macro `X` is defined here", "byte y"] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
        assert!(!text.contains('\x1b'), "{text}");
    }

    #[test]
    fn warnings_only_if_wanted_and_errors_always() {
        let mut sources = SourceMap::default();
        sources.add_file("m.pml".to_owned(), "init { skip }".to_owned());
        let warning = || Diagnostic::warning(span(0, 4, ExpansionId::NONE), "dubious");
        assert!(shown(vec![warning()], &sources, true).contains("Warning: dubious"));
        assert_eq!(shown(vec![warning()], &sources, false), "");
        let error = Diagnostic::global("no process").help("add an init");
        assert_eq!(shown(vec![error, warning()], &sources, false), "Error: no process\n  Help: add an init\n");
    }

    #[test]
    fn of_a_long_line_only_the_surroundings_are_shown() {
        let mut sources = SourceMap::default();
        let long = format!("init {{\n{}\u{e9}!{}\n}}\n", "a".repeat(1000), "b".repeat(1000));
        sources.add_file("m.pml".to_owned(), long);
        let error = Diagnostic::error(span(1009, 1010, ExpansionId::NONE), "stray").label("here").help("drop it");
        let text = shown(vec![error.note(span(0, 4, ExpansionId::NONE), "begun here")], &sources, true);
        let expected = format!(
            "Error: stray\n  at m.pml:2:1002\n    ...{}\u{e9}!{}...\n       {}^ here\n  \
             Note: begun here (m.pml:1:1)\n  Help: drop it\n",
            "a".repeat(AROUND - 1),
            "b".repeat(AROUND - 1),
            " ".repeat(AROUND)
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn a_note_on_a_long_line_does_not_show_it_all() {
        let mut sources = SourceMap::default();
        sources.add_file("m.pml".to_owned(), format!("init {{{}\n", " ".repeat(10_000)));
        let error = Diagnostic::error(span(10_007, 10_007, ExpansionId::NONE), "cut off");
        let text = shown(vec![error.note(span(5, 6, ExpansionId::NONE), "begun here")], &sources, true);
        assert!(text.len() < 1000 && text.contains("begun here (m.pml:1:6)"), "{text}");
    }

    #[test]
    fn places_of_one_file_are_shown_together() {
        let mut sources = SourceMap::default();
        sources.add_file("m.pml".to_owned(), "byte x;\n\n\nbyte x;\n".to_owned());
        let error = Diagnostic::error(span(15, 16, ExpansionId::NONE), "twice");
        let text = shown(vec![error.note(span(5, 6, ExpansionId::NONE), "first")], &sources, true);
        assert_eq!(text.matches("m.pml").count(), 1, "{text}");
        assert!(text.contains("m.pml:4:6") && text.contains("here"), "{text}");
    }

    #[test]
    fn errors_that_were_not_kept_are_counted() {
        let sources = SourceMap::default();
        let errors = (0..Diagnostics::MOST_ERRORS + 3).map(|_| Diagnostic::global("wrong")).collect();
        assert!(shown(errors, &sources, true).contains("and 3 more errors\n"));
    }

    #[test]
    fn a_place_at_or_behind_the_end_of_the_file_is_shown_at_its_end() {
        let mut sources = SourceMap::default();
        sources.add_file("m.pml".to_owned(), "init {\n".to_owned());
        for (start, end) in [(7, 7), (7, 9), (50, 60), (6, 3)] {
            let text = shown(vec![Diagnostic::error(span(start, end, ExpansionId::NONE), "cut off")], &sources, true);
            assert!(text.contains("Error: cut off") && text.contains("m.pml"), "{text}");
        }
    }
}
