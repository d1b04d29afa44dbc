//! The example at the head of `mod.rs`: checks every number that is mentioned there.

use homing_core::{Changed, StateId, Written};

use super::*;
use crate::tree::cursor::Cursor;
use crate::{Interned, Keys, LoadById, Store};

/// A system of processes with three bytes each: a program counter from 3 to 14, a variable with five values, and a
/// counter of rounds from 7 up. A process is its number of steps, up to 96.
struct Example {
    store: TreeStore,
    cursor: Cursor,
    states: Vec<Vec<usize>>,
    /// The state whose successors come next.
    expanded: usize,
    /// How many states there were when each packing was made.
    packed_at: Vec<u64>,
}

fn bytes(processes: &[usize]) -> Vec<u8> {
    let process = |&steps: &usize| [3 + (steps % 12) as u8, 10 * (steps % 5) as u8, 7 + (steps / 12) as u8];
    processes.iter().flat_map(process).collect()
}

impl Example {
    fn new(processes: usize) -> Self {
        let store = TreeStore::new();
        let cursor = store.cursor();
        let mut example = Example { store, cursor, states: Vec::new(), expanded: 0, packed_at: Vec::new() };
        example.add(vec![0; processes], Changed::Anywhere);
        example
    }

    fn add(&mut self, processes: Vec<usize>, changed: Changed<'_>) {
        let Example { store, cursor, packed_at, .. } = self;
        let (state, before) = (bytes(&processes), store.len());
        let interned = loop {
            let key = store.key(cursor, &state, changed);
            match key.and_then(|key| store.intern(cursor, key, &state)) {
                Ok(interned) => break interned,
                Err(NeedsGrowth) => assert!(store.grow(1)),
            }
        };
        packed_at.resize(store.packing_count(), before);
        if let Interned::New(_) = interned {
            self.states.push(processes);
        }
    }

    /// Expands states breadth-first until there are so many, or a few more.
    fn explore(&mut self, count: usize) {
        let mut out = Vec::new();
        while self.states.len() < count {
            let parent = self.states[self.expanded].clone();
            self.store.load(&mut self.cursor, StateId(self.expanded as u32), &mut out);
            assert_eq!(out, bytes(&parent));
            for process in 0..parent.len() {
                let mut successor = parent.clone();
                successor[process] = (successor[process] + 1) % 96;
                let writes = [0, 1, 2].map(|byte| Written { offset: 3 * process as u32 + byte, width: 1, old: 0 });
                self.add(successor, Changed::At(&writes));
            }
            self.expanded += 1;
        }
    }

    fn packing(&self) -> Arc<Packing> {
        self.store.newest_packing(3 * self.states[0].len())
    }

    fn bits(&self) -> Vec<u8> {
        self.packing().fields.iter().map(|field| field.bits).collect()
    }

    fn key(&self, id: u32) -> u64 {
        let [low, high] = self.store.roots.get(id);
        assert_eq!(high, 0);
        low
    }
}

fn values(dictionary: &dictionary::Dictionary) -> Vec<u8> {
    (0..dictionary.len()).map(|code| dictionary.value(code as u8)).collect()
}

#[test]
fn the_numbers_of_small_states_are_true() {
    let mut example = Example::new(4);

    // a new length, its leaves, its keys
    example.explore(1022);
    let packing = example.packing();
    assert_eq!((packing.id, packing.is_inline, packing.leaves(), example.bits()), (0, false, 4, vec![8; 12]));
    assert!(packing.fields.iter().enumerate().all(|(byte, field)| field.leaf() == byte / 3));
    let leaves = &example.store.leaves[0];
    assert_eq!((leaves.len(), leaves.get(7)), (12, [0x07_14_0a, 0]));
    assert_eq!(bytes(&example.states[500]), [10, 20, 7, 4, 10, 7, 4, 10, 7, 3, 0, 7]);
    assert_eq!(packing.refs.map(|range| (range.word, range.shift, range.bits)), [4, 15, 26, 37].map(|at| (0, at, 11)));
    assert_eq!((example.key(500), 7 << 4 | 1 << 15 | 1 << 26), (0x400_8070, 0x400_8070));
    assert_eq!((example.store.roots.width(), example.store.capacity()), (6, 1024));

    // a successor
    assert_eq!(bytes(&example.states[331]), [10, 20, 7, 4, 10, 7, 3, 0, 7, 3, 0, 7]);
    assert_eq!(example.key(331), 0x8070);

    // dictionaries
    example.explore(17_000);
    let packing = example.packing();
    assert_eq!((packing.id, packing.is_inline, example.packed_at[1]), (1, true, 1024));
    let dictionaries = [0, 1, 2].map(|byte| values(&packing.fields[byte].dictionary));
    assert_eq!(dictionaries, [(3..=14).collect(), vec![0, 10, 20, 30, 40], vec![7, 8]]);
    assert_eq!(example.bits(), [6, 4, 1].repeat(4));
    assert_eq!(example.key(500), 0x1_0420_8871);
    assert_eq!(1 | 7 << 4 | 2 << 10 | 1 << 15 | 1 << 21 | 1 << 26 | 1 << 32, 0x1_0420_8871u64);

    // a value too many
    example.explore(100_000);
    assert_eq!((example.packing().id, example.packed_at[2]), (2, 17_550));
    assert_eq!(example.bits(), [5, 4, 3, 5, 4, 2, 5, 4, 2, 5, 3, 2]);
    assert_eq!(example.key(500), 0x1_0821_0472);
    let old = [0x1_0420_8871, 0];
    assert_eq!(example.store.find(old, &[]), Some(Interned::Known(StateId(500))), "it is upgraded");

    // the bytes of a state
    assert_eq!((example.store.len(), example.store.usage().bytes), (100_000, 10 * 100_000 + 12 * 20));
}

#[test]
fn the_numbers_of_large_states_are_true() {
    let mut example = Example::new(40);
    example.explore(100_000);
    let packing = example.packing();
    assert_eq!((packing.length(), packing.id, example.packed_at[1]), (120, 1, 1024));
    assert_eq!((packing.leaves(), packing.shape.inner.len()), (4, 0));
    assert!(packing.fields.iter().enumerate().all(|(byte, field)| field.leaf() == byte / 30));
    let leaves: Vec<u32> = example.store.leaves[1..].iter().map(Table::len).collect();
    assert_eq!(leaves, [1001, 551, 286, 286]);
    let each = example.store.usage().bytes as f64 / example.store.len() as f64;
    assert_eq!((example.store.len(), (10.0 * each).round()), (100_016, 104.0));
}
