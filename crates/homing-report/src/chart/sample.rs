//! Charts for the tests: some by hand, and random ones.

use super::{Chart, Event, EventKind, Lane};

pub(super) fn local(lane: usize, text: &str) -> Event {
    event(lane, text, EventKind::Local)
}

pub(super) fn handshake(lane: usize, to: usize, label: &str) -> Event {
    event(lane, label, EventKind::Handshake { to, label: label.to_owned() })
}

pub(super) fn send(lane: usize, message: u64, label: &str, queue: &str) -> Event {
    event(lane, label, EventKind::Send { message, label: label.to_owned(), queue: queue.to_owned() })
}

pub(super) fn receive(lane: usize, message: u64, label: &str, queue: &str) -> Event {
    let (label, queue) = (label.to_owned(), queue.to_owned());
    event(lane, &label.clone(), EventKind::Receive { message, label, queue, keeps: false })
}

pub(super) fn peek(lane: usize, message: u64, label: &str, queue: &str) -> Event {
    let (label, queue) = (label.to_owned(), queue.to_owned());
    event(lane, &label.clone(), EventKind::Receive { message, label, queue, keeps: true })
}

fn event(lane: usize, text: &str, kind: EventKind) -> Event {
    Event { step: 0, lane, place: String::new(), text: text.to_owned(), values: String::new(), kind }
}

/// A chart of the events, numbered and with places; a lane exists from its run to its end.
fn chart(title: &str, names: &[&str], file: &str, mut events: Vec<Event>) -> Chart {
    let mut lanes: Vec<Lane> = names.iter().map(|name| Lane { name: (*name).to_owned(), ..Lane::default() }).collect();
    for (index, event) in events.iter_mut().enumerate() {
        event.step = index + 1;
        event.place = format!("{file}:{}", 8 + 3 * event.lane + index % 3);
        match event.kind {
            EventKind::Run { lane } => lanes[lane].born = Some(index),
            EventKind::End => lanes[event.lane].died = Some(index),
            _ => {}
        }
    }
    Chart { title: title.to_owned(), lanes, events, ..Chart::default() }
}

/// A chart with so many assignments of one process.
pub(super) fn counting(events: usize) -> Chart {
    chart("counting", &["P(0)"], "c.pml", (0..events).map(|n| local(0, &format!("x = {n}"))).collect())
}

/// Three philosophers, each with its left fork, by rendezvous.
pub(super) fn philosophers() -> Chart {
    let names = ["Phil(0)", "Fork(1)", "Phil(2)", "Fork(3)", "Phil(4)", "Fork(5)"];
    let events = vec![
        local(0, "hungry = hungry + 1"),
        handshake(0, 1, "fork[0]!take,0"),
        local(2, "hungry = hungry + 1"),
        handshake(2, 3, "fork[1]!take,1"),
        handshake(4, 5, "fork[2]!take,2"),
        local(4, "state[id] = has_left"),
    ];
    Chart {
        verdict: Some("invalid end state: deadlock after 6 statements (shortest)".to_owned()),
        blocked: vec![
            (0, "fork[1]!take,0".to_owned()),
            (2, "fork[2]!take,1".to_owned()),
            (4, "fork[0]!take,2".to_owned()),
            (1, "fork[0]?drop,eval(owner)".to_owned()),
        ],
        ..chart("phil.pml: deadlock", &names, "phil.pml", events)
    }
}

/// Several messages in buffers at once: one overtaken, one read and left there, one never received.
pub(super) fn pipeline() -> Chart {
    let events = vec![
        local(0, "n = 1"),
        send(0, 1, "work!1", "work: [1]"),
        send(0, 2, "work!2", "work: [1] [2]"),
        send(2, 3, "ack!ready", "ack: [ready]"),
        receive(1, 1, "work?1", "work: [2]"),
        send(0, 4, "work!3", "work: [2] [3]"),
        receive(0, 3, "ack?ready", "ack: []"),
        send(1, 5, "out!1", "out: [1]"),
        peek(2, 5, "out?<x>", "out: [1]"),
        receive(1, 4, "work??3", "work: [2]"),
        receive(2, 5, "out?1", "out: []"),
        send(2, 6, "ack!done", "ack: [done]"),
        local(1, "assert(got == 2)"),
    ];
    Chart {
        verdict: Some("assertion violated: got == 2".to_owned()),
        ..chart("pipe.pml", &["Producer(0)", "Filter(1)", "Consumer(2)"], "pipe.pml", events)
    }
}

