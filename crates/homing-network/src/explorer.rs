//! All states of a network, by breadth-first search and a walk over its trees: the reference for faster engines.
//!
//! The meaning is that of UPPAAL's semantics without clocks:
//! - In a state the edges out of all current locations are *enabled* if their guards hold, for each choice of their
//!   selected values. Guards and indices of channels are evaluated for all of them, whatever the others do; one that
//!   fails is a run-time error of the state, and its edge is not enabled.
//! - A *step* is an enabled edge without synchronisation; a sender and a receiver of one channel in two processes; or a
//!   sender of a broadcast channel with every other process that has an enabled receiver, one edge each, in all
//!   combinations. While a process is in a committed location, one participant must be in one.
//! - Updates are executed one after the other: the sender's, then those of the receivers in the order of the processes.
//! - A step after which an invariant does not hold is impossible. A step whose update fails is a run-time error.

use std::collections::HashMap;

use crate::evaluate::{Layout, Machine, Owner, RuntimeError, RuntimeErrorKind};
use crate::network::{ChannelBase, Direction, Edge, Location, Network, PathQuantifier, ProcessId, Template};
use crate::source::Span;

/// A state: the location of each process, and the cells of all variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// By process.
    pub locations: Vec<u32>,
    /// The globals, then the variables of each process.
    pub cells: Vec<i32>,
}

/// One process in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    /// The process.
    pub process: ProcessId,
    /// Its edge, by the place in its template.
    pub edge: usize,
    /// The values of `select`.
    pub chosen: Vec<i32>,
}

/// A step, or an attempt at one.
#[derive(Clone, Debug)]
pub struct Step {
    /// The processes that move, the sender first.
    pub participants: Vec<Participant>,
    /// The state after it.
    pub target: Result<State, RuntimeError>,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest number of states.
    pub states: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { states: 10_000_000 }
    }
}

/// The answer to a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is satisfied.
    Satisfied,
    /// It is not.
    NotSatisfied,
    /// The states that were visited do not decide it: a limit stopped the search.
    Undecided,
}

/// The answer to a query, with the length of a shortest path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The answer.
    pub verdict: Verdict,
    /// The number of steps to a nearest state that decides it: a witness of `E<>`, a counterexample of `A[]`.
    pub length: Option<u32>,
    /// A run-time error of the network, or of the condition of this query, is reachable. Without a state that decides the query it is
    /// not satisfied then.
    pub fails: bool,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The number of reachable states.
    pub states: usize,
    /// The number of steps from them that are possible.
    pub transitions: usize,
    /// The number of states without a step and without a run-time error.
    pub deadlocks: usize,
    /// The number of steps to a nearest one.
    pub nearest_deadlock: Option<u32>,
    /// The number of run-time errors: of edges, of steps, of queries in a state.
    pub errors: usize,
    /// The nearest one, with the number of steps before it.
    pub nearest_error: Option<(u32, RuntimeError)>,
    /// The answers in the order of the queries.
    pub queries: Vec<Answer>,
    /// Whether all reachable states were visited.
    pub complete: bool,
    /// The largest number of steps that a state needs.
    pub depth: u32,
}

