//! The steps of a run as a story: data first, which text and JSON share, then aligned lines.

use std::fmt::Write;

use homing_core::SourcePlace;

/// One executed statement, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoryStep {
    /// Such as `Phil(2)`.
    pub process: String,
    pub place: SourcePlace,
    pub statement: String,
    /// The call of the inline that the statement is in.
    pub call: Option<StoryCall>,
}

/// The call of an inline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryCall {
    /// Such as `lock(mutex)`.
    pub text: String,
    pub place: SourcePlace,
}

impl StoryStep {
    /// The place, if there is one; of a statement inside an inline, that of the call and that of the statement.
    pub fn place_text(&self) -> String {
        match &self.call {
            None if self.place == SourcePlace::default() => String::new(),
            None => self.place.to_string(),
            Some(call) if call.place.file == self.place.file => format!("{}>{}", call.place, self.place.line),
            Some(call) => format!("{}>{}", call.place, self.place),
        }
    }

    /// The statement; inside an inline after the call.
    pub fn statement_text(&self) -> String {
        match &self.call {
            None => self.statement.clone(),
            Some(call) => format!("{}: {}", call.text, self.statement),
        }
    }
}

/// A value that a step changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryChange {
    /// The name of the variable or channel, with its process if that is another one.
    pub name: String,
    pub before: String,
    pub after: String,
}

/// One line of a story: a step, or several that are folded into one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoryLine {
    /// The numbers of its first and last step, from 1.
    pub first: usize,
    pub last: usize,
    pub step: StoryStep,
    pub changes: Vec<StoryChange>,
    /// Overflows and printed text.
    pub notes: Vec<String>,
    /// The error depends on it.
    pub needed: bool,
    /// It continues the atomic sequence of the line before.
    pub continues: bool,
    /// Equal for lines that are executions of the same statement.
    pub key: u64,
    /// The process type that it starts a process of.
    pub runs: Option<String>,
}

/// The steps of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    /// In order. Steps in the middle of a very long run are left out.
    pub lines: Vec<StoryLine>,
    /// The number of statements of the run.
    pub length: usize,
    /// How many statements come before the cycle, if there is one.
    pub cycle_start: Option<usize>,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLine {
    pub text: String,
    /// The error does not depend on it.
    pub is_faint: bool,
}

/// The widths of the columns of a list of steps: number, process, place, statement.
#[derive(Clone, Copy, Debug)]
pub struct StepColumns {
    number: usize,
    process: usize,
    place: usize,
    statement: usize,
}

/// The column of a statement is no wider, so that the text beside it is near.
const WIDEST_STATEMENT: usize = 36;

fn width(text: &str) -> usize {
    text.chars().count()
}

impl StepColumns {
    /// The widths for these steps, numbered up to `length`.
    pub fn fit<'a>(length: usize, steps: impl Iterator<Item = &'a StoryStep>) -> Self {
        let number = length.to_string().len();
        let mut columns = StepColumns { number, process: 0, place: 0, statement: 0 };
        for step in steps {
            columns.process = columns.process.max(width(&step.process));
            columns.place = columns.place.max(width(&step.place_text()));
            columns.statement = columns.statement.max(width(&step.statement_text()).min(WIDEST_STATEMENT));
        }
        columns
    }

    /// One line, with a text beside the statement if it is not empty.
    pub fn line(&self, number: usize, step: &StoryStep, beside: &str) -> String {
        self.numbered_line(&number.to_string(), step, beside)
    }

    fn numbered_line(&self, number: &str, step: &StoryStep, beside: &str) -> String {
        let StepColumns { number: number_width, process: process_width, place: place_width, .. } = *self;
        let (process, place, statement) = (&step.process, step.place_text(), step.statement_text());
        let mut head = format!("{number:>number_width$}  ");
        for (text, width) in [(process, process_width), (&place, place_width)] {
            if width > 0 {
                let _ = write!(head, "{text:<width$}  ");
            }
        }
        if beside.is_empty() {
            return format!("{head}{statement}\n");
        }
        let statement_width = self.statement;
        format!("{head}{statement:<statement_width$}  {beside}\n")
    }

    /// A line that belongs to the step above.
    pub fn below(&self, text: &str) -> String {
        let indent = self.number + 2;
        format!("{:indent$}{text}\n", "")
    }
}

impl StoryLine {
    /// Its numbers: `7`, or `7-12` for folded steps.
    fn numbers(&self) -> String {
        if self.first == self.last { self.first.to_string() } else { format!("{}-{}", self.first, self.last) }
    }

    fn beside(&self) -> String {
        let change = |StoryChange { name, before, after }: &StoryChange| format!("{name}: {before} -> {after}");
        self.changes.iter().map(change).collect::<Vec<_>>().join(", ")
    }
}

impl Story {
    /// Every step as lines of text.
    pub fn text(&self) -> Vec<TextLine> {
        list(&self.lines, self)
    }

