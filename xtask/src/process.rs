//! Runs a program with a time limit and returns its output.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    Exit(i32),
    Signal(i32),
    TimedOut,
}

impl Ending {
    pub fn is_success(self) -> bool {
        self == Ending::Exit(0)
    }
}

/// A program that has ended: how, and what it printed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    pub ending: Ending,
    pub stdout: String,
    pub stderr: String,
    pub seconds: f64,
}

/// Runs `program` in the folder `cwd`.
///
/// The limit is enforced by `timeout` of coreutils, because it ends the whole process group: killing gcc alone would
/// leave its compiler running.
pub fn run<S: AsRef<str>>(program: &Path, arguments: &[S], cwd: &Path, limit: Duration) -> io::Result<Finished> {
    let start = Instant::now();
    let output = Command::new("timeout")
        .arg("--kill-after=2")
        .arg(format!("{}", limit.as_secs_f64()))
        .arg(program)
        .args(arguments.iter().map(AsRef::as_ref))
        .current_dir(cwd)
        .stdin(Stdio::null())
        .env("LC_ALL", "C")
        .output()?;
    // `timeout` ends with the signal that ended its child; if the child had to be killed, with SIGKILL or 137.
    let ending = match (output.status.code(), output.status.signal()) {
        (Some(124 | 137), _) | (None, Some(9)) => Ending::TimedOut,
        (Some(code), _) => Ending::Exit(code),
        (None, signal) => Ending::Signal(signal.unwrap_or(0)),
    };
    Ok(Finished {
        ending,
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        seconds: start.elapsed().as_secs_f64(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: u64) -> Finished {
        run(Path::new("sh"), &["-c", script], Path::new("/"), Duration::from_secs(limit)).expect("sh runs")
    }

    #[test]
    fn keeps_output_and_exit_code() {
        let done = shell("echo out; echo err >&2; exit 3", 10);
        assert_eq!(done.ending, Ending::Exit(3));
        assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("out\n", "err\n"));
    }

    #[test]
    fn tells_a_signal_from_an_exit() {
        assert_eq!(shell("kill -FPE $$", 10).ending, Ending::Signal(8));
    }

    #[test]
    fn ends_what_takes_too_long() {
        assert_eq!(shell("sleep 20", 1).ending, Ending::TimedOut);
    }
}
