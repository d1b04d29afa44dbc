//! Compares every store with a map from the standard library: with one thread, and with many on a table that has to
//! grow.

use std::collections::HashMap;
use std::sync::{Mutex, RwLock};

use homing_core::{Changed, State, StateId, Written};
use homing_store::{
    BitStore, CompactStore, ExactStore, Interned, Keys, LoadById, LoadByKey, NeedsGrowth, Prefetch, Recall, Store,
    TreeStore,
};

/// A number of steps, states or threads; another one under Miri, which is several hundred times slower.
const fn size(normal: usize, under_miri: usize) -> usize {
    if cfg!(miri) { under_miri } else { normal }
}

/// A random generator, so that a failing seed can be run again.
struct Random(fastrand::Rng);

impl Random {
    fn new(seed: u64) -> Self {
        Random(fastrand::Rng::with_seed(seed))
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0.usize(..bound)
    }

    /// A successor by a few writes, and these if they are shown; sometimes of another length.
    fn step(&mut self, from: &State, lengths: &[usize], hidden_prefix: usize) -> (Vec<u8>, Option<Vec<Written>>) {
        let mut state = from.to_vec();
        if self.below(20) == 0 {
            state.resize(lengths[self.below(lengths.len())], 0);
            return (state, None);
        }
        let mut writes = Vec::new();
        let identity = state.len() - hidden_prefix;
        for _ in 0..self.below(4) {
            if identity == 0 {
                break;
            }
            let offset = hidden_prefix + self.below(identity);
            let width = (1 + self.below(8)).min(state.len() - offset);
            writes.push(Written { offset: offset as u32, width: width as u32, old: 0 });
            state[offset] = self.below(3) as u8;
        }
        state[..hidden_prefix].fill(self.below(5) as u8);
        let are_shown = self.below(3) > 0 && hidden_prefix == 0;
        (state, are_shown.then_some(writes))
    }
}

fn grown<S: Store, R>(store: &mut S, mut work: impl FnMut(&S) -> Result<R, NeedsGrowth>) -> R {
    loop {
        match work(store) {
            Ok(done) => return done,
            Err(NeedsGrowth) => assert!(store.grow(1), "it can grow"),
        }
    }
}

fn check<S: Store>(mut store: S, seed: u64, lengths: &[usize], hidden_prefix: usize, count: usize) {
    let mut random = Random::new(seed);
    let (mut known, mut all): (HashMap<Vec<u8>, u32>, Vec<Vec<u8>>) = Default::default();
    let mut cursor = store.cursor();
    let initial = vec![0; lengths[0]];
    let key = grown(&mut store, |store| store.key(&mut cursor, &initial, Changed::Anywhere));
    assert_eq!(grown(&mut store, |store| store.intern(&mut cursor, key, &initial)), Interned::New(StateId(0)));
    known.insert(initial[hidden_prefix..].to_vec(), 0);
    all.push(initial);
    let mut out = Vec::new();
    for step in 0..count {
        let id = random.below(all.len());
        if S::Recall::KEEPS_STORED {
            store.set_parent(&mut cursor, &all[id], None);
        } else {
            S::Recall::load_stored(&store, &mut cursor, StateId(id as u32), None, &mut out);
            assert_eq!(out[hidden_prefix..], all[id][hidden_prefix..], "seed {seed}, step {step}");
        }
        for _ in 0..3 {
            let (state, writes) = random.step(&all[id], lengths, hidden_prefix);
            let changed = writes.as_deref().map_or(Changed::Anywhere, Changed::At);
            let key = grown(&mut store, |store| store.key(&mut cursor, &state, changed));
            let next = all.len() as u32;
            let before = known.get(&state[hidden_prefix..]).copied();
            let found = before.map(|id| Interned::Known(StateId(id)));
            assert_eq!(store.find(key, &state), found, "seed {seed}, step {step}");
            let interned = grown(&mut store, |store| store.intern(&mut cursor, key, &state));
            assert_eq!(interned, found.unwrap_or(Interned::New(StateId(next))), "seed {seed}, step {step}");
            if before.is_none() {
                known.insert(state[hidden_prefix..].to_vec(), next);
                all.push(state);
            }
        }
    }
    assert_eq!(store.len(), all.len() as u64);
    assert!(store.usage().bytes <= store.memory());
    if !S::Recall::KEEPS_STORED {
        for (id, state) in all.iter().enumerate() {
            S::Recall::load_stored(&store, &mut cursor, StateId(id as u32), None, &mut out);
            assert_eq!(&out[hidden_prefix..], &state[hidden_prefix..], "seed {seed}, state {id}");
        }
        assert_eq!(store.usage().longest_state, all.iter().map(Vec::len).max().unwrap());
    }
}

