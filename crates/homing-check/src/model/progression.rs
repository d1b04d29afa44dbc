//! What is left of a formula after a finite run, and which of its conditions decide it there.
//!
//! Progression (Bacchus & Kabanza 1998, §4): what a formula demands of a run is what it demands of the first state and of the rest. The
//! propositions are read where the claim reads them: between steps, not inside an atomic sequence.

use homing_engine::Player;
use homing_ir::print::Printer;
use homing_ir::{Expr, Formula, TemporalBinary, TemporalUnary};

/// A formula that is followed along a run.
#[derive(Clone, Debug)]
pub(super) struct Progression {
    propositions: Vec<Expr>,
    /// What the present state and the later ones have to satisfy; `None` if that has become too large.
    left: Option<Formula>,
    /// By proposition: whether it holds in the present state.
    now: Vec<bool>,
}

/// The largest rest of a formula that is followed, in operators and propositions.
const LARGEST: usize = 500;

impl Progression {
    /// Of a formula; `player` is at the start of the run.
    pub fn new(formula: &Formula, player: &Player<'_, '_>) -> Self {
        let mut propositions: Vec<Expr> = Vec::new();
        for expr in formula.propositions() {
            if expr.as_constant().is_none() && !propositions.contains(expr) {
                propositions.push(expr.clone());
            }
        }
        let left = Some(formula).filter(|formula| size(formula) <= LARGEST).cloned();
        let now = propositions.iter().map(|expr| player.holds(expr)).collect();
        Progression { propositions, left, now }
    }

    /// The propositions of the formula, each once.
    pub fn propositions(&self) -> &[Expr] {
        &self.propositions
    }

    /// Takes note of a step; `player` is in the state after it.
    pub fn see(&mut self, player: &Player<'_, '_>) {
        if player.alone().is_some() {
            return;
        }
        if let Some(left) = &self.left {
            let rest = self.after(left);
            self.left = (size(&rest) <= LARGEST).then_some(rest);
        }
        self.now = self.propositions.iter().map(|expr| player.holds(expr)).collect();
    }

    /// The conditions because of which no continuation of the run satisfies the formula.
    pub fn decisive(&self) -> Vec<&Expr> {
        let mut found = Vec::new();
        if let Some(left) = self.left.as_ref().filter(|left| constant(&self.after(left)) == Some(false)) {
            self.decide(left, &mut found);
        }
        if found.is_empty() { self.propositions.iter().collect() } else { found }
    }

    /// What the formula waits for: each has to come in the present state or later.
    pub fn awaited(&self) -> Vec<&Formula> {
        let mut found = Vec::new();
        let mut open: Vec<&Formula> = self.left.iter().collect();
        while let Some(formula) = open.pop() {
            match formula {
                Formula::Binary(TemporalBinary::And, left, right) => open.extend([&**right, &**left]),
                Formula::Unary(TemporalUnary::Eventually, awaited)
                | Formula::Binary(TemporalBinary::Until, _, awaited)
                    if !found.contains(&&**awaited) && constant(&self.after(awaited)) != Some(true) =>
                {
                    found.push(&**awaited);
                }
                _ => {}
            }
        }
        found
    }

    fn holds(&self, expr: &Expr) -> bool {
        match expr.as_constant() {
            Some(value) => value != 0,
            None => self.propositions.iter().position(|known| known == expr).is_some_and(|at| self.now[at]),
        }
    }

    /// What the states after the present one have to satisfy.
    fn after(&self, formula: &Formula) -> Formula {
        match formula {
            Formula::Proposition(expr) => truth(self.holds(expr)),
            Formula::Unary(op, operand) => match op {
                TemporalUnary::Not => negation(self.after(operand)),
                TemporalUnary::Next => (**operand).clone(),
                TemporalUnary::Always => both(self.after(operand), || formula.clone()),
                TemporalUnary::Eventually => either(self.after(operand), || formula.clone()),
            },
            Formula::Binary(op, left, right) => match op {
                TemporalBinary::And => both(self.after(left), || self.after(right)),
                TemporalBinary::Or => either(self.after(left), || self.after(right)),
                TemporalBinary::Implies => either(negation(self.after(left)), || self.after(right)),
                TemporalBinary::Equivalent => {
                    let (left, right) = (self.after(left), self.after(right));
                    match (constant(&left), constant(&right)) {
                        (Some(true), _) => right,
                        (_, Some(true)) => left,
                        (Some(false), _) => negation(right),
                        (_, Some(false)) => negation(left),
                        _ => Formula::binary(*op, left, right),
                    }
                }
                TemporalBinary::Until | TemporalBinary::WeakUntil => {
                    either(self.after(right), || both(self.after(left), || formula.clone()))
                }
                TemporalBinary::Release => both(self.after(right), || either(self.after(left), || formula.clone())),
            },
        }
    }

