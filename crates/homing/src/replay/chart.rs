//! A replay as a sequence chart.

use std::collections::HashMap;
use std::path::Path;

use homing_check::model::{Ending, Played, PlayedStep, short_names};
use homing_core::{Violation, ViolationKind};
use homing_engine::{Change, Executed, MoveDescription, Transfer, TransferKind};
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
        let text = if has_extension(file, "svg") { chart.svg(most) } else { chart.text(self.width(file), most) };
        let mut output = Output::open(Some(file), &self.args.model.path)?;
        let _ = output.write(&text)?;
        output.finish()?;
        Ok(played.ending)
    }

    fn width(&self, file: &Path) -> usize {
        let look = self.console.look;
        look.width.filter(|_| file == Path::new("-")).unwrap_or(WIDTH)
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
    /// What `init` has done before any other process moved: only the processes that it starts are drawn.
    set_up: Vec<Event>,
    is_set_up: bool,
}

/// So many steps of a set-up are drawn as one.
const LEAST_SET_UP: usize = 3;

impl<'a, 'm> Drawing<'a, 'm> {
    fn new(replay: &'a Replay<'a, 'm>) -> Self {
        let processes = replay.playback.initial_values().processes;
        let lanes: Vec<Lane> =
            processes.into_iter().map(|standing| Lane { name: standing.process, ..Lane::default() }).collect();
        let lane_of = (0..lanes.len()).collect();
        let title = replay.args.model.path.display().to_string();
        let files = short_names(&replay.playback.model().sources);
        let chart = Chart { title, lanes, ..Chart::default() };
        let (queues, set_up) = (HashMap::new(), Vec::new());
        Drawing { replay, chart, lane_of, queues, messages: 0, files, set_up, is_set_up: true }
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
            self.chart.lanes.push(Lane { name: name.clone(), born: None, died: None });
        }
        if !described.ended.is_empty() {
            kinds.push(EventKind::End);
        }
        if kinds.is_empty() {
            kinds.push(EventKind::Local);
        }
        let is_set_up = |kind: &EventKind| matches!(kind, EventKind::Local | EventKind::Run { .. });
        let is_init = self.chart.lanes[lane].name.starts_with(":init:");
        if self.is_set_up && !(is_init && kinds.iter().all(is_set_up)) {
            self.draw_set_up();
        }
        if !is_shown {
            return;
        }
        for kind in kinds {
            let mut event = self.event(step.shown_number(0), lane, first, kind);
            if event.kind == EventKind::Local {
                event.values = values(&event.text, described);
            }
            if self.is_set_up { self.set_up.push(event) } else { self.push(event) }
        }
    }

    fn push(&mut self, event: Event) {
        let index = self.chart.events.len();
        match event.kind {
            EventKind::Run { lane } => self.chart.lanes[lane].born = Some(index),
            EventKind::End => self.chart.lanes[event.lane].died = Some(index),
            _ => {}
        }
        self.chart.events.push(event);
    }

    /// Draws what `init` has done: its own steps as one, if they are many, then the processes that it started.
    fn draw_set_up(&mut self) {
        self.is_set_up = false;
        let set_up = std::mem::take(&mut self.set_up);
        let own = set_up.iter().filter(|event| event.kind == EventKind::Local).count();
        let first = set_up.iter().find(|event| event.kind == EventKind::Local).filter(|_| own >= LEAST_SET_UP);
        if let Some(first) = first {
            let text = format!("({own} steps of set-up)");
            self.push(Event { text, values: String::new(), ..first.clone() });
        }
        let is_drawn = |event: &Event| first.is_none() || event.kind != EventKind::Local;
        set_up.iter().filter(|event| is_drawn(event)).cloned().for_each(|event| self.push(event));
    }

    /// Leaves out the lanes of processes that do nothing, and says so.
    fn leave_out_idle_lanes(&mut self) {
        let mut is_used = vec![false; self.chart.lanes.len()];
        for event in &self.chart.events {
            is_used[event.lane] = true;
            if let EventKind::Handshake { to, .. } | EventKind::Run { lane: to } = event.kind {
                is_used[to] = true;
            }
        }
        self.chart.blocked.iter().for_each(|(lane, _)| is_used[*lane] = true);
        let idle: Vec<String> = self
            .chart
            .lanes
            .iter()
            .zip(&is_used)
            .filter(|(_, used)| !**used)
            .map(|(lane, _)| lane.name.clone())
            .collect();
        if idle.is_empty() || idle.len() == is_used.len() {
            return;
        }
        let new: Vec<usize> = is_used
            .iter()
            .scan(0, |next, used| {
                *next += usize::from(*used);
                Some(next.saturating_sub(1))
            })
            .collect();
        let mut used = is_used.iter();
        self.chart.lanes.retain(|_| used.next().is_some_and(|used| *used));
        for event in &mut self.chart.events {
            event.lane = new[event.lane];
            if let EventKind::Handshake { to, .. } | EventKind::Run { lane: to } = &mut event.kind {
                *to = new[*to];
            }
        }
        self.chart.blocked.iter_mut().for_each(|(lane, _)| *lane = new[*lane]);
        let does = if idle.len() == 1 { "does" } else { "do" };
        self.chart.title.push_str(&format!("\n(not drawn: {}, which {does} nothing here)", idle.join(", ")));
    }

    fn event(&self, step: usize, lane: usize, executed: Executed, kind: EventKind) -> Event {
        let StoryStep { place, statement, .. } = self.replay.playback.story_step(executed, &self.files);
        Event {
            step,
            lane,
            place: format!("{}:{}", place.file, place.line),
            text: statement,
            values: String::new(),
            kind,
        }
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
        self.draw_set_up();
        let length = self.replay.shown.statements.len();
        self.chart.verdict = match &played.ending {
            Ending::Violations(_) => played.ending.error().map(|violation| violation.message.clone()),
            Ending::Cycle { from } => Some(format!("steps {from} to {length} repeat forever")),
            Ending::Claim => Some("the claim is violated".to_owned()),
            Ending::Open => None,
        };
        let last = self.replay.shown.statements.len();
        let has_failed = |error: &Violation| {
            matches!(error.kind, ViolationKind::Assertion | ViolationKind::RuntimeError) && self.replay.is_shown(last)
        };
        if played.ending.error().is_some_and(has_failed) {
            self.chart.failed = self.chart.events.len().checked_sub(1);
        }
        if let Ending::Cycle { from } = played.ending {
            self.chart.cycle = self.chart.events.iter().position(|event| event.step >= from);
        }
        let is_stuck = played.ending.error().is_some_and(|error| error.kind == ViolationKind::InvalidEndState);
        let waiting = if is_stuck { played.player.waiting() } else { Vec::new() };
        for waiting in waiting.iter().filter(|waiting| !waiting.may_end) {
            let statements: Vec<&str> = waiting.statements.iter().map(|blocked| blocked.resolved.as_str()).collect();
            self.chart.blocked.push((self.lane_of[waiting.pid as usize], statements.join(", ")));
        }
        self.leave_out_idle_lanes();
        self.chart
    }
}

/// The values that a statement of one process changed, unless it says them itself.
fn values(statement: &str, described: &MoveDescription) -> String {
    let text = |change: &Change| format!("{} = {}", change.name, change.after);
    let values: Vec<String> = described.changes.iter().map(text).filter(|value| value != statement).collect();
    values.join(", ")
}
