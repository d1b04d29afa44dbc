//! What of a process others can look at: its variables from outside, its location, and what a claim or invariant mentions.

use crate::{Action, Automaton, BinaryOp, Expr, InitValue, Model, ProctypeId, Scope, VarId};

/// What somebody else than the process itself looks at. Reductions leave it alone.
#[derive(Clone, Debug)]
pub struct Observed {
    /// Globals that a claim, a formula or an invariant mentions.
    globals: Vec<bool>,
    /// By process type: locals that others mention, or that its own `provided` does.
    locals: Vec<Vec<bool>>,
    /// By process type: locations that a remote reference tests.
    locations: Vec<Vec<bool>>,
    /// Somebody asks where a process stands, whether it can move, or who moved last.
    pub control: bool,
}

impl Observed {
    pub fn in_model(model: &Model) -> Self {
        let locals = |proctype: &crate::Proctype| vec![false; proctype.locals.len()];
        let locations = |proctype: &crate::Proctype| vec![false; proctype.automaton.locations.len()];
        let mut observed = Observed {
            globals: vec![false; model.globals.len()],
            locals: model.proctypes.iter().map(locals).collect(),
            locations: model.proctypes.iter().map(locations).collect(),
            control: model.features.last,
        };
        for (at, proctype) in model.proctypes.iter().enumerate() {
            for_each_expr(&proctype.automaton, &mut |expr| observed.look(expr));
            if let Some(provided) = &proctype.provided {
                observed.look(provided);
                provided.walk(&mut |expr| {
                    if let Expr::Var(var) = expr
                        && var.scope == Scope::Local
                    {
                        observed.locals[at][var.var.index()] = true;
                    }
                });
            }
            for init in &proctype.inits {
                if let InitValue::Value(value) = &init.value {
                    observed.look(value);
                }
            }
        }
        for claim in &model.claims {
            for_each_expr(&claim.automaton, &mut |expr| observed.watch(expr));
        }
        if let Some(monitor) = &model.monitor {
            for_each_expr(&monitor.automaton, &mut |expr| observed.watch(expr));
            monitor.sends.iter().chain(&monitor.receives).for_each(|channel| observed.watch(channel));
        }
        model.invariants.iter().for_each(|invariant| observed.watch(&invariant.expr));
        for formula in &model.formulas {
            observed.mention(model, &formula.text);
        }
        observed
    }

    pub fn global(&self, var: VarId) -> bool {
        self.globals[var.index()]
    }

    pub fn local(&self, proctype: ProctypeId, var: VarId) -> bool {
        self.locals[proctype.index()][var.index()]
    }

    pub fn location(&self, proctype: ProctypeId, location: u32) -> bool {
        self.locations[proctype.index()][location as usize]
    }

    /// An expression of a process.
    fn look(&mut self, expr: &Expr) {
        expr.walk(&mut |inner| match inner {
            Expr::RemoteVar { proctype, var, .. } => self.locals[proctype.index()][var.index()] = true,
            Expr::RemoteLabel { proctype, location, .. } => {
                self.locations[proctype.index()][*location as usize] = true;
            }
            Expr::Enabled(_) | Expr::Location(_) | Expr::Last => self.control = true,
            _ => {}
        });
    }

    /// An expression of a claim, trace or invariant.
    fn watch(&mut self, expr: &Expr) {
        self.look(expr);
        expr.walk(&mut |inner| {
            if let Expr::Var(var) = inner
                && var.scope == Scope::Global
            {
                self.globals[var.var.index()] = true;
            }
        });
    }

    /// A formula is only known as text: whatever has the name of one of its words counts.
    fn mention(&mut self, model: &Model, text: &str) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        for word in text.split(|c| !is_word(c)) {
            let is_named = |var: &crate::Variable| var.name.split(['.', '[']).next() == Some(word);
            let mark = |seen: &mut [bool], vars: &[crate::Variable]| {
                seen.iter_mut().zip(vars).for_each(|(seen, var)| *seen |= is_named(var));
            };
            mark(&mut self.globals, &model.globals);
            for (seen, proctype) in self.locals.iter_mut().zip(&model.proctypes) {
                mark(seen, &proctype.locals);
            }
        }
    }
}

fn for_each_expr(automaton: &Automaton, visit: &mut dyn FnMut(&Expr)) {
    for statement in &automaton.statements {
        statement.action.for_each_expr(visit);
    }
}

/// Whether computing the value can be an error.
pub fn can_fail(expr: &Expr, model: &Model, proctype: Option<ProctypeId>) -> bool {
    let mut fails = false;
    expr.walk(&mut |inner| {
        fails |= match inner {
            Expr::Var(var) => !var.fits(&model.variable(proctype, var.scope, var.var).dims),
            Expr::Binary(op, left, right) => can_divide_wrongly(*op, left, right, model, proctype),
            Expr::Const { .. }
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::OwnPriority
            | Expr::Unary(..)
            | Expr::Conditional(..)
            | Expr::NewPid => false,
            _ => true,
        };
    });
    fails
}

/// Whether the operation itself, its operands being computed, can be a division without a result.
fn can_divide_wrongly(op: BinaryOp, left: &Expr, right: &Expr, model: &Model, proctype: Option<ProctypeId>) -> bool {
    let divides = matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
    divides
        && match right.as_constant() {
            None | Some(0) => true,
            Some(-1) => can_be_least(left, model, proctype),
            Some(_) => false,
        }
}

/// Whether the value can be the least `int`, which has no quotient by -1. True unless that is plain to see.
pub fn can_be_least(expr: &Expr, model: &Model, proctype: Option<ProctypeId>) -> bool {
    match expr {
        Expr::Const { value, .. } => *value == i32::MIN,
        Expr::Var(var) => model.variable(proctype, var.scope, var.var).cell.truncate(i32::MIN) == i32::MIN,
        Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::OwnPriority | Expr::Length(_) | Expr::NewPid => false,
        Expr::Binary(op, ..) => !op.is_test(),
        _ => true,
    }
}

/// Shows `visit` the parts whose values decide whether computing the expression is an error.
pub fn deciding_parts(expr: &Expr, model: &Model, proctype: Option<ProctypeId>, visit: &mut dyn FnMut(&Expr)) {
    let fails = |part: &Expr| can_fail(part, model, proctype);
    if !fails(expr) {
        return;
    }
    match expr {
        Expr::Var(var) => var.indices.iter().for_each(visit),
        Expr::Unary(_, operand) => deciding_parts(operand, model, proctype, visit),
        Expr::Binary(op, left, right) => {
            let is_lazy = matches!(op, BinaryOp::And | BinaryOp::Or) && fails(right);
            if can_divide_wrongly(*op, left, right, model, proctype) {
                visit(left);
                visit(right);
            } else if is_lazy {
                visit(left);
                deciding_parts(right, model, proctype, visit);
            } else {
                deciding_parts(left, model, proctype, visit);
                deciding_parts(right, model, proctype, visit);
            }
        }
        other => visit(other),
    }
}

/// Shows `visit` what the action computes only to show it, or not to use it at all.
pub fn idle_exprs(action: &Action) -> &[Expr] {
    match action {
        Action::Print { args, .. } => args,
        Action::PrintMtype(value) | Action::Discard(value) => std::slice::from_ref(value),
        _ => &[],
    }
}
