//! Rules for `W` and its dual `M`.

use super::Rule;
use crate::nnf::{Arena, Id, Nnf, Side};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "a W b = b if a implies b", rewrite: weak_implied },
    Rule { name: "a W b = true if !a implies b", rewrite: weak_covered },
    Rule { name: "a W e = G a | e", rewrite: weak_until_eventual },
    Rule { name: "u W b = u | b", rewrite: weak_universal },
    Rule { name: "X a W X b = X(a W b)", rewrite: weak_of_next },
    Rule { name: "a W (b | e) = a W b | e", rewrite: weak_or_eventual },
    Rule { name: "a W (a & b) = b R a", rewrite: weak_and_left },
    Rule { name: "a W G a = G a", rewrite: weak_always },
    Rule { name: "a W (b W c) if a implies b", rewrite: weak_weaker },
    Rule { name: "a W (b W c), a W (b U c) = a W c if b implies a", rewrite: weak_stronger },
];

fn weak_implied(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::WeakUntil(a, b) = node else { return None };
    arena.implies(side, a, b).then_some(b)
}

fn weak_covered(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::WeakUntil(a, b) = node else { return None };
    arena.covers(side, a, b).then(|| arena.truth(side))
}

fn weak_until_eventual(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::WeakUntil(a, b) = node else { return None };
    if !arena.is_eventual(b, side) {
        return None;
    }
    let always = arena.make(side, Nnf::Always(a));
    Some(arena.or(side, [always, b]))
}

fn weak_universal(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::WeakUntil(a, b) = node else { return None };
    arena.is_universal(a, side).then(|| arena.or(side, [a, b]))
}

fn weak_of_next(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::WeakUntil(a, b) = node else { return None };
    let (&Nnf::Next(a), &Nnf::Next(b)) = (arena.node(a), arena.node(b)) else { return None };
    let weak = arena.make(side, Nnf::WeakUntil(a, b));
    Some(arena.make(side, Nnf::Next(weak)))
}

fn weak_or_eventual(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::WeakUntil(a, b) = node else { return None };
    let or = arena.node(b).clone();
    let (mut parts, others) = arena.split(Arena::other(side), &or, |arena, id| arena.is_eventual(id, side))?;
    let others = arena.or(side, others);
    parts.push(arena.make(side, Nnf::WeakUntil(a, others)));
    Some(arena.or(side, parts))
}

fn weak_and_left(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::WeakUntil(a, b) = node else { return None };
    let and = arena.node(b).clone();
    let (_, others) = arena.split(side, &and, |_, id| id == a)?;
    let others = arena.and(side, others);
    Some(arena.make(side, Nnf::Release(others, a)))
}

fn weak_always(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::WeakUntil(a, b) = node else { return None };
    (arena.seen(b, side) == Nnf::Always(a)).then_some(b)
}

fn weak_weaker(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::WeakUntil(a, right) = node else { return None };
    let Nnf::WeakUntil(b, _) = arena.seen(right, side) else { return None };
    arena.implies(side, a, b).then_some(right)
}

fn weak_stronger(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let &Nnf::WeakUntil(a, right) = node else { return None };
    let (Nnf::Until(b, c) | Nnf::WeakUntil(b, c)) = arena.seen(right, side) else { return None };
    arena.implies(side, b, a).then(|| arena.make(side, Nnf::WeakUntil(a, c)))
}
