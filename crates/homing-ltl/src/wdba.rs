//! Minimal weak deterministic Büchi automata (Dax, Eisinger & Klaedtke 2007) of obligation properties, which include
//! all safety and guarantee properties.
//!
//! If a weak deterministic automaton of the language exists, the powerset of any automaton is one, with the right
//! choice of accepting components. So the choice is made by testing one cycle of each component, the result is
//! minimised as a finite automaton after its states got the colours of Löding 2001, and both inclusions are checked in
//! the end.

use std::collections::{HashMap, VecDeque};

use rapidhash::fast::RandomState;

use crate::automaton::{Automaton, Edge};
use crate::formula::Lasso;
use crate::letters::{Cube, Letters};
use homing_core::Components;

/// The largest number of sets of states in the powerset.
const MOST_SUBSETS: usize = 1_500;

/// The largest number of transitions of the powerset.
const MOST_TRANSITIONS: usize = 200_000;

/// A complete deterministic automaton over classes of letters.
struct Deterministic {
    /// Letters of one class are on the same edges everywhere.
    classes: Vec<Letters>,
    /// The target of each state and class. State 0 is initial.
    targets: Vec<Vec<usize>>,
    accepting: Vec<bool>,
}

/// The minimal weak deterministic Büchi automaton of a language, trimmed and with marks on states. `None` if there is
/// none, or if it takes too many states to find out. `negation` must accept the complement.
pub fn minimal_wdba(automaton: &Automaton, negation: &Automaton) -> Option<Automaton> {
    let mut powerset = Deterministic::powerset(automaton)?;
    powerset.choose_acceptance(automaton);
    powerset.colour();
    let minimal = powerset.minimised();
    let (accepted, rejected) = (minimal.automaton(|accepting| accepting), minimal.automaton(|accepting| !accepting));
    let is_equal = accepted.is_disjoint(negation) && rejected.is_disjoint(automaton);
    is_equal.then(|| accepted.trimmed_by(crate::trim::Acceptance::States))
}

/// The largest number of letter classes.
const MOST_CLASSES: usize = 1 << 10;

/// The largest number of times that a class is split by a label.
const MOST_SPLITS: usize = 100_000;

/// A partition of all letters such that each edge reads all letters of a class or none, the coarsest if it is found
/// quickly; `None` if there are too many classes.
fn letter_classes(automaton: &Automaton) -> Option<Vec<Letters>> {
    let mut labels: Vec<&Letters> = automaton.states.iter().flatten().map(|edge| &edge.letters).collect();
    labels.sort_unstable();
    labels.dedup();
    let mut classes = vec![Letters::all(automaton.propositions)];
    let mut splits = MOST_SPLITS;
    for label in labels {
        let Some(rest) = splits.checked_sub(classes.len()) else { return single_letters(automaton.propositions) };
        splits = rest;
        let split = |class: Letters| [class.and(label), class.and_not(label)];
        classes = classes.into_iter().flat_map(split).filter(|class| !class.is_empty()).collect();
        if classes.len() > MOST_CLASSES {
            return None;
        }
    }
    Some(classes)
}

/// A class for each letter; `None` if there are too many.
fn single_letters(propositions: usize) -> Option<Vec<Letters>> {
    let count = 1_u64.checked_shl(propositions as u32).filter(|&count| count <= MOST_CLASSES as u64)?;
    let all = count - 1;
    let class = |letter: u64| Letters::cube(propositions, Cube { positive: letter, negative: all & !letter });
    Some((0..count).map(class).collect())
}

impl Deterministic {
    fn powerset(automaton: &Automaton) -> Option<Self> {
        let classes = letter_classes(automaton)?;
        let letters: Vec<u64> = classes.iter().map(|class| class.any().expect("no class is empty")).collect();
        let first = vec![automaton.initial];
        let mut numbers: HashMap<Vec<usize>, usize, RandomState> = HashMap::from_iter([(first.clone(), 0)]);
        let mut subsets = vec![first];
        let mut targets: Vec<Vec<usize>> = Vec::new();
        while let Some(subset) = subsets.get(targets.len()).cloned() {
            let mut row = Vec::with_capacity(letters.len());
            for &letter in &letters {
                let edges = subset.iter().flat_map(|&state| &automaton.states[state]);
                let read = edges.filter(|edge| edge.letters.contains(letter));
                let mut next: Vec<usize> = read.map(|edge| edge.target).collect();
                next.sort_unstable();
                next.dedup();
                row.push(*numbers.entry(next).or_insert_with_key(|next| {
                    subsets.push(next.clone());
                    subsets.len() - 1
                }));
            }
            targets.push(row);
            if subsets.len() > MOST_SUBSETS || targets.len() * letters.len() > MOST_TRANSITIONS {
                return None;
            }
        }
        let accepting = vec![false; targets.len()];
        Some(Deterministic { classes, targets, accepting })
    }

