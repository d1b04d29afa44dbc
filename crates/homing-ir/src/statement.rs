//! Statements: what one transition of a process tests and does.

use std::ops::Range;

use crate::{Expr, Place, ProctypeId, VarRef};

/// An index into [`crate::Automaton::statements`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatementId(pub u32);

impl StatementId {
    /// The index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A statement with its place in the source.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it tests and does.
    pub action: Action,
    /// Where it is in the source.
    pub place: Place,
}

/// How a message enters a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Queueing {
    /// `!` after the last message.
    Last,
    /// `!!` before the first greater message.
    Sorted,
}

/// Which message is received, and whether it leaves the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReceiveFrom {
    /// `??`: the first message that matches; `?`: the first message, which has to match.
    pub anywhere: bool,
    /// `?<…>`: the message stays.
    pub keep: bool,
}

/// One argument of a receive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ArgPattern {
    /// A constant or `eval(e)`: the field must be equal.
    Match {
        /// What it must be equal to.
        value: Expr,
        /// It was written as `eval(e)`. Only for showing.
        eval: bool,
    },
    /// The field is stored.
    Bind(VarRef),
    /// `_`: the field is dropped.
    Ignore,
}

/// What a transition tests and does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// A step without test or effect, such as a jump. The text is how it is shown.
    Skip(Box<str>),
    /// Executable when nothing before it in its selection was.
    Else,
    /// Executable where the expression is not zero.
    Condition(Expr),
    /// Stores a value.
    Assign {
        /// Where.
        target: VarRef,
        /// The value.
        value: Expr,
    },
    /// An assignment to `_`: the value is computed and dropped.
    Discard(Expr),
    /// An assignment to `_priority`.
    SetOwnPriority(Expr),
    /// `set_priority(pid, priority)`
    SetPriority {
        /// The process.
        pid: Expr,
        /// Its new priority.
        priority: Expr,
    },
    /// `channel!args`
    Send {
        /// The channel.
        channel: Expr,
        /// The fields of the message.
        args: Vec<Expr>,
        /// Where the message is put.
        queueing: Queueing,
    },
    /// `channel?args`
    Receive {
        /// The channel.
        channel: Expr,
        /// What becomes of the fields.
        args: Vec<ArgPattern>,
        /// Which message is received.
        from: ReceiveFrom,
    },
    /// Fails where the expression is zero.
    Assert(Expr),
    /// `printf`
    Print {
        /// The format, in quotes.
        format: Box<str>,
        /// The values.
        args: Vec<Expr>,
    },
    /// `printm`
    PrintMtype(Expr),
    /// Creates a process; then stores a value that may contain [`Expr::NewPid`].
    Run {
        /// The type of the process.
        proctype: ProctypeId,
        /// The values of its parameters.
        args: Vec<Expr>,
        /// Its priority, if one is given.
        priority: Option<u8>,
        /// What is stored afterwards, and where.
        store: Option<(VarRef, Expr)>,
    },
    /// A deterministic sequence executed as one statement.
    DStep(Block),
    /// An edge of an automata network.
    Edge(Box<Edge>),
    /// The end of the process; executable when it is the youngest.
    End,
    /// A send or receive that a [`crate::Monitor`] follows; it is never executed.
    Event {
        /// A send, not a receive.
        send: bool,
        /// The channel.
        channel: Expr,
        /// What the fields are compared with.
        args: Vec<ArgPattern>,
    },
}

/// An edge of an automata network: what has to hold, the channel over which it is taken together with edges of other processes,
/// and what it does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// It is taken only where this is not zero.
    pub guard: Option<Expr>,
    /// Its synchronisation.
    pub signal: Option<Signal>,
    /// A program that is executed when it is taken.
    pub update: Option<Block>,
}

/// One side of a synchronisation in an automata network. The channels of a network are no values: their numbers never change, and
/// nothing is sent over them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signal {
    /// The number of the channel: an index into [`crate::Model::signals`].
    pub channel: Expr,
    /// The numbers that it can be, for lists of partners that are made once.
    pub channels: Range<u32>,
    /// `!`, not `?`.
    pub emits: bool,
    /// Every other process that can receive does, perhaps none; otherwise exactly one does.
    pub broadcast: bool,
}

/// A node of a [`Block`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(pub u32);

/// The body of a `d_step`, the update of an edge, or a part of an expression: a little program without concurrency.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// By [`NodeId`].
    pub nodes: Vec<BlockNode>,
    /// Where it begins.
    pub entry: NodeId,
    /// What has to hold for the sequence to start: the tests of its first statement or, if that is a selection, of any
    /// option. Empty: it can always start.
    pub guards: Vec<Action>,
    /// The line of the `d_step`, for showing.
    pub line: u32,
}

/// A step of a [`Block`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BlockNode {
    /// A statement.
    Do {
        /// What it tests and does.
        action: Action,
        /// Where it is in the source.
        place: Place,
        /// Where it leads.
        next: NodeId,
    },
    /// The first option whose first statement is executable is taken. An option that does not begin with a statement of
    /// its own (but with a block or another selection) is taken unconditionally.
    Select {
        /// The options, in order.
        options: Vec<NodeId>,
        /// Where it is in the source.
        place: Place,
    },
    /// A run-time error: a function that ends without a result.
    Fail {
        /// What is wrong.
        message: Box<str>,
        /// Where it is in the source.
        place: Place,
    },
    /// The end of the block.
    Exit,
}

