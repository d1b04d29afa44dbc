//! Statements: sequences, selections, blocks and declarations; what a single transition does is in `action.rs`.

use homing_ir::{Action, Expr, Scope, VarId, VarRef};

use super::flow::{Built, BuiltKind, FlowError, IN_D_STEP, Jump, Node, SequenceId};
use super::symbols::{Declared, Type};
use super::{Lowered, Lowering, Reported};
use crate::ast::{self, ExprKind, SelectForm, Sequence, Stmt, StmtKind};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

impl Lowering<'_> {
    /// Lowers steps into the sequence that is open. Errors are reported for each; the first is returned.
    pub(super) fn steps(&mut self, steps: &[Stmt]) -> Lowered<()> {
        let mut result = Ok(());
        for step in steps {
            if self.diagnostics.is_full() {
                return Err(Reported);
            }
            let done = match &step.kind {
                StmtKind::Decl(decl) => {
                    let lowered = self.local_declaration(decl);
                    self.forgive(decl, lowered)
                }
                StmtKind::Exclusive { send, channels } => {
                    self.promises_exclusive_use = true;
                    channels.iter().try_for_each(|channel| self.exclusive(channel, *send))
                }
                _ => self.step(step),
            };
            result = result.and(done);
        }
        result
    }

    fn step(&mut self, step: &Stmt) -> Lowered<()> {
        let built = self.build(step)?;
        self.process().at_start = false;
        self.add(built)
    }

    /// Appends a statement to the open sequence.
    pub(super) fn add(&mut self, built: Built) -> Lowered<()> {
        let process = self.process.as_mut().expect("inside a process type");
        process.flow.add(built, &mut self.serial).map_err(|error| {
            self.report(match error {
                FlowError::DuplicateLabel(span, there) => {
                    Diagnostic::error(span, "this label is defined twice").note(there, "first defined here")
                }
                FlowError::DuplicateElse(span) => Diagnostic::error(span, "this selection has an `else` already")
                    .help("there can be one; what both should do goes into it"),
            })
        })
    }

    pub(super) fn plain(&self, node: Node, span: Span) -> Built {
        Built { kind: BuiltKind::Plain(node), place: self.place(span), span }
    }

    pub(super) fn basic(&self, action: Action, span: Span) -> Built {
        self.plain(Node::Basic(action), span)
    }

    fn local_declaration(&mut self, decl: &ast::Decl) -> Lowered<()> {
        for var in &decl.vars {
            let mut symbol = self.local_symbol(decl, var)?;
            let span = var.name.span;
            if let Some(init) = &var.init {
                self.process().start_reads = !self.is_plain_value(init);
            }
            if self.process().at_start {
                let inits = self.inits_of(&mut symbol, var.init.as_ref())?;
                let process = self.process();
                process.inits.extend(inits);
                process.blocks.declare(symbol);
                continue;
            }
            // After the first statement a declaration is an assignment, each time it is passed; but the fields of a
            // record have their initial values from the start of the process, and the step does nothing.
            let built = match symbol.declared.ty {
                Type::Record(_) if var.init.is_none() => {
                    let inits = self.inits_of(&mut symbol, None)?;
                    self.process().inits.extend(inits);
                    self.basic(Action::Skip("".into()), span)
                }
                _ => {
                    let value = self.late_value(var, &symbol.declared)?;
                    // Of an array only the first element is set.
                    let indices = symbol.declared.length.map(|_| Expr::constant(0)).into_iter().collect();
                    let target = VarRef { scope: Scope::Local, var: VarId(symbol.base), indices };
                    self.basic(Action::Assign { target, value }, span)
                }
            };
            self.process().blocks.declare(symbol);
            self.add(built)?;
        }
        Ok(())
    }

    /// What a variable that is declared after a statement is set to.
    fn late_value(&mut self, var: &ast::VarDecl, declared: &Declared) -> Lowered<Expr> {
        match (&var.init, declared.ty) {
            (None, _) => Ok(Expr::constant(0)),
            (Some(ast::VarInit::Value(value)), Type::Scalar(_)) => {
                self.forbid_run(value)?;
                self.forbid_channel_arithmetic(value)?;
                let lowered = self.expression(value)?;
                self.warn_of_overflow(declared, value.span, &lowered);
                Ok(lowered)
            }
            (Some(_), Type::Record(_)) => Err(self.report(
                Diagnostic::error(var.name.span, "a record cannot be initialised as a whole")
                    .help("initialise the fields in the typedef, or assign them"),
            )),
            (Some(_), Type::Scalar(_)) => Err(self.report(
                Diagnostic::error(var.name.span, format!("`{}` cannot be initialised here", var.name.name))
                    .help("move the declaration to the start of the process type"),
            )),
        }
    }

    /// Whether an initial value is a constant or a local variable.
    fn is_plain_value(&self, init: &ast::VarInit) -> bool {
        match init {
            ast::VarInit::Value(ast::Expr { kind: ExprKind::Number(_), .. }) => true,
            ast::VarInit::Value(ast::Expr { kind: ExprKind::Var(var), .. }) => {
                let name = &var.parts[0].name.name;
                let local = self.process.as_ref().and_then(|process| process.blocks.find(name));
                local.is_some() || self.mtypes.contains_key(name)
            }
            _ => false,
        }
    }

    /// `xr` and `xs`: promises to SPIN's reduction and merging. It forgets those about channels in records.
    fn exclusive(&mut self, channel: &ast::VarRef, send: bool) -> Lowered<()> {
        if let [ast::VarPart { name, index: None, .. }] = &channel.parts[..] {
            let symbol = self.find_variable(name)?;
            if symbol.declared.ty.is_chan() {
                let proctype = self.process().id.filter(|_| symbol.scope == Scope::Local);
                let promised = if send { &mut self.sharing.sent_by_one } else { &mut self.sharing.received_by_one };
                promised.insert((proctype, VarId(symbol.base)));
                return Ok(());
            }
            if matches!(symbol.declared.ty, Type::Record(_)) {
                return Ok(());
            }
        }
        self.channel(channel).map(|_| ())
    }

    /// Drops superfluous `skip`s of the options of a choice, as SPIN does. In a claim each is a step that reads a state.
    fn prune_skips(&mut self, options: &[SequenceId]) {
        if !self.process().is_claim {
            self.process().flow.prune_skips(options);
        }
    }

    /// Builds what is inside a statement; statements that come to several are added up to the last.
    fn build(&mut self, stmt: &Stmt) -> Lowered<Built> {
        let span = stmt.span;
        if self.process().is_trace {
            self.check_trace_statement(stmt)?;
        }
        let kind = match &stmt.kind {
            StmtKind::Label(..) => return self.labelled(stmt),
            StmtKind::If(options) => {
                let options = self.options(options)?;
                self.forbid_doubtful_else(&options)?;
                self.prune_skips(&options);
                BuiltKind::If(options)
            }
            StmtKind::Do(options) => {
                let exit = self.new_exit();
                self.process().loops.push(exit);
                let options = self.options(options);
                self.process().loops.pop();
                let options = options?;
                self.forbid_doubtful_else(&options)?;
                self.prune_skips(&options);
                BuiltKind::Do(options, exit)
            }
            StmtKind::Atomic(body) => {
                let body = self.block(body, "atomic")?;
                self.process().flow.make_atomic(body, 0);
                BuiltKind::Plain(Node::Atomic(body))
            }
            StmtKind::Block(body) => BuiltKind::Plain(Node::Block(self.block(body, "block")?)),
            StmtKind::DStep(body) => return self.d_step(body, span),
            StmtKind::Unless(main, escape) => return self.unless(main, escape, span),
            StmtKind::For { var, range, body } => return self.for_loop(var, range, body, span),
            StmtKind::Select { var, from, to, form } => return self.select(var, from, to, *form, span),
            StmtKind::Else => BuiltKind::Plain(Node::Else),
            StmtKind::Break => {
                let Some(&exit) = self.process().loops.last() else {
                    return Err(self.report(
                        Diagnostic::error(span, "`break` outside of a loop").help("`break` leaves the nearest `do`"),
                    ));
                };
                BuiltKind::Plain(Node::Goto(Jump::Break(exit)))
            }
            StmtKind::Goto(label) => {
                self.forbid_label_named_like_a_variable(label)?;
                let block = self.process().blocks.path();
                let jump = Jump::Label { name: label.name.clone(), block, span: label.span };
                BuiltKind::Plain(Node::Goto(jump))
            }
            StmtKind::Expr(expr) => BuiltKind::Plain(self.condition(expr)?),
            _ => BuiltKind::Plain(Node::Basic(self.action(stmt)?)),
        };
        Ok(Built { kind, place: self.place(span), span })
    }

    fn check_trace_statement(&mut self, stmt: &Stmt) -> Lowered<()> {
        let allowed = matches!(
            stmt.kind,
            StmtKind::Send { sorted: false, .. }
                | StmtKind::Receive { anywhere: false, keep: false, .. }
                | StmtKind::If(_)
                | StmtKind::Do(_)
                | StmtKind::Goto(_)
                | StmtKind::Break
                | StmtKind::Label(..)
        );
        if allowed {
            return Ok(());
        }
        Err(self.report(Diagnostic::error(stmt.span, "only sends, receives and control flow can stand in a trace")))
    }

    fn labelled(&mut self, stmt: &Stmt) -> Lowered<Built> {
        let StmtKind::Label(label, inner) = &stmt.kind else { unreachable!("called for labels") };
        self.forbid_label_named_like_a_variable(label)?;
        // A counting `select` begins with an assignment, which is what SPIN puts the label on.
        if let StmtKind::Select { var, from, form: SelectForm::Count, .. } = &inner.kind {
            let first = self.assign_start(var, from, inner.span)?;
            let block = self.process().blocks.path();
            let kind = BuiltKind::Label(label.name.clone(), block, Box::new(first));
            self.add(Built { kind, place: self.place(label.span), span: label.span })?;
            return self.select_loop(inner);
        }
        let inner = self.build(inner)?;
        let block = self.process().blocks.path();
        let kind = BuiltKind::Label(label.name.clone(), block, Box::new(inner));
        Ok(Built { kind, place: self.place(label.span), span: label.span })
    }

    /// Labels and variables share their names in SPIN.
    fn forbid_label_named_like_a_variable(&mut self, label: &ast::Ident) -> Lowered<()> {
        let local = self.process.as_ref().and_then(|process| process.blocks.find(&label.name));
        let Some(symbol) = local.or_else(|| self.globals.get(&label.name)) else { return Ok(()) };
        let there = symbol.declared.span;
        Err(self.report(
            Diagnostic::error(label.span, format!("`{}` is a variable and cannot be a label", label.name))
                .note(there, "declared here"),
        ))
    }

    fn options(&mut self, options: &[Sequence]) -> Lowered<Vec<SequenceId>> {
        let mut built = Vec::new();
        let mut result = Ok(());
        for option in options {
            match self.sequence(option, "option") {
                Ok(sequence) => {
                    if let Some(label) = self.process().flow.first_label(sequence) {
                        let (name, span) = (label.name.clone(), label.span);
                        self.diagnostics.push(
                            Diagnostic::warning(span, format!("label `{name}` marks the state after this statement"))
                                .help("to mark the state in front of the selection, put the label before `if` or `do`"),
                        );
                    }
                    built.push(sequence);
                }
                Err(reported) => result = Err(reported),
            }
        }
        result.map(|()| built)
    }

    /// `else` beside channel operations makes `xr` and `xs` useless; SPIN refuses that.
    fn forbid_doubtful_else(&mut self, options: &[SequenceId]) -> Lowered<()> {
        if !self.promises_exclusive_use {
            return Ok(());
        }
        let flow = &self.process().flow;
        let firsts: Vec<_> =
            options.iter().filter_map(|option| flow.sequence(*option).first).map(|first| flow.element(first)).collect();
        let doubtful = firsts.iter().any(|element| match &element.node {
            Node::Basic(action) => looks_at_channels(action),
            _ => false,
        });
        let found =
            firsts.iter().find(|element| doubtful && matches!(element.node, Node::Else)).map(|found| found.span);
        match found {
            None => Ok(()),
            Some(span) => Err(self.report(
                Diagnostic::error(span, "`else` beside channel operations, in a model with `xr` or `xs`")
                    .help("remove the `xr` and `xs`, or replace the `else` by a condition"),
            )),
        }
    }

    /// A sequence of its own, without a block of names.
    fn sequence(&mut self, sequence: &Sequence, what: &str) -> Lowered<SequenceId> {
        self.process().at_start = false;
        self.process().flow.open();
        let steps = self.steps(&sequence.steps);
        let id = self.process().flow.close();
        steps?;
        if self.process().flow.is_empty(id) {
            return Err(self.report(
                Diagnostic::error(sequence.span, format!("this {what} has no statement")).help("write `skip`"),
            ));
        }
        Ok(id)
    }

    /// A sequence in braces: names declared in it end with it, and its first statement cannot have a label.
    fn block(&mut self, body: &Sequence, what: &str) -> Lowered<SequenceId> {
        self.process().blocks.enter();
        let sequence = self.sequence(body, what);
        self.process().blocks.leave();
        let sequence = sequence?;
        self.forbid_first_label(sequence, what)?;
        Ok(sequence)
    }

    fn forbid_first_label(&mut self, sequence: SequenceId, what: &str) -> Lowered<()> {
        let Some(label) = self.process().flow.first_label(sequence) else { return Ok(()) };
        let (name, span) = (label.name.clone(), label.span);
        let what = if what == "block" { "{ … }" } else { what };
        Err(self.report(
            Diagnostic::error(span, format!("label `{name}` cannot stand in front of the first statement here"))
                .help(format!("put the label in front of the `{what}`")),
        ))
    }

    fn d_step(&mut self, body: &Sequence, span: Span) -> Lowered<Built> {
        let start = self.serial;
        self.process().flow.d_step = Some(start);
        let sequence = self.block(body, "d_step");
        self.process().flow.d_step = None;
        let sequence = sequence?;
        self.forbid_jumps_out(sequence, start)?;
        self.process().flow.make_atomic(sequence, IN_D_STEP);
        Ok(self.plain(Node::DStep(sequence), span))
    }

    fn forbid_jumps_out(&mut self, sequence: SequenceId, start: u32) -> Lowered<()> {
        let flow = &self.process().flow;
        let sequence = flow.sequence(sequence).clone();
        for id in flow.chain(sequence.first, sequence.last) {
            let element = self.process().flow.element(id).clone();
            if let Node::Goto(jump) = &element.node {
                let flow = &self.process().flow;
                let inside = flow.jump_target(jump).is_some_and(|target| flow.element(target).serial >= start);
                if !inside {
                    return Err(self.report(
                        Diagnostic::error(element.span, "a jump out of a d_step")
                            .help("use `atomic` instead of `d_step`"),
                    ));
                }
            }
            for option in element.options {
                self.forbid_jumps_out(option, start)?;
            }
        }
        Ok(())
    }

    fn unless(&mut self, main: &Stmt, escape: &Stmt, span: Span) -> Lowered<Built> {
        let main_built = self.build(main)?;
        let escape_built = self.build(escape)?;
        let escape = self.sequence_of(escape_built, "unless")?;
        let place = self.place(span);
        // `L: { … } unless …`: the label goes to a new block around the `unless`.
        if let BuiltKind::Label(name, blocks, inner) = main_built.kind {
            if let BuiltKind::Plain(node @ (Node::Block(body) | Node::Atomic(body) | Node::DStep(body))) = &inner.kind {
                let (node, body) = (node.clone(), *body);
                self.process().flow.open();
                self.add(Built { kind: BuiltKind::Unless(body, escape), place, span })?;
                let around = self.process().flow.close();
                let node = match node {
                    Node::Atomic(_) => Node::Atomic(around),
                    Node::DStep(_) => Node::DStep(around),
                    _ => Node::Block(around),
                };
                let inner = Box::new(Built { kind: BuiltKind::Plain(node), place, span });
                return Ok(Built { kind: BuiltKind::Label(name, blocks, inner), place, span });
            }
            return Err(self.report(
                Diagnostic::error(
                    main.span,
                    format!("label `{name}` cannot stand in front of the first statement here"),
                )
                .help("write `label: { statement unless statement }`"),
            ));
        }
        let main = self.sequence_of(main_built, "unless")?;
        Ok(Built { kind: BuiltKind::Unless(main, escape), place, span })
    }

    /// A statement as a sequence: a block is its own, others get one.
    fn sequence_of(&mut self, built: Built, what: &str) -> Lowered<SequenceId> {
        if let BuiltKind::Plain(Node::Block(body)) = built.kind {
            return Ok(body);
        }
        self.process().flow.open();
        let added = self.add(built);
        let sequence = self.process().flow.close();
        added?;
        self.forbid_first_label(sequence, what)?;
        Ok(sequence)
    }
}

/// Whether a statement sends, receives, or asks how full a channel is.
fn looks_at_channels(action: &Action) -> bool {
    let mut found = matches!(action, Action::Send { .. } | Action::Receive { .. });
    action.for_each_expr(&mut |expr| {
        expr.walk(&mut |inner| {
            found |= matches!(inner, Expr::Full(_) | Expr::Empty(_) | Expr::NotFull(_) | Expr::NotEmpty(_));
        });
    });
    found
}
