//! The benchmark models of section 6 of the paper.

use homing_core::{Purpose, Seed};

use super::network::{Act, Network, Process};
use super::search::{Guide, Run, Unguided, astar};

/// The arbiter tree of height `k`: 2^(k+1) processes, of which client 0 sends several release signals. The error is that client 1
/// and the first client of the other half work at once.
pub fn arbiter_tree(k: u32) -> Network {
    let nodes = (1 << k) - 1;
    let (request, grant, release) = (|edge: u32| 3 * edge, |edge: u32| 3 * edge + 1, |edge: u32| 3 * edge + 2);
    use Act::{Receive, Send};
    let mut processes = vec![process(
        "Owner",
        3,
        None,
        vec![(0, Receive(request(0)), 1), (1, Send(grant(0)), 2), (2, Receive(release(0)), 0)],
    )];
    for i in 0..nodes {
        let (l, r) = (2 * i + 1, 2 * i + 2);
        const WAIT: u32 = 0;
        const GRANTED: u32 = 7;
        const RELEASE: u32 = 8;
        const SECOND: u32 = 9;
        let mut edges = Vec::new();
        for (side, first) in [(l, 1), (r, 4)] {
            edges.extend([
                (WAIT, Receive(request(side)), first),
                (first, Send(request(i)), first + 1),
                (first + 1, Receive(grant(i)), first + 2),
                (first + 2, Send(grant(side)), GRANTED),
            ]);
        }
        edges.extend([
            (GRANTED, Receive(release(l)), RELEASE),
            (GRANTED, Receive(release(r)), RELEASE),
            (RELEASE, Send(release(i)), WAIT),
            (GRANTED, Receive(request(l)), SECOND),
            (GRANTED, Receive(request(r)), SECOND),
            (SECOND, Receive(release(r)), 3),
            (SECOND, Receive(release(l)), 6),
            (WAIT, Receive(release(l)), RELEASE),
            (WAIT, Receive(release(r)), RELEASE),
        ]);
        processes.push(process(&format!("Arbiter{i}"), 10, None, edges));
    }
    for c in 0..1 << k {
        let edge = nodes + c;
        let mut edges = vec![
            (0, Send(request(edge)), 1),
            (1, Receive(grant(edge)), 2),
            (2, Send(release(edge)), 0),
            (0, Receive(grant(edge)), 3),
            (3, Send(release(edge)), 0),
        ];
        if c == 0 {
            edges.push((0, Send(release(edge)), 0));
        }
        let goals = (c == 1 || c == 1 << (k - 1)).then(|| vec![2]);
        processes.push(process(&format!("Client{c}"), 4, goals, edges));
    }
    Network::new(processes, 3 * (2 * nodes + 1))
}

/// How the disks of the towers of Hanoi ask for a move; the paper does not print its automata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hanoi {
    /// A request is taken only where it can be granted.
    A,
    /// A request that cannot be granted is refused.
    B,
    /// As A, but the smallest disk asks no other, and a move is a step of its own: one process for each disk.
    C,
}

/// The towers of Hanoi with `n` disks, the smallest first: from column 0 to column 2.
pub fn hanoi(n: u32, variant: Hanoi) -> Network {
    use Act::{Receive, Send, Tau};
    let (request, ok, no) = (|i: u32, z: u32| 5 * i + z, |i: u32| 5 * i + 3, |i: u32| 5 * i + 4);
    let mut processes = Vec::new();
    for i in 0..n {
        let (is_smallest, is_largest) = (i == 0, i == n - 1);
        let asks = variant != Hanoi::C || !is_smallest;
        let has_no = variant == Hanoi::B && !is_smallest;
        let at = |x: u32| x;
        let ask = |x: u32, y: u32| 3 + 2 * x + (y + 2 - x) % 3;
        let (got, pass, grant, refuse) = (|x: u32| 9 + x, |x: u32| 12 + x, |x: u32| 15 + x, |x: u32| 18 + x);
        let moving = |x: u32, y: u32| 18 + 2 * x + (y + 2 - x) % 3;
        let mut edges = Vec::new();
        for x in 0..3 {
            for y in (0..3).filter(|&y| y != x) {
                let z = 3 - x - y;
                if asks {
                    edges.push((at(x), Send(request(i, z)), ask(x, y)));
                    let granted = if variant == Hanoi::C { moving(x, y) } else { at(y) };
                    edges.push((ask(x, y), Receive(ok(i)), granted));
                } else {
                    edges.push((at(x), Tau, moving(x, y)));
                }
                if variant == Hanoi::C {
                    edges.push((moving(x, y), Tau, at(y)));
                }
                if has_no {
                    edges.push((ask(x, y), Receive(no(i)), at(x)));
                }
            }
            if is_largest {
                continue;
            }
            for z in 0..3 {
                if z == x {
                    edges.push((at(x), Receive(request(i + 1, z)), got(x)));
                } else if variant == Hanoi::B {
                    edges.push((at(x), Receive(request(i + 1, z)), refuse(x)));
                }
            }
            if asks {
                edges.push((got(x), Send(request(i, x)), pass(x)));
                edges.push((pass(x), Receive(ok(i)), grant(x)));
            } else {
                edges.push((got(x), Tau, grant(x)));
            }
            if has_no {
                edges.push((pass(x), Receive(no(i)), refuse(x)));
            }
            edges.push((grant(x), Send(ok(i + 1)), at(x)));
            if variant == Hanoi::B {
                edges.push((refuse(x), Send(no(i + 1)), at(x)));
            }
        }
        processes.push(compact(process(&format!("Disk{i}"), 24, Some(vec![2]), edges)));
    }
    if variant != Hanoi::C {
        let mut edges: Vec<_> = (0..3).map(|z| (0, Receive(request(0, z)), 1)).collect();
        edges.push((1, Send(ok(0)), 0));
        processes.push(process("Top", 2, None, edges));
    }
    Network::new(processes, 5 * (n + 1))
}

