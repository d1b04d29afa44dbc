//! The units of a model: for each transition what the step that begins with it accesses now, what its process may access
//! later, and what can make it executable.

use homing_core::Condition;
use homing_ir::{
    AccessSet, Action, Automaton, Expr, Guard, Location, ProctypeId, Resets, Side, Synchronisation, Transition,
    Visible, conjuncts,
};

use super::access::{BOTH, END, Ends, FRONT};
use super::budget::{Budget, Exceeded};
use super::derive::{Derivation, Meeting, Setting};
use super::failing::Failing;
use super::future::{Before, Futures, can_reach, is_deterministic};
use super::known::{Known, Place};
use super::situation::MOST_NODES;
use super::term::TermSet;

/// A transition with its access sets.
pub struct Unit {
    /// As a step of one process.
    pub alone: Part,
    /// As one side of a rendezvous, if it can be one.
    pub half: Option<Half>,
    /// What can make it executable.
    pub guard: GuardSet,
    /// A property of infinite runs can see that it is taken.
    pub is_visible: bool,
    /// It can fail, or its process can come to a transition that can.
    pub may_fail: bool,
}

impl Unit {
    fn parts(&self) -> impl Iterator<Item = &Part> {
        [&self.alone].into_iter().chain(self.half.as_ref().map(|half| &half.part))
    }

    /// All its access sets.
    fn sets(&self) -> impl Iterator<Item = &TermSet> {
        let of_parts = self.parts().flat_map(|part| [&part.now, &part.later, &part.before.set]);
        let of_partners = self.parts().flat_map(|part| &part.before.partners);
        let of_half = self.half.iter().flat_map(|half| [&half.guard, &half.presence]);
        of_parts.chain(self.guard.sets()).chain(of_partners).chain(of_half)
    }
}

/// What a transition accesses.
pub struct Part {
    /// In the step that begins with it.
    pub now: TermSet,
    /// In all that its process does after that.
    pub later: TermSet,
    /// In what it does after that before a rendezvous, with the partners of each rendezvous that may come next.
    pub before: Before,
    /// The process is somewhere else afterwards, or has changed its own variables.
    pub moves: bool,
}

/// One side of a rendezvous.
pub struct Half {
    /// The channel that tells whether it is one.
    pub channel: Known,
    pub part: Part,
    /// What can bring a partner that takes the message.
    pub guard: TermSet,
    /// What others see of a process that waits here.
    pub presence: TermSet,
}

/// The objects of which one has to change before a transition that is not executable becomes so.
pub enum GuardSet {
    /// It is always executable.
    Always,
    /// Each part of the condition that does not hold is a choice.
    Conjuncts(Vec<(Expr, TermSet)>),
    /// A change of one of these.
    Reads(TermSet),
    /// There is no message, or the one that there is does not match.
    Message { channel: Option<Known>, empty: TermSet, mismatch: TermSet },
    /// The youngest process ends.
    Youngest,
}

impl GuardSet {
    /// The sets of objects that can make the transition executable.
    fn sets(&self) -> Vec<&TermSet> {
        match self {
            GuardSet::Always | GuardSet::Youngest => Vec::new(),
            GuardSet::Conjuncts(parts) => parts.iter().map(|(_, set)| set).collect(),
            GuardSet::Reads(set) => vec![set],
            GuardSet::Message { empty, mismatch, .. } => vec![empty, mismatch],
        }
    }

    /// The channel whose length decides between them.
    pub fn channel(&self) -> Option<&Known> {
        match self {
            GuardSet::Message { channel, .. } => channel.as_ref(),
            _ => None,
        }
    }
}

/// The units of a location.
pub struct LocationUnits {
    pub units: Vec<Unit>,
    /// How far the location is from the start of its process.
    pub depth: u32,
    /// The process does not know whether its steps are rendezvous, or there are too many transitions: states in which one is here are
    /// not reduced.
    pub is_opaque: bool,
    /// What the `provided` clause of the process type reads, if it has one.
    pub provided: Option<TermSet>,
    /// What the access sets of its units depend on; none if that is too much to be looked up.
    pub key: Option<Key>,
}

/// What the access sets of a location depend on: variables of the process, and perhaps its pid.
#[derive(Default)]
pub struct Key {
    pub places: Vec<Place>,
    pub reads_pid: bool,
}

/// The most variables of a key.
pub const MOST_PLACES: usize = 6;

impl Key {
    fn of(units: &[Unit], provided: Option<&TermSet>) -> Option<Key> {
        let mut key = Key::default();
        let mut is_scalar = true;
        let mut add = |known: &Known| {
            is_scalar &= !known.reads_array();
            known.for_each_place(&mut |place| match place {
                None => key.reads_pid = true,
                Some(place) if key.places.len() <= MOST_PLACES && !key.places.contains(&place) => {
                    key.places.push(place)
                }
                Some(_) => {}
            });
        };
        provided.iter().flat_map(|set| &set.terms).for_each(|term| add(&term.index));
        for unit in units {
            let channels = unit.half.iter().map(|half| &half.channel).chain(unit.guard.channel());
            unit.sets().flat_map(|set| &set.terms).map(|term| &term.index).chain(channels).for_each(&mut add);
        }
        (is_scalar && key.places.len() <= MOST_PLACES).then_some(key)
    }
}

