//! Properties of infinite runs: formulas, never claims, acceptance and progress labels.

mod decide;
mod formula;
mod lasso;
mod never;
mod task;

pub use never::ClaimError;
pub use task::{Liveness, LivenessTask};
