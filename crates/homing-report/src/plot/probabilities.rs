//! A plot of cumulative probabilities as SVG: the share of runs that found an error against the states that they visited, one curve for
//! each method.
//!
//! The axis of states is logarithmic, because methods differ by orders of magnitude. A curve is a step function, drawn up to where
//! it is known; its band, from the first error on, has the true probabilities in it with 95 %.

use std::fmt::Write;

use super::{HEIGHT, LEFT, TOP, WIDTH, escape, frame, point, stroke, titles};

/// One method.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The name in the legend.
    pub name: String,
    /// From which number of states on which share of the runs has found an error, in order.
    pub corners: Vec<(u64, f64)>,
    /// The number of states up to which the curve is known; `None` if it never changes again.
    pub known_until: Option<u64>,
    /// Half the height of the band around the curve, if one is drawn.
    pub band: Option<f64>,
}

/// Several methods on one model.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The line above the plot.
    pub title: String,
    /// The curves, in the order of the legend.
    pub curves: Vec<Curve>,
}

impl Plot {
    /// The picture.
    pub fn svg(&self) -> String {
        let names: Vec<&str> = self.curves.iter().map(|curve| curve.name.as_str()).collect();
        let mut out = frame(&self.title, &names);
        let scale = self.scale();
        scale.axes(&mut out);
        for (at, curve) in self.curves.iter().enumerate() {
            self.curve(&mut out, &scale, at, curve);
        }
        out.push_str("</svg>\n");
        out
    }

    /// The axis of states: from 1 to the next power of ten after the last number of a curve.
    fn scale(&self) -> Scale {
        let numbers = self
            .curves
            .iter()
            .flat_map(|curve| curve.corners.iter().map(|&(states, _)| states).chain(curve.known_until));
        let most = numbers.max().unwrap_or(1).max(10);
        Scale { decades: (most as f64).log10().ceil().max(1.0) }
    }

    fn curve(&self, out: &mut String, scale: &Scale, at: usize, curve: &Curve) {
        let (colour, dash) = stroke(at);
        if let Some(band) = curve.band {
            // from the first error on: bands of many methods would only be grey before
            let drawn = |shift: &dyn Fn(f64) -> f64| scale.steps(curve, shift).split_off(1);
            let (upper, lower) = (drawn(&|share| (share + band).min(1.0)), drawn(&|share| (share - band).max(0.0)));
            let outline: Vec<String> = upper.iter().chain(lower.iter().rev()).map(point).collect();
            let _ = writeln!(out, r#"<path class="band" fill="{colour}" d="M{}z"/>"#, outline.join("L"));
        }
        let line: Vec<String> = scale.steps(curve, |share| share).iter().map(point).collect();
        let _ = writeln!(
            out,
            r#"<path class="curve" stroke="{colour}" stroke-dasharray="{dash}" d="M{}"><title>{}</title></path>"#,
            line.join("L"),
            escape(&curve.name)
        );
    }
}

/// Where a number of states and a share are in the picture.
struct Scale {
    /// The powers of ten that the axis of states spans.
    decades: f64,
}

impl Scale {
    fn x(&self, states: u64) -> f64 {
        LEFT + WIDTH * ((states.max(1) as f64).log10() / self.decades).min(1.0)
    }

    fn y(share: f64) -> f64 {
        TOP + HEIGHT * (1.0 - share)
    }

    /// The corners of the step function of a curve, its shares changed by `shift`.
    fn steps(&self, curve: &Curve, shift: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        let known = |states: u64| curve.known_until.is_none_or(|until| states <= until);
        let mut points = vec![(LEFT, Self::y(shift(0.0)))];
        let mut share = 0.0;
        for &(states, next) in curve.corners.iter().filter(|(states, _)| known(*states)) {
            points.push((self.x(states), Self::y(shift(share))));
            points.push((self.x(states), Self::y(shift(next))));
            share = next;
        }
        let end = curve.known_until.map_or(LEFT + WIDTH, |until| self.x(until));
        points.push((end, Self::y(shift(share))));
        points
    }

    fn axes(&self, out: &mut String) {
        for tenth in (0..=10).step_by(2) {
            let share = f64::from(tenth) / 10.0;
            let y = Self::y(share);
            let _ = writeln!(
                out,
                r#"<path class="grid" d="M{LEFT} {y}h{WIDTH}"/><text x="{}" y="{}" text-anchor="end">{share:.1}</text>"#,
                LEFT - 8.0,
                y + 4.0
            );
        }
        for decade in 0..=self.decades as u32 {
            let (x, bottom) = (self.x(10u64.saturating_pow(decade)), TOP + HEIGHT);
            let _ = writeln!(
                out,
                r#"<path class="grid" d="M{x:.1} {TOP}v{HEIGHT}"/><text x="{x:.1}" y="{}" text-anchor="middle">{}</text>"#,
                bottom + 18.0,
                power_of_ten(decade)
            );
        }
        titles(out, "states expanded", "share of runs that found an error");
    }
}

/// The label of a power of ten: 1, 10, 100, 1000, then 10 with an exponent.
fn power_of_ten(exponent: u32) -> String {
    match exponent {
        0..=3 => 10u32.pow(exponent).to_string(),
        _ => format!(r#"10<tspan dy="-5" font-size="9">{exponent}</tspan>"#),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str) -> Curve {
        Curve {
            name: name.to_owned(),
            corners: vec![(10, 0.25), (100, 0.75)],
            known_until: Some(1000),
            band: Some(0.1),
        }
    }

    #[test]
    fn a_curve_is_a_step_function_up_to_where_it_is_known() {
        let scale = Scale { decades: 3.0 };
        let points = scale.steps(&curve("walk"), |share| share);
        let third = WIDTH / 3.0;
        let expected = [
            (LEFT, 1.0),
            (LEFT + third, 1.0),
            (LEFT + third, 0.75),
            (LEFT + 2.0 * third, 0.75),
            (LEFT + 2.0 * third, 0.25),
            (LEFT + WIDTH, 0.25),
        ];
        for ((x, y), (x_wanted, down)) in points.iter().zip(expected) {
            assert!((x - x_wanted).abs() < 1e-9 && (y - (TOP + HEIGHT * down)).abs() < 1e-9, "{points:?}");
        }
        assert_eq!(points.len(), expected.len());
    }

    #[test]
    fn what_happened_after_the_curve_is_known_is_not_drawn() {
        let cut = Curve { known_until: Some(50), ..curve("walk") };
        let points = Scale { decades: 2.0 }.steps(&cut, |share| share);
        assert!((points.last().expect("there are corners").1 - Scale::y(0.25)).abs() < 1e-9, "{points:?}");
    }

    #[test]
    fn the_picture_is_well_formed_and_names_every_curve() {
        let plot = Plot { title: "a < b & c".to_owned(), curves: vec![curve("walk"), curve("highway 16")] };
        let svg = plot.svg();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
        assert!(svg.contains("a &lt; b &amp; c") && svg.contains(">highway 16</text>"), "{svg}");
        assert_eq!(svg.matches("class=\"curve\"").count(), 4, "two curves, two lines of the legend: {svg}");
        assert_eq!(svg.matches("class=\"band\"").count(), 2, "{svg}");
        assert!(!svg.contains("NaN"), "{svg}");
    }

    #[test]
    fn an_empty_plot_has_axes() {
        let svg = Plot { title: String::new(), curves: Vec::new() }.svg();
        assert!(svg.contains("states expanded") && !svg.contains("NaN"), "{svg}");
    }
}
