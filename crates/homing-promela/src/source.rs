//! The places of the model's text, and the macros and inlines through which it came there.

use std::fmt;
use std::sync::Arc;

/// A file of the model: the main one is 0, the included ones follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// Identifies an [`Expansion`] in a [`SourceMap`]; [`ExpansionId::NONE`] for text that is in the file as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExpansionId(pub u32);

impl ExpansionId {
    pub const NONE: ExpansionId = ExpansionId(u32::MAX);
}

/// A range of bytes in a file. A token of a macro has the span of the macro's *use* (the line SPIN reports too), a
/// token of an inline that of the inline's *body*; `via` leads to the other place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
    pub via: ExpansionId,
}

impl Span {
    /// From the start of `self` to the end of `other`, if both are in one file; else `self`.
    pub fn to(self, other: Span) -> Span {
        if self.file == other.file && other.end >= self.start { Span { end: other.end, ..self } } else { self }
    }
}

/// Spans are left out of debug output: syntax trees are compared by it, wherever their text is.
impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpansionKind {
    /// A `#define`: the token's span is the use, `other` the definition.
    Macro,
    /// An `inline`: the token's span is in the body, `other` is the call.
    Inline,
}

/// One replacement of a macro or an inline.
#[derive(Clone, Debug)]
pub struct Expansion {
    pub kind: ExpansionKind,
    pub name: Arc<str>,
    /// The place that the token's span does not show.
    pub other: Span,
    /// The expansion inside which this one is.
    pub parent: ExpansionId,
}

/// A file that was read.
#[derive(Debug)]
pub struct SourceFile {
    pub name: String,
    pub text: String,
    line_starts: Vec<u32>,
}

/// The text of a file. One that is not UTF-8 is read as ISO 8859-1 (Latin-1), in which each byte is a character: SPIN does not
/// look at the encoding, and what is not ASCII can only stand in comments and strings.
pub fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| error.as_bytes().iter().map(|&byte| char::from(byte)).collect())
}

/// All files of a model, and the expansions in them.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    expansions: Vec<Expansion>,
}

impl SourceMap {
    pub fn add_file(&mut self, name: String, text: String) -> FileId {
        let newlines = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
        let line_starts = std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect();
        self.files.push(SourceFile { name, text, line_starts });
        FileId(self.files.len() as u32 - 1)
    }

    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    pub fn files(&self) -> impl ExactSizeIterator<Item = &SourceFile> {
        self.files.iter()
    }

    pub fn add_expansion(&mut self, expansion: Expansion) -> ExpansionId {
        self.expansions.push(expansion);
        ExpansionId(self.expansions.len() as u32 - 1)
    }

    pub fn expansion(&self, id: ExpansionId) -> Option<&Expansion> {
        self.expansions.get(id.0 as usize)
    }

    /// The line of a span's start, counted from 1.
    pub fn line(&self, span: Span) -> u32 {
        let starts = &self.file(span.file).line_starts;
        starts.partition_point(|&start| start <= span.start) as u32
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end, via: ExpansionId::NONE }
    }

    #[test]
    fn lines_are_counted_from_one() {
        let mut sources = SourceMap::default();
        let file = sources.add_file("m.pml".to_owned(), "a\nbc\n\nd".to_owned());
        let lines = [0, 1, 2, 4, 5, 6].map(|start| sources.line(span(file, start, start + 1)));
        assert_eq!(lines, [1, 1, 2, 2, 3, 4]);
        assert_eq!(sources.text(span(file, 2, 4)), "bc");
        assert_eq!(sources.text(span(file, 2, 99)), "", "a span beyond the end has no text");
    }

    #[test]
    fn spans_are_joined_within_a_file() {
        let (main, other) = (FileId(0), FileId(1));
        let first = span(main, 2, 4);
        assert!(first.to(span(main, 6, 9)) == span(main, 2, 9));
        assert!(first.to(span(other, 6, 9)) == first);
        assert!(first.to(span(main, 0, 1)) == first, "a span before it is not joined");
    }
}
