//! Factored transition systems: factors with finite domains, and labels on which they synchronise.

use std::collections::BTreeMap;

use homing_core::Cost;

/// A factor of a system: its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactorId(pub u32);

/// A label of a system: its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelId(pub u32);

/// What the factors synchronise on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The cost of a global step with this label.
    pub cost: Cost,
}

/// The transitions that a factor has for one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalTransitions {
    /// The label.
    pub label: LabelId,
    /// Pairs of source and target, sorted, without duplicates. If there is none, the factor blocks the label.
    pub edges: Vec<(u32, u32)>,
}

/// One factor: a process, a variable, a channel. Its states are numbers from 0.
#[derive(Clone, Debug)]
pub struct Factor {
    name: String,
    size: u32,
    initial: Vec<u32>,
    goal: Vec<bool>,
    transitions: Vec<LocalTransitions>,
}

impl Factor {
    /// How the factor is named in descriptions.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of its states.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Its initial states, in ascending order.
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// For each state, whether it is a goal state.
    pub fn goal(&self) -> &[bool] {
        &self.goal
    }

    /// Whether every state is a goal state: the error does not depend on this factor alone.
    pub fn is_trivial(&self) -> bool {
        self.goal.iter().all(|&goal| goal)
    }

    /// The labels that are relevant here, in ascending order. Any other label leaves the state as it is.
    pub fn transitions(&self) -> &[LocalTransitions] {
        &self.transitions
    }
}

/// A system whose states are tuples of the states of its factors. A global step takes one label in all factors that list it at
/// once, and leaves the others as they are. An error is a state in which every factor is in a goal state.
#[derive(Clone, Debug)]
pub struct FactoredSystem {
    factors: Vec<Factor>,
    labels: Vec<Label>,
}

impl FactoredSystem {
    /// A system to be filled.
    pub fn builder() -> FactoredSystemBuilder {
        FactoredSystemBuilder::default()
    }

    /// The factors, in the order of definition.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// The labels, in the order of definition.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }
}

/// Why a description is not a factored system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SystemError {
    /// There is nothing to abstract.
    #[error("a factored system needs at least one factor")]
    NoFactor,
    /// A factor without an initial state: no state of the system exists.
    #[error("factor `{factor}` has no initial state")]
    NoInitialState {
        /// The name of the factor.
        factor: String,
    },
    /// A number that is not a state of the factor.
    #[error("state {state} is not a state of factor `{factor}`, which has {size}")]
    UnknownState {
        /// The name of the factor.
        factor: String,
        /// The number.
        state: u32,
        /// The number of states.
        size: u32,
    },
    /// A label that was not defined.
    #[error("factor `{factor}` uses label {label}, but only {labels} are defined")]
    UnknownLabel {
        /// The name of the factor.
        factor: String,
        /// The label's number.
        label: u32,
        /// The number of labels.
        labels: usize,
    },
}

/// Collects the parts of a [`FactoredSystem`].
#[derive(Clone, Debug, Default)]
pub struct FactoredSystemBuilder {
    factors: Vec<Draft>,
    labels: Vec<Label>,
}

#[derive(Clone, Debug)]
struct Draft {
    name: String,
    size: u32,
    initial: Vec<u32>,
    goals: Option<Vec<u32>>,
    transitions: BTreeMap<u32, Vec<(u32, u32)>>,
}

impl FactoredSystemBuilder {
    /// Defines a label. Until a factor lists it, it changes nothing.
    pub fn label(&mut self, cost: Cost) -> LabelId {
        self.labels.push(Label { cost });
        LabelId(self.labels.len() as u32 - 1)
    }

    /// Defines a factor with the states 0 to `size` - 1, all of which are goal states until [`Self::goals`] names some.
    pub fn factor(&mut self, name: impl Into<String>, size: u32) -> FactorId {
        let draft = Draft { name: name.into(), size, initial: Vec::new(), goals: None, transitions: BTreeMap::new() };
        self.factors.push(draft);
        FactorId(self.factors.len() as u32 - 1)
    }

    /// Adds an initial state.
    ///
    /// # Panics
    /// If the factor is not of this builder; so do the methods below.
    pub fn initial(&mut self, factor: FactorId, state: u32) -> &mut Self {
        self.draft(factor).initial.push(state);
        self
    }

    /// Makes these states goal states, with those named before, and no others.
    pub fn goals(&mut self, factor: FactorId, states: impl IntoIterator<Item = u32>) -> &mut Self {
        self.draft(factor).goals.get_or_insert_default().extend(states);
        self
    }

