//! The execution of a statement on all values of the cells that it reads, one combination after the other.
//!
//! An execution knows of each cell which of its values can have led here, and what has become of each of them: a relation on the
//! domain of the cell. A test splits the relation by its outcome and follows one part; executing again with other
//! [choices](Choices) follows the others. So a statement reads only what it needs: an index is read before the element, and the
//! right side of `&&` only where the left one holds. The result of an execution is a label: the relations of all cells that
//! were read or written.

use std::collections::HashMap;
use std::hash::Hash;

use homing_core::Cost;
use homing_ir::VarId;

use super::choices::Choices;
use super::space::{CellId, GONE, Kind, NOT_BEGUN, Space};

/// A value, if it is known.
pub type Value = Option<i32>;

/// Why an execution ends early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The statement is not executable.
    Blocked,
    /// An assertion fails.
    Assertion,
    /// A run-time error.
    Fault,
    /// A cell has too many values to be tracked.
    Untracked(CellId),
    /// Something that has no factored form.
    Refused(String),
}

/// A value that led here, and what it has become. [`ANY`] of a cell that was written and not read.
pub type Pair = (u32, u32);

/// Any value.
pub const ANY: u32 = u32::MAX;

/// What the factors do together: the relations of the cells that are not left as they are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Draft {
    pub cost: Cost,
    /// In ascending order of the cells; pairs sorted, without duplicates.
    pub relations: Vec<(CellId, Vec<Pair>)>,
}

/// The message of a rendezvous.
#[derive(Clone, Debug)]
pub struct Offer {
    pub channel: usize,
    pub message: Vec<Value>,
}

/// The pid of an expression that no process evaluates, such as an invariant.
pub const OBSERVER: usize = usize::MAX;

/// An execution under way.
pub struct Trial<'s, 'm> {
    pub space: &'s mut Space<'m>,
    choices: &'s mut Choices,
    /// The cells whose domains the result depends on.
    reads: &'s mut Vec<CellId>,
    /// The process whose statement is executed.
    pub pid: usize,
    relations: Vec<(CellId, Vec<Pair>)>,
    pub offer: Option<Offer>,
    /// Statements of blocks that were executed.
    pub steps: u32,
    /// The values of scratch cells, which are written before they are read.
    pub scratch: HashMap<(VarId, u32), Value>,
}

impl<'s, 'm> Trial<'s, 'm> {
    pub fn new(space: &'s mut Space<'m>, choices: &'s mut Choices, reads: &'s mut Vec<CellId>) -> Self {
        Trial {
            space,
            choices,
            reads,
            pid: OBSERVER,
            relations: Vec::new(),
            offer: None,
            steps: 0,
            scratch: HashMap::new(),
        }
    }

    /// One of so many possibilities.
    pub fn choose(&mut self, options: usize) -> usize {
        self.choices.choose(options)
    }

    /// Notes that the result depends on the domain of a cell.
    pub fn depends_on(&mut self, id: CellId) {
        if !self.reads.contains(&id) {
            self.reads.push(id);
        }
    }

    /// The relation of a cell that is to be read.
    fn relation(&mut self, id: CellId) -> usize {
        if let Some(known) = self.relations.iter().position(|(cell, _)| *cell == id) {
            return known;
        }
        let all = (0..self.space.cell(id).visible).map(|value| (value, value)).collect();
        self.relations.push((id, all));
        self.relations.len() - 1
    }

    fn is_related(&self, id: CellId) -> bool {
        self.relations.iter().any(|(cell, _)| *cell == id)
    }

    /// The value of a cell that has no other, and was not written.
    pub fn only_value(&self, id: CellId) -> Option<&[i32]> {
        let cell = self.space.cell(id);
        (cell.visible == 1 && !self.is_related(id)).then(|| cell.domain.value(0))
    }

