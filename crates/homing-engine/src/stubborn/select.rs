//! The choice of a stubborn set in a state.
//!
//! A node is a transition in front of which a process stands: enabled, disabled, or one half of a rendezvous that waits for a
//! partner; each pair that can meet is a node of its own. Sets of nodes are words.

use std::cell::Cell;

use homing_core::Condition;

use super::StubbornSets;
use super::access::{Accesses, ObjectSet};
use super::cache::{Choices, Table, Values};
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

/// The nodes that have to be in a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seeds {
    /// Any enabled one.
    Any,
    /// Those that can fail, now or later, as well.
    Errors,
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
    /// What its process may change later, and that of its partner.
    futures: [Future; 2],
    /// What others see of it while its process waits at a rendezvous.
    presence: ObjectSet,
    is_everything: bool,
    moves: bool,
    is_visible: bool,
    may_fail: bool,
    depth: u32,
}

/// What a process may change after a node.
#[derive(Clone, Copy, Default)]
struct Future {
    changes: ObjectSet,
    /// Before a rendezvous.
    before: ObjectSet,
    /// The partners of which one has to be there for that; none if it changes more without a rendezvous, or if they are not known.
    partners: ObjectSet,
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
    choices: Choices,
}

impl StubbornSets {
    /// The moves of a stubborn set, a bit for each; none if all moves have to be taken. The set is a function of the state:
    /// on any run that begins with other moves, the first move of the set can be brought to the front.
    pub fn select(&self, scratch: &mut Scratch, seeds: Seeds, view: View<'_>, moves: &[EnabledMove]) -> Option<u64> {
        if moves.len() < 2 || moves.len() > MOST {
            return None;
        }
        let is_signed = self.sign(&mut scratch.choices.signature, seeds, view, moves).is_some();
        if is_signed && let Some(known) = scratch.choices.get() {
            return known;
        }
        let (chosen, is_only) = self.choose(scratch, seeds, view, moves);
        if is_signed && is_only {
            scratch.choices.add(chosen);
        }
        chosen
    }

    /// Writes down all that a choice depends on, except which of several parts of a condition do not hold; none if that is too much.
    fn sign(&self, signature: &mut Vec<u32>, seeds: Seeds, view: View<'_>, moves: &[EnabledMove]) -> Option<()> {
        signature.clear();
        let processes = view.work.processes.len();
        signature.push((processes as u32) << 1 | u32::from(seeds == Seeds::Errors));
        for pid in 0..processes {
            let view = view.of(pid);
            let at = ProcessView { work: view.work, layout: view.layout, pid };
            let number = view.work.location(view.layout, pid);
            let location = &self.units[view.proctype().index()][number as usize];
            let key = location.key.as_ref()?;
            signature.extend([view.proctype().0, number]);
            signature.extend(key.places.iter().map(|place| place.value(at) as u32));
            for channel in location.units.iter().filter_map(|unit| unit.guard.channel()) {
                let length = view.channel(channel.value(at)?).ok().map(|channel| view.work.length(channel))?;
                signature.push(length.min(1));
            }
        }
        for one in moves {
            signature.push(u32::from(one.pid) << 16 | one.transition);
            signature.extend(one.receiver.map(|(pid, transition)| 1 << 31 | u32::from(pid) << 16 | transition));
        }
        Some(())
    }

