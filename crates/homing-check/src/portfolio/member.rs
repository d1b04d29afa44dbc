//! A search that takes turns with others, though it is a loop of its own: it runs in a thread, and waits in its watch between its turns.
//!
//! At any time only one of the searches of a portfolio that are started like this runs, so that threads change nothing about what is
//! found: a turn ends after so many transitions, however long they take.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Scope, ScopedJoinHandle};

use homing_core::{End, Fork, Outcome, Progress, Stop, TransitionSystem, Watch};

use crate::StoreUse;

/// A search that is over.
pub(crate) struct Finished<T: TransitionSystem> {
    pub outcome: Outcome<T::Action>,
    /// The fork of the system that was searched.
    pub system: T,
    pub store_use: StoreUse,
}

/// A search that is given a watch.
pub(crate) type Start<'env, T> = Box<dyn FnOnce(&mut dyn Watch) -> Finished<T> + Send + 'env>;

/// A search that takes turns.
pub(crate) struct Member<'scope, 'env: 'scope, T: TransitionSystem> {
    scope: &'scope Scope<'scope, 'env>,
    state: State<'scope, 'env, T>,
    /// The transitions that it has taken.
    transitions: u64,
}

enum State<'scope, 'env, T: TransitionSystem> {
    /// It has had no turn; none if it is never to have one.
    NotBegun(Option<Start<'env, T>>),
    Begun(Thread<'scope, T>),
    Over(Box<Finished<T>>),
}

struct Thread<'scope, T: TransitionSystem> {
    grants: Sender<u64>,
    reports: Receiver<u64>,
    handle: ScopedJoinHandle<'scope, Finished<T>>,
}

impl<'scope, 'env: 'scope, T: Fork + 'env> Member<'scope, 'env, T> {
    /// A search whose thread begins with its first turn.
    pub fn new(scope: &'scope Scope<'scope, 'env>, start: Start<'env, T>) -> Self {
        Member { scope, state: State::NotBegun(Some(start)), transitions: 0 }
    }

    /// Lets the search take so many transitions, or some more; its end if it ended, and how many they were.
    pub fn advance(&mut self, transitions: u64) -> (Option<End>, u64) {
        if let State::NotBegun(start) = &mut self.state
            && let Some(start) = start.take()
        {
            self.state = State::Begun(begin(self.scope, start));
        }
        let before = self.transitions;
        if let State::Begun(thread) = &mut self.state {
            match thread.grants.send(transitions).ok().and_then(|()| thread.reports.recv().ok()) {
                Some(taken) => self.transitions = taken,
                None => self.finish(),
            }
        }
        let end = match &self.state {
            State::Over(finished) => Some(finished.outcome.end),
            State::NotBegun(_) | State::Begun(_) => None,
        };
        (end, self.transitions.saturating_sub(before))
    }

    /// Waits for the end of the thread, which is over or has no further turn.
    fn finish(&mut self) {
        self.state = match std::mem::replace(&mut self.state, State::NotBegun(None)) {
            State::Begun(Thread { grants, handle, .. }) => {
                drop(grants);
                let finished = handle.join().unwrap_or_else(|panic| resume_unwind(panic));
                self.transitions = self.transitions.max(finished.outcome.stats.transitions());
                State::Over(Box::new(finished))
            }
            state => state,
        };
    }

    /// Ends the search, if it has begun: what came of it.
    pub fn into_finished(mut self) -> Option<Finished<T>> {
        self.finish();
        match self.state {
            State::Over(finished) => Some(*finished),
            State::NotBegun(_) | State::Begun(_) => None,
        }
    }
}

fn begin<'scope, 'env: 'scope, T: Fork + 'env>(
    scope: &'scope Scope<'scope, 'env>,
    start: Start<'env, T>,
) -> Thread<'scope, T> {
    let ((grants, granted), (report, reports)) = (channel(), channel());
    let handle = scope.spawn(move || {
        let first = granted.recv().unwrap_or(0);
        start(&mut Waiting { granted, report, enough: first })
    });
    Thread { grants, reports, handle }
}

/// The watch of a search that takes turns: waits there until the next one.
struct Waiting {
    granted: Receiver<u64>,
    report: Sender<u64>,
    /// The turn is over after so many transitions.
    enough: u64,
}

impl Watch for Waiting {
    fn look(&mut self, progress: &Progress) -> Option<Stop> {
        if progress.transitions < self.enough {
            return None;
        }
        let next = self.report.send(progress.transitions).ok().and_then(|()| self.granted.recv().ok());
        let Some(transitions) = next else { return Some(Stop::Superseded) };
        self.enough = progress.transitions.saturating_add(transitions);
        None
    }

    /// If the time is up, the other searches are told.
    fn after_cut_off(&mut self, _: &Progress) -> Option<Stop> {
        None
    }
}
