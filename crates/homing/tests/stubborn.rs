//! Partial-order reduction by stubborn sets: no violation, end state or statement is lost.

mod model_sets;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Mutex;

use homing_core::{
    Cost, End, Fork, Limits, Selected, Selection, State, Step, Target, TransitionSystem, Unwatched, Violation,
    ViolationKind,
};
use homing_engine::{CompiledEngine, StepIndex};
use homing_ir::{Model, Reduced};
use homing_search::{Objective, OnError, Reduction, bfs};
use homing_store::{ExactStore, Store, TreeStore};
use model_sets::{models_in, overlooked, read};

/// Models with more states are skipped.
const MOST: usize = 6_000;

/// The full state graph of a model.
#[derive(Default)]
struct All {
    /// Where the steps of each state lead.
    targets: HashMap<Box<State>, HashSet<Box<State>>>,
    /// The states without successors.
    ends: HashSet<Box<State>>,
    violations: BTreeSet<String>,
}

fn describe(violation: &Violation) -> String {
    format!("{:?} {} {:?}", violation.kind, violation.message, violation.place)
}

impl All {
    /// The graph of the whole model; `None` if it has too many states.
    fn of(engine: &CompiledEngine<'_>) -> Option<Self> {
        let mut all = All::default();
        let mut open = VecDeque::from([engine.initial()]);
        while let Some(s) = open.pop_front() {
            if all.targets.contains_key(&s) {
                continue;
            }
            let targets = all.expand(engine, &s)?;
            open.extend(targets.iter().cloned());
            all.targets.insert(s, targets);
            if all.targets.len() > MOST {
                return None;
            }
        }
        Some(all)
    }

    fn expand(&mut self, engine: &CompiledEngine<'_>, s: &State) -> Option<HashSet<Box<State>>> {
        let (mut targets, mut is_whole) = (HashSet::new(), true);
        engine.for_each_step(s, Selection::All, |step| {
            match step.target {
                Target::State(target) => _ = targets.insert(Box::from(target)),
                Target::Violation(violation) => _ = self.violations.insert(describe(&violation)),
                Target::CutOff => is_whole = false,
            }
            ControlFlow::Continue(())
        });
        if targets.is_empty() {
            self.ends.insert(s.into());
        }
        is_whole.then_some(targets)
    }
}

/// The targets of the stubborn set of a state, if it is reduced and no step of the set is an error.
fn stubborn(engine: &CompiledEngine<'_>, s: &State) -> Option<HashSet<Box<State>>> {
    let (mut targets, mut fails) = (HashSet::new(), false);
    let selected = engine.for_each_step(s, Selection::Stubborn, |step| {
        match step.target {
            Target::State(target) => _ = targets.insert(Box::from(target)),
            _ => fails = true,
        }
        ControlFlow::Continue(())
    });
    let is_reduced = selected != Selected::NotReduced;
    assert!(is_reduced || targets.is_empty(), "nothing is shown that does not stand for all");
    (is_reduced && !fails && !targets.is_empty()).then_some(targets)
}

/// The steps of a stubborn set commute with all steps outside it, to the same states. Both engines choose the same set.
fn check_diamonds(name: &str, engine: &CompiledEngine<'_>, plain: &CompiledEngine<'_>, all: &All) -> usize {
    let mut reduced = 0;
    for (s, targets) in &all.targets {
        let (chosen, by_other) = (stubborn(engine, s), stubborn(plain, s));
        assert_eq!(chosen, by_other, "{name}: two engines, in {:#?}", engine.interpreter().describe(s));
        let Some(chosen) = chosen else { continue };
        assert!(chosen.is_subset(targets), "{name}: a step that there is not");
        reduced += usize::from(chosen.len() < targets.len());
        for other in targets.difference(&chosen) {
            for own in &chosen {
                assert!(
                    !all.targets[own].is_disjoint(&all.targets[other]),
                    "{name}: steps that depend on each other, in {:#?}",
                    engine.interpreter().describe(s)
                );
            }
        }
    }
    reduced
}

