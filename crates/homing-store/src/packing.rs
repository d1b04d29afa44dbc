//! How the states of one length are packed: of each byte the code of its value, in as many bits as its values need.
//!
//! A byte that always had the same value takes no bits. Packed states of few bits are keys by themselves; others are cut
//! into words, the leaves of a tree, each about as full as the others: of two unequal halves of a state the larger has far
//! more values. A packing never changes. When a value comes that its byte has no room for, another packing is made, with
//! the same codes; bits that would be empty are given out as room for values to come, so that this is rare.

use std::sync::Arc;

use homing_core::State;

use crate::codes::{Codes, UNKNOWN};
use crate::root::{BESIDE, FAR_CLASS, class_bits};
use crate::shape::Shape;

/// A byte of the state, in a word.
#[derive(Debug)]
pub(crate) struct Field {
    pub codes: Arc<Codes>,
    /// All bits but its own.
    others: u64,
    pub word: u32,
    pub shift: u8,
    bits: u8,
}

impl Field {
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
}

/// What is to be expected of values to come.
#[derive(Debug, Default)]
pub(crate) struct Outlook {
    /// How many values the bytes had that now have one too many. Others that have as many are probably of their kind:
    /// elements of an array, or the same variable of another process.
    pub outgrown: Vec<usize>,
    /// How often a tree for states of this length was outgrown. Every time there is more room: nodes that are no longer
    /// used cost more than words that are not full.
    pub mistakes: usize,
}

/// Words of a tree are filled up to here when bits are given out that nobody asked for.
const FULL_WORD: usize = 60;

/// Where the fields of a packing are: of each byte its word, shift and bits.
type Layout = Vec<(u32, u8, u8)>;

impl Packing {
    /// For bytes that had these values.
    pub fn new(class: u32, codes: Vec<Arc<Codes>>, outlook: &Outlook) -> Self {
        let counts: Vec<usize> = codes.iter().map(|codes| codes.count()).collect();
        let beside = Some(class).filter(|&class| class < FAR_CLASS).and_then(|_| beside_class(&counts, outlook));
        let is_inline = beside.is_some();
        let (layout, half) = beside.map_or_else(|| in_words(&counts, outlook), |layout| (layout, 1));
        let words = layout.iter().map(|&(word, ..)| word as usize + 1).max().unwrap_or(1);
        let mut byte_at = vec![[u32::MAX; 64]; words];
        let fields = codes.into_iter().zip(layout).enumerate().map(|(at, (codes, (word, shift, bits)))| {
            byte_at[word as usize][shift as usize..][..bits as usize].fill(at as u32);
            let is_shared = bits > 0 && codes.count() == 1; // by all that have no other value
            let codes = if is_shared { Arc::new(Codes::of(codes.value(0))) } else { codes };
            Field { codes, others: !(((1 << bits) - 1) << shift), word, shift, bits }
        });
        let fields = fields.collect();
        Packing { class, is_inline, fields, byte_at, shape: Shape::new(words, half) }
    }

    pub fn length(&self) -> usize {
        self.fields.len()
    }

    /// The state in which every byte has its first value.
    pub fn template(&self) -> Vec<u8> {
        self.fields.iter().map(|field| field.codes.value(0)).collect()
    }

    /// The words of the template.
    pub fn blank(&self) -> Vec<u64> {
        let bits = if self.is_inline { class_bits(self.class) } else { 0 };
        vec![bits; self.shape.leaves.len()]
    }

