//! Interactive simulation: the enabled moves are listed, the user chooses one, steps back, watches expressions.

use std::collections::VecDeque;
use std::fmt::Write;
use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use homing_check::model::{Ending, LengthUnit, PlayedStep, Simulator, Witness};
use homing_engine::{Enabled, MoveResult};
use homing_ir::{Expr, Model};
use homing_promela::read_condition;

use super::command::{Command, HELP};
use super::saved::Saved;
use crate::cli::SimulateArgs;
use crate::console::Console;
use crate::ending::ending;
use crate::error::Error;
use crate::exit::Exit;
use crate::input::Loaded;
use crate::interrupt::SessionGuard;
use crate::lines::Lines;
use crate::network;
use crate::spelling::{hint, nearest};
use crate::text::counted;

/// A random run to a condition gives up after this many moves.
const FAR: usize = 1_000_000;

/// Moves that `u` shows at most: the last ones before the condition held.
const MOST_MOVES: usize = 20;

/// Reads and executes commands until the user quits or closes the input.
pub fn run(session: Simulator<'_, '_>, args: &SimulateArgs, loaded: &Loaded, console: &Console) -> Result<Exit, Error> {
    let lines = Lines::of_any_run(session.playback(), 9999, console.look);
    let guard = SessionGuard::listen();
    let mut interaction = Interaction { session, args, loaded, console, lines, watched: Vec::new(), guard };
    interaction.print("h lists the commands\n")?;
    interaction.show_point()?;
    let mut input = io::stdin().lock();
    loop {
        interaction.print("> ")?;
        let mut line = String::new();
        let read =
            input.read_line(&mut line).map_err(|source| Error::Unreadable { path: "standard input".into(), source })?;
        if read == 0 {
            interaction.print("\n")?;
            break;
        }
        match Command::parse(&line) {
            Ok(Command::Quit) => break,
            Ok(command) => {
                let guard = interaction.guard.clone();
                guard.execute(|| interaction.execute(command))?;
                guard.keep(interaction.unsaved());
            }
            Err(message) => interaction.print(&format!("{message}\n"))?,
        }
    }
    Ok(match interaction.session.ending() {
        Ending::Open => Exit::Holds,
        _ => Exit::Violated,
    })
}

struct Interaction<'a, 'e, 'm> {
    session: Simulator<'e, 'm>,
    args: &'a SimulateArgs,
    loaded: &'a Loaded,
    console: &'a Console,
    lines: Lines<'e, 'm>,
    watched: Vec<(String, Expr)>,
    guard: SessionGuard,
}

