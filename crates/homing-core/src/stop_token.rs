//! A request to stop, shared by the thread that makes it and the engines that honour it.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A stop token: once it is set, every engine that holds a clone shows [`crate::Target::CutOff`] instead of the steps it
/// has not shown yet, also in the middle of a run through an atomic or `d_step` sequence.
///
/// Searches know no clock, and one expansion can take very long; so a deadline or a signal sets the token from another thread,
/// and an engine reads it once for each expansion and each statement of a run: a relaxed load of a line that is hardly ever
/// written. It is never cleared. What the reason was, the [`crate::Watch`] of the search knows.
///
/// It is set in two stages. The first ends a search. An error that was found by then is still reported, for which states
/// of its path are expanded again ([`crate::TransitionSystem::patiently`]); that ends with the second stage, some
/// tenths of a second later.
#[derive(Clone, Debug)]
pub struct StopToken {
    stage: Arc<AtomicU8>,
    /// The stage from which on it counts for this holder.
    from: Cell<u8>,
}

const SEARCH: u8 = 1;
const ALL: u8 = 2;

impl Default for StopToken {
    fn default() -> Self {
        StopToken { stage: Arc::default(), from: Cell::new(SEARCH) }
    }
}

impl StopToken {
    /// Ends searches.
    pub fn set(&self) {
        self.stage.fetch_max(SEARCH, Relaxed);
    }

    /// Ends everything else, too.
    pub fn set_for_all(&self) {
        self.stage.fetch_max(ALL, Relaxed);
    }

    /// The same token for work that has until the second stage.
    pub fn patient(&self) -> StopToken {
        StopToken { stage: self.stage.clone(), from: Cell::new(ALL) }
    }

    /// Does some work that has until the second stage.
    pub fn patiently<R>(&self, work: impl FnOnce() -> R) -> R {
        let from = self.from.replace(ALL);
        let done = work();
        self.from.set(from);
        done
    }

    /// Whether this holder is to stop.
    #[inline(always)]
    pub fn is_set(&self) -> bool {
        self.stage.load(Relaxed) >= self.from.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_clones_see_it() {
        let stop = StopToken::default();
        let other = stop.clone();
        assert!(!other.is_set() && !StopToken::default().is_set());
        stop.set();
        assert!(other.is_set() && !StopToken::default().is_set());
    }

    #[test]
    fn work_that_is_patient_has_until_the_second_stage() {
        let stop = StopToken::default();
        let patient = stop.patient();
        stop.set();
        assert!(!patient.is_set() && !stop.patiently(|| stop.is_set()) && stop.is_set());
        stop.set_for_all();
        stop.set();
        assert!(patient.is_set() && stop.patiently(|| stop.is_set()));
    }
}
