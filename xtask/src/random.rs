//! Compares homing with SPIN on random models, and cuts down the models they disagree on.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

use crate::compare::{Comparison, Difference, Oracle, Question, Scope};
use crate::generate::{CONSTRUCTS, Class, Generated, generate, shrink};
use crate::spin::{Answer, Spin};

/// The models to generate.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub count: u64,
    /// The seed of the first model; the others have the following seeds, so that each can be generated alone.
    pub seed: u64,
    /// The number of models compared at the same time.
    pub jobs: usize,
    /// Comparisons that shrinking a disagreement may take.
    pub shrink_budget: usize,
}

/// Compares the models; prints progress, every disagreement and a summary; writes differing models to `failures`. True
/// if all agree.
pub fn compare(plan: &Plan, oracle: &Oracle, failures: &Path) -> io::Result<bool> {
    println!("seeds {} to {}", plan.seed, plan.seed + plan.count.saturating_sub(1));
    let (mut agree, mut disagree) = (0, 0);
    let mut skipped: BTreeMap<String, u64> = BTreeMap::new();
    let mut done = 0;
    in_parallel(
        plan,
        |generated| {
            let text = generated.model.to_string();
            let comparison = oracle.compare_text(&text, scope(generated.class))?;
            let Comparison::Disagree(differences) = &comparison else { return Ok((comparison, None)) };
            fs::create_dir_all(failures)?;
            fs::write(failures.join(format!("{}.original.pml", generated.seed)), &text)?;
            let small = cut_down(&generated, differences, oracle, plan.shrink_budget);
            let file = failures.join(format!("{}.pml", generated.seed));
            fs::write(&file, &small)?;
            Ok((comparison, Some((file, small))))
        },
        |generated, (comparison, shrunk)| {
            done += 1;
            match comparison {
                Comparison::Agree => agree += 1,
                Comparison::Skipped(reason) => *skipped.entry(reason).or_default() += 1,
                Comparison::Disagree(differences) => {
                    disagree += 1;
                    println!("seed {}:", generated.seed);
                    differences.iter().for_each(|difference| println!("  {difference}"));
                    if let Some((file, text)) = shrunk {
                        println!("  cut down to {}:", file.display());
                        text.lines().for_each(|line| println!("    {line}"));
                    }
                }
            }
            if done % 50 == 0 {
                eprintln!("{done} of {}: {disagree} disagree", plan.count);
            }
        },
    )?;
    let reasons: Vec<String> = skipped.iter().map(|(reason, count)| format!("{reason}: {count}")).collect();
    let reasons = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
    let skips: u64 = skipped.values().sum();
    println!("{} models: agree {agree}, skipped {skips}{reasons}, disagree {disagree}", plan.count);
    Ok(disagree == 0)
}

fn scope(class: Class) -> Scope {
    match class {
        Class::Sound | Class::Aborting => Scope::Full,
        Class::Faulty => Scope::Acceptance,
    }
}

/// The text of a smaller model that still differs on one of the same questions.
fn cut_down(generated: &Generated, differences: &[Difference], oracle: &Oracle, budget: usize) -> String {
    let asked: Vec<Question> = differences.iter().map(|difference| difference.question).collect();
    let small = shrink(&generated.model, budget, |candidate| {
        match oracle.compare_text(&candidate.to_string(), scope(generated.class)) {
            Ok(Comparison::Disagree(now)) => now.iter().any(|difference| asked.contains(&difference.question)),
            _ => false,
        }
    });
    small.to_string()
}

/// Statistics of the generated models by SPIN: acceptance, sizes, errors, constructs.
pub fn survey(plan: &Plan, spin: &Spin) -> io::Result<()> {
    println!("seeds {} to {}", plan.seed, plan.seed + plan.count.saturating_sub(1));
    let mut survey = Survey::default();
    in_parallel(plan, |generated| spin.ask_text(&generated.model.to_string()), |g, answer| survey.add(&g, &answer))?;
    survey.print();
    Ok(())
}

#[derive(Default)]
struct Survey {
    /// Numbers of models by class and outcome.
    outcomes: BTreeMap<(Class, &'static str), u64>,
    /// Stored states of the sound models searched.
    sizes: Vec<u64>,
    constructs: BTreeMap<&'static str, u64>,
}

impl Survey {
    fn add(&mut self, generated: &Generated, answer: &Answer) {
        let outcome = match answer {
            Answer::Refused(message) => {
                if generated.class != Class::Faulty {
                    println!("seed {}: {message}", generated.seed);
                }
                "refused"
            }
            Answer::TooBig(reason) => {
                println!("seed {}: {reason}", generated.seed);
                "too big"
            }
            Answer::Crashed(_) => "crashed",
            Answer::Searched(facts) if facts.counts_are_void() => "aborted",
            Answer::Searched(facts) => {
                if generated.class == Class::Sound {
                    self.sizes.push(facts.full.stored);
                }
                if facts.full.errors > 0 { "error" } else { "no error" }
            }
        };
        let accepted = !matches!(answer, Answer::Refused(_));
        if (generated.class == Class::Faulty) == accepted || (generated.class == Class::Sound && outcome == "aborted") {
            println!("seed {}: {:?}, but {outcome}", generated.seed, generated.class);
        }
        *self.outcomes.entry((generated.class, outcome)).or_default() += 1;
        for &construct in CONSTRUCTS {
            *self.constructs.entry(construct).or_default() += u64::from(generated.marks.contains(construct));
        }
    }

    fn print(&mut self) {
        println!("\nclass, outcome, models");
        for ((class, outcome), count) in &self.outcomes {
            println!("{class:?}, {outcome}, {count}");
        }
        self.sizes.sort_unstable();
        if let (Some(smallest), Some(largest)) = (self.sizes.first(), self.sizes.last()) {
            let at = |percent: usize| self.sizes[(self.sizes.len() - 1) * percent / 100];
            println!("\nstates: {smallest} to {largest}; 10 %: {}, half: {}, 90 %: {}", at(10), at(50), at(90));
        }
        println!("\nconstruct, models");
        for (construct, count) in &self.constructs {
            println!("{construct}, {count}");
        }
    }
}

/// Generates the models of `plan`, does `work` on them in several threads, and passes the results to `done` as they
/// arrive.
pub(crate) fn in_parallel<T: Send>(
    plan: &Plan,
    work: impl Fn(Generated) -> io::Result<T> + Sync,
    mut done: impl FnMut(Generated, T),
) -> io::Result<()> {
    let next = AtomicU64::new(0);
    thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        for _ in 0..plan.jobs {
            let (send, next, work) = (send.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    if k >= plan.count {
                        return;
                    }
                    let generated = generate(plan.seed + k);
                    if send.send((generated.clone(), work(generated))).is_err() {
                        return; // the receiver has ended with an error
                    }
                }
            });
        }
        drop(send);
        for (generated, result) in receive {
            done(generated, result?);
        }
        Ok(())
    })
}
