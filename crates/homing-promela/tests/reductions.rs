//! What the reductions make of small models: which locals are forgotten where, what is not stored, what is absorbed.

use homing_ir::print::Printer;
use homing_ir::{Action, Lengths, Model, ProctypeId, Reduced};
use homing_promela::preprocess::Options;

fn read(text: &str) -> Model {
    homing_promela::read("m.pml", text.to_owned(), &Options::default()).model.expect("a model")
}

/// The transitions of the first process type, in order of their locations: the statement, then `forgets` what it sets
/// to zero, then `+` if it absorbs what follows.
fn reduced(text: &str) -> Vec<String> {
    let Reduced { model, .. } = Reduced::of(&read(text));
    let proctype = &model.proctypes[0];
    let printer = Printer { model: &model, proctype: Some(ProctypeId(0)) };
    let shown = |transition: &homing_ir::Transition| {
        let mut line = printer.action(&proctype.automaton.statement(transition.statement).action);
        for var in proctype.automaton.resets(transition) {
            line.push_str(&format!(" forgets {}", proctype.locals[var.index()].name));
        }
        line.push_str(if transition.merged { " +" } else { "" });
        line
    };
    proctype.automaton.locations.iter().flat_map(|location| &location.transitions).map(shown).collect()
}

/// What the first process type forgets before it begins.
fn forgotten_at_the_start(text: &str) -> Vec<String> {
    let Reduced { model, .. } = Reduced::of(&read(text));
    let proctype = &model.proctypes[0];
    proctype.automaton.start_resets.iter().map(|var| proctype.locals[var.index()].name.clone()).collect()
}

#[test]
fn a_local_is_forgotten_after_its_last_read() {
    let found = reduced("byte g; active [2] proctype P() { byte x; x = g; g == x; g = 2 }");
    assert_eq!(found, ["x = g", "((g==x)) forgets x", "g = 2", "-end-"]);
}

#[test]
fn a_loop_keeps_what_its_next_round_reads() {
    let found = reduced("byte g; active [2] proctype P() { byte x, y; do :: x = x + g; y = g; g = x + y od }");
    assert_eq!(found[..3], ["x = (x+g)", "y = g", "g = (x+y) forgets y"]);
}

#[test]
fn what_only_goes_into_the_dead_is_dead() {
    let found = reduced("byte g; active [2] proctype P() { byte x, y; x = g; y = x; g == 1; g = 2 }");
    assert_eq!(found, ["x = g forgets x +", "y = x forgets y", "((g==1))", "g = 2", "-end-"]);
}

#[test]
fn what_can_fail_is_read() {
    let found = reduced("byte g; active [2] proctype P() { byte x, y; x = g; y = 1 / x; g == 1; g = 2 }");
    assert_eq!(found[..2], ["x = g +", "y = (1/x) forgets x forgets y"]);
    let printed = reduced("byte g; active [2] proctype P() { byte x; x = g; printf(\"%d\", x); g == 1; g = 2 }");
    assert_eq!(printed[0], "x = g forgets x +");
}

#[test]
fn an_index_is_read_and_arrays_die() {
    let found = reduced("byte g; active [2] proctype P() { byte i, a[2]; i = g; a[i] = 1; g == 1; g = 2 }");
    assert_eq!(found[..2], ["i = g +", "a[i] = 1 forgets i forgets a"]);
}

#[test]
fn escapes_and_selections_read_too() {
    let found = reduced("byte g; active [2] proctype P() { byte x; x = g; { g == 1; g == 2 } unless { x == g } }");
    assert_eq!(found[..3], ["x = g", "((x==g)) forgets x", "((g==1))"]);
    assert!(found.contains(&"((g==2)) forgets x".to_owned()), "{found:?}");
}

#[test]
fn a_d_step_is_followed_inside() {
    let text = "byte g; active [2] proctype P() { byte x, y; x = g; d_step { y = x; g = y; y = 0 }; g == 1 }";
    assert!(reduced(text)[1].ends_with("forgets x forgets y"), "{:?}", reduced(text));
}

#[test]
fn what_others_look_at_stays() {
    let remote = "active proctype P() { byte x; x = 1; x = 2 } init { P:x == 2 }";
    assert!(reduced(remote).iter().all(|line| !line.contains("forgets") && !line.contains('+')));
    let claim = "byte g; active [2] proctype P() { g = 1 } never { do :: g == 2 od }";
    assert_eq!(reduced(claim)[0], "g = 1");
    let formula = "byte g; active [2] proctype P() { g = 1 } ltl f { [] (g < 2) }";
    assert_eq!(reduced(formula)[0], "g = 1");
    let provided = "byte g; active [2] proctype P() provided (g == 1) { byte x; g == 1; x = 1; g = x }";
    assert!(reduced(provided).iter().all(|line| !line.ends_with('+')), "{:?}", reduced(provided));
}

