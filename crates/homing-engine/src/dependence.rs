//! Which parts of a run depend on each other, so that the others can be told in another order.
//!
//! Two moves that neither touch the same things nor belong to the same process lead to the same state in either order
//! (Mazurkiewicz's independence). What a move reads is taken from its statements and the state it was taken in, what it
//! writes from what it did. Where that is not the whole truth a move counts as a barrier, and whoever tells a run in
//! another order executes it in that order before.

use std::collections::{HashMap, HashSet};

use homing_ir::{Action, ArgPattern, Expr, Scope, VarId, VarRef};

use crate::effect::Effect;
use crate::eval::View;
use crate::moves::Move;
use crate::player::{Enabled, MoveResult, Player};
use crate::working_state::WorkingState;

/// Something that more than one process can touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Thing {
    /// A cell of a global variable.
    Cell(VarId, u32),
    /// The end of a channel that sends go to.
    Tail(i32),
    /// The end of a channel that receives take from.
    Head(i32),
    /// All that belongs to a process.
    Process(u8),
    /// Which processes there are.
    Processes,
    /// The trace automaton.
    Monitor,
}

/// What a move touches.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    reads: Vec<Thing>,
    writes: Vec<Thing>,
    /// Sends and receives in turn order, on channels used as plain queues: the channel, its capacity, and whether it was
    /// a send.
    queued: Vec<(i32, u32, bool)>,
    /// It depends on everything.
    barrier: bool,
}

impl Footprint {
    /// What both touch together.
    pub fn join(&mut self, other: Footprint) {
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
        !features.priorities && !features.last
    }

    /// What the last thing that happened touches. To be asked before anything else happens.
    pub fn footprint(&self, taken: &Enabled, result: &MoveResult) -> Footprint {
        let mut foot = Footprint { barrier: taken.is_timeout() || result.failed, ..Footprint::default() };
        for (at, executed) in result.statements.iter().enumerate() {
            foot.writes.push(Thing::Process(executed.pid));
            let view = self.view_of(&self.before, executed.pid as usize);
            if let Some(provided) = &self.engine.model.proctype(executed.proctype).provided {
                foot.read(view, provided);
            }
            let receives = at > 0;
            foot.read_action(view, &self.engine.statement(*executed).action, receives);
            self.read_alternatives(taken, at, view, &mut foot);
        }
        for effect in &result.effects {
            foot.write(effect, self);
        }
        if self.is_inside() && self.alone().is_none() {
            // an atomic sequence ends here because it is blocked: what blocks it must not change
            let pid = result.statements.last().expect("something happened").pid as usize;
            let view = self.view_of(&self.work, pid);
            for transition in view.transitions() {
                foot.read_guard(view, &view.statement(transition.statement).action);
            }
        }
        foot
    }

    fn view_of<'a>(&'a self, work: &'a WorkingState, pid: usize) -> View<'a> {
        let engine = self.engine;
        View { model: engine.model, layout: &engine.layout, work, pid, timeout: false, offer: None }
    }

    /// An `else`, and a statement with escapes, were executable because others were not.
    fn read_alternatives(&self, taken: &Enabled, at: usize, view: View<'_>, foot: &mut Footprint) {
        let choice = match (taken.what(), at) {
            (Move::Step(choice), _) | (Move::Handshake(choice, _), 0) | (Move::Handshake(_, choice), _) => choice,
            (Move::Fault(..), _) => return,
        };
        let transitions = view.transitions();
        let chosen = &transitions[choice.transition as usize];
        let is_else = match &view.statement(chosen.statement).action {
            Action::Else => true,
            Action::DStep(block) => matches!(block.guards[..], [Action::Else]),
            _ => false,
        };
        for other in &transitions[..choice.transition as usize] {
            if is_else || other.escape != chosen.escape {
                foot.read_guard(view, &view.statement(other.statement).action);
            }
        }
    }
}

impl Footprint {
    fn read(&mut self, view: View<'_>, expr: &Expr) {
        match expr {
            Expr::Var(var) => self.read_var(view, var),
            Expr::ProcessCount => self.reads.push(Thing::Processes),
            Expr::Length(channel)
            | Expr::Full(channel)
            | Expr::Empty(channel)
            | Expr::NotFull(channel)
            | Expr::NotEmpty(channel)
            | Expr::Poll { channel, .. } => self.read_channel(view, channel),
            Expr::Last | Expr::Timeout | Expr::NonProgress | Expr::Enabled(_) | Expr::PriorityOf(_) => {
                self.barrier = true;
            }
            Expr::Location(pid) => self.read_process(view, Some(pid)),
            Expr::RemoteLabel { pid, .. } | Expr::RemoteVar { pid, .. } => self.read_process(view, pid.as_deref()),
            _ => {}
        }
        expr.for_each_part(&mut |part| self.read(view, part));
    }

