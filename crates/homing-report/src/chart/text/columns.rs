//! The columns of the terminal and what they are used for.
//!
//! From the left: the number, the place, a cell for each lane, and what the channels hold. A cell begins with the bar
//! of its lane. If not even narrow cells fit, each lane is a numbered bar only, and all text is right of the bars.

use super::super::rows::{Row, Rows};
use super::super::{Chart, Event, EventKind};
use crate::fit;

/// The least and the greatest width of a cell.
const NARROWEST: usize = 12;
const WIDEST: usize = 28;
/// Cells are not made narrower than this to leave room for the contents of channels, which then get a line of their
/// own.
const NARROWEST_BESIDE_QUEUES: usize = 18;
/// The greatest width of the contents of channels.
const WIDEST_QUEUE: usize = 30;
/// The width that bars leave for the text right of them, if there are not too many bars.
const WORDS: usize = 36;
const LONGEST_PLACE: usize = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cells {
    /// Statements are written in the cells of their lanes.
    Roomy,
    /// A cell has room for a bar only.
    Bars,
    /// There is no room for bars: each event is a line that names its processes.
    List,
}

pub(super) struct Columns {
    pub(super) cells: Cells,
    /// Numbers are aligned to the right before this column.
    pub(super) step_end: usize,
    pub(super) place_room: usize,
    /// The column of the first lane's bar.
    first: usize,
    /// The distance from one bar to the next.
    pub(super) pitch: usize,
    /// The first column right of the lanes, and the width from there; 0 if nothing is written there.
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
            if side + WORDS / 2 > width {
                return Columns {
                    cells: Cells::List,
                    step_end,
                    place_room,
                    first,
                    pitch: 0,
                    side: first,
                    side_room: room,
                };
            }
            let side_room = width - side;
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

    /// The column of the bar of `lane`.
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

/// The width that a cell needs for `event`: bar, text, and blanks.
fn needs(event: &Event) -> usize {
    match &event.kind {
        EventKind::Local | EventKind::End => fit::columns(&event.with_values()) + 3,
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
        let pitches = [200, 100, 80, 60, 45].map(|width| columns(&chart, width).pitch);
        assert!(pitches.is_sorted_by(|a, b| a >= b), "{pitches:?}");
        assert_eq!(columns(&chart, 200).cells, Cells::Roomy);
        assert!(columns(&chart, 200).side_room > 0, "the queues stand right of the lanes");
        assert_eq!(columns(&chart, 55).side_room, 0, "they have lines of their own");
        assert_eq!(columns(&chart, 45).cells, Cells::Bars);
        assert_eq!(columns(&chart, 40).cells, Cells::List);
    }

    #[test]
    fn bars_have_room_for_their_numbers() {
        assert_eq!(columns(&sample::crowd(), 80).pitch, 3);
        assert_eq!(columns(&sample::philosophers(), 80).pitch, 4);
        assert_eq!(columns(&sample::crowd(), 40).cells, Cells::List);
    }
}
