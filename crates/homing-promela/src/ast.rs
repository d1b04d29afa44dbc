//! The syntax tree: the model as written, after expansion of macros and inlines.

use std::sync::Arc;

use crate::source::Span;

pub type Name = Arc<str>;

#[derive(Clone, Debug)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
pub struct Program {
    pub units: Vec<Unit>,
}

#[derive(Clone, Debug)]
pub enum Unit {
    Proctype(Proctype),
    Init(Init),
    Never(Never),
    Trace(Trace),
    Ltl(Ltl),
    Decl(Decl),
    Typedef(Typedef),
    Mtype(MtypeDecl),
}

#[derive(Clone, Debug)]
pub struct Proctype {
    pub active: Option<Active>,
    /// `D_proctype`
    pub deterministic: bool,
    pub name: Ident,
    pub params: Vec<Decl>,
    pub priority: Option<Number>,
    pub provided: Option<Expr>,
    pub body: Sequence,
}

#[derive(Clone, Debug)]
pub struct Active {
    /// `active [n]`: a constant, or an initialised variable.
    pub count: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub struct Number {
    pub value: i32,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Init {
    pub span: Span,
    pub priority: Option<Number>,
    pub body: Sequence,
}

#[derive(Clone, Debug)]
pub struct Never {
    pub name: Option<Ident>,
    pub span: Span,
    pub body: Sequence,
}

#[derive(Clone, Debug)]
pub struct Trace {
    /// `notrace`
    pub negated: bool,
    pub span: Span,
    pub body: Sequence,
}

#[derive(Clone, Debug)]
pub struct Ltl {
    pub name: Option<Ident>,
    pub span: Span,
    pub formula: Expr,
}

#[derive(Clone, Debug)]
pub struct Typedef {
    pub name: Ident,
    pub fields: Vec<Decl>,
}

/// `mtype = { … }` or `mtype : set = { … }`
#[derive(Clone, Debug)]
pub struct MtypeDecl {
    pub set: Option<Ident>,
    pub names: Vec<Ident>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    Plain,
    Hidden,
    Show,
    Local,
}

#[derive(Clone, Debug)]
pub enum TypeName {
    Bit,
    Byte,
    Short,
    Int,
    Unsigned,
    /// With the name of its set, if one is given.
    Mtype(Option<Ident>),
    Chan,
    User(Ident),
}

/// A declaration of one or more variables of a type.
#[derive(Clone, Debug)]
pub struct Decl {
    pub visibility: Visibility,
    pub ty: TypeName,
    pub vars: Vec<VarDecl>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct VarDecl {
    pub name: Ident,
    /// The width of an `unsigned`.
    pub width: Option<Number>,
    /// The length of an array: a constant expression, or the name of an initialised variable.
    pub length: Option<Expr>,
    pub init: Option<VarInit>,
}

#[derive(Clone, Debug)]
pub enum VarInit {
    Value(Expr),
    /// `= { 1, 2, 3 }`
    List(Vec<Expr>),
    /// `= [n] of { … }`
    Channel {
        capacity: Expr,
        fields: Vec<TypeName>,
        span: Span,
    },
}

/// A list of statements and declarations.
#[derive(Clone, Debug)]
pub struct Sequence {
    pub steps: Vec<Stmt>,
    /// From the opening to the closing brace, or the text of an option.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Decl(Decl),
    /// `xr` (receive) or `xs` (send): a promise of exclusive use.
    Exclusive {
        send: bool,
        channels: Vec<VarRef>,
    },
    Label(Ident, Box<Stmt>),
    Assign(VarRef, Expr),
    Increment(VarRef),
    Decrement(VarRef),
    Send {
        channel: VarRef,
        sorted: bool,
        args: Vec<Expr>,
    },
    Receive {
        channel: VarRef,
        anywhere: bool,
        keep: bool,
        args: Vec<ReceiveArg>,
    },
    Assert(Expr),
    Print {
        format: Arc<str>,
        args: Vec<Expr>,
    },
    PrintMtype(Expr),
    SetPriority(Expr, Expr),
    Expr(Expr),
    Else,
    Break,
    Goto(Ident),
    If(Vec<Sequence>),
    Do(Vec<Sequence>),
    Atomic(Sequence),
    DStep(Sequence),
    Block(Sequence),
    Unless(Box<Stmt>, Box<Stmt>),
    For {
        var: VarRef,
        range: ForRange,
        body: Sequence,
    },
    Select {
        var: VarRef,
        from: Expr,
        to: Expr,
        form: SelectForm,
    },
}

#[derive(Clone, Debug)]
pub enum ForRange {
    /// `for (i : from .. to)`
    Values(Expr, Expr),
    /// `for (x in array)` or `for (message in channel)`
    Elements(VarRef),
}

/// SPIN rewrites `select` in one of three ways, depending on how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectForm {
    /// Between two numbers at most 32 apart: one assignment is chosen.
    Choice,
    /// Between two numbers further apart: counts up from the first and may stop at each.
    Count,
    /// In general: counts up too, but the option to stop comes first.
    General,
}

/// A variable, an array element, or a field: each part with its index.
#[derive(Clone, Debug)]
pub struct VarRef {
    pub parts: Vec<VarPart>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct VarPart {
    pub name: Ident,
    pub index: Option<Box<Expr>>,
}

#[derive(Clone, Debug)]
pub enum ReceiveArg {
    /// A variable to store into, a constant name, or `_`.
    Var(VarRef),
    Eval(Expr),
    Number(Number),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Not,
    Negate,
    Complement,
    /// Temporal operators, from here on.
    Always,
    Eventually,
    Next,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Arithmetic(homing_ir::BinaryOp),
    /// Temporal operators, from here on.
    Until,
    WeakUntil,
    Release,
    Implies,
    Equivalent,
}

/// `full`, `empty` and their negations: SPIN allows to join them by `&&` and `||`, but not to negate or compute with
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Probe {
    Full,
    Empty,
    NotFull,
    NotEmpty,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number; `true`, `false` and `skip` are numbers too.
    Number(i32),
    Var(VarRef),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Run {
        proctype: Ident,
        args: Vec<Expr>,
        priority: Option<Number>,
    },
    Length(VarRef),
    Probe(Probe, VarRef),
    Poll {
        channel: VarRef,
        anywhere: bool,
        args: Vec<ReceiveArg>,
    },
    Timeout,
    NonProgress,
    Enabled(Box<Expr>),
    PcValue(Box<Expr>),
    PriorityOf(Box<Expr>),
    RemoteLabel {
        proctype: Ident,
        pid: Option<Box<Expr>>,
        label: Ident,
    },
    RemoteVar {
        proctype: Ident,
        pid: Option<Box<Expr>>,
        var: VarPart,
    },
}
