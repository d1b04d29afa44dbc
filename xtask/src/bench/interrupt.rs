//! The interrupt key: the first press ends the measurement under way and keeps the others, the second ends the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Clone, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. Where that is not possible, the key ends the program as it always does.
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

    /// Does not listen.
    pub fn never() -> Interrupt {
        Interrupt(Arc::new(AtomicBool::new(false)))
    }

    pub fn happened(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
