//! Dynamic slices (Agrawal & Horgan 1990): which steps of a run the values at its end depend on.
//!
//! A run is a graph of definitions: each write of an object, each message and each guard that was passed is one, and it
//! depends on the definitions that it read. A definition stays what it is when its object is written again, so the graph has
//! no cycles, and edges lead to earlier definitions only.
//!
//! Differs from the paper: a guard counts for a definition only if it was the last guard that its process passed
//! ([`Definition::guard`]), and it is followed only where a slice is asked to. In a concurrent program everything before a
//! step in its process controls the step, and a slice of everything explains nothing.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

/// A definition of a [`DependenceGraph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefinitionId(u32);

impl DefinitionId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A value that was given to an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition<O> {
    /// What was defined.
    pub object: O,
    /// The step that defined it; `None` for initial values.
    pub step: Option<usize>,
    /// The value.
    pub value: i32,
    /// The definitions that the value was computed from.
    pub from: Vec<DefinitionId>,
    /// The last guard that the process passed before.
    pub guard: Option<DefinitionId>,
    /// The definition of the same object before this one.
    pub previous: Option<DefinitionId>,
}

/// The definitions of a run, and which of them are current.
#[derive(Clone, Debug)]
pub struct DependenceGraph<O> {
    definitions: Vec<Definition<O>>,
    current: HashMap<O, DefinitionId>,
}

impl<O> Default for DependenceGraph<O> {
    fn default() -> Self {
        DependenceGraph { definitions: Vec::new(), current: HashMap::new() }
    }
}

impl<O: Clone + Eq + Hash> DependenceGraph<O> {
    /// A definition.
    pub fn get(&self, id: DefinitionId) -> &Definition<O> {
        &self.definitions[id.index()]
    }

    /// Adds a definition that is not current for any object: a message, or a guard.
    pub fn add(&mut self, definition: Definition<O>) -> DefinitionId {
        let id = DefinitionId(u32::try_from(self.definitions.len()).expect("fewer than 2^32 definitions in a run"));
        debug_assert!(definition.from.iter().all(|from| *from < id), "a definition depends on earlier ones");
        self.definitions.push(definition);
        id
    }

    /// Adds a definition that is current for its object from now on.
    pub fn define(&mut self, definition: Definition<O>) -> DefinitionId {
        let previous = self.current.get(&definition.object).copied();
        let object = definition.object.clone();
        let id = self.add(Definition { previous, ..definition });
        self.current.insert(object, id);
        id
    }

    /// The current definition of an object; that of its initial value, `value`, if no step defined it.
    pub fn current(&mut self, object: &O, value: i32) -> DefinitionId {
        if let Some(&id) = self.current.get(object) {
            return id;
        }
        let (step, from, guard, previous) = (None, Vec::new(), None, None);
        self.define(Definition { object: object.clone(), step, value, from, guard, previous })
    }

    /// The current definition of an object, if a step defined it or its initial value was read.
    pub fn known(&self, object: &O) -> Option<DefinitionId> {
        self.current.get(object).copied()
    }

    /// Forgets the current definitions of objects that no longer exist.
    pub fn forget(&mut self, is_gone: impl Fn(&O) -> bool) {
        self.current.retain(|object, _| !is_gone(object));
    }

