//! Deadlocks: every process has to reach a location where it can be blocked, and to be blocked there ([ELL-04] §4,
//! "Characterization of Deadlocks"). These locations, called stops, are inferred: those where every statement can
//! block. Labels that begin with `danger` replace them by the user's choice (H_f+U in [ELL-04] §6.2).
//!
//! Guarantees. Each statement belongs to one process, and an invalid end state has paid for all absorbed statements. So
//! the *sum* over the processes of the distances in their graphs is admissible and consistent; a process may end
//! instead of reaching a stop, and a created process only adds to the sum. The conditions at the stops can be brought
//! about by other processes, so only the *maximum* over the processes is consistent if they count; their sum is a
//! guess. So is every estimate that uses `danger` labels. In a network a step moves several processes at the cost of one, so that
//! the sum of the distances is a guess, too.
//!
//! Differs from the paper: a process may also end; with [`Combine::Max`] the sum of the distances alone is a second
//! bound.

use homing_core::{Cost, Estimated, Guarantee};
use homing_ir::{Action, Location, Model, ProctypeId};

use crate::distance::{Deferred, to_locations, to_statements};
use crate::executable::{StateView, never_blocks};
use crate::formula::{Combine, Formula, FormulaBuilder, Measure};
use crate::incremental::{Decomposed, nearer};
use crate::read_set::{ReadSet, Untracked};

/// How the estimates of the processes are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aggregate {
    /// The sum of [`Blocking::blocked`].
    Sum,
    /// The maximum of [`Blocking::blocked`].
    Max,
    /// The maximum of [`Blocking::blocked`], or the sum of [`Blocking::statements`] if that is greater.
    Bound,
}

/// The stops of a process type.
struct ProctypeStops<'m> {
    /// By stop: the condition under which a process is blocked there.
    stops: Vec<Formula<'m>>,
    by_location: Vec<LocationStops>,
    /// The cost of a process that can reach no stop. `None` if the stops are all locations where it can be blocked:
    /// then no deadlock is reachable.
    unreachable: Option<Cost>,
}

/// The stops that can be reached from a location.
struct LocationStops {
    /// With their distances, the nearest first.
    ahead: Vec<(Cost, usize)>,
    /// The distance to the end of the process, the end statement included.
    end: Option<Cost>,
    /// The cost of absorbed statements that is still to be paid here.
    pending: Cost,
}

pub struct Deadlock<'m> {
    by_proctype: Vec<ProctypeStops<'m>>,
    combine: Combine,
    aggregate: Aggregate,
    guarantee: Guarantee,
}

impl<'m> Deadlock<'m> {
    /// The estimate with the conditions under which processes are blocked.
    pub fn by_formula(model: &'m Model, combine: Combine) -> Self {
        let builder = FormulaBuilder::new(model, Deferred::Counted);
        let is_labelled = model.has_label(|labels| labels.danger);
        let (aggregate, guarantee) = match combine {
            Combine::Sum => (Aggregate::Sum, Guarantee::Guess),
            Combine::Max if is_labelled => (Aggregate::Max, Guarantee::Guess),
            Combine::Max if model.features.network => (Aggregate::Max, Guarantee::Consistent),
            Combine::Max => (Aggregate::Bound, Guarantee::Consistent),
        };
        let stops = |id: ProctypeId| ProctypeStops::of(model, id, |location| blocked_at(&builder, id, location));
        Self::of(model, combine, aggregate, guarantee, stops)
    }

    /// The estimate from the distances in the graphs of the processes alone.
    pub fn by_distance(model: &'m Model, combine: Combine) -> Self {
        let is_labelled = model.has_label(|labels| labels.danger);
        let is_guess = is_labelled || model.features.network && combine == Combine::Sum;
        let guarantee = if is_guess { Guarantee::Guess } else { Guarantee::Consistent };
        let aggregate = match combine {
            Combine::Sum => Aggregate::Sum,
            Combine::Max => Aggregate::Max,
        };
        let stops = |id: ProctypeId| ProctypeStops::of(model, id, |_| Formula::Anything);
        Self::of(model, combine, aggregate, guarantee, stops)
    }