/// A search that is reduced wherever possible, without any proviso, reaches the same states without successors.
fn check_ends(name: &str, engine: &CompiledEngine<'_>, all: &All) {
    let mut found = All::default();
    let mut open = vec![engine.initial()];
    while let Some(s) = open.pop() {
        if found.targets.contains_key(&s) {
            continue;
        }
        found.targets.insert(s.clone(), HashSet::new());
        let targets = match stubborn(engine, &s) {
            Some(targets) => targets,
            None => found.expand(engine, &s).expect("the whole model was followed"),
        };
        open.extend(targets);
    }
    assert!(found.targets.keys().all(|s| all.targets.contains_key(s)), "{name}: a state that there is not");
    assert_eq!(found.ends, all.ends, "{name}: states without successors");
}

/// The reduced breadth-first search finds all violations and reaches all reachable statements. Returns how many states
/// it saved.
fn check_search<S: Store>(
    name: &str,
    engines: &mut [CompiledEngine<'_>],
    plain: &CompiledEngine<'_>,
    all: &All,
    (reduction, mut store): (Reduction, S),
) -> usize {
    let violations = Mutex::new(BTreeSet::new());
    let is_error = |violation: &Violation| {
        violations.lock().expect("no thread panics").insert(describe(violation));
        false
    };
    let outcome = bfs::search(
        engines,
        &Objective::new(is_error, OnError::Stop, &Limits::default()),
        reduction,
        &mut store,
        &mut Unwatched,
    );
    assert_eq!(outcome.end, End::Exhausted, "{name}");
    assert_eq!(violations.into_inner().expect("no thread panics"), all.violations, "{name}: violations");
    let (first, others) = engines.split_first_mut().expect("an engine");
    others.iter().for_each(|other| first.join(other));
    assert_eq!(first.interpreter().unreached(), plain.interpreter().unreached(), "{name}: unreached");
    let states = outcome.stats.states as usize;
    assert!(states <= all.targets.len(), "{name}: states that there are not");
    all.targets.len() - states
}

/// An error is found if there is one, by a path that can be replayed, and by a shortest one if all that can fail is in the sets.
fn check_path(name: &str, engine: &CompiledEngine<'_>, plain: &CompiledEngine<'_>, least: Option<Cost>) {
    let limits = &Limits::default();
    for reduction in [Reduction::StubbornSets, Reduction::StubbornSetsWithErrors] {
        let objective = Objective::new(|_: &Violation| true, OnError::Stop, limits);
        let outcome = bfs::search(&mut [engine.fork()], &objective, reduction, &mut TreeStore::new(), &mut Unwatched);
        assert_eq!(outcome.end == End::Found, least.is_some(), "{name}: an error, {reduction:?}");
        let Some(path) = outcome.path else { continue };
        let is_shortest = reduction == Reduction::StubbornSetsWithErrors;
        assert_eq!(path.shortest, is_shortest, "{name}: what is claimed, {reduction:?}");
        assert!(
            !is_shortest || Some(path.length) == least,
            "{name}: {} is not the length of a shortest path",
            path.length
        );
        assert!(plain.interpreter().replay(&path.actions).is_ok(), "{name}: a path is replayed, {reduction:?}");
    }
}

/// The least costs of all states in which no process can move, by their bytes, and of all violations.
#[derive(Debug, Default, PartialEq)]
struct Distances {
    ends: BTreeMap<Box<State>, Cost>,
    violations: BTreeMap<String, Cost>,
}

impl Distances {
    /// By uniform-cost search (Dijkstra 1959) over the steps of a selection, or over all steps where it selects none. Returns the number
    /// of states, too.
    fn of(engine: &CompiledEngine<'_>, selection: Selection) -> (Self, usize) {
        let mut found = Distances::default();
        let mut closed = HashSet::new();
        let mut open = BinaryHeap::from([Reverse((0, engine.initial()))]);
        while let Some(Reverse((g, s))) = open.pop() {
            if !closed.insert(s.clone()) {
                continue;
            }
            let mut leads_on = false;
            let mut visit = |step: Step<'_, StepIndex>| {
                match step.target {
                    Target::State(target) => {
                        leads_on = true;
                        open.push(Reverse((g + step.cost, target.into())));
                    }
                    Target::Violation(violation) => {
                        leads_on |= violation.kind != ViolationKind::InvalidEndState; // a step that fails is one
                        let least = found.violations.entry(describe(&violation)).or_insert(Cost::MAX);
                        *least = (*least).min(g + step.cost);
                    }
                    Target::CutOff => unreachable!("the whole model was followed"),
                }
                ControlFlow::Continue(())
            };
            if engine.for_each_step(&s, selection, &mut visit) == Selected::NotReduced {
                engine.for_each_step(&s, Selection::All, visit);
            }
            if !leads_on {
                found.ends.insert(s, g);
            }
        }
        (found, closed.len())
    }
}

