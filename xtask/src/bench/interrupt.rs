//! The interrupt signal: the first ends the current measurement and keeps the others, the second ends the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Clone, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Installs the signal handler. Where that is not possible, the signal ends the program as usual.
    pub fn listen() -> Interrupt {
        let interrupt = Interrupt::never();
        let seen = interrupt.clone();
        let _ = ctrlc::set_handler(move || {
            if seen.0.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        interrupt
    }

    /// An interrupt that never happens.
    pub fn never() -> Interrupt {
        Interrupt(Arc::new(AtomicBool::new(false)))
    }

    pub fn happened(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
