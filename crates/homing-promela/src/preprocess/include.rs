//! `#include`: finding, reading and bounding the files it names.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::Preprocessor;
use super::lexer::{Kind, PpToken, spell};
use super::reader::{ReadFor, Reader};
use super::text::CleanText;
use crate::diagnostic::{Diagnostic, Note};
use crate::source::{FileId, Span, decoded};
use crate::token::Punct;

/// The greatest depth of files that include files; gcc's limit.
const MOST_INCLUDES_DEEP: usize = 200;

/// The greatest amount of included text in bytes, with [`COST_OF_INCLUDE`] bytes more for each include: files that
/// include each other twice grow as fast as macros do.
const MOST_INCLUDED_BYTES: u64 = 1 << 28;
const COST_OF_INCLUDE: u64 = 1 << 12;

/// The number of links of a chain of includes that are shown.
const MOST_LINKS_SHOWN: usize = 10;

/// The files that were included, by their full path: one that is included again is not read again.
#[derive(Default)]
pub(super) struct IncludedFiles {
    files: HashMap<PathBuf, IncludedFile>,
    bytes: u64,
}

#[derive(Clone)]
struct IncludedFile {
    id: FileId,
    text: Rc<CleanText>,
    /// Whether it contains `#pragma once`.
    once: bool,
}

impl IncludedFiles {
    pub fn read_once(&mut self, id: FileId) {
        for file in self.files.values_mut().filter(|file| file.id == id) {
            file.once = true;
        }
    }
}

/// The file that a directive names.
struct Target {
    name: String,
    span: Span,
    /// `<f>`: not searched for in the folder of the including file.
    in_angles: bool,
}

