//! Small systems for tests: written down as a table, or drawn at random.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Mutex;

use homing_core::{
    Changed, Cost, Estimate, Guarantee, State, Step, Target, TransitionSystem, Violation, ViolationKind,
};

/// One step of a table.
#[derive(Clone, Debug)]
pub enum Row {
    To(&'static str, Cost),
    Bad(&'static str, Cost),
    /// A step that nobody followed to its end.
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

    fn for_each_step(&self, state: &State, mut visit: impl FnMut(Step<'_, usize>) -> ControlFlow<()>) {
        let name = std::str::from_utf8(state).expect("states are names");
        self.expanded.lock().unwrap().push(name.to_owned());
        for (action, row) in self.steps.get(name).into_iter().flatten().enumerate() {
            let step = match row {
                Row::To(target, cost) => {
                    Step { action, cost: *cost, target: Target::State(target.as_bytes()), changed: Changed::Anywhere }
                }
                Row::Bad(message, cost) => Step {
                    action,
                    cost: *cost,
                    target: Target::Violation(violation(message)),
                    changed: Changed::Anywhere,
                },
                Row::Endless(cost) => Step { action, cost: *cost, target: Target::CutOff, changed: Changed::Anywhere },
            };
            if visit(step).is_break() {
                return;
            }
        }
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

/// A random graph. A state is its number behind one carried byte, which tells the parity of the steps of its run.
pub struct Graph {
    /// For each state its steps; none as target is a violation.
    pub steps: Vec<Vec<(Cost, Option<u8>)>>,
}

impl Graph {
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

    fn hidden_prefix(&self) -> usize {
        1
    }

    fn for_each_step(&self, state: &State, mut visit: impl FnMut(Step<'_, usize>) -> ControlFlow<()>) {
        for (action, &(cost, target)) in self.steps[state[1] as usize].iter().enumerate() {
            let shown = match target {
                Some(target) => visit(Step {
                    action,
                    cost,
                    target: Target::State(&[1 - state[0], target]),
                    changed: Changed::Anywhere,
                }),
                None => visit(Step {
                    action,
                    cost,
                    target: Target::Violation(violation(&format!("{}", state[0]))),
                    changed: Changed::Anywhere,
                }),
            };
            if shown.is_break() {
                return;
            }
        }
    }
}

/// Walks the path and returns its length and the violation it ends in.
pub fn walk<T: TransitionSystem<Action = usize>>(system: &T, actions: &[usize]) -> (Cost, Violation) {
    let mut state = system.initial().into_vec();
    let mut length = 0;
    for (at, &wanted) in actions.iter().enumerate() {
        let mut next = None;
        system.for_each_step(&state, |step| {
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

    fn for_each_step(&self, state: &State, mut visit: impl FnMut(Step<'_, ()>) -> ControlFlow<()>) {
        let at = u32::from_le_bytes(state.try_into().expect("four bytes"));
        let next = (at + 1).to_le_bytes();
        let target = if at < self.last { Target::State(&next) } else { Target::Violation(violation("end")) };
        let _ = visit(Step { action: (), cost: Cost::from(at < self.last), target, changed: Changed::Anywhere });
    }
}

/// Estimates without rhyme or reason, by the number of the state in a [`Graph`].
pub struct Whims(pub u64);

impl Estimate for Whims {
    fn distance(&mut self, state: &State) -> Option<Cost> {
        Some(Random(self.0 ^ u64::from(state[1])).below(20) as Cost)
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Guess
    }
}
