//! Which moves of a run are independent, so that the run can be shown in another order.
//!
//! Two moves of different processes that neither write what the other accesses lead to the same state in either order
//! (Mazurkiewicz's independence). What a move reads is the access set of its statements ([`homing_ir::AccessSet`]), evaluated
//! in the state it was taken in; what it writes is taken from what it did. Where that is not the whole truth a move counts as
//! a barrier, and a run in another order is executed in that order before it is shown.

use std::collections::{HashMap, HashSet};

use homing_ir::{Access, AccessSet, Action, ChannelOp, Expr, Guard, Object, Queueing, Scope, Update, VarId, VarRef};

use crate::effect::Effect;
use crate::eval::View;
use crate::player::{Enabled, MoveResult, Player};
use crate::working_state::WorkingState;

/// An object that more than one process can access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum SharedObject {
    /// A cell of a global variable.
    Cell(VarId, u32),
    /// The end of a channel, where messages are put.
    End(i32),
    /// The front of a channel, where messages are taken.
    Front(i32),
    /// All that belongs to a process.
    Process(u8),
    /// Which processes there are.
    Processes,
    /// The trace automaton.
    Monitor,
}

/// What a move accesses in the state it is taken in.
#[derive(Clone, Debug, Default)]
pub struct MoveAccess {
    reads: Vec<SharedObject>,
    writes: Vec<SharedObject>,
    /// Sends and receives in turn order, on channels used as plain queues: the channel, its capacity, and whether it was
    /// a send.
    queued: Vec<(i32, u32, bool)>,
    /// It depends on everything.
    barrier: bool,
}

impl MoveAccess {
    /// Adds what another move accesses.
    pub fn join(&mut self, other: MoveAccess) {
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self.queued.extend(other.queued);
        self.barrier |= other.barrier;
    }
}

impl Player<'_, '_> {
    /// Whether moves of this model can be independent at all: priorities and `_last` tie each to all.
    pub fn has_independence(&self) -> bool {
        let features = self.engine().model().features;
        !features.priorities && !features.last && !features.network
    }

    /// What the last move accessed. To be called before the next move.
    pub fn accesses(&self, taken: &Enabled, result: &MoveResult) -> MoveAccess {
        let mut found = MoveAccess { barrier: taken.is_timeout() || result.failed, ..MoveAccess::default() };
        for (at, executed) in result.statements.iter().enumerate() {
            found.writes.push(SharedObject::Process(executed.pid));
            let view = self.view_of(&self.before, executed.pid as usize);
            if let Some(provided) = &self.engine.model.proctype(executed.proctype).provided {
                let set = AccessSet::of_expr(view.model, Some(executed.proctype), provided);
                set.iter().for_each(|access| found.read(view, access));
            }
            let is_receiver = at > 0;
            found.add_action(view, &self.engine.statement(*executed).action, is_receiver);
            self.read_alternatives(taken, at, view, &mut found);
        }
        for effect in &result.effects {
            found.write(effect, self);
        }
        if self.is_inside() && self.alone().is_none() {
            // an atomic sequence ends here because it is blocked: what blocks it must not change
            let pid = result.statements.last().expect("something happened").pid as usize;
            let view = self.view_of(&self.work, pid);
            for transition in view.transitions() {
                found.read_guard(view, &view.statement(transition.statement).action);
            }
        }
        found
    }

    fn view_of<'a>(&'a self, work: &'a WorkingState, pid: usize) -> View<'a> {
        let engine = self.engine;
        View { model: engine.model, layout: &engine.layout, work, pid, timeout: false, offer: None, asked: 0 }
    }

    /// Reads what was not executable: an `else`, and a statement with escapes, were executable because of that.
    fn read_alternatives(&self, taken: &Enabled, at: usize, view: View<'_>, found: &mut MoveAccess) {
        let Some(choice) = taken.what().choice(at) else { return };
        let transitions = view.transitions();
        let chosen = &transitions[choice.transition as usize];
        let is_else = view.statement(chosen.statement).action.is_else();
        for other in &transitions[..choice.transition as usize] {
            if is_else || other.escape != chosen.escape {
                found.read_guard(view, &view.statement(other.statement).action);
            }
        }
    }
}

impl MoveAccess {
    /// What an executed action reads, and the channels whose messages it does not use in turn. Of a `d_step` all that it may
    /// read. The receiver of a rendezvous does not use its channel: the message comes from the sender.
    fn add_action(&mut self, view: View<'_>, action: &Action, is_receiver: bool) {
        let is_block = matches!(action.update(), Update::Block(_));
        let set = AccessSet::of_action(view.model, Some(view.proctype()), action);
        for access in set.iter() {
            match access.object {
                Object::Queue { channel, op } if access.is_write() => match op {
                    _ if is_plain(op) || is_receiver => {}
                    _ if is_block => self.barrier = true, // which channel it is may have changed inside
                    _ => self.write_both_ends(view, channel),
                },
                _ if access.is_write() => {} // what it did is known
                Object::Cell(var) if is_block => {
                    self.read_whole(view, var);
                    self.read(view, access);
                }
                _ => self.read(view, access),
            }
        }
    }

