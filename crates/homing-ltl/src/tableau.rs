//! The tableau construction of Couvreur 1999: from a formula to a generalised Büchi automaton with marks on its edges.
//!
//! A state is a set of formulas that must hold from there on. Its edges come from the disjunctive normal form of the
//! formulas after one step: a term has the letters read now, the formulas that must hold next, and the promises it
//! makes. Postponing the right side of an `U` makes a promise; acceptance set i has the edges that do not make promise
//! i.
//!
//! Below `G` a formula is *recurring*: `G` requires it again in the next state anyway, so that `F` and `U` are not
//! repeated in the next set. That holds through conjunctions only: a disjunction may choose another operand in the next
//! state.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use rapidhash::fast::RandomState;

use crate::automaton::{Automaton, Edge};
use crate::letters::Letters;
use crate::nnf::{Arena, Id, Nnf, Side};

/// The formula has too many promises for the construction, or takes more work than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceeded;

/// How much work a construction may take, about in pairs of terms that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// For an automaton that must be found.
    Full,
    /// For an automaton that helps to make another one smaller.
    Modest,
}

impl Effort {
    fn work(self) -> usize {
        match self {
            Effort::Full => 10_000_000,
            Effort::Modest => 1_000_000,
        }
    }
}

/// A disjunct of what a formula means in a state and the next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Term {
    letters: Letters,
    /// The formulas that must hold next, in ascending order.
    next: Vec<Id>,
    /// The promises made, as bits.
    promises: u32,
    /// A hash of `next` as a set: a superset has all its bits.
    signature: u64,
}

impl Term {
    fn new(letters: Letters, next: Vec<Id>, promises: u32) -> Self {
        let signature = next.iter().fold(0, |signature, id| signature | id.signature());
        Term { letters, next, promises, signature }
    }

    /// Whether this term is at least as good as another for the letters of both: it demands no more.
    fn dominates(&self, other: &Term) -> bool {
        self.promises & !other.promises == 0
            && self.signature & !other.signature == 0
            && is_subset(&self.next, &other.next)
    }
}

/// Whether all elements of `a` are in `b`; both are ascending.
fn is_subset(a: &[Id], b: &[Id]) -> bool {
    a.len() <= b.len() && a.iter().all(|id| b.binary_search(id).is_ok())
}

struct Tableau<'a> {
    arena: &'a mut Arena,
    /// What each formula means, by whether it is recurring.
    expansions: HashMap<(Id, bool), Rc<Vec<Term>>, RandomState>,
    /// The promises by the formula that is promised.
    promises: Vec<Id>,
    /// How much work may still be done.
    work: usize,
}

/// The automaton of a formula.
pub fn translate(arena: &mut Arena, formula: Id, effort: Effort) -> Result<Automaton, Exceeded> {
    let (expansions, promises, work) = (HashMap::default(), Vec::new(), effort.work());
    let mut tableau = Tableau { arena, expansions, promises, work };
    tableau.automaton(formula)
}

