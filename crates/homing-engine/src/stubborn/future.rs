//! Future access sets: what a process may access from a location on, to its end.
//!
//! Locations that can be reached from each other have one future. So the futures of a process type are those of the strongly connected
//! components of its automaton, each the union of what happens in the component and of the futures of the components that follow it.

use homing_core::{Components, Condition};
use homing_ir::{Action, Automaton, ProctypeId, Transition};

use super::access::Accesses;
use super::budget::{Budget, Exceeded};
use super::derive::{Derivation, Setting, StatementAccess};
use super::known::Locals;
use super::term::{MOST_TERMS, TermSet, What};

/// What processes may access from each location on.
pub struct Futures {
    /// By process type.
    of_type: Vec<TypeFutures>,
    /// By process type: all that a new process may access.
    created: Vec<Accesses>,
}

/// What the processes of one type may access.
struct TypeFutures {
    draft: Draft,
    /// To its end.
    later: Closures,
    /// Before the first rendezvous.
    before: Closures,
    /// In the rest of a step.
    inside: Closures,
}

impl Futures {
    /// Those of a model. What a created process does is part of what its creator may do.
    pub fn of(derivation: &Derivation<'_>, budget: &Budget<'_>) -> Result<Futures, Exceeded> {
        let mut of_type = Vec::new();
        for at in 0..derivation.knowledge.model.proctypes.len() {
            of_type.push(TypeFutures::of(derivation, ProctypeId(at as u32), budget)?);
        }
        let mut futures = Futures { created: vec![Accesses::default(); of_type.len()], of_type };
        loop {
            budget.spend(futures.of_type.len() as u64)?;
            // The frame of a process that does not exist yet cannot be read: its terms may mean anything.
            let of_new = futures.of_type.iter().map(|one| {
                let all = futures.completed(derivation, &one.later, one.draft.start, 0);
                let terms = all.terms.iter().map(|term| term.what.widened(&derivation.objects).accesses);
                terms.fold(all.fixed, Accesses::and)
            });
            let of_new: Vec<Accesses> = of_new.collect();
            if of_new == futures.created {
                return Ok(futures);
            }
            futures.created = of_new;
        }
    }

    /// What a process may access from a location on, if it has just written some of its variables.
    pub fn after(&self, derivation: &Derivation<'_>, id: ProctypeId, location: u32, written: Locals) -> TermSet {
        self.completed(derivation, &self.of_type[id.index()].later, location as usize, written)
    }

    /// The same, before the first rendezvous.
    pub fn before(&self, derivation: &Derivation<'_>, id: ProctypeId, location: u32, written: Locals) -> Before {
        let closures = &self.of_type[id.index()].before;
        let set = self.completed(derivation, closures, location as usize, written);
        let known = closures.at(location as usize);
        let written = unknown(written | known.written);
        let partners = known.partners.iter().map(|one| one.without(&derivation.objects, written));
        Before { set, partners: partners.collect() }
    }

    /// What a process accesses that continues alone in the same step from a location on, and what it writes.
    pub fn inside(&self, id: ProctypeId, location: u32) -> (&TermSet, Locals) {
        let closure = self.of_type[id.index()].inside.at(location as usize);
        (&closure.set, closure.written)
    }

    /// What is accessed by a process at a location, in front of it or after it.
    pub fn presence(&self, id: ProctypeId, location: u32) -> &TermSet {
        &self.of_type[id.index()].draft.presence[location as usize]
    }

    /// What is read by those of the transitions of a location that depend on the guards of others there.
    pub fn alternatives(&self, id: ProctypeId, location: u32) -> &TermSet {
        &self.of_type[id.index()].draft.alternatives[location as usize]
    }

    /// What a new process of the type may access.
    pub fn created(&self, id: ProctypeId) -> Accesses {
        if Condition::StubbornCreation.is_off() { Accesses::default() } else { self.created[id.index()] }
    }

    /// A future with what created processes do, if some variables have just been written.
    fn completed(&self, derivation: &Derivation<'_>, closures: &Closures, location: usize, written: Locals) -> TermSet {
        let closure = closures.at(location);
        let mut set = closure.set.without(&derivation.objects, unknown(written | closure.written));
        closure.creates.iter().for_each(|&child| set.add_fixed(self.created(child)));
        // A rendezvous in the middle of a later step counts as an arrival of both sides.
        set.terms.retain(|term| !matches!(term.what, What::Channel { moves_another: true, .. }));
        set.is_everything = false;
        set
    }
}

/// What a process may access before it takes part in a rendezvous.
#[derive(Default)]
pub struct Before {
    pub set: TermSet,
    /// For each rendezvous that may come next: the partners without which it does not happen.
    pub partners: Vec<TermSet>,
}

/// The variables whose values are not those of the state any more.
fn unknown(written: Locals) -> Locals {
    if Condition::StubbornFrozen.is_off() { 0 } else { written }
}

