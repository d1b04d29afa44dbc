//! Sets of letters, the labels of transitions.

mod cover;
mod diagram;
mod table;

use diagram::Diagram;

pub use cover::Cube;

/// A set of letters. A letter is a valuation of `n` propositions, written as a number: bit i is the value of
/// proposition i.
///
/// Up to twelve propositions the set is a truth table of 2^n bits, above that a binary decision diagram (Bryant 1986).
/// Both are canonical: equal sets are equal values. The operations of two sets need the same number of propositions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Letters {
    propositions: u8,
    set: Set,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Set {
    /// A truth table of up to six propositions: bit x says whether letter x is in the set.
    Word(u64),
    /// A truth table of more propositions, 64 letters a word.
    Table(Box<[u64]>),
    Diagram(Diagram),
}

/// The largest number of propositions for which sets are truth tables.
const MOST_TABULATED: usize = 12;

impl Letters {
    /// The largest number of propositions.
    pub const MOST_PROPOSITIONS: usize = 64;

    /// No letter.
    ///
    /// # Panics
    /// If there are more than [`Letters::MOST_PROPOSITIONS`] propositions.
    pub fn empty(propositions: usize) -> Self {
        Self::constant(propositions, false)
    }

    /// All letters.
    ///
    /// # Panics
    /// If there are more than [`Letters::MOST_PROPOSITIONS`] propositions.
    pub fn all(propositions: usize) -> Self {
        Self::constant(propositions, true)
    }

    fn constant(propositions: usize, value: bool) -> Self {
        assert!(propositions <= Self::MOST_PROPOSITIONS, "{propositions} propositions are too many");
        let word = if value { u64::MAX } else { 0 };
        let set = match propositions {
            0..=6 => Set::Word(word & table::used(propositions)),
            7..=MOST_TABULATED => Set::Table(vec![word; table::words(propositions)].into()),
            _ => Set::Diagram(Diagram::constant(value)),
        };
        Letters { propositions: propositions as u8, set }
    }

    /// The letters in which proposition `index` holds.
    ///
    /// # Panics
    /// If `index` is not below the number of propositions.
    pub fn proposition(propositions: usize, index: usize) -> Self {
        assert!(index < propositions, "proposition {index} of {propositions}");
        let mut letters = Self::empty(propositions);
        match &mut letters.set {
            Set::Word(word) => *word = table::column(index, 0) & table::used(propositions),
            Set::Table(words) => {
                words.iter_mut().enumerate().for_each(|(at, word)| *word = table::column(index, at));
            }
            Set::Diagram(diagram) => *diagram = Diagram::variable(index as u8),
        }
        letters
    }

    /// Whether sets over this number of propositions are truth tables, on which operations are fast.
    pub(crate) fn is_tabulated(propositions: usize) -> bool {
        propositions <= MOST_TABULATED
    }

    /// The number of propositions of a letter.
    pub fn propositions(&self) -> usize {
        usize::from(self.propositions)
    }

    /// The letters that are not in the set.
    pub fn not(&self) -> Self {
        self.combine(&Self::all(self.propositions()), |a, b| b & !a)
    }

