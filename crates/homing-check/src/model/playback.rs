//! A model whose runs are played: the service behind replay, simulation and drawings.

use std::collections::BTreeSet;

use homing_core::{Description, Limits, State, TransitionSystem, Violation};
use homing_engine::{Executed, Interpreter, Player};
use homing_ir::{Formula, Model};
use homing_report::{Entry, StoryStep, Trail};

use super::play::{Broken, Played, PlayedStep, play};
use super::reordered::{Order, Reordered, entries, reorder};
use super::simulator::Simulator;
use super::state_graph::{StateGraph, TooLarge};
use super::story::story_step;
use super::why::Witness;

/// A model whose runs are played.
///
/// ```
/// use homing_check::model::{Ending, Playback};
///
/// let text = "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> assert(false) od }".to_owned();
/// let model = homing_promela::read("m.pml", text, &Default::default()).model.expect("a model");
/// let playback = Playback::new(&model).expect("an initial state");
/// let mut run = playback.simulate(1);
/// while run.ending() == Ending::Open && run.random_step().is_some() {}
/// assert_eq!(run.length(), 8);
///
/// let trail = run.trail();
/// let played = playback.play(&trail, |_, _| ()).expect("the trail belongs to the model");
/// assert!(played.ending.error().is_some_and(|error| error.message.contains("assertion")));
/// ```
pub struct Playback<'m> {
    pub(super) engine: Interpreter<'m>,
}

/// What a drawing highlights: the parts of the model that a run passes.
#[derive(Clone, Debug, Default)]
pub struct Highlighted {
    /// The numbers of its statements, as in trails.
    pub statements: BTreeSet<u32>,
    /// The states between its steps, from the initial one on.
    pub states: Vec<Box<State>>,
    /// The error at its end.
    pub error: Option<Violation>,
}

impl<'m> Playback<'m> {
    /// Fails if the initial state cannot be computed.
    pub fn new(model: &'m Model) -> Result<Self, Violation> {
        Interpreter::new(model).map(|engine| Playback { engine })
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.engine.model()
    }

    /// Plays a trail from the initial state and calls `visit` after each step. A run that ends without an error is not refused here.
    pub fn play<'e>(
        &'e self,
        trail: &Trail,
        visit: impl FnMut(&Player<'e, 'm>, PlayedStep<'_>),
    ) -> Result<Played<'e, 'm>, Broken> {
        play(&self.engine, trail, visit)
    }

    /// Follows a run that is played from the start, to explain its end; a formula that it violates, too.
    pub fn witness(&self, formula: Option<&Formula>) -> Witness {
        formula.map_or_else(Witness::default, |formula| Witness::of_formula(formula, &Player::new(&self.engine)))
    }

    /// Plays a trail and, for few switches, reorders independent moves. The new order is played too and must have the same length and
    /// ending; otherwise, and with a claim or a cycle, the order of the trail is kept.
    pub fn reorder(&self, trail: &Trail, order: Order) -> Result<Reordered, Broken> {
        reorder(&self.engine, trail, order)
    }

    /// Plays a trail and collects what a drawing highlights of it.
    pub fn highlight(&self, trail: &Trail) -> Result<Highlighted, Broken> {
        let mut drawn = Highlighted { states: vec![self.engine.initial()], ..Highlighted::default() };
        let played = self.play(trail, |player, step| {
            drawn.statements.extend(step.statements().iter().map(|executed| self.trail_id(*executed)));
            if step.happened.violations.is_empty() {
                drawn.states.push(player.state().into()); // a step that fails leads to the error, not to a state
            }
        })?;
        drawn.error = played.ending.error().cloned();
        Ok(drawn)
    }

    /// The last state of a trail.
    pub fn last_state(&self, trail: &Trail) -> Result<Box<State>, Broken> {
        Ok(self.play(trail, |_, _| ())?.player.state().into())
    }

    /// A run that begins in the initial state; random moves are chosen by the seed.
    pub fn simulate(&self, seed: u64) -> Simulator<'_, 'm> {
        Simulator::new(self, seed)
    }

    /// Finds all reachable states.
    pub fn state_graph(&self, limits: &Limits) -> Result<StateGraph<'_, 'm>, TooLarge> {
        StateGraph::explore(self, limits)
    }

    /// The values in the initial state.
    pub fn initial_values(&self) -> Description {
        self.engine.description(&self.engine.initial())
    }

    /// An executed statement as a step of a story; `files` are the names of the sources of the model.
    pub fn story_step(&self, executed: Executed, files: &[String]) -> StoryStep {
        story_step(&self.engine, executed, files)
    }

    /// The number of a statement in trails.
    pub fn trail_id(&self, executed: Executed) -> u32 {
        self.engine.trail_id(executed)
    }

    /// Executed statements as lines of a trail.
    pub fn entries(&self, statements: &[Executed]) -> Vec<Entry> {
        entries(&self.engine, statements)
    }
}