/// The access sets of the transitions of a process type.
struct Draft {
    start: usize,
    /// By location, of each transition.
    transitions: Vec<Vec<StatementAccess>>,
    /// By location: what a process that comes there, or leaves it, changes for those who wait at a rendezvous channel.
    presence: Vec<TermSet>,
    /// By location: what is read by transitions that depend on the guards of others there.
    alternatives: Vec<TermSet>,
    /// What the `provided` clause reads.
    provided: TermSet,
    /// By location, of each transition: its partners if it is one side of a rendezvous.
    partners: Vec<Vec<Option<TermSet>>>,
}

impl Draft {
    fn of(derivation: &Derivation<'_>, id: ProctypeId, budget: &Budget<'_>) -> Result<Self, Exceeded> {
        let automaton = &derivation.knowledge.model.proctype(id).automaton;
        let mut is_inside = vec![false; automaton.locations.len()];
        for transition in automaton.locations.iter().flat_map(|location| &location.transitions) {
            is_inside[transition.target as usize] |= transition.atomic || transition.merged;
        }
        let provided = if Condition::StubbornProvided.is_off() { TermSet::default() } else { derivation.provided(id) };
        let (transitions, presence, alternatives, partners) = Default::default();
        let mut draft =
            Draft { start: automaton.start as usize, transitions, presence, alternatives, provided, partners };
        for (location, is_inside) in automaton.locations.iter().zip(is_inside) {
            let setting = if is_inside { Setting::Inside } else { Setting::First };
            let actions = || location.transitions.iter().map(|one| &automaton.statement(one.statement).action);
            let accesses: Vec<_> = actions().map(|action| derivation.statement(id, action, setting)).collect();
            let terms: usize = accesses.iter().map(|one| one.set.terms.len()).sum();
            budget.spend((location.transitions.len() + terms) as u64)?;
            draft.transitions.push(accesses);
            draft.partners.push(actions().map(|action| derivation.partners(id, action)).collect());
            draft.presence.push(derivation.presence(id, location));
            draft.alternatives.push(read_by_alternatives(derivation, id, &location.transitions));
        }
        Ok(draft)
    }

    /// What a process accesses by being at a location, or by coming there.
    fn arrival(&self, derivation: &Derivation<'_>, location: usize) -> TermSet {
        let mut set = self.presence[location].clone();
        set.add_fixed(derivation.position(location as u32));
        set.add_set(&derivation.objects, &self.alternatives[location], 0);
        set
    }

    /// What a process accesses at a location, by those of its transitions for which `is_taken` holds.
    fn at(&self, derivation: &Derivation<'_>, location: usize, is_taken: impl Fn(usize) -> bool) -> Closure {
        let mut closure = Closure { set: self.arrival(derivation, location), ..Closure::default() };
        closure.set.add_set(&derivation.objects, &self.provided, 0);
        for (nth, access) in self.transitions[location].iter().enumerate().filter(|(nth, _)| is_taken(*nth)) {
            let _ = nth;
            closure.take(derivation, access);
        }
        closure
    }
}

impl TypeFutures {
    fn of(derivation: &Derivation<'_>, id: ProctypeId, budget: &Budget<'_>) -> Result<Self, Exceeded> {
        let draft = Draft::of(derivation, id, budget)?;
        let automaton = &derivation.knowledge.model.proctype(id).automaton;
        let later = |location: usize, nth: usize| {
            let transition = automaton.locations[location].transitions[nth];
            // A process that has ended is nowhere.
            (!matches!(automaton.statement(transition.statement).action, Action::End)).then_some(transition.target)
        };
        let later = Closures::of(derivation, automaton, later, |at| draft.at(derivation, at, |_| true), budget)?;
        let before = |location: usize, nth: usize| {
            draft.partners[location][nth].is_none().then(|| automaton.locations[location].transitions[nth].target)
        };
        let of_before = |at: usize| {
            let mut closure = draft.at(derivation, at, |nth| draft.partners[at][nth].is_none());
            draft.partners[at].iter().flatten().for_each(|with| closure.add_partners(with));
            closure
        };
        let before = Closures::of(derivation, automaton, before, of_before, budget)?;
        let inside = |location: usize, nth: usize| {
            let transition = automaton.locations[location].transitions[nth];
            (transition.atomic || transition.merged).then_some(transition.target)
        };
        let of_inside = |at: usize| {
            let mut closure = Closure { set: draft.arrival(derivation, at), ..Closure::default() };
            for (access, transition) in draft.transitions[at].iter().zip(&automaton.locations[at].transitions) {
                if Condition::StubbornRun.is_off() {
                    closure.written |= access.written;
                } else {
                    closure.take(derivation, access);
                }
                closure.set.add_set(&derivation.objects, &draft.arrival(derivation, transition.target as usize), 0);
            }
            closure
        };
        let inside = Closures::of(derivation, automaton, inside, of_inside, budget)?;
        Ok(TypeFutures { draft, later, before, inside })
    }
}

/// What is accessed from a location on, by terms over the variables as they are there.
#[derive(Clone, Default)]
struct Closure {
    set: TermSet,
    written: Locals,
    creates: Vec<ProctypeId>,
    partners: Vec<TermSet>,
}

