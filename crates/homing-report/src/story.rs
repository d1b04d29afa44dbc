//! The steps of a path, one line each.

use std::fmt::Write;

use homing_core::SourcePlace;

/// One executed statement, as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryStep {
    /// Such as `Phil(2)`.
    pub process: String,
    pub place: SourcePlace,
    pub statement: String,
}

/// The steps of a path of `length` statements as aligned lines: number, process, place, statement. When there are more
/// than `most`, the middle is left out and a line says how many; `step` is asked for the shown ones only, so a path of
/// millions of statements is told as fast as a short one.
pub fn tell(length: usize, most: Option<usize>, step: impl Fn(usize) -> StoryStep) -> String {
    let (head, tail) = ends(length, most);
    let shown: Vec<(usize, StoryStep)> =
        (0..head).chain(length - tail..length).map(|index| (index, step(index))).collect();

    let number_width = length.to_string().len();
    let process_width = shown.iter().map(|(_, step)| step.process.chars().count()).max().unwrap_or(0);
    let places: Vec<String> = shown.iter().map(|(_, step)| step.place.to_string()).collect();
    let place_width = places.iter().map(|place| place.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (line, ((index, step), place)) in shown.iter().zip(&places).enumerate() {
        if line == head {
            let left_out = length - head - tail;
            let _ = writeln!(text, "{:>number_width$}  ({left_out} steps left out)", "...");
        }
        let StoryStep { process, statement, .. } = step;
        let _ = writeln!(
            text,
            "{:>number_width$}  {process:<process_width$}  {place:<place_width$}  {statement}",
            index + 1
        );
    }
    text
}

/// How many of `length` steps are shown at the head and at the tail, when at most `most` shall be; at least two are.
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
            tell(3, Some(3), step),
            "1  :init:(0)  m.pml:8   x = 0\n\
             2  P(1)       m.pml:9   x = 1\n\
             3  P(2)       m.pml:10  x = 2\n"
        );
        assert_eq!(tell(0, Some(3), step), "");
    }

    #[test]
    fn the_middle_is_left_out() {
        let told = tell(1_000_000, Some(5), step);
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines.len(), 6);
        assert!(lines[1].starts_with("      2  P(1)"), "{told}");
        assert_eq!(lines[2].trim(), "...  (999995 steps left out)");
        assert!(lines[3].starts_with(" 999998  P(999997)"), "{told}");
        assert!(lines[5].starts_with("1000000  P(999999)"), "{told}");
        assert_eq!(tell(6, None, step).lines().count(), 6);
    }
}
