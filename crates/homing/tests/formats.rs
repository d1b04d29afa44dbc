//! Several models in one call, and output for programs: JSON, GitHub annotations, SARIF, JUnit.

mod program;

use program::Folder;
use serde_json::Value;

const WRONG: &str = "init {\n\tx = 1\n}\n";
const VIOLATED: &str = "byte x;\ninit {\n\tx = 2;\n\tassert(x < 2)\n}\n";
const HOLDS: &str = "byte x;\ninit { x = 1 }\n";
const ENDLESS: &str = "int x;\nactive proctype P() { do :: x < 100000 -> x++ od }\n";

fn folder(test: &str) -> Folder {
    Folder::new(test)
        .file("wrong.pml", WRONG)
        .file("violated.pml", VIOLATED)
        .file("holds.pml", HOLDS)
        .file("endless.pml", ENDLESS)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn the_exit_code_of_several_models_is_the_worst() {
    let folder = folder("several_models");
    for (models, code) in [
        (&["holds.pml", "holds.pml"][..], 0),
        (&["holds.pml", "endless.pml"], 3),
        (&["endless.pml", "wrong.pml", "holds.pml"], 2),
        (&["wrong.pml", "missing.pml", "violated.pml", "endless.pml"], 1),
    ] {
        let flags = ["check", "--max-states", "100", "--quiet"];
        let ran = folder.homing(&[&flags[..], models].concat()).ends_with(code);
        let headings = ran.stdout.lines().filter(|line| line.starts_with("== ")).count();
        assert_eq!(headings, models.len(), "{}", ran.stdout);
    }
    assert!(folder.path.join("violated.pml.trail").exists());
    let ran = folder.homing(&["check", "holds.pml", "violated.pml", "--trail", "t"]).ends_with(2);
    assert!(ran.stderr.contains("--trail names one file, but there are 2 models"), "{}", ran.stderr);
    let ran = folder.homing(&["check", "violated.pml", "holds.pml", "--fail-fast", "--quiet"]).ends_with(1);
    assert!(!ran.stdout.contains("holds.pml"), "{}", ran.stdout);
}

#[test]
fn several_models_are_an_array_of_documents() {
    let folder = folder("array_of_documents");
    let ran = folder.homing(&["check", "holds.pml", "wrong.pml", "violated.pml", "--format", "json"]).ends_with(1);
    let documents = json(&ran.stdout);
    let names: Vec<&str> = documents.as_array().unwrap().iter().map(|one| one["model"].as_str().unwrap()).collect();
    assert_eq!(names, ["holds.pml", "wrong.pml", "violated.pml"]);
    assert_eq!(documents[0]["results"][0]["verdict"], "holds");
    assert!(documents[1].get("results").is_none() && documents[1]["diagnostics"].is_array());
    assert_eq!(documents[2]["results"][0]["verdict"], "violated");
    let same = folder.homing(&["check", "holds.pml", "--json"]).ends_with(0).results();
    assert_eq!(same[0]["verdict"], "holds", "one model is one document");
    folder.homing(&["check", "holds.pml", "--json", "--format", "sarif"]).ends_with(2);
}

#[test]
fn errors_of_a_model_are_diagnostics() {
    let folder = folder("diagnostics");
    let ran = folder.homing(&["check", "wrong.pml", "-DUNREAD=1", "--json"]).ends_with(2);
    assert!(ran.stderr.contains("`x`"), "people read it on standard error: {}", ran.stderr);
    let document = json(&ran.stdout);
    let [error] = &document["diagnostics"].as_array().unwrap()[..] else { panic!("{document:#}") };
    assert_eq!(error["code"], "semantics");
    assert_eq!(error["severity"], "error");
    assert_eq!(error["file"], "wrong.pml");
    let place = ["line", "column", "end_line", "end_column"].map(|key| error[key].as_u64().unwrap());
    assert_eq!(place, [2, 2, 2, 3]);
    assert!(error["message"].as_str().unwrap().contains("`x`") && error["help"].is_string(), "{error:#}");
    let [warning] = &document["warnings"].as_array().unwrap()[..] else { panic!("{document:#}") };
    assert_eq!((&warning["code"], &warning["severity"]), (&"unread-define".into(), &"warning".into()));
    for (arguments, code) in [
        (&["check", "missing.pml"][..], "unreadable"),
        (&["check", "holds.pml", "--property", "nosuch"], "property"),
        (&["check", "holds.pml", "--property", "invariant: x <"], "invariant-syntax"),
        (&["check", "holds.pml", "--property", "ltl: [] ("], "formula-syntax"),
        (&["check", "holds.pml", "--search", "bfs", "--weight", "2"], "option"),
    ] {
        let ran = folder.homing(&[arguments, &["--json"]].concat()).ends_with(2);
        assert_eq!(json(&ran.stdout)["diagnostics"][0]["code"], code, "{}", ran.stdout);
    }
}

#[test]
fn github_annotations_name_file_and_line() {
    let folder = folder("github");
    let models = ["violated.pml", "wrong.pml", "endless.pml", "holds.pml"];
    let flags = ["check", "--format", "github", "--max-states", "100"];
    let ran = folder.homing(&[&flags[..], &models].concat()).ends_with(1);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let has =
        |start: &str| assert!(lines.iter().any(|line| line.starts_with(start)), "{start}\nis not in\n{}", ran.stdout);
    has("::error file=violated.pml,line=4,title=homing%3A safety::safety: assertion violated");
    has("::error file=wrong.pml,line=2,endLine=2,col=2,endColumn=3,title=homing%3A semantics::`x`");
    has("::warning file=endless.pml,title=homing%3A safety::the limit on states");
    has("holds.pml: safety: holds");
    assert!(ran.stdout.contains("%0Areplay it with: homing replay violated.pml violated.pml.trail"), "{}", ran.stdout);
}

#[test]
fn all_errors_are_grouped_by_kind_and_place() {
    let text = "byte x;\nactive [2] proctype P() {\n\tif\n\t:: x = 1; x = 2; assert(x == 3)\n\t:: assert(x == 2)\n\t:: x < 0\n\tfi\n}\n";
    let folder = Folder::new("all_errors").file("m.pml", text).file("m.pml.safety-9.trail", "");
    let result = folder.homing(&["check", "m.pml", "--all-errors", "--json"]).ends_with(1).results()[0].clone();
    let groups = list(&result["violations"]);
    let places: Vec<(u64, u64)> =
        groups.iter().map(|one| (one["line"].as_u64().unwrap(), one["trail"]["length"].as_u64().unwrap())).collect();
    assert_eq!(places, [(4, 3), (5, 1)], "{groups:#?}");
    for group in groups {
        assert_eq!((&group["kind"], &group["trail"]["shortest"]), (&"assertion".into(), &true.into()));
        let file = group["trail"]["file"].as_str().expect("a file");
        let shown = json(&folder.homing(&["replay", "m.pml", file, "--json"]).ends_with(1).stdout);
        assert_eq!(shown["errors"][0]["line"], group["line"], "{file}");
    }
    let shown = folder.homing(&["check", "m.pml", "--all-errors"]).ends_with(1).stdout;
    assert!(shown.contains("errors by kind and place:"), "{shown}");
    assert!(shown.contains("m.pml:4  (3 statements, shortest)"), "{shown}");
    assert!(shown.contains("homing replay m.pml m.pml.safety-1.trail"), "{shown}");
}

/// The keys of the SARIF objects that homing writes, as the schema of SARIF 2.1.0 has them: required keys, then optional
/// ones. The schema forbids all others.
const SARIF: [(&str, &[&str], &[&str]); 13] = [
    ("log", &["version", "runs"], &["$schema"]),
    ("run", &["tool"], &["results", "invocations", "columnKind"]),
    ("tool", &["driver"], &[]),
    ("driver", &["name"], &["semanticVersion", "rules", "informationUri"]),
    ("rule", &["id"], &["shortDescription"]),
    ("invocation", &["executionSuccessful"], &["exitCode"]),
    (
        "result",
        &["message"],
        &["ruleId", "ruleIndex", "level", "locations", "codeFlows", "properties", "partialFingerprints"],
    ),
    ("message", &["text"], &[]),
    ("location", &[], &["physicalLocation", "message"]),
    ("physicalLocation", &["artifactLocation"], &["region"]),
    ("region", &["startLine"], &["startColumn", "endLine", "endColumn"]),
    ("threadFlowLocation", &["location"], &["executionOrder"]),
    ("artifactLocation", &["uri"], &[]),
];

#[track_caller]
fn has_keys(kind: &str, value: &Value) {
    let (_, required, optional) = SARIF.iter().find(|(known, ..)| *known == kind).expect("a kind of object");
    let object = value.as_object().unwrap_or_else(|| panic!("{kind}: {value:#}"));
    required.iter().for_each(|key| assert!(object.contains_key(*key), "{kind} lacks {key}: {value:#}"));
    for key in object.keys() {
        assert!(required.contains(&key.as_str()) || optional.contains(&key.as_str()), "{kind} has {key}: {value:#}");
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("an array: {value:#}"))
}

fn is_location(location: &Value) {
    has_keys("location", location);
    let place = &location["physicalLocation"];
    has_keys("physicalLocation", place);
    has_keys("artifactLocation", &place["artifactLocation"]);
    if let Some(region) = place.get("region") {
        has_keys("region", region);
        assert!(region.as_object().unwrap().values().all(|number| number.as_u64() >= Some(1)), "{region:#}");
    }
    location.get("message").iter().for_each(|message| has_keys("message", message));
}

#[test]
fn sarif_has_the_structure_of_its_schema() {
    let folder = folder("sarif");
    let models = ["violated.pml", "wrong.pml", "endless.pml", "holds.pml", "missing.pml"];
    let flags = ["check", "--format", "sarif", "--max-states", "100"];
    let log = json(&folder.homing(&[&flags[..], &models].concat()).ends_with(1).stdout);
    has_keys("log", &log);
    assert_eq!(log["version"], "2.1.0");
    let [run] = list(&log["runs"]) else { panic!("{log:#}") };
    has_keys("run", run);
    has_keys("tool", &run["tool"]);
    let driver = &run["tool"]["driver"];
    has_keys("driver", driver);
    let rules = list(&driver["rules"]);
    rules.iter().for_each(|rule| {
        has_keys("rule", rule);
        has_keys("message", &rule["shortDescription"]);
    });
    list(&run["invocations"]).iter().for_each(|invocation| has_keys("invocation", invocation));
    let results = list(&run["results"]);
    for result in results {
        has_keys("result", result);
        has_keys("message", &result["message"]);
        assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
        assert!(["error", "warning"].contains(&result["level"].as_str().unwrap()));
        list(&result["locations"]).iter().for_each(is_location);
        for flow in result.get("codeFlows").into_iter().flat_map(list) {
            for step in list(&flow["threadFlows"]).iter().flat_map(|thread| list(&thread["locations"])) {
                has_keys("threadFlowLocation", step);
                is_location(&step["location"]);
            }
        }
    }
    let rules: Vec<&str> = results.iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    assert_eq!(rules, ["assertion", "model", "undecided", "model"]);
    let steps = list(&results[0]["codeFlows"][0]["threadFlows"][0]["locations"]);
    assert_eq!(steps.len() as u64, results[0]["properties"]["length"].as_u64().unwrap());
}

/// Checks that elements are nested properly, and returns the names of those that begin.
fn elements(xml: &str) -> Vec<&str> {
    let (mut open, mut all) = (Vec::new(), Vec::new());
    for tag in xml.split('<').skip(1).map(|rest| rest.split('>').next().expect("a tag ends")) {
        match (tag.strip_prefix('/'), tag.split([' ', '/']).next().expect("a name")) {
            (Some(name), _) => assert_eq!(open.pop(), Some(name), "{xml}"),
            (None, "?xml") => {}
            (None, name) => {
                all.push(name);
                if !tag.ends_with('/') {
                    open.push(name);
                }
            }
        }
    }
    assert!(open.is_empty(), "{open:?} in {xml}");
    all
}

#[test]
fn junit_has_a_suite_for_each_model_and_a_case_for_each_property() {
    let folder = folder("junit");
    let models = ["violated.pml", "wrong.pml", "endless.pml", "holds.pml"];
    let flags = ["check", "--format", "junit", "--max-states", "100", "--property", "safety"];
    let properties = ["--property", "invariant: x < 2 && x >= 0"];
    let ran = folder.homing(&[&flags[..], &properties, &models].concat()).ends_with(1);
    let names = elements(&ran.stdout);
    let count = |name: &str| names.iter().filter(|element| **element == name).count();
    assert_eq!((count("testsuites"), count("testsuite"), count("testcase")), (1, 4, 7), "{}", ran.stdout);
    assert_eq!(count("failure"), 3, "two of violated.pml, one of endless.pml: {}", ran.stdout);
    for part in [
        "<testsuite name=\"violated.pml\" tests=\"2\" failures=\"2\" errors=\"0\"",
        "<testcase name=\"invariant:x &lt; 2 &amp;&amp; x &gt;= 0\" classname=\"holds.pml\"",
        "<error type=\"semantics\"",
        "<failure type=\"assertion\" message=\"assertion violated",
    ] {
        assert!(ran.stdout.contains(part), "{part}\nis not in\n{}", ran.stdout);
    }
}

/// A macro of the command line has no file of its own.
#[test]
fn what_is_wrong_with_the_command_line_is_shown_at_the_model() {
    let folder = folder("place_of_define");
    let asked =
        |format: &str| folder.homing(&["check", "holds.pml", "-DUNREAD", "--format", format]).ends_with(0).stdout;
    let log = json(&asked("sarif"));
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "holds.pml");
    assert!(place.get("region").is_none(), "{place}");
    assert!(asked("github").contains("::warning file=holds.pml,title="), "{}", asked("github"));
}

