//! The processes that a model has: those that exist from the start, and those that one of them creates at its beginning.
//!
//! An abstraction has a factor for each process and each of its variables, so that the set of processes has to be known, and a pid
//! has to mean the same process for ever. A model without `run` is so. Otherwise the process that was started last has to create
//! all others in a prefix that always has the same effect: it is executed here, step by step.

use std::collections::HashSet;
use std::ops::ControlFlow;

use homing_core::{Selection, State, Target, TransitionSystem};
use homing_engine::{Interpreter, Reader};
use homing_ir::{Action, Automaton, Expr, InitValue, Model, ProctypeId, Scope, VarId};

/// Why the processes are not known.
type Reason = String;

/// The most steps of a prefix that are followed.
const LONGEST_PREFIX: usize = 10_000;

/// The processes of a model, by pid.
#[derive(Clone, Debug)]
pub struct Processes {
    /// Their types.
    pub types: Vec<ProctypeId>,
    /// How many of them exist from the start.
    pub started: usize,
    /// The initial state.
    pub initial: Box<State>,
    /// A state in which all exist, those that are created as they are at first.
    pub complete: Box<State>,
    /// The locations where the creating process stands before the last process is created.
    pub before: HashSet<u32>,
}

impl Processes {
    /// Finds the processes.
    pub fn of(model: &Model) -> Result<Self, Reason> {
        let engine = Interpreter::new(model).map_err(|_| "the model has no initial state".to_owned())?;
        let initial = engine.initial();
        let mut reader = Reader::new(model);
        reader.load(&initial);
        let types: Vec<ProctypeId> = (0..reader.processes()).map(|pid| reader.proctype(pid)).collect();
        let started = types.len();
        let creates = |id: &ProctypeId| model.proctype(*id).automaton.statements.iter().any(|one| creates(&one.action));
        let known = Processes { types, started, complete: initial.clone(), initial, before: HashSet::new() };
        let is_created = |id: u32| known.types.contains(&ProctypeId(id)) || creates_type(model, &known.types, id);
        let mut creators =
            (0..model.proctypes.len() as u32).filter(|&id| is_created(id)).map(ProctypeId).filter(creates);
        let Some(creator) = creators.next() else { return Ok(known) };
        if creators.next().is_some() || known.types.last() != Some(&creator) {
            return Err("processes are created by another process than the last one of the start".to_owned());
        }
        if known.types.iter().filter(|id| **id == creator).count() > 1 {
            return Err("processes are created by several processes".to_owned());
        }
        Prefix { model, engine: &engine, reader, known }.follow(creator)
    }

    /// The number of processes.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// The process that creates others, if one does.
    pub fn creator(&self) -> Option<usize> {
        (self.len() > self.started).then(|| self.started - 1)
    }
}

/// Whether an action creates a process.
fn creates(action: &Action) -> bool {
    let mut found = false;
    action.for_each_inside(&mut |inside| found |= matches!(inside, Action::Run { .. }));
    found
}

/// Whether one of the types creates processes of a type, or creates one that does.
fn creates_type(model: &Model, types: &[ProctypeId], id: u32) -> bool {
    let (mut open, mut seen) = (types.to_vec(), HashSet::new());
    while let Some(creator) = open.pop() {
        if !seen.insert(creator) {
            continue;
        }
        for statement in &model.proctype(creator).automaton.statements {
            statement.action.for_each_inside(&mut |inside| {
                if let Action::Run { proctype, .. } = inside {
                    open.push(*proctype);
                }
            });
        }
    }
    seen.contains(&ProctypeId(id)) && !types.contains(&ProctypeId(id))
}

/// The execution of the prefix in which a process creates others.
struct Prefix<'e, 'm> {
    model: &'m Model,
    engine: &'e Interpreter<'m>,
    reader: Reader<'m>,
    known: Processes,
}

impl Prefix<'_, '_> {
    fn follow(mut self, creator: ProctypeId) -> Result<Processes, Reason> {
        let pid = self.known.started - 1;
        let automaton = &self.model.proctype(creator).automaton;
        let written = written_globals(self.model);
        let mut state = self.known.initial.clone();
        let mut stands = vec![self.location(&state, pid)];
        let mut growths = Vec::new();
        while self.may_create(automaton, *stands.last().expect("it begins somewhere")) {
            let at = *stands.last().expect("it begins somewhere");
            let is_alone = self.known.started == 1 && stands.len() == 1;
            if !is_alone && !is_private(self.model, automaton, at, &written) {
                return Err("how processes are created depends on other processes".to_owned());
            }
            let count = self.processes(&state);
            state = self.only_step(&state, pid)?;
            if self.processes(&state) > count {
                growths.push((stands.len(), count));
            }
            stands.push(self.location(&state, pid));
            if stands.len() > LONGEST_PREFIX {
                return Err("the creation of processes takes too many steps".to_owned());
            }
        }
        self.reader.load(&state);
        self.known.types = (0..self.reader.processes()).map(|pid| self.reader.proctype(pid)).collect();
        let Some(&(last, early)) = growths.last() else { return Ok(self.known) };
        // in between others can move: a process that ended would leave its pid to the next
        let ends = |pid: usize| may_end(&self.model.proctype(self.known.types[pid]).automaton);
        if growths.len() > 1 && (self.known.started..early).any(ends) {
            return Err("a process may end before the last one is created, so that pids are used again".to_owned());
        }
        self.known.before = stands[..last].iter().copied().collect();
        let created = self.known.started..self.known.len();
        if growths.len() == 1 && created.into_iter().any(ends) {
            let returns = reachable(automaton, stands[last]).iter().any(|at| self.known.before.contains(at));
            if returns {
                return Err("the process that creates others may come back to where it did".to_owned());
            }
        }
        self.known.complete = state;
        Ok(self.known)
    }

