//! Open lists: they decide the order of expansion, and nothing else.

pub(crate) mod buckets;
pub(crate) mod levels;
