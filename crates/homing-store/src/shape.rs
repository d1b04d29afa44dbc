//! How the states of one length are cut into a tree.
//!
//! A leaf is up to 16 bytes, in two windows; of short states 8, for there the leaves are most of the nodes. Just below the root nodes have two children, which keeps them small, for most
//! of the nodes are there: a state is new because a combination of two halves is. Further down they have four, which
//! keeps the tree flat. The halves are of one size: of two unequal ones the larger has far more values.

use homing_core::State;

/// The bytes of a window.
pub(crate) const WINDOW: usize = 8;

/// The windows of a leaf.
const WINDOWS: usize = 2;

/// States up to this length have leaves of one window.
const SHORT: usize = 32;

/// Nodes have two children down to this depth, the root being at 0, as long as they have more than so many leaves.
const NARROW: [usize; 3] = [1, 1, 8];

/// Eight bytes of a state, of which some are meant.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    /// All eight lie in the state, unless it is shorter than that.
    at: u32,
    mask: u64,
}

impl Window {
    /// On the bytes `from..to`, in a state of this length.
    fn new(from: usize, to: usize, length: usize) -> Self {
        debug_assert!(to - from <= WINDOW);
        let at = from.min(length.saturating_sub(WINDOW));
        let below = |bytes: usize| if bytes == WINDOW { u64::MAX } else { (1 << (8 * bytes)) - 1 };
        Window { at: at as u32, mask: below(to - at) & !below(from - at) }
    }

    /// Of a state of the length it was made for, padded to a window.
    #[inline]
    fn read(self, state: &State) -> u64 {
        let at = self.at as usize;
        debug_assert!(at + WINDOW <= state.len());
        // SAFETY: the window lies in states of the length it was made for, and no others come here.
        let bytes = unsafe { state.get_unchecked(at..at + WINDOW) };
        u64::from_le_bytes(bytes.try_into().expect("a window")) & self.mask
    }

    #[inline]
    fn write(self, state: &mut State, value: u64) {
        let bytes = &mut state[self.at as usize..][..WINDOW];
        let held = u64::from_le_bytes((&*bytes).try_into().expect("a window"));
        bytes.copy_from_slice(&(held & !self.mask | value).to_le_bytes());
    }
}

/// What a leaf is made of.
pub(crate) type Value = [u64; WINDOWS];

/// A part of a state that is a leaf of its tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    windows: [Window; WINDOWS],
    /// [`TOP`] just below the root.
    pub parent: u32,
}

impl Leaf {
    #[inline]
    pub fn read(&self, state: &State) -> Value {
        self.windows.map(|window| window.read(state))
    }

    /// Of a state that is no shorter than a window.
    #[inline]
    pub fn write(&self, state: &mut State, value: Value) {
        self.windows.iter().zip(value).for_each(|(window, value)| window.write(state, value));
    }
}

/// An inner node: a pair, or a wide one with three or four children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// As many as `count` says, the others the first again.
    pub children: [u32; 4],
    pub count: u32,
    /// [`TOP`] just below the root.
    pub parent: u32,
}

/// No parent: the node is just below the root.
pub(crate) const TOP: u32 = u32::MAX;

/// The tree of the states of one length. Leaves are numbered first, then the inner nodes: every node has a greater number
/// than its children.
#[derive(Debug)]
pub(crate) struct Shape {
    pub length: usize,
    /// Leaves have a single window.
    pub short: bool,
    pub leaves: Vec<Leaf>,
    /// By byte of the state.
    pub leaf_of: Vec<u32>,
    /// By number, less that of leaves.
    pub inner: Vec<Node>,
    /// The nodes below the root; the second is the first again if the state is a single leaf.
    pub top: [u32; 2],
}

impl Shape {
    pub fn new(length: usize) -> Self {
        let count = match length {
            0..=1 => 1,
            2..=WINDOW => 2,
            _ if length <= SHORT => length.div_ceil(WINDOW),
            _ => length.div_ceil(WINDOW * WINDOWS).next_multiple_of(2),
        };
        let cut = |at: usize| match length {
            WINDOW..=SHORT if count > 2 => (at * WINDOW).min(length), // there words tend to belong together
            _ => length * at / count,
        };
        let mut leaf_of = Vec::with_capacity(length);
        let leaves = (0..count).map(|at| {
            let (from, to) = (cut(at), cut(at + 1));
            let middle = to.min(from + WINDOW);
            leaf_of.resize(to, at as u32);
            Leaf { windows: [Window::new(from, middle, length), Window::new(middle, to, length)], parent: TOP }
        });
        let mut levels = Levels { leaves: leaves.collect(), inner: Vec::new() };
        let top = match count {
            1 => [0, 0],
            _ => {
                let half = count.div_ceil(2);
                [levels.subtree(0, half, 1), levels.subtree(half, count, 1)]
            }
        };
        Shape { length, short: length <= SHORT, leaves: levels.leaves, leaf_of, inner: levels.inner, top }
    }

