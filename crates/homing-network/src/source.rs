//! The places of a model's text: bytes of a file, and, in an `.xml` file, lines of a label.

use std::fmt;
use std::sync::Arc;

/// A file: the model is 0, files and strings with queries follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A range of bytes in a file as it is stored: in an `.xml` file `&lt;` takes four.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Span {
    /// From the start of `self` to the end of `other`, if both are in one file; else `self`.
    pub fn to(self, other: Span) -> Span {
        if self.file == other.file && other.end >= self.start { Span { end: other.end, ..self } } else { self }
    }
}

/// Spans are left out of debug output: networks are compared by it, whatever format their text has.
impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}

/// A text inside an `.xml` file: the contents of one label or declaration.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub start: u32,
    pub end: u32,
    /// The template that it belongs to; `None` for text of the whole model.
    pub template: Option<Arc<str>>,
    /// The kind of label: `guard`, `declaration`, …
    pub kind: Arc<str>,
}

/// A file that was read.
#[derive(Debug)]
pub struct SourceFile {
    /// The name that messages show.
    pub name: String,
    /// The text, as stored.
    pub text: String,
    line_starts: Vec<u32>,
    /// In the order of the file.
    regions: Vec<Region>,
}

/// Where a span begins, for a message. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The line of the file.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
    /// The label, in an `.xml` file.
    pub label: Option<LabelPlace<'a>>,
}

/// A place as the editor of UPPAAL shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelPlace<'a> {
    /// The template; `None` for text of the whole model.
    pub template: Option<&'a str>,
    /// The kind of label: `guard`, `declaration`, …
    pub kind: &'a str,
    /// The line inside the label.
    pub line: u32,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)?;
        match &self.label {
            Some(LabelPlace { template: Some(template), kind, line }) => {
                write!(f, " (template {template}, {kind}, line {line})")
            }
            Some(LabelPlace { template: None, kind, line }) => write!(f, " ({kind}, line {line})"),
            None => Ok(()),
        }
    }
}

/// All files of a model.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file. The files of a model have at most 4 GiB.
    pub fn add_file(&mut self, name: String, text: String) -> FileId {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect();
        self.files.push(SourceFile { name, text, line_starts, regions: Vec::new() });
        FileId(self.files.len() as u32 - 1)
    }

    pub(crate) fn add_region(&mut self, file: FileId, region: Region) {
        self.files[file.0 as usize].regions.push(region);
    }

    /// The file with this id.
    ///
    /// # Panics
    /// If the id belongs to another map.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The files in the order of their ids.
    pub fn files(&self) -> impl ExactSizeIterator<Item = &SourceFile> {
        self.files.iter()
    }

    /// Where a span begins.
    pub fn place(&self, span: Span) -> Place<'_> {
        let file = self.file(span.file);
        let line_of = |at: u32| file.line_starts.partition_point(|&start| start <= at) as u32;
        let line = line_of(span.start);
        let line_start = file.line_starts[line as usize - 1] as usize;
        let before = file.text.get(line_start..span.start as usize).unwrap_or("");
        let region = file.regions.iter().find(|region| region.start <= span.start && span.start <= region.end);
        let label = region.map(|region| LabelPlace {
            template: region.template.as_deref(),
            kind: &region.kind,
            line: line - line_of(region.start) + 1,
        });
        Place { file: &file.name, line, column: before.chars().count() as u32 + 1, label }
    }

    /// The text of a span, as stored.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

/// A text on one line, without the entities of XML.
pub(crate) fn on_one_line(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| *word != "\\"); // a line that is continued
    let line = words.collect::<Vec<_>>().join(" ");
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.iter().fold(line, |line, (entity, character)| line.replace(entity, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_a_line_of_the_file_and_one_of_the_label() {
        let mut sources = SourceMap::default();
        let file = sources.add_file("m.xml".to_owned(), "<nta>\n<label>ä = 1,\ny = 2</label>".to_owned());
        let region = Region { start: 13, end: 26, template: Some("P".into()), kind: "assignment".into() };
        sources.add_region(file, region);
        let place = sources.place(Span { file, start: 21, end: 22 });
        assert_eq!(place.to_string(), "m.xml:3:1 (template P, assignment, line 2)");
        assert_eq!(sources.place(Span { file, start: 16, end: 17 }).column, 10, "columns count characters");
        assert_eq!(sources.place(Span { file, start: 0, end: 1 }).to_string(), "m.xml:1:1");
        assert_eq!(sources.text(Span { file, start: 21, end: 99 }), "", "a span beyond the end has no text");
    }
}
