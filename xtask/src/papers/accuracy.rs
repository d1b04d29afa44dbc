//! Figures 4, 5 and 6 of the paper on distance-preserving abstraction (Dräger, Finkbeiner & Podelski 2006), as SVG: how accurate
//! the distances are by the order of refinement and by the order of composition, and how long a check takes by the bound.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::fs;
use std::io;
use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::path::Path;

use homing_core::{Cost, Estimate, Selection, State, StopToken, Target, TransitionSystem, ViolationKind};
use homing_engine::Interpreter;
use homing_heuristics::{AbstractionOptions, BucketOrder, Goal, ModelAbstraction, Strategy, Supervision};
use homing_ir::Model;
use homing_network::generate::{Arbiter, NetworkText, Variant, arbiter, hanoi, random_system};
use homing_network::{Format, read};
use homing_report::plot::{LinePlot, Series};
use serde_json::Value;

use super::Plan;
use crate::process;

/// The bounds of figure 6.
const BOUNDS: [u32; 15] = [5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1200, 1600];

/// How often each bound is measured; the fastest run counts.
const RUNS: usize = 3;

impl Plan {
    /// Draws the figures. Returns what they show in words.
    pub(super) fn figures(&self, folder: &Path) -> io::Result<String> {
        fs::create_dir_all(folder)?;
        let nearest = options(40);
        let farthest = AbstractionOptions { bucket_order: BucketOrder::FarthestFirst, ..nearest };
        let tower = hanoi(3, Variant::B);
        let orders = [("nearest bucket first", nearest), ("farthest bucket first", farthest)];
        let fourth = accuracies("Figure 4: towers of Hanoi with 3 disks, bound 40", &tower, orders)?;
        let ranking = options(20);
        let definition = AbstractionOptions { strategy: Strategy::Definition, ..ranking };
        let tree = arbiter(Arbiter::new(2));
        let strategies = [("ranking", ranking), ("order of definition", definition)];
        let fifth = accuracies("Figure 5: arbiter tree with 8 processes, bound 20", &tree, strategies)?;
        let sixth = self.times(folder)?;
        let mut words = String::from("\n## Figures 4, 5 and 6\n\n");
        for (name, plot) in [("figure-4.svg", fourth), ("figure-5.svg", fifth), ("figure-6.svg", sixth)] {
            fs::write(folder.join(name), plot.svg())?;
            words.push_str(&described(name, &plot));
        }
        Ok(words)
    }

    /// Figure 6: the seconds of a check of one random system of 8 processes.
    fn times(&self, folder: &Path) -> io::Result<LinePlot> {
        let path = folder.join("random-8.xml");
        fs::write(&path, random_system(8, 0).to_xml())?;
        let (mut whole, mut preparation) = (Vec::new(), Vec::new());
        for bound in BOUNDS {
            let mut fastest: Option<(f64, f64)> = None;
            for _ in 0..RUNS {
                let bound = bound.to_string();
                let arguments = [
                    "check",
                    &path.to_string_lossy(),
                    "--json",
                    "--quiet",
                    "--trail",
                    "/dev/null",
                    "--search",
                    "astar",
                ];
                let arguments = [&arguments[..], &["--heuristic", "abstraction", "--bound", &bound]].concat();
                let run = process::run(&self.homing, &arguments, Path::new("."), self.timeout)?;
                let document: Value = serde_json::from_str(&run.stdout)?;
                let prepared = document["results"][0]["search"]["abstraction"]["seconds"].as_f64();
                let prepared =
                    prepared.ok_or_else(|| io::Error::other(format!("{}: {}", path.display(), run.stderr)))?;
                fastest = Some(fastest.map_or((run.seconds, prepared), |best| {
                    if run.seconds < best.0 { (run.seconds, prepared) } else { best }
                }));
            }
            let (seconds, prepared) = fastest.expect("there are runs");
            whole.push((f64::from(bound), 1000.0 * seconds));
            preparation.push((f64::from(bound), 1000.0 * prepared));
        }
        let series = [("whole check by A*", whole), ("preparation", preparation)];
        let series = series.map(|(name, points)| Series { name: name.to_owned(), points });
        Ok(LinePlot {
            title: "Figure 6: a random system of 8 processes".to_owned(),
            x: "bound".to_owned(),
            y: "milliseconds".to_owned(),
            series: series.into(),
        })
    }
}

fn options(bound: u32) -> AbstractionOptions {
    AbstractionOptions::with_bound(NonZeroU32::new(bound).expect("not 0"))
}

/// A line of numbers for each series.
fn described(name: &str, plot: &LinePlot) -> String {
    let mut words = format!("{}, {name}; {} by {}:\n\n", plot.title, plot.y, plot.x);
    for Series { name, points } in &plot.series {
        let numbers: Vec<String> = points.iter().map(|(x, y)| format!("{x}: {y:.1}")).collect();
        words.push_str(&format!("- {name}: {}\n", numbers.join(", ")));
    }
    words.push('\n');
    words
}

