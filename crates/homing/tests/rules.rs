//! One small model for each rule of SPIN's semantics, with the figures of SPIN 6.5.2 in its header.
//!
//! The models are in `tests/rules`, named after the rule that they show (the number groups them by topic); those of
//! `models/` are checked too. One test compares homing with the headers, the other the headers with live SPIN. A header
//! has one line of figures:
//!
//! ```text
//! SPIN 6.5.2: states 8, transitions 10, errors 1, first "invalid end state" after 5, shortest 4
//! SPIN 6.5.2: states 7, transitions 9, atomic steps 10, errors 0
//! SPIN 6.5.2: verdict violated, first "block in d_step seq" after 2
//! SPIN 6.5.2: refused "jump into d_step sequence"
//! ```
//!
//! A refused model that has a meaning all the same has a line `homing accepts it: ` and why.
//!
//! Counts are those of a full search that goes on after errors (`pan -c0`), `first` is the first error of a search that
//! stops there (`pan -c1`) with the number of lines of its trail, `shortest` the least number of lines of any. `verdict`
//! stands for the counts where an error ends pan, or lets it go on with arbitrary values; where it kills pan there is no
//! first error either. Words are the beginning of SPIN's message, or part of its refusal.

mod program;

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use program::Folder;
use serde_json::Value;
use xtask::spin::{Answer, Facts, Limits, Spin};

/// The beginning of the line of figures.
const MARK: &str = "SPIN 6.5.2: ";

/// The beginning of the line that says why homing accepts a model that SPIN refuses.
const ACCEPTED: &str = "homing accepts it: ";

/// What homing does with a model that is wrong.
const REFUSED: &str = "refuses";

/// A model, and what its header says about it.
struct Rule {
    name: String,
    text: String,
    figures: Figures,
    /// homing goes beyond SPIN here: it accepts a model that SPIN refuses.
    accepted: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Figures {
    Refused { words: String },
    Violated { first: Option<First> },
    Counted { counts: Counts, first: Option<First>, shortest: Option<u64> },
}

#[derive(Clone, Debug, PartialEq)]
struct Counts {
    states: u64,
    transitions: u64,
    /// Most headers leave them out.
    atomic_steps: Option<u64>,
    errors: u64,
}

#[derive(Clone, Debug, PartialEq)]
struct First {
    words: String,
    length: u64,
}

#[test]
fn homing_has_spins_figures() {
    let rules = rules();
    let differences: Vec<String> = rules.iter().flat_map(compare).collect();
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn the_headers_have_spins_figures() {
    for (tool, argument, answer) in [("spin", "-V", "Spin Version 6.5.2"), ("gcc", "--version", "gcc")] {
        let output = Command::new(tool).arg(argument).output().unwrap_or_else(|error| panic!("{tool}: {error}"));
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains(answer), "{tool} {argument} says {said:?} instead of {answer:?}");
    }
    let rules = rules();
    let spin = Spin { limits: Limits::small(), cache: None };
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let workers = thread::available_parallelism().map_or(1, |count| count.get().min(2));
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(rule) = rules.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let said = spin.ask_text(&rule.text).expect("SPIN can be asked");
                    if let Some(said) = rule.figures.contradiction(&said) {
                        let line = format!("{}:\n    header {}\n    SPIN   {said}", rule.name, rule.figures);
                        wrong.lock().expect("no worker panicked").push(line);
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("no worker panicked");
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// All models, in order of their names.
fn rules() -> Vec<Rule> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folders = [here.join("tests/rules"), here.join("../../models")];
    let files = |folder: &PathBuf| fs::read_dir(folder).expect("a folder of models");
    let mut paths: Vec<PathBuf> = folders.iter().flat_map(files).map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "pml"));
    paths.sort();
    assert!(paths.len() > 100, "the models were found in {folders:?}");
    paths
        .into_iter()
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).expect("a model");
            let mut lines = text.lines().filter_map(|line| line.split_once(MARK)).map(|(_, figures)| figures);
            let (Some(line), None) = (lines.next(), lines.next()) else { panic!("{name}: not one line of figures") };
            let figures = Figures::parse(line).unwrap_or_else(|| panic!("{name}: cannot read {line:?}"));
            assert_eq!(figures.to_string(), line, "{name}: the line of figures has a form of its own");
            let accepted = text.contains(ACCEPTED);
            assert!(!accepted || matches!(figures, Figures::Refused { .. }), "{name}: SPIN accepts it too");
            Rule { name, text, figures, accepted }
        })
        .collect()
}

