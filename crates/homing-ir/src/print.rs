//! Expressions and statements as text, in the words SPIN uses in its listings.

use std::borrow::Cow;
use std::fmt::Write;

use crate::{
    Action, ArgPattern, BinaryOp, Expr, Formula, Model, ProctypeId, Queueing, Scope, UnaryOp, VarId, VarRef, Variable,
};

/// The operator as written.
pub fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
    }
}

/// Prints what belongs to one process type (or to none).
#[derive(Clone, Copy)]
pub struct Printer<'m> {
    /// The model that names are taken from.
    pub model: &'m Model,
    /// Whose locals are meant.
    pub proctype: Option<ProctypeId>,
}

macro_rules! put {
    ($out:expr, $($arg:tt)*) => { write!($out, $($arg)*).expect("a string takes all") };
}

impl<'m> Printer<'m> {
    /// An expression, as SPIN shows it.
    pub fn expr(self, expr: &Expr) -> String {
        let mut out = String::new();
        self.text(Syntax::Listing).put_expr(&mut out, expr);
        out
    }

    /// A statement, as SPIN shows it in `pan -d`, in trails and among the unreached.
    pub fn action(self, action: &Action) -> String {
        let mut out = String::new();
        self.text(Syntax::Listing).put_action(&mut out, action);
        out
    }

    /// A formula, as it can be written in an `ltl` block.
    pub fn formula(self, formula: &Formula) -> String {
        let mut out = String::new();
        self.text(Syntax::Source).put_formula(&mut out, formula);
        out
    }

    /// A name, a constant or a call, as it is written in a model.
    pub(crate) fn operand(self, expr: &Expr) -> String {
        let mut out = String::new();
        self.text(Syntax::Source).put_expr(&mut out, expr);
        out
    }

    fn text(self, syntax: Syntax) -> Text<'m> {
        Text { model: self.model, proctype: self.proctype, syntax }
    }
}

/// How references to other processes are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    /// As SPIN lists them: `(P[1]._p==L)`, `P[1].x`.
    Listing,
    /// As they are written in a model: `P[1]@L`, `P[1]:x`.
    Source,
}

/// A text in the making.
#[derive(Clone, Copy)]
struct Text<'m> {
    model: &'m Model,
    proctype: Option<ProctypeId>,
    syntax: Syntax,
}

