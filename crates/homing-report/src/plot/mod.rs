//! Plots as SVG: cumulative probabilities ([`Plot`]), and lines between points ([`LinePlot`]).

mod lines;
mod probabilities;

use std::fmt::Write;

pub use lines::{LinePlot, Series};
pub use probabilities::{Curve, Plot};

/// Colours that differ also for readers who do not see red and green (Okabe & Ito 2008), then dashes.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"];
const DASHES: [&str; 4] = ["none", "7 3", "2 3", "9 3 2 3"];

const STYLE_SHEET: &str = r#"
.homing-plot text { font-family: ui-sans-serif, "DejaVu Sans", "Liberation Sans", sans-serif; font-size: 12px; fill: #24292f; }
.homing-plot .title { font-size: 15px; font-weight: bold; }
.homing-plot .grid { stroke: #eaeef2; fill: none; }
.homing-plot .axis { stroke: #57606a; fill: none; }
.homing-plot .curve { fill: none; stroke-width: 2; }
.homing-plot .band { stroke: none; fill-opacity: 0.13; }
"#;

/// The area of the curves in the picture.
const LEFT: f64 = 64.0;
const TOP: f64 = 48.0;
const WIDTH: f64 = 620.0;
const HEIGHT: f64 = 340.0;
/// The height of the axis below the area.
const FOOT: f64 = 52.0;
/// The height of a line of the legend.
const LINE: f64 = 20.0;

/// The beginning of a picture, up to the area of the curves: title and legend.
fn frame(title: &str, names: &[&str]) -> String {
    let mut out = String::new();
    let legend_top = TOP + HEIGHT + FOOT;
    let (width, height) = (LEFT + WIDTH + 24.0, legend_top + LINE * names.len() as f64 + 12.0);
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="homing-plot" role="img" width="{width}" height="{height}" viewBox="0 0 {width} {height}">"#
    );
    let title = escape(title);
    let _ = writeln!(out, "<title>{title}</title>\n<style>{STYLE_SHEET}</style>");
    let _ = writeln!(out, r##"<rect width="{width}" height="{height}" fill="#fff"/>"##);
    let _ = writeln!(out, r#"<text class="title" x="{LEFT}" y="26">{title}</text>"#);
    for (at, name) in names.iter().enumerate() {
        let y = legend_top + LINE * at as f64 + 8.0;
        let (colour, dash) = stroke(at);
        let _ = writeln!(
            out,
            r#"<path class="curve" stroke="{colour}" stroke-dasharray="{dash}" d="M{LEFT} {y}h28"/><text x="{}" y="{}">{}</text>"#,
            LEFT + 36.0,
            y + 4.0,
            escape(name)
        );
    }
    out
}

/// The lines of both axes, with what they show.
fn titles(out: &mut String, x: &str, y: &str) {
    let _ = writeln!(out, r#"<path class="axis" d="M{LEFT} {TOP}v{HEIGHT}h{WIDTH}"/>"#);
    let (middle, below) = (LEFT + WIDTH / 2.0, TOP + HEIGHT + 38.0);
    let _ = writeln!(out, r#"<text x="{middle}" y="{below}" text-anchor="middle">{}</text>"#, escape(x));
    let middle = TOP + HEIGHT / 2.0;
    let _ = writeln!(
        out,
        r#"<text transform="translate(18 {middle}) rotate(-90)" text-anchor="middle">{}</text>"#,
        escape(y)
    );
}

/// The colour and the dashes of a curve.
fn stroke(at: usize) -> (&'static str, &'static str) {
    (COLOURS[at % COLOURS.len()], DASHES[at / COLOURS.len() % DASHES.len()])
}

fn point((x, y): &(f64, f64)) -> String {
    format!("{x:.1} {y:.1}")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
