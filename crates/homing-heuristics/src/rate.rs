//! How fast the statements of a model can change a variable or the length of a channel.

use homing_ir::{
    AccessSet, AccessSets, Action, ArgPattern, BinaryOp, ChannelOp, Expr, Model, Object, ProctypeId, Queueing, Scope,
    Update, VarRef, Variable,
};

use crate::distance::Deferred;

/// The most by which one statement can change a value in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Speed {
    /// By so much; never if it is 0.
    By(u32),
    /// By any amount.
    AtOnce,
}

/// The speeds in both directions. Wrapping around at the end of the range is not counted as a change here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub up: Speed,
    pub down: Speed,
}

impl Rate {
    pub const NEVER: Rate = Rate { up: Speed::By(0), down: Speed::By(0) };
    const AT_ONCE: Rate = Rate { up: Speed::AtOnce, down: Speed::AtOnce };

    fn or(self, other: Rate) -> Rate {
        Rate { up: self.up.max(other.up), down: self.down.max(other.down) }
    }
}

/// The rates of all variables of a model.
#[derive(Clone, Debug)]
pub struct Rates {
    globals: Vec<Rate>,
    /// By process type and variable.
    locals: Vec<Vec<Rate>>,
    /// The rate of the length of every channel.
    pub length: Rate,
    /// A message may be enqueued before others (sorted send).
    pub overtakes: bool,
}

impl Rates {
    /// Computes the rates. With [`Deferred::Free`], a variable that a deferred statement writes may change at once.
    pub fn of(model: &Model, deferred: Deferred) -> Rates {
        let mut rates = Rates {
            globals: vec![Rate::NEVER; model.globals.len()],
            locals: model.proctypes.iter().map(|proctype| vec![Rate::NEVER; proctype.locals.len()]).collect(),
            length: Rate { up: Speed::By(1), down: Speed::By(1) },
            overtakes: false,
        };
        let accesses = AccessSets::of(model);
        for (at, proctype) in model.proctypes.iter().enumerate() {
            let id = ProctypeId(at as u32);
            let automaton = &proctype.automaton;
            for location in &automaton.locations {
                for transition in &location.transitions {
                    let action = &automaton.statement(transition.statement).action;
                    let is_early = deferred == Deferred::Free && location.deferred;
                    let pace = if is_early { Pace::AtOnce } else { Pace::Known };
                    rates.add(model, id, action, accesses.statement(id, transition.statement), pace);
                    // an array that is set to zero is read nowhere after that
                    let resets = automaton.resets(transition).iter();
                    for var in resets.filter(|var| proctype.locals[var.index()].dims.is_empty()) {
                        rates.locals[at][var.index()] = Rate::AT_ONCE;
                    }
                }
            }
        }
        rates
    }

    fn add(&mut self, model: &Model, id: ProctypeId, action: &Action, accesses: &AccessSet<'_>, pace: Pace) {
        let update = action.update();
        if let Update::Assign { target, value } = update
            && pace == Pace::Known
        {
            let rate = of_assignment(model.variable(Some(id), target.scope, target.var), target, value);
            return self.raise(id, target, rate);
        }
        accesses.written_variables().for_each(|target| self.raise(id, target, Rate::AT_ONCE));
        let is_block = matches!(update, Update::Block(_));
        for access in accesses.iter() {
            match access.object {
                Object::Queue { op: ChannelOp::Send(queueing), .. } => {
                    self.overtakes |= queueing == Queueing::Sorted;
                    if is_block {
                        self.length.up = Speed::AtOnce;
                    }
                }
                Object::Queue { op: ChannelOp::Receive(_), .. } if is_block => self.length.down = Speed::AtOnce,
                _ => {}
            }
        }
    }

    fn raise(&mut self, id: ProctypeId, target: &VarRef, rate: Rate) {
        let known = match target.scope {
            Scope::Global => &mut self.globals[target.var.index()],
            Scope::Local => &mut self.locals[id.index()][target.var.index()],
            Scope::Scratch => return,
        };
        *known = known.or(rate);
    }

    /// The rate of a variable as seen by a process of a type, or of a global.
    pub fn of_var(&self, proctype: Option<ProctypeId>, var: &VarRef) -> Rate {
        match (var.scope, proctype) {
            (Scope::Global, _) => self.globals[var.var.index()],
            (Scope::Local, Some(id)) => self.locals[id.index()][var.var.index()],
            (Scope::Local, None) | (Scope::Scratch, _) => Rate::AT_ONCE,
        }
    }

    /// Whether an expression always has the same value for the same process.
    pub fn is_fixed(&self, proctype: Option<ProctypeId>, expr: &Expr) -> bool {
        let mut fixed = true;
        expr.walk(&mut |inner| {
            fixed &= match inner {
                Expr::Const { .. } | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..) => true,
                Expr::Pid => proctype.is_some(),
                Expr::Var(var) => self.of_var(proctype, var) == Rate::NEVER,
                _ => false,
            };
        });
        fixed
    }

    /// Whether the values that a receive compares with are always the same for the same process.
    pub fn are_fixed(&self, proctype: Option<ProctypeId>, args: &[ArgPattern]) -> bool {
        args.iter().all(|arg| match arg {
            ArgPattern::Match { value, .. } => self.is_fixed(proctype, value),
            _ => true,
        })
    }
}

/// Whether the value of an assignment is used, or any change is assumed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    Known,
    AtOnce,
}

fn of_assignment(variable: &Variable, target: &VarRef, value: &Expr) -> Rate {
    let is_target = |expr: &Expr| matches!(expr, Expr::Var(var) if var == target);
    let moved = |by: i64| match u32::try_from(by.unsigned_abs()) {
        Ok(size) if by >= 0 => Rate { up: Speed::By(size), down: Speed::By(0) },
        Ok(size) => Rate { up: Speed::By(0), down: Speed::By(size) },
        Err(_) => Rate::AT_ONCE,
    };
    match value {
        Expr::Const { value, .. } => {
            let (least, greatest) = variable.cell.range();
            let value = i64::from(variable.cell.truncate(*value));
            let speed = |moves: bool| if moves { Speed::AtOnce } else { Speed::By(0) };
            Rate { up: speed(value > least), down: speed(value < greatest) }
        }
        Expr::Binary(BinaryOp::Add, left, right) => match (&**left, &**right) {
            (Expr::Const { value, .. }, var) | (var, Expr::Const { value, .. }) if is_target(var) => {
                moved(i64::from(*value))
            }
            _ => Rate::AT_ONCE,
        },
        Expr::Binary(BinaryOp::Subtract, left, right) => match (&**left, &**right) {
            (var, Expr::Const { value, .. }) if is_target(var) => moved(-i64::from(*value)),
            _ => Rate::AT_ONCE,
        },
        _ => Rate::AT_ONCE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::model;

    #[test]
    fn counters_are_slow() {
        let model = model(
            "byte up, reset, any, none; short down; active proctype P() { up = up + 2; up++; reset++; reset = 0; \
             any = up; down = down - 3; d_step { none = none; down-- } }",
        );
        let rates = Rates::of(&model, Deferred::Counted);
        let by = |up, down| Rate { up, down };
        assert_eq!(rates.globals[0], by(Speed::By(2), Speed::By(0)));
        assert_eq!(rates.globals[1], by(Speed::By(1), Speed::AtOnce));
        assert_eq!(rates.globals[2], Rate::AT_ONCE);
        assert_eq!(rates.globals[4], Rate::AT_ONCE, "a d_step counts one however much it does");
    }
}
