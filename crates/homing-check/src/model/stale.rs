//! Check then act: a process passed a test, another process made its condition false, and the first one went on without testing it
//! again. Everything said here was executed: conditions are evaluated in the states of the run.

use std::collections::HashMap;

use homing_engine::{Player, Test};
use homing_report::DefinitionId;

use super::cause::Writer;
use super::data_flow::Object;

/// A test that no longer held when its process relied on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleTest {
    /// The process that tested.
    pub process: String,
    /// The conditions.
    pub conditions: Vec<String>,
    /// They held; false for an `else`.
    pub held: bool,
    /// The step that tested.
    pub tested: usize,
    /// The statement of another process that made it obsolete.
    pub by: Writer,
    /// What that wrote, such as `count = 0`.
    pub wrote: Vec<String>,
    /// The step before which the process did not test again.
    pub used: usize,
}

impl std::fmt::Display for StaleTest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let StaleTest { process, conditions, held, tested, by, wrote, used } = self;
        let conditions = conditions.join(" and ");
        match held {
            true => write!(f, "{process} tested {conditions} at step {tested}, ")?,
            false => write!(f, "{process} found {conditions} false at step {tested}, ")?,
        }
        match &wrote[..] {
            [] => write!(f, "{} executed {} at step {}", by.process, by.statement, by.step)?,
            all => write!(f, "{} set {} at step {}", by.process, all.join(" and "), by.step)?,
        }
        write!(f, ", and {process} did not test again before step {used}.")
    }
}

/// A test that a process passed.
pub(super) struct Passed {
    pub test: Test,
    /// The statement that tested, by number.
    pub step: usize,
    /// What it read.
    pub read: Vec<Object>,
    /// The statement of another process after which it would not be passed any more.
    pub falsified: Option<usize>,
    /// Its process wrote what it had read: before another process made it false, or after that.
    wrote_itself: bool,
    /// It was false, and then it held again without its process.
    restored: Option<usize>,
}

impl Passed {
    /// Whether it was false when a statement was executed.
    pub fn is_stale_at(&self, step: usize) -> bool {
        self.falsified.is_some_and(|falsified| falsified < step)
            && self.restored.is_none_or(|restored| restored >= step)
    }
}

/// The tests of a run that is being played.
#[derive(Default)]
pub(super) struct Tests {
    /// By the definition of the guard.
    passed: HashMap<DefinitionId, Passed>,
    /// Those that their process has not repeated since, the oldest first.
    current: Vec<DefinitionId>,
}

/// How many tests of a process are followed.
const MOST_OF_A_PROCESS: usize = 16;

impl Tests {
    /// The test that a guard was.
    pub fn get(&self, guard: DefinitionId) -> Option<&Passed> {
        self.passed.get(&guard)
    }

    /// The tests that a process has not repeated, the latest first.
    pub fn of(&self, pid: u8) -> impl Iterator<Item = &Passed> {
        let all = self.current.iter().rev().map(|guard| &self.passed[guard]);
        all.filter(move |passed| passed.test.executed.pid == pid)
    }

    /// Takes note of a test, which repeats those of the same process that read nothing else.
    pub fn pass(&mut self, guard: DefinitionId, test: Test, step: usize, read: Vec<Object>) {
        let pid = test.executed.pid;
        self.leave(|old| old.test.executed.pid == pid && old.read.iter().all(|object| read.contains(object)));
        let own: Vec<DefinitionId> =
            self.current.iter().copied().filter(|old| self.passed[old].test.executed.pid == pid).collect();
        if let Some(&oldest) = own.first().filter(|_| own.len() >= MOST_OF_A_PROCESS) {
            self.current.retain(|old| *old != oldest);
        }
        self.current.push(guard);
        let passed = Passed { test, step, read, falsified: None, wrote_itself: false, restored: None };
        self.passed.insert(guard, passed);
    }

    /// These are of the past; only those that another process made false may still explain something.
    fn leave(&mut self, is_left: impl Fn(&Passed) -> bool) {
        let passed = &mut self.passed;
        self.current.retain(|guard| {
            let is_left = is_left(&passed[guard]);
            if is_left && passed[guard].falsified.is_none() {
                passed.remove(guard);
            }
            !is_left
        });
    }

    /// Looks at the tests after a step of these processes that began with this statement; `wrote` says what it wrote.
    pub fn judge(
        &mut self,
        player: &Player<'_, '_>,
        (movers, first, last): (&[u8], usize, usize),
        wrote: impl Fn(&Object) -> bool,
    ) {
        for guard in &self.current {
            let passed = self.passed.get_mut(guard).expect("a current test was passed");
            if passed.step >= first || passed.wrote_itself || passed.restored.is_some() {
                continue;
            }
            if movers.contains(&passed.test.executed.pid) {
                passed.wrote_itself = passed.read.iter().any(&wrote);
                continue;
            }
            match (passed.falsified, player.would_pass(&passed.test)) {
                (None, false) => passed.falsified = Some(last),
                (Some(_), true) => passed.restored = Some(last),
                _ => {}
            }
        }
    }

    /// The tests of a process that has ended are of the past.
    pub fn forget(&mut self, pid: u8) {
        self.leave(|passed| passed.test.executed.pid == pid);
    }
}
