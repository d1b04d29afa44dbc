//! Which columns of the terminal belong to what.
//!
//! From the left: the number, the place, a cell for each lane, and what the channels hold. A cell begins with the bar of
//! its lane. When not even narrow cells fit, the lanes are bars only, numbered, and all words stand right of them.

use super::super::rows::{Row, Rows};
use super::super::{Chart, Event, EventKind, fit};

/// The bounds of a cell.
const NARROWEST: usize = 12;
const WIDEST: usize = 28;
/// A cell is not made narrower than this for the contents of the channels: these go on a line of their own.
const NARROWEST_BESIDE_QUEUES: usize = 18;
/// As much as the contents of the channels can claim.
const WIDEST_QUEUE: usize = 30;
/// What bars leave for the words beside them, if there are not too many bars.
const WORDS: usize = 36;
const LONGEST_PLACE: usize = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cells {
    /// Statements stand in the cells of their lanes.
    Roomy,
    /// Cells have room for a bar only.
    Bars,
}

pub(super) struct Columns {
    pub(super) cells: Cells,
    /// Numbers are aligned to the right before this column.
    pub(super) step_end: usize,
    pub(super) place_room: usize,
    /// Where the bar of the first lane is.
    first: usize,
    /// From one bar to the next.
    pub(super) pitch: usize,
    /// Where the words right of the lanes begin, and how many columns they have; 0: none.
    pub(super) side: usize,
    pub(super) side_room: usize,
}

impl Columns {
    pub(super) fn of(chart: &Chart, rows: &Rows, width: usize) -> Self {
        let lanes = chart.lanes.len();
        let shown = || rows.rows.iter().filter_map(|row| if let Row::Event(e) = row { Some(*e) } else { None });
        let events = || shown().map(|event| &chart.events[event]);
        let step_end = events().map(|event| event.step.to_string().len()).max().unwrap_or(0);
        let place_room = events().map(|event| fit::columns(&event.place)).max().unwrap_or(0).min(LONGEST_PLACE);
        let first = step_end + place_room + if place_room > 0 { 4 } else { 2 };
        let room = width.saturating_sub(first);
        if lanes * NARROWEST > room {
            let narrowest = lanes.to_string().len() + 1;
            let pitch = (room.saturating_sub(WORDS) / lanes).clamp(narrowest, narrowest.max(4));
            let side = first + lanes * pitch;
            // Words are never squeezed out by too many bars; then the lines are longer than the terminal is wide.
            let side_room = width.saturating_sub(side).max(WORDS / 2);
            return Columns { cells: Cells::Bars, step_end, place_room, first, pitch, side, side_room };
        }
        let names = chart.lanes.iter().map(|lane| fit::columns(&lane.name) + 2);
        let wanted = events().map(needs).chain(names).max().unwrap_or(0).clamp(NARROWEST, WIDEST);
        let queues = events().filter_map(queue).map(fit::columns).max().unwrap_or(0).min(WIDEST_QUEUE);
        let share = |room: usize| room.checked_div(lanes).unwrap_or(0).min(wanted);
        let beside = share(room.saturating_sub(queues));
        let pitch = if beside >= wanted.min(NARROWEST_BESIDE_QUEUES) { beside } else { share(room) };
        let side = first + lanes * pitch;
        let side_room = if pitch == beside && queues > 0 { width.saturating_sub(side) } else { 0 };
        Columns { cells: Cells::Roomy, step_end, place_room, first, pitch, side, side_room }
    }

    /// Where the bar of `lane` is.
    pub(super) fn bar(&self, lane: usize) -> usize {
        self.first + lane * self.pitch
    }
}

/// What the channel of a send or receive holds afterwards.
pub(super) fn queue(event: &Event) -> Option<&str> {
    match &event.kind {
        EventKind::Send { queue, .. } | EventKind::Receive { queue, .. } if !queue.is_empty() => Some(queue),
        _ => None,
    }
}

/// How wide a cell must be for `event`: bar, words, and blanks.
fn needs(event: &Event) -> usize {
    match &event.kind {
        EventKind::Local | EventKind::End => fit::columns(&event.text) + 3,
        EventKind::Run { .. } => fit::columns(&event.text) + 6,
        EventKind::Handshake { label, .. } => fit::columns(label) + 6,
        EventKind::Send { message, label, .. } => fit::columns(&super::sent(*message, label, WIDEST)) + 2,
        EventKind::Receive { message, label, .. } => fit::columns(&super::received(*message, label, WIDEST)) + 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::sample;

    fn columns(chart: &Chart, width: usize) -> Columns {
        Columns::of(chart, &Rows::of(chart, None), width)
    }

    #[test]
    fn cells_give_way() {
        let chart = sample::pipeline();
        let pitches = [200, 100, 80, 60, 40].map(|width| columns(&chart, width).pitch);
        assert!(pitches.is_sorted_by(|a, b| a >= b), "{pitches:?}");
        assert_eq!(columns(&chart, 200).cells, Cells::Roomy);
        assert!(columns(&chart, 200).side_room > 0, "the queues stand right of the lanes");
        assert_eq!(columns(&chart, 55).side_room, 0, "they have lines of their own");
        assert_eq!(columns(&chart, 40).cells, Cells::Bars);
    }

    #[test]
    fn bars_have_room_for_their_numbers() {
        assert_eq!(columns(&sample::crowd(), 40).pitch, 3);
        assert_eq!(columns(&sample::philosophers(), 20).pitch, 2);
        assert_eq!(columns(&sample::philosophers(), 80).pitch, 4);
    }
}
