//! The choice of a stubborn set in a state.
//!
//! A node is a transition in front of which a process stands: enabled, disabled, or one half of a rendezvous that waits for a
//! partner; each pair that can meet is a node of its own. Sets of nodes are words.

use homing_core::Condition;

use super::StubbornSets;
use super::access::{Accesses, ObjectSet};
use super::cache::{Table, Values};
use super::known::ProcessView;
use super::term::TermSet;
use super::unit::{GuardSet, LocationUnits, Part};
use crate::eval::View;

/// A set of nodes.
type Nodes = u64;

/// The most nodes of a state that is reduced.
const MOST: usize = Nodes::BITS as usize;

/// A move of a state: a transition of a process, by its number in the location, and the receiver and its transition for a
/// rendezvous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnabledMove {
    pub pid: u8,
    pub transition: u32,
    pub receiver: Option<(u8, u32)>,
}

/// A node with its access sets in the state.
#[derive(Clone, Copy)]
struct Node {
    pid: u8,
    partner: Option<u8>,
    transition: u32,
    kind: Kind,
    now: Accesses,
    later: Accesses,
    is_everything: bool,
    moves: bool,
    is_visible: bool,
    depth: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Disabled,
    Half,
    /// With the number of its move.
    Enabled(u32),
}

/// Buffers that are used again for every state.
#[derive(Default)]
pub struct Scratch {
    nodes: Vec<Node>,
    /// The nodes of processes that came before.
    known: Table<Node>,
    /// By process: its first node.
    first: Vec<usize>,
    /// The enabled nodes, deepest first.
    seeds: Vec<usize>,
    /// By node: what has to be in a set with it, if that was asked for and does not depend on the set.
    rows: Vec<Option<Nodes>>,
}

impl StubbornSets {
    /// The moves of a stubborn set, a bit for each; none if all moves have to be taken. The set is a function of the state:
    /// on any run that begins with other moves, the first move of the set can be brought to the front.
    pub fn select(&self, scratch: &mut Scratch, view: View<'_>, moves: &[EnabledMove]) -> Option<u64> {
        if moves.len() < 2 || moves.len() > MOST {
            return None;
        }
        self.collect(scratch, view, moves)?;
        scratch.rows.clear();
        scratch.rows.resize(scratch.nodes.len(), None);
        let mut choice = Choice { sets: self, nodes: &scratch.nodes, rows: &mut scratch.rows, view };
        let enabled = choice.enabled();
        let visible = enabled & choice.those(|node| node.is_visible);
        let mut best: Option<Nodes> = None;
        for &seed in scratch.seeds.iter().filter(|&&seed| visible >> seed & 1 == 0) {
            let most = best.map_or(moves.len() as u32, |best| (best & enabled).count_ones());
            if let Some(closed) = choice.closure(seed, (enabled, visible), most) {
                best = Some(closed);
                if (closed & enabled).count_ones() == 1 {
                    break;
                }
            }
        }
        let mut chosen = 0;
        for (at, node) in scratch.nodes.iter().enumerate() {
            if let Kind::Enabled(number) = node.kind
                && best? >> at & 1 != 0
            {
                chosen |= 1 << number;
            }
        }
        Some(chosen)
    }

    /// Collects the nodes of a state; none if it cannot be reduced.
    fn collect(&self, scratch: &mut Scratch, view: View<'_>, moves: &[EnabledMove]) -> Option<()> {
        let Scratch { nodes, known, first, seeds, .. } = scratch;
        nodes.clear();
        first.clear();
        seeds.clear();
        for pid in 0..view.work.processes.len() {
            first.push(nodes.len());
            self.collect_process(nodes, known, view.of(pid))?;
            if nodes.len() > MOST {
                return None;
            }
        }
        for (number, one) in moves.iter().enumerate() {
            let at = first[usize::from(one.pid)] + one.transition as usize;
            match one.receiver {
                None if nodes[at].kind == Kind::Half => return None,
                None => nodes[at].kind = Kind::Enabled(number as u32),
                Some((receiver, transition)) => {
                    let other = first[usize::from(receiver)] + transition as usize;
                    let pair = nodes[at].and(nodes[other], number as u32);
                    nodes.push(pair);
                }
            }
        }
        if nodes.len() > MOST {
            return None;
        }
        seeds.extend((0..nodes.len()).filter(|&at| matches!(nodes[at].kind, Kind::Enabled(_))));
        seeds.sort_by_key(|&at| std::cmp::Reverse(nodes[at].depth));
        Some(())
    }

