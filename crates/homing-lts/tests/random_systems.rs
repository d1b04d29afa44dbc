//! Random systems: written and read back, damaged, and explored.

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

use fastrand::Rng;
use homing_core::{Selection, Target, TransitionSystem};
use homing_lts::structures::{Counters, Implicit, Philosophers, diamond, explicit};
use homing_lts::{Builder, Lts, LtsSystem, Pattern, Property, decode, encode, read, write};

const LABELS: [&str; 8] = ["a", "b", "tau", "i", "c2(d1, true)", "G !1 !\"x\"", "", "a, 3)"];

/// A system of at most `most` states, with its edges in random order.
fn random_lts(random: &mut Rng, most: u32) -> Lts {
    let states = random.u32(1..=most);
    let edges = random.u32(0..=2 * most);
    let mut builder = Builder::new(u64::from(states), u64::from(edges));
    for _ in 0..edges {
        let label = LABELS[random.usize(0..LABELS.len())];
        builder.add(random.u32(0..states), label.as_bytes(), random.u32(0..states)).expect("small");
    }
    builder.finish(random.u32(0..states), states).expect("small")
}

fn written(lts: &Lts) -> Vec<u8> {
    let mut text = Vec::new();
    write(lts, &mut text).expect("memory");
    text
}

#[test]
fn what_is_written_is_read() {
    for seed in 0..2000 {
        let lts = random_lts(&mut Rng::with_seed(seed), 30);
        assert_eq!(read(&written(&lts)[..]).expect("a system"), lts, "seed {seed}");
    }
}

#[test]
fn a_million_states_are_read_as_they_were_written() {
    let lts = diamond(1000);
    assert_eq!((lts.states(), lts.edge_count()), (1_000_000, 1_999_000));
    let text = written(&lts);
    assert!(read(&text[..]).expect("a system") == lts);
}

#[test]
fn lines_in_any_order_give_the_same_system() {
    let lts = explicit(&Philosophers(5)).expect("small");
    let text = String::from_utf8(written(&lts)).expect("UTF-8");
    let (header, edges) = text.split_once('\n').expect("a header");
    let mut edges: Vec<&str> = edges.lines().collect();
    // stable by source, as the order of the edges of one state is kept
    edges.sort_by_key(|edge| {
        std::cmp::Reverse(edge[1..].split(',').next().and_then(|source| source.parse::<u32>().ok()))
    });
    let reversed = format!("{header}\n{}\n", edges.join("\n"));
    assert_ne!(reversed, text);
    assert_eq!(read(reversed.as_bytes()).expect("a system"), lts);
}

/// A damaged file is refused, or read as a system that can be written and read again; it never panics.
#[test]
fn damaged_files_do_no_harm() {
    let mut random = Rng::with_seed(4);
    let (mut read_anyway, bits) = (0, b"0123456789(),\" \n\r\t/des\xff\x00\x1f\x8b");
    for _ in 0..10_000 {
        let lts = random_lts(&mut random, 6);
        let mut text = written(&lts);
        for _ in 0..random.usize(1..4) {
            let at = random.usize(0..text.len());
            match random.u8(0..4) {
                0 => text[at] = bits[random.usize(0..bits.len())],
                1 => text.insert(at, bits[random.usize(0..bits.len())]),
                2 => drop(text.remove(at)),
                _ => text.truncate(at + 1),
            }
            if text.is_empty() {
                break;
            }
        }
        if let Ok(lts) = read(&text[..]) {
            read_anyway += 1;
            assert_eq!(read(&written(&lts)[..]).expect("a system"), lts, "{}", String::from_utf8_lossy(&text));
        }
    }
    assert!((500..9500).contains(&read_anyway), "{read_anyway} of 10000 were read");
}

/// What a search by the definition finds: the reachable states, their edges, and the distance of the nearest error.
fn brute(lts: &Lts, pattern: Option<&Pattern>) -> (BTreeSet<u32>, usize, Option<u32>) {
    let mut distance = vec![None; lts.states() as usize];
    let mut queue = VecDeque::from([lts.initial()]);
    distance[lts.initial() as usize] = Some(0u32);
    let (mut edges, mut nearest) = (0, None::<u32>);
    while let Some(state) = queue.pop_front() {
        let here = distance[state as usize].expect("it was reached");
        let mut error = |at: u32| nearest = Some(nearest.map_or(at, |nearest| nearest.min(at)));
        if pattern.is_none() && lts.edges(state).len() == 0 {
            error(here);
        }
        for edge in lts.edges(state) {
            edges += 1;
            if pattern.is_some_and(|pattern| pattern.matches(lts.labels().text(edge.label))) {
                error(here + 1);
            }
            if distance[edge.target as usize].is_none() {
                distance[edge.target as usize] = Some(here + 1);
                queue.push_back(edge.target);
            }
        }
    }
    let reached = (0..lts.states()).filter(|&state| distance[state as usize].is_some()).collect();
    (reached, edges, nearest)
}

