//! How a construction went.

use std::fmt;
use std::time::Duration;

use homing_core::Cost;

/// Why a construction stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Time was over.
    Time,
    /// A product had too many transitions.
    Transitions,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cut::Time => "the time limit was reached",
            Cut::Transitions => "a product exceeded the limit on transitions",
        })
    }
}

/// One composition and abstraction.
#[derive(Clone, Debug)]
pub struct Merge {
    /// The left part: the name of a factor, or `#k` for the result of the k-th merge.
    pub left: String,
    /// The right part; none if a single component was abstracted because a product with it would have been too large.
    pub right: Option<String>,
    /// The number of states of the left part times that of the right.
    pub pairs: u64,
    /// How many pairs are reachable.
    pub reachable: u32,
    /// From how many of these a goal state is reachable.
    pub alive: u32,
    /// The number of transitions of the product.
    pub transitions: u32,
    /// The number of classes that are left.
    pub classes: u32,
    /// The largest finite distance in the product.
    pub longest: Cost,
    /// The time it took.
    pub elapsed: Duration,
}

/// How a construction went.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// The merges, in order.
    pub merges: Vec<Merge>,
    /// The factors on which the error does not depend: they were left out.
    pub irrelevant: Vec<String>,
    /// The number of labels that are listed, before and after the first reduction of labels.
    pub labels: (u32, u32),
    /// Why the construction stopped early, if it did. The estimate is the maximum over the components that were left.
    pub cut: Option<Cut>,
    /// The number of components that were left.
    pub components: u32,
    /// The time it took.
    pub elapsed: Duration,
}

impl Statistics {
    /// The number of pairs of the largest product.
    pub fn largest_product(&self) -> u64 {
        self.merges.iter().map(|merge| merge.pairs).max().unwrap_or(0)
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, merge) in (1..).zip(&self.merges) {
            match &merge.right {
                Some(right) => write!(f, "#{number} = {} with {right}: ", merge.left)?,
                None => write!(f, "#{number} = {} alone: ", merge.left)?,
            }
            let Merge { pairs, reachable, alive, transitions, classes, longest, .. } = merge;
            writeln!(
                f,
                "{pairs} pairs, {reachable} reachable, {alive} of them lead to the goal, {transitions} transitions, \
                 longest distance {longest}, {classes} classes"
            )?;
        }
        if !self.irrelevant.is_empty() {
            writeln!(f, "left out, as the error does not depend on them: {}", self.irrelevant.join(", "))?;
        }
        if let Some(cut) = self.cut {
            writeln!(f, "stopped early with {} components left: {cut}", self.components)?;
        }
        write!(f, "{} merges, {} labels, {:.3} s", self.merges.len(), self.labels.0, self.elapsed.as_secs_f64())?;
        if self.labels.1 < self.labels.0 { write!(f, " ({} labels after reduction)", self.labels.1) } else { Ok(()) }
    }
}