impl Text<'_> {
    fn put_formula(self, out: &mut String, formula: &Formula) {
        match formula {
            Formula::Proposition(expr) => self.put_expr(out, expr),
            Formula::Unary(op, operand) => {
                put!(out, "{}(", op.symbol());
                self.put_formula(out, operand);
                out.push(')');
            }
            Formula::Binary(op, left, right) => {
                out.push('(');
                self.put_formula(out, left);
                put!(out, " {} ", op.symbol());
                self.put_formula(out, right);
                out.push(')');
            }
        }
    }

    fn put_action(self, out: &mut String, action: &Action) {
        match action {
            Action::Skip(text) => out.push_str(text),
            Action::Else => out.push_str("else"),
            Action::Condition(guard) => self.put_in(out, "(", guard, ")"),
            Action::Assign { target, value } => {
                self.put_var(out, target);
                out.push_str(" = ");
                self.put_expr(out, value);
            }
            Action::Discard(value) => self.put_in(out, "_ = ", value, ""),
            Action::SetOwnPriority(value) => self.put_in(out, "_priority = ", value, ""),
            Action::SetPriority { pid, priority } => {
                self.put_in(out, "set_priority(", pid, ", ");
                self.put_expr(out, priority);
                out.push(')');
            }
            Action::Send { channel, args, queueing } => {
                self.put_expr(out, channel);
                out.push_str(if *queueing == Queueing::Sorted { "!!" } else { "!" });
                self.put_list(out, args);
            }
            Action::Receive { channel, args, from } => {
                self.put_expr(out, channel);
                out.push_str(if from.anywhere { "??" } else { "?" });
                out.push_str(if from.keep { "<" } else { "" });
                self.put_args(out, args);
                out.push_str(if from.keep { ">" } else { "" });
            }
            Action::Assert(condition) => self.put_in(out, "assert(", condition, ")"),
            Action::Print { format, args } => {
                put!(out, "printf({}", format.replace('"', "'"));
                for arg in args {
                    self.put_in(out, ",", arg, "");
                }
                out.push(')');
            }
            Action::PrintMtype(value) => self.put_in(out, "printm(", value, ")"),
            Action::Run { proctype, args, store, .. } => {
                let mut run = format!("run {}(", self.model.proctype(*proctype).name);
                self.put_list(&mut run, args);
                run.push(')');
                match store {
                    None => put!(out, "({run})"),
                    Some((target, value)) => {
                        self.put_var(out, target);
                        let mut text = String::new();
                        self.put_expr(&mut text, value);
                        put!(out, " = {}", text.replace(NEW_PID, &run));
                    }
                }
            }
            Action::DStep(block) => put!(out, "D_STEP{}", block.line),
            Action::Edge(_) => {
                out.push_str(&Printer { model: self.model, proctype: self.proctype }.source_action(action))
            }
            Action::End => out.push_str("-end-"),
            Action::Event { send, channel, args } => {
                self.put_in(out, "", channel, if *send { "!" } else { "?" });
                self.put_args(out, args);
            }
        }
    }

    fn put_in(self, out: &mut String, before: &str, expr: &Expr, after: &str) {
        out.push_str(before);
        self.put_expr(out, expr);
        out.push_str(after);
    }

    fn put_list(self, out: &mut String, exprs: &[Expr]) {
        for (at, expr) in exprs.iter().enumerate() {
            self.put_in(out, if at > 0 { "," } else { "" }, expr, "");
        }
    }

    fn put_args(self, out: &mut String, args: &[ArgPattern]) {
        for (at, arg) in args.iter().enumerate() {
            out.push_str(if at > 0 { "," } else { "" });
            match arg {
                ArgPattern::Match { value, eval: true } => self.put_in(out, "eval(", value, ")"),
                ArgPattern::Match { value, eval: false } => self.put_expr(out, value),
                ArgPattern::Bind(var) => self.put_var(out, var),
                ArgPattern::Ignore => out.push('_'),
            }
        }
    }

    fn put_expr(self, out: &mut String, expr: &Expr) {
        match expr {
            Expr::Const { value, mtype } => {
                let name = mtype.and_then(|mtype| {
                    let names = &self.model.mtypes[mtype.set as usize].names;
                    names.get((*value as usize).wrapping_sub(1))
                });
                match name {
                    Some(name) => out.push_str(name),
                    None => put!(out, "{value}"),
                }
            }
            Expr::Var(var) => self.put_var(out, var),
            Expr::Pid => out.push_str("_pid"),
            Expr::ProcessCount => out.push_str("_nr_pr"),
            Expr::Last => out.push_str("_last"),
            Expr::OwnPriority => out.push_str("_priority"),
            Expr::Unary(op, operand) => {
                let op = match op {
                    UnaryOp::Not => "!(",
                    UnaryOp::Negate => "-(",
                    UnaryOp::Complement => "~(",
                };
                self.put_in(out, op, operand, ")");
            }
            Expr::Binary(op, left, right) => {
                self.put_in(out, "(", left, operator(*op));
                self.put_in(out, "", right, ")");
            }
            Expr::Conditional(condition, then, otherwise) => {
                self.put_in(out, "( (", condition, ") -> ");
                self.put_in(out, "(", then, ") : ");
                self.put_in(out, "(", otherwise, ") )");
            }
            Expr::Length(channel) => self.put_in(out, "len(", channel, ")"),
            Expr::Full(channel) => self.put_in(out, "full(", channel, ")"),
            Expr::Empty(channel) => self.put_in(out, "empty(", channel, ")"),
            Expr::NotFull(channel) => self.put_in(out, "nfull(", channel, ")"),
            Expr::NotEmpty(channel) => self.put_in(out, "nempty(", channel, ")"),
            Expr::Poll { channel, args, anywhere } => {
                self.put_in(out, "", channel, if *anywhere { "??[" } else { "?[" });
                self.put_args(out, args);
                out.push(']');
            }
            Expr::Timeout => out.push_str("timeout"),
            Expr::NonProgress => out.push_str("np_"),
            Expr::Enabled(pid) => self.put_in(out, "enabled(", pid, ")"),
            Expr::Location(pid) => self.put_in(out, "pc_value(", pid, ")"),
            Expr::PriorityOf(pid) => self.put_in(out, "get_priority(", pid, ")"),
            Expr::RemoteLabel { proctype, label, .. } if self.model.features.network => {
                put!(out, "{}.{label}", self.model.proctype(*proctype).name);
            }
            Expr::RemoteVar { proctype, var, indices, .. } if self.model.features.network => {
                let proctype = self.model.proctype(*proctype);
                put!(out, "{}.", proctype.name);
                self.put_named(out, &proctype.locals[var.index()], indices);
            }
            Expr::RemoteLabel { proctype, pid, label, .. } => {
                let is_source = self.syntax == Syntax::Source;
                out.push_str(if is_source { "" } else { "(" });
                self.put_remote(out, *proctype, pid.as_deref());
                if is_source {
                    put!(out, "@{label}");
                } else {
                    put!(out, "._p=={label})");
                }
            }
            Expr::RemoteVar { proctype, pid, var, indices } => {
                self.put_remote(out, *proctype, pid.as_deref());
                out.push(if self.syntax == Syntax::Source { ':' } else { '.' });
                self.put_named(out, &self.model.proctype(*proctype).locals[var.index()], indices);
            }
            Expr::NewPid => out.push_str(NEW_PID),
            Expr::Computed { text, .. } => out.push_str(text),
            Expr::Element { table, index } => {
                out.push_str(&self.model.tables[*table as usize].name);
                self.put_index(out, index);
            }
            Expr::Checked(checked) => self.put_expr(out, &checked.value),
        }
    }

    fn put_remote(self, out: &mut String, proctype: ProctypeId, pid: Option<&Expr>) {
        out.push_str(&self.model.proctype(proctype).name);
        if let Some(pid) = pid {
            self.put_index(out, pid);
        }
    }

    fn put_var(self, out: &mut String, var: &VarRef) {
        self.put_named(out, self.variable(var.scope, var.var), &var.indices);
    }

    fn variable(&self, scope: Scope, var: VarId) -> &Variable {
        self.model.variable(self.proctype, scope, var)
    }

    /// A name with its indices where they belong: `a[1].b[2]`.
    fn put_named(self, out: &mut String, variable: &Variable, indices: &[Expr]) {
        for (at, part) in variable.name.split('.').enumerate() {
            out.push_str(if at > 0 { "." } else { "" });
            out.push_str(part);
            for (dimension, (index, after)) in indices.iter().zip(&variable.index_after).enumerate() {
                if *after as usize == at + 1 {
                    self.put_index(out, &shown_index(index, variable.least_index(dimension)));
                }
            }
        }
    }

    fn put_index(self, out: &mut String, index: &Expr) {
        match self.syntax {
            Syntax::Listing => self.put_in(out, "[", index, "]"),
            Syntax::Source => {
                let printer = Printer { model: self.model, proctype: self.proctype };
                put!(out, "[{}]", printer.source(index));
            }
        }
    }
}

