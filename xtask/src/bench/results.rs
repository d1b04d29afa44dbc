//! The results of a model: medians, and ratios to the baseline where the work was the same.

use super::record::{Counts, Record, Searched};
use super::runner::{Entry, Variant};
use super::set::Work;
use super::statistics::Spread;

/// The results of all variants on one model.
#[derive(Clone, Debug)]
pub struct ModelResult {
    pub name: String,
    pub size: String,
    /// The counts of the baseline; `None` if it did not finish.
    pub counts: Option<Counts>,
    pub results: Vec<VariantResult>,
}

/// The results of one variant on one model.
#[derive(Clone, Debug)]
pub struct VariantResult {
    pub variant: String,
    pub is_baseline: bool,
    /// The figures, or why there are none.
    pub figures: Result<Figures, String>,
    /// `None` where the work was not the same.
    pub ratios: Option<Ratios>,
    pub remark: Remark,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Remark {
    None,
    /// The counts are not those of the baseline, or vary between runs: something is wrong.
    Differs(String),
    /// The share of the states that a lossy store visited.
    Share(f64),
    /// The states of a variant that does other work.
    States(u64),
}

#[derive(Clone, Debug)]
pub struct Figures {
    pub to_verdict: Spread,
    pub search: Spread,
    pub transitions_per_second: Spread,
    pub bytes_per_state: f64,
    /// The bytes in use by the store, if reported.
    pub used_per_state: Option<f64>,
    pub peak_bytes: Spread,
    counts: Counts,
}

/// How many times better than the baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratios {
    pub to_verdict: f64,
    /// Of the search alone: pan without spin and gcc, homing from its start to its end.
    pub search: f64,
    /// `None` where the states differ.
    pub work: Option<WorkRatios>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkRatios {
    pub transitions_per_second: f64,
    pub bytes_per_state: f64,
    pub peak_bytes: f64,
}

impl ModelResult {
    /// The results of `variants` on `entry`. `records` may contain other models; variants without a record are left
    /// out.
    pub fn of(entry: &Entry, variants: &[Variant], baseline: &str, records: &[Record]) -> ModelResult {
        let figures_of = |name: &str| {
            let own: Vec<&Record> =
                records.iter().filter(|record| record.model == entry.name && record.variant == name).collect();
            (!own.is_empty()).then(|| figures(&own))
        };
        let base = figures_of(baseline).and_then(Result::ok);
        let results = variants.iter().filter_map(|variant| {
            let figures = figures_of(variant.name())?;
            let (ratios, remark) = match &figures {
                Ok(figures) => compare(figures, base.as_ref(), variant.work()),
                Err(_) => (None, Remark::None),
            };
            let is_baseline = variant.name() == baseline;
            Some(VariantResult { variant: variant.name().to_string(), is_baseline, figures, ratios, remark })
        });
        let results = results.collect();
        ModelResult { name: entry.name.clone(), size: entry.size(), counts: base.map(|base| base.counts), results }
    }

