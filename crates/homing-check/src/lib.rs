//! Decides properties of transition systems: which searches run, with which stores, and what may be concluded from them.
//!
//! A [`Checker`] searches any system that implements [`Fork`], returns a [`Verdict`], and, if there is an error, a path to it that
//! it has executed again. A small system can be written as [`Rules`]: an initial state and a function that lists the steps of a
//! state. This is the puzzle of two jugs that hold five and three litres, of which one is to hold four in the end:
//!
//! ```
//! use homing_check::{Checker, EstimateBy, Rules, Search, Verdict, Weight};
//! use homing_core::{Guarantee, Unwatched};
//!
//! let jugs = Rules::new([0, 0], |&[five, three], steps| {
//!     if five == 4 {
//!         return steps.error("measured", "there are four litres");
//!     }
//!     let (over, back) = (five.min(3 - three), three.min(5 - five));
//!     steps.to("fill five", [5, three]);
//!     steps.to("fill three", [five, 3]);
//!     steps.to("empty five", [0, three]);
//!     steps.to("empty three", [five, 0]);
//!     steps.to("pour five into three", [five - over, three + over]);
//!     steps.to("pour three into five", [five + back, three - back]);
//! });
//!
//! let report = Checker::new(jugs).run(&mut Unwatched); // the portfolio
//! assert_eq!(report.verdict, Verdict::Violated);
//! let path = report.path.expect("a path to the error");
//! assert!(path.shortest && path.length == 6);
//! assert_eq!(path.actions[..2], ["fill five", "pour five into three"]);
//!
//! // the same by A*, with an estimate: a step is needed unless there are four litres
//! let estimate = EstimateBy::new(Guarantee::Consistent, |state| Some(u32::from(state[0] != 4)));
//! let search = Search::AStar { weight: Weight::ONE };
//! let report = Checker::new(jugs).search(search).estimate(estimate).run(&mut Unwatched);
//! assert!(report.path.is_some_and(|path| path.shortest && path.length == 6));
//! ```
//!
//! What may be claimed follows from what was done: [`Verdict::Holds`] from a search that ended because every reachable state was
//! expanded, in a store that loses none, and [`Path::shortest`](homing_core::Path::shortest) from a search that proves it.
//!
//! The module [`model`] decides the properties of models of the intermediate form, such as Promela models, and plays their runs; the module [`lts`] decides those of labelled transition systems.

#![warn(missing_docs)]

mod checker;
mod explore;
pub mod lts;
pub mod model;
mod portfolio;
mod random;
pub mod repeat;
mod replay;
mod rules;
mod search;
mod shorten;
mod store;
mod trial;
mod verdict;

pub use checker::{Checker, Report};
pub use explore::{AnyEstimate, Estimates, Exploration, Explored, LateEstimate};
pub use homing_core::Fork;
pub use homing_search::randomised_storing::{Probability, Strategy};
pub use homing_search::{Fairness, Objective, OnError, Reduction, Weight};
pub use replay::{Mismatch, replay};
pub use rules::{EstimateBy, Rules, Steps};
pub use search::{PartialOrder, Search, Sought};
pub use shorten::{Shortened, Shortening, cheap};
pub use store::{StoreChoice, StoreUse};
pub use verdict::{Reason, Verdict};
