//! Networks as in paper 2: processes that synchronise in pairs.

use homing_abstraction::{FactoredSystem, LabelId};

/// What an edge of a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Tau,
    Send(u32),
    Receive(u32),
}

#[derive(Clone, Debug)]
pub struct Process {
    pub name: String,
    pub locations: u32,
    pub initial: u32,
    /// None if every location is a goal.
    pub goals: Option<Vec<u32>>,
    pub edges: Vec<(u32, Act, u32)>,
}

/// A network in which each channel has one sender and one receiver.
#[derive(Clone, Debug)]
pub struct Network {
    pub processes: Vec<Process>,
    pub channels: u32,
    /// The edges of each process by location, in the order of definition.
    out: Vec<Vec<Vec<(Act, u32)>>>,
    receiver: Vec<Option<u32>>,
}

impl Network {
    pub fn new(processes: Vec<Process>, channels: u32) -> Self {
        let mut receiver = vec![None; channels as usize];
        let mut out = Vec::new();
        for (number, process) in (0..).zip(&processes) {
            let mut rows = vec![Vec::new(); process.locations as usize];
            for &(from, act, to) in &process.edges {
                rows[from as usize].push((act, to));
                if let Act::Receive(channel) = act {
                    receiver[channel as usize] = Some(number);
                }
            }
            out.push(rows);
        }
        Network { processes, channels, out, receiver }
    }

    pub fn initial(&self) -> Vec<u32> {
        self.processes.iter().map(|process| process.initial).collect()
    }

    pub fn is_error(&self, state: &[u32]) -> bool {
        let is_goal =
            |(process, location): (&Process, &u32)| process.goals.as_ref().is_none_or(|goals| goals.contains(location));
        self.processes.iter().zip(state).all(is_goal)
    }

    /// Shows what each step changes: for each process in order its edges in order, a send with each partner.
    pub fn for_each_step(&self, state: &[u32], mut visit: impl FnMut(&[(u32, u32)])) {
        for (number, rows) in (0..).zip(&self.out) {
            for &(act, to) in &rows[state[number as usize] as usize] {
                match act {
                    Act::Tau => visit(&[(number, to)]),
                    Act::Receive(_) => {}
                    Act::Send(channel) => {
                        let Some(partner) = self.receiver[channel as usize].filter(|&partner| partner != number) else {
                            continue;
                        };
                        for &(answer, partner_to) in &self.out[partner as usize][state[partner as usize] as usize] {
                            if answer == Act::Receive(channel) {
                                visit(&[(number, to), (partner, partner_to)]);
                            }
                        }
                    }
                }
            }
        }
    }

    /// The network as a factored system: a label of cost 1 for each channel, and one for the local steps of each process.
    pub fn system(&self) -> FactoredSystem {
        let mut builder = FactoredSystem::builder();
        let channels: Vec<LabelId> = (0..self.channels).map(|_| builder.label(1)).collect();
        for process in &self.processes {
            let factor = builder.factor(&process.name, process.locations);
            builder.initial(factor, process.initial);
            if let Some(goals) = &process.goals {
                builder.goals(factor, goals.iter().copied());
            }
            let local = builder.label(1);
            for &(from, act, to) in &process.edges {
                let label = match act {
                    Act::Tau => local,
                    Act::Send(channel) | Act::Receive(channel) => channels[channel as usize],
                };
                builder.transition(factor, label, from, to);
            }
        }
        builder.build().expect("a network is a factored system")
    }
}
