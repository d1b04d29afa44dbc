//! `homing replay`: plays a trail step by step.

mod chart;
mod follow;
mod json;
mod text;

use std::path::Path;

use homing_check::model::{Broken, Ending, Order, Playback, Reordered};
use homing_core::ViolationKind;
use homing_ir::Formula;
use homing_report::Trail;

use crate::cli::{ModelArgs, ReplayArgs};
use crate::console::Console;
use crate::decide;
use crate::error::{Error, MissingMacros};
use crate::exit::Exit;
use crate::input::{self, Loaded};
use crate::interrupt;
use crate::lts;
use crate::network;
use crate::trail::{self, Header};
use follow::Follow;

pub fn run(args: &ReplayArgs, console: &Console) -> Result<Exit, Error> {
    interrupt::end_at_once();
    if lts::is_lts(&args.model.path, args.model.reading.input) {
        return lts::replay(args, console);
    }
    args.chart.iter().try_for_each(|file| chart::refuse_other_files(file, &args.model.path))?;
    let path = args.trail.clone().unwrap_or_else(|| trail::beside(&args.model.path));
    let file = trail::read(&path);
    let written_with = file.as_ref().ok().and_then(|file| file.header.as_ref()).map(|header| &header.defines[..]);
    let reading = args.model.reading.clone().or_defines(written_with.unwrap_or_default());
    let named = ModelArgs { path: args.model.path.clone(), reading };
    // the property of the trail may name macros
    let names: Vec<String> = named.reading.define.iter().map(|(name, _)| name.clone()).collect();
    let loaded = input::load(&named, args.quiet, &names, console)?;
    let file = file?;
    let invariant = file.trail.invariant.as_ref();
    let invariant = invariant.map(|text| decide::invariant(&loaded, &named.reading, text)).transpose()?;
    let violated = file.trail.formula.as_ref();
    let formula = violated.and_then(|text| decide::formula_named(&loaded, &named.reading, text));
    let query = file.trail.query.as_ref().map(|text| network::query(&loaded, text)).transpose()?;
    let is_given = !named.reading.define.is_empty() || file.header.is_some();
    let macros = if is_given { MissingMacros::default() } else { MissingMacros::of(&loaded.source.text) };
    let Loaded { mut model, hash, .. } = loaded;
    for asked in invariant.into_iter().chain(query) {
        model.add_invariant(asked);
    }
    let stale = is_stale(file.header.as_ref(), &hash);
    if stale && !args.quiet {
        console
            .error(&format!("{} was written for a different version of the model; replaying anyway", path.display()));
    }
    let misfit = |broken: Broken| {
        let (path, broken, macros) = (path.clone(), Box::new(broken), macros.clone());
        Error::TrailMismatch { path, broken, stale, macros }
    };
    let follow = Follow::new(&args.values, &model)?;
    let playback = match Playback::new(&model) {
        Ok(playback) => playback,
        // the initial values fail: the trail is empty, and so is the run
        Err(violation) if file.trail.entries.is_empty() => {
            let text = if args.json { json::failed_start(args, &path, &violation) } else { format!("{violation}\n") };
            console.result(&text)?;
            return Ok(Exit::Violated);
        }
        Err(violation) => return Err(Error::NoStart { message: violation.message }),
    };
    follow.refuse_absent(&playback, &file.trail)?;
    let order = if args.as_found { Order::AsFound } else { Order::FewSwitches };
    let shown = playback.reorder(&file.trail, order).map_err(misfit)?;
    let replay = Replay { args, console, playback: &playback, shown: &shown, follow, trail: &path, formula };
    let ending = match &args.chart {
        Some(file) => replay.chart(file)?,
        None if args.json => replay.json()?,
        None => replay.text()?,
    };
    let step = shown.statements.len();
    judge(&ending, &file.trail).ok_or(Error::Unfinished { path, step, macros })
}

fn is_stale(header: Option<&Header>, hash: &str) -> bool {
    header.is_some_and(|header| header.model_hash != hash)
}

/// The exit code; none if the trail ends without an error and does not state that.
fn judge(ending: &Ending, trail: &Trail) -> Option<Exit> {
    match ending {
        Ending::Violations(_) if is_witness(ending, trail) => Some(Exit::Holds),
        Ending::Violations(_) | Ending::Cycle { .. } | Ending::Claim => Some(Exit::Violated),
        Ending::Open if trail.unfinished => Some(Exit::Holds),
        Ending::Open => None,
    }
}

/// Whether the run ends in a state that a query of a network asks for.
fn is_witness(ending: &Ending, trail: &Trail) -> bool {
    let decides = ending.error().is_some_and(|error| error.kind == ViolationKind::Invariant);
    decides && trail.query.as_ref().is_some_and(|query| query.starts_with('E'))
}

/// A trail that matches the model, with the options of its display.
struct Replay<'a, 'm> {
    args: &'a ReplayArgs,
    console: &'a Console,
    playback: &'a Playback<'m>,
    shown: &'a Reordered,
    follow: Follow,
    trail: &'a Path,
    /// The formula that the run violates, if the trail names one.
    formula: Option<Formula>,
}

impl Replay<'_, '_> {
    /// Whether a step is between `--from` and `--to`.
    fn is_shown(&self, number: usize) -> bool {
        self.args.from.is_none_or(|from| number >= from) && self.args.to.is_none_or(|to| number <= to)
    }
}