    /// Adds the conditions that decide a formula whose value the present state decides.
    fn decide<'f>(&'f self, formula: &'f Formula, found: &mut Vec<&'f Expr>) {
        let value = |operand: &Formula| constant(&self.after(operand));
        match formula {
            Formula::Proposition(expr) => {
                if expr.as_constant().is_none() && !found.contains(&expr) {
                    found.push(expr);
                }
            }
            Formula::Unary(TemporalUnary::Next, _) => {}
            Formula::Unary(_, operand) => self.decide(operand, found),
            Formula::Binary(op, left, right) => {
                // an operand with this value decides it alone
                let alone = match op {
                    TemporalBinary::And => [left, right].into_iter().find(|operand| value(operand) == Some(false)),
                    TemporalBinary::Or => [left, right].into_iter().find(|operand| value(operand) == Some(true)),
                    TemporalBinary::Until | TemporalBinary::WeakUntil => {
                        Some(right).filter(|right| value(right) == Some(true))
                    }
                    TemporalBinary::Release => Some(right).filter(|right| value(right) == Some(false)),
                    TemporalBinary::Implies | TemporalBinary::Equivalent => None,
                };
                match alone {
                    Some(operand) => self.decide(operand, found),
                    None => [left, right].into_iter().for_each(|operand| self.decide(operand, found)),
                }
            }
        }
    }
}

/// The text of a formula.
pub(super) fn text(player: &Player<'_, '_>, formula: &Formula) -> String {
    let printer = Printer { model: player.engine().model(), proctype: None };
    match formula {
        Formula::Proposition(expr) => printer.source(expr),
        _ => printer.formula(formula),
    }
}

fn truth(value: bool) -> Formula {
    Formula::Proposition(Expr::constant(i32::from(value)))
}

fn constant(formula: &Formula) -> Option<bool> {
    match formula {
        Formula::Proposition(expr) => expr.as_constant().map(|value| value != 0),
        _ => None,
    }
}

fn negation(formula: Formula) -> Formula {
    match (constant(&formula), formula) {
        (Some(value), _) => truth(!value),
        (None, Formula::Unary(TemporalUnary::Not, operand)) => *operand,
        (None, formula) => Formula::unary(TemporalUnary::Not, formula),
    }
}

fn both(left: Formula, right: impl FnOnce() -> Formula) -> Formula {
    join(TemporalBinary::And, left, right)
}

fn either(left: Formula, right: impl FnOnce() -> Formula) -> Formula {
    join(TemporalBinary::Or, left, right)
}

/// A conjunction or a disjunction; what is in it already is not added.
fn join(op: TemporalBinary, left: Formula, right: impl FnOnce() -> Formula) -> Formula {
    let deciding = op == TemporalBinary::Or;
    match constant(&left) {
        Some(value) if value == deciding => return left,
        Some(_) => return right(),
        None => {}
    }
    let right = right();
    match constant(&right) {
        Some(value) if value == deciding => right,
        Some(_) => left,
        None if has(op, &left, &right) => left,
        None if has(op, &right, &left) => right,
        None => Formula::binary(op, left, right),
    }
}

/// Whether a formula is an operand of a conjunction or disjunction, which may be nested.
fn has(op: TemporalBinary, joined: &Formula, operand: &Formula) -> bool {
    match joined {
        Formula::Binary(inner, left, right) if *inner == op => has(op, left, operand) || has(op, right, operand),
        _ => joined == operand,
    }
}

fn size(formula: &Formula) -> usize {
    let (mut open, mut count) = (vec![formula], 0);
    while let Some(formula) = open.pop() {
        count += 1;
        match formula {
            Formula::Proposition(_) => {}
            Formula::Unary(_, operand) => open.push(operand),
            Formula::Binary(_, left, right) => open.extend([&**left, &**right]),
        }
    }
    count
}
