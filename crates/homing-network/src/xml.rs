//! `.xml` files to the syntax tree. The text of labels and declarations has the grammar of `.xta` files.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use roxmltree::{Node, ParsingOptions};

use crate::ast::{Document, Edge, Ident, Item, Location, Name, Template};
use crate::diagnostic::{Diagnostic, Diagnostics, RATE_IS_IGNORED};
use crate::lexer::{Fragment, Language, lex};
use crate::parse::{Parsed, Parser, Separation};
use crate::source::{FileId, Region, SourceMap, Span};

/// More elements than any model has that can be checked.
const MOST_NODES: u32 = 10_000_000;

/// Reads the file into a syntax tree; errors are reported.
pub fn read(file: FileId, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Document {
    let text = sources.file(file).text.clone();
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let mut document = Document::default();
    match roxmltree::Document::parse_with_options(&text, options) {
        Ok(tree) => {
            Reader { text: &text, file, sources, diagnostics, document: &mut document }.model(tree.root_element())
        }
        Err(error) => {
            let position = error.pos();
            let start = offset_of(&text, position.row, position.col);
            let length = text[start..].chars().next().map_or(0, char::len_utf8);
            let span = Span { file, start: start as u32, end: (start + length) as u32 };
            diagnostics.push(Diagnostic::error(span, format!("the file is not well-formed XML: {error}")));
        }
    }
    document
}

/// The byte of a position given by line and column, both counted from 1.
fn offset_of(text: &str, row: u32, column: u32) -> usize {
    let line_start: usize = text.split_inclusive('\n').take(row.saturating_sub(1) as usize).map(str::len).sum();
    let line = &text[line_start..];
    line_start + line.char_indices().nth(column.saturating_sub(1) as usize).map_or(line.len(), |(at, _)| at)
}

struct Reader<'a> {
    text: &'a str,
    file: FileId,
    sources: &'a mut SourceMap,
    diagnostics: &'a mut Diagnostics,
    document: &'a mut Document,
}

