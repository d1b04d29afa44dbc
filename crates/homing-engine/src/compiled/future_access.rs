//! Future access sets: what processes may still access, from where they stand to their end.
//!
//! A process whose next steps access nothing that another ever will may move alone for a while (Holzmann and Peled, An
//! improvement in formal verification, FORTE 1994, where it is declarations such as `xr` that say so; here it is the code
//! that every process still has before it). Sets are words as in [`super::access`]. Channels that a process knows by a
//! parameter, or by a variable that no statement writes, are looked up in the state.

use homing_core::Condition;
use homing_ir::{
    Access, AccessSet, AccessSets, Cell, ChannelOp, Expr, Guard, Location, Model, Object, Proctype, ProctypeId, Scalar,
    Scope, Update, VarId, Visible,
};

use super::access::{ModelAccess, ends_word};
use super::channels::Channels;
use super::rendezvous::Known;
use crate::layout::Layout;

/// The set of a process that may access everything.
const EVERYTHING: u64 = u64::MAX;

/// What a process may access from each location of the code on, and which of its transitions are visible.
pub struct FutureAccess {
    futures: Vec<Future>,
    /// By location of the code: a bit for each transition that is [visible](Visible) to a property of infinite runs.
    visible: Vec<u64>,
}

/// What a process may access from a location on.
#[derive(Clone, Default)]
struct Future {
    fixed: u64,
    held: Box<[Held]>,
}

/// A channel whose number is in the process, and which ends of it are accessed.
#[derive(Clone, Copy)]
struct Held {
    offset: u32,
    cell: Cell,
    ends: u64,
}

impl FutureAccess {
    /// None if processes of the model may see of each other what no set has: then each step depends on each.
    pub fn of(model: &Model, layout: &Layout) -> Option<Self> {
        let features = model.features;
        let is_tied = features.last || features.priorities || model.monitor.is_some() || !model.invariants.is_empty();
        let is_provided = model.proctypes.iter().any(|proctype| proctype.provided.is_some());
        if is_tied || is_provided || layout.hidden_prefix > 0 {
            return None;
        }
        let accesses = ModelAccess::of(model);
        if !Condition::AmpleRemote.is_met(!sees_others(&accesses.sets)) {
            return None;
        }
        let channels = Channels::of(model, layout);
        let known = Known { model, layout, channels: &channels };
        let types = || (0..model.proctypes.len()).map(|at| ProctypeId(at as u32));
        let visible = Visible::in_model(model);
        let visible = types().flat_map(|id| {
            let locations = &model.proctype(id).automaton.locations;
            locations
                .iter()
                .enumerate()
                .map(|(at, location)| {
                    // a location with more transitions than a mask has bits is not compiled, and so has no ample set
                    let transitions = 0..location.transitions.len().min(u64::BITS as usize);
                    let bits = transitions.map(|nth| u64::from(visible.transition(id, at as u32, nth)) << nth);
                    bits.fold(0, |all, bit| all | bit)
                })
                .collect::<Vec<u64>>()
        });
        let visible = visible.collect();
        Some(FutureAccess {
            futures: types().flat_map(|id| Draft::new(known, &accesses, id).futures()).collect(),
            visible,
        })
    }

    /// The transitions of a location of the code that are visible: a bit for each.
    #[inline(always)]
    pub fn visible(&self, at: usize) -> u64 {
        self.visible[at]
    }

    /// What the process at `frame`, which stands at a location of the code, may access in all that it still does.
    #[inline(always)]
    pub fn of_process(&self, standing: usize, bytes: &[u8], frame: u32) -> u64 {
        let Future { fixed, held } = &self.futures[standing];
        held.iter().fold(*fixed, |all, held| {
            let at = (frame + held.offset) as usize;
            let id = match held.cell {
                Cell::Bits(0..=8) | Cell::Byte => u32::from(bytes[at]),
                Cell::Bits(9..=16) | Cell::Short => u32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]])),
                _ => u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]),
            };
            all | of_channel(held.ends, id)
        })
    }
}

/// Whether some process can tell where another stands, or what it holds.
fn sees_others(sets: &AccessSets<'_>) -> bool {
    sets.iter().any(|access| {
        matches!(
            access.object,
            Object::LastMover
                | Object::Priorities
                | Object::Progress
                | Object::Enabledness(_)
                | Object::Position(_)
                | Object::RemoteLocation { .. }
                | Object::RemoteVariable { .. }
        )
    })
}

