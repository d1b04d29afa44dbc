//! A replay as a sequence chart.

use std::collections::HashMap;
use std::path::Path;

use homing_check::model::{Ending, Played, PlayedStep, short_names};
use homing_core::ViolationKind;
use homing_engine::{Executed, MoveDescription, Transfer, TransferKind};
use homing_report::StoryStep;
use homing_report::chart::{Chart, Event, EventKind, Lane};

use super::Replay;
use crate::error::Error;
use crate::output::{Output, is_same_file};
use crate::trail;

/// The middle of a longer run is left out unless `--from` or `--to` selects steps.
const MOST_EVENTS: usize = 1000;

/// The width of files, and of a terminal that does not report its width.
const WIDTH: usize = 120;

impl Replay<'_, '_> {
    /// Draws the chart to the file, or to standard output for `-`: a picture if the name ends in `.svg`, else text.
    pub(super) fn chart(&self, file: &Path) -> Result<Ending, Error> {
        let mut drawing = Drawing::new(self);
        let played = self.playback.play(&self.shown.trail, |player, step| {
            let described = player.describe_move(step.happened);
            drawing.put(&step, &described);
        });
        let played = played.map_err(|broken| Error::Bug(format!("a trail does not replay twice: {broken}")))?;
        let chart = drawing.finish(&played);
        let picked = self.args.from.is_some() || self.args.to.is_some();
        let most = (!picked).then_some(MOST_EVENTS);
        let text = if has_extension(file, "svg") { chart.svg(most) } else { chart.text(width(file), most) };
        let mut output = Output::open(Some(file), &self.args.model.path)?;
        let _ = output.write(&text)?;
        output.finish()?;
        Ok(played.ending)
    }
}

/// Refuses a file for the chart that is not `-` and ends neither in `.svg` nor in `.txt`: most are the model or the trail, taken
/// for the value of `--chart`.
pub(super) fn refuse_other_files(file: &Path, model: &Path) -> Result<(), Error> {
    if file == Path::new("-") || has_extension(file, "svg") || has_extension(file, "txt") {
        return Ok(());
    }
    let path = file.to_owned();
    if is_same_file(file, model) {
        return Err(Error::Overwrite { path });
    }
    let is_trail = trail::read(file).is_ok_and(|found| !found.trail.entries.is_empty());
    Err(if is_trail { Error::OverwriteTrail { path } } else { Error::ChartFile { path } })
}

fn has_extension(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(extension))
}

fn width(file: &Path) -> usize {
    let terminal = if file == Path::new("-") { terminal_size::terminal_size() } else { None };
    terminal.map_or(WIDTH, |(width, _)| width.0 as usize)
}

/// A chart that is being built.
struct Drawing<'a, 'm> {
    replay: &'a Replay<'a, 'm>,
    chart: Chart,
    /// The lane of each process that exists.
    lane_of: Vec<usize>,
    /// The messages in each channel, by their numbers.
    queues: HashMap<i32, Vec<u64>>,
    messages: u64,
    files: Vec<String>,
}

impl<'a, 'm> Drawing<'a, 'm> {
    fn new(replay: &'a Replay<'a, 'm>) -> Self {
        let processes = replay.playback.initial_values().processes;
        let lanes: Vec<Lane> =
            processes.into_iter().map(|standing| Lane { name: standing.process, ..Lane::default() }).collect();
        let lane_of = (0..lanes.len()).collect();
        let title = replay.args.model.path.display().to_string();
        let files = short_names(&replay.playback.model().sources);
        let chart = Chart { title, lanes, ..Chart::default() };
        Drawing { replay, chart, lane_of, queues: HashMap::new(), messages: 0, files }
    }

    fn put(&mut self, step: &PlayedStep<'_>, described: &MoveDescription) {
        let Some(&first) = step.statements().first() else { return };
        let lane = self.lane_of[first.pid as usize];
        let is_shown = self.replay.is_shown(step.shown_number(0));
        let mut kinds: Vec<EventKind> = described.transfers.iter().map(|transfer| self.transfer(transfer)).collect();
        for (pid, name) in &described.started {
            self.lane_of.truncate(*pid as usize);
            self.lane_of.push(self.chart.lanes.len());
            kinds.push(EventKind::Run { lane: self.chart.lanes.len() });
            let born = is_shown.then_some(self.chart.events.len());
            self.chart.lanes.push(Lane { name: name.clone(), born, died: None });
        }
        if !described.ended.is_empty() {
            kinds.push(EventKind::End);
            self.chart.lanes[lane].died = is_shown.then_some(self.chart.events.len());
        }
        if kinds.is_empty() {
            kinds.push(EventKind::Local);
        }
        if is_shown {
            let events =
                kinds.into_iter().map(|kind| self.event(step.shown_number(0), lane, first, kind)).collect::<Vec<_>>();
            self.chart.events.extend(events);
        }
    }

    fn event(&self, step: usize, lane: usize, executed: Executed, kind: EventKind) -> Event {
        let StoryStep { place, statement, .. } = self.replay.playback.story_step(executed, &self.files);
        Event { step, lane, place: format!("{}:{}", place.file, place.line), text: statement, kind }
    }

    fn transfer(&mut self, transfer: &Transfer) -> EventKind {
        let Transfer { channel, name, message, kind, contents } = transfer;
        let queue = format!("{name}: {}", if contents.is_empty() { "empty" } else { contents });
        let held = self.queues.entry(*channel).or_default();
        match *kind {
            TransferKind::Handed { to } => {
                EventKind::Handshake { to: self.lane_of[to as usize], label: format!("{name}!{message}") }
            }
            TransferKind::Sent { slot } => {
                self.messages += 1;
                held.insert((slot as usize).min(held.len()), self.messages);
                EventKind::Send { message: self.messages, label: format!("{name}!{message}"), queue }
            }
            TransferKind::Received { slot, stays } => {
                let slot = slot as usize;
                let id = held.get(slot).copied().unwrap_or_default();
                if !stays && slot < held.len() {
                    held.remove(slot);
                }
                EventKind::Receive { message: id, label: format!("{name}?{message}"), queue, keeps: stays }
            }
        }
    }

    fn finish(mut self, played: &Played<'_, '_>) -> Chart {
        let length = self.replay.shown.statements.len();
        self.chart.verdict = match &played.ending {
            Ending::Violations(_) => played.ending.error().map(|violation| violation.message.clone()),
            Ending::Cycle { from, .. } => Some(format!("steps {from} to {length} repeat forever")),
            Ending::Claim => Some("the claim is violated".to_owned()),
            Ending::Open => None,
        };
        let is_stuck = played.ending.error().is_some_and(|error| error.kind == ViolationKind::InvalidEndState);
        let waiting = if is_stuck { played.player.waiting() } else { Vec::new() };
        for waiting in waiting.iter().filter(|waiting| !waiting.may_end) {
            let statements: Vec<&str> = waiting.statements.iter().map(|blocked| blocked.text.as_str()).collect();
            self.chart.blocked.push((self.lane_of[waiting.pid as usize], statements.join(", ")));
        }
        self.chart
    }
}
