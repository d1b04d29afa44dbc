//! The steps of a run as a story: the data, which text and JSON share. The lines are in `story_text`.

use homing_core::SourcePlace;

use crate::story_text::{StepColumns, TextLine};

/// One executed statement, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoryStep {
    /// Such as `Phil(2)`.
    pub process: String,
    pub place: SourcePlace,
    /// The file of the place as it was named, which may have folders.
    pub source: String,
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

impl StoryLine {
    /// Its numbers: `7`, or `7-12` for folded steps.
    pub(crate) fn numbers(&self) -> String {
        if self.first == self.last { self.first.to_string() } else { format!("{}-{}", self.first, self.last) }
    }

    /// The changed values, each as text.
    fn changed(&self) -> Vec<String> {
        let change = |StoryChange { name, before, after }: &StoryChange| format!("{name}: {before} -> {after}");
        self.changes.iter().map(change).collect()
    }
}

impl Story {
    /// Every step as lines of text, no longer than a width if there is one.
    pub fn text(&self, width: Option<usize>) -> Vec<TextLine> {
        list(&self.lines, self, width)
    }

    /// The steps as lines of text, folded, and about `most` of them: steps that the error does not depend on are left out
    /// first, then those in the middle.
    pub fn folded_text(&self, most: usize, width: Option<usize>) -> Vec<TextLine> {
        let lines = crate::fold::folded(&self.lines, self.cycle_start, most);
        list(&lines, self, width)
    }
}

fn list(lines: &[StoryLine], story: &Story, width: Option<usize>) -> Vec<TextLine> {
    let number = lines.iter().map(|line| line.numbers().len()).max().unwrap_or(0);
    let columns = StepColumns::fit(number, lines.iter().map(|line| &line.step), width);
    // faint only says something if some lines are not
    let marks = lines.iter().any(|line| line.needed);
    let mut text: Vec<TextLine> = Vec::new();
    let faint = |line: TextLine, is_faint: bool| TextLine { is_faint, ..line };
    let mut follows = 1;
    for line in lines {
        if line.first > follows {
            let left_out = line.first - follows;
            let steps = if left_out == 1 { "step" } else { "steps" };
            let line = TextLine::plain(format!("{:>number$}  ({left_out} {steps} left out)", "..."));
            text.push(faint(line, marks));
        }
        if story.cycle_start.is_some_and(|start| (follows..=line.first).contains(&(start + 1))) {
            text.push(TextLine::plain("-- cycle --".to_owned()));
        }
        let is_faint = marks && !line.needed;
        let step = columns.lines(&line.numbers(), &line.step, &line.changed());
        let notes = line.notes.iter().flat_map(|note| columns.below(note));
        text.extend(step.into_iter().chain(notes).map(|line| faint(line, is_faint)));
        follows = line.last + 1;
    }
    if story.cycle_start == Some(story.length) {
        text.push(TextLine::plain("-- from here on nothing moves --".to_owned()));
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
            ..StoryStep::default()
        };
        StoryLine { first: number, last: number, step, key: number as u64, ..StoryLine::default() }
    }

    fn text(lines: Vec<StoryLine>, cycle_start: Option<usize>) -> Vec<String> {
        let length = lines.last().map_or(0, |line| line.last);
        Story { lines, length, cycle_start }.text(None).into_iter().map(|line| line.text).collect()
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
            story.text(None).iter().map(|line| line.is_faint).collect()
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
