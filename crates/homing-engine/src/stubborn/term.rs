//! Access sets as terms: what is accessed in every state, and what a value that the process knows identifies.

use std::sync::Arc;

use super::access::{Accesses, Ends, Mode, Objects};
use super::known::{Known, Locals, ProcessView};

/// An object that a value identifies.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    pub what: What,
    /// The local variables of the process that the value depends on.
    pub locals: Locals,
    pub index: Known,
}

/// What a value identifies.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A cell of a global variable, whose cells are given.
    Cell { cells: (u32, u32), mode: Mode },
    /// A channel.
    Channel {
        /// What is accessed of a buffered one.
        buffered: Ends,
        /// What is accessed of a rendezvous channel.
        rendezvous: Ends,
        /// A rendezvous in the middle of a step, which moves a process that no access set names.
        moves_another: bool,
    },
}

/// The most terms of a set. Of those beyond, any cell and any channel may be meant, which only loses reduction.
pub const MOST_TERMS: usize = 256;

/// An access set as a term. Sets share their terms: a future has those of all that may follow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TermSet {
    pub fixed: Accesses,
    /// Nothing is known of what is accessed.
    pub is_everything: bool,
    pub terms: Vec<Arc<Term>>,
}

/// The value of a [`TermSet`] in a state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evaluated {
    pub accesses: Accesses,
    pub is_everything: bool,
}

impl TermSet {
    pub fn add_fixed(&mut self, accesses: Accesses) {
        self.fixed = self.fixed.and(accesses);
    }

    /// Whether nothing is accessed.
    pub fn is_empty(&self) -> bool {
        *self == TermSet::default()
    }

    /// Adds a term, unless it is there.
    pub fn add(&mut self, objects: &Objects, term: Term) {
        self.add_shared(objects, &Arc::new(term));
    }

    fn add_shared(&mut self, objects: &Objects, term: &Arc<Term>) {
        if self.terms.iter().any(|known| Arc::ptr_eq(known, term) || known == term) {
            return;
        }
        match self.terms.len() < MOST_TERMS {
            true => self.terms.push(term.clone()),
            false => self.add_widened(objects, term),
        }
    }

    fn add_widened(&mut self, objects: &Objects, term: &Term) {
        let widened = term.what.widened(objects);
        self.add_fixed(widened.accesses);
        self.is_everything |= widened.is_everything;
    }

    /// The set if some local variables are `unknown`.
    pub fn without(&self, objects: &Objects, unknown: Locals) -> TermSet {
        let mut set = TermSet::default();
        set.add_set(objects, self, unknown);
        set
    }

    /// Adds a set whose terms depend on local variables that are `unknown`: then any cell and any channel may be meant.
    pub fn add_set(&mut self, objects: &Objects, other: &TermSet, unknown: Locals) {
        self.add_fixed(other.fixed);
        self.is_everything |= other.is_everything;
        let is_empty = self.terms.is_empty();
        for term in &other.terms {
            if term.locals & unknown != 0 {
                self.add_widened(objects, term);
            } else if is_empty {
                self.terms.push(term.clone()); // the terms of one set are different
            } else {
                self.add_shared(objects, term);
            }
        }
    }

    /// The set in whatever state.
    pub fn widened(&self, objects: &Objects) -> Evaluated {
        let fixed = Evaluated { accesses: self.fixed, is_everything: self.is_everything };
        self.terms.iter().map(|term| term.what.widened(objects)).fold(fixed, Evaluated::and)
    }

    /// The set in a state.
    #[inline]
    pub fn evaluate(&self, objects: &Objects, at: ProcessView<'_>) -> Evaluated {
        let mut all = Evaluated { accesses: self.fixed, is_everything: self.is_everything };
        for term in &self.terms {
            all = all.and(term.evaluate(objects, at));
        }
        all
    }
}

impl Evaluated {
    /// Both.
    #[inline(always)]
    fn and(self, other: Evaluated) -> Evaluated {
        let is_everything = self.is_everything || other.is_everything;
        Evaluated { accesses: self.accesses.and(other.accesses), is_everything }
    }
}

impl Term {
    #[inline]
    fn evaluate(&self, objects: &Objects, at: ProcessView<'_>) -> Evaluated {
        let Some(value) = self.index.value(at) else { return self.what.widened(objects) };
        match self.what {
            What::Cell { cells: (first, count), mode } => match u32::try_from(value) {
                Ok(index) if index < count => {
                    Evaluated { accesses: Accesses::of(objects.cell(first + index), mode), is_everything: false }
                }
                _ => self.what.widened(objects),
            },
            What::Channel { buffered, rendezvous, moves_another } => match at.work.channel(at.layout, value) {
                Ok((_, shape)) if shape.capacity > 0 => {
                    Evaluated { accesses: objects.channel(value, buffered), is_everything: false }
                }
                Ok(_) => Evaluated { accesses: objects.channel(value, rendezvous), is_everything: moves_another },
                Err(_) => self.what.widened(objects),
            },
        }
    }
}

impl What {
    /// Any cell, or any channel of any kind.
    pub fn widened(&self, objects: &Objects) -> Evaluated {
        match *self {
            What::Cell { cells, mode } => {
                Evaluated { accesses: Accesses::of(objects.all_cells(cells), mode), is_everything: false }
            }
            What::Channel { buffered, rendezvous, moves_another } => {
                Evaluated { accesses: objects.any_channel(buffered.and(rendezvous)), is_everything: moves_another }
            }
        }
    }
}
