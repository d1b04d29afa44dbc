//! SARIF 2.1.0 (OASIS), which code-scanning services and editors read. A violation is a result with its path as a code flow; so
//! are errors and warnings of a model, and properties that are not decided. Properties that hold are left out.

use std::collections::BTreeMap;

use homing_check::Verdict;
use homing_check::model::{Counterexample, Playback};
use homing_core::SourcePlace;
use homing_ir::Model;
use rapidhash::v3::rapidhash_v3;
use serde_json::{Value, json};

use super::{ModelReport, Outcome, failing, sentence};
use crate::cli::CheckArgs;
use crate::exit::Exit;
use crate::problem::Problem;
use crate::text;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Of longer paths only the last steps are in the code flow.
const MOST_STEPS: usize = 1000;

/// The rules that results refer to, with their descriptions.
const RULES: [(&str, &str); 10] = [
    ("assertion", "An assertion can be violated."),
    ("invalid-end-state", "The model can reach a state in which no process can move, and one is not at a valid end."),
    ("acceptance-cycle", "An infinite run violates the formula, or is accepted by the claim."),
    ("non-progress-cycle", "An infinite run passes no progress label."),
    ("claim-end", "A run reaches the end of the claim."),
    ("invariant", "A condition that has to hold in every state can be false."),
    ("runtime-error", "A statement can fail, for instance by an index out of range."),
    ("action", "An action that must not occur can occur."),
    ("undecided", "A property could not be decided, for instance because a limit was reached."),
    ("model", "The model cannot be checked, or something in it is dubious."),
];

