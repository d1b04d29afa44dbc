//! The data flow of a run: which step wrote what, from what, and through which messages it passed.

use std::collections::{HashMap, HashSet};

use homing_engine::{CellRef, Effect, Executed, Part, Player, Source};
use homing_ir::{Location, Model, ProctypeId};
use homing_report::{Definition, DefinitionId, DependenceGraph};

use super::play::PlayedStep;
use super::stale::Tests;

/// What a definition of a run gives a value to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Object {
    /// A variable or an element, with the type of the process that it belongs to.
    Cell(CellRef, Option<ProctypeId>),
    /// A field of a message on its way through a channel.
    Message { channel: i32, field: u32 },
    /// Which messages a channel holds.
    Contents(i32),
    /// Where a process stands.
    Location(u8),
    /// Which processes there are.
    Processes,
    /// A condition that a process passed, or a message that it waited for.
    Guard(u8),
}

/// The data flow of a run that is being played.
#[derive(Default)]
pub(super) struct DataFlow {
    pub graph: DependenceGraph<Object>,
    /// By channel: its messages, each by field.
    queues: HashMap<i32, Vec<Vec<DefinitionId>>>,
    /// The last guard that each process passed.
    guards: HashMap<u8, DefinitionId>,
    /// By number, from 1: index 0 is the first step.
    pub statements: Vec<Executed>,
    /// By number, too: the numbers that are shown.
    pub shown: Vec<usize>,
    /// The part of the last step that failed.
    pub failed: Option<Part>,
    /// By channel: the processes that last put a message into it, and took one out.
    pub last_sender: HashMap<i32, u8>,
    pub last_receiver: HashMap<i32, u8>,
    /// The processes, by number, and the channels to which each of them has sent.
    sent: HashSet<(u8, i32)>,
    /// The processes that have terminated.
    pub ended: Vec<Ended>,
    /// The tests that the guards were.
    pub tests: Tests,
}

/// A process that has terminated.
pub(super) struct Ended {
    pub proctype: ProctypeId,
    /// The statement that ended it.
    pub step: usize,
    /// The last guard that it passed.
    pub guard: Option<DefinitionId>,
    /// The channels to which it has sent.
    pub sent: HashSet<i32>,
}

/// A step while it is taken note of.
struct Seen<'a, 'e, 'm> {
    player: &'a Player<'e, 'm>,
    /// The number of its last statement.
    number: usize,
    /// The process of its last statement.
    pid: u8,
    /// The message that is being received, by field.
    message: Vec<DefinitionId>,
}

/// Whether an edge of a network leads back to its own location: what asks where the process stands depends on an earlier one.
fn is_self_loop(model: &Model, Executed { proctype, statement, .. }: Executed) -> bool {
    let locations = &model.proctype(proctype).automaton.locations;
    let leads_to = |location: &Location, at: usize| {
        location.transitions.iter().any(|taken| taken.statement == statement && taken.target as usize == at)
    };
    model.features.network && locations.iter().enumerate().any(|(at, location)| leads_to(location, at))
}

impl DataFlow {
    /// Takes note of a step; `player` is in the state after it.
    pub fn see(&mut self, player: &Player<'_, '_>, step: &PlayedStep<'_>) {
        self.failed = None;
        let statements = step.statements();
        let Some(last) = statements.last() else { return };
        self.statements.truncate(step.number - 1);
        self.statements.extend(statements);
        self.shown.truncate(step.number - 1);
        self.shown.extend((0..statements.len()).map(|at| step.shown_number(at)));
        let number = step.number + statements.len() - 1;
        let mut seen = Seen { player, number, pid: last.pid, message: Vec::new() };
        let mut passed: Vec<(u8, usize, Vec<DefinitionId>)> = Vec::new();
        for (at, sources) in player.guard_sources(step.taken).into_iter().enumerate().take(statements.len()) {
            let from = self.resolve(&seen, &sources);
            passed.push((statements[at].pid, step.number + at, from));
        }
        for effect in &step.happened.effects {
            self.note(&mut seen, effect, step.number);
        }
        if !seen.message.is_empty() {
            passed.push((last.pid, number, seen.message));
        }
        let arrives = |executed: &Executed| !is_self_loop(player.engine().model(), *executed);
        for (at, executed) in statements.iter().enumerate().filter(|(_, executed)| arrives(executed)) {
            let object = Object::Location(executed.pid);
            self.define(object, step.number + at, 0, Vec::new(), executed.pid);
        }
        let movers: Vec<u8> = statements.iter().map(|executed| executed.pid).collect();
        let graph = &self.graph;
        let wrote = |object: &Object| {
            graph.known(object).is_some_and(|id| graph.get(id).step.is_some_and(|by| by >= step.number))
        };
        self.tests.judge(player, (&movers, step.number, number), wrote);
        for (pid, number, from) in passed.into_iter().filter(|(_, _, from)| !from.is_empty()) {
            self.pass(player, step, (pid, number, from));
        }
    }

