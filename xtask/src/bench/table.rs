//! The report as Markdown.

use std::fmt::{self, Display, Write};

use super::record::Counts;
use super::results::{Figures, ModelResult, Ratios, Remark, VariantResult, WorkRatios};
use super::small::SmallModels;
use super::statistics::{Spread, geometric_mean};

/// The results so far.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub models: Vec<ModelResult>,
    /// Variants that this homing does not support.
    pub absent: Vec<String>,
    pub small: Option<SmallModels>,
    pub start_up: Option<Spread>,
    /// Stopped by the user: not everything was measured.
    pub interrupted: bool,
}

const LEGEND: &str = "\
Medians, in brackets the least and the greatest. *To verdict*: wall clock from the source to the verdict, for SPIN that of
spin, gcc and pan together. *Search*: of pan, and of homing from its start to its end. *Bytes per state*: pan's states and
hash table without the stack of the search; everything that homing's search stored, in brackets what the store has in use
of it. *Peak*: the largest resident set.
After each figure, how many times better than the baseline (more is better). All explore all states without reduction, except variants
that do other work, of which only the times are compared; where states and transitions are not those of the baseline there is no ratio,
unless the store is lossy.
";

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.interrupted {
            writeln!(f, "Interrupted: not everything was measured.\n")?;
        }
        if !self.models.is_empty() {
            writeln!(f, "{LEGEND}")?;
            write_summary(f, &self.models)?;
        }
        if !self.absent.is_empty() {
            writeln!(f, "Not in this homing: {}.\n", self.absent.join(", "))?;
        }
        self.models.iter().try_for_each(|model| write_model(f, model))?;
        if let Some(small) = &self.small {
            write_small(f, small)?;
        }
        if let Some(start_up) = &self.start_up {
            writeln!(f, "## Start\n\n`homing check` on a model of ten lines: {} ms.\n", Milliseconds(start_up))?;
        }
        Ok(())
    }
}

/// The ratios of each variant over all models.
fn write_summary(f: &mut fmt::Formatter<'_>, models: &[ModelResult]) -> fmt::Result {
    writeln!(f, "## Summary\n\nRatios to the baseline: geometric mean, and in brackets the worst.\n")?;
    writeln!(
        f,
        "| | models | to verdict | search | transitions/s | bytes per state | peak |\n|---|--:|--:|--:|--:|--:|--:|"
    )?;
    let mut names: Vec<&str> = Vec::new();
    for result in models.iter().flat_map(|model| &model.results).filter(|result| !result.is_baseline) {
        if !names.contains(&result.variant.as_str()) {
            names.push(&result.variant);
        }
    }
    for name in names {
        let ratios: Vec<Ratios> = models
            .iter()
            .flat_map(|model| &model.results)
            .filter(|result| result.variant == name)
            .filter_map(|result| result.ratios)
            .collect();
        let of_work = |value: fn(WorkRatios) -> f64| {
            Means(ratios.iter().filter_map(|ratios| ratios.work.map(value)).collect()).to_string()
        };
        writeln!(
            f,
            "| {name} | {} | {} | {} | {} | {} | {} |",
            ratios.len(),
            Means(ratios.iter().map(|ratios| ratios.to_verdict).collect()),
            Means(ratios.iter().map(|ratios| ratios.search).collect()),
            of_work(|work| work.transitions_per_second),
            of_work(|work| work.bytes_per_state),
            of_work(|work| work.peak_bytes),
        )?;
    }
    writeln!(f)
}