/// Random systems of `n` processes with an error, all connected: the first `count` of a seed's stream.
pub fn random_networks(n: u32, seed: u64, count: usize) -> Vec<Network> {
    (0..).map(|run| random_network(n, seed, run)).filter(is_fit).take(count).collect()
}

fn random_network(n: u32, seed: u64, run: u64) -> Network {
    let mut stream = Seed::of_run(seed, run).stream(Purpose::Diversity);
    let mut draw = |bound: u32| stream.below(u64::from(bound)) as u32;
    let mut actions = vec![Vec::new(); n as usize];
    for channel in 0..2 * n {
        let sender = draw(n);
        let receiver = (sender + 1 + draw(n - 1)) % n;
        actions[sender as usize].push(Act::Send(channel));
        actions[receiver as usize].push(Act::Receive(channel));
    }
    let mut processes = Vec::new();
    for (number, actions) in actions.iter().enumerate() {
        let locations = 3 + draw(8);
        let mut edges = Vec::new();
        for from in 0..locations {
            for _ in 0..2 + draw(2) {
                if !actions.is_empty() {
                    edges.push((from, actions[draw(actions.len() as u32) as usize], draw(locations)));
                }
            }
        }
        processes.push(process(&format!("P{number}"), locations, Some(vec![draw(locations)]), edges));
    }
    Network::new(processes, 2 * n)
}

/// Whether the processes are connected and the system has an error within 300,000 expansions, but not at once. From eight processes
/// on the limit drops systems with remote errors. A channel that a partner never uses would be
/// a local step of the other: such systems are dropped, too.
fn is_fit(network: &Network) -> bool {
    let users = |channel: u32| {
        let uses = |process: &Process| {
            process.edges.iter().any(|edge| edge.1 == Act::Send(channel) || edge.1 == Act::Receive(channel))
        };
        (0..network.processes.len()).filter(|&number| uses(&network.processes[number])).collect::<Vec<_>>()
    };
    let mut part: Vec<usize> = (0..network.processes.len()).collect();
    for channel in 0..network.channels {
        match users(channel)[..] {
            [] => {}
            [one, other] => {
                let (from, to) = (part[one], part[other]);
                part.iter_mut().filter(|part| **part == from).for_each(|part| *part = to);
            }
            _ => return false,
        }
    }
    let is_connected = part.iter().all(|&one| one == part[0]);
    is_connected
        && !network.is_error(&network.initial())
        && matches!(astar(network, &mut Unguided as &mut dyn Guide, 300_000), Run { length: Some(_), .. })
}

fn process(name: &str, locations: u32, goals: Option<Vec<u32>>, edges: Vec<(u32, Act, u32)>) -> Process {
    Process { name: name.to_owned(), locations, initial: 0, goals, edges }
}

/// The process without locations that no edge names, except the first three.
fn compact(mut process: Process) -> Process {
    let is_used =
        |location: u32| location < 3 || process.edges.iter().any(|edge| edge.0 == location || edge.2 == location);
    let used: Vec<u32> = (0..process.locations).filter(|&location| is_used(location)).collect();
    let number = |location: u32| used.binary_search(&location).expect("a location that is used") as u32;
    process.edges = process.edges.iter().map(|&(from, act, to)| (number(from), act, number(to))).collect();
    process.locations = used.len() as u32;
    process
}
