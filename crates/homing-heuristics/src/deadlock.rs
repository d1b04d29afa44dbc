//! Deadlocks: every process has to come to a location where it can be blocked, and to be blocked there (paper 1, §4,
//! "Characterization of Deadlocks"). Such locations are inferred, those where every statement can block; labels that begin
//! with `danger` are the user's choice instead (H_f+U in §6.2).
//!
//! What a process costs until then (`statements`): a statement belongs to one process, and at an invalid end state all that
//! was absorbed is paid for. So the *sum* over the processes of their distances in their graphs is never too large, and falls
//! by no more than a step costs; a process can also end, and one that is created only adds. The conditions can be brought
//! about by others, so they go with the maximum: it is consistent, their sum is a guess. So is the user's choice.
//!
//! Differs from the paper: the end of a process counts as a way out of it; with [`Combine::Max`] the sum of the distances
//! alone is a second bound.

use homing_core::{Cost, Estimated, Guarantee};
use homing_ir::{Action, Location, Model, ProctypeId};

use crate::distance::{Charge, to_locations, to_statements};
use crate::executable::{Scene, never_blocks};
use crate::formula::{Builder, Combine, Formula, Measure};
use crate::notes::{Notes, Unnoted};
use crate::parts::{Parts, nearer};

/// How the processes are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Together {
    /// The sum of what blocks each.
    Sum,
    /// The greatest of what blocks each.
    Max,
    /// The greatest of what blocks each, or the sum of the distances if that is more.
    Bound,
}

/// A process type.
struct Map<'m> {
    /// When a process is blocked at a location.
    stops: Vec<Formula<'m>>,
    /// By location.
    places: Vec<Place>,
    /// What counts for a process that comes to no stop. None where the stops are all there are.
    lost: Option<Cost>,
}

/// A location.
struct Place {
    /// The stops it leads to with their distances, the nearest first.
    ahead: Vec<(Cost, usize)>,
    /// To the end of the process, which is executed.
    end: Option<Cost>,
    pending: Cost,
}

pub struct Deadlock<'m> {
    maps: Vec<Map<'m>>,
    combine: Combine,
    together: Together,
    guarantee: Guarantee,
}

impl<'m> Deadlock<'m> {
    /// By the conditions under which processes are blocked.
    pub fn by_formula(model: &'m Model, combine: Combine) -> Self {
        let builder = Builder::new(model, Charge::Full);
        let is_labelled = model.has_label(|labels| labels.danger);
        let (together, guarantee) = match combine {
            Combine::Sum => (Together::Sum, Guarantee::Guess),
            Combine::Max if is_labelled => (Together::Max, Guarantee::Guess),
            Combine::Max => (Together::Bound, Guarantee::Consistent),
        };
        let map = |id: ProctypeId| Map::of(model, id, |location| blocked_at(&builder, id, location));
        Self::of(model, combine, together, guarantee, map)
    }

    /// By the distances in the graphs of the processes alone.
    pub fn by_distance(model: &'m Model, combine: Combine) -> Self {
        let is_labelled = model.has_label(|labels| labels.danger);
        let guarantee = if is_labelled { Guarantee::Guess } else { Guarantee::Consistent };
        let together = match combine {
            Combine::Sum => Together::Sum,
            Combine::Max => Together::Max,
        };
        let map = |id: ProctypeId| Map::of(model, id, |_| Formula::Anything);
        Self::of(model, combine, together, guarantee, map)
    }

    fn of(
        model: &'m Model,
        combine: Combine,
        together: Together,
        guarantee: Guarantee,
        map: impl Fn(ProctypeId) -> Map<'m>,
    ) -> Self {
        let maps = (0..model.proctypes.len() as u32).map(|id| map(ProctypeId(id))).collect();
        Deadlock { maps, combine, together, guarantee }
    }
}

