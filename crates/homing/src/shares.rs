//! How the time of `--timeout` is shared among properties.

use std::time::Instant;

/// The time that is left, for so many properties: each is given an equal share, and what one does not use is left to those after it.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    deadline: Option<Instant>,
    properties: usize,
}

impl Shares {
    /// The time until the deadline, if there is one.
    pub fn new(deadline: Option<Instant>, properties: usize) -> Self {
        Shares { deadline, properties }
    }

    /// When the next properties have to be decided, so many of them together.
    pub fn of(&self, properties: usize) -> Option<Instant> {
        self.at(Instant::now(), properties)
    }

    /// So many properties are decided.
    pub fn take(&mut self, properties: usize) {
        self.properties = self.properties.saturating_sub(properties);
    }

    /// When the next properties have to be decided, which are taken.
    pub fn next(&mut self, properties: usize) -> Option<Instant> {
        let until = self.of(properties);
        self.take(properties);
        until
    }

    fn at(&self, now: Instant, properties: usize) -> Option<Instant> {
        let deadline = self.deadline?;
        let left = deadline.saturating_duration_since(now);
        let share = properties as f64 / self.properties.max(1) as f64;
        Some(if share < 1.0 { now + left.mul_f64(share) } else { deadline })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn unused_time_is_left_to_the_others() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut shares = Shares::new(Some(after(10)), 5);
        assert_eq!(shares.at(start, 1), Some(after(2)));
        shares.take(1);
        assert_eq!(shares.at(start, 2), Some(after(5)), "two of four have half of it");
        shares.take(2);
        assert_eq!(shares.at(after(8), 1), Some(after(9)));
        shares.take(1);
        assert_eq!(shares.at(after(9), 1), Some(after(10)), "the last has all that is left");
        assert_eq!(shares.at(after(11), 1), Some(after(10)), "nothing is left");
        assert_eq!(Shares::new(None, 3).at(start, 1), None);
    }
}
