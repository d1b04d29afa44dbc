//! Measures the time of a step without a store: `expansion MODEL [NAME=VALUE]…`.
//!
//! With `--once` before the model the compiled engine expands each state once and nothing is timed, so that
//! instructions can be counted, which other load on the machine does not disturb: `valgrind --tool=callgrind
//! --collect-atstart=no '--toggle-collect=*expand_once*' expansion --once MODEL`. With `--reduced` instead, the same
//! for the reduced copy of the model.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use std::{env, fs};

use homing_core::{Selection, State, Target, TransitionSystem};
use homing_engine::{CompiledEngine, Interpreter};
use homing_ir::Reduced;
use homing_promela::preprocess::Options;

/// The number of states that are expanded repeatedly.
const STATES: usize = 20_000;
/// The number of states in a batch.
const PART: usize = 500;

fn main() {
    let mut args = env::args().skip(1);
    let first = args.next().expect("a model");
    let counts = matches!(first.as_str(), "--once" | "--reduced");
    let path = if counts { args.next().expect("a model") } else { first.clone() };
    let define = |text: String| match text.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (text, None),
    };
    let options = Options { defines: args.map(define).collect(), ..Options::default() };
    let text = fs::read(&path).expect("a file");
    let model = homing_promela::read(&path, String::from_utf8_lossy(&text).into_owned(), &options).model;
    let mut model = model.expect("a model without errors");
    if first == "--reduced" {
        model = Reduced::of(&model).model;
    }
    let started = Instant::now();
    let compiled = CompiledEngine::new(&model).expect("an initial state");
    let made = started.elapsed();
    let states = reach(&compiled);
    if counts {
        let steps = expand_once(&compiled, &states);
        println!("{path}: {} states, {steps} steps", states.len());
        return;
    }
    let bytes: usize = states.iter().map(|state| state.len()).sum();
    let interpreted = time(&Interpreter::new(&model).expect("an initial state"), &states, 3);
    let (per_state, per_step) = time(&compiled, &states, 60);
    println!(
        "{path}: {} states of {} bytes, compiled in {:.1} ms, {:.2} steps a state, {per_step:.1} ns a step ({per_state:.1} ns a state); interpreted {:.1}",
        states.len(),
        bytes / states.len(),
        made.as_secs_f64() * 1e3,
        per_state / per_step,
        interpreted.1,
    );
}

/// The first states in breadth-first order.
fn reach<T: TransitionSystem>(system: &T) -> Vec<Box<State>> {
    let mut seen: HashSet<Box<State>> = HashSet::from([system.initial()]);
    let mut states = vec![system.initial()];
    let mut at = 0;
    while at < states.len() && states.len() < STATES {
        let state = states[at].clone();
        at += 1;
        system.for_each_step(&state, Selection::All, |step| {
            if let Target::State(target) = step.target
                && seen.insert(target.into())
            {
                states.push(target.into());
            }
            ControlFlow::Continue(())
        });
    }
    states
}

/// The number of steps of the states.
#[inline(never)]
fn expand_once(system: &CompiledEngine<'_>, states: &[Box<State>]) -> u64 {
    let mut steps = 0;
    for state in states {
        system.for_each_step(state, Selection::All, |_| {
            steps += 1;
            ControlFlow::Continue(())
        });
    }
    steps
}

/// Nanoseconds for a state and for a step: for each batch the best of several rounds, since the machine may have other
/// load.
fn time<T: TransitionSystem>(system: &T, states: &[Box<State>], rounds: u32) -> (f64, f64) {
    let (mut total, mut steps) = (Duration::ZERO, 0u64);
    for part in states.chunks(PART) {
        let mut best = Duration::MAX;
        for round in 0..rounds {
            let started = Instant::now();
            for state in part {
                system.for_each_step(state, Selection::All, |_| {
                    steps += u64::from(round == 0);
                    ControlFlow::Continue(())
                });
            }
            best = best.min(started.elapsed());
        }
        total += best;
    }
    let nanoseconds = total.as_secs_f64() * 1e9;
    (nanoseconds / states.len() as f64, nanoseconds / steps.max(1) as f64)
}
