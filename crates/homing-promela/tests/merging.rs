//! The statements that SPIN merges into one step.

use std::collections::HashSet;

use homing_ir::print::Printer;
use homing_ir::{Automaton, Model, ProctypeId, StatementId};
use homing_promela::preprocess::Options;

/// The steps of the first process type in reading order; what one absorbs follows it.
fn steps(model: &str) -> Vec<String> {
    let reading = homing_promela::read("model.pml", model.to_owned(), &Options::default());
    let model = reading.model.unwrap_or_else(|| panic!("{:?}\n{model}", reading.diagnostics));
    let automaton = &model.proctypes[0].automaton;
    let mut steps = Vec::new();
    let mut seen = HashSet::from([0]);
    let mut waiting = vec![automaton.start];
    while let Some(location) = waiting.pop() {
        if !seen.insert(location) {
            continue;
        }
        for transition in automaton.location(location).transitions.iter() {
            let absorbed = automaton.absorbed(transition.statement).map(|absorbed| absorbed.statement);
            let chain = std::iter::once(transition.statement).chain(absorbed);
            steps.push((automaton.trail_id(transition.statement), texts(&model, automaton, chain)));
            waiting.push(automaton.merged(*transition).target);
        }
    }
    steps.sort();
    steps.into_iter().map(|(_, text)| text).collect()
}

fn texts(model: &Model, automaton: &Automaton, chain: impl Iterator<Item = StatementId>) -> String {
    let printer = Printer { model, proctype: Some(ProctypeId(0)) };
    let texts: Vec<String> = chain.map(|id| printer.action(&automaton.statement(id).action)).collect();
    texts.join("; ")
}

fn check(model: &str, expected: &[&str]) {
    assert_eq!(steps(model), expected, "{model}");
}

#[test]
fn local_statements_are_one_step() {
    check("init { byte a, b, c; a = 1; b = 2; c = 3 }", &["a = 1; b = 2; c = 3", "-end-"]);
    check(
        "byte g; init { byte a; a = 1; g = 2; a = 3; assert(a == 3) }",
        &["a = 1", "g = 2", "a = 3; assert((a==3))", "-end-"],
    );
    // What `local` promises is believed; indices are not looked at.
    check(
        "local byte g; byte h, i; init { byte a[2]; g = 1; a[i] = 2; h = 3 }",
        &["g = 1; a[i] = 2", "h = 3", "-end-"],
    );
}

#[test]
fn a_label_ends_a_chain() {
    check("init { byte a, b; a = 1; b = 2; L: a = 3; b = 4 }", &["a = 1; b = 2", "a = 3", "b = 4", "-end-"]);
    check("init { byte a; a = 1; L: a > 0; a = 2; a = 3 }", &["a = 1", "((a>0)); a = 2; a = 3", "-end-"]);
}

#[test]
fn a_test_begins_a_chain() {
    check(
        "init { byte a, b; if :: a == 3 -> b = 4; a = 5 :: else -> b = 1; a = 1 fi; a = 2 }",
        &["((a==3)); b = 4; a = 5; a = 2", "else", "b = 1; a = 1; a = 2", "-end-"],
    );
    check("init { byte a; skip; a = 1; a == 1; skip }", &["(1); a = 1", "((a==1))", "(1)", "-end-"]);
    check("proctype P() { skip } init { byte a; run P(); a = 1 }", &["(1)", "-end-"]);
}

#[test]
fn anything_can_be_merged_inside_an_atomic_sequence() {
    check(
        "byte g; init { byte a; atomic { g == 0; g = 1; a = 2 } a = 3; g = 4 }",
        &["((g==0)); g = 1; a = 2; a = 3", "g = 4", "-end-"],
    );
    let channel = |capacity: u8| {
        format!("chan c = [{capacity}] of {{ byte }}; init {{ byte a; atomic {{ c!1; a = 1; c?a; a = 2 }} }}")
    };
    check(&channel(1), &["c!1; a = 1", "c?a; a = 2", "-end-"]);
    check(&channel(0), &["c!1", "a = 1", "c?a; a = 2", "-end-"]);
}

/// SPIN merges before it knows that the jump ends the atomic sequence, and so stops at the join after the loop.
#[test]
fn a_jump_out_of_an_atomic_sequence_is_absorbed() {
    check(
        "byte g; init { do :: atomic { g = 1; if :: g = 2; break :: else fi; g = 3 } od; g = 4 }",
        &["g = 1", "g = 2; goto :b0", "else", ".(goto); g = 3", "break", "g = 4", "-end-"],
    );
}

#[test]
fn escapes_and_heads_are_not_passed() {
    check(
        "byte g; init { byte a; a = 1; { a = 2; a = 3 } unless { g == 1; a = 4 } }",
        &["a = 1", "a = 2", "a = 3", "((g==1))", "((g==1))", "a = 4", "-end-"],
    );
    check(
        "init { byte a; a = 1; d_step { a = 2; a = 3 } a = 4; { a = 5; a = 6 } a = 7 }",
        &["a = 1", "D_STEP1", "a = 4", "a = 5; a = 6; a = 7", "-end-"],
    );
}

#[test]
fn remote_references_forbid_merging() {
    let rest = "} active proctype B() { A@L }";
    check(
        &format!("active proctype A() {{ byte a; a = 1; L: a == 1; a = 2 {rest}"),
        &["a = 1", "((a==1))", "a = 2", "-end-"],
    );
    check(
        "active proctype A() { byte a; a = 1; a = 2 } active proctype B() { A:a == 1 }",
        &["a = 1", "a = 2", "-end-"],
    );
    check("active proctype A() provided (true) { byte a; a = 1; a = 2 }", &["a = 1", "a = 2", "-end-"]);
}

#[test]
fn promises_about_channels_are_believed() {
    let model = |claim: &str| {
        format!(
            "chan c = [1] of {{ byte }}; active proctype A() {{ xs c; byte a; c!a; a = 1; nfull(c); a = 2; len(c) == 0; a = 3 }}
            {claim}"
        )
    };
    check(&model(""), &["c!a; a = 1", "(nfull(c)); a = 2", "((len(c)==0))", "a = 3", "-end-"]);
    let separate = ["c!a", "a = 1", "(nfull(c))", "a = 2", "((len(c)==0))", "a = 3", "-end-"];
    check(&model("ltl p { [] (len(c) < 2) }"), &separate);
}
