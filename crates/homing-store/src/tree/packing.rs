//! How the states of one length are packed: of each byte the code of its value, in as many bits as its values need.
//!
//! A byte that always had the same value takes no bits. Packed states of few bits are keys by themselves; others are cut
//! into the leaves of a tree, two words each, and each about as full as the others: of two unequal parts of a state the
//! larger has far more values. Each leaf has a table of its values, and the key has references into the tables, or to nodes
//! above them.
//!
//! A packing never changes. When a value comes that its byte has no room for, another packing is made with the same codes.
//! If the leaf of the byte has bits left, that is all that is needed: the values in its table move their bits, and keys
//! stay as they are. Bits that would be empty are given out as room for values to come, so that this is rare.

use std::sync::Arc;

use homing_core::State;

use crate::tree::bit_shuffle::Moves;
use crate::tree::dictionary::{Codes, UNKNOWN};
use crate::tree::key::{BESIDE, FAR_CLASS, LOW_CLASS, LOW_ROOM, REF_BITS, Run, class_bits};
use crate::tree::shape::{Node, QUARTERS, Shape};

/// A byte of the state, in a word.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub codes: Arc<Codes>,
    /// All bits but its own.
    others: u64,
    pub word: u32,
    pub shift: u8,
    bits: u8,
}

impl Field {
    fn new(codes: Arc<Codes>, Place { word, shift, bits }: Place) -> Self {
        let is_shared = bits > 0 && codes.count() == 1; // by all that have no other value
        let codes = if is_shared { Arc::new(Codes::of(codes.value(0))) } else { codes };
        Field { codes, others: !(((1 << bits) - 1) << shift), word, shift, bits }
    }

    /// Puts the code of a value into its place in a word, and among those `seen`. If it has none, the word is no good.
    #[inline(always)]
    pub fn write(&self, value: u8, word: &mut u64, seen: &mut u16) {
        let code = self.codes.code(value);
        *seen |= code;
        *word = *word & self.others | u64::from(code) << self.shift;
    }

    /// None of a byte that has one value.
    #[inline]
    fn mask(&self) -> u64 {
        !self.others
    }

    /// How many values it has room for.
    fn room(&self) -> usize {
        1 << self.bits
    }

    fn place(&self) -> Place {
        Place { word: self.word, shift: self.shift, bits: self.bits }
    }

    /// Whether all codes of this one are those of another.
    fn agrees(&self, other: &Field) -> bool {
        let count = self.codes.count();
        count <= other.codes.count()
            && (0..count).all(|code| self.codes.value(code as u8) == other.codes.value(code as u8))
    }
}

/// Bits in the words of a packed state, or of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub word: u32,
    pub shift: u8,
    pub bits: u8,
}

#[derive(Debug)]
pub(crate) struct Packing {
    pub class: u32,
    /// A packed state is one word, and with the class in it the key.
    pub is_inline: bool,
    /// By byte of the state.
    pub fields: Vec<Field>,
    /// Of each bit of each word the byte it belongs to.
    byte_at: Vec<[u32; 64]>,
    /// The tree of words.
    pub shape: Shape,
    /// There is nothing between the leaves of the tree and the key, which says what class it is of.
    pub is_flat: bool,
    /// Where a key has the references below the root.
    pub refs: [Place; QUARTERS],
    pub tables: Tables,
    /// The table of each inner node.
    inner_tables: Vec<u32>,
}

/// Which tables the nodes of a packing have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tables {
    /// The first of leaves, pairs and wide nodes. The values of leaves are the bytes themselves.
    Common,
    /// Each its own, from these on.
    From { leaves: u32, pairs: u32, wide: u32 },
}

/// How a packing is to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// States may be keys by themselves.
    pub may_be_inline: bool,
    /// Of a tree.
    pub tables: Tables,
    /// How many the references in the keys of a tree have at least.
    pub bits: u8,
}

/// Bytes that have one value too many. Others that have as many are probably of their kind: elements of an array, or the same
/// variable of another process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outgrown {
    /// How many values they had.
    pub counts: Vec<usize>,
    /// There are so many states that it is worth room to pack them anew but once.
    pub are_many: bool,
}

/// A leaf has so many words.
pub(crate) const LEAF: usize = 2;

/// A leaf has at most so many bits that are needed when it is made: more will be.
const NEEDED_IN_LEAF: usize = 64;

/// The same for bytes of which nothing is known.
const RAW_IN_LEAF: usize = 120;

