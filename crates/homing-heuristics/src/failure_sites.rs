//! Errors of single statements: assertions, and statements with a run-time error. A process has to reach the statement,
//! and there the condition of its failure has to hold ([ELL-04] §4, "Violations of Assertions": (at u) and not a). The
//! nearest such statement counts.
//!
//! Consistent with [`Combine::Max`]. The process that fails executes the failing statement and all on its way there:
//! each counts 1, also absorbed statements, since the process pays for them when it moves on; what is pending at its
//! location is added. A statement that passes a message can fail in a step of another process, which looks for a partner over a
//! rendezvous channel: what is pending at the statement is not paid then, and is taken off again. A process that is yet to be
//! created has an existing ancestor, and the statements of its ancestors count as well. A statement reduces the distance of one
//! process by at most 1, and so it does with a condition
//! (`formula.rs`).

use homing_core::{Cost, Estimated, Guarantee};
use homing_ir::{Action, Model, ProctypeId};

use crate::distance::{AllDistances, Deferred, Distances, by_descendants, to_locations, with_descendants};
use crate::executable::StateView;
use crate::failure::{has_inside, passes_message};
use crate::formula::{Combine, Formula, Measure};
use crate::incremental::{Decomposed, nearer};
use crate::read_set::{ReadSet, Untracked};

/// Statements of a process type that fail under the same condition.
struct FailureSite<'m> {
    fails: Formula<'m>,
    /// The locations of the statements.
    locations: Vec<u32>,
    /// What is pending at these locations and need not be paid.
    unpaid: Cost,
    /// By location: the distance to the nearest of `locations`.
    distances: Distances,
}

/// The failure sites of a process type.
struct ProctypeSites<'m> {
    sites: Vec<FailureSite<'m>>,
    /// Those whose condition never changes as long as the process lives, but is not known before.
    constant: Vec<usize>,
    by_location: Vec<LocationSites>,
}

/// The failure sites that can be reached from a location.
struct LocationSites {
    /// With lower bounds that leave their conditions aside, the nearest first; without constant ones.
    ahead: Vec<(Cost, usize)>,
    /// A lower bound of the number of statements until a process that is created from here on can fail.
    created: Option<Cost>,
    /// The cost of absorbed statements that is still to be paid here.
    pending: Cost,
    /// A lower bound without conditions and without constant sites.
    least: Cost,
}

/// The estimate of the distance to the nearest failure.
pub struct FailureSites<'m> {
    by_proctype: Vec<ProctypeSites<'m>>,
    combine: Combine,
    guarantee: Guarantee,
}

/// The distance of a failure that is not reachable.
const NEVER: Cost = Cost::MAX;

impl FailureSite<'_> {
    /// The number of statements until a process fails here, so many statements away and with so many pending where it stands.
    fn statements(&self, distance: Cost, pending: Cost) -> Cost {
        (1 + distance + pending).saturating_sub(self.unpaid)
    }
}

