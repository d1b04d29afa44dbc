//! The visited set of all levels, which threads read together and one of them lets grow.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use homing_core::{Limit, Limits, Stop};
use homing_store::{NeedsGrowth, Store};

/// A store, with the number of times it has grown.
pub(crate) struct SharedStore<'a, S> {
    store: RwLock<(&'a mut S, u64)>,
    limits: &'a Limits,
    threads: usize,
}

impl<'a, S: Store> SharedStore<'a, S> {
    pub fn new(store: &'a mut S, limits: &'a Limits, threads: usize) -> Self {
        SharedStore { store: RwLock::new((store, 0)), limits, threads }
    }

    /// Access for one thread. To ask for it twice is a deadlock if another thread wants to grow the store in between.
    pub fn access(&self) -> Access<'_, 'a, S> {
        Access { shared: self, guard: Some(self.read()) }
    }

    fn read(&self) -> RwLockReadGuard<'_, (&'a mut S, u64)> {
        self.store.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread's access to the store: given back for the moment in which the store grows.
pub(crate) struct Access<'m, 'a, S> {
    shared: &'m SharedStore<'a, S>,
    /// None only while the store grows.
    guard: Option<RwLockReadGuard<'m, (&'a mut S, u64)>>,
}

impl<S: Store> Access<'_, '_, S> {
    pub fn store(&self) -> &S {
        self.guard.as_ref().expect("it does not grow").0
    }

    /// Does what needs room, after growing if need be. `memory` is what the search holds besides the store.
    #[inline]
    pub fn with_room<R>(&mut self, memory: u64, mut work: impl FnMut(&S) -> Result<R, NeedsGrowth>) -> Result<R, Stop> {
        loop {
            match work(self.store()) {
                Ok(result) => return Ok(result),
                Err(NeedsGrowth) => self.grow(memory)?,
            }
        }
    }

    /// Makes room, unless another thread has done so meanwhile.
    #[cold]
    fn grow(&mut self, memory: u64) -> Result<(), Stop> {
        let seen = self.guard.take().map_or(0, |guard| guard.1);
        let grown = {
            let mut growing = self.shared.store.write().unwrap_or_else(PoisonError::into_inner);
            let (store, generation) = &mut *growing;
            let after = store.memory() + store.next_growth() + memory;
            match self.shared.limits.memory {
                _ if *generation != seen => Ok(()),
                Some(most) if after > most => Err(Limit::Memory),
                _ if !store.grow(self.shared.threads) => Err(Limit::States),
                _ => {
                    *generation += 1;
                    Ok(())
                }
            }
        };
        self.guard = Some(self.shared.read());
        grown.map_err(Stop::Limit)
    }
}
