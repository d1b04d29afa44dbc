//! Derives the access set of an action from its guard and its update, and that of an expression.

use crate::access::{Access, AccessKind, AccessSet, Object, Purpose};
use crate::failure::{can_divide_wrongly, can_fail, fails_by_itself};
use crate::{
    Action, ArgPattern, BinaryOp, Block, BlockNode, ChannelOp, Expr, Guard, InitValue, Model, ProctypeId, Side, Update,
    VarRef,
};

/// An access set in the making.
pub struct Derivation<'m> {
    model: &'m Model,
    proctype: Option<ProctypeId>,
    pub set: AccessSet<'m>,
    /// Of the expression that is read, its parts from the outside to the inside.
    parts: Vec<Part>,
}

/// What is known of a part of an expression before it is read.
#[derive(Clone, Copy)]
struct Part {
    /// Computing it can be an error.
    fails: bool,
    /// The number of parts it has, itself included.
    size: usize,
}

impl<'m> Derivation<'m> {
    pub fn new(model: &'m Model, proctype: Option<ProctypeId>) -> Self {
        Derivation { model, proctype, set: AccessSet::default(), parts: Vec::new() }
    }

    /// The access set of an action.
    pub fn of_action(&mut self, action: &'m Action) -> AccessSet<'m> {
        self.action(action);
        self.set.may_block = !matches!(action.guard(), Guard::Always);
        std::mem::take(&mut self.set)
    }

    /// The guard's expression first, then the update. What the guard of a send or receive tests is accessed by its update.
    fn action(&mut self, action: &'m Action) {
        match action.guard() {
            Guard::Condition(condition) => self.read(condition, Purpose::Needed),
            Guard::AnyOf(guards) => guards.iter().for_each(|guard| self.action(guard)),
            Guard::Always | Guard::Never | Guard::Else | Guard::Room(_) | Guard::Message { .. } | Guard::Youngest => {}
        }
        match action.update() {
            Update::Nothing => {}
            Update::Assign { target, value } => {
                self.read(value, Purpose::StoredIn(target));
                self.write_variable(target, true);
            }
            Update::Drop(values) => values.iter().for_each(|value| self.read(value, Purpose::Dropped)),
            Update::Print(values) => values.iter().for_each(|value| self.read(value, Purpose::Printed)),
            Update::Assert(condition) => {
                self.read(condition, Purpose::Needed);
                self.set.may_fail = true;
            }
            Update::Enqueue { channel, args, queueing } => {
                args.iter().for_each(|arg| self.read(arg, Purpose::Needed));
                self.read(channel, Purpose::Needed);
                self.queue(channel, ChannelOp::Send(queueing));
            }
            Update::Dequeue { channel, args, from } => {
                self.read(channel, Purpose::Needed);
                self.queue(channel, ChannelOp::Receive(from));
                for arg in args {
                    match arg {
                        ArgPattern::Match { value, .. } => self.read(value, Purpose::Needed),
                        ArgPattern::Bind(target) => self.write_variable(target, self.fits(target)),
                        ArgPattern::Ignore => {}
                    }
                }
            }
            Update::SetPriority { pid, priority } => {
                pid.into_iter().chain([priority]).for_each(|value| self.read(value, Purpose::Needed));
                self.write(Object::Priorities);
                self.set.may_fail |= pid.is_some();
            }
            Update::Create { proctype, args, store } => {
                args.iter().for_each(|arg| self.read(arg, Purpose::Needed));
                self.write(Object::Creation(proctype));
                self.set.may_fail = true;
                if let Some((target, value)) = store {
                    self.read(value, Purpose::StoredIn(target));
                    let can_fail = can_fail(value, self.model, self.proctype);
                    self.write_variable(target, self.fits(target) && !can_fail);
                }
            }
            Update::Block(block) => self.block(block),
            Update::End => {
                self.write(Object::Processes);
                let inits = self.proctype.map_or(&[][..], |id| &self.model.proctype(id).inits);
                if inits.iter().any(|init| matches!(init.value, InitValue::Channel(_))) {
                    self.write(Object::OwnChannels);
                }
            }
            Update::Follow { channel, args } => {
                self.read(channel, Purpose::Needed);
                self.patterns(args);
            }
        }
    }

    /// A block that is blocked inside, or does not end, is an error.
    fn block(&mut self, block: &'m Block) {
        for node in &block.nodes {
            if let BlockNode::Do { action, .. } = node {
                self.action(action);
            }
        }
        self.set.may_fail = true;
    }

    pub fn guard(&mut self, action: &'m Action) {
        match action.guard() {
            Guard::Always | Guard::Never | Guard::Else => {}
            Guard::Condition(condition) => self.read(condition, Purpose::Needed),
            Guard::Room(channel) => {
                self.read(channel, Purpose::Needed);
                self.test(channel, ChannelOp::Full);
                if let Some(Side::Send(args)) = action.synchronisation().map(|one| one.side) {
                    args.iter().for_each(|arg| self.read(arg, Purpose::Needed));
                }
            }
            Guard::Message { channel, args, from } => {
                self.read(channel, Purpose::Needed);
                self.test(channel, ChannelOp::Poll { anywhere: from.anywhere });
                self.patterns(args);
            }
            Guard::AnyOf(guards) => guards.iter().for_each(|guard| self.guard(guard)),
            Guard::Youngest => {
                self.set.accesses.push(read(Object::Processes, Purpose::Needed, false));
            }
        }
    }

    /// What the fields of a message are compared with, and the indices of what they are stored in.
    fn patterns(&mut self, args: &'m [ArgPattern]) {
        for arg in args {
            arg.for_each_expr(&mut |expr| self.read(expr, Purpose::Needed));
        }
    }

    fn write(&mut self, object: Object<'m>) {
        self.set.accesses.push(Access { object, kind: AccessKind::Write { is_droppable: false } });
    }

    fn queue(&mut self, channel: &'m Expr, op: ChannelOp) {
        self.write(Object::Queue { channel, op });
        self.set.may_fail = true;
    }

    fn test(&mut self, channel: &'m Expr, op: ChannelOp) {
        self.set.accesses.push(read(Object::Queue { channel, op }, Purpose::Needed, false));
        self.set.may_fail = true;
    }

    fn write_variable(&mut self, target: &'m VarRef, is_droppable: bool) {
        target.indices.iter().for_each(|index| self.read(index, Purpose::Needed));
        self.set.may_fail |= !self.fits(target);
        self.set.accesses.push(Access { object: Object::Cell(target), kind: AccessKind::Write { is_droppable } });
    }

    fn fits(&self, target: &VarRef) -> bool {
        target.fits(&self.model.variable(self.proctype, target.scope, target.var).dims)
    }

    /// All that an expression reads.
    pub fn read(&mut self, expr: &'m Expr, purpose: Purpose<'m>) {
        self.parts.clear();
        self.set.may_fail |= self.look_for_failures(expr);
        self.read_part(expr, 0, purpose, false);
    }

    /// Fills in the parts. Whether computing the expression can be an error.
    fn look_for_failures(&mut self, expr: &'m Expr) -> bool {
        let at = self.parts.len();
        self.parts.push(Part { fails: false, size: 0 });
        let mut fails = fails_by_itself(expr, self.model, self.proctype);
        expr.for_each_part(&mut |part| fails |= self.look_for_failures(part));
        self.parts[at] = Part { fails, size: self.parts.len() - at };
        fails
    }

    /// Reads the part of an expression with the number `at`. Its value, or that of what it is in, `decides` whether the
    /// whole can be computed.
    fn read_part(&mut self, expr: &'m Expr, at: usize, purpose: Purpose<'m>, decides: bool) {
        let fails = self.parts[at].fails;
        let is_lazy = |op: &BinaryOp| matches!(op, BinaryOp::And | BinaryOp::Or);
        // A part decides if it can fail, except where its parts can be looked at one by one.
        let (itself, all, first) = match expr {
            Expr::Var(_) => (false, fails, fails),
            Expr::Unary(..) => (false, false, false),
            Expr::Binary(op, left, right) if can_divide_wrongly(*op, left, right, self.model, self.proctype) => {
                (false, true, true)
            }
            Expr::Binary(op, ..) if is_lazy(op) => {
                let right = at + 1 + self.parts[at + 1].size;
                (false, false, self.parts[right].fails)
            }
            Expr::Binary(..) => (false, false, false),
            _ => (fails, fails, fails),
        };
        if let Some(object) = read_object(expr) {
            self.set.accesses.push(read(object, purpose, decides || itself));
        }
        let mut next = at + 1;
        expr.for_each_part(&mut |part| {
            let is_first = next == at + 1;
            self.read_part(part, next, purpose, decides || if is_first { first } else { all });
            next += self.parts[next].size;
        });
    }
}

fn read<'m>(object: Object<'m>, purpose: Purpose<'m>, decides_failure: bool) -> Access<'m> {
    Access { object, kind: AccessKind::Read { purpose, decides_failure } }
}

/// What an expression reads itself, apart from its parts.
fn read_object(expr: &Expr) -> Option<Object<'_>> {
    let queue = |channel, op| Some(Object::Queue { channel, op });
    match expr {
        Expr::Const { .. }
        | Expr::Pid
        | Expr::NewPid
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Conditional(..)
        | Expr::Computed { .. }
        | Expr::Element { .. }
        | Expr::Checked(_) => None,
        Expr::Var(var) => Some(Object::Cell(var)),
        Expr::ProcessCount => Some(Object::Processes),
        Expr::Last => Some(Object::LastMover),
        Expr::OwnPriority | Expr::PriorityOf(_) => Some(Object::Priorities),
        Expr::Length(channel) => queue(channel, ChannelOp::Length),
        Expr::Full(channel) | Expr::NotFull(channel) => queue(channel, ChannelOp::Full),
        Expr::Empty(channel) | Expr::NotEmpty(channel) => queue(channel, ChannelOp::Empty),
        Expr::Poll { channel, anywhere, .. } => queue(channel, ChannelOp::Poll { anywhere: *anywhere }),
        Expr::Timeout => Some(Object::Timeout),
        Expr::NonProgress => Some(Object::Progress),
        Expr::Enabled(pid) => Some(Object::Enabledness(pid)),
        Expr::Location(pid) => Some(Object::Position(pid)),
        Expr::RemoteLabel { proctype, pid, location, .. } => {
            Some(Object::RemoteLocation { proctype: *proctype, pid: pid.as_deref(), location: *location })
        }
        Expr::RemoteVar { proctype, pid, var, .. } => {
            Some(Object::RemoteVariable { proctype: *proctype, pid: pid.as_deref(), var: *var })
        }
    }
}