    fn read_var(&mut self, view: View<'_>, var: &VarRef) {
        if var.scope == Scope::Local {
            return; // its process is a thing
        }
        match view.cell_ref(var) {
            Some(cell) => self.reads.push(Thing::Cell(cell.var, cell.cell)),
            None => self.barrier = true,
        }
    }

    fn read_all(&mut self, view: View<'_>, expr: &Expr) {
        expr.walk(&mut |inner| {
            if let Expr::Var(var) = inner
                && var.scope == Scope::Global
            {
                let cells = view.model.globals[var.var.index()].cells() as u32;
                self.reads.extend((0..cells).map(|cell| Thing::Cell(var.var, cell)));
            }
        });
    }

    fn read_process(&mut self, view: View<'_>, pid: Option<&Expr>) {
        match pid.map(|pid| view.eval(pid)) {
            Some(Ok(pid)) => self.reads.push(Thing::Process(pid as u8)),
            _ => self.barrier = true,
        }
        self.reads.push(Thing::Processes);
    }

    fn read_channel(&mut self, view: View<'_>, channel: &Expr) {
        match view.eval(channel) {
            Ok(id) => self.reads.extend([Thing::Head(id), Thing::Tail(id)]),
            Err(_) => self.barrier = true,
        }
    }

    /// What an executed statement reads. Of a `d_step` all that it may read.
    fn read_action(&mut self, view: View<'_>, action: &Action, receives: bool) {
        match action {
            Action::DStep(_) => action.for_each_expr(&mut |expr| {
                self.read_all(view, expr);
                self.read(view, expr);
            }),
            Action::Receive { channel, args, from } if !receives => {
                self.read(view, channel);
                let plain = !from.anywhere && !from.keep;
                if !plain {
                    self.odd(view, channel);
                }
                for arg in args {
                    match arg {
                        ArgPattern::Match { value, .. } => self.read(view, value),
                        ArgPattern::Bind(var) => var.indices.iter().for_each(|index| self.read(view, index)),
                        ArgPattern::Ignore => {}
                    }
                }
            }
            Action::Send { queueing: homing_ir::Queueing::Sorted, channel, .. } => {
                self.odd(view, channel);
                action.for_each_expr(&mut |expr| self.read(view, expr));
            }
            _ => action.for_each_expr(&mut |expr| self.read(view, expr)),
        }
    }

    /// The order of messages in the channel matters here.
    fn odd(&mut self, view: View<'_>, channel: &Expr) {
        match view.eval(channel) {
            Ok(id) => self.writes.extend([Thing::Head(id), Thing::Tail(id)]),
            Err(_) => self.barrier = true,
        }
    }

    /// What decides whether a statement can be executed.
    fn read_guard(&mut self, view: View<'_>, action: &Action) {
        match action {
            Action::Condition(guard) => self.read(view, guard),
            Action::Send { channel, .. } | Action::Receive { channel, .. } => {
                let rendezvous = view.eval(channel).and_then(|id| view.channel(id)).map(|found| found.1.capacity == 0);
                if !matches!(rendezvous, Ok(false)) {
                    self.barrier = true; // it depends on where others stand
                }
                self.read_channel(view, channel);
                action.for_each_expr(&mut |expr| self.read(view, expr));
            }
            Action::DStep(block) => block.guards.iter().for_each(|guard| self.read_guard(view, guard)),
            Action::End => self.reads.push(Thing::Processes),
            _ => {}
        }
    }

