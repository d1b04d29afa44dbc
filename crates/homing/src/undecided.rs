//! Explains verdicts that are unknown: why, what is proved nevertheless, and what to try next.

use std::path::Path;

use homing_check::model::PropertyResult;
use homing_check::{Fairness, Reason, Verdict};
use homing_core::{Limit, Stop};
use homing_engine::CutRun;

use crate::bug::quoted;
use crate::cli::{CheckArgs, Search, Store};
use crate::property::BUILTIN;
use crate::quantity;
use crate::text::counted;
use crate::trails::given_options;
use crate::{lts, network};

/// Why a command was ended before it was done, and what to try next.
pub fn cause(stop: Stop) -> &'static str {
    match stop {
        Stop::Limit(Limit::Memory) => "the memory limit was reached: try a larger --memory",
        Stop::Limit(Limit::Timeout) => "the time limit was reached: try a longer --timeout",
        _ => "interrupted",
    }
}

/// What was asked of a model: the command from which others are made.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    pub args: &'a CheckArgs,
    pub model: &'a Path,
}

/// Why the verdict of a result is unknown, what is proved, and after it the commands to try, each in a line of its own.
pub fn message(result: &PropertyResult, reason: Reason, asked: Asked<'_>) -> String {
    let tries = asked.tries(result, reason).into_iter().map(|(command, _)| format!("\ntry: {command}"));
    std::iter::once(asked.explain(result, reason)).chain(tries).collect()
}

