//! Every store against a map from the standard library, alone and with many threads on a table that has to grow.

use std::collections::HashMap;
use std::sync::{Mutex, RwLock};

use homing_core::{Changed, State, StateId, Written};
use homing_store::{
    BitStore, CompactStore, ExactStore, Interned, Keys, LoadById, LoadByKey, NeedsGrowth, Prefetch, Recall, Store,
    TreeStore,
};

/// A small generator (SplitMix64), so that a failing seed can be run again.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    /// A state that came from another by few changes, and where they are; sometimes of another length.
    fn step(&mut self, from: &State, lengths: &[usize], hidden_prefix: usize) -> (Vec<u8>, Option<Vec<Written>>) {
        let mut state = from.to_vec();
        if self.below(20) == 0 {
            state.resize(lengths[self.below(lengths.len())], 0);
            return (state, None);
        }
        let mut places = Vec::new();
        let identity = state.len() - hidden_prefix;
        for _ in 0..self.below(4) {
            if identity == 0 {
                break;
            }
            let offset = hidden_prefix + self.below(identity);
            let width = (1 + self.below(8)).min(state.len() - offset);
            places.push(Written { offset: offset as u32, width: width as u32, old: 0 });
            state[offset] = self.below(3) as u8;
        }
        state[..hidden_prefix].fill(self.below(5) as u8);
        let told = self.below(3) > 0 && hidden_prefix == 0;
        (state, told.then_some(places))
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
    let mut random = Random(seed);
    let (mut known, mut all): (HashMap<Vec<u8>, u32>, Vec<Vec<u8>>) = Default::default();
    let mut cursor = store.cursor();
    let initial = vec![0; lengths[0]];
    let key = grown(&mut store, |store| store.key(&mut cursor, &initial, Changed::Anywhere));
    assert_eq!(grown(&mut store, |store| store.intern(&mut cursor, key, &initial)), Interned::New(StateId(0)));
    known.insert(initial[hidden_prefix..].to_vec(), 0);
    all.push(initial);
    let mut out = Vec::new();
    for step in 0..count {
        let number = random.below(all.len());
        if S::Recall::KEEPS_STORED {
            store.set_parent(&mut cursor, &all[number], None);
        } else {
            S::Recall::load_stored(&store, &mut cursor, StateId(number as u32), None, &mut out);
            assert_eq!(out[hidden_prefix..], all[number][hidden_prefix..], "seed {seed}, step {step}");
        }
        for _ in 0..3 {
            let (state, places) = random.step(&all[number], lengths, hidden_prefix);
            let changed = places.as_deref().map_or(Changed::Anywhere, Changed::At);
            let key = grown(&mut store, |store| store.key(&mut cursor, &state, changed));
            let next = all.len() as u32;
            let before = known.get(&state[hidden_prefix..]).copied();
            let found = before.map(|number| Interned::Known(StateId(number)));
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
        for (number, state) in all.iter().enumerate() {
            S::Recall::load_stored(&store, &mut cursor, StateId(number as u32), None, &mut out);
            assert_eq!(&out[hidden_prefix..], &state[hidden_prefix..], "seed {seed}, state {number}");
        }
        assert_eq!(store.usage().longest_state, all.iter().map(Vec::len).max().unwrap());
    }
}

/// Keys are made and held for a while before they are looked for, and values come that never came before.
fn check_held(seed: u64, lengths: &[usize], count: usize, values: impl Fn(usize) -> usize) {
    let mut random = Random(seed);
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
                let found = before.map(|number| Interned::Known(StateId(number)));
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
                    let (key, state) = &held[at]; // perhaps nobody entered it
                    store.load_by_key(&mut cursor, *key, &mut out);
                    assert_eq!(&out, state, "seed {seed}, step {step}");
                    state
                } else {
                    let number = random.below(all.len());
                    store.load(&mut cursor, StateId(number as u32), &mut out);
                    assert_eq!(out, all[number], "seed {seed}, step {step}");
                    &all[number]
                };
                let (mut state, mut places) = random.step(from, lengths, 0);
                if !state.is_empty() {
                    let offset = random.below(state.len());
                    state[offset] = random.below(values(step)) as u8;
                    places.iter_mut().for_each(|all| all.push(Written { offset: offset as u32, width: 1, old: 0 }));
                }
                let changed = places.as_deref().map_or(Changed::Anywhere, Changed::At);
                let key = grown(&mut store, |store| store.key(&mut cursor, &state, changed));
                held.push((key, state));
            }
        }
    }
    assert_eq!(store.len(), all.len() as u64);
    let is_packed_anew = values(count) > 2 && lengths[0] >= 8; // a shorter one is a key as it is
    assert!(!is_packed_anew || store.packing_count() > lengths.len(), "{lengths:?}: {}", store.packing_count());
    for (key, state) in held {
        store.load_by_key(&mut cursor, key, &mut out);
        assert_eq!(out, state, "seed {seed}");
    }
    for (number, state) in all.iter().enumerate() {
        store.load(&mut cursor, StateId(number as u32), &mut out);
        assert_eq!(&out, state, "seed {seed}, state {number}");
    }
}