impl<'m> FailureSites<'m> {
    /// Finds the sites: `fails` says under which condition a statement fails at a location, if it can.
    pub fn of(
        model: &'m Model,
        combine: Combine,
        fails: impl Fn(ProctypeId, u32, &'m Action) -> Option<Formula<'m>>,
    ) -> Self {
        let has_rendezvous = model.shapes.iter().any(|shape| shape.capacity == 0);
        let sites = |id: ProctypeId| {
            let automaton = &model.proctype(id).automaton;
            let mut sites: Vec<FailureSite<'m>> = Vec::new();
            for (at, location) in (0..).zip(&automaton.locations) {
                for transition in &location.transitions {
                    let action = &automaton.statement(transition.statement).action;
                    let is_shared = has_rendezvous && has_inside(action, passes_message);
                    let unpaid = if is_shared { location.pending } else { 0 };
                    for fails in fails(id, at, action).into_iter().flat_map(Formula::disjuncts) {
                        let same = |site: &&mut FailureSite<'m>| site.unpaid == unpaid && site.fails.is_same(&fails);
                        match sites.iter_mut().find(same) {
                            Some(site) => site.locations.push(at),
                            None => {
                                sites.push(FailureSite { fails, locations: vec![at], unpaid, distances: Vec::new() })
                            }
                        }
                    }
                }
            }
            for site in &mut sites {
                site.distances = to_locations(automaton, Deferred::Counted, site.locations.iter().copied());
            }
            sites.sort_by_key(|site| !matches!(site.fails, Formula::Anything)); // those without a condition first
            sites
        };
        let all: Vec<Vec<FailureSite<'m>>> =
            (0..model.proctypes.len() as u32).map(|id| sites(ProctypeId(id))).collect();
        let distances = with_descendants(model, Deferred::Counted, |id| {
            let locations = all[id.index()].iter().flat_map(|site| &site.locations);
            locations.map(|location| (*location, 1)).collect()
        });
        let unpaid = all.iter().flatten().map(|site| site.unpaid).max().unwrap_or(0);
        let has_conditions = all.iter().flatten().any(|site| !matches!(site.fails, Formula::Anything | Formula::Never));
        let sites = all.into_iter().enumerate();
        let by_proctype = sites
            .map(|(at, sites)| ProctypeSites::of(model, ProctypeId(at as u32), sites, (&distances, unpaid)))
            .collect();
        let guarantee =
            if combine == Combine::Sum && has_conditions { Guarantee::Guess } else { Guarantee::Consistent };
        FailureSites { by_proctype, combine, guarantee }
    }
}

impl<'m> ProctypeSites<'m> {
    /// `unpaid` is the most that need not be paid where a process fails.
    fn of(model: &'m Model, id: ProctypeId, sites: Vec<FailureSite<'m>>, (all, unpaid): (&AllDistances, Cost)) -> Self {
        let locations = model.proctype(id).automaton.locations.iter().zip(by_descendants(model, id, all)).enumerate();
        let by_location = locations.map(|(at, (location, created))| {
            let changing = sites.iter().enumerate().filter(|(_, site)| !site.fails.is_constant());
            let pending = location.pending;
            let ahead = changing.filter_map(|(number, site)| {
                site.distances[at].map(|distance| (site.statements(distance, pending), number))
            });
            let mut ahead: Vec<(Cost, usize)> = ahead.collect();
            ahead.sort_unstable();
            let created = created.map(|created| (created + pending).saturating_sub(unpaid));
            let least = nearer(created, ahead.first().map(|(bound, _)| *bound)).unwrap_or(NEVER);
            LocationSites { ahead, created, pending, least }
        });
        let by_location = by_location.collect();
        let constant = (0..sites.len()).filter(|site| matches!(sites[*site].fails, Formula::Undefined(_)));
        let constant = constant.filter(|site| sites[*site].fails.is_constant()).collect();
        ProctypeSites { sites, constant, by_location }
    }
}

impl FailureSites<'_> {
    fn measure<'a, 'm>(&'a self, view: &'a StateView<'m>, pid: usize) -> Measure<'a, 'm> {
        Measure { view, combine: self.combine, pid }
    }

    /// The minimum of `least` and the number of statements until the process, or one that it creates, fails; constant
    /// sites left aside.
    fn nearest(&self, view: &StateView<'_>, pid: usize, mut least: Cost) -> Cost {
        let (sites, measure) = (&self.by_proctype[view.proctype(pid).index()], self.measure(view, pid));
        let at = view.location(pid) as usize;
        let LocationSites { ahead, created, pending, .. } = &sites.by_location[at];
        least = created.map_or(least, |created| least.min(created));
        for &(bound, site) in ahead {
            if least <= bound {
                break; // the following sites are no nearer
            }
            let site = &sites.sites[site];
            if let Some(condition) = measure.statements(&site.fails, &mut Untracked)
                && let Some(distance) = site.distances[at]
            {
                least = least.min(site.statements(self.combine.of(distance, condition), *pending));
            }
        }
        least
    }

    /// The number of statements until a process fails at a constant site.
    fn nearest_constant<R: ReadSet>(&self, view: &StateView<'_>, reads: &mut R) -> Option<Cost> {
        let mut least = None;
        for pid in 0..view.processes() {
            let (sites, measure) = (&self.by_proctype[view.proctype(pid).index()], self.measure(view, pid));
            for site in sites.constant.iter().map(|constant| &sites.sites[*constant]) {
                if let Some(condition) = measure.statements(&site.fails, reads) {
                    reads.read(view.location_bytes(pid));
                    let at = view.location(pid) as usize;
                    let pending = sites.by_location[at].pending;
                    let fails = |distance| site.statements(self.combine.of(distance, condition), pending);
                    least = nearer(least, site.distances[at].map(fails));
                }
            }
        }
        least
    }
}

