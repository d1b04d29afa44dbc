//! Weak fairness by copies of the state space (Choueka 1974; Holzmann 2004, ch. 8, "Adding Fairness").
//!
//! For `k` processes there are `k + 2` copies. A run begins in copy 0 and stays there until it leaves an accepting state. In copy
//! `i` it waits for process `i` to move, or to be unable to: then it goes on to the next copy, or past all that need not be waited
//! for. It comes to copy `k + 1` when it has waited for all, and from there it goes on as from copy 0. So a cycle through copy
//! `k + 1` is one that is accepting and fair, and a search for acceptance cycles finds it if those states are accepting.
//!
//! Differs from the book, where one process that cannot move is passed over at a time: the cycles are the same, but here shorter.

use std::cell::RefCell;
use std::ops::ControlFlow;

use homing_core::{Changed, Labels, Selected, Selection, SleepSet, State, Step, Target, TransitionSystem, Written};

use super::Marks;

/// A system whose acceptance cycles are those of another that are weakly fair.
#[derive(Debug)]
pub struct FairCopies<T> {
    system: T,
    /// Pids are less than this.
    processes: u16,
    scratch: RefCell<Scratch>,
}

#[derive(Debug, Default)]
struct Scratch {
    target: Vec<u8>,
    written: Vec<Written>,
}

/// The bytes of the number of a copy.
const WIDTH: usize = 2;

impl<T: TransitionSystem> FairCopies<T> {
    /// Copies of a system with pids less than `processes`.
    pub fn new(system: T, processes: usize) -> Self {
        FairCopies { system, processes: processes as u16, scratch: RefCell::default() }
    }

    /// The system.
    pub fn system(&self) -> &T {
        &self.system
    }

    fn split<'s>(&self, state: &'s State) -> (&'s State, u16) {
        let (system, copy) = state.split_at(state.len() - WIDTH);
        (system, u16::from_le_bytes([copy[0], copy[1]]))
    }

    /// The copy after a step: from this copy on, past all processes that need not be waited for.
    fn next_copy(&self, copy: u16, is_accepting: bool, served: Marks<5>) -> u16 {
        let mut next = match copy {
            copy if (1..=self.processes).contains(&copy) => copy,
            _ if is_accepting => 1,
            _ => return 0,
        };
        while next <= self.processes && served.has_all(Marks::of_process(usize::from(next) - 1)) {
            next += 1;
        }
        next
    }
}

impl<T: TransitionSystem> TransitionSystem for FairCopies<T> {
    type Action = T::Action;

    fn initial(&self) -> Box<State> {
        let mut state = self.system.initial().into_vec();
        state.extend_from_slice(&[0; WIDTH]);
        state.into()
    }

    /// All steps, whatever the selection: sleep sets lose steps, and so cycles.
    fn for_each_step(
        &self,
        state: &State,
        selection: Selection,
        mut visit: impl FnMut(Step<'_, Self::Action>) -> ControlFlow<()>,
    ) -> Selected {
        if selection.is_stubborn() {
            return Selected::NotReduced;
        }
        let (s, copy) = self.split(state);
        let mut enabled = Marks::<5>::NONE;
        self.system.for_each_step(s, Selection::All, |step| {
            if matches!(step.target, Target::State(_)) {
                enabled = enabled | Marks::enabled(&step);
            }
            ControlFlow::Continue(())
        });
        let (idle, is_accepting) = (Marks::idle(enabled), self.system.labels(s).accepting);
        let mut scratch = self.scratch.borrow_mut();
        let Scratch { target, written } = &mut *scratch;
        self.system.for_each_step(s, Selection::All, |step| {
            let Target::State(to) = step.target else { return visit(step) };
            let next = self.next_copy(copy, is_accepting, idle | Marks::movers(&step));
            target.clear();
            target.extend_from_slice(to);
            target.extend_from_slice(&next.to_le_bytes());
            let changed = match step.changed {
                Changed::At(places) if next != copy => {
                    written.clear();
                    written.extend_from_slice(places);
                    let (offset, width) = (to.len() as u32, WIDTH as u32);
                    written.push(Written { offset, width, old: u64::from(copy) });
                    Changed::At(written)
                }
                changed => changed,
            };
            visit(Step { target: Target::State(target), changed, sleep: SleepSet::EMPTY, ..step })
        })
    }

    fn labels(&self, state: &State) -> Labels {
        let (s, copy) = self.split(state);
        Labels { accepting: copy == self.processes + 1, progress: self.system.labels(s).progress }
    }

    fn patiently<R>(&self, work: impl FnOnce() -> R) -> R {
        self.system.patiently(work)
    }
}