    /// Splits the values of a cell by an outcome, and goes on with one part. None if the cell is not tracked.
    pub fn observe<T: Hash + Eq + Clone>(&mut self, id: CellId, outcome: impl Fn(&[i32]) -> T) -> Option<T> {
        if !self.space.cell(id).is_tracked {
            return None;
        }
        self.depends_on(id);
        if let Some(only) = self.only_value(id) {
            return Some(outcome(only));
        }
        let at = self.relation(id);
        self.space.work += self.relations[at].1.len() as u64;
        let domain = &self.space.cells[id.index()].domain;
        let mut outcomes = Outcomes::default();
        let of_pairs: Vec<usize> =
            self.relations[at].1.iter().map(|&(_, now)| outcomes.number(outcome(domain.value(now)))).collect();
        let chosen = self.choices.choose(outcomes.known.len());
        let mut part = of_pairs.iter();
        self.relations[at].1.retain(|_| part.next() == Some(&chosen));
        Some(outcomes.known.swap_remove(chosen))
    }

    /// The number that a cell holds.
    pub fn read(&mut self, id: CellId) -> Value {
        self.observe(id, |value| value[0])
    }

    /// Replaces the content of a cell, which is tracked, by another that depends on it.
    pub fn update(&mut self, id: CellId, after: impl Fn(&[i32]) -> Vec<i32>) -> Result<(), Stopped> {
        self.depends_on(id);
        let at = self.relation(id);
        self.space.work += self.relations[at].1.len() as u64;
        for pair in 0..self.relations[at].1.len() {
            let now = self.relations[at].1[pair].1;
            let content = after(self.space.cell(id).domain.value(now));
            self.relations[at].1[pair].1 = self.space.number(id, &content).ok_or(Stopped::Untracked(id))?;
        }
        Ok(())
    }

    /// Sets the content of a cell.
    pub fn write(&mut self, id: CellId, content: &[i32]) -> Result<(), Stopped> {
        if !self.space.cell(id).is_tracked {
            return Ok(());
        }
        let number = self.space.number(id, content).ok_or(Stopped::Untracked(id))?;
        match self.relations.iter_mut().find(|(cell, _)| *cell == id) {
            Some((_, pairs)) => pairs.iter_mut().for_each(|pair| pair.1 = number),
            None => self.relations.push((id, vec![(ANY, number)])),
        }
        Ok(())
    }

    /// Sets a cell to any of these numbers, or leaves it as it is.
    pub fn blur(&mut self, id: CellId, numbers: &[i32]) -> Result<(), Stopped> {
        if !self.space.cell(id).is_tracked {
            return Ok(());
        }
        let at = self.relation(id);
        self.depends_on(id);
        let mut sources: Vec<u32> = self.relations[at].1.iter().map(|pair| pair.0).collect();
        sources.sort_unstable();
        sources.dedup();
        for &number in numbers {
            let target = self.space.number(id, &[number]).ok_or(Stopped::Untracked(id))?;
            self.relations[at].1.extend(sources.iter().map(|&source| (source, target)));
        }
        self.without_duplicates(at);
        Ok(())
    }

    /// Moves a process from one of its locations to another, or lets it stay, as `targets` says.
    pub fn scatter(&mut self, pid: usize, targets: impl Fn(i32) -> Vec<i32>) -> Result<(), Stopped> {
        let id = self.space.location(pid);
        self.depends_on(id);
        let at = self.relation(id);
        let pairs = std::mem::take(&mut self.relations[at].1);
        let mut moved = Vec::new();
        for (from, now) in pairs {
            let location = self.space.cell(id).domain.value(now)[0];
            for target in targets(location) {
                let target = self.space.number(id, &[target]).expect("locations are few");
                moved.push((from, target));
            }
        }
        self.relations[at].1 = moved;
        self.without_duplicates(at);
        Ok(())
    }

    /// Several edges that may follow a broadcast lead to the same values: without this a relation grows by a factor with each.
    fn without_duplicates(&mut self, at: usize) {
        let pairs = &mut self.relations[at].1;
        pairs.sort_unstable();
        pairs.dedup();
        self.space.work += pairs.len() as u64;
    }

