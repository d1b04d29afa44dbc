//! Annotations of GitHub Actions: workflow commands on standard output that mark lines of a model.

use homing_check::Verdict;

use super::{ModelReport, failing, replay_command, sentence};
use crate::cli::CheckArgs;
use crate::problem::Problem;
use crate::text;

/// A line for each verdict, and an annotation for each error, each warning and each property that is not decided.
pub fn annotations(args: &CheckArgs, reports: &[ModelReport]) -> String {
    let mut lines = String::new();
    for report in reports {
        for problem in report.errors().iter().chain(&report.warnings) {
            lines.push_str(&of_problem(&problem.in_file(&report.name)));
        }
        for result in report.results() {
            lines.push_str(&format!("{}: {}: {}\n", report.name, result.property, result.verdict.name()));
            let place = report.place(result);
            let file = place.as_ref().map_or(&report.name, |place| &place.file).clone();
            let properties = [
                ("file", Some(file)),
                ("line", place.map(|place| place.line.to_string())),
                ("title", Some(format!("homing: {}", result.property))),
            ];
            match (failing(result), result.verdict) {
                (Some(found), _) => {
                    let message = match replay_command(report, found) {
                        Some(command) => format!("{}\n{command}", sentence(result, found)),
                        None => sentence(result, found),
                    };
                    lines.push_str(&command("error", &properties, &message));
                }
                (None, Verdict::Unknown(reason)) => {
                    let message = report.undecided(args, result, reason);
                    lines.push_str(&command("warning", &properties, &message));
                }
                (None, Verdict::Violated) => lines.push_str(&command("error", &properties, text::NO_WITNESS)),
                (None, Verdict::Holds) => {}
            }
        }
    }
    lines
}

fn of_problem(problem: &Problem) -> String {
    let number = |value: Option<usize>| value.map(|value| value.to_string());
    // columns are understood only for places within one line
    let is_one_line = problem.line == problem.end_line;
    let column = |value: Option<usize>| value.filter(|_| is_one_line).map(|value| value.to_string());
    let properties = [
        ("file", problem.file.clone()),
        ("line", number(problem.line)),
        ("endLine", number(problem.end_line)),
        ("col", column(problem.column)),
        ("endColumn", column(problem.end_column)),
        ("title", Some(format!("homing: {}", problem.code))),
    ];
    let message = match &problem.help {
        Some(help) => format!("{}\n{help}", problem.message),
        None => problem.message.clone(),
    };
    command(problem.severity, &properties, &message)
}

fn command(name: &str, properties: &[(&str, Option<String>)], message: &str) -> String {
    let given = properties.iter().filter_map(|(key, value)| Some((key, value.as_ref()?)));
    let given: Vec<String> = given.map(|(key, value)| format!("{key}={}", escaped(value, true))).collect();
    format!("::{name} {}::{}\n", given.join(","), escaped(message, false))
}

/// A text as workflow commands take it; in a property also its separators are escaped.
fn escaped(text: &str, in_property: bool) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    if in_property { text.replace(':', "%3A").replace(',', "%2C") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_escaped() {
        let line = command("error", &[("file", Some("a,b:c.pml".to_owned())), ("line", None)], "50% of\ntwo: lines");
        assert_eq!(line, "::error file=a%2Cb%3Ac.pml::50%25 of%0Atwo: lines\n");
    }
}