/// Keys are made and held for a while before they are looked up, and bytes have new values again and again.
fn check_held(seed: u64, lengths: &[usize], count: usize, values: impl Fn(usize) -> usize) {
    let mut random = Random::new(seed);
    let mut store = TreeStore::new();
    let mut cursor = store.cursor();
    let initial = vec![0; lengths[0]];
    let key = store.key(&mut cursor, &initial, Changed::Anywhere).unwrap();
    assert_eq!(store.intern(&mut cursor, key, &initial), Ok(Interned::New(StateId(0))));
    let mut known = HashMap::from([(initial.clone(), 0)]);
    let (mut all, mut held, mut out) = (vec![initial.clone()], vec![(key, initial)], Vec::new());
    for step in 0..count {
        let at = random.below(held.len());
        match random.below(4) {
            0 => {
                let (key, state) = held.swap_remove(at);
                let before = known.get(&state).copied();
                let found = before.map(|id| Interned::Known(StateId(id)));
                assert_eq!(store.find(key, &state), found, "seed {seed}, step {step}");
                let interned = grown(&mut store, |store| store.intern(&mut cursor, key, &state));
                let next = all.len() as u32;
                assert_eq!(interned, found.unwrap_or(Interned::New(StateId(next))), "seed {seed}, step {step}");
                if before.is_none() {
                    known.insert(state.clone(), next);
                    all.push(state);
                }
                held.push((key, all[random.below(all.len())].clone()));
                let (_, state) = held.last().unwrap();
                let key = grown(&mut store, |store| store.key(&mut cursor, state, Changed::Anywhere));
                held.last_mut().unwrap().0 = key;
            }
            way => {
                let from = if way == 1 {
                    let (key, state) = &held[at]; // it may not be in the store
                    store.load_by_key(&mut cursor, *key, &mut out);
                    assert_eq!(&out, state, "seed {seed}, step {step}");
                    state
                } else {
                    let id = random.below(all.len());
                    store.load(&mut cursor, StateId(id as u32), &mut out);
                    assert_eq!(out, all[id], "seed {seed}, step {step}");
                    &all[id]
                };
                let (mut state, mut writes) = random.step(from, lengths, 0);
                if !state.is_empty() {
                    let offset = random.below(state.len());
                    state[offset] = random.below(values(step)) as u8;
                    writes.iter_mut().for_each(|all| all.push(Written { offset: offset as u32, width: 1, old: 0 }));
                }
                let changed = writes.as_deref().map_or(Changed::Anywhere, Changed::At);
                let key = grown(&mut store, |store| store.key(&mut cursor, &state, changed));
                held.push((key, state));
            }
        }
    }
    assert_eq!(store.len(), all.len() as u64);
    let is_repacked = values(count) > 2 && lengths[0] >= 8; // a shorter state is a key without being packed
    assert!(!is_repacked || store.packing_count() > lengths.len(), "{lengths:?}: {}", store.packing_count());
    for (key, state) in held {
        store.load_by_key(&mut cursor, key, &mut out);
        assert_eq!(out, state, "seed {seed}");
    }
    for (id, state) in all.iter().enumerate() {
        store.load(&mut cursor, StateId(id as u32), &mut out);
        assert_eq!(&out, state, "seed {seed}, state {id}");
    }
}

