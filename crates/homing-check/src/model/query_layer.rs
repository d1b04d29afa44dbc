//! A layer over a network in which each state shows which of several queries it decides.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use homing_core::{Fork, Selected, Selection, State, Step, TransitionSystem, Violation, ViolationKind};
use homing_engine::{CompiledEngine, StepIndex};
use homing_ir::{Invariant, Model};

use super::query::PassedOver;
use super::search_task::SearchTask;

/// The most queries that are asked together: one bit for each, and one combination of all bits means that one has no value.
pub(super) const MOST_QUERIES: usize = 63;

/// The queries that are asked in each state.
pub(super) struct Asked {
    /// Each as the condition that holds as long as it is undecided.
    invariants: Vec<Invariant>,
    /// The proposition of each.
    propositions: Vec<u32>,
    /// A bit for each that is undecided.
    open: AtomicU64,
    /// The first run-time error in the condition of each.
    errors: Mutex<Vec<Option<Violation>>>,
    /// The first run-time error of the network.
    pub passed_over: PassedOver,
}

impl Asked {
    /// Asks the queries of these tasks: the network with them as propositions, and what was found out.
    ///
    /// # Panics
    /// If there are none, or more than [`MOST_QUERIES`].
    pub fn new(tasks: &[&SearchTask]) -> (Model, Self) {
        assert!((1..=MOST_QUERIES).contains(&tasks.len()), "{} queries", tasks.len());
        let mut model = tasks[0].model.clone();
        model.invariants.clear();
        let invariants: Vec<Invariant> = tasks.iter().map(|task| task.model.invariants[0].clone()).collect();
        let propositions = invariants.iter().map(|invariant| model.add_proposition(&invariant.expr)).collect();
        let asked = Asked {
            propositions,
            open: AtomicU64::new((1 << tasks.len()) - 1),
            errors: Mutex::new(vec![None; tasks.len()]),
            passed_over: PassedOver::default(),
            invariants,
        };
        (model, asked)
    }

    /// Whether a query is undecided.
    pub fn is_open(&self, query: usize) -> bool {
        self.open.load(Relaxed) & 1 << query != 0
    }

    /// Whether any query is undecided.
    pub fn is_any_open(&self) -> bool {
        self.open.load(Relaxed) != 0
    }

    /// A query was decided. Returns whether it was undecided until now.
    pub fn close(&self, query: usize) -> bool {
        self.open.fetch_and(!(1 << query), Relaxed) & 1 << query != 0
    }

    /// The query that a violation decides.
    pub fn decided_by(&self, violation: &Violation) -> Option<usize> {
        let text = violation.message.strip_prefix("decides ")?;
        self.invariants.iter().position(|invariant| invariant.text == text)
    }

    /// Whether a violation decides a query that was undecided until now; it is decided then. Run-time errors are noted.
    pub fn claims(&self, violation: &Violation) -> bool {
        match violation.kind {
            ViolationKind::Invariant => self.decided_by(violation).is_some_and(|query| self.close(query)),
            ViolationKind::RuntimeError => {
                self.passed_over.note(violation);
                false
            }
            _ => false,
        }
    }

    /// The first run-time error in the condition of a query.
    pub fn error_of(&self, query: usize) -> Option<Violation> {
        self.errors.lock().unwrap_or_else(PoisonError::into_inner)[query].clone()
    }

    /// The violations of a state by which undecided queries are decided. Errors in their conditions are noted.
    fn violations(&self, engine: &CompiledEngine<'_>, state: &State) -> Vec<Violation> {
        let open = self.open.load(Relaxed);
        if let Ok(holds) = engine.letter(state) {
            let is_decided = |query: usize| open & 1 << query != 0 && holds & 1 << self.propositions[query] == 0;
            if !(0..self.invariants.len()).any(is_decided) {
                return Vec::new();
            }
        }
        let breaches = engine.interpreter().breaches_of(state, &self.invariants);
        let mut violations = Vec::new();
        for (query, violation) in breaches.into_iter().enumerate().filter(|(query, _)| open & 1 << query != 0) {
            match violation {
                Some(error) if error.kind == ViolationKind::RuntimeError => {
                    self.errors.lock().unwrap_or_else(PoisonError::into_inner)[query].get_or_insert(error);
                }
                decides => violations.extend(decides),
            }
        }
        violations
    }
}

/// A network whose states show the queries that they decide, before their steps. Which ones a state shows depends on what is undecided;
/// its steps do not, so that a path to a state is one of the network.
pub(super) struct QueryLayer<'m, 'q> {
    pub engine: CompiledEngine<'m>,
    pub asked: &'q Asked,
}

impl TransitionSystem for QueryLayer<'_, '_> {
    type Action = StepIndex;

    fn initial(&self) -> Box<State> {
        self.engine.initial()
    }

    #[inline(always)]
    fn for_each_step(
        &self,
        state: &State,
        selection: Selection,
        mut visit: impl FnMut(Step<'_, StepIndex>) -> ControlFlow<()>,
    ) -> Selected {
        for violation in self.asked.violations(&self.engine, state) {
            // as the network with this query alone shows it
            if visit(Step::violating(StepIndex(0), 0, 0, violation)).is_break() {
                return Selected::ALL;
            }
        }
        self.engine.for_each_step(state, selection, visit)
    }

    fn patiently<R>(&self, work: impl FnOnce() -> R) -> R {
        self.engine.patiently(work)
    }
}

impl Fork for QueryLayer<'_, '_> {
    fn fork(&self) -> Self {
        QueryLayer { engine: self.engine.fork(), asked: self.asked }
    }

    fn join(&self, fork: &Self) {
        self.engine.join(&fork.engine);
    }
}
