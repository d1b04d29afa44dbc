//! The receivers of a rendezvous are found by channel.

use homing_core::Cost;

use super::code::{Code, Compiled, LocationCode, MOST_TRANSITIONS};
use super::drive::{Driver, Faulty, Move, Tried};
use super::rendezvous::channel_bit;
use super::touches::both;
use super::translate::FAULT;

/// So many listeners are told from each other: there is a bit for each.
const MOST_LISTENERS: usize = 64;

/// What the receives of a location listen to. As large as a power of two: all processes are asked in each state.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Hearing {
    /// The rendezvous channels that they may look at, all if that cannot be said beforehand.
    channels: u64,
    /// The same for the state under way, if that says more.
    listens: Option<Compiled>,
    /// Which transitions take the message on offer; none if that is to be found out in another way.
    receivers: Option<Compiled>,
    /// Where the transitions of the location begin.
    first: u32,
}

impl Hearing {
    fn of(location: &LocationCode) -> Self {
        let LocationCode { receives_from, listens, receivers, first, escapes, .. } = *location;
        if escapes {
            return Hearing { channels: u64::MAX, listens: None, receivers: None, first };
        }
        Hearing { channels: receives_from, listens, receivers, first }
    }
}

/// Who may listen to which rendezvous channel in the state that is expanded. Made when the first message is on offer.
pub struct Listeners {
    /// By location.
    hearing: Vec<Hearing>,
    are_known: bool,
    /// From the youngest; more are only counted.
    pids: [u8; MOST_LISTENERS],
    count: usize,
    /// For each bit of a channel, a bit for each of `pids`; of no meaning for channels that are not in `heard`.
    by_channel: [u64; 64],
    heard: u64,
    /// Those that may listen to any.
    everywhere: u64,
}

/// What became of a message on offer.
pub enum Meeting {
    Nobody,
    /// One process took it by one transition, at so much cost. Both touch a set.
    One(Cost, u64),
    /// That has to be looked at more closely; perhaps something was done.
    Unclear,
}

impl Listeners {
    pub fn new(code: Option<&Code>) -> Self {
        let locations = code.map_or(&[][..], |code| &code.locations);
        Listeners {
            hearing: locations.iter().map(Hearing::of).collect(),
            are_known: false,
            pids: [0; MOST_LISTENERS],
            count: 0,
            by_channel: [0; 64],
            heard: 0,
            everywhere: 0,
        }
    }

    /// Another state is expanded.
    #[inline]
    pub fn forget(&mut self) {
        self.are_known = false;
    }

    #[inline(always)]
    fn hearing(&self, at: usize) -> Hearing {
        debug_assert!(at < self.hearing.len());
        // SAFETY: there is one for each location of the code.
        unsafe { *self.hearing.get_unchecked(at) }
    }

    /// A bit for each of `pids` that may listen to a channel.
    #[inline(always)]
    fn to(&self, channel: u64) -> u64 {
        let bit = channel & 63;
        let those = if self.heard & (1 << bit) == 0 { 0 } else { self.by_channel[bit as usize] };
        those | self.everywhere
    }

    /// One more listener.
    #[inline(always)]
    fn add(&mut self, pid: usize, mut channels: u64) {
        let bit = 1u64.wrapping_shl(self.count as u32);
        self.pids[self.count % MOST_LISTENERS] = pid as u8;
        self.count += 1;
        if channels == u64::MAX {
            self.everywhere |= bit;
            return;
        }
        while channels != 0 {
            let at = channels.trailing_zeros() as usize;
            let before = if self.heard & (1 << at) == 0 { 0 } else { self.by_channel[at] };
            self.by_channel[at] = before | bit;
            self.heard |= 1 << at;
            channels &= channels - 1;
        }
    }
}

