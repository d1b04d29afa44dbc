//! Mutation check of the reductions: each soundness condition is turned off, and a test has to fail.
//!
//! The tests are built once with the feature `mutants`, into a folder of their own. Then each suite runs with
//! `HOMING_MUTANT` set to one condition after the other ([`homing_core::Condition`]), until one of its tests fails.

use std::io;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use homing_core::Condition;
use serde_json::Value;

/// The suites that may catch a mutant, the fastest first.
const SUITES: [Suite; 9] = [
    Suite { package: "homing", target: "soundness", test: "every_run_gives_the_right_answer" },
    Suite { package: "homing", target: "liveness", test: "" },
    Suite { package: "homing", target: "confirm", test: "" },
    Suite { package: "homing-search", target: "homing_search", test: "" },
    Suite { package: "homing", target: "stubborn", test: "" },
    Suite { package: "homing", target: "sleep_sets", test: "" },
    Suite { package: "homing", target: "soundness", test: "long_steps" },
    Suite { package: "homing", target: "rules", test: "homing_has_spins_figures" },
    Suite { package: "homing", target: "soak", test: "" },
];

/// The tests of one test program.
struct Suite {
    package: &'static str,
    /// The name of the test file, or of the library whose unit tests they are.
    target: &'static str,
    /// Only tests with this in their names.
    test: &'static str,
}

/// A test program that was built.
struct Built {
    suite: &'static Suite,
    program: PathBuf,
    /// The folder of its package, where tests look for models.
    package: PathBuf,
}

/// Prints a table with the test that catches each mutant. True if none survives.
pub fn run(only: &[String]) -> io::Result<bool> {
    let known = |name: &String| Condition::ALL.iter().any(|(known, _)| known == name);
    if let Some(unknown) = only.iter().find(|name| !known(name)) {
        let names: Vec<&str> = Condition::ALL.iter().map(|(name, _)| *name).collect();
        return Err(io::Error::other(format!("no condition `{unknown}`; known are {}", names.join(", "))));
    }
    let programs = build()?;
    for built in &programs {
        if let Some(failure) = built.first_failure(None)? {
            let Suite { package, target, .. } = built.suite;
            return Err(io::Error::other(format!("{package}/{target} fails without a mutant: {failure}")));
        }
    }
    println!("| condition turned off | caught by | test |\n|---|---|---|");
    let mut survivors = Vec::new();
    let wanted = |name: &str| only.is_empty() || only.iter().any(|only| only == name);
    for (name, _) in Condition::ALL.into_iter().filter(|(name, _)| wanted(name)) {
        let start = Instant::now();
        match catch(&programs, name)? {
            Some((suite, test)) => println!("| `{name}` | {}/{} | {test} |", suite.package, suite.target),
            None => {
                println!("| `{name}` | **survives** | |");
                survivors.push(name);
            }
        }
        eprintln!("{name}: {:.1} s", start.elapsed().as_secs_f64());
    }
    println!(
        "\n{} survive{}",
        survivors.len(),
        if survivors.is_empty() { "" } else { ": " }.to_owned() + &survivors.join(", ")
    );
    Ok(survivors.is_empty())
}

/// The first suite with a test that fails without the condition, with that test.
fn catch(programs: &[Built], mutant: &str) -> io::Result<Option<(&'static Suite, String)>> {
    for built in programs {
        if let Some(test) = built.first_failure(Some(mutant))? {
            return Ok(Some((built.suite, test)));
        }
    }
    Ok(None)
}

impl Built {
    /// The first test that fails, with its message.
    fn first_failure(&self, mutant: Option<&str>) -> io::Result<Option<String>> {
        let mut command = Command::new(&self.program);
        command.args((!self.suite.test.is_empty()).then_some(self.suite.test));
        command.current_dir(&self.package).env_remove("HOMING_MUTANT").stdin(Stdio::null());
        if let Some(mutant) = mutant {
            command.env("HOMING_MUTANT", mutant);
        }
        let Output { status, stdout, .. } = command.output()?;
        if status.success() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&stdout);
        let name = text.lines().find_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
        let said: Vec<&str> = text.lines().skip_while(|line| !line.contains("panicked at")).skip(1).take(2).collect();
        let said: String = said.join(" ").chars().take(120).collect::<String>().replace('|', "\\|");
        Ok(Some(format!("`{}`: {said}", name.unwrap_or("(the program ended early)"))))
    }
}

/// Builds the suites with the feature `mutants`.
fn build() -> io::Result<Vec<Built>> {
    let target_dir = crate::paths::target_dir().join("mutants");
    let mut command = Command::new("cargo");
    command.args(["test", "--release", "--no-run", "--message-format=json", "--features", "homing/mutants"]);
    command.arg("--target-dir").arg(&target_dir);
    for package in ["homing", "homing-search"] {
        command.args(["--package", package]);
    }
    let Output { status, stdout, .. } = command.stderr(Stdio::inherit()).output()?;
    if !status.success() {
        return Err(io::Error::other("the tests do not build with the feature `mutants`"));
    }
    let messages: Vec<Value> =
        String::from_utf8_lossy(&stdout).lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    SUITES.iter().map(|suite| find(suite, &messages)).collect()
}

fn find(suite: &'static Suite, messages: &[Value]) -> io::Result<Built> {
    let is_it = |message: &&Value| {
        message["reason"] == "compiler-artifact"
            && message["target"]["name"] == suite.target
            && message["profile"]["test"] == true
            && message["executable"].is_string()
    };
    let found = messages.iter().find(is_it);
    let found = found.ok_or_else(|| io::Error::other(format!("{}/{} was not built", suite.package, suite.target)))?;
    let path = |value: &Value| PathBuf::from(value.as_str().unwrap_or_default());
    let manifest = path(&found["manifest_path"]);
    let package = manifest.parent().map(PathBuf::from).unwrap_or_default();
    Ok(Built { suite, program: path(&found["executable"]), package })
}
