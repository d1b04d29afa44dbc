//! Deterministic automata of recurrence formulas `G F g` (Esparza, Křetínský & Sickert 2018, §5; Spot's
//! "gf-guarantee").
//!
//! If `F g` is a guarantee property, finite prefixes decide it: the minimal deterministic automaton of `F g` reaches a
//! state that accepts everything. An automaton of `G F g` begins again there instead, with a mark. The tableau has to
//! guess where `g` begins to hold; this automaton does not, and is smaller if `g` looks at more than one state.

use std::collections::HashMap;

use rapidhash::fast::RandomState;

use crate::automaton::{Automaton, Edge};
use crate::letters::Letters;
use crate::nnf::{Arena, Id, Nnf, Side};
use crate::strength::SccClass;
use crate::tableau::Effort;
use crate::translate::reduced_tableau;
use crate::trim::Acceptance;
use crate::wdba::minimal_wdba;

/// The automaton of a formula of which conjuncts are recurrence formulas, as the product of their deterministic
/// automata with that of the rest. `None` if that does not apply or would not differ from the tableau.
pub fn translate(arena: &mut Arena, formula: Id) -> Option<Automaton> {
    product(arena, formula, Effort::Modest, |arena, conjuncts| {
        let mut rest = Vec::new();
        let mut product: Option<Automaton> = None;
        for conjunct in conjuncts {
            match (recurrence(arena, conjunct), product.take()) {
                (None, known) => {
                    rest.push(conjunct);
                    product = known;
                }
                (Some(automaton), None) => product = Some(automaton),
                (Some(automaton), Some(known)) => product = Some(combined(&known, &automaton)?),
            }
        }
        Some((product?, rest))
    })
}

/// The largest number of conjuncts `G F` of Boolean formulas that the tableau gets: it makes an edge for each subset of
/// them.
const MOST_RECURRING: usize = 5;

/// The automaton of a formula with many conjuncts `G F` of Boolean formulas, as in assumptions of fairness. They are
/// met in turn, by an automaton that counts; the tableau translates the rest. `None` if there are few.
pub fn translate_many(arena: &mut Arena, formula: Id, effort: Effort) -> Option<Automaton> {
    product(arena, formula, effort, |arena, conjuncts| {
        let (goals, rest): (Vec<Id>, Vec<Id>) = conjuncts.iter().partition(|&&id| boolean_goal(arena, id).is_some());
        let goals: Vec<Letters> = goals.into_iter().filter_map(|id| boolean_goal(arena, id)).collect();
        (goals.len() > MOST_RECURRING).then(|| (counter(&goals), rest))
    })
}

/// The letters of `a` if the formula is `G F a`.
fn boolean_goal(arena: &Arena, formula: Id) -> Option<Letters> {
    let &Nnf::Always(eventually) = arena.node(formula) else { return None };
    let &Nnf::Eventually(goal) = arena.node(eventually) else { return None };
    if let Nnf::Letters(letters) = arena.node(goal) { Some(letters.clone()) } else { None }
}

/// The deterministic automaton that waits for each goal in turn; an edge on which it has met the last one is marked.
fn counter(goals: &[Letters]) -> Automaton {
    let propositions = goals[0].propositions();
    let edges = |level: usize| {
        let mut edges = Vec::new();
        let mut met = Letters::all(propositions);
        for (target, goal) in goals.iter().enumerate().skip(level) {
            edges.push(Edge { letters: met.and_not(goal), marks: 0, target });
            met = met.and(goal);
        }
        edges.push(Edge { letters: met, marks: 1, target: 0 });
        edges.retain(|edge| !edge.letters.is_empty());
        edges
    };
    Automaton { propositions, sets: 1, initial: 0, states: (0..goals.len()).map(edges).collect() }
}

/// The product of the automaton that `translate` makes of some conjuncts of a formula with the tableau of those that it
/// leaves.
fn product(
    arena: &mut Arena,
    formula: Id,
    effort: Effort,
    translate: impl Fn(&mut Arena, Vec<Id>) -> Option<(Automaton, Vec<Id>)>,
) -> Option<Automaton> {
    let conjuncts = match arena.node(formula) {
        Nnf::And(conjuncts) => conjuncts.to_vec(),
        _ => vec![formula],
    };
    let (automaton, rest) = translate(arena, conjuncts)?;
    if rest.is_empty() {
        return Some(automaton);
    }
    let rest = arena.and(Side::Plain, rest);
    combined(&automaton, &reduced_tableau(arena, rest, effort)?)
}

