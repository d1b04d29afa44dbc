//! The exit code of results.

use homing_check::Verdict;

use crate::exit::Exit;

/// The exit code of the results: a violation outweighs an unknown verdict, an interrupt outweighs both.
pub fn exit(verdicts: impl Iterator<Item = Verdict>, interrupted: bool) -> Exit {
    if interrupted {
        return Exit::Interrupted;
    }
    let mut exit = Exit::Holds;
    for verdict in verdicts {
        match verdict {
            Verdict::Violated => return Exit::Violated,
            Verdict::Unknown(_) => exit = Exit::Undecided,
            Verdict::Holds => {}
        }
    }
    exit
}

#[cfg(test)]
mod tests {
    use homing_check::Reason;
    use homing_core::{Limit, Stop};

    use super::*;

    #[test]
    fn a_violation_outweighs_what_is_undecided() {
        let unknown = Verdict::Unknown(Reason::Stopped(Stop::Limit(Limit::Memory)));
        for (verdicts, expected) in [
            (vec![Verdict::Holds, Verdict::Holds], Exit::Holds),
            (vec![Verdict::Holds, unknown], Exit::Undecided),
            (vec![unknown, Verdict::Violated], Exit::Violated),
            (vec![Verdict::Violated, unknown, Verdict::Holds], Exit::Violated),
        ] {
            assert_eq!(exit(verdicts.iter().copied(), false), expected);
            assert_eq!(exit(verdicts.into_iter(), true), Exit::Interrupted);
        }
    }
}
