//! Sets of letters as disjunctions of prime implicants, for printing.

use super::Letters;

/// A conjunction of literals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cube {
    /// Bit i: the conjunction requires proposition i.
    pub positive: u64,
    /// Bit i: the conjunction requires that proposition i does not hold.
    pub negative: u64,
}

impl Cube {
    /// The propositions of the cube in ascending order, each with the value that is required.
    pub fn literals(self) -> impl Iterator<Item = (usize, bool)> {
        let is_literal = move |&index: &usize| (self.positive | self.negative) >> index & 1 == 1;
        (0..Letters::MOST_PROPOSITIONS).filter(is_literal).map(move |index| (index, self.positive >> index & 1 == 1))
    }
}

impl Letters {
    /// An irredundant sum of prime implicants of the set (Minato 1992; Morreale 1970). It has no cube if the set is
    /// empty, and one without literals if it contains all letters.
    pub fn prime_implicants(&self) -> Vec<Cube> {
        let (mut cubes, covered) = self.between(self, 0);
        debug_assert_eq!(covered, *self);
        cubes.sort_by_key(|cube| (cube.positive | cube.negative, cube.negative));
        cubes
    }

    /// The letters of a cube.
    pub fn cube(propositions: usize, cube: Cube) -> Self {
        cube.literals().fold(Self::all(propositions), |letters, (index, value)| {
            let literal = Self::proposition(propositions, index);
            if value { letters.and(&literal) } else { letters.and_not(&literal) }
        })
    }

    /// The set over other propositions: proposition i becomes `numbers[i]` of `propositions`.
    pub fn renumbered(&self, propositions: usize, numbers: &[usize]) -> Self {
        let bits = |mask: u64| {
            let chosen = numbers.iter().enumerate().filter(|(index, _)| mask >> index & 1 == 1);
            chosen.fold(0, |bits, (_, &number)| bits | 1 << number)
        };
        let cubes = self.prime_implicants().into_iter();
        let cubes = cubes.map(|cube| Cube { positive: bits(cube.positive), negative: bits(cube.negative) });
        cubes.fold(Self::empty(propositions), |all, cube| all.or(&Self::cube(propositions, cube)))
    }

    /// Cubes that cover at least this set and at most `upper`, over the propositions from `first`, with the set that
    /// they cover. The recursion is as deep as there are propositions.
    fn between(&self, upper: &Self, first: usize) -> (Vec<Cube>, Self) {
        if self.is_empty() {
            return (Vec::new(), self.clone());
        }
        if upper.is_all() {
            return (vec![Cube::default()], upper.clone());
        }
        let n = self.propositions();
        let index = (first..n)
            .find(|&index| self.depends_on(index) || upper.depends_on(index))
            .expect("a set that is neither empty nor full depends on a proposition");
        let (low, high) = (self.cofactor(index, false), self.cofactor(index, true));
        let (upper_low, upper_high) = (upper.cofactor(index, false), upper.cofactor(index, true));
        let (low_cubes, low_covered) = low.and_not(&upper_high).between(&upper_low, index + 1);
        let (high_cubes, high_covered) = high.and_not(&upper_low).between(&upper_high, index + 1);
        let rest = low.and_not(&low_covered).or(&high.and_not(&high_covered));
        let (free_cubes, free_covered) = rest.between(&upper_low.and(&upper_high), index + 1);
        let literal = Self::proposition(n, index);
        let covered = low_covered.and_not(&literal).or(&high_covered.and(&literal)).or(&free_covered);
        let bit = 1 << index;
        let low_cubes = low_cubes.into_iter().map(|cube| Cube { negative: cube.negative | bit, ..cube });
        let high_cubes = high_cubes.into_iter().map(|cube| Cube { positive: cube.positive | bit, ..cube });
        (low_cubes.chain(high_cubes).chain(free_cubes).collect(), covered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn union(n: usize, cubes: &[Cube]) -> Letters {
        cubes.iter().fold(Letters::empty(n), |all, &cube| all.or(&Letters::cube(n, cube)))
    }

    #[test]
    fn covers_are_prime_and_irredundant() {
        let mut rng = fastrand::Rng::with_seed(3);
        for n in [1, 4, 6, 8, 12] {
            for _ in 0..100 {
                let letters = (0..rng.usize(..6)).fold(Letters::empty(n), |letters, _| {
                    let positive = rng.u64(..) & rng.u64(..) & ((1 << n) - 1);
                    let negative = rng.u64(..) & rng.u64(..) & ((1 << n) - 1) & !positive;
                    letters.or(&Letters::cube(n, Cube { positive, negative }))
                });
                let cubes = letters.prime_implicants();
                assert_eq!(union(n, &cubes), letters);
                for (at, cube) in cubes.iter().enumerate() {
                    let others: Vec<Cube> = [&cubes[..at], &cubes[at + 1..]].concat();
                    assert_ne!(union(n, &others), letters, "redundant");
                    for (index, _) in cube.literals() {
                        let bit = !(1 << index);
                        let wider = Cube { positive: cube.positive & bit, negative: cube.negative & bit };
                        assert!(!Letters::cube(n, wider).implies(&letters), "not prime");
                    }
                }
            }
        }
    }

    #[test]
    fn other_numbers() {
        let (p, q) = (Letters::proposition(2, 0), Letters::proposition(2, 1));
        let expected = Letters::proposition(20, 17).and_not(&Letters::proposition(20, 3));
        assert_eq!(p.and_not(&q).renumbered(20, &[17, 3]), expected);
        assert_eq!(Letters::all(2).renumbered(20, &[17, 3]), Letters::all(20));
        assert_eq!(expected.renumbered(20, &(0..20).collect::<Vec<_>>()), expected);
    }

    #[test]
    fn constants_have_no_literals() {
        assert_eq!(Letters::empty(3).prime_implicants(), []);
        assert_eq!(Letters::all(3).prime_implicants(), [Cube::default()]);
        assert_eq!(Letters::all(20).prime_implicants(), [Cube::default()]);
    }
}
