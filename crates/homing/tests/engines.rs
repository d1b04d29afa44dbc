//! The two engines: the same steps in the same order, state by state.

mod model_sets;

use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::path::Path;
use std::thread;

use homing_core::{Changed, Fork, Pid, Selection, State, StopToken, Target, TransitionSystem, Violation, Written};
use homing_engine::{CompiledEngine, Interpreter};
use homing_ir::{Model, Reduced};
use model_sets::{models_in, read};

/// The target of a step for comparison, with the processes that moved.
#[derive(Debug, PartialEq)]
enum Arrived {
    State(Box<State>, Vec<Pid>),
    Violation(Violation),
    CutOff,
}

fn steps<T: TransitionSystem>(system: &T, state: &State) -> Vec<(u32, Arrived)> {
    let mut all = Vec::new();
    system.for_each_step(state, Selection::All, |step| {
        if let (Target::State(target), Changed::At(places)) = (&step.target, step.changed) {
            assert_eq!(taken_back(target, places), state, "what a step says it changed");
        }
        let arrived = match step.target {
            Target::State(target) => Arrived::State(target.into(), step.movers.to_vec()),
            Target::Violation(violation) => Arrived::Violation(violation),
            Target::CutOff => Arrived::CutOff,
        };
        assert_eq!(step.ordinal as usize, all.len());
        all.push((step.cost, arrived));
        ControlFlow::Continue(())
    });
    all
}

/// The state that was left, by the places that were written since.
fn taken_back(target: &State, places: &[Written]) -> Vec<u8> {
    let mut bytes = target.to_vec();
    for Written { offset, width, old } in places.iter().rev() {
        let (at, width) = (*offset as usize, *width as usize);
        bytes[at..at + width].copy_from_slice(&old.to_le_bytes()[..width]);
    }
    bytes
}

/// Compares all steps of the first states of a model. Returns the number of states.
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
            if let Arrived::State(target, _) = arrived
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

/// Compares some models and their reduced copies. Returns the number of models and of states.
fn compare_all(models: impl Iterator<Item = (String, Model)>) -> (usize, usize) {
    models.fold((0, 0), |(count, states), (name, model)| {
        compare(&format!("{name}, reduced"), &Reduced::of(&model).model, 2000);
        (count + 1, states + compare(&name, &model, 2000))
    })
}

#[test]
fn random_models() {
    let (models, count) = model_sets::random_models();
    let (_, states) = compare_all(models);
    assert!(states > 20 * count, "only {states} states");
}

#[test]
fn random_rings() {
    let (models, states) = compare_all(model_sets::random_rings(600));
    assert!(models > 200 && states > 20 * models, "only {models} models, {states} states");
}

/// Whether a send is a rendezvous depends on the run; `else` is enabled only if no other option is, either way.
#[test]
fn else_beside_a_send_that_may_be_a_rendezvous() {
    let text = "chan c = [0] of { byte }; chan d = [1] of { byte }; byte x;
        proctype P(chan o) { byte l; if :: o!1 :: x == 0 -> l = 1 :: else -> assert(false) fi }
        init { byte l; d!1; run P(d); run P(c); c?l }";
    let model = read("else.pml", text.to_owned()).expect("a model");
    assert!(compare("else", &model, 1000) > 10);
}

/// Control goes to another process inside an atomic sequence, and comes back.
#[test]
fn handovers_inside_atomic_sequences() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/soundness");
    let names = ["handover-and-back", "run-control", "handover-watchdog", "handover-watchdog-plain"];
    for name in names.into_iter().chain(["timeout-variable-in-choice"]) {
        let text = fs::read_to_string(folder.join(format!("{name}.pml"))).expect("a text");
        let model = read(name, text).expect("a model");
        assert!(compare(name, &model, 1000) > 0);
        compare(&format!("{name}, reduced"), &Reduced::of(&model).model, 1000);
    }
}

/// The steps of the initial state by their costs and the hashes of the states they lead to; those are too many to keep.
fn outlined<T: TransitionSystem>(system: &T) -> Vec<(u32, Option<u64>)> {
    let mut all = Vec::new();
    system.for_each_step(&system.initial(), Selection::All, |step| {
        let hash = |state: &State| {
            let mut hasher = DefaultHasher::new();
            state.hash(&mut hasher);
            hasher.finish()
        };
        all.push((step.cost, if let Target::State(target) = step.target { Some(hash(target)) } else { None }));
        ControlFlow::Continue(())
    });
    all
}

/// A step that is too long, and one that has too many choices in a row, is cut off at the same place.
#[test]
fn steps_that_are_cut_off() {
    for text in [
        "int x; init { atomic { do :: x < 600000 -> x++ :: else -> break od } }",
        "int x; init { atomic { do :: x < 999997 -> x++ :: break od } }",
        "int x; byte a[2000]; init { atomic { do :: x++ :: break od } }",
    ] {
        let model = read("long.pml", text.to_owned()).expect("a model");
        let interpreter = Interpreter::new(&model).expect("a state");
        let compiled = CompiledEngine::new(&model).expect("a state");
        let (expected, found) = (outlined(&interpreter), outlined(&compiled));
        assert!(expected == found && expected.iter().any(|(_, state)| state.is_none()), "{text}");
        assert!(compiled.cut_run().is_some() && compiled.cut_run() == interpreter.cut_run());
    }
}