    /// Adds the nodes of a process, by what is known of processes with the same values where possible.
    fn collect_process(&self, nodes: &mut Vec<Node>, known: &mut Table<Node>, view: View<'_>) -> Option<()> {
        let number = view.work.location(view.layout, view.pid);
        let location = &self.units[view.proctype().index()][number as usize];
        if location.is_opaque {
            return None;
        }
        let at = ProcessView { work: view.work, layout: view.layout, pid: view.pid };
        let Some(key) = &location.key else { return self.make_nodes(nodes, location, view) };
        let values = Values::of(key, at, number);
        let pid = view.pid as u8;
        if let Some(found) = known.get(&values) {
            nodes.extend(found.iter().map(|node| Node { pid, ..*node }));
            return Some(());
        }
        let first = nodes.len();
        self.make_nodes(nodes, location, view)?;
        known.add(values, &nodes[first..]);
        Some(())
    }

    fn make_nodes(&self, nodes: &mut Vec<Node>, location: &LocationUnits, view: View<'_>) -> Option<()> {
        let at = ProcessView { work: view.work, layout: view.layout, pid: view.pid };
        for (transition, unit) in location.units.iter().enumerate() {
            let (part, kind) = match &unit.half {
                None => (&unit.alone, Kind::Disabled),
                Some(half) => {
                    let (_, shape) = view.channel(half.channel.value(at)?).ok()?;
                    if shape.capacity == 0 { (&half.part, Kind::Half) } else { (&unit.alone, Kind::Disabled) }
                }
            };
            let node = self.node(at, part, (transition as u32, kind, location.depth));
            nodes.push(Node { is_visible: unit.is_visible, ..node });
        }
        Some(())
    }

    fn node(&self, at: ProcessView<'_>, part: &Part, (transition, kind, depth): (u32, Kind, u32)) -> Node {
        let now = part.now.evaluate(&self.objects, at);
        let later = part.later.evaluate(&self.objects, at);
        Node {
            pid: at.pid as u8,
            partner: None,
            transition,
            kind,
            now: now.accesses,
            later: later.accesses,
            is_everything: now.is_everything,
            moves: part.moves,
            is_visible: false,
            depth,
        }
    }
}

impl Node {
    /// A rendezvous of two halves.
    fn and(self, receiver: Node, number: u32) -> Node {
        Node {
            partner: Some(receiver.pid),
            kind: Kind::Enabled(number),
            now: self.now.and(receiver.now),
            later: self.later.and(receiver.later),
            is_everything: self.is_everything || receiver.is_everything,
            moves: true,
            is_visible: self.is_visible || receiver.is_visible,
            depth: self.depth.max(receiver.depth),
            ..self
        }
    }

    /// Whether a process takes part in both.
    #[inline(always)]
    fn shares_process(&self, other: &Node) -> bool {
        let is_of = |node: &Node, pid: u8| node.pid == pid || node.partner == Some(pid);
        is_of(other, self.pid) || self.partner.is_some_and(|partner| is_of(other, partner))
    }

    /// Whether two nodes do not commute, or one of them can be followed by what does not commute with this one.
    #[inline(always)]
    fn clashes(&self, other: &Node) -> bool {
        self.is_everything
            || other.is_everything
            || self.now.clashes(other.now)
            || self.now.clashes(other.later)
            || (self.moves || other.moves) && self.shares_process(other)
    }
}

/// The choice of a set in one state.
struct Choice<'a> {
    sets: &'a StubbornSets,
    nodes: &'a [Node],
    rows: &'a mut [Option<Nodes>],
    view: View<'a>,
}

