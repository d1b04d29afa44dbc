//! Many runs of a randomised search over several threads, each with a seed of its own.
//!
//! Invariant: a run is cancelled only if one with a smaller number has found an error. So the runs up to the first that finds one are
//! the same for any number of threads; later ones are not reported. A limit on time is the exception: how many runs it allows
//! depends on the machine, but each of them can be repeated by its number.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use homing_core::{End, Limit, Progress, Stats, Stop, Watch};

use super::statistics::{RunFigures, Sample};
use crate::Explored;

/// How many runs there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// This many.
    Exactly(u64),
    /// As many as fit into the time, or until an error is found.
    UntilStopped,
}

/// What is done when a run finds an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnSuccess {
    /// No further run is begun, and later ones are cancelled.
    Stop,
    /// All runs are made, for statistics.
    Continue,
}

/// Several runs of one search.
#[derive(Clone, Copy, Debug)]
pub struct Swarm {
    /// How many.
    pub times: Times,
    /// When they end.
    pub on_success: OnSuccess,
}

/// What the runs of a swarm have found.
#[derive(Debug)]
pub struct Swarmed<A> {
    /// The figures of the runs, up to the first that found an error if it ended the swarm.
    pub sample: Sample,
    /// The outcome of the first run that found an error; if there is none, of the first that saw every reachable state; else of the
    /// first run.
    pub reported: Option<(u64, Explored<A>)>,
    /// The figures of these runs together.
    pub total: Stats,
    /// Why the swarm ended before all its runs were made.
    pub stopped: Option<Stop>,
}

/// What threads share.
struct Shared<A> {
    /// The number of the next run.
    next: AtomicU64,
    /// The least number of a run that decided: it found an error, or saw everything.
    decided: AtomicU64,
    is_stopped: AtomicBool,
    /// Figures for the display.
    transitions: AtomicU64,
    results: Mutex<Results<A>>,
    news: Condvar,
}

struct Results<A> {
    runs: Vec<(RunFigures, Stats)>,
    reported: Option<(u64, Explored<A>)>,
    /// The states of all runs, for the display.
    states: u64,
    stop: Option<Stop>,
    /// Threads that are still at work.
    working: usize,
}

/// How often the watch is called while runs are under way.
const TICK: Duration = Duration::from_millis(50);

impl Swarm {
    /// Makes the runs. Each of `workers` belongs to a thread, and is returned; `run` makes one run by its number.
    pub fn run<T: Send, A: Send>(
        &self,
        workers: Vec<T>,
        run: impl Fn(&mut T, u64, &mut dyn Watch) -> Explored<A> + Sync,
        watch: &mut dyn Watch,
    ) -> (Swarmed<A>, Vec<T>) {
        let working = workers.len();
        let results = Results { runs: Vec::new(), reported: None, states: 0, stop: None, working };
        let shared = Shared {
            next: AtomicU64::new(0),
            decided: AtomicU64::new(u64::MAX),
            is_stopped: AtomicBool::new(false),
            transitions: AtomicU64::new(0),
            results: Mutex::new(results),
            news: Condvar::new(),
        };
        let workers = thread::scope(|scope| {
            let work = |mut worker: T| {
                let (shared, run) = (&shared, &run);
                scope.spawn(move || {
                    let _leaving = Leaving(shared);
                    while let Some(number) = self.next(shared) {
                        let explored = run(&mut worker, number, &mut RunWatch { shared, number, seen: 0 });
                        self.record(shared, number, explored);
                    }
                    worker
                })
            };
            let threads: Vec<_> = workers.into_iter().map(work).collect();
            shared.observe(watch);
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        });
        (self.conclude(shared), workers)
    }

    /// The number of the next run, if there is to be one.
    fn next<A>(&self, shared: &Shared<A>) -> Option<u64> {
        if shared.is_stopped.load(Relaxed) {
            return None;
        }
        let number = shared.next.fetch_add(1, Relaxed);
        let is_wanted = match self.times {
            Times::Exactly(count) => number < count,
            Times::UntilStopped => true,
        };
        (is_wanted && number <= shared.decided.load(Relaxed)).then_some(number)
    }

