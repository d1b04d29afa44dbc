//! What the three searches share: stored states with their distances and colours, the open list, and the expansion of states.

use std::ops::ControlFlow;

use homing_core::{
    Changed, Cost, Estimate, Estimated, Progress, Selection, State, StateId, Step, Stop, Target, TransitionSystem,
    Violation, Watch,
};
use homing_store::LoadById;

use crate::depth_first::Ended;
use crate::limits::{Budget, is_time_to_look};
use crate::ndfs::{Region, RegionOf};
use crate::open::buckets::{Buckets, Next};

/// What is known of a state, a bit for each.
pub(super) mod flag {
    /// It was in the open list.
    pub const OPENED: u16 = 1;
    /// It was taken from the open list by its shortest path so far.
    pub const CLOSED: u16 = 2;
    /// No accepting cycle of its component can be reached from it.
    pub const DONE: u16 = 4;
    pub const ACCEPTING: u16 = 8;
    /// The colours of the forest.
    pub const FOREST: u16 = 0x0f0;
    /// The colours of a probe.
    pub const PROBE: u16 = 0xf00;
    /// Visited by the first search, in either.
    pub const VISITED: u16 = 0x110;
    /// On the path of the first search.
    pub const CYAN: u16 = 0x220;
    /// Visited by a second search.
    pub const RED: u16 = 0x440;
}

/// What is known of a stored state.
#[derive(Clone, Copy)]
struct Node {
    /// The length of the shortest path so far.
    g: Cost,
    /// The state before it on that path; itself for the initial state.
    parent: StateId,
    flags: u16,
}

/// Which steps of a state are of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// All lead to the open list.
    Directed,
    /// Those that leave the component lead to the open list.
    First,
    /// Those inside the component.
    Second,
}

/// An error at the end of a finite path.
pub(super) struct FiniteError<A> {
    /// The last state.
    pub u: StateId,
    pub action: A,
    pub cost: Cost,
    pub violation: Violation,
}

/// What nested searches know of the ground.
pub(super) trait Terrain {
    /// What is known of a state.
    fn flags(&self, id: StateId) -> u16;

    fn set(&mut self, id: StateId, flags: u16);

    fn clear(&mut self, id: StateId, flags: u16);

    /// The component of a stored state.
    fn region(&mut self, id: StateId) -> Region;

    /// Expands a state. The states of the same component that its steps lead to are added to `inside`, the first of them last, unless
    /// the search is directed.
    fn expand(&mut self, u: StateId, mode: Mode, inside: &mut Vec<StateId>) -> Result<(), Ended>;

    /// How many states were expanded.
    fn expansions(&self) -> u64;

    /// A stack takes so many bytes.
    fn note_stack(&mut self, bytes: u64);
}

pub(super) struct Ground<'a, T: TransitionSystem, S: LoadById, E, H, W> {
    pub system: &'a T,
    is_error: &'a E,
    region: RegionOf<'a>,
    h: &'a mut H,
    pub store: &'a mut S,
    cursor: S::Cursor,
    pub budget: Budget<'a, W>,
    pub initial: Box<State>,
    nodes: Vec<Node>,
    open: Buckets<T::Action, S::Key>,
    /// Entries of the open list, superseded ones included.
    waiting: u64,
    /// A state that was loaded.
    s: Vec<u8>,
    /// Steps to states that were taken.
    pub steps: u64,
    pub reopened: u64,
    pub max_depth: Cost,
    pub error: Option<FiniteError<T::Action>>,
    /// Bytes of the stacks of the nested searches.
    pub stacks: u64,
}

/// The estimate of a state from which no error can be reached, by the estimate: it is expanded last, not never.
const LAST: Cost = 1 << 10;

