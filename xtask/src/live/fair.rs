//! SPIN as the judge of weak fairness.
//!
//! `pan -f` is wrong where the program can stop (Spin issue 38). Hence it is asked about the model with a process that always
//! moves. That process changes no verdict of a claim or of accept labels: where the program has stopped it stutters, as a
//! run that ends is extended by its last state. It does change what `timeout` and `_nr_pr` mean, and it makes a stopped
//! program a non-progress cycle, which by itself is none.

use std::io;

use super::comparison::question_of;
use super::models::{CLOCK, Kind};
use crate::spin::{Answer, LiveQuestion, Spin};

/// Moves for ever and changes nothing.
const IDLE: &str = "active proctype Idle() { do :: true -> true od }\n";

/// Whether a weakly fair run violates the property; none if SPIN cannot say.
pub fn violated(spin: &Spin, text: &str, kind: Kind) -> io::Result<Option<bool>> {
    let Some(text) = unstoppable(text, kind) else { return Ok(None) };
    let question = LiveQuestion { fair: true, ..question_of(&text, kind) };
    Ok(match spin.ask_cycles_text(&text, question)? {
        Answer::Searched(facts) => Some(facts.report.errors > 0),
        Answer::Refused(_) | Answer::TooBig(_) | Answer::Crashed(_) => None,
    })
}

/// The same question about a program that cannot stop, if there is one.
fn unstoppable(text: &str, kind: Kind) -> Option<String> {
    if text.contains(CLOCK) {
        return Some(text.to_owned());
    }
    if kind == Kind::Progress || text.contains("timeout") || text.contains("_nr_pr") || text.contains("np_") {
        return None;
    }
    // after all others: their numbers stay the same
    Some(format!("{text}{IDLE}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_program_that_may_stop_gets_another_process() {
        assert_eq!(unstoppable("init { skip }\n", Kind::Accept), Some(format!("init {{ skip }}\n{IDLE}")));
        assert_eq!(unstoppable("init { timeout }\n", Kind::Accept), None);
        assert_eq!(unstoppable("init { skip }\n", Kind::Progress), None);
        let clocked = format!("{CLOCK}\ninit {{ timeout }}\n");
        assert_eq!(unstoppable(&clocked, Kind::Progress), Some(clocked));
    }
}
