//! What the transitions of a location touch beside what belongs to their process, so that of two steps that do not depend on
//! each other the search need not take both orders ([`homing_core::Asleep`]).
//!
//! A set of things is a word: the things that are touched in its upper half, those that are written in its lower half. Things
//! are cells of global variables and the two ends of channels, each with a bit of its own as long as there are enough. Which
//! cell, or which channel, is a matter of the state where an index or a variable tells it; then it is machine code that says so.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use homing_ir::{Action, ArgPattern, Expr, InitValue, Location, Model, Queueing, ReceiveFrom, Scope, VarId, VarRef};

use super::chain::Chain;
use super::translate::{FAULT, Translated, Translator, Unsupported};

/// What the steps of a process touch where it stands.
#[derive(Clone, Copy)]
pub enum Touches<F> {
    /// Perhaps everything.
    All,
    /// The same things in every state.
    Fixed(u64),
    /// What the code answers; everything where it gives up.
    Computed(F),
}

/// The set that stands for everything: what code answers that gives up.
pub const ALL: u64 = FAULT;

/// Whether neither of two sets has what the other writes. Not for [`ALL`].
#[inline(always)]
pub fn are_apart(one: u64, other: u64) -> bool {
    one & other.rotate_left(32) == 0
}

/// The bits of things.
pub struct Things {
    /// The bit of the first cell of each global variable; none for those that nobody writes.
    cells: Vec<Option<u32>>,
}

/// The ends of a channel: where messages are taken, and where they are put.
#[derive(Clone, Copy)]
enum End {
    Head = 0,
    Tail = 1,
}

const BITS: u32 = 32;

impl Things {
    pub fn of(model: &Model) -> Self {
        let mut written = vec![false; model.globals.len()];
        for statement in model.proctypes.iter().flat_map(|proctype| &proctype.automaton.statements) {
            statement.action.for_each_target(&mut |target| {
                if target.scope == Scope::Global {
                    written[target.var.index()] = true;
                }
            });
        }
        // Channels are numbered from 1, and each has two bits.
        let channels = model.inits.iter().filter(|init| matches!(init.value, InitValue::Channel(_)));
        let channels: usize = channels.map(|init| model.globals[init.var.index()].cells()).sum();
        let mut next = 2 * (channels as u32 + 1);
        let cells = model.globals.iter().zip(written).map(|(variable, is_written)| {
            is_written.then(|| {
                let first = next;
                next += variable.cells() as u32;
                first
            })
        });
        Things { cells: cells.collect() }
    }

    /// The bits of a variable, all cells of it.
    fn whole(&self, model: &Model, var: VarId) -> u32 {
        let Some(first) = self.cells[var.index()] else { return 0 };
        let cells = (model.globals[var.index()].cells() as u32).min(BITS);
        (0..cells).fold(0, |bits, cell| bits | bit(first + cell))
    }
}

fn bit(number: u32) -> u32 {
    1 << (number % BITS)
}

fn set(bits: u32, is_written: bool) -> u64 {
    u64::from(bits) << BITS | if is_written { u64::from(bits) } else { 0 }
}

/// A set in the making.
#[derive(Default)]
struct Set {
    fixed: u64,
    moving: Option<Value>,
    /// What the transition has written by now: an index that it tells is not that of the state any more.
    written: Vec<(Scope, VarId)>,
}

impl Set {
    fn is_steady(&self, expr: &Expr) -> bool {
        let mut steady = true;
        expr.walk(&mut |part| {
            if let Expr::Var(var) = part {
                steady &= !self.written.contains(&(var.scope, var.var));
            }
        });
        steady
    }

    fn write(&mut self, var: &VarRef) {
        self.written.push((var.scope, var.var));
    }
}

