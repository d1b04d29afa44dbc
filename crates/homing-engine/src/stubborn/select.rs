//! The choice of a stubborn set in a state.
//!
//! A node is a transition in front of which a process stands: enabled, disabled, or one half of a rendezvous that waits for a
//! partner; each pair that can meet is a node of its own, after those of the processes. Sets of nodes are words.

use std::cmp::Reverse;

use homing_core::Condition;
use homing_ir::Expr;

use super::StubbornSets;
use super::access::ObjectSet;
use super::cache::Choices;
use super::known::ProcessView;
use super::situation::{Changing, MOST_NODES, Nodes, SituationId, Situations};
use super::term::TermSet;
use super::unit::GuardSet;
use crate::eval::View;

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

/// Buffers that are used again for every state.
#[derive(Default)]
pub struct Scratch {
    situations: Situations,
    choices: Choices,
    nodes: StateNodes,
    /// The enabled nodes with their depths, deepest first.
    seeds: Vec<(Reverse<u32>, usize)>,
    /// By node: what has to be in a set with it, if that was asked for and does not depend on the set.
    rows: Vec<Option<Nodes>>,
    /// By node with a condition of several parts: those that do not hold.
    false_parts: Vec<Option<Parts>>,
}

/// A set of the parts of a condition, by their numbers.
type Parts = u64;

/// The nodes of a state.
#[derive(Default)]
struct StateNodes {
    /// By process.
    situations: Vec<SituationId>,
    /// By process, its first node; then the first pair.
    first: Vec<usize>,
    /// By node of a process.
    pids: Vec<u8>,
    pairs: Vec<Pair>,
    enabled: Nodes,
    /// By enabled node: the number of its move.
    moves: Vec<u8>,
}

/// Two halves of a rendezvous that can meet.
#[derive(Clone, Copy)]
struct Pair {
    sender: usize,
    receiver: usize,
}

impl StubbornSets {
    /// The moves of a stubborn set, a bit for each; none if all moves have to be taken. The set is a function of the state:
    /// on any run that begins with other moves, the first move of the set can be brought to the front.
    pub fn select(&self, scratch: &mut Scratch, seeds: Seeds, view: View<'_>, moves: &[EnabledMove]) -> Option<u64> {
        if moves.len() < 2 || moves.len() > MOST_NODES {
            return None;
        }
        let Scratch { situations, choices, nodes, .. } = scratch;
        nodes.collect_processes(self, situations, view)?;
        nodes.collect_moves(situations, moves)?;
        let is_signed = nodes.sign(situations, choices, seeds, view).is_some();
        if is_signed && let Some(known) = choices.get() {
            return known.map(|set| nodes.moves_of(set));
        }
        let (chosen, is_only) = self.choose(scratch, seeds, view);
        if is_signed && is_only {
            scratch.choices.add(chosen);
        }
        chosen.map(|set| scratch.nodes.moves_of(set))
    }

    /// Chooses a closed set, and tells whether the choice depends on nothing but the signature of the state.
    fn choose(&self, scratch: &mut Scratch, seeds: Seeds, view: View<'_>) -> (Option<Nodes>, bool) {
        let Scratch { situations, nodes, rows, false_parts, seeds: order, .. } = scratch;
        let all = nodes.enabled.count_ones();
        rows.clear();
        rows.resize(nodes.len(), None);
        false_parts.clear();
        false_parts.resize(nodes.len(), None);
        nodes.deepest_first(situations, order);
        let visible = nodes.enabled & nodes.those(|id| situations.get(id).visible);
        let failing = match seeds {
            Seeds::Any => 0,
            Seeds::Errors => nodes.those(|id| situations.get(id).may_fail),
        };
        let mut choice = Choice { sets: self, situations, nodes, rows, false_parts, view, visible, is_only: true };
        let Some(around) = choice.closure(failing, all) else { return (None, choice.is_only) };
        let enabled = nodes.enabled;
        let mut best = (around & enabled != 0).then_some(around);
        if best.is_none() {
            for &(_, seed) in order.iter().filter(|&&(_, seed)| visible >> seed & 1 == 0) {
                let most = best.map_or(all, |best| (best & enabled).count_ones());
                if let Some(closed) = choice.closure(around | 1 << seed, most) {
                    best = Some(closed);
                    if (closed & enabled).count_ones() == 1 {
                        break;
                    }
                }
            }
        }
        (best, choice.is_only)
    }
}

/// The numbers of the nodes in a set.
fn members(mut set: Nodes) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = (set != 0).then_some(set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(at)
    })
}