impl Closure {
    fn take(&mut self, derivation: &Derivation<'_>, access: &StatementAccess) {
        self.set.add_set(&derivation.objects, &access.set, 0);
        self.written |= access.written;
        self.add_created(&access.creates);
    }

    fn add_created(&mut self, creates: &[ProctypeId]) {
        for child in creates {
            if !self.creates.contains(child) {
                self.creates.push(*child);
            }
        }
    }

    /// Adds the partners of a rendezvous. Where there are many, none is known: any change may follow.
    fn add_partners(&mut self, partners: &TermSet) {
        if self.partners.len() >= MOST_TERMS {
            self.partners = vec![TermSet::default()];
        }
        let is_open = self.partners.first().is_some_and(TermSet::is_empty);
        if !is_open && !self.partners.contains(partners) {
            self.partners.push(partners.clone());
        }
    }

    fn add(&mut self, derivation: &Derivation<'_>, other: &Closure) {
        self.set.add_set(&derivation.objects, &other.set, 0);
        self.written |= other.written;
        self.add_created(&other.creates);
        other.partners.iter().for_each(|one| self.add_partners(one));
    }
}

/// Closures by location; locations of one strongly connected component have one.
struct Closures {
    component_of: Vec<usize>,
    of_component: Vec<Closure>,
}

impl Closures {
    /// The union of what `own` has at each location that can be reached from one over the transitions whose `target` is known.
    fn of(
        derivation: &Derivation<'_>,
        automaton: &Automaton,
        target: impl Fn(usize, usize) -> Option<u32>,
        own: impl Fn(usize) -> Closure,
        budget: &Budget<'_>,
    ) -> Result<Self, Exceeded> {
        let locations = &automaton.locations;
        let targets: Vec<Vec<usize>> = (0..locations.len())
            .map(|at| {
                (0..locations[at].transitions.len()).filter_map(|nth| target(at, nth).map(|to| to as usize)).collect()
            })
            .collect();
        let Components { of, count } = Components::new(locations.len(), |at, nth| targets[at].get(nth).copied());
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
        of.iter().enumerate().for_each(|(at, &component)| members[component].push(at));
        let mut of_component: Vec<Closure> = Vec::with_capacity(count);
        for (component, members) in members.iter().enumerate() {
            let mut all = Closure::default();
            let mut next: Vec<usize> = Vec::new();
            for &at in members {
                all.add(derivation, &own(at));
                next.extend(targets[at].iter().map(|&to| of[to]).filter(|&to| to != component));
                budget.spend((1 + targets[at].len()) as u64 * (1 + all.set.terms.len() as u64))?;
            }
            next.sort_unstable();
            next.dedup();
            // an edge between components leads to one of a smaller number
            for to in next {
                all.add(derivation, &of_component[to]);
                budget.spend((1 + all.set.terms.len() + all.partners.len()) as u64)?;
            }
            budget.keep((all.set.terms.len() + all.partners.len()) as u64)?;
            of_component.push(all);
        }
        Ok(Closures { component_of: of, of_component })
    }

    fn at(&self, location: usize) -> &Closure {
        &self.of_component[self.component_of[location]]
    }
}

/// What is read by the transitions of a location that depend on the guards of others there: an `else`, those beside an escape, and those
/// of a deterministic process, which fails where two are executable.
fn read_by_alternatives(derivation: &Derivation<'_>, id: ProctypeId, transitions: &[Transition]) -> TermSet {
    let automaton = &derivation.knowledge.model.proctype(id).automaton;
    let action = |one: &Transition| &automaton.statement(one.statement).action;
    let mut set = TermSet::default();
    let depends = transitions.iter().any(|one| one.escape > 0 || action(one).is_else())
        || is_deterministic(derivation, id) && transitions.len() > 1;
    if depends && !Condition::StubbornAlternatives.is_off() {
        for one in transitions {
            set.add_set(&derivation.objects, &derivation.guard(id, action(one)), 0);
        }
    }
    set
}

/// Whether it is an error that two transitions of a process of the type are executable at once.
pub fn is_deterministic(derivation: &Derivation<'_>, id: ProctypeId) -> bool {
    derivation.knowledge.model.proctype(id).deterministic && !Condition::StubbornDeterministic.is_off()
}

/// By location: whether a location for which `here` holds can be reached from there.
pub fn can_reach(automaton: &Automaton, here: Vec<bool>) -> Vec<bool> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); here.len()];
    for (at, location) in automaton.locations.iter().enumerate() {
        for transition in &location.transitions {
            // A process that has ended is nowhere.
            if !matches!(automaton.statement(transition.statement).action, Action::End) {
                before[transition.target as usize].push(at);
            }
        }
    }
    let mut reaches = here;
    let mut open: Vec<usize> = (0..reaches.len()).filter(|&at| reaches[at]).collect();
    while let Some(at) = open.pop() {
        for &from in &before[at] {
            if !std::mem::replace(&mut reaches[from], true) {
                open.push(from);
            }
        }
    }
    reaches
}
