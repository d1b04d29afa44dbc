//! Directives: the lines that start with `#`.

use super::lexer::{Kind, PpToken};
use super::macros::{Macro, macro_name};
use super::reader::ReadFor;
use super::{COMMAND_LINE, Preprocessor};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// All directives.
const DIRECTIVES: [&str; 14] = [
    "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "warning", "line",
    "pragma", "ident",
];

const NO_COMMENT: &str =
    "a comment is written `/* … */` or `// …`; directives are `#define`, `#include`, `#if` and the like";

impl Preprocessor<'_> {
    /// Reads a directive, from after its `#` to the end of its line, and executes it.
    pub(super) fn obey_directive(&mut self, hash: PpToken, purpose: ReadFor) {
        let Some(token) = self.next_on_line() else { return }; // a `#` alone is fine
        let at = hash.span.to(token.span);
        let Kind::Name(name) = token.kind else {
            // `# 12 "file"` is a line marker of another preprocessor
            if !matches!(token.kind, Kind::Number(_)) && !self.is_skipping() {
                self.report(Diagnostic::error(at, "expected the name of a directive after `#`").help(NO_COMMENT));
            }
            self.rest_of_line();
            return;
        };
        let name = self.symbols.text(name).clone();
        match &*name {
            "if" | "ifdef" | "ifndef" => self.open_conditional(&name, at),
            "elif" => self.next_condition(at),
            "else" => self.otherwise(at),
            "endif" => self.close_conditional(at),
            _ if self.is_skipping() => {}
            "define" => self.define(at),
            "undef" => self.undefine(at),
            "include" => return self.include(at, purpose), // the next line is that of another file
            "error" => {
                let message = self.message("#error");
                self.report(Diagnostic::error(at, message));
            }
            "warning" => {
                let message = self.message("#warning");
                self.report(Diagnostic::warning(at, message));
            }
            "pragma" => self.pragma(),
            "line" | "ident" | "sccs" => {}
            unknown => {
                let error = Diagnostic::error(at, format!("`#{unknown}` is not a directive"));
                self.report(match crate::spelling::nearest(unknown, DIRECTIVES.iter().copied()) {
                    Some(known) => error.help(format!("did you mean `#{known}`?")),
                    None => error.help(NO_COMMENT),
                });
            }
        }
        while self.next_on_line().is_some() {} // the rest that the directive did not read
    }

    fn define(&mut self, at: Span) {
        let line = self.rest_of_line();
        let definition = match Macro::parse(&line, at, &self.symbols) {
            Ok(definition) => definition,
            Err(error) => return self.report(error),
        };
        let old = self.macros.get(definition.name).filter(|old| !old.same_as(&definition));
        if let Some(old) = old {
            let name = self.symbols.text(definition.name);
            let warning = Diagnostic::warning(line[0].span, format!("the macro `{name}` is defined a second time"))
                .code("redefined-macro");
            let warning = match old.defined_at {
                Some(place) => warning.note(place, "it was first defined here, with another meaning"),
                None => warning.label("it is built in, with another meaning"),
            };
            let is_option = old.defined_at.is_some_and(|at| self.sources.file(at.file).name == COMMAND_LINE);
            self.report(warning.help(match is_option {
                true => format!("put it between `#ifndef {name}` and `#endif`, so that -D is used"),
                false => format!("write `#undef {name}` first if this is meant"),
            }));
        }
        self.macros.define(definition);
    }

    fn undefine(&mut self, at: Span) {
        let token = self.next_on_line();
        match macro_name(token.as_ref(), "undef", at) {
            Ok(name) => {
                if let Some(removed) = self.macros.undefine(name) {
                    self.report_if_unread(&removed);
                }
                self.expect_line_end("undef");
            }
            Err(error) => self.report(error),
        }
    }

    /// `#pragma`: only `once` has a meaning here.
    fn pragma(&mut self) {
        let token = self.next_on_line();
        if let Some(PpToken { kind: Kind::Name(name), .. }) = token
            && &**self.symbols.text(name) == "once"
            && let Some(reader) = self.readers.last()
        {
            self.included.read_once(reader.file);
        }
    }

    /// The rest of the line as it is written.
    fn message(&mut self, directive: &str) -> String {
        let line = self.rest_of_line();
        match (line.first(), line.last()) {
            (Some(first), Some(last)) => format!("{directive} {}", self.sources.text(first.span.to(last.span))),
            _ => directive.to_owned(),
        }
    }

    /// Warns of text on the line after a complete directive.
    pub(super) fn expect_line_end(&mut self, directive: &str) {
        if let Some(extra) = self.next_on_line() {
            self.rest_of_line();
            if !self.is_skipping() {
                self.report(
                    Diagnostic::warning(extra.span, format!("`#{directive}` takes nothing more on its line"))
                        .label("this is ignored"),
                );
            }
        }
    }
}
