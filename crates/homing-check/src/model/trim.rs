//! Leaves out steps of a path that is not proved shortest, as long as the rest still leads to the same error.
//!
//! The steps that are left out are searched for by halves, quarters and so on of the path, and of the steps of each process (delta
//! debugging: Zeller and Hildebrandt, 2002).

use homing_core::{StopToken, Violation};
use homing_engine::Interpreter;
use homing_report::{Entry, Trail};

use super::counterexample::Counterexample;
use super::play::{Ending, play};
use super::search_task::SearchTask;

/// Statements that may be executed for it: some hundredths of a second.
const MOST_STATEMENTS: usize = 1 << 16;

/// Replaces the path by a shorter one to the same error, if leaving out steps gives one.
pub(super) fn trim(task: &SearchTask, found: &mut Counterexample, stop: &StopToken) -> Result<(), String> {
    let Ok(interpreter) = Interpreter::new(&task.model) else { return Ok(()) };
    let interpreter = interpreter.stopped_by(stop.clone());
    let mut trimming =
        Trimming { interpreter: &interpreter, found, entries: found.trail.entries.clone(), left: MOST_STATEMENTS };
    trimming.by_process();
    trimming.by_parts(|_| true);
    let entries = trimming.entries;
    if entries.len() == found.trail.entries.len() {
        return Ok(());
    }
    let trail = Trail { entries, ..found.trail.clone() };
    let patient = stop.patient();
    let interpreter = interpreter.stopped_by(patient.clone());
    match Counterexample::of_trail(trail, found.violation.clone(), &interpreter) {
        Ok(shorter) => *found = Counterexample { at_least: found.at_least, ..shorter },
        Err(_) if patient.is_set() => {}
        Err(what) => return Err(what),
    }
    Ok(())
}

struct Trimming<'a, 'm> {
    interpreter: &'a Interpreter<'m>,
    found: &'a Counterexample,
    /// The shortest path so far.
    entries: Vec<Entry>,
    /// Statements that may still be executed.
    left: usize,
}

impl Trimming<'_, '_> {
    /// Leaves out steps of single processes, the youngest first: what it does may be needed by none.
    fn by_process(&mut self) {
        let mut pids: Vec<_> = self.entries.iter().map(|entry| entry.pid).collect();
        pids.sort_unstable_by(|left, right| right.cmp(left));
        pids.dedup();
        let failing = self.entries.last().map(|entry| entry.pid);
        self.by_parts(|entry| Some(entry.pid) != failing);
        for pid in pids {
            self.by_parts(|entry| entry.pid == pid);
        }
    }

    /// Leaves out steps of the chosen ones: halves, then quarters, and so on.
    fn by_parts(&mut self, is_chosen: impl Fn(&Entry) -> bool) {
        let chosen = |entries: &[Entry]| entries.iter().filter(|entry| is_chosen(entry)).count();
        let mut size = chosen(&self.entries);
        while size > 0 {
            let mut first = 0;
            while first < chosen(&self.entries) && self.left > 0 {
                let mut number = 0;
                let is_left_out = |entry: &Entry| {
                    number += usize::from(is_chosen(entry));
                    is_chosen(entry) && (first + 1..=first + size).contains(&number)
                };
                if !self.attempt(is_left_out) {
                    first += size;
                }
            }
            size /= 2;
        }
    }

    /// Leaves out these steps if the rest leads to the same error. Returns whether it does.
    fn attempt(&mut self, mut is_left_out: impl FnMut(&Entry) -> bool) -> bool {
        let entries: Vec<Entry> = self.entries.iter().copied().filter(|entry| !is_left_out(entry)).collect();
        if entries.len() == self.entries.len() || self.left < entries.len() {
            self.left = if self.left < entries.len() { 0 } else { self.left };
            return false;
        }
        self.left -= entries.len();
        let trail = Trail { entries, ..self.found.trail.clone() };
        let is_same = |violation: &Violation| *violation == self.found.violation;
        match play(self.interpreter, &trail, |_, _| ()) {
            Ok(played) if matches!(&played.ending, Ending::Violations(all) if all.iter().any(is_same)) => {
                self.entries = trail.entries;
                true
            }
            _ => false,
        }
    }
}