/// Where errors are seeds, every violation and every state in which no process can move is found at its least cost, without any proviso.
/// Returns how many states were saved, and the least cost of an error.
fn check_seeds(name: &str, engines: [&CompiledEngine<'_>; 2]) -> (usize, Option<Cost>) {
    let (all, states) = Distances::of(engines[0], Selection::All);
    let [by_code, by_interpreter] = engines.map(|engine| {
        let (found, left) = Distances::of(engine, Selection::StubbornWithErrors);
        assert_eq!(found, all, "{name}: errors as seeds");
        left
    });
    assert!(by_code <= states && by_interpreter <= states, "{name}: states that there are not");
    (states - by_code, all.violations.values().min().copied())
}

/// Returns the number of reduced states, of states that the search with a proviso saved, and of those that a search with errors as seeds
/// saved.
fn check_model(name: &str, model: &Model) -> Saved {
    let Ok(plain) = CompiledEngine::without_code(model) else { return Saved::default() };
    if plain.hidden_prefix() > 0 {
        return Saved::default();
    }
    let engine = || CompiledEngine::new(model).expect("an initial state");
    let Some(all) = All::of(&plain) else { return Saved::default() };
    let shown = engine();
    let _ = All::of(&shown); // independence is known only for locations that were explored once
    let reduced = check_diamonds(name, &shown, &plain, &all);
    let (by_seeds, least) = check_seeds(name, [&shown, &plain]);
    check_ends(name, &shown, &all);
    let mut spared = 0;
    for reduction in [Reduction::StubbornSetsWithErrors, Reduction::StubbornSets] {
        let name = &format!("{name}, {reduction:?}");
        check_search(name, &mut [engine()], &plain, &all, (reduction, ExactStore::new(0)));
        spared = check_search(name, &mut [engine()], &plain, &all, (reduction, TreeStore::new()));
        let first = engine();
        let second = first.fork();
        check_search(name, &mut [first, second], &plain, &all, (reduction, TreeStore::new()));
    }
    check_path(name, &engine(), &plain, least);
    Saved { reduced, spared, by_seeds }
}

/// What was saved.
#[derive(Debug, Default)]
struct Saved {
    /// The states that were reduced.
    reduced: usize,
    /// The states that the search with a proviso did not visit.
    spared: usize,
    /// Those that a search with errors as seeds did not visit.
    by_seeds: usize,
}

fn check_all(models: impl Iterator<Item = (String, Model)>) -> Saved {
    let mut saved = Saved::default();
    for (name, model) in models {
        let merged = Reduced::of(&model).model;
        for one in [check_model(&name, &model), check_model(&format!("{name}, merged"), &merged)] {
            saved.reduced += one.reduced;
            saved.spared += one.spared;
            saved.by_seeds += one.by_seeds;
        }
    }
    saved
}

#[test]
fn random_models() {
    let (models, count) = model_sets::random_models();
    let saved = check_all(models);
    assert!(saved.reduced > 10 * count && saved.spared > 10 * count && saved.by_seeds > count, "{saved:?}");
}

/// Deterministic process types, `provided` clauses, invariants, and what remote references see.
#[test]
fn variants_of_random_models() {
    let (models, count) = model_sets::random_variants();
    let saved = check_all(models);
    assert!(saved.reduced > 5 * count && saved.spared > 5 * count && saved.by_seeds > count / 2, "{saved:?}");
}

#[test]
fn random_models_of_processes_that_observe_each_other() {
    let saved = check_all(model_sets::random_observers(600));
    assert!(saved.reduced > 1000 && saved.spared > 500 && saved.by_seeds > 100, "{saved:?}");
}

/// The number of a channel means a buffered one in some states and a rendezvous channel in others.
#[test]
fn random_models_of_processes_that_create_channels() {
    let saved = check_all(model_sets::random_owners(200));
    assert!(saved.reduced > 2000 && saved.spared > 1000 && saved.by_seeds > 200, "{saved:?}");
}

#[test]
fn models_of_the_rules() {
    assert!(check_all(models_in("tests/rules")).reduced > 100);
}

/// Models that are decided wrongly if one condition is overlooked.
#[test]
fn models_that_are_easily_decided_wrongly() {
    assert!(check_all(models_in("tests/stubborn")).reduced > 50);
}

#[test]
fn our_own_models() {
    assert!(check_all(models_in("../../models")).reduced > 1000);
}

/// Each model is decided wrongly if one dependency of a step is ignored: the violation occurs in one order of steps
/// only.
#[test]
fn dependencies_that_are_easily_overlooked() {
    for &(name, text) in overlooked::DEPENDENCIES {
        let model = read(name, text.to_owned()).unwrap_or_else(|| panic!("{name}: no model"));
        check_all([(name.to_owned(), model)].into_iter());
    }
}

/// An invariant is violated in one order of the steps only.
#[test]
fn invariants_that_are_easily_overlooked() {
    for &(invariant, text) in overlooked::INVARIANTS {
        let mut model = read(invariant, text.to_owned()).unwrap_or_else(|| panic!("{invariant}: no model"));
        let options = Default::default();
        let expr = homing_promela::read_condition(&model, "model.pml", text, &options, invariant).expect("a condition");
        model.add_invariant(homing_ir::Invariant { text: invariant.to_owned(), expr });
        check_all([(format!("{invariant} in {text}"), model)].into_iter());
    }
}

#[test]
fn random_rings() {
    let saved = check_all(model_sets::random_rings(150));
    assert!(saved.reduced > 1000 && saved.spared > 1000, "{saved:?}");
}

/// The states that are left of the bundled models. Where there are more, sets have become larger than they have to be: no other test sees
/// that.
#[test]
fn sets_do_not_become_larger() {
    let models: [(&str, &str, u64); 8] = [
        ("philosophers-ordered", "#define N 7\n", 149),
        ("leader", "#define N 4\n", 4290),
        ("window", "", 1254),
        ("bakery", "#define N 2\n#define MAX 7\n", 2133),
        ("philosophers-shared", "#define N 6\n", 2155),
        ("ring", "#define N 8\n", 171),
        ("peterson-n", "#define N 3\n", 2394),
        ("elevator", "#define N 3\n", 655),
    ];
    for (name, sizes, most) in models {
        let text = std::fs::read_to_string(format!("../../models/{name}.pml")).expect("a bundled model");
        let model = read(name, format!("{sizes}{text}")).unwrap_or_else(|| panic!("{name}: no model"));
        let merged = Reduced::of(&model).model;
        let engine = CompiledEngine::new(&merged).expect("an initial state");
        let limits = Limits::default();
        let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
        let store = &mut TreeStore::new();
        let outcome = bfs::search(&mut [engine], &objective, Reduction::StubbornSets, store, &mut Unwatched);
        assert_eq!(outcome.end, End::Exhausted, "{name}");
        assert!(outcome.stats.states <= most, "{name}: {} states, not {most}", outcome.stats.states);
    }
}
