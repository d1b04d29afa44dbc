//! When it does not pay to look for stubborn sets: the share of moves that they leave out is measured, and where it is small
//! states are expanded in full, except for a trial now and then.
//!
//! Decided between levels, from figures of whole levels, so that it does not depend on the threads. A state that is expanded in
//! full is always allowed.

use homing_store::Store;

use super::SharedSearch;
use super::nodes::Marks;

/// Expansions after which the share is computed.
const WINDOW: u64 = 1024;

/// The least share of moves that is worth it: one in so many.
const ONE_IN: u64 = 20;

/// So many windows with less in sequence, and no sets are looked for.
const STRIKES: u32 = 4;

/// Expansions until the next trial, which is one window.
const PAUSE: u64 = 65_536;

/// Switches the choice of stubborn sets off and on.
#[derive(Default)]
pub(crate) struct SelectionSwitch {
    /// Expansions, steps taken and moves left out when the window began.
    before: [u64; 3],
    strikes: u32,
}

impl SelectionSwitch {
    /// All states of a level were expanded.
    pub fn after_level<S: Store, M: Marks, E>(&mut self, shared: &SharedSearch<'_, S, M, E>) {
        if shared.stubborn.is_none() {
            return;
        }
        let now = shared.selection_figures(&shared.guarded());
        let [expanded, taken, left_out] = [0, 1, 2].map(|at| now[at].saturating_sub(self.before[at]));
        let selects = shared.selects();
        if expanded < if selects { WINDOW } else { PAUSE } {
            return;
        }
        self.before = now;
        if !selects {
            shared.set_selects(true);
            return;
        }
        let pays = left_out * ONE_IN >= taken + left_out;
        self.strikes = if pays { 0 } else { self.strikes + 1 };
        shared.set_selects(self.strikes < STRIKES);
    }
}
