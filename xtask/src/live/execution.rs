//! Executes homing's trail in the interpreter, and judges the run by itself: whether its cycle closes, is fair, and is one
//! that the property forbids.

use std::ops::ControlFlow;

use homing_core::{State, Target, TransitionSystem};
use homing_engine::Interpreter;
use homing_promela::preprocess::Options;

use super::configurations::Fairness;
use super::judge::{Edge, Graph, Place, bit};
use super::lasso::Lasso;
use super::models::Kind;
use super::observer::Observer;

/// What is wrong with a trail as an error of fair runs, if anything; nothing about a model that is not judged. The values of dead
/// variables may be others before the first round of the cycle than after it.
pub fn complaint(text: &str, kind: Kind, fairness: Fairness, lasso: &Lasso) -> Option<String> {
    let complaint = complaint_of(text, kind, fairness, lasso)?;
    match lasso.unrolled() {
        Some(unrolled) if complaint == OPEN => complaint_of(text, kind, fairness, &unrolled),
        _ => Some(complaint),
    }
}

/// What is wrong with a trail whose cycle leads back to the state where it began.
fn complaint_of(text: &str, kind: Kind, fairness: Fairness, lasso: &Lasso) -> Option<String> {
    let mut model = homing_promela::read("model.pml", text.to_owned(), &Options::default()).model?;
    let observer = Observer::of_model(&mut model, kind)?;
    let interpreter = Interpreter::new(&model).ok()?;
    let mut run = Run { interpreter, states: Vec::new(), places: Vec::new() };
    run.states.push(run.interpreter.initial());
    let (lines, cycle) = lasso.program();
    let mut done = 0;
    let mut start = None;
    loop {
        if cycle == Some(done) && start.is_none() {
            start = Some(run.places.len());
        }
        match run.advance(&lines[done..]) {
            Some(0) => break,
            Some(statements) => done += statements,
            None => return Some(format!("no step executes the lines after the first {done}")),
        }
    }
    match (cycle, start) {
        (None, _) => {
            let ends = Graph::of_places(&run.finished(), &observer)?;
            (!ends.is_error.contains(&true)).then(|| "a finite run that is no error".to_owned())
        }
        (Some(_), None) => Some("the cycle begins inside a step".to_owned()),
        (Some(_), Some(start)) => match run.closed(start) {
            Ok(places) => {
                let graph = Graph::of_places(&places, &observer)?;
                let words = |fairness| if graph.is_violated(fairness) { "" } else { "the run is no error" };
                let (all, fair) = (words(Fairness::None), words(fairness));
                let complaint = if all.is_empty() && !fair.is_empty() { "the cycle is not fair" } else { fair };
                (!complaint.is_empty()).then(|| complaint.to_owned())
            }
            Err(complaint) => Some(complaint.to_owned()),
        },
    }
}

/// The complaint about a cycle that does not lead back to the state where it began.
const OPEN: &str = "the cycle does not close";

/// A run of a model.
struct Run<'m> {
    interpreter: Interpreter<'m>,
    /// The initial state, and that after each step.
    states: Vec<Box<State>>,
    /// All but the last state, each with the step that was taken.
    places: Vec<Place>,
}

impl Run<'_> {
    /// Executes the next step of a trail, given by numbers of processes and statements: how many lines it takes, none if
    /// there is no such step, and 0 at the end.
    fn advance(&mut self, lines: &[(u8, u32)]) -> Option<usize> {
        let state = self.states.last()?.clone();
        let (mut enabled, mut best): (u64, Option<(usize, Edge, Box<State>)>) = (0, None);
        self.interpreter.for_each_step_with(&state, |step, executed| {
            let Target::State(target) = step.target else { return ControlFlow::Continue(()) };
            enabled |= step.movers.first().map_or(0, |pid| bit(*pid));
            let own = executed.iter().map(|executed| (executed.pid, self.interpreter.trail_id(*executed)));
            let is_it = executed.len() <= lines.len() && own.eq(lines[..executed.len()].iter().copied());
            // of two ways through an atomic sequence, the longer one
            if is_it && best.as_ref().is_none_or(|(length, ..)| *length < executed.len()) {
                let movers = step.movers.iter().fold(0, |set, pid| set | bit(*pid));
                let edge = Edge { target: self.states.len(), movers, marks: 0, cost: u64::from(step.cost) };
                best = Some((executed.len(), edge, target.into()));
            }
            ControlFlow::Continue(())
        });
        let letter = self.interpreter.letter(&state).ok()?;
        let accepting = self.interpreter.labels(&state).accepting;
        let mut place = Place { letter, accepting, enabled, steps: Vec::new() };
        if lines.is_empty() {
            self.places.push(place);
            return Some(0);
        }
        let (length, edge, target) = best?;
        place.steps.push(edge);
        self.places.push(place);
        self.states.push(target);
        Some(length)
    }

    /// The places of a run that ends. The last one has a step to itself, so that the observer reads it as any other.
    fn finished(mut self) -> Vec<Place> {
        if let Some((at, place)) = self.places.iter_mut().enumerate().next_back() {
            place.steps.push(Edge { target: at, movers: 0, marks: 0, cost: 0 });
        }
        self.places
    }

    /// The places of a run whose cycle begins at a place; or why there is no cycle.
    fn closed(mut self, start: usize) -> Result<Vec<Place>, &'static str> {
        let end = self.states.len() - 1;
        if start == end {
            let moves = self.places[end].enabled != 0;
            return if moves { Err("nothing moves in the cycle, though something can") } else { Ok(self.places) };
        }
        if self.states[start] != self.states[end] {
            return Err(OPEN);
        }
        self.places.pop();
        if let Some(step) = self.places.last_mut().and_then(|place| place.steps.first_mut()) {
            step.target = start;
        }
        Ok(self.places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str =
        "bit x; active proctype A() { accept: do :: x = 1 - x od } active proctype B() { do :: x = x od }";

    fn judged(trail: &str, fairness: Fairness) -> String {
        complaint(TWO, Kind::Accept, fairness, &Lasso::parse(trail)).unwrap_or_default()
    }

    #[test]
    fn an_unfair_cycle() {
        let alone = "-1:-1:-1\n1:1:5\n";
        assert_eq!(judged(alone, Fairness::None), "");
        assert_eq!(judged(alone, Fairness::Weak), "the cycle is not fair");
        assert_eq!(judged("-1:-1:-1\n1:1:5\n2:0:0\n3:0:0\n", Fairness::Strong), "");
    }

    #[test]
    fn no_errors() {
        assert_eq!(judged("-1:-1:-1\n1:0:0\n", Fairness::None), "the cycle does not close");
        assert_eq!(judged("1:0:0\n-1:-1:-1\n", Fairness::None), "nothing moves in the cycle, though something can");
        assert_eq!(judged("1:0:0\n", Fairness::None), "a finite run that is no error");
        assert_eq!(judged("-1:-1:-1\n1:0:5\n", Fairness::None), "no step executes the lines after the first 0");
        let stays = Lasso::parse("-1:-1:-1\n1:1:5\n");
        let no_label = TWO.replace("accept:", "");
        let complaint = complaint(&no_label, Kind::Accept, Fairness::None, &stays);
        assert_eq!(complaint.as_deref(), Some("the run is no error"));
    }
}