const LENGTHS: [&[usize]; 7] = [&[3], &[8, 9], &[20, 1, 16], &[100, 70], &[0, 1, 2], &[500, 600], &[1300, 1200, 17]];

#[test]
fn the_tree_agrees_with_a_map() {
    for (seed, lengths) in LENGTHS.into_iter().enumerate() {
        check(TreeStore::new(), seed as u64, lengths, 0, 20_000 / (1 + lengths[0] / 50));
    }
    let many: Vec<usize> = (0..400).collect(); // more lengths than a root has room to tell
    check(TreeStore::new(), 77, &many, 0, 8_000);
}

#[test]
fn keys_made_before_states_were_packed_anew_are_good() {
    for (seed, lengths) in LENGTHS.into_iter().enumerate() {
        let count = 20_000 / (1 + lengths[0] / 500);
        check_held(seed as u64, lengths, count, |_| 2);
        check_held(seed as u64, lengths, count, |step| 3 + step * 300 / count);
    }
    let many: Vec<usize> = (0..400).step_by(3).collect(); // more packings than there may be
    check_held(78, &many, 20_000, |step| 3 + step / 100);
    check_held(79, &[5_000, 4_900], 9_000, |step| 1 + step / 1000); // long ones
    check_held(80, &[120], 60_000, |step| 2 + step / 1000); // leaves take more values after references were made wider
}

#[test]
fn a_byte_may_have_all_values() {
    for length in [1, 9, 60, 300] {
        let (mut store, mut out) = (TreeStore::new(), Vec::new());
        let mut cursor = store.cursor();
        let states = (0..256 * 12).map(|at: usize| {
            let mut state = vec![3; length];
            state[length / 2] = (at / 12) as u8; // one after the other
            state[length - 1] ^= (at % 12) as u8;
            state
        });
        let states: std::collections::BTreeSet<_> = states.collect();
        for (number, state) in states.iter().enumerate() {
            let key = grown(&mut store, |store| store.key(&mut cursor, state, Changed::Anywhere));
            let interned = grown(&mut store, |store| store.intern(&mut cursor, key, state));
            assert_eq!(interned, Interned::New(StateId(number as u32)));
            store.load(&mut cursor, StateId(number as u32), &mut out);
            assert_eq!(&out, state);
        }
        for (number, state) in states.iter().enumerate() {
            store.load(&mut cursor, StateId(number as u32), &mut out);
            assert_eq!(&out, state);
        }
    }
}

#[test]
fn exact_states_agree_with_a_map() {
    for (seed, lengths) in LENGTHS.into_iter().enumerate() {
        check(ExactStore::new(0), seed as u64, lengths, 0, 20_000 / (1 + lengths[0] / 50));
    }
    for hidden_prefix in [1, 5, 8, 11] {
        check(ExactStore::new(hidden_prefix), 5, &[20, 30], hidden_prefix, 5_000);
    }
}

#[test]
fn fingerprints_agree_with_a_map() {
    for (seed, lengths) in LENGTHS.into_iter().enumerate() {
        check(CompactStore::new(0), seed as u64, lengths, 0, 20_000 / (1 + lengths[0] / 50));
    }
    check(CompactStore::new(3), 5, &[20, 30], 3, 5_000);
}

