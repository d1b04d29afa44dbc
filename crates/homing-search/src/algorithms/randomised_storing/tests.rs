use std::cell::Cell;
use std::collections::HashSet;
use std::ops::ControlFlow;

use homing_core::{End, Labels, Limit, Limits, Path, Selected, Selection, Unwatched};
use homing_store::{ExactStore, TreeStore};

use super::*;
use crate::cycles::Fairness;
use crate::testing::Row::{Bad, To};
use crate::testing::{Chain, Random, Table, violation};
use crate::{FairCopies, OnError, dfs};

/// A random graph in which some states are accepting; a state is its number.
#[derive(Clone, Debug)]
struct Explicit {
    steps: Vec<Vec<u8>>,
    accepting: Vec<bool>,
    /// Steps are being shown: engines cannot be asked for anything else then.
    is_busy: Cell<bool>,
}

impl Explicit {
    fn random(seed: u64, most_states: u64, most_steps: u64) -> Self {
        let mut random = Random(seed);
        let states = 1 + random.below(most_states);
        let rare = 2 + random.below(4);
        let accepting = (0..states).map(|_| random.below(rare) == 0).collect();
        let steps = (0..states)
            .map(|_| (0..random.below(most_steps + 1)).map(|_| random.below(states) as u8).collect())
            .collect();
        Explicit { steps, accepting, is_busy: Cell::new(false) }
    }

    /// A random graph with so many states, and the same number of steps from each.
    fn large(seed: u64, states: u64, steps: u64) -> Self {
        let mut random = Random(seed);
        let mut targets = || (0..steps).map(|_| random.below(states) as u8).collect();
        let (steps, accepting) = ((0..states).map(|_| targets()).collect(), vec![false; states as usize]);
        Explicit { steps, accepting, is_busy: Cell::new(false) }
    }

    /// By state: those that at least one step leads to, and the steps after it.
    fn reaches(&self) -> Vec<u16> {
        let mut reaches: Vec<u16> =
            self.steps.iter().map(|steps| steps.iter().fold(0, |all, to| all | 1 << to)).collect();
        for by in 0..self.steps.len() {
            let beyond = reaches[by];
            reaches.iter_mut().filter(|from| **from & (1 << by) != 0).for_each(|from| *from |= beyond);
        }
        reaches
    }

    /// Whether a reachable accepting state is in a component with a cycle.
    fn has_cycle(&self) -> bool {
        let reaches = self.reaches();
        let reachable = reaches[0] | 1;
        (0..self.steps.len())
            .any(|state| self.accepting[state] && reachable & (1 << state) != 0 && reaches[state] & (1 << state) != 0)
    }

    /// Executes a lasso: its cycle closes, and has an accepting state.
    fn check(&self, path: &Path<usize>) {
        let stem = path.cycle.expect("a lasso");
        let (mut at, mut start, mut is_accepting) = (0usize, None, false);
        for (nth, &action) in path.actions.iter().enumerate() {
            if nth >= stem {
                start = start.or(Some(at));
                is_accepting |= self.accepting[at];
            }
            at = usize::from(self.steps[at][action]);
        }
        assert!(start == Some(at) && is_accepting, "{path:?} is no acceptance cycle of {self:?}");
    }
}

impl TransitionSystem for Explicit {
    type Action = usize;

    fn initial(&self) -> Box<State> {
        Box::new([0])
    }

