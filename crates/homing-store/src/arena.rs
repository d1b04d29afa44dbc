//! Byte strings of any length, numbered in the order they came.

/// Byte strings one behind the other in blocks of equally many. Most blocks hold strings of one length only, and where
/// such a string lies follows from its number: no table of places has to be read (a cache miss for each look-up) or kept
/// (8 bytes for each state).
#[derive(Debug, Default)]
pub(crate) struct Arena {
    blocks: Vec<Block>,
    len: usize,
    memory: u64,
}

#[derive(Debug)]
struct Block {
    bytes: Vec<u8>,
    /// The length of the first string.
    stride: usize,
    /// Where each string ends; empty as long as all have the length of the first.
    ends: Vec<usize>,
}

const BITS: u32 = 10;
const SIZE: usize = 1 << BITS;

/// A block of longer strings than would fit here grows as they come.
const MOST_RESERVED: usize = 16 << 20;

impl Arena {
    pub fn push(&mut self, string: &[u8]) {
        let index = self.len % SIZE;
        if index == 0 {
            self.blocks.push(Block::new(string.len()));
        }
        let block = &mut self.blocks[self.len >> BITS];
        let before = block.memory();
        block.push(index, string);
        self.memory += block.memory() - before;
        self.len += 1;
    }

    /// # Panics
    /// If `index` is not below the length.
    pub fn get(&self, index: usize) -> &[u8] {
        let block = &self.blocks[index >> BITS];
        &block.bytes[block.range(index % SIZE)]
    }

    /// # Panics
    /// If `index` is not below the length.
    pub fn get_mut(&mut self, index: usize) -> &mut [u8] {
        let block = &mut self.blocks[index >> BITS];
        let range = block.range(index % SIZE);
        &mut block.bytes[range]
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Bytes in use; what is reserved and not written yet takes no memory.
    pub fn memory(&self) -> u64 {
        self.memory
    }
}

impl Block {
    fn new(stride: usize) -> Self {
        let whole = stride.saturating_mul(SIZE);
        Block { bytes: Vec::with_capacity(if whole <= MOST_RESERVED { whole } else { 0 }), stride, ends: Vec::new() }
    }

    fn push(&mut self, index: usize, string: &[u8]) {
        let uniform = self.ends.is_empty();
        self.bytes.extend_from_slice(string);
        if uniform && string.len() != self.stride {
            self.ends.extend((1..=index).map(|count| count * self.stride));
        }
        if !uniform || string.len() != self.stride {
            self.ends.push(self.bytes.len());
        }
    }

    fn range(&self, index: usize) -> std::ops::Range<usize> {
        if self.ends.is_empty() {
            return index * self.stride..(index + 1) * self.stride;
        }
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        start..self.ends[index]
    }

    fn memory(&self) -> u64 {
        (self.bytes.len() + size_of_val(self.ends.as_slice())) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(lengths: impl Iterator<Item = usize> + Clone) {
        let string = |index: usize, length: usize| vec![index as u8; length];
        let mut arena = Arena::default();
        for (index, length) in lengths.clone().enumerate() {
            arena.push(&string(index, length));
        }
        assert_eq!(arena.len(), lengths.clone().count());
        for (index, length) in lengths.enumerate() {
            assert_eq!(arena.get(index), string(index, length), "string {index}");
        }
    }

    #[test]
    fn strings_of_any_length_come_back() {
        check(std::iter::repeat_n(7, 3 * SIZE + 5));
        check(std::iter::repeat_n(0, SIZE + 5));
        check((0..3 * SIZE).map(|index| index % 5));
        check((0..3 * SIZE).map(|index| if index == SIZE + 100 { 9 } else { 4 })); // one block is mixed
        check([3, 0, 0, MOST_RESERVED / 64, 1].into_iter());
        check([MOST_RESERVED / 64, MOST_RESERVED / 64, 2].into_iter()); // nothing reserved
    }

    #[test]
    fn a_string_behind_the_last_of_a_block_does_not_exist() {
        let mut arena = Arena::default();
        arena.push(&[1, 2]);
        arena.get_mut(0)[1] = 3;
        assert_eq!(arena.get(0), [1, 3]);
        assert!(std::panic::catch_unwind(|| arena.get(1).len()).is_err());
    }
}
