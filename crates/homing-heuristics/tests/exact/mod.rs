//! The exact distances of all states of a small model, and what is wrong with an estimate that claims to be admissible or consistent.

pub mod processes;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::env;
use std::ops::ControlFlow;

use homing_core::{
    Changed, Cost, Estimate, Estimated, Guarantee, Selection, State, Target, TransitionSystem, ViolationKind, Written,
};
use homing_engine::Interpreter;
use homing_ir::{Action, Expr, Model};
use homing_promela::preprocess::Options;

pub const ALL: [ViolationKind; 3] =
    [ViolationKind::Assertion, ViolationKind::InvalidEndState, ViolationKind::RuntimeError];

/// The whole graph of a model.
pub struct Graph {
    pub states: Vec<Box<State>>,
    pub edges: Vec<Edge>,
    /// From which state, of which kind, at which cost.
    pub errors: Vec<(usize, ViolationKind, Cost)>,
}

pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub cost: Cost,
}

/// `None` if there are more states than that, or a run was cut off.
pub fn graph(model: &Model, most: usize) -> Option<Graph> {
    let engine = Interpreter::new(model).ok()?;
    let is_complete = engine.hidden_prefix() == 0; // hidden variables are not distinguished
    if is_complete { graph_of(&engine, most) } else { None }
}

pub fn graph_of(engine: &impl TransitionSystem, most: usize) -> Option<Graph> {
    let initial = engine.initial();
    let mut numbers: HashMap<Box<State>, usize> = HashMap::from([(initial.clone(), 0)]);
    let mut graph = Graph { states: vec![initial], edges: Vec::new(), errors: Vec::new() };
    let mut complete = true;
    let mut from = 0;
    while from < graph.states.len() {
        let state = graph.states[from].clone();
        engine.for_each_step(&state, Selection::All, |step| {
            match step.target {
                Target::Violation(violation) => graph.errors.push((from, violation.kind, step.cost)),
                Target::CutOff => complete = false,
                Target::State(target) => {
                    let to = *numbers.entry(target.into()).or_insert_with(|| {
                        graph.states.push(target.into());
                        graph.states.len() - 1
                    });
                    graph.edges.push(Edge { from, to, cost: step.cost });
                }
            }
            ControlFlow::Continue(())
        });
        if !complete || graph.states.len() > most {
            return None;
        }
        from += 1;
    }
    Some(graph)
}

impl Graph {
    /// The exact distance of each state to the nearest error, which are given with what they cost.
    pub fn distances(&self, errors: impl Iterator<Item = (usize, Cost)>) -> Vec<Option<Cost>> {
        let mut into: Vec<Vec<&Edge>> = self.states.iter().map(|_| Vec::new()).collect();
        self.edges.iter().for_each(|edge| into[edge.to].push(edge));
        let mut distances = vec![None; self.states.len()];
        let mut open: BinaryHeap<Reverse<(Cost, usize)>> = errors.map(|(at, cost)| Reverse((cost, at))).collect();
        while let Some(Reverse((distance, at))) = open.pop() {
            if distances[at].is_none() {
                distances[at] = Some(distance);
                open.extend(into[at].iter().map(|edge| Reverse((distance + edge.cost, edge.from))));
            }
        }
        distances
    }

    /// Those to errors of some kinds.
    pub fn to_errors(&self, kinds: &[ViolationKind]) -> Vec<Option<Cost>> {
        let wanted = self.errors.iter().filter(|(_, kind, _)| kinds.contains(kind));
        self.distances(wanted.map(|&(at, _, cost)| (at, cost)))
    }
}

/// The places where two states of the same length differ.
pub fn written(from: &State, to: &State) -> Vec<Written> {
    let differ = (0..from.len()).filter(|&at| from[at] != to[at]);
    differ.map(|at| Written { offset: at as u32, width: 1, old: u64::from(from[at]) }).collect()
}

/// What is wrong with an estimate, if anything.
pub fn wrong(graph: &Graph, exact: &[Option<Cost>], estimate: &mut impl Estimate) -> Option<String> {
    let guarantee = estimate.guarantee();
    let estimates: Vec<Option<Estimated>> = graph.states.iter().map(|state| estimate.distance(state)).collect();
    let guesses: Vec<Option<Cost>> = estimates.iter().map(|estimated| Some((*estimated)?.h)).collect();
    for (at, (&guess, &exact)) in guesses.iter().zip(exact).enumerate() {
        match (guess, exact) {
            (None, Some(exact)) => return Some(format!("state {at}: an error at {exact}, said to be none")),
            (Some(guess), Some(exact)) if guarantee >= Guarantee::Admissible && guess > exact => {
                return Some(format!("state {at}: {guess}, but an error is at {exact}"));
            }
            _ => {}
        }
    }
    let mut expanded = None;
    for &Edge { from, to, cost } in &graph.edges {
        let far = |guess: Option<Cost>| guess.map_or(u64::MAX, u64::from);
        let behind = far(guesses[to]).saturating_add(u64::from(cost));
        if guarantee == Guarantee::Consistent && far(guesses[from]) > behind {
            return Some(format!("{from} to {to}: falls from {:?} to {:?} by {cost}", guesses[from], guesses[to]));
        }
        let (parent, target) = (&graph.states[from], &graph.states[to]);
        if expanded != Some(from) {
            estimate.expand(parent);
            expanded = Some(from);
        }
        let places = (parent.len() == target.len()).then(|| written(parent, target));
        let changed = places.as_deref().map_or(Changed::Anywhere, Changed::At);
        let after = estimate.distance_after(target, changed);
        if after != estimates[to] {
            return Some(format!("{from} to {to}: {:?}, but {after:?} after a step", estimates[to]));
        }
    }
    None
}

/// An estimate that is one too large.
pub struct TooLarge<E>(pub E);

impl<E: Estimate> Estimate for TooLarge<E> {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        self.0.distance(state).map(|Estimated { h, tie }| Estimated { h: h + 1, tie })
    }

    fn guarantee(&self) -> Guarantee {
        self.0.guarantee()
    }
}

/// The conditions and assertions of a model that can be read without a process.
pub fn conditions(model: &Model) -> Vec<&Expr> {
    let statements = model.proctypes.iter().flat_map(|proctype| &proctype.automaton.statements);
    let conditions = statements.filter_map(|statement| match &statement.action {
        Action::Condition(expr) | Action::Assert(expr) => Some(expr),
        _ => None,
    });
    let is_global = |expr: &&Expr| {
        let mut global = true;
        expr.walk(&mut |inner| {
            global &= match inner {
                Expr::Var(var) => var.scope == homing_ir::Scope::Global,
                Expr::Pid | Expr::Timeout | Expr::OwnPriority | Expr::Enabled(_) => false,
                _ => true,
            };
        });
        global
    };
    conditions.filter(is_global).collect()
}

pub fn read(name: &str, text: String) -> Option<Model> {
    homing_promela::read(name, text, &Options::default()).model
}

pub fn number(name: &str, usual: u64) -> u64 {
    match env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => usual,
    }
}
