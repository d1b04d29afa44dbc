//! How much an estimate counts, and in which order a directed search goes.

use homing_core::{Cost, Guarantee};

/// The factor `W` of an estimate, in whole parts: `W·h` is a whole number, rounded down, so that states can lie in
/// buckets. Rounding down keeps what is known of an estimate: costs are whole numbers too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weight(u32);

/// Parts of one.
const PARTS: u32 = 1 << 10;

impl Weight {
    /// The estimate counts for nothing.
    pub const ZERO: Weight = Weight(0);
    pub const ONE: Weight = Weight(PARTS);

    /// The nearest weight to a number, if it is one that is neither negative nor beyond all use (a million).
    pub fn new(weight: f64) -> Option<Weight> {
        (0.0..=1e6).contains(&weight).then(|| Weight((weight * f64::from(PARTS)).round() as u32))
    }

    /// `W·h`.
    #[inline]
    pub fn times(self, h: Cost) -> Cost {
        let product = u64::from(self.0) * u64::from(h) / u64::from(PARTS);
        product.min(u64::from(Cost::MAX)) as Cost
    }

    /// Whether an estimate of which this is known never counts for more than the true distance.
    pub fn is_admissible(self, guarantee: Guarantee) -> bool {
        self == Weight::ZERO || self <= Weight::ONE && guarantee >= Guarantee::Admissible
    }
}

/// In which order a best-first search expands: by the least `f`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merit {
    /// `f = h`: what seems nearest to an error first.
    Greedy,
    /// `f = g + W·h`: A* with weight one, uniform-cost search with weight zero.
    Weighted(Weight),
}

impl Merit {
    pub const A_STAR: Merit = Merit::Weighted(Weight::ONE);

    /// Of a state, or with `h = 0` of an error. An error met by a greedy search has its turn at once.
    #[inline]
    pub(crate) fn f(self, g: Cost, h: Cost) -> Cost {
        match self {
            Merit::Greedy => h,
            Merit::Weighted(weight) => g.saturating_add(weight.times(h)),
        }
    }

    /// Whether the first error that has its turn ends a shortest path, given what is known of the estimate.
    pub(crate) fn proves(self, guarantee: Guarantee) -> bool {
        match self {
            Merit::Greedy => false,
            Merit::Weighted(weight) => weight.is_admissible(guarantee),
        }
    }

    /// Whether a shorter path to an expanded state makes it worth another expansion.
    pub(crate) fn reopens(self) -> bool {
        self != Merit::Greedy
    }
}

/// What directs a search: an estimate, and how far it is followed.
#[derive(Debug)]
pub struct Guide<'h, By, H> {
    pub by: By,
    pub estimate: &'h mut H,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_rounded_down_and_have_an_end() {
        let weight = |of: f64| Weight::new(of).unwrap();
        assert_eq!((weight(1.0), weight(0.0)), (Weight::ONE, Weight::ZERO));
        assert_eq!((weight(1.5).times(3), weight(0.5).times(3), Weight::ONE.times(Cost::MAX)), (4, 1, Cost::MAX));
        assert_eq!(weight(1e6).times(Cost::MAX), Cost::MAX);
        assert!([-0.1, f64::NAN, f64::INFINITY, 1e7].iter().all(|&of| Weight::new(of).is_none()));
    }

    #[test]
    fn a_step_that_keeps_an_estimate_consistent_keeps_its_weighted_one_so() {
        for parts in [0, 1, 333, 512, 1023, 1024] {
            let weight = Weight(parts);
            for (h, cost) in (0..60).flat_map(|h| (0..9).map(move |cost| (h, cost))) {
                assert!(weight.times(h + cost) <= cost + weight.times(h), "{weight:?} {h} {cost}");
            }
        }
    }
}
