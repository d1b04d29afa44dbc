//! How hard it is to find accepting runs: classes of components and the strength of an automaton.

use std::fmt;

use crate::automaton::{Automaton, Edge};
use crate::letters::Letters;
use homing_core::Components;

/// The class of a component of an automaton (Edelkamp, Leue & Lluch-Lafuente 2004, §7.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SccClass {
    /// One state without a loop.
    Transient,
    /// N: no cycle is accepting.
    NonAccepting,
    /// S: every word is accepted from here on, as at the end of a never claim. A run that comes here is a bad prefix.
    AcceptingAll,
    /// F: every cycle is accepting.
    FullyAccepting,
    /// P: some cycles are accepting and some are not.
    PartiallyAccepting,
}

impl SccClass {
    /// The letter that the literature uses; `-` for a transient state.
    pub fn letter(self) -> char {
        match self {
            SccClass::Transient => '-',
            SccClass::NonAccepting => 'N',
            SccClass::AcceptingAll => 'S',
            SccClass::FullyAccepting => 'F',
            SccClass::PartiallyAccepting => 'P',
        }
    }
}

/// What a search for accepting runs needs (Bloem, Ravi & Somenzi 1999, §3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// Every accepting component accepts all words: it is enough to reach one.
    Terminal,
    /// No component has both accepting and other cycles: it is enough to find a cycle in an accepting one.
    Weak,
    /// An accepting cycle has to be distinguished from others in the same component.
    Strong,
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Strength::Terminal => "terminal",
            Strength::Weak => "weak",
            Strength::Strong => "strong",
        })
    }
}

/// The classes of an automaton's components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    /// The component of each state. An edge between components leads to one of a smaller number.
    pub component: Vec<usize>,
    /// The class of each component.
    pub class: Vec<SccClass>,
}

impl Classes {
    /// The class of the component of a state.
    pub fn of(&self, state: usize) -> SccClass {
        self.class[self.component[state]]
    }

    /// The strength of the automaton.
    pub fn strength(&self) -> Strength {
        let strength = |class: &SccClass| match class {
            SccClass::Transient | SccClass::NonAccepting | SccClass::AcceptingAll => Strength::Terminal,
            SccClass::FullyAccepting => Strength::Weak,
            SccClass::PartiallyAccepting => Strength::Strong,
        };
        self.class.iter().map(strength).max().unwrap_or(Strength::Terminal)
    }
}

/// The letters of the classes that occur, as in `N,S`; transient states are left out.
impl fmt::Display for Classes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let order =
            [SccClass::NonAccepting, SccClass::FullyAccepting, SccClass::PartiallyAccepting, SccClass::AcceptingAll];
        let mut separator = "";
        for class in order.into_iter().filter(|class| self.class.contains(class)) {
            write!(f, "{separator}{}", class.letter())?;
            separator = ",";
        }
        Ok(())
    }
}

impl Automaton {
    /// The classes of the components, unreachable states included.
    pub fn classes(&self) -> Classes {
        let components = self.components();
        let accepting = self.accepting_components(&components);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); components.count];
        for (state, &component) in components.of.iter().enumerate() {
            members[component].push(state);
        }
        // an edge leads to a component of a smaller number, whose class is known then
        let mut class: Vec<SccClass> = Vec::with_capacity(components.count);
        for (component, states) in members.iter().enumerate() {
            let inside = |edge: &&Edge| components.of[edge.target] == component;
            let is_cyclic = states.iter().any(|&state| self.states[state].iter().any(|edge| inside(&edge)));
            let found = if !is_cyclic {
                SccClass::Transient
            } else if !accepting[component] {
                SccClass::NonAccepting
            } else if self.has_other_cycle(states, &components) {
                SccClass::PartiallyAccepting
            } else if states.iter().all(|&state| self.is_universal_at(state, &components, &class)) {
                SccClass::AcceptingAll
            } else {
                SccClass::FullyAccepting
            };
            class.push(found);
        }
        Classes { component: components.of, class }
    }

    /// The strength of the automaton.
    pub fn strength(&self) -> Strength {
        self.classes().strength()
    }

    /// Whether an accepting component has a cycle that misses a set: without the edges of the set there is still a
    /// cycle.
    fn has_other_cycle(&self, states: &[usize], components: &Components) -> bool {
        let mut numbers = vec![usize::MAX; self.states.len()];
        for (number, &state) in states.iter().enumerate() {
            numbers[state] = number;
        }
        let component = components.of[states[0]];
        (0..self.sets).any(|set| {
            let outside = |edge: &&Edge| components.of[edge.target] == component && edge.marks >> set & 1 == 0;
            let targets: Vec<Vec<usize>> = states
                .iter()
                .map(|&state| self.states[state].iter().filter(outside).map(|edge| numbers[edge.target]).collect())
                .collect();
            let rest = Components::new(states.len(), |state, at| targets[state].get(at).copied());
            rest.count < states.len() || targets.iter().enumerate().any(|(state, targets)| targets.contains(&state))
        })
    }

    /// Whether a state of a component whose cycles are all accepting can read every letter and stay there, or go to
    /// where every word is accepted.
    fn is_universal_at(&self, state: usize, components: &Components, known: &[SccClass]) -> bool {
        let is_good = |edge: &&Edge| {
            let target = components.of[edge.target];
            target == components.of[state] || known.get(target) == Some(&SccClass::AcceptingAll)
        };
        let good = self.states[state].iter().filter(is_good);
        good.fold(Letters::empty(self.propositions), |all, edge| all.or(&edge.letters)).is_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse, translate, translate_to_buchi};

    #[test]
    fn classes_of_patterns() {
        for (text, classes, strength) in [
            ("<> p", "N,S", Strength::Terminal),
            ("[] p", "F", Strength::Weak),
            ("true", "S", Strength::Terminal),
            ("false", "", Strength::Terminal),
            ("<> [] p", "N,F", Strength::Weak),
            ("[] <> p", "P", Strength::Strong),
            ("!([] (p -> <> q))", "N,F", Strength::Weak),
            ("[] (p -> <> q)", "P", Strength::Strong),
            ("[] <> p && [] <> q", "P", Strength::Strong),
            ("X p", "S", Strength::Terminal),
            ("p U q", "N,S", Strength::Terminal),
            ("p W q", "F,S", Strength::Weak),
        ] {
            let formula = parse(text).expect("a formula").formula;
            for automaton in [translate(&formula), translate_to_buchi(&formula)] {
                let found = automaton.expect("small").classes();
                assert_eq!((found.to_string().as_str(), found.strength()), (classes, strength), "{text}");
            }
        }
    }
}
