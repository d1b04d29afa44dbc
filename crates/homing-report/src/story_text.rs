//! The steps of a run as aligned lines of text: number, process, place, statement, and beside it the values that changed.
//!
//! Where a width is given no line is longer. What does not fit beside a statement goes on lines below it, and a text is broken at blanks
//! or after commas; nothing is left out.

use std::fmt::Write;
use std::ops::Range;

use crate::fit::wrap;
use crate::story::StoryStep;

/// A line of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextLine {
    pub text: String,
    /// The error does not depend on it.
    pub is_faint: bool,
    /// Parts that may have a look of their own, in order.
    pub marks: Vec<Mark>,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The bytes of its text.
    pub range: Range<usize>,
    pub kind: MarkKind,
}

/// What a part of a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// A place in a source file.
    Place { source: String, line: u32 },
    /// Values that changed.
    Changes,
}

impl TextLine {
    pub(crate) fn plain(text: String) -> Self {
        TextLine { text, ..TextLine::default() }
    }

    fn changes(text: String, from: usize) -> Self {
        let marks = vec![Mark { range: from..text.len(), kind: MarkKind::Changes }];
        TextLine { text, is_faint: false, marks }
    }
}

/// The widths of the columns of a list of steps: number, process, place, statement.
#[derive(Clone, Copy, Debug)]
pub struct StepColumns {
    number: usize,
    process: usize,
    place: usize,
    statement: usize,
    /// The width of a line, if it is limited.
    width: Option<usize>,
}

/// The column of a statement is no wider, so that the text beside it is near.
const WIDEST_STATEMENT: usize = 36;

/// The column of a statement is no narrower if the lines have a width, and the values beside it are given so much.
const NARROWEST_STATEMENT: usize = 16;
const VALUES: usize = 22;

/// A statement with less room begins on a line of its own.
const LEAST_ROOM: usize = 24;

fn width(text: &str) -> usize {
    text.chars().count()
}

impl StepColumns {
    /// The widths for these steps, whose numbers are so wide, in lines of this width.
    pub fn fit<'a>(number: usize, steps: impl Iterator<Item = &'a StoryStep>, limit: Option<usize>) -> Self {
        let mut columns = StepColumns { number, process: 0, place: 0, statement: 0, width: limit };
        for step in steps {
            columns.process = columns.process.max(width(&step.process));
            columns.place = columns.place.max(width(&step.place_text()));
            columns.statement = columns.statement.max(width(&step.statement_text()).min(WIDEST_STATEMENT));
        }
        if let Some(limit) = limit {
            let most = limit.saturating_sub(columns.before_statement() + 2 + VALUES).max(NARROWEST_STATEMENT);
            columns.statement = columns.statement.min(most);
        }
        columns
    }

    /// The column in which statements begin.
    fn before_statement(&self) -> usize {
        let column = |width: usize| if width > 0 { width + 2 } else { 0 };
        self.number + 2 + column(self.process) + column(self.place)
    }

    /// The lines of a step, with the values that it changed.
    pub fn lines(&self, number: &str, step: &StoryStep, changes: &[String]) -> Vec<TextLine> {
        let (head, place) = self.head(number, step);
        let (statement, beside) = (step.statement_text(), changes.join(", "));
        let mut line = head.clone();
        if beside.is_empty() {
            line.push_str(&statement);
        } else {
            let _ = write!(line, "{statement:<width$}  ", width = self.statement);
        }
        let changes_from = line.len();
        line.push_str(&beside);
        let mut lines = match self.width.filter(|limit| width(&line) > *limit) {
            None if beside.is_empty() => vec![TextLine::plain(line)],
            None => vec![TextLine::changes(line, changes_from)],
            Some(limit) => self.broken(head, &statement, changes, limit),
        };
        if let (Some(first), Some(place)) = (lines.first_mut(), place) {
            first.marks.insert(0, place);
        }
        lines
    }

    /// What stands before the statement, with the mark of the place.
    fn head(&self, number: &str, step: &StoryStep) -> (String, Option<Mark>) {
        let number_width = self.number;
        let mut head = format!("{number:>number_width$}  ");
        if self.process > 0 {
            let _ = write!(head, "{:<width$}  ", step.process, width = self.process);
        }
        let text = step.place_text();
        let from = head.len();
        if self.place > 0 {
            let _ = write!(head, "{text:<width$}  ", width = self.place);
        }
        let line = step.call.as_ref().map_or(step.place.line, |call| call.place.line);
        let kind = MarkKind::Place { source: step.source.clone(), line };
        let mark = (!text.is_empty() && !step.source.is_empty()).then(|| Mark { range: from..from + text.len(), kind });
        (head, mark)
    }

    /// A step that takes more than a line.
    fn broken(&self, head: String, statement: &str, changes: &[String], limit: usize) -> Vec<TextLine> {
        let column = self.before_statement();
        let is_narrow = limit < column + LEAST_ROOM;
        let column = if is_narrow { self.number + 2 } else { column };
        let room = limit.saturating_sub(column).max(1);
        let below = room.saturating_sub(2).max(1);
        let mut texts = wrap_first(statement, room, below);
        let mut lines: Vec<TextLine> = Vec::new();
        let mut first = head;
        if is_narrow {
            lines.push(TextLine::plain(first.trim_end().to_owned()));
            first = " ".repeat(column);
        }
        let rest = texts.split_off(1.min(texts.len()));
        lines.push(TextLine::plain(first + texts.first().map_or("", String::as_str)));
        let indent = " ".repeat(column + 2);
        lines.extend(rest.into_iter().map(|text| TextLine::plain(format!("{indent}{text}"))));
        let values = wrap_list(changes, below);
        let last = lines.last_mut().expect("there is one");
        match &values[..] {
            [only] if width(&last.text) + 2 + width(only) <= limit => {
                let from = last.text.len() + 2;
                *last = TextLine::changes(format!("{}  {only}", last.text), from);
            }
            _ => lines.extend(values.iter().map(|text| TextLine::changes(format!("{indent}{text}"), indent.len()))),
        }
        lines
    }

    /// Lines that belong to the step above.
    pub fn below(&self, text: &str) -> Vec<TextLine> {
        let indent = self.number + 2;
        let texts = match self.width {
            Some(limit) if indent + width(text) > limit => wrap(text, limit.saturating_sub(indent)),
            _ => vec![text.to_owned()],
        };
        texts.into_iter().map(|text| TextLine::plain(format!("{:indent$}{text}", ""))).collect()
    }
}

