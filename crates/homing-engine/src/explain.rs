//! Explanations: why a process cannot move, and why a condition does not hold.

use homing_core::SourcePlace;
use homing_ir::print::Printer;
use homing_ir::{Action, Edge, Expr, Scalar, Scope, StatementId, UnaryOp, VarRef};

use crate::data_flow::{Part, Source};
use crate::effect::CellRef;
use crate::eval::View;
use crate::player::Player;
use crate::printf::name_in;

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
    /// The same with the name of the channel that its expression means: `fork[1]!take` for `fork[right]!take`.
    pub resolved: String,
    pub place: SourcePlace,
    /// What the statement waits for.
    pub reason: String,
    /// Which statement of its process type it is.
    pub statement: StatementId,
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
            Some(provided) => {
                format!("the process runs only provided its condition holds: it {}", view.needs(provided))
            }
            None => "a process of higher priority can move".to_owned(),
        });
        let blocked = |transition: &homing_ir::Transition| {
            let statement = proctype.automaton.statement(transition.statement);
            let text = printer.statement(transition.statement);
            let channel = match &statement.action {
                Action::Send { channel, .. } | Action::Receive { channel, .. } => view.eval(channel).ok(),
                _ => None,
            };
            let rest = text.find(['!', '?']).map(|at| &text[at..]);
            let resolved = channel.zip(rest).map(|(id, rest)| self.channel(view, id) + rest);
            Blocked {
                resolved: resolved.unwrap_or_else(|| text.clone()),
                text,
                place: self.engine.source_place(statement.place),
                reason: held.clone().unwrap_or_else(|| self.reason(view, &statement.action)),
                statement: transition.statement,
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
            Action::Condition(guard) if is_constant(guard) => "constant and never true".to_owned(),
            Action::Condition(guard) => view.needs(guard),
            Action::Send { channel, .. } => match view.rendezvous(action) {
                Ok(Some(id)) => format!("no process is ready to receive on {}", self.channel(view, id)),
                Ok(None) => format!("{} is full", self.named(view, channel)),
                Err(fault) => fault.to_string(),
            },
            Action::Receive { channel, .. } => self.reason_of_receive(view, channel),
            Action::DStep(block) => {
                let reasons: Vec<String> = block.guards.iter().map(|guard| self.reason(view, guard)).collect();
                reasons.join("; ")
            }
            Action::Edge(edge) => self.reason_of_edge(view, edge),
            Action::End => {
                let youngest = self.processes() - 1;
                format!("can terminate only after {}, which was started later", self.process_name(youngest))
            }
            Action::Else => "another option is tried first".to_owned(),
            _ => String::new(),
        }
    }

    /// Why an edge of a network cannot be taken, in a state in which no step is possible.
    fn reason_of_edge(&self, view: View<'_>, edge: &Edge) -> String {
        if let Some(guard) = &edge.guard
            && view.eval(guard) == Ok(0)
        {
            return view.needs(guard);
        }
        let Some(signal) = &edge.signal else { return "an invariant or a committed location forbids it".to_owned() };
        let channel = view.eval(&signal.channel).ok().and_then(|number| usize::try_from(number).ok());
        let name = channel.and_then(|number| self.engine.model.signals.get(number)).map_or("", String::as_str);
        match (signal.emits, signal.broadcast) {
            (true, false) => format!("no process is ready to receive on {name}"),
            (true, true) => "an invariant or a committed location forbids it".to_owned(),
            (false, _) => format!("no process is ready to send on {name}"),
        }
    }

    fn reason_of_receive(&self, view: View<'_>, channel: &Expr) -> String {
        let Ok(id) = view.eval(channel) else { return String::new() };
        let Ok(found) = view.channel(id) else { return "the channel was never initialised".to_owned() };
        let name = self.channel(view, id);
        if found.1.capacity == 0 {
            format!("no process is ready to send on {name}")
        } else if view.work.length(found) == 0 {
            format!("{name} is empty")
        } else {
            format!("no matching message: {name} holds {}", self.engine.contents(view.work, id))
        }
    }

    fn named(&self, view: View<'_>, channel: &Expr) -> String {
        view.eval(channel).map_or_else(|fault| fault.to_string(), |id| self.channel(view, id))
    }

    fn channel(&self, view: View<'_>, id: i32) -> String {
        self.engine.channel_name(view.work, id)
    }
}

/// Whether an expression has the same value in every state.
fn is_constant(expr: &Expr) -> bool {
    let mut reads = false;
    expr.walk(&mut |part| {
        let is_operator = matches!(part, Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..));
        reads |= !is_operator && part.as_constant().is_none();
    });
    !reads
}

/// The most values that are listed of a condition.
const MOST_VALUES: usize = 8;

impl View<'_> {
    /// What a condition that does not hold needs: `needs x > 3, but x = 1`.
    fn needs(self, guard: &Expr) -> String {
        let part = self.part(guard);
        let mut values: Vec<String> = Vec::new();
        part.for_each(&mut |part| {
            if let (Some(_), Some(value)) = (part.source, &part.value) {
                let value = format!("{} = {value}", part.text);
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        });
        values.truncate(MOST_VALUES);
        let but = if values.is_empty() { String::new() } else { format!(", but {}", values.join(", ")) };
        format!("needs {}{but}", part.text)
    }

    /// Statements of a `d_step` that cannot be executed.
    pub(crate) fn blocked_part(self, actions: &[&Action]) -> Part {
        let part = |action: &&Action| match action {
            Action::Condition(guard) => self.part(guard),
            Action::Send { channel, .. } | Action::Receive { channel, .. } => Part {
                text: self.printer().source_action(action),
                value: None,
                source: self.eval(channel).ok().map(Source::Queue),
                parts: Vec::new(),
            },
            _ => Part { text: self.printer().source_action(action), value: None, source: None, parts: Vec::new() },
        };
        match actions {
            [one] => part(one),
            all => Part {
                text: "no option can be executed".to_owned(),
                value: None,
                source: None,
                parts: all.iter().map(part).collect(),
            },
        }
    }

    pub(crate) fn printer(&self) -> Printer<'_> {
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
        if var.scope == Scope::Scratch {
            return None;
        }
        let (offset, cell) = self.cell(var).ok()?;
        let owner = (var.scope == Scope::Local).then_some(self.pid as u8);
        Some(CellRef { owner, var: var.var, cell: (offset - self.cells_of(var)) / cell.width() as u32 })
    }
}
