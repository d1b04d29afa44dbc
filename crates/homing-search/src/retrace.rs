//! The steps between the states of a way, found by expanding them again.

use std::ops::ControlFlow;

use homing_core::{Cost, Selection, State, StateId, Target, TransitionSystem};
use homing_store::{Interned, Store};

/// The actions and the length of the way through these states, the first of which is the initial one: by the step that
/// `ordinal` tells for the state it leads to, or by the cheapest that leads there. None if the system was told to stop.
///
/// # Panics
/// If no step leads from a state to the next.
pub(crate) fn retrace<T, S>(
    system: &T,
    store: &S,
    initial: &State,
    way: &[StateId],
    ordinal: impl Fn(StateId) -> Option<u32>,
) -> Option<(Vec<T::Action>, Cost)>
where
    T: TransitionSystem,
    S: Store,
{
    let mut cursor = store.cursor();
    let mut actions = Vec::with_capacity(way.len());
    let mut length = 0;
    let (mut s, mut next) = (initial.to_vec(), Vec::new());
    for &v in &way[1..] {
        store.set_parent(&mut cursor, &s, None);
        let told = ordinal(v);
        let mut best: Option<(Cost, T::Action)> = None;
        let (mut at, mut is_stopped) = (0, false);
        system.patiently(|| {
            system.for_each_step(&s, Selection::All, |step| {
                is_stopped |= step.is_stop();
                if let Target::State(target) = step.target
                    && best.is_none_or(|(cost, _)| step.cost < cost)
                {
                    let leads_there = match told {
                        Some(told) => at == told,
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
                at += 1;
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
