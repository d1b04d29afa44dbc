//! Interrupts and deadlines: what ends a search early, with a partial result.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use homing_core::{Limit, Progress, Stop, StopToken, Watch};
use homing_heuristics::Stage;

/// The time between the stop of a search and the stop of the confirmation of an error that it found.
const GRACE: Duration = Duration::from_millis(200);

/// A request to stop what is being decided, such as the signal of a key. Its clones are one.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<Signals>);

#[derive(Default)]
struct Signals {
    /// The times of the first request, and of the last report that the memory is full.
    asked: Mutex<Asked>,
    happened: AtomicBool,
    is_memory_full: AtomicBool,
    /// Notified when a request arrives or an alarm is no longer needed.
    news: Condvar,
}

#[derive(Clone, Copy, Default)]
struct Asked {
    interrupt: Option<Instant>,
    memory: Option<Instant>,
}

impl Interrupt {
    /// Asks everything that holds a clone to stop. Returns whether it had been asked before.
    pub fn request(&self) -> bool {
        if self.0.happened.swap(true, Ordering::Relaxed) {
            return true;
        }
        self.0.asked().interrupt = Some(Instant::now());
        self.0.news.notify_all();
        false
    }

    /// Ends what is being decided because the process has more memory than it may have, whatever takes it. What is decided after
    /// [`Interrupt::forget_memory`] is not ended.
    pub fn memory_is_full(&self) {
        if !self.0.is_memory_full.swap(true, Ordering::Relaxed) {
            self.0.asked().memory = Some(Instant::now());
            self.0.news.notify_all();
        }
    }

    /// What is decided next begins with the memory that is free then.
    pub fn forget_memory(&self) {
        self.0.asked().memory = None;
        self.0.is_memory_full.store(false, Ordering::Relaxed);
    }

    /// Why what is being decided is to end, if it is.
    pub fn reason(&self, deadline: Option<Instant>) -> Option<Stop> {
        if self.happened() {
            return Some(Stop::Interrupted);
        }
        if self.0.is_memory_full.load(Ordering::Relaxed) {
            return Some(Stop::Limit(Limit::Memory));
        }
        deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Stop::Limit(Limit::Timeout))
    }

    /// Whether there was a request to stop.
    pub fn happened(&self) -> bool {
        self.0.happened.load(Ordering::Relaxed)
    }

    /// Sets a stop token at the deadline, or at a request to stop.
    pub(super) fn alarm(&self, deadline: Option<Instant>) -> Alarm {
        let (stop, is_over) = (StopToken::default(), Arc::new(AtomicBool::new(false)));
        let watching = Watching { signals: self.0.clone(), deadline, stop: stop.clone(), is_over: is_over.clone() };
        // Without the thread the limits are checked between expansions only.
        let thread = thread::Builder::new().name("alarm".to_owned()).spawn(move || watching.wait()).ok();
        Alarm { signals: self.0.clone(), stop, is_over, thread }
    }
}

impl Signals {
    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stop token that a thread sets at a deadline or request. Dropping the alarm ends the thread.
pub(super) struct Alarm {
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
            let _asked = self.signals.asked();
            self.is_over.store(true, Ordering::Relaxed);
        }
        self.signals.news.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Work that takes long, and how far it has come.
#[derive(Clone, Copy, Debug)]
pub enum Work<'p> {
    /// An estimate is prepared.
    Preparation(Stage),
    /// States are searched.
    Search(&'p Progress),
}

/// Is shown how far the work has come, every few thousand expansions.
pub type Shown<'a> = Box<dyn FnMut(Work<'_>) + 'a>;

/// The watch of one search: ends it at a deadline or request, and shows its progress.
pub struct Watcher<'a> {
    /// Ends the search if it happens.
    pub interrupt: &'a Interrupt,
    /// When the search ends at the latest.
    pub deadline: Option<Instant>,
    /// Is shown the progress.
    pub shown: Option<Shown<'a>>,
}

impl Watcher<'_> {
    /// Shows how far a preparation has come.
    pub fn prepares(&mut self, stage: Stage) {
        if let Some(shown) = &mut self.shown {
            shown(Work::Preparation(stage));
        }
    }
}

impl Watch for Watcher<'_> {
    fn look(&mut self, progress: &Progress) -> Option<Stop> {
        let over = self.after_cut_off(progress);
        if let (None, Some(shown)) = (over, &mut self.shown) {
            shown(Work::Search(progress));
        }
        over
    }

    fn after_cut_off(&mut self, _: &Progress) -> Option<Stop> {
        self.interrupt.reason(self.deadline)
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
        let mut asked = self.signals.asked();
        while !self.is_over.load(Ordering::Relaxed) {
            let Some(at) = [self.deadline, asked.interrupt, asked.memory].into_iter().flatten().min() else {
                asked = self.signals.news.wait(asked).unwrap_or_else(PoisonError::into_inner);
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
            let woken = self.signals.news.wait_timeout(asked, until - now);
            asked = woken.unwrap_or_else(PoisonError::into_inner).0;
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
