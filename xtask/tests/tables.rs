//! The transition tables beside those of `pan -d`. Needs `spin`, `gcc` and SPIN's examples.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use xtask::examples;
use xtask::spin::{Limits, Merging, Spin};
use xtask::tables::{Comparison, compare, compare_example, compare_random};

const EXAMPLES: &str = "/usr/share/doc/spin/examples";

/// How many of `models` agree, asked two at a time.
fn agreeing<T: Sync>(models: &[T], ask: impl Fn(&T, &Spin) -> Comparison + Sync) -> usize {
    let spin = Spin { limits: Limits::small(), cache: None };
    let (next, agree) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(model) = models.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Comparison::Agree(_) = ask(model, &spin) {
                        agree.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    agree.into_inner()
}

/// Fails with what differs.
fn same(name: &str, comparison: std::io::Result<Comparison>) -> Comparison {
    let comparison = comparison.expect("both run");
    if let Comparison::Differ { spin, homing } = &comparison {
        let lines = |rows: &[xtask::tables::Row]| rows.iter().map(|row| format!("\n    {row}")).collect::<String>();
        panic!("{name}\n  only SPIN:{}\n  only homing:{}", lines(spin), lines(homing));
    }
    comparison
}

#[test]
fn merged_tables_of_the_examples() {
    let models = examples::models(Path::new(EXAMPLES)).expect("SPIN's examples (Debian's package `spin`)");
    let agree =
        agreeing(&models, |model, spin| same(&model.display().to_string(), compare_example(model, Merging::On, spin)));
    assert_eq!(agree, models.len() - 1); // one has embedded C
}

#[test]
fn merged_tables_of_random_models() {
    let seeds: Vec<u64> = (1..=30).collect();
    let agree = agreeing(&seeds, |&seed, spin| same(&format!("seed {seed}"), compare_random(seed, Merging::On, spin)));
    assert!(agree >= 25, "{agree}"); // the others are refused
}

/// What random models and examples have too little of, one model a line.
const CORNERS: &str = include_str!("tables/corners.pml");

fn check_corners(merging: Merging) {
    let models: Vec<&str> = CORNERS.lines().filter(|line| !line.starts_with("//") && !line.is_empty()).collect();
    let agree = agreeing(&models, |model, spin| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("model.pml");
        fs::write(&file, model).expect("a file");
        same(model, compare(&file, merging, spin))
    });
    assert_eq!(agree, models.len());
}

#[test]
fn plain_tables_of_corners() {
    check_corners(Merging::Off);
}

#[test]
fn merged_tables_of_corners() {
    check_corners(Merging::On);
}
