//! The geometry of the picture. It is separate from `svg`, which prints it, so that tests can check whether texts
//! overlap and where arrows end.

mod arrows;
mod columns;
mod crossings;
mod plan;
mod shapes;
mod words;

use std::collections::HashSet;

use super::Chart;
use super::rows::{Moment, Row};
use crate::fit;
use columns::{FRAME_PAD, PAD};
use plan::{Band, Plan, blocked_width};
pub(super) use shapes::{Anchor, Arrow, ArrowKind, Frame, FrameKind, Lifeline, Point, Rectangle, Style, Text};
use words::{HALF_FRAME, Placement, RowPlan, Side};

/// The margin around the picture.
const EDGE: f64 = 16.0;
/// The longest place of an event, in characters.
const LONGEST_PLACE: usize = 32;
const HALF_HEAD: f64 = 12.0;

pub(super) struct Layout {
    pub(super) title: String,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) texts: Vec<Text>,
    pub(super) arrows: Vec<Arrow>,
    pub(super) lifelines: Vec<Lifeline>,
    pub(super) frames: Vec<Frame>,
    /// The ends of lanes.
    pub(super) crosses: Vec<Point>,
    /// Thin lines from the margin to the lane of each event.
    pub(super) leaders: Vec<(Point, Point)>,
    /// The bracket of a cycle, from its first row to its last.
    pub(super) bracket: Option<(Point, Point)>,
}

impl Layout {
    /// Lays the chart out, and a second time if arrows run through texts: their labels move to the other side of the
    /// lane, if that leaves fewer texts with an arrow through them.
    pub(super) fn of(chart: &Chart, most: Option<usize>) -> Self {
        let first = Layout::draw(&Plan::of(chart, most, &HashSet::new()));
        let crossed = first.crossed();
        let dodging: HashSet<usize> = crossed.iter().filter_map(|text| text.labels).collect();
        if dodging.is_empty() {
            return first;
        }
        let second = Layout::draw(&Plan::of(chart, most, &dodging));
        if second.crossed().len() < crossed.len() { second } else { first }
    }

    fn draw(plan: &Plan) -> Self {
        let chart = plan.chart;
        let mut layout = Layout {
            title: fit::on_one_line(&chart.title),
            width: plan.width,
            height: 0.0,
            texts: Vec::new(),
            arrows: Vec::new(),
            lifelines: Vec::new(),
            frames: Vec::new(),
            crosses: Vec::new(),
            leaders: Vec::new(),
            bracket: None,
        };
        let top = layout.lines(&chart.title, Style::Title, EDGE);
        let bands = plan.bands(if top > EDGE { top + 10.0 } else { top });
        for (row, band) in bands.iter().enumerate() {
            layout.row(plan, row, band);
        }
        let bottom = bands.last().map_or(top, |band| band.bottom) + 8.0;
        layout.lifelines(plan, &bands, bottom);
        layout.bracket = chart.cycle.filter(|start| *start < chart.events.len()).map(|start| {
            let at = |event: usize| Point { x: plan.step_end + 3.0, y: bands[plan.rows.row_of(event)].middle };
            (at(start), at(chart.events.len() - 1))
        });
        let middles: Vec<f64> = bands.iter().map(|band| band.middle).collect();
        layout.arrows = plan.sketches.iter().map(|sketch| sketch.draw(&plan.lanes, &middles)).collect();
        layout.foot(plan, bottom);
        layout
    }

    fn row(&mut self, plan: &Plan, row: usize, band: &Band) {
        let y = band.middle;
        match plan.rows.rows[row] {
            Row::Heads => self.heads(plan, row, y),
            Row::LeftOut { steps } => {
                let content = format!("… {} steps left out", fit::grouped(steps));
                let half = Style::Note.width(&content) / 2.0;
                let middle = (plan.lanes.first().unwrap_or(&0.0) + plan.lanes.last().unwrap_or(&0.0)) / 2.0;
                let x = middle.max(EDGE + half);
                self.width = self.width.max(x + half + EDGE);
                self.say(Point { x, y }, Anchor::Middle, Style::Note, content);
            }
            Row::Event(event) => self.event(plan, event, plan.row_plans[row].as_ref(), y),
        }
    }

    fn event(&mut self, plan: &Plan, index: usize, row_plan: Option<&RowPlan>, y: f64) {
        let event = &plan.chart.events[index];
        let is_failed = plan.chart.failed == Some(index);
        let style = if is_failed { Style::FailedStep } else { Style::Step };
        self.say(Point { x: plan.step_end, y }, Anchor::End, style, event.step.to_string());
        let (at, style) = (Point { x: plan.place_start, y }, Style::Place);
        let place = fit::cut_front(&event.place, LONGEST_PLACE);
        let hint = Some(fit::on_one_line(&event.place)).filter(|full| *full != place);
        let place = Text { at, anchor: Anchor::Start, style, content: place, hint, labels: None };
        let leader_start = place.bounds().right() + PAD;
        self.texts.push(place);
        let first = self.texts.len();
        if let Some(row_plan) = row_plan {
            self.words(plan, index, row_plan, y);
        }
        let words = self.texts[first..].iter().map(|text| text.bounds().left - PAD);
        let leader_end = words.fold(plan.lanes[event.lane], f64::min);
        if leader_start < leader_end {
            self.leaders.push((Point { x: leader_start, y }, Point { x: leader_end, y }));
        }
    }