impl Translator<'_, '_> {
    /// The set of what the transitions of a location touch, each for itself a whole step, perhaps with what is executed
    /// behind it at once: a fixed one, or its value.
    pub fn touches(&mut self, location: &Location, chains: bool) -> Translated<(u64, Option<Value>)> {
        let model = self.model;
        let mut touched = Set::default();
        for transition in &location.transitions {
            touched.written.clear();
            let proctype = self.proctype;
            let chain = if chains { Chain::behind(model, proctype, *transition) } else { Chain::none(*transition) };
            for taken in std::iter::once(&chain.first).chain(&chain.rest) {
                let statement = model.proctype(proctype).automaton.statement(taken.statement);
                self.touch_action(&statement.action, &mut touched)?;
            }
        }
        let Set { fixed, moving, .. } = touched;
        Ok((fixed, moving.map(|moving| self.builder.ins().bor_imm_s(moving, fixed as i64))))
    }

    fn touch_action(&mut self, action: &Action, touched: &mut Set) -> Translated<()> {
        match action {
            Action::Skip(_) | Action::Else => {}
            Action::Condition(expr) | Action::Discard(expr) | Action::Assert(expr) | Action::PrintMtype(expr) => {
                self.touch_expr(expr, touched)?;
            }
            Action::Print { args, .. } => {
                for arg in args {
                    self.touch_expr(arg, touched)?;
                }
            }
            Action::Assign { target, value } => {
                self.touch_expr(value, touched)?;
                self.touch_target(target, touched)?;
            }
            Action::Send { channel, args, queueing } => {
                for arg in args {
                    self.touch_expr(arg, touched)?;
                }
                self.touch_expr(channel, touched)?;
                let full = match queueing {
                    Queueing::Last => Some(self.is_full(channel)?),
                    Queueing::Sorted => None,
                };
                self.touch_channel(channel, (End::Tail, End::Head), full, touched)?;
            }
            Action::Receive { channel, args, from } => {
                self.touch_expr(channel, touched)?;
                let empty = match from {
                    ReceiveFrom { anywhere: true, .. } => None,
                    ReceiveFrom { anywhere: false, .. } => {
                        let length = self.length(channel)?;
                        Some(self.builder.ins().icmp_imm_s(IntCC::Equal, length, 0))
                    }
                };
                self.touch_channel(channel, (End::Head, End::Tail), empty, touched)?;
                for arg in args {
                    match arg {
                        ArgPattern::Match { value, .. } => self.touch_expr(value, touched)?,
                        ArgPattern::Bind(target) => self.touch_target(target, touched)?,
                        ArgPattern::Ignore => {}
                    }
                }
            }
            Action::DStep(_) => self.touch_block(action, touched)?,
            _ => return Err(Unsupported),
        }
        Ok(())
    }

    /// All that the statements inside a `d_step` may touch.
    fn touch_block(&mut self, action: &Action, touched: &mut Set) -> Translated<()> {
        let model = self.model;
        let mut is_plain = true;
        action.for_each_inside(&mut |inside| {
            is_plain &= matches!(
                inside,
                Action::DStep(_)
                    | Action::Skip(_)
                    | Action::Else
                    | Action::Condition(_)
                    | Action::Assign { .. }
                    | Action::Discard(_)
                    | Action::Assert(_)
                    | Action::Print { .. }
                    | Action::PrintMtype(_)
            );
        });
        let things = self.things;
        let mut whole = |var: &VarRef, is_written: bool| {
            if var.scope == Scope::Global {
                touched.fixed |= set(things.whole(model, var.var), is_written);
            }
        };
        action.for_each_target(&mut |target| whole(target, true));
        action.for_each_expr(&mut |expr| {
            expr.walk(&mut |part| match part {
                Expr::Var(var) => whole(var, false),
                _ => is_plain &= is_own(part),
            });
        });
        action.for_each_target(&mut |target| touched.write(target));
        if is_plain { Ok(()) } else { Err(Unsupported) }
    }

