//! Expressions.

use homing_ir::{ArgPattern, BinaryOp, Expr, Formula, MtypeName, Scalar, TemporalBinary, TemporalUnary, UnaryOp};

use super::reference::Resolved;
use super::{Lowered, Lowering};
use crate::ast::{self, ExprKind, Probe, ReceiveArg};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::spelling::nearest;

/// The code of errors in formulas that SPIN accepts: they concern the formula alone, not the model.
pub(super) const INVALID_FORMULA: &str = "invalid-formula";

impl Lowering<'_> {
    pub(super) fn expression(&mut self, expr: &ast::Expr) -> Lowered<Expr> {
        Ok(match &expr.kind {
            ExprKind::Number(value) => Expr::constant(*value),
            ExprKind::Var(var) => self.variable(var)?,
            ExprKind::Unary(op, operand) => {
                let op = match op {
                    ast::UnaryOp::Not => UnaryOp::Not,
                    ast::UnaryOp::Negate => UnaryOp::Negate,
                    ast::UnaryOp::Complement => UnaryOp::Complement,
                    _ => return Err(self.temporal_operator(expr.span)),
                };
                Expr::Unary(op, Box::new(self.expression(operand)?))
            }
            ExprKind::Binary(ast::BinaryOp::Arithmetic(_), left, right) if is_prefixed(left) => {
                return Err(self.temporal_operand(left, right));
            }
            ExprKind::Binary(ast::BinaryOp::Arithmetic(op), left, right) => {
                let (left, right) = (self.expression(left), self.expression(right));
                Expr::Binary(*op, Box::new(left?), Box::new(right?))
            }
            ExprKind::Binary(..) => return Err(self.temporal_operator(expr.span)),
            ExprKind::Conditional(condition, then, otherwise) => {
                let (condition, then) = (self.expression(condition)?, self.expression(then)?);
                Expr::Conditional(Box::new(condition), Box::new(then), Box::new(self.expression(otherwise)?))
            }
            ExprKind::Run { .. } => {
                return Err(self.report(
                    Diagnostic::error(expr.span, "`run` cannot be part of an expression here")
                        .help("write it as a statement of its own, `run P()`, or assign its result, `x = run P()`"),
                ));
            }
            ExprKind::Length(channel) => Expr::Length(Box::new(self.observed(channel)?)),
            ExprKind::Probe(probe, channel) => {
                let channel = Box::new(self.observed(channel)?);
                match probe {
                    Probe::Full => Expr::Full(channel),
                    Probe::Empty => Expr::Empty(channel),
                    Probe::NotFull => Expr::NotFull(channel),
                    Probe::NotEmpty => Expr::NotEmpty(channel),
                }
            }
            ExprKind::Poll { channel, anywhere, args } => {
                let channel = Box::new(self.observed(channel)?);
                Expr::Poll { channel, args: self.receive_args(args)?, anywhere: *anywhere }
            }
            ExprKind::Timeout => {
                self.model.features.timeout |= self.process.as_ref().is_some_and(|process| !process.is_claim);
                Expr::Timeout
            }
            ExprKind::NonProgress => {
                if self.process.as_ref().is_some_and(|process| !process.is_claim) {
                    return Err(self.report(Diagnostic::error(expr.span, "`np_` can only be used in a never claim")));
                }
                Expr::NonProgress
            }
            ExprKind::Enabled(pid) => Expr::Enabled(Box::new(self.expression(pid)?)),
            ExprKind::PcValue(pid) => Expr::Location(Box::new(self.expression(pid)?)),
            ExprKind::PriorityOf(pid) => {
                self.model.features.priorities = true;
                Expr::PriorityOf(Box::new(self.expression(pid)?))
            }
            ExprKind::RemoteLabel { proctype, pid, label } => self.remote_label(proctype, pid.as_deref(), label)?,
            ExprKind::RemoteVar { proctype, pid, var } => self.remote_variable(proctype, pid.as_deref(), var)?,
        })
    }

    /// A channel that is looked at.
    fn observed(&mut self, channel: &ast::VarRef) -> Lowered<Expr> {
        let channel = self.channel(channel)?;
        if self.process.as_ref().is_none_or(|process| process.is_claim)
            && let Expr::Var(var) = &channel
        {
            self.sharing.watched.insert((None, var.var));
        }
        Ok(channel)
    }

    fn temporal_operator(&mut self, span: Span) -> super::Reported {
        self.report(
            Diagnostic::error(span, "a temporal operator inside a condition")
                .code(INVALID_FORMULA)
                .help("`[]`, `<>`, `U` and the like can only be joined by `&&`, `||`, `!` and `->`"),
        )
    }

    /// `<> x == 1`: temporal operators bind as tightly as `!` does.
    fn temporal_operand(&mut self, left: &ast::Expr, right: &ast::Expr) -> super::Reported {
        let mut operand = left;
        while let ExprKind::Unary(_, inner) = &operand.kind {
            operand = inner;
        }
        let operators = self.sources.text(Span { end: operand.span.start, ..left.span }).trim();
        let comparison = self.sources.text(operand.span.to(right.span));
        let is_plain = left.span.file == right.span.file && left.span.via == right.span.via;
        let is_balanced = comparison.matches('(').count() == comparison.matches(')').count();
        if !is_plain || operators.is_empty() || operators.contains('(') || !is_balanced || comparison.contains('\n') {
            return self.temporal_operator(left.span);
        }
        let help = format!("write `{operators} ({comparison})`");
        let label = format!("`{operators}` applies to `{}` alone", self.sources.text(operand.span));
        let diagnostic = Diagnostic::error(left.span, "a temporal operator inside a condition").code(INVALID_FORMULA);
        self.report(diagnostic.label(label).help(help))
    }

    fn variable(&mut self, var: &ast::VarRef) -> Lowered<Expr> {
        if let [part] = &var.parts[..]
            && part.index.is_none()
        {
            if let Some(&(set, value)) = self.mtypes.get(&part.name.name) {
                return Ok(Expr::Const { value, mtype: Some(MtypeName { set }) });
            }
            match &*part.name.name {
                "_pid" => return Ok(Expr::Pid),
                "_nr_pr" => {
                    self.counts_processes = true;
                    return Ok(Expr::ProcessCount);
                }
                "_last" => {
                    self.model.features.last = true;
                    return Ok(Expr::Last);
                }
                "_priority" => {
                    self.model.features.priorities = true;
                    return Ok(Expr::OwnPriority);
                }
                "_p" => return Ok(Expr::Location(Box::new(Expr::Pid))),
                "_" => {
                    return Err(self.report(
                        Diagnostic::error(var.span, "`_` has no value: it can only be written")
                            .help("use a variable of your own"),
                    ));
                }
                _ => {}
            }
        }
        Ok(Expr::Var(self.scalar(var)?.0))
    }

    /// An expression that may be a record, which then comes to all its fields.
    pub(super) fn expanded(&mut self, expr: &ast::Expr) -> Lowered<Vec<Expr>> {
        if let ExprKind::Var(var) = &expr.kind
            && !self.is_predefined(&var.parts[0].name.name)
            && let Resolved::Record { scope, base, indices, record } = self.resolve(var)?
        {
            let cells = self.record_cells(scope, base, &indices, record, var.span)?;
            return Ok(cells.into_iter().map(|(var, _)| Expr::Var(var)).collect());
        }
        Ok(vec![self.expression(expr)?])
    }

    fn is_predefined(&self, name: &str) -> bool {
        self.mtypes.contains_key(name) || matches!(name, "_" | "_pid" | "_nr_pr" | "_last" | "_priority" | "_p")
    }

    pub(super) fn receive_args(&mut self, args: &[ReceiveArg]) -> Lowered<Vec<ArgPattern>> {
        let mut patterns = Vec::new();
        for arg in args {
            match arg {
                ReceiveArg::Number(number) => {
                    patterns.push(ArgPattern::Match { value: Expr::constant(number.value), eval: false });
                }
                ReceiveArg::Eval(value) => {
                    patterns.push(ArgPattern::Match { value: self.expression(value)?, eval: true });
                }
                ReceiveArg::Var(var) => {
                    let name = &var.parts[0].name.name;
                    if &**name == "_" {
                        patterns.push(ArgPattern::Ignore);
                    } else if let Some(&(set, value)) = self.mtypes.get(name) {
                        let value = Expr::Const { value, mtype: Some(MtypeName { set }) };
                        patterns.push(ArgPattern::Match { value, eval: false });
                    } else if self.is_predefined(name) {
                        return Err(self.report(Diagnostic::error(var.span, format!("`{name}` cannot be assigned"))));
                    } else {
                        match self.resolve(var)? {
                            Resolved::Scalar(var, _) => patterns.push(ArgPattern::Bind(var)),
                            Resolved::Record { scope, base, indices, record } => {
                                let cells = self.record_cells(scope, base, &indices, record, var.span)?;
                                self.limit_values((patterns.len() + cells.len()) as u64, var.span)?;
                                patterns.extend(cells.into_iter().map(|(var, _)| ArgPattern::Bind(var)));
                            }
                        }
                    }
                }
            }
        }
        Ok(patterns)
    }

    fn remote_label(&mut self, proctype: &ast::Ident, pid: Option<&ast::Expr>, label: &ast::Ident) -> Lowered<Expr> {
        let id = self.find_proctype(proctype)?;
        let pid = pid.map(|pid| self.expression(pid)).transpose()?.map(Box::new);
        self.make_label_visible(id, &label.name);
        self.remote_labels.push((id, label.clone()));
        Ok(Expr::RemoteLabel { proctype: id, pid, location: 0, label: (*label.name).into() })
    }

    fn remote_variable(
        &mut self,
        proctype: &ast::Ident,
        pid: Option<&ast::Expr>,
        part: &ast::VarPart,
    ) -> Lowered<Expr> {
        let id = self.find_proctype(proctype)?;
        self.refers_to_remote_variables = true;
        let pid = pid.map(|pid| self.expression(pid)).transpose()?.map(Box::new);
        let locals = match (&self.finished[id.index()], &self.process) {
            (Some(_), _) => &self.model.proctype(id).locals,
            (None, Some(process)) if process.id == Some(id) => &process.locals,
            _ => {
                return Err(self.report(
                    Diagnostic::error(proctype.span, format!("`{}` is defined after this place", proctype.name))
                        .help("define the process type first, then refer to its variables"),
                ));
            }
        };
        let Some(var) = locals.iter().position(|local| local.name == *part.name.name) else {
            let near = nearest(&part.name.name, locals.iter().map(|local| local.name.as_str())).map(str::to_owned);
            let mut diagnostic =
                Diagnostic::error(part.name.span, format!("`{}` has no variable `{}`", proctype.name, part.name.name));
            if let Some(near) = near {
                diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
            }
            return Err(self.report(diagnostic));
        };
        let dims = locals[var].dims.len();
        let indices = match &part.index {
            Some(index) => vec![self.expression(index)?],
            None => Vec::new(),
        };
        if indices.len() != dims {
            return Err(self.report(Diagnostic::error(part.name.span, "an index is missing or too many")));
        }
        Ok(Expr::RemoteVar { proctype: id, pid, var: homing_ir::VarId(var as u32), indices })
    }

    pub(super) fn find_proctype(&mut self, ident: &ast::Ident) -> Lowered<homing_ir::ProctypeId> {
        if let Some(&id) = self.proctypes.get(&ident.name) {
            return Ok(id);
        }
        let mut diagnostic = Diagnostic::error(ident.span, format!("there is no process type `{}`", ident.name));
        diagnostic = match nearest(&ident.name, self.proctypes.keys().map(|name| &**name)) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help(format!("define it with `proctype {}() {{ … }}`", ident.name)),
        };
        Err(self.report(diagnostic))
    }

    /// The value of an expression made of constants.
    pub(super) fn constant(&mut self, expr: &ast::Expr) -> Lowered<i32> {
        let value = match &expr.kind {
            ExprKind::Number(value) => Some(*value),
            ExprKind::Var(var) => match &var.parts[..] {
                [part] if part.index.is_none() => self.mtypes.get(&part.name.name).map(|(_, value)| *value),
                _ => None,
            },
            ExprKind::Unary(ast::UnaryOp::Negate, operand) => Some(self.constant(operand)?.wrapping_neg()),
            ExprKind::Binary(ast::BinaryOp::Arithmetic(op), left, right) => {
                let (left, right) = (self.constant(left)?, self.constant(right)?);
                match op {
                    BinaryOp::Add => Some(left.wrapping_add(right)),
                    BinaryOp::Subtract => Some(left.wrapping_sub(right)),
                    BinaryOp::Multiply => Some(left.wrapping_mul(right)),
                    BinaryOp::Divide => left.checked_div(right),
                    BinaryOp::Remainder => left.checked_rem(right),
                    _ => None,
                }
            }
            _ => None,
        };
        value.ok_or_else(|| {
            self.report(
                Diagnostic::error(expr.span, "a constant is needed here")
                    .help("use numbers, macros and + - * / % only"),
            )
        })
    }

    /// SPIN checks mtype constants where they are assigned: all from one set, the declared one if there is one.
    pub(super) fn check_mtype_assignment(&mut self, to: Span, scalar: Scalar, value: &ast::Expr) -> Lowered<()> {
        let ExprKind::Var(var) = &value.kind else { return Ok(()) };
        let Some(&(set, _)) = self.mtypes.get(&var.parts[0].name.name) else { return Ok(()) };
        let expected = match scalar {
            Scalar::Mtype(Some(set)) => set,
            _ => *self.inferred_sets.entry(to).or_insert(set),
        };
        if expected == set {
            return Ok(());
        }
        let describe = |set: u16| match &self.model.mtypes[set as usize].name {
            Some(name) => format!("mtype:{name}"),
            None => "plain mtype".to_owned(),
        };
        let (expected, given) = (describe(expected), describe(set));
        let name = &var.parts[0].name.name;
        Err(self.report(Diagnostic::error(value.span, format!("`{name}` is of {given}, not of {expected}"))))
    }

    /// SPIN refuses channels as operands in what is assigned; in conditions it lets them be compared.
    pub(super) fn forbid_channel_arithmetic(&mut self, value: &ast::Expr) -> Lowered<()> {
        let Some((name, span)) = self.channel_operand(value, false) else { return Ok(()) };
        let diagnostic = Diagnostic::error(span, format!("channel `{name}` cannot be computed with"));
        Err(self.report(diagnostic.help(format!("`len({name})` is the number of messages in it"))))
    }

    fn channel_operand<'e>(&self, expr: &'e ast::Expr, operand: bool) -> Option<(&'e ast::Name, Span)> {
        match &expr.kind {
            ExprKind::Var(var) => {
                let name = &var.parts[0].name.name;
                let local = self.process.as_ref().and_then(|process| process.blocks.find(name));
                let symbol = local.or_else(|| self.globals.get(name));
                if operand && symbol.is_some_and(|symbol| symbol.declared.ty.is_chan()) {
                    return Some((name, var.span));
                }
                let mut indices = var.parts.iter().filter_map(|part| part.index.as_deref());
                indices.find_map(|index| self.channel_operand(index, false))
            }
            ExprKind::Unary(_, inner)
            | ExprKind::Enabled(inner)
            | ExprKind::PcValue(inner)
            | ExprKind::PriorityOf(inner) => self.channel_operand(inner, true),
            ExprKind::Binary(_, left, right) => {
                self.channel_operand(left, true).or_else(|| self.channel_operand(right, true))
            }
            ExprKind::Conditional(condition, then, otherwise) => self
                .channel_operand(condition, true)
                .or_else(|| self.channel_operand(then, true))
                .or_else(|| self.channel_operand(otherwise, true)),
            _ => None,
        }
    }

    pub(super) fn forbid_run(&mut self, expr: &ast::Expr) -> Lowered<()> {
        match find_run(expr) {
            None => Ok(()),
            Some(span) => Err(self.report(
                Diagnostic::error(span, "`run` cannot be used here")
                    .help("write it as a statement of its own, `run P()`, or assign its result, `x = run P()`"),
            )),
        }
    }

    /// A formula of temporal logic. Boolean connectives are part of it, as far in as there is nothing else around them.
    pub(super) fn temporal_formula(&mut self, expr: &ast::Expr) -> Lowered<Formula> {
        match &expr.kind {
            ExprKind::Unary(op, operand) if let Some(op) = temporal_unary(*op) => {
                Ok(Formula::unary(op, self.temporal_formula(operand)?))
            }
            ExprKind::Binary(op, left, right) if let Some(op) = temporal_binary(*op) => {
                let (left, right) = (self.temporal_formula(left), self.temporal_formula(right));
                Ok(Formula::binary(op, left?, right?))
            }
            ExprKind::Binary(ast::BinaryOp::Arithmetic(op @ (BinaryOp::BitAnd | BinaryOp::BitOr)), left, right)
                if is_temporal(left) || is_temporal(right) =>
            {
                let (wrong, right) = if *op == BinaryOp::BitAnd { ("&", "&&") } else { ("|", "||") };
                Err(self.report(
                    Diagnostic::error(expr.span, format!("`{wrong}` cannot join temporal formulas"))
                        .code(INVALID_FORMULA)
                        .help(format!("did you mean `{right}`?")),
                ))
            }
            _ => Ok(Formula::Proposition(self.expression(expr)?)),
        }
    }
}