pub fn log(args: &CheckArgs, reports: &[ModelReport], exit: Exit) -> String {
    let mut results = Vec::new();
    for report in reports {
        let problems = report.errors().iter().chain(&report.warnings);
        results.extend(problems.map(|problem| of_problem(&problem.in_file(&report.name))));
        results.extend(report.results().iter().filter_map(|result| of_result(args, report, result)));
    }
    let rule = |(id, text): &(&str, &str)| json!({ "id": id, "shortDescription": { "text": text } });
    let mut driver = json!({
        "name": "homing",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": RULES.iter().map(rule).collect::<Vec<_>>(),
    });
    if let Some(repository) = option_env!("CARGO_PKG_REPOSITORY").filter(|repository| !repository.is_empty()) {
        driver["informationUri"] = json!(repository);
    }
    let done = matches!(exit, Exit::Holds | Exit::Violated | Exit::Undecided);
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "invocations": [{ "executionSuccessful": done, "exitCode": exit.code() }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    let mut text = serde_json::to_string_pretty(&log).expect("the document has string keys and finite numbers");
    text.push('\n');
    text
}

fn result(rule: &str, level: &str, message: &str, location: Value) -> Value {
    let index = RULES.iter().position(|(id, _)| *id == rule).expect("every result has a rule");
    json!({
        "ruleId": rule, "ruleIndex": index, "level": level, "message": { "text": message }, "locations": [location],
    })
}

fn of_problem(problem: &Problem) -> Value {
    let mut region = BTreeMap::new();
    for (key, value) in [
        ("startLine", problem.line),
        ("startColumn", problem.column),
        ("endLine", problem.end_line),
        ("endColumn", problem.end_column),
    ] {
        region.extend(value.map(|value| (key, value)));
    }
    let file = problem.file.as_deref().unwrap_or_default();
    let message = match &problem.help {
        Some(help) => format!("{}\n{help}", problem.message),
        None => problem.message.clone(),
    };
    let mut entry =
        result("model", problem.severity, &message, location(file, (!region.is_empty()).then(|| json!(region))));
    entry["partialFingerprints"] = fingerprints(&[file, problem.code, &problem.message]);
    entry["properties"] = json!({ "code": problem.code });
    entry
}

/// The result of a property that is violated or not decided.
fn of_result(args: &CheckArgs, report: &ModelReport, property: &homing_check::model::PropertyResult) -> Option<Value> {
    let place = match report.place(property) {
        Some(SourcePlace { file, line }) => location(&file, Some(json!({ "startLine": line }))),
        None => location(&report.name, None),
    };
    let Some(found) = failing(property) else {
        if property.verdict == Verdict::Violated {
            let message = format!("{}: {}", property.property, text::NO_WITNESS);
            let mut entry = result("invariant", "error", &message, place);
            entry["partialFingerprints"] = fingerprints(&[&report.name, &property.property, "invariant"]);
            return Some(entry);
        }
        let Verdict::Unknown(reason) = property.verdict else { return None };
        let message = format!("{}: {}", property.property, report.undecided(args, property, reason));
        let mut entry = result("undecided", "warning", &message, place);
        entry["partialFingerprints"] = fingerprints(&[&report.name, &property.property, "undecided"]);
        entry["properties"] = json!({ "property": property.property, "reason": reason.name() });
        return Some(entry);
    };
    let kind = found.violation.kind.name();
    let mut entry = result(kind, "error", &sentence(property, found), place);
    entry["partialFingerprints"] = fingerprints(&[&report.name, &property.property, kind, &found.violation.message]);
    let trail = found.file.as_ref().map(|file| file.display().to_string());
    entry["properties"] = json!({
        "property": property.property, "length": found.length, "shortest": found.shortest, "trail": trail,
    });
    if let Outcome::Results { model, .. } = &report.outcome
        && let Some(flow) = code_flow(found, model)
    {
        entry["codeFlows"] = json!([flow]);
    }
    Some(entry)
}

/// What makes a result the same in another version of a model: not its line, and not the length of its path. The first name is the one
/// that GitHub reads.
fn fingerprints(parts: &[&str]) -> Value {
    let hash = rapidhash_v3(parts.join("\0").as_bytes());
    json!({ "primaryLocationLineHash": format!("{hash:016x}:1"), "homing/v1": format!("{hash:016x}") })
}

/// The path to the error; none if it has no steps.
fn code_flow(found: &Counterexample, model: &Model) -> Option<Value> {
    let playback = Playback::new(model).ok()?;
    let statements = &found.shown.statements;
    let first = statements.len().saturating_sub(MOST_STEPS);
    let step = |(index, executed): (usize, &homing_engine::Executed)| {
        let step = playback.story_step(*executed, &model.sources);
        let mut at = location(&step.place.file, Some(json!({ "startLine": step.place.line })));
        at["message"] = json!({ "text": format!("{}: {}", step.process, step.statement) });
        json!({ "location": at, "executionOrder": index + 1 })
    };
    let steps: Vec<Value> = statements.iter().enumerate().skip(first).map(step).collect();
    (!steps.is_empty()).then(|| json!({ "threadFlows": [{ "locations": steps }] }))
}

fn location(file: &str, region: Option<Value>) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(file) } });
    if let Some(region) = region {
        physical["region"] = region;
    }
    json!({ "physicalLocation": physical })
}

/// A path as a reference of a URI, which is relative if the path is.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    // a drive of Windows, as in C:/models
    let drive =
        path.get(..3).filter(|start| start.ends_with(":/") && start.starts_with(|c: char| c.is_ascii_alphabetic()));
    let (mut uri, rest) = match drive {
        Some(drive) => (format!("file:///{drive}"), &path[drive.len()..]),
        None if path.starts_with("//") => ("file:".to_owned(), &path[..]),
        None if path.starts_with('/') => ("file://".to_owned(), &path[..]),
        None => (String::new(), &path[..]),
    };
    for byte in rest.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_uris() {
        assert_eq!(uri("a b/m:1.pml"), "a%20b/m%3A1.pml");
        assert_eq!(uri(r"C:\models\m 1.pml"), "file:///C:/models/m%201.pml");
        assert_eq!(uri(r"\\server\share\m.pml"), "file://server/share/m.pml");
        assert_eq!(uri(r"models\m.pml"), "models/m.pml");
        assert_eq!(uri("/x/\u{e9}.pml"), "file:///x/%C3%A9.pml");
    }
}
