//! JUnit's XML, which most CI servers read: a test suite for each model, a test case for each property.

use std::fmt::Write;

use homing_check::Verdict;
use homing_check::model::PropertyResult;

use super::{ModelReport, failing, replay_command, sentence};
use crate::cli::CheckArgs;
use crate::problem::Problem;
use crate::text;

pub fn suites(args: &CheckArgs, reports: &[ModelReport]) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"homing\">\n");
    reports.iter().for_each(|report| suite(&mut xml, args, report));
    xml.push_str("</testsuites>\n");
    xml
}

/// A model that was refused is one test case, `model`, with the errors.
fn suite(xml: &mut String, args: &CheckArgs, report: &ModelReport) {
    let count = |matches: fn(Verdict) -> bool| report.results().iter().filter(|result| matches(result.verdict)).count();
    let failures = count(|verdict| verdict == Verdict::Violated);
    let refused = usize::from(!report.errors().is_empty());
    let errors = count(|verdict| matches!(verdict, Verdict::Unknown(_))) + refused;
    let seconds: f64 = report.results().iter().map(seconds).fold(0.0, |all, one| all + one); // an empty sum is -0
    let name = escaped(&report.name);
    let tests = report.results().len() + refused;
    let _ = writeln!(
        xml,
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\" \
         time=\"{seconds:.6}\">"
    );
    for result in report.results() {
        case(xml, args, report, result);
    }
    if refused > 0 {
        let _ = writeln!(xml, "    <testcase name=\"model\" classname=\"{name}\" time=\"0\">");
        // a test case has one outcome
        let line = |problem: &Problem| match (&problem.file, problem.line, problem.column) {
            (Some(file), Some(line), Some(column)) => format!("{file}:{line}:{column}: {}", problem.message),
            _ => problem.message.clone(),
        };
        if let [first, more @ ..] = report.errors() {
            let message = match more.len() {
                0 => first.message.clone(),
                count => format!("{} (and {count} more)", first.message),
            };
            let body: Vec<String> = report.errors().iter().map(line).collect();
            outcome(xml, "error", first.code, &message, &body.join("\n"));
        }
        xml.push_str("    </testcase>\n");
    }
    xml.push_str("  </testsuite>\n");
}

fn seconds(result: &PropertyResult) -> f64 {
    result.run.as_ref().map_or(0.0, |run| run.seconds)
}

fn case(xml: &mut String, args: &CheckArgs, report: &ModelReport, result: &PropertyResult) {
    let (name, class) = (escaped(&result.property), escaped(&report.name));
    let _ = write!(xml, "    <testcase name=\"{name}\" classname=\"{class}\" time=\"{:.6}\"", seconds(result));
    match (failing(result), result.verdict) {
        (Some(found), _) => {
            xml.push_str(">\n");
            let place = report.place(result).map(|place| format!("at {place}\n")).unwrap_or_default();
            let replay = replay_command(report, found).unwrap_or_default();
            let body = format!("{}\n{place}{replay}", sentence(result, found));
            outcome(xml, "failure", found.violation.kind.name(), &found.violation.message, body.trim_end());
            xml.push_str("    </testcase>\n");
        }
        (None, Verdict::Unknown(reason)) => {
            xml.push_str(">\n");
            let body = report.undecided(args, result, reason);
            let why = body.lines().next().unwrap_or_default();
            outcome(xml, "error", reason.name(), why, &body);
            xml.push_str("    </testcase>\n");
        }
        (None, Verdict::Violated) => {
            xml.push_str(">\n");
            outcome(xml, "failure", "query", text::NO_WITNESS, text::NO_WITNESS);
            xml.push_str("    </testcase>\n");
        }
        (None, Verdict::Holds) => xml.push_str("/>\n"),
    }
}

fn outcome(xml: &mut String, element: &str, kind: &str, message: &str, body: &str) {
    let (message, body) = (escaped(message), escaped(body));
    let _ = writeln!(xml, "      <{element} type=\"{kind}\" message=\"{message}\">{body}</{element}>");
}

/// A text inside an element or an attribute. XML 1.0 has no way to write most control characters.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        assert_eq!(escaped("a < b && \"c\" > '\u{1}'\n"), "a &lt; b &amp;&amp; &quot;c&quot; &gt; '\u{fffd}'&#10;");
    }
}
