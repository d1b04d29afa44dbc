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

/// The components of the Rust toolchain that a minimal one lacks, with what `cargo` calls them.
const COMPONENTS: [(&str, &str); 2] = [("rustfmt", "fmt"), ("clippy", "clippy")];

/// True if everything passes.
pub fn run() -> io::Result<bool> {
    refuse_missing_components()?;
    install_missing()?;
    for step in STEPS {
        println!("cargo {}", step.join(" "));
        if !Command::new("cargo").args(step).status()?.success() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Fails if the toolchain has no formatter or no lints, and says how to add them.
fn refuse_missing_components() -> io::Result<()> {
    let is_there = |command: &str| {
        let asked =
            Command::new("cargo").args([command, "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    };
    let missing: Vec<&str> =
        COMPONENTS.iter().filter(|(_, command)| !is_there(command)).map(|(component, _)| *component).collect();
    let all = missing.join(" ");
    match missing[..] {
        [] => Ok(()),
        _ => Err(io::Error::other(format!(
            "the Rust toolchain has no {}; add it with `rustup component add {all}`, or install your distribution's package",
            missing.join(" and no ")
        ))),
    }
}

/// Installs missing tools where that is possible: without SPIN the tests fail, they are not skipped.
fn install_missing() -> io::Result<()> {
    let missing: Vec<&str> = TOOLS.iter().filter(|(tool, _)| !is_there(tool)).map(|(_, package)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let how = format!(
        "install them first: on Debian `apt-get install {}` as root; elsewhere gcc (or clang as `gcc`) by the package manager, and SPIN \
         6.5.2 from https://spinroot.com as `spin` on the path",
        missing.join(" ")
    );
    if !is_root() || !is_there("apt-get") {
        return Err(io::Error::other(format!("{} missing; {how}", missing.join(" and "))));
    }
    for arguments in [vec!["update", "-qq"], [vec!["install", "-y", "-qq"], missing.clone()].concat()] {
        let done = Command::new("apt-get").args(&arguments).env("DEBIAN_FRONTEND", "noninteractive").status()?;
        if !done.success() {
            return Err(io::Error::other(format!(
                "apt-get {} failed (its message is above; after an interrupted installation `dpkg --configure -a` helps); {how}",
                arguments.join(" ")
            )));
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
