//! `cargo xtask test`: installs SPIN if it is missing, then checks and tests everything.

use std::io;
use std::process::{Command, Stdio};

/// The tools that the tests need besides cargo, with their Debian packages.
const TOOLS: [(&str, &str); 2] = [("spin", "spin"), ("gcc", "gcc")];

/// The commands, in this order; the first failure ends the run.
const STEPS: [&[&str]; 3] = [
    &["fmt", "--all", "--check"],
    &["clippy", "--workspace", "--all-targets", "--release", "--quiet", "--", "-D", "warnings"],
    &["test", "--workspace", "--release"],
];

/// True if everything passes.
pub fn run() -> io::Result<bool> {
    install_missing()?;
    for step in STEPS {
        println!("cargo {}", step.join(" "));
        if !Command::new("cargo").args(step).status()?.success() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Installs missing tools where that is possible: without SPIN the tests fail, they are not skipped.
fn install_missing() -> io::Result<()> {
    let missing: Vec<&str> = TOOLS.iter().filter(|(tool, _)| !is_there(tool)).map(|(_, package)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let how = format!("install them first, on Debian with `apt-get install {}`", missing.join(" "));
    if !is_root() || !is_there("apt-get") {
        return Err(io::Error::other(format!("{} missing; {how}", missing.join(" and "))));
    }
    for arguments in [vec!["update", "-qq"], [vec!["install", "-y", "-qq"], missing.clone()].concat()] {
        let done = Command::new("apt-get").args(&arguments).env("DEBIAN_FRONTEND", "noninteractive").status()?;
        if !done.success() {
            return Err(io::Error::other(format!("apt-get {} failed; {how}", arguments.join(" "))));
        }
    }
    Ok(())
}

fn is_there(tool: &str) -> bool {
    Command::new(tool)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