impl Interaction<'_, '_, '_> {
    fn print(&self, text: &str) -> Result<(), Error> {
        self.console.result(text)
    }

    fn execute(&mut self, command: Command) -> Result<(), Error> {
        match command {
            Command::Choose(number) => {
                let enabled = self.session.enabled();
                match number.checked_sub(1).and_then(|at| enabled.get(at)) {
                    Some(taken) => self.take(taken)?,
                    None if enabled.is_empty() => return self.print("no move is enabled here; b goes back\n"),
                    None => return self.print(&format!("there is no move {number}; choose 1 to {}\n", enabled.len())),
                }
            }
            Command::Random(count) => self.random(count)?,
            Command::Until(condition) => match self.read(&condition) {
                Ok(expr) => self.until(&expr)?,
                Err(message) => return self.print(&format!("{message}\n")),
            },
            Command::Back(count) => self.session.jump(self.session.moves().saturating_sub(count)),
            Command::Forward(count) => self.session.jump(self.session.moves().saturating_add(count)),
            Command::Jump(moves) if moves > self.session.known() => {
                return self.print(&format!("the run has only {} moves\n", self.session.known()));
            }
            Command::Jump(moves) => self.session.jump(moves),
            Command::Watch(text) => match self.read(&text) {
                Ok(expr) => self.watched.push((text, expr)),
                Err(message) => return self.print(&format!("{message}\n")),
            },
            Command::Unwatch(number) => {
                if number == 0 || number > self.watched.len() {
                    return self.print(&format!("there is no watch {number}\n"));
                }
                self.watched.remove(number - 1);
            }
            Command::Values => {
                return self.print(&indented(&self.session.values()));
            }
            Command::History => return self.print(&self.history()),
            Command::Save(file) => return self.save(&file),
            Command::Help => return self.print(HELP),
            Command::Nothing => {
                if let [only] = &self.session.enabled()[..] {
                    self.take(only)?;
                }
            }
            Command::Quit => {}
        }
        self.show_point()
    }

    fn read(&self, condition: &str) -> Result<Expr, String> {
        let Loaded { model, source, queries, .. } = self.loaded;
        if queries.is_some() {
            let query = network::query(self.loaded, &format!("A[] {condition}"));
            return query.map(|asked| asked.expr).map_err(|error| error.to_string());
        }
        let read = read_condition(model, &source.name, &source.text, &self.args.model.reading.options(), condition);
        read.map_err(|error| match unknown_process(condition, model) {
            Some(name) => {
                let known: Vec<String> = model.proctypes.iter().map(|proctype| proctype.name.clone()).collect();
                let near = hint(&nearest(name, &known));
                format!("`{name}` is no process type of the model{near}; it has {}", known.join(", "))
            }
            None => error.to_string(),
        })
    }

    fn take(&mut self, taken: &Enabled) -> Result<(), Error> {
        let number = self.session.executed() + 1;
        let happened = self.session.take(taken);
        self.print_step(number, taken, &happened)
    }

    fn print_step(&self, number: usize, taken: &Enabled, happened: &MoveResult) -> Result<(), Error> {
        self.print(&self.step_text(number, taken, happened))
    }

    fn step_text(&self, number: usize, taken: &Enabled, happened: &MoveResult) -> String {
        let described = self.session.player().describe_move(happened);
        let (moves, unit) = (self.session.moves(), self.session.unit());
        let step = PlayedStep::whole(number, taken, happened).counted_as(moves, unit);
        let mut text = String::new();
        let changes: Vec<_> = described.changes.iter().collect();
        self.lines.put(&mut text, &step, &changes, |_| true);
        self.lines.put_notes(&mut text, &step, &described);
        text
    }

    /// Takes so many random moves, unless an error occurs or the run ends.
    fn random(&mut self, most: usize) -> Result<(), Error> {
        for _ in 0..most {
            if self.guard.is_stopped() {
                return self.print("interrupted\n");
            }
            let number = self.session.executed() + 1;
            let Some((taken, happened)) = self.session.random_step() else { break };
            self.print_step(number, &taken, &happened)?;
            if !happened.violations.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Takes random moves until a condition holds or an error occurs. If neither does, the run is where it was before.
    fn until(&mut self, condition: &Expr) -> Result<(), Error> {
        let before = self.session.moves();
        let mut last = VecDeque::new(); // moves that are shown in the end
        let mut counter = Counter::new(self.console);
        let mut has_failed = false;
        while !self.session.player().holds(condition)
            && !has_failed
            && self.session.moves() - before < FAR
            && !self.guard.is_stopped()
        {
            let number = self.session.executed() + 1;
            let Some((taken, happened)) = self.session.random_step() else { break };
            last.push_back((number, taken, happened.clone()));
            last.drain(..last.len().saturating_sub(MOST_MOVES));
            has_failed = !happened.violations.is_empty();
            counter.count(self.session.moves() - before);
        }
        drop(counter);
        let taken = self.session.moves() - before;
        let holds = self.session.player().holds(condition);
        if !holds && !has_failed && !self.guard.is_stopped() {
            self.session.jump(before);
            let how = if taken < FAR { "where the run ended" } else { "and were given up" };
            let moves = counted(taken as u64, "random move");
            return self.print(&format!(
                "the condition did not become true in {moves}, {how}; this is where they began (f goes through them)\n"
            ));
        }
        if taken > last.len() {
            self.print(&format!("({} earlier moves are not shown)\n", taken - last.len()))?;
        }
        let end = self.session.moves();
        for (nth, (number, taken, happened)) in last.iter().enumerate() {
            self.session.jump(end - last.len() + nth + 1); // a move is described in the state after it
            self.print_step(*number, taken, happened)?;
        }
        match (holds, has_failed) {
            (true, _) => Ok(()),
            (false, true) => self.print("an error occurred before the condition became true\n"),
            (false, false) => self.print("interrupted\n"),
        }
    }

    /// Prints the watched expressions, the error if there is one, and the enabled moves.
    fn show_point(&self) -> Result<(), Error> {
        let mut text = String::new();
        let player = self.session.player();
        let moves = self.session.moves();
        let of = if moves < self.session.known() { format!(" of {}", self.session.known()) } else { String::new() };
        let statements = match self.session.unit() {
            LengthUnit::Statements => format!(", statement {}", self.session.length()),
            LengthUnit::Transitions => String::new(),
        };
        let _ = writeln!(text, "\nmove {moves}{of}{statements}");
        for (at, (words, expr)) in self.watched.iter().enumerate() {
            let value = player.value(expr).unwrap_or_else(|fault| fault);
            let _ = writeln!(text, "  watch {}: {words} = {value}", at + 1);
        }
        let end = self.session.ending();
        if end != Ending::Open {
            let why = Witness::default().why(player, &end);
            let ending = ending(self.session.values(), &end, "b goes back", &why, self.console.paint);
            text.push_str(&self.console.look.fitted(&ending));
        }
        let enabled = self.session.enabled();
        for (at, enabled) in enabled.iter().enumerate() {
            let _ = writeln!(text, "  {:>2}  {}", at + 1, self.option(enabled));
        }
        if enabled.is_empty() && end == Ending::Open {
            text.push_str("  all processes have ended\n");
        }
        self.print(&text)
    }

    fn option(&self, enabled: &Enabled) -> String {
        let step = |at: usize| enabled.statements.get(at).map(|executed| self.lines.step(*executed));
        let mut text =
            step(0).map(|step| format!("{}  {}  {}", step.process, step.place, step.statement)).unwrap_or_default();
        if let Some(receive) = step(1) {
            let _ = write!(text, "  with  {}  {}  {}", receive.process, receive.place, receive.statement);
        }
        if let Some(fault) = enabled.fault() {
            let _ = write!(text, "  ({fault})");
        }
        text
    }

    fn history(&self) -> String {
        let mut text = String::new();
        for (at, executed) in self.session.statements().enumerate() {
            let step = self.lines.step(executed);
            let _ = writeln!(text, "  {:>4}  {}  {}  {}", at + 1, step.process, step.place, step.statement);
        }
        if text.is_empty() { "no move was taken yet\n".to_owned() } else { text }
    }

    /// The trail of the run and the file in which an interrupt saves it; none if there is no run.
    fn unsaved(&self) -> Option<(PathBuf, String)> {
        let model = &self.args.model.path;
        let mut name = model.as_os_str().to_owned();
        name.push(".interrupted.trail");
        let is_saved = self.session.length() == 0 || model == Path::new("-");
        (!is_saved).then(|| (PathBuf::from(name), self.session.trail().to_text()))
    }

    fn save(&self, file: &str) -> Result<(), Error> {
        let saved =
            Saved { model: &self.args.model.path, hash: &self.loaded.hash, defines: self.args.model.reading.defines() };
        match saved.write(&self.session, Path::new(file)) {
            Ok(()) => {
                let length = counted(self.session.length() as u64, self.session.unit().word());
                self.print(&format!("saved {length} in {file}\n"))
            }
            Err(error) => self.print(&format!("{error}\n")),
        }
    }
}

/// The time between two updates of a counter.
const EVERY: Duration = Duration::from_millis(500);

/// Shows on a terminal how many moves were taken.
struct Counter<'a> {
    console: &'a Console,
    is_terminal: bool,
    last: Instant,
    is_shown: bool,
}

