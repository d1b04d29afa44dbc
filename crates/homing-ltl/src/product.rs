//! Words that two automata have in common: intersection and emptiness.

use std::collections::VecDeque;

use crate::automaton::{Automaton, Edge};
use crate::emptiness::{Graph, has_accepting_cycle};
use crate::formula::Lasso;
use homing_core::Components;

/// An automaton, perhaps with two states joined: the state that is kept has the edges of both.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub automaton: &'a Automaton,
    pub joined: Option<Joined>,
}

/// Two states that are looked at as one.
#[derive(Clone, Copy)]
pub(crate) struct Joined {
    pub kept: usize,
    pub removed: usize,
    /// Marks that all edges of the joined state have in addition.
    pub marks: u32,
}

impl<'a> View<'a> {
    fn plain(automaton: &'a Automaton) -> Self {
        View { automaton, joined: None }
    }

    fn represented(self, state: usize) -> usize {
        match self.joined {
            Some(joined) if state == joined.removed => joined.kept,
            _ => state,
        }
    }

    /// The edges out of a state, with their marks.
    fn edges(self, state: usize) -> impl Iterator<Item = (&'a Edge, u32)> + Clone {
        let joined = self.joined.filter(|joined| joined.kept == state);
        let others = joined.map(|joined| &self.automaton.states[joined.removed]).into_iter().flatten();
        let marks = joined.map_or(0, |joined| joined.marks);
        self.automaton.states[state].iter().chain(others).map(move |edge| (edge, edge.marks | marks))
    }
}

/// The reachable part of the synchronous product of two automata. A run is accepting iff both its projections are.
struct Product<'a> {
    left: View<'a>,
    right: &'a Automaton,
    pairs: Vec<(usize, usize)>,
    /// The edges out of each pair.
    steps: Vec<Vec<Step<'a>>>,
}

struct Step<'a> {
    left: &'a Edge,
    right: &'a Edge,
    /// Marks of the left automaton, then those of the right one.
    marks: u64,
    target: usize,
}

impl<'a> Product<'a> {
    fn new(left: View<'a>, right: &'a Automaton) -> Self {
        let sets = left.automaton.sets;
        assert_eq!(left.automaton.propositions, right.propositions, "automata over the same propositions");
        let first = (left.represented(left.automaton.initial), right.initial);
        let mut product = Product { left, right, pairs: vec![first], steps: Vec::new() };
        let mut known = vec![u32::MAX; left.automaton.states.len() * right.states.len()];
        let place = |p: usize, q: usize| p * right.states.len() + q;
        known[place(first.0, first.1)] = 0;
        while let Some(&(p, q)) = product.pairs.get(product.steps.len()) {
            let mut steps = Vec::new();
            for (a, marks) in left.edges(p) {
                let p = left.represented(a.target);
                for b in right.states[q].iter().filter(|b| a.letters.intersects(&b.letters)) {
                    let number = &mut known[place(p, b.target)];
                    if *number == u32::MAX {
                        *number = product.pairs.len() as u32;
                        product.pairs.push((p, b.target));
                    }
                    let marks = u64::from(marks) | u64::from(b.marks) << sets;
                    steps.push(Step { left: a, right: b, marks, target: *number as usize });
                }
            }
            product.steps.push(steps);
        }
        product
    }

    fn all_marks(&self) -> u64 {
        u64::from(self.left.automaton.all_marks()) | u64::from(self.right.all_marks()) << self.left.automaton.sets
    }

    /// The pairs of a component with an accepting cycle, if there is one.
    fn accepting_component(&self) -> Option<Vec<bool>> {
        let components = Components::new(self.pairs.len(), |pair, at| self.steps[pair].get(at).map(|step| step.target));
        let mut marks: Vec<Option<u64>> = vec![None; components.count];
        for (pair, steps) in self.steps.iter().enumerate() {
            let component = components.of[pair];
            for step in steps.iter().filter(|step| components.of[step.target] == component) {
                *marks[component].get_or_insert(0) |= step.marks;
            }
        }
        let accepting = marks.iter().position(|&marks| marks == Some(self.all_marks()))?;
        Some(components.of.iter().map(|&component| component == accepting).collect())
    }

