//! The chart in box-drawing characters.
//!
//! Each row is a line, with a second one for what a channel holds if there is no room for it right of the lanes. A
//! handshake and a run are arrows from bar to bar; the two ends of a buffered message show its number, `──▶ q!take #3`
//! and `#3 ──▶ q?take`.

mod columns;
mod line;

use super::rows::{Life, Row, Rows};
use super::{Chart, EventKind};
use crate::fit;
use columns::{Cells, Columns, queue};
use line::Line;

const BLOCKED: &str = "blocked:";
/// The least number of columns for names and statements, however narrow the terminal.
const SHORTEST: usize = 12;

pub(super) fn draw(chart: &Chart, width: usize, most: Option<usize>) -> String {
    let rows = Rows::of(chart, most);
    let columns = Columns::of(chart, &rows, width);
    let lives = (0..chart.lanes.len()).map(|lane| rows.life(chart, lane)).collect();
    let mut drawing = Drawing { chart, columns, lives, width, out: String::new() };
    if !chart.title.trim().is_empty() {
        drawing.paragraph(&chart.title);
        drawing.out.push('\n');
    }
    drawing.legend();
    for (row, kind) in rows.rows.iter().enumerate() {
        match *kind {
            Row::Heads => drawing.heads(row),
            Row::Event(event) if drawing.columns.cells == Cells::List => drawing.listed(event),
            Row::Event(event) => drawing.event(row, event),
            Row::LeftOut { steps } => drawing.left_out(row, steps),
        }
    }
    drawing.foot(rows.rows.len());
    drawing.out
}

struct Drawing<'a> {
    chart: &'a Chart,
    columns: Columns,
    /// By lane.
    lives: Vec<Life>,
    width: usize,
    out: String,
}

