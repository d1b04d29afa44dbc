//! The arguments as they are given: `homing MODEL` means `homing check MODEL`.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};

use super::Cli;

/// Extensions by which a file is taken for a model even if it does not exist.
const EXTENSIONS: [&str; 8] = ["pml", "prom", "promela", "spin", "pm", "pr", "prm", "aut"];

/// Parses the arguments of the program. Ends it if they are wrong, with a message.
pub fn parse() -> Cli {
    let arguments = with_command(std::env::args_os().collect());
    Cli::try_parse_from(&arguments).unwrap_or_else(|mut error| {
        let has = |word: &str| arguments.iter().any(|argument| argument == word);
        if error.kind() == ErrorKind::MissingRequiredArgument && has("replay") && has("--chart") {
            let tip = "--chart takes the next argument as its file; put it last for a chart in the terminal, as in homing \
                       replay MODEL --chart, or name a picture, as in homing replay MODEL --chart FILE.svg";
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
        }
        if error.kind() == ErrorKind::UnknownArgument {
            suggest_value(&mut error, &arguments);
        }
        error.exit()
    })
}

/// Suggests `--search bfs` for `--bfs`.
fn suggest_value(error: &mut clap::Error, arguments: &[OsString]) {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else { return };
    let name = unknown.trim_start_matches('-');
    let program = Cli::command();
    let Some(command) = arguments.iter().find_map(|word| program.find_subcommand(word)) else { return };
    let takes_it = |option: &&clap::Arg| option.get_possible_values().iter().any(|value| value.get_name() == name);
    let Some(option) = command.get_arguments().find(takes_it).and_then(|option| option.get_long()) else { return };
    let tip = format!("{name} is a value of --{option}: --{option} {name}");
    error.remove(ContextKind::SuggestedArg);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
}

/// The arguments of the program, with the command `check` added if they name a model but no command.
fn with_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let program = Cli::command();
    let is_command = |word: &OsStr| word == "help" || program.find_subcommand(word).is_some();
    let is_own = |word: &OsStr| ["-h", "--help", "-V", "--version"].iter().any(|own| word == *own);
    let given = arguments.get(1..).unwrap_or_default();
    if given.iter().any(|word| is_command(word)) || given.first().is_some_and(|word| is_own(word)) {
        return arguments;
    }
    // a first word that is neither is a command with a typo, which clap reports
    let is_option = |word: &OsStr| word.as_encoded_bytes().starts_with(b"-");
    if given.first().is_some_and(|word| !is_option(word) && !is_model(word)) {
        return arguments;
    }
    if given.iter().any(|word| is_model(word)) {
        arguments.insert(1, "check".into());
    }
    arguments
}

fn is_model(word: &OsStr) -> bool {
    let path = Path::new(word);
    let has_extension = |extension: &OsStr| EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known));
    word == "-" || path.is_file() || path.extension().is_some_and(has_extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_without_a_command_is_checked() {
        let completed = |line: &str| {
            let words = line.split(' ').map(OsString::from).collect();
            let words: Vec<String> = with_command(words).into_iter().map(|word| word.into_string().unwrap()).collect();
            words.join(" ")
        };
        for (given, expected) in [
            ("homing m.pml", "homing check m.pml"),
            ("homing -DN=3 --json m.prm", "homing check -DN=3 --json m.prm"),
            ("homing --color never m.pml", "homing check --color never m.pml"),
            ("homing -", "homing check -"),
            ("homing Cargo.toml", "homing check Cargo.toml"),
            ("homing chek m.pmlx", "homing chek m.pmlx"),
            ("homing chek m.pml", "homing chek m.pml"),
            ("homing replay m.pml", "homing replay m.pml"),
            ("homing --color never graph m.pml", "homing --color never graph m.pml"),
            ("homing --help m.pml", "homing --help m.pml"),
            ("homing", "homing"),
        ] {
            assert_eq!(completed(given), expected);
        }
    }
}