/// Derives the units of a process type, by location.
pub fn units(
    derivation: &Derivation<'_>,
    id: ProctypeId,
    sources: Sources<'_>,
    budget: &Budget<'_>,
) -> Result<Vec<LocationUnits>, Exceeded> {
    let automaton = &derivation.knowledge.model.proctype(id).automaton;
    let depths = depths(automaton);
    let fails_from = can_reach(automaton, sources.failing.locations(id));
    let draft = Draft { derivation, id, automaton, sources, fails_from };
    let mut all = Vec::with_capacity(automaton.locations.len());
    for (at, (location, depth)) in automaton.locations.iter().zip(depths).enumerate() {
        if location.transitions.len() > MOST_NODES {
            all.push(LocationUnits { units: Vec::new(), depth, is_opaque: true, provided: None, key: None });
            continue;
        }
        let units = draft.location(at as u32, location, depth);
        let sets = units.units.iter().flat_map(Unit::sets);
        let size: usize = sets.map(|set| 1 + set.terms.len()).sum();
        budget.keep(1 + size as u64)?;
        all.push(units);
    }
    Ok(all)
}

/// What is known of a model besides the access sets of its statements.
#[derive(Clone, Copy)]
pub struct Sources<'d> {
    pub futures: &'d Futures,
    pub visible: &'d Visible,
    pub failing: &'d Failing<'d>,
}

/// How a transition is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Alone,
    /// In a rendezvous, after which the receiver continues.
    Sender,
    Receiver,
}

struct Draft<'d, 'a> {
    derivation: &'d Derivation<'a>,
    id: ProctypeId,
    automaton: &'d Automaton,
    sources: Sources<'d>,
    /// By location: a process can come from there to a transition that can fail.
    fails_from: Vec<bool>,
}

impl Draft<'_, '_> {
    fn action(&self, transition: &Transition) -> &Action {
        &self.automaton.statement(transition.statement).action
    }

    fn location(&self, at: u32, location: &Location, depth: u32) -> LocationUnits {
        let has_escapes = location.transitions.iter().any(|one| one.escape > 0);
        let mut syncs = location.transitions.iter().flat_map(|one| {
            let action = self.action(one);
            action.synchronisations().map(move |sync| (action.block().is_some(), sync))
        });
        let is_opaque = syncs.any(|(in_block, sync)| match self.derivation.meeting(self.id, sync.channel) {
            Meeting::Never => false,
            Meeting::By(_) => has_escapes || in_block,
            Meeting::Unknown => true,
        });
        let units = location.transitions.iter().enumerate().map(|(nth, one)| {
            let is_visible = self.sources.visible.transition(self.id, at, nth);
            let action = self.action(one);
            let fails_after = !matches!(action, Action::End) && self.fails_from[one.target as usize];
            let unit = self.unit(at, location, one, has_escapes);
            let may_fail = fails_after || self.sources.failing.action(self.id, at, action) || self.is_watched(&unit);
            Unit { is_visible, may_fail, ..unit }
        });
        let units: Vec<Unit> = units.collect();
        let provided = self.derivation.knowledge.model.proctype(self.id).provided.is_some();
        let provided = provided.then(|| self.derivation.provided(self.id));
        let key = Key::of(&units, provided.as_ref());
        LocationUnits { units, depth, is_opaque, provided, key }
    }

    /// Whether a step, or what its process does later, changes what an invariant reads.
    fn is_watched(&self, unit: &Unit) -> bool {
        let mut parts = unit.parts();
        parts.any(|part| self.derivation.is_watched(&part.now) || self.derivation.is_watched(&part.later))
            && !Condition::StubbornSeeds.is_off()
    }

    fn unit(&self, at: u32, location: &Location, transition: &Transition, has_escapes: bool) -> Unit {
        let action = self.action(transition);
        let half = action.synchronisation().and_then(|sync| {
            let Meeting::By(channel) = self.derivation.meeting(self.id, sync.channel) else { return None };
            let role = match sync.side {
                Side::Send(_) => Role::Sender,
                Side::Receive(_) => Role::Receiver,
            };
            let part = self.part(at, location, transition, role);
            let presence = self.sources.futures.presence(self.id, at).clone();
            Some(Half { channel, part, guard: self.half_guard(sync), presence })
        });
        let guard = if has_escapes {
            GuardSet::Reads(self.sources.futures.alternatives(self.id, at).clone())
        } else {
            self.guard(at, action)
        };
        Unit { alone: self.part(at, location, transition, Role::Alone), half, guard, is_visible: false, may_fail: true }
    }

