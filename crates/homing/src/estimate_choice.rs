//! Chooses the estimate that directs a search, by the options.

use std::path::Path;

use homing_check::Search as Algorithm;
use homing_check::model::{Guidance, Playback, SearchTask};
use homing_core::State;
use homing_heuristics::{Combine, Heuristic as Kind};

use crate::cli::{Heuristic, Search, SearchArgs, Switch};
use crate::error::{Error, MissingMacros};
use crate::option_conflict::OptionConflict;
use crate::trail;

/// What directs the search; `goal` is the [goal](goal) of the heuristics that have one.
pub fn guidance<'a>(
    options: &SearchArgs,
    asked: Heuristic,
    algorithm: Algorithm,
    goal: Option<&'a State>,
) -> Result<Guidance<'a>, OptionConflict> {
    let combine = options.combine.unwrap_or(Combine::Sum);
    if asked != Heuristic::Auto && !algorithm.is_directed() {
        return Err(OptionConflict::Undirected(asked.name(), algorithm.name()));
    }
    let goal = goal.unwrap_or_default();
    Ok(match asked {
        Heuristic::Auto => Guidance::Auto(combine),
        Heuristic::None => Guidance::None,
        Heuristic::Formula => Guidance::By(Kind::Formula(combine)),
        Heuristic::Active => Guidance::By(Kind::Active),
        Heuristic::Nearest => Guidance::By(Kind::Nearest(combine)),
        Heuristic::Deadlock => Guidance::By(Kind::Deadlock(combine)),
        Heuristic::FsmMax => Guidance::By(Kind::FsmMax),
        Heuristic::FsmSum => Guidance::By(Kind::FsmSum),
        Heuristic::Abstraction => Guidance::Abstraction { bound: options.bound },
        Heuristic::Messages => Guidance::By(Kind::Messages),
        Heuristic::Hamming => Guidance::By(Kind::Hamming(goal)),
        Heuristic::Trail => Guidance::By(Kind::Trail(goal)),
    })
}

/// Refuses options that the search or the heuristic does not use.
pub fn refuse_idle(options: &SearchArgs, search: Search, heuristic: Heuristic) -> Result<(), OptionConflict> {
    let is_weighted = matches!(search, Search::AStar | Search::Ida);
    let is_directed =
        is_weighted || matches!(search, Search::Auto | Search::BestFirst | Search::AStarIndfs | Search::Beam);
    let has_width = matches!(search, Search::Highway | Search::HighwayExact | Search::Beam);
    let combines = is_directed
        && matches!(heuristic, Heuristic::Auto | Heuristic::Formula | Heuristic::Nearest | Heuristic::Deadlock);
    let abstracts = is_directed && heuristic == Heuristic::Abstraction;
    let has_goal = is_directed && matches!(heuristic, Heuristic::Hamming | Heuristic::Trail);
    let is_breadth_first = matches!(search, Search::Auto | Search::Bfs);
    let keeps_lengths =
        matches!(search, Search::BestFirst | Search::AStar | Search::Ida | Search::Dfs | Search::Stateless);
    let may_reduce = is_breadth_first
        || keeps_lengths
        || matches!(search, Search::Scc | Search::Ndfs | Search::Indfs | Search::AStarIndfs);
    let no_depth = options.max_depth.is_none() || keeps_lengths;
    let is_on = |switch: Option<Switch>| switch == Some(Switch::On);
    let by_search = format!("--search {}", search.name());
    let by_heuristic = if is_directed { format!("--heuristic {}", heuristic.name()) } else { by_search.clone() };
    for (is_given, is_used, option, given, applies_to) in [
        (options.weight.is_some(), is_weighted, "--weight", by_search.clone(), "astar and ida"),
        (options.width.is_some(), has_width, "--width", by_search.clone(), "highway, highway-exact and beam"),
        (
            options.combine.is_some(),
            combines,
            "--combine",
            by_heuristic.clone(),
            "--heuristic formula, nearest and deadlock",
        ),
        (options.bound.is_some(), abstracts, "--bound", by_heuristic.clone(), "--heuristic abstraction"),
        (options.toward.is_some(), has_goal, "--toward", by_heuristic, "--heuristic hamming and trail"),
        (is_on(options.sleep_sets), is_breadth_first, "--sleep-sets on", by_search.clone(), "--search auto and bfs"),
        (is_on(options.por), may_reduce, "--por on", by_search, "searches that are not random"),
        (is_on(options.por), !options.plain, "--por on", "--plain".to_owned(), "searches with reductions"),
        (
            is_on(options.por),
            no_depth,
            "--por on",
            "--max-depth".to_owned(),
            "best-first, astar, ida, dfs and stateless, or searches without a limit on depth",
        ),
    ] {
        if is_given && !is_used {
            return Err(OptionConflict::Idle { option, given, applies_to });
        }
    }
    Ok(())
}

/// The goal of `hamming` and `trail`, which other heuristics do not have: the last state of the trail given by `--toward`.
/// `model` is the file of the model, next to which the trail is expected.
pub fn goal(
    options: &SearchArgs,
    model: &Path,
    asked: Heuristic,
    algorithm: Algorithm,
    task: &SearchTask,
) -> Result<Option<Box<State>>, Error> {
    if !matches!(asked, Heuristic::Hamming | Heuristic::Trail) || !algorithm.is_directed() {
        return Ok(None);
    }
    // without an initial state there is nothing to search
    let Ok(playback) = Playback::new(&task.model) else { return Ok(None) };
    let path = options.toward.clone().unwrap_or_else(|| trail::beside(model));
    let file = trail::read(&path)?;
    let last = playback.last_state(&file.trail);
    last.map(Some).map_err(|broken| Error::TrailMismatch {
        path,
        broken: Box::new(broken),
        stale: false,
        macros: MissingMacros::default(),
    })
}
