//! Random walk (Engels, Groote, van Weerdenburg & Willemse 2009, Def. 2 and 3), with restarts (Luby, Sinclair & Zuckerman 1993).
//!
//! One state is held at a time, and the next one is drawn from its successors: nothing is known of the states before, so that no
//! model is too large and nothing is proved. The path to an error is found by walking again from the same seed.
//! Differs from the paper: steps are drawn and not successors, so that a second step to the same state makes it twice as likely.
//! A walk that ends, because it comes to a state without steps, becomes longer than `limits.max_depth` or has expanded as many
//! states as its part of Luby's sequence says, starts again at the initial state.

use std::ops::ControlFlow;

use homing_core::{
    Cost, End, Limit, Limits, Outcome, Path, Progress, Purpose, Seed, Selection, State, Stats, Step, Stop, Stream,
    Target, TransitionSystem, Violation, Watch,
};

use crate::Objective;
use crate::limits::{Budget, is_time_to_look};

/// The unit of Luby's sequence that is used unless another is asked for.
pub const RESTART_AFTER: u64 = 1000;

/// Walks through `system` until an error is found or a limit is reached; `limits.max_states` limits the states that are expanded,
/// each as often as it is. Walks end after 1, 1, 2, 1, 1, 2, 4, … times `restart_after` states, or never by themselves if it is
/// `None`. All errors of one state count as one, and the first error ends the search, whatever `objective.on_error` says.
///
/// If no state had a choice of steps and the walk ended by itself, all states were visited.
pub fn search<T, E, W>(
    system: &T,
    objective: &Objective<'_, E>,
    seed: Seed,
    restart_after: Option<u64>,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    E: Fn(&Violation) -> bool,
    W: Watch,
{
    let Objective { is_error, limits, observer, .. } = objective;
    let budget = Budget::new(limits, watch).observed_by(*observer);
    let mut search = RandomWalk {
        system,
        is_error,
        limits,
        budget,
        stream: seed.stream(Purpose::Order),
        successors: Successors::default(),
        has_chosen: false,
        steps: 0,
        max_depth: 0,
    };
    let (end, path) = (1..)
        .find_map(|number| {
            let most = restart_after.map_or(u64::MAX, |unit| luby(number).saturating_mul(unit));
            search.walk(most)
        })
        .expect("it walks until something ends it");
    let expanded = search.budget.expansions();
    let stats = Stats {
        states: expanded,
        expanded,
        matched: (search.steps + 1).saturating_sub(expanded),
        peak_states: 1,
        max_depth: search.max_depth,
        memory: search.successors.memory(),
        ..Stats::default()
    };
    Outcome { end, errors: u64::from(path.is_some()), path, stats }
}

/// The n-th number of Luby's sequence 1, 1, 2, 1, 1, 2, 4, 1, …, from n = 1 on.
fn luby(n: u64) -> u64 {
    let (mut n, mut length) = (n, (n + 1).next_power_of_two() - 1);
    while n != length {
        length /= 2; // the sequence of this length comes twice before its last number
        n = if n > length { n - length } else { n };
    }
    length.div_ceil(2)
}

struct RandomWalk<'a, T: TransitionSystem, E, W> {
    system: &'a T,
    is_error: &'a E,
    limits: &'a Limits,
    budget: Budget<'a, W>,
    stream: Stream,
    successors: Successors<T::Action>,
    /// There was a choice of steps: other runs exist.
    has_chosen: bool,
    /// Steps to states.
    steps: u64,
    max_depth: Cost,
}

/// How the search ended, with the path to an error if there is one.
type Ended<A> = (End, Option<Path<A>>);

