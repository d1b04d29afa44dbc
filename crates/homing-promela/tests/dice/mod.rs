//! Random choices that can be repeated: every test prints its seed, and takes another from the variable `SEED`.

use fastrand::Rng;

pub struct Dice(Rng);

impl Dice {
    /// Dice for a test, with the same choices each time unless `SEED` says otherwise.
    pub fn new(seed: u64) -> Self {
        let seed = match std::env::var("SEED") {
            Ok(text) => text.parse().unwrap_or_else(|_| panic!("SEED={text} is not a number")),
            Err(_) => seed,
        };
        println!("SEED={seed}");
        Dice(Rng::with_seed(seed))
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.usize(..bound)
    }

    pub fn one_of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}
