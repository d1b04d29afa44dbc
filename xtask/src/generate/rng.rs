//! Random choices of the generators. The same seed gives the same model on every machine: a test fixes the sequence, so
//! that a new version of `fastrand` cannot change it unnoticed.

/// A seeded random generator with the choices that a generator of models makes.
#[derive(Clone, Debug)]
pub struct Rng(fastrand::Rng);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(fastrand::Rng::with_seed(seed))
    }

    /// A number in `0..n`.
    ///
    /// # Panics
    /// If `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.usize(..n)
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        self.0.usize(low..=high)
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `items`.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// One of `words`.
    ///
    /// # Panics
    /// If there is none.
    pub fn word(&mut self, words: &[&'static str]) -> &'static str {
        words[self.below(words.len())]
    }

    /// One of `items`, each with a probability proportional to its weight.
    ///
    /// # Panics
    /// If the weights sum to 0.
    pub fn weighted<T: Copy>(&mut self, items: &[(usize, T)]) -> T {
        let total = items.iter().map(|(weight, _)| weight).sum();
        let mut left = self.below(total);
        for &(weight, item) in items {
            if left < weight {
                return item;
            }
            left -= weight;
        }
        unreachable!("left is below the sum of the weights")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_fixed() {
        let mut rng = Rng::new(1);
        let numbers: Vec<usize> = (0..8).map(|_| rng.below(1000)).collect();
        assert_eq!(numbers, [657, 534, 239, 778, 9, 781, 769, 848]);
    }

    #[test]
    fn weights_of_zero_are_never_picked() {
        let mut rng = Rng::new(1);
        assert!((0..100).all(|_| rng.weighted(&[(0, 'a'), (1, 'b'), (0, 'c')]) == 'b'));
    }
}