impl StateNodes {
    /// Collects the nodes of the processes; none if the state cannot be reduced.
    fn collect_processes(&mut self, sets: &StubbornSets, situations: &mut Situations, view: View<'_>) -> Option<()> {
        situations.begin(sets, view.work);
        self.situations.clear();
        self.first.clear();
        self.pids.clear();
        for pid in 0..view.work.processes.len() {
            let id = situations.of(sets, view.of(pid))?;
            self.situations.push(id);
            self.first.push(self.pids.len());
            self.pids.resize(self.pids.len() + situations.get(id).nodes.len(), pid as u8);
            if self.pids.len() > MOST_NODES {
                return None;
            }
        }
        self.first.push(self.pids.len());
        Some(())
    }

    /// Finds out which nodes are enabled, and adds the pairs that can meet.
    fn collect_moves(&mut self, situations: &Situations, moves: &[EnabledMove]) -> Option<()> {
        self.pairs.clear();
        self.enabled = 0;
        self.moves.clear();
        self.moves.resize(MOST_NODES, 0);
        for (number, one) in moves.iter().enumerate() {
            let (pid, transition) = (usize::from(one.pid), one.transition as usize);
            let sender = self.first[pid] + transition;
            let node = match one.receiver {
                None if situations.get(self.situations[pid]).halves >> transition & 1 != 0 => return None,
                None => sender,
                Some((receiver, transition)) => {
                    let receiver = self.first[usize::from(receiver)] + transition as usize;
                    self.pairs.push(Pair { sender, receiver });
                    self.len() - 1
                }
            };
            if node >= MOST_NODES {
                return None;
            }
            self.enabled |= 1 << node;
            self.moves[node] = number as u8;
        }
        Some(())
    }

    fn len(&self) -> usize {
        self.pids.len() + self.pairs.len()
    }

    /// Writes down all that a choice depends on, except which of several parts of a condition do not hold; none if that is too much.
    fn sign(&self, situations: &Situations, choices: &mut Choices, seeds: Seeds, view: View<'_>) -> Option<()> {
        choices.begin(situations.generation);
        choices.sign((self.situations.len() as u32) << 1 | u32::from(seeds == Seeds::Errors))?;
        let (mut lengths, mut count) = (0, 0);
        for &id in &self.situations {
            if !situations.is_kept(id) {
                return None;
            }
            choices.sign(id)?;
            for &channel in situations.get(id).channels.as_ref()? {
                let is_empty = view.work.length(view.channel(channel).ok()?) == 0;
                lengths = lengths << 1 | u32::from(is_empty);
                count += 1;
                if count % u32::BITS == 0 {
                    choices.sign(std::mem::take(&mut lengths))?;
                }
            }
        }
        choices.sign(lengths)?;
        choices.sign(self.enabled as u32)?;
        choices.sign((self.enabled >> 32) as u32)?;
        for pair in &self.pairs {
            choices.sign((pair.sender as u32) << 8 | pair.receiver as u32)?;
        }
        Some(())
    }

    /// Those of the nodes that a word for each situation names; a pair is named by each of its halves.
    fn those(&self, named: impl Fn(SituationId) -> Nodes) -> Nodes {
        let words = self.situations.iter().zip(&self.first);
        self.with_pairs(words.fold(0, |all, (&id, first)| all | named(id).wrapping_shl(*first as u32)))
    }

    /// Adds the pairs of which one half is in a set of nodes of processes.
    #[inline(always)]
    fn with_pairs(&self, set: Nodes) -> Nodes {
        self.pairs
            .iter()
            .zip(self.pids.len()..)
            .fold(set, |all, (pair, at)| all | (set >> pair.sender & 1 | set >> pair.receiver & 1) << at)
    }

    /// The nodes of a process.
    #[inline(always)]
    fn of_process(&self, pid: usize) -> Nodes {
        let (first, end) = (self.first[pid], self.first[pid + 1]);
        if first == end { 0 } else { (Nodes::MAX >> (MOST_NODES - (end - first))) << first }
    }

    /// The halves of a pair.
    fn pair(&self, at: usize) -> Option<Pair> {
        at.checked_sub(self.pids.len()).map(|nth| self.pairs[nth])
    }

    /// Sorts the enabled nodes, deepest first.
    fn deepest_first(&self, situations: &Situations, order: &mut Vec<(Reverse<u32>, usize)>) {
        let depth = |node: usize| situations.get(self.situations[usize::from(self.pids[node])]).depth;
        let of_node = |at| self.pair(at).map_or_else(|| depth(at), |pair| depth(pair.sender).max(depth(pair.receiver)));
        order.clear();
        order.extend(members(self.enabled).map(|at| (Reverse(of_node(at)), at)));
        order.sort_unstable();
    }

    /// The moves of the enabled nodes of a set.
    fn moves_of(&self, set: Nodes) -> u64 {
        members(set & self.enabled).fold(0, |chosen, at| chosen | 1 << self.moves[at])
    }
}