/// Visits all reachable states.
pub fn explore(network: &Network, limits: Limits) -> Exploration {
    let explorer = Explorer::new(network);
    let mut found = Exploration {
        states: 0,
        transitions: 0,
        deadlocks: 0,
        nearest_deadlock: None,
        errors: 0,
        nearest_error: None,
        queries: vec![Answer { verdict: Verdict::Undecided, length: None, fails: false }; network.queries.len()],
        complete: true,
        depth: 0,
    };
    let initial = explorer.initial();
    let refusal = match explorer.broken_invariant(&initial) {
        Ok(None) => None,
        Ok(Some(span)) => Some(RuntimeError { kind: RuntimeErrorKind::InitialInvariant, span }),
        Err(error) => Some(error),
    };
    if let Some(error) = refusal {
        found.note_error(0, error);
        return found;
    }
    let mut known: HashMap<State, u32> = HashMap::new();
    let mut level = vec![initial.clone()];
    known.insert(initial, 0);
    while !level.is_empty() {
        let mut next = Vec::new();
        for state in &level {
            let expansion = explorer.expand(state);
            // Where something fails, it is not known that no step is possible.
            let mut is_deadlock = expansion.errors.is_empty();
            for error in expansion.errors {
                found.note_error(found.depth, error);
            }
            for step in expansion.steps {
                is_deadlock = false;
                match step.target {
                    Ok(target) => {
                        found.transitions += 1;
                        if !known.contains_key(&target) {
                            known.insert(target.clone(), found.depth + 1);
                            next.push(target);
                        }
                    }
                    Err(error) => found.note_error(found.depth, error),
                }
            }
            if is_deadlock {
                found.deadlocks += 1;
                found.nearest_deadlock.get_or_insert(found.depth);
            }
            explorer.ask(state, is_deadlock, &mut found);
        }
        if known.len() > limits.states {
            found.complete = false;
            break;
        }
        if !next.is_empty() {
            found.depth += 1;
        }
        level = next;
    }
    found.states = known.len();
    found.conclude(network);
    found
}

impl Exploration {
    /// Notes an error of the network.
    fn note_error(&mut self, length: u32, error: RuntimeError) {
        self.errors += 1;
        self.nearest_error.get_or_insert((length, error));
        self.queries.iter_mut().for_each(|answer| answer.fails = true);
    }

    /// Notes an error in the condition of a query, which does not concern the others.
    fn note_error_of_query(&mut self, query: usize, error: RuntimeError) {
        self.errors += 1;
        self.nearest_error.get_or_insert((self.depth, error));
        self.queries[query].fails = true;
    }

    /// Answers what no single state decided.
    fn conclude(&mut self, network: &Network) {
        for (answer, query) in self.queries.iter_mut().zip(&network.queries) {
            let decided_by_a_state = answer.length.is_some();
            answer.verdict = match query.quantifier {
                PathQuantifier::Possibly if decided_by_a_state => Verdict::Satisfied,
                PathQuantifier::Invariantly if decided_by_a_state => Verdict::NotSatisfied,
                _ if !self.complete => Verdict::Undecided,
                _ if answer.fails => Verdict::NotSatisfied,
                PathQuantifier::Possibly => Verdict::NotSatisfied,
                PathQuantifier::Invariantly => Verdict::Satisfied,
            };
        }
    }
}

/// An edge that can be taken, as far as its own process decides.
#[derive(Clone, Debug)]
struct Enabled {
    participant: Participant,
    /// The number of the channel, and the side.
    sync: Option<(u32, Direction)>,
}

/// The steps of a state, and the errors of edges that could not be evaluated.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    /// The steps in a fixed order.
    pub steps: Vec<Step>,
    /// Errors of guards and of indices of channels.
    pub errors: Vec<RuntimeError>,
}

/// A network with the layout of its states.
pub struct Explorer<'a> {
    network: &'a Network,
    layout: Layout,
    /// The cells of meta variables, with their initial values.
    meta: Vec<(usize, i32)>,
}

impl<'a> Explorer<'a> {
    /// Lays out the states.
    pub fn new(network: &'a Network) -> Self {
        let layout = Layout::of(network);
        let mut explorer = Explorer { network, layout, meta: Vec::new() };
        let initial = explorer.initial().cells;
        for (global, &first) in network.globals.iter().zip(&explorer.layout.globals) {
            if global.meta {
                explorer.meta.extend((first..first + global.type_.cells() as usize).map(|at| (at, initial[at])));
            }
        }
        for (process, firsts) in network.processes.iter().zip(&explorer.layout.locals) {
            for (local, &first) in network.templates[process.template.index()].locals.iter().zip(firsts) {
                if local.meta {
                    explorer.meta.extend((first..first + local.type_.cells() as usize).map(|at| (at, initial[at])));
                }
            }
        }
        explorer
    }