/// An index as the source counts: what is subtracted to count from 0 is left out.
fn shown_index(index: &Expr, least: i32) -> Cow<'_, Expr> {
    let is_least = |expr: &Expr| expr.as_constant() == Some(least);
    match index {
        _ if least == 0 => Cow::Borrowed(index),
        Expr::Const { value, .. } => Cow::Owned(Expr::constant(value.wrapping_add(least))),
        Expr::Binary(BinaryOp::Subtract, shown, subtracted) if is_least(subtracted) => Cow::Borrowed(shown),
        _ => Cow::Owned(Expr::Binary(BinaryOp::Add, Box::new(index.clone()), Box::new(Expr::constant(least)))),
    }
}

/// Stands for the `run` inside the expression that uses its result.
const NEW_PID: &str = "\u{1}";

/// The name of one cell of a variable: `a[1].b[2]`.
pub fn cell_name(variable: &Variable, cell: usize) -> String {
    let mut rest = cell;
    let mut indices = vec![0; variable.dims.len()];
    for (at, dim) in variable.dims.iter().enumerate().rev() {
        indices[at] = rest % *dim as usize;
        rest /= *dim as usize;
    }
    let mut out = String::new();
    for (at, part) in variable.name.split('.').enumerate() {
        out.push_str(if at > 0 { "." } else { "" });
        out.push_str(part);
        for (dimension, (index, after)) in indices.iter().zip(&variable.index_after).enumerate() {
            if *after as usize == at + 1 {
                put!(out, "[{}]", *index as i64 + i64::from(variable.least_index(dimension)));
            }
        }
    }
    out
}
