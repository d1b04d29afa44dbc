//! Generates the code of a network: guards with channels, updates and invariants.

use std::mem::offset_of;
use std::ops::Range;

use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_module::FuncId;
use homing_core::StopToken;
use homing_ir::{Action, Edge, Expr, Location, Model, ProctypeId, Resets, Signal, Transition};

use super::super::code::Guards;
use super::super::context::Context;
use super::super::functions::Functions;
use super::super::translate::{STATE, Translated, Translator};
use super::partners::Tables;
use super::sleep::Access;
use super::{ChannelOf, EdgeCode, EdgeGroup, Effect, GROUP, NetworkCode, NetworkLocation, Role, Test};

/// Generates the code of a network, one process type after the other.
pub struct NetworkGenerator<'g, 'm> {
    model: &'m Model,
    functions: &'g mut Functions<'m>,
    locations: Vec<NetworkLocation<FuncId>>,
    groups: Vec<EdgeGroup<FuncId>>,
    edges: Vec<EdgeCode<FuncId>>,
    /// By edge: the channels that it can be over.
    channels: Vec<Range<u32>>,
}

/// An edge of a location that is being translated.
struct Outgoing<'m> {
    transition: Transition,
    action: &'m Action,
    edge: &'m Edge,
    role: Role,
}

impl Outgoing<'_> {
    /// The guard, if it depends on the state.
    fn guard(&self) -> Option<&Expr> {
        self.edge.guard.as_ref().filter(|guard| guard.as_constant().is_none())
    }

    /// Whether the guard is false in every state.
    fn is_closed(&self) -> bool {
        self.edge.guard.as_ref().and_then(Expr::as_constant) == Some(0)
    }

    /// The channel and its place among the computed ones, if it is computed.
    fn computed_channel(&self) -> Option<(&Expr, u32)> {
        let (Role::Sends(of) | Role::Broadcasts(of) | Role::Receives(of)) = self.role else { return None };
        match (of, &self.edge.signal) {
            (ChannelOf::Computed(at), Some(signal)) => Some((&signal.channel, at)),
            _ => None,
        }
    }
}

impl<'g, 'm> NetworkGenerator<'g, 'm> {
    pub fn new(model: &'m Model, functions: &'g mut Functions<'m>) -> Self {
        let (locations, groups, edges, channels) = Default::default();
        NetworkGenerator { model, functions, locations, groups, edges, channels }
    }

    /// Generates the code of all process types, whose locations begin at the numbers that come with it. Ends early if the token is set.
    pub fn generate(mut self, stop: &StopToken) -> (Vec<u32>, NetworkCode<FuncId>) {
        let mut starts = Vec::new();
        for (id, proctype) in self.model.proctypes.iter().enumerate() {
            starts.push(self.locations.len() as u32);
            for location in &proctype.automaton.locations {
                if stop.is_set() {
                    break;
                }
                self.location(ProctypeId(id as u32), location);
            }
        }
        let NetworkGenerator { model, locations, groups, edges, channels, .. } = self;
        let tables = Tables {
            model,
            starts: &starts,
            locations: &locations,
            groups: &groups,
            edges: &edges,
            channels: &channels,
        };
        let partners = if stop.is_set() { super::Partners::default() } else { tables.partners() };
        (starts, NetworkCode { locations, groups, edges, partners })
    }

    fn location(&mut self, proctype: ProctypeId, location: &'m Location) {
        let outgoing = self.outgoing(proctype, location);
        let first = self.groups.len() as u32;
        for group in outgoing.chunks(GROUP) {
            self.group(proctype, group);
        }
        let invariant = match &location.invariant {
            None => Test::Always,
            Some(invariant) => {
                let defined = self.functions.define(proctype, |translator| translator.test(invariant));
                defined.map_or(Test::Interpreted, Test::Computed)
            }
        };
        let count = self.groups.len() as u32 - first;
        self.locations.push(NetworkLocation { first, count, committed: location.committed, invariant });
    }