const ALL_LENGTHS: [&[usize]; 7] =
    [&[8, 9], &[20, 1, 16], &[100, 70], &[3], &[0, 1, 2], &[500, 600], &[1300, 1200, 17]];

/// The lengths of the states in each walk.
fn lengths() -> impl Iterator<Item = (u64, &'static [usize])> {
    (0..).zip(ALL_LENGTHS).take(size(ALL_LENGTHS.len(), 2))
}

#[test]
fn the_tree_agrees_with_a_map() {
    for (seed, lengths) in lengths() {
        check(TreeStore::new(), seed, lengths, 0, size(20_000, 30) / (1 + lengths[0] / 50));
    }
    let many: Vec<usize> = (0..size(400, 5)).collect(); // more packings than the first word of a key has room for
    check(TreeStore::new(), 77, &many, 0, size(8_000, 20));
}

#[test]
fn keys_made_before_states_were_repacked_are_good() {
    for (seed, lengths) in lengths() {
        let count = size(20_000, 120) / (1 + lengths[0] / 500);
        check_held(seed, lengths, count, |_| 2);
        check_held(seed, lengths, count, |step| 3 + step * 300 / count);
    }
    if cfg!(miri) {
        return;
    }
    let many: Vec<usize> = (0..400).step_by(3).collect(); // more packings than a store may have
    check_held(78, &many, 20_000, |step| 3 + step / 100);
    check_held(79, &[5_000, 4_900], 9_000, |step| 1 + step / 1000); // long ones
    check_held(80, &[120], 60_000, |step| 2 + step / 1000); // leaves get more values after references were widened
}

#[test]
fn a_byte_may_have_all_values() {
    for length in [9, 60, 1, 300].into_iter().take(size(4, 2)) {
        let (mut store, mut out) = (TreeStore::new(), Vec::new());
        let mut cursor = store.cursor();
        let states = (0..size(256, 10) * 12).map(|at: usize| {
            let mut state = vec![3; length];
            state[length / 2] = (at / 12) as u8; // one after the other
            state[length - 1] ^= (at % 12) as u8;
            state
        });
        let states: std::collections::BTreeSet<_> = states.collect();
        for (id, state) in states.iter().enumerate() {
            let key = grown(&mut store, |store| store.key(&mut cursor, state, Changed::Anywhere));
            let interned = grown(&mut store, |store| store.intern(&mut cursor, key, state));
            assert_eq!(interned, Interned::New(StateId(id as u32)));
            store.load(&mut cursor, StateId(id as u32), &mut out);
            assert_eq!(&out, state);
        }
        for (id, state) in states.iter().enumerate() {
            store.load(&mut cursor, StateId(id as u32), &mut out);
            assert_eq!(&out, state);
        }
    }
}

#[test]
fn exact_states_agree_with_a_map() {
    for (seed, lengths) in lengths() {
        check(ExactStore::new(0), seed, lengths, 0, size(20_000, 30) / (1 + lengths[0] / 50));
    }
    for hidden_prefix in [1, 5, 8, 11] {
        check(ExactStore::new(hidden_prefix), 5, &[20, 30], hidden_prefix, size(5_000, 10));
    }
}

#[test]
fn fingerprints_agree_with_a_map() {
    for (seed, lengths) in lengths() {
        check(CompactStore::new(0), seed, lengths, 0, size(20_000, 30) / (1 + lengths[0] / 50));
    }
    check(CompactStore::new(3), 5, &[20, 30], 3, size(5_000, 20));
}

