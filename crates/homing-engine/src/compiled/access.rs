//! Access sets as machine words, for sleep sets ([`homing_core::SleepSet`]).
//!
//! What a statement accesses is derived in the intermediate form ([`homing_ir::AccessSet`]); here it becomes a word. The
//! upper half has a bit for each shared object that a step accesses, the lower half for each that it writes. Shared objects
//! are cells of global variables and the two ends of channels, each with a bit of its own as long as there are enough. The
//! front of a rendezvous channel stands for the processes that listen to it. Where an index or a variable decides which
//! cell or channel it is, machine code computes the word in a state.

use std::collections::HashSet;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use homing_core::Condition;
use homing_ir::{
    Access, AccessSet, AccessSets, Action, ChannelOp, EndAccess, Ends, Expr, InitValue, Location, Model, Object, Scope,
    Side, StatementId, Transition, Update, VarId, VarRef, When, listened_channels,
};

use super::chain::Chain;
use super::rendezvous::{Known, Meets};
use super::translate::{FAULT, Translated, Translator, Unsupported};

/// The access set of a step.
#[derive(Clone, Copy)]
pub enum AccessWord<F> {
    /// Perhaps everything.
    Everything,
    /// The same in every state.
    Fixed(u64),
    /// What the code answers; everything where it gives up.
    Computed(F),
}

/// The word that stands for everything: what code answers that gives up.
pub const EVERYTHING: u64 = FAULT;

/// Whether neither of two sets has what the other writes. Not for [`EVERYTHING`].
#[inline(always)]
pub fn are_independent(one: u64, other: u64) -> bool {
    one & other.rotate_left(32) == 0
}

/// Both sets.
#[inline(always)]
pub fn union(one: u64, other: u64) -> u64 {
    if one == EVERYTHING || other == EVERYTHING { EVERYTHING } else { one | other }
}

/// The access sets of the statements of a model, and the bits of what they access.
pub struct ModelAccess<'m> {
    pub sets: AccessSets<'m>,
    pub objects: SharedObjects,
}

impl<'m> ModelAccess<'m> {
    pub fn of(model: &'m Model) -> Self {
        let sets = AccessSets::of(model);
        let objects = SharedObjects::of(model, &sets);
        ModelAccess { sets, objects }
    }
}

/// The bits of shared objects.
pub struct SharedObjects {
    /// The bit of the first cell of each global variable; none for those that no statement writes.
    cells: Vec<Option<u32>>,
}

/// The ends of a channel: where messages are taken, and where they are put.
#[derive(Clone, Copy)]
pub enum End {
    Front = 0,
    End = 1,
}

const BITS: u32 = 32;

/// The bit of the process that can end: the youngest. No channel has the number 0.
const YOUNGEST: u32 = 1;

impl SharedObjects {
    fn of(model: &Model, sets: &AccessSets<'_>) -> Self {
        // Channels are numbered from 1, and each has two bits.
        let channels = model.inits.iter().filter(|init| matches!(init.value, InitValue::Channel(_)));
        let channels: usize = channels.map(|init| model.globals[init.var.index()].cells()).sum();
        let mut next = 2 * (channels as u32 + 1);
        let cells = model.globals.iter().zip(sets.written_globals()).map(|(variable, is_written)| {
            is_written.then(|| {
                let first = next;
                next += variable.cells() as u32;
                first
            })
        });
        SharedObjects { cells: cells.collect() }
    }

    /// The set of the cells of a global variable that a reference can mean.
    pub fn of_var(&self, model: &Model, var: &VarRef, is_write: bool) -> u64 {
        let dims = &model.globals[var.var.index()].dims;
        let Some(first) = self.cells[var.var.index()] else { return 0 };
        if !var.fits(dims) {
            return word(self.whole(model, var.var), is_write);
        }
        let indices = var.indices.iter().zip(dims);
        let cell = indices.fold(0, |cell, (index, dim)| cell * dim + index.as_constant().unwrap_or(0) as u32);
        word(bit(first + cell), is_write)
    }

    /// The bits of all cells of a variable.
    fn whole(&self, model: &Model, var: VarId) -> u32 {
        let Some(first) = self.cells[var.index()] else { return 0 };
        let cells = (model.globals[var.index()].cells() as u32).min(BITS);
        (0..cells).fold(0, |bits, cell| bits | bit(first + cell))
    }
}

fn bit(number: u32) -> u32 {
    1 << (number % BITS)
}

/// The set of some objects.
fn word(bits: u32, is_write: bool) -> u64 {
    u64::from(bits) << BITS | if is_write { u64::from(bits) } else { 0 }
}

