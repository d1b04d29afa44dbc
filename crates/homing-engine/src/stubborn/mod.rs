//! Stubborn sets (Valmari 1989, Godefroid 1996): of the moves of a state, some that stand for all.
//!
//! A set S of the [nodes](select) of a state is closed if it has an enabled node; if for each enabled node t of S every node is
//! in S that does not commute with t now, or whose process can come to a step that does not; and if for each disabled node of S,
//! for one of the reasons why it is disabled, every node is in S that can remove this reason now or later. As long as no node of
//! S is taken, its disabled nodes stay disabled, and its enabled ones stay enabled and commute with every step of the run: each
//! such step is a node of the state outside S, or follows one, and a conflict would have put that node into S. So the first
//! node of S on a run can be moved to its front, and the run is a permutation of the same cost to the same state.
//!
//! Accesses are exact now and cautious later ([`unit`]): what a process accesses in its next step is known by the values of its
//! own variables, which cannot change while it waits; what it may access later is the union over the code before it, with
//! cells and channels by those variables that it does not write any more ([`future`]).
//!
//! Where errors are seeds, a set also has every node that can fail, now or later: then every run to an error has a node of the set, and
//! no error is lost that has a path as short, by whatever search ([`failing`]; Wehrle & Helmert 2014 for optimal planning).
//!
//! For a property of infinite runs no enabled node of a set that is used is [visible](Visible).

mod access;
mod budget;
mod cache;
mod derive;
mod failing;
mod future;
mod known;
mod select;
mod situation;
mod term;
mod unit;

use homing_core::StopToken;
use homing_ir::{Access, AccessSets, Model, Object, ProctypeId, Visible};

use crate::layout::Layout;
use crate::working_state::WorkingState;
use access::Objects;
use budget::Budget;
use derive::{Derivation, Observers};
use failing::Failing;
use future::Futures;
use known::Knowledge;
use unit::LocationUnits;

pub use budget::{Allowance, Exceeded};
pub use select::{EnabledMove, Scratch, Seeds};

/// The access sets of a model, by which stubborn sets are chosen in its states.
pub struct StubbornSets {
    objects: Objects,
    /// By process type and location.
    units: Vec<Vec<LocationUnits>>,
    /// Processes create no channels, so that a channel with a number is always the same.
    has_fixed_channels: bool,
}

impl StubbornSets {
    /// Derives the access sets; none if processes of the model can see of each other what no access set has, or if a `provided` clause
    /// can fail.
    ///
    /// Fails where that costs more than it may.
    pub fn of(
        model: &Model,
        layout: &Layout,
        initial: &[u8],
        (allowance, stop): (Allowance, &StopToken),
    ) -> Result<Option<Self>, Exceeded> {
        if !can_be_reduced(model, layout) {
            return Ok(None);
        }
        let budget = &Budget::new(allowance, stop);
        let statements = model.proctypes.iter().map(|proctype| proctype.automaton.statements.len());
        budget.keep(statements.sum::<usize>() as u64)?;
        let features = model.features;
        let sets = AccessSets::of(model);
        let observers = Observers::of(model);
        let is_tied = features.last || features.priorities || features.network || layout.hidden_prefix > 0;
        if is_tied || sees_others(sets.iter().chain(observers.iter())) || observers.read_timeout() {
            return Ok(None);
        }
        let is_written = sets.written_globals();
        let mut state = WorkingState::default();
        state.load(layout, initial);
        let knowledge = Knowledge { model, layout, is_written: &is_written, initial: &state };
        let failing = Failing::of(model);
        if failing.can_be_provided_wrongly() {
            return Ok(None);
        }
        let derivation = Derivation::new(knowledge, sets, &observers);
        let futures = Futures::of(&derivation, budget)?;
        let ids = (0..model.proctypes.len()).map(|at| ProctypeId(at as u32));
        let sources = unit::Sources { futures: &futures, visible: &Visible::in_model(model), failing: &failing };
        let units = ids.map(|id| unit::units(&derivation, id, sources, budget)).collect::<Result<_, _>>()?;
        let has_fixed_channels = layout.processes.iter().all(|process| process.channels.is_empty());
        Ok(Some(StubbornSets { units, objects: derivation.objects, has_fixed_channels }))
    }
}

/// Whether a state can have steps that are left out: there are several processes, or one that stays where it is in some of its steps.
/// Other steps of one process never commute.
fn can_be_reduced(model: &Model, layout: &Layout) -> bool {
    let is_alone = model.start.len() <= 1 && !layout.grows;
    !is_alone
        || model.start.iter().any(|start| {
            let locations = model.proctype(start.proctype).automaton.locations.iter().enumerate();
            locations.into_iter().any(|(at, location)| {
                location.transitions.len() > 1 && location.transitions.iter().any(|one| one.target as usize == at)
            })
        })
}

/// Whether something is read that every step can change.
fn sees_others<'m>(mut accesses: impl Iterator<Item = &'m Access<'m>>) -> bool {
    accesses.any(|access| {
        matches!(
            access.object,
            Object::LastMover | Object::Priorities | Object::Progress | Object::Enabledness(_) | Object::Position(_)
        )
    })
}
