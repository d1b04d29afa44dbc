//! Exit codes (`docs/json.md`).

use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Holds,
    Violated,
    /// The command line or the model is wrong.
    Wrong,
    Undecided,
    /// A bug in homing.
    Bug,
    Interrupted,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Holds => 0,
            Exit::Violated => 1,
            Exit::Wrong => 2,
            Exit::Undecided => 3,
            Exit::Bug => 4,
            Exit::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
