//! The proviso of partial-order reduction, asked at the end of a search: from every state a state can be reached that was
//! expanded in full.
//!
//! Take a run to an error from a state of the reduced graph. If it has a step of the stubborn set, the first such step can be
//! moved to its front: the rest of the run is shorter. If it has none, it stays possible along the steps of the sets to the
//! nearest state that was expanded in full, and there its first step is taken. So no error, no deadlock and no statement that
//! can be executed is lost (Valmari 1989, where the states of terminal components are the ones that must not be reduced).
//!
//! What violates this is a terminal component of the graph of reduced states. One state of each is expanded in full: the least,
//! so that it does not depend on the order in which threads have found them. A state is looked at once in the whole search.

use std::collections::HashMap;
use std::ops::ControlFlow;

use homing_core::{Selection, State, StateId, Target, TransitionSystem};
use homing_store::{Interned, Recall, Store};

use super::nodes::Marks;
use super::shared::Growing;

/// The reduced states that were looked at: where they are in the search, or [`SETTLED`].
#[derive(Default)]
pub(crate) struct Settled {
    index: HashMap<StateId, u32>,
}

/// A state that was expanded in full can be reached.
const SETTLED: u32 = u32::MAX;

/// A state on the way of the search (Tarjan 1972).
struct Frame {
    targets: Vec<StateId>,
    next: usize,
    index: u32,
    low: u32,
    /// One of its component leads to a state from which one that was expanded in full can be reached.
    leads_out: Leads,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Leads {
    Out,
    NotYet,
}

/// Finds terminal components of the reduced states that can be reached from some of them.
pub(crate) struct Components<'x, T, S: Store, M> {
    system: &'x T,
    stubborn: Selection,
    growing: &'x Growing<'x, S, M>,
    cursor: S::Cursor,
    buffer: Vec<u8>,
    settled: &'x mut Settled,
}

impl<'x, T: TransitionSystem, S: Store, M: Marks> Components<'x, T, S, M> {
    /// Of the steps of reduced states that `stubborn` selects.
    pub fn new(system: &'x T, stubborn: Selection, growing: &'x Growing<'x, S, M>, settled: &'x mut Settled) -> Self {
        Components { system, stubborn, growing, cursor: growing.store.cursor(), buffer: Vec::new(), settled }
    }

    /// A state of each terminal component; `is_over` is asked now and then.
    pub fn terminal(&mut self, from: &[StateId], mut is_over: impl FnMut() -> bool) -> Vec<StateId> {
        let (mut chosen, mut frames, mut component) = (Vec::new(), Vec::<Frame>::new(), Vec::new());
        for &root in from {
            if self.is_done(root) {
                continue;
            }
            self.enter(root, &mut frames, &mut component);
            while let Some(frame) = frames.last_mut() {
                if let Some(&v) = frame.targets.get(frame.next) {
                    frame.next += 1;
                    match self.settled.index.get(&v) {
                        _ if !self.growing.nodes.marks.is_reduced(v) => frame.leads_out = Leads::Out,
                        Some(&SETTLED) => frame.leads_out = Leads::Out,
                        Some(&index) => frame.low = frame.low.min(index),
                        None => {
                            if component.len() % 1024 == 0 && is_over() {
                                return chosen;
                            }
                            self.enter(v, &mut frames, &mut component);
                        }
                    }
                    continue;
                }
                let Some(done) = frames.pop() else { break };
                let is_component = done.low == done.index;
                if is_component {
                    let members = component.split_off(done.index as usize);
                    if done.leads_out == Leads::NotYet {
                        chosen.push(self.least(&members));
                    }
                    members.iter().for_each(|&u| _ = self.settled.index.insert(u, SETTLED));
                }
                if let Some(above) = frames.last_mut() {
                    above.low = above.low.min(if is_component { above.low } else { done.low });
                    if is_component || done.leads_out == Leads::Out {
                        above.leads_out = Leads::Out;
                    }
                }
            }
        }
        chosen
    }

    /// Whether a state that was expanded in full can be reached for certain.
    fn is_done(&self, u: StateId) -> bool {
        !self.growing.nodes.marks.is_reduced(u) || self.settled.index.get(&u) == Some(&SETTLED)
    }

    fn enter(&mut self, u: StateId, frames: &mut Vec<Frame>, component: &mut Vec<StateId>) {
        let index = component.len() as u32;
        self.settled.index.insert(u, index);
        component.push(u);
        let targets = self.targets(u);
        frames.push(Frame { targets, next: 0, index, low: index, leads_out: Leads::NotYet });
    }

    /// Where the steps of the stubborn set of a state lead.
    fn targets(&mut self, u: StateId) -> Vec<StateId> {
        let Components { system, stubborn, growing, cursor, buffer, .. } = self;
        let s = S::Recall::load_stored(&*growing.store, cursor, u, None, buffer);
        let mut targets = Vec::new();
        system.for_each_step(s, *stubborn, |step| {
            if let Target::State(target) = step.target
                && let Ok(key) = growing.store.key(cursor, target, step.changed)
                && let Some(Interned::Known(v)) = growing.store.find(key, target)
                && !targets.contains(&v)
            {
                targets.push(v);
            }
            ControlFlow::Continue(())
        });
        targets
    }

    /// The state of a component whose bytes are the least.
    fn least(&mut self, members: &[StateId]) -> StateId {
        let mut least: Option<(Vec<u8>, StateId)> = None;
        for &u in members {
            let s: &State = S::Recall::load_stored(&*self.growing.store, &mut self.cursor, u, None, &mut self.buffer);
            if least.as_ref().is_none_or(|(bytes, _)| s < &bytes[..]) {
                least = Some((s.to_vec(), u));
            }
        }
        least.expect("a component has a state").1
    }
}