    /// A word that both automata accept.
    fn word(&self) -> Option<Lasso> {
        let inside = self.accepting_component()?;
        let anywhere = vec![true; self.pairs.len()];
        let (stem, entry) =
            if inside[0] { (Vec::new(), 0) } else { self.path(0, &anywhere, |_, step| inside[step.target]) };
        let (mut cycle, mut at, mut missing) = (Vec::new(), entry, self.all_marks());
        while missing != 0 {
            let (path, end) = self.path(at, &inside, |_, step| step.marks & missing != 0);
            missing &= !path.iter().fold(0, |marks, &(pair, step)| marks | self.steps[pair][step].marks);
            cycle.extend(path);
            at = end;
        }
        if at != entry || cycle.is_empty() {
            let (path, _) = self.path(at, &inside, |_, step| step.target == entry);
            cycle.extend(path);
        }
        Some(Lasso { stem: self.letters(&stem), cycle: self.letters(&cycle) })
    }

    /// A shortest path of at least one step from a pair, through pairs that are `inside`, whose last step is a goal;
    /// with the pair at its end. There must be one.
    fn path(
        &self,
        start: usize,
        inside: &[bool],
        is_goal: impl Fn(usize, &Step) -> bool,
    ) -> (Vec<(usize, usize)>, usize) {
        let mut parents: Vec<Option<(usize, usize)>> = vec![None; self.pairs.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(pair) = queue.pop_front() {
            let steps = self.steps[pair].iter().enumerate().filter(|(_, step)| inside[step.target]);
            for (index, step) in steps {
                if is_goal(pair, step) {
                    let mut path = vec![(pair, index)];
                    while let Some(parent) = parents[path[path.len() - 1].0].filter(|_| path[path.len() - 1].0 != start)
                    {
                        path.push(parent);
                    }
                    path.reverse();
                    return (path, step.target);
                }
                if parents[step.target].is_none() {
                    parents[step.target] = Some((pair, index));
                    queue.push_back(step.target);
                }
            }
        }
        unreachable!("the goal is reachable")
    }

    fn letters(&self, path: &[(usize, usize)]) -> Vec<u64> {
        let letter = |&(pair, step): &(usize, usize)| {
            let step = &self.steps[pair][step];
            step.left.letters.and(&step.right.letters).any().expect("a step has a letter")
        };
        path.iter().map(letter).collect()
    }
}

/// The pairs of two automata, found as they are needed.
struct Pairs<'a> {
    left: View<'a>,
    right: &'a Automaton,
}

impl Pairs<'_> {
    fn number(&self, p: usize, q: usize) -> usize {
        self.left.represented(p) * self.right.states.len() + q
    }
}

impl Graph for Pairs<'_> {
    fn nodes(&self) -> usize {
        self.left.automaton.states.len() * self.right.states.len()
    }

    fn successors(&self, node: usize, out: &mut Vec<(usize, u64)>) {
        let (p, q) = (node / self.right.states.len(), node % self.right.states.len());
        for (a, marks) in self.left.edges(p) {
            for b in self.right.states[q].iter().filter(|b| a.letters.intersects(&b.letters)) {
                let marks = u64::from(marks) | u64::from(b.marks) << self.left.automaton.sets;
                out.push((self.number(a.target, b.target), marks));
            }
        }
    }
}

impl View<'_> {
    /// Whether no word is accepted by both automata.
    pub(crate) fn is_disjoint(self, other: &Automaton) -> bool {
        assert_eq!(self.automaton.propositions, other.propositions, "automata over the same propositions");
        let pairs = Pairs { left: self, right: other };
        let all = u64::from(self.automaton.all_marks()) | u64::from(other.all_marks()) << self.automaton.sets;
        !has_accepting_cycle(&pairs, pairs.number(self.automaton.initial, other.initial), all)
    }
}

/// The pairs of a state and a position in a word.
struct Reading<'a> {
    automaton: &'a Automaton,
    word: &'a Lasso,
}

impl Reading<'_> {
    fn length(&self) -> usize {
        self.word.stem.len() + self.word.cycle.len()
    }
}

impl Graph for Reading<'_> {
    fn nodes(&self) -> usize {
        self.automaton.states.len() * self.length()
    }

    fn successors(&self, node: usize, out: &mut Vec<(usize, u64)>) {
        let (state, at) = (node / self.length(), node % self.length());
        let entry = self.word.stem.len();
        let letter = if at < entry { self.word.stem[at] } else { self.word.cycle[at - entry] };
        let next = if at + 1 == self.length() { entry } else { at + 1 };
        let edges = self.automaton.states[state].iter().filter(|edge| edge.letters.contains(letter));
        out.extend(edges.map(|edge| (edge.target * self.length() + next, u64::from(edge.marks))));
    }
}

