//! Claims whose lassos are those of the runs that they read (Schuppan & Biere 2005, §4; the tableau of Clarke, Grumberg & Hamaguchi 1997).
//!
//! A claim that guesses late makes lassos longer than those of the run: it may be in another state when the system is back in one. A
//! state of this claim says of each temporal subformula whether it holds now. That is a function of the rest of the word, so that on
//! `u v^ω` the claim is in the same state after `u` and after `u v`: what is shortest in the product is shortest among the runs.

use crate::formula::{Binary, Formula, Node, Unary};
use crate::layers::{Claim, ClaimMove, ClaimTarget};
use crate::letters::Letters;

/// The most subformulas that a state decides: there are as many states as sets of them.
const MOST_TRACKED: usize = 5;

/// Claims for the words that satisfy a formula, one for each state in which such a word may begin; `None` if that would take too many
/// states.
pub fn tight_claims(formula: &Formula) -> Option<Vec<Claim>> {
    let root = formula.nodes().len() - 1;
    let mut tableau = Tableau::of(formula);
    if tableau.tracked.len() > MOST_TRACKED || tableau.propositions > Letters::MOST_PROPOSITIONS {
        return None;
    }
    // where the first letter decides whether the formula holds, its value is a part of the state
    let is_open = |state: u32| {
        let value = tableau.values(state).swap_remove(root);
        !value.is_all() && !value.is_empty()
    };
    if (0..1u32 << tableau.tracked.len()).any(is_open) {
        tableau.track(root);
    }
    if tableau.tracked.len() > MOST_TRACKED || tableau.propositions > Letters::MOST_PROPOSITIONS {
        return None;
    }
    let states = 0..1u32 << tableau.tracked.len();
    let moves: Vec<Vec<ClaimMove>> = states.clone().map(|from| tableau.moves(from, states.clone())).collect();
    let holds = |state: u32| match tableau.bit(root) {
        Some(bit) => state >> bit & 1 == 1,
        None => tableau.values(state)[root].is_all(),
    };
    let can_begin = |state: &u32| holds(*state) && !moves[*state as usize].is_empty();
    let sets = tableau.eventualities().count() as u32;
    let claim = Claim::new(0, sets, tableau.propositions, moves.clone());
    Some(states.filter(can_begin).map(|initial| claim.beginning_in(initial as u16)).collect())
}

struct Tableau<'f> {
    nodes: &'f [Node],
    /// By node: its operands; of one operand twice the same.
    operands: Vec<(usize, usize)>,
    /// The nodes whose values make a state: temporal operators, operands of `X`, and the formula itself if a letter decides it.
    tracked: Vec<usize>,
    propositions: usize,
}

impl<'f> Tableau<'f> {
    fn of(formula: &'f Formula) -> Self {
        let nodes = formula.nodes();
        let (mut open, mut operands, mut propositions) = (Vec::new(), Vec::with_capacity(nodes.len()), 0);
        for (at, node) in nodes.iter().enumerate() {
            operands.push(match node {
                Node::True | Node::False => (at, at),
                Node::Proposition(number) => {
                    propositions = propositions.max(*number as usize + 1);
                    (at, at)
                }
                Node::Unary(_) => {
                    let operand: usize = open.pop().expect("operands come before their operator");
                    (operand, operand)
                }
                Node::Binary(_) => {
                    let right = open.pop().expect("operands come before their operator");
                    (open.pop().expect("operands come before their operator"), right)
                }
            });
            open.push(at);
        }
        let mut tableau = Tableau { nodes, operands, tracked: Vec::new(), propositions };
        for (at, node) in nodes.iter().enumerate() {
            let is_next = *node == Node::Unary(Unary::Next);
            if tableau.is_temporal(at) {
                tableau.track(at);
            }
            if is_next {
                tableau.track(tableau.operands[at].0);
            }
        }
        tableau
    }

    fn track(&mut self, node: usize) {
        if !self.tracked.contains(&node) {
            self.tracked.push(node);
        }
    }

    fn is_temporal(&self, node: usize) -> bool {
        matches!(
            self.nodes[node],
            Node::Unary(Unary::Next | Unary::Always | Unary::Eventually)
                | Node::Binary(Binary::Until | Binary::Release | Binary::WeakUntil)
        )
    }

    /// The bit of a tracked node.
    fn bit(&self, node: usize) -> Option<usize> {
        self.tracked.iter().position(|tracked| *tracked == node)
    }

    /// The temporal operators whose value is a promise, or the denial of one.
    fn eventualities(&self) -> impl Iterator<Item = usize> {
        self.tracked.iter().copied().filter(|at| self.is_temporal(*at) && self.nodes[*at] != Node::Unary(Unary::Next))
    }

    fn constant(&self, value: bool) -> Letters {
        if value { Letters::all(self.propositions) } else { Letters::empty(self.propositions) }
    }

    /// By node: the letters with which it holds in a state.
    fn values(&self, state: u32) -> Vec<Letters> {
        let mut values: Vec<Letters> = Vec::with_capacity(self.nodes.len());
        for (at, node) in self.nodes.iter().enumerate() {
            let (left, right) = self.operands[at];
            let value = match node {
                Node::True => self.constant(true),
                Node::False => self.constant(false),
                Node::Proposition(number) => Letters::proposition(self.propositions, *number as usize),
                _ if self.is_temporal(at) => {
                    let bit = self.bit(at).expect("temporal operators are tracked");
                    self.constant(state >> bit & 1 == 1)
                }
                Node::Unary(_) => values[left].not(),
                Node::Binary(Binary::And) => values[left].and(&values[right]),
                Node::Binary(Binary::Or) => values[left].or(&values[right]),
                Node::Binary(Binary::Implies) => values[left].not().or(&values[right]),
                Node::Binary(_) => {
                    let both = values[left].and(&values[right]);
                    both.or(&values[left].not().and(&values[right].not()))
                }
            };
            values.push(value);
        }
        values
    }

