//! Collects the causes of an error from the data flow of a run.

use std::collections::{BTreeSet, HashSet};

use homing_engine::{Part, Player};
use homing_report::DefinitionId;

use super::cause::{Cause, CauseKind, Writer};
use super::data_flow::{DataFlow, Object};
use super::stale::{Passed, StaleTest};

/// How deep causes are followed: the first of these depths at which they are not too many.
const DEPTHS: [usize; 3] = [24, 16, 10];

/// How many causes are collected.
const MOST_CAUSES: usize = 300;

/// How many writers of a counter are listed.
const MOST_WRITERS: usize = 6;

/// Collects causes.
pub(super) struct Tracer<'a, 'e, 'm> {
    pub flow: DataFlow,
    player: &'a Player<'e, 'm>,
    /// The definitions that are among the causes.
    seen: HashSet<DefinitionId>,
    pub steps: BTreeSet<usize>,
    count: usize,
    /// How deep causes are followed.
    deepest: usize,
    /// The guards after which values were written, each with the write.
    relied_on: Vec<(DefinitionId, usize)>,
}

impl<'a, 'e, 'm> Tracer<'a, 'e, 'm> {
    pub fn new(flow: DataFlow, player: &'a Player<'e, 'm>) -> Self {
        let (seen, steps, relied_on) = (HashSet::new(), BTreeSet::new(), Vec::new());
        Tracer { flow, player, seen, steps, count: 0, deepest: DEPTHS[0], relied_on }
    }

    /// Collects causes as deep as their number allows.
    pub fn deepest<T>(&mut self, collect: impl Fn(&mut Self) -> T) -> T {
        for depth in DEPTHS {
            (self.deepest, self.count) = (depth, 0);
            self.seen.clear();
            self.steps.clear();
            self.relied_on.clear();
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
    pub fn part(&mut self, part: &Part) -> Cause {
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
            causes.extend(self.guard(definition.guard, depth, step));
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
        causes.extend(self.guard(definition.guard, depth, definition.step));
        causes
    }

    /// The nearest guard that has to do with other processes, before a write if it is one that relied on it.
    pub fn guard(&mut self, mut guard: Option<DefinitionId>, depth: usize, write: Option<usize>) -> Option<Cause> {
        while let Some(id) = guard {
            if self.flow.is_shared(id) {
                self.relied_on.extend(write.map(|write| (id, write)));
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

    /// The test that explains most: of the process that failed one of what the condition reads, else one before a write that the
    /// condition depends on. Tests of what the condition reads, not repeated since, belong to the steps that matter.
    pub fn stale(&mut self, parts: &[Part]) -> Option<StaleTest> {
        let failed_at = self.flow.statements.len();
        let pid = self.flow.statements.last()?.pid;
        let read = self.read_by(parts);
        let is_read = |passed: &&Passed| passed.read.iter().any(|object| read.contains(object));
        let own: Vec<(&Passed, usize)> =
            self.flow.tests.of(pid).filter(is_read).map(|passed| (passed, failed_at)).collect();
        let mut relied_on: Vec<(&Passed, usize)> =
            self.relied_on.iter().filter_map(|&(guard, write)| Some((self.flow.tests.get(guard)?, write))).collect();
        relied_on.sort_by_key(|(passed, _)| passed.test.executed.pid != pid);
        let found = own.iter().chain(&relied_on).find(|(passed, used)| passed.is_stale_at(*used));
        let stale = found.and_then(|(passed, used)| self.stale_test(passed, *used));
        let tested: Vec<usize> = own.iter().map(|(passed, _)| passed.step).collect();
        let falsified = found.and_then(|(passed, _)| passed.falsified.map(|by| [passed.step, by]));
        self.steps.extend(tested.into_iter().chain(falsified.into_iter().flatten()));
        stale
    }

    /// What parts of a condition read, and what their values were computed from.
    fn read_by(&mut self, parts: &[Part]) -> HashSet<Object> {
        let mut open: Vec<DefinitionId> = Vec::new();
        for part in parts {
            part.for_each(&mut |part| {
                open.extend(part.source.into_iter().flat_map(|source| self.flow.current(self.player, source)));
            });
        }
        let (mut seen, mut read) = (HashSet::new(), HashSet::new());
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                let definition = self.flow.graph.get(id);
                read.insert(definition.object);
                open.extend(&definition.from);
            }
        }
        read
    }

    /// A test with the statement that made it obsolete and what that wrote.
    fn stale_test(&self, passed: &Passed, used: usize) -> Option<StaleTest> {
        let (test, by) = (&passed.test, passed.falsified?);
        let graph = &self.flow.graph;
        let written_then = |object: &Object| {
            let mut at = graph.known(object);
            while let Some(id) = at {
                let definition = graph.get(id);
                if definition.step == Some(by) && matches!(object, Object::Cell(..)) {
                    let (name, value) = self.label(id);
                    return Some(format!("{name} = {value}"));
                }
                at = definition.previous;
            }
            None
        };
        Some(StaleTest {
            process: self.player.engine().actor(test.executed),
            conditions: self.player.texts_of(test),
            held: test.held(),
            tested: self.flow.shown[passed.step - 1],
            by: Writer::of(&self.flow, self.player, by),
            wrote: passed.read.iter().filter_map(written_then).collect(),
            used: self.flow.shown[used - 1],
        })
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