/// The ends of the channel with a number, of those of a channel with the number 0.
fn of_channel(ends: u64, id: u32) -> u64 {
    let turned = |half: u32| u64::from(half.rotate_left(id.wrapping_mul(2) % u32::BITS));
    turned((ends >> u32::BITS) as u32) << u32::BITS | turned(ends as u32)
}

/// The futures of a process type in the making.
struct Draft<'t> {
    known: Known<'t>,
    accesses: &'t ModelAccess<'t>,
    id: ProctypeId,
    proctype: &'t Proctype,
    /// The variables that hold the same channel for as long as the process lives.
    holders: Vec<VarId>,
    /// By location: what is fixed, then what is accessed of the channel of each holder.
    sets: Vec<Vec<u64>>,
}

impl<'t> Draft<'t> {
    fn new(known: Known<'t>, accesses: &'t ModelAccess<'t>, id: ProctypeId) -> Self {
        let proctype = known.model.proctype(id);
        let mut is_written = vec![false; proctype.locals.len()];
        let targets = accesses.sets.proctype(id).statements.iter().flat_map(AccessSet::written_variables);
        for target in targets.filter(|target| target.scope == Scope::Local) {
            is_written[target.var.index()] = true;
        }
        let holders = proctype.locals.iter().zip(is_written).enumerate().filter_map(|(at, (local, is_written))| {
            let is_holder = local.scalar == Scalar::Chan && local.dims.is_empty() && !is_written;
            is_holder.then_some(VarId(at as u32))
        });
        let holders: Vec<VarId> = holders.collect();
        let sets = vec![vec![0; 1 + holders.len()]; proctype.automaton.locations.len()];
        Draft { known, accesses, id, proctype, holders, sets }
    }

    fn futures(mut self) -> Vec<Future> {
        let locations = &self.proctype.automaton.locations;
        let mut before = vec![Vec::new(); locations.len()];
        let mut is_inside = vec![false; locations.len()];
        for (at, location) in locations.iter().enumerate() {
            for transition in &location.transitions {
                before[transition.target as usize].push(at);
                is_inside[transition.target as usize] |= transition.atomic || transition.merged;
            }
        }
        for (at, location) in locations.iter().enumerate() {
            self.add_location(at, location, is_inside[at]);
        }
        let mut open: Vec<usize> = (0..locations.len()).collect();
        while let Some(at) = open.pop() {
            for &from in &before[at] {
                let behind = self.sets[at].clone();
                let mut is_more = false;
                for (all, more) in self.sets[from].iter_mut().zip(behind) {
                    is_more |= more & !*all != 0;
                    *all |= more;
                }
                if is_more {
                    open.push(from);
                }
            }
        }
        let slots = &self.known.layout.processes[self.id.index()].locals;
        let held = |sets: &[u64]| {
            let accessed = self.holders.iter().zip(sets).filter(|(_, ends)| **ends != 0);
            let held = accessed.map(|(holder, &ends)| {
                let slot = slots[holder.index()];
                Held { offset: slot.offset, cell: slot.cell, ends }
            });
            held.collect()
        };
        self.sets.iter().map(|sets| Future { fixed: sets[0], held: held(&sets[1..]) }).collect()
    }

    /// What the transitions of a location access, whichever process moved before.
    fn add_location(&mut self, at: usize, location: &Location, is_inside: bool) {
        let automaton = &self.proctype.automaton;
        // Whether a message can be sent, or received, decides here what else is done.
        let decides = is_inside
            || location.transitions.iter().any(|transition| {
                let action = &automaton.statement(transition.statement).action;
                let chooses = matches!(action.guard(), Guard::Else) || matches!(action.update(), Update::Block(_));
                transition.escape > 0 || chooses
            });
        let decides = !Condition::AmpleDecides.is_met(!decides);
        let accesses = self.accesses;
        for transition in &location.transitions {
            let set = accesses.sets.statement(self.id, transition.statement);
            set.iter().for_each(|access| self.add(at, access, decides));
        }
    }

    fn add(&mut self, at: usize, access: &Access<'_>, decides: bool) {
        match access.object {
            Object::Cell(var) if var.scope == Scope::Global => {
                let model = self.known.model;
                self.sets[at][0] |= self.accesses.objects.of_var(model, var, access.is_write());
            }
            Object::Queue { channel, op } => self.add_queue(at, channel, op, decides),
            Object::Creation(_) if Condition::AmpleRun.is_off() => {}
            // A process ends when all younger ones have, which only those wait for that end themselves.
            Object::Processes if access.is_write() => {}
            // `timeout` is false for as long as some process can move.
            Object::Cell(_) | Object::Timeout => {}
            // A new process may do anything, and channels that go with their process may be any. What sees other processes
            // is not in a model that has futures, apart from `_nr_pr`.
            Object::Creation(_)
            | Object::OwnChannels
            | Object::Processes
            | Object::Priorities
            | Object::LastMover
            | Object::Progress
            | Object::Enabledness(_)
            | Object::Position(_)
            | Object::RemoteLocation { .. }
            | Object::RemoteVariable { .. } => self.sets[at][0] = EVERYTHING,
        }
    }

