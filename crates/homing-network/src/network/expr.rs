//! Expressions and the places of variables.

use super::{
    BinaryOp, ConstantId, FunctionId, GlobalId, LocalId, LocationId, ProcessId, Quantifier, Range, ReferenceId,
    StepValue, Type, UnaryOp, ValueId,
};
use crate::source::Span;

/// An expression. Its value is an integer; a condition holds if it is not 0.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its text.
    pub span: Span,
}

/// The kinds of expressions. Operands are evaluated from left to right, the value of an assignment before the indices
/// of its target.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number that is known.
    Constant(i32),
    /// The value of a cell.
    Read(Place),
    /// Whether a process is in a location.
    AtLocation {
        /// The process.
        process: ProcessRef,
        /// The location.
        location: LocationId,
    },
    /// Whether no step is possible; in queries only.
    Deadlock,
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Condition, value if it holds, value if it does not.
    Conditional(Box<[Expr; 3]>),
    /// Stores a value; fails if it is out of range.
    Assign {
        /// The cell.
        target: Place,
        /// Applied to the old value and the new one first.
        operator: Option<BinaryOp>,
        /// The new value.
        value: Box<Expr>,
        /// Which value the expression has.
        result: StepValue,
    },
    /// Copies the cells of an array or record; fails if one is out of range.
    Copy {
        /// The target.
        target: Place,
        /// The source, of a type that [is like](Type::is_like) it.
        source: Box<Operand>,
    },
    /// Whether two arrays or records are equal.
    Same {
        /// One of them.
        left: Box<Operand>,
        /// The other.
        right: Box<Operand>,
    },
    /// A call of a function; its value is 0 if it has none.
    Call(Call),
    /// A value for each one of a range.
    Quantified {
        /// How they are joined. `forall` and `exists` stop as soon as they are decided.
        quantifier: Quantifier,
        /// The cell of the frame that has the value.
        offset: u32,
        /// The values.
        range: Range,
        /// Evaluated for each.
        body: Box<Expr>,
    },
}

/// A call of a function.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function.
    pub function: FunctionId,
    /// As many as it has parameters.
    pub arguments: Vec<Argument>,
    /// Its text.
    pub span: Span,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A copy.
    Value(Operand),
    /// A variable.
    Reference(Place),
}

/// Something with one or more cells.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A single value.
    Value(Expr),
    /// An array or record.
    Cells(Place),
    /// A call that returns an array or record.
    Call(Call),
}

/// Cells of a variable. Their first one is at `offset` plus the sum of the indices times their strides.
#[derive(Clone, Debug)]
pub struct Place {
    /// The variable.
    pub base: Base,
    /// The part of the place that is known.
    pub offset: u32,
    /// The indices that are not.
    pub index: Vec<Index>,
    /// What is there.
    pub type_: Type,
    /// Its text.
    pub span: Span,
}

/// An index into an array. Evaluation fails if it is not from `low` to `low + length - 1`.
#[derive(Clone, Debug)]
pub struct Index {
    /// The index.
    pub expr: Expr,
    /// That of the first element.
    pub low: i32,
    /// The number of elements.
    pub length: u32,
    /// The number of cells (or channels, or processes) of an element.
    pub stride: u32,
}

/// The variable of a place.
#[derive(Clone, Debug)]
pub enum Base {
    /// A variable of the network.
    Global(GlobalId),
    /// A constant of the network.
    Constant(ConstantId),
    /// A variable of the process.
    Local(LocalId),
    /// A constant of the process.
    Value(ValueId),
    /// What a reference of the process refers to.
    Reference(ReferenceId),
    /// Cells of the frame: variables of a function, or bound by `select` or a quantifier.
    Frame(u32),
    /// What a reference of the function refers to.
    FrameReference(u32),
    /// A variable or constant of some process; in queries only.
    Remote(Box<(ProcessRef, RemoteBase)>),
}

/// What a query reads of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "as in Base")]
pub enum RemoteBase {
    Local(LocalId),
    Value(ValueId),
    Reference(ReferenceId),
}

/// A process, or one of a family: the sum of the indices times their strides is added to the first.
#[derive(Clone, Debug)]
pub struct ProcessRef {
    /// The process, or the first of the family.
    pub first: ProcessId,
    /// The parameters that are not known.
    pub index: Vec<Index>,
}