/// A process that sends to itself.
pub(super) fn echo() -> Chart {
    let events = vec![
        send(0, 1, "self!1", "self: [1]"),
        send(0, 2, "self!2", "self: [1] [2]"),
        local(1, "skip"),
        receive(0, 1, "self?1", "self: [2]"),
        local(0, "x = x + 1"),
        receive(0, 2, "self?2", "self: []"),
        send(1, 3, "self!3", "self: [3]"),
    ];
    chart("echo.pml", &["Echo(0)", "Other(1)"], "echo.pml", events)
}

/// Many lanes; a token is passed on and returned.
pub(super) fn crowd() -> Chart {
    let names: Vec<String> = (0..12).map(|n| format!("Station({n})")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut events: Vec<Event> = (0..11).map(|n| handshake(n, n + 1, "ring!token")).collect();
    events.push(handshake(11, 0, "ring!token"));
    events.push(local(5, "critical = critical + 1"));
    events.push(send(0, 1, "log!token,0", "log: [token, 0]"));
    events.push(receive(9, 1, "log?token,0", "log: []"));
    chart("ring.pml", &names, "models/ring.pml", events)
}

/// Processes that are created and end.
pub(super) fn nursery() -> Chart {
    let run = |lane, child: usize, text: &str| event(lane, text, EventKind::Run { lane: child });
    let end = |lane| event(lane, "-end-", EventKind::End);
    let events = vec![
        run(0, 1, "run Child(1)"),
        run(0, 2, "run Child(2)"),
        local(1, "printf(\"%d & <%d>\\n\", a, b)"),
        handshake(2, 0, "done!2"),
        end(2),
        run(1, 3, "run Grandchild()"),
        handshake(3, 0, "done!3"),
        end(3),
        end(1),
        local(0, "(_nr_pr == 1)"),
        end(0),
    ];
    chart("nursery.pml", &[":init:(0)", "Child(1)", "Child(2)", "Grandchild(3)"], "nursery.pml", events)
}

/// A long trail with messages across the omitted middle, out of it and into it.
pub(super) fn long() -> Chart {
    let mut events =
        vec![send(0, 1, "q!first", "q: [first]"), local(1, "y = 0"), send(0, 2, "q!second", "q: [first] [second]")];
    events.extend((0..99_000).map(|n| local(n % 2, "x++")));
    events.insert(500, receive(1, 1, "q?first", "q: [second]"));
    events.insert(600, send(1, 3, "r!answer", "r: [answer]"));
    events.push(receive(0, 3, "r?answer", "r: []"));
    events.push(local(0, "assert(x < 99000 && the_statement_is_much_too_long(for_its_lane))"));
    events.push(receive(1, 2, "q?second", "q: []"));
    Chart { verdict: Some("assertion violated".to_owned()), ..chart("long.pml", &["A(0)", "B(1)"], "long.pml", events) }
}

pub(super) fn all() -> Vec<Chart> {
    vec![counting(0), counting(90), philosophers(), pipeline(), echo(), crowd(), nursery(), long(), Chart::default()]
}

/// A random chart, the same for the same seed.
pub(super) fn random(seed: u64) -> Chart {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut below = |bound: usize| random.usize(..bound);
    let words = |count: usize| "statement ".repeat(count);
    let lanes = 1 + below(7);
    let mut events = Vec::new();
    let mut under_way: Vec<u64> = Vec::new();
    for index in 0..below(60) {
        let (lane, to) = (below(lanes), below(lanes));
        let (label, queue) = (format!("q!{}", words(below(6))), "[m] ".repeat(below(15)));
        events.push(match below(7) {
            0 => handshake(lane, to, &label),
            1 | 2 => {
                under_way.push(index as u64);
                send(lane, index as u64, &label, &queue)
            }
            3 if !under_way.is_empty() => {
                let message = under_way.remove(below(under_way.len()));
                receive(lane, message, &label, &queue)
            }
            4 if !under_way.is_empty() => peek(lane, under_way[below(under_way.len())], &label, &queue),
            5 if to > 0 && below(3) == 0 => event(lane, &label, EventKind::Run { lane: to }),
            6 if below(4) == 0 => event(lane, "-end-", EventKind::End),
            _ => local(lane, &words(below(8))),
        });
    }
    let names: Vec<String> = (0..lanes).map(|n| format!("{}({n})", "Name".repeat(1 + below(10)))).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let blocked = (0..below(2 * lanes)).map(|_| (below(lanes), words(below(9)))).collect();
    let verdict = (below(2) == 0).then(|| words(below(30)));
    Chart { verdict, blocked, ..chart(&words(below(20)), &names, &"dir/".repeat(below(12)), events) }
}
