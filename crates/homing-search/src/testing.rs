//! Small systems for tests: written down as a table, or drawn at random.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Mutex;

use homing_core::{
    Cost, Estimate, Estimated, Guarantee, Selected, Selection, State, Step, Target, TransitionSystem, Violation,
    ViolationKind,
};

/// One step of a table.
#[derive(Clone, Debug)]
pub enum Row {
    To(&'static str, Cost),
    Bad(&'static str, Cost),
    /// A step that was cut off.
    Endless(Cost),
}

/// A system of named states. The first row is the initial state; an action is the index of a step.
pub struct Table {
    initial: &'static str,
    steps: HashMap<&'static str, Vec<Row>>,
    /// The states whose steps were asked for, in order.
    pub expanded: Mutex<Vec<String>>,
}

impl Table {
    pub fn new(rows: &[(&'static str, &[Row])]) -> Self {
        let steps = rows.iter().map(|&(name, steps)| (name, steps.to_vec())).collect();
        Table { initial: rows[0].0, steps, expanded: Mutex::default() }
    }
}

impl TransitionSystem for Table {
    type Action = usize;

    fn initial(&self) -> Box<State> {
        self.initial.as_bytes().into()
    }

    fn for_each_step(
        &self,
        state: &State,
        _: Selection,
        mut visit: impl FnMut(Step<'_, usize>) -> ControlFlow<()>,
    ) -> Selected {
        let name = std::str::from_utf8(state).expect("states are names");
        self.expanded.lock().unwrap().push(name.to_owned());
        for (action, row) in self.steps.get(name).into_iter().flatten().enumerate() {
            let ordinal = action as u32;
            let step = match row {
                Row::To(target, cost) => Step { cost: *cost, ..Step::to(action, ordinal, target.as_bytes()) },
                Row::Bad(message, cost) => Step::violating(action, ordinal, *cost, violation(message)),
                Row::Endless(cost) => Step { cost: *cost, ..Step::stopped(action, ordinal) },
            };
            if visit(step).is_break() {
                break;
            }
        }
        Selected::ALL
    }
}

pub fn violation(message: &str) -> Violation {
    Violation { kind: ViolationKind::Assertion, message: message.to_owned(), place: None, process: None }
}

/// A small generator (SplitMix64), so that a failing seed can be run again.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

/// A random graph. A state is its number after one hidden byte, the parity of the steps of its run.
pub struct Graph {
    /// For each state its steps; none as target is a violation.
    pub steps: Vec<Vec<(Cost, Option<u8>)>>,
}

impl Graph {
    /// The hidden bytes of a state.
    pub const HIDDEN_PREFIX: usize = 1;

    pub fn random(seed: u64) -> Self {
        let mut random = Random(seed);
        let states = 1 + random.below(40);
        let errors = random.below(3); // none, few, or some
        let steps = (0..states)
            .map(|_| {
                (0..random.below(5))
                    .map(|_| {
                        if random.below(20) < errors {
                            (random.below(4) as Cost, None)
                        } else {
                            (1 + random.below(5) as Cost, Some(random.below(states) as u8))
                        }
                    })
                    .collect()
            })
            .collect();
        Graph { steps }
    }
}

impl TransitionSystem for Graph {
    type Action = usize;

    fn initial(&self) -> Box<State> {
        Box::new([0, 0])
    }

    fn for_each_step(
        &self,
        state: &State,
        _: Selection,
        mut visit: impl FnMut(Step<'_, usize>) -> ControlFlow<()>,
    ) -> Selected {
        for (action, &(cost, target)) in self.steps[state[1] as usize].iter().enumerate() {
            let (ordinal, bytes) = (action as u32, [1 - state[0], target.unwrap_or(0)]);
            let shown = visit(match target {
                Some(_) => Step { cost, ..Step::to(action, ordinal, &bytes) },
                None => Step::violating(action, ordinal, cost, violation(&format!("{}", state[0]))),
            });
            if shown.is_break() {
                break;
            }
        }
        Selected::ALL
    }
}

/// Walks the path and returns its length and the violation it ends in.
pub fn walk<T: TransitionSystem<Action = usize>>(system: &T, actions: &[usize]) -> (Cost, Violation) {
    let mut state = system.initial().into_vec();
    let mut length = 0;
    for (at, &wanted) in actions.iter().enumerate() {
        let mut next = None;
        system.for_each_step(&state, Selection::All, |step| {
            if step.action == wanted {
                length += step.cost;
                next = Some(match step.target {
                    Target::State(target) => Ok(target.to_vec()),
                    Target::Violation(violation) => Err(violation),
                    Target::CutOff => panic!("a path goes on"),
                });
            }
            ControlFlow::Continue(())
        });
        match next.expect("the action exists") {
            Ok(target) => state = target,
            Err(violation) => {
                assert_eq!(at + 1, actions.len(), "a violation ends the path");
                return (length, violation);
            }
        }
    }
    panic!("the path ends in no violation");
}

/// A line of states, `0` to `last`, one step of cost 1 each, with a violation at its end.
pub struct Chain {
    pub last: u32,
}

impl TransitionSystem for Chain {
    type Action = ();

    fn initial(&self) -> Box<State> {
        Box::new(0u32.to_le_bytes())
    }

    fn for_each_step(
        &self,
        state: &State,
        _: Selection,
        mut visit: impl FnMut(Step<'_, ()>) -> ControlFlow<()>,
    ) -> Selected {
        let at = u32::from_le_bytes(state.try_into().expect("four bytes"));
        let next = (at + 1).to_le_bytes();
        let step = if at < self.last { Step::to((), 0, &next) } else { Step::violating((), 0, 0, violation("end")) };
        let _ = visit(step);
        Selected::ALL
    }
}

/// Estimates without rhyme or reason, by the number of the state in a [`Graph`].
pub struct Whims(pub u64);

impl Estimate for Whims {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        Some(Estimated::from(Random(self.0 ^ u64::from(state[1])).below(20) as Cost))
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Guess
    }
}
