//! The structures of Engels et al. 2009, §5.1, as explicit graphs, and statistics over many runs.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Mutex;

use homing_core::{
    Changed, Limits, Outcome, Purpose, Seed, Selected, Selection, State, StateId, Step, TransitionSystem, Unwatched,
};
use homing_store::{Interned, Keys, NeedsGrowth, Nothing, Prefetch, Store, Usage};

use crate::testing::violation;
use crate::{Lanes, Objective, OnError, highway, highway_exact};

/// Runs of a statistical test: 10,000, or `HOMING_RUNS`. They see a probability of one half that is off by 0.023 (4.5 standard
/// deviations); 100,000 runs one that is off by 0.007.
pub fn runs() -> u64 {
    let usual = 10_000;
    std::env::var("HOMING_RUNS").map_or(usual, |text| text.parse().expect("HOMING_RUNS is a number"))
}

/// A graph whose states are numbers, the first of them 0. The steps of some states are errors.
pub struct Net {
    pub steps: Vec<Vec<u32>>,
    pub errors: Vec<u32>,
    /// The states that were expanded in this run.
    pub expanded: Mutex<Vec<u32>>,
}

impl Net {
    pub fn new(steps: Vec<Vec<u32>>) -> Self {
        Net { steps, errors: Vec::new(), expanded: Mutex::default() }
    }

    pub fn edges(&self) -> usize {
        self.steps.iter().map(Vec::len).sum()
    }

    /// A diamond of width n; state (i, j) has the number i·n + j, and (i + 1, j) comes before (i, j + 1).
    pub fn diamond(n: u32) -> Self {
        let steps = |i, j| {
            let down = (i + 1 < n).then_some((i + 1) * n + j);
            down.into_iter().chain((j + 1 < n).then_some(i * n + j + 1)).collect()
        };
        Self::new((0..n * n).map(|at| steps(at / n, at % n)).collect())
    }

    /// A chain of states 0 to n + 1, the last of which is an error; from state k ≤ n another way leads back to 0 in k steps, from
    /// 0 and 1 in one.
    pub fn back_loop(n: u32) -> Self {
        let mut steps: Vec<Vec<u32>> = (0..=n).map(|k| vec![k + 1]).collect();
        steps.push(Vec::new());
        for k in 0..=n as usize {
            for at in 1..k {
                let next = steps.len() as u32;
                let from = if at == 1 { k } else { steps.len() - 1 };
                steps[from].push(next);
                steps.push(Vec::new());
            }
            let last = if k < 2 { k } else { steps.len() - 1 };
            steps[last].push(0);
        }
        Net { errors: vec![n + 1], ..Self::new(steps) }
    }

    /// Five components of five states, each with a step to all others; state 0 leads to the first state of each, and the last
    /// state of each to an exit, which has no steps.
    pub fn components() -> Self {
        let first = |component: u32| 1 + 6 * component;
        let mut steps = vec![(0..5).map(first).collect()];
        for component in 0..5 {
            let members = first(component)..first(component) + 5;
            for member in members.clone() {
                let mut others: Vec<u32> = members.clone().filter(|&other| other != member).collect();
                others.extend((member + 1 == members.end).then_some(members.end));
                steps.push(others);
            }
            steps.push(Vec::new());
        }
        Self::new(steps)
    }

    /// The last states of the five components, which have exits.
    pub fn exits() -> [u32; 5] {
        [5, 11, 17, 23, 29]
    }

    /// A state 0 with steps to `a` and `k` states `b`. `a` leads to `c` states of its own, each `b` to the state 1.
    pub fn funnel(c: u32, k: u32, order: Order) -> Self {
        let (a, s) = (2, 1);
        let mut steps = vec![vec![a], vec![], (0..c).map(|at| 3 + k + at).collect()];
        let bs: Vec<u32> = (3..3 + k).collect();
        steps.extend(bs.iter().map(|_| vec![s]));
        steps.extend((0..c).map(|_| vec![]));
        match order {
            Order::FunnelLast => steps[0].extend(bs),
            Order::FunnelFirst => steps[0].splice(..0, bs).for_each(drop),
        }
        Self::new(steps)
    }

    /// The same graph with the steps of each state in another order.
    pub fn shuffled(&self, seed: u64) -> Self {
        let mut stream = Seed::of_run(seed, 0).stream(Purpose::Diversity);
        let mut steps = self.steps.clone();
        steps.iter_mut().for_each(|steps| stream.shuffle(steps));
        Net { errors: self.errors.clone(), ..Self::new(steps) }
    }

    /// The states that a run has expanded, in order of their numbers.
    pub fn take_expanded(&self) -> Vec<u32> {
        let mut expanded = std::mem::take(&mut *self.expanded.lock().unwrap());
        expanded.sort_unstable();
        expanded
    }
}

/// Whether the shared state of a funnel is tried before all others or after them.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    FunnelFirst,
    FunnelLast,
}