    fn for_each_step(
        &self,
        state: &State,
        _: Selection,
        mut visit: impl FnMut(Step<'_, usize>) -> ControlFlow<()>,
    ) -> Selected {
        self.is_busy.set(true);
        for (action, &target) in self.steps[usize::from(state[0])].iter().enumerate() {
            if visit(Step { movers: &[0], ..Step::to(action, action as u32, &[target]) }).is_break() {
                break;
            }
        }
        self.is_busy.set(false);
        Selected::ALL
    }

    fn labels(&self, state: &State) -> Labels {
        assert!(!self.is_busy.get(), "steps are being shown");
        Labels { accepting: self.accepting[usize::from(state[0])], progress: false }
    }
}

fn storing(strategy: Strategy, keep: f64, seed: u64) -> Storing {
    Storing { strategy, keep: Probability::new(keep).expect("a probability"), seed: Seed::of_run(seed, 0) }
}

fn nested<T: TransitionSystem>(system: &T, how: (Storing, StepOrder), limits: Limits) -> Outcome<T::Action> {
    let violation = violation("cycle");
    let cycles = Cycles { sets: 1, fairness: Fairness::None, processes: 1, violation: &violation };
    let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
    search(system, &objective, Some(&cycles), how, &mut TreeStore::new(), &mut Unwatched)
}

const KEPT: [f64; 6] = [0.0, 0.1, 0.3, 0.5, 0.75, 1.0];

/// The strategies, probabilities and orders.
const SETTINGS: u64 = 4 * KEPT.len() as u64;

fn setting(nth: u64, seed: u64) -> (Storing, StepOrder) {
    let strategy = if nth & 1 == 0 { Strategy::Dynamic } else { Strategy::Static };
    let order = if nth & 2 == 0 { StepOrder::AsShown } else { StepOrder::Random(Seed::of_run(seed, 1)) };
    (storing(strategy, KEPT[(nth / 4) as usize], seed), order)
}

/// Four settings on each of so many random graphs, all of them in turn: each verdict is that of the components of the graph, and each
/// lasso is one.
fn decide_graphs(graphs: u64) {
    let (mut runs, mut found) = (0, 0);
    for seed in 0..graphs {
        let graph = Explicit::random(seed, 9, 3);
        let expected = graph.has_cycle();
        for nth in 0..4 {
            let how = setting((seed * 4 + nth) % SETTINGS, seed + nth);
            let outcome = nested(&graph, how, Limits::default());
            assert_eq!(outcome.path.is_some(), expected, "seed {seed}, {how:?}: {graph:?}");
            assert_eq!(outcome.end, if expected { End::Found } else { End::Exhausted }, "seed {seed}");
            outcome.path.iter().for_each(|path| graph.check(path));
            runs += 1;
            found += u32::from(expected);
        }
    }
    assert!(found * 4 > runs && found * 4 < runs * 3, "{found} of {runs}");
}

#[test]
fn verdicts_are_those_of_the_components() {
    // 100,000 take minutes: HOMING_GRAPHS=100000 after a change of the algorithm
    let graphs = std::env::var("HOMING_GRAPHS").map_or(3000, |text| text.parse().expect("HOMING_GRAPHS is a number"));
    decide_graphs(graphs);
}

/// Figure 2 word for word, recursion included.
struct Figure<'a> {
    graph: &'a Explicit,
    storing: Storing,
    draws: Stream,
    first: HashSet<u8>,
    second: HashSet<u8>,
    seed: u8,
    cycle: bool,
    expanded: u64,
    /// The second search is cut at every state that was deleted, accepting or not.
    cuts_all: bool,
}

impl<'a> Figure<'a> {
    fn run(graph: &'a Explicit, storing: Storing, cuts_all: bool) -> Self {
        let draws = storing.seed.stream(Purpose::Keep);
        let (first, second) = (HashSet::new(), HashSet::new());
        let mut figure = Figure { graph, storing, draws, first, second, seed: 0, cycle: false, expanded: 0, cuts_all };
        figure.dfs(0);
        figure
    }

    fn dfs(&mut self, s: u8) {
        self.first.insert(s);
        self.expanded += 1;
        for &t in &self.graph.steps[usize::from(s)] {
            if !self.first.contains(&t) {
                self.dfs(t);
            }
        }
        if self.graph.accepting[usize::from(s)] {
            self.seed = s;
            self.ndfs(s);
        }
        let is_kept = match self.storing.strategy {
            Strategy::Dynamic => self.draws.chance(self.storing.keep.0),
            Strategy::Static => is_below(self.draws.hash(0, &[s]), self.storing.keep.0),
        };
        if !is_kept {
            self.first.remove(&s);
            self.second.remove(&s);
        }
    }

    fn ndfs(&mut self, s: u8) {
        if (self.cuts_all || self.graph.accepting[usize::from(s)]) && !self.first.contains(&s) {
            return;
        }
        self.second.insert(s);
        self.expanded += 1;
        for &t in &self.graph.steps[usize::from(s)] {
            if !self.second.contains(&t) {
                self.ndfs(t);
            } else if t == self.seed {
                self.cycle = true;
            }
        }
        if !self.first.contains(&s) {
            self.second.remove(&s);
        }
    }
}

