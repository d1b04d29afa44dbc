//! One line of the chart, written column by column.

#[derive(Default)]
pub(super) struct Line {
    cells: Vec<char>,
}

impl Line {
    /// Writes `text` from `column` on, over what is there.
    pub(super) fn put(&mut self, column: usize, text: &str) {
        for (offset, c) in text.chars().enumerate() {
            self.set(column + offset, c);
        }
    }

    pub(super) fn set(&mut self, column: usize, c: char) {
        if self.cells.len() <= column {
            self.cells.resize(column + 1, ' ');
        }
        self.cells[column] = c;
    }

    /// Draws a horizontal stroke over the columns `from..to`, across the bars there.
    pub(super) fn stroke(&mut self, from: usize, to: usize, stroke: char) {
        for column in from..to {
            let meets_bar = self.cells.get(column) == Some(&'│');
            self.set(column, if meets_bar { '┼' } else { stroke });
        }
    }

    /// Appends the line, without blanks at its end.
    pub(super) fn write_to(&self, out: &mut String) {
        let end = self.cells.iter().rposition(|c| *c != ' ').map_or(0, |last| last + 1);
        out.extend(&self.cells[..end]);
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_cross_bars() {
        let mut line = Line::default();
        line.set(4, '│');
        line.stroke(2, 8, '─');
        line.put(10, "a ");
        let mut out = String::new();
        line.write_to(&mut out);
        assert_eq!(out, "  ──┼───  a\n");
    }
}
