//! The state graph of a small model, for drawings.

use std::ops::ControlFlow;

use homing_core::{End, Fork, Limit, Limits, State, StateId, Stop, Target, TransitionSystem, Unwatched};
use homing_report::{DrawnState, DrawnStep, EdgeTarget, Highlight, StateSpace};
use homing_search::{Objective, OnError, Reduction, bfs};
use homing_store::{ExactStore, LoadById, Store};

use super::playback::{Highlighted, Playback};

/// All reachable states of a model.
pub struct StateGraph<'e, 'm> {
    playback: &'e Playback<'m>,
    store: ExactStore,
}

/// Why the states of a model were not all found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooLarge {
    /// The memory is full.
    Memory {
        /// The number of states that were found.
        states: u64,
    },
    /// Another limit was reached.
    States {
        /// The number of states that were found.
        states: u64,
    },
}

impl<'e, 'm> StateGraph<'e, 'm> {
    /// Finds all states; a step that was cut off can be drawn.
    pub(super) fn explore(playback: &'e Playback<'m>, limits: &Limits) -> Result<Self, TooLarge> {
        let engine = &playback.engine;
        let mut store = ExactStore::new(engine.hidden_prefix());
        let outcome = bfs::search(
            &mut [engine.fork()],
            &Objective::new(|_| false, OnError::Count, limits),
            Reduction::None,
            &mut store,
            &mut Unwatched,
        );
        let states = store.len();
        match outcome.end {
            End::Exhausted | End::Found | End::Stopped(Stop::Limit(Limit::CutOff)) => {
                Ok(StateGraph { playback, store })
            }
            End::Stopped(Stop::Limit(Limit::Memory)) => Err(TooLarge::Memory { states }),
            End::Stopped(_) => Err(TooLarge::States { states }),
        }
    }

    /// Draws state by state, for Graphviz. Each piece goes to `write` at once, until that breaks off: the text takes more memory than
    /// the states.
    pub fn draw<E>(
        &self,
        highlighted: &Highlighted,
        mut write: impl FnMut(&str) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let (engine, files) = (&self.playback.engine, &self.playback.model().sources);
        let known = |state: &State| self.store.id_of(state).map(|id| id.0);
        let states = highlighted.states.iter().filter_map(|state| known(state)).collect();
        let highlight = Highlight { states, error: highlighted.error.clone() };
        let mut drawing = StateSpace::begin(engine.description(&engine.initial()), highlight);
        let mut state = Vec::new();
        for number in 0..self.store.len() as u32 {
            LoadById::load(&self.store, &mut (), StateId(number), &mut state);
            let mut steps = Vec::new();
            engine.for_each_step_with(&state, |step, statements| {
                let target = match step.target {
                    Target::State(target) => EdgeTarget::State(known(target).expect("every state was found before")),
                    Target::Violation(violation) => EdgeTarget::Error(violation),
                    Target::CutOff => EdgeTarget::CutOff,
                };
                let length = statements.len();
                let statements = statements.iter().take(DrawnStep::MOST);
                let statements = statements.map(|executed| self.playback.story_step(*executed, files)).collect();
                steps.push(DrawnStep { statements, length, target });
                ControlFlow::Continue(())
            });
            drawing.draw(&DrawnState { number, description: engine.description(&state), steps });
            if write(&drawing.take())?.is_break() {
                return Ok(());
            }
        }
        let _ = write(&drawing.end())?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use homing_ir::Model;
    use homing_report::AutomatonId;

    use super::*;
    use crate::model::{Decider, Interrupt, ModelReduction, Options, Safety, SearchTask};

    const DETOUR: &str = "\
byte x;
active proctype P() {
	do
	:: atomic { x < 4 -> x++ }
	:: x == 2 -> assert(false)
	od
}
";

    fn model(text: &str) -> Model {
        let options = homing_promela::preprocess::Options::default();
        homing_promela::read("m.pml", text.to_owned(), &options).model.expect("a model")
    }

    /// A shortest path to an error.
    fn path(model: &Model) -> Highlighted {
        let task = SearchTask::new(model.clone(), Safety::All, ModelReduction::None);
        let result = Decider::new(Options::default(), &Interrupt::default()).decide("safety", &task, None);
        let trail = result.expect("a result").counterexample.expect("an error").trail;
        Playback::new(model).expect("an initial state").highlight(&trail).expect("a trail of the model")
    }

    fn drawn(model: &Model, highlighted: &Highlighted, mut write: impl FnMut(&str) -> ControlFlow<()>) {
        let playback = Playback::new(model).expect("an initial state");
        let limits = Limits { max_states: Some(100), ..Limits::default() };
        let graph = playback.state_graph(&limits).unwrap_or_else(|_| panic!("few states"));
        let Ok(()) = graph.draw(highlighted, |piece| Ok::<_, Infallible>(write(piece)));
    }

    /// The nodes and edges that are drawn bold.
    fn highlighted(drawn: &str) -> Vec<&str> {
        let bold = drawn.lines().filter(|line| line.contains("penwidth=\"3\""));
        bold.filter_map(|line| line.trim().split(" [").next()).collect()
    }

    #[test]
    fn a_trail_is_highlighted_among_the_states() {
        let model = model(DETOUR);
        let mut path = path(&model);
        path.states.insert(1, Box::new([0xff; 7])); // inside an atomic sequence: no state of its own
        let mut text = String::new();
        drawn(&model, &path, |piece| {
            text += piece;
            ControlFlow::Continue(())
        });
        let path = ["s0", "s0 -> s1", "s1", "s1 -> s2", "s2", "s2 -> s4", "s4", "s4 -> error0"];
        assert_eq!(highlighted(&text), path, "{text}");
    }

    #[test]
    fn a_trail_is_highlighted_in_the_automata() {
        let model = model(DETOUR);
        let text = homing_report::automata(&model, &AutomatonId::all(&model), &path(&model).statements);
        let edges = highlighted(&text).into_iter().filter(|bold| bold.contains("->")).count();
        assert_eq!(edges, 4, "two options of the loop, the statement after each\n{text}");
    }

    #[test]
    fn a_drawing_ends_when_the_pipe_is_closed() {
        let mut pieces = 0;
        drawn(&model(DETOUR), &Highlighted::default(), |_| {
            pieces += 1;
            ControlFlow::Break(())
        });
        assert_eq!(pieces, 1);
    }
}
