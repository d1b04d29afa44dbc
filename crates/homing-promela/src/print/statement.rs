//! Statements and sequences.

use std::fmt::Write;

use super::Printer;
use crate::ast::{Expr, ForRange, SelectForm, Sequence, Stmt, StmtKind, VarRef};

impl Printer {
    pub(super) fn block(&mut self, body: &Sequence) {
        put!(self, "{{");
        self.steps(body);
        self.line();
        put!(self, "}}");
    }

    fn steps(&mut self, sequence: &Sequence) {
        self.indent += 1;
        for (at, step) in sequence.steps.iter().enumerate() {
            put!(self, "{}", if at > 0 { ";" } else { "" });
            self.line();
            self.stmt(step);
        }
        self.indent -= 1;
    }

    fn options(&mut self, open: &str, options: &[Sequence], close: &str) {
        put!(self, "{open}");
        for option in options {
            self.line();
            put!(self, "::");
            self.steps(option);
        }
        self.line();
        put!(self, "{close}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Decl(decl) => self.decl(decl),
            StmtKind::Exclusive { send, channels } => {
                put!(self, "{} ", if *send { "xs" } else { "xr" });
                self.separated(", ", channels, Self::var);
            }
            StmtKind::Label(label, inner) => {
                put!(self, "{}: ", label.name);
                self.stmt(inner);
            }
            StmtKind::Assign(var, value) => {
                self.var(var);
                put!(self, " = ");
                self.expr(value);
            }
            StmtKind::Increment(var) => {
                self.var(var);
                put!(self, "++");
            }
            StmtKind::Decrement(var) => {
                self.var(var);
                put!(self, "--");
            }
            StmtKind::Send { channel, sorted, args } => {
                self.var(channel);
                // the blank keeps `q! !x` from being read as a sorted send
                put!(self, "{}", if *sorted { "!!" } else { "! " });
                self.list(args);
            }
            StmtKind::Receive { channel, anywhere, keep, args } => {
                self.var(channel);
                put!(self, "{}{}", if *anywhere { "??" } else { "?" }, if *keep { "<" } else { "" });
                self.receive_args(args);
                put!(self, "{}", if *keep { ">" } else { "" });
            }
            StmtKind::Assert(condition) => self.call("assert", &[condition]),
            StmtKind::Print { format, args } => {
                put!(self, "printf({format}");
                for arg in args {
                    put!(self, ", ");
                    self.expr(arg);
                }
                put!(self, ")");
            }
            StmtKind::PrintMtype(value) => self.call("printm", &[value]),
            StmtKind::SetPriority(pid, priority) => self.call("set_priority", &[pid, priority]),
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::Else => put!(self, "else"),
            StmtKind::Break => put!(self, "break"),
            StmtKind::Goto(label) => put!(self, "goto {}", label.name),
            StmtKind::If(options) => self.options("if", options, "fi"),
            StmtKind::Do(options) => self.options("do", options, "od"),
            StmtKind::Atomic(body) => {
                put!(self, "atomic ");
                self.block(body);
            }
            StmtKind::DStep(body) => {
                put!(self, "d_step ");
                self.block(body);
            }
            StmtKind::Block(body) => self.block(body),
            StmtKind::Unless(main, escape) => {
                self.stmt(main);
                put!(self, " unless ");
                self.stmt(escape);
            }
            StmtKind::For { var, range, body } => {
                self.for_head(var, range);
                self.block(body);
            }
            StmtKind::Select { var, from, to, form } => self.select(var, from, to, *form),
        }
    }

    fn for_head(&mut self, var: &VarRef, range: &ForRange) {
        put!(self, "for (");
        self.var(var);
        match range {
            ForRange::Values(from, to) => {
                put!(self, " : ");
                self.expr(from);
                put!(self, " .. ");
                self.expr(to);
            }
            ForRange::Elements(over) => {
                put!(self, " in ");
                self.var(over);
            }
        }
        put!(self, ") ");
    }

    fn select(&mut self, var: &VarRef, from: &Expr, to: &Expr, form: SelectForm) {
        put!(self, "select (");
        self.var(var);
        // numbers in parentheses are not read as literals
        let (open, close) = if form == SelectForm::General { ("(", ")") } else { ("", "") };
        put!(self, " : {open}");
        self.expr(from);
        put!(self, "{close} .. ");
        self.expr(to);
        put!(self, ")");
    }
}
