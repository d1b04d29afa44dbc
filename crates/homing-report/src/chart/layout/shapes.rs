//! The shapes of a chart in the picture. Lengths are in pixels, `y` grows downwards.

use crate::fit::columns;

/// The width of a character in its own size. Exact for DejaVu Sans Mono, Menlo and Liberation Mono (0.600 to 0.602);
/// the other monospace fonts in use are narrower, so a text never needs more room than it was given.
const CHARACTER: f64 = 0.602;

/// The role of a text, which determines its size and its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::chart) enum Style {
    Title,
    Head,
    /// The head of a lane that does not exist in this section of the chart.
    FaintHead,
    Step,
    /// The number of the step that failed.
    FailedStep,
    Place,
    Statement,
    Label,
    Queue,
    /// A remark of the chart itself, such as how many steps are left out.
    Note,
    Blocked,
    Verdict,
}

impl Style {
    pub(in crate::chart) fn size(self) -> f64 {
        match self {
            Style::Title => 15.0,
            Style::Verdict => 13.0,
            Style::Head | Style::FaintHead | Style::Statement | Style::Label | Style::Blocked => 12.0,
            Style::Step | Style::FailedStep | Style::Place | Style::Note => 11.0,
            Style::Queue => 10.0,
        }
    }

    pub(in crate::chart) fn width(self, text: &str) -> f64 {
        columns(text) as f64 * self.size() * CHARACTER
    }

    /// The height of a line.
    pub(in crate::chart) fn line(self) -> f64 {
        self.size() * 1.25
    }

    /// The number of characters that fit into `width`.
    pub(in crate::chart) fn fits(self, width: f64) -> usize {
        (width / (self.size() * CHARACTER)) as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::chart) struct Point {
    pub(in crate::chart) x: f64,
    pub(in crate::chart) y: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::chart) struct Rectangle {
    pub(in crate::chart) left: f64,
    pub(in crate::chart) top: f64,
    pub(in crate::chart) width: f64,
    pub(in crate::chart) height: f64,
}

impl Rectangle {
    pub(in crate::chart) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(in crate::chart) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::chart) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::chart) struct Text {
    /// Vertically the middle of the text; horizontally the point that `anchor` says.
    pub(in crate::chart) at: Point,
    pub(in crate::chart) anchor: Anchor,
    pub(in crate::chart) style: Style,
    pub(in crate::chart) content: String,
    /// The tooltip, if it says more than the content.
    pub(in crate::chart) hint: Option<String>,
    /// The event whose arrow it labels.
    pub(in crate::chart) labels: Option<usize>,
}

impl Text {
    /// The rectangle it covers. No two texts of a layout overlap.
    pub(in crate::chart) fn bounds(&self) -> Rectangle {
        let (width, height) = (self.style.width(&self.content), self.style.line());
        let left = match self.anchor {
            Anchor::Start => self.at.x,
            Anchor::Middle => self.at.x - width / 2.0,
            Anchor::End => self.at.x - width,
        };
        Rectangle { left, top: self.at.y - height / 2.0, width, height }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::chart) enum ArrowKind {
    Handshake,
    Run,
    /// From send to receive.
    Message,
    /// From send to a receive that leaves the message where it is.
    Peek,
    /// From the send to nowhere: the message is still in the queue at the end.
    Queued,
    /// From the send to nowhere: the receive is left out.
    Outbound,
    /// From nowhere to the receive: the send is left out, or was before the chart.
    Inbound,
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::chart) struct Arrow {
    pub(in crate::chart) kind: ArrowKind,
    pub(in crate::chart) from: Point,
    pub(in crate::chart) to: Point,
    /// The distance by which it swings out to the right; 0 for a straight arrow.
    pub(in crate::chart) swing: f64,
    pub(in crate::chart) hint: String,
}

/// A section of the line of a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::chart) struct Lifeline {
    pub(in crate::chart) x: f64,
    pub(in crate::chart) top: f64,
    pub(in crate::chart) bottom: f64,
    /// It is in the row that stands for omitted events.
    pub(in crate::chart) dotted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::chart) enum FrameKind {
    Head,
    FaintHead,
    Statement,
    /// The statement that failed.
    Failed,
    Blocked,
}

/// A box around texts. It is opaque and hides the lines under it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::chart) struct Frame {
    pub(in crate::chart) kind: FrameKind,
    pub(in crate::chart) bounds: Rectangle,
}