    /// What a transition accesses, as a step of one process or as one side of a rendezvous.
    fn part(&self, at: u32, location: &Location, transition: &Transition, role: Role) -> Part {
        let Draft { derivation, id, sources: Sources { futures, .. }, .. } = *self;
        let objects = &derivation.objects;
        let action = self.action(transition);
        let first = derivation.statement(id, action, Setting::First);
        let mut now = first.set;
        if !Condition::StubbornProvided.is_off() {
            now.add_set(objects, &derivation.provided(id), 0); // it reads no locals that the step could write
        }
        let has_escapes = location.transitions.iter().any(|one| one.escape > 0);
        if has_escapes || action.is_else() || is_deterministic(derivation, id) {
            now.add_set(objects, futures.alternatives(id, at), 0);
        }
        let continues = role != Role::Sender && (transition.atomic || transition.merged);
        let writes = first.written != 0 || first.writes_others || transition.resets != Resets(0);
        let stays = transition.target == at && !continues && first.creates.is_empty() && role == Role::Alone;
        if stays && (!writes || Condition::StubbornLoop.is_off()) {
            derivation.add_invariants(&mut now);
            return Part { now, later: TermSet::default(), before: Before::default(), moves: false };
        }
        let mut written = first.written;
        if continues {
            let (inside, more) = futures.inside(id, transition.target);
            written |= more;
            now.add_set(objects, inside, written);
        } else {
            now.add_set(objects, futures.presence(id, transition.target), written);
            now.add_fixed(derivation.position(transition.target));
        }
        now.add_set(objects, futures.presence(id, at), 0);
        now.add_fixed(derivation.position(at));
        derivation.add_invariants(&mut now);
        let mut later = match action {
            Action::End => TermSet::default(),
            _ => futures.after(derivation, id, transition.target, written),
        };
        first.creates.iter().for_each(|&child| later.add_fixed(futures.created(child)));
        if Condition::StubbornLater.is_off() {
            later = TermSet::default();
        }
        let mut before = Before::default();
        if !matches!(action, Action::End) && first.creates.is_empty() && !Condition::StubbornLater.is_off() {
            before = futures.before(derivation, id, transition.target, written);
        }
        Part { now, later, before, moves: true }
    }

    fn guard(&self, at: u32, action: &Action) -> GuardSet {
        let Draft { derivation, id, sources: Sources { futures, .. }, .. } = *self;
        let objects = &derivation.objects;
        let of_channel = |channel: &Expr, ends| {
            let mut set = derivation.reads_of(id, channel);
            set.add_set(objects, &derivation.channel(id, channel, Ends::reading(ends), Ends::NONE), 0);
            set
        };
        match action.guard() {
            Guard::Always | Guard::Never => GuardSet::Always,
            Guard::Else => GuardSet::Reads(futures.alternatives(id, at).clone()),
            Guard::Condition(condition) => {
                // What is evaluated before a part may become a run-time error, unless that is plain to see.
                let mut failing = TermSet::default();
                let parts = conjuncts(condition).into_iter().map(|part| {
                    let mut set = derivation.reads_of(id, part);
                    if AccessSet::of_expr(derivation.knowledge.model, Some(id), part).may_fail() {
                        failing.add_set(objects, &set, 0);
                    }
                    set.add_set(objects, &failing, 0);
                    (part.clone(), set)
                });
                GuardSet::Conjuncts(parts.collect())
            }
            Guard::Room(channel) => GuardSet::Reads(of_channel(channel, FRONT)),
            Guard::Message { channel, args, from } => {
                let mut mismatch = of_channel(channel, if from.anywhere { BOTH } else { FRONT });
                mismatch.add_set(objects, &derivation.message(id, Side::Receive(args)), 0);
                let empty = of_channel(channel, if Condition::StubbornEmpty.is_off() { 0 } else { END });
                let channel = derivation.knowledge.of(id, channel).map(|(known, _)| known);
                GuardSet::Message { channel, empty, mismatch }
            }
            Guard::AnyOf(_) => GuardSet::Reads(derivation.guard(id, action)),
            Guard::Youngest => GuardSet::Youngest,
        }
    }

    /// A partner comes, or what is offered or compared changes.
    fn half_guard(&self, sync: Synchronisation<'_>) -> TermSet {
        let Draft { derivation, id, .. } = *self;
        let partners = match sync.side {
            Side::Send(_) => FRONT,
            Side::Receive(_) => END,
        };
        let partners = derivation.tagged(partners, sync.side);
        let mut set = derivation.message(id, sync.side);
        set.add_fixed(derivation.offered);
        let channel = derivation.channel(id, sync.channel, Ends::NONE, Ends::reading(partners));
        set.add_set(&derivation.objects, &channel, 0);
        set
    }
}

/// How far each location is from the start, in transitions.
fn depths(automaton: &Automaton) -> Vec<u32> {
    let mut depths = vec![u32::MAX; automaton.locations.len()];
    depths[automaton.start as usize] = 0;
    let mut open = std::collections::VecDeque::from([automaton.start]);
    while let Some(at) = open.pop_front() {
        for transition in &automaton.location(at).transitions {
            let depth = depths[at as usize] + 1;
            if depths[transition.target as usize] == u32::MAX {
                depths[transition.target as usize] = depth;
                open.push_back(transition.target);
            }
        }
    }
    depths
}
