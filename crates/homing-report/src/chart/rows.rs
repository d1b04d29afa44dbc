//! The rows of a chart: the events that are shown, one for those that are omitted, and the heads of the lanes, repeated
//! so that no row is far from the names.

use super::{Chart, EventKind};
use crate::story::ends;

/// The number of rows after which the heads are repeated.
const HEADS_EVERY: usize = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Row {
    Heads,
    Event(usize),
    /// Stands for the omitted events in the middle, which are so many steps.
    LeftOut {
        steps: usize,
    },
}

pub(super) struct Rows {
    /// From top to bottom; the first is [`Row::Heads`].
    pub(super) rows: Vec<Row>,
    /// By event: its row, or that of [`Row::LeftOut`].
    row_of: Vec<usize>,
}

impl Rows {
    pub(super) fn of(chart: &Chart, most: Option<usize>) -> Self {
        let events = &chart.events;
        let (head, tail) = ends(events.len(), most);
        let gap = head..events.len() - tail;
        let mut rows = vec![Row::Heads];
        let mut row_of = Vec::with_capacity(events.len());
        let mut since_heads = 0;
        for index in 0..events.len() {
            if !gap.contains(&index) {
                if since_heads == HEADS_EVERY {
                    rows.push(Row::Heads);
                    since_heads = 0;
                }
                rows.push(Row::Event(index));
                since_heads += 1;
            } else if index == gap.start {
                // by the numbers that are missing on the left, since an event can be two statements
                let steps = events[gap.end].step.saturating_sub(events[gap.start].step);
                rows.push(Row::LeftOut { steps });
                since_heads += 1;
            }
            row_of.push(rows.len() - 1);
        }
        Rows { rows, row_of }
    }

    /// The row of an event, or the one that stands for it.
    pub(super) fn row_of(&self, event: usize) -> usize {
        self.row_of[event]
    }

    pub(super) fn is_shown(&self, event: usize) -> bool {
        matches!(self.rows[self.row_of[event]], Row::Event(_))
    }

    /// The rows in which a lane begins and ends.
    pub(super) fn life(&self, chart: &Chart, lane: usize) -> Life {
        let born = chart.lanes[lane].born.map(|event| {
            let by_run = matches!(&chart.events[event].kind, EventKind::Run { lane: child } if *child == lane);
            (self.row_of(event), if by_run || !self.is_shown(event) { Moment::Within } else { Moment::Edge })
        });
        let died = chart.lanes[lane].died.map(|event| {
            let by_end = chart.events[event].lane == lane && chart.events[event].kind == EventKind::End;
            (self.row_of(event), if by_end || !self.is_shown(event) { Moment::Within } else { Moment::Edge })
        });
        Life { born, died }
    }
}

/// The rows in which a lane begins and ends; `None` if it exists from the start, or at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Life {
    pub(super) born: Option<(usize, Moment)>,
    pub(super) died: Option<(usize, Moment)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// The event of the row is the beginning or the end of the lane.
    Within,
    /// The lane exists for the whole row: its event is another one, perhaps of this very lane.
    Edge,
}

impl Life {
    /// Whether the lane exists in all of `row`.
    pub(super) fn spans(&self, row: usize) -> bool {
        let begun = self.born.is_none_or(|(born, moment)| born < row || born == row && moment == Moment::Edge);
        begun && self.died.is_none_or(|(died, _)| row < died)
    }

    pub(super) fn ends_in(&self, row: usize) -> bool {
        self.died.is_some_and(|(died, _)| died == row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::sample;

    #[test]
    fn the_middle_is_one_row() {
        let chart = sample::counting(100);
        let rows = Rows::of(&chart, Some(5));
        assert_eq!(
            rows.rows,
            [
                Row::Heads,
                Row::Event(0),
                Row::Event(1),
                Row::LeftOut { steps: 95 },
                Row::Event(97),
                Row::Event(98),
                Row::Event(99)
            ]
        );
        assert_eq!([1, 2, 50, 96, 97].map(|event| rows.row_of(event)), [2, 3, 3, 3, 4]);
        assert_eq!([1, 2, 96, 97].map(|event| rows.is_shown(event)), [true, false, false, true]);
    }

    #[test]
    fn heads_come_again() {
        let heads = |events| {
            let rows = Rows::of(&sample::counting(events), None);
            rows.rows.iter().filter(|row| **row == Row::Heads).count()
        };
        assert_eq!([0, 40, 41, 80, 81].map(heads), [1, 1, 2, 2, 3]);
    }

    #[test]
    fn a_lane_lives_from_its_run_to_its_end() {
        let chart = sample::nursery();
        let rows = Rows::of(&chart, None);
        let child = rows.life(&chart, 1);
        let spans: Vec<usize> = (0..rows.rows.len()).filter(|&row| child.spans(row)).collect();
        assert_eq!(child.born, Some((1, Moment::Within)));
        assert_eq!(spans.first(), Some(&2));
        let died = child.died.expect("the child ends").0;
        assert_eq!(spans.last(), Some(&(died - 1)));
        assert!(child.ends_in(died) && !child.ends_in(died - 1));
    }
}
