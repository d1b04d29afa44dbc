//! The syntax tree: a model as written, from either format.

use std::sync::Arc;

use crate::source::Span;

pub type Name = Arc<str>;

#[derive(Clone, Debug)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

/// A model: its parts in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Document {
    pub items: Vec<Item>,
    /// The `system` line.
    pub system: Option<System>,
    pub queries: Vec<Query>,
    pub refused: Vec<RefusedQuery>,
}

impl Document {
    /// The types of the clocks that are declared.
    pub fn clocks(&self) -> Vec<Span> {
        let of_template = |template: &Template| {
            let declared = template.declarations.iter().filter_map(Declaration::clock);
            let parameters = template.parameters.iter().map(|parameter| &parameter.type_).filter_map(TypeExpr::clock);
            parameters.chain(declared).collect()
        };
        let clocks = self.items.iter().map(|item| match item {
            Item::Declaration(declaration) => declaration.clock().into_iter().collect(),
            Item::Template(template) => of_template(template),
            Item::Instance(_) => Vec::new(),
        });
        clocks.collect::<Vec<Vec<Span>>>().concat()
    }

    /// The number of the query that is added next.
    pub fn next_number(&self) -> u32 {
        (self.queries.len() + self.refused.len()) as u32 + 1
    }
}

/// A query that is not decided. The others of the model are decided all the same.
#[derive(Clone, Debug)]
pub struct RefusedQuery {
    pub number: u32,
    pub span: Span,
    pub refusal: Refusal,
    /// Why, in one sentence without a full stop.
    pub reason: String,
}

/// Why a query is not decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is of a kind, or uses a construct, that is not supported.
    Unsupported,
    /// It is wrong: a syntax error, a name that is not declared, a type that does not fit.
    Invalid,
}

#[derive(Clone, Debug)]
pub enum Item {
    Declaration(Declaration),
    Template(Template),
    Instance(Instance),
}

#[derive(Clone, Debug)]
pub enum Declaration {
    Variable(Variable),
    Typedef { name: Ident, type_: TypeExpr, dimensions: Vec<Dimension> },
    Function(Function),
}

impl Declaration {
    fn clock(&self) -> Option<Span> {
        match self {
            Declaration::Variable(variable) => variable.type_.clock(),
            Declaration::Typedef { .. } | Declaration::Function(_) => None,
        }
    }
}

/// What stands before a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prefix {
    pub constant: bool,
    pub meta: bool,
    pub urgent: bool,
    pub broadcast: bool,
}

#[derive(Clone, Debug)]
pub struct TypeExpr {
    pub prefix: Prefix,
    pub kind: TypeKind,
    pub span: Span,
}

impl TypeExpr {
    fn clock(&self) -> Option<Span> {
        matches!(self.kind, TypeKind::Clock).then_some(self.span)
    }
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `int`, with bounds or without.
    Int(Option<Box<(Expr, Expr)>>),
    Bool,
    Void,
    Chan,
    Clock,
    Double,
    String,
    Scalar(Box<Expr>),
    Struct(Vec<Field>),
    Named(Name),
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: Ident,
    pub type_: TypeExpr,
    pub dimensions: Vec<Dimension>,
}

/// `[n]` or `[T]`. A single name is an expression here; it can turn out to be a type.
#[derive(Clone, Debug)]
pub enum Dimension {
    Size(Expr),
    Type(TypeExpr),
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Ident,
    pub type_: TypeExpr,
    pub dimensions: Vec<Dimension>,
    pub initial: Option<Initialiser>,
}

