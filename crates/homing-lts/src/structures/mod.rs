//! Generated systems on which searches can be compared.
//!
//! [`diamond`], [`back_loop`] and [`components`] are the structures of \[EGWW-09\] (Engels, Groote, van Weerdenburg and Willemse
//! 2009), §5.1 and appendix A; [`funnel`] is the degenerate case of their Property 8. They are small
//! and explicit. [`Philosophers`] and [`Counters`] are [`Rule`]s: [`Implicit`] explores them on the fly, whatever their size, and
//! [`explicit`] lists their states.

mod counters;
mod graphs;
mod philosophers;
mod rule;

pub use counters::Counters;
pub use graphs::{FunnelOrder, back_loop, components, diamond, funnel};
pub use philosophers::Philosophers;
pub use rule::{Implicit, Rule, RuleAction, explicit};
