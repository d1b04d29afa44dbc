//! Labelled transition systems on the command line: what each command does with an `.aut` file.

mod check;
mod decide;
mod graph;
mod load;
mod property;
mod refuse;
mod replay;
mod run;
mod simulate;
mod trail;

pub use check::results;
pub use decide::compare;
pub use graph::draw;
pub use load::is_lts;
pub use property::PropertyProblem;
pub use refuse::Unsuitable;
pub use replay::{Misfit, replay};
pub use simulate::simulate;
pub use trail::is_trail;