    /// Whether every variant that should do the same work did.
    pub fn is_sound(&self) -> bool {
        !self.results.iter().any(|result| matches!(result.remark, Remark::Differs(_)))
    }
}

fn figures(records: &[&Record]) -> Result<Figures, String> {
    let ended: Result<Vec<(&Record, Searched)>, String> =
        records.iter().map(|record| record.outcome.clone().map(|searched| (*record, searched))).collect();
    let ended = ended?;
    let spread = |value: fn(&Record, &Searched) -> f64| {
        Spread::of(ended.iter().map(|(record, searched)| value(record, searched))).ok_or("no run")
    };
    // If counts vary between runs, the first deviating ones are shown.
    let first = ended[0].1.counts;
    let counts = ended.iter().map(|(_, searched)| searched.counts).find(|counts| *counts != first).unwrap_or(first);
    Ok(Figures {
        to_verdict: spread(|record, _| record.to_verdict())?,
        search: spread(|record, _| record.search)?,
        transitions_per_second: spread(|record, searched| searched.counts.transitions as f64 / record.search)?,
        bytes_per_state: spread(|_, searched| searched.store_bytes as f64 / searched.counts.states as f64)?.median,
        used_per_state: ended[0].1.used_per_state,
        peak_bytes: spread(|record, _| record.peak_bytes as f64)?,
        counts,
    })
}

fn compare(figures: &Figures, base: Option<&Figures>, work: Work) -> (Option<Ratios>, Remark) {
    let Some(base) = base else { return (None, Remark::None) };
    let share = figures.counts.states as f64 / base.counts.states as f64;
    let remark = match work {
        Work::Same if figures.counts != base.counts => {
            let Counts { states, transitions, errors } = figures.counts;
            return (None, Remark::Differs(format!("{states} states, {transitions} transitions, {errors} errors")));
        }
        Work::Same => Remark::None,
        Work::Lossy => Remark::Share(share),
        Work::Other => Remark::States(figures.counts.states),
    };
    let work_ratios = WorkRatios {
        transitions_per_second: figures.transitions_per_second.median / base.transitions_per_second.median,
        bytes_per_state: base.bytes_per_state / figures.bytes_per_state,
        peak_bytes: base.peak_bytes.median / figures.peak_bytes.median,
    };
    let to_verdict = base.to_verdict.median / figures.to_verdict.median;
    let search = base.search.median / figures.search.median;
    (Some(Ratios { to_verdict, search, work: (work != Work::Other).then_some(work_ratios) }), remark)
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::bench::set::{HomingVariant, SpinVariant};

    pub fn entry() -> Entry {
        let define = vec!["N=3".to_string()];
        Entry { name: "m".into(), file: PathBuf::new(), define, depth: 10, hash_bits: 10 }
    }

    pub fn variants(work: Work) -> Vec<Variant> {
        let spin = SpinVariant { name: "spin".into(), ..SpinVariant::default() };
        let homing = HomingVariant { name: "bfs".into(), flags: vec![], work };
        vec![Variant::Spin(spin), Variant::Homing(homing)]
    }

    pub fn record(variant: &str, run: u32, search: f64, states: u64) -> Record {
        let spin = variant == "spin";
        let counts = Counts { states, transitions: 4 * states, errors: 0 };
        Record {
            model: "m".into(),
            size: "N=3".into(),
            variant: variant.into(),
            run,
            generate: if spin { 0.5 } else { 0.0 },
            compile: if spin { 1.5 } else { 0.0 },
            search,
            user: search,
            system: 0.0,
            peak_bytes: if spin { 64 << 20 } else { 32 << 20 },
            outcome: Ok(Searched {
                counts,
                depth: 9,
                store_bytes: if spin { 50 * states } else { 10 * states },
                used_per_state: None,
            }),
        }
    }

    fn result(work: Work, records: &[Record]) -> VariantResult {
        let of_model = ModelResult::of(&entry(), &variants(work), "spin", records);
        of_model.results.into_iter().next_back().expect("two of them")
    }

    #[test]
    fn ratios_say_how_many_times_better() {
        let records = [
            record("spin", 1, 2.0, 100),
            record("bfs", 1, 1.0, 100),
            record("spin", 2, 2.0, 100),
            record("bfs", 2, 1.0, 100),
        ];
        let result = result(Work::Same, &records);
        let work = WorkRatios { transitions_per_second: 2.0, bytes_per_state: 5.0, peak_bytes: 2.0 };
        assert_eq!(result.ratios, Some(Ratios { to_verdict: 4.0, search: 2.0, work: Some(work) }));
        assert_eq!(result.remark, Remark::None);
    }

    #[test]
    fn other_counts_have_no_ratio() {
        let result = result(Work::Same, &[record("spin", 1, 2.0, 100), record("bfs", 1, 1.0, 99)]);
        assert_eq!(result.ratios, None);
        assert_eq!(result.remark, Remark::Differs("99 states, 396 transitions, 0 errors".into()));
    }

    #[test]
    fn counts_that_vary_have_no_ratio() {
        let records = [
            record("spin", 1, 2.0, 100),
            record("bfs", 1, 1.0, 100),
            record("bfs", 2, 1.0, 101),
            record("bfs", 3, 1.0, 100),
        ];
        assert_eq!(result(Work::Same, &records).ratios, None);
    }

    #[test]
    fn a_lossy_store_tells_its_share() {
        let result = result(Work::Lossy, &[record("spin", 1, 2.0, 100), record("bfs", 1, 1.0, 99)]);
        assert_eq!(result.remark, Remark::Share(0.99));
        assert!(result.ratios.is_some_and(|ratios| ratios.work.is_some()));
    }

    #[test]
    fn other_work_compares_in_time_alone() {
        let result = result(Work::Other, &[record("spin", 1, 2.0, 100), record("bfs", 1, 1.0, 10)]);
        assert_eq!(result.ratios, Some(Ratios { to_verdict: 4.0, search: 2.0, work: None }));
        assert_eq!(result.remark, Remark::States(10));
    }

    #[test]
    fn one_run_without_an_end_leaves_no_figures() {
        let mut failed = record("bfs", 2, 1.0, 100);
        failed.outcome = Err("memory".into());
        let result = result(Work::Same, &[record("spin", 1, 2.0, 100), record("bfs", 1, 1.0, 100), failed]);
        assert_eq!(result.figures.err(), Some("memory".to_string()));
        assert_eq!(result.ratios, None);
    }
}
