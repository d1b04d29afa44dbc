//! A label of a process in the making: an expression, or a block of statements.
//!
//! An expression of the network becomes one of the intermediate form where that is possible: *plain* lowering. Assignments inside it,
//! loops and most calls need statements before it; then its value is computed into temporary scratch cells by the block that is being
//! built, in the order in which the language evaluates operands.

use homing_ir::{Action, Block, BlockNode, Expr, Model, NodeId, Place, Scope, VarId, VarRef};

use super::address::Address;
use super::storage::{BOUND, TEMPORARY};
use super::{Lowering, Refused, arithmetic};
use crate::network::{self, ProcessId, Type};
use crate::source::Span;

/// Why something was not lowered.
#[derive(Clone, Copy, Debug)]
pub enum Stop {
    /// It needs statements, and a plain expression was asked for.
    NotPlain,
    /// An error was reported.
    Refused,
}

impl From<Refused> for Stop {
    fn from(_: Refused) -> Self {
        Stop::Refused
    }
}

pub type Res<T> = Result<T, Stop>;

/// The most nodes and parts of expressions of a label.
const LARGEST_LABEL: usize = 1 << 18;

/// A point of a block that is defined later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(usize);

/// What a frame belongs to: a label, or a function that is inlined.
#[derive(Debug)]
pub struct Activation<'a> {
    /// The scratch variable with its cells.
    pub frame: u32,
    /// The cells whose values are known: what `select` chose, a quantified variable that is unrolled, an argument.
    pub known: Vec<(u32, Expr)>,
    /// What parameters by reference refer to.
    pub references: Vec<Address<'a>>,
    /// Where the function returns to.
    pub exit: Option<Exit<'a>>,
}

/// Where a function that is inlined returns to.
#[derive(Clone, Debug)]
pub struct Exit<'a> {
    pub label: Label,
    /// The first temporary cell for the result.
    pub result: u32,
    /// `None` for `void`.
    pub type_: Option<&'a Type>,
    /// The name of the function.
    pub name: &'a str,
}

/// A label of a process, or a query, in the making.
pub struct Builder<'l, 'a> {
    pub lowering: &'l mut Lowering<'a>,
    /// The process; `None` for a query.
    pub process: Option<ProcessId>,
    /// It is an update: meta variables have values of their own.
    pub is_update: bool,
    /// Statements cannot be added.
    is_plain: bool,
    pub activations: Vec<Activation<'a>>,
    nodes: Vec<BlockNode>,
    /// By label; nodes refer to them by numbers from [`FIRST_LABEL`] on.
    labels: Vec<Option<u32>>,
    temporaries: u32,
    size: usize,
    /// The text that is being lowered.
    pub span: Span,
}

const FIRST_LABEL: u32 = 1 << 31;

impl<'l, 'a> Builder<'l, 'a> {
    pub fn new(lowering: &'l mut Lowering<'a>, process: Option<ProcessId>) -> Self {
        let nowhere = Span { file: crate::source::FileId(0), start: 0, end: 0 };
        let label = Activation { frame: BOUND, known: Vec::new(), references: Vec::new(), exit: None };
        Builder {
            lowering,
            process,
            is_update: false,
            is_plain: false,
            activations: vec![label],
            nodes: Vec::new(),
            labels: Vec::new(),
            temporaries: 0,
            size: 0,
            span: nowhere,
        }
    }

    /// Sets what `select` chose.
    pub fn choosing(mut self, chosen: &[i32]) -> Self {
        let known = chosen.iter().enumerate().map(|(at, value)| (at as u32, Expr::constant(*value)));
        self.activation().known = known.collect();
        self
    }

    /// Begins an update, whose frame has this size.
    pub fn updating(mut self, span: Span, frame: u32) -> Self {
        self.span = span;
        self.is_update = true;
        self.reserve(BOUND, frame);
        self
    }

