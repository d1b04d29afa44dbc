//! The interrupt key: once for a partial result, twice for the door.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::Exit;

/// Whether the user asked to stop.
#[derive(Clone)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. Where that is not possible, the key ends the program as it always does.
    pub fn listen() -> Self {
        let flag = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&flag);
        let _ = ctrlc::set_handler(move || {
            if seen.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(Exit::Interrupted.code()));
            }
        });
        Interrupt(flag)
    }

    pub fn happened(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
