//! The steps of a model as executions: a statement, a rendezvous, a synchronisation of a network, a process that is blocked.

use homing_core::Cost;
use homing_ir::{Action, Automaton, Location, ProctypeId, Side, Transition};

use super::space::{GONE, NOT_BEGUN, Space};
use super::trial::{OBSERVER, Stopped, Trial};

/// A transition of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Way {
    pub pid: usize,
    pub location: u32,
    /// Its index in the location.
    pub transition: usize,
}

/// What is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Task {
    /// A statement.
    Step(Way),
    /// A send and a receive over a rendezvous channel, or two edges of a network.
    Pair(Way, Way),
    /// The part of a receiver of a broadcast, whose effect is not known when the sender's is: only for the values it writes.
    Reception(Way),
    /// A process that can execute no statement of its location.
    Blocked(usize, u32),
    /// A condition that does not hold.
    Violated(usize),
    /// The invariant of the location where a process stands, after a step. Only that it cannot be evaluated counts: a step that it
    /// forbids is kept, which adds behaviour.
    Constrained(usize, u32),
}

impl<'m> Space<'m> {
    /// The transition, its location and its automaton.
    pub fn way(&self, way: Way) -> (&'m Automaton, &'m Location, &'m Transition) {
        let automaton = &self.type_of(way.pid).automaton;
        let location = automaton.location(way.location);
        (automaton, location, &location.transitions[way.transition])
    }

    pub fn action(&self, way: Way) -> &'m Action {
        let (automaton, _, transition) = self.way(way);
        &automaton.statement(transition.statement).action
    }

    /// The cost of a statement. One that is absorbed costs nothing before its process moves on, and is paid for then.
    pub fn cost(&self, way: Way) -> Cost {
        let (_, location, _) = self.way(way);
        if location.deferred { 0 } else { self.failing(way) }
    }

    /// The cost of a statement that fails. An absorbed one fails in a step of its own, or pays for those that were absorbed
    /// before it: here these are left out.
    pub fn failing(&self, way: Way) -> Cost {
        let (_, location, _) = self.way(way);
        if self.model.features.network { 1 } else { 1 + location.pending }
    }
}

