//! Situations: a process at a location, with the values that its access sets depend on. In most models the same situations come
//! again and again, and which nodes of two situations clash is the same in every state. So both are computed once and kept:
//! a row of a state is put together from one word for each process.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use homing_core::Condition;

use super::StubbornSets;
use super::access::{Accesses, ObjectSet};
use super::cache::{Mixer, Values};
use super::known::ProcessView;
use super::term::TermSet;
use super::unit::{GuardSet, LocationUnits, Part, Unit};
use crate::eval::View;
use crate::working_state::WorkingState;

/// A set of nodes, of a process or of a state.
pub type Nodes = u64;

/// The most nodes of a state that is reduced.
pub const MOST_NODES: usize = Nodes::BITS as usize;

/// A transition in front of which a process stands, with its access sets.
pub struct Node {
    now: Accesses,
    later: Accesses,
    future: Future,
    /// What others see of its process while it waits at a rendezvous.
    pub presence: ObjectSet,
    /// What is changed now or later.
    pub changes: ObjectSet,
    pub is_everything: bool,
    moves: bool,
    /// The first of the sets of objects that can make it executable.
    pub first_guard: usize,
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

impl Node {
    /// Whether two nodes of different processes do not commute, or the other can be followed by what does not commute with this one.
    #[inline(always)]
    fn clashes(&self, other: &Node) -> bool {
        self.is_everything || other.is_everything || self.now.clashes(other.now) || self.now.clashes(other.later)
    }

    /// When this node changes some objects, now or later.
    fn change_of(&self, objects: ObjectSet) -> Change {
        let Future { changes, before, partners } = self.future;
        if self.is_everything || self.now.changes() & objects != 0 {
            return Change::Possible;
        }
        match changes & objects != 0 {
            false => Change::Never,
            true if partners == 0 || before & objects != 0 => Change::Possible,
            true => Change::WithPartner,
        }
    }

    /// The partners of which one has to come before its process changes more.
    pub fn partners(&self) -> ObjectSet {
        self.future.partners
    }
}

/// Whether a node changes some objects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Never,
    /// Only after a rendezvous.
    WithPartner,
    Possible,
}

/// The nodes that change some objects.
#[derive(Clone, Copy, Default)]
pub struct Changing {
    pub possible: Nodes,
    /// Those that do so only after a rendezvous, if there can be a partner.
    pub with_partner: Nodes,
}

impl Changing {
    fn among<'n>(nodes: impl Iterator<Item = &'n Node>, objects: ObjectSet) -> Self {
        nodes.enumerate().fold(Changing::default(), |mut all, (at, node)| {
            match node.change_of(objects) {
                Change::Never => {}
                Change::WithPartner => all.with_partner |= 1 << at,
                Change::Possible => all.possible |= 1 << at,
            }
            all
        })
    }
}

/// A process at a location, with the values that its access sets depend on.
pub struct Situation {
    pub nodes: Vec<Node>,
    /// The sets of objects that can make nodes executable; each node has some in sequence.
    guards: Vec<ObjectSet>,
    /// By node: those of the same process that have to be in a set with it if it is enabled.
    own_rows: Vec<Nodes>,
    /// By guard: the nodes of the same process that change its objects and do not move the process.
    own_changing: Vec<Changing>,
    pub depth: u32,
    /// The nodes that are one half of a rendezvous.
    pub halves: Nodes,
    pub visible: Nodes,
    pub may_fail: Nodes,
    /// The number of the guard that is the `provided` clause, if there is one.
    pub provided: Option<usize>,
    /// The channels whose lengths decide between guards; none if one is not known.
    pub channels: Option<Vec<i32>>,
}

impl StubbornSets {
    /// The units of the location of a process.
    #[inline(always)]
    pub(super) fn location(&self, view: View<'_>) -> &LocationUnits {
        &self.units[view.proctype().index()][view.work.location(view.layout, view.pid) as usize]
    }

