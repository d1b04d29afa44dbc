//! The partners of a rendezvous: the receivers of a message on offer, found by channel.

use homing_core::Cost;

use super::access::union;
use super::code::{Code, Compiled, LocationCode, MOST_TRANSITIONS};
use super::drive::{Attempt, CompiledMove, Driver, NeedsInterpreter};
use super::rendezvous::channel_bit;
use super::translate::FAULT;
use crate::coverage::Trial;

/// The most listeners that are distinguished: a set of them has a bit for each.
const MOST_LISTENERS: usize = 64;

/// What the receives of a location listen to. Its size is a power of two, since it is looked up for all processes of a state.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Listening {
    /// The rendezvous channels that they may refer to, a bit for each; all if that is not known statically.
    channels: u64,
    /// Computes the channels that they refer to in the present state, if that is more precise.
    listens: Option<Compiled>,
    /// Computes which transitions take the message on offer; none if that needs more than code.
    receivers: Option<Compiled>,
    /// The index of the first transition of the location in the code.
    first: u32,
}

impl Listening {
    fn of(location: &LocationCode) -> Self {
        let LocationCode { receives_from, listens, receivers, first, escapes, .. } = *location;
        if escapes {
            return Listening { channels: u64::MAX, listens: None, receivers: None, first };
        }
        Listening { channels: receives_from, listens, receivers, first }
    }
}

/// The processes that may listen to each rendezvous channel in the state that is expanded. Computed when a message is first on
/// offer.
pub struct Listeners {
    /// By location.
    listening: Vec<Listening>,
    /// The fields below are those of the state that is expanded.
    are_known: bool,
    /// The listeners, from the youngest; those beyond [`MOST_LISTENERS`] are only counted.
    pids: [u8; MOST_LISTENERS],
    count: usize,
    /// For each bit of a channel, a bit for each of `pids`; meaningless for channels that are not in `heard`.
    by_channel: [u64; 64],
    heard: u64,
    /// The listeners that may listen to any channel, a bit for each of `pids`.
    everywhere: u64,
}

/// The result of a send that may be a rendezvous with one partner.
pub enum Rendezvous {
    /// No process can receive the message.
    NoPartner,
    /// One process received it by one transition: the cost of the step, and what sender and receiver access.
    Done(Cost, u64),
    /// The send needs [`super::expand::Expansion::explore_special`]; part of it may have been executed.
    Unclear,
}

impl Listeners {
    pub fn new(code: Option<&Code>) -> Self {
        let locations = code.map_or(&[][..], |code| &code.locations);
        Listeners {
            listening: locations.iter().map(Listening::of).collect(),
            are_known: false,
            pids: [0; MOST_LISTENERS],
            count: 0,
            by_channel: [0; 64],
            heard: 0,
            everywhere: 0,
        }
    }

    /// Called when another state is expanded.
    #[inline]
    pub fn forget(&mut self) {
        self.are_known = false;
    }

    #[inline(always)]
    fn listening(&self, at: usize) -> Listening {
        debug_assert!(at < self.listening.len());
        // SAFETY: there is one for each location of the code.
        unsafe { *self.listening.get_unchecked(at) }
    }

    /// A bit for each of `pids` that may listen to a channel.
    #[inline(always)]
    fn to(&self, channel: u64) -> u64 {
        let bit = channel & 63;
        let those = if self.heard & (1 << bit) == 0 { 0 } else { self.by_channel[bit as usize] };
        those | self.everywhere
    }

    /// Adds a process that listens to some channels.
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
    /// Executes a send in the state that is expanded, if it is a rendezvous with one partner: the usual case. Nothing is
    /// executed if `is_left_out`.
    #[inline(never)]
    pub fn rendezvous(&mut self, pid: usize, transition: u32, is_left_out: bool) -> Rendezvous {
        let Some(sending) = self.machine.fast_paths.sends[transition as usize] else { return Rendezvous::Unclear };
        if !self.machine.listeners.are_known && self.find_listeners().is_err() {
            return Rendezvous::Unclear;
        }
        let machine = &mut *self.machine;
        let frame = machine.context.process(pid).offset;
        let channel = machine.invoke(sending.offer, pid, frame);
        if channel == 0 || channel == FAULT {
            return Rendezvous::Unclear;
        }
        let those = machine.listeners.to(channel);
        if those == 0 {
            return Rendezvous::NoPartner;
        }
        if those & (those - 1) != 0 || machine.listeners.count > MOST_LISTENERS {
            return Rendezvous::Unclear;
        }
        let receiver = usize::from(machine.listeners.pids[those.trailing_zeros() as usize]);
        if receiver == pid {
            return Rendezvous::NoPartner;
        }
        let process = machine.context.process(receiver);
        let listening = machine.listeners.listening(machine.context.location(process));
        let Some(receivers) = listening.receivers else { return Rendezvous::Unclear };
        let mask = machine.invoke(receivers, receiver, process.offset);
        if mask == 0 {
            return Rendezvous::NoPartner;
        }
        if mask & (mask - 1) != 0 || mask == FAULT {
            return Rendezvous::Unclear;
        }
        let accepting = listening.first + mask.trailing_zeros();
        let Some(accept) = machine.fast_paths.accepts[accepting as usize] else { return Rendezvous::Unclear };
        let by_sender = machine.access_word(transition, pid, frame);
        let accessed = union(by_sender, machine.access_word(accepting, receiver, process.offset));
        if !is_left_out {
            if machine.invoke(sending.depart, pid, frame) == FAULT {
                return Rendezvous::Unclear;
            }
            machine.context.timeout = 0;
            if machine.invoke(accept.code, receiver, process.offset) == FAULT {
                return Rendezvous::Unclear;
            }
        }
        machine.step_movers.begin(pid);
        machine.step_movers.add(receiver);
        self.atomic_steps += u64::from(accept.atomic_steps);
        Rendezvous::Done(sending.cost + accept.cost, accessed)
    }

