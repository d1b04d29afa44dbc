//! SPIN's examples: a table of SPIN's and homing's counts, and a list of the examples left out.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::homing::{self, Extent, Homing, Reductions, Search};
use crate::spin::{Answer, Spin, source};

/// The limits of one search.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// In megabytes.
    pub memory: u32,
    pub timeout: Duration,
}

/// One model.
enum Row {
    Compared { spin: String, homing: String, agree: bool },
    LeftOut(String),
}

/// Prints the report as Markdown. True if no model differs.
pub fn report(dir: &Path, spin: &Spin, homing: Option<&Homing>, cost: &Cost) -> io::Result<bool> {
    let mut out = io::stdout().lock();
    writeln!(out, "Full search for safety, claims ignored: `spin -a -o1 -o2 -o3`, `pan -c0` with -DNOREDUCE; ")?;
    writeln!(out, "at most {} MB and {} s for a search.\n", cost.memory, cost.timeout.as_secs())?;
    writeln!(out, "| model | SPIN states/transitions/errors | homing states/transitions/errors | |")?;
    writeln!(out, "|---|---|---|---|")?;
    let (mut left_out, mut agree) = (Vec::new(), true);
    for file in models(dir)? {
        let name = file.strip_prefix(dir).unwrap_or(&file).display().to_string();
        match row(&file, spin, homing)? {
            Row::Compared { spin, homing, agree: same } => {
                agree &= same;
                writeln!(out, "| {name} | {spin} | {homing} | {} |", if same { "" } else { "**differs**" })?;
            }
            Row::LeftOut(reason) => left_out.push((name, reason)),
        }
        out.flush()?;
    }
    writeln!(out, "\nLeft out:\n")?;
    for (name, reason) in left_out {
        writeln!(out, "- {name}: {reason}")?;
    }
    Ok(agree)
}

fn row(file: &Path, spin: &Spin, homing: Option<&Homing>) -> io::Result<Row> {
    let scratch = tempfile::tempdir()?;
    let model = unpacked(file, scratch.path())?;
    let text = String::from_utf8_lossy(&fs::read(&model)?).into_owned();
    let embedded = embedded_c(&text);
    let facts = match spin.ask_file(&model)? {
        Answer::Refused(message) => return Ok(Row::LeftOut(format!("SPIN refuses it: `{message}`"))),
        Answer::TooBig(reason) => return Ok(Row::LeftOut(format!("SPIN needs {reason}"))),
        Answer::Crashed(reason) => return Ok(Row::LeftOut(format!("SPIN's verifier crashes: {reason}"))),
        Answer::Searched(facts) => facts,
    };
    let report = &facts.full;
    let counts = format!("{} / {} / {} in {:.1} s", report.stored, report.transitions, report.errors, facts.seconds);
    if let Some(word) = embedded {
        return Ok(Row::LeftOut(format!("embedded C (`{word}`); SPIN: {counts}")));
    }
    if facts.counts_are_void() {
        let message = report.messages.last().map_or("", |message| message.text.as_str());
        return Ok(Row::LeftOut(format!("SPIN stops at an error: `{message}`")));
    }
    let Some(homing) = homing else {
        return Ok(Row::Compared { spin: counts, homing: String::new(), agree: true });
    };
    let copied = source::copy(&model, scratch.path())?;
    let (theirs, agree) = match homing.check(&copied, Search::DepthFirst, Extent::AllErrors, Reductions::Off)? {
        homing::Answer::Checked(result) => {
            let errors = result.errors.unwrap_or(0);
            let stats = &result.stats;
            let same = (stats.states, stats.transitions, errors) == (report.stored, report.transitions, report.errors);
            let limit = result.reason.map(|reason| format!(" (stopped: {reason})")).unwrap_or_default();
            (format!("{} / {} / {errors}{limit}", stats.states, stats.transitions), same)
        }
        homing::Answer::Refused(message) => (format!("refuses: `{message}`"), false),
        homing::Answer::Broken(how) => (format!("broken: `{how}`"), false),
    };
    Ok(Row::Compared { spin: counts, homing: theirs, agree })
}

/// The models below `dir`, in order of their names.
pub fn models(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if [".pml", ".pml.gz"].iter().any(|ending| path.to_string_lossy().ends_with(ending)) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Unpacks a model that Debian compressed. Other models stay where they are, beside the files that they include.
pub(crate) fn unpacked(file: &Path, scratch: &Path) -> io::Result<PathBuf> {
    if file.extension().is_none_or(|ending| ending != "gz") {
        return Ok(file.to_path_buf());
    }
    let text = Command::new("gzip").arg("-dc").arg(file).output()?.stdout;
    let folder = scratch.join("unpacked");
    fs::create_dir_all(&folder)?;
    let plain = folder.join(file.file_stem().unwrap_or_default());
    fs::write(&plain, text)?;
    Ok(plain)
}

/// The first keyword of embedded C in the model, if any.
fn embedded_c(text: &str) -> Option<&'static str> {
    let code = without_comments(text);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = code.split(|c| !is_word(c));
    words.find_map(|word| ["c_code", "c_decl", "c_expr", "c_state", "c_track"].into_iter().find(|key| *key == word))
}

/// The text of a model without its comments.
pub(crate) fn without_comments(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("/*") {
        code.push_str(&rest[..start]);
        code.push(' ');
        rest = rest[start..].split_once("*/").map_or("", |(_, after)| after);
    }
    code.push_str(rest);
    let lines: Vec<&str> = code.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_embedded_c() {
        assert_eq!(embedded_c("init { c_code { x(); } }"), Some("c_code"));
        assert_eq!(embedded_c("/* c_code */ byte my_c_code; // c_decl\n"), None);
    }
}