impl Driver<'_, '_> {
    /// Sends in the state that is expanded, if it is a rendezvous and one process takes the message: the usual case. Nothing
    /// is done if `is_left_out`.
    #[inline(never)]
    pub fn meet(&mut self, pid: usize, transition: u32, is_left_out: bool) -> Meeting {
        let Some(sending) = self.machine.seen.sends[transition as usize] else { return Meeting::Unclear };
        if !self.machine.listeners.are_known && self.find_listeners().is_err() {
            return Meeting::Unclear;
        }
        let machine = &mut *self.machine;
        let frame = machine.context.seat(pid).offset;
        let channel = machine.answer(sending.offer, pid, frame);
        if channel == 0 || channel == FAULT {
            return Meeting::Unclear;
        }
        let those = machine.listeners.to(channel);
        if those == 0 {
            return Meeting::Nobody;
        }
        if those & (those - 1) != 0 || machine.listeners.count > MOST_LISTENERS {
            return Meeting::Unclear;
        }
        let receiver = usize::from(machine.listeners.pids[those.trailing_zeros() as usize]);
        if receiver == pid {
            return Meeting::Nobody;
        }
        let seat = machine.context.seat(receiver);
        let hearing = machine.listeners.hearing(machine.context.standing(seat));
        let Some(receivers) = hearing.receivers else { return Meeting::Unclear };
        let mask = machine.answer(receivers, receiver, seat.offset);
        if mask == 0 {
            return Meeting::Nobody;
        }
        if mask & (mask - 1) != 0 || mask == FAULT {
            return Meeting::Unclear;
        }
        let accepting = hearing.first + mask.trailing_zeros();
        let Some(accept) = machine.seen.accepts[accepting as usize] else { return Meeting::Unclear };
        let by_sender = machine.touched(transition, pid, frame);
        let touched = both(by_sender, machine.touched(accepting, receiver, seat.offset));
        if !is_left_out {
            if machine.answer(sending.depart, pid, frame) == FAULT {
                return Meeting::Unclear;
            }
            machine.context.timeout = 0;
            if machine.answer(accept.code, receiver, seat.offset) == FAULT {
                return Meeting::Unclear;
            }
        }
        machine.step_movers.begin(pid);
        machine.step_movers.add(receiver);
        self.atomic_steps += u64::from(accept.atomic_steps);
        Meeting::One(sending.cost + accept.cost, touched)
    }

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
        if is_begin && listeners.count <= MOST_LISTENERS {
            let mut rest = listeners.to(channel);
            while rest != 0 {
                let receiver = usize::from(self.machine.listeners.pids[rest.trailing_zeros() as usize]);
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
        listeners.count = 0;
        (listeners.heard, listeners.everywhere) = (0, 0);
        for pid in (0..self.machine.context.seats.len()).rev() {
            let seat = self.machine.context.seat(pid);
            let at = self.machine.context.standing(seat);
            let Hearing { mut channels, listens, .. } = self.machine.listeners.hearing(at);
            // The coverage need not be told: the transitions of all processes are tried in this state anyway.
            if channels == 0 {
                continue;
            }
            if self.code.provided
                && let Some(provided) = self.code.locations[at].provided
                && self.call(provided, pid)? == 0
            {
                continue;
            }
            if let Some(listens) = listens {
                channels = self.call(listens, pid).unwrap_or(u64::MAX);
            }
            self.machine.listeners.add(pid, channels);
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
        let take = |driver: &mut Self, transition: u32| {
            driver.machine.moves.push(Move { receiver: Some((receiver as u8, transition)), ..send });
        };
        if location.escapes {
            return self.try_in_order(at, true, |driver, nth, transition| {
                if mask & (1 << nth) == 0 {
                    return Ok(Tried::Passed);
                }
                take(driver, transition);
                Ok(Tried::Taken)
            });
        }
        let mut rest = mask;
        while rest != 0 {
            take(self, location.first + rest.trailing_zeros());
            rest &= rest - 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiled::testing::agree;

    #[test]
    fn listeners_are_found_by_channel() {
        let mut listeners = Listeners::new(None);
        listeners.add(5, 1 << 3);
        listeners.add(4, u64::MAX);
        listeners.add(2, 1 << 3 | 1 << 7);
        assert_eq!([3, 7, 1, 64 + 7].map(|channel| listeners.to(channel)), [0b111, 0b110, 0b010, 0b110]);
        assert_eq!(listeners.pids[..3], [5, 4, 2]);
    }

    #[test]
    fn a_rendezvous_is_found_with_no_one_and_several_partners() {
        let receivers = |count: usize, body: &str| {
            agree(&format!(
                "chan s = [0] of {{ byte, byte }}; byte x, y;
                 active [{count}] proctype R() {{ {body} }}
                 active proctype S() {{ s!1,7 }}"
            ))
        };
        // A deadlock at once, or one step of the sender with each receiver, and the ends of processes.
        assert_eq!(receivers(0, "skip"), 1);
        assert_eq!(receivers(1, "s?2,_"), 1, "the message does not match");
        assert!(receivers(1, "s?1,x") > 1);
        assert!(receivers(3, "s?1,x") > 3);
        assert!(receivers(70, "s?1,x") > 70, "more than there are bits");
        assert!(receivers(2, "if :: s?1,x :: s?_,y fi") > 4, "two receives of one process");
        assert!(receivers(2, "atomic { s?1,x; y = x }") > 2, "the receiver continues");
    }

    #[test]
    fn a_process_does_not_receive_its_own_message() {
        assert_eq!(agree("chan s = [0] of { byte }; init { if :: s!1 :: s?_ fi }"), 1);
    }
}
