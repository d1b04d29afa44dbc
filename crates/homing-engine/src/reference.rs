//! The reference explorer: a breadth-first search by single statements, which engines, reductions and searches are compared
//! with.
//!
//! A node is a state and the process that holds the atomic right, if any. Each statement is one edge: a rendezvous is two
//! statements, a `d_step` one. There are no runs through atomic sequences, no merged statements and no reduction, so nothing
//! here depends on how runs are followed or their cycles are detected: a loop inside an atomic sequence is a cycle of the
//! graph. Nodes are expanded in the order of their distance (Dijkstra's algorithm with costs 1 and 2), so lengths are exact.
//!
//! The enabledness and the effect of a single statement are shared with the other engines (`View::collect_moves`,
//! `Executor::perform`); everything above that is implemented again here. Variables that are `hidden` are part of a state,
//! because a statement can read them; `pan` leaves them out and so counts fewer states.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use homing_core::{Cost, SourcePlace, State, StopToken, TransitionSystem, Violation, ViolationKind};
use homing_ir::Model;

use crate::Interpreter;
use crate::coverage::Unreached;
use crate::eval::View;
use crate::execute::Breach;
use crate::fault::Fault;
use crate::interpreter::Executed;
use crate::moves::{ControlAfter, Move};
use crate::working_state::WorkingState;

/// An explorer of a model that was not reduced.
pub struct Reference<'m> {
    engine: Interpreter<'m>,
    /// The most bytes of nodes.
    most_bytes: u64,
}

/// The results of an exploration.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Every node was expanded and no statement was cut off. Otherwise the other fields are lower bounds.
    pub complete: bool,
    /// Distinct states in which no process holds the atomic right: those that `pan` stores.
    pub states: u64,
    /// Distinct pairs of a state and the holder of the atomic right.
    pub nodes: u64,
    /// Each distinct violation once, the one with the shortest run first.
    pub violations: Vec<Finding>,
    /// A statement was a run-time error: runs end there, while `pan` ends or continues with arbitrary values.
    pub failed: bool,
    /// The number of rendezvous whose sender held the atomic right, or whose receiver continues atomically.
    pub handovers: u64,
    /// The statements that no run reached, by process type and control state.
    pub unreached: Vec<Unreached>,
}

impl Findings {
    /// The number of statements of a shortest run to an error.
    pub fn shortest(&self) -> Option<Cost> {
        self.violations.first().map(|finding| finding.length)
    }
}

/// A violation, without the pid of its process: errors are distinguished by their place in the text of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: ViolationKind,
    pub message: String,
    pub place: Option<SourcePlace>,
    /// The type of the process that failed.
    pub proctype: Option<String>,
    /// The number of statements of a shortest run to it.
    pub length: Cost,
}

/// The number of nodes that are expanded between two calls of `keep_going`.
const PAUSE: u64 = 512;

impl<'m> Reference<'m> {
    /// Fails if the initial state cannot be computed.
    pub fn new(model: &'m Model) -> Result<Self, Violation> {
        Ok(Reference { engine: Interpreter::new(model)?, most_bytes: u64::MAX })
    }

    /// Ends a long `d_step`, and with it the exploration, when the token is set.
    pub fn stopped_by(self, stop: StopToken) -> Self {
        Reference { engine: self.engine.stopped_by(stop), ..self }
    }

    /// Ends the exploration where its nodes would take more memory.
    pub fn within(self, most_bytes: u64) -> Self {
        Reference { most_bytes, ..self }
    }

    /// Explores the model until all nodes are expanded, there are more than `most_nodes`, or `keep_going` breaks off.
    pub fn explore(&self, most_nodes: u64, mut keep_going: impl FnMut() -> ControlFlow<()>) -> Findings {
        let mut exploration = Exploration::new(&self.engine);
        while let Some(layer) = exploration.next_layer() {
            for node in layer {
                if !exploration.expanded.insert(node.clone()) {
                    continue; // a shorter path was found after this one was queued
                }
                let nodes = exploration.findings.nodes;
                let is_full = exploration.bytes > self.most_bytes || self.engine.stop.is_set();
                if is_full || nodes >= most_nodes || (nodes.is_multiple_of(PAUSE) && keep_going().is_break()) {
                    exploration.findings.complete = false;
                    return exploration.concluded();
                }
                exploration.expand(&node);
            }
        }
        exploration.concluded()
    }
}

/// A node of the graph.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Node {
    state: Box<State>,
    /// The process that holds the atomic right. It can move; otherwise it loses the right at once.
    holder: Option<u8>,
}

/// What distinguishes two findings: the fields of a [`Finding`] except its length.
type Kind = (ViolationKind, String, Option<SourcePlace>, Option<String>);

struct Exploration<'e, 'm> {
    engine: &'e Interpreter<'m>,
    expanded: HashSet<Node>,
    /// Nodes by distance, modulo 3: no statement costs more than 2.
    layers: [Vec<Node>; 3],
    /// The distance of the layer that is expanded.
    distance: Cost,
    lengths: HashMap<Kind, Cost>,
    /// The bytes of all nodes that were put into the open list.
    bytes: u64,
    findings: Findings,
}

impl<'e, 'm> Exploration<'e, 'm> {
    fn new(engine: &'e Interpreter<'m>) -> Self {
        let root = Node { state: engine.initial(), holder: None };
        Exploration {
            engine,
            expanded: HashSet::new(),
            layers: [vec![root], Vec::new(), Vec::new()],
            distance: 0,
            lengths: HashMap::new(),
            bytes: 0,
            findings: Findings { complete: true, ..Findings::default() },
        }
    }

