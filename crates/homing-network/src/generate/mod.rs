//! Generated networks: the benchmarks of Dräger, Finkbeiner & Podelski (SPIN 2006), and philosophers.
//!
//! Each is a [`NetworkText`], which is written as an `.xta` or an `.xml` file. Processes, locations and edges are in a
//! fixed order, since searches that break ties by it depend on it.

mod arbiter;
mod hanoi;
mod philosophers;
mod random;
mod text;

pub use arbiter::{Arbiter, arbiter};
pub use hanoi::{Variant, hanoi};
pub use philosophers::philosophers;
pub use random::{random_system, random_systems};
pub use text::{EdgeText, LocationText, NetworkText, TemplateText};