    fn components(&self) -> Components {
        Components::new(self.targets.len(), |state, at| self.targets[state].get(at).copied())
    }

    /// Makes the states of each component accepting iff the automaton accepts a word that ends in a cycle of it.
    fn choose_acceptance(&mut self, automaton: &Automaton) {
        let components = self.components();
        let mut verdicts: Vec<Option<bool>> = vec![None; components.count];
        for state in 0..self.targets.len() {
            let component = components.of[state];
            let verdict = *verdicts[component].get_or_insert_with(|| {
                let inside = |target: usize| components.of[target] == component;
                let cycle = self.path(state, state, inside);
                cycle.is_some_and(|cycle| {
                    let stem = if state == 0 { Some(Vec::new()) } else { self.path(0, state, |_| true) };
                    automaton.accepts(&Lasso { stem: stem.expect("all states are reachable"), cycle })
                })
            });
            self.accepting[state] = verdict;
        }
    }

    /// The letters of a shortest path with at least one step.
    fn path(&self, start: usize, end: usize, inside: impl Fn(usize) -> bool) -> Option<Vec<u64>> {
        let mut parents: Vec<Option<(usize, usize)>> = vec![None; self.targets.len()];
        let mut queue = VecDeque::from([start]);
        while parents[end].is_none() {
            let state = queue.pop_front()?;
            for (class, &target) in self.targets[state].iter().enumerate().filter(|(_, target)| inside(**target)) {
                if parents[target].is_none() {
                    parents[target] = Some((state, class));
                    queue.push_back(target);
                }
            }
        }
        let mut letters = Vec::new();
        let mut at = end;
        while let Some((parent, class)) = parents[at] {
            letters.push(self.classes[class].any().expect("no class is empty"));
            at = parent;
            if at == start {
                break;
            }
        }
        letters.reverse();
        Some(letters)
    }

    /// Changes which states on no cycle are accepting, so that equivalent states agree (Löding 2001). A colour is even
    /// iff the state is accepting; it is the largest that is not above those of the successors. A rejecting component
    /// without successors gets a colour above that of an accepting one: the paper's choice below it does not give the
    /// minimum.
    fn colour(&mut self) {
        let components = self.components();
        let mut order: Vec<usize> = (0..self.targets.len()).collect();
        order.sort_by_key(|&state| components.of[state]);
        let top = 2 * components.count;
        let mut least: Vec<Option<usize>> = vec![None; components.count]; // over the components that it leads to
        let mut is_cyclic = vec![false; components.count];
        let mut colours = vec![0; components.count];
        for (at, &state) in order.iter().enumerate() {
            let component = components.of[state];
            for &target in &self.targets[state] {
                let other = components.of[target];
                if other == component {
                    is_cyclic[component] = true;
                } else {
                    let colour: usize = colours[other];
                    least[component] = Some(least[component].map_or(colour, |least| least.min(colour)));
                }
            }
            let is_last = order.get(at + 1).is_none_or(|&next| components.of[next] != component);
            if is_last {
                let wanted = usize::from(!self.accepting[state]);
                colours[component] = match least[component] {
                    None => top + wanted,
                    Some(least) if !is_cyclic[component] || least % 2 == wanted => least,
                    Some(least) => least - 1,
                };
            }
        }
        for (state, accepting) in self.accepting.iter_mut().enumerate() {
            *accepting = colours[components.of[state]].is_multiple_of(2);
        }
    }

