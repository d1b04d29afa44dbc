//! Explanations: why a process cannot move, and why a condition does not hold.

use homing_core::SourcePlace;
use homing_ir::print::Printer;
use homing_ir::{Action, Expr, Scalar, Scope, UnaryOp, VarRef};

use crate::effect::CellRef;
use crate::eval::View;
use crate::player::Player;
use crate::printf::name_in;

/// A subexpression and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subexpression {
    pub text: String,
    pub value: String,
    /// The cell, if it is a variable.
    pub cell: Option<CellRef>,
}

/// A process that cannot move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub pid: u8,
    pub process: String,
    pub place: SourcePlace,
    /// The process may end here: that it cannot move is no error.
    pub may_end: bool,
    pub statements: Vec<Blocked>,
}

/// A statement that cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    pub text: String,
    pub place: SourcePlace,
    /// What the statement waits for.
    pub reason: String,
}

impl Player<'_, '_> {
    /// Every process with the statements that it cannot execute; for a state in which no process can move.
    pub fn waiting(&self) -> Vec<Waiting> {
        (0..self.processes()).map(|pid| self.waiting_process(pid)).collect()
    }

    pub(crate) fn waiting_process(&self, pid: usize) -> Waiting {
        let view = self.view(pid, true);
        let proctype = self.engine.model.proctype(view.proctype());
        let location = proctype.automaton.location(self.location(pid));
        let printer = Printer { model: self.engine.model, proctype: Some(view.proctype()) };
        let held = view.may_run().is_ok_and(|may| !may).then(|| match &proctype.provided {
            Some(provided) => format!("the process may run only provided {}", view.with_values(provided)),
            None => "a process of higher priority can move".to_owned(),
        });
        let blocked = |transition: &homing_ir::Transition| {
            let statement = proctype.automaton.statement(transition.statement);
            Blocked {
                text: printer.action(&statement.action),
                place: self.engine.source_place(statement.place),
                reason: held.clone().unwrap_or_else(|| self.reason(view, &statement.action)),
            }
        };
        Waiting {
            pid: pid as u8,
            process: self.process_name(pid),
            place: self.engine.source_place(location.place),
            may_end: location.labels.end,
            statements: location.transitions.iter().map(blocked).collect(),
        }
    }

    fn reason(&self, view: View<'_>, action: &Action) -> String {
        match action {
            Action::Condition(guard) => format!("waits until {}", view.with_values(guard)),
            Action::Send { channel, .. } => match view.rendezvous(action) {
                Ok(Some(id)) => format!("no process receives from {} now", self.channel(view, id)),
                Ok(None) => format!("{} is full", self.named(view, channel)),
                Err(fault) => fault.to_string(),
            },
            Action::Receive { channel, .. } => self.reason_of_receive(view, channel),
            Action::DStep(block) => {
                let reasons: Vec<String> = block.guards.iter().map(|guard| self.reason(view, guard)).collect();
                reasons.join("; ")
            }
            Action::End => {
                let youngest = self.processes() - 1;
                format!("ends only after {}, which is younger", self.process_name(youngest))
            }
            Action::Else => "another statement comes first".to_owned(),
            _ => String::new(),
        }
    }

    fn reason_of_receive(&self, view: View<'_>, channel: &Expr) -> String {
        let Ok(id) = view.eval(channel) else { return String::new() };
        let Ok(found) = view.channel(id) else { return "the channel was never initialised".to_owned() };
        let name = self.channel(view, id);
        if found.1.capacity == 0 {
            format!("no process sends to {name} now")
        } else if view.work.length(found) == 0 {
            format!("{name} is empty")
        } else {
            format!("no message matches: {name} holds {}", self.engine.contents(view.work, id))
        }
    }

    fn named(&self, view: View<'_>, channel: &Expr) -> String {
        view.eval(channel).map_or_else(|fault| fault.to_string(), |id| self.channel(view, id))
    }

    fn channel(&self, view: View<'_>, id: i32) -> String {
        self.engine.channel_name(view.work, id)
    }
}

/// The most subexpressions of a condition that are listed.
const MOST_SUBEXPRESSIONS: usize = 24;

impl View<'_> {
    /// A condition with the values of the variables in it: `(x>3), where x = 1`.
    fn with_values(self, guard: &Expr) -> String {
        let text = self.printer().expr(guard);
        let parts = self.subexpressions(guard);
        let cells = parts.iter().filter(|part| part.cell.is_some());
        let values: Vec<String> = cells.map(|part| format!("{} = {}", part.text, part.value)).collect();
        if values.is_empty() { text } else { format!("{text}, where {}", values.join(", ")) }
    }

    /// The expression and its subexpressions with their values, the whole first; without those that cannot be evaluated.
    pub fn subexpressions(self, expr: &Expr) -> Vec<Subexpression> {
        let mut parts = Vec::new();
        self.collect_subexpressions(expr, &mut parts);
        parts
    }

    fn collect_subexpressions(self, expr: &Expr, parts: &mut Vec<Subexpression>) {
        if expr.as_constant().is_some() || parts.len() >= MOST_SUBEXPRESSIONS {
            return;
        }
        if let Ok(value) = self.eval(expr) {
            let text = self.printer().expr(expr);
            if parts.iter().all(|part| part.text != text) {
                let cell = if let Expr::Var(var) = expr { self.cell_ref(var) } else { None };
                parts.push(Subexpression { text, value: self.value_of(expr, value), cell });
            }
        }
        expr.for_each_part(&mut |part| self.collect_subexpressions(part, parts));
    }

    fn printer(&self) -> Printer<'_> {
        let proctype = self.work.processes.get(self.pid).map(|frame| frame.proctype);
        Printer { model: self.model, proctype }
    }

    /// The text of a value of the expression: true or false, the name of an mtype, or a number.
    pub fn value_of(self, expr: &Expr, value: i32) -> String {
        let truth = || if value != 0 { "true" } else { "false" }.to_owned();
        match expr {
            Expr::Unary(UnaryOp::Not, _)
            | Expr::Full(_)
            | Expr::Empty(_)
            | Expr::NotFull(_)
            | Expr::NotEmpty(_)
            | Expr::Poll { .. }
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Enabled(_)
            | Expr::RemoteLabel { .. } => truth(),
            Expr::Binary(op, ..) if op.is_test() => truth(),
            Expr::Var(var) => match self.variable(var.scope, var.var).scalar {
                Scalar::Mtype(set) => name_in(self.model, set, value).unwrap_or_else(|| value.to_string()),
                _ => value.to_string(),
            },
            _ => value.to_string(),
        }
    }

    /// The cell that a variable of the expression means.
    pub fn cell_ref(self, var: &VarRef) -> Option<CellRef> {
        let (offset, cell) = self.cell(var).ok()?;
        let owner = (var.scope == Scope::Local).then_some(self.pid as u8);
        Some(CellRef { owner, var: var.var, cell: (offset - self.cells_of(var)) / cell.width() as u32 })
    }
}