impl Asked<'_> {
    /// Why the verdict of a result is unknown, and what is proved.
    pub fn explain(&self, result: &PropertyResult, reason: Reason) -> String {
        let proved = self.proved(result);
        let found = |why: &str| format!("{}, but {why}", proved.as_deref().unwrap_or("no error was found"));
        let ended = |why: &str| proved.iter().fold(why.to_owned(), |why, proved| format!("{why}; {proved}"));
        match reason {
            Reason::Hidden => found(
                "the model reads hidden variables, which --plain leaves out of the state as SPIN does: an error may be missed; \
                 try without --plain",
            ),
            Reason::AtomicLabel => found(
                "an accept label stands at the last statement of an atomic sequence, where no process is ever seen: put the label in \
                 front of the sequence or after it",
            ),
            Reason::Lossy => found("the store may have lost states"),
            Reason::Unsupported | Reason::Invalid | Reason::UnsuitedSearch => {
                result.warnings.first().cloned().unwrap_or_else(|| "the property is not supported".to_owned())
            }
            Reason::Stopped(stop) => match stop {
                Stop::Limit(Limit::Depth) => found("longer paths were cut off at --max-depth"),
                Stop::Limit(Limit::States) | Stop::GivenUp => ended("the limit on states was reached"),
                Stop::Limit(Limit::Memory) => ended("the memory limit was reached"),
                Stop::Limit(Limit::Timeout) => ended("the time limit was reached"),
                Stop::Dropped => found("the search dropped states"),
                Stop::Interrupted | Stop::Superseded => ended("interrupted before the search finished"),
                Stop::Limit(Limit::CutOff) => {
                    // a step that was too long to be followed
                    let cut = result.run.as_ref().and_then(|run| run.cut.as_ref());
                    let cause = cut.map_or("a step is too long to be followed".to_owned(), CutRun::to_string);
                    found(&format!("the search is incomplete: {cause}"))
                }
            },
        }
    }

    /// The length up to which no path leads to an error, if the search has proved one.
    fn proved(&self, result: &PropertyResult) -> Option<String> {
        let length = result.run.as_ref()?.proved_within()?;
        let unit = if self.is_lts() || self.is_network() { "transition" } else { "statement" };
        let what = if result.property.starts_with("query:E") { "witness" } else { "error" };
        Some(format!("no {what} within {}", counted(length.into(), unit)))
    }

    /// The commands to try after a verdict `unknown`, and what each does, the most useful first.
    pub fn tries(&self, result: &PropertyResult, reason: Reason) -> Vec<(String, &'static str)> {
        let options = &self.args.options;
        let name = &result.property;
        let is_finite = is_finite(name);
        let other = |options: &str| self.command(name, options);
        let same = |options: String| (format!("the same with {options}"), "");
        let mut tries = Vec::new();
        let larger = |limit: Limit| match limit {
            Limit::Depth => options.max_depth.map(|depth| format!("--max-depth {}", depth.saturating_mul(2))),
            Limit::States => options.max_states.map(|states| format!("--max-states {}", states.saturating_mul(10))),
            Limit::Memory => options.memory.map(|bytes| format!("--memory {}", quantity::memory_option(2 * bytes))),
            Limit::Timeout => options.timeout.map(|time| format!("--timeout {}", quantity::time_option(2 * time))),
            Limit::CutOff => None,
        };
        match reason {
            Reason::Lossy => tries.push((other(" --store tree"), "loses no state")),
            Reason::Stopped(Stop::Dropped) => {
                let width = result.run.as_ref().and_then(|run| run.algorithm.width()).unwrap_or(0);
                tries.extend((width > 0).then(|| same(format!("--width {}", 4 * width))));
                tries.push((other(""), "drops no state"));
            }
            Reason::Stopped(Stop::Limit(limit)) => {
                if is_finite && matches!(limit, Limit::States | Limit::Memory | Limit::Timeout) {
                    tries.extend(self.directed().map(|(options, what)| (other(options), what)));
                }
                if limit == Limit::Memory {
                    let smaller = if is_finite { self.smaller() } else { self.smaller_for_cycles() };
                    tries.extend(smaller.map(|(options, what)| (other(options), what)));
                }
                let threads = std::thread::available_parallelism().map_or(1, usize::from);
                if limit == Limit::Timeout && threads > 1 && self.could_be_parallel() {
                    tries.push(same(format!("--threads {threads}")));
                }
                // more memory is no use to a search or a store that takes as much as it is given
                if limit != Limit::Memory || (options.store != Store::Bitstate && !self.drops_states()) {
                    tries.extend(larger(limit).map(same));
                }
            }
            _ => {}
        }
        tries
    }

    /// A search that finds an error sooner, if there is one.
    fn directed(&self) -> Option<(&'static str, &'static str)> {
        match self.args.search {
            _ if self.is_lts() => None,
            Search::Highway | Search::HighwayExact | Search::Beam | Search::RandomWalk => None,
            Search::BestFirst => Some((" --search beam", "keeps the most promising states of each level")),
            _ => Some((" --search best-first", "goes straight for an error")),
        }
    }

    /// A search for errors that needs less memory.
    fn smaller(&self) -> Option<(&'static str, &'static str)> {
        let walk = (" --search random-walk --timeout 1m", "stores nothing; proves nothing");
        match (self.args.search, self.args.options.store) {
            (Search::RandomWalk | Search::Stateless, _) => None,
            (Search::Dfs, Store::Bitstate) => Some(walk),
            _ if self.drops_states() => Some(walk),
            _ => Some((" --search dfs --store bitstate", "stores a few bits of each state; proves nothing")),
        }
    }

    /// A search for cycles that needs less memory.
    fn smaller_for_cycles(&self) -> Option<(&'static str, &'static str)> {
        let options = &self.args.options;
        let is_new = options.fairness == Fairness::None && !options.store.is_random();
        is_new.then_some((" --search ndfs --store random-dynamic", "stores half of the states; as sure, but slower"))
    }

    fn drops_states(&self) -> bool {
        matches!(self.args.search, Search::Highway | Search::HighwayExact | Search::Beam)
    }

    fn could_be_parallel(&self) -> bool {
        let is_parallel =
            matches!(self.args.search, Search::Auto | Search::Bfs | Search::Scc | Search::HighwayExact | Search::Beam);
        let CheckArgs { options, .. } = self.args;
        is_parallel && options.threads == 1 && !options.store.is_random() && options.repeat.is_none()
    }

    fn is_lts(&self) -> bool {
        lts::is_lts(self.model, self.args.reading.input)
    }

    fn is_network(&self) -> bool {
        network::format(self.model, self.args.reading.input).is_some()
    }

    /// The command that decides a property of the model by a search with these options.
    fn command(&self, property: &str, options: &str) -> String {
        let CheckArgs { reading, property: asked, options: given, .. } = self.args;
        let queries =
            reading.queries.as_ref().map(|file| format!(" --queries {}", quoted(&file.display().to_string())));
        // a search for cycles leaves the other properties undecided
        let is_named = !asked.is_empty() || !is_finite(property);
        // as it was named if a block has the same name
        let builtin = asked.iter().find(|asked| asked.strip_prefix(BUILTIN) == Some(property));
        let name = builtin.map_or(property, String::as_str);
        let fairness = match given.fairness {
            Fairness::None => "",
            _ if is_named && is_finite(property) => "", // it would have no effect
            Fairness::Weak => " --fairness weak",
            Fairness::Strong => " --fairness strong",
        };
        let named = if is_named { format!(" --property {}", quoted(name)) } else { String::new() };
        format!(
            "homing check{}{} {}{named}{fairness}{options}",
            given_options(reading),
            queries.unwrap_or_default(),
            quoted(&self.model.display().to_string())
        )
    }
}

