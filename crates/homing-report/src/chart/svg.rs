//! A laid-out chart as SVG. Everything has a class; colours are in one place, the style sheet.
//!
//! Later elements hide earlier ones: lines, then arrows, then frames, then texts, which have a white halo.

use std::fmt::Write;

use super::layout::{Anchor, Arrow, ArrowKind, Frame, FrameKind, Layout, Style, Text};

/// Class names have a prefix and the sheet is scoped to it, so that several charts fit into one page.
const STYLE_SHEET: &str = r#"
.homing-chart text { font-family: ui-monospace, Menlo, "DejaVu Sans Mono", "Liberation Mono", monospace; fill: #24292f;
  paint-order: stroke; stroke: #fff; stroke-width: 3px; stroke-linejoin: round; }
.homing-chart .title { font-size: 15px; font-weight: bold; }
.homing-chart .verdict { font-size: 13px; font-weight: bold; fill: #b3261e; }
.homing-chart .head { font-size: 12px; font-weight: bold; stroke: none; }
.homing-chart .faint { fill: #8b949e; font-weight: normal; }
.homing-chart .statement { font-size: 12px; stroke: none; }
.homing-chart .label { font-size: 12px; }
.homing-chart .blocked { font-size: 12px; fill: #b3261e; stroke: none; }
.homing-chart .step, .homing-chart .note { font-size: 11px; fill: #57606a; }
.homing-chart .failed { fill: #b3261e; font-weight: bold; }
.homing-chart .cycle { stroke: #b3261e; }
.homing-chart .place { font-size: 11px; fill: #8b949e; }
.homing-chart .queue { font-size: 10px; fill: #8b949e; }
.homing-chart path { fill: none; stroke-width: 1.5; }
.homing-chart .leader { stroke: #eaeef2; stroke-width: 1; }
.homing-chart .life { stroke: #afb8c1; stroke-width: 1; }
.homing-chart .gap { stroke: #afb8c1; stroke-width: 1; stroke-dasharray: 1 4; }
.homing-chart .cross { stroke: #24292f; }
.homing-chart .handshake { stroke: #0b4f9e; }
.homing-chart .message { stroke: #1a7f4b; }
.homing-chart .peek { stroke: #1a7f4b; stroke-dasharray: 5 3; }
.homing-chart .part { stroke: #1a7f4b; stroke-dasharray: 2 3; }
.homing-chart .run { stroke: #6e5494; stroke-dasharray: 5 3; }
.homing-chart rect { fill: #fff; stroke-width: 1; }
.homing-chart .head-frame { fill: #f6f8fa; stroke: #57606a; }
.homing-chart .faint-frame { stroke: #d0d7de; stroke-dasharray: 3 3; }
.homing-chart .statement-frame { stroke: #d0d7de; }
.homing-chart .blocked-frame { fill: #fff5f4; stroke: #b3261e; }
"#;

/// One arrowhead for each colour: a marker cannot take the colour of its line everywhere.
const HEADS: [(&str, &str); 3] = [("handshake", "#0b4f9e"), ("message", "#1a7f4b"), ("run", "#6e5494")];

pub(super) fn print(layout: &Layout) -> String {
    let mut out = String::new();
    let (width, height) = (number(layout.width), number(layout.height));
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="homing-chart" role="img" width="{width}" height="{height}" viewBox="0 0 {width} {height}">"#
    );
    if !layout.title.is_empty() {
        let _ = writeln!(out, "<title>{}</title>", escape(&layout.title));
    }
    let _ = writeln!(out, "<style>{STYLE_SHEET}</style>");
    definitions(&mut out);
    let _ = writeln!(out, r#"<rect width="{width}" height="{height}"/>"#);
    for (from, to) in &layout.leaders {
        let _ = writeln!(out, r#"<path class="leader" d="M{} {}H{}"/>"#, number(from.x), number(from.y), number(to.x));
    }
    for line in &layout.lifelines {
        let class = if line.dotted { "gap" } else { "life" };
        let (x, top, bottom) = (number(line.x), number(line.top), number(line.bottom));
        let _ = writeln!(out, r#"<path class="{class}" d="M{x} {top}V{bottom}"/>"#);
    }
    if let Some((from, to)) = layout.bracket {
        let (right, x, top, bottom) = (number(from.x + 4.0), number(from.x), number(from.y - 6.0), number(to.y + 6.0));
        let _ = writeln!(
            out,
            r#"<path class="cycle" d="M{right} {top}H{x}V{bottom}H{right}"><title>repeats forever</title></path>"#
        );
    }
    for at in &layout.crosses {
        let (x, y) = (number(at.x - 5.0), number(at.y - 5.0));
        let _ = writeln!(out, r#"<path class="cross" d="M{x} {y}l10 10m0 -10l-10 10"/>"#);
    }
    layout.arrows.iter().for_each(|arrow| print_arrow(&mut out, arrow));
    layout.frames.iter().for_each(|frame| print_frame(&mut out, frame));
    layout.texts.iter().for_each(|text| print_text(&mut out, text));
    out.push_str("</svg>\n");
    out
}

fn definitions(out: &mut String) {
    out.push_str("<defs>\n");
    for (name, colour) in HEADS {
        // The reference point is the tip: the arrow ends exactly where its line does.
        let _ = writeln!(
            out,
            r#"<marker id="homing-{name}" markerUnits="userSpaceOnUse" markerWidth="10" markerHeight="8" refX="9" refY="4" orient="auto"><path d="M0 0.5L9 4L0 7.5z" style="fill:{colour}"/></marker>"#
        );
    }
    let colour = HEADS[1].1;
    let _ = writeln!(
        out,
        r#"<marker id="homing-queued" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" refX="0.5" refY="4.5"><path d="M1 1h7v7h-7z" style="fill:#fff;stroke:{colour};stroke-width:1.5"/></marker>"#
    );
    out.push_str("</defs>\n");
}

fn print_arrow(out: &mut String, arrow: &Arrow) {
    let (class, head) = match arrow.kind {
        ArrowKind::Handshake => ("handshake", "handshake"),
        ArrowKind::Run => ("run", "run"),
        ArrowKind::Message => ("message", "message"),
        ArrowKind::Peek => ("peek", "message"),
        ArrowKind::Queued => ("message", "queued"),
        ArrowKind::Outbound | ArrowKind::Inbound => ("part", "message"),
    };
    let (from, to) = (arrow.from, arrow.to);
    let start = format!("M{} {}", number(from.x), number(from.y));
    let way = if arrow.swing > 0.0 {
        // Both control points are a third beyond the swing: so the curve turns around at `swing`.
        let x = number(from.x + arrow.swing * 4.0 / 3.0);
        format!("C{x} {} {x} {} {} {}", number(from.y), number(to.y), number(to.x), number(to.y))
    } else {
        format!("L{} {}", number(to.x), number(to.y))
    };
    let _ = writeln!(
        out,
        r#"<path class="{class}" marker-end="url(#homing-{head})" d="{start}{way}"><title>{}</title></path>"#,
        escape(&arrow.hint)
    );
}

fn print_frame(out: &mut String, frame: &Frame) {
    let class = match frame.kind {
        FrameKind::Head => "head-frame",
        FrameKind::FaintHead => "faint-frame",
        FrameKind::Statement => "statement-frame",
        FrameKind::Failed | FrameKind::Blocked => "blocked-frame",
    };
    let bounds = &frame.bounds;
    let _ = writeln!(
        out,
        r#"<rect class="{class}" x="{}" y="{}" width="{}" height="{}" rx="3"/>"#,
        number(bounds.left),
        number(bounds.top),
        number(bounds.width),
        number(bounds.height)
    );
}

fn print_text(out: &mut String, text: &Text) {
    let class = match text.style {
        Style::Title => "title",
        Style::Head => "head",
        Style::FaintHead => "head faint",
        Style::Step => "step",
        Style::FailedStep => "step failed",
        Style::Place => "place",
        Style::Statement => "statement",
        Style::Label => "label",
        Style::Queue => "queue",
        Style::Note => "note",
        Style::Blocked => "blocked",
        Style::Verdict => "verdict",
    };
    let anchor = match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => r#" text-anchor="middle""#,
        Anchor::End => r#" text-anchor="end""#,
    };
    // The baseline: `dominant-baseline` is not honoured by every renderer.
    let baseline = text.at.y + 0.35 * text.style.size();
    let hint = text.hint.as_ref().map_or(String::new(), |hint| format!("<title>{}</title>", escape(hint)));
    let _ = writeln!(
        out,
        r#"<text class="{class}"{anchor} x="{}" y="{}">{hint}{}</text>"#,
        number(text.at.x),
        number(baseline),
        escape(&text.content)
    );
}

/// A number with at most one decimal.
fn number(value: f64) -> String {
    ((value * 10.0).round() / 10.0).to_string()
}

/// Escapes what XML needs; the layout has made it one line without characters that XML does not allow.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use crate::chart::sample;

    #[test]
    fn a_picture_has_its_size() {
        let svg = sample::philosophers().svg(None);
        let first = svg.lines().next().expect("a line");
        let attribute = |name: &str| {
            let start = first.find(&format!(" {name}=\"")).expect(name) + name.len() + 3;
            &first[start..start + first[start..].find('"').expect("a quote")]
        };
        assert_eq!(attribute("viewBox"), format!("0 0 {} {}", attribute("width"), attribute("height")));
        assert!(svg.ends_with("</svg>\n"));
    }

    #[test]
    fn markup_in_statements_is_text() {
        let svg = sample::nursery().svg(None);
        assert!(svg.contains(r"printf(&quot;%d &amp; &lt;%d&gt;\n&quot;, a, b)"), "{svg}");
        let mut chart = sample::counting(1);
        chart.events[0].text = "a\u{0}b\nc\u{ffff}".to_owned();
        assert!(chart.svg(None).contains(">a b c</text>"));
    }

    #[test]
    fn long_texts_are_cut_and_whole_in_the_tooltip() {
        let mut chart = sample::counting(1);
        chart.events[0].text = "x".repeat(50);
        let svg = chart.svg(None);
        assert!(svg.contains(&format!("<title>{}</title>{}…</text>", "x".repeat(50), "x".repeat(39))), "{svg}");
    }

    #[test]
    fn elements_are_balanced() {
        for chart in sample::all().into_iter().chain((0..50).map(sample::random)) {
            let svg = chart.svg(Some(60));
            let mut open: Vec<&str> = Vec::new();
            for part in svg.split('<').skip(1) {
                let (tag, _) = part.split_once('>').expect("a tag ends");
                if let Some(name) = tag.strip_prefix('/') {
                    assert_eq!(open.pop(), Some(name));
                } else if !tag.ends_with('/') {
                    open.push(tag.split(' ').next().unwrap_or(tag));
                }
            }
            assert!(open.is_empty(), "{open:?}");
        }
    }
}