/// A word in the making.
#[derive(Default)]
struct Draft {
    fixed: u64,
    moving: Option<Value>,
    /// What the transition has written by now: an index that it decides is not that of the state any more.
    written: Vec<(Scope, VarId)>,
    /// The process continues after its first statement: channels are not what they were in the state either.
    is_run: bool,
}

impl Draft {
    /// Whether an expression surely has the value that it has in the state. What is in channels may have changed.
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

/// The most locations of a run whose accesses are collected.
const LONGEST_RUN: usize = 2048;

impl Translator<'_, '_> {
    /// The set of what a process may access when it takes one of some transitions of a location, as the one that moves or
    /// as the receiver of a rendezvous: a fixed one, or its value.
    pub fn access_word(
        &mut self,
        location: &Location,
        transitions: &[Transition],
        chains: bool,
    ) -> Translated<(u64, Option<Value>)> {
        let (model, proctype) = (self.model, self.proctype);
        let automaton = &model.proctype(proctype).automaton;
        let mut draft = Draft::default();
        self.add_listening(location, &mut draft)?;
        for transition in transitions {
            draft.written.clear();
            let meets = self.meets(&automaton.statement(transition.statement).action)?;
            let chain = if chains { Chain::behind(model, proctype, *transition) } else { Chain::none(*transition) };
            self.add_statement(chain.first.statement, &mut draft)?;
            draft.is_run = true;
            for taken in &chain.rest {
                self.add_statement(taken.statement, &mut draft)?;
            }
            draft.is_run = false;
            let last = chain.last();
            let sends =
                |action: &Action| matches!(action.synchronisation(), Some(one) if matches!(one.side, Side::Send(_)));
            let is_sent = meets && sends(&automaton.statement(last.statement).action);
            if (last.atomic || last.merged) && !is_sent {
                self.add_run(last.target, &mut draft)?;
            } else {
                self.add_listening(automaton.location(last.target), &mut draft)?;
            }
        }
        let Draft { fixed, moving, .. } = draft;
        Ok((fixed, moving.map(|moving| self.builder.ins().bor_imm_s(moving, fixed as i64))))
    }

    /// All that a process may access while it continues alone from a location. A run through too many locations accesses
    /// everything: this is asked for each location that compiled code comes to, and takes time for each that follows.
    fn add_run(&mut self, from: u32, draft: &mut Draft) -> Translated<()> {
        let automaton = &self.model.proctype(self.proctype).automaton;
        let (mut open, mut begun, mut reached) = (vec![from], HashSet::from([from]), vec![from]);
        let mut statements = Vec::new();
        while let Some(at) = open.pop() {
            if begun.len() > LONGEST_RUN {
                return Err(Unsupported);
            }
            for transition in &automaton.location(at).transitions {
                if transition.escape > 0 || self.meets(&automaton.statement(transition.statement).action)? {
                    return Err(Unsupported);
                }
                statements.push(transition.statement);
                reached.push(transition.target);
                if (transition.atomic || transition.merged) && begun.insert(transition.target) {
                    open.push(transition.target);
                }
            }
        }
        reached.sort_unstable();
        reached.dedup();
        for statement in &statements {
            let set = self.accesses.sets.statement(self.proctype, *statement);
            set.written_variables().for_each(|target| draft.write(target));
        }
        draft.is_run = true;
        for statement in statements {
            self.add_statement(statement, draft)?;
        }
        draft.is_run = false;
        // It stops where it is blocked, or at its end.
        reached.into_iter().try_for_each(|at| self.add_listening(automaton.location(at), draft))
    }

    /// Whether an action is one side of a rendezvous. Unsupported where only the run decides it.
    fn meets(&self, action: &Action) -> Translated<bool> {
        action.synchronisation().map_or(Ok(false), |one| self.is_rendezvous(one.channel))
    }

