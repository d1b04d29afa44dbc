//! The receivers of a rendezvous are found by channel.

use super::code::MOST_TRANSITIONS;
use super::drive::{Driver, Faulty, Move};
use super::rendezvous::channel_bit;

/// Who may listen to which rendezvous channel in the state that is expanded. Made when the first message is on offer.
#[derive(Default)]
pub struct Listeners {
    are_known: bool,
    /// From the youngest.
    pids: Vec<usize>,
    /// For each bit of a channel, a bit for each of `pids`.
    by_channel: Vec<u64>,
    /// Those that may listen to any.
    everywhere: u64,
}

impl Listeners {
    /// Another state is expanded.
    pub fn forget(&mut self) {
        self.are_known = false;
    }
}

impl Driver<'_, '_> {
    /// Adds a move for each receive that the message of a rendezvous matches: the youngest process first. Whether there was
    /// one; none if the channel of the send is not a rendezvous.
    pub fn handshakes(&mut self, pid: usize, transition: u32) -> Result<Option<bool>, Faulty> {
        let is_begin = self.machine.context.log.len() == 0;
        if is_begin && !self.machine.listeners.are_known {
            self.find_listeners()?;
        }
        let offer = self.code.transitions[transition as usize].offer.ok_or(Faulty)?;
        let channel = self.call(offer, pid)?;
        if channel == 0 {
            return Ok(None);
        }
        let send = Move { pid: pid as u8, transition, receiver: None };
        let before = self.machine.moves.len();
        let listeners = &self.machine.listeners;
        if is_begin && listeners.pids.len() <= 64 {
            let bit = (channel & 63) as usize;
            let mut rest = listeners.by_channel[bit] | listeners.everywhere;
            while rest != 0 {
                let receiver = self.machine.listeners.pids[rest.trailing_zeros() as usize];
                rest &= rest - 1;
                if receiver != pid {
                    self.receivers(receiver, send)?;
                }
            }
        } else {
            for receiver in (0..self.machine.context.seats.len()).rev() {
                if receiver != pid && self.may_listen(receiver, channel_bit(channel as i32))? {
                    self.receivers(receiver, send)?;
                }
            }
        }
        Ok(Some(self.machine.moves.len() > before))
    }

    /// Whether a process is somewhere where it may receive from one of the channels. The coverage is told that it was asked.
    fn may_listen(&mut self, pid: usize, channels: u64) -> Result<bool, Faulty> {
        let at = self.machine.context.stands(pid);
        let location = &self.code.locations[at];
        if let Some(provided) = location.provided
            && self.call(provided, pid)? == 0
        {
            return Ok(false);
        }
        if location.escapes {
            return Ok(true);
        }
        self.tried_with_offer(at);
        Ok(location.receives_from & channels != 0)
    }

    fn find_listeners(&mut self) -> Result<(), Faulty> {
        let listeners = &mut self.machine.listeners;
        listeners.pids.clear();
        listeners.by_channel.clear();
        listeners.by_channel.resize(64, 0);
        listeners.everywhere = 0;
        for pid in (0..self.machine.context.seats.len()).rev() {
            let location = &self.code.locations[self.machine.context.stands(pid)];
            // The coverage need not be told: the transitions of all processes are tried in this state anyway.
            if location.receives_from == 0 && !location.escapes {
                continue;
            }
            if let Some(provided) = location.provided
                && self.call(provided, pid)? == 0
            {
                continue;
            }
            let mut channels = match location.listens {
                Some(listens) => self.call(listens, pid).unwrap_or(u64::MAX),
                None => location.receives_from,
            };
            let listeners = &mut self.machine.listeners;
            let bit = 1u64.wrapping_shl(listeners.pids.len() as u32);
            listeners.pids.push(pid);
            if channels == u64::MAX || location.escapes {
                listeners.everywhere |= bit;
                continue;
            }
            while channels != 0 {
                listeners.by_channel[channels.trailing_zeros() as usize] |= bit;
                channels &= channels - 1;
            }
        }
        self.machine.listeners.are_known = true;
        Ok(())
    }

    /// Adds a move for each transition of a process that takes the message on offer.
    fn receivers(&mut self, receiver: usize, send: Move) -> Result<(), Faulty> {
        let at = self.machine.context.stands(receiver);
        let location = &self.code.locations[at];
        let mask = match location.receivers {
            Some(receivers) => self.call(receivers, receiver)?,
            None if location.receives_from == 0 && location.count <= MOST_TRANSITIONS => 0,
            None => return Err(Faulty),
        };
        if location.escapes {
            return self.receivers_with_escapes(receiver, at, mask, send);
        }
        let mut rest = mask;
        while rest != 0 {
            let transition = location.first + rest.trailing_zeros();
            rest &= rest - 1;
            self.machine.moves.push(Move { receiver: Some((receiver as u8, transition)), ..send });
        }
        Ok(())
    }

    /// The same where some transitions are escapes: behind one that can be taken only those of the same escape are tried.
    fn receivers_with_escapes(&mut self, receiver: usize, at: usize, mask: u64, send: Move) -> Result<(), Faulty> {
        let location = &self.code.locations[at];
        let mut escape = 0;
        for nth in 0..location.count {
            let transition = location.first + nth;
            let of_escape = self.code.transitions[transition as usize].escape;
            if escape > 0 && escape != of_escape {
                break;
            }
            self.tell_tried_one(at, nth, true);
            if mask & (1 << nth) != 0 {
                self.machine.moves.push(Move { receiver: Some((receiver as u8, transition)), ..send });
                escape = of_escape;
            }
        }
        Ok(())
    }
}
