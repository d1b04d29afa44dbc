//! The reference explorer has SPIN's figures: states, verdicts and shortest lengths.
//!
//! On the models of `tests/rules` it is compared with the figures in their headers, on random models with live SPIN. Left out
//! are numbers of states where pan's mean something else:
//! - hidden variables are part of a state here, pan leaves them out;
//! - after a run-time error pan ends or goes on with arbitrary values;
//! - priorities are part of a state here, pan matches states that differ in them only. Its priorities are broken in other
//!   ways too (a local variable at the end of a process is taken for padding), so only headers are compared, not random models.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use homing_core::StopToken;
use homing_engine::Findings;
use homing_engine::Reference;
use homing_ir::Model;
use homing_promela::preprocess::Options;
use xtask::generate::{Class, generate};
use xtask::spin::{Answer, ErrorKind, Limits, Spin};

/// SPIN's answer. A figure is absent where SPIN has none, or its meaning differs.
#[derive(Debug, Default, PartialEq)]
struct Figures {
    violated: bool,
    states: Option<u64>,
    shortest: Option<u64>,
}

fn read(text: String) -> Option<Model> {
    homing_promela::read("model.pml", text, &Options::default()).model
}

/// None if the model is too large.
fn explore(model: &Model) -> Option<Findings> {
    match Reference::new(model) {
        Ok(reference) => Some(reference.explore(300_000, || ControlFlow::Continue(()))).filter(|found| found.complete),
        Err(violation) => panic!("no initial state: {violation}"),
    }
}

/// A `d_step` that is not executed to its end because time is up is no violation. It was reported as one: on a busy machine
/// `--confirm` then contradicted a correct verdict.
#[test]
fn a_stopped_exploration_is_incomplete_and_finds_no_error() {
    let text = "byte x; active proctype P() { d_step { x = 1; x = 2; x = 3 }; assert(x == 3) }\n";
    let model = read(text.to_owned()).expect("a model");
    let stop = StopToken::default();
    stop.set();
    let reference = Reference::new(&model).expect("an initial state").stopped_by(stop);
    let found = reference.explore(1000, || ControlFlow::Continue(()));
    assert!(!found.complete && found.violations.is_empty(), "{:?}", found.violations);
    assert!(explore(&model).is_some_and(|found| found.violations.is_empty()), "without a stop it is complete");
}

/// How the reference differs from SPIN.
fn difference(model: &Model, spin: &Figures) -> Option<String> {
    let found = explore(model)?;
    let is_counted = !found.failed && model.globals.iter().all(|variable| !variable.hidden);
    let own = Figures {
        violated: !found.violations.is_empty(),
        states: spin.states.map(|states| if is_counted { found.states } else { states }),
        shortest: spin.shortest.map(|length| found.shortest().map_or(length + 1000, u64::from)),
    };
    (own != *spin).then(|| format!("SPIN {spin:?}, reference {own:?}"))
}

/// The figures of a header; none if SPIN refuses the model.
fn header(text: &str) -> Option<Figures> {
    let (_, line) = text.lines().find_map(|line| line.split_once("SPIN 6.5.2: ")).expect("a line of figures");
    let figure = |name: &str| {
        let rest = line.split(", ").find_map(|part| part.strip_prefix(name))?;
        rest.trim().parse::<u64>().ok()
    };
    if line.starts_with("refused") {
        return None;
    }
    let violated = line.starts_with("verdict violated") || figure("errors").is_some_and(|errors| errors > 0);
    Some(Figures { violated, states: figure("states"), shortest: figure("shortest") })
}

#[test]
fn the_reference_has_the_figures_of_the_headers() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [here.join("tests/rules"), here.join("../../models")];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder of models"));
    let mut paths: Vec<PathBuf> = files.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "pml"));
    paths.sort();
    let (mut compared, mut differences) = (0, Vec::new());
    for path in paths {
        let text = fs::read_to_string(&path).expect("a model");
        let Some(figures) = header(&text) else { continue };
        let Some(model) = read(text) else { continue };
        if Reference::new(&model).is_err() {
            assert!(figures.violated, "{}: the initial values fail", path.display());
            continue;
        }
        compared += 1;
        differences.extend(difference(&model, &figures).map(|found| format!("{}: {found}", path.display())));
    }
    assert!(compared > 200, "{compared} models");
    assert!(differences.is_empty(), "{} of {compared}:\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn the_reference_has_the_figures_of_live_spin() {
    let spin = Spin { limits: Limits::small(), cache: None };
    let (seed, count) = (7000, 48);
    let (mut compared, mut differences) = (0, Vec::new());
    for seed in seed..seed + count {
        let generated = generate(seed);
        let text = generated.model.to_string();
        let Some(model) = read(text.clone()) else { continue };
        if generated.class == Class::Faulty || model.features.priorities {
            continue;
        }
        let figures = match spin.ask_text(&text).expect("SPIN can be asked") {
            Answer::Searched(facts) if facts.counts_are_void() => Figures { violated: true, ..Figures::default() },
            Answer::Searched(facts) => Figures {
                violated: facts.full.errors > 0,
                states: Some(facts.full.stored),
                // pan adds a step to the trail of a trace error.
                shortest: facts.shortest.filter(|_| !facts.has_error(ErrorKind::Trace)),
            },
            Answer::Crashed(_) => Figures { violated: true, ..Figures::default() },
            Answer::Refused(_) | Answer::TooBig(_) => continue,
        };
        compared += 1;
        differences.extend(difference(&model, &figures).map(|found| format!("seed {seed}: {found}\n{text}")));
    }
    assert!(compared * 2 > count, "{compared} models of {count}");
    assert!(differences.is_empty(), "{} of {compared}:\n{}", differences.len(), differences.join("\n"));
}
