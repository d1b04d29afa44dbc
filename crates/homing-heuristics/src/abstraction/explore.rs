//! Finds the values that cells can have, and the labels of all steps: every statement is executed on all combinations of values
//! that are known, until no new value is found (a Cartesian reachability analysis).
//!
//! A cell that makes this too large is not tracked, and all begins anew.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use homing_core::{Cost, StopToken};
use homing_ir::{Expr, Model};

use super::choices::Choices;
use super::evaluate::may_fail;
use super::processes::Processes;
use super::space::{CellId, Kind, Space};
use super::steps::{Task, Way, receives, sends};
use super::trial::{Draft, Stopped, Trial};

/// The most executions of one task.
const MOST_EXECUTIONS: u32 = 10_000;

/// The most values that are looked at before a cell is given up.
const MOST_WORK: u64 = 1_000_000;

/// The most labels.
const MOST_LABELS: usize = 100_000;

/// What counts as an error.
#[derive(Clone, Debug, Default)]
pub struct Errors<'m> {
    pub assertions: bool,
    pub faults: bool,
    pub deadlocks: bool,
    /// Conditions whose violation is one.
    pub conditions: Vec<&'m Expr>,
}

/// A process that is blocked.
#[derive(Clone, Debug)]
pub struct BlockedProcess {
    pub pid: usize,
    /// The number of its location in the domain.
    pub at: u32,
    /// Where it stands is no valid end.
    pub is_invalid: bool,
    pub label: Draft,
}

/// The labels of a model.
#[derive(Debug)]
pub struct Explored<'m> {
    pub space: Space<'m>,
    pub steps: Vec<Draft>,
    pub failures: Vec<Draft>,
    pub blocked: Vec<BlockedProcess>,
    /// By condition.
    pub violated: Vec<Vec<Draft>>,
}

/// What ends an exploration early.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'a> {
    pub stop: &'a StopToken,
    pub deadline: Option<Instant>,
}

/// The executions between two looks at the clock.
const LOOK: u64 = 1024;

/// Explores a model; the reason if it has no factored form. `show` is called now and then with the number of executions.
pub fn explore<'m>(
    model: &'m Model,
    errors: &Errors<'m>,
    budget: Budget<'_>,
    show: &mut dyn FnMut(u64),
) -> Result<Explored<'m>, String> {
    refuse(model)?;
    let space = Space::of(model, Processes::of(model)?, errors.conditions.clone());
    let mut exploration = Exploration { space, errors, budget, show, executions: 0, known: HashMap::new() };
    let mut dropped = None;
    loop {
        exploration.space.restart_without(dropped);
        exploration.known.clear();
        match exploration.saturate().and_then(|()| exploration.labels()) {
            Ok((steps, failures, blocked, violated)) => {
                return Ok(Explored { space: exploration.space, steps, failures, blocked, violated });
            }
            Err(Stopped::Untracked(cell)) => dropped = Some(cell),
            Err(Stopped::Refused(reason)) => return Err(reason),
            Err(stopped) => unreachable!("{stopped:?} ends one execution only"),
        }
    }
}

/// Refuses models with something that no label can name.
fn refuse(model: &Model) -> Result<(), String> {
    let reason = if model.features.priorities {
        "it uses priorities"
    } else if model.monitor.is_some() {
        "it has a trace"
    } else if model.proctypes.iter().any(|proctype| proctype.deterministic) {
        "it has a D_proctype"
    } else {
        return Ok(());
    };
    Err(reason.to_owned())
}

type Labels = (Vec<Draft>, Vec<Draft>, Vec<BlockedProcess>, Vec<Vec<Draft>>);

/// What is shown how an execution ends.
type Emit<'e> = dyn FnMut(Result<Cost, (Stopped, Cost)>, Trial<'_, '_>) + 'e;

struct Exploration<'m, 'e> {
    space: Space<'m>,
    errors: &'e Errors<'m>,
    budget: Budget<'e>,
    show: &'e mut dyn FnMut(u64),
    executions: u64,
    /// For each task that was executed the cells that it read, with their versions.
    known: HashMap<Task, Vec<(CellId, u32)>>,
}

