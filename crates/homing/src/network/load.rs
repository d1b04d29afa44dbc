//! Reads a network and its queries.

use std::fs::File;
use std::path::Path;

use homing_ir::Invariant;
use homing_network::{Format, Input as NetworkInput, Lowered, LoweredQuery, Reading};
use rapidhash::v3::rapidhash_v3;

use super::diagnostics::converted;
use super::property::QUERY;
use crate::bounded;
use crate::cli::{Language, ModelArgs, ReadingArgs};
use crate::console::Console;
use crate::diagnostics;
use crate::error::Error;
use crate::input::{Input, Loaded, Queries};
use crate::problem::Problem;

/// The format of a file with a network: by `--input`, or by its extension. `None` if it is another model.
pub fn format(path: &Path, language: Option<Language>) -> Option<Format> {
    let by_extension = || match path.extension()?.to_ascii_lowercase().to_str()? {
        "xta" => Some(Format::Xta),
        "xml" => Some(Format::Xml),
        _ => None,
    };
    match language {
        Some(Language::Xta) => Some(Format::Xta),
        Some(Language::Xml) => Some(Format::Xml),
        Some(Language::Promela | Language::Aut) => None,
        None => by_extension(),
    }
}

/// Reads the network of the command line, with the queries among `properties`; without those, the queries of `--queries`, of the model,
/// or of the file beside it, in this order.
pub fn load(
    args: &ModelArgs,
    format: Format,
    source: Input,
    quiet: bool,
    properties: &[String],
    console: &Console,
) -> Result<Loaded, Error> {
    refuse_macros(&args.reading)?;
    let mut asked = NetworkInput::new(&source.name, &source.text, format);
    for text in properties.iter().filter_map(|property| property.strip_prefix(QUERY)) {
        asked = asked.query(text.trim());
    }
    if asked.queries.is_empty()
        && let Some(file) = &args.reading.queries
    {
        let text = File::open(file)
            .and_then(bounded::text)
            .map_err(|source| Error::Unreadable { path: file.clone(), source })?;
        asked = asked.query_file(file.display().to_string(), text);
    }
    let mut reading = homing_network::read(&asked);
    let states_none = |reading: &Reading| {
        reading.refused.is_empty() && reading.network.as_ref().is_some_and(|network| network.queries.is_empty())
    };
    let beside = args.path.with_extension("q");
    if asked.queries.is_empty()
        && states_none(&reading)
        && let Ok(text) = File::open(&beside).and_then(bounded::text)
    {
        asked = asked.query_file(beside.display().to_string(), text);
        reading = homing_network::read(&asked);
    }
    let lowered = reading.lower();
    let (messages, sources) = converted(&reading.diagnostics, &reading.sources);
    console.message(&diagnostics::render(&messages, &sources, !quiet, console.message_paint));
    let problems: Vec<Problem> = messages.messages().iter().map(|message| Problem::new(message, &sources)).collect();
    let hash = format!("{:016x}", rapidhash_v3(source.text.as_bytes()));
    match (lowered, reading.diagnostics.error_count()) {
        (Some(Lowered { model, queries, .. }), _) => {
            let queries = Some(Queries { format, stated: queries, refused: reading.refused });
            Ok(Loaded {
                model,
                hash,
                source,
                warnings: problems,
                queries,
                refused: Vec::new(),
                counts_processes: false,
            })
        }
        (None, 0) => Err(Error::Bug(format!("{} was refused without a reason", source.name))),
        (None, errors) => Err(Error::Model { name: source.name, errors, problems }),
    }
}

/// The condition of a query that a trail names.
pub fn query(loaded: &Loaded, text: &str) -> Result<Invariant, Error> {
    let wrong = |reason: &str| Error::Invariant { text: text.to_owned(), reason: reason.to_owned() };
    let Some(Queries { format, .. }) = &loaded.queries else { return Err(wrong("the model is not a network")) };
    let input = NetworkInput::new(&loaded.source.name, &loaded.source.text, *format).query(text);
    let mut reading = homing_network::read(&input);
    match reading.lower().map(|lowered| lowered.queries) {
        Some(mut queries) if !queries.is_empty() => Ok(LoweredQuery::clone(&queries.remove(0)).invariant),
        _ => Err(wrong(reading.diagnostics.messages().first().map_or("it is no query", |first| &first.message))),
    }
}

fn refuse_macros(reading: &ReadingArgs) -> Result<(), Error> {
    for (is_given, option) in [(!reading.define.is_empty(), "-D"), (!reading.include.is_empty(), "-I")] {
        if is_given {
            return Err(Error::NetworkOption { option });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_unless_a_language_is_given() {
        for (path, expected) in
            [("a.xta", Some(Format::Xta)), ("x/A.XML", Some(Format::Xml)), ("a.pml", None), ("xml", None), ("-", None)]
        {
            assert_eq!(format(Path::new(path), None), expected, "{path}");
        }
        assert_eq!(format(Path::new("-"), Some(Language::Xml)), Some(Format::Xml));
        assert_eq!(format(Path::new("a.xml"), Some(Language::Promela)), None);
    }
}
