//! All models: SPIN's examples, ours, and those that show SPIN's behaviour.

use std::fs;
use std::path::{Path, PathBuf};

/// Where Debian puts the examples of SPIN.
const EXAMPLES: &str = "/usr/share/doc/spin/examples/Examples";

/// Every model with its path, in the order of the paths.
pub fn models() -> Vec<(String, String)> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [PathBuf::from(EXAMPLES), workspace.join("models"), workspace.join("crates/homing/tests/rules")];
    let mut paths = Vec::new();
    for folder in folders {
        assert!(
            folder.is_dir(),
            "{} is missing: this test needs the examples of SPIN (Debian: apt install spin) and the models of homing",
            folder.display()
        );
        collect(&folder, &mut paths);
    }
    paths.sort();
    let text = |path: &PathBuf| {
        let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        String::from_utf8_lossy(&bytes).into_owned()
    };
    paths.iter().map(|path| (path.display().to_string(), text(path))).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|ending| ending == "pml") {
            paths.push(path);
        }
    }
}