    /// Chooses moves, and tells whether the choice depends on nothing but the signature of the state.
    fn choose(
        &self,
        scratch: &mut Scratch,
        seeds: Seeds,
        view: View<'_>,
        moves: &[EnabledMove],
    ) -> (Option<u64>, bool) {
        if self.collect(scratch, view, moves).is_none() {
            return (None, true);
        }
        scratch.rows.clear();
        scratch.rows.resize(scratch.nodes.len(), None);
        let (nodes, rows) = (&scratch.nodes[..], &mut scratch.rows[..]);
        let mut choice = Choice { sets: self, nodes, rows, view, is_only: true, depends_on_set: Cell::new(false) };
        let enabled = choice.enabled();
        let visible = enabled & choice.those(|node| node.is_visible);
        let all = moves.len() as u32;
        let failing = match seeds {
            Seeds::Any => 0,
            Seeds::Errors => choice.those(|node| node.may_fail),
        };
        let Some(around) = choice.closure(failing, (enabled, visible), all) else { return (None, choice.is_only) };
        let mut best = (around & enabled != 0).then_some(around);
        if best.is_none() {
            for &seed in scratch.seeds.iter().filter(|&&seed| visible >> seed & 1 == 0) {
                let most = best.map_or(all, |best| (best & enabled).count_ones());
                if let Some(closed) = choice.closure(around | 1 << seed, (enabled, visible), most) {
                    best = Some(closed);
                    if (closed & enabled).count_ones() == 1 {
                        break;
                    }
                }
            }
        }
        let is_only = choice.is_only;
        let chosen = best.map(|best| {
            scratch.nodes.iter().enumerate().fold(0, |chosen, (at, node)| match node.kind {
                Kind::Enabled(number) if best >> at & 1 != 0 => chosen | 1 << number,
                _ => chosen,
            })
        });
        (chosen, is_only)
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
            let presence = match (&unit.half, kind) {
                (Some(half), Kind::Half) => half.presence.evaluate(&self.objects, at).accesses.counted,
                _ => 0,
            };
            nodes.push(Node { presence, is_visible: unit.is_visible, may_fail: unit.may_fail, ..node });
        }
        Some(())
    }

    fn node(&self, at: ProcessView<'_>, part: &Part, (transition, kind, depth): (u32, Kind, u32)) -> Node {
        let now = part.now.evaluate(&self.objects, at);
        let later = part.later.evaluate(&self.objects, at);
        let mut future = Future { changes: later.accesses.changes(), before: 0, partners: 0 };
        let partners = part.before.partners.iter().map(|one| one.evaluate(&self.objects, at).accesses.read);
        // partners that are not known would be no object at all
        if let Some(partners) = partners.map(|one| (one != 0).then_some(one)).try_fold(0, |all, one| Some(all | one?)) {
            future.partners = partners;
            future.before = part.before.set.evaluate(&self.objects, at).accesses.changes();
        }
        Node {
            pid: at.pid as u8,
            partner: None,
            transition,
            kind,
            now: now.accesses,
            later: later.accesses,
            futures: [future, Future::default()],
            presence: 0,
            is_everything: now.is_everything,
            moves: part.moves,
            is_visible: false,
            may_fail: true,
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
            futures: [self.futures[0], receiver.futures[0]],
            presence: 0,
            is_everything: self.is_everything || receiver.is_everything,
            moves: true,
            is_visible: self.is_visible || receiver.is_visible,
            may_fail: self.may_fail || receiver.may_fail,
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
    /// No condition of several parts was looked at, of which only the state tells which do not hold.
    is_only: bool,
    /// The row that was computed last is smaller because of what the set has.
    depends_on_set: Cell<bool>,
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

    /// The least closed set around some nodes, if it has fewer than `most` enabled nodes, none of which is visible.
    fn closure(&mut self, around: Nodes, (enabled, visible): (Nodes, Nodes), most: u32) -> Option<Nodes> {
        let mut inside = around;
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
        let depends_on_set = self.depends_on_set.take();
        if is_only && !depends_on_set {
            self.rows[at] = Some(row);
        }
        self.is_only &= is_only;
        row
    }

    /// The nodes that can make a node executable, by the choice that adds the least to a set, and whether it is the only one.
    fn enabling(&self, node: &Node, inside: Nodes, enabled: Nodes) -> (Nodes, bool) {
        let pid = usize::from(node.pid);
        let view = self.view.of(pid);
        let location = &self.sets.units[view.proctype().index()][view.work.location(view.layout, pid) as usize];
        let unit = &location.units[node.transition as usize];
        let reads = |set: &TermSet| self.changing(node, self.objects(set, pid), inside);
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
    fn changing(&self, node: &Node, objects: ObjectSet, inside: Nodes) -> Nodes {
        self.those(|other| {
            let changes = other.now.changes() & objects != 0 || self.changes_later(other, objects, inside);
            let leads_away = other.moves && other.shares_process(node);
            (other.is_everything || changes) && !leads_away
        })
    }

    /// Whether a node can be followed by a change of some objects as long as no node of the set is taken. After a rendezvous that
    /// finds no partner until then a process changes nothing.
    fn changes_later(&self, node: &Node, objects: ObjectSet, inside: Nodes) -> bool {
        node.futures.iter().any(|future| {
            future.changes & objects != 0
                && (future.partners == 0 || future.before & objects != 0 || self.can_come(future.partners, inside))
        })
    }

    /// Whether partners at a rendezvous wait, or can come as long as no node of the set is taken.
    fn can_come(&self, partners: ObjectSet, inside: Nodes) -> bool {
        let comes = |node: &Node| node.is_everything || (node.now.changes() | node.later.changes()) & partners != 0;
        let waits = |node: &Node| node.presence & partners != 0;
        let come = self.those(waits) | self.those(comes) & !inside;
        let can_come = come != 0 && !Condition::StubbornPartners.is_off();
        self.depends_on_set.set(self.depends_on_set.get() || !can_come);
        can_come
    }
}
