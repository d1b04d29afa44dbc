//! What a statement shares with other processes, in SPIN's eyes: statements that share nothing can be merged.

use std::collections::HashSet;

use homing_ir::{Action, ArgPattern, Expr, ProctypeId, Scope, VarId, VarRef};

/// A variable of a process type, or a global one.
pub(super) type Variable = (Option<ProctypeId>, VarId);

/// What the model says about its variables and channels.
#[derive(Debug, Default)]
pub(super) struct Sharing {
    /// Globals declared `local`: one process uses them.
    pub local: HashSet<VarId>,
    /// Channels with an `xr`: one process receives from them.
    pub received_by_one: HashSet<Variable>,
    /// Channels with an `xs`: one process sends to them.
    pub sent_by_one: HashSet<Variable>,
    /// Channels whose length or messages a claim or formula looks at, so that the promises are worth nothing.
    pub watched: HashSet<Variable>,
    /// Process types whose start can read globals. SPIN goes by their last initial value alone.
    pub start_reads: HashSet<ProctypeId>,
}

/// What one process type shares with others; no type for a claim or trace.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharingIn<'s> {
    pub sharing: &'s Sharing,
    pub proctype: Option<ProctypeId>,
}

impl SharingIn<'_> {
    /// Whether the statement reads or writes what others can read or write. SPIN does not look at indices.
    pub fn is_shared(self, action: &Action) -> bool {
        match action {
            Action::Skip(_) | Action::End => false,
            Action::Else | Action::DStep(_) | Action::Edge(_) | Action::SetPriority { .. } => true,
            Action::Condition(expr)
            | Action::Discard(expr)
            | Action::SetOwnPriority(expr)
            | Action::Assert(expr)
            | Action::PrintMtype(expr) => self.reads(expr),
            Action::Assign { target, value } => self.uses(target) || self.reads(value),
            Action::Send { channel, args, .. } => {
                args.iter().any(|arg| self.reads(arg)) || !self.is_promised(channel, &self.sharing.sent_by_one)
            }
            Action::Receive { channel, args, .. } | Action::Event { send: false, channel, args } => {
                self.matches(args) || !self.is_promised(channel, &self.sharing.received_by_one)
            }
            Action::Event { send: true, channel, args } => {
                self.matches(args) || !self.is_promised(channel, &self.sharing.sent_by_one)
            }
            Action::Print { args, .. } => args.iter().any(|arg| self.reads(arg)),
            Action::Run { proctype, store, .. } => {
                let stores = |(target, value): &(VarRef, Expr)| self.uses(target) || self.reads(value);
                self.sharing.start_reads.contains(proctype) || store.as_ref().is_some_and(stores)
            }
        }
    }

    fn reads(self, expr: &Expr) -> bool {
        let Sharing { received_by_one, sent_by_one, .. } = self.sharing;
        match expr {
            Expr::Const { .. } | Expr::Pid | Expr::OwnPriority | Expr::NewPid => false,
            Expr::ProcessCount
            | Expr::Last
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Enabled(_)
            | Expr::Location(_)
            | Expr::PriorityOf(_)
            | Expr::RemoteLabel { .. }
            | Expr::RemoteVar { .. }
            | Expr::Computed { .. }
            | Expr::Checked(_)
            | Expr::Element { .. } => true,
            Expr::Var(var) => self.uses(var),
            Expr::Unary(_, operand) => self.reads(operand),
            Expr::Binary(_, left, right) => self.reads(left) || self.reads(right),
            Expr::Conditional(condition, then, otherwise) => {
                self.reads(condition) || self.reads(then) || self.reads(otherwise)
            }
            Expr::Full(channel) | Expr::NotEmpty(channel) => !self.is_promised(channel, received_by_one),
            Expr::Empty(channel) | Expr::NotFull(channel) => !self.is_promised(channel, sent_by_one),
            Expr::Length(channel) => !self.is_owned(channel),
            Expr::Poll { channel, args, .. } => self.matches(args) || !self.is_owned(channel),
        }
    }

    fn matches(self, args: &[ArgPattern]) -> bool {
        args.iter().any(|arg| match arg {
            ArgPattern::Match { value, .. } => self.reads(value),
            ArgPattern::Bind(var) => self.uses(var),
            ArgPattern::Ignore => false,
        })
    }

    fn uses(self, var: &VarRef) -> bool {
        var.scope == Scope::Global && !self.sharing.local.contains(&var.var)
    }

    /// One process both sends to the channel and receives from it.
    fn is_owned(self, channel: &Expr) -> bool {
        self.is_promised(channel, &self.sharing.received_by_one) && self.is_promised(channel, &self.sharing.sent_by_one)
    }

    fn is_promised(self, channel: &Expr, promised: &HashSet<Variable>) -> bool {
        let Expr::Var(VarRef { scope, var, .. }) = channel else { return false };
        let variable = (self.proctype.filter(|_| *scope == Scope::Local), *var);
        promised.contains(&variable) && !self.sharing.watched.contains(&variable)
    }
}
