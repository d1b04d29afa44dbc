//! The proviso of partial-order reduction, asked at the end of a search: from every state a state can be reached that was
//! expanded in full.
//!
//! Take a run to an error from a state of the reduced graph. If it has a step of the stubborn set, the first such step can be
//! moved to its front: the rest of the run is shorter. If it has none, it stays possible along the steps of the sets to the
//! nearest state that was expanded in full, and there its first step is taken. So no error, no deadlock and no statement that
//! can be executed is lost (Valmari 1989, where the states of terminal components are the ones that must not be reduced).
//!
//! What violates this is a terminal component of the graph of reduced states. One state of each is expanded in full: the least,
//! so that it does not depend on the order in which threads have found them. A state is looked at once in the whole search, and
//! none after one that is expanded in full, or known to lead to one, was reached.

use std::collections::HashMap;
use std::ops::ControlFlow;

use homing_core::{Selection, State, StateId, Target, TransitionSystem};
use homing_store::{Interned, Recall, Store};

use super::nodes::Marks;
use super::shared::Growing;

/// The stack of a depth-first search for components (Tarjan 1972), which ends with the first component that it finds.
#[derive(Default)]
struct DepthFirst {
    frames: Vec<Frame>,
    /// The states that were entered, and where they are in that order.
    entered: Vec<StateId>,
    index: HashMap<StateId, usize>,
}

/// A state on the stack.
struct Frame {
    targets: Vec<StateId>,
    next: usize,
    index: usize,
    low: usize,
}

impl DepthFirst {
    fn enter(&mut self, u: StateId, targets: Vec<StateId>) {
        let index = self.entered.len();
        self.index.insert(u, index);
        self.entered.push(u);
        self.frames.push(Frame { targets, next: 0, index, low: index });
    }

    /// Returns to the state before the last one.
    fn leave(&mut self) {
        let low = self.frames.pop().map(|frame| frame.low);
        if let (Some(above), Some(low)) = (self.frames.last_mut(), low) {
            above.low = above.low.min(low);
        }
    }

    fn clear(&mut self) {
        self.frames.clear();
        self.entered.clear();
        self.index.clear();
    }
}

/// Finds terminal components of the reduced states that can be reached from some of them.
pub(crate) struct Components<'x, T, S: Store, M> {
    system: &'x T,
    stubborn: Selection,
    growing: &'x Growing<'x, S, M>,
    cursor: S::Cursor,
    buffer: Vec<u8>,
}

impl<'x, T: TransitionSystem, S: Store, M: Marks> Components<'x, T, S, M> {
    /// Of the steps of reduced states that `stubborn` selects.
    pub fn new(system: &'x T, stubborn: Selection, growing: &'x Growing<'x, S, M>) -> Self {
        Components { system, stubborn, growing, cursor: growing.store.cursor(), buffer: Vec::new() }
    }

    /// A state of each terminal component; `is_over` is asked now and then. Each such component has a state that is in `from` now or was
    /// before.
    pub fn terminal(&mut self, from: &[StateId], mut is_over: impl FnMut() -> bool) -> Vec<StateId> {
        let Growing { nodes, .. } = self.growing;
        let mut chosen = Vec::new();
        let mut stack = DepthFirst::default();
        for &root in from.iter().filter(|&&root| !nodes.marks.is_settled(root)) {
            stack.enter(root, self.targets(root));
            while let Some(frame) = stack.frames.last_mut() {
                if let Some(&v) = frame.targets.get(frame.next) {
                    frame.next += 1;
                    if nodes.marks.is_settled(v) {
                        break;
                    }
                    if let Some(&index) = stack.index.get(&v) {
                        frame.low = frame.low.min(index);
                    } else if stack.entered.len() % 1024 == 1023 && is_over() {
                        return chosen;
                    } else {
                        stack.enter(v, self.targets(v));
                    }
                } else if frame.low == frame.index {
                    chosen.push(self.least(&stack.entered[frame.index..]));
                    break;
                } else {
                    stack.leave();
                }
            }
            // Every state that was entered leads to those on the stack, and these to where the search ended.
            stack.entered.iter().for_each(|&u| _ = nodes.marks.settle(u));
            stack.clear();
        }
        chosen
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