    fn read(&mut self, view: View<'_>, access: &Access<'_>) {
        match access.object {
            Object::Cell(var) => self.read_cell(view, var),
            Object::Queue { channel, .. } => self.read_channel(view, channel),
            Object::Processes => self.reads.push(SharedObject::Processes),
            Object::RemoteLocation { pid, .. } | Object::RemoteVariable { pid, .. } => self.read_process(view, pid),
            Object::Position(pid) => self.read_process(view, Some(pid)),
            Object::Creation(_)
            | Object::OwnChannels
            | Object::Enabledness(_)
            | Object::Progress
            | Object::LastMover
            | Object::Priorities
            | Object::Timeout => self.barrier = true,
        }
    }

    fn read_cell(&mut self, view: View<'_>, var: &VarRef) {
        if var.scope == Scope::Local {
            return; // its process is an object
        }
        match view.cell_ref(var) {
            Some(cell) => self.reads.push(SharedObject::Cell(cell.var, cell.cell)),
            None => self.barrier = true,
        }
    }

    fn read_whole(&mut self, view: View<'_>, var: &VarRef) {
        if var.scope == Scope::Global {
            let cells = view.model.globals[var.var.index()].cells() as u32;
            self.reads.extend((0..cells).map(|cell| SharedObject::Cell(var.var, cell)));
        }
    }

    fn read_process(&mut self, view: View<'_>, pid: Option<&Expr>) {
        match pid.map(|pid| view.eval(pid)) {
            Some(Ok(pid)) => self.reads.push(SharedObject::Process(pid as u8)),
            _ => self.barrier = true,
        }
        self.reads.push(SharedObject::Processes);
    }

    fn read_channel(&mut self, view: View<'_>, channel: &Expr) {
        match view.eval(channel) {
            Ok(id) => self.reads.extend([SharedObject::Front(id), SharedObject::End(id)]),
            Err(_) => self.barrier = true,
        }
    }

    fn write_both_ends(&mut self, view: View<'_>, channel: &Expr) {
        match view.eval(channel) {
            Ok(id) => self.writes.extend([SharedObject::Front(id), SharedObject::End(id)]),
            Err(_) => self.barrier = true,
        }
    }

    /// What decides whether an action can be executed.
    fn read_guard(&mut self, view: View<'_>, action: &Action) {
        match action.guard() {
            Guard::AnyOf(guards) => return guards.iter().for_each(|guard| self.read_guard(view, guard)),
            Guard::Room(channel) | Guard::Message { channel, .. } => {
                let rendezvous = view.eval(channel).and_then(|id| view.channel(id)).map(|found| found.1.capacity == 0);
                if !matches!(rendezvous, Ok(false)) {
                    self.barrier = true; // it depends on where others stand
                }
            }
            _ => {}
        }
        let set = AccessSet::of_guard(view.model, Some(view.proctype()), action);
        set.iter().for_each(|access| self.read(view, access));
    }

    fn write(&mut self, effect: &Effect, player: &Player<'_, '_>) {
        let capacity = |channel: i32| {
            let found = player.before.channel(&player.engine.layout, channel);
            found.map_or(0, |found| found.1.capacity)
        };
        match effect {
            Effect::Wrote { target, .. } if target.owner.is_none() => {
                self.writes.push(SharedObject::Cell(target.var, target.cell));
            }
            Effect::Sent { channel, .. } => self.queued.push((*channel, capacity(*channel), true)),
            Effect::Received { channel, stays: false, .. } => {
                self.queued.push((*channel, capacity(*channel), false));
            }
            Effect::Received { channel, stays: true, .. } => self.reads.push(SharedObject::Front(*channel)),
            Effect::Started(pid) | Effect::Ended(pid) => {
                self.writes.extend([SharedObject::Processes, SharedObject::Process(*pid)]);
            }
            _ => {}
        }
        let is_event = matches!(effect, Effect::Sent { .. } | Effect::Received { .. } | Effect::Handed { .. });
        if is_event && player.engine.model.monitor.is_some() {
            self.writes.push(SharedObject::Monitor);
        }
    }
}

/// Whether an operation uses a channel as a plain queue: a message is put at its end, or taken from its front.
fn is_plain(op: ChannelOp) -> bool {
    match op {
        ChannelOp::Send(queueing) => queueing == Queueing::Last,
        ChannelOp::Receive(from) => !from.anywhere && !from.keep,
        _ => false,
    }
}