    /// Whether an expression means a rendezvous channel. Unsupported where only the run decides it.
    fn is_rendezvous(&self, channel: &Expr) -> Translated<bool> {
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

    /// Which processes listen to a rendezvous channel is an object of its own: a process that comes to a receive, or leaves
    /// it, writes it.
    fn add_listening(&mut self, location: &Location, draft: &mut Draft) -> Translated<()> {
        if Condition::SleepListening.is_off() || !self.has_rendezvous() {
            return Ok(());
        }
        let model = self.model;
        for channel in listened_channels(&model.proctype(self.proctype).automaton, location) {
            let read = AccessSet::of_expr(model, Some(self.proctype), channel);
            read.iter().try_for_each(|access| self.add(access, draft))?;
            if self.is_rendezvous(channel)? {
                self.add_sender_or_listener(channel, draft)?;
            } else {
                // That it is none may be a guess, which is checked where the channel is looked at.
                self.first_end(channel, draft)?;
            }
        }
        Ok(())
    }

    fn add_statement(&mut self, statement: StatementId, draft: &mut Draft) -> Translated<()> {
        let (accesses, proctype) = (self.accesses, self.proctype);
        let set = accesses.sets.statement(proctype, statement);
        let action = &self.model.proctype(proctype).automaton.statement(statement).action;
        match action.update() {
            Update::Block(_) => self.add_block(set, draft),
            _ => set.iter().try_for_each(|access| self.add(access, draft)),
        }
    }

    fn add(&mut self, access: &Access<'_>, draft: &mut Draft) -> Translated<()> {
        match access.object {
            Object::Cell(var) => {
                self.add_cell(var, access.is_write(), draft)?;
                if access.is_write() {
                    draft.write(var);
                }
            }
            Object::Queue { channel, op } => self.add_queue(channel, op, draft)?,
            // Only the youngest process can end, and a statement that can tell that it did accesses everything.
            Object::Processes if access.is_write() && !draft.is_run => draft.fixed |= word(YOUNGEST, true),
            // `timeout` is among these: whether no process can move depends on all of them.
            _ => return Err(Unsupported),
        }
        Ok(())
    }

    /// All that the statements inside a `d_step` may access: of arrays every cell.
    fn add_block(&mut self, set: &AccessSet<'_>, draft: &mut Draft) -> Translated<()> {
        for access in set.iter() {
            let Object::Cell(var) = access.object else { return Err(Unsupported) };
            if var.scope == Scope::Global {
                draft.fixed |= word(self.accesses.objects.whole(self.model, var.var), access.is_write());
            }
            if access.is_write() {
                draft.write(var);
            }
        }
        Ok(())
    }

    /// A cell of a global variable. One that is not there belongs to no process: a statement that accesses it fails.
    fn add_cell(&mut self, var: &VarRef, is_write: bool, draft: &mut Draft) -> Translated<()> {
        if var.scope == Scope::Local {
            return Ok(());
        }
        let Some(first) = self.accesses.objects.cells[var.var.index()] else { return Ok(()) };
        let moving = match &var.indices[..] {
            [index] if index.as_constant().is_none() && draft.is_steady(index) => index,
            _ => {
                draft.fixed |= self.accesses.objects.of_var(self.model, var, is_write);
                return Ok(());
            }
        };
        let index = self.expr(moving)?;
        let number = self.builder.ins().iadd_imm_s(index, i64::from(first));
        self.add_moving(number, is_write, None, draft);
        Ok(())
    }

    /// The object with a number, if the condition holds.
    fn add_moving(&mut self, number: Value, is_write: bool, only_if: Option<Value>, draft: &mut Draft) {
        let one = self.int(1);
        let bit = self.builder.ins().ishl(one, number);
        let bit = self.builder.ins().uextend(types::I64, bit);
        let mut bits = self.builder.ins().ishl_imm_u(bit, i64::from(BITS));
        if is_write {
            bits = self.builder.ins().bor(bits, bit);
        }
        if let Some(condition) = only_if {
            let none = self.builder.ins().iconst(types::I64, 0);
            bits = self.builder.ins().select(condition, bits, none);
        }
        draft.moving = Some(match draft.moving {
            Some(moving) => self.builder.ins().bor(moving, bits),
            None => bits,
        });
    }

    /// An operation on a channel.
    fn add_queue(&mut self, channel: &Expr, op: ChannelOp, draft: &mut Draft) -> Translated<()> {
        if op.is_write() && self.is_rendezvous(channel)? {
            return match op {
                ChannelOp::Send(_) => self.add_sender_or_listener(channel, draft),
                // to look at a message and leave it there is an error
                ChannelOp::Receive(from) if from.keep => Err(Unsupported),
                // what is received comes from the sender, whose steps access the channel
                _ => Ok(()),
            };
        }
        let Ends { front, end } = if draft.is_run { op.both_ends() } else { op.ends() };
        let first = self.first_end(channel, draft)?;
        for (access, which) in [(front, End::Front), (end, End::End)] {
            let Some(EndAccess { is_write, when }) = access else { continue };
            let only_if = self.holds(channel, when)?;
            let number = self.builder.ins().iadd_imm_s(first, which as i64);
            self.add_moving(number, is_write, only_if, draft);
        }
        Ok(())
    }

    /// A send over a rendezvous channel, or a process that comes to a receive or leaves it.
    fn add_sender_or_listener(&mut self, channel: &Expr, draft: &mut Draft) -> Translated<()> {
        let number = self.first_end(channel, draft)?;
        self.add_moving(number, true, None, draft);
        Ok(())
    }

    /// A condition on the state, of one bit's width; none if it always holds.
    fn holds(&mut self, channel: &Expr, when: When) -> Translated<Option<Value>> {
        let (condition, is_negated) = match when {
            When::Always => return Ok(None),
            When::Full => (self.is_full(channel)?, false),
            When::NotFull => (self.is_full(channel)?, true),
            When::Empty => (self.length(channel)?, true),
            When::NotEmpty => (self.length(channel)?, false),
        };
        let compare = if is_negated { IntCC::Equal } else { IntCC::NotEqual };
        Ok(Some(self.builder.ins().icmp_imm_s(compare, condition, 0)))
    }

    fn first_end(&mut self, channel: &Expr, draft: &Draft) -> Translated<Value> {
        if !draft.is_steady(channel) {
            return Err(Unsupported);
        }
        let id = self.channel(channel)?.id;
        Ok(self.builder.ins().ishl_imm_u(id, 1))
    }
}

#[cfg(test)]
mod tests {
    use homing_core::TransitionSystem;

