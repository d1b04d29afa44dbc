//! The look of all graphs.

use crate::dot::{Attributes, cut};

pub const FONT: &str = "Helvetica";
pub const FAINT: &str = "#999999";
pub const ERROR: &str = "#c62828";
const ERROR_FILL: &str = "#fbd9d7";
const PATH: &str = "#1565c0";
const PATH_FILL: &str = "#d7e7f8";
pub const ACCEPT: &str = "#fff0b3";
pub const PROGRESS: &str = "#d8f0d3";
pub const DANGER: &str = "#ffdcb8";

/// The greatest number of characters of a line; the rest is in the tooltip.
pub const WIDTH: usize = 56;
/// The greatest number of lines of a label; the rest is in the tooltip, or nowhere.
pub const MOST_LINES: usize = 16;

pub fn node() -> Attributes {
    let node = Attributes::new().word("fontname", FONT).word("fontsize", "10").word("style", "rounded,filled");
    node.word("fillcolor", "white").word("color", "#555555")
}

pub fn edge() -> Attributes {
    Attributes::new().word("fontname", FONT).word("fontsize", "10").word("color", "#555555").word("arrowsize", "0.7")
}

/// A dot of this size: the start or the end.
pub fn point(width: &str) -> Attributes {
    Attributes::new().word("shape", "point").word("width", width).word("fillcolor", "black")
}

/// A label beside an edge, a little away from it.
pub fn beside(lines: &[String]) -> Attributes {
    let lines: Vec<String> = lines.iter().map(|line| format!(" {line} ")).collect();
    Attributes::new().lines("label", &lines)
}

/// A node or an edge on the highlighted path.
pub fn highlighted(attributes: Attributes) -> Attributes {
    attributes.word("color", PATH).word("fontcolor", PATH).word("penwidth", "3")
}

/// A node on the highlighted path, unless its colour has another meaning.
pub fn highlighted_node(attributes: Attributes) -> Attributes {
    highlighted(attributes).word("fillcolor", PATH_FILL)
}

/// A node that is an error.
pub fn error(attributes: Attributes) -> Attributes {
    attributes.word("color", ERROR).word("fontcolor", ERROR).word("fillcolor", ERROR_FILL)
}

/// The first `most` lines of `total`, each cut to [`WIDTH`], and how many are left out. `lines` may hold only the
/// first.
pub fn first_lines(lines: &[String], total: usize, most: usize) -> Vec<String> {
    let shown = if total == most + 1 { total } else { most };
    let mut first: Vec<String> = lines.iter().take(shown).map(|line| cut(line, WIDTH)).collect();
    if total > first.len() {
        first.push(format!("… {} more", total - first.len()));
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_counted() {
        let lines: Vec<String> = (1..=5).map(|line| line.to_string()).collect();
        assert_eq!(first_lines(&lines, 5, 5).len(), 5);
        assert_eq!(
            first_lines(&lines, 5, 4),
            ["1", "2", "3", "4", "5"],
            "a line that says `1 more` can as well say it"
        );
        assert_eq!(first_lines(&lines, 5, 2), ["1", "2", "… 3 more"]);
        assert_eq!(first_lines(&lines, 100, 9)[4..], ["5", "… 95 more"]);
        assert_eq!(first_lines(&["x".repeat(200)], 1, 1)[0].chars().count(), WIDTH);
    }
}
