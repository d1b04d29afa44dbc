//! homing beside live SPIN: on the models SPIN comes with, and on random ones. Needs `spin` and `gcc`.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use xtask::compare::{Comparison, Oracle, Scope};
use xtask::homing::Homing;
use xtask::random::{self, Plan};
use xtask::spin::{Limits, Spin};
use xtask::{examples, paths, trails};

/// Where Debian's package puts SPIN's examples.
const EXAMPLES: &str = "/usr/share/doc/spin/examples";

fn oracle(limits: Limits, timeout: Duration) -> Oracle {
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_homing"));
    Oracle { spin: Spin { limits, cache: None }, homing: Homing { binary, timeout, memory: None } }
}

/// Everything that both finish is compared: acceptance, verdict, states, transitions, errors, the first error of the
/// depth-first search and the length of the shortest path.
#[test]
fn the_examples_of_spin_agree() {
    let limits = Limits::large(4000, Duration::from_secs(30));
    let oracle = oracle(limits, Duration::from_secs(240));
    let models = examples::models(Path::new(EXAMPLES)).expect("SPIN's examples (Debian's package `spin`)");
    let (next, results) = (AtomicUsize::new(0), Mutex::new((0, Vec::new())));
    let compare = || {
        while let Some(model) = models.get(next.fetch_add(1, Relaxed)) {
            let name = model.display();
            let comparison = oracle.compare_file(model, Scope::Full).expect("both run");
            let (compared, differing) = &mut *results.lock().expect("no other thread has failed");
            match comparison {
                Comparison::Agree => *compared += 1,
                Comparison::Skipped(reason) => println!("{name}: left out: {reason}"),
                Comparison::Disagree(differences) => {
                    differing.extend(differences.iter().map(|difference| format!("{name}: {difference}")));
                }
            }
        }
    };
    thread::scope(|scope| [(); 2].map(|()| scope.spawn(compare)).map(|thread| thread.join().expect("no panic")));
    let (compared, differing) = results.into_inner().expect("no thread has failed");
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(compared >= 60, "only {compared} examples were compared");
}

/// SPIN plays what homing writes, homing plays what pan writes with and without merging, to the same error.
#[test]
fn trails_are_exchanged() {
    let homing = oracle(Limits::small(), Duration::from_secs(60)).homing;
    let plan = Plan { count: 25, seed: 1, jobs: 2, shrink_budget: 0 };
    let failures = paths::target_dir().join("oracle-failures");
    let tally = trails::of_random(&plan, &homing, &failures).expect("both run");
    assert_eq!(tally.wrong, 0, "the models are in {}", failures.display());
    assert!(tally.mean_ratio() <= 1.0);
}

/// `HOMING_SEED` and `HOMING_MODELS` choose other models, or more of them.
#[test]
fn random_models_agree() {
    let number = |name: &str, usual: u64| match env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => usual,
    };
    let plan =
        Plan { count: number("HOMING_MODELS", 200), seed: number("HOMING_SEED", 1), jobs: 2, shrink_budget: 200 };
    let oracle = oracle(Limits::small(), Duration::from_secs(60));
    let failures = paths::target_dir().join("oracle-failures");
    let agree = random::compare(&plan, &oracle, &failures).expect("both run");
    assert!(agree, "homing and SPIN disagree; the models are in {}", failures.display());
}