impl<'m> Trial<'_, 'm> {
    /// Executes a task. The cost of the label counts the statements up to the error, if it ends in one.
    pub fn run(&mut self, task: Task) -> Result<Cost, (Stopped, Cost)> {
        let is_network = self.space.model.features.network;
        match task {
            Task::Step(way) => {
                let (cost, failing) = (self.space.cost(way), self.space.failing(way));
                self.step(way).map(|()| cost).map_err(|stopped| (stopped, failing))
            }
            Task::Pair(sender, receiver) if is_network => {
                self.signal(sender, receiver).map(|()| 1).map_err(|stopped| (stopped, 1))
            }
            Task::Pair(sender, receiver) => {
                let (first, second) = (self.space.failing(sender), self.space.failing(receiver));
                let offer = self.offer(sender, receiver).map_err(|stopped| (stopped, first))?;
                let both = first + second;
                let cost = self.space.cost(sender) + self.space.cost(receiver);
                self.offer = Some(offer);
                self.accept(sender, receiver).map(|()| cost).map_err(|stopped| (stopped, both))
            }
            Task::Reception(way) => {
                let done = self.reception(way);
                done.and(Err(Stopped::Blocked)).map_err(|stopped| (stopped, 1))
            }
            Task::Blocked(pid, location) => {
                let pending = self.space.type_of(pid).automaton.location(location).pending;
                self.blocked(pid, location).map(|()| pending).map_err(|stopped| (stopped, pending))
            }
            Task::Constrained(pid, location) => {
                self.pid = pid;
                let invariant = self.space.type_of(pid).automaton.location(location).invariant.as_ref();
                let evaluated = self.stand(pid, location).and_then(|()| match invariant {
                    Some(invariant) => self.holds(invariant),
                    None => Ok(true),
                });
                evaluated.and(Err(Stopped::Blocked)).map_err(|stopped| (stopped, 0))
            }
            Task::Violated(condition) => {
                self.pid = OBSERVER;
                let expr = self.space.conditions[condition];
                match self.holds(expr) {
                    Ok(false) => Ok(0),
                    Ok(true) => Err((Stopped::Blocked, 0)),
                    Err(stopped) => Err((stopped, 0)),
                }
            }
        }
    }

    /// Goes on only where a process stands at a location and may move.
    fn enter(&mut self, pid: usize, location: u32) -> Result<(), Stopped> {
        self.pid = pid;
        self.stand(pid, location)?;
        match &self.space.type_of(pid).provided {
            Some(provided) if !self.holds(provided)? => Err(Stopped::Blocked),
            _ => Ok(()),
        }
    }

    fn step(&mut self, way: Way) -> Result<(), Stopped> {
        self.enter(way.pid, way.location)?;
        let action = self.space.action(way);
        if let Some(signal) = action.signal() {
            if signal.emits && signal.broadcast {
                return self.broadcast(way);
            }
            // it needs a partner; that its guard or channel cannot be evaluated can be an error without one
            if self.is_executable(action)? || !signal.emits {
                self.eval(&signal.channel)?;
            }
            return Err(Stopped::Blocked);
        }
        if action.is_else() {
            self.nothing_before(way)?;
        } else if let Some(channel) = self.rendezvous(action)? {
            // it needs a receiver; that its message cannot be computed is an error without one
            if let Action::Send { args, .. } = action {
                let fields = self.space.model.shape(self.space.channels[channel].shape).fields.len();
                if args.len() != fields {
                    return Err(Stopped::Fault);
                }
                args.iter().try_for_each(|arg| self.drop_value(arg))?;
            }
            return Err(Stopped::Blocked);
        } else if !self.is_executable(action)? {
            return Err(Stopped::Blocked);
        }
        self.execute(action)?;
        self.pid = way.pid;
        self.move_on(way)
    }

    /// Goes on only where no transition before an `else` can be taken. A rendezvous may have no partner, and a run-time error is
    /// no step.
    fn nothing_before(&mut self, way: Way) -> Result<(), Stopped> {
        let (automaton, location, _) = self.space.way(way);
        for transition in &location.transitions[..way.transition] {
            let action = &automaton.statement(transition.statement).action;
            let is_taken = match self.rendezvous(action) {
                Ok(Some(_)) => Ok(false),
                Ok(None) => self.is_executable(action),
                Err(stopped) => Err(stopped),
            };
            match is_taken {
                Ok(false) | Err(Stopped::Fault) => {}
                Ok(true) => return Err(Stopped::Blocked),
                Err(stopped) => return Err(stopped),
            }
        }
        Ok(())
    }

    /// Moves a process to the target of a transition.
    fn move_on(&mut self, way: Way) -> Result<(), Stopped> {
        let (automaton, _, transition) = self.space.way(way);
        let location = self.space.location(way.pid);
        if matches!(self.space.action(way), Action::End) {
            self.write(location, &[GONE])?;
            for id in self.space.cells_of(way.pid) {
                let absent = self.space.absent(id);
                self.write(id, absent)?;
            }
            return Ok(());
        }
        if transition.target > 0 {
            self.write(location, &[transition.target as i32])?;
            for var in automaton.resets(transition) {
                let cells = self.space.type_of(way.pid).locals[var.index()].cells();
                for at in 0..cells {
                    let id = self.space.element(way.pid, homing_ir::Scope::Local, *var, at as u32);
                    self.write(id, &[0])?;
                }
            }
        }
        Ok(())
    }

    /// Creates a process of a type: one of those that are yet to be created.
    pub fn create(&mut self, proctype: ProctypeId) -> Result<usize, Stopped> {
        let created = self.space.processes.started..self.space.processes.len();
        let candidates: Vec<usize> = created.filter(|&pid| self.space.proctype(pid) == proctype).collect();
        if candidates.is_empty() {
            return Err(Stopped::Blocked); // no run comes here: the prefix that creates processes is known
        }
        let pid = candidates[self.choose(candidates.len())];
        let location = self.space.location(pid);
        if self.observe(location, |at| at[0] == NOT_BEGUN) != Some(true) {
            return Err(Stopped::Blocked);
        }
        let complete = self.space.processes.complete.clone();
        let mut cells = self.space.cells_of(pid);
        cells.push(location);
        for id in cells {
            if self.space.cell(id).is_tracked {
                let content = self.space.decoded(id, &complete);
                self.write(id, &content)?;
            }
        }
        Ok(pid)
    }

    /// The offer of a rendezvous that the receiver takes, evaluated in the state that both leave.
    fn offer(&mut self, sender: Way, receiver: Way) -> Result<super::trial::Offer, Stopped> {
        self.enter(sender.pid, sender.location)?;
        let action = self.space.action(sender);
        let Some(channel) = self.rendezvous(action)? else { return Err(Stopped::Blocked) };
        let offer = self.offer_of(action, channel)?;
        self.enter(receiver.pid, receiver.location)?;
        let action = self.space.action(receiver);
        if self.takes(action, &offer)? { Ok(offer) } else { Err(Stopped::Blocked) }
    }

    /// The effect of a rendezvous whose message is on offer.
    fn accept(&mut self, sender: Way, receiver: Way) -> Result<(), Stopped> {
        self.move_on(sender)?;
        self.pid = receiver.pid;
        self.execute(self.space.action(receiver))?;
        self.move_on(receiver)
    }

    /// Two edges of a network over a channel. Guards and channels are evaluated in the state that is left.
    fn signal(&mut self, sender: Way, receiver: Way) -> Result<(), Stopped> {
        let sent = self.signalled(sender)?;
        let received = self.signalled(receiver)?;
        if sent.zip(received).is_some_and(|(sent, received)| sent != received) {
            return Err(Stopped::Blocked);
        }
        for way in [sender, receiver] {
            self.pid = way.pid;
            self.execute(self.space.action(way))?;
            self.move_on(way)?;
        }
        Ok(())
    }

    /// The channel of an edge that can be taken.
    fn signalled(&mut self, way: Way) -> Result<Option<i32>, Stopped> {
        self.enter(way.pid, way.location)?;
        let action = self.space.action(way);
        let Some(signal) = action.signal() else { return Err(Stopped::Blocked) };
        if !self.is_executable(action)? {
            return Err(Stopped::Blocked);
        }
        self.eval(&signal.channel)
    }

    /// Only the effect of a receiving edge. Its guard was evaluated before the sender's update, and says nothing of the values
    /// that it meets.
    fn reception(&mut self, way: Way) -> Result<(), Stopped> {
        self.enter(way.pid, way.location)?;
        self.execute(self.space.action(way))?;
        self.move_on(way)
    }

    /// An edge that sends to all that can receive. Receivers whose edges have no guard and no update follow exactly; of others it is
    /// left open whether they follow, and what they write.
    fn broadcast(&mut self, sender: Way) -> Result<(), Stopped> {
        let action = self.space.action(sender);
        let Some(signal) = action.signal() else { return Err(Stopped::Blocked) };
        if !self.is_executable(action)? {
            return Err(Stopped::Blocked);
        }
        let channel = self.eval(&signal.channel)?;
        let mut receivers = Vec::new();
        for pid in (0..self.space.processes.len()).filter(|&pid| pid != sender.pid) {
            receivers.push((pid, self.followers(pid, channel)));
        }
        self.pid = sender.pid;
        self.execute(action)?;
        self.move_on(sender)?;
        for (pid, edges) in receivers {
            if edges.is_empty() {
                continue;
            }
            self.scatter(pid, |at| {
                let here = || edges.iter().filter(|edge| edge.from == at);
                let mut targets: Vec<i32> = here().map(|edge| edge.to).collect();
                if !here().any(|edge| edge.is_certain) {
                    targets.push(at);
                }
                targets
            })?;
            for way in edges.iter().map(|edge| edge.way) {
                self.blur_targets(way)?;
            }
        }
        Ok(())
    }

    /// The edges by which a process may receive over a channel.
    fn followers(&mut self, pid: usize, channel: Option<i32>) -> Vec<Follower> {
        let automaton = &self.space.type_of(pid).automaton;
        let mut followers = Vec::new();
        for (at, location) in automaton.locations.iter().enumerate() {
            for (transition, to) in location.transitions.iter().enumerate() {
                let Action::Edge(edge) = &automaton.statement(to.statement).action else { continue };
                let Some(signal) = edge.signal.as_ref().filter(|signal| !signal.emits) else { continue };
                self.pid = pid;
                let number = self.constant(&signal.channel);
                if number.zip(channel).is_some_and(|(number, channel)| number != channel) {
                    continue;
                }
                let is_certain = edge.guard.is_none() && number.is_some() && channel.is_some();
                let way = Way { pid, location: at as u32, transition };
                followers.push(Follower { way, from: at as i32, to: to.target as i32, is_certain });
            }
        }
        followers
    }

    /// Leaves open what an edge has written.
    fn blur_targets(&mut self, way: Way) -> Result<(), Stopped> {
        let mut written = Vec::new();
        self.space.action(way).for_each_target(&mut |target| written.push((target.scope, target.var)));
        self.pid = way.pid;
        for (scope, var) in written {
            let variable = match scope {
                homing_ir::Scope::Scratch => continue,
                homing_ir::Scope::Global => &self.space.model.globals[var.index()],
                homing_ir::Scope::Local => &self.space.type_of(way.pid).locals[var.index()],
            };
            for element in 0..variable.cells() as u32 {
                let id = self.space.element(way.pid, scope, var, element);
                if self.space.cell(id).is_tracked && self.space.cell(id).domain.len() > 64 {
                    return Err(Stopped::Untracked(id));
                }
                let cell = self.space.cell(id);
                let numbers: Vec<i32> =
                    cell.domain.values().take(cell.visible as usize).map(|value| value[0]).collect();
                self.blur(id, &numbers)?;
            }
        }
        Ok(())
    }

    /// A process that can execute no statement where it stands. Whether a rendezvous has a partner is left open, and in a network
    /// with committed locations or invariants everything is: there an edge can be impossible although it is enabled.
    fn blocked(&mut self, pid: usize, location: u32) -> Result<(), Stopped> {
        self.pid = pid;
        self.stand(pid, location)?;
        let proctype = self.space.type_of(pid);
        if let Some(provided) = &proctype.provided
            && !self.holds(provided)?
        {
            return Ok(());
        }
        if self.space.model.features.network && may_be_ruled_out(self.space) {
            return Ok(());
        }
        for transition in &proctype.automaton.location(location).transitions {
            let action = &proctype.automaton.statement(transition.statement).action;
            if action.is_else() {
                return Err(Stopped::Blocked);
            }
            let has_partner = action.signal().is_some_and(|signal| !(signal.emits && signal.broadcast));
            if !has_partner && self.rendezvous(action)?.is_none() && self.is_executable(action)? {
                return Err(Stopped::Blocked);
            }
        }
        Ok(())
    }
}

/// An edge by which a process may follow a broadcast.
struct Follower {
    way: Way,
    from: i32,
    to: i32,
    /// The process follows by this edge or another one.
    is_certain: bool,
}

/// Whether edges that are enabled can be impossible: by a committed location or the invariant of a location.
fn may_be_ruled_out(space: &Space<'_>) -> bool {
    let mut locations = space.model.proctypes.iter().flat_map(|proctype| &proctype.automaton.locations);
    locations.any(|location| location.committed || location.invariant.is_some())
}

/// Whether an action can be the receiving side of a rendezvous.
pub fn receives(action: &Action) -> bool {
    action.synchronisations().any(|one| matches!(one.side, Side::Receive(_)))
        || action.signal().is_some_and(|signal| !signal.emits && !signal.broadcast)
}

/// Whether an action can be the sending side of a rendezvous.
pub fn sends(action: &Action) -> bool {
    action.synchronisation().is_some_and(|one| matches!(one.side, Side::Send(_)))
        || action.signal().is_some_and(|signal| signal.emits && !signal.broadcast)
}
