//! Fewer labels with the same composed system: local labels, and exact label reduction (Sievers, Wehrle & Helmert, AAAI 2014).
//!
//! Labels of equal cost that have the same transitions in all components but one can become one label, with the union of their
//! transitions in that component: the composed system has the same transitions, with the same costs. Fewer labels make more states
//! equivalent, so that the bound cuts off less.

use std::collections::HashMap;

use homing_core::Cost;

use crate::LabelReduction;
use crate::component::{Component, Labels, Mixing, Moves, mix};
use crate::graph::INFINITE;
use crate::strategy::Listing;

/// Reduces the labels of all components until nothing changes.
pub(crate) fn reduce(components: &mut [Component], labels: &Labels, reduction: LabelReduction) {
    loop {
        if reduction != LabelReduction::Local {
            while remove_blocked(components, labels) {}
        }
        if reduction == LabelReduction::Irrelevance {
            components.iter_mut().for_each(forget_identities);
        }
        let listing = Listing::of(components, labels);
        components
            .iter_mut()
            .for_each(|component| component.localise(labels, |label| listing.of_label(label).len() == 1));
        if reduction == LabelReduction::Local || !combine(components, &listing, labels) {
            return;
        }
    }
}

/// What each label becomes in the product of a pair: local if no other component lists it; else, for an exact reduction, one label
/// for all that have the same transitions in all other components, from which the rest is removed.
pub(crate) fn relabel_for_product(
    components: &mut [Component],
    pair: (usize, usize),
    listing: &Listing,
    labels: &Labels,
    reduction: LabelReduction,
) -> Vec<u32> {
    let is_part = |&&number: &&u32| number as usize == pair.0 || number as usize == pair.1;
    let mut relabel: Vec<u32> = (0..labels.count() as u32).collect();
    let mut representatives: HashMap<(Cost, u64), Vec<u32>, Mixing> = HashMap::default();
    let mut is_removed = vec![false; labels.count()];
    for label in listing.labels() {
        let listed = listing.of_label(label);
        if !listed.iter().any(|number| is_part(&number)) {
            continue;
        }
        let outside = || listed.iter().filter(|number| !is_part(number)).map(|&number| number as usize);
        if outside().next().is_none() {
            relabel[label as usize] = labels.localised(label);
        } else if reduction != LabelReduction::Local {
            let signature = outside().map(|number| share(components, number, label)).fold(0, u64::wrapping_add);
            let candidates = representatives.entry((labels.cost(label), signature)).or_default();
            let is_equal = |&&other: &&u32| {
                let others =
                    listing.of_label(other).iter().filter(|number| !is_part(number)).map(|&number| number as usize);
                others.eq(outside()) && outside().all(|number| same_moves(&components[number], label, other))
            };
            match candidates.iter().find(is_equal) {
                Some(&representative) => {
                    relabel[label as usize] = representative;
                    is_removed[label as usize] = true;
                }
                None => candidates.push(label),
            }
        }
    }
    for (number, component) in components.iter_mut().enumerate() {
        if !is_part(&&(number as u32)) {
            component.moves.retain(|moves| !is_removed[moves.label as usize]);
        }
    }
    relabel
}

/// Removes labels that some component blocks or lets lead only where no goal state is reachable: no path to the error takes them.
fn remove_blocked(components: &mut [Component], labels: &Labels) -> bool {
    let mut is_blocked = vec![false; labels.count()];
    let shared = components.iter().flat_map(|component| &component.moves).filter(|moves| !labels.is_local(moves.label));
    shared.filter(|moves| moves.rank == INFINITE).for_each(|moves| is_blocked[moves.label as usize] = true);
    let mut is_changed = false;
    for component in components {
        let before = component.moves.len();
        component.moves.retain(|moves| !is_blocked[moves.label as usize]);
        if component.moves.len() < before {
            component.measure(labels);
            is_changed = true;
        }
    }
    is_changed
}

