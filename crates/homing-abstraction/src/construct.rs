//! Compose and abstract (Fig. 2 of the paper): two components become one until a single one is left.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use homing_core::{Cost, Guarantee, StopToken};

use crate::component::{Component, Labels, Mixing};
use crate::compose::{Budget, Product, UNREACHED, compose};
use crate::graph::{Graph, INFINITE};
use crate::label_reduction::{reduce, relabel_for_product};
use crate::refine::{PRUNED, Partition, refine};
use crate::strategy::{Listing, next_pair, relevant};
use crate::tree::{Evaluator, Root, Tree};
use crate::{Cut, FactorId, FactoredSystem, LastProduct, Merge, Options, Statistics};

/// A distance-preserving abstraction of a factored system: an estimate for the states that it can reach.
#[derive(Clone, Debug)]
pub struct Abstraction {
    tree: Arc<Tree>,
    statistics: Statistics,
}

impl Abstraction {
    /// Constructs an abstraction.
    pub fn new(system: &FactoredSystem, options: &Options) -> Self {
        Self::until(system, options, &StopToken::default(), &mut |_| ())
    }

    /// Constructs an abstraction; stops early, as at a limit, when the token is set. `show` is called before each merge with the
    /// number of components that are left.
    pub fn until(system: &FactoredSystem, options: &Options, stop: &StopToken, show: &mut dyn FnMut(u32)) -> Self {
        Construction::new(system, options, stop).run(show)
    }

    /// The estimated distance of a state, given by the states of its factors, to an error; none if no error is reachable. It holds
    /// for states that the system can reach from its initial states, and only for them: others count as pruned.
    ///
    /// # Panics
    /// If there are not as many values as factors, or one is not a state of its factor.
    pub fn distance(&self, leaves: &[u32]) -> Option<Cost> {
        let mut values = Vec::with_capacity(self.tree.sizes.len());
        self.tree.evaluate(leaves, &mut values);
        self.tree.distance(&values)
    }

    /// An evaluator for successors of a state: one for each thread of a search.
    pub fn evaluator(&self) -> Evaluator {
        Evaluator::new(Arc::clone(&self.tree))
    }

    /// Whether the distances depend on a factor.
    ///
    /// # Panics
    /// If there is no such factor.
    pub fn uses(&self, factor: FactorId) -> bool {
        self.tree.uses(factor.0)
    }

    /// What is known of the distances: a step makes them smaller by no more than it costs.
    pub fn guarantee(&self) -> Guarantee {
        Guarantee::Consistent
    }

    /// How the construction went. It is displayed as a description of the abstraction, a line for each merge.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }
}

struct Construction<'a> {
    system: &'a FactoredSystem,
    options: &'a Options,
    labels: Labels,
    components: Vec<Component>,
    tree: Tree<Vec<u32>>,
    /// Components that were left out, but tell states from which no error is reachable.
    sealed: Vec<Component>,
    statistics: Statistics,
    begun: Instant,
    budget: Budget<'a>,
}

impl<'a> Construction<'a> {
    fn new(system: &'a FactoredSystem, options: &'a Options, stop: &'a StopToken) -> Self {
        let begun = Instant::now();
        let labels = Labels::of(system);
        let components = Component::all_of(system, &labels);
        let tree = Tree::new(system.factors().iter().map(|factor| factor.size()).collect());
        let deadline = options.limits.time.and_then(|time| begun.checked_add(time));
        let budget = Budget { transitions: options.limits.transitions, deadline, stop };
        Construction {
            system,
            options,
            labels,
            components,
            tree,
            sealed: Vec::new(),
            statistics: Statistics::default(),
            begun,
            budget,
        }
    }

    fn run(mut self, show: &mut dyn FnMut(u32)) -> Abstraction {
        self.statistics.labels.0 = self.listed_labels();
        reduce(&mut self.components, &self.labels, self.options.label_reduction);
        self.statistics.labels.1 = self.listed_labels();
        let cut = loop {
            let listing = self.drop_irrelevant();
            if self.components.len() < 2 || self.components.iter().any(|component| component.size() == 0) {
                break None;
            }
            if self.budget.is_over() {
                break Some(Cut::Time);
            }
            show(self.components.len() as u32);
            let pair = next_pair(&self.components, &listing, self.options.strategy);
            if let Err(cut) = self.merge(pair, &listing) {
                break Some(cut);
            }
            reduce(&mut self.components, &self.labels, self.options.label_reduction);
        };
        self.finish(cut)
    }

