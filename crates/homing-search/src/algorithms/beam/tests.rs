use homing_core::{Cost, End, Estimated, Guarantee, Limits, State, Stop, Unwatched};
use homing_store::{CompactStore, ExactStore, TreeStore};

use super::*;
use crate::level_loop::structures::Net;
use crate::testing::{Graph, Random, Whims, walk};
use crate::{OnError, bfs, highway, highway_exact};
use homing_core::Seed;

/// The number of a state of a net, counted down from a goal; states after the goal are dead ends.
#[derive(Clone, Copy)]
struct CountDown(u32);

impl Estimate for CountDown {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        self.0.checked_sub(u32::from_le_bytes(state.try_into().expect("four bytes"))).map(Estimated::from)
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Guess
    }
}

fn lanes(width: usize, seed: u64) -> Lanes {
    Lanes { width, seed: Seed::of_run(seed, 0) }
}

fn run(net: &Net, width: usize, mut estimate: CountDown) -> homing_core::Outcome<usize> {
    let limits = Limits::default();
    let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
    let store = &mut ExactStore::new(0);
    search(&mut [net], &objective, lanes(width, 0), vec![&mut estimate], store, &mut Unwatched)
}

#[test]
fn the_best_states_of_a_level_are_kept() {
    let mut net =
        Net::new(vec![vec![1, 2, 3], vec![4, 5], vec![], vec![6, 7], vec![], vec![8], vec![], vec![], vec![]]);
    net.errors = vec![8];
    let outcome = run(&net, 1, CountDown(8));
    assert_eq!((outcome.end, outcome.path.is_none()), (End::Stopped(Stop::Dropped), true));
    assert_eq!(net.take_expanded(), [0, 3, 7], "down the hill, and never back");
    let outcome = run(&net, 3, CountDown(8));
    assert_eq!((outcome.end, outcome.path.map(|path| path.actions)), (End::Found, Some(vec![0, 1, 0, 0])));
    let mut expanded = net.take_expanded();
    expanded.dedup(); // the states of the path are expanded again
    assert_eq!(expanded, [0, 1, 2, 3, 5, 6, 7, 8], "6 and 7 lead nowhere, but have the least h");
}

#[test]
fn dead_ends_are_no_candidates() {
    let net = Net::new(vec![vec![1, 2, 3], vec![], vec![], vec![1]]);
    let outcome = run(&net, 2, CountDown(2));
    assert_eq!((outcome.end, outcome.stats.states), (End::Exhausted, 3), "nothing was dropped");
    assert_eq!(net.take_expanded(), [0, 1, 2]);
    let chain = Net::new(vec![vec![1], vec![2], vec![]]);
    assert_eq!((run(&chain, 1, CountDown(1)).end, chain.take_expanded()), (End::Exhausted, vec![0, 1]));
}

/// Never a false proof: on random graphs, with every width, store and number of threads, an exhausted search without an error is
/// one of a graph that has none, and every path leads to an error.
#[test]
fn nothing_is_proved_by_a_search_that_dropped_a_state() {
    let limits = Limits::default();
    let (mut proofs, mut found) = (0, 0);
    for seed in 0..500 {
        let graph = Graph::random(seed);
        let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
        let store = &mut ExactStore::new(Graph::HIDDEN_PREFIX);
        let all = bfs::search(&mut [&graph], &objective, crate::Reduction::None, store, &mut Unwatched);
        let width = 1 + Random(seed).below(6) as usize;
        let (mut one, mut two) = (Whims(seed), Whims(seed));
        let exact = || ExactStore::new(Graph::HIDDEN_PREFIX);
        let outcomes = [
            highway::search(&mut { &graph }, &objective, lanes(width, seed), &mut exact(), &mut Unwatched),
            highway::search(&mut { &graph }, &objective, lanes(width, seed), &mut TreeStore::new(), &mut Unwatched),
            highway_exact::search(&mut [&graph; 2], &objective, lanes(width, seed), &mut exact(), &mut Unwatched),
            search(
                &mut [&graph; 2],
                &objective,
                lanes(width, seed),
                vec![&mut one, &mut two],
                &mut exact(),
                &mut Unwatched,
            ),
        ];
        for outcome in outcomes {
            proofs += u32::from(outcome.end == End::Exhausted);
            match outcome.path {
                Some(path) => {
                    found += 1;
                    assert_eq!(walk(&graph, &path.actions).0, path.length, "graph {seed}");
                    assert!(!path.shortest && outcome.end == End::Found);
                }
                None if outcome.end == End::Exhausted => assert!(all.path.is_none(), "graph {seed}"),
                None => assert_eq!(outcome.end, End::Stopped(Stop::Dropped)),
            }
        }
    }
    assert!(proofs > 100 && found > 100, "{proofs} proofs, {found} errors");
}

/// All stores give the same run: they only say which states are known.
#[test]
fn a_run_does_not_depend_on_the_store() {
    let (net, limits) = (Net::back_loop(12), Limits::default());
    let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
    for seed in 0..50 {
        let lanes = lanes(4, seed);
        let exact = highway::search(&mut { &net }, &objective, lanes, &mut ExactStore::new(0), &mut Unwatched);
        let tree = highway::search(&mut { &net }, &objective, lanes, &mut TreeStore::new(), &mut Unwatched);
        let compact = highway::search(&mut { &net }, &objective, lanes, &mut CompactStore::new(0), &mut Unwatched);
        let path =
            |outcome: homing_core::Outcome<usize>| (outcome.stats.expanded, outcome.path.map(|path| path.actions));
        let exact = path(exact);
        assert_eq!((path(tree), path(compact)), (exact.clone(), exact));
    }
}

/// Counters that only count up, with the goal that all are full: 33^8 states, of which an estimate needs one in each level.
struct Counters;

impl TransitionSystem for Counters {
    type Action = usize;

    fn initial(&self) -> Box<State> {
        Box::new([0; 8])
    }

    fn for_each_step(
        &self,
        state: &State,
        _: homing_core::Selection,
        mut visit: impl FnMut(homing_core::Step<'_, usize>) -> std::ops::ControlFlow<()>,
    ) -> homing_core::Selected {
        let mut next = state.to_vec();
        if state.iter().all(|&count| count == 31) {
            let _ = visit(homing_core::Step::violating(0, 0, 0, crate::testing::violation("full")));
            return homing_core::Selected::ALL;
        }
        for at in 0..8 {
            next[at] = (state[at] + 1) % 32;
            let _ = visit(homing_core::Step::to(at, at as u32, &next));
            next[at] = state[at];
        }
        homing_core::Selected::ALL
    }
}

struct Missing;

impl Estimate for Missing {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        Some(Estimated::from(state.iter().map(|&count| 31 - Cost::from(count)).sum::<Cost>()))
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Guess
    }
}

#[test]
fn an_estimate_leads_where_chance_does_not() {
    let limits = Limits { max_states: Some(20_000), ..Limits::default() };
    let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
    let store = || ExactStore::new(0);
    let beam = search(&mut [Counters], &objective, lanes(1, 0), vec![&mut Missing], &mut store(), &mut Unwatched);
    assert_eq!((beam.end, beam.stats.expanded, beam.path.expect("it is reached").length), (End::Found, 249, 248));
    for seed in 0..3 {
        let random = highway::search(&mut Counters, &objective, lanes(16, seed), &mut store(), &mut Unwatched);
        assert!(random.path.is_none());
    }
}