    /// Adds a move for each receive that matches the message of a rendezvous, the youngest process first. Returns whether there
    /// was one; `None` if the channel of the send is a buffered channel.
    pub fn collect_handshakes(&mut self, pid: usize, transition: u32) -> Result<Option<bool>, NeedsInterpreter> {
        let is_begin = self.machine.context.log.len() == 0;
        if is_begin && !self.machine.listeners.are_known {
            self.find_listeners()?;
        }
        let offer = self.code.transitions[transition as usize].offer.ok_or(NeedsInterpreter)?;
        let channel = self.call(offer, pid)?;
        if channel == 0 {
            return Ok(None);
        }
        let send = CompiledMove { pid: pid as u8, transition, receiver: None };
        let before = self.machine.moves.len();
        let listeners = &self.machine.listeners;
        if is_begin && listeners.count <= MOST_LISTENERS {
            let mut rest = listeners.to(channel);
            while rest != 0 {
                let receiver = usize::from(self.machine.listeners.pids[rest.trailing_zeros() as usize]);
                rest &= rest - 1;
                if receiver != pid {
                    self.collect_receivers(receiver, send)?;
                }
            }
        } else {
            for receiver in (0..self.machine.context.process_table.len()).rev() {
                if receiver != pid && self.may_listen(receiver, channel_bit(channel as i32))? {
                    self.collect_receivers(receiver, send)?;
                }
            }
        }
        Ok(Some(self.machine.moves.len() > before))
    }

    /// Whether a process may receive from one of the channels at its location. Records in the coverage that its receives were
    /// tried.
    fn may_listen(&mut self, pid: usize, channels: u64) -> Result<bool, NeedsInterpreter> {
        let at = self.machine.context.location_of(pid);
        let location = &self.code.locations[at];
        if let Some(provided) = location.provided
            && self.call(provided, pid)? == 0
        {
            return Ok(false);
        }
        if location.escapes {
            return Ok(true);
        }
        self.record_tried_with_offer(at);
        Ok(location.receives_from & channels != 0)
    }

    /// Computes the listeners of the state that is expanded.
    fn find_listeners(&mut self) -> Result<(), NeedsInterpreter> {
        let listeners = &mut self.machine.listeners;
        listeners.count = 0;
        (listeners.heard, listeners.everywhere) = (0, 0);
        for pid in (0..self.machine.context.process_table.len()).rev() {
            let process = self.machine.context.process(pid);
            let at = self.machine.context.location(process);
            let Listening { mut channels, listens, .. } = self.machine.listeners.listening(at);
            // Nothing is recorded in the coverage: the transitions of all processes are tried in this state anyway.
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
    fn collect_receivers(&mut self, receiver: usize, send: CompiledMove) -> Result<(), NeedsInterpreter> {
        let at = self.machine.context.location_of(receiver);
        let location = &self.code.locations[at];
        let mask = match location.receivers {
            Some(receivers) => self.call(receivers, receiver)?,
            None if location.receives_from == 0 && location.count <= MOST_TRANSITIONS => 0,
            None => return Err(NeedsInterpreter),
        };
        let take = |driver: &mut Self, transition: u32| {
            driver.machine.moves.push(CompiledMove { receiver: Some((receiver as u8, transition)), ..send });
        };
        if location.escapes {
            return self.try_in_order(at, Trial::WithOffer, |driver, nth, transition| {
                if mask & (1 << nth) == 0 {
                    return Ok(Attempt::Disabled);
                }
                take(driver, transition);
                Ok(Attempt::Taken)
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