/// The expressions of arguments and actions, for shared and for unique references.
macro_rules! for_each_expr_of_arg {
    ($arg:expr, $visit:ident, $iter:ident) => {
        match $arg {
            ArgPattern::Match { value, .. } => $visit(value),
            ArgPattern::Bind(var) => var.indices.$iter().for_each($visit),
            ArgPattern::Ignore => {}
        }
    };
}

macro_rules! for_each_expr_of_block {
    ($block:expr, $visit:ident, $iter:ident, $of_action:ident) => {{
        $block.guards.$iter().for_each(|guard| guard.$of_action($visit));
        $block.nodes.$iter().for_each(|node| {
            if let BlockNode::Do { action, .. } = node {
                action.$of_action($visit);
            }
        });
    }};
}

macro_rules! for_each_expr_of_action {
    ($action:expr, $visit:ident, $iter:ident, $of_arg:ident, $of_action:ident, $channel_of:expr) => {
        match $action {
            Action::Skip(_) | Action::Else | Action::End => {}
            Action::Condition(expr)
            | Action::Discard(expr)
            | Action::SetOwnPriority(expr)
            | Action::Assert(expr)
            | Action::PrintMtype(expr) => $visit(expr),
            Action::Assign { target, value } => {
                target.indices.$iter().for_each(&mut *$visit);
                $visit(value);
            }
            Action::SetPriority { pid, priority } => {
                $visit(pid);
                $visit(priority);
            }
            Action::Send { channel, args, .. } => {
                $visit(channel);
                args.$iter().for_each($visit);
            }
            Action::Receive { channel, args, .. } | Action::Event { channel, args, .. } => {
                $visit(channel);
                args.$iter().for_each(|arg| arg.$of_arg($visit));
            }
            Action::Print { args, .. } => args.$iter().for_each($visit),
            Action::Run { args, store, .. } => {
                args.$iter().for_each(&mut *$visit);
                if let Some((target, value)) = store {
                    target.indices.$iter().for_each(&mut *$visit);
                    $visit(value);
                }
            }
            Action::DStep(block) => block.$of_action($visit),
            Action::Edge(edge) => {
                edge.guard.$iter().for_each(&mut *$visit);
                edge.signal.$iter().for_each(|signal| $visit($channel_of(signal)));
                edge.update.$iter().for_each(|block| block.$of_action($visit));
            }
        }
    };
}

fn channel_mut(signal: &mut Signal) -> &mut Expr {
    &mut signal.channel
}

impl ArgPattern {
    /// Shows `visit` what the field is compared with, or the indices of what it is stored in.
    pub fn for_each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        for_each_expr_of_arg!(self, visit, iter);
    }

    pub(crate) fn for_each_expr_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        for_each_expr_of_arg!(self, change, iter_mut);
    }
}

impl Block {
    /// Shows `visit` the outermost expressions of its statements.
    pub fn for_each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        for_each_expr_of_block!(self, visit, iter, for_each_expr);
    }

    /// Lets `change` change the outermost expressions of its statements.
    pub fn for_each_expr_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        for_each_expr_of_block!(self, change, iter_mut, for_each_expr_mut);
    }
}

impl Action {
    /// Shows `visit` the outermost expressions of the action, and of everything inside a `d_step`.
    pub fn for_each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        for_each_expr_of_action!(self, visit, iter, for_each_expr, for_each_expr, |signal: &'a Signal| &signal.channel);
    }

    /// The program inside the action: the body of a `d_step`, the update of an edge.
    pub fn block(&self) -> Option<&Block> {
        match self {
            Action::DStep(block) => Some(block),
            Action::Edge(edge) => edge.update.as_ref(),
            _ => None,
        }
    }

    /// Shows `visit` what the action, and everything inside a `d_step`, writes.
    pub fn for_each_target<'a>(&'a self, visit: &mut dyn FnMut(&'a VarRef)) {
        self.for_each_inside(&mut |action| match action {
            Action::Assign { target, .. } | Action::Run { store: Some((target, _)), .. } => visit(target),
            Action::Receive { args, .. } => args.iter().for_each(|arg| {
                if let ArgPattern::Bind(target) = arg {
                    visit(target);
                }
            }),
            _ => {}
        });
    }

    /// Shows `visit` the action and, of a `d_step`, all inside it.
    pub fn for_each_inside<'a>(&'a self, visit: &mut dyn FnMut(&'a Action)) {
        visit(self);
        if let Some(block) = self.block() {
            block.guards.iter().for_each(|guard| guard.for_each_inside(visit));
            for node in &block.nodes {
                if let BlockNode::Do { action, .. } = node {
                    action.for_each_inside(visit);
                }
            }
        }
    }

    /// Lets `change` change the action and, of a `d_step`, all inside it.
    pub fn for_each_inside_mut(&mut self, change: &mut dyn FnMut(&mut Action)) {
        change(self);
        let block = match self {
            Action::DStep(block) => Some(block),
            Action::Edge(edge) => edge.update.as_mut(),
            _ => None,
        };
        if let Some(block) = block {
            block.guards.iter_mut().for_each(|guard| guard.for_each_inside_mut(change));
            for node in &mut block.nodes {
                if let BlockNode::Do { action, .. } = node {
                    action.for_each_inside_mut(change);
                }
            }
        }
    }

    /// Lets `change` change the outermost expressions of the action, and of everything inside a `d_step`.
    pub fn for_each_expr_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        for_each_expr_of_action!(self, change, iter_mut, for_each_expr_mut, for_each_expr_mut, channel_mut);
    }
}