/// The product of an automaton with a deterministic and complete one of a recurrence property, which does not depend on
/// the beginning of a word: it need run only where the other automaton may accept, and is suspended elsewhere (Babiak,
/// Badie, Duret-Lutz, Křetínský & Strejček 2013, §3).
fn combined(recurrence: &Automaton, other: &Automaton) -> Option<Automaton> {
    let sets = recurrence.sets + other.sets;
    if sets > Automaton::MOST_SETS {
        return None;
    }
    let components = other.components();
    let accepting = other.accepting_components(&components);
    let first = (other.initial, recurrence.initial);
    let mut numbers: HashMap<(usize, usize), usize, RandomState> = HashMap::from_iter([(first, 0)]);
    let mut pairs = vec![first];
    let mut states: Vec<Vec<Edge>> = Vec::new();
    while let Some(&(p, q)) = pairs.get(states.len()) {
        let mut edges = Vec::new();
        let mut add = |letters: Letters, marks: u32, pair: (usize, usize)| {
            let target = *numbers.entry(pair).or_insert_with(|| {
                pairs.push(pair);
                pairs.len() - 1
            });
            edges.push(Edge { letters, marks, target });
        };
        for edge in &other.states[p] {
            let component = components.of[p];
            if !accepting[component] || components.of[edge.target] != component {
                add(edge.letters.clone(), 0, (edge.target, recurrence.initial));
                continue;
            }
            for own in recurrence.states[q].iter().filter(|own| own.letters.intersects(&edge.letters)) {
                let marks = edge.marks | own.marks << other.sets;
                add(edge.letters.and(&own.letters), marks, (edge.target, own.target));
            }
        }
        states.push(edges);
    }
    let product = Automaton { propositions: other.propositions, sets, initial: 0, states };
    Some(product.trimmed().simulation_reduced(Acceptance::Edges))
}

/// The automaton of `G F g` if `F g` is a guarantee and `g` has a temporal operator.
fn recurrence(arena: &mut Arena, formula: Id) -> Option<Automaton> {
    let &Nnf::Always(eventually) = arena.node(formula) else { return None };
    let &Nnf::Eventually(goal) = arena.node(eventually) else { return None };
    if matches!(arena.node(goal), Nnf::Letters(_)) {
        return None;
    }
    let negation = arena.negation(eventually);
    let positive = reduced_tableau(arena, eventually, Effort::Modest)?;
    let negative = reduced_tableau(arena, negation, Effort::Modest)?;
    let weak = minimal_wdba(&positive, &negative)?;
    restarting(&weak)
}

/// Replaces the state that accepts all words by the initial one, which is entered with a mark. `None` if the automaton
/// is not terminal.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnf::RuleSet;
    use crate::{parse, random};

    /// Checks a construction against words; returns the number of states, `None` if it does not apply.
    fn check(text: &str, construct: impl Fn(&mut Arena, Id) -> Option<Automaton>) -> Option<usize> {
        let formula = parse(text).expect("a formula").formula;
        let mut arena = Arena::new(formula.proposition_count(), RuleSet::ALL);
        let (id, _) = arena.convert(&formula);
        let automaton = construct(&mut arena, id)?;
        let mut rng = fastrand::Rng::with_seed(15);
        for _ in 0..300 {
            let word = random::word(&mut rng, formula.proposition_count() as u32);
            assert_eq!(automaton.accepts(&word), word.satisfies(&formula), "{text} on {word:?}");
        }
        Some(automaton.states.len())
    }

    #[test]
    fn recurrence_of_guarantees() {
        for (text, expected) in [
            ("[] <> (p && X <> (q && X <> r))", Some(3)),
            ("[] p && [] <> (q && X r)", Some(2)),
            ("[] <> (p && X q) && [] <> (q && X p)", Some(4)),
            ("[] <> p", None),
            ("[] <> (p && [] q)", None),
            ("<> [] p", None),
        ] {
            assert_eq!(check(text, translate), expected, "{text}");
        }
    }

    #[test]
    fn many_recurring_propositions() {
        let recurring =
            |count: usize| (0..count).map(|index| format!("[] <> p{index}")).collect::<Vec<_>>().join(" && ");
        let many = |arena: &mut Arena, id: Id| translate_many(arena, id, Effort::Full);
        assert_eq!(check(&recurring(MOST_RECURRING), many), None);
        assert_eq!(check(&recurring(7), many), Some(7));
        assert_eq!(check(&format!("{} && <> [] q", recurring(6)), many), Some(7));
    }
}
