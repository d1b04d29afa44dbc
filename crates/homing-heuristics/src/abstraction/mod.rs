//! The estimate by distance-preserving abstraction ([DFP-06]): the model as a factored transition system, composed and abstracted
//! by `homing-abstraction`, whose distances are looked up.
//!
//! Factors are the locations of processes, the elements of variables and the contents of channels (`space.rs`); labels are
//! statements with the values that they read (`trial.rs`, `steps.rs`), found by executing every statement on all values that the
//! cells can have (`explore.rs`). What is not tracked is left open: it only adds behaviour, so that distances only become
//! smaller. Atomicity is ignored, and so are the order of escapes, `timeout`, `_last`, committed locations of networks and steps that
//! invariants of locations forbid.
//!
//! Consistent: every step of the model is a path of the abstract system that costs no more, as statements cost what they
//! cost in a step: an absorbed statement nothing until its process moves on, and then it is paid for. An infinite distance says
//! that no error is reachable: the values of the cells, and what is pruned, are those of runs from the initial state.

mod choices;
mod domain;
mod evaluate;
mod execute;
mod explore;
mod processes;
mod pure;
mod reader;
mod space;
mod steps;
mod system;
mod trial;

use std::sync::Arc;
use std::time::Instant;

use homing_abstraction::{AbstractSystem, Abstraction, Evaluator, FactorId, FactoredSystem, Limits, Options};
use homing_core::{Changed, Estimate, Estimated, Guarantee, State, StopToken, ViolationKind};
use homing_ir::Model;

use crate::Goal;
use explore::{Budget, Errors, explore};
use reader::LeafReader;

/// The values of all cells were found before the search: what a run leads to beyond them would make every distance doubtful, and a
/// search that leaves out states from which no error seems reachable could miss one.
const UNKNOWN_VALUE: &str = "a run leads to a value that the abstraction does not know";

/// How far a preparation has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Statements are executed on the values of the cells that they read.
    Labels {
        /// How many executions there were.
        executions: u64,
    },
    /// Components are composed and abstracted.
    Composition {
        /// How many components are left.
        components: u32,
    },
}

/// What ends a preparation early, and is shown how far it has come.
pub struct Supervision<'a> {
    /// Ends it when it is set.
    pub stop: &'a StopToken,
    /// Is called every few thousand executions, and before each product.
    pub show: &'a mut dyn FnMut(Stage),
}

/// What a preparation took, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Preparation {
    /// The bound on classes.
    pub bound: u32,
    /// The number of factors.
    pub factors: u32,
    /// The number of labels of steps.
    pub labels: u32,
    /// The number of products.
    pub products: u32,
    /// The number of classes that are left.
    pub classes: u64,
    /// The cells whose values are not tracked.
    pub untracked: Vec<String>,
    /// The construction stopped early: the time or a limit was reached.
    pub is_cut: bool,
    /// The time it took.
    pub seconds: f64,
}

/// An abstraction of a model, for estimates in any number of threads.
#[derive(Clone, Debug)]
pub struct ModelAbstraction {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    reader: LeafReader,
    parts: Vec<Part>,
    preparation: Preparation,
}

/// The abstraction for one kind of errors.
#[derive(Debug)]
struct Part {
    name: &'static str,
    system: FactoredSystem,
    abstraction: Abstraction,
}

/// One abstract system, to be drawn.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The kind of errors: `invariant`, `failure` or `deadlock`.
    pub name: &'static str,
    /// The names of the factors, by number.
    pub factors: Vec<String>,
    /// The system.
    pub system: AbstractSystem,
}

