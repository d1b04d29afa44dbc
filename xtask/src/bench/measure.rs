//! Runs a program and measures it from outside: wall clock, processor time, peak of memory.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::interrupt::Interrupt;
use crate::process::{Ending, Finished};

/// The interval at which the guard checks for an interrupt.
const GLANCE: Duration = Duration::from_millis(50);

/// The resources of a program that has ended, including programs that it started and waited for (as gcc does).
#[derive(Clone, Debug)]
pub struct Measured {
    pub finished: Finished,
    pub user: f64,
    pub system: f64,
    /// The largest resident set of any of them. A program inherits the peak of the one that started it, so this is
    /// never below the peak of this program, which is small.
    pub peak_bytes: u64,
}

/// Runs `program` in `cwd`. Its output goes to two files there, so that no thread has to read pipes meanwhile.
pub fn measure<S: AsRef<str>>(
    program: &Path,
    arguments: &[S],
    cwd: &Path,
    limit: Duration,
    interrupt: &Interrupt,
) -> io::Result<Measured> {
    let (stdout, stderr) = (cwd.join("measured.out"), cwd.join("measured.err"));
    let mut command = Command::new(program);
    command
        .args(arguments.iter().map(AsRef::as_ref))
        .current_dir(cwd)
        .stdin(Stdio::null())
        .stdout(File::create(&stdout)?)
        .stderr(File::create(&stderr)?)
        .env("LC_ALL", "C")
        .process_group(0); // to end it with all its children, and to shield it from the interrupt signal
    let start = Instant::now();
    let child = command.spawn().map_err(|error| io::Error::other(format!("{}: {error}", program.display())))?;
    let pid = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    let (done, end) = mpsc::channel();
    let (seconds, timed_out) = thread::scope(|scope| {
        let guard = scope.spawn(move || guard(pid, start + limit, &end, interrupt));
        let waited = wait_unreaped(pid);
        let seconds = start.elapsed().as_secs_f64();
        drop(done);
        let timed_out = guard.join().unwrap_or(false);
        waited.map(|()| (seconds, timed_out))
    })?;
    let (status, usage) = reap(pid)?;
    let ending = match (timed_out, libc::WIFEXITED(status)) {
        (true, _) => Ending::TimedOut,
        (false, true) => Ending::Exit(libc::WEXITSTATUS(status)),
        (false, false) => Ending::Signal(libc::WTERMSIG(status)),
    };
    let text = |path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Measured {
        finished: Finished { ending, stdout: text(&stdout)?, stderr: text(&stderr)?, seconds },
        user: of_timeval(usage.ru_utime),
        system: of_timeval(usage.ru_stime),
        peak_bytes: u64::try_from(usage.ru_maxrss).unwrap_or(0) << 10,
    })
}

/// Ends the group of `pid` when its time is over or the user wants to stop; true if it had to. Returns when `end` closes.
fn guard(pid: libc::pid_t, deadline: Instant, end: &mpsc::Receiver<()>, interrupt: &Interrupt) -> bool {
    loop {
        let rest = deadline.saturating_duration_since(Instant::now());
        if let Err(RecvTimeoutError::Disconnected) = end.recv_timeout(rest.min(GLANCE)) {
            return false;
        }
        if Instant::now() >= deadline || interrupt.happened() {
            // SAFETY: a system call without pointers. The child has not been reaped, so the group is still its own.
            unsafe { libc::kill(-pid, libc::SIGKILL) };
            return true;
        }
    }
}

/// Waits until the child has ended, and leaves it unreaped: its number stays taken while the guard may still use it.
fn wait_unreaped(pid: libc::pid_t) -> io::Result<()> {
    let id = libc::id_t::try_from(pid).map_err(io::Error::other)?;
    loop {
        // SAFETY: siginfo_t is plain data, for which zeroes are a value; the call writes to it alone.
        let failed = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            libc::waitid(libc::P_PID, id, &raw mut info, libc::WEXITED | libc::WNOWAIT) != 0
        };
        if !failed {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

fn reap(pid: libc::pid_t) -> io::Result<(libc::c_int, libc::rusage)> {
    // SAFETY: rusage is plain data, for which zeroes are a value; the call writes to the two it is given.
    unsafe {
        let (mut status, mut usage) = (0, std::mem::zeroed::<libc::rusage>());
        if libc::wait4(pid, &raw mut status, 0, &raw mut usage) == pid {
            Ok((status, usage))
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

fn of_timeval(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Measured {
        let folder = tempfile::tempdir().expect("a folder");
        measure(Path::new("sh"), &["-c", script], folder.path(), limit, &Interrupt::never()).expect("sh runs")
    }

    #[test]
    fn keeps_output_and_ending() {
        let done = shell("echo out; echo err >&2; exit 3", Duration::from_secs(10)).finished;
        assert_eq!(done.ending, Ending::Exit(3));
        assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("out\n", "err\n"));
        assert_eq!(shell("kill -FPE $$", Duration::from_secs(10)).finished.ending, Ending::Signal(8));
    }

    #[test]
    fn ends_what_takes_too_long_with_all_it_started() {
        let done = shell("sleep 30 & sleep 30", Duration::from_millis(100));
        assert_eq!(done.finished.ending, Ending::TimedOut);
        assert!(done.finished.seconds < 10.0);
    }

    #[test]
    fn counts_what_a_child_of_the_child_took() {
        let done = shell("sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'", Duration::from_secs(60));
        assert!(done.user > 0.0 && done.finished.seconds >= 0.5 * done.user, "{done:?}");
        assert!(done.peak_bytes > 100_000, "{done:?}");
    }
}
