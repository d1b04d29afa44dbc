//! The plan of a picture: everything that has to be known before the first shape is placed. The columns depend on all
//! rows.

use std::collections::{HashMap, HashSet};

use super::super::Chart;
use super::super::messages::{self, Delivery};
use super::super::rows::{Row, Rows};
use super::arrows::{self, Sketch};
use super::columns::{Columns, FRAME_PAD, PAD};
use super::shapes::Style;
use super::words::{self, LabelSide, RowPlan};
use super::{EDGE, HALF_HEAD, LONGEST_PLACE};
use crate::fit;

/// The longest name of a lane, in characters.
const LONGEST_NAME: usize = 28;
/// The width in characters of a blocked statement, which is wrapped: these are side by side.
const BLOCKED_LINE: usize = 24;

pub(super) fn blocked_width(lines: &[String]) -> f64 {
    let width = |line: &String| Style::Blocked.width(line) + 2.0 * FRAME_PAD;
    lines.iter().map(width).fold(0.0, f64::max)
}

/// The vertical extent of a row; the event is at `middle`.
pub(super) struct Band {
    pub(super) top: f64,
    pub(super) middle: f64,
    pub(super) bottom: f64,
}

pub(super) struct Plan<'a> {
    pub(super) chart: &'a Chart,
    pub(super) rows: Rows,
    /// By row; `None` for a row without an event.
    pub(super) row_plans: Vec<Option<RowPlan>>,
    pub(super) sketches: Vec<Sketch>,
    /// The names of the lanes, cut if they are too long.
    pub(super) names: Vec<String>,
    /// By lane: the lines of the statement it is blocked at.
    pub(super) blocked: Vec<Vec<String>>,
    pub(super) columns: Columns,
    pub(super) step_end: f64,
    pub(super) place_start: f64,
    /// The horizontal positions of the lanes.
    pub(super) lanes: Vec<f64>,
    pub(super) width: f64,
}

impl<'a> Plan<'a> {
    /// Plans the picture. The labels of the events in `dodging` are on the side of their lane where their arrow is not.
    pub(super) fn of(chart: &'a Chart, most: Option<usize>, dodging: &HashSet<usize>) -> Self {
        let rows = Rows::of(chart, most);
        let deliveries = messages::deliveries(&chart.events);
        let others = other_lanes(chart, &deliveries);
        let other = |event: usize| others.get(&event).copied();
        let mut columns = Columns::new(chart.lanes.len());
        let (mut step_width, mut place_width) = (0.0_f64, 0.0_f64);
        let mut row_plans = Vec::with_capacity(rows.rows.len());
        for row in &rows.rows {
            row_plans.push(if let Row::Event(index) = *row {
                let event = &chart.events[index];
                step_width = step_width.max(Style::Step.width(&event.step.to_string()));
                place_width = place_width.max(Style::Place.width(&fit::cut_front(&event.place, LONGEST_PLACE)));
                let label = if dodging.contains(&index) { LabelSide::Away } else { LabelSide::Arrow };
                let plan = words::plan(chart, index, other(index), label);
                plan.words.iter().for_each(|word| columns.reserve_for(event.lane, word));
                Some(plan)
            } else {
                None
            });
        }
        let sketches = arrows::sketch(chart, &rows, &deliveries, other);
        sketches.iter().for_each(|sketch| sketch.reserve(&mut columns));

        let names: Vec<String> = chart.lanes.iter().map(|lane| fit::cut_name(&lane.name, LONGEST_NAME)).collect();
        let head_width = |name: &String| Style::Head.width(name) + 2.0 * FRAME_PAD;
        columns.reserve_row(&names.iter().map(head_width).collect::<Vec<_>>());
        let mut blocked = vec![Vec::new(); chart.lanes.len()];
        for (lane, statement) in &chart.blocked {
            blocked[*lane].extend(fit::wrap(statement, BLOCKED_LINE));
        }
        columns.reserve_row(&blocked.iter().map(|lines| blocked_width(lines)).collect::<Vec<_>>());
        if !chart.blocked.is_empty() {
            // The caption of the foot is on the margin.
            place_width = place_width.max(Style::Blocked.width("blocked on") - step_width);
        }

        let step_end = (EDGE + step_width).ceil();
        let place_start = step_end + 10.0;
        let (lanes, end) = columns.places((place_start + place_width + 2.0 * PAD).ceil(), chart.lanes.len());
        // A title or a verdict is not squeezed into the width of a single lane.
        let longest = |text: &str, style: Style| style.width(text).min(style.size() * 36.0);
        let widest =
            longest(&chart.title, Style::Title).max(longest(chart.verdict.as_deref().unwrap_or(""), Style::Verdict));
        let width = (end + EDGE).max(widest + 2.0 * EDGE).ceil();
        Plan { chart, rows, row_plans, sketches, names, blocked, columns, step_end, place_start, lanes, width }
    }

    /// The vertical extents of the rows, if the first begins at `top`.
    pub(super) fn bands(&self, top: f64) -> Vec<Band> {
        let mut top = top;
        let mut bands = Vec::with_capacity(self.row_plans.len());
        for (row, row_plan) in self.rows.rows.iter().zip(&self.row_plans) {
            let (above, below) = match (row, row_plan) {
                (Row::Heads, _) if bands.is_empty() => (HALF_HEAD, HALF_HEAD + 6.0),
                (Row::Heads, _) => (HALF_HEAD + 8.0, HALF_HEAD + 8.0),
                (_, Some(plan)) => (plan.above, plan.below),
                (_, None) => (20.0, 20.0),
            };
            bands.push(Band { top, middle: top + above, bottom: top + above + below });
            top += above + below;
        }
        bands
    }
}

/// For each end of a buffered message the lane of its other end. If a message is read more than once, the arrow of its
/// send leads to the first reader.
fn other_lanes(chart: &Chart, deliveries: &[Delivery]) -> HashMap<usize, usize> {
    let mut others = HashMap::new();
    for delivery in deliveries {
        if let (Some(sent), Some(received)) = (delivery.sent, delivery.received) {
            others.entry(sent).or_insert(chart.events[received].lane);
            others.insert(received, chart.events[sent].lane);
        }
    }
    others
}
