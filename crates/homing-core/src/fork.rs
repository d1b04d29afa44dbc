//! Systems that several threads can search.

use crate::TransitionSystem;

/// A system of which every thread of a search has its own copy. A system that can be cloned is forked by cloning it.
pub trait Fork: TransitionSystem<Action: Send> + Send + Sized {
    /// Another copy of the same system, for another thread: it has the same states and shows the same steps.
    fn fork(&self) -> Self;

    /// Takes over what a fork has recorded about the search, such as its coverage. By default nothing is recorded.
    fn join(&self, fork: &Self) {
        let _ = fork;
    }
}

impl<T: TransitionSystem<Action: Send> + Clone + Send> Fork for T {
    fn fork(&self) -> Self {
        self.clone()
    }
}