impl Reader<'_> {
    fn model(&mut self, root: Node<'_, '_>) {
        if root.tag_name().name() != "nta" {
            let message = format!("the root element is `{}`, not `nta`", root.tag_name().name());
            self.diagnostics.push(Diagnostic::error(self.tag(root), message));
            return;
        }
        for element in root.children().filter(Node::is_element) {
            match element.tag_name().name() {
                "declaration" => {
                    let declarations = self.parse(element, None, "declaration", |parser| Ok(parser.declarations()));
                    let declarations = declarations.unwrap_or_default();
                    self.document.items.extend(declarations.into_iter().map(Item::Declaration));
                }
                "template" => self.template(element),
                "instantiation" | "system" => {
                    let kind = element.tag_name().name();
                    let mut document = std::mem::take(self.document);
                    self.parse(element, None, kind, |parser| {
                        parser.document(&mut document);
                        Ok(())
                    });
                    *self.document = document;
                }
                "queries" => self.queries(element),
                "imports" if is_blank(element) => {}
                "imports" => self.refuse(element, "imports of libraries"),
                "lsc" => self.refuse(element, "live sequence charts"),
                other => {
                    let message = format!("the element `{other}` is not known here and is ignored");
                    self.diagnostics.push(Diagnostic::warning(self.tag(element), message));
                }
            }
        }
    }

    fn refuse(&mut self, element: Node<'_, '_>, construct: &str) {
        self.diagnostics.push(Diagnostic::unsupported(self.tag(element), construct));
    }

    fn error(&mut self, element: Node<'_, '_>, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(self.tag(element), message));
    }

    fn queries(&mut self, element: Node<'_, '_>) {
        for query in element.children().filter(|child| child.has_tag_name("query")) {
            for formula in query.children().filter(|child| child.has_tag_name("formula")) {
                if is_blank(formula) {
                    continue;
                }
                let contents = self.contents(formula, None, "formula");
                let fragment = contents.fragment(self.file);
                let tokens = lex(&fragment, Language::Query);
                Parser::new(tokens, self.diagnostics).queries(self.document, Separation::Whole, false);
            }
        }
    }

    fn template(&mut self, element: Node<'_, '_>) {
        let name = match element.children().find(|child| child.has_tag_name("name")) {
            Some(child) if !is_blank(child) => self.name(child, None),
            _ => {
                self.error(element, "the template has no name");
                return;
            }
        };
        let mut template = Template {
            name: name.clone(),
            parameters: Vec::new(),
            declarations: Vec::new(),
            locations: Vec::new(),
            branch_points: Vec::new(),
            initial: None,
            edges: Vec::new(),
        };
        let names = self.node_names(element, &name.name);
        for child in element.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "name" => {}
                "parameter" => {
                    let parameters =
                        self.parse(child, Some(&name.name), "parameter", |parser| parser.parameters_until(None));
                    template.parameters = parameters.unwrap_or_default();
                }
                "declaration" => {
                    let declarations =
                        self.parse(child, Some(&name.name), "declaration", |parser| Ok(parser.declarations()));
                    template.declarations.extend(declarations.unwrap_or_default());
                }
                "location" => {
                    if let Some(location) = self.location(child, &names, &name.name) {
                        template.locations.push(location);
                    }
                }
                "branchpoint" => {
                    template
                        .branch_points
                        .extend(self.node(child, child.attribute("id"), &names).map(|(name, _)| name));
                }
                "init" => template.initial = self.node(child, child.attribute("ref"), &names).map(|(name, _)| name),
                "transition" => {
                    if let Some(edge) = self.edge(child, &names, &name.name) {
                        template.edges.push(edge);
                    }
                }
                other => {
                    let message = format!("the element `{other}` is not known here and is ignored");
                    self.diagnostics.push(Diagnostic::warning(self.tag(child), message));
                }
            }
        }
        self.document.items.push(Item::Template(template));
    }

    /// The names of locations and branch points by their ids, and whether they were invented.
    fn node_names(&mut self, template: Node<'_, '_>, template_name: &Name) -> HashMap<String, (Name, bool)> {
        let is_node = |child: &Node<'_, '_>| child.has_tag_name("location") || child.has_tag_name("branchpoint");
        let nodes: Vec<_> = template.children().filter(is_node).collect();
        let given = |node: Node<'_, '_>| {
            let name = node.children().find(|child| child.has_tag_name("name"))?;
            let text: String = name.descendants().filter(Node::is_text).filter_map(|text| text.text()).collect();
            let text = text.trim();
            (!text.is_empty()).then(|| Name::from(text))
        };
        let mut used: HashSet<Name> = nodes.iter().filter_map(|node| given(*node)).collect();
        let mut names = HashMap::new();
        for node in nodes {
            let Some(id) = node.attribute("id") else {
                self.error(node, format!("a location of template `{template_name}` has no id"));
                continue;
            };
            let (name, invented) = match given(node) {
                Some(name) => (name, false),
                None => {
                    let mut name = format!("_{id}");
                    while used.contains(name.as_str()) {
                        name.push('_');
                    }
                    (Name::from(name), true)
                }
            };
            used.insert(Arc::clone(&name));
            if names.insert(id.to_owned(), (name, invented)).is_some() {
                self.error(node, format!("the id `{id}` is used twice in template `{template_name}`"));
            }
        }
        names
    }

    /// The location or branch point that an id refers to.
    fn node(
        &mut self,
        element: Node<'_, '_>,
        id: Option<&str>,
        names: &HashMap<String, (Name, bool)>,
    ) -> Option<(Ident, bool)> {
        match id.and_then(|id| names.get(id)) {
            Some((name, invented)) => Some((Ident { name: Arc::clone(name), span: self.tag(element) }, *invented)),
            None => {
                self.error(element, format!("there is no location with the id `{}`", id.unwrap_or("")));
                None
            }
        }
    }

    fn location(
        &mut self,
        element: Node<'_, '_>,
        names: &HashMap<String, (Name, bool)>,
        template: &Name,
    ) -> Option<Location> {
        let (mut name, unnamed) = self.node(element, element.attribute("id"), names)?;
        let mut location = Location { name: name.clone(), unnamed, invariant: None, committed: false, urgent: false };
        for child in element.children().filter(Node::is_element) {
            match (child.tag_name().name(), child.attribute("kind")) {
                ("name", _) if !unnamed => {
                    name = self.name(child, Some(template));
                    location.name = name.clone();
                }
                ("committed", _) => location.committed = true,
                ("urgent", _) => location.urgent = true,
                ("label", _) if is_blank(child) => {}
                ("label", Some("invariant")) => {
                    location.invariant =
                        self.parse(child, Some(template), "invariant", |parser| parser.condition_label("an invariant"));
                }
                ("label", Some("exponentialrate")) => {
                    self.diagnostics.push(Diagnostic::warning(self.tag(child), RATE_IS_IGNORED));
                }
                _ => {}
            }
        }
        Some(location)
    }

    fn edge(&mut self, element: Node<'_, '_>, names: &HashMap<String, (Name, bool)>, template: &Name) -> Option<Edge> {
        let end = |tag: &str| element.children().find(|child| child.has_tag_name(tag));
        let (Some(source), Some(target)) = (end("source"), end("target")) else {
            self.error(element, "the transition has no source or no target");
            return None;
        };
        let (source, _) = self.node(source, source.attribute("ref"), names)?;
        let (target, _) = self.node(target, target.attribute("ref"), names)?;
        if element.attribute("controllable") == Some("false") {
            let message = "an edge that cannot be controlled is read as any other";
            self.diagnostics.push(Diagnostic::warning(self.tag(element), message));
        }
        let mut edge = Edge {
            source,
            target,
            select: Vec::new(),
            guard: None,
            sync: None,
            update: Vec::new(),
            probability: None,
            span: self.tag(element),
        };
        for label in element.children().filter(|child| child.has_tag_name("label") && !is_blank(*child)) {
            let owner = Some(template);
            match label.attribute("kind").unwrap_or("") {
                "select" => {
                    let select = self.parse(label, owner, "select", |parser| parser.select_label());
                    edge.select.extend(select.unwrap_or_default());
                }
                "guard" => {
                    edge.guard = self.parse(label, owner, "guard", |parser| parser.condition_label("a guard"));
                }
                "synchronisation" => {
                    edge.sync = self.parse(label, owner, "synchronisation", |parser| parser.sync_label());
                }
                "assignment" => {
                    let update = self.parse(label, owner, "assignment", |parser| parser.update_label());
                    edge.update.extend(update.unwrap_or_default());
                }
                "probability" => edge.probability = Some(self.tag(label)),
                _ => {}
            }
        }
        Some(edge)
    }

    /// The text of an element as a name.
    fn name(&mut self, element: Node<'_, '_>, template: Option<&Name>) -> Ident {
        let contents = self.contents(element, template, "name");
        let trimmed = contents.text.trim();
        let start = contents.text.find(trimmed).unwrap_or(0);
        let span = contents.fragment(self.file).span(start, start + trimmed.len());
        let mut characters = trimmed.chars();
        let starts_well = characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        if !starts_well || !characters.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$' || c == '#') {
            self.diagnostics.push(Diagnostic::error(span, format!("`{trimmed}` is not a name")));
        }
        Ident { name: trimmed.into(), span }
    }

    /// Parses the whole text of an element; `None` after an error.
    fn parse<T>(
        &mut self,
        element: Node<'_, '_>,
        template: Option<&Name>,
        kind: &str,
        parse: impl FnOnce(&mut Parser<'_>) -> Parsed<T>,
    ) -> Option<T> {
        let contents = self.contents(element, template, kind);
        let fragment = contents.fragment(self.file);
        let tokens = lex(&fragment, Language::Model);
        let mut parser = Parser::new(tokens, self.diagnostics);
        parse(&mut parser).and_then(|parsed| parser.expect_end("the label").map(|()| parsed)).ok()
    }

    /// The text of an element, and its region in the file.
    fn contents(&mut self, element: Node<'_, '_>, template: Option<&Name>, kind: &str) -> Contents {
        let contents = Contents::of(element, self.text);
        if let (Some(&start), Some(&end)) = (contents.offsets.first(), contents.offsets.last()) {
            self.sources.add_region(self.file, Region { start, end, template: template.cloned(), kind: kind.into() });
        }
        contents
    }

    /// The start tag of an element.
    fn tag(&self, element: Node<'_, '_>) -> Span {
        let range = element.range();
        let text = self.text.get(range.clone()).unwrap_or("");
        let length = start_tag_length(text).unwrap_or(range.len());
        Span { file: self.file, start: range.start as u32, end: (range.start + length) as u32 }
    }
}

