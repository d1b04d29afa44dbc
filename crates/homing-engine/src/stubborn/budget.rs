//! What deriving access sets may cost. Sets are only worth it where they are a small part of a search.

use std::cell::Cell;

use homing_core::StopToken;

/// How much a preparation may take: a share of what the search may take. The units of work do not depend on the machine, so that the
/// same searches have access sets everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Units of work, of some tens of nanoseconds each.
    pub work: u64,
    /// Bytes that are kept.
    pub bytes: u64,
}

impl Default for Allowance {
    fn default() -> Self {
        Allowance { work: 40_000_000, bytes: 256 << 20 }
    }
}

/// The bytes of a kept access set or a term, roughly.
const BYTES_OF_ONE: u64 = 160;

/// What is left of an allowance.
pub struct Budget<'s> {
    work: Cell<u64>,
    bytes: Cell<u64>,
    stop: &'s StopToken,
}

/// The allowance is used up, or there is no time left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceeded;

impl<'s> Budget<'s> {
    pub fn new(allowance: Allowance, stop: &'s StopToken) -> Self {
        Budget { work: Cell::new(allowance.work), bytes: Cell::new(allowance.bytes), stop }
    }

    /// Counts work.
    pub fn spend(&self, work: u64) -> Result<(), Exceeded> {
        let left = self.work.get().checked_sub(work).filter(|_| !self.stop.is_set()).ok_or(Exceeded)?;
        self.work.set(left);
        Ok(())
    }

    /// Counts sets and terms that are kept.
    pub fn keep(&self, count: u64) -> Result<(), Exceeded> {
        self.spend(count)?;
        let left = self.bytes.get().checked_sub(count.saturating_mul(BYTES_OF_ONE)).ok_or(Exceeded)?;
        self.bytes.set(left);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_and_bytes_are_bounded() {
        let stop = StopToken::default();
        let budget = Budget::new(Allowance { work: 10, bytes: 3 * BYTES_OF_ONE }, &stop);
        assert_eq!((budget.spend(4), budget.keep(3), budget.keep(1)), (Ok(()), Ok(()), Err(Exceeded)));
        assert_eq!(budget.spend(3), Err(Exceeded));
        let budget = Budget::new(Allowance::default(), &stop);
        stop.set();
        assert_eq!(budget.spend(1), Err(Exceeded));
    }
}
