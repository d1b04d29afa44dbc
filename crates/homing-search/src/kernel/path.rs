//! Path reconstruction: parents are stored, and the steps between them are found by expanding the states again.

use std::ops::ControlFlow;

use homing_core::{Cost, Selection, State, StateId, Target, TransitionSystem};
use homing_store::{Interned, Store};

/// The actions and the length of the path through these states, the first of which is the initial one. A state is reached by the
/// step that `ordinal` says, or else by the cheapest that leads there. None if the stop token of the system is set.
///
/// # Panics
/// If no step leads from a state to the next.
pub(crate) fn find_steps<T, S>(
    system: &T,
    store: &S,
    initial: &State,
    states: &[StateId],
    ordinal: impl Fn(StateId) -> Option<u32>,
) -> Option<(Vec<T::Action>, Cost)>
where
    T: TransitionSystem,
    S: Store,
{
    let mut cursor = store.cursor();
    let mut actions = Vec::with_capacity(states.len());
    let mut length = 0;
    let (mut s, mut next) = (initial.to_vec(), Vec::new());
    for &v in &states[1..] {
        store.set_parent(&mut cursor, &s, None);
        let known = ordinal(v);
        let mut best: Option<(Cost, T::Action)> = None;
        let mut is_stopped = false;
        system.patiently(|| {
            system.for_each_step(&s, Selection::All, |step| {
                is_stopped |= step.is_stop();
                if let Target::State(target) = step.target
                    && best.is_none_or(|(cost, _)| step.cost < cost)
                {
                    let leads_there = match known {
                        Some(known) => step.ordinal == known,
                        None => {
                            let key = store.key(&mut cursor, target, step.changed);
                            key.is_ok_and(|key| store.find(key, target) == Some(Interned::Known(v)))
                        }
                    };
                    if leads_there {
                        best = Some((step.cost, step.action));
                        next.clear();
                        next.extend_from_slice(target);
                    }
                }
                ControlFlow::Continue(())
            })
        });
        if is_stopped {
            return None;
        }
        let (cost, action) = best.expect("a state is reached by a step of its parent");
        actions.push(action);
        length += cost;
        std::mem::swap(&mut s, &mut next);
    }
    Some((actions, length))
}
