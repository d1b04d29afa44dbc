//! Variables that are written but never read: nothing depends on their values, so nothing is stored in them.
//!
//! SPIN leaves them out of the state (`spin -a` without `-o2`). Here the statements that write them only compute the
//! value, which can be an error in itself, so that they keep their initial value.

use homing_core::Condition;

use crate::{
    Access, AccessKind, AccessSets, Action, ArgPattern, BinaryOp, Expr, Model, Observed, Purpose, Scalar, Scope, VarId,
    VarRef,
};

/// The globals whose values are never read, by variable.
pub struct Unread(Vec<bool>);

/// By global: whether its value is never read, by processes, claims, invariants or propositions, and writing it has no other effect.
/// What the formulas of a model read does not count: of those the propositions of one are asked for.
pub fn unread_globals(model: &Model) -> Vec<bool> {
    let model = &Model { formulas: Vec::new(), ..model.clone() };
    let accesses = AccessSets::of(model);
    let Unread(unread) = Unread::find(model, &accesses, &Observed::in_model(model, &accesses));
    unread
}

impl Unread {
    /// What is never read. What is only stored in variables of that kind does not count as read.
    pub fn find(model: &Model, accesses: &AccessSets, observed: &Observed) -> Self {
        let is_kept = |var: VarId| {
            !Condition::UnreadObserved.is_met(!observed.global(var))
                || model.globals[var.index()].scalar == Scalar::Chan
        };
        let mut read: Vec<bool> = (0..model.globals.len() as u32).map(|var| is_kept(VarId(var))).collect();
        let initial = accesses.proctypes().flat_map(|proctype| {
            let provided = (!Condition::UnreadProvided.is_off()).then_some(&proctype.provided);
            provided.into_iter().chain((!Condition::UnreadInitial.is_off()).then_some(&proctype.inits))
        });
        for var in initial.flat_map(|set| set.iter()).filter_map(Access::global) {
            read[var.var.index()] = true;
        }
        let mut changed = true;
        while changed {
            changed = false;
            let statements = accesses.proctypes().flat_map(|proctype| &proctype.statements);
            for access in statements.flat_map(|set| set.iter()) {
                if let Some(var) = access.global()
                    && !read[var.var.index()]
                    && is_read(access, &read)
                {
                    read[var.var.index()] = true;
                    changed = true;
                }
            }
        }
        Unread(read.iter().map(|read| !read).collect())
    }

    /// Whether every global is read.
    pub fn is_empty(&self) -> bool {
        !self.0.contains(&true)
    }

    /// Takes the writes to unread globals out of the model.
    pub fn drop_writes(&self, model: &mut Model) {
        let dims: Vec<Vec<u32>> = model.globals.iter().map(|var| var.dims.clone()).collect();
        let is_unread = |target: &VarRef| target.scope == Scope::Global && self.0[target.var.index()];
        let is_safe = |target: &VarRef| Condition::UnreadIndex.is_met(target.fits(&dims[target.var.index()]));
        for proctype in &mut model.proctypes {
            for statement in &mut proctype.automaton.statements {
                statement.action.for_each_inside_mut(&mut |action| drop_write(action, &is_unread, &is_safe));
            }
        }
    }
}

/// Whether an access makes its variable one that is read: the value is used, or decides whether a computation fails. A write
/// that cannot be taken out counts as well.
fn is_read(access: &Access, read: &[bool]) -> bool {
    match access.kind {
        AccessKind::Read { purpose, decides_failure } => {
            let is_used = match purpose {
                Purpose::Needed => true,
                Purpose::Printed | Purpose::Dropped => false,
                Purpose::StoredIn(target) => target.scope != Scope::Global || read[target.var.index()],
            };
            is_used || decides_failure && !Condition::UnreadFailure.is_off()
        }
        AccessKind::Write { is_droppable } => !Condition::UnreadIndex.is_met(is_droppable),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assign, binary, element, number, receive, straight, value, var};

    /// The names of the globals that are never read, channels apart.
    fn unread(actions: Vec<Action>) -> String {
        let model = straight(actions);
        let accesses = AccessSets::of(&model);
        let Unread(unread) = Unread::find(&model, &accesses, &Observed::in_model(&model, &accesses));
        model.globals.iter().zip(unread).filter(|(_, unread)| *unread).map(|(global, _)| &*global.name).collect()
    }

    #[test]
    fn values_are_read_or_not() {
        let divided = |left, right| binary(BinaryOp::Divide, left, right);
        for (actions, expected) in [
            (vec![assign(var("x"), number(1))], "xya"),
            (vec![Action::Condition(value("x"))], "ya"),
            (vec![Action::PrintMtype(value("x"))], "xya"),
            (vec![assign(var("x"), value("y"))], "xya"),
            (vec![assign(var("l"), value("y"))], "xa"),
            (vec![assign(var("x"), value("y")), Action::Condition(value("x"))], "a"),
            (vec![assign(var("x"), divided(number(1), value("y")))], "xa"),
            (vec![assign(element(value("y")), number(1))], "xa"),
            (vec![receive("c", vec![ArgPattern::Bind(var("x"))])], "xya"),
            // the index can be out of range, and a receive has no place to compute it without storing
            (vec![receive("c", vec![ArgPattern::Bind(element(value("y")))])], "x"),
        ] {
            let what = format!("{actions:?}");
            assert_eq!(unread(actions), expected, "{what}");
        }
    }
}