    /// The situation of a process; none if a channel that it waits at does not exist.
    fn situation(&self, location: &LocationUnits, view: View<'_>) -> Option<Situation> {
        let at = ProcessView { work: view.work, layout: view.layout, pid: view.pid };
        let channels = location.units.iter().filter_map(|unit| unit.guard.channel());
        let mut situation = Situation {
            nodes: Vec::with_capacity(location.units.len()),
            guards: Vec::new(),
            own_rows: Vec::new(),
            own_changing: Vec::new(),
            depth: location.depth,
            halves: 0,
            visible: 0,
            may_fail: 0,
            provided: None,
            channels: channels.map(|channel| channel.value(at)).collect(),
        };
        for (number, unit) in location.units.iter().enumerate() {
            let half = match &unit.half {
                None => None,
                Some(half) => {
                    let (_, shape) = view.channel(half.channel.value(at)?).ok()?;
                    (shape.capacity == 0).then_some(half)
                }
            };
            let bit = 1u64.checked_shl(number as u32)?; // a location with more transitions has too many nodes
            situation.halves |= if half.is_some() { bit } else { 0 };
            situation.visible |= if unit.is_visible { bit } else { 0 };
            situation.may_fail |= if unit.may_fail { bit } else { 0 };
            let objects = |set: &TermSet| set.evaluate(&self.objects, at).accesses;
            let presence = half.map_or(0, |half| objects(&half.presence).counted);
            let node = self.node(at, half.map_or(&unit.alone, |half| &half.part));
            situation.nodes.push(Node { presence, first_guard: situation.guards.len(), ..node });
            match half {
                Some(half) => situation.guards.push(objects(&half.guard).read),
                None => situation.guards.extend(guards(unit).map(|set| objects(set).read)),
            }
        }
        if let Some(provided) = &location.provided {
            situation.provided = Some(situation.guards.len());
            situation.guards.push(provided.evaluate(&self.objects, at).accesses.read);
        }
        situation.relate_own();
        Some(situation)
    }

    fn node(&self, at: ProcessView<'_>, part: &Part) -> Node {
        let now = part.now.evaluate(&self.objects, at);
        let later = part.later.evaluate(&self.objects, at).accesses;
        let mut future = Future { changes: later.changes(), before: 0, partners: 0 };
        let partners = part.before.partners.iter().map(|one| one.evaluate(&self.objects, at).accesses.read);
        // partners that are not known would be no object at all
        if let Some(partners) = partners.map(|one| (one != 0).then_some(one)).try_fold(0, |all, one| Some(all | one?)) {
            future.partners = partners;
            future.before = part.before.set.evaluate(&self.objects, at).accesses.changes();
        }
        Node {
            now: now.accesses,
            later,
            future,
            presence: 0,
            changes: now.accesses.changes() | later.changes(),
            is_everything: now.is_everything,
            moves: part.moves,
            first_guard: 0,
        }
    }
}

/// The sets of objects that can make a transition executable, in the order in which they are numbered.
fn guards(unit: &Unit) -> impl Iterator<Item = &TermSet> {
    let (parts, sets) = match &unit.guard {
        GuardSet::Always | GuardSet::Youngest => (&[][..], [None, None]),
        GuardSet::Conjuncts(parts) => (&parts[..], [None, None]),
        GuardSet::Reads(set) => (&[][..], [Some(set), None]),
        GuardSet::Message { empty, mismatch, .. } => (&[][..], [Some(empty), Some(mismatch)]),
    };
    parts.iter().map(|(_, set)| set).chain(sets.into_iter().flatten())
}