    /// The steps as lines of text, folded, and about `most` of them: steps that the error does not depend on are left out
    /// first, then those in the middle.
    pub fn folded_text(&self, most: usize) -> Vec<TextLine> {
        let lines = crate::fold::folded(&self.lines, self.cycle_start, most);
        list(&lines, self)
    }
}

fn list(lines: &[StoryLine], story: &Story) -> Vec<TextLine> {
    let steps = lines.iter().map(|line| &line.step);
    let mut columns = StepColumns::fit(story.length, steps);
    columns.number = lines.iter().map(|line| width(&line.numbers())).max().unwrap_or(0);
    // faint only says something if some lines are not
    let marks = lines.iter().any(|line| line.needed);
    let mut text = Vec::new();
    let put = |text: &mut Vec<TextLine>, line: &str, is_faint: bool| {
        text.push(TextLine { text: line.trim_end_matches('\n').to_owned(), is_faint });
    };
    let mut follows = 1;
    for line in lines {
        if line.first > follows {
            let left_out = line.first - follows;
            let steps = if left_out == 1 { "step" } else { "steps" };
            let number = columns.number;
            put(&mut text, &format!("{:>number$}  ({left_out} {steps} left out)", "..."), marks);
        }
        if story.cycle_start.is_some_and(|start| (follows..=line.first).contains(&(start + 1))) {
            put(&mut text, "-- cycle --", false);
        }
        let is_faint = marks && !line.needed;
        put(&mut text, &columns.numbered_line(&line.numbers(), &line.step, &line.beside()), is_faint);
        line.notes.iter().for_each(|note| put(&mut text, &columns.below(note), is_faint));
        follows = line.last + 1;
    }
    if story.cycle_start == Some(story.length) {
        put(&mut text, "-- from here on nothing moves --", false);
    }
    text
}

/// The number of steps shown at the head and at the tail of `length`, if at most `most` are to be shown; at least two
/// are.
pub(crate) fn ends(length: usize, most: Option<usize>) -> (usize, usize) {
    let most = most.unwrap_or(length).max(2);
    if length <= most { (length, 0) } else { (most / 2, most - most / 2) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: usize) -> StoryLine {
        let step = StoryStep {
            process: if number == 1 { ":init:(0)".to_owned() } else { format!("P({number})") },
            place: SourcePlace { file: "m.pml".to_owned(), line: 7 + number as u32 },
            statement: format!("x = {number}"),
            call: None,
        };
        StoryLine { first: number, last: number, step, key: number as u64, ..StoryLine::default() }
    }

    fn text(lines: Vec<StoryLine>, cycle_start: Option<usize>) -> Vec<String> {
        let length = lines.last().map_or(0, |line| line.last);
        Story { lines, length, cycle_start }.text().into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn lines_are_aligned() {
        let mut lines: Vec<StoryLine> = (1..=3).map(line).collect();
        lines[1].changes = vec![StoryChange { name: "x".into(), before: "0".into(), after: "2".into() }];
        lines[2].notes = vec!["300 overflows byte x: stored as 44".to_owned()];
        let expected = [
            "1  :init:(0)  m.pml:8   x = 1",
            "2  P(2)       m.pml:9   x = 2  x: 0 -> 2",
            "3  P(3)       m.pml:10  x = 3",
            "   300 overflows byte x: stored as 44",
        ];
        assert_eq!(text(lines, None), expected);
        assert_eq!(text(Vec::new(), Some(0)), ["-- from here on nothing moves --"]);
    }

    #[test]
    fn a_statement_of_an_inline_has_both_places() {
        let mut one = line(2);
        let place = SourcePlace { file: "m.pml".to_owned(), line: 30 };
        one.step.call = Some(StoryCall { text: "lock(m)".to_owned(), place });
        one.first = 1;
        assert_eq!(text(vec![one], None), ["1-2  P(2)  m.pml:30>9  lock(m): x = 2"]);
    }

    #[test]
    fn steps_that_the_error_does_not_depend_on_are_faint() {
        let mut lines: Vec<StoryLine> = (1..=2).map(line).collect();
        let faint = |lines: &[StoryLine]| -> Vec<bool> {
            let story = Story { lines: lines.to_vec(), length: 2, cycle_start: None };
            story.text().iter().map(|line| line.is_faint).collect()
        };
        assert_eq!(faint(&lines), [false, false], "nothing is known");
        lines[1].needed = true;
        assert_eq!(faint(&lines), [true, false]);
    }

    #[test]
    fn a_cycle_is_marked_and_gaps_are_counted() {
        let lines = vec![line(1), line(2), line(9)];
        let listed = text(lines, Some(1));
        assert_eq!((listed[1].as_str(), listed[3].as_str()), ("-- cycle --", "...  (6 steps left out)"), "{listed:?}");
    }
}