    /// The moves out of a state.
    fn moves(&self, from: u32, states: std::ops::Range<u32>) -> Vec<ClaimMove> {
        let values = self.values(from);
        let fulfilled: Vec<Letters> = self.eventualities().map(|at| self.fulfilled(at, from, &values)).collect();
        let mut moves = Vec::new();
        for to in states {
            let mut groups = vec![(self.consistent(from, to, &values), 0u32)];
            for (set, letters) in fulfilled.iter().enumerate() {
                let split = |(group, acceptance): (Letters, u32)| {
                    [(group.and(letters), acceptance | 1 << set), (group.and_not(letters), acceptance)]
                };
                groups = groups.into_iter().flat_map(split).filter(|(group, _)| !group.is_empty()).collect();
            }
            let target = ClaimTarget::State(to as u16);
            let taken = groups.into_iter().filter(|(letters, _)| !letters.is_empty());
            moves.extend(taken.map(|(letters, acceptance)| ClaimMove { letters, acceptance, target }));
        }
        moves
    }

    /// The letters with which the values of two consecutive states agree.
    fn consistent(&self, from: u32, to: u32, values: &[Letters]) -> Letters {
        let mut letters = self.constant(true);
        for (bit, &at) in self.tracked.iter().enumerate() {
            let (left, right) = self.operands[at];
            let later = self.constant(to >> bit & 1 == 1);
            let value = match self.nodes[at] {
                Node::Unary(Unary::Next) => {
                    let operand = self.bit(left).expect("operands of X are tracked");
                    self.constant(to >> operand & 1 == 1)
                }
                Node::Unary(Unary::Always) => values[left].and(&later),
                Node::Unary(Unary::Eventually) => values[left].or(&later),
                Node::Binary(Binary::Until | Binary::WeakUntil) => values[right].or(&values[left].and(&later)),
                Node::Binary(Binary::Release) => values[right].and(&values[left].or(&later)),
                _ => values[at].clone(),
            };
            letters = letters.and(&if from >> bit & 1 == 1 { value } else { value.not() });
        }
        letters
    }

    /// The letters with which a state keeps what the value of a temporal operator promises, or promises nothing.
    fn fulfilled(&self, at: usize, state: u32, values: &[Letters]) -> Letters {
        let (left, right) = self.operands[at];
        let holds = state >> self.bit(at).expect("temporal operators are tracked") & 1 == 1;
        match self.nodes[at] {
            Node::Unary(Unary::Eventually) | Node::Binary(Binary::Until) if holds => values[right].clone(),
            Node::Unary(Unary::Always) | Node::Binary(Binary::Release) if !holds => values[right].not(),
            Node::Binary(Binary::WeakUntil) if !holds => values[left].not().and(&values[right].not()),
            _ => self.constant(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::holds;

    /// Whether a claim has an accepting run over `stem cycle^ω` that is in the same state at the start and at the end of the cycle.
    fn has_run(claim: &Claim, stem: &[u64], cycle: &[u64]) -> bool {
        let all = (1u32 << claim.sets) - 1;
        let next = |from: &(u16, u32), letter: u64| -> Vec<(u16, u32)> {
            let moves = claim.moves[usize::from(from.0)].iter().filter(|option| option.letters.contains(letter));
            let state = |option: &ClaimMove| match option.target {
                ClaimTarget::State(target) => (target, from.1 | option.acceptance),
                ClaimTarget::End | ClaimTarget::Failure(_) => unreachable!("it reads for ever"),
            };
            moves.map(state).collect()
        };
        let read = |mut at: Vec<(u16, u32)>, letters: &[u64]| {
            for letter in letters {
                at = at.iter().flat_map(|from| next(from, *letter)).collect();
                at.sort_unstable();
                at.dedup();
            }
            at
        };
        let after_stem = read(vec![(claim.initial, 0)], stem);
        let closes = |(state, _): &(u16, u32)| read(vec![(*state, 0)], cycle).contains(&(*state, all));
        after_stem.iter().any(closes)
    }

    #[test]
    fn a_word_has_a_run_that_is_a_lasso_where_the_word_is_one() {
        let formulas = ["[] p0", "<> p0", "[]<> p0", "<>[] p0", "[] (p0 -> <> p1)", "p0 U p1", "!(p0 U p1)", "p0 W p1"];
        let more = ["!(p0 W p1)", "p0 V p1", "!(p0 V p1)", "X p0", "[] (p0 -> X p1)", "X X !p0", "<> (p0 && X <> !p0)"];
        for text in formulas.into_iter().chain(more) {
            let mut names = vec!["p0".to_owned(), "p1".to_owned()];
            let formula = crate::parse_with(text, &mut names).expect(text).0;
            let claims = tight_claims(&formula).expect(text);
            for lengths in [(0, 1), (0, 2), (1, 1), (1, 2), (2, 1), (0, 3), (2, 2)] {
                let (stem, cycle) = lengths;
                for word in 0..1u64 << (2 * (stem + cycle)) {
                    let letters: Vec<u64> = (0..stem + cycle).map(|at| word >> (2 * at) & 3).collect();
                    let (before, round) = letters.split_at(stem);
                    let found = claims.iter().any(|claim| has_run(claim, before, round));
                    assert_eq!(found, holds(&formula, before, round), "{text} on {before:?} {round:?}");
                }
            }
        }
    }
}
