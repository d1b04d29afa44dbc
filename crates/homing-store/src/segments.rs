//! A growing array that never moves what it holds.

/// A growing array in pieces of equal size. A `Vec` would copy gigabytes each time it doubles, and hold one and a half
/// times too much in between; here nothing moves, and pages not written yet cost no memory.
#[derive(Debug)]
pub struct Segments<T> {
    segments: Vec<Vec<T>>,
    len: usize,
}

const BITS: u32 = 16;
const SIZE: usize = 1 << BITS;

impl<T: Copy> Segments<T> {
    pub fn new() -> Self {
        Segments { segments: Vec::new(), len: 0 }
    }

    pub fn push(&mut self, value: T) {
        let offset = self.len % SIZE;
        if offset == 0 {
            self.segments.push(Vec::with_capacity(SIZE));
        }
        self.segments[self.len >> BITS].push(value);
        self.len += 1;
    }

    /// # Panics
    /// If `index` is not below the length.
    pub fn get(&self, index: usize) -> T {
        self.segments[index >> BITS][index % SIZE]
    }

    /// # Panics
    /// If `index` is not below the length.
    pub fn set(&mut self, index: usize, value: T) {
        self.segments[index >> BITS][index % SIZE] = value;
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes of the elements held.
    pub fn memory(&self) -> u64 {
        (self.len * size_of::<T>()) as u64
    }
}

impl<T: Copy> Default for Segments<T> {
    fn default() -> Self {
        Segments::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_pushed_across_segments() {
        let mut segments = Segments::new();
        for i in 0..3 * SIZE + 5 {
            segments.push(i);
        }
        segments.set(SIZE, 7);
        assert_eq!(segments.len(), 3 * SIZE + 5);
        assert_eq!(segments.get(0), 0);
        assert_eq!(segments.get(SIZE - 1), SIZE - 1);
        assert_eq!(segments.get(SIZE), 7);
        assert_eq!(segments.get(3 * SIZE + 4), 3 * SIZE + 4);
    }

    #[test]
    #[should_panic]
    fn an_index_behind_the_end_panics() {
        let mut segments = Segments::new();
        segments.push(1);
        segments.get(1);
    }
}
