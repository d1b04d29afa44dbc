//! Which edges of an automata network can have a run-time error, whatever the state: by the bounds of their expressions alone.
//!
//! Under which condition they fail is not analysed. An update is executed after others of the same step, so that a condition of the
//! state before the step says nothing; and a failing guard is an error wherever it is evaluated.

use homing_ir::{Action, BinaryOp, Block, BlockNode, Edge, Expr, Model, ProctypeId, VarRef};

use crate::bounds::bounds;

/// Whether the guard, the channel or the update of an edge can fail.
pub fn edge_can_fail(model: &Model, id: ProctypeId, Edge { guard, signal, update }: &Edge) -> bool {
    let channel = signal.as_ref().map(|signal| &signal.channel);
    guard.iter().chain(channel).any(|expr| expr_can_fail(model, id, expr))
        || update.as_ref().is_some_and(|update| block_can_fail(model, id, update))
}

/// Whether an expression can have no value.
pub fn expr_can_fail(model: &Model, id: ProctypeId, expr: &Expr) -> bool {
    let mut can_fail = false;
    expr.walk(&mut |part| can_fail |= part_can_fail(model, id, part));
    can_fail
}

/// Whether an expression can have no value although its parts have one.
fn part_can_fail(model: &Model, id: ProctypeId, expr: &Expr) -> bool {
    match expr {
        Expr::Var(var) => indices_can_fail(model, id, var),
        Expr::Checked(checked) => {
            !is_between(model, id, &checked.value, i64::from(checked.least), i64::from(checked.greatest))
        }
        Expr::Element { table, index } => {
            let length = model.tables[*table as usize].values.len() as i64;
            !is_between(model, id, index, 0, length - 1)
        }
        Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, _, divisor) => {
            divisor.as_constant().is_none_or(|divisor| matches!(divisor, 0 | -1))
        }
        Expr::Computed { block, .. } => block_can_fail(model, id, block),
        Expr::Const { .. } | Expr::Pid | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..) => false,
        Expr::RemoteLabel { pid, .. } => pid.as_ref().is_some_and(|pid| pid.as_constant().is_none()),
        _ => true,
    }
}

fn indices_can_fail(model: &Model, id: ProctypeId, var: &VarRef) -> bool {
    let dims = &model.variable(Some(id), var.scope, var.var).dims;
    var.indices.iter().zip(dims).any(|(index, &length)| !is_between(model, id, index, 0, i64::from(length) - 1))
}

/// Whether the value of an expression is never outside of a range.
fn is_between(model: &Model, id: ProctypeId, expr: &Expr, least: i64, greatest: i64) -> bool {
    bounds(model, id, expr).is_some_and(|(low, high)| low >= least && high <= greatest)
}

/// Whether a statement of a block can fail, or the block can be endless: one with a choice may be a loop.
fn block_can_fail(model: &Model, id: ProctypeId, block: &Block) -> bool {
    block.nodes.iter().any(|node| match node {
        BlockNode::Do { action: Action::Assign { target, value }, .. } => {
            let range = model.variable(Some(id), target.scope, target.var).range;
            let fits = |(least, greatest): (i32, i32)| is_between(model, id, value, least.into(), greatest.into());
            indices_can_fail(model, id, target)
                || target.indices.iter().any(|index| expr_can_fail(model, id, index))
                || expr_can_fail(model, id, value)
                || !range.is_none_or(fits)
        }
        BlockNode::Do { action: Action::Discard(value), .. } => expr_can_fail(model, id, value),
        BlockNode::Do { action: Action::Skip(_), .. } | BlockNode::Exit => false,
        BlockNode::Do { .. } | BlockNode::Select { .. } | BlockNode::Fail { .. } => true,
    })
}