    /// The edges out of a location, each with its part in a step.
    fn outgoing(&self, proctype: ProctypeId, location: &'m Location) -> Vec<Outgoing<'m>> {
        let automaton = &self.model.proctype(proctype).automaton;
        let mut computed = 0;
        let mut role = |edge: &Edge| {
            let Some(signal) = &edge.signal else { return Role::Alone };
            let channel = match signal.channel.as_constant() {
                Some(number) => ChannelOf::Fixed(number as u32),
                None => {
                    computed += 1;
                    ChannelOf::Computed(computed - 1)
                }
            };
            match signal {
                Signal { emits: false, .. } => Role::Receives(channel),
                Signal { broadcast: true, .. } => Role::Broadcasts(channel),
                Signal { broadcast: false, .. } => Role::Sends(channel),
            }
        };
        let mut outgoing = Vec::new();
        for transition in &location.transitions {
            let action = &automaton.statement(transition.statement).action;
            let Action::Edge(edge) = action else { unreachable!("a network has edges only") };
            outgoing.push(Outgoing { transition: *transition, action, edge, role: role(edge) });
        }
        outgoing
    }

    fn group(&mut self, proctype: ProctypeId, outgoing: &[Outgoing<'m>]) {
        let (mut open, mut begins, mut is_computed) = (0, 0, false);
        let first = self.edges.len() as u32;
        for (bit, one) in outgoing.iter().enumerate() {
            open |= u64::from(!one.is_closed()) << bit;
            begins |= u64::from(!matches!(one.role, Role::Receives(_))) << bit;
            is_computed |= one.guard().is_some() || one.computed_channel().is_some();
            self.channels.push(one.edge.signal.as_ref().map_or(0..0, |signal| signal.channels.clone()));
            let effect = self.effect(proctype, one);
            let access = Access::of(self.model, one.action);
            self.edges.push(EdgeCode { effect, target: one.transition.target, role: one.role, access });
        }
        let guards = if is_computed {
            let defined = self.functions.define(proctype, |translator| translator.group(outgoing));
            defined.map_or(Guards::Interpreted, Guards::Computed)
        } else {
            Guards::Always(open)
        };
        self.groups.push(EdgeGroup { guards, begins, first, count: outgoing.len() as u32 });
    }

    fn effect(&mut self, proctype: ProctypeId, Outgoing { transition, edge, .. }: &Outgoing<'m>) -> Effect<FuncId> {
        if edge.update.is_none() && transition.resets == Resets::default() {
            return Effect::Moves;
        }
        let defined = self.functions.define(proctype, |translator| {
            translator.begin_log();
            if let Some(update) = &edge.update {
                translator.block(update)?;
            }
            translator.reset(*transition);
            Ok(translator.arrive(transition.target))
        });
        defined.map_or(Effect::Interpreted, Effect::Compiled)
    }
}

impl Translator<'_, '_> {
    /// Whether a condition holds, as the value of a function.
    pub fn test(&mut self, condition: &Expr) -> Translated<Value> {
        self.begin_log();
        let holds = self.condition(condition)?;
        Ok(self.builder.ins().uextend(types::I64, holds))
    }

    /// A bit for each edge whose guard holds. Writes the channels of those that have a computed one.
    fn group(&mut self, outgoing: &[Outgoing<'_>]) -> Translated<Value> {
        self.begin_log();
        let mut open = 0u64;
        let mut found = None;
        for (bit, one) in outgoing.iter().enumerate() {
            if one.is_closed() {
                continue;
            }
            let holds = one.guard().map(|guard| self.condition(guard)).transpose()?;
            if let Some((channel, at)) = one.computed_channel() {
                self.compute_channel(holds, channel, at)?;
            }
            let Some(holds) = holds else {
                open |= 1 << bit;
                continue;
            };
            let mut bits = self.builder.ins().uextend(types::I64, holds);
            if bit > 0 {
                bits = self.builder.ins().ishl_imm_u(bits, bit as i64);
            }
            found = Some(found.map_or(bits, |mask| self.builder.ins().bor(mask, bits)));
        }
        Ok(match found {
            Some(mask) if open == 0 => mask,
            Some(mask) => self.builder.ins().bor_imm_s(mask, open as i64),
            None => self.builder.ins().iconst(types::I64, open as i64),
        })
    }

    /// Writes the channel of an edge to its place if its guard holds: where it does not, an index may be out of range.
    fn compute_channel(&mut self, holds: Option<Value>, channel: &Expr, at: u32) -> Translated<()> {
        let done = self.builder.create_block();
        if let Some(holds) = holds {
            let enabled = self.builder.create_block();
            self.builder.ins().brif(holds, enabled, &[], done, &[]);
            self.enter(enabled);
        }
        let number = self.expr(channel)?;
        let places = self.shared_pointer(offset_of!(Context<'_>, computed_channels));
        self.builder.ins().store(STATE, number, places, 4 * at as i32);
        self.builder.ins().jump(done, &[]);
        self.enter(done);
        Ok(())
    }
}