/// For each move of a run the earlier moves that have to stay before it; those that follow from others may be missing.
///
/// A channel whose messages are only sent to its end and taken from its front is a queue: a receive waits for the send of
/// its message, and a send for the receive that made room. Any other use of it keeps all its sends and receives in order.
pub fn dependencies(moves: &[MoveAccess]) -> Vec<Vec<usize>> {
    let ends = |objects: &[SharedObject]| -> Vec<i32> {
        let end = |object: &SharedObject| match object {
            SharedObject::Front(id) | SharedObject::End(id) => Some(*id),
            _ => None,
        };
        objects.iter().filter_map(end).collect()
    };
    let odd: HashSet<i32> = moves.iter().flat_map(|one| [ends(&one.reads), ends(&one.writes)].concat()).collect();
    let mut last: HashMap<SharedObject, LastUse> = HashMap::new();
    let mut queues: HashMap<i32, Queue> = HashMap::new();
    let mut barrier = None;
    let mut all = Vec::with_capacity(moves.len());
    for (at, one) in moves.iter().enumerate() {
        let mut before: Vec<usize> = barrier.into_iter().collect();
        if one.barrier {
            before = (0..at).skip(barrier.unwrap_or(0)).collect();
            barrier = Some(at);
        }
        for object in &one.reads {
            let used = last.entry(*object).or_default();
            before.extend(used.written);
            used.read.push(at);
        }
        let mut write = |object: SharedObject, before: &mut Vec<usize>| {
            let used = last.entry(object).or_default();
            before.extend(used.written);
            before.append(&mut used.read);
            used.written = Some(at);
        };
        for object in &one.writes {
            write(*object, &mut before);
        }
        for &(channel, capacity, is_send) in &one.queued {
            if odd.contains(&channel) {
                write(SharedObject::Front(channel), &mut before);
                write(SharedObject::End(channel), &mut before);
                continue;
            }
            write(if is_send { SharedObject::End(channel) } else { SharedObject::Front(channel) }, &mut before);
            let queue = queues.entry(channel).or_default();
            let (own, other, lag) = match is_send {
                true => (&mut queue.sends, &queue.receives, capacity as usize),
                false => (&mut queue.receives, &queue.sends, 0),
            };
            before.extend(own.len().checked_sub(lag).and_then(|at| other.get(at)));
            own.push(at);
        }
        before.sort_unstable();
        before.dedup();
        before.retain(|&earlier| earlier != at);
        all.push(before);
    }
    all
}

#[derive(Default)]
struct LastUse {
    written: Option<usize>,
    /// Since it was written.
    read: Vec<usize>,
}

/// The moves that sent to and received from a channel, in order.
#[derive(Default)]
struct Queue {
    sends: Vec<usize>,
    receives: Vec<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accesses(reads: &[SharedObject], writes: &[SharedObject], queued: &[(i32, u32, bool)]) -> MoveAccess {
        MoveAccess { reads: reads.to_vec(), writes: writes.to_vec(), queued: queued.to_vec(), barrier: false }
    }

    #[test]
    fn readers_and_writers() {
        let x = SharedObject::Cell(VarId(0), 0);
        let y = SharedObject::Cell(VarId(1), 0);
        let moves = [
            accesses(&[], &[x], &[]),
            accesses(&[x], &[], &[]),
            accesses(&[x], &[y], &[]),
            accesses(&[], &[y], &[]),
            accesses(&[], &[x], &[]),
        ];
        let expected: [&[usize]; 5] = [&[], &[0], &[0], &[2], &[0, 1, 2]];
        assert_eq!(dependencies(&moves), expected);
    }

    #[test]
    fn a_queue_lets_sender_and_receiver_run_apart() {
        let (send, receive) = ((1, 2, true), (1, 2, false));
        let run = [send, send, receive, send, receive].map(|op| accesses(&[], &[], &[op]));
        let expected: [&[usize]; 5] = [&[], &[0], &[0], &[1, 2], &[1, 2]];
        assert_eq!(dependencies(&run), expected);
        // where its length is read all stay in order
        let mut looked = run.to_vec();
        looked.push(accesses(&[SharedObject::Front(1)], &[], &[]));
        let expected: [&[usize]; 6] = [&[], &[0], &[1], &[2], &[3], &[4]];
        assert_eq!(dependencies(&looked), expected);
    }

    #[test]
    fn a_barrier_stays_where_it_is() {
        let mut run = vec![MoveAccess::default(); 4];
        run[2].barrier = true;
        let expected: [&[usize]; 4] = [&[], &[], &[0, 1], &[2]];
        assert_eq!(dependencies(&run), expected);
    }
}
