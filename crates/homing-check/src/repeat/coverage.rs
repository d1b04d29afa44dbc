//! How much of the reachable states repeated runs have seen, estimated from how many runs saw each state.
//!
//! The estimates of Chao (1987) and Good (1953) suppose that all states are equally likely to be seen. They are not: some differ by
//! orders of magnitude, so that both flatter. What is reported is therefore a lower bound of the number of states, and an upper
//! bound of the share that was seen; neither is a proof of anything.

use std::collections::{HashMap, HashSet};

/// The states that one run has seen, or a random share of them: those whose hash begins with a number of zero bits.
#[derive(Clone, Debug, Default)]
pub struct Sightings {
    hashes: HashSet<u64>,
    /// Only hashes with this many leading zeros are kept.
    zeros: u32,
}

/// How many hashes are kept before only half of them are followed.
const MOST: usize = 1 << 16;

impl Sightings {
    /// The run sees the state with this hash, perhaps again.
    pub fn see(&mut self, hash: u64) {
        if hash.leading_zeros() < self.zeros {
            return;
        }
        self.hashes.insert(hash);
        if self.hashes.len() > MOST {
            self.zeros += 1;
            let zeros = self.zeros;
            self.hashes.retain(|hash| hash.leading_zeros() >= zeros);
        }
    }
}

/// In how many runs each state was seen, for a random share of all states.
#[derive(Clone, Debug, Default)]
pub struct Incidence {
    /// By the hash of a state, the number of runs that saw it.
    seen: HashMap<u64, u64>,
    runs: u64,
    /// Only hashes with this many leading zeros are kept.
    zeros: u32,
}

impl Incidence {
    /// Adds what one more run has seen.
    pub fn add(&mut self, run: &Sightings) {
        self.runs += 1;
        self.follow(run.zeros);
        for &hash in run.hashes.iter().filter(|hash| hash.leading_zeros() >= self.zeros) {
            *self.seen.entry(hash).or_insert(0) += 1;
        }
        while self.seen.len() > MOST {
            self.follow(self.zeros + 1);
        }
    }

    /// From now on only hashes with at least this many leading zeros are kept.
    fn follow(&mut self, zeros: u32) {
        if zeros > self.zeros {
            self.zeros = zeros;
            self.seen.retain(|hash, _| hash.leading_zeros() >= zeros);
        }
    }

    /// The figures of the runs so far; `None` unless there were at least two.
    pub fn coverage(&self) -> Option<Coverage> {
        if self.runs < 2 {
            return None;
        }
        let scale = (1u64 << self.zeros.min(63)) as f64;
        let (mut once, mut twice, mut sightings) = (0.0, 0.0, 0.0);
        for &count in self.seen.values() {
            once += f64::from(u8::from(count == 1));
            twice += f64::from(u8::from(count == 2));
            sightings += count as f64;
        }
        let (seen, runs) = (self.seen.len() as f64, self.runs as f64);
        let last = (runs - 1.0) / runs;
        // without a state that was seen twice, the bias-corrected form (Chao 1987)
        let unseen =
            if twice > 0.0 { last * once * once / (2.0 * twice) } else { last * once * (once - 1.0).max(0.0) / 2.0 };
        let new = if once == 0.0 {
            0.0
        } else {
            let spread = (runs - 1.0) * once;
            once / sightings * spread / (spread + 2.0 * twice)
        };
        Some(Coverage {
            states_seen: scale * seen,
            states_at_least: scale * (seen + unseen),
            seen_at_most: if seen > 0.0 { seen / (seen + unseen) } else { 0.0 },
            next_visit_known: 1.0 - new,
        })
    }
}

/// What repeated runs let one suppose of the states that they have not seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coverage {
    /// How many different states the runs have expanded, all together; an estimate if only a share of them was followed.
    pub states_seen: f64,
    /// There are probably at least so many states (Chao2, a lower bound).
    pub states_at_least: f64,
    /// Probably at most this share of them was seen.
    pub seen_at_most: f64,
    /// How likely it is that the next state a run visits has been seen before (Good–Turing, in the form of Chao and Jost 2012). This
    /// is about what such runs visit, not about the state space.
    pub next_visit_known: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use homing_core::{Purpose, Seed};

    fn sightings(hashes: impl IntoIterator<Item = u64>) -> Sightings {
        let mut sightings = Sightings::default();
        hashes.into_iter().for_each(|hash| sightings.see(hash));
        sightings
    }

    #[test]
    fn coverage_by_hand() {
        let mut incidence = Incidence::default();
        for run in [&[1u64, 2, 3, 1][..], &[1, 4], &[1, 2, 5]] {
            incidence.add(&sightings(run.iter().copied()));
        }
        // 1 was seen by three runs, 2 by two, and 3, 4, 5 by one each
        let coverage = incidence.coverage().expect("three runs");
        assert_eq!(coverage.states_seen, 5.0);
        let unseen = 2.0 / 3.0 * 9.0 / 2.0;
        assert!((coverage.states_at_least - (5.0 + unseen)).abs() < 1e-12, "{coverage:?}");
        assert!((coverage.seen_at_most - 5.0 / (5.0 + unseen)).abs() < 1e-12, "{coverage:?}");
        assert!((coverage.next_visit_known - (1.0 - 3.0 / 8.0 * 6.0 / 8.0)).abs() < 1e-12, "{coverage:?}");
    }

    #[test]
    fn one_run_tells_nothing_and_equal_runs_miss_nothing() {
        let mut incidence = Incidence::default();
        incidence.add(&sightings([1]));
        assert_eq!(incidence.coverage(), None);
        incidence.add(&sightings([1]));
        let coverage = incidence.coverage().expect("two runs");
        assert_eq!((coverage.states_at_least, coverage.seen_at_most, coverage.next_visit_known), (1.0, 1.0, 1.0));
    }

    /// States that are all equally likely to be seen: the estimate is near to the truth, also from a share of the states.
    #[test]
    fn equally_likely_states() {
        let mut stream = Seed::of_run(0, 0).stream(Purpose::Diversity);
        let hash = |state: u64| Seed::of_run(1, 0).stream(Purpose::Hash).hash(0, &state.to_le_bytes());
        let states = 3_000_000;
        let mut incidence = Incidence::default();
        for _ in 0..4 {
            incidence.add(&sightings((0..1_000_000).map(|_| hash(stream.below(states)))));
        }
        assert!(incidence.zeros > 0 && incidence.seen.len() <= MOST);
        let coverage = incidence.coverage().expect("four runs");
        let error = coverage.states_at_least / states as f64 - 1.0;
        assert!(error.abs() < 0.05, "{coverage:?}");
    }
}