    /// The state before the first step.
    pub fn initial(&self) -> State {
        let globals = self.network.globals.iter().flat_map(|global| &global.initial);
        let locals = self.network.processes.iter().flat_map(|process| &process.locals);
        let location = |process: &crate::network::Process| self.network.templates[process.template.index()].initial.0;
        State {
            locations: self.network.processes.iter().map(location).collect(),
            cells: globals.chain(locals).copied().collect(),
        }
    }

    /// All steps from a state.
    pub fn expand(&self, state: &State) -> Expansion {
        let mut expansion = Expansion::default();
        let enabled = self.enabled(state, &mut expansion.errors);
        for sender in &enabled {
            match sender.sync {
                None => self.step(state, vec![sender], &mut expansion.steps),
                Some((_, Direction::Receive)) => {}
                Some((channel, Direction::Send)) => {
                    let listens = |other: &&Enabled| {
                        other.sync == Some((channel, Direction::Receive))
                            && other.participant.process != sender.participant.process
                    };
                    let receivers: Vec<&Enabled> = enabled.iter().filter(listens).collect();
                    if self.network.channel_of(channel).1.broadcast {
                        self.broadcast(state, sender, &receivers, &mut expansion.steps);
                    } else {
                        for receiver in receivers {
                            self.step(state, vec![sender, receiver], &mut expansion.steps);
                        }
                    }
                }
            }
        }
        expansion
    }

    /// The sender with one receiver of each process that has some, in all combinations.
    fn broadcast(&self, state: &State, sender: &Enabled, receivers: &[&Enabled], steps: &mut Vec<Step>) {
        let mut combinations = vec![vec![sender]];
        for of_process in receivers.chunk_by(|one, other| one.participant.process == other.participant.process) {
            let mut longer = Vec::new();
            for combination in &combinations {
                longer.extend(of_process.iter().map(|receiver| [&combination[..], &[*receiver]].concat()));
            }
            combinations = longer;
        }
        for combination in combinations {
            self.step(state, combination, steps);
        }
    }

    /// The edges whose guards hold, by process, edge and choice.
    fn enabled(&self, state: &State, errors: &mut Vec<RuntimeError>) -> Vec<Enabled> {
        let mut enabled = Vec::new();
        let mut cells = state.cells.clone(); // conditions change nothing, but a machine could
        for number in 0..self.network.processes.len() {
            let process = ProcessId(number as u32);
            let template = self.network.template_of(process);
            for (at, edge) in template.edges.iter().enumerate() {
                if edge.source.0 != state.locations[number] {
                    continue;
                }
                for chosen in choices(edge) {
                    match self.is_enabled(state, &mut cells, process, edge, &chosen) {
                        Ok(Some(sync)) => {
                            enabled.push(Enabled { participant: Participant { process, edge: at, chosen }, sync });
                        }
                        Ok(None) => {}
                        Err(error) => errors.push(error),
                    }
                }
            }
        }
        enabled
    }

    /// The channel of an edge whose guard holds; `None` if it does not.
    #[allow(clippy::option_option, reason = "an edge that is not enabled, and one without a channel")]
    fn is_enabled(
        &self,
        state: &State,
        cells: &mut [i32],
        process: ProcessId,
        edge: &Edge,
        chosen: &[i32],
    ) -> Result<Option<Option<(u32, Direction)>>, RuntimeError> {
        let owner = Owner::of(self.network, process);
        let mut machine =
            Machine::new(self.network, &self.layout, owner, &state.locations, cells).with_frame(chosen, edge.frame);
        if let Some(guard) = &edge.guard
            && machine.value(guard)? == 0
        {
            return Ok(None);
        }
        let Some(sync) = &edge.sync else { return Ok(Some(None)) };
        let first = match sync.channel {
            ChannelBase::Global(id) => self.network.channels[id.index()].first,
            ChannelBase::Parameter(id) => self.network.processes[process.index()].channels[id.index()],
        };
        let number = first + sync.offset + machine.index_sum(&sync.index)?;
        Ok(Some(Some((number, sync.direction))))
    }

