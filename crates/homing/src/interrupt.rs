//! Signals: the first SIGINT, SIGTERM or SIGHUP ends the search with a partial result, the second ends the program.

use homing_check::model::Interrupt;

use crate::exit::Exit;

/// Installs the signal handler. Where that is not possible, a signal ends the program as usual.
pub fn listen() -> Interrupt {
    let interrupt = Interrupt::default();
    let seen = interrupt.clone();
    let _ = ctrlc::set_handler(move || {
        if seen.request() {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    });
    interrupt
}
