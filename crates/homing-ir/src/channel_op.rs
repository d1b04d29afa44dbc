//! What is done with a channel, and which of its two ends that accesses.
//!
//! Messages are put at the end of a buffered channel and taken at its front. A sender and a receiver that each use their own
//! end are independent as long as the channel is neither full nor empty.

use crate::{Queueing, ReceiveFrom};

/// What is done with a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelOp {
    /// A message is put into it.
    Send(Queueing),
    /// A message is received from it, or looked at and left there.
    Receive(ReceiveFrom),
    /// Its messages are counted.
    Length,
    /// It is tested whether there is a message.
    Empty,
    /// It is tested whether there is room for one more.
    Full,
    /// It is tested whether there is a message that matches.
    Poll {
        /// Any of its messages, not the first only.
        anywhere: bool,
    },
}

/// How an operation accesses one end of a buffered channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndAccess {
    /// It changes what is there.
    pub is_write: bool,
    /// In which states it accesses this end at all.
    pub when: When,
}

/// The states in which an end of a channel is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// In all.
    Always,
    /// Where the channel is full.
    Full,
    /// Where it has room.
    NotFull,
    /// Where it has no message.
    Empty,
    /// Where it has one.
    NotEmpty,
}

/// Both ends of a buffered channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// Where messages are taken. None: it is not accessed.
    pub front: Option<EndAccess>,
    /// Where messages are put. None: it is not accessed.
    pub end: Option<EndAccess>,
}

impl ChannelOp {
    /// Whether it changes the channel.
    pub fn is_write(self) -> bool {
        matches!(self, ChannelOp::Send(_) | ChannelOp::Receive(_))
    }

    /// What it accesses of a buffered channel in a state that is known. A send into a channel with room accesses the end
    /// alone; one that waits for room also waits for what happens at the front. A test reads the end where its result can
    /// change.
    pub fn ends(self) -> Ends {
        let at = |is_write, when| Some(EndAccess { is_write, when });
        let (front, end) = match self {
            ChannelOp::Send(Queueing::Last) => (at(false, When::Full), at(true, When::Always)),
            ChannelOp::Receive(ReceiveFrom { anywhere: false, .. }) => (at(true, When::Always), at(false, When::Empty)),
            ChannelOp::Empty | ChannelOp::Poll { anywhere: false } => {
                (at(false, When::NotEmpty), at(false, When::Empty))
            }
            ChannelOp::Full => (at(false, When::Full), at(false, When::NotFull)),
            ChannelOp::Send(Queueing::Sorted)
            | ChannelOp::Receive(ReceiveFrom { anywhere: true, .. })
            | ChannelOp::Length
            | ChannelOp::Poll { anywhere: true } => return self.both_ends(),
        };
        Ends { front, end }
    }

    /// What it accesses where it is executed in some later state. A statement that is executed does not wait; a test can
    /// have either result.
    pub fn ends_when_executed(self) -> Ends {
        if !self.is_write() {
            return self.both_ends();
        }
        let Ends { front, end } = self.ends();
        let always = |access: &EndAccess| access.when == When::Always;
        Ends { front: front.filter(always), end: end.filter(always) }
    }

    /// What it accesses where nothing is known of the channel, or where it decides how a run through an atomic sequence
    /// continues whether it can be executed.
    pub fn both_ends(self) -> Ends {
        let access = Some(EndAccess { is_write: self.is_write(), when: When::Always });
        Ends { front: access, end: access }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_channels() {
        let plain = ReceiveFrom { anywhere: false, keep: false };
        let scanning = ReceiveFrom { anywhere: true, keep: false };
        let shown = |access: Option<EndAccess>| match access {
            None => "-".to_owned(),
            Some(EndAccess { is_write, when }) => format!("{}{when:?}", if is_write { "W" } else { "R" }),
        };
        for (op, in_a_state, executed, unknown) in [
            (ChannelOp::Send(Queueing::Last), "RFull WAlways", "- WAlways", "WAlways WAlways"),
            (ChannelOp::Send(Queueing::Sorted), "WAlways WAlways", "WAlways WAlways", "WAlways WAlways"),
            (ChannelOp::Receive(plain), "WAlways REmpty", "WAlways -", "WAlways WAlways"),
            (ChannelOp::Receive(scanning), "WAlways WAlways", "WAlways WAlways", "WAlways WAlways"),
            (ChannelOp::Length, "RAlways RAlways", "RAlways RAlways", "RAlways RAlways"),
            (ChannelOp::Empty, "RNotEmpty REmpty", "RAlways RAlways", "RAlways RAlways"),
            (ChannelOp::Full, "RFull RNotFull", "RAlways RAlways", "RAlways RAlways"),
            (ChannelOp::Poll { anywhere: false }, "RNotEmpty REmpty", "RAlways RAlways", "RAlways RAlways"),
            (ChannelOp::Poll { anywhere: true }, "RAlways RAlways", "RAlways RAlways", "RAlways RAlways"),
        ] {
            let both = |ends: Ends| format!("{} {}", shown(ends.front), shown(ends.end));
            let found = [op.ends(), op.ends_when_executed(), op.both_ends()].map(both);
            assert_eq!(found, [in_a_state, executed, unknown], "{op:?}");
        }
    }
}
