//! Deterministic automata of recurrence formulas `G F g` (Esparza, Křetínský & Sickert 2018, §5; Spot's "gf-guarantee").
//!
//! If `F g` is a guarantee property, finite prefixes decide it: the minimal deterministic automaton of `F g` reaches a state
//! that accepts everything. An automaton of `G F g` begins again there instead, with a mark. The tableau has to guess where
//! `g` begins to hold; this automaton does not, and is smaller if `g` looks at more than one state.

use crate::automaton::{Automaton, Edge};
use crate::nnf::{Arena, Id, Nnf, Side};
use crate::strength::SccClass;
use crate::translate::reduced_tableau;
use crate::trim::Acceptance;
use crate::wdba::minimal_wdba;

/// The automaton of a formula of which conjuncts are recurrence formulas, as the product of their deterministic automata
/// with that of the rest. `None` if that does not apply or would not differ from the tableau.
pub fn translate(arena: &mut Arena, formula: Id) -> Option<Automaton> {
    let conjuncts = match arena.node(formula) {
        Nnf::And(conjuncts) => conjuncts.to_vec(),
        _ => vec![formula],
    };
    let mut product: Option<Automaton> = None;
    let mut rest = Vec::new();
    for conjunct in conjuncts {
        let Some(automaton) = recurrence(arena, conjunct) else {
            rest.push(conjunct);
            continue;
        };
        product = Some(match product {
            Some(known) => combined(&known, &automaton)?,
            None => automaton,
        });
    }
    let product = product?;
    if rest.is_empty() {
        return Some(product);
    }
    let rest = arena.and(Side::Plain, rest);
    let rest = reduced_tableau(arena, rest)?;
    combined(&product, &rest)
}

fn combined(a: &Automaton, b: &Automaton) -> Option<Automaton> {
    let fits = a.sets + b.sets <= Automaton::MOST_SETS;
    fits.then(|| a.intersection(b).trimmed().simulation_reduced(Acceptance::Edges))
}

/// The automaton of `G F g` if `F g` is a guarantee and `g` has a temporal operator.
fn recurrence(arena: &mut Arena, formula: Id) -> Option<Automaton> {
    let &Nnf::Always(eventually) = arena.node(formula) else { return None };
    let &Nnf::Eventually(goal) = arena.node(eventually) else { return None };
    if matches!(arena.node(goal), Nnf::Letters(_)) {
        return None;
    }
    let negation = arena.negation(eventually);
    let (positive, negative) = (reduced_tableau(arena, eventually)?, reduced_tableau(arena, negation)?);
    let weak = minimal_wdba(&positive, &negative)?;
    restarting(&weak)
}

/// Replaces the state that accepts all words by the initial one, which is entered with a mark. `None` if the automaton is
/// not terminal.
fn restarting(automaton: &Automaton) -> Option<Automaton> {
    let classes = automaton.classes();
    let is_final = |state: usize| classes.of(state) == SccClass::AcceptingAll;
    let is_waiting = |state: usize| {
        matches!(classes.of(state), SccClass::Transient | SccClass::NonAccepting | SccClass::AcceptingAll)
    };
    if is_final(automaton.initial) || !(0..automaton.states.len()).all(is_waiting) {
        return None;
    }
    let restart = |edge: &Edge| match is_final(edge.target) {
        true => Edge { marks: 1, target: automaton.initial, ..edge.clone() },
        false => Edge { marks: 0, ..edge.clone() },
    };
    let states = automaton.states.iter().map(|edges| edges.iter().map(restart).collect()).collect();
    Some(Automaton { sets: 1, states, ..*automaton }.trimmed())
}