fn write_model(f: &mut fmt::Formatter<'_>, model: &ModelResult) -> fmt::Result {
    let ModelResult { name, size, counts, results } = model;
    write!(f, "## {name}")?;
    if !size.is_empty() {
        write!(f, " {size}")?;
    }
    match counts {
        Some(Counts { states, transitions, errors }) => {
            writeln!(f, "\n\n{} states, {} transitions, {errors} errors.\n", Grouped(*states), Grouped(*transitions))?
        }
        None => writeln!(f, "\n\nThe baseline came to no end.\n")?,
    }
    writeln!(
        f,
        "| | to verdict, s | | search, s | M transitions/s | | bytes per state | | peak, MB | | |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|"
    )?;
    results.iter().try_for_each(|result| write_result(f, result))?;
    writeln!(f)
}

fn write_result(f: &mut fmt::Formatter<'_>, result: &VariantResult) -> fmt::Result {
    let name = &result.variant;
    let Figures { to_verdict, search, transitions_per_second, bytes_per_state, used_per_state, peak_bytes, .. } =
        match &result.figures {
            Ok(figures) => figures,
            Err(why) => return writeln!(f, "| {name} | | | | | | | | | | {why} |"),
        };
    let ratio = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.2}x"));
    let work = result.ratios.and_then(|ratios| ratios.work);
    let remark = match &result.remark {
        Remark::None => String::new(),
        Remark::Differs(how) => format!("**differs**: {how}"),
        Remark::Share(share) => format!("{:.4} % of the states", 100.0 * share),
        Remark::States(states) => format!("{} states", Grouped(*states)),
    };
    writeln!(
        f,
        "| {name} | {} | {} | {} | {:.2} | {} | {bytes_per_state:.1}{} | {} | {:.0} | {} | {remark} |",
        Seconds(to_verdict),
        ratio(result.ratios.map(|ratios| ratios.to_verdict)),
        Seconds(search),
        transitions_per_second.median / 1e6,
        ratio(work.map(|work| work.transitions_per_second)),
        used_per_state.map_or(String::new(), |bytes| format!(" ({bytes:.1})")),
        ratio(work.map(|work| work.bytes_per_state)),
        peak_bytes.median / f64::from(1 << 20),
        ratio(work.map(|work| work.peak_bytes)),
    )
}

fn write_small(f: &mut fmt::Formatter<'_>, small: &SmallModels) -> fmt::Result {
    writeln!(f, "## Small models\n\nFrom the source to the verdict: SPIN's examples that pan searches within 0.1 s.")?;
    writeln!(f, "`spin -a`, `gcc -O2 -DSAFETY` and `pan` against `homing check`.\n")?;
    let mut models: Vec<_> = small.measured.iter().collect();
    models.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    let ratios: Vec<f64> = models.iter().map(|model| model.ratio()).collect();
    if let (Some(mean), Some(worst)) = (geometric_mean(&ratios), models.first()) {
        let count = models.len();
        writeln!(
            f,
            "{count} models: {mean:.0} times as fast (geometric mean), at worst {:.1} times ({}).\n",
            worst.ratio(),
            worst.name
        )?;
    }
    writeln!(f, "| | SPIN, ms | homing, ms | |\n|---|--:|--:|--:|")?;
    for model in models {
        let (spin, homing) = (Milliseconds(&model.spin), Milliseconds(&model.homing));
        writeln!(f, "| {} | {spin} | {homing} | {:.1}x |", model.name, model.ratio())?;
    }
    writeln!(f)?;
    for (name, why) in &small.left_out {
        writeln!(f, "- left out: {name}: {why}")?;
    }
    writeln!(f)
}

/// `1.25 (1.20-1.31)`
struct Seconds<'a>(&'a Spread);

impl Display for Seconds<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_spread(f, self.0, 1.0, 2)
    }
}

/// Of seconds: `1.2 (1.1-1.3)`
struct Milliseconds<'a>(&'a Spread);

impl Display for Milliseconds<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_spread(f, self.0, 1e3, 1)
    }
}

/// The range is left out where there is none.
fn write_spread(f: &mut fmt::Formatter<'_>, spread: &Spread, scale: f64, digits: usize) -> fmt::Result {
    let [median, min, max] = [spread.median, spread.min, spread.max].map(|value| value * scale);
    write!(f, "{median:.digits$}")?;
    if spread.min < spread.max { write!(f, " ({min:.digits$}-{max:.digits$})") } else { Ok(()) }
}

