//! Limits in every phase of a command: a thread that looks at the clock, at the memory of the process and for signals.
//!
//! A search keeps its limits by itself, and reports figures when it ends. What comes before and after it takes time and memory as well:
//! a model is read and prepared, a path is executed and explained. So at a limit the thread first asks what is being decided to end
//! ([`Interrupt`]), and if that does not come about in time it ends the program with what is known by then.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use homing_check::model::Interrupt;
use homing_core::{Limit, Stop};

use crate::exit::Exit;
use crate::machine;

/// How long after a limit or a signal the program ends at the latest, whatever it does.
const GRACE: Duration = Duration::from_millis(700);

/// How often the clock, the memory and the signals are looked at, at least.
const EVERY: Duration = Duration::from_millis(20);

/// How fast memory grows at most, in bytes a second: the nearer to the limit, the sooner it is looked at again.
const GROWTH: u64 = 8 << 30;

/// The memory that the process may have.
#[derive(Clone, Copy, Debug)]
struct Allowed {
    /// Above this what is being decided is to end.
    soft: u64,
    /// Above this the program ends.
    hard: u64,
}

impl Allowed {
    /// A search counts what it stores up to `limit`. The program, generated code and the allocator take more; `base` was taken before.
    fn of(limit: u64, base: u64) -> Self {
        let soft = (limit + limit / 20 + (9 << 20)).saturating_add(base);
        let hard = (limit + limit / 16).saturating_add((18 << 20).max(base + (6 << 20)));
        Allowed { soft: soft.min(hard - (hard - limit) / 8), hard }
    }
}

/// Ends a command at its limits.
pub struct Supervisor<'a> {
    interrupt: &'a Interrupt,
    allowed: Option<Allowed>,
    /// How long after a limit or a signal the program ends.
    grace: Duration,
    state: Mutex<State>,
    is_over: AtomicBool,
}

#[derive(Clone, Copy, Default)]
struct State {
    deadline: Option<Instant>,
    /// The results are being printed: only a signal ends the program.
    is_printing: bool,
}

impl<'a> Supervisor<'a> {
    pub fn new(interrupt: &'a Interrupt, memory: Option<u64>) -> Self {
        let allowed = memory.zip(machine::resident()).map(|(limit, base)| Allowed::of(limit, base));
        Supervisor { interrupt, allowed, grace: GRACE, state: Mutex::default(), is_over: AtomicBool::new(false) }
    }

    /// Nothing waits for the end of the work, which has no results to report.
    pub fn at_once(self) -> Self {
        Supervisor { grace: Duration::ZERO, ..self }
    }

    /// Sets until when the present work may take.
    pub fn set_deadline(&self, deadline: Option<Instant>) {
        self.state().deadline = deadline;
    }

    /// From now on only a signal ends the program.
    pub fn prints(&self) {
        self.state().is_printing = true;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does the work of a command. If it has to be ended, `end` prints what is known and returns the exit code.
    pub fn watch<R>(&self, end: impl Fn(Stop) -> Exit + Sync, work: impl FnOnce() -> R) -> R {
        thread::scope(|scope| {
            // Without the thread the limits are kept by searches only.
            let watching = thread::Builder::new().name("supervisor".to_owned()).spawn_scoped(scope, || self.run(&end));
            let _over =
                Over { is_over: &self.is_over, thread: watching.ok().map(|watching| watching.thread().clone()) };
            work()
        })
    }

    fn run(&self, end: &dyn Fn(Stop) -> Exit) {
        let grace = self.grace;
        let mut full_since: Option<Instant> = None;
        let mut interrupted_since: Option<Instant> = None;
        while !self.is_over.load(Ordering::Acquire) {
            let now = Instant::now();
            let State { deadline, is_printing } = *self.state();
            let mut pause = EVERY;
            let mut stop = None;
            if self.interrupt.happened() {
                let since = *interrupted_since.get_or_insert(now);
                stop = (now >= since + grace).then_some(Stop::Interrupted);
            }
            if let Some(deadline) = deadline {
                pause = pause.min((deadline + grace).saturating_duration_since(now).max(Duration::from_millis(1)));
                stop = stop.or((now >= deadline + grace).then_some(Stop::Limit(Limit::Timeout)));
            }
            if let Some(Allowed { soft, hard }) = self.allowed
                && let Some(taken) = machine::resident()
            {
                match taken > soft {
                    true => self.interrupt.memory_is_full(),
                    false => full_since = None,
                }
                let since = (taken > soft).then(|| *full_since.get_or_insert(now));
                let is_late = since.is_some_and(|since| now >= since + grace);
                stop = stop.or((taken > hard || is_late).then_some(Stop::Limit(Limit::Memory)));
                let next = if taken > soft { hard } else { soft };
                let room = Duration::from_nanos(next.saturating_sub(taken).saturating_mul(1_000_000_000) / GROWTH);
                pause = pause.min(room).max(Duration::from_micros(250));
            }
            match stop {
                Some(stop @ Stop::Interrupted) if is_printing => exit(stop, None),
                Some(stop) => {
                    let state = self.state(); // the results are not printed any more
                    if !state.is_printing {
                        exit(stop, Some(end));
                    }
                    drop(state);
                    thread::park_timeout(EVERY);
                }
                None => thread::park_timeout(pause),
            }
        }
    }
}

/// Ends the program.
fn exit(stop: Stop, end: Option<&dyn Fn(Stop) -> Exit>) -> ! {
    let exit = end.map_or(Exit::of_stop(stop), |end| end(stop));
    std::process::exit(i32::from(exit.code()))
}

/// Ends the thread of a supervisor when the work is done, also by a panic.
struct Over<'s> {
    is_over: &'s AtomicBool,
    thread: Option<thread::Thread>,
}

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        self.thread.iter().for_each(thread::Thread::unpark);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_may_have_a_fifth_more_than_its_search() {
        for limit in [1 << 20, 50 << 20, 200 << 20, 1 << 30] {
            for base in [6 << 20, 9 << 20] {
                let Allowed { soft, hard } = Allowed::of(limit, base);
                assert!(limit < soft && soft < hard && hard <= limit + limit / 5 + 20_000_000, "{limit} {soft} {hard}");
            }
        }
    }
}