impl Packing {
    /// For bytes that had these values.
    pub fn new(class: u32, codes: Vec<Arc<Codes>>, outgrown: &Outgrown, plan: Plan) -> Self {
        let Plan { may_be_inline, tables, bits } = plan;
        let counts: Vec<usize> = codes.iter().map(|codes| codes.count()).collect();
        let beside = beside_class(class, &counts, outgrown).filter(|_| may_be_inline);
        let is_inline = beside.is_some();
        let places = beside.unwrap_or_else(|| in_leaves(&counts, outgrown, tables));
        let shape = Shape::new(places.iter().map(|place| place.word as usize / LEAF + 1).max().unwrap_or(1));
        let fields: Vec<Field> = codes.into_iter().zip(places).map(|(codes, place)| Field::new(codes, place)).collect();
        let refs = references(class, &vec![bits; shape.quarters()]);
        let byte_at = byte_at(&fields, shape.leaves.len());
        let inner_tables = inner_tables(&shape, tables);
        let is_flat = !is_inline && shape.inner.is_empty() && class < FAR_CLASS;
        Packing { class, is_inline, byte_at, fields, shape, is_flat, refs, tables, inner_tables }
    }

    /// The same states in the same leaves with the same tables, when bytes have more values. None if a leaf is too small, or
    /// if there are no tables of its own.
    pub fn loosened(&self, codes: Vec<Arc<Codes>>, outgrown: &Outgrown) -> Option<Packing> {
        if !self.has_own_tables() {
            return None;
        }
        let counts: Vec<usize> = codes.iter().map(|codes| codes.count()).collect();
        let leaves: Vec<usize> = self.fields.iter().map(|field| field.word as usize / LEAF).collect();
        let places = laid_out(&counts, &leaves, outgrown)?;
        let fields: Vec<Field> = codes.into_iter().zip(places).map(|(codes, place)| Field::new(codes, place)).collect();
        let Packing { class, is_inline, is_flat, refs, tables, .. } = *self;
        let byte_at = byte_at(&fields, self.leaves());
        let (shape, inner_tables) = (self.shape.clone(), self.inner_tables.clone());
        Some(Packing { class, is_inline, byte_at, fields, shape, is_flat, refs, tables, inner_tables })
    }

    /// The same tree for another class, with references of at least so many bits in its keys.
    pub fn with_references(&self, class: u32, bits: &[u8]) -> Packing {
        let Packing { is_inline, tables, .. } = *self;
        let (fields, byte_at, shape) = (self.fields.clone(), self.byte_at.clone(), self.shape.clone());
        let (refs, inner_tables) = (references(class, bits), self.inner_tables.clone());
        let is_flat = !is_inline && shape.inner.is_empty() && class < FAR_CLASS;
        Packing { class, is_inline, byte_at, fields, shape, is_flat, refs, tables, inner_tables }
    }

    pub fn length(&self) -> usize {
        self.fields.len()
    }

    pub fn leaves(&self) -> usize {
        self.shape.leaves.len()
    }

    pub fn has_own_tables(&self) -> bool {
        !self.is_inline && self.tables != Tables::Common
    }

    /// Whether both are trees with the same tables of their own.
    pub fn has_same_tables(&self, other: &Packing) -> bool {
        self.has_own_tables() && other.has_own_tables() && self.tables == other.tables
    }

    /// The same, but for the keys of another, which has the same tables.
    pub fn for_keys_of(&self, other: &Packing) -> Packing {
        Packing { refs: other.refs, ..self.with_references(other.class, &[]) }
    }

    /// The table of a leaf.
    #[inline]
    pub fn table(&self, leaf: usize) -> u32 {
        match self.tables {
            Tables::Common => 0,
            Tables::From { leaves, .. } => leaves + leaf as u32,
        }
    }

    /// The table of an inner node, by its number less that of leaves.
    #[inline]
    pub fn inner_table(&self, inner: usize) -> u32 {
        self.inner_tables[inner]
    }

    /// The state in which every byte has its first value.
    pub fn template(&self) -> Vec<u8> {
        self.fields.iter().map(|field| field.codes.value(0)).collect()
    }

    /// The words of the template.
    pub fn blank(&self) -> Vec<u64> {
        let mut words = vec![0; LEAF * self.leaves()];
        if self.is_inline {
            words[0] = class_bits(self.class);
        }
        words
    }