    pub fn activation(&mut self) -> &mut Activation<'a> {
        self.activations.last_mut().expect("a label has a frame")
    }

    /// A condition, or another expression without effects. `frame` is the size of its frame.
    pub fn condition(self, expr: &'a network::Expr, frame: u32) -> Result<Expr, Refused> {
        self.computed(expr.span, frame, |builder| builder.value(expr))
    }

    /// An expression without effects.
    pub fn computed(
        mut self,
        span: Span,
        frame: u32,
        lower: impl FnOnce(&mut Self) -> Res<Expr>,
    ) -> Result<Expr, Refused> {
        self.span = span;
        self.reserve(BOUND, frame);
        let value = lower(&mut self).map_err(|_| Refused)?;
        if self.nodes.is_empty() {
            return Ok(value);
        }
        let text = self.lowering.text(span).into();
        let block = self.block()?.unwrap_or_else(|| unreachable!("there are statements"));
        Ok(Expr::Computed { block: Box::new(block), value: Box::new(value), text })
    }

    /// The block that was built; `None` if it is empty.
    pub fn block(mut self) -> Result<Option<Block>, Refused> {
        if self.nodes.is_empty() {
            return Ok(None);
        }
        self.reserve(TEMPORARY, self.temporaries);
        self.nodes.push(BlockNode::Exit);
        let labels = std::mem::take(&mut self.labels);
        let target = |node: &mut NodeId| {
            if let Some(label) = node.0.checked_sub(FIRST_LABEL) {
                *node = NodeId(labels[label as usize].expect("every label is placed"));
            }
        };
        for node in &mut self.nodes {
            match node {
                BlockNode::Do { next, .. } => target(next),
                BlockNode::Select { options, .. } => options.iter_mut().for_each(target),
                BlockNode::Fail { .. } | BlockNode::Exit => {}
            }
        }
        let line = self.lowering.place(self.span).line;
        let block = Block { nodes: self.nodes, entry: NodeId(0), guards: Vec::new(), line };
        Ok(Some(super::compact::compact(block)))
    }

    /// Makes a scratch variable at least as large.
    fn reserve(&mut self, variable: u32, cells: u32) {
        let size = &mut self.lowering.model.scratch[variable as usize].dims[0];
        *size = (*size).max(cells);
    }

    /// Lowers without statements: `None` if that is impossible.
    pub fn plainly<T>(&mut self, lower: impl FnOnce(&mut Self) -> Res<T>) -> Res<Option<T>> {
        let before = std::mem::replace(&mut self.is_plain, true);
        let lowered = lower(self);
        self.is_plain = before;
        match lowered {
            Ok(lowered) => Ok(Some(lowered)),
            Err(Stop::NotPlain) => Ok(None),
            Err(Stop::Refused) => Err(Stop::Refused),
        }
    }

    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Counts what was made, and refuses a label that is too large.
    pub fn charge(&mut self, size: usize) -> Res<()> {
        self.size += size;
        if self.size > LARGEST_LABEL {
            let message = format!(
                "the label is too large: it has more than {LARGEST_LABEL} parts when functions and quantifiers are expanded"
            );
            self.lowering.refuse::<()>(self.span, message)?;
        }
        Ok(())
    }

    fn add(&mut self, node: BlockNode) -> Res<()> {
        if self.is_plain {
            return Err(Stop::NotPlain);
        }
        self.charge(1)?;
        self.nodes.push(node);
        Ok(())
    }

    /// Adds a statement.
    pub fn act(&mut self, action: Action, span: Span) -> Res<()> {
        let place = self.lowering.place(span);
        self.act_at(action, place)
    }

    fn act_at(&mut self, action: Action, place: Place) -> Res<()> {
        let next = NodeId(self.nodes.len() as u32 + 1);
        self.add(BlockNode::Do { action, place, next })
    }

    /// Stores a value.
    pub fn assign(&mut self, target: VarRef, value: Expr, span: Span) -> Res<()> {
        self.charge(arithmetic::size(&value))?;
        self.act(Action::Assign { target, value }, span)
    }

    /// Adds a run-time error.
    pub fn fail(&mut self, message: String, span: Span) -> Res<()> {
        let place = self.lowering.place(span);
        self.add(BlockNode::Fail { message: message.into(), place })
    }

    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Lets a label be the next statement.
    pub fn put(&mut self, label: Label) {
        self.labels[label.0] = Some(self.nodes.len() as u32);
    }

    pub fn jump(&mut self, label: Label) -> Res<()> {
        let next = NodeId(FIRST_LABEL + label.0 as u32);
        self.add(BlockNode::Do { action: Action::Skip("goto".into()), place: Place::default(), next })
    }

    /// Goes on if the condition holds, and at the label if it does not.
    pub fn unless(&mut self, condition: Expr, otherwise: Label, span: Span) -> Res<()> {
        match condition.as_constant() {
            Some(0) => return self.jump(otherwise),
            Some(_) => return Ok(()),
            None => self.charge(arithmetic::size(&condition))?,
        }
        let place = self.lowering.place(span);
        let first = self.nodes.len() as u32;
        self.add(BlockNode::Select { options: vec![NodeId(first + 1), NodeId(first + 2)], place })?;
        self.add(BlockNode::Do { action: Action::Condition(condition), place, next: NodeId(first + 3) })?;
        let next = NodeId(FIRST_LABEL + otherwise.0 as u32);
        self.add(BlockNode::Do { action: Action::Else, place, next })
    }

    /// New temporary cells: the first.
    pub fn temporaries(&mut self, count: u32) -> u32 {
        self.temporaries += count;
        self.temporaries - count
    }

    /// A value that stays the same whatever is executed next.
    pub fn keep(&mut self, value: Expr) -> Res<Expr> {
        let is_kept = match &value {
            Expr::Const { .. } => true,
            Expr::Var(var) => var.scope == Scope::Scratch && var.var == VarId(TEMPORARY),
            _ => false,
        };
        if is_kept {
            return Ok(value);
        }
        let cell = self.temporaries(1);
        self.assign(temporary(cell), value, self.span)?;
        Ok(Expr::Var(temporary(cell)))
    }
}

/// A cell of a row of scratch cells.
pub fn scratch(variable: u32, cell: Expr) -> VarRef {
    VarRef { scope: Scope::Scratch, var: VarId(variable), indices: vec![cell] }
}

/// A cell of a scratch variable with any number of dimensions.
pub fn scratch_cell(model: &Model, variable: VarId, cell: u32) -> VarRef {
    let (mut rest, mut indices) = (cell, Vec::new());
    for dim in model.scratch[variable.index()].dims.iter().rev() {
        indices.push(Expr::constant((rest % dim) as i32));
        rest /= dim;
    }
    indices.reverse();
    VarRef { scope: Scope::Scratch, var: variable, indices }
}

/// A temporary cell.
pub fn temporary(cell: u32) -> VarRef {
    scratch(TEMPORARY, Expr::constant(cell as i32))
}
