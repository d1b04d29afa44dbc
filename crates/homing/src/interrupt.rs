//! Signals: the first SIGINT, SIGTERM or SIGHUP ends the search with a partial result, a later one ends the program.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use homing_check::model::Interrupt;

use crate::exit::Exit;

/// Signals that arrive within this time after the first one are the same request: timeout(1) sends each signal twice, to the
/// process and to its group, and a terminal that is closed sends SIGHUP after SIGTERM.
const SAME_REQUEST: Duration = Duration::from_millis(500);

/// Installs the signal handler. Where that is not possible, a signal ends the program as usual.
pub fn listen() -> Interrupt {
    let interrupt = Interrupt::default();
    let seen = interrupt.clone();
    let mut first = None;
    let _ = ctrlc::set_handler(move || {
        let first: Instant = *first.get_or_insert_with(Instant::now);
        if seen.request() && first.elapsed() > SAME_REQUEST {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    });
    interrupt
}

/// A signal ends the program: a command that only prints has no partial result.
pub fn end_at_once() {
    let _ = ctrlc::set_handler(|| std::process::exit(i32::from(Exit::Interrupted.code())));
}

/// What a signal does to an interactive session: it ends the command that is being executed, or, while a command is awaited, saves
/// the run and ends the program. A session takes time, and a slip of the hand must not lose it.
#[derive(Clone, Default)]
pub struct SessionGuard {
    /// Whether a command is being executed.
    executing: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
    /// The file and the text of the trail of the run so far; none if there is nothing to save.
    unsaved: Arc<Mutex<Option<(PathBuf, String)>>>,
}

impl SessionGuard {
    /// Installs the signal handler.
    pub fn listen() -> Self {
        let guard = SessionGuard::default();
        let seen = guard.clone();
        let _ = ctrlc::set_handler(move || seen.signal());
        guard
    }

    fn signal(&self) {
        if self.executing.load(Ordering::SeqCst) && !self.stop.swap(true, Ordering::SeqCst) {
            return;
        }
        let unsaved = self.unsaved.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((path, text)) = unsaved {
            let outcome = match fs::write(&path, text) {
                Ok(()) => format!("interrupted; the run was saved in {}", path.display()),
                Err(error) => format!("cannot save the run in {}: {error}", path.display()),
            };
            let _ = writeln!(io::stderr(), "\nhoming: {outcome}"); // if it cannot be printed, nothing can
        }
        std::process::exit(i32::from(Exit::Interrupted.code()));
    }

    /// Executes a command, which a signal ends.
    pub fn execute<T>(&self, command: impl FnOnce() -> T) -> T {
        self.stop.store(false, Ordering::SeqCst);
        self.executing.store(true, Ordering::SeqCst);
        let done = command();
        self.executing.store(false, Ordering::SeqCst);
        done
    }

    /// Whether the command that is being executed is to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Sets what a signal saves.
    pub fn keep(&self, unsaved: Option<(PathBuf, String)>) {
        *self.unsaved.lock().unwrap_or_else(PoisonError::into_inner) = unsaved;
    }
}
