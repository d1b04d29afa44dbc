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
    /// The look of text on standard output.
    pub look: Look,
    /// The colours of standard error.
    pub message_paint: Paint,
}

/// How text on standard output looks.
#[derive(Clone, Copy)]
pub struct Look {
    pub paint: Paint,
    /// No line is longer: the width of the terminal, or what COLUMNS says. None for files and pipes.
    pub width: Option<usize>,
    /// Places are links that a terminal follows.
    pub links: bool,
}

/// Lines are not made shorter than this.
const NARROWEST: usize = 40;

impl Look {
    fn new(paint: Paint) -> Self {
        let stdout = io::stdout();
        let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse::<usize>().ok());
        let terminal = || {
            let size = stdout.is_terminal().then(|| terminal_size::terminal_size_of(&stdout)).flatten();
            size.map(|(width, _)| usize::from(width.0))
        };
        let width = asked.filter(|columns| *columns > 0).or_else(terminal).map(|width| width.max(NARROWEST));
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        Look { paint, width, links: paint.0 && stdout.is_terminal() && !is_dumb }
    }

    /// Lines of any length, without links.
    #[cfg(test)]
    pub fn plain(paint: Paint) -> Self {
        Look { paint, width: None, links: false }
    }

    /// The width that is left right of an indentation.
    pub fn width_after(self, indent: usize) -> Option<usize> {
        self.width.map(|width| width - indent.min(width / 2))
    }

    /// The text with its lines broken where they are too long.
    pub fn fitted(self, text: &str) -> String {
        match self.width {
            None => text.to_owned(),
            Some(width) => text.split_inclusive('\n').map(|line| broken(line, width)).collect(),
        }
    }
}

/// A line broken at blanks, if it is longer than `width`; what follows is indented two columns more than its beginning. Colours and
/// links take no columns.
fn broken(line: &str, width: usize) -> String {
    let indent = line.chars().take_while(|c| *c == ' ').count();
    let hanging = if indent + 2 < width / 2 { indent + 2 } else { 4 };
    let (mut out, mut column, mut blank) = (String::new(), 0, None); // the last blank: where in `out`, and its column
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\x1b' {
            out.push(c);
            out.push_str(&escape_sequence(&mut chars));
            continue;
        }
        if column == width && c != '\n' {
            let rest = match blank.take() {
                _ if c == ' ' => String::new(),
                Some(at) => out.split_off(at),
                None => String::new(),
            };
            let kept = out.trim_end_matches(' ').len();
            out.truncate(kept);
            let rest = rest.trim_start_matches(' ');
            out.push('\n');
            out.push_str(&" ".repeat(hanging));
            out.push_str(rest);
            column = hanging + visible(rest);
            if c == ' ' {
                continue;
            }
        }
        if c == ' ' && column >= hanging {
            blank = Some(out.len());
        }
        out.push(c);
        column += 1;
    }
    out
}

/// The rest of an escape sequence, its first character left out: a colour, or the beginning or the end of a link.
fn escape_sequence(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> String {
    let mut sequence = String::new();
    let is_link = chars.peek() == Some(&']');
    for c in chars.by_ref() {
        sequence.push(c);
        let ends = if is_link { sequence.ends_with("\x1b\\") } else { c.is_ascii_alphabetic() };
        if ends {
            break;
        }
    }
    sequence
}

/// The columns that a text takes.
fn visible(text: &str) -> usize {
    let (mut chars, mut count) = (text.chars().peekable(), 0);
    while let Some(c) = chars.next() {
        if c == '\x1b' {
            escape_sequence(&mut chars);
        } else {
            count += 1;
        }
    }
    count
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
        let (stdout, stderr) = (paint(io::stdout().is_terminal()), paint(io::stderr().is_terminal()));
        Console { paint: stdout, look: Look::new(stdout), message_paint: stderr }
    }

    /// Prints a result. A reader that closed the pipe has read enough, which is no error.
    pub fn result(&self, text: &str) -> Result<(), Error> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::Output(error)),
            _ => Ok(()),
        }
    }

    /// Prints text whose lines are broken where they are too long for the terminal.
    pub fn text(&self, text: &str) -> Result<(), Error> {
        self.result(&self.look.fitted(text))
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

    /// Values that changed.
    pub fn changed(self, text: &str) -> String {
        self.wrap("36", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.0 { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_blanks_and_colours_take_no_columns() {
        let look = Look { paint: Paint(true), width: Some(40), links: false };
        let text = "  why:\n    \x1b[2mone two three four five six seven eight nine ten eleven\x1b[0m\n  short\n";
        let fitted = look.fitted(text);
        let lines: Vec<&str> = fitted.lines().collect();
        assert_eq!(lines[1], "    \x1b[2mone two three four five six seven");
        assert_eq!(lines[2..], ["      eight nine ten eleven\x1b[0m", "  short"]);
        let link = format!("\x1b]8;;file:///{}\x1b\\m.pml\x1b]8;;\x1b\\", "x".repeat(60));
        assert_eq!(look.fitted(&link), link);
        let word = "x".repeat(90);
        assert!(look.fitted(&word).lines().all(|line| visible(line) <= 40));
        assert_eq!(look.fitted(&word).split_whitespace().collect::<String>(), word);
        assert_eq!(Look::plain(Paint(false)).fitted(text), text);
    }
}