    /// Goes on only where a process stands at a location.
    pub fn stand(&mut self, pid: usize, location: u32) -> Result<(), Stopped> {
        let id = self.space.location(pid);
        self.depends_on(id);
        let visible = self.space.cell(id).visible;
        let found = self.space.cell(id).domain.find(&[location as i32]).filter(|&number| number < visible);
        let Some(number) = found else { return Err(Stopped::Blocked) };
        debug_assert!(!self.is_related(id), "where a process stands is asked first");
        self.relations.push((id, vec![(number, number)]));
        Ok(())
    }

    /// Whether a process exists.
    pub fn is_alive(&mut self, pid: usize) -> bool {
        let id = self.space.location(pid);
        let alive = self.observe(id, |location| location[0] != GONE && location[0] != NOT_BEGUN);
        alive.expect("locations are tracked")
    }

    /// The label of an execution that was finished.
    pub fn finish(mut self, cost: Cost) -> Draft {
        let relations = std::mem::take(&mut self.relations);
        let relations = relations.into_iter().map(|(id, pairs)| (id, self.expanded(id, pairs)));
        Draft { cost, relations: sorted(relations.filter(|(id, pairs)| !self.is_identity(*id, pairs)).collect()) }
    }

    /// The label of an execution that ended in an error: what it tested, without effects.
    pub fn fail(mut self, cost: Cost) -> Draft {
        let relations = std::mem::take(&mut self.relations);
        let relations = relations.into_iter().map(|(id, pairs)| {
            let tested = pairs.into_iter().map(|(from, _)| if from == ANY { (ANY, ANY) } else { (from, from) });
            (id, self.expanded(id, tested.collect()))
        });
        Draft { cost, relations: sorted(relations.filter(|(id, pairs)| !self.is_identity(*id, pairs)).collect()) }
    }

    /// The pairs of a relation without [`ANY`].
    fn expanded(&self, id: CellId, pairs: Vec<Pair>) -> Vec<Pair> {
        let all = 0..self.space.cell(id).domain.len() as u32;
        let expand = |(from, to): Pair| {
            let sources = if from == ANY { all.clone() } else { from..from + 1 };
            sources.map(move |source| (source, if to == ANY { source } else { to }))
        };
        let mut pairs: Vec<Pair> = pairs.into_iter().flat_map(expand).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    fn is_identity(&self, id: CellId, pairs: &[Pair]) -> bool {
        pairs.len() == self.space.cell(id).domain.len() && pairs.iter().all(|(from, to)| from == to)
    }

    /// A cell whose values make this execution one of too many: one with the most values that is no location.
    pub fn widest(space: &Space<'_>, reads: &[CellId]) -> Option<CellId> {
        let candidates = reads.iter().copied().filter(|id| {
            let cell = space.cell(*id);
            !matches!(cell.kind, Kind::Location) && cell.is_tracked && cell.domain.len() > 1
        });
        candidates.max_by_key(|id| space.cell(*id).domain.len())
    }
}

/// Outcomes in the order in which they come up.
struct Outcomes<T> {
    known: Vec<T>,
    /// The numbers of outcomes, once there are many.
    numbers: HashMap<T, usize>,
}

impl<T> Default for Outcomes<T> {
    fn default() -> Self {
        Outcomes { known: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Hash + Eq + Clone> Outcomes<T> {
    /// So many are compared one by one.
    const FEW: usize = 8;

    fn number(&mut self, outcome: T) -> usize {
        let few = &self.known[..self.known.len().min(Self::FEW)];
        if let Some(known) = few.iter().position(|known| *known == outcome) {
            return known;
        }
        let next = self.known.len();
        let number = if next < Self::FEW { next } else { *self.numbers.entry(outcome.clone()).or_insert(next) };
        if number == next {
            self.known.push(outcome);
        }
        number
    }
}

fn sorted(mut relations: Vec<(CellId, Vec<Pair>)>) -> Vec<(CellId, Vec<Pair>)> {
    relations.sort_unstable_by_key(|(id, _)| *id);
    relations
}
