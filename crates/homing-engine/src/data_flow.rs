//! Where values come from: what an expression was evaluated from in a state, for explanations of a run.

use homing_ir::print::cell_name;
use homing_ir::{Action, ArgPattern, BinaryOp, Expr, ProctypeId, Scalar, Scope, VarRef};

use crate::effect::CellRef;
use crate::eval::View;
use crate::player::Player;

/// Something that an expression reads, in the state in which it is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// The value of a cell.
    Cell(CellRef),
    /// A field of the message that is being received.
    Field(u32),
    /// Which messages a channel holds.
    Queue(i32),
    /// Where a process stands.
    Location(u8),
    /// Which processes there are.
    Processes,
}

/// An expression and its value, with the parts that decide the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub text: String,
    /// `None` if evaluating it is a run-time error.
    pub value: Option<String>,
    /// What it reads itself, if it is no operator.
    pub source: Option<Source>,
    /// The operands that decide the value; of an array element, what its index is computed from.
    pub parts: Vec<Part>,
}

impl Part {
    /// Calls `visit` for the part and for those inside it.
    pub fn for_each<'a>(&'a self, visit: &mut impl FnMut(&'a Part)) {
        visit(self);
        self.parts.iter().for_each(|part| part.for_each(visit));
    }
}

impl View<'_> {
    /// What the value of an expression is computed from: what is read where it is evaluated lazily, without repetitions.
    pub fn sources(self, expr: &Expr) -> Vec<Source> {
        let mut found = Vec::new();
        self.add_sources(expr, &mut found);
        found
    }

    /// Adds what evaluating an expression reads.
    pub(crate) fn add_sources(self, expr: &Expr, found: &mut Vec<Source>) {
        if let Some(source) = self.source(expr)
            && !found.contains(&source)
        {
            found.push(source);
        }
        self.evaluated(expr).into_iter().for_each(|operand| self.add_sources(operand, found));
    }

    /// What an expression that is no operator reads itself.
    fn source(self, expr: &Expr) -> Option<Source> {
        match expr {
            Expr::Var(var) => self.cell_ref(var).map(Source::Cell),
            Expr::RemoteVar { proctype, pid, var, indices } => {
                let owner = self.remote(*proctype, pid.as_deref()).ok()??;
                if self.work.processes[owner].proctype != *proctype {
                    return None; // that is a run-time error
                }
                let variable = &self.model.proctype(*proctype).locals[var.index()];
                let cell = self.linear_index(variable, indices).ok()?;
                Some(Source::Cell(CellRef { owner: Some(owner as u8), var: *var, cell }))
            }
            Expr::RemoteLabel { proctype, pid, .. } => {
                Some(Source::Location(self.remote(*proctype, pid.as_deref()).ok()?? as u8))
            }
            Expr::Location(pid) | Expr::Enabled(pid) => Some(Source::Location(self.eval(pid).ok()? as u8)),
            Expr::Length(channel)
            | Expr::Full(channel)
            | Expr::Empty(channel)
            | Expr::NotFull(channel)
            | Expr::NotEmpty(channel)
            | Expr::Poll { channel, .. } => Some(Source::Queue(self.eval(channel).ok()?)),
            Expr::ProcessCount => Some(Source::Processes),
            _ => None,
        }
    }

    /// The direct parts of an expression that are evaluated: of a lazy operator those that decide.
    fn evaluated(self, expr: &Expr) -> Vec<&Expr> {
        let holds = |operand: &Expr| self.eval(operand).map(|value| value != 0);
        match expr {
            Expr::Binary(BinaryOp::And, left, right) => match (holds(left), holds(right)) {
                (Ok(true), Ok(true)) => vec![&**left, &**right],
                (Ok(true), _) => vec![&**right], // an operand that holds does not make a conjunction false
                _ => vec![&**left],
            },
            Expr::Binary(BinaryOp::Or, left, right) => match (holds(left), holds(right)) {
                (Ok(false), Ok(false)) => vec![&**left, &**right],
                (Ok(false), _) => vec![&**right],
                _ => vec![&**left],
            },
            Expr::Conditional(condition, then, otherwise) => match holds(condition) {
                Ok(true) => vec![&**condition, &**then],
                Ok(false) => vec![&**condition, &**otherwise],
                Err(_) => vec![&**condition],
            },
            Expr::Length(channel)
            | Expr::Full(channel)
            | Expr::Empty(channel)
            | Expr::NotFull(channel)
            | Expr::NotEmpty(channel) => indices(channel),
            Expr::Poll { channel, args, .. } => {
                let compared = args.iter().filter_map(|arg| match arg {
                    ArgPattern::Match { value, .. } => Some(value),
                    ArgPattern::Bind(_) | ArgPattern::Ignore => None,
                });
                indices(channel).into_iter().chain(compared).collect()
            }
            Expr::Computed { .. } => known_variables(expr),
            _ => {
                let mut parts = Vec::new();
                expr.for_each_part(&mut |part| parts.push(part));
                parts
            }
        }
    }

    /// The expression with its value and the parts that decide it.
    pub fn part(self, expr: &Expr) -> Part {
        let parts = self.evaluated(expr).into_iter();
        let parts = parts.filter(|part| part.as_constant().is_none()).map(|part| self.part(part)).collect();
        Part {
            text: self.printer().source(expr),
            value: self.eval(expr).ok().map(|value| self.value_of(expr, value)),
            source: self.source(expr),
            parts,
        }
    }

    /// The innermost part of some expressions that cannot be evaluated.
    pub fn faulty_part(self, exprs: &[&Expr]) -> Option<Part> {
        let faulty = exprs.iter().find(|expr| self.eval(expr).is_err())?;
        let inside = self.evaluated(faulty);
        self.faulty_part(&inside).or_else(|| Some(self.part(faulty)))
    }

    /// The innermost part of an action that cannot be evaluated. Of a `d_step` that is one of its guards.
    pub(crate) fn faulty_part_of(self, action: &Action) -> Option<Part> {
        match action {
            Action::DStep(block) => block.guards.iter().find_map(|guard| self.faulty_part_of(guard)),
            _ => {
                let mut targets = Vec::new();
                action.for_each_target(&mut |target| targets.push(Expr::Var(target.clone())));
                let mut exprs: Vec<&Expr> = targets.iter().collect();
                action.for_each_expr(&mut |expr| exprs.push(expr));
                self.faulty_part(&exprs)
            }
        }
    }

    /// What the cell that a reference means depends on: its indices.
    pub(crate) fn index_sources(self, var: &VarRef) -> Vec<Source> {
        let mut found = Vec::new();
        var.indices.iter().for_each(|index| self.add_sources(index, &mut found));
        found
    }
}

