//! On random systems every search agrees with breadth-first search: on the verdict, on the states, and on the shortest
//! length where it claims that.

use std::ops::ControlFlow;

use homing_core::{
    Blind, Changed, Cost, End, Estimate, Estimated, Guarantee, Limit, Limits, Outcome, Selected, Selection, State,
    Step, Stop, Target, TransitionSystem, Unwatched, Violation, ViolationKind, Written,
};
use homing_search::ida::BitFields;
use homing_search::{
    Directed, Evaluation, Objective, OnError, Reduction, Weight, best_first, bfs, bounded, ida, stateless,
};
use homing_store::{BitStore, CompactStore, ExactStore, Numbered, TreeStore};

/// A small generator (SplitMix64), so that a failing seed can be run again.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

/// A random graph with random costs. A state is its number, far behind the front; no target is an error.
struct Graph {
    steps: Vec<Vec<(Cost, Option<u8>)>>,
    /// The length of the shortest path to an error from each state.
    distances: Vec<Option<Cost>>,
    hidden_prefix: usize,
}

/// Bytes of a state, and which of them tells the number.
const LENGTH: usize = 21;
const AT: usize = 17;

impl Graph {
    fn random(seed: u64) -> Self {
        let mut random = Random(seed);
        let states = 1 + random.below(60);
        let errors = random.below(3); // none, few, or some
        let costs = [1, 3, 9][random.below(3) as usize];
        let is_error = |random: &mut Random| random.below(40) < errors;
        let mut step = |_| {
            let steps = 1 + random.below(4);
            let step = |random: &mut Random| match is_error(random) {
                true => (random.below(4) as Cost, None),
                false => (1 + random.below(costs) as Cost, Some(random.below(states) as u8)),
            };
            (0..steps).map(|_| step(&mut random)).collect()
        };
        let steps: Vec<Vec<_>> = (0..states).map(&mut step).collect();
        let mut distances: Vec<Option<Cost>> = vec![None; steps.len()];
        for _ in 0..=steps.len() {
            for (state, steps) in steps.iter().enumerate() {
                let over = |&(cost, target): &(Cost, Option<u8>)| match target {
                    None => Some(cost),
                    Some(target) => distances[target as usize].map(|rest| cost + rest),
                };
                distances[state] = steps.iter().filter_map(over).min();
            }
        }
        Graph { steps, distances, hidden_prefix: 0 }
    }
}

fn violation() -> Violation {
    Violation { kind: ViolationKind::Assertion, message: "met".to_owned(), place: None, process: None }
}

impl TransitionSystem for Graph {
    type Action = usize;

    fn initial(&self) -> Box<State> {
        Box::new([0; LENGTH])
    }

    fn for_each_step(
        &self,
        state: &State,
        _: Selection,
        mut visit: impl FnMut(Step<'_, usize>) -> ControlFlow<()>,
    ) -> Selected {
        for (action, &(cost, target)) in self.steps[state[AT] as usize].iter().enumerate() {
            let mut next = state.to_vec();
            next[..self.hidden_prefix].iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
            let place = [Written { offset: AT as u32, width: 1, old: u64::from(state[AT]) }];
            let changed =
                if self.hidden_prefix == 0 && action % 2 == 0 { Changed::At(&place) } else { Changed::Anywhere };
            let target = match target {
                Some(target) => {
                    next[AT] = target;
                    Target::State(&next)
                }
                None => Target::Violation(violation()),
            };
            if visit(Step { cost, target, changed, ..Step::to(action, action as u32, &[]) }).is_break() {
                break;
            }
        }
        Selected::ALL
    }
}

/// Estimates drawn at random, below the true distance or not.
struct Drawn {
    h: Vec<Option<Cost>>,
    guarantee: Guarantee,
    /// The state being expanded.
    expanded: Option<u8>,
}

impl Drawn {
    /// The true distance, scaled: consistent.
    fn scaled(graph: &Graph, tenths: Cost) -> Self {
        let h = graph.distances.iter().map(|distance| distance.map(|distance| distance * tenths / 10)).collect();
        Drawn { h, guarantee: Guarantee::Consistent, expanded: None }
    }

    /// Anything below the true distance. Not every dead end is recognised.
    fn below(graph: &Graph, random: &mut Random) -> Self {
        let mut draw = |distance: &Option<Cost>| match distance {
            Some(distance) => Some(random.below(u64::from(*distance) + 1) as Cost),
            None => (random.below(2) == 0).then(|| random.below(30) as Cost),
        };
        let h = graph.distances.iter().map(&mut draw).collect();
        Drawn { h, guarantee: Guarantee::Admissible, expanded: None }
    }

