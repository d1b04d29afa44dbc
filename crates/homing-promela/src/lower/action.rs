//! Statements without control of their own: what a single transition tests and does.

use std::collections::HashSet;

use homing_ir::{Action, ArgPattern, BinaryOp, Expr, Queueing, ReceiveFrom, Scalar, Scope, VarId, VarRef};

use super::expression::find_run;
use super::flow::Node;
use super::symbols::Type;
use super::{Lowered, Lowering, Send};
use crate::ast::{self, ExprKind, Stmt, StmtKind};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

impl Lowering<'_> {
    /// An expression as a statement: a condition, a `skip` or a `run`.
    pub(super) fn condition(&mut self, expr: &ast::Expr) -> Lowered<Node> {
        match &expr.kind {
            ExprKind::Number(1) => Ok(Node::Skip),
            ExprKind::Run { .. } => Ok(Node::Basic(self.run(expr, None)?)),
            _ => {
                if let Some(span) = find_run(expr) {
                    return Err(self
                        .report(Diagnostic::error(span, "`run` cannot be part of a condition").help(
                            "write it as a statement of its own, `run P()`, or assign its result, `x = run P()`",
                        )));
                }
                Ok(Node::Basic(Action::Condition(self.expression(expr)?)))
            }
        }
    }

    pub(super) fn run(&mut self, expr: &ast::Expr, store: Option<(VarRef, Expr)>) -> Lowered<Action> {
        let ExprKind::Run { proctype, args, priority } = &expr.kind else { unreachable!("called for run") };
        let id = self.find_proctype(proctype)?;
        let mut lowered = Vec::new();
        for arg in args {
            self.forbid_run(arg)?;
            lowered.extend(self.expanded(arg)?);
            self.limit_values(lowered.len() as u64, expr.span)?;
        }
        self.runs.push((id, lowered.len(), expr.span));
        // SPIN takes priority 0 for the usual one.
        let usual = priority.is_some_and(|number| number.value == 0);
        self.model.features.priorities |= usual;
        let priority = if usual { None } else { self.priority(*priority) };
        Ok(Action::Run { proctype: id, args: lowered, priority, store })
    }

    pub(super) fn action(&mut self, stmt: &Stmt) -> Lowered<Action> {
        Ok(match &stmt.kind {
            StmtKind::Assign(var, value) => return self.assignment(var, value),
            StmtKind::Increment(var) => self.count(var, BinaryOp::Add)?,
            StmtKind::Decrement(var) => self.count(var, BinaryOp::Subtract)?,
            StmtKind::Send { channel, args, .. } if self.process().is_trace => {
                let channel = self.channel(channel)?;
                Action::Event { send: true, channel, args: self.event_args(args)? }
            }
            StmtKind::Receive { channel, args, .. } if self.process().is_trace => {
                let channel = self.channel(channel)?;
                Action::Event { send: false, channel, args: self.receive_args(args)? }
            }
            StmtKind::Send { channel, sorted, args } => {
                let channel = self.channel(channel)?;
                let mut lowered = Vec::new();
                for arg in args {
                    self.forbid_run(arg)?;
                    lowered.extend(self.expanded(arg)?);
                    self.limit_values(lowered.len() as u64, stmt.span)?;
                }
                self.note_send(&stmt.kind, lowered.len(), stmt.span);
                let queueing = if *sorted { Queueing::Sorted } else { Queueing::Last };
                Action::Send { channel, args: lowered, queueing }
            }
            StmtKind::Receive { channel, anywhere, keep, args } => {
                let channel = self.channel(channel)?;
                let args = self.receive_args(args)?;
                self.forbid_binding_twice(&args, stmt.span)?;
                Action::Receive { channel, args, from: ReceiveFrom { anywhere: *anywhere, keep: *keep } }
            }
            // The number of a new process is never 0, so this assertion holds.
            StmtKind::Assert(condition) if matches!(condition.kind, ExprKind::Run { .. }) => {
                self.run(condition, None)?
            }
            StmtKind::Assert(condition) => Action::Assert(self.expression(condition)?),
            StmtKind::Print { format, args } => {
                self.warn_of_missing_arguments(format, args.len(), stmt.span);
                let mut lowered = Vec::new();
                for arg in args {
                    lowered.push(self.expression(arg)?);
                }
                Action::Print { format: (**format).into(), args: lowered }
            }
            StmtKind::PrintMtype(value) => Action::PrintMtype(self.expression(value)?),
            StmtKind::SetPriority(pid, priority) => {
                self.model.features.priorities = true;
                Action::SetPriority { pid: self.expression(pid)?, priority: self.expression(priority)? }
            }
            other => unreachable!("not a basic statement: {other:?}"),
        })
    }

    /// Remembers how many values are sent, and by which channel variable.
    fn note_send(&mut self, send: &StmtKind, given: usize, span: Span) {
        let StmtKind::Send { channel, .. } = send else { unreachable!("called for sends") };
        let name = channel.parts.iter().map(|part| &*part.name.name).collect::<Vec<_>>().join(".");
        self.sends.push(Send { given, channel: name, span });
    }

    /// A conversion without an argument prints nothing; SPIN complains when it executes the statement.
    fn warn_of_missing_arguments(&mut self, format: &str, given: usize, span: Span) {
        let mut conversions = 0;
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => drop(chars.next()),
                '%' if matches!(chars.next(), Some('d' | 'u' | 'x' | 'o' | 'c' | 'e')) => conversions += 1,
                _ => {}
            }
        }
        if conversions > given {
            let warning = Diagnostic::warning(span, "this `printf` has too few arguments").code("printf-arguments");
            self.report(warning.label(format!("it converts {conversions}, but has {given}")));
        }
    }

    /// The arguments of a send in a trace: constants have to be equal, everything else matches anything.
    fn event_args(&mut self, args: &[ast::Expr]) -> Lowered<Vec<ArgPattern>> {
        let mut patterns = Vec::new();
        for arg in args {
            if matches!(&arg.kind, ExprKind::Var(var) if &*var.parts[0].name.name == "_") {
                patterns.push(ArgPattern::Ignore);
                continue;
            }
            patterns.extend(self.expanded(arg)?.into_iter().map(|value| match value.as_constant() {
                Some(_) => ArgPattern::Match { value, eval: false },
                None => ArgPattern::Ignore,
            }));
        }
        Ok(patterns)
    }

    fn assignment(&mut self, var: &ast::VarRef, value: &ast::Expr) -> Lowered<Action> {
        let name = &var.parts[0].name;
        match &*name.name {
            "_" => return Ok(Action::Discard(self.expression(value)?)),
            "_priority" => {
                self.model.features.priorities = true;
                return Ok(Action::SetOwnPriority(self.expression(value)?));
            }
            "_pid" | "_nr_pr" | "_last" | "_p" => {
                return Err(self.report(Diagnostic::error(var.span, format!("`{}` cannot be assigned", name.name))));
            }
            _ => {}
        }
        if self.mtypes.contains_key(&name.name) {
            return Err(self.report(
                Diagnostic::error(
                    var.span,
                    format!("`{}` is a constant of an mtype and cannot be assigned", name.name),
                )
                .help("assign to a variable, declared as in `mtype x`"),
            ));
        }
        let (target, scalar) = self.scalar(var)?;
        let declared = self.find_variable(name)?.declared;
        // SPIN does not look into records here.
        if !matches!(declared.ty, Type::Record(_)) {
            self.check_mtype_assignment(declared.span, scalar, value)?;
        }
        if declared.ty.is_chan() && matches!(value.kind, ExprKind::Number(_)) {
            return Err(self.report(
                Diagnostic::error(value.span, "a number cannot be assigned to a channel")
                    .help("to send it over the channel, write `!` instead of `=`"),
            ));
        }
        if !matches!(declared.ty, Type::Record(_)) {
            self.forbid_channel_arithmetic(value)?;
        }
        if let ExprKind::Run { .. } = &value.kind {
            return self.run(value, Some((target, Expr::NewPid)));
        }
        if find_run(value).is_some() {
            return self.run_in_expression(target, value);
        }
        Ok(Action::Assign { target, value: self.expression(value)? })
    }

    /// `x = 1 + run P()`
    fn run_in_expression(&mut self, target: VarRef, value: &ast::Expr) -> Lowered<Action> {
        let mut run = None;
        let value = self.replace_run(value, &mut run)?;
        let run = run.expect("there is a run in it");
        self.run(&run, Some((target, value)))
    }

    fn replace_run(&mut self, expr: &ast::Expr, run: &mut Option<ast::Expr>) -> Lowered<Expr> {
        match &expr.kind {
            ExprKind::Run { .. } => {
                if run.replace(expr.clone()).is_some() {
                    return Err(self.report(Diagnostic::error(expr.span, "a second `run` in one statement")));
                }
                Ok(Expr::NewPid)
            }
            ExprKind::Binary(ast::BinaryOp::Arithmetic(op), left, right) => {
                let (left, right) = (self.replace_run(left, run)?, self.replace_run(right, run)?);
                Ok(Expr::Binary(*op, Box::new(left), Box::new(right)))
            }
            _ => self.expression(expr),
        }
    }

    fn count(&mut self, var: &ast::VarRef, op: BinaryOp) -> Lowered<Action> {
        if self.mtypes.contains_key(&var.parts[0].name.name) {
            return Err(self.report(Diagnostic::error(var.span, "a constant cannot be changed")));
        }
        let (target, scalar) = self.scalar(var)?;
        if scalar == Scalar::Chan {
            return Err(self.report(Diagnostic::error(var.span, "one cannot compute with channels")));
        }
        let value = Expr::Binary(op, Box::new(Expr::Var(target.clone())), Box::new(Expr::constant(1)));
        Ok(Action::Assign { target, value })
    }

    fn forbid_binding_twice(&mut self, args: &[ArgPattern], span: Span) -> Lowered<()> {
        let mut seen: HashSet<(Scope, VarId)> = HashSet::new();
        for arg in args {
            let ArgPattern::Bind(var) = arg else { continue };
            if var.indices.is_empty() && !seen.insert((var.scope, var.var)) {
                return Err(self.report(Diagnostic::error(span, "one variable cannot receive two fields")));
            }
        }
        Ok(())
    }
}
