//! Random factored systems: labels that any number of factors list, with costs 0, 1 and 2.

use homing_abstraction::FactoredSystem;
use homing_core::{Purpose, Seed};

/// A random system of three to six small factors. Some labels are blocked, some are the identity, some are equal in all factors but
/// one: what a reduction of labels has to get right.
pub fn random_system(seed: u64, run: u64) -> FactoredSystem {
    let mut stream = Seed::of_run(seed, run).stream(Purpose::Diversity);
    let mut draw = |bound: u32| stream.below(u64::from(bound)) as u32;
    let mut builder = FactoredSystem::builder();
    let factors: Vec<_> = (0..3 + draw(4))
        .map(|number| {
            let size = 2 + draw(4);
            let factor = builder.factor(format!("F{number}"), size);
            builder.initial(factor, draw(size));
            if draw(8) == 0 {
                builder.initial(factor, draw(size));
            }
            if draw(3) != 0 {
                builder.goals(factor, [draw(size)]);
            }
            (factor, size)
        })
        .collect();
    for _ in 0..4 + draw(12) {
        let cost = draw(3);
        let label = builder.label(cost);
        let listing = 1 + draw(3.min(factors.len() as u32));
        let mut transitions = Vec::new();
        for _ in 0..listing {
            let (factor, size) = factors[draw(factors.len() as u32) as usize];
            match draw(12) {
                0 => transitions.extend((0..size).map(|state| (factor, state, state))),
                1 if draw(4) == 0 => _ = builder.list(factor, label),
                _ => transitions.extend((0..1 + draw(2 * size)).map(|_| (factor, draw(size), draw(size)))),
            }
        }
        transitions.iter().for_each(|&(factor, from, to)| _ = builder.transition(factor, label, from, to));
        if draw(3) == 0 {
            // A sibling that differs in one factor: listed there, or there alone not listed.
            let sibling = builder.label(cost);
            let (except, size) = factors[draw(factors.len() as u32) as usize];
            let same = transitions.iter().filter(|transition| transition.0 != except);
            same.for_each(|&(factor, from, to)| _ = builder.transition(factor, sibling, from, to));
            if draw(2) == 0 {
                builder.transition(except, sibling, draw(size), draw(size));
            }
        }
    }
    builder.build().expect("a random system is a system")
}
