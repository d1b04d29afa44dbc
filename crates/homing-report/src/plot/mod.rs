//! Plots as SVG: cumulative probabilities ([`Plot`]), and lines between points ([`LinePlot`]).

mod lines;
mod probabilities;

use std::fmt::Write;

pub use lines::{LinePlot, Series};
pub use probabilities::{Curve, Plot};

/// Colours that differ also for readers who do not see red and green (Okabe & Ito 2008), and dashes that differ without colours.
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
/// How much is cut off above a plot without a title.
const HEAD: f64 = 32.0;
/// About the width of a letter, and what an entry of the legend takes besides.
const LETTER: f64 = 7.0;
const SAMPLE: f64 = 60.0;

/// The beginning of a picture, up to the area of the curves: title and legend.
fn frame(title: &str, names: &[&str]) -> String {
    let mut out = String::new();
    let legend_top = TOP + HEIGHT + FOOT;
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let columns = ((WIDTH / (SAMPLE + LETTER * longest as f64)) as usize).clamp(1, names.len().max(1));
    let rows = names.len().div_ceil(columns);
    let top = if title.is_empty() { HEAD } else { 0.0 };
    let (width, height) = (LEFT + WIDTH + 24.0, legend_top + LINE * rows as f64 + 12.0 - top);
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="homing-plot" role="img" width="{width}" height="{height}" viewBox="0 {top} {width} {height}">"#
    );
    let title = escape(title);
    let _ = writeln!(out, "<title>{title}</title>\n<style>{STYLE_SHEET}</style>");
    let _ = writeln!(out, r##"<rect y="{top}" width="{width}" height="{height}" fill="#fff"/>"##);
    if !title.is_empty() {
        let _ = writeln!(out, r#"<text class="title" x="{LEFT}" y="26">{title}</text>"#);
    }
    for (at, name) in names.iter().enumerate() {
        let left = LEFT + WIDTH / columns as f64 * (at % columns) as f64;
        let y = legend_top + LINE * (at / columns) as f64 + 8.0;
        let (colour, dash) = stroke(at);
        let _ = writeln!(
            out,
            r#"<path class="curve" stroke="{colour}" stroke-dasharray="{dash}" d="M{left:.1} {y}h28"/><text x="{:.1}" y="{}">{}</text>"#,
            left + 36.0,
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
    (COLOURS[at % COLOURS.len()], DASHES[at % DASHES.len()])
}

fn point((x, y): &(f64, f64)) -> String {
    format!("{x:.1} {y:.1}")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_differ_without_colours_and_legends_are_compact() {
        let dashes: Vec<&str> = (0..DASHES.len()).map(|at| stroke(at).1).collect();
        assert!((1..dashes.len()).all(|at| !dashes[..at].contains(&dashes[at])), "{dashes:?}");
        let height = |names: &[&str]| -> f64 {
            let frame = frame("", names);
            let at = frame.find(" height=\"").expect("a height") + 9;
            frame[at..].split('"').next().expect("it ends").parse().expect("a number")
        };
        assert_eq!(height(&["bfs", "dfs", "astar", "ida"]), height(&["bfs"]), "short names share a line");
        let long = "highway-exact 1000000 with a heuristic that has a long name";
        assert_eq!(height(&[long, long]), height(&[long]) + LINE);
        assert!(frame("a title", &[]).contains("a title</text>") && !frame("", &[]).contains("class=\"title\""));
    }
}
