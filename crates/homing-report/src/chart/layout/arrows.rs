//! The arrows of a chart and where they end.

use super::super::messages::Delivery;
use super::super::rows::{Row, Rows};
use super::super::{Chart, EventKind};
use super::columns::{Columns, PAD};
use super::shapes::{Arrow, ArrowKind, Point};
use super::words::{Side, arrow_side};
use crate::fit;

/// The length of an arrow of which only one end is shown.
const STUB: f64 = 19.0;

/// An end of an arrow: on a lane in a row, or a little beside the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    On { lane: usize, row: usize },
    Beside(Side),
}

/// An arrow whose lanes and rows have no positions yet.
pub(super) struct Sketch {
    kind: ArrowKind,
    from: End,
    to: End,
    hint: String,
}

/// All arrows with an end in a row that is shown. `other` returns the lane at the other end of a buffered message.
pub(super) fn sketch(
    chart: &Chart,
    rows: &Rows,
    deliveries: &[Delivery],
    other: impl Fn(usize) -> Option<usize>,
) -> Vec<Sketch> {
    let on = |lane, row| End::On { lane, row };
    let straight = rows.rows.iter().enumerate().filter_map(|(row, kind)| {
        let Row::Event(index) = *kind else { return None };
        let event = &chart.events[index];
        let (kind, to) = match event.kind {
            EventKind::Handshake { to, .. } => (ArrowKind::Handshake, to),
            EventKind::Run { lane } => (ArrowKind::Run, lane),
            _ => return None,
        };
        let hint = fit::on_one_line(&event.text);
        (to != event.lane).then(|| Sketch { kind, from: on(event.lane, row), to: on(to, row), hint })
    });
    let buffered = deliveries.iter().filter_map(|delivery| {
        let end = |event: usize| on(chart.events[event].lane, rows.row_of(event));
        let stub = |event: usize| End::Beside(arrow_side(chart, event, other(event)));
        let shown = |event: &usize| rows.is_shown(*event);
        let (kind, from, to) = match (delivery.sent.filter(shown), delivery.received.filter(shown)) {
            (Some(sent), Some(received)) => {
                (if delivery.stays { ArrowKind::Peek } else { ArrowKind::Message }, end(sent), end(received))
            }
            // A message that is read and left in the buffer has another delivery, which has the stub.
            (Some(_), None) if delivery.stays => return None,
            (Some(sent), None) if delivery.received.is_none() => (ArrowKind::Queued, end(sent), stub(sent)),
            (Some(sent), None) => (ArrowKind::Outbound, end(sent), stub(sent)),
            (None, Some(received)) => (ArrowKind::Inbound, stub(received), end(received)),
            (None, None) => return None,
        };
        Some(Sketch { kind, from, to, hint: hint(chart, delivery, kind) })
    });
    straight.chain(buffered).collect()
}

fn hint(chart: &Chart, delivery: &Delivery, kind: ArrowKind) -> String {
    let label = delivery.sent.or(delivery.received).map_or("", |event| match &chart.events[event].kind {
        EventKind::Send { label, .. } | EventKind::Receive { label, .. } => label,
        _ => "",
    });
    let remark = match kind {
        ArrowKind::Queued => ", still in the queue",
        ArrowKind::Outbound => ", received among the steps left out",
        ArrowKind::Inbound if delivery.sent.is_some() => ", sent among the steps left out",
        ArrowKind::Inbound => ", sent before",
        ArrowKind::Peek => ", read and left in the queue",
        ArrowKind::Handshake | ArrowKind::Run | ArrowKind::Message => "",
    };
    format!("{} #{}{remark}", fit::on_one_line(label), delivery.message)
}

impl Sketch {
    /// Reserves room, so that the arrow does not reach the next lane and stays inside the picture.
    pub(super) fn reserve(&self, columns: &mut Columns) {
        match (self.from, self.to) {
            (End::On { lane, .. }, End::Beside(side)) | (End::Beside(side), End::On { lane, .. }) => {
                columns.reserve(lane, side, STUB + 2.0 * PAD);
            }
            (End::On { lane, .. }, End::On { .. }) if self.swing() > 0.0 => {
                columns.reserve(lane, Side::Right, self.swing() + PAD);
            }
            _ => {}
        }
    }

    pub(super) fn draw(&self, lanes: &[f64], middles: &[f64]) -> Arrow {
        let point = |end, origin: Option<Point>| match (end, origin) {
            (End::On { lane, row }, _) => Some(Point { x: lanes[lane], y: middles[row] }),
            (End::Beside(side), Some(origin)) => Some(Point { x: origin.x + side.sign() * STUB, y: origin.y }),
            (End::Beside(_), None) => None,
        };
        let (from, to) = (point(self.from, None), point(self.to, None));
        let (from, to) = (from.or(point(self.from, to)), to.or(point(self.to, from)));
        let (Some(from), Some(to)) = (from, to) else { unreachable!("one end of an arrow is on a lane") };
        Arrow { kind: self.kind, from, to, swing: self.swing(), hint: self.hint.clone() }
    }

    /// The distance by which a message of a process to itself swings out: the longer it takes the farther, so that they
    /// nest.
    fn swing(&self) -> f64 {
        match (self.from, self.to) {
            (End::On { lane: from, row: sent }, End::On { lane: to, row: received }) if from == to => {
                (20.0 + 5.0 * received.abs_diff(sent) as f64).min(50.0)
            }
            _ => 0.0,
        }
    }
}