    fn add_queue(&mut self, at: usize, channel: &Expr, op: ChannelOp, decides: bool) {
        let is_known = !decides && self.is_queue(channel);
        let ends = if is_known || !op.is_write() { op.ends_when_executed() } else { op.both_ends() };
        self.add_channel(at, channel, ends_word(ends));
    }

    fn add_channel(&mut self, at: usize, channel: &Expr, ends: u64) {
        if let Some(known) = self.known.channels.constant(self.known.model, channel) {
            self.sets[at][0] |= of_channel(ends, known.id as u32);
            return;
        }
        let Expr::Var(var) = channel else {
            self.sets[at][0] = EVERYTHING;
            return;
        };
        let holder = self.holders.iter().position(|holder| *holder == var.var).filter(|_| var.scope == Scope::Local);
        if let Some(holder) = holder {
            self.sets[at][1 + holder] |= ends;
        } else if let Some(first) = self.known.channels.array(var) {
            let count = self.known.channels.elements(var) as i32;
            let ids = first.id..first.id + count;
            self.sets[at][0] |= ids.fold(0, |all, id| all | of_channel(ends, id as u32));
        } else {
            self.sets[at][0] = EVERYTHING;
        }
    }

    /// Whether messages surely wait in the channel until they are received.
    fn is_queue(&self, channel: &Expr) -> bool {
        let has_rendezvous = self.known.layout.shapes.iter().any(|shape| shape.capacity == 0);
        !has_rendezvous || self.known.surely_queues(channel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiled::access::are_independent;
    use crate::interpreter::Interpreter;
    use crate::testing::model;
    use homing_core::TransitionSystem;

    /// The future access sets of two process types from their starts on, in the initial state.
    fn futures(text: &str) -> Option<Vec<u64>> {
        let model = model(text);
        let interpreter = Interpreter::new(&model).expect("an initial state");
        let (layout, state) = (&interpreter.layout, interpreter.initial());
        let futures = FutureAccess::of(&model, layout)?;
        let mut work = crate::working_state::WorkingState::default();
        work.load(layout, &state);
        let starts = model.proctypes.iter().scan(0, |next, proctype| {
            let first = *next;
            *next += proctype.automaton.locations.len();
            Some(first + proctype.automaton.start as usize)
        });
        let starts: Vec<usize> = starts.collect();
        let future = |process: &crate::working_state::ProcessFrame| {
            futures.of_process(starts[process.proctype.index()], &work.bytes, process.offset)
        };
        Some(work.processes.iter().map(future).collect())
    }

    /// Whether two processes never access what the other writes, for as long as they live.
    #[test]
    fn processes_stay_apart_or_not() {
        let world = "byte x, y; chan c = [2] of { byte }; chan d[2] = [1] of { byte }; chan r = [0] of { byte };";
        for (one, other, expected) in [
            ("x = 1; x = 2", "y = 1; y == 2", true),
            ("x = 1; x = 2", "y = 1; x == 2", false),
            ("x == 1; y == 1", "y == 0; x == 0", true),
            // one sends and one receives: they use different ends, and a statement that is executed does not wait
            ("c!1; c!2", "c?_; c?_", true),
            ("c!1; c!2", "y = 1; len(c) == 2", false),
            ("atomic { x = 1; c!1 }", "c?_", false),
            ("if :: c!1 :: else fi", "c?_", false),
            ("d[0]!1", "d[1]!1", true),
            ("r!1", "r?_", false),
            ("chan k = c; k!1", "d[0]!1", true),
        ] {
            let text = format!("{world} active proctype P() {{ {one} }} active proctype Q() {{ {other} }}");
            let sets = futures(&text).expect("futures");
            assert_eq!(are_independent(sets[0], sets[1]), expected, "{one} / {other}: {sets:x?}");
        }
        for text in ["_last == 1", "enabled(1)", "x == 1; P@L"] {
            let text = format!("{world} active proctype Q() {{ {text} }} active proctype P() {{ L: x = 1; x = 2 }}");
            assert!(futures(&text).is_none(), "{text}");
        }
    }
}