/// `2.10 (1.50)`: the geometric mean and the worst.
struct Means(Vec<f64>);

impl Display for Means {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match geometric_mean(&self.0) {
            Some(mean) => {
                let worst = self.0.iter().copied().fold(f64::INFINITY, f64::min);
                write!(f, "{mean:.2}x ({worst:.2}x)")
            }
            None => f.write_char('-'),
        }
    }
}

/// `1,234,567`
struct Grouped(u64);

impl Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                f.write_char(',')?;
            }
            f.write_char(digit)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::{entry, record, variants};
    use super::super::set::Work;
    use super::super::small::SmallModel;
    use super::*;

    fn spread(value: f64) -> Spread {
        Spread { median: value, min: value, max: value }
    }

    fn model(homing_states: u64) -> ModelResult {
        let records = [record("spin", 1, 2.0, 1_234_567), record("bfs", 1, 1.0, homing_states)];
        ModelResult::of(&entry(), &variants(Work::Same), "spin", &records)
    }

    #[test]
    fn a_model_has_figures_and_ratios() {
        let report = Report { models: vec![model(1_234_567)], ..Report::default() }.to_string();
        assert!(report.contains("## m N=3\n\n1,234,567 states, 4,938,268 transitions, 0 errors.\n"), "{report}");
        assert!(
            report.contains("| spin | 4.00 | 1.00x | 2.00 | 2.47 | 1.00x | 50.0 | 1.00x | 64 | 1.00x |  |\n"),
            "{report}"
        );
        assert!(
            report.contains("| bfs | 1.00 | 4.00x | 1.00 | 4.94 | 2.00x | 10.0 | 5.00x | 32 | 2.00x |  |\n"),
            "{report}"
        );
        assert!(
            report.contains(
                "| bfs | 1 | 4.00x (4.00x) | 2.00x (2.00x) | 2.00x (2.00x) | 5.00x (5.00x) | 2.00x (2.00x) |\n"
            ),
            "{report}"
        );
    }

    #[test]
    fn other_work_shows_no_ratio() {
        let report = Report { models: vec![model(7)], ..Report::default() }.to_string();
        assert!(report.contains("**differs**: 7 states, 28 transitions, 0 errors |"), "{report}");
        assert!(report.contains("| bfs | 0 | - | - | - | - | - |\n"), "{report}");
    }

    #[test]
    fn small_models_come_worst_first() {
        let row = |name: &str, homing| SmallModel { name: name.into(), spin: spread(1.0), homing: spread(homing) };
        let left_out = vec![("c.pml".to_string(), "not small".to_string())];
        let small = SmallModels { measured: vec![row("a.pml", 0.01), row("b.pml", 0.04)], left_out };
        let report = Report { small: Some(small), ..Report::default() }.to_string();
        assert!(
            report.contains("2 models: 50 times as fast (geometric mean), at worst 25.0 times (b.pml)."),
            "{report}"
        );
        assert!(report.contains("| b.pml | 1000.0 | 40.0 | 25.0x |\n| a.pml | 1000.0 | 10.0 | 100.0x |\n"), "{report}");
        assert!(report.contains("- left out: c.pml: not small\n"), "{report}");
    }

    #[test]
    fn a_spread_shows_its_range() {
        let wide = Spread { median: 1.25, min: 1.2, max: 1.5 };
        assert_eq!(Seconds(&wide).to_string(), "1.25 (1.20-1.50)");
        assert_eq!(Milliseconds(&spread(0.0123)).to_string(), "12.3");
        assert_eq!([1, 999, 1000, 1_234_567].map(|n| Grouped(n).to_string()), ["1", "999", "1,000", "1,234,567"]);
    }
}