impl<T, E, W> RandomWalk<'_, T, E, W>
where
    T: TransitionSystem,
    E: Fn(&Violation) -> bool,
    W: Watch,
{
    /// Walks from the initial state through at most `most` states. How the search ended, if it did.
    fn walk(&mut self, most: u64) -> Option<Ended<T::Action>> {
        let beginning = self.stream.clone();
        let mut s = self.system.initial().into_vec();
        let mut g = 0;
        for walked in 0..most {
            if let Err(stop) = self.expand(&s, g) {
                return Some((End::Stopped(stop), None));
            }
            self.max_depth = self.max_depth.max(g);
            if let Some((action, cost, violation)) = self.successors.error.take() {
                let Some((mut actions, length)) = self.retrace(beginning, walked) else {
                    return Some((End::limit(Limit::CutOff), None)); // there was no time to find its steps again
                };
                debug_assert_eq!(length, g);
                actions.push(action);
                self.max_depth = self.max_depth.max(g + cost);
                return Some((End::Found, Some(Path::finite(actions, g + cost, violation))));
            }
            self.has_chosen |= self.successors.len() > 1;
            let Some(step) = self.successors.draw(&mut self.stream) else {
                return (!self.has_chosen).then(|| (self.budget.end(), None));
            };
            let Some(longer) = self.budget.lengthen(g, step.cost) else {
                self.budget.skip_too_deep();
                return (!self.has_chosen).then(|| (self.budget.end(), None));
            };
            g = longer;
            self.successors.load(step, &mut s);
        }
        None
    }

    /// Generates the steps of a state.
    fn expand(&mut self, s: &State, g: Cost) -> Result<(), Stop> {
        let expanded = self.budget.expansions();
        if self.limits.max_states.is_some_and(|most| expanded >= most) {
            return Err(Stop::Limit(Limit::States));
        }
        let RandomWalk { system, budget, successors, is_error, .. } = self;
        let progress = Progress {
            states: expanded,
            transitions: self.steps + 1,
            depth: g,
            frontier: 1,
            memory: successors.memory(),
            errors: 0,
        };
        if budget.is_time_to_look() {
            budget.look(&progress)?;
        }
        budget.count_expansion();
        budget.observe(s);
        successors.clear();
        let mut going = Ok(());
        system.for_each_step(s, Selection::All, |step| {
            going = successors.take(step, g, budget, is_error, &progress);
            if going.is_err() || successors.error.is_some() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        self.steps += successors.len() as u64;
        going
    }

    /// The actions and the length of so many steps of a walk that began with the stream like this. None if the stop token of the
    /// system is set.
    fn retrace(&mut self, mut stream: Stream, steps: u64) -> Option<(Vec<T::Action>, Cost)> {
        let RandomWalk { system, successors, .. } = self;
        let (mut actions, mut length) = (Vec::new(), 0);
        let mut s = system.initial().into_vec();
        for _ in 0..steps {
            successors.clear();
            let mut is_stopped = false;
            system.patiently(|| {
                system.for_each_step(&s, Selection::All, |step| {
                    is_stopped |= step.is_stop();
                    successors.add(step);
                    ControlFlow::Continue(())
                })
            });
            if is_stopped {
                return None;
            }
            let step = successors.draw(&mut stream).expect("a state shows the same steps each time");
            actions.push(step.action);
            length += step.cost;
            successors.load(step, &mut s);
        }
        Some((actions, length))
    }
}

/// The steps of a state.
struct Successors<A> {
    /// The states, one after the other.
    bytes: Vec<u8>,
    steps: Vec<Successor<A>>,
    /// The first error, with the cost of its step.
    error: Option<(A, Cost, Violation)>,
}

#[derive(Clone, Copy)]
struct Successor<A> {
    action: A,
    cost: Cost,
    /// Where the state begins and ends.
    range: (usize, usize),
}

impl<A> Default for Successors<A> {
    fn default() -> Self {
        Successors { bytes: Vec::new(), steps: Vec::new(), error: None }
    }
}

impl<A: Copy> Successors<A> {
    fn clear(&mut self) {
        self.bytes.clear();
        self.steps.clear();
        self.error = None;
    }

    fn len(&self) -> usize {
        self.steps.len()
    }

    /// Keeps a step to a state, or the first error.
    fn take<W: Watch>(
        &mut self,
        step: Step<'_, A>,
        g: Cost,
        budget: &mut Budget<'_, W>,
        is_error: &impl Fn(&Violation) -> bool,
        progress: &Progress,
    ) -> Result<(), Stop> {
        let (ordinal, longer) = (step.ordinal, budget.lengthen(g, step.cost));
        match step.target {
            Target::State(_) => self.add(step),
            Target::Violation(violation) if is_error(&violation) => match longer {
                Some(_) => self.error = Some((step.action, step.cost, violation)),
                None => budget.skip_too_deep(),
            },
            Target::Violation(_) => {}
            Target::CutOff => budget.cut_off(longer, progress)?,
        }
        if is_time_to_look(ordinal) { budget.look(progress) } else { Ok(()) }
    }

    /// Keeps a step if it leads to a state.
    fn add(&mut self, step: Step<'_, A>) {
        if let Target::State(target) = step.target {
            let from = self.bytes.len();
            self.bytes.extend_from_slice(target);
            self.steps.push(Successor { action: step.action, cost: step.cost, range: (from, self.bytes.len()) });
        }
    }

    /// One of the steps, all with the same probability; none if there is none.
    fn draw(&self, stream: &mut Stream) -> Option<Successor<A>> {
        match &self.steps[..] {
            [] => None,
            [only] => Some(*only),
            steps => Some(steps[stream.below(steps.len() as u64) as usize]),
        }
    }

    /// Copies the target of a step.
    fn load(&self, step: Successor<A>, s: &mut Vec<u8>) {
        s.clear();
        s.extend_from_slice(&self.bytes[step.range.0..step.range.1]);
    }

    fn memory(&self) -> u64 {
        (self.bytes.capacity() + self.steps.capacity() * size_of::<Successor<A>>()) as u64
    }
}

#[cfg(test)]
mod tests;