impl Choice<'_> {
    fn enabled(&self) -> Nodes {
        self.those(|node| matches!(node.kind, Kind::Enabled(_)))
    }

    /// The nodes that meet a condition.
    #[inline(always)]
    fn those(&self, is_one: impl Fn(&Node) -> bool) -> Nodes {
        let bits = self.nodes.iter().enumerate();
        bits.fold(0, |all, (at, node)| all | Nodes::from(is_one(node)) << at)
    }

    /// The least closed set around a node, if it has fewer than `most` enabled nodes, none of which is visible.
    fn closure(&mut self, seed: usize, (enabled, visible): (Nodes, Nodes), most: u32) -> Option<Nodes> {
        let mut inside: Nodes = 1 << seed;
        let mut open = inside;
        while open != 0 {
            let at = open.trailing_zeros() as usize;
            open &= open - 1;
            let new = self.row(at, inside, enabled) & !inside;
            inside |= new;
            open |= new;
            if (inside & enabled).count_ones() >= most || inside & visible != 0 {
                return None;
            }
        }
        Some(inside)
    }

    /// The nodes that have to be in a set with a node.
    #[inline]
    fn row(&mut self, at: usize, inside: Nodes, enabled: Nodes) -> Nodes {
        if let Some(row) = self.rows[at] {
            return row;
        }
        let node = &self.nodes[at];
        let (row, is_only) = match node.kind {
            Kind::Enabled(_) => (self.those(|other| node.clashes(other)) & !(1 << at), true),
            Kind::Disabled | Kind::Half if Condition::StubbornDisabled.is_off() => (0, true),
            Kind::Disabled | Kind::Half => self.enabling(node, inside, enabled),
        };
        if is_only {
            self.rows[at] = Some(row);
        }
        row
    }

    /// The nodes that can make a node executable, by the choice that adds the least to a set, and whether it is the only one.
    fn enabling(&self, node: &Node, inside: Nodes, enabled: Nodes) -> (Nodes, bool) {
        let pid = usize::from(node.pid);
        let view = self.view.of(pid);
        let location = &self.sets.units[view.proctype().index()][view.work.location(view.layout, pid) as usize];
        let unit = &location.units[node.transition as usize];
        let reads = |set: &TermSet| self.changing(node, self.objects(set, pid));
        let only = match (&unit.half, &unit.guard) {
            (Some(half), _) if node.kind == Kind::Half => reads(&half.guard),
            (_, GuardSet::Always) => Nodes::MAX,
            (_, GuardSet::Reads(set)) => reads(set),
            (_, GuardSet::Conjuncts(parts)) => {
                let mut best: Option<(u32, Nodes)> = None;
                for (condition, set) in parts {
                    match view.eval(condition) {
                        Ok(0) => {}
                        Ok(_) => continue,
                        Err(_) => break,
                    }
                    let nodes = reads(set);
                    let new = nodes & !inside;
                    let cost = 100 * (new & enabled).count_ones() + (new & !enabled).count_ones();
                    if best.is_none_or(|(least, _)| cost < least) {
                        best = Some((cost, nodes));
                    }
                }
                return (best.map_or(Nodes::MAX, |(_, nodes)| nodes), parts.len() == 1);
            }
            (_, GuardSet::Message { channel, empty, mismatch }) => {
                let at = ProcessView { work: view.work, layout: view.layout, pid };
                let known = channel.as_ref().and_then(|channel| view.channel(channel.value(at)?).ok());
                match known.map(|channel| view.work.length(channel)) {
                    None => reads(empty) | reads(mismatch),
                    Some(0) => reads(empty),
                    Some(_) => reads(mismatch),
                }
            }
            (_, GuardSet::Youngest) => {
                let youngest = (view.work.processes.len() - 1) as u8;
                self.those(|other| other.pid == youngest || other.partner == Some(youngest))
            }
        };
        (only, true)
    }

    fn objects(&self, set: &TermSet, pid: usize) -> ObjectSet {
        let at = ProcessView { work: self.view.work, layout: self.view.layout, pid };
        set.evaluate(&self.sets.objects, at).accesses.read
    }

    /// The nodes that change some objects, now or later. A node that moves the process of `node` does not make that executable,
    /// but leads away from it: if it can lead back, what it leads to is among what it changes later.
    fn changing(&self, node: &Node, objects: ObjectSet) -> Nodes {
        self.those(|other| {
            let changes = other.now.changes() | other.later.changes();
            let leads_away = other.moves && other.shares_process(node);
            (other.is_everything || changes & objects != 0) && !leads_away
        })
    }
}