    fn of(
        model: &'m Model,
        combine: Combine,
        aggregate: Aggregate,
        guarantee: Guarantee,
        stops: impl Fn(ProctypeId) -> ProctypeStops<'m>,
    ) -> Self {
        let by_proctype = (0..model.proctypes.len() as u32).map(|id| stops(ProctypeId(id))).collect();
        Deadlock { by_proctype, combine, aggregate, guarantee }
    }
}

/// The condition that no statement of the location can be executed. A process that is held back is blocked as well.
fn blocked_at<'m>(builder: &FormulaBuilder<'m>, id: ProctypeId, location: &'m Location) -> Formula<'m> {
    let proctype = builder.model.proctype(id);
    if may_be_held(builder.model, id) {
        return Formula::Anything;
    }
    let statements = location.transitions.iter().map(|transition| transition.statement);
    Formula::all(statements.map(|id_of| builder.blocked(id, &proctype.automaton.statement(id_of).action)))
}

/// Whether a process can be blocked by something other than its statements: its `provided` clause, its priority, the invariant of a
/// location or a committed location of another process.
fn may_be_held(model: &Model, id: ProctypeId) -> bool {
    let mut locations = model.proctypes.iter().flat_map(|proctype| &proctype.automaton.locations);
    model.features.priorities
        || model.proctype(id).provided.is_some()
        || model.features.network && locations.any(|location| location.committed || location.invariant.is_some())
}

/// Whether a process can be blocked at a location; if so, it is a stop unless labels say otherwise.
fn is_blockable(model: &Model, id: ProctypeId, location: &Location) -> bool {
    let automaton = &model.proctype(id).automaton;
    let can_block = |statement| !never_blocks(&automaton.statement(statement).action);
    may_be_held(model, id) || location.transitions.iter().all(|transition| can_block(transition.statement))
}

impl<'m> ProctypeStops<'m> {
    fn of(model: &'m Model, id: ProctypeId, blocked: impl Fn(&'m Location) -> Formula<'m>) -> Self {
        let automaton = &model.proctype(id).automaton;
        let is_labelled = automaton.locations.iter().any(|location| location.labels.danger);
        let mut ahead = vec![Vec::new(); automaton.locations.len()];
        let mut stops = Vec::new();
        for (at, location) in automaton.locations.iter().enumerate().skip(1) {
            let is_stop = if is_labelled { location.labels.danger } else { is_blockable(model, id, location) };
            if is_stop {
                let distances = to_locations(automaton, Deferred::Counted, [at as u32]);
                for (from, distance) in distances.into_iter().enumerate() {
                    ahead[from].extend(distance.map(|distance| (distance, stops.len())));
                }
                stops.push(blocked(location));
            }
        }
        let end = to_statements(automaton, |_, action| matches!(action, Action::End).then_some(1));
        let by_location = automaton.locations.iter().zip(ahead).zip(end).map(|((location, mut ahead), end)| {
            ahead.sort_unstable();
            LocationStops { ahead, end, pending: location.pending }
        });
        let unreachable = is_labelled.then_some(automaton.locations.len() as Cost);
        ProctypeStops { stops, by_location: by_location.collect(), unreachable }
    }
}

impl ProctypeStops<'_> {
    /// The cost of a process at the location, with what is pending there.
    fn with_pending(&self, location: &LocationStops, cost: Option<Cost>) -> Option<Cost> {
        cost.or(self.unreachable).map(|cost| cost + location.pending)
    }
}

/// The cost until a process is blocked or has ended.
#[derive(Clone, Copy, Debug)]
pub struct Blocking {
    /// The least number of its own statements.
    statements: Option<Cost>,
    /// With the conditions at the stops; no less than `statements`.
    blocked: Option<Cost>,
}