/// A test case has at most one outcome, and a suite without results takes no time.
#[test]
fn a_refused_model_is_one_failing_test_case() {
    let folder = folder("refused_model").file("two.pml", "init {\n\tx = 1;\n\ty = 2\n}\n");
    let shown = folder.homing(&["check", "two.pml", "--format", "junit"]).ends_with(2).stdout;
    assert!(shown.contains("errors=\"1\" skipped=\"0\" time=\"0.000000\""), "{shown}");
    assert_eq!(shown.matches("<error ").count(), 1, "{shown}");
    assert!(shown.contains("`x` is not declared (and 1 more)") && shown.contains("two.pml:3:2: `y`"), "{shown}");
}

/// Properties of infinite runs have a line: that of their formula, or that of the first statement of the cycle.
#[test]
fn liveness_violations_have_a_line() {
    let formula = "byte x;\nactive proctype P() {\n\tx = 1;\n\tdo\n\t:: x = 2\n\t:: x = 3\n\tod\n}\nltl small { <> [] (x < 3) }\n";
    let labelled = "byte x;\nactive proctype P() {\n\tx = 1;\nprogress: x = 2;\n\tdo\n\t:: x = 3\n\tod\n}\n";
    let folder = Folder::new("liveness_lines").file("f.pml", formula).file("l.pml", labelled);
    for (arguments, line, kind) in [
        (&["f.pml", "--property", "small"][..], 9, "acceptance-cycle"),
        (&["f.pml", "--property", "ltl: <> [] (x < 3)"], 6, "acceptance-cycle"),
        (&["l.pml", "--property", "progress"], 6, "non-progress-cycle"),
    ] {
        let check =
            |format: &str| folder.homing(&[&["check", "--format", format], arguments].concat()).ends_with(1).stdout;
        let github = check("github");
        let name = arguments[0];
        let near = [line, line - 1].map(|line| format!("::error file={name},line={line},"));
        assert!(near.iter().any(|start| github.contains(start.as_str())), "{line}: {github}");
        let result = json(&check("sarif"))["runs"][0]["results"][0].clone();
        assert_eq!(result["ruleId"], kind);
        let start = &result["locations"][0]["physicalLocation"]["region"]["startLine"];
        assert!([line, line - 1].contains(&start.as_i64().expect("a line")), "{result:#}");
        assert!(check("junit").contains(&format!("at {name}:{start}")), "{name}");
    }
}

