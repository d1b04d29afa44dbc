//! Rules for `U` and its dual `R`.

use super::Rule;
use crate::nnf::{Arena, Id, Nnf, Side};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "a U e = e", rewrite: until_eventual },
    Rule { name: "a U b = b if a implies b", rewrite: until_implied },
    Rule { name: "a U b = F b if !a implies b", rewrite: until_covered },
    Rule { name: "X a U X b = X(a U b)", rewrite: until_of_next },
    Rule { name: "a U (b | e) = a U b | e", rewrite: until_or_eventual },
    Rule { name: "a U (b & s) = a U b & s", rewrite: until_and_both },
    Rule { name: "a U (a & b) = b M a", rewrite: until_and_left },
    Rule { name: "a U G a = G a", rewrite: until_always },
    Rule { name: "a U (b U c), a U (b W c) if a implies b", rewrite: until_weaker },
    Rule { name: "a U (b U c) = a U c if b implies a", rewrite: until_stronger },
    Rule { name: "(a U b) U c = a U b | c if b implies c", rewrite: until_of_until },
];

fn until_eventual(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Until(_, b) = node else { return None };
    arena.is_eventual(b, side).then_some(b)
}

fn until_implied(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Until(a, b) = node else { return None };
    arena.implies(side, a, b).then_some(b)
}

fn until_covered(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Until(a, b) = node else { return None };
    arena.covers(side, a, b).then(|| arena.make(side, Nnf::Eventually(b)))
}

fn until_of_next(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Until(a, b) = node else { return None };
    let (&Nnf::Next(a), &Nnf::Next(b)) = (arena.node(a), arena.node(b)) else { return None };
    let until = arena.make(side, Nnf::Until(a, b));
    Some(arena.make(side, Nnf::Next(until)))
}

fn until_or_eventual(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Until(a, b) = node else { return None };
    let or = arena.node(b).clone();
    let (mut parts, others) = arena.split(Arena::other(side), &or, |arena, id| arena.is_eventual(id, side))?;
    let others = arena.or(side, others);
    parts.push(arena.make(side, Nnf::Until(a, others)));
    Some(arena.or(side, parts))
}

fn until_and_both(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Until(a, b) = node else { return None };
    let and = arena.node(b).clone();
    let (mut parts, others) = arena.split(side, &and, |arena, id| arena.facts(id).is_eventual_and_universal())?;
    let others = arena.and(side, others);
    parts.push(arena.make(side, Nnf::Until(a, others)));
    Some(arena.and(side, parts))
}

fn until_and_left(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Until(a, b) = node else { return None };
    let and = arena.node(b).clone();
    let (_, others) = arena.split(side, &and, |_, id| id == a)?;
    let others = arena.and(side, others);
    Some(arena.make(side, Nnf::StrongRelease(others, a)))
}

fn until_always(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Until(a, b) = node else { return None };
    (arena.seen(b, side) == Nnf::Always(a)).then_some(b)
}

fn until_weaker(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Until(a, right) = node else { return None };
    let (Nnf::Until(b, _) | Nnf::WeakUntil(b, _)) = arena.seen(right, side) else { return None };
    arena.implies(side, a, b).then_some(right)
}

fn until_stronger(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Until(a, right) = node else { return None };
    let Nnf::Until(b, c) = arena.seen(right, side) else { return None };
    arena.implies(side, b, a).then(|| arena.make(side, Nnf::Until(a, c)))
}

fn until_of_until(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::Until(left, c) = node else { return None };
    let Nnf::Until(_, b) = arena.seen(left, side) else { return None };
    arena.implies(side, b, c).then(|| arena.or(side, [left, c]))
}