/// The first part is the nearest constant site: if none fails, which is usual, it changes only when a process is
/// created or ends. A part for each process follows, its lower bound without conditions. Conditions are evaluated last,
/// and only of processes that may be the first to fail.
impl Decomposed for FailureSites<'_> {
    /// [`NEVER`] where no failure is reachable.
    type Part = Cost;

    fn part_count(&self, view: &StateView<'_>) -> usize {
        1 + view.processes()
    }

    fn part<R: ReadSet>(&self, view: &StateView<'_>, part: usize, reads: &mut R) -> Cost {
        let Some(pid) = part.checked_sub(1) else { return self.nearest_constant(view, reads).unwrap_or(NEVER) };
        reads.read(view.location_bytes(pid));
        self.by_proctype[view.proctype(pid).index()].by_location[view.location(pid) as usize].least
    }

    fn estimate(
        &self,
        view: &StateView<'_>,
        mut parts: impl Iterator<Item = Cost> + Clone,
        below: Cost,
    ) -> Option<Estimated> {
        let mut least = parts.next().unwrap_or(NEVER).min(below);
        let first = parts.clone().enumerate().min_by_key(|(_, bound)| *bound);
        if let Some((first, bound)) = first
            && bound < least
        {
            least = self.nearest(view, first, least);
            for (pid, bound) in parts.enumerate() {
                if bound < least && pid != first {
                    least = self.nearest(view, pid, least);
                }
            }
        }
        (least < NEVER).then_some(Estimated::from(least))
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ops::ControlFlow;

    use homing_core::{Cost, Estimate, Guarantee, Selection, State, Target, TransitionSystem, ViolationKind};
    use homing_engine::Interpreter;
    use homing_ir::Model;

    use crate::incremental::nearer_estimate;
    use crate::testing::model;
    use crate::{Combine, Goal, Heuristic, HeuristicEstimate};

    /// What is known of the sum, and what it and the maximum say of each reachable state.
    fn sum_and_max(text: &str) -> (Guarantee, [Vec<Option<Cost>>; 2]) {
        let (model, states) = model_and_states(text);
        let target = Goal::Errors(&[ViolationKind::Assertion]);
        let [sum, max] = [Combine::Sum, Combine::Max]
            .map(|combine| HeuristicEstimate::new(&model, Heuristic::Formula(combine), target).expect("it fits"));
        let guarantee = sum.guarantee();
        (
            guarantee,
            [sum, max].map(|mut guide| {
                states.iter().map(|state| guide.distance(state).map(|estimated| estimated.h)).collect()
            }),
        )
    }

    fn model_and_states(text: &str) -> (Model, BTreeSet<Box<State>>) {
        let model = model(text);
        let system = Interpreter::new(&model).expect("an initial state");
        let mut states = BTreeSet::from([system.initial()]);
        let mut open = vec![system.initial()];
        while let Some(state) = open.pop() {
            system.for_each_step(&state, Selection::All, |step| {
                if let Target::State(target) = step.target
                    && states.insert(target.into())
                {
                    open.push(target.into());
                }
                ControlFlow::Continue(())
            });
        }
        drop(system);
        (model, states)
    }

    #[test]
    fn the_nearest_error_is_the_nearer_of_a_deadlock_and_a_failure() {
        let text = "byte x; chan q = [2] of {byte};
            active [2] proctype P() { do :: x < 4 -> x++; assert(x < 5) :: q!x :: x == 3 -> x = 0; assert(x > 0) od }
            active proctype Q() { byte y; do :: q?y; x == y; assert(y != 3) :: x == 2 -> break od }";
        let (model, states) = model_and_states(text);
        assert!(states.len() > 100);
        let (failure, deadlock) = (ViolationKind::Assertion, ViolationKind::InvalidEndState);
        for heuristic in
            [Heuristic::Formula(Combine::Sum), Heuristic::Formula(Combine::Max), Heuristic::FsmMax, Heuristic::FsmSum]
        {
            let kinds: [&[ViolationKind]; 3] = [&[failure], &[deadlock], &[failure, deadlock]];
            let [mut one, mut other, mut both] =
                kinds.map(|kinds| HeuristicEstimate::new(&model, heuristic, Goal::Errors(kinds)).expect("it fits"));
            let mut nearest = [0, 0];
            for state in &states {
                let (one, other) = (one.distance(state), other.distance(state));
                assert_eq!(both.distance(state), nearer_estimate(one, other), "{heuristic:?}");
                nearest[usize::from(nearer_estimate(one, other) == other)] += 1;
            }
            assert!(nearest.iter().all(|&count| count > 0), "{heuristic:?}: {nearest:?}");
        }
    }

    #[test]
    fn what_is_always_or_never_so_adds_nothing() {
        let with = |condition: &str| {
            sum_and_max(&format!(
                "byte x; active [2] proctype P() {{ x = 1; if :: x = 2 :: assert(true) fi; assert({condition}) }}"
            ))
        };
        let (guarantee, [sum, max]) = with("1 && 0");
        assert_eq!((guarantee, sum), (Guarantee::Consistent, max));
        let (guarantee, [sum, max]) = with("x != 7");
        assert_eq!(guarantee, Guarantee::Guess);
        assert_ne!(sum, max);
    }
}
