//! The preprocessor: what `gcc -std=gnu99 -E -x c` and SPIN's own lexer do to a model before SPIN parses it, in one
//! pass and without either of them.
//!
//! Tokens are pulled: the output asks for the next expanded token (`expand`), which asks the file for the next token
//! (`reader`), which executes the directives before it (`directives`, `conditional`, `include`). The state in between
//! is an explicit stack, so that no model can overflow the call stack; calls in arguments of calls are the exception,
//! and bounded.
//!
//! Known differences from gcc: `0..N` expands `N` (in C that is one number); of gcc's own macros only `__STDC__`,
//! `__STDC_VERSION__`, `__LINE__`, `__FILE__` and `__COUNTER__` are defined (`linux` and `unix` can be names); `#line`
//! does not change places in messages.

mod condition;
mod conditional;
mod directives;
mod expand;
mod include;
mod lexer;
mod macros;
mod output;
mod reader;
mod substitute;
mod symbol;
mod text;

use std::cell::Cell;
use std::path::PathBuf;
use std::rc::Rc;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{ExpansionId, FileId, SourceMap, Span};
use crate::token::{Token, TokenKind};
use expand::Context;
use include::IncludedFiles;
use macros::{Form, Macro, MacroTable};
use output::Output;
use reader::Reader;
use symbol::{Symbol, Symbols};
use text::CleanText;

/// The greatest number of tokens of a model. At 48 bytes each they take less than a gigabyte.
const MOST_TOKENS: usize = 1 << 24;

/// The greatest amount of work for macros: calls, plus tokens read as arguments, plus tokens produced, also those
/// dropped in a later step. Each takes at most 48 bytes, so this too is less than a gigabyte.
const MOST_EXPANSION_WORK: usize = 1 << 24;

/// The greatest nesting depth of macro calls in arguments of macro calls. A level takes up to 5 kilobytes of stack,
/// without optimisation.
const MOST_NESTED_CALLS: usize = 200;

/// The name of the file that the `-D` options make.
const COMMAND_LINE: &str = "<command line>";

/// What the command line adds to a model.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `-D NAME[=VALUE]`, in order.
    pub defines: Vec<(String, Option<String>)>,
    /// `-I DIR`, searched in order after the folder of the including file.
    pub include_dirs: Vec<PathBuf>,
    /// Conditions and formulas that are read with the model: a macro of `defines` that they name is not reported as unread.
    pub other_texts: Vec<String>,
}

/// Turns the file `main` into tokens, ending with [`crate::token::TokenKind::End`]. Errors go to `diagnostics`; the
/// tokens can still be parsed for further errors.
pub fn preprocess(
    main: FileId,
    options: &Options,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Vec<Token> {
    let length = sources.file(main).text.len();
    let at_end = length.min(u32::MAX as usize) as u32;
    let end = Span { file: main, start: at_end, end: at_end, via: ExpansionId::NONE };
    let mut preprocessor = Preprocessor::new(options, sources, diagnostics);
    if length < u32::MAX as usize {
        preprocessor.open_main(main);
        preprocessor.define_from_command_line();
    } else {
        preprocessor.report(Diagnostic::global("the model is longer than 4 gigabytes"));
    }
    while let Some(token) = preprocessor.next_expanded() {
        preprocessor.emit(token);
    }
    preprocessor.report_unread();
    let mut tokens = preprocessor.output.tokens;
    tokens.push(Token { kind: TokenKind::End, span: end, newline_before: true });
    tokens
}

struct Preprocessor<'a> {
    options: &'a Options,
    sources: &'a mut SourceMap,
    diagnostics: &'a mut Diagnostics,
    stopped: bool,
    symbols: Symbols,
    macros: MacroTable,
    /// The files being read, the innermost include last.
    readers: Vec<Reader>,
    included: IncludedFiles,
    /// The expansions being read, the innermost last.
    contexts: Vec<Context>,
    /// Whether a blank was before an expansion that was empty, so that it is before the next token now.
    pending_space: bool,
    /// The last macro call in a file, and the number of tokens produced before it.
    outermost_call: Option<(Symbol, Span, usize)>,
    expansion_work: usize,
    nested_calls: usize,
    /// The next value of `__COUNTER__`.
    counter: u32,
    output: Output,
}

/// A limit of macro expansion.
enum Limit {
    Work,
    NestedCalls,
}

