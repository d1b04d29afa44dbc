//! What processes may still touch, from where they stand to their end: a process whose next steps touch nothing that another
//! ever will may move alone for a while (Holzmann and Peled, An improvement in formal verification, FORTE 1994, where it is
//! declarations such as `xr` that say so; here it is the code that every process still has before it).
//!
//! Sets are those of [`super::touches`]. Channels that a process knows by a parameter, or by a variable that nobody writes, are
//! looked up in the state.

use homing_core::Condition;
use homing_ir::{
    Action, Cell, Expr, InitValue, Location, Model, Proctype, ProctypeId, Queueing, Scalar, Scope, VarId, VarRef,
};

use super::channels::Channels;
use super::rendezvous::Known;
use super::touches::{End, Things, set};
use crate::layout::Layout;

/// What touches everything.
const EVERYTHING: u64 = u64::MAX;

/// By location of the code.
pub struct Futures(Vec<Future>);

/// What a process may touch from a location on.
#[derive(Clone, Default)]
struct Future {
    fixed: u64,
    held: Box<[Held]>,
}

/// A channel whose number is in the process, and which ends of it are touched.
#[derive(Clone, Copy)]
struct Held {
    offset: u32,
    cell: Cell,
    ends: u64,
}

impl Futures {
    /// None if processes of the model may see of each other what no set has: then each step depends on each.
    pub fn of(model: &Model, layout: &Layout) -> Option<Self> {
        let features = model.features;
        let is_tied = features.last || features.priorities || model.monitor.is_some() || !model.invariants.is_empty();
        let is_provided = model.proctypes.iter().any(|proctype| proctype.provided.is_some());
        let sees_others = !Condition::AmpleRemote.is_met(!sees_others(model));
        if is_tied || is_provided || layout.hidden_prefix > 0 || sees_others {
            return None;
        }
        let (channels, things) = (Channels::of(model, layout), Things::of(model));
        let known = Known { model, layout, channels: &channels };
        let types = (0..model.proctypes.len()).map(|at| ProctypeId(at as u32));
        Some(Futures(types.flat_map(|id| Draft::new(known, &things, id).futures()).collect()))
    }

    /// What the process at `frame`, which stands at a location of the code, may touch in all that it still does.
    #[inline(always)]
    pub fn of_process(&self, standing: usize, bytes: &[u8], frame: u32) -> u64 {
        let Future { fixed, held } = &self.0[standing];
        held.iter().fold(*fixed, |all, held| {
            let at = (frame + held.offset) as usize;
            let id = match held.cell {
                Cell::Bits(0..=8) | Cell::Byte => u32::from(bytes[at]),
                Cell::Bits(9..=16) | Cell::Short => u32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]])),
                _ => u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]),
            };
            all | of_channel(held.ends, id)
        })
    }
}

/// Whether some process can tell where another stands, or what it holds.
fn sees_others(model: &Model) -> bool {
    let mut sees = false;
    let mut look = |expr: &Expr| {
        expr.walk(&mut |part| {
            sees |= matches!(
                part,
                Expr::Last
                    | Expr::OwnPriority
                    | Expr::NonProgress
                    | Expr::Enabled(_)
                    | Expr::Location(_)
                    | Expr::PriorityOf(_)
                    | Expr::RemoteLabel { .. }
                    | Expr::RemoteVar { .. }
            );
        });
    };
    for proctype in &model.proctypes {
        proctype.automaton.statements.iter().for_each(|statement| statement.action.for_each_expr(&mut look));
        for init in &proctype.inits {
            if let InitValue::Value(value) = &init.value {
                look(value);
            }
        }
    }
    sees
}

/// The ends of the channel with a number, of those of a channel with the number 0.
fn of_channel(ends: u64, id: u32) -> u64 {
    let turned = |half: u32| u64::from(half.rotate_left(id.wrapping_mul(2) % u32::BITS));
    turned((ends >> u32::BITS) as u32) << u32::BITS | turned(ends as u32)
}

/// One end or both, of a channel with the number 0.
fn ends(which: &[End], is_written: bool) -> u64 {
    which.iter().fold(0, |all, &end| all | set(1 << end as u32, is_written))
}

/// The futures of a process type in the making.
struct Draft<'t> {
    known: Known<'t>,
    things: &'t Things,
    id: ProctypeId,
    proctype: &'t Proctype,
    /// The variables that hold the same channel for as long as the process lives.
    holders: Vec<VarId>,
    /// By location: what is fixed, then what is touched of the channel of each holder.
    sets: Vec<Vec<u64>>,
}

impl<'t> Draft<'t> {
    fn new(known: Known<'t>, things: &'t Things, id: ProctypeId) -> Self {
        let proctype = known.model.proctype(id);
        let mut is_written = vec![false; proctype.locals.len()];
        for statement in &proctype.automaton.statements {
            statement.action.for_each_target(&mut |target| {
                if target.scope == Scope::Local {
                    is_written[target.var.index()] = true;
                }
            });
        }
        let holders = proctype.locals.iter().zip(is_written).enumerate().filter_map(|(at, (local, is_written))| {
            let is_holder = local.scalar == Scalar::Chan && local.dims.is_empty() && !is_written;
            is_holder.then_some(VarId(at as u32))
        });
        let holders: Vec<VarId> = holders.collect();
        let sets = vec![vec![0; 1 + holders.len()]; proctype.automaton.locations.len()];
        Draft { known, things, id, proctype, holders, sets }
    }

