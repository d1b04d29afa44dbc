//! The number of active processes, H_ap ([ELL-04] §4, "Active Processes"): in a deadlock all processes are blocked.
//!
//! A process is active if it can execute a statement. One half of a rendezvous can be executed if the other is ready,
//! so both processes are active. The estimate is a guess: one statement can block many processes. In a model that is
//! not reduced it is 0 where no process can move, and where all wait for a `timeout`.
//!
//! Differs from the paper, where an active process counts one: here it counts as many statements as the shortest
//! blockable step of its type. In the paper a run through an atomic sequence is one transition; here paths are as long
//! as their statements, and philosophers who take a fork by two statements would otherwise seem to move away from the
//! deadlock with each fork. (Counting the statements of the process's own next step was tried: it leads a greedy search
//! to where steps are short.) Absorbed statements whose cost is pending count as well, also for a blocked process: an
//! invalid end state pays for them.
//!
//! Ties: among states with equally many active processes, those are preferred in which fewer blocked processes wait for
//! a message that an active process is about to send, or for room that it is about to make. Those would be unblocked
//! next.

use homing_core::{Cost, Estimated, Guarantee};
use homing_ir::{Action, ArgPattern, Automaton, Expr, Model, Transition};

use crate::distance::of_steps;
use crate::executable::{StateView, guards, needs_partner, never_blocks};
use crate::incremental::Decomposed;
use crate::read_set::{ReadSet, channel_of, value};

pub struct Active {
    /// By process type: the cost of an active process.
    steps: Vec<Cost>,
    /// The model has channels.
    channels: bool,
    /// The model has rendezvous channels.
    rendezvous: bool,
}

/// What is known of a process without looking at the others.
#[derive(Clone, Copy, Default)]
pub struct Activity {
    /// Its cost if it is active.
    step: Cost,
    /// The cost of absorbed statements, which it still has to pay.
    pending: Cost,
    /// It can execute a statement without a partner.
    alone: bool,
    /// It has one half of a rendezvous, and is active if another process has the other half.
    with_partner: bool,
    /// What it is ready to send and receive.
    exchange: Exchange,
}

/// The messages that a process, or several, are ready to send and receive.
#[derive(Clone, Copy, Default)]
struct Exchange {
    sends: Messages,
    receives: Messages,
}

/// A set of messages in channels, a bit for each. Channels, and messages, may share a bit: a false match only worsens a
/// guess.
#[derive(Clone, Copy, Default)]
struct Messages([u64; 4]);

/// The first field of a message, as far as the statement says.
#[derive(Clone, Copy)]
enum Message {
    Constant(i32),
    Unknown,
}

impl Messages {
    /// The bits of a channel.
    const BY_CHANNEL: u32 = 8;
    /// The bit for a receive that takes any message.
    const ANY: i32 = 7;
    /// The bit for a message that is sent with an unknown first field.
    const UNKNOWN: i32 = 6;

    fn put(&mut self, channel: i32, message: i32) {
        let at = (channel as u32).wrapping_mul(Self::BY_CHANNEL).wrapping_add(message as u32 % Self::BY_CHANNEL) % 256;
        self.0[at as usize / 64] |= 1 << (at % 64);
    }

    fn with(self, other: Messages, join: impl Fn(u64, u64) -> u64) -> Messages {
        let mut joined = self;
        joined.0.iter_mut().zip(other.0).for_each(|(bits, others)| *bits = join(*bits, others));
        joined
    }

    fn overlaps(self, other: Messages) -> bool {
        self.0.iter().zip(other.0).fold(0, |all, (bits, others)| all | bits & others) != 0
    }

    fn common(self, other: Messages) -> u32 {
        if !self.overlaps(other) {
            return 0; // the usual case; counting bits takes longer
        }
        self.0.iter().zip(other.0).map(|(bits, others)| (bits & others).count_ones()).sum()
    }
}

impl Exchange {
    // A send and a receive match if they share a bit: their constants are equal, or one of them is not known.

    fn send(&mut self, channel: i32, message: Message) {
        self.sends.put(channel, Messages::ANY);
        self.sends.put(channel, if let Message::Constant(value) = message { value } else { Messages::UNKNOWN });
    }

