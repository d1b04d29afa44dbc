//! Who can take part in a step, found once: the receivers of each channel by location, and the processes that each pass over a state
//! has to look at.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use homing_ir::Model;

use super::super::code::Guards;
use super::{ChannelOf, EdgeCode, EdgeGroup, NetworkLocation, Role, Test};

/// The tables of a network.
#[derive(Default)]
pub struct Partners {
    /// By pid.
    pub processes: Vec<ProcessSlots>,
    /// The processes that have an edge which can begin a step, from the last.
    pub active: Vec<u8>,
    /// The processes with guards that are evaluated.
    pub guarded: Vec<u8>,
    /// The processes that can be in a committed location.
    pub committing: Vec<u8>,
    /// The processes that can be in a location with an invariant.
    pub constrained: Vec<u8>,
    /// By channel: its listeners are `listeners[first..end]`.
    channels: Vec<(u32, u32)>,
    /// By channel and pid.
    listeners: Vec<Listener>,
    heard: Vec<Heard>,
    /// The number of words that hold the enabled edges of all processes.
    pub masks: usize,
    /// The number of computed channels of all processes.
    pub computed: usize,
}

/// Where what is computed for a process in each state is kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessSlots {
    /// The word of its first group; those of the others follow. Word 0 has all bits, for all processes without guards.
    pub mask: u32,
    /// Its first computed channel.
    pub computed: u32,
}

/// A process that can receive over a channel, by edges of one group.
#[derive(Clone, Copy)]
pub struct Listener {
    pub pid: u8,
    /// The word of the enabled edges of the group.
    pub mask: u32,
    /// Its entry in `heard` by location.
    heard: u32,
}

/// What a process hears of a channel at a location.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Heard {
    /// The edges of the group that receive, or may receive, over the channel.
    pub edges: u64,
    /// Those among them whose channel is computed.
    pub computed: u64,
    /// The index of the first edge of the group.
    pub first: u32,
}

impl Partners {
    /// The listeners of a channel; none for a number that no receiver has.
    #[inline(always)]
    pub fn listeners(&self, channel: i32) -> &[Listener] {
        match self.channels.get(channel as usize) {
            Some(&(first, end)) => &self.listeners[first as usize..end as usize],
            None => &[],
        }
    }

    /// What a listener hears at a location.
    #[inline(always)]
    pub fn heard(&self, listener: Listener, location: u32) -> Heard {
        self.heard[(listener.heard + location) as usize]
    }
}

/// What the tables are made from: the code of all edges.
pub struct Tables<'t, F> {
    pub model: &'t Model,
    /// As in [`super::super::code::Code`].
    pub starts: &'t [u32],
    pub locations: &'t [NetworkLocation<F>],
    pub groups: &'t [EdgeGroup<F>],
    pub edges: &'t [EdgeCode<F>],
    /// By edge: the channels that it can be over.
    pub channels: &'t [Range<u32>],
}

