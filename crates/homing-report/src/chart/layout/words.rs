//! The text in the row of an event, and the side of its lane on which it is.
//!
//! A row has one event, so texts of different events never overlap. Within a row they are on different sides of the
//! lane: the label of an arrow on one side, the contents of the queue on the side without the arrow.

use super::super::{Chart, EventKind};
use super::shapes::Style;
use crate::fit;

/// The longest text in a lane, in characters.
const LONGEST: usize = 40;
/// Half the height of a framed statement.
pub(super) const HALF_FRAME: f64 = 10.0;
/// How far above an arrow its label is.
const RAISED: f64 = 11.0;
/// How far above and below the middle of the row two lines of text are.
const STACKED: f64 = 7.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

impl Side {
    /// The side of `lane` on which an arrow to or from `other` is. An arrow to itself swings out on the right.
    pub(super) fn towards(lane: usize, other: usize) -> Self {
        if other < lane { Side::Left } else { Side::Right }
    }

    pub(super) fn opposite(self) -> Self {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }

    /// -1 or 1.
    pub(super) fn sign(self) -> f64 {
        match self {
            Side::Left => -1.0,
            Side::Right => 1.0,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    /// Centred on the lane, in a frame.
    Framed,
    /// Next to the lane.
    Beside(Side),
    /// Midway to the next lane.
    Between(Side),
}

pub(super) struct Word {
    pub(super) placement: Placement,
    /// The distance below the middle of the row.
    pub(super) drop: f64,
    pub(super) style: Style,
    pub(super) content: String,
    pub(super) hint: Option<String>,
}

/// The side of its lane on which the label of a send is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LabelSide {
    /// On the side of the arrow, above it.
    Arrow,
    /// On the other side, with the contents of the queue.
    Away,
}

/// The texts of a row, and the room the row needs above and below its middle.
pub(super) struct RowPlan {
    pub(super) words: Vec<Word>,
    pub(super) above: f64,
    pub(super) below: f64,
}

/// The side of its lane on which the arrow of `event` is; `other` is the lane at the other end of a buffered message.
pub(super) fn arrow_side(chart: &Chart, event: usize, other: Option<usize>) -> Side {
    let lane = chart.events[event].lane;
    match chart.events[event].kind {
        EventKind::Handshake { to, .. } | EventKind::Run { lane: to } => Side::towards(lane, to),
        EventKind::Receive { .. } => other.map_or(Side::Left, |other| Side::towards(lane, other)),
        EventKind::Local | EventKind::Send { .. } | EventKind::End => {
            other.map_or(Side::Right, |other| Side::towards(lane, other))
        }
    }
}

pub(super) fn plan(chart: &Chart, event: usize, other: Option<usize>, label_side: LabelSide) -> RowPlan {
    let side = arrow_side(chart, event, other);
    let event = &chart.events[event];
    let full = event.with_values();
    let say = |placement, drop, style, text: &str| word(placement, drop, style, text, &full);
    let framed = |text: &str| (vec![say(Placement::Framed, 0.0, Style::Statement, text)], 14.0, 14.0);
    let above_arrow = |text: &str| (vec![say(Placement::Between(side), -RAISED, Style::Label, text)], 20.0, 8.0);
    let stacked = |label: &str, queue: &str| {
        let placement = Placement::Beside(side.opposite());
        let (label_drop, queue_drop) = if queue.is_empty() { (0.0, 0.0) } else { (-STACKED, STACKED) };
        let queue = word(placement, queue_drop, Style::Queue, queue, queue);
        (vec![say(placement, label_drop, Style::Label, label), queue], 16.0, 15.0)
    };
    let (words, above, below) = match &event.kind {
        EventKind::Handshake { to, label } if *to != event.lane => above_arrow(label),
        EventKind::Run { lane } if *lane != event.lane => above_arrow(&event.text),
        EventKind::Handshake { label, .. } => framed(label),
        EventKind::Local => {
            let text = Some(event.with_values()).filter(|text| fit::columns(text) <= LONGEST);
            framed(text.as_ref().unwrap_or(&event.text))
        }
        EventKind::Run { .. } => framed(&event.text),
        EventKind::Send { label, queue, .. } if label_side == LabelSide::Arrow => {
            let label = say(Placement::Beside(side), -RAISED, Style::Label, label);
            let queue = word(Placement::Beside(side.opposite()), 0.0, Style::Queue, queue, queue);
            (vec![label, queue], 20.0, 10.0)
        }
        EventKind::Send { label, queue, .. } | EventKind::Receive { label, queue, .. } => stacked(label, queue),
        EventKind::End => (vec![say(Placement::Beside(Side::Right), 0.0, Style::Note, &event.text)], 14.0, 14.0),
    };
    RowPlan { words: words.into_iter().filter(|word| !word.content.is_empty()).collect(), above, below }
}

/// A text, cut if it is too long; `full` becomes the hint if it says more.
fn word(placement: Placement, drop: f64, style: Style, text: &str, full: &str) -> Word {
    let content = fit::cut(text, LONGEST);
    let full = fit::on_one_line(full);
    let hint = (full != content && !full.is_empty()).then_some(full);
    Word { placement, drop, style, content, hint }
}
