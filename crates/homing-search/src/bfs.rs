//! Breadth-first search (Holzmann, The SPIN Model Checker, ch. 8, "Breadth-First Search" and Fig. 8.6), in uniform-cost
//! order: a step stands for several statements, and it is statements that a path is measured in.
//!
//! The error brought home is a shortest one. That is proved if states carry nothing: what a state carries may decide what
//! it leads to, and of the runs to a state only the first one is followed.
//! Invariant: a state that was not expanded waits in the bucket of the least length known of a path to it.
//! Differs from the book: the queue `D` is a row of buckets by length. The states of one bucket are expanded by all
//! threads together, because whatever they lead to waits in a later one: for any number of threads the same states are
//! expanded at the same length. A shorter path to a waiting state makes a second entry, and the superseded one is skipped
//! when it comes up. An error is not reported where it is generated but waits as an event, because a shorter one may
//! still be found before its turn. Where the book marks the links back as an extension (`Find_Path`), a state has its
//! parent here, and the steps between are found by expanding again.

use std::ops::ControlFlow;

use homing_core::{Arrival, Cost, End, Limit, Limits, Outcome, Path, State, Stats, TransitionSystem, Violation, Watch};
use homing_core::{StateId, Unwatched};
use homing_store::{Interned, Recall, Store};

use crate::Errors;
use crate::buckets::{Event, Found, Part};
use crate::common::{Access, Common};
use crate::crew::with_crew;

/// Explores from the initial state, shortest paths first, with a thread for each of `systems`, which are one and the same
/// system. `store` is empty at the start. Violations for which `is_error` is false are passed over.
///
/// A step beyond `limits.max_depth` to a state not reached yet makes the search incomplete, even if the state turns out
/// to have a shorter path later.
///
/// # Panics
/// If there is no system.
pub fn search<T, S, W>(
    systems: &mut [T],
    is_error: impl Fn(&Violation) -> bool + Sync,
    errors: Errors,
    store: &mut S,
    limits: &Limits,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem + Send,
    T::Action: Send,
    S: Store,
    W: Watch,
{
    let (first_system, others) = systems.split_first_mut().expect("a system to search");
    let (initial, proves) = (first_system.initial(), S::LOSSLESS && first_system.carried() == 0);
    let common = Common::new(store, limits, errors, is_error);
    let mut leader = Worker::new(first_system);
    let mut helpers: Vec<_> = others.iter_mut().map(Worker::new).collect();
    let (mut first, mut count, mut max_depth) = (None, 0, 0);

    leader.begin(&common, &initial);
    let help = |worker: &mut Worker<'_, T, S>| worker.expand(&common, &mut Unwatched);
    let end = with_crew(&mut helpers, help, |all| {
        loop {
            if let Some(limit) = common.stopped() {
                break End::Stopped(limit);
            }
            let Some((now, bucket)) = common.waiting().pop() else {
                break if common.was_cut_off() { End::Stopped(Limit::Depth) } else { End::Exhausted };
            };
            for event in bucket.events {
                max_depth = max_depth.max(now);
                count += 1;
                if first.is_none() {
                    // here and not on generation: only now is the length minimal
                    first = Some(leader.path(&common, &initial, now, event, proves));
                }
                if errors == Errors::StopAtFirst {
                    break;
                }
            }
            if first.is_some() && errors == Errors::StopAtFirst {
                break End::Found;
            }
            let before = common.expanded();
            let is_long = bucket.parts.len() > 2; // otherwise waking the others takes longer than the work
            common.begin_level(now, bucket.parts, count);
            if is_long {
                all(&mut || leader.expand(&common, watch));
            } else {
                leader.expand(&common, watch);
            }
            if common.expanded() > before {
                max_depth = max_depth.max(now);
            }
        }
    });
    if first.is_none()
        && let Some((g, event)) = common.waiting().pop_event()
    {
        count = 1; // a limit was hit before its turn came: perhaps not the shortest, but an error it is
        first = Some(leader.path(&common, &initial, g, event, false));
    }
    let progress = common.progress();
    let stats = Stats {
        states: progress.states,
        expanded: common.expanded(),
        matched: progress.transitions - progress.states,
        reopened: 0,
        peak_states: progress.states,
        max_depth,
        memory: common.peak_memory(),
    };
    Outcome { end, path: first, errors: count, stats }
}

/// What a thread has for itself.
struct Worker<'t, T: TransitionSystem, S: Store> {
    system: &'t mut T,
    desk: S::Desk,
    /// The state being expanded.
    s: Vec<u8>,
    batch: Batch<S::Key>,
    found: Found<T::Action>,
    expansions: u64,
    steps: u64,
}

