//! Layers over transition systems: a claim that reads the runs of a system, and their product.

mod claim;
mod product;

pub use claim::{Claim, ClaimMove, ClaimTarget, TooManyStates};
pub use product::{CLAIM_WIDTH, ClaimViolations, Product, ProductAction, Stutter};
