//! The steps of one state, as they are shown. What nearly all of them are like takes a short way.

use std::ops::ControlFlow;

use homing_core::{Condition, Cost, StateId, Step, Stop, Target, Violation, Watch};
use homing_store::{Recall, Store};

use super::{Batch, Event, Pending, is_met};
use crate::buckets::Found;
use crate::common::{Access, Common};

/// The steps of one state between two looks of the watch: they can be very many.
const LOOK_EVERY_STEPS: u32 = 1 << 18;

fn is_time_to_look(ordinal: u32) -> bool {
    (ordinal + 1).is_multiple_of(LOOK_EVERY_STEPS)
}

/// A state that is being expanded.
pub(super) struct Expanding<'x, 'c, 'm, 'a, A, S: Store, E, W> {
    pub common: &'x Common<'c, A, S, E>,
    pub access: &'x mut Access<'m, 'a, S>,
    pub cursor: &'x mut S::Cursor,
    pub batch: &'x mut Batch<S::Key>,
    pub found: &'x mut Found<A, S::Key>,
    pub watch: &'x mut W,
    pub u: StateId,
    /// The length of the path to it.
    pub now: Cost,
}

impl<A, S, E, W> Expanding<'_, '_, '_, '_, A, S, E, W>
where
    S: Store,
    E: Fn(&Violation) -> bool,
    W: Watch,
{
    #[inline(always)]
    pub fn take(&mut self, step: Step<'_, A>) -> ControlFlow<()> {
        let (ordinal, asleep) = (step.ordinal, step.sleep);
        if S::RECALL == Recall::ByKey
            && let Target::State(target) = step.target
            && let Some(g) = self.common.lengthen(self.now, step.cost)
            && let Some(key) = self.access.store.quick_key(self.cursor, target, step.changed)
        {
            self.batch.lately.prefetch(key); // whether it was met is seen when there are many
            self.batch.pending.push(Pending { key, u: self.u, ordinal, g: Some(g), length: 0, asleep });
            return if is_time_to_look(ordinal) { self.look() } else { ControlFlow::Continue(()) };
        }
        self.take_otherwise(step)
    }

    #[inline(never)]
    fn take_otherwise(&mut self, step: Step<'_, A>) -> ControlFlow<()> {
        let (ordinal, asleep) = (step.ordinal, step.sleep);
        if matches!(step.target, Target::Violation(_)) && !step.movers.is_empty() && !Condition::SleepFailure.is_off() {
            self.common.stop_skipping();
        }
        let Expanding { common, access, cursor, batch, found, .. } = self;
        let u = self.u;
        let g = common.lengthen(self.now, step.cost);
        match step.target {
            Target::State(target) => {
                let key = match access.until_room(|memory| memory.store.key(cursor, target, step.changed)) {
                    Ok(key) => key,
                    Err(limit) => {
                        common.stop(limit);
                        return ControlFlow::Break(());
                    }
                };
                if S::RECALL == Recall::ByKey {
                    batch.pending.push(Pending { key, u, ordinal, g, length: 0, asleep });
                } else if is_met::<S>(&mut batch.lately, key, g) {
                    batch.again += 1;
                } else {
                    access.store.prefetch(key);
                    batch.bytes.extend_from_slice(target);
                    let length = target.len() as u32;
                    batch.pending.push(Pending { key, u, ordinal, g, length, asleep });
                }
            }
            Target::Violation(violation) if !(common.is_error)(&violation) => {}
            Target::Violation(violation) => match g {
                Some(g) => {
                    found.push_event(g, Event { u, action: step.action, violation });
                    common.met_error(g);
                }
                None => common.leave_aside(),
            },
            Target::CutOff => {
                common.cut_off(g);
                let over = self.watch.after_cut_off(&self.common.progress(self.access));
                return self.going(over);
            }
        }
        if is_time_to_look(ordinal) { self.look() } else { ControlFlow::Continue(()) }
    }

    /// Lets the watch look, and tells whether the search goes on.
    #[cold]
    fn look(&mut self) -> ControlFlow<()> {
        let over = self.watch.look(&self.common.progress(self.access));
        self.going(over)
    }

    /// Whether the search goes on, unless there is a reason to end it.
    fn going(&self, over: Option<Stop>) -> ControlFlow<()> {
        if let Some(limit) = over {
            self.common.stop(limit);
        }
        if self.common.stopped().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