/// The same by the steps that the system shows.
fn shown(system: &LtsSystem<'_>) -> (BTreeSet<u32>, usize, Option<u32>) {
    let mut reached = BTreeSet::from([decode(&system.initial())]);
    let mut queue = VecDeque::from([(decode(&system.initial()), 0)]);
    let (mut edges, mut nearest) = (0, None::<u32>);
    while let Some((state, depth)) = queue.pop_front() {
        let mut ordinal = 0;
        system.for_each_step(&encode(state), Selection::All, |step| {
            assert_eq!(step.ordinal, ordinal, "steps are counted");
            ordinal += 1;
            match step.target {
                Target::State(target) => {
                    edges += 1;
                    if reached.insert(decode(target)) {
                        queue.push_back((decode(target), depth + step.cost));
                    }
                }
                Target::Violation(_) => {
                    let at = depth + step.cost;
                    nearest = Some(nearest.map_or(at, |nearest| nearest.min(at)));
                }
                Target::CutOff => panic!("no step is cut off"),
            }
            ControlFlow::Continue(())
        });
    }
    (reached, edges, nearest)
}

#[test]
fn steps_are_those_of_the_file() {
    let mut errors = 0;
    for seed in 0..2000 {
        let lts = random_lts(&mut Rng::with_seed(seed), 20);
        let deadlock = Property::no_deadlock(&lts);
        assert_eq!(shown(&LtsSystem::new(&lts, &deadlock)), brute(&lts, None), "seed {seed}");
        for text in ["tau", "c2(*)", "/^G/", "nothing"] {
            let pattern = Pattern::parse(text).expect("a pattern");
            let action = Property::no_action(&pattern, &lts);
            let expected = brute(&lts, Some(&pattern));
            errors += usize::from(expected.2.is_some());
            assert_eq!(shown(&LtsSystem::new(&lts, &action)), expected, "seed {seed}, {text}");
        }
    }
    assert!(errors > 1000, "{errors} errors");
}

/// A rule that is explored on the fly has the states that it lists.
#[test]
fn rules_are_explored_as_they_are_listed() {
    fn reachable(system: &impl TransitionSystem) -> (usize, u64, usize) {
        let mut seen = BTreeSet::from([system.initial()]);
        let mut open = vec![system.initial()];
        let (mut edges, mut errors) = (0, 0);
        while let Some(state) = open.pop() {
            system.for_each_step(&state, Selection::All, |step| {
                match step.target {
                    Target::State(target) => {
                        edges += 1;
                        if seen.insert(target.into()) {
                            open.push(target.into());
                        }
                    }
                    _ => errors += 1,
                }
                ControlFlow::Continue(())
            });
        }
        (seen.len(), edges, errors)
    }
    let counters = Counters { count: 4, values: 5 };
    assert_eq!(reachable(&Implicit(counters)), (625, 2500, 1));
    let lts = explicit(&Philosophers(5)).expect("small");
    assert_eq!(reachable(&Implicit(Philosophers(5))), (lts.states() as usize, lts.edge_count(), 1));
}

#[test]
fn ends_of_runs_are_named() {
    let lts = read(&b"des (0,2,3)\n(0,\"exit\",1)\n(0,\"a\",2)\n"[..]).expect("a system");
    let property = Property::no_deadlock(&lts);
    let message = |state: u32| {
        let mut message = None;
        LtsSystem::new(&lts, &property).for_each_step(&encode(state), Selection::All, |step| {
            if let Target::Violation(violation) = step.target {
                message = Some(violation.message);
            }
            ControlFlow::Continue(())
        });
        message.expect("a deadlock")
    };
    assert_eq!(
        message(1),
        "deadlock: state 1 has no transitions; it is reached by \"exit\", which may be meant as an end"
    );
    assert_eq!(message(2), "deadlock: state 2 has no transitions");
}
