//! Counters: a state space of any size with one goal, far away.

use std::fmt::Write;
use std::ops::ControlFlow;

use homing_core::State;

use super::rule::Rule;

/// So many counters, each of which counts from 0 to `values - 1` and then from 0 again. The error is that all have their greatest
/// value, `count * (values - 1)` steps away. A random step leads away from it as soon as a counter is at its greatest value, and a
/// depth-first search counts through all states; an estimate that adds up distances leads straight to it.
#[derive(Clone, Copy, Debug)]
pub struct Counters {
    /// The number of counters.
    pub count: u8,
    /// The number of values of each; at least 1.
    pub values: u8,
}

impl Counters {
    /// How many states there are; none if the number has more than 128 bits.
    pub fn states(self) -> Option<u128> {
        u128::from(self.values).checked_pow(u32::from(self.count))
    }

    /// How many steps away the error is.
    pub fn distance(self) -> u32 {
        u32::from(self.count) * (u32::from(self.values) - 1)
    }

    /// The same counters in Promela. The error is that the invariant `!goal` does not hold.
    pub fn promela(self) -> String {
        let Counters { count, values } = self;
        let mut goal = String::new();
        for counter in 0..count {
            let and = if counter > 0 { " && " } else { "" };
            let _ = write!(goal, "{and}x[{counter}] == M - 1");
        }
        format!(
            "/* {count} counters of {values} values; the goal is {} steps away:\n\
             \u{20}  homing check FILE --property 'invariant:!goal' */\n\
             #define K {count}\n\
             #define M {values}\n\
             #define goal ({goal})\n\n\
             byte x[K];\n\n\
             active [K] proctype Counter() {{\n\
             \tdo\n\
             \t:: x[_pid] = (x[_pid] + 1) % M\n\
             \tod\n\
             }}\n",
            self.distance()
        )
    }
}

impl Rule for Counters {
    fn initial(&self) -> Box<State> {
        vec![0; usize::from(self.count)].into()
    }

    fn for_each(&self, state: &State, visit: &mut dyn FnMut(u32, &State) -> ControlFlow<()>) {
        let mut target = state.to_vec();
        for counter in 0..state.len() {
            target[counter] = if state[counter] + 1 < self.values { state[counter] + 1 } else { 0 };
            if visit(counter as u32, &target).is_break() {
                return;
            }
            target[counter] = state[counter];
        }
    }

    fn label(&self, action: u32) -> String {
        format!("count({action})")
    }

    fn error(&self, state: &State) -> Option<String> {
        let is_goal = state.iter().all(|&value| value + 1 == self.values);
        is_goal.then(|| "every counter has its greatest value".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::explicit;
    use super::*;

    #[test]
    fn sizes() {
        let large = Counters { count: 8, values: 32 };
        assert_eq!((large.states(), large.distance()), (Some(1 << 40), 248));
        let lts = explicit(&Counters { count: 3, values: 4 }).expect("small");
        assert_eq!((lts.states(), lts.edge_count()), (64, 192));
    }
}
