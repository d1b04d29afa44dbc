//! Generated states that are still to be looked up.
//!
//! They are looked up together, so that the memory they lie in can be fetched meanwhile. What is kept of each depends on the
//! store and on the order: its key alone, its bytes too, and what the step changed.

use homing_core::{Changed, Condition, Cost, SleepSet, State, StateId, Step, Written};
use homing_store::{CacheEntry, Key, Recall, RecentCache, Store};

/// A step to a state that is to be looked up.
#[derive(Clone, Copy)]
pub(super) struct Pending<K> {
    pub key: K,
    /// The source of the step.
    pub u: StateId,
    /// Which step of `u` it is.
    pub ordinal: u32,
    /// The length of the path, if one so long may be followed.
    pub g: Option<Cost>,
    /// How many bytes of the state are kept.
    pub length: u32,
    /// How many places that the step wrote are kept; [`ANYWHERE`] if it may have written anywhere.
    pub written: u32,
    /// The sleep set of the target.
    pub sleep: SleepSet,
}

const ANYWHERE: u32 = u32::MAX;

/// Entries of the cache: a quarter of a megabyte stays in the second-level cache; an eighth of it makes for up to 9 % more
/// instructions.
const CACHED: usize = 1 << 14;

/// The path length in a cache entry that was never filled.
const VACANT: Cost = Cost::MAX;

pub(super) struct Batch<K> {
    pending: Vec<Pending<K>>,
    bytes: Vec<u8>,
    written: Vec<Written>,
    /// How many steps led to a state that was looked up recently by a path as short.
    pub matched: u64,
    /// The keys of recent states, each with the length of the path to it: two steps in either order lead to one state, and in
    /// breadth-first order they do so shortly after each other.
    recent: Option<RecentCache<K, Cost, CACHED>>,
}

/// A position in a batch.
#[derive(Clone, Copy, Default)]
pub(super) struct Position {
    pub at: usize,
    bytes: usize,
    written: usize,
}

impl<K: Key> Batch<K> {
    /// An empty batch, with a cache of recent states or without.
    pub fn new(with_cache: bool) -> Self {
        let recent = with_cache.then(|| RecentCache::new(VACANT));
        Batch { pending: Vec::new(), bytes: Vec::new(), written: Vec::new(), matched: 0, recent }
    }

    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// The bytes of the states that are kept.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    pub fn clear(&mut self) {
        self.pending.clear();
        self.bytes.clear();
        self.written.clear();
    }

    /// Adds a step; its target and what it changed are kept if they are needed.
    #[inline(always)]
    pub fn push<A>(
        &mut self,
        (key, u): (K, StateId),
        g: Option<Cost>,
        step: &Step<'_, A>,
        target: Option<&State>,
        keeps_changes: bool,
    ) {
        let (mut length, mut written) = (0, ANYWHERE);
        if let Some(target) = target {
            self.bytes.extend_from_slice(target);
            length = target.len() as u32;
        }
        if keeps_changes && let Changed::At(places) = step.changed {
            self.written.extend_from_slice(places);
            written = places.len() as u32;
        }
        self.pending.push(Pending { key, u, ordinal: step.ordinal, g, length, written, sleep: step.sleep });
    }

    /// Where the next step will be.
    pub fn end(&self) -> Position {
        Position { at: self.pending.len(), bytes: self.bytes.len(), written: self.written.len() }
    }

    /// Drops the steps from a position on.
    pub fn truncate(&mut self, to: Position) {
        self.pending.truncate(to.at);
        self.bytes.truncate(to.bytes);
        self.written.truncate(to.written);
    }

    /// The step at a position, with the bytes of its target and what it changed, as far as they were kept, and the position
    /// after it.
    #[inline(always)]
    pub fn get(&self, position: Position) -> Option<(Pending<K>, &State, Changed<'_>, Position)> {
        let pending = *self.pending.get(position.at)?;
        let written = if pending.written == ANYWHERE { 0 } else { pending.written as usize };
        let next = Position {
            at: position.at + 1,
            bytes: position.bytes + pending.length as usize,
            written: position.written + written,
        };
        let changed = match pending.written {
            ANYWHERE => Changed::Anywhere,
            _ => Changed::At(&self.written[position.written..next.written]),
        };
        Some((pending, &self.bytes[position.bytes..next.bytes], changed, next))
    }

    /// The key of the step with this number.
    #[inline(always)]
    pub fn key(&self, at: usize) -> Option<K> {
        self.pending.get(at).map(|pending| pending.key)
    }

    /// Fetches the cache entry of a state that will be looked for there soon.
    #[inline(always)]
    pub fn prefetch_recent(&self, key: K) {
        if let Some(recent) = &self.recent {
            recent.prefetch(key);
        }
    }

    /// Whether the state was generated recently by a path no longer than this one; from now on it was.
    #[inline(always)]
    pub fn is_recent(&mut self, key: K, g: Option<Cost>) -> bool {
        match (&mut self.recent, g) {
            (Some(recent), Some(g)) => is_recent(recent, key, g),
            _ => false,
        }
    }

    /// Drops the states that were generated recently by a path as short, and fetches what the others are looked up in. Only if
    /// nothing but their keys is kept.
    pub fn drop_recent<S: Store<Key = K>>(&mut self, store: &S) {
        debug_assert!(S::Recall::KEY_IDENTIFIES && !S::Recall::KEEPS_GENERATED);
        let Batch { pending, recent: Some(recent), matched, .. } = self else { return };
        let before = pending.len();
        pending.retain(|&Pending { key, g, .. }| {
            let is_recent = g.is_some_and(|g| is_recent(recent, key, g));
            if !is_recent {
                store.prefetch(key);
            }
            !is_recent
        });
        *matched += (before - pending.len()) as u64;
    }

    /// Fetches what the states are looked up in.
    pub fn prefetch<S: Store<Key = K>>(&self, store: &S) {
        self.pending.iter().for_each(|pending| store.prefetch(pending.key));
    }
}

