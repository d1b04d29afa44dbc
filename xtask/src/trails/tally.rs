//! Trails of many models, exchanged between homing and SPIN.

use std::fs;
use std::io;
use std::path::Path;

use super::{Exchange, Switches, exchange};
use crate::examples;
use crate::generate::Class;
use crate::homing::Homing;
use crate::random::{Plan, in_parallel};
use crate::spin::source;

/// The outcome of exchanging the trails of many models.
#[derive(Default)]
pub struct Tally {
    pub violating: u64,
    pub wrong: u64,
    /// Trails on which SPIN's simulator differs from its verifier, which played them to the error.
    simulator_differs: u64,
    /// The ratios of process switches as shown to those as found.
    ratios: Vec<f64>,
}

impl Tally {
    /// Counts a model; prints what is wrong with it. True if something is.
    fn add(&mut self, name: &str, exchange: &Exchange) -> bool {
        match exchange {
            Exchange::NoTrail(_) => false,
            Exchange::Fine(switches) => {
                self.violating += 1;
                self.simulator_differs += switches.iter().filter(|trail| !trail.simulated).count() as u64;
                self.ratios.extend(switches.iter().copied().filter_map(Switches::ratio));
                false
            }
            Exchange::Wrong(reasons) => {
                self.violating += 1;
                self.wrong += 1;
                println!("{name}:");
                reasons.iter().for_each(|reason| println!("  {reason}"));
                true
            }
        }
    }

    /// The geometric mean of the ratios; 1 if there are none.
    pub fn mean_ratio(&self) -> f64 {
        let logarithms: f64 = self.ratios.iter().map(|ratio| ratio.ln()).sum();
        (logarithms / self.ratios.len().max(1) as f64).exp()
    }

    fn print(&self, of: &str) {
        println!("{} violating models among {of}: {} wrong", self.violating, self.wrong);
        if self.simulator_differs > 0 {
            let count = self.simulator_differs;
            println!(
                "on {count} trails SPIN's simulator differs from its verifier, which plays them to the same error"
            );
        }
        let trails = self.ratios.len();
        println!("switches as shown to as found, geometric mean over {trails} trails: {:.3}", self.mean_ratio());
    }
}

/// Exchanges trails of random models until `plan.count` models had an error. Models with wrong trails are written to
/// `failures`.
pub fn of_random(plan: &Plan, homing: &Homing, failures: &Path) -> io::Result<Tally> {
    println!("from seed {}, until {} models have an error", plan.seed, plan.count);
    let mut tally = Tally::default();
    let mut seed = plan.seed;
    while tally.violating < plan.count {
        let batch = Plan { seed, count: 20.min(plan.count - tally.violating), ..*plan };
        seed += batch.count;
        let exchanged = |generated: crate::generate::Generated| {
            if generated.class == Class::Faulty {
                return Ok(Exchange::NoTrail("refused"));
            }
            let folder = tempfile::tempdir()?;
            let model = folder.path().join("model.pml");
            fs::write(&model, generated.model.to_string())?;
            exchange(homing, &model)
        };
        let mut keep = Vec::new();
        in_parallel(&batch, exchanged, |generated, exchange| {
            if tally.add(&format!("seed {}", generated.seed), &exchange) {
                keep.push((format!("{}.trail.pml", generated.seed), generated.model.to_string()));
            }
        })?;
        for (name, text) in keep {
            fs::create_dir_all(failures)?;
            fs::write(failures.join(name), text)?;
        }
    }
    tally.print(&format!("{} seeds", seed - plan.seed));
    Ok(tally)
}

/// Exchanges trails of SPIN's examples in which homing finds an error in time.
pub fn of_examples(dir: &Path, homing: &Homing) -> io::Result<Tally> {
    let mut tally = Tally::default();
    let models = examples::models(dir)?;
    for model in &models {
        let scratch = tempfile::tempdir()?;
        let unpacked = examples::unpacked(model, scratch.path())?;
        let copied = source::copy(&unpacked, scratch.path())?;
        let exchange = exchange(homing, &copied)?;
        tally.add(&model.strip_prefix(dir).unwrap_or(model).display().to_string(), &exchange);
    }
    tally.print(&format!("{} examples", models.len()));
    Ok(tally)
}
