//! Which blocks of a state a step has changed.

use homing_core::{Changed, State};

/// A set of blocks of a state, or of nodes above them.
pub(crate) trait Marked {
    fn mark(&mut self, at: usize);
    /// Takes the lowest out. What is marked meanwhile is higher than what was taken.
    fn take_first(&mut self) -> Option<usize>;
    /// Takes the highest out. What is marked meanwhile is lower than what was taken.
    fn take_last(&mut self) -> Option<usize>;
}

/// Of numbers below the bits of the word.
macro_rules! marked_bits {
    ($word:ty) => {
        impl Marked for $word {
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
    };
}

marked_bits!(u64);
marked_bits!(u128);

impl<M: Marked> Marked for &mut M {
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

/// Of any numbers: a bit each. Words outside of `low..=high` are zero.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    words: Vec<u64>,
    low: usize,
    high: usize,
}

impl Marks {
    /// Room for numbers below `len`; none is marked.
    pub fn reset(&mut self, len: usize) {
        self.words.clear();
        self.words.resize(len.div_ceil(64), 0);
        self.forget_bounds();
    }

    pub fn clear(&mut self) {
        self.words.fill(0);
        self.forget_bounds();
    }

    fn forget_bounds(&mut self) {
        (self.low, self.high) = (self.words.len(), 0);
    }
}

impl Marked for Marks {
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
        self.forget_bounds();
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
        self.forget_bounds();
        None
    }
}

/// Marks the blocks of `size` bytes that a step wrote to; all that differ if the step does not tell.
#[inline]
pub(crate) fn mark_changed<M: Marked>(marks: &mut M, changed: Changed<'_>, size: usize, before: &State, after: &State) {
    match changed {
        Changed::At(places) => {
            for place in places {
                let (first, last) = (place.offset as usize, (place.offset + place.width) as usize - 1);
                marks.mark(first / size);
                marks.mark(last / size); // it is no wider than a block
            }
        }
        Changed::Anywhere => {
            let blocks = before.chunks(size).zip(after.chunks(size)).enumerate();
            blocks.filter(|(_, (before, after))| before != after).for_each(|(at, _)| marks.mark(at));
        }
    }
}

#[cfg(test)]
mod tests {
    use homing_core::Written;

    use super::*;

    fn drained(marks: &mut impl Marked) -> Vec<usize> {
        let mut all = Vec::new();
        while let Some(at) = marks.take_first() {
            all.push(at);
        }
        all
    }

    #[test]
    fn a_place_may_lie_in_two_blocks() {
        let written = |offset, width| Written { offset, width, old: 0 };
        let places = [written(30, 4), written(1, 1), written(1, 1)];
        let mut marks = Marks::default();
        marks.reset(70);
        mark_changed(&mut marks, Changed::At(&places), 16, &[], &[]);
        assert_eq!(drained(&mut marks), [0, 1, 2]);
        let mut few = 0u64;
        mark_changed(&mut few, Changed::At(&places), 16, &[], &[]);
        assert_eq!(drained(&mut few), [0, 1, 2]);
        let (before, mut after) = ([7; 1000], [7; 1000]);
        (after[15], after[999]) = (0, 0);
        mark_changed(&mut marks, Changed::Anywhere, 16, &before, &after);
        assert_eq!(drained(&mut marks), [0, 62]);
        assert_eq!(drained(&mut marks), []);
    }

    #[test]
    fn marks_are_taken_up_and_down() {
        let all = [0, 3, 63, 64, 131, 199];
        let mut marks = Marks::default();
        marks.reset(200);
        all.iter().for_each(|&at| marks.mark(at));
        assert_eq!(drained(&mut marks), all);
        all.iter().for_each(|&at| marks.mark(at));
        let down: Vec<usize> = std::iter::from_fn(|| marks.take_last()).collect();
        assert!(down.iter().eq(all.iter().rev()));
        let mut few = 1u64 << 63 | 1 << 5;
        assert_eq!([few.take_last(), few.take_last(), few.take_last()], [Some(63), Some(5), None]);
        assert_eq!(drained(&mut (1u64 << 63 | 1 << 5)), [5, 63]);
    }
}