#[inline(always)]
fn is_recent<K: Key>(recent: &mut RecentCache<K, Cost, CACHED>, key: K, g: Cost) -> bool {
    let entry = recent.entry(key);
    let is_recent = Condition::CacheKey.is_met(entry.key == key) && entry.value <= g && entry.value != VACANT;
    if !is_recent {
        *entry = CacheEntry { key, value: g };
    }
    is_recent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_recent_unless_the_path_is_shorter() {
        let mut batch = Batch::<u64>::new(true);
        let mut is_recent = |key, g| batch.is_recent(key, Some(g));
        assert!(!is_recent(0, VACANT) && !is_recent(0, 7));
        assert!(is_recent(0, 7) && is_recent(0, 8));
        assert!(!is_recent(0, 6) && is_recent(0, 6) && is_recent(0, 7));
        let others = 100_000;
        (1..others).for_each(|key| assert!(!is_recent(key, 1)));
        let recent = (1..others).filter(|&key| is_recent(key, 1)).count();
        assert!(recent <= CACHED, "older ones are forgotten, and none is taken for another");
        assert!(!batch.is_recent(1, None));
    }

    #[test]
    fn what_is_kept_of_a_step_comes_back() {
        let mut batch = Batch::<u64>::new(false);
        let place = [Written { offset: 3, width: 1, old: 9 }];
        let step = Step { changed: Changed::At(&place), ..Step::to((), 5, b"target") };
        let u = StateId(1);
        batch.push((10, u), Some(2), &step, Some(b"target"), true);
        let position = batch.end();
        batch.push((11, u), None, &step, None, false);
        batch.push((12, u), Some(4), &step, Some(b"other"), true);
        let (first, state, changed, next) = batch.get(Position::default()).expect("three were pushed");
        assert_eq!((first.key, first.ordinal, state), (10, 5, &b"target"[..]));
        assert!(matches!(changed, Changed::At([Written { offset: 3, .. }])) && next.at == position.at);
        let (second, state, changed, next) = batch.get(next).expect("three were pushed");
        assert_eq!((second.key, second.g, state), (11, None, &b""[..]));
        assert!(matches!(changed, Changed::Anywhere));
        assert_eq!(batch.get(next).map(|(third, state, ..)| (third.key, state)), Some((12, &b"other"[..])));
        batch.truncate(position);
        assert_eq!((batch.len(), batch.key(0), batch.key(1)), (1, Some(10), None));
    }
}
