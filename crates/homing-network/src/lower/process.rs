//! Processes: locations, and edges with their choices unrolled.

use homing_ir::{
    Action, Automaton, Edge, Expr, Labels, Location, Merging, Proctype, Resets, Signal, SpinStatement, Statement,
    StatementId, Transition, Written,
};

use super::builder::{Builder, scratch_cell};
use super::{Lowering, Refused};
use crate::network::{self, ChannelBase, Direction, ProcessId, Sync};

/// The most transitions of a location.
const MOST_TRANSITIONS: usize = 4096;

impl<'a> Lowering<'a> {
    /// The process type of a process.
    pub(super) fn process(&mut self, process: ProcessId) -> Result<Proctype, Refused> {
        let network = self.network;
        let template = network.template_of(process);
        let mut automaton = Automaton { start: template.initial.0 + 1, ..Automaton::default() };
        automaton.locations.push(Location::default());
        for location in &template.locations {
            let invariant = match &location.invariant {
                Some(condition) => Some(Builder::new(self, Some(process)).condition(&condition.expr, condition.frame)?),
                None => None,
            };
            automaton.locations.push(Location {
                labels: Labels::default(),
                place: self.place(location.span),
                name: Some((&*location.name).into()),
                committed: location.committed,
                invariant: invariant.filter(|invariant| invariant.as_constant().is_none_or(|value| value == 0)),
                ..Location::default()
            });
        }
        for edge in &template.edges {
            self.edge(process, edge, &mut automaton)?;
        }
        Ok(Proctype {
            name: network.processes[process.index()].name.to_string(),
            locals: self.storage.process_variables[process.index()].clone(),
            params: 0,
            inits: self.storage.process_inits[process.index()].clone(),
            provided: None,
            deterministic: false,
            automaton,
            place: template.locations.first().map_or_else(Default::default, |location| self.place(location.span)),
        })
    }

    /// Adds a transition for each choice of an edge.
    fn edge(&mut self, process: ProcessId, edge: &'a network::Edge, automaton: &mut Automaton) -> Result<(), Refused> {
        let source = edge.source.index() + 1;
        let mut choice: Vec<i32> = edge.select.iter().map(|select| select.range.low).collect();
        if edge.select.iter().any(|select| select.range.is_empty()) {
            return Ok(());
        }
        loop {
            if automaton.locations[source].transitions.len() >= MOST_TRANSITIONS {
                let name = &self.network.template_of(process).locations[edge.source.index()].name;
                let message = format!(
                    "the location `{name}` has more than {MOST_TRANSITIONS} transitions, one for each choice of `select`"
                );
                return self.refuse(edge.span, message);
            }
            let chosen = self.chosen_edge(process, edge, &choice)?;
            // a choice that its guard rules out in all states is left out, unless it is the only one
            let is_ruled_out = chosen.guard.as_ref().and_then(Expr::as_constant) == Some(0);
            if !is_ruled_out || edge.select.is_empty() {
                let statement = StatementId(automaton.statements.len() as u32);
                let place = self.place(edge.span);
                let number = self.next_edge();
                automaton.spin.statements.push(SpinStatement {
                    state: source as u32,
                    id: number,
                    merging: Merging::default(),
                });
                automaton.statements.push(Statement { action: Action::Edge(Box::new(chosen)), place });
                automaton
                    .written
                    .push(Written { text: Some(self.edge_text(process, edge, &choice).into()), call: None });
                automaton.locations[source].transitions.push(Transition {
                    statement,
                    target: edge.target.0 + 1,
                    atomic: false,
                    escape: 0,
                    merged: false,
                    resets: Resets::default(),
                });
            }
            if !next_choice(&mut choice, edge) {
                return Ok(());
            }
        }
    }

    /// The number of the next edge in trails: they are counted through all processes, from 1.
    fn next_edge(&mut self) -> u32 {
        self.edges += 1;
        self.edges
    }

