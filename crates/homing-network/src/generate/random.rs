//! Random systems of processes that share actions in pairs.
//!
//! A system of n processes: sizes uniform in 3 to 10; 2n actions, each for a random pair of processes, of which the first
//! sends; each state has 2 outgoing edges and a third one with probability 1/2, with a label uniform over the actions of
//! the process and a uniform target; one error state for each process, uniform; state 0 is initial. Systems are dropped
//! that are not connected, that reach no error, or that begin in one. The generator is
//! `Seed::of_run(seed, attempt).stream(Purpose::Order)` of `homing-core`, with the attempts from 0 on.

use std::collections::HashSet;

use homing_core::{Purpose, Seed, Stream};

use super::text::{NetworkText, TemplateText};

/// A process: by state, its edges as (action, target).
struct Automaton {
    edges: Vec<Vec<(usize, usize)>>,
    error: usize,
}

impl Automaton {
    /// By state, the edges that lead to it as (action, source).
    fn reversed(&self) -> Vec<Vec<(usize, usize)>> {
        let mut reversed = vec![Vec::new(); self.edges.len()];
        for (source, edges) in self.edges.iter().enumerate() {
            for &(action, target) in edges {
                reversed[target].push((action, source));
            }
        }
        reversed
    }
}

struct System {
    /// The sender and the receiver of each action.
    actions: Vec<(usize, usize)>,
    processes: Vec<Automaton>,
}

/// The random system of a seed: the first one that is kept. `processes` is from 2 to 16.
///
/// # Panics
/// If there are less than 2 processes or more than 16.
pub fn random_system(processes: usize, seed: u64) -> NetworkText {
    assert!((2..=16).contains(&processes), "a random system has 2 to 16 processes");
    for attempt in 0.. {
        let mut stream = Seed::of_run(seed, attempt).stream(Purpose::Order);
        if let Some(system) = draw(processes, &mut stream)
            && system.is_interesting()
        {
            return system.text();
        }
    }
    unreachable!("some attempt is kept")
}

/// The 15 random systems of a size that tables are about: seeds 0 to 14.
pub fn random_systems(processes: usize) -> Vec<NetworkText> {
    (0..15).map(|seed| random_system(processes, seed)).collect()
}

/// A system; `None` if its processes are not connected.
fn draw(count: usize, stream: &mut Stream) -> Option<System> {
    let mut below = |bound: usize| stream.below(bound as u64) as usize;
    let sizes: Vec<usize> = (0..count).map(|_| 3 + below(8)).collect();
    let mut actions = Vec::new();
    for _ in 0..2 * count {
        let sender = below(count);
        let receiver = (sender + 1 + below(count - 1)) % count;
        actions.push((sender, receiver));
    }
    if !is_connected(count, &actions) {
        return None;
    }
    let mut processes = Vec::new();
    for (process, &size) in sizes.iter().enumerate() {
        let has = |action: &usize| actions[*action].0 == process || actions[*action].1 == process;
        let own: Vec<usize> = (0..actions.len()).filter(has).collect();
        let mut edges = Vec::new();
        for _ in 0..size {
            let degree = 2 + below(2);
            edges.push((0..degree).map(|_| (own[below(own.len())], below(size))).collect());
        }
        processes.push(Automaton { edges, error: below(size) });
    }
    Some(System { actions, processes })
}

fn is_connected(count: usize, actions: &[(usize, usize)]) -> bool {
    let mut reached = vec![false; count];
    reached[0] = true;
    for _ in 0..count {
        for &(one, other) in actions {
            let either = reached[one] || reached[other];
            reached[one] = either;
            reached[other] = either;
        }
    }
    reached.iter().all(|reached| *reached)
}

/// A set of processes, one bit each.
type Processes = u16;

/// Projections to so many processes are looked at before the whole system.
const PROJECTED: std::ops::RangeInclusive<u32> = 2..=5;

