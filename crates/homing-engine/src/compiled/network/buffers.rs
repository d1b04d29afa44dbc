//! What is computed for each state of a network, in buffers that are used again.

use super::NetworkCode;
use super::sleep::EnabledSteps;

/// What is computed for each state.
pub struct NetworkBuffers {
    /// The enabled edges of guarded processes, by [`super::partners::ProcessSlots::mask`]. Word 0 has all bits.
    pub masks: Vec<u64>,
    /// The computed channels of all processes, by [`super::partners::ProcessSlots::computed`].
    pub channels: Vec<i32>,
    /// The edges of the step: the sender's, then those of the receivers of a broadcast.
    pub step: Vec<Taken>,
    /// The receivers of a broadcast: by process, which edges it can take.
    pub receivers: Vec<Receivers>,
    /// The edges of all `receivers`.
    pub choices: Vec<u32>,
    /// The steps that were explored, for sleep sets.
    pub enabled: EnabledSteps,
}

/// An edge of a process, by its index in the code.
#[derive(Clone, Copy)]
pub struct Taken {
    pub pid: u8,
    pub edge: u32,
}

/// The edges by which a process can receive a broadcast: `choices[first..end]`. The present combination has the one at `at`.
#[derive(Clone, Copy)]
pub struct Receivers {
    pub pid: u8,
    first: u32,
    end: u32,
    pub at: u32,
}

impl NetworkBuffers {
    pub fn new(code: Option<&NetworkCode>) -> Self {
        let (masks, channels) = code.map_or((0, 0), |code| (code.partners.masks, code.partners.computed));
        let most = code.map_or(0, |code| code.groups.iter().map(|group| group.begins.count_ones()).max().unwrap_or(0));
        let enabled = EnabledSteps::new(code.map(|code| &code.partners), most);
        let (step, receivers, choices) = Default::default();
        NetworkBuffers { masks: vec![u64::MAX; masks], channels: vec![-1; channels], step, receivers, choices, enabled }
    }

    /// Adds an edge by which a process can receive; those of one process come one after the other.
    pub fn add_receiver(&mut self, Taken { pid, edge }: Taken) {
        let at = self.choices.len() as u32;
        self.choices.push(edge);
        match self.receivers.last_mut().filter(|last| last.pid == pid) {
            Some(last) => last.end += 1,
            None => self.receivers.push(Receivers { pid, first: at, end: at + 1, at }),
        }
    }

    /// Goes to the next combination of edges of the receivers; false if there is none.
    pub fn next_combination(&mut self) -> bool {
        for receiver in self.receivers.iter_mut().rev() {
            receiver.at += 1;
            if receiver.at < receiver.end {
                return true;
            }
            receiver.at = receiver.first;
        }
        false
    }
}
