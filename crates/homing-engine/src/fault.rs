//! Run-time errors of a model.

use std::fmt;

use homing_ir::Variable;

use crate::d_step::LONGEST_D_STEP;

/// A run-time error of the model, or the reason why a `d_step` was not executed to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    IndexOutOfRange {
        index: i32,
        name: String,
        length: u32,
    },
    /// A value that the variable of a network may not have.
    ValueOutOfRange {
        value: i32,
        name: String,
        least: i32,
        greatest: i32,
    },
    /// An index that an array of a network does not have: its first one need not be 0.
    IndexOutside {
        index: i32,
        name: String,
        least: i32,
        greatest: i32,
    },
    /// A shift of a network by less than 0 or more than 31 bits.
    ShiftOutOfRange(i32),
    /// What a network states itself: a function that ends without a result.
    Stated(String),
    DivisionByZero,
    /// A division of the least `int` by -1; a C program such as pan is killed by it.
    DivisionOverflow,
    UninitialisedChannel,
    NoSuchChannel(i32),
    PollOfRendezvous,
    BlockInDStep,
    EndlessDStep,
    /// The update of an edge, or an expression, of a network that does not end, or not soon.
    EndlessComputation,
    /// Not an error of the model: a `d_step` was cut off after too many statements.
    TooLong,
    /// Not an error of the model: the stop token was set.
    Stopped,
    RendezvousInDStep,
    TooManyProcesses,
    TooManyChannels,
    WrongFieldCount {
        given: usize,
        fields: usize,
    },
    EnabledOfSelf,
    /// What is asked for by `enabled()` is whether it is true.
    EnabledOfItself,
    PriorityOutOfRange(i32),
    AmbiguousTrace,
    Nondeterminism,
    WrongProcessType {
        pid: i32,
        wanted: String,
        actual: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::IndexOutOfRange { index, name, length } => {
                write!(f, "index {index} is out of range: `{name}` has {length} elements")
            }
            Fault::ValueOutOfRange { value, name, least, greatest } => {
                write!(f, "value {value} is out of range: `{name}` is between {least} and {greatest}")
            }
            Fault::IndexOutside { index, name, least, greatest } => {
                write!(f, "index {index} is out of range: `{name}` has the indices {least} to {greatest}")
            }
            Fault::ShiftOutOfRange(bits) => write!(f, "a shift by {bits} bits: 0 to 31 are possible"),
            Fault::Stated(message) => f.write_str(message),
            Fault::DivisionByZero => f.write_str("division by zero"),
            Fault::DivisionOverflow => write!(f, "division overflow: {} / -1 is not an int", i32::MIN),
            Fault::UninitialisedChannel => f.write_str("use of a channel that was never initialised"),
            Fault::NoSuchChannel(id) => write!(f, "use of channel {id}, which does not exist (any more)"),
            Fault::PollOfRendezvous => f.write_str("a rendezvous channel cannot be polled: it never holds a message"),
            Fault::BlockInDStep => f.write_str("a statement inside a d_step is blocked"),
            Fault::EndlessComputation => write!(f, "the computation does not end within {LONGEST_D_STEP} statements"),
            Fault::EndlessDStep => f.write_str("a d_step never ends"),
            Fault::TooLong => f.write_str("a d_step that goes on for millions of statements"),
            Fault::Stopped => f.write_str("a d_step that was interrupted"),
            Fault::RendezvousInDStep => f.write_str("a rendezvous inside a d_step"),
            Fault::TooManyProcesses => f.write_str("too many processes: at most 255 can exist at a time"),
            Fault::TooManyChannels => f.write_str("too many channels: at most 255 can exist at a time"),
            Fault::WrongFieldCount { given, fields } => {
                let plural = |count: usize| if count == 1 { "" } else { "s" };
                let (values, field_s) = (plural(*given), plural(*fields));
                write!(f, "{given} value{values} for a channel with {fields} message field{field_s}")
            }
            Fault::EnabledOfItself => f.write_str("whether a process is enabled depends on itself"),
            Fault::EnabledOfSelf => f.write_str("a process cannot ask whether it is enabled itself"),
            Fault::PriorityOutOfRange(value) => write!(f, "priority {value} is not between 1 and 255"),
            Fault::Nondeterminism => f.write_str("a D_proctype has a choice: more than one statement can be executed"),
            Fault::AmbiguousTrace => f.write_str("the trace is ambiguous: two of its events match"),
            Fault::WrongProcessType { pid, wanted, actual } => {
                write!(f, "`{wanted}[{pid}]` refers to process {pid}, which is of type `{actual}`")
            }
        }
    }
}

/// Fails if the variable may not have the value.
pub(crate) fn check_range(variable: &Variable, value: i32) -> Result<(), Fault> {
    match variable.range {
        Some((least, greatest)) if !(least..=greatest).contains(&value) => {
            Err(Fault::ValueOutOfRange { value, name: variable.name.clone(), least, greatest })
        }
        _ => Ok(()),
    }
}
