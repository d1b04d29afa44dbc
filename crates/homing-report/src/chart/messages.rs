//! The deliveries of buffered messages.

use std::collections::{HashMap, HashSet};

use super::{Event, EventKind};

/// The delivery of a message from its send to one receive, by the indices of the events. A message that is read and
/// left in the buffer has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Delivery {
    pub(super) message: u64,
    /// `None` if it was in the buffer before the first event.
    pub(super) sent: Option<usize>,
    /// `None` if it is in the buffer after the last event.
    pub(super) received: Option<usize>,
    /// The receive leaves the message in the buffer.
    pub(super) stays: bool,
}

/// All deliveries, in the order of their receives; then those of the messages still in a buffer, in the order of their
/// sends.
pub(super) fn deliveries(events: &[Event]) -> Vec<Delivery> {
    let mut sent: HashMap<u64, usize> = HashMap::new();
    let mut gone: HashSet<u64> = HashSet::new();
    let mut deliveries = Vec::new();
    for (index, event) in events.iter().enumerate() {
        match event.kind {
            EventKind::Send { message, .. } => {
                sent.insert(message, index);
            }
            EventKind::Receive { message, keeps, .. } => {
                let received = Some(index);
                deliveries.push(Delivery { message, sent: sent.get(&message).copied(), received, stays: keeps });
                if !keeps {
                    gone.insert(message);
                }
            }
            _ => {}
        }
    }
    deliveries.extend(events.iter().enumerate().filter_map(|(index, event)| match event.kind {
        EventKind::Send { message, .. } if !gone.contains(&message) => {
            Some(Delivery { message, sent: Some(index), received: None, stays: false })
        }
        _ => None,
    }));
    deliveries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::sample::{peek, receive, send};

    #[test]
    fn every_end_finds_its_other_end() {
        let events = [
            send(0, 1, "q!1", ""),
            send(0, 2, "q!2", ""),
            peek(1, 1, "q?<x>", ""),
            receive(1, 1, "q?1", ""),
            receive(1, 9, "r?9", ""),
            peek(1, 2, "q?<x>", ""),
        ];
        let delivery = |message, sent, received, stays| Delivery { message, sent, received, stays };
        assert_eq!(
            deliveries(&events),
            [
                delivery(1, Some(0), Some(2), true),
                delivery(1, Some(0), Some(3), false),
                delivery(9, None, Some(4), false),
                delivery(2, Some(1), Some(5), true),
                delivery(2, Some(1), None, false)
            ]
        );
    }
}
