//! Which components are composed next (section 5 of the paper), and which need not be composed at all.

use homing_core::Cost;

use crate::component::{Component, Labels};
use crate::graph::INFINITE;
use crate::{Strategy, TieRule};

/// For each label of the system the components that list it, in compressed rows.
pub(crate) struct Listing {
    rows: Vec<u32>,
    components: Vec<u32>,
}

impl Listing {
    pub fn of(components: &[Component], labels: &Labels) -> Self {
        let mut rows = vec![0; labels.shared() + 1];
        let listed = || {
            let rows = components
                .iter()
                .zip(0..)
                .flat_map(|(component, number)| component.moves.iter().map(move |moves| (moves.label, number)));
            rows.filter(|&(label, _)| !labels.is_local(label))
        };
        listed().for_each(|(label, _)| rows[label as usize + 1] += 1);
        for label in 0..labels.shared() {
            rows[label + 1] += rows[label];
        }
        let mut free = rows.clone();
        let mut listing = vec![0; rows[labels.shared()] as usize];
        for (label, number) in listed() {
            let slot = &mut free[label as usize];
            listing[*slot as usize] = number;
            *slot += 1;
        }
        Listing { rows, components: listing }
    }

    /// The components that list a label, in ascending order.
    pub fn of_label(&self, label: u32) -> &[u32] {
        &self.components[self.rows[label as usize] as usize..self.rows[label as usize + 1] as usize]
    }

    pub fn labels(&self) -> std::ops::Range<u32> {
        0..self.rows.len() as u32 - 1
    }
}

/// For each component, whether the error can depend on it: it has goal states that are not all of its states, or is connected
/// through shared labels to one that has. The others can never block the rest, and are in a goal state anyway.
pub(crate) fn relevant(components: &[Component], listing: &Listing) -> Vec<bool> {
    let mut relevant = vec![false; components.len()];
    let mut open = Vec::new();
    for (number, component) in components.iter().enumerate() {
        if !component.is_trivial() {
            relevant[number] = true;
            open.push(number);
        }
    }
    while let Some(number) = open.pop() {
        let shared = components[number].moves.iter().filter(|moves| listing.labels().contains(&moves.label));
        for &other in shared.flat_map(|moves| listing.of_label(moves.label)) {
            if !std::mem::replace(&mut relevant[other as usize], true) {
                open.push(other as usize);
            }
        }
    }
    relevant
}

/// The pair to be composed next, in ascending order; at least two components are needed.
pub(crate) fn next_pair(components: &[Component], listing: &Listing, strategy: Strategy) -> (usize, usize) {
    match strategy {
        Strategy::Definition => (0, 1),
        Strategy::Ranking(tie_rule) => by_rank(components, listing, tie_rule),
    }
}

/// The pair that shares a label nearest to its goal states, of which one has goal states that are not all of its states. As the
/// weight of a pair is a minimum over labels, the least over pairs is found label by label.
fn by_rank(components: &[Component], listing: &Listing, tie_rule: TieRule) -> (usize, usize) {
    let is_trivial: Vec<bool> = components.iter().map(Component::is_trivial).collect();
    let weigh = |weight: Cost, one: usize, other: usize| {
        let product = match tie_rule {
            TieRule::SmallestProduct => components[one].size() * components[other].size(),
            TieRule::FirstPair => 0,
        };
        (weight, product, one, other)
    };
    let mut best: Option<(Cost, usize, usize, usize)> = None;
    let rank = |number: usize, label: u32| components[number].moves_of(label).map_or(INFINITE, |moves| moves.rank);
    for label in listing.labels() {
        let listed = listing.of_label(label);
        for (at, &one) in listed.iter().enumerate() {
            let own = rank(one as usize, label);
            for &other in &listed[at + 1..] {
                if !(is_trivial[one as usize] && is_trivial[other as usize]) {
                    let candidate = weigh(own.max(rank(other as usize, label)), one as usize, other as usize);
                    best = Some(best.map_or(candidate, |best| best.min(candidate)));
                }
            }
        }
    }
    if best.is_none_or(|(weight, ..)| weight == INFINITE) {
        // Nothing synchronises on a way to the error. Then the distances of the parts add up.
        for one in (0..components.len()).filter(|&one| !is_trivial[one]) {
            for other in (one + 1..components.len()).filter(|&other| !is_trivial[other]) {
                let candidate = weigh(INFINITE, one, other);
                best = Some(best.map_or(candidate, |best| best.min(candidate)));
            }
        }
    }
    best.map_or((0, 1), |(_, _, one, other)| (one, other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FactoredSystem;

    /// `goal` shares a label with `big` and one with `small`, both at its goal state; `far` shares one two steps before. `trivial`
    /// shares a label with `big` alone, and `apart` none.
    fn components() -> (Vec<Component>, Labels) {
        let mut builder = FactoredSystem::builder();
        let goal = builder.factor("goal", 4);
        builder.goals(goal, [3]);
        let others = [("far", 1), ("big", 3), ("small", 2), ("trivial", 2), ("apart", 2)];
        let [far, big, small, trivial, apart] = others.map(|(name, size)| builder.factor(name, size));
        [goal, far, big, small, trivial, apart].iter().for_each(|&factor| _ = builder.initial(factor, 0));
        let [a, b, c, d] = std::array::from_fn(|_| builder.label(1));
        let local = builder.label(1);
        builder.transition(goal, local, 1, 2);
        builder.transition(goal, a, 0, 1).transition(far, a, 0, 0);
        builder.transition(goal, b, 2, 3).transition(big, b, 0, 1);
        builder.transition(goal, c, 2, 3).transition(small, c, 0, 1);
        builder.transition(big, d, 0, 1).transition(trivial, d, 0, 1);
        builder.transition(apart, local, 0, 1);
        let system = builder.build().unwrap();
        let labels = Labels::of(&system);
        (Component::all_of(&system, &labels), labels)
    }

    #[test]
    fn labels_near_the_goal_are_composed_first_and_ties_go_to_the_smallest_product() {
        let (components, labels) = components();
        let listing = Listing::of(&components[..5], &labels);
        let pair = |strategy| next_pair(&components[..5], &listing, strategy);
        assert_eq!(pair(Strategy::Ranking(TieRule::SmallestProduct)), (0, 3));
        assert_eq!(pair(Strategy::Ranking(TieRule::FirstPair)), (0, 2));
        assert_eq!(pair(Strategy::Definition), (0, 1));
    }

    #[test]
    fn what_is_not_connected_to_a_goal_is_irrelevant() {
        let (mut components, labels) = components();
        components[5].localise(&labels, |_| true);
        let relevant = relevant(&components, &Listing::of(&components, &labels));
        assert_eq!(relevant, [true, true, true, true, true, false]);
    }
}