    /// Keeps the figures of a run that was not cancelled, and its outcome if it is the one to be reported so far.
    fn record<A>(&self, shared: &Shared<A>, number: u64, explored: Explored<A>) {
        let outcome = &explored.outcome;
        let mut results = shared.results();
        results.states += outcome.stats.states;
        if outcome.end == End::Stopped(Stop::Superseded) {
            return;
        }
        let length = outcome.path.as_ref().map(|path| path.length);
        let figures = RunFigures { run: number, expanded: outcome.stats.expanded, length, end: outcome.end };
        if explored.saw_everything() || (length.is_some() && self.on_success == OnSuccess::Stop) {
            shared.decided.fetch_min(number, Relaxed);
        }
        results.runs.push((figures, outcome.stats));
        let rank =
            |number: u64, explored: &Explored<A>| (explored.outcome.path.is_none(), !explored.saw_everything(), number);
        let is_better =
            results.reported.as_ref().is_none_or(|(known, kept)| rank(number, &explored) < rank(*known, kept));
        if is_better {
            results.reported = Some((number, explored));
        }
    }

    fn conclude<A>(&self, shared: Shared<A>) -> Swarmed<A> {
        let decided = shared.decided.load(Relaxed);
        let Results { mut runs, reported, stop, .. } =
            shared.results.into_inner().unwrap_or_else(PoisonError::into_inner);
        runs.retain(|(figures, _)| figures.run <= decided);
        runs.sort_by_key(|(figures, _)| figures.run);
        let total = runs.iter().fold(Stats::default(), |total, (_, stats)| total.and_then(*stats));
        let sample = Sample { runs: runs.into_iter().map(|(figures, _)| figures).collect() };
        Swarmed { sample, reported, total, stopped: stop }
    }
}

impl<A> Shared<A> {
    fn results(&self) -> MutexGuard<'_, Results<A>> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls the watch until all threads have ended.
    fn observe(&self, watch: &mut dyn Watch) {
        let mut results = self.results();
        while results.working > 0 {
            results = self.news.wait_timeout(results, TICK).unwrap_or_else(PoisonError::into_inner).0;
            let errors = results.runs.iter().filter(|(figures, _)| figures.length.is_some()).count() as u64;
            let progress = Progress {
                states: results.states,
                transitions: self.transitions.load(Relaxed),
                errors,
                ..Progress::default()
            };
            if results.stop.is_none()
                && let Some(stop) = watch.look(&progress)
            {
                results.stop = Some(stop);
                self.is_stopped.store(true, Relaxed);
            }
        }
    }
}

/// Says that a thread has ended, also if it panics.
struct Leaving<'s, A>(&'s Shared<A>);

impl<A> Drop for Leaving<'_, A> {
    fn drop(&mut self) {
        self.0.results().working -= 1;
        self.0.news.notify_all();
    }
}

/// The watch of one run.
struct RunWatch<'s, A> {
    shared: &'s Shared<A>,
    number: u64,
    /// The transitions that were added to those of all runs.
    seen: u64,
}

impl<A> Watch for RunWatch<'_, A> {
    fn look(&mut self, progress: &Progress) -> Option<Stop> {
        self.shared.transitions.fetch_add(progress.transitions.saturating_sub(self.seen), Relaxed);
        self.seen = progress.transitions;
        if self.shared.decided.load(Relaxed) < self.number {
            return Some(Stop::Superseded);
        }
        if !self.shared.is_stopped.load(Relaxed) {
            return None;
        }
        Some(self.shared.results().stop.unwrap_or(Stop::Limit(Limit::Timeout)))
    }
}

#[cfg(test)]
mod tests {
    use homing_core::{Outcome, Path, Stats, Unwatched, Violation, ViolationKind};

    use super::*;
    use crate::{Search, StoreUse};

