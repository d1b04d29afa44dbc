//! Linear temporal logic and Büchi automata.
//!
//! An automaton reads infinite words. A letter of a word is a valuation of propositions, and a transition is labelled
//! with a set of letters ([`Letters`]). Acceptance is generalised and transition-based (TGBA): a run is accepting iff
//! it takes edges of each acceptance set infinitely often ([`Automaton`]).
//!
//! A formula becomes an automaton in these steps (`translate.rs`): negation normal form and rewriting (`nnf/`), the
//! tableau of Couvreur 1999 (`tableau.rs`), trimming and simulation (`trim.rs`, `simulation.rs`), a weak deterministic
//! automaton if the property is an obligation (`wdba.rs`), deterministic automata for recurrence parts
//! (`recurrence.rs`), merging of states by checking the language (`merge.rs`), and degeneralisation
//! (`degeneralise.rs`).
//!
//! ```
//! use homing_ltl::{Strength, parse, translate_to_buchi};
//!
//! let response = parse("[] (request -> <> (answer == 1))")?;
//! let violations = translate_to_buchi(&!response.formula)?;
//! assert_eq!((violations.states.len(), violations.strength()), (2, Strength::Weak));
//! assert!(violations.to_never(&response.names, "violations").contains("(request && !(answer == 1)) ->"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

#[cfg(test)]
extern crate self as homing_ltl;

mod automaton;
mod degeneralise;
mod emptiness;
mod equivalence;
mod formula;
mod layers;
mod letters;
mod merge;
mod nnf;
mod parse;
mod product;
#[cfg(test)]
#[path = "../tests/random/mod.rs"]
mod random;
mod recurrence;
mod simulation;
mod strength;
mod stutter;
mod tableau;
mod text;
mod tight;
mod translate;
mod trim;
mod wdba;

pub use automaton::{Automaton, Edge};
pub use equivalence::{Difference, difference};
pub use formula::{Binary, Formula, Lasso, Node, Unary, holds};
pub use homing_core::Components;
pub use layers::{
    CLAIM_WIDTH, Claim, ClaimMove, ClaimTarget, ClaimViolations, Product, ProductAction, Stutter, TooManyStates,
};
pub use letters::{Cube, Letters};
pub use parse::{MOST_TOKENS, ParseError, Parsed, parse, parse_with};
pub use strength::{Classes, SccClass, Strength};
pub use stutter::is_stutter_invariant;
pub use text::{Named, ReadError, guard, read_hoa, read_never};
pub use tight::tight_claims;
pub use translate::{MOST_NODES, TranslationError, translate, translate_over, translate_to_buchi};
