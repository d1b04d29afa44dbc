//! The sequence chart of a trail: processes are lanes, messages are arrows, time runs down, one row for each event.
//!
//! Plain data in, a `String` out. The two forms share the rows (`rows`) and little else: characters cannot slant, so in
//! text the two ends of a buffered message are linked by its number, while the picture has an arrow.

mod layout;
mod messages;
mod rows;
mod svg;
mod text;

#[cfg(test)]
mod sample;

use layout::Layout;

/// A trail, ready to be drawn.
///
/// Every lane number in it must be below `lanes.len()`, and every event number below `events.len()`; drawing panics
/// otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chart {
    pub title: String,
    /// From left to right.
    pub lanes: Vec<Lane>,
    /// From top to bottom.
    pub events: Vec<Event>,
    /// What went wrong, shown at the foot.
    pub verdict: Option<String>,
    /// What a lane waits for at the end, as in a deadlock.
    pub blocked: Vec<(usize, String)>,
    /// The index of the event that failed.
    pub failed: Option<usize>,
    /// The index of the event with which a cycle begins; it lasts to the end.
    pub cycle: Option<usize>,
}

/// A process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// Such as `Philosopher(2)`. If it is too long, the number in parentheses is kept.
    pub name: String,
    /// The index of the event that creates the process; `None` if it exists from the start.
    pub born: Option<usize>,
    /// The index of the event with which the process ends.
    pub died: Option<usize>,
}

/// One row of the chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The number shown, which need not be the index: a handshake can stand for two statements.
    pub step: usize,
    pub lane: usize,
    /// Such as `phil.pml:17`.
    pub place: String,
    /// The statement. An event with an arrow shows the label of the arrow instead, and in the picture this as a
    /// tooltip: both side by side would say nearly the same.
    pub text: String,
    /// The values that a statement without a message changed, shown beside it where there is room.
    pub values: String,
    pub kind: EventKind,
}

impl Event {
    /// The statement with the values that it changed.
    fn with_values(&self) -> String {
        if self.values.is_empty() { self.text.clone() } else { format!("{}  ({})", self.text, self.values) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A statement without a message.
    Local,
    /// A rendezvous, both halves of it: an arrow straight across to the lane `to` of the receiver.
    Handshake { to: usize, label: String },
    /// A message is written to a buffer. `message` identifies it, so that its receive is found; `queue` says what the
    /// channel holds afterwards, and may be empty.
    Send { message: u64, label: String, queue: String },
    /// A message is read from a buffer; with `keeps` it stays there and can be read again.
    Receive { message: u64, label: String, queue: String, keeps: bool },
    /// Creates the process of `lane`; the label of the arrow is the text of the event.
    Run { lane: usize },
    /// The process ends.
    End,
}

impl Chart {
    /// The chart in box-drawing characters, for a terminal of `width` columns. No line is longer; where there is no room for a bar for
    /// each lane, it is a list of events. No line has blanks at its end. If there are more events than `most`, the middle is omitted
    /// and a row says so.
    pub fn text(&self, width: usize, most: Option<usize>) -> String {
        text::draw(self, width, most)
    }

    /// The chart as a picture: one SVG element that needs nothing from outside. `most` as for [`Chart::text`].
    pub fn svg(&self, most: Option<usize>) -> String {
        svg::print(&Layout::of(self, most))
    }
}
