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

use crate::distance::{AllDistances, Charge, Distances, by_descendants, to_locations, with_descendants};
use crate::executable::Executable;
use crate::formula::{Combine, Formula, Measure};
use crate::notes::Notes;
use crate::parts::{Parts, nearer};

/// A statement that can fail.
struct Site<'m> {
    location: u32,
    /// When it fails.
    fails: Formula<'m>,
}

/// The sites of a process type.
struct Map<'m> {
    sites: Vec<Site<'m>>,
    /// By location: the sites it leads to with their distances, the nearest first.
    ahead: Vec<Vec<(Cost, usize)>>,
    /// By location: until a process that is created fails.
    created: Distances,
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
            let mut sites = Vec::new();
            for (at, location) in automaton.locations.iter().enumerate() {
                for transition in &location.transitions {
                    if let Some(fails) = fails(id, &automaton.statement(transition.statement).action) {
                        sites.push(Site { location: at as u32, fails });
                    }
                }
            }
            sites
        };
        let all: Vec<Vec<Site<'m>>> = (0..model.proctypes.len() as u32).map(|id| sites(ProctypeId(id))).collect();
        let distances =
            with_descendants(model, Charge::Full, |id| all[id.index()].iter().map(|site| (site.location, 1)).collect());
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
        for (at, site) in sites.iter().enumerate() {
            let distances = to_locations(automaton, Charge::Full, [site.location]);
            for (location, distance) in distances.into_iter().enumerate() {
                ahead[location].extend(distance.map(|distance| (distance, at)));
            }
        }
        ahead.iter_mut().for_each(|list| list.sort_unstable());
        Map { sites, ahead, created: by_descendants(model, id, all) }
    }
}

impl Parts for Sites<'_> {
    /// Until the process or one that it creates fails.
    type Value = Option<Cost>;

    fn value<N: Notes>(&self, reader: &Reader<'_>, pid: usize, notes: &mut N) -> Option<Cost> {
        notes.read(reader.location_bytes(pid));
        let map = &self.maps[reader.proctype(pid).index()];
        let at = reader.location(pid) as usize;
        let measure = Measure { reader, executable: &self.executable, combine: self.combine, pid };
        let mut least = map.created[at];
        for &(distance, site) in &map.ahead[at] {
            if least.is_some_and(|least| least <= 1 + distance) {
                break; // those behind are no nearer
            }
            let condition = measure.statements(&map.sites[site].fails, notes);
            least = nearer(least, condition.map(|condition| 1 + self.combine.of(distance, condition)));
        }
        least.map(|least| least + reader.standing(pid).pending)
    }

    fn total(&self, values: impl Iterator<Item = Option<Cost>> + Clone) -> Option<Cost> {
        values.fold(None, nearer)
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }
}