/// Whether finite runs violate the property of this name, and no others.
fn is_finite(property: &str) -> bool {
    ["safety", "assertions", "deadlock"].contains(&property)
        || ["invariant:", "query:", "action:"].iter().any(|prefix| property.starts_with(prefix))
}

/// The reason of a verdict that is unknown.
pub fn reason(result: &PropertyResult) -> Option<Reason> {
    match result.verdict {
        Verdict::Unknown(reason) => Some(reason),
        Verdict::Holds | Verdict::Violated => None,
    }
}

#[cfg(test)]
mod tests {
    use homing_check::model::Run;
    use homing_check::{Search as Algorithm, StoreUse};
    use homing_core::Stats;

    use super::*;
    use crate::cli::parsed;

    fn stopped(property: &str, clear_below: u32, limit: Limit) -> PropertyResult {
        let run = Run {
            algorithm: Algorithm::Bfs,
            estimate: None,
            seed: None,
            repeated: None,
            reduced: true,
            not_reduced: None,
            errors: 0,
            violations: None,
            stats: Stats { clear_below, ..Stats::default() },
            first_error: None,
            fewest_switches: None,
            atomic_steps: 0,
            compile_seconds: None,
            threads: 1,
            store_use: StoreUse::none(),
            seconds: 0.5,
            unreached: None,
            cut: None,
        };
        let unknown = PropertyResult::unknown(property.to_owned(), Reason::Stopped(Stop::Limit(limit)));
        PropertyResult { run: Some(run), ..unknown }
    }

    fn shown(arguments: &[&str], property: &str, limit: Limit) -> String {
        let args = parsed(arguments);
        let result = stopped(property, 38, limit);
        message(&result, Reason::Stopped(Stop::Limit(limit)), Asked { args: &args, model: Path::new("m.pml") })
    }

    #[test]
    fn what_is_proved_and_what_to_try() {
        assert_eq!(
            shown(&["m.pml", "-DN=3", "--memory", "1.5G"], "safety", Limit::Memory),
            "the memory limit was reached; no error within 37 statements\n\
             try: homing check -D N=3 m.pml --search best-first\n\
             try: homing check -D N=3 m.pml --search dfs --store bitstate\n\
             try: the same with --memory 3G"
        );
        let live = ["m.pml", "--property", "live"];
        assert_eq!(
            shown(&live, "live", Limit::Memory),
            "the memory limit was reached; no error within 37 statements\n\
             try: homing check m.pml --property live --search ndfs --store random-dynamic"
        );
        let depth = shown(&["m.pml", "--max-depth", "37"], "safety", Limit::Depth);
        assert_eq!(
            depth,
            "no error within 37 statements, but longer paths were cut off at --max-depth\ntry: the same with --max-depth 74"
        );
    }

    #[test]
    fn more_memory_is_advised_only_where_it_helps() {
        for given in [&["--store", "bitstate"][..], &["--search", "beam"], &["--search", "dfs", "--store", "bitstate"]]
        {
            let text = shown(&[&["m.pml", "--memory", "1G"][..], given].concat(), "safety", Limit::Memory);
            assert!(!text.contains("--memory") && text.contains("try: homing check m.pml"), "{text}");
        }
        let text = shown(&["m.pml", "--timeout", "1500ms", "-j2"], "safety", Limit::Timeout);
        assert!(text.ends_with("try: the same with --timeout 3s"), "{text}");
    }

    #[test]
    fn nothing_is_claimed_of_what_was_not_proved() {
        let args = parsed(&["m.pml"]);
        let asked = Asked { args: &args, model: Path::new("m.pml") };
        for clear_below in [0, 1] {
            let result = stopped("safety", clear_below, Limit::Timeout);
            assert_eq!(asked.explain(&result, reason(&result).expect("unknown")), "the time limit was reached");
        }
        let query = stopped("query:E<> P.a", 6, Limit::States);
        let network = Asked { args: &args, model: Path::new("m.xta") };
        let text = network.explain(&query, reason(&query).expect("unknown"));
        assert_eq!(text, "the limit on states was reached; no witness within 5 transitions");
    }
}