    /// An edge whose choice is known.
    fn chosen_edge(&mut self, process: ProcessId, edge: &'a network::Edge, choice: &[i32]) -> Result<Edge, Refused> {
        let guard = match &edge.guard {
            Some(guard) => {
                let guard = Builder::new(self, Some(process)).choosing(choice).condition(guard, edge.frame)?;
                Some(guard).filter(|guard| guard.as_constant().is_none_or(|value| value == 0))
            }
            None => None,
        };
        let signal = match &edge.sync {
            Some(sync) => Some(self.signal(process, sync, edge, choice)?),
            None => None,
        };
        Ok(Edge { guard, signal, update: self.update(process, edge, choice)? })
    }

    fn signal(
        &mut self,
        process: ProcessId,
        sync: &'a Sync,
        edge: &network::Edge,
        choice: &[i32],
    ) -> Result<Signal, Refused> {
        let network = self.network;
        let (declared, first) = match sync.channel {
            ChannelBase::Global(id) => (Some(&network.channels[id.index()]), network.channels[id.index()].first),
            ChannelBase::Parameter(id) => {
                let first = network.processes[process.index()].channels[id.index()];
                let numbers =
                    |channel: &&network::Channel| (channel.first..channel.first + channel.count).contains(&first);
                (network.channels.iter().find(numbers), first)
            }
        };
        // an array of no channels, as an argument, has no declaration; every index into it is an error
        let (name, broadcast) = declared.map_or(("channel", false), |channel| (&*channel.name, channel.broadcast));
        let first = first + sync.offset;
        let builder = Builder::new(self, Some(process)).choosing(choice);
        let channel = builder.computed(sync.span, edge.frame, |builder| {
            let indices = builder.indices(&sync.index)?;
            Ok(builder.flat(first, &indices, name))
        })?;
        let channels = match channel.as_constant() {
            Some(number) => number as u32..number as u32 + 1,
            None => {
                let beyond: u32 = sync.index.iter().map(|index| index.length.saturating_sub(1) * index.stride).sum();
                first..first + beyond + 1
            }
        };
        Ok(Signal { channel, channels, emits: sync.direction == Direction::Send, broadcast })
    }

    fn update(
        &mut self,
        process: ProcessId,
        edge: &'a network::Edge,
        choice: &[i32],
    ) -> Result<Option<homing_ir::Block>, Refused> {
        let mut builder = Builder::new(self, Some(process)).choosing(choice).updating(edge.span, edge.frame);
        // the sender, or the process that moves alone, begins a step
        if edge.sync.as_ref().is_none_or(|sync| sync.direction == Direction::Send) {
            for (variable, cell, value) in builder.lowering.storage.meta.clone() {
                let target = scratch_cell(&builder.lowering.model, variable, cell);
                builder.assign(target, Expr::constant(value), edge.span).map_err(|_| Refused)?;
            }
        }
        for update in &edge.update {
            builder.effect(update).map_err(|_| Refused)?;
        }
        builder.block()
    }

    /// The text of an edge: where it leads, what `select` chose, and its labels.
    fn edge_text(&self, process: ProcessId, edge: &network::Edge, choice: &[i32]) -> String {
        let locations = &self.network.template_of(process).locations;
        let (source, target) = (&locations[edge.source.index()].name, &locations[edge.target.index()].name);
        let chosen = edge.select.iter().zip(choice).map(|(select, value)| format!("{} = {value}", select.name));
        let chosen = chosen.collect::<Vec<_>>().join(", ");
        let guard = edge.guard.as_ref().map(|guard| self.text(guard.span));
        let sync = edge.sync.as_ref().map(|sync| self.text(sync.span));
        let update = edge.update.iter().map(|update| self.text(update.span)).collect::<Vec<_>>().join(", ");
        let parts = [chosen, guard.unwrap_or_default(), sync.unwrap_or_default(), update];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let labels = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(" / ")) };
        format!("{source} -> {target}{labels}")
    }
}

/// The next values of `select`, the last one first; false after the last choice.
fn next_choice(choice: &mut [i32], edge: &network::Edge) -> bool {
    for (value, select) in choice.iter_mut().zip(&edge.select).rev() {
        if *value < select.range.high {
            *value += 1;
            return true;
        }
        *value = select.range.low;
    }
    false
}