#[test]
fn a_process_begins_without_what_is_dead() {
    let text =
        "byte g; proctype P(byte a; byte b) { byte x = 3, y = 4; g == a + x; y = 2; g == y } init { run P(1, 2) }";
    assert_eq!(forgotten_at_the_start(text), ["b", "y"]);
}

#[test]
fn channels_are_not_forgotten() {
    let text = "chan c = [1] of { byte }; active proctype P() { chan d; d = c; d!1; c?_ }";
    assert!(reduced(text).iter().all(|line| !line.contains("forgets")));
}

#[test]
fn what_is_never_read_is_not_stored() {
    let text = "byte g, h, a[2]; chan c = [1] of { byte }; active [2] proctype P() { h++; c?g; a[g] = 1; c!2 }";
    assert_eq!(reduced(text)[..3], ["_ = (h+1)", "c?g", "_ = (1&a[g])"], "an index can be out of range");
    let text = "byte g, h; chan c = [1] of { byte }; active [2] proctype P() { g = h; h = 1 / g; c?h; c!2 }";
    assert_eq!(reduced(text)[0], "g = h", "a division reads");
    let text = "byte g; chan c = [1] of { byte }; active [2] proctype P() { c?g; c!2 }";
    assert_eq!(reduced(text)[0], "c?_");
}

#[test]
fn only_invisible_statements_are_absorbed() {
    let found = reduced("byte g; active [2] proctype P() { byte x; g == 1; x = 1; assert(x); g = x; x = g; g = x }");
    assert_eq!(found[..4], ["((g==1)) +", "x = 1 +", "assert(x)", "g = x forgets x"]);
    let of_one = reduced("byte g; active proctype P() { byte x; x = 1; g = g + x; g == 2; g = 3; assert(g == 3) }");
    assert!(of_one[0].ends_with('+'), "one process has the global for itself: {of_one:?}");
    let labelled = reduced("byte g; active [2] proctype P() { byte x; g == 1; progress: x = 1; g = x }");
    assert_eq!(labelled[0], "((g==1))");
    let last = reduced("byte g; active [2] proctype P() { byte x; g == 1; x = 1; g = x; _last == 1 }");
    assert!(last.iter().all(|line| !line.ends_with('+')), "{last:?}");
}

#[test]
fn a_loop_of_absorbed_statements_is_opened() {
    let found = reduced("byte g; active [2] proctype P() { byte x; g == 1; L: x = 1; assert(x); goto L }");
    assert!(found.iter().any(|line| line.starts_with("x = 1") || line.starts_with("assert")), "{found:?}");
    assert!(found.iter().filter(|line| line.ends_with('+')).count() < found.len() - 1, "{found:?}");
}

/// `else` beside a send notices a receiver that waits too early.
#[test]
fn no_receiver_waits_too_early_where_that_is_visible() {
    let receiver = "active proctype P() { byte x; go; x = 1; c?_; x = 2 }";
    let sender = |other: &str| {
        format!("chan c = [0] of {{ byte }}; bool go; {receiver} init {{ go = true; if :: c!1 {other} fi }}")
    };
    let of = |text: String| Reduced::of(&read(&text));
    assert!(reduced(&sender(""))[0].ends_with('+'));
    assert!(!of(sender("")).withholds());
    assert!(!reduced(&sender(":: else"))[0].ends_with('+'));
}

#[test]
fn lengths_are_exact_where_all_ways_absorb_as_many() {
    let lengths = |text: &str| Reduced::of(&read(text)).lengths;
    let straight = "byte g; active [2] proctype P() { byte x; g == 1; x = 1; g = x; g == 2 }";
    assert_eq!(lengths(straight), Lengths::Exact);
    let looping = "byte g; active [2] proctype P() { byte x; do :: g == x; x = 1 od }";
    assert_eq!(lengths(looping), Lengths::Bounds);
    let waiting = format!("{straight} init {{ timeout -> g = 1 }}");
    assert_eq!(lengths(&waiting), Lengths::Bounds);
}

#[test]
fn pending_statements_are_known_by_location() {
    let Reduced { model, .. } =
        Reduced::of(&read("byte g; active [2] proctype P() { byte x; g == 1; x = 1; x++; g = x; g == 2 }"));
    let automaton = &model.proctypes[0].automaton;
    let writes_g = |location: &&homing_ir::Location| {
        let [transition] = location.transitions[..] else { return false };
        matches!(&automaton.statement(transition.statement).action, Action::Assign { target, .. }
            if target.scope == homing_ir::Scope::Global)
    };
    let location = automaton.locations.iter().find(writes_g).expect("the location in front of g = x");
    assert_eq!(location.pending, 2);
    assert_eq!(automaton.locations.iter().filter(|location| location.deferred).count(), 2);
}
