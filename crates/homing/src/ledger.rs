//! What `homing check` knows so far: what it prints if it has to be ended before it is done.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use homing_check::Reason;
use homing_check::model::PropertyResult;
use homing_core::Stop;
use homing_ir::Model;

use crate::formats::ModelReport;
use crate::input::Loaded;

/// The reports of the models that are done, and the results of the one being checked.
#[derive(Default)]
pub struct Ledger(Mutex<Known>);

/// What is known.
#[derive(Default)]
pub struct Known {
    pub reports: Vec<ModelReport>,
    /// The model being checked; none before the first and after the last.
    pub current: Option<Current>,
}

/// The results of a model so far.
pub struct Current {
    /// The names of the properties that are not decided, in their order.
    pub pending: Vec<String>,
    pub results: Vec<PropertyResult>,
    /// The model, once a result has a path through it.
    pub model: Option<Kept>,
}

/// A model, and what is written of it to trails.
#[derive(Default)]
pub struct Kept {
    pub model: Box<Model>,
    pub hash: String,
    /// The queries of a network whose trails are named by their numbers.
    pub queries: Vec<String>,
}

/// How long the end of the program waits for a result that is being printed.
const PRINTING: Duration = Duration::from_millis(200);

impl Ledger {
    pub fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known, unless a result is being printed to a reader that does not read.
    pub fn lock_soon(&self) -> Option<MutexGuard<'_, Known>> {
        let start = Instant::now();
        loop {
            match self.0.try_lock() {
                Ok(known) => return Some(known),
                Err(TryLockError::Poisoned(known)) => return Some(known.into_inner()),
                Err(TryLockError::WouldBlock) if start.elapsed() > PRINTING => return None,
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    /// Begins with a model, of which these properties are to be decided as far as that is known before it is read.
    pub fn begin(&self, pending: Vec<String>) {
        self.lock().current = Some(Current { pending, results: Vec::new(), model: None });
    }

    /// Sets the properties of the present model.
    pub fn set_pending(&self, pending: Vec<String>) {
        self.lock().current.iter_mut().for_each(|current| current.pending.clone_from(&pending));
    }

    /// Keeps a copy of the model: a result has a path through it, or may have one.
    pub fn keep_model(&self, loaded: &Loaded, queries: &[String]) {
        if let Some(current) = &mut self.lock().current {
            current.model.get_or_insert_with(|| Kept {
                model: Box::new(loaded.model.clone()),
                hash: loaded.hash.clone(),
                queries: queries.to_vec(),
            });
        }
    }

    /// The results of the present model, which are not kept any more.
    pub fn take_results(&self) -> Vec<PropertyResult> {
        self.lock().current.take().map_or_else(Vec::new, |current| current.results)
    }
}

impl Known {
    /// Adds a result of the present model.
    pub fn add(&mut self, result: PropertyResult) {
        if let Some(current) = &mut self.current {
            current.pending.retain(|name| *name != result.property);
            current.results.push(result);
        }
    }
}

impl Current {
    /// The results of the properties that are not decided because of `stop`.
    pub fn unknown(&self, stop: Stop) -> Vec<PropertyResult> {
        let unknown = |name: &String| PropertyResult::unknown(name.clone(), Reason::Stopped(stop));
        self.pending.iter().map(unknown).collect()
    }
}
