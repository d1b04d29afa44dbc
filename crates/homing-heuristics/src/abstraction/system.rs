//! The factored systems of a model: one for each kind of error, with the same factors for the cells.
//!
//! The error of a factored system is a conjunction over factors, and kinds of errors are alternatives: so each has a system of its
//! own, and the nearest of them counts.

use std::collections::{BTreeMap, BTreeSet};

use homing_abstraction::{FactorId, FactoredSystem, FactoredSystemBuilder, LabelId};
use homing_ir::{BinaryOp, Expr, UnaryOp};

use super::choices::Choices;
use super::explore::Explored;
use super::space::{CellId, GONE, Kind, NOT_BEGUN};
use super::trial::{Draft, OBSERVER, Pair, Trial};

/// A cell that is a factor, by the index of the factor.
pub fn leaves(explored: &Explored<'_>) -> Vec<CellId> {
    let all = (0..explored.space.cells.len() as u32).map(CellId);
    let is_leaf = |id: &CellId| {
        let cell = explored.space.cell(*id);
        cell.is_tracked && (cell.domain.len() > 1 || matches!(cell.kind, Kind::Location))
    };
    all.filter(is_leaf).collect()
}

/// The systems of the kinds of errors that can happen, with a name for each.
pub fn systems(explored: &mut Explored<'_>) -> Vec<(&'static str, FactoredSystem)> {
    let mut systems = Vec::new();
    for condition in 0..explored.violated.len() {
        let goals = goals(explored, condition);
        let labels = &explored.violated[condition];
        if labels.is_empty() {
            continue;
        }
        let mut assembly = Assembly::new(explored, Ends::default());
        match goals {
            Some(goals) => goals.into_iter().for_each(|(cell, values)| assembly.name_goals(cell, values)),
            None => assembly.add_errors(labels),
        }
        systems.push(("invariant", assembly.finish()));
    }
    if !explored.failures.is_empty() {
        let mut assembly = Assembly::new(explored, Ends::default());
        assembly.add_errors(&explored.failures);
        systems.push(("failure", assembly.finish()));
    }
    if explored.blocked.iter().any(|process| process.is_invalid) {
        let mut assembly = Assembly::new(explored, Ends::of(explored));
        assembly.add_deadlock();
        systems.push(("deadlock", assembly.finish()));
    }
    systems
}

/// The states of processes that are blocked for ever, beside their locations: by process, for each location where it can be blocked.
///
/// The steps of a deadlock block one process after the other, so that a process that is blocked has to show the others where it
/// stands: that it exists and so has its channels, and keeps an older one from ending. Locations that no other process tells apart
/// share a state.
#[derive(Debug, Default)]
struct Ends {
    states: Vec<BTreeMap<u32, u32>>,
}

impl Ends {
    fn of(explored: &Explored<'_>) -> Self {
        let space = &explored.space;
        let states = (0..space.processes.len()).map(|pid| {
            let location = space.location(pid);
            let others = explored.blocked.iter().filter(|process| process.pid != pid);
            let relations = others.flat_map(|process| &process.label.relations);
            let mut tests: Vec<_> = relations.filter(|(cell, _)| *cell == location).map(|(_, pairs)| pairs).collect();
            tests.sort_unstable();
            tests.dedup();
            let first = space.cell(location).domain.len() as u32;
            let (mut numbers, mut states) = (BTreeMap::new(), BTreeMap::new());
            for process in explored.blocked.iter().filter(|process| process.pid == pid) {
                let passed: Vec<bool> = tests.iter().map(|pairs| pairs.contains(&(process.at, process.at))).collect();
                let next = first + numbers.len() as u32;
                states.insert(process.at, *numbers.entry(passed).or_insert(next));
            }
            states
        });
        Ends { states: states.collect() }
    }

    /// The states of a process, without duplicates.
    fn distinct(&self, pid: usize) -> BTreeSet<u32> {
        self.states.get(pid).into_iter().flat_map(BTreeMap::values).copied().collect()
    }
}

struct Assembly<'e, 'm> {
    explored: &'e Explored<'m>,
    builder: FactoredSystemBuilder,
    /// By cell.
    factors: Vec<Option<FactorId>>,
    /// The labels of the steps.
    steps: Vec<LabelId>,
    ends: Ends,
}

impl<'e, 'm> Assembly<'e, 'm> {
    /// The factors of the cells, and the labels of the steps.
    fn new(explored: &'e Explored<'m>, ends: Ends) -> Self {
        let space = &explored.space;
        let mut builder = FactoredSystem::builder();
        let mut factors = vec![None; space.cells.len()];
        for id in leaves(explored) {
            let cell = space.cell(id);
            let ends = match cell.kind {
                Kind::Location => ends.distinct(id.index()).len(),
                _ => 0,
            };
            let factor = builder.factor(cell.name.clone(), (cell.domain.len() + ends) as u32);
            let initially = cell.domain.find(&space.initially(id)).expect("the initial value comes first");
            builder.initial(factor, initially);
            factors[id.index()] = Some(factor);
        }
        let mut assembly = Assembly { explored, builder, factors, steps: Vec::new(), ends };
        assembly.steps = explored.steps.iter().map(|draft| assembly.label(draft)).collect();
        assembly
    }

    fn finish(self) -> FactoredSystem {
        self.builder.build().expect("factors have initial states, and labels are defined")
    }