    /// Anything.
    fn guess(graph: &Graph, random: &mut Random) -> Self {
        let mut draw = |distance: &Option<Cost>| match distance {
            None if random.below(2) == 0 => None,
            _ => Some(random.below(40) as Cost),
        };
        let h = graph.distances.iter().map(&mut draw).collect();
        Drawn { h, guarantee: Guarantee::Guess, expanded: None }
    }
}

impl Estimate for Drawn {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        self.h[state[AT] as usize].map(Estimated::from)
    }

    fn expand(&mut self, state: &State) {
        self.expanded = Some(state[AT]);
    }

    fn distance_after(&mut self, state: &State, changed: Changed<'_>) -> Option<Estimated> {
        let from = self.expanded.expect("a state is expanded");
        if let Changed::At(places) = changed {
            assert_eq!(places.iter().map(|place| place.old).collect::<Vec<_>>(), [u64::from(from)]);
        }
        self.distance(state)
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }
}

/// The length of the path if each of its steps can be taken and its last shows the error.
fn walk(graph: &Graph, actions: &[usize]) -> Option<Cost> {
    let (mut state, mut length) = (0u8, 0);
    for (at, &action) in actions.iter().enumerate() {
        let &(cost, target) = graph.steps[state as usize].get(action)?;
        length += cost;
        match target {
            None => return (at + 1 == actions.len()).then_some(length),
            Some(target) => state = target,
        }
    }
    None
}

const NONE: Limits = Limits { max_depth: None, max_states: None, memory: None };

/// What is expected of a search, with what it is called in a failure.
struct Case<'a> {
    graph: &'a Graph,
    reference: Outcome<usize>,
    seed: u64,
}

impl<'a> Case<'a> {
    fn new(graph: &'a Graph, seed: u64) -> Self {
        let store = &mut ExactStore::new(graph.hidden_prefix);
        let reference = bfs::search(
            &mut [graph],
            &Objective::new(|_| true, OnError::Stop, &NONE),
            Reduction::SleepSets,
            store,
            &mut Unwatched,
        );
        Case { graph, reference, seed }
    }

    fn shortest(&self) -> Option<Cost> {
        self.reference.path.as_ref().map(|path| path.length)
    }

    /// The verdict is that of the reference, the path can be walked, and it is claimed to be shortest iff `proves`.
    fn check(&self, name: &str, outcome: &Outcome<usize>, proves: bool) {
        let what = format!("{name}, seed {}", self.seed);
        assert_eq!(outcome.end, self.reference.end, "{what}");
        assert_eq!(outcome.path.is_some(), self.reference.path.is_some(), "{what}");
        let Some(path) = &outcome.path else { return };
        assert_eq!(walk(self.graph, &path.actions), Some(path.length), "{what}");
        assert_eq!(path.shortest, proves, "{what}");
        assert!(Some(path.length) >= self.shortest(), "{what}");
        if proves {
            assert_eq!(Some(path.length), self.shortest(), "{what}");
        }
    }

    /// Directed searches, with estimates of every kind, over one kind of store.
    fn check_directed<S: Numbered>(&self, store: &str, make: impl Fn() -> S) {
        let (graph, weight) = (self.graph, |of: f64| Weight::new(of).unwrap());
        let mut random = Random(self.seed);
        let lossless = S::LOSSLESS && graph.hidden_prefix == 0;
        let estimates = [
            Drawn::scaled(graph, 10),
            Drawn::scaled(graph, 5),
            Drawn::below(graph, &mut random),
            Drawn::below(graph, &mut random),
            Drawn::guess(graph, &mut random),
        ];
        for mut h in estimates {
            let admissible = h.guarantee >= Guarantee::Admissible;
            for (by, at_most_one) in [
                (Evaluation::A_STAR, true),
                (Evaluation::Weighted(weight(0.7)), true),
                (Evaluation::Weighted(weight(3.5)), false),
                (Evaluation::Greedy, false),
            ] {
                let name = format!("{store}, {by:?}, {:?}", h.guarantee);
                let guide = Directed { by, estimate: &mut h };
                let errors = OnError::Stop;
                let outcome = best_first::search(
                    graph,
                    &Objective::new(|_| true, errors, &NONE),
                    guide,
                    &mut make(),
                    &mut Unwatched,
                );
                self.check(&name, &outcome, lossless && admissible && at_most_one);
                if h.guarantee == Guarantee::Consistent && at_most_one {
                    assert_eq!(outcome.stats.reopened, 0, "{name}, seed {}", self.seed);
                }
                let Evaluation::Weighted(weight) = by else { continue };
                let guide = Directed { by: weight, estimate: &mut h };
                let outcome =
                    ida::search(graph, &Objective::new(|_| true, errors, &NONE), guide, &mut make(), &mut Unwatched);
                self.check(&format!("ida, {name}"), &outcome, lossless && admissible && at_most_one);
            }
        }
    }