impl Exploration<'_, '_> {
    /// Executes the steps until no cell has a new value.
    fn saturate(&mut self) -> Result<(), Stopped> {
        loop {
            let before: u32 = self.space.cells.iter().map(|cell| cell.version).sum();
            for task in self.tasks() {
                let is_known = self
                    .known
                    .get(&task)
                    .is_some_and(|reads| reads.iter().all(|&(cell, version)| self.space.cell(cell).version == version));
                if !is_known {
                    let versions: Vec<u32> = self.space.cells.iter().map(|cell| cell.version).collect();
                    let reads = self.execute(task, &mut |_, _| ())?;
                    self.known.insert(task, reads.into_iter().map(|cell| (cell, versions[cell.index()])).collect());
                }
            }
            if self.space.cells.iter().map(|cell| cell.version).sum::<u32>() == before {
                return Ok(());
            }
        }
    }

    /// The steps of all processes at locations that they can reach.
    fn tasks(&mut self) -> Vec<Task> {
        self.space.reveal();
        let ways = self.ways();
        let mut tasks: Vec<Task> = ways.iter().map(|&way| Task::Step(way)).collect();
        let is_reception = |way: &Way| self.space.action(*way).signal().is_some_and(|one| !one.emits && one.broadcast);
        tasks.extend(ways.iter().copied().filter(is_reception).map(Task::Reception));
        let mut receivers: HashMap<Option<i32>, Vec<Way>> = HashMap::new();
        for &way in &ways {
            if !receives(self.space.action(way)) {
                continue;
            }
            receivers.entry(self.channel(way)).or_default().push(way);
        }
        let senders = ways.iter().copied().filter(|way| sends(self.space.action(*way)));
        for sender in senders.collect::<Vec<_>>() {
            let channel = self.channel(sender);
            let any = receivers.get(&None).into_iter().flatten();
            let matching: Vec<Way> = match channel {
                Some(_) => any.chain(receivers.get(&channel).into_iter().flatten()).copied().collect(),
                None => receivers.values().flatten().copied().collect(),
            };
            let mut others: Vec<Way> = matching.into_iter().filter(|way| way.pid != sender.pid).collect();
            others.sort_unstable();
            tasks.extend(others.into_iter().map(|receiver| Task::Pair(sender, receiver)));
        }
        tasks
    }

    fn ways(&self) -> Vec<Way> {
        let mut ways = Vec::new();
        for pid in 0..self.space.processes.len() {
            let automaton = &self.space.type_of(pid).automaton;
            for location in self.locations(pid) {
                let transitions = 0..automaton.location(location).transitions.len();
                ways.extend(transitions.map(|transition| Way { pid, location, transition }));
            }
        }
        ways
    }

    /// The locations that a process can reach.
    fn locations(&self, pid: usize) -> Vec<u32> {
        let domain = &self.space.cell(self.space.location(pid)).domain;
        domain.values().filter_map(|value| u32::try_from(value[0]).ok()).collect()
    }

    /// The invariants of locations whose evaluation can be a run-time error.
    fn constrained(&self) -> Vec<Task> {
        let mut tasks = Vec::new();
        for pid in 0..self.space.processes.len() {
            let automaton = &self.space.type_of(pid).automaton;
            let can_fail = |at: &u32| automaton.location(*at).invariant.as_ref().is_some_and(may_fail);
            tasks.extend(self.locations(pid).into_iter().filter(can_fail).map(|at| Task::Constrained(pid, at)));
        }
        tasks
    }

    /// The number of the channel of a send or receive, if it is the same in all states.
    fn channel(&mut self, way: Way) -> Option<i32> {
        let action = self.space.action(way);
        let channel = match action.signal() {
            Some(signal) => &signal.channel,
            None => action.synchronisation()?.channel,
        };
        let (mut choices, mut reads) = (Choices::default(), Vec::new());
        let mut trial = Trial::new(&mut self.space, &mut choices, &mut reads);
        trial.pid = way.pid;
        trial.constant(channel)
    }

