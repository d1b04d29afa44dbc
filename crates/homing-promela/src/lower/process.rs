//! Process types, claims and traces.

use homing_ir::{Action, Automaton, Claim, Expr, Init, Model, Monitor, Proctype, ProctypeId, Start, Variable};

use super::flow::{Built, BuiltKind, ExitId, Flow, Node};
use super::merge::Policy;
use super::sharing::SharingIn;
use super::symbols::{Blocks, Type};
use super::{Lowered, Lowering, Reported, table};
use crate::ast::{self, Sequence};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// A process type being lowered.
pub(super) struct Process {
    /// None for claims and traces.
    pub id: Option<ProctypeId>,
    pub flow: Flow,
    pub blocks: Blocks,
    pub locals: Vec<Variable>,
    pub inits: Vec<Init>,
    /// No statement was seen yet: declarations are initialised when the process starts, not by a step.
    pub at_start: bool,
    /// The loops around, innermost last.
    pub loops: Vec<ExitId>,
    /// Only sends and receives may occur.
    pub is_trace: bool,
    pub is_claim: bool,
    /// The local initialised last has a value that is no constant and no other local.
    pub start_reads: bool,
}

/// What others need to know of a process type that is lowered.
pub(super) struct Finished {
    pub span: Span,
    /// Kept until all is known: a remote reference can still change it.
    pub flow: Flow,
}