    /// Searches that see everything see the same.
    fn check_blind<S: Numbered>(&self, store: &str, make: impl Fn() -> S) {
        let graph = self.graph;
        let all = {
            let (systems, store) = (&mut [graph], &mut make());
            bfs::search(
                systems,
                &Objective::new(|_| true, OnError::Count, &NONE),
                Reduction::SleepSets,
                store,
                &mut Unwatched,
            )
        };
        let errors = OnError::Count;
        let best = |by| {
            let guide = Directed { by, estimate: &mut Blind };
            best_first::search(graph, &Objective::new(|_| true, errors, &NONE), guide, &mut make(), &mut Unwatched)
        };
        let deepening = {
            let guide = Directed { by: Weight::ONE, estimate: &mut Blind };
            ida::search(graph, &Objective::new(|_| true, errors, &NONE), guide, &mut make(), &mut Unwatched)
        };
        let bounded =
            |on_error| bounded::search(graph, &Objective::new(|_| true, on_error, &NONE), &mut make(), &mut Unwatched);
        for (name, outcome) in [
            ("A*", best(Evaluation::A_STAR)),
            ("greedy", best(Evaluation::Greedy)),
            ("ida", deepening),
            ("bounded", bounded(errors)),
        ] {
            let what = format!("{name}, {store}, seed {}", self.seed);
            assert_eq!(outcome.end, End::Exhausted, "{what}");
            assert_eq!((outcome.stats.states, outcome.errors), (all.stats.states, all.errors), "{what}");
            assert_eq!(outcome.path.is_some(), all.path.is_some(), "{what}");
            if name == "A*" || name == "greedy" {
                assert_eq!(outcome.stats.transitions(), all.stats.transitions(), "{what}");
                assert_eq!(outcome.stats.expanded, all.stats.expanded + outcome.stats.reopened, "{what}");
            }
        }
        let objective = &Objective::new(|_| true, OnError::Stop, &NONE);
        let outcome = bounded::shorten(graph, objective, &mut make(), &mut Unwatched);
        self.check(&format!("shortened, {store}"), &outcome, S::LOSSLESS && graph.hidden_prefix == 0);
        let outcome = bounded(OnError::Stop);
        self.check(&format!("bounded, {store}"), &outcome, false);
    }
}

#[test]
fn directed_searches_find_an_error_where_there_is_one_and_claim_what_is_true() {
    for seed in 0..400 {
        let graph = Graph::random(seed);
        let case = Case::new(&graph, seed);
        assert_eq!(case.shortest(), graph.distances[0], "seed {seed}");
        case.check_directed("tree", TreeStore::new);
        case.check_directed("exact", || ExactStore::new(0));
        case.check_directed("compact", || CompactStore::new(0));
    }
}

#[test]
fn blind_ones_see_what_breadth_first_search_sees() {
    for seed in 0..400 {
        let graph = Graph::random(seed);
        let case = Case::new(&graph, seed);
        case.check_blind("tree", TreeStore::new);
        case.check_blind("exact", || ExactStore::new(0));
        case.check_blind("compact", || CompactStore::new(0));
    }
}

#[test]
fn states_that_carry_bytes_prove_no_length() {
    for seed in 0..300 {
        let graph = Graph { hidden_prefix: 3, ..Graph::random(seed) };
        let case = Case::new(&graph, seed);
        case.check_directed("exact", || ExactStore::new(3));
        case.check_directed("compact", || CompactStore::new(3));
        case.check_blind("exact", || ExactStore::new(3));
    }
}