#[test]
fn hidden_bytes_are_those_of_the_first_run_and_can_be_replaced() {
    let store = ExactStore::new(2);
    let mut out = Vec::new();
    let intern = |state: &State| store.intern(&mut (), store.key(&mut (), state, Changed::Anywhere).unwrap(), state);
    assert_eq!(intern(&[1, 1, 5]), Ok(Interned::New(StateId(0))));
    assert_eq!(intern(&[2, 2, 5]), Ok(Interned::Known(StateId(0))));
    assert_eq!((store.id_of(&[3, 3, 5]), store.id_of(&[1, 1, 6])), (Some(StateId(0)), None));
    store.load(&mut (), StateId(0), &mut out);
    assert_eq!(out, [1, 1, 5]);
    store.replace_hidden(StateId(0), &[4, 2, 5]);
    store.load(&mut (), StateId(0), &mut out);
    assert_eq!(out, [4, 2, 5]);
}

/// How many steps a key is held before it is looked up.
const HELD: usize = 20;

/// Many threads walk at random through the same few states: each state gets one id, once, whatever happens meanwhile.
/// After `another` steps there is another value.
fn stress<S: Store>(store: S, seed: u64, length: usize, another: usize) {
    let store = RwLock::new(store);
    let ids: Mutex<HashMap<Vec<u8>, StateId>> = Mutex::default();
    let news = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for thread in 0..size(8, 3) as u64 {
            let (store, ids, news) = (&store, &ids, &news);
            scope.spawn(move || {
                let mut random = Random::new(seed * 100 + thread / 2); // pairs of threads take the same path
                let mut cursor = store.read().unwrap().cursor();
                let mut state = vec![0; length];
                let (mut seen, mut new, mut held) = (Vec::new(), Vec::new(), Vec::new());
                fn until_room<S: Store, R>(store: &RwLock<S>, mut work: impl FnMut(&S) -> Result<R, NeedsGrowth>) -> R {
                    loop {
                        let read = store.read().unwrap();
                        match work(&read) {
                            Ok(done) => return done,
                            Err(NeedsGrowth) => {
                                let before = read.memory();
                                drop(read);
                                let mut write = store.write().unwrap();
                                assert!(write.memory() > before || write.grow(3)); // or another thread did
                            }
                        }
                    }
                }
                for step in 0..size(30_000, 60) {
                    let mut next = state.clone();
                    let value = random.below(3 + step / another); // few states: threads find the same ones
                    next[random.below(10) * (length / 10)] = value as u8;
                    let shown = next[..length - 9 * usize::from(next[0] % 3)].to_vec(); // some are shorter
                    let key = until_room(store, |store| store.key(&mut cursor, &shown, Changed::Anywhere));
                    held.push((key, shown));
                    state = next;
                    if held.len() < HELD {
                        continue;
                    }
                    if !S::Recall::KEEPS_GENERATED {
                        let (key, state) = &held[random.below(HELD)];
                        let mut out = Vec::new();
                        S::Recall::load_generated(&store.read().unwrap(), &mut cursor, *key, &mut out);
                        assert_eq!(&out, state);
                    }
                    for (key, shown) in held.drain(..) {
                        match until_room(store, |store| store.intern(&mut cursor, key, &shown)) {
                            Interned::New(id) => {
                                new.push(id);
                                seen.push((shown, id));
                            }
                            Interned::Known(id) => seen.push((shown, id)),
                            Interned::MaybeKnown => unreachable!("the store has ids"),
                        }
                    }
                }
                let mut ids = ids.lock().unwrap();
                for (state, id) in seen {
                    assert_eq!(*ids.entry(state).or_insert(id), id, "one state, one id");
                }
                news.lock().unwrap().extend(new);
            });
        }
    });
    let (store, ids, mut news) = (store.into_inner().unwrap(), ids.into_inner().unwrap(), news.into_inner().unwrap());
    news.sort();
    assert!(news.is_sorted_by(|one, other| one < other), "each id was new once");
    assert!(news.last().is_some_and(|last| u64::from(last.0) < store.capacity()), "there is room for all by id");
    assert_eq!((store.len(), news.len()), (ids.len() as u64, ids.len()));
    assert!(ids.len() > size(5_000, 16), "the table has grown: {}", ids.len());
    let mut cursor = store.cursor();
    for (state, id) in ids {
        let key = store.key(&mut cursor, &state, Changed::Anywhere).unwrap();
        assert_eq!(store.find(key, &state), Some(Interned::Known(id)));
        if !S::Recall::KEEPS_STORED {
            let mut out = Vec::new();
            S::Recall::load_stored(&store, &mut cursor, id, None, &mut out);
            assert_eq!(out, state);
        }
    }
}

