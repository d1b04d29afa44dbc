//! A network of automata: names resolved, types checked, constants evaluated, processes instantiated.
//!
//! Data is flat. A variable is a row of *cells*, one for each integer in it; arrays and records are consecutive cells. A
//! [`Place`] names some of them: a base, a constant offset, and the indices that are known only when it is evaluated.
//! A template is shared by its processes; what differs between them (parameters and what follows from them) is in the
//! [`Process`]. A template whose types or ranges depend on its parameters is resolved once for each process instead.

mod expr;
mod function;
mod types;

pub use expr::{Argument, Base, Call, Expr, ExprKind, Index, Operand, Place, ProcessRef, RemoteBase};
pub use function::{Function, FunctionParameter, Passing, Statement};
pub use types::{Range, Type};

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

/// A query.
#[derive(Clone, Debug)]
pub struct Query {
    /// Which of the queries of the model it is, from 1 on.
    pub number: u32,
    /// About some or all reachable states.
    pub quantifier: PathQuantifier,
    /// The condition on a state.
    pub condition: Condition,
    /// Its text.
    pub text: String,
    /// Where it is.
    pub span: Span,
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