    /// The quotient by the coarsest partition that agrees on acceptance and targets (Moore 1956).
    fn minimised(&self) -> Deterministic {
        let mut blocks: Vec<usize> = self.accepting.iter().map(|&accepting| usize::from(accepting)).collect();
        let mut count = 0;
        loop {
            let mut known: HashMap<(usize, Vec<usize>), usize, RandomState> = HashMap::default();
            let refined: Vec<usize> = (0..self.targets.len())
                .map(|state| {
                    let targets = self.targets[state].iter().map(|&target| blocks[target]).collect();
                    let next = known.len();
                    *known.entry((blocks[state], targets)).or_insert(next)
                })
                .collect();
            blocks = refined;
            if std::mem::replace(&mut count, known.len()) == known.len() {
                break;
            }
        }
        // blocks are numbered by their first states: that of the initial state is 0
        let first = |block: usize| blocks.iter().position(|&other| other == block).expect("no block is empty");
        let firsts: Vec<usize> = (0..count).map(first).collect();
        let targets = |&state: &usize| self.targets[state].iter().map(|&target| blocks[target]).collect();
        Deterministic {
            classes: self.classes.clone(),
            targets: firsts.iter().map(targets).collect(),
            accepting: firsts.iter().map(|&state| self.accepting[state]).collect(),
        }
    }

    /// The Büchi automaton whose accepting states are those for which `is_marked` holds.
    fn automaton(&self, is_marked: impl Fn(bool) -> bool) -> Automaton {
        let propositions = self.classes[0].propositions();
        let edges = |(row, &accepting): (&Vec<usize>, &bool)| {
            let marks = u32::from(is_marked(accepting));
            let mut edges: Vec<Edge> = Vec::new();
            for (&target, letters) in row.iter().zip(&self.classes) {
                match edges.iter_mut().find(|edge| edge.target == target) {
                    Some(edge) => edge.letters = edge.letters.or(letters),
                    None => edges.push(Edge { letters: letters.clone(), marks, target }),
                }
            }
            edges
        };
        let states = self.targets.iter().zip(&self.accepting).map(edges).collect();
        Automaton { propositions, sets: 1, initial: 0, states }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse, translate};

    fn minimal(text: &str) -> Option<usize> {
        let formula = parse(text).expect("a formula").formula;
        let (positive, negative) = (translate(&formula).expect("small"), translate(&!formula).expect("small"));
        minimal_wdba(&positive, &negative).map(|weak| {
            assert!(weak.is_deterministic() && weak.strength() <= crate::Strength::Weak, "{text}");
            weak.states.len()
        })
    }

    #[test]
    fn obligations_have_one_and_others_do_not() {
        for (text, expected) in [
            ("[] p", Some(1)),
            ("<> p", Some(2)),
            ("p U q", Some(2)),
            ("p W q", Some(2)),
            ("[] p || <> q", Some(3)),
            ("[] p && <> q", Some(2)),
            ("<> p -> <> q", Some(3)),
            ("<> (p && X p && X X p)", Some(4)),
            ("[] (p -> X q)", Some(2)),
            ("true", Some(1)),
            ("[] <> p", None),
            ("<> [] p", None),
            ("[] (p -> <> q)", None),
        ] {
            assert_eq!(minimal(text), expected, "{text}");
        }
    }

    /// With the colour of the paper for rejecting dead ends the result would have a state more.
    #[test]
    fn states_on_no_cycle_get_the_acceptance_of_their_successors() {
        assert_eq!(minimal("X X p"), Some(4));
        assert_eq!(minimal("p && X q || !p && X !q"), Some(4));
        assert_eq!(minimal("(p && X [] q) || (!p && X <> q)"), Some(4));
    }

    #[test]
    fn letter_classes_are_a_partition() {
        let automaton = translate(&parse("[] (p -> (q U (r && X s)))").expect("a formula").formula).expect("small");
        for classes in [letter_classes(&automaton).expect("few"), single_letters(4).expect("few")] {
            let union = classes.iter().fold(Letters::empty(4), |all, class| all.or(class));
            assert!(union.is_all() && classes.iter().map(Letters::count).sum::<u128>() == 16);
            for edge in automaton.states.iter().flatten() {
                let is_whole = |class: &Letters| class.implies(&edge.letters) || !class.intersects(&edge.letters);
                assert!(classes.iter().all(is_whole));
            }
        }
        assert_eq!(single_letters(11), None);
        assert_eq!(single_letters(64), None);
    }
}
