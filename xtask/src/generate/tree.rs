//! A Promela model as a tree that can be printed and cut down. It is as fine as shrinking needs: declarations are plain
//! text, expressions and statements are not.

#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub style: Style,
    pub items: Vec<Item>,
}

/// How the same tree is put into characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub separator: Separator,
    pub parentheses: Parentheses,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    Semicolon,
    /// The end of the line stands for the semicolon.
    Newline,
    /// Now one, now the other.
    Mixed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parentheses {
    All,
    /// Only where precedence asks for them.
    Needed,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Whole lines: a declaration, a directive.
    Text(String),
    Inline {
        name: String,
        formals: Vec<String>,
        body: Vec<Stmt>,
    },
    Process(Process),
    /// A never claim.
    Never(Vec<Stmt>),
    /// An `ltl` block.
    Ltl {
        name: String,
        formula: Expr,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// None is `init`.
    pub name: Option<String>,
    /// Instances at the start; 0 is a proctype that must be run. 1 for init.
    pub active: usize,
    pub parameters: String,
    pub priority: Option<usize>,
    pub provided: Option<Expr>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// A statement without statements inside: assignment, condition, send, declaration, goto, ...
    Simple(Vec<Piece>),
    Labelled(String, Box<Stmt>),
    Block(Block, Vec<Stmt>),
    Choice(Choice, Vec<Vec<Stmt>>),
    /// The head is what stands between the parentheses.
    For(Vec<Piece>, Vec<Stmt>),
    Unless(Vec<Stmt>, Vec<Stmt>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    Plain,
    Atomic,
    DStep,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    If,
    Do,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    Text(String),
    Expr(Expr),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Atom(String),
    Unary(&'static str, Box<Expr>),
    Binary(Box<Expr>, &'static str, Box<Expr>),
    /// `(condition -> then : else)`
    Conditional(Box<[Expr; 3]>),
    /// An expression between two texts: `a[` .. `].x`.
    Within(String, Box<Expr>, String),
}

impl Expr {
    pub fn atom(text: impl Into<String>) -> Expr {
        Expr::Atom(text.into())
    }

    pub fn binary(left: Expr, operator: &'static str, right: Expr) -> Expr {
        Expr::Binary(Box::new(left), operator, Box::new(right))
    }

    pub fn unary(operator: &'static str, operand: Expr) -> Expr {
        Expr::Unary(operator, Box::new(operand))
    }

    pub fn within(before: impl Into<String>, inner: Expr, after: impl Into<String>) -> Expr {
        Expr::Within(before.into(), Box::new(inner), after.into())
    }
}

impl From<Expr> for Piece {
    fn from(expr: Expr) -> Piece {
        Piece::Expr(expr)
    }
}

impl From<&str> for Piece {
    fn from(text: &str) -> Piece {
        Piece::Text(text.to_string())
    }
}

impl From<String> for Piece {
    fn from(text: String) -> Piece {
        Piece::Text(text)
    }
}

impl Stmt {
    pub fn text(text: impl Into<String>) -> Stmt {
        Stmt::Simple(vec![Piece::Text(text.into())])
    }

    pub fn condition(expr: Expr) -> Stmt {
        Stmt::Simple(vec![Piece::Expr(expr)])
    }

    pub fn assign(place: Expr, value: Expr) -> Stmt {
        Stmt::Simple(vec![place.into(), " = ".into(), value.into()])
    }

    /// The statement lists directly inside.
    pub fn bodies(&self) -> Vec<&Vec<Stmt>> {
        match self {
            Stmt::Simple(_) => Vec::new(),
            Stmt::Labelled(_, inner) => inner.bodies(),
            Stmt::Block(_, body) | Stmt::For(_, body) => vec![body],
            Stmt::Choice(_, options) => options.iter().collect(),
            Stmt::Unless(main, escape) => vec![main, escape],
        }
    }

    /// As [`Stmt::bodies`].
    pub fn bodies_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            Stmt::Simple(_) => Vec::new(),
            Stmt::Labelled(_, inner) => inner.bodies_mut(),
            Stmt::Block(_, body) | Stmt::For(_, body) => vec![body],
            Stmt::Choice(_, options) => options.iter_mut().collect(),
            Stmt::Unless(main, escape) => vec![main, escape],
        }
    }
}

impl Item {
    pub fn body_mut(&mut self) -> Option<&mut Vec<Stmt>> {
        match self {
            Item::Text(_) | Item::Ltl { .. } => None,
            Item::Inline { body, .. } | Item::Never(body) => Some(body),
            Item::Process(process) => Some(&mut process.body),
        }
    }
}