    /// The letters that are in both sets.
    pub fn and(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a & b)
    }

    /// The letters that are in one of the sets or in both.
    pub fn or(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a | b)
    }

    /// The letters that are in this set and not in `other`.
    pub fn and_not(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a & !b)
    }

    /// Whether every letter of this set is in `other`.
    pub fn implies(&self, other: &Self) -> bool {
        match (&self.set, &other.set) {
            (Set::Word(a), Set::Word(b)) => a & !b == 0,
            (Set::Table(a), Set::Table(b)) => a.iter().zip(b).all(|(a, b)| a & !b == 0),
            (Set::Diagram(a), Set::Diagram(b)) => !a.meets(b, false),
            _ => unreachable!("the representation follows from the number of propositions"),
        }
    }

    /// Whether the sets have a letter in common.
    pub fn intersects(&self, other: &Self) -> bool {
        match (&self.set, &other.set) {
            (Set::Word(a), Set::Word(b)) => a & b != 0,
            (Set::Table(a), Set::Table(b)) => a.iter().zip(b).any(|(a, b)| a & b != 0),
            (Set::Diagram(a), Set::Diagram(b)) => a.meets(b, true),
            _ => unreachable!("the representation follows from the number of propositions"),
        }
    }

    /// Whether no letter is in the set.
    pub fn is_empty(&self) -> bool {
        match &self.set {
            Set::Word(word) => *word == 0,
            Set::Table(words) => words.iter().all(|&word| word == 0),
            Set::Diagram(diagram) => *diagram == Diagram::constant(false),
        }
    }

    /// Whether all letters are in the set.
    pub fn is_all(&self) -> bool {
        match &self.set {
            Set::Word(word) => *word == table::used(self.propositions()),
            Set::Table(words) => words.iter().all(|&word| word == u64::MAX),
            Set::Diagram(diagram) => *diagram == Diagram::constant(true),
        }
    }

    /// Whether a letter is in the set; bits of `letter` above the propositions are ignored.
    pub fn contains(&self, letter: u64) -> bool {
        match &self.set {
            Set::Word(word) => word >> (letter & (table::letters(self.propositions()) - 1)) & 1 == 1,
            Set::Table(words) => {
                let letter = letter & (table::letters(self.propositions()) - 1);
                words[(letter / 64) as usize] >> (letter % 64) & 1 == 1
            }
            Set::Diagram(diagram) => diagram.contains(letter),
        }
    }

    /// Whether a letter is in the set of which the propositions `undefined` are not known. An error is the first of these that
    /// decides it, in some completion of the letter.
    ///
    /// # Errors
    /// If membership depends on a proposition that is not known.
    pub fn contains_partial(&self, letter: u64, undefined: u64) -> Result<bool, u32> {
        let (known, unknown): (Vec<usize>, Vec<usize>) =
            (0..self.propositions()).partition(|index| undefined >> index & 1 == 0);
        let rest = known.into_iter().fold(self.clone(), |set, index| set.cofactor(index, letter >> index & 1 == 1));
        match unknown.into_iter().find(|&index| rest.depends_on(index)) {
            Some(index) => Err(index as u32),
            None => Ok(rest.is_all()),
        }
    }

    /// The number of letters in the set.
    pub fn count(&self) -> u128 {
        match &self.set {
            Set::Word(word) => u128::from(word.count_ones()),
            Set::Table(words) => words.iter().map(|word| u128::from(word.count_ones())).sum(),
            Set::Diagram(diagram) => diagram.count(self.propositions),
        }
    }

    /// A letter of the set; `None` if it is empty. Truth tables give the least one.
    pub fn any(&self) -> Option<u64> {
        match &self.set {
            Set::Word(word) => (*word != 0).then(|| u64::from(word.trailing_zeros())),
            Set::Table(words) => {
                let at = words.iter().position(|&word| word != 0)?;
                Some(at as u64 * 64 + u64::from(words[at].trailing_zeros()))
            }
            Set::Diagram(diagram) => diagram.any(),
        }
    }

    /// The letters that are in the set once proposition `index` is given `value`: the cofactor. It does not depend on
    /// the proposition.
    pub fn cofactor(&self, index: usize, value: bool) -> Self {
        let set = match &self.set {
            Set::Word(word) => Set::Word(table::cofactor_in_word(*word, index, value)),
            Set::Table(words) => Set::Table(table::cofactor(words, index, value)),
            Set::Diagram(diagram) => Set::Diagram(diagram.cofactor(index as u8, value)),
        };
        Letters { propositions: self.propositions, set }
    }

    /// Whether membership in the set depends on proposition `index`.
    pub fn depends_on(&self, index: usize) -> bool {
        self.cofactor(index, false) != self.cofactor(index, true)
    }

    fn combine(&self, other: &Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        assert_eq!(self.propositions, other.propositions, "sets of letters over the same propositions");
        let set = match (&self.set, &other.set) {
            (Set::Word(a), Set::Word(b)) => Set::Word(operation(*a, *b)),
            (Set::Table(a), Set::Table(b)) => Set::Table(a.iter().zip(b).map(|(&a, &b)| operation(a, b)).collect()),
            (Set::Diagram(a), Set::Diagram(b)) => Set::Diagram(a.apply(b, operation)),
            _ => unreachable!("the representation follows from the number of propositions"),
        };
        Letters { propositions: self.propositions, set }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A random set with its members, as a function of the letters of a sample.
    fn random(propositions: usize, rng: &mut fastrand::Rng) -> Letters {
        let mut letters = Letters::proposition(propositions, rng.usize(..propositions));
        for _ in 0..rng.usize(..6) {
            let other = Letters::proposition(propositions, rng.usize(..propositions));
            letters = match rng.u8(..4) {
                0 => letters.and(&other),
                1 => letters.or(&other),
                2 => letters.and_not(&other),
                _ => letters.not(),
            };
        }
        letters
    }

    #[test]
    fn operations_agree_with_membership() {
        let mut rng = fastrand::Rng::with_seed(1);
        for round in 0..2000 {
            let n = [1, 3, 6, 7, 10, 11, 40, 64][round % 8];
            let (a, b) = (random(n, &mut rng), random(n, &mut rng));
            let index = rng.usize(..n);
            let (zero, one) = (a.cofactor(index, false), a.cofactor(index, true));
            for letter in std::iter::repeat_with(|| rng.u64(..)).take(50) {
                let (x, y) = (a.contains(letter), b.contains(letter));
                assert_eq!(a.not().contains(letter), !x);
                assert_eq!(a.and(&b).contains(letter), x & y);
                assert_eq!(a.or(&b).contains(letter), x | y);
                assert_eq!(a.and_not(&b).contains(letter), x & !y);
                assert_eq!(zero.contains(letter), a.contains(letter & !(1 << index)));
                assert_eq!(one.contains(letter), a.contains(letter | 1 << index));
                assert!(!a.implies(&b) || !x || y);
                assert!(a.intersects(&b) || !(x & y));
            }
            assert_eq!(a.is_empty(), a.any().is_none());
            assert!(a.any().is_none_or(|letter| a.contains(letter)));
            assert_eq!(a.count() + a.not().count(), Letters::all(n).count());
            assert!(a.and(&b).implies(&a) && a.implies(&a.or(&b)));
        }
    }

    #[test]
    fn partial_letters_are_members_if_all_completions_are() {
        let mut rng = fastrand::Rng::with_seed(3);
        for round in 0..2000 {
            let n = [1, 3, 6, 8, 13][round % 5];
            let (set, letter) = (random(n, &mut rng), rng.u64(..));
            let unknown: Vec<usize> = (0..n).filter(|_| rng.usize(..n) < 2).collect();
            let undefined = unknown.iter().fold(0, |bits, index| bits | 1 << index);
            let completions = (0..1u64 << unknown.len()).map(|chosen| {
                let bit = |(at, index): (usize, &usize)| (chosen >> at & 1) << index;
                letter & !undefined | unknown.iter().enumerate().map(bit).sum::<u64>()
            });
            let members: Vec<bool> = completions.map(|completed| set.contains(completed)).collect();
            match set.contains_partial(letter, undefined) {
                Ok(is_member) => assert!(members.iter().all(|&member| member == is_member)),
                Err(index) => {
                    assert!(unknown.contains(&(index as usize)) && set.depends_on(index as usize));
                    assert!(members.contains(&true) && members.contains(&false));
                }
            }
        }
    }

    #[test]
    fn equal_sets_are_equal_values() {
        let mut rng = fastrand::Rng::with_seed(2);
        for round in 0..2000 {
            let n = [2, 6, 8, 12, 64][round % 5];
            let (a, b) = (random(n, &mut rng), random(n, &mut rng));
            assert_eq!(a.not().not(), a);
            assert_eq!(a.or(&b), a.not().and(&b.not()).not());
            assert_eq!(a.and(&b).or(&a.and_not(&b)), a);
        }
    }

    #[test]
    fn constants() {
        for n in [0, 1, 5, 6, 7, 10, 11, 64] {
            let (none, all) = (Letters::empty(n), Letters::all(n));
            assert!(none.is_empty() && !none.is_all() && all.is_all() && !all.is_empty());
            assert_eq!((none.not(), all.count(), none.count()), (all.clone(), 1 << n, 0));
            assert!(all.contains(5) && !none.contains(5));
        }
    }
}