/// A label that leaves every state as it is need not be listed.
fn forget_identities(component: &mut Component) {
    let moves = std::mem::take(&mut component.moves);
    component.moves = moves.into_iter().filter(|moves| !component.is_identity(moves)).collect();
}

/// Combines labels that differ in one component only; for each component in turn.
fn combine(components: &mut [Component], listing: &Listing, labels: &Labels) -> bool {
    let mut signatures: Vec<u64> = listing
        .labels()
        .map(|label| {
            let shares = listing.of_label(label).iter().map(|&number| share(components, number as usize, label));
            shares.fold(0, u64::wrapping_add)
        })
        .collect();
    let mut by_signature: HashMap<(Cost, u64), Vec<u32>, Mixing> = HashMap::default();
    for label in listing.labels().filter(|&label| !listing.of_label(label).is_empty()) {
        by_signature.entry((labels.cost(label), signatures[label as usize])).or_default().push(label);
    }
    let mut is_removed = vec![false; labels.count()];
    let mut is_changed = false;
    for number in 0..components.len() {
        let component = &components[number];
        let mut groups: HashMap<(Cost, u64), Vec<u32>, Mixing> = HashMap::default();
        let mut order = Vec::new();
        for moves in component.moves.iter().filter(|moves| !labels.is_local(moves.label)) {
            let elsewhere = signatures[moves.label as usize].wrapping_sub(share(components, number, moves.label));
            let key = (labels.cost(moves.label), elsewhere);
            let group = groups.entry(key).or_default();
            if group.is_empty() {
                order.push(key);
            }
            group.push(moves.label);
        }
        let mut merged: Vec<(u32, Vec<(u32, u32)>)> = Vec::new();
        for key in order {
            let inside = &groups[&key];
            let first = inside[0];
            let not_here = by_signature.get(&key).into_iter().flatten().copied();
            let not_here = not_here.filter(|&label| !is_removed[label as usize] && component.moves_of(label).is_none());
            let is_equal = |label: &u32| differ_only_in(components, listing, number, first, *label);
            let group: Vec<u32> = inside[1..].iter().copied().chain(not_here).filter(is_equal).collect();
            if group.is_empty() {
                continue;
            }
            let mut edges = Vec::new();
            for &label in group.iter().chain([&first]) {
                match component.moves_of(label) {
                    Some(moves) => edges.extend_from_slice(&moves.edges),
                    None => edges.extend((0..component.size() as u32).map(|state| (state, state))), // irrelevant: the identity
                }
            }
            edges.sort_unstable();
            edges.dedup();
            merged.push((first, edges));
            group.iter().for_each(|&label| is_removed[label as usize] = true);
        }
        if merged.is_empty() {
            continue;
        }
        is_changed = true;
        let component = &mut components[number];
        for (label, edges) in merged {
            let at =
                component.moves.binary_search_by_key(&label, |moves| moves.label).expect("the first label is listed");
            let moves = Moves::new(label, edges);
            let (old, new) = (share_of(number, &component.moves[at]), share_of(number, &moves));
            signatures[label as usize] = signatures[label as usize].wrapping_sub(old).wrapping_add(new);
            component.moves[at] = moves;
        }
        component.measure(labels);
        components.iter_mut().for_each(|component| component.moves.retain(|moves| !is_removed[moves.label as usize]));
    }
    is_changed
}

/// Whether two labels are listed by the same components but one, with the same transitions.
fn differ_only_in(components: &[Component], listing: &Listing, except: usize, one: u32, other: u32) -> bool {
    let elsewhere = |label: u32| {
        listing.of_label(label).iter().map(|&number| number as usize).filter(move |&number| number != except)
    };
    elsewhere(one).eq(elsewhere(other)) && elsewhere(one).all(|number| same_moves(&components[number], one, other))
}

/// Whether a component has the same transitions for two labels, both of which it lists.
fn same_moves(component: &Component, one: u32, other: u32) -> bool {
    match (component.moves_of(one), component.moves_of(other)) {
        (Some(one), Some(other)) => one.hash == other.hash && one.edges == other.edges,
        _ => false,
    }
}

