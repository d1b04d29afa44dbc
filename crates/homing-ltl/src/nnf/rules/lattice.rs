//! Rules for conjunctions and, dually, disjunctions.

use super::Rule;
use crate::nnf::{Arena, Id, Nnf, Side};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "a & b = a if a implies b", rewrite: subsumed },
    Rule { name: "a & b = false if a implies !b", rewrite: contradictory },
    Rule { name: "G a & G b = G(a & b) unless one is eventual", rewrite: always_and_always },
    Rule { name: "F G a & F G b = F G(a & b)", rewrite: persistent_and_persistent },
    Rule { name: "a U c & b U c = (a & b) U c, with W", rewrite: same_right },
    Rule { name: "a R b & a R c = a R (b & c), with M", rewrite: same_left },
    Rule { name: "a W b & F b = a U b", rewrite: weak_and_eventually },
    Rule { name: "a R b & F a = a M b", rewrite: release_and_eventually },
    Rule { name: "G a & (b U c) = G a & F c if a implies b, with M", rewrite: always_and_until },
    Rule { name: "a & X(G a & b) = G a & X b", rewrite: now_and_next_always },
    Rule { name: "a & (b | X(b R a)) = b R a, with M", rewrite: unfolded_release },
    Rule { name: "a & (b | c) = a & c if a implies !b", rewrite: unit },
];

/// Two different operands of a conjunction in both orders, found by `find`, replaced by what it returns.
fn pair(
    arena: &mut Arena,
    side: Side,
    node: &Nnf,
    mut find: impl FnMut(&mut Arena, Id, Id) -> Option<Id>,
) -> Option<Id> {
    let Nnf::And(operands) = node else { return None };
    for (i, &a) in operands.iter().enumerate() {
        for (j, &b) in operands.iter().enumerate() {
            if i == j {
                continue;
            }
            if let Some(joint) = find(arena, a, b) {
                let others = operands.iter().copied().filter(|&id| id != a && id != b);
                let all: Vec<Id> = others.chain([joint]).collect();
                return Some(arena.and(side, all));
            }
        }
    }
    None
}

fn subsumed(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    pair(arena, side, node, |arena, a, b| arena.implies(side, a, b).then_some(a))
}

fn contradictory(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let other = Arena::other(side);
    pair(arena, side, node, |arena, a, b| (a < b && arena.covers(other, a, b)).then(|| arena.truth(other)))
}

fn always_and_always(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    pair(arena, side, node, |arena, a, b| {
        let (Nnf::Always(a), Nnf::Always(b)) = (arena.seen(a, side), arena.seen(b, side)) else { return None };
        if arena.is_eventual(a, side) || arena.is_eventual(b, side) {
            return None;
        }
        let both = arena.and(side, [a, b]);
        Some(arena.make(side, Nnf::Always(both)))
    })
}

fn persistent_and_persistent(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    pair(arena, side, node, |arena, a, b| {
        let (Nnf::Eventually(a), Nnf::Eventually(b)) = (arena.seen(a, side), arena.seen(b, side)) else { return None };
        let (Nnf::Always(_), Nnf::Always(_)) = (arena.seen(a, side), arena.seen(b, side)) else { return None };
        let both = arena.and(side, [a, b]);
        Some(arena.make(side, Nnf::Eventually(both)))
    })
}

fn same_right(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    pair(arena, side, node, |arena, left, right| match (arena.seen(left, side), arena.seen(right, side)) {
        (Nnf::Until(a, c), Nnf::Until(b, d) | Nnf::WeakUntil(b, d)) if c == d => {
            let both = arena.and(side, [a, b]);
            Some(arena.make(side, Nnf::Until(both, c)))
        }
        (Nnf::WeakUntil(a, c), Nnf::WeakUntil(b, d)) if c == d => {
            let both = arena.and(side, [a, b]);
            Some(arena.make(side, Nnf::WeakUntil(both, c)))
        }
        _ => None,
    })
}

fn same_left(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    pair(arena, side, node, |arena, left, right| match (arena.seen(left, side), arena.seen(right, side)) {
        (Nnf::StrongRelease(a, b), Nnf::StrongRelease(d, c) | Nnf::Release(d, c)) if a == d => {
            let both = arena.and(side, [b, c]);
            Some(arena.make(side, Nnf::StrongRelease(a, both)))
        }
        (Nnf::Release(a, b), Nnf::Release(d, c)) if a == d => {
            let both = arena.and(side, [b, c]);
            Some(arena.make(side, Nnf::Release(a, both)))
        }
        _ => None,
    })
}

fn weak_and_eventually(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    pair(arena, side, node, |arena, weak, eventually| {
        let Nnf::WeakUntil(a, b) = arena.seen(weak, side) else { return None };
        (arena.seen(eventually, side) == Nnf::Eventually(b)).then(|| arena.make(side, Nnf::Until(a, b)))
    })
}

fn release_and_eventually(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    pair(arena, side, node, |arena, release, eventually| {
        let Nnf::Release(a, b) = arena.seen(release, side) else { return None };
        (arena.seen(eventually, side) == Nnf::Eventually(a)).then(|| arena.make(side, Nnf::StrongRelease(a, b)))
    })
}

fn always_and_until(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    pair(arena, side, node, |arena, always, until| {
        let Nnf::Always(a) = arena.seen(always, side) else { return None };
        let (held, reached) = match arena.seen(until, side) {
            Nnf::Until(b, c) => (b, c),
            Nnf::StrongRelease(c, b) => (b, c),
            _ => return None,
        };
        if !arena.implies(side, a, held) {
            return None;
        }
        let eventually = arena.make(side, Nnf::Eventually(reached));
        Some(arena.and(side, [always, eventually]))
    })
}

fn now_and_next_always(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    pair(arena, side, node, |arena, now, next| {
        let &Nnf::Next(next) = arena.node(next) else { return None };
        let always = Nnf::Always(now);
        if arena.seen(next, side) == always {
            return Some(next);
        }
        let and = arena.node(next).clone();
        let (found, others) = arena.split(side, &and, |arena, id| arena.seen(id, side) == always)?;
        let others = arena.and(side, others);
        let next = arena.make(side, Nnf::Next(others));
        Some(arena.and(side, [found[0], next]))
    })
}

fn unfolded_release(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    pair(arena, side, node, |arena, a, or| {
        let Nnf::Or(operands) = arena.seen(or, side) else { return None };
        operands.iter().find_map(|&id| {
            let &Nnf::Next(unfolded) = arena.node(id) else { return None };
            let (Nnf::Release(b, c) | Nnf::StrongRelease(b, c)) = arena.seen(unfolded, side) else { return None };
            let others: Vec<Id> = operands.iter().copied().filter(|&other| other != id).collect();
            (c == a && arena.or(side, others) == b).then_some(unfolded)
        })
    })
}

fn unit(arena: &mut Arena, side: Side, node: &Nnf) -> Option<Id> {
    let other = Arena::other(side);
    pair(arena, side, node, |arena, a, or| {
        let Nnf::Or(operands) = arena.seen(or, side) else { return None };
        let (excluded, possible): (Vec<Id>, Vec<Id>) = operands.iter().partition(|&&b| arena.covers(other, a, b));
        if excluded.is_empty() {
            return None;
        }
        let possible = arena.or(side, possible);
        Some(arena.and(side, [a, possible]))
    })
}