impl Situation {
    /// Relates the nodes of the process to each other: two of which one moves it do not commute, and one that moves it leads away from
    /// the others instead of making them executable. If it can lead back, what it leads to is among what it changes later.
    fn relate_own(&mut self) {
        let nodes = &self.nodes;
        let clashing = |node: &Node| {
            let others = nodes.iter().enumerate();
            others.fold(0, |row, (at, other)| row | Nodes::from(node.clashes(other) || node.moves || other.moves) << at)
        };
        self.own_rows = nodes.iter().map(clashing).collect();
        let staying = nodes.iter().enumerate().fold(0, |all, (at, node)| all | Nodes::from(!node.moves) << at);
        let changing = self.guards.iter().map(|&objects| {
            let all = Changing::among(nodes.iter(), objects);
            Changing { possible: all.possible & staying, with_partner: all.with_partner & staying }
        });
        self.own_changing = changing.collect();
    }

    /// The nodes of another process that have to be in a set with an enabled node of this one.
    fn row(&self, node: usize, other: &Situation) -> Nodes {
        let node = &self.nodes[node];
        other.nodes.iter().enumerate().fold(0, |row, (at, other)| row | Nodes::from(node.clashes(other)) << at)
    }
}

/// The most situations that are kept; where there are more, they do not come again and again.
const MOST_SITUATIONS: usize = 2048;

/// The most words about pairs of situations that are kept.
const MOST_WORDS: usize = 1 << 20;

/// The entries of the table of recent situations, and how many locations of a process have an entry of their own.
const RECENT: usize = 1024;
const RECENT_LOCATIONS: usize = 32;

/// The number of a situation.
pub type SituationId = u32;

/// Marks a situation that is made anew in each state, because its access sets depend on too much.
const MADE_ANEW: SituationId = 1 << 31;

/// The situations that came before, and how their nodes are related.
#[derive(Default)]
pub struct Situations {
    kept: Vec<Situation>,
    made_anew: Vec<Situation>,
    numbers: HashMap<Values, SituationId, BuildHasherDefault<Mixer>>,
    /// By process and location, in a table in which a new entry replaces another one at its place: the values that came last there, and
    /// their situation.
    recent: Vec<Option<(Values, SituationId)>>,
    channels: ChannelTables,
    /// By two kept situations: where their words begin, plus one; zero if they are not computed.
    pairs: Vec<Vec<u32>>,
    /// Of a pair: the row of each node, then of each guard the two words of [`Changing`].
    words: Vec<Nodes>,
    /// Increased whenever numbers get another meaning.
    pub generation: u64,
}

/// The shapes of the channels of states. They tell which channel that a value names is a rendezvous channel, and are different in
/// different states only where processes create channels.
#[derive(Default)]
struct ChannelTables {
    numbers: HashMap<Box<[u32]>, u32>,
    shapes: Vec<u32>,
    /// The number of the table of the present state; zero where channels are always the same.
    present: u32,
}

impl ChannelTables {
    /// Finds the number of the table of a state.
    fn look_up(&mut self, work: &WorkingState) {
        let shapes = || work.channels.iter().map(|channel| channel.shape);
        if self.present != 0 && self.shapes.iter().copied().eq(shapes()) {
            return;
        }
        self.shapes.clear();
        self.shapes.extend(shapes());
        let next = self.numbers.len() as u32 + 1;
        self.present = match self.numbers.get(&self.shapes[..]) {
            Some(&number) => number,
            None => *self.numbers.entry(self.shapes.as_slice().into()).or_insert(next),
        };
    }
}

impl Situations {
    /// Begins with another state.
    pub fn begin(&mut self, sets: &StubbornSets, work: &WorkingState) {
        self.made_anew.clear();
        if self.kept.len() >= MOST_SITUATIONS || self.words.len() >= MOST_WORDS {
            let generation = self.generation + 1;
            *self = Situations { generation, ..Situations::default() };
        }
        if !sets.has_fixed_channels && !Condition::StubbornShapes.is_off() {
            self.channels.look_up(work);
        }
    }

