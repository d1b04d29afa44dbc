//! Promela: preprocess, lex, parse, resolve, diagnose, lower to the intermediate form.

pub mod ast;
mod condition;
pub mod diagnostic;
mod lower;
pub mod parse;
pub mod preprocess;
pub mod print;
pub mod source;
mod spelling;
pub mod token;

pub use lower::RefusedFormula;

pub use condition::{ConditionError, FormulaError, read_condition, read_formula};

use std::thread;

use diagnostic::{Diagnostic, Diagnostics};
use homing_ir::Model;
use preprocess::Options;
use source::SourceMap;

/// The result of reading a model text.
#[derive(Debug)]
pub struct Reading {
    pub sources: SourceMap,
    pub diagnostics: Diagnostics,
    /// `None` if there were errors.
    pub model: Option<Model>,
    /// The `ltl` blocks that cannot be decided. Their errors are not among the diagnostics.
    pub refused: Vec<RefusedFormula>,
    /// The model mentions `_nr_pr`.
    pub counts_processes: bool,
}

/// The stack size: enough for a model nested as deep as the parser admits, without optimisation. Unused stack takes no
/// memory.
const STACK: usize = 256 << 20;

/// Reads a model. `name` is shown in messages; relative includes start from its folder.
/// A model can be nested too deep for the stack of a usual thread, so this starts one of its own.
pub fn read(name: &str, text: String, options: &Options) -> Reading {
    thread::scope(|scope| {
        let reader = thread::Builder::new().stack_size(STACK);
        match reader.spawn_scoped(scope, || read_here(name, text, options)) {
            Ok(reader) => reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => {
                let mut diagnostics = Diagnostics::default();
                diagnostics.push(Diagnostic::global(format!("cannot start a thread to read the model: {error}")));
                Reading {
                    sources: SourceMap::default(),
                    diagnostics,
                    model: None,
                    refused: Vec::new(),
                    counts_processes: false,
                }
            }
        }
    })
}

/// Runs the stages, each over the whole model. The next one follows only if there was no error: its messages about an
/// incomplete model would not help.
fn read_here(name: &str, text: String, options: &Options) -> Reading {
    let mut sources = SourceMap::default();
    let mut diagnostics = Diagnostics::default();
    let main = sources.add_file(name.to_owned(), text);
    diagnostics.begin("preprocessor");
    let tokens = preprocess::preprocess(main, options, &mut sources, &mut diagnostics);
    let (mut model, mut refused, mut counts_processes) = (None, Vec::new(), false);
    if !diagnostics.has_errors() {
        diagnostics.begin("syntax");
        let program = parse::parse(tokens, &mut sources, &mut diagnostics);
        if !diagnostics.has_errors() {
            diagnostics.begin("semantics");
            if let Some(outcome) = lower::lower(&program, &sources, &mut diagnostics) {
                (model, refused) = (Some(outcome.model), outcome.refused);
                counts_processes = outcome.counts_processes;
            }
        }
    }
    diagnostics.sort();
    Reading { sources, diagnostics, model, refused, counts_processes }
}
