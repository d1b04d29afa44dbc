//! Prints the tables and figures of the paper's section 6, with the reference figures of this project beside them:
//! `cargo run --release -p homing-abstraction --example tables [tables|random|figures|evaluation|all] [LARGEST]`.
//!
//! `LARGEST` is the largest arbiter tree and random system, and with 2 added the largest tower, that is searched (default 4).

#[path = "../tests/support/mod.rs"]
mod support;

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use homing_abstraction::{Abstraction, BucketOrder, Options, Strategy};
use support::explicit::Explicit;
use support::models::{Hanoi, arbiter_tree, hanoi, random_networks};
use support::network::Network;
use support::search::{FsmMax, Guide, Run, astar, greedy};

/// The seed of the random systems.
const SEED: u64 = 2006;

/// Searches stop after so many expansions.
const LIMIT: usize = 4_000_000;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_else(|| "tables".to_owned());
    let largest = arguments.next().map_or(4, |number| number.parse().expect("LARGEST is a number"));
    let wants = |part: &str| what == part || what == "all";
    if wants("tables") {
        tables(largest);
    }
    if wants("random") {
        random_systems(largest.max(5));
    }
    if wants("figures") {
        figure_4();
        figure_5();
        figure_6();
    }
    if wants("evaluation") {
        evaluation();
    }
}

fn options(bound: u32) -> Options {
    Options::with_bound(NonZeroU32::new(bound).expect("a bound is not 0"))
}

/// The reference: A* with fsm, N50, N100, then greedy search with the same; expansions and length. 0 where there is none.
type Reference = [(usize, u32); 6];

const NONE: (usize, u32) = (0, 0);

const ARBITERS: [Reference; 5] = [
    [(206, 12), (37, 12), (19, 12), (27, 22), (13, 12), (13, 12)],
    [(17_003, 17), (2_142, 17), (1_018, 17), (235, 136), (28, 27), (27, 26)],
    [NONE, NONE, (969_448, 22), NONE, (86, 75), (71, 63)],
    [NONE, NONE, NONE, NONE, (262, 243), (490, 459)],
    [NONE, NONE, NONE, NONE, (3_260, 3_062), (2_385, 2_225)],
];

const TOWERS: [Reference; 5] = [
    [(2_281, 52), (1_251, 52), (54, 52), (2_923, 134), (417, 78), (54, 52)],
    [(20_023, 114), (13_609, 114), (8_165, 114), (10_717, 432), (2_150, 178), (1_860, 156)],
    [NONE, (141_351, 240), (120_041, 240), NONE, (49_741, 410), (48_988, 688)],
    [NONE, NONE, NONE, NONE, (383_796, 1_324), (234_158, 1_208)],
    [NONE, NONE, NONE, NONE, NONE, (2_559_388, 5_266)],
];

fn tables(largest: u32) {
    println!("search: expanded / length in transitions [reference], seconds of the search");
    for (k, reference) in (2..=6).zip(&ARBITERS) {
        row(&format!("A{k}"), &arbiter_tree(k), reference, k <= largest);
    }
    for (n, reference) in (4..=8).zip(&TOWERS) {
        row(&format!("H{n}b"), &hanoi(n, Hanoi::B), reference, n <= largest + 2);
    }
}