    /// The steps that some definitions depend on by data alone, their own included.
    pub fn slice(&self, roots: impl IntoIterator<Item = DefinitionId>) -> BTreeSet<usize> {
        let mut open: Vec<DefinitionId> = roots.into_iter().collect();
        let (mut seen, mut steps) = (BTreeSet::new(), BTreeSet::new());
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                let definition = self.get(id);
                steps.extend(definition.step);
                open.extend(&definition.from);
            }
        }
        steps
    }

    /// The definition of the same object that came after this one.
    pub fn next(&self, id: DefinitionId) -> Option<DefinitionId> {
        let mut later = self.definitions.iter().skip(id.index() + 1);
        let nth = later.position(|definition| definition.previous == Some(id))?;
        Some(DefinitionId((id.index() + 1 + nth) as u32))
    }

    /// The definitions of an object that count up to this one: as long as each was computed from the one before. The
    /// earliest comes first; all but the first have a step.
    pub fn history(&self, id: DefinitionId) -> Vec<DefinitionId> {
        let mut history = vec![id];
        let mut at = self.get(id);
        while let Some(previous) = at.previous.filter(|previous| at.from.contains(previous)) {
            history.push(previous);
            at = self.get(previous);
        }
        history.reverse();
        history
    }

    /// The definitions of the object of `id` after the one that its value was computed from, directly or not, and before
    /// itself: updates that it overwrote without having read them.
    pub fn overwritten(&self, id: DefinitionId) -> Vec<DefinitionId> {
        let object = &self.get(id).object;
        let Some(read) = self.own_source(id) else { return Vec::new() };
        let mut lost = Vec::new();
        let mut at = self.get(id).previous;
        while let Some(between) = at.filter(|between| *between != read) {
            debug_assert!(self.get(between).object == *object, "an object is followed by its own definitions");
            lost.push(between);
            at = self.get(between).previous;
        }
        lost.reverse();
        lost
    }

    /// The latest definition of the same object that the value was computed from.
    fn own_source(&self, id: DefinitionId) -> Option<DefinitionId> {
        let object = &self.get(id).object;
        let mut open = self.get(id).from.clone();
        let (mut seen, mut latest) = (BTreeSet::new(), None);
        while let Some(source) = open.pop() {
            if !seen.insert(source) {
                continue;
            }
            if self.get(source).object == *object {
                latest = latest.max(Some(source));
            } else {
                open.extend(&self.get(source).from);
            }
        }
        latest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(graph: &mut DependenceGraph<&'static str>, object: &'static str, step: usize, reads: &[&'static str]) {
        let from = reads.iter().map(|read| graph.current(read, 0)).collect();
        let (step, value, guard, previous) = (Some(step), step as i32, None, None);
        graph.define(Definition { object, step, value, from, guard, previous });
    }

    #[test]
    fn a_slice_has_the_writes_that_a_value_depends_on() {
        let mut graph = DependenceGraph::default();
        write(&mut graph, "a", 1, &[]);
        write(&mut graph, "b", 2, &["a"]);
        write(&mut graph, "c", 3, &["d"]); // has nothing to do with it
        write(&mut graph, "a", 4, &[]); // after it was read
        write(&mut graph, "x", 5, &["b", "initial"]);
        let x = graph.current(&"x", 0);
        assert_eq!(graph.slice([x]), BTreeSet::from([1, 2, 5]));
        let d = graph.current(&"d", 7);
        assert_eq!((graph.get(d).step, graph.slice([d])), (None, BTreeSet::new()));
    }

    #[test]
    fn the_history_of_a_counter_has_all_its_writers() {
        let mut graph = DependenceGraph::default();
        for step in [3, 5, 9] {
            write(&mut graph, "n", step, &["n"]);
        }
        let steps = |graph: &DependenceGraph<&str>| -> Vec<Option<usize>> {
            let n = graph.known(&"n").expect("defined");
            graph.history(n).into_iter().map(|id| graph.get(id).step).collect()
        };
        assert_eq!(steps(&graph), [None, Some(3), Some(5), Some(9)]);
        write(&mut graph, "n", 10, &[]);
        assert_eq!(steps(&graph), [Some(10)], "what was overwritten does not count");
    }

    #[test]
    fn a_lost_update_is_found() {
        let mut graph = DependenceGraph::default();
        write(&mut graph, "t", 1, &["balance"]);
        write(&mut graph, "u", 2, &["balance"]);
        write(&mut graph, "balance", 3, &["t"]);
        write(&mut graph, "balance", 4, &["u"]);
        let last = graph.known(&"balance").expect("defined");
        let lost: Vec<Option<usize>> = graph.overwritten(last).into_iter().map(|id| graph.get(id).step).collect();
        assert_eq!(lost, [Some(3)]);
        write(&mut graph, "balance", 5, &["balance"]);
        let last = graph.known(&"balance").expect("defined");
        assert!(graph.overwritten(last).is_empty());
    }

    #[test]
    fn objects_of_a_process_that_ended_are_forgotten() {
        let mut graph = DependenceGraph::default();
        write(&mut graph, "local", 1, &[]);
        graph.forget(|object| *object == "local");
        let local = graph.current(&"local", 0);
        assert_eq!(graph.get(local).step, None);
    }
}
