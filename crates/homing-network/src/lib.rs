//! UPPAAL's networks of automata without clocks: `.xta` and `.xml` files, queries, generators.
//!
//! [`read`] reads a file into a [`Network`]: names resolved, types checked, constants evaluated,
//! processes instantiated. The [`explorer`] visits all of its states by a walk over its trees; it is slow, and it is what
//! faster engines are compared with. The modules [`generate`] and [`random_networks`] make networks.
//!
//! ```
//! use homing_network::{Format, Input, explorer, read};
//!
//! let text = "chan c; process P() { state A, B; init A; trans A -> B { sync c!; }; }
//!             process Q() { state A, B; init A; trans A -> B { sync c?; }; } system P, Q;";
//! let reading = read(&Input::new("m.xta", text, Format::Xta).query("E<> P.B and Q.B"));
//! let network = reading.network.expect("no errors");
//! let found = explorer::explore(&network, explorer::Limits::default());
//! assert_eq!((found.states, found.transitions, found.queries[0].length), (2, 1, Some(1)));
//! ```

#![warn(missing_docs)]

#[allow(missing_docs, reason = "the grammar, member by member")]
pub(crate) mod ast;
pub mod diagnostic;
mod evaluate;
pub mod explorer;
pub mod generate;
#[allow(missing_docs, reason = "internal")]
mod lexer;
#[allow(missing_docs, reason = "internal but for the result")]
mod lower;
pub mod network;
#[allow(missing_docs, reason = "internal")]
mod parse;
pub mod random_networks;
mod resolve;
pub mod source;
#[allow(missing_docs, reason = "internal")]
mod token;
mod xml;

pub use ast::Refusal;
pub use evaluate::{MOST_ROUNDS, RuntimeError, RuntimeErrorKind};
pub use lower::{Lowered, LoweredQuery};

use std::thread;

use ast::Document;
use diagnostic::{Diagnostic, Diagnostics};
use lexer::{Fragment, Language, lex};
use network::Network;
use parse::{Parser, Separation};
use source::{FileId, SourceMap};

/// The two formats of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text.
    Xta,
    /// Text in XML, with a drawing.
    Xml,
}

/// A model, with what is asked about it.
#[derive(Clone, Debug)]
pub struct Input {
    /// Shown in messages.
    pub name: String,
    /// The contents of the file.
    pub text: String,
    /// The format of the text.
    pub format: Format,
    /// Names and contents of files or strings with queries. If there are any, the queries in the model are not read.
    pub queries: Vec<(String, String)>,
    /// A faulty query is an error of the model. Otherwise it is [refused](Reading::refused) alone.
    pub strict: bool,
}

impl Input {
    /// A model with the queries in it.
    pub fn new(name: impl Into<String>, text: impl Into<String>, format: Format) -> Self {
        Input { name: name.into(), text: text.into(), format, queries: Vec::new(), strict: false }
    }

    /// Adds the text of a query, which must be right.
    pub fn query(mut self, text: impl Into<String>) -> Self {
        self.strict = true;
        self.queries.push(("query".to_owned(), text.into()));
        self
    }

    /// Adds a file with queries.
    pub fn query_file(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.queries.push((name.into(), text.into()));
        self
    }
}

/// The result of reading a model.
#[derive(Debug)]
pub struct Reading {
    /// The texts that messages refer to.
    pub sources: SourceMap,
    /// Errors and warnings.
    pub diagnostics: Diagnostics,
    /// `None` if there were errors.
    pub network: Option<Network>,
    /// The queries that are faulty or not supported.
    pub refused: Vec<RefusedQuery>,
    /// A faulty query is an error of the model.
    strict: bool,
}

/// A query that is faulty or not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedQuery {
    /// Which of the queries of the model it is, from 1 on.
    pub number: u32,
    /// As written, on one line.
    pub text: String,
    /// The name of the file that it is in.
    pub file: String,
    /// Its line in the file.
    pub line: u32,
    /// Which of the two.
    pub refusal: Refusal,
    /// Why, in one sentence without a full stop.
    pub reason: String,
}

