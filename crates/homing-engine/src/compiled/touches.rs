//! What transitions touch beside what belongs to their process, so that of two steps that do not depend on
//! each other the search need not take both orders ([`homing_core::SleepSet`]).
//!
//! A set of things is a word: the things that are touched in its upper half, those that are written in its lower half. Things
//! are cells of global variables and the two ends of channels, each with a bit of its own as long as there are enough. Which
//! cell, or which channel, is a matter of the state where an index or a variable tells it; then it is machine code that says so.

use std::collections::HashSet;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use homing_core::Condition;
use homing_ir::{Action, ArgPattern, Expr, InitValue, Location, Model, Queueing, Scope, Transition, VarId, VarRef};

use super::chain::Chain;
use super::rendezvous::{Known, Meets};
use super::translate::{FAULT, Translated, Translator, Unsupported};

/// What a step touches.
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

/// Both sets.
#[inline(always)]
pub fn both(one: u64, other: u64) -> u64 {
    if one == ALL || other == ALL { ALL } else { one | other }
}

/// The bits of things.
pub struct Things {
    /// The bit of the first cell of each global variable; none for those that nobody writes.
    cells: Vec<Option<u32>>,
}

/// The ends of a channel: where messages are taken, and where they are put.
#[derive(Clone, Copy)]
pub enum End {
    Head = 0,
    Tail = 1,
}

const BITS: u32 = 32;

