//! A short soak (`cargo xtask soak`) with fixed seeds: models that aim at the reductions, decided in many
//! configurations and compared with the reference explorer, some of them with SPIN too.

use std::path::Path;

use xtask::soak::{self, Extent, Plan};
use xtask::spin::{Limits, Spin};

/// Among the models from here on are some that were decided wrongly before: statements absorbed in front of a receive, and in
/// front of a label that others look at; choices after a handover; a handover after a run of 64 statements.
const FIRST_SEED: u64 = 132;

#[test]
fn every_configuration_agrees_with_the_judges() {
    let plan = Plan {
        extent: Extent::Models(190),
        seed: FIRST_SEED,
        jobs: 2,
        homing: env!("CARGO_BIN_EXE_homing").into(),
        spin: Spin { limits: Limits::small(), cache: None },
        spin_share: 4,
        shrink_budget: 200,
        failures: Path::new(env!("CARGO_TARGET_TMPDIR")).join("soak-failures"),
    };
    let mut found = Vec::new();
    let report = soak::run(&plan, |_, outcome| {
        found.extend(outcome.disagreements.iter().map(|one| format!("seed {}: {one}\n{}", outcome.seed, one.text)));
    })
    .expect("homing and SPIN can be run");
    assert!(found.is_empty(), "{report}\n{}", found.join("\n"));
    // The models have to cover what they aim at.
    let judged = (report.handovers, report.judged_by_spin, report.violated, report.models - report.violated);
    assert!(judged.0 >= 30 && judged.1 >= 3 && judged.2 >= 40 && judged.3 >= 40, "{report}");
}
