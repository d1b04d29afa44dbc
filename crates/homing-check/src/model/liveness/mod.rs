//! Properties of infinite runs: formulas, never claims, acceptance and progress labels.

mod decide;
mod estimate;
mod fold;
mod formula;
mod lasso;
mod never;
mod partial_order;
mod prefix;
mod repeat;
mod shorten;
mod storing;
mod task;
mod together;

pub use never::ClaimError;
pub use partial_order::NotReduced;
pub use task::{Liveness, LivenessTask};