/// An engine that is asked to stop shows `CutOff` and nothing else; one that follows a path does so only at the second
/// stage.
#[test]
fn engines_stop_when_they_are_asked_to() {
    let model = read("short.pml", "byte x; init { x = 1 }".to_owned()).expect("a model");
    let stop = StopToken::default();
    let compiled = CompiledEngine::new_until(&model, stop.clone()).expect("a state");
    let interpreted = CompiledEngine::without_code_until(&model, stop.clone()).expect("a state");
    let initial = compiled.initial();
    let again = |engine: &CompiledEngine<'_>| {
        let mut count = 0;
        engine.patiently(|| {
            engine.for_each_step(&initial, Selection::All, |step| {
                count += usize::from(!step.is_stop());
                ControlFlow::Continue(())
            })
        });
        count
    };
    let engines = [&compiled, &interpreted];
    assert!(engines.iter().all(|engine| steps(*engine, &initial)[0].1 != Arrived::CutOff));
    stop.set();
    assert!(engines.iter().all(|engine| steps(*engine, &initial) == [(0, Arrived::CutOff)] && again(engine) == 1));
    stop.set_for_all();
    assert!(engines.iter().all(|engine| again(engine) == 0));
}

fn expand<'m>(engine: CompiledEngine<'m>, states: &[Box<State>]) -> (CompiledEngine<'m>, Vec<Vec<(u32, Arrived)>>) {
    let found = states.iter().map(|state| steps(&engine, state)).collect();
    (engine, found)
}

/// Two threads that share the code of a model and the states between them, each with an engine of its own.
#[test]
fn forks_in_two_threads() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/elevator.pml");
    let model = read("elevator.pml", fs::read_to_string(path).expect("a text")).expect("a model");
    assert_eq!(compare_forks(&model), 1864);
    assert!(compare_forks(&Reduced::of(&model).model) < 1864);
}

/// Expands all states of a model by forks and by one engine. Returns the number of states.
fn compare_forks(model: &Model) -> usize {
    let alone = CompiledEngine::new(model).expect("an initial state");
    let together = alone.fork();
    let mut seen: HashSet<Box<State>> = HashSet::from([alone.initial()]);
    let mut layer = vec![alone.initial()];
    while !layer.is_empty() {
        let (first, second) = layer.split_at(layer.len() / 2);
        let (one, two) = (together.fork(), together.fork());
        let found = thread::scope(|scope| {
            let one = scope.spawn(|| expand(one, first));
            let two = scope.spawn(|| expand(two, second));
            [one.join().expect("a thread"), two.join().expect("a thread")]
        });
        let mut found_steps = Vec::new();
        for (engine, steps) in found {
            together.join(&engine);
            found_steps.extend(steps);
        }
        let mut next = Vec::new();
        for (state, found) in layer.iter().zip(found_steps) {
            assert_eq!(found, steps(&alone, state));
            for (_, arrived) in found {
                if let Arrived::State(target, _) = arrived
                    && seen.insert(target.clone())
                {
                    next.push(target);
                }
            }
        }
        layer = next;
    }
    assert_eq!(together.interpreter().unreached(), alone.interpreter().unreached());
    assert_eq!(together.atomic_steps(), alone.atomic_steps());
    seen.len()
}

#[test]
fn models_of_the_rules() {
    let (models, _) = compare_all(models_in("tests/rules"));
    assert!(models > 200, "only {models} models");
}

#[test]
fn our_own_models() {
    let (models, _) = compare_all(models_in("../../models"));
    assert!(models >= 10, "only {models} models");
}

/// `timeout` refers to the state that a run begins in: after its first statement it is false.
#[test]
fn timeout_inside_an_atomic_sequence() {
    let text = "byte x; active proctype P() { atomic { timeout -> x = 1 + timeout; x = x + timeout }; assert(x == 1) }";
    let model = read("timeout.pml", text.to_owned()).expect("a model");
    assert!(compare("timeout", &model, 10) > 1);
    assert!(compare("timeout, reduced", &Reduced::of(&model).model, 10) > 1);
}

/// Messages of all sizes, in buffers that are moved at once or by a helper.
#[test]
fn buffers_of_all_sizes() {
    for capacity in [1, 2, 3, 5, 8, 13, 40, 300] {
        for fields in
            ["byte", "byte, byte", "byte, byte, byte", "short, byte", "int, byte, short, bit", "int, int, int"]
        {
            let count = fields.split(',').count();
            let list = |text: &str| vec![text; count].join(", ");
            let model = format!(
                "chan q[2] = [{capacity}] of {{ {fields} }};\n\
                 active proctype Sender() {{ byte n; do :: q[n % 2]!{} :: n < 9 -> n = n + 2 od }}\n\
                 active proctype Receiver() {{ short a; byte i; do :: q[i]?{} :: q[i]?[{}] -> i = 1 - i :: q[1]??{} od }}",
                list("(n * 77)"),
                list("_").replacen('_', "a", 1),
                list("_").replacen('_', "154", 1),
                list("_").replacen('_', "eval(a)", 1),
            );
            let read = read("buffer.pml", model).expect("a model");
            assert!(compare(&format!("{capacity} of {fields}"), &read, 400) > 10);
            assert!(compare(&format!("{capacity} of {fields}, reduced"), &Reduced::of(&read).model, 400) > 10);
        }
    }
}
