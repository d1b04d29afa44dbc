//! Rules that rewrite a formula to an equivalent one.
//!
//! A rule looks at a node whose operands are simplified. It is written for one of two dual operators; seen from the
//! dual side it is the rule for the other. The comments name formulas as seen from the plain side; `e` is eventual, `u`
//! universal, `s` both. Rules are those of Somenzi & Bloem 2000, Etessami & Holzmann 2000, Babiak et al. 2012, and the
//! manual of Spot's library of temporal logic (Duret-Lutz), with a few that follow from the same laws.

mod lattice;
mod unary;
mod until;
mod weak;

use super::{Arena, Id, Nnf, Side};

/// A rule with its name.
struct Rule {
    #[cfg_attr(not(test), expect(dead_code, reason = "names are for the tests"))]
    name: &'static str,
    /// An equivalent of the node, as seen from a side; `None` if the rule does not apply.
    rewrite: fn(&mut Arena, Side, &Nnf) -> Option<Id>,
}

/// All rules, in the order in which they are tried.
fn all() -> impl Iterator<Item = &'static Rule> {
    [unary::RULES, until::RULES, weak::RULES, lattice::RULES].into_iter().flatten()
}

/// The rules that an arena applies, as bits by their position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleSet(u64);

impl RuleSet {
    /// All rules.
    pub const ALL: RuleSet = RuleSet(u64::MAX);

    /// No rule.
    #[cfg(test)]
    pub const NONE: RuleSet = RuleSet(0);
}

/// An equivalent of a node by the first rule that applies.
pub(super) fn rewrite(arena: &mut Arena, node: &Nnf) -> Option<Id> {
    let enabled = arena.rules;
    for side in [Side::Plain, Side::Dual] {
        let seen = node.clone().seen_from(side);
        let rules = all().enumerate().filter(|(index, _)| enabled.0 >> index & 1 == 1);
        for (_, rule) in rules {
            if let Some(id) = (rule.rewrite)(arena, side, &seen) {
                return Some(id);
            }
        }
    }
    None
}

