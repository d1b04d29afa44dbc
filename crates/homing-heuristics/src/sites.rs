//! Errors that one statement makes: assertions, and whatever fails by itself. A process has to come to the statement, and
//! then its condition has to be false (paper 1, §4, "Violations of Assertions": (at u) and not a; the nearest counts).
//!
//! Consistent with [`Combine::Max`]. The process that fails executes the failing statement, and all before it: each counts
//! 1, also what it has absorbed, since it pays for that when it moves on; what was pending where it stands comes on top. A
//! process that is yet to be created has one that is there for an ancestor, and what its ancestors execute counts as well.
//! With each statement the distance of one process falls by 1 at most, and so does a condition (`formula.rs`).

use homing_core::{Cost, Guarantee};
use homing_engine::Reader;
use homing_ir::{Action, Model, ProctypeId};

use crate::distance::{AllDistances, Charge, by_descendants, to_locations, with_descendants};
use crate::executable::Executable;
use crate::formula::{Combine, Formula, Measure};
use crate::notes::Notes;
use crate::parts::{Parts, nearer};

/// Statements that can fail in the same way.
struct Site<'m> {
    locations: Vec<u32>,
    /// When they fail.
    fails: Formula<'m>,
}

/// The sites of a process type.
struct Map<'m> {
    sites: Vec<Site<'m>>,
    /// By location.
    places: Vec<Place>,
}

/// A location.
struct Place {
    /// The sites it leads to with their distances, the nearest first.
    ahead: Vec<(Cost, usize)>,
    /// Until a process that is created fails.
    created: Option<Cost>,
    pending: Cost,
}

/// The nearest statement that can fail.
pub struct Sites<'m> {
    maps: Vec<Map<'m>>,
    executable: Executable,
    combine: Combine,
    guarantee: Guarantee,
}

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
                            None => sites.push(Site { locations: vec![at], fails }),
                        }
                    }
                }
            }
            sites.sort_by_key(|site| !matches!(site.fails, Formula::Anything)); // what is nearest by itself comes first
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
        Sites { maps, executable: Executable::of(model), combine, guarantee }
    }
}

impl<'m> Map<'m> {
    fn of(model: &'m Model, id: ProctypeId, sites: Vec<Site<'m>>, all: &AllDistances) -> Self {
        let automaton = &model.proctype(id).automaton;
        let mut ahead = vec![Vec::new(); automaton.locations.len()];
        for (at, site) in sites.iter().enumerate().filter(|(_, site)| !matches!(site.fails, Formula::Never)) {
            let distances = to_locations(automaton, Charge::Full, site.locations.iter().copied());
            for (location, distance) in distances.into_iter().enumerate() {
                ahead[location].extend(distance.map(|distance| (distance, at)));
            }
        }
        let locations = automaton.locations.iter().zip(ahead).zip(by_descendants(model, id, all));
        let places = locations.map(|((location, mut ahead), created)| {
            ahead.sort_unstable();
            Place { ahead, created, pending: location.pending }
        });
        let places = places.collect();
        Map { sites, places }
    }
}

impl Parts for Sites<'_> {
    /// Until the process or one that it creates fails.
    type Value = Option<Cost>;

    fn value<N: Notes>(&self, reader: &Reader<'_>, pid: usize, notes: &mut N) -> Option<Cost> {
        notes.read(reader.location_bytes(pid));
        let map = &self.maps[reader.proctype(pid).index()];
        let Place { ahead, created, pending } = &map.places[reader.location(pid) as usize];
        let measure = Measure { reader, executable: &self.executable, combine: self.combine, pid };
        let mut least = *created;
        for &(distance, site) in ahead {
            if least.is_some_and(|least| least <= 1 + distance) {
                break; // those behind are no nearer
            }
            let condition = measure.statements(&map.sites[site].fails, notes);
            least = nearer(least, condition.map(|condition| 1 + self.combine.of(distance, condition)));
        }
        least.map(|least| least + pending)
    }

    fn total(&self, values: impl Iterator<Item = Option<Cost>> + Clone) -> Option<Cost> {
        values.fold(None, nearer)
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }
}
