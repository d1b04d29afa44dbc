//! `homing ltl`: formulas of linear temporal logic as automata, and their equivalence.

mod json;

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use homing_ltl::{
    Difference, Formula, Lasso, Named, ParseError, ReadError, difference, is_stutter_invariant, parse_with, read_hoa,
    read_never, translate, translate_to_buchi,
};
use homing_promela::diagnostic::{Diagnostic, Diagnostics};
use homing_promela::source::{ExpansionId, SourceMap, Span};

use crate::bounded;
use crate::cli::{AutomatonFormat, LtlArgs};
use crate::console::Console;
use crate::diagnostics;
use crate::error::Error;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::Output;

/// Why the command stops.
enum Failure {
    /// The message is printed already.
    Printed,
    Message(String),
    Error(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Error(error)
    }
}

impl From<homing_ltl::TranslationError> for Failure {
    fn from(error: homing_ltl::TranslationError) -> Self {
        Failure::Message(error.to_string())
    }
}

pub fn run(args: &LtlArgs, console: &Console) -> Result<Exit, Error> {
    interrupt::end_at_once();
    if args.generalised && args.format == AutomatonFormat::Never {
        console.error("--generalised has no effect with --format never; it applies to hoa, dot and json");
        return Ok(Exit::Wrong);
    }
    let done = match (&args.formula, &args.hoa, &args.never) {
        (Some(formula), ..) => of_formula(formula, args, console),
        (None, Some(path), _) => of_file(path, read_hoa, args),
        (None, None, Some(path)) => of_file(path, read_never, args),
        (None, None, None) => return Err(Error::Bug("neither a formula nor a file was given".to_owned())),
    };
    match done {
        Ok(exit) => Ok(exit),
        Err(Failure::Printed) => Ok(Exit::Wrong),
        Err(Failure::Message(message)) => {
            console.error(&message);
            Ok(Exit::Wrong)
        }
        Err(Failure::Error(error)) => Err(error),
    }
}

fn of_formula(text: &str, args: &LtlArgs, console: &Console) -> Result<Exit, Failure> {
    let input;
    let (name, text) = if text == "-" {
        input = read(Path::new("-"))?;
        ("<stdin>", input.trim_end())
    } else {
        ("FORMULA", text)
    };
    let mut names = Vec::new();
    let mut formula = parsed(name, text, &mut names, console)?;
    if args.negate {
        formula = !formula;
    }
    if let Some(other) = &args.equivalent {
        let other = parsed("--equivalent", other, &mut names, console)?;
        return compare(&formula, &other, &names, args);
    }
    let automaton = if args.generalised { translate(&formula)? } else { translate_to_buchi(&formula)? };
    let invariance = match args.format {
        AutomatonFormat::Json => Some(is_stutter_invariant(&formula)?),
        _ => None,
    };
    let title = formula.display(&names).to_string();
    print(&Named { automaton, names }, &title, Some(title.as_str()), invariance, args)
}

fn of_file(
    path: &Path,
    read_automaton: impl Fn(&str) -> Result<Named, ReadError>,
    args: &LtlArgs,
) -> Result<Exit, Failure> {
    let text = read(path)?;
    let shown = if path == Path::new("-") { "<stdin>".to_owned() } else { path.display().to_string() };
    let mut named = read_automaton(&text).map_err(|error| Failure::Message(format!("{shown}, {error}")))?;
    named.automaton = named.automaton.trimmed();
    if !args.generalised {
        named.automaton = named.automaton.degeneralised();
    }
    print(&named, &shown, None, None, args)
}

