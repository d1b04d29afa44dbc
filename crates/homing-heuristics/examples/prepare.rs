//! Prepares abstractions of models and prints what that took:
//! `cargo run --release -p homing-heuristics --example prepare -- BOUND MODEL…`.

use homing_core::{Estimate, StopToken, TransitionSystem, ViolationKind};
use homing_engine::Interpreter;
use homing_heuristics::{
    AbstractionOptions, Combine, Goal, Heuristic, HeuristicEstimate, ModelAbstraction, Supervision,
};
use homing_ir::Reduced;

const KINDS: [ViolationKind; 3] =
    [ViolationKind::Assertion, ViolationKind::InvalidEndState, ViolationKind::RuntimeError];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let bound = arguments.next().and_then(|text| text.parse().ok()).expect("BOUND is a number from 1");
    for path in arguments {
        let text = std::fs::read_to_string(&path).expect("a file");
        let reading = homing_promela::read(&path, text, &homing_promela::preprocess::Options::default());
        let Some(model) = reading.model else { continue };
        let reduced = Reduced::of(&model).model;
        let Ok(engine) = Interpreter::new(&reduced) else { continue };
        let initial = engine.initial();
        for kinds in [&KINDS[..], &KINDS[..1], &KINDS[1..2]] {
            let goal = Goal::Errors(kinds);
            let formula = HeuristicEstimate::new(&reduced, Heuristic::Formula(Combine::Max), goal);
            let formula = formula.map(|mut one| one.distance(&initial).map(|found| found.h));
            let options = AbstractionOptions::with_bound(bound);
            let unwatched = Supervision { stop: &StopToken::default(), show: &mut |_| () };
            match ModelAbstraction::new(&reduced, goal, &options, unwatched) {
                Ok(abstraction) => {
                    let h = abstraction.estimate().distance(&initial).map(|found| found.h);
                    println!("{path} {kinds:?}: h {h:?}, formula {formula:?}, {:?}", abstraction.preparation());
                }
                Err(reason) => println!("{path} {kinds:?}: refused: {reason}"),
            }
        }
    }
}