/// No statement of the location can be executed. A process that may not run is blocked as well.
fn blocked_at<'m>(builder: &Builder<'m>, id: ProctypeId, location: &'m Location) -> Formula<'m> {
    let proctype = builder.model.proctype(id);
    if may_be_held(builder.model, id) {
        return Formula::Anything;
    }
    let statements = location.transitions.iter().map(|transition| transition.statement);
    Formula::all(statements.map(|id_of| builder.blocked(id, &proctype.automaton.statement(id_of).action)))
}

/// Whether something else than its statements can block a process.
fn may_be_held(model: &Model, id: ProctypeId) -> bool {
    model.features.priorities || model.proctype(id).provided.is_some()
}

/// Whether a process can be blocked at a location.
fn is_dangerous(model: &Model, id: ProctypeId, location: &Location) -> bool {
    let automaton = &model.proctype(id).automaton;
    let can_block = |statement| !never_blocks(&automaton.statement(statement).action);
    may_be_held(model, id) || location.transitions.iter().all(|transition| can_block(transition.statement))
}

impl<'m> Map<'m> {
    fn of(model: &'m Model, id: ProctypeId, blocked: impl Fn(&'m Location) -> Formula<'m>) -> Self {
        let automaton = &model.proctype(id).automaton;
        let is_labelled = automaton.locations.iter().any(|location| location.labels.danger);
        let mut ahead = vec![Vec::new(); automaton.locations.len()];
        let mut stops = Vec::new();
        for (at, location) in automaton.locations.iter().enumerate().skip(1) {
            let is_stop = if is_labelled { location.labels.danger } else { is_dangerous(model, id, location) };
            if is_stop {
                let distances = to_locations(automaton, Charge::Full, [at as u32]);
                for (from, distance) in distances.into_iter().enumerate() {
                    ahead[from].extend(distance.map(|distance| (distance, stops.len())));
                }
                stops.push(blocked(location));
            }
        }
        let end = to_statements(automaton, |_, action| matches!(action, Action::End).then_some(1));
        let places = automaton.locations.iter().zip(ahead).zip(end).map(|((location, mut ahead), end)| {
            ahead.sort_unstable();
            Place { ahead, end, pending: location.pending }
        });
        let lost = is_labelled.then_some(automaton.locations.len() as Cost);
        Map { stops, places: places.collect(), lost }
    }
}

impl Map<'_> {
    /// What counts for a process, with what is pending where it stands.
    fn with_pending(&self, place: &Place, cost: Option<Cost>) -> Option<Cost> {
        cost.or(self.lost).map(|cost| cost + place.pending)
    }
}

/// What it takes to block a process, or to end it.
#[derive(Clone, Copy, Debug)]
pub struct Blocking {
    /// The least number of its own statements.
    statements: Option<Cost>,
    /// With the conditions.
    blocked: Option<Cost>,
}

impl Deadlock<'_> {
    fn map_and_place(&self, scene: &Scene<'_>, pid: usize) -> (&Map<'_>, &Place) {
        let map = &self.maps[scene.proctype(pid).index()];
        (map, &map.places[scene.location(pid) as usize])
    }

    /// [`Blocking::statements`] of a process, which depends on where it stands.
    fn statements(&self, scene: &Scene<'_>, pid: usize) -> Option<Cost> {
        let (map, place) = self.map_and_place(scene, pid);
        let nearest = place.ahead.first().map(|&(distance, _)| distance);
        map.with_pending(place, nearer(nearest, place.end))
    }

    /// [`Blocking::blocked`] of a process, which depends on where it stands and on what is noted. It is no less.
    fn blocked<N: Notes>(&self, scene: &Scene<'_>, pid: usize, notes: &mut N) -> Option<Cost> {
        let (map, place) = self.map_and_place(scene, pid);
        let measure = Measure { scene, combine: self.combine, pid };
        let mut blocked = place.end;
        for &(distance, stop) in &place.ahead {
            if blocked.is_some_and(|blocked| blocked <= distance) {
                break; // those behind are no nearer
            }
            let condition = measure.statements(&map.stops[stop], notes);
            blocked = nearer(blocked, condition.map(|condition| self.combine.of(distance, condition)));
        }
        map.with_pending(place, blocked)
    }
}