/// The operator of a formula, if it is one.
fn temporal_unary(op: ast::UnaryOp) -> Option<TemporalUnary> {
    match op {
        ast::UnaryOp::Not => Some(TemporalUnary::Not),
        ast::UnaryOp::Always => Some(TemporalUnary::Always),
        ast::UnaryOp::Eventually => Some(TemporalUnary::Eventually),
        ast::UnaryOp::Next => Some(TemporalUnary::Next),
        ast::UnaryOp::Negate | ast::UnaryOp::Complement => None,
    }
}

/// The operator of a formula, if it is one.
fn temporal_binary(op: ast::BinaryOp) -> Option<TemporalBinary> {
    match op {
        ast::BinaryOp::Arithmetic(BinaryOp::And) => Some(TemporalBinary::And),
        ast::BinaryOp::Arithmetic(BinaryOp::Or) => Some(TemporalBinary::Or),
        ast::BinaryOp::Arithmetic(_) => None,
        ast::BinaryOp::Until => Some(TemporalBinary::Until),
        ast::BinaryOp::WeakUntil => Some(TemporalBinary::WeakUntil),
        ast::BinaryOp::Release => Some(TemporalBinary::Release),
        ast::BinaryOp::Implies => Some(TemporalBinary::Implies),
        ast::BinaryOp::Equivalent => Some(TemporalBinary::Equivalent),
    }
}