    /// Writes the bytes that belong to the bits of `differs` in a word.
    #[inline]
    pub fn decode(&self, at: usize, word: u64, mut differs: u64, state: &mut State) {
        let byte_at = &self.byte_at[at];
        let state = &mut state[..self.fields.len()]; // then one check is for both
        while differs != 0 {
            let byte = byte_at[differs.trailing_zeros() as usize] as usize;
            let field = &self.fields[byte];
            state[byte] = field.codes.value(((word & field.mask()) >> field.shift) as u8);
            differs &= field.others;
        }
    }

    /// Numbers the values of a state that have no number. Those there is no room for are `wanted`, each with its byte.
    pub fn learn(&self, state: &State, mut wanted: impl FnMut(usize, u8)) {
        for (at, (field, &value)) in self.fields.iter().zip(state).enumerate() {
            if field.codes.code(value) == UNKNOWN && !field.codes.insert(value, field.room()) {
                wanted(at, value);
            }
        }
    }

    /// How the bits of keys move when states are packed like `other`. None if they do not: then one has to be made from the
    /// other by the states.
    pub fn moves(&self, other: &Packing) -> Option<Moves> {
        if self.class >= FAR_CLASS || other.class >= FAR_CLASS || self.is_inline != other.is_inline {
            return None;
        }
        if self.is_inline {
            let is_kept = self.fields.iter().zip(&other.fields).all(|(field, new)| field.agrees(new));
            let places = self.fields.iter().zip(&other.fields).map(|(field, new)| (field.place(), new.place()));
            return is_kept.then(|| Moves::new(places));
        }
        (self.tables == other.tables).then(|| Moves::new(self.refs.into_iter().zip(other.refs)))
    }

    /// How the bits of a leaf move when states are packed like `other`, which is [looser](Self::loosened).
    pub fn moves_in_leaf(&self, other: &Packing, leaf: usize) -> Moves {
        let pairs = self.fields.iter().zip(&other.fields).filter(|(field, _)| field.word as usize / LEAF == leaf);
        debug_assert!(pairs.clone().all(|(field, new)| field.agrees(new)));
        let in_leaf = |field: &Field| Place { word: field.word % LEAF as u32, ..field.place() };
        Moves::new(pairs.map(|(field, new)| (in_leaf(field), in_leaf(new))))
    }

    pub fn codes(&self) -> Vec<Arc<Codes>> {
        self.fields.iter().map(|field| field.codes.clone()).collect()
    }

    /// Bytes it holds.
    pub fn memory(&self) -> u64 {
        let own = self.fields.iter().filter(|field| field.bits > 0 && field.bits < 8).count();
        (size_of_val(&*self.fields) + size_of_val(&*self.byte_at) + own * size_of::<Codes>()) as u64
    }
}

/// The table of each inner node.
fn inner_tables(shape: &Shape, tables: Tables) -> Vec<u32> {
    let Tables::From { mut pairs, mut wide, .. } = tables else { return vec![0; shape.inner.len()] };
    let next = |table: &mut u32| std::mem::replace(table, *table + 1);
    let of = |node: &Node| if node.count == 2 { next(&mut pairs) } else { next(&mut wide) };
    shape.inner.iter().map(of).collect()
}

/// Of each bit of each word the byte it belongs to.
fn byte_at(fields: &[Field], leaves: usize) -> Vec<[u32; 64]> {
    let mut byte_at = vec![[u32::MAX; 64]; LEAF * leaves];
    for (at, field) in fields.iter().enumerate() {
        byte_at[field.word as usize][field.shift as usize..][..field.bits as usize].fill(at as u32);
    }
    byte_at
}
/// How many bits states with these values need.
pub(crate) fn needed_by(codes: &[Arc<Codes>]) -> usize {
    let counts: Vec<usize> = codes.iter().map(|codes| codes.count()).collect();
    needed(&counts)
}

/// The bits for so many values.
fn bits_for(count: usize) -> u8 {
    count.next_power_of_two().trailing_zeros() as u8
}

/// Bits by byte: as many as needed, and up to `most` in all. Those left over go where they will be needed first.
fn generous(counts: &[usize], outgrown: &Outgrown, most: usize) -> Vec<u8> {
    let mut bits: Vec<u8> = counts.iter().map(|&count| bits_for(count)).collect();
    let mut left = most.saturating_sub(total(&bits));
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_cached_key(|&at| {
        let (count, room) = (counts[at], 1 << bits[at]);
        (!is_next(count, outgrown), count == 1, (room - count) * 64 / count, std::cmp::Reverse(count))
    });
    while left > 0 && order.iter().any(|&at| bits[at] < 8) {
        for &at in order.iter().filter(|&&at| bits[at] < 8).take(left).collect::<Vec<_>>() {
            bits[at] += 1;
            left -= 1;
        }
    }
    bits
}

