//! Bitstate hashing, "supertrace" (Holzmann, The SPIN Model Checker, ch. 9, "Bitstate Hashing"): each state sets `k`
//! bits of an array of `m`.
//!
//! A state all of whose bits are set is taken for known, and may be lost. All `k` positions are derived from one
//! fingerprint (Dillinger & Manolios, "Bloom filters in probabilistic verification", FMCAD 2004, double hashing).

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use homing_core::{Changed, State, StateId};

use crate::fingerprint::{Cursor, Fingerprints};
use crate::mix::{SALTS, avalanche, fold};
use crate::prefetch::prefetch;
use crate::table::ids::IdSource;
use crate::table::pages::Pages;
use crate::{Interned, Keys, NeedsGrowth, Nothing, Prefetch, Store, Usage};

/// Bitstate hashing: a Bloom filter of states. It may lose states, and estimates how many.
#[derive(Debug)]
pub struct BitStore {
    words: Pages<AtomicU64>,
    /// The number of bits, a power of two, minus one.
    mask: u64,
    /// How many bits each state sets.
    hashes: u32,
    /// Selects the hash functions.
    seed: u64,
    fingerprints: Fingerprints,
    len: AtomicU64,
    /// How many bits are set.
    set: AtomicU64,
    /// An estimate of the states that were lost, times [`LOST_UNIT`].
    lost: AtomicU64,
    /// How many states the search has room for in its own arrays.
    capacity: u64,
}

const FIRST_CAPACITY: u64 = 1 << 10;

/// One lost state, in the fixed-point numbers that lost states are counted in.
const LOST_UNIT: f64 = (1 << 20) as f64;

/// So many threads may be between the check for room and taking an id.
const MAX_THREADS: u64 = 256;

impl BitStore {
    /// An array of `2^bits` bits, `hashes` of them for each state, for a system with this
    /// [hidden prefix](Store::hidden_prefix).
    ///
    /// # Panics
    /// If `bits` is not from 6 to 45.
    pub fn new(hidden_prefix: usize, bits: u32, hashes: u32) -> Self {
        assert!((6..=45).contains(&bits), "an array of 2^{bits} bits");
        BitStore {
            words: Pages::new(1 << (bits - 6)),
            mask: (1 << bits) - 1,
            hashes: hashes.max(1),
            seed: 0,
            fingerprints: Fingerprints::new(hidden_prefix),
            len: AtomicU64::new(0),
            set: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            capacity: FIRST_CAPACITY,
        }
    }

    /// Removes all states, and uses the hash functions of another seed from now on.
    pub fn start_over(&mut self, seed: u64) {
        self.words = Pages::new(self.words.len());
        self.seed = seed;
        for counter in [&mut self.len, &mut self.set, &mut self.lost] {
            *counter.get_mut() = 0;
        }
    }

    /// The expected coverage: the share of the generated states that were stored, estimated from how full the array was
    /// each time a state was new.
    pub fn expected_coverage(&self) -> f64 {
        let (found, lost) = (self.len() as f64, self.lost.load(Relaxed) as f64 / LOST_UNIT);
        if found < 1.0 { 1.0 } else { found / (found + lost) }
    }

    /// Counts a new state that set `bits` bits. With a share `f` of the bits set, a new state is taken for known with
    /// probability `f^k`: for each that is not, `f^k / (1 - f^k)` were lost.
    fn count_new(&self, bits: u64) {
        let filled = self.set.fetch_add(bits, Relaxed) as f64 / (self.mask + 1) as f64;
        let taken_for_known = filled.powi(self.hashes as i32).min(1.0 - 1e-9);
        self.lost.fetch_add((taken_for_known / (1.0 - taken_for_known) * LOST_UNIT) as u64, Relaxed);
    }

    /// The bits of a fingerprint, each as its word and a mask.
    #[inline]
    fn bits(&self, fingerprint: u64) -> impl Iterator<Item = (&AtomicU64, u64)> {
        let fingerprint = if self.seed == 0 { fingerprint } else { avalanche(fingerprint ^ self.seed) };
        let step = fold(fingerprint ^ SALTS[1], SALTS[2]) | 1;
        (0..u64::from(self.hashes)).map(move |at| {
            let bit = fingerprint.wrapping_add(at.wrapping_mul(step)) & self.mask;
            (&self.words[(bit / 64) as usize], 1 << (bit % 64))
        })
    }
}

impl Keys for BitStore {
    type Key = u64;
    type Cursor = Cursor;

    fn cursor(&self) -> Cursor {
        Cursor::new(IdSource::shared())
    }

    fn set_parent(&self, cursor: &mut Cursor, state: &State, key: Option<u64>) {
        self.fingerprints.set_parent(cursor, state, key);
    }

    #[inline]
    fn key(&self, cursor: &mut Cursor, state: &State, changed: Changed<'_>) -> Result<u64, NeedsGrowth> {
        Ok(self.fingerprints.key(cursor, state, changed))
    }
}

impl Prefetch for BitStore {
    #[inline]
    fn prefetch(&self, key: u64) {
        self.bits(key).for_each(|(word, _)| prefetch(word));
    }
}

impl Store for BitStore {
    type Recall = Nothing;

    const LOSSLESS: bool = false;

    #[inline]
    fn intern(&self, _: &mut Cursor, key: u64, state: &State) -> Result<Interned, NeedsGrowth> {
        if self.find(key, state).is_some() {
            return Ok(Interned::MaybeKnown);
        }
        if self.len() + MAX_THREADS >= self.capacity() {
            return Err(NeedsGrowth); // checked first: a bit that is set cannot be taken back
        }
        let mut fresh = 0;
        for (word, bit) in self.bits(key) {
            fresh += u64::from(word.fetch_or(bit, Relaxed) & bit == 0);
        }
        if fresh == 0 {
            return Ok(Interned::MaybeKnown); // another thread was faster
        }
        self.count_new(fresh);
        let id = self.len.fetch_add(1, Relaxed);
        Ok(Interned::New(StateId(id as u32)))
    }

    #[inline]
    fn find(&self, key: u64, _: &State) -> Option<Interned> {
        self.bits(key).all(|(word, bit)| word.load(Relaxed) & bit != 0).then_some(Interned::MaybeKnown)
    }

    fn len(&self) -> u64 {
        self.len.load(Relaxed)
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn memory(&self) -> u64 {
        self.words.bytes()
    }

    fn next_growth(&self) -> u64 {
        0
    }

    fn grow(&mut self, _: usize) -> bool {
        let before = self.capacity;
        self.capacity = (before * 2).min(u64::from(u32::MAX));
        self.capacity > before
    }

    fn usage(&self) -> Usage {
        Usage { bytes: self.words.bytes(), longest_state: self.fingerprints.longest() }
    }

    fn hidden_prefix(&self) -> usize {
        self.fingerprints.hidden_prefix
    }
}
