//! Sleep sets: every step that is left out is one side of a diamond, and no state is lost.

mod model_sets;

use std::ops::ControlFlow;

use fastrand::Rng;
use homing_core::{
    Changed, Cost, Fork, Limits, Outcome, Selected, Selection, SleepSet, State, Target, TransitionSystem, Unwatched,
    Violation,
};
use homing_engine::{CompiledEngine, StepIndex};
use homing_ir::{Model, Reduced};
use homing_search::{Objective, OnError, Reduction, bfs};
use homing_store::{CompactStore, ExactStore, Interned, Keys, Store, TreeStore};
use model_sets::{models_in, read};

type StepTarget = (Cost, Option<Box<State>>);

/// All steps, by number: where they lead, if that is a state.
fn steps(engine: &CompiledEngine<'_>, state: &State) -> Vec<StepTarget> {
    let mut all = Vec::new();
    engine.for_each_step(state, Selection::All, |step| {
        all.push((step.cost, target(&step.target)));
        ControlFlow::Continue(())
    });
    all
}

fn target(target: &Target<'_>) -> Option<Box<State>> {
    if let Target::State(target) = target { Some((*target).into()) } else { None }
}

/// The steps outside a sleep set, by number, with the sleep sets of their targets: None for what is left out. `selection`
/// becomes [`Selection::All`] once a step has failed.
fn selected(
    engine: &CompiledEngine<'_>,
    state: &State,
    selection: &mut Selection,
) -> Vec<Option<(StepTarget, SleepSet)>> {
    let (mut all, mut failed) = (Vec::new(), false);
    let selected = engine.for_each_step(state, *selection, |step| {
        assert_eq!(step.action.0, step.ordinal, "steps are named as if all were taken");
        failed |= matches!(step.target, Target::Violation(_)) && !step.movers.is_empty();
        all.resize(step.ordinal as usize, None);
        all.push(Some(((step.cost, target(&step.target)), step.sleep)));
        ControlFlow::Continue(())
    });
    let Selected::Shown { left_out } = selected else { panic!("steps are shown") };
    if failed {
        *selection = Selection::All;
    }
    let shown = all.iter().flatten().count();
    all.resize(shown + left_out as usize, None);
    all
}

/// Checks the first states of a model in the order of a breadth-first search with sleep sets. Returns how many steps
/// were left out.
fn check_diamonds(name: &str, model: &Model, most: usize) -> usize {
    let Ok(engine) = CompiledEngine::new(model) else { return 0 };
    let mut store = ExactStore::new(engine.hidden_prefix());
    let mut queue = vec![(engine.initial(), SleepSet::EMPTY, None::<(usize, Cost)>)];
    store.intern(&mut (), store.key(&mut (), &engine.initial(), Changed::Anywhere).unwrap(), &engine.initial()).ok();
    let (mut at, mut left_out, mut has_failed) = (0, 0, false);
    while at < queue.len() && at < most {
        let (t, sleep, reached) = queue[at].clone();
        let all = steps(&engine, &t);
        let mut selection = if has_failed { Selection::All } else { Selection::Outside(sleep) };
        let taken = selected(&engine, &t, &mut selection);
        has_failed = selection == Selection::All;
        assert_eq!(all.len(), taken.len(), "{name}: all steps are shown");
        for ((cost, target), taken) in all.into_iter().zip(taken) {
            match taken {
                Some((found, behind)) => {
                    assert_eq!(found, (cost, target), "{name}: a step differs");
                    let Some(target) = found.1 else { continue };
                    let key = store.key(&mut (), &target, Changed::Anywhere).expect("room");
                    let interned = loop {
                        match store.intern(&mut (), key, &target) {
                            Ok(interned) => break interned,
                            Err(_) => assert!(store.grow(1)),
                        }
                    };
                    if let Interned::New(_) = interned {
                        queue.push((target, behind, Some((at, cost))));
                    }
                }
                None => {
                    left_out += 1;
                    let target = target.unwrap_or_else(|| panic!("{name}: a step that fails is left out"));
                    let (s, cost_to_t) = reached.expect("the sleep set of the initial state is empty");
                    let closes = steps(&engine, &queue[s].0).into_iter().any(|(cost_of_other, across)| {
                        cost_of_other == cost
                            && across.is_some_and(|across| {
                                steps(&engine, &across).contains(&(cost_to_t, Some(target.clone())))
                            })
                    });
                    assert!(
                        closes,
                        "{name}: a step is left out that is no side of a diamond, in {:#?}",
                        engine.interpreter().describe(&t)
                    );
                }
            }
        }
        at += 1;
    }
    left_out
}

/// The figures of a full search that must not depend on sleep sets: states, transitions, depth, errors.
fn figures(outcome: &Outcome<StepIndex>) -> (u64, u64, Cost, u64) {
    let stats = &outcome.stats;
    (stats.states, stats.states + stats.matched, stats.max_depth, outcome.errors)
}