    /// The estimate is the maximum over the components that are left. One whose states are all goal states adds nothing, unless
    /// states were pruned in it.
    fn finish(mut self, cut: Option<Cut>) -> Abstraction {
        self.statistics.cut = self.statistics.cut.or(cut);
        self.statistics.components = self.components.len() as u32;
        let roots = self.components.into_iter().filter(|component| !component.is_trivial() || component.has_pruned);
        let roots = roots.chain(self.sealed);
        let roots = roots.map(|mut component| {
            component.distance.push(INFINITE);
            Root { node: component.node, goal: component.goal, distance: component.distance }
        });
        let tree = Arc::new(self.tree.pack(roots.collect()));
        self.statistics.elapsed = self.begun.elapsed();
        Abstraction { tree, statistics: self.statistics }
    }

    /// Removes components on which the error does not depend. If states were pruned in one, it is kept for that: labels that lead
    /// only there may have been removed from the others, which without it would not be consistent.
    fn drop_irrelevant(&mut self) -> Listing {
        let listing = Listing::of(&self.components, &self.labels);
        let relevant = relevant(&self.components, &listing);
        if relevant.iter().all(|&relevant| relevant) {
            return listing;
        }
        let components = std::mem::take(&mut self.components);
        for (component, is_relevant) in components.into_iter().zip(relevant) {
            if is_relevant {
                self.components.push(component);
            } else if component.has_pruned {
                self.sealed.push(component);
            } else {
                self.statistics.irrelevant.push(self.name(component.node));
            }
        }
        Listing::of(&self.components, &self.labels)
    }

    /// Replaces two components by their abstracted product, which takes the place of the first.
    fn merge(&mut self, pair: (usize, usize), listing: &Listing) -> Result<(), Cut> {
        self.fit(pair);
        let begun = Instant::now();
        let (options, labels) = (self.options, &self.labels);
        let relabel = relabel_for_product(&mut self.components, pair, listing, labels, options.label_reduction);
        let (left, right) = (&self.components[pair.0], &self.components[pair.1]);
        let Product { graph, index } = compose(left, right, &relabel, labels, self.budget)?;
        let distance = graph.distances(|label| labels.cost(label));
        let is_last = self.components.len() == 2;
        let partition = match options.last_product {
            LastProduct::Whole { most_states } if is_last && graph.size() <= most_states as usize => {
                Partition::discrete(&distance)
            }
            _ => refine(&graph, &distance, labels, options.bound.get(), options.bucket_order, self.budget),
        };
        let (width, classes) = (right.size(), partition.classes);
        let class = |row: u32, column: u32| match index[row as usize * width + column as usize] {
            UNREACHED => None,
            state => Some(partition.class[state as usize]).filter(|&class| class != PRUNED),
        };
        let node = self.tree.merge(left.node, right.node, classes, class);
        let mut listed: Vec<u32> =
            left.moves.iter().chain(&right.moves).map(|moves| relabel[moves.label as usize]).collect();
        let (left_node, right_node, pairs) = (left.node, right.node, left.size() as u64 * width as u64);
        listed.sort_unstable();
        listed.dedup();
        let has_pruned = left.has_dead_ends() || right.has_dead_ends() || distance.contains(&INFINITE);
        let product = Component { has_pruned, ..quotient(&graph, &partition, node, &listed, labels) };
        let (left, right) = (self.name(left_node), Some(self.name(right_node)));
        let merge = Merge { left, right, pairs, ..measured(&graph, &distance, &partition, begun) };
        self.record(merge, &partition);
        self.components[pair.0] = product;
        self.components.remove(pair.1);
        Ok(())
    }