#[derive(Clone, Debug)]
pub enum Initialiser {
    Value(Expr),
    /// `{ 1, 2 }`; a field can be named: `{ x: 1 }`.
    List {
        items: Vec<(Option<Ident>, Initialiser)>,
        span: Span,
    },
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: Ident,
    pub type_: TypeExpr,
    pub by_reference: bool,
    pub dimensions: Vec<Dimension>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: Ident,
    pub result: TypeExpr,
    pub parameters: Vec<Parameter>,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub enum Statement {
    Empty,
    Expression(Expr),
    Declaration(Variable),
    Typedef {
        name: Ident,
        type_: TypeExpr,
        dimensions: Vec<Dimension>,
    },
    Block(Vec<Statement>),
    If {
        condition: Expr,
        then: Box<Statement>,
        otherwise: Option<Box<Statement>>,
    },
    While {
        condition: Expr,
        body: Box<Statement>,
    },
    DoWhile {
        body: Box<Statement>,
        condition: Expr,
    },
    For {
        first: Option<Expr>,
        condition: Option<Expr>,
        next: Option<Expr>,
        body: Box<Statement>,
    },
    /// `for (i : T)`
    Iterate {
        variable: Ident,
        type_: TypeExpr,
        body: Box<Statement>,
    },
    Return {
        value: Option<Expr>,
        span: Span,
    },
}

#[derive(Clone, Debug)]
pub struct Template {
    pub name: Ident,
    pub parameters: Vec<Parameter>,
    pub declarations: Vec<Declaration>,
    pub locations: Vec<Location>,
    pub branch_points: Vec<Ident>,
    pub initial: Option<Ident>,
    pub edges: Vec<Edge>,
}

#[derive(Clone, Debug)]
pub struct Location {
    pub name: Ident,
    /// Whether the reader invented the name: it hides nothing and cannot be referred to.
    pub unnamed: bool,
    pub invariant: Option<Expr>,
    pub committed: bool,
    pub urgent: bool,
}

#[derive(Clone, Debug)]
pub struct Edge {
    /// The name of a location or of a branch point.
    pub source: Ident,
    pub target: Ident,
    pub select: Vec<Select>,
    pub guard: Option<Expr>,
    pub sync: Option<Sync>,
    pub update: Vec<Expr>,
    pub probability: Option<Span>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Select {
    pub name: Ident,
    pub type_: TypeExpr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `c!`
    Send,
    /// `c?`
    Receive,
}

#[derive(Clone, Debug)]
pub struct Sync {
    pub channel: Expr,
    pub direction: Direction,
    pub span: Span,
}

/// `Q(int &x) = P(x, 2);`
#[derive(Clone, Debug)]
pub struct Instance {
    pub name: Ident,
    pub parameters: Vec<Parameter>,
    pub template: Ident,
    pub arguments: Vec<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct System {
    pub processes: Vec<Ident>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Query {
    /// Which of the model's queries it is, from 1 on.
    pub number: u32,
    pub quantifier: PathQuantifier,
    pub formula: Expr,
    pub span: Span,
}

/// Which states a query is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathQuantifier {
    /// `E<>`: some reachable state.
    Possibly,
    /// `A[]`: all reachable states.
    Invariantly,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Number(i32),
    Bool(bool),
    Deadlock,
    Name(Name),
    Index(Box<Expr>, Box<Expr>),
    Field(Box<Expr>, Ident),
    /// A function call, or a process with its parameters in a query.
    Call(Box<Expr>, Vec<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Conditional(Box<[Expr; 3]>),
    /// With an operator for `+=` and the like.
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `++` and `--`.
    Step {
        target: Box<Expr>,
        operator: BinaryOp,
        value: StepValue,
    },
    Quantified {
        quantifier: Quantifier,
        variable: Ident,
        type_: Box<TypeExpr>,
        body: Box<Expr>,
    },
}

/// The value of an assignment as an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepValue {
    /// Before the assignment: `i++`.
    Old,
    /// After the assignment: `++i`, `i = 1`.
    New,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    Forall,
    Exists,
    Sum,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Not,
    Minus,
}

/// Binary operators. `And`, `Or` and `Imply` do not evaluate the right side if the left one decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its operator")]
pub enum BinaryOp {
    Or,
    Imply,
    Xor,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    GreaterEqual,
    Greater,
    Minimum,
    Maximum,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}