/// Steps to states that are still to be looked up, so that the memory they lie in can be on its way meanwhile.
struct Batch<K> {
    pending: Vec<Pending<K>>,
    bytes: Vec<u8>,
}

struct Pending<K> {
    key: K,
    u: StateId,
    /// Which step of `u` it is.
    ordinal: u32,
    cost: Cost,
    /// The bytes of the state, if they are needed.
    length: u32,
}

/// States are looked up when so many are pending.
const BATCH: usize = 48;

/// How far ahead of a look-up the second memory it leads to is asked for.
const AHEAD: usize = 8;

/// Expansions between two looks of the watch: far less than a second of work, far more than a look costs.
const LOOK_EVERY: u64 = 4096;

/// The same for steps: one state can have very many.
const LOOK_EVERY_STEPS: u64 = 1 << 18;

impl<'t, T: TransitionSystem, S: Store> Worker<'t, T, S> {
    fn new(system: &'t mut T) -> Self {
        Worker {
            system,
            desk: S::Desk::default(),
            s: Vec::new(),
            batch: Batch { pending: Vec::new(), bytes: Vec::new() },
            found: Found::new(),
            expansions: 0,
            steps: 0,
        }
    }

    /// The initial state waits.
    fn begin<E>(&mut self, common: &Common<'_, T::Action, S, E>, initial: &State) {
        let mut access = common.access();
        let root = StateId(0);
        let entered = access.until_room(|memory| {
            let key = memory.store.key(&mut self.desk, initial, homing_core::Changed::Anywhere)?;
            memory.store.intern(key, initial)
        });
        match entered {
            Err(limit) => common.stop(limit),
            Ok(_) if common.limits.max_states == Some(0) => common.stop(Limit::States),
            Ok(_) => {
                access.links.begin(root, root, 0, 0, 0);
                let state = (S::RECALL == Recall::Nothing).then_some(initial);
                self.found.push_state(0, root, state);
                common.tally_look_up(0, 1, Part::memory_of(state));
                self.found.hand_over(&mut common.waiting());
            }
        }
    }

