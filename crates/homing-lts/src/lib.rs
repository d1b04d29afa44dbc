//! Labelled transition systems that are given explicitly, state by state, or by a rule.
//!
//! [`read`] reads an `.aut` file into an [`Lts`], plain or compressed by gzip, and [`write`] writes one. [`LtsSystem`] is an [`Lts`]
//! with a [`Property`] as a [`TransitionSystem`](homing_core::TransitionSystem), which every search that needs no static knowledge
//! takes. The module [`structures`] generates systems of any size on which searches can be compared.
//!
//! ```
//! use homing_lts::{Lts, LtsSystem, Property, read};
//! use homing_core::TransitionSystem;
//!
//! let lts: Lts = read(&b"des (0, 2, 2)\n(0, \"coin\", 1)\n(1, \"coffee\", 0)\n"[..])?;
//! assert_eq!((lts.states(), lts.edge_count()), (2, 2));
//! let property = Property::no_deadlock(&lts);
//! let system = LtsSystem::new(&lts, &property);
//! assert_eq!(&*system.initial(), [0, 0, 0, 0]);
//! # Ok::<(), homing_lts::ReadError>(())
//! ```

#![warn(missing_docs)]

mod aut;
mod builder;
mod column;
mod labels;
mod lts;
mod pattern;
pub mod structures;
mod system;

pub use aut::{Problem, ReadError, read, write};
pub use builder::{Builder, TooLarge};
pub use labels::{LabelId, LabelText, Labels};
pub use lts::{Edge, EdgeId, Lts};
pub use pattern::{Pattern, PatternError, PatternMatch};
pub use system::{Action, LtsSystem, Property, decode, encode};