    fn factor(&self, cell: CellId) -> FactorId {
        self.factors[cell.index()].expect("a cell with several values is a factor")
    }

    fn label(&mut self, draft: &Draft) -> LabelId {
        let label = self.builder.label(draft.cost);
        for (cell, pairs) in &draft.relations {
            let factor = self.factor(*cell);
            self.builder.list(factor, label);
            for &(from, to) in pairs {
                self.builder.transition(factor, label, from, to);
            }
        }
        label
    }

    fn name_goals(&mut self, cell: CellId, values: Vec<u32>) {
        let factor = self.factor(cell);
        self.builder.goals(factor, values);
    }

    /// A factor with the states no and yes, of which only yes is a goal.
    fn flag(&mut self, name: &str) -> FactorId {
        let flag = self.builder.factor(name, 2);
        self.builder.initial(flag, 0).goals(flag, [1]);
        flag
    }

    /// Errors that are labels.
    fn add_errors(&mut self, labels: &[Draft]) {
        let error = self.flag("error");
        for draft in labels {
            let label = self.label(draft);
            self.builder.transition(error, label, 0, 1);
        }
    }

    /// A deadlock: from some time on no step is taken any more, and each process is blocked where it stands or does not exist; one
    /// of them at a location that is no valid end.
    fn add_deadlock(&mut self) {
        let stopped = self.flag("stopped");
        for step in std::mem::take(&mut self.steps) {
            self.builder.transition(stopped, step, 0, 0);
        }
        let stop = self.builder.label(0);
        self.builder.transition(stopped, stop, 0, 1);
        let invalid = self.flag("invalid end");
        let explored = self.explored;
        let space = &explored.space;
        for pid in 0..space.processes.len() {
            let domain = &space.cell(space.location(pid)).domain;
            let absent = [GONE, NOT_BEGUN].iter().filter_map(|at| domain.find(&[*at]));
            self.name_goals(space.location(pid), absent.chain(self.ends.distinct(pid)).collect());
        }
        for process in &explored.blocked {
            let location = space.location(process.pid);
            let others = process.label.relations.iter().filter(|(cell, _)| *cell != location);
            let tested = others.map(|(cell, pairs)| (*cell, self.with_ends(*cell, pairs))).collect();
            let label = self.label(&Draft { cost: process.label.cost, relations: tested });
            let end = self.ends.states[process.pid][&process.at];
            self.builder.transition(self.factors[location.index()].expect("a factor"), label, process.at, end);
            self.builder.transition(stopped, label, 1, 1);
            if process.is_invalid {
                self.builder.transition(invalid, label, 0, 1).transition(invalid, label, 1, 1);
            }
        }
    }

    /// What a test of a cell says where processes are blocked already: the same as at the locations where they are.
    fn with_ends(&self, cell: CellId, pairs: &[Pair]) -> Vec<Pair> {
        let ends = match self.explored.space.cell(cell).kind {
            Kind::Location => self.ends.states.get(cell.index()),
            _ => None,
        };
        let passed = pairs.iter().filter_map(|(at, _)| ends?.get(at)).map(|&end| (end, end));
        pairs.iter().copied().chain(passed.collect::<BTreeSet<_>>()).collect()
    }
}

/// The goal states of the factors where a condition is violated, if that is a conjunction over single cells.
fn goals(explored: &mut Explored<'_>, condition: usize) -> Option<Vec<(CellId, Vec<u32>)>> {
    let mut literals = Vec::new();
    collect(explored.space.conditions[condition], Sense::Fails, &mut literals)?;
    let mut goals: Vec<(CellId, Vec<u32>)> = Vec::new();
    for (expr, sense) in literals {
        let (mut choices, mut reads) = (Choices::default(), Vec::new());
        let mut trial = Trial::new(&mut explored.space, &mut choices, &mut reads);
        trial.pid = OBSERVER;
        let (pure, cell) = trial.pure(expr)?;
        let is_met = |content: &[i32]| Some((pure.eval(content).ok()? != 0) == (sense == Sense::Holds));
        let Some(cell) = cell else {
            if is_met(&[])? {
                continue; // always so
            }
            return None;
        };
        let domain = &explored.space.cell(cell).domain;
        let mut values = Vec::new();
        for (number, content) in (0..).zip(domain.values()) {
            if is_met(content)? {
                values.push(number);
            }
        }
        match goals.iter_mut().find(|(known, _)| *known == cell) {
            Some((_, known)) => known.retain(|value| values.contains(value)),
            None => goals.push((cell, values)),
        }
    }
    (!goals.is_empty()).then_some(goals)
}

/// Whether a condition is to hold or to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sense {
    Holds,
    Fails,
}

/// The conjuncts of a condition, or of its negation; none if it is no conjunction.
fn collect<'e>(expr: &'e Expr, sense: Sense, literals: &mut Vec<(&'e Expr, Sense)>) -> Option<()> {
    match (expr, sense) {
        (Expr::Unary(UnaryOp::Not, inner), Sense::Holds) => collect(inner, Sense::Fails, literals),
        (Expr::Unary(UnaryOp::Not, inner), Sense::Fails) => collect(inner, Sense::Holds, literals),
        (Expr::Binary(BinaryOp::And, left, right), Sense::Holds)
        | (Expr::Binary(BinaryOp::Or, left, right), Sense::Fails) => {
            collect(left, sense, literals)?;
            collect(right, sense, literals)
        }
        _ => {
            literals.push((expr, sense));
            Some(())
        }
    }
}
