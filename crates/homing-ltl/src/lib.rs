//! Linear temporal logic and Büchi automata.
//!
//! An automaton reads infinite words. A letter of a word is a valuation of propositions, and a transition is labelled with
//! a set of letters ([`Letters`]). Acceptance is generalised and transition-based (TGBA): a run is accepting iff it takes
//! edges of each acceptance set infinitely often ([`Automaton`]).

#![warn(missing_docs)]

mod automaton;
mod letters;

pub use automaton::{Automaton, Edge};
pub use letters::{Cube, Letters};