impl Arena {
    /// Splits the operands of a conjunction (from the dual side: of a disjunction) into those with a property and the
    /// others. `None` if the node is no such thing or none has the property.
    fn split(&self, side: Side, node: &Nnf, has: impl Fn(&Arena, Id) -> bool) -> Option<(Vec<Id>, Vec<Id>)> {
        let Nnf::And(operands) = node.clone().seen_from(side) else { return None };
        let (with, without): (Vec<Id>, Vec<Id>) = operands.iter().partition(|&&id| has(self, id));
        (!with.is_empty()).then_some((with, without))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::{Formula, Node};
    use crate::random;

    /// For each rule a formula that it applies to. The names stand for random formulas: `e` for an eventual one, `u`
    /// for a universal one, `s` for one that is both.
    const EXAMPLES: &[(&str, &str)] = &[
        ("X s = s", "X s"),
        ("F e = e", "<> e"),
        ("F X a = X F a", "<> X X a"),
        ("F(a U b) = F b", "<> (a U b)"),
        ("F(a M b) = F(a & b)", "[] (a W b)"),
        ("F(a W b) = F G a | F b", "<> (a W b)"),
        ("F(a R b) = F G b | F(a & b)", "<> (a V b)"),
        ("F(a | e) = F a | e", "<> (a || e)"),
        ("F(a & s) = F a & s", "<> (a && s)"),
        ("F(a | u) = F a | F u", "<> (a || u)"),
        ("F G(a | e) = F G a | G e", "<> [] (a || e)"),
        ("a U e = e", "a U e"),
        ("a U b = b if a implies b", "(a && b) U b"),
        ("a U b = F b if !a implies b", "(a || b) U (!b || c)"),
        ("X a U X b = X(a U b)", "X a U X b"),
        ("a U (b | e) = a U b | e", "a U (b || e)"),
        ("a U (b & s) = a U b & s", "a U (b && s)"),
        ("a U (a & b) = b M a", "a U (a && X b)"),
        ("a U G a = G a", "a U [] a"),
        ("a U (b U c), a U (b W c) if a implies b", "(a && X b) U (a U c)"),
        ("a U (b U c) = a U c if b implies a", "a U ((a && X b) U c)"),
        ("(a U b) U c = a U b | c if b implies c", "(a U b) U (b || X c)"),
        ("a W b = b if a implies b", "(a && b) W b"),
        ("a W b = true if !a implies b", "(a || b) W (!b || c)"),
        ("a W e = G a | e", "a W e"),
        ("u W b = u | b", "u W b"),
        ("X a W X b = X(a W b)", "X a W X b"),
        ("a W (b | e) = a W b | e", "a W (b || e)"),
        ("a W (a & b) = b R a", "a W (a && X b)"),
        ("a W G a = G a", "a W [] a"),
        ("a W (b W c) if a implies b", "(a && X b) W (a W c)"),
        ("a W (b W c), a W (b U c) = a W c if b implies a", "a W ((a && X b) W c)"),
        ("a & b = a if a implies b", "(a U b) && (a W b)"),
        ("a & b = false if a implies !b", "[] a && X <> !a"),
        ("G a & G b = G(a & b) unless one is eventual", "[] a && [] b"),
        ("F G a & F G b = F G(a & b)", "<> [] a && <> [] b"),
        ("a U c & b U c = (a & b) U c, with W", "(a U c) && (b U c) && (b W c)"),
        ("a R b & a R c = a R (b & c), with M", "(a V b) && (a V c)"),
        ("a W b & F b = a U b", "(a W b) && <> b"),
        ("a R b & F a = a M b", "(a V b) && <> a"),
        ("G a & (b U c) = G a & F c if a implies b, with M", "[] (a && X b) && (a U c)"),
        ("a & X(G a & b) = G a & X b", "a && X ([] a && b)"),
        ("a & (b | X(b R a)) = b R a, with M", "a && (b || X (b V a))"),
        ("a & (b | c) = a & c if a implies !b", "a && (X b || !a && X c)"),
    ];

    /// Replaces the names of an example by random formulas.
    fn instance(rng: &mut fastrand::Rng, example: &str) -> Formula {
        let parsed = crate::parse(example).expect("an example");
        let mut operand = |name: &str| {
            let size = rng.usize(1..4);
            let formula = random::formula(rng, size, 2);
            match name {
                "e" => formula.eventually().next(),
                "u" => formula.always().next(),
                "s" => formula.eventually().always(),
                _ => formula,
            }
        };
        let operands: Vec<Formula> = parsed.names.iter().map(|name| operand(name)).collect();
        let mut stack = Vec::new();
        for &node in parsed.formula.nodes() {
            let formula = match node {
                Node::Proposition(index) => operands[index as usize].clone(),
                Node::Unary(operator) => Formula::unary(operator, stack.pop().expect("an operand")),
                Node::Binary(operator) => {
                    let right = stack.pop().expect("an operand");
                    Formula::binary(operator, stack.pop().expect("an operand"), right)
                }
                Node::True | Node::False => unreachable!("no example has a constant"),
            };
            stack.push(formula);
        }
        stack.pop().expect("the formula")
    }

    /// Formulas are simplified by one rule alone and compared with the original on random words.
    #[test]
    fn each_rule_keeps_the_meaning() {
        let mut rng = fastrand::Rng::with_seed(5);
        assert!(all().map(|rule| rule.name).eq(EXAMPLES.iter().map(|(name, _)| *name)), "an example for each rule");
        for (index, (name, example)) in EXAMPLES.iter().enumerate() {
            let mut applied = 0;
            for _ in 0..300 {
                let original = instance(&mut rng, example);
                let mut plain = Arena::new(2, RuleSet::NONE);
                let (unchanged, unchanged_negation) = plain.convert(&original);
                let mut arena = Arena::new(2, RuleSet(1 << index));
                let (simple, negation) = arena.convert(&original);
                let (simple, negation) = (arena.formula(simple), arena.formula(negation));
                applied += usize::from(plain.formula(unchanged) != simple);
                applied += usize::from(plain.formula(unchanged_negation) != negation);
                compare(&mut rng, name, &original, &simple, &negation);
            }
            assert!(applied > 50, "{name} was applied {applied} times");
        }
    }

    #[test]
    fn all_rules_together_keep_the_meaning() {
        let mut rng = fastrand::Rng::with_seed(6);
        for _ in 0..if cfg!(debug_assertions) { 5_000 } else { 50_000 } {
            let size = rng.usize(2..20);
            let original = random::formula(&mut rng, size, 3);
            let mut arena = Arena::new(3, RuleSet::ALL);
            let (simple, negation) = arena.convert(&original);
            compare(&mut rng, "all", &original, &arena.formula(simple), &arena.formula(negation));
            let negated = arena.negation(simple);
            compare(&mut rng, "negation", &original, &arena.formula(simple), &arena.formula(negated));
        }
    }

    #[track_caller]
    fn compare(rng: &mut fastrand::Rng, rule: &str, original: &Formula, simple: &Formula, negation: &Formula) {
        for _ in 0..20 {
            let word = random::word(rng, 3);
            let expected = word.satisfies(original);
            assert_eq!(word.satisfies(simple), expected, "{rule}: {original} became {simple}, {word:?}");
            assert_ne!(word.satisfies(negation), expected, "{rule}: !({original}) became {negation}, {word:?}");
        }
    }
}