/// Whether a byte with so many values will soon need another bit, as others of its kind do.
fn is_next(count: usize, outgrown: &Outgrown) -> bool {
    count.is_power_of_two() && outgrown.counts.contains(&count)
}

fn total(bits: &[u8]) -> usize {
    bits.iter().map(|&bits| bits as usize).sum()
}

fn needed(counts: &[usize]) -> usize {
    counts.iter().map(|&count| bits_for(count) as usize).sum()
}

/// Places in the bits of a key beside the class, if they are enough: in the lower ones if those are.
fn beside_class(class: u32, counts: &[usize], outgrown: &Outgrown) -> Option<Vec<Place>> {
    let most = BESIDE[0].len;
    let low = if class <= LOW_CLASS { LOW_ROOM } else { most };
    let (now, soon) = (needed(counts), counts.iter().filter(|&&count| is_next(count, outgrown)).count());
    if class >= FAR_CLASS || now > most as usize {
        return None;
    }
    let wanted = if outgrown.are_many { now + soon } else { now };
    let room = if wanted <= low as usize { low } else { most };
    in_runs(&generous(counts, outgrown, room as usize), &BESIDE[..1])
}

/// Each in the first run that has room for it.
fn in_runs(bits: &[u8], runs: &[Run]) -> Option<Vec<Place>> {
    let mut free = runs.to_vec();
    let place = |&bits: &u8| {
        if bits == 0 {
            return Some(Place::default());
        }
        let run = free.iter_mut().find(|run| run.len >= u32::from(bits))?;
        let shift = run.from as u8;
        run.from += u32::from(bits);
        run.len -= u32::from(bits);
        Some(Place { word: run.word, shift, bits })
    };
    bits.iter().map(place).collect()
}

/// The references of a key, of at least so many bits: as wide as fits into the least columns that they fit into.
fn references(class: u32, least: &[u8]) -> [Place; QUARTERS] {
    let [first, second] = BESIDE;
    let low = if class <= LOW_CLASS { LOW_ROOM } else { first.len };
    let columns = [low, first.len].map(|len| [Run { len, ..first }, Run { len: 0, ..second }]);
    let more = [16, 32, 48, 64].map(|len| [first, Run { len, ..second }]);
    let mut order: Vec<usize> = (0..least.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(least[at])); // small ones find room where large ones do not
    let bits = |more: u8| order.iter().map(|&at| (least[at] + more).min(REF_BITS as u8)).collect::<Vec<_>>();
    let in_columns = columns
        .into_iter()
        .chain(more)
        .find_map(|runs| (0..=REF_BITS as u8).rev().find_map(|more| in_runs(&bits(more), &runs)));
    let mut places = [Place::default(); QUARTERS];
    order.iter().zip(in_columns.expect("a key has room for the widest")).for_each(|(&at, place)| places[at] = place);
    places
}

/// Places in leaves that need about as many bits as each other.
fn in_leaves(counts: &[usize], outgrown: &Outgrown, tables: Tables) -> Vec<Place> {
    let all = needed(counts);
    let in_leaf = if matches!(tables, Tables::Common) { RAW_IN_LEAF } else { NEEDED_IN_LEAF };
    let varying = counts.iter().filter(|&&count| count > 1).count();
    let least = all.div_ceil(in_leaf).next_multiple_of(QUARTERS).min(varying).max(1);
    let in_so_many = |leaves: usize| laid_out(counts, &cut(counts, leaves), outgrown);
    (least..).step_by(QUARTERS).find_map(in_so_many).expect("a byte has room in a leaf")
}

/// The leaves of bytes if there are so many, with about as many bits in each, or as many bytes where most have no bits yet:
/// they may be in use later.
fn cut(counts: &[usize], leaves: usize) -> Vec<usize> {
    let weight = |&count: &usize| 2 * bits_for(count) as usize + 1;
    let all: usize = counts.iter().map(weight).sum();
    let (mut leaf, mut before) = (0, 0);
    let leaf_of = |count: &usize| {
        let weight = weight(count);
        if before > 0 && (2 * before + weight) * leaves >= 2 * all * (leaf + 1) {
            leaf += 1;
        }
        before += weight;
        leaf
    };
    counts.iter().map(leaf_of).collect()
}

