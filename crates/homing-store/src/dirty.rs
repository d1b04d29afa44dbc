//! Sets of the parts of a state that a step changed and that have to be computed again.

use homing_core::{Changed, State};

/// A set of dirty blocks of a state, or of nodes of its tree, by number.
pub(crate) trait DirtySet {
    fn mark(&mut self, at: usize);

    /// Removes the lowest number. Numbers marked between two calls are higher than those removed.
    fn take_first(&mut self) -> Option<usize>;

    /// Removes the highest number. Numbers marked between two calls are lower than those removed.
    fn take_last(&mut self) -> Option<usize>;
}

/// A set of numbers below 64.
impl DirtySet for u64 {
    #[inline]
    fn mark(&mut self, at: usize) {
        *self |= 1 << at;
    }

    #[inline]
    fn take_first(&mut self) -> Option<usize> {
        if *self == 0 {
            return None;
        }
        let at = self.trailing_zeros() as usize;
        *self &= *self - 1;
        Some(at)
    }

    #[inline]
    fn take_last(&mut self) -> Option<usize> {
        let at = self.checked_ilog2()? as usize;
        *self &= !(1 << at);
        Some(at)
    }
}

impl<D: DirtySet> DirtySet for &mut D {
    #[inline]
    fn mark(&mut self, at: usize) {
        (**self).mark(at);
    }

    #[inline]
    fn take_first(&mut self) -> Option<usize> {
        (**self).take_first()
    }

    #[inline]
    fn take_last(&mut self) -> Option<usize> {
        (**self).take_last()
    }
}

/// A set of any numbers: a bit each. Words outside of `low..=high` are zero.
#[derive(Debug, Default)]
pub(crate) struct DirtyBits {
    words: Vec<u64>,
    low: usize,
    high: usize,
}

impl DirtyBits {
    /// Makes the set empty, with room for numbers below `len`.
    pub fn reset(&mut self, len: usize) {
        self.words.clear();
        self.words.resize(len.div_ceil(64), 0);
        self.reset_bounds();
    }

    /// Makes the set empty.
    pub fn clear(&mut self) {
        self.words.fill(0);
        self.reset_bounds();
    }

    fn reset_bounds(&mut self) {
        (self.low, self.high) = (self.words.len(), 0);
    }
}

impl DirtySet for DirtyBits {
    #[inline]
    fn mark(&mut self, at: usize) {
        let word = at / 64;
        self.words[word] |= 1 << (at % 64);
        (self.low, self.high) = (self.low.min(word), self.high.max(word));
    }

    #[inline]
    fn take_first(&mut self) -> Option<usize> {
        while self.low <= self.high {
            let word = &mut self.words[self.low];
            if *word != 0 {
                let bit = word.trailing_zeros() as usize;
                *word &= *word - 1;
                return Some(self.low * 64 + bit);
            }
            self.low += 1;
        }
        self.reset_bounds();
        None
    }

    #[inline]
    fn take_last(&mut self) -> Option<usize> {
        while self.low <= self.high {
            let word = &mut self.words[self.high];
            if let Some(bit) = word.checked_ilog2() {
                *word &= !(1 << bit);
                return Some(self.high * 64 + bit as usize);
            }
            match self.high.checked_sub(1) {
                Some(next) => self.high = next,
                None => break,
            }
        }
        self.reset_bounds();
        None
    }
}

/// DirtyBits the blocks of `size` bytes that a step wrote, or those that differ if the step does not say what it wrote.
#[inline]
pub(crate) fn mark_changed<D: DirtySet>(
    dirty: &mut D,
    changed: Changed<'_>,
    size: usize,
    before: &State,
    after: &State,
) {
    match changed {
        Changed::At(writes) => {
            for write in writes {
                let (first, last) = (write.offset as usize, (write.offset + write.width) as usize - 1);
                dirty.mark(first / size);
                dirty.mark(last / size); // what is written at once is no wider than a block
            }
        }
        Changed::Anywhere => {
            let blocks = before.chunks(size).zip(after.chunks(size)).enumerate();
            blocks.filter(|(_, (before, after))| before != after).for_each(|(at, _)| dirty.mark(at));
        }
    }
}

#[cfg(test)]
mod tests {
    use homing_core::Written;

    use super::*;

    fn drained(dirty: &mut impl DirtySet) -> Vec<usize> {
        let mut all = Vec::new();
        while let Some(at) = dirty.take_first() {
            all.push(at);
        }
        all
    }

    #[test]
    fn a_write_may_lie_in_two_blocks() {
        let written = |offset, width| Written { offset, width, old: 0 };
        let writes = [written(30, 4), written(1, 1), written(1, 1)];
        let mut dirty = DirtyBits::default();
        dirty.reset(70);
        mark_changed(&mut dirty, Changed::At(&writes), 16, &[], &[]);
        assert_eq!(drained(&mut dirty), [0, 1, 2]);
        let mut few = 0u64;
        mark_changed(&mut few, Changed::At(&writes), 16, &[], &[]);
        assert_eq!(drained(&mut few), [0, 1, 2]);
        let (before, mut after) = ([7; 1000], [7; 1000]);
        (after[15], after[999]) = (0, 0);
        mark_changed(&mut dirty, Changed::Anywhere, 16, &before, &after);
        assert_eq!(drained(&mut dirty), [0, 62]);
        assert_eq!(drained(&mut dirty), []);
    }

    #[test]
    fn numbers_are_removed_from_either_end() {
        let all = [0, 3, 63, 64, 131, 199];
        let mut dirty = DirtyBits::default();
        dirty.reset(200);
        all.iter().for_each(|&at| dirty.mark(at));
        assert_eq!(drained(&mut dirty), all);
        all.iter().for_each(|&at| dirty.mark(at));
        let down: Vec<usize> = std::iter::from_fn(|| dirty.take_last()).collect();
        assert!(down.iter().eq(all.iter().rev()));
        let mut few = 1u64 << 63 | 1 << 5;
        assert_eq!([few.take_last(), few.take_last(), few.take_last()], [Some(63), Some(5), None]);
        assert_eq!(drained(&mut (1u64 << 63 | 1 << 5)), [5, 63]);
    }
}