    /// The nearest nodes in the open list; some of them may have been expanded at a lower distance.
    fn next_layer(&mut self) -> Option<Vec<Node>> {
        let ahead = (0..3).find(|ahead| !self.layers[(self.distance + ahead) as usize % 3].is_empty())?;
        self.distance += ahead;
        Some(std::mem::take(&mut self.layers[self.distance as usize % 3]))
    }

    fn expand(&mut self, node: &Node) {
        self.findings.nodes += 1;
        let mut work = WorkingState::default();
        work.load(&self.engine.layout, &node.state);
        if let Some(holder) = node.holder {
            let moves = self.moves_of(&work, holder, false);
            return self.take(&work, &moves, node.holder, false);
        }
        self.findings.states += 1;
        if let Some(violation) = self.engine.broken_invariant(&work) {
            self.report(&violation, 0);
        }
        let processes = 0..work.processes.len() as u8;
        for timeout in [false, true] {
            let moves: Vec<Move> = processes.clone().rev().flat_map(|pid| self.moves_of(&work, pid, timeout)).collect();
            if !moves.is_empty() {
                return self.take(&work, &moves, None, timeout);
            }
        }
        if let Some(violation) = self.engine.invalid_end(&work) {
            self.report(&violation, 0);
        }
    }

    fn moves_of(&self, work: &WorkingState, pid: u8, timeout: bool) -> Vec<Move> {
        let (model, layout) = (self.engine.model, &*self.engine.layout);
        let view = View { model, layout, work, pid: usize::from(pid), timeout, offer: None, asked: 0 };
        let mut moves = Vec::new();
        view.collect_moves(&self.engine.coverage, &mut moves);
        moves
    }

    /// Takes each move of a state.
    fn take(&mut self, from: &WorkingState, moves: &[Move], holder: Option<u8>, timeout: bool) {
        for what in moves {
            let mut work = from.clone();
            let Some(next) = self.perform(&mut work, what, holder, timeout) else { continue };
            let holder = next.filter(|&pid| !self.moves_of(&work, pid, false).is_empty());
            let node = Node { state: work.bytes.into_boxed_slice(), holder };
            if !self.expanded.contains(&node) {
                // those that are expanded are kept twice for a while
                self.bytes += 2 * (node.state.len() + size_of::<Node>()) as u64;
                self.layers[(self.distance + cost(what)) as usize % 3].push(node);
            }
        }
    }

    /// Executes a move and reports its violations. Returns the process that holds the atomic right afterwards, if any; the
    /// outer `None` means that the run ends.
    fn perform(
        &mut self,
        work: &mut WorkingState,
        what: &Move,
        holder: Option<u8>,
        timeout: bool,
    ) -> Option<Option<u8>> {
        let engine = self.engine;
        let (first, last) = engine.executed_by(work, what);
        let mut breaches = Vec::new();
        let mut executor = engine.executor(work, &mut breaches, timeout);
        let result = executor.perform(what, &engine.coverage);
        let failed = executor.pid;
        for breach in breaches {
            let early = matches!(breach, Breach::Trace { early: true, .. });
            let violation = engine.breach(breach, if early { first } else { last });
            self.report(&violation, if early { 1 } else { cost(what) });
        }
        match result {
            Ok(next) => {
                let next = match next {
                    ControlAfter::Atomic(pid) => Some(pid as u8),
                    ControlAfter::Released => None,
                    ControlAfter::Absorbed(_) => unreachable!("the model is not reduced"),
                };
                let handed = matches!(what, Move::Handshake(..)) && (holder.is_some() || next.is_some());
                self.findings.handovers += u64::from(handed);
                Some(next)
            }
            Err((_, Fault::TooLong | Fault::Stopped)) => {
                self.findings.complete = false;
                None
            }
            Err((statement, fault)) => {
                self.findings.failed = true;
                let proctype = work.processes[failed].proctype;
                let violation = engine.fault(&fault, Executed { pid: failed as u8, proctype, statement });
                self.report(&violation, cost(what));
                None
            }
        }
    }

    /// Records a violation that is reached `cost` statements after the node that is expanded.
    fn report(&mut self, violation: &Violation, cost: Cost) {
        let Violation { kind, message, place, process } = violation;
        let proctype = process.as_ref().map(|name| name.split('(').next().unwrap_or(name).to_owned());
        let length = self.distance + cost;
        let known = self.lengths.entry((*kind, message.clone(), place.clone(), proctype)).or_insert(length);
        *known = length.min(*known);
    }

    fn concluded(self) -> Findings {
        let finding = |((kind, message, place, proctype), length)| Finding { kind, message, place, proctype, length };
        let mut violations: Vec<Finding> = self.lengths.into_iter().map(finding).collect();
        violations.sort_by(|left, right| {
            let key = |finding: &Finding| (finding.length, finding.place.clone(), finding.message.clone());
            key(left).cmp(&key(right))
        });
        Findings { violations, unreached: self.engine.unreached(), ..self.findings }
    }
}

/// The number of statements of a move.
fn cost(what: &Move) -> Cost {
    match what {
        Move::Step(_) | Move::Signal(..) | Move::Fault(..) => 1,
        Move::Handshake(..) => 2,
    }
}
