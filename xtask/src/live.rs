//! Random models with a property of infinite runs, decided by the homing binary in several configurations and by pan:
//! verdicts, counts, lengths of lassos, replays; with weak and strong fairness.

mod answer;
mod brute;
mod claims;
mod comparison;
mod configurations;
pub mod examples;
mod execution;
mod fair;
mod judge;
mod lasso;
mod lengths;
mod models;
mod observer;
mod report;
mod statements;
mod translation;
mod waiter;

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

pub use comparison::{Comparison, Difference, Programs, Question};
pub use configurations::{CONFIGURATIONS, Configuration, Fairness};
use models::CLOCK;
pub use models::{Kind, LiveModel, live};
pub use report::Report;

use crate::generate::tree::{Choice, Item, Stmt};
use crate::generate::{Model, shrink};

/// The models to compare.
#[derive(Clone, Debug)]
pub struct Plan {
    pub count: u64,
    /// The seed of the first model; the others have the following seeds.
    pub seed: u64,
    /// The number of models compared at the same time.
    pub jobs: usize,
    /// The kinds of properties.
    pub kinds: Vec<Kind>,
    pub programs: Programs,
    /// Comparisons that shrinking a disagreement may take.
    pub shrink_budget: usize,
    /// The folder for the models of disagreements.
    pub failures: PathBuf,
}

/// The outcome of one model.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub seed: u64,
    pub kind: Kind,
    pub comparison: Comparison,
    /// The model of a disagreement, shrunk.
    pub text: String,
}

impl Outcome {
    /// The first difference on each question.
    pub fn distinct(&self) -> impl Iterator<Item = &Difference> {
        let differences = &self.comparison.differences;
        let is_first = |at: usize| !differences[..at].iter().any(|before| before.question == differences[at].question);
        (0..differences.len()).filter(move |&at| is_first(at)).map(|at| &differences[at])
    }
}

/// Compares the models. `progress` is called after every model, with all that was found so far and that model's outcome.
pub fn run(plan: &Plan, mut progress: impl FnMut(&Report, &Outcome)) -> io::Result<Report> {
    let next = AtomicU64::new(0);
    let mut report = Report::default();
    thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        for _ in 0..plan.jobs {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= plan.count || send.send(plan.decide(plan.seed + number)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        for outcome in receive {
            let outcome = outcome?;
            report.add(&outcome);
            progress(&report, &outcome);
        }
        Ok(report)
    })
}

impl Plan {
    fn decide(&self, seed: u64) -> io::Result<Outcome> {
        let live = live(seed, &self.kinds);
        let original = live.model.to_string();
        let comparison = self.programs.compare(&original, live.kind, &CONFIGURATIONS)?;
        let mut text = String::new();
        if let Some(difference) = comparison.differences.first() {
            text = self.cut_down(&live, difference);
            fs::create_dir_all(&self.failures)?;
            let head = |of: &str| {
                let words = comparison.differences.iter().map(|difference| format!("\n   {difference}"));
                format!("/* {}, seed {seed}, {of}:{} */\n", live.kind, words.collect::<String>().replace("*/", "* /"))
            };
            let name = format!("{:?}-{seed}", difference.question);
            fs::write(self.failures.join(format!("{name}.original.pml")), head("as generated") + &original)?;
            fs::write(self.failures.join(format!("{name}.pml")), head("cut down") + &text)?;
        }
        Ok(Outcome { seed, kind: live.kind, comparison, text })
    }

    /// The text of a smaller model with the same difference.
    fn cut_down(&self, live: &LiveModel, difference: &Difference) -> String {
        let mut configurations = vec![difference.configuration];
        if difference.question == Question::Shortest {
            configurations = CONFIGURATIONS.to_vec(); // another configuration has the shorter lasso
        }
        configurations.retain(|configuration| CONFIGURATIONS.contains(configuration));
        let still_differs = |model: &Model| {
            if !has_a_meaning(model) {
                return false;
            }
            let compared = self.programs.compare(&model.to_string(), live.kind, &configurations);
            let same =
                |now: &Difference| (now.question, now.configuration) == (difference.question, difference.configuration);
            compared.is_ok_and(|comparison| comparison.differences.iter().any(same))
        };
        shrink(&live.model, self.shrink_budget, still_differs).to_string()
    }
}

/// Whether pan's answer means anything. A reference to a process that has ended has no meaning; the value of `np_` depends
/// on how pan came there where the program has stopped, and it is always true in a model without an accept label.
fn has_a_meaning(model: &Model) -> bool {
    let claims = model.items.iter().filter(|item| matches!(item, Item::Never(_) | Item::Ltl { .. }));
    let claims = Model { style: model.style, items: claims.cloned().collect() };
    let text = claims.to_string();
    let refers = text.contains('@') || text.contains(":l");
    let mut pid = usize::from(model.items.contains(&Item::Text(CLOCK.to_owned())));
    let mut living = true;
    for item in &model.items {
        let Item::Process(process) = item else { continue };
        let name = process.name.clone().unwrap_or_default();
        if refers && text.contains(&name) {
            let instances = text.matches(&format!("{name}[")).count();
            let right = instances == text.matches(&format!("{name}[{pid}]")).count();
            living &= right && process.active == 1 && process.body.last().is_some_and(loops_for_ever);
        }
        pid += process.active;
    }
    let judges_progress = text.contains("accept") && model.items.contains(&Item::Text(CLOCK.to_owned()));
    living && (!text.contains("np_") || judges_progress)
}

fn loops_for_ever(statement: &Stmt) -> bool {
    match statement {
        Stmt::Labelled(_, inner) => loops_for_ever(inner),
        Stmt::Choice(Choice::Do, options) => !options.iter().any(|option| option.contains(&Stmt::text("break"))),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pan_can_judge_generated_models() {
        for seed in 0..300 {
            let model = live(seed, &[Kind::Never, Kind::Ltl]).model;
            assert!(has_a_meaning(&model), "seed {seed}:\n{model}");
        }
    }
}
