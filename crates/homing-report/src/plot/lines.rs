//! A plot of numbers against numbers: lines between points, on axes that begin at 0.

use std::fmt::Write;

use super::{HEIGHT, LEFT, TOP, WIDTH, escape, frame, point, stroke, titles};

/// A line.
#[derive(Clone, Debug)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// Its points, from left to right; no number is negative.
    pub points: Vec<(f64, f64)>,
}

/// Several lines on common axes.
#[derive(Clone, Debug)]
pub struct LinePlot {
    /// The line above the plot.
    pub title: String,
    /// What the horizontal axis shows.
    pub x: String,
    /// What the vertical axis shows.
    pub y: String,
    /// The lines, in the order of the legend.
    pub series: Vec<Series>,
}

impl LinePlot {
    /// The picture.
    pub fn svg(&self) -> String {
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        let mut out = frame(&self.title, &names);
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Axis::up_to(points().map(|point| point.0));
        let y = Axis::up_to(points().map(|point| point.1));
        let place = |&(of_x, of_y): &(f64, f64)| (LEFT + WIDTH * of_x / x.end, TOP + HEIGHT * (1.0 - of_y / y.end));
        for number in y.numbers() {
            let (_, at) = place(&(0.0, number));
            let (before, below) = (LEFT - 8.0, at + 4.0);
            let _ = writeln!(
                out,
                r#"<path class="grid" d="M{LEFT} {at:.1}h{WIDTH}"/><text x="{before}" y="{below:.1}" text-anchor="end">{}</text>"#,
                y.label(number)
            );
        }
        for number in x.numbers() {
            let (at, _) = place(&(number, 0.0));
            let below = TOP + HEIGHT + 18.0;
            let _ = writeln!(
                out,
                r#"<path class="grid" d="M{at:.1} {TOP}v{HEIGHT}"/><text x="{at:.1}" y="{below}" text-anchor="middle">{}</text>"#,
                x.label(number)
            );
        }
        titles(&mut out, &self.x, &self.y);
        for (nth, Series { name, points }) in self.series.iter().enumerate().filter(|(_, one)| !one.points.is_empty()) {
            let (colour, dash) = stroke(nth);
            let line: Vec<String> = points.iter().map(|one| point(&place(one))).collect();
            let _ = writeln!(
                out,
                r#"<path class="curve" stroke="{colour}" stroke-dasharray="{dash}" d="M{}"><title>{}</title></path>"#,
                line.join("L"),
                escape(name)
            );
        }
        out.push_str("</svg>\n");
        out
    }
}

/// An axis from 0 on.
struct Axis {
    end: f64,
    /// The distance between two numbers on it: 1, 2 or 5 times a power of ten.
    step: f64,
}

impl Axis {
    /// The axis that has room for these numbers, with four to ten steps.
    fn up_to(numbers: impl Iterator<Item = f64>) -> Self {
        let most = numbers.fold(0.0, f64::max);
        let most = if most > 0.0 { most } else { 1.0 };
        let power = 10f64.powf((most / 4.0).log10().floor());
        let fitting = [5.0, 2.0, 1.0].into_iter().map(|factor| factor * power).find(|step| most / step >= 4.0);
        let step = fitting.unwrap_or(power);
        Axis { end: (most / step - 1e-9).ceil() * step, step }
    }

    fn numbers(&self) -> impl Iterator<Item = f64> {
        let step = self.step;
        (0..=(self.end / step).round() as u32).map(move |nth| f64::from(nth) * step)
    }

    /// A number with as many digits as the steps need.
    fn label(&self, number: f64) -> String {
        let digits = (-self.step.log10().floor()).max(0.0) as usize;
        format!("{number:.digits$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_after_the_largest_number() {
        for (most, end, step) in
            [(0.0, 1.0, 0.2), (9.0, 10.0, 2.0), (57.0, 60.0, 10.0), (0.8, 0.8, 0.2), (1004.0, 1200.0, 200.0)]
        {
            let axis = Axis::up_to([most].into_iter());
            assert!(
                (axis.end - end).abs() < 1e-9 && (axis.step - step).abs() < 1e-9,
                "{most}: {} {}",
                axis.end,
                axis.step
            );
        }
        let labels: Vec<String> = {
            let axis = Axis::up_to([0.8].into_iter());
            axis.numbers().map(|one| axis.label(one)).collect()
        };
        assert_eq!(labels, ["0.0", "0.2", "0.4", "0.6", "0.8"]);
    }

    #[test]
    fn the_picture_has_a_line_for_each_series() {
        let series = |name: &str| Series { name: name.to_owned(), points: vec![(0.0, 0.0), (10.0, 50.0)] };
        let empty = Series { name: "empty".to_owned(), points: Vec::new() };
        let plot = LinePlot {
            title: "a & b".to_owned(),
            x: "distance".to_owned(),
            y: "difference in %".to_owned(),
            series: vec![series("nearest"), series("farthest"), empty],
        };
        let svg = plot.svg();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
        assert_eq!(svg.matches("class=\"curve\"").count(), 5, "two lines, three entries of the legend: {svg}");
        assert!(svg.contains("a &amp; b") && svg.contains("difference in %") && !svg.contains("NaN"), "{svg}");
    }
}
