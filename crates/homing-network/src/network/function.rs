//! Functions and their statements.

use super::{Expr, Operand, Range, Type};
use crate::ast::Name;
use crate::source::Span;

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<FunctionParameter>,
    /// The number of parameters by reference.
    pub references: u32,
    /// `None` for `void`.
    pub result: Option<Type>,
    /// The number of cells of its frame: parameters by value, then variables.
    pub frame: u32,
    /// Its statements.
    pub body: Vec<Statement>,
    /// Whether it changes nothing but its own variables.
    pub pure: bool,
    /// Its name in the text.
    pub span: Span,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct FunctionParameter {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub type_: Type,
    /// How arguments are passed.
    pub passing: Passing,
}

/// How an argument is passed to a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// Copied to these cells of the frame.
    Value {
        /// The first cell.
        offset: u32,
    },
    /// As this reference of the call.
    Reference {
        /// Its number.
        number: u32,
    },
}

/// A statement of a function.
#[derive(Clone, Debug)]
pub enum Statement {
    /// An assignment or a call.
    Evaluate(Expr),
    /// Cells of the frame get values: a variable is declared.
    Reset {
        /// The first cell.
        offset: u32,
        /// The values.
        values: Vec<i32>,
    },
    /// Statements one after the other.
    Block(Vec<Statement>),
    /// A choice.
    If {
        /// The condition.
        condition: Expr,
        /// If it holds.
        then: Box<Statement>,
        /// If it does not.
        otherwise: Option<Box<Statement>>,
    },
    /// A loop that tests before each round.
    While {
        /// The condition.
        condition: Expr,
        /// A round.
        body: Box<Statement>,
        /// Executed after each round.
        next: Option<Expr>,
    },
    /// A loop that tests after each round.
    DoWhile {
        /// A round.
        body: Box<Statement>,
        /// The condition.
        condition: Expr,
    },
    /// A loop over all values of a range.
    Iterate {
        /// The cell of the frame that has the value.
        offset: u32,
        /// The values.
        range: Range,
        /// A round.
        body: Box<Statement>,
        /// Its variable in the text.
        span: Span,
    },
    /// The end of the function.
    Return(Option<Operand>),
}