impl RefusedQuery {
    fn of(refused: &ast::RefusedQuery, sources: &SourceMap) -> Self {
        let &ast::RefusedQuery { number, span, refusal, ref reason } = refused;
        let place = sources.place(span);
        RefusedQuery {
            number,
            text: source::on_one_line(sources.text(span)),
            file: place.file.to_owned(),
            line: place.line,
            refusal,
            reason: reason.clone(),
        }
    }
}

/// The stack size: enough for a model nested as deep as the parser admits, without optimisation. Unused stack takes no
/// memory.
const STACK: usize = 64 << 20;

/// Reads a model. It can be nested too deep for the stack of a usual thread, so this starts one of its own.
pub fn read(input: &Input) -> Reading {
    with_stack(|| read_here(input)).unwrap_or_else(|diagnostic| {
        let mut diagnostics = Diagnostics::default();
        diagnostics.push(diagnostic);
        Reading { sources: SourceMap::default(), diagnostics, network: None, refused: Vec::new(), strict: false }
    })
}

impl Reading {
    /// The network in the intermediate form. `None` if there were errors, among them those of lowering: the expansion of a label can
    /// be too large.
    pub fn lower(&mut self) -> Option<Lowered> {
        let Reading { sources, diagnostics, network, refused, strict } = self;
        let network = network.as_ref()?;
        match with_stack(|| lower::lower(network, *strict, sources, diagnostics)) {
            Ok(lowered) => {
                let too_large = lowered.iter().flat_map(|lowered| &lowered.refused);
                refused.extend(too_large.map(|one| RefusedQuery::of(one, sources)));
                lowered
            }
            Err(diagnostic) => {
                self.diagnostics.push(diagnostic);
                None
            }
        }
    }
}

/// Runs something on a stack that is large enough for a model nested as deep as the parser admits.
fn with_stack<T: Send>(run: impl FnOnce() -> T + Send) -> Result<T, Diagnostic> {
    thread::scope(|scope| match thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run) {
        Ok(running) => Ok(running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))),
        Err(error) => Err(Diagnostic::global(format!("cannot start a thread to read the model: {error}"))),
    })
}

/// Runs the stages, each over the whole model. Names are resolved only if there was no error before: messages about an
/// incomplete model would not help.
fn read_here(input: &Input) -> Reading {
    let mut sources = SourceMap::default();
    let mut diagnostics = Diagnostics::default();
    let main = sources.add_file(input.name.clone(), input.text.clone());
    diagnostics.begin("syntax");
    let mut document = match input.format {
        Format::Xta => {
            let mut document = Document::default();
            Parser::new(tokens(main, &sources, Language::Model), &mut diagnostics).document(&mut document);
            document
        }
        Format::Xml => xml::read(main, &mut sources, &mut diagnostics),
    };
    if !input.queries.is_empty() {
        document.queries.clear();
        document.refused.clear();
    }
    for (name, text) in &input.queries {
        let file = sources.add_file(name.clone(), text.clone());
        let tokens = tokens(file, &sources, Language::Query);
        Parser::new(tokens, &mut diagnostics).queries(&mut document, Separation::Lines, input.strict);
    }
    let mut network = None;
    let mut refused = std::mem::take(&mut document.refused);
    if diagnostics.has_errors() {
        // names are not resolved, but what cannot be supported in any case is named at once
        for span in document.clocks() {
            diagnostics.push(Diagnostic::unsupported(span, "clocks"));
        }
    } else {
        diagnostics.begin("semantics");
        network = resolve::resolve(&document, input.strict, &sources, &mut diagnostics, &mut refused);
    }
    diagnostics.sort();
    let refused = refused.iter().map(|one| RefusedQuery::of(one, &sources)).collect();
    Reading { sources, diagnostics, network, refused, strict: input.strict }
}

/// The tokens of a whole file.
fn tokens(file: FileId, sources: &SourceMap, language: Language) -> Vec<token::Token> {
    lex(&Fragment { file, text: &sources.file(file).text, offsets: None }, language)
}
