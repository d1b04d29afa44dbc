//! Interactive simulation: the enabled moves are listed, the user chooses one, steps back, watches expressions.

use std::collections::VecDeque;
use std::fmt::Write;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use homing_check::model::{Ending, LengthUnit, PlayedStep, Simulator, Witness};
use homing_engine::{Enabled, MoveResult};
use homing_ir::Expr;
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
            Command::Random(count) => self.random(count, None)?,
            Command::Until(condition) => match self.read(&condition) {
                Ok(expr) => self.random(FAR, Some(&expr))?,
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
            Command::Nothing | Command::Quit => {}
        }
        self.show_point()
    }

    fn read(&self, condition: &str) -> Result<Expr, String> {
        let Loaded { model, source, queries, .. } = self.loaded;
        if queries.is_some() {
            let query = network::query(self.loaded, &format!("A[] {condition}"));
            return query.map(|asked| asked.expr).map_err(|error| error.to_string());
        }
        read_condition(model, &source.name, &source.text, &self.args.model.reading.options(), condition)
            .map_err(|error| error.to_string())
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

    /// Takes random moves: at most `most`, until a condition holds or an error occurs.
    fn random(&mut self, most: usize, until: Option<&Expr>) -> Result<(), Error> {
        let mut last = VecDeque::new(); // moves that are shown when the condition holds
        let mut taken_moves = 0;
        let is_stopped = loop {
            let holds = until.is_some_and(|condition| self.session.player().holds(condition));
            if taken_moves == most || holds || self.guard.is_stopped() {
                break self.guard.is_stopped();
            }
            let number = self.session.executed() + 1;
            let Some((taken, happened)) = self.session.random_step() else { break false };
            taken_moves += 1;
            let text = self.step_text(number, &taken, &happened);
            if until.is_none() {
                self.print(&text)?;
            } else {
                last.push_back(text);
                last.drain(..last.len().saturating_sub(MOST_MOVES));
            }
            if !happened.violations.is_empty() {
                break false;
            }
        };
        if until.is_some() && taken_moves > last.len() {
            self.print(&format!("({} earlier moves are not shown)\n", taken_moves - last.len()))?;
        }
        last.iter().try_for_each(|text| self.print(text))?;
        if is_stopped {
            return self.print("interrupted\n");
        }
        match until {
            Some(condition) if !self.session.player().holds(condition) => {
                self.print("the condition did not become true\n")
            }
            _ => Ok(()),
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

fn indented(lines: &[String]) -> String {
    lines.iter().map(|line| format!("  {line}\n")).collect()
}
