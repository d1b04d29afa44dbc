//! Expressions and references.

use std::fmt::Write;

use super::Printer;
use crate::ast::{BinaryOp, Expr, ExprKind, Probe, ReceiveArg, UnaryOp, VarPart, VarRef};

impl Printer {
    pub(super) fn list(&mut self, exprs: &[Expr]) {
        self.separated(", ", exprs, Self::expr);
    }

    pub(super) fn receive_args(&mut self, args: &[ReceiveArg]) {
        self.separated(", ", args, Self::receive_arg);
    }

    fn receive_arg(&mut self, arg: &ReceiveArg) {
        match arg {
            ReceiveArg::Var(var) => self.var(var),
            ReceiveArg::Eval(value) => self.call("eval", &[value]),
            ReceiveArg::Number(number) => put!(self, "{}", number.value),
        }
    }

    pub(super) fn var(&mut self, var: &VarRef) {
        self.separated(".", &var.parts, Self::var_part);
    }

    fn var_part(&mut self, part: &VarPart) {
        put!(self, "{}", part.name.name);
        if let Some(index) = &part.index {
            put!(self, "[");
            self.expr(index);
            put!(self, "]");
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            // a number that exceeded 32 bits was wrapped, and is read back as the same value
            ExprKind::Number(value) => put!(self, "{}", *value as u32),
            ExprKind::Var(var) => self.var(var),
            ExprKind::Unary(op, operand) => {
                put!(self, "{}(", unary_operator(*op));
                self.expr(operand);
                put!(self, ")");
            }
            ExprKind::Binary(op, left, right) => {
                put!(self, "(");
                self.expr(left);
                put!(self, " {} ", binary_operator(*op));
                self.expr(right);
                put!(self, ")");
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                put!(self, "(");
                self.expr(condition);
                put!(self, " -> ");
                self.expr(then);
                put!(self, " : ");
                self.expr(otherwise);
                put!(self, ")");
            }
            ExprKind::Run { proctype, args, priority } => {
                put!(self, "run {}(", proctype.name);
                self.list(args);
                put!(self, ")");
                self.priority(*priority);
            }
            ExprKind::Length(channel) => self.call_on("len", channel),
            ExprKind::Probe(probe, channel) => {
                self.call_on(probe_name(*probe), channel);
            }
            ExprKind::Poll { channel, anywhere, args } => {
                self.var(channel);
                put!(self, "{}[", if *anywhere { "??" } else { "?" });
                self.receive_args(args);
                put!(self, "]");
            }
            ExprKind::Timeout => put!(self, "timeout"),
            ExprKind::NonProgress => put!(self, "np_"),
            ExprKind::Enabled(pid) => self.call("enabled", &[pid]),
            ExprKind::PcValue(pid) => self.call("pc_value", &[pid]),
            ExprKind::PriorityOf(pid) => self.call("get_priority", &[pid]),
            ExprKind::RemoteLabel { proctype, pid, label } => {
                self.remote(&proctype.name, pid.as_deref());
                put!(self, "@{}", label.name);
            }
            ExprKind::RemoteVar { proctype, pid, var } => {
                self.remote(&proctype.name, pid.as_deref());
                put!(self, ":");
                self.var_part(var);
            }
        }
    }

    fn remote(&mut self, proctype: &str, pid: Option<&Expr>) {
        put!(self, "{proctype}");
        if let Some(pid) = pid {
            put!(self, "[");
            self.expr(pid);
            put!(self, "]");
        }
    }

    pub(super) fn call(&mut self, name: &str, args: &[&Expr]) {
        put!(self, "{name}(");
        self.separated(", ", args, |printer, arg| printer.expr(arg));
        put!(self, ")");
    }

    fn call_on(&mut self, name: &str, channel: &VarRef) {
        put!(self, "{name}(");
        self.var(channel);
        put!(self, ")");
    }
}

fn unary_operator(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Not => "!",
        UnaryOp::Negate => "-",
        UnaryOp::Complement => "~",
        UnaryOp::Always => "[]",
        UnaryOp::Eventually => "<>",
        UnaryOp::Next => "X ",
    }
}

fn probe_name(probe: Probe) -> &'static str {
    match probe {
        Probe::Full => "full",
        Probe::Empty => "empty",
        Probe::NotFull => "nfull",
        Probe::NotEmpty => "nempty",
    }
}

fn binary_operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Arithmetic(op) => homing_ir::print::operator(op),
        BinaryOp::Until => "U",
        BinaryOp::WeakUntil => "W",
        BinaryOp::Release => "V",
        BinaryOp::Implies => "->",
        BinaryOp::Equivalent => "<->",
    }
}