    /// How many nodes there are, leaves included.
    pub fn nodes(&self) -> usize {
        self.leaves.len() + self.inner.len()
    }
}

/// The nodes of a tree that is being made.
struct Levels {
    leaves: Vec<Leaf>,
    inner: Vec<Node>,
}

impl Levels {
    /// The number of the node above some leaves.
    fn subtree(&mut self, from: usize, to: usize, depth: usize) -> u32 {
        let cuts = match to - from {
            1 => return from as u32,
            count if NARROW.get(depth).is_some_and(|&least| count > least) => 2,
            count => count.min(4),
        };
        let cut = |at: usize| from + (to - from) * at / cuts;
        let mut children = [self.subtree(cut(0), cut(1), depth + 1); 4];
        for (at, child) in children.iter_mut().enumerate().take(cuts).skip(1) {
            *child = self.subtree(cut(at), cut(at + 1), depth + 1);
        }
        let number = (self.leaves.len() + self.inner.len()) as u32;
        for child in children {
            match (child as usize).checked_sub(self.leaves.len()) {
                Some(inner) => self.inner[inner].parent = number,
                None => self.leaves[child as usize].parent = number,
            }
        }
        self.inner.push(Node { children, count: cuts as u32, parent: TOP });
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parent(shape: &Shape, node: u32) -> u32 {
        match (node as usize).checked_sub(shape.leaves.len()) {
            Some(inner) => shape.inner[inner].parent,
            None => shape.leaves[node as usize].parent,
        }
    }

    #[test]
    fn every_leaf_is_below_the_root_once() {
        for length in (0..400).chain([1000, 1240, 5000, 100_000]) {
            let shape = Shape::new(length);
            let leaves = shape.leaves.len();
            let mut seen = vec![0; shape.nodes()];
            let mut stack = shape.top.to_vec();
            stack.dedup();
            while let Some(node) = stack.pop() {
                seen[node as usize] += 1;
                let Some(inner) = (node as usize).checked_sub(leaves) else { continue };
                let Node { children, count, .. } = shape.inner[inner];
                for &child in &children[..count as usize] {
                    assert!(child < node);
                    assert_eq!(parent(&shape, child), node);
                    stack.push(child);
                }
            }
            assert!(seen.iter().all(|&count| count == 1), "length {length}");
            assert!(shape.top.iter().all(|&node| parent(&shape, node) == TOP));
        }
    }

    #[test]
    fn leaves_have_every_byte_once() {
        for length in (0..200).chain([1240]) {
            let shape = Shape::new(length);
            let state: Vec<u8> = (0..length).map(|at| (at * 7 + 1) as u8).collect();
            let mut copy = vec![0; length.max(WINDOW)];
            let padded = |state: &[u8]| [state, &[0; WINDOW]].concat();
            for leaf in &shape.leaves {
                let value = leaf.read(&padded(&state));
                assert!(!shape.short || value[1] == 0);
                leaf.write(&mut copy, value);
                assert_eq!(leaf.read(&copy), value);
            }
            assert_eq!(copy[..length], state);
            for (at, &leaf) in shape.leaf_of.iter().enumerate() {
                let mut other = state.clone();
                other[at] ^= 1;
                let differs = |leaf: &Leaf| leaf.read(&padded(&state)) != leaf.read(&padded(&other));
                let found: Vec<usize> = (0..shape.leaves.len()).filter(|&leaf| differs(&shape.leaves[leaf])).collect();
                assert_eq!(found, [leaf as usize], "byte {at} of {length}");
            }
        }
    }

    #[test]
    fn trees_are_flat() {
        let height = |length| {
            let shape = Shape::new(length);
            let up = |&node: &u32| Some(parent(&shape, node)).filter(|&parent| parent != TOP);
            std::iter::successors(Some(0), up).count() - 1
        };
        assert_eq!([8, 16, 32, 64, 128, 256, 1240].map(height), [0, 0, 1, 1, 2, 2, 4]);
    }
}