    fn words(&mut self, plan: &Plan, event: usize, row_plan: &RowPlan, y: f64) {
        let lane = plan.chart.events[event].lane;
        for word in &row_plan.words {
            let x = plan.lanes[lane];
            let (x, anchor) = match word.placement {
                Placement::Framed => (x, Anchor::Middle),
                Placement::Beside(Side::Left) => (x - PAD, Anchor::End),
                Placement::Beside(Side::Right) => (x + PAD, Anchor::Start),
                Placement::Between(side) => (x + side.sign() * plan.columns.gap(lane, side) / 2.0, Anchor::Middle),
            };
            let at = Point { x, y: y + word.drop };
            let (style, content, hint) = (word.style, word.content.clone(), word.hint.clone());
            let labels = (style == Style::Label).then_some(event);
            let text = Text { at, anchor, style, content, hint, labels };
            if word.placement == Placement::Framed {
                let is_failed = plan.chart.failed == Some(event);
                let kind = if is_failed { FrameKind::Failed } else { FrameKind::Statement };
                self.frames.push(Frame { kind, bounds: around(&text, HALF_FRAME) });
            }
            self.texts.push(text);
        }
    }

    fn heads(&mut self, plan: &Plan, row: usize, y: f64) {
        for (lane, name) in plan.names.iter().enumerate() {
            let life = plan.rows.life(plan.chart, lane);
            let (style, kind) = match life.spans(row) {
                true => (Style::Head, FrameKind::Head),
                false if life.died.is_some_and(|(died, _)| died < row) => continue,
                false => (Style::FaintHead, FrameKind::FaintHead),
            };
            let full = fit::on_one_line(&plan.chart.lanes[lane].name);
            let hint = (full != *name).then_some(full);
            let at = Point { x: plan.lanes[lane], y };
            let text = Text { at, anchor: Anchor::Middle, style, content: name.clone(), hint, labels: None };
            self.frames.push(Frame { kind, bounds: around(&text, HALF_HEAD) });
            self.texts.push(text);
        }
    }

    fn lifelines(&mut self, plan: &Plan, bands: &[Band], bottom: f64) {
        let gap = plan.rows.rows.iter().position(|row| matches!(row, Row::LeftOut { .. })).map(|row| &bands[row]);
        let (gap_top, gap_bottom) = gap.map_or((bottom, bottom), |band| (band.top, band.bottom));
        for (lane, &x) in plan.lanes.iter().enumerate() {
            let life = plan.rows.life(plan.chart, lane);
            let top = life.born.map_or(bands[0].middle + HALF_HEAD, |(row, moment)| match moment {
                Moment::Within => bands[row].middle,
                Moment::Edge => bands[row].top,
            });
            let end = life.died.map(|(row, moment)| match moment {
                Moment::Within => bands[row].middle,
                Moment::Edge => bands[row].bottom,
            });
            self.crosses.extend(end.map(|y| Point { x, y }));
            let bottom = end.unwrap_or(bottom);
            let stretches = [
                (top, bottom.min(gap_top), false),
                (top.max(gap_top), bottom.min(gap_bottom), true),
                (top.max(gap_bottom), bottom, false),
            ];
            let stretches = stretches.into_iter().filter(|(top, bottom, _)| top < bottom);
            self.lifelines.extend(stretches.map(|(top, bottom, dotted)| Lifeline { x, top, bottom, dotted }));
        }
    }

    /// The statements that lanes are blocked at, and the verdict.
    fn foot(&mut self, plan: &Plan, top: f64) {
        let mut bottom = top;
        for (lines, &x) in plan.blocked.iter().zip(&plan.lanes).filter(|(lines, _)| !lines.is_empty()) {
            let line = Style::Blocked.line();
            let bounds = Rectangle {
                left: x - blocked_width(lines) / 2.0,
                top,
                width: blocked_width(lines),
                height: lines.len() as f64 * line + 10.0,
            };
            self.frames.push(Frame { kind: FrameKind::Blocked, bounds });
            for (index, content) in lines.iter().enumerate() {
                let y = top + 5.0 + (index as f64 + 0.5) * line;
                self.say(Point { x, y }, Anchor::Middle, Style::Blocked, content.clone());
            }
            bottom = bounds.bottom().max(bottom);
        }
        if bottom > top {
            let y = top + 5.0 + Style::Blocked.line() / 2.0;
            self.say(Point { x: EDGE, y }, Anchor::Start, Style::Blocked, "blocked on".to_owned());
        }
        if let Some(verdict) = &plan.chart.verdict {
            bottom = self.lines(verdict, Style::Verdict, bottom + 14.0);
        }
        self.height = (bottom + EDGE).ceil();
    }

    /// Writes a text over the whole width from `top` on, and returns where it ends.
    fn lines(&mut self, text: &str, style: Style, top: f64) -> f64 {
        let mut y = top;
        for content in fit::wrap(text, style.fits(self.width - 2.0 * EDGE)) {
            self.say(Point { x: EDGE, y: y + style.line() / 2.0 }, Anchor::Start, style, content);
            y += style.line();
        }
        y
    }

    fn say(&mut self, at: Point, anchor: Anchor, style: Style, content: String) {
        self.texts.push(Text { at, anchor, style, content, hint: None, labels: None });
    }
}

/// The box around a centred text.
fn around(text: &Text, half: f64) -> Rectangle {
    let bounds = text.bounds();
    Rectangle {
        left: bounds.left - FRAME_PAD,
        top: text.at.y - half,
        width: bounds.width + 2.0 * FRAME_PAD,
        height: 2.0 * half,
    }
}

#[cfg(test)]
mod tests;