/// With the same draws a graph without a cycle is searched exactly as in the figure, and the mutant that cuts every deleted state is
/// caught by these graphs.
#[test]
fn graphs_are_searched_as_in_the_figure() {
    let (mut wrong, mut with_cycle, mut without) = (0u32, 0u32, 0u32);
    for seed in 0..4000 {
        let graph = Explicit::random(seed, 9, 3);
        for strategy in [Strategy::Dynamic, Strategy::Static] {
            let storing = storing(strategy, KEPT[seed as usize % KEPT.len()], seed);
            let figure = Figure::run(&graph, storing, false);
            assert_eq!(figure.cycle, graph.has_cycle(), "seed {seed}");
            if figure.cycle {
                with_cycle += 1;
                wrong += u32::from(!Figure::run(&graph, storing, true).cycle);
                continue;
            }
            without += 1;
            let stats = nested(&graph, (storing, StepOrder::AsShown), Limits::default()).stats;
            assert_eq!((stats.expanded, stats.states), (figure.expanded, figure.first.len() as u64), "seed {seed}");
        }
    }
    assert!(without > 1000 && wrong * 100 > with_cycle, "{without}; the mutant is wrong in {wrong} of {with_cycle}");
}

/// Below a limit on the depth nothing is claimed, unless all steps were followed.
#[test]
fn a_limit_on_the_depth_hides_no_cycle_silently() {
    let mut complete = 0;
    for seed in 0..2000 {
        let graph = Explicit::random(seed, 9, 3);
        for max_depth in 0..8 {
            let limits = Limits { max_depth: Some(max_depth), ..Limits::default() };
            let how = (storing(Strategy::Dynamic, 0.5, seed), StepOrder::AsShown);
            let outcome = nested(&graph, how, limits);
            assert!(outcome.end != End::Exhausted || !graph.has_cycle(), "seed {seed}: {graph:?}");
            outcome.path.iter().for_each(|path| graph.check(path));
            complete += u32::from(outcome.end == End::Exhausted);
        }
    }
    assert!(complete > 1000, "{complete}");
}

#[test]
fn fair_copies_are_searched_too() {
    for seed in 0..300 {
        let graph = Explicit::random(seed, 7, 3);
        let copies = FairCopies::new(graph.clone(), 1);
        let outcome = nested(&copies, (storing(Strategy::Dynamic, 0.5, seed), StepOrder::AsShown), Limits::default());
        // the one process moves with every step
        assert_eq!(outcome.path.is_some(), graph.has_cycle(), "seed {seed}");
    }
}

#[test]
fn what_is_kept_and_what_was_known() {
    let system = Table::new(&[
        ("a", &[To("b", 1), To("c", 1)]),
        ("b", &[To("d", 1)]),
        ("c", &[To("d", 1), To("a", 1)]),
        ("d", &[Bad("counted once", 0)]),
    ]);
    let run = |keep| {
        system.expanded.lock().unwrap().clear();
        let (how, limits) = ((storing(Strategy::Dynamic, keep, 0), StepOrder::AsShown), Limits::default());
        let objective = Objective::new(|_: &Violation| true, OnError::Count, &limits);
        let outcome = search(&system, &objective, None, how, &mut ExactStore::new(0), &mut Unwatched);
        (outcome.stats, outcome.errors, system.expanded.lock().unwrap().join(""))
    };
    let (stats, errors, expanded) = run(1.0);
    assert_eq!((stats.states, stats.peak_states, errors, expanded.as_str()), (4, 4, 1, "abdc"));
    assert_eq!((stats.expanded, stats.matched, stats.transitions()), (4, 2, 6));
    let (stats, errors, expanded) = run(0.0);
    assert_eq!((stats.states, stats.peak_states, errors, expanded.as_str()), (0, 3, 1, "abdcd"));
    assert_eq!((stats.expanded, stats.matched, stats.transitions()), (5, 1, 6));
}

/// A grid of so many rows and columns, with values that the tree packs anew several times.
struct Grid(u32);

impl TransitionSystem for Grid {
    type Action = usize;

    fn initial(&self) -> Box<State> {
        Box::new([0; 12])
    }

