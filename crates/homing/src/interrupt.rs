//! Signals and deadlines: Ctrl-C, a request to terminate or a hang-up once for a partial result, twice to leave at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use homing_core::StopToken;

use crate::exit::Exit;

/// From the end of a search to the end of all that brings home an error it found.
const GRACE: Duration = Duration::from_millis(200);

/// Whether the user asked to stop.
#[derive(Clone)]
pub struct Interrupt(Arc<Signals>);

#[derive(Default)]
struct Signals {
    /// When the first one came.
    first: Mutex<Option<Instant>>,
    happened: AtomicBool,
    /// One came, or an alarm is not needed any more.
    news: Condvar,
}

impl Interrupt {
    /// Listens from now on. Where that is not possible, a signal ends the program as it always does.
    pub fn listen() -> Self {
        let signals = Arc::new(Signals::default());
        let seen = Arc::clone(&signals);
        let _ = ctrlc::set_handler(move || {
            if seen.happened.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(Exit::Interrupted.code()));
            }
            *seen.first.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            seen.news.notify_all();
        });
        Interrupt(signals)
    }

    pub fn happened(&self) -> bool {
        self.0.happened.load(Ordering::Relaxed)
    }

    /// Sets a stop token at the deadline, or when a signal comes.
    pub fn alarm(&self, deadline: Option<Instant>) -> Alarm {
        let (stop, is_over) = (StopToken::default(), Arc::new(AtomicBool::new(false)));
        let watching = Watching { signals: self.0.clone(), deadline, stop: stop.clone(), is_over: is_over.clone() };
        // Without the thread limits are kept between expansions only.
        let thread = thread::Builder::new().name("alarm".to_owned()).spawn(move || watching.wait()).ok();
        Alarm { signals: self.0.clone(), stop, is_over, thread }
    }
}

/// A stop token that is set in time. Dropping it ends the thread that does so.
pub struct Alarm {
    signals: Arc<Signals>,
    stop: StopToken,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Alarm {
    pub fn stop(&self) -> &StopToken {
        &self.stop
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        {
            let _first = self.signals.first.lock().unwrap_or_else(PoisonError::into_inner);
            self.is_over.store(true, Ordering::Relaxed);
        }
        self.signals.news.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What the thread of an alarm waits for.
struct Watching {
    signals: Arc<Signals>,
    deadline: Option<Instant>,
    stop: StopToken,
    is_over: Arc<AtomicBool>,
}

impl Watching {
    fn wait(self) {
        let mut first = self.signals.first.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_over.load(Ordering::Relaxed) {
            let Some(at) = [self.deadline, *first].into_iter().flatten().min() else {
                first = self.signals.news.wait(first).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let now = Instant::now();
            if now >= at {
                self.stop.set();
            }
            if now >= at + GRACE {
                self.stop.set_for_all();
                return;
            }
            let until = if now >= at { at + GRACE } else { at };
            let woken = self.signals.news.wait_timeout(first, until - now);
            first = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_sets_the_token_and_the_patient_one_later() {
        let interrupt = Interrupt(Arc::default());
        let alarm = interrupt.alarm(Some(Instant::now() + Duration::from_millis(20)));
        let (stop, patient) = (alarm.stop().clone(), alarm.stop().patient());
        assert!(!interrupt.alarm(None).stop().is_set());
        let start = Instant::now();
        while !patient.is_set() && start.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(1));
        }
        assert!(stop.is_set() && patient.is_set() && start.elapsed() >= GRACE / 2);
    }
}
