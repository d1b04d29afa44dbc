//! What automata networks have besides: synchronisation over channels that are no values, broadcasts, committed locations and
//! invariants of locations (UPPAAL's semantics without clocks).

use homing_core::{State, Violation, ViolationKind};
use homing_ir::{Action, Signal, Transition};

use crate::Interpreter;
use crate::eval::View;
use crate::fault::Fault;
use crate::moves::{Choice, Move};
use crate::working_state::WorkingState;

impl View<'_> {
    /// Adds the moves in which an edge sends a signal: with one receiver each or, of a broadcast, with one edge of every process that
    /// can receive, in all combinations. Guards and channels are evaluated in the state that is left, those of receivers, too, whether
    /// a partner sends or not: where one fails, that is an error of the state.
    pub fn collect_signals(
        self,
        sender: Choice,
        action: &Action,
        signal: &Signal,
        moves: &mut Vec<Move>,
    ) -> Result<(), Fault> {
        if !self.is_executable(action)? {
            return Ok(());
        }
        let channel = self.eval(&signal.channel)?;
        if !signal.emits {
            return Ok(());
        }
        let others = (0..self.work.processes.len()).filter(|&pid| pid != self.pid);
        if !signal.broadcast {
            for pid in others {
                let receives = self.of(pid).receives(channel);
                moves.extend(receives.into_iter().map(|receiver| Move::Signal(sender, vec![receiver])));
            }
            return Ok(());
        }
        let mut combinations = vec![Vec::new()];
        for pid in others {
            let receives = self.of(pid).receives(channel);
            if !receives.is_empty() {
                let with = |chosen: &Vec<Choice>| {
                    let longer = |receiver: &Choice| chosen.iter().chain([receiver]).copied().collect();
                    receives.iter().map(longer).collect::<Vec<Vec<Choice>>>()
                };
                combinations = combinations.iter().flat_map(with).collect();
            }
        }
        moves.extend(combinations.into_iter().map(|receivers| Move::Signal(sender, receivers)));
        Ok(())
    }

    /// The edges by which the process can receive a signal over a channel. One whose guard or channel fails cannot: the error is one of
    /// its own process.
    fn receives(self, channel: i32) -> Vec<Choice> {
        let listens = |transition: &Transition| {
            let action = &self.statement(transition.statement).action;
            action.signal().is_some_and(|signal| {
                !signal.emits && self.is_executable(action) == Ok(true) && self.eval(&signal.channel) == Ok(channel)
            })
        };
        let transitions = self.transitions().iter().enumerate().filter(|(_, transition)| listens(transition));
        transitions.map(|(at, _)| Choice { pid: self.pid as u8, transition: at as u32 }).collect()
    }
}

