//! The cause of an error: what the condition that failed was computed from, back to the statements that wrote it, or what
//! each process waits for.

use std::collections::{BTreeSet, HashSet};

use homing_core::{Violation, ViolationKind};
use homing_engine::{Part, Player, Waiting};
use homing_report::DefinitionId;

use super::data_flow::{DataFlow, Object};
use super::deadlock::{Deadlock, deadlock};
use super::play::PlayedStep;

/// The cause of an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Why {
    /// The condition that failed, and where its values come from.
    pub causes: Vec<Cause>,
    /// What each process waits for, if no process can move.
    pub deadlock: Deadlock,
    /// The steps that the error depends on, by number.
    pub steps: BTreeSet<usize>,
}

/// Something that an error depends on, with what it depends on itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// What it is.
    pub kind: CauseKind,
    /// Its text: an expression, a variable, or a channel.
    pub text: String,
    /// Its value; `None` if it has none.
    pub value: Option<String>,
    /// The statement that caused it; `None` for expressions and initial values.
    pub writer: Option<Writer>,
    /// What it depends on.
    pub causes: Vec<Cause>,
}

/// What a cause is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CauseKind {
    /// An expression that is computed from others.
    Expression,
    /// A variable, with the statement that wrote it.
    Variable,
    /// One of several statements that wrote a variable.
    Write,
    /// A write whose value was overwritten by a process that had not read it.
    Lost,
    /// A message, with the statement that sent it.
    Message,
    /// The contents of a channel, with the statement that changed them.
    Contents,
    /// Where a process stands, with the statement that brought it there.
    Location,
    /// A condition that a process passed, or a message that it received, before it wrote.
    Guard,
    /// A write by another process to what a guard had read: too late for that guard.
    Later,
}

impl CauseKind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            CauseKind::Expression => "expression",
            CauseKind::Variable => "variable",
            CauseKind::Write => "write",
            CauseKind::Lost => "lost",
            CauseKind::Message => "message",
            CauseKind::Contents => "contents",
            CauseKind::Location => "location",
            CauseKind::Guard => "guard",
            CauseKind::Later => "later",
        }
    }
}

/// A statement of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writer {
    /// Its number in the run, from 1.
    pub step: usize,
    /// The process that executed it.
    pub process: String,
    /// Its text.
    pub statement: String,
}

/// Follows the data of a run while it is played.
#[derive(Default)]
pub struct Witness {
    flow: DataFlow,
}

/// How deep causes are followed: the first of these depths at which they are not too many.
const DEPTHS: [usize; 3] = [24, 16, 10];

/// How many causes are collected.
const MOST_CAUSES: usize = 300;

/// How many writers of a counter are listed.
const MOST_WRITERS: usize = 6;

impl Witness {
    /// Takes note of a step of the run; `player` is in the state after it.
    pub fn see(&mut self, player: &Player<'_, '_>, step: &PlayedStep<'_>) {
        self.flow.see(player, step);
    }

    /// The cause of the error; `player` is at the end of the run.
    pub fn why(mut self, player: &Player<'_, '_>, error: Option<&Violation>) -> Why {
        let kind = error.map(|error| error.kind);
        let parts = match (kind, self.flow.failed.take()) {
            (Some(ViolationKind::InvalidEndState), _) => {
                return Why::of_deadlock(self.flow, player);
            }
            (Some(ViolationKind::Assertion | ViolationKind::RuntimeError), Some(part)) => vec![part],
            (Some(ViolationKind::Invariant | ViolationKind::RuntimeError), _) => player.broken_invariant_parts(),
            _ => return Why::default(),
        };
        let mut tracer = Tracer::new(self.flow, player);
        let mut causes: Vec<Cause> = tracer.deepest(|tracer| {
            tracer.steps.insert(tracer.flow.statements.len());
            parts.iter().map(|part| tracer.part(part)).collect()
        });
        // that a constant has its value explains nothing
        causes.retain(|cause| cause.kind != CauseKind::Expression || !cause.causes.is_empty());
        Why { causes, deadlock: Deadlock::default(), steps: tracer.steps }
    }
}

