//! Which expressions can fail to have a value: an index out of range, a division without a result, a channel that is none.

use crate::{AccessSets, BinaryOp, ChannelShape, Expr, InitValue, Model, Object, ProctypeId, Scope, VarRef};

/// Whether computing the value can be an error.
pub fn can_fail(expr: &Expr, model: &Model, proctype: Option<ProctypeId>) -> bool {
    let mut fails = false;
    expr.walk(&mut |part| fails |= fails_by_itself(part, model, proctype));
    fails
}

/// Whether computing the value can be an error although the values of its parts are known.
pub(crate) fn fails_by_itself(expr: &Expr, model: &Model, proctype: Option<ProctypeId>) -> bool {
    match expr {
        Expr::Var(var) => !var.fits(&model.variable(proctype, var.scope, var.var).dims),
        Expr::Binary(op, left, right) => can_divide_wrongly(*op, left, right, model, proctype),
        Expr::Const { .. }
        | Expr::Pid
        | Expr::ProcessCount
        | Expr::Last
        | Expr::OwnPriority
        | Expr::Unary(..)
        | Expr::Conditional(..)
        | Expr::NewPid => false,
        _ => true,
    }
}

/// Whether the operation itself, its operands being computed, can be a division without a result.
pub(crate) fn can_divide_wrongly(
    op: BinaryOp,
    left: &Expr,
    right: &Expr,
    model: &Model,
    proctype: Option<ProctypeId>,
) -> bool {
    let divides = matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
    divides
        && match right.as_constant() {
            None | Some(0) => true,
            Some(-1) => can_be_least(left, model, proctype),
            Some(_) => false,
        }
}

/// Whether the value can be the least `int`, which has no quotient by -1. True unless that is plain to see.
pub fn can_be_least(expr: &Expr, model: &Model, proctype: Option<ProctypeId>) -> bool {
    match expr {
        Expr::Const { value, .. } => *value == i32::MIN,
        Expr::Var(var) => model.variable(proctype, var.scope, var.var).cell.truncate(i32::MIN) == i32::MIN,
        Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::OwnPriority | Expr::Length(_) | Expr::NewPid => false,
        Expr::Binary(op, ..) => !op.is_test(),
        _ => true,
    }
}

/// What can fail where an expression is evaluated outside of all processes, by a claim or a formula.
pub struct Observer<'m> {
    model: &'m Model,
    /// By global variable: whether some statement writes it.
    written: Vec<bool>,
    /// Processes are created, so that a number may come to mean a process of another type.
    creates: bool,
}

impl<'m> Observer<'m> {
    /// An observer of a model.
    pub fn of(model: &'m Model) -> Self {
        let accesses = AccessSets::of(model);
        let creates = accesses.iter().any(|access| matches!(access.object, Object::Creation(_)));
        Observer { model, written: accesses.written_globals(), creates }
    }

    /// Whether computing the value can be an error.
    pub fn can_fail(&self, expr: &Expr) -> bool {
        let mut fails = false;
        expr.walk(&mut |part| fails |= self.fails_by_itself(part));
        fails
    }

    fn fails_by_itself(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Timeout
            | Expr::NonProgress
            | Expr::Location(_)
            | Expr::PriorityOf(_)
            | Expr::RemoteLabel { .. }
            | Expr::RemoteVar { pid: None, .. } => !self.has_indices_in_range(expr),
            Expr::RemoteVar { proctype, pid: Some(pid), .. } => {
                let start = |pid: i32| usize::try_from(pid).ok().and_then(|pid| self.model.start.get(pid));
                let is_of_type = |pid: i32| start(pid).is_none_or(|start| start.proctype == *proctype);
                self.creates || !pid.as_constant().is_some_and(is_of_type) || !self.has_indices_in_range(expr)
            }
            Expr::Length(channel)
            | Expr::Full(channel)
            | Expr::Empty(channel)
            | Expr::NotFull(channel)
            | Expr::NotEmpty(channel) => !matches!(&**channel, Expr::Var(var) if self.channel(var).is_some()),
            Expr::Poll { channel, args, .. } => {
                let suits = |shape: &ChannelShape| shape.capacity > 0 && shape.fields.len() == args.len();
                !matches!(&**channel, Expr::Var(var) if self.channel(var).is_some_and(suits))
            }
            _ => fails_by_itself(expr, self.model, None),
        }
    }

    /// Whether the indices of a variable of another process are constants in range; nothing else has any.
    fn has_indices_in_range(&self, expr: &Expr) -> bool {
        let Expr::RemoteVar { proctype, var, indices, .. } = expr else { return true };
        let dims = &self.model.proctype(*proctype).locals[var.index()].dims;
        let is_in_range = |(index, length): (&Expr, &u32)| {
            let index = index.as_constant().and_then(|index| u32::try_from(index).ok());
            index.is_some_and(|index| index < *length)
        };
        indices.iter().zip(dims).all(is_in_range)
    }

    /// The shape of a global that was declared as channels and is never assigned to.
    fn channel(&self, var: &VarRef) -> Option<&ChannelShape> {
        let is_never_written = var.scope == Scope::Global && !self.written[var.var.index()];
        let mut inits = self.model.inits.iter().filter(|init| is_never_written && init.var == var.var);
        inits.find_map(|init| match init.value {
            InitValue::Channel(shape) if init.cells.len() == self.model.globals[init.var.index()].cells() => {
                Some(self.model.shape(shape))
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{P, binary, element, number, straight, value};

    #[test]
    fn what_can_have_no_value() {
        let model = straight(Vec::new());
        let index = |index| Expr::Var(element(index));
        let divided = |left, right| binary(BinaryOp::Divide, left, right);
        for (expr, fails) in [
            (number(1), false),
            (value("x"), false),
            (index(number(2)), false),
            (index(number(3)), true),
            (index(number(-1)), true),
            (index(value("l")), true),
            (binary(BinaryOp::Multiply, value("x"), value("y")), false),
            (divided(value("x"), number(2)), false),
            (divided(value("x"), value("y")), true),
            (binary(BinaryOp::Remainder, value("x"), number(0)), true),
            // a byte is never the least int
            (divided(value("x"), number(-1)), false),
            (divided(binary(BinaryOp::Add, value("x"), value("y")), number(-1)), true),
            (divided(binary(BinaryOp::Less, value("x"), value("y")), number(-1)), false),
            (divided(number(i32::MIN), number(-1)), true),
            (Expr::Length(Box::new(value("c"))), true),
            (Expr::Timeout, true),
        ] {
            assert_eq!(can_fail(&expr, &model, Some(P)), fails, "{expr:?}");
        }
    }
}