    /// Adds a local transition: the label is relevant in the factor.
    pub fn transition(&mut self, factor: FactorId, label: LabelId, from: u32, to: u32) -> &mut Self {
        self.draft(factor).transitions.entry(label.0).or_default().push((from, to));
        self
    }

    /// Makes the label relevant in the factor, which blocks it where no transition is added.
    pub fn list(&mut self, factor: FactorId, label: LabelId) -> &mut Self {
        self.draft(factor).transitions.entry(label.0).or_default();
        self
    }

    fn draft(&mut self, factor: FactorId) -> &mut Draft {
        &mut self.factors[factor.0 as usize]
    }

    /// The system, if every factor has an initial state and every number stands for something.
    pub fn build(self) -> Result<FactoredSystem, SystemError> {
        if self.factors.is_empty() {
            return Err(SystemError::NoFactor);
        }
        let labels = self.labels;
        let factors = self.factors.into_iter().map(|draft| draft.finish(labels.len())).collect::<Result<_, _>>()?;
        Ok(FactoredSystem { factors, labels })
    }
}

impl Draft {
    fn finish(self, labels: usize) -> Result<Factor, SystemError> {
        let Draft { name, size, mut initial, goals, transitions } = self;
        let edges = transitions.values().flatten().flat_map(|&(from, to)| [from, to]);
        let states = initial.iter().copied().chain(goals.iter().flatten().copied()).chain(edges);
        if let Some(state) = states.into_iter().find(|&state| state >= size) {
            return Err(SystemError::UnknownState { factor: name, state, size });
        }
        if let Some((&label, _)) = transitions.range(labels as u32..).next() {
            return Err(SystemError::UnknownLabel { factor: name, label, labels });
        }
        if initial.is_empty() {
            return Err(SystemError::NoInitialState { factor: name });
        }
        initial.sort_unstable();
        initial.dedup();
        let mut goal = vec![goals.is_none(); size as usize];
        for state in goals.into_iter().flatten() {
            goal[state as usize] = true;
        }
        let transitions = transitions
            .into_iter()
            .map(|(label, mut edges)| {
                edges.sort_unstable();
                edges.dedup();
                LocalTransitions { label: LabelId(label), edges }
            })
            .collect();
        Ok(Factor { name, size, initial, goal, transitions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_is_trivial_until_goals_are_named() {
        let mut builder = FactoredSystem::builder();
        let (free, bound) = (builder.factor("free", 2), builder.factor("bound", 2));
        let label = builder.label(1);
        builder.initial(free, 0).initial(bound, 1).initial(bound, 0).initial(bound, 1).goals(bound, []);
        builder.transition(bound, label, 1, 0).transition(bound, label, 0, 1).transition(bound, label, 1, 0);
        let system = builder.build().unwrap();
        let [free, bound] = system.factors() else { panic!("two factors") };
        assert!(free.is_trivial() && !bound.is_trivial());
        assert_eq!(bound.initial(), [0, 1]);
        assert_eq!(bound.transitions(), [LocalTransitions { label, edges: vec![(0, 1), (1, 0)] }]);
        assert!(free.transitions().is_empty());
    }

    #[test]
    fn what_does_not_exist_is_refused() {
        assert_eq!(FactoredSystem::builder().build().unwrap_err(), SystemError::NoFactor);
        let refused = |fill: fn(&mut FactoredSystemBuilder, FactorId)| {
            let mut builder = FactoredSystem::builder();
            let factor = builder.factor("x", 2);
            fill(&mut builder, factor);
            builder.build().unwrap_err().to_string()
        };
        assert_eq!(refused(|_, _| ()), "factor `x` has no initial state");
        let unknown = "state 2 is not a state of factor `x`, which has 2";
        assert_eq!(refused(|builder, x| _ = builder.initial(x, 2)), unknown);
        assert_eq!(refused(|builder, x| _ = builder.initial(x, 0).goals(x, [2])), unknown);
        let transition = |builder: &mut FactoredSystemBuilder, x| {
            let label = builder.label(1);
            builder.initial(x, 0).transition(x, label, 0, 2);
        };
        assert_eq!(refused(transition), unknown);
        let label = |builder: &mut FactoredSystemBuilder, x| _ = builder.initial(x, 0).list(x, LabelId(7));
        assert_eq!(refused(label), "factor `x` uses label 7, but only 0 are defined");
    }
}
