//! A network of automata: names resolved, types checked, constants evaluated, processes instantiated.
//!
//! Data is flat. A variable is a row of *cells*, one for each integer in it; arrays and records are consecutive cells. A
//! [`Place`] names some of them: a base, a constant offset, and the indices that are known only when it is evaluated.
//! A template is shared by its processes; what differs between them (parameters and what follows from them) is in the
//! [`Process`]. A template whose types or ranges depend on its parameters is resolved once for each process instead.

use std::fmt;

use crate::ast::Name;
pub use crate::ast::{BinaryOp, Direction, PathQuantifier, Quantifier, StepValue, UnaryOp};
use crate::source::Span;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The place in its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        })*
    };
}

ids! {
    /// A constant array or record, in [`Network::constants`].
    ConstantId,
    /// A variable of the whole network, in [`Network::globals`].
    GlobalId,
    /// A declaration of channels, in [`Network::channels`].
    ChannelId,
    /// A function, in [`Network::functions`].
    FunctionId,
    /// A template, in [`Network::templates`].
    TemplateId,
    /// A process, in [`Network::processes`].
    ProcessId,
    /// A variable of a template, in [`Template::locals`].
    LocalId,
    /// A constant that differs between processes, in [`Template::values`] and [`Process::values`].
    ValueId,
    /// A reference to a variable, in [`Template::references`] and [`Process::references`].
    ReferenceId,
    /// A channel that differs between processes, in [`Template::channels`] and [`Process::channels`].
    ChannelParameterId,
    /// A location, in [`Template::locations`].
    LocationId,
}

/// A network that can be explored.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// Constant arrays and records. Constant integers are in the expressions.
    pub constants: Vec<Constant>,
    /// The variables of the whole network.
    pub globals: Vec<Global>,
    /// The declarations of channels.
    pub channels: Vec<Channel>,
    /// The functions of the network and of all templates.
    pub functions: Vec<Function>,
    /// The templates that have processes.
    pub templates: Vec<Template>,
    /// The processes in the order of the `system` line. The first parameter of a family varies slowest.
    pub processes: Vec<Process>,
    /// What is asked about the network.
    pub queries: Vec<Query>,
}

/// The type of a variable.
#[derive(Clone, PartialEq, Eq)]
pub enum Type {
    /// Integers with both bounds.
    Int {
        /// The smallest value.
        low: i32,
        /// The largest value.
        high: i32,
    },
    /// 0 or 1; every other number is stored as 1.
    Bool,
    /// One of `size` values that can be compared only, numbered from 0. Each declaration is a set of its own.
    Scalar {
        /// Which declaration.
        set: u32,
        /// The number of values.
        size: i32,
    },
    /// An array with `length` elements.
    Array {
        /// The index of the first element.
        low: i32,
        /// The number of elements.
        length: u32,
        /// What they are.
        element: Box<Type>,
    },
    /// Named fields in their order.
    Record(Vec<(Name, Type)>),
}

impl Type {
    /// `int` without bounds.
    pub const INT: Type = Type::Int { low: -32768, high: 32767 };
    /// `const int` without bounds.
    pub const WIDE: Type = Type::Int { low: i32::MIN, high: i32::MAX };

    /// The number of cells; `None` if there are more than [`Type::MOST_CELLS`].
    pub fn checked_cells(&self) -> Option<u32> {
        let cells = match self {
            Type::Int { .. } | Type::Bool | Type::Scalar { .. } => 1,
            Type::Array { length, element, .. } => {
                let element = element.checked_cells()?;
                // An array of nothing has a limited length, too: its elements are enumerated.
                let most = element.max(1).checked_mul(*length)?;
                if most > Self::MOST_CELLS {
                    return None;
                }
                element * length
            }
            Type::Record(fields) => {
                fields.iter().try_fold(0u32, |sum, (_, field)| sum.checked_add(field.checked_cells()?))?
            }
        };
        (cells <= Self::MOST_CELLS).then_some(cells)
    }

    /// The largest number of cells of a variable.
    pub const MOST_CELLS: u32 = 1 << 20;

    /// The number of cells.
    pub fn cells(&self) -> u32 {
        self.checked_cells().unwrap_or(0)
    }

    /// The bounds of a single cell; `None` for arrays and records.
    pub fn range(&self) -> Option<(i32, i32)> {
        match *self {
            Type::Int { low, high } => Some((low, high)),
            Type::Bool => Some((0, 1)),
            Type::Scalar { size, .. } => Some((0, size - 1)),
            Type::Array { .. } | Type::Record(_) => None,
        }
    }