impl Why {
    /// The error depends on the steps that wrote what the blocked statements read, and on those that led to them.
    fn of_deadlock(flow: DataFlow, player: &Player<'_, '_>) -> Why {
        let mut deadlock = deadlock(&flow, player);
        let mut tracer = Tracer::new(flow, player);
        let causes = tracer.deepest(|tracer| {
            let mut causes = Vec::new();
            for wait in deadlock.waits.iter().filter(|wait| !wait.waiting.may_end) {
                let pid = wait.waiting.pid;
                let arrived = tracer.flow.graph.known(&Object::Location(pid));
                tracer.steps.extend(arrived.and_then(|id| tracer.flow.graph.get(id).step));
                causes.push((pid, tracer.guard(tracer.flow.last_guard(pid), 0)));
            }
            causes
        });
        for (pid, guard) in causes {
            deadlock.waits[usize::from(pid)].causes.extend(guard);
        }
        let mut steps = tracer.steps;
        let statements = deadlock.waits.iter().flat_map(|wait| &wait.statements);
        for waits_for in statements {
            steps.extend(waits_for.since.iter().map(|writer| writer.step));
            steps.extend(waits_for.missed.iter().filter_map(|missed| missed.after.as_ref()).map(|writer| writer.step));
        }
        Why { causes: Vec::new(), deadlock, steps }
    }

    /// What each process waits for, if no process can move.
    pub fn waiting(&self) -> impl Iterator<Item = &Waiting> {
        self.deadlock.waits.iter().map(|wait| &wait.waiting)
    }
}

/// Collects causes.
struct Tracer<'a, 'e, 'm> {
    flow: DataFlow,
    player: &'a Player<'e, 'm>,
    /// The definitions that are among the causes.
    seen: HashSet<DefinitionId>,
    steps: BTreeSet<usize>,
    count: usize,
    /// How deep causes are followed.
    deepest: usize,
}

impl<'a, 'e, 'm> Tracer<'a, 'e, 'm> {
    fn new(flow: DataFlow, player: &'a Player<'e, 'm>) -> Self {
        Tracer { flow, player, seen: HashSet::new(), steps: BTreeSet::new(), count: 0, deepest: DEPTHS[0] }
    }

    /// Collects causes as deep as their number allows.
    fn deepest<T>(&mut self, collect: impl Fn(&mut Self) -> T) -> T {
        for depth in DEPTHS {
            (self.deepest, self.count) = (depth, 0);
            self.seen.clear();
            self.steps.clear();
            let collected = collect(self);
            if self.count < MOST_CAUSES || DEPTHS.last() == Some(&depth) {
                return collected;
            }
        }
        unreachable!("the last depth is taken in any case")
    }
}