/// Where homing differs from the header.
fn compare(rule: &Rule) -> Vec<String> {
    let folder = Folder::new(&format!("rule_{}", rule.name)).file("m.pml", &rule.text);
    let mut comparison = Comparison { rule, folder, differences: Vec::new() };
    comparison.full_search("dfs");
    comparison.full_search("bfs");
    comparison.first_error();
    comparison.shortest_trail();
    comparison.differences
}

struct Comparison<'a> {
    rule: &'a Rule,
    folder: Folder,
    differences: Vec<String>,
}

impl Comparison<'_> {
    fn full_search(&mut self, search: &str) {
        let rule = self.rule;
        let result = match (&rule.figures, self.check(search, &["--all-errors"])) {
            (Figures::Refused { .. }, Ok(_)) if rule.accepted => return,
            (Figures::Refused { .. }, Err(how)) if rule.accepted => {
                return self.note(&format!("acceptance ({search})"), "refuses, homing should not", how);
            }
            (Figures::Refused { words }, Ok(_)) => {
                return self.note(&format!("acceptance ({search})"), format!("refuses ({words})"), "accepts");
            }
            (Figures::Refused { .. }, Err(how)) => {
                return self.note(&format!("acceptance ({search})"), REFUSED, how);
            }
            (_, Err(how)) => return self.note(&format!("acceptance ({search})"), "accepts", how),
            (_, Ok(result)) => result,
        };
        let mut ask = |question: &str, spin: &dyn fmt::Display, homing: &Value| {
            self.note(&format!("{question} ({search})"), spin, plain(homing));
        };
        let Figures::Counted { counts, .. } = &rule.figures else {
            return ask("verdict", &"violated", &result["verdict"]);
        };
        let verdict = match counts.errors {
            0 if rule.reads_hidden_variables() => "unknown",
            0 => "holds",
            _ => "violated",
        };
        ask("verdict", &verdict, &result["verdict"]);
        ask("states", &counts.states, &result["stats"]["states"]);
        ask("transitions", &counts.transitions, &result["stats"]["transitions"]);
        ask("errors", &counts.errors, &result["errors"]);
        if let Some(steps) = counts.atomic_steps {
            ask("atomic steps", &steps, &result["stats"]["atomic_steps"]);
        }
    }

    fn first_error(&mut self) {
        let Some(first) = self.rule.figures.first() else { return };
        match self.check("dfs", &[]) {
            Ok(result) => {
                self.note("kind of the first error", first.kind(), plain(&result["error"]["kind"]));
                self.note("length of the first trail", first.length, plain(&result["trail"]["length"]));
            }
            Err(how) => self.note("first error", &first.words, how),
        }
    }

    fn shortest_trail(&mut self) {
        let Figures::Counted { shortest: Some(shortest), .. } = self.rule.figures else { return };
        let length = self.check("bfs", &[]).map_or_else(|how| how, |result| plain(&result["trail"]["length"]));
        self.note("length of the shortest trail", shortest, length);
    }

    /// The result of `homing check`, or how it failed.
    fn check(&self, search: &str, more: &[&str]) -> Result<Value, String> {
        let fixed = ["check", "m.pml", "--plain", "--property", "safety", "--json", "--search", search];
        let ran = self.folder.homing(&[&fixed, more].concat());
        match ran.code {
            Some(0 | 1 | 3) => Ok(ran.results()[0].clone()),
            Some(2) => Err(REFUSED.to_owned()),
            code => Err(format!("ends with {code:?}: {}", ran.stderr)),
        }
    }

    fn note(&mut self, question: &str, spin: impl fmt::Display, homing: impl fmt::Display) {
        let (spin, homing) = (spin.to_string(), homing.to_string());
        if spin != homing {
            self.differences.push(format!("{}: {question}: SPIN {spin}, homing {homing}", self.rule.name));
        }
    }
}