impl Parts for Deadlock<'_> {
    type Value = Blocking;

    fn value<N: Notes>(&self, scene: &Scene<'_>, pid: usize, notes: &mut N) -> Blocking {
        notes.read(scene.location_bytes(pid));
        Blocking { statements: self.statements(scene, pid), blocked: self.blocked(scene, pid, notes) }
    }

    fn whole(&self, _: &Scene<'_>, values: impl Iterator<Item = Blocking> + Clone, _: Cost) -> Option<Estimated> {
        let (mut greatest, mut blocked, mut statements) = (0, 0, 0);
        for value in values {
            let (Some(all), Some(own)) = (value.blocked, value.statements) else { return None };
            greatest = all.max(greatest);
            blocked = all.saturating_add(blocked);
            statements = own.saturating_add(statements);
        }
        Some(Estimated::from(match self.together {
            Together::Sum => blocked,
            Together::Max => greatest,
            Together::Bound => greatest.max(statements),
        }))
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }
}

/// The same beside errors that are mostly nearer: conditions are read in the end, and only as long as a deadlock may be the
/// nearest error.
pub struct Late<'m>(pub Deadlock<'m>);

impl Parts for Late<'_> {
    /// [`Blocking::statements`].
    type Value = Option<Cost>;

    fn value<N: Notes>(&self, scene: &Scene<'_>, pid: usize, notes: &mut N) -> Option<Cost> {
        notes.read(scene.location_bytes(pid));
        self.0.statements(scene, pid)
    }

    fn whole(
        &self,
        scene: &Scene<'_>,
        values: impl Iterator<Item = Option<Cost>> + Clone,
        below: Cost,
    ) -> Option<Estimated> {
        let Late(deadlock) = self;
        let together = |one: Cost, other: Cost| match deadlock.together {
            Together::Sum | Together::Bound => one.saturating_add(other),
            Together::Max => one.max(other),
        };
        // what it takes at least, and then with one condition after the other
        let mut least = values.clone().try_fold(0, |all, own| own.map(|own| together(all, own)));
        for (pid, own) in values.enumerate() {
            let Some(known) = least.filter(|&least| least < below) else { break };
            least = deadlock.blocked(scene, pid, &mut Unnoted).map(|blocked| match deadlock.together {
                Together::Sum => known.saturating_add(blocked - own.unwrap_or(blocked)),
                Together::Max | Together::Bound => known.max(blocked),
            });
        }
        least.map(Estimated::from)
    }

    fn guarantee(&self) -> Guarantee {
        self.0.guarantee
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::ByParts;
    use crate::testing::{at_start, model};

    fn both(text: &str) -> [Option<Cost>; 4] {
        let model = model(text);
        let all = [
            Deadlock::by_formula(&model, Combine::Max),
            Deadlock::by_formula(&model, Combine::Sum),
            Deadlock::by_distance(&model, Combine::Max),
            Deadlock::by_distance(&model, Combine::Sum),
        ];
        all.map(|deadlock| at_start(&model, ByParts::new(&model, deadlock)))
    }

    #[test]
    fn processes_come_to_where_they_block() {
        let text = "byte x; active proctype P() { x = 1; x = 2; x == 9 } active proctype Q() { x = 3; x > 3 }";
        assert_eq!(both(text), [Some(3), Some(3), Some(2), Some(3)]);
        assert_eq!(both("byte x = 3; active proctype P() { do :: x == 3 :: x = 1; x = 0 od }")[0], None);
    }

    #[test]
    fn conditions_have_to_fail() {
        let fill = "chan q = [4] of {byte}; active proctype P() { do :: q!1 od } active proctype Q() { do :: q?_ od }";
        assert_eq!(both(fill)[..2], [Some(4), Some(4)]);
    }

    #[test]
    fn the_user_knows_better() {
        let text = "byte x; active proctype P() { x == 1; x == 2; danger: x == 3; x == 4 }";
        assert_eq!(both(text), [Some(2), Some(2), Some(2), Some(2)]);
    }
}