impl<F> Tables<'_, F> {
    /// Makes the tables.
    pub fn partners(&self) -> Partners {
        let mut partners = Partners { masks: 1, ..Partners::default() };
        for (pid, start) in self.model.start.iter().enumerate() {
            self.add_process(&mut partners, pid as u8, self.locations_of(start.proctype.index()));
        }
        partners.active.reverse();
        self.add_listeners(&mut partners);
        partners
    }

    /// The locations of a process type.
    fn locations_of(&self, proctype: usize) -> &[NetworkLocation<F>] {
        let from = self.starts[proctype] as usize;
        &self.locations[from..from + self.model.proctypes[proctype].automaton.locations.len()]
    }

    /// The groups of a location.
    fn groups_of(&self, location: &NetworkLocation<F>) -> &[EdgeGroup<F>] {
        &self.groups[location.first as usize..(location.first + location.count) as usize]
    }

    /// The indices of the edges of a group.
    fn edges_of(group: &EdgeGroup<F>) -> Range<usize> {
        group.first as usize..(group.first + group.count) as usize
    }

    fn add_process(&self, partners: &mut Partners, pid: u8, locations: &[NetworkLocation<F>]) {
        let groups = || locations.iter().flat_map(|location| self.groups_of(location));
        let mut slots = ProcessSlots { mask: 0, computed: partners.computed as u32 };
        if groups().any(|group| !matches!(group.guards, Guards::Always(_))) {
            partners.guarded.push(pid);
            slots.mask = partners.masks as u32;
            partners.masks += locations.iter().map(|location| location.count as usize).max().unwrap_or(0);
        }
        let computed = |edge: usize| match self.edges[edge].role {
            Role::Sends(ChannelOf::Computed(at))
            | Role::Broadcasts(ChannelOf::Computed(at))
            | Role::Receives(ChannelOf::Computed(at)) => at as usize + 1,
            _ => 0,
        };
        partners.computed += groups().flat_map(Self::edges_of).map(computed).max().unwrap_or(0);
        if groups().any(|group| group.begins != 0) {
            partners.active.push(pid);
        }
        if locations.iter().any(|location| location.committed) {
            partners.committing.push(pid);
        }
        if locations.iter().any(|location| !matches!(location.invariant, Test::Always)) {
            partners.constrained.push(pid);
        }
        partners.processes.push(slots);
    }

    /// Makes the lists of listeners, by channel and pid.
    fn add_listeners(&self, partners: &mut Partners) {
        let mut by_channel: Vec<Vec<Listener>> = Vec::new();
        let mut known: HashMap<Vec<Heard>, u32> = HashMap::new();
        for (pid, start) in self.model.start.iter().enumerate() {
            let locations = self.locations_of(start.proctype.index());
            let most_groups = locations.iter().map(|location| location.count as usize).max().unwrap_or(0);
            let slots = partners.processes[pid];
            for channel in self.received_by(locations) {
                for nth in 0..most_groups {
                    let heard: Vec<Heard> =
                        locations.iter().map(|location| self.heard_at(location, nth, channel)).collect();
                    if heard.iter().all(|heard| heard.edges == 0) {
                        continue;
                    }
                    let heard = *known.entry(heard).or_insert_with_key(|heard| {
                        partners.heard.extend_from_slice(heard);
                        (partners.heard.len() - heard.len()) as u32
                    });
                    if by_channel.len() <= channel as usize {
                        by_channel.resize_with(channel as usize + 1, Vec::new);
                    }
                    let mask = if slots.mask == 0 { 0 } else { slots.mask + nth as u32 };
                    by_channel[channel as usize].push(Listener { pid: pid as u8, mask, heard });
                }
            }
        }
        for listeners in by_channel {
            let first = partners.listeners.len() as u32;
            partners.listeners.extend(listeners);
            partners.channels.push((first, partners.listeners.len() as u32));
        }
    }

    /// The channels that edges out of these locations can receive over.
    fn received_by(&self, locations: &[NetworkLocation<F>]) -> BTreeSet<u32> {
        let edges = locations.iter().flat_map(|location| self.groups_of(location)).flat_map(Self::edges_of);
        let receives = |edge: &usize| matches!(self.edges[*edge].role, Role::Receives(_));
        edges.filter(receives).flat_map(|edge| self.channels[edge].clone()).collect()
    }

    /// What the edges of the nth group of a location hear of a channel.
    fn heard_at(&self, location: &NetworkLocation<F>, nth: usize, channel: u32) -> Heard {
        let Some(group) = self.groups_of(location).get(nth) else { return Heard::default() };
        let mut heard = Heard { first: group.first, ..Heard::default() };
        for (bit, edge) in Self::edges_of(group).enumerate() {
            if let Role::Receives(of) = self.edges[edge].role
                && self.channels[edge].contains(&channel)
            {
                heard.edges |= 1 << bit;
                heard.computed |= u64::from(matches!(of, ChannelOf::Computed(_))) << bit;
            }
        }
        if let Guards::Always(open) = group.guards {
            heard.edges &= open; // nothing else is asked of a process without guards
        }
        heard
    }
}