/// A result keeps its fingerprint when lines move, and has another one if it is another error.
#[test]
fn fingerprints_do_not_depend_on_lines() {
    let text = "byte x;\nactive proctype P() { x = 1; assert(x == 2) }\n";
    let folder = Folder::new("fingerprints").file("m.pml", text);
    let print = |folder: &Folder| {
        let log = json(&folder.homing(&["check", "m.pml", "--format", "sarif"]).ends_with(1).stdout);
        assert!(
            log["runs"][0]["tool"]["driver"]["informationUri"].as_str().is_none_or(|uri| uri.starts_with("https://"))
        );
        let prints = log["runs"][0]["results"][0]["partialFingerprints"].clone();
        let all = prints.as_object().expect("an object");
        assert!(all.values().all(|print| print.as_str().is_some_and(|print| print.len() >= 16)), "{prints}");
        prints
    };
    let first = print(&folder);
    let folder = folder.file("m.pml", format!("\n\n{}", text.replace("x = 1;", "x = 1; skip;")));
    assert_eq!(print(&folder), first);
    let folder = folder.file("m.pml", text.replace("x == 2", "x == 3"));
    assert_ne!(print(&folder), first);
}

#[test]
fn several_properties_have_a_summary() {
    let text = "byte x;\nactive proctype P() { x = 1; x = 2 }\nltl holds { [] (x < 3) }\nltl fails { [] (x < 2) }\n";
    let folder = folder("summary").file("m.pml", text);
    let last = |arguments: &[&str], code| {
        let ran = folder.homing(&[&["check"], arguments].concat()).ends_with(code);
        ran.stdout.lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(last(&["m.pml"], 1), "3 properties: 2 hold, 1 violated");
    let models = ["holds.pml", "violated.pml", "endless.pml", "wrong.pml", "--max-states", "100"];
    assert_eq!(last(&models, 1), "3 properties: 1 holds, 1 violated, 1 unknown, 1 model refused");
    for arguments in [&["m.pml", "--quiet"][..], &["m.pml", "--json"], &["m.pml", "--property", "fails"]] {
        assert!(!last(arguments, 1).contains("properties"), "{arguments:?}");
    }
}