    fn futures(mut self) -> Vec<Future> {
        let locations = &self.proctype.automaton.locations;
        let mut before = vec![Vec::new(); locations.len()];
        let mut is_inside = vec![false; locations.len()];
        for (at, location) in locations.iter().enumerate() {
            for transition in &location.transitions {
                before[transition.target as usize].push(at);
                is_inside[transition.target as usize] |= transition.atomic || transition.merged;
            }
        }
        for (at, location) in locations.iter().enumerate() {
            self.add_location(at, location, is_inside[at]);
        }
        let mut open: Vec<usize> = (0..locations.len()).collect();
        while let Some(at) = open.pop() {
            for &from in &before[at] {
                let behind = self.sets[at].clone();
                let mut is_more = false;
                for (all, more) in self.sets[from].iter_mut().zip(behind) {
                    is_more |= more & !*all != 0;
                    *all |= more;
                }
                if is_more {
                    open.push(from);
                }
            }
        }
        let slots = &self.known.layout.processes[self.id.index()].locals;
        let held = |sets: &[u64]| {
            let touched = self.holders.iter().zip(sets).filter(|(_, ends)| **ends != 0);
            let held = touched.map(|(holder, &ends)| {
                let slot = slots[holder.index()];
                Held { offset: slot.offset, cell: slot.cell, ends }
            });
            held.collect()
        };
        self.sets.iter().map(|sets| Future { fixed: sets[0], held: held(&sets[1..]) }).collect()
    }

    /// What the transitions of a location touch, whoever moved before.
    fn add_location(&mut self, at: usize, location: &Location, is_inside: bool) {
        let automaton = &self.proctype.automaton;
        let action = |statement| &automaton.statement(statement).action;
        // Whether a message can be sent, or received, decides here what else is done.
        let decides = is_inside
            || location.transitions.iter().any(|transition| {
                transition.escape > 0 || matches!(action(transition.statement), Action::Else | Action::DStep(_))
            });
        let decides = !Condition::AmpleDecides.is_met(!decides);
        for transition in &location.transitions {
            let action = action(transition.statement);
            action.for_each_target(&mut |target| self.add_var(at, target, true));
            action.for_each_expr(&mut |expr| expr.walk(&mut |part| self.add_expr(at, part)));
            action.for_each_inside(&mut |action| self.add_action(at, action, decides));
        }
    }

    fn add_action(&mut self, at: usize, action: &Action, decides: bool) {
        let both = ends(&[End::Head, End::Tail], true);
        match action {
            Action::Send { channel, queueing, .. } => {
                let is_plain = *queueing == Queueing::Last && !decides && self.is_queue(channel);
                self.add_channel(at, channel, if is_plain { ends(&[End::Tail], true) } else { both });
            }
            Action::Receive { channel, from, .. } => {
                let is_plain = !from.anywhere && !decides && self.is_queue(channel);
                self.add_channel(at, channel, if is_plain { ends(&[End::Head], true) } else { both });
            }
            // who comes may do anything, and so may whose channels go
            Action::Run { .. } if Condition::AmpleRun.is_off() => {}
            Action::Run { .. } | Action::SetPriority { .. } | Action::SetOwnPriority(_) | Action::Event { .. } => {
                self.sets[at][0] = EVERYTHING;
            }
            Action::End if !self.known.layout.processes[self.id.index()].channels.is_empty() => {
                self.sets[at][0] = EVERYTHING;
            }
            // otherwise it ends when all younger ones have, which nobody waits for but those that end
            Action::End
            | Action::Skip(_)
            | Action::Else
            | Action::Condition(_)
            | Action::Assign { .. }
            | Action::Discard(_)
            | Action::Assert(_)
            | Action::Print { .. }
            | Action::PrintMtype(_)
            | Action::DStep(_) => {}
        }
    }

    /// An expression apart from its parts. `timeout` is false for as long as somebody can move.
    fn add_expr(&mut self, at: usize, expr: &Expr) {
        let both = ends(&[End::Head, End::Tail], false);
        match expr {
            Expr::Var(var) => self.add_var(at, var, false),
            Expr::Length(channel)
            | Expr::Full(channel)
            | Expr::Empty(channel)
            | Expr::NotFull(channel)
            | Expr::NotEmpty(channel)
            | Expr::Poll { channel, .. } => self.add_channel(at, channel, both),
            Expr::Const { .. }
            | Expr::Pid
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Conditional(..)
            | Expr::Timeout
            | Expr::NewPid => {}
            // `_nr_pr`: what sees others is not in a model that has futures
            _ => self.sets[at][0] = EVERYTHING,
        }
    }

    fn add_var(&mut self, at: usize, var: &VarRef, is_written: bool) {
        if var.scope == Scope::Global {
            self.sets[at][0] |= self.things.of_var(self.known.model, var, is_written);
        }
    }

    fn add_channel(&mut self, at: usize, channel: &Expr, ends: u64) {
        if let Some(known) = self.known.channels.constant(self.known.model, channel) {
            self.sets[at][0] |= of_channel(ends, known.id as u32);
            return;
        }
        let Expr::Var(var) = channel else {
            self.sets[at][0] = EVERYTHING;
            return;
        };
        let holder = self.holders.iter().position(|holder| *holder == var.var).filter(|_| var.scope == Scope::Local);
        if let Some(holder) = holder {
            self.sets[at][1 + holder] |= ends;
        } else if let Some(first) = self.known.channels.array(var) {
            let count = self.known.channels.elements(var) as i32;
            let ids = first.id..first.id + count;
            self.sets[at][0] |= ids.fold(0, |all, id| all | of_channel(ends, id as u32));
        } else {
            self.sets[at][0] = EVERYTHING;
        }
    }

    /// Whether messages surely wait in the channel until they are received.
    fn is_queue(&self, channel: &Expr) -> bool {
        let has_rendezvous = self.known.layout.shapes.iter().any(|shape| shape.capacity == 0);
        !has_rendezvous || self.known.surely_queues(channel)
    }
}
