//! A line of progress.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use homing_check::model::Work;
use homing_core::Progress;
use homing_heuristics::Stage;

use crate::console::{Console, When};
use crate::quantity::show_memory;

/// The time between two lines of progress.
const EVERY: Duration = Duration::from_secs(1);

/// A line of progress on standard error. On a terminal it is overwritten, elsewhere each update is a new line.
pub struct StatusLine<'a> {
    console: &'a Console,
    property: String,
    memory_limit: Option<u64>,
    overwrite: bool,
    start: Instant,
    last: Instant,
    states: u64,
    shown: bool,
}

impl<'a> StatusLine<'a> {
    /// `None` if no progress is to be printed.
    pub fn new(when: When, console: &'a Console, property: &str, memory_limit: Option<u64>) -> Option<Self> {
        let property = property.to_owned();
        let overwrite = io::stderr().is_terminal();
        let start = Instant::now();
        let wanted = match when {
            When::Auto => overwrite,
            When::Always => true,
            When::Never => false,
        };
        let fresh =
            StatusLine { console, property, memory_limit, overwrite, start, last: start, states: 0, shown: false };
        wanted.then_some(fresh)
    }

    /// Prints the line if it is time for it.
    pub fn update(&mut self, now: Instant, work: Work<'_>) {
        let passed = now - self.last;
        if passed < EVERY {
            return;
        }
        let line = match work {
            Work::Preparation(stage) => self.preparation(now - self.start, stage),
            Work::Search(progress) => {
                let rate = (progress.states - self.states) as f64 / passed.as_secs_f64();
                self.states = progress.states;
                self.words(now - self.start, rate, progress)
            }
        };
        self.console.message(&if self.overwrite {
            // a line that wraps could not be overwritten
            let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
            let fitting: String = line.chars().take(width.saturating_sub(1)).collect();
            format!("\r\x1b[K{fitting}")
        } else {
            format!("{line}\n")
        });
        (self.last, self.shown) = (now, true);
    }

    fn preparation(&self, elapsed: Duration, stage: Stage) -> String {
        let stage = match stage {
            Stage::Labels { executions } => format!("{executions} executions of single statements"),
            Stage::Composition { components } => format!("{components} components to be composed"),
        };
        format!("{}: preparing the abstraction, {stage}, {} s", self.property, elapsed.as_secs())
    }

    fn words(&self, elapsed: Duration, rate: f64, progress: &Progress) -> String {
        let limit = self.memory_limit.map(|limit| format!(" of {}", show_memory(limit))).unwrap_or_default();
        let errors = if progress.errors > 0 { format!(", {} errors", progress.errors) } else { String::new() };
        format!(
            "{}: {} states, {rate:.0}/s, depth {}, frontier {}, {}{limit}{errors}, {} s",
            self.property,
            progress.states,
            progress.depth,
            progress.frontier,
            show_memory(progress.memory),
            elapsed.as_secs()
        )
    }
}

impl Drop for StatusLine<'_> {
    fn drop(&mut self) {
        if self.shown && self.overwrite {
            self.console.message("\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_how_far_the_search_has_come() {
        let console = Console::new(When::Never);
        let line = StatusLine::new(When::Always, &console, "safety", Some(1 << 30)).expect("wanted");
        let progress = Progress {
            states: 2_000_000,
            transitions: 5_000_000,
            depth: 120,
            frontier: 3000,
            memory: 300 << 20,
            errors: 2,
        };
        assert_eq!(
            line.words(Duration::from_millis(3900), 512_345.6, &progress),
            "safety: 2000000 states, 512346/s, depth 120, frontier 3000, 300.0 MiB of 1.0 GiB, 2 errors, 3 s"
        );
        assert_eq!(
            line.preparation(Duration::from_millis(2100), Stage::Composition { components: 17 }),
            "safety: preparing the abstraction, 17 components to be composed, 2 s"
        );
        assert!(StatusLine::new(When::Never, &console, "safety", None).is_none());
    }
}