impl Drawing<'_> {
    /// A mark right of the number of an event: the one that failed, or the bracket of a cycle.
    fn mark(&self, index: usize) -> Option<char> {
        let Chart { failed, cycle, events, .. } = self.chart;
        if *failed == Some(index) {
            return Some('✗');
        }
        let start = cycle.filter(|start| *start <= index)?;
        Some(match (index == start, index + 1 == events.len()) {
            (true, true) => '◂',
            (true, false) => '┐',
            (false, true) => '┘',
            (false, false) => '│',
        })
    }

    /// An event as a line that names its processes.
    fn listed(&mut self, index: usize) {
        let event = &self.chart.events[index];
        let name = |lane: usize| fit::on_one_line(&self.chart.lanes[lane].name);
        let from = name(event.lane);
        let words = match &event.kind {
            EventKind::Handshake { to, label } => format!("{from} ──▶ {}  {label}", name(*to)),
            EventKind::Run { lane } => format!("{from} ╌╌▶ {}  {}", name(*lane), event.text),
            EventKind::Send { message, label, .. } => format!("{from} {}", sent(*message, label, usize::MAX)),
            EventKind::Receive { message, label, .. } => format!("{from} {}", received(*message, label, usize::MAX)),
            EventKind::Local | EventKind::End => format!("{from}  {}", event.with_values()),
        };
        let mut line = Line::default();
        let step = event.step.to_string();
        line.put(self.columns.step_end.saturating_sub(step.len()), &step);
        if let Some(mark) = self.mark(index) {
            line.set(self.columns.step_end, mark);
        }
        line.put(self.columns.step_end + 2, &fit::cut_front(&event.place, self.columns.place_room));
        line.put(self.columns.side, &fit::cut(&words, self.columns.side_room));
        line.write_to(&mut self.out);
    }

    fn event(&mut self, row: usize, index: usize) {
        let event = &self.chart.events[index];
        let mut line = self.bars(row, '│');
        let step = event.step.to_string();
        line.put(self.columns.step_end.saturating_sub(step.len()), &step);
        if let Some(mark) = self.mark(index) {
            line.set(self.columns.step_end, mark);
        }
        line.put(self.columns.step_end + 2, &fit::cut_front(&event.place, self.columns.place_room));
        let (roomy, bar) = (self.columns.cells == Cells::Roomy, self.columns.bar(event.lane));
        let cell_room = self.columns.pitch.saturating_sub(3);
        let words_room = if roomy { cell_room } else { self.columns.side_room };
        let words = match &event.kind {
            EventKind::Handshake { to, label } if *to != event.lane => {
                self.arrow(&mut line, event.lane, *to, '─', if roomy { label } else { "" });
                label.clone()
            }
            EventKind::Run { lane } if *lane != event.lane => {
                self.arrow(&mut line, event.lane, *lane, '╌', if roomy { &event.text } else { "" });
                // The bar of the child begins here.
                line.set(self.columns.bar(*lane), if event.lane < *lane { '┐' } else { '┌' });
                event.text.clone()
            }
            kind => {
                let words = match kind {
                    EventKind::Send { message, label, .. } if roomy => sent(*message, label, words_room + 1),
                    EventKind::Send { message, label, .. } => sent(*message, label, words_room),
                    EventKind::Receive { message, label, .. } => received(*message, label, words_room),
                    EventKind::Handshake { label, .. } => label.clone(),
                    EventKind::Local | EventKind::Run { .. } | EventKind::End => Some(event.with_values())
                        .filter(|text| fit::columns(text) <= words_room)
                        .unwrap_or(event.text.clone()),
                };
                let is_send = matches!(kind, EventKind::Send { .. });
                if kind == &EventKind::End {
                    line.set(bar, '╳');
                } else if !roomy {
                    line.set(bar, '●');
                } else if is_send && !self.lives[event.lane].ends_in(row) {
                    line.set(bar, '├');
                }
                if roomy && is_send {
                    line.put(bar + 1, &words); // the arrow leaves the bar
                } else if roomy {
                    line.put(bar + 2, &fit::cut(&words, words_room));
                }
                words
            }
        };
        let queue = queue(event).map(fit::on_one_line).unwrap_or_default();
        let side = if roomy { String::new() } else { fit::cut(&words, words_room) };
        let queue_column = self.columns.side + if roomy { 0 } else { fit::columns(&side) + 2 };
        let queue_room = (self.columns.side + self.columns.side_room).saturating_sub(queue_column);
        line.put(self.columns.side, &side);
        line.put(queue_column, &fit::cut(&queue, queue_room));
        line.write_to(&mut self.out);
        if self.columns.side_room == 0 && !queue.is_empty() {
            let mut line = self.bars_below(row);
            line.put(bar + 2, &fit::cut(&queue, cell_room));
            line.write_to(&mut self.out);
        }
    }

    /// Draws an arrow from bar to bar, with the label where it starts.
    fn arrow(&self, line: &mut Line, from: usize, to: usize, stroke: char, label: &str) {
        let (start, end) = (self.columns.bar(from), self.columns.bar(to));
        line.stroke(start.min(end) + 1, start.max(end), stroke);
        if start < end {
            line.set(start, '├');
            line.set(end - 1, '▶');
            line.set(end, '┤');
        } else {
            line.set(end, '├');
            line.set(end + 1, '◀');
            line.set(start, '┤');
        }
        // Between two bars there is one column less than the pitch, and one at each end shows the arrow.
        let gap = self.columns.pitch - 1;
        let label = fit::cut(label, gap.saturating_sub(2));
        let left = if start < end { start + 1 } else { start - gap };
        line.put(left + (gap - fit::columns(&label)) / 2, &label);
    }

    /// The bars of the lanes that exist in `row`.
    fn bars(&self, row: usize, bar: char) -> Line {
        let mut line = Line::default();
        for (lane, life) in self.lives.iter().enumerate() {
            if life.ends_in(row) {
                line.set(self.columns.bar(lane), '╳');
            } else if life.spans(row) {
                line.set(self.columns.bar(lane), bar);
            }
        }
        line
    }

    /// The bars of a second line of `row`, in which no lane begins or ends.
    fn bars_below(&self, row: usize) -> Line {
        let mut line = Line::default();
        for (lane, life) in self.lives.iter().enumerate() {
            if life.spans(row + 1) || life.ends_in(row + 1) {
                line.set(self.columns.bar(lane), '│');
            }
        }
        line
    }

    fn heads(&mut self, row: usize) {
        if self.lives.is_empty() || self.columns.cells == Cells::List {
            return;
        }
        let mut line = Line::default();
        for (lane, life) in self.lives.iter().enumerate() {
            if life.died.is_some_and(|(died, _)| died < row) {
                continue;
            }
            let head = match self.columns.cells {
                Cells::Roomy => fit::cut_name(&self.chart.lanes[lane].name, self.columns.pitch - 1),
                Cells::Bars | Cells::List => (lane + 1).to_string(),
            };
            line.put(self.columns.bar(lane), &head);
        }
        if row > 0 {
            self.bars(row, '│').write_to(&mut self.out);
        }
        line.write_to(&mut self.out);
        self.bars(row, '│').write_to(&mut self.out);
    }

    fn left_out(&mut self, row: usize, steps: usize) {
        let mut line = if self.columns.cells == Cells::List { Line::default() } else { self.bars(row, '┊') };
        line.set(self.columns.step_end.saturating_sub(1), '…');
        let column = match self.columns.cells {
            Cells::Roomy => self.columns.bar(0) + 2,
            Cells::Bars | Cells::List => self.columns.side,
        };
        line.put(column, &format!("{} steps left out ", fit::grouped(steps)));
        line.write_to(&mut self.out);
    }

    /// The names of the numbered lanes, if there is no room for names above them.
    fn legend(&mut self) {
        if self.columns.cells != Cells::Bars {
            return;
        }
        let number = self.lives.len().to_string().len();
        let name_room = self.width.saturating_sub(number + 1).max(SHORTEST);
        let names: Vec<String> = self.chart.lanes.iter().map(|lane| fit::cut_name(&lane.name, name_room)).collect();
        let pitch = number + 1 + names.iter().map(|name| fit::columns(name)).max().unwrap_or(0) + 3;
        let in_line = ((self.width + 3) / pitch).max(1);
        for (chunk, names) in names.chunks(in_line).enumerate() {
            let mut line = Line::default();
            for (index, name) in names.iter().enumerate() {
                line.put(index * pitch, &format!("{:>number$} {name}", chunk * in_line + index + 1));
            }
            line.write_to(&mut self.out);
        }
        self.out.push('\n');
    }

    /// The blocked lanes with the statements they are blocked at, and the verdict.
    fn foot(&mut self, row: usize) {
        let blocked = &self.chart.blocked;
        if !blocked.is_empty() && self.columns.cells == Cells::List {
            self.out.push('\n');
        } else if !blocked.is_empty() {
            let mut line = self.bars(row, '│');
            blocked.iter().for_each(|(lane, _)| line.set(self.columns.bar(*lane), '■'));
            line.write_to(&mut self.out);
            self.out.push('\n');
        }
        let names: Vec<String> =
            blocked.iter().map(|(lane, _)| fit::cut_name(&self.chart.lanes[*lane].name, self.width / 3)).collect();
        let statements = BLOCKED.len() + 1 + names.iter().map(|name| fit::columns(name)).max().unwrap_or(0) + 2;
        for (index, (name, (_, statement))) in names.iter().zip(blocked).enumerate() {
            let mut line = Line::default();
            line.put(0, if index == 0 { BLOCKED } else { "" });
            line.put(BLOCKED.len() + 1, name);
            let mut rest = fit::wrap(statement, self.width.saturating_sub(statements).max(SHORTEST)).into_iter();
            line.put(statements, &rest.next().unwrap_or_default());
            line.write_to(&mut self.out);
            for words in rest {
                let mut line = Line::default();
                line.put(statements, &words);
                line.write_to(&mut self.out);
            }
        }
        if let Some(verdict) = &self.chart.verdict {
            if blocked.is_empty() {
                self.out.push('\n');
            }
            self.paragraph(verdict);
        }
    }

    fn paragraph(&mut self, text: &str) {
        for line in fit::wrap(text, self.width) {
            self.out.push_str(&line);
            self.out.push('\n');
        }
    }
}

/// A send in `room` columns. The number is never cut off: it links the send with the receive.
fn sent(message: u64, label: &str, room: usize) -> String {
    let number = format!(" #{message}");
    let rest = room.saturating_sub(fit::columns(&number));
    fit::cut(&format!("{}{number}", with_arrow(label, rest)), room)
}

/// A receive in `room` columns.
fn received(message: u64, label: &str, room: usize) -> String {
    let number = format!("#{message} ");
    let rest = room.saturating_sub(fit::columns(&number));
    fit::cut(&format!("{number}{}", with_arrow(label, rest)), room)
}

/// A label with an arrow before it, which is shortened before the label is.
fn with_arrow(label: &str, room: usize) -> String {
    let arrow = if fit::columns(label) + 4 <= room { "──▶ " } else { "▶ " };
    format!("{arrow}{}", fit::cut(label, room.saturating_sub(fit::columns(arrow))))
}

#[cfg(test)]
mod tests;