    /// Abstracts the larger of two components, and if need be the other, until their product is within the limit.
    fn fit(&mut self, pair: (usize, usize)) {
        let most = u64::from(self.options.limits.pairs.max(1));
        for _ in 0..2 {
            let size = |number: usize| self.components[number].size() as u64;
            if size(pair.0) * size(pair.1) <= most {
                return;
            }
            let (larger, smaller) = if size(pair.0) >= size(pair.1) { pair } else { (pair.1, pair.0) };
            self.shrink(larger, most.isqrt().max(most / size(smaller)) as u32);
        }
    }

    /// Abstracts a single component.
    fn shrink(&mut self, number: usize, bound: u32) {
        let begun = Instant::now();
        let component = &self.components[number];
        let graph = component.graph();
        let reachable = graph.reachable();
        let is_pruned = |(&distance, &is_reached)| if is_reached { distance } else { INFINITE };
        let distance: Vec<Cost> = component.distance.iter().zip(&reachable).map(is_pruned).collect();
        let partition = refine(&graph, &distance, &self.labels, bound, self.options.bucket_order, self.budget);
        let class = |value: u32| Some(partition.class[value as usize]).filter(|&class| class != PRUNED);
        let child = component.node;
        let node = self.tree.shrink(child, partition.classes, class);
        let listed: Vec<u32> = component.moves.iter().map(|moves| moves.label).collect();
        let has_pruned = component.has_dead_ends();
        let shrunk = Component { has_pruned, ..quotient(&graph, &partition, node, &listed, &self.labels) };
        let (left, pairs) = (self.name(child), graph.size() as u64);
        let merge = Merge { left, pairs, ..measured(&graph, &distance, &partition, begun) };
        self.record(merge, &partition);
        self.components[number] = shrunk;
    }

    fn record(&mut self, merge: Merge, partition: &Partition) {
        if partition.is_unfinished {
            self.statistics.cut = Some(Cut::Time);
        }
        self.statistics.merges.push(merge);
    }

    /// How a node is named: a factor by its name, a merge by its number, from 1.
    fn name(&self, node: u32) -> String {
        match self.system.factors().get(node as usize) {
            Some(factor) => factor.name().to_owned(),
            None => format!("#{}", node - self.tree.leaves + 1),
        }
    }

    /// The number of labels of the system that some component lists, or has as a local one.
    fn listed_labels(&self) -> u32 {
        let labels = self.components.iter().flat_map(|component| component.moves.iter().map(|moves| moves.label));
        labels.collect::<HashSet<_>>().len() as u32
    }
}

/// What is known of a merge without its parts.
fn measured(graph: &Graph, distance: &[Cost], partition: &Partition, begun: Instant) -> Merge {
    let finite = || distance.iter().filter(|&&d| d != INFINITE);
    Merge {
        left: String::new(),
        right: None,
        pairs: 0,
        reachable: graph.size() as u32,
        alive: finite().count() as u32,
        transitions: graph.edges.len() as u32,
        classes: partition.classes,
        longest: finite().max().copied().unwrap_or(0),
        elapsed: begun.elapsed(),
    }
}

/// The quotient: classes as states. A class is initial or a goal if a member is, and has all transitions of its members: leaving one
/// out could make distances larger. Only a local step inside a class is dropped.
fn quotient(graph: &Graph, partition: &Partition, node: u32, listed: &[u32], labels: &Labels) -> Component {
    let class = |state: u32| Some(partition.class[state as usize]).filter(|&class| class != PRUNED);
    let mut goal = vec![false; partition.classes as usize];
    let mut transitions: HashSet<(u32, u32, u32), Mixing> = HashSet::default();
    for state in 0..graph.size() as u32 {
        let Some(from) = class(state) else { continue };
        goal[from as usize] |= graph.goal[state as usize];
        for edge in graph.out(state) {
            if let Some(to) = class(edge.target)
                && (from != to || !labels.is_local(edge.label))
            {
                transitions.insert((edge.label, from, to));
            }
        }
    }
    let mut transitions: Vec<(u32, u32, u32)> = transitions.into_iter().collect();
    transitions.sort_unstable();
    let mut initial: Vec<u32> = graph.initial.iter().filter_map(|&state| class(state)).collect();
    initial.sort_unstable();
    initial.dedup();
    Component::new(node, initial, goal, listed, &transitions, labels)
}
