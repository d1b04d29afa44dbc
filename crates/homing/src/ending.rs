//! The end of a run as text: the error, its cause, and the last state.

use std::fmt::Write;

use homing_check::model::{Ending, Why};

use crate::console::Paint;

/// The end of a run; `last` are the values in its last state, `after` says how long it is.
pub fn ending(last: Vec<String>, ending: &Ending, after: &str, why: &Why, paint: Paint) -> String {
    let mut text = String::from("\n");
    match ending {
        Ending::Violations(all) => {
            if let Some(violation) = all.first() {
                let place = violation.place.as_ref().map(|place| format!("\n  at {place}")).unwrap_or_default();
                let process = violation.process.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
                let _ = writeln!(text, "{}{place}{process}", paint.red(&violation.message));
            }
        }
        Ending::Cycle { from, unread } => {
            let _ = writeln!(text, "{}", paint.red(&format!("steps from {from} on repeat forever")));
            if !unread.is_empty() {
                let _ = writeln!(text, "  never read, and different after each round: {}", unread.join(", "));
            }
        }
        Ending::Claim => {
            let _ = writeln!(text, "{}", paint.red("the claim reached its end: it is violated"));
        }
        Ending::Open => text.push_str("the run ends without an error\n"),
    }
    let _ = writeln!(text, "  {after}");
    for (title, lines) in [("why", why.lines(false)), ("final state", last)] {
        if !lines.is_empty() {
            let _ = writeln!(text, "\n  {title}:");
            lines.iter().for_each(|line| {
                let _ = writeln!(text, "    {line}");
            });
        }
    }
    text
}