    fn touch_expr(&mut self, expr: &Expr, touched: &mut Set) -> Translated<()> {
        match expr {
            Expr::Var(var) => self.touch_var(var, false, touched)?,
            Expr::Length(channel)
            | Expr::Full(channel)
            | Expr::Empty(channel)
            | Expr::NotFull(channel)
            | Expr::NotEmpty(channel)
            | Expr::Poll { channel, .. } => self.look_into_channel(channel, touched)?,
            _ if !is_own(expr) => return Err(Unsupported),
            _ => {}
        }
        let mut parts = Vec::new();
        expr.for_each_part(&mut |part| parts.push(part));
        parts.into_iter().try_for_each(|part| self.touch_expr(part, touched))
    }

    fn touch_target(&mut self, target: &VarRef, touched: &mut Set) -> Translated<()> {
        for index in &target.indices {
            self.touch_expr(index, touched)?;
        }
        self.touch_var(target, true, touched)?;
        touched.write(target);
        Ok(())
    }

    /// A cell of a global variable. One that is not there is nobody's: whoever touches it fails.
    fn touch_var(&mut self, var: &VarRef, is_written: bool, touched: &mut Set) -> Translated<()> {
        if var.scope == Scope::Local {
            return Ok(());
        }
        let Some(first) = self.things.cells[var.var.index()] else { return Ok(()) };
        let dims = &self.model.globals[var.var.index()].dims;
        if var.fits(dims) {
            let (cell, _) = self.element(dims, &var.indices)?;
            touched.fixed |= set(bit(first + cell), is_written);
            return Ok(());
        }
        let [index] = &var.indices[..] else {
            touched.fixed |= set(self.things.whole(self.model, var.var), is_written);
            return Ok(());
        };
        if !touched.is_steady(index) {
            touched.fixed |= set(self.things.whole(self.model, var.var), is_written);
            return Ok(());
        }
        let index = self.expr(index)?;
        let number = self.builder.ins().iadd_imm_s(index, i64::from(first));
        self.touch_moving(number, is_written, None, touched);
        Ok(())
    }

    /// The thing with a number, if the condition holds.
    fn touch_moving(&mut self, number: Value, is_written: bool, only_if: Option<Value>, touched: &mut Set) {
        let one = self.int(1);
        let bit = self.builder.ins().ishl(one, number);
        let bit = self.builder.ins().uextend(types::I64, bit);
        let mut bits = self.builder.ins().ishl_imm_u(bit, i64::from(BITS));
        if is_written {
            bits = self.builder.ins().bor(bits, bit);
        }
        if let Some(condition) = only_if {
            let none = self.builder.ins().iconst(types::I64, 0);
            bits = self.builder.ins().select(condition, bits, none);
        }
        touched.moving = Some(match touched.moving {
            Some(moving) => self.builder.ins().bor(moving, bits),
            None => bits,
        });
    }

    /// One end of a channel is changed. The other end decides whether that can be done if `waits` holds: it is waited for
    /// there; none if it is always looked at.
    fn touch_channel(
        &mut self,
        channel: &Expr,
        (own, other): (End, End),
        waits: Option<Value>,
        touched: &mut Set,
    ) -> Translated<()> {
        if !touched.is_steady(channel) {
            return Err(Unsupported);
        }
        let id = self.channel(channel)?.id;
        let first = self.builder.ins().ishl_imm_u(id, 1);
        let numbers = [own, other].map(|end| self.builder.ins().iadd_imm_s(first, end as i64));
        self.touch_moving(numbers[0], true, None, touched);
        self.touch_moving(numbers[1], waits.is_none(), waits, touched);
        Ok(())
    }

    fn look_into_channel(&mut self, channel: &Expr, touched: &mut Set) -> Translated<()> {
        if !touched.is_steady(channel) {
            return Err(Unsupported);
        }
        let id = self.channel(channel)?.id;
        let first = self.builder.ins().ishl_imm_u(id, 1);
        for end in [End::Head, End::Tail] {
            let number = self.builder.ins().iadd_imm_s(first, end as i64);
            self.touch_moving(number, false, None, touched);
        }
        Ok(())
    }
}

/// Whether evaluating an expression, apart from its parts, needs nothing but what belongs to the process.
fn is_own(expr: &Expr) -> bool {
    matches!(expr, Expr::Const { .. } | Expr::Pid | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..))
}