/// A JSON value without quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Rule {
    /// homing does not call that `holds`: states that differ only in such a variable were identified. The models here
    /// read each hidden variable they have.
    fn reads_hidden_variables(&self) -> bool {
        self.text.lines().any(|line| line.starts_with("hidden "))
    }
}

impl Figures {
    fn parse(line: &str) -> Option<Figures> {
        let number = |key: &str| {
            let rest = line.split_once(key)?.1;
            rest[..rest.find(',').unwrap_or(rest.len())].parse().ok()
        };
        let quoted = |key: &str| Some(line.split_once(key)?.1.strip_prefix('"')?.rsplit_once('"')?.0.to_owned());
        let first = || Some(First { words: quoted("first ")?, length: number("\" after ")? });
        if let Some(words) = quoted("refused ") {
            return Some(Figures::Refused { words });
        }
        if line.starts_with("verdict violated") {
            return Some(Figures::Violated { first: first() });
        }
        let counts = Counts {
            states: number("states ")?,
            transitions: number("transitions ")?,
            atomic_steps: number("atomic steps "),
            errors: number("errors ")?,
        };
        Some(Figures::Counted { counts, first: first(), shortest: number("shortest ") })
    }

    fn first(&self) -> Option<&First> {
        match self {
            Figures::Refused { .. } => None,
            Figures::Violated { first } | Figures::Counted { first, .. } => first.as_ref(),
        }
    }

    /// SPIN's answer, if it differs from these figures.
    fn contradiction(&self, answer: &Answer) -> Option<String> {
        let said = match answer {
            Answer::Refused(words) => Figures::Refused { words: words.clone() },
            Answer::Crashed(_) => Figures::Violated { first: None },
            Answer::TooBig(limit) => return Some(limit.clone()),
            Answer::Searched(facts) => Figures::of(facts),
        };
        let agree = match (self, &said) {
            (Figures::Refused { words }, Figures::Refused { words: said }) => said.contains(words),
            (Figures::Violated { first }, Figures::Violated { first: said }) => First::agree(first, said),
            (
                Figures::Counted { counts, first, shortest },
                Figures::Counted { counts: said_counts, first: said_first, shortest: said_shortest },
            ) => {
                let asked = Counts { atomic_steps: counts.atomic_steps.and(said_counts.atomic_steps), ..*said_counts };
                *counts == asked && First::agree(first, said_first) && shortest == said_shortest
            }
            _ => false,
        };
        (!agree).then(|| said.to_string())
    }

    fn of(facts: &Facts) -> Figures {
        let first = facts.first.as_ref().map(|first| First { words: first.message.text.clone(), length: first.length });
        if facts.counts_are_void() {
            return Figures::Violated { first };
        }
        let counts = Counts {
            states: facts.full.stored,
            transitions: facts.full.transitions,
            atomic_steps: Some(facts.full.atomic_steps),
            errors: facts.full.errors,
        };
        Figures::Counted { counts, first, shortest: facts.shortest }
    }
}

impl First {
    /// The kind of such an error in homing's JSON. A broken trace is an assertion there.
    fn kind(&self) -> &'static str {
        match self.words.as_str() {
            "assertion violated" | "event_trace error" => "assertion",
            "invalid end state" => "invalid-end-state",
            _ => "runtime-error",
        }
    }

    fn agree(header: &Option<First>, said: &Option<First>) -> bool {
        match (header, said) {
            (Some(header), Some(said)) => header.length == said.length && said.words.starts_with(&header.words),
            (None, None) => true,
            _ => false,
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Figures::Refused { words } => return write!(f, "refused \"{words}\""),
            Figures::Violated { .. } => f.write_str("verdict violated")?,
            Figures::Counted { counts, .. } => {
                write!(f, "states {}, transitions {}", counts.states, counts.transitions)?;
                if let Some(steps) = counts.atomic_steps {
                    write!(f, ", atomic steps {steps}")?;
                }
                write!(f, ", errors {}", counts.errors)?;
            }
        }
        if let Some(first) = self.first() {
            write!(f, ", first \"{}\" after {}", first.words, first.length)?;
        }
        match self {
            Figures::Counted { shortest: Some(shortest), .. } => write!(f, ", shortest {shortest}"),
            _ => Ok(()),
        }
    }
}