const MOST_STATES: u64 = 20_000;

fn search<S: Store>(engines: &mut [CompiledEngine<'_>], mut store: S, errors: Option<OnError>) -> Outcome<StepIndex> {
    let limits = Limits { max_states: Some(MOST_STATES), ..Limits::default() };
    let is_error = |_: &Violation| errors.is_some();
    bfs::search(
        engines,
        &Objective::new(is_error, errors.unwrap_or(OnError::Count), &limits),
        Reduction::SleepSets,
        &mut store,
        &mut Unwatched,
    )
}

/// Compares full searches of a model without and with sleep sets.
fn check_searches(name: &str, model: &Model) {
    let Ok(plain) = CompiledEngine::without_code(model) else { return };
    if plain.hidden_prefix() > 0 {
        return; // sleep sets are not used then
    }
    let engine = || CompiledEngine::new(model).expect("an initial state");
    // Failures are ignored, end the search, or are counted.
    for errors in [None, Some(OnError::Stop), Some(OnError::Count)] {
        let mut full = [CompiledEngine::without_code(model).expect("an initial state")];
        let expected = search(&mut full, TreeStore::new(), errors);
        if expected.stats.states >= MOST_STATES {
            return;
        }
        let is_whole = expected.path.is_none() || errors == Some(OnError::Count);
        let compare = |found: &Outcome<StepIndex>, how: &str| {
            if is_whole {
                assert_eq!(figures(found), figures(&expected), "{name}, {how}");
            }
            let path = found.path.as_ref().map(|path| path.length);
            assert_eq!(path, expected.path.as_ref().map(|path| path.length), "{name}, {how}: the length of a path");
            if let Some(path) = &found.path {
                let replayed = plain.interpreter().replay(&path.actions);
                assert!(replayed.is_ok(), "{name}, {how}: a path is replayed");
            }
        };
        let mut reduced = [engine()];
        compare(&search(&mut reduced, TreeStore::new(), errors), "one thread");
        if is_whole {
            let [full, reduced] = [&full[0], &reduced[0]];
            assert_eq!(reduced.interpreter().unreached(), full.interpreter().unreached(), "{name}: unreached");
            // steps on the path to an error are counted once more, and there may be several paths
            if expected.path.is_none() {
                assert_eq!(reduced.atomic_steps(), full.atomic_steps(), "{name}: atomic steps");
            }
        }
        let first = engine();
        let second = first.fork();
        compare(&search(&mut [first, second], TreeStore::new(), errors), "two threads");
        compare(&search(&mut [engine()], CompactStore::new(0), errors), "fingerprints");
    }
}

fn check(name: &str, model: &Model) -> usize {
    check_searches(name, model);
    let reduced = &Reduced::of(model).model;
    check_searches(&format!("{name}, reduced"), reduced);
    check_diamonds(name, model, 500) + check_diamonds(&format!("{name}, reduced"), reduced, 500)
}

/// How many steps were left out in some models.
fn check_all(models: impl Iterator<Item = (String, Model)>) -> usize {
    models.map(|(name, model)| check(&name, &model)).sum()
}

#[test]
fn random_models() {
    let (models, count) = model_sets::random_models();
    let left_out = check_all(models);
    assert!(left_out > 10 * count, "only {left_out} steps were left out");
}

#[test]
fn models_of_the_rules() {
    assert!(check_all(models_in("tests/rules")) > 100);
}

#[test]
fn our_own_models() {
    assert!(check_all(models_in("../../models")) > 1000);
}

/// Whether a rendezvous is enabled, and with which process, depends on the locations of other processes and the values
/// they compare.
#[test]
fn partners_that_come() {
    let models = [
        "chan c = [0] of { byte }; byte a, b;
         active proctype F() { do :: c?a od }
         active proctype P() { byte l; do :: l = 1; l = 2; d_step { c?b; b = b + 1 } od }
         active proctype R() { byte n; do :: n < 9 -> c!n; n++ :: n == 9 -> n = 0 od }",
        "chan c = [0] of { byte }; byte a, b;
         active proctype F() { do :: c?a od }
         active proctype P() { byte l; do :: l = 1; l = 2; c?b; b = b + 1 od }
         active proctype R() { byte n; do :: n < 9 -> c!n; n++ :: n == 9 -> n = 0 od }",
        "chan c = [0] of { byte }; byte y, a, b;
         active proctype F() { do :: c?a od }
         active proctype G() { do :: c?eval(y) -> b = (b + 1) % 3 od }
         active proctype Y() { do :: y = (y + 1) % 4 od }
         active proctype R() { byte n; do :: n < 4 -> c!n; n++ :: n == 4 -> n = 0 od }",
        "chan c = [0] of { byte }; byte y, a, b;
         active proctype R() { do :: c!2 :: else -> b = (b + 1) % 3 od }
         active proctype G() { do :: c?eval(y) -> a = (a + 1) % 3 od }
         active proctype Y() { do :: y = (y + 1) % 4 od }",
        "chan c = [0] of { byte }; chan d = [1] of { byte }; chan e = [2] of { chan }; byte a, b;
         active proctype G() { chan k; do :: e?k; k?a od }
         active proctype H() { do :: e!c :: e!d :: d!1 od }
         active proctype F() { do :: c?b od }
         active proctype R() { byte n; do :: n < 4 -> c!n; n++ :: n == 4 -> n = 0 od }",
    ];
    for (at, text) in models.into_iter().enumerate() {
        let name = format!("model {at}");
        let model = read(&name, text.to_owned()).expect("a model");
        assert!(check(&name, &model) > 0, "{name}: no step is left out");
    }
}

/// What a step accesses after its first statement depends on the effect of that statement.
#[test]
fn steps_that_change_what_they_look_at() {
    let models = [
        "chan c = [2] of { byte }; bool go;
         active proctype Q() { go; c!2 }
         active proctype P() { bool b; byte l; go; atomic { c?l; b = empty(c) }; assert(b) }
         init { atomic { c!1; go = true } }",
        "chan c = [2] of { byte }; bool go; byte a[3];
         active proctype Q() { byte l; go; l = a[0]; assert(l == 0) }
         active proctype P() { byte l; go; atomic { c?l; a[len(c)] = 1 } }
         init { atomic { c!1; go = true } }",
    ];
    for (at, text) in models.into_iter().enumerate() {
        let name = format!("model {at}");
        check(&name, &read(&name, text.to_owned()).expect("a model"));
    }
}

#[test]
fn random_rings() {
    let left_out = check_all(model_sets::random_rings(100));
    assert!(left_out > 1000, "only {left_out} steps were left out");
}

/// A model with rendezvous and changing partners: receives in all kinds of places, tests of variables that others
/// write, and loops, so that all of it happens often.
fn meetings(random: &mut Rng) -> String {
    fn pick<'a>(random: &mut Rng, those: &[&'a str]) -> &'a str {
        those[random.usize(..those.len())]
    }
    fn own(random: &mut Rng) -> String {
        pick(random, &["l = (l + 1) % 2", "l = 1 - l", "skip"]).to_owned()
    }
    fn shared(random: &mut Rng) -> String {
        let (to, from) = (pick(random, &["x", "y", "z"]), pick(random, &["x", "y", "z", "l"]));
        format!("{to} = ({from} + 1) % {}", random.u8(2..=3))
    }
    fn receive(random: &mut Rng) -> String {
        let channel = pick(random, &["c", "c", "d"]);
        let receive = format!("{channel}?{}", pick(random, &["l", "x", "eval(y)", "_", "1", "z", "eval(l)"]));
        match random.u8(..8) {
            0 | 1 => format!("d_step {{ {receive}; {} }}", shared(random)),
            2 => format!("atomic {{ {receive}; {} }}", shared(random)),
            _ => receive,
        }
    }
    fn send(random: &mut Rng) -> String {
        let send = format!("{}!{}", pick(random, &["c", "c", "d"]), pick(random, &["l", "x", "1", "0", "y"]));
        if random.u8(..5) == 0 { format!("atomic {{ {send}; {} }}", shared(random)) } else { send }
    }
    fn process(random: &mut Rng) -> String {
        let options = 1 + random.usize(..2);
        match random.u8(..8) {
            0..=2 => (0..options).map(|_| format!(":: {}; {} ", receive(random), own(random))).collect(),
            3 | 4 => format!(":: {}; {}; {} ", own(random), own(random), receive(random)),
            5 | 6 => {
                let sends: String = (0..options).map(|_| format!(":: {}; {} ", send(random), own(random))).collect();
                let last = match random.u8(..8) {
                    0 | 1 => format!(":: else -> {}", shared(random)),
                    2 => format!(":: timeout -> {}", shared(random)),
                    _ => String::new(),
                };
                sends + &last
            }
            _ => format!(":: {} :: q!{} :: q?{}", shared(random), pick(random, &["x", "1"]), pick(random, &["y", "l"])),
        }
    }
    let mut text =
        "byte x, y, z; chan c = [0] of { byte }; chan d = [0] of { byte }; chan q = [2] of { byte };\n".to_owned();
    for at in 0..random.usize(3..=4) {
        text += &format!("active proctype P{at}() {{ byte l; do {} od }}\n", process(random));
    }
    text
}

#[test]
fn random_meetings() {
    let mut left_out = 0;
    for seed in 0..300 {
        let text = meetings(&mut Rng::with_seed(seed));
        let model = read("model.pml", text.clone()).unwrap_or_else(|| panic!("a model:\n{text}"));
        left_out += check(&format!("seed {seed}:\n{text}"), &model);
    }
    assert!(left_out > 10_000, "only {left_out} steps were left out");
}
