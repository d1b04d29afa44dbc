//! Exit codes (`docs/json.md`).

use std::process::ExitCode;

use homing_core::Stop;

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

impl Exit {
    /// The exit code of a command that was stopped before it was done.
    pub fn of_stop(stop: Stop) -> Exit {
        if stop == Stop::Interrupted { Exit::Interrupted } else { Exit::Undecided }
    }

    /// The exit code of several models: an interrupt outweighs a bug in homing, which outweighs a violation, a model that is
    /// wrong, an unknown verdict, and properties that hold, in this order.
    pub fn worst(self, other: Exit) -> Exit {
        let weight = |exit| match exit {
            Exit::Holds => 0,
            Exit::Undecided => 1,
            Exit::Wrong => 2,
            Exit::Violated => 3,
            Exit::Bug => 4,
            Exit::Interrupted => 5,
        };
        if weight(other) > weight(self) { other } else { self }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