impl Tableau<'_> {
    fn automaton(&mut self, formula: Id) -> Result<Automaton, Exceeded> {
        let mut numbers: HashMap<Vec<Id>, usize, RandomState> = HashMap::default();
        let mut by_terms: HashMap<Rc<Vec<Term>>, usize, RandomState> = HashMap::default();
        let first = self.conjuncts(formula);
        numbers.insert(first.clone(), 0);
        let mut sets = vec![first];
        let mut expanded: Vec<Vec<(Term, usize)>> = Vec::new();
        let mut same_as: Vec<usize> = Vec::new();
        while let Some(set) = sets.get(expanded.len()).cloned() {
            let terms = Rc::new(self.expand_set(&set)?);
            let state = expanded.len();
            let original = *by_terms.entry(Rc::clone(&terms)).or_insert(state);
            same_as.push(original);
            let mut edges = Vec::new();
            for term in terms.iter().filter(|_| original == state) {
                let known = numbers.get(&term.next).copied();
                let target = known.unwrap_or_else(|| {
                    numbers.insert(term.next.clone(), sets.len());
                    sets.push(term.next.clone());
                    sets.len() - 1
                });
                edges.push((term.clone(), target));
            }
            self.charge(100 * edges.len())?; // later stages compare edges with each other
            expanded.push(edges);
        }
        let all = u32::MAX.checked_shr(Automaton::MOST_SETS - self.promises.len() as u32).unwrap_or(0);
        let edge = |(term, target): (Term, usize)| Edge {
            letters: term.letters,
            marks: all & !term.promises,
            target: same_as[target],
        };
        let states = expanded.into_iter().map(|edges| edges.into_iter().map(edge).collect()).collect();
        let propositions = self.arena.propositions();
        Ok(Automaton { propositions, sets: self.promises.len() as u32, initial: 0, states })
    }

    /// The operands of a conjunction, or the formula itself; nothing for true.
    fn conjuncts(&self, formula: Id) -> Vec<Id> {
        match self.arena.node(formula) {
            Nnf::And(operands) => operands.to_vec(),
            Nnf::Letters(letters) if letters.is_all() => Vec::new(),
            _ => vec![formula],
        }
    }

    fn expand_set(&mut self, set: &[Id]) -> Result<Vec<Term>, Exceeded> {
        let mut terms = vec![self.free_term()];
        for &formula in set {
            let expansion = self.expand(formula, false)?;
            terms = self.both(&terms, &expansion)?;
        }
        Ok(terms)
    }

    /// The term that demands nothing.
    fn free_term(&self) -> Term {
        Term::new(Letters::all(self.arena.propositions()), Vec::new(), 0)
    }

    /// The terms of a formula. The recursion is as deep as the formula, whose size is limited.
    fn expand(&mut self, formula: Id, recurring: bool) -> Result<Rc<Vec<Term>>, Exceeded> {
        if let Some(known) = self.expansions.get(&(formula, recurring)) {
            return Ok(Rc::clone(known));
        }
        let terms = match self.arena.node(formula).clone() {
            Nnf::Letters(letters) => {
                let is_possible = !letters.is_empty();
                is_possible.then_some(Term { letters, ..self.free_term() }).into_iter().collect()
            }
            Nnf::And(operands) => {
                let mut terms = vec![self.free_term()];
                for &operand in &operands {
                    let expansion = self.expand(operand, recurring)?;
                    terms = self.both(&terms, &expansion)?;
                }
                terms
            }
            Nnf::Or(operands) => {
                let mut terms = Vec::new();
                for &operand in &operands {
                    terms.extend_from_slice(&self.expand(operand, false)?);
                }
                self.reduced(terms)?
            }
            Nnf::Next(a) => self.later(a, None)?,
            Nnf::Eventually(a) => {
                let rest = if recurring { None } else { Some(formula) };
                self.promised(a, None, rest)?
            }
            Nnf::Always(a) => {
                let now = self.expand(a, true)?;
                let later = self.later(formula, None)?;
                self.both(&now, &later)?
            }
            Nnf::Until(a, b) => {
                let rest = match (recurring, self.arena.facts(a).universal) {
                    (true, _) => None,
                    (false, true) => Some(self.arena.make(Side::Plain, Nnf::Eventually(b))),
                    (false, false) => Some(formula),
                };
                self.promised(b, Some(a), rest)?
            }
            Nnf::WeakUntil(a, b) => {
                let held = self.expand(a, false)?;
                let later = self.later(formula, None)?;
                let mut terms = self.both(&held, &later)?;
                terms.extend_from_slice(&self.expand(b, false)?);
                self.reduced(terms)?
            }
            Nnf::Release(a, b) => self.released(a, b, formula, None)?,
            Nnf::StrongRelease(a, b) => {
                let promise = self.promise(a)?;
                self.released(a, b, formula, Some(promise))?
            }
        };
        let terms = Rc::new(terms);
        self.expansions.insert((formula, recurring), Rc::clone(&terms));
        Ok(terms)
    }

    /// `goal` now; or a promise of it, with `held` now and `rest` next.
    fn promised(&mut self, goal: Id, held: Option<Id>, rest: Option<Id>) -> Result<Vec<Term>, Exceeded> {
        let promise = self.promise(goal)?;
        let mut terms = match rest {
            Some(rest) => self.later(rest, Some(promise))?,
            None => vec![Term { promises: 1 << promise, ..self.free_term() }],
        };
        if let Some(held) = held {
            let held = self.expand(held, false)?;
            terms = self.both(&held, &terms)?;
        }
        terms.extend_from_slice(&self.expand(goal, false)?);
        self.reduced(terms)
    }

    /// `b` now; and `a` now, or `formula` next, perhaps with a promise.
    fn released(&mut self, a: Id, b: Id, formula: Id, promise: Option<u32>) -> Result<Vec<Term>, Exceeded> {
        let mut ends = self.later(formula, promise)?;
        ends.extend_from_slice(&self.expand(a, false)?);
        let ends = self.reduced(ends)?;
        let held = self.expand(b, false)?;
        self.both(&held, &ends)
    }

    /// A formula next.
    fn later(&self, formula: Id, promise: Option<u32>) -> Result<Vec<Term>, Exceeded> {
        if self.arena.is_falsity(formula) {
            return Ok(Vec::new());
        }
        let promises = promise.map_or(0, |promise| 1 << promise);
        Ok(vec![Term::new(Letters::all(self.arena.propositions()), self.conjuncts(formula), promises)])
    }

    /// The number of a promise. What `F b`, `a U b` and `b M a` promise is the same, so that they share acceptance sets
    /// with `b`.
    fn promise(&mut self, mut goal: Id) -> Result<u32, Exceeded> {
        while let Nnf::Eventually(b) | Nnf::Until(_, b) | Nnf::StrongRelease(b, _) = *self.arena.node(goal) {
            goal = b;
        }
        let known = self.promises.iter().position(|&promise| promise == goal);
        let number = known.unwrap_or_else(|| {
            self.promises.push(goal);
            self.promises.len() - 1
        });
        if self.promises.len() > Automaton::MOST_SETS as usize { Err(Exceeded) } else { Ok(number as u32) }
    }

    /// Counts work, more for larger sets of letters.
    fn charge(&mut self, work: usize) -> Result<(), Exceeded> {
        let factor = match self.arena.propositions() {
            0..=6 => 1,
            7..=10 => 2,
            _ => 6,
        };
        self.work = self.work.checked_sub(factor * work).ok_or(Exceeded)?;
        Ok(())
    }

    /// The conjunction of two disjunctions of terms.
    fn both(&mut self, a: &[Term], b: &[Term]) -> Result<Vec<Term>, Exceeded> {
        self.charge(a.len() * b.len())?;
        let mut terms = Vec::new();
        for x in a {
            for y in b {
                let letters = x.letters.and(&y.letters);
                if letters.is_empty() {
                    continue;
                }
                let Some(next) = self.union(&x.next, &y.next)? else { continue };
                terms.push(Term::new(letters, next, x.promises | y.promises));
            }
        }
        self.reduced(terms)
    }

    /// All formulas of two sets, without those that others imply; `None` if two exclude each other. A formula with a
    /// promise stays although another implies it: if it were renewed and dropped in each step, its promise would be
    /// made for ever.
    fn union(&mut self, a: &[Id], b: &[Id]) -> Result<Option<Vec<Id>>, Exceeded> {
        if is_subset(a, b) {
            return Ok(Some(b.to_vec()));
        }
        if is_subset(b, a) {
            return Ok(Some(a.to_vec()));
        }
        let mut all = [a, b].concat();
        all.sort_unstable();
        all.dedup();
        self.charge(all.len() * all.len() / 4)?;
        for (at, &x) in all.iter().enumerate() {
            for &y in &all[at + 1..] {
                if self.arena.are_exclusive(x, y) {
                    return Ok(None);
                }
            }
        }
        // one after the other, so that of formulas which imply each other one stays
        for at in (0..all.len()).rev() {
            let id = all[at];
            if self.arena.facts(id).has_promise {
                continue;
            }
            if all.iter().any(|&other| other != id && self.arena.implies(Side::Plain, other, id)) {
                all.remove(at);
            }
        }
        Ok(Some(all))
    }

    /// The terms with letters joined where the rest is the same, without those letters for which another term is
    /// better.
    fn reduced(&mut self, terms: Vec<Term>) -> Result<Vec<Term>, Exceeded> {
        self.charge(terms.len() + terms.len() * terms.len() / 16)?;
        let mut joined: Vec<Term> = Vec::with_capacity(terms.len());
        let mut places: HashMap<(Vec<Id>, u32), usize, RandomState> = HashMap::default();
        for term in terms {
            match places.entry((term.next.clone(), term.promises)) {
                Entry::Occupied(place) => {
                    let known = &mut joined[*place.get()];
                    known.letters = known.letters.or(&term.letters);
                }
                Entry::Vacant(place) => {
                    place.insert(joined.len());
                    joined.push(term);
                }
            }
        }
        let mut kept = Vec::with_capacity(joined.len());
        for (at, term) in joined.iter().enumerate() {
            let better = joined.iter().enumerate().filter(|(other, better)| *other != at && better.dominates(term));
            let letters = better.fold(term.letters.clone(), |letters, (_, better)| letters.and_not(&better.letters));
            if !letters.is_empty() {
                kept.push(Term { letters, ..term.clone() });
            }
        }
        kept.sort_by(|a, b| (&a.next, a.promises).cmp(&(&b.next, b.promises)));
        Ok(kept)
    }
}
