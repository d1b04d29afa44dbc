//! Estimates do not depend on how a model names its channels: by the elements of an array, or by names of their own.

#[path = "../../homing-heuristics/tests/exact/mod.rs"]
#[allow(dead_code)]
mod exact;

use std::fs;
use std::path::Path;

use exact::{ALL, conditions, read};
use homing_core::{Cost, Estimate, TransitionSystem, ViolationKind};
use homing_engine::Interpreter;
use homing_heuristics::{Combine, Goal, Heuristic, HeuristicEstimate};
use homing_ir::{Model, Reduced};

/// What is written in the place of something, for each copy.
type Written<'a> = &'a [(&'a str, &'a [&'a str])];

/// A model in which the processes of a type have types of their own, and their channels names.
struct Variant<'a> {
    model: &'a str,
    /// How the type begins, and what is written in its copies.
    types: &'a [(&'a str, Written<'a>)],
    /// What else is written.
    others: &'a [(&'a str, &'a str)],
    /// Added at the end: the condition of an invariant.
    condition: &'a str,
}

const VARIANTS: [Variant<'static>; 5] = [
    Variant {
        model: "philosophers",
        types: &[
            (
                "active [N] proctype Philosopher()",
                &[
                    (
                        "active [N] proctype Philosopher",
                        &["active proctype P0", "active proctype P1", "active proctype P2"],
                    ),
                    ("byte left = _pid, right = (_pid + 1) % N;", &["", "", ""]),
                    ("fork[left]", &["fork0", "fork1", "fork2"]),
                    ("fork[right]", &["fork1", "fork2", "fork0"]),
                ],
            ),
            (
                "active [N] proctype Fork()",
                &[
                    ("active [N] proctype Fork", &["active proctype F0", "active proctype F1", "active proctype F2"]),
                    ("byte me = _pid - N;", &["", "", ""]),
                    ("fork[me]", &["fork0", "fork1", "fork2"]),
                ],
            ),
        ],
        others: &[(
            "fork[N] = [0] of { mtype }",
            "fork0 = [0] of { mtype }; chan fork1 = [0] of { mtype }; chan fork2 = [0] of { mtype }",
        )],
        condition: "_nr_pr > 3",
    },
    Variant {
        model: "pots",
        types: &[
            (
                "active [2] proctype User()",
                &[
                    ("active [2] proctype User", &["active proctype User0", "active proctype User1"]),
                    ("line[_pid]", &["line0", "line1"]),
                    ("phone[_pid]", &["phone0", "phone1"]),
                ],
            ),
            (
                "active [2] proctype Handler()",
                &[
                    ("active [2] proctype Handler", &["active proctype Handler0", "active proctype Handler1"]),
                    ("byte me = _pid - 2, other = 3 - _pid, digits;", &["byte digits;", "byte digits;"]),
                    ("line[me]", &["line0", "line1"]),
                    ("phone[me]", &["phone0", "phone1"]),
                    ("trunk[me]", &["trunk0", "trunk1"]),
                    ("trunk[other]", &["trunk1", "trunk0"]),
                ],
            ),
        ],
        others: &[
            ("line[2] = [1] of { mtype }", "line0 = [1] of { mtype }; chan line1 = [1] of { mtype }"),
            ("phone[2] = [0] of { mtype }", "phone0 = [0] of { mtype }; chan phone1 = [0] of { mtype }"),
            ("trunk[2] = [1] of { mtype }", "trunk0 = [1] of { mtype }; chan trunk1 = [1] of { mtype }"),
            ("Handler[2]@", "Handler0[2]@"),
            ("Handler[3]@", "Handler1[3]@"),
            ("User[0]@", "User0[0]@"),
            ("User[1]@", "User1[1]@"),
        ],
        condition: "consistent",
    },
    Variant {
        model: "giop",
        types: &[],
        others: &[
            ("outcome[CLIENTS]", "outcome"),
            ("down[CLIENTS]", "down"),
            ("outcome[_pid]", "outcome"),
            ("outcome[me]", "outcome"),
            ("down[me]", "down"),
            ("down[who]", "down"),
            ("down[0]", "down"),
            ("locate, me", "locate, 0"),
            ("request, me", "request, 0"),
            ("revoke, me", "revoke, 0"),
            ("open[CLIENTS]", "open"),
            ("pending[CLIENTS]", "pending"),
            ("expected[CLIENTS]", "expected"),
            ("open[who]", "open"),
            ("pending[who]", "pending"),
            ("expected[who]", "expected"),
            ("open[0]", "open"),
            ("pending[0]", "pending"),
        ],
        condition: "!Client[1]@replied",
    },
    Variant {
        model: "marriers",
        types: &[
            (
                "active [N] proctype Suitor()",
                &[
                    ("active [N] proctype Suitor", &["active proctype S0", "active proctype S1", "active proctype S2"]),
                    ("answer[_pid]", &["answer0", "answer1", "answer2"]),
                    ("_pid", &["0", "1", "2"]),
                ],
            ),
            (
                "active [N] proctype Bride()",
                &[
                    ("active [N] proctype Bride", &["active proctype B0", "active proctype B1", "active proctype B2"]),
                    ("byte me = _pid - N, fiance", &["byte fiance", "byte fiance", "byte fiance"]),
                    ("proposal[me]", &["proposal[0]", "proposal[1]", "proposal[2]"]),
                    ("LIKES(me", &["LIKES(0", "LIKES(1", "LIKES(2"]),
                    ("answer[fiance]!yes", &[TO_FIANCE_YES; 3]),
                    ("answer[fiance]!no", &[TO_FIANCE_NO; 3]),
                    ("answer[other]!yes", &[TO_OTHER_YES; 3]),
                    ("answer[other]!no", &[TO_OTHER_NO; 3]),
                ],
            ),
        ],
        others: &[(
            "chan answer[N] = [0] of { mtype }",
            "chan answer0 = [0] of { mtype }; chan answer1 = [0] of { mtype }; chan answer2 = [0] of { mtype }",
        )],
        condition: "engaged <= 2",
    },
    Variant {
        model: "lynch",
        types: &[
            (
                "proctype End(bit me; bool begins)",
                &[
                    (
                        "proctype End(bit me; bool begins)",
                        &["proctype End0(bool begins)", "proctype End1(bool begins)"],
                    ),
                    ("out[me]", &["out0", "out1"]),
                    ("in[me]", &["in0", "in1"]),
                ],
            ),
            (
                "proctype Line(bit from, to)",
                &[
                    ("proctype Line(bit from, to)", &["proctype Line0()", "proctype Line1()"]),
                    ("out[from]", &["out0", "out1"]),
                    ("in[to]", &["in1", "in0"]),
                ],
            ),
        ],
        others: &[
            (
                "out[2] = [1] of { mtype, byte, bit }",
                "out0 = [1] of { mtype, byte, bit }; chan out1 = [1] of { mtype, byte, bit }",
            ),
            (
                "in[2] = [1] of { mtype, byte, bit }",
                "in0 = [1] of { mtype, byte, bit }; chan in1 = [1] of { mtype, byte, bit }",
            ),
            ("run End(0, true)", "run End0(true)"),
            ("run End(1, false)", "run End1(false)"),
            ("run Line(0, 1)", "run Line0()"),
            ("run Line(1, 0)", "run Line1()"),
        ],
        condition: "_nr_pr > 3",
    },
];

const TO_FIANCE_YES: &str =
    "if :: fiance == 0 -> answer0!yes :: fiance == 1 -> answer1!yes :: fiance == 2 -> answer2!yes fi";
const TO_FIANCE_NO: &str =
    "if :: fiance == 0 -> answer0!no :: fiance == 1 -> answer1!no :: fiance == 2 -> answer2!no fi";
const TO_OTHER_YES: &str =
    "if :: other == 0 -> answer0!yes :: other == 1 -> answer1!yes :: other == 2 -> answer2!yes fi";
const TO_OTHER_NO: &str = "if :: other == 0 -> answer0!no :: other == 1 -> answer1!no :: other == 2 -> answer2!no fi";

fn written_out(text: &str, variant: &Variant<'_>) -> String {
    let mut text = text.to_owned();
    for (head, written) in variant.types {
        let begin = text.find(head).unwrap_or_else(|| panic!("no {head}"));
        let end = begin + text[begin..].find("\n}\n").expect("an end") + 3;
        let body = text[begin..end].to_owned();
        let copy = |at: usize| {
            written.iter().fold(body.clone(), |copy, (what, by)| {
                assert!(copy.contains(what), "no {what}");
                copy.replace(what, by[at])
            })
        };
        let copies: Vec<String> = (0..written[0].1.len()).map(copy).collect();
        text.replace_range(begin..end, &copies.join("\n"));
    }
    for (what, by) in variant.others {
        assert!(text.contains(what), "no {what}");
        text = text.replace(what, by);
    }
    text
}

/// The estimates of the initial state, for each kind of error and the condition.
fn estimates(model: &Model) -> Vec<(String, Cost)> {
    let initial = Interpreter::new(model).expect("an initial state").initial();
    let condition = *conditions(model).last().expect("a condition");
    let goals = [
        Goal::Errors(&[ViolationKind::RuntimeError]),
        Goal::Errors(&[ViolationKind::Assertion, ViolationKind::RuntimeError]),
        Goal::Errors(&[ViolationKind::InvalidEndState, ViolationKind::RuntimeError]),
        Goal::Errors(&ALL),
        Goal::Invariant(condition),
    ];
    let mut found = Vec::new();
    for heuristic in [Heuristic::Formula(Combine::Max), Heuristic::Formula(Combine::Sum), Heuristic::FsmMax] {
        for goal in goals {
            if let Ok(mut estimate) = HeuristicEstimate::new(model, heuristic, goal) {
                let distance = estimate.distance(&initial).map_or(Cost::MAX, |estimated| estimated.h);
                found.push((format!("{heuristic:?} for {goal:?}"), distance));
            }
        }
    }
    found
}

#[test]
fn indices_make_no_estimate_smaller() {
    for variant in &VARIANTS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../models/{}.pml", variant.model));
        let text = fs::read_to_string(path).expect("a text");
        let watched = |text: &str| {
            let watch = format!("{text}\nproctype Watch() {{ assert({}) }}\n", variant.condition);
            read("model.pml", watch.clone()).unwrap_or_else(|| panic!("no model: {watch}"))
        };
        let (model, written) = (watched(&text), watched(&written_out(&text, variant)));
        for (model, written) in [(&model, &written), (&Reduced::of(&model).model, &Reduced::of(&written).model)] {
            let (with_indices, without) = (estimates(model), estimates(written));
            let greatest = without.iter().map(|(_, distance)| *distance).max();
            assert!(greatest > Some(1), "{}: {without:?}", variant.model);
            for ((name, distance), (_, other)) in with_indices.iter().zip(&without) {
                assert!(distance >= other, "{}: {name}: {distance}, but {other} without indices", variant.model);
            }
        }
    }
}
