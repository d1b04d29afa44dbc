//! Breadth-first search (Holzmann, The SPIN Model Checker, ch. 8, "Breadth-First Search" and Fig. 8.6), in uniform-cost
//! order: a step stands for several statements, and it is statements that a path is measured in.
//!
//! The error brought home is a shortest one. That is proved if states carry nothing: what a state carries may decide what
//! it leads to, and of the runs to a state only the first one is followed.
//! Invariant: a state that was not expanded has an entry in `d` made with its current `g`, the least known.
//! Differs from the book: the queue `d` is an array of buckets by `g`, a shorter path to a waiting state makes a second
//! entry, and the superseded one is skipped when it comes up. An error is not reported where it is generated but queued
//! with its length as an event, because a shorter one may still be found before its turn. Where the book marks the links
//! back as an extension (`Find_Path`), they are arrays by number here.

use std::ops::ControlFlow;

use homing_core::{
    Arrival, Cost, End, Limit, Limits, Outcome, Path, Progress, Stats, TransitionSystem, Violation, Watch,
};
use homing_store::Store;

use crate::Errors;
use crate::buckets::{Buckets, Entry, Event};
use crate::budget::{Admission, Budget};
use crate::nodes::NodeTable;

/// Explores `system` from its initial state, shortest paths first. `store` is empty at the start. Violations for which
/// `is_error` is false are passed over.
///
/// A step beyond `limits.max_depth` to a state not reached yet makes the search incomplete, even if the state turns out
/// to have a shorter path later.
pub fn search<T, S, W>(
    system: &T,
    is_error: impl Fn(&Violation) -> bool,
    errors: Errors,
    store: &mut S,
    limits: &Limits,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    S: Store,
    W: Watch,
{
    let mut s = system.initial().into_vec(); // the one buffer that holds the state being expanded
    let mut budget = Budget::new(limits, watch);
    let mut nodes = NodeTable::with_root();
    let mut d = Buckets::new();
    let mut first = None;
    let (mut count, mut matched, mut max_depth) = (0, 0, 0);
    let (mut cut_off, mut full) = (false, None); // a step went too far; a limit was hit while expanding

    match budget.admit(store, &s, nodes.memory()) {
        Admission::New(root) | Admission::Known(root) => d.push_state(0, root),
        Admission::Refused(limit) => full = Some(limit),
    }
    let end = loop {
        if let Some(limit) = full {
            break End::Stopped(limit);
        }
        let Some((g, entry)) = d.pop() else {
            break if cut_off { End::Stopped(Limit::Depth) } else { End::Exhausted };
        };
        let u = match entry {
            Entry::State(u) if g > nodes.g(u) => continue, // superseded entry
            Entry::State(u) => u,
            Entry::Event(event) => {
                max_depth = max_depth.max(g);
                count += 1;
                if first.is_none() {
                    // here and not on generation: only now is g minimal
                    first = Some(path(&nodes, g, event, system.carried() == 0));
                }
                match errors {
                    Errors::StopAtFirst => break End::Found,
                    Errors::CountAll => continue,
                }
            }
        };
        let progress = || Progress {
            states: store.len(),
            transitions: store.len() + matched,
            depth: g,
            frontier: d.states() as u64 + 1,
            memory: store.memory() + nodes.memory() + d.memory(),
            errors: count,
        };
        if let Err(limit) = budget.charge_expansion(progress) {
            break End::Stopped(limit);
        }
        max_depth = max_depth.max(g);
        store.load(u, &mut s);
        system.for_each_step(&s, |step| {
            let g_v = budget.lengthen(g, step.cost);
            match (step.arrival, g_v) {
                (Arrival::State(target), Some(g_v)) => {
                    let v = match budget.admit(store, target, nodes.memory() + d.memory()) {
                        Admission::New(v) => v,
                        Admission::Known(v) => {
                            matched += 1;
                            v
                        }
                        Admission::Refused(limit) => {
                            full = Some(limit);
                            return ControlFlow::Break(());
                        }
                    };
                    if nodes.relax(v, g_v, u, step.action) {
                        store.carry(v, target); // what v carries comes from the run that leads to it
                        d.push_state(g_v, v);
                    }
                }
                (Arrival::State(target), None) if store.find(target).is_some() => matched += 1,
                (Arrival::State(_), None) => cut_off = true,
                (Arrival::Violation(violation), _) if !is_error(&violation) => {}
                (Arrival::Violation(violation), Some(g_v)) => {
                    d.push_event(g_v, Event { u, action: step.action, violation });
                }
                (Arrival::Violation(_), None) | (Arrival::CutOff, _) => cut_off = true,
            }
            let progress = || Progress {
                states: store.len(),
                transitions: store.len() + matched,
                depth: g,
                frontier: d.states() as u64 + 1,
                memory: store.memory() + nodes.memory() + d.memory(),
                errors: count,
            };
            match budget.charge_step(progress) {
                Ok(()) => ControlFlow::Continue(()),
                Err(limit) => {
                    full = Some(limit);
                    ControlFlow::Break(())
                }
            }
        });
    };
    if first.is_none()
        && let Some((g, event)) = d.pop_event()
    {
        count = 1; // a limit was hit before its turn came: perhaps not the shortest, but an error it is
        first = Some(path(&nodes, g, event, false));
    }
    let stats = Stats {
        states: store.len(),
        expanded: budget.expansions(),
        matched,
        reopened: 0,
        peak_states: store.len(),
        max_depth,
        memory: store.memory() + nodes.memory() + d.memory(),
    };
    Outcome { end, path: first, errors: count, stats }
}

/// The path that ends in the event, of length `g`.
fn path<A: Copy>(nodes: &NodeTable<A>, g: Cost, event: Event<A>, shortest: bool) -> Path<A> {
    let mut actions = nodes.path_to(event.u);
    actions.push(event.action);
    Path { actions, length: g, violation: event.violation, shortest }
}

#[cfg(test)]
mod tests {
    use homing_core::Unwatched;
    use homing_store::ExactStore;

    use super::*;
    use crate::table::Row::{Bad, Endless, To};
    use crate::table::{Chain, Graph, Table, walk};

    fn run(system: &Table, errors: Errors, limits: Limits) -> Outcome<usize> {
        search(system, |_| true, errors, &mut ExactStore::new(0), &limits, &mut Unwatched)
    }

    #[test]
    fn states_are_expanded_by_length_then_as_they_came() {
        let system = Table::new(&[
            ("a", &[To("far", 5), To("b", 2), To("c", 1), To("d", 2)]),
            ("b", &[To("e", 1), To("a", 1)]),
            ("c", &[To("far", 2), To("b", 1)]), // far gets nearer; b does not
            ("d", &[]),
            ("e", &[To("far", 1)]),
            ("far", &[]),
        ]);
        let outcome = run(&system, Errors::StopAtFirst, Limits::default());
        assert_eq!(*system.expanded.borrow(), ["a", "c", "b", "d", "far", "e"]);
        assert_eq!(outcome.end, End::Exhausted);
        assert_eq!((outcome.stats.states, outcome.stats.matched, outcome.stats.max_depth), (6, 4, 3));
        assert_eq!(outcome.stats.transitions(), 1 + 9);
        assert_eq!(outcome.stats.expanded, 6);
    }

    #[test]
    fn shortest_is_by_statements_not_by_moves() {
        let system = Table::new(&[
            ("a", &[Bad("one move", 9), To("b", 1)]),
            ("b", &[To("c", 1)]),
            ("c", &[To("d", 1)]),
            ("d", &[Bad("four moves", 1)]),
        ]);
        let outcome = run(&system, Errors::StopAtFirst, Limits::default());
        let path = outcome.path.expect("an error");
        assert_eq!((path.violation.message.as_str(), path.actions), ("four moves", vec![1, 0, 0, 0]));
        assert_eq!((path.length, path.shortest, outcome.end), (4, true, End::Found));
    }

    #[test]
    fn an_event_comes_before_the_states_of_its_length() {
        let system = Table::new(&[
            ("a", &[To("b", 2), Bad("inside the step", 2), To("c", 1)]),
            ("b", &[]),
            ("c", &[To("d", 1)]),
            ("d", &[]),
        ]);
        let outcome = run(&system, Errors::StopAtFirst, Limits::default());
        assert_eq!(*system.expanded.borrow(), ["a", "c"]);
        assert_eq!(outcome.path.expect("an error").actions, [1]);
    }

    #[test]
    fn all_errors_are_counted_and_a_shortest_is_kept() {
        let system = Table::new(&[
            ("a", &[Bad("long", 4), To("b", 1)]),
            ("b", &[To("c", 1), Bad("mid", 2)]),
            ("c", &[Bad("short", 0), To("a", 1)]),
        ]);
        let outcome = run(&system, Errors::CountAll, Limits::default());
        assert_eq!((outcome.end, outcome.errors), (End::Exhausted, 3));
        let path = outcome.path.expect("an error");
        assert_eq!((path.violation.message.as_str(), path.length, path.shortest), ("short", 2, true));
        assert_eq!(outcome.stats.transitions(), 1 + 3);
        assert_eq!(outcome.stats.max_depth, 4);
    }

    #[test]
    fn violations_of_another_property_are_passed_over() {
        let system = Table::new(&[("a", &[Bad("other", 1), To("b", 1)]), ("b", &[Bad("mine", 1)])]);
        let mine = |violation: &Violation| violation.message == "mine";
        let outcome =
            search(&system, mine, Errors::CountAll, &mut ExactStore::new(0), &Limits::default(), &mut Unwatched);
        assert_eq!((outcome.errors, outcome.path.expect("an error").actions), (1, vec![1, 0]));
    }

    #[test]
    fn a_step_that_was_not_followed_leaves_the_search_incomplete() {
        let system = Table::new(&[("a", &[Endless(9), To("b", 1)]), ("b", &[])]);
        let outcome = run(&system, Errors::StopAtFirst, Limits::default());
        assert_eq!((outcome.end, outcome.stats.states), (End::Stopped(Limit::Depth), 2));
    }

    #[test]
    fn what_is_too_deep_is_cut_off() {
        let system = Table::new(&[
            ("a", &[To("b", 2), To("c", 1)]),
            ("b", &[To("d", 2), To("a", 2)]), // a is known: no cut
            ("c", &[To("e", 1)]),
            ("d", &[Bad("too deep", 0)]),
            ("e", &[Bad("too long", 3)]),
        ]);
        let at_most = |depth| Limits { max_depth: Some(depth), ..Limits::default() };
        let outcome = run(&system, Errors::StopAtFirst, at_most(3));
        assert_eq!(outcome.end, End::Stopped(Limit::Depth));
        assert_eq!(*system.expanded.borrow(), ["a", "c", "b", "e"]);
        assert_eq!((outcome.errors, outcome.stats.max_depth, outcome.stats.matched), (0, 2, 1));
        let outcome = run(&system, Errors::StopAtFirst, at_most(4));
        let path = outcome.path.expect("an error");
        assert_eq!((outcome.end, path.length, path.shortest), (End::Found, 4, true));
    }

    #[test]
    fn states_and_memory_are_limited() {
        let chain = Chain { last: 100_000 };
        let stopped = |limits: Limits| {
            search(&chain, |_| true, Errors::StopAtFirst, &mut ExactStore::new(0), &limits, &mut Unwatched)
        };
        let outcome = stopped(Limits { max_states: Some(1000), ..Limits::default() });
        assert_eq!((outcome.end, outcome.stats.states), (End::Stopped(Limit::States), 1000));
        let outcome = stopped(Limits { max_states: Some(100_001), ..Limits::default() });
        assert_eq!(outcome.end, End::Found, "no state beyond the limit was asked for");
        let outcome = stopped(Limits { memory: Some(1 << 20), ..Limits::default() });
        assert_eq!(outcome.end, End::Stopped(Limit::Memory));
        let last_expansion = 100; // room is asked for before a state is stored, not for what follows from it
        assert!(outcome.stats.memory <= (1 << 20) + last_expansion, "{}", outcome.stats.memory);
        assert!(outcome.stats.states > 1000);
    }

    #[test]
    fn a_state_too_many_ends_the_search_even_behind_a_step_too_deep() {
        let system = Table::new(&[("a", &[To("b", 1), To("c", 1), To("deep", 9)])]);
        let limits = Limits { max_depth: Some(3), max_states: Some(2), ..Limits::default() };
        let outcome = run(&system, Errors::StopAtFirst, limits);
        assert_eq!((outcome.end, outcome.stats.states), (End::Stopped(Limit::States), 2));
    }

    #[test]
    fn an_error_still_queued_at_a_limit_is_brought_home() {
        let system =
            Table::new(&[("a", &[Bad("longer", 7), Bad("known", 5), To("b", 1)]), ("b", &[To("c", 1), To("d", 1)])]);
        let limits = Limits { max_states: Some(3), ..Limits::default() };
        let outcome = run(&system, Errors::StopAtFirst, limits);
        assert_eq!((outcome.end, outcome.errors), (End::Stopped(Limit::States), 1));
        let path = outcome.path.expect("an error");
        assert_eq!((path.length, path.shortest, path.actions), (5, false, vec![1]));
    }

    #[test]
    fn the_watch_looks_before_the_first_expansion_and_then_now_and_then() {
        struct Looks(u64);
        impl Watch for Looks {
            fn look(&mut self, progress: &Progress) -> Option<Limit> {
                self.0 += 1;
                assert_eq!(progress.states, progress.transitions);
                (progress.depth >= 8192).then_some(Limit::Interrupted)
            }
        }
        let mut looks = Looks(0);
        let chain = Chain { last: 100_000 };
        let store = &mut ExactStore::new(0);
        let outcome = search(&chain, |_| true, Errors::StopAtFirst, store, &Limits::default(), &mut looks);
        assert_eq!((outcome.end, outcome.stats.expanded), (End::Stopped(Limit::Interrupted), 8192));
        assert_eq!(looks.0, 3);
    }

    #[test]
    fn a_million_steps_deep() {
        let chain = Chain { last: 1_000_000 };
        let store = &mut ExactStore::new(0);
        let outcome = search(&chain, |_| true, Errors::StopAtFirst, store, &Limits::default(), &mut Unwatched);
        let path = outcome.path.expect("an error");
        assert_eq!((path.length, path.actions.len(), path.shortest), (1_000_000, 1_000_001, true));
    }

    /// The least length of an error, by relaxing every step until nothing changes.
    fn least_length(graph: &Graph) -> Option<Cost> {
        let mut g = vec![Cost::MAX; graph.steps.len()];
        g[0] = 0;
        let mut best = Cost::MAX;
        for _ in 0..=graph.steps.len() {
            for u in 0..graph.steps.len() {
                for &(cost, target) in &graph.steps[u] {
                    let length = g[u].saturating_add(cost);
                    match target {
                        Some(v) => g[v as usize] = g[v as usize].min(length),
                        None => best = best.min(length),
                    }
                }
            }
        }
        (best < Cost::MAX).then_some(best)
    }

    #[test]
    fn what_states_carry_spoils_the_proof() {
        let graph = Graph { steps: vec![vec![(1, None)]] };
        let store = &mut ExactStore::new(graph.carried());
        let outcome = search(&graph, |_| true, Errors::StopAtFirst, store, &Limits::default(), &mut Unwatched);
        assert!(!outcome.path.expect("an error").shortest);
    }

    #[test]
    fn random_systems_give_a_shortest_error_that_can_be_walked() {
        for seed in 0..2000 {
            let graph = Graph::random(seed);
            let explore = |errors| {
                let store = &mut ExactStore::new(graph.carried());
                search(&graph, |_| true, errors, store, &Limits::default(), &mut Unwatched)
            };
            let (first, all) = (explore(Errors::StopAtFirst), explore(Errors::CountAll));
            assert_eq!(first.path.as_ref().map(|path| path.length), least_length(&graph), "seed {seed}");
            if let Some(path) = first.path {
                assert_eq!(walk(&graph, &path.actions), (path.length, path.violation), "seed {seed}");
            }
            let store = &mut ExactStore::new(graph.carried());
            let depth_first =
                crate::dfs::search(&graph, |_| true, Errors::CountAll, store, &Limits::default(), &mut Unwatched);
            assert_eq!(all.stats.states, depth_first.stats.states, "seed {seed}");
            assert_eq!(all.stats.matched, depth_first.stats.matched, "seed {seed}");
            assert_eq!(all.errors, depth_first.errors, "seed {seed}");
        }
    }
}