/// The choice of a set in one state.
struct Choice<'a> {
    sets: &'a StubbornSets,
    situations: &'a mut Situations,
    nodes: &'a StateNodes,
    rows: &'a mut [Option<Nodes>],
    false_parts: &'a mut [Option<Parts>],
    view: View<'a>,
    /// The enabled nodes that a property of infinite runs can see.
    visible: Nodes,
    /// No condition of several parts was looked at, of which only the state tells which do not hold.
    is_only: bool,
}

/// The parts of a condition that do not hold, as far as they can be evaluated. Each is a reason why the condition does not hold, so that
/// some may be missing.
fn false_parts(view: View<'_>, parts: &[(Expr, TermSet)]) -> Parts {
    let mut all = 0;
    for (number, (part, _)) in parts.iter().enumerate().take(Parts::BITS as usize) {
        match view.eval(part) {
            Ok(0) => all |= 1 << number,
            Ok(_) => {}
            Err(_) => break,
        }
    }
    all
}

/// What has to be in a set with a node.
#[derive(Clone, Copy)]
struct Row {
    nodes: Nodes,
    /// Nothing but the signature of the state tells it.
    is_only: bool,
    /// It is smaller because of what the set has.
    depends_on_set: bool,
}

impl Row {
    fn of(nodes: Nodes) -> Self {
        Row { nodes, is_only: true, depends_on_set: false }
    }
}

