//! Decides properties of labelled transition systems, by the searches and stores of any other system.
//!
//! ```
//! use homing_check::lts::{self, Options};
//! use homing_check::Verdict;
//! use homing_core::Unwatched;
//! use homing_lts::{LtsSystem, Pattern, Property, structures::back_loop};
//!
//! let lts = back_loop(9);
//! let property = Property::no_deadlock(&lts);
//! let report = lts::check(LtsSystem::new(&lts, &property), &Options::default(), &mut Unwatched);
//! assert_eq!((report.verdict, report.path.map(|path| path.length)), (Verdict::Violated, Some(10)));
//!
//! let property = Property::no_action(&Pattern::parse("report*").unwrap(), &lts);
//! let report = lts::check(LtsSystem::new(&lts, &property), &Options::default(), &mut Unwatched);
//! assert_eq!(report.verdict, Verdict::Holds);
//! ```

use homing_core::{Limits, Violation, Watch};
use homing_lts::{Action, LtsSystem};

use crate::repeat::Repeats;
use crate::{Checker, OnError, Reduction, Report, Search, Shortening, StoreChoice};

/// How a property is decided.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The search: none that is directed by an estimate. [`Search::Auto`] is breadth-first search, because without an estimate the
    /// portfolio has no other member to offer.
    pub search: Search,
    /// The store.
    pub store: StoreChoice,
    /// What is done when an error is found.
    pub on_error: OnError,
    /// The limits.
    pub limits: Limits,
    /// The number of threads.
    pub threads: usize,
    /// Whether a path is shortened that is not known to be shortest.
    pub shortening: Shortening,
    /// What a [random](Search::is_random) search depends on: one seed gives one run.
    pub seed: u64,
    /// How often a random search is repeated.
    pub repeats: Option<Repeats>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            search: Search::Auto,
            store: StoreChoice::Tree,
            on_error: OnError::Stop,
            limits: Limits::default(),
            threads: 1,
            shortening: Shortening::Never,
            seed: 0,
            repeats: None,
        }
    }
}

/// Searches for an error. With [`OnError::Count`] all states are searched.
///
/// # Panics
/// If the search [finds no errors](crate::Sought::is_found_by) of finite runs.
pub fn check(system: LtsSystem<'_>, options: &Options, watch: &mut dyn Watch) -> Report<Action> {
    check_noting(system, options, &|_| {}, watch)
}

/// As [`check`], and shows `note` each violation that is found.
///
/// # Panics
/// If the search [finds no errors](crate::Sought::is_found_by) of finite runs.
pub fn check_noting(
    system: LtsSystem<'_>,
    options: &Options,
    note: &(dyn Fn(&Violation) + Sync),
    watch: &mut dyn Watch,
) -> Report<Action> {
    let search = match options.search {
        Search::Auto => Search::Bfs,
        search => search,
    };
    let is_error = |violation: &Violation| {
        note(violation);
        true
    };
    Checker::new(system)
        .search(search)
        .store(options.store)
        .errors(is_error)
        .on_error(options.on_error)
        .limits(options.limits)
        .threads(options.threads)
        .reduction(Reduction::None)
        .shortening(options.shortening)
        .seed(options.seed)
        .repeats(options.repeats)
        .run(watch)
}
