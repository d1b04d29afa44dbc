//! Lengths of lassos: homing's beside each other, beside pan's and beside those found by brute force.

use std::fmt;

use super::comparison::{Judged, Question, lasso_of};
use super::configurations::{Configuration, Fairness};
use super::judge::Graph;

impl Judged<'_> {
    /// Compares the lengths of lassos with each other and with pan's.
    pub(super) fn compare_lassos(&mut self) {
        let lassos = self.lassos.clone();
        let unfair = |configuration: &Configuration| configuration.fairness == Fairness::None;
        let all = lassos.iter().filter(|(configuration, _)| unfair(configuration));
        let least = all.clone().map(|(_, trail)| trail.length).min();
        let pan = lasso_of(self.facts).map(|lasso| lasso.length());
        for (configuration, trail) in all {
            if trail.shortest && Some(trail.length) > least {
                self.differ(*configuration, Question::Shortest, format!("another has {least:?}"), trail.length);
            }
            let Some(pan) = pan else { continue };
            if configuration.shortens() && trail.length > pan {
                self.differ(*configuration, Question::Longer, pan, trail.length);
            }
            if configuration.flags.is_empty() {
                self.comparison.lengths = Some((trail.length, pan));
            }
        }
    }

    /// Compares the lengths of lassos with those of shortest ones, found by brute force.
    pub(super) fn compare_shortest(&mut self) {
        let Some(graph) = self.graph.filter(|_| !self.lassos.is_empty()) else { return };
        for fairness in [Fairness::None, Fairness::Weak] {
            let lassos = self.lassos.iter().filter(|(configuration, _)| configuration.fairness == fairness);
            let lassos: Vec<_> = lassos.filter(|(configuration, _)| configuration.is_generalised()).cloned().collect();
            let shortest = if lassos.is_empty() { None } else { self.shortest(graph, fairness) };
            for (configuration, trail) in lassos {
                if configuration.wants_shortest() && !trail.shortest {
                    *self.comparison.unproved.entry(fairness).or_default() += 1;
                }
                let Some(shortest) = shortest else { continue };
                *self.comparison.proved.entry(fairness).or_default() += u64::from(trail.shortest);
                let differs =
                    if trail.shortest { shortest != Some(trail.length) } else { shortest > Some(trail.length) };
                if differs || shortest.is_none() {
                    let (by_force, own) = (format!("brute force has {shortest:?}"), format!("{trail:?}"));
                    self.differ(configuration, Question::Shortest, by_force, own);
                }
            }
        }
    }
}

impl Judged<'_> {
    /// The length of the shortest error, of the product or of a run; the outer value is none if finding it takes too long.
    fn shortest(&self, graph: &Graph, fairness: Fairness) -> Option<Option<u64>> {
        let runs = self.runs.as_ref()?;
        let lengths: Option<Vec<Option<u64>>> =
            std::iter::once(graph).chain(runs).map(|graph| graph.shortest(fairness)).collect();
        Some(lengths?.into_iter().flatten().min())
    }
}

/// Lengths of homing's lassos beside pan's.
#[derive(Clone, Debug, Default)]
pub struct Lengths {
    /// Lassos of both.
    pub count: u64,
    pub shorter: u64,
    pub longer: u64,
    /// The sum of the logarithms of the ratios; a length of 0 counts as 1.
    logarithms: f64,
}

impl Lengths {
    pub fn add(&mut self, homing: u64, pan: u64) {
        self.count += 1;
        self.shorter += u64::from(homing < pan);
        self.longer += u64::from(homing > pan);
        self.logarithms += (homing.max(1) as f64 / pan.max(1) as f64).ln();
    }

    /// The geometric mean of the ratios; 1 if there are none.
    pub fn mean_ratio(&self) -> f64 {
        (self.logarithms / self.count.max(1) as f64).exp()
    }
}

impl fmt::Display for Lengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Lengths { count, shorter, longer, .. } = self;
        write!(f, "{count} lassos, length to pan's: geometric mean {:.3}, ", self.mean_ratio())?;
        write!(f, "{shorter} shorter, {longer} longer")
    }
}
