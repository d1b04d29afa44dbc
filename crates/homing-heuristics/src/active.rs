//! The number of active processes, H_ap (paper 1, §4, "Active Processes"): in a deadlock all are blocked.
//!
//! A process counts if it can execute a statement; a half of a rendezvous can be executed when its partner is there, so
//! both halves count. A guess: one statement can block many processes. In a model that is not reduced it is 0 where nobody can
//! move, and where all wait for a `timeout`.
//!
//! Differs from the paper: an active process counts as many statements as the shortest step of its type that can be blocked,
//! not 1. In the paper a run through an atomic sequence is one transition; here paths are as long as their
//! statements, and philosophers who take a fork by two would seem to get away from the deadlock with each fork. (To count the
//! statements of its own next step was tried: it lures a greedy search to where steps are short.) What a process has absorbed
//! and not paid for counts as well, blocked or not: an invalid end state pays for it.
//!
//! Of states with as many active processes those are better in which fewer of the blocked ones wait for a message that an
//! active one is about to send, or for room that it is about to make: they will be woken.

use homing_core::{Cost, Estimated, Guarantee};
use homing_ir::{Action, ArgPattern, Automaton, Expr, Model, Transition};

use crate::distance::of_steps;
use crate::executable::{Scene, guards, never_blocks};
use crate::notes::{Notes, channel_of};
use crate::parts::Parts;

pub struct Active {
    /// What an active process counts, by type.
    steps: Vec<Cost>,
    /// The model has channels, and rendezvous channels.
    channels: bool,
    meetings: bool,
}

/// What is known of a process by itself.
#[derive(Clone, Copy, Default)]
pub struct Seen {
    /// What it counts when it is active.
    step: Cost,
    pending: Cost,
    /// It can move without a partner.
    alone: bool,
    /// It could move with a partner.
    meets: bool,
    /// What it would send and receive.
    exchange: Exchange,
}

/// Messages that a process would send and receive.
#[derive(Clone, Copy, Default)]
struct Exchange {
    sends: Messages,
    receives: Messages,
}

/// A bit for a message in a channel. One of many channels, or of many messages, may share it: a guess as good as any.
#[derive(Clone, Copy, Default)]
struct Messages([u64; 4]);

/// How a message is known beforehand.
#[derive(Clone, Copy)]
enum Message {
    Constant(i32),
    Unknown,
}

impl Messages {
    const BY_CHANNEL: u32 = 8;
    /// The bits of a channel that stand for no constant: what is received may be anything, what is sent is not known.
    const ANY: i32 = 7;
    const NOT_KNOWN: i32 = 6;

    fn put(&mut self, channel: i32, message: i32) {
        let at = (channel as u32).wrapping_mul(Self::BY_CHANNEL).wrapping_add(message as u32 % Self::BY_CHANNEL) % 256;
        self.0[at as usize / 64] |= 1 << (at % 64);
    }

    fn with(self, other: Messages, join: impl Fn(u64, u64) -> u64) -> Messages {
        let mut joined = self;
        joined.0.iter_mut().zip(other.0).for_each(|(bits, others)| *bits = join(*bits, others));
        joined
    }

    fn meet(self, other: Messages) -> bool {
        self.0.iter().zip(other.0).fold(0, |all, (bits, others)| all | bits & others) != 0
    }

    fn common(self, other: Messages) -> u32 {
        if !self.meet(other) {
            return 0; // as a rule, and counting bits takes longer
        }
        self.0.iter().zip(other.0).map(|(bits, others)| (bits & others).count_ones()).sum()
    }
}

impl Exchange {
    /// Two messages fit if they have a bit in common: their constants are the same, or one of them is not known.
    fn send(&mut self, channel: i32, message: Message) {
        self.sends.put(channel, Messages::ANY);
        self.sends.put(channel, if let Message::Constant(value) = message { value } else { Messages::NOT_KNOWN });
    }

    fn receive(&mut self, channel: i32, message: Message) {
        match message {
            Message::Constant(value) => {
                self.receives.put(channel, value);
                self.receives.put(channel, Messages::NOT_KNOWN);
            }
            Message::Unknown => self.receives.put(channel, Messages::ANY),
        }
    }

    fn fits(self, other: Exchange) -> bool {
        self.sends.meet(other.receives) || self.receives.meet(other.sends)
    }

    fn fitting(self, other: Exchange) -> u32 {
        self.sends.common(other.receives) + self.receives.common(other.sends)
    }

    fn with(self, other: Exchange, join: impl Fn(u64, u64) -> u64) -> Exchange {
        Exchange { sends: self.sends.with(other.sends, &join), receives: self.receives.with(other.receives, &join) }
    }
}

/// What others than one process would exchange.
#[derive(Clone, Copy, Default)]
struct Others {
    all: Exchange,
    /// What more than one would.
    several: Exchange,
}