    /// Writes the bytes that belong to the bits of `differs` in a word.
    #[inline]
    pub fn decode(&self, at: usize, word: u64, mut differs: u64, state: &mut State) {
        let byte_at = &self.byte_at[at];
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

    /// How the bits of keys move when states are packed like `other`: those of each mask to the left, around the end.
    /// None if one of the packings is a tree, or if they have different codes.
    pub fn moves(&self, other: &Packing) -> Option<Vec<(u64, u32)>> {
        let mut moves: Vec<(u64, u32)> = Vec::new();
        for (field, new) in self.fields.iter().zip(&other.fields) {
            let has_same = |code: usize| field.codes.value(code as u8) == new.codes.value(code as u8);
            let is_kept = field.codes.count() <= new.codes.count() && (0..field.codes.count()).all(has_same);
            if !self.is_inline || !other.is_inline || !is_kept {
                return None;
            }
            let left = u32::from(new.shift).wrapping_sub(u32::from(field.shift)) % 64;
            match moves.iter_mut().find(|(_, other)| *other == left) {
                Some((mask, _)) => *mask |= field.mask(),
                None if field.bits != 0 => moves.push((field.mask(), left)),
                None => {}
            }
        }
        Some(moves)
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

/// Whether states with these values fit into a key.
pub(crate) fn is_inline(codes: &[Arc<Codes>]) -> bool {
    let counts: Vec<usize> = codes.iter().map(|codes| codes.count()).collect();
    beside_class(&counts, &Outlook::default()).is_some()
}

/// The bits for so many values.
fn bits_for(count: usize) -> u8 {
    count.next_power_of_two().trailing_zeros() as u8
}

/// Bits by byte: as many as needed, and up to `most` in all. Those left over go where they will be needed first.
fn generous(counts: &[usize], outlook: &Outlook, most: usize) -> Vec<u8> {
    let mut bits: Vec<u8> = counts.iter().map(|&count| bits_for(count)).collect();
    let mut left = most.saturating_sub(total(&bits));
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_cached_key(|&at| {
        let (count, room) = (counts[at], 1 << bits[at]);
        let is_next = count == room && outlook.outgrown.contains(&count);
        (!is_next, count == 1, (room - count) * 64 / count, std::cmp::Reverse(count))
    });
    while left > 0 && order.iter().any(|&at| bits[at] < 8) {
        for &at in order.iter().filter(|&&at| bits[at] < 8).take(left).collect::<Vec<_>>() {
            bits[at] += 1;
            left -= 1;
        }
    }
    bits
}

fn total(bits: &[u8]) -> usize {
    bits.iter().map(|&bits| bits as usize).sum()
}

fn needed(counts: &[usize]) -> usize {
    counts.iter().map(|&count| bits_for(count) as usize).sum()
}

/// A layout in the bits of a key beside the class, if there is one: in the lower ones if they suffice.
fn beside_class(counts: &[usize], outlook: &Outlook) -> Option<Layout> {
    BESIDE.into_iter().find_map(|runs| {
        let room: usize = runs.iter().map(|&(_, len)| len as usize).sum();
        (needed(counts)..=room).rev().find_map(|most| in_runs(&generous(counts, outlook, most), &runs))
    })
}

/// Each field in the first run that has room for it.
fn in_runs(bits: &[u8], runs: &[(u32, u32)]) -> Option<Layout> {
    let mut free = runs.to_vec();
    let place = |&bits: &u8| {
        let (from, left) = free.iter_mut().find(|(_, left)| *left >= u32::from(bits))?;
        let shift = if bits == 0 { 0 } else { *from };
        *from += u32::from(bits);
        *left -= u32::from(bits);
        Some((0, shift as u8, bits))
    };
    bits.iter().map(place).collect()
}

/// A layout in words, and how many of them are in the first half of the tree.
///
/// Halves have the same number of bits that are needed, whoever was given more; if there were too many mistakes, of bytes:
/// what the first states tell of the parts of a state is not true of all.
fn in_words(counts: &[usize], outlook: &Outlook) -> (Layout, usize) {
    let generously = needed(counts).saturating_mul(1 << outlook.mistakes.min(8)).min(counts.len() * 8);
    let words = match generously.div_ceil(FULL_WORD) {
        few @ 0..=2 => few,
        many => many.next_multiple_of(2),
    };
    let bits = generous(counts, outlook, words * FULL_WORD);
    let half = match outlook.mistakes {
        0..=2 => {
            let (most, mut before) = (needed(counts), 0);
            let is_before = |&&count: &&usize| {
                before += 2 * bits_for(count) as usize;
                before <= most + bits_for(count) as usize
            };
            counts.iter().take_while(is_before).count()
        }
        _ => bits.len() / 2,
    };
    let (mut layout, first) = in_even_words(&bits[..half], 0);
    let (second, _) = in_even_words(&bits[half..], first);
    layout.extend(second);
    (layout, first)
}

/// A layout in words from `first` on that are about as full as each other, and the number of the one behind them.
fn in_even_words(bits: &[u8], first: usize) -> (Layout, usize) {
    let (total, words) = (total(bits), total(bits).div_ceil(63));
    let (mut word, mut used, mut before) = (0, 0, 0);
    let place = |&bits: &u8| {
        if bits == 0 {
            return (0, 0, 0);
        }
        let is_over = used + bits as usize > 64 || (before + bits as usize / 2) * words >= total * (word + 1);
        if used > 0 && is_over {
            (word, used) = (word + 1, 0);
        }
        let shift = used;
        used += bits as usize;
        before += bits as usize;
        ((first + word) as u32, shift as u8, bits)
    };
    let layout = bits.iter().map(place).collect();
    (layout, first + word + usize::from(used > 0))
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

    fn packing(class: u32, counts: &[usize], mistakes: usize) -> Packing {
        let codes = counts.iter().map(|&count| codes(count)).collect();
        Packing::new(class, codes, &Outlook { outgrown: vec![2], mistakes })
    }

    #[test]
    fn every_byte_has_bits_of_its_own() {
        let mut random = fastrand::Rng::with_seed(3);
        for round in 0..400 {
            let most = [1, 2, 5, 17, 256][round % 5];
            let counts: Vec<usize> = (0..random.usize(..200)).map(|_| random.usize(1..=most)).collect();
            let packing = packing(if round % 3 == 0 { 700 } else { 200 }, &counts, round % 7);
            let reserved = if packing.is_inline { class_bits(255) } else { 0 };
            let mut taken = vec![reserved; packing.shape.leaves.len()];
            for (field, &count) in packing.fields.iter().zip(&counts) {
                assert!(field.room() >= count && field.bits <= 8);
                assert_eq!(
                    (field.mask().count_ones(), field.mask() & taken[field.word as usize]),
                    (field.bits.into(), 0)
                );
                taken[field.word as usize] |= field.mask();
            }
            assert!(!packing.is_inline || packing.class == 200 && taken.len() == 1);
            let mut state = packing.template();
            let values: Vec<u8> = counts.iter().map(|&count| random.usize(..count) as u8).collect();
            let (mut words, mut seen) = (packing.blank(), 0);
            for (field, &value) in packing.fields.iter().zip(&values) {
                field.write(value, &mut words[field.word as usize], &mut seen);
            }
            assert_eq!(seen & UNKNOWN, 0);
            for (at, (word, blank)) in words.iter().zip(packing.blank()).enumerate() {
                packing.decode(at, *word, word ^ blank, &mut state);
            }
            assert_eq!(state, values);
        }
    }

    #[test]
    fn few_bits_are_low_and_those_left_over_are_given_out() {
        let packing = |counts: &[usize]| packing(3, counts, 0);
        let bits = |packing: &Packing| packing.fields.iter().map(|field| field.bits).collect::<Vec<_>>();
        let small = packing(&[16; 10]);
        assert!(small.is_inline && small.fields.iter().all(|field| field.mask() < 1 << 44));
        assert_eq!(bits(&small), [5, 5, 5, 5, 4, 4, 4, 4, 4, 4]);
        assert_eq!(bits(&packing(&[256, 255, 256, 256, 1, 2, 3, 4])), [8, 8, 8, 8, 1, 3, 4, 4]);
        assert!(packing(&[16; 14]).is_inline && !packing(&[16; 15]).is_inline);
        assert_eq!(packing(&[16; 30]).shape.leaves.len(), 2);
        let wide = super::tests::packing(3, &[16; 30], 2);
        assert_eq!((bits(&wide), wide.shape.leaves.len()), (vec![8; 30], 4));
    }

    #[test]
    fn bits_move_as_the_states_would() {
        let (old, new) = (packing(3, &[2, 7, 3, 1, 9], 0), packing(9, &[2, 7, 3, 130, 9], 0));
        let packed = |packing: &Packing, state: &[u8]| {
            let (mut word, mut seen) = (packing.blank()[0], 0);
            packing.fields.iter().zip(state).for_each(|(field, &value)| field.write(value, &mut word, &mut seen));
            word
        };
        let moves = old.moves(&new).expect("the codes are the same");
        for state in [[0, 0, 0, 0, 0], [1, 6, 2, 0, 8], [1, 3, 1, 0, 4]] {
            let key = packed(&old, &state);
            let moved = moves.iter().map(|&(mask, left)| (key & mask).rotate_left(left));
            assert_eq!(moved.fold(class_bits(9), |all, moved| all | moved), packed(&new, &state));
        }
        assert!(new.moves(&old).is_none(), "there is no room for all values");
        assert!(old.moves(&packing(9, &[200; 5], 0)).is_some() && old.moves(&packing(300, &[200; 5], 0)).is_none());
    }
}
