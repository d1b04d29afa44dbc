//! Statistics over repeated runs of a randomised search.
//!
//! Runs that find nothing count: quantiles are over all runs, and a run without an error needs more states than any number. Means
//! over the runs that found an error are given beside them, and flatter a method that often fails.

use homing_core::{Cost, End, Stop};

/// What is counted of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunFigures {
    /// The number of the run: with the user's seed it gives the seed of the run.
    pub run: u64,
    /// How many states it expanded until it found an error, or until it ended.
    pub expanded: u64,
    /// The length of the path to the error, in statements; `None` if the run found none.
    pub length: Option<Cost>,
    /// How it ended.
    pub end: End,
}

impl RunFigures {
    /// Whether the run was ended by a limit or an interrupt, and might have found an error later.
    fn was_limited(&self) -> bool {
        matches!(self.end, End::Stopped(Stop::Limit(_) | Stop::Interrupted))
    }
}

/// The result of many runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// The runs, in the order of their numbers.
    pub runs: Vec<RunFigures>,
}

/// The quantiles that are reported: first quartile, median, third quartile, ninth decile.
pub const QUANTILES: [f64; 4] = [0.25, 0.5, 0.75, 0.9];

/// The standard normal quantile of a two-sided interval of 95 %.
const Z: f64 = 1.959_963_984_540_054;

impl Sample {
    /// How many runs there were.
    pub fn len(&self) -> u64 {
        self.runs.len() as u64
    }

    /// Whether there was no run.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// How many runs found an error.
    pub fn successes(&self) -> u64 {
        self.successful().count() as u64
    }

    fn successful(&self) -> impl Iterator<Item = &RunFigures> {
        self.runs.iter().filter(|run| run.length.is_some())
    }

    /// The share of runs that found an error; `None` without runs.
    pub fn success_rate(&self) -> Option<f64> {
        (!self.is_empty()).then(|| self.successes() as f64 / self.len() as f64)
    }

    /// The interval of Wilson (1927) for the probability of success, at 95 %.
    pub fn success_interval(&self) -> Option<(f64, f64)> {
        let (rate, runs) = (self.success_rate()?, self.len() as f64);
        let scale = 1.0 / (1.0 + Z * Z / runs);
        let centre = scale * (rate + Z * Z / (2.0 * runs));
        let half = scale * Z * (rate * (1.0 - rate) / runs + Z * Z / (4.0 * runs * runs)).sqrt();
        Some(((centre - half).max(0.0), (centre + half).min(1.0)))
    }

    /// The least number of states within which at least this share of all runs found an error; `None` if fewer did.
    pub fn states_quantile(&self, share: f64) -> Option<u64> {
        quantile(self.runs.iter().map(|run| run.length.map(|_| run.expanded)), share)
    }

    /// The least length such that at least this share of all runs found a path of at most that length; `None` if fewer did.
    pub fn length_quantile(&self, share: f64) -> Option<u64> {
        quantile(self.runs.iter().map(|run| run.length.map(u64::from)), share)
    }

    /// The mean number of states of the runs that found an error. It leaves the others out: a method that often fails has a small one.
    pub fn mean_states_if_found(&self) -> Option<f64> {
        mean(self.successful().map(|run| run.expanded))
    }

    /// The mean length of the paths that were found.
    pub fn mean_length(&self) -> Option<f64> {
        mean(self.successful().filter_map(|run| run.length).map(u64::from))
    }

    /// The expected number of states if runs are repeated until one finds an error: those of the last run, and those of the
    /// runs before it that found none, of which there are (1 - p) / p on average.
    pub fn expected_states_with_restarts(&self) -> Option<f64> {
        let (p, found) = (self.success_rate()?, self.mean_states_if_found()?);
        let failed = mean(self.runs.iter().filter(|run| run.length.is_none()).map(|run| run.expanded));
        Some(found + failed.map_or(0.0, |failed| (1.0 - p) / p * failed))
    }

    /// The share of all runs that found an error within a number of states, as the corners of a step function: pairs of a number of
    /// states and the share from there on. Nothing is known beyond [`Sample::horizon`].
    pub fn cumulative(&self) -> Vec<(u64, f64)> {
        let mut found: Vec<u64> = self.successful().map(|run| run.expanded).collect();
        found.sort_unstable();
        let mut corners: Vec<(u64, f64)> = Vec::new();
        for (at, &states) in found.iter().enumerate() {
            let share = (at + 1) as f64 / self.len() as f64;
            match corners.last_mut() {
                Some(last) if last.0 == states => last.1 = share,
                _ => corners.push((states, share)),
            }
        }
        corners
    }