impl Others {
    fn of(values: impl Iterator<Item = Seen>) -> Self {
        values.fold(Others::default(), |Others { all, several }, Seen { exchange, .. }| Others {
            several: several.with(all.with(exchange, |all, own| all & own), |several, twice| several | twice),
            all: all.with(exchange, |all, own| all | own),
        })
    }

    fn but(&self, own: Exchange) -> Exchange {
        self.all.with(own, |all, own| all & !own).with(self.several, |others, several| others | several)
    }
}

impl Seen {
    fn is_active(self, others: &Others) -> bool {
        self.alone || self.meets && self.exchange.fits(others.but(self.exchange))
    }
}

impl Active {
    pub fn of(model: &Model) -> Self {
        let steps = model.proctypes.iter().map(|proctype| least_step(&proctype.automaton)).collect();
        let channels = !model.shapes.is_empty();
        let meetings = model.shapes.iter().any(|shape| shape.capacity == 0);
        Active { steps, channels, meetings }
    }

    /// Notes what a statement would exchange, and whether it can be executed without a partner.
    fn look<N: Notes>(&self, scene: &Scene<'_>, pid: usize, action: &Action, notes: &mut N, seen: &mut Seen) {
        let channel = match action {
            Action::Send { channel, .. } | Action::Receive { channel, .. } if self.channels => channel,
            Action::DStep(_) if self.channels && !never_blocks(action) => {
                return guards(action).for_each(|guard| self.look(scene, pid, guard, notes, seen));
            }
            _ => {
                seen.alone = seen.alone || scene.can(pid, action, notes);
                return;
            }
        };
        let Some((id, found)) = channel_of(scene, pid, channel, notes) else {
            seen.alone = true; // to fail is to move
            return;
        };
        let constant = |expr: &Expr| expr.as_constant().map_or(Message::Unknown, Message::Constant);
        match action {
            Action::Send { args, .. } => seen.exchange.send(id, args.first().map_or(Message::Unknown, constant)),
            Action::Receive { args, .. } => {
                let first = match args.first() {
                    Some(ArgPattern::Match { value, .. }) => constant(value),
                    _ => Message::Unknown,
                };
                seen.exchange.receive(id, first);
            }
            _ => {}
        }
        if found.capacity == 0 {
            seen.meets = true;
        } else {
            seen.alone = seen.alone || scene.can_pass(pid, action, (id, &found), notes);
        }
    }
}

/// There are never more.
const MOST_PROCESSES: usize = 256;

/// The least number of statements of a step that begins where a process can be blocked.
fn least_step(automaton: &Automaton) -> Cost {
    let action = |transition: &Transition| &automaton.statement(transition.statement).action;
    let waits = |action: &Action| !never_blocks(action) && !matches!(action, Action::End);
    let steps = automaton.locations.iter().zip(of_steps(automaton));
    let blocking = steps.filter(|(location, _)| location.transitions.iter().map(action).all(waits));
    blocking.filter_map(|(_, step)| step).min().unwrap_or(1)
}

impl Parts for Active {
    type Value = Seen;

    fn value<N: Notes>(&self, scene: &Scene<'_>, pid: usize, notes: &mut N) -> Seen {
        notes.read(scene.location_bytes(pid));
        let standing = scene.current_location(pid);
        let proctype = scene.proctype(pid);
        let mut seen = Seen { step: self.steps[proctype.index()], pending: standing.pending, ..Seen::default() };
        if scene.is_kept(pid, notes) {
            return seen;
        }
        let automaton = &scene.model().proctype(proctype).automaton;
        for transition in &standing.transitions {
            self.look(scene, pid, &automaton.statement(transition.statement).action, notes, &mut seen);
            if seen.alone && !self.channels {
                break;
            }
        }
        seen
    }

    fn whole(&self, _: &Scene<'_>, values: impl Iterator<Item = Seen> + Clone, _: Cost) -> Option<Estimated> {
        let others = if self.meetings { Others::of(values.clone()) } else { Others::default() };
        let (mut distance, mut next, mut active) = (0, Exchange::default(), [false; MOST_PROCESSES]);
        for (seen, active) in values.clone().zip(&mut active) {
            *active = seen.is_active(&others);
            distance += seen.pending + if *active { seen.step } else { 0 };
            if *active && self.channels {
                next = next.with(seen.exchange, |all, own| all | own);
            }
        }
        let mut tie = 0;
        if self.channels {
            let blocked = values.zip(active).filter(|(_, active)| !active);
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
    use crate::parts::ByParts;
    use crate::testing::{at_start, model};

    fn active(text: &str) -> Option<Cost> {
        let model = model(text);
        at_start(&model, ByParts::new(&model, Active::of(&model)))
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
