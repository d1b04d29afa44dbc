//! Search for an accepting cycle by any number of threads: breadth-first, with all steps recorded, and the graph divided into
//! components by one thread.
//!
//! Executing the model takes far longer than following a recorded step, so that it is the part worth sharing. The same states are
//! visited for any number of threads, and so the verdict is the same. The graph is divided whenever it has three times as many
//! steps: that costs half as much again as dividing it once at the end, and an error near the initial state is found before
//! everything was visited.

use std::collections::HashSet;
use std::ops::ControlFlow;

use homing_core::{End, Limit, Outcome, StateId, TransitionSystem, Violation, Watch};
use homing_store::LoadById;

use crate::cycles::{Cycles, EdgeRecorder, Expander, Fairness, Graph, Lasso, Marks, close, fair_part, way_into};
use crate::{Objective, Reduction, bfs};

/// Explores from the initial state, with a thread for each of `systems`, which are one and the same system, until an accepting
/// cycle is found, or an error of `objective`. `store` is empty at the start.
///
/// # Panics
/// If there is no system.
pub fn search<T, S, E, W>(
    systems: &mut [T],
    objective: &Objective<'_, E>,
    cycles: &Cycles<'_>,
    store: &mut S,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem + Send,
    T::Action: Send,
    S: LoadById,
    E: Fn(&Violation) -> bool + Sync,
    W: Watch,
{
    if cycles.fit_in_one_word() {
        search_with::<T, S, E, W, 1>(systems, objective, cycles, store, watch)
    } else {
        search_with::<T, S, E, W, 5>(systems, objective, cycles, store, watch)
    }
}

/// So many steps are recorded before the graph is divided for the first time.
const FIRST_LOOK: usize = if cfg!(test) { 3 } else { 1 << 14 };

fn search_with<T, S, E, W, const N: usize>(
    systems: &mut [T],
    objective: &Objective<'_, E>,
    cycles: &Cycles<'_>,
    store: &mut S,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem + Send,
    T::Action: Send,
    S: LoadById,
    E: Fn(&Violation) -> bool + Sync,
    W: Watch,
{
    let (wanted, mut next_look) = (Marks::<N>::wanted(cycles), FIRST_LOOK);
    let mut look = |graph: &mut Graph<N>| {
        // under strong fairness a component has to be split, for which the search has to be over
        if graph.steps() < next_look || cycles.fairness == Fairness::Strong {
            return ControlFlow::Continue(());
        }
        next_look = 3 * graph.steps();
        let mut going = ControlFlow::Continue(());
        graph.for_each_accepting(wanted, |_| {
            going = ControlFlow::Break(());
            going
        });
        going
    };
    let recorder = |_| EdgeRecorder::<N>::new(cycles.fairness);
    let (mut outcome, graph) =
        bfs::search_recording(systems, (objective, None), Reduction::None, store, watch, recorder, &mut look);
    if let Some(path) = &mut outcome.path {
        path.shortest = false; // of the finite runs, but a lasso may be shorter
        return outcome;
    }
    let system = &systems[0];
    match system.patiently(|| lasso(system, store, &graph, (wanted, cycles.fairness))) {
        Ok(Some(lasso)) => {
            outcome.path = Some(lasso.into_path(cycles.violation.clone()));
            (outcome.end, outcome.errors) = (End::Found, 1);
        }
        Ok(None) => {}
        Err(Stopped) => outcome.end = End::limit(Limit::CutOff), // there was no time to build it
    }
    outcome
}

/// The stop token of the system was set.
struct Stopped;

/// A lasso through an accepting component of the graph, if it has one.
fn lasso<T, S, const N: usize>(
    system: &T,
    store: &S,
    graph: &Graph<N>,
    (wanted, fairness): (Marks<N>, Fairness),
) -> Result<Option<Lasso<T::Action>>, Stopped>
where
    T: TransitionSystem,
    S: LoadById,
{
    let mut expander = Expander::new(system, store, fairness);
    let mut found: Option<(Vec<StateId>, Marks<N>)> = None;
    graph.for_each_accepting(wanted, |states| {
        let states: Vec<StateId> = states.iter().map(|&state| StateId(state)).collect();
        found = match fairness {
            Fairness::Strong => fair_part(&mut expander, &states, wanted),
            Fairness::None | Fairness::Weak => Some((states, wanted)),
        };
        if found.is_some() || expander.is_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if expander.is_stopped {
        return Err(Stopped);
    }
    let Some((states, wanted)) = found else { return Ok(None) };
    let inside: HashSet<StateId> = states.into_iter().collect();
    let (root, is_inside) = (StateId(0), |id: StateId| inside.contains(&id));
    let (stem, entry) = match is_inside(root) {
        true => (Vec::new(), root),
        false => way_into(&mut expander, root, is_inside).ok_or(Stopped)?,
    };
    let cycle = close(&mut expander, entry, wanted, is_inside).ok_or(Stopped)?;
    Ok(Some(Lasso { stem, cycle }))
}