impl<'a> Preprocessor<'a> {
    fn new(options: &'a Options, sources: &'a mut SourceMap, diagnostics: &'a mut Diagnostics) -> Self {
        let mut symbols = Symbols::new();
        let mut macros = MacroTable::default();
        for (name, form) in [("__LINE__", Form::Line), ("__FILE__", Form::File), ("__COUNTER__", Form::Counter)] {
            let name = symbols.intern(name);
            let (disabled, read) = (Cell::new(false), Cell::new(false));
            macros.define(Macro { name, defined_at: None, form, body: Vec::new(), disabled, read });
        }
        for (name, value) in [("__STDC__", "1"), ("__STDC_VERSION__", "199901L")] {
            let (name, value) = (symbols.intern(name), symbols.intern(value));
            macros.define(Macro::constant(name, value));
        }
        Preprocessor {
            options,
            sources,
            diagnostics,
            stopped: false,
            symbols,
            macros,
            readers: Vec::new(),
            included: IncludedFiles::default(),
            contexts: Vec::new(),
            pending_space: false,
            outermost_call: None,
            expansion_work: 0,
            nested_calls: 0,
            counter: 0,
            output: Output::default(),
        }
    }

    fn open_main(&mut self, main: FileId) {
        let text = Rc::new(CleanText::new(&self.sources.file(main).text));
        self.readers.push(Reader::new(main, text, None));
    }

    /// Makes a file of the `-D` options and reads it before the model, so that errors in them have a place too.
    fn define_from_command_line(&mut self) {
        if self.options.defines.is_empty() {
            return;
        }
        let mut text = String::new();
        for (name, value) in &self.options.defines {
            let value = value.as_deref().unwrap_or("1").replace(['\n', '\r'], " ");
            text.push_str(&format!("#define {} {value}\n", name.replace(['\n', '\r'], " ")));
        }
        let clean = Rc::new(CleanText::new(&text));
        let file = self.sources.add_file(COMMAND_LINE.to_owned(), text);
        self.readers.push(Reader::new(file, clean, None));
    }

    /// Warns of the `-D` options that the model does not read: most are misspelt.
    fn report_unread(&mut self) {
        if self.stopped || self.options.defines.is_empty() {
            return;
        }
        let unread: Vec<Rc<Macro>> = self.macros.all().filter(|known| !known.read.get()).map(Rc::clone).collect();
        unread.iter().for_each(|unread| self.report_if_unread(unread));
    }

    /// Warns if a macro of the command line was not read.
    fn report_if_unread(&mut self, known: &Macro) {
        let Some(place) = known.defined_at.filter(|_| !known.read.get()) else { return };
        let name = self.symbols.text(known.name);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let named = self.options.other_texts.iter().any(|text| text.split(|c| !is_name(c)).any(|word| word == &**name));
        if named || self.sources.file(place.file).name != COMMAND_LINE {
            return;
        }
        let warning = Diagnostic::warning(place, format!("the model never uses the macro `{name}`, which -D defines"))
            .code("unread-define");
        let macros = self.macros.all().filter(|other| other.defined_at.is_some_and(|at| at.file != place.file));
        let near = crate::spelling::nearest(name, macros.map(|other| &**self.symbols.text(other.name)));
        self.report(match near {
            Some(near) => warning.help(format!("did you mean `{near}`?")),
            None => warning,
        });
    }

    /// Reports a diagnostic. Once there are too many errors, reading stops.
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
        if self.diagnostics.is_full() {
            self.stop();
        }
    }

    /// Stops reading: everywhere, the next token is the end.
    fn stop(&mut self) {
        self.stopped = true;
        self.readers.clear();
        self.contexts.clear();
    }

    fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Accounts for work done by macros; returns `false` once it is too much and reading has been stopped.
    fn charge(&mut self, work: usize) -> bool {
        self.expansion_work = self.expansion_work.saturating_add(work);
        if self.expansion_work > MOST_EXPANSION_WORK && !self.stopped {
            self.stop_expansion(Limit::Work);
        }
        !self.stopped
    }

    /// Accounts for a token whose text a macro has produced: names and strings can double in length, too.
    fn charge_text(&mut self, length: usize) -> bool {
        self.charge(1 + length / 16)
    }

    /// Stops reading because of a macro, and removes the tokens it has produced.
    fn stop_expansion(&mut self, limit: Limit) {
        if let Some((name, span, tokens_before)) = self.outermost_call {
            let text = self.symbols.text(name);
            let error = match limit {
                Limit::Work => {
                    Diagnostic::error(span, format!("expanding the macro `{text}` makes the model too large"))
                        .label(format!("more than {} million tokens out of macros", MOST_EXPANSION_WORK >> 20))
                        .help("look for macros that use each other more than once: their expansion doubles each time")
                }
                Limit::NestedCalls => Diagnostic::error(span, format!("calls of the macro `{text}` nest too deep"))
                    .label(format!("more than {MOST_NESTED_CALLS} calls inside each other's arguments")),
            };
            let defined_at = self.macros.get(name).and_then(|called| called.defined_at);
            self.report(match defined_at {
                Some(place) => error.note(place, "the macro is defined here"),
                None => error,
            });
            self.output.tokens.truncate(tokens_before);
        }
        self.stop();
    }
}
