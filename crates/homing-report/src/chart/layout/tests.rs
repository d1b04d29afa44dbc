use super::*;
use crate::chart::{EventKind, sample};

/// Hand-made and random charts, whole and with the middle left out.
fn for_each_layout(mut check: impl FnMut(&str, &Chart, Option<usize>, &Layout)) {
    let random = (0..300).map(|seed| (format!("seed {seed}"), sample::random(seed)));
    for (name, chart) in sample::all().into_iter().map(|chart| (chart.title.clone(), chart)).chain(random) {
        let whole = if chart.events.len() > 1000 { Some(200) } else { None };
        for most in [whole, Some(7)] {
            check(&name, &chart, most, &Layout::of(&chart, most));
        }
    }
}

/// Where the lanes are: the first row of heads has them all.
fn lanes(layout: &Layout) -> Vec<f64> {
    let is_head = |text: &&Text| matches!(text.style, Style::Head | Style::FaintHead);
    let top = layout.texts.iter().find(is_head).map(|text| text.at.y);
    layout.texts.iter().filter(is_head).filter(|text| Some(text.at.y) == top).map(|text| text.at.x).collect()
}

#[test]
fn no_two_texts_share_room() {
    for_each_layout(|name, _, most, layout| {
        let mut bounds: Vec<(Rectangle, &str)> =
            layout.texts.iter().map(|text| (text.bounds(), text.content.as_str())).collect();
        bounds.sort_by(|a, b| a.0.top.total_cmp(&b.0.top));
        for (index, (a, a_text)) in bounds.iter().enumerate() {
            for (b, b_text) in bounds[index + 1..].iter().take_while(|(b, _)| b.top < a.bottom()) {
                let apart = a.right() <= b.left || b.right() <= a.left;
                assert!(apart, "{name}, {most:?}: `{a_text}` {a:?} and `{b_text}` {b:?}");
            }
        }
    });
}

#[test]
fn all_is_inside_the_picture() {
    for_each_layout(|name, _, most, layout| {
        let texts = layout.texts.iter().map(Text::bounds);
        let frames = layout.frames.iter().map(|frame| frame.bounds);
        let arrows = layout.arrows.iter().map(|arrow| {
            let (left, right) = (arrow.from.x.min(arrow.to.x), arrow.from.x.max(arrow.to.x) + arrow.swing);
            let (top, bottom) = (arrow.from.y.min(arrow.to.y), arrow.from.y.max(arrow.to.y));
            Rectangle { left, top, width: right - left, height: bottom - top }
        });
        for bounds in texts.chain(frames).chain(arrows) {
            let inside = bounds.left >= 0.0
                && bounds.top >= 0.0
                && bounds.right() <= layout.width
                && bounds.bottom() <= layout.height;
            assert!(inside, "{name}, {most:?}: {bounds:?} in {} x {}", layout.width, layout.height);
        }
    });
}

#[test]
fn words_keep_off_the_lines_of_other_lanes() {
    for_each_layout(|name, _, most, layout| {
        let lanes = lanes(layout);
        let in_lanes = |text: &&Text| matches!(text.style, Style::Statement | Style::Label | Style::Queue);
        for text in layout.texts.iter().filter(in_lanes) {
            let bounds = text.bounds();
            let crossed = |x: f64| bounds.left < x && x < bounds.right() && (x - text.at.x).abs() > 0.01;
            assert!(!lanes.iter().any(|&x| crossed(x)), "{name}, {most:?}: {text:?}");
        }
    });
}

#[test]
fn arrows_end_on_their_lanes_in_their_rows() {
    for_each_layout(|name, chart, most, layout| {
        let lanes = lanes(layout);
        let end = |event: usize, lane: usize| {
            // The middle of a row is where its number is.
            let step = chart.events[event].step.to_string();
            let number = layout.texts.iter().find(|text| text.style == Style::Step && text.content == step);
            number.map(|text| Point { x: lanes[lane], y: text.at.y })
        };
        let mut expected = Vec::new();
        for (index, event) in chart.events.iter().enumerate() {
            match event.kind {
                EventKind::Handshake { to, .. } | EventKind::Run { lane: to } if to != event.lane => {
                    expected.extend(end(index, event.lane).zip(end(index, to)));
                }
                EventKind::Receive { message, .. } => {
                    let sent = chart.events[..index]
                        .iter()
                        .position(|event| matches!(event.kind, EventKind::Send { message: m, .. } if m == message));
                    let sent = sent.and_then(|sent| end(sent, chart.events[sent].lane));
                    expected.extend(sent.zip(end(index, event.lane)));
                }
                _ => {}
            }
        }
        let is_whole =
            |arrow: &&Arrow| !matches!(arrow.kind, ArrowKind::Queued | ArrowKind::Outbound | ArrowKind::Inbound);
        let mut found: Vec<_> = layout.arrows.iter().filter(is_whole).map(|arrow| (arrow.from, arrow.to)).collect();
        let by_end = |a: &(Point, Point), b: &(Point, Point)| a.1.y.total_cmp(&b.1.y).then(a.0.y.total_cmp(&b.0.y));
        expected.sort_by(by_end);
        found.sort_by(by_end);
        assert_eq!(found, expected, "{name}, {most:?}");
        for arrow in layout.arrows.iter().filter(|arrow| !is_whole(arrow)) {
            let end = if arrow.kind == ArrowKind::Inbound { arrow.to } else { arrow.from };
            assert!(lanes.contains(&end.x), "{name}, {most:?}: {arrow:?}");
        }
    });
}

#[test]
fn what_is_left_out_leaves_stubs() {
    let kinds = |most| {
        let layout = Layout::of(&sample::long(), most);
        layout.arrows.iter().map(|arrow| arrow.kind).collect::<Vec<_>>()
    };
    // `first` is received and `answer` sent in the middle; `second` crosses it.
    assert_eq!(kinds(Some(6)), [ArrowKind::Outbound, ArrowKind::Inbound, ArrowKind::Message]);
    let layout = Layout::of(&sample::pipeline(), None);
    let queued: Vec<&str> =
        layout.arrows.iter().filter(|arrow| arrow.kind == ArrowKind::Queued).map(|arrow| arrow.hint.as_str()).collect();
    assert_eq!(queued, ["work!2 #2, still in the queue", "ack!done #6, still in the queue"]);
}

#[test]
fn lanes_live_between_run_and_end() {
    let chart = sample::nursery();
    let layout = Layout::of(&chart, None);
    let lanes = lanes(&layout);
    let row_y = |step: &str| {
        layout.texts.iter().find(|text| text.style == Style::Step && text.content == step).expect("a row").at.y
    };
    let line = layout.lifelines.iter().find(|line| line.x == lanes[2]).expect("a line");
    assert_eq!((line.top, line.bottom), (row_y("2"), row_y("5")));
    assert!(layout.crosses.contains(&Point { x: lanes[2], y: row_y("5") }));
    let faint = layout.frames.iter().filter(|frame| frame.kind == FrameKind::FaintHead).count();
    assert_eq!(faint, 3, "three are born later");
}