    /// The number of states up to which [`Sample::cumulative`] is valid although runs were stopped there: the least number of states
    /// of a run that a limit ended. `None` if every run that found nothing ended by itself.
    pub fn horizon(&self) -> Option<u64> {
        self.runs.iter().filter(|run| run.length.is_none() && run.was_limited()).map(|run| run.expanded).min()
    }

    /// Half the height of a band around [`Sample::cumulative`] that has the true distribution in it with a probability of 95 %
    /// (Dvoretzky, Kiefer & Wolfowitz 1956; Massart 1990).
    pub fn band(&self) -> Option<f64> {
        (!self.is_empty()).then(|| ((2.0f64 / 0.05).ln() / (2.0 * self.len() as f64)).sqrt())
    }
}

/// The least value that at least this share of all values do not exceed; `None` stands for a value above all others.
fn quantile(values: impl Iterator<Item = Option<u64>>, share: f64) -> Option<u64> {
    let mut all: Vec<u64> = values.map(|value| value.unwrap_or(u64::MAX)).collect();
    all.sort_unstable();
    let rank = (share * all.len() as f64).ceil().max(1.0) as usize;
    all.get(rank - 1).copied().filter(|&value| value != u64::MAX)
}

fn mean(values: impl Iterator<Item = u64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u64), |(sum, count), value| (sum + value as f64, count + 1));
    (count > 0).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests {
    use homing_core::Limit;

    use super::*;

    fn sample(runs: &[(u64, Option<Cost>)]) -> Sample {
        let end = |length: Option<Cost>| if length.is_some() { End::Found } else { End::limit(Limit::States) };
        let figures = |(run, &(expanded, length))| RunFigures { run: run as u64, expanded, length, end: end(length) };
        Sample { runs: runs.iter().enumerate().map(figures).collect() }
    }

    #[test]
    fn failures_count_as_infinite() {
        let sample = sample(&[(10, Some(5)), (20, Some(3)), (100, None), (5, Some(9))]);
        assert_eq!(sample.success_rate(), Some(0.75));
        assert_eq!(QUANTILES.map(|share| sample.states_quantile(share)), [Some(5), Some(10), Some(20), None]);
        assert_eq!(QUANTILES.map(|share| sample.length_quantile(share)), [Some(3), Some(5), Some(9), None]);
        assert_eq!(sample.mean_states_if_found(), Some(35.0 / 3.0));
        let expected = sample.expected_states_with_restarts().expect("some runs found an error");
        assert!((expected - (35.0 + 100.0) / 3.0).abs() < 1e-9, "{expected}");
        assert_eq!(sample.cumulative(), [(5, 0.25), (10, 0.5), (20, 0.75)]);
        assert_eq!(sample.horizon(), Some(100));
        let ended = RunFigures { end: End::Exhausted, ..sample.runs[2] };
        assert_eq!(
            Sample { runs: vec![ended, sample.runs[0]] }.horizon(),
            None,
            "it would not have found anything later"
        );
    }

    #[test]
    fn equal_numbers_of_states_are_one_corner() {
        assert_eq!(sample(&[(7, Some(1)), (7, Some(1)), (9, Some(1)), (9, None)]).cumulative(), [(7, 0.5), (9, 0.75)]);
    }

    /// Values of the interval from Wilson's formula, computed by hand for 0 of R and by symmetry for R of R.
    #[test]
    fn wilson_interval() {
        let none = sample(&[(1, None); 50]);
        let (low, high) = none.success_interval().expect("there are runs");
        assert!(low.abs() < 1e-12 && (high - Z * Z / (50.0 + Z * Z)).abs() < 1e-12, "{low} {high}");
        let all = sample(&[(1, Some(1)); 50]);
        let (low, high) = all.success_interval().expect("there are runs");
        assert!((low - 50.0 / (50.0 + Z * Z)).abs() < 1e-12 && (high - 1.0).abs() < 1e-12, "{low} {high}");
        let half = sample(&[(1, Some(1)), (1, None)].repeat(50));
        let (low, high) = half.success_interval().expect("there are runs");
        assert!((low - 0.4038).abs() < 1e-4 && (high - 0.5962).abs() < 1e-4, "{low} {high}");
    }

    #[test]
    fn no_runs_have_no_figures() {
        let none = Sample::default();
        assert_eq!((none.success_rate(), none.success_interval(), none.band()), (None, None, None));
        assert_eq!((none.states_quantile(0.5), none.expected_states_with_restarts()), (None, None));
        assert!(none.cumulative().is_empty());
    }

    #[test]
    fn the_band_of_a_thousand_runs() {
        let band = sample(&[(1, Some(1)); 1000]).band().expect("there are runs");
        assert!((band - 0.0429).abs() < 1e-4, "{band}");
    }
}
