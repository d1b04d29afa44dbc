//! `for` and `select`: what SPIN makes of them.

use homing_ir::{Action, ArgPattern, BinaryOp, Expr, Queueing, ReceiveFrom, Scalar, Scope, VarId, VarRef, Variable};

use super::flow::{Built, BuiltKind, ExitId, Jump, Node, SequenceId};
use super::reference::Resolved;
use super::symbols::{Type, cell_of};
use super::{Lowered, Lowering};
use crate::ast::{self, ForRange, SelectForm, Sequence, Stmt, StmtKind};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

impl Lowering<'_> {
    pub(super) fn for_loop(
        &mut self,
        var: &ast::VarRef,
        range: &ForRange,
        body: &Sequence,
        span: Span,
    ) -> Lowered<Built> {
        let exit = self.new_exit();
        match range {
            ForRange::Values(from, to) => {
                let counter = self.loop_counter(var)?;
                let (from, to) = (self.expression(from)?, self.expression(to)?);
                if let (Some(a), Some(b)) = (from.as_constant(), to.as_constant())
                    && a > b
                {
                    return Err(self.report(Diagnostic::error(span, format!("this range is empty: {a} is above {b}"))));
                }
                self.start_loop(&counter, from, BinaryOp::LessEqual, to, var.span)?;
                self.loop_body(counter, body, exit, span)
            }
            ForRange::Elements(over) => {
                let name = &over.parts[0].name;
                let symbol = self.find_variable(name)?;
                if let (1, None, Some(length)) = (over.parts.len(), &over.parts[0].index, symbol.declared.length)
                    && !self.is_record(var)
                {
                    let counter = self.loop_counter(var)?;
                    let last = Expr::constant(length as i32 - 1);
                    self.start_loop(&counter, Expr::constant(0), BinaryOp::LessEqual, last, var.span)?;
                    return self.loop_body(counter, body, exit, span);
                }
                self.message_loop(var, over, body, exit, span)
            }
        }
    }

    fn is_record(&mut self, var: &ast::VarRef) -> bool {
        let found = self.process.as_ref().and_then(|process| process.blocks.find(&var.parts[0].name.name));
        let symbol = found.or_else(|| self.globals.get(&var.parts[0].name.name));
        symbol.is_some_and(|symbol| matches!(symbol.declared.ty, Type::Record(_)))
    }

    /// `for (message in channel)`: the channel is rotated once around.
    fn message_loop(
        &mut self,
        var: &ast::VarRef,
        over: &ast::VarRef,
        body: &Sequence,
        exit: ExitId,
        span: Span,
    ) -> Lowered<Built> {
        let symbol = self.find_variable(&over.parts[0].name)?;
        let channel = self.channel(over)?;
        let Resolved::Record { scope, base, indices, record } = self.resolve(var)? else {
            return Err(self.report(
                Diagnostic::error(var.span, "the messages of a channel can only be read into a record")
                    .help("make the message a typedef, and this a variable of that type"),
            ));
        };
        let decl = symbol.channel.filter(|decl| decl.capacity > 0 && decl.record == Some(record));
        let Some(decl) = decl else {
            return Err(self
                .report(Diagnostic::error(over.span, "this channel does not hold messages of that type").help(
                    "it must be declared with one field, the type of the loop variable, and room for messages",
                )));
        };
        let counter = self.hidden_counter(decl.capacity, over.span);
        let cells = self.record_cells(scope, base, &indices, record, var.span)?;
        let length = Expr::Length(Box::new(channel.clone()));
        self.start_loop(&counter, Expr::constant(0), BinaryOp::Less, length, over.span)?;
        let args = cells.iter().map(|(cell, _)| ArgPattern::Bind(cell.clone())).collect();
        let from = ReceiveFrom { anywhere: false, keep: false };
        let receive = self.basic(Action::Receive { channel: channel.clone(), args, from }, over.span);
        self.add(receive)?;
        let args = cells.into_iter().map(|(cell, _)| Expr::Var(cell)).collect();
        let send = self.basic(Action::Send { channel, args, queueing: Queueing::Last }, over.span);
        self.add(send)?;
        self.loop_body(counter, body, exit, span)
    }

    /// The counter of a loop over messages: one for each block, as in SPIN.
    fn hidden_counter(&mut self, capacity: u32, span: Span) -> VarRef {
        let mut blocks: Vec<String> = self.process().blocks.path().numbers().map(|number| number.to_string()).collect();
        blocks.reverse();
        let name = format!("_for_{}", blocks.join("_"));
        let scalar = if capacity > 255 { Scalar::Short } else { Scalar::Byte };
        let place = self.place(span);
        let process = self.process();
        let at = process.locals.iter().position(|local| local.name == name).unwrap_or_else(|| {
            process.locals.push(Variable {
                name,
                scalar,
                cell: cell_of(scalar, false, false),
                dims: Vec::new(),
                index_after: Vec::new(),
                least_indices: Vec::new(),
                hidden: false,
                range: None,
                place,
            });
            process.locals.len() - 1
        });
        VarRef { scope: Scope::Local, var: VarId(at as u32), indices: Vec::new() }
    }

    fn loop_counter(&mut self, var: &ast::VarRef) -> Lowered<VarRef> {
        let (counter, scalar) = self.scalar(var)?;
        if var.parts.len() > 1 || !counter.indices.is_empty() || scalar == Scalar::Chan {
            return Err(self.report(
                Diagnostic::error(var.span, "this cannot count a loop").help("use a plain variable of a number type"),
            ));
        }
        Ok(counter)
    }

    /// `counter = from` in the open sequence; then opens the loop's own sequence with its test.
    fn start_loop(&mut self, counter: &VarRef, from: Expr, test: BinaryOp, to: Expr, span: Span) -> Lowered<()> {
        let start = self.basic(Action::Assign { target: counter.clone(), value: from }, span);
        self.add(start)?;
        self.process().at_start = false;
        self.process().flow.open();
        let test = Expr::Binary(test, Box::new(Expr::Var(counter.clone())), Box::new(to));
        let test = self.basic(Action::Condition(test), span);
        self.add(test)
    }

    fn loop_body(&mut self, counter: VarRef, body: &Sequence, exit: ExitId, span: Span) -> Lowered<Built> {
        self.process().blocks.enter();
        self.process().loops.push(exit);
        let steps = self.steps(&body.steps);
        self.process().loops.pop();
        self.process().blocks.leave();
        let round = self.end_round(counter, span);
        steps?;
        let otherwise = self.stop_option(true, exit, span)?;
        Ok(Built { kind: BuiltKind::Do(vec![otherwise, round?], exit), place: self.place(span), span })
    }

    /// Counts up and closes the loop's sequence.
    fn end_round(&mut self, counter: VarRef, span: Span) -> Lowered<SequenceId> {
        let next = Expr::Binary(BinaryOp::Add, Box::new(Expr::Var(counter.clone())), Box::new(Expr::constant(1)));
        let count = self.basic(Action::Assign { target: counter, value: next }, span);
        let added = self.add(count);
        let sequence = self.process().flow.close();
        added.map(|()| sequence)
    }

    /// `else -> break`, or just `break`.
    fn stop_option(&mut self, with_else: bool, exit: ExitId, span: Span) -> Lowered<SequenceId> {
        self.process().flow.open();
        if with_else {
            let otherwise = self.plain(Node::Else, span);
            self.add(otherwise)?;
        }
        let stop = self.plain(Node::Goto(Jump::Break(exit)), span);
        self.add(stop)?;
        Ok(self.process().flow.close())
    }

    pub(super) fn assign_start(&mut self, var: &ast::VarRef, from: &ast::Expr, span: Span) -> Lowered<Built> {
        let target = self.loop_counter(var)?;
        let value = self.expression(from)?;
        Ok(self.basic(Action::Assign { target, value }, span))
    }

    pub(super) fn select(
        &mut self,
        var: &ast::VarRef,
        from: &ast::Expr,
        to: &ast::Expr,
        form: SelectForm,
        span: Span,
    ) -> Lowered<Built> {
        match form {
            SelectForm::Choice => {
                let (a, b) = (self.constant(from)?, self.constant(to)?);
                let target = self.scalar(var)?.0;
                let mut options = Vec::new();
                for value in a..=b {
                    self.process().flow.open();
                    let value = Expr::constant(value);
                    let assign = self.basic(Action::Assign { target: target.clone(), value }, span);
                    self.add(assign)?;
                    options.push(self.process().flow.close());
                }
                Ok(Built { kind: BuiltKind::If(options), place: self.place(span), span })
            }
            SelectForm::Count => {
                let start = self.assign_start(var, from, span)?;
                self.add(start)?;
                let stmt = StmtKind::Select { var: var.clone(), from: from.clone(), to: to.clone(), form };
                self.select_loop(&Stmt { kind: stmt, span })
            }
            SelectForm::General => {
                let counter = self.loop_counter(var)?;
                let (from, to) = (self.expression(from)?, self.expression(to)?);
                if let (Some(a), Some(b)) = (from.as_constant(), to.as_constant())
                    && a > b
                {
                    return Err(self.report(Diagnostic::error(span, format!("this range is empty: {a} is above {b}"))));
                }
                self.start_loop(&counter, from, BinaryOp::Less, to, span)?;
                let exit = self.new_exit();
                let round = self.end_round(counter, span)?;
                let stop = self.stop_option(false, exit, span)?;
                Ok(Built { kind: BuiltKind::Do(vec![stop, round], exit), place: self.place(span), span })
            }
        }
    }

    /// The loop of a counting `select`: count up, or stop.
    pub(super) fn select_loop(&mut self, stmt: &Stmt) -> Lowered<Built> {
        let StmtKind::Select { var, to, .. } = &stmt.kind else { unreachable!("called for select") };
        let counter = self.loop_counter(var)?;
        let to = self.expression(to)?;
        let exit = self.new_exit();
        self.process().flow.open();
        let test = Expr::Binary(BinaryOp::Less, Box::new(Expr::Var(counter.clone())), Box::new(to));
        let test = self.basic(Action::Condition(test), stmt.span);
        self.add(test)?;
        let round = self.end_round(counter, stmt.span)?;
        let stop = self.stop_option(false, exit, stmt.span)?;
        let kind = BuiltKind::Do(vec![round, stop], exit);
        Ok(Built { kind, place: self.place(stmt.span), span: stmt.span })
    }
}
