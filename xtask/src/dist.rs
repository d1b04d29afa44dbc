//! `cargo xtask dist`: a stripped binary with manual pages, completions and checksums. On Linux it is static: linked with musl where
//! that target is installed, else with the archive of the C library.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::paths;

/// The shells that completions are written for, with the names of the files.
const SHELLS: [(&str, &str); 3] = [("bash", "homing.bash"), ("zsh", "_homing"), ("fish", "homing.fish")];

/// The manual pages: of homing, and of its commands.
const PAGES: [&str; 7] = ["", "check", "replay", "simulate", "compare", "ltl", "graph"];

/// Builds the folder `dist/homing-VERSION-TARGET` in the target folder and prints where it is.
pub fn run() -> io::Result<bool> {
    let host = host_target()?;
    let target = static_target(is_installed).unwrap_or(host);
    let arguments = ["build", "--release", "--package", "homing", "--target", &target];
    println!("cargo {}", arguments.join(" "));
    let mut build = Command::new("cargo");
    build.args(arguments).arg("--target-dir").arg(paths::target_dir());
    if OS == "linux" {
        build.env("RUSTFLAGS", "-C target-feature=+crt-static");
    }
    if !build.status()?.success() {
        return Ok(false);
    }
    let binary = paths::target_dir().join(&target).join("release").join("homing");
    let folder = paths::target_dir().join("dist").join(format!("homing-{}-{target}", env!("CARGO_PKG_VERSION")));
    let files = assemble(&binary, &folder)?;
    let sums = checksums(&folder, &files)?;
    fs::write(folder.join("SHA256SUMS"), &sums)?;
    print!("{sums}");
    println!("{} ({:.1} MB)", folder.display(), fs::metadata(folder.join("homing"))?.len() as f64 / 1e6);
    Ok(true)
}

/// The target of a static binary for this machine, if its standard library is installed.
fn static_target(is_installed: impl Fn(&str) -> bool) -> Option<String> {
    let target = format!("{ARCH}-unknown-linux-musl");
    (OS == "linux" && is_installed(&target)).then_some(target)
}

fn is_installed(target: &str) -> bool {
    let printed = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    printed.is_ok_and(|printed| {
        printed.status.success() && Path::new(String::from_utf8_lossy(&printed.stdout).trim()).is_dir()
    })
}

fn host_target() -> io::Result<String> {
    let printed = output(Command::new("rustc").arg("-vV"))?;
    let host = printed.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| io::Error::other("rustc -vV names no host"))
}

/// Fills the folder: the binary, the pages and scripts that it prints, and the licences. Returns the files.
fn assemble(binary: &Path, folder: &Path) -> io::Result<Vec<PathBuf>> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder.join("man"))?;
    fs::create_dir_all(folder.join("completions"))?;
    let mut files = vec![PathBuf::from("homing")];
    fs::copy(binary, folder.join("homing"))?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(file, folder.join(file))?;
        files.push(file.into());
    }
    for (shell, name) in SHELLS {
        let file = Path::new("completions").join(name);
        fs::write(folder.join(&file), output(Command::new(binary).args(["completions", shell]))?)?;
        files.push(file);
    }
    for page in PAGES {
        let name = if page.is_empty() { "homing.1".to_owned() } else { format!("homing-{page}.1") };
        let file = Path::new("man").join(name);
        let command = (!page.is_empty()).then_some(page);
        fs::write(folder.join(&file), output(Command::new(binary).arg("man").args(command))?)?;
        files.push(file);
    }
    Ok(files)
}

/// The SHA-256 sums of files in a folder, as `sha256sum --check` reads them.
fn checksums(folder: &Path, files: &[PathBuf]) -> io::Result<String> {
    output(Command::new("sha256sum").current_dir(folder).args(files))
}

fn output(command: &mut Command) -> io::Result<String> {
    let done = command.output().map_err(|error| io::Error::other(format!("{command:?}: {error}")))?;
    if !done.status.success() {
        return Err(io::Error::other(format!("{command:?}: {}", String::from_utf8_lossy(&done.stderr))));
    }
    String::from_utf8(done.stdout).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binary_is_static_where_that_is_possible() {
        assert_eq!(static_target(|_| false), None);
        let found = static_target(|target| target.ends_with("-unknown-linux-musl"));
        assert_eq!(found.is_some(), OS == "linux");
    }
}
