//! Random choices that can be made again: every test prints its seed, and takes another from the variable `SEED`.

/// SplitMix64 (Steele, Lea & Flood 2014).
pub struct Dice(u64);

impl Dice {
    /// Dice for a test, thrown the same way each time unless `SEED` says otherwise.
    pub fn new(seed: u64) -> Self {
        let seed = match std::env::var("SEED") {
            Ok(text) => text.parse().unwrap_or_else(|_| panic!("SEED={text} is not a number")),
            Err(_) => seed,
        };
        println!("SEED={seed}");
        Dice(seed)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 16) as usize % bound
    }

    pub fn one_of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}
