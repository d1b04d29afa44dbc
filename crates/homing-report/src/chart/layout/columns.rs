//! The distances between the lanes: each as wide as the text between them needs, so that no text lies on the line of
//! another lane.

use super::words::{Placement, Side, Word};

/// The distance between a lane and the text beside it, and around frames.
pub(super) const PAD: f64 = 9.0;
/// The least distance between lanes.
const NARROWEST: f64 = 100.0;
/// The width that a frame adds to its text on each side.
pub(super) const FRAME_PAD: f64 = 6.0;

pub(super) struct Columns {
    /// The room left of the first lane.
    left: f64,
    /// The distance from each lane to the next.
    gaps: Vec<f64>,
    /// The room right of the last lane.
    right: f64,
}

impl Columns {
    pub(super) fn new(lanes: usize) -> Self {
        Columns { left: 0.0, gaps: vec![NARROWEST; lanes.saturating_sub(1)], right: 0.0 }
    }

    /// Reserves at least `width` on one side of `lane`.
    pub(super) fn reserve(&mut self, lane: usize, side: Side, width: f64) {
        let room = match side {
            Side::Left if lane == 0 => &mut self.left,
            Side::Left => &mut self.gaps[lane - 1],
            Side::Right => self.gaps.get_mut(lane).unwrap_or(&mut self.right),
        };
        *room = room.max(width.ceil());
    }

    pub(super) fn reserve_for(&mut self, lane: usize, word: &Word) {
        let width = word.style.width(&word.content);
        match word.placement {
            Placement::Framed => {
                self.reserve(lane, Side::Left, width / 2.0 + FRAME_PAD + PAD);
                self.reserve(lane, Side::Right, width / 2.0 + FRAME_PAD + PAD);
            }
            Placement::Beside(side) => self.reserve(lane, side, width + 2.0 * PAD),
            Placement::Between(side) => self.reserve(lane, side, width + 4.0 * PAD),
        }
    }

    /// Reserves room for frames of these widths, one on each lane, all in one row.
    pub(super) fn reserve_row(&mut self, widths: &[f64]) {
        for (gap, pair) in self.gaps.iter_mut().zip(widths.windows(2)) {
            *gap = gap.max(((pair[0] + pair[1]) / 2.0 + PAD).ceil());
        }
        self.left = self.left.max(widths.first().map_or(0.0, |width| (width / 2.0).ceil()));
        self.right = self.right.max(widths.last().map_or(0.0, |width| (width / 2.0).ceil()));
    }

    /// The positions of the lanes if the first may use the room from `start` on, and where the room of the last ends.
    pub(super) fn places(&self, start: f64, lanes: usize) -> (Vec<f64>, f64) {
        let mut x = start + self.left;
        let mut places = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            places.push(x);
            x += self.gaps.get(lane).copied().unwrap_or(self.right);
        }
        (places, x)
    }

    pub(super) fn gap(&self, lane: usize, side: Side) -> f64 {
        match side {
            Side::Left if lane == 0 => self.left,
            Side::Left => self.gaps[lane - 1],
            Side::Right => self.gaps.get(lane).copied().unwrap_or(self.right),
        }
    }
}