impl Automaton {
    /// Whether no word is accepted by both automata.
    pub fn is_disjoint(&self, other: &Automaton) -> bool {
        View::plain(self).is_disjoint(other)
    }

    /// A word that both automata accept; `None` if there is none.
    pub fn common_word(&self, other: &Automaton) -> Option<Lasso> {
        Product::new(View::plain(self), other).word()
    }

    /// Whether the automaton accepts no word.
    pub fn is_empty(&self) -> bool {
        self.is_disjoint(&Automaton::universal(self.propositions))
    }

    /// A word that the automaton accepts; `None` if there is none.
    pub fn accepted_word(&self) -> Option<Lasso> {
        self.common_word(&Automaton::universal(self.propositions))
    }

    /// Whether the automaton accepts a word.
    ///
    /// # Panics
    /// If the cycle of the word is empty.
    pub fn accepts(&self, word: &Lasso) -> bool {
        assert!(!word.cycle.is_empty(), "an infinite word has a cycle");
        let reading = Reading { automaton: self, word };
        has_accepting_cycle(&reading, self.initial * reading.length(), u64::from(self.all_marks()))
    }

    /// The automaton of the words that both accept.
    ///
    /// # Panics
    /// If the automata have more than [`Automaton::MOST_SETS`] acceptance sets together; degeneralise one of them then.
    pub fn intersection(&self, other: &Automaton) -> Automaton {
        let sets = self.sets + other.sets;
        assert!(sets <= Self::MOST_SETS, "{sets} acceptance sets are too many");
        let product = Product::new(View::plain(self), other);
        let edge = |step: &Step| Edge {
            letters: step.left.letters.and(&step.right.letters),
            marks: step.marks as u32,
            target: step.target,
        };
        let states = product.steps.iter().map(|steps| steps.iter().map(edge).collect());
        Automaton { propositions: self.propositions, sets, initial: 0, states: states.collect() }
    }

    /// The components of the automaton, unreachable states included.
    pub fn components(&self) -> Components {
        Components::new(self.states.len(), |state, at| self.states[state].get(at).map(|edge| edge.target))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::letters::Letters;

    fn edge(letters: &Letters, marks: u32, target: usize) -> Edge {
        Edge { letters: letters.clone(), marks, target }
    }

    /// Infinitely often `p`, and infinitely often not.
    fn changing() -> Automaton {
        let p = Letters::proposition(1, 0);
        let states = vec![vec![edge(&p, 1, 0), edge(&p.not(), 2, 0)]];
        Automaton { propositions: 1, sets: 2, initial: 0, states }
    }

    #[test]
    fn words_of_all_sets() {
        let automaton = changing();
        let word = |stem: &[u64], cycle: &[u64]| Lasso { stem: stem.to_vec(), cycle: cycle.to_vec() };
        assert!(automaton.accepts(&word(&[], &[1, 0])) && automaton.accepts(&word(&[1, 1], &[0, 0, 1])));
        assert!(!automaton.accepts(&word(&[1, 0], &[1])) && !automaton.accepts(&word(&[0], &[0])));
        let found = automaton.accepted_word().expect("not empty");
        assert!(automaton.accepts(&found), "{found:?}");
        assert!(!automaton.is_empty() && Automaton::empty(1).is_empty());
    }

    #[test]
    fn intersections() {
        let p = Letters::proposition(1, 0);
        let always = Automaton { propositions: 1, sets: 0, initial: 0, states: vec![vec![edge(&p, 0, 0)]] };
        let delayed = Automaton {
            propositions: 1,
            sets: 0,
            initial: 0,
            states: vec![vec![edge(&Letters::all(1), 0, 0), edge(&p, 0, 1)], vec![edge(&p, 0, 1)]],
        };
        assert!(changing().is_disjoint(&always) && !changing().is_disjoint(&delayed));
        let word = changing().common_word(&delayed).expect("one");
        assert!(changing().accepts(&word) && delayed.accepts(&word));
        let both = changing().intersection(&delayed);
        assert!(both.accepts(&word) && both.sets == 2 && both.states.len() == 2);
    }
}
