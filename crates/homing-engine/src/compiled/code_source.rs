//! Where the code of a model comes from: it is generated once, by the first engine that needs it.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use homing_core::StopToken;
use homing_ir::Model;

use super::code::Code;
use super::network;
use crate::layout::Layout;

/// The code of a model, shared by the engines of all threads.
#[derive(Default)]
pub(super) struct CodeSource(OnceLock<Option<Generated>>);

struct Generated {
    code: Arc<Code>,
    seconds: f64,
}

/// States that are expanded by the interpreter for each statement of the model before code is generated. Generating code takes about
/// a tenth of a millisecond for a statement, and the interpreter a few microseconds for a state: so a search of fewer states is faster
/// without code, and a longer one loses a twentieth of the time that generating the code takes.
const STATES_PER_STATEMENT: u64 = 2;

impl CodeSource {
    /// There is no code, and never will be.
    pub fn none() -> Self {
        CodeSource(OnceLock::from(None))
    }

    /// How many states of a model are expanded by the interpreter before code is generated.
    pub fn patience(model: &Model) -> u64 {
        let statements = model.proctypes.iter().flat_map(|proctype| &proctype.automaton.statements);
        statements.filter(|statement| network::needs_code(&statement.action)).count() as u64 * STATES_PER_STATEMENT
    }

    /// The code. It is generated now if that was not done before; none if that is impossible, or was stopped.
    pub fn code(&self, model: &Model, layout: &Arc<Layout>, stop: &StopToken) -> Option<Arc<Code>> {
        let generate = || {
            let start = Instant::now();
            let code = Arc::new(Code::generate(model, layout, stop)?);
            Some(Generated { code, seconds: start.elapsed().as_secs_f64() })
        };
        self.0.get_or_init(generate).as_ref().map(|generated| generated.code.clone())
    }

    /// Whether code was generated.
    pub fn has_code(&self) -> bool {
        self.0.get().is_some_and(Option::is_some)
    }

    /// The time that it took.
    pub fn seconds(&self) -> Option<f64> {
        self.0.get()?.as_ref().map(|generated| generated.seconds)
    }
}