    /// The type of each cell, in order.
    pub fn cell_types(&self) -> Vec<&Type> {
        match self {
            Type::Int { .. } | Type::Bool | Type::Scalar { .. } => vec![self],
            Type::Array { length, element, .. } => {
                let element = element.cell_types();
                (0..*length).flat_map(|_| element.iter().copied()).collect()
            }
            Type::Record(fields) => fields.iter().flat_map(|(_, field)| field.cell_types()).collect(),
        }
    }

    /// Whether values of the other type can be stored: the same cells, whatever the ranges of their integers.
    pub fn is_like(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Int { .. } | Type::Bool, Type::Int { .. } | Type::Bool) => true,
            (Type::Scalar { set, .. }, Type::Scalar { set: other, .. }) => set == other,
            (Type::Array { length, element, .. }, Type::Array { length: other_length, element: other, .. }) => {
                length == other_length && element.is_like(other)
            }
            (Type::Record(fields), Type::Record(others)) => {
                let are_like =
                    |(one, other): (&(Name, Type), &(Name, Type))| one.0 == other.0 && one.1.is_like(&other.1);
                fields.len() == others.len() && fields.iter().zip(others).all(are_like)
            }
            _ => false,
        }
    }

    /// The values of cells without an initialiser: 0, or the lower bound if 0 is out of range.
    pub fn default_cells(&self) -> Vec<i32> {
        let value = |cell: &Type| match cell.range() {
            Some((low, high)) if low > 0 || high < 0 => low,
            _ => 0,
        };
        self.cell_types().into_iter().map(value).collect()
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            t if *t == Type::INT => f.write_str("int"),
            t if *t == Type::WIDE => f.write_str("const int"),
            Type::Int { low, high } => write!(f, "int[{low},{high}]"),
            Type::Bool => f.write_str("bool"),
            Type::Scalar { size, .. } => write!(f, "scalar[{size}]"),
            Type::Array { low: 0, length, element } => write!(f, "{element}[{length}]"),
            Type::Array { low, length, element } => {
                write!(f, "{element}[int[{low},{}]]", i64::from(*low) + i64::from(*length) - 1)
            }
            Type::Record(fields) => {
                f.write_str("struct {")?;
                fields.iter().try_for_each(|(name, field)| write!(f, " {field} {name};"))?;
                f.write_str(" }")
            }
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A constant array or record.
#[derive(Clone, Debug)]
pub struct Constant {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub type_: Type,
    /// Its cells.
    pub values: Vec<i32>,
}

/// A variable of the network.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub type_: Type,
    /// The cells at first.
    pub initial: Vec<i32>,
    /// Whether it is no part of the state: it has its initial values at the beginning of each step.
    pub meta: bool,
    /// Its declaration.
    pub span: Span,
}

/// A declaration of one channel or of an array of them. Channels are numbered through: this one has the numbers from
/// `first` on.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its name; that of a channel of a process has the process before it.
    pub name: Name,
    /// Whether one sender meets all receivers.
    pub broadcast: bool,
    /// Whether time stops while it is enabled: no effect without clocks.
    pub urgent: bool,
    /// The bounds of the indices; none for a single channel.
    pub shape: Vec<Range>,
    /// The number of the first channel.
    pub first: u32,
    /// The number of channels.
    pub count: u32,
}

/// A set of consecutive integers, from `low` to `high`. It can be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The smallest.
    pub low: i32,
    /// The largest.
    pub high: i32,
}

impl Range {
    /// The number of integers.
    pub fn len(self) -> u32 {
        u32::try_from(i64::from(self.high) - i64::from(self.low) + 1).unwrap_or(if self.high < self.low {
            0
        } else {
            u32::MAX
        })
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.high < self.low
    }
}

/// What processes have in common.
#[derive(Clone, Debug)]
pub struct Template {
    /// Its name.
    pub name: Name,
    /// Parameters by value, and constants that depend on them.
    pub values: Vec<Value>,
    /// Parameters that are references to variables.
    pub references: Vec<Value>,
    /// Parameters that are channels, and channels of each process.
    pub channels: Vec<ChannelParameter>,
    /// The variables that each process has.
    pub locals: Vec<Local>,
    /// Its locations.
    pub locations: Vec<Location>,
    /// Where its processes begin.
    pub initial: LocationId,
    /// Its edges in the order of the text; an edge through a branch point has one copy for each branch.
    pub edges: Vec<Edge>,
}

/// A name with a type.
#[derive(Clone, Debug)]
pub struct Value {
    /// The name.
    pub name: Name,
    /// The type.
    pub type_: Type,
}