    /// A run that finds an error or not, by its number.
    fn explored(found: bool, number: u64, end: End) -> Explored<u32> {
        let path = found.then(|| {
            Path::finite(
                vec![number as u32],
                number as u32,
                Violation { kind: ViolationKind::Assertion, message: "found".to_owned(), place: None, process: None },
            )
        });
        let stats = Stats { expanded: number + 1, ..Stats::default() };
        let outcome = Outcome { end, path, errors: u64::from(found), stats };
        Explored::new(outcome, Search::Dfs, StoreUse { lossless: true, ..StoreUse::none() })
    }

    fn swarm(times: Times, on_success: OnSuccess, threads: usize, finds: fn(u64) -> bool) -> Swarmed<u32> {
        let run = |_: &mut (), number: u64, watch: &mut dyn Watch| {
            // later runs are quicker, so that they end before the earlier ones
            for _ in number..40 {
                if let Some(stop) = watch.look(&Progress::default()) {
                    return explored(false, number, End::Stopped(stop));
                }
                thread::sleep(Duration::from_micros(20));
            }
            let found = finds(number);
            explored(found, number, if found { End::Found } else { End::Stopped(Stop::GivenUp) })
        };
        Swarm { times, on_success }.run(vec![(); threads], run, &mut Unwatched).0
    }

    #[test]
    fn the_first_success_is_reported_for_any_number_of_threads() {
        for threads in [1, 2, 4] {
            for _ in 0..20 {
                let swarmed = swarm(Times::UntilStopped, OnSuccess::Stop, threads, |number| number % 10 == 7);
                let (number, explored) = swarmed.reported.expect("some run finds an error");
                assert_eq!((number, explored.outcome.path.map(|path| path.length)), (7, Some(7)));
                let numbers: Vec<u64> = swarmed.sample.runs.iter().map(|run| run.run).collect();
                assert_eq!(numbers, (0..=7).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn all_runs_are_made_for_statistics() {
        let swarmed = swarm(Times::Exactly(30), OnSuccess::Continue, 3, |number| number % 10 == 7);
        assert_eq!((swarmed.sample.len(), swarmed.sample.successes()), (30, 3));
        assert_eq!(swarmed.reported.map(|(number, _)| number), Some(7));
        assert!(swarmed.stopped.is_none());
    }

    #[test]
    fn a_run_that_saw_everything_ends_the_swarm() {
        let run = |_: &mut (), number: u64, _: &mut dyn Watch| {
            explored(false, number, if number == 3 { End::Exhausted } else { End::Stopped(Stop::GivenUp) })
        };
        let swarm = Swarm { times: Times::UntilStopped, on_success: OnSuccess::Stop };
        let (swarmed, _) = swarm.run(vec![()], run, &mut Unwatched);
        assert_eq!(swarmed.sample.len(), 4);
        assert_eq!(swarmed.total.expanded, 1 + 2 + 3 + 4);
        assert!(swarmed.reported.is_some_and(|(number, explored)| number == 3 && explored.saw_everything()));
    }

    /// A watch that ends the swarm at once.
    struct Impatient;

    impl Watch for Impatient {
        fn look(&mut self, _: &Progress) -> Option<Stop> {
            Some(Stop::Interrupted)
        }
    }

    #[test]
    fn a_stop_ends_all_runs() {
        let run = |_: &mut (), number: u64, watch: &mut dyn Watch| loop {
            if let Some(stop) = watch.look(&Progress::default()) {
                return explored(false, number, End::Stopped(stop));
            }
            thread::sleep(Duration::from_micros(100));
        };
        let swarm = Swarm { times: Times::UntilStopped, on_success: OnSuccess::Stop };
        let (swarmed, workers) = swarm.run(vec![(); 2], run, &mut Impatient);
        assert_eq!((swarmed.stopped, workers.len()), (Some(Stop::Interrupted), 2));
        assert!(swarmed.reported.is_none_or(|(_, explored)| !explored.saw_everything()));
    }
}