    fn receive(&mut self, channel: i32, message: Message) {
        match message {
            Message::Constant(value) => {
                self.receives.put(channel, value);
                self.receives.put(channel, Messages::UNKNOWN);
            }
            Message::Unknown => self.receives.put(channel, Messages::ANY),
        }
    }

    fn fits(self, other: Exchange) -> bool {
        self.sends.overlaps(other.receives) || self.receives.overlaps(other.sends)
    }

    fn fitting(self, other: Exchange) -> u32 {
        self.sends.common(other.receives) + self.receives.common(other.sends)
    }

    fn with(self, other: Exchange, join: impl Fn(u64, u64) -> u64) -> Exchange {
        Exchange { sends: self.sends.with(other.sends, &join), receives: self.receives.with(other.receives, &join) }
    }
}

/// What all processes are ready to exchange.
#[derive(Clone, Copy, Default)]
struct Exchanges {
    all: Exchange,
    /// What more than one process is ready to exchange.
    several: Exchange,
}

impl Exchanges {
    fn of(parts: impl Iterator<Item = Activity>) -> Self {
        parts.fold(Exchanges::default(), |Exchanges { all, several }, Activity { exchange, .. }| Exchanges {
            several: several.with(all.with(exchange, |all, own| all & own), |several, twice| several | twice),
            all: all.with(exchange, |all, own| all | own),
        })
    }

    /// What the other processes than the one with this exchange are ready to exchange.
    fn of_others(&self, own: Exchange) -> Exchange {
        self.all.with(own, |all, own| all & !own).with(self.several, |others, several| others | several)
    }
}

impl Activity {
    fn is_active(self, exchanges: &Exchanges) -> bool {
        self.alone || self.with_partner && self.exchange.fits(exchanges.of_others(self.exchange))
    }
}

impl Active {
    pub fn of(model: &Model) -> Self {
        let steps = model.proctypes.iter().map(|proctype| least_step(&proctype.automaton)).collect();
        let channels = !model.shapes.is_empty() || model.features.network;
        let rendezvous = model.shapes.iter().any(|shape| shape.capacity == 0) || model.features.network;
        Active { steps, channels, rendezvous }
    }

    /// Adds what a statement would exchange, and whether it can be executed without a partner.
    fn inspect<R: ReadSet>(
        &self,
        view: &StateView<'_>,
        pid: usize,
        action: &Action,
        reads: &mut R,
        activity: &mut Activity,
    ) {
        let channel = match action {
            Action::Send { channel, .. } | Action::Receive { channel, .. } if self.channels => channel,
            Action::DStep(_) if self.channels && !never_blocks(action) => {
                return guards(action).for_each(|guard| self.inspect(view, pid, guard, reads, activity));
            }
            Action::Edge(edge) if needs_partner(edge) => return inspect_edge(view, pid, action, reads, activity),
            _ => {
                activity.alone = activity.alone || view.can(pid, action, reads);
                return;
            }
        };
        let Some((id, found)) = channel_of(view, pid, channel, reads) else {
            activity.alone = true; // a statement that fails can be executed
            return;
        };
        let constant = |expr: &Expr| expr.as_constant().map_or(Message::Unknown, Message::Constant);
        match action {
            Action::Send { args, .. } => activity.exchange.send(id, args.first().map_or(Message::Unknown, constant)),
            Action::Receive { args, .. } => {
                let first = match args.first() {
                    Some(ArgPattern::Match { value, .. }) => constant(value),
                    _ => Message::Unknown,
                };
                activity.exchange.receive(id, first);
            }
            _ => {}
        }
        if found.capacity == 0 {
            activity.with_partner = true;
        } else {
            activity.alone = activity.alone || view.can_pass(pid, action, (id, &found), reads);
        }
    }
}

/// Adds what an edge of a network would exchange: a signal without a message.
fn inspect_edge<R: ReadSet>(view: &StateView<'_>, pid: usize, action: &Action, reads: &mut R, activity: &mut Activity) {
    let Some(signal) = action.signal().filter(|_| view.can(pid, action, reads)) else { return };
    let Some(channel) = value(view, pid, &signal.channel, reads) else { return };
    activity.with_partner = true;
    if signal.emits {
        activity.exchange.send(channel, Message::Unknown);
    } else {
        activity.exchange.receive(channel, Message::Unknown);
    }
}