#[test]
fn carried_bytes_are_kept_of_the_first_and_can_be_replaced() {
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

/// How many steps a key is held before it is looked for.
const HELD: usize = 20;

/// Many threads walk at random through the same few states: each is given one number, once, whatever happens between.
/// After so many steps there is another value.
fn stress<S: Store>(store: S, seed: u64, length: usize, another: usize) {
    let store = RwLock::new(store);
    let numbers: Mutex<HashMap<Vec<u8>, StateId>> = Mutex::default();
    let news = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (store, numbers, news) = (&store, &numbers, &news);
            scope.spawn(move || {
                let mut random = Random(seed * 100 + thread / 2); // pairs of threads take the same way
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
                                assert!(write.memory() > before || write.grow(3)); // or another was faster
                            }
                        }
                    }
                }
                for step in 0..30_000 {
                    let mut next = state.clone();
                    let value = random.below(3 + step / another); // few states in all: threads meet
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
                            Interned::New(number) => {
                                new.push(number);
                                seen.push((shown, number));
                            }
                            Interned::Known(number) => seen.push((shown, number)),
                            Interned::MaybeKnown => unreachable!("the store numbers its states"),
                        }
                    }
                }
                let mut numbers = numbers.lock().unwrap();
                for (state, number) in seen {
                    assert_eq!(*numbers.entry(state).or_insert(number), number, "one state, one number");
                }
                news.lock().unwrap().extend(new);
            });
        }
    });
    let (store, numbers, mut news) =
        (store.into_inner().unwrap(), numbers.into_inner().unwrap(), news.into_inner().unwrap());
    news.sort();
    assert!(news.is_sorted_by(|one, other| one < other), "each number was new once");
    assert!(news.last().is_some_and(|last| u64::from(last.0) < store.capacity()), "there is room for all by number");
    assert_eq!((store.len(), news.len()), (numbers.len() as u64, numbers.len()));
    assert!(numbers.len() > 5_000, "the table has grown: {}", numbers.len());
    let mut cursor = store.cursor();
    for (state, number) in numbers {
        let key = store.key(&mut cursor, &state, Changed::Anywhere).unwrap();
        assert_eq!(store.find(key, &state), Some(Interned::Known(number)));
        if !S::Recall::KEEPS_STORED {
            let mut out = Vec::new();
            S::Recall::load_stored(&store, &mut cursor, number, None, &mut out);
            assert_eq!(out, state);
        }
    }
}

#[test]
fn threads_agree_on_numbers_of_trees_while_tables_grow() {
    for seed in 0..3 {
        stress(TreeStore::new(), seed, 40, usize::MAX);
        stress(TreeStore::new(), seed, 700, usize::MAX);
    }
}

#[test]
fn threads_agree_on_numbers_of_trees_while_values_come() {
    for (seed, another) in [200, 1000, 6000].into_iter().enumerate() {
        stress(TreeStore::new(), seed as u64, 40, another);
        stress(TreeStore::new(), seed as u64, 700, another);
    }
}

#[test]
fn threads_agree_on_numbers_of_exact_states_while_tables_grow() {
    (0..3).for_each(|seed| stress(ExactStore::new(0), seed, 40, 5000));
}

#[test]
fn threads_agree_on_numbers_of_fingerprints_while_tables_grow() {
    (0..3).for_each(|seed| stress(CompactStore::new(0), seed, 40, 5000));
}

#[test]
fn a_field_of_bits_loses_some_states_and_says_how_many() {
    // Of a field that is full the estimate is the worse: what is lost behind the last new state does not count.
    for (bits, hashes, least, most, off) in
        [(30, 3, 0.9999, 1.0, 0.0001), (18, 3, 0.8, 0.9, 0.01), (14, 2, 0.0, 0.2, 0.03)]
    {
        let mut store = BitStore::new(0, bits, hashes);
        let mut cursor = store.cursor();
        let states = 100_000u32;
        let mut new = 0;
        for at in 0..states {
            let state = at.to_le_bytes();
            let key = store.key(&mut cursor, &state, Changed::Anywhere).unwrap();
            store.prefetch(key);
            match grown(&mut store, |store| store.intern(&mut cursor, key, &state)) {
                Interned::New(number) => {
                    assert_eq!(number.0, new);
                    new += 1;
                }
                Interned::MaybeKnown => {}
                Interned::Known(_) => unreachable!("bits have no numbers"),
            }
            assert_eq!(store.find(key, &state), Some(Interned::MaybeKnown), "it is never forgotten");
        }
        let kept = f64::from(new) / f64::from(states);
        let expected = store.expected_coverage();
        assert!(kept >= least && kept <= most, "2^{bits} bits kept {kept}");
        assert!((kept - expected).abs() < off, "2^{bits} bits kept {kept}, expected {expected}");
    }
}

#[test]
fn bits_that_start_over_forget_all_states_and_lose_others() {
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
