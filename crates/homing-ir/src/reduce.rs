//! The reductions that do not depend on a property: a copy of a model with fewer states and the same errors.
//!
//! SPIN makes them by default: variables that are never read ([`crate::unread`]), dead locals ([`crate::dead_variables`]) and
//! merged statements ([`crate::absorb`]). The copy has the same locations, transitions and statements by the same numbers,
//! so a run through it names a run through the original.

use homing_core::Condition;

use crate::absorb::Absorption;
use crate::dead_variables::DeadVariables;
use crate::unread::Unread;
use crate::{AccessSets, Lengths, Model, Observed, Transition};

/// Whether the number of steps matters to a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// No: two steps may become one if no proposition changes by one of them. The property is stutter-invariant.
    MayJoin,
    /// Yes: every statement is a step of its own.
    Count,
}

/// A reduced model.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The reduced copy.
    pub model: Model,
    /// What the lengths of paths through it are in the original.
    pub lengths: Lengths,
}

impl Reduced {
    /// The reduced copy of a model.
    pub fn of(model: &Model) -> Self {
        Self::by(model, Steps::MayJoin)
    }

    /// A copy in which every statement is a step of its own, so that paths are as long as in the model.
    pub fn with_exact_lengths(model: &Model) -> Self {
        Self::by(model, Steps::Count)
    }

    /// The reduced copy of a model in which cycles are searched. A cycle of the copy may be one of the model only if variables that are
    /// never read are left aside: what they do not decide can be repeated for ever all the same.
    pub fn for_cycles(model: &Model, steps: Steps) -> Self {
        Self::by(model, if Condition::CycleSteps.is_off() { Steps::MayJoin } else { steps })
    }

    fn by(model: &Model, steps: Steps) -> Self {
        if model.features.network {
            // the access sets do not cover channels, invariants and committed locations of networks
            return Reduced { model: model.clone(), lengths: Lengths::Exact };
        }
        let mut reduced = model.clone();
        let accesses = AccessSets::of(model);
        let observed = Observed::in_model(model, &accesses);
        let unread = Unread::find(model, &accesses, &observed);
        let find = |model: &Model, accesses: &AccessSets| {
            let dead = DeadVariables::of(model, accesses, &observed);
            (dead, Absorption::find(model, accesses, &observed), accesses.written_globals())
        };
        let (dead, absorption, written) = if unread.is_empty() {
            find(model, &accesses)
        } else {
            unread.drop_writes(&mut reduced);
            // statements that wrote unread variables are others now
            find(&reduced, &AccessSets::of(&reduced))
        };
        show_constants(&mut reduced, &written);
        DeadVariables::reset(dead, &mut reduced);
        let lengths = match steps {
            Steps::MayJoin => absorption.mark(&mut reduced),
            Steps::Count => Lengths::Exact,
        };
        Reduced { model: reduced, lengths }
    }

    /// Whether SPIN merges statements that are not merged here, since another process can notice: it can have fewer states
    /// then, and miss a run.
    pub fn withholds(&self) -> bool {
        self.model.proctypes.iter().any(|proctype| {
            let automaton = &proctype.automaton;
            let withheld = |transition: &Transition| {
                let merging = automaton.spin.merging(transition.statement);
                let goes_on = merging.absorbs || merging.absorbable;
                let is_one_step = transition.atomic || transition.merged;
                goes_on && !is_one_step && automaton.absorbed_at(transition.target).is_some()
            };
            automaton.locations.iter().flat_map(|location| &location.transitions).any(withheld)
        })
    }
}

/// A hidden variable that is never written, as its writes were dropped, is the same in all states: it need not be hidden.
fn show_constants(model: &mut Model, written: &[bool]) {
    for (global, is_written) in model.globals.iter_mut().zip(written) {
        global.hidden &= is_written;
    }
}
