//! Reads the model.

use std::fs;
use std::io;
use std::path::Path;

use homing_ir::Model;
use homing_network::{Format, LoweredQuery, RefusedQuery};
use homing_promela::diagnostic::{Diagnostic, Severity};
use homing_promela::preprocess::Options;
use homing_promela::source::{SourceMap, decoded};
use homing_promela::{Reading, RefusedFormula};
use rapidhash::v3::rapidhash_v3;

use crate::bounded::{self, MOST_OF_MODEL};
use crate::cli::{Language, ModelArgs, ReadingArgs};
use crate::console::Console;
use crate::diagnostics;
use crate::error::Error;
use crate::network;
use crate::problem::Problem;
use crate::property::{self, Infinite, Property};

/// A model, with its source and a hash that identifies it.
#[derive(Debug)]
pub struct Loaded {
    pub model: Model,
    /// A hash of its text, its included files and the macros defined on the command line.
    pub hash: String,
    pub source: Input,
    pub warnings: Vec<Problem>,
    /// Of a network: its queries.
    pub queries: Option<Queries>,
    /// The `ltl` blocks that cannot be decided.
    pub refused: Vec<RefusedFormula>,
    /// The model mentions `_nr_pr`.
    pub counts_processes: bool,
}

/// The queries of a network.
#[derive(Debug)]
pub struct Queries {
    pub format: Format,
    /// Those that can be decided.
    pub stated: Vec<LoweredQuery>,
    /// Those that are faulty or not supported.
    pub refused: Vec<RefusedQuery>,
}

#[cfg(test)]
impl Default for Queries {
    fn default() -> Self {
        Queries { format: Format::Xta, stated: Vec::new(), refused: Vec::new() }
    }
}

/// Reads the model of the command line. Its errors are printed, its warnings too unless `quiet`. `properties` are texts that
/// are read with the model and may name macros.
pub fn load(args: &ModelArgs, quiet: bool, properties: &[String], console: &Console) -> Result<Loaded, Error> {
    let input = read(&args.path, args.reading.input)?;
    if let Some(format) = network::format(&args.path, args.reading.input) {
        return network::load(args, format, input, quiet, properties, console);
    }
    let args = &args.reading;
    if args.queries.is_some() {
        return Err(Error::QueriesOfAnother);
    }
    let options = Options { other_texts: properties.to_vec(), ..args.options() };
    let mut reading = match args.input {
        None | Some(Language::Promela) => homing_promela::read(&input.name, input.text.clone(), &options),
        Some(Language::Aut) => unreachable!("commands treat labelled transition systems apart"),
        Some(Language::Xta | Language::Xml) => unreachable!("networks are read before"),
    };
    report_refused(&mut reading, properties);
    let paint = console.message_paint;
    console.message(&diagnostics::render(&reading.diagnostics, &reading.sources, !quiet, paint));
    let hash = hash(&reading.sources, args);
    let problems: Vec<Problem> =
        reading.diagnostics.messages().iter().map(|message| Problem::new(message, &reading.sources)).collect();
    match (reading.model, reading.diagnostics.error_count()) {
        (Some(model), 0) => {
            let (refused, counts_processes) = (reading.refused, reading.counts_processes);
            Ok(Loaded { model, hash, source: input, warnings: problems, queries: None, refused, counts_processes })
        }
        (_, 0) => Err(Error::Bug(format!("{} was refused without a reason", input.name))),
        (_, errors) => Err(Error::Model { name: input.name, errors, problems }),
    }
}

/// Puts the errors of `ltl` blocks that cannot be decided among the messages: as warnings, but as errors if nothing else was
/// asked for.
fn report_refused(reading: &mut Reading, properties: &[String]) {
    for RefusedFormula { name, errors } in &reading.refused {
        let is_asked =
            |asked: &String| asked == name || asked.strip_prefix("ltl:").is_some_and(|rest| rest.trim() == name);
        let alone = !properties.is_empty() && properties.iter().all(is_asked);
        for error in errors {
            let message = format!("the ltl block `{name}` cannot be decided: {}", error.message);
            let severity = if alone { Severity::Error } else { Severity::Warning };
            reading.diagnostics.push(Diagnostic { severity, message, ..error.clone() });
        }
    }
    reading.diagnostics.sort();
}

/// The properties of the model to decide: those that were picked, or what it states.
pub fn properties(picked: &[String], loaded: &Loaded) -> Result<Vec<Property>, Error> {
    match &loaded.queries {
        Some(queries) => Ok(network::chosen(picked, queries)?),
        None => Ok(property::chosen(picked, &loaded.model, &loaded.refused)?),
    }
}

