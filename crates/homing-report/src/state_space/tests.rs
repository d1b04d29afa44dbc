use homing_core::{ProcessDescription, Valued};

use super::*;

fn valued(text: &str) -> Valued {
    let (name, value) = text.split_once(" = ").expect("a name and a value");
    Valued { name: name.to_owned(), value: value.to_owned() }
}

fn at(location: u32, locals: &[&str]) -> ProcessDescription {
    let place = SourcePlace { file: "m.pml".to_owned(), line: 10 + location };
    let locals = locals.iter().map(|local| valued(local)).collect();
    ProcessDescription { process: "P(0)".to_owned(), place, location, name: None, locals }
}

fn description(globals: &[&str], processes: &[ProcessDescription]) -> Description {
    let globals = globals.iter().map(|global| valued(global)).collect();
    Description { globals, processes: processes.to_vec() }
}

fn step(statements: &[&str], target: EdgeTarget) -> DrawnStep {
    let story = |statement: &&str| StoryStep {
        source: String::new(),
        process: "P(0)".to_owned(),
        place: SourcePlace { file: "m.pml".to_owned(), line: 7 },
        statement: (*statement).to_owned(),
        call: None,
    };
    DrawnStep { statements: statements.iter().map(story).collect(), length: statements.len(), target }
}

fn violation(kind: ViolationKind, message: &str) -> Violation {
    Violation { kind, message: message.to_owned(), place: None, process: Some("P(0)".to_owned()) }
}

fn drawn(highlight: Highlight, states: &[DrawnState]) -> String {
    let mut drawing = StateSpace::begin(states[0].description.clone(), highlight);
    let mut text = String::new();
    for state in states {
        drawing.draw(state);
        text += &drawing.take();
    }
    text + &drawing.end()
}

/// 0 goes to 1 and back, fails on the way to 2, where it is stuck; 1 ends.
fn small() -> Vec<DrawnState> {
    let fails = violation(ViolationKind::Assertion, "assertion violated: \"x\"");
    let stuck = violation(ViolationKind::InvalidEndState, "invalid end state");
    let state = |number, description, steps| DrawnState { number, description, steps };
    vec![
        state(
            0,
            description(&["x = 0", "y = 0"], &[at(1, &["i = 0", "j = 0"])]),
            vec![
                step(&["x = 1"], EdgeTarget::State(1)),
                step(&["y = 1", "assert(x)"], EdgeTarget::Error(fails.clone())),
                step(&["y = 1", "assert(x)", "j = 3"], EdgeTarget::State(2)),
            ],
        ),
        state(
            1,
            description(&["x = 1", "y = 0"], &[]),
            vec![
                step(&["x = 0"], EdgeTarget::State(0)),
                step(&["x = 2"], EdgeTarget::Error(fails)),
                step(&[], EdgeTarget::CutOff),
            ],
        ),
        state(
            2,
            description(&["x = 0", "y = 1"], &[at(4, &["i = 0", "j = 3"])]),
            vec![step(&[], EdgeTarget::Error(stuck))],
        ),
        state(3, description(&["x = 0", "y = 0"], &[at(1, &["i = 0", "j = 0"])]), vec![]),
    ]
}

#[track_caller]
fn line<'d>(drawn: &'d str, head: &str) -> &'d str {
    let start = format!("  {head} [");
    drawn.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no {head} in\n{drawn}"))
}

#[test]
fn states_tell_what_differs_from_the_first() {
    let drawn = drawn(Highlight::default(), &small());
    let label = |node| line(&drawn, node).split("\", tooltip=").next().unwrap_or_default().to_owned();
    assert_eq!(label("s0"), r#"  s0 [label="0\nx = 0\ly = 0\lP(0) at 1 (line 11), i = 0, j = 0\l"#);
    assert_eq!(label("s1"), r#"  s1 [label="1\nx = 1\lP(0) has ended\l"#);
    assert_eq!(label("s2"), r#"  s2 [label="2\ninvalid end state\ly = 1\lP(0) at 4 (line 14), j = 3\l"#);
    assert_eq!(label("s3"), r#"  s3 [label="3\n"#);
    assert!(line(&drawn, "s1").contains(r#"tooltip="state 1\nx = 1\ny = 0""#), "{drawn}");
}

#[test]
fn ends_and_errors_are_seen() {
    let drawn = drawn(Highlight::default(), &small());
    assert!(line(&drawn, "s2").contains(style::ERROR) && !line(&drawn, "s2").contains("peripheries"), "{drawn}");
    assert!(line(&drawn, "s3").contains("peripheries") && !line(&drawn, "s3").contains(style::ERROR), "{drawn}");
    assert!(line(&drawn, "s0 -> error0").contains(r#"label=" P(0): y = 1 \l   assert(x) \l""#), "{drawn}");
    assert!(line(&drawn, "s1 -> error0").contains(style::ERROR), "the same error is one node");
    assert!(line(&drawn, "error0").contains(r#"label="assertion violated: \"x\"\nin P(0)""#), "{drawn}");
    assert!(!drawn.contains("error1") && !drawn.contains("s2 ->"), "{drawn}");
    assert!(line(&drawn, "s1 -> cut_off").contains("label") && line(&drawn, "cut_off").contains("dashed"));
    assert!(line(&drawn, "s1 -> s0").contains("constraint=\"false\""), "{drawn}");
    assert!(!line(&drawn, "s0 -> s1").contains("constraint"), "{drawn}");
}

#[test]
fn a_path_is_highlighted_up_to_its_error() {
    let heads = |highlight| -> Vec<String> {
        let drawn = drawn(highlight, &small());
        let bold = drawn.lines().filter(|line| line.contains("penwidth=\"3\""));
        bold.filter_map(|line| line.trim().split(" [").next().map(str::to_owned)).collect()
    };
    let error = Some(violation(ViolationKind::Assertion, "assertion violated: \"x\""));
    assert_eq!(heads(Highlight { states: vec![0, 1], error }), ["s0", "s0 -> s1", "s1", "s1 -> error0"]);
    let states = vec![0, 1, 0, 2];
    assert_eq!(heads(Highlight { states, error: None }), ["s0", "s0 -> s1", "s0 -> s2", "s1", "s1 -> s0", "s2"]);
    assert_eq!(heads(Highlight::default()), [""; 0]);
}

#[test]
fn long_steps_are_cut() {
    let mut long = step(&["x = 1"; DrawnStep::MOST], EdgeTarget::State(0));
    long.length = 1_000_000;
    let description = description(&[], &[]);
    let drawn = drawn(Highlight::default(), &[DrawnState { number: 0, description, steps: vec![long] }]);
    let edge = line(&drawn, "s0 -> s0");
    assert!(edge.contains("… 999994 more") && edge.contains("… 999960 more"), "{edge}");
}

#[test]
fn a_model_that_does_not_start_is_only_its_error() {
    let drawn = failed_start(&violation(ViolationKind::RuntimeError, "division by zero"));
    assert!(drawn.contains("start -> error0;") && line(&drawn, "error0").contains("division by zero"), "{drawn}");
}