#[test]
fn states_are_reopened_and_their_errors_counted_once() {
    let (mut reopened, errors) = (0, OnError::Count);
    for seed in 0..300 {
        let (graph, random) = (Graph::random(seed), &mut Random(seed));
        let store = &mut TreeStore::new();
        let all = bfs::search(
            &mut [&graph],
            &Objective::new(|_| true, errors, &NONE),
            Reduction::SleepSets,
            store,
            &mut Unwatched,
        );
        for (mut h, weight) in [(Drawn::below(&graph, random), 1.0), (Drawn::guess(&graph, random), 3.5)] {
            let weight = Weight::new(weight).unwrap();
            let (guide, store) =
                (Directed { by: Evaluation::Weighted(weight), estimate: &mut h }, &mut TreeStore::new());
            let outcome =
                best_first::search(&graph, &Objective::new(|_| true, errors, &NONE), guide, store, &mut Unwatched);
            assert_eq!((outcome.end, outcome.errors), (all.end, all.errors), "seed {seed}");
            reopened += outcome.stats.reopened;
            let (guide, store) = (Directed { by: weight, estimate: &mut h }, &mut TreeStore::new());
            let outcome = ida::search(&graph, &Objective::new(|_| true, errors, &NONE), guide, store, &mut Unwatched);
            assert_eq!((outcome.end, outcome.errors), (all.end, all.errors), "ida, seed {seed}");
        }
    }
    assert!(reopened > 100, "{reopened}");
}

#[test]
fn partial_ida_finds_errors_by_bits() {
    for seed in 0..300 {
        let graph = Graph::random(seed);
        let case = Case::new(&graph, seed);
        for mut h in [Drawn::scaled(&graph, 10), Drawn::below(&graph, &mut Random(seed))] {
            let (mut bits, seeds) = (BitStore::new(0, 20, 2), [seed, seed + 1]);
            let fields = BitFields { store: &mut bits, seeds: &seeds };
            let guide = Directed { by: Weight::ONE, estimate: &mut h };
            let errors = OnError::Stop;
            let outcome = ida::partial(&graph, &Objective::new(|_| true, errors, &NONE), guide, fields, &mut Unwatched);
            case.check("partial ida", &outcome, false); // so few states in so many bits: none is lost
        }
    }
}

#[test]
fn within_a_bound_an_error_is_found_iff_one_is_there() {
    for seed in 0..300 {
        let graph = Graph::random(seed);
        let case = Case::new(&graph, seed);
        for depth in [0, 1, 2, 4, 7, 12] {
            let limits = Limits { max_depth: Some(depth), ..NONE };
            let is_there = case.shortest().is_some_and(|length| length <= depth);
            let what = |name: &str| format!("{name}, seed {seed}, depth {depth}");
            let judge = |name: &str, outcome: Outcome<usize>| {
                assert_eq!(outcome.path.is_some(), is_there, "{}", what(name));
                let reachable = case.shortest().is_some();
                assert!(
                    is_there || !reachable || outcome.end == End::Stopped(Stop::Limit(Limit::Depth)),
                    "{}",
                    what(name)
                );
                if let Some(path) = &outcome.path {
                    assert_eq!(walk(&graph, &path.actions), Some(path.length), "{}", what(name));
                    assert!(path.length <= depth, "{}", what(name));
                    assert!(!path.shortest || Some(path.length) == case.shortest(), "{}", what(name));
                }
                outcome.path.is_some_and(|path| path.shortest)
            };
            let errors = OnError::Stop;
            let objective = &Objective::new(|_| true, OnError::Stop, &limits);
            judge("bounded", bounded::search(&graph, objective, &mut TreeStore::new(), &mut Unwatched));
            let shortened = bounded::shorten(&graph, objective, &mut TreeStore::new(), &mut Unwatched);
            assert_eq!(judge("shortened", shortened), is_there, "{}", what("shortened"));
            if depth < 8 {
                judge(
                    "stateless",
                    stateless::search(
                        &graph,
                        &Objective::new(|_| true, errors, &limits),
                        graph.hidden_prefix,
                        &mut Unwatched,
                    ),
                );
            }
            let mut h = Drawn::below(&graph, &mut Random(seed));
            let guide = Directed { by: Evaluation::A_STAR, estimate: &mut h };
            let store = &mut TreeStore::new();
            let outcome =
                best_first::search(&graph, &Objective::new(|_| true, errors, &limits), guide, store, &mut Unwatched);
            assert_eq!(judge("A*", outcome), is_there, "{}", what("A*"));
            let (guide, store) = (Directed { by: Weight::ONE, estimate: &mut h }, &mut TreeStore::new());
            let outcome = ida::search(&graph, &Objective::new(|_| true, errors, &limits), guide, store, &mut Unwatched);
            assert_eq!(judge("ida", outcome), is_there, "{}", what("ida"));
        }
    }
}
