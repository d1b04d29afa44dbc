//! Nested depth-first search inside one component of the claim, which can be suspended and continued: as [`crate::ndfs`] has it, but
//! from any state, over the ids of stored states.

use homing_core::StateId;

use super::ground::{Mode, Terrain, flag};
use crate::depth_first::Ended;
use crate::ndfs::Class;

/// How far a search came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Advance {
    /// Its root was left: there is no accepting cycle.
    Left,
    /// Its turn is over.
    Suspended,
    /// There is an accepting cycle through these states.
    Cycle(OnCycle),
}

/// Two states of an accepting cycle, which may be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OnCycle {
    /// Where it begins and ends.
    pub start: StateId,
    pub accepting: StateId,
}

/// A state on the path.
struct Frame {
    id: StateId,
    /// How many states were pending when it was entered: its own successors lie above.
    floor: usize,
    /// It was entered by the second search.
    second: bool,
    /// A successor was not visited by a second search.
    has_other: bool,
}

/// A nested search from one root after the other.
pub(super) struct Nested {
    /// The bits of its colours.
    colours: u16,
    root: Option<StateId>,
    class: Class,
    frames: Vec<Frame>,
    /// Successors whose turn is to come, the next of each state last.
    pending: Vec<StateId>,
    /// The depth of the seed of the second search under way.
    seed: Option<usize>,
    /// The states that it has visited since the root was entered.
    visited: Vec<StateId>,
}

impl Nested {
    /// A search that uses the colours among these bits.
    pub fn new(colours: u16) -> Self {
        let (frames, pending, visited) = (Vec::new(), Vec::new(), Vec::new());
        Nested { colours, root: None, class: Class::N, frames, pending, seed: None, visited }
    }

    /// Whether it has no root.
    pub fn is_idle(&self) -> bool {
        self.root.is_none()
    }

    pub fn root(&self) -> Option<StateId> {
        self.root
    }

    /// Begins at a state that it has not visited.
    pub fn begin(&mut self, root: StateId) {
        self.root = Some(root);
    }

    /// The root was left: what was visited since it was entered is done.
    pub fn finish(&mut self, ground: &mut impl Terrain) {
        for &id in &self.visited {
            ground.set(id, flag::DONE);
        }
        self.give_up(ground);
    }

    /// Forgets everything since the root was entered.
    pub fn give_up(&mut self, ground: &mut impl Terrain) {
        for id in self.visited.drain(..) {
            ground.clear(id, self.colours);
        }
        self.frames.clear();
        self.pending.clear();
        (self.root, self.seed) = (None, None);
    }

    /// Goes on for so many expansions, or one more where a second search begins.
    pub fn advance(&mut self, ground: &mut impl Terrain, expansions: u64) -> Result<Advance, Ended> {
        let enough = ground.expansions() + expansions;
        if self.frames.is_empty() {
            let Some(root) = self.root else { return Ok(Advance::Left) };
            self.class = ground.region(root).class;
            self.enter(ground, root)?;
        }
        while let Some(top) = self.frames.last() {
            if self.pending.len() == top.floor {
                self.leave(ground)?;
                continue;
            }
            if ground.expansions() >= enough {
                return Ok(Advance::Suspended);
            }
            let target = self.pending.pop().expect("there are more than the floor");
            let closed = match self.seed {
                None => self.follow(ground, target)?,
                Some(seed) => self.follow_again(ground, self.frames[seed].id, target)?,
            };
            if let Some(cycle) = closed {
                return Ok(Advance::Cycle(cycle));
            }
        }
        Ok(Advance::Left)
    }

    /// A step of the first search; the accepting cycle that it closes.
    fn follow(&mut self, ground: &mut impl Terrain, to: StateId) -> Result<Option<OnCycle>, Ended> {
        let (flags, colours) = (ground.flags(to), ground.flags(to) & self.colours);
        if flags & flag::DONE != 0 {
            return Ok(None);
        }
        if colours & flag::VISITED == 0 {
            self.enter(ground, to)?;
            return Ok(None);
        }
        let top = self.frames.last_mut().expect("a step has a source");
        top.has_other |= colours & flag::RED == 0;
        if colours & flag::CYAN == 0 {
            return Ok(None);
        }
        let is_accepting = |flags: u16| self.class == Class::F || flags & flag::ACCEPTING != 0;
        let accepting =
            if is_accepting(flags) { Some(to) } else { is_accepting(ground.flags(top.id)).then_some(top.id) };
        Ok(accepting.map(|accepting| OnCycle { start: to, accepting }))
    }

    /// A step of the second search; the accepting cycle that it closes. What the first search has not visited is too deep.
    fn follow_again(
        &mut self,
        ground: &mut impl Terrain,
        seed: StateId,
        to: StateId,
    ) -> Result<Option<OnCycle>, Ended> {
        let (flags, colours) = (ground.flags(to), ground.flags(to) & self.colours);
        if colours & flag::CYAN != 0 {
            return Ok(Some(OnCycle { start: to, accepting: seed }));
        }
        if colours & flag::VISITED != 0 && colours & flag::RED == 0 && flags & flag::DONE == 0 {
            ground.set(to, self.colours & flag::RED);
            self.push(ground, to, Mode::Second)?;
        }
        Ok(None)
    }

    /// The first search enters a state.
    fn enter(&mut self, ground: &mut impl Terrain, id: StateId) -> Result<(), Ended> {
        ground.set(id, self.colours & (flag::VISITED | flag::CYAN));
        self.visited.push(id);
        self.push(ground, id, Mode::First)
    }

    fn push(&mut self, ground: &mut impl Terrain, id: StateId, mode: Mode) -> Result<(), Ended> {
        let second = mode == Mode::Second;
        self.frames.push(Frame { id, floor: self.pending.len(), second, has_other: false });
        ground.expand(id, mode, &mut self.pending)?;
        ground.note_stack(self.memory());
        Ok(())
    }

    /// All steps of the deepest state had their turn: it is left, or a second search begins there.
    fn leave(&mut self, ground: &mut impl Terrain) -> Result<(), Ended> {
        let depth = self.frames.len() - 1;
        let top = &self.frames[depth];
        let (id, is_first) = (top.id, !top.second && self.seed.is_none());
        if is_first && !top.has_other {
            ground.set(id, self.colours & flag::RED);
        } else if is_first && self.class == Class::P && ground.flags(id) & flag::ACCEPTING != 0 {
            ground.set(id, self.colours & flag::RED);
            self.seed = Some(depth);
            return ground.expand(id, Mode::Second, &mut self.pending);
        }
        if self.seed == Some(depth) {
            self.seed = None;
        }
        let is_second = self.frames.pop().is_some_and(|left| left.second);
        if !is_second {
            ground.clear(id, self.colours & flag::CYAN);
            let is_other = ground.flags(id) & self.colours & flag::RED == 0;
            if let Some(parent) = self.frames.last_mut() {
                parent.has_other |= is_other;
            }
        }
        Ok(())
    }

    /// Bytes of its stack.
    fn memory(&self) -> u64 {
        let ids = self.pending.capacity() + self.visited.capacity();
        (self.frames.capacity() * size_of::<Frame>() + ids * size_of::<StateId>()) as u64
    }
}