/// A warning for models that look at the number of processes and are checked against a claim.
const CLAIM_IS_NOT_COUNTED: &str = "`_nr_pr` is the number of processes of the model; in SPIN's verifier the claim is one of them, \
                                    so that its verdict can differ";

impl Loaded {
    /// A warning that SPIN counts the claim as a process, if that may matter for the property.
    pub fn claim_warning(&self, property: &Property) -> Option<String> {
        let has_claim = match property {
            Property::Infinite(Infinite::Acceptance) => !self.model.claims.is_empty(),
            property => matches!(property, Property::Infinite(_)),
        };
        (self.counts_processes && has_claim).then(|| CLAIM_IS_NOT_COUNTED.to_owned())
    }

    /// A note that a network states nothing and that its deadlocks are looked for instead, if that is so.
    pub fn default_property(&self, picked: &[String]) -> Option<String> {
        let queries = self.queries.as_ref()?;
        let states_none = queries.stated.is_empty() && queries.refused.is_empty();
        (picked.is_empty() && states_none).then(|| "the network has no query: deadlock is checked".to_owned())
    }
}

fn hash(sources: &SourceMap, args: &ReadingArgs) -> String {
    let mut all = String::new();
    for (name, value) in &args.define {
        all.push_str(&format!("-D{name}={}\n", value.as_deref().unwrap_or("1")));
    }
    for file in sources.files() {
        all.push_str(&file.text);
        all.push('\0');
    }
    format!("{:016x}", rapidhash_v3(all.as_bytes()))
}

/// The text of a model and its name in messages.
#[derive(Debug)]
pub struct Input {
    pub name: String,
    pub text: String,
}

/// Reads the file `path`, or standard input if it is `-`. The extension determines the language unless one is given.
fn read(path: &Path, language: Option<Language>) -> Result<Input, Error> {
    if path == Path::new("-") {
        let bytes = bounded::all(io::stdin().lock(), MOST_OF_MODEL)
            .map_err(|source| Error::Unreadable { path: "standard input".into(), source })?;
        return text("<stdin>".to_owned(), network::in_utf8(path, language, bytes));
    }
    let unreadable = |source| Error::Unreadable { path: path.to_owned(), source };
    if fs::metadata(path).map_err(unreadable)?.is_dir() {
        return Err(Error::Folder { path: path.to_owned() });
    }
    if language.is_none() && network::format(path, None).is_none() {
        refuse_other_languages(path)?;
    }
    let bytes = bounded::file(path, MOST_OF_MODEL).map_err(unreadable)?;
    text(path.display().to_string(), network::in_utf8(path, language, bytes))
}

/// Extensions of models in other languages. Every other file is read as Promela: SPIN reads any name, and many models have
/// an extension of their own, or none.
const OTHER_LANGUAGES: [(&str, &[&str]); 3] = [
    ("networks of automata in this format", &["ta", "xtr", "ugi"]),
    ("labelled transition systems in this format", &["bcg", "fsm", "lts"]),
    ("models in other languages", &["tla", "smv", "dve", "pnml", "jani", "prism"]),
];

fn refuse_other_languages(path: &Path) -> Result<(), Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let Some((_, extension)) = name.rsplit_once('.') else { return Ok(()) };
    if extension == "trail" {
        return Err(Error::NotAModel { path: path.to_owned() });
    }
    match OTHER_LANGUAGES.iter().find(|(_, extensions)| extensions.contains(&extension)) {
        Some((what, _)) => {
            Err(Error::NotImplemented { path: path.to_owned(), what, extension: format!(".{extension}") })
        }
        None => Ok(()),
    }
}

fn text(name: String, bytes: Vec<u8>) -> Result<Input, Error> {
    if let Some(offset) = bytes.iter().position(|&byte| byte == 0) {
        return Err(Error::Binary { name, offset });
    }
    let text = decoded(bytes);
    if text.trim().is_empty() {
        return Err(Error::Empty { name });
    }
    Ok(Input { name, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_utf_8_or_latin_1_without_nul() {
        let read = |bytes: &[u8]| text("m.pml".to_owned(), bytes.to_vec()).map(|input| input.text);
        assert_eq!(read("init { skip } /* \u{e9} */".as_bytes()).ok().as_deref(), Some("init { skip } /* \u{e9} */"));
        assert_eq!(read(b"/* caf\xe9 */").ok().as_deref(), Some("/* caf\u{e9} */"));
        assert!(matches!(read(b"ab\0c"), Err(Error::Binary { offset: 2, .. })));
        assert!(matches!(read(b" \n\t"), Err(Error::Empty { .. })));
    }
}
