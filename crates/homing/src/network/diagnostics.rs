//! Messages about a network as messages about a model: one renderer shows both.

use homing_network::diagnostic::{Diagnostic as NetworkDiagnostic, Severity as NetworkSeverity};
use homing_network::source::{LabelPlace, SourceMap as NetworkSources, Span as NetworkSpan};
use homing_promela::diagnostic::{Diagnostic, Diagnostics, Note, Severity};
use homing_promela::source::{ExpansionId, FileId, SourceMap, Span};

/// The messages and the texts that they refer to.
pub fn converted(
    messages: &homing_network::diagnostic::Diagnostics,
    sources: &NetworkSources,
) -> (Diagnostics, SourceMap) {
    let mut texts = SourceMap::default();
    for file in sources.files() {
        texts.add_file(file.name.clone(), file.text.clone());
    }
    let mut diagnostics = Diagnostics::default();
    messages.messages().iter().for_each(|message| diagnostics.push(diagnostic(message, sources)));
    (diagnostics, texts)
}

fn diagnostic(message: &NetworkDiagnostic, sources: &NetworkSources) -> Diagnostic {
    let note = |span: NetworkSpan, text: &str| Note { span: Some(converted_span(span)), text: text.to_owned() };
    let mut notes: Vec<Note> = message.notes.iter().map(|one| note(one.span, &one.text)).collect();
    notes.extend(message.span.and_then(|span| label_place(span, sources)).map(|text| Note { span: None, text }));
    Diagnostic {
        code: message.code,
        severity: match message.severity {
            NetworkSeverity::Error => Severity::Error,
            NetworkSeverity::Warning => Severity::Warning,
        },
        message: message.message.clone(),
        span: message.span.map(converted_span),
        label: Box::default(),
        notes,
        help: message.help.as_deref().map(Box::from),
    }
}

/// The place as the editor of UPPAAL shows it, for an `.xml` file.
fn label_place(span: NetworkSpan, sources: &NetworkSources) -> Option<String> {
    let LabelPlace { template, kind, line } = sources.place(span).label?;
    let template = template.map(|name| format!("template {name}, ")).unwrap_or_default();
    Some(format!("{template}{kind}, line {line} of its text"))
}

fn converted_span(span: NetworkSpan) -> Span {
    Span { file: FileId(span.file.0), start: span.start, end: span.end, via: ExpansionId::NONE }
}