impl TransitionSystem for Net {
    type Action = usize;

    fn initial(&self) -> Box<State> {
        Box::new(0u32.to_le_bytes())
    }

    fn for_each_step(
        &self,
        state: &State,
        _: Selection,
        mut visit: impl FnMut(Step<'_, usize>) -> ControlFlow<()>,
    ) -> Selected {
        let at = u32::from_le_bytes(state.try_into().expect("four bytes"));
        self.expanded.lock().unwrap().push(at);
        if self.errors.contains(&at) {
            let _ = visit(Step::violating(0, 0, 0, violation("reached")));
            return Selected::ALL;
        }
        for (action, target) in self.steps[at as usize].iter().enumerate() {
            if visit(Step::to(action, action as u32, &target.to_le_bytes())).is_break() {
                break;
            }
        }
        Selected::ALL
    }
}

/// One of the two highway searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Highway {
    Approximate,
    Exact { threads: usize },
}

impl Highway {
    pub const EXACT: Highway = Highway::Exact { threads: 1 };

    /// Searches a net; afterwards it knows what was expanded.
    pub fn run(self, net: &Net, width: usize, seed: u64, limits: &Limits) -> Outcome<usize> {
        net.expanded.lock().unwrap().clear();
        let lanes = Lanes { width, seed: Seed::of_run(seed, 0) };
        let (objective, store) = (Objective::new(|_| true, OnError::Stop, limits), &mut Numbers::default());
        match self {
            Highway::Approximate => highway::search(&mut { net }, &objective, lanes, store, &mut Unwatched),
            Highway::Exact { threads } => {
                highway_exact::search(&mut vec![net; threads], &objective, lanes, store, &mut Unwatched)
            }
        }
    }

    /// In how many of [`runs`] runs each state is expanded.
    pub fn expanded(self, net: &Net, width: usize, limits: &Limits) -> Vec<u64> {
        let mut counts = vec![0; net.steps.len()];
        for seed in 0..runs() {
            self.run(net, width, seed, limits);
            net.take_expanded().into_iter().for_each(|at| counts[at as usize] += 1);
        }
        counts
    }
}

/// Asserts that an event of probability `p` that happened so often in so many runs did so as often as chance has it: within 4.5
/// standard deviations.
pub fn assert_share(count: u64, runs: u64, p: f64, what: &str) {
    let (runs, share) = (runs as f64, count as f64 / runs as f64);
    let sigma = (p * (1.0 - p) / runs).sqrt();
    // the probabilities are given to four digits
    assert!((share - p).abs() <= 4.5 * sigma + 0.5e-4, "{what}: {share} instead of {p} (sigma {sigma})");
}

/// The chi-square statistic of counts that should have these probabilities.
pub fn chi_square(counts: &[u64], p: &[f64]) -> f64 {
    let (runs, sum) = (counts.iter().sum::<u64>() as f64, p.iter().sum::<f64>());
    let expected = p.iter().map(|p| runs * p / sum);
    counts.iter().zip(expected).map(|(&count, expected)| (count as f64 - expected).powi(2) / expected).sum()
}

/// A store of four bytes a state: those of the library are made for millions of states, and take longer to make than a run.
#[derive(Default)]
struct Numbers(Mutex<HashMap<u64, u32>>);

impl Keys for Numbers {
    type Key = u64;
    type Cursor = ();

    fn cursor(&self) {}

    fn set_parent(&self, (): &mut (), _: &State, _: Option<u64>) {}

    fn key(&self, (): &mut (), state: &State, _: Changed<'_>) -> Result<u64, NeedsGrowth> {
        Ok(u64::from(u32::from_le_bytes(state.try_into().expect("four bytes"))))
    }
}

impl Prefetch for Numbers {}

impl Store for Numbers {
    type Recall = Nothing;

    const LOSSLESS: bool = true;

    fn intern(&self, (): &mut (), key: u64, state: &State) -> Result<Interned, NeedsGrowth> {
        if let Some(known) = self.find(key, state) {
            return Ok(known);
        }
        let mut ids = self.0.lock().unwrap();
        let id = ids.len() as u32;
        ids.insert(key, id);
        Ok(Interned::New(StateId(id)))
    }

    fn find(&self, key: u64, _: &State) -> Option<Interned> {
        self.0.lock().unwrap().get(&key).map(|&id| Interned::Known(StateId(id)))
    }

    fn len(&self) -> u64 {
        self.0.lock().unwrap().len() as u64
    }

    fn capacity(&self) -> u64 {
        u64::from(u32::MAX)
    }

    fn memory(&self) -> u64 {
        12 * self.len()
    }

    fn next_growth(&self) -> u64 {
        0
    }

    fn grow(&mut self, _: usize) -> bool {
        true
    }

    fn usage(&self) -> Usage {
        Usage { bytes: self.memory(), longest_state: 4 }
    }
}
