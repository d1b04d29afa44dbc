//! Random numbers whose streams never change: one seed gives one run, on any machine and for any number of threads.
//!
//! A stream is `splitmix64` (Steele, Lea & Flood 2014) over a counter. A decision about a draw hashes the number of the draw, and a
//! decision about a state hashes the state: neither depends on which thread comes first. General-purpose generators do not
//! promise stable streams, and some take a seed as their state, so that runs with adjacent seeds are not independent.

use crate::State;

/// The seed of one run. Adjacent numbers give independent runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(u64);

/// What random numbers are drawn for. Each purpose has a stream of its own, so that one more draw for one of them leaves the others
/// as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The order of steps.
    Order,
    /// Which states of a level are dropped.
    Drop,
    /// Which states are stored.
    Keep,
    /// The hash functions of a store.
    Hash,
    /// Everything that differs from run to run of a swarm.
    Diversity,
}

impl Seed {
    /// The seed of one of several runs that a user's number stands for.
    pub fn of_run(number: u64, run: u64) -> Self {
        Seed(mix(mix(number) ^ run))
    }

    /// The stream for a purpose, from its beginning.
    pub fn stream(self, purpose: Purpose) -> Stream {
        Stream { key: mix(self.0 ^ mix(purpose as u64 + 1)), drawn: 0 }
    }
}

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Stream {
    key: u64,
    drawn: u64,
}

impl Stream {
    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.drawn += 1;
        mix(self.key.wrapping_add(self.drawn.wrapping_mul(GOLDEN)))
    }

    /// A number below `bound`, all with the same probability (Lemire 2019).
    ///
    /// # Panics
    /// If `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "no number is below 0");
        loop {
            let product = u128::from(self.draw()) * u128::from(bound);
            let low = product as u64;
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (product >> 64) as u64;
            }
        }
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        is_below(self.draw(), probability)
    }

    /// Brings the items into a random order, all with the same probability (Fisher & Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }

    /// A hash of a state, keyed by the stream and by `salt`: the same whenever it is asked for.
    pub fn hash(&self, salt: u64, state: &State) -> u64 {
        let mut hash = mix(self.key ^ mix(salt)) ^ state.len() as u64;
        let (words, rest) = state.as_chunks::<8>();
        for word in words {
            hash = mix(hash ^ u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        mix(hash ^ u64::from_le_bytes(last))
    }
}

/// Whether a uniformly distributed number falls among the smallest, of which there is this share.
pub fn is_below(number: u64, share: f64) -> bool {
    share >= 1.0 || ((number >> 11) as f64) < share * (1u64 << 53) as f64
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of `splitmix64`, with its increment: a bijection without fixed pattern.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mix_is_splitmix64() {
        // The first number of the reference implementation for seed 1234567.
        assert_eq!(mix(1_234_567), 6_457_827_717_110_365_317);
    }

    /// Runs that users have noted by their seeds must be the same in later versions.
    #[test]
    fn streams_never_change() {
        let mut order = Seed::of_run(0, 0).stream(Purpose::Order);
        let drawn: Vec<u64> = (0..3).map(|_| order.below(1000)).collect();
        assert_eq!((drawn, order.hash(7, b"0123456789")), (GOLDEN_DRAWS.to_vec(), GOLDEN_HASH));
    }

    const GOLDEN_DRAWS: [u64; 3] = [433, 339, 889];
    const GOLDEN_HASH: u64 = 3_818_239_205_746_420_230;

    /// Adjacent seeds are not related: the first choices of two of them are equal as often as chance has it.
    #[test]
    fn adjacent_seeds_are_independent() {
        let pairs = 100_000;
        for draw in [1, 2, 10] {
            let bit = |number: u64| {
                let mut stream = Seed::of_run(number, 0).stream(Purpose::Order);
                (0..draw).map(|_| stream.below(2)).last()
            };
            let equal = (0..pairs).filter(|&number| bit(number) == bit(number + 1)).count() as f64;
            let sigma = (pairs as f64 / 4.0).sqrt();
            assert!((equal - pairs as f64 / 2.0).abs() < 4.5 * sigma, "draw {draw}: {equal} of {pairs} are equal");
        }
    }

    #[test]
    fn every_order_of_a_shuffle_is_equally_likely() {
        let mut counts = std::collections::BTreeMap::new();
        let mut stream = Seed::of_run(1, 0).stream(Purpose::Order);
        for _ in 0..60_000 {
            let mut items = [1, 2, 3];
            stream.shuffle(&mut items);
            *counts.entry(items).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 6);
        let sigma = (60_000.0f64 / 6.0 * 5.0 / 6.0).sqrt();
        assert!(counts.values().all(|&count| (f64::from(count) - 10_000.0).abs() < 4.5 * sigma), "{counts:?}");
    }

    #[test]
    fn a_hash_depends_on_stream_salt_length_and_bytes() {
        let stream = |purpose| Seed::of_run(0, 0).stream(purpose);
        let hashes = [
            stream(Purpose::Drop).hash(0, &[1, 2]),
            stream(Purpose::Keep).hash(0, &[1, 2]),
            stream(Purpose::Drop).hash(1, &[1, 2]),
            stream(Purpose::Drop).hash(0, &[1, 2, 0]),
            stream(Purpose::Drop).hash(0, &[1, 3]),
            stream(Purpose::Drop).hash(0, &[0, 0, 0, 0, 0, 0, 0, 0, 1, 2]),
        ];
        assert!((0..hashes.len()).all(|one| !hashes[..one].contains(&hashes[one])), "{hashes:?}");
        assert!(is_below(u64::MAX, 1.0) && !is_below(0, 0.0) && is_below(0, 0.1));
    }
}