/// Prints a row of the table. Of the searches without a reference only those are run that are small.
fn row(name: &str, network: &Network, reference: &Reference, is_small: bool) {
    let system = network.system();
    let abstractions = [50, 100].map(|bound| Abstraction::new(&system, &options(bound)));
    for (abstraction, bound) in abstractions.iter().zip([50, 100]) {
        let statistics = abstraction.statistics();
        println!(
            "{name} N{bound}: preprocessing {:.3} s, {} merges, at most {} pairs, h(initial) = {:?}",
            statistics.elapsed.as_secs_f64(),
            statistics.merges.len(),
            statistics.largest_product(),
            abstraction.distance(&network.initial())
        );
    }
    for (at, &(expanded, length)) in reference.iter().enumerate() {
        let guide: &mut dyn Guide = match at % 3 {
            0 => &mut FsmMax::new(&system),
            bound => &mut abstractions[bound - 1].evaluator(),
        };
        if !is_small && expanded == 0 {
            continue;
        }
        let begun = Instant::now();
        let run = if at < 3 { astar(network, guide, LIMIT) } else { greedy(network, guide, LIMIT) };
        let kind = ["A* fsm", "A* N50", "A* N100", "greedy fsm", "greedy N50", "greedy N100"][at];
        let verdict = match (expanded, run.length) {
            (0, _) => "no reference",
            (_, Some(found)) if run.expanded * 5 <= expanded * 6 || run.expanded <= expanded + 10 => {
                if at >= 3 || found == length { "met" } else { "ANOTHER LENGTH" }
            }
            _ => "MISSED",
        };
        println!(
            "  {kind:<12} {:>9} / {:<6} [{expanded:>9} / {length:<6}] {verdict}, {:.2} s",
            run.expanded,
            run.length.map_or("-".to_owned(), |length| length.to_string()),
            begun.elapsed().as_secs_f64()
        );
    }
}

fn random_systems(largest: u32) {
    println!("random systems, seed {SEED}, means over 15: A* expansions with fsm, N50, N100; length; greedy the same");
    for n in 5..=largest {
        let networks = random_networks(n, SEED, 15);
        let runs: Vec<[Run; 6]> = networks.iter().map(random_runs).collect();
        let mean = |at: usize| runs.iter().map(|runs| runs[at].expanded).sum::<usize>() / runs.len();
        let lengths = |at: usize| {
            let sum: u32 = runs.iter().map(|runs| runs[at].length.unwrap_or(0)).sum();
            f64::from(sum) / runs.len() as f64
        };
        let better = runs.iter().filter(|runs| runs[2].expanded < runs[0].expanded).count();
        println!(
            "R{n}: A* {} / {} / {}, length {:.1}; greedy {} / {} / {}, lengths {:.1} / {:.1} / {:.1}; A* N100 beats fsm on {better}",
            mean(0),
            mean(1),
            mean(2),
            lengths(2),
            mean(3),
            mean(4),
            mean(5),
            lengths(3),
            lengths(4),
            lengths(5),
        );
    }
}

fn random_runs(network: &Network) -> [Run; 6] {
    let system = network.system();
    let [n50, n100] = [50, 100].map(|bound| Abstraction::new(&system, &options(bound)));
    [
        astar(network, &mut FsmMax::new(&system), LIMIT),
        astar(network, &mut n50.evaluator(), LIMIT),
        astar(network, &mut n100.evaluator(), LIMIT),
        greedy(network, &mut FsmMax::new(&system), LIMIT),
        greedy(network, &mut n50.evaluator(), LIMIT),
        greedy(network, &mut n100.evaluator(), LIMIT),
    ]
}

/// Fig. 4: how much too small the estimate is, by distance, with the nearest or the farthest bucket first.
fn figure_4() {
    let network = hanoi(3, Hanoi::B);
    println!("Fig. 4 (H3b, N40): distance, mean (d - f) / d in percent, nearest bucket first, farthest first");
    let farthest = Options { bucket_order: BucketOrder::FarthestFirst, ..options(40) };
    inaccuracies(&network, &options(40), &farthest);
}

/// Fig. 5: the same, with the ranking strategy and in the order of definition.
fn figure_5() {
    let network = arbiter_tree(2);
    println!("Fig. 5 (A2, N20): distance, mean (d - f) / d in percent, ranking, order of definition");
    inaccuracies(&network, &options(20), &Options { strategy: Strategy::Definition, ..options(20) });
}