/// Reads a formula; what is wrong with it, or read otherwise by `spin -f`, is printed with its place.
fn parsed(name: &str, text: &str, names: &mut Vec<String>, console: &Console) -> Result<Formula, Failure> {
    let mut sources = SourceMap::default();
    let file = sources.add_file(name.to_owned(), text.to_owned());
    let span =
        |range: Range<usize>| Span { file, start: range.start as u32, end: range.end as u32, via: ExpansionId::NONE };
    let print = |diagnostic: Diagnostic| {
        let mut all = Diagnostics::default();
        all.push(diagnostic);
        console.message(&diagnostics::render(&all, &sources, true, console.message_paint));
    };
    match parse_with(text, names) {
        Ok((formula, spin_reading)) => {
            // readings that differ in parentheses only are the same
            let differs = |other: &Formula| !matches!(difference(&formula, other), Ok(None));
            if let Some(other) = spin_reading.filter(differs) {
                let message = format!("`spin -f` reads this formula as `{}`", other.display(&*names));
                let warning = Diagnostic::warning(span(0..text.len()), message);
                let help = "inside a model, and here, && binds tighter than ||, and || tighter than ->; put \
                            parentheses where you mean something else";
                print(warning.label("read by precedence here").help(help));
            }
            Ok(formula)
        }
        Err(error) => {
            print(diagnostic(&error, span(error.span())));
            Err(Failure::Printed)
        }
    }
}

fn diagnostic(error: &ParseError, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(span, error.to_string());
    match error.help() {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// Reads a file, or standard input for `-`.
fn read(path: &Path) -> Result<String, Error> {
    if path == Path::new("-") {
        let unreadable = |source| Error::Unreadable { path: "standard input".into(), source };
        return bounded::text(io::stdin().lock()).map_err(unreadable);
    }
    let text = File::open(path).and_then(bounded::text);
    text.map_err(|source| Error::Unreadable { path: path.to_owned(), source })
}

fn print(
    named: &Named,
    title: &str,
    formula: Option<&str>,
    invariance: Option<bool>,
    args: &LtlArgs,
) -> Result<Exit, Failure> {
    let Named { automaton, names } = named;
    let text = match args.format {
        AutomatonFormat::Never => automaton.to_never(names, title),
        AutomatonFormat::Hoa => automaton.to_hoa(names, title),
        AutomatonFormat::Dot => automaton.to_dot(names, title),
        AutomatonFormat::Json => json::automaton(named, formula, invariance),
    };
    write(&text, args)?;
    Ok(Exit::Holds)
}

fn write(text: &str, args: &LtlArgs) -> Result<(), Error> {
    let input = args.hoa.as_deref().or(args.never.as_deref());
    let mut output = Output::open(args.output.as_deref(), input.unwrap_or(Path::new("-")))?;
    let _ = output.write(text)?;
    output.finish()
}

fn compare(first: &Formula, second: &Formula, names: &[String], args: &LtlArgs) -> Result<Exit, Failure> {
    let found = difference(first, second)?;
    let [first, second] = [first, second].map(|formula| formula.display(names).to_string());
    let text = match args.format {
        AutomatonFormat::Json => json::comparison(&first, &second, found.as_ref(), names),
        _ => described(&first, &second, found.as_ref(), names),
    };
    write(&text, args)?;
    Ok(if found.is_some() { Exit::Violated } else { Exit::Holds })
}

fn described(first: &str, second: &str, found: Option<&Difference>, names: &[String]) -> String {
    let Some(Difference { word: Lasso { stem, cycle }, satisfies_first }) = found else {
        return "equivalent\n".to_owned();
    };
    let (yes, no) = if *satisfies_first { (first, second) } else { (second, first) };
    let letters = |letters: &[u64]| letters.iter().map(|&letter| shown(letter, names)).collect::<Vec<_>>().join("; ");
    let stem = if stem.is_empty() { String::new() } else { format!("  first     {}\n", letters(stem)) };
    format!("not equivalent: a word that satisfies `{yes}` but not `{no}`\n{stem}  forever  {}\n", letters(cycle))
}

/// The values of all propositions in a letter.
fn shown(letter: u64, names: &[String]) -> String {
    let literal = |(index, name): (usize, &String)| {
        let value = if letter >> index & 1 == 1 { "" } else { "!" };
        if name.contains(' ') { format!("{value}({name})") } else { format!("{value}{name}") }
    };
    names.iter().enumerate().map(literal).collect::<Vec<_>>().join(" && ")
}