impl Deadlock<'_> {
    fn stops_of(&self, view: &StateView<'_>, pid: usize) -> (&ProctypeStops<'_>, &LocationStops) {
        let stops = &self.by_proctype[view.proctype(pid).index()];
        (stops, &stops.by_location[view.location(pid) as usize])
    }

    /// [`Blocking::statements`] of a process. Depends only on its location.
    fn statements(&self, view: &StateView<'_>, pid: usize) -> Option<Cost> {
        let (stops, location) = self.stops_of(view, pid);
        let nearest = location.ahead.first().map(|&(distance, _)| distance);
        stops.with_pending(location, nearer(nearest, location.end))
    }

    /// [`Blocking::blocked`] of a process. Depends on its location and on what is recorded in `reads`.
    fn blocked<R: ReadSet>(&self, view: &StateView<'_>, pid: usize, reads: &mut R) -> Option<Cost> {
        let (stops, location) = self.stops_of(view, pid);
        let measure = Measure { view, combine: self.combine, pid };
        let mut blocked = location.end;
        for &(distance, stop) in &location.ahead {
            if blocked.is_some_and(|blocked| blocked <= distance) {
                break; // the following stops are no nearer
            }
            let condition = measure.statements(&stops.stops[stop], reads);
            blocked = nearer(blocked, condition.map(|condition| self.combine.of(distance, condition)));
        }
        stops.with_pending(location, blocked)
    }
}

impl Decomposed for Deadlock<'_> {
    type Part = Blocking;

    fn part<R: ReadSet>(&self, view: &StateView<'_>, pid: usize, reads: &mut R) -> Blocking {
        reads.read(view.location_bytes(pid));
        Blocking { statements: self.statements(view, pid), blocked: self.blocked(view, pid, reads) }
    }

    fn estimate(&self, _: &StateView<'_>, parts: impl Iterator<Item = Blocking> + Clone, _: Cost) -> Option<Estimated> {
        let (mut greatest, mut blocked, mut statements) = (0, 0, 0);
        for value in parts {
            let (Some(all), Some(own)) = (value.blocked, value.statements) else { return None };
            greatest = all.max(greatest);
            blocked = all.saturating_add(blocked);
            statements = own.saturating_add(statements);
        }
        Some(Estimated::from(match self.aggregate {
            Aggregate::Sum => blocked,
            Aggregate::Max => greatest,
            Aggregate::Bound => greatest.max(statements),
        }))
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }
}

/// [`Deadlock`] for a search that also looks for errors which are mostly nearer: conditions are evaluated last, and
/// only while a deadlock may be the nearest error.
pub struct LazyDeadlock<'m>(pub Deadlock<'m>);

impl Decomposed for LazyDeadlock<'_> {
    /// [`Blocking::statements`].
    type Part = Option<Cost>;

    fn part<R: ReadSet>(&self, view: &StateView<'_>, pid: usize, reads: &mut R) -> Option<Cost> {
        reads.read(view.location_bytes(pid));
        self.0.statements(view, pid)
    }

    fn estimate(
        &self,
        view: &StateView<'_>,
        parts: impl Iterator<Item = Option<Cost>> + Clone,
        below: Cost,
    ) -> Option<Estimated> {
        let LazyDeadlock(deadlock) = self;
        let aggregate = |one: Cost, other: Cost| match deadlock.aggregate {
            Aggregate::Sum | Aggregate::Bound => one.saturating_add(other),
            Aggregate::Max => one.max(other),
        };
        // first the lower bound without conditions, then with one condition after the other
        let mut least = parts.clone().try_fold(0, |all, own| own.map(|own| aggregate(all, own)));
        for (pid, own) in parts.enumerate() {
            let Some(known) = least.filter(|&least| least < below) else { break };
            least = deadlock.blocked(view, pid, &mut Untracked).map(|blocked| match deadlock.aggregate {
                Aggregate::Sum => known.saturating_add(blocked - own.unwrap_or(blocked)),
                Aggregate::Max | Aggregate::Bound => known.max(blocked),
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
    use crate::incremental::Incremental;
    use crate::testing::{at_start, model};

    fn both(text: &str) -> [Option<Cost>; 4] {
        let model = model(text);
        let all = [
            Deadlock::by_formula(&model, Combine::Max),
            Deadlock::by_formula(&model, Combine::Sum),
            Deadlock::by_distance(&model, Combine::Max),
            Deadlock::by_distance(&model, Combine::Sum),
        ];
        all.map(|deadlock| at_start(&model, Incremental::new(&model, deadlock)))
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