/// Whether an operand begins with temporal operators, perhaps after others.
fn is_prefixed(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::Unary(ast::UnaryOp::Always | ast::UnaryOp::Eventually | ast::UnaryOp::Next, _) => true,
        ExprKind::Unary(_, operand) => is_prefixed(operand),
        _ => false,
    }
}

/// Whether a temporal operator stands somewhere in an expression.
fn is_temporal(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::Unary(ast::UnaryOp::Always | ast::UnaryOp::Eventually | ast::UnaryOp::Next, _) => true,
        ExprKind::Unary(_, operand) => is_temporal(operand),
        ExprKind::Binary(ast::BinaryOp::Arithmetic(_), left, right) => is_temporal(left) || is_temporal(right),
        ExprKind::Binary(..) => true,
        _ => false,
    }
}

/// The first `run` in an expression.
pub(super) fn find_run(expr: &ast::Expr) -> Option<Span> {
    match &expr.kind {
        ExprKind::Run { .. } => Some(expr.span),
        ExprKind::Unary(_, operand)
        | ExprKind::Enabled(operand)
        | ExprKind::PcValue(operand)
        | ExprKind::PriorityOf(operand) => find_run(operand),
        ExprKind::Binary(_, left, right) => find_run(left).or_else(|| find_run(right)),
        ExprKind::Conditional(condition, then, otherwise) => {
            find_run(condition).or_else(|| find_run(then)).or_else(|| find_run(otherwise))
        }
        _ => None,
    }
}
