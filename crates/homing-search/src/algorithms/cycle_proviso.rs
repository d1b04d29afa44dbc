//! The cycle proviso of partial-order reduction for properties of infinite runs: each cycle of the reduced graph has a state that is
//! expanded in full (condition C3 of [CGP-99], ch. 10). Without it the steps of a process could be left out
//! around a cycle for ever.
//!
//! The reduced graph of the system is explored first, without a claim: of a state that has a stubborn set only the steps of that are
//! followed. Then a depth-first search over the reduced states alone looks for cycles. The target of each back edge is expanded in
//! full, which may lead to further states, and so on until the reduced states have no cycle. The result is a set of states, so that
//! which steps a state has depends on the state alone, whatever claim the system is combined with and in whatever order the product
//! is searched. A proviso on the stack of a search of the product does not have this property, and is unsound ([Siegel-19]).

use std::collections::HashSet;
use std::ops::ControlFlow;

use homing_core::{
    Changed, Condition, Limits, Progress, Selected, Selection, State, StateId, Stats, Stop, Target, TransitionSystem,
    Watch,
};
use homing_store::LoadById;

use crate::limits::Budget;

/// What is known of the reduced graph of a system.
#[derive(Debug)]
pub struct CycleProviso {
    /// The states with a stubborn set that are expanded in full all the same; or why the exploration was stopped before they were known.
    pub expanded_in_full: Result<HashSet<Box<State>>, Stop>,
    /// The figures of the exploration.
    pub stats: Stats,
}

/// Explores the reduced graph of a system, and finds states such that each of its cycles has a state that is expanded in full. `store`
/// is empty at the start.
pub fn search<T, S, W>(system: &T, limits: &Limits, store: &mut S, watch: &mut W) -> CycleProviso
where
    T: TransitionSystem,
    S: LoadById,
    W: Watch,
{
    let cursor = store.cursor();
    let budget = Budget::new(limits, watch);
    let (graph, full) = (ReducedGraph::default(), HashSet::new());
    let mut exploration = Exploration { system, store, cursor, budget, graph, open: Vec::new(), full, transitions: 0 };
    let ended = exploration.run();
    let memory = exploration.memory();
    let Exploration { store, budget, graph, full, transitions, .. } = exploration;
    let stats = Stats {
        states: store.len(),
        expanded: budget.expansions(),
        reduced: graph.nodes.iter().filter(|node| node.kind == Kind::Reduced).count() as u64,
        matched: (transitions + 1).saturating_sub(store.len()),
        peak_states: store.len(),
        memory: store.memory() + memory,
        ..Stats::default()
    };
    CycleProviso { expanded_in_full: ended.map(|()| full), stats }
}

/// How a state is expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    NotExpanded,
    /// By the steps of its stubborn set.
    Reduced,
    /// By all of its steps.
    Full,
}

/// What the depth-first search knows of a reduced state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Colour {
    #[default]
    White,
    OnStack,
    Done,
}

/// A state, with the steps that were recorded if it is reduced.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    kind: Kind,
    colour: Colour,
    first: u32,
    count: u32,
}

/// The reduced states and the steps out of them.
#[derive(Debug, Default)]
struct ReducedGraph {
    /// By id.
    nodes: Vec<Node>,
    targets: Vec<u32>,
    /// The reduced states that the depth-first search has not begun with.
    unsearched: Vec<u32>,
}

impl ReducedGraph {
    /// Makes room for a state.
    fn admit(&mut self, id: StateId) {
        if self.nodes.len() <= id.index() {
            self.nodes.resize(id.index() + 1, Node::default());
        }
    }

    /// Searches the reduced states that are new, depth first. Returns the targets of back edges, after which no cycle of reduced states
    /// is left: they are to be expanded in full. A state that was searched before leads to no new one but through such a target.
    fn back_edge_targets(&mut self) -> Vec<u32> {
        let mut found = Vec::new();
        let mut stack: Vec<(u32, u32)> = Vec::new();
        for root in std::mem::take(&mut self.unsearched) {
            self.push(root, &mut stack);
            while let Some((state, next)) = stack.last_mut() {
                let node = self.nodes[*state as usize];
                if *next == node.count {
                    self.nodes[*state as usize].colour = Colour::Done;
                    stack.pop();
                    continue;
                }
                let target = self.targets[(node.first + *next) as usize];
                *next += 1;
                let reached = self.nodes[target as usize];
                if reached.kind == Kind::Reduced && reached.colour == Colour::OnStack {
                    self.nodes[target as usize].kind = Kind::Full;
                    found.push(target);
                }
                self.push(target, &mut stack);
            }
        }
        found
    }