impl System {
    /// Whether it reaches an error, but does not begin in one.
    ///
    /// A system of 10 processes has up to 10^10 states. Most of those that reach no error do not reach it in the projection to a few
    /// processes either.
    fn is_interesting(&self) -> bool {
        let all: Processes = ((1u32 << self.processes.len()) - 1) as Processes;
        let reaches = |within: Processes| self.reaches_error(within);
        self.error(all) != 0
            && PROJECTED.flat_map(|count| (0..=all).filter(move |set| set.count_ones() == count)).all(reaches)
            && reaches(all)
    }

    /// The error state of these processes; the others are in state 0. A state has four bits for each process.
    fn error(&self, within: Processes) -> u64 {
        let local = |(number, process): (usize, &Automaton)| (process.error as u64) << (4 * number);
        self.processes.iter().enumerate().filter(|(number, _)| within >> number & 1 == 1).map(local).sum()
    }

    /// Whether these processes reach their error states if all others take part in every action: they do if the system does.
    ///
    /// Levels are searched from both ends, the smaller one next: most errors that cannot be reached have few predecessors.
    fn reaches_error(&self, within: Processes) -> bool {
        let error = self.error(within);
        if error == 0 {
            return true;
        }
        let forwards: Vec<_> = self.processes.iter().map(|process| process.edges.clone()).collect();
        let backwards: Vec<_> = self.processes.iter().map(Automaton::reversed).collect();
        let mut ends =
            [(0, &forwards), (error, &backwards)].map(|(state, edges)| (HashSet::from([state]), vec![state], edges));
        loop {
            if ends[0].1.len() > ends[1].1.len() {
                ends.swap(0, 1);
            }
            let [(known, level, edges), (others, ..)] = &mut ends;
            if level.is_empty() {
                return false;
            }
            let mut next = Vec::new();
            for state in level.drain(..) {
                for target in self.steps(state, edges, within) {
                    if others.contains(&target) {
                        return true;
                    }
                    if known.insert(target) {
                        next.push(target);
                    }
                }
            }
            *level = next;
        }
    }

    /// The states that one action of these processes leads to by these edges: by process and state, actions with targets.
    fn steps(&self, state: u64, edges: &[Vec<Vec<(usize, usize)>>], within: Processes) -> Vec<u64> {
        let local = |process: usize| (state >> (4 * process) & 15) as usize;
        let with = |state: u64, process: usize, target: usize| {
            state & !(15 << (4 * process)) | (target as u64) << (4 * process)
        };
        // Where the process goes by an action; it stays if it is not among these.
        let after = |state: u64, process: usize, action: usize| -> Vec<u64> {
            if within >> process & 1 == 0 {
                return vec![state];
            }
            let edges = edges[process][local(process)].iter().filter(|(label, _)| *label == action);
            edges.map(|(_, target)| with(state, process, *target)).collect()
        };
        let mut found = Vec::new();
        for (action, &(sender, receiver)) in self.actions.iter().enumerate() {
            if within & (1 << sender | 1 << receiver) != 0 {
                found.extend(after(state, sender, action).into_iter().flat_map(|sent| after(sent, receiver, action)));
            }
        }
        found
    }

    fn text(&self) -> NetworkText {
        let mut text =
            NetworkText { declarations: format!("chan a[{}];\n", self.actions.len()), ..NetworkText::default() };
        let mut goal = Vec::new();
        for (number, process) in self.processes.iter().enumerate() {
            let locations: Vec<String> = (0..process.edges.len()).map(|state| format!("s{state}")).collect();
            let mut template = TemplateText::new(format!("P{number}"), "", &locations);
            for (state, edges) in process.edges.iter().enumerate() {
                for (action, target) in edges {
                    let sign = if self.actions[*action].0 == number { '!' } else { '?' };
                    template.edge(&locations[state], format!("a[{action}]{sign}"), &locations[*target]);
                }
            }
            goal.push(format!("P{number}.{}", locations[process.error]));
            text.templates.push(template);
        }
        let names: Vec<String> = (0..self.processes.len()).map(|number| format!("P{number}")).collect();
        text.system = format!("system {};\n", names.join(", "));
        text.queries = vec![format!("E<> {}", goal.join(" and "))];
        text
    }
}
