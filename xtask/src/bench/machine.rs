//! The machine and the versions of the tools.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

/// The contents of `machine.txt`. What the system does not report is left out.
pub fn describe(project: &Path, homing: &Path, command: &str) -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| field(&text, "model name"));
    let memory = fs::read_to_string("/proc/meminfo").ok().and_then(|text| field(&text, "MemTotal"));
    let huge = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").ok();
    let load = fs::read_to_string("/proc/loadavg").ok();
    let rows = [
        ("date", first_line("date", &["-u", "+%F %H:%M UTC"], project)),
        ("command", Some(command.to_string())),
        ("commit", commit(project)),
        ("homing", first_line(&homing.to_string_lossy(), &["--version"], project)),
        ("cpu", cpu),
        ("cores", thread::available_parallelism().ok().map(|count| count.to_string())),
        ("memory", memory),
        ("huge pages", huge),
        ("load before", load),
        ("kernel", first_line("uname", &["-sr"], project)),
        ("rustc", first_line("rustc", &["--version"], project)),
        ("gcc", first_line("gcc", &["--version"], project)),
        ("spin", first_line("spin", &["-V"], project)),
    ];
    let mut text = String::new();
    for (name, value) in rows {
        if let Some(value) = value {
            let _ = writeln!(text, "{name}: {}", value.trim());
        }
    }
    text
}

/// The date of today, for the name of a folder.
pub fn today() -> Option<String> {
    first_line("date", &["-u", "+%F"], Path::new("."))
}

fn commit(project: &Path) -> Option<String> {
    let hash = first_line("git", &["rev-parse", "--short=12", "HEAD"], project)?;
    let changed = first_line("git", &["status", "--porcelain", "--untracked-files=no"], project).is_some();
    Some(if changed { format!("{hash}, with changes") } else { hash })
}

/// The first line a program prints; None if it fails or prints nothing.
fn first_line(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    let output = Command::new(program).args(arguments).current_dir(folder).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().next()?.trim().to_string();
    (output.status.success() && !line.is_empty()).then_some(line)
}

/// The value after `name`, blanks and a colon.
fn field(text: &str, name: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix(':'))?;
    Some(value.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found() {
        assert_eq!(field("processor\t: 0\nmodel name\t: A 1\n", "model name"), Some("A 1".into()));
        assert_eq!(field("MemTotal:   3 kB\n", "MemTotal"), Some("3 kB".into()));
        assert_eq!(field("MemTotal:   3 kB\n", "MemFree"), None);
    }

    #[test]
    fn a_program_that_is_not_there_says_nothing() {
        assert_eq!(first_line("no-such-program", &[], Path::new("/")), None);
        assert_eq!(first_line("echo", &["one\ntwo"], Path::new("/")), Some("one".into()));
    }
}
