//! Causes: what an error depends on, as a tree.

use homing_engine::Player;

use super::data_flow::DataFlow;

/// Something that an error depends on, with what it depends on itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// What it is.
    pub kind: CauseKind,
    /// Its text: an expression, a variable, or a channel.
    pub text: String,
    /// Its value; `None` if it has none.
    pub value: Option<String>,
    /// The statement that caused it; `None` for expressions and initial values.
    pub writer: Option<Writer>,
    /// What it depends on.
    pub causes: Vec<Cause>,
}

/// What a cause is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CauseKind {
    /// An expression that is computed from others.
    Expression,
    /// A variable, with the statement that wrote it.
    Variable,
    /// One of several statements that wrote a variable.
    Write,
    /// A write whose value was overwritten by a process that had not read it.
    Lost,
    /// A message, with the statement that sent it.
    Message,
    /// The contents of a channel, with the statement that changed them.
    Contents,
    /// Where a process stands, with the statement that brought it there.
    Location,
    /// A condition that a process passed, or a message that it received, before it wrote.
    Guard,
    /// A write by another process to what a guard had read: too late for that guard.
    Later,
}

impl CauseKind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            CauseKind::Expression => "expression",
            CauseKind::Variable => "variable",
            CauseKind::Write => "write",
            CauseKind::Lost => "lost",
            CauseKind::Message => "message",
            CauseKind::Contents => "contents",
            CauseKind::Location => "location",
            CauseKind::Guard => "guard",
            CauseKind::Later => "later",
        }
    }
}

/// A statement of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writer {
    /// Its number in the run, from 1.
    pub step: usize,
    /// The process that executed it.
    pub process: String,
    /// Its text.
    pub statement: String,
}

impl Writer {
    pub(super) fn of(flow: &DataFlow, player: &Player<'_, '_>, step: usize) -> Self {
        let (executed, engine) = (flow.statements[step - 1], player.engine());
        Writer {
            step: flow.shown[step - 1],
            process: engine.actor(executed),
            statement: engine.statement_text(executed),
        }
    }
}
