//! Runs homing in a pseudo-terminal, as a user does.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::program::Folder;

/// The time limit for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// A program that runs in a terminal.
pub struct Terminal {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// The whole output.
    shown: String,
    /// The part of it that was returned.
    seen: usize,
}

impl Terminal {
    /// Starts homing with a terminal for input, output and errors.
    pub fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        fcntl_setfd(&ours, FdFlags::CLOEXEC).expect("a flag"); // the program must not hold this end
        grantpt(&ours).expect("a terminal that is ours");
        unlockpt(&ours).expect("a terminal to open");
        let name = ptsname(&ours, Vec::new()).expect("its name").into_string().expect("a path");
        let theirs = || {
            let mut options = OpenOptions::new();
            options.read(true).write(true).custom_flags(OpenptFlags::NOCTTY.bits() as i32);
            Stdio::from(options.open(&name).expect("the other end"))
        };
        let mut command = folder.command(arguments);
        command.env("NO_COLOR", "1").stdin(theirs()).stdout(theirs()).stderr(theirs());
        let child = command.spawn().expect("homing starts");
        drop(command); // it holds the other end
        let keyboard = File::from(ours);
        let mut output = keyboard.try_clone().expect("another handle");
        let (sender, screen) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            // an error means that the other end is closed
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Terminal { child, keyboard, screen, shown: String::new(), seen: 0 }
    }

    /// Types a line.
    pub fn types(&mut self, line: &str) {
        self.press(&format!("{line}\n"));
    }

    pub fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal takes it");
    }

    /// Types a line and gives back what is shown up to the next prompt.
    #[track_caller]
    pub fn asks(&mut self, line: &str) -> String {
        self.types(line);
        self.prompt()
    }

    /// Waits for the prompt and gives back what is shown before it.
    #[track_caller]
    pub fn prompt(&mut self) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let new = &self.shown[self.seen..];
            if let Some(at) = new.find("\n> ") {
                let text = new[..at + 1].to_owned();
                self.seen += at + 3;
                return text;
            }
            assert!(self.wait(deadline), "homing ended\n{}", self.shown);
        }
    }

    /// Waits for the end. Gives back the exit code and what was shown last.
    #[track_caller]
    pub fn end(mut self) -> (Option<i32>, String) {
        let deadline = Instant::now() + PATIENCE;
        while self.wait(deadline) {}
        let status = self.child.wait().expect("homing ends");
        (status.code(), self.shown[self.seen..].to_owned())
    }

    /// Waits for something to be shown. False if nothing will be.
    #[track_caller]
    fn wait(&mut self, deadline: Instant) -> bool {
        match self.screen.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(bytes) => {
                self.shown += &String::from_utf8_lossy(&bytes).replace('\r', "");
                true
            }
            Err(RecvTimeoutError::Disconnected) => false,
            Err(RecvTimeoutError::Timeout) => panic!("homing hangs; so far\n{}", self.shown),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