impl<'a, T, S, E, H, W> Ground<'a, T, S, E, H, W>
where
    T: TransitionSystem,
    S: LoadById,
    E: Fn(&Violation) -> bool,
    H: Estimate,
    W: Watch,
{
    pub fn new(
        (system, is_error): (&'a T, &'a E),
        (region, h): (RegionOf<'a>, &'a mut H),
        store: &'a mut S,
        budget: Budget<'a, W>,
    ) -> Self {
        Ground {
            system,
            is_error,
            region,
            h,
            cursor: store.cursor(),
            store,
            budget,
            initial: system.initial(),
            nodes: Vec::new(),
            open: Buckets::new(),
            waiting: 0,
            s: Vec::new(),
            steps: 0,
            reopened: 0,
            max_depth: 0,
            error: None,
            stacks: 0,
        }
    }

    /// Puts the initial state into the open list.
    pub fn begin(&mut self) -> Result<(), Stop> {
        let initial = std::mem::take(&mut self.initial);
        let estimated = self.h.distance(&initial);
        let reached = self.reach(StateId(0), &initial, Changed::Anywhere, Some(0));
        self.initial = initial;
        if let Some((id, _)) = reached? {
            self.nodes[id.index()].parent = id;
            self.push(id, estimated);
        }
        Ok(())
    }

    /// How many states wait in the open list, at most.
    pub fn open_states(&self) -> u64 {
        self.waiting
    }

    /// Takes the next state from the open list.
    pub fn pop(&mut self) -> Option<StateId> {
        while let Some(next) = self.open.pop(&mut self.s) {
            self.waiting -= 1;
            if let Next::State(id, ..) = next
                && self.flags(id) & flag::CLOSED == 0
            {
                self.set(id, flag::CLOSED);
                return Some(id);
            }
        }
        None
    }

    fn push(&mut self, id: StateId, estimated: Option<Estimated>) {
        let Estimated { h, tie } = estimated.unwrap_or(Estimated::from(LAST));
        let node = &mut self.nodes[id.index()];
        self.reopened += u64::from(node.flags & flag::CLOSED != 0);
        node.flags = node.flags & !flag::CLOSED | flag::OPENED;
        self.open.push_state(node.g.saturating_add(h), (h, tie), id, None);
        self.waiting += 1;
    }

    /// The states from the initial one to this, by the shortest path that is known.
    pub fn way_to(&self, mut at: StateId) -> Vec<StateId> {
        let mut way = vec![at];
        while self.nodes[at.index()].parent != at {
            at = self.nodes[at.index()].parent;
            way.push(at);
        }
        way.reverse();
        way
    }

    /// Bytes besides the store.
    pub fn tables(&self) -> u64 {
        (self.nodes.capacity() * size_of::<Node>()) as u64 + self.waiting * size_of::<StateId>() as u64 + self.stacks
    }

    fn progress(&self, depth: Cost) -> Progress {
        let (states, memory) = (self.store.len(), self.store.memory() + self.tables());
        Progress { states, transitions: self.steps + 1, depth, frontier: self.waiting, memory, errors: 0 }
    }

    /// A step of the state that is expanded.
    fn take(
        &mut self,
        (u, g, here): (StateId, Cost, Region),
        mode: Mode,
        step: Step<'_, T::Action>,
        inside: &mut Vec<StateId>,
    ) -> Result<(), Ended> {
        let length = self.budget.lengthen(g, step.cost);
        if is_time_to_look(step.ordinal) {
            let progress = self.progress(g);
            self.budget.look(&progress)?;
        }
        match step.target {
            Target::State(target) => {
                let is_inside = mode != Mode::Directed && (self.region)(target).component == here.component;
                self.steps += 1;
                if mode == Mode::Second && !is_inside {
                    return Ok(());
                }
                let Some((v, is_nearer)) = self.reach(u, target, step.changed, length)? else { return Ok(()) };
                if is_inside {
                    inside.push(v);
                } else if is_nearer || self.flags(v) & flag::OPENED == 0 {
                    let estimated = self.h.distance_after(target, step.changed);
                    self.push(v, estimated);
                }
                Ok(())
            }
            Target::Violation(violation) if (self.is_error)(&violation) => match length {
                Some(_) => {
                    self.error = Some(FiniteError { u, action: step.action, cost: step.cost, violation });
                    Err(Ended::Found)
                }
                None => {
                    self.budget.skip_too_deep();
                    Ok(())
                }
            },
            Target::Violation(_) => Ok(()),
            Target::CutOff => {
                let progress = self.progress(g);
                Ok(self.budget.cut_off(length, &progress)?)
            }
        }
    }

    /// Stores a state that is reached from `u` by a path of this length, and whether that is the shortest so far. `None` if it is not
    /// stored, because it is too deep. A state that is known is followed at any depth: otherwise a cycle could be missed.
    fn reach(
        &mut self,
        u: StateId,
        target: &State,
        changed: Changed<'_>,
        length: Option<Cost>,
    ) -> Result<Option<(StateId, bool)>, Stop> {
        let memory = self.tables();
        let key = self.budget.key(self.store, &mut self.cursor, target, changed, memory)?;
        let Some(g) = length else {
            let known = self.store.id(key, target);
            if known.is_none() {
                self.budget.skip_too_deep();
            }
            return Ok(known.map(|id| (id, false)));
        };
        let (id, is_new) = self.budget.admit_numbered(self.store, &mut self.cursor, (key, target), memory)?;
        if is_new {
            if id.index() >= self.nodes.len() {
                self.nodes.resize(id.index() + 1, Node { g: Cost::MAX, parent: id, flags: 0 });
            }
            self.nodes[id.index()] = Node { g, parent: u, flags: 0 };
            return Ok(Some((id, true)));
        }
        let node = &mut self.nodes[id.index()];
        let is_nearer = g < node.g;
        if is_nearer {
            (node.g, node.parent) = (g, u);
        }
        Ok(Some((id, is_nearer)))
    }
}

