//! The bytes in which a successor may differ from its parent.

use homing_core::{Changed, State, Written};

/// Calls `visit` with the index of each byte in which a state may differ from its parent, which has the same length.
#[inline(always)]
pub(crate) fn for_each_change(changed: Changed<'_>, parent: &State, state: &State, mut visit: impl FnMut(usize)) {
    match changed {
        Changed::At(writes) => {
            for write in writes {
                for_each_difference(write, parent, state, &mut visit);
            }
        }
        Changed::Anywhere => {
            for (at, (old, new)) in parent.chunks(8).zip(state.chunks(8)).enumerate() {
                if old != new {
                    (at * 8..at * 8 + new.len()).for_each(&mut visit);
                }
            }
        }
    }
}

/// Calls `visit` with the index of each written byte that differs from the parent's: few of a wide write, as a rule. A
/// single byte is always visited. Every index is below the length of `state`.
#[inline(always)]
pub(crate) fn for_each_difference(write: &Written, parent: &State, state: &State, mut visit: impl FnMut(usize)) {
    let (from, width) = (write.offset as usize, write.width as usize);
    if width == 1 {
        assert!(from < state.len());
        return visit(from);
    }
    let mut differs = word(&parent[from..from + width]) ^ word(&state[from..from + width]);
    while differs != 0 {
        let nth = differs.trailing_zeros() / 8;
        visit(from + nth as usize);
        differs &= !(0xff << (8 * nth));
    }
}

/// Up to eight bytes as a number.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    match bytes.len() {
        8 => u64::from_le_bytes(bytes.try_into().expect("eight")),
        4 => u64::from(u32::from_le_bytes(bytes.try_into().expect("four"))),
        2 => u64::from(u16::from_le_bytes(bytes.try_into().expect("two"))),
        _ => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_differ_are_visited() {
        let (parent, mut state) = ([7; 20], [7; 20]);
        (state[3], state[9], state[18]) = (0, 0, 0);
        let visited = |changed: Changed<'_>| {
            let mut visited = Vec::new();
            for_each_change(changed, &parent, &state, |at| visited.push(at));
            visited
        };
        let written = |offset, width| Written { offset, width, old: 0 };
        assert_eq!(visited(Changed::At(&[written(2, 8), written(18, 1), written(0, 1)])), [3, 9, 18, 0]);
        assert_eq!(visited(Changed::At(&[written(2, 2), written(8, 4), written(17, 3)])), [3, 9, 18]);
        assert!(visited(Changed::Anywhere).into_iter().eq(0..20), "whole words");
        assert_eq!(visited(Changed::At(&[])), []);
    }
}
