//! Whatever the store and however many threads: the same states, the same verdict, the same shortest length.

use std::ops::ControlFlow;

use homing_core::{
    Changed, Cost, End, Limit, Limits, Outcome, Progress, Selected, Selection, State, Step, Stop, Target,
    TransitionSystem, Unwatched, Violation, ViolationKind, Watch, Written,
};
use homing_search::{Objective, OnError, Reduction, StepOrder, bfs, dfs};
use homing_store::{BitStore, CompactStore, ExactStore, Store, TreeStore};

/// Counters that go round, far apart in a long state. Counter `i` costs `i + 1` to move, one step in ten costs a thousand,
/// and a state may be an error.
struct Counters {
    counters: usize,
    bound: u8,
    error: Option<u8>,
}

/// Bytes between two counters.
const APART: usize = 13;

impl TransitionSystem for Counters {
    type Action = usize;

    fn initial(&self) -> Box<State> {
        vec![0; self.counters * APART].into()
    }

    fn for_each_step(
        &self,
        state: &State,
        _: Selection,
        mut visit: impl FnMut(Step<'_, usize>) -> ControlFlow<()>,
    ) -> Selected {
        let total = || state.iter().step_by(APART);
        if self.error.is_some_and(|error| total().all(|&value| value == error)) {
            let violation =
                Violation { kind: ViolationKind::Assertion, message: "met".to_owned(), place: None, process: None };
            let _ = visit(Step::violating(99, 99, 0, violation));
        }
        let mut next = state.to_vec();
        for counter in 0..self.counters {
            let place = Written { offset: (counter * APART) as u32, width: 1, old: u64::from(state[counter * APART]) };
            next[counter * APART] = (state[counter * APART] + 1) % self.bound;
            let far = total().map(|&value| u32::from(value)).sum::<u32>() % 10 == 9;
            let cost = if far { 1000 } else { counter as Cost + 1 };
            let changed = if counter % 2 == 0 { Changed::At(&[place]) } else { Changed::Anywhere };
            if visit(Step { cost, changed, ..Step::to(counter, counter as u32, &next) }).is_break() {
                break;
            }
            next[counter * APART] = state[counter * APART];
        }
        Selected::ALL
    }
}

fn explore<S: Store>(system: &Counters, threads: usize, errors: OnError, mut store: S) -> Outcome<usize> {
    let mut systems = vec![system; threads];
    bfs::search(
        &mut systems,
        &Objective::new(|_| true, errors, &Limits::default()),
        Reduction::SleepSets,
        &mut store,
        &mut Unwatched,
    )
}

/// The length of the path if each of its steps can be taken and its last shows the error.
fn walk(system: &Counters, actions: &[usize]) -> Option<Cost> {
    let mut state = system.initial().into_vec();
    let mut length = 0;
    for (at, &action) in actions.iter().enumerate() {
        let mut next = None;
        system.for_each_step(&state.clone(), Selection::All, |step| {
            if step.action == action {
                next = Some((step.cost, matches!(step.target, Target::Violation(_))));
                if let Target::State(target) = step.target {
                    state = target.to_vec();
                }
            }
            ControlFlow::Continue(())
        });
        let (cost, is_error) = next?;
        length += cost;
        if is_error != (at + 1 == actions.len()) {
            return None;
        }
    }
    Some(length)
}

#[test]
fn all_stores_and_threads_see_the_same_states() {
    let system = Counters { counters: 5, bound: 8, error: None };
    let states = 8u64.pow(5);
    let check = |name: &str, threads: usize, outcome: Outcome<usize>| {
        assert_eq!(outcome.end, End::Exhausted, "{name}, {threads} threads");
        let stats = outcome.stats;
        assert_eq!((stats.states, stats.expanded), (states, states), "{name}, {threads} threads");
        assert_eq!(stats.transitions(), 1 + states * 5, "{name}, {threads} threads");
    };
    for threads in [1, 2, 3, 8] {
        check("tree", threads, explore(&system, threads, OnError::Stop, TreeStore::new()));
        check("exact", threads, explore(&system, threads, OnError::Stop, ExactStore::new(0)));
        check("compact", threads, explore(&system, threads, OnError::Stop, CompactStore::new(0)));
    }
    check("bitstate", 1, explore(&system, 1, OnError::Stop, BitStore::new(0, 26, 3)));
    let limits = Limits::default();
    let depth_first = |store: &mut TreeStore| {
        dfs::search(
            &system,
            &Objective::new(|_| true, OnError::Stop, &limits),
            StepOrder::AsShown,
            store,
            &mut Unwatched,
        )
        .stats
        .states
    };
    assert_eq!(depth_first(&mut TreeStore::new()), states);
}

#[test]
fn a_look_does_not_wait_for_a_store_that_grows() {
    /// Looks, and lets the others come to a store that is full meanwhile.
    struct Slow;
    impl Watch for Slow {
        fn look(&mut self, _: &Progress) -> Option<Stop> {
            std::thread::yield_now();
            None
        }
    }
    let system = Counters { counters: 6, bound: 8, error: None };
    for threads in [2, 4] {
        let (mut systems, store) = (vec![&system; threads], &mut TreeStore::new());
        let outcome = bfs::search(
            &mut systems,
            &Objective::new(|_| true, OnError::Stop, &Limits::default()),
            Reduction::SleepSets,
            store,
            &mut Slow,
        );
        assert_eq!((outcome.end, outcome.stats.states), (End::Exhausted, 8u64.pow(6)));
    }
}

#[test]
fn the_shortest_length_is_the_same() {
    for error in [0, 1, 3, 5] {
        let system = Counters { counters: 4, bound: 6, error: Some(error) };
        let reference = explore(&system, 1, OnError::Stop, ExactStore::new(0)).path.expect("an error");
        let check = |name: &str, threads: usize, lossless: bool, outcome: Outcome<usize>| {
            let path = outcome.path.expect("an error");
            assert_eq!(outcome.end, End::Found);
            assert_eq!((path.length, path.shortest), (reference.length, lossless), "{name}, {threads} threads");
            assert_eq!(walk(&system, &path.actions), Some(path.length), "{name}, {threads} threads");
        };
        for threads in [1, 2, 5] {
            check("tree", threads, true, explore(&system, threads, OnError::Stop, TreeStore::new()));
            check("exact", threads, true, explore(&system, threads, OnError::Stop, ExactStore::new(0)));
            check("compact", threads, false, explore(&system, threads, OnError::Stop, CompactStore::new(0)));
        }
        // a store that cannot tell which state it has seen cannot shorten the path to it either
        let path = explore(&system, 1, OnError::Stop, BitStore::new(0, 26, 3)).path.expect("an error");
        assert_eq!((walk(&system, &path.actions), path.shortest), (Some(path.length), false));
    }
}

#[test]
fn limits_hold_for_threads_too() {
    let system = Counters { counters: 6, bound: 8, error: None };
    for threads in [1, 2, 4] {
        let run = |limits: Limits| {
            let mut systems = vec![&system; threads];
            bfs::search(
                &mut systems,
                &Objective::new(|_| true, OnError::Stop, &limits),
                Reduction::SleepSets,
                &mut TreeStore::new(),
                &mut Unwatched,
            )
        };
        let outcome = run(Limits { max_states: Some(50_000), ..Limits::default() });
        assert_eq!(outcome.end, End::Stopped(Stop::Limit(Limit::States)));
        assert!((50_000..50_000 + threads as u64).contains(&outcome.stats.states), "{}", outcome.stats.states);
        let outcome = run(Limits { memory: Some(1 << 20), ..Limits::default() });
        assert_eq!(outcome.end, End::Stopped(Stop::Limit(Limit::Memory)));
        assert!(outcome.stats.memory < (1 << 20) + (64 << 10), "{}", outcome.stats.memory);
        assert!(outcome.stats.states > 10_000, "{}", outcome.stats.states);
        let outcome = run(Limits { max_depth: Some(12), ..Limits::default() });
        assert_eq!(outcome.end, End::Stopped(Stop::Limit(Limit::Depth)));
        assert!(outcome.stats.max_depth <= 12);
    }
}
