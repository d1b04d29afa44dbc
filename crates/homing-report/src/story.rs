//! The steps of a path, one line each.

use homing_core::SourcePlace;

/// One executed statement, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryStep {
    /// Such as `Phil(2)`.
    pub process: String,
    pub place: SourcePlace,
    pub statement: String,
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

impl StepColumns {
    /// The widths for these steps, numbered up to `length`.
    pub fn fit<'a>(length: usize, steps: impl Iterator<Item = &'a StoryStep>) -> Self {
        let width = |text: &str| text.chars().count();
        let number = length.to_string().len();
        let mut columns = StepColumns { number, process: 0, place: 0, statement: 0 };
        for step in steps {
            columns.process = columns.process.max(width(&step.process));
            columns.place = columns.place.max(width(&step.place.to_string()));
            columns.statement = columns.statement.max(width(&step.statement).min(WIDEST_STATEMENT));
        }
        columns
    }

    /// One line, with a text beside the statement if it is not empty.
    pub fn line(&self, number: usize, step: &StoryStep, beside: &str) -> String {
        let StepColumns { number: number_width, process: process_width, place: place_width, .. } = *self;
        let StoryStep { process, place, statement } = step;
        let place = place.to_string();
        let head = format!("{number:>number_width$}  {process:<process_width$}  {place:<place_width$}  ");
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

/// Lists the steps of a path of `length` statements as aligned lines: number, process, place, statement. If there are
/// more than `most`, the middle is left out and a line says how many; `step` is called only for those shown, so a path
/// of millions of statements is listed as fast as a short one. A line marks where a cycle begins.
pub fn list_steps(
    length: usize,
    most: Option<usize>,
    cycle_start: Option<usize>,
    step: impl Fn(usize) -> StoryStep,
) -> String {
    let (head, tail) = ends(length, most);
    let shown: Vec<(usize, StoryStep)> =
        (0..head).chain(length - tail..length).map(|index| (index, step(index))).collect();
    let columns = StepColumns::fit(length, shown.iter().map(|(_, step)| step));
    let mut text = String::new();
    for (line, (index, step)) in shown.iter().enumerate() {
        if line == head {
            let left_out = length - head - tail;
            let width = columns.number;
            text.push_str(&format!("{:>width$}  ({left_out} steps left out)\n", "..."));
        }
        let follows = line.checked_sub(1).map_or(0, |before| shown[before].0 + 1);
        if cycle_start.is_some_and(|start| (follows..=*index).contains(&start)) {
            text.push_str("-- cycle --\n");
        }
        text.push_str(&columns.line(index + 1, step, ""));
    }
    if cycle_start == Some(length) {
        text.push_str("-- from here on nothing moves --\n");
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

    fn step(index: usize) -> StoryStep {
        StoryStep {
            process: if index == 0 { ":init:(0)".to_owned() } else { format!("P({index})") },
            place: SourcePlace { file: "m.pml".to_owned(), line: 8 + index as u32 },
            statement: format!("x = {index}"),
        }
    }

    #[test]
    fn lines_are_aligned() {
        assert_eq!(
            list_steps(3, Some(3), None, step),
            "1  :init:(0)  m.pml:8   x = 0\n\
             2  P(1)       m.pml:9   x = 1\n\
             3  P(2)       m.pml:10  x = 2\n"
        );
        assert_eq!(list_steps(0, Some(3), None, step), "");
    }

    #[test]
    fn the_middle_is_left_out() {
        let listed = list_steps(1_000_000, Some(5), None, step);
        let lines: Vec<&str> = listed.lines().collect();
        assert_eq!(lines.len(), 6);
        assert!(lines[1].starts_with("      2  P(1)"), "{listed}");
        assert_eq!(lines[2].trim(), "...  (999995 steps left out)");
        assert!(lines[3].starts_with(" 999998  P(999997)"), "{listed}");
        assert!(lines[5].starts_with("1000000  P(999999)"), "{listed}");
        assert_eq!(list_steps(6, None, None, step).lines().count(), 6);
    }
}
