//! `homing check`: decides the properties of a model.

use std::time::Instant;

use homing_check::model::Confirmation;
use homing_check::{OnError, Verdict};

use crate::cli::CheckArgs;
use crate::console::Console;
use crate::decide::{self, Method, Session};
use crate::error::Error;
use crate::exit::Exit;
use crate::input::Loaded;
use crate::text::Detail;
use crate::trail::Destination;
use crate::trails::Trails;
use crate::{counterexample_text, estimate_choice, input, interrupt, json, property, result, text};

pub fn run(args: &CheckArgs, console: &Console) -> Result<Exit, Error> {
    let deadline = args.options.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let interrupt = interrupt::listen();
    let destination = Destination::new(args.trail.as_deref(), &args.model.path)?;
    let loaded = input::load(&args.model, args.quiet, console)?;
    let session = Session::new(&args.options, &args.model.path, console, &interrupt);
    estimate_choice::refuse_idle(&args.options, args.search, args.heuristic)?;
    let errors = if args.all_errors { OnError::Count } else { OnError::Stop };
    let (shortest, confirm) = (args.shortest, args.confirm);
    let method = Method { search: args.search, heuristic: args.heuristic, errors, shortest, confirm };
    let mut asked = Vec::new();
    for property in property::chosen(&args.property, &loaded.model)? {
        let task = decide::task(&loaded, &args.model, &args.options, &property)?;
        asked.push((property, task));
    }

    let mut results = Vec::new();
    for (property, task) in &asked {
        let result = session.decide(&property.name(), task, method, deadline)?;
        if !args.json {
            console.result(&text::result(&result, detail(args), console.paint))?;
        }
        let is_violated = result.verdict == Verdict::Violated;
        results.push(result);
        if is_violated && args.fail_fast {
            break;
        }
    }
    let Loaded { model, hash, .. } = loaded;
    let trails = Trails { model: &model, path: &args.model.path, hash, destination };
    for failure in trails.put(&mut results) {
        console.error(&failure.to_string());
    }
    if !args.json && !args.quiet {
        console.result(&counterexample_text::trails(&results, &args.model))?;
    }
    if args.json {
        console.result(&json::document(&args.model.path.display().to_string(), &results))?;
    }
    if results.iter().any(|result| result.confirmation == Some(Confirmation::Contradicted)) {
        return Ok(Exit::Bug);
    }
    Ok(result::exit(results.iter().map(|result| result.verdict), interrupt.happened()))
}

fn detail(args: &CheckArgs) -> Detail {
    match (args.quiet, args.verbose) {
        (true, _) => Detail::Verdict,
        (false, false) => Detail::Usual,
        (false, true) => Detail::Everything,
    }
}
