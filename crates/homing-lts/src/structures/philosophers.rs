//! Dining philosophers, as in mCRL2's `dining.mcrl2` of 2008: one deadlock, in which all have their own fork.

use std::ops::ControlFlow;

use homing_core::State;

use super::rule::Rule;

/// Philosophers who take their own fork, take the next one, eat, put back their own and put back the next. A state has a byte for
/// each: how many of these steps have been taken.
#[derive(Clone, Copy, Debug)]
pub struct Philosophers(pub u8);

/// The steps of a philosopher.
const STEPS: u8 = 5;

impl Philosophers {
    fn next(self, philosopher: usize) -> usize {
        (philosopher + 1) % usize::from(self.0)
    }

    /// Whether a fork is taken: by its own philosopher, or by the one before.
    fn is_taken(self, state: &State, fork: usize) -> bool {
        let count = usize::from(self.0);
        (1..4).contains(&state[fork]) || (2..5).contains(&state[(fork + count - 1) % count])
    }

    /// The same philosophers in Promela. `--plain` gives the same states and transitions.
    pub fn promela(self) -> String {
        let Philosophers(count) = self;
        format!(
            "/* {count} dining philosophers, as in mCRL2's dining.mcrl2 of 2008: one deadlock, at depth {count} */\n\
             #define N {count}\n\n\
             bit fork[N];\n\n\
             active [N] proctype Philosopher() {{\n\
             \tdo\n\
             \t:: d_step {{ fork[_pid] == 0 -> fork[_pid] = 1 }};\n\
             \t   d_step {{ fork[(_pid + 1) % N] == 0 -> fork[(_pid + 1) % N] = 1 }};\n\
             \t   skip; /* eat */\n\
             \t   fork[_pid] = 0;\n\
             \t   fork[(_pid + 1) % N] = 0\n\
             \tod\n\
             }}\n"
        )
    }
}

impl Rule for Philosophers {
    fn initial(&self) -> Box<State> {
        vec![0; usize::from(self.0)].into()
    }

    fn for_each(&self, state: &State, visit: &mut dyn FnMut(u32, &State) -> ControlFlow<()>) {
        let mut target = state.to_vec();
        for philosopher in 0..state.len() {
            let done = state[philosopher];
            let is_blocked = match done {
                0 => self.is_taken(state, philosopher),
                1 => self.is_taken(state, self.next(philosopher)),
                _ => false,
            };
            if is_blocked {
                continue;
            }
            target[philosopher] = (done + 1) % STEPS;
            if visit(philosopher as u32 * u32::from(STEPS) + u32::from(done), &target).is_break() {
                return;
            }
            target[philosopher] = done;
        }
    }

    fn label(&self, action: u32) -> String {
        let philosopher = (action / u32::from(STEPS)) as usize;
        let (own, next) = (philosopher + 1, self.next(philosopher) + 1);
        match action % u32::from(STEPS) {
            0 => format!("lock({own}, {own})"),
            1 => format!("lock({own}, {next})"),
            2 => format!("eat({own})"),
            3 => format!("free({own}, {own})"),
            _ => format!("free({own}, {next})"),
        }
    }

    fn error(&self, state: &State) -> Option<String> {
        state.iter().all(|&done| done == 1).then(|| "deadlock: every philosopher has one fork".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::explicit;
    use super::*;

    #[test]
    fn there_is_one_deadlock_and_as_many_states_as_in_public_files() {
        for (count, states, edges) in [(2, 10, 12), (3, 35, 66), (4, 118, 300), (5, 392, 1250), (8, 14158, 72336)] {
            let lts = explicit(&Philosophers(count)).expect("small");
            assert_eq!((lts.states(), lts.edge_count()), (states, edges), "{count} philosophers");
            let deadlocks = (0..states).filter(|&state| lts.edges(state).len() == 0).count();
            assert_eq!(deadlocks, 1);
        }
    }
}