    /// Executes a task in all ways. `emit` is shown how each ends. Returns the cells that were read.
    fn execute(&mut self, task: Task, emit: &mut Emit<'_>) -> Result<Vec<CellId>, Stopped> {
        let mut reads = Vec::new();
        let mut choices = Choices::default();
        self.space.reveal();
        loop {
            self.executions += 1;
            if self.budget.stop.is_set() || (self.executions.is_multiple_of(LOOK) && self.is_late()) {
                return Err(Stopped::Refused("there was no time for it".to_owned()));
            }
            let mut trial = Trial::new(&mut self.space, &mut choices, &mut reads);
            let ended = trial.run(task);
            match &ended {
                Err((stopped @ (Stopped::Untracked(_) | Stopped::Refused(_)), _)) => return Err(stopped.clone()),
                _ => emit(ended, trial),
            }
            if !choices.next() {
                return Ok(reads);
            }
            if choices.executions() > MOST_EXECUTIONS || self.space.work > MOST_WORK {
                let widest = Trial::widest(&self.space, &reads);
                return Err(widest.map_or_else(
                    || Stopped::Refused("a statement has too many cases".to_owned()),
                    Stopped::Untracked,
                ));
            }
        }
    }

    /// Shows how far the exploration has come. Returns whether its time is over.
    fn is_late(&mut self) -> bool {
        (self.show)(self.executions);
        self.budget.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The labels of all steps and errors.
    fn labels(&mut self) -> Result<Labels, Stopped> {
        let Errors { assertions, faults, deadlocks, .. } = *self.errors;
        let (mut steps, mut failures) = (Distinct::default(), Distinct::default());
        for task in self.tasks() {
            let mut is_full = false;
            self.execute(task, &mut |ended, trial| {
                match ended {
                    Ok(cost) => steps.add(trial.finish(cost)),
                    Err((Stopped::Assertion, cost)) if assertions => failures.add(trial.fail(cost)),
                    Err((Stopped::Fault, cost)) if faults => failures.add(trial.fail(cost)),
                    Err(_) => {}
                }
                is_full |= steps.labels.len() + failures.labels.len() > MOST_LABELS;
            })?;
            if is_full {
                return Err(self.too_many(&steps.labels));
            }
        }
        let mut violated = Vec::new();
        for condition in 0..self.errors.conditions.len() {
            let mut labels = Distinct::default();
            self.execute(Task::Violated(condition), &mut |ended, trial| match ended {
                Ok(cost) => labels.add(trial.fail(cost)),
                Err((Stopped::Fault, cost)) if faults => failures.add(trial.fail(cost)),
                Err(_) => {}
            })?;
            violated.push(labels.labels);
        }
        for task in self.constrained().into_iter().filter(|_| faults) {
            self.execute(task, &mut |ended, trial| {
                if let Err((Stopped::Fault, cost)) = ended {
                    failures.add(trial.fail(cost));
                }
            })?;
        }
        let mut blocked = Vec::new();
        for pid in (0..self.space.processes.len()).filter(|_| deadlocks) {
            for location in self.locations(pid) {
                let mut labels = Distinct::default();
                self.execute(Task::Blocked(pid, location), &mut |ended, trial| {
                    if let Ok(cost) = ended {
                        labels.add(trial.fail(cost));
                    }
                })?;
                let is_invalid = !self.space.type_of(pid).automaton.location(location).labels.end;
                let domain = &self.space.cell(self.space.location(pid)).domain;
                let at = domain.find(&[location as i32]).expect("it can be reached");
                let process = |label| BlockedProcess { pid, at, is_invalid, label };
                blocked.extend(labels.labels.into_iter().map(process));
            }
        }
        Ok((steps.labels, failures.labels, blocked, violated))
    }

    /// What is not tracked if there are too many labels: the widest cell of those that have most labels.
    fn too_many(&self, labels: &[Draft]) -> Stopped {
        let mut counts: HashMap<CellId, usize> = HashMap::new();
        for (id, _) in labels.iter().flat_map(|label| &label.relations) {
            if !matches!(self.space.cell(*id).kind, Kind::Location) {
                *counts.entry(*id).or_default() += 1;
            }
        }
        let widest = counts.into_iter().max_by_key(|&(id, count)| (count * self.space.cell(id).domain.len(), id));
        let refused = || Stopped::Refused("it has too many steps".to_owned());
        widest.map_or_else(refused, |(id, _)| Stopped::Untracked(id))
    }
}

/// Labels without duplicates.
#[derive(Default)]
struct Distinct {
    labels: Vec<Draft>,
    known: HashSet<Draft>,
}

impl Distinct {
    fn add(&mut self, label: Draft) {
        if self.known.insert(label.clone()) {
            self.labels.push(label);
        }
    }
}