    /// Takes note of a guard that a process passed.
    fn pass(
        &mut self,
        player: &Player<'_, '_>,
        step: &PlayedStep<'_>,
        (pid, number, from): (u8, usize, Vec<DefinitionId>),
    ) {
        let guard = self.guards.get(&pid).copied();
        let read = from.iter().map(|id| self.graph.get(*id).object).collect();
        let (object, value, previous) = (Object::Guard(pid), 0, None);
        let guard = self.graph.add(Definition { object, step: Some(number), value, from, guard, previous });
        self.guards.insert(pid, guard);
        if let Some(test) = player.test(step.taken, number - step.number) {
            self.tests.pass(guard, test, number, read);
        }
    }

    fn note(&mut self, seen: &mut Seen<'_, '_, '_>, effect: &Effect, first: usize) {
        match effect {
            Effect::Wrote { target, before, kept, from, .. } => {
                let object = self.cell(seen.player, *target);
                self.graph.current(&object, *before);
                let from = self.resolve(seen, from);
                self.define(object, seen.number, *kept, from, seen.pid);
            }
            Effect::Sent { channel, slot, kept, from, .. } => {
                let message = self.message(seen, *channel, kept, from, (seen.pid, seen.number));
                let queue = self.queues.entry(*channel).or_default();
                queue.insert((*slot as usize).min(queue.len()), message);
                self.define(Object::Contents(*channel), seen.number, 1, Vec::new(), seen.pid);
                self.last_sender.insert(*channel, seen.pid);
                self.sent.insert((seen.pid, *channel));
            }
            Effect::Received { channel, slot, stays, .. } => {
                let queue = self.queues.entry(*channel).or_default();
                if let Some(message) = queue.get(*slot as usize) {
                    seen.message.clone_from(message);
                    if !stays {
                        queue.remove(*slot as usize);
                    }
                }
                self.define(Object::Contents(*channel), seen.number, -1, Vec::new(), seen.pid);
                self.last_receiver.insert(*channel, seen.pid);
            }
            Effect::Handed { channel, message, from, to } => {
                let sender = self.statements[first - 1].pid;
                seen.message = self.message(seen, *channel, message, from, (sender, first));
                self.last_sender.insert(*channel, sender);
                self.sent.insert((sender, *channel));
                self.last_receiver.insert(*channel, *to);
            }
            Effect::Started(pid) => {
                self.forget_process(*pid);
                if let Some(guard) = self.guards.get(&seen.pid) {
                    self.guards.insert(*pid, *guard);
                }
                self.define(Object::Processes, seen.number, 1, Vec::new(), seen.pid);
            }
            Effect::Ended(pid) => {
                let proctype = self.statements[seen.number - 1].proctype;
                self.ended.push(Ended {
                    proctype,
                    step: seen.number,
                    guard: self.last_guard(*pid),
                    sent: self.sent_by(*pid),
                });
                self.forget_process(*pid);
                let count = seen.player.channels() as i32;
                self.queues.retain(|channel, _| *channel <= count);
                self.graph.forget(|object| matches!(object, Object::Contents(channel) if *channel > count));
                self.define(Object::Processes, seen.number, -1, Vec::new(), seen.pid);
            }
            Effect::Failed(part) => self.failed = Some(part.clone()),
            Effect::Taken(at) => {
                seen.number = first + *at as usize;
                seen.pid = self.statements.get(seen.number - 1).map_or(seen.pid, |executed| executed.pid);
            }
            Effect::Printed(_) | Effect::Signalled { .. } => {}
        }
    }