    fn for_each_step(
        &self,
        state: &State,
        _: Selection,
        mut visit: impl FnMut(Step<'_, usize>) -> ControlFlow<()>,
    ) -> Selected {
        let word = |at: usize| u32::from_le_bytes(state[at..at + 4].try_into().expect("four bytes"));
        for (action, place) in [0, 4].into_iter().enumerate() {
            let mut target = state.to_vec();
            if word(place) + 1 < self.0 {
                target[place..place + 4].copy_from_slice(&(word(place) + 1).to_le_bytes());
                target[8..].copy_from_slice(&(word(0) * 1_000_003 + word(4)).to_le_bytes()[..4]);
                target[8..10].fill(0);
                if visit(Step::to(action, action as u32, &target)).is_break() {
                    break;
                }
            }
        }
        Selected::ALL
    }
}

/// Keys of the tree change while states are on the stack.
#[test]
fn the_store_makes_no_difference() {
    let (limits, how) = (Limits::default(), (storing(Strategy::Dynamic, 0.5, 3), StepOrder::AsShown));
    let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
    let grid = Grid(60);
    let tree = search(&grid, &objective, None, how, &mut TreeStore::new(), &mut Unwatched);
    let exact = search(&grid, &objective, None, how, &mut ExactStore::new(0), &mut Unwatched);
    let figures = |outcome: Outcome<usize>| {
        let stats = outcome.stats;
        (outcome.end, stats.states, stats.expanded, stats.matched, stats.peak_states)
    };
    assert_eq!(figures(tree), figures(exact));
}

/// With dynamic storing the expected number of expansions of each state is at most 1/P.
#[test]
fn dynamic_storing_costs_at_most_one_over_p() {
    let limits = Limits::default();
    let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
    for (graph_seed, keep) in [(1, 0.5), (2, 0.25), (3, 0.1), (4, 0.75)] {
        let graph = Explicit::large(graph_seed, 250, 3);
        let exact = dfs::search(&graph, &objective, StepOrder::AsShown, &mut TreeStore::new(), &mut Unwatched);
        let overheads: Vec<f64> = (0..100)
            .map(|seed| {
                let how = (storing(Strategy::Dynamic, keep, seed), StepOrder::Random(Seed::of_run(seed, 0)));
                let outcome = search(&graph, &objective, None, how, &mut TreeStore::new(), &mut Unwatched);
                outcome.stats.expanded as f64 / exact.stats.expanded as f64
            })
            .collect();
        let mean = overheads.iter().sum::<f64>() / overheads.len() as f64;
        let variance = overheads.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (overheads.len() - 1) as f64;
        let sigma = (variance / overheads.len() as f64).sqrt();
        assert!(mean <= 1.0 / keep + 3.0 * sigma, "P {keep}: {mean} with sigma {sigma}");
    }
}

#[test]
fn one_seed_is_one_run() {
    let graph = Explicit::large(5, 250, 3);
    let run = |seed| {
        let how = (storing(Strategy::Dynamic, 0.5, seed), StepOrder::Random(Seed::of_run(seed, 0)));
        let limits = Limits::default();
        let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
        search(&graph, &objective, None, how, &mut TreeStore::new(), &mut Unwatched).stats
    };
    assert_eq!((run(1).expanded, run(1).states), (run(1).expanded, run(1).states));
    let distinct: HashSet<u64> = (0..8).map(|seed| run(seed).expanded).collect();
    assert!(distinct.len() > 4, "{distinct:?}");
}

/// Static storing keeps the same states whatever the order.
#[test]
fn a_static_choice_is_a_function_of_the_state() {
    let graph = Explicit::large(5, 40, 2);
    let limits = Limits::default();
    let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
    let kept: HashSet<u64> = (0..4)
        .map(|order| {
            let how = (storing(Strategy::Static, 0.75, 7), StepOrder::Random(Seed::of_run(order, 0)));
            search(&graph, &objective, None, how, &mut TreeStore::new(), &mut Unwatched).stats.states
        })
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
}

#[test]
fn limits_count_what_is_known() {
    let chain = Chain { last: 100_000 };
    let stopped = |limits: Limits| {
        let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
        let how = (storing(Strategy::Dynamic, 0.5, 0), StepOrder::AsShown);
        search(&chain, &objective, None, how, &mut TreeStore::new(), &mut Unwatched)
    };
    let outcome = stopped(Limits { max_states: Some(1000), ..Limits::default() });
    assert_eq!((outcome.end, outcome.stats.peak_states), (End::limit(Limit::States), 1000));
    let outcome = stopped(Limits { memory: Some(1 << 20), ..Limits::default() });
    assert_eq!(outcome.end, End::limit(Limit::Memory));
    let outcome = stopped(Limits { max_states: Some(100_001), ..Limits::default() });
    assert_eq!((outcome.end, outcome.path.expect("an error").length), (End::Found, 100_000));
    let outcome = stopped(Limits { max_depth: Some(99), ..Limits::default() });
    assert_eq!(outcome.end, End::limit(Limit::Depth));
}