    /// Adds the step of these edges, if committed locations and invariants allow it.
    fn step(&self, state: &State, edges: Vec<&Enabled>, steps: &mut Vec<Step>) {
        let is_committed = |process: ProcessId| self.location(state, process).committed;
        let some_committed = (0..self.network.processes.len()).any(|process| is_committed(ProcessId(process as u32)));
        if some_committed && !edges.iter().any(|edge| is_committed(edge.participant.process)) {
            return;
        }
        let participants: Vec<Participant> = edges.iter().map(|edge| edge.participant.clone()).collect();
        match self.execute(state, &participants) {
            Ok(Some(target)) => steps.push(Step { participants, target: Ok(target) }),
            Ok(None) => {}
            Err(error) => steps.push(Step { participants, target: Err(error) }),
        }
    }

    /// The state after a step; `None` if an invariant does not hold in it.
    fn execute(&self, state: &State, participants: &[Participant]) -> Result<Option<State>, RuntimeError> {
        let mut target = state.clone();
        for Participant { process, edge, chosen } in participants {
            let edge = &self.network.template_of(*process).edges[*edge];
            let owner = Owner::of(self.network, *process);
            let mut machine = Machine::new(self.network, &self.layout, owner, &state.locations, &mut target.cells)
                .with_frame(chosen, edge.frame);
            for update in &edge.update {
                machine.value(update)?;
            }
            target.locations[process.index()] = edge.target.0;
        }
        for &(at, initial) in &self.meta {
            target.cells[at] = initial;
        }
        let is_possible = self.broken_invariant(&target)?.is_none();
        Ok(is_possible.then_some(target))
    }

    fn location(&self, state: &State, process: ProcessId) -> &Location {
        let template: &Template = self.network.template_of(process);
        &template.locations[state.locations[process.index()] as usize]
    }

    /// An invariant that does not hold in a state, if there is one.
    fn broken_invariant(&self, state: &State) -> Result<Option<Span>, RuntimeError> {
        let mut cells = state.cells.clone();
        for number in 0..self.network.processes.len() {
            let process = ProcessId(number as u32);
            let Some(invariant) = &self.location(state, process).invariant else { continue };
            let owner = Owner::of(self.network, process);
            let mut machine = Machine::new(self.network, &self.layout, owner, &state.locations, &mut cells)
                .with_frame(&[], invariant.frame);
            if machine.value(&invariant.expr)? == 0 {
                return Ok(Some(invariant.expr.span));
            }
        }
        Ok(None)
    }

    /// Asks the queries in a state.
    fn ask(&self, state: &State, is_deadlock: bool, found: &mut Exploration) {
        for (at, query) in self.network.queries.iter().enumerate() {
            if found.queries[at].length.is_some() {
                continue;
            }
            let mut cells = state.cells.clone();
            let value = Machine::new(self.network, &self.layout, Owner::NONE, &state.locations, &mut cells)
                .with_deadlock(is_deadlock)
                .with_frame(&[], query.condition.frame)
                .value(&query.condition.expr);
            match value {
                Ok(value) if (value != 0) == (query.quantifier == PathQuantifier::Possibly) => {
                    found.queries[at].length = Some(found.depth);
                }
                Ok(_) => {}
                Err(error) => found.note_error_of_query(at, error),
            }
        }
    }
}

/// All values that an edge can choose; the last one varies fastest.
fn choices(edge: &Edge) -> Vec<Vec<i32>> {
    let mut choices = vec![Vec::new()];
    for select in &edge.select {
        let extended = |choice: &Vec<i32>| {
            let choice = choice.clone();
            (select.range.low..=select.range.high).map(move |value| [&choice[..], &[value]].concat())
        };
        choices = choices.iter().flat_map(extended).collect();
    }
    choices
}
