//! Which blocks of a state a step has changed.

use homing_core::{Changed, State};

/// A set of blocks of a state, or of nodes above them: a bit each.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    words: Vec<u64>,
}

impl Marks {
    /// Room for numbers below `len`; none is marked.
    pub fn reset(&mut self, len: usize) {
        self.words.clear();
        self.words.resize(len.div_ceil(64), 0);
    }

    #[inline]
    pub fn mark(&mut self, at: usize) {
        self.words[at / 64] |= 1 << (at % 64);
    }

    /// Marks the blocks of `size` bytes that a step wrote to; all that differ if the step does not tell.
    #[inline]
    pub fn mark_changed(&mut self, changed: Changed<'_>, size: usize, before: &State, after: &State) {
        match changed {
            Changed::At(places) => {
                for place in places {
                    let (first, last) = (place.offset as usize, (place.offset + place.width) as usize - 1);
                    self.mark(first / size);
                    self.mark(last / size); // it is no wider than a block
                }
            }
            Changed::Anywhere => {
                let blocks = before.chunks(size).zip(after.chunks(size)).enumerate();
                blocks.filter(|(_, (before, after))| before != after).for_each(|(at, _)| self.mark(at));
            }
        }
    }

    /// Shows `visit` each mark and takes it away, the lowest first. It may mark higher ones.
    #[inline]
    pub fn drain_up<E>(&mut self, mut visit: impl FnMut(&mut Self, usize) -> Result<(), E>) -> Result<(), E> {
        for word in 0..self.words.len() {
            while self.words[word] != 0 {
                let bit = self.words[word].trailing_zeros() as usize;
                self.words[word] &= self.words[word] - 1;
                visit(self, word * 64 + bit)?;
            }
        }
        Ok(())
    }

    /// The same, the highest first. `visit` may mark lower ones.
    #[inline]
    pub fn drain_down(&mut self, mut visit: impl FnMut(&mut Self, usize)) {
        for word in (0..self.words.len()).rev() {
            while self.words[word] != 0 {
                let bit = 63 - self.words[word].leading_zeros() as usize;
                self.words[word] &= !(1 << bit);
                visit(self, word * 64 + bit);
            }
        }
    }

    pub fn clear(&mut self) {
        self.words.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use homing_core::Written;

    use super::*;

    fn drained(marks: &mut Marks) -> Vec<usize> {
        let mut all = Vec::new();
        let Ok(()) = marks.drain_up(|_, at| {
            all.push(at);
            Ok::<(), std::convert::Infallible>(())
        });
        all
    }

    #[test]
    fn a_place_may_lie_in_two_blocks() {
        let mut marks = Marks::default();
        marks.reset(70);
        let written = |offset, width| Written { offset, width, old: 0 };
        marks.mark_changed(Changed::At(&[written(30, 4), written(1, 1), written(1, 1)]), 16, &[], &[]);
        assert_eq!(drained(&mut marks), [0, 1, 2]);
        let (before, mut after) = ([7; 1000], [7; 1000]);
        (after[15], after[999]) = (0, 0);
        marks.mark_changed(Changed::Anywhere, 16, &before, &after);
        assert_eq!(drained(&mut marks), [0, 62]);
        assert_eq!(drained(&mut marks), []);
    }

    #[test]
    fn marks_made_on_the_way_are_shown_too() {
        let mut marks = Marks::default();
        marks.reset(200);
        marks.mark(3);
        let mut up = Vec::new();
        let Ok(()) = marks.drain_up(|marks, at| {
            up.push(at);
            if at < 100 {
                marks.mark(at + 64);
            }
            Ok::<(), std::convert::Infallible>(())
        });
        assert_eq!(up, [3, 67, 131]);
        marks.mark(150);
        let mut down = Vec::new();
        marks.drain_down(|marks, at| {
            down.push(at);
            if at > 100 {
                marks.mark(at - 70);
            }
        });
        assert_eq!(down, [150, 80]);
    }
}