#[test]
fn threads_agree_on_ids_of_trees_while_tables_grow() {
    for seed in 0..size(3, 1) as u64 {
        stress(TreeStore::new(), seed, 40, usize::MAX);
        stress(TreeStore::new(), seed, size(700, 80), usize::MAX);
    }
}

#[test]
fn threads_agree_on_ids_of_trees_while_bytes_get_more_values() {
    for (seed, another) in (0..).zip([200, 1000, 6000]).take(size(3, 1)) {
        stress(TreeStore::new(), seed, 40, size(another, 5));
        stress(TreeStore::new(), seed, size(700, 80), size(another, 5));
    }
}

#[test]
fn threads_agree_on_ids_of_exact_states_while_tables_grow() {
    (0..size(3, 1) as u64).for_each(|seed| stress(ExactStore::new(0), seed, 40, size(5000, 20)));
}

#[test]
fn threads_agree_on_ids_of_fingerprints_while_tables_grow() {
    (0..size(3, 1) as u64).for_each(|seed| stress(CompactStore::new(0), seed, 40, size(5000, 20)));
}

#[test]
fn bitstate_hashing_loses_some_states_and_says_how_many() {
    // If the array is full the estimate is worse: states that are lost after the last new one do not count.
    let cases = [(30, 3, 0.9999, 1.0, 0.0001), (18, 3, 0.8, 0.9, 0.01), (14, 2, 0.0, 0.2, 0.03)];
    let few = [(16, 3, 0.99, 1.0, 0.01)];
    for &(bits, hashes, least, most, off) in if cfg!(miri) { few.as_slice() } else { &cases } {
        let mut store = BitStore::new(0, bits, hashes);
        let mut cursor = store.cursor();
        let states = size(100_000, 100) as u32;
        let mut new = 0;
        for at in 0..states {
            let state = at.to_le_bytes();
            let key = store.key(&mut cursor, &state, Changed::Anywhere).unwrap();
            store.prefetch(key);
            match grown(&mut store, |store| store.intern(&mut cursor, key, &state)) {
                Interned::New(id) => {
                    assert_eq!(id.0, new);
                    new += 1;
                }
                Interned::MaybeKnown => {}
                Interned::Known(_) => unreachable!("bits have no ids"),
            }
            assert_eq!(store.find(key, &state), Some(Interned::MaybeKnown), "a state is never removed");
        }
        let kept = f64::from(new) / f64::from(states);
        let expected = store.expected_coverage();
        assert!(kept >= least && kept <= most, "2^{bits} bits kept {kept}");
        assert!((kept - expected).abs() < off, "2^{bits} bits kept {kept}, expected {expected}");
    }
}

#[test]
fn bits_that_start_over_have_no_states_and_lose_others() {
    let mut store = BitStore::new(0, 7, 1);
    let mut lost = |seed: u64| -> Vec<u8> {
        store.start_over(seed);
        assert_eq!((store.len(), store.expected_coverage()), (0, 1.0));
        let mut cursor = store.cursor();
        (0..40u8)
            .filter(|&state| {
                let key = store.key(&mut cursor, &[state], Changed::Anywhere).unwrap();
                store.intern(&mut cursor, key, &[state]) == Ok(Interned::MaybeKnown)
            })
            .collect()
    };
    let (first, second) = (lost(1), lost(2));
    assert_ne!(first, second, "another hash function");
    assert_eq!(lost(1), first, "nothing is left of the search before");
    assert!(!first.is_empty() && first.len() < 40);
}
