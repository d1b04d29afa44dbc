//! Runs the homing binary as a user would.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// A folder of its own for one test, with files in it; homing runs there.
pub struct Folder {
    pub path: PathBuf,
}

/// How a run ended and what it printed.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    pub fn new(test: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for the test");
        Folder { path }
    }

    #[allow(dead_code, reason = "not every test file writes files")]
    pub fn file(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        fs::write(self.path.join(name), text).expect("a file for the test");
        self
    }

    /// The command, not yet started, without a terminal and without settings of the environment.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_homing"));
        command
            .args(arguments)
            .current_dir(&self.path)
            .stdin(Stdio::null())
            .env_remove("NO_COLOR")
            .env_remove("COLUMNS");
        command
    }

    #[allow(dead_code, reason = "not every test file runs homing without a shell")]
    pub fn homing(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().expect("homing starts"))
    }

    #[allow(dead_code, reason = "not every test file feeds standard input")]
    pub fn homing_with_input(&self, arguments: &[&str], input: &str) -> Ran {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("homing starts");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("homing reads");
        Ran::of(child.wait_with_output().expect("homing ends"))
    }
}

impl Ran {
    pub fn of(output: std::process::Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("homing prints UTF-8");
        Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Checks the exit code; prints all output if it differs.
    #[allow(dead_code, reason = "not every test file knows the exit code beforehand")]
    #[track_caller]
    pub fn ends_with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "\n--- stdout\n{}\n--- stderr\n{}", self.stdout, self.stderr);
        self
    }

    /// The entries of `results`.
    #[allow(dead_code, reason = "not every test file asks for JSON")]
    #[track_caller]
    pub fn results(&self) -> Vec<Value> {
        let document: Value = serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\n--- stdout\n{}\n--- stderr\n{}", self.stdout, self.stderr));
        let results = document["results"].as_array();
        results
            .unwrap_or_else(|| panic!("no results\n--- stdout\n{}\n--- stderr\n{}", self.stdout, self.stderr))
            .clone()
    }
}