fn inaccuracies(network: &Network, one: &Options, other: &Options) {
    let system = network.system();
    let explicit = Explicit::of(&system, 100_000).expect("a small system");
    let columns = [one, other].map(|options| inaccuracy(&Abstraction::new(&system, options), &explicit));
    for (d, (one, other)) in (1..).zip(columns[0].iter().zip(&columns[1])) {
        println!("{d:>3} {one:>5.1} {other:>5.1}");
    }
    let mean = |column: &[f64]| column.iter().sum::<f64>() / column.len() as f64;
    println!("mean {:.1} {:.1}", mean(&columns[0]), mean(&columns[1]));
}

/// The mean of (d - f) / d over the states at each distance d from 1, in percent.
fn inaccuracy(abstraction: &Abstraction, explicit: &Explicit) -> Vec<f64> {
    let longest = explicit.distances.iter().flatten().max().copied().unwrap_or(0);
    let mut sums = vec![(0.0, 0u32); longest as usize];
    for (state, d) in explicit.states.iter().zip(&explicit.distances) {
        if let Some(d) = d.filter(|&d| d > 0) {
            let f = abstraction.distance(state).expect("an error is reachable");
            let (sum, count) = &mut sums[d as usize - 1];
            *sum += f64::from(d - f) / f64::from(d);
            *count += 1;
        }
    }
    sums.iter().map(|&(sum, count)| 100.0 * sum / f64::from(count.max(1))).collect()
}

/// Fig. 6: time by bound, on one random system of eight processes.
fn figure_6() {
    let network = &random_networks(8, SEED, 1)[0];
    let system = network.system();
    println!("Fig. 6 (one random system of 8 processes, A*): bound, preprocessing ms, search ms, total ms, expanded");
    for bound in [5, 10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400] {
        let begun = Instant::now();
        let abstraction = Abstraction::new(&system, &options(bound));
        let ready = begun.elapsed();
        let run = astar(network, &mut abstraction.evaluator(), LIMIT);
        let total = begun.elapsed();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        println!("{bound:>4} {:>8.1} {:>8.1} {:>8.1} {:>8}", ms(ready), ms(total - ready), ms(total), run.expanded);
    }
}

/// The time of an evaluation after a step, along a greedy search.
fn evaluation() {
    for k in [3, 6] {
        let network = arbiter_tree(k);
        let abstraction = Abstraction::new(&network.system(), &options(100));
        let mut evaluator = abstraction.evaluator();
        // States along random walks, each with its steps.
        let (mut state, mut steps) = (network.initial(), Vec::new());
        let mut stream = homing_core::Seed::of_run(1, 0).stream(homing_core::Purpose::Order);
        for walked in 0..2_000u32 {
            let mut choices = Vec::new();
            network.for_each_step(&state, |changed| choices.push(changed.to_vec()));
            if choices.is_empty() || walked % 100 == 99 {
                state = network.initial();
                continue;
            }
            let chosen = choices[stream.below(choices.len() as u64) as usize].clone();
            steps.push((state.clone(), choices));
            chosen.iter().for_each(|&(process, location)| state[process as usize] = location);
        }
        let rounds = 50;
        let mut sum = 0;
        let mut time = |evaluates: bool| {
            let begun = Instant::now();
            for (state, choices) in std::iter::repeat_n(&steps, rounds).flatten() {
                sum += u64::from(evaluator.expand(state).unwrap_or(0));
                if evaluates {
                    let distances = choices.iter().filter_map(|changed| evaluator.distance_after(changed));
                    sum += distances.map(u64::from).sum::<u64>();
                }
            }
            begun.elapsed().as_nanos() as f64 / rounds as f64
        };
        let (expanding, both) = (time(false), time(true));
        let evaluations: usize = steps.iter().map(|(_, choices)| choices.len()).sum();
        println!(
            "A{k}, {} leaves, N100: {:.0} ns per evaluation after a step, {:.0} ns per expansion ({sum})",
            network.processes.len(),
            (both - expanding) / evaluations as f64,
            expanding / steps.len() as f64
        );
    }
}