impl<T, S, E, H, W> Terrain for Ground<'_, T, S, E, H, W>
where
    T: TransitionSystem,
    S: LoadById,
    E: Fn(&Violation) -> bool,
    H: Estimate,
    W: Watch,
{
    fn flags(&self, id: StateId) -> u16 {
        self.nodes[id.index()].flags
    }

    fn set(&mut self, id: StateId, flags: u16) {
        self.nodes[id.index()].flags |= flags;
    }

    fn clear(&mut self, id: StateId, flags: u16) {
        self.nodes[id.index()].flags &= !flags;
    }

    fn region(&mut self, id: StateId) -> Region {
        self.store.load(&mut self.cursor, id, &mut self.s);
        (self.region)(&self.s)
    }

    fn expand(&mut self, u: StateId, mode: Mode, inside: &mut Vec<StateId>) -> Result<(), Ended> {
        let g = self.nodes[u.index()].g;
        if self.budget.is_time_to_look() {
            let progress = self.progress(g);
            self.budget.look(&progress)?;
        }
        self.budget.count_expansion();
        self.max_depth = self.max_depth.max(g);
        let mut state = std::mem::take(&mut self.s);
        self.store.load(&mut self.cursor, u, &mut state);
        let here = (self.region)(&state);
        if mode != Mode::Second {
            self.h.expand(&state);
        }
        if mode == Mode::First && self.system.labels(&state).accepting {
            self.set(u, flag::ACCEPTING);
        }
        let first = inside.len();
        let mut going = Ok(());
        let system = self.system;
        system.for_each_step(&state, Selection::All, |step| {
            going = self.take((u, g, here), mode, step, inside);
            if going.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        inside[first..].reverse(); // the first step is taken from the end
        self.s = state;
        going
    }

    fn expansions(&self) -> u64 {
        self.budget.expansions()
    }

    fn note_stack(&mut self, bytes: u64) {
        self.stacks = self.stacks.max(bytes);
    }
}
