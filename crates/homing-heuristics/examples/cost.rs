//! The time that estimates take: nanoseconds for each transition of a breadth-first walk through the first states of a
//! model, of the engine alone and with the estimate of every successor.
//!
//! `cargo run --release -p homing-heuristics --example cost -- MODEL [NAME=VALUE ...]`

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::Instant;

use homing_core::{Estimate, Selection, State, Target, TransitionSystem, ViolationKind};
use homing_engine::CompiledEngine;
use homing_heuristics::{Combine, Goal, Heuristic, HeuristicEstimate};
use homing_ir::{Model, Reduced};
use homing_promela::preprocess::Options;

const STATES: usize = 2_000;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("the path of a model");
    let mut text: String = arguments.map(|definition| format!("#define {}\n", definition.replace('=', " "))).collect();
    text.push_str(&std::fs::read_to_string(&path).expect("a text"));
    let model = homing_promela::read(&path, text, &Options::default()).model.expect("a model");
    let model = Reduced::of(&model).model;
    let engine = CompiledEngine::new(&model).expect("an initial state");
    let states = states(&engine);
    let (transitions, alone) = walk(&engine, &states, |_| {}, |_, _| 0);
    println!("{} states, {transitions} transitions, {alone:.0} ns each", states.len());
    for (heuristic, kinds) in [
        (Heuristic::Active, &[ViolationKind::InvalidEndState][..]),
        (Heuristic::Formula(Combine::Max), &[ViolationKind::Assertion]),
        (Heuristic::Formula(Combine::Sum), &[ViolationKind::Assertion]),
        (Heuristic::Formula(Combine::Max), &ALL),
        (Heuristic::Deadlock(Combine::Max), &[ViolationKind::InvalidEndState]),
        (Heuristic::Deadlock(Combine::Sum), &[ViolationKind::InvalidEndState]),
        (Heuristic::FsmMax, &[ViolationKind::Assertion]),
        (Heuristic::Messages, &[ViolationKind::InvalidEndState]),
        (Heuristic::Trail(&states[states.len() - 1]), &[ViolationKind::Assertion]),
    ] {
        report(&model, &engine, &states, alone, heuristic, kinds);
    }
}

const ALL: [ViolationKind; 3] = [ViolationKind::Assertion, ViolationKind::InvalidEndState, ViolationKind::RuntimeError];

fn report(
    model: &Model,
    engine: &CompiledEngine<'_>,
    states: &[Box<State>],
    alone: f64,
    heuristic: Heuristic<'_>,
    kinds: &[ViolationKind],
) {
    let guide = HeuristicEstimate::new(model, heuristic, Goal::Errors(kinds)).expect("an estimate of these errors");
    let guide = std::cell::RefCell::new(guide);
    let (_, with) = walk(
        engine,
        states,
        |state| guide.borrow_mut().expand(state),
        |state, changed| guide.borrow_mut().distance_after(state, changed).map_or(0, |estimated| estimated.h),
    );
    let name = match heuristic {
        Heuristic::Trail(_) => "Trail".to_owned(),
        heuristic => format!("{heuristic:?}"),
    };
    println!("{name} for {kinds:?}: {:.0} ns more", with - alone);
}

/// The first states in breadth-first order.
fn states(engine: &CompiledEngine<'_>) -> Vec<Box<State>> {
    let mut states = vec![engine.initial()];
    let mut seen: HashSet<Box<State>> = states.iter().cloned().collect();
    let mut at = 0;
    while at < states.len() && states.len() < STATES {
        let state = states[at].clone();
        engine.for_each_step(&state, Selection::All, |step| {
            if let Target::State(target) = step.target
                && seen.insert(target.into())
            {
                states.push(target.into());
            }
            ControlFlow::Continue(())
        });
        at += 1;
    }
    states
}

/// The number of transitions out of the states, and the nanoseconds of each: the best of five rounds.
fn walk(
    engine: &CompiledEngine<'_>,
    states: &[Box<State>],
    expand: impl Fn(&State),
    mut estimate: impl FnMut(&State, homing_core::Changed<'_>) -> u32,
) -> (usize, f64) {
    let mut best = f64::INFINITY;
    let mut transitions = 0;
    for _ in 0..5 {
        let start = Instant::now();
        (transitions, _) = states.iter().fold((0, 0), |(mut count, mut sum), state| {
            expand(state);
            engine.for_each_step(state, Selection::All, |step| {
                if let Target::State(target) = step.target {
                    count += 1;
                    sum = std::hint::black_box(sum ^ estimate(target, step.changed));
                }
                ControlFlow::Continue(())
            });
            (count, sum)
        });
        best = best.min(start.elapsed().as_nanos() as f64 / transitions.max(1) as f64);
    }
    (transitions, best)
}
