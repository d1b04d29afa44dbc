//! The estimate that directs a search of a product: how far the claim is from where it accepts.

use homing_core::{Blind, Changed, Estimate, Estimated, Guarantee, State, Written};
use homing_heuristics::{ClaimEdge, ClaimEstimate, ClaimGraph, Combine, Condition, Heuristic, Unfit};
use homing_ir::Model;
use homing_ltl::{CLAIM_WIDTH, Claim, ClaimTarget, Letters};

use super::super::options::Guidance;
use super::task::LivenessTask;
use crate::{AnyEstimate, Search};

/// The most conjunctions of a condition whose distance is estimated.
const MOST_CUBES: usize = 64;

impl LivenessTask {
    /// The distance from a state of the product with a claim of this task to where the claim accepts: its end or, unless the claim
    /// is terminal, a component with accepting states. The model is the one that is [searched](LivenessTask::searched).
    pub fn estimate(&self, claim: &Claim, combine: Combine) -> AnyEstimate<'_> {
        estimate(self.searched(), claim, combine)
    }

    /// The estimate by the options, with its name if there is one.
    pub(super) fn guide(
        &self,
        guidance: Guidance<'_>,
        search: Search,
        claim: &Claim,
    ) -> Result<(AnyEstimate<'_>, Option<&'static str>), Unfit> {
        match guidance {
            _ if !search.is_directed() => Ok((Box::new(Blind), None)),
            Guidance::None => Ok((Box::new(Blind), None)),
            Guidance::Auto(combine) | Guidance::By(Heuristic::Formula(combine)) => {
                Ok((self.estimate(claim, combine), Some("formula")))
            }
            Guidance::By(_) | Guidance::Abstraction { .. } => Err(Unfit::NoClaim),
        }
    }
}

/// The distance from a state of the product of a model and a claim to where the claim accepts.
pub(super) fn estimate<'m>(model: &'m Model, claim: &Claim, combine: Combine) -> AnyEstimate<'m> {
    let of_claim = ClaimEstimate::new(model, &graph(claim), combine);
    Box::new(ProductEstimate { of_claim, written: Vec::new() })
}

/// The ways of a claim to where it accepts.
fn graph(claim: &Claim) -> ClaimGraph {
    let mut known: Vec<&Letters> = Vec::new();
    let states = claim.moves.iter().zip(goals(claim)).map(|(moves, accepts)| {
        let edges = moves.iter().map(|option| {
            let condition = known.iter().position(|letters| **letters == option.letters).unwrap_or_else(|| {
                known.push(&option.letters);
                known.len() - 1
            });
            let target = match option.target {
                ClaimTarget::State(target) => Some(usize::from(target)),
                ClaimTarget::End | ClaimTarget::Failure(_) => None,
            };
            ClaimEdge { condition, target }
        });
        let edges: Vec<ClaimEdge> = edges.collect();
        (!accepts).then_some(edges)
    });
    let states = states.collect();
    ClaimGraph { conditions: known.into_iter().map(condition).collect(), states }
}

/// By state of a claim: whether its component may have an accepting cycle.
fn goals(claim: &Claim) -> Vec<bool> {
    let components = claim.components();
    let component = |state: usize| components[state].0;
    let mut accepting: Vec<bool> =
        components.iter().map(|(_, accepting)| claim.counts_labels || *accepting != Some(false)).collect();
    for (state, moves) in claim.moves.iter().enumerate() {
        let closes = moves.iter().any(|option| match option.target {
            ClaimTarget::State(target) => {
                component(usize::from(target)) == component(state) && (option.acceptance != 0 || claim.sets == 0)
            }
            ClaimTarget::End | ClaimTarget::Failure(_) => false,
        });
        accepting[component(state) as usize] |= closes;
    }
    (0..accepting.len()).map(|state| accepting[state] || accepting[component(state) as usize]).collect()
}

fn condition(letters: &Letters) -> Condition {
    let cubes = letters.prime_implicants();
    if cubes.len() > MOST_CUBES {
        return Condition::Unknown;
    }
    Condition::Any(cubes.into_iter().map(|cube| cube.literals().collect()).collect())
}

/// An estimate of states whose last bytes are the state of the claim.
struct ProductEstimate<'m> {
    of_claim: ClaimEstimate<'m>,
    written: Vec<Written>,
}

/// The state of the model and that of the claim.
fn split(state: &State) -> (&State, u16) {
    let (system, claim) = state.split_last_chunk::<CLAIM_WIDTH>().expect("a state of a product");
    (system, u16::from_le_bytes(*claim))
}

impl Estimate for ProductEstimate<'_> {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        let (state, claim) = split(state);
        self.of_claim.distance(state, claim)
    }

    fn expand(&mut self, state: &State) {
        self.of_claim.expand(split(state).0);
    }

    fn distance_after(&mut self, state: &State, changed: Changed<'_>) -> Option<Estimated> {
        let (state, claim) = split(state);
        let ProductEstimate { of_claim, written } = self;
        let changed = match changed {
            Changed::Anywhere => Changed::Anywhere,
            Changed::At(places) => {
                written.clear();
                let is_of_model = |place: &&Written| (place.offset as usize) < state.len();
                written.extend(places.iter().filter(is_of_model).copied());
                Changed::At(written)
            }
        };
        of_claim.distance_after(state, claim, changed)
    }

    fn guarantee(&self) -> Guarantee {
        self.of_claim.guarantee()
    }
}