    use super::*;
    use crate::compiled::CompiledEngine;
    use crate::compiled::testing::model;

    /// The access words of the first transitions of the processes in the initial state.
    fn words(text: &str) -> Vec<u64> {
        let model = model(text);
        let engine = CompiledEngine::new(&model).expect("an initial state");
        let code = engine.code.get().expect("code");
        let machine = &mut *engine.machine.borrow_mut();
        machine.context.load(&engine.interpreter.initial());
        let processes = machine.context.process_table.clone();
        let word = |(pid, process)| {
            let first = code.locations[machine.context.location(process)].first;
            machine.access_word(first, pid, process.offset)
        };
        processes.into_iter().enumerate().map(word).collect()
    }

    /// The independence of the first statements of two processes, in the initial state.
    #[test]
    fn statements_are_independent_or_not() {
        let world =
            "byte x, y, a[3], i; chan c = [2] of { byte }; chan d[2] = [1] of { byte }; chan r = [0] of { byte };";
        // the rest of the model writes what would otherwise be constant
        let writer = "active proctype W() { if :: false; i = 1; x = 1; y = 1; a[0] = 1 fi }";
        for (one, other, expected) in [
            ("x = 1", "y = 1", true),
            ("x = 1", "x = 2", false),
            ("x = 1", "x == 1", false),
            ("x == 0", "x == 1", true),
            ("a[0] = 1", "a[1] = 1", true),
            ("a[i] = 1", "a[1] = 1", true),
            ("a[i] = 1", "a[0] = 1", false),
            ("a[i] = 1", "i = 1", false),
            ("d_step { a[0] = 1; y = 1 }", "a[1] = 1", false),
            ("d_step { a[0] = 1; y = 1 }", "x = 1", true),
            ("c!1", "c!2", false),
            ("c!1", "d[0]!1", true),
            ("d[0]!1", "d[1]!1", true),
            ("d[i]!1", "d[1]!1", true),
            ("d[i]!1", "d[0]!1", false),
            // where the channel is empty a receive waits for its end
            ("c!1", "c?_", false),
            ("c!1", "len(c) == 1", false),
            ("c!1", "full(c)", false),
            ("empty(c)", "nfull(c)", true),
            ("r!1", "x = 1", true),
            ("r!1", "r?_", false),
            // who comes to a receive changes who listens
            ("r!1", "x = 1; r?_", false),
            ("atomic { x = 1; y = 1 }", "y == 0", false),
            ("atomic { x = 1; y = 1 }", "a[0] = 1", true),
            ("timeout", "x = 1", false),
            ("_nr_pr == 1", "x = 1", false),
        ] {
            let text = format!("{world} active proctype P() {{ {one} }} active proctype Q() {{ {other} }} {writer}");
            let words = words(&text);
            let is_known = words[..2].iter().all(|&word| word != EVERYTHING);
            assert_eq!(is_known && are_independent(words[0], words[1]), expected, "{one} / {other}: {words:x?}");
        }
    }

    #[test]
    fn sets_join() {
        assert_eq!(union(word(1, false), word(2, true)), word(3, false) | word(2, true));
        assert_eq!(union(EVERYTHING, word(1, false)), EVERYTHING);
        assert!(are_independent(word(1, false), word(1, false)));
        assert!(!are_independent(word(1, true), word(1, false)));
        assert!(are_independent(word(1, true), word(2, true)));
    }
}