/// What a component contributes to the signature of a label: a sum, so that one component's part can be taken out.
fn share(components: &[Component], number: usize, label: u32) -> u64 {
    components[number].moves_of(label).map_or(0, |moves| share_of(number, moves))
}

fn share_of(number: usize, moves: &Moves) -> u64 {
    mix(mix(number as u64) ^ moves.hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FactoredSystem;

    /// The labels that a component lists, with their edges.
    type Listed = Vec<(u32, Vec<(u32, u32)>)>;

    /// The labels that each component lists after a reduction. Local labels come after the three shared.
    fn reduced(fill: impl Fn(&mut crate::FactoredSystemBuilder), reduction: LabelReduction) -> Vec<Listed> {
        let mut builder = FactoredSystem::builder();
        let (x, y) = (builder.factor("x", 2), builder.factor("y", 2));
        builder.initial(x, 0).initial(y, 0).goals(x, [1]);
        (0..3).for_each(|_| _ = builder.label(1));
        fill(&mut builder);
        let system = builder.build().unwrap();
        let labels = Labels::of(&system);
        let mut components = Component::all_of(&system, &labels);
        reduce(&mut components, &labels, reduction);
        let listed =
            |component: Component| component.moves.into_iter().map(|moves| (moves.label, moves.edges)).collect();
        components.into_iter().map(listed).collect()
    }

    const X: crate::FactorId = crate::FactorId(0);
    const Y: crate::FactorId = crate::FactorId(1);
    const A: crate::LabelId = crate::LabelId(0);
    const B: crate::LabelId = crate::LabelId(1);

    #[test]
    fn labels_that_differ_in_one_component_become_one() {
        let fill = |builder: &mut crate::FactoredSystemBuilder| {
            builder.transition(X, A, 0, 1).transition(X, B, 0, 1).transition(Y, A, 0, 1).transition(Y, B, 1, 0);
        };
        assert_eq!(reduced(fill, LabelReduction::Exact), [vec![(0, vec![(0, 1)])], vec![(0, vec![(0, 1), (1, 0)])]]);
        assert_eq!(reduced(fill, LabelReduction::Local)[0].len(), 2);
    }

    /// B is irrelevant in y, and A is there only from 0 to 1: together they can stay, too.
    #[test]
    fn a_label_that_a_component_does_not_list_is_the_identity_there() {
        let fill = |builder: &mut crate::FactoredSystemBuilder| {
            builder.transition(X, A, 0, 1).transition(Y, A, 0, 1).transition(X, B, 0, 1).list(Y, B);
        };
        // B is blocked by y, and removed.
        assert_eq!(reduced(fill, LabelReduction::Exact), [[(0, vec![(0, 1)])], [(0, vec![(0, 1)])]]);
        let fill = |builder: &mut crate::FactoredSystemBuilder| {
            let z = builder.factor("z", 2);
            builder.initial(z, 0).transition(z, A, 0, 1).transition(z, B, 0, 1);
            builder.transition(X, A, 0, 1).transition(Y, A, 0, 1).transition(X, B, 0, 1);
        };
        let all = reduced(fill, LabelReduction::Exact);
        assert_eq!(all[1], [(0, vec![(0, 0), (0, 1), (1, 1)])]);
        assert_eq!((all[0].len(), all[2].len()), (1, 1));
    }

    #[test]
    fn an_identity_is_forgotten_only_if_asked_for() {
        let fill = |builder: &mut crate::FactoredSystemBuilder| {
            builder.transition(X, A, 0, 1).transition(Y, A, 0, 0).transition(Y, A, 1, 1);
        };
        assert_eq!(reduced(fill, LabelReduction::Exact)[1].len(), 1);
        assert_eq!(reduced(fill, LabelReduction::Irrelevance), [vec![(3, vec![(0, 1)])], vec![]]);
    }
}
