//! Future access sets: what a process may access from a location on, to its end.

use std::collections::HashMap;
use std::rc::Rc;

use homing_core::Condition;
use homing_ir::{Action, Automaton, ProctypeId, Transition};

use super::access::Accesses;
use super::derive::{Derivation, Setting, StatementAccess};
use super::known::Locals;
use super::term::{TermSet, What};

/// What processes may access from each location on.
pub struct Futures {
    /// By process type and location. Locations that can be reached from each other have one set.
    sets: Vec<Vec<Rc<TermSet>>>,
    /// By process type and location: what may be accessed before the first rendezvous.
    before: Vec<Vec<Before>>,
    /// By process type: all that a new process may access.
    created: Vec<Accesses>,
}

impl Futures {
    /// Those of a model. What a created process does is part of what its creator may do.
    pub fn of(derivation: &Derivation<'_>) -> Futures {
        let ids = (0..derivation.knowledge.model.proctypes.len()).map(|at| ProctypeId(at as u32));
        let drafts: Vec<Draft> = ids.map(|id| Draft::of(derivation, id)).collect();
        let mut created = vec![Accesses::default(); drafts.len()];
        loop {
            let sets: Vec<Vec<Rc<TermSet>>> = drafts.iter().map(|draft| draft.futures(derivation, &created)).collect();
            // The frame of a process that does not exist yet cannot be read: its terms may mean anything.
            let of_new = sets.iter().zip(&drafts).map(|(sets, draft)| {
                let all = &sets[draft.start];
                let terms = all.terms.iter().map(|term| term.what.widened(&derivation.objects).accesses);
                terms.fold(all.fixed, Accesses::and)
            });
            let of_new: Vec<Accesses> = of_new.collect();
            if of_new == created {
                let before = drafts.iter().map(|draft| draft.before_rendezvous(derivation, &created)).collect();
                return Futures { sets, before, created };
            }
            created = of_new;
        }
    }

    /// What a process may access from a location on, if it has just written some of its variables.
    pub fn after(&self, derivation: &Derivation<'_>, id: ProctypeId, location: u32, written: Locals) -> TermSet {
        let mut set = TermSet::default();
        set.add_set(&derivation.objects, &self.sets[id.index()][location as usize], unknown(written));
        set
    }

    /// The same, before the first rendezvous.
    pub fn before(&self, derivation: &Derivation<'_>, id: ProctypeId, location: u32, written: Locals) -> Before {
        let known = &self.before[id.index()][location as usize];
        let mut before = Before::default();
        before.set.add_set(&derivation.objects, &known.set, unknown(written));
        before.partners.extend(known.partners.iter().map(|one| {
            let mut set = TermSet::default();
            set.add_set(&derivation.objects, one, unknown(written));
            set
        }));
        before
    }

    /// What a new process of the type may access.
    pub fn created(&self, id: ProctypeId) -> Accesses {
        if Condition::StubbornCreation.is_off() { Accesses::default() } else { self.created[id.index()] }
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
    /// By location: what else is accessed by a process that is there.
    locations: Vec<TermSet>,
    /// By location: the locations that can be reached from it, itself included, in ascending order.
    reached: Vec<Vec<usize>>,
    /// By location, of each transition: where it leads, and its partners if it is one side of a rendezvous.
    exits: Vec<Vec<(usize, Option<TermSet>)>>,
}

impl Draft {
    fn of(derivation: &Derivation<'_>, id: ProctypeId) -> Self {
        let automaton = &derivation.knowledge.model.proctype(id).automaton;
        let mut is_inside = vec![false; automaton.locations.len()];
        for transition in automaton.locations.iter().flat_map(|location| &location.transitions) {
            is_inside[transition.target as usize] |= transition.atomic || transition.merged;
        }
        let transitions = automaton.locations.iter().zip(&is_inside).map(|(location, &is_inside)| {
            let setting = if is_inside { Setting::Inside } else { Setting::First };
            let actions = location.transitions.iter().map(|one| &automaton.statement(one.statement).action);
            actions.map(|action| derivation.statement(id, action, setting)).collect()
        });
        let provided = if Condition::StubbornProvided.is_off() { TermSet::default() } else { derivation.provided(id) };
        let locations = automaton.locations.iter().zip(0..).map(|(location, at)| {
            let mut set = derivation.presence(id, location);
            set.add_fixed(derivation.position(at));
            set.add_set(&derivation.objects, &provided, 0);
            set.add_set(&derivation.objects, &alternatives(derivation, id, &location.transitions), 0);
            set
        });
        let exits = automaton.locations.iter().map(|location| {
            let exits = location.transitions.iter().map(|one| {
                let action = &automaton.statement(one.statement).action;
                (one.target as usize, derivation.partners(id, action))
            });
            exits.collect()
        });
        let reached = (0..automaton.locations.len()).map(|from| {
            let mut reached = reached_from(automaton, from);
            reached.sort_unstable();
            reached
        });
        Draft {
            exits: exits.collect(),
            start: automaton.start as usize,
            transitions: transitions.collect(),
            locations: locations.collect(),
            reached: reached.collect(),
        }
    }

