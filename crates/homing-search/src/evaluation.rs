//! The evaluation function `f` of a directed search, and the weight of the estimate in it.

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
    /// The estimate counts as it is.
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

/// The evaluation function of a best-first search, which expands what has the least `f` first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluation {
    /// `f = h`: what seems nearest to an error first.
    Greedy,
    /// `f = g + W·h`: A* with weight one, uniform-cost search with weight zero.
    Weighted(Weight),
}

impl Evaluation {
    /// `f = g + h`.
    pub const A_STAR: Evaluation = Evaluation::Weighted(Weight::ONE);

    /// The value of a state, or with `h = 0` of an error. An error found by a greedy search has its turn at once.
    #[inline]
    pub(crate) fn f(self, g: Cost, h: Cost) -> Cost {
        match self {
            Evaluation::Greedy => h,
            Evaluation::Weighted(weight) => g.saturating_add(weight.times(h)),
        }
    }

    /// Whether the first error that has its turn ends a shortest path, given what is known of the estimate.
    pub(crate) fn proves(self, guarantee: Guarantee) -> bool {
        match self {
            Evaluation::Greedy => false,
            Evaluation::Weighted(weight) => weight.is_admissible(guarantee),
        }
    }

    /// Whether a shorter path to an expanded state makes it worth another expansion.
    pub(crate) fn reopens(self) -> bool {
        self != Evaluation::Greedy
    }
}

/// What directs a search: an estimate, and what is made of it.
#[derive(Debug)]
pub struct Directed<'h, By, H> {
    /// The evaluation function, or the weight of the estimate in it.
    pub by: By,
    /// The estimate `h`.
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
