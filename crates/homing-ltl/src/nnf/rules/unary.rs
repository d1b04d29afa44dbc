//! Rules for `X`, and for `F` and its dual `G`.

use super::Rule;
use crate::nnf::{Arena, Id, Nnf, Side};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "X s = s", rewrite: next_of_both },
    Rule { name: "F e = e", rewrite: eventually_of_eventual },
    Rule { name: "F X a = X F a", rewrite: eventually_next },
    Rule { name: "F(a U b) = F b", rewrite: eventually_until },
    Rule { name: "F(a M b) = F(a & b)", rewrite: eventually_strong_release },
    Rule { name: "F(a W b) = F G a | F b", rewrite: eventually_weak_until },
    Rule { name: "F(a R b) = F G b | F(a & b)", rewrite: eventually_release },
    Rule { name: "F(a | e) = F a | e", rewrite: eventually_or_eventual },
    Rule { name: "F(a & s) = F a & s", rewrite: eventually_and_both },
    Rule { name: "F(a | u) = F a | F u", rewrite: eventually_or_universal },
    Rule { name: "F G(a | e) = F G a | G e", rewrite: eventually_always_or_eventual },
];

fn next_of_both(arena: &mut Arena, _: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Next(a) = node else { return None };
    arena.facts(a).is_eventual_and_universal().then_some(a)
}

fn eventually_of_eventual(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Eventually(a) = node else { return None };
    arena.is_eventual(a, side).then_some(a)
}

fn eventually_next(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Eventually(a) = node else { return None };
    let Nnf::Next(mut inner) = arena.seen(a, side) else { return None };
    let mut depth = 1;
    while let &Nnf::Next(below) = arena.node(inner) {
        (inner, depth) = (below, depth + 1);
    }
    let eventually = arena.make(side, Nnf::Eventually(inner));
    Some((0..depth).fold(eventually, |id, _| arena.make(side, Nnf::Next(id))))
}

fn eventually_until(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Eventually(a) = node else { return None };
    let Nnf::Until(_, b) = arena.seen(a, side) else { return None };
    Some(arena.make(side, Nnf::Eventually(b)))
}

fn eventually_strong_release(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Eventually(a) = node else { return None };
    let Nnf::StrongRelease(a, b) = arena.seen(a, side) else { return None };
    let both = arena.and(side, [a, b]);
    Some(arena.make(side, Nnf::Eventually(both)))
}

fn eventually_weak_until(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Eventually(a) = node else { return None };
    let Nnf::WeakUntil(a, b) = arena.seen(a, side) else { return None };
    let always = arena.make(side, Nnf::Always(a));
    let parts = [always, b].map(|id| arena.make(side, Nnf::Eventually(id)));
    Some(arena.or(side, parts))
}

fn eventually_release(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Eventually(a) = node else { return None };
    let Nnf::Release(a, b) = arena.seen(a, side) else { return None };
    let always = arena.make(side, Nnf::Always(b));
    let both = arena.and(side, [a, b]);
    let parts = [always, both].map(|id| arena.make(side, Nnf::Eventually(id)));
    Some(arena.or(side, parts))
}

fn eventually_or_eventual(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Eventually(a) = node else { return None };
    let or = arena.node(a).clone();
    let (mut parts, others) = arena.split(Arena::other(side), &or, |arena, id| arena.is_eventual(id, side))?;
    let others = arena.or(side, others);
    parts.push(arena.make(side, Nnf::Eventually(others)));
    Some(arena.or(side, parts))
}

/// The dual is `G(a & e) = G a & G e`, where `G e` is a recurrence.
fn eventually_or_universal(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Eventually(a) = node else { return None };
    let or = arena.node(a).clone();
    let (universal, others) = arena.split(Arena::other(side), &or, |arena, id| arena.is_universal(id, side))?;
    if others.is_empty() && universal.len() < 2 {
        return None;
    }
    let others = arena.or(side, others);
    let parts: Vec<Id> = universal.into_iter().chain([others]).collect();
    let parts: Vec<Id> = parts.into_iter().map(|id| arena.make(side, Nnf::Eventually(id))).collect();
    Some(arena.or(side, parts))
}

fn eventually_and_both(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Eventually(a) = node else { return None };
    let and = arena.node(a).clone();
    let (mut parts, others) = arena.split(side, &and, |arena, id| arena.facts(id).is_eventual_and_universal())?;
    let others = arena.and(side, others);
    parts.push(arena.make(side, Nnf::Eventually(others)));
    Some(arena.and(side, parts))
}

fn eventually_always_or_eventual(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Eventually(a) = node else { return None };
    let Nnf::Always(inner) = arena.seen(a, side) else { return None };
    let or = arena.node(inner).clone();
    let (eventual, others) = arena.split(Arena::other(side), &or, |arena, id| arena.is_eventual(id, side))?;
    let others = arena.or(side, others);
    let always = arena.make(side, Nnf::Always(others));
    let mut parts = vec![arena.make(side, Nnf::Eventually(always))];
    parts.extend(eventual.into_iter().map(|id| arena.make(side, Nnf::Always(id))));
    Some(arena.or(side, parts))
}