impl Interpreter<'_> {
    /// Drops the moves that do not leave a committed location, if a process is in one. Run-time errors of guards stay.
    pub(crate) fn keep_committed(&self, work: &WorkingState, moves: &mut Vec<Move>) {
        let is_committed = |pid: usize| self.location(work, pid).committed;
        if (0..work.processes.len()).any(is_committed) {
            let stays =
                |taken: &Move| matches!(taken, Move::Fault(..)) || taken.pids().any(|pid| is_committed(pid.into()));
            moves.retain(stays);
        }
    }

    /// The moves of a network: those that leave a committed location if there is one, and that lead to states which meet the invariants
    /// of locations, or fail.
    pub(crate) fn network_moves(&self, work: &WorkingState) -> Vec<Move> {
        let mut moves: Vec<Move> =
            (0..work.processes.len()).rev().flat_map(|pid| self.moves_of(work, pid, false)).collect();
        self.keep_committed(work, &mut moves);
        moves.retain(|taken| {
            let (mut after, mut breaches) = (work.clone(), Vec::new());
            let done = self.executor(&mut after, &mut breaches, false).perform(taken, &self.coverage);
            done.is_err() || self.meets_invariants(&after).unwrap_or(true)
        });
        moves
    }

    /// Whether the invariants of all locations hold where processes stand.
    pub(crate) fn meets_invariants(&self, work: &WorkingState) -> Result<bool, Fault> {
        Ok(self.unmet_invariant(work).map_err(|(_, fault)| fault)?.is_none())
    }

    /// A process that stands where the invariant of its location does not hold; or one whose invariant cannot be evaluated.
    fn unmet_invariant(&self, work: &WorkingState) -> Result<Option<usize>, (usize, Fault)> {
        for pid in 0..work.processes.len() {
            let view =
                View { model: self.model, layout: &self.layout, work, pid, timeout: false, offer: None, asked: 0 };
            if let Some(invariant) = &self.location(work, pid).invariant
                && view.eval(invariant).map_err(|fault| (pid, fault))? == 0
            {
                return Ok(Some(pid));
            }
        }
        Ok(None)
    }

    /// The violation of an initial state in which the invariant of a location does not hold or cannot be evaluated: there is no run.
    pub(crate) fn impossible_start(&self, initial: &State) -> Option<Violation> {
        let mut work = WorkingState::default();
        work.load(&self.layout, initial);
        let (pid, message) = match self.unmet_invariant(&work) {
            Ok(None) => return None,
            Ok(Some(pid)) => (pid, "the invariant of the initial location does not hold".to_owned()),
            Err((pid, fault)) => (pid, format!("{fault} (in the invariant of the initial location)")),
        };
        Some(Violation {
            kind: ViolationKind::RuntimeError,
            message,
            place: Some(self.source_place(self.location(&work, pid).place)),
            process: Some(self.process_name(&work, pid)),
        })
    }

    /// Whether no step is possible in a state, for the queries that ask for it.
    pub(crate) fn is_asked_deadlock(&self, work: &WorkingState) -> bool {
        self.asks_for_deadlock && self.network_moves(work).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, VecDeque};
    use std::ops::ControlFlow;

    use homing_core::{Selection, Target, TransitionSystem};
    use homing_ir::{Expr, Location, Model};

    use super::*;
    use crate::CompiledEngine;
    use crate::testing::networks::{edge, is, network, update, x};

    /// What is reachable: `x` and the locations of the processes, and the errors.
    fn reachable(model: &Model) -> (Vec<(i32, Vec<u32>)>, Vec<String>) {
        let engine = CompiledEngine::lazy_until(model, homing_core::StopToken::default()).expect("an initial state");
        let interpreter = engine.interpreter();
        let (mut seen, mut errors) = (BTreeSet::new(), BTreeSet::new());
        let mut queue = VecDeque::from([engine.initial()]);
        let mut found = Vec::new();
        while let Some(state) = queue.pop_front() {
            if !seen.insert(state.clone()) {
                continue;
            }
            let mut work = WorkingState::default();
            work.load(&interpreter.layout, &state);
            let locations = (0..work.processes.len()).map(|pid| work.location(&interpreter.layout, pid)).collect();
            let view =
                View { model, layout: &interpreter.layout, work: &work, pid: 0, timeout: false, offer: None, asked: 0 };
            found.push((view.eval(&Expr::Var(x())).expect("a value"), locations));
            engine.for_each_step(&state, Selection::All, |step| {
                match step.target {
                    Target::State(next) => {
                        assert_eq!(step.cost, 1, "a step of a network has length 1");
                        queue.push_back(next.into());
                    }
                    Target::Violation(violation) if violation.kind == ViolationKind::InvalidEndState => {
                        errors.insert("deadlock".to_owned());
                    }
                    Target::Violation(violation) => {
                        errors.insert(violation.message);
                    }
                    Target::CutOff => unreachable!("no step is long"),
                }
                ControlFlow::Continue(())
            });
        }
        (found, errors.into_iter().collect())
    }

    fn unmarked(_: usize, _: u32, _: &mut Location) {}

    #[test]
    fn a_binary_signal_moves_two_processes_and_the_sender_is_first() {
        let sender = vec![(1, 2, edge("1!", None, Some(update(1, 1))))];
        let receiver = |more| vec![(1, 2, edge("1?", Some(is(0)), Some(update(2, more))))];
        let model = network(vec![receiver(0), sender, receiver(1)], unmarked);
        let (found, errors) = reachable(&model);
        // x becomes 1, and then it is doubled by one of the receivers, or doubled and increased
        assert_eq!(found, [(0, vec![1, 1, 1]), (2, vec![2, 2, 1]), (3, vec![1, 2, 2])]);
        assert_eq!(errors, ["deadlock"]);
        let alone = network(vec![vec![(1, 2, edge("1!", None, None)), (1, 2, edge("1?", None, None))]], unmarked);
        assert_eq!(reachable(&alone), (vec![(0, vec![1])], vec!["deadlock".to_owned()]), "no process meets itself");
        let other = network(vec![vec![(1, 2, edge("1!", None, None))], vec![(1, 2, edge("2?", None, None))]], unmarked);
        assert_eq!(reachable(&other).0.len(), 1, "another channel");
    }

    #[test]
    fn a_broadcast_moves_all_that_can_receive_in_all_combinations() {
        let sender = vec![(1, 2, edge("1!!", None, Some(update(1, 1))))];
        let two = vec![(1, 2, edge("1??", None, None)), (1, 3, edge("1??", None, None))];
        let blocked = vec![(1, 2, edge("1??", Some(is(1)), None))]; // guards see the state that is left
        let model = network(vec![sender, two.clone(), blocked, two], unmarked);
        let (found, _) = reachable(&model);
        let after: Vec<_> = found[1..].iter().map(|(_, locations)| locations.clone()).collect();
        assert_eq!(after, [[2, 2, 1, 2], [2, 2, 1, 3], [2, 3, 1, 2], [2, 3, 1, 3]]);
        let alone = network(vec![vec![(1, 2, edge("1!!", None, None))]], unmarked);
        assert_eq!(reachable(&alone).0, [(0, vec![1]), (0, vec![2])], "a broadcast needs no receiver");
    }

    #[test]
    fn committed_locations_are_left_first() {
        let cycle = || vec![(1, 2, edge("", None, None)), (2, 1, edge("", None, None))];
        let commit = |pid: usize, at: u32, location: &mut Location| location.committed = pid == 0 && at == 2;
        let (found, _) = reachable(&network(vec![cycle(), cycle()], commit));
        assert_eq!(found.len(), 4);
        let receiver = vec![(1, 2, edge("1?", None, None))];
        let sender = vec![(1, 2, edge("", None, None)), (2, 3, edge("1!", None, None))];
        let (found, errors) = reachable(&network(vec![sender, receiver.clone(), cycle()], commit));
        let both = |locations: &&(i32, Vec<u32>)| locations.1[0] == 2;
        assert_eq!(found.iter().filter(both).count(), 2, "no other process moves while process 0 is at 2: {found:?}");
        assert!(errors.is_empty());
        let committed = |_: usize, at: u32, location: &mut Location| location.committed = at == 1;
        let stuck = network(vec![Vec::new(), cycle()], |pid, at, location| {
            if pid == 0 {
                committed(pid, at, location);
            }
        });
        assert_eq!(reachable(&stuck).1, ["deadlock"], "a committed location without an edge stops all");
    }

    #[test]
    fn invariants_of_locations_block_steps_and_take_no_receiver_away() {
        let sender = vec![(1, 2, edge("1!!", None, None)), (1, 1, edge("", None, Some(update(1, 1))))];
        let receiver = vec![(1, 2, edge("1??", None, None))];
        let below = |pid: usize, at: u32, location: &mut Location| {
            if pid == 1 && at == 2 {
                location.invariant = Some(is(0));
            }
        };
        let (found, errors) = reachable(&network(vec![sender, receiver], below));
        // with x = 1 the broadcast is blocked altogether, and so is every other step that would break the invariant
        assert_eq!(found.len(), 5, "{found:?}");
        assert!(found.iter().all(|(value, locations)| locations[1] == 1 || *value == 0), "{found:?}");
        assert_eq!(errors, ["deadlock", "value 4 is out of range: `x` is between 0 and 3"]);
    }
}