impl Choice<'_> {
    /// The least closed set around some nodes, if it has fewer than `most` enabled nodes, none of which is visible.
    fn closure(&mut self, around: Nodes, most: u32) -> Option<Nodes> {
        let mut inside = around;
        let mut open = inside;
        while open != 0 {
            let at = open.trailing_zeros() as usize;
            open &= open - 1;
            let new = self.row(at, inside) & !inside;
            inside |= new;
            open |= new;
            if (inside & self.nodes.enabled).count_ones() >= most || inside & self.visible != 0 {
                return None;
            }
        }
        Some(inside)
    }

    /// The nodes that have to be in a set with a node.
    #[inline]
    fn row(&mut self, at: usize, inside: Nodes) -> Nodes {
        if let Some(row) = self.rows[at] {
            return row;
        }
        let row = if self.nodes.enabled >> at & 1 != 0 {
            Row::of(self.clashing(at) & !(1 << at))
        } else if Condition::StubbornDisabled.is_off() {
            Row::of(0)
        } else {
            self.enabling(at, inside)
        };
        if row.is_only && !row.depends_on_set {
            self.rows[at] = Some(row.nodes);
        }
        self.is_only &= row.is_only;
        row.nodes
    }

    /// The nodes that do not commute with an enabled node, or can be followed by what does not.
    #[inline]
    fn clashing(&mut self, at: usize) -> Nodes {
        let nodes = self.nodes;
        let row = match nodes.pair(at) {
            None => self.clashing_with(at),
            Some(Pair { sender, receiver }) => {
                // a rendezvous moves both processes
                let of_both = [sender, receiver].map(|half| nodes.of_process(nodes.pids[half].into()));
                self.clashing_with(sender) | self.clashing_with(receiver) | of_both[0] | of_both[1]
            }
        };
        nodes.with_pairs(row)
    }

    /// Those of the nodes of processes that clash with one. All pairs of its process clash with it: a pair moves its processes, so that
    /// the node and the half of the pair are in the row.
    #[inline]
    fn clashing_with(&mut self, at: usize) -> Nodes {
        let StateNodes { situations, first, pids, .. } = self.nodes;
        let pid = usize::from(pids[at]);
        let (id, node) = (situations[pid], at - first[pid]);
        let mut row = 0;
        for (other, (&other_id, &shift)) in situations.iter().zip(first).enumerate() {
            let word =
                if other == pid { self.situations.own_row(id, node) } else { self.situations.row(id, node, other_id) };
            row |= word.wrapping_shl(shift as u32);
        }
        row
    }

    /// The nodes that can make a node executable, by the choice that adds the least to a set.
    fn enabling(&mut self, at: usize, inside: Nodes) -> Row {
        let StateNodes { situations, pids, .. } = self.nodes;
        let pid = usize::from(pids[at]);
        let (id, view) = (situations[pid], self.view.of(pid));
        if let Some(provided) = self.situations.get(id).provided {
            // a process whose clause does not hold takes no part in anything
            let row = match view.may_run() {
                Ok(false) => self.changing(pid, provided, inside),
                _ => self.unblocking(at, inside),
            };
            return Row { is_only: false, ..row }; // the signature does not tell whether the clause holds
        }
        self.unblocking(at, inside)
    }

    /// The same for a node of a process that is not held by a `provided` clause.
    fn unblocking(&mut self, at: usize, inside: Nodes) -> Row {
        let StateNodes { situations, first, pids, enabled, .. } = self.nodes;
        let pid = usize::from(pids[at]);
        let (id, nth, view) = (situations[pid], at - first[pid], self.view.of(pid));
        let guard = self.situations.get(id).nodes[nth].first_guard;
        if self.situations.get(id).halves >> nth & 1 != 0 {
            return self.changing(pid, guard, inside);
        }
        match &self.sets.location(view).units[nth].guard {
            GuardSet::Always => Row::of(Nodes::MAX),
            GuardSet::Reads(_) => self.changing(pid, guard, inside),
            // a condition of one part does not hold, since the node is not enabled; one that fails is a move
            GuardSet::Conjuncts(parts) if parts.len() == 1 => self.changing(pid, guard, inside),
            GuardSet::Conjuncts(parts) => {
                let mut best: Option<(u32, Row)> = None;
                let false_parts = *self.false_parts[at].get_or_insert_with(|| false_parts(view, parts));
                for number in members(false_parts) {
                    let row = self.changing(pid, guard + number, inside);
                    let new = row.nodes & !inside;
                    let cost = 100 * (new & enabled).count_ones() + (new & !enabled).count_ones();
                    if best.is_none_or(|(least, _)| cost < least) {
                        best = Some((cost, row));
                    }
                }
                let best = best.map_or(Row::of(Nodes::MAX), |(_, row)| row);
                Row { is_only: false, ..best }
            }
            GuardSet::Message { channel, .. } => {
                let at = ProcessView { work: view.work, layout: view.layout, pid };
                let known = channel.as_ref().and_then(|channel| view.channel(channel.value(at)?).ok());
                match known.map(|channel| view.work.length(channel)) {
                    None => {
                        let (empty, mismatch) =
                            (self.changing(pid, guard, inside), self.changing(pid, guard + 1, inside));
                        Row {
                            nodes: empty.nodes | mismatch.nodes,
                            is_only: true,
                            depends_on_set: empty.depends_on_set || mismatch.depends_on_set,
                        }
                    }
                    Some(0) => self.changing(pid, guard, inside),
                    Some(_) => self.changing(pid, guard + 1, inside),
                }
            }
            GuardSet::Youngest => Row::of(self.nodes.with_pairs(self.nodes.of_process(situations.len() - 1))),
        }
    }

    /// The nodes that change the objects of a guard of a process, now or later. After a rendezvous that finds no partner as long as no
    /// node of the set is taken a process changes nothing.
    fn changing(&mut self, pid: usize, guard: usize, inside: Nodes) -> Row {
        let StateNodes { situations, first, pids, pairs, .. } = self.nodes;
        let id = situations[pid];
        let mut all = Changing::default();
        for (other, (&other_id, &shift)) in situations.iter().zip(first).enumerate() {
            let words = if other == pid {
                self.situations.own_changing(id, guard)
            } else {
                self.situations.changing(id, guard, other_id)
            };
            all.possible |= words.possible.wrapping_shl(shift as u32);
            all.with_partner |= words.with_partner.wrapping_shl(shift as u32);
        }
        let mut depends_on_set = false;
        for at in members(all.with_partner) {
            let of = usize::from(pids[at]);
            let partners = self.situations.get(situations[of]).nodes[at - first[of]].partners();
            if self.can_come(partners, inside) {
                all.possible |= 1 << at;
            } else {
                depends_on_set = true;
            }
        }
        let mut nodes = self.nodes.with_pairs(all.possible);
        for (pair, at) in pairs.iter().zip(pids.len()..) {
            // a rendezvous of the process leads away from the node
            if [pair.sender, pair.receiver].iter().any(|&half| usize::from(pids[half]) == pid) {
                nodes &= !(1 << at);
            }
        }
        Row { nodes, is_only: true, depends_on_set }
    }

    /// Whether partners at a rendezvous wait, or can come as long as no node of the set is taken.
    fn can_come(&self, partners: ObjectSet, inside: Nodes) -> bool {
        let StateNodes { situations, first, .. } = self.nodes;
        let (mut waiting, mut coming) = (0, 0);
        for (&id, &first) in situations.iter().zip(first) {
            for (at, node) in self.situations.get(id).nodes.iter().enumerate() {
                waiting |= Nodes::from(node.presence & partners != 0) << (first + at);
                coming |= Nodes::from(node.is_everything || node.changes & partners != 0) << (first + at);
            }
        }
        (waiting | self.nodes.with_pairs(coming) & !inside) != 0 && !Condition::StubbornPartners.is_off()
    }
}
