//! Errors that one statement makes: assertions, and whatever fails by itself. A process has to come to the statement, and
//! then its condition has to be false (paper 1, §4, "Violations of Assertions": (at u) and not a; the nearest counts).
//!
//! Consistent with [`Combine::Max`]. The process that fails executes the failing statement, and all before it: each counts
//! 1, also what it has absorbed, since it pays for that when it moves on; what was pending where it stands comes on top. A
//! process that is yet to be created has one that is there for an ancestor, and what its ancestors execute counts as well.
//! With each statement the distance of one process falls by 1 at most, and so does a condition (`formula.rs`).

use homing_core::{Cost, Estimated, Guarantee};
use homing_ir::{Action, Model, ProctypeId};

use crate::distance::{AllDistances, Charge, Distances, by_descendants, to_locations, with_descendants};
use crate::executable::Scene;
use crate::formula::{Combine, Formula, Measure};
use crate::notes::{Notes, Unnoted};
use crate::parts::{Parts, nearer};

/// Statements that can fail in the same way.
struct Site<'m> {
    /// When they fail.
    fails: Formula<'m>,
    locations: Vec<u32>,
    /// By location: to the nearest of them.
    distances: Distances,
}

/// The sites of a process type.
struct Map<'m> {
    sites: Vec<Site<'m>>,
    /// Those that fail for ever, or never: what they depend on does not change.
    flaws: Vec<usize>,
    /// By location.
    places: Vec<Place>,
}

/// A location.
struct Place {
    /// The sites it leads to with their distances, the nearest first; without flaws.
    ahead: Vec<(Cost, usize)>,
    /// Until a process that is created fails.
    created: Option<Cost>,
    pending: Cost,
    /// But for flaws, no process here fails sooner.
    least: Cost,
}

/// The nearest statement that can fail.
pub struct Sites<'m> {
    maps: Vec<Map<'m>>,
    combine: Combine,
    guarantee: Guarantee,
}

/// The distance of what never comes.
const NEVER: Cost = Cost::MAX;

impl<'m> Sites<'m> {
    /// The statements that fail under a condition.
    pub fn of(
        model: &'m Model,
        combine: Combine,
        fails: impl Fn(ProctypeId, &'m Action) -> Option<Formula<'m>>,
    ) -> Self {
        let sites = |id: ProctypeId| {
            let automaton = &model.proctype(id).automaton;
            let mut sites: Vec<Site<'m>> = Vec::new();
            for (at, location) in (0..).zip(&automaton.locations) {
                for transition in &location.transitions {
                    let fails = fails(id, &automaton.statement(transition.statement).action);
                    for fails in fails.into_iter().flat_map(Formula::ways) {
                        match sites.iter_mut().find(|site| site.fails.is_same(&fails)) {
                            Some(site) => site.locations.push(at),
                            None => sites.push(Site { fails, locations: vec![at], distances: Vec::new() }),
                        }
                    }
                }
            }
            for site in &mut sites {
                site.distances = to_locations(automaton, Charge::Full, site.locations.iter().copied());
            }
            sites.sort_by_key(|site| !matches!(site.fails, Formula::Anything)); // what has no condition comes first
            sites
        };
        let all: Vec<Vec<Site<'m>>> = (0..model.proctypes.len() as u32).map(|id| sites(ProctypeId(id))).collect();
        let distances = with_descendants(model, Charge::Full, |id| {
            let locations = all[id.index()].iter().flat_map(|site| &site.locations);
            locations.map(|location| (*location, 1)).collect()
        });
        let combines = all.iter().flatten().any(|site| !matches!(site.fails, Formula::Anything | Formula::Never));
        let maps = all.into_iter().enumerate();
        let maps = maps.map(|(at, sites)| Map::of(model, ProctypeId(at as u32), sites, &distances)).collect();
        let guarantee = if combine == Combine::Sum && combines { Guarantee::Guess } else { Guarantee::Consistent };
        Sites { maps, combine, guarantee }
    }
}

impl<'m> Map<'m> {
    fn of(model: &'m Model, id: ProctypeId, sites: Vec<Site<'m>>, all: &AllDistances) -> Self {
        let places = model.proctype(id).automaton.locations.iter().zip(by_descendants(model, id, all)).enumerate();
        let places = places.map(|(at, (location, created))| {
            let changing = sites.iter().enumerate().filter(|(_, site)| !site.fails.is_settled());
            let ahead = changing.filter_map(|(number, site)| site.distances[at].map(|distance| (distance, number)));
            let mut ahead: Vec<(Cost, usize)> = ahead.collect();
            ahead.sort_unstable();
            let (pending, nearest) = (location.pending, ahead.first().map(|(distance, _)| 1 + distance));
            let least = nearer(created, nearest).map_or(NEVER, |least| least + pending);
            Place { ahead, created, pending, least }
        });
        let places = places.collect();
        let flaws = (0..sites.len()).filter(|site| matches!(sites[*site].fails, Formula::Meaningless(_)));
        let flaws = flaws.filter(|site| sites[*site].fails.is_settled()).collect();
        Map { sites, flaws, places }
    }
}

impl Sites<'_> {
    fn measure<'a, 'm>(&'a self, scene: &'a Scene<'m>, pid: usize) -> Measure<'a, 'm> {
        Measure { scene, combine: self.combine, pid }
    }

