//! Signals and deadlines: the first SIGINT, SIGTERM or SIGHUP ends the search with a partial result, the second ends
//! the program.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use homing_core::StopToken;

use crate::exit::Exit;

/// The time between the stop of a search and the stop of the confirmation of an error that it found.
const GRACE: Duration = Duration::from_millis(200);

/// Signals that ask the program to stop.
#[derive(Clone)]
pub struct Interrupt(Arc<Signals>);

#[derive(Default)]
struct Signals {
    /// The time of the first signal.
    first: Mutex<Option<Instant>>,
    happened: AtomicBool,
    /// Notified when a signal arrives or an alarm is no longer needed.
    news: Condvar,
}

impl Interrupt {
    /// Installs the signal handler. Where that is not possible, a signal ends the program as usual.
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

    /// Sets a stop token at the deadline, or when a signal arrives.
    pub fn alarm(&self, deadline: Option<Instant>) -> Alarm {
        let (stop, is_over) = (StopToken::default(), Arc::new(AtomicBool::new(false)));
        let watching = Watching { signals: self.0.clone(), deadline, stop: stop.clone(), is_over: is_over.clone() };
        // Without the thread the limits are checked between expansions only.
        let thread = thread::Builder::new().name("alarm".to_owned()).spawn(move || watching.wait()).ok();
        Alarm { signals: self.0.clone(), stop, is_over, thread }
    }
}

/// A stop token that a thread sets at a deadline or signal. Dropping the alarm ends the thread.
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

/// The state of the thread of an alarm.
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
