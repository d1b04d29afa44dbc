//! A* with improved nested depth-first search (Edelkamp, Leue & Lluch-Lafuente 2004, §7.3): A* leads to the components of the claim
//! that have accepting cycles, and a nested search inside such a component looks for one.
//!
//! A cycle of the product stays in one component of the claim. A state in a component without accepting states (class N) is expanded
//! by A*, with an estimate of the distance to the others. A state of another component that is reached from outside is an *entry*:
//! nested searches begin there, and stay in the component; steps that leave it lead back to the open list.
//!
//! Differs from the paper, where the first entry is searched to its end: a large component without a cycle costs much, although the
//! next entry may be two steps from one (its elevator takes 15 times the expansions of the undirected search). Here three searches
//! take turns, counted in expansions:
//!
//! - A* over the open list;
//! - the *forest*: one nested search at a time, which is suspended at the end of its turn with its whole stack, and continued. Its
//!   entries come one after the other, by the order of A*, and its colours are never taken back;
//! - *probes*: a nested search from a single entry with colours of its own, given up at the end of its budget, and repeated with
//!   twice the budget. All probes together have a share of the expansions.
//!
//! **Every cycle is found.** The forest alone is a nested depth-first search of the component from a root, which lies on no cycle,
//! with steps to the entries: its stack is never given up, so that accepting states are left in post-order, which is all that the
//! proof of nested search asks for, in whatever order the entries are known. It begins at each entry that A* takes from the open list
//! and that it has not visited, and the search ends when the open list is empty and all its trees were left. Every state that is
//! reached waits in the open list (when a step from outside its component leads there) or is in a tree.
//!
//! A probe that ends within its budget has visited a set of states that is closed under the steps inside the component, up to states
//! that were *done* before, and found no accepting cycle. So no accepting cycle is in the set, nor comes through it, and its states
//! are done: all searches pass them over. The forest may have some of them on its stack: what it would still do there stays in the
//! set and finds nothing. Steps out of the component have their targets in the open list by then. What a probe that is given up
//! has found out is forgotten. So `holds` rests on the forest, and on probes that ended.
//!
//! A cycle that any of them reports is one. It is built by a breadth-first search among the states that the nested search visited,
//! and the stem by the parents of A*.
//!
//! The estimate orders states and leaves none out.

mod ground;
mod nested;

use std::collections::VecDeque;

use homing_core::{Cost, End, Estimate, Limit, Outcome, Path, StateId, Stats, TransitionSystem, Violation, Watch};
use homing_store::LoadById;

use crate::Objective;
use crate::cycles::{Cycles, Expander, way_between};
use crate::depth_first::Ended;
use crate::kernel::find_steps;
use crate::limits::Budget;
use crate::ndfs::{Class, RegionOf};
use ground::{Ground, Mode, Terrain, flag};
use nested::{Advance, Nested, OnCycle};

/// How long the searches take turns, in expansions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Of a turn, at first and at most; each turn has twice as many as the one before.
    pub turn: (u64, u64),
    /// Of the first probe of an entry; each further probe has twice as many.
    pub probe: u64,
    /// Of probes that are not counted: enough for models in which a cycle is near.
    pub free: u64,
}

impl Pace {
    pub const USUAL: Pace = Pace { turn: (128, 1 << 16), probe: 64, free: 2048 };
}

/// One expansion in so many may be one of a probe, besides those that are free.
const PROBE_SHARE: u64 = 4;

