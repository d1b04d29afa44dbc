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
use model_sets::{models_in, read};

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
        let chosen = stubborn(engine, s);
        let Some(chosen) = chosen else { continue }; // compiled code may have given up
        let by_other = stubborn(plain, s).expect("the interpreter reduces wherever compiled code does");
        assert_eq!(chosen, by_other, "{name}: two engines, in {:#?}", engine.interpreter().describe(s));
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
    let models = [
        (
            "an atomic sequence stops where there is no message",
            "chan c = [1] of { byte }; byte x, y;
             active proctype R() { x == 1; assert(y == 1) }
             active proctype P() { c!1 }
             active proctype Q() { byte l; atomic { x = 1; c?l; y = 1 } }",
        ),
        (
            "so does one where a channel is full",
            "chan c = [1] of { byte }; byte x, y;
             active proctype R() { x == 1; assert(y == 1) }
             active proctype P() { byte l; c?l }
             active proctype Q() { c!1; atomic { x = 1; c!2; y = 1 } }",
        ),
        (
            "else looks at a channel",
            "chan c = [1] of { byte }; byte x;
             active proctype P() { c!1 }
             active proctype Q() { byte l; if :: c?l :: else -> assert(false) fi }",
        ),
        (
            "so does an escape",
            "chan c = [1] of { byte };
             active proctype P() { c!1 }
             active proctype Q() { byte l; { l = 1; assert(false) } unless { c?l } }",
        ),
        (
            "a variable takes another channel",
            "chan c = [2] of { byte }; chan d = [2] of { byte };
             proctype P() { byte l; c?l; assert(l == 1) }
             proctype Q(chan k) { byte l; k = c; k?l; c!2; k?l }
             init { atomic { c!1; run P(); run Q(d) } }",
        ),
        (
            "a channel comes in a message",
            "chan c = [2] of { byte }; chan m = [1] of { chan };
             active proctype P() { byte l; c?l; assert(l == 1) }
             active proctype Q() { chan k; byte l; m?k; k?l; c!2; c!2 }
             init { c!1; m!c }",
        ),
        (
            "a process comes that was not there",
            "byte x;
             active proctype P() { byte l; l = x; assert(l == 0) }
             active proctype Q() { byte l; l = 1; run N() }
             proctype N() { x = 1 }",
        ),
        (
            "who was there is counted",
            "active proctype Q() { byte n; n = _nr_pr; assert(n == 2) }
             active proctype P() { skip }",
        ),
        (
            "a process takes its channels with it",
            "chan m = [1] of { chan };
             active proctype Q() { chan k; byte l; m?k; k!1; assert(false) }
             active proctype P() { chan c = [1] of { byte }; m!c }",
        ),
        (
            "a process tests the location of another",
            "active proctype Q() { assert(!P@there) }
             active proctype P() { byte l; l = 1; there: l = 2; l = 3 }",
        ),
        (
            "an element of an array",
            "byte a[4], i = 2;
             active proctype Q() { a[i] = 1; a[1] = 1 }
             active proctype P() { byte l; i = 1; l = a[2]; assert(l == 0) }
             active proctype R() { byte l; l = a[2] + a[1]; assert(l != 1) }",
        ),
        (
            "a process loops and others wait forever",
            "byte x;
             active proctype P() { byte l; do :: l = 1 - l od }
             active proctype Q() { x = 1; assert(false) }",
        ),
        (
            "timeout waits for all",
            "chan c = [1] of { byte };
             active proctype P() { byte l; l = 1; l = 2; c!l }
             active proctype Q() { byte l; if :: c?l :: timeout -> assert(false) fi; timeout -> assert(l == 0) }",
        ),
        (
            "a message is searched for after others",
            "chan c = [3] of { byte };
             active proctype P() { c!1; c!2 }
             active proctype Q() { byte l; if :: c??2 -> assert(false) :: c?l fi }",
        ),
        (
            "messages are sorted",
            "chan c = [3] of { byte };
             active proctype P() { c!!2; c!!1 }
             active proctype Q() { byte l; c?l; assert(l == 1) }",
        ),
        (
            "a step goes on with a channel that it has changed",
            "chan c = [2] of { byte }; bool go;
             active proctype P() { byte l; go; atomic { c?l; assert(empty(c)) } }
             active proctype Q() { go; c!2 }
             init { atomic { c!1; go = true } }",
        ),
        (
            "or sends to one that it has made full",
            "chan c = [2] of { byte }; bool go;
             active proctype P() { go; atomic { c!2; assert(full(c)) } }
             active proctype Q() { byte l; go; c?l }
             init { atomic { c!1; go = true } }",
        ),
        (
            "what is in a channel tells an element",
            "chan c = [2] of { byte }; bool go; byte a[3];
             active proctype P() { byte l; go; atomic { c?l; a[len(c)] = 1 } }
             active proctype Q() { go; assert(a[0] == 1) }
             init { atomic { c!1; go = true } }",
        ),
        (
            "and another channel",
            "chan c = [2] of { byte }; chan q[2] = [1] of { byte }; bool go;
             active proctype P() { byte l; go; atomic { c?l; q[len(c)]!1 } }
             active proctype Q() { go; assert(len(q[0]) == 1) }
             init { atomic { c!1; go = true } }",
        ),
        (
            "a variable tells who is listened to",
            "chan q[2] = [0] of { byte }; byte x;
             active proctype P() { byte l; l = 1; q[x]?l }
             active proctype X() { x = 1 }
             active proctype R() { x == 1; if :: q[1]!5 :: else -> assert(false) fi }",
        ),
        (
            "and so does a channel that another sets",
            "chan c = [0] of { byte }; chan d = [0] of { byte }; chan k;
             active proctype P() { byte l; l = 1; k?l }
             active proctype X() { k = d }
             active proctype R() { k == d; if :: d!5 :: else -> assert(false) fi }",
        ),
        (
            "an initial value looks at another process",
            "active proctype P() { byte l; l = 1; l = 2; l = 3 }
             proctype N() { byte n = P:l; assert(n != 1) }
             active proctype M() { run N() }",
        ),
        (
            "a deterministic process becomes ambiguous",
            "byte x, y;
             active D_proctype P() { if :: x == 0 -> skip :: y == 1 -> skip fi }
             active proctype Q() { y = 1 }",
        ),
        (
            "also beside a step that does not move it",
            "chan c = [1] of { byte }; byte y;
             active D_proctype P() { do :: c!1 :: y == 1 od }
             active proctype Q() { y = 1 }",
        ),
        (
            "and while another process runs for ever",
            "byte y = 1;
             active D_proctype P() { byte l; l = 1; if :: l == 1 -> l = 2 :: y == 1 -> l = 3 fi; y = 2 }
             active proctype R() { byte l; do :: l = 1 - l od }",
        ),
        (
            "or does so after a step of its own",
            "byte y;
             active D_proctype P() { byte l; l = 1; if :: l == 1 -> l = 2 :: y == 1 -> l = 3 fi }
             active proctype Q() { byte l; l = 1; y = 1; y = 0 }",
        ),
        (
            "or in the middle of an atomic sequence",
            "byte y;
             active D_proctype P() { byte l; atomic { l = 1; if :: l == 1 -> l = 2 :: y == 1 -> l = 3 fi } }
             active proctype Q() { y = 1; y = 0 }",
        ),
        (
            "a clause stops its process wherever it is",
            "bool go = true;
             active proctype P() provided (go) { byte l; l = 1; l = 2; l = 3 }
             active proctype Q() { go = false }",
        ),
        (
            "and lets it go on while others wait",
            "bool go; byte x;
             active proctype P() provided (go) { x == 0; assert(false) }
             active proctype Q() { x = 1; go = true }
             active proctype R() { byte l; l = 1; x = 0 }",
        ),
        (
            "a clause keeps a receiver away",
            "chan r = [0] of { byte }; bool go;
             active proctype P() provided (go) { byte l; r?l }
             active proctype Q() { if :: r!1 -> assert(false) :: else fi }
             active proctype S() { byte l; l = 1; go = true }",
        ),
        (
            "the youngest process waits for its clause",
            "bool go; byte x;
             active proctype P() { go = true; x = 1 }
             active proctype Q() provided (go) { skip }
             active proctype R() provided (!go) { x == 1; assert(false) }",
        ),
        (
            "a clause is a reason besides those that a choice is kept for",
            "byte x = 1, m, n, z; bool go = true;
             active proctype P() provided (go) { atomic { x == 0; z = n } }
             active proctype Q() { do :: atomic { m < 4 -> x = 1 - x; m++ } od }
             active proctype R() { do :: atomic { n < 4 -> go = !go; n++ } od }",
        ),
        (
            "a variable of another process is seen",
            "active proctype P() { byte l; l = 1; l = 2; l = 3 }
             active proctype Q() { P:l == 1; assert(false) }",
        ),
        (
            "by its number",
            "active proctype P() { byte l; l = 1; l = 2; l = 3 }
             active proctype Q() { byte n; n = 0; P[n]:l == 1; assert(false) }",
        ),
        (
            "a location of another type is seen by its number",
            "active proctype Q() { byte l; l = 1; here: l = 2; l = 3; l = 4 }
             active proctype P() { byte l; l = 1; l = 2; Q[0]@here; Q[1]@here -> assert(false) }",
        ),
        (
            "whether a process that is looked at exists",
            "active proctype Q() { byte l; l = 1; N@here; assert(false) }
             active proctype P() { byte l; l = 1; run N() }
             proctype N() { here: skip }",
        ),
        (
            "a process that is looked at has ended",
            "active proctype Q() { (!P@here) -> assert(false) }
             active proctype P() { here: false }
             active proctype R() { byte l; l = 1 }",
        ),
        (
            "a trace follows messages in their order",
            "chan a = [1] of { byte }; chan b = [1] of { byte };
             trace { a!1; b!1 }
             active proctype P() { a!1 }
             active proctype Q() { b!1 }",
        ),
        (
            "also after other steps",
            "chan a = [1] of { byte }; chan b = [1] of { byte };
             notrace { b!1; a!1 }
             active proctype P() { byte l; l = 1; a!1 }
             active proctype Q() { byte l; l = 1; b!1 }",
        ),
        (
            "also over rendezvous channels",
            "chan a = [0] of { byte }; chan b = [0] of { byte };
             trace { a!1; b!1 }
             active proctype P() { a!1 }
             active proctype Q() { b!1 }
             active proctype R() { a?1 }
             active proctype S() { b?1 }",
        ),
        (
            "a rendezvous takes two",
            "chan c = [0] of { byte }; byte x;
             active proctype P() { c!1 }
             active proctype Q() { byte l; if :: c?l -> x = 1 :: l = 1; assert(x == 1) fi }
             active proctype R() { byte l; if :: c?l :: l = 2 fi; assert(x == 1) }",
        ),
    ];
    for (name, text) in models {
        let model = read(name, text.to_owned()).unwrap_or_else(|| panic!("{name}: no model"));
        check_all([(name.to_owned(), model)].into_iter());
    }
}

