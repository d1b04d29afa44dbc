//! A path to an error, executed again before it is reported.

use std::collections::HashSet;
use std::path::PathBuf;

use homing_core::{Path, SourcePlace, TransitionSystem, Violation};
use homing_engine::{Executed, Interpreter, Player, Replay, ReplayError, StepIndex};
use homing_ir::{Lengths, Model};
use homing_report::{Story, Trail};

use super::final_state;
use super::play::{Ending, PlayedStep, play};
use super::reordered::{Order, Reordered, entries, reorder};
use super::story::Narrator;
use super::why::{Why, Witness};

/// A path to an error that was executed twice more, as found and as its trail is shown, and ended in the same error
/// each time.
#[derive(Debug)]
pub struct Counterexample {
    /// The error at its end.
    pub violation: Violation,
    /// Of a violated invariant: the last statement, with its process. Without it the invariant holds.
    pub violated_by: Option<(SourcePlace, String)>,
    /// The length in statements, or in what else is counted.
    pub length: u32,
    /// What the length counts.
    pub unit: LengthUnit,
    /// The length as SPIN counts it with statement merging: a merged chain counts once.
    pub merged_length: usize,
    /// Transitions of the state graph.
    pub moves: usize,
    /// No path to an error has fewer statements; this is proved.
    pub shortest: bool,
    /// No path to an error has fewer statements than this, if that is known of a path that is not proved shortest.
    pub at_least: Option<u32>,
    /// Of a lasso: its cycle.
    pub cycle: Option<Cycle>,
    /// The trail in the order of the search.
    pub trail: Trail,
    /// The trail in the order in which it is shown.
    pub shown: Reordered,
    /// The cause of the error.
    pub why: Why,
    /// The steps with the values that they changed.
    pub story: Story,
    /// The values in the last state, as lines of text.
    pub last: Vec<String>,
    /// The values in the last state that differ from those in the initial state.
    pub last_changed: Vec<String>,
    /// The file that the trail was written to.
    pub file: Option<PathBuf>,
}

/// What the length of a path counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LengthUnit {
    /// Statements of a model.
    #[default]
    Statements,
    /// Transitions of a labelled transition system, or of a network of automata: a synchronisation is one.
    Transitions,
}

impl LengthUnit {
    /// What the lengths of runs of a model count.
    pub fn of(model: &Model) -> Self {
        if model.features.network { LengthUnit::Transitions } else { LengthUnit::Statements }
    }

    /// The word for one of them.
    pub fn word(self) -> &'static str {
        match self {
            LengthUnit::Statements => "statement",
            LengthUnit::Transitions => "transition",
        }
    }
}

/// The cycle of a lasso.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// How many statements come before it.
    pub start: usize,
    /// How many statements the same run takes before and in the cycle if what the claim does is left aside, in case they are
    /// fewer: the cycle may begin earlier, or have several equal rounds.
    pub folded: Option<usize>,
    /// The processes that do not move in it.
    pub left_out: Vec<LeftOut>,
    /// The propositions of the property, each with where in the cycle it holds.
    pub propositions: Vec<(String, Share)>,
    /// The variables that have other values after each round. Nothing reads them, so that the cycle can be repeated for ever.
    pub unread: Vec<String>,
}

/// A process that does not move in a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Such as `Phil(2)`.
    pub process: String,
    /// In which of its states the process can move. If in all, weak fairness excludes the cycle; if in some, strong fairness does.
    pub can_move: Share,
}

/// In which states of a cycle something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// In all.
    All,
    /// In some, not in all.
    Some,
    /// In none.
    None,
}

impl Share {
    /// Those of `count` states in which it holds.
    pub fn of(holds: usize, count: usize) -> Self {
        match holds {
            0 => Share::None,
            all if all == count => Share::All,
            _ => Share::Some,
        }
    }
}

impl Counterexample {
    /// Whether it is a cycle that closes only if variables that nothing reads are left aside.
    pub(super) fn leaves_unread_aside(&self) -> bool {
        self.cycle.as_ref().is_some_and(|cycle| !cycle.unread.is_empty())
    }

