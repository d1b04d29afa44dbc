//! Threads that work in rounds.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Condvar, Mutex, PoisonError};

/// The rounds: helpers wait for the next one, and their leader for its end.
struct Rounds {
    number: AtomicU64,
    /// Helpers still at work in this round.
    busy: AtomicUsize,
    over: AtomicBool,
    waiting: Mutex<()>,
    wake: Condvar,
}

/// How often a helper looks for the next round before it blocks: rounds often follow each other closely.
const SPINS: u32 = 5_000;

/// Runs `lead` with helper threads. Each time it calls what it is given, with its own part of the round, every helper runs `work`
/// once, and the call returns when all are done. Between rounds helpers wait without using the processor for long.
pub(crate) fn with_workers<H: Send, R>(
    helpers: &mut [H],
    work: impl Fn(&mut H) + Sync,
    lead: impl FnOnce(&dyn Fn(&mut dyn FnMut())) -> R,
) -> R {
    let rounds = Rounds {
        number: AtomicU64::new(0),
        busy: AtomicUsize::new(0),
        over: AtomicBool::new(false),
        waiting: Mutex::new(()),
        wake: Condvar::new(),
    };
    let count = helpers.len();
    std::thread::scope(|scope| {
        for helper in helpers {
            let (rounds, work) = (&rounds, &work);
            scope.spawn(move || {
                let mut seen = 0;
                while let Some(number) = rounds.next(seen) {
                    seen = number;
                    let _done = Done(&rounds.busy);
                    work(helper);
                }
            });
        }
        let _over = Over(&rounds);
        lead(&|part| {
            rounds.busy.store(count, Relaxed);
            rounds.announce(|| {
                rounds.number.fetch_add(1, Release);
            });
            part();
            while rounds.busy.load(Acquire) > 0 {
                std::thread::yield_now();
            }
        })
    })
}

impl Rounds {
    /// The number of the next round, or none if there is none.
    fn next(&self, seen: u64) -> Option<u64> {
        let number = || (!self.over.load(Acquire)).then(|| self.number.load(Acquire));
        for _ in 0..SPINS {
            match number() {
                Some(number) if number == seen => std::hint::spin_loop(),
                other => return other,
            }
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match number() {
                Some(number) if number == seen => {
                    waiting = self.wake.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                }
                other => return other,
            }
        }
    }

    fn announce(&self, what: impl FnOnce()) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        what();
        drop(waiting);
        self.wake.notify_all();
    }
}

/// A helper is done with its round, even if it panics.
struct Done<'r>(&'r AtomicUsize);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Release);
    }
}

/// No further round, even if the leader panics.
struct Over<'r>(&'r Rounds);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.announce(|| self.0.over.store(true, Release));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_helper_works_once_a_round() {
        for count in [0, 1, 5] {
            let mut helpers = vec![0; count];
            let mut own = 0;
            let total = AtomicUsize::new(0);
            let work = |helper: &mut i32| {
                *helper += 1;
                total.fetch_add(1, Relaxed);
            };
            let led = with_workers(&mut helpers, work, |all| {
                for round in 1..=200 {
                    all(&mut || own += 1);
                    assert_eq!(total.load(Relaxed), count * round, "the round is over");
                    if round % 50 == 0 {
                        std::thread::sleep(std::time::Duration::from_millis(5)); // they block meanwhile
                    }
                }
                "led"
            });
            assert_eq!((led, own, helpers), ("led", 200, vec![200; count]));
        }
    }
}