/// An invariant is violated in one order of the steps only.
#[test]
fn invariants_that_are_easily_overlooked() {
    let models = [
        ("x == 0 || y == 0", "byte x, y; active proctype P() { x = 1; x = 0 } active proctype Q() { y = 1; y = 0 }"),
        ("x < 2", "byte x; active [2] proctype P() { x++; x-- }"),
        (
            "!(P@there && Q@there)",
            "active proctype P() { byte l; l = 1; there: l = 2; l = 3 } active proctype Q() { byte l; l = 1; there: l = 2; l = 3 }
             init { P@there; Q@there }",
        ),
        (
            "P:l != 1 || x == 0",
            "byte x; active proctype P() { byte l; l = 1; l = 2; l = 3 } active proctype Q() { x = 1; x = 0 }
             init { P:l == 9 }",
        ),
        ("len(c) + len(d) < 2", "chan c = [1] of { byte }; chan d = [1] of { byte };
             active proctype P() { byte l; c!1; c?l } active proctype Q() { byte l; d!1; d?l }"),
        ("_nr_pr > 1 || x != 1", "byte x; active proctype P() { x = 1; x = 2 } active proctype Q() { byte l; l = 1 }"),
        (
            "x == 0 || y == 0",
            "byte x, y; active proctype P() { byte l; do :: l = 1 - l od } active proctype Q() { x = 1; x = 0 }
             active proctype R() { byte l; l = 1; y = 1; y = 0 }",
        ),
        ("8 / (x + y - 1) > 0", "byte x = 1, y = 1; active proctype P() { x = 0; x = 2 } active proctype Q() { y = 2; y = 1 }"),
    ];
    for (invariant, text) in models {
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
