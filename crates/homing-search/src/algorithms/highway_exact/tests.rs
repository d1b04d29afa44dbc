//! Every level is a uniform sample: probabilities are those of Def. 5, by dynamic programming.

use std::collections::BTreeMap;

use homing_core::{Limits, Purpose, Seed};

use crate::level_loop::structures::{Highway, Net, chi_square, runs};

/// One member of the level of the numbered states is drawn in each run, so that the counts are a multinomial sample: several
/// members of one level are not independent. 33.72 has probability 0.0001 with 9 degrees of freedom.
#[test]
fn the_diamond_is_covered_uniformly() {
    let (net, limits) = (Net::diamond(10), Limits { max_depth: Some(9), ..Limits::default() });
    for (width, half) in [
        (2, [0.0133, 0.0708, 0.1852, 0.3200, 0.4108]),
        (4, [0.0975, 0.2965, 0.4757, 0.5579, 0.5725]),
        (6, [0.3340, 0.6091, 0.6839, 0.6865, 0.6865]),
        (8, [0.7210, 0.8198, 0.8198, 0.8198, 0.8198]),
    ] {
        let p: Vec<f64> = half.iter().chain(half.iter().rev()).copied().collect();
        let mut counts = [0; 10];
        for seed in 0..runs() {
            Highway::EXACT.run(&net, width, seed, &limits);
            let numbered: Vec<u32> = net.take_expanded().into_iter().filter(|at| at / 10 + at % 10 == 9).collect();
            assert_eq!(numbered.len(), width);
            let drawn = Seed::of_run(seed, 0).stream(Purpose::Diversity).below(width as u64);
            counts[numbered[drawn as usize] as usize % 10] += 1;
        }
        let statistic = chi_square(&counts, &p);
        assert!(statistic < 33.72, "width {width}: {statistic} by {counts:?}");
    }
}

/// Two levels before the draw: 0 leads to three states, which lead to the candidates.
fn candidates(steps: [&[u32]; 3], count: u32) -> Net {
    let mut all = vec![vec![1, 2, 3]];
    all.extend(steps.map(|targets| targets.iter().map(|at| 4 + at).collect()));
    all.extend((0..count).map(|_| vec![]));
    Net::new(all)
}

/// How often each set of candidates is drawn.
fn draws(net: &Net, width: usize, threads: usize) -> BTreeMap<Vec<u32>, u64> {
    let mut sets = BTreeMap::new();
    for seed in 0..10_000 {
        Highway::Exact { threads }.run(net, width, seed, &Limits::default());
        let drawn = net.take_expanded().into_iter().filter(|&at| at > 3).collect();
        *sets.entry(drawn).or_insert(0) += 1;
    }
    sets
}

/// Each subset of three of six, and of two of seven, is equally likely, also if one state is offered six times. The limits have
/// probability 0.0001 with 19 and 20 degrees of freedom.
#[test]
fn all_subsets_are_equally_likely() {
    let six: [&[u32]; 3] = [&[0, 1], &[2, 3], &[4, 5]];
    let funnel: [&[u32]; 3] = [&[0, 1, 0], &[0, 2, 3, 0], &[4, 0, 5, 0]];
    for steps in [six, funnel] {
        let sets = draws(&candidates(steps, 6), 3, 1);
        let counts: Vec<u64> = sets.values().copied().collect();
        let statistic = chi_square(&counts, &[1.0; 20]);
        assert!(counts.len() == 20 && statistic < 50.80, "{statistic} by {sets:?}");
    }
    // Two lanes: the first level is a draw, too, and both of its members lead to all seven.
    let (all, funnel): ([u32; 7], [u32; 9]) = ([0, 1, 2, 3, 4, 5, 6], [0, 1, 0, 2, 3, 4, 5, 0, 6]);
    for steps in [&all[..], &funnel] {
        let sets = draws(&candidates([steps; 3], 7), 2, 1);
        let counts: Vec<u64> = sets.values().copied().collect();
        let statistic = chi_square(&counts, &[1.0; 21]);
        assert!(counts.len() == 21 && statistic < 52.39, "{statistic} by {sets:?}");
    }
}

/// The same states are drawn, and the same figures and paths reported, for any number of threads. The order of steps changes
/// neither what is drawn nor how many states are expanded.
#[test]
fn neither_threads_nor_the_order_of_steps_matter() {
    let limits = Limits::default();
    for net in [Net::diamond(10), Net::back_loop(9), Net::components(), Net::diamond(40)] {
        for (seed, width) in (0..25).flat_map(|seed| [1, 3, 5, 20].map(|width| (seed, width))) {
            let run = |net: &Net, threads| {
                let outcome = Highway::Exact { threads }.run(net, width, seed, &limits);
                let path = outcome.path.map(|path| (path.actions, path.length));
                let mut stats = outcome.stats;
                stats.memory = 0;
                (outcome.end, stats, path, net.take_expanded())
            };
            let alone = run(&net, 1);
            if net.errors.is_empty() {
                assert_eq!(run(&net.shuffled(seed), 1).3, alone.3);
            }
            for threads in [2, 4] {
                let together = run(&net, threads);
                assert_eq!((&together.0, &together.1, &together.2), (&alone.0, &alone.1, &alone.2));
                if net.errors.is_empty() {
                    assert_eq!(together.3, alone.3); // after an error some may have been expanded that are not counted
                }
            }
        }
    }
}