impl Player<'_, '_> {
    /// The type of a process, if there is one with this number.
    pub fn proctype_of(&self, pid: u8) -> Option<ProctypeId> {
        self.work.processes.get(pid as usize).map(|frame| frame.proctype)
    }

    /// The value of a cell before the last move, or after it if its process is new; `None` if its process has ended.
    pub fn cell_value(&self, cell: CellRef) -> Option<i32> {
        let layout = &self.engine.layout;
        let is_new = cell.owner.is_some_and(|pid| pid as usize >= self.before.processes.len());
        let work = if is_new { &self.work } else { &self.before };
        let (slot, start) = match cell.owner {
            None => (layout.globals[cell.var.index()], 0),
            Some(pid) => {
                let frame = work.processes.get(pid as usize)?;
                (layout.processes[frame.proctype.index()].locals[cell.var.index()], frame.offset)
            }
        };
        Some(work.read(start + slot.offset + cell.cell * slot.cell.width() as u32, slot.cell))
    }

    /// How many channels there are: they have the numbers from 1 on.
    pub fn channels(&self) -> usize {
        self.work.channels.len()
    }

    /// The name of a channel: the variable that was initialised with it, such as `fork[2]`.
    pub fn channel_label(&self, id: i32) -> String {
        self.engine.channel_name(&self.work, id)
    }

    /// The name of a cell without its process, and the text of a value of it. `proctype` is the type of its owner.
    pub fn cell_label(&self, cell: CellRef, proctype: Option<ProctypeId>, value: i32) -> (String, String) {
        let variable = self.engine.cell_variable(cell, proctype);
        let value = match variable.scalar {
            Scalar::Chan => self.channel_label(value),
            scalar => self.engine.value_text(&self.work, scalar, value),
        };
        (cell_name(variable, cell.cell as usize), value)
    }

    /// The text of the value of a field of a message.
    pub fn field_text(&self, channel: i32, field: u32, value: i32) -> String {
        let shape = self.work.channel(&self.engine.layout, channel).map(|found| found.0.shape);
        let field = shape.ok().and_then(|shape| self.engine.model.shapes[shape as usize].fields.get(field as usize));
        match field.map(|field| field.scalar) {
            Some(Scalar::Chan) => self.channel_label(value),
            Some(scalar) => self.engine.value_text(&self.work, scalar, value),
            None => value.to_string(),
        }
    }
}

/// The indices of a channel; the variable itself hardly ever changes.
fn indices(channel: &Expr) -> Vec<&Expr> {
    match channel {
        Expr::Var(var) => var.indices.iter().collect(),
        _ => Vec::new(),
    }
}
/// The variables inside a computation whose cells do not depend on the values that it computes.
fn known_variables(computation: &Expr) -> Vec<&Expr> {
    let mut found: Vec<&Expr> = Vec::new();
    computation.walk(&mut |part| {
        let is_known = match part {
            Expr::Var(var) => var.scope != Scope::Scratch && var.indices.iter().all(|at| at.as_constant().is_some()),
            Expr::RemoteVar { indices, .. } => indices.iter().all(|at| at.as_constant().is_some()),
            Expr::RemoteLabel { .. } => true,
            _ => false,
        };
        if is_known && !found.contains(&part) {
            found.push(part);
        }
    });
    found
}
