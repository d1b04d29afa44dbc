//! Promela: preprocess, lex, parse, resolve, diagnose, lower to the intermediate form.

pub mod ast;
pub mod diagnostic;
mod lower;
pub mod parse;
pub mod preprocess;
pub mod print;
pub mod source;
mod spelling;
pub mod token;

use diagnostic::Diagnostics;
use homing_ir::Model;
use preprocess::Options;
use source::SourceMap;

/// What became of a model text.
#[derive(Debug)]
pub struct Reading {
    pub sources: SourceMap,
    pub diagnostics: Diagnostics,
    /// None if there were errors.
    pub model: Option<Model>,
}

/// Reads a model: `name` is shown in messages and is where relative includes start from.
pub fn read(name: &str, text: String, options: &Options) -> Reading {
    let mut sources = SourceMap::default();
    let mut diagnostics = Diagnostics::default();
    let main = sources.add_file(name.to_owned(), text);
    let tokens = preprocess::preprocess(main, options, &mut sources, &mut diagnostics);
    let program = parse::parse(tokens, &mut sources, &mut diagnostics);
    let model = if diagnostics.has_errors() { None } else { lower::lower(&program, &sources, &mut diagnostics) };
    Reading { sources, diagnostics, model }
}