    fn write(&mut self, effect: &Effect, player: &Player<'_, '_>) {
        let capacity = |channel: i32| {
            let found = player.before.channel(&player.engine.layout, channel);
            found.map_or(0, |found| found.1.capacity)
        };
        match effect {
            Effect::Wrote { target, .. } if target.owner.is_none() => {
                self.writes.push(Thing::Cell(target.var, target.cell));
            }
            Effect::Sent { channel, .. } => self.queued.push((*channel, capacity(*channel), true)),
            Effect::Received { channel, stays: false, .. } => {
                self.queued.push((*channel, capacity(*channel), false));
            }
            Effect::Received { channel, stays: true, .. } => self.reads.push(Thing::Head(*channel)),
            Effect::Started(pid) | Effect::Ended(pid) => {
                self.writes.extend([Thing::Processes, Thing::Process(*pid)]);
            }
            _ => {}
        }
        let is_event = matches!(effect, Effect::Sent { .. } | Effect::Received { .. } | Effect::Handed { .. });
        if is_event && player.engine.model.monitor.is_some() {
            self.writes.push(Thing::Monitor);
        }
    }
}

/// For each move of a run the earlier moves that have to stay before it; those that follow from others may be missing.
///
/// A channel whose messages are only sent to its end and taken from its front is a queue: a receive waits for the send of
/// its message, and a send for the receive that made room. Any other use of it keeps all its sends and receives in order.
pub fn dependencies(moves: &[Footprint]) -> Vec<Vec<usize>> {
    let ends = |things: &[Thing]| -> Vec<i32> {
        let end = |thing: &Thing| match thing {
            Thing::Head(id) | Thing::Tail(id) => Some(*id),
            _ => None,
        };
        things.iter().filter_map(end).collect()
    };
    let odd: HashSet<i32> = moves.iter().flat_map(|foot| [ends(&foot.reads), ends(&foot.writes)].concat()).collect();
    let mut last: HashMap<Thing, LastUse> = HashMap::new();
    let mut queues: HashMap<i32, Queue> = HashMap::new();
    let mut barrier = None;
    let mut all = Vec::with_capacity(moves.len());
    for (at, foot) in moves.iter().enumerate() {
        let mut before: Vec<usize> = barrier.into_iter().collect();
        if foot.barrier {
            before = (0..at).skip(barrier.unwrap_or(0)).collect();
            barrier = Some(at);
        }
        for thing in &foot.reads {
            let used = last.entry(*thing).or_default();
            before.extend(used.written);
            used.read.push(at);
        }
        let mut write = |thing: Thing, before: &mut Vec<usize>| {
            let used = last.entry(thing).or_default();
            before.extend(used.written);
            before.append(&mut used.read);
            used.written = Some(at);
        };
        for thing in &foot.writes {
            write(*thing, &mut before);
        }
        for &(channel, capacity, is_send) in &foot.queued {
            if odd.contains(&channel) {
                write(Thing::Head(channel), &mut before);
                write(Thing::Tail(channel), &mut before);
                continue;
            }
            write(if is_send { Thing::Tail(channel) } else { Thing::Head(channel) }, &mut before);
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

    fn foot(reads: &[Thing], writes: &[Thing], queued: &[(i32, u32, bool)]) -> Footprint {
        Footprint { reads: reads.to_vec(), writes: writes.to_vec(), queued: queued.to_vec(), barrier: false }
    }

    #[test]
    fn readers_and_writers() {
        let x = Thing::Cell(VarId(0), 0);
        let y = Thing::Cell(VarId(1), 0);
        let moves = [
            foot(&[], &[x], &[]),
            foot(&[x], &[], &[]),
            foot(&[x], &[y], &[]),
            foot(&[], &[y], &[]),
            foot(&[], &[x], &[]),
        ];
        let expected: [&[usize]; 5] = [&[], &[0], &[0], &[2], &[0, 1, 2]];
        assert_eq!(dependencies(&moves), expected);
    }

    #[test]
    fn a_queue_lets_sender_and_receiver_run_apart() {
        let (send, receive) = ((1, 2, true), (1, 2, false));
        let run = [send, send, receive, send, receive].map(|op| foot(&[], &[], &[op]));
        let expected: [&[usize]; 5] = [&[], &[0], &[0], &[1, 2], &[1, 2]];
        assert_eq!(dependencies(&run), expected);
        // somebody looks at its length: all stay in order
        let mut looked = run.to_vec();
        looked.push(foot(&[Thing::Head(1)], &[], &[]));
        let expected: [&[usize]; 6] = [&[], &[0], &[1], &[2], &[3], &[4]];
        assert_eq!(dependencies(&looked), expected);
    }

    #[test]
    fn a_barrier_stays_where_it_is() {
        let mut run = vec![Footprint::default(); 4];
        run[2].barrier = true;
        let expected: [&[usize]; 4] = [&[], &[], &[0, 1], &[2]];
        assert_eq!(dependencies(&run), expected);
    }
}