/// A channel, or an array of them, that each process has its own of.
#[derive(Clone, Debug)]
pub struct ChannelParameter {
    /// The name.
    pub name: Name,
    /// The bounds of the indices.
    pub shape: Vec<Range>,
}

/// A variable that each process has.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub type_: Type,
    /// One expression for each cell, over the values of the process. [`Process::locals`] has the results.
    pub initial: Vec<Expr>,
    /// As of [`Global`].
    pub meta: bool,
    /// Its declaration.
    pub span: Span,
}

/// A location of a template.
#[derive(Clone, Debug)]
pub struct Location {
    /// Its name; invented if the file has none.
    pub name: Name,
    /// What holds while a process is there.
    pub invariant: Option<Condition>,
    /// Whether it is left before processes elsewhere move.
    pub committed: bool,
    /// Whether time stops in it: no effect without clocks.
    pub urgent: bool,
    /// Its declaration.
    pub span: Span,
}

/// An expression without effects, with the size of the frame it needs for bound variables.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The expression.
    pub expr: Expr,
    /// The number of cells of its frame.
    pub frame: u32,
}

/// An edge of a template.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it begins.
    pub source: LocationId,
    /// Where it ends.
    pub target: LocationId,
    /// The variables that are chosen. The value of number `i` is in cell `i` of the frame.
    pub select: Vec<Select>,
    /// What has to hold.
    pub guard: Option<Expr>,
    /// With which other edges it is taken.
    pub sync: Option<Sync>,
    /// What is executed, in this order.
    pub update: Vec<Expr>,
    /// The number of cells of its frame: those chosen, then those of quantifiers.
    pub frame: u32,
    /// Its text.
    pub span: Span,
}

/// A variable with a value that an edge chooses.
#[derive(Clone, Debug)]
pub struct Select {
    /// Its name.
    pub name: Name,
    /// Its values.
    pub range: Range,
}

/// The synchronisation of an edge.
#[derive(Clone, Debug)]
pub struct Sync {
    /// The channel or array of channels.
    pub channel: ChannelBase,
    /// The part of the index that is known.
    pub offset: u32,
    /// Which channel of an array; `offset` and the sum of the indices times their strides are added to the number of
    /// the first.
    pub index: Vec<Index>,
    /// `!` or `?`
    pub direction: Direction,
    /// Its text.
    pub span: Span,
}

/// The channel that a synchronisation names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelBase {
    /// A channel of the network.
    Global(ChannelId),
    /// A channel of the process.
    Parameter(ChannelParameterId),
}

/// A process.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its name: `P`, or `P(1,2)` in a family.
    pub name: Name,
    /// Its template.
    pub template: TemplateId,
    /// The cells of [`Template::values`].
    pub values: Vec<Vec<i32>>,
    /// What [`Template::references`] refer to.
    pub references: Vec<Binding>,
    /// The numbers of the first channels of [`Template::channels`].
    pub channels: Vec<u32>,
    /// The cells of [`Template::locals`] at first, one variable after the other.
    pub locals: Vec<i32>,
}

/// What a reference refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The variable or constant.
    pub target: BindingTarget,
    /// The first cell.
    pub offset: u32,
}

/// A variable, or a constant for a `const` reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named by their types")]
pub enum BindingTarget {
    Global(GlobalId),
    Constant(ConstantId),
}

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

/// A query.
#[derive(Clone, Debug)]
pub struct Query {
    /// About some or all reachable states.
    pub quantifier: PathQuantifier,
    /// The condition on a state.
    pub condition: Condition,
    /// Its text.
    pub text: String,
    /// Where it is.
    pub span: Span,
}

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

impl Network {
    /// The channel with this number, and its declaration.
    pub fn channel_of(&self, number: u32) -> (ChannelId, &Channel) {
        let at = self.channels.partition_point(|channel| channel.first + channel.count <= number);
        (ChannelId(at as u32), &self.channels[at])
    }

    /// The name of a channel with its indices: `c`, `c[1]`.
    pub fn channel_name(&self, number: u32) -> String {
        let (_, channel) = self.channel_of(number);
        let mut rest = number - channel.first;
        let mut count = channel.count;
        let mut name = channel.name.to_string();
        for range in &channel.shape {
            count /= range.len().max(1);
            name += &format!("[{}]", range.low + (rest / count.max(1)) as i32);
            rest %= count.max(1);
        }
        name
    }

    /// The template of a process.
    pub fn template_of(&self, process: ProcessId) -> &Template {
        &self.templates[self.processes[process.index()].template.index()]
    }
}