impl Lowering<'_> {
    fn enter(&mut self, id: Option<ProctypeId>) {
        self.process = Some(Process {
            id,
            flow: Flow::new(),
            blocks: Blocks::default(),
            locals: Vec::new(),
            inits: Vec::new(),
            at_start: true,
            loops: Vec::new(),
            is_trace: false,
            is_claim: false,
            start_reads: false,
        });
        let process = self.process();
        process.blocks.enter();
        self.strays.enter();
    }

    pub(super) fn process(&mut self) -> &mut Process {
        self.process.as_mut().expect("inside a process type")
    }

    /// The exit of a new loop.
    pub(super) fn new_exit(&mut self) -> ExitId {
        let process = self.process.as_mut().expect("inside a process type");
        process.flow.new_exit(&mut self.loops)
    }

    pub(super) fn proctype(&mut self, proctype: &ast::Proctype) -> Lowered<()> {
        let name = &proctype.name;
        let id = self.proctypes[&name.name];
        if self.finished[id.index()].is_some() {
            self.model.proctypes.push(self.model.proctypes[id.index()].clone());
            return Err(self.defined_twice(name.span, &format!("process type `{}` is defined twice", name.name), id));
        }
        if let Some(symbol) = self.globals.get(&name.name) {
            let there = symbol.declared.span;
            self.report(
                Diagnostic::error(name.span, format!("`{}` is a variable already", name.name))
                    .note(there, "declared here"),
            );
        }
        self.enter(Some(id));
        for decl in &proctype.params {
            for var in &decl.vars {
                match self.local_symbol(decl, var) {
                    Ok(symbol) => {
                        self.check_parameter(&symbol.declared, var);
                        self.process().blocks.declare(symbol);
                    }
                    Err(reported) => {
                        self.misdeclared.insert(id);
                        let _ = self.forgive::<()>(decl, Err(reported));
                    }
                }
            }
        }
        let params = self.process().locals.len() as u32;
        let provided = proctype.provided.as_ref().map(|condition| self.provided(condition));
        let priority = self.priority(proctype.priority);
        let count = match &proctype.active {
            None => 0,
            Some(active) => self.active_count(active),
        };
        self.finish(name.span, &proctype.body, &name.name, params, provided)?;
        self.model.proctypes[id.index()].deterministic = proctype.deterministic;
        let start = Start { proctype: id, priority: priority.unwrap_or(1) };
        self.model.start.extend(std::iter::repeat_n(start, count));
        Ok(())
    }

    fn defined_twice(&mut self, span: Span, message: &str, first: ProctypeId) -> Reported {
        let mut diagnostic = Diagnostic::error(span, message);
        if let Some(finished) = &self.finished[first.index()] {
            diagnostic = diagnostic.note(finished.span, "first defined here");
        }
        self.report(diagnostic)
    }

    fn check_parameter(&mut self, declared: &super::symbols::Declared, var: &ast::VarDecl) {
        if declared.length.is_some() {
            self.report(
                Diagnostic::error(declared.span, "an array cannot be a parameter")
                    .help("make it global, or put it into a message"),
            );
        }
        if var.init.is_some() {
            self.report(Diagnostic::error(declared.span, "a parameter cannot have an initial value"));
        }
        if let Type::Record(record) = declared.ty {
            let arrays = self.records[record].fields.iter().any(|field| field.declared.length.is_some());
            if arrays {
                self.report(Diagnostic::error(declared.span, "a record with an array in it cannot be a parameter"));
            }
        }
    }

    fn provided(&mut self, condition: &ast::Expr) -> Expr {
        let lowered = self.expression(condition).unwrap_or(Expr::constant(1));
        let mut is_of_a_process = false;
        lowered.walk(&mut |inner| {
            is_of_a_process |= match inner {
                Expr::Var(var) => var.scope == homing_ir::Scope::Local,
                Expr::RemoteVar { .. } | Expr::RemoteLabel { .. } => true,
                _ => false,
            };
        });
        if is_of_a_process {
            self.report(Diagnostic::error(
                condition.span,
                "a `provided` clause can only use global variables and `_pid`",
            ));
        }
        lowered
    }

    pub(super) fn priority(&mut self, number: Option<ast::Number>) -> Option<u8> {
        let number = number?;
        self.model.features.priorities = true;
        match u8::try_from(number.value) {
            Ok(priority @ 1..) => Some(priority),
            _ => {
                self.report(Diagnostic::error(number.span, "a priority must be between 1 and 255"));
                None
            }
        }
    }

    fn active_count(&mut self, active: &ast::Active) -> usize {
        let Some(count) = &active.count else { return 1 };
        let Ok(value) = self.constant_or_initial(count) else { return 0 };
        if !(0..=255).contains(&value) {
            self.report(Diagnostic::error(count.span, "there can be at most 255 processes"));
            return 0;
        }
        value as usize
    }

    pub(super) fn init(&mut self, init: &ast::Init) -> Lowered<()> {
        // Process types are lowered in order, so this is the next. There may be several, each a process of its own.
        let id = ProctypeId(self.model.proctypes.len() as u32);
        self.enter(Some(id));
        let priority = self.priority(init.priority).unwrap_or(1);
        self.finish(init.span, &init.body, ":init:", 0, None)?;
        self.model.start.push(Start { proctype: id, priority });
        Ok(())
    }

    /// Lowers the body and makes the process type of it, as yet without control.
    fn finish(&mut self, span: Span, body: &Sequence, name: &str, params: u32, provided: Option<Expr>) -> Lowered<()> {
        let done = self.body(body);
        let process = self.process.take().expect("inside a process type");
        let id = process.id.expect("a process type");
        self.model.proctypes.push(Proctype {
            name: name.to_owned(),
            locals: process.locals,
            params,
            inits: process.inits,
            provided,
            deterministic: false,
            automaton: Automaton::default(),
            place: self.place(span),
        });
        if process.start_reads {
            self.sharing.start_reads.insert(id);
        }
        self.finished[id.index()] = Some(Finished { span, flow: process.flow });
        done
    }

    /// Makes the automata, when nothing can change the control flow any more.
    pub(super) fn make_automata(&mut self) {
        for at in 0..self.finished.len() {
            if let Some(mut finished) = self.finished[at].take() {
                let id = ProctypeId(at as u32);
                self.model.proctypes[at].automaton = self.automaton(&mut finished.flow, Some(id));
                self.finished[at] = Some(finished);
            }
        }
        for (at, mut flow) in std::mem::take(&mut self.claim_flows).into_iter().enumerate() {
            self.model.claims[at].automaton = self.automaton(&mut flow, None);
        }
        if let Some(mut flow) = self.monitor_flow.take() {
            let automaton = self.automaton(&mut flow, None);
            let monitor = self.model.monitor.as_mut().expect("made with its flow");
            for statement in &automaton.statements {
                let Action::Event { send, channel, .. } = &statement.action else { continue };
                let list = if *send { &mut monitor.sends } else { &mut monitor.receives };
                if !list.contains(channel) {
                    list.push(channel.clone());
                }
            }
            monitor.automaton = automaton;
        }
    }

    fn automaton(&mut self, flow: &mut Flow, proctype: Option<ProctypeId>) -> Automaton {
        if flow.body.is_none() {
            return Automaton::default(); // it had errors
        }
        let provided = self.model.proctypes.iter().any(|proctype| proctype.provided.is_some());
        let policy = Policy {
            merges: !provided && !self.refers_to_remote_variables,
            sends_begin: self.model.shapes.iter().all(|shape| shape.capacity > 0),
            sharing: SharingIn { sharing: &self.sharing, proctype },
        };
        table::automaton(flow, policy, self.sources).unwrap_or_else(|diagnostic| {
            self.report(diagnostic);
            Automaton::default()
        })
    }

    fn body(&mut self, body: &Sequence) -> Lowered<()> {
        self.process().blocks.enter();
        self.process().flow.open();
        self.steps(&body.steps)?;
        let span = Span { start: body.span.end.saturating_sub(1).max(body.span.start), ..body.span };
        let end = Built { kind: BuiltKind::Plain(Node::End), place: self.place(span), span };
        self.add(end)?;
        let process = self.process.as_mut().expect("inside a process type");
        process.flow.body = Some(process.flow.close());
        Ok(())
    }

    /// Lowers a never claim, as yet without control.
    pub(super) fn never(&mut self, never: &ast::Never) -> Lowered<()> {
        let name = match &never.name {
            Some(name) => name.name.to_string(),
            None => format!("never_{}", self.model.claims.len()),
        };
        if self.model.claims.iter().any(|claim| claim.name == name) {
            return Err(self.report(Diagnostic::error(never.span, format!("claim `{name}` is defined twice"))));
        }
        self.enter(None);
        self.process().is_claim = true;
        let done = self.body(&never.body);
        let process = self.process.take().expect("inside a claim");
        done?;
        if let Some(local) = process.locals.first() {
            let name = local.name.clone();
            return Err(self.report(Diagnostic::error(never.span, format!("a claim cannot have variables (`{name}`)"))));
        }
        let Model { proctypes, claims, monitor, .. } = &self.model;
        let number = (proctypes.len() + claims.len()) as u32 + u32::from(monitor.is_some());
        let place = self.place(never.span);
        self.model.claims.push(Claim { name, number, automaton: Automaton::default(), place });
        self.claim_flows.push(process.flow);
        Ok(())
    }

    pub(super) fn trace(&mut self, trace: &ast::Trace) -> Lowered<()> {
        if self.model.monitor.is_some() {
            return Err(self.report(Diagnostic::error(trace.span, "there can be only one `trace` or `notrace`")));
        }
        self.enter(None);
        self.process().is_trace = true;
        let done = self.body(&trace.body);
        let process = self.process.take().expect("inside a trace");
        done?;
        self.model.monitor = Some(Monitor {
            negated: trace.negated,
            automaton: Automaton::default(),
            sends: Vec::new(),
            receives: Vec::new(),
        });
        self.monitor_flow = Some(process.flow);
        Ok(())
    }

    /// Makes sure that a label that is referred to from elsewhere has a control state of its own.
    pub(super) fn make_label_visible(&mut self, proctype: ProctypeId, label: &str) {
        let flow = match (&mut self.finished[proctype.index()], &mut self.process) {
            (Some(finished), _) => &mut finished.flow,
            (None, Some(process)) if process.id == Some(proctype) => &mut process.flow,
            _ => return,
        };
        if let Some(at) = flow.labels.last_named(label) {
            flow.make_visible(at, &mut self.serial);
        }
    }
}