impl<'a> Counter<'a> {
    fn new(console: &'a Console) -> Self {
        Counter { console, is_terminal: io::stderr().is_terminal(), last: Instant::now(), is_shown: false }
    }

    fn count(&mut self, moves: usize) {
        if self.is_terminal && moves.is_multiple_of(64) && self.last.elapsed() >= EVERY {
            self.console.message(&format!("\r\x1b[K{moves} moves; Ctrl-C stops here"));
            (self.last, self.is_shown) = (Instant::now(), true);
        }
    }
}

impl Drop for Counter<'_> {
    fn drop(&mut self) {
        if self.is_shown {
            self.console.message("\r\x1b[K");
        }
    }
}

/// A name before `:` or `@`, or before an index and one of these, that is no process type.
fn unknown_process<'t>(condition: &'t str, model: &Model) -> Option<&'t str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = condition;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphabetic() || c == '_') {
        let end = rest[start..].find(|c| !is_part(c)).map_or(rest.len(), |length| start + length);
        let (name, after) = (&rest[start..end], rest[end..].trim_start());
        let after = match after.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
            Some((_, after)) => after.trim_start(),
            None => after,
        };
        let is_process = after.starts_with('@') || (after.starts_with(':') && !after.starts_with("::"));
        if is_process && model.proctypes.iter().all(|proctype| proctype.name.trim_matches(':') != name) {
            return Some(name);
        }
        rest = &rest[end..];
    }
    None
}

fn indented(lines: &[String]) -> String {
    lines.iter().map(|line| format!("  {line}\n")).collect()
}