    /// What is accessed from each location on; `created` is what processes of each type may do.
    fn futures(&self, derivation: &Derivation<'_>, created: &[Accesses]) -> Vec<Rc<TermSet>> {
        let objects = &derivation.objects;
        let mut known: HashMap<&[usize], Rc<TermSet>> = HashMap::new();
        let of = |reached: &[usize]| {
            let all = || reached.iter().flat_map(|&at| &self.transitions[at]);
            let written = unknown(all().fold(0, |all, one| all | one.written));
            let mut set = TermSet::default();
            for &at in reached {
                set.add_set(objects, &self.locations[at], written);
            }
            for one in all() {
                set.add_set(objects, &one.set, written);
                if !Condition::StubbornCreation.is_off() {
                    one.creates.iter().for_each(|child| set.add_fixed(created[child.index()]));
                }
            }
            // A rendezvous in the middle of a later step counts as an arrival of both sides.
            set.terms.retain(|term| !matches!(term.what, What::Channel { moves_another: true, .. }));
            set.is_everything = false;
            set
        };
        self.reached
            .iter()
            .map(|reached| known.entry(reached).or_insert_with(|| Rc::new(of(reached))).clone())
            .collect()
    }
}

impl Draft {
    /// What is accessed from each location on, before the first rendezvous.
    fn before_rendezvous(&self, derivation: &Derivation<'_>, created: &[Accesses]) -> Vec<Before> {
        let objects = &derivation.objects;
        let befores = (0..self.exits.len()).map(|from| {
            let (mut reached, mut taken, mut partners) = (vec![from], Vec::new(), Vec::new());
            let mut next = 0;
            while next < reached.len() {
                let at = reached[next];
                next += 1;
                for (access, (target, meets)) in self.transitions[at].iter().zip(&self.exits[at]) {
                    match meets {
                        Some(with) => partners.push(with),
                        None => {
                            taken.push(access);
                            if !reached.contains(target) {
                                reached.push(*target);
                            }
                        }
                    }
                }
            }
            let written = unknown(taken.iter().fold(0, |all, one| all | one.written));
            let mut before = Before::default();
            reached.iter().for_each(|&at| before.set.add_set(objects, &self.locations[at], written));
            for one in taken {
                before.set.add_set(objects, &one.set, written);
                one.creates.iter().for_each(|child| before.set.add_fixed(created[child.index()]));
            }
            before.set.terms.retain(|term| !matches!(term.what, What::Channel { moves_another: true, .. }));
            before.set.is_everything = false;
            before.partners.extend(partners.into_iter().map(|one| {
                let mut set = TermSet::default();
                set.add_set(objects, one, written);
                set
            }));
            before
        });
        befores.collect()
    }
}

/// What is read by the transitions of a location that depend on the guards of others there: an `else`, those beside an escape, and those
/// of a deterministic process, which fails where two are executable.
pub fn alternatives(derivation: &Derivation<'_>, id: ProctypeId, transitions: &[Transition]) -> TermSet {
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

/// The locations that can be reached from one, itself included.
pub fn reached_from(automaton: &Automaton, from: usize) -> Vec<usize> {
    let mut is_reached = vec![false; automaton.locations.len()];
    is_reached[from] = true;
    let mut reached = vec![from];
    let mut next = 0;
    while next < reached.len() {
        for transition in &automaton.locations[reached[next]].transitions {
            // A process that has ended is nowhere.
            let ends = matches!(automaton.statement(transition.statement).action, Action::End);
            let target = transition.target as usize;
            if !ends && !std::mem::replace(&mut is_reached[target], true) {
                reached.push(target);
            }
        }
        next += 1;
    }
    reached
}