    /// The situation of a process; none if its state cannot be reduced.
    #[inline(always)]
    pub fn of(&mut self, sets: &StubbornSets, view: View<'_>) -> Option<SituationId> {
        let location = sets.location(view);
        if location.is_opaque {
            return None;
        }
        let Some(key) = &location.key else {
            self.made_anew.push(sets.situation(location, view)?);
            return Some(MADE_ANEW | (self.made_anew.len() - 1) as SituationId);
        };
        let at = ProcessView { work: view.work, layout: view.layout, pid: view.pid };
        let number = view.work.location(view.layout, view.pid);
        let recent = (view.pid * RECENT_LOCATIONS + number as usize) % RECENT;
        if let Some(Some((known, id))) = self.recent.get(recent)
            && known.are_of(key, at, number, self.channels.present)
        {
            return Some(*id);
        }
        let values = Values::of(key, at, number, self.channels.present);
        let id = match self.numbers.get(&values) {
            Some(&id) => id,
            None => {
                let id = self.kept.len() as SituationId;
                self.kept.push(sets.situation(location, view)?);
                self.numbers.insert(values, id);
                id
            }
        };
        self.recent.resize(RECENT, None);
        self.recent[recent] = Some((values, id));
        Some(id)
    }

    /// The situation with a number.
    #[inline(always)]
    pub fn get(&self, id: SituationId) -> &Situation {
        match id & MADE_ANEW {
            0 => &self.kept[id as usize],
            _ => &self.made_anew[(id & !MADE_ANEW) as usize],
        }
    }

    /// Whether the number means the same in other states.
    pub fn is_kept(&self, id: SituationId) -> bool {
        id & MADE_ANEW == 0
    }

    /// The nodes of the same process that have to be in a set with an enabled node.
    #[inline(always)]
    pub fn own_row(&self, id: SituationId, node: usize) -> Nodes {
        self.get(id).own_rows[node]
    }

    /// The nodes of the same process that can make a node executable.
    #[inline(always)]
    pub fn own_changing(&self, id: SituationId, guard: usize) -> Changing {
        self.get(id).own_changing[guard]
    }

    /// The nodes of another process that have to be in a set with an enabled node.
    #[inline(always)]
    pub fn row(&mut self, id: SituationId, node: usize, other: SituationId) -> Nodes {
        match self.words_of(id, other) {
            Some(at) => self.words[at + node],
            None => self.get(id).row(node, self.get(other)),
        }
    }

    /// The nodes of another process that change the objects of a guard.
    #[inline(always)]
    pub fn changing(&mut self, id: SituationId, guard: usize, other: SituationId) -> Changing {
        match self.words_of(id, other) {
            Some(at) => {
                let at = at + self.get(id).nodes.len() + 2 * guard;
                Changing { possible: self.words[at], with_partner: self.words[at + 1] }
            }
            None => Changing::among(self.get(other).nodes.iter(), self.get(id).guards[guard]),
        }
    }

    /// Where the words of a pair of kept situations begin.
    #[inline(always)]
    fn words_of(&mut self, id: SituationId, other: SituationId) -> Option<usize> {
        let known = self.pairs.get(id as usize).and_then(|row| row.get(other as usize)).copied().unwrap_or(0);
        if known != 0 {
            return Some(known as usize - 1);
        }
        (self.is_kept(id) && self.is_kept(other)).then(|| self.relate(id, other))
    }

    /// Computes the words of a pair.
    #[cold]
    fn relate(&mut self, id: SituationId, other: SituationId) -> usize {
        let begin = self.words.len();
        let (one, two) = (&self.kept[id as usize], &self.kept[other as usize]);
        self.words.extend((0..one.nodes.len()).map(|node| one.row(node, two)));
        for &objects in &one.guards {
            let Changing { possible, with_partner } = Changing::among(two.nodes.iter(), objects);
            self.words.extend([possible, with_partner]);
        }
        if self.pairs.len() <= id as usize {
            self.pairs.resize_with(id as usize + 1, Vec::new);
        }
        let row = &mut self.pairs[id as usize];
        if row.len() <= other as usize {
            row.resize(other as usize + 1, 0);
        }
        row[other as usize] = begin as u32 + 1;
        begin
    }
}