    fn location(&mut self, state: &State, pid: usize) -> u32 {
        self.reader.load(state);
        self.reader.location(pid)
    }

    fn processes(&mut self, state: &State) -> usize {
        self.reader.load(state);
        self.reader.processes()
    }

    fn may_create(&self, automaton: &Automaton, from: u32) -> bool {
        let transitions = |at: u32| &automaton.location(at).transitions;
        let creates_at =
            |at: &u32| transitions(*at).iter().any(|to| creates(&automaton.statement(to.statement).action));
        reachable(automaton, from).iter().any(creates_at)
    }

    /// The state after the only step of a process.
    fn only_step(&self, state: &State, pid: usize) -> Result<Box<State>, Reason> {
        let (mut found, mut is_only) = (None, true);
        self.engine.for_each_step(state, Selection::All, |step| {
            if step.movers.iter().map(|&mover| usize::from(mover)).eq([pid]) {
                match step.target {
                    Target::State(target) => {
                        is_only &= found.is_none();
                        found = Some(Box::<State>::from(target));
                    }
                    Target::Violation(_) | Target::CutOff => is_only = false,
                }
            }
            ControlFlow::Continue(())
        });
        found.filter(|_| is_only).ok_or_else(|| "processes are created after a choice or a wait".to_owned())
    }
}

/// The locations that are reachable in an automaton, the first one included.
fn reachable(automaton: &Automaton, from: u32) -> HashSet<u32> {
    let (mut open, mut seen) = (vec![from], HashSet::new());
    while let Some(at) = open.pop() {
        if at > 0 && seen.insert(at) {
            open.extend(automaton.location(at).transitions.iter().map(|to| to.target));
        }
    }
    seen
}

fn may_end(automaton: &Automaton) -> bool {
    let is_end = |at: &u32| {
        let mut transitions = automaton.location(*at).transitions.iter();
        transitions.any(|to| matches!(automaton.statement(to.statement).action, Action::End))
    };
    reachable(automaton, automaton.start).iter().any(is_end)
}

/// The globals that some statement writes.
fn written_globals(model: &Model) -> HashSet<VarId> {
    let mut written = HashSet::new();
    for statement in model.proctypes.iter().flat_map(|proctype| &proctype.automaton.statements) {
        statement.action.for_each_target(&mut |target| {
            if target.scope == Scope::Global {
                written.insert(target.var);
            }
        });
    }
    written
}

/// Whether what a step from a location does to its own process and creates is the same whatever other processes do.
fn is_private(model: &Model, automaton: &Automaton, from: u32, written: &HashSet<VarId>) -> bool {
    let is_fixed = |expr: &Expr| {
        let mut fixed = true;
        expr.walk(&mut |part| {
            fixed &= match part {
                Expr::Const { .. } | Expr::Pid | Expr::NewPid => true,
                Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..) => true,
                Expr::Var(var) => var.scope == Scope::Local || !written.contains(&var.var),
                _ => false,
            };
        });
        fixed
    };
    let is_private = |action: &Action| match action {
        Action::Skip(_) | Action::Else | Action::Print { .. } | Action::PrintMtype(_) | Action::Assert(_) => true,
        Action::Condition(condition) => is_fixed(condition),
        Action::Run { proctype, args, .. } => {
            let values = model.proctype(*proctype).inits.iter().filter_map(|init| match &init.value {
                InitValue::Value(value) => Some(value),
                InitValue::Channel(_) => None,
            });
            args.iter().chain(values).all(is_fixed)
        }
        Action::Assign { target, value } => {
            target.scope == Scope::Global || is_fixed(value) && target.indices.iter().all(is_fixed)
        }
        _ => false,
    };
    // the locations that one step can pass
    let (mut open, mut seen) = (vec![from], HashSet::new());
    while let Some(at) = open.pop() {
        if at == 0 || !seen.insert(at) {
            continue;
        }
        for to in &automaton.location(at).transitions {
            if !is_private(&automaton.statement(to.statement).action) {
                return false;
            }
            if to.atomic || to.merged {
                open.push(to.target);
            }
        }
    }
    true
}