/// Places in the leaves that bytes have, with room for more values as far as there is any. None if a leaf is too small.
fn laid_out(counts: &[usize], leaves: &[usize], outgrown: &Outgrown) -> Option<Vec<Place>> {
    let mut places = vec![Place::default(); counts.len()];
    let mut by_leaf = vec![Vec::new(); leaves.iter().copied().max().unwrap_or(0) + 1];
    leaves.iter().enumerate().for_each(|(at, &leaf)| by_leaf[leaf].push(at));
    for (leaf, bytes) in by_leaf.into_iter().enumerate() {
        let counts: Vec<usize> = bytes.iter().map(|&at| counts[at]).collect();
        let runs = [0, 1].map(|half| Run { word: (LEAF * leaf + half) as u32, from: 0, len: u64::BITS });
        let most = LEAF * u64::BITS as usize;
        let in_leaf =
            (needed(&counts)..=most).rev().find_map(|most| in_runs(&generous(&counts, outgrown, most), &runs))?;
        let in_this = |place: Place| if place.bits == 0 { Place { word: runs[0].word, ..place } } else { place };
        bytes.iter().zip(in_leaf).for_each(|(&at, place)| places[at] = in_this(place));
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes for so many values, from 0 on.
    fn codes(count: usize) -> Arc<Codes> {
        let codes = Codes::of(0);
        (1..count).for_each(|value| _ = codes.insert(value as u8, 256));
        Arc::new(codes)
    }

    fn packing(class: u32, counts: &[usize]) -> Packing {
        let codes = counts.iter().map(|&count| codes(count)).collect();
        let tables = Tables::From { leaves: 1, pairs: 1, wide: 1 };
        Packing::new(
            class,
            codes,
            &Outgrown { counts: vec![2], are_many: false },
            Plan { may_be_inline: true, tables, bits: 0 },
        )
    }

    fn packed(packing: &Packing, state: &[u8]) -> Vec<u64> {
        let (mut words, mut seen) = (packing.blank(), 0);
        let fields = packing.fields.iter().zip(state);
        fields.for_each(|(field, &value)| field.write(value, &mut words[field.word as usize], &mut seen));
        assert_eq!(seen & UNKNOWN, 0);
        words
    }

    fn any_counts(random: &mut fastrand::Rng, most: usize) -> Vec<usize> {
        (0..random.usize(..200)).map(|_| random.usize(1..=most)).collect()
    }

    fn any_state(random: &mut fastrand::Rng, counts: &[usize]) -> Vec<u8> {
        counts.iter().map(|&count| random.usize(..count) as u8).collect()
    }

    #[test]
    fn every_byte_has_bits_of_its_own() {
        let mut random = fastrand::Rng::with_seed(3);
        for round in 0..400 {
            let counts = any_counts(&mut random, [1, 2, 5, 17, 256][round % 5]);
            let packing = packing(if round % 3 == 0 { 700 } else { 60 }, &counts);
            let mut taken = packing.blank();
            if packing.is_inline {
                taken[0] = class_bits(FAR_CLASS);
            }
            for (field, &count) in packing.fields.iter().zip(&counts) {
                assert!(field.room() >= count && field.bits <= 8);
                let word = &mut taken[field.word as usize];
                assert_eq!((field.mask().count_ones(), field.mask() & *word), (field.bits.into(), 0));
                *word |= field.mask();
            }
            assert!(!packing.is_inline || packing.class == 60 && taken[1..] == [0]);
            let (mut state, values) = (packing.template(), any_state(&mut random, &counts));
            for (at, (word, blank)) in packed(&packing, &values).into_iter().zip(packing.blank()).enumerate() {
                packing.decode(at, word, word ^ blank, &mut state);
            }
            assert_eq!(state, values);
        }
    }

    #[test]
    fn few_bits_are_low_and_those_left_over_are_given_out() {
        let packing = |counts: &[usize]| packing(3, counts);
        let bits = |packing: &Packing| packing.fields.iter().map(|field| field.bits).collect::<Vec<_>>();
        let small = packing(&[16; 10]);
        assert!(small.is_inline && small.fields.iter().all(|field| field.mask() < 1 << 48));
        assert_eq!(bits(&small), [5, 5, 5, 5, 4, 4, 4, 4, 4, 4]);
        assert_eq!(bits(&packing(&[256, 255, 256, 256, 1, 2, 3, 4])), [8, 8, 8, 8, 1, 3, 4, 4]);
        assert!(packing(&[16; 14]).is_inline && !packing(&[16; 15]).is_inline);
        assert_eq!([15, 60, 64, 65].map(|count| packing(&vec![16; count]).leaves()), [4, 4, 4, 8]);
        assert_eq!(bits(&packing(&[16; 60])), [8; 60]);
    }

    #[test]
    fn references_are_wide_where_they_are_wanted_and_take_few_columns() {
        let bits = |class, least: &[u8]| references(class, least).map(|place| place.bits);
        assert_eq!(bits(3, &[0; 4]), [11; 4]);
        assert_eq!((bits(20, &[0; 4]), bits(3, &[0, 0])), ([14; 4], [22, 22, 0, 0]));
        assert_eq!(bits(3, &[3, 12, 5, 20]), [4, 13, 6, 21]);
        assert_eq!(bits(3, &[28; 4]), [28; 4]);
        for least in [[0; 4], [12, 1, 3, 17], [28, 28, 1, 1], [20; 4]] {
            let mut taken = [class_bits(FAR_CLASS), 0];
            for (Place { word, shift, bits }, least) in references(9, &least).into_iter().zip(least) {
                let mask = ((1 << bits) - 1) << shift;
                assert!(bits >= least && taken[word as usize] & mask == 0);
                taken[word as usize] |= mask;
            }
        }
    }

    #[test]
    fn bits_move_as_the_states_would() {
        let (old, new) = (packing(3, &[2, 7, 3, 1, 9]), packing(9, &[2, 7, 3, 130, 9]));
        let key = |packing: &Packing, state: &[u8]| packed(packing, state).try_into().unwrap();
        let moves = old.moves(&new).expect("the codes are the same");
        for state in [[0, 0, 0, 0, 0], [1, 6, 2, 0, 8], [1, 3, 1, 0, 4]] {
            let [low, high] = moves.apply(key(&old, &state));
            assert_eq!([low | class_bits(9), high], key(&new, &state));
        }
        assert!(new.moves(&old).is_none(), "there is no room for all values");
        assert!(old.moves(&packing(9, &[200; 5])).is_some() && old.moves(&packing(300, &[200; 5])).is_none());
    }

    #[test]
    fn of_many_states_a_whole_kind_of_bytes_is_given_room_at_once() {
        let counts = [[9].as_slice(), &[8; 10], &[2; 9]].concat(); // 4 + 30 + 9 bits
        let packed = |are_many: bool| beside_class(1, &counts, &Outgrown { counts: vec![8], are_many }).expect("room");
        let bits = |places: Vec<Place>| places.iter().map(|place| u32::from(place.bits)).sum::<u32>();
        assert_eq!(bits(packed(false)), LOW_ROOM);
        let places = packed(true);
        assert!(places[..11].iter().all(|place| place.bits >= 4), "{places:?}");
        assert!(bits(places) > LOW_ROOM);
    }

    #[test]
    fn leaves_take_more_values_until_they_are_full() {
        let mut random = fastrand::Rng::with_seed(6);
        for round in 0..100 {
            let counts = any_counts(&mut random, [5, 17][round % 2]);
            let old = packing(700, &counts);
            let more: Vec<usize> = counts.iter().map(|&count| count + random.usize(..3)).collect();
            let Some(new) = old.loosened(more.iter().map(|&count| codes(count)).collect(), &Outgrown::default()) else {
                assert!(needed(&more) > 64);
                continue;
            };
            assert_eq!((new.class, new.leaves(), new.refs), (old.class, old.leaves(), old.refs));
            let state = any_state(&mut random, &counts);
            let (before, after) = (packed(&old, &state), packed(&new, &state));
            for leaf in 0..old.leaves() {
                let words = |all: &[u64]| [all[LEAF * leaf], all[LEAF * leaf + 1]];
                assert_eq!(old.moves_in_leaf(&new, leaf).apply(words(&before)), words(&after), "round {round}");
            }
        }
        assert!(packing(3, &[4; 5]).loosened(vec![codes(5); 5], &Outgrown::default()).is_none(), "there are no leaves");
        assert!(
            packing(3, &[4; 90]).loosened(vec![codes(256); 90], &Outgrown::default()).is_none(),
            "there is no room"
        );
    }
}
