//! A line of progress.

use std::cmp::Ordering;
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
    frontier: u64,
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
        let fresh = StatusLine {
            console,
            property,
            memory_limit,
            overwrite,
            start,
            last: start,
            states: 0,
            frontier: 0,
            shown: false,
        };
        wanted.then_some(fresh)
    }

    /// Prints the line if it is time for it.
    pub fn update(&mut self, now: Instant, work: Work<'_>) {
        let passed = now - self.last;
        if passed < EVERY {
            return;
        }
        let parts = match work {
            Work::Preparation(stage) => self.preparation(now - self.start, stage),
            Work::Search(progress) => {
                let rate = (progress.states - self.states) as f64 / passed.as_secs_f64();
                let parts = self.words(now - self.start, rate, progress);
                (self.states, self.frontier) = (progress.states, progress.frontier);
                parts
            }
        };
        self.console.message(&if self.overwrite {
            // a line that wraps could not be overwritten
            let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
            format!("\r\x1b[K{}", fitting(parts, width.saturating_sub(1)))
        } else {
            format!("{}\n", joined(&parts))
        });
        (self.last, self.shown) = (now, true);
    }

    fn preparation(&self, elapsed: Duration, stage: Stage) -> Vec<Part> {
        let stage = match stage {
            Stage::Labels { executions } => format!("{executions} executions of single statements"),
            Stage::Composition { components } => format!("{components} components to be composed"),
        };
        let what = format!("{}: preparing the abstraction", self.property);
        vec![(KEPT, what), (1, stage), (KEPT, format!("{} s", elapsed.as_secs()))]
    }

    fn words(&self, elapsed: Duration, rate: f64, progress: &Progress) -> Vec<Part> {
        let limit = self.memory_limit.map(|limit| format!(" of {}", show_memory(limit))).unwrap_or_default();
        let trend = match progress.frontier.cmp(&self.frontier) {
            Ordering::Less => " and shrinking",
            Ordering::Equal => "",
            Ordering::Greater => " and growing",
        };
        let mut parts = vec![
            (KEPT, format!("{}: {} states", self.property, progress.states)),
            (2, format!("{rate:.0}/s")),
            (3, format!("depth {}", progress.depth)),
            (1, format!("frontier {}{trend}", progress.frontier)),
            (KEPT, format!("{}{limit}", show_memory(progress.memory))),
        ];
        parts.extend((progress.errors > 0).then(|| (KEPT, format!("{} errors", progress.errors))));
        parts.push((KEPT, format!("{} s", elapsed.as_secs())));
        parts
    }
}

/// A part of the line, and its turn to be left out where there is no room.
type Part = (u32, String);

/// The turn of a part that is never left out.
const KEPT: u32 = u32::MAX;

fn joined(parts: &[Part]) -> String {
    parts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(", ")
}

/// The line with so many parts that it fits; at last the name of the property, which is the beginning, is shortened.
fn fitting(mut parts: Vec<Part>, width: usize) -> String {
    let length = |parts: &[Part]| joined(parts).chars().count();
    while length(&parts) > width
        && let Some(next) = parts.iter().map(|(turn, _)| *turn).filter(|turn| *turn != KEPT).min()
    {
        parts.retain(|(turn, _)| *turn != next);
    }
    let line = joined(&parts);
    let over = length(&parts).saturating_sub(width);
    if over == 0 { line } else { std::iter::once('…').chain(line.chars().skip(over + 1)).collect() }
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
        let parts = line.words(Duration::from_millis(3900), 512_345.6, &progress);
        assert_eq!(
            joined(&parts),
            "safety: 2000000 states, 512346/s, depth 120, frontier 3000 and growing, 300.0 MiB of 1.0 GiB, 2 errors, 3 s"
        );
        for (width, expected) in [
            (99, "safety: 2000000 states, 512346/s, depth 120, 300.0 MiB of 1.0 GiB, 2 errors, 3 s"),
            (79, "safety: 2000000 states, depth 120, 300.0 MiB of 1.0 GiB, 2 errors, 3 s"),
            (65, "safety: 2000000 states, 300.0 MiB of 1.0 GiB, 2 errors, 3 s"),
            (50, "…00000 states, 300.0 MiB of 1.0 GiB, 2 errors, 3 s"),
        ] {
            let shown = fitting(parts.clone(), width);
            assert_eq!(shown, expected);
            assert!(shown.chars().count() <= width, "{shown}");
        }
        assert_eq!(
            joined(&line.preparation(Duration::from_millis(2100), Stage::Composition { components: 17 })),
            "safety: preparing the abstraction, 17 components to be composed, 2 s"
        );
        assert!(StatusLine::new(When::Never, &console, "safety", None).is_none());
    }
}