/// Whether an element has no text.
fn is_blank(element: Node<'_, '_>) -> bool {
    element.descendants().filter(Node::is_text).all(|text| text.text().is_none_or(|text| text.trim().is_empty()))
}

/// The length of the tag that a text begins with. A `>` in quotes does not end it.
fn start_tag_length(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            (None, b'>') => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The decoded text of an element, with the byte of the file for each of its bytes.
struct Contents {
    text: String,
    /// One more than the text has bytes: the last is the end.
    offsets: Vec<u32>,
}

impl Contents {
    fn of(element: Node<'_, '_>, file: &str) -> Contents {
        let range = element.range();
        let decoded: String = element.descendants().filter(Node::is_text).filter_map(|text| text.text()).collect();
        let raw = file.get(range.clone()).unwrap_or("");
        let inner = start_tag_length(raw).unwrap_or(raw.len())..raw.rfind("</").unwrap_or(raw.len());
        let contents = Contents::decode(raw.get(inner.clone()).unwrap_or(""), range.start + inner.start);
        if contents.text == decoded {
            return contents;
        }
        // Entities that the file itself defines are decoded by the XML reader only: every place is the element.
        let offsets = vec![range.start as u32; decoded.len() + 1];
        Contents { text: decoded, offsets }
    }

    /// Decodes what can be inside an element, from byte `start` of the file on.
    fn decode(raw: &str, start: usize) -> Contents {
        let mut contents = Contents { text: String::new(), offsets: Vec::new() };
        let mut at = 0;
        while at < raw.len() {
            let rest = &raw[at..];
            if let Some(data) = rest.strip_prefix("<![CDATA[") {
                let length = data.find("]]>").unwrap_or(data.len());
                contents.push_text(&data[..length], start + at + "<![CDATA[".len());
                at += "<![CDATA[".len() + length + "]]>".len();
            } else if rest.starts_with("<!--") {
                at += rest.find("-->").map_or(rest.len(), |end| end + "-->".len());
            } else if rest.starts_with('<') {
                at += start_tag_length(rest).unwrap_or(rest.len());
            } else if let Some((character, length)) = entity(rest) {
                contents.push(character, start + at);
                at += length;
            } else {
                let mark = rest.char_indices().skip(1).find(|(_, character)| matches!(character, '<' | '&'));
                let length = mark.map_or(rest.len(), |(at, _)| at);
                contents.push_text(&rest[..length], start + at);
                at += length;
            }
        }
        contents.offsets.push((start + raw.len()) as u32);
        contents
    }

    /// Adds plain text; line ends are normalised as XML demands.
    fn push_text(&mut self, text: &str, start: usize) {
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            if character != '\r' {
                self.push(character, start + at);
            } else if characters.peek().is_none_or(|(_, next)| *next != '\n') {
                self.push('\n', start + at);
            }
        }
    }

    fn push(&mut self, character: char, at: usize) {
        self.text.push(character);
        self.offsets.resize(self.text.len(), at as u32);
    }

    fn fragment(&self, file: FileId) -> Fragment<'_> {
        Fragment { file, text: &self.text, offsets: Some(&self.offsets) }
    }
}

/// The character of an entity that the text begins with, and the length of the entity.
fn entity(text: &str) -> Option<(char, usize)> {
    let body = text.strip_prefix('&')?;
    let name = &body[..body.find(';')?];
    let character = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    };
    Some((character, name.len() + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_decoded_with_its_places() {
        let contents = Contents::decode("a &lt;= <![CDATA[b<c]]>\r\n&#100;<!-- e -->f", 10);
        assert_eq!(contents.text, "a <= b<c\ndf");
        assert_eq!(contents.offsets, [10, 11, 12, 16, 17, 27, 28, 29, 34, 35, 51, 52]);
    }

    #[test]
    fn a_quoted_bracket_does_not_end_a_tag() {
        assert_eq!(start_tag_length("<label kind=\"a>b\">x</label>"), Some(18));
        assert_eq!(start_tag_length("<label"), None);
    }

    #[test]
    fn a_position_becomes_a_byte() {
        assert_eq!(offset_of("ab\nä c", 2, 2), 5);
        assert_eq!(offset_of("ab", 9, 9), 2);
    }
}