    /// Expands states of the level until none is left.
    fn expand<E, W>(&mut self, common: &Common<'_, T::Action, S, E>, watch: &mut W)
    where
        E: Fn(&Violation) -> bool,
        W: Watch,
    {
        let now = common.now();
        self.found.begin(now);
        let mut access = common.access();
        while let Some(part) = common.next_part() {
            let expansions = self.expansions;
            self.expand_part(common, &mut access, &part, now, watch);
            common.tally_part(self.expansions - expansions, &part, &access);
            if common.stopped().is_some() {
                break;
            }
        }
        self.look_up(common, &mut access, now);
        self.found.hand_over(&mut common.waiting());
    }

    fn expand_part<E, W>(
        &mut self,
        common: &Common<'_, T::Action, S, E>,
        access: &mut Access<'_, '_, S>,
        part: &Part,
        now: Cost,
        watch: &mut W,
    ) where
        E: Fn(&Violation) -> bool,
        W: Watch,
    {
        let mut states = part.states();
        for (at, &u) in part.ids.iter().enumerate() {
            let kept = states.next();
            if common.level_is_over() {
                break;
            }
            if !access.links.take_turn(u, now) {
                continue; // superseded entry
            }
            if self.expansions.is_multiple_of(LOOK_EVERY)
                && let Some(limit) = watch.look(&common.progress())
            {
                common.stop(limit);
                break;
            }
            self.expansions += 1;
            match (S::RECALL, kept) {
                (Recall::Nothing, Some(state)) => {
                    self.s.clear();
                    self.s.extend_from_slice(state);
                    access.store.place(&mut self.desk, state);
                }
                _ => access.store.open(&mut self.desk, u, &mut self.s),
            }
            if let Some(&next) = part.ids.get(at + 1) {
                access.store.prefetch_state(next);
            }
            self.expand_state(common, access, u, now, watch);
            if self.batch.pending.len() >= BATCH {
                self.look_up(common, access, now);
            }
        }
    }

    fn expand_state<E, W>(
        &mut self,
        common: &Common<'_, T::Action, S, E>,
        access: &mut Access<'_, '_, S>,
        u: StateId,
        now: Cost,
        watch: &mut W,
    ) where
        E: Fn(&Violation) -> bool,
        W: Watch,
    {
        let Worker { system, desk, s, batch, found, steps, .. } = self;
        let mut ordinal = 0;
        system.for_each_step(s, |step| {
            match step.arrival {
                Arrival::State(target) => {
                    let key = access.until_room(|memory| memory.store.key(desk, target, step.changed));
                    let key = match key {
                        Ok(key) => key,
                        Err(limit) => {
                            common.stop(limit);
                            return ControlFlow::Break(());
                        }
                    };
                    access.store.prefetch(key);
                    let mut length = 0;
                    if S::RECALL != Recall::ByKey {
                        batch.bytes.extend_from_slice(target);
                        length = target.len() as u32;
                    }
                    batch.pending.push(Pending { key, u, ordinal, cost: step.cost, length });
                }
                Arrival::Violation(violation) if !(common.is_error)(&violation) => {}
                Arrival::Violation(violation) => match common.lengthen(now, step.cost) {
                    Some(g) => {
                        found.push_event(g, Event { u, action: step.action, violation });
                        common.met_error(g);
                    }
                    None => common.cut_off(),
                },
                Arrival::CutOff => common.cut_off(),
            }
            ordinal += 1;
            *steps += 1;
            if steps.is_multiple_of(LOOK_EVERY_STEPS)
                && let Some(limit) = watch.look(&common.progress())
            {
                common.stop(limit);
            }
            if common.stopped().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }

    /// Looks up the states that are pending; new ones, and those with a shorter path now, wait for their turn.
    fn look_up<E>(&mut self, common: &Common<'_, T::Action, S, E>, access: &mut Access<'_, '_, S>, now: Cost) {
        let (mut matched, mut waiting, mut bytes, mut from) = (0, 0, 0, 0);
        for (at, &Pending { key, u, ordinal, cost, length }) in self.batch.pending.iter().enumerate() {
            if let Some(coming) = self.batch.pending.get(at + AHEAD) {
                access.store.approach(coming.key);
            }
            let state = &self.batch.bytes[from..from + length as usize];
            from += length as usize;
            let kept = (S::RECALL == Recall::Nothing).then_some(state);
            let Some(g) = common.lengthen(now, cost) else {
                match access.store.find(key, state) {
                    Some(_) => matched += 1,
                    None => common.cut_off(),
                }
                continue;
            };
            match common.admit(access, key, state) {
                Ok(Interned::New(v)) => {
                    access.links.begin(v, u, ordinal, g, now);
                    self.found.push_state(g, v, kept);
                    (waiting, bytes) = (waiting + 1, bytes + Part::memory_of(kept));
                }
                Ok(Interned::Known(v)) => {
                    matched += 1;
                    if access.links.relax(v, u, ordinal, g, now) {
                        if S::RECALL == Recall::ByNumber {
                            access.store.carry(v, state); // what v carries comes from the run that leads to it
                        }
                        self.found.push_state(g, v, kept);
                        (waiting, bytes) = (waiting + 1, bytes + Part::memory_of(kept));
                    }
                }
                Ok(Interned::Seen) => matched += 1,
                Err(limit) => {
                    common.stop(limit);
                    break;
                }
            }
        }
        common.tally_look_up(matched, waiting, bytes);
        self.batch.pending.clear();
        self.batch.bytes.clear();
    }

    /// The path that ends in the event, of length `g`: from state to state by the steps that the links tell, or the
    /// cheapest ones that lead there.
    fn path<E>(
        &mut self,
        common: &Common<'_, T::Action, S, E>,
        initial: &State,
        g: Cost,
        event: Event<T::Action>,
        shortest: bool,
    ) -> Path<T::Action> {
        let access = common.access();
        let way = access.links.way_to(event.u);
        let mut actions = Vec::with_capacity(way.len());
        let (mut s, mut next) = (initial.to_vec(), Vec::new());
        for &v in &way[1..] {
            access.store.place(&mut self.desk, &s);
            let mut best: Option<(Cost, T::Action)> = None;
            let mut ordinal = 0;
            self.system.for_each_step(&s, |step| {
                if let Arrival::State(target) = step.arrival
                    && best.is_none_or(|(cost, _)| step.cost < cost)
                {
                    let leads_there = match access.links.ordinal(v) {
                        Some(told) => ordinal == told,
                        None => {
                            let key = access.store.key(&mut self.desk, target, step.changed);
                            key.is_ok_and(|key| access.store.find(key, target) == Some(Interned::Known(v)))
                        }
                    };
                    if leads_there {
                        best = Some((step.cost, step.action));
                        next.clear();
                        next.extend_from_slice(target);
                    }
                }
                ordinal += 1;
                ControlFlow::Continue(())
            });
            let (_, action) = best.expect("a state is reached by a step of its parent");
            actions.push(action);
            std::mem::swap(&mut s, &mut next);
        }
        actions.push(event.action);
        Path { actions, length: g, violation: event.violation, shortest }
    }
}

#[cfg(test)]
mod tests {
    use homing_core::{Progress, Unwatched};
    use homing_store::ExactStore;

    use super::*;
    use crate::table::Row::{Bad, Endless, To};
    use crate::table::{Chain, Graph, Table, walk};

    fn run(system: &Table, errors: Errors, limits: Limits) -> Outcome<usize> {
        search(&mut [system], |_| true, errors, &mut ExactStore::new(0), &limits, &mut Unwatched)
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
        assert_eq!(*system.expanded.lock().unwrap(), ["a", "c", "b", "d", "far", "e"]);
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
        assert_eq!(*system.expanded.lock().unwrap(), ["a", "c"]);
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
            search(&mut [&system], mine, Errors::CountAll, &mut ExactStore::new(0), &Limits::default(), &mut Unwatched);
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
        assert_eq!(*system.expanded.lock().unwrap(), ["a", "c", "b", "e"]);
        assert_eq!((outcome.errors, outcome.stats.max_depth, outcome.stats.matched), (0, 2, 1));
        let outcome = run(&system, Errors::StopAtFirst, at_most(4));
        let path = outcome.path.expect("an error");
        assert_eq!((outcome.end, path.length, path.shortest), (End::Found, 4, true));
    }

    #[test]
    fn states_and_memory_are_limited() {
        let chain = Chain { last: 100_000 };
        let stopped = |limits: Limits| {
            search(&mut [&chain], |_| true, Errors::StopAtFirst, &mut ExactStore::new(0), &limits, &mut Unwatched)
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
        let outcome = search(&mut [&chain], |_| true, Errors::StopAtFirst, store, &Limits::default(), &mut looks);
        assert_eq!((outcome.end, outcome.stats.expanded), (End::Stopped(Limit::Interrupted), 8192));
        assert_eq!(looks.0, 3);
    }

    #[test]
    fn a_million_steps_deep() {
        let chain = Chain { last: 1_000_000 };
        let store = &mut ExactStore::new(0);
        let outcome = search(&mut [&chain], |_| true, Errors::StopAtFirst, store, &Limits::default(), &mut Unwatched);
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
        let outcome = search(&mut [&graph], |_| true, Errors::StopAtFirst, store, &Limits::default(), &mut Unwatched);
        assert!(!outcome.path.expect("an error").shortest);
    }

    #[test]
    fn random_systems_give_a_shortest_error_that_can_be_walked() {
        for seed in 0..2000 {
            let graph = Graph::random(seed);
            let explore = |errors| {
                let store = &mut ExactStore::new(graph.carried());
                search(&mut [&graph], |_| true, errors, store, &Limits::default(), &mut Unwatched)
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