/// No state has as many processes: SPIN and the engine allow 255.
const MOST_PROCESSES: usize = 256;

/// The least number of statements of a step that begins where a process can be blocked.
fn least_step(automaton: &Automaton) -> Cost {
    let action = |transition: &Transition| &automaton.statement(transition.statement).action;
    let waits = |action: &Action| !never_blocks(action) && !matches!(action, Action::End);
    let steps = automaton.locations.iter().zip(of_steps(automaton));
    let blocking = steps.filter(|(location, _)| location.transitions.iter().map(action).all(waits));
    blocking.filter_map(|(_, step)| step).min().unwrap_or(1)
}

impl Decomposed for Active {
    type Part = Activity;

    fn part<R: ReadSet>(&self, view: &StateView<'_>, pid: usize, reads: &mut R) -> Activity {
        reads.read(view.location_bytes(pid));
        let location = view.current_location(pid);
        let proctype = view.proctype(pid);
        let mut activity =
            Activity { step: self.steps[proctype.index()], pending: location.pending, ..Activity::default() };
        if view.is_held(pid, reads) {
            return activity;
        }
        let automaton = &view.model().proctype(proctype).automaton;
        for transition in &location.transitions {
            self.inspect(view, pid, &automaton.statement(transition.statement).action, reads, &mut activity);
            if activity.alone && !self.channels {
                break;
            }
        }
        activity
    }

    fn estimate(&self, _: &StateView<'_>, parts: impl Iterator<Item = Activity> + Clone, _: Cost) -> Option<Estimated> {
        let exchanges = if self.rendezvous { Exchanges::of(parts.clone()) } else { Exchanges::default() };
        let (mut distance, mut next, mut active) = (0, Exchange::default(), [false; MOST_PROCESSES]);
        for (activity, active) in parts.clone().zip(&mut active) {
            *active = activity.is_active(&exchanges);
            distance += activity.pending + if *active { activity.step } else { 0 };
            if *active && self.channels {
                next = next.with(activity.exchange, |all, own| all | own);
            }
        }
        let mut tie = 0;
        if self.channels {
            let blocked = parts.zip(active).filter(|(_, active)| !active);
            tie = blocked.map(|(blocked, _)| blocked.exchange.fitting(next)).sum();
        }
        Some(Estimated { h: distance, tie })
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Guess
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incremental::Incremental;
    use crate::testing::{at_start, model};

    fn active(text: &str) -> Option<Cost> {
        let model = model(text);
        at_start(&model, Incremental::new(&model, Active::of(&model)))
    }

    #[test]
    fn counts_who_can_move() {
        assert_eq!(active("bool b; active [3] proctype P() { b == (_pid == 1) -> skip }"), Some(2));
        assert_eq!(active("bool b; active [3] proctype P() { if :: b :: else fi }"), Some(3));
        assert_eq!(active("bool b; active [2] proctype P() { b }"), Some(0));
        assert_eq!(active("chan q = [1] of {byte}; active proctype P() { q!1 } active proctype R() { q?1 }"), Some(1));
        assert_eq!(active("bool b; active proctype P() provided (b) { skip } active proctype R() { skip }"), Some(1));
    }

    #[test]
    fn a_step_counts_its_statements() {
        let text = "bool b; active proctype P() { end: do :: atomic { !b -> b = 1; b = 1 } od }";
        assert_eq!(active(text), Some(3));
    }

    #[test]
    fn a_rendezvous_takes_two() {
        let with = |receive: &str| {
            active(&format!(
                "chan q = [0] of {{byte}}; chan r = [0] of {{byte}}; byte x;
                 active proctype P() {{ q!3 }} active proctype R() {{ {receive} }}"
            ))
        };
        assert_eq!(with("q?x"), Some(2));
        assert_eq!(with("q?3"), Some(2));
        assert_eq!(with("q?4"), Some(0));
        assert_eq!(with("r?x"), Some(0));
        assert_eq!(with("d_step { q?x; x = 0 }"), Some(2));
    }
}