/// How much too small the distances are, by exact distance.
fn accuracies(title: &str, network: &NetworkText, ways: [(&str, AbstractionOptions); 2]) -> io::Result<LinePlot> {
    let mut reading = read(&network.to_input(Format::Xta));
    let lowered = reading.lower().ok_or_else(|| io::Error::other("a generated network is refused"))?;
    let mut model = lowered.model;
    model.add_invariant(lowered.queries[0].invariant.clone());
    let distances = distances(&model)?;
    let mut series = Vec::new();
    for (name, options) in ways {
        let unwatched = Supervision { stop: &StopToken::default(), show: &mut |_| () };
        let goal = Goal::Invariant(&model.invariants[0].expr);
        let abstraction = ModelAbstraction::new(&model, goal, &options, unwatched).map_err(io::Error::other)?;
        series.push(Series { name: name.to_owned(), points: missing(&distances, &mut abstraction.estimate()) });
    }
    let (x, y) = ("distance to the error".to_owned(), "mean difference in % of the distance".to_owned());
    Ok(LinePlot { title: title.to_owned(), x, y, series })
}

/// By exact distance from 1 on, the mean of (distance - estimate) / distance in percent.
fn missing(distances: &[(Box<State>, Cost)], estimate: &mut impl Estimate) -> Vec<(f64, f64)> {
    let mut sums: BTreeMap<Cost, (f64, u32)> = BTreeMap::new();
    for (state, distance) in distances.iter().filter(|(_, distance)| *distance > 0) {
        let estimated = estimate.distance(state).map_or(*distance, |estimated| estimated.h);
        let (sum, count) = sums.entry(*distance).or_default();
        *sum += f64::from(distance - estimated) / f64::from(*distance);
        *count += 1;
    }
    sums.into_iter().map(|(distance, (sum, count))| (f64::from(distance), 100.0 * sum / f64::from(count))).collect()
}

/// The states from which the query can be satisfied, with their exact distances.
fn distances(model: &Model) -> io::Result<Vec<(Box<State>, Cost)>> {
    let engine = Interpreter::new(model).map_err(|violation| io::Error::other(violation.to_string()))?;
    let initial = engine.initial();
    let mut numbers: HashMap<Box<State>, usize> = HashMap::from([(initial.clone(), 0)]);
    let (mut states, mut sources) = (vec![initial], vec![Vec::new()]);
    let mut open: BinaryHeap<Reverse<(Cost, usize)>> = BinaryHeap::new();
    let mut at = 0;
    while at < states.len() {
        let state = states[at].clone();
        engine.for_each_step(&state, Selection::All, |step| {
            match step.target {
                Target::State(target) => {
                    let to = *numbers.entry(target.into()).or_insert_with(|| {
                        states.push(target.into());
                        sources.push(Vec::new());
                        states.len() - 1
                    });
                    sources[to].push((at, step.cost));
                }
                Target::Violation(found) if found.kind == ViolationKind::Invariant => {
                    open.push(Reverse((step.cost, at)))
                }
                Target::Violation(_) | Target::CutOff => {}
            }
            ControlFlow::Continue(())
        });
        at += 1;
    }
    let mut distances: Vec<Option<Cost>> = vec![None; states.len()];
    while let Some(Reverse((distance, at))) = open.pop() {
        if distances[at].is_none() {
            distances[at] = Some(distance);
            open.extend(sources[at].iter().map(|&(source, cost)| Reverse((distance + cost, source))));
        }
    }
    Ok(states.into_iter().zip(distances).filter_map(|(state, distance)| Some((state, distance?))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shapes of figures 4 and 5.
    #[test]
    fn the_order_of_the_paper_is_the_more_accurate_one() {
        let mean =
            |series: &Series| series.points.iter().map(|point| point.1).sum::<f64>() / series.points.len() as f64;
        let orders = [BucketOrder::NearestFirst, BucketOrder::FarthestFirst];
        let ways = orders.map(|bucket_order| ("", AbstractionOptions { bucket_order, ..options(40) }));
        let plot = accuracies("", &hanoi(3, Variant::B), ways).expect("a network");
        assert!(3.0 * mean(&plot.series[0]) < mean(&plot.series[1]), "{}", described("", &plot));
        let ways = [("", options(20)), ("", AbstractionOptions { strategy: Strategy::Definition, ..options(20) })];
        let plot = accuracies("", &arbiter(Arbiter::new(2)), ways).expect("a network");
        assert!(mean(&plot.series[0]) < mean(&plot.series[1]), "{}", described("", &plot));
    }
}
