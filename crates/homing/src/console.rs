//! Standard output and standard error: when they have colours, and what a closed pipe means.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;

use crate::error::Error;

/// When something that is meant for terminals is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    Auto,
    Always,
    Never,
}

/// The destination of messages and results.
pub struct Console {
    /// The colours of standard output.
    pub paint: Paint,
    /// The colours of standard error.
    pub message_paint: Paint,
}

impl Console {
    pub fn new(color: When) -> Self {
        let paint = |is_terminal: bool| {
            Paint(match color {
                When::Always => true,
                When::Never => false,
                When::Auto => is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
            })
        };
        Console { paint: paint(io::stdout().is_terminal()), message_paint: paint(io::stderr().is_terminal()) }
    }

    /// Prints a result. A reader that closed the pipe has read enough, which is no error.
    pub fn result(&self, text: &str) -> Result<(), Error> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::Output(error)),
            _ => Ok(()),
        }
    }

    /// Prints an error message.
    pub fn error(&self, text: &str) {
        self.message(&format!("{} {text}\n", self.message_paint.red("homing:")));
    }

    /// Prints to standard error. A failure to do so cannot be reported and is ignored.
    pub fn message(&self, text: &str) {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

/// Colours, or none.
#[derive(Clone, Copy)]
pub struct Paint(pub bool);

impl Paint {
    pub fn red(self, text: &str) -> String {
        self.wrap("1;31", text)
    }

    pub fn green(self, text: &str) -> String {
        self.wrap("1;32", text)
    }

    pub fn yellow(self, text: &str) -> String {
        self.wrap("1;33", text)
    }

    pub fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub fn faint(self, text: &str) -> String {
        self.wrap("2", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.0 { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
