//! Models of the intermediate form: a [`Decider`] decides their properties, and runs of them are played, reordered and explained.
//!
//! A property is decided in a reduced copy of the model ([`SearchTask`]). A path to an error is executed again in the model itself,
//! shortened there, and put in an order that is easy to read ([`Counterexample`]); a verdict `holds` may be proved a second time,
//! without reductions ([`Confirmation`]).

mod confirm;
mod counterexample;
mod data_flow;
mod deadlock;
mod decide;
mod distinct_violations;
mod error_groups;
mod estimate;
mod fewest_switches;
mod final_state;
mod focus;
mod interrupt;
mod liveness;
mod options;
mod play;
mod playback;
mod property;
mod query;
mod query_layer;
mod query_pass;
mod query_watch;
mod reduced_system;
mod reordered;
mod result;
mod search_task;
mod shorten;
mod simulator;
mod state_graph;
mod story;
mod trim;
mod vacuous;
mod why;
mod why_text;

pub use confirm::Confirmation;
pub use counterexample::{Counterexample, Cycle, LeftOut, LengthUnit, Share, short_names};
pub use deadlock::{Deadlock, Missed, Wait, WaitsFor};
pub use decide::{DecideError, Decider, Observer, Unsuited};
pub use error_groups::ErrorGroup;
pub use interrupt::{Interrupt, Shown, Watcher, Work};
pub use liveness::{ClaimError, Liveness, LivenessTask, NotReduced};
pub use options::{Confirm, Engine, Guidance, Options};
pub use play::{BreakReason, Broken, Ending, Played, PlayedStep};
pub use playback::{Highlighted, Playback};
pub use property::Safety;
pub use query_pass::{QueryTask, Report};
pub use reordered::{Order, Reordered};
pub use result::{EstimateUse, FirstError, PropertyResult, Run, RuntimeErrorBeside, Unreached};
pub use search_task::{ModelReduction, SearchTask, reveal};
pub use simulator::Simulator;
pub use state_graph::{StateGraph, TooLarge};
pub use why::{Cause, CauseKind, Why, Witness, Writer};