/// Who is the youngest process. No channel has the number 0.
const YOUNGEST: u32 = 1;

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

    /// What is touched of a global variable, whichever cell it is.
    pub fn of_var(&self, model: &Model, var: &VarRef, is_written: bool) -> u64 {
        let dims = &model.globals[var.var.index()].dims;
        let Some(first) = self.cells[var.var.index()] else { return 0 };
        if !var.fits(dims) {
            return set(self.whole(model, var.var), is_written);
        }
        let indices = var.indices.iter().zip(dims);
        let cell = indices.fold(0, |cell, (index, dim)| cell * dim + index.as_constant().unwrap_or(0) as u32);
        set(bit(first + cell), is_written)
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

/// The set of some things.
pub fn set(bits: u32, is_written: bool) -> u64 {
    u64::from(bits) << BITS | if is_written { u64::from(bits) } else { 0 }
}

/// A set in the making.
#[derive(Default)]
struct Set {
    fixed: u64,
    moving: Option<Value>,
    /// What the transition has written by now: an index that it tells is not that of the state any more.
    written: Vec<(Scope, VarId)>,
    /// The process goes on behind its first statement: channels are not what they were in the state either.
    is_run: bool,
}

impl Set {
    /// Whether an expression is what it was in the state, as far as can be told. What is in channels is not.
    fn is_steady(&self, expr: &Expr) -> bool {
        let mut steady = true;
        if Condition::SleepIndex.is_off() {
            return true;
        }
        expr.walk(&mut |part| match part {
            Expr::Var(var) => steady &= !self.written.contains(&(var.scope, var.var)),
            Expr::Length(_)
            | Expr::Full(_)
            | Expr::Empty(_)
            | Expr::NotFull(_)
            | Expr::NotEmpty(_)
            | Expr::Poll { .. } => {
                steady = false;
            }
            _ => {}
        });
        steady
    }

    fn write(&mut self, var: &VarRef) {
        self.written.push((var.scope, var.var));
    }
}

/// The most locations of a run of which it is said what the run touches.
const MOST_OF_A_RUN: usize = 2048;

impl Translator<'_, '_> {
    /// The set of what a process may touch when it takes one of some transitions of a location, as the one that moves or as
    /// the receiver of a rendezvous: a fixed one, or its value.
    pub fn touches(
        &mut self,
        location: &Location,
        transitions: &[Transition],
        chains: bool,
    ) -> Translated<(u64, Option<Value>)> {
        let (model, proctype) = (self.model, self.proctype);
        let automaton = &model.proctype(proctype).automaton;
        let mut touched = Set::default();
        self.touch_listening(location, &mut touched)?;
        for transition in transitions {
            touched.written.clear();
            let meets = self.meets(&automaton.statement(transition.statement).action)?;
            let chain = if chains { Chain::behind(model, proctype, *transition) } else { Chain::none(*transition) };
            self.touch_action(&automaton.statement(chain.first.statement).action, &mut touched)?;
            touched.is_run = true;
            for taken in &chain.rest {
                self.touch_action(&automaton.statement(taken.statement).action, &mut touched)?;
            }
            touched.is_run = false;
            let last = chain.last();
            let is_sent = meets && matches!(automaton.statement(last.statement).action, Action::Send { .. });
            if (last.atomic || last.merged) && !is_sent {
                self.touch_run(last.target, &mut touched)?;
            } else {
                self.touch_listening(automaton.location(last.target), &mut touched)?;
            }
        }
        let Set { fixed, moving, .. } = touched;
        Ok((fixed, moving.map(|moving| self.builder.ins().bor_imm_s(moving, fixed as i64))))
    }

    /// All that a process may touch while it goes on alone from a location. A run through too many locations touches
    /// everything: this is asked for each location that compiled code comes to, and takes time for each that follows.
    fn touch_run(&mut self, from: u32, touched: &mut Set) -> Translated<()> {
        let automaton = &self.model.proctype(self.proctype).automaton;
        let (mut open, mut begun, mut reached) = (vec![from], HashSet::from([from]), vec![from]);
        let mut actions = Vec::new();
        while let Some(at) = open.pop() {
            if begun.len() > MOST_OF_A_RUN {
                return Err(Unsupported);
            }
            for transition in &automaton.location(at).transitions {
                let action = &automaton.statement(transition.statement).action;
                if transition.escape > 0 || self.meets(action)? {
                    return Err(Unsupported);
                }
                actions.push(action);
                reached.push(transition.target);
                if (transition.atomic || transition.merged) && begun.insert(transition.target) {
                    open.push(transition.target);
                }
            }
        }
        reached.sort_unstable();
        reached.dedup();
        for action in &actions {
            action.for_each_target(&mut |target| touched.write(target));
        }
        touched.is_run = true;
        for action in actions {
            self.touch_action(action, touched)?;
        }
        touched.is_run = false;
        // It stops where it is blocked, or at its end.
        reached.into_iter().try_for_each(|at| self.touch_listening(automaton.location(at), touched))
    }

    /// Whether an action is one side of a rendezvous. Not to be told before the run: unsupported.
    fn meets(&self, action: &Action) -> Translated<bool> {
        let (Action::Send { channel, .. } | Action::Receive { channel, .. }) = action else { return Ok(false) };
        let known = Known { model: self.model, layout: self.layout, channels: self.channels };
        match known.meets(self.proctype, channel) {
            Meets::Never => Ok(false),
            Meets::Always => Ok(true),
            Meets::Perhaps => Err(Unsupported),
        }
    }

    /// Whether the model has rendezvous channels.
    fn has_rendezvous(&self) -> bool {
        self.layout.shapes.iter().any(|shape| shape.capacity == 0)
    }

    /// Who listens to a rendezvous channel is a thing of its own: it is written by whoever comes to a receive, or leaves it.
    fn touch_listening(&mut self, location: &Location, touched: &mut Set) -> Translated<()> {
        if Condition::SleepListening.is_off() {
            return Ok(());
        }
        let automaton = &self.model.proctype(self.proctype).automaton;
        for transition in &location.transitions {
            let action = &automaton.statement(transition.statement).action;
            let first = if let Action::DStep(block) = action { &block.guards } else { std::slice::from_ref(action) };
            for action in first {
                match action {
                    Action::Receive { channel, .. } if self.meets(action)? => {
                        self.touch_expr(channel, touched)?;
                        self.touch_channel(channel, &[(End::Head, true)], touched)?;
                    }
                    // That it is none may be a guess, which is checked where the channel is looked at.
                    Action::Receive { channel, .. } if self.has_rendezvous() => {
                        self.touch_expr(channel, touched)?;
                        self.first_end(channel, touched)?;
                    }
                    Action::DStep(_) => return Err(Unsupported),
                    _ => {}
                }
            }
        }
        Ok(())
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
                if self.meets(action)? {
                    self.touch_channel(channel, &[(End::Head, true)], touched)?;
                } else if touched.is_run || *queueing == Queueing::Sorted {
                    self.touch_channel(channel, &[(End::Head, true), (End::Tail, true)], touched)?;
                } else {
                    self.touch_channel(channel, &[(End::Tail, true)], touched)?;
                    let full = self.is_full(channel)?;
                    self.wait_for(channel, End::Head, full, touched)?;
                }
            }
            Action::Receive { channel, args, from } => {
                self.touch_expr(channel, touched)?;
                if self.meets(action)? {
                    // what is received comes from the sender, whose steps touch the channel
                } else if touched.is_run || from.anywhere {
                    self.touch_channel(channel, &[(End::Head, true), (End::Tail, true)], touched)?;
                } else {
                    self.touch_channel(channel, &[(End::Head, true)], touched)?;
                    let empty = self.is_empty(channel)?;
                    self.wait_for(channel, End::Tail, empty, touched)?;
                }
                for arg in args {
                    match arg {
                        ArgPattern::Match { value, .. } => self.touch_expr(value, touched)?,
                        ArgPattern::Bind(target) => self.touch_target(target, touched)?,
                        ArgPattern::Ignore => {}
                    }
                }
            }
            Action::DStep(_) => self.touch_block(action, touched)?,
            // Only the youngest process can end, and nobody can tell that it did who does not touch everything.
            Action::End if !touched.is_run && self.layout.processes[self.proctype.index()].channels.is_empty() => {
                touched.fixed |= set(YOUNGEST, true);
            }
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
            Expr::Length(channel) => self.touch_channel(channel, &[(End::Head, false), (End::Tail, false)], touched)?,
            Expr::Poll { channel, anywhere: true, .. } => {
                self.touch_channel(channel, &[(End::Head, false), (End::Tail, false)], touched)?;
            }
            Expr::Empty(channel) | Expr::NotEmpty(channel) | Expr::Poll { channel, .. } => {
                let empty = self.is_empty(channel)?;
                self.look_at(channel, (End::Tail, End::Head), empty, touched)?;
            }
            Expr::Full(channel) | Expr::NotFull(channel) => {
                let full = self.is_full(channel)?;
                self.look_at(channel, (End::Head, End::Tail), full, touched)?;
            }
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
        let moving = match &var.indices[..] {
            [index] if index.as_constant().is_none() && touched.is_steady(index) => index,
            _ => {
                touched.fixed |= self.things.of_var(self.model, var, is_written);
                return Ok(());
            }
        };
        let index = self.expr(moving)?;
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

    /// Some ends of a channel, and whether they are changed.
    fn touch_channel(&mut self, channel: &Expr, ends: &[(End, bool)], touched: &mut Set) -> Translated<()> {
        let first = self.first_end(channel, touched)?;
        for &(end, is_written) in ends {
            let number = self.builder.ins().iadd_imm_s(first, end as i64);
            self.touch_moving(number, is_written, None, touched);
        }
        Ok(())
    }

    /// An end of a channel that decides, if `waits` holds, when something can be done at the other.
    fn wait_for(&mut self, channel: &Expr, end: End, waits: Value, touched: &mut Set) -> Translated<()> {
        let first = self.first_end(channel, touched)?;
        let number = self.builder.ins().iadd_imm_s(first, end as i64);
        self.touch_moving(number, false, Some(waits), touched);
        Ok(())
    }

    /// A test of a channel, which can change only at the first of two ends if `condition` holds, and at the other if not.
    fn look_at(
        &mut self,
        channel: &Expr,
        (first, second): (End, End),
        condition: Value,
        touched: &mut Set,
    ) -> Translated<()> {
        if touched.is_run {
            return self.touch_channel(channel, &[(End::Head, false), (End::Tail, false)], touched);
        }
        self.wait_for(channel, first, condition, touched)?;
        let not = self.builder.ins().icmp_imm_s(IntCC::Equal, condition, 0);
        self.wait_for(channel, second, not, touched)
    }

    /// Of one bit's width.
    fn is_empty(&mut self, channel: &Expr) -> Translated<Value> {
        let length = self.length(channel)?;
        Ok(self.builder.ins().icmp_imm_s(IntCC::Equal, length, 0))
    }

    fn first_end(&mut self, channel: &Expr, touched: &Set) -> Translated<Value> {
        if !touched.is_steady(channel) {
            return Err(Unsupported);
        }
        let id = self.channel(channel)?.id;
        Ok(self.builder.ins().ishl_imm_u(id, 1))
    }
}

/// Whether evaluating an expression, apart from its parts, needs nothing but what belongs to the process. So does `timeout`:
/// a process that can move without it can do so in either order, and where nobody can nobody sleeps.
fn is_own(expr: &Expr) -> bool {
    matches!(expr, Expr::Const { .. } | Expr::Pid | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..))
}
