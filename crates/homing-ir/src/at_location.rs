//! Which expressions of a process at a location can fail to have a value, by the values that its variables can have there. What is not
//! proved may fail.

use crate::{Action, BinaryOp, Block, BlockNode, ChannelShape, Expr, Frame, ProctypeId, Ranges, Scope, VarRef};

/// A process at a location.
#[derive(Clone, Copy)]
pub struct AtLocation<'r, 'm> {
    /// The values of all variables.
    pub ranges: &'r Ranges<'m>,
    /// The type of the process.
    pub id: ProctypeId,
    /// The values of its locals.
    pub frame: &'r Frame,
}

impl AtLocation<'_, '_> {
    /// Whether computing a reference to a variable can fail.
    pub fn target_can_fail(self, target: &VarRef) -> bool {
        let AtLocation { ranges, id, frame } = self;
        !ranges.fits(id, frame, target) || target.indices.iter().any(|index| self.can_fail(index))
    }

    /// Whether an expression can mean no channel, or one for which `is_fit` does not hold.
    pub fn channel_can_fail(self, channel: &Expr, is_fit: impl Fn(&ChannelShape) -> bool) -> bool {
        self.can_fail(channel) || !self.ranges.are_channels(self.id, self.frame, channel, is_fit)
    }

    /// Whether a division, its operands being computed, can have no result.
    pub fn can_divide_wrongly(self, left: &Expr, right: &Expr) -> bool {
        let AtLocation { ranges, id, frame } = self;
        let least = i64::from(i32::MIN);
        let can_be_least = || ranges.interval(id, frame, left).is_none_or(|values| values.0 == least);
        match ranges.interval(id, frame, right) {
            Some((1.., _)) => false,
            Some((..=-1, ..=-1)) => can_be_least(),
            _ => true,
        }
    }

    /// Whether a run-time error can happen in a block, which is entered here. Only blocks without choices are followed.
    pub fn block_can_fail(self, block: &Block) -> bool {
        let mut frame = self.frame.clone();
        for node in &block.nodes {
            // a local that the block writes has any value of its type
            if let BlockNode::Do { action: Action::Assign { target, .. }, .. } = node
                && target.scope == Scope::Local
            {
                frame[target.var.index()] = self.ranges.most(Some(self.id), target.scope, target.var);
            }
        }
        let inside = AtLocation { frame: &frame, ..self };
        let mut at = block.entry;
        for _ in &block.nodes {
            let BlockNode::Do { action, next, .. } = &block.nodes[at.0 as usize] else {
                return block.nodes[at.0 as usize] != BlockNode::Exit;
            };
            let can_fail = match action {
                Action::Assign { target, value } => inside.can_fail(value) || inside.target_can_fail(target),
                // a condition that does not hold is an error unless the block begins with it
                Action::Condition(condition) => at != block.entry || inside.can_fail(condition),
                Action::Assert(condition) => inside.can_fail(condition),
                Action::Skip(_) => false,
                _ => true,
            };
            if can_fail {
                return true;
            }
            at = *next;
        }
        true // it does not end
    }

    /// Whether computing an expression can fail.
    pub fn can_fail(self, expr: &Expr) -> bool {
        let AtLocation { ranges, id, frame } = self;
        let by_itself = match expr {
            Expr::Const { .. }
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::NewPid
            | Expr::Timeout
            | Expr::Unary(..)
            | Expr::Conditional(..) => false,
            Expr::Binary(BinaryOp::And, left, right) => {
                // the right side is computed only if the left one holds
                let given = ranges.given(id, frame.clone(), left);
                return self.can_fail(left) || AtLocation { frame: &given, ..self }.can_fail(right);
            }
            Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, left, right) => self.can_divide_wrongly(left, right),
            Expr::Binary(..) => false,
            Expr::Var(var) => !ranges.fits(id, frame, var),
            Expr::Length(channel)
            | Expr::Full(channel)
            | Expr::Empty(channel)
            | Expr::NotFull(channel)
            | Expr::NotEmpty(channel) => self.channel_can_fail(channel, |_| true),
            Expr::Poll { channel, args, .. } => {
                self.channel_can_fail(channel, |shape| shape.capacity > 0 && shape.fields.len() == args.len())
            }
            _ => true,
        };
        let mut fails = by_itself;
        expr.for_each_part(&mut |part| fails |= self.can_fail(part));
        fails
    }
}