/// A text in a first line with this room and others with less.
fn wrap_first(text: &str, room: usize, below: usize) -> Vec<String> {
    if width(text) <= room {
        return vec![text.to_owned()];
    }
    let mut lines = wrap(text, room);
    let first = lines.remove(0);
    let rest = lines.join(" ");
    std::iter::once(first).chain(wrap(&rest, below)).collect()
}

/// The entries of a list, joined by commas; an entry is broken only if it is longer than a line.
fn wrap_list(entries: &[String], room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let entry = if at + 1 < entries.len() { format!("{entry},") } else { entry.clone() };
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(&entry) <= room => {
                line.push(' ');
                line.push_str(&entry);
            }
            _ if width(&entry) <= room => lines.push(entry),
            _ => lines.extend(wrap(&entry, room)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use homing_core::SourcePlace;

    use super::*;

    fn step(statement: &str) -> StoryStep {
        StoryStep {
            process: "Consumer(3)".to_owned(),
            place: SourcePlace { file: "buffer.pml".to_owned(), line: 25 },
            source: "models/buffer.pml".to_owned(),
            statement: statement.to_owned(),
            call: None,
        }
    }

    fn lines(limit: Option<usize>, statement: &str, changes: &[&str]) -> Vec<TextLine> {
        let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
        let step = step(statement);
        StepColumns::fit(2, std::iter::once(&step), limit).lines("7", &step, &changes)
    }

    fn texts(lines: &[TextLine]) -> Vec<&str> {
        lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn without_a_width_a_step_is_one_line() {
        let all = lines(None, &"x = 1; ".repeat(20), &["i: 0 -> 1", "count: 0 -> 1"]);
        assert_eq!(all.len(), 1);
        let marked: Vec<&str> = all[0].marks.iter().map(|mark| &all[0].text[mark.range.clone()]).collect();
        assert_eq!(marked, ["buffer.pml:25", "i: 0 -> 1, count: 0 -> 1"]);
    }

    #[test]
    fn no_line_is_longer_than_the_width() {
        let statement = "acquire(): !lock; lock = 1; run Producer(1, 3); run Producer(2, 3); run Consumer(3)";
        let changes = ["lock: 0 -> 1", "queue: [1, 2, 3, 4, 5, 6, 7, 8, 9] -> [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]"];
        for limit in 40..160 {
            for (statement, changes) in [(statement, &changes[..]), ("i = 1", &changes[..1]), (statement, &[])] {
                let all = lines(Some(limit), statement, changes);
                assert!(texts(&all).iter().all(|line| line.chars().count() <= limit), "{limit}: {all:?}");
                let shown: String = texts(&all).concat().split_whitespace().collect();
                let wanted: String = format!("7Consumer(3)buffer.pml:25{statement}{}", changes.join(","));
                assert_eq!(shown, wanted.split_whitespace().collect::<String>(), "nothing is left out");
            }
        }
    }

    #[test]
    fn values_stay_beside_a_statement_where_they_fit() {
        let all = lines(Some(76), "i = 1", &["i: 0 -> 1"]);
        assert_eq!(texts(&all), [" 7  Consumer(3)  buffer.pml:25  i = 1  i: 0 -> 1"]);
        let all = lines(Some(60), "count = count + delta", &["count: 10 -> 11", "delta: 4 -> 5"]);
        assert_eq!(
            texts(&all),
            [
                " 7  Consumer(3)  buffer.pml:25  count = count + delta",
                "                                  count: 10 -> 11,",
                "                                  delta: 4 -> 5"
            ]
        );
    }
}