    /// The last guard that a process passed.
    pub fn last_guard(&self, pid: u8) -> Option<DefinitionId> {
        self.guards.get(&pid).copied()
    }

    /// The channels to which a process has sent.
    pub fn sent_by(&self, pid: u8) -> HashSet<i32> {
        self.sent.iter().filter(|(by, _)| *by == pid).map(|(_, channel)| *channel).collect()
    }

    fn forget_process(&mut self, pid: u8) {
        self.guards.remove(&pid);
        self.tests.forget(pid);
        self.sent.retain(|(by, _)| *by != pid);
        self.graph.forget(|object| match object {
            Object::Cell(cell, _) => cell.owner == Some(pid),
            Object::Location(of) => *of == pid,
            _ => false,
        });
    }

    fn define(&mut self, object: Object, step: usize, value: i32, from: Vec<DefinitionId>, by: u8) -> DefinitionId {
        let guard = self.guards.get(&by).copied();
        self.graph.define(Definition { object, step: Some(step), value, from, guard, previous: None })
    }

    /// The definitions of the fields of a message that `by` sends.
    fn message(
        &mut self,
        seen: &Seen<'_, '_, '_>,
        channel: i32,
        values: &[i32],
        from: &[Vec<Source>],
        (by, step): (u8, usize),
    ) -> Vec<DefinitionId> {
        let guard = self.guards.get(&by).copied();
        let mut fields = Vec::with_capacity(values.len());
        for (field, value) in values.iter().enumerate() {
            let from = from.get(field).map(|sources| self.resolve(seen, sources)).unwrap_or_default();
            let object = Object::Message { channel, field: field as u32 };
            let definition = Definition { object, step: Some(step), value: *value, from, guard, previous: None };
            fields.push(self.graph.add(definition));
        }
        fields
    }

    fn cell(&self, player: &Player<'_, '_>, cell: CellRef) -> Object {
        Object::Cell(cell, cell.owner.and_then(|pid| player.proctype_of(pid)))
    }

    fn resolve(&mut self, seen: &Seen<'_, '_, '_>, sources: &[Source]) -> Vec<DefinitionId> {
        let mut found = Vec::new();
        for source in sources {
            match source {
                Source::Field(field) => found.extend(seen.message.get(*field as usize)),
                _ => found.extend(self.current(seen.player, *source)),
            }
        }
        found.dedup();
        found
    }

    /// The current definitions of what an expression reads; of a channel, the messages in it.
    pub fn current(&mut self, player: &Player<'_, '_>, source: Source) -> Vec<DefinitionId> {
        let object = match source {
            Source::Cell(cell) => {
                let value = player.cell_value(cell).unwrap_or_default();
                return vec![self.graph.current(&self.cell(player, cell), value)];
            }
            Source::Queue(channel) => match self.queues.get(&channel) {
                Some(queue) if !queue.is_empty() => {
                    return queue.iter().filter_map(|message| message.first().copied()).collect();
                }
                _ => Object::Contents(channel),
            },
            Source::Location(pid) => Object::Location(pid),
            Source::Processes => Object::Processes,
            Source::Field(_) => return Vec::new(),
        };
        self.graph.known(&object).into_iter().collect()
    }

    /// Whether a guard has to do with other processes: it reads a global, a message, or something computed from them.
    pub fn is_shared(&self, guard: DefinitionId) -> bool {
        let mut open = vec![guard];
        let mut seen = HashSet::new();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let definition = self.graph.get(id);
            let shared = match definition.object {
                Object::Cell(cell, _) => cell.owner.is_none(),
                Object::Message { .. } | Object::Contents(_) | Object::Location(_) | Object::Processes => true,
                Object::Guard(_) => false,
            };
            if shared {
                return true;
            }
            open.extend(&definition.from);
        }
        false
    }
}