    /// Enters a reduced state that was not searched yet.
    fn push(&mut self, state: u32, stack: &mut Vec<(u32, u32)>) {
        let node = &mut self.nodes[state as usize];
        if node.kind == Kind::Reduced && node.colour == Colour::White {
            node.colour = Colour::OnStack;
            stack.push((state, 0));
        }
    }
}

/// The exploration of the reduced graph.
struct Exploration<'a, T, S: LoadById, W> {
    system: &'a T,
    store: &'a mut S,
    cursor: S::Cursor,
    budget: Budget<'a, W>,
    graph: ReducedGraph,
    /// The states that are to be expanded.
    open: Vec<u32>,
    full: HashSet<Box<State>>,
    transitions: u64,
}

impl<T, S, W> Exploration<'_, T, S, W>
where
    T: TransitionSystem,
    S: LoadById,
    W: Watch,
{
    fn run(&mut self) -> Result<(), Stop> {
        let initial = self.system.initial();
        self.reach(&initial, Changed::Anywhere)?;
        let mut s = Vec::new();
        loop {
            while let Some(state) = self.open.pop() {
                self.store.load(&mut self.cursor, StateId(state), &mut s);
                if !self.expand(state, &s, Selection::Stubborn)? {
                    self.expand(state, &s, Selection::All)?;
                }
            }
            let in_full = self.graph.back_edge_targets();
            if in_full.is_empty() || Condition::StubbornCycle.is_off() {
                return Ok(());
            }
            for state in in_full {
                self.store.load(&mut self.cursor, StateId(state), &mut s);
                self.full.insert(s.as_slice().into());
                self.expand(state, &s, Selection::All)?;
            }
        }
    }

    /// The bytes that are held besides the store.
    fn memory(&self) -> u64 {
        let ReducedGraph { nodes, targets, unsearched } = &self.graph;
        let ids = targets.capacity() + unsearched.capacity() + self.open.capacity();
        let state = self.full.iter().next().map_or(0, |state| state.len() + size_of::<Box<State>>() + 1);
        (nodes.capacity() * size_of::<Node>() + ids * size_of::<u32>() + self.full.len() * state) as u64
    }

    /// Stores a state: its number.
    fn reach(&mut self, state: &State, changed: Changed<'_>) -> Result<u32, Stop> {
        let memory = self.memory();
        let key = self.budget.key(self.store, &mut self.cursor, state, changed, memory)?;
        let (id, is_new) = self.budget.admit_numbered(self.store, &mut self.cursor, (key, state), memory)?;
        if is_new {
            self.graph.admit(id);
            self.open.push(id.0);
        }
        Ok(id.0)
    }

    /// Follows the selected steps of a state. False if it has no stubborn set, or if one of its steps fails: nothing follows an error, so
    /// that the others do not stand for the rest.
    fn expand(&mut self, state: u32, s: &State, selection: Selection) -> Result<bool, Stop> {
        if self.budget.is_time_to_look() {
            let progress = Progress {
                states: self.store.len(),
                transitions: self.transitions,
                memory: self.store.memory() + self.memory(),
                ..Progress::default()
            };
            self.budget.look(&progress)?;
        }
        self.budget.count_expansion();
        let (first, is_selected, system) = (self.graph.targets.len(), selection == Selection::Stubborn, self.system);
        let (mut going, mut all_go_on) = (Ok(()), true);
        let selected = system.for_each_step(s, selection, |step| {
            match step.target {
                Target::State(target) => match self.reach(target, step.changed) {
                    Ok(target) => self.graph.targets.push(target),
                    Err(stop) => going = Err(stop),
                },
                Target::Violation(_) => all_go_on = false,
                Target::CutOff => {
                    all_go_on = false;
                    going = self.budget.cut_off(None, &Progress::default());
                }
            }
            if going.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        going?;
        let is_reduced = is_selected && selected != Selected::NotReduced;
        if is_reduced && !all_go_on {
            self.full.insert(s.into());
        }
        let node = &mut self.graph.nodes[state as usize];
        let count = self.graph.targets.len() - first;
        if is_reduced && all_go_on {
            *node = Node { kind: Kind::Reduced, colour: Colour::White, first: first as u32, count: count as u32 };
            self.graph.unsearched.push(state);
        } else {
            node.kind = Kind::Full;
            self.graph.targets.truncate(first); // only the steps between reduced states can make a cycle
        }
        self.transitions += count as u64;
        Ok(!is_selected || is_reduced && all_go_on)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use homing_core::{Step, Unwatched, Violation, ViolationKind};
    use homing_store::ExactStore;

    use crate::testing::Random;

    /// A system whose states are numbers.
    struct Drawn {
        /// By state: where its steps lead.
        targets: Vec<Vec<u8>>,
        /// By state: how many of its first steps are its stubborn set, if it has one.
        stubborn: Vec<Option<usize>>,
        /// A step to this state is an error as well.
        failing: Option<u8>,
    }

    impl TransitionSystem for Drawn {
        type Action = u32;

        fn initial(&self) -> Box<State> {
            [0].into()
        }

        fn for_each_step(
            &self,
            state: &State,
            selection: Selection,
            mut visit: impl FnMut(Step<'_, u32>) -> ControlFlow<()>,
        ) -> Selected {
            let (targets, stubborn) = (&self.targets[usize::from(state[0])], self.stubborn[usize::from(state[0])]);
            let shown = match (selection, stubborn) {
                (Selection::Stubborn, None) => return Selected::NotReduced,
                (Selection::Stubborn, Some(stubborn)) => &targets[..stubborn],
                _ => &targets[..],
            };
            for (ordinal, &target) in (0..).zip(shown) {
                if self.failing == Some(target) {
                    let violation = Violation {
                        kind: ViolationKind::Assertion,
                        message: String::new(),
                        place: None,
                        process: None,
                    };
                    let _ = visit(Step::violating(ordinal, ordinal, 1, violation));
                }
                if visit(Step::to(ordinal, ordinal, &[target])).is_break() {
                    break;
                }
            }
            Selected::ALL
        }
    }

    impl Drawn {
        fn in_full(&self) -> HashSet<Box<State>> {
            let found = search(self, &Limits::default(), &mut ExactStore::new(0), &mut Unwatched);
            found.expanded_in_full.expect("nothing stops it")
        }

        /// The steps that are left of a state.
        fn reduced(&self, state: u8, in_full: &HashSet<Box<State>>) -> (&[u8], bool) {
            let targets = &self.targets[usize::from(state)];
            match self.stubborn[usize::from(state)] {
                Some(stubborn) if !in_full.contains(&[state][..]) => (&targets[..stubborn], true),
                _ => (targets, false),
            }
        }

        /// Whether some cycle of the graph that is left has reduced states only: reduced states that lead to no such cycle are taken
        /// away, one after the other.
        fn has_reduced_cycle(&self, in_full: &HashSet<Box<State>>) -> bool {
            let (mut reached, mut open) = (HashSet::from([0]), vec![0]);
            while let Some(state) = open.pop() {
                open.extend(self.reduced(state, in_full).0.iter().filter(|target| reached.insert(**target)));
            }
            let mut left: HashSet<u8> = reached.into_iter().filter(|state| self.reduced(*state, in_full).1).collect();
            loop {
                let leads_on = |state: &u8| self.reduced(*state, in_full).0.iter().any(|target| left.contains(target));
                let next: HashSet<u8> = left.iter().copied().filter(leads_on).collect();
                if next.len() == left.len() {
                    return !left.is_empty();
                }
                left = next;
            }
        }
    }

    #[test]
    fn a_cycle_of_reduced_states_has_one_that_is_expanded_in_full() {
        let two = Drawn {
            targets: vec![vec![1, 2], vec![0, 2], vec![]],
            stubborn: vec![Some(1), Some(1), None],
            failing: None,
        };
        assert_eq!(two.in_full(), HashSet::from([Box::from([0])]));
        let on_the_way = Drawn { targets: vec![vec![1], vec![0]], stubborn: vec![Some(1), None], failing: None };
        assert_eq!(on_the_way.in_full(), HashSet::new());
    }

    #[test]
    fn a_state_whose_selected_step_fails_is_expanded_in_full() {
        let fails =
            Drawn { targets: vec![vec![1, 2], vec![], vec![]], stubborn: vec![Some(1), None, None], failing: Some(1) };
        assert_eq!(fails.in_full(), HashSet::from([Box::from([0])]));
    }

    #[test]
    fn random_systems_have_no_reduced_cycle() {
        let mut with_cycles = 0;
        for seed in 0..3000 {
            let mut random = Random(seed);
            let states = 1 + random.below(19);
            let mut targets = |_| (0..random.below(4)).map(|_| random.below(states) as u8).collect();
            let targets: Vec<Vec<u8>> = (0..states).map(&mut targets).collect();
            let stubborn =
                targets.iter().map(|targets| (targets.len() > 1 && random.below(4) > 0).then_some(1)).collect();
            let drawn = Drawn { targets, stubborn, failing: None };
            with_cycles += u32::from(drawn.has_reduced_cycle(&HashSet::new()));
            assert!(!drawn.has_reduced_cycle(&drawn.in_full()), "seed {seed}");
        }
        assert!(with_cycles > 300, "{with_cycles}");
    }
}
