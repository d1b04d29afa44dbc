//! Variables that are written but never read: nothing depends on their values, so nothing is stored in them.
//!
//! SPIN leaves them out of the state (`spin -a` without `-o2`). Here the statements that write them only compute the
//! value, which can be an error in itself, so that they keep their initial value.

use homing_core::Condition;

use crate::observed::{can_fail, deciding_parts, idle_exprs};
use crate::{Action, ArgPattern, BinaryOp, Expr, InitValue, Model, Observed, ProctypeId, Scalar, Scope, VarRef};

/// Takes the writes to unread globals out of the model.
pub fn drop_writes(model: &mut Model, observed: &Observed) {
    let unread = find(model, observed);
    let dims: Vec<Vec<u32>> = model.globals.iter().map(|var| var.dims.clone()).collect();
    let is_unread = |target: &VarRef| target.scope == Scope::Global && unread[target.var.index()];
    let is_safe = |target: &VarRef| Condition::UnreadIndex.is_met(target.fits(&dims[target.var.index()]));
    for proctype in &mut model.proctypes {
        for statement in &mut proctype.automaton.statements {
            statement.action.for_each_inside_mut(&mut |action| drop_write(action, &is_unread, &is_safe));
        }
    }
}

/// By global: whether it is never read. What is only written to variables of that kind does not count as read.
fn find(model: &Model, observed: &Observed) -> Vec<bool> {
    let vars = (0..model.globals.len() as u32).map(crate::VarId);
    let mut read: Vec<bool> = vars
        .map(|var| {
            !Condition::UnreadObserved.is_met(!observed.global(var))
                || model.globals[var.index()].scalar == Scalar::Chan
        })
        .collect();
    loop {
        let before = read.clone();
        for (at, proctype) in model.proctypes.iter().enumerate() {
            let mut reads = Reads { model, proctype: ProctypeId(at as u32), read: &mut read };
            if !Condition::UnreadProvided.is_off() {
                proctype.provided.iter().for_each(|provided| reads.expr(provided));
            }
            for init in &proctype.inits {
                if let InitValue::Value(value) = &init.value
                    && !Condition::UnreadInitial.is_off()
                {
                    reads.expr(value);
                }
            }
            for statement in &proctype.automaton.statements {
                statement.action.for_each_inside(&mut |action| reads.action(action));
            }
        }
        if read == before {
            return read.iter().map(|read| !read).collect();
        }
    }
}

struct Reads<'r> {
    model: &'r Model,
    proctype: ProctypeId,
    read: &'r mut [bool],
}

impl Reads<'_> {
    fn action(&mut self, action: &Action) {
        match action {
            Action::DStep(_) => {} // its statements come by themselves
            Action::Print { .. } | Action::PrintMtype(_) | Action::Discard(_) => {
                for expr in idle_exprs(action) {
                    self.expr_if_it_can_fail(expr);
                }
            }
            Action::Assign { target, value } => {
                target.indices.iter().for_each(|index| self.expr(index));
                self.written(target, value);
            }
            Action::Run { args, store, .. } => {
                args.iter().for_each(|arg| self.expr(arg));
                if let Some((target, value)) = store {
                    target.indices.iter().for_each(|index| self.expr(index));
                    self.written(target, value);
                    self.keep_unless(self.fits(target) && !can_fail(value, self.model, Some(self.proctype)), target);
                }
            }
            Action::Receive { args, .. } => {
                action.for_each_expr(&mut |expr| self.expr(expr));
                for arg in args {
                    if let ArgPattern::Bind(target) = arg {
                        self.keep_unless(self.fits(target), target);
                    }
                }
            }
            _ => action.for_each_expr(&mut |expr| self.expr(expr)),
        }
    }

    /// The value counts as read if the target is, or if computing it can be an error.
    fn written(&mut self, target: &VarRef, value: &Expr) {
        let unread = target.scope == Scope::Global && !self.read[target.var.index()];
        if unread {
            self.expr_if_it_can_fail(value);
        } else {
            self.expr(value);
        }
    }

    fn expr_if_it_can_fail(&mut self, expr: &Expr) {
        let (model, proctype) = (self.model, Some(self.proctype));
        if !Condition::UnreadFailure.is_off() {
            deciding_parts(expr, model, proctype, &mut |part| self.expr(part));
        }
    }

    fn fits(&self, target: &VarRef) -> bool {
        target.fits(&self.model.variable(Some(self.proctype), target.scope, target.var).dims)
    }

    /// A write that cannot be taken out.
    fn keep_unless(&mut self, removable: bool, target: &VarRef) {
        if !Condition::UnreadIndex.is_met(removable) && target.scope == Scope::Global {
            self.read[target.var.index()] = true;
        }
    }

    fn expr(&mut self, expr: &Expr) {
        expr.walk(&mut |inner| {
            if let Expr::Var(var) = inner
                && var.scope == Scope::Global
            {
                self.read[var.var.index()] = true;
            }
        });
    }
}

fn drop_write(action: &mut Action, is_unread: &impl Fn(&VarRef) -> bool, is_safe: &impl Fn(&VarRef) -> bool) {
    match action {
        Action::Assign { target, value } if is_unread(target) => {
            let value = std::mem::replace(value, Expr::constant(0));
            *action = Action::Discard(if is_safe(target) {
                value
            } else {
                // an index out of range is an error even so
                Expr::Binary(BinaryOp::BitAnd, Box::new(value), Box::new(Expr::Var(target.clone())))
            });
        }
        Action::Run { store, .. } if store.as_ref().is_some_and(|(target, _)| is_unread(target)) => *store = None,
        Action::Receive { args, .. } => {
            for arg in args {
                if matches!(arg, ArgPattern::Bind(target) if is_unread(target)) {
                    *arg = ArgPattern::Ignore;
                }
            }
        }
        _ => {}
    }
}
