//! The two engines: the same steps in the same order, state by state.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use homing_core::{Arrival, State, TransitionSystem, Violation};
use homing_engine::{CompiledEngine, Interpreter};
use homing_ir::{Model, Reduced};
use homing_promela::preprocess::Options;
use xtask::generate::{Class, generate};

/// Where a step leads, to be compared.
#[derive(Debug, PartialEq)]
enum Arrived {
    State(Box<State>),
    Violation(Violation),
    CutOff,
}

fn steps<T: TransitionSystem>(system: &T, state: &State) -> Vec<(u32, Arrived)> {
    let mut all = Vec::new();
    system.for_each_step(state, |step| {
        let arrived = match step.arrival {
            Arrival::State(target) => Arrived::State(target.into()),
            Arrival::Violation(violation) => Arrived::Violation(violation),
            Arrival::CutOff => Arrived::CutOff,
        };
        all.push((step.cost, arrived));
        ControlFlow::Continue(())
    });
    all
}

/// Compares all steps of the first states of a model. How many states that were.
fn compare(name: &str, model: &Model, most: usize) -> usize {
    let (Ok(interpreter), Ok(compiled)) = (Interpreter::new(model), CompiledEngine::new(model)) else { return 0 };
    let mut seen: HashSet<Box<State>> = HashSet::from([interpreter.initial()]);
    let mut queue = vec![interpreter.initial()];
    assert_eq!(interpreter.initial(), compiled.initial(), "{name}");
    let mut at = 0;
    while at < queue.len() && at < most {
        let state = queue[at].clone();
        at += 1;
        let expected = steps(&interpreter, &state);
        let found = steps(&compiled, &state);
        assert_eq!(found, expected, "{name}: a state differs: {:#?}", interpreter.describe(&state));
        for (_, arrived) in expected {
            if let Arrived::State(target) = arrived
                && seen.insert(target.clone())
            {
                queue.push(target);
            }
        }
    }
    if at == queue.len() {
        assert_eq!(compiled.interpreter().unreached(), interpreter.unreached(), "{name}: unreached statements");
        assert_eq!(compiled.atomic_steps(), interpreter.atomic_steps(), "{name}: atomic steps");
    }
    at
}

fn read(name: &str, text: String) -> Option<Model> {
    homing_promela::read(name, text, &Options::default()).model
}

/// `HOMING_SEED` and `HOMING_MODELS` choose other models, or more of them.
#[test]
fn random_models() {
    let number = |name: &str, usual: u64| match env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => usual,
    };
    let (seed, count) = (number("HOMING_SEED", 1), number("HOMING_MODELS", 300));
    let mut states = 0;
    for seed in seed..seed + count {
        let generated = generate(seed);
        if generated.class != Class::Faulty
            && let Some(model) = read("model.pml", generated.model.to_string())
        {
            states += compare(&format!("seed {seed}"), &model, 2000);
            compare(&format!("seed {seed}, reduced"), &Reduced::of(&model).model, 1000);
        }
    }
    assert!(states > 20 * count as usize, "only {states} states");
}

#[test]
fn models_of_the_rules() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let mut models = 0;
    for entry in fs::read_dir(folder).expect("the models of the rules") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|ending| ending == "pml")
            && let Some(model) = read(&path.display().to_string(), fs::read_to_string(&path).expect("a text"))
        {
            compare(&path.display().to_string(), &model, 2000);
            compare(&format!("{}, reduced", path.display()), &Reduced::of(&model).model, 2000);
            models += 1;
        }
    }
    assert!(models > 200, "only {models} models");
}