/// Explores `system` from its initial state until an acceptance cycle is found, or an error of `objective`. `region` is the component
/// of the claim of each state. `store` is empty at the start.
pub fn search<T, S, E, H, W>(
    system: &T,
    objective: &Objective<'_, E>,
    cycles: &Cycles<'_>,
    (region, h): (RegionOf<'_>, &mut H),
    store: &mut S,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    S: LoadById,
    E: Fn(&Violation) -> bool,
    H: Estimate,
    W: Watch,
{
    at_pace(system, objective, cycles, (region, h, Pace::USUAL), store, watch)
}

/// As [`search`], with these turns.
pub(crate) fn at_pace<T, S, E, H, W>(
    system: &T,
    objective: &Objective<'_, E>,
    cycles: &Cycles<'_>,
    (region, h, pace): (RegionOf<'_>, &mut H, Pace),
    store: &mut S,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    S: LoadById,
    E: Fn(&Violation) -> bool,
    H: Estimate,
    W: Watch,
{
    let Objective { is_error, limits, .. } = objective;
    let ground = Ground::new((system, is_error), (region, h), store, Budget::new(limits, watch));
    let mut search = Turns::new(ground, pace);
    let mut end = match search.run() {
        Ok(()) => search.ground.budget.end(),
        Err(ended) => ended.into(),
    };
    let mut path = None;
    if matches!(end, End::Found) {
        path = system.patiently(|| search.path(cycles));
        if path.is_none() {
            end = End::limit(Limit::CutOff); // there was no time to build it
        }
    }
    let ground = &search.ground;
    let states = ground.store.len();
    let stats = Stats {
        states,
        expanded: ground.budget.expansions(),
        matched: (ground.steps + 1).saturating_sub(states),
        reopened: ground.reopened,
        peak_states: states,
        max_depth: ground.max_depth,
        memory: ground.store.memory() + ground.tables(),
        ..Stats::default()
    };
    Outcome { end, errors: u64::from(path.is_some()), path, stats }
}

/// The three searches.
struct Turns<'a, T: TransitionSystem, S: LoadById, E, H, W> {
    ground: Ground<'a, T, S, E, H, W>,
    pace: Pace,
    forest: Nested,
    probe: Nested,
    /// Entries that the forest has still to begin at.
    roots: VecDeque<StateId>,
    /// Entries to probe, with the budget.
    unprobed: VecDeque<(StateId, u64)>,
    /// Expansions of probes.
    probed: u64,
    /// An accepting cycle, and the colours of the search that found it.
    cycle: Option<(OnCycle, u16)>,
}

impl<'a, T, S, E, H, W> Turns<'a, T, S, E, H, W>
where
    T: TransitionSystem,
    S: LoadById,
    E: Fn(&Violation) -> bool,
    H: Estimate,
    W: Watch,
{
    fn new(ground: Ground<'a, T, S, E, H, W>, pace: Pace) -> Self {
        Turns {
            ground,
            pace,
            forest: Nested::new(flag::FOREST),
            probe: Nested::new(flag::PROBE),
            roots: VecDeque::new(),
            unprobed: VecDeque::new(),
            probed: 0,
            cycle: None,
        }
    }

    fn run(&mut self) -> Result<(), Ended> {
        self.ground.begin()?;
        let (mut turn, most) = self.pace.turn;
        loop {
            self.direct(turn)?;
            self.probe_again(turn)?;
            self.grow_forest(turn)?;
            if self.ground.open_states() == 0 && self.roots.is_empty() && self.forest.is_idle() {
                return Ok(());
            }
            turn = (turn * 2).min(most);
        }
    }

    /// The turn of A*.
    fn direct(&mut self, turn: u64) -> Result<(), Ended> {
        let enough = self.ground.expansions() + turn;
        while self.ground.expansions() < enough
            && let Some(u) = self.ground.pop()
        {
            if self.ground.region(u).class == Class::N {
                self.ground.expand(u, Mode::Directed, &mut Vec::new())?;
                continue;
            }
            let flags = self.ground.flags(u);
            if flags & flag::DONE != 0 {
                continue;
            }
            if flags & flag::FOREST & flag::VISITED == 0 {
                self.roots.push_back(u);
            }
            if self.forest.is_idle() {
                self.grow_forest(turn)?;
            } else {
                self.unprobed.push_back((u, self.pace.probe));
                if self.may_probe(self.pace.probe) {
                    self.unprobed.rotate_right(1);
                    self.probe_next()?;
                }
            }
        }
        Ok(())
    }

    /// Whether a probe of this budget is within the share of all probes.
    fn may_probe(&self, budget: u64) -> bool {
        let most = self.ground.expansions() / PROBE_SHARE + self.pace.free;
        self.probed + budget <= most
    }

    /// The turn of the probes that were given up before, or had no room.
    fn probe_again(&mut self, turn: u64) -> Result<(), Ended> {
        let enough = self.probed + turn;
        while self.probed < enough
            && let Some(&(_, budget)) = self.unprobed.front()
            && self.may_probe(budget)
        {
            self.probe_next()?;
        }
        Ok(())
    }

    /// Probes the entry that is next.
    fn probe_next(&mut self) -> Result<(), Ended> {
        let Some((root, budget)) = self.unprobed.pop_front() else { return Ok(()) };
        let is_root = self.forest.root() == Some(root);
        if is_root || self.ground.flags(root) & flag::DONE != 0 {
            return Ok(());
        }
        let before = self.ground.expansions();
        self.probe.begin(root);
        let advance = self.probe.advance(&mut self.ground, budget)?;
        self.probed += self.ground.expansions() - before;
        match advance {
            Advance::Cycle(cycle) => {
                self.cycle = Some((cycle, flag::PROBE));
                return Err(Ended::Found);
            }
            Advance::Left => self.probe.finish(&mut self.ground),
            Advance::Suspended => {
                self.probe.give_up(&mut self.ground);
                self.unprobed.push_back((root, budget * 2));
            }
        }
        Ok(())
    }

    /// The turn of the forest.
    fn grow_forest(&mut self, turn: u64) -> Result<(), Ended> {
        let enough = self.ground.expansions() + turn;
        loop {
            if self.forest.is_idle() {
                let Some(root) = self.roots.pop_front() else { return Ok(()) };
                if self.ground.flags(root) & (flag::DONE | flag::FOREST & flag::VISITED) != 0 {
                    continue;
                }
                self.forest.begin(root);
            }
            let expansions = enough.saturating_sub(self.ground.expansions());
            if expansions == 0 {
                return Ok(());
            }
            match self.forest.advance(&mut self.ground, expansions)? {
                Advance::Cycle(cycle) => {
                    self.cycle = Some((cycle, flag::FOREST));
                    return Err(Ended::Found);
                }
                Advance::Left => self.forest.finish(&mut self.ground),
                Advance::Suspended => return Ok(()),
            }
        }
    }

    /// The error that was found. `None` if there was no time to find its steps again.
    fn path(&mut self, cycles: &Cycles<'_>) -> Option<Path<T::Action>> {
        let error = self.ground.error.take();
        let ground = &self.ground;
        let steps_to =
            |u: StateId| find_steps(ground.system, &*ground.store, &ground.initial, &ground.way_to(u), |_| None);
        if let Some(error) = error {
            let (mut actions, length) = steps_to(error.u)?;
            actions.push(error.action);
            return Some(Path { shortest: false, ..Path::finite(actions, length + error.cost, error.violation) });
        }
        let (OnCycle { start, accepting }, colours) = self.cycle?;
        let mut expander = Expander::<_, _, 1>::new(ground.system, &*ground.store, cycles.fairness);
        let is_inside = |id: StateId| ground.flags(id) & colours & flag::VISITED != 0;
        let mut cycle = way_between(&mut expander, (start, accepting), is_inside)?;
        if accepting != start {
            cycle.extend(way_between(&mut expander, (accepting, start), is_inside)?);
        }
        let (mut actions, stem) = steps_to(start)?;
        let (first, length) = (actions.len(), cycle.iter().map(|(_, cost)| cost).sum::<Cost>() + stem);
        actions.extend(cycle.into_iter().map(|(action, _)| action));
        Some(Path { actions, cycle: Some(first), length, violation: cycles.violation.clone(), shortest: false })
    }
}

#[cfg(test)]
mod tests;