    /// The lesser of `soonest` and the number of statements until the process or one that it creates fails, flaws aside.
    fn sooner(&self, scene: &Scene<'_>, pid: usize, mut soonest: Cost) -> Cost {
        let (map, measure) = (&self.maps[scene.proctype(pid).index()], self.measure(scene, pid));
        let Place { ahead, created, pending, .. } = &map.places[scene.location(pid) as usize];
        soonest = created.map_or(soonest, |created| soonest.min(created + pending));
        for &(distance, site) in ahead {
            if soonest <= 1 + distance + pending {
                break; // those behind are no nearer
            }
            if let Some(condition) = measure.statements(&map.sites[site].fails, &mut Unnoted) {
                soonest = soonest.min(1 + self.combine.of(distance, condition) + pending);
            }
        }
        soonest
    }

    /// The number of statements until a process fails by a flaw.
    fn flaw<N: Notes>(&self, scene: &Scene<'_>, notes: &mut N) -> Option<Cost> {
        let mut soonest = None;
        for pid in 0..scene.processes() {
            let (map, measure) = (&self.maps[scene.proctype(pid).index()], self.measure(scene, pid));
            for site in map.flaws.iter().map(|flaw| &map.sites[*flaw]) {
                if let Some(condition) = measure.statements(&site.fails, notes) {
                    notes.read(scene.location_bytes(pid));
                    let at = scene.location(pid) as usize;
                    let fails = |distance| 1 + self.combine.of(distance, condition) + map.places[at].pending;
                    soonest = nearer(soonest, site.distances[at].map(fails));
                }
            }
        }
        soonest
    }
}

/// The first part is the nearest flaw; it changes only when processes come and go, unless there is one. Then comes for each
/// process how soon it can fail at best. Conditions are read in the end, and only of those who may be the first to fail.
impl Parts for Sites<'_> {
    /// [`NEVER`] for what does not come.
    type Value = Cost;

    fn count(&self, scene: &Scene<'_>) -> usize {
        1 + scene.processes()
    }

    fn value<N: Notes>(&self, scene: &Scene<'_>, part: usize, notes: &mut N) -> Cost {
        let Some(pid) = part.checked_sub(1) else { return self.flaw(scene, notes).unwrap_or(NEVER) };
        notes.read(scene.location_bytes(pid));
        self.maps[scene.proctype(pid).index()].places[scene.location(pid) as usize].least
    }

    fn whole(
        &self,
        scene: &Scene<'_>,
        mut values: impl Iterator<Item = Cost> + Clone,
        below: Cost,
    ) -> Option<Estimated> {
        let mut soonest = values.next().unwrap_or(NEVER).min(below);
        let hopeful = values.clone().enumerate().min_by_key(|(_, least)| *least);
        if let Some((hopeful, least)) = hopeful
            && least < soonest
        {
            soonest = self.sooner(scene, hopeful, soonest);
            for (pid, least) in values.enumerate() {
                if least < soonest && pid != hopeful {
                    soonest = self.sooner(scene, pid, soonest);
                }
            }
        }
        (soonest < NEVER).then_some(Estimated::from(soonest))
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

    use crate::parts::nearer_estimate;
    use crate::testing::model;
    use crate::{Combine, Goal, Guide, Heuristic};

    /// What is known of the sum, and what it and the maximum say of each reachable state.
    fn sum_and_max(text: &str) -> (Guarantee, [Vec<Option<Cost>>; 2]) {
        let (model, states) = model_and_states(text);
        let target = Goal::Errors(&[ViolationKind::Assertion]);
        let [sum, max] = [Combine::Sum, Combine::Max]
            .map(|combine| Guide::new(&model, Heuristic::Formula(combine), target).expect("it fits"));
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
                kinds.map(|kinds| Guide::new(&model, heuristic, Goal::Errors(kinds)).expect("it fits"));
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
