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
