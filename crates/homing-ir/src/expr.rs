//! Expressions: 32-bit signed arithmetic without side effects.

use crate::{ArgPattern, Block, ProctypeId};

/// A variable of its scope: an index into [`crate::Model::globals`], [`crate::Proctype::locals`] or [`crate::Model::scratch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

impl VarId {
    /// The index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a variable belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// To all processes.
    Global,
    /// To each process of a type, one of its own.
    Local,
    /// To a computation of a network: no part of the state. A step, or the evaluation of an expression, writes such a cell before it
    /// reads it, so that no engine needs to initialise it.
    Scratch,
}

/// A reference to one cell: a scalar variable, or an element with one index for each dimension.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VarRef {
    /// The scope.
    pub scope: Scope,
    /// The variable.
    pub var: VarId,
    /// One for each dimension.
    pub indices: Vec<Expr>,
}

impl VarRef {
    /// Whether the indices are constants within the bounds: the cell is always there.
    pub fn fits(&self, dims: &[u32]) -> bool {
        let is_below = |(index, dim): (&Expr, &u32)| {
            index.as_constant().is_some_and(|index| u32::try_from(index).is_ok_and(|index| index < *dim))
        };
        self.indices.iter().zip(dims).all(is_below)
    }
}

/// The operators before an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Negate,
    /// `~`
    Complement,
}

/// The operators between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// Lazy.
    And,
    /// Lazy.
    Or,
}

impl BinaryOp {
    /// Whether the value is a truth: 0 or 1.
    pub fn is_test(self) -> bool {
        match self {
            BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
            | BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::And
            | BinaryOp::Or => true,
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Remainder
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight => false,
        }
    }
}

/// Which name of which mtype set a constant was written with: an index into [`crate::Model::mtypes`]. Only for showing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MtypeName {
    /// The set; the name follows from the value.
    pub set: u16,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A number.
    Const {
        /// Its value.
        value: i32,
        /// The name it was written with.
        mtype: Option<MtypeName>,
    },
    /// The value of a variable.
    Var(VarRef),
    /// `_pid` of the evaluating process.
    Pid,
    /// `_nr_pr`
    ProcessCount,
    /// `_last`: the process that moved last.
    Last,
    /// `_priority` of the evaluating process.
    OwnPriority,
    /// An operator before an operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator between two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(condition -> then : otherwise)`, lazy.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `len(channel)`
    Length(Box<Expr>),
    /// `full(channel)`
    Full(Box<Expr>),
    /// `empty(channel)`
    Empty(Box<Expr>),
    /// `nfull(channel)`
    NotFull(Box<Expr>),
    /// `nempty(channel)`
    NotEmpty(Box<Expr>),
    /// `channel?[args]` looks at the first message, `channel??[args]` at any.
    Poll {
        /// The channel.
        channel: Box<Expr>,
        /// What the fields are compared with.
        args: Vec<ArgPattern>,
        /// Any message counts, not the first only.
        anywhere: bool,
    },
    /// `timeout`: no process can move otherwise.
    Timeout,
    /// `np_`: no process is at a progress label.
    NonProgress,
    /// `enabled(pid)`
    Enabled(Box<Expr>),
    /// `pc_value(pid)`
    Location(Box<Expr>),
    /// `get_priority(pid)`
    PriorityOf(Box<Expr>),
    /// `P[pid]@label`: whether that process stands at the location. Without a pid, the first process of the type.
    RemoteLabel {
        /// The type of the process.
        proctype: ProctypeId,
        /// Its number.
        pid: Option<Box<Expr>>,
        /// The location of the label.
        location: u32,
        /// The label, for showing.
        label: Box<str>,
    },
    /// `P[pid]:variable`
    RemoteVar {
        /// The type of the process.
        proctype: ProctypeId,
        /// Its number; without one, the first process of the type.
        pid: Option<Box<Expr>>,
        /// The variable.
        var: VarId,
        /// One for each dimension.
        indices: Vec<Expr>,
    },
    /// The pid of the process that the enclosing [`crate::Action::Run`] has just created.
    NewPid,
    /// The value of an expression after a block was executed: a call of a function, or a loop. The block writes scratch cells only.
    Computed {
        /// Executed first.
        block: Box<Block>,
        /// Evaluated then.
        value: Box<Expr>,
        /// As written. Only for showing.
        text: Box<str>,
    },
    /// A value that has to be in a range; it is a run-time error otherwise.
    Checked(Box<Checked>),
    /// An element of a constant array: an index into [`crate::Model::tables`], and which element. It is a run-time error if there is
    /// none.
    Element {
        /// The array.
        table: u32,
        /// All dimensions in one number.
        index: Box<Expr>,
    },
}