    /// Where the error is; of a violated invariant, the statement that violated it.
    pub fn place(&self) -> Option<&SourcePlace> {
        self.violation.place.as_ref().or(self.violated_by.as_ref().map(|(place, _)| place))
    }

    /// The process in which the error is; of a violated invariant, the one that violated it.
    pub fn process(&self) -> Option<&str> {
        self.violation.process.as_deref().or(self.violated_by.as_ref().map(|(_, process)| process.as_str()))
    }

    /// Executes the path again and collects what is reported about it, or says how the second execution differs. The
    /// path belongs to the model that was searched, which may be a reduced copy; the result is a run of the original.
    pub(super) fn confirmed(
        path: Path<StepIndex>,
        searched: &Interpreter<'_>,
        interpreter: &Interpreter<'_>,
        lengths: Lengths,
    ) -> Result<Self, String> {
        let unit = LengthUnit::of(searched.model());
        let replay = agreeing(&path, searched.replay(&path.actions), lengths, unit)?;
        let broken = path.violation.is_of_invariant();
        let invariant = interpreter.model().invariants.iter().map(|invariant| invariant.text.clone()).find(|_| broken);
        let (query, invariant) = match unit {
            LengthUnit::Transitions => (invariant, None),
            LengthUnit::Statements => (None, invariant),
        };
        let trail = Trail { entries: entries(interpreter, &replay.statements), invariant, query, ..Trail::default() };
        drop(replay);
        let shortest = path.shortest && lengths == Lengths::Exact;
        Ok(Counterexample {
            shortest: shortest || trail.entries.is_empty(),
            ..Self::of_trail(trail, path.violation, interpreter)?
        })
    }

    /// Executes a trail to an error and collects what is reported about it, or says how the execution differs.
    pub(super) fn of_trail(trail: Trail, violation: Violation, interpreter: &Interpreter<'_>) -> Result<Self, String> {
        let shown = reorder(interpreter, &trail, Order::FewSwitches)
            .map_err(|broken| format!("its trail does not replay: {broken}"))?;
        let (mut witness, mut narrator) =
            (Witness::default(), Narrator::new(interpreter.model(), shown.statements.len(), None));
        let see = |player: &Player<'_, '_>, step: PlayedStep<'_>| {
            witness.see(player, &step);
            narrator.see(player, &step);
        };
        let played =
            play(interpreter, &shown.trail, see).map_err(|broken| format!("its trail does not replay: {broken}"))?;
        match &played.ending {
            Ending::Violations(all) if all.contains(&violation) => {}
            ending => return Err(format!("its trail ends in {ending:?}, not in \"{violation}\"")),
        }
        let why = witness.why(&played.player, Some(&violation));
        let unit = LengthUnit::of(interpreter.model());
        let initial = interpreter.description(&interpreter.initial());
        let violated_by = shown.statements.last().filter(|_| violation.is_of_invariant()).map(|executed| {
            let place = interpreter.source_place(interpreter.statement(*executed).place);
            (place, interpreter.actor(*executed))
        });
        Ok(Counterexample {
            violation,
            violated_by,
            length: if unit == LengthUnit::Transitions { shown.moves } else { trail.entries.len() } as u32,
            unit,
            merged_length: merged_length(interpreter.model(), &shown.statements),
            moves: shown.moves,
            cycle: None,
            shortest: trail.entries.is_empty(),
            at_least: None,
            trail,
            shown,
            story: narrator.finish(&why.steps),
            last: interpreter.describe(played.player.state()),
            last_changed: final_state::changed(&initial, &played.last_values()),
            why,
            file: None,
        })
    }

    /// An error in the initial state: no path is shorter.
    pub fn at_the_start(violation: Violation) -> Self {
        Counterexample {
            violation,
            violated_by: None,
            length: 0,
            unit: LengthUnit::Statements,
            merged_length: 0,
            moves: 0,
            shortest: true,
            at_least: None,
            cycle: None,
            trail: Trail::default(),
            shown: Reordered::default(),
            why: Why::default(),
            story: Story::default(),
            last: Vec::new(),
            last_changed: Vec::new(),
            file: None,
        }
    }
}

