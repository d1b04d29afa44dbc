//! The trail files of a check: written where a path decides a property, removed where it holds without one.

use std::borrow::Cow;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

use homing_check::Verdict;
use homing_check::model::{Counterexample, Playback, PropertyResult};
use homing_ir::Model;

use crate::bug::quoted;
use crate::cli::ReadingArgs;
use crate::network;
use crate::recorded::recorded;
use crate::trail::{Destination, Document, ErrorEntry, Header, beside};

/// The trail files of a check.
pub struct Trails<'a> {
    pub source: &'a dyn TrailSource,
    pub destination: Option<&'a Destination>,
}

/// The trails of counterexamples, as they are written to files.
pub trait TrailSource {
    /// What a property is called in the names of files.
    fn short_name<'p>(&self, property: &'p str) -> Cow<'p, str> {
        Cow::Borrowed(property)
    }
    /// In homing's JSON format.
    fn document(&self, property: &str, found: &Counterexample) -> Vec<u8>;
    /// In the text format of the language of the model.
    fn text(&self, property: &str, found: &Counterexample) -> Vec<u8>;
}

/// The trails of a model of processes.
pub struct ModelTrails<'a> {
    pub model: &'a Model,
    pub path: &'a Path,
    /// The hash of the model.
    pub hash: String,
    /// The macros defined on the command line.
    pub defines: Vec<String>,
    /// The queries of a network, in their order.
    pub queries: Vec<String>,
}

/// A trail that could not be written or removed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what} the trail {}: {source}", path.display())]
pub struct Failure {
    what: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl Trails<'_> {
    /// Writes the trails, enters their files into the results, and removes the trails of properties that hold.
    pub fn put(&self, results: &mut [PropertyResult]) -> Vec<Failure> {
        let Some(destination) = self.destination else { return Vec::new() };
        let failing = results.iter().filter(|result| result.counterexample.is_some()).count();
        let mut failures = Vec::new();
        let mut clear = |path: PathBuf| {
            if let Err(source) = destination.clear(&path) {
                failures.push(Failure { what: "remove", path, source });
            }
        };
        // a query of a network can hold with a witness, and be violated without a path
        let has_none =
            |result: &PropertyResult| result.counterexample.is_none() && !matches!(result.verdict, Verdict::Unknown(_));
        if failing > 1 || results.iter().all(has_none) {
            clear(destination.file("", false));
        }
        for result in results.iter() {
            if has_none(result) || (result.counterexample.is_some() && failing == 1) {
                clear(destination.file(&self.source.short_name(&result.property), true));
            }
        }
        for result in results {
            let Some(found) = &mut result.counterexample else { continue };
            let path = destination.file(&self.source.short_name(&result.property), failing > 1);
            match destination.write(&path, self.contents(destination, &result.property, found)) {
                Ok(()) => found.file = Some(path),
                Err(source) => failures.push(Failure { what: "write", path, source }),
            }
            self.put_groups(destination, result, &mut failures);
        }
        failures
    }

    /// Writes the trails of `--all-errors`, numbered from 1 in the order of the groups, and removes those that an earlier run left
    /// with higher numbers.
    fn put_groups(&self, destination: &Destination, result: &mut PropertyResult, failures: &mut Vec<Failure>) {
        let property = &result.property;
        let groups = result.run.as_mut().and_then(|run| run.violations.as_mut());
        let Some(groups) = groups else { return };
        let name = self.source.short_name(property);
        let path = |number: usize| destination.file(&format!("{name}-{number}"), true);
        for (number, group) in (1..).zip(groups.iter_mut()) {
            let Some(found) = &mut group.counterexample else { continue };
            match destination.write(&path(number), self.contents(destination, property, found)) {
                Ok(()) => found.file = Some(path(number)),
                Err(source) => failures.push(Failure { what: "write", path: path(number), source }),
            }
        }
        for path in (groups.len() + 1..).map(path).take_while(|path| path.exists()) {
            if let Err(source) = destination.clear(&path) {
                failures.push(Failure { what: "remove", path, source });
                break;
            }
            if path.exists() {
                break; // it is no trail, and is kept
            }
        }
    }

    /// The contents of the file of a trail.
    fn contents(&self, destination: &Destination, property: &str, found: &Counterexample) -> Vec<u8> {
        match destination.is_json() {
            true => self.source.document(property, found),
            false => self.source.text(property, found),
        }
    }
}

impl TrailSource for ModelTrails<'_> {
    /// Queries have numbers, from 1 on.
    fn short_name<'p>(&self, property: &'p str) -> Cow<'p, str> {
        let text = property.strip_prefix(network::QUERY);
        let nth = text.and_then(|text| self.queries.iter().position(|query| query == text));
        nth.map_or(Cow::Borrowed(property), |nth| Cow::Owned(format!("query{}", nth + 1)))
    }

    fn text(&self, _: &str, found: &Counterexample) -> Vec<u8> {
        found.trail.to_text().into_bytes()
    }

    fn document(&self, property: &str, found: &Counterexample) -> Vec<u8> {
        // the moves of a never claim are no steps of the model
        let trail = if found.trail.claim.is_some() { &found.shown.trail } else { &found.trail };
        let header = Header {
            property: Some(property.to_owned()),
            error: Some(ErrorEntry::new(&found.violation)),
            defines: self.defines.clone(),
            cycle_start: trail.cycle_start.map(|start| start + 1),
            ..Header::new(self.path.display().to_string(), self.hash.clone(), trail.entries.len())
        };
        let document = match Playback::new(self.model) {
            Ok(playback) => recorded(&playback, header, trail, found.formula.as_ref()),
            // the initial values fail: there is no state and no step
            Err(_) => Document::new(header, Default::default(), Vec::new()),
        };
        document.to_text().into_bytes()
    }
}

/// Where the trails are, and the commands that replay them.
pub fn commands(results: &[PropertyResult], model: &Path, reading: &ReadingArgs) -> String {
    let (mut text, given) = (String::new(), given_options(reading));
    for (result, found) in results.iter().flat_map(|result| paths(result).map(move |found| (result, found))) {
        let Some(file) = &found.file else { continue };
        let shown = |path: &Path| quoted(&path.display().to_string());
        let named = if *file == beside(model) { String::new() } else { format!(" {}", shown(file)) };
        let _ = writeln!(
            text,
            "{}: trail written to {}; replay it with: homing replay{given} {}{named}",
            result.property,
            file.display(),
            shown(model)
        );
    }
    text
}

/// The reported path, and those to other errors.
fn paths(result: &PropertyResult) -> impl Iterator<Item = &Counterexample> {
    let groups = result.run.iter().filter_map(|run| run.violations.as_ref()).flatten();
    result.counterexample.iter().chain(groups.filter_map(|group| group.counterexample.as_ref()))
}

/// The options `-D`, `-I` and `--input` as they were given, each after a blank.
pub fn given_options(reading: &ReadingArgs) -> String {
    let mut given = reading.input.map(|language| format!(" --input {}", language.name())).unwrap_or_default();
    reading.defines().iter().for_each(|define| given.push_str(&format!(" -D {}", quoted(define))));
    reading.include.iter().for_each(|folder| given.push_str(&format!(" -I {}", quoted(&folder.display().to_string()))));
    given
}
