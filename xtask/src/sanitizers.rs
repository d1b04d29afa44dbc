//! Undefined behaviour: Miri over the store's tests, the address sanitizer over the compiled engine's. Both need a
//! nightly toolchain, and neither is a part of the test suite.

use std::io;
use std::process::{Command, Stdio};

use crate::paths;

/// What the commands need besides this project, as an argument of `rustup`.
const INSTALL_MIRI: &str = "rustup toolchain install nightly --component miri --component rust-src";
const INSTALL_NIGHTLY: &str = "rustup toolchain install nightly";

/// The tests that Miri runs: `unsafe` code of the store, with small tables (`homing-store/src/sizes.rs`).
const MIRI_TESTS: [&str; 5] = ["--package", "homing-store", "--lib", "--test", "agreement"];

/// Tests that take too long: those of code without `unsafe` and threads, and one that needs thousands of states.
const SKIPPED_BY_MIRI: [&str; 4] = ["tree::layout", "tree::packing", "tree::shape", "references_were_made_wider"];

/// The tests that run with the address sanitizer. The code that the engine makes is not instrumented, but all that
/// calls it and that it calls.
const ASAN_TESTS: [&[&str]; 2] =
    [&["--package", "homing-engine", "--lib"], &["--package", "homing", "--test", "engines"]];

/// Runs the store's tests in Miri; `filters` are names of tests. True if all pass.
pub fn miri(filters: &[String]) -> io::Result<bool> {
    require("miri", &["miri", "--version"], INSTALL_MIRI)?;
    let mut command = nightly_cargo();
    command.args(["miri", "test"]).args(MIRI_TESTS);
    command.arg("--target-dir").arg(paths::target_dir().join("miri"));
    command.arg("--").args(SKIPPED_BY_MIRI.iter().flat_map(|skipped| ["--skip", skipped])).args(filters);
    command.env("MIRIFLAGS", "-Zmiri-disable-isolation");
    run(command)
}

/// Runs the compiled engine's tests with the address sanitizer; `filters` are names of tests. True if all pass.
pub fn asan(filters: &[String]) -> io::Result<bool> {
    require("a nightly toolchain", &["--version"], INSTALL_NIGHTLY)?;
    let host = host()?;
    let mut passed = true;
    for tests in ASAN_TESTS {
        let mut command = nightly_cargo();
        // with a target named, build scripts are built without the sanitizer
        command.args(["test", "--release", "--target", &host]).args(tests);
        command.arg("--target-dir").arg(paths::target_dir().join("asan"));
        command.arg("--").args(filters);
        command.env("RUSTFLAGS", "-Zsanitizer=address");
        passed &= run(command)?;
    }
    Ok(passed)
}

fn nightly_cargo() -> Command {
    let mut command = Command::new("cargo");
    command.arg("+nightly").stdin(Stdio::null());
    command
}

/// An error with the remedy if a command of the nightly cargo does not work.
fn require(what: &str, arguments: &[&str], install: &str) -> io::Result<()> {
    let output = nightly_cargo().args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.lines().next().unwrap_or_default();
            Err(io::Error::other(format!("{what} is missing ({said}); install it with `{install}`")))
        }
        Err(error) => Err(io::Error::other(format!("cargo cannot be run ({error}); {what} needs rustup"))),
    }
}

/// The triple of this machine.
fn host() -> io::Result<String> {
    let output = Command::new("rustc").args(["+nightly", "-vV"]).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| io::Error::other("rustc does not say for which machine it compiles"))
}

fn run(mut command: Command) -> io::Result<bool> {
    let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
    println!("cargo {}", arguments.join(" "));
    Ok(command.status()?.success())
}