impl Tracer<'_, '_, '_> {
    /// An expression with the causes of its parts.
    fn part(&mut self, part: &Part) -> Cause {
        let mut causes = Vec::new();
        let mut only = None;
        if let Some(source) = part.source {
            let definitions = self.flow.current(self.player, source);
            for id in definitions {
                let cause = self.cause(id, 1);
                match self.flow.graph.get(id).object {
                    Object::Cell(..) | Object::Location(_) => only = cause,
                    _ => causes.extend(cause),
                }
            }
        }
        if let Some(cause) = only {
            // the expression is a variable: its own text, as it is written in the condition
            let mut cause = Cause { text: part.text.clone(), value: part.value.clone(), ..cause };
            let inside: Vec<Cause> = part.parts.iter().map(|part| self.part(part)).collect();
            cause.causes.extend(inside);
            return cause;
        }
        causes.extend(part.parts.iter().map(|part| self.part(part)));
        let (text, value) = (part.text.clone(), part.value.clone());
        Cause { kind: CauseKind::Expression, text, value, writer: None, causes }
    }

    /// The cause that a definition is; `None` if it is among the causes already, or if there are too many.
    fn cause(&mut self, id: DefinitionId, depth: usize) -> Option<Cause> {
        if depth > self.deepest || self.count >= MOST_CAUSES || !self.seen.insert(id) {
            return None;
        }
        self.count += 1;
        let definition = self.flow.graph.get(id).clone();
        let (value, step) = (definition.value, definition.step);
        let (kind, text, value) = match definition.object {
            Object::Cell(cell, proctype) => {
                let (text, value) = self.player.cell_label(cell, proctype, value);
                return Some(self.variable(id, text, value, depth));
            }
            Object::Message { channel, field } => {
                let value = self.player.field_text(channel, field, value);
                (CauseKind::Message, self.player.channel_label(channel), Some(value))
            }
            Object::Contents(channel) => (CauseKind::Contents, self.player.channel_label(channel), None),
            Object::Location(pid) => (CauseKind::Location, self.process(pid), None),
            Object::Processes => (CauseKind::Contents, "_nr_pr".to_owned(), None),
            Object::Guard(_) => (CauseKind::Guard, String::new(), None),
        };
        let writer = step.map(|step| self.writer(step));
        let mut causes: Vec<Cause> = Vec::new();
        for &from in &definition.from {
            causes.extend(self.cause(from, depth + 1));
            if kind == CauseKind::Guard {
                causes.extend(self.later(from, step));
            }
        }
        if kind != CauseKind::Guard {
            causes.extend(self.guard(definition.guard, depth));
        }
        Some(Cause { kind, text, value, writer, causes })
    }

    /// A variable: who wrote it, from what, and after which guard; of a counter all who counted.
    fn variable(&mut self, id: DefinitionId, text: String, value: String, depth: usize) -> Cause {
        let history = self.flow.graph.history(id);
        let lost = self.flow.graph.overwritten(id);
        let writes: Vec<DefinitionId> =
            history.iter().copied().filter(|write| self.flow.graph.get(*write).step.is_some()).collect();
        let left_out = writes.len().saturating_sub(MOST_WRITERS);
        self.seen.extend(&history);
        for write in &writes[..left_out] {
            self.steps.extend(self.flow.graph.get(*write).step);
        }
        let mut causes = Vec::new();
        for write in &writes[left_out..] {
            let step = self.flow.graph.get(*write).step.expect("kept because it has one");
            let (writer, inside) = (self.writer(step), self.causes_of_write(*write, depth));
            if writes.len() == 1 {
                causes = inside;
            } else {
                let (_, value) = self.label(*write);
                causes.push(Cause {
                    kind: CauseKind::Write,
                    text: text.clone(),
                    value: Some(value),
                    writer: Some(writer),
                    causes: inside,
                });
            }
        }
        let by =
            |flow: &DataFlow, write: DefinitionId| flow.graph.get(write).step.map(|step| flow.statements[step - 1].pid);
        let own = by(&self.flow, id);
        for write in lost {
            let Some(step) = self.flow.graph.get(write).step.filter(|_| by(&self.flow, write) != own) else { continue };
            let (_, value) = self.label(write);
            let writer = Some(self.writer(step));
            causes.push(Cause {
                kind: CauseKind::Lost,
                text: text.clone(),
                value: Some(value),
                writer,
                causes: Vec::new(),
            });
        }
        let writer = match writes[..] {
            [write] => self.flow.graph.get(write).step.map(|step| self.writer(step)),
            _ => None,
        };
        Cause { kind: CauseKind::Variable, text, value: Some(value), writer, causes }
    }

    /// What a write depends on: what its value was computed from, and the guard before it.
    fn causes_of_write(&mut self, write: DefinitionId, depth: usize) -> Vec<Cause> {
        let definition = self.flow.graph.get(write).clone();
        let mut causes = Vec::new();
        for from in definition.from {
            causes.extend(self.cause(from, depth + 1));
        }
        causes.extend(self.guard(definition.guard, depth));
        causes
    }

    /// The nearest guard that has to do with other processes.
    fn guard(&mut self, mut guard: Option<DefinitionId>, depth: usize) -> Option<Cause> {
        while let Some(id) = guard {
            if self.flow.is_shared(id) {
                return self.cause(id, depth + 2);
            }
            guard = self.flow.graph.get(id).guard;
        }
        None
    }

    /// The next write to a variable that a guard has read in this step, if it is of another process and changed the value.
    fn later(&mut self, read: DefinitionId, guard: Option<usize>) -> Option<Cause> {
        let (graph, statements) = (&self.flow.graph, &self.flow.statements);
        let write = graph.next(read)?;
        let (before, after) = (graph.get(read), graph.get(write));
        let (guard, step) = (guard?, after.step?);
        let is_race = step > guard && statements[step - 1].pid != statements[guard - 1].pid;
        if !is_race || after.value == before.value || !matches!(before.object, Object::Cell(..)) {
            return None;
        }
        let ((text, value), writer) = (self.label(write), Some(self.writer(step)));
        Some(Cause { kind: CauseKind::Later, text, value: Some(value), writer, causes: Vec::new() })
    }

    /// The name and the value of the variable that a definition gives a value to.
    fn label(&self, id: DefinitionId) -> (String, String) {
        let definition = self.flow.graph.get(id);
        match definition.object {
            Object::Cell(cell, proctype) => self.player.cell_label(cell, proctype, definition.value),
            _ => (String::new(), definition.value.to_string()),
        }
    }

    fn process(&self, pid: u8) -> String {
        match self.player.proctype_of(pid) {
            Some(_) => self.player.process_name(pid as usize),
            None => format!("process {pid}"),
        }
    }

    fn writer(&mut self, step: usize) -> Writer {
        self.steps.insert(step);
        Writer::of(&self.flow, self.player, step)
    }
}

impl Writer {
    pub(super) fn of(flow: &DataFlow, player: &Player<'_, '_>, step: usize) -> Self {
        let (executed, engine) = (flow.statements[step - 1], player.engine());
        Writer {
            step: flow.shown[step - 1],
            process: engine.actor(executed),
            statement: engine.statement_text(executed),
        }
    }
}
