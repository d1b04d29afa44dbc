//! A cycle through a component, and the lasso that leads to it.

use std::collections::{HashMap, VecDeque};

use homing_core::{Cost, Path, StateId, TransitionSystem, Violation};
use homing_store::LoadById;

use super::{Expander, Marks, OutEdge};

/// Steps, each with its cost.
pub(crate) type Steps<A> = Vec<(A, Cost)>;

/// The state before another on a path, and the step between them.
type Before<A, const N: usize> = (StateId, OutEdge<A, N>);

/// A lasso.
#[derive(Clone, Debug)]
pub(crate) struct Lasso<A> {
    pub stem: Steps<A>,
    pub cycle: Steps<A>,
}

impl<A> Lasso<A> {
    pub fn length(&self) -> Cost {
        self.stem.iter().chain(&self.cycle).map(|(_, cost)| cost).sum()
    }

    /// The lasso as a path to the error that its cycle is.
    pub fn into_path(self, violation: Violation) -> Path<A> {
        let (length, stem) = (self.length(), self.stem.len());
        let actions = self.stem.into_iter().chain(self.cycle).map(|(action, _)| action).collect();
        Path { actions, cycle: Some(stem), length, violation, shortest: false }
    }
}

/// Finds a cycle through `start`, among the states for which `is_inside` holds, that has all of `wanted`: from mark to nearest
/// mark, and back. `None` if there is none, or the system was stopped meanwhile.
pub(crate) fn close<T, S, const N: usize>(
    expander: &mut Expander<'_, T, S, N>,
    start: StateId,
    wanted: Marks<N>,
    is_inside: impl Fn(StateId) -> bool,
) -> Option<Steps<T::Action>>
where
    T: TransitionSystem,
    S: LoadById,
{
    let mut cycle = Vec::new();
    let (mut at, mut missing) = (start, wanted);
    while missing != Marks::NONE {
        let leads_on = |edge: &OutEdge<T::Action, N>| !edge.marks.is_disjoint(missing);
        let path = nearest(expander, at, leads_on, &is_inside)?;
        at = path.last().expect("a path has an edge").target;
        for edge in path {
            missing = missing.without(edge.marks);
            cycle.push((edge.action, edge.cost));
        }
    }
    if at != start || cycle.is_empty() {
        let path = nearest(expander, at, |edge| edge.target == start, &is_inside)?;
        cycle.extend(path.iter().map(|edge| (edge.action, edge.cost)));
    }
    Some(cycle)
}

/// A path from a state to one of some others, and where it leads. `None` if there is none, or the system was stopped meanwhile.
pub(crate) fn way_into<T, S, const N: usize>(
    expander: &mut Expander<'_, T, S, N>,
    from: StateId,
    is_inside: impl Fn(StateId) -> bool,
) -> Option<(Steps<T::Action>, StateId)>
where
    T: TransitionSystem,
    S: LoadById,
{
    let path = nearest(expander, from, |edge| is_inside(edge.target), |_| true)?;
    let entry = path.last().expect("a path has an edge").target;
    Some((path.iter().map(|edge| (edge.action, edge.cost)).collect(), entry))
}

/// The path with the fewest steps from a state to a state, inside a set of states; at least one step. `None` if there is none, or the
/// system was stopped meanwhile.
pub(crate) fn way_between<T, S, const N: usize>(
    expander: &mut Expander<'_, T, S, N>,
    (from, to): (StateId, StateId),
    is_inside: impl Fn(StateId) -> bool,
) -> Option<Steps<T::Action>>
where
    T: TransitionSystem,
    S: LoadById,
{
    let path = nearest(expander, from, |edge| edge.target == to, is_inside)?;
    Some(path.iter().map(|edge| (edge.action, edge.cost)).collect())
}

/// The path with the fewest steps that ends with an edge for which `is_last` holds, inside a set of states.
fn nearest<T, S, const N: usize>(
    expander: &mut Expander<'_, T, S, N>,
    from: StateId,
    is_last: impl Fn(&OutEdge<T::Action, N>) -> bool,
    is_inside: impl Fn(StateId) -> bool,
) -> Option<Vec<OutEdge<T::Action, N>>>
where
    T: TransitionSystem,
    S: LoadById,
{
    let mut reached: HashMap<StateId, Option<Before<T::Action, N>>> = HashMap::from([(from, None)]);
    let mut waiting = VecDeque::from([from]);
    while let Some(u) = waiting.pop_front() {
        for edge in expander.expand(u) {
            if !is_inside(edge.target) {
                continue;
            }
            if is_last(edge) {
                let mut path = vec![*edge];
                let mut at = u;
                while let Some((before, edge)) = reached[&at] {
                    path.push(edge);
                    at = before;
                }
                path.reverse();
                return Some(path);
            }
            if let std::collections::hash_map::Entry::Vacant(new) = reached.entry(edge.target) {
                new.insert(Some((u, *edge)));
                waiting.push_back(edge.target);
            }
        }
        if expander.is_stopped {
            return None;
        }
    }
    None
}