impl Preprocessor<'_> {
    /// `#include`
    pub(super) fn include(&mut self, directive: Span, purpose: ReadFor) {
        let target = match self.include_target(directive) {
            Ok(target) => target,
            Err(error) => return self.report(error),
        };
        if purpose == ReadFor::Arguments {
            return self.report(
                Diagnostic::error(directive, "`#include` inside the arguments of a macro call")
                    .help("include the file before the call"),
            );
        }
        let folders = self.folders(&target);
        let found = folders.iter().map(|folder| folder.join(&target.name)).find(|path| is_file_like(path));
        let Some(path) = found else {
            return self.report(not_found(&target, &folders));
        };
        let key = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        if self.readers.len() > MOST_INCLUDES_DEEP {
            let known = self.included.files.get(&key).map(|file| file.id);
            return self.stop_at_depth(&target, known);
        }
        let file = match self.included.files.get(&key) {
            Some(known) if known.once => return,
            Some(known) => known.clone(),
            None => match self.load(&path, &target) {
                Ok(file) => {
                    self.included.files.insert(key, file.clone());
                    file
                }
                Err(error) => return self.report(error),
            },
        };
        self.included.bytes += file.text.text().len() as u64 + COST_OF_INCLUDE;
        if self.included.bytes > MOST_INCLUDED_BYTES {
            let error = Diagnostic::error(target.span, "the model includes too much text")
                .label(format!("more than {} megabytes with this file", MOST_INCLUDED_BYTES >> 20))
                .help("look for files that are included more than once by files that are, too: they double each time");
            self.report(error);
            return self.stop();
        }
        self.readers.push(Reader::new(file.id, file.text, Some(directive.to(target.span))));
    }

    /// Reads the rest of the line for the name of the file, which may be the expansion of a macro.
    fn include_target(&mut self, directive: Span) -> Result<Target, Diagnostic> {
        if let Some((name, span)) = self.readers.last_mut().and_then(|reader| reader.lexer.angle_quoted()) {
            self.rest_of_line();
            return non_empty(Target { name, span, in_angles: true });
        }
        let mut line = self.rest_of_line();
        if let Some(PpToken { kind: Kind::Name(_), .. }) = line.first() {
            line = self.expand_list(line).tokens;
        }
        let span = line.first().map_or(directive, |first| first.span);
        match line.as_slice() {
            [PpToken { kind: Kind::Str(string), .. }, ..] => {
                let name = self.symbols.text(*string).trim_matches('"').to_owned();
                non_empty(Target { name, span, in_angles: false })
            }
            [open, inside @ .., close] if open.is(Punct::Less) && close.is(Punct::Greater) => {
                let mut name = String::new();
                for token in inside {
                    name.push_str(if token.space && !name.is_empty() { " " } else { "" });
                    spell(token.kind, &self.symbols, &mut name);
                }
                non_empty(Target { name, span, in_angles: true })
            }
            _ => Err(Diagnostic::error(span, "`#include` wants the name of a file")
                .help("write `#include \"file\"`, or `#include <file>` to look only in the folders of `-I`")),
        }
    }

    /// The paths to try for the file, in order.
    fn folders(&self, target: &Target) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        if !target.in_angles
            && let Some(reader) = self.readers.last()
        {
            let including = Path::new(&self.sources.file(reader.file).name);
            folders.push(including.parent().unwrap_or(Path::new("")).to_owned());
        }
        folders.extend(self.options.include_dirs.iter().cloned());
        folders
    }

    fn load(&mut self, path: &Path, target: &Target) -> Result<IncludedFile, Diagnostic> {
        let name = path.display().to_string();
        let bytes = read_bounded(path).map_err(|error| {
            Diagnostic::error(target.span, format!("cannot read `{name}`")).label(error.to_string())
        })?;
        let text = decoded(bytes);
        if let Some(offset) = text.bytes().position(|byte| byte == 0) {
            return Err(not_text(&name, target.span, "a NUL", offset));
        }
        let clean = Rc::new(CleanText::new(&text));
        Ok(IncludedFile { id: self.sources.add_file(name, text), text: clean, once: false })
    }

    /// Reports includes that are nested too deep, most likely because a file includes itself.
    fn stop_at_depth(&mut self, target: &Target, known: Option<FileId>) {
        let name = &target.name;
        let outer = known.and_then(|id| self.readers.iter().rposition(|reader| reader.file == id));
        let mut error = match outer {
            Some(_) => Diagnostic::error(target.span, format!("`{name}` includes itself without end"))
                .help("guard the file with `#ifndef NAME`, `#define NAME` and `#endif`, or `#pragma once`"),
            None => Diagnostic::error(target.span, "includes nest too deep"),
        };
        error = error.label(format!("more than {MOST_INCLUDES_DEEP} files deep"));
        let first = outer.map_or(0, |outer| outer + 1);
        let chain: Vec<(Span, FileId)> =
            self.readers[first..].iter().filter_map(|reader| Some((reader.included_at?, reader.file))).collect();
        for (span, file) in chain.iter().rev().take(MOST_LINKS_SHOWN) {
            error = error.note(*span, format!("`{}` is included here", self.sources.file(*file).name));
        }
        if let Some(left) = chain.len().checked_sub(MOST_LINKS_SHOWN + 1) {
            error.notes.push(Note { span: None, text: format!("and so on, {} times more", left + 1) });
        }
        self.report(error);
        self.stop();
    }
}

fn non_empty(target: Target) -> Result<Target, Diagnostic> {
    if target.name.is_empty() {
        return Err(Diagnostic::error(target.span, "`#include` with an empty file name"));
    }
    Ok(target)
}

fn is_file_like(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_dir())
}

/// Reads a regular file that is not too long. Devices and pipes may never end.
fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a plain file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_INCLUDED_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_INCLUDED_BYTES {
        return Err(io::Error::other(format!("it is longer than {} megabytes", MOST_INCLUDED_BYTES >> 20)));
    }
    Ok(bytes)
}

fn not_text(name: &str, span: Span, what: &str, offset: usize) -> Diagnostic {
    Diagnostic::error(span, format!("`{name}` is not a text file"))
        .label(format!("the byte at offset {offset} is {what}"))
}

fn not_found(target: &Target, folders: &[PathBuf]) -> Diagnostic {
    let error = Diagnostic::error(target.span, format!("there is no file `{}` to include", target.name));
    if Path::new(&target.name).is_absolute() {
        return error;
    }
    let shown = |folder: &PathBuf| match folder.display().to_string() {
        name if name.is_empty() => "`.`".to_owned(),
        name => format!("`{name}`"),
    };
    let searched: Vec<String> = folders.iter().map(shown).collect();
    if searched.is_empty() {
        return error.help("`<...>` is looked for only in the folders given with `-I`, and there are none");
    }
    error.help(format!("searched in {}; add folders with `-I`", searched.join(", ")))
}
