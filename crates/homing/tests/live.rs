//! Properties of infinite runs beside live SPIN: on the models SPIN comes with, and on random ones. Needs `spin` and `gcc`.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use xtask::examples::Cost;
use xtask::live::examples::Extent;
use xtask::live::{self, Kind, Plan, Programs};
use xtask::paths;
use xtask::spin::{Limits, Spin};

fn homing() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_homing"))
}

/// Verdicts also with weak and strong fairness, counts of the nested search, lengths of lassos, replays; `cargo xtask live`
/// compares more models. `HOMING_SEED` and `HOMING_LIVE_MODELS` choose other models, or more of them here.
#[test]
fn random_models_with_cycles_agree() {
    let number = |name: &str, usual: u64| match env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => usual,
    };
    let plan = Plan {
        count: number("HOMING_LIVE_MODELS", 35),
        seed: number("HOMING_SEED", 1),
        jobs: 2,
        kinds: Kind::ALL.to_vec(),
        programs: Programs { spin: Spin { limits: Limits::small(), cache: None }, homing: homing() },
        shrink_budget: 60,
        failures: paths::target_dir().join("live-failures"),
    };
    let report = live::run(&plan, |_, outcome| {
        outcome.distinct().for_each(|difference| println!("seed {}, {}: {difference}", outcome.seed, outcome.kind));
    })
    .expect("both run");
    println!("{report}");
    assert_eq!(report.disagreements, 0, "the models are in {}", plan.failures.display());
    let skipped: u64 = report.skipped.values().sum();
    assert!(skipped * 20 <= report.total(), "SPIN decided too few models: {report}");
    assert!(report.lengths.mean_ratio() <= 1.0);
    let compared = report.proved.values().map(|(lassos, _)| lassos).sum::<u64>();
    assert!(compared > 0, "no length was compared with brute force: {report}");
}

/// The examples that pan decides within seconds; `cargo xtask live --examples` has the others too.
#[test]
fn the_examples_of_spin_with_cycles_agree() {
    let limits = Limits { optimise: "-O0", hash_bits: 20, ..Limits::large(1000, Duration::from_secs(120)) };
    let cost = Cost { memory: 2000, timeout: Duration::from_secs(120) };
    let (dir, spin) = (Path::new("/usr/share/doc/spin/examples"), Spin { limits, cache: None });
    let agree = live::examples::report(dir, Extent::Quick, &spin, &homing(), &cost)
        .expect("SPIN's examples (Debian's package `spin`)");
    assert!(agree, "homing and SPIN disagree in the rows with a remark");
}