impl ModelAbstraction {
    /// Abstracts a model with regard to a goal; the reason if it has no factored form, or if no time is left for it. A limit on time
    /// is one for the whole preparation.
    pub fn new<'m>(
        model: &'m Model,
        goal: Goal<'m>,
        options: &Options,
        Supervision { stop, show }: Supervision<'_>,
    ) -> Result<Self, String> {
        let begun = Instant::now();
        let time = options.limits.time;
        let budget = Budget { stop, deadline: time.map(|time| begun + time) };
        let mut explored =
            explore(model, &errors(model, goal), budget, &mut |executions| show(Stage::Labels { executions }))?;
        let leaves = system::leaves(&explored);
        let systems = system::systems(&mut explored);
        let count = systems.len().max(1) as u32;
        let mut parts = Vec::new();
        for (name, system) in systems {
            let time = time.map(|time| time.saturating_sub(begun.elapsed()) / count);
            let options = Options { limits: Limits { time, ..options.limits }, ..*options };
            let abstraction =
                Abstraction::until(&system, &options, stop, &mut |components| show(Stage::Composition { components }));
            parts.push(Part { name, system, abstraction });
        }
        let is_used = |leaf: usize| parts.iter().any(|part| part.abstraction.uses(FactorId(leaf as u32)));
        let reader = LeafReader::new(&explored, &leaves, is_used);
        let statistics = || parts.iter().map(|part| part.abstraction.statistics());
        let untracked = explored.space.cells.iter().filter(|cell| !cell.is_tracked);
        let preparation = Preparation {
            bound: options.bound.get(),
            factors: leaves.len() as u32,
            labels: explored.steps.len() as u32,
            products: statistics().map(|one| one.merges.len() as u32).sum(),
            classes: statistics().filter_map(|one| one.merges.last()).map(|merge| u64::from(merge.classes)).sum(),
            untracked: untracked.map(|cell| cell.name.clone()).collect(),
            is_cut: statistics().any(|one| one.cut.is_some()),
            seconds: begun.elapsed().as_secs_f64(),
        };
        Ok(ModelAbstraction { shared: Arc::new(Shared { reader, parts, preparation }) })
    }

    /// What the preparation took.
    pub fn preparation(&self) -> &Preparation {
        &self.shared.preparation
    }

    /// An estimate: one for each thread.
    pub fn estimate(&self) -> AbstractionEstimate {
        let evaluators = || self.shared.parts.iter().map(|part| part.abstraction.evaluator()).collect();
        AbstractionEstimate {
            shared: Arc::clone(&self.shared),
            expanded: evaluators(),
            fresh: evaluators(),
            parent: Vec::new(),
            is_current: false,
            values: Vec::new(),
            changed: Vec::new(),
        }
    }

    /// The abstract systems, to be drawn.
    pub fn drawings(&self) -> Vec<Drawing> {
        let drawings = self.shared.parts.iter().flat_map(|part| {
            let factors: Vec<String> = part.system.factors().iter().map(|factor| factor.name().to_owned()).collect();
            let systems = part.abstraction.systems(&part.system).into_iter();
            systems.map(move |system| Drawing { name: part.name, factors: factors.clone(), system })
        });
        drawings.collect()
    }
}

fn errors<'m>(model: &'m Model, goal: Goal<'m>) -> Errors<'m> {
    let stated = model.invariants.iter().map(|invariant| &invariant.expr);
    match goal {
        Goal::Errors(kinds) => Errors {
            assertions: kinds.contains(&ViolationKind::Assertion),
            faults: kinds.contains(&ViolationKind::RuntimeError),
            deadlocks: kinds.contains(&ViolationKind::InvalidEndState),
            conditions: stated.collect(),
        },
        Goal::Invariant(expr) | Goal::Condition(expr) => {
            let others = stated.filter(|&one| one != expr);
            Errors {
                faults: matches!(goal, Goal::Invariant(_)),
                conditions: [expr].into_iter().chain(others).collect(),
                ..Errors::default()
            }
        }
    }
}

/// The estimate by an abstraction: the distance of the nearest kind of errors.
pub struct AbstractionEstimate {
    shared: Arc<Shared>,
    /// Evaluators that have expanded the parent, if it is current.
    expanded: Vec<Evaluator>,
    /// Evaluators for states that are estimated from scratch.
    fresh: Vec<Evaluator>,
    /// The state being expanded.
    parent: Vec<u8>,
    is_current: bool,
    /// Scratch: the values of all leaves.
    values: Vec<u32>,
    /// Scratch: the leaves that a step changed.
    changed: Vec<(u32, u32)>,
}

impl Shared {
    /// The values of all factors, those of the cells and then of flags, of the largest system.
    fn read(&self, state: &State, values: &mut Vec<u32>) {
        assert!(self.reader.read(state, values), "{UNKNOWN_VALUE}");
        let most = self.parts.iter().map(|part| part.system.factors().len()).max().unwrap_or(0);
        values.resize(most.max(self.reader.len()), 0);
    }

    fn expand(&self, evaluators: &mut [Evaluator], values: &[u32]) -> Option<Estimated> {
        let sized = evaluators.iter_mut().zip(&self.parts);
        let distances = sized.map(|(one, part)| one.expand(&values[..part.system.factors().len()]));
        distances.flatten().min().map(Estimated::from)
    }
}

impl Estimate for AbstractionEstimate {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        self.shared.read(state, &mut self.values);
        self.shared.expand(&mut self.fresh, &self.values)
    }

    fn expand(&mut self, state: &State) {
        self.parent.clear();
        self.parent.extend_from_slice(state);
        self.is_current = false;
    }

    fn distance_after(&mut self, state: &State, changed: Changed<'_>) -> Option<Estimated> {
        let Changed::At(places) = changed else { return self.distance(state) };
        let Some(is_known) = self.shared.reader.read_at(state, places, &mut self.changed) else {
            return self.distance(state);
        };
        if !self.is_current {
            self.shared.read(&self.parent, &mut self.values);
            self.shared.expand(&mut self.expanded, &self.values);
            self.is_current = true;
        }
        assert!(is_known, "{UNKNOWN_VALUE}");
        let distances = self.expanded.iter_mut().filter_map(|evaluator| evaluator.distance_after(&self.changed));
        distances.min().map(Estimated::from)
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Consistent
    }
}