/// An expression whose value has to be in a range.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Checked {
    /// The expression.
    pub value: Expr,
    /// The least value that is possible.
    pub least: i32,
    /// The greatest.
    pub greatest: i32,
    /// What the value is used for.
    pub role: CheckedRole,
    /// What it is an index of, or is stored in. Only for showing.
    pub name: Box<str>,
}

/// What a value that is [checked](Checked) is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckedRole {
    /// It is an index.
    Index,
    /// It is the number of bits of a shift.
    Shift,
    /// It is an argument or a result of a function, or a value of a variable.
    Value,
}

impl Expr {
    /// A number without a name.
    pub fn constant(value: i32) -> Expr {
        Expr::Const { value, mtype: None }
    }

    /// The value, if it is the same in every state and was written as a constant.
    pub fn as_constant(&self) -> Option<i32> {
        match self {
            Expr::Const { value, .. } => Some(*value),
            _ => None,
        }
    }
}

/// The parts of an expression, for shared and for unique references.
macro_rules! for_each_part {
    ($expr:expr, $visit:ident, $iter:ident, $of_arg:ident, $value_of:expr) => {
        match $expr {
            Expr::Const { .. }
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::OwnPriority
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::NewPid => {}
            Expr::Var(var) => var.indices.$iter().for_each($visit),
            Expr::Unary(_, operand)
            | Expr::Element { index: operand, .. }
            | Expr::Length(operand)
            | Expr::Full(operand)
            | Expr::Empty(operand)
            | Expr::NotFull(operand)
            | Expr::NotEmpty(operand)
            | Expr::Enabled(operand)
            | Expr::Location(operand)
            | Expr::PriorityOf(operand) => $visit(operand),
            Expr::Binary(_, left, right) => {
                $visit(left);
                $visit(right);
            }
            Expr::Conditional(condition, then, otherwise) => {
                $visit(condition);
                $visit(then);
                $visit(otherwise);
            }
            Expr::Poll { channel, args, .. } => {
                $visit(channel);
                args.$iter().for_each(|arg| arg.$of_arg($visit));
            }
            Expr::Computed { block, value, .. } => {
                block.$of_arg($visit);
                $visit(value);
            }
            Expr::Checked(checked) => $visit($value_of(checked)),
            Expr::RemoteLabel { pid, .. } => pid.$iter().for_each(|pid| $visit(pid)),
            Expr::RemoteVar { pid, indices, .. } => {
                pid.$iter().for_each(|pid| $visit(pid));
                indices.$iter().for_each($visit);
            }
        }
    };
}

fn value_mut(checked: &mut Checked) -> &mut Expr {
    &mut checked.value
}

impl Expr {
    /// Shows `visit` this expression and all inside it.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        visit(self);
        self.for_each_part(&mut |part| part.walk(visit));
    }

    /// Lets `change` change this expression and all inside it, the inner ones first.
    pub fn walk_mut(&mut self, change: &mut impl FnMut(&mut Expr)) {
        self.for_each_part_mut(&mut |part| part.walk_mut(change));
        change(self);
    }

    /// Shows `visit` the expressions this one is directly made of.
    pub fn for_each_part<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        for_each_part!(self, visit, iter, for_each_expr, |checked: &'a Checked| &checked.value);
    }

    fn for_each_part_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        for_each_part!(self, change, iter_mut, for_each_expr_mut, value_mut);
    }
}