/// The number of steps that SPIN writes into a trail of these statements with statement merging: absorbed statements
/// belong to the step of the statement that absorbs them, wherever they stand.
fn merged_length(model: &Model, statements: &[Executed]) -> usize {
    let mut absorbed = [0; 256]; // by process: statements that still belong to its last step
    let mut length = 0;
    for executed in statements {
        let left = &mut absorbed[usize::from(executed.pid)];
        if *left > 0 {
            *left -= 1;
            continue;
        }
        length += 1;
        *left = model.proctype(executed.proctype).automaton.absorbed(executed.statement).count();
    }
    length
}

/// File names without their folders if they stay distinct: a path repeats them in every line.
pub fn short_names(sources: &[String]) -> Vec<String> {
    let short: Vec<String> = sources
        .iter()
        .map(|name| std::path::Path::new(name).file_name().map_or(name.clone(), |short| short.display().to_string()))
        .collect();
    let distinct = sources.iter().collect::<HashSet<_>>().len() == short.iter().collect::<HashSet<_>>().len();
    if distinct { short } else { sources.to_vec() }
}

/// The replay if it agrees with the path.
fn agreeing(
    path: &Path<StepIndex>,
    replay: Result<Replay, ReplayError>,
    lengths: Lengths,
    unit: LengthUnit,
) -> Result<Replay, String> {
    let replay = replay.map_err(|ReplayError { step, reason }| {
        format!("the path to \"{}\" cannot be executed again: step {}: {reason}", path.violation, step + 1)
    })?;
    if replay.violation != path.violation {
        return Err(format!(
            "the path to \"{}\" ends in \"{}\" when it is executed again",
            path.violation, replay.violation
        ));
    }
    let length = match unit {
        LengthUnit::Statements => replay.statements.len(),
        LengthUnit::Transitions => replay.cost as usize,
    };
    let agrees = match lengths {
        Lengths::Exact => length == path.length as usize,
        Lengths::Bounds => length <= path.length as usize,
    };
    if !agrees {
        return Err(format!(
            "the path to \"{}\" has {length} {}s when it is executed again, not {}",
            path.violation,
            unit.word(),
            path.length
        ));
    }
    Ok(replay)
}

#[cfg(test)]
mod tests {
    use homing_core::ViolationKind;
    use homing_ir::{ProctypeId, StatementId};

    use super::*;

    fn violation(message: &str) -> Violation {
        Violation { kind: ViolationKind::Assertion, message: message.to_owned(), place: None, process: None }
    }

    fn replay(message: &str, statements: usize) -> Replay {
        let executed = Executed { pid: 0, proctype: ProctypeId(0), statement: StatementId(0) };
        let statements = vec![executed; statements];
        Replay { cost: 1, statements, violation: violation(message), last: Box::new([]) }
    }

    #[test]
    fn folders_are_left_out_where_nothing_is_lost() {
        let names = |all: &[&str]| short_names(&all.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(names(&["a/m.pml", "b/x.h", "a/m.pml"]), ["m.pml", "x.h", "m.pml"]);
        assert_eq!(names(&["a/m.pml", "b/m.pml"]), ["a/m.pml", "b/m.pml"]);
        assert_eq!(names(&["<stdin>"]), ["<stdin>"]);
    }

    #[test]
    fn only_the_same_error_after_as_many_statements_is_confirmed() {
        let path = Path { shortest: true, ..Path::finite(vec![StepIndex(0)], 2, violation("x < 3")) };
        let statements = LengthUnit::Statements;
        assert!(agreeing(&path, Ok(replay("x < 3", 2)), Lengths::Exact, statements).is_ok());
        assert!(agreeing(&path, Ok(replay("x < 3", 1)), Lengths::Bounds, statements).is_ok());
        assert!(agreeing(&path, Ok(replay("x < 3", 2)), Lengths::Exact, LengthUnit::Transitions).is_err());
        let refused = |replay| agreeing(&path, replay, Lengths::Exact, statements).expect_err("a bug");
        assert!(refused(Ok(replay("x < 4", 2))).contains("ends in \"x < 4\""));
        assert!(refused(Ok(replay("x < 3", 3))).contains("has 3 statements when it is executed again, not 2"));
        let error = ReplayError { step: 0, reason: "not enabled".to_owned() };
        assert!(refused(Err(error)).contains("step 1: not enabled"));
    }
}
