//! Reports of bugs in homing: a panic, or a counterexample that does not replay.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, Write};
use std::panic::{self, PanicHookInfo};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::exit::Exit;

/// The stack of the worker thread: enough for the deeply nested models that generators write. Only the used part takes
/// memory.
const STACK: usize = 256 << 20;

/// Does the work on a thread with a large stack, and turns a panic into a bug report.
pub fn catch(work: impl FnOnce() -> Exit + Send + 'static) -> Exit {
    let panicked = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&panicked);
    panic::set_hook(Box::new(move |info| {
        *seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(describe(info));
    }));
    let worker = match thread::Builder::new().stack_size(STACK).spawn(work) {
        Ok(worker) => worker,
        Err(error) => {
            let _ = writeln!(io::stderr(), "homing: cannot start the search thread: {error}");
            return Exit::Undecided;
        }
    };
    worker.join().unwrap_or_else(|_| {
        let what = panicked.lock().unwrap_or_else(PoisonError::into_inner).take();
        report(what.as_deref().unwrap_or("a thread ended for no known reason"))
    })
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let message = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    let message = message.unwrap_or("panic without a message");
    let place = info.location().map(|location| format!(" ({location})")).unwrap_or_default();
    let backtrace = Backtrace::capture();
    match backtrace.status() {
        BacktraceStatus::Captured => format!("{message}{place}\n{backtrace}"),
        _ => format!("{message}{place}"),
    }
}

/// Prints that this is a bug in homing, and how to report it.
pub fn report(what: &str) -> Exit {
    let _ = io::stderr().lock().write_all(text(what, std::env::args()).as_bytes());
    Exit::Bug
}

fn text(what: &str, command_line: impl Iterator<Item = String>) -> String {
    let command_line: Vec<String> = command_line.map(|argument| quoted(&argument)).collect();
    format!(
        "homing: this is a bug in homing, not in your model: {what}\n\
         No verdict was reached. Please report it to the authors of homing, with\n\
         \x20 - the model, and the files it includes\n\
         \x20 - the command line: {}\n\
         \x20 - the version: homing {} on {} {}\n\
         \x20 - this message\n",
        command_line.join(" "),
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH,
    )
}

/// An argument in the syntax of the shell.
pub fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_report() {
        assert_eq!(catch(|| Exit::Undecided), Exit::Undecided);
        assert_eq!(catch(|| panic!("the index is {}", 7)), Exit::Bug);
        drop(panic::take_hook());
    }

    #[test]
    fn a_report_says_what_to_send() {
        let arguments = ["homing", "check", "a b.pml", "-DN='1'", ""].map(str::to_owned);
        let text = text("step 3 cannot be executed", arguments.into_iter());
        assert!(text.contains("this is a bug in homing"));
        assert!(text.contains("step 3 cannot be executed"));
        assert!(text.contains(r"homing check 'a b.pml' '-DN='\''1'\''' ''"), "{text}");
        assert!(text.contains(env!("CARGO_PKG_VERSION")));
    }
}
